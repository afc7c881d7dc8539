//! One execution of a measured program: its output, how it ended, and the time and memory that it used.
#![cfg_attr(not(unix), allow(dead_code, reason = "programs are measured on Unix only"))]

#[cfg(unix)]
mod unix;

use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(unix)]
pub(crate) use unix::meter;
#[cfg(unix)]
pub(super) use unix::{end_running, run};

/// Hidden command that makes this program a meter, which is a process that starts and measures another
/// program.
pub(super) const METER: &str = "meter-program";

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exit(i32),
    Signal(i32),
    /// The program was killed because its time was up.
    TimeLimit,
    /// The program was killed because it wrote too much.
    OutputLimit,
    /// The program ended, but another process still has the output open. That process left the program's
    /// process group, so it was not killed.
    OutputHeld,
}

/// Time and memory that a program used in one execution, or in several executions together.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Used {
    /// Time from the start of the process to its end.
    pub(super) wall: Duration,
    /// Processor time of the process and of the child processes that it waited for.
    pub(super) processor: Duration,
    /// Peak resident memory in bytes: the largest peak among the program and its children.
    ///
    /// `None` if the program needs no more memory than the process that starts it. In this case, the system
    /// reports the peak of the starting process instead.
    pub(super) peak_bytes: Option<u64>,
    /// Time that the program measured itself. `None` if the program did not report it in every execution.
    pub(super) own: Option<Duration>,
}

impl AddAssign for Used {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.processor += other.processor;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.own = self.own.zip(other.own).map(|(sum, own)| sum + own);
    }
}

/// The result of an execution that has ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) end: End,
    pub(super) used: Used,
    pub(super) output: Vec<u8>,
    /// Last part of the text that the program wrote to standard error.
    pub(super) errors: Vec<u8>,
    /// Number of bytes that the program read from standard input, if the input was a file.
    pub(super) input_read: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct RunLimits {
    pub(super) time: Duration,
    pub(super) output_bytes: usize,
}

/// Returns an error, because programs are measured only on Unix.
#[cfg(not(unix))]
pub(super) fn run(
    _: &[std::ffi::OsString],
    _: Option<&std::fs::File>,
    _: RunLimits,
    _: &std::path::Path,
) -> std::io::Result<Finished> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "programs are measured on Unix only"))
}
