//! The native half of the Python package `quadrille`: tables in, tables out, exact covers, and problems in cubes.
//!
//! All of a table's way through here is `quadrille::batch::run_table`. The half in Python (`python/quadrille`) turns what people have
//! into a table, and what comes out into what they want.

mod answer;
mod checksum;
mod cover;
mod digits;
mod generate;
mod keys;
mod numbers;
mod one;
mod problem;
mod stats;
mod strings;
mod table;
mod wait;

use std::ffi::OsString;

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Tables come and go by tens of megabytes. This allocator keeps what was freed for some seconds, where that of the system gives
/// it back at once, and new pages are the largest part of what stands beside the engine. `.cargo/config.toml` says how it keeps it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// An exception for an error of the library.
fn exception(error: quadrille::Error) -> PyErr {
    let text = match error.kind() {
        // A table has neither lines nor bytes, and what are options of the program are arguments here.
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

/// Runs the program with these arguments, of which the first is its name; returns its exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| quadrille::cli::run_to_status(arguments, quadrille::cli::ClosedStreams::default()))
}

/// The module.
#[pymodule]
fn _quadrille(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(one::one, module)?)?;
    module.add_function(wrap_pyfunction!(generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(checksum::checksum, module)?)?;
    module.add_function(wrap_pyfunction!(problem::combine, module)?)?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<stats::Statistics>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<numbers::Numbers>()?;
    module.add_class::<strings::Strings>()?;
    module.add_class::<cover::Cover>()?;
    module.add_class::<cover::Solutions>()
}
