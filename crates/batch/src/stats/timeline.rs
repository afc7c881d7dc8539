//! A run over time, in a fixed maximum number of bins whose width doubles as the run continues.
//!
//! ```text
//! time      0        1        2        3 ...            63       64 x the minimum width
//! bins      |  0     |  1     |  2     |  3   ...       |  63    |
//! doubled   |       0         |       1        |  ...       31   |  32   ...
//! ```
//! A bin begins at a multiple of its width. The width is the smallest at which the last non-empty bin fits. It depends
//! only on the recorded values, so two timelines add up exactly, in any order. Runs are superimposed with their
//! beginnings at zero.

use std::time::{Duration, Instant};

use super::figure::grow;
use super::{Phases, nanoseconds};

/// Maximum number of bins.
const BINS: usize = 64;
/// Binary logarithm of the minimum width of a bin in nanoseconds, which is about a millisecond.
const MIN_WIDTH_LOG2: u32 = 20;
/// Binary logarithm of the maximum width of a bin in nanoseconds. Bins of this width cover every possible
/// point in time.
const MAX_WIDTH_LOG2: u32 = 58;
/// Maximum number of timeline rows for threads. If there are more threads, some of them share a row.
const ROWS: usize = 64;
/// Time between two measurements of the process's memory use.
const MEMORY_EVERY: Duration = Duration::from_millis(100);

/// Work that was done during one time bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TimeBin {
    /// Number of records answered.
    pub records: u64,
    /// Time spent in each phase, summed over all threads.
    pub phases: Phases,
    /// Largest measured memory use in bytes, or 0 if it was not measured.
    pub memory: u64,
}

impl TimeBin {
    fn add(&mut self, other: &TimeBin) {
        self.records = self.records.saturating_add(other.records);
        self.phases += other.phases;
        self.memory = self.memory.max(other.memory);
    }
}

/// Timeline of a run. For each time bin, it has the records, phases, busy threads and memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeline {
    /// Number of times that the width of the bins was doubled.
    doublings: u32,
    bins: Vec<TimeBin>,
    /// Busy time in nanoseconds. The first index is the row of the thread, and the second is the bin.
    threads: Vec<Vec<u64>>,
}

impl Timeline {
    /// Returns the width of a bin in nanoseconds.
    pub fn bin_ns(&self) -> u64 {
        1 << (MIN_WIDTH_LOG2 + self.doublings)
    }

    /// Returns the bins from the start of the run, without empty bins at the end.
    pub fn bins(&self) -> &[TimeBin] {
        &self.bins
    }

    /// Returns rows with the busy time of each thread in nanoseconds, one value per bin.
    ///
    /// A row may have fewer values than there are bins.
    pub fn threads(&self) -> &[Vec<u64>] {
        &self.threads
    }

    /// Returns the timeline with these bins, or `None` if they are invalid.
    pub(super) fn from_parts(bin_ns: u64, bins: Vec<TimeBin>, threads: Vec<Vec<u64>>) -> Option<Self> {
        let is_width =
            bin_ns.is_power_of_two() && (MIN_WIDTH_LOG2..=MAX_WIDTH_LOG2).contains(&bin_ns.ilog2());
        let is_short = |length: usize| length <= BINS;
        let fits = is_width
            && is_short(bins.len())
            && threads.len() <= ROWS
            && threads.iter().all(|row| is_short(row.len()));
        fits.then(|| Timeline { doublings: bin_ns.ilog2() - MIN_WIDTH_LOG2, bins, threads })
    }

    /// Returns the index of the bin that contains the point in time `at_ns`.
    ///
    /// If `at_ns` is after the last possible bin, first doubles the width of the bins until a bin contains
    /// `at_ns`.
    fn bin_at(&mut self, at_ns: u64) -> usize {
        while at_ns >> (MIN_WIDTH_LOG2 + self.doublings) >= BINS as u64 {
            self.double();
        }
        (at_ns >> (MIN_WIDTH_LOG2 + self.doublings)) as usize
    }

    fn double(&mut self) {
        self.doublings += 1;
        let pairs = self.bins.chunks(2).map(|pair| {
            let mut sum = pair[0];
            pair[1..].iter().for_each(|other| sum.add(other));
            sum
        });
        self.bins = pairs.collect();
        for row in &mut self.threads {
            *row = row
                .chunks(2)
                .map(|pair| pair.iter().fold(0, |sum: u64, ns| sum.saturating_add(*ns)))
                .collect();
        }
    }

    fn bin(&mut self, at_ns: u64) -> &mut TimeBin {
        let number = self.bin_at(at_ns);
        grow(&mut self.bins, number + 1);
        &mut self.bins[number]
    }

    /// Distributes work evenly over the time from `from_ns` to `to_ns`. Called once per chunk.
    pub fn add(&mut self, from_ns: u64, to_ns: u64, records: u64, phases: Phases) {
        let last_ns = to_ns.max(from_ns + 1) - 1;
        let last = self.bin_at(last_ns);
        let first = (from_ns / self.bin_ns()) as usize;
        grow(&mut self.bins, last + 1);
        if first == last {
            return self.bins[last].add(&TimeBin { records, phases, memory: 0 });
        }
        // The work of a bin is the work up to its end minus the work up to its beginning. Both are rounded
        // down. This way, the sums do not depend on the width of the bins.
        let (width, whole) = (self.bin_ns(), u128::from(last_ns + 1 - from_ns));
        let by = |amount: u64, end: u64| {
            let passed = u128::from(end.clamp(from_ns, last_ns + 1) - from_ns);
            (u128::from(amount) * passed / whole) as u64
        };
        for number in first..=last {
            let begin = number as u64 * width;
            let end = begin.saturating_add(width);
            let within = |amount: u64| by(amount, end) - by(amount, begin);
            let phases = phases.map(within);
            self.bins[number].add(&TimeBin { records: within(records), phases, memory: 0 });
        }
    }

    /// Adds an interval during which a thread was busy.
    pub(crate) fn add_busy(&mut self, thread: usize, from_ns: u64, to_ns: u64) {
        if from_ns >= to_ns {
            return;
        }
        self.bin_at(to_ns - 1);
        let (width, row) = (self.bin_ns(), thread % ROWS);
        grow(&mut self.threads, row + 1);
        let row = &mut self.threads[row];
        let (first, last) = ((from_ns / width) as usize, ((to_ns - 1) / width) as usize);
        grow(row, last + 1);
        for (number, busy) in row.iter_mut().enumerate().take(last + 1).skip(first) {
            let begin = number as u64 * width;
            *busy = busy.saturating_add(to_ns.min(begin.saturating_add(width)) - from_ns.max(begin));
        }
    }

    /// Computes the solving time of each bin: the busy time of the workers minus the time that they spent in
    /// other phases.
    ///
    /// Must be called only once, at the end of a run.
    pub(crate) fn settle_solving(&mut self) {
        let longest = self.threads.iter().map(Vec::len).max().unwrap_or(0);
        grow(&mut self.bins, longest);
        for (number, bin) in self.bins.iter_mut().enumerate() {
            let busy = self
                .threads
                .iter()
                .filter_map(|row| row.get(number))
                .fold(0u64, |sum, ns| sum.saturating_add(*ns));
            let Phases { parsing_ns, verifying_ns, formatting_ns, .. } = bin.phases;
            bin.phases.solving_ns = busy.saturating_sub(parsing_ns + verifying_ns + formatting_ns);
        }
    }

    /// Adds all of another timeline.
    pub fn merge(&mut self, other: &Timeline) {
        while self.doublings < other.doublings {
            self.double();
        }
        let mut other = std::borrow::Cow::Borrowed(other);
        while other.doublings < self.doublings {
            other.to_mut().double();
        }
        grow(&mut self.bins, other.bins.len());
        self.bins.iter_mut().zip(&other.bins).for_each(|(sum, bin)| sum.add(bin));
        grow(&mut self.threads, other.threads.len());
        for (sum, row) in self.threads.iter_mut().zip(&other.threads) {
            grow(sum, row.len());
            sum.iter_mut().zip(row).for_each(|(sum, ns)| *sum = sum.saturating_add(*ns));
        }
    }
}

/// Timer for regular measurements of the process's memory use.
#[derive(Debug)]
pub(crate) struct MemoryWatch {
    began: Instant,
    next: Instant,
}

impl MemoryWatch {
    /// Creates a timer for a run that began at `began`.
    pub(crate) fn new(began: Instant) -> Self {
        MemoryWatch { began, next: began }
    }

    /// Adds the memory use of the process to the timeline if a measurement is due.
    pub(crate) fn look(&mut self, now: Instant, timeline: &mut Timeline) {
        if now >= self.next {
            self.next = now + MEMORY_EVERY;
            if let Some(bytes) = resident_bytes() {
                let bin = timeline.bin(nanoseconds(now.saturating_duration_since(self.began)));
                bin.memory = bin.memory.max(bytes);
            }
        }
    }
}

/// Returns the resident memory of this process in bytes, or `None` if the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    about_memory("VmRSS:")
}

/// Returns the peak memory of this process in bytes, or `None` if the system does not report it.
pub fn peak_bytes() -> Option<u64> {
    about_memory("VmHWM:")
}

/// Returns a value from the process status file of Linux, in bytes, or `None` if it is not available.
fn about_memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates points in time of all magnitudes, each with a thread number and a number of records.
    fn parts() -> impl Strategy<Value = Vec<(u64, usize, u64)>> {
        proptest::collection::vec(
            ((any::<u64>(), 4..40u32).prop_map(|(at, shift)| at >> shift), 0..70usize, 0..9u64),
            0..40,
        )
    }

    fn of(parts: &[(u64, usize, u64)]) -> Timeline {
        let mut timeline = Timeline::default();
        for &(at, thread, records) in parts {
            timeline.add(at / 2, at, records, Phases { parsing_ns: 7 * records, ..Phases::default() });
            timeline.add_busy(thread, at - at / 3, at);
        }
        timeline
    }

    proptest! {
        #[test]
        fn parts_add_up_in_any_order(parts in parts(), cut in 0..40usize) {
            let (left, right) = parts.split_at(cut.min(parts.len()));
            let (mut forth, mut back) = (of(left), of(right));
            forth.merge(&of(right));
            back.merge(&of(left));
            prop_assert_eq!(&forth, &of(&parts));
            prop_assert_eq!(&back, &forth);
            let records: u64 = forth.bins().iter().map(|bin| bin.records).sum();
            prop_assert_eq!(records, parts.iter().map(|(_, _, records)| records).sum::<u64>());
            let parsing: u64 = forth.bins().iter().map(|bin| bin.phases.parsing_ns).sum();
            prop_assert_eq!(parsing, 7 * records);
            let busy: u64 = forth.threads().iter().flatten().sum();
            prop_assert_eq!(busy, parts.iter().map(|(at, _, _)| at / 3).sum::<u64>());
            prop_assert!(forth.bins().len() <= BINS && forth.threads().len() <= ROWS);
            let again = Timeline::from_parts(forth.bin_ns(), forth.bins.clone(), forth.threads.clone());
            prop_assert_eq!(again, Some(forth));
        }
    }

    #[test]
    fn the_remaining_busy_time_is_solving() {
        let mut timeline = Timeline::default();
        timeline.add_busy(1, 0, 5 << MIN_WIDTH_LOG2);
        timeline.add(0, 10, 3, Phases { parsing_ns: 100, ..Phases::default() });
        timeline.settle_solving();
        let solving: Vec<u64> = timeline.bins().iter().map(|bin| bin.phases.solving_ns).collect();
        assert_eq!(solving, [(1 << 20) - 100, 1 << 20, 1 << 20, 1 << 20, 1 << 20]);
    }

    #[test]
    fn inconsistent_parts_are_refused() {
        let bins = |count| vec![TimeBin::default(); count];
        assert!(Timeline::from_parts(1 << 20, bins(64), vec![vec![1; 64]; 64]).is_some());
        assert!(Timeline::from_parts(1 << 20, bins(65), Vec::new()).is_none());
        assert!(Timeline::from_parts(1 << 20, Vec::new(), vec![vec![1; 65]]).is_none());
        assert!(Timeline::from_parts(1_000_000, bins(1), Vec::new()).is_none());
        assert!(Timeline::from_parts(1 << 63, bins(1), Vec::new()).is_none());
    }
}
