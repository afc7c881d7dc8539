//! Exact cover as a 0/1 matrix, one row per line, with or without blanks; each source is one problem.
//!
//! A first line `r n` is a header if r rows of n columns follow it. Empty lines and lines that begin with `#` are
//! skipped.

use super::super::lines::is_blank;
use super::super::{Format, cells};
use super::FormatSpec;
use super::sets::{header, numbered, rows_of};
use super::whole_source::{self, Failure, StopPoll, Text, Wrong};
use quadrille_model::{CoverProblem, Entry, NO_COLOUR};

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Matrix,
    name: "matrix",
    about: "exact cover: one row of zeros and ones per line; if there are several matrices, each after its size",
    look: "a 0/1 matrix",
    cutter: |layout, _| whole_source::cutter_of_parts(layout, later_matrices),
    read_cover: Some(read),
    ..FormatSpec::CUT
};

/// Returns the offsets of all matrices after the first, if each has its size on a line before it.
fn later_matrices(text: &[u8], line_end: u8) -> Vec<usize> {
    let mut rows = rows_of(text, line_end).map(|(_, row)| row).peekable();
    let mut starts = Vec::new();
    while let Some((start, line)) = rows.next() {
        let Some((count, columns)) = header(line) else { return Vec::new() };
        starts.push(start);
        for _ in 0..count {
            let is_row =
                |&(start, line): &(usize, &[u8])| cells_of(line, start).count() as u64 == u64::from(columns);
            if rows.next_if(is_row).is_none() {
                return Vec::new();
            }
        }
    }
    starts.drain(..starts.len().min(1));
    starts
}

/// Returns the cells of a line with their byte offsets; `start` is the offset of the line.
fn cells_of(line: &[u8], start: usize) -> impl Iterator<Item = (usize, u8)> {
    (start..).zip(line.iter().copied()).filter(|(_, byte)| !is_blank(*byte))
}

fn read(text: Text<'_>, _: &mut Vec<String>, pace: &mut StopPoll<'_>) -> Result<CoverProblem, Failure> {
    let Text { bytes: text, line_end, first_line, .. } = text;
    let mut rows = rows_of(text, line_end).map(|(_, (_, line))| line);
    let cells = |row: &[u8]| cells_of(row, 0).count() as u64;
    let first = rows.next().map_or(0, cells);
    let second = rows.next().map(cells);
    let mut behind = second.map_or(0, |_| 1);
    for row in rows {
        pace.read(row)?;
        behind += 1;
    }
    let head = rows_of(text, line_end).next().and_then(|(_, (_, line))| header(line));
    let head = head.filter(|&(count, items)| {
        u64::from(count) == behind && second.is_none_or(|second| second == u64::from(items))
    });
    let columns = if head.is_some() { second.unwrap_or(0) } else { first };
    let Ok(items) = u32::try_from(columns) else {
        return Err(Wrong::new(0, "more than 2^32 columns").into());
    };
    let mut builder = numbered(items, text, pace)?;
    for (number_of_line, (start, line)) in rows_of(text, line_end).skip(usize::from(head.is_some())) {
        let mut column = 0;
        for (at, byte) in cells_of(line, start) {
            pace.read(&[byte])?;
            match byte {
                b'1' if column < items => builder
                    .entry(Entry { item: column, colour: NO_COLOUR })
                    .map_err(|error| Wrong::new(at, error.to_string()))?,
                b'0' | b'1' => {}
                _ => {
                    let what = cells::describe(text, at);
                    return Err(Wrong::new(at, format!("{what} is neither 0 nor 1")).into());
                }
            }
            column += 1;
        }
        if column != items {
            let what = format!("a row has {column} cells, but the first has {items}");
            return Err(Wrong::new(start, what).into());
        }
        let line = u32::try_from(first_line + number_of_line).ok();
        builder.end_option(0, line).map_err(|error| Wrong::new(start, error.to_string()))?;
    }
    Ok(builder.build().map_err(|error| Wrong::new(text.len(), error.to_string()))?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::InputOptions;
    use super::super::super::testing::{bodies, junk, read_all};
    use super::super::whole_source::read_all_of;
    use super::*;

    fn options() -> InputOptions {
        InputOptions { format: Some(Format::Matrix), ..Default::default() }
    }

    fn rows(text: &str) -> (usize, Vec<Vec<u32>>) {
        let cover = read_all_of(read, text.as_bytes()).0.unwrap();
        assert!(cover.is_numbered());
        let option = |option| cover.option(option).iter().map(|entry| entry.item + 1).collect();
        (cover.items(), (0..cover.options()).map(option).collect())
    }

    #[test]
    fn each_line_is_a_row() {
        let expected = (3, vec![vec![2], vec![1, 3], vec![]]);
        assert_eq!(rows("010\n101\n000"), expected);
        assert_eq!(rows("# matrix\n0 1 0\r\n\n1\t0 1 \n000\n"), expected);
        assert_eq!(rows("3 3\n0 1 0\n101\n000\n"), expected);
        assert_eq!(rows("1 0\n0 1\n"), (2, vec![vec![1], vec![2]]));
        assert_eq!(rows("1 1\n1\n"), (1, vec![vec![1]]));
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, reason) in [
            ("010\n01\n", "line 2 column 1: a row has 2 cells, but the first has 3"),
            ("010\n0110\n", "line 2 column 1: a row has 4 cells, but the first has 3"),
            ("010\n0 2 0\n", "line 2 column 3: character '2' is neither 0 nor 1"),
            ("#\n", "line 1 column 2: no items"),
        ] {
            assert_eq!(
                bodies(&read_all(text.as_bytes(), options())),
                [format!("invalid: {reason}")],
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in "[0-3#x\r\n ]{1,60}", junk in junk()) {
            for text in [text.as_bytes(), &junk] {
                prop_assert_eq!(read_all(text, options()).records.len(), usize::from(!text.is_empty()));
            }
        }
    }
}
