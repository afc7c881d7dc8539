//! The part of statistics that depends on the clock, and on nothing but it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Density, Histogram, Phases, Timeline, add_all};

/// Processor time of this process so far, in nanoseconds; 0 where the system does not measure it.
pub fn processor_ns() -> u64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
    }
    #[cfg(not(unix))]
    0
}

/// One worker's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadTime {
    /// Nanoseconds in which it worked.
    pub busy_ns: u64,
    /// Nanoseconds in which it was there to work.
    pub wall_ns: u64,
}

/// All measured times of a run, or of several added up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clock {
    /// Wall time; of several runs, the sum.
    pub wall_ns: u64,
    /// Processor time of the process.
    pub cpu_ns: u64,
    /// Nanoseconds by phase.
    pub phases: Phases,
    /// Workers, in ascending order once merged.
    pub threads: Vec<ThreadTime>,
    /// Time per record in nanoseconds, of those whose engine measures it.
    pub per_record: Histogram,
    /// Guesses and nanoseconds of the same records.
    pub guesses_by_time: Density,
    /// What came about when. Of a run that was resumed, since then.
    pub timeline: Timeline,
    /// The machines, each with the number of runs on it.
    pub machines: BTreeMap<String, u64>,
    /// The moment at which the first run began, in seconds since 1970; `None` where it was not noted.
    pub started: Option<u64>,
    /// The most memory that a process has held, in bytes; `None` where it was not measured.
    pub peak_memory: Option<u64>,
}

impl Clock {
    /// Adds another's times and workers.
    pub fn merge(&mut self, other: &Clock) {
        self.wall_ns = self.wall_ns.saturating_add(other.wall_ns);
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.phases += other.phases;
        self.threads.extend_from_slice(&other.threads);
        self.threads.sort_unstable();
        self.per_record.merge(&other.per_record);
        self.guesses_by_time.merge(&other.guesses_by_time);
        self.timeline.merge(&other.timeline);
        add_all(&mut self.machines, &other.machines);
        self.started = self.started.into_iter().chain(other.started).min();
        self.peak_memory = self.peak_memory.max(other.peak_memory);
    }

    /// Returns the share of their time that the workers worked, 0 to 1; `None` where not measured.
    pub fn busy(&self) -> Option<f64> {
        let sum = |of: fn(&ThreadTime) -> u64| self.threads.iter().map(of).map(|ns| ns as f64).sum::<f64>();
        let wall = sum(|thread| thread.wall_ns);
        (wall > 0.0).then(|| sum(|thread| thread.busy_ns) / wall)
    }

    /// A number divided by the seconds of wall time; `None` where that was not measured.
    pub fn per_second(&self, number: u64) -> Option<f64> {
        (self.wall_ns > 0).then(|| number as f64 * 1e9 / self.wall_ns as f64)
    }
}
