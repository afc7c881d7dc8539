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

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> Option<Packed> {
        read_cells(bytes, self.cells, self.blank).map(|(packed, _)| packed)
    }
}

/// The grid and its empty cells, bit by cell.
#[expect(
    clippy::needless_range_loop,
    reason = "indexed loops of fixed length are unrolled for certain; iterator adaptors were seen left as calls"
)]
#[inline(always)]
fn read_cells<B: Bytes>(bytes: B, cells: &[u8; 81], blank: u8) -> Option<(Packed, u128)> {
    let cells = bytes.load(cells);
    let mut digits = [0u128; 9];
    let empty = bytes.cells_with(&cells, b'0') | bytes.cells_with(&cells, blank);
    let mut known = empty;
    for digit in 0..9 {
        let clues = bytes.cells_with(&cells, b'1' + digit as u8);
        known |= clues;
        digits[digit] = clues | empty;
    }
    if known == ALL_CELLS { Some((Packed::from_digits(&digits), empty)) } else { None }
}

/// Lines of nothing but plain 9x9 grids: what is read of them stands side by side.
#[derive(Debug, Default)]
pub struct BareLines {
    /// The grids, a line each.
    pub grids: Vec<Packed>,
    /// How many clues each has.
    pub clues: Vec<u8>,
}

impl BareLines {
    /// Reads lines of 81 cells and a line end, which the last may lack; `false` where anything else is among them.
    pub(super) fn read(&mut self, bytes: &[u8], line_end: u8, blank: u8) -> bool {
        self.grids.clear();
        self.clues.clear();
        self.grids.reserve(bytes.len() / LINE + 1);
        self.clues.reserve(bytes.len() / LINE + 1);
        run_bytes(ReadLines { bytes, line_end, blank, lines: self })
    }
}

/// Bytes of a line with its end.
const LINE: usize = 82;

/// The reading of lines, compiled for an instruction set.
struct ReadLines<'a> {
    bytes: &'a [u8],
    line_end: u8,
    blank: u8,
    lines: &'a mut BareLines,
}

impl ByteKernel for ReadLines<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> bool {
        let mut rest = self.bytes;
        while let Some((cells, behind)) = rest.split_first_chunk::<81>() {
            let Some((packed, empty)) = read_cells(bytes, cells, self.blank) else { return false };
            rest = match behind.split_first() {
                Some((&end, rest)) if end == self.line_end => rest,
                Some(_) => return false,
                None => behind,
            };
            self.lines.grids.push(packed);
            self.lines.clues.push(81 - empty.count_ones() as u8);
        }
        rest.is_empty()
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
    fn bare_lines_are_read_together_and_nothing_else_is() {
        let line: Vec<u8> = (0..81).map(|cell| b".1.23456.78904"[cell * 5 % 14]).collect();
        let other = vec![b'.'; 81];
        let clues = line.iter().filter(|byte| (b'1'..=b'9').contains(byte)).count() as u8;
        let mut lines = BareLines::default();
        for end in ["", "\n"] {
            let text = [&line[..], b"\n", &other, b"\n", &line, end.as_bytes()].concat();
            assert!(lines.read(&text, b'\n', b'.'));
            let grid = by_cell(&line, b'.').unwrap();
            assert_eq!(lines.grids, [grid, Packed::FULL, grid]);
            assert_eq!(lines.clues, [clues, 0, clues]);
        }
        let refused: [&[&[u8]]; 8] = [
            &[&line, b"\r\n"],
            &[&line, b" \n"],
            &[&line, b",id\n"],
            &[&line, b"\n\n"],
            &[&line, b"\n#\n", &line],
            &[&line[1..], b"\n"],
            &[&line, b"1\n"],
            &[&line, b"\n", &[b'x'; 81]],
        ];
        for text in refused {
            assert!(
                !lines.read(&text.concat(), b'\n', b'.'),
                "{:?}",
                String::from_utf8_lossy(&text.concat())
            );
        }
        assert!(lines.read(b"", b'\n', b'.') && lines.grids.is_empty());
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
