//! Reads exact cover as a 0/1 matrix, with one row per line or list, and with or without separators.
//!
//! Each source is one problem. A first line of two numbers may be a header. A line `r n` is one if r rows
//! with n columns follow it. A line `n s` is one if rows with n columns follow it, and then the first s
//! columns are secondary. Empty lines and lines that begin with `#` are skipped.

use super::super::cells;
use super::sets::{
    Row, are_lists, check_lists, cover_of_rows, header, header_of, numbered, rows_of, separates,
};
use super::whole_source::{self, Failure, StopPoll, Text, wrong};
use super::{Container, FormatSpec};
use quadrille_model::{CoverProblem, Entry, NO_COLOUR};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "matrix",
    container: Container::Whole,
    about: "exact cover: one row of zeros and ones per line; if there are several matrices, each after its size",
    look: "a 0/1 matrix",
    cutter: |layout, _| {
        whole_source::cutter(layout, |text, line_end| {
            sized(text, line_end).into_iter().flatten().skip(1).collect()
        })
    },
    read_cover: Some(read),
    ..FormatSpec::CUT
};

/// Returns the byte offsets of all matrices, if each matrix comes after a line that states its size.
fn sized(text: &[u8], line_end: u8) -> Option<Vec<usize>> {
    let mut rows = rows_of(text, line_end).filter(|_| !are_lists(text, line_end)).peekable();
    let mut starts = Vec::new();
    while let Some(row) = rows.next() {
        let (count, columns) = header(row)?;
        starts.push(row.start);
        for _ in 0..count {
            rows.next_if(|row| cells_of(*row).count() as u64 == u64::from(columns))?;
        }
    }
    Some(starts)
}

/// Returns true if a source is a line with two numbers, followed by a matrix with that many rows and columns.
pub(super) fn is_sized(source: &[u8], line_end: u8) -> bool {
    let is_only = sized(source, line_end).is_some_and(|starts| starts.len() == 1);
    is_only && whole_source::reads(read, source, line_end, None)
}

/// Returns the cells of a row, each with its byte offset.
fn cells_of(row: Row<'_>) -> impl Iterator<Item = (usize, u8)> {
    (row.start..).zip(row.text.iter().copied()).filter(|(_, byte)| !separates(*byte))
}

fn read(text: Text<'_>, _: &mut Vec<String>, pace: &mut StopPoll<'_>) -> Result<CoverProblem, Failure> {
    let Text { bytes, line_end, .. } = text;
    check_lists(bytes, line_end)?;
    let mut rows = rows_of(bytes, line_end);
    let width = |row| cells_of(row).count() as u64;
    let first = rows.next();
    let second = rows.next().map(width);
    let mut behind = second.map_or(0, |_| 1);
    for row in rows {
        pace.read(row.text)?;
        behind += 1;
    }
    // Number of secondary columns, if the first line is a header.
    let head = header_of(bytes, line_end).and_then(|(first, last)| {
        let has = |columns: u32| second.is_none_or(|second| second == u64::from(columns));
        match u64::from(first) == behind && has(last) {
            true => Some(0),
            false => (second.is_some() && has(first) && last < first).then_some(last),
        }
    });
    let columns = if head.is_some() { second } else { first.map(width) };
    let Ok(items) = u32::try_from(columns.unwrap_or(0)) else {
        return Err(wrong(0, "more than 2^32 columns"));
    };
    let secondary = head.unwrap_or(0);
    let builder = numbered(items, secondary, bytes, pace)?;
    cover_of_rows(text, head.is_some(), builder, |row, builder| {
        let mut column = 0;
        for (at, byte) in cells_of(row) {
            pace.read(&[byte])?;
            match byte {
                b'1' if column < items => {
                    let item = column.checked_sub(secondary).unwrap_or(column + (items - secondary));
                    let added = builder.entry(Entry { item, colour: NO_COLOUR });
                    added.map_err(|error| wrong(at, error))?;
                }
                b'0' | b'1' => {}
                _ => {
                    let what = cells::describe(bytes, at);
                    return Err(wrong(at, format!("{what} is neither 0 nor 1")));
                }
            }
            column += 1;
        }
        match column == items {
            true => Ok(()),
            false => Err(wrong(row.start, format!("a row has {column} cells, but the first has {items}"))),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::testing::{bodies, junk, read_all};
    use super::super::super::{Format, InputOptions};
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
        for text in [
            "0,1,0\n1,0,1\n0,0,0\n",
            "[[0 1 0]\n [1 0 1]\n [0 0\n  0]]",
            "np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]])",
        ] {
            assert_eq!(rows(text), expected, "{text}");
        }
    }

    #[test]
    fn secondary_columns_may_come_first() {
        let (cover, _) = read_all_of(read, b"3 2\n1 0 1\n1 0 0\n0 1 0\n");
        let cover = cover.unwrap();
        assert_eq!((cover.items(), cover.primary()), (3, 1));
        let names = |option| {
            cover.option(option).iter().map(|entry| cover.name(entry.item as usize)).collect::<Vec<_>>()
        };
        assert_eq!(names(0), ["1", "3"]);
        // The first line could be read both as `r n` (rows, columns) and as `n s` (columns, secondary
        // columns). It is read as `r n`.
        assert_eq!(rows("2 2\n0 1\n1 0\n"), (2, vec![vec![2], vec![1]]));
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
