//! Counters of a run that a progress display reads while the run continues.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use quadrille_engine::parallel::Split;
use quadrille_formats::input::ReadProgress;
use quadrille_rating::Tenths;

/// Counters of a run, written by its threads and read by a display. Clones refer to the same run.
#[derive(Debug, Clone)]
pub struct Progress(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    answered: AtomicU64,
    /// Number of decompressed bytes of answered chunks.
    answered_bytes: AtomicU64,
    /// Number of bytes of `answered_bytes` whose rows are written.
    written_bytes: AtomicU64,
    /// Number of bytes of rows written, before compression.
    rows_bytes: AtomicU64,
    /// Number of records that the last checkpoint covers; 0 without one.
    saved: AtomicU64,
    started: Instant,
    reading: Mutex<Option<ReadProgress>>,
    /// The record that each thread searches.
    searching: Vec<Searching>,
    /// Records that are searched in parts.
    split: Mutex<Vec<InParts>>,
}

/// The record that a thread searches.
#[derive(Debug, Default)]
struct Searching {
    /// Number of the record, or 0 if the thread searches none.
    record: AtomicU64,
    /// Start of the search in milliseconds.
    since: AtomicU64,
    /// Minimum rating, in tenths, of the step that the thread looks for; 0 if it is unknown.
    least: AtomicU8,
}

/// A record that is searched in parts, while the parts exist.
#[derive(Debug)]
struct InParts {
    record: u64,
    parts: Weak<Split>,
    threads: Arc<AtomicUsize>,
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new(0)
    }
}

impl Progress {
    /// Creates the counters of a run that show at most `threads` threads.
    pub fn new(threads: usize) -> Self {
        Progress(Arc::new(Counters {
            answered: AtomicU64::new(0),
            answered_bytes: AtomicU64::new(0),
            written_bytes: AtomicU64::new(0),
            rows_bytes: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            started: Instant::now(),
            reading: Mutex::new(None),
            searching: (0..threads).map(|_| Default::default()).collect(),
            split: Mutex::default(),
        }))
    }

    /// Returns the number of records answered so far.
    pub fn answered(&self) -> u64 {
        self.0.answered.load(Ordering::Relaxed)
    }

    /// Returns true if the rows of answered chunks wait to be written.
    pub fn is_writing(&self) -> bool {
        let written = self.0.written_bytes.load(Ordering::Relaxed);
        written < self.0.answered_bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes of rows written so far by this run and those before it, before compression.
    pub fn rows_bytes(&self) -> u64 {
        self.0.rows_bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of records that the last checkpoint covers, whose rows are on disk; 0 without a checkpoint.
    pub fn saved(&self) -> u64 {
        self.0.saved.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes read so far and, if known, of all sources.
    pub fn bytes(&self) -> (u64, Option<u64>) {
        self.with_reading(|reading| (reading.bytes_read(), reading.total_bytes())).unwrap_or((0, None))
    }

    /// Returns the number of records passed so far that an earlier run answered.
    ///
    /// [`answered`](Self::answered) does not count these records.
    pub fn earlier(&self) -> u64 {
        self.with_reading(|reading| reading.earlier().0).unwrap_or(0)
    }

    /// Returns the bytes of input that an earlier run answered (as far as this run has passed them), and the bytes
    /// that this run answered.
    ///
    /// Both numbers are in the unit of the total of [`bytes`](Self::bytes), and estimates if a source is compressed.
    pub fn bytes_done(&self) -> (u64, u64) {
        let done = self.0.answered_bytes.load(Ordering::Relaxed);
        let of = |reading: &ReadProgress| {
            let earlier = reading.earlier().1;
            let stored = reading.stored_bytes(earlier);
            (stored, reading.stored_bytes(earlier + done).saturating_sub(stored))
        };
        self.with_reading(of).unwrap_or((0, 0))
    }

    fn with_reading<T>(&self, of: impl FnOnce(&ReadProgress) -> T) -> Option<T> {
        self.0.reading.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(of)
    }

    /// Returns the record that has been searched longest, with the time so far, or `None` if none is searched.
    pub fn slowest(&self) -> Option<(u64, Duration)> {
        let now = self.now_ms();
        self.0
            .searching
            .iter()
            .map(|one| (one.record.load(Ordering::Relaxed), one.since.load(Ordering::Relaxed)))
            .filter(|(record, _)| *record > 0)
            .map(|(record, since)| (record, Duration::from_millis(now.saturating_sub(since))))
            .max_by_key(|(_, time)| *time)
    }

    /// Returns the minimum rating of the step that is being looked for in a record, if the search takes long.
    pub fn step_of(&self, record: u64) -> Option<Tenths> {
        let one = self.0.searching.iter().find(|one| one.record.load(Ordering::Relaxed) == record)?;
        Some(Tenths(one.least.load(Ordering::Relaxed))).filter(|least| *least > Tenths(0))
    }

    /// Returns the estimated share of a record's search that is done, from 0 to 1 ([`Split::done`]).
    ///
    /// Returns `None` if the record is not searched in parts. With `refine` its parts are cut again
    /// ([`Split::ask_to_share`]).
    pub fn done_of(&self, record: u64, refine: bool) -> Option<f64> {
        let parts = self.in_parts(record, |split| split.parts.upgrade())?;
        if refine {
            parts.ask_to_share();
        }
        Some(parts.done())
    }

    /// Returns the number of threads that search a record now, or `None` if it is not searched in parts.
    ///
    /// Threads that do other work meanwhile or wait for others do not count.
    pub fn threads_on(&self, record: u64) -> Option<usize> {
        self.in_parts(record, |split| split.parts.upgrade().map(|_| split.threads.load(Ordering::Relaxed)))
    }

    /// Calls `held` with the entry of a record and returns the result, or `None` if the record is not searched in
    /// parts.
    ///
    /// The entries are locked during the call. `held` must not use the [`Split`], whose methods may lock them again.
    fn in_parts<T>(&self, record: u64, held: impl FnOnce(&InParts) -> Option<T>) -> Option<T> {
        held(self.lock_split().iter().find(|split| split.record == record)?)
    }

    fn lock_split(&self) -> MutexGuard<'_, Vec<InParts>> {
        self.0.split.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a record is searched in parts from now on.
    pub(crate) fn splits(&self, record: u64, parts: &Arc<Split>, threads: &Arc<AtomicUsize>) {
        let mut split = self.lock_split();
        split.retain(|split| split.parts.strong_count() > 0);
        split.push(InParts { record, parts: Arc::downgrade(parts), threads: Arc::clone(threads) });
    }

    pub(crate) fn reads_from(&self, reading: ReadProgress) {
        *self.0.reading.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
    }

    pub(crate) fn add_answered(&self, records: u64) {
        self.0.answered.fetch_add(records, Ordering::Relaxed);
    }

    /// Notes that all records of a chunk are answered; the chunk has `bytes` decompressed bytes of input.
    pub(crate) fn ends_chunk(&self, bytes: u64) {
        self.0.answered_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Notes that all rows of a chunk with `bytes` decompressed bytes of input are written.
    pub(crate) fn writes_chunk(&self, bytes: u64) {
        self.0.written_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Notes that `bytes` bytes of rows are written in all.
    pub(crate) fn has_written(&self, bytes: u64) {
        self.0.rows_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Notes that a checkpoint covers `records` records.
    pub(crate) fn saves(&self, records: u64) {
        self.0.saved.store(records, Ordering::Relaxed);
    }

    /// Notes that a worker begins to search `record` at the moment `now`; `record` is 0 if the worker searches none.
    pub(crate) fn searches(&self, worker: usize, record: u64, now: Instant) {
        self.searches_step(worker, (record, Tenths(0)), now);
    }

    /// Notes that since the moment `since`, a worker has been looking for a step with a rating of at least `least`.
    pub(crate) fn searches_step(&self, worker: usize, (record, least): (u64, Tenths), since: Instant) {
        if let Some(one) = self.0.searching.get(worker) {
            let began = since.saturating_duration_since(self.0.started).as_millis();
            one.least.store(least.0, Ordering::Relaxed);
            one.since.store(u64::try_from(began).unwrap_or(u64::MAX), Ordering::Relaxed);
            one.record.store(record, Ordering::Relaxed);
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.0.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_rating_shows_the_step_that_it_searches() {
        let progress = Progress::new(2);
        let now = Instant::now();
        progress.searches(0, 7, now);
        assert_eq!(progress.step_of(7), None);
        progress.searches_step(1, (8, Tenths(95)), now);
        progress.searches_step(1, (8, Tenths(110)), now);
        assert_eq!(progress.step_of(8), Some(Tenths(110)));
        progress.searches(1, 8, now);
        assert_eq!((progress.step_of(8), progress.step_of(9)), (None, None));
    }
}
