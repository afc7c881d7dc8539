//! The relaxation that gives the bound. It drops some rules, and charges prices for breaking them.
//!
//! * On a 9x9 with 3x3 boxes, each digit independently chooses a *template*. The dropped rule is that a cell
//!   holds one digit. There is one price per cell.
//! * On every other grid, each cell independently chooses its digit, see [`lagrangian`](super::lagrangian).
//!
//! A template consists of nine cells, one in every row, column and box, see [`templates`](super::templates).

use super::Ranked;
use super::lagrangian::{AT_ROOT, Choices, Prices, Schedule};
use super::templates::Templates;
use crate::fixed_point::FixedPoint;
use quadrille_model::Puzzle;
use quadrille_model::bits::Bits;

/// Schedule of price steps at the root if digits choose templates. It has half as many steps as [`AT_ROOT`].
const AT_ROOT_OF_TEMPLATES: Schedule = Schedule { steps: 300, shrink: 63_300, ..AT_ROOT };

/// The relaxation of one puzzle.
#[derive(Debug, Default)]
pub(crate) struct Relaxation {
    priced: Prices,
    /// Work space for the templates of a 9x9, or `None` before the first 9x9 is loaded.
    templates: Option<Box<Templates>>,
    by_templates: bool,
}

impl Relaxation {
    /// Loads a puzzle and sets all prices to zero.
    pub(crate) fn reset(&mut self, choices: &impl Choices, puzzle: &Puzzle, scale: FixedPoint) {
        self.by_templates = puzzle.geometry().is_9x9() && puzzle.rules().is_none();
        if self.by_templates {
            self.templates.get_or_insert_default();
        }
        let rules = if self.by_templates { puzzle.geometry().cells() } else { choices.prices() };
        self.priced.reset(puzzle, scale, rules);
    }

    /// Returns the templates and the prices, or `None` if the relaxation does not use templates.
    pub(crate) fn templates(&mut self) -> Option<(&mut Templates, &Prices)> {
        let templates = self.templates.as_deref_mut().filter(|_| self.by_templates)?;
        Some((templates, &self.priced))
    }

    /// Returns the current prices.
    pub(crate) fn prices(&mut self) -> &mut [i64] {
        &mut self.priced.prices
    }

    /// Returns the schedule of price steps at the root.
    pub(crate) fn at_root(&self) -> Schedule {
        if self.by_templates { AT_ROOT_OF_TEMPLATES } else { AT_ROOT }
    }

    /// Moves the prices according to a schedule, and returns the best bound reached, scaled. Keeps the prices
    /// that gave this bound.
    ///
    /// Returns `None` if there is no solution, or if `hopeless` returned true for a bound.
    pub(crate) fn tighten(
        &mut self,
        choices: &impl Choices,
        schedule: Schedule,
        hopeless: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        if let (true, Some(templates)) = (self.by_templates, &mut self.templates) {
            let evaluate = |priced: &mut Prices| {
                let paid: i64 = priced.prices.iter().sum();
                Some(paid + templates.choose(choices, priced)?)
            };
            return self.priced.tighten(schedule, evaluate, hopeless);
        }
        self.priced.tighten(schedule, |priced| Some(priced.by_cells(choices)), hopeless)
    }

    /// Chooses the item to branch on, and appends its options to `ranked`, the best option last.
    ///
    /// Chooses the item whose second-best option has the largest loss. If there are several, chooses the one
    /// with the fewest options. If there are still several, chooses the first.
    ///
    /// `bound` is the result of the last call of [`tighten`](Self::tighten). The prices of this call are
    /// used.
    pub(crate) fn rank(&mut self, choices: &impl Choices, bound: i64, ranked: &mut Vec<Ranked>) {
        self.lose(choices);
        let place = |item: usize, option: usize| {
            let (cell, digit) = choices.option(item, option);
            cell * choices.size().0 + digit
        };
        let loss = |item: usize, option: usize| self.priced.losses[place(item, option)];
        let mut chosen = (0, (i64::MIN, 0));
        for (item, &word) in choices.items().iter().enumerate() {
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
        let options = Bits(choices.items()[item]);
        ranked.extend(options.map(|option| Ranked {
            bound: bound.saturating_sub(loss(item, option)),
            decision: option as u32,
        }));
        ranked[start..].sort_unstable_by_key(|option| (option.bound, std::cmp::Reverse(option.decision)));
        for option in &mut ranked[start..] {
            option.decision = place(item, option.decision as usize) as u32;
        }
    }

    /// Computes the loss of every candidate at the current prices.
    fn lose(&mut self, choices: &impl Choices) {
        match &mut self.templates {
            Some(templates) if self.by_templates => templates.lose(choices, &mut self.priced),
            _ => self.priced.lose(choices),
        }
    }
}
