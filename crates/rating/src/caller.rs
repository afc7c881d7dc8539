//! The interface through which a rater asks its caller to stop the search or to share work among threads.

use super::Tenths;

/// The code that started a rater. The rater asks it to stop the search or to share work.
///
/// The simplest implementation is a closure that returns true to stop the search.
pub trait Caller {
    /// Returns true if the search must stop.
    fn is_stopped(&self) -> bool;

    /// Reports that a long search begins. The step that it searches for has a rating of at least `_least`.
    fn searches_from(&self, _least: Tenths) {}

    /// Calls `lead` on this thread. Other threads may help until `lead` returns.
    ///
    /// A helping thread calls `_help` again and again, until `_help` returns false.
    fn share(&self, lead: &mut dyn FnMut(), _help: &(dyn Fn() -> bool + Sync)) {
        lead();
    }
}

impl<F: Fn() -> bool> Caller for F {
    fn is_stopped(&self) -> bool {
        self()
    }
}
