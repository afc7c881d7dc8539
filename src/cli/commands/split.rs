//! The command `split-problem`, which cuts one problem into cubes (subproblems).
//!
//! Other commands answer the cubes. Their option `--cubes` names the file of cubes. This module also reads
//! the whole problem for these commands.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Result;

use super::first_record::FirstRecord;
use crate::cli::args::SplitProblemArgs;
use crate::cli::files::{self, Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::progress::{self, Display};
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use quadrille_batch::stats::number_of;
use quadrille_engine::cubes::{CutOptions, cut_noting};
use quadrille_formats::input::InputOptions;
use quadrille_model::{CutProblem, Direction, Error, Purpose};

pub(super) fn run(args: &SplitProblemArgs) -> Result<u8> {
    let file = args.file.clone().into_iter().collect::<Vec<_>>();
    super::reads_terminal(&file);
    FileUses::default()
        .reads_records(&file, &args.input)
        .reads("--weights", config::weights_file(&args.weights))
        .writes_rows(OutputFile::CUBES, args.to.out.as_deref(), false)
        .check_conflicts()?;
    let mut options = config::input_options(&args.input)?;
    let purpose = match args {
        SplitProblemArgs { minimize: true, .. } => Purpose::Best(Direction::Minimize),
        SplitProblemArgs { maximize: true, .. } => Purpose::Best(Direction::Maximize),
        SplitProblemArgs { all: true, .. } => Purpose::Every,
        _ => Purpose::Count,
    };
    if matches!(purpose, Purpose::Best(_)) {
        options.weights = Some(config::weights(&args.weights)?);
    }
    let signals = Signals::listen(args.deadline)?;
    // The output is opened before the problem is cut. So an error is reported at once if the file cannot be
    // written.
    let open = || Destination::open(args.to.out.as_deref(), args.to.write);
    let out = signals.at_once(open)?;
    let if_stopped = ": nothing was written";
    let whole = whole(&file, &options, purpose, &signals, if_stopped)?;
    let pool = config::pool(args.pool.threads)?;
    let cutting = CutOptions {
        target: args.target as usize,
        probes: args.probes,
        seed: args.seed,
        ..CutOptions::default()
    };
    let made = Arc::new(AtomicU64::new(0));
    let is_printed = files::named(args.to.out.as_deref()).is_none();
    let is_shown = progress::is_shown(args.progress, args.quiet, is_printed);
    let display = is_shown.then(|| Display::count("cube", &made, args.target.into()));
    let cubes = pool.install(|| cut_noting(&whole, &cutting, signals.control(), &made));
    drop(display);
    let cubes = cubes?.map_err(|reason| signals.stopped(reason, if_stopped))?;
    if cubes.len() < cutting.target && !args.quiet {
        let made = number_of(cubes.len() as u64, "cube");
        say!("quadrille: made only {made}: the problem cannot be cut further");
    }
    let mut text = Vec::new();
    for (name, cube) in whole.names(&cubes).zip(&cubes) {
        text.extend(format!("{name}\t").into_bytes());
        whole.write(cube, &mut text);
        text.push(b'\n');
    }
    signals.at_once(|| out.write(|out| out.write_all(&text)))?;
    Ok(exit::OK)
}

/// Reads the only problem of the input. `if_stopped` is the end of the error message if the reading is
/// stopped.
pub(super) fn whole(
    files: &[PathBuf],
    options: &InputOptions,
    purpose: Purpose,
    signals: &Signals,
    if_stopped: &'static str,
) -> Result<CutProblem> {
    let first = FirstRecord::read(files, options, signals, if_stopped)?;
    if first.has_more {
        return Err(
            Error::usage("the input has more than one problem, but cubes are parts of one problem").into()
        );
    }
    Ok(CutProblem::new(first.problem.as_ref(), first.symbols, purpose)?)
}
