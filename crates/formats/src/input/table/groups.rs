//! Reads the row groups of a Parquet file before they are needed, in several threads.
//!
//! Each row group has its own thread, which sends the batches of the group through a bounded channel. The
//! number of row groups that are read in advance is the number of processors, but at most [`GROUPS_AHEAD`].
//! The batches are returned in the order of the file.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use arrow_array::{RecordBatch, new_null_array};
use arrow_schema::{ArrowError, DataType};
use bytes::Bytes;
use crossbeam_channel::{Receiver, bounded};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::columns::is_text;
use super::damaged::{caught, guarded};
use super::{BATCH_ROWS, Batches, ParquetBytes};

/// Maximum number of row groups read at the same time. Each of them holds a page of every column in memory.
const GROUPS_AHEAD: usize = 4;
/// Number of bytes that the memory limit must have for each row group that is read at the same time.
const GROUP_MEMORY: u64 = 64 << 20;
/// Number of bytes read at once for the header of a page.
const HEADER_BYTES: usize = 8 << 10;
/// Maximum number of batches of a row group that wait in the channel of the group.
const BATCHES_AHEAD: usize = 1;

/// An open Parquet file.
#[derive(Clone)]
pub(crate) struct ParquetBatches {
    bytes: ParquetBytes,
    pub(super) metadata: ArrowReaderMetadata,
    read: Arc<AtomicU64>,
}

type Batch = Result<RecordBatch, ArrowError>;

impl ParquetBatches {
    /// Opens a file by reading the metadata at its end.
    ///
    /// # Errors
    /// Returns the reason if the file is not a valid Parquet file.
    pub(super) fn open(bytes: ParquetBytes, read: &Arc<AtomicU64>) -> Result<Self, String> {
        let options = ArrowReaderOptions::new();
        let metadata = ArrowReaderMetadata::load(&bytes, options);
        let metadata = metadata.map_err(|error| format!("a Parquet file that cannot be read: {error}"))?;
        let mut columns = metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
        if columns.any(|column| matches!(column.compression(), Compression::BROTLI(_) | Compression::LZO)) {
            return Err("a Parquet file compressed with brotli or lzo: write it with zstd, such as \
                pyarrow.parquet.write_table(table, FILE, compression='zstd')"
                .to_owned());
        }
        Ok(ParquetBatches { bytes, metadata, read: Arc::clone(read) })
    }

    /// Returns the first rows, or `None` if there are no rows or they cannot be read.
    ///
    /// Columns that cannot hold grids are not read, and are null in the result.
    pub(super) fn first(&self, rows: usize) -> Option<RecordBatch> {
        let schema = self.metadata.schema();
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.bytes.clone(), self.metadata.clone());
        let may_hold = |&place: &usize| is_text(schema.field(place).data_type());
        let read: Vec<usize> = (0..schema.fields().len()).filter(may_hold).collect();
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), read.iter().copied());
        let builder = builder.with_projection(mask).with_limit(rows).with_batch_size(rows);
        let batch = caught(|| builder.build().ok()?.next()?.ok()).ok()??;
        let column = |place: usize| {
            let values = read.iter().position(|&other| other == place).map(|at| Arc::clone(batch.column(at)));
            let values = values.unwrap_or_else(|| new_null_array(&DataType::Null, batch.num_rows()));
            (schema.field(place).name(), values, true)
        };
        RecordBatch::try_from_iter_with_nullable((0..schema.fields().len()).map(column)).ok()
    }

    /// Reads the given columns. Reads at most `most` row groups at the same time.
    pub(super) fn read(self, columns: Vec<usize>, most: usize) -> Batches {
        Box::new(Ahead { parquet: self, columns, most, next: 0, open: VecDeque::new() })
    }
}

/// Returns how many row groups are read at the same time if the memory limit is `memory` bytes.
pub(super) fn groups_ahead(memory: u64) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let affordable = usize::try_from(memory / GROUP_MEMORY).unwrap_or(GROUPS_AHEAD);
    cores.min(GROUPS_AHEAD).min(affordable).max(1)
}

/// Iterator over batches that reads several row groups at the same time.
struct Ahead {
    parquet: ParquetBatches,
    columns: Vec<usize>,
    /// Maximum number of row groups read at the same time.
    most: usize,
    /// Index of the first row group whose reading has not been started.
    next: usize,
    /// Row groups that are being read.
    ///
    /// Each entry holds the number of rows that have not arrived yet, and the channel that delivers the
    /// batches.
    open: VecDeque<(i64, Receiver<Batch>)>,
}

impl Ahead {
    /// Starts reading a row group.
    fn begin(&mut self, group: usize) -> Receiver<Batch> {
        let (send, batches) = bounded(BATCHES_AHEAD);
        let (ParquetBatches { bytes, metadata, read }, columns) =
            (self.parquet.clone(), self.columns.clone());
        let work = move || {
            let compressed = metadata.metadata().row_group(group).compressed_size();
            let mask = ProjectionMask::roots(metadata.parquet_schema(), columns);
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
                .with_row_groups(vec![group])
                .with_projection(mask)
                .with_batch_size(BATCH_ROWS);
            match caught(|| builder.build()).unwrap_or_else(|panic| Err(ParquetError::General(panic))) {
                Ok(reader) => {
                    for batch in guarded(Box::new(reader)) {
                        let is_last = batch.is_err();
                        if send.send(batch).is_err() || is_last {
                            return;
                        }
                    }
                }
                Err(error) => drop(send.send(Err(error.into()))),
            }
            read.fetch_add(u64::try_from(compressed).unwrap_or(0), Ordering::Relaxed);
        };
        // If no thread can be started, the channel closes immediately, and `next` notices that rows are
        // missing.
        let _ = thread::Builder::new().name("quadrille-group".to_owned()).spawn(work);
        batches
    }
}

impl Iterator for Ahead {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let about = Arc::clone(self.parquet.metadata.metadata());
        loop {
            while self.open.len() < self.most
                && let Some(group) = about.row_groups().get(self.next)
            {
                let batches = self.begin(self.next);
                self.next += 1;
                self.open.push_back((group.num_rows(), batches));
            }
            let (rows, batches) = self.open.front_mut()?;
            match batches.recv() {
                Ok(batch) => {
                    *rows -= batch.as_ref().map_or(0, |batch| batch.num_rows() as i64);
                    return Some(batch);
                }
                Err(_) if *rows == 0 => drop(self.open.pop_front()),
                // The library panicked while reading the group, or its thread could not be started.
                Err(_) => {
                    self.open.clear();
                    self.next = usize::MAX;
                    let reason = "a row group lacks some of its rows".to_owned();
                    return Some(Err(ArrowError::ParquetError(reason)));
                }
            }
        }
    }
}

impl Length for ParquetBytes {
    fn len(&self) -> u64 {
        match self {
            ParquetBytes::File(file) => Length::len(&**file),
            ParquetBytes::Memory(bytes) => bytes.len() as u64,
        }
    }
}

/// Reader that returns the content of a file from a given position on.
struct From {
    file: Arc<File>,
    at: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = read_at(&self.file, buffer, self.at)?;
        self.at += bytes as u64;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

impl ChunkReader for ParquetBytes {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(match self {
            ParquetBytes::File(file) => {
                let from = From { file: Arc::clone(file), at: start };
                Box::new(BufReader::with_capacity(HEADER_BYTES, from))
            }
            ParquetBytes::Memory(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let file = match self {
            ParquetBytes::File(file) => Arc::clone(file),
            ParquetBytes::Memory(bytes) => return bytes.get_bytes(start, length),
        };
        // The capacity is limited to the file size, because the lengths in a damaged file may have any value.
        let mut bytes = Vec::with_capacity(length.min(usize::try_from(self.len()).unwrap_or(length)));
        From { file, at: start }.take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(bytes.into()),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}
