//! The output of a chunk: rows, rejects, messages and statistics.

use std::sync::Arc;

use crate::stats::Statistics;
use quadrille_formats::input::Position;
use quadrille_formats::output::{Formatter, Notation, Row};
use quadrille_model::{Location, Losses, Status};

/// The rejected record that ends a part of a chunk's output, for runs with a limit on rejects.
#[derive(Debug)]
pub(crate) struct Reject {
    pub place: Location,
    pub reason: String,
}

/// Hashes by which a record is compared with others, one per kind.
///
/// `None` for a kind of hash that the record does not have.
pub type Keys = [Option<u128>; 3];

/// A record that is compared with others, with the end of its rows.
#[derive(Debug)]
#[non_exhaustive]
pub struct KeyMark {
    /// Number of the record over the whole run, 1-based.
    pub index: u64,
    /// Hashes of the record.
    pub keys: Keys,
    /// Hash of the text of the record as it is in the input.
    pub text: u128,
    /// Verdict on the record.
    pub status: Status,
    /// Notation in which columns are appended to its rows.
    pub notation: Notation,
    /// Bytes of rows up to and including those of the record.
    pub rows_end: usize,
}

/// Rows, rejects, messages and statistics of a chunk or a part of it.
#[derive(Debug, Default)]
pub(crate) struct ChunkOutput {
    /// Rows as written.
    pub rows: Vec<u8>,
    /// Lines for the rejects file.
    pub rejects: Vec<u8>,
    /// Lines for standard error.
    pub notices: Vec<String>,
    /// Parts that come before this one. Each ends with a reject, at which the run may stop.
    pub earlier: Vec<ChunkOutput>,
    /// The rejected record at the end of this part, if their number is limited.
    pub reject: Option<Reject>,
    /// Results of each record in the form of `--outcomes-out`, if requested.
    pub outcomes: Vec<u8>,
    /// Records that are compared with others, if the run compares.
    pub keys: Vec<KeyMark>,
    /// Statistics of the records in this part.
    pub statistics: Statistics,
    /// Number of rows.
    pub row_count: u64,
    /// Number of records accounted for in this part.
    pub answered: u64,
    /// Name of the source, for errors.
    pub source: Arc<str>,
    /// True if the run was stopped and the output ends here.
    pub cut: bool,
    /// Working time of the thread that answered the records, in nanoseconds.
    pub busy_ns: u64,
    /// Number of decompressed bytes of the chunk, if this is its last part.
    pub extent: u64,
    /// Position in the input after the chunk, if this is its last part.
    pub end: Option<Position>,
}

impl ChunkOutput {
    /// Creates an empty output whose statistics keep up to `top` hardest records.
    pub(crate) fn new(top: usize) -> Self {
        ChunkOutput { statistics: Statistics::new(top), ..ChunkOutput::default() }
    }

    /// Returns the parts that are written one by one, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &ChunkOutput> {
        self.earlier.iter().chain([self])
    }

    /// Returns true if any record of these parts was answered or rejected.
    pub(crate) fn has_records(&self) -> bool {
        self.parts().any(|part| part.statistics.answered() + part.statistics.rejected() > 0)
    }

    /// Ends the current part with a rejected record, and starts the next part.
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

    /// Returns true for the last part of a chunk.
    pub(crate) fn is_last(&self) -> bool {
        self.end.is_some()
    }

    /// Counts the values of a row that its conversion lost and, if it `may_lose` any, those that the output cannot hold.
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
        self.statistics.record_losses(lost);
    }

    /// Empties the output, keeping the memory of its rows and its hardest records.
    pub(crate) fn clear(&mut self, top: usize) {
        self.rows.clear();
        let ChunkOutput { rows, statistics, .. } = std::mem::take(self);
        *self = ChunkOutput { rows, statistics: statistics.renewed(top), ..ChunkOutput::default() };
    }
}
