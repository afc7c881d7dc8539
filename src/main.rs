//! The program `quadrille`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output was closed when the program began.
static OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks at standard output before the standard library does, which opens /dev/null in place of a closed one.
// `unsafe` stands for what a function that runs before `main` has to keep to: this one asks the system for a flag and
// stores it, and uses nothing of the standard library that is not there yet.
#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look_at_output() {
    let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
    OUTPUT_WAS_CLOSED.store(is_closed, Ordering::Relaxed);
}

fn main() -> ExitCode {
    quadrille::cli::run(std::env::args_os(), OUTPUT_WAS_CLOSED.load(Ordering::Relaxed))
}
