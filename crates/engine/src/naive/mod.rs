//! The slow reference: exact cover from the definition, no data structure to get wrong.
//!
//! Every problem but a grid with rules ([`ruled`]) is made into a [`Cover`] of its own first. A node of the search holds which options are still
//! possible and how often every item is covered; a child gets a copy of both and goes through all options once.
//! Used by tests, which hold the fast engines against it, and as the slowest line of benchmarks.
//!
//! The search branches on the primary item with the fewest ways to go on, the leftmost on ties; its options are
//! tried in their order, and what was tried is not possible any more in later branches. For items to be covered
//! exactly once this is Knuth's Algorithm X with fewest options first, node for node. An item with bounds has
//! one way more, once it is covered often enough: no further option; and as long as it still needs several, it has
//! as many ways less, because what comes before the first option taken is not possible any more (Algorithm M's
//! branching degree). Every set of options is met at most once: two branches of a node differ in the first option
//! they take.

mod ruled;

use super::memory::{self, Size};
use super::run::Run;
use super::{Control, Flow, Task, TreeSearch, Visitor};
use quadrille_model::encode::{PuzzleCover, to_cover};
use quadrille_model::{Cover, EndedBy, Goal, NO_COLOUR, Outcome, ProblemClass, ProblemRef, Solution};

/// The decision to cover an item no further, in prefixes; other decisions are option numbers.
const ENOUGH: u32 = u32::MAX;

/// The naive engine's search.
///
/// Finds grids as digits and exact cover problems as option numbers, ascending. Counts nodes and guesses. Clues
/// are items with one option and count as nodes.
#[derive(Debug, Default)]
pub struct Naive;

impl Naive {
    /// Returns true if it can do this: everything but [`Goal::Best`].
    pub fn supports(_: ProblemClass, goal: Goal) -> bool {
        !matches!(goal, Goal::Best(_))
    }

    /// Bytes that the nodes of the deepest path take at most.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::of(problem);
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
        let mut run = Run::new(task, visitor, control);
        match task.problem {
            ProblemRef::Cover(cover) => search(cover, None, run),
            ProblemRef::Puzzle(puzzle) if puzzle.rules().is_some() => {
                let end = ruled::walk(puzzle, &mut run);
                run.outcome(end)
            }
            grid => {
                let encoded = to_cover(grid).expect("a grid can be encoded");
                search(&encoded.cover, Some(&encoded), run)
            }
        }
    }
}

/// The part of a problem that is left at a node.
#[derive(Debug, Clone)]
struct State {
    /// Per option true if it may still be taken.
    possible: Vec<bool>,
    /// Per item the number of times that it is covered.
    times: Vec<u32>,
    /// Per item the colour it has, [`NO_COLOUR`] if none.
    colour: Vec<u32>,
}

impl State {
    fn new(cover: &Cover) -> Self {
        State {
            possible: vec![true; cover.options()],
            times: vec![0; cover.items()],
            colour: vec![NO_COLOUR; cover.items()],
        }
    }

    /// Takes an option, then goes through all options for those that are not possible any more.
    fn take(&mut self, cover: &Cover, option: u32) {
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

    /// The ways to go on with an item: its possible options, and to leave it at that.
    fn ways(&self, cover: &Cover, item: usize) -> Vec<u32> {
        let has = |option: &usize| cover.option(*option).iter().any(|entry| entry.item as usize == item);
        let options = (0..cover.options()).filter(|&option| self.possible[option]).filter(has);
        let mut ways: Vec<u32> = options.map(|option| option as u32).collect();
        let number = self.number_of_ways(cover, item, ways.len());
        if number > ways.len() && !ways.is_empty() {
            ways.push(ENOUGH);
        }
        ways.truncate(number);
        ways
    }

    /// Returns the number of ways to go on with an item that has so many possible options.
    fn number_of_ways(&self, cover: &Cover, item: usize, options: usize) -> usize {
        let needed = cover.bounds(item).low.saturating_sub(self.times[item]);
        (options + 1).saturating_sub(needed as usize)
    }

    /// The item to branch on with its ways, `None` when every item has enough and no option is left.
    fn choose(&self, cover: &Cover) -> Option<(usize, Vec<u32>)> {
        let mut lengths = vec![0; cover.primary()];
        for option in (0..cover.options()).filter(|&option| self.possible[option]) {
            for entry in cover.option(option).iter().filter(|entry| (entry.item as usize) < cover.primary()) {
                lengths[entry.item as usize] += 1;
            }
        }
        let item = (0..cover.primary())
            .filter(|&item| lengths[item] > 0 || self.times[item] < cover.bounds(item).low)
            .min_by_key(|&item| self.number_of_ways(cover, item, lengths[item]))?;
        Some((item, self.ways(cover, item)))
    }

    /// Goes the given way with an item: what comes before it in the list is not possible any more.
    fn go(&mut self, cover: &Cover, ways: &[u32], way: usize) {
        for &option in &ways[..way] {
            self.possible[option as usize] = false;
        }
        if ways[way] != ENOUGH {
            self.take(cover, ways[way]);
        }
    }
}

/// A node on the path whose children are being visited.
struct Level {
    state: State,
    ways: Vec<u32>,
    next: usize,
}

fn search(cover: &Cover, grid: Option<&PuzzleCover>, mut run: Run<'_>) -> Outcome {
    let end = walk(cover, grid, &mut run);
    run.outcome(end)
}

fn walk(cover: &Cover, grid: Option<&PuzzleCover>, run: &mut Run<'_>) -> Result<(), EndedBy> {
    let mut root = State::new(cover);
    let prefix = run.task.prefix;
    let mut branchings_above = 0;
    // A node, and every child made, goes through all options some times.
    let work_of_node = 4 * (cover.entries() + cover.options()) as u64;
    for decision in prefix {
        run.work(work_of_node)?;
        let (_, ways) = root.choose(cover).expect("a prefix comes from a search of the same problem");
        branchings_above += usize::from(ways.len() > 1);
        let way = ways.iter().position(|way| way == decision);
        root.go(cover, &ways, way.expect("a prefix comes from a search of the same problem"));
    }
    let mut levels: Vec<Level> = Vec::new();
    let mut arrived = Some(root);
    loop {
        if let Some(state) = arrived.take() {
            run.work(work_of_node)?;
            let path = || {
                let below = levels.iter().map(|level| level.ways[level.next - 1]);
                prefix.iter().copied().chain(below).collect::<Vec<u32>>()
            };
            let branchings = branchings_above + levels.iter().filter(|level| level.ways.len() > 1).count();
            if run.enter_or(branchings, |visitor, nodes| visitor.frontier(&path(), nodes))? {
                if let Some((_, ways)) = state.choose(cover) {
                    levels.push(Level { state, ways, next: 0 });
                } else {
                    let mut options = path();
                    options.retain(|&decision| decision != ENOUGH);
                    options.sort_unstable();
                    run.solved(|visitor| show(&options, grid, visitor))?;
                }
            }
        }
        let Some(level) = levels.last_mut() else { return Ok(()) };
        if level.next == level.ways.len() {
            levels.pop();
            continue;
        }
        run.guesses += u64::from(level.next + 1 < level.ways.len());
        let mut child = level.state.clone();
        child.go(cover, &level.ways, level.next);
        level.next += 1;
        arrived = Some(child);
    }
}

fn show(options: &[u32], grid: Option<&PuzzleCover>, visitor: &mut dyn Visitor) -> Flow {
    match grid {
        Some(grid) => visitor.solution(Solution::Digits(&grid.digits(options))),
        None => visitor.solution(Solution::Options(options)),
    }
}
