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
