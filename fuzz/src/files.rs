//! Files in every role of a command under every kind of name.

use std::cell::RefCell;
use std::process::ExitCode;
use std::sync::{Arc, Once};

use crate::roles::Known;

/// The program's exit statuses, as far as one is met here.
const STATUSES: std::ops::Range<u8> = 0..16;

/// Runs the program's own entry.
fn run(arguments: &[String]) -> Option<i32> {
    let code = quadrille::cli::run(arguments.iter().map(Into::into), false);
    STATUSES.into_iter().find(|&status| ExitCode::from(status) == code).map(i32::from)
}

/// Does what the bytes say in a directory of its own: no file is lost, whatever names a command is given.
///
/// # Panics
/// Where one is, and where an output is not what it is where all names are apart.
pub fn no_file_is_lost(data: &[u8]) {
    // A program of Rust ignores a pipe that is closed, the fuzzer's own `main` would be ended by it.
    static HANDLED: Once = Once::new();
    HANDLED.call_once(|| {
        signal_hook::flag::register(signal_hook::consts::SIGPIPE, Arc::default()).expect("it can be handled");
    });
    thread_local!(static KNOWN: RefCell<Known> = RefCell::default());
    KNOWN.with_borrow_mut(|known| known.try_roles(data, &mut run));
}
