//! One function a command.

mod answer;
mod bench;
mod combine;
mod docs;
mod encode;
mod estimate;
mod first;
mod generate;
mod split;
mod stats;

use anyhow::Result;

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::CommandFactory;

use super::args::{Cli, Command};
use super::files;

/// Runs a command, and returns the exit status.
pub(super) fn run(command: Command) -> Result<u8> {
    match command {
        Command::Solve(args) => answer::solve(&args),
        Command::Count(args) => answer::count(&args),
        Command::Best(args) => answer::best(&args),
        Command::Check(args) => answer::check(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Split(args) => split::run(&args),
        Command::Combine(args) => combine::run(&args),
        Command::Encode(args) => encode::encode(&args),
        Command::Generate(args) => generate::generate(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Stats(args) => stats::stats(&args),
        Command::GenerateDocs { directory } => docs::generate(&directory),
    }
}

/// Prints a verb's help where there is nothing to read: no file is named, and a person sits at standard input.
/// Whether it did.
fn helped_instead(verb: &str, files: &[PathBuf]) -> Result<bool> {
    if !files.is_empty() || !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut command = Cli::command();
    let help = command.find_subcommand_mut(verb).map(|verb| verb.render_help());
    files::print(&help.map_or_else(String::new, |help| help.to_string()))?;
    Ok(true)
}
