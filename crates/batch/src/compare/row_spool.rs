//! Storage on disk for rows, for as long as it is not known whether they must be written to the output.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use quadrille_formats::output::Notation;
use quadrille_model::{Error, Result};

/// Size of the buffer for writing and reading, in bytes.
const BUFFER: usize = 1 << 20;

/// Rows in an unnamed temporary file, which is created for the first row.
///
/// `F` is the buffered file: a writer first, and then a reader.
pub(super) struct RowSpool<F = BufWriter<File>> {
    directory: PathBuf,
    file: Option<F>,
    /// Number of records whose rows are in the file and were not read yet.
    left: u64,
    /// All different notations of the rows. Each stored row contains the index of its notation in this list.
    notations: Vec<Notation>,
}

impl RowSpool {
    pub(super) fn new(directory: &Path) -> Self {
        RowSpool { directory: directory.to_owned(), file: None, left: 0, notations: Vec::new() }
    }

    /// Adds the rows of a record and a tag. The reader later returns the rows together with `tag`.
    pub(super) fn push(&mut self, rows: &[u8], notation: Notation, tag: u8) -> Result<()> {
        let directory = &self.directory;
        let failed = |cause| Error::io("writing a temporary file in", directory, 0, cause);
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = tempfile::tempfile_in(directory).map_err(failed)?;
                self.file.insert(BufWriter::with_capacity(BUFFER, file))
            }
        };
        let place = self.notations.iter().position(|known| *known == notation).unwrap_or_else(|| {
            self.notations.push(notation);
            self.notations.len() - 1
        });
        // The delimiter and the names in a notation depend only on the first source. Therefore there are few
        // notations, and the index of a notation fits into a byte.
        let mut head = [place as u8, tag, 0, 0, 0, 0, 0, 0, 0, 0];
        head[2..].copy_from_slice(&(rows.len() as u64).to_le_bytes());
        file.write_all(&head).and_then(|()| file.write_all(rows)).map_err(failed)?;
        self.left += 1;
        Ok(())
    }

    /// Returns true if rows wait.
    pub(super) fn has_rows(&self) -> bool {
        self.left > 0
    }

    /// Ends the writing. Returns a reader that yields the rows in the order in which they were added.
    pub(super) fn read(self) -> Result<RowSpool<BufReader<File>>> {
        let RowSpool { directory, file, left, notations } = self;
        let open = |file: BufWriter<File>| {
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            Ok(BufReader::with_capacity(BUFFER, file))
        };
        match file.map(open).transpose() {
            Ok(file) => Ok(RowSpool { directory, file, left, notations }),
            Err(cause) => Err(Error::io("writing a temporary file in", &directory, 0, cause)),
        }
    }
}

impl RowSpool<BufReader<File>> {
    /// Reads the rows of the next record. Returns their notation and tag, or `None` at the end.
    pub(super) fn next(&mut self, rows: &mut Vec<u8>) -> Result<Option<(Notation, u8)>> {
        let Some(file) = self.file.as_mut().filter(|_| self.left > 0) else { return Ok(None) };
        self.left -= 1;
        let mut head = [0; 10];
        let read = file.read_exact(&mut head).and_then(|()| {
            let [_, _, length @ ..] = head;
            rows.resize(u64::from_le_bytes(length) as usize, 0);
            file.read_exact(rows)
        });
        read.map_err(|cause| Error::io("reading a temporary file in", &self.directory, 0, cause))?;
        Ok(Some((self.notations[usize::from(head[0])], head[1])))
    }
}
