//! Work on another thread, during which the interpreter is free and signals are handled.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use quadrille::engine::Control;

use crate::exception;

/// Interval between two checks for signals, and between two calls of a progress function.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Returns the number of threads that the machine runs at a time.
pub(crate) fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` in a new thread pool.
///
/// This package must not use rayon's global pool: a forked process has none of the pool's threads and would wait for
/// them forever.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> quadrille::Result<T> + Send) -> quadrille::Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(all_threads()).build();
    pool.map_err(quadrille::Error::threads)?.install(work)
}

/// A slot for a Python error that occurs on another thread.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    /// Calls `work` with the interpreter held. A Python error goes to the slot; `reason` is then returned in its place.
    pub(crate) fn attach<T>(
        &self,
        reason: &'static str,
        work: impl FnOnce(Python<'_>) -> PyResult<T>,
    ) -> Result<T, &'static str> {
        let done = Python::try_attach(work).ok_or("the interpreter has ended")?;
        done.map_err(|error| {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            reason
        })
    }

    /// Returns the Python error in the slot, or `error` as an exception if there is none.
    pub(crate) fn or(&self, error: quadrille::Error) -> PyErr {
        let of_python = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        of_python.unwrap_or_else(|| exception(error))
    }
}

/// Runs `work` as [`wait`] does. A signal cancels `control`.
pub(crate) fn wait_for<T: Send>(
    py: Python<'_>,
    control: &Control,
    work: impl FnOnce() -> quadrille::Result<T> + Send,
) -> PyResult<T> {
    wait(py, work, || control.cancel(), |_| Ok(()))?.map_err(exception)
}

/// Runs `work` on another thread and returns its result. Calls `look` at intervals, with the interpreter
/// held.
///
/// If `look` fails or a signal arrives, calls `cancel`, waits for the work to end, and returns the error.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
    cancel: impl Fn() + Sync + Send,
    look: impl Fn(Python<'_>) -> PyResult<()> + Sync + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (say, done) = sync_channel(1);
            let worker = scope.spawn(move || {
                let result = work();
                // The waiting thread may have returned with an error already.
                let _ = say.send(());
                result
            });
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(LOOK_EVERY) {
                if interrupted.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals().and_then(|()| look(py)))
                {
                    cancel();
                    interrupted = Some(error);
                }
            }
            match (interrupted, worker.join()) {
                (Some(error), _) => Err(error),
                (None, Ok(result)) => Ok(result),
                (None, Err(_)) => Err(PyRuntimeError::new_err("the work panicked")),
            }
        })
    })
}
