//! Random probes of a search's tree: what one of them meets stands for the whole.
//!
//! Source: Knuth, Estimating the efficiency of backtrack programs, Mathematics of Computation 29 (1975). A probe walks
//! from the root down and takes one of the `d` children of each branching at random; what it meets stands for as much
//! as the product of all `d` above it says:
//!
//! ```text
//! root, 3 children -> one of them, 2 children -> one of them, no children, a solution
//! nodes  1 + 3        + 6 ...                     solutions 6
//! ```
//! The mean over probes tends to the true numbers, whatever the tree's form. Its scatter gives an error figure, to be
//! read with care: where most solutions hang on few branches, most probes miss them, and both mean and error are too
//! small until one probe hits.
//!
//! A step is a search of a [`TreeSearch`] from its prefix to the next frontier, so that every engine that can be split
//! can be probed, and the nodes are those that it will enter.

use super::{Control, Flow, Task, TreeSearch, Visitor};
use quadrille_model::random::SplitMix64;
use quadrille_model::{Count, EndedBy, Goal, Limits, ProblemRef, Solution};

/// Numbers from here on are kept with an exponent of their own.
const WIDE: i32 = 512;

/// A number that is 0 or more, of any size: `value` times 2^`exponent`, exact where an `f64` is.
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

    /// In units of 2^`exponent`.
    pub(super) fn at(self, exponent: i32) -> f64 {
        self.value * 2f64.powi(self.exponent - exponent)
    }
}

/// A stream of random numbers for each seed and probe.
pub(super) struct Draw(SplitMix64);

impl Draw {
    pub(super) fn new(seed: u64, probe: u64) -> Self {
        let of_seed = SplitMix64(seed).word() ^ probe.wrapping_mul(0xd134_2543_de82_ef95);
        Draw(SplitMix64(SplitMix64(of_seed).word()))
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: u64) -> bool {
        (u128::from(self.0.word()) * u128::from(n)) >> 64 == 0
    }
}

/// Counts the children of a branching and keeps one of them, each with the same chance.
struct RandomChild<'a> {
    draw: &'a mut Draw,
    children: u64,
    kept: &'a mut Vec<u32>,
}

impl Visitor for RandomChild<'_> {
    fn solution(&mut self, _solution: Solution<'_>) -> Flow {
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], _nodes: u64) -> Flow {
        self.children += 1;
        if self.draw.one_in(self.children) {
            self.kept.clear();
            self.kept.extend_from_slice(prefix);
        }
        Flow::Continue
    }
}

/// The estimates of one probe.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Probe {
    pub(super) nodes: Wide,
    pub(super) solutions: Wide,
    pub(super) branchings: u32,
}

/// Walks down once, with tables of so many bytes at most. An error is the reason why it was stopped.
pub(super) fn probe(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    draw: &mut Draw,
    control: &Control,
) -> std::result::Result<Probe, EndedBy> {
    let mut met = Probe::default();
    let mut weight = Wide::new(1.0);
    let (mut prefix, mut kept) = (Vec::new(), Vec::new());
    loop {
        // A search as short as this one does not look for itself.
        if let Some(reason) = control.stop() {
            return Err(reason);
        }
        let whole = Task::whole(problem, Goal::All, Limits { memory, ..Limits::default() });
        let task = Task { prefix: &prefix, frontier: Some(met.branchings + 1), ..whole };
        let mut child = RandomChild { draw, children: 0, kept: &mut kept };
        let outcome = search.search(&task, &mut child, control);
        let children = child.children;
        if outcome.ended_by != EndedBy::Complete {
            return Err(outcome.ended_by);
        }
        let number = |count: &Count| count.to_u64().unwrap_or(u64::MAX) as f64;
        met.nodes =
            met.nodes.plus(weight.times(outcome.counters.map_or(0.0, |counters| counters.nodes as f64)));
        met.solutions = met.solutions.plus(weight.times(number(&outcome.found)));
        if children == 0 {
            return Ok(met);
        }
        weight = weight.times(children as f64);
        met.branchings += 1;
        std::mem::swap(&mut prefix, &mut kept);
    }
}

/// Probes of a search that decide whether another engine is asked: few, because every search past its first nodes pays
/// for them, and an order of magnitude is enough.
const FEW_PROBES: usize = 8;

/// Returns about the number of nodes of the search for all solutions, by a few probes of it on this thread; of any
/// size, infinite above 10^308. Rather too few: the largest quarter of the probes, one of which may stand for a hundred
/// times the tree, is left out. The same for the same problem and engine; `None` where the control or memory ends the
/// probes.
pub(super) fn expected_nodes(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    control: &Control,
) -> Option<f64> {
    let mut sizes = Vec::new();
    for index in 0..FEW_PROBES as u64 {
        sizes.push(probe(search, problem, memory, &mut Draw::new(1, index), control).ok()?.nodes.at(0));
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let kept = &sizes[..FEW_PROBES - FEW_PROBES / 4];
    Some(kept.iter().sum::<f64>() / kept.len() as f64)
}
