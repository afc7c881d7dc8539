//! Ratios with the ranges in which they are expected to be. Noisy numbers are never compared without such a
//! range.

use super::page::Ratio;
use quadrille_batch::stats::{Histogram, Timeline};

/// Number of standard errors on either side of a mean that contains 95 % of a normal distribution.
const ERRORS: f64 = 1.96;
/// Minimum number of whole time steps needed to judge the rate of a run.
const STEPS: usize = 5;

/// Returns the ratio of two means, the second to the first, or `None`.
///
/// Returns `None` if either histogram has fewer than two values or a mean of zero.
///
/// Records are treated as samples of a larger corpus. The range is the 95 % interval of the delta method on the
/// logarithm.
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

/// Returns a ratio with its 95 % interval, from the standard error of its logarithm.
pub(super) fn around(value: f64, error: f64) -> Ratio {
    let factor = (ERRORS * error).exp();
    Ratio { value, low: value / factor, high: value * factor }
}

/// Returns the ratio of two runs' records per second, or `None`.
///
/// Returns `None` if either run has fewer than five whole steps.
///
/// The ratio is the median over the time steps of the second run, divided by that of the first; the range is from
/// quartile to quartile.
pub(super) fn of_rates(first: &Timeline, second: &Timeline) -> Option<Ratio> {
    let (first, second) = (quartiles(first)?, quartiles(second)?);
    let [low, middle, high] = second;
    Some(Ratio { value: middle / first[1], low: low / first[2], high: high / first[0] })
}

/// Returns the quartiles of the records per second, without the first and last step, which are incomplete.
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

/// Mean and scatter of the logarithms of ratios: for each record, a figure of the second run divided by the same
/// figure of the first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct LogMean {
    records: u64,
    mean: f64,
    squares: f64,
}

impl LogMean {
    /// Adds a ratio of two positive numbers in one pass (Welford 1962).
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

    /// Returns the geometric mean of the ratios with its 95 % interval, or `None` for fewer than two.
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
        // Mean 13, variance 20/3, standard error of the logarithm sqrt(2 * 20/3 / 4 / 169).
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
