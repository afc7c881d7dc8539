//! Errors of the library, with the position in the input where they occurred.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::shown;

/// A position in the input. Lines and records are numbered from 1, and bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Name of the file as the user wrote it, or `-` for standard input.
    pub source: Arc<str>,
    /// 1-based number of the record, counted over all sources of the run.
    pub record: u64,
    /// Line number within the source, 1-based.
    pub line: u64,
    /// Offset of the record's first byte in the source after decompression, 0-based.
    pub byte: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (byte {})", shown::name(&self.source), self.line, self.byte)
    }
}

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error of quadrille: its kind, with details.
///
/// The details are boxed, so that an error is cheap to move.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading, writing or renaming failed.
    #[error("{action} {path}: {cause}{after}", path = shown::path(path), after = After(*byte))]
    Io {
        /// The action that failed, such as `reading`, `writing`, `opening` or `renaming`.
        action: &'static str,
        /// Name of the file, or `-` for a standard stream.
        path: PathBuf,
        /// Number of bytes processed before the failure. When reading, this counts decompressed bytes.
        byte: u64,
        /// The error of the operating system or the decompressor. The error message includes it.
        cause: std::io::Error,
    },
    /// The input as a whole cannot be read as requested.
    ///
    /// Examples are a zip archive, and a header without a puzzle column.
    #[error("{place}: {reason}")]
    Input {
        /// The place in the input.
        place: Location,
        /// The reason, which may include a hint.
        reason: String,
    },
    /// The caller's options are invalid.
    ///
    /// For example, they contradict each other, or name an engine that does not support the requested search.
    #[error("{0}")]
    Usage(String),
    /// A problem could not be built from its parts.
    ///
    /// For example, the side length is out of range, or an item occurs twice in an option.
    #[error("{0}")]
    Model(String),
    /// More records were rejected than the caller allows.
    #[error("{place}: {reason}: record rejected, {rejected} in all, {allowed} allowed")]
    TooManyRejects {
        /// The position of the record that was rejected after the limit had been reached.
        place: Location,
        /// The reason why this record was rejected.
        reason: String,
        /// Number of rejected records so far.
        rejected: u64,
        /// Maximum number of rejected records.
        allowed: u64,
    },
    /// No suitable record was found in the allowed number of attempts.
    #[error("{0}")]
    GaveUp(String),
    /// The caller stopped the work before a result was available.
    #[error("stopped")]
    Stopped,
    /// An invariant of the program was violated. This is always a defect of quadrille.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Displays the number of bytes that were processed before a failure, or nothing if this number is 0.
struct After(u64);

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => write!(f, " (after 1 byte)"),
            bytes => write!(f, " (after {bytes} bytes)"),
        }
    }
}

/// Creates a [usage error](Error::usage) from the arguments of `format!`.
#[macro_export]
macro_rules! usage {
    ($($words:tt)*) => {
        $crate::Error::usage(format!($($words)*))
    };
}

impl Error {
    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Creates an I/O error.
    ///
    /// The arguments are the action that failed, the file, the number of bytes before the failure, and the
    /// cause.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, byte: u64, cause: std::io::Error) -> Self {
        ErrorKind::Io { action, path: path.into(), byte, cause }.into()
    }

    /// Creates the error for a system that refuses to start threads.
    pub fn threads(cause: impl fmt::Display) -> Self {
        Error::io("starting", "threads", 0, std::io::Error::other(cause.to_string()))
    }

    /// Creates a usage error with the given message.
    pub fn usage(message: impl Into<String>) -> Self {
        ErrorKind::Usage(message.into()).into()
    }

    /// Creates the error for a problem that cannot be built, with the given message.
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
