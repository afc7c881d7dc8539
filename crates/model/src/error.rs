//! The library's one error type, with the place where things went wrong.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::shown;

/// A place in the input. Lines and records count from 1, bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file's name as the user gave it, `-` for standard input.
    pub source: Arc<str>,
    /// Record number over the whole run, 1 for the first.
    pub record: u64,
    /// Line number within the source, 1 for the first.
    pub line: u64,
    /// Offset of the record's first byte within the decompressed source, 0 for the first.
    pub byte: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (byte {})", shown::name(&self.source), self.line, self.byte)
    }
}

/// A result whose error is this crate's.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of this crate: its kind with the place. Small to move: the details are boxed.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading, writing or renaming failed. `byte` counts decompressed bytes read or bytes written before it.
    #[error("{action} {path}: {cause}{after}", path = shown::path(path), after = After(*byte))]
    Io {
        /// The action that failed: `reading`, `writing`, `opening`, `renaming`.
        action: &'static str,
        /// The file, `-` for a standard stream.
        path: PathBuf,
        /// Bytes that went well before.
        byte: u64,
        /// The operating system's or decompressor's own error; the message includes it.
        cause: std::io::Error,
    },
    /// The input as a whole cannot be read as asked (a zip archive, a header without a puzzle column).
    #[error("{place}: {reason}")]
    Input {
        /// The place in the input.
        place: Location,
        /// The reason, with a hint where there is one.
        reason: String,
    },
    /// The caller's options contradict each other, or name an engine that cannot do the job.
    #[error("{0}")]
    Usage(String),
    /// A problem could not be built from its parts (side out of range, an item twice in an option).
    #[error("{0}")]
    Model(String),
    /// More records were rejected than the caller allows.
    #[error("{place}: {reason}: record rejected, {rejected} in all, {allowed} allowed")]
    TooManyRejects {
        /// The record that went over.
        place: Location,
        /// The reason why that record was rejected.
        reason: String,
        /// Rejected records so far.
        rejected: u64,
        /// Number of rejected records that the caller allows.
        allowed: u64,
    },
    /// No record of the wanted kind was found in as many attempts as allowed.
    #[error("{0}")]
    GaveUp(String),
    /// The work was stopped by whoever asked for it, before there was a result.
    #[error("stopped")]
    Stopped,
    /// A promise of the program about itself was broken: always a defect of quadrille.
    #[error("internal error: {0}")]
    Internal(String),
}

/// The number of bytes that went well before a failure; nothing is shown for 0.
struct After(u64);

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, " (after {} bytes)", self.0) }
    }
}

impl Error {
    /// The kind, for matching.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// An I/O error with its action, file and the bytes that went well before it.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, byte: u64, cause: std::io::Error) -> Self {
        ErrorKind::Io { action, path: path.into(), byte, cause }.into()
    }

    /// A usage error with its message.
    pub fn usage(message: impl Into<String>) -> Self {
        ErrorKind::Usage(message.into()).into()
    }

    /// A problem that cannot be built.
    pub fn model(message: impl Into<String>) -> Self {
        ErrorKind::Model(message.into()).into()
    }
}

/// Returns the message of a panic.
pub fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}
