//! The size of a search, estimated before it is made: the mean of many random probes of its tree, with its error.

use std::ops::Range;

use rayon::prelude::*;

use super::probe::{Draw, Probe, Wide, probe};
use super::{Control, EnginePreference, Selection, TreeSearch, select};
use quadrille_model::{EndedBy, Goal, ProblemRef};
use quadrille_model::{Error, Result};

/// Probes whose figures are kept at a time, 40 bytes each.
const PROBES_AT_A_TIME: u64 = 1 << 20;

/// The options of an estimate.
#[derive(Debug, Clone, Copy)]
pub struct Probing {
    /// Number of probes; at least 1.
    pub probes: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The engine whose search is probed, and its instruction set.
    pub preference: EnginePreference,
}

impl Default for Probing {
    /// 1,000 probes of the engine that would count the solutions.
    fn default() -> Self {
        Probing { probes: 1000, seed: 1, preference: EnginePreference::default() }
    }
}

/// An estimate of a search for all solutions, from random probes.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Probes made: fewer than asked for where the control stopped them, and then those that were short are too many.
    pub probes: u64,
    /// Number of probes that met a solution.
    pub hits: u64,
    /// The number of solutions.
    pub solutions: Figure,
    /// The nodes of the search.
    pub nodes: Figure,
    /// The most branchings that a probe went through.
    pub deepest: u32,
    /// The engine whose search it is.
    pub selection: Selection,
}

/// A mean and its standard error, of any size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// In units of 2^`exponent`.
    mean: f64,
    error: Option<f64>,
    exponent: i32,
}

/// The mean and the scatter of some numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    number: f64,
    /// In units of 2^`exponent`.
    mean: f64,
    /// The sum of the squares of what the numbers differ from their mean by, each over `number` squared: as large as the mean's
    /// own square at most, however many there are.
    squares: f64,
    exponent: i32,
}

impl Spread {
    fn of(values: impl Iterator<Item = Wide> + Clone) -> Self {
        let exponent = values.clone().map(|value| value.exponent).max().unwrap_or(0);
        let number = values.clone().count() as f64;
        if number < 1.0 {
            return Spread::default();
        }
        let mean = values.clone().map(|value| value.at(exponent) / number).sum::<f64>();
        let sum: f64 = values.clone().map(|value| value.at(exponent)).sum();
        // The sum of equal whole numbers is exact where that of their parts is not.
        let mean = if sum.is_finite() { sum / number } else { mean };
        let squares = values.map(|value| ((value.at(exponent) - mean) / number).powi(2)).sum();
        Spread { number, mean, squares, exponent }
    }

    /// In units of 2^`exponent`.
    fn at(self, exponent: i32) -> Self {
        let factor = 2f64.powi(self.exponent - exponent);
        Spread { mean: self.mean * factor, squares: self.squares * factor * factor, exponent, ..self }
    }

    /// Of the numbers of both (Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample
    /// variances, 1979).
    fn with(self, other: Spread) -> Self {
        if self.number < 1.0 {
            return other;
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
            exponent,
        }
    }
}

impl From<Spread> for Figure {
    fn from(of: Spread) -> Self {
        let error = (of.number > 1.0).then(|| (of.squares * of.number / (of.number - 1.0)).sqrt());
        Figure { mean: of.mean, error, exponent: of.exponent }
    }
}

impl Figure {
    /// The mean; infinite where it is above 10^308.
    pub fn mean(&self) -> f64 {
        self.mean * 2f64.powi(self.exponent)
    }

    /// The standard error of the mean, `None` for a single probe.
    pub fn error(&self) -> Option<f64> {
        self.error.map(|error| error * 2f64.powi(self.exponent))
    }

    /// The standard error as a part of the mean; `None` for a single probe or a mean of 0.
    pub fn relative_error(&self) -> Option<f64> {
        self.error.filter(|_| self.mean > 0.0).map(|error| error / self.mean)
    }

    /// The decimal logarithm of the mean, for means of any size; minus infinity for 0.
    pub fn log10(&self) -> f64 {
        self.mean.log10() + f64::from(self.exponent) * std::f64::consts::LOG10_2
    }
}

impl std::fmt::Display for Figure {
    /// The mean, whole below 10^15 and else with three digits and a power of ten, and the relative error.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.mean() < 1e15 {
            write!(f, "{:.0}", self.mean())?;
        } else {
            let power = self.log10().floor();
            write!(f, "{:.2}e{power:.0}", 10f64.powf(self.log10() - power))?;
        }
        match self.relative_error() {
            Some(error) => write!(f, " +- {:.1} %", 100.0 * error),
            None => Ok(()),
        }
    }
}

/// Estimates the number of solutions and the nodes of the search for all of them, on the threads of the current
/// rayon pool. The same problem, engine, seed and number of probes give the same figures on any number of threads,
/// unless the control stops them.
///
/// ```
/// use quadrille::engine::{Control, Probing, estimate};
/// use quadrille::{Geometry, ProblemRef, Puzzle};
///
/// let empty = Puzzle::new(&Geometry::of_side(4)?); // 288 grids
/// let estimate = estimate(ProblemRef::Puzzle(&empty), &Probing::default(), &Control::new())?;
/// assert!((estimate.solutions.mean() - 288.0).abs() < 30.0);
/// # Ok::<(), quadrille::Error>(())
/// ```
///
/// # Errors
/// As [`select()`]; an engine whose search has no parts; no probe; no memory for the problem.
pub fn estimate(problem: ProblemRef<'_>, probing: &Probing, control: &Control) -> Result<Estimate> {
    let preference = EnginePreference { timings: true, ..probing.preference };
    let selection = select(problem.class(), Goal::All, preference)?;
    let info = selection.kind.info();
    let make = info.make_search().ok_or_else(|| {
        Error::usage(format!("engine {} cannot be probed: its search has no parts", info.name))
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
            Some(EndedBy::Memory) => return Err(Error::model("not enough memory for the problem")),
            Some(_) => break,
            None => {}
        }
    }
    let Met { probes, hits, solutions, nodes, deepest } = met;
    Ok(Estimate { probes, hits, solutions: solutions.into(), nodes: nodes.into(), deepest, selection })
}

/// Makes these probes on the threads of the current pool; also gives the reason why some are missing, if they are.
fn probes_of(
    problem: ProblemRef<'_>,
    range: Range<u64>,
    seed: u64,
    make: &(dyn Fn() -> Box<dyn TreeSearch> + Sync),
    control: &Control,
) -> (Vec<Vec<Probe>>, Option<EndedBy>) {
    // A problem whose clues clash is no search.
    if problem.clash().is_some() {
        return (vec![range.map(|_| Probe::default()).collect()], None);
    }
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
                match probe(search.as_mut(), problem, None, &mut Draw::new(seed, index), control) {
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

/// The figures of all probes so far.
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
        self.solutions = self.solutions.with(Spread::of(probes().map(|probe| probe.solutions)));
        self.nodes = self.nodes.with(Spread::of(probes().map(|probe| probe.nodes)));
        self.deepest = probes().map(|probe| probe.branchings).fold(self.deepest, u32::max);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{EngineKind, Solver};
    use quadrille_model::{Bounds, Cover, CoverBuilder, Geometry, Limits, Packed, Puzzle};

    fn matchings(points: usize) -> Arc<Cover> {
        let mut builder = CoverBuilder::new();
        let names: Vec<String> = (0..points).map(|point| format!("v{point}")).collect();
        names.iter().for_each(|name| builder.primary(name).map(drop).unwrap());
        for (place, first) in names.iter().enumerate() {
            names[place + 1..].iter().for_each(|second| builder.option(&[first, second]).map(drop).unwrap());
        }
        Arc::new(builder.build().unwrap())
    }

    fn queens(side: usize) -> Arc<Cover> {
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

    fn probed(cover: &Arc<Cover>, probes: u64, seed: u64, engine: EngineKind) -> Estimate {
        let preference = EnginePreference { engine: Some(engine), ..EnginePreference::default() };
        estimate(ProblemRef::Cover(cover), &Probing { probes, seed, preference }, &Control::new()).unwrap()
    }

    #[test]
    fn where_all_probes_are_alike_it_is_exact() {
        // Every point has as many partners as there are others: 11 * 9 * 7 * 5 * 3.
        for engine in [EngineKind::Dlx, EngineKind::Naive] {
            let about = probed(&matchings(12), 5, 7, engine);
            assert_eq!((about.solutions.mean(), about.solutions.error()), (10395.0, Some(0.0)));
            assert_eq!((about.probes, about.hits, about.deepest), (5, 5, 5));
            // The root, 11 of the first pairs, 99, 693, 3465, 10395 and the leaves of as many.
            assert_eq!(about.nodes.mean(), (1 + 11 + 99 + 693 + 3465 + 10395 + 10395) as f64);
            assert_eq!(about.solutions.to_string(), "10395 +- 0.0 %");
        }
        let big = probed(&matchings(400), 2, 1, EngineKind::Dlx);
        // log10 of 399 * 397 * ... * 3.
        let exact: f64 = (1..200).map(|step| f64::from(2 * step + 1).log10()).sum();
        assert!((big.solutions.log10() - exact).abs() < 1e-9 && big.solutions.mean().is_infinite());
        assert_eq!(big.solutions.relative_error(), Some(0.0));
        assert_eq!(big.solutions.to_string(), "5.05e433 +- 0.0 %");
    }

    #[test]
    fn the_error_is_an_error() {
        for engine in [EngineKind::Dlx, EngineKind::Naive] {
            for seed in 0..5 {
                let about = probed(&queens(8), 2000, seed, engine);
                let off =
                    |figure: Figure, exact: f64| (figure.mean() - exact).abs() / figure.error().unwrap();
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
        let about = estimate(ProblemRef::Puzzle(&empty), &Probing::default(), &Control::new()).unwrap();
        let error = about.solutions.error().unwrap();
        assert!((about.solutions.mean() - 28_200_960.0).abs() < 4.0 * error && error < 3e6, "{about:?}");
        let mut builder = CoverBuilder::new();
        builder.primary_within("p", Bounds { low: 0, high: 3 }).unwrap();
        (0..6).for_each(|_| builder.option(&["p"]).map(drop).unwrap());
        let about = probed(&Arc::new(builder.build().unwrap()), 4000, 3, EngineKind::Dlx);
        assert!((about.solutions.mean() - 42.0).abs() < 4.0 * about.solutions.error().unwrap(), "{about:?}");
    }

    #[test]
    fn probes_some_at_a_time_have_the_figures_of_all_at_once() {
        let value = |value: f64, exponent| Wide { value, exponent };
        let values: Vec<Wide> = (0..200u32)
            .map(|index| value(f64::from(index * index % 97), if index % 50 == 49 { 512 } else { 0 }))
            .collect();
        let equal = vec![value(7.0, 0); 200];
        for values in [&values[..], &values[..49], &equal] {
            let all = Figure::from(Spread::of(values.iter().copied()));
            for size in [1, 7, 64] {
                let parts = values.chunks(size).map(|part| Spread::of(part.iter().copied()));
                let parts = Figure::from(parts.fold(Spread::default(), Spread::with));
                let is_close = |one: f64, two: f64| (one - two).abs() <= 1e-12 * one.abs();
                assert_eq!(parts.exponent, all.exponent);
                assert!(is_close(all.mean, parts.mean), "{all:?} {parts:?}");
                assert!(is_close(all.error.unwrap(), parts.error.unwrap()), "{all:?} {parts:?}");
            }
        }
    }

    #[test]
    fn threads_do_not_matter_seeds_do() {
        let cover = queens(7);
        let on = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| probed(&cover, 50, seed, EngineKind::Dlx))
        };
        assert_eq!(on(1, 5), on(3, 5));
        assert_ne!(on(1, 5), on(1, 6));
    }

    #[test]
    fn what_cannot_be_probed_is_said() {
        let empty = ProblemRef::Packed(&Packed::FULL);
        let lanes = EnginePreference { engine: Some(EngineKind::Lanes), ..EnginePreference::default() };
        assert!(
            estimate(empty, &Probing { preference: lanes, ..Probing::default() }, &Control::new()).is_err()
        );
        assert!(estimate(empty, &Probing { probes: 0, ..Probing::default() }, &Control::new()).is_err());
        let stopped = Control::new();
        stopped.cancel();
        let about = estimate(ProblemRef::Cover(&queens(8)), &Probing::default(), &stopped).unwrap();
        assert!(about.probes < 1000);
    }
}
