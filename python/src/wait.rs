//! Work on a thread of its own, with the interpreter free meanwhile and signals looked at.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use quadrille::ErrorKind;

/// Time between two looks at signals, and two calls of a progress function.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Returns the number of threads that the machine runs at a time.
pub(crate) fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does work on the threads of a new pool. The global pool of rayon must not be used in this package: a process that is forked has
/// none of its threads and would wait for them without end.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> quadrille::Result<T> + Send) -> quadrille::Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(all_threads()).build();
    let failed = |error| ErrorKind::Internal(format!("cannot start threads: {error}"));
    pool.map_err(failed)?.install(work)
}

/// Does work and returns what it returns. Now and then `look` is called with the interpreter; when it fails, or a signal
/// comes, `cancel` makes the work end soon, and the error is returned when it has.
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
                // The one who waits may have gone, with an error of its own.
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
                (None, Err(_)) => Err(PyRuntimeError::new_err("the work broke down")),
            }
        })
    })
}
