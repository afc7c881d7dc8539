//! The working time of a worker, by phase and over time.

use std::time::{Duration, Instant};

use crate::stats::{Phases, Timeline, nanoseconds};

/// Working time of a worker.
pub(crate) struct Times {
    pub phases: Phases,
    /// Work over the course of the run, up to the last rows that were handed on.
    pub timeline: Timeline,
    /// Start of the interval not yet in `timeline` (nanoseconds since the run began), and the phases up to it.
    noted: (u64, Phases),
    /// Start of the work on the chunk that will be closed next; moved forward by times of waiting.
    pub working_since: Instant,
    /// Start of the run.
    began: Instant,
}

impl Times {
    /// Creates empty times that begin now, in a run that began at `began`.
    pub(super) fn new(began: Instant) -> Self {
        Times {
            phases: Phases::default(),
            timeline: Timeline::default(),
            noted: (0, Phases::default()),
            working_since: Instant::now(),
            began,
        }
    }

    /// Notes that the worker has work again after waiting.
    pub(crate) fn mark_busy(&mut self) {
        self.working_since = Instant::now();
        self.noted.0 = nanoseconds(self.working_since.saturating_duration_since(self.began));
    }

    /// Excludes `time`, spent on other work, from the time of the chunk that is closed next.
    pub(super) fn was_held_up(&mut self, time: Duration) {
        self.working_since += time;
    }

    /// Returns the nanoseconds since the last chunk was closed or work resumed, and restarts the clock.
    pub(super) fn close(&mut self) -> u64 {
        let since = std::mem::replace(&mut self.working_since, Instant::now());
        nanoseconds(self.working_since.saturating_duration_since(since))
    }

    /// Records that `answered` records were handed on now.
    pub(super) fn hand_on(&mut self, answered: u64) {
        let at_ns = nanoseconds(self.began.elapsed());
        let (from_ns, phases) = self.noted;
        self.timeline.add(from_ns, at_ns, answered, self.phases - phases);
        self.noted = (at_ns, self.phases);
    }
}
