//! The command line: parses arguments, converts them to options, and runs the requested command, such as
//! `solve`.

mod args;
mod commands;
mod config;
mod conversion_warnings;
mod files;
mod messages;
mod progress;
mod screen;
mod signals;
mod startup;
mod tables;
mod unreadable_input;
mod value_parsers;
mod version;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use messages::say;

pub use quadrille_files::streams::ClosedStreams;
use quadrille_model::{Error, ErrorKind, shown};

/// Exit statuses of commands. clap itself exits with 2 for arguments that it refuses.
mod exit {
    use std::fmt;

    pub(crate) const OK: u8 = 0;
    pub(crate) const FAILED: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const REJECTS: u8 = 3;
    pub(crate) const DEADLINE: u8 = 4;
    pub(crate) const STATUS: u8 = 5;
    pub(crate) const UNREADABLE: u8 = 6;

    /// An error with an exit status of its own.
    #[derive(Debug)]
    pub(crate) struct Ended {
        pub(crate) status: u8,
        words: String,
    }

    impl fmt::Display for Ended {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.words)
        }
    }

    /// Returns an error that ends the program with this exit status. `words` is its message.
    pub(crate) fn with(status: u8, words: String) -> anyhow::Error {
        anyhow::Error::msg(Ended { status, words })
    }
}

/// Runs the program and returns its exit code. The first of the `arguments` is the program's name.
///
/// `closed` lists the standard streams that were closed when the program began. Reading or writing such a
/// stream is then an error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, closed: ClosedStreams) -> ExitCode {
    ExitCode::from(run_to_status(arguments, closed))
}

/// Runs the program as [`run`] does, but returns the exit status as a number. A host program in another
/// language needs this.
pub fn run_to_status(arguments: impl IntoIterator<Item = OsString>, closed: ClosedStreams) -> u8 {
    startup::begin(closed);
    answered(with_whole_help(arguments)).unwrap_or_else(|error| {
        say!("quadrille: {error:#}");
        status_of(&error)
    })
}

/// Runs the command that the words of the command line name, or prints what the words ask for instead.
fn answered(words: Vec<OsString>) -> anyhow::Result<u8> {
    if version::is_asked(&words) {
        files::print(&screen::folded_for_output(version::facts(), 2))?;
        return Ok(exit::OK);
    }
    match commands::parse(words) {
        Ok(command) => command.run(),
        Err(error) => {
            print_parsed(&error)?;
            Ok(u8::try_from(error.exit_code()).unwrap_or(exit::USAGE))
        }
    }
}

/// Prints the help that was requested, or an error in the arguments.
///
/// # Errors
/// Returns an error if help cannot be printed. A reader that closed the output is not an error.
fn print_parsed(error: &clap::Error) -> quadrille_model::Result<()> {
    let text = error.to_string();
    // An option value such as `list` requests a list. The list is help too, but clap formats it as an error.
    let list = text.strip_prefix("error: ").filter(|_| error.kind() == clap::error::ErrorKind::DisplayHelp);
    let coloured = error.render().ansi().to_string();
    let is_error = list.is_none() && error.use_stderr();
    // Text from the user may contain control characters that move the cursor. Such text is printed without
    // colours.
    let may_colour = list.is_none() && (!is_error || has_only_colours(&coloured));
    let is_terminal = if is_error { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    if may_colour && is_terminal {
        // clap may print to a terminal itself, because a terminal neither loses text nor blocks.
        let printed = error.print().map_err(|cause| Error::io("writing", "standard output", 0, cause));
        return printed.or_else(|cause| if is_error { Ok(()) } else { Err(cause) });
    }
    match (is_error, may_colour && is_colour_forced()) {
        (true, true) => messages::coloured(&coloured),
        (true, false) => messages::text(&text),
        (false, true) => files::print(&coloured)?,
        (false, false) => files::print(list.unwrap_or(&text))?,
    }
    Ok(())
}

/// Returns true if a text has no control characters except line ends and colours.
fn has_only_colours(text: &str) -> bool {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default();
    let is_shown = |text: &str| shown::text(text) == text;
    let after_colour = |piece: &str| {
        let rest = piece.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        rest.strip_prefix('m').is_some_and(is_shown)
    };
    is_shown(first) && pieces.all(after_colour)
}

/// Returns true if environment variables ask for colours even if the output is not a terminal.
fn is_colour_forced() -> bool {
    let is_set =
        |name: &str, off: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != off);
    is_set("CLICOLOR_FORCE", "0") && !is_set("NO_COLOR", "")
}

/// Replaces the two words `--help --all` with the single option that prints help about every option.
fn with_whole_help(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.iter().any(|word| word == "--all")
        && let Some(help) = arguments.iter().position(|word| word == "--help" || word == "-h")
    {
        arguments[help] = "--help-all".into();
        arguments.retain(|word| word != "--all");
    }
    arguments
}

/// Returns the exit status for an error.
fn status_of(error: &anyhow::Error) -> u8 {
    if let Some(ended) = error.downcast_ref::<exit::Ended>() {
        return ended.status;
    }
    match error.downcast_ref::<Error>().map(Error::kind) {
        Some(ErrorKind::Usage(_)) => exit::USAGE,
        Some(ErrorKind::TooManyRejects { .. }) => exit::REJECTS,
        _ => exit::FAILED,
    }
}
