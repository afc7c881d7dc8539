//! Sources of bytes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::error::Error;

/// An input.
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, a named pipe or a device.
    File(PathBuf),
    /// Bytes in memory.
    Bytes {
        /// Its name in messages.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Arrow batches in memory or from elsewhere; all have the reader's schema.
    #[cfg(feature = "parquet")]
    Batches {
        /// Its name in messages.
        name: String,
        /// The batches.
        batches: Box<dyn arrow_array::RecordBatchReader + Send>,
    },
    /// Grids as numbers, a byte for each cell, one grid behind the other: 0 is an empty cell.
    #[cfg(feature = "parquet")]
    Numbers {
        /// Its name in messages.
        name: String,
        /// Side of the grids.
        side: usize,
        /// The numbers.
        numbers: Box<dyn Read + Send>,
    },
    /// Any other stream.
    Stream {
        /// Its name in messages.
        name: String,
        /// The stream.
        stream: Box<dyn Read + Send>,
    },
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.name())
    }
}

impl Source {
    /// A source as a command line names it: `-` is standard input, everything else a file.
    pub fn from_argument(argument: impl Into<PathBuf>) -> Self {
        let path = argument.into();
        if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) }
    }

    /// Returns its name in messages; `-` for standard input.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "-".to_owned(),
            Source::File(path) => path.display().to_string(),
            Source::Bytes { name, .. } | Source::Stream { name, .. } => name.clone(),
            #[cfg(feature = "parquet")]
            Source::Batches { name, .. } | Source::Numbers { name, .. } => name.clone(),
        }
    }

    /// Its size where that is known before reading: regular files and bytes in memory.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Source::File(path) => {
                path.metadata().ok().filter(|about| about.is_file()).map(|about| about.len())
            }
            Source::Bytes { bytes, .. } => Some(bytes.len() as u64),
            Source::Stdin | Source::Stream { .. } => None,
            #[cfg(feature = "parquet")]
            Source::Batches { .. } | Source::Numbers { .. } => None,
        }
    }

    pub(super) fn open(self) -> Result<Box<dyn Read + Send>, Error> {
        Ok(match self {
            Source::Stdin => Box::new(io::stdin()),
            Source::File(path) => {
                let file = File::open(&path).map_err(|cause| Error::io("opening", &path, 0, cause))?;
                if file.metadata().is_ok_and(|about| about.is_dir()) {
                    let cause = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a file");
                    return Err(Error::io("reading", &path, 0, cause));
                }
                Box::new(file)
            }
            Source::Bytes { bytes, .. } => Box::new(io::Cursor::new(bytes)),
            Source::Stream { stream, .. } => stream,
            #[cfg(feature = "parquet")]
            Source::Batches { .. } | Source::Numbers { .. } => unreachable!("read as a table"),
        })
    }
}
