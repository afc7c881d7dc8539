//! Files locked for writing by one process, which can check that their names still lead to them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use quadrille_model::{Error, Result, usage};

/// Maximum number of attempts if the name is given to another file between opening and locking.
const TRIES: u32 = 16;

/// A regular file, open for reading and writing and locked against other processes until it is dropped.
///
/// On a file system without locks, there is no protection against a second process.
#[derive(Debug)]
pub struct LockedFile {
    file: File,
    path: PathBuf,
}

impl LockedFile {
    /// Opens an existing file with its contents, or creates it. Never waits.
    ///
    /// # Errors
    /// Returns an error for a link, a directory, a device or a pipe, for a file locked by another process, or from the
    /// system.
    pub fn open(path: &Path) -> Result<Self> {
        for _ in 0..TRIES {
            // The kind of file is also checked before opening it, because opening a device may have an effect.
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
            // The previous writer may have renamed the file before unlocking it.
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

    /// Returns true if the file has another name too. Always false on systems other than Unix.
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

    /// Renames the file; it stays locked. Replaces a file of the new name unless `keep` is true.
    ///
    /// # Errors
    /// Returns an error if the present name leads to another file (which is left alone), if `keep` is true and the new
    /// name exists, or from the system.
    pub fn rename(&mut self, to: &Path, keep: bool) -> Result<()> {
        let failed = |cause| Error::io("renaming", &self.path, 0, cause);
        if !self.is_in_place() {
            return Err(failed(io::Error::other("another file has taken this name and is left alone")));
        }
        if keep {
            // A link is never created in place of another file, unlike a rename.
            match fs::hard_link(&self.path, to) {
                Ok(()) => fs::remove_file(&self.path).map_err(failed)?,
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists || to.exists() => {
                    return Err(not_replaced(to));
                }
                // Some file systems have no hard links.
                Err(_) => fs::rename(&self.path, to).map_err(failed)?,
            }
        } else {
            fs::rename(&self.path, to).map_err(failed)?;
        }
        self.path = to.to_owned();
        Ok(())
    }

    /// Removes the file if its name still leads to it.
    pub fn remove(self) -> io::Result<()> {
        if self.is_in_place() { fs::remove_file(&self.path) } else { Ok(()) }
    }
}

/// Returns a path with `suffix` appended to its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the error for an existing file that must not be replaced.
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

#[cfg(unix)]
fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // Another file may take the name after the check. So links are not followed, and opening a pipe does not wait.
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options
}

/// Returns the device and number of a file, which identify it; `None` on systems other than Unix.
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

/// Returns the process that has locked a file, as text, or `None` if it is unknown.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<String> {
    let (device, inode) = number(&file.metadata().ok()?)?;
    let place = format!("{:02x}:{:02x}:{inode}", rustix::fs::major(device), rustix::fs::minor(device));
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // number: FLOCK ADVISORY WRITE process device:inode first last
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
