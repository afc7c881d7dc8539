//! Counters of a run that a progress display reads while the run continues.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use crate::locks::lock;
use quadrille_engine::parallel::Split;
use quadrille_formats::input::ReadProgress;
use quadrille_rating::Tenths;

/// Counters of a run, which the threads of the run write and a progress display reads. Clones share the same
/// counters.
#[derive(Debug, Clone)]
pub struct Progress(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    /// Totals so far, indexed by [`Total`].
    totals: [AtomicU64; 5],
    started: Instant,
    reading: Mutex<Option<ReadProgress>>,
    /// For each thread, the record that it is searching.
    searching: Vec<Searching>,
    /// Records whose searches are split into parts.
    split: Mutex<Vec<InParts>>,
}

/// Kind of a total of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Total {
    /// Records answered by this run.
    Answered,
    /// Input bytes in answered chunks, after decompression.
    AnsweredBytes,
    /// Input bytes in chunks whose rows are written, after decompression.
    WrittenBytes,
    /// Bytes of written rows, before compression.
    RowsBytes,
    /// Records that the last checkpoint covers, or 0 without a checkpoint.
    Saved,
}

/// The record that one thread is searching.
#[derive(Debug, Default)]
struct Searching {
    /// Number of the record, or 0 if the thread is not searching.
    record: AtomicU64,
    /// Time from the start of the run to the start of the search, in milliseconds.
    since: AtomicU64,
    /// Minimum rating, in tenths, of the solving step that the thread is looking for, or 0 if unknown.
    least: AtomicU8,
}

/// A record whose search is split into parts for several threads. The entry is outdated once the parts are
/// dropped.
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
    /// Creates the counters of a run with at most `threads` threads.
    pub fn new(threads: usize) -> Self {
        Progress(Arc::new(Counters {
            totals: Default::default(),
            started: Instant::now(),
            reading: Mutex::new(None),
            searching: (0..threads).map(|_| Default::default()).collect(),
            split: Mutex::default(),
        }))
    }

    fn get(&self, total: Total) -> u64 {
        self.0.totals[total as usize].load(Ordering::Relaxed)
    }

    /// Increases a total by `more`.
    pub(crate) fn add(&self, total: Total, more: u64) {
        self.0.totals[total as usize].fetch_add(more, Ordering::Relaxed);
    }

    /// Sets a total to `value`.
    pub(crate) fn set(&self, total: Total, value: u64) {
        self.0.totals[total as usize].store(value, Ordering::Relaxed);
    }

    /// Returns the number of records that this run has answered so far.
    pub fn answered(&self) -> u64 {
        self.get(Total::Answered)
    }

    /// Returns true if there are answered chunks whose rows are not written yet.
    pub fn is_writing(&self) -> bool {
        self.get(Total::WrittenBytes) < self.get(Total::AnsweredBytes)
    }

    /// Returns the number of bytes of rows written so far, before compression.
    ///
    /// Includes the rows of earlier runs that this run resumes.
    pub fn rows_bytes(&self) -> u64 {
        self.get(Total::RowsBytes)
    }

    /// Returns the number of records that the last checkpoint covers, or 0 without a checkpoint.
    ///
    /// The rows of these records are on disk.
    pub fn saved(&self) -> u64 {
        self.get(Total::Saved)
    }

    /// Returns the number of bytes read so far, and the total number of bytes in all sources (`None` if
    /// unknown).
    pub fn bytes(&self) -> (u64, Option<u64>) {
        self.with_reading(|reading| (reading.bytes_read(), reading.total_bytes())).unwrap_or((0, None))
    }

    /// Returns the number of records skipped so far because an earlier run answered them.
    ///
    /// [`answered`](Self::answered) does not count these records.
    pub fn earlier(&self) -> u64 {
        self.with_reading(|reading| reading.earlier().0).unwrap_or(0)
    }

    /// Returns the number of input bytes that an earlier run answered, and the number that this run has
    /// answered so far.
    ///
    /// If this run resumes an earlier run, it skips the input that the earlier run answered. The first number
    /// is the number of bytes skipped so far. Both numbers have the same unit as the total in
    /// [`bytes`](Self::bytes). They are estimates if a source is compressed.
    pub fn bytes_done(&self) -> (u64, u64) {
        let done = self.get(Total::AnsweredBytes);
        let of = |reading: &ReadProgress| {
            let earlier = reading.earlier().1;
            let stored = reading.stored_bytes(earlier);
            (stored, reading.stored_bytes(earlier + done).saturating_sub(stored))
        };
        self.with_reading(of).unwrap_or((0, 0))
    }

    fn with_reading<T>(&self, of: impl FnOnce(&ReadProgress) -> T) -> Option<T> {
        lock(&self.0.reading).as_ref().map(of)
    }

    /// Returns the record that is being searched for the longest time, and this time.
    ///
    /// Returns `None` if no thread is searching.
    pub fn slowest(&self) -> Option<(u64, Duration)> {
        let now = u64::try_from(self.0.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0
            .searching
            .iter()
            .map(|one| (one.record.load(Ordering::Relaxed), one.since.load(Ordering::Relaxed)))
            .filter(|(record, _)| *record > 0)
            .map(|(record, since)| (record, Duration::from_millis(now.saturating_sub(since))))
            .max_by_key(|(_, time)| *time)
    }

    /// Returns the minimum rating of the solving step that a thread is now looking for in a record.
    ///
    /// Returns `None` if the minimum is not known, as in a short search.
    pub fn step_of(&self, record: u64) -> Option<Tenths> {
        let one = self.0.searching.iter().find(|one| one.record.load(Ordering::Relaxed) == record)?;
        Some(Tenths(one.least.load(Ordering::Relaxed))).filter(|least| *least > Tenths(0))
    }

    /// Returns the estimated fraction of a record's search that is finished, from 0 to 1 (see
    /// [`Split::done`]).
    ///
    /// Returns `None` if the search is not split into parts. If `refine` is true, asks the searching threads
    /// to divide their parts further ([`Split::ask_to_share`]).
    pub fn done_of(&self, record: u64, refine: bool) -> Option<f64> {
        let parts = self.in_parts(record, |split| split.parts.upgrade())?;
        if refine {
            parts.ask_to_share();
        }
        Some(parts.done())
    }

    /// Returns the number of threads that now search a record, or `None` if the search is not split into
    /// parts.
    ///
    /// Does not count threads that wait or do other work at the moment.
    pub fn threads_on(&self, record: u64) -> Option<usize> {
        self.in_parts(record, |split| split.parts.upgrade().map(|_| split.threads.load(Ordering::Relaxed)))
    }

    /// Calls `held` with the entry of a record whose search is split, and returns the result of `held`.
    ///
    /// Returns `None` if the search is not split into parts. The list of entries is locked during the call.
    /// So `held` must not call methods of the [`Split`], because these methods may lock the list again.
    fn in_parts<T>(&self, record: u64, held: impl FnOnce(&InParts) -> Option<T>) -> Option<T> {
        held(lock(&self.0.split).iter().find(|split| split.record == record)?)
    }

    /// Notes that the search for a record is now split into parts.
    pub(crate) fn splits(&self, record: u64, parts: &Arc<Split>, threads: &Arc<AtomicUsize>) {
        let mut split = lock(&self.0.split);
        split.retain(|split| split.parts.strong_count() > 0);
        split.push(InParts { record, parts: Arc::downgrade(parts), threads: Arc::clone(threads) });
    }

    pub(crate) fn reads_from(&self, reading: ReadProgress) {
        *lock(&self.0.reading) = Some(reading);
    }

    /// Notes that a worker begins to search `record` at the time `now`. If `record` is 0, notes that the
    /// worker searches nothing.
    pub(crate) fn searches(&self, worker: usize, record: u64, now: Instant) {
        self.searches_step(worker, (record, Tenths(0)), now);
    }

    /// Notes that a worker has been looking for a solving step since the time `since`.
    ///
    /// The rating of the step is at least `least`.
    pub(crate) fn searches_step(&self, worker: usize, (record, least): (u64, Tenths), since: Instant) {
        if let Some(one) = self.0.searching.get(worker) {
            let began = since.saturating_duration_since(self.0.started).as_millis();
            one.least.store(least.0, Ordering::Relaxed);
            one.since.store(u64::try_from(began).unwrap_or(u64::MAX), Ordering::Relaxed);
            one.record.store(record, Ordering::Relaxed);
        }
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
