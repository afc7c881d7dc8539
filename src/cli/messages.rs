//! Messages on standard error.

use std::fmt::Arguments;
use std::io::Write;

use quadrille_files::streams::StandardWriter;
use quadrille_model::shown;

/// Prints a line on standard error like `eprintln!`, but never fails: a message that cannot be printed must not change
/// how the program ends.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::cli::messages::line(format_args!($($words)*))
    };
}
pub(super) use say;

/// Prints a line for [`say`].
pub(super) fn line(words: Arguments<'_>) {
    text(&format!("{words}\n"));
}

/// Prints text unchanged, with its colours. The text must not contain control characters from user input.
pub(super) fn coloured(text: &str) {
    let _ = StandardWriter::error().write_all(text.as_bytes());
}

/// Prints text that already has line ends, in one write, so that no other message interrupts it. Escapes control
/// characters, which names and values from users may have.
pub(super) fn text(text: &str) {
    // If standard error cannot be written, there is nowhere else to report this.
    let _ = StandardWriter::error().write_all(shown::text(text).as_bytes());
}
