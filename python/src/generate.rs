//! Generated puzzles.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::Geometry;
use quadrille::engine::{Control, Flow};
use quadrille::generate::{Kind, Options, Request, run};

use crate::exception;
use crate::table::Table;
use crate::wait::all_threads;

/// Makes puzzles with their solutions; equal arguments give equal puzzles.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub(crate) fn generate(
    py: Python<'_>,
    kind: &str,
    count: u64,
    seed: u64,
    side: usize,
    clues: Option<(u32, u32)>,
    distinct: bool,
    threads: usize,
) -> PyResult<Table> {
    let kind = match kind {
        "grids" => Kind::Grids,
        "puzzles" => Kind::Puzzles,
        "minimal" => Kind::Minimal,
        "multiple" => Kind::Multiple,
        "altered" => Kind::Altered,
        "sparse" => Kind::Sparse,
        _ => return Err(PyValueError::new_err(format!("unknown kind {kind:?} of puzzles"))),
    };
    let mut request = Request::new(kind, seed);
    request.distinct = distinct;
    request.clues = clues.map(|(least, most)| least..=most);
    if side != 9 {
        request.geometry = Geometry::of_side(side).map_err(exception)?;
    }
    let threads = match threads {
        0 => all_threads(),
        threads => threads,
    };
    let (mut puzzles, mut solutions) = (StringBuilder::new(), StringBuilder::new());
    let control = Arc::new(Control::new());
    let mut interrupted = None;
    let (mut puzzle, mut solution) = (Vec::new(), Vec::new());
    let made = py.detach(|| {
        let mut last = std::time::Instant::now();
        run(&request, 0..count, Options { threads, ..Options::default() }, &control, &mut |record| {
            puzzle.clear();
            record.write_puzzle(&mut puzzle);
            puzzles.append_value(String::from_utf8_lossy(&puzzle));
            solution.clear();
            record.write_solution(&mut solution);
            solutions.append_option((!solution.is_empty()).then(|| String::from_utf8_lossy(&solution)));
            if last.elapsed().as_millis() >= 50 {
                last = std::time::Instant::now();
                interrupted = Python::attach(|py| py.check_signals()).err();
            }
            if interrupted.is_some() { Flow::Stop } else { Flow::Continue }
        })
    });
    if let Some(error) = interrupted {
        return Err(error);
    }
    made.map_err(exception)?;
    let field = |name: &str| Field::new(name, DataType::Utf8, true);
    let schema = Arc::new(Schema::new(vec![field("puzzle"), field("solution")]));
    let columns: Vec<ArrayRef> = vec![Arc::new(puzzles.finish()), Arc::new(solutions.finish())];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Table { schema, batches: vec![batch], account: None })
}
