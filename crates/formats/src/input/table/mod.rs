//! Parquet and Arrow as sources: their columns are converted to text, just as compressed sources are decompressed.
//!
//! ```text
//! row groups, batches --[threads that read ahead]--> batches --Texts--> blocks, one row per record --> the cutter
//! ```
//! Only the columns that make up a record are read here: puzzle, given solution, id, rules, regions. The output reads
//! the other columns itself ([`PassthroughColumns`]), so that they need not pass through records. If rows are converted to
//! another format, all columns become text here.

mod arrow;
pub(super) mod batches;
mod columns;
mod damaged;
mod groups;
mod lists;
mod numbers;
mod passthrough;
mod send;
#[cfg(test)]
mod tests;
mod texts;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;

use damaged::{caught, guarded};
use groups::{ParquetBatches, groups_ahead};
pub use passthrough::{PassthroughBatches, PassthroughColumns};
pub(super) use send::send;
use texts::Texts;

use super::source::{Counted, unreadable};
use super::{Column, Format, InputOptions, Layout, Role, Source, sniff};
use quadrille_files::streams::{StandardInput, Stream};
use quadrille_model::{Error, Result, Symbols};

/// First bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";
/// First bytes of an Arrow file. They are followed by an Arrow stream, and then by a footer with the
/// positions of the batches.
const ARROW_FILE_MAGIC: &[u8] = b"ARROW1\0\0";
/// Last bytes of an Arrow file with a footer.
const ARROW_FILE_END: &[u8] = b"ARROW1";
/// File name extensions of tables.
const ENDINGS: &[&str] = &["parquet", "pq", "parq", "arrow", "arrows", "feather", "ipc"];
/// First bytes of an Arrow stream.
const ARROW_STREAM_MAGIC: &[u8] = b"\xff\xff\xff\xff";
/// Number of bytes of a stream that are read at once.
const STREAM_BYTES: usize = 256 << 10;
/// Number of rows per batch, if the reader can choose it.
const BATCH_ROWS: usize = 8192;

/// Iterator over the batches of a table, in the order of the table.
pub(crate) type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// Storage from which a Parquet file is read.
#[derive(Clone)]
pub(crate) enum ParquetBytes {
    /// A file. Several threads read it, each at its own position.
    File(Arc<File>),
    Memory(Bytes),
}

/// A table with all its columns. The columns to be read have not been chosen yet.
struct Whole {
    format: Format,
    schema: SchemaRef,
    rows: Rows,
}

/// The rows of a table.
enum Rows {
    Parquet(Box<ParquetBatches>),
    Batches(Batches),
}

impl Whole {
    /// Creates a table from Arrow batches.
    fn of_batches(schema: SchemaRef, batches: Batches) -> Self {
        Whole { format: Format::Arrow, schema, rows: Rows::Batches(batches) }
    }

    /// Returns the first batch that has rows, or `None` if no batch has rows.
    ///
    /// A later call of [`read`](Self::read) returns this batch again.
    fn first(&mut self) -> Option<RecordBatch> {
        match &mut self.rows {
            Rows::Parquet(parquet) => parquet.first(columns::HEAD_ROWS),
            Rows::Batches(batches) => {
                let first =
                    batches.find(|batch| batch.as_ref().map_or(true, |batch| batch.num_rows() > 0))?;
                let found =
                    first.as_ref().ok().map(|batch| batch.slice(0, batch.num_rows().min(columns::HEAD_ROWS)));
                let rest = std::mem::replace(batches, Box::new(std::iter::empty()));
                *batches = Box::new(std::iter::once(first).chain(rest));
                found
            }
        }
    }

    /// Reads the given columns. In a Parquet file, reads `groups` row groups at the same time.
    fn read(self, columns: Vec<usize>, groups: usize) -> Batches {
        match self.rows {
            Rows::Parquet(parquet) => parquet.read(columns, groups),
            // A batch in memory may be a whole table. It is split into smaller batches, because the text form
            // of a batch takes additional memory.
            Rows::Batches(batches) => Box::new(batches.flat_map(move |batch| -> Batches {
                match batch.and_then(|batch| batch.project(&columns)) {
                    Err(error) => Box::new(std::iter::once(Err(error))),
                    Ok(batch) => Box::new(
                        (0..batch.num_rows())
                            .step_by(BATCH_ROWS)
                            .map(move |row| Ok(batch.slice(row, BATCH_ROWS.min(batch.num_rows() - row)))),
                    ),
                }
            })),
        }
    }
}

/// The opened table, or the source if it is not a table.
type OpenedTable = std::result::Result<Whole, Source>;

/// Returns the layout of a table, and the batches of the columns that are read.
///
/// # Errors
/// Returns the reason if the table has no column of puzzles, or if its grids cannot be read as requested.
fn open(mut whole: Whole, options: &InputOptions) -> std::result::Result<(Layout, Batches), String> {
    let first = whole.first();
    let (wanted, (columns, notes)) =
        columns::choose(&whole.schema, options, first.as_ref().map(texts::values_of))?;
    let is_list = |(&column, of): (&usize, &Column)| {
        of.role == Role::Puzzle && columns::is_list(whole.schema.field(column).data_type())
    };
    let are_lists = wanted.iter().zip(&*columns.list).any(is_list);
    let mut head = Vec::new();
    if let Some(first) = first.and_then(|first| first.project(&wanted).ok()) {
        let texts = Texts::new(&first, &columns);
        for row in 0..first.num_rows() {
            texts.write(row, &mut head);
            if head.len() >= sniff::HEAD_BYTES {
                break;
            }
        }
    }
    let layout = Layout {
        format: whole.format,
        // In columns of lists, digits are written as numbers, so no alphabet needs to be detected.
        symbols: are_lists.then_some(Symbols::DEFAULT).filter(|_| options.symbols.is_none()),
        columns,
        has_others: whole.schema.fields().len() > wanted.len(),
        notes,
        ..Layout::default()
    };
    let layout = sniff::layout_of_table(&head, layout, options)?;
    // The maximum size of a record is a sixteenth of the memory limit.
    let groups = groups_ahead(16 * options.max_record_bytes as u64);
    Ok((layout, whole.read(wanted, groups)))
}

/// Returns the error message for a table on which the table library panicked.
fn damaged(what: &str, panic: &str) -> String {
    format!("damaged {what}: {panic}")
}

/// Opens a table, or returns the source unchanged if it is not a table.
fn open_whole(source: Source, name: &Arc<str>, read: &Arc<AtomicU64>) -> Result<OpenedTable> {
    let refuse = |reason: String| unreadable(name, (0, 1, 0), reason);
    let parquet = |bytes: ParquetBytes| {
        let opened = caught(|| ParquetBatches::open(bytes, read))
            .unwrap_or_else(|panic| Err(damaged("Parquet file", &panic)));
        let parquet = opened.map_err(refuse)?;
        let schema = Arc::clone(parquet.metadata.schema());
        Ok(Ok(Whole { format: Format::Parquet, schema, rows: Rows::Parquet(Box::new(parquet)) }))
    };
    let stream = |stream: Box<dyn Read + Send>| {
        let counted = Counted { raw: stream, read: Arc::clone(read) };
        let open = || arrow::of_stream(BufReader::with_capacity(STREAM_BYTES, counted));
        let opened = caught(open).map_err(|panic| refuse(damaged("Arrow stream", &panic)))?;
        let (schema, batches) = opened.map_err(|error| refuse(format!("not an Arrow stream: {error}")))?;
        Ok(Ok(Whole::of_batches(schema, guarded(batches))))
    };
    match source {
        Source::Batches { batches, .. } => Ok(Ok(Whole::of_batches(batches.schema(), Box::new(batches)))),
        Source::File(path) if path.metadata().is_ok_and(|about| about.is_file()) => {
            let mut file = File::open(&path).map_err(|cause| Error::io("opening", &**name, 0, cause))?;
            let mut head = Vec::new();
            let failed = |cause| Error::io("reading", &**name, 0, cause);
            (&mut file).take(ARROW_FILE_MAGIC.len() as u64).read_to_end(&mut head).map_err(failed)?;
            let ending = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
            if head.is_empty() && ending.is_some_and(|ending| ENDINGS.contains(&&*ending)) {
                return Err(refuse("an empty file, which is not a table".to_owned()));
            }
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            match &head[..] {
                head if head.starts_with(PARQUET_MAGIC) => parquet(ParquetBytes::File(Arc::new(file))),
                head if head == ARROW_FILE_MAGIC => arrow_file(name, file, read, stream),
                head if head.starts_with(ARROW_STREAM_MAGIC) => stream(Box::new(file)),
                _ => Ok(Err(Source::File(path))),
            }
        }
        Source::Bytes { name, bytes } => match &bytes[..] {
            head if head.starts_with(PARQUET_MAGIC) => parquet(ParquetBytes::Memory(bytes.into())),
            head if head.starts_with(ARROW_FILE_MAGIC) => {
                arrow_file(&name.into(), io::Cursor::new(bytes), read, stream)
            }
            head if head.starts_with(ARROW_STREAM_MAGIC) => stream(Box::new(io::Cursor::new(bytes))),
            _ => Ok(Err(Source::Bytes { name, bytes })),
        },
        // The first bytes of a pipe show whether it is a table or text. They are read one at a time, so that
        // interactive input does not block.
        Source::Stdin => match StandardInput::open() {
            Ok(input) => pipe(name, Box::new(input), stream),
            // If standard input cannot be opened, it is treated as text. The code that reads text reports the
            // cause.
            Err(_) => Ok(Err(Source::Stdin)),
        },
        Source::File(path) => match File::open(&path) {
            Ok(file) if !path.is_dir() && Stream::Input.require_open_as(&path).is_ok() => {
                pipe(name, Box::new(file), stream)
            }
            _ => Ok(Err(Source::File(path))),
        },
        Source::Stream { stream: bytes, .. } => pipe(name, bytes, stream),
        // An array of numbers has no named columns, so it is not a table.
        numbers @ Source::Numbers { .. } => Ok(Err(numbers)),
    }
}

/// Opens an Arrow file with the help of its footer.
///
/// If the file has no footer, reads it as a stream, and appends an error to its batches.
fn arrow_file<R: Read + Seek + Send + 'static>(
    name: &Arc<str>,
    mut file: R,
    read: &Arc<AtomicU64>,
    stream: impl FnOnce(Box<dyn Read + Send>) -> Result<OpenedTable>,
) -> Result<OpenedTable> {
    let mut end = Vec::new();
    let found = file.seek(SeekFrom::End(-(ARROW_FILE_END.len() as i64)));
    let found = found.and_then(|_| file.read_to_end(&mut end));
    found.map_err(|cause| Error::io("reading", &**name, 0, cause))?;
    if end == ARROW_FILE_END {
        let counted = Counted { raw: file, read: Arc::clone(read) };
        let open = || arrow::of_file(BufReader::with_capacity(STREAM_BYTES, counted));
        let refuse = |reason: String| unreadable(name, (0, 1, 0), reason);
        let opened = caught(open).map_err(|panic| refuse(damaged("Arrow file", &panic)))?;
        let (schema, batches) =
            opened.map_err(|error| refuse(format!("an Arrow file that cannot be read: {error}")))?;
        return Ok(Ok(Whole::of_batches(schema, guarded(batches))));
    }
    let begun = file.seek(SeekFrom::Start(ARROW_FILE_MAGIC.len() as u64));
    begun.map_err(|cause| Error::io("reading", &**name, 0, cause))?;
    let opened = stream(Box::new(file))?;
    Ok(opened.map(|whole| {
        let Whole { schema, rows: Rows::Batches(batches), .. } = whole else { return whole };
        let reason = "the Arrow file has no footer: its writer did not finish";
        let mut has_failed = false;
        let batches = batches.chain(std::iter::once(Err(ArrowError::ParseError(reason.to_owned()))));
        // If a batch is incomplete, the library has already reported an error. The appended error is then not
        // returned.
        let batches = batches.take_while(move |batch| !std::mem::replace(&mut has_failed, batch.is_err()));
        Whole::of_batches(schema, Box::new(batches))
    }))
}

/// Opens a stream as a table if it begins like an Arrow stream or file.
fn pipe(
    name: &Arc<str>,
    mut raw: Box<dyn Read + Send>,
    open: impl FnOnce(Box<dyn Read + Send>) -> Result<OpenedTable>,
) -> Result<OpenedTable> {
    let mut head = Vec::new();
    let could_be = |head: &[u8]| {
        head.len() < ARROW_FILE_MAGIC.len()
            && (ARROW_FILE_MAGIC.starts_with(head) || ARROW_STREAM_MAGIC.starts_with(head))
    };
    while could_be(&head) && head != ARROW_STREAM_MAGIC {
        let read = raw.by_ref().take(1).read_to_end(&mut head);
        if read.map_err(|cause| Error::io("reading", &**name, 0, cause))? == 0 {
            break;
        }
    }
    if head == ARROW_FILE_MAGIC {
        return open(raw);
    }
    let is_stream = head == ARROW_STREAM_MAGIC;
    let stream: Box<dyn Read + Send> = Box::new(io::Cursor::new(head).chain(raw));
    if is_stream { open(stream) } else { Ok(Err(Source::Stream { name: (**name).into(), stream })) }
}
