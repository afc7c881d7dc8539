//! Ratios, each with the range in which the true ratio is expected. Measured numbers are never compared
//! without such a range, because they are noisy.

use super::page::{Cell, Unit};
use quadrille_batch::stats::{Histogram, Timeline};

/// Number of standard errors around the mean within which 95 % of a normal distribution lie.
const ERRORS: f64 = 1.96;
/// Minimum number of complete time steps that are needed to judge the rate of a run.
const STEPS: usize = 5;

/// A ratio, with the range in which the true ratio is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Ratio {
    /// Returns true if the range excludes 1, so that there clearly is a difference.
    pub(super) fn is_clear(self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Returns cells with the ratio and the ends of its range.
    pub(super) fn cells(self) -> [Cell; 3] {
        [self.value, self.low, self.high].map(|number| Unit::Number.real(number))
    }
}

/// Returns the mean of `second` divided by the mean of `first`.
///
/// Returns `None` if either histogram has fewer than two values or a mean of zero.
///
/// Records are treated as samples from a larger corpus. The range of the ratio is its 95 % interval. It is
/// computed with the delta method on the logarithm of the ratio.
pub(super) fn of_means(first: &Histogram, second: &Histogram) -> Option<Ratio> {
    let of = |histogram: &Histogram| {
        let mean = histogram.mean().filter(|mean| *mean > 0.0 && histogram.total() > 1)?;
        let records = histogram.total() as f64;
        let squares: f64 =
            histogram.buckets().map(|(value, count)| (value as f64 - mean).powi(2) * count as f64).sum();
        Some((mean, squares / (records - 1.0) / records / (mean * mean)))
    };
    let ((first, first_error), (second, second_error)) = (of(first)?, of(second)?);
    Some(around(second / first, (first_error + second_error).sqrt()))
}

/// Returns a ratio with its 95 % interval. `error` is the standard error of the ratio's logarithm.
pub(super) fn around(value: f64, error: f64) -> Ratio {
    let factor = (ERRORS * error).exp();
    Ratio { value, low: value / factor, high: value * factor }
}

/// Returns the second run's records per second, divided by the first run's records per second.
///
/// Returns `None` if a run has fewer than five complete time steps, or if the lower quartile of its rates is
/// zero.
///
/// The rate of each run is the median over its time steps. The range of the ratio comes from the quartiles of
/// the rates.
pub(super) fn of_rates(first: &Timeline, second: &Timeline) -> Option<Ratio> {
    let (first, second) = (quartiles(first)?, quartiles(second)?);
    let [low, middle, high] = second;
    Some(Ratio { value: middle / first[1], low: low / first[2], high: high / first[0] })
}

/// Returns the three quartiles of the records per second. Returns `None` if there are too few time steps or
/// the lower quartile is zero.
///
/// Leaves out the first and the last time step, which are incomplete.
fn quartiles(timeline: &Timeline) -> Option<[f64; 3]> {
    let bins = timeline.bins();
    let whole = bins.get(1..bins.len().saturating_sub(1)).filter(|bins| bins.len() >= STEPS)?;
    let mut rates: Vec<f64> =
        whole.iter().map(|bin| bin.records as f64 * 1e9 / timeline.bin_ns() as f64).collect();
    rates.sort_by(f64::total_cmp);
    let at = |share: f64| rates[((rates.len() - 1) as f64 * share).round() as usize];
    let quartiles = [at(0.25), at(0.5), at(0.75)];
    (quartiles[0] > 0.0).then_some(quartiles)
}

/// Mean and scatter of the logarithms of ratios between two runs.
///
/// There is one ratio per record: a number in the second run, divided by the same number in the first run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct LogMean {
    records: u64,
    mean: f64,
    squares: f64,
}

impl LogMean {
    /// Adds the ratio `second / first` of two positive numbers. Mean and scatter are updated without storing
    /// the ratios (Welford 1962).
    pub(super) fn add(&mut self, first: f64, second: f64) {
        let log = (second / first).ln();
        self.records += 1;
        let off = log - self.mean;
        self.mean += off / self.records as f64;
        self.squares += off * (log - self.mean);
    }

    /// Returns the number of ratios.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Returns the geometric mean of the ratios with its 95 % interval, or `None` if there are fewer than two
    /// ratios.
    pub(super) fn ratio(&self) -> Option<Ratio> {
        let records = self.records as f64;
        (self.records > 1).then(|| around(self.mean.exp(), (self.squares / (records - 1.0) / records).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_batch::stats::Phases;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        values.iter().for_each(|value| histogram.record(*value));
        histogram
    }

    #[test]
    fn means_are_compared_with_their_errors() {
        let (first, second) = (of(&[10, 12, 14, 16]), of(&[20, 24, 28, 32]));
        let ratio = of_means(&first, &second).unwrap();
        // The mean is 13 and the variance is 20/3. The standard error of the logarithm is sqrt(2 * 20/3 / 4 /
        // 169).
        let factor = (1.96 * (2.0 * 20.0 / 3.0 / 4.0 / 169.0f64).sqrt()).exp();
        assert!((ratio.value - 2.0).abs() < 1e-9 && (ratio.high - 2.0 * factor).abs() < 1e-9, "{ratio:?}");
        assert!(ratio.is_clear() && !of_means(&first, &first).unwrap().is_clear());
        assert!(of_means(&first, &of(&[0, 0])).is_none() && of_means(&of(&[5]), &first).is_none());
    }

    #[test]
    fn rates_are_compared_by_the_steps_of_their_runs() {
        let run = |rates: &[u64]| {
            let mut timeline = Timeline::default();
            (0..)
                .zip(rates)
                .for_each(|(bin, &rate)| timeline.add(bin << 20, (bin + 1) << 20, rate, Phases::default()));
            timeline
        };
        let (first, second) = (run(&[1, 8, 9, 10, 11, 12, 1]), run(&[1, 40, 40, 40, 40, 40, 1]));
        let ratio = of_rates(&first, &second).unwrap();
        assert_eq!((ratio.value, ratio.low, ratio.high), (4.0, 40.0 / 11.0, 40.0 / 9.0));
        assert!(of_rates(&first, &run(&[5, 5, 5])).is_none());
    }

    #[test]
    fn ratios_of_the_same_records_are_paired() {
        let mut mean = LogMean::default();
        assert!(mean.ratio().is_none());
        [(1.0, 2.0), (100.0, 200.0), (7.0, 14.0)]
            .iter()
            .for_each(|(first, second)| mean.add(*first, *second));
        let ratio = mean.ratio().unwrap();
        assert!(
            (ratio.value - 2.0).abs() < 1e-9 && ratio.high - ratio.low < 1e-6,
            "the same ratio each has no spread"
        );
    }
}
