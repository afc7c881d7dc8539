//! Statistics of a run.

use pyo3::prelude::*;

use crate::exception;

/// Statistics of one run or several: records by verdict, histograms of work, the hardest records.
///
/// >>> import quadrille as q
/// >>> account = q.count(["." * 16, "11" + "." * 14, "12"]).statistics
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
    /// Creates empty statistics.
    #[new]
    fn new() -> Self {
        Statistics { inner: Box::default() }
    }

    /// Reads the text of a statistics file (`--stats-out`).
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let inner = quadrille::stats::Statistics::from_json("statistics", text).map_err(exception)?;
        Ok(Statistics { inner: Box::new(inner) })
    }

    /// Returns the text of a statistics file.
    ///
    /// The program writes such files with `--stats-out`; `quadrille stats` and `quadrille report` read them.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    /// Adds other statistics to these. The result is exact and does not depend on the order.
    fn merge(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        let other = other.try_borrow();
        // Borrowing fails if the statistics are merged into themselves. Then a copy is merged.
        let other = other.map_or_else(|_| self.inner.clone(), |other| other.inner.clone());
        self.inner.merge(&other);
        Ok(())
    }

    /// Number of records read.
    #[getter]
    fn records(&self) -> u64 {
        self.inner.totals.records_in
    }

    /// Number of rows written.
    #[getter]
    fn rows(&self) -> u64 {
        self.inner.totals.rows_out
    }

    /// Number of records by verdict.
    #[getter]
    fn status(&self) -> std::collections::BTreeMap<&'static str, u64> {
        let all = quadrille::Status::ALL.iter().map(|&status| (status.word(), self.inner.status(status)));
        all.filter(|(_, records)| *records > 0).collect()
    }

    /// Returns a summary in lines, as the program prints it.
    fn __str__(&self) -> String {
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = self.inner.write_summary(&mut text);
        text
    }

    fn __repr__(&self) -> String {
        format!("<Statistics of {} records>", self.inner.totals.records_in)
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((this.getattr("from_json")?, (this.borrow().to_json(),)))
    }
}
