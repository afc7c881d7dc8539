//! Converts the bytes of rows to batches of columns, and adds the columns copied from the input.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Metadata, Schema, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::take::take;

use super::builders::Builder;
use crate::input::{PassthroughBatches, PassthroughColumns};
use crate::output::field::ValueKind;
use crate::output::first_source::{PREFIX, free_name};
use crate::output::notation::NULL;
use crate::output::table::TAG;
use crate::output::{Field, OutputOptions};
use quadrille_model::{Error, ErrorKind, PLAIN_LINE, Result, usage};

/// Number of rows in a batch that is written to a file.
const BATCH_ROWS: usize = 8192;
/// Number of rows in a batch that is kept in memory.
const KEPT_ROWS: usize = 8 * BATCH_ROWS;

/// Number of bytes of text after which a batch ends, even if it has few rows.
const BATCH_BYTES: usize = 64 << 20;

/// Receives the rows of a run as batches, in order.
pub trait BatchSink: Send {
    /// Receives the schema of all batches. Called once, before the first batch.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn begin(&mut self, schema: &SchemaRef) -> Result<()>;

    /// Receives a batch.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn write(&mut self, batch: RecordBatch) -> Result<()>;

    /// Writes buffered rows to the destination.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns the total number of rows to expect if batches are kept in memory, otherwise `None`.
    fn kept(&self) -> Option<u64> {
        None
    }

    /// Returns true if a reader may be waiting for the next rows. If so, flushing ends the current batch.
    fn is_awaited(&self) -> bool {
        false
    }

    /// Makes all batches received so far complete on disk, so that a later run can resume from here.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn seal(&mut self) -> Result<()> {
        Ok(())
    }

    /// Ends the output. `about` contains key-value pairs about the run. No batch may follow.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn finish(&mut self, about: &[(String, String)]) -> Result<()>;
}

/// Destination for the rows of a run, which converts them to a table. See
/// [`Outputs::rows`](quadrille_batch::Outputs::rows).
///
/// A clone refers to the same output. Pass one clone to the run, and [finish](Self::finish) the other after
/// the run.
#[derive(Clone)]
pub struct TableOutput(Arc<Mutex<Inner>>);

struct Inner {
    options: OutputOptions,
    /// Key-value pairs about the run, which become metadata of the schema.
    about: Vec<(String, String)>,
    passthrough: Option<PassthroughColumns>,
    /// 1-based number of the input's first record, counted over the whole run.
    first: u64,
    /// 1-based number of the first record for which rows are written, counted over the whole run.
    next: u64,
    /// Rows of the current batch.
    ///
    /// `None` until the beginning of the output has arrived, because the beginning names the columns.
    rows: Option<RowBatch>,
    /// Beginning of a row, if its end has not arrived yet.
    rest: Vec<u8>,
    sink: Box<dyn BatchSink>,
}

impl TableOutput {
    /// Creates an output that sends rows to `sink`.
    ///
    /// `about` becomes metadata of the schema. `first` is the number of the input's first record. `next` is
    /// the number of the first record for which rows are written. Both numbers are 1-based and count over the
    /// whole run.
    pub fn new(
        options: OutputOptions,
        about: Vec<(String, String)>,
        passthrough: Option<PassthroughColumns>,
        (first, next): (u64, u64),
        sink: Box<dyn BatchSink>,
    ) -> Self {
        let inner = Inner { options, about, passthrough, first, next, rows: None, rest: Vec::new(), sink };
        TableOutput(Arc::new(Mutex::new(inner)))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all rows received so far complete on disk.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn seal(&self) -> Result<()> {
        let mut inner = self.lock();
        inner.hand_on()?;
        inner.sink.seal()
    }

    /// Ends the table.
    ///
    /// The key-value pairs in `about` become metadata of the table if the format supports this.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn finish(&self, about: &[(String, String)]) -> Result<()> {
        let mut inner = self.lock();
        if inner.rows.is_none() {
            // The run failed before it wrote a row.
            return Ok(());
        }
        inner.hand_on()?;
        inner.sink.finish(about)
    }
}

impl Write for TableOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().take(bytes).map_err(into_io)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut inner = self.lock();
        if inner.sink.is_awaited() {
            inner.hand_on().map_err(into_io)?;
            inner.sink.flush().map_err(into_io)?;
        }
        Ok(())
    }
}

/// Converts an error to an I/O error. A closed pipe keeps its error kind.
fn into_io(error: Error) -> io::Error {
    match error.kind() {
        ErrorKind::Io { cause, .. } if cause.kind() == io::ErrorKind::BrokenPipe => {
            io::ErrorKind::BrokenPipe.into()
        }
        _ => io::Error::other(error),
    }
}

/// Converts an error from the Arrow library.
pub(super) fn failed(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, cause) => Error::io("writing", "the table", 0, cause),
        ArrowError::ExternalError(cause) => match cause.downcast::<Error>() {
            Ok(error) => *error,
            Err(cause) => usage!("the table cannot be written: {cause}"),
        },
        error => usage!("the table cannot be written: {error}"),
    }
}

impl Inner {
    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        let joined;
        let mut bytes = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.rest);
            &joined[..]
        };
        if self.rows.is_none() {
            let Some((is_table, names, rest)) = head_of(bytes) else {
                self.rest = bytes.to_vec();
                return Ok(());
            };
            self.begin(is_table, names)?;
            bytes = rest;
        }
        let Inner { rows: Some(rows), sink, .. } = self else { return Ok(()) };
        while let Some(used) = rows.take(bytes)? {
            bytes = &bytes[used..];
            if rows.is_full() {
                sink.write(rows.batch()?)?;
            }
        }
        self.rest = bytes.to_vec();
        Ok(())
    }

    /// Starts the table, which is possible once the first source is known.
    fn begin(&mut self, is_table: bool, names: Vec<String>) -> Result<()> {
        let passthrough = self.passthrough.take();
        let passthrough = match (is_table, passthrough) {
            (true, Some(passthrough)) => Some(passthrough),
            (false, _) => None,
            (true, None) => {
                return Err(Error::usage(
                    "the input is a table from a pipe, but must be read twice: save it to a file first",
                ));
            }
        };
        let mut rows = RowBatch::new(&self.options, &self.about, passthrough, names, (self.first, self.next));
        rows.expected = self.sink.kept();
        self.sink.begin(&rows.schema)?;
        self.rows = Some(rows);
        Ok(())
    }

    /// Sends the rows collected so far to the sink.
    fn hand_on(&mut self) -> Result<()> {
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.count > 0) {
            self.sink.write(rows.batch()?)?;
        }
        Ok(())
    }
}

/// Reads the beginning of the output, or returns `None` if it is incomplete.
///
/// Returns three values:
/// - True if the input's columns are copied.
/// - Names of the input columns that rows contain as text.
/// - The rest of `bytes`.
fn head_of(bytes: &[u8]) -> Option<(bool, Vec<String>, &[u8])> {
    let (&kind, mut rest) = bytes.split_first()?;
    let mut names = Vec::new();
    if kind == b'N' {
        let (number, behind) = rest.split_first_chunk()?;
        rest = behind;
        for _ in 0..u32::from_le_bytes(*number) {
            let (length, behind) = rest.split_first_chunk()?;
            let (name, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            names.push(String::from_utf8_lossy(name).into_owned());
            rest = behind;
        }
    }
    Some((kind == b'T', names, rest))
}

/// Rows collected for a batch.
struct RowBatch {
    schema: SchemaRef,
    /// Columns that are copied from the input, if there are any.
    passthrough: Option<PassthroughBatches>,
    /// Number of columns that are copied from the input.
    passthrough_columns: usize,
    /// Fields of the program's columns. Columns that are appended later are not included.
    fields: Vec<Field>,
    builders: Vec<Builder>,
    /// For each copied column, the pieces of input arrays that belong to the collected rows, in order.
    pieces: Vec<Vec<ArrayRef>>,
    taken: Option<TakenRows>,
    count: usize,
    /// Number of bytes received for the rows of the current batch.
    bytes: usize,
    /// Number of rows that are still expected, if batches are kept in memory.
    expected: Option<u64>,
    /// 1-based number of the record to which the last row belongs.
    last: u64,
    /// 1-based number of the input's first record, counted over the whole run.
    first: u64,
}

/// Rows selected from one batch of the input.
struct TakenRows {
    batch: RecordBatch,
    /// Indices of the rows in the batch.
    places: Vec<u64>,
}

impl RowBatch {
    fn new(
        options: &OutputOptions,
        about: &[(String, String)],
        passthrough: Option<PassthroughColumns>,
        names_of_text: Vec<String>,
        (first, next): (u64, u64),
    ) -> Self {
        let fields = options.columns(passthrough.is_some() || !names_of_text.is_empty());
        let has_columns =
            passthrough.as_ref().is_some_and(|passthrough| !passthrough.schema.fields().is_empty());
        let prefix = if has_columns || !names_of_text.is_empty() { PREFIX } else { "" };
        let mut all: Vec<Arc<ArrowField>> = Vec::new();
        let mut metadata = Metadata::default();
        if let Some(passthrough) = &passthrough {
            all.extend(passthrough.schema.fields().iter().map(widened));
            metadata.clone_from(passthrough.schema.metadata());
        }
        for (key, value) in about {
            metadata.insert(key.clone(), value.clone());
        }
        let passthrough_columns = all.len();
        let mut names: HashSet<String> = all.iter().map(|field| field.name().clone()).collect();
        let mut builders = Vec::new();
        let mut add = |name: &str, prefix: &str, kind: ValueKind| {
            let mut builder = Builder::new(kind, &options.engines);
            // Building columns from no rows cannot fail.
            let columns = builder.columns().unwrap_or_default();
            let is_free =
                |name: &str| columns.iter().all(|(suffix, _)| !names.contains(&format!("{name}{suffix}")));
            // The input may be a table from an earlier run of this program, and thus already have columns
            // with these names.
            let name = free_name(prefix, name, is_free);
            for (suffix, kind) in columns {
                names.insert(format!("{name}{suffix}"));
                all.push(Arc::new(ArrowField::new(format!("{name}{suffix}"), kind, true)));
            }
            builders.push(builder);
        };
        names_of_text.iter().for_each(|name| add(name, "", ValueKind::Text));
        for field in &fields {
            // Ratings that count guesses are always exact. So they need no additional column for a lower
            // bound.
            let is_exact = field.at_least_name(options.verb).is_none();
            let kind = field.kind();
            add(
                field.name(),
                prefix,
                if kind == ValueKind::Rating && is_exact { ValueKind::Real } else { kind },
            );
        }
        options.extra_columns.iter().for_each(|name| {
            add(name, prefix, if *name == "relation" { ValueKind::Text } else { ValueKind::Unsigned })
        });
        RowBatch {
            schema: Arc::new(Schema::new_with_metadata(all, metadata)),
            passthrough: passthrough.filter(|_| has_columns).map(PassthroughColumns::into_batches),
            passthrough_columns,
            fields,
            builders,
            pieces: Vec::new(),
            taken: None,
            count: 0,
            bytes: 0,
            expected: None,
            last: next.saturating_sub(1),
            first,
        }
    }

    /// Returns the maximum number of rows per batch.
    fn most(&self) -> usize {
        if self.expected.is_some() { KEPT_ROWS } else { BATCH_ROWS }
    }

    fn is_full(&self) -> bool {
        self.count == self.most() || self.bytes >= BATCH_BYTES
    }

    /// Adds the next row, or several plain rows at once.
    ///
    /// Returns the number of bytes used, or `None` if no row is complete.
    fn take(&mut self, bytes: &[u8]) -> Result<Option<usize>> {
        let used = match bytes.first() {
            None => return Ok(None),
            Some(&TAG) => {
                let Some(used) = self.take_values(bytes) else { return Ok(None) };
                self.take_carried(self.last, 1)?;
                self.count += 1;
                used
            }
            Some(_) => {
                let rows = bytes.as_chunks::<PLAIN_LINE>().0;
                let rows = &rows[..rows.len().min(self.most() - self.count)];
                let count = rows.iter().position(|row| row[0] == TAG).unwrap_or(rows.len());
                if count == 0 {
                    return Ok(None);
                }
                let fields = self.fields.iter().copied().map(Some).chain(std::iter::repeat(None));
                let expected = self.expected.map_or(0, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
                let reserved = expected.min(self.most());
                for (builder, field) in self.builders.iter_mut().zip(fields) {
                    if self.count == 0 && field == Some(Field::Solution) {
                        builder.reserve(reserved);
                    }
                    builder.push_plain(field, &rows[..count]);
                }
                self.take_carried(self.last + 1, count)?;
                self.last += count as u64;
                self.count += count;
                PLAIN_LINE * count
            }
        };
        self.bytes += used;
        Ok(Some(used))
    }

    /// Adds the values of a row. Returns the number of bytes used, or `None` if the row is incomplete.
    fn take_values(&mut self, bytes: &[u8]) -> Option<usize> {
        let index = u64::from_le_bytes(*bytes.get(1..)?.first_chunk()?);
        let value = |at: usize| -> Option<(usize, Option<&[u8]>)> {
            match u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) {
                NULL => Some((at + 4, None)),
                length => {
                    let end = at + 4 + length as usize;
                    Some((end, Some(bytes.get(at + 4..end)?)))
                }
            }
        };
        let mut end = 9;
        for _ in &self.builders {
            end = value(end)?.0;
        }
        let mut at = 9;
        for builder in &mut self.builders {
            let (next, value) = value(at)?;
            builder.push(value);
            at = next;
        }
        self.last = index;
        Some(end)
    }

    /// Adds the columns copied from the input for `count` successive records. `first` is the number of the
    /// first record.
    fn take_carried(&mut self, first: u64, count: usize) -> Result<()> {
        let Some(passthrough) = &mut self.passthrough else { return Ok(()) };
        let mut done = 0;
        while done < count {
            let record = (first + done as u64).saturating_sub(self.first);
            let (is_same, batch, place) = passthrough.at(record).map_err(failed)?;
            let end = batch.num_rows().min(place + count - done);
            let places = place as u64..end as u64;
            done += end - place;
            match &mut self.taken {
                Some(taken) if is_same => taken.places.extend(places),
                _ => {
                    let next = TakenRows { batch: batch.clone(), places: places.collect() };
                    let before = self.taken.replace(next);
                    self.pieces.extend(before.map(TakenRows::columns).transpose()?);
                }
            }
        }
        Ok(())
    }

    /// Returns the rows collected so far as a batch, and begins a new batch.
    fn batch(&mut self) -> Result<RecordBatch> {
        let last = self.taken.take().map(TakenRows::columns).transpose()?;
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.extend(last);
        if let Some(passthrough) = &mut self.passthrough {
            passthrough.forget();
        }
        let mut arrays = Vec::with_capacity(self.schema.fields().len());
        for column in 0..self.passthrough_columns {
            let kind = self.schema.field(column).data_type();
            let parts = pieces.iter().map(|piece| cast(&piece[column], kind));
            let parts: Vec<ArrayRef> = parts.collect::<std::result::Result<_, _>>().map_err(failed)?;
            arrays.push(match &parts[..] {
                [only] => ArrayRef::clone(only),
                parts => {
                    let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
                    concat(&parts).map_err(failed)?
                }
            });
        }
        for builder in &mut self.builders {
            arrays.extend(builder.finish().map_err(failed)?);
        }
        self.bytes = 0;
        self.expected = self.expected.map(|rows| rows.saturating_sub(self.count as u64));
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.count)));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map_err(failed)
    }
}

/// Returns the field of a copied column as the output needs it.
///
/// If the column is a dictionary, its keys get at least 32 bits, because a batch of the output may have more
/// categories than a batch of the input.
fn widened(field: &Arc<ArrowField>) -> Arc<ArrowField> {
    match field.data_type() {
        DataType::Dictionary(key, values) if key.primitive_width() < Some(size_of::<i32>()) => {
            let kind = DataType::Dictionary(Box::new(DataType::Int32), values.clone());
            Arc::new(ArrowField::clone(field).with_data_type(kind))
        }
        _ => Arc::clone(field),
    }
}

impl TakenRows {
    /// Returns the columns of the selected rows.
    fn columns(self) -> Result<Vec<ArrayRef>> {
        let TakenRows { batch, places } = self;
        let first = places.first().copied().unwrap_or(0);
        if places.iter().copied().eq(first..first + places.len() as u64) {
            return Ok(batch.slice(first as usize, places.len()).columns().to_vec());
        }
        let places = UInt64Array::from(places);
        let columns = batch.columns().iter().map(|column| take(column, &places, None));
        columns.collect::<std::result::Result<_, _>>().map_err(failed)
    }
}
