//! Writes batches to Parquet and Arrow files. Several threads encode the row groups of Parquet.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use arrow_array::{Array, RecordBatch};
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, SchemaRef};
use crossbeam_channel::Sender;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::categories::Categories;
use super::sink::{BatchSink, failed};
use quadrille_model::{Error, ErrorKind, Result, usage};

/// Destination of a table's bytes.
type Bytes = Box<dyn Write + Send>;

/// Maximum number of rows per row group.
const GROUP_ROWS: usize = 1 << 17;
/// Maximum size in bytes of a row group in memory, before it is encoded.
const GROUP_BYTES: u64 = 128 << 20;
/// Bytes of the memory limit for each row group that is encoded while another one is filled.
///
/// For example, twice this number allows two row groups to be encoded. The number includes the buffers of the
/// encoders.
const ENCODER_BYTES: u64 = 128 << 20;
/// Maximum number of row groups that are encoded at the same time.
const GROUPS_AT_ONCE: usize = 8;
/// Maximum number of threads that encode the columns of one row group.
const ENCODERS_PER_GROUP: usize = 8;
/// Columns of the program in which values are rarely repeated.
const DISTINCT: &[&str] = &["q_solution", "solution", "q_canon", "canon"];

/// Writes a Parquet file.
pub struct ParquetFile {
    out: Option<Bytes>,
    open: Option<OpenTableFile>,
    /// Number of rows in the row group that is being filled.
    rows: usize,
    /// Bytes of these rows in memory, before encoding.
    bytes: u64,
    most_bytes: u64,
    at_once: usize,
}

struct OpenTableFile {
    schema: SchemaRef,
    file: SerializedFileWriter<Bytes>,
    factory: ArrowRowGroupWriterFactory,
    /// Encoders of the row groups that are not in the file yet, in order.
    groups: VecDeque<Vec<ColumnEncoder>>,
    /// Number of row groups begun so far.
    begun: usize,
}

/// A thread that encodes some leaf columns of one row group while batches arrive.
struct ColumnEncoder {
    /// Takes values of the thread's columns, each with the position of its column among them. `None` once all are sent.
    values: Option<Sender<(usize, ArrowLeafColumn)>>,
    thread: JoinHandle<Encoded>,
}

type Encoded = std::result::Result<Vec<ArrowColumnChunk>, ParquetError>;

impl ColumnEncoder {
    fn start(mut columns: Vec<ArrowColumnWriter>) -> Result<Self> {
        let (values, received) = crossbeam_channel::unbounded::<(usize, ArrowLeafColumn)>();
        let encode = move || {
            for (place, values) in received {
                columns[place].write(&values)?;
            }
            columns.into_iter().map(ArrowColumnWriter::close).collect()
        };
        let thread = thread::Builder::new().name("quadrille-encode".to_owned()).spawn(encode);
        let thread = thread.map_err(|cause| Error::io("starting", "a thread that writes", 0, cause))?;
        Ok(ColumnEncoder { values: Some(values), thread })
    }
}

impl ParquetFile {
    /// Creates a file whose bytes go to `out`.
    ///
    /// `memory` limits the bytes of rows that wait to be encoded, and the number of row groups encoded while others are
    /// filled. `threads` is the maximum of that number; 0 means one per core.
    pub fn new(out: Box<dyn Write + Send>, memory: Option<u64>, threads: usize) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads > 0 { threads } else { cores() };
        let affordable = memory.map_or(GROUPS_AT_ONCE as u64, |memory| memory / ENCODER_BYTES);
        let at_once = threads.min(affordable.min(GROUPS_AT_ONCE as u64) as usize);
        // A row group may take memory three times: while it waits, while it is encoded, and as encoded bytes.
        let share = |memory: u64| memory / 16 / (at_once as u64 + 1);
        let most_bytes = memory.map_or(GROUP_BYTES, |memory| share(memory).clamp(1 << 16, GROUP_BYTES));
        ParquetFile { out: Some(out), open: None, rows: 0, bytes: 0, most_bytes, at_once }
    }
}

impl OpenTableFile {
    /// Adds a row group, and starts its encoders.
    fn begin_group(&mut self) -> Result<()> {
        let columns = self.factory.create_column_writers(self.begun).map_err(not_written)?;
        let threads = columns.len().min(ENCODERS_PER_GROUP);
        let mut shares: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
        for (place, column) in columns.into_iter().enumerate() {
            shares[place % threads].push(column);
        }
        self.groups.push_back(shares.into_iter().map(ColumnEncoder::start).collect::<Result<_>>()?);
        self.begun += 1;
        Ok(())
    }

    /// Sends a batch to the encoders of the last row group.
    fn encode(&mut self, batch: &RecordBatch) -> Result<()> {
        let Some(encoders) = self.groups.back() else { return Ok(()) };
        let mut place = 0;
        for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
            for leaf in compute_leaves(field, column).map_err(not_written)? {
                if let Some(values) = &encoders[place % encoders.len()].values {
                    // An encoder that failed accepts no values. Its error is returned when its row group is written.
                    let _ = values.send((place / encoders.len(), leaf));
                }
                place += 1;
            }
        }
        Ok(())
    }

    /// Ends the last row group, then writes the oldest ones until at most `most` are not in the file.
    fn end_group(&mut self, most: usize) -> Result<()> {
        self.groups.back_mut().into_iter().flatten().for_each(|encoder| encoder.values = None);
        while self.groups.len() > most {
            let encoders = self.groups.pop_front().unwrap_or_default();
            let count = encoders.len();
            let mut encoded = Vec::with_capacity(count);
            for encoder in encoders {
                let broken = |_| ErrorKind::Internal("a thread that encodes columns panicked".to_owned());
                encoded.push(encoder.thread.join().map_err(broken)?.map_err(not_written)?.into_iter());
            }
            let mut group = self.file.next_row_group().map_err(not_written)?;
            let mut place = 0;
            while let Some(chunk) = encoded.get_mut(place % count.max(1)).and_then(Iterator::next) {
                chunk.append_to_row_group(&mut group).map_err(not_written)?;
                place += 1;
            }
            group.close().map_err(not_written)?;
        }
        Ok(())
    }
}

/// Converts an error from the Parquet library.
fn not_written(error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => Error::io("writing", "the table", 0, *cause),
            Err(cause) => usage!("the table cannot be written as Parquet: {cause}"),
        },
        error => usage!("the table cannot be written as Parquet: {error}"),
    }
}

impl BatchSink for ParquetFile {
    fn begin(&mut self, schema: &SchemaRef) -> Result<()> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let level = ZstdLevel::try_new(1).map_err(not_written)?;
        // Dates in milliseconds must be converted to days, because other programs would read them as numbers.
        // Files without dates are not converted, because the conversion also renames the items of lists.
        let has_dates = schema.fields().iter().any(|field| *field.data_type() == DataType::Date64);
        let properties = WriterProperties::builder().set_coerce_types(has_dates);
        let properties = properties.set_compression(Compression::ZSTD(level));
        let properties = DISTINCT.iter().fold(properties, |properties, name| {
            // Nobody filters by the least and the greatest solution, which would have to be found.
            let properties =
                properties.set_column_statistics_enabled(ColumnPath::from(*name), EnabledStatistics::None);
            properties.set_column_dictionary_enabled(ColumnPath::from(*name), false)
        });
        let writer = ArrowWriter::try_new(out, Arc::clone(schema), Some(properties.build()));
        let (file, factory) = writer.and_then(ArrowWriter::into_serialized_writer).map_err(not_written)?;
        let schema = Arc::clone(schema);
        self.open = Some(OpenTableFile { schema, file, factory, groups: VecDeque::new(), begun: 0 });
        Ok(())
    }

    fn write(&mut self, mut batch: RecordBatch) -> Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        while batch.num_rows() > 0 {
            if self.rows == 0 {
                open.begin_group()?;
            }
            let part = batch.slice(0, batch.num_rows().min(GROUP_ROWS - self.rows));
            batch = batch.slice(part.num_rows(), batch.num_rows() - part.num_rows());
            self.rows += part.num_rows();
            let bytes = part.columns().iter().map(|column| column.to_data().get_slice_memory_size());
            self.bytes += bytes.map(|bytes| bytes.unwrap_or(0) as u64).sum::<u64>();
            open.encode(&part)?;
            if self.rows == GROUP_ROWS || self.bytes >= self.most_bytes {
                (self.rows, self.bytes) = (0, 0);
                open.end_group(self.at_once)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, about: &[(String, String)]) -> Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.end_group(0)?;
        for (key, value) in about {
            open.file.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        open.file.finish().map_err(not_written)?;
        open.file.inner_mut().flush().map_err(|cause| Error::io("writing", "the table", 0, cause))
    }
}

/// Writer for an Arrow file or stream.
pub struct ArrowFile {
    out: Option<Bytes>,
    is_stream: bool,
    writer: Option<Writer>,
}

enum Writer {
    File(FileWriter<Bytes>, Categories),
    Stream(StreamWriter<Bytes>),
}

impl ArrowFile {
    /// Creates a file whose bytes go to `out`, or a stream if `is_stream` is true. Pipes need a stream.
    pub fn new(out: Box<dyn Write + Send>, is_stream: bool) -> Self {
        ArrowFile { out: Some(out), is_stream, writer: None }
    }
}

impl BatchSink for ArrowFile {
    fn begin(&mut self, schema: &SchemaRef) -> Result<()> {
        let Some(out) = self.out.take() else { return Ok(()) };
        self.writer = Some(match self.is_stream {
            true => Writer::Stream(StreamWriter::try_new(out, schema).map_err(failed)?),
            false => {
                let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
                let writer = FileWriter::try_new_with_options(out, schema, options).map_err(failed)?;
                Writer::File(writer, Categories::default())
            }
        });
        Ok(())
    }

    fn write(&mut self, batch: RecordBatch) -> Result<()> {
        let written = match &mut self.writer {
            Some(Writer::File(writer, categories)) => {
                categories.unify(&batch).and_then(|batch| writer.write(&batch))
            }
            Some(Writer::Stream(writer)) => writer.write(&batch),
            None => Ok(()),
        };
        written.map_err(failed)
    }

    fn flush(&mut self) -> Result<()> {
        let flushed = match &mut self.writer {
            Some(Writer::File(writer, _)) => writer.flush(),
            Some(Writer::Stream(writer)) => writer.flush(),
            None => Ok(()),
        };
        flushed.map_err(failed)
    }

    fn is_awaited(&self) -> bool {
        self.is_stream
    }

    fn finish(&mut self, _: &[(String, String)]) -> Result<()> {
        let finished = match &mut self.writer {
            Some(Writer::File(writer, _)) => writer.finish(),
            Some(Writer::Stream(writer)) => writer.finish(),
            None => Ok(()),
        };
        finished.map_err(failed)?;
        self.flush()
    }
}
