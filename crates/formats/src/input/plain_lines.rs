//! Converts 81 characters to a packed grid, sixteen characters at a time.
//!
//! All sixteen characters are compared with a digit at once, or looked up in a table at once. Each comparison
//! yields one bit per cell. The only branch checks whether all characters are valid. In contrast, a loop that
//! looks up single bytes has a mispredicted branch for every clue. The conversion takes 400 instructions per
//! grid. Another method gathered four bit planes by multiplication, and took 750 instructions.

use std::ops::Range;

use super::spreadsheet::is_cut_off;
use super::{Body, Chunk, Record, Span};
use quadrille_model::simd::{Bytes, WordKernel, run_bytes};
use quadrille_model::{PLAIN_LINE, Packed9x9};

/// Reads a plain 9x9 grid from the first 81 bytes, or returns `None` if they are not one.
///
/// The digits are 1 to 9. `0` and `blank` mean an empty cell. If this returns `None`, the slower general
/// reader finds out why.
#[inline]
pub(super) fn read(text: &[u8], blank: u8) -> Option<Packed9x9> {
    run_bytes(ReadGrid { cells: text.first_chunk()?, blank })
}

/// Reads one grid, in code that is compiled for each instruction set.
struct ReadGrid<'a> {
    cells: &'a [u8; 81],
    blank: u8,
}

impl WordKernel for ReadGrid<'_> {
    type Output = Option<Packed9x9>;

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> Option<Packed9x9> {
        read_cells(bytes, self.cells, self.blank).map(|(packed, _)| packed)
    }
}

/// Returns the grid and the set of its empty cells, one bit per cell. Returns `None` if the text is not a
/// grid.
#[inline(always)]
fn read_cells<B: Bytes>(bytes: B, cells: &[u8; 81], blank: u8) -> Option<(Packed9x9, u128)> {
    let digits = bytes.cells_with_nine(cells, b'1', [b'0', blank])?;
    // An empty cell allows all digits. No other cell allows both 1 and 2.
    Some((Packed9x9::from_digits(&digits), digits[0] & digits[1]))
}

/// Lines of a chunk that are probably plain 9x9 grids, because they have the right length.
///
/// Callers [read](super::Parser::read_plain) ranges of these lines from the bytes of the chunk. If the grids
/// have other text around them, this type stores copies of the grids, and callers read the copies.
#[derive(Debug, Default)]
pub struct PlainLines {
    /// Number of bytes from the start of one line to the start of the next.
    stride: usize,
    count: usize,
    line_end: u8,
    apart: Apart,
}

/// Copies of a chunk's grids, made if the grids have other text around them.
///
/// Also holds the other parts of the records that the caller wants.
#[derive(Debug, Default)]
pub(super) struct Apart {
    pub(super) wanted: Wanted,
    /// The grids, each followed by a newline.
    pub(super) puzzles: Vec<u8>,
    /// The given solutions, each followed by a newline. Empty if they are not wanted.
    pub(super) given: Vec<u8>,
    /// Three byte ranges per record: its whole text, its puzzle and its id. Empty if records are not wanted.
    pub(super) spans: Vec<[Span; 3]>,
    /// The byte ranges of all values of each record. Empty if records are not wanted or the source has no
    /// columns.
    pub(super) values: Vec<Span>,
}

/// The parts of plain lines that the caller wants in addition to the grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// True if the caller wants the given solutions, provided that the source has them.
    pub given: bool,
    /// True if the caller wants records, with the byte ranges of their text and values.
    pub records: bool,
}

impl Apart {
    /// Maximum number of values per record whose byte ranges are stored. A range takes more memory than a
    /// short value.
    const MAX_VALUES: usize = 64;

    /// Returns true if records are wanted, but have too many values (`count` each) to store the byte ranges
    /// of all.
    pub(super) fn are_too_many(&self, count: usize) -> bool {
        self.wanted.records && count > Self::MAX_VALUES
    }

    fn clear(&mut self) {
        self.puzzles.clear();
        self.given.clear();
        self.spans.clear();
        self.values.clear();
    }
}

/// Number of grids for each number of clues, from 0 to 81.
pub type ClueCounts = [u32; 82];

impl PlainLines {
    /// Removes all lines. `wanted` says which parts of the following lines the caller wants.
    pub(super) fn start(&mut self, wanted: Wanted) {
        self.apart.clear();
        self.apart.wanted = wanted;
    }

    /// Stores the lines in `bytes` if they can be plain grids with nothing around them. Otherwise returns
    /// false.
    ///
    /// Checks only the length of the first line, including its line end, and the total length. The last line
    /// may have no line end.
    pub(super) fn take(&mut self, bytes: &[u8], line_end: u8) -> bool {
        let stride = match bytes.get(81..) {
            Some(&[b'\r', end, ..]) if end == line_end => 83,
            Some([] | [_]) => PLAIN_LINE,
            Some(&[end, ..]) if end == line_end => PLAIN_LINE,
            _ => return false,
        };
        (self.stride, self.count, self.line_end) = (stride, bytes.len().div_ceil(stride), line_end);
        matches!(bytes.len() % stride, 0 | 81)
    }

    /// Stores copies of grids that have other text around them. `gather` appends these copies, or returns
    /// false if it cannot.
    pub(super) fn take_apart(&mut self, gather: impl FnOnce(&mut Apart) -> bool) -> bool {
        let are_all = gather(&mut self.apart);
        (self.stride, self.count, self.line_end) = (PLAIN_LINE, self.apart.puzzles.len() / PLAIN_LINE, b'\n');
        are_all && (!self.apart.wanted.records || self.apart.spans.len() == self.count)
    }

    /// Stores copies of the grids from lines that consist of 81 cells followed by the text `behind`. Returns
    /// false if some line is different.
    pub(super) fn take_alike(&mut self, bytes: &[u8], behind: &[u8], line_end: u8) -> bool {
        let length = 81 + behind.len();
        self.take_apart(|Apart { puzzles, .. }| {
            bytes.chunks(length + 1).all(|line| {
                puzzles.extend_from_slice(line.get(..81).unwrap_or_default());
                puzzles.push(b'\n');
                // The last line may have no line end.
                line.get(81..length) == Some(behind) && line.get(length).is_none_or(|&byte| byte == line_end)
            })
        })
    }

    /// Returns the text that contains the lines, and the number of bytes from the start of one line to the
    /// next.
    ///
    /// `bytes` must be the bytes of the chunk.
    #[inline]
    pub fn text<'a>(&'a self, bytes: &'a [u8]) -> (&'a [u8], usize) {
        (if self.apart.puzzles.is_empty() { bytes } else { &self.apart.puzzles }, self.stride)
    }

    /// Returns the given solutions if they were [wanted](Wanted::given): 81 characters and a newline for each
    /// line.
    pub fn given(&self) -> &[u8] {
        &self.apart.given
    }

    /// Returns the record of the line with index `number`, without its grid and its given solution.
    ///
    /// In all other respects the record is the same as one read with [`parse`](super::Parser::parse). The
    /// caller must have requested [records](Wanted::records).
    pub fn record(&self, chunk: &Chunk, number: usize) -> Record {
        let start = self.stride * number;
        let line = Span { start: start as u32, end: start as u32 + 81 };
        let [text, puzzle, id] =
            self.apart.spans.get(number).copied().unwrap_or([line, line, Span::default()]);
        // In tables, the text of a record is only its puzzle. So the row begins at its first value.
        let begin = self.values(number).first().map_or(text.start, |value| value.start.min(text.start));
        let byte = chunk.first_byte + u64::from(begin);
        let body = Body::Packed(number as u32);
        Record { body, puzzle, id, ..Record::new(chunk.first_line + number as u64, byte, text) }
    }

    /// Returns the byte ranges of a line's values, in the order of the source's columns.
    ///
    /// Returns an empty slice if the ranges are not known. Strings in JSON include their quotes.
    pub fn values(&self, number: usize) -> &[Span] {
        let count = self.apart.values.len().checked_div(self.apart.spans.len()).unwrap_or_default();
        self.apart.values.get(count * number..count * (number + 1)).unwrap_or_default()
    }

    /// Returns the number of lines.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Reads the lines in `range` from the chunk's `bytes` and counts their clues.
    ///
    /// Stops at the first line that is not a plain grid. Returns the number of grids that were read before
    /// that line.
    #[inline]
    pub(super) fn read(
        &self,
        range: Range<usize>,
        bytes: &[u8],
        (blank, stops_at_cut_off): (u8, bool),
        (grids, clues): (&mut Vec<Packed9x9>, &mut ClueCounts),
    ) -> usize {
        let (text, stride) = self.text(bytes);
        let line_end = self.line_end;
        run_bytes(ReadLines { text, stride, line_end, blank, stops_at_cut_off, range, grids, clues })
    }
}

/// Reads lines, in code that is compiled for each instruction set.
struct ReadLines<'a> {
    text: &'a [u8],
    stride: usize,
    line_end: u8,
    blank: u8,
    /// True if reading must stop at a grid that a spreadsheet has [cut off](is_cut_off).
    stops_at_cut_off: bool,
    range: Range<usize>,
    grids: &'a mut Vec<Packed9x9>,
    clues: &'a mut ClueCounts,
}

impl WordKernel for ReadLines<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> usize {
        let ReadLines { text, stride, line_end, blank, stops_at_cut_off, .. } = self;
        let mut number = self.range.start;
        while number < self.range.end {
            let line = &text[stride * number..];
            let Some(cells) = line.first_chunk() else { break };
            let Some((packed, empty)) = read_cells(bytes, cells, blank) else { break };
            let is_ended = match line.get(81..stride) {
                Some(end) => end[end.len() - 1] == line_end && (end.len() == 1 || end[0] == b'\r'),
                None => line.len() == 81,
            };
            if !is_ended || stops_at_cut_off && is_cut_off(cells) {
                break;
            }
            self.grids.push(packed);
            self.clues[81 - empty.count_ones() as usize] += 1;
            number += 1;
        }
        number - self.range.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_cell(text: &[u8], blank: u8) -> Option<Packed9x9> {
        let mut cells = [0u16; 81];
        for (cell, set) in cells.iter_mut().enumerate() {
            *set = match text[cell] {
                byte @ b'1'..=b'9' => 1 << (byte - b'1'),
                b'0' => 0x1ff,
                byte if byte == blank => 0x1ff,
                _ => return None,
            };
        }
        Some(Packed9x9::from_cells(&cells))
    }

    /// Reads lines up to the first one that is not a grid. Returns the grids, their number, and the clue
    /// counts.
    fn read_lines(bytes: &[u8]) -> Option<(Vec<Packed9x9>, usize, ClueCounts)> {
        let mut lines = PlainLines::default();
        if !lines.take(bytes, b'\n') {
            return None;
        }
        let (mut grids, mut clues) = (Vec::new(), [0; 82]);
        let mut read = 0;
        while read < lines.count() {
            let range = read..(read + 2).min(lines.count());
            match lines.read(range, bytes, (b'.', true), (&mut grids, &mut clues)) {
                0 => break,
                more => read += more,
            }
        }
        Some((grids, lines.count(), clues))
    }

    #[test]
    fn only_plain_lines_are_read_in_bulk() {
        let line: Vec<u8> = (0..81).map(|cell| b".1.23456.78904"[cell * 5 % 14]).collect();
        let other = vec![b'.'; 81];
        let clues = line.iter().filter(|byte| (b'1'..=b'9').contains(byte)).count();
        let grid = by_cell(&line, b'.').unwrap();
        for end in [&b"\n"[..], b"\r\n"] {
            for last in [&b""[..], end] {
                let text = [&line[..], end, &other, end, &line, last].concat();
                let (grids, count, counts) = read_lines(&text).unwrap();
                assert_eq!((grids, count), (vec![grid, Packed9x9::FULL, grid], 3));
                assert_eq!((counts[clues], counts[0]), (2, 1));
            }
        }
        let refused: [(&[&[u8]], usize); 9] = [
            (&[&line, b"\r\n", &line, b" \n"], 1),
            (&[&line, b"\r\n", &line, b"\r"], 0),
            (&[&line, b" \n"], 0),
            (&[&line, b",id\n"], 0),
            (&[&line, b"\n\n"], 0),
            (&[&line, b"\n#\n", &line], 0),
            (&[&line[1..], b"\n"], 0),
            (&[&line, b"\n", &line[1..], b"\n", &line, b"1\n"], 1),
            (&[&line, b"\n", &line, b"\n", &[b'x'; 81]], 2),
        ];
        for (parts, read) in refused {
            let text = parts.concat();
            let (grids, count, _) = read_lines(&text).unwrap_or((Vec::new(), 0, [0; 82]));
            assert!(
                grids.len() == read && (count == 0 || count > read),
                "{:?}",
                String::from_utf8_lossy(&text)
            );
        }
        assert!(read_lines(b"").is_none());
    }

    #[test]
    fn bulk_reading_agrees_with_the_table_for_every_byte_at_every_position() {
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
        assert_eq!(read(&[b'x'; 90], b'x'), Some(Packed9x9::FULL));
        assert_eq!(read(&[0xff; 81], 0xff), Some(Packed9x9::FULL));
    }
}
