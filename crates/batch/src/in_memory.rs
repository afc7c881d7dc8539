//! Runs over tables in memory, for programs that hold batches of columns.

use std::io::Read;
use std::sync::{Arc, Mutex};

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::SchemaRef;

use super::compare::RowFilter;
use super::locks::lock;
use super::{BatchOptions, Outputs, Progress, Report, run};
use quadrille_engine::Control;
use quadrille_formats::input::{PassthroughColumns, Source};
use quadrille_formats::output::OutputFormat;
use quadrille_formats::output::columnar::{BatchSink, TableOutput};
use quadrille_model::Result;

/// Answers to a table.
#[derive(Debug)]
#[non_exhaustive]
pub struct TableAnswers {
    /// Columns of the answers.
    pub schema: SchemaRef,
    /// Rows of the answers, in the order of the records.
    pub batches: Vec<RecordBatch>,
    /// Report of the run.
    pub report: Report,
}

/// Records in memory.
#[non_exhaustive]
pub enum TableRecords {
    /// A table whose batches all have the schema `schema`.
    Batches {
        /// Columns of the table.
        schema: SchemaRef,
        /// Rows of the table.
        batches: Vec<RecordBatch>,
        /// True if each answer row begins with the columns of the input table. The names of the answer
        /// columns then begin with `q_`.
        keeps_columns: bool,
    },
    /// A table without columns other than those that form the records. So answer rows do not repeat any
    /// columns.
    ///
    /// The feed thread, which reads the input, requests the batches one after another.
    Made {
        /// Number of records. An estimate is enough.
        count: u64,
        /// Rows of the table.
        batches: Box<dyn RecordBatchReader + Send>,
    },
    /// Grids of equal side length, with one byte per cell. The byte is 0 for an empty cell (see
    /// [`Source::Numbers`]).
    Numbers {
        /// Number of grids. An estimate is enough.
        count: u64,
        /// Side of the grids.
        side: usize,
        /// The bytes of the grids.
        numbers: Box<dyn Read + Send>,
    },
}

/// Answers records in memory and returns rows like those of a Parquet output.
///
/// # Errors
/// Returns the errors of [`run`] and of its [`Report`], such as the error for a table without puzzles.
pub fn run_table(
    name: &str,
    records: TableRecords,
    options: &BatchOptions,
    filter: Option<&mut dyn RowFilter>,
    (control, progress): (&Arc<Control>, &Progress),
) -> Result<TableAnswers> {
    let mut options = options.clone();
    options.output.format = OutputFormat::Arrow;
    // A conversion itself writes the table's columns, as text in its rows. So they are not copied a second
    // time.
    options.output.passthrough = options.ask.conversion().is_none();
    let name = name.to_owned();
    let (columns, expected, source) = match records {
        TableRecords::Batches { schema, batches, keeps_columns } => {
            let expected = batches.iter().map(|batch| batch.num_rows() as u64).sum();
            let columns = keeps_columns.then(|| {
                let batches = Box::new(batches.clone().into_iter().map(Ok));
                PassthroughColumns::of_batches(Arc::clone(&schema), batches)
            });
            let batches = Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema));
            (columns, expected, Source::Batches { name, batches })
        }
        TableRecords::Made { count, batches } => (None, count, Source::Batches { name, batches }),
        TableRecords::Numbers { count, side, numbers } => {
            (None, count, Source::Numbers { name, side, numbers })
        }
    };
    let passthrough = options.output.passthrough.then(|| columns.unwrap_or_else(PassthroughColumns::nothing));
    let collected = CollectingSink { expected, ..CollectingSink::default() };
    let first = 1 + options.index_offset;
    let sink = Box::new(collected.clone());
    let table = TableOutput::new(options.output_options(), Vec::new(), passthrough, (first, first), sink);
    let outputs = Outputs { filter, ..Outputs::new(Box::new(table.clone())) };
    let mut report = run(vec![source], &options, outputs, control, progress)?;
    if let Some(error) = report.error.take() {
        return Err(error);
    }
    table.finish(&[])?;
    let Batches { schema, batches } = std::mem::take(&mut *lock(&collected.kept));
    Ok(TableAnswers {
        schema: schema.unwrap_or_else(|| Arc::new(arrow_schema::Schema::empty())),
        batches,
        report,
    })
}

/// A sink that collects batches in memory.
#[derive(Clone, Default)]
struct CollectingSink {
    kept: Arc<Mutex<Batches>>,
    /// Expected number of rows.
    expected: u64,
}

#[derive(Default)]
struct Batches {
    schema: Option<SchemaRef>,
    batches: Vec<RecordBatch>,
}

impl BatchSink for CollectingSink {
    fn begin(&mut self, schema: &SchemaRef) -> Result<()> {
        lock(&self.kept).schema = Some(Arc::clone(schema));
        Ok(())
    }

    fn write(&mut self, batch: RecordBatch) -> Result<()> {
        lock(&self.kept).batches.push(batch);
        Ok(())
    }

    fn kept(&self) -> Option<u64> {
        Some(self.expected)
    }

    fn finish(&mut self, _: &[(String, String)]) -> Result<()> {
        Ok(())
    }
}
