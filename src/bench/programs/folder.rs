//! A temporary folder that is removed even if a signal ends this process.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

/// The folders that exist now.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary folder. It is removed when this value is dropped, or by [`remove_all`].
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        let mut folders = locked(&FOLDERS);
        let folder = tempfile::tempdir()?;
        folders.push(folder.path().to_owned());
        Ok(Folder(folder))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        locked(&FOLDERS).retain(|path| path != self.path());
    }
}

/// Removes all folders and prevents new ones. Must be called when this process is about to exit.
pub(crate) fn remove_all() {
    let folders = locked(&FOLDERS);
    for folder in folders.iter() {
        // If a folder cannot be removed, nothing can be done about it here.
        let _ = std::fs::remove_dir_all(folder);
    }
    // The lock is kept until the process ends, so that no new folder can be created.
    std::mem::forget(folders);
}

/// Locks a mutex, even if a thread that held it has panicked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
