//! Time that a run spends in each phase, such as reading or solving.

use std::ops::{AddAssign, Sub};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

pub(crate) fn nanoseconds_since(begin: Instant) -> u64 {
    nanoseconds(begin.elapsed())
}

/// Time spent in each phase, in nanoseconds, summed over all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Phases {
    /// Time for reading, decompressing and dividing input into chunks.
    pub reading_ns: u64,
    /// Time for parsing bytes into records.
    pub parsing_ns: u64,
    /// Time of searching and rating.
    pub solving_ns: u64,
    /// Time of checking solutions.
    pub verifying_ns: u64,
    /// Time of formatting answers.
    pub formatting_ns: u64,
    /// Time of writing bytes.
    pub writing_ns: u64,
}

impl Phases {
    /// Returns the nanoseconds by phase, in the order in which a record goes through the phases.
    fn values(mut self) -> [u64; 6] {
        self.values_mut().map(|ns| *ns)
    }

    fn values_mut(&mut self) -> [&mut u64; 6] {
        let Phases { reading_ns, parsing_ns, solving_ns, verifying_ns, formatting_ns, writing_ns } = self;
        [reading_ns, parsing_ns, solving_ns, verifying_ns, formatting_ns, writing_ns]
    }

    /// Returns the name and the nanoseconds of each phase, in the order in which a record goes through the
    /// phases.
    pub fn each(&self) -> [(&'static str, u64); 6] {
        let values = self.values();
        std::array::from_fn(|phase| (NAMES[phase], values[phase]))
    }

    /// Creates phases. `values` returns the nanoseconds of the phase at a given index in the list of
    /// [`each`](Self::each).
    pub(super) fn from_fn(mut values: impl FnMut(usize) -> u64) -> Phases {
        let mut phases = Phases::default();
        phases.values_mut().into_iter().enumerate().for_each(|(phase, ns)| *ns = values(phase));
        phases
    }

    /// Returns a copy in which `change` was applied to the nanoseconds of each phase.
    pub(super) fn map(self, change: impl Fn(u64) -> u64) -> Phases {
        let values = self.values();
        Phases::from_fn(|phase| change(values[phase]))
    }
}

/// Names of the phases, in the order in which a record goes through them.
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
        Phases::from_fn(|phase| from[phase].saturating_sub(less[phase]))
    }
}
