//! Eighty-one characters to a packed grid, sixteen at a time.
//!
//! Where a digit stands is a comparison of all characters with it, and one bit of each result: nine digits and two
//! blanks, no branch but the last one. A table walk byte by byte mispredicts on every clue. (Tried: four bit planes
//! gathered by multiplication: 750 instructions a grid, this takes 400 sixteen at a time and 230 thirty-two.)

use crate::model::Packed;
use crate::simd::{ByteKernel, Bytes, run_bytes};

const ALL_CELLS: u128 = (1 << 81) - 1;

/// Reads a plain 9x9 from its first 81 bytes: digits 1 to 9, and `0` or the given byte for empty.
///
/// `None` where there are fewer bytes or any other character; then the careful reader says what is wrong.
#[inline]
pub(super) fn read(text: &[u8], blank: u8) -> Option<Packed> {
    run_bytes(Read { cells: text.first_chunk()?, blank })
}

/// The reading, compiled for an instruction set.
struct Read<'a> {
    cells: &'a [u8; 81],
    blank: u8,
}

impl ByteKernel for Read<'_> {
    type Output = Option<Packed>;

    #[expect(
        clippy::needless_range_loop,
        reason = "indexed loops of fixed length are unrolled for certain; iterator adaptors were seen left as calls"
    )]
    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> Option<Packed> {
        let cells = bytes.load(self.cells);
        let mut digits = [0u128; 9];
        let empty = bytes.cells_with(&cells, b'0') | bytes.cells_with(&cells, self.blank);
        let mut known = empty;
        for digit in 0..9 {
            let clues = bytes.cells_with(&cells, b'1' + digit as u8);
            known |= clues;
            digits[digit] = clues | empty;
        }
        (known == ALL_CELLS).then(|| Packed::from_digits(&digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_cell(text: &[u8], blank: u8) -> Option<Packed> {
        let mut cells = [0u16; 81];
        for (cell, set) in cells.iter_mut().enumerate() {
            *set = match text[cell] {
                byte @ b'1'..=b'9' => 1 << (byte - b'1'),
                b'0' => 0x1ff,
                byte if byte == blank => 0x1ff,
                _ => return None,
            };
        }
        Some(Packed::from_cells(&cells))
    }

    #[test]
    fn every_byte_at_every_place_reads_as_by_the_table() {
        let line: Vec<u8> = (0..81).map(|cell| b".1.23456.78904"[cell * 5 % 14]).collect();
        assert_eq!(read(&line, b'.'), by_cell(&line, b'.'));
        for place in 0..81 {
            for byte in 0..=255 {
                let mut text = line.clone();
                text[place] = byte;
                assert_eq!(read(&text, b'.'), by_cell(&text, b'.'), "{byte} at {place}");
            }
        }
        assert_eq!(read(&line[..80], b'.'), None);
        assert_eq!(read(&[b'x'; 90], b'x'), Some(Packed::FULL));
        assert_eq!(read(&[0xff; 81], 0xff), Some(Packed::FULL));
    }
}
