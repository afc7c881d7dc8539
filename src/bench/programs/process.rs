//! One run of a program: its output, its end, and the time and memory that it used.
#![cfg_attr(not(unix), allow(dead_code, reason = "programs are measured on Unix only"))]

#[cfg(unix)]
mod unix;

use std::time::Duration;

#[cfg(unix)]
pub(crate) use unix::meter;
#[cfg(unix)]
pub(super) use unix::{end_running, run};

/// The hidden verb of the process that starts a program.
pub(super) const METER: &str = "meter-program";

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exit(i32),
    Signal(i32),
    /// Killed because its time was up.
    TimeLimit,
    /// Killed because it wrote more than it may.
    OutputLimit,
    /// The program ended, but a process that had left the program's group still holds the output open.
    OutputHeld,
}

/// The result of a run that has ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) end: End,
    /// Time from the start until the process ended.
    pub(super) wall: Duration,
    /// Processor time of the process and of the children for which it waited.
    pub(super) processor: Duration,
    /// Peak resident memory of the largest of these processes, or `None` if a process that does nothing needs more.
    pub(super) peak_bytes: Option<u64>,
    pub(super) output: Vec<u8>,
    /// The last part of the program's standard error.
    pub(super) errors: Vec<u8>,
    /// Bytes that the program read from standard input, if the input was a file.
    pub(super) input_read: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct RunLimits {
    pub(super) time: Duration,
    pub(super) output_bytes: usize,
}

/// Returns an error: programs are measured on Unix only.
#[cfg(not(unix))]
pub(super) fn run(
    _: &[std::ffi::OsString],
    _: Option<&std::fs::File>,
    _: RunLimits,
    _: &std::path::Path,
) -> std::io::Result<Finished> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "programs are measured on Unix only"))
}
