//! The relaxation that gives the bound: which rules are dropped, and the prices charged for them.
//!
//! * On a 9x9 with 3x3 boxes each digit chooses nine cells on its own, one in every row, column and box (a *template*,
//!   see [`templates`](super::templates)). The dropped rule is that a cell holds one digit. There is one price per
//!   cell.
//! * On every other grid each cell chooses its digit on its own, see [`lagrangian`](crate::lagrangian).

use super::templates::Templates;
use crate::best_walk::Ranked;
use crate::bitmask::board::Board;
use crate::bitmask::shape::GeometryTables;
use crate::fixed_point::FixedPoint;
use crate::lagrangian::{Choices, Prices, Schedule};
use quadrille_model::Puzzle;
use quadrille_model::bits::Bits;

/// A board whose cells choose their digits.
struct PerCellChoice<'a> {
    board: &'a Board,
    shape: &'a GeometryTables,
}

impl Choices for PerCellChoice<'_> {
    #[inline]
    fn mask(&self, cell: usize) -> u64 {
        self.board.cell(cell)
    }

    #[inline]
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.shape.positions(cell).iter().map(|position| position.base as usize)
    }
}

/// The relaxation of one puzzle.
#[derive(Debug, Default)]
pub(super) struct Relaxation {
    priced: Prices,
    /// Work space for the templates of a 9x9; `None` until the first 9x9 is loaded.
    templates: Option<Box<Templates>>,
    pub(super) by_templates: bool,
}

impl Relaxation {
    /// Loads a puzzle and sets all prices to zero.
    pub(super) fn reset(&mut self, shape: &GeometryTables, puzzle: &Puzzle, scale: FixedPoint) {
        self.by_templates = puzzle.geometry().is_9x9();
        if self.by_templates {
            self.templates.get_or_insert_default();
        }
        let rules = if self.by_templates { shape.cells } else { shape.houses * shape.side };
        self.priced.reset(puzzle, scale, rules);
    }

    /// Returns the typical difference in value from one digit of a cell to the next, scaled.
    pub(super) fn grain(&self) -> i64 {
        self.priced.grain
    }

    /// Returns the templates, values and prices, or `None` if the relaxation is not by templates.
    pub(super) fn templates(&mut self) -> Option<(&mut Templates, &[i64], &[i64])> {
        let templates = self.templates.as_deref_mut().filter(|_| self.by_templates)?;
        Some((templates, &self.priced.values, &self.priced.prices))
    }

    /// Returns the current prices.
    pub(super) fn prices(&mut self) -> &mut [i64] {
        &mut self.priced.prices
    }

    /// Moves the prices by a schedule and keeps those of the best bound. Returns that bound, scaled.
    ///
    /// Returns `None` if there is no solution or `hopeless` returned true for a bound.
    pub(super) fn tighten(
        &mut self,
        board: &Board,
        shape: &GeometryTables,
        schedule: Schedule,
        hopeless: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        if let (true, Some(templates)) = (self.by_templates, &mut self.templates) {
            let evaluate = |priced: &mut Prices| {
                let paid: i64 = priced.prices.iter().sum();
                Some(paid + templates.choose(board, &priced.values, &priced.prices, &mut priced.met)?)
            };
            return self.priced.tighten(schedule, evaluate, hopeless);
        }
        let choices = PerCellChoice { board, shape };
        self.priced.tighten(schedule, |priced| Some(priced.by_cells(&choices)), hopeless)
    }

    /// Chooses the item to branch on and appends its options to `ranked`, the best last.
    ///
    /// Chooses the item whose second-best option loses most; on ties the one with the fewest options, then the first.
    /// Uses the prices left by [`tighten`](Self::tighten), which returned `bound`.
    pub(super) fn rank(
        &mut self,
        board: &Board,
        shape: &GeometryTables,
        bound: i64,
        ranked: &mut Vec<Ranked>,
    ) {
        self.lose(board, shape);
        let side = shape.side;
        let loss = |item: usize, option: usize| {
            let (cell, digit) = board.option(shape, item, option);
            self.priced.losses[cell * side + digit]
        };
        let mut chosen = (0, (i64::MIN, 0));
        for (item, &word) in board.items().iter().enumerate() {
            let count = word.count_ones();
            if count < 2 {
                continue;
            }
            let (mut least, mut second) = (i64::MAX, i64::MAX);
            for option in Bits(word) {
                let loss = loss(item, option);
                if loss < least {
                    (least, second) = (loss, least);
                } else {
                    second = second.min(loss);
                }
            }
            let merit = (second, -i64::from(count));
            if merit > chosen.1 {
                chosen = (item, merit);
            }
        }
        let item = chosen.0;
        let start = ranked.len();
        let options = Bits(board.items()[item]);
        ranked.extend(
            options.map(|option| Ranked { bound: bound - loss(item, option), decision: option as u32 }),
        );
        ranked[start..].sort_unstable_by_key(|option| (option.bound, std::cmp::Reverse(option.decision)));
        for option in &mut ranked[start..] {
            option.decision = board.decision(shape, item, option.decision as usize);
        }
    }

    /// Computes the loss of every candidate at the current prices.
    fn lose(&mut self, board: &Board, shape: &GeometryTables) {
        match &mut self.templates {
            Some(templates) if self.by_templates => {
                let Prices { values, prices, losses, .. } = &mut self.priced;
                templates.lose(board, values, prices, losses);
            }
            _ => self.priced.lose(&PerCellChoice { board, shape }),
        }
    }
}
