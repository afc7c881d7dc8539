//! Exact cover problems.

use quadrille::CoverQuestions as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use quadrille::engine::{Control, CountGraph, Flow, Solver, Task};
use quadrille::{CoverBuilder, Direction, Error, Goal, Limits, ProblemRef, Result};

use crate::exception;
use crate::wait::{LOOK_EVERY, in_pool, wait, wait_for};

/// Maximum number of solutions that wait to be taken.
const SOLUTIONS_AHEAD: usize = 256;

/// An exact cover problem.
#[pyclass(frozen, module = "quadrille")]
pub(crate) struct CoverProblem {
    cover: Arc<quadrille::CoverProblem>,
}

#[pymethods]
impl CoverProblem {
    /// Creates a problem from options, each a list of the names of its items.
    #[new]
    fn new(primary: Vec<String>, secondary: Vec<String>, options: Vec<Vec<String>>) -> PyResult<Self> {
        let mut builder = CoverBuilder::new();
        primary.iter().try_for_each(|name| builder.primary(name).map(drop)).map_err(exception)?;
        secondary.iter().try_for_each(|name| builder.secondary(name).map(drop)).map_err(exception)?;
        for (number, option) in options.iter().enumerate() {
            let words: Vec<&str> = option.iter().map(String::as_str).collect();
            let added = builder.option(&words);
            added.map_err(|error| PyValueError::new_err(format!("option {number}: {error}")))?;
        }
        Ok(CoverProblem { cover: Arc::new(builder.build().map_err(exception)?) })
    }

    /// Returns the number of solutions, but at most `limit`.
    fn count<'py>(&self, py: Python<'py>, limit: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        let control = Arc::new(Control::new());
        if limit == Some(0) {
            return Err(PyValueError::new_err("a limit must be at least 1"));
        }
        let (problem, goal) = (ProblemRef::Cover(&self.cover), Goal::Count { limit });
        let count = || {
            let (mut solver, limits) = (Solver::default(), Limits::default());
            solver.search_parallel(&Task::whole(problem, goal, limits), &control, &mut |_| Flow::Continue)
        };
        let work = || in_pool(count).map(|answer| answer.count.unwrap_or_default());
        let count = wait_for(py, &control, work)?;
        py.get_type::<PyInt>().call1((count.to_string(),))
    }

    /// Returns an iterator that yields the solutions as they are found.
    fn solutions(&self) -> PyResult<Solutions> {
        let (send, found) = sync_channel(SOLUTIONS_AHEAD);
        let cover = Arc::clone(&self.cover);
        let search = move || {
            for solution in cover.solutions() {
                // The iterator was dropped.
                if send.send(solution).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().spawn(search)?;
        Ok(Solutions { found: Mutex::new(Some(found)), process: std::process::id() })
    }

    /// Returns the solution with the best sum of costs, and that sum, or `None` if there is no solution.
    fn best(&self, py: Python<'_>, costs: Vec<i64>, minimize: bool) -> PyResult<Option<(Vec<u32>, i64)>> {
        if costs.len() != self.cover.options() {
            let (costs, options) = (costs.len(), self.cover.options());
            return Err(PyValueError::new_err(format!("{costs} costs for {options} options")));
        }
        let mut cover = (*self.cover).clone();
        cover.set_costs(costs);
        let direction = if minimize { Direction::Minimize } else { Direction::Maximize };
        wait(py, || cover.best(direction), || {}, |_| Ok(()))?.map_err(exception)
    }

    /// Returns random solutions, all with the same probability; none if the problem has no solution.
    fn sample(&self, py: Python<'_>, number: u64, seed: u64) -> PyResult<Vec<Vec<u32>>> {
        self.ask_graph(py, |graph, control| {
            let numbers = (0..number).take_while(|_| control.stop().is_none());
            numbers.map_while(|number| graph.sample(seed, number).transpose()).collect()
        })
    }

    /// Returns, for each option, the number of solutions that have it, in decimal.
    fn marginals(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask_graph(py, |graph, control| {
            Ok(graph.marginals(control)?.iter().map(ToString::to_string).collect())
        })
    }

    /// Writes the certificate of the number of solutions, and the problem in Knuth's text format.
    fn certificate(&self, py: Python<'_>, path: PathBuf, problem: PathBuf) -> PyResult<String> {
        self.ask_graph(py, |graph, _| {
            let write = |path: &Path, text: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
                let written = File::create(path).map(BufWriter::new).and_then(|mut file| {
                    text(&mut file)?;
                    file.flush()
                });
                written.map_err(|cause| Error::io("writing", path, 0, cause))
            };
            write(&problem, &|out| write!(out, "{}", self.cover))?;
            write(&path, &|out| graph.write_certificate(out))?;
            Ok(graph.count().to_string())
        })
    }
}

impl CoverProblem {
    /// Builds the graph of all solutions on another thread, and asks it.
    fn ask_graph<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&CountGraph, &Control) -> Result<T> + Send,
    ) -> PyResult<T> {
        let control = Control::new();
        let work = || ask(&CountGraph::build(&self.cover, Limits::default(), &control)?, &control);
        wait_for(py, &control, work)
    }
}

/// Solutions of a problem, each a list of 0-based option numbers.
#[pyclass(frozen, module = "quadrille")]
pub(crate) struct Solutions {
    /// `None` only after the iterator was dropped.
    found: Mutex<Option<Receiver<Result<Vec<u32>>>>>,
    /// ID of the process that has the searching thread.
    process: u32,
}

impl Drop for Solutions {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // After a fork the searching thread is missing, and it may have left a lock of the queue held.
            std::mem::forget(self.found.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

#[pymethods]
impl Solutions {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<u32>>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this iterator belongs to the process before the fork: call solutions() again here",
            ));
        }
        let receive = || {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.as_ref().map_or(Err(RecvTimeoutError::Disconnected), |found| found.recv_timeout(LOOK_EVERY))
        };
        loop {
            let next = py.detach(receive);
            match next {
                Ok(solution) => return solution.map(Some).map_err(exception),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}
