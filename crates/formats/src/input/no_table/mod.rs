//! Replaces the module `table` in a build without the feature `parquet`, and refuses tables.

pub(super) mod batches;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::blocks::BlockSender;
use super::source::unreadable;
use super::{Format, InputOptions, Source};
use quadrille_model::Error;

/// Columns of a table. This build cannot create them.
pub enum PassthroughColumns {}

/// Batches of such columns.
pub enum PassthroughBatches {}

/// Refuses the source if the caller named a table format, otherwise returns the source.
pub(super) fn send(
    source: Source,
    name: &Arc<str>,
    options: &InputOptions,
    _: &Arc<AtomicU64>,
    _: &BlockSender<'_>,
) -> ControlFlow<Option<Result<(), Error>>, Source> {
    if !options.format.is_some_and(Format::is_table) {
        return ControlFlow::Continue(source);
    }
    let reason = "a table: this build cannot read it: cargo install --path . --features parquet, or pip install ./python";
    ControlFlow::Break(Some(Err(unreadable(name, (0, 1, 0), reason))))
}
