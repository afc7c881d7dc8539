//! Working time of a worker. It is measured as a total for each phase and as a timeline.

use std::time::{Duration, Instant};

use crate::stats::{Phases, Timeline, nanoseconds};

/// Working time of a worker.
pub(crate) struct Times {
    pub phases: Phases,
    /// Work in each period of the run, up to the last time that rows were submitted.
    pub timeline: Timeline,
    /// Start of the interval that is not yet in `timeline`, and the times of the phases up to this start.
    ///
    /// The start is given in nanoseconds since the run began.
    noted: (u64, Phases),
    /// Time at which the work on the current chunk started. It moves forward by the time that the worker
    /// waits.
    pub working_since: Instant,
    /// Start of the run.
    began: Instant,
}

impl Times {
    /// Creates a measurement that starts now. `began` is the time at which the run began.
    pub(super) fn new(began: Instant) -> Self {
        Times {
            phases: Phases::default(),
            timeline: Timeline::default(),
            noted: (0, Phases::default()),
            working_since: Instant::now(),
            began,
        }
    }

    /// Restarts the measurement, because the worker has work again after it waited.
    pub(crate) fn mark_busy(&mut self) {
        self.working_since = Instant::now();
        self.noted.0 = nanoseconds(self.working_since.saturating_duration_since(self.began));
    }

    /// Excludes `time` from the working time of the current chunk, because it was spent on other work.
    pub(super) fn was_held_up(&mut self, time: Duration) {
        self.working_since += time;
    }

    /// Returns the nanoseconds since the last chunk was closed or since work resumed. Restarts the
    /// measurement.
    pub(super) fn close(&mut self) -> u64 {
        let since = std::mem::replace(&mut self.working_since, Instant::now());
        nanoseconds(self.working_since.saturating_duration_since(since))
    }

    /// Adds the work since the last submission to the timeline, with `answered` records that are submitted
    /// now.
    pub(super) fn hand_on(&mut self, answered: u64) {
        let at_ns = nanoseconds(self.began.elapsed());
        let (from_ns, phases) = self.noted;
        self.timeline.add(from_ns, at_ns, answered, self.phases - phases);
        self.noted = (at_ns, self.phases);
    }
}
