//! The slow reference engine. It searches exact cover problems straight from their definition, without
//! complicated data structures.
//!
//! Every problem is first turned into a [`CoverProblem`], except a grid with rules (see [`variant`]). A node
//! of the search knows which options are still possible and how often each item is covered. Each child gets a
//! copy of both and checks all options once. Tests compare the fast engines with this engine. Benchmarks show
//! it as the slowest one.
//!
//! The search branches on the primary item with the fewest ways to branch, or the leftmost item on ties. The
//! item's options are tried in order. An option that was already tried is not possible in later branches. If
//! every item must be covered exactly once, the search has the same nodes as Knuth's Algorithm X with the
//! rule of fewest options first.
//!
//! An item with bounds has a different number of ways. Once the item is covered often enough, there is one
//! more way: to choose no further option. While the item still needs several options, there are fewer ways.
//! The reason is that options before the first chosen option are no longer possible (the branching degree of
//! Algorithm M). The search meets every set of options at most once, because two branches of a node differ in
//! the first option that they choose.

mod variant;

use super::memory::{self, Size};
use super::search_context::SearchContext;
use super::{Control, Flow, Task, TreeSearch, Visitor};
use quadrille_model::encode::{PuzzleCover, to_cover};
use quadrille_model::{CoverProblem, EndedBy, Goal, NO_COLOUR, Outcome, ProblemClass, ProblemRef, Solution};

/// The decision that an item is not covered any further. All other decisions are option numbers.
const COVER_NO_FURTHER: u32 = u32::MAX;

/// The naive engine, which searches without clever data structures.
///
/// Reports grids as 0-based digits, and exact cover solutions as option numbers in ascending order. Counts
/// nodes and guesses. A clue counts as a node, because it is an item with one option.
#[derive(Debug, Default)]
pub struct Naive;

impl Naive {
    /// Returns true if the engine supports `goal` for problems of `class`.
    ///
    /// Returns false for [`Goal::Best`], and for [`Goal::Least`] of exact covers. Returns true otherwise.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        class.is_searched_for(goal)
    }

    /// Returns the maximum number of bytes for all nodes on a path together.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::from_problem(problem);
        let state = size.options + 8 * size.items;
        let levels = size.depth() + 1;
        levels.saturating_mul(state + 4 * size.options)
    }
}

impl TreeSearch for Naive {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        if !Self::supports(task.problem.class(), task.goal) {
            return Outcome::nothing(EndedBy::Cancel);
        }
        if memory::forbids(task, Naive::needs(task.problem)) {
            return Outcome::nothing(EndedBy::Memory);
        }
        let mut run = SearchContext::new(task, visitor, control);
        let end = match task.problem {
            ProblemRef::Cover(cover) => walk(State::new(cover, None), &mut run),
            ProblemRef::Puzzle(puzzle) if puzzle.rules().is_some() => {
                walk(variant::PartialGrid::new(puzzle), &mut run)
            }
            grid => {
                let encoded = to_cover(grid).expect("a grid can be encoded");
                walk(State::new(&encoded.cover, Some(&encoded)), &mut run)
            }
        };
        run.outcome(end)
    }
}

/// A node of the search: everything that was decided so far.
trait Node: Clone {
    /// Work of entering a node or creating a child, in units of a search's budget.
    fn work(&self) -> u64 {
        0
    }

    /// Returns the ways to branch, or `None` if nothing needs a decision. The list is empty at a dead end.
    fn choose(&self) -> Option<Vec<u32>>;

    /// Follows one of the ways to branch.
    fn go(&mut self, ways: &[u32], way: usize);

    /// Reports the solution of a node without open decisions. `decisions` has all decisions on its path.
    fn show(&self, decisions: Vec<u32>, visitor: &mut dyn Visitor) -> Flow;
}

/// A node of the search on an exact cover problem.
#[derive(Debug, Clone)]
struct State<'a> {
    cover: &'a CoverProblem,
    /// The encoding that made the problem, if solutions are reported as grids.
    grid: Option<&'a PuzzleCover>,
    /// For each option, true if it may still be chosen.
    possible: Vec<bool>,
    /// For each item, the number of chosen options that cover it.
    times: Vec<u32>,
    /// Colour of each item, or [`NO_COLOUR`] if the item has no colour yet.
    colour: Vec<u32>,
}

impl<'a> State<'a> {
    fn new(cover: &'a CoverProblem, grid: Option<&'a PuzzleCover>) -> Self {
        State {
            cover,
            grid,
            possible: vec![true; cover.options()],
            times: vec![0; cover.items()],
            colour: vec![NO_COLOUR; cover.items()],
        }
    }

    /// Chooses an option, and removes all options that no longer fit.
    fn take(&mut self, option: u32) {
        let cover = self.cover;
        for entry in cover.option(option as usize) {
            self.times[entry.item as usize] += 1;
            self.colour[entry.item as usize] = entry.colour;
        }
        self.possible[option as usize] = false;
        for other in 0..cover.options() {
            let fits = cover.option(other).iter().all(|entry| {
                let (item, times) = (entry.item as usize, self.times[entry.item as usize]);
                if item < cover.primary() {
                    times < cover.bounds(item).high
                } else {
                    times == 0 || entry.colour != NO_COLOUR && entry.colour == self.colour[item]
                }
            });
            self.possible[other] &= fits;
        }
    }

    /// Returns the ways to branch on an item.
    ///
    /// The ways are the item's possible options, followed by [`COVER_NO_FURTHER`] if that is allowed.
    fn ways(&self, item: usize) -> Vec<u32> {
        let cover = self.cover;
        let has = |option: &usize| cover.option(*option).iter().any(|entry| entry.item as usize == item);
        let options = (0..cover.options()).filter(|&option| self.possible[option]).filter(has);
        let mut ways: Vec<u32> = options.map(|option| option as u32).collect();
        let number = self.number_of_ways(item, ways.len());
        if number > ways.len() && !ways.is_empty() {
            ways.push(COVER_NO_FURTHER);
        }
        ways.truncate(number);
        ways
    }

    /// Returns the number of ways to branch on an item that has `options` possible options.
    fn number_of_ways(&self, item: usize, options: usize) -> usize {
        let needed = self.cover.bounds(item).low.saturating_sub(self.times[item]);
        (options + 1).saturating_sub(needed as usize)
    }
}

impl Node for State<'_> {
    // The work is estimated in passes over all options. Entering a node takes several passes, and so does
    // creating each child.
    fn work(&self) -> u64 {
        4 * (self.cover.entries() + self.cover.options()) as u64
    }

    fn choose(&self) -> Option<Vec<u32>> {
        let cover = self.cover;
        let mut lengths = vec![0; cover.primary()];
        for option in (0..cover.options()).filter(|&option| self.possible[option]) {
            for entry in cover.option(option).iter().filter(|entry| (entry.item as usize) < cover.primary()) {
                lengths[entry.item as usize] += 1;
            }
        }
        let item = (0..cover.primary())
            .filter(|&item| lengths[item] > 0 || self.times[item] < cover.bounds(item).low)
            .min_by_key(|&item| self.number_of_ways(item, lengths[item]))?;
        Some(self.ways(item))
    }

    // Rules out the options that come before the chosen one.
    fn go(&mut self, ways: &[u32], way: usize) {
        for &option in &ways[..way] {
            self.possible[option as usize] = false;
        }
        if ways[way] != COVER_NO_FURTHER {
            self.take(ways[way]);
        }
    }

    fn show(&self, mut decisions: Vec<u32>, visitor: &mut dyn Visitor) -> Flow {
        decisions.retain(|&decision| decision != COVER_NO_FURTHER);
        decisions.sort_unstable();
        match self.grid {
            Some(grid) => visitor.solution(Solution::Digits(&grid.digits(&decisions))),
            None => visitor.solution(Solution::Options(&decisions)),
        }
    }
}

/// A node on the current path. The search is visiting the children of this node.
struct Level<N> {
    node: N,
    ways: Vec<u32>,
    next: usize,
}

/// Searches the tree below `root`.
fn walk<N: Node>(mut root: N, run: &mut SearchContext<'_>) -> Result<(), EndedBy> {
    const SAME: &str = "a prefix comes from a search of the same problem";
    let prefix = run.task.prefix;
    let mut branchings_above = 0;
    for decision in prefix {
        run.budget.work(root.work())?;
        let ways = root.choose().expect(SAME);
        branchings_above += usize::from(ways.len() > 1);
        root.go(&ways, ways.iter().position(|way| way == decision).expect(SAME));
    }
    let mut levels: Vec<Level<N>> = Vec::new();
    let mut arrived = Some(root);
    loop {
        if let Some(node) = arrived.take() {
            run.budget.work(node.work())?;
            let path = || {
                let below = levels.iter().map(|level| level.ways[level.next - 1]);
                prefix.iter().copied().chain(below).collect::<Vec<u32>>()
            };
            let branchings = branchings_above + levels.iter().filter(|level| level.ways.len() > 1).count();
            if run.enter_or(branchings, |visitor, nodes| visitor.frontier(&path(), nodes))? {
                match node.choose() {
                    Some(ways) => levels.push(Level { node, ways, next: 0 }),
                    None => run.solved(|visitor| node.show(path(), visitor))?,
                }
            }
        }
        let Some(level) = levels.last_mut() else { return Ok(()) };
        if level.next == level.ways.len() {
            levels.pop();
            continue;
        }
        run.guesses += u64::from(level.next + 1 < level.ways.len());
        let mut child = level.node.clone();
        child.go(&level.ways, level.next);
        level.next += 1;
        arrived = Some(child);
    }
}
