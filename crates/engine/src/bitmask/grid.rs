//! The search on grids of any side.

use super::board::{Board, Step, Strength};
use super::shape::Shape;
use super::tree::Tree;
use crate::run::Run;
use quadrille_model::{EndedBy, Outcome, Puzzle, Solution};

/// Board, stack and tables of one geometry, kept from problem to problem.
#[derive(Debug, Default)]
pub(crate) struct GridSearch {
    shape: Option<Shape>,
    board: Board,
    tree: Tree,
    digits: Vec<u8>,
}

impl GridSearch {
    /// Searches a grid without clashing clues.
    pub(crate) fn search(&mut self, puzzle: &Puzzle, mut run: Run<'_>) -> Outcome {
        let shape = Shape::cached(&mut self.shape, puzzle.geometry());
        let how = strength_for(shape.side);
        let prefix = run.task.prefix;
        let (board, tree, digits) = (&mut self.board, &mut self.tree, &mut self.digits);
        let mut walk = || -> Result<(), EndedBy> {
            tree.reset(prefix);
            if !run.enter(prefix)? {
                return Ok(());
            }
            let mut step = replay(board, shape, puzzle, prefix, how);
            loop {
                if step.is_ok() {
                    if board.is_solved() {
                        board.write_digits(digits);
                        run.solution(Solution::Digits(digits))?;
                    } else {
                        tree.branch(board, smallest_item(board))?;
                    }
                }
                step = loop {
                    let lowest = |untried: u64| untried.trailing_zeros() as usize;
                    let Some(decision) = tree.next(board, shape, lowest) else {
                        return Ok(());
                    };
                    run.guesses += u64::from(decision.is_guess);
                    if run.enter(&tree.path)? {
                        break board.decide(shape, decision.cell, decision.digit, how);
                    }
                };
            }
        };
        let end = walk();
        run.outcome(end)
    }
}

/// Loads a grid and replays a prefix from the root.
fn replay(board: &mut Board, shape: &Shape, puzzle: &Puzzle, prefix: &[u32], how: Strength) -> Step {
    board.load(shape, puzzle.candidates(), puzzle.constraints())?;
    board.propagate(shape, how)?;
    prefix.iter().try_for_each(|&decision| board.repeat(shape, decision, how))
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
    if side <= 9 { Strength::Locked } else { Strength::Subsets }
}
