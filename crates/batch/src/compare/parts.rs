//! Division of a corpus into parts. Puzzles with the same canonical solution always go to the same part.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{KeyMark, RowFilter};
use crate::locks::lock;
use quadrille_model::{Error, Result, shown};

/// A file for the rows of one part.
pub struct PartFile {
    /// Name of the file, used in messages.
    pub path: PathBuf,
    /// Destination of the rows.
    pub file: Box<dyn Write + Send>,
}

impl PartFile {
    /// Adds the name of this file to an error. Needed for writers that write to all files.
    fn named(&self, cause: io::Error) -> io::Error {
        io::Error::new(cause.kind(), format!("{}: {cause}", shown::path(&self.path)))
    }
}

/// A row filter that writes the rows of each record to one of several files.
///
/// A hash of the record's first key selects the file. If the record has no first key, its second key is used.
/// A record without keys is not written.
pub struct Parts {
    files: AllParts,
    /// For each part, the sum of the shares of this part and all earlier parts.
    ends: Vec<u64>,
    seed: u64,
    counts: Vec<u64>,
    /// Number of records that were not assigned to any part, because they have no key.
    pub without_part: u64,
    /// Number of records that were assigned to a part by their clues, because their canonical solution is
    /// unknown.
    pub by_clues: u64,
}

/// A writer that writes the same bytes to every file.
#[derive(Clone)]
pub struct AllParts(Arc<Mutex<Vec<PartFile>>>);

impl Write for AllParts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in lock(&self.0).iter_mut() {
            part.file.write_all(bytes).map_err(|cause| part.named(cause))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.0).iter_mut().try_for_each(|part| part.file.flush().map_err(|cause| part.named(cause)))
    }
}

impl Parts {
    /// Creates a filter that divides a corpus into `files`. Each file has a positive share, which is its
    /// relative size.
    ///
    /// Only a record's keys, the shares and the seed decide which file the record goes to.
    ///
    /// # Panics
    /// Panics if there are no files, or if the number of shares differs from the number of files.
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

    /// Returns a writer that writes the same bytes to every file. It is used for the text that precedes all
    /// rows.
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
        // The hash divided by 2^64 is a fraction. This fraction times the sum of all shares is a number in
        // the range of one part.
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
        let PartFile { path, file } = &mut lock(&self.files.0)[part];
        file.write_all(rows).map_err(|cause| Error::io("writing", &*path, 0, cause))?;
        Ok(u64::from(!rows.is_empty()))
    }
}
