//! Grids on dancing links: converts clues to covered items, and solutions to digits.

use std::sync::Arc;

use super::build;
use super::search::Searcher;
use crate::search_context::SearchContext;
use quadrille_model::bits::Bits;
use quadrille_model::encode::{Matrix, template};
use quadrille_model::{Counters, DigitSet, EndedBy, Geometry, Outcome, Packed9x9, Puzzle, Solution};

/// The links of a geometry.
#[derive(Debug)]
pub(super) struct GridLinks {
    matrix: Arc<Matrix>,
    pub(super) searcher: Searcher<u8, true>,
    fill: Fill,
}

/// The options that are fixed before the search, and the digits of a solution.
#[derive(Debug, Default)]
pub(super) struct Fill {
    /// Options that are clues.
    clues: Vec<u32>,
    /// Options that are excluded because an open cell does not have the option's digit as a candidate.
    banned: Vec<u32>,
    /// The digits of all clues, and of the last solution that was decoded.
    digits: Vec<u8>,
}

impl GridLinks {
    pub(super) fn new(geometry: &Arc<Geometry>) -> Result<Self, EndedBy> {
        let matrix = template(geometry);
        let mut searcher = Searcher::default();
        build(&matrix, &mut searcher)?;
        let mut fill = Fill::default();
        fill.banned.reserve_exact(matrix.options());
        fill.clues.reserve_exact(geometry.cells());
        Ok(GridLinks { matrix, searcher, fill })
    }

    pub(super) fn is_for(&self, geometry: &Arc<Geometry>) -> bool {
        Arc::ptr_eq(self.matrix.geometry(), geometry) || self.matrix.geometry() == geometry
    }

    /// Searches a plain 9x9 grid.
    ///
    /// Most cells either have a clue or allow all digits. Only the remaining cells are read one by one.
    pub(super) fn search_packed(&mut self, packed: &Packed9x9, run: SearchContext<'_>) -> Outcome {
        let (single, empty) = packed.single_and_empty();
        if empty != 0 {
            return contradiction();
        }
        self.fill.begin(&self.matrix);
        let digits = &mut self.fill.digits;
        let mut full = u128::MAX;
        for digit in 0..9 {
            let cells = packed.cells_of(digit);
            full &= cells;
            Bits(cells & single).for_each(|cell| digits[cell] = digit as u8);
        }
        let option = |cell: usize, digit: usize| (cell * 9 + digit) as u32;
        self.fill.clues.extend(Bits(single).map(|cell| option(cell, digits[cell].into())));
        for cell in Bits(!full & !single & ((1 << 81) - 1)) {
            let banned = (0..9).filter(|&digit| !packed.allows(cell, digit));
            self.fill.banned.extend(banned.map(|digit| option(cell, digit)));
        }
        self.fill.search(&self.matrix, &mut self.searcher, run)
    }

    pub(super) fn search_puzzle(&mut self, puzzle: &Puzzle, run: SearchContext<'_>) -> Outcome {
        self.fill.begin(&self.matrix);
        let side = puzzle.geometry().side();
        let all = DigitSet::all(side);
        for (cell, &set) in puzzle.candidates().iter().enumerate() {
            if set == all {
                continue;
            }
            if set.is_empty() {
                return contradiction();
            }
            let option = |digit: usize| (cell * side + digit) as u32;
            match set.single() {
                Some(digit) => self.fill.clue(&self.matrix, option(digit)),
                None => self.fill.banned.extend(all.without(set).iter().map(option)),
            }
        }
        self.fill.search(&self.matrix, &mut self.searcher, run)
    }
}

impl Fill {
    /// Starts over without fixed options.
    pub(super) fn begin(&mut self, matrix: &Matrix) {
        self.clues.clear();
        self.banned.clear();
        self.digits.clear();
        self.digits.resize(matrix.geometry().cells(), 0);
    }

    /// Adds the option of a clue to the fixed options, and writes the clue's digit.
    pub(super) fn clue(&mut self, matrix: &Matrix, option: u32) {
        self.clues.push(option);
        write(matrix, option, &mut self.digits);
    }

    /// Covers the items of the clues, removes excluded options, and searches the rest of the problem.
    pub(super) fn search<const FOURS: bool>(
        &mut self,
        matrix: &Matrix,
        searcher: &mut Searcher<u8, FOURS>,
        run: SearchContext<'_>,
    ) -> Outcome {
        let arena = &mut searcher.arena;
        arena.clear_counters();
        if !self.clues.iter().all(|&option| arena.place(option)) {
            arena.restore();
            return contradiction();
        }
        self.banned.iter().for_each(|&option| arena.ban(option));
        let digits = &mut self.digits;
        // The digits of the clues are already written. The options of the solution give the digits of all
        // other cells.
        searcher.search::<false, false>(run, &mut |options, visitor| {
            options.iter().for_each(|&option| write(matrix, option, digits));
            visitor.solution(Solution::Digits(digits))
        })
    }
}

fn write(matrix: &Matrix, option: u32, digits: &mut [u8]) {
    let (cells, digit) = matrix.placed(option as usize);
    cells.iter().for_each(|&cell| digits[cell as usize] = digit);
}

/// Returns the outcome for clues that contradict each other. Nothing was searched in this case.
fn contradiction() -> Outcome {
    let counters = Counters { covers: Some(0), updates: Some(0), ..Counters::default() };
    Outcome { counters: Some(counters), ..Outcome::contradiction() }
}
