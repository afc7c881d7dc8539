//! Divides values of any range into bins.
//!
//! If there are few different values, each has its own bin. Otherwise, bins have equal width, or there are
//! two bins per power of two.

use super::page::{Cell, Histogrammed, Unit, Value};
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
    kind: fn(T) -> Value,
) -> impl Iterator<Item = Cell> {
    let value = move |(_, share)| Value::from_option(quantile(counts.clone(), share), kind);
    QUANTILES.into_iter().map(value).map(Cell::from)
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

/// Returns a histogram with the given bins, and with marks at three quantiles.
pub(super) fn of_histogram(histogram: &Histogram, unit: Unit, edges: Vec<u64>) -> Histogrammed {
    let counts = counted(&edges, histogram.buckets());
    let marks = [("p50", 500), ("p90", 900), ("p99", 990)];
    let marks =
        marks.iter().filter_map(|(name, share)| Some(((*name).to_owned(), histogram.quantile(*share)?)));
    Histogrammed { unit, edges, counts, marks: marks.collect() }
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
