//! `fingerprint`: a few numbers that identify a corpus, and its share of puzzles in common with another corpus.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::args::{FingerprintArgs, FingerprintFormat};
use crate::cli::files::{self, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit, status_of, unreadable_input};
use quadrille_batch::compare::fingerprint::{self, Fingerprint};
use quadrille_batch::compare::overlap::ReferenceKeys;
use quadrille_batch::stats::number_of;
use quadrille_batch::{BatchOptions, Outputs, Progress, run};
use quadrille_engine::Control;
use quadrille_formats::input::InputOptions;
use quadrille_model::{EndedBy, Error, shown};

/// Memory for the keys of the other corpus, in bytes.
const MEMORY: u64 = 1 << 30;

pub(super) fn fingerprint(args: &FingerprintArgs) -> Result<u8> {
    let known = args.against.as_slice();
    FileUses::default()
        .reads("the corpus to compare with", known.iter().map(PathBuf::as_path))
        .reads_records(&args.files)
        .reads_rules(args.input.regions.as_deref(), args.input.houses.as_deref())
        .writes_rows(OutputFile::Rows, None, false)
        .check_conflicts()?;
    if known.iter().any(|path| files::is_stream(path)) && args.files.iter().all(|file| files::is_stream(file))
    {
        return Err(Error::usage("both corpora cannot be standard input").into());
    }
    let defaults = fingerprint::options();
    let input = InputOptions { id_names: defaults.input.id_names, ..config::input_options(&args.input)? };
    let options = BatchOptions { input, threads: args.pool.threads, ..defaults };
    options.validate()?;
    super::reads_terminal(&args.files);
    let control = config::control(None);
    let signals = Signals::listen(&control)?;
    let directory = std::env::temp_dir();
    let mut other = None;
    if !known.is_empty() {
        let mut of_known = Fingerprint::with_keys(ReferenceKeys::new(MEMORY, &directory));
        if let Some(status) = take((args, known), &options, &mut of_known, &control, &signals)? {
            return Ok(status);
        }
        other = Some(of_known);
    }
    let keys = other.as_mut().and_then(Fingerprint::take_keys);
    let mut own = match keys {
        Some(keys) => Fingerprint::compared(keys.compare(&directory)?),
        None => Fingerprint::default(),
    };
    if let Some(status) = take((args, &args.files), &options, &mut own, &control, &signals)? {
        return Ok(status);
    }
    let common = other.as_ref().and_then(|other| own.common(other));
    let text = match (args.to, common) {
        (FingerprintFormat::Json, common) => own.to_json(common),
        (FingerprintFormat::Markdown, _) => own.to_markdown(),
        (FingerprintFormat::Text, Some(common)) => common.to_string(),
        (FingerprintFormat::Text, None) if std::io::stdout().is_terminal() => own.to_markdown(),
        (FingerprintFormat::Text, None) => own.to_json(None),
    };
    files::print(&format!("{text}\n"))?;
    Ok(exit::OK)
}

/// Reads a corpus. Returns an exit status if it could not be read to its end.
fn take(
    (args, files): (&FingerprintArgs, &[PathBuf]),
    options: &BatchOptions,
    fingerprint: &mut Fingerprint,
    control: &Arc<Control>,
    signals: &Signals,
) -> Result<Option<u8>> {
    let outputs = Outputs { filter: Some(fingerprint), ..Outputs::new(Box::new(std::io::sink())) };
    let report = run(config::sources(files)?, options, outputs, control, &Progress::default())?;
    if let Some(error) = report.error {
        let error = anyhow::Error::from(error);
        say!("quadrille: {error:#}");
        return Ok(Some(status_of(&error)));
    }
    let name = || files.first().map_or_else(|| "-".to_owned(), |file| shown::path(file).to_string());
    if let Some(warning) =
        unreadable_input::warning(&report.statistics, report.first_format, report.format_hint.as_deref())
    {
        say!("quadrille: {}: {warning}", name());
        return Ok(Some(exit::UNREADABLE));
    }
    if let Some(reason) = report.stopped_by.or(control.is_cancelled().then_some(EndedBy::Cancel)) {
        say!("quadrille: stopped ({}) while reading {}", reason.word(), name());
        return Ok(Some(signals.exit_status(reason)));
    }
    if fingerprint.unreadable > 0 && !args.messages.quiet {
        let unreadable = number_of(fingerprint.unreadable, "unreadable record");
        say!("quadrille: {}: {unreadable}, compared as text", name());
    }
    fingerprint.take_statistics(&report.statistics);
    Ok(None)
}
