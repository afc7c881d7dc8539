//! Verdicts on two speeds from the times of rounds: an interval of their ratio, and a sentence.
//!
//! Logarithms of times are averaged without their extremes, and the mean gets the interval of Tukey and McLaughlin's
//! trimmed t-test. Two runs that are not paired by rounds get that of Yuen's test (Wilcox, Introduction to Robust
//! Estimation, chapters 4 and 5). A report with many rows has many chances to err. So the error is divided by the number
//! of rows (Bonferroni): with a probability of 95 % all intervals of a report hold.

use std::f64::consts::FRAC_PI_2;
use std::fmt;

use quadrille_batch::stats::grouped;

/// Maximum number of rounds if nothing else limits it.
pub(super) const MAX_ROUNDS: usize = 1000;
/// Probability that any interval of a report does not hold.
const ERROR: f64 = 0.05;
/// Minimum number of rounds for an interval.
const MIN_ROUNDS: usize = 3;
/// Number of rounds from which the fastest and the slowest fifth are left out.
const MIN_TRIMMED: usize = 10;
/// Largest difference, as the logarithm of a ratio, that is called the same.
const SAME: f64 = 0.05;
/// Steps of the integral over a quarter of a circle.
const STEPS: usize = 4096;

/// The mean of logarithms, and what is known about its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    mean: f64,
    /// The square of the standard error.
    square: f64,
    /// Degrees of freedom.
    freedom: f64,
    /// An error that more rounds do not reduce.
    drift: f64,
    rounds: usize,
}

impl Estimate {
    /// Returns the sentence of a verdict, or of too few rounds for any.
    pub(super) fn said(verdict: Option<Verdict>) -> String {
        let few = || format!("cannot tell (needs at least {MIN_ROUNDS} rounds)");
        verdict.map_or_else(few, |verdict| verdict.to_string())
    }

    /// Returns the estimate of a ratio from both times of each round.
    pub(super) fn paired(baseline: &[f64], own: &[f64]) -> Option<Self> {
        Self::of(baseline.iter().zip(own).map(|(baseline, own)| (baseline / own).ln()).collect())
    }

    /// Returns the estimate of `old` divided by `new`, from rounds at different times. `drift` is the logarithm by which
    /// the machine may have become faster or slower in the meantime.
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
        // The logarithms that are left out count for the error as if they were the nearest that is kept.
        let (low, high) = (kept[0], kept[kept.len() - 1]);
        let clamped: Vec<f64> = logs.iter().map(|log| log.clamp(low, high)).collect();
        let centre = mean(&clamped);
        let squares: f64 = clamped.iter().map(|log| (log - centre).powi(2)).sum();
        let freedom = kept.len() as f64 - 1.0;
        let square = squares / (freedom * kept.len() as f64);
        Some(Estimate { mean: mean(kept), square, freedom, drift: 0.0, rounds })
    }

    /// Returns half the width of the interval in a report that compares `rows` rows, after `rounds` rounds.
    fn half_width(&self, rounds: usize, rows: usize) -> f64 {
        let more = rounds as f64 / self.rounds as f64;
        let times = quantile(ERROR / rows.max(1) as f64, self.freedom * more);
        self.drift + times * (self.square / more).sqrt()
    }

    /// Returns the interval of the ratio in a report that compares `rows` rows.
    pub(super) fn interval(&self, rows: usize) -> [f64; 2] {
        let half = self.half_width(self.rounds, rows);
        [-half, half].map(|end| (self.mean + end).exp())
    }

    /// Returns what the interval allows to say.
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

/// Returns the number `t` such that the absolute value of Student's t exceeds it with probability `outside`.
fn quantile(outside: f64, freedom: f64) -> f64 {
    // With t = sqrt(freedom) tan(angle), the density is a power of the cosine.
    let angle = |step: usize| FRAC_PI_2 * (step as f64 + 0.5) / STEPS as f64;
    let weights: Vec<f64> = (0..STEPS).map(|step| angle(step).cos().powf(freedom - 1.0)).collect();
    let mut left = outside * weights.iter().sum::<f64>();
    let is_inside = |step: &usize| {
        left -= weights[*step];
        left < 0.0
    };
    freedom.sqrt() * angle((0..STEPS).rev().find(is_inside).unwrap_or(0)).tan()
}

/// The verdict on a ratio. Numbers are logarithms of ratios, at least 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    Same(f64),
    Faster(f64, f64),
    Slower(f64, f64),
    /// Not decided, with the number of rounds that would decide it, or `None` if it is too large.
    Open(Option<usize>),
}

impl Verdict {
    /// Returns true if the speeds differ.
    pub(super) fn is_clear(self) -> bool {
        matches!(self, Verdict::Faster(..) | Verdict::Slower(..))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |log: f64| format!("{:.1}", 100.0 * (log.exp() - 1.0));
        let (word, times, low, high) = match *self {
            // Rounded up: the sentence must not promise more than the interval.
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
