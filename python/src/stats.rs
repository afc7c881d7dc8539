//! The account of a run.

use pyo3::prelude::*;

use crate::exception;

/// The account of a run, or of several added up: records by verdict, histograms of work, the hardest records.
///
/// >>> import quadrille as q
/// >>> account = q.count(["." * 16, "1" * 16, "12"]).statistics
/// >>> account.records
/// 3
/// >>> account.merge(q.count("." * 16 for _ in range(4)).statistics)
/// >>> account.records, account.status
/// (7, {'counted': 6, 'invalid': 1})
#[pyclass(module = "quadrille")]
pub(crate) struct Statistics {
    pub(crate) inner: Box<quadrille::stats::Statistics>,
}

#[pymethods]
impl Statistics {
    /// Nothing seen yet.
    #[new]
    fn new() -> Self {
        Statistics { inner: Box::default() }
    }

    /// Reads the program's statistics file (`--stats-out`).
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let inner = quadrille::stats::Statistics::from_json("statistics", text).map_err(exception)?;
        Ok(Statistics { inner: Box::new(inner) })
    }

    /// The program's statistics file: what the program writes with `--stats-out`, and `quadrille stats` and `quadrille report` read.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    /// Adds all of another: exactly, and in any order.
    fn merge(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        let other = other.try_borrow();
        // Of itself, which is borrowed for the sum already.
        let other = other.map_or_else(|_| self.inner.clone(), |other| other.inner.clone());
        self.inner.merge(&other);
        Ok(())
    }

    /// The number of records read.
    #[getter]
    fn records(&self) -> u64 {
        self.inner.records_in
    }

    /// The number of rows written.
    #[getter]
    fn rows(&self) -> u64 {
        self.inner.rows_out
    }

    /// Records by verdict.
    #[getter]
    fn status(&self) -> std::collections::BTreeMap<&'static str, u64> {
        let all = quadrille::Status::ALL.iter().map(|&status| (status.word(), self.inner.status(status)));
        all.filter(|(_, records)| *records > 0).collect()
    }

    /// A summary in lines, as the program prints it.
    fn __str__(&self) -> String {
        let mut text = String::new();
        // A string takes whatever is written.
        let _ = self.inner.write_summary(&mut text);
        text
    }

    fn __repr__(&self) -> String {
        format!("<Statistics of {} records>", self.inner.records_in)
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((this.getattr("from_json")?, (this.borrow().to_json(),)))
    }
}
