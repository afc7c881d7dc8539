//! Statistics that differ between runs on the same input: times, memory and machines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::figure::{Derived, Figure};
use super::{Histogram, Histogram2d, Phases, Timeline};

/// Returns the processor time that this process has used so far, in nanoseconds.
///
/// Returns 0 if the system does not measure processor time.
pub fn processor_ns() -> u64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
    }
    #[cfg(not(unix))]
    0
}

/// Time of one worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadTime {
    /// Time during which the worker had work, in nanoseconds.
    pub busy_ns: u64,
    /// Total lifetime of the worker, in nanoseconds.
    pub wall_ns: u64,
}

/// All time measurements of a run, or of several merged runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Clock {
    /// Wall time in nanoseconds, summed over all runs.
    pub wall_ns: u64,
    /// Processor time of the process, in nanoseconds.
    pub cpu_ns: u64,
    #[serde(skip_deserializing)]
    pub(super) records_per_second: Derived<Option<f64>>,
    #[serde(skip_deserializing)]
    pub(super) busy: Derived<Option<f64>>,
    /// Time by phase.
    pub phases: Phases,
    /// Times of each worker. After a merge, they are in ascending order.
    pub threads: Vec<ThreadTime>,
    /// Search time per record in nanoseconds. Contains only records that were answered by an engine that
    /// measures time.
    #[serde(rename = "time_ns")]
    pub per_record: Histogram,
    /// Working time spent on each source, summed over all threads, in nanoseconds.
    #[serde(default)]
    pub(super) sources_ns: BTreeMap<String, u64>,
    /// Two-dimensional histogram of the number of guesses and the search time in nanoseconds of each record.
    #[serde(default)]
    pub guesses_by_time: Histogram2d,
    /// Records, phases and memory for each period of the run. In a resumed run, this covers only the time
    /// since the run was resumed.
    #[serde(default)]
    pub timeline: Timeline,
    /// Number of runs by machine.
    #[serde(default)]
    pub machines: BTreeMap<String, u64>,
    /// Start of the earliest run in seconds since 1970, or `None` if it was not recorded.
    #[serde(default)]
    pub started: Option<u64>,
    /// Largest peak memory of any process in bytes, or `None` if it was not measured.
    #[serde(default, rename = "peak_memory_bytes")]
    pub peak_memory: Option<u64>,
}

impl Figure for Clock {
    fn merge_from(&mut self, other: &Clock) {
        self.wall_ns.merge_from(&other.wall_ns);
        self.cpu_ns.merge_from(&other.cpu_ns);
        self.phases += other.phases;
        self.threads.extend_from_slice(&other.threads);
        self.threads.sort_unstable();
        self.per_record.merge(&other.per_record);
        self.sources_ns.merge_from(&other.sources_ns);
        self.guesses_by_time.merge(&other.guesses_by_time);
        self.timeline.merge(&other.timeline);
        self.machines.merge_from(&other.machines);
        self.started = self.started.into_iter().chain(other.started).min();
        self.peak_memory = self.peak_memory.max(other.peak_memory);
    }
}

impl Clock {
    /// Returns the fraction of the workers' lifetime in which they had work, from 0 to 1.
    ///
    /// Returns `None` if the workers' times were not measured.
    pub fn busy(&self) -> Option<f64> {
        let sum = |of: fn(&ThreadTime) -> u64| self.threads.iter().map(of).map(|ns| ns as f64).sum::<f64>();
        let wall = sum(|thread| thread.wall_ns);
        (wall > 0.0).then(|| sum(|thread| thread.busy_ns) / wall)
    }

    /// Returns `number` divided by the wall time in seconds, or `None` if wall time was not measured.
    pub fn per_second(&self, number: u64) -> Option<f64> {
        (self.wall_ns > 0).then(|| number as f64 * 1e9 / self.wall_ns as f64)
    }
}
