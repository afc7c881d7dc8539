//! Parses the words of the command line into a command.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches};

use super::args::{
    AugmentArgs, BenchArgs, BestArgs, CanonArgs, CheckArgs, Cli, CombineArgs, Command, ConvertArgs,
    CountArgs, DedupArgs, EncodeArgs, EstimateArgs, FingerprintArgs, GenerateArgs, OverlapArgs, PageArgs,
    RateArgs, SolveArgs, SplitCorpusArgs, SplitProblemArgs, StatsArgs,
};
use super::config::puzzle_text;
use super::messages::say;
use super::value_parsers;

/// Adds the options of a verb to the verb's definition.
type Augment = fn(clap::Command) -> clap::Command;

/// Verbs that have options, each with the function that adds these options.
const VERBS: &[(&str, Augment)] = &[
    ("solve", SolveArgs::augment_args),
    ("count", CountArgs::augment_args),
    ("best", BestArgs::augment_args),
    ("check", CheckArgs::augment_args),
    ("canon", CanonArgs::augment_args),
    ("convert", ConvertArgs::augment_args),
    ("augment", AugmentArgs::augment_args),
    ("dedup", DedupArgs::augment_args),
    ("overlap", OverlapArgs::augment_args),
    ("split-corpus", SplitCorpusArgs::augment_args),
    ("fingerprint", FingerprintArgs::augment_args),
    ("rate", RateArgs::augment_args),
    ("estimate", EstimateArgs::augment_args),
    ("split-problem", SplitProblemArgs::augment_args),
    ("combine", CombineArgs::augment_args),
    ("encode", EncodeArgs::augment_args),
    ("generate", GenerateArgs::augment_args),
    ("bench", BenchArgs::augment_args),
    ("stats", StatsArgs::augment_args),
    ("report", PageArgs::augment_args),
];

/// Verb for a puzzle without a verb.
const VERB_OF_PUZZLES: &str = "solve";

/// Returns the command of the `words`, whose first is the program's name. A puzzle in place of the verb is solved.
///
/// # Errors
/// Returns the output of clap instead of a command: help, the version, or an error.
pub(super) fn command(mut words: Vec<OsString>) -> Result<Command, clap::Error> {
    if words.get(1).is_some_and(|word| puzzle_text(word).is_some()) {
        words.insert(1, VERB_OF_PUZZLES.into());
        let command = among_all(words)?;
        if !matches!(&command, Command::Solve(args) if args.run.report.quiet) {
            say!("quadrille: no verb given: running quadrille {VERB_OF_PUZZLES}");
        }
        return Ok(command);
    }
    match by_verb(&words) {
        Some(command) => Ok(command),
        None => {
            let first = words.get(1).cloned().unwrap_or_default();
            among_all(words).map_err(|error| with_tip(error, &first))
        }
    }
}

/// Parses the words by the definition of all verbs.
fn among_all(words: Vec<OsString>) -> Result<Command, clap::Error> {
    let mut definition = definition();
    let matches = definition.try_get_matches_from_mut(words)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))?;
    Ok(cli.command)
}

/// Adds a tip to the error about a verb if the word is a file.
fn with_tip(mut error: clap::Error, first: &OsStr) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand && Path::new(first).is_file() {
        let tip = format!("the verb comes first, such as '{VERB_OF_PUZZLES} {}'", first.to_string_lossy());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns the whole definition, for parsing, help, shells and man pages.
pub(super) fn definition() -> clap::Command {
    let verbs = VERBS.iter().map(|(name, _)| *name).chain(["completions", "man"]);
    let verbs = PossibleValuesParser::new(verbs.map(PossibleValue::new));
    let all = Cli::command().mut_subcommand("man", |man| {
        man.mut_arg("verb", |verb| verb.value_parser(verbs).hide_possible_values(true))
    });
    VERBS.iter().fold(all, |all, (name, _)| all.mut_subcommand(name, with_own_words))
}

/// Replaces the choices of shared options by those of this verb.
fn with_own_words(verb: clap::Command) -> clap::Command {
    let Some(columns) = value_parsers::columns_for(verb.get_name()) else { return verb };
    let compares = verb.get_name() == "overlap";
    let verb = verb.mut_arg("fields", |fields| fields.value_parser(columns));
    if !compares {
        return verb;
    }
    verb.mut_arg("only", |only| {
        let only = only.value_name("RELATION|STATUS,...").value_parser(value_parsers::only_relations());
        only.help("Write only rows with one of these relations or statuses")
    })
}

/// Parses the words by the definition of their verb only, or returns `None` if the result is not a command. Building
/// the options of all verbs takes 0.7 ms, a quarter of a run over one puzzle. Help and errors need the whole
/// definition.
fn by_verb(words: &[OsString]) -> Option<Command> {
    let verb = words.get(1)?;
    let &(name, augment) = VERBS.iter().find(|(name, _)| verb == name)?;
    let verb = with_own_words(augment(clap::Command::new(name)));
    let alone = clap::Command::new("quadrille").subcommand(verb);
    let matches = alone.try_get_matches_from(words).ok()?;
    Command::from_arg_matches(&matches).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("quadrille").chain(line.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn every_verb_with_options_has_its_own_parser() {
        let cli = Cli::command();
        for verb in cli.get_subcommands() {
            let has_options = verb.get_arguments().any(|argument| !argument.is_positional());
            let is_known = VERBS.iter().any(|(name, _)| *name == verb.get_name());
            assert_eq!(is_known, has_options, "{}: is it in `VERBS`?", verb.get_name());
            // `generate` has columns of another kind.
            let has_fields = verb.get_arguments().any(|argument| argument.get_id() == "fields");
            let has_rows =
                value_parsers::columns_for(verb.get_name()).is_some() || verb.get_name() == "generate";
            assert_eq!(has_rows, has_fields, "{}: are its fields in `ROWS`?", verb.get_name());
        }
    }

    #[test]
    fn a_verb_parsed_alone_gives_the_same_arguments() {
        for line in [
            "solve",
            "solve a.txt b.txt -u -o out.txt --discard-partial --fields index,status -j3",
            "solve -qj 2 -- -x",
            "count --limit 7 --engine dlx --memory 64M -",
            "best --minimize --limit 3 --weights target x.txt",
            "check --minimal --strict --fail-on wrong,multiple",
            "canon --form solution --to csv p.txt",
            "convert k.csv --bare -o p.txt",
            "dedup --by solution --all k.csv",
            "overlap a.csv b.csv --fail-on copy --only new,multiple --fields puzzle,relation",
            "split-corpus --parts train=90,test=10 --seed 7 k.csv -o k-{}.csv",
            "rate --scale guesses-mean --permutations 9",
            "estimate p.dlx --probes 10",
            "split-problem p.dlx --target 10 -o c.txt",
            "combine c.txt --cubes d.txt --missing e.txt",
            "encode p.txt",
            "generate minimal --count 10 --keep-hardest 100 --seed 7",
            "bench --engine lanes,bitmask --every 10 p.txt",
            "stats a.json b.json --json",
            "report a.json -o r.html",
        ] {
            let alone = by_verb(&words(line)).unwrap_or_else(|| panic!("{line}"));
            let among_all = super::among_all(words(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(format!("{alone:?}"), format!("{among_all:?}"), "{line}");
        }
    }

    #[test]
    fn other_arguments_are_left_to_the_full_parser() {
        for line in [
            "solve --help",
            "solve -h",
            "solve --help-all",
            "solve --nonsense",
            "solve --version",
            "solve -u --all",
            "solve --fields score",
            "check --only new",
            "man nothing",
            "solv x.txt",
            "generate",
            "help solve",
            "--version",
        ] {
            assert!(by_verb(&words(line)).is_none(), "{line}");
            assert!(super::among_all(words(line)).is_err(), "{line}");
        }
    }
}
