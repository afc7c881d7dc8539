//! No output of a command is an input of it, nor another output; and each has a name that it can have.

use std::fs;
use std::path::{Path, PathBuf};

use super::endings::OutputFile;
use super::target::{partial_of, resolved};
use super::{STREAM, is_stream, named};
use quadrille_batch::Checkpoint;
use quadrille_model::locked::number;
use quadrille_model::shown;
use quadrille_model::{Error, Result};

/// The files that a command reads and writes, each with what it is to the command.
#[derive(Debug, Default)]
pub(crate) struct Files {
    read: Vec<Named>,
    /// A list an output: its own name, and those under which it is written first.
    written: Vec<Vec<Named>>,
    /// The first name that its output cannot have.
    misnamed: Option<Error>,
}

#[derive(Debug)]
struct Named {
    /// For people.
    what: String,
    file: FileId,
}

/// The identity of a file, by which two names are one file's.
#[derive(Debug, PartialEq, Eq)]
enum FileId {
    /// A regular file that is there: its device and number.
    Number((u64, u64)),
    /// A file that is not there yet, or whose number is not told: the directory's one true name, and its own.
    Name(PathBuf),
}

impl FileId {
    /// Of a name; `None` for what can be read and written at once: devices, pipes.
    fn of(path: &Path) -> Option<Self> {
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

    /// Of a standard stream.
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

impl Files {
    /// Adds files that are read; `-` is standard input.
    pub(crate) fn reads<'p>(mut self, what: &str, paths: impl IntoIterator<Item = &'p Path>) -> Self {
        for path in paths {
            let (file, shown) = if is_stream(path) {
                (FileId::of_stream(std::io::stdin()), "standard input".into())
            } else {
                (FileId::of(path), path.to_string_lossy())
            };
            self.read.extend(file.map(|file| Named { what: format!("{what} {shown}"), file }));
        }
        self
    }

    /// Adds the records' files; none is standard input.
    pub(crate) fn reads_records(self, paths: &[PathBuf]) -> Self {
        let stdin = paths.is_empty().then_some(Path::new(STREAM));
        self.reads("the input", paths.iter().map(|path| &**path).chain(stdin))
    }

    /// Adds what `--regions` and `--houses` name, of which the first may be the layout itself.
    pub(crate) fn reads_rules(self, regions: Option<&str>, houses: Option<&Path>) -> Self {
        let regions = regions.map(Path::new).filter(|path| path.is_file());
        self.reads("--regions", regions).reads("--houses", houses)
    }

    /// Adds the file for `-o`; none, or `-`, is standard output. `is_named`: the command line names its format, whatever its own name
    /// says.
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

    /// Adds a file that is written under another name first, if there is one.
    pub(crate) fn writes(self, output: OutputFile, path: Option<&Path>) -> Self {
        match path {
            Some(path) => self.writes_as(output, path, false),
            None => self,
        }
    }

    fn writes_as(mut self, output: OutputFile, path: &Path, is_named: bool) -> Self {
        self.misnamed = self.misnamed.or_else(|| output.said(Some(path), is_named).err());
        // What cannot be resolved is refused where it is opened.
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
            names.into_iter().filter_map(|(what, path)| Some(Named { what, file: FileId::of(path)? }));
        self.written.push(named.collect());
        self
    }

    /// Makes sure that every output has a name that it can have, and that nothing is written in which something else is read or
    /// written. Nothing was opened for writing until here.
    ///
    /// # Errors
    /// A usage error that names the one, or the two.
    pub(crate) fn require_apart(self) -> Result<()> {
        for (place, names) in self.written.iter().enumerate() {
            let others = self.written[..place].iter().flatten();
            for other in self.read.iter().chain(others) {
                if let Some(name) = names.iter().find(|name| name.file == other.file) {
                    let Named { what, .. } = name;
                    return Err(Error::usage(format!(
                        "{what} is {} too: it would be overwritten",
                        other.what
                    )));
                }
            }
        }
        self.misnamed.map_or(Ok(()), Err)
    }
}
