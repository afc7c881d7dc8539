//! Comparing records with others: the step between workers and output that sees all records in order.
//!
//! ```text
//! workers: keys of each record -> writer: RowFilter -> rows that are kept, with columns appended
//!                                            |  rows that cannot be decided yet
//!                                            v
//!                                      rows on disk  -> at the end
//! ```

pub mod dedup;
pub mod fingerprint;
pub mod overlap;
pub mod parts;
mod row_spool;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use row_spool::RowSpool;

pub use crate::chunk::output::{KeyMark, Keys};
use crate::key_groups::StopCheck;
use crate::stats::Statistics;
use quadrille_engine::Control;
use quadrille_formats::output::{Notation, append_column, extra_name};
use quadrille_model::{Error, ErrorKind, Result};

/// A filter of the rows of a run, applied in the order of the records.
pub trait RowFilter: Send {
    /// Takes the rows of the next record and appends the rows to write now, if any. Returns their number.
    ///
    /// # Errors
    /// Returns an error of temporary files.
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64>;

    /// Returns the journal of the records since the caller last cleared it.
    ///
    /// From the journal, [`restore`](Self::restore) reaches the same state. Returns `None` if rows wait, which a
    /// journal cannot restore, and for filters that cannot be restored.
    fn journal(&mut self) -> Option<&mut Vec<u8>> {
        None
    }

    /// Returns the number of bytes that the journal has per record.
    fn journal_entry(&self) -> usize {
        1
    }

    /// Takes the next entries of the journal of the run that this run resumes.
    ///
    /// # Errors
    /// Returns an error of temporary files, or if the bytes are not a journal.
    fn restore(&mut self, journal: &[u8]) -> Result<()> {
        let _ = journal;
        Err(Error::usage("the state of this comparison cannot be restored"))
    }

    /// Adds the final results of the comparison to the statistics.
    fn account(&self, statistics: &mut Statistics) {
        let _ = statistics;
    }

    /// Writes the remaining rows at the end of the run.
    ///
    /// Stops early if the run is stopped.
    ///
    /// # Errors
    /// Returns an error of temporary files or of writing.
    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<FilterTail>;
}

/// Result of writing the remaining rows at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterTail {
    /// Number of rows.
    pub rows: u64,
    /// True if the run was stopped before all rows were written.
    pub is_cut: bool,
}

impl FilterTail {
    /// Result of a filter that has nothing left.
    const NONE: FilterTail = FilterTail { rows: 0, is_cut: false };
    /// Result of a filter that was stopped before it wrote anything.
    const STOPPED: FilterTail = FilterTail { rows: 0, is_cut: true };
}

/// Returns a check for [`KeyGroups`](crate::key_groups::KeyGroups) that tells if the run was stopped.
fn stop(control: &Arc<Control>) -> StopCheck {
    let control = Arc::clone(control);
    StopCheck::new(move || control.stop().is_some())
}

/// Returns the value of `result`, or `None` if the work was stopped.
fn unless_stopped<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::Stopped) => Ok(None),
        result => result.map(Some),
    }
}

/// Reads the waiting rows and writes the rows into which `make` turns them, until the run is stopped.
///
/// `make` appends its rows to the output and returns their number.
fn write_waiting(
    waiting: RowSpool,
    control: &Control,
    write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    mut make: impl FnMut(&[u8], Notation, u8, &mut Vec<u8>) -> Result<u64>,
) -> Result<FilterTail> {
    let mut waiting = waiting.read()?;
    let (mut rows, mut out, mut rest) = (Vec::new(), Vec::new(), FilterTail::NONE);
    let mut unlooked = 0;
    while let Some((notation, tag)) = waiting.next(&mut rows)? {
        unlooked += 1 + rows.len();
        let is_stopped = unlooked > BLOCK && control.stop().is_some();
        unlooked = if unlooked > BLOCK { 0 } else { unlooked };
        let made = if is_stopped { None } else { unless_stopped(make(&rows, notation, tag, &mut out))? };
        let Some(made) = made else {
            rest.is_cut = true;
            break;
        };
        rest.rows += made;
        if out.len() >= BLOCK {
            write_block(write, &mut out)?;
        }
    }
    write_block(write, &mut out)?;
    Ok(rest)
}

/// A column that is appended to a row.
struct Behind<'v> {
    name: &'static str,
    /// Value, which contains no characters that need quotes; empty if there is none.
    value: &'v str,
    /// True if the value is a word, false if it is a number.
    is_word: bool,
}

/// Number of bytes of rows that are written at once.
const BLOCK: usize = 1 << 16;

/// Writes the rows and clears the buffer.
fn write_block(write: &mut dyn FnMut(&[u8]) -> io::Result<()>, rows: &mut Vec<u8>) -> Result<()> {
    write(rows).map_err(|cause| Error::io("writing", "the output", 0, cause))?;
    rows.clear();
    Ok(())
}

/// Appends the rows of a record with additional columns.
///
/// `rows` ends with a line break. If it has several lines, they are a grid and an empty line.
fn write_with(rows: &[u8], notation: Notation, columns: &[Behind<'_>], out: &mut Vec<u8>) {
    let put = |delimiter: u8, out: &mut Vec<u8>| {
        for column in columns {
            out.push(delimiter);
            out.extend_from_slice(column.value.as_bytes());
        }
    };
    let ends: [&[u8]; 3] = [b"\r\n", b"\n", b"\r"];
    let end = ends.into_iter().find(|end| rows.ends_with(end)).unwrap_or(b"\n");
    let row = rows.strip_suffix(end).unwrap_or(rows);
    match notation {
        Notation::Table => {
            out.extend_from_slice(rows);
            for column in columns {
                append_column(column.value, out);
            }
            return;
        }
        Notation::Above => {
            out.push(b'#');
            put(b' ', out);
            out.extend_from_slice(end);
            return out.extend_from_slice(rows);
        }
        Notation::First(delimiter) => {
            let start = out.len();
            put(delimiter, out);
            if out.len() > start {
                out.remove(start);
            }
        }
        Notation::Tab => {
            out.extend_from_slice(row);
            put(b'\t', out);
        }
        Notation::Delimiter(delimiter) => {
            out.extend_from_slice(row);
            put(delimiter, out);
        }
        Notation::Json(number) => {
            let brace = row.iter().rposition(|&byte| byte == b'}').unwrap_or(row.len());
            let is_empty = row[..brace].trim_ascii_end().ends_with(b"{");
            out.extend_from_slice(&row[..brace]);
            for (place, column) in columns.iter().enumerate() {
                out.extend_from_slice(if place == 0 && is_empty { b"\"" } else { b",\"" });
                out.extend_from_slice(extra_name(column.name, number).as_bytes());
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
            out.extend_from_slice(&row[brace..]);
        }
    }
    out.extend_from_slice(end);
}
