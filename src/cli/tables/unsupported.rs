//! Replaces `table_rows` in a build without the feature `parquet`.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::Rows;
use quadrille_batch::stats::Statistics;
use quadrille_batch::{BatchOptions, CommitRows};
use quadrille_formats::input::Source;
use quadrille_model::{Result, usage};

pub(super) const IS_SUPPORTED: bool = false;

/// A table. This build cannot write tables, so the type has no values.
pub(in crate::cli) enum TableRows {}

pub(super) fn open_file(
    _: &[PathBuf],
    options: &BatchOptions,
    _: u64,
    _: Box<dyn Write + Send>,
    _: bool,
) -> Result<Rows> {
    unsupported(options)
}

pub(super) fn open_parts(
    _: &[PathBuf],
    options: &BatchOptions,
    _: u64,
    _: &Path,
    _: Option<u64>,
) -> Result<Rows> {
    unsupported(options)
}

fn unsupported(options: &BatchOptions) -> Result<Rows> {
    let name = options.output.format.name();
    Err(usage!(
        "this build cannot write {name}: cargo install --path . --features parquet, or pip install ./python"
    ))
}

impl TableRows {
    pub(in crate::cli) fn is_passthrough(&self) -> bool {
        match *self {}
    }

    pub(in crate::cli) fn is_piped(&self) -> bool {
        match *self {}
    }

    pub(in crate::cli) fn take_source(&mut self) -> Option<Source> {
        match *self {}
    }

    pub(in crate::cli) fn seal(&self) -> CommitRows {
        match *self {}
    }

    pub(in crate::cli) fn finish(self, _: &Statistics) -> Result<()> {
        match self {}
    }
}
