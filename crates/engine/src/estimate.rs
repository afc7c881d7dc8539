//! Estimates the size of a search from random probes of its tree, without running the search.

use std::ops::Range;

use rayon::prelude::*;

use super::budget::Watch;
use super::probe::{Draw, Probe, Wide, probe};
use super::{Control, EngineKind, EnginePreference, Selection, SelectionReason, TreeSearch, select};
use quadrille_model::{EndedBy, Error, Goal, Limits, ProblemClass, ProblemRef, Result, usage};

/// Maximum number of probes whose results are kept in memory at a time. Each result takes 40 bytes.
const PROBES_AT_A_TIME: u64 = 1 << 20;

/// The options of an estimate.
#[derive(Debug, Clone, Copy)]
pub struct EstimateOptions {
    /// Number of probes, at least 1.
    pub probes: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Engine whose search is probed, and the instruction set that this engine uses.
    pub preference: EnginePreference,
    /// Reserved for new fields: create values with `..`, as in `EstimateOptions { probes: 10, ..EstimateOptions::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Default for EstimateOptions {
    /// Returns options for 1,000 probes. The probed engine is the one that would be selected for listing all
    /// solutions.
    fn default() -> Self {
        EstimateOptions { probes: 1000, seed: 1, preference: EnginePreference::default(), _more: () }
    }
}

/// An estimate of a search for all solutions, computed from random probes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Number of probes made.
    ///
    /// If the control stopped the estimate, this is smaller than the requested number. Short probes are then
    /// over-represented.
    pub probes: u64,
    /// Number of probes that ended at a solution.
    pub hits: u64,
    /// The number of solutions.
    pub solutions: MeanWithError,
    /// Number of nodes of the search.
    pub nodes: MeanWithError,
    /// Largest number of branchings on the path of any probe.
    pub deepest: u32,
    /// The engine whose search was probed, with the reason for choosing it.
    pub selection: Selection,
}

/// A mean of any magnitude, with its standard error and an interval that should contain the true value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanWithError {
    /// In units of 2^`exponent`.
    mean: f64,
    error: Option<f64>,
    /// Skewness of the values, divided by the square root of the number of values.
    ///
    /// This is 0 for values that are spread evenly around their mean. It is 1 if one value is far above all
    /// other values.
    lean: f64,
    exponent: i32,
}

/// The probability that the true number is in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confidence {
    /// 68 %: the interval is right in about two of three estimates.
    P68,
    /// 95 %: the interval is right in about 19 of 20 estimates.
    P95,
}

/// Relative error of the mean above which an estimate has no upper bound.
///
/// If the error is larger, the observed values say too little about values that were not observed.
const BOUNDED_BELOW_ERROR: f64 = 0.3;

/// Distances from the mean to the ends of its interval.
///
/// To get a distance, take the logarithms of the mean and the end. Divide their difference by the relative
/// error. The constants were found by simulation, see [`MeanWithError::interval`].
struct Reach {
    /// Distance to both ends if the values are not skewed.
    even: f64,
    /// Distance to the upper end if the values are strongly skewed. This means that their `lean` is at least
    /// the second number of [`LEANING`].
    leaning: f64,
    /// Distance to the lower end if there is no upper end.
    unbounded: f64,
}

/// Two values of `lean`, which measures skewness. [`Reach::even`] applies up to the first value, and
/// [`Reach::leaning`] applies from the second value on.
const LEANING: (f64, f64) = (0.05, 0.2);

impl Confidence {
    fn reach(self) -> Reach {
        match self {
            Confidence::P68 => Reach { even: 1.0, leaning: 2.5, unbounded: 1.5 },
            Confidence::P95 => Reach { even: 1.96, leaning: 5.0, unbounded: 2.5 },
        }
    }
}

/// Mean of some numbers, and sums of the squares and cubes of the differences between the numbers and the
/// mean.
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    number: f64,
    /// The mean, in units of 2^`exponent`.
    mean: f64,
    /// Sum of the squared differences from the mean, divided by `number` squared.
    ///
    /// For any `number`, this is at most the square of the mean.
    squares: f64,
    /// Sum of the cubed differences from the mean, divided by `number` cubed.
    cubes: f64,
    exponent: i32,
}

impl Spread {
    fn from_values(values: impl Iterator<Item = Wide> + Clone) -> Self {
        // The unit is chosen so that the largest value is about 1. So no cube overflows.
        let exponent = values.clone().filter_map(Wide::power).max().unwrap_or(0);
        let number = values.clone().count() as f64;
        if number < 1.0 {
            return Spread::default();
        }
        let mean = values.clone().map(|value| value.at(exponent)).sum::<f64>() / number;
        let apart = values.map(|value| (value.at(exponent) - mean) / number);
        let squares = apart.clone().map(|apart| apart.powi(2)).sum();
        let cubes = apart.map(|apart| apart.powi(3)).sum();
        Spread { number, mean, squares, cubes, exponent }
    }

    /// Converts the spread to units of 2^`exponent`.
    fn at(self, exponent: i32) -> Self {
        let factor = 2f64.powi(self.exponent - exponent);
        let (squares, cubes) = (self.squares * factor.powi(2), self.cubes * factor.powi(3));
        Spread { mean: self.mean * factor, squares, cubes, exponent, ..self }
    }

    /// Returns the spread of all numbers in `self` and `other` together.
    fn with(self, other: Spread) -> Self {
        if self.number < 1.0 {
            return other;
        }
        if other.number < 1.0 {
            return self;
        }
        let exponent = self.exponent.max(other.exponent);
        let (one, two) = (self.at(exponent), other.at(exponent));
        let number = one.number + two.number;
        let (share, other_share) = (one.number / number, two.number / number);
        let apart = two.mean - one.mean;
        let between = apart * share * (apart * other_share) / number;
        Spread {
            number,
            mean: one.mean + apart * other_share,
            squares: one.squares * share.powi(2) + two.squares * other_share.powi(2) + between,
            cubes: one.cubes * share.powi(3)
                + two.cubes * other_share.powi(3)
                + (apart / number).powi(2) * apart * share * other_share * (share - other_share)
                + 3.0 * apart / number
                    * share
                    * other_share
                    * (other_share * two.squares - share * one.squares),
            exponent,
        }
    }
}

impl From<Spread> for MeanWithError {
    fn from(of: Spread) -> Self {
        let error = (of.number > 1.0).then(|| (of.squares * of.number / (of.number - 1.0)).sqrt());
        let lean = if of.squares > 0.0 { of.cubes / of.squares.powf(1.5) } else { 0.0 };
        MeanWithError { mean: of.mean, error, lean, exponent: of.exponent }
    }
}

impl MeanWithError {
    /// Returns the mean. Returns infinity if the mean exceeds 10^308.
    pub fn mean(&self) -> f64 {
        self.mean * 2f64.powi(self.exponent)
    }

    /// Returns the standard error of the mean, or `None` if there was only one probe.
    pub fn error(&self) -> Option<f64> {
        self.error.map(|error| error * 2f64.powi(self.exponent))
    }

    /// Returns the standard error divided by the mean, or `None` if this ratio is unknown.
    ///
    /// The ratio is unknown if there was only one probe, or if the mean is 0.
    pub fn relative_error(&self) -> Option<f64> {
        self.error.filter(|_| self.mean > 0.0).map(|error| error / self.mean)
    }

    /// Returns the decimal logarithm of the mean, or minus infinity if the mean is 0.
    ///
    /// This works for means of any size.
    pub fn log10(&self) -> f64 {
        self.mean.log10() + f64::from(self.exponent) * std::f64::consts::LOG10_2
    }
}

impl MeanWithError {
    /// Returns the ends of an interval around the mean as exponents of e, relative to the mean. The upper end
    /// is `None` if there is no upper bound.
    ///
    /// Returns `None` if the relative error is unknown.
    fn exponents(&self, confidence: Confidence) -> Option<(f64, Option<f64>)> {
        let error = self.relative_error()?;
        let Reach { even, leaning, unbounded } = confidence.reach();
        if error > BOUNDED_BELOW_ERROR {
            return Some((-unbounded * error, None));
        }
        let part = ((self.lean - LEANING.0) / (LEANING.1 - LEANING.0)).clamp(0.0, 1.0);
        Some((-even * error, Some((even + (leaning - even) * part) * error)))
    }

    /// Returns the ends of the interval, or `None` if there was only one probe or the mean is 0.
    ///
    /// The upper end is `None` if the estimate is only a lower bound.
    ///
    /// The results of probes are skewed: most are below their mean, a few are far above it, and the largest
    /// possible results were not observed. So a mean tends to be too low, and its standard error too small.
    /// The interval is therefore computed for the logarithm of the mean. The more skewed the results are, the
    /// higher the upper end is. Skewness is measured as the skewness of the results divided by the square
    /// root of their number, but at most 0.2. If the standard error exceeds three tenths of the mean, there
    /// is no upper end. The width of the interval was chosen by simulation. `tests/engines/estimate.rs`
    /// repeats the simulation on covers and grids with known counts; docs/BENCHMARKS.md has the results.
    pub fn interval(&self, confidence: Confidence) -> Option<(f64, Option<f64>)> {
        let (low, high) = self.exponents(confidence)?;
        Some((self.mean() * low.exp(), high.map(|high| self.mean() * high.exp())))
    }

    /// Returns the decimal logarithms of the ends of [`interval`](Self::interval).
    ///
    /// This works for numbers of any size.
    pub fn log10_interval(&self, confidence: Confidence) -> Option<(f64, Option<f64>)> {
        let (low, high) = self.exponents(confidence)?;
        let at = |power: f64| self.log10() + power * std::f64::consts::LOG10_E;
        Some((at(low), high.map(at)))
    }
}

/// Writes a number as an integer if it is below 10^15. Writes a larger number as three digits with a power of
/// ten.
///
/// `log10` is the decimal logarithm of the number.
fn write_number(f: &mut std::fmt::Formatter<'_>, number: f64, log10: f64) -> std::fmt::Result {
    if number < 1e15 {
        return write!(f, "{number:.0}");
    }
    let power = log10.floor();
    write!(f, "{:.2}e{power:.0}", 10f64.powf(log10 - power))
}

impl std::fmt::Display for MeanWithError {
    /// Writes the mean and its 95 % interval, as in `14094 (12871 to 15432)`.
    ///
    /// If the interval has no upper end, the text is like `14094 (at least 9000)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_number(f, self.mean(), self.log10())?;
        let bounds = self.interval(Confidence::P95).zip(self.log10_interval(Confidence::P95));
        let Some(((low, high), (log_low, log_high))) = bounds else { return Ok(()) };
        f.write_str(if high.is_some() { " (" } else { " (at least " })?;
        write_number(f, low, log_low)?;
        if let Some((high, log_high)) = high.zip(log_high) {
            f.write_str(" to ")?;
            write_number(f, high, log_high)?;
        }
        f.write_str(")")
    }
}

/// Estimates the number of solutions, and the number of nodes of the search for all solutions.
///
/// Runs on the threads of the current rayon pool. The same problem, engine, seed and number of probes give the same
/// figures on any number of threads, unless the control stops them.
///
/// ```
/// use quadrille::engine::{Control, EstimateOptions, estimate};
/// use quadrille::{Geometry, ProblemRef, Puzzle};
///
/// let empty = Puzzle::new(&Geometry::of_side(4)?); // 288 grids
/// let estimate = estimate(ProblemRef::Puzzle(&empty), &EstimateOptions::default(), &Control::new())?;
/// assert!((estimate.solutions.mean() - 288.0).abs() < 30.0);
/// # Ok::<(), quadrille::Error>(())
/// ```
///
/// # Errors
/// Returns an error as [`select()`] does, if the engine's search has no parts, if `probes` is 0, or if there is no
/// memory for the problem.
pub fn estimate(problem: ProblemRef<'_>, probing: &EstimateOptions, control: &Control) -> Result<Estimate> {
    let preference = EnginePreference { timings: true, ..probing.preference };
    let mut selection = select(problem.class(), Goal::All, preference)?;
    if preference.engine.is_none() && matches!(problem.class(), ProblemClass::Cover { .. }) {
        // On the way down, the bit set engine copies whole levels of the tree. The copies help only a search
        // that returns to these levels. A probe never returns.
        selection = Selection::taken_over(EngineKind::Dlx, SelectionReason::Probes);
    }
    let info = selection.kind.info();
    let make = info.make_search().ok_or_else(|| {
        usage!("engine {} cannot make estimates: name one that searches a tree, such as dlx", info.name)
    })?;
    if probing.probes == 0 {
        return Err(Error::usage("an estimate needs at least one probe"));
    }
    let make = || make(preference.isa);
    let mut met = Met::default();
    while met.probes < probing.probes && control.stop().is_none() {
        let end = met.probes.saturating_add(PROBES_AT_A_TIME).min(probing.probes);
        let (probes, ended) = probes_of(problem, met.probes..end, probing.seed, &make, control);
        met.add(&probes);
        match ended {
            Some(EndedBy::Memory) => return Err(Error::model("not enough memory for this problem")),
            Some(_) => break,
            None => {}
        }
    }
    let Met { probes, hits, solutions, nodes, deepest } = met;
    Ok(Estimate { probes, hits, solutions: solutions.into(), nodes: nodes.into(), deepest, selection })
}

/// Runs the probes with the indices in `range`, on the threads of the current rayon pool.
///
/// Returns the results of each thread. If some probes were not run, also returns the reason.
fn probes_of(
    problem: ProblemRef<'_>,
    range: Range<u64>,
    seed: u64,
    make: &(dyn Fn() -> Box<dyn TreeSearch> + Sync),
    control: &Control,
) -> (Vec<Vec<Probe>>, Option<EndedBy>) {
    // If clues contradict each other, there is no search to probe, so the result of every probe is empty.
    if problem.clash().is_some() {
        return (vec![range.map(|_| Probe::default()).collect()], None);
    }
    let watch = Watch::new(Limits::default(), control);
    let threads = rayon::current_num_threads() as u64;
    let number = range.end - range.start;
    let bound =
        |part: u64| range.start + (u128::from(number) * u128::from(part) / u128::from(threads)) as u64;
    let parts: Vec<(Vec<Probe>, Option<EndedBy>)> = (0..threads)
        .into_par_iter()
        .map(|thread| {
            let (first, end) = (bound(thread), bound(thread + 1));
            let mut probes = Vec::with_capacity((end - first) as usize);
            let mut search = make();
            for index in first..end {
                match probe(search.as_mut(), problem, None, &mut Draw::new(seed, index), watch) {
                    Ok(met) => probes.push(met),
                    Err(reason) => return (probes, Some(reason)),
                }
            }
            (probes, None)
        })
        .collect();
    let reasons = || parts.iter().filter_map(|(_, ended)| *ended);
    let ended = reasons().find(|&reason| reason == EndedBy::Memory).or_else(|| reasons().next());
    (parts.into_iter().map(|(probes, _)| probes).collect(), ended)
}

/// Summary of all probes so far.
#[derive(Default)]
struct Met {
    probes: u64,
    hits: u64,
    solutions: Spread,
    nodes: Spread,
    deepest: u32,
}

impl Met {
    fn add(&mut self, parts: &[Vec<Probe>]) {
        let probes = || parts.iter().flatten();
        self.probes += probes().count() as u64;
        self.hits += probes().filter(|probe| probe.solutions.value > 0.0).count() as u64;
        self.solutions = self.solutions.with(Spread::from_values(probes().map(|probe| probe.solutions)));
        self.nodes = self.nodes.with(Spread::from_values(probes().map(|probe| probe.nodes)));
        self.deepest = probes().map(|probe| probe.branchings).fold(self.deepest, u32::max);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{EngineKind, Solver};
    use quadrille_model::{Bounds, CoverBuilder, CoverProblem, Geometry, Limits, Packed9x9, Puzzle};

    fn matchings(points: usize) -> Arc<CoverProblem> {
        let mut builder = CoverBuilder::new();
        let names: Vec<String> = (0..points).map(|point| format!("v{point}")).collect();
        names.iter().for_each(|name| builder.primary(name).map(drop).unwrap());
        for (place, first) in names.iter().enumerate() {
            names[place + 1..].iter().for_each(|second| builder.option(&[first, second]).map(drop).unwrap());
        }
        Arc::new(builder.build().unwrap())
    }

    fn queens(side: usize) -> Arc<CoverProblem> {
        let mut builder = CoverBuilder::new();
        (0..side).for_each(|line| builder.primary(&format!("r{line}")).map(drop).unwrap());
        (0..side).for_each(|line| builder.primary(&format!("c{line}")).map(drop).unwrap());
        for letter in ["a", "b"] {
            (0..2 * side).for_each(|line| builder.secondary(&format!("{letter}{line}")).map(drop).unwrap());
        }
        for row in 0..side {
            for column in 0..side {
                let words = [
                    format!("r{row}"),
                    format!("c{column}"),
                    format!("a{}", row + column),
                    format!("b{}", row + side - column),
                ];
                builder.option(&words.each_ref().map(String::as_str)).unwrap();
            }
        }
        Arc::new(builder.build().unwrap())
    }

    fn probed(cover: &Arc<CoverProblem>, probes: u64, seed: u64, engine: EngineKind) -> Estimate {
        let preference = EnginePreference { engine: Some(engine), ..EnginePreference::default() };
        estimate(
            ProblemRef::Cover(cover),
            &EstimateOptions { probes, seed, preference, ..EstimateOptions::default() },
            &Control::new(),
        )
        .unwrap()
    }

    #[test]
    fn the_estimate_is_exact_if_all_probes_are_alike() {
        // Number of perfect matchings of 12 points. The first point has 11 partners, the next free point 9,
        // and so on: 11 * 9 * 7 * 5 * 3.
        for engine in [EngineKind::Dlx, EngineKind::Naive] {
            let about = probed(&matchings(12), 5, 7, engine);
            assert_eq!((about.solutions.mean(), about.solutions.error()), (10395.0, Some(0.0)));
            assert_eq!((about.probes, about.hits, about.deepest), (5, 5, 5));
            // The root has one node. The levels below it have 11, 99, 693, 3465 and 10395 nodes. Each node of
            // the last level has one leaf.
            assert_eq!(about.nodes.mean(), (1 + 11 + 99 + 693 + 3465 + 10395 + 10395) as f64);
            assert_eq!(about.solutions.to_string(), "10395 (10395 to 10395)");
        }
        let big = probed(&matchings(400), 2, 1, EngineKind::Dlx);
        // log10 of 399 * 397 * ... * 3.
        let exact: f64 = (1..200).map(|step| f64::from(2 * step + 1).log10()).sum();
        assert!((big.solutions.log10() - exact).abs() < 1e-9 && big.solutions.mean().is_infinite());
        assert_eq!(big.solutions.relative_error(), Some(0.0));
        assert_eq!(big.solutions.to_string(), "5.05e433 (5.05e433 to 5.05e433)");
    }

    #[test]
    fn estimates_are_within_four_standard_errors() {
        for engine in [EngineKind::Dlx, EngineKind::Naive] {
            for seed in 0..5 {
                let about = probed(&queens(8), 2000, seed, engine);
                let off = |figure: MeanWithError, exact: f64| {
                    (figure.mean() - exact).abs() / figure.error().unwrap()
                };
                assert!(off(about.solutions, 92.0) < 4.0, "{about:?}");
                assert!(about.solutions.relative_error().unwrap() < 0.2, "{about:?}");
            }
        }
        let preference = EnginePreference { engine: Some(EngineKind::Dlx), ..EnginePreference::default() };
        let count = Goal::Count { limit: None };
        let answer =
            Solver::new(preference).answer(ProblemRef::Cover(&queens(8)), count, Limits::default()).unwrap();
        let nodes = answer.counters.unwrap().nodes as f64;
        let about = probed(&queens(8), 5000, 1, EngineKind::Dlx);
        assert!(
            (about.nodes.mean() - nodes).abs() < 4.0 * about.nodes.error().unwrap(),
            "{about:?} of {nodes}"
        );
    }

    #[test]
    fn grids_and_bounds_can_be_probed() {
        let empty = Puzzle::new(&Geometry::of_side(6).unwrap());
        let about =
            estimate(ProblemRef::Puzzle(&empty), &EstimateOptions::default(), &Control::new()).unwrap();
        let error = about.solutions.error().unwrap();
        assert!((about.solutions.mean() - 28_200_960.0).abs() < 4.0 * error && error < 3e6, "{about:?}");
        let mut builder = CoverBuilder::new();
        builder.primary_within("p", Bounds { low: 0, high: 3 }).unwrap();
        (0..6).for_each(|_| builder.option(&["p"]).map(drop).unwrap());
        let about = probed(&Arc::new(builder.build().unwrap()), 4000, 3, EngineKind::Dlx);
        assert!((about.solutions.mean() - 42.0).abs() < 4.0 * about.solutions.error().unwrap(), "{about:?}");
    }

    #[test]
    fn the_estimate_does_not_depend_on_the_size_of_batches() {
        let value = |value: f64, exponent| Wide { value, exponent };
        let values: Vec<Wide> = (0..200u32)
            .map(|index| value(f64::from(index * index % 97), if index % 50 == 49 { 512 } else { 0 }))
            .collect();
        let equal = vec![value(7.0, 0); 200];
        for values in [&values[..], &values[..49], &equal] {
            let all = MeanWithError::from(Spread::from_values(values.iter().copied()));
            for size in [1, 7, 64] {
                let parts = values.chunks(size).map(|part| Spread::from_values(part.iter().copied()));
                let parts = MeanWithError::from(parts.fold(Spread::default(), Spread::with));
                let is_close = |one: f64, two: f64| (one - two).abs() <= 1e-12 * one.abs();
                assert_eq!(parts.exponent, all.exponent);
                assert!(is_close(all.mean, parts.mean), "{all:?} {parts:?}");
                assert!(is_close(all.error.unwrap(), parts.error.unwrap()), "{all:?} {parts:?}");
                assert!((all.lean - parts.lean).abs() <= 1e-9, "{all:?} {parts:?}");
            }
        }
    }

    #[test]
    fn the_estimate_depends_on_the_seed_and_not_on_threads() {
        let cover = queens(7);
        let on = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| probed(&cover, 50, seed, EngineKind::Dlx))
        };
        assert_eq!(on(1, 5), on(3, 5));
        assert_ne!(on(1, 5), on(1, 6));
    }

    #[test]
    fn problems_that_cannot_be_probed_are_refused() {
        let empty = ProblemRef::Packed(&Packed9x9::FULL);
        let lanes = EnginePreference { engine: Some(EngineKind::Lanes), ..EnginePreference::default() };
        assert!(
            estimate(
                empty,
                &EstimateOptions { preference: lanes, ..EstimateOptions::default() },
                &Control::new()
            )
            .is_err()
        );
        assert!(
            estimate(empty, &EstimateOptions { probes: 0, ..EstimateOptions::default() }, &Control::new())
                .is_err()
        );
        let stopped = Control::new();
        stopped.cancel();
        let about = estimate(ProblemRef::Cover(&queens(8)), &EstimateOptions::default(), &stopped).unwrap();
        assert!(about.probes < 1000);
    }
}
