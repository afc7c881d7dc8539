//! Weighted samples of minimal puzzles, and estimates of properties of all minimal puzzles.
//!
//! A sample is drawn by removing clues from a solved grid in random order, until the puzzle is minimal. For a
//! grid of `N` cells, a random order leads to a given minimal puzzle with `n` clues with probability `1 /
//! C(N, n)`. Therefore each order has the weight `C(N, n)`, or 0 if its puzzle was discarded. The mean of
//! these weights over all orders estimates the mean number of minimal puzzles per solved grid. Intervals are
//! normal approximations at 95 %.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::figure::{ClueCounts, figures};
use quadrille_model::binomial;

/// Half the width of a 95 % interval, in units of the standard deviation.
const DEVIATIONS: f64 = 1.96;

/// The set of puzzles from which a sample was drawn. Samples of the same population can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Population {
    /// Number of cells per grid.
    pub cells: u32,
    /// Fewest and most clues.
    pub clues: (u32, u32),
}

impl Population {
    /// Creates the population of minimal puzzles with `clues.0` to `clues.1` clues.
    ///
    /// Returns `None` if these numbers are impossible.
    pub fn new(cells: u32, clues: (u32, u32)) -> Option<Self> {
        (cells <= 81 && clues.0 <= clues.1 && clues.1 <= cells).then_some(Population { cells, clues })
    }

    /// Parses text in the form that [`Display`](fmt::Display) writes. Returns `None` if the text is invalid.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (cells, clues) = text.split_once(':')?;
        let (fewest, most) = clues.split_once("..")?;
        Population::new(cells.parse().ok()?, (fewest.parse().ok()?, most.parse().ok()?))
    }
}

impl fmt::Display for Population {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}..{}", self.cells, self.clues.0, self.clues.1)
    }
}

figures! {
    /// A sample of minimal puzzles. Each puzzle was found by removing clues in random order.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[non_exhaustive]
    pub struct Sample {
        /// Number of random orders that were tried, including orders whose puzzles were discarded.
        pub orders: u64,
        clues: ClueCounts,
    }
}

/// An estimated value, with the ends of its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    fn new(value: f64, deviation: f64) -> Self {
        let half = DEVIATIONS * deviation;
        Interval { value, low: (value - half).max(0.0), high: value + half }
    }
}

/// Estimates of the properties of a population.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Mean number of minimal puzzles per solved grid.
    pub per_grid: Interval,
    /// Mean number of clues.
    pub mean_clues: Interval,
    /// For each number of clues: the number of puzzles in the sample that have this many clues, and the
    /// estimated fraction of such puzzles in the population.
    ///
    /// The entries are in ascending order of the number of clues.
    pub shares: Vec<(u32, u64, Interval)>,
}

impl Sample {
    /// Counts a puzzle. Before this puzzle was found, `orders` random orders for removing clues were tried,
    /// including the successful order.
    pub(super) fn add(&mut self, clues: u32, orders: u64) {
        self.orders += orders;
        self.clues.add(clues as usize, 1);
    }

    /// Returns the number of puzzles in the sample.
    pub fn puzzles(&self) -> u64 {
        self.clues.iter().map(|(_, puzzles)| puzzles).sum()
    }

    /// Returns estimates for the population of the sample, or `None` if the sample is empty.
    pub fn estimate(&self, population: Population) -> Option<Estimate> {
        let (fewest, most) = population.clues;
        let rows = || self.clues.iter().filter(|(clues, _)| (fewest..=most).contains(clues));
        let weight = |clues: u32| binomial(population.cells, clues) as f64;
        let sum = |of: &dyn Fn(u32) -> f64| rows().map(|(clues, n)| n as f64 * of(clues)).sum::<f64>();
        let (total, squares) = (sum(&weight), sum(&|clues| weight(clues).powi(2)));
        let orders = self.orders as f64;
        if total <= 0.0 || orders <= 0.0 {
            return None;
        }
        let per_grid = total / orders;
        let mean = sum(&|clues| weight(clues) * f64::from(clues)) / total;
        let spread = sum(&|clues| (weight(clues) * (f64::from(clues) - mean)).powi(2)).sqrt() / total;
        let share = |(clues, puzzles): (u32, u64)| {
            let (n, own) = (puzzles as f64, weight(clues));
            let share = n * own / total;
            // Sum of `(weight * (is_own - share))^2` over all puzzles in the sample. `is_own` is 1 for a
            // puzzle with exactly `clues` clues, and 0 for every other puzzle.
            let others = squares - n * own * own;
            let variance = n * (own * (1.0 - share)).powi(2) + others.max(0.0) * share.powi(2);
            (clues, puzzles, Interval::new(share, variance.sqrt() / total))
        };
        Some(Estimate {
            per_grid: Interval::new(
                per_grid,
                ((squares / orders - per_grid.powi(2)).max(0.0) / orders).sqrt(),
            ),
            mean_clues: Interval::new(mean, spread),
            shares: rows().map(share).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Statistics;

    #[test]
    fn estimates_are_sums_over_orders() {
        let population = Population::new(16, (4, 6)).expect("it exists");
        let mut statistics = Statistics::default();
        // Puzzles with 4, 5 and 6 clues have the weights 1,820, 4,368 and 8,008. There are ten orders in
        // total.
        for (clues, orders) in [(4, 3), (5, 2), (6, 4), (5, 1)] {
            statistics.record_sample(population, clues, orders);
        }
        let (_, sample) = statistics.samples().next().expect("a sample");
        let estimate = sample.estimate(population).expect("it is not empty");
        let weights = [1820.0, 4368.0, 8008.0, 4368.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mean = weights.iter().sum::<f64>() / 10.0;
        let variance = weights.iter().map(|weight: &f64| (weight - mean).powi(2)).sum::<f64>() / 10.0;
        let half = 1.96 * (variance / 10.0).sqrt();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs();
        let Interval { value, low, high } = estimate.per_grid;
        assert!(close(value, mean) && close(low, mean - half) && close(high, mean + half), "{estimate:?}");
        let clues = (4.0 * 1820.0 + 2.0 * 5.0 * 4368.0 + 6.0 * 8008.0) / 18_564.0;
        assert!(close(estimate.mean_clues.value, clues), "{estimate:?}");
        let shares: Vec<_> =
            estimate.shares.iter().map(|&(n, puzzles, share)| (n, puzzles, share.value)).collect();
        assert_eq!(shares, [(4, 1, 1820.0 / 18_564.0), (5, 2, 8736.0 / 18_564.0), (6, 1, 8008.0 / 18_564.0)]);

        let mut sum = Statistics::from_json("a.json", &statistics.to_json()).expect("read back");
        sum.merge(&statistics);
        let (_, both) = sum.samples().next().expect("a sample");
        assert_eq!((both.orders, both.puzzles(), sum.is_balanced()), (20, 8, true));
        let twice = both.estimate(population).expect("it is not empty");
        assert_eq!(twice.per_grid.value, value);
        assert!(twice.per_grid.high < high && twice.mean_clues.high < estimate.mean_clues.high);
    }

    #[test]
    fn impossible_populations_are_refused() {
        for text in ["82:0..40", "16:5..4", "16:0..17", "16", "16:", "16:..", "x:0..1", "-1:0..0"] {
            assert_eq!(Population::read(text), None, "{text}");
        }
        let population = Population::new(81, (0, 40)).expect("it exists");
        assert_eq!(Population::read(&population.to_string()), Some(population));
        assert_eq!(Sample::default().estimate(population), None);
    }
}
