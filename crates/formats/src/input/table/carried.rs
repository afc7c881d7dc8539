//! The columns of a run's tables that go to its output as they are.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use crossbeam_channel::bounded;

use super::{BATCH_ROWS, Batches, Failed, Kind, Whole, open_whole};
use crate::input::Source;
use quadrille_model::{Error, Result};

/// Batches of a pipe that are read ahead of the output.
const BATCHES_BEHIND: usize = 64;

/// The tables of a run with all of their columns, read a second time, by the output: rows that were dropped or wait on disk need
/// no place in memory for what is beside their puzzles.
pub struct Carried {
    schema: SchemaRef,
    batches: Batches,
}

impl Carried {
    /// Of files; `None` where the first is no table.
    ///
    /// # Errors
    /// Files that cannot be opened, and tables with other columns than the first.
    pub fn of_files(files: &[PathBuf]) -> Result<Option<Self>> {
        let Some((first, others)) = files.split_first() else { return Ok(None) };
        let Some(whole) = open(first)? else { return Ok(None) };
        let schema = Arc::clone(&whole.schema);
        // All are looked at before the first row is written, and opened again when their turn comes.
        for path in others {
            require_same(&schema, path)?;
        }
        let files = CarriedFiles {
            schema: Arc::clone(&schema),
            now: Some(all_columns(whole)),
            files: others.to_vec().into(),
        };
        Ok(Some(Carried { schema, batches: Box::new(files) }))
    }

    /// Of a source that can be read once, such as a pipe: its batches are handed to both, the source that is given back, and
    /// this. `None` where it is no table.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn of_stream(source: Source) -> Result<(Source, Option<Self>)> {
        let name = source.name();
        let opened = open_whole(source, &Arc::default());
        let whole = match opened.map_err(|error: Failed| error.within(&name.as_str().into()))? {
            Ok(whole) => whole,
            Err(source) => return Ok((source, None)),
        };
        let schema = Arc::clone(&whole.schema);
        let (send, receive) = bounded(BATCHES_BEHIND);
        let batches = all_columns(whole).inspect(move |batch| {
            if let Ok(batch) = batch {
                // The output may have ended, well or not.
                let _ = send.send(batch.clone());
            }
        });
        let batches = Box::new(RecordBatchIterator::new(batches, Arc::clone(&schema)));
        let carried = Carried { schema, batches: Box::new(receive.into_iter().map(Ok)) };
        Ok((Source::Batches { name, batches }, Some(carried)))
    }

    /// Of batches, all with this schema.
    pub fn of_batches(schema: SchemaRef, batches: Batches) -> Self {
        Carried { schema, batches }
    }

    /// No column at all.
    pub fn nothing() -> Self {
        Carried { schema: Arc::new(Schema::empty()), batches: Box::new(std::iter::empty()) }
    }

    /// The columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows.
    pub(crate) fn into_batches(self) -> CarriedBatches {
        CarriedBatches { batches: self.batches, now: None, first: 0, is_known: false }
    }
}

fn open(path: &Path) -> Result<Option<Whole>> {
    // A pipe can be read once.
    if !path.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(None);
    }
    let name = path.display().to_string().into();
    let opened = open_whole(Source::File(path.to_owned()), &Arc::default());
    Ok(opened.map_err(|error: Failed| error.within(&name))?.ok())
}

fn require_same(schema: &SchemaRef, path: &Path) -> Result<Whole> {
    let path_shown = path.display();
    match open(path)? {
        None => Err(Error::usage(format!("{path_shown} is no table as the first input is"))),
        Some(other) if other.schema.fields() != schema.fields() => {
            Err(Error::usage(format!("{path_shown} has other columns than the first input")))
        }
        Some(other) => Ok(other),
    }
}

fn all_columns(whole: Whole) -> Batches {
    match whole.kind {
        Kind::Parquet(parquet) => {
            let columns = (0..whole.schema.fields().len()).collect();
            parquet.read(columns, BATCH_ROWS)
        }
        Kind::Batches(batches) => batches,
    }
}

/// The rows of several files.
struct CarriedFiles {
    schema: SchemaRef,
    now: Option<Batches>,
    files: VecDeque<PathBuf>,
}

impl Iterator for CarriedFiles {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.now.as_mut()?.next() {
                return Some(batch);
            }
            self.now = None;
            let path = self.files.pop_front()?;
            match require_same(&self.schema, &path) {
                Ok(whole) => self.now = Some(all_columns(whole)),
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
        }
    }
}

/// The rows of tables, by their numbers, which only rise.
pub struct CarriedBatches {
    batches: Batches,
    now: Option<RecordBatch>,
    /// Number of the first row of `now`, from 0.
    first: u64,
    /// A row of `now` was asked for.
    is_known: bool,
}

impl CarriedBatches {
    /// Returns the batch that holds a row, whether it is that of the row before, and the row's place in it.
    ///
    /// # Errors
    /// A table that cannot be read, or has fewer rows: it was changed during the run.
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
                    let reason = format!("the input has no row {} any more", row + 1);
                    return Err(ArrowError::InvalidArgumentError(reason));
                }
            }
        }
        let is_same = std::mem::replace(&mut self.is_known, true);
        match &self.now {
            Some(batch) if row >= self.first => Ok((is_same, batch, (row - self.first) as usize)),
            _ => Err(ArrowError::InvalidArgumentError("rows are asked for in their order".to_owned())),
        }
    }

    /// The next row's batch is not that of the row before.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }
}
