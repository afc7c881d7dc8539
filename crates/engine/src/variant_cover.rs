//! Solves grids with rules by searching equivalent exact cover problems.

use std::sync::Arc;

use super::{Flow, Task, Visitor};
use quadrille_model::encode::{PuzzleCover, to_cover};
use quadrille_model::{CoverProblem, EndedBy, Outcome, ProblemRef, Puzzle, Solution};

/// A cache with the exact cover encoding of the last grid with rules.
///
/// All parts of one search need the encoding of the same grid.
#[derive(Debug, Default)]
pub(super) struct VariantCover {
    last: Option<(Puzzle, Arc<CoverProblem>, PuzzleCover)>,
}

/// Passes solutions on as digits.
struct AsDigits<'a> {
    visitor: &'a mut dyn Visitor,
    encoded: &'a PuzzleCover,
}

impl Visitor for AsDigits<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        match solution {
            Solution::Options(options) => {
                self.visitor.solution(Solution::Digits(&self.encoded.digits(options)))
            }
            Solution::Digits(_) => self.visitor.solution(solution),
        }
    }

    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        self.visitor.frontier(prefix, nodes)
    }
}

impl VariantCover {
    /// Encodes a grid with rules as an exact cover problem, and runs `search` on that problem.
    pub(super) fn search(
        &mut self,
        puzzle: &Puzzle,
        task: &Task<'_>,
        visitor: &mut dyn Visitor,
        search: &mut dyn FnMut(&Task<'_>, &mut dyn Visitor) -> Outcome,
    ) -> Outcome {
        if self.last.as_ref().is_none_or(|(known, ..)| known != puzzle) {
            let Ok(encoded) = to_cover(ProblemRef::Puzzle(puzzle)) else {
                return Outcome::nothing(EndedBy::Cancel);
            };
            self.last = Some((puzzle.clone(), Arc::new(encoded.cover.clone()), encoded));
        }
        let Some((_, cover, encoded)) = &self.last else { return Outcome::nothing(EndedBy::Cancel) };
        search(&Task { problem: ProblemRef::Cover(cover), ..*task }, &mut AsDigits { visitor, encoded })
    }
}
