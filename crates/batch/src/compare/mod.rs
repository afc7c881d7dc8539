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

    /// Writes the remaining rows at the end of the run, if any.
    ///
    /// Stops early if the run is stopped.
    ///
    /// # Errors
    /// Returns an error of temporary files or of writing.
    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<FilterTail> {
        let _ = (control, write);
        Ok(FilterTail::NONE)
    }
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

/// Number of bytes of rows that are written at once.
const BLOCK: usize = 1 << 16;

/// Writes the rows and clears the buffer.
fn write_block(write: &mut dyn FnMut(&[u8]) -> io::Result<()>, rows: &mut Vec<u8>) -> Result<()> {
    write(rows).map_err(|cause| Error::io("writing", "the output", 0, cause))?;
    rows.clear();
    Ok(())
}
