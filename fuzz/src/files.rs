//! Commands whose files have arbitrary names: several files may have the same name, or one may have the name of
//! another's partial file.

use std::cell::RefCell;
use std::process::ExitCode;
use std::sync::{Arc, Once};

use super::roles::Known;

/// Range that contains all exit statuses of these runs.
const STATUSES: std::ops::Range<u8> = 0..16;

/// Runs the program's entry point and returns its exit status.
fn run(arguments: &[String]) -> Option<i32> {
    let code =
        quadrille::cli::run(arguments.iter().map(Into::into), quadrille::cli::ClosedStreams::default());
    STATUSES.into_iter().find(|&status| ExitCode::from(status) == code).map(i32::from)
}

/// Runs the case that the bytes select in its own directory: no file may be lost, whatever the names.
///
/// # Panics
/// Panics if a file is lost, or an output differs from that of the command with distinct names.
pub fn no_file_is_lost(data: &[u8]) {
    // Rust programs ignore the signal for a closed pipe, but the fuzzer has its own `main`, which the signal
    // would end.
    static HANDLED: Once = Once::new();
    HANDLED.call_once(|| {
        signal_hook::flag::register(signal_hook::consts::SIGPIPE, Arc::default()).expect("it can be handled");
    });
    thread_local!(static KNOWN: RefCell<Known> = RefCell::default());
    KNOWN.with_borrow_mut(|known| known.try_roles(data, &mut run));
}
