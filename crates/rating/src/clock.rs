//! Ends searches early if the caller stops them or if the time is up.

use std::time::Instant;

use super::caller::Caller;

/// The reason why a search ended before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// The caller stopped the search.
    Stopped,
    /// The time limit was reached.
    Time,
}

/// Tells long searches to end.
#[derive(Clone, Copy)]
pub(super) struct Clock<'a> {
    pub caller: &'a dyn Caller,
    pub until: Option<Instant>,
}

impl Clock<'_> {
    pub(super) const NEVER: Clock<'static> = Clock { caller: &|| false, until: None };

    pub(super) fn ended(&self) -> Option<Ended> {
        if self.caller.is_stopped() {
            return Some(Ended::Stopped);
        }
        self.until.is_some_and(|until| Instant::now() >= until).then_some(Ended::Time)
    }
}
