//! Divides values of any range into bins.
//!
//! If there are few different values, each has its own bin. Otherwise, bins have equal width, or there are
//! two bins per power of two.

use super::page::{Cell, Unit};
use quadrille_batch::stats::{Histogram, Histogram2d, quantile};

/// Maximum number of values for which each value has its own bin.
const SINGLE: u64 = 40;

/// Columns of quantiles. Each has a name, and the share of records up to the quantile, in thousandths.
const QUANTILES: [(&str, u64); 7] = [
    ("minimum", 0),
    ("25 % have at most", 250),
    ("median", 500),
    ("75 % have at most", 750),
    ("90 % have at most", 900),
    ("99 % have at most", 990),
    ("maximum", 1000),
];

/// Returns the column names in `first`, followed by the names of the quantile columns.
pub(super) fn columns(first: &[&'static str]) -> Vec<&'static str> {
    first.iter().copied().chain(QUANTILES.map(|(name, _)| name)).collect()
}

/// Returns one cell per quantile of the values.
///
/// `counts` contains pairs of a value and the number of records that have it, in ascending order of values.
pub(super) fn quantiles<T>(
    counts: impl Iterator<Item = (T, u64)> + Clone,
    cell: impl Fn(T) -> Cell,
) -> impl Iterator<Item = Cell> {
    QUANTILES.into_iter().map(move |(_, share)| quantile(counts.clone(), share).map(&cell).into())
}

/// Returns the starts of bins for values from `min` to `max`, followed by the end of the last bin.
///
/// A large range has two bins per power of two if `is_log` is true, and bins of equal width otherwise.
pub(super) fn edges(min: u64, max: u64, is_log: bool) -> Vec<u64> {
    let range = max - min;
    if range < SINGLE {
        return (min..=max).chain([max.saturating_add(1)]).collect();
    }
    if !is_log {
        let step = (range / SINGLE + 1).max(1);
        let begin = min / step * step;
        let at = |bin: u64| begin.checked_add(bin.checked_mul(step)?);
        let mut edges: Vec<u64> = (0..).map_while(at).take_while(|edge| *edge <= max).collect();
        edges.push(edges.last().map_or(step, |last| last.saturating_add(step)));
        return edges;
    }
    let mut edges = vec![0];
    while let Some(&last) = edges.last()
        && last <= max
        && last < u64::MAX
    {
        edges.push(Histogram2d::end_of(last));
    }
    let first = edges.iter().rposition(|edge| *edge <= min).unwrap_or(0);
    edges.split_off(first)
}

/// Returns the 0-based index of the bin to which a value belongs.
pub(super) fn slot_of(edges: &[u64], value: u64) -> usize {
    edges.partition_point(|edge| *edge <= value).saturating_sub(1).min(edges.len().saturating_sub(2))
}

/// Returns the position of a value among the bins.
///
/// The position is the index of the value's bin, plus the fraction of the bin that is below the value.
pub(super) fn position(edges: &[u64], value: f64) -> f64 {
    let bin = edges.partition_point(|edge| (*edge as f64) <= value).saturating_sub(1);
    let bin = bin.min(edges.len().saturating_sub(2));
    let (Some(&from), Some(&to)) = (edges.get(bin), edges.get(bin + 1)) else { return 0.0 };
    let within = (value - from as f64) / (to - from).max(1) as f64;
    bin as f64 + within.clamp(0.0, 1.0)
}

/// Returns the number of records in each bin. `values` contains pairs of a value and the number of records
/// that have it.
pub(super) fn counted(edges: &[u64], values: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    for (value, records) in values {
        if let Some(count) = counts.get_mut(slot_of(edges, value)) {
            *count += records;
        }
    }
    counts
}

/// Counts of values in bins. All bins are drawn with equal width, even if their ranges differ.
#[derive(Debug, Clone)]
pub(super) struct Histogrammed {
    pub(super) unit: Unit,
    /// Start of each bin in ascending order, followed by the end of the last bin.
    pub(super) edges: Vec<u64>,
    /// Number of records in each bin.
    pub(super) counts: Vec<u64>,
    /// Values that are marked in the picture, each with its name.
    pub(super) marks: Vec<(&'static str, u64)>,
}

impl Histogrammed {
    /// Creates a histogram without marks. `values` contains pairs of a value and the number of records that
    /// have it.
    pub(super) fn new(unit: Unit, edges: &[u64], values: impl Iterator<Item = (u64, u64)>) -> Self {
        Histogrammed { unit, edges: edges.to_vec(), counts: counted(edges, values), marks: Vec::new() }
    }

    /// Marks three quantiles. `quantile` returns the value up to which a share of records lies, in thousandths.
    pub(super) fn marked(mut self, quantile: impl Fn(u16) -> Option<u64>) -> Self {
        let marks = [("p50", 500), ("p90", 900), ("p99", 990)].into_iter();
        self.marks = marks.filter_map(|(name, share)| Some((name, quantile(share)?))).collect();
        self
    }

    /// Creates a histogram of numbers of clues with the median marked. `list` contains pairs of a number of
    /// clues and the number of records that have it, in ascending order.
    pub(super) fn of_clues(edges: &[u64], list: &[(u64, u64)]) -> Self {
        let marks = quantile(list.iter().copied(), 500).map(|clues| ("p50", clues));
        let marks = marks.into_iter().collect();
        Histogrammed { marks, ..Histogrammed::new(Unit::Count, edges, list.iter().copied()) }
    }

    /// Creates a histogram with the given bins, and with marks at three quantiles.
    pub(super) fn of(histogram: &Histogram, unit: Unit, edges: &[u64]) -> Self {
        Histogrammed::new(unit, edges, histogram.buckets()).marked(|share| histogram.quantile(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_bin() {
        for (min, max) in [
            (0, 0),
            (17, 40),
            (0, 39),
            (0, 40),
            (5, 1000),
            (0, u64::MAX),
            (1 << 40, 1 << 50),
            (u64::MAX, u64::MAX),
        ] {
            for is_log in [false, true] {
                let edges = edges(min, max, is_log);
                assert!(edges.len() >= 2 && edges.len() < 150, "{min} {max} {is_log}: {}", edges.len());
                assert!(
                    edges[0] <= min && edges.windows(2).all(|pair| pair[0] < pair[1] || pair[1] == u64::MAX),
                    "{min} {max}"
                );
                assert!(edges[edges.len() - 1] > max || max == u64::MAX, "{min} {max} {is_log}");
                let counts = counted(&edges, [(min, 2), (max, 3)].into_iter());
                assert_eq!(counts.iter().sum::<u64>(), 5);
            }
        }
    }
}
