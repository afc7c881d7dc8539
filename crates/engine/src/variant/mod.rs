//! The variant engine, which searches grids with rules of any kind.
//!
//! It works on one mask of digits per cell, and on tables made from the rules.
//!
//! * [`tables`]: the rules as tables for propagation, made once for all puzzles with the same rules.
//! * [`board`]: the masks of all cells, and their propagation.
//! * [`sum_table`] and [`combinations`]: rules about sums of cells.
//! * [`innies_outies`]: further sums, derived from houses and cages.
//! * [`search`]: the choice of a cell or digit to branch on.
//! * [`walk`](crate::walk): the stack of the search.
//! * [`best_walk`](crate::best_walk): the search for the solutions with the best value.
//! * [`places`]: a search on sets of cells, for rules that consist of houses, pairs and a few tables of relations.
//!
//! The engine never looks at the names of rules. It is only for grids with rules. Plain grids have their own
//! engines.

mod board;
mod cells;
mod combinations;
mod innies_outies;
mod places;
mod search;
mod sum_table;
mod tables;

use std::sync::Arc;

use super::search_context::SearchContext;
use super::{Control, Task, TreeSearch, Visitor, memory};
use quadrille_model::{Direction, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, RuleClass};

/// Depth-first search on grids with rules beyond rows, columns and boxes.
///
/// Works for any side length. Uses branch and bound to find solutions with the best value. The engine owns
/// the memory of its search, and the tables of the most recent rules.
#[derive(Debug, Default)]
pub struct Variant {
    search: search::VariantSearch,
    places: places::Places,
}

impl Variant {
    /// Returns true if problems of the class are grids with rules. The engine supports any goal for such
    /// problems.
    pub fn supports(class: ProblemClass, _: Goal) -> bool {
        !matches!(class, ProblemClass::Grid { rules: RuleClass::Plain, .. } | ProblemClass::Cover { .. })
    }

    /// Returns the maximum number of bytes for the tables and for the masks on the deepest path.
    ///
    /// Returns 0 for side lengths up to 9, because masks and tables are then small.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let ProblemRef::Puzzle(puzzle) = problem else { return 0 };
        let (side, cells) = (puzzle.geometry().side() as u64, puzzle.geometry().cells() as u64);
        if side <= 9 {
            return 0;
        }
        let open = puzzle.candidates().iter().filter(|set| set.single().is_none()).count() as u64;
        let path = 2 * open * (8 * cells + 16 + 4 * side);
        // Peers are stored both as lists and as sets. The tables also include the rules with their relations.
        let peers = cells * cells.div_ceil(64) * 8 + 4 * cells * cells;
        let rules = puzzle
            .rules()
            .map_or(0, |rules| 16 * rules.relations().len() as u64 + 8 * side * rules.tables().len() as u64);
        path + 4 * (peers + rules)
    }
}

impl TreeSearch for Variant {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        let ProblemRef::Puzzle(puzzle) = task.problem else { return Outcome::nothing(EndedBy::Cancel) };
        let Some(rules) = puzzle.rules().filter(|_| Self::supports(task.problem.class(), task.goal)) else {
            return Outcome::nothing(EndedBy::Cancel);
        };
        if task.limits.memory.is_some() && memory::forbids(task, Variant::needs(task.problem)) {
            return Outcome::nothing(EndedBy::Memory);
        }
        let rules = Arc::clone(rules);
        if task.goal.top().is_none() {
            if places::Places::takes(puzzle, &rules) {
                let mut run = SearchContext::new(task, visitor, control);
                let end = self.places.search(puzzle, &rules, &mut run);
                return run.outcome(end);
            }
            return self.search.search(puzzle, &rules, SearchContext::new(task, visitor, control));
        }
        if puzzle.clash().is_some() {
            return Outcome::contradiction();
        }
        let run = SearchContext::new(task, visitor, control).looking_every(1).sharing_early();
        self.search.search_best(puzzle, &rules, run)
    }

    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        self.search.bound(problem, direction)
    }
}

#[cfg(test)]
mod tests;
