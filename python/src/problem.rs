//! One problem in cubes, which may be answered in any process.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::batch::{BatchOptions, NodeLimit, Outputs, Progress, Query, run};
use quadrille::cubes::{CubeAnswers, CubeName, CutOptions, CutProblem, Purpose, cut, read_problem};
use quadrille::engine::Control;
use quadrille::input::{Format, InputOptions, Source, WeightSource};
use quadrille::{Direction, TopK};

use crate::stats::Statistics;
use crate::wait::{in_pool, wait_for};
use crate::{exception, unknown};

/// A problem to be cut into cubes. It may itself be a cube of another problem.
#[pyclass(frozen, module = "quadrille")]
pub(crate) struct Problem {
    whole: Arc<CutProblem>,
}

#[pymethods]
impl Problem {
    /// Reads a problem for a purpose: `count`, `all`, `max` or `min`.
    ///
    /// `weights` are one integer per cell; by default those of `target`.
    #[new]
    #[pyo3(signature = (text, purpose, weights = None, format = None))]
    fn new(
        py: Python<'_>,
        text: Vec<u8>,
        purpose: &str,
        weights: Option<Vec<i64>>,
        format: Option<&str>,
    ) -> PyResult<Self> {
        let purpose = match purpose {
            "count" => Purpose::Count,
            "all" => Purpose::Every,
            "max" => Purpose::Best(Direction::Maximize),
            "min" => Purpose::Best(Direction::Minimize),
            _ => return Err(unknown("purpose", purpose, "count, all, max or min")),
        };
        let format = format.map(|name| {
            let found = Format::all().find(|(format, _)| format.name() == name);
            let found = found.map(|(format, _)| format);
            found.ok_or_else(|| PyValueError::new_err(format!("unknown format {name:?}")))
        });
        let format = format.transpose()?;
        let weights = match (purpose, weights) {
            (Purpose::Count | Purpose::Every, _) => None,
            (Purpose::Best(_), Some(weights)) => Some(WeightSource::PerCell(weights)),
            (Purpose::Best(_), None) => Some(WeightSource::Target),
        };
        let options = InputOptions { format, weights, ..InputOptions::default() };
        let whole = py.detach(|| {
            let (problem, symbols) = read_problem("the problem", text, &options)?;
            CutProblem::new(problem.as_ref(), symbols, purpose)
        });
        Ok(Problem { whole: Arc::new(whole.map_err(exception)?) })
    }

    /// Returns the problem of a cube, which can be cut again.
    fn part(&self, cube: &str) -> PyResult<Self> {
        let wrong = |reason: String| PyValueError::new_err(reason);
        let (name, decisions) = cube
            .split_once('\t')
            .ok_or_else(|| wrong("not a cube: expected a name, a tab and decisions".to_owned()))?;
        let name: CubeName = name.parse().map_err(wrong)?;
        self.whole.check(&name).map_err(wrong)?;
        let decisions = self.whole.read(decisions).map_err(wrong)?;
        let part = self.whole.part(&decisions).map_err(exception)?;
        let part = CutProblem::new(part.as_ref(), self.whole.symbols(), self.whole.purpose());
        Ok(Problem { whole: Arc::new(part.map_err(exception)?) })
    }

    /// Cuts the problem into at least `target` cubes if possible. Returns one line per cube, as `split-problem`
    /// writes it.
    fn split(&self, py: Python<'_>, target: usize, probes: u64, seed: u64) -> PyResult<Vec<String>> {
        let control = Control::new();
        let cutting = CutOptions { target, probes, seed, ..CutOptions::default() };
        let work = || in_pool(|| cut(&self.whole, &cutting, &control));
        let cubes = wait_for(py, &control, work)?;
        let stopped = |_| PyValueError::new_err("the cut was stopped");
        let cubes = cubes.map_err(stopped)?;
        let line = |(name, cube): (CubeName, _)| {
            let mut text = format!("{name}\t").into_bytes();
            self.whole.write(cube, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        Ok(self.whole.names(&cubes).zip(&cubes).map(line).collect())
    }

    /// Answers cubes. Returns one line per cube, and the statistics of the run.
    ///
    /// The lines are those of `count`, `best` and `solve --all` with `--cubes`.
    fn answer(
        &self,
        py: Python<'_>,
        cubes: Vec<String>,
        threads: usize,
        node_limit: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<(Vec<String>, Statistics)> {
        let mut options = BatchOptions::new(match self.whole.purpose() {
            Purpose::Count => Query::Count { limit: None },
            Purpose::Every => Query::Every,
            Purpose::Best(direction) => Query::Best(TopK { direction, limit: 1 }),
        });
        options.input = InputOptions {
            format: Some(Format::Cubes),
            cubes: Some(Arc::clone(&self.whole)),
            ..InputOptions::default()
        };
        options.output.echo_id = true;
        options.threads = threads;
        options.node_limit = node_limit.map_or(NodeLimit::None, NodeLimit::Asked);
        options.time_limit = crate::answer::seconds(time_limit)?;
        options.validate().map_err(exception)?;
        let (control, progress) = (Arc::new(Control::new()), Progress::new(threads));
        let mut rows = Vec::new();
        let work = || {
            let bytes = cubes.iter().flat_map(|cube| [cube.as_bytes(), b"\n"].concat()).collect();
            let source = Source::Bytes { name: "the cubes".to_owned(), bytes };
            let outputs = Outputs::new(Box::new(&mut rows));
            let mut report = run(vec![source], &options, outputs, &control, &progress)?;
            report.error.take().map_or(Ok(report), Err)
        };
        let report = wait_for(py, &control, work)?;
        let mut statistics = report.statistics;
        statistics.set_run(env!("CARGO_PKG_VERSION"), options.words());
        let rows = String::from_utf8_lossy(&rows).lines().map(str::to_owned).collect();
        Ok((rows, Statistics { inner: Box::new(statistics) }))
    }
}

/// Combines answers of cubes of one cut. Returns the total, and the cubes without an answer.
///
/// The total is written as by `combine`; it is `None` while answers are missing.
///
/// # Errors
/// Returns an error for a cube of another cut and for a second, different answer.
#[pyfunction]
pub(crate) fn combine(cubes: Vec<String>, answers: Vec<String>) -> PyResult<(Option<String>, Vec<String>)> {
    let mut sum = CubeAnswers::default();
    let name = |line: &str| -> PyResult<CubeName> {
        line.split('\t')
            .next()
            .unwrap_or_default()
            .parse()
            .map_err(|reason: String| PyValueError::new_err(reason))
    };
    for cube in &cubes {
        sum.expect(&name(cube)?).map_err(exception)?;
    }
    for answer in &answers {
        sum.add(answer).map_err(exception)?;
    }
    let is_missing = |cube: &String| name(cube).is_ok_and(|name| !sum.has(name.number));
    let missing = cubes.into_iter().filter(is_missing).collect();
    if sum.missing().next().is_some() {
        return Ok((None, missing));
    }
    let total = sum.total().map_err(exception)?.to_string();
    Ok((Some(total), missing))
}
