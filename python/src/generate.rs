//! Generated puzzles.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::Geometry;
use quadrille::engine::{Control, Flow};
use quadrille::generate::{Kind, Options, Request, Symmetry, run};
use quadrille::rating::{DIFFICULTIES, NoTenths, Tenths};

use crate::table::Table;
use crate::wait::all_threads;
use crate::{exception, listed, unknown};

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
    rating: Option<Vec<String>>,
    symmetry: Option<&str>,
    distinct: bool,
    threads: usize,
) -> PyResult<Table> {
    let known = Kind::from_name(kind).filter(|kind| *kind != Kind::Neighbours);
    let known = known.ok_or_else(|| PyValueError::new_err(format!("unknown kind {kind:?} of puzzles")))?;
    let mut request = Request::new(known, seed);
    request.distinct = distinct;
    request.clues = clues.map(|(least, most)| least..=most);
    request.rating = rating.as_deref().map(ratings).transpose()?;
    request.symmetry = symmetry.map(symmetry_of).transpose()?;
    if side != 9 {
        request.geometry = Geometry::of_side(side).map_err(exception)?;
    }
    let threads = if threads == 0 { all_threads() } else { threads };
    let (mut puzzles, mut solutions) = (StringBuilder::new(), StringBuilder::new());
    let control = Arc::new(Control::new());
    let mut interrupted = None;
    let mut ratings = Float64Builder::new();
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
            ratings.append_option(record.rating.map(|rating| f64::from(rating.0) / 10.0));
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
    let field = |name: &str, kind: DataType| Field::new(name, kind, true);
    let mut fields = vec![field("puzzle", DataType::Utf8), field("solution", DataType::Utf8)];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(puzzles.finish()), Arc::new(solutions.finish())];
    if request.rating.is_some() {
        fields.push(field("rating", DataType::Float64));
        columns.push(Arc::new(ratings.finish()));
    }
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns);
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Table::from(batch))
}

/// Returns the range of a word for difficulty, of one rating, or of two.
fn ratings(bounds: &[String]) -> PyResult<RangeInclusive<Tenths>> {
    let tenths = |text: &String| {
        text.parse::<Tenths>()
            .map_err(|reason: NoTenths| PyValueError::new_err(format!("rating={text}: {reason}")))
    };
    match bounds {
        [word] => match DIFFICULTIES.iter().find(|(known, ..)| known == word) {
            Some((_, _, least, most)) => Ok(*least..=*most),
            None => Ok(tenths(word)?..=tenths(word)?),
        },
        [least, most] => Ok(tenths(least)?..=tenths(most)?),
        _ => Err(PyValueError::new_err("rating: expected one or two numbers, or a word such as 'easy'")),
    }
}

fn symmetry_of(name: &str) -> PyResult<Symmetry> {
    let found = Symmetry::ALL.iter().find(|(known, ..)| *known == name);
    let known = || listed(Symmetry::ALL.iter().map(|(name, ..)| *name));
    found.map(|(_, _, symmetry)| *symmetry).ok_or_else(|| unknown("symmetry", name, &known()))
}
