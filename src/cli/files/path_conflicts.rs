//! Checks the file names of a command. An output must not also be an input or another output. The file name
//! extension of an output must fit the contents.

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
    /// One list per output. Each list has the final name, and the temporary name under which the output is
    /// written first.
    written: Vec<Vec<Named>>,
    /// The error for the first output whose name has an unsuitable ending.
    misnamed: Option<Error>,
}

#[derive(Debug)]
struct Named {
    /// Purpose and name of the file, as messages show them.
    what: String,
    file: FileId,
}

/// Identity of a file. All names of a file have the same identity.
#[derive(Debug, PartialEq, Eq)]
enum FileId {
    /// Device and inode number of an existing regular file.
    Number((u64, u64)),
    /// Canonical directory and name. Used if the file does not exist yet, or if its inode number is unknown.
    Name(PathBuf),
}

impl FileId {
    /// Returns the identity of the file at `path`. Returns `None` for devices and pipes, because these can be
    /// read and written at the same time.
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
    /// Adds files that the command reads. The name `-` means standard input.
    pub(crate) fn reads(mut self, what: &str, paths: impl IntoIterator<Item: AsRef<Path>>) -> Self {
        for path in paths {
            let path = path.as_ref();
            let (file, shown) = if is_stream(path) {
                (FileId::of_stream(std::io::stdin()), "standard input".into())
            } else {
                (FileId::from_path(path), path.to_string_lossy())
            };
            self.read.extend(file.map(|file| Named { what: format!("{what} {shown}"), file }));
        }
        self
    }

    /// Adds the input files, or standard input if there are none. Also adds the files that options such as
    /// `--regions` name.
    pub(crate) fn reads_records(self, paths: &[PathBuf], input: &InputArgs) -> Self {
        let stdin = paths.is_empty().then_some(Path::new(STREAM));
        self.reads("the input", paths.iter().map(PathBuf::as_path).chain(stdin))
            .reads_rules(input.regions.as_deref(), input.houses.as_deref())
    }

    /// Adds the files that `--regions` and `--houses` name. The value of `--regions` may also be a layout
    /// instead of a file name.
    pub(crate) fn reads_rules(self, regions: Option<&str>, houses: Option<&Path>) -> Self {
        let regions = regions.map(Path::new).filter(|path| path.is_file());
        self.reads("--regions", regions).reads("--houses", houses)
    }

    /// Adds the file that `-o` names. A missing name or `-` means standard output. `is_named` is true if an
    /// option sets the format, so that the ending of the name does not matter.
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

    /// Adds an output file, if `path` names one, and the partial name under which it is written.
    pub(crate) fn writes(self, output: OutputFile, path: Option<&Path>) -> Self {
        match path {
            Some(path) => self.writes_as(output, path, false),
            None => self,
        }
    }

    fn writes_as(mut self, output: OutputFile, path: &Path, is_named: bool) -> Self {
        self.misnamed = self.misnamed.or_else(|| output.said(Some(path), is_named).err());
        // If the path cannot be resolved, the later attempt to open it reports the error.
        let path = resolved(path).unwrap_or_else(|_| path.to_owned());
        self.add_written(output.option, &path, &partial_of(&path))
    }

    /// Adds the checkpoint file, if `checkpoint` names one.
    pub(crate) fn keeps(mut self, checkpoint: Option<&Path>) -> Self {
        match checkpoint {
            Some(path) => {
                self.misnamed =
                    self.misnamed.or_else(|| OutputFile::CHECKPOINT.said(Some(path), false).err());
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

    /// Checks that the name of every output has a valid ending, and that no output overwrites another file of
    /// the command. Must be called before any output is opened.
    ///
    /// # Errors
    /// Returns a usage error that names the unsuitable file or the two files in conflict.
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
