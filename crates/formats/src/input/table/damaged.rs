//! Turns panics of the table libraries on damaged files into errors, without output on the terminal.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::Batches;
use quadrille_model::message_of;

thread_local! {
    /// True while this module catches the panics of this thread, so that they need no report.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs work of a table library. Returns the message of the panic if it panics.
///
/// The first call installs a hook before the panic hook of the process, which still handles all other panics.
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

/// Returns the batches; a panic of the library ends them with an error.
pub(super) fn guarded(batches: Batches) -> Batches {
    Box::new(Guarded(Some(batches)))
}

/// Batches of a library; `None` after a panic.
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
