//! The time of a worker, by phase and by moment.

use std::time::{Duration, Instant};

use crate::stats::{Phases, Timeline, nanoseconds};

/// What a worker's time went into.
pub(crate) struct Times {
    pub phases: Phases,
    /// What was handed on when.
    pub timeline: Timeline,
    /// The moment of the last note, or since when there is work, in nanoseconds of the run; and the phases up to it.
    noted: (u64, Phases),
    /// The moment at which the worker began what it will close next; moved on while it waits.
    pub working_since: Instant,
    /// The beginning of the run.
    began: Instant,
}

impl Times {
    /// Begins now, in a run that began earlier.
    pub(super) fn new(began: Instant) -> Self {
        Times {
            phases: Phases::default(),
            timeline: Timeline::default(),
            noted: (0, Phases::default()),
            working_since: Instant::now(),
            began,
        }
    }

    /// Notes that there is work again, after a time of waiting.
    pub(crate) fn works_again(&mut self) {
        self.working_since = Instant::now();
        self.noted.0 = nanoseconds(self.working_since.saturating_duration_since(self.began));
    }

    /// Leaves a time in which other work was done out of what is closed next.
    pub(super) fn was_held_up(&mut self, time: Duration) {
        self.working_since += time;
    }

    /// Returns the nanoseconds since the last chunk was closed, or there was work again.
    pub(super) fn close(&mut self) -> u64 {
        let since = std::mem::replace(&mut self.working_since, Instant::now());
        nanoseconds(self.working_since.saturating_duration_since(since))
    }

    /// Notes that so many records were handed on now.
    pub(super) fn hand_on(&mut self, answered: u64) {
        let at_ns = nanoseconds(self.began.elapsed());
        let (from_ns, phases) = self.noted;
        self.timeline.add(from_ns, at_ns, answered, self.phases - phases);
        self.noted = (at_ns, self.phases);
    }
}
