//! Branch and bound on weighted grids: the solution with the largest or smallest score.
//!
//! The search walks the grid with the propagation of [`bitmask`](super::bitmask). At every node a *relaxation*
//! ([`relax`]) gives a value that no solution below can beat: some of the rules are dropped and *prices* charged
//! for breaking them instead (Lagrangian relaxation; Held and Karp 1971 for the step rule's ancestors). For
//! every candidate it also gives the *loss*: how far that value falls if the candidate must be part of it. A
//! subtree is left out when nothing in it can beat the best solution found.
//!
//! # Order
//! Ties go to the earliest solution in sequential order, and a search that is split over threads must agree on
//! which that is. So the tree, prices and order of branches included, is a function of the path alone: never of
//! the best score so far, which depends on who found what when. That score only decides what is left out.
//! Nothing is removed from a node's grid because it cannot win; a cell whose second-best digit loses most is
//! branched on first instead, and its other digits are then left out without being entered.

mod relax;
mod scale;
mod templates;

use std::sync::Arc;

use super::bitmask::board::{Board, Contradiction, Step, Strength};
use super::bitmask::run::{Run, Stop, declined};
use super::bitmask::shape::Shape;
use super::bitmask::tree::Tree;
use super::{Control, Incumbent, Task, TreeSearch, Visitor};
use crate::model::{
    Best, Direction, Geometry, Goal, Leaders, Outcome, ProblemClass, ProblemRef, Puzzle, Top,
};
use relax::{Relaxation, Schedule};
use scale::Scale;

/// Branch and bound: the best value of grids of any side, with pencilmarks and letter groups. A puzzle without
/// weights has only solutions of score 0.
///
/// Owns the memory of its search and keeps it from problem to problem.
#[derive(Debug, Default)]
pub struct Bound {
    shape: Option<Shape>,
    board: Board,
    tree: Tree,
    relaxation: Relaxation,
    /// Prices at each branching of the tree, in its order.
    prices: Vec<i64>,
    /// Options not tried yet of each branching of the tree, in its order; the next one is last.
    ranked: Vec<Ranked>,
    digits: Vec<u8>,
    /// A plain 9x9 as a puzzle.
    unpacked: Option<Puzzle>,
}

/// An option of a branching.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    /// No solution with it is worth more, scaled.
    bound: i64,
    option: u8,
}

/// Steps of the prices at the root.
const AT_ROOT: Schedule = Schedule { steps: 600, first: 512, shrink: 253 };
/// Steps at every node before it is branched on, from its parent's prices.
const AT_NODE: Schedule = Schedule { steps: 8, first: 32, shrink: 200 };

impl Bound {
    /// A search without any memory yet.
    pub fn new() -> Self {
        Bound::default()
    }

    /// Whether it can do this: the best value of a grid.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!((class, goal), (ProblemClass::Grid { .. }, Goal::Best(_)))
    }
}

impl TreeSearch for Bound {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        let Goal::Best(top) = task.goal else {
            return declined();
        };
        if task.problem.clash().is_some() {
            return Outcome::contradiction();
        }
        match task.problem {
            ProblemRef::Puzzle(puzzle) => self.best(puzzle, top, task, visitor, control),
            ProblemRef::Packed(packed) => {
                let mut puzzle = self.unpacked.take().unwrap_or_else(|| {
                    Puzzle::new(&Geometry::new(3, 3).expect("a 9x9 is within the limits"))
                });
                let geometry = Arc::clone(puzzle.geometry());
                packed.unpack_into(&geometry, &mut puzzle);
                let outcome = self.best(&puzzle, top, task, visitor, control);
                self.unpacked = Some(puzzle);
                outcome
            }
            ProblemRef::Cover(_) => declined(),
        }
    }
}

/// What has been found, and what is still worth looking at.
struct Quest<'a> {
    scale: Scale,
    incumbent: Option<&'a Incumbent>,
    best: Leaders,
    /// Scaled bound of the node in hand; what a stopped search has not seen is below this or on the stack.
    in_hand: i64,
}

impl Quest<'_> {
    /// A score that is signed so that larger is better, and back.
    fn signed(&self, score: i64) -> i64 {
        match self.best.top().direction {
            Direction::Maximize => score,
            Direction::Minimize => score.saturating_neg(),
        }
    }

    /// Whether nothing under a scaled bound is wanted: it would have to beat what was found here, and to reach
    /// what others found.
    fn is_hopeless(&self, bound: i64) -> bool {
        if self.best.best().is_none() && self.incumbent.is_none() {
            return false;
        }
        !self.is_wanted(self.signed(self.scale.score(bound)))
    }

    fn is_wanted(&self, score: i64) -> bool {
        self.best.admits(score) && !self.incumbent.is_some_and(|incumbent| incumbent.beats(score))
    }
}

impl Bound {
    fn best(
        &mut self,
        puzzle: &Puzzle,
        top: Top,
        task: &Task<'_>,
        visitor: &mut dyn Visitor,
        control: &Control,
    ) -> Outcome {
        let Bound { shape, board, tree, relaxation, prices, ranked, digits, .. } = self;
        let shape = Shape::cached(shape, puzzle.geometry());
        let scale = Scale::of(puzzle, top.direction);
        let best = Leaders::new(top);
        let mut quest = Quest { scale, incumbent: task.incumbent, best, in_hand: i64::MAX };
        let mut run = Run::new(task, visitor, control).looking_often();
        prices.clear();
        ranked.clear();
        tree.reset(task.prefix);
        relaxation.reset(shape, puzzle, &scale);
        let mut walk = || -> Result<(), Stop> {
            if !run.enter(task.prefix)? {
                return Ok(());
            }
            let mut step = replay(board, shape, puzzle, relaxation, task.prefix);
            loop {
                if step.is_ok() && board.is_solved() {
                    board.write_digits(digits);
                    let score = puzzle.weights().map_or(0, |weights| weights.score(digits));
                    if quest.is_wanted(score) {
                        quest.best.add(score);
                        if let Some(incumbent) = task.incumbent {
                            incumbent.offer(score);
                        }
                        run.solution(digits)?;
                    }
                } else if step.is_ok()
                    && let Some(bound) =
                        relaxation.tighten(board, shape, AT_NODE, |bound| quest.is_hopeless(bound))
                {
                    let item = relaxation.rank(board, shape, bound.min(quest.in_hand), ranked);
                    tree.branch(board, item)?;
                    prices.extend_from_slice(relaxation.prices());
                }
                step = loop {
                    let Some(untried) = tree.untried() else {
                        return Ok(());
                    };
                    let bound = ranked.last().map_or(i64::MIN, |next| next.bound);
                    if quest.is_hopeless(bound) {
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
                    quest.in_hand = bound;
                    if decision.is_guess {
                        run.guess();
                    } else {
                        prices.truncate(prices.len() - relaxation.prices().len());
                    }
                    if run.enter(tree.path())? {
                        break board.decide(shape, decision.cell, decision.digit, STRENGTH);
                    }
                };
            }
        };
        let end = walk();
        let open = ranked.iter().map(|option| option.bound).fold(quest.in_hand, i64::max);
        let found = quest.best.scores().len() as u64;
        let best = quest.best.best().map(|score| {
            let bound = if end.is_ok() {
                score
            } else {
                quest.signed(quest.scale.score(open).max(quest.signed(score)))
            };
            Best { score, bound }
        });
        run.outcome_best(end, found, best)
    }
}

/// How much is drawn from a grid's rules before a bound is asked for.
const STRENGTH: Strength = Strength::Subsets;

/// Plays a prefix from the root, with the prices each of its nodes had.
fn replay(
    board: &mut Board,
    shape: &Shape,
    puzzle: &Puzzle,
    relaxation: &mut Relaxation,
    prefix: &[u32],
) -> Step {
    board.load(shape, puzzle.candidates(), puzzle.constraints())?;
    board.propagate(shape, STRENGTH)?;
    let tighten = |board: &Board, relaxation: &mut Relaxation, schedule| {
        relaxation.tighten(board, shape, schedule, |_| false).map(|_| ()).ok_or(Contradiction)
    };
    if !board.is_solved() {
        tighten(board, relaxation, AT_ROOT)?;
    }
    for &decision in prefix {
        tighten(board, relaxation, AT_NODE)?;
        board.repeat(shape, decision, STRENGTH)?;
    }
    Ok(())
}
