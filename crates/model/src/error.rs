//! The error type of the library, with the place of the error in the input.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::shown;

/// A place in the input. Lines and records count from 1, bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file's name as given by the user, `-` for standard input.
    pub source: Arc<str>,
    /// Number of the record in the whole run, 1-based.
    pub record: u64,
    /// Line number within the source, 1-based.
    pub line: u64,
    /// Offset of the record's first byte in the decompressed source, 0-based.
    pub byte: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (byte {})", shown::name(&self.source), self.line, self.byte)
    }
}

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error of quadrille: a kind with its details. Small to move, because the details are boxed.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading, writing or renaming failed.
    #[error("{action} {path}: {cause}{after}", path = shown::path(path), after = After(*byte))]
    Io {
        /// The action that failed: `reading`, `writing`, `opening`, `renaming`.
        action: &'static str,
        /// The name of the file, `-` for a standard stream.
        path: PathBuf,
        /// Number of bytes written, or of decompressed bytes read, before the failure.
        byte: u64,
        /// The error of the operating system or the decompressor; the message includes it.
        cause: std::io::Error,
    },
    /// The input as a whole cannot be read as asked, such as a zip archive or a header without a puzzle column.
    #[error("{place}: {reason}")]
    Input {
        /// The place in the input.
        place: Location,
        /// The reason, with a hint if there is one.
        reason: String,
    },
    /// The caller's options contradict each other, or name an engine that does not support the question.
    #[error("{0}")]
    Usage(String),
    /// A problem could not be built from its parts, such as a side out of range or an item twice in an option.
    #[error("{0}")]
    Model(String),
    /// More records were rejected than the caller allows.
    #[error("{place}: {reason}: record rejected, {rejected} in all, {allowed} allowed")]
    TooManyRejects {
        /// The place of the record that exceeded the limit.
        place: Location,
        /// The reason why that record was rejected.
        reason: String,
        /// Number of rejected records so far.
        rejected: u64,
        /// Maximum number of rejected records.
        allowed: u64,
    },
    /// No suitable record was found in the allowed number of attempts.
    #[error("{0}")]
    GaveUp(String),
    /// The caller stopped the work before there was a result.
    #[error("stopped")]
    Stopped,
    /// An invariant of the program was broken: always a defect of quadrille.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Displays the number of bytes before a failure; displays nothing for 0.
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

    /// Creates an I/O error from the action that failed, the file, and the number of bytes before the failure.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, byte: u64, cause: std::io::Error) -> Self {
        ErrorKind::Io { action, path: path.into(), byte, cause }.into()
    }

    /// Creates the error for threads that the system refuses.
    pub fn threads(cause: impl fmt::Display) -> Self {
        Error::io("starting", "threads", 0, std::io::Error::other(cause.to_string()))
    }

    /// Creates a usage error with a message.
    pub fn usage(message: impl Into<String>) -> Self {
        ErrorKind::Usage(message.into()).into()
    }

    /// Creates the error for a problem that cannot be built.
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
