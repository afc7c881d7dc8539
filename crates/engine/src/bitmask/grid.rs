//! The search on grids of any side.

use super::board::{Board, Strength};
use super::shape::GeometryTables;
use crate::search_context::SearchContext;
use crate::walk::{SearchState, Walk};
use quadrille_model::bits::Bits;
use quadrille_model::{EndedBy, Outcome, Puzzle};

/// Board, stack and tables of one geometry, kept from problem to problem.
#[derive(Debug, Default)]
pub(crate) struct GridSearch {
    shape: Option<GeometryTables>,
    board: Board,
    /// One saved state per branching.
    saved: Vec<u64>,
    walk: Walk,
}

impl GridSearch {
    /// Searches a grid whose clues do not clash.
    pub(crate) fn search(&mut self, puzzle: &Puzzle, mut run: SearchContext<'_>) -> Outcome {
        let shape = GeometryTables::cached(&mut self.shape, puzzle.geometry());
        let how = strength_for(shape.side);
        self.saved.clear();
        let mut position =
            GridPosition { shape, puzzle, how, board: &mut self.board, saved: &mut self.saved };
        let prefix = run.task.prefix;
        let end = self.walk.go(&mut position, prefix, &mut run);
        run.outcome(end)
    }
}

/// A board, and the problem that it holds.
struct GridPosition<'a> {
    shape: &'a GeometryTables,
    puzzle: &'a Puzzle,
    how: Strength,
    board: &'a mut Board,
    saved: &'a mut Vec<u64>,
}

impl SearchState for GridPosition<'_> {
    fn size(&self) -> (usize, usize) {
        (self.shape.side, self.shape.cells)
    }

    fn load(&mut self) -> Result<bool, EndedBy> {
        let step = self.board.load(self.shape, self.puzzle.candidates(), self.puzzle.constraints());
        Ok(step.and_then(|()| self.board.propagate(self.shape, self.how)).is_ok())
    }

    fn decide(&mut self, cell: usize, digit: usize) -> Result<bool, EndedBy> {
        Ok(self.board.decide(self.shape, cell, digit, self.how).is_ok())
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        self.board.write_digits(digits)
    }

    fn list(&self, options: &mut Vec<u32>) {
        let item = smallest_item(self.board);
        options.extend(
            Bits(self.board.items()[item]).map(|option| self.board.decision(self.shape, item, option)),
        );
    }

    fn save(&mut self) -> Result<(), EndedBy> {
        self.saved.try_reserve(self.board.state().len())?;
        self.saved.extend_from_slice(self.board.state());
        Ok(())
    }

    fn restore(&mut self, is_last: bool) {
        let start = self.saved.len() - self.board.state().len();
        self.board.restore(&self.saved[start..]);
        if is_last {
            self.saved.truncate(start);
        }
    }
}

/// Returns the first item with the fewest options, among those with more than one.
fn smallest_item(board: &Board) -> usize {
    let (mut fewest, mut smallest) = (u32::MAX, 0);
    for (item, word) in board.items().iter().enumerate() {
        let options = word.count_ones();
        if options > 1 && options < fewest {
            (fewest, smallest) = (options, item);
            if options == 2 {
                break;
            }
        }
    }
    smallest
}

/// Returns the propagation strength to use for a side.
///
/// Filters for whole houses halve the tree of a 9x9 but double the cost of a node. On larger grids they make
/// the difference between milliseconds and never.
fn strength_for(side: usize) -> Strength {
    if side <= 9 { Strength::Locked } else { Strength::AllDifferent }
}
