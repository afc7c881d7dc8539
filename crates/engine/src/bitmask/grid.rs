//! The search for solutions of grids of any side length.

use super::board::{Board, Strength};
use super::shape::GeometryTables;
use crate::best_walk::Choices;
use crate::search_context::SearchContext;
use crate::walk::{Position, Walk};
use quadrille_model::bits::Bits;
use quadrille_model::{EndedBy, Outcome, Puzzle};

/// Board, stack and geometry tables of the search, kept from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct GridSearch {
    shape: Option<GeometryTables>,
    board: Board,
    walk: Walk,
}

impl GridSearch {
    /// Searches a grid. No two clues of the grid may contradict each other directly.
    pub(crate) fn search(&mut self, puzzle: &Puzzle, mut run: SearchContext<'_>) -> Outcome {
        let shape = GeometryTables::cached(&mut self.shape, puzzle.geometry());
        let how = strength_for(shape.side);
        let mut position = GridPosition { shape, puzzle, how, board: &mut self.board };
        let prefix = run.task.prefix;
        let end = self.walk.go(&mut position, prefix, &mut run);
        run.outcome(end)
    }
}

/// A board together with the problem on it.
pub(crate) struct GridPosition<'a> {
    pub(crate) shape: &'a GeometryTables,
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) how: Strength,
    pub(crate) board: &'a mut Board,
}

impl Position for GridPosition<'_> {
    type Part = u64;

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

    fn state(&self) -> &[u64] {
        self.board.state()
    }

    fn restore(&mut self, state: &[u64]) {
        self.board.restore(state);
    }
}

impl Choices for GridPosition<'_> {
    #[inline]
    fn items(&self) -> &[u64] {
        self.board.items()
    }

    #[inline]
    fn option(&self, item: usize, option: usize) -> (usize, usize) {
        self.board.option(self.shape, item, option)
    }

    #[inline]
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.shape.positions(cell).iter().map(|position| position.base as usize)
    }

    fn prices(&self) -> usize {
        self.shape.houses * self.shape.side
    }
}

/// Returns the item with the fewest options, among items with at least two options. On ties, returns the
/// first.
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

/// Returns the propagation strength for grids with a given side length.
///
/// Filters for whole houses halve the tree, but double the cost of a node. So grids up to 9x9 do not use the
/// filters. Some larger grids take milliseconds with the filters, but may never be solved without them.
fn strength_for(side: usize) -> Strength {
    if side <= 9 { Strength::Locked } else { Strength::AllDifferent }
}
