//! The solution with the largest or smallest score: branch and bound on the [board](super::board).
//!
//! At every node [`lagrangian`](crate::lagrangian) gives a score that no solution below can beat. For every candidate
//! it gives the loss of that bound if the candidate must be chosen. Only full houses have prices. All other
//! rules remove candidates first.

use super::board::{Board, Conflict, Step};
use super::tables::Tables;
use crate::best_walk::{BestWalk, Priced, Ranked};
use crate::budget::Watch;
use crate::lagrangian::{AT_ROOT, Choices, Prices, Schedule, scale_of};
use crate::search_context::SearchContext;
use quadrille_model::bits::Bits;
use quadrille_model::{Direction, EndedBy, Outcome, ProblemRef, Puzzle, TopK};

/// A board as a list of choices: each cell chooses one of its candidates.
struct PerCellChoice<'a> {
    board: &'a Board,
    tables: &'a Tables,
}

impl Choices for PerCellChoice<'_> {
    #[inline]
    fn mask(&self, cell: usize) -> u64 {
        self.board.masks[cell]
    }

    #[inline]
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.tables.houses_of.list(cell).iter().map(|&house| usize::from(house) * self.tables.side)
    }
}

/// The memory of a search for the best, kept from problem to problem.
#[derive(Debug, Default)]
pub(super) struct BestVariant {
    board: Board,
    priced: Prices,
    walk: BestWalk,
}

impl BestVariant {
    /// Returns the bound at the root if `problem` is the same as last time, otherwise a loose bound.
    pub(super) fn bound(&self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        self.walk.bound(problem, direction)
    }

    /// Searches a grid with rules for its best solutions.
    pub(super) fn search(
        &mut self,
        tables: &Tables,
        puzzle: &Puzzle,
        top: TopK,
        run: SearchContext<'_>,
    ) -> Outcome {
        let BestVariant { board, priced, walk } = self;
        priced.reset(puzzle, scale_of(puzzle, top.direction), tables.full.len());
        let mut position = BoardPosition { tables, puzzle, board, priced, watch: run.watch() };
        walk.search(&mut position, puzzle, top, run, |_, _, _| Ok(false))
    }
}

/// A board with a problem, and its prices.
struct BoardPosition<'a> {
    tables: &'a Tables,
    puzzle: &'a Puzzle,
    board: &'a mut Board,
    priced: &'a mut Prices,
    watch: Watch<'a>,
}

/// Returns true if a step met no contradiction, or an error if the search must end.
fn holds(step: Step) -> Result<bool, EndedBy> {
    match step {
        Err(Conflict::Stop(reason)) => Err(reason),
        step => Ok(step.is_ok()),
    }
}

impl Priced for BoardPosition<'_> {
    fn load(&mut self) -> Result<bool, EndedBy> {
        let (candidates, letters) = (self.puzzle.candidates(), self.puzzle.constraints());
        holds(self.board.load(self.tables, candidates, letters, self.watch))
    }

    fn decide(&mut self, decision: u32) -> Result<bool, EndedBy> {
        let (cell, digit) = (decision as usize / self.tables.side, decision as usize % self.tables.side);
        if cell >= self.tables.cells {
            return Ok(false);
        }
        holds(self.board.decide(self.tables, cell, digit, self.watch))
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        let is_solved = self.board.is_solved();
        if is_solved {
            digits.clear();
            digits.extend(self.board.masks.iter().map(|mask| mask.trailing_zeros() as u8));
        }
        is_solved
    }

    fn prices(&mut self) -> &mut [i64] {
        &mut self.priced.prices
    }

    fn at_root(&self) -> Schedule {
        AT_ROOT
    }

    fn tighten(&mut self, schedule: Schedule, hopeless: impl Fn(i64) -> bool) -> Option<i64> {
        let choices = PerCellChoice { board: self.board, tables: self.tables };
        self.priced.tighten(schedule, |priced| Some(priced.by_cells(&choices)), hopeless)
    }

    fn state(&self) -> &[u64] {
        &self.board.masks
    }

    fn restore(&mut self, state: &[u64]) {
        self.board.restore(state);
    }

    /// Chooses a cell and ranks its digits.
    ///
    /// The cell is the one whose second-best digit has the largest loss; on ties the one with the fewest digits, then
    /// the first.
    fn rank(&mut self, bound: i64, ranked: &mut Vec<Ranked>) {
        let tables = self.tables;
        self.priced.lose(&PerCellChoice { board: self.board, tables });
        let losses = &self.priced.losses;
        let (mut chosen, mut most) = (0, (i64::MIN, 0));
        for (cell, &mask) in self.board.masks.iter().enumerate().filter(|(_, mask)| mask.count_ones() > 1) {
            let (mut least, mut second) = (i64::MAX, i64::MAX);
            for digit in Bits(mask) {
                let loss = losses[cell * tables.side + digit];
                (least, second) = (least.min(loss), second.min(loss.max(least)));
            }
            let merit = (second, -i64::from(mask.count_ones()));
            if merit > most {
                (chosen, most) = (cell, merit);
            }
        }
        let first = ranked.len();
        ranked.extend(Bits(self.board.masks[chosen]).map(|digit| {
            let place = chosen * tables.side + digit;
            Ranked { bound: bound.saturating_sub(losses[place]), decision: place as u32 }
        }));
        ranked[first..].sort_unstable_by_key(|option| (option.bound, std::cmp::Reverse(option.decision)));
    }
}
