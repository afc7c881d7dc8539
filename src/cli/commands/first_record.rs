//! Reads the first record of a file, for commands that take a single problem.

use std::path::PathBuf;

use anyhow::Result;

use super::aside_reader::{AsideReader, ReadRecord, unusable};
use crate::cli::signals::Signals;
use quadrille_formats::input::InputOptions;
use quadrille_model::{Error, Problem, Symbols};

/// The first record of the input. The record is a problem.
pub(super) struct FirstRecord {
    pub(super) problem: Problem,
    /// The symbols with which the digits of the problem are written.
    pub(super) symbols: Symbols,
    /// True if the input has more than this one record.
    pub(super) has_more: bool,
}

impl FirstRecord {
    /// Reads the first record of the files, or of standard input if there are no files. `if_stopped` is the
    /// end of the error message if the reading is stopped.
    pub(super) fn read(
        files: &[PathBuf],
        options: &InputOptions,
        signals: &Signals,
        if_stopped: &'static str,
    ) -> Result<Self> {
        let mut reader = AsideReader::start(files, options, 1, signals, if_stopped)?;
        let mut first = None;
        reader.each(false, |ReadRecord { number, chunk, record, problem }| {
            let problem = problem.map_err(|reason| unusable(number, chunk, record, reason))?.to_owned();
            first = Some(FirstRecord { problem, symbols: record.symbols, has_more: chunk.records > 1 });
            Ok(false)
        })?;
        let mut first = first.ok_or_else(|| Error::usage("the input has no records"))?;
        while !first.has_more
            && let Some(rest) = reader.next_chunk()?
        {
            first.has_more = rest.records > 0;
        }
        Ok(first)
    }
}
