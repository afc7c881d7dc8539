//! Turns the words of the command line into a command with its arguments.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory};

use super::{VERBS, VerbInfo};
use crate::cli::args::Cli;
use crate::cli::config::puzzle_text;
use crate::cli::messages::say;
use crate::cli::screen::{columns_of as columns_of_screen, folded};
use crate::cli::value_parsers::{self, Column, OneOf};

/// Command that is used if the first word is a puzzle and not a command.
const VERB_OF_PUZZLES: &str = "solve";

/// A command such as `solve`, with its parsed arguments.
#[derive(Debug)]
pub(in crate::cli) struct Command {
    verb: &'static VerbInfo,
    matches: ArgMatches,
}

impl Command {
    /// Runs the command and returns the exit status.
    pub(in crate::cli) fn run(&self) -> anyhow::Result<u8> {
        (self.verb.run)(&self.matches)
    }
}

/// Returns the command that the `words` mean. The first word is the program's name, and the second names the
/// command. If a puzzle is there instead, the command is `solve`.
///
/// # Errors
/// Returns the output of clap if there is no command to run: help, the version, or an error.
pub(in crate::cli) fn parse(mut words: Vec<OsString>) -> Result<Command, clap::Error> {
    if words.get(1).is_some_and(|word| puzzle_text(word).is_some()) {
        words.insert(1, VERB_OF_PUZZLES.into());
        let command = among_all(words)?;
        if !command.matches.get_flag("quiet") {
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

/// Parses the words with the definition of all commands.
fn among_all(words: Vec<OsString>) -> Result<Command, clap::Error> {
    let mut definition = definition();
    let matches = definition.try_get_matches_from_mut(words)?;
    chosen(matches).ok_or_else(|| definition.error(ErrorKind::MissingSubcommand, "no verb"))
}

/// Returns the command that the parsed words name, with its arguments.
fn chosen(mut matches: ArgMatches) -> Option<Command> {
    let (name, matches) = matches.remove_subcommand()?;
    Some(Command { verb: VERBS.iter().find(|verb| verb.name == name)?, matches })
}

/// Words that users type by mistake, each with the command that they probably mean.
const MEANT: [(&str, &str); 10] = [
    ("difficulty", "rate"),
    ("grade", "rate"),
    ("explain", "rate --explain"),
    ("validate", "check"),
    ("verify", "check"),
    ("print", "convert -o sheet.html"),
    ("sheet", "convert -o sheet.html"),
    ("create", "generate"),
    ("unique", "solve --unique"),
    ("merge", "stats"),
];

/// Maximum number of commands that a tip names.
const MAX_VERBS: usize = 4;

/// Adds a tip to a parsing error in three cases:
/// - The first word is the name of a file and not of a command.
/// - The first word is a synonym of a command.
/// - The unknown option is an option of other commands.
fn with_tip(mut error: clap::Error, first: &OsStr) -> clap::Error {
    let word = first.to_string_lossy();
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand if Path::new(first).is_file() => {
            Some(format!("the verb comes first, such as '{VERB_OF_PUZZLES} {word}'"))
        }
        ErrorKind::InvalidSubcommand => {
            MEANT.iter().find(|(meant, _)| *meant == word).map(|(_, verb)| format!("use '{verb}'"))
        }
        ErrorKind::UnknownArgument => other_verbs(&error).inspect(|_| {
            // clap would suggest a similar option of this command, but the user probably means another
            // command.
            error.remove(ContextKind::SuggestedArg);
            error.remove(ContextKind::Usage);
        }),
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns a tip that names the commands with the unknown option of `error`. Returns `None` if no command has
/// this option.
fn other_verbs(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = option.strip_prefix("--")?.split(['=', ' ']).next()?;
    let all = definition();
    let has = |verb: &&clap::Command| {
        let mut named = verb.get_arguments().filter(|argument| !argument.is_hide_set());
        named.any(|argument| argument.get_long() == Some(name))
    };
    let verbs: Vec<&str> = all.get_subcommands().filter(has).map(clap::Command::get_name).collect();
    let more = if verbs.len() > MAX_VERBS { ", ..." } else { "" };
    let listed = verbs[..verbs.len().min(MAX_VERBS)].join(", ");
    (!verbs.is_empty()).then(|| format!("--{name} is an option of {listed}{more}"))
}

/// Returns the definition of all commands for clap. Parsing, help, completion scripts and man pages use it.
pub(super) fn definition() -> clap::Command {
    let verbs: Vec<clap::Command> = VERBS.iter().map(defined).collect();
    let visible = VERBS.iter().zip(&verbs).filter(|(_, verb)| !verb.is_hide_set());
    let names = PossibleValuesParser::new(visible.map(|(info, _)| PossibleValue::new(info.name)));
    let whole = Cli::command();
    let after = whole.get_after_help().map(ToString::to_string).unwrap_or_default();
    let after = format!("Options of each verb:\n{}\n{after}", listed_options(&verbs));
    whole.after_long_help(after).subcommands(verbs).mut_subcommand("man", |man| {
        man.mut_arg("verb", |verb| verb.value_parser(names).hide_possible_values(true))
    })
}

/// Returns a list of all commands with the names of their options, wrapped to the width of the terminal.
fn listed_options(verbs: &[clap::Command]) -> String {
    let line = |verb: &clap::Command| {
        let shown = verb.get_arguments().filter(|option| !option.is_hide_set());
        let names: Vec<String> =
            shown.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect();
        format!("  {:<15}{}\n", verb.get_name(), names.join(" "))
    };
    let lines: String = verbs.iter().filter(|verb| !verb.is_hide_set()).map(line).collect();
    folded(&lines, 17, columns_of_screen(std::io::stdout()).unwrap_or(80).min(110))
}

/// Returns the clap definition of a command. An option that several commands share accepts only the values
/// that are valid for this command.
fn defined(verb: &VerbInfo) -> clap::Command {
    // A negative number must reach the option's own parser, because its error message names the valid range
    // or form.
    let mut command = (verb.define)(clap::Command::new(verb.name)).mut_args(|argument| {
        let is_option = argument.get_long().is_some() && argument.get_action().takes_values();
        let has_unit =
            argument.get_value_names().is_some_and(|names| names.iter().any(|name| name == "TIME"));
        match has_unit {
            true => argument.allow_hyphen_values(true),
            false => argument.allow_negative_numbers(is_option),
        }
    });
    if command.get_arguments().all(|argument| argument.get_id() != "quiet") {
        // This command has no warnings to suppress, but scripts may pass `--quiet` to every command.
        let quiet = clap::Arg::new("quiet").short('q').long("quiet").action(clap::ArgAction::SetTrue);
        command = command.arg(quiet.help("Print no warnings"));
    }
    let Some(columns) = columns_of(verb) else { return command };
    let command = command.mut_arg("fields", |fields| fields.value_parser(columns));
    if verb.name == "split-corpus" {
        // The parts of a corpus are only complete at the end of a run. So a run of `split-corpus` cannot be
        // continued from a checkpoint.
        let unknown = ["checkpoint", "checkpoint_every", "resume"];
        return unknown
            .iter()
            .fold(command, |command, name| command.mut_arg(name, |option| option.hide(true)));
    }
    if verb.name != "overlap" {
        return command;
    }
    let command = command.mut_arg("fail_on", |fail_on| {
        let fail_on = fail_on.value_name("RELATION,...").value_parser(value_parsers::only_relations());
        fail_on
            .help("Exit with status 5 if any record has one of these relations")
            .hide_possible_values(false)
    });
    command.mut_arg("only", |only| {
        let only =
            only.value_name("RELATION|STATUS,...").value_parser(value_parsers::relations_or_statuses());
        only.help("Write only rows with one of these relations or statuses")
    })
}

/// Returns the columns that a command can write, or `None` if it has no `--fields`.
fn columns_of(verb: &VerbInfo) -> Option<OneOf<Column>> {
    Some(value_parsers::columns_of(verb.rows?, verb.appended, verbs_with))
}

/// Returns a tip that names the commands with this column. The tip is for users of a command that does not
/// have the column.
fn verbs_with(name: &str) -> Option<String> {
    let name = name.trim();
    let has = |verb: &&VerbInfo| {
        columns_of(verb).is_some_and(|columns| columns.words().any(|known| known.matches(name, false)))
    };
    let verbs: Vec<&str> = VERBS.iter().filter(has).map(|verb| verb.name).collect();
    (!verbs.is_empty()).then(|| format!("{name} is a field of {}", verbs.join(", ")))
}

/// Parses a command line with the clap definition of a single command, the one that the line names. Returns
/// `None` if this fails, for example because the line is invalid or asks for help.
///
/// Building the options of all commands takes 0.7 ms, a quarter of the time for solving one puzzle. The
/// definition of all commands is only needed for help, errors and the command `man`.
fn by_verb(words: &[OsString]) -> Option<Command> {
    let name = words.get(1)?;
    let verb = VERBS.iter().find(|verb| name == verb.name && verb.name != "man")?;
    let alone = clap::Command::new("quadrille").subcommand(defined(verb));
    chosen(alone.try_get_matches_from(words).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("quadrille").chain(line.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn verbs_with_fields_have_rows() {
        for verb in VERBS.iter().filter(|verb| verb.name != "generate") {
            let has_fields = defined(verb).get_arguments().any(|argument| argument.get_id() == "fields");
            assert_eq!(verb.rows.is_some(), has_fields, "{}: has it `rows` in `VERBS`?", verb.name);
        }
    }

    /// Returns the names of all arguments, each with the text of its values.
    fn values(command: &Command) -> Vec<String> {
        let of = |id: &clap::Id| {
            let texts = command.matches.get_raw(id.as_str()).map(Iterator::collect::<Vec<_>>);
            format!("{id}: {texts:?}")
        };
        command.matches.ids().map(of).collect()
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
            assert_eq!(values(&alone), values(&among_all), "{line}");
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
