//! `fingerprint`: computes a few numbers that identify a corpus. It can also compute the share of puzzles
//! that two corpora have in common.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Result;

use super::compare::{corpus_name, read_corpus};
use crate::cli::args::{FingerprintArgs, FingerprintFormat};
use crate::cli::files::{self, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use quadrille_batch::BatchOptions;
use quadrille_batch::compare::fingerprint::{self, Fingerprint};
use quadrille_batch::compare::overlap::ReferenceKeys;
use quadrille_batch::stats::number_of;
use quadrille_formats::input::InputOptions;
use quadrille_model::Error;

/// Memory, in bytes, for the keys that identify the puzzles of the other corpus.
const MEMORY: u64 = 1 << 30;

pub(super) fn fingerprint(args: &FingerprintArgs) -> Result<u8> {
    let known = args.against.as_slice();
    FileUses::default()
        .reads("the corpus to compare with", known)
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::ROWS, None, false)
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
    let signals = Signals::listen(None)?;
    let take = |files: &[PathBuf], mut fingerprint: Fingerprint| {
        let report = read_corpus(files, &options, &mut fingerprint, &signals, "")?;
        if fingerprint.unreadable > 0 && !args.messages.quiet {
            let unreadable = number_of(fingerprint.unreadable, "unreadable record");
            say!("quadrille: {}: {unreadable}, compared as text", corpus_name(files));
        }
        fingerprint.take_statistics(&report.statistics);
        anyhow::Ok(fingerprint)
    };
    let directory = std::env::temp_dir();
    let keys = || Fingerprint::with_keys(ReferenceKeys::new(MEMORY, &directory));
    let mut other = args.against.is_some().then(|| take(known, keys())).transpose()?;
    let own = match other.as_mut().and_then(Fingerprint::take_keys) {
        Some(keys) => Fingerprint::compared(keys.compare(&directory)),
        None => Fingerprint::default(),
    };
    let own = take(&args.files, own)?;
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
