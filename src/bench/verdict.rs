//! Verdicts on the ratio of two speeds. A verdict is based on the times of rounds. It consists of a
//! confidence interval of the ratio and a sentence.
//!
//! The computation uses the logarithms of the times, or of their ratios if the rounds are paired. The
//! extremes are left out, and the other logarithms are averaged. The confidence interval of this mean is
//! computed as in the trimmed t-test by Tukey and McLaughlin. If the rounds of two measurements are not
//! paired, it is computed as in Yuen's test (Wilcox, Introduction to Robust Estimation, chapters 4 and 5).
//!
//! A report with many rows has many chances to err, so the allowed error is divided by the number of rows
//! (Bonferroni). With a probability of 95 %, all intervals of a report contain the true ratios.

use std::f64::consts::FRAC_PI_2;
use std::fmt;

use quadrille_batch::stats::grouped;

/// Maximum number of rounds if nothing else limits them.
pub(super) const MAX_ROUNDS: usize = 1000;
/// Probability that at least one interval of a report does not contain the true ratio.
const ERROR: f64 = 0.05;
/// Minimum number of rounds for which an interval can be computed.
const MIN_ROUNDS: usize = 3;
/// Minimum number of rounds for leaving out extremes. From this number on, the fastest fifth and the slowest
/// fifth of the rounds are left out.
const MIN_TRIMMED: usize = 10;
/// Maximum difference between two speeds that count as the same. The difference is the logarithm of their
/// ratio.
const SAME: f64 = 0.05;
/// Number of steps in the numerical integral over a quarter of a circle.
const STEPS: usize = 4096;

/// An estimate of the logarithm of a speed ratio: the mean over the rounds, with the parameters of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    mean: f64,
    /// Square of the standard error of `mean`.
    square: f64,
    /// Degrees of freedom.
    freedom: f64,
    /// Additional error that more rounds do not reduce.
    drift: f64,
    rounds: usize,
}

impl Estimate {
    /// Returns the sentence for a verdict. For `None`, the sentence says that there were too few rounds.
    pub(super) fn said(verdict: Option<Verdict>) -> String {
        let few = || format!("cannot tell (needs at least {MIN_ROUNDS} rounds)");
        verdict.map_or_else(few, |verdict| verdict.to_string())
    }

    /// Returns the estimate of `baseline` divided by `own`, which have the times of the same rounds. Returns
    /// `None` if there are too few rounds.
    pub(super) fn paired(baseline: &[f64], own: &[f64]) -> Option<Self> {
        Self::of(baseline.iter().zip(own).map(|(baseline, own)| (baseline / own).ln()).collect())
    }

    /// Returns the estimate of `old` divided by `new`, for rounds that ran at different times.
    ///
    /// The machine may have become faster or slower between these times. `drift` is the logarithm of the
    /// factor by which its speed may have changed. Returns `None` if there are too few rounds.
    pub(super) fn unpaired(old: &[f64], new: &[f64], drift: f64) -> Option<Self> {
        let of = |times: &[f64]| Self::of(times.iter().map(|time| time.ln()).collect());
        let (old, new) = (of(old)?, of(new)?);
        let square = old.square + new.square;
        let parts = old.square.powi(2) / old.freedom + new.square.powi(2) / new.freedom;
        let freedom = if parts > 0.0 { square.powi(2) / parts } else { old.freedom };
        let rounds = old.rounds.min(new.rounds);
        Some(Estimate { mean: old.mean - new.mean, square, freedom, drift, rounds })
    }

    fn of(mut logs: Vec<f64>) -> Option<Self> {
        let rounds = logs.len();
        if rounds < MIN_ROUNDS || logs.iter().any(|log| !log.is_finite()) {
            return None;
        }
        logs.sort_by(f64::total_cmp);
        let cut = if rounds < MIN_TRIMMED { 0 } else { rounds / 5 };
        let kept = &logs[cut..rounds - cut];
        let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len() as f64;
        // For the error, each logarithm that is left out is replaced by the nearest logarithm that is kept.
        let (low, high) = (kept[0], kept[kept.len() - 1]);
        let clamped: Vec<f64> = logs.iter().map(|log| log.clamp(low, high)).collect();
        let centre = mean(&clamped);
        let squares: f64 = clamped.iter().map(|log| (log - centre).powi(2)).sum();
        let freedom = kept.len() as f64 - 1.0;
        let square = squares / (freedom * kept.len() as f64);
        Some(Estimate { mean: mean(kept), square, freedom, drift: 0.0, rounds })
    }

    /// Returns half the width that the interval would have after `rounds` rounds.
    ///
    /// `rows` is the number of rows that the report compares.
    fn half_width(&self, rounds: usize, rows: usize) -> f64 {
        let more = rounds as f64 / self.rounds as f64;
        let times = quantile(ERROR / rows.max(1) as f64, self.freedom * more);
        self.drift + times * (self.square / more).sqrt()
    }

    /// Returns the interval of the ratio. `rows` is the number of rows that the report compares.
    pub(super) fn interval(&self, rows: usize) -> [f64; 2] {
        let half = self.half_width(self.rounds, rows);
        [-half, half].map(|end| (self.mean + end).exp())
    }

    /// Returns the verdict that the interval supports. `rows` is the number of rows that the report compares.
    pub(super) fn verdict(&self, rows: usize) -> Verdict {
        let half = self.half_width(self.rounds, rows);
        let (low, high) = (self.mean - half, self.mean + half);
        if low > 0.0 {
            Verdict::Faster(low, high)
        } else if high < 0.0 {
            Verdict::Slower(-high, -low)
        } else if high.max(-low) <= SAME {
            Verdict::Same(high.max(-low))
        } else {
            let more = |rounds: &usize| Some(rounds + rounds.div_ceil(8));
            let mut all =
                std::iter::successors(more(&self.rounds), more).take_while(|&all| all <= MAX_ROUNDS);
            let wanted = self.mean.abs().max(SAME - self.mean.abs());
            Verdict::Open(all.find(|&rounds| self.half_width(rounds, rows) <= wanted))
        }
    }
}

/// Returns the number that the absolute value of a variable exceeds with the probability `outside`. The
/// variable has Student's t-distribution with `freedom` degrees of freedom.
fn quantile(outside: f64, freedom: f64) -> f64 {
    // With t = sqrt(freedom) * tan(angle), the density of the angle is a power of the cosine.
    let angle = |step: usize| FRAC_PI_2 * (step as f64 + 0.5) / STEPS as f64;
    let weights: Vec<f64> = (0..STEPS).map(|step| angle(step).cos().powf(freedom - 1.0)).collect();
    let mut left = outside * weights.iter().sum::<f64>();
    let is_inside = |step: &usize| {
        left -= weights[*step];
        left < 0.0
    };
    freedom.sqrt() * angle((0..STEPS).rev().find(is_inside).unwrap_or(0)).tan()
}

/// A verdict on a ratio of speeds. The numbers are logarithms of ratios and are at least 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    Same(f64),
    Faster(f64, f64),
    Slower(f64, f64),
    /// Undecided. The value is the number of rounds that would decide, or `None` if more than [`MAX_ROUNDS`]
    /// are needed.
    Open(Option<usize>),
}

impl Verdict {
    /// Returns true if the verdict says that one of the two speeds is higher.
    pub(super) fn is_clear(self) -> bool {
        matches!(self, Verdict::Faster(..) | Verdict::Slower(..))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |log: f64| format!("{:.1}", 100.0 * (log.exp() - 1.0));
        let (word, times, low, high) = match *self {
            // Rounds up, because the sentence must not promise a smaller difference than the interval proves.
            Verdict::Same(log) => {
                return write!(f, "same within {:.1} %", (1000.0 * (log.exp() - 1.0)).ceil() / 10.0);
            }
            Verdict::Open(Some(rounds)) => {
                return write!(f, "cannot tell (needs about {} rounds)", grouped(rounds as u64));
            }
            Verdict::Open(None) => {
                return write!(f, "cannot tell (needs more than {} rounds)", grouped(MAX_ROUNDS as u64));
            }
            Verdict::Faster(low, high) => ("faster", "as fast", low, high),
            Verdict::Slower(low, high) => ("slower", "the time", low, high),
        };
        if low < 2f64.ln() {
            write!(f, "{word} by {} to {} %", percent(low), percent(high))
        } else {
            write!(f, "{:.1} to {:.1} times {times}", low.exp(), high.exp())
        }
    }
}
