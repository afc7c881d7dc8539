//! The program `quadrille`.

#![deny(clippy::print_stderr, clippy::print_stdout)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use quadrille::cli::ClosedStreams;

/// The standard streams that were closed when the program began, as bits.
static CLOSED_STREAMS: AtomicU8 = AtomicU8::new(0);

/// Looks at the standard streams before the standard library does, which opens /dev/null in place of a closed one.
/// Later that
/// cannot be told from the /dev/null of a parent that has all of them nowhere, which is not an error.
// `unsafe` stands for what a function that runs before `main` has to keep to: this one asks the system for flags and
// stores them, and uses nothing of the standard library that is not there yet.
#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look_at_streams() {
    CLOSED_STREAMS.store(ClosedStreams::look().bits(), Ordering::Relaxed);
}

fn main() -> ExitCode {
    let closed = ClosedStreams::from_bits(CLOSED_STREAMS.load(Ordering::Relaxed));
    quadrille::cli::run(std::env::args_os(), closed)
}
