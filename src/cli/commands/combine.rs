//! `combine`: combines the answers of several cubes (subproblems) into the answer of the whole problem.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Result;

use crate::cli::args::CombineArgs;
use crate::cli::exit;
use crate::cli::files::{Destination, FileUses, OutputFile};
use crate::cli::signals::Signals;
use quadrille_engine::cubes::{CubeAnswers, named};
use quadrille_formats::input::Source;
use quadrille_model::{CubeName, Error, ErrorKind, Location, shown};

/// Maximum length, in bytes, of a line with an answer or a cube.
const LINE_BYTES: u64 = 64 << 20;

pub(super) fn run(args: &CombineArgs) -> Result<u8> {
    FileUses::default()
        .reads("the input", &args.files)
        .reads("--cubes", &args.cubes)
        .writes(OutputFile::MISSING, args.missing.as_deref())
        .check_conflicts()?;
    let _signals = Signals::end_at_once()?;
    let out = Destination::open(args.missing.as_deref(), args.write)?;
    let mut sum = CubeAnswers::default();
    // The lines of all cubes in input order, without repetitions.
    let (mut lines, mut listed) = (Vec::new(), BTreeSet::new());
    if let Some(cubes) = &args.cubes {
        // A cut divides one problem into cubes. All cubes must come from the same cut. Their names identify
        // the cut even if there are no answers.
        each_line(cubes, |line| {
            let name = name_of(line)?;
            sum.expect(&name)?;
            if listed.insert(name.number) {
                lines.push((name.number, line.to_owned()));
            }
            Ok(())
        })?;
    }
    for file in &args.files {
        each_line(file, |line| sum.add(line))?;
    }
    let Some(cubes) = args.cubes.as_ref().filter(|_| args.missing.is_some()) else {
        let total = sum.total()?;
        out.write(|out| writeln!(out, "{total}"))?;
        return Ok(exit::OK);
    };
    require_listed(&sum, &listed, cubes)?;
    lines.retain(|(number, _)| !sum.has(*number));
    out.write(|out| lines.iter().try_for_each(|(_, line)| writeln!(out, "{line}")))?;
    Ok(exit::OK)
}

/// Checks that the file of cubes contains every cube that has no answer.
fn require_listed(sum: &CubeAnswers, listed: &BTreeSet<u64>, cubes: &Path) -> quadrille_model::Result<()> {
    if sum.cubes().is_none() {
        return Err(Error::model(format!("{} has no cubes", shown::path(cubes))));
    }
    let lost = named(sum.missing().filter(|number| !listed.contains(number)));
    if lost.is_empty() {
        return Ok(());
    }
    let cubes = shown::path(cubes);
    Err(Error::model(format!("these cubes have no answer and are not in {cubes} either: {lost}")))
}

fn name_of(line: &str) -> quadrille_model::Result<CubeName> {
    line.split('\t').next().unwrap_or_default().parse().map_err(Error::model)
}

/// Calls `take` for each line that is complete and not empty. A last line without a line end is ignored,
/// because the program that wrote it was killed.
///
/// # Errors
/// Returns an error if reading or `take` fails, or if the line is too long. The error names the file and the
/// line.
fn each_line(path: &Path, mut take: impl FnMut(&str) -> quadrille_model::Result<()>) -> Result<()> {
    let mut file = BufReader::new(Source::from_argument(path).open_unpacked()?);
    let (mut line, mut number, mut byte) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        let read = file.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
        let read = read.map_err(|cause| Error::io("reading", path, byte, cause))? as u64;
        number += 1;
        let at = |reason: String| {
            let source = path.display().to_string().into();
            Error::from(ErrorKind::Input {
                place: Location { source, record: number, line: number, byte },
                reason,
            })
        };
        if line.pop() != Some(b'\n') {
            let is_cut = read < LINE_BYTES;
            return if is_cut { Ok(()) } else { Err(at("the line is too long for an answer".into()).into()) };
        }
        let text =
            std::str::from_utf8(&line).map_err(|_| at("not UTF-8 text".into()))?.trim_end_matches('\r');
        if !text.is_empty() {
            take(text).map_err(|error| at(error.to_string()))?;
        }
        byte += read;
    }
}
