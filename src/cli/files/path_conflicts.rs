//! Checks of file names: no output is also an input or another output, and every ending fits its output.

use std::fs;
use std::path::{Path, PathBuf};

use super::endings::OutputFile;
use super::target::{partial_of, resolved};
use super::{STREAM, is_stream, named};
use crate::cli::args::InputArgs;
use quadrille_batch::Checkpoint;
use quadrille_files::locked_file::number;
use quadrille_model::{Error, Result, shown, usage};

/// The files that a command reads and writes, each with its purpose.
#[derive(Debug, Default)]
pub(crate) struct FileUses {
    read: Vec<Named>,
    /// One list per output: its own name, and the names under which it is written first.
    written: Vec<Vec<Named>>,
    /// The error for the first output whose ending does not fit.
    misnamed: Option<Error>,
}

#[derive(Debug)]
struct Named {
    /// The purpose and name of the file, for messages.
    what: String,
    file: FileId,
}

/// Identity of a file, equal for all its names.
#[derive(Debug, PartialEq, Eq)]
enum FileId {
    /// Device and inode number of an existing regular file.
    Number((u64, u64)),
    /// Canonical directory and name of a file that does not exist yet, or has no known number.
    Name(PathBuf),
}

impl FileId {
    /// Returns the identity of the file with a name, or `None` for devices and pipes, which can be read and written
    /// at the same time.
    fn from_path(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(about) if !about.is_file() => None,
            Ok(about) => match number(&about) {
                Some(number) => Some(FileId::Number(number)),
                None => fs::canonicalize(path).ok().map(FileId::Name),
            },
            Err(_) => {
                let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
                let directory = fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()?;
                Some(FileId::Name(directory.join(path.file_name()?)))
            }
        }
    }

    /// Returns the identity of a standard stream, or `None` if it is not a regular file.
    #[cfg(unix)]
    fn of_stream(stream: impl std::os::fd::AsFd) -> Option<Self> {
        let about = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()?;
        number(&about).filter(|_| about.is_file()).map(FileId::Number)
    }

    #[cfg(not(unix))]
    fn of_stream<T>(_: T) -> Option<Self> {
        None
    }
}

impl FileUses {
    /// Adds files that are read; `-` is standard input.
    pub(crate) fn reads<'p>(mut self, what: &str, paths: impl IntoIterator<Item = &'p Path>) -> Self {
        for path in paths {
            let (file, shown) = if is_stream(path) {
                (FileId::of_stream(std::io::stdin()), "standard input".into())
            } else {
                (FileId::from_path(path), path.to_string_lossy())
            };
            self.read.extend(file.map(|file| Named { what: format!("{what} {shown}"), file }));
        }
        self
    }

    /// Adds the input files, or standard input if there are none, and the files of the options of reading.
    pub(crate) fn reads_records(self, paths: &[PathBuf], input: &InputArgs) -> Self {
        let stdin = paths.is_empty().then_some(Path::new(STREAM));
        self.reads("the input", paths.iter().map(|path| &**path).chain(stdin))
            .reads_rules(input.regions.as_deref(), input.houses.as_deref())
    }

    /// Adds the files of `--regions` and `--houses`. The value of `--regions` may also be a layout.
    pub(crate) fn reads_rules(self, regions: Option<&str>, houses: Option<&Path>) -> Self {
        let regions = regions.map(Path::new).filter(|path| path.is_file());
        self.reads("--regions", regions).reads("--houses", houses)
    }

    /// Adds the file of `-o`; no file or `-` is standard output. `is_named` is true if an option names the format, so
    /// that the ending does not matter.
    pub(crate) fn writes_rows(mut self, output: OutputFile, path: Option<&Path>, is_named: bool) -> Self {
        match named(path) {
            Some(path) => self.writes_as(output, path, is_named),
            None => {
                let what = "standard output".to_owned();
                let file = FileId::of_stream(std::io::stdout());
                self.written.extend(file.map(|file| vec![Named { what, file }]));
                self
            }
        }
    }

    /// Adds an output file, if there is one, and its partial name.
    pub(crate) fn writes(self, output: OutputFile, path: Option<&Path>) -> Self {
        match path {
            Some(path) => self.writes_as(output, path, false),
            None => self,
        }
    }

    fn writes_as(mut self, output: OutputFile, path: &Path, is_named: bool) -> Self {
        self.misnamed = self.misnamed.or_else(|| output.said(Some(path), is_named).err());
        // A path that cannot be resolved is refused when it is opened.
        let path = resolved(path).unwrap_or_else(|_| path.to_owned());
        self.add_written(output.option(), &path, &partial_of(&path))
    }

    /// Adds a checkpoint, if there is one.
    pub(crate) fn keeps(mut self, checkpoint: Option<&Path>) -> Self {
        match checkpoint {
            Some(path) => {
                self.misnamed =
                    self.misnamed.or_else(|| OutputFile::Checkpoint.said(Some(path), false).err());
                let journal = Checkpoint::journal_beside(path);
                let all = self.add_written("--checkpoint", path, &Checkpoint::new_beside(path));
                all.add_written("the journal of --checkpoint", &journal, &journal)
            }
            None => self,
        }
    }

    fn add_written(mut self, what: &str, path: &Path, first: &Path) -> Self {
        let names = [
            (format!("{what} {}", shown::path(path)), path),
            (format!("{}, in which {what} is written first,", shown::path(first)), first),
        ];
        let named =
            names.into_iter().filter_map(|(what, path)| Some(Named { what, file: FileId::from_path(path)? }));
        self.written.push(named.collect());
        self
    }

    /// Checks that every output has a valid ending and overwrites no other file of the command. Must run before any
    /// output is opened.
    ///
    /// # Errors
    /// Returns a usage error that names the one or two files.
    pub(crate) fn check_conflicts(self) -> Result<()> {
        for (place, names) in self.written.iter().enumerate() {
            let others = self.written[..place].iter().flatten();
            for other in self.read.iter().chain(others) {
                if let Some(name) = names.iter().find(|name| name.file == other.file) {
                    let Named { what, .. } = name;
                    return Err(usage!("{what} is also {}, which would be overwritten", other.what));
                }
            }
        }
        self.misnamed.map_or(Ok(()), Err)
    }
}
