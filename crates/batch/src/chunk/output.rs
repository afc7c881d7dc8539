//! The output of a chunk: rows, rejects, messages and statistics.

use std::sync::Arc;

use crate::stats::Statistics;
use quadrille_formats::input::Position;
use quadrille_formats::output::Notation;
use quadrille_model::Location;
use quadrille_model::Status;

/// The end of a rejected record in the output, for runs that allow only so many.
#[derive(Debug)]
pub(crate) struct RejectMark {
    pub place: Location,
    pub reason: String,
    /// Length of the rows and the rejects up to and with it.
    pub rows_end: usize,
    pub rejects_end: usize,
}

/// The hashes by which a record is compared with others, each of another kind; `None` where it has none of this kind.
pub type Keys = [Option<u128>; 3];

/// A record that is compared with others, and the end of its rows.
#[derive(Debug)]
pub struct KeyMark {
    /// Number over the whole run, from 1.
    pub index: u64,
    /// The keys.
    pub keys: Keys,
    /// The verdict on it.
    pub status: Status,
    /// The way in which columns are put behind its rows.
    pub notation: Notation,
    /// Length of the rows up to and with its own.
    pub rows_end: usize,
}

/// Rows, rejects, messages and statistics of a chunk, or of a part of it.
#[derive(Debug, Default)]
pub(crate) struct ChunkOutput {
    /// Rows.
    pub rows: Vec<u8>,
    /// Lines for the rejects file.
    pub rejects: Vec<u8>,
    /// Lines for standard error.
    pub notices: Vec<String>,
    /// Rejected records, where their number is limited.
    pub marks: Vec<RejectMark>,
    /// What came of each record, where that is asked for.
    pub traces: Vec<u8>,
    /// Records, where they are compared with others.
    pub keys: Vec<KeyMark>,
    /// Records, answers and counters.
    pub statistics: Statistics,
    /// Number of the rows.
    pub row_count: u64,
    /// Records that are accounted for in this part.
    pub answered: u64,
    /// The source's name, for errors.
    pub source: Arc<str>,
    /// The run was stopped: the output ends here.
    pub cut: bool,
    /// Nanoseconds of the thread that answered them.
    pub busy_ns: u64,
    /// The position of the input behind them, if they are the last of their chunk.
    pub end: Option<Position>,
}

impl ChunkOutput {
    /// An empty one, whose statistics keep so many hardest records.
    pub(crate) fn new(top: usize) -> Self {
        ChunkOutput { statistics: Statistics::new(top), ..ChunkOutput::default() }
    }

    /// True for the last part of a chunk.
    pub(crate) fn is_last(&self) -> bool {
        self.end.is_some()
    }

    /// Empties it, keeping its memory.
    pub(crate) fn clear(&mut self, top: usize) {
        self.rows.clear();
        self.rejects.clear();
        self.notices.clear();
        self.marks.clear();
        self.keys.clear();
        self.traces.clear();
        self.statistics.clear(top);
        self.row_count = 0;
        self.answered = 0;
        self.cut = false;
        self.busy_ns = 0;
        self.end = None;
    }
}
