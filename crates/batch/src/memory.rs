//! Divides the memory of a run.
//!
//! The size given by the caller is divided in fixed shares:
//!
//! ```text
//! 1/4   tables of the search for one record: the maximum that one may need, which decides what is answered
//! 1/4   the same again, for all records except the first unanswered one
//! 1/8   tables that threads keep from record to record, in equal shares
//! 3/16  chunks that are read but not written, with their records
//! 1/16  text of an exact cover problem, and of any other record, while it is read
//! 1/16  tables of the second engine, if records are audited; or the images of one record
//! 1/32  rows that wait for their turn
//! 1/32  solutions that parts of a search found and that wait for earlier ones
//! ```
//!
//! Invariants to keep:
//!
//! * Limits that can decide an answer (on a record, text, images and an audit) depend only on the size. Amounts that
//!   depend on the number of threads only decide which thread waits for which.
//! * The tables of a record are bounded by what its engine declares before it begins ([`EngineInfo::needs`]). Tables
//!   within a thread's share are made without asking; a *large* record first requests its bytes ([`SearchMemory`]).
//! * The first unanswered record gets its bytes even if the other records hold all of theirs. Those may wait until the
//!   first is written before they release anything, so the first must never wait for them.

use crate::stats::number_of;
use quadrille_engine::{EngineImpl, EngineKind};
use quadrille_formats::input::InputOptions;
use quadrille_model::{Limits, ProblemRef, Result, usage};

/// Number of bytes of text at which a chunk is full, even if the options allow a larger chunk.
///
/// Offsets in a chunk have 32 bits, and the last record may add [`InputOptions::MAX_RECORD_BYTES`].
const MAX_CHUNK_BYTES: usize = 1 << 30;

/// Minimum memory per thread of a run, in bytes.
const MEMORY_OF_THREAD: u64 = 8 << 20;
/// Maximum number of engines of one thread that keep tables. The thread's share of the memory is divided
/// among them.
///
/// There are two kinds of engine for each of four purposes: chunks, chunks during a search, parts of split
/// searches, and audits.
const KEPT_TABLES: u64 = 8;
/// Number of chunks per thread that fit into the memory for chunks.
const CHUNKS_OF_THREAD: u64 = 4;
/// Bytes of memory that a chunk needs per byte of its text. The memory holds the states of records,
/// candidates, solutions and rows.
const BYTES_OF_BYTE: u64 = 12;
/// Bytes of memory that a chunk takes per record, in addition to [`BYTES_OF_BYTE`] per byte of text.
const BYTES_OF_RECORD: u64 = 512;
/// Maximum number of records per chunk if each record's solutions or rating steps are listed and memory is
/// limited.
///
/// A record keeps some of its solutions or steps in memory until its chunk is written.
const RECORDS_LISTED: u64 = 8;
/// Maximum total size of one record's images (equivalent grids), in bytes.
const IMAGES_BYTES: usize = 1 << 30;
/// Maximum number of bytes of solutions in one piece of early output.
///
/// If a record's search is split into parts, its solutions are written in pieces before the search ends.
const STREAM_BYTES: u64 = 1 << 20;

/// Returns the number of threads that fit into a memory of `size` bytes. The result is at most `wished`.
///
/// A `wished` of 0 means one thread per core.
///
/// # Errors
/// Returns a usage error if `size` is too small for one thread.
pub(crate) fn threads_within(size: Option<u64>, wished: usize) -> Result<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let wished = if wished > 0 { wished } else { cores() };
    let Some(size) = size else { return Ok(wished) };
    let most = usize::try_from(size / MEMORY_OF_THREAD).unwrap_or(usize::MAX);
    if most == 0 {
        let least = MEMORY_OF_THREAD >> 20;
        return Err(usage!(
            "{} of memory is too little: a run needs {least}M for each thread",
            number_of(size, "byte")
        ));
    }
    Ok(wished.min(most))
}

/// Plan that divides the memory of a run among its uses.
///
/// Without a memory limit, the methods return the sizes of an unlimited run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryPlan {
    /// Memory limit in bytes, or `None` if the run has no limit.
    size: Option<u64>,
    threads: u64,
}

impl MemoryPlan {
    /// Creates the plan that divides `size` bytes among `threads` threads.
    ///
    /// `threads` must be at most the number that [`threads_within`] returns.
    pub(crate) fn new(size: Option<u64>, threads: usize) -> Self {
        MemoryPlan { size, threads: threads as u64 }
    }

    /// Returns the number of threads that answer records.
    pub(crate) fn threads(&self) -> usize {
        self.threads as usize
    }

    fn share(&self, of: u64) -> Option<u64> {
        self.size.map(|size| size / of)
    }

    /// Returns the maximum size, in bytes, of the tables that the search for one record may use.
    ///
    /// Returns `None` without a memory limit.
    pub(crate) fn of_record(&self) -> Option<u64> {
        self.share(4)
    }

    /// Returns the maximum size, in bytes, of the tables that an engine keeps for later records.
    ///
    /// Returns `None` without a memory limit.
    pub(crate) fn kept(&self) -> Option<u64> {
        self.share(8 * KEPT_TABLES * self.threads)
    }

    /// Returns the maximum size, in bytes, of all chunks together, as measured by [`weight`](Self::weight).
    ///
    /// Returns `None` without a memory limit.
    pub(crate) fn of_chunks(&self) -> Option<u64> {
        self.size.map(|size| size / 16 * 3)
    }

    /// Returns the memory that a chunk takes, in bytes. This includes all data made from the chunk's text.
    ///
    /// The text has `bytes` bytes and contains `records` records.
    pub(crate) fn weight(bytes: usize, records: u64) -> u64 {
        BYTES_OF_BYTE.saturating_mul(bytes as u64).saturating_add(BYTES_OF_RECORD.saturating_mul(records))
    }

    /// Returns the maximum number of bytes of text per chunk. The result is at most `wished`.
    pub(crate) fn chunk_bytes(&self, wished: usize) -> usize {
        // Apart from `BYTES_OF_BYTE`, a record of 100 bytes needs about 6 bytes of memory per byte of its
        // text.
        let room =
            self.share(16).map(|share| 3 * share / (CHUNKS_OF_THREAD * self.threads) / (BYTES_OF_BYTE + 6));
        at_most(wished.min(MAX_CHUNK_BYTES), room)
    }

    /// Returns the maximum number of records per chunk if each record's solutions or rating steps are listed.
    pub(crate) fn records_listed(&self) -> u64 {
        if self.size.is_some() { RECORDS_LISTED } else { u64::MAX }
    }

    /// Returns the maximum size, in bytes, of one record's solutions in memory.
    ///
    /// A record whose solutions exceed this size is treated as hard: its solutions are written before its
    /// search ends. Returns `None` if the run has no memory limit.
    pub(crate) fn listed(&self) -> Option<u64> {
        self.share(1024)
    }

    /// Returns the maximum size, in bytes, of rows that wait until earlier rows are written. The result is at
    /// most `wished`.
    pub(crate) fn window_bytes(&self, wished: usize) -> usize {
        at_most(wished, self.share(32))
    }

    /// Returns the maximum number of bytes of solutions that the parts of one search may keep in memory until
    /// these solutions can be written.
    ///
    /// Returns `None` without a memory limit.
    pub(crate) fn held(&self) -> Option<usize> {
        self.share(32 * self.threads).map(|bytes| at_most(usize::MAX, Some(bytes)))
    }

    /// Returns the maximum total size, in bytes, of one record's images (equivalent grids).
    pub(crate) fn images(&self) -> usize {
        at_most(IMAGES_BYTES, self.share(16))
    }

    /// Returns the maximum number of bytes of solutions in one piece of early output.
    ///
    /// If a record's search is split into parts, its solutions are written in pieces before the search ends.
    pub(crate) fn streamed(&self) -> usize {
        at_most(STREAM_BYTES as usize, self.share(64 * self.threads))
    }

    /// Returns the input options, with limits on text that fit into the memory of the run.
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

    /// Returns true if there is a memory limit.
    pub(crate) fn is_limited(&self) -> bool {
        self.size.is_some()
    }

    /// Returns the limits of a search, and the number of bytes that must be reserved before the search
    /// begins.
    ///
    /// The number is 0 if the tables of the search fit into one thread's share of the memory. The number is
    /// also 0 if the tables would exceed the limit per record, because such tables are not made.
    pub(crate) fn of_search(
        &self,
        problem: ProblemRef<'_>,
        kind: EngineKind,
        limits: Limits,
    ) -> (Limits, u64) {
        self.of_tables(self.of_record(), problem, kind, limits)
    }

    /// Returns the limits of a search whose tables may have at most `most` bytes, and the number of bytes
    /// that must be reserved because they exceed a thread's share.
    fn of_tables(
        &self,
        most: Option<u64>,
        problem: ProblemRef<'_>,
        kind: EngineKind,
        limits: Limits,
    ) -> (Limits, u64) {
        let Some((most, kept)) = most.zip(self.kept()) else { return (limits, 0) };
        let bytes = match kind.info().form {
            EngineImpl::Search(_) => (kind.info().needs)(problem),
            // A counter uses all memory that it may use.
            EngineImpl::Counter(_) => most,
            EngineImpl::Stream(_) => 0,
        };
        // The memory limit also covers tables that the engine keeps from earlier problems. If the tables for
        // this problem fit into a thread's share, the share is the limit. Otherwise, `most` is the limit. The
        // value of the limit does not change the tables, as long as they fit.
        let memory = Some(if bytes <= kept { kept } else { most });
        let asked = if bytes <= kept || bytes > most { 0 } else { bytes };
        (Limits { memory, ..limits }, asked)
    }

    /// Returns the limits of the search in an audit, and a flag. The flag is true if the tables of the search
    /// exceed a thread's share of the memory.
    ///
    /// If the flag is true, no other such audit may run at the same time.
    pub(crate) fn of_audit(
        &self,
        problem: ProblemRef<'_>,
        kind: EngineKind,
        limits: Limits,
    ) -> (Limits, bool) {
        let (limits, bytes) = self.of_tables(self.share(16), problem, kind, limits);
        (limits, bytes > 0)
    }

    /// Returns true if the memory of a chunk with `bytes` bytes of text may be reused for later chunks.
    pub(crate) fn may_recycle(&self, bytes: usize) -> bool {
        !self.is_limited() || bytes <= 2 * self.chunk_bytes(usize::MAX)
    }
}

fn at_most(wished: usize, room: Option<u64>) -> usize {
    room.map_or(wished, |room| wished.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1))
}

/// Memory that one search has reserved.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct MemoryGrant {
    bytes: u64,
    /// True if the memory is reserved in the separate share of the first unanswered record.
    is_first: bool,
}

impl MemoryGrant {
    /// Returns true if the search has reserved any bytes.
    pub(crate) fn is_any(&self) -> bool {
        self.bytes > 0
    }
}

/// Memory that all searches with large tables have reserved together.
#[derive(Debug, Default)]
pub(crate) struct SearchMemory {
    /// Limit in bytes. One such limit applies to the first unanswered record. Another limit of the same size
    /// applies to all other records together.
    size: u64,
    /// Number of reserved bytes that are not counted in `first`.
    others: u64,
    /// Number of bytes reserved for the first unanswered record beyond the limit of `others`, or 0 if its
    /// bytes are counted in `others`.
    first: u64,
}

impl SearchMemory {
    pub(crate) fn new(plan: &MemoryPlan) -> Self {
        SearchMemory { size: plan.of_record().unwrap_or(u64::MAX), others: 0, first: 0 }
    }

    /// Returns true if `bytes` bytes can be reserved now.
    ///
    /// A record never requests more than [`MemoryPlan::of_record`].
    pub(crate) fn has(&self, bytes: u64, is_first: bool) -> bool {
        bytes <= self.size - self.others || (is_first && self.first == 0)
    }

    /// Reserves `bytes` bytes.
    ///
    /// The caller must first check with [`has`](Self::has) that the bytes are free.
    pub(crate) fn take(&mut self, bytes: u64, is_first: bool) -> MemoryGrant {
        let is_first = is_first && bytes > self.size - self.others;
        *self.part(is_first) += bytes;
        MemoryGrant { bytes, is_first }
    }

    /// Reduces a reservation to at most `bytes` bytes. Returns true if this released any memory.
    pub(crate) fn keep(&mut self, held: &mut MemoryGrant, bytes: u64) -> bool {
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
    fn limits_that_decide_answers_do_not_depend_on_threads() {
        let [one, many] = [1, 32].map(|threads| MemoryPlan::new(Some(256 << 20), threads));
        assert_eq!(one.of_record(), many.of_record());
        let input = InputOptions::default();
        assert_eq!(one.input(&input), many.input(&input));
    }

    #[test]
    fn each_thread_needs_8_mib() {
        let within = |size: u64, wished| threads_within(Some(size << 20), wished).unwrap();
        assert_eq!([within(256, 1000), within(256, 3), within(15, 8)], [32, 3, 1]);
        assert!(threads_within(None, 0).unwrap() > 0);
        let error = threads_within(Some((8 << 20) - 1), 1).unwrap_err().to_string();
        assert_eq!(error, "8,388,607 bytes of memory is too little: a run needs 8M for each thread");
    }

    #[test]
    fn a_run_without_a_limit_has_the_threads_asked_for() {
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
