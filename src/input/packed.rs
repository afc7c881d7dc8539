//! Eighty-one characters to a packed grid, eight at a time.
//!
//! The bytes are taken as little-endian words of eight. Digits become nibbles 0..=9 (0 for empty) without a
//! branch, and one multiplication gathers a bit of all eight nibbles:
//!
//! ```text
//! byte 7 .. 0 of the word    000000b7 ... 000000b1 000000b0      times 0x0102_0408_1020_4080
//! top byte of the product    b7 b6 b5 b4 b3 b2 b1 b0
//! ```
//! Four such planes of 81 bits hold the grid; nine ANDs a digit's clues. A table walk byte by byte mispredicts on
//! every clue; this has no branch but the last one.

use crate::model::Packed;

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW7: u64 = 0x7f * ONES;
const HIGH: u64 = 0x80 * ONES;
const GATHER: u64 = 0x0102_0408_1020_4080;
/// Moves digits above 9 over the byte's top bit.
const ABOVE_NINE: u64 = (0x80 - 10) * ONES;

/// Reads a plain 9x9 from its first 81 bytes: digits 1 to 9, and `0` or the given byte for empty.
///
/// `None` where there are fewer bytes or any other character; then the careful reader says what is wrong.
#[inline]
pub(super) fn read(text: &[u8], blank: u8) -> Option<Packed> {
    let cells: &[u8; 81] = text.first_chunk()?;
    let (words, last) = cells.as_chunks::<8>();
    let blank = u64::from(blank) * ONES;
    let mut bad = 0;
    let mut planes = [[0u64; 2]; 4];
    for (index, word) in words.iter().enumerate() {
        let (nibbles, wrong) = nibbles(u64::from_le_bytes(*word), blank);
        bad |= wrong;
        for (bit, plane) in planes.iter_mut().enumerate() {
            let gathered = ((nibbles >> bit) & ONES).wrapping_mul(GATHER) >> 56;
            plane[index / 8] |= gathered << (index % 8 * 8);
        }
    }
    // The 81st cell: the other bytes of its word are empty cells.
    let (nibble, wrong) = nibbles(u64::from(last[0]) | ((ONES - 1) * u64::from(b'0')), blank);
    bad |= wrong;
    if bad != 0 {
        return None;
    }
    let planes = std::array::from_fn::<u128, 4, _>(|bit| {
        let [low, high] = planes[bit];
        u128::from(low) | u128::from(high) << 64 | u128::from(nibble >> bit & 1) << 80
    });
    let [b0, b1, b2, b3] = planes;
    let empty = !(b0 | b1 | b2 | b3);
    let (low, high) = (!b3 & !b2, !b3 & b2);
    let digits = [
        low & !b1 & b0,
        low & b1 & !b0,
        low & b1 & b0,
        high & !b1 & !b0,
        high & !b1 & b0,
        high & b1 & !b0,
        high & b1 & b0,
        b3 & !b0,
        b3 & b0,
    ];
    Some(Packed::from_digits(&digits.map(|clues| clues | empty)))
}

/// The digits of eight characters in the low nibbles, and a bit for every byte that is neither digit nor blank.
#[inline(always)]
fn nibbles(word: u64, blank: u64) -> (u64, u64) {
    let digits = word ^ (u64::from(b'0') * ONES);
    let no_digit = (((digits & LOW7) + ABOVE_NINE) | digits) & HIGH;
    let difference = word ^ blank;
    let no_blank = (((difference & LOW7) + LOW7) | difference) & HIGH;
    let digit = no_digit ^ HIGH;
    // 0x0f in every byte that is a digit.
    let mask = (digit >> 3) - (digit >> 7);
    (digits & mask, no_digit & no_blank)
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
