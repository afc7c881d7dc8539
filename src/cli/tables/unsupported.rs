//! Replaces `table_rows` in a build without the feature `parquet`.

use std::path::PathBuf;

use super::{Place, Rows};
use quadrille_batch::BatchOptions;
use quadrille_model::{Result, usage};

pub(super) const IS_SUPPORTED: bool = false;

pub(super) fn open(_: &[PathBuf], options: &BatchOptions, _: u64, _: Place<'_>) -> Result<Rows> {
    let name = options.output.format.name();
    Err(usage!(
        "this build cannot write {name}: cargo install --path . --features parquet, or pip install ./python"
    ))
}
