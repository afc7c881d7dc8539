//! One function a command.

mod answer;
mod docs;
mod encode;
mod generate;
mod stats;

use anyhow::Result;

use super::args::Command;

/// Runs a command, and returns the exit status.
pub(super) fn run(command: Command) -> Result<u8> {
    match command {
        Command::Solve(args) => answer::solve(&args),
        Command::Count(args) => answer::count(&args),
        Command::Best(args) => answer::best(&args),
        Command::Check(args) => answer::check(&args),
        Command::Encode(args) => encode::encode(&args),
        Command::Generate(args) => generate::generate(&args),
        Command::Stats(args) => stats::stats(&args),
        Command::GenerateDocs { directory } => docs::generate(&directory),
    }
}
