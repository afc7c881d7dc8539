//! Division of a corpus into parts that share no solution.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{KeyMark, RowFilter};
use quadrille_model::{Error, Result, shown};

/// A file that receives the rows of a part.
pub struct PartFile {
    /// Name of the file, for messages.
    pub path: PathBuf,
    /// Destination of the rows.
    pub file: Box<dyn Write + Send>,
}

impl PartFile {
    /// Adds the name of the file to an error of writing to all files.
    fn named(&self, cause: io::Error) -> io::Error {
        io::Error::new(cause.kind(), format!("{}: {cause}", shown::path(&self.path)))
    }
}

/// Writes every record to one of several files, by a hash of its first key, or of the second if it has no first.
///
/// Records without keys are written to no file.
pub struct Parts {
    files: AllParts,
    /// Cumulative sums of the parts' shares.
    ends: Vec<u64>,
    seed: u64,
    counts: Vec<u64>,
    /// Number of records in no part.
    pub without_part: u64,
    /// Number of records without a known canonical solution, which were assigned by their clues.
    pub by_clues: u64,
}

/// A writer that writes the same bytes to every file.
#[derive(Clone)]
pub struct AllParts(Arc<Mutex<Vec<PartFile>>>);

impl AllParts {
    fn lock(&self) -> MutexGuard<'_, Vec<PartFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for AllParts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in self.lock().iter_mut() {
            part.file.write_all(bytes).map_err(|cause| part.named(cause))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().iter_mut().try_for_each(|part| part.file.flush().map_err(|cause| part.named(cause)))
    }
}

impl Parts {
    /// Creates a division into `files`, with one positive share per file.
    ///
    /// The part of a record depends only on its keys, the shares and the seed.
    ///
    /// # Panics
    /// Panics if there is no file, or not exactly one share per file.
    pub fn new(files: Vec<PartFile>, shares: &[u32], seed: u64) -> Self {
        assert!(
            !files.is_empty() && files.len() == shares.len(),
            "expected at least one file, and one share per file"
        );
        let mut end = 0;
        let ends = shares.iter().map(|&share| {
            end += u64::from(share);
            end
        });
        Parts {
            ends: ends.collect(),
            counts: vec![0; files.len()],
            files: AllParts(Arc::new(Mutex::new(files))),
            seed,
            without_part: 0,
            by_clues: 0,
        }
    }

    /// Returns a writer that writes to every file, for heads.
    pub fn heads(&self) -> AllParts {
        self.files.clone()
    }

    /// Returns the number of records in each part.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().copied()
    }

    fn part_of(&self, key: u128) -> usize {
        let all = self.ends[self.ends.len() - 1];
        let hash = xxh3_64_with_seed(&key.to_le_bytes(), self.seed);
        // The hash as a fraction of 1, times the sum of all shares.
        let place = ((u128::from(hash) * u128::from(all)) >> 64) as u64;
        self.ends.partition_point(|&end| end <= place)
    }
}

impl RowFilter for Parts {
    fn take(&mut self, mark: &KeyMark, rows: &[u8], _: &mut Vec<u8>) -> Result<u64> {
        let [solution, text, _] = mark.keys;
        let Some(key) = solution.or(text) else {
            self.without_part += 1;
            return Ok(0);
        };
        self.by_clues += u64::from(solution.is_none());
        let part = self.part_of(key);
        self.counts[part] += 1;
        let PartFile { path, file } = &mut self.files.lock()[part];
        file.write_all(rows).map_err(|cause| Error::io("writing", &*path, 0, cause))?;
        Ok(u64::from(!rows.is_empty()))
    }
}
