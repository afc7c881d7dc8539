//! The command line: arguments to configuration to one function a command.

mod args;
mod commands;
mod config;
mod files;
mod messages;
mod parse;
mod progress;
mod screen;
mod signals;
mod startup;
mod tables;
mod unreadable;
mod unwritten;
mod values;
mod version;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use messages::say;

use quadrille_model::shown;
pub use quadrille_model::streams::ClosedStreams;
use quadrille_model::{Error, ErrorKind};

/// Exit statuses that commands use; clap uses 2 for what it refuses itself.
mod exit {
    pub(crate) const OK: u8 = 0;
    pub(crate) const FAILED: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const REJECTS: u8 = 3;
    pub(crate) const DEADLINE: u8 = 4;
    pub(crate) const STATUS: u8 = 5;
    pub(crate) const UNREADABLE: u8 = 6;
}

/// Runs the program with these arguments (the first is its name), and returns how it ended.
///
/// `closed` are the standard streams that were closed when the program began: what is to be read or written there is then
/// an error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, closed: ClosedStreams) -> ExitCode {
    ExitCode::from(run_to_status(arguments, closed))
}

/// As [`run`], for a program of another language that ends itself.
pub fn run_to_status(arguments: impl IntoIterator<Item = OsString>, closed: ClosedStreams) -> u8 {
    startup::begin(closed);
    let words = with_whole_help(arguments);
    if version::is_asked(&words) {
        if let Err(cause) = files::print(&version::facts()) {
            say!("quadrille: {cause}");
            return exit::FAILED;
        }
        return exit::OK;
    }
    let command = match parse::command(words) {
        Ok(command) => command,
        Err(error) => {
            if let Err(cause) = print_parsed(&error) {
                say!("quadrille: {cause}");
                return exit::FAILED;
            }
            return u8::try_from(error.exit_code()).unwrap_or(exit::USAGE);
        }
    };
    commands::run(command).unwrap_or_else(|error| {
        say!("quadrille: {error:#}");
        status_of(&error)
    })
}

/// Prints help, or an error of the arguments.
///
/// # Errors
/// Help that cannot be printed; if its reader is gone that is no error.
fn print_parsed(error: &clap::Error) -> quadrille_model::Result<()> {
    let text = error.to_string();
    // A list that the value of an option asks for is help too, but clap takes it for the text of an error.
    let list = text.strip_prefix("error: ").filter(|_| error.kind() == clap::error::ErrorKind::DisplayHelp);
    let coloured = error.render().ansi().to_string();
    // Text of the user's own with other control characters may move the cursor, and goes without colours.
    let may_colour = has_only_colours(&coloured);
    match list {
        Some(list) => files::print(list),
        // Terminals neither lose anything nor block.
        None if error.use_stderr() && io::stderr().is_terminal() && may_colour => {
            let _ = error.print();
            Ok(())
        }
        None if error.use_stderr() && may_colour && is_colour_forced() => {
            messages::coloured(&coloured);
            Ok(())
        }
        None if error.use_stderr() => {
            messages::text(&text);
            Ok(())
        }
        None if io::stdout().is_terminal() => {
            error.print().map_err(|cause| Error::io("writing", "standard output", 0, cause))
        }
        None if is_colour_forced() => files::print(&coloured),
        None => files::print(&text),
    }
}

/// True if the only control characters of a text, besides the ends of lines, are those of colours.
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

/// True if the environment asks for colours where there is no terminal.
fn is_colour_forced() -> bool {
    let is_set =
        |name: &str, off: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != off);
    is_set("CLICOLOR_FORCE", "0") && !is_set("NO_COLOR", "")
}

/// Makes one word of `--help --all`, which is help with every option.
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

/// The exit status for an error.
fn status_of(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>().map(Error::kind) {
        Some(ErrorKind::Usage(_)) => exit::USAGE,
        Some(ErrorKind::TooManyRejects { .. }) => exit::REJECTS,
        _ => exit::FAILED,
    }
}
