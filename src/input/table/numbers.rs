//! Grids as numbers in memory, such as an array of bytes: the shortest way to the text of rows.

use std::io::{self, ErrorKind as IoKind, Read};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::input::cells::write_numbers;
use crate::input::formats::table::{INVALID, ROW_END};
use crate::input::{Format, Layout, TableLayout};
use crate::model::{Alphabet, Symbols};

/// The characters that numbers are written as.
pub(super) const SYMBOLS: Symbols = Symbols { alphabet: Alphabet::FromOne, lower_case: false };

/// Grids of one side, a byte a cell, to be read.
pub(in crate::input) struct NumberGrids {
    name: Arc<str>,
    side: usize,
    stream: Box<dyn Read + Send>,
    /// Bytes read so far.
    read: u64,
    /// The numbers of the last grids.
    numbers: Vec<u8>,
}

impl NumberGrids {
    pub(super) fn new(name: Arc<str>, side: usize, stream: Box<dyn Read + Send>) -> Self {
        NumberGrids { name, side, stream, read: 0, numbers: Vec::new() }
    }

    /// The layout of their text: that of a table with nothing but puzzles.
    pub(in crate::input) fn layout(&self) -> Layout {
        Layout {
            format: Format::Arrow,
            symbols: Some(SYMBOLS),
            table: Some(TableLayout::default()),
            line_end: ROW_END,
            ..Layout::default()
        }
    }

    /// Appends the rows of the next grids, of so many bytes at most, but one grid at least; `false` at the end.
    ///
    /// # Errors
    /// What goes wrong with reading. The grids read before are appended.
    pub(in crate::input) fn write(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<bool> {
        let cells = (self.side * self.side).max(1);
        self.numbers.resize((bytes / (cells + 1)).max(1) * cells, 0);
        let (mut len, mut failed) = (0, None);
        while len < self.numbers.len() && failed.is_none() {
            match self.stream.read(&mut self.numbers[len..]) {
                Ok(0) => break,
                Ok(more) => len += more,
                Err(cause) if cause.kind() == IoKind::Interrupted => {}
                Err(cause) => failed = Some(cause),
            }
        }
        self.read += len as u64;
        for grid in self.numbers[..len].chunks(cells) {
            write_grid(grid, out);
        }
        match failed {
            Some(cause) => Err(self.error(cause)),
            None => Ok(len == self.numbers.len()),
        }
    }

    fn error(&self, cause: io::Error) -> Error {
        Error::io("reading", &*self.name, self.read, cause)
    }
}

/// Appends the row of a grid.
#[inline]
fn write_grid(numbers: &[u8], out: &mut Vec<u8>) {
    if let Ok(cells) = <&[u8; 81]>::try_from(numbers)
        && cells.iter().fold(0, |largest, &number| number.max(largest)) <= 9
    {
        // Without a branch on any of them.
        out.extend_from_slice(&cells.map(|number| if number == 0 { b'.' } else { number + b'0' }));
    } else {
        let numbers: Vec<i128> = numbers.iter().copied().map(i128::from).collect();
        if let Err(reason) = write_numbers(&numbers, out) {
            out.push(INVALID);
            out.extend_from_slice(reason.as_bytes());
        }
    }
    out.push(ROW_END);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Slowly(Vec<u8>);

    impl Read for Slowly {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(buffer.len()).min(7);
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0.drain(..len);
            Ok(len)
        }
    }

    fn text(side: usize, numbers: Vec<u8>, bytes: usize) -> Vec<String> {
        let mut grids = NumberGrids::new("grids".into(), side, Box::new(Slowly(numbers)));
        let mut text = Vec::new();
        while grids.write(bytes, &mut text).unwrap() {}
        let text = String::from_utf8(text).unwrap();
        text.split_terminator(char::from(ROW_END)).map(str::to_owned).collect()
    }

    #[test]
    fn grids_become_rows_whatever_is_read_at_once() {
        let numbers: Vec<u8> = (0..3 * 81).map(|cell| (cell % 10) as u8).collect();
        let wanted: Vec<String> = numbers
            .chunks(81)
            .map(|grid| grid.iter().map(|number| b".123456789"[usize::from(*number)] as char).collect())
            .collect();
        for bytes in [1, 82, 200, 1000] {
            assert_eq!(text(9, numbers.clone(), bytes), wanted);
        }
        assert_eq!(text(4, vec![4; 16], 1000), ["4".repeat(16)]);
        assert_eq!(text(16, vec![16; 256], 10), ["G".repeat(256)]);
    }

    #[test]
    fn what_is_no_grid_says_so() {
        let mut numbers = vec![0; 81 + 80];
        numbers[80] = 10;
        let rows = text(9, numbers, 1000);
        assert_eq!(
            rows,
            ["\u{1d}10 in cell 81 is no digit of a 9x9", "\u{1d}80 numbers: no grid has this many cells"]
        );
    }
}
