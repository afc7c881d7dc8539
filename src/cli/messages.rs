//! Messages for people, on standard error.

use std::fmt::Arguments;
use std::io::Write;

use quadrille_model::shown;
use quadrille_model::streams::StandardWriter;

/// Prints a line on standard error, as `eprintln!` does, but never fails: a message that nobody can read is no reason for
/// another end of the program than the one that it was about.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::cli::messages::line(format_args!($($words)*))
    };
}
pub(super) use say;

/// Prints a line; see [`say`].
pub(super) fn line(words: Arguments<'_>) {
    text(&format!("{words}\n"));
}

/// Prints text as it is, with its colours. It must have no control characters from outside.
pub(super) fn coloured(text: &str) {
    let _ = StandardWriter::error().write_all(text.as_bytes());
}

/// Prints text that has its line ends. In one piece, so that no other message comes between; control characters, which names and
/// values from outside may have, are escaped.
pub(super) fn text(text: &str) {
    // Closed, full or without a reader: there is no other place to say so.
    let _ = StandardWriter::error().write_all(shown::text(text).as_bytes());
}
