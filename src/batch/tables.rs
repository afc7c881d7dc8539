//! Tables in memory: the same run over batches of columns, for programs that have them in their hands.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::SchemaRef;

use super::compare::RowFilter;
use super::{BatchOptions, Outputs, Progress, Report, run};
use crate::engine::Control;
use crate::error::Result;
use crate::input::{Carried, Source};
use crate::output::{BatchSink, OutputFormat, TableOutput};

/// The answers to a table.
#[derive(Debug)]
pub struct TableAnswers {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, in order.
    pub batches: Vec<RecordBatch>,
    /// The account of the run.
    pub report: Report,
}

/// Answers the records of a table in memory, all batches of which have this schema. The rows are as those of a Parquet output:
/// with `keeps_columns` the table's own columns and then ours, prefixed `q_`; else ours alone.
///
/// # Errors
/// As [`run`], and what its [`Report`] has: a table without puzzles.
pub fn run_table(
    name: &str,
    (schema, batches): (SchemaRef, Vec<RecordBatch>),
    keeps_columns: bool,
    options: &BatchOptions,
    filter: Option<&mut dyn RowFilter>,
    (control, progress): (&Arc<Control>, &Progress),
) -> Result<TableAnswers> {
    let mut options = options.clone();
    options.output.format = OutputFormat::Arrow;
    let carried = if keeps_columns {
        let batches = batches.clone().into_iter().map(Ok);
        Carried::of_batches(Arc::clone(&schema), Box::new(batches))
    } else {
        Carried::nothing()
    };
    let source = Source::Batches {
        name: name.to_owned(),
        batches: Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema)),
    };
    let collected = Collected::default();
    let first = 1 + options.index_offset;
    let sink = Box::new(collected.clone());
    let table = TableOutput::new(options.output_options(), Vec::new(), Some(carried), (first, first), sink);
    let outputs = Outputs { filter, ..Outputs::of(Box::new(table.clone())) };
    let mut report = run(vec![source], &options, outputs, control, progress)?;
    if let Some(error) = report.error.take() {
        return Err(error);
    }
    table.finish(&[])?;
    let Kept { schema, batches } = std::mem::take(&mut *collected.lock());
    Ok(TableAnswers {
        schema: schema.unwrap_or_else(|| Arc::new(arrow_schema::Schema::empty())),
        batches,
        report,
    })
}

/// Batches that are kept.
#[derive(Clone, Default)]
struct Collected(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    schema: Option<SchemaRef>,
    batches: Vec<RecordBatch>,
}

impl Collected {
    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BatchSink for Collected {
    fn begin(&mut self, schema: &SchemaRef) -> Result<()> {
        self.lock().schema = Some(Arc::clone(schema));
        Ok(())
    }

    fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.lock().batches.push(batch);
        Ok(())
    }

    fn finish(&mut self, _: &[(String, String)]) -> Result<()> {
        Ok(())
    }
}
