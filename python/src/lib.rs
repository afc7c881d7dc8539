//! The native part of the Python package `quadrille`: tables, exact cover problems, and problems cut into
//! cubes.
//!
//! All tables are answered by `quadrille::tables::run_table`. The Python part (`python/quadrille`) converts
//! between tables and other Python objects.

mod answer;
mod checksum;
mod cover;
mod digits;
mod fast_path;
mod generate;
mod keys;
mod numbers;
mod problem;
mod score;
mod stats;
mod strings;
mod table;
mod wait;

use std::ffi::OsString;

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Allocator that keeps freed memory for a second.
///
/// Tables of tens of megabytes come and go. The system's allocator releases their memory immediately, and new
/// pages then cost more than anything else outside the engine.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Converts an error of the library to a Python exception.
fn exception(error: quadrille::Error) -> PyErr {
    let text = match error.kind() {
        // A table has no line numbers, and options of the program are arguments here.
        quadrille::ErrorKind::Input { place, reason } => {
            format!("{}: {}", place.source, reason.replace("--column", "column="))
        }
        _ => error.to_string(),
    };
    match error.kind() {
        quadrille::ErrorKind::Io { .. } => PyOSError::new_err(text),
        quadrille::ErrorKind::Usage(_)
        | quadrille::ErrorKind::Input { .. }
        | quadrille::ErrorKind::Model(_)
        | quadrille::ErrorKind::TooManyRejects { .. } => PyValueError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// Returns the exception for a word that is none of those `expected` for an argument.
fn unknown(argument: &str, word: &str, expected: &str) -> PyErr {
    PyValueError::new_err(format!("unknown {argument} {word:?}: expected {expected}"))
}

/// Returns words separated by commas.
fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Runs the program with `arguments`, which begin with its name, and returns its exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| quadrille::cli::run_to_status(arguments, quadrille::cli::ClosedStreams::default()))
}

/// Defines the module.
#[pymodule]
fn _quadrille(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(fast_path::one, module)?)?;
    module.add_function(wrap_pyfunction!(fast_path::few, module)?)?;
    module.add_function(wrap_pyfunction!(score::scores, module)?)?;
    module.add_function(wrap_pyfunction!(answer::fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(checksum::checksum, module)?)?;
    module.add_function(wrap_pyfunction!(problem::combine, module)?)?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<stats::Statistics>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<numbers::Numbers>()?;
    module.add_class::<strings::Strings>()?;
    module.add_class::<cover::CoverProblem>()?;
    module.add_class::<cover::Solutions>()
}
