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
use crate::stats::Statistics;
use quadrille_engine::Control;
use quadrille_formats::output::Notation;
use quadrille_model::{Error, ErrorKind, Result};

/// A filter for the rows of a run. It receives them in the order of the records and decides which rows to
/// write.
pub trait RowFilter: Send {
    /// Receives the rows of the next record. Appends to `out` the rows that can be written now, and returns
    /// the number of appended rows.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read or written.
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64>;

    /// Returns the journal entries of all records since the caller last cleared the journal.
    ///
    /// [`restore`](Self::restore) rebuilds the state of the filter from these entries. Returns `None` if the
    /// filter holds rows that are not written yet, because the journal does not contain rows. Also returns
    /// `None` if the filter does not support `restore`.
    fn journal(&mut self) -> Option<&mut Vec<u8>> {
        None
    }

    /// Returns the size of one record's journal entry, in bytes.
    fn journal_entry(&self) -> usize {
        1
    }

    /// Reads the next part of the journal that an earlier run wrote. Called only if this run resumes the
    /// earlier run.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be used, or if the bytes are not a journal.
    fn restore(&mut self, journal: &[u8]) -> Result<()> {
        let _ = journal;
        Err(Error::usage("the state of this comparison cannot be restored"))
    }

    /// Adds the results of the comparison to the statistics at the end of the run.
    fn account(&self, statistics: &mut Statistics) {
        let _ = statistics;
    }

    /// Writes the rows that the filter still holds at the end of the run. Ends early if the run is stopped.
    ///
    /// # Errors
    /// Returns an error if a temporary file or the output fails.
    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<FilterTail> {
        let _ = (control, write);
        Ok(FilterTail::NONE)
    }
}

/// Result of writing the remaining rows of a filter at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterTail {
    /// Number of rows.
    pub rows: u64,
    /// True if some rows were not written because the run was stopped.
    pub is_cut: bool,
}

impl FilterTail {
    /// Result of a filter that has no rows left to write.
    const NONE: FilterTail = FilterTail { rows: 0, is_cut: false };
    /// Result of a filter that was stopped before it wrote any rows.
    const STOPPED: FilterTail = FilterTail { rows: 0, is_cut: true };
}

/// Returns the value of `result`, or `None` if the error is that the run was stopped.
fn unless_stopped<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::Stopped) => Ok(None),
        result => result.map(Some),
    }
}

/// Passes the remaining rows to `make`, and writes the rows that `make` produces. Ends early if the run is
/// stopped.
///
/// `make` appends its rows to the buffer and returns their number.
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

/// Number of bytes after which the collected rows are written.
const BLOCK: usize = 1 << 16;

/// Writes the rows in the buffer and clears it.
fn write_block(write: &mut dyn FnMut(&[u8]) -> io::Result<()>, rows: &mut Vec<u8>) -> Result<()> {
    write(rows).map_err(|cause| Error::io("writing", "the output", 0, cause))?;
    rows.clear();
    Ok(())
}
