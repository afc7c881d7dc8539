//! Contains a solved grid, and asks the engine about puzzles whose clues are some cells of this grid.

use std::sync::Arc;

use super::cells::CellSet;
use crate::queries::{QueryHandle, Question, Reply};
use crate::record::Generated;
use quadrille_model::rules::Rules;
use quadrille_model::{DigitSet, Geometry, Goal, Limits, Packed9x9, Problem, Puzzle};

/// Maximum number of search nodes for one question to the engine, unless the grid is a plain 9x9 grid.
///
/// If the search takes more nodes, the verdict is unknown.
const NODES_PER_QUESTION: u64 = 20_000;

#[derive(Debug)]
pub(super) struct SolvedGrid {
    pub geometry: Arc<Geometry>,
    pub rules: Option<Arc<Rules>>,
    pub solution: Box<[u8]>,
    /// The cells of each digit, one bit per cell, or `None` if the grid is not a plain 9x9 grid.
    nine: Option<[u128; 9]>,
    queries: QueryHandle,
}

/// Verdict on the puzzle whose clues are some cells of a solved grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClueVerdict {
    /// The puzzle has one solution.
    Unique,
    /// The puzzle has solutions other than the grid itself.
    ///
    /// Contains the digits of the solutions found, one solution after another. The grid itself may be among
    /// them, but never comes first.
    Other(Vec<u8>),
    /// The search took too long.
    Unknown,
}

impl SolvedGrid {
    pub(super) fn new(
        geometry: &Arc<Geometry>,
        rules: Option<&Arc<Rules>>,
        solution: &[u8],
        queries: QueryHandle,
    ) -> Self {
        let nine = (geometry.is_9x9() && rules.is_none()).then(|| {
            let mut digits = [0; 9];
            for (cell, &digit) in solution.iter().enumerate() {
                digits[usize::from(digit)] |= 1u128 << cell;
            }
            digits
        });
        let (geometry, rules) = (Arc::clone(geometry), rules.cloned());
        SolvedGrid { geometry, rules, solution: solution.into(), nine, queries }
    }

    /// Returns the solution if the grid is a plain 9x9 grid, otherwise `None`.
    pub(super) fn plain_9x9(&self) -> Option<&[u8; 81]> {
        self.nine.and_then(|_| (&*self.solution).try_into().ok())
    }

    /// Returns the puzzle with these clues.
    ///
    /// If `forbidden` is given, the puzzle forbids the solution's digit in this cell.
    fn problem(&self, clues: &CellSet, forbidden: Option<usize>) -> Problem {
        let Some(digits) = &self.nine else {
            let mut puzzle = Puzzle::new(&self.geometry);
            self.rules.iter().for_each(|rules| puzzle.set_rules(rules));
            for cell in clues.iter() {
                puzzle.restrict(cell, DigitSet::only(usize::from(self.solution[cell])));
            }
            if let Some(cell) = forbidden {
                let digit = DigitSet::only(usize::from(self.solution[cell]));
                let others = puzzle.candidates()[cell].without(digit);
                puzzle.set_candidates(cell, others);
            }
            return Problem::Puzzle(puzzle);
        };
        let clues = clues.low_bits();
        let mut allowed = digits.map(|cells| (cells & clues) | !clues);
        if let Some(cell) = forbidden {
            allowed[usize::from(self.solution[cell])] &= !(1 << cell);
        }
        Problem::Packed(Packed9x9::from_digits(&allowed))
    }

    fn question(&self, clues: &CellSet, forbidden: Option<usize>, goal: Goal) -> Question {
        let nodes = self.nine.is_none().then_some(NODES_PER_QUESTION);
        let limits = Limits { nodes, ..Limits::default() };
        Question { problem: self.problem(clues, forbidden), goal, limits }
    }

    async fn ask(&self, clues: &CellSet, forbidden: Option<usize>, goal: Goal) -> Reply {
        self.queries.ask(self.question(clues, forbidden, goal)).await
    }

    /// Asks the engine whether these clues make a puzzle with exactly one solution.
    pub(super) async fn judge(&self, clues: &CellSet) -> ClueVerdict {
        self.verdict(self.ask(clues, None, Goal::First(2)).await, 1)
    }

    /// Asks the engine whether these clues determine the digit of `cell`, which must not be one of the clues.
    ///
    /// Suppose that `clues` and `cell` together make a puzzle with one solution. Then the verdict also says
    /// whether `clues` alone make a puzzle with one solution.
    pub(super) async fn judge_without(&self, clues: &CellSet, cell: usize) -> ClueVerdict {
        self.verdict(self.ask(clues, Some(cell), Goal::First(1)).await, 0)
    }

    /// Asks the engine for up to two solutions of several puzzles at once.
    ///
    /// Each puzzle has some digits of a grid as clues. For a puzzle with one solution, the number of guesses
    /// in the reply equals [`guesses`](Self::guesses).
    pub(super) async fn solve_all<'a>(
        &self,
        puzzles: impl Iterator<Item = (&'a SolvedGrid, CellSet)>,
    ) -> Vec<Reply> {
        let questions = puzzles.map(|(board, clues)| board.question(&clues, None, Goal::First(2)));
        self.queries.ask_all(questions).await
    }

    /// Returns a grid with the same shape and rules, but with other digits.
    pub(super) fn with_digits(&self, digits: &[u8]) -> SolvedGrid {
        SolvedGrid::new(&self.geometry, self.rules.as_ref(), digits, self.queries.clone())
    }

    /// Returns the verdict on a puzzle from the engine's reply. `own` is 1 if this grid is among the solutions
    /// that the engine could find, otherwise 0.
    pub(super) fn verdict(&self, reply: Reply, own: u64) -> ClueVerdict {
        let mut others = reply.solutions;
        if others.starts_with(&self.solution) {
            others.drain(..self.solution.len());
        }
        if !others.is_empty() {
            ClueVerdict::Other(others)
        } else if reply.settled && reply.found == own {
            ClueVerdict::Unique
        } else {
            ClueVerdict::Unknown
        }
    }

    /// Returns how many guesses the engine makes to prove that the puzzle with these clues has one solution.
    pub(super) async fn guesses(&self, clues: &CellSet) -> u64 {
        self.ask(clues, None, Goal::Count { limit: Some(2) }).await.guesses
    }

    /// Returns the puzzle with these clues as a record.
    pub(super) fn record(&self, index: u64, clues: &CellSet) -> Generated {
        let digits = self.solution.iter().enumerate();
        let cells = digits.map(|(cell, &digit)| clues.has(cell).then_some(digit)).collect();
        Generated {
            index,
            geometry: Arc::clone(&self.geometry),
            rules: self.rules.clone(),
            cells,
            solution: Some(self.solution.clone()),
            guesses: None,
            rating: None,
            orders: None,
            attempts: 1,
        }
    }
}
