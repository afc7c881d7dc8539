//! The bitmask engine: depth-first search on bit masks.
//!
//! A grid is represented by its candidates in two views. There is one word per cell with the digits that the
//! cell may hold. There is also one word per house and digit with the places that the digit may have. Each of
//! these words is an *item* with its options, as in the exact cover view of sudoku. At every node the search
//! makes all deductions it knows: naked and hidden singles, locked candidates, and above 9x9 everything that
//! follows from one house alone. Then it branches on an item with the fewest options left.
//!
//! * [`shape`]: the tables of a geometry for the propagator.
//! * [`board`]: the state and its propagation; [`all_different`] is the filter for single houses.
//! * [`plain_9x9`]: a separate search for plain 9x9 grids. It works digit by digit and is many times faster.
//! * [`walk`](crate::walk): the stack of branchings; [`SearchContext`] keeps limits, counters and solutions.
//!
//! # Order of solutions
//! This engine finds the same solutions as dancing links, each once, but their order may differ. So if there
//! are several solutions, the first one found may differ.
//!
//! Dancing links counts all options that are not excluded yet, and branches on the leftmost item with the
//! fewest options. This engine removes impossible options before it counts, so a different item may have the
//! fewest. The branches of that item list the same solutions in another order. To agree with dancing links,
//! this engine would have to count options that it has ruled out. It would then search the very tree that it
//! avoids.
//!
//! Within this engine the order is fixed: the same problem gives the same solutions in the same order, with
//! the same nodes and guesses. This holds for whole and split searches.

mod all_different;
pub(crate) mod board;
pub(crate) mod grid;
mod plain_9x9;
pub(crate) mod shape;

use super::memory::{self, RetainedTables};
use super::search_context::SearchContext;
use super::{Control, Task, TreeSearch, Visitor};
use quadrille_model::{EndedBy, Goal, Outcome, ProblemClass, ProblemRef, RuleClass};

/// Depth-first search on bit masks, for grids of any side length.
///
/// Grids may have cells with several candidates, and groups of cells that must have the same digit. The
/// search keeps its memory from one problem to the next.
#[derive(Debug, Default)]
pub struct Bitmask {
    grid: grid::GridSearch,
    nine: plain_9x9::NineSearch,
    kept: RetainedTables,
}

impl Bitmask {
    /// Returns true if the problem is a grid without extra rules and the goal is something other than the
    /// best solution.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!(class, ProblemClass::Grid { rules: RuleClass::Plain, .. }) && !matches!(goal, Goal::Best(_))
    }

    /// Returns the maximum number of bytes that the search needs for its tables and saved boards.
    ///
    /// For side lengths up to 9 the result is 0, because tables and boards are small.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let ProblemRef::Puzzle(puzzle) = problem else { return 0 };
        let (side, cells) = (puzzle.geometry().side() as u64, puzzle.geometry().cells() as u64);
        if side <= 9 {
            return 0;
        }
        // Each branching fills one cell and saves the board. The list of saved boards grows by doubling.
        let open = puzzle.candidates().iter().filter(|set| set.single().is_none()).count() as u64;
        let houses = puzzle.geometry().houses().len() as u64;
        let words = cells + houses * side + 1;
        let path = 2 * open * (8 * words + 16 + 4 + 4 * side);
        // The board consists of words and lists of words. The geometry tables list the cells of each house,
        // the positions of each cell in its houses, and the intersections of houses. A house has fewer
        // intersections than cells.
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
        let run = SearchContext::new(task, visitor, control);
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
