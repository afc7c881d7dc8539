//! Searches grids with rules. Uses only those checks of the rules that also verify solutions.
//!
//! The search fills the cells in reading order and tries the digits in ascending order.

use super::Node;
use crate::{Flow, Visitor};
use quadrille_model::{Constraint, Puzzle, Solution};

/// A grid whose first cells are filled. A decision is `cell * side + digit`.
#[derive(Debug, Clone)]
pub(super) struct PartialGrid<'a> {
    puzzle: &'a Puzzle,
    digits: Vec<Option<u8>>,
    /// The decisions for the first open cell that violate no rule.
    ways: Vec<u32>,
}

impl<'a> PartialGrid<'a> {
    pub(super) fn new(puzzle: &'a Puzzle) -> Self {
        let digits = vec![None; puzzle.geometry().cells()];
        let mut grid = PartialGrid { puzzle, digits, ways: Vec::new() };
        grid.fill_from(0);
        grid
    }

    /// Fills cells in reading order as long as exactly one digit fits.
    fn fill_from(&mut self, first: usize) {
        let side = self.puzzle.geometry().side();
        for cell in first..self.digits.len() {
            let fitting = (0..side).filter(|&digit| fits(self.puzzle, &mut self.digits, cell, digit as u8));
            self.ways = fitting.map(|digit| (cell * side + digit) as u32).collect();
            let [way] = self.ways[..] else { return };
            self.digits[cell] = Some((way as usize % side) as u8);
        }
    }
}

impl Node for PartialGrid<'_> {
    fn choose(&self) -> Option<Vec<u32>> {
        self.digits.contains(&None).then(|| self.ways.clone())
    }

    fn go(&mut self, ways: &[u32], way: usize) {
        let (decision, side) = (ways[way] as usize, self.puzzle.geometry().side());
        self.digits[decision / side] = Some((decision % side) as u8);
        self.fill_from(decision / side + 1);
    }

    fn show(&self, _: Vec<u32>, visitor: &mut dyn Visitor) -> Flow {
        visitor.solution(Solution::Digits(&self.digits.iter().flatten().copied().collect::<Vec<_>>()))
    }
}

/// Returns true if `digit` is a candidate of `cell` and violates no rule, given the digits already placed.
fn fits(puzzle: &Puzzle, digits: &mut [Option<u8>], cell: usize, digit: u8) -> bool {
    if !puzzle.candidates()[cell].contains(digit.into()) {
        return false;
    }
    digits[cell] = Some(digit);
    let known = |cell: usize| digits[cell].map(|digit| i64::from(digit) + 1);
    let claims = puzzle.rules().map(|rules| rules.claims());
    let is_broken = claims.is_some_and(|claims| claims.about(cell).any(|claim| claim.is_broken(&known)));
    let letters = puzzle.constraints().iter().any(|Constraint::SameDigit { cells, .. }| {
        let is_other = |&other: &u16| digits[usize::from(other)].is_some_and(|there| there != digit);
        cells.contains(&(cell as u16)) && cells.iter().any(is_other)
    });
    digits[cell] = None;
    !is_broken && !letters
}
