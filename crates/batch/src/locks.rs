//! Locks that stay usable after a thread panicked while it held them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for the lock of `mutex` and returns the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
