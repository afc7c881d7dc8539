//! Converts grids that are numbers in memory, such as an array of bytes, directly to the text of rows.

use std::io::Read;
use std::sync::Arc;

use crate::input::cells::write_numbers;
use crate::input::columns::{Columns, Places};
use crate::input::row_text::{INVALID, ROW_END};
use crate::input::{Format, Layout};
use quadrille_model::{Error, Result, Symbols};

/// Reader for grids with the same side length, stored with one byte per cell.
pub(crate) struct NumberGrids {
    name: Arc<str>,
    side: usize,
    stream: Box<dyn Read + Send>,
    /// Number of bytes read so far.
    read: u64,
    /// Numbers from the last read.
    ///
    /// The vector is never shortened between reads, so its bytes need not be cleared again.
    numbers: Vec<u8>,
}

impl NumberGrids {
    pub(super) fn new(name: Arc<str>, side: usize, stream: Box<dyn Read + Send>) -> Self {
        NumberGrids { name, side, stream, read: 0, numbers: Vec::new() }
    }

    /// Returns the layout of the text that is written for the grids: a table with only a puzzle column.
    pub(crate) fn layout(&self) -> Layout {
        Layout {
            format: Format::Arrow,
            symbols: Some(Symbols::DEFAULT),
            columns: Columns::new(vec!["puzzle".to_owned()], Places::of_puzzle(0)),
            ..Layout::default()
        }
    }

    /// Appends the rows of the next grids: at least one, and no more than fit into `bytes` bytes of text. Returns false at
    /// the end.
    ///
    /// # Errors
    /// Returns the error of the stream, after the grids read before it.
    pub(crate) fn write(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<bool> {
        let cells = (self.side * self.side).max(1);
        let wanted = (bytes / (cells + 1)).max(1) * cells;
        self.numbers.clear();
        // The numbers before an error are kept.
        let read = self.stream.by_ref().take(wanted as u64).read_to_end(&mut self.numbers);
        self.read += self.numbers.len() as u64;
        self.numbers.chunks(cells).for_each(|grid| write_grid(grid, out));
        match read {
            Ok(read) => Ok(read == wanted),
            Err(cause) => Err(Error::io("reading", &*self.name, self.read, cause)),
        }
    }
}

/// Returns the character for a cell of a 9x9 grid. The code compiles to instructions without a branch.
#[inline]
fn character(number: u8) -> u8 {
    if number == 0 { b'.' } else { number + b'0' }
}

/// Appends the row for a grid.
#[inline]
fn write_grid(numbers: &[u8], out: &mut Vec<u8>) {
    if let Ok(cells) = <&[u8; 81]>::try_from(numbers)
        && cells.iter().fold(0, |largest, &number| number.max(largest)) <= 9
    {
        out.extend_from_slice(&cells.map(character));
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
    use std::io;

    use super::*;

    /// A stream that returns only a few bytes per read.
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
    fn rows_of_grids_do_not_depend_on_the_batch_size() {
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
    fn values_that_are_not_grids_are_reported() {
        let mut numbers = vec![0; 81 + 80];
        numbers[80] = 10;
        let rows = text(9, numbers, 1000);
        assert_eq!(
            rows,
            ["\u{1d}10 in cell 81 is not a digit of a 9x9", "\u{1d}80 numbers: no grid has this many cells"]
        );
    }
}
