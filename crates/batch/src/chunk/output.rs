//! The output of a chunk: rows, rejects, messages and statistics.

use std::sync::Arc;

use crate::stats::Statistics;
use quadrille_formats::input::Position;
use quadrille_formats::output::{Formatter, Notation, Row};
use quadrille_model::{Location, Losses, Status};

/// A rejected record at which a part of a chunk's output ends. The output is divided into parts only if the
/// number of rejects is limited.
#[derive(Debug)]
pub(crate) struct Reject {
    pub place: Location,
    pub reason: String,
}

/// Hashes for comparing a record with other records. Each position of the array is for one kind of hash.
///
/// An entry is `None` if the record does not have this kind of hash.
pub type Keys = [Option<u128>; 3];

/// A record that is compared with others, and the position at which its rows end.
#[derive(Debug)]
#[non_exhaustive]
pub struct KeyMark {
    /// 1-based number of the record in the whole run.
    pub index: u64,
    /// Hashes of the record.
    pub keys: Keys,
    /// Hash of the record's text in the input.
    pub text: u128,
    /// Verdict on the record.
    pub status: Status,
    /// Notation in which columns are appended to the record's rows.
    pub notation: Notation,
    /// Position, in bytes from the start of the chunk's rows, at which this record's rows end.
    pub rows_end: usize,
}

/// Rows, rejects, messages and statistics of a chunk or of a part of a chunk.
#[derive(Debug, Default)]
pub(crate) struct ChunkOutput {
    /// 0-based index of the chunk in the input.
    pub sequence: u64,
    /// Rows as written.
    pub rows: Vec<u8>,
    /// Lines for the rejects file.
    pub rejects: Vec<u8>,
    /// Lines for standard error.
    pub notices: Vec<String>,
    /// Earlier parts of the chunk's output. Each part ends with a rejected record, after which the run may
    /// stop.
    pub earlier: Vec<ChunkOutput>,
    /// Rejected record at which this part ends. Only set if the number of rejects is limited.
    pub reject: Option<Reject>,
    /// Outcome of each record in the format of `--outcomes-out`, or empty if not requested.
    pub outcomes: Vec<u8>,
    /// Records that are compared with others, or empty if the run is not a comparison.
    pub keys: Vec<KeyMark>,
    /// Statistics of the records in this part.
    pub statistics: Statistics,
    /// Number of rows.
    pub row_count: u64,
    /// Number of answered or rejected records in this part.
    pub answered: u64,
    /// Name of the source, used in error messages.
    pub source: Arc<str>,
    /// True if the output ends here because the run was stopped.
    pub cut: bool,
    /// Time, in nanoseconds, that a thread needed to answer the records.
    pub busy_ns: u64,
    /// Number of decompressed bytes of the whole chunk. Only set in the last part of its output.
    pub extent: u64,
    /// Position in the input after the chunk. Only set in the last part of its output.
    pub end: Option<Position>,
}

impl ChunkOutput {
    /// Creates an empty output whose statistics list at most `top` hardest records.
    pub(crate) fn new(top: usize) -> Self {
        ChunkOutput { statistics: Statistics::new(top), ..ChunkOutput::default() }
    }

    /// Returns the parts of this output in the order in which they are written.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &ChunkOutput> {
        self.earlier.iter().chain([self])
    }

    /// Returns the number of bytes of rows and rejects.
    pub(crate) fn bytes(&self) -> usize {
        self.parts().map(|part| part.rows.len() + part.rejects.len()).sum()
    }

    /// Returns true if any record in these parts was answered or rejected.
    pub(crate) fn has_records(&self) -> bool {
        self.parts().any(|part| part.statistics.answered() + part.statistics.rejected() > 0)
    }

    /// Ends the current part at a rejected record and starts the next part.
    pub(crate) fn end_part(&mut self, top: usize, reject: Reject) {
        let next = ChunkOutput {
            earlier: std::mem::take(&mut self.earlier),
            source: Arc::clone(&self.source),
            answered: std::mem::take(&mut self.answered),
            ..ChunkOutput::new(top)
        };
        let part = std::mem::replace(self, next);
        self.earlier.push(ChunkOutput { reject: Some(reject), ..part });
    }

    /// Returns true if this is the last part of a chunk's output.
    pub(crate) fn is_last(&self) -> bool {
        self.end.is_some()
    }

    /// Counts the values that were lost when the puzzle of a row was converted.
    ///
    /// If `may_lose` is true, also counts the values of the row that the output format cannot hold.
    pub(crate) fn note_losses(&mut self, formatter: &dyn Formatter, row: &Row<'_>, may_lose: bool) {
        let mut lost = row.converted.map_or_else(Losses::default, |(_, lost)| lost);
        if may_lose {
            formatter.losses(row, &mut |loss, column| {
                lost.add_if(loss, true);
                if !column.is_empty() {
                    self.statistics.record_unplaced(row.source, column);
                }
            });
        }
        for loss in lost.iter() {
            *self.statistics.losses.entry(loss.word()).or_default() += 1;
        }
    }

    /// Empties the output. Keeps the memory allocated for its rows and for its list of hardest records.
    pub(crate) fn clear(&mut self, top: usize) {
        self.rows.clear();
        let ChunkOutput { rows, statistics, .. } = std::mem::take(self);
        *self = ChunkOutput { rows, statistics: statistics.renewed(top), ..ChunkOutput::default() };
    }
}
