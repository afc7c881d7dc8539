//! Parquet and Arrow as sources: their columns are converted to text, just as compressed sources are decompressed.
//!
//! ```text
//! row groups, batches --[threads that read ahead]--> batches --Texts--> blocks, one row per record --> the cutter
//! ```
//! Only the columns that make up a record are read here: puzzle, given solution, id, rules, regions. The output reads
//! the other columns itself ([`PassthroughColumns`]), so that they need not pass through records. If rows are converted to
//! another format, all columns become text here.

mod columns;
mod damaged;
mod groups;
mod lists;
mod numbers;
mod passthrough;
#[cfg(test)]
mod tests;
mod texts;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;

use columns::ColumnPlaces;
use damaged::{caught, guarded};
use groups::ParquetBatches;
pub(super) use numbers::NumberGrids;
pub use passthrough::{PassthroughBatches, PassthroughColumns};
pub(super) use texts::Texts;

use super::{Format, InputOptions, Layout, OtherColumns, Source, TableLayout, row_text};
use quadrille_model::streams::{StandardInput, Stream};
use quadrille_model::{Error, ErrorKind, Location, Result, Symbols};

/// First bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";
/// First bytes of an Arrow file. A stream follows, then a description for random access, which is not needed.
const ARROW_FILE_MAGIC: &[u8] = b"ARROW1\0\0";
/// First bytes of an Arrow stream.
const ARROW_STREAM_MAGIC: &[u8] = b"\xff\xff\xff\xff";
/// Bytes of a stream read at a time.
const STREAM_BYTES: usize = 256 << 10;
/// Rows per batch, if the reader can choose.
const BATCH_ROWS: usize = 8192;

/// The batches of a table in order.
pub(crate) type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// A source whose kind is known.
pub(super) enum Opened {
    /// The source is not a table.
    Text(Source),
    Table(Box<OpenTable>),
    Numbers(NumberGrids),
}

/// An open table.
pub(super) struct OpenTable {
    pub(super) name: Arc<str>,
    pub(super) layout: Layout,
    pub(super) columns: ColumnPlaces,
    pub(super) batches: Batches,
}

/// The place from which a Parquet file is read.
pub(crate) enum ParquetBytes {
    File(File),
    Memory(Bytes),
}

/// A table with all its columns, before it is known which are wanted.
struct Whole {
    format: Format,
    schema: SchemaRef,
    kind: BatchReader,
}

enum BatchReader {
    Parquet(ParquetBatches),
    Batches(Batches),
}

/// Opens a source, as a table if it is one.
///
/// # Errors
/// Returns an error if a table cannot be read, if it has no column of puzzles, or if the caller named a table format
/// and the source is not a table.
pub(super) fn open(source: Source, options: &InputOptions, read: &Arc<AtomicU64>) -> Result<Opened> {
    let name: Arc<str> = source.name().into();
    let source = match source {
        Source::Numbers { side, numbers, .. } => {
            return Ok(Opened::Numbers(NumberGrids::new(name, side, numbers)));
        }
        source => source,
    };
    let refuse = |reason: String| {
        let place = Location { source: Arc::clone(&name), record: 0, line: 1, byte: 0 };
        Error::from(ErrorKind::Input { place, reason })
    };
    let whole = match open_whole(source, read).map_err(|error| error.within(&name))? {
        Ok(whole) => whole,
        Err(source) if options.format.is_some_and(Format::is_table) => {
            let asked = options.format.map_or("", Format::name);
            drop(source);
            return Err(refuse(format!("not {asked}: its first bytes differ")));
        }
        Err(source) => return Ok(Opened::Text(source)),
    };
    let columns = ColumnPlaces::find(&whole.schema, options).map_err(refuse)?;
    let symbols = match options.symbols {
        Some(alphabet) => Some(Symbols { alphabet, lower_case: false }),
        None if columns.puzzles_are_lists() => Some(numbers::SYMBOLS),
        None => None,
    };
    let layout = Layout {
        format: whole.format,
        symbols,
        table: Some(TableLayout {
            has_solution: columns.solution.is_some(),
            has_id: columns.id.is_some(),
            has_rules: columns.rules.is_some(),
            has_regions: columns.regions.is_some(),
            has_others: whole.schema.fields().len() > columns.wanted().len(),
            columns: match options.other_columns {
                OtherColumns::Unused => Vec::new(),
                OtherColumns::Own | OtherColumns::OfFirst => columns.in_order(&whole.schema),
            },
        }),
        line_end: row_text::ROW_END,
        ..Layout::default()
    };
    let batches = match whole.kind {
        BatchReader::Parquet(parquet) => parquet.read(columns.wanted(), BATCH_ROWS),
        BatchReader::Batches(batches) => {
            let wanted = columns.wanted();
            Box::new(batches.map(move |batch| batch?.project(&wanted)))
        }
    };
    let table = OpenTable { name, layout, columns: columns.of_wanted(), batches };
    Ok(Opened::Table(Box::new(table)))
}

/// A failure to open a table, without the name of the source.
enum Failed {
    Io(&'static str, io::Error),
    Table(String),
}

impl Failed {
    fn within(self, name: &Arc<str>) -> Error {
        match self {
            Failed::Io(action, cause) => Error::io(action, &**name, 0, cause),
            Failed::Table(reason) => {
                let place = Location { source: Arc::clone(name), record: 0, line: 1, byte: 0 };
                ErrorKind::Input { place, reason }.into()
            }
        }
    }
}

/// Returns the message for a table whose reader panicked.
fn damaged(what: &str, panic: &str) -> String {
    format!("damaged {what}: {panic}")
}

/// Opens a table, or returns the source if it is not one.
fn open_whole(
    source: Source,
    read: &Arc<AtomicU64>,
) -> std::result::Result<std::result::Result<Whole, Source>, Failed> {
    let parquet = |bytes: ParquetBytes| {
        let opened = caught(|| ParquetBatches::open(bytes, read))
            .unwrap_or_else(|panic| Err(damaged("Parquet file", &panic)));
        let parquet = opened.map_err(Failed::Table)?;
        Ok(Ok(Whole {
            format: Format::Parquet,
            schema: parquet.schema(),
            kind: BatchReader::Parquet(parquet),
        }))
    };
    let stream = |stream: Box<dyn Read + Send>| {
        let stream = BehindPadding { inner: stream, is_behind: false };
        let counted = Counting { stream, read: Arc::clone(read) };
        let open = || StreamReader::try_new(BufReader::with_capacity(STREAM_BYTES, counted), None);
        let reader = caught(open).map_err(|panic| Failed::Table(damaged("Arrow stream", &panic)))?;
        let reader = reader.map_err(|error| Failed::Table(format!("not an Arrow stream: {error}")))?;
        let schema = reader.schema();
        let batches = guarded(Box::new(reader));
        Ok(Ok(Whole { format: Format::Arrow, schema, kind: BatchReader::Batches(batches) }))
    };
    match source {
        Source::Batches { batches, .. } => {
            let schema = batches.schema();
            Ok(Ok(Whole { format: Format::Arrow, schema, kind: BatchReader::Batches(Box::new(batches)) }))
        }
        Source::File(path) if path.metadata().is_ok_and(|about| about.is_file()) => {
            let mut file = File::open(&path).map_err(|cause| Failed::Io("opening", cause))?;
            let mut head = Vec::new();
            let failed = |cause| Failed::Io("reading", cause);
            (&mut file).take(ARROW_FILE_MAGIC.len() as u64).read_to_end(&mut head).map_err(failed)?;
            let rest = if head == ARROW_FILE_MAGIC { head.len() as u64 } else { 0 };
            file.seek(SeekFrom::Start(rest)).map_err(failed)?;
            match &head[..] {
                head if head.starts_with(PARQUET_MAGIC) => parquet(ParquetBytes::File(file)),
                head if head == ARROW_FILE_MAGIC || head.starts_with(ARROW_STREAM_MAGIC) => {
                    stream(Box::new(file))
                }
                _ => Ok(Err(Source::File(path))),
            }
        }
        Source::Bytes { name, bytes } => match &bytes[..] {
            head if head.starts_with(PARQUET_MAGIC) => parquet(ParquetBytes::Memory(bytes.into())),
            head if head.starts_with(ARROW_FILE_MAGIC) => {
                let mut bytes = io::Cursor::new(bytes);
                bytes.set_position(ARROW_FILE_MAGIC.len() as u64);
                stream(Box::new(bytes))
            }
            head if head.starts_with(ARROW_STREAM_MAGIC) => stream(Box::new(io::Cursor::new(bytes))),
            _ => Ok(Err(Source::Bytes { name, bytes })),
        },
        // A pipe shows its kind in its first bytes. They are read one by one, so that interactive input does not
        // block.
        Source::Stdin => match StandardInput::open() {
            Ok(input) => pipe("-".to_owned(), Box::new(input), stream),
            // Opening it as text will report the cause.
            Err(_) => Ok(Err(Source::Stdin)),
        },
        Source::File(path) => match File::open(&path) {
            Ok(file) if !path.is_dir() && Stream::Input.require_open_as(&path).is_ok() => {
                pipe(path.display().to_string(), Box::new(file), stream)
            }
            _ => Ok(Err(Source::File(path))),
        },
        Source::Stream { name, stream: bytes } => pipe(name, bytes, stream),
        // An array of numbers is not a table: it has no named columns.
        numbers @ Source::Numbers { .. } => Ok(Err(numbers)),
    }
}

/// Opens a stream as a table if its first bytes are those of an Arrow stream or file.
fn pipe(
    name: String,
    mut raw: Box<dyn Read + Send>,
    open: impl FnOnce(Box<dyn Read + Send>) -> std::result::Result<std::result::Result<Whole, Source>, Failed>,
) -> std::result::Result<std::result::Result<Whole, Source>, Failed> {
    let mut head = Vec::new();
    let could_be = |head: &[u8]| {
        head.len() < ARROW_FILE_MAGIC.len()
            && (ARROW_FILE_MAGIC.starts_with(head) || ARROW_STREAM_MAGIC.starts_with(head))
    };
    while could_be(&head) && head != ARROW_STREAM_MAGIC {
        let mut next = [0];
        match raw.read(&mut next) {
            Ok(0) => break,
            Ok(_) => head.push(next[0]),
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(Failed::Io("reading", cause)),
        }
    }
    if head == ARROW_FILE_MAGIC {
        return open(raw);
    }
    let is_stream = head == ARROW_STREAM_MAGIC;
    let stream: Box<dyn Read + Send> = Box::new(io::Cursor::new(head).chain(raw));
    if is_stream { open(stream) } else { Ok(Err(Source::Stream { name, stream })) }
}

/// A stream that skips zeros at its start.
///
/// Writers pad the first bytes of an Arrow file with zeros to a multiple of 8 to 64 bytes. A stream reader would take
/// them for the end.
struct BehindPadding<R> {
    inner: R,
    is_behind: bool,
}

impl<R: Read> Read for BehindPadding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_behind && !buffer.is_empty() {
            let read = self.inner.read(&mut buffer[..1])?;
            self.is_behind = read == 0 || buffer[0] != 0;
            if self.is_behind {
                return Ok(read);
            }
        }
        self.inner.read(buffer)
    }
}

/// A stream that counts the bytes read through it.
struct Counting {
    stream: BehindPadding<Box<dyn Read + Send>>,
    read: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.stream.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
