//! Random probes of a search tree, from which its size is estimated.
//!
//! Source: Knuth, Estimating the efficiency of backtrack programs, Mathematics of Computation 29 (1975). A probe walks
//! from the root down and takes one of the `d` children of each branching at random. Each node it meets counts as many
//! times as the product of all `d` above it:
//!
//! ```text
//! root, 3 children -> one of them, 2 children -> one of them, no children, a solution
//! nodes  1 + 3        + 6 ...                     solutions 6
//! ```
//! The mean over probes tends to the true numbers for a tree of any form. The scatter gives an error, to be read with
//! care: if most solutions are below few branches, most probes miss them, and both mean and error are too small until a
//! probe hits.
//!
//! A step is a search of a [`TreeSearch`] from its prefix to the next frontier. So every engine that can be split can
//! be probed, and the nodes are those that it will enter. Such a step creates every child of a node only to discard all
//! but one: on an exact cover problem with 300,000 options a probe took 80 s. So a search that can
//! [descend](TreeSearch::descend) walks down in one piece and creates only the child taken, with the same random
//! numbers and figures.

use super::budget::Watch;
use super::{Flow, Task, TreeSearch, Visitor};
use quadrille_model::random::SplitMix64;
use quadrille_model::{Count, EndedBy, Goal, Limits, Outcome, ProblemRef, Solution};

/// Numbers of 2^`WIDE` or more are stored with a separate exponent.
const WIDE: i32 = 512;

/// A non-negative number of any magnitude. It is `value` times 2^`exponent`, with the precision of an `f64`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wide {
    pub(super) value: f64,
    pub(super) exponent: i32,
}

impl Wide {
    fn new(value: f64) -> Self {
        Wide { value, exponent: 0 }
    }

    fn times(self, factor: f64) -> Self {
        let value = self.value * factor;
        if value >= 2f64.powi(WIDE) {
            return Wide { value: value * 2f64.powi(-WIDE), exponent: self.exponent + WIDE };
        }
        Wide { value, ..self }
    }

    fn plus(self, other: Wide) -> Self {
        let exponent = self.exponent.max(other.exponent);
        Wide { value: self.at(exponent) + other.at(exponent), exponent }
    }

    /// Returns the exponent of a power of two that is slightly above the number. Returns `None` for 0.
    pub(super) fn power(self) -> Option<i32> {
        // The logarithm may be slightly inexact, so the result may differ from the next integer above the
        // exact logarithm.
        (self.value > 0.0).then(|| self.exponent + self.value.log2() as i32 + 1)
    }

    /// Returns the number in units of 2^`exponent`.
    pub(super) fn at(self, exponent: i32) -> f64 {
        self.value * 2f64.powi(self.exponent - exponent)
    }
}

/// A stream of random numbers. It is different for each seed and each probe.
pub(super) struct Draw(SplitMix64);

impl Draw {
    pub(super) fn new(seed: u64, probe: u64) -> Self {
        let of_seed = SplitMix64(seed).word() ^ probe.wrapping_mul(0xd134_2543_de82_ef95);
        Draw(SplitMix64(SplitMix64(of_seed).word()))
    }

    /// Returns true with probability 1 / `n`.
    fn one_in(&mut self, n: u64) -> bool {
        (u128::from(self.0.word()) * u128::from(n)) >> 64 == 0
    }
}

/// Counts the children of a branching, and chooses one of them at random. All children are equally likely.
struct RandomChild<'a> {
    draw: &'a mut Draw,
    watch: Watch<'a>,
    children: u64,
    kept: &'a mut Vec<u32>,
}

impl Visitor for RandomChild<'_> {
    fn solution(&mut self, _solution: Solution<'_>) -> Flow {
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], _nodes: u64) -> Flow {
        // A branching of a large problem has thousands of children, and each of them may take milliseconds.
        if self.watch.stop().is_some() {
            return Flow::Stop;
        }
        self.children += 1;
        if self.draw.one_in(self.children) {
            self.kept.clear();
            self.kept.extend_from_slice(prefix);
        }
        Flow::Continue
    }
}

/// Chooses a child at each branching on one path. Uses the random numbers in the same way as [`RandomChild`].
struct RandomPath<'a> {
    draw: &'a mut Draw,
    watch: Watch<'a>,
    met: Met,
}

impl Visitor for RandomPath<'_> {
    fn solution(&mut self, _solution: Solution<'_>) -> Flow {
        Flow::Continue
    }

    fn choose(&mut self, ways: u32, nodes: u64) -> Option<u32> {
        if self.watch.stop().is_some() {
            return None;
        }
        self.met.nodes_until(nodes);
        self.met.branch(ways.into());
        let mut kept = 0;
        for way in 0..ways {
            if self.draw.one_in(u64::from(way) + 1) {
                kept = way;
            }
        }
        Some(kept)
    }
}

/// The estimates from one probe.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Probe {
    pub(super) nodes: Wide,
    pub(super) solutions: Wide,
    pub(super) branchings: u32,
}

/// State of a probe on its way down the search tree.
struct Met {
    probe: Probe,
    /// Product of the numbers of children at all branchings so far.
    weight: Wide,
    /// Number of nodes on the path that the estimate already includes.
    nodes: u64,
}

impl Met {
    fn new() -> Self {
        Met { probe: Probe::default(), weight: Wide::new(1.0), nodes: 0 }
    }

    /// Adds the nodes after the last branching to the estimate. `nodes` is the number of nodes on the whole
    /// path.
    fn nodes_until(&mut self, nodes: u64) {
        self.probe.nodes = self.probe.nodes.plus(self.weight.times((nodes - self.nodes) as f64));
        self.nodes = nodes;
    }

    fn solutions(&mut self, found: &Count) {
        let found = found.to_u64().unwrap_or(u64::MAX) as f64;
        self.probe.solutions = self.probe.solutions.plus(self.weight.times(found));
    }

    fn branch(&mut self, children: u64) {
        self.weight = self.weight.times(children as f64);
        self.probe.branchings += 1;
    }
}

/// Makes one probe with tables of at most `memory` bytes.
///
/// # Errors
/// Returns the reason if the probe was stopped early.
pub(super) fn probe(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    draw: &mut Draw,
    watch: Watch<'_>,
) -> std::result::Result<Probe, EndedBy> {
    // Each step of a probe is a search, and these searches are too short to check the clock themselves.
    if let Some(reason) = watch.stop() {
        return Err(reason);
    }
    let limits = || Limits { memory, time: watch.left(), ..Limits::default() };
    let whole = Task::whole(problem, Goal::All, limits());
    let nodes = |outcome: &Outcome| outcome.counters.map_or(0, |counters| counters.nodes);
    let ended = |outcome: &Outcome| match outcome.ended_by {
        EndedBy::Complete => Ok(()),
        // The visitor stopped the search. It does so when time is up or when the control stops.
        EndedBy::Cancel => Err(watch.stop().unwrap_or(EndedBy::Cancel)),
        other => Err(other),
    };
    let mut path = RandomPath { draw, watch, met: Met::new() };
    if let Some(outcome) = search.descend(&whole, &mut path, watch.control) {
        let mut met = path.met;
        ended(&outcome)?;
        met.nodes_until(nodes(&outcome));
        met.solutions(&outcome.found);
        return Ok(met.probe);
    }
    let mut met = Met::new();
    let (mut prefix, mut kept) = (Vec::new(), Vec::new());
    loop {
        let frontier = Some(met.probe.branchings + 1);
        let task = Task { prefix: &prefix, frontier, limits: limits(), ..whole };
        let mut child = RandomChild { draw, watch, children: 0, kept: &mut kept };
        let outcome = search.search(&task, &mut child, watch.control);
        let children = child.children;
        ended(&outcome)?;
        met.nodes_until(met.nodes + nodes(&outcome));
        met.solutions(&outcome.found);
        if children == 0 {
            return Ok(met.probe);
        }
        if let Some(reason) = watch.stop() {
            return Err(reason);
        }
        met.branch(children);
        std::mem::swap(&mut prefix, &mut kept);
    }
}

/// Number of probes that decide whether a counter is used.
///
/// It is small, because every search that is not short makes these probes. The decision needs only the order
/// of magnitude.
const PROBES: usize = 8;

/// Returns the approximate number of nodes of the search for all solutions, computed from a few probes.
///
/// The number may be very large, and is infinite above 10^308. It tends to be too low, because the largest
/// quarter of the probes is left out: a single one of them may overestimate the tree a hundredfold. The same
/// problem and engine always give the same number. Returns `None` if time, the control or memory ends the
/// probes.
pub(super) fn expected_nodes(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    watch: Watch<'_>,
) -> Option<f64> {
    let mut sizes = Vec::new();
    for index in 0..PROBES as u64 {
        sizes.push(probe(search, problem, memory, &mut Draw::new(1, index), watch).ok()?.nodes.at(0));
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let kept = &sizes[..PROBES - PROBES / 4];
    Some(kept.iter().sum::<f64>() / kept.len() as f64)
}
