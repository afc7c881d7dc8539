//! Records compared with others: what is known when all have come by in order, between the workers and the output.
//!
//! ```text
//! workers: keys of each record -> writer: RowFilter -> rows that stay, with columns behind them
//!                                            |  what is not known yet
//!                                            v
//!                                      rows on disk  -> at the end
//! ```

pub mod dedup;
pub mod overlap;
pub mod parts;
mod waiting;

use std::io;

pub use crate::batch::chunk::output::{KeyMark, Keys};
use crate::error::{Error, Result};
use crate::output::Notation;
use crate::stats::Statistics;

/// A choice among the rows of a run, made in the order of the records.
pub trait RowFilter: Send {
    /// Takes the rows of the next record, and appends those that are to be written now, if any. Returns their number.
    ///
    /// # Errors
    /// What goes wrong with temporary files.
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64>;

    /// Bytes of what came by since they were last taken away, by which [`restore`](Self::restore) comes to the same state; `None`
    /// where rows wait, which no bytes bring back, and for a filter that cannot be brought back.
    fn journal(&mut self) -> Option<&mut Vec<u8>> {
        None
    }

    /// Bytes of the journal for a record.
    fn journal_entry(&self) -> usize {
        1
    }

    /// Takes the next entries of the journal, of a run that this one goes on with.
    ///
    /// # Errors
    /// What goes wrong with temporary files; bytes that are of no journal.
    fn restore(&mut self, journal: &[u8]) -> Result<()> {
        let _ = journal;
        Err(Error::usage("what was compared cannot be brought back"))
    }

    /// Adds what it knows at the end to the statistics.
    fn account(&self, statistics: &mut Statistics) {
        let _ = statistics;
    }

    /// Writes what is left at the end of the run. Returns the number of rows.
    ///
    /// # Errors
    /// What goes wrong with temporary files, and with writing.
    fn finish(&mut self, write: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<u64>;
}

/// A column that is put behind a row.
struct Behind<'v> {
    name: &'static str,
    /// The value, of characters that need no quotes; empty where there is none.
    value: &'v str,
    /// It is a word, not a number.
    is_word: bool,
}

/// Bytes of rows that are written at once.
const BLOCK: usize = 1 << 16;

/// Writes rows, and empties their memory.
fn write_block(write: &mut dyn FnMut(&[u8]) -> io::Result<()>, rows: &mut Vec<u8>) -> Result<()> {
    write(rows).map_err(|cause| Error::io("writing", "the output", 0, cause))?;
    rows.clear();
    Ok(())
}

/// Appends rows with columns behind them. The rows end with a line end; of several lines they are one grid, and an empty
/// line.
fn write_with(rows: &[u8], notation: Notation, columns: &[Behind<'_>], out: &mut Vec<u8>) {
    let put = |delimiter: u8, out: &mut Vec<u8>| {
        for column in columns {
            out.push(delimiter);
            out.extend_from_slice(column.value.as_bytes());
        }
    };
    let row = rows.strip_suffix(b"\n").unwrap_or(rows);
    match notation {
        Notation::Above => {
            out.push(b'#');
            put(b' ', out);
            out.push(b'\n');
            return out.extend_from_slice(rows);
        }
        Notation::Tab => {
            out.extend_from_slice(row);
            put(b'\t', out);
        }
        Notation::Delimiter(delimiter) => {
            out.extend_from_slice(row);
            put(delimiter, out);
        }
        Notation::Json => {
            let end = row.iter().rposition(|&byte| byte == b'}').unwrap_or(row.len());
            let is_empty = row[..end].trim_ascii_end().ends_with(b"{");
            out.extend_from_slice(&row[..end]);
            for (place, column) in columns.iter().enumerate() {
                out.extend_from_slice(if place == 0 && is_empty { b"\"" } else { b",\"" });
                out.extend_from_slice(column.name.as_bytes());
                out.extend_from_slice(b"\":");
                match (column.value, column.is_word) {
                    ("", _) => out.extend_from_slice(b"null"),
                    (value, false) => out.extend_from_slice(value.as_bytes()),
                    (value, true) => {
                        out.push(b'"');
                        out.extend_from_slice(value.as_bytes());
                        out.push(b'"');
                    }
                }
            }
            out.extend_from_slice(&row[end..]);
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_behind_rows_in_every_notation() {
        let columns = [
            Behind { name: "relation", value: "copy", is_word: true },
            Behind { name: "first", value: "7", is_word: false },
        ];
        let none = [Behind { name: "first", value: "", is_word: false }];
        let written = |rows: &str, notation, columns: &[Behind<'_>]| {
            let mut out = Vec::new();
            write_with(rows.as_bytes(), notation, columns, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written("53..7 id\n", Notation::Tab, &columns), "53..7 id\tcopy\t7\n");
        assert_eq!(written("a;b\n", Notation::Delimiter(b';'), &columns), "a;b;copy;7\n");
        assert_eq!(written("a;b\n", Notation::Delimiter(b';'), &none), "a;b;\n");
        assert_eq!(
            written("{\"a\": {} }\n", Notation::Json, &columns),
            "{\"a\": {} ,\"relation\":\"copy\",\"first\":7}\n"
        );
        assert_eq!(written("{ }\n", Notation::Json, &none), "{ \"first\":null}\n");
        assert_eq!(written("12\n34\n\n", Notation::Above, &columns), "# copy 7\n12\n34\n\n");
        assert_eq!(written("", Notation::Json, &none), ",\"first\":null\n");
    }
}
