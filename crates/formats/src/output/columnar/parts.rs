//! Writes a directory of Parquet files. Each file is complete once it has its final name.
//!
//! Until its last byte is on disk, a part has a name such as `part-00000.parquet.partial`. A part ends after
//! a fixed number of rows. It also ends when the run records a checkpoint, from which it can be resumed
//! ([`BatchSink::seal`]). So a checkpoint always covers whole parts. A resumed run removes the parts that its
//! checkpoint does not cover.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use super::files::ParquetFile;
use super::sink::BatchSink;
use quadrille_files::locked_file::{LockedFile, beside};
use quadrille_model::{Error, Result, shown, usage};

/// Maximum number of rows per part, which is eight full row groups.
const PART_ROWS: usize = 1 << 20;

/// Writer for the files of a directory.
pub struct ParquetParts {
    directory: PathBuf,
    memory: Option<u64>,
    threads: usize,
    schema: Option<SchemaRef>,
    /// 0-based index of the open part, or of the next part if no part is open.
    number: usize,
    open: Option<(LockedFile, ParquetFile)>,
    rows: usize,
}

impl ParquetParts {
    /// Creates a writer for parts in a directory, and creates the directory if it is missing.
    ///
    /// To resume an earlier run, `known` is the number of rows that the earlier run wrote to the directory.
    /// Parts after these rows are removed. `memory` and `threads` have the same meaning as in
    /// [`ParquetFile::new`].
    ///
    /// # Errors
    /// Returns an error if there are parts although `known` is `None`, or if the parts do not have `known`
    /// rows. Also returns an error if the directory cannot be created or read.
    pub fn new(directory: &Path, known: Option<u64>, memory: Option<u64>, threads: usize) -> Result<Self> {
        fs::create_dir_all(directory).map_err(|cause| Error::io("creating", directory, 0, cause))?;
        let mut parts = ParquetParts {
            directory: directory.to_owned(),
            memory,
            threads,
            schema: None,
            number: 0,
            open: None,
            rows: 0,
        };
        let mut left = known.unwrap_or(0);
        while left > 0 {
            let path = parts.path();
            let changed = |reason: &str| {
                let path = shown::path(&path);
                usage!("{path} does not match the checkpoint: {reason}")
            };
            let file = File::open(&path).map_err(|cause| Error::io("opening", &path, 0, cause))?;
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
            let metadata = metadata.map_err(|error| changed(&error.to_string()))?;
            let rows = u64::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
            left = left.checked_sub(rows).filter(|_| rows > 0).ok_or_else(|| changed("its rows differ"))?;
            parts.number += 1;
        }
        let first = parts.number;
        while parts.path().exists() {
            let path = parts.path();
            if known.is_none() {
                let directory = shown::path(directory);
                return Err(usage!(
                    "{directory} has parts of an earlier run: remove them, or name another directory"
                ));
            }
            fs::remove_file(&path).map_err(|cause| Error::io("removing", &path, 0, cause))?;
            parts.number += 1;
        }
        parts.number = first;
        Ok(parts)
    }

    fn path(&self) -> PathBuf {
        self.directory.join(format!("part-{:05}.parquet", self.number))
    }

    /// Completes the open part and gives it its final name.
    fn close(&mut self, about: &[(String, String)]) -> Result<()> {
        let Some((mut file, mut table)) = self.open.take() else { return Ok(()) };
        table.finish(about)?;
        drop(table);
        file.file().sync_all().map_err(|cause| Error::io("synchronising", file.path(), 0, cause))?;
        file.rename(&self.path(), true)?;
        self.number += 1;
        self.rows = 0;
        Ok(())
    }

    fn begin_part(&mut self) -> Result<()> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let file = LockedFile::open(&beside(&self.path(), ".partial"))?;
        let failed = |cause| Error::io("creating", file.path(), 0, cause);
        file.file().set_len(0).map_err(failed)?;
        let out = BufWriter::new(file.file().try_clone().map_err(failed)?);
        let mut table = ParquetFile::new(Box::new(out), self.memory, self.threads);
        table.begin(&Arc::clone(schema))?;
        self.open = Some((file, table));
        Ok(())
    }
}

impl BatchSink for ParquetParts {
    fn begin(&mut self, schema: &SchemaRef) -> Result<()> {
        self.schema = Some(Arc::clone(schema));
        Ok(())
    }

    fn write(&mut self, mut batch: RecordBatch) -> Result<()> {
        while batch.num_rows() > 0 {
            if self.open.is_none() {
                self.begin_part()?;
            }
            let part = batch.slice(0, batch.num_rows().min(PART_ROWS - self.rows));
            batch = batch.slice(part.num_rows(), batch.num_rows() - part.num_rows());
            self.rows += part.num_rows();
            if let Some((_, table)) = &mut self.open {
                table.write(part)?;
            }
            if self.rows == PART_ROWS {
                self.close(&[])?;
            }
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<()> {
        self.close(&[])
    }

    fn finish(&mut self, about: &[(String, String)]) -> Result<()> {
        if self.open.is_none() && self.number == 0 {
            // A table without rows still needs a part, because the part's schema names the columns.
            self.begin_part()?;
        }
        self.close(about)
    }
}
