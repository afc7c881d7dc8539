//! Copies columns of the input tables to the output unchanged.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use crossbeam_channel::bounded;

use super::{Batches, Whole, groups_ahead, open_whole};
use crate::input::Source;
use quadrille_model::{Result, shown, usage};

/// Maximum number of batches from a pipe that wait for the output.
const BATCHES_BEHIND: usize = 64;

/// Input tables with all their columns, from which the output copies columns.
///
/// The output reads these tables separately from the records. So copied values take no memory while a record
/// waits on disk for its output, or after the record was dropped.
pub struct PassthroughColumns {
    pub(crate) schema: SchemaRef,
    batches: Batches,
}

impl PassthroughColumns {
    /// Creates the tables of files, or returns `None` if the first file is not a table.
    ///
    /// `memory` is the memory limit of the run in bytes.
    ///
    /// # Errors
    /// Returns an error if a file cannot be opened, or if its columns differ from those of the first file.
    pub fn of_files(files: &[PathBuf], memory: Option<u64>) -> Result<Option<Self>> {
        let Some((first, others)) = files.split_first() else { return Ok(None) };
        let Some(whole) = open(first)? else { return Ok(None) };
        let schema = Arc::clone(&whole.schema);
        // All files are checked before the first row is written. Each file is opened again when its rows are
        // needed.
        for path in others {
            require_same(&schema, path)?;
        }
        let (others, wanted) = (others.to_vec(), Arc::clone(&schema));
        let groups = groups_ahead(memory.unwrap_or(u64::MAX));
        let later = others.into_iter().flat_map(move |path| match require_same(&wanted, &path) {
            Ok(whole) => all_columns(whole, groups),
            Err(error) => Box::new(std::iter::once(Err(ArrowError::ExternalError(Box::new(error))))),
        });
        let batches = Box::new(all_columns(whole, groups).chain(later));
        Ok(Some(PassthroughColumns { schema, batches }))
    }

    /// Creates the table of a source that can be read only once, such as a pipe.
    ///
    /// Also returns a new source, which must be read instead of `source`. The new source also passes each of
    /// its batches to the table. The table is `None` if `source` is not a table.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub fn of_stream(source: Source) -> Result<(Source, Option<Self>)> {
        let name = source.name();
        let whole = match open_whole(source, &name.as_str().into(), &Arc::default())? {
            Ok(whole) => whole,
            Err(source) => return Ok((source, None)),
        };
        let schema = Arc::clone(&whole.schema);
        let (send, receive) = bounded(BATCHES_BEHIND);
        let batches = all_columns(whole, 1).inspect(move |batch| {
            if let Ok(batch) = batch {
                // Sending fails if the output has already ended.
                let _ = send.send(batch.clone());
            }
        });
        let batches = Box::new(RecordBatchIterator::new(batches, Arc::clone(&schema)));
        let passthrough = PassthroughColumns { schema, batches: Box::new(receive.into_iter().map(Ok)) };
        Ok((Source::Batches { name, batches }, Some(passthrough)))
    }

    /// Creates a table from batches, which must all have the given schema.
    pub fn of_batches(schema: SchemaRef, batches: Batches) -> Self {
        PassthroughColumns { schema, batches }
    }

    /// Creates a table without columns.
    pub fn nothing() -> Self {
        PassthroughColumns { schema: Arc::new(Schema::empty()), batches: Box::new(std::iter::empty()) }
    }

    /// Returns the rows.
    pub(crate) fn into_batches(self) -> PassthroughBatches {
        PassthroughBatches { batches: self.batches, now: None, first: 0, is_known: false }
    }
}

fn open(path: &Path) -> Result<Option<Whole>> {
    // A pipe must not be opened here, because it can be read only once.
    if !path.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(None);
    }
    let name = shown::path(path).into();
    Ok(open_whole(Source::File(path.to_owned()), &name, &Arc::default())?.ok())
}

fn require_same(schema: &SchemaRef, path: &Path) -> Result<Whole> {
    let path_shown = shown::path(path);
    match open(path)? {
        None => Err(usage!(
            "{path_shown}: not a table, but the first input is one (name a text first, or write to CSV or JSON lines)"
        )),
        Some(other) if other.schema.fields() != schema.fields() => Err(usage!(
            "{path_shown}: the columns differ from those of the first input (write to CSV or JSON lines to combine them)"
        )),
        Some(other) => Ok(other),
    }
}

fn all_columns(whole: Whole, groups: usize) -> Batches {
    let count = whole.schema.fields().len();
    whole.read((0..count).collect(), groups)
}

/// Rows of tables, which must be requested in ascending order.
pub struct PassthroughBatches {
    batches: Batches,
    now: Option<RecordBatch>,
    /// 0-based index of the first row of the batch `now`, counted over all tables.
    first: u64,
    /// True if a row of the batch `now` has already been requested.
    is_known: bool,
}

impl PassthroughBatches {
    /// Returns the batch that contains row `row`, and the index of the row in the batch. `row` is 0-based and
    /// counts the rows of all tables.
    ///
    /// The returned bool is true if the previously requested row was in the same batch.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read, or if it has fewer rows because it was changed during
    /// the run. Also returns an error if a row before the current batch is requested.
    pub(crate) fn at(&mut self, row: u64) -> std::result::Result<(bool, &RecordBatch, usize), ArrowError> {
        loop {
            let rows = self.now.as_ref().map_or(0, |batch| batch.num_rows() as u64);
            if row < self.first + rows {
                break;
            }
            self.first += rows;
            match self.batches.next() {
                Some(batch) => (self.now, self.is_known) = (Some(batch?), false),
                None => {
                    let reason = format!("the input no longer has row {}", row + 1);
                    return Err(ArrowError::InvalidArgumentError(reason));
                }
            }
        }
        let is_same = std::mem::replace(&mut self.is_known, true);
        match &self.now {
            Some(batch) if row >= self.first => Ok((is_same, batch, (row - self.first) as usize)),
            _ => {
                Err(ArrowError::InvalidArgumentError("rows must be requested in ascending order".to_owned()))
            }
        }
    }

    /// Makes the next call of [`at`](Self::at) report that its row is in a new batch.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }
}
