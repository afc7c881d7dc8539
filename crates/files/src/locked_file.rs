//! Files that one process locks for writing. A locked file can check whether its path still leads to it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use quadrille_model::{Error, Result, usage};

/// Maximum number of attempts to open and lock a file.
///
/// An attempt fails if the path leads to another file by the time the opened file is locked.
const TRIES: u32 = 16;

/// A regular file that is open for reading and writing. It is locked against other processes until this value
/// is dropped.
///
/// On a file system without locks, nothing prevents a second process from writing to the file.
#[derive(Debug)]
pub struct LockedFile {
    file: File,
    path: PathBuf,
}

impl LockedFile {
    /// Opens an existing file and keeps its contents, or creates the file. Never waits.
    ///
    /// # Errors
    /// Returns an error if the path leads to a link, a directory, a device or a pipe, if another process has
    /// locked the file, or if the system reports an error.
    pub fn open(path: &Path) -> Result<Self> {
        for _ in 0..TRIES {
            // Check that the path leads to a regular file before opening it, because merely opening a device
            // may have an effect. The same check is repeated after opening.
            if let Ok(about) = fs::symlink_metadata(path) {
                require_regular(path, &about.file_type())?;
            }
            let failed = |cause| Error::io("creating", path, 0, cause);
            let file = options().open(path).map_err(failed)?;
            require_regular(path, &file.metadata().map_err(failed)?.file_type())?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                let holder = holder(&file).unwrap_or_else(|| "another run".to_owned());
                return Err(usage!("{holder} is writing {}", path.display()));
            }
            let locked = LockedFile { file, path: path.to_owned() };
            // If the previous writer has renamed the file between opening and locking, try again.
            if locked.is_in_place() {
                return Ok(locked);
            }
        }
        Err(usage!("{}: other runs keep creating and removing this file", path.display()))
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the file has a second name (a hard link). Always returns false on systems other than
    /// Unix.
    pub fn has_second_name(&self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(self.file.metadata()?.nlink() > 1)
        }
        #[cfg(not(unix))]
        Ok(false)
    }

    /// Returns true if the path still leads to this file.
    pub fn is_in_place(&self) -> bool {
        match (self.file.metadata(), fs::symlink_metadata(&self.path)) {
            (Ok(own), Ok(there)) => there.is_file() && number(&own) == number(&there),
            _ => false,
        }
    }

    /// Renames the file, which remains locked. Replaces an existing file at `to` unless `keep` is true.
    ///
    /// # Errors
    /// Returns an error if another file has taken the current path. That file stays unchanged. Also returns
    /// an error if `keep` is true and `to` exists, or if the system reports an error.
    pub fn rename(&mut self, to: &Path, keep: bool) -> Result<()> {
        let failed = |cause| Error::io("renaming", &self.path, 0, cause);
        if !self.is_in_place() {
            return Err(failed(io::Error::other("another file has taken this name and is left alone")));
        }
        if keep {
            // Creating a hard link fails if the new name exists, whereas a rename would replace that file.
            match fs::hard_link(&self.path, to) {
                Ok(()) => fs::remove_file(&self.path).map_err(failed)?,
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists || to.exists() => {
                    return Err(not_replaced(to));
                }
                // Some file systems have no hard links. Then rename the file instead.
                Err(_) => fs::rename(&self.path, to).map_err(failed)?,
            }
        } else {
            fs::rename(&self.path, to).map_err(failed)?;
        }
        self.path = to.to_owned();
        Ok(())
    }

    /// Removes the file, unless its name now leads to another file.
    pub fn remove(self) -> io::Result<()> {
        if self.is_in_place() { fs::remove_file(&self.path) } else { Ok(()) }
    }
}

/// Returns a path with `suffix` appended to its file name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns an error that says that the existing file must not be replaced.
pub fn not_replaced(path: &Path) -> Error {
    usage!("{} exists already and is not replaced", path.display())
}

fn require_regular(path: &Path, kind: &fs::FileType) -> Result<()> {
    let what = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_symlink() => "a link, which is not followed",
        kind if kind.is_dir() => "a directory",
        _ => "a device or a pipe",
    };
    Err(usage!("{} is {what}", path.display()))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        // The path may have changed since the earlier check and may now lead to another file. So links are
        // not followed, and opening a pipe does not wait.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    options
}

/// Returns the device and inode number that identify a file, or `None` on systems other than Unix.
pub fn number(about: &fs::Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((about.dev(), about.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        None
    }
}

/// Returns a text that names the process that has locked a file, or `None` if the process is unknown.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<String> {
    let (device, inode) = number(&file.metadata().ok()?)?;
    let place = format!("{:02x}:{:02x}:{inode}", rustix::fs::major(device), rustix::fs::minor(device));
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // Each line has the form `number: FLOCK ADVISORY WRITE process device:inode first last`.
    let line = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let process = line.into_iter().find(|words| words.get(5) == Some(&&*place))?[4].parse::<u32>().ok()?;
    let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " ");
    let shown: String = command.chars().take(120).collect();
    Some(format!("process {process} ({shown})"))
}

#[cfg(not(target_os = "linux"))]
fn holder(_: &File) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused_with_the_process_of_the_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let first = LockedFile::open(&path).unwrap();
        let refused = LockedFile::open(&path).unwrap_err().to_string();
        assert!(refused.ends_with(&format!("is writing {}", path.display())), "{refused}");
        #[cfg(target_os = "linux")]
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        LockedFile::open(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_directories_and_pipes_are_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("target"), directory.path().join("link"));
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let pipe = directory.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (path, word) in [(&*link, "link"), (&*pipe, "pipe"), (directory.path(), "directory")] {
            let refused = LockedFile::open(path).unwrap_err().to_string();
            assert!(refused.contains(word), "{refused}");
        }
        assert_eq!(fs::read(target).unwrap(), b"kept");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_lost_its_name_is_not_renamed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, to) = (directory.path().join("a"), directory.path().join("b"));
        let mut locked = LockedFile::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "another's").unwrap();
        assert!(!locked.is_in_place());
        assert!(locked.rename(&to, false).unwrap_err().to_string().contains("left alone"));
        assert!(!to.exists());
        locked.remove().unwrap();
        assert_eq!(fs::read(path).unwrap(), b"another's");
    }

    #[test]
    fn a_file_that_is_kept_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let (path, to) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&to, "old").unwrap();
        let mut locked = LockedFile::open(&path).unwrap();
        assert!(locked.rename(&to, true).unwrap_err().to_string().contains("not replaced"));
        assert_eq!(fs::read(&to).unwrap(), b"old");
        locked.rename(&to, false).unwrap();
        assert!(!path.exists() && locked.is_in_place());
        assert_eq!(fs::read(to).unwrap(), b"");
    }
}
