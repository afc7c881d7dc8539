//! One module and function per verb.

mod answer;
mod aside_reader;
mod bench;
mod combine;
mod compare;
mod completions;
mod convert;
mod docs;
mod encode;
mod estimate;
mod fingerprint;
mod first_record;
mod generate;
mod report;
mod split;
mod stats;

use anyhow::Result;

use std::io::IsTerminal;
use std::path::PathBuf;

use super::args::Command;
use crate::cli::messages::say;

/// Runs a command, and returns the exit status.
pub(super) fn run(command: Command) -> Result<u8> {
    match command {
        Command::Solve(args) => answer::solve(&args),
        Command::Count(args) => answer::count(&args),
        Command::Best(args) => answer::best(&args),
        Command::Check(args) => answer::check(&args),
        Command::Canon(args) => answer::canon(&args),
        Command::Rate(args) => answer::rate(&args),
        Command::Convert(args) => convert::convert(args),
        Command::Augment(args) => convert::augment(args),
        Command::Dedup(args) => compare::dedup(&args),
        Command::Overlap(args) => compare::overlap(&args),
        Command::Fingerprint(args) => fingerprint::fingerprint(&args),
        Command::SplitCorpus(args) => compare::split_corpus(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::SplitProblem(args) => split::run(&args),
        Command::Combine(args) => combine::run(&args),
        Command::Encode(args) => encode::encode(&args),
        Command::Generate(args) => generate::generate(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Stats(args) => stats::stats(&args),
        Command::Report(args) => report::report(&args),
        Command::Completions { shell } => docs::completions(shell),
        Command::Man { verb } => docs::man(verb.as_deref()),
        #[cfg(unix)]
        Command::MeterProgram { file, words } => {
            crate::bench::meter(&file, &words)?;
            Ok(crate::cli::exit::OK)
        }
        Command::GenerateDocs { directory } => docs::generate(&directory),
    }
}

/// Prints that the program waits for typed input, if it reads a terminal. Returns true if it does.
fn reads_terminal(files: &[PathBuf]) -> bool {
    let is_typed = is_typed(files);
    if is_typed {
        let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
        say!("quadrille: reading from the terminal, end with {end}");
    }
    is_typed
}

/// Returns true if the input is typed at a terminal.
fn is_typed(files: &[PathBuf]) -> bool {
    let is_input = files.is_empty() || files.iter().any(|file| super::files::is_stream(file));
    is_input && std::io::stdin().is_terminal()
}
