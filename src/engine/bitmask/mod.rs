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

use super::run::Run;
use super::{Control, Task, TreeSearch, Visitor};
use crate::model::{EndedBy, Goal, Outcome, ProblemClass, ProblemRef};

/// Depth-first search on bit masks: grids of any side, with pencilmarks and letter groups.
///
/// Owns the memory of its search and keeps it from problem to problem.
#[derive(Debug, Default)]
pub struct Bitmask {
    grid: grid::GridSearch,
    nine: nine::NineSearch,
}

impl Bitmask {
    /// Returns true if it can do this: every grid, every goal but the best value.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!(class, ProblemClass::Grid { .. }) && !matches!(goal, Goal::Best(_))
    }
}

impl TreeSearch for Bitmask {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        if !Bitmask::supports(task.problem.class(), task.goal) {
            return Outcome::nothing(EndedBy::Cancel);
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
