//! The questions and requests of a rater to its caller.

use super::Tenths;

/// The caller of a rater. The simplest one is a closure that returns true to stop the search.
pub trait Caller {
    /// Returns true if the search must stop.
    fn is_stopped(&self) -> bool;

    /// Notes that a long search begins: the next step is rated `least` or more.
    fn searches_from(&self, _least: Tenths) {}

    /// Calls `lead` on this thread. Meanwhile other threads may call `help`, each again until it returns false.
    fn share(&self, lead: &mut dyn FnMut(), _help: &(dyn Fn() -> bool + Sync)) {
        lead();
    }
}

impl<F: Fn() -> bool> Caller for F {
    fn is_stopped(&self) -> bool {
        self()
    }
}
