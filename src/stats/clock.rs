//! The part of statistics that depends on the clock, and on nothing but it.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Sub};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Density, Histogram, Timeline};

/// Processor time of this process so far, in nanoseconds; 0 where the system does not measure it.
pub(crate) fn processor_ns() -> u64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
    }
    #[cfg(not(unix))]
    0
}

/// A duration in nanoseconds.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds since a moment.
pub(crate) fn nanoseconds_since(begin: Instant) -> u64 {
    nanoseconds(begin.elapsed())
}

/// Nanoseconds by phase, all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phases {
    /// Reading, decompressing and cutting.
    pub reading_ns: u64,
    /// Bytes to records.
    pub parsing_ns: u64,
    /// In engines.
    pub solving_ns: u64,
    /// Checking solutions.
    pub verifying_ns: u64,
    /// Answers to bytes.
    pub formatting_ns: u64,
    /// Writing bytes.
    pub writing_ns: u64,
}

impl Phases {
    /// Each phase's name and nanoseconds, in the order a record passes them.
    pub fn each(&self) -> [(&'static str, u64); 6] {
        [
            ("reading", self.reading_ns),
            ("parsing", self.parsing_ns),
            ("solving", self.solving_ns),
            ("verifying", self.verifying_ns),
            ("formatting", self.formatting_ns),
            ("writing", self.writing_ns),
        ]
    }
}

impl AddAssign for Phases {
    fn add_assign(&mut self, other: Phases) {
        self.reading_ns = self.reading_ns.saturating_add(other.reading_ns);
        self.parsing_ns = self.parsing_ns.saturating_add(other.parsing_ns);
        self.solving_ns = self.solving_ns.saturating_add(other.solving_ns);
        self.verifying_ns = self.verifying_ns.saturating_add(other.verifying_ns);
        self.formatting_ns = self.formatting_ns.saturating_add(other.formatting_ns);
        self.writing_ns = self.writing_ns.saturating_add(other.writing_ns);
    }
}

impl Phases {
    /// The same with each of them changed.
    pub(super) fn map(self, change: impl Fn(u64) -> u64) -> Phases {
        Phases {
            reading_ns: change(self.reading_ns),
            parsing_ns: change(self.parsing_ns),
            solving_ns: change(self.solving_ns),
            verifying_ns: change(self.verifying_ns),
            formatting_ns: change(self.formatting_ns),
            writing_ns: change(self.writing_ns),
        }
    }
}

impl Sub for Phases {
    type Output = Phases;

    fn sub(self, other: Phases) -> Phases {
        Phases {
            reading_ns: self.reading_ns.saturating_sub(other.reading_ns),
            parsing_ns: self.parsing_ns.saturating_sub(other.parsing_ns),
            solving_ns: self.solving_ns.saturating_sub(other.solving_ns),
            verifying_ns: self.verifying_ns.saturating_sub(other.verifying_ns),
            formatting_ns: self.formatting_ns.saturating_sub(other.formatting_ns),
            writing_ns: self.writing_ns.saturating_sub(other.writing_ns),
        }
    }
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
        for (machine, runs) in &other.machines {
            *self.machines.entry(machine.clone()).or_default() += runs;
        }
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
