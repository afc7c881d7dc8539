//! Input of `generate neighbours`: the puzzles whose neighbours are generated, and the known puzzles, which
//! must not be generated again.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::args::GenerateArgs;
use crate::cli::commands::aside_reader::{AsideReader, ReadRecord, unusable};
use crate::cli::commands::refuse;
use crate::cli::files;
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use quadrille_batch::stats::number_of;
use quadrille_formats::input::InputOptions;
use quadrille_generate::sudoku::ATTEMPTS;
use quadrille_generate::{Change, Kind, Neighbourhood};
use quadrille_model::canonical::Cells;
use quadrille_model::{Error, usage};

/// Returns a usage error if an option does not apply to the kind of puzzles to generate. `kind` is `None` for
/// exact cover problems.
pub(super) fn check(kind: Option<Kind>, args: &GenerateArgs) -> Result<()> {
    let is_neighbours = kind == Some(Kind::Neighbours);
    let of_neighbours = [
        ("--remove", args.remove.is_some()),
        ("--add", args.add.is_some()),
        ("--sample", args.sample.is_some()),
        ("--minimal", args.minimal),
        ("--known", !args.known.is_empty()),
    ];
    if !is_neighbours {
        return refuse(&of_neighbours, |option| format!("{option} is only for neighbours"));
    }
    let of_others = [
        ("--count", args.count != 1, "all are made (--sample N draws changes)"),
        ("--skip", args.skip != 0, "split the file instead"),
        ("--side", args.side.is_some(), "the puzzles in the file have their side"),
        ("--box", args.box_shape.is_some(), "the puzzles in the file have their boxes"),
        ("--rules", !args.rules.is_empty(), "they are for plain puzzles, without rules"),
        ("--regions", args.regions.is_some(), "they are for plain puzzles, without rules"),
        ("--weights", args.weights.is_some(), "draw them with another kind"),
        ("--attempts", args.attempts != ATTEMPTS, "no change is tried twice"),
    ];
    if let Some((option, _, why)) = of_others.iter().find(|(_, is_given, _)| *is_given) {
        return Err(usage!("{option} is not for neighbours: {why}").into());
    }
    if args.parameters.is_empty() {
        return Err(Error::usage("neighbours takes files of puzzles, as in: neighbours FILE").into());
    }
    let sources = args.parameters.iter().map(PathBuf::from);
    if sources.chain(args.known.iter().cloned()).filter(|path| files::is_stream(path)).count() > 1 {
        return Err(Error::usage("standard input can be read only once").into());
    }
    Ok(())
}

/// Reads the puzzles whose neighbours are generated, and the known puzzles.
pub(super) fn read(args: &GenerateArgs, signals: &Signals) -> Result<Arc<Neighbourhood>> {
    let sources: Vec<PathBuf> = args.parameters.iter().map(PathBuf::from).collect();
    let read = |files: &[PathBuf]| read_all(files, signals, args.quiet);
    let (sources, known) = (read(&sources)?, read(&args.known)?);
    if sources.is_empty() {
        return Err(Error::usage("neighbours: the files have no puzzle with canonical forms").into());
    }
    let (removed, added) = (args.remove.unwrap_or(1), args.add.unwrap_or(1));
    let change = Change { removed, added, sample: args.sample, minimal: args.minimal };
    Ok(Arc::new(Neighbourhood::new(change, sources, known)?))
}

/// Returns the puzzles in some files, and reports records that are not usable puzzles.
fn read_all(files: &[PathBuf], signals: &Signals, is_quiet: bool) -> Result<Vec<Cells>> {
    let mut puzzles = Vec::new();
    if files.is_empty() {
        return Ok(puzzles);
    }
    let mut reader = AsideReader::start(files, &InputOptions::default(), 1000, signals, " while reading")?;
    let (mut left_out, mut first) = (0, None);
    reader.each(is_quiet, |ReadRecord { number, chunk, record, problem }| {
        match problem.and_then(|problem| Cells::of_clues(problem).map_err(|reason| reason.to_string())) {
            Ok(cells) => puzzles.push(cells),
            Err(reason) => {
                left_out += 1;
                first.get_or_insert_with(|| unusable(number, chunk, record, reason));
            }
        }
        Ok(true)
    })?;
    if let Some(first) = first {
        say!("quadrille: {} left out, the first: {first}", number_of(left_out, "record"));
    }
    Ok(puzzles)
}
