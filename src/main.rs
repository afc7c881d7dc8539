//! The program `quadrille`.

#![deny(clippy::print_stderr, clippy::print_stdout)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use quadrille::cli::ClosedStreams;

/// Standard streams that were closed when the program began, one bit per stream.
static CLOSED_STREAMS: AtomicU8 = AtomicU8::new(0);

/// Records which standard streams are closed, before the standard library opens `/dev/null` in their place.
///
/// Afterwards a closed stream looks like one that the parent process has directed to `/dev/null`, which is not an
/// error.
// `unsafe` is the promise that this function can run before `main`: it only asks the system for flags and stores them,
// and uses nothing of the standard library that is not ready then.
#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look_at_streams() {
    CLOSED_STREAMS.store(ClosedStreams::look().bits(), Ordering::Relaxed);
}

fn main() -> ExitCode {
    let closed = ClosedStreams::from_bits(CLOSED_STREAMS.load(Ordering::Relaxed));
    quadrille::cli::run(std::env::args_os(), closed)
}
