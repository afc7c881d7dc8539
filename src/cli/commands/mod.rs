//! The table of commands such as `solve`, and one function per command.

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
mod graph;
mod parse;
mod report;
mod sheet;
mod split;
mod stats;

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Result;
use clap::{ArgMatches, Args, FromArgMatches};

use super::args;
use crate::cli::messages::say;
pub(super) use parse::parse;
use quadrille_batch::compare::{dedup, overlap};
use quadrille_formats::output::{Conversion, PuzzleText, Verb};
use quadrille_model::Error;

/// A command such as `solve`, which the user names in the first word.
#[derive(Debug)]
pub(super) struct VerbInfo {
    name: &'static str,
    /// Adds the description and the options of the command to its clap definition.
    define: fn(clap::Command) -> clap::Command,
    /// Runs the command and returns the exit status.
    run: fn(&ArgMatches) -> Result<u8>,
    /// The kind of answer rows that the command writes, or `None` if it has no `--fields`.
    rows: Option<Verb>,
    /// Names and descriptions of additional columns that a command such as `overlap` appends to rows.
    appended: (&'static [&'static str], &'static [&'static str]),
}

/// Makes a row of [`VERBS`] from a name, the type of the command's arguments, and a function. For commands
/// with `--fields`, the macro also takes the kind of answer rows and the additional columns.
macro_rules! verb {
    ($name:literal, $args:ident, $run:expr) => {
        verb!($name, $args, $run, None, (&[], &[]))
    };
    ($name:literal, $args:ident, $run:expr, $rows:expr) => {
        verb!($name, $args, $run, Some($rows), (&[], &[]))
    };
    ($name:literal, $args:ident, $run:expr, $rows:expr, $appended:expr) => {
        VerbInfo {
            name: $name,
            define: args::$args::augment_args,
            run: |matches| $run(&args::$args::from_arg_matches(matches)?),
            rows: $rows,
            appended: $appended,
        }
    };
}

/// The commands, in the order in which the help lists them.
static VERBS: &[VerbInfo] = &[
    verb!("solve", SolveArgs, answer::solve, Verb::Solve),
    verb!("count", CountArgs, answer::count, Verb::Count),
    verb!("best", BestArgs, answer::best, Verb::Best),
    verb!("check", CheckArgs, answer::check, Verb::Check),
    verb!("canon", CanonArgs, answer::canon, Verb::Canon),
    verb!("convert", ConvertArgs, convert::convert),
    verb!(
        "augment",
        AugmentArgs,
        convert::augment,
        Verb::Convert(Conversion::new("line", PuzzleText::Field))
    ),
    verb!("dedup", DedupArgs, compare::dedup, Some(Verb::Keep), (dedup::COLUMNS, dedup::ABOUT)),
    verb!("overlap", OverlapArgs, compare::overlap, Some(Verb::Keep), (overlap::COLUMNS, overlap::ABOUT)),
    verb!("split-corpus", SplitCorpusArgs, compare::split_corpus, Verb::Keep),
    verb!("fingerprint", FingerprintArgs, fingerprint::fingerprint),
    verb!("rate", RateArgs, answer::rate, Verb::Rate { by_steps: true }),
    verb!("estimate", EstimateArgs, estimate::run),
    verb!("split-problem", SplitProblemArgs, split::run),
    verb!("combine", CombineArgs, combine::run),
    verb!("encode", EncodeArgs, encode::encode),
    verb!("generate", GenerateArgs, generate::generate),
    verb!("bench", BenchArgs, bench::bench),
    verb!("stats", StatsArgs, stats::stats),
    verb!("report", PageArgs, report::report),
    verb!("completions", CompletionsArgs, docs::completions),
    verb!("man", ManArgs, docs::man),
    #[cfg(unix)]
    verb!("meter-program", MeterProgramArgs, bench::meter),
    verb!("generate-docs", GenerateDocsArgs, docs::generate),
];

/// Returns a usage error if the user gave one of the options. `message` makes the error from the first option
/// in the list that was given.
fn refuse(options: &[(&str, bool)], message: impl Fn(&str) -> String) -> Result<()> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Error::usage(message(option)).into()),
        None => Ok(()),
    }
}

/// Returns true if the input is typed at a terminal. In this case, first prints that the program waits for
/// typed input.
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
