//! Input of `generate neighbours`: the puzzles whose neighbours are generated, and the known puzzles, which
//! must not be generated again.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::args::GenerateArgs;
use crate::cli::commands::aside_reader::{AsideReader, Input};
use crate::cli::files;
use crate::cli::messages::say;
use quadrille_batch::stats::number_of;
use quadrille_engine::Control;
use quadrille_formats::input::{Body, InputOptions, Records};
use quadrille_generate::sudoku::ATTEMPTS;
use quadrille_generate::{Change, Kind, Neighbourhood};
use quadrille_model::canonical::Cells;
use quadrille_model::{EndedBy, Error, ErrorKind, Location, usage};

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
    if let Some((option, _)) = of_neighbours.iter().find(|(_, is_given)| *is_given && !is_neighbours) {
        return Err(usage!("{option} is only for neighbours").into());
    }
    if !is_neighbours {
        return Ok(());
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

/// Reads the puzzles whose neighbours are generated, and the known puzzles. If `control` stops the reading,
/// returns the reason of the stop instead.
pub(super) fn read(
    args: &GenerateArgs,
    control: &Control,
) -> Result<std::result::Result<Arc<Neighbourhood>, EndedBy>> {
    let sources: Vec<PathBuf> = args.parameters.iter().map(PathBuf::from).collect();
    let mut given = [Vec::new(), Vec::new()];
    for (files, puzzles) in [&sources, &args.known].into_iter().zip(&mut given) {
        if let Some(reason) = read_all(files, control, args.quiet, puzzles)? {
            return Ok(Err(reason));
        }
    }
    let [sources, known] = given;
    if sources.is_empty() {
        return Err(Error::usage("neighbours: the files have no puzzle with canonical forms").into());
    }
    let (removed, added) = (args.remove.unwrap_or(1), args.add.unwrap_or(1));
    let change = Change { removed, added, sample: args.sample, minimal: args.minimal };
    Ok(Ok(Arc::new(Neighbourhood::new(change, sources, known)?)))
}

/// Adds the puzzles in some files to `puzzles`, and reports records that are not usable puzzles.
fn read_all(
    files: &[PathBuf],
    control: &Control,
    is_quiet: bool,
    puzzles: &mut Vec<Cells>,
) -> Result<Option<EndedBy>> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut reader = AsideReader::start(files, &InputOptions::default(), 1000, control)?;
    let mut records = Records::default();
    let (mut number, mut left_out, mut first) = (0, 0, None);
    loop {
        let chunk = match reader.next()? {
            Input::Chunk(chunk) => chunk,
            Input::End(_) => break,
            Input::Stopped(reason) => return Ok(Some(reason)),
        };
        reader.parse(&chunk, &mut records, is_quiet);
        for record in records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)) {
            number += 1;
            let reason = match (&record.body, records.problem(record)) {
                (&Body::Unread(reason), _) => return Ok(Some(reason)),
                (Body::Invalid(reason) | Body::Unsupported(reason), _) => reason.to_string(),
                (_, None) => "not a puzzle".to_owned(),
                (_, Some(problem)) => match Cells::of_clues(problem) {
                    Ok(cells) => {
                        puzzles.push(cells);
                        continue;
                    }
                    Err(reason) => reason.to_string(),
                },
            };
            left_out += 1;
            let place = Location {
                source: chunk.source.clone(),
                record: number,
                line: record.line,
                byte: record.byte,
            };
            first.get_or_insert_with(|| Error::from(ErrorKind::Input { place, reason }));
        }
    }
    if let Some(first) = first {
        say!("quadrille: {} left out, the first: {first}", number_of(left_out, "record"));
    }
    Ok(None)
}
