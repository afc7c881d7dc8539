//! Depth-first search on bit masks.
//!
//! A grid is its candidates, seen twice: per cell the digits it may hold, per house and digit the places it may
//! have. Each of these words is an *item* with its options, as in the exact cover view of sudoku. At every node
//! the search draws all conclusions it has (naked and hidden singles, locked candidates, and on grids above
//! 9x9 all that follows from one house alone), then branches on an item with the fewest options left.
//!
//! * [`shape`]: the tables of a geometry for the propagator.
//! * [`board`]: the state and its propagation; [`subsets`] is the filter for single houses.
//! * [`nine`]: plain 9x9 grids on their own, digit by digit, many times faster.
//! * [`tree`]: the stack of branchings and saved states; [`Run`] keeps limits, counters and solutions.
//!
//! # Order of solutions
//! The solutions of a problem are those of dancing links, each once, but their order may differ, so the first of
//! several may be another one. Dancing links sees only that an option is still possible, and branches on the leftmost
//! item with the fewest of those. This engine removes options that lead nowhere before it counts, so another item may
//! have the fewest, and the branches of another item list the same solutions in another order. To agree, it would have
//! to count options that it has ruled out, and so search the tree that it is there to avoid. Within this engine the
//! order is fixed: the same problem gives the same solutions, order, nodes and guesses, whole or split.

pub(crate) mod board;
mod grid;
mod nine;
pub(crate) mod shape;
mod subsets;
pub(crate) mod tree;

use super::memory::{self, Kept};
use super::run::Run;
use super::{Control, Task, TreeSearch, Visitor};
use quadrille_model::{EndedBy, Goal, Outcome, ProblemClass, ProblemRef, RuleClass};

/// Depth-first search on bit masks: grids of any side, with pencilmarks and letter groups.
///
/// Owns the memory of its search and keeps it from problem to problem.
#[derive(Debug, Default)]
pub struct Bitmask {
    grid: grid::GridSearch,
    nine: nine::NineSearch,
    kept: Kept,
}

impl Bitmask {
    /// Returns true if it can do this: every grid without rules, every goal but the best value.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!(class, ProblemClass::Grid { rules: RuleClass::Plain, .. }) && !matches!(goal, Goal::Best(_))
    }

    /// Bytes that the boards of a grid's deepest path take at most, with all that a search needs; 0 up to side 9, where they
    /// are few.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let ProblemRef::Puzzle(puzzle) = problem else { return 0 };
        let (side, cells) = (puzzle.geometry().side() as u64, puzzle.geometry().cells() as u64);
        if side <= 9 {
            return 0;
        }
        // Each branching fills a cell, and its board is saved in a list that grows by doubling.
        let open = puzzle.candidates().iter().filter(|set| set.single().is_none()).count() as u64;
        let houses = puzzle.geometry().houses().len() as u64;
        let words = cells + houses * side + 1;
        let path = 2 * open * (8 * words + 16 + 4);
        // Words and lists about them; places, seats and crossings, of which a house has fewer than places.
        let board = (8 + 2 * 4 + 1) * words + (1 + 2) * cells + 16 * houses;
        let shape =
            2 * houses * side + 2 * (3 * 16 + 4) * (cells + 1) + 2 * (24 * houses * side + 4 * (houses + 1));
        path + board + shape
    }
}

impl TreeSearch for Bitmask {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        if !Bitmask::supports(task.problem.class(), task.goal) {
            return Outcome::nothing(EndedBy::Cancel);
        }
        if task.limits.memory.is_some() {
            let bytes = Bitmask::needs(task.problem);
            if memory::forbids(task, bytes) {
                return Outcome::nothing(EndedBy::Memory);
            }
            if bytes > 0 && self.kept.must_go(bytes, task) {
                self.grid = grid::GridSearch::default();
            }
        }
        let run = Run::new(task, visitor, control);
        match task.problem {
            ProblemRef::Packed(packed) => self.nine.search(packed, run),
            ProblemRef::Puzzle(puzzle) => match puzzle.to_packed() {
                Some(packed) => self.nine.search(&packed, run),
                None if puzzle.clash().is_some() => Outcome::contradiction(),
                None => self.grid.search(puzzle, run),
            },
            ProblemRef::Cover(_) => Outcome::nothing(EndedBy::Cancel),
        }
    }
}

#[cfg(test)]
mod tests;
