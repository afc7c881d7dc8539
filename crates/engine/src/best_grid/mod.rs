//! Branch and bound on weighted grids: the solution with the largest or smallest score.
//!
//! The search walks the grid with the propagation of [`bitmask`](super::bitmask). At every node a *relaxation*
//! ([`relax`]) gives a value that no solution below can beat: some of the rules are dropped and *prices* charged
//! for breaking them instead (Lagrangian relaxation; Held and Karp 1971 for the step rule's ancestors). For
//! every candidate it also gives the *loss*: how far that value falls if the candidate must be part of it. A
//! subtree is left out when nothing in it can beat the best solution found.
//!
//! Before the tree of a 9x9 there is an [`assembly`] out of the few templates that a grid near the root's bound can be made
//! of. It settles nearly all of them; the tree is for what it gives up, and for other sides.
//!
//! # Order
//! Ties go to the earliest solution in sequential order, and a search that is split over threads must agree on
//! which that is. So the tree, prices and order of branches included, is a function of the path alone: never of
//! the best score so far, which depends on who found what when. That score only decides what is left out.
//! Nothing is removed from a node's grid because it cannot win; a cell whose second-best digit loses most is
//! branched on first instead, and its other digits are then left out without being entered.

mod assembly;
mod relax;
mod templates;

use super::bitmask::board::{Board, Contradiction, Step, Strength};
use super::bitmask::shape::Shape;
use super::bitmask::tree::Tree;
use super::incumbent::BestFound;
use super::prices::{AT_NODE, AT_ROOT, BestSearch, Schedule, scale_of, unscaled};
use super::run::Run;
use super::{Control, Task, TreeSearch, Visitor};
use assembly::{Assembled, Assembly};
use quadrille_model::encode::geometry_9x9;
use quadrille_model::{
    Direction, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, Puzzle, Ranking, RuleClass, Solution, Top,
};
use relax::Relaxation;

/// Branch and bound: the best value of grids of any side, with pencilmarks and letter groups. A puzzle without
/// weights has only solutions of score 0.
///
/// Owns the memory of its search and keeps it from problem to problem.
#[derive(Debug, Default)]
pub struct BestGrid {
    shape: Option<Shape>,
    board: Board,
    tree: Tree,
    relaxation: Relaxation,
    assembly: Assembly,
    /// The last problem's root.
    root: Option<Root>,
    /// Prices at each branching of the tree, in its order.
    prices: Vec<i64>,
    /// Options not tried yet of each branching of the tree, in its order; the next one is last.
    ranked: Vec<Ranked>,
    digits: Vec<u8>,
    /// A plain 9x9 as a puzzle.
    unpacked: Option<Puzzle>,
}

/// The bound and the prices of a problem's root, kept for the parts of a split search.
#[derive(Debug)]
struct Root {
    puzzle: Puzzle,
    direction: Direction,
    bound: i64,
    prices: Vec<i64>,
}

/// An option of a branching.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    /// No solution with it is worth more, scaled.
    bound: i64,
    option: u8,
}

/// [`AT_ROOT`] where templates are chosen, of which prices are found in half as many.
const AT_ROOT_OF_TEMPLATES: Schedule = Schedule { steps: 300, shrink: 63_300, ..AT_ROOT };
/// An assembly's slack grows by this part of what one digit more is worth in a typical cell, and doubles from then on.
const GROWTH: i64 = 8;

impl BestGrid {
    /// Returns true if it can do this: the best value of a grid.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!((class, goal), (ProblemClass::Grid { rules: RuleClass::Plain, .. }, Goal::Best(_)))
    }
}

impl TreeSearch for BestGrid {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        let Goal::Best(top) = task.goal else {
            return Outcome::nothing(EndedBy::Cancel);
        };
        if task.problem.clash().is_some() {
            return Outcome::contradiction();
        }
        let run = Run::new(task, visitor, control).looking_every(1).sharing_early();
        match task.problem {
            ProblemRef::Puzzle(puzzle) => self.best(puzzle, top, run),
            ProblemRef::Packed(packed) => {
                let mut puzzle = self.unpacked.take().unwrap_or_else(|| Puzzle::new(geometry_9x9()));
                packed.unpack_into(geometry_9x9(), &mut puzzle);
                let outcome = self.best(&puzzle, top, run);
                self.unpacked = Some(puzzle);
                outcome
            }
            ProblemRef::Cover(_) => Outcome::nothing(EndedBy::Cancel),
        }
    }

    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        let root = self.root.as_ref().filter(|root| root.direction == direction);
        match (problem, root) {
            (ProblemRef::Puzzle(puzzle), Some(root)) if root.puzzle == *puzzle => {
                unscaled(scale_of(puzzle, direction), root.bound)
            }
            _ => problem.loose_bound(direction),
        }
    }
}

impl BestSearch<'_> {
    /// Looks for the best among the grids near the root's bound. `true`: they are found, and proved to be the best.
    fn assemble(
        &mut self,
        assembly: &mut Assembly,
        board: &Board,
        puzzle: &Puzzle,
        relaxation: &mut Relaxation,
        run: &mut Run<'_>,
    ) -> Result<bool, EndedBy> {
        let (scale, bound, top) = (self.scale, self.in_hand, self.found.leaders.top());
        let grow = scale.point().max(relaxation.grain() / GROWTH);
        let Some((templates, values, prices)) = relaxation.templates() else { return Ok(false) };
        // Those that reach what the bound, rounded down, allows.
        let least = bound.saturating_add(scale.limit(unscaled(scale, bound), 0));
        let mut more = 0i64;
        loop {
            let slack = least.saturating_add(more);
            let mut ranking = Ranking::new(top);
            let mut take = |digits: &[u8]| {
                let score = puzzle.weights().map_or(0, |weights| weights.score(digits));
                ranking.offer(score, Solution::Digits(digits));
                let limit = ranking.leaders().threshold().map(|threshold| scale.limit(threshold, 1));
                limit.map_or(i64::MAX, |limit| bound.saturating_add(limit))
            };
            let end = assembly.search(board, templates, (values, prices), slack, run, &mut take);
            let found = ranking.leaders().scores().len() as u64;
            let is_over = match end {
                Ok(Assembled::All) => found == top.limit,
                Ok(Assembled::AllThereAre) => true,
                Ok(Assembled::GivenUp) | Err(_) => false,
            };
            // One solution that is not proved is a beginning for the tree; several would be met there again.
            if is_over || end.is_err() || end == Ok(Assembled::GivenUp) && top.limit == 1 {
                for (score, solution) in ranking.in_order_met() {
                    let Solution::Digits(digits) = solution else { continue };
                    self.found.take(score);
                    run.solution(Solution::Digits(digits))?;
                }
            }
            if is_over || end? == Assembled::GivenUp {
                return Ok(is_over);
            }
            more = more.saturating_mul(2).max(grow);
        }
    }
}

impl BestGrid {
    fn best(&mut self, puzzle: &Puzzle, top: Top, mut run: Run<'_>) -> Outcome {
        let BestGrid { shape, board, tree, relaxation, assembly, root, prices, ranked, digits, .. } = self;
        let shape = Shape::cached(shape, puzzle.geometry());
        let scale = scale_of(puzzle, top.direction);
        let task = run.task;
        let found = BestFound::new(top, task.incumbent);
        let mut best_search = BestSearch { scale, found, in_hand: i64::MAX };
        prices.clear();
        ranked.clear();
        tree.reset(task.prefix);
        relaxation.reset(shape, puzzle, scale);
        let mut walk = || -> Result<(), EndedBy> {
            if !run.enter_within(task.prefix, || best_search.unscaled(best_search.in_hand))? {
                return Ok(());
            }
            let mut step = to_root(board, shape, puzzle, relaxation, root, top.direction).map(|bound| {
                best_search.in_hand = bound;
            });
            if step.is_ok() && task.prefix.is_empty() && !board.is_solved() {
                assembly.reset(puzzle);
                if best_search.assemble(assembly, board, puzzle, relaxation, &mut run)? {
                    return Ok(());
                }
            }
            step = step.and_then(|()| replay(board, shape, relaxation, task.prefix));
            loop {
                if step.is_ok() && board.is_solved() {
                    board.write_digits(digits);
                    let score = puzzle.weights().map_or(0, |weights| weights.score(digits));
                    if best_search.found.wants(score) {
                        best_search.found.take(score);
                        run.solution(Solution::Digits(digits))?;
                    }
                } else if step.is_ok()
                    && let Some(bound) =
                        relaxation.tighten(board, shape, AT_NODE, |bound| best_search.is_hopeless(bound))
                {
                    let item = relaxation.rank(board, shape, bound.min(best_search.in_hand), ranked);
                    tree.branch(board, item)?;
                    prices.extend_from_slice(relaxation.prices());
                }
                step = loop {
                    let Some(untried) = tree.untried() else {
                        return Ok(());
                    };
                    let bound = ranked.last().map_or(i64::MIN, |next| next.bound);
                    if best_search.is_hopeless(bound) {
                        ranked.truncate(ranked.len() - untried as usize);
                        prices.truncate(prices.len() - relaxation.prices().len());
                        tree.give_up(board);
                        continue;
                    }
                    relaxation.set_prices(&prices[prices.len() - relaxation.prices().len()..]);
                    let next = |_| ranked.pop().map_or(0, |next| next.option as usize);
                    let Some(decision) = tree.next(board, shape, next) else {
                        return Ok(());
                    };
                    best_search.in_hand = bound;
                    run.guesses += u64::from(decision.is_guess);
                    if !decision.is_guess {
                        prices.truncate(prices.len() - relaxation.prices().len());
                    }
                    if run.enter_within(&tree.path, || best_search.unscaled(bound))? {
                        break board.decide(shape, decision.cell, decision.digit, STRENGTH);
                    }
                };
            }
        };
        let end = walk();
        let open = ranked.iter().map(|option| option.bound).fold(best_search.in_hand, i64::max);
        run.outcome_best(end, &best_search.found.leaders, best_search.unscaled(open))
    }
}

/// The propagation that is done before a bound is computed.
const STRENGTH: Strength = Strength::Subsets;

/// Loads a puzzle and finds the root's bound, scaled, and its prices.
fn to_root(
    board: &mut Board,
    shape: &Shape,
    puzzle: &Puzzle,
    relaxation: &mut Relaxation,
    root: &mut Option<Root>,
    direction: Direction,
) -> Result<i64, Contradiction> {
    board.load(shape, puzzle.candidates(), puzzle.constraints())?;
    board.propagate(shape, STRENGTH)?;
    if board.is_solved() {
        return Ok(i64::MAX);
    }
    if let Some(root) = root.as_ref().filter(|root| root.direction == direction && root.puzzle == *puzzle) {
        relaxation.set_prices(&root.prices);
        return Ok(root.bound);
    }
    let schedule = if relaxation.templates().is_some() { AT_ROOT_OF_TEMPLATES } else { AT_ROOT };
    let bound = relaxation.tighten(board, shape, schedule, |_| false).ok_or(Contradiction)?;
    let root = root.get_or_insert_with(|| Root {
        puzzle: Puzzle::new(puzzle.geometry()),
        direction,
        bound,
        prices: Vec::new(),
    });
    root.puzzle.copy_from(puzzle);
    (root.direction, root.bound) = (direction, bound);
    root.prices.clear();
    root.prices.extend_from_slice(relaxation.prices());
    Ok(bound)
}

/// Plays a prefix from the root, with the prices each of its nodes had.
fn replay(board: &mut Board, shape: &Shape, relaxation: &mut Relaxation, prefix: &[u32]) -> Step {
    for &decision in prefix {
        relaxation.tighten(board, shape, AT_NODE, |_| false).ok_or(Contradiction)?;
        board.repeat(shape, decision, STRENGTH)?;
    }
    Ok(())
}
