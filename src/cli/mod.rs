//! The command line: arguments to configuration to one function a command.

mod args;
mod commands;
mod config;
mod files;
mod parse;
mod progress;
mod signals;
mod startup;
mod tables;
mod unreadable;
mod unwritten;
mod values;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::error::{Error, ErrorKind};

/// Exit statuses that commands use; clap uses 2 for what it refuses itself.
mod exit {
    pub(in crate::cli) const OK: u8 = 0;
    pub(in crate::cli) const FAILED: u8 = 1;
    pub(in crate::cli) const USAGE: u8 = 2;
    pub(in crate::cli) const REJECTS: u8 = 3;
    pub(in crate::cli) const DEADLINE: u8 = 4;
    pub(in crate::cli) const STATUS: u8 = 5;
    pub(in crate::cli) const UNREADABLE: u8 = 6;
}

/// Runs the program with these arguments (the first is its name), and returns how it ended.
///
/// `output_was_closed` says of standard output that it was when the program began: what is to be written there is then
/// an error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, output_was_closed: bool) -> ExitCode {
    ExitCode::from(run_to_status(arguments, output_was_closed))
}

/// As [`run`], for a program of another language that ends itself.
pub fn run_to_status(arguments: impl IntoIterator<Item = OsString>, output_was_closed: bool) -> u8 {
    startup::begin(output_was_closed);
    let command = match parse::command(with_whole_help(arguments)) {
        Ok(command) => command,
        Err(error) => {
            if !error.use_stderr() && startup::output_was_closed() {
                eprintln!("quadrille: writing standard output: it was closed before the program began");
                return exit::FAILED;
            }
            // A list that the value of an option asks for is help too, but clap takes it for the text of an error.
            let printed = match error.to_string().strip_prefix("error: ") {
                Some(list) if error.kind() == clap::error::ErrorKind::DisplayHelp => {
                    io::stdout().write_all(list.as_bytes())
                }
                _ => error.print(),
            };
            // Help for a reader that closed its end is no error.
            if let Err(failed) = printed.and_then(|()| io::stdout().flush())
                && failed.kind() != io::ErrorKind::BrokenPipe
                && !error.use_stderr()
            {
                eprintln!("quadrille: writing -: {failed}");
                return exit::FAILED;
            }
            return u8::try_from(error.exit_code()).unwrap_or(exit::USAGE);
        }
    };
    commands::run(command).unwrap_or_else(|error| {
        eprintln!("quadrille: {error:#}");
        status_of(&error)
    })
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
