//! One budget for the memory of a run.
//!
//! The size that the caller gives is divided in a fixed way:
//!
//! ```text
//! 1/4   tables of the search for a record: the most that one may need, which decides what is answered
//! 1/4   the same again, for all records but the first that is not answered
//! 1/8   tables that threads keep from record to record, in equal shares
//! 3/16  chunks that are read and not written up, with their records
//! 1/16  text of an exact cover problem, and of any other record, while it is read
//! 1/16  the second engine's tables, where records are audited
//! 1/32  rows that wait for their turn
//! 1/32  solutions that parts of a search have found and that wait for those before them
//! ```
//!
//! Invariants an editor must keep:
//!
//! * What decides an answer is a function of the size alone: the limit of a record, the limit on text, that of an audit.
//!   What depends on the number of threads only decides who waits for whom.
//! * The tables of a record are bounded by what its engine says before it begins ([`EngineInfo::needs`]). What fits
//!   into a thread's share is made without asking; a *large* record asks for its bytes first ([`SearchMemory`]).
//! * The first record that is not answered gets its bytes whatever the others hold: these may wait for it to be written
//!   before they give anything back, and it must never wait for them.

use quadrille_engine::{EngineKind, Form};
use quadrille_formats::input::InputOptions;
use quadrille_model::{Error, Result};
use quadrille_model::{Limits, ProblemRef};

/// Maximum number of bytes of text after which a chunk is full. Places in a chunk are 32 bits, and the last record may add
/// [`InputOptions::MOST_RECORD_BYTES`].
const MOST_CHUNK_BYTES: usize = 1 << 30;

/// A run's memory at least; for each thread as much again.
const MEMORY_OF_THREAD: u64 = 8 << 20;
/// Parts of a thread's share: an engine for chunks, one for chunks in the midst of a search, one for parts of searches
/// and one that audits, of two kinds each.
const KEPT_TABLES: u64 = 8;
/// Chunks for which there is room, for each thread.
const CHUNKS_OF_THREAD: u64 = 4;
/// Bytes that a chunk takes for each byte and each record of it, with what is made of them: slots, candidates, solutions,
/// rows.
const BYTES_OF_BYTE: u64 = 12;
const BYTES_OF_RECORD: u64 = 512;
/// Records of a chunk whose solutions are listed, or the steps of whose ratings, each of which keeps some until the chunk is written.
const RECORDS_LISTED: u64 = 8;
/// Solutions of a record that is searched in parts are handed on in pieces of so many bytes at most.
const STREAM_BYTES: u64 = 1 << 20;

/// Returns the threads for which there is memory, where the caller wishes for so many: 0 for as many as there are cores.
///
/// # Errors
/// A usage error where the size is too small for one thread.
pub(crate) fn threads_within(size: Option<u64>, wished: usize) -> Result<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let wished = if wished > 0 { wished } else { cores() };
    let Some(size) = size else { return Ok(wished) };
    let most = usize::try_from(size / MEMORY_OF_THREAD).unwrap_or(usize::MAX);
    if most == 0 {
        let least = MEMORY_OF_THREAD >> 20;
        return Err(Error::usage(format!("{size} bytes of memory: a run takes {least}M for each thread")));
    }
    Ok(wished.min(most))
}

/// The division of a run's memory; without a limit, the sizes that a run has without one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryPlan {
    /// Bytes of everything.
    size: Option<u64>,
    threads: u64,
}

impl MemoryPlan {
    /// The division for so many threads, no more than [`threads_within`] allows.
    pub(crate) fn new(size: Option<u64>, threads: usize) -> Self {
        MemoryPlan { size, threads: threads as u64 }
    }

    /// Threads that answer records.
    pub(crate) fn threads(&self) -> usize {
        self.threads as usize
    }

    fn share(&self, of: u64) -> Option<u64> {
        self.size.map(|size| size / of)
    }

    /// Bytes that the tables of the search for a record may have on each thread.
    pub(crate) fn of_record(&self) -> Option<u64> {
        self.share(4)
    }

    /// Bytes that the tables which an engine keeps from record to record may have.
    pub(crate) fn kept(&self) -> Option<u64> {
        self.share(8 * KEPT_TABLES * self.threads)
    }

    /// Bytes that chunks may have together, by [`weight`](Self::weight).
    pub(crate) fn of_chunks(&self) -> Option<u64> {
        self.size.map(|size| size / 16 * 3)
    }

    /// The bytes of a chunk of so many bytes of text and so many records, with what is made of them.
    pub(crate) fn weight(bytes: usize, records: u64) -> u64 {
        BYTES_OF_BYTE.saturating_mul(bytes as u64).saturating_add(BYTES_OF_RECORD.saturating_mul(records))
    }

    /// Bytes of text in a chunk, where the caller wishes for so many.
    pub(crate) fn chunk_bytes(&self, wished: usize) -> usize {
        // Some six bytes for one of a record of a hundred bytes are those of the record.
        let room =
            self.share(16).map(|share| 3 * share / (CHUNKS_OF_THREAD * self.threads) / (BYTES_OF_BYTE + 6));
        at_most(wished.min(MOST_CHUNK_BYTES), room)
    }

    /// Records in a chunk, where solutions are listed, or steps of ratings.
    pub(crate) fn records_listed(&self) -> u64 {
        if self.size.is_some() { RECORDS_LISTED } else { u64::MAX }
    }

    /// Bytes of solutions that a record may have found before it counts as hard, so that they are handed on as they come.
    pub(crate) fn listed(&self) -> Option<u64> {
        self.share(1024)
    }

    /// Bytes of rows that may wait for their turn, where the caller wishes for so many.
    pub(crate) fn window_bytes(&self, wished: usize) -> usize {
        at_most(wished, self.share(32))
    }

    /// Bytes of solutions that may wait in the parts of one search.
    pub(crate) fn held(&self) -> Option<usize> {
        self.share(32 * self.threads).map(|bytes| at_most(usize::MAX, Some(bytes)))
    }

    /// Bytes of solutions of a record that is searched in parts after which they are handed on.
    pub(crate) fn streamed(&self) -> usize {
        at_most(STREAM_BYTES as usize, self.share(64 * self.threads))
    }

    /// The options of input, within the limits on text.
    pub(crate) fn input(&self, options: &InputOptions) -> InputOptions {
        let text = self.share(16);
        InputOptions {
            max_record_bytes: at_most(options.max_record_bytes, text),
            max_cover_bytes: match text {
                Some(text) => at_most(usize::MAX, Some(text)),
                None => options.max_cover_bytes,
            },
            ..options.clone()
        }
    }

    /// True if there is a budget.
    pub(crate) fn is_limited(&self) -> bool {
        self.size.is_some()
    }

    /// The limits of a search of a problem by an engine, and the bytes that it has to ask for before it begins: 0 where
    /// its tables are within what a thread may keep, or are not made because they are above the limit of a record.
    pub(crate) fn of_search(
        &self,
        problem: ProblemRef<'_>,
        kind: EngineKind,
        limits: Limits,
    ) -> (Limits, u64) {
        let Some((record, kept)) = self.of_record().zip(self.kept()) else { return (limits, 0) };
        let bytes = match kind.info().form {
            Form::Search(_) => (kind.info().needs)(problem),
            // It remembers as much as it may.
            Form::Counter(_) => record,
            Form::Stream(_) => 0,
        };
        // Tables within either limit are the same: a search that keeps them asks how many more it may keep.
        let memory = Some(if bytes <= kept { kept } else { record });
        let asked = if bytes <= kept || bytes > record { 0 } else { bytes };
        (Limits { memory, ..limits }, asked)
    }

    /// The limits of a second engine's search, and whether it has to be the only one: where its tables are more than a
    /// thread may keep.
    pub(crate) fn of_audit(
        &self,
        problem: ProblemRef<'_>,
        kind: EngineKind,
        limits: Limits,
    ) -> (Limits, bool) {
        let Some((most, kept)) = self.share(16).zip(self.kept()) else { return (limits, false) };
        let bytes = (kind.info().needs)(problem);
        let memory = Some(if bytes <= kept { kept } else { most });
        (Limits { memory, ..limits }, bytes > kept && bytes <= most)
    }

    /// True if the memory of a chunk of so many bytes of text is kept for the next one.
    pub(crate) fn may_recycle(&self, bytes: usize) -> bool {
        !self.is_limited() || bytes <= 2 * self.chunk_bytes(usize::MAX)
    }
}

fn at_most(wished: usize, room: Option<u64>) -> usize {
    room.map_or(wished, |room| wished.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1))
}

/// Bytes that a search holds.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct Held {
    bytes: u64,
    /// Out of what is kept for the first record that is not answered.
    is_first: bool,
}

impl Held {
    /// True if these are any.
    pub(crate) fn is_any(&self) -> bool {
        self.bytes > 0
    }
}

/// The bytes of the tables of large records that are searched.
#[derive(Debug)]
pub(crate) struct SearchMemory {
    /// Bytes that all but the first record may have together, and that the first may have.
    size: u64,
    others: u64,
    first: u64,
}

impl SearchMemory {
    pub(crate) fn new(plan: &MemoryPlan) -> Self {
        SearchMemory { size: plan.of_record().unwrap_or(u64::MAX), others: 0, first: 0 }
    }

    /// True if so many bytes can be had now. No record asks for more than [`MemoryPlan::of_record`].
    pub(crate) fn has(&self, bytes: u64, is_first: bool) -> bool {
        bytes <= self.size - self.others || (is_first && self.first == 0)
    }

    /// Takes so many bytes, which can be had.
    pub(crate) fn take(&mut self, bytes: u64, is_first: bool) -> Held {
        let is_first = is_first && bytes > self.size - self.others;
        *self.part(is_first) += bytes;
        Held { bytes, is_first }
    }

    /// Gives all but so many bytes back; true if there are any.
    pub(crate) fn keep(&mut self, held: &mut Held, bytes: u64) -> bool {
        let back = held.bytes.saturating_sub(bytes);
        *self.part(held.is_first) -= back;
        held.bytes -= back;
        back > 0
    }

    fn part(&mut self, is_first: bool) -> &mut u64 {
        if is_first { &mut self.first } else { &mut self.others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_answers_does_not_depend_on_threads() {
        let [one, many] = [1, 32].map(|threads| MemoryPlan::new(Some(256 << 20), threads));
        assert_eq!(one.of_record(), many.of_record());
        let input = InputOptions::default();
        assert_eq!(one.input(&input), many.input(&input));
    }

    #[test]
    fn there_is_a_thread_for_every_8_mib() {
        let within = |size: u64, wished| threads_within(Some(size << 20), wished).unwrap();
        assert_eq!([within(256, 1000), within(256, 3), within(15, 8)], [32, 3, 1]);
        assert!(threads_within(None, 0).unwrap() > 0);
        let error = threads_within(Some((8 << 20) - 1), 1).unwrap_err().to_string();
        assert_eq!(error, "8388607 bytes of memory: a run takes 8M for each thread");
    }

    #[test]
    fn a_run_without_a_limit_is_as_its_caller_wishes() {
        let plan = MemoryPlan::new(None, 7);
        assert_eq!((plan.threads(), plan.of_record(), plan.kept(), plan.of_chunks()), (7, None, None, None));
        assert_eq!((plan.chunk_bytes(5), plan.window_bytes(6), plan.streamed()), (5, 6, 1 << 20));
        assert_eq!(plan.input(&InputOptions::default()), InputOptions::default());
        assert!(SearchMemory::new(&plan).has(0, false));
    }

    #[test]
    fn the_first_record_never_waits_for_others() {
        let mut memory = SearchMemory::new(&MemoryPlan::new(Some(400 << 20), 4));
        let mut others = memory.take(60 << 20, false);
        assert!(memory.has(40 << 20, false) && !memory.has(41 << 20, false));
        assert!(memory.has(100 << 20, true));
        let mut first = memory.take(100 << 20, true);
        assert!(!memory.has(100 << 20, true), "there is one first record");
        assert!(memory.has(40 << 20, true), "which may have what others may");
        assert!(memory.keep(&mut first, 1 << 20) && !memory.keep(&mut first, 1 << 20));
        assert!(memory.keep(&mut others, 0) && memory.has(100 << 20, false));
    }
}
