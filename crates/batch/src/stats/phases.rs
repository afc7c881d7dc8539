//! Time by phase.

use std::ops::{AddAssign, Sub};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

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
    /// In engines, and rating.
    pub solving_ns: u64,
    /// Checking solutions.
    pub verifying_ns: u64,
    /// Answers to bytes.
    pub formatting_ns: u64,
    /// Writing bytes.
    pub writing_ns: u64,
}

impl Phases {
    /// Nanoseconds by phase, in the order a record passes them.
    fn values(mut self) -> [u64; 6] {
        self.values_mut().map(|ns| *ns)
    }

    fn values_mut(&mut self) -> [&mut u64; 6] {
        let Phases { reading_ns, parsing_ns, solving_ns, verifying_ns, formatting_ns, writing_ns } = self;
        [reading_ns, parsing_ns, solving_ns, verifying_ns, formatting_ns, writing_ns]
    }

    /// Each phase's name and nanoseconds, in the order a record passes them.
    pub fn each(&self) -> [(&'static str, u64); 6] {
        let values = self.values();
        std::array::from_fn(|phase| (NAMES[phase], values[phase]))
    }

    /// Returns the phases with these numbers of nanoseconds, in the order of [`each`](Self::each).
    pub(super) fn of(mut values: impl FnMut(usize) -> u64) -> Phases {
        let mut phases = Phases::default();
        phases.values_mut().into_iter().enumerate().for_each(|(phase, ns)| *ns = values(phase));
        phases
    }

    /// The same with each of them changed.
    pub(super) fn map(self, change: impl Fn(u64) -> u64) -> Phases {
        let values = self.values();
        Phases::of(|phase| change(values[phase]))
    }
}

/// Names of the phases, in the order a record passes them.
pub(super) const NAMES: [&str; 6] = ["reading", "parsing", "solving", "verifying", "formatting", "writing"];

impl AddAssign for Phases {
    fn add_assign(&mut self, other: Phases) {
        for (sum, ns) in self.values_mut().into_iter().zip(other.values()) {
            *sum = sum.saturating_add(ns);
        }
    }
}

impl Sub for Phases {
    type Output = Phases;

    fn sub(self, other: Phases) -> Phases {
        let (from, less) = (self.values(), other.values());
        Phases::of(|phase| from[phase].saturating_sub(less[phase]))
    }
}
