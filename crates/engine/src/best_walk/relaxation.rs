//! The relaxation that gives the bound: which rules are dropped, and the prices charged for them.
//!
//! * On a 9x9 with 3x3 boxes each digit chooses nine cells on its own, one in every row, column and box (a *template*,
//!   see [`templates`](super::templates)). The dropped rule is that a cell holds one digit. There is one price per
//!   cell.
//! * On every other grid each cell chooses its digit on its own, see [`lagrangian`](super::lagrangian).

use super::Ranked;
use super::lagrangian::{AT_ROOT, Choices, Prices, Schedule};
use super::templates::Templates;
use crate::fixed_point::FixedPoint;
use quadrille_model::Puzzle;
use quadrille_model::bits::Bits;

/// Price steps at the root if templates are chosen: these need half as many as [`AT_ROOT`].
const AT_ROOT_OF_TEMPLATES: Schedule = Schedule { steps: 300, shrink: 63_300, ..AT_ROOT };

/// The relaxation of one puzzle.
#[derive(Debug, Default)]
pub(crate) struct Relaxation {
    priced: Prices,
    /// Work space for the templates of a 9x9; `None` until the first 9x9 is loaded.
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

    /// Returns the templates and their prices. `None` if the relaxation uses no templates.
    pub(crate) fn templates(&mut self) -> Option<(&mut Templates, &Prices)> {
        let templates = self.templates.as_deref_mut().filter(|_| self.by_templates)?;
        Some((templates, &self.priced))
    }

    /// Returns the current prices.
    pub(crate) fn prices(&mut self) -> &mut [i64] {
        &mut self.priced.prices
    }

    /// Returns the schedule of the prices at the root.
    pub(crate) fn at_root(&self) -> Schedule {
        if self.by_templates { AT_ROOT_OF_TEMPLATES } else { AT_ROOT }
    }

    /// Moves the prices by a schedule and keeps those of the best bound. Returns that bound, scaled.
    ///
    /// Returns `None` if there is no solution or `hopeless` returned true for a bound.
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

    /// Chooses the item to branch on and appends its options to `ranked`, the best last.
    ///
    /// Chooses the item whose second-best option loses most; on ties the one with the fewest options, then the first.
    /// Uses the prices left by [`tighten`](Self::tighten), which returned `bound`.
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
