//! The stack of a depth-first search: branchings with options left, and the boards to restart from.
//!
//! A branching takes an item (a word of the board with at least two bits) and tries its options one after
//! another. The options exclude each other and exhaust the item, so no solution is found twice. The state at
//! the branching is saved once. The last option drops the saved copy, so the stack is never deeper than
//! needed.

use super::board::Board;
use super::shape::Shape;
use quadrille_model::EndedBy;

#[derive(Debug, Clone, Copy)]
struct Branching {
    item: u32,
    /// Number of decisions on the path to this branching.
    depth: u32,
    /// Options not tried yet; never empty.
    untried: u64,
}

/// A decision: a digit for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The cell.
    pub(crate) cell: usize,
    /// The digit.
    pub(crate) digit: usize,
    /// True if other options of the item were left.
    pub(crate) is_guess: bool,
}

/// The stack of a search.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    branchings: Vec<Branching>,
    /// One saved state per branching.
    saved: Vec<u64>,
    /// Decisions from the root to the current node, as `cell * side + digit`.
    pub(crate) path: Vec<u32>,
}

impl Tree {
    /// Clears the stack and starts at the node that a prefix leads to.
    pub(crate) fn reset(&mut self, prefix: &[u32]) {
        self.branchings.clear();
        self.saved.clear();
        self.path.clear();
        self.path.extend_from_slice(prefix);
    }

    /// Opens a branching on an item of the current node.
    pub(crate) fn branch(&mut self, board: &Board, item: usize) -> Result<(), EndedBy> {
        self.saved.try_reserve(board.words())?;
        self.branchings.try_reserve(1)?;
        board.save(&mut self.saved);
        let (untried, depth) = (board.items()[item], self.path.len() as u32);
        self.branchings.push(Branching { item: item as u32, depth, untried });
        Ok(())
    }

    /// Returns the number of untried options of the last branching, or `None` if the tree is exhausted.
    pub(crate) fn untried(&self) -> Option<u32> {
        self.branchings.last().map(|branching| branching.untried.count_ones())
    }

    /// Drops the last branching with its remaining options.
    pub(crate) fn give_up(&mut self, board: &Board) {
        if self.branchings.pop().is_some() {
            self.saved.truncate(self.saved.len() - board.words());
        }
    }

    /// Restores the board of the last branching and takes one of its options.
    ///
    /// `choose` picks an option of the item. Returns `None` if the tree is exhausted.
    pub(crate) fn next(
        &mut self,
        board: &mut Board,
        shape: &Shape,
        choose: impl FnOnce(u64) -> usize,
    ) -> Option<Decision> {
        let branching = self.branchings.last_mut()?;
        let item = branching.item as usize;
        let start = self.saved.len() - board.words();
        board.restore(&self.saved[start..]);
        let option = choose(branching.untried);
        branching.untried &= !(1 << option);
        self.path.truncate(branching.depth as usize);
        let is_guess = branching.untried != 0;
        if !is_guess {
            self.branchings.pop();
            self.saved.truncate(start);
        }
        let (cell, digit) = board.option(shape, item, option);
        self.path.push((cell * shape.side + digit) as u32);
        Some(Decision { cell, digit, is_guess })
    }
}
