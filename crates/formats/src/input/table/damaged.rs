//! Turns panics of the table libraries into errors, without output on the terminal.
//!
//! The libraries may panic on damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::Batches;
use quadrille_model::message_of;

thread_local! {
    /// True while this module catches panics of the current thread. While it is true, the panic hook does not
    /// report panics.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a closure that uses a table library, and returns the panic message if it panics.
///
/// The first call installs a panic hook in front of the existing hook. The existing hook still handles all
/// other panics.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                report(panic);
            }
        }));
    });
    let was_caught = IS_CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(was_caught);
    done.map_err(|panic| message_of(panic.as_ref()))
}

/// Wraps the batches of a library. If the library panics, the iterator returns an error and ends.
pub(super) fn guarded(batches: Batches) -> Batches {
    Box::new(Guarded(Some(batches)))
}

/// Batches from a library, or `None` after the library panicked.
struct Guarded(Option<Batches>);

impl Iterator for Guarded {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = self.0.as_mut()?;
        match caught(|| batches.next()) {
            Ok(batch) => batch,
            Err(message) => {
                self.0 = None;
                Some(Err(ArrowError::ParseError(format!("the file is damaged: {message}"))))
            }
        }
    }
}
