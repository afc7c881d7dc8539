//! The search on plain 9x9 grids: a digit is 81 bits, and most deductions are table lookups.
//!
//! The cells of a digit are three words, one per band (three rows), at bit `9 * row + column`. So each word
//! has nine bits per row. A row's three cells in one box are a *minirow*:
//!
//! ```text
//! bits 0..9 first row      [ . . . | . . . | . . . ]     A digit takes three minirows of a band, in different
//! bits 9..18 second row    [ . . . | . . . | . . . ]     rows and boxes: one of 6 arrangements. A minirow
//! bits 18..27 third row    [ . . . | . . . | . . . ]     stays if it is part of a possible arrangement.
//! ```
//! [`KEEP_CELLS`] answers that for all 512 patterns of minirows. It finds locked candidates between rows and boxes,
//! and removes what hidden singles of boxes and rows exclude in these boxes and rows. [`KEEP_COLUMNS`] does the same
//! for columns and boxes: the columns that a digit can take in a stack, band by band, are 3x3 bits too.
//!
//! Once neither table changes anything, a candidate that is the only one of its digit in a row is also the only one
//! in its column and box. So only the other digits of the cell remain to be cleared. Naked singles are found for all
//! 81 cells at once by adding up the nine digits in bit slices.

use crate::search_context::SearchContext;
use crate::walk::{Position, Walk};
use quadrille_model::bits::Bits;
use quadrille_model::{EndedBy, HOUSES_9X9, Outcome, Packed9x9};

/// The cells of a band, one bit per cell.
const BAND: u32 = (1 << 27) - 1;
/// The cells of a row, one bit per cell.
const ROW: u32 = (1 << 9) - 1;
/// The three cells of the first column of a band.
const COLUMN: u32 = 1 | 1 << 9 | 1 << 18;

/// For every set of cells of a row, the minirows that contain at least one of these cells, one bit per
/// minirow. A minirow has three cells.
static MINIROWS: [u8; 512] = {
    let mut table = [0; 512];
    let mut row = 0;
    while row < 512 {
        table[row] = (row & 7 != 0) as u8 | ((row >> 3 & 7 != 0) as u8) << 1 | ((row >> 6 != 0) as u8) << 2;
        row += 1;
    }
    table
};

/// Returns the bits of a 3x3 pattern that are part of at least one arrangement.
///
/// Bit `3 * i + j` is in row `i` and column `j`. An arrangement consists of three bits of the pattern, one in
/// every row and column.
const fn keep(pattern: usize) -> usize {
    let choices = [0o421, 0o241, 0o412, 0o142, 0o214, 0o124];
    let (mut kept, mut choice) = (0, 0);
    while choice < 6 {
        if choices[choice] & pattern == choices[choice] {
            kept |= choices[choice];
        }
        choice += 1;
    }
    kept
}

/// Cells that remain in a band, indexed by a 3x3 bit pattern of the band's possible minirows.
static KEEP_CELLS: [u32; 512] = {
    let mut table = [0; 512];
    let mut pattern = 0;
    while pattern < 512 {
        let mut minirow = 0;
        while minirow < 9 {
            if keep(pattern) >> minirow & 1 != 0 {
                table[pattern] |= 7 << (3 * minirow);
            }
            minirow += 1;
        }
        pattern += 1;
    }
    table
};

/// Columns that remain possible in each band of a stack. The index is a 3x3 bit pattern of bands and columns.
///
/// In the index, each band has three adjacent bits. In an entry of the table, the bits of a band start nine
/// bits after those of the previous band.
static KEEP_COLUMNS: [u32; 512] = {
    let mut table = [0; 512];
    let mut pattern = 0;
    while pattern < 512 {
        let kept = keep(pattern) as u32;
        table[pattern] = kept & 7 | (kept >> 3 & 7) << 9 | (kept >> 6) << 18;
        pattern += 1;
    }
    table
};

/// The error if a grid has a contradiction.
struct Contradiction;

/// The candidates of a grid.
#[derive(Debug, Clone, Copy, Default)]
struct GridCandidates {
    /// The candidates of each band and digit, one bit per cell of the band.
    ///
    /// With the band as the first index, all candidates of a cell are close together in memory.
    bands: [[u32; 9]; 3],
    /// For each band, the cells that are already placed. The digit of a placed cell is known, and has been
    /// removed from the other cells of its houses.
    placed: [u32; 3],
}

impl GridCandidates {
    fn new(packed: &Packed9x9) -> Self {
        let mut bands = [[0; 9]; 3];
        for (band, words) in bands.iter_mut().enumerate() {
            for (digit, word) in words.iter_mut().enumerate() {
                *word = (packed.cells_of(digit) >> (27 * band)) as u32 & BAND;
            }
        }
        GridCandidates { bands, placed: [0; 3] }
    }

    #[inline]
    fn words(&self, digit: usize) -> [u32; 3] {
        [self.bands[0][digit], self.bands[1][digit], self.bands[2][digit]]
    }

    /// Removes a digit from the other cells in the row of a cell.
    ///
    /// A later call of [`settle`](Self::settle) for the digit removes it from the column and the box of the
    /// cell.
    #[inline]
    fn claim(&mut self, digit: usize, band: usize, place: u32) {
        self.bands[band][digit] &= !(ROW << (place / 9 * 9)) | 1 << place;
    }

    /// Propagates until nothing changes. `changed` has one bit for each digit whose candidates changed.
    fn propagate(&mut self, mut changed: u32) -> Result<(), Contradiction> {
        loop {
            while changed != 0 {
                let digit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                changed |= self.settle(digit)?;
            }
            changed = self.claim_naked_singles()?;
            if changed == 0 {
                return Ok(());
            }
        }
    }

    /// Makes all deductions from the places of one digit. Returns the other digits whose candidates changed.
    #[inline]
    fn settle(&mut self, digit: usize) -> Result<u32, Contradiction> {
        let mut words = self.words(digit);
        loop {
            // For each band, the columns in which the digit can be. Each band has nine bits.
            let mut columns = 0;
            for (band, word) in words.iter_mut().enumerate() {
                let pattern = MINIROWS[(*word & ROW) as usize] as usize
                    | (MINIROWS[(*word >> 9 & ROW) as usize] as usize) << 3
                    | (MINIROWS[(*word >> 18 & ROW) as usize] as usize) << 6;
                *word &= KEEP_CELLS[pattern];
                columns |= ((*word | *word >> 9 | *word >> 18) & ROW) << (9 * band);
            }
            // For each stack, the three bits of each band are moved next to each other. Before, they are nine
            // bits apart.
            let mut kept = 0;
            for shift in [0, 3, 6] {
                let stack = columns >> shift;
                let keep = KEEP_COLUMNS
                    [((stack & 7) | ((stack >> 6) & (7 << 3)) | ((stack >> 12) & (7 << 6))) as usize];
                if keep == 0 {
                    return Err(Contradiction);
                }
                kept |= keep << shift;
            }
            if kept == columns {
                break;
            }
            // In each row of the band, only cells in the kept columns remain. This may empty minirows, so the
            // loop checks the digit again.
            for (band, word) in words.iter_mut().enumerate() {
                *word &= (kept >> (9 * band) & ROW) * COLUMN;
            }
        }
        let mut changed = 0;
        for (band, word) in words.into_iter().enumerate() {
            let mut new = 0;
            for shift in [0, 9, 18] {
                let row = word >> shift & ROW;
                new |= if row & row.wrapping_sub(1) == 0 { row << shift } else { 0 };
            }
            // Cells that were placed earlier are left out: their other digits have been removed already.
            new &= !self.placed[band];
            if new != 0 {
                self.placed[band] |= new;
                for (other, word) in self.bands[band].iter_mut().enumerate() {
                    changed |= u32::from(*word & new != 0) << other;
                    *word &= !new;
                }
            }
            // The loop also cleared the digit itself in these cells, so it is restored.
            self.bands[band][digit] = word;
        }
        Ok(changed & !(1 << digit))
    }

    /// Handles each cell that has only one candidate: removes the digit from the rest of the cell's row.
    ///
    /// Returns the digits whose candidates changed.
    #[inline]
    fn claim_naked_singles(&mut self) -> Result<u32, Contradiction> {
        let mut changed = 0;
        for band in 0..3 {
            // Two sets among all 27 cells: cells with at least one candidate, and cells with at least two.
            let (mut once, mut twice) = (0, 0);
            for word in self.bands[band] {
                twice |= once & word;
                once |= word;
            }
            if once != BAND {
                return Err(Contradiction);
            }
            let single = !twice & once & !self.placed[band];
            if single == 0 {
                continue;
            }
            for digit in 0..9 {
                for place in Bits(self.bands[band][digit] & single) {
                    self.claim(digit, band, place as u32);
                    changed |= 1 << digit;
                }
            }
        }
        Ok(changed)
    }

    /// Appends the options to branch on, encoded as decisions `9 * cell + digit`.
    ///
    /// If a cell has two candidates, the options are those of the first such cell. Otherwise, if a digit has
    /// only two places in a row, column or box, the options are the two places of the first such digit.
    /// Otherwise they are the candidates of the first cell with the fewest candidates.
    fn list(&self, options: &mut Vec<u32>) {
        let (mut fewest, mut smallest) = (u32::MAX, 0);
        for (band, words) in self.bands.iter().enumerate() {
            let (mut once, mut twice, mut thrice) = (0, 0, 0);
            for word in words {
                thrice |= twice & word;
                twice |= once & word;
                once |= word;
            }
            let pairs = twice & !thrice;
            if pairs != 0 {
                return self.list_cell(27 * band as u32 + pairs.trailing_zeros(), options);
            }
        }
        if let Some(two) = self.places_of_digit() {
            return options.extend(two);
        }
        for cell in 0..81 {
            let candidates = self.digits_of(cell).count_ones();
            if candidates > 1 && candidates < fewest {
                (fewest, smallest) = (candidates, cell);
            }
        }
        self.list_cell(smallest, options);
    }

    fn digits_of(&self, cell: u32) -> u32 {
        let (band, place) = ((cell / 27) as usize, cell % 27);
        self.bands[band].iter().enumerate().map(|(digit, word)| (word >> place & 1) << digit).sum()
    }

    fn list_cell(&self, cell: u32, options: &mut Vec<u32>) {
        options.extend(Bits(self.digits_of(cell)).map(|digit| 9 * cell + digit as u32));
    }

    /// Returns the decisions for the first digit that has only two places in a house, or `None`.
    fn places_of_digit(&self) -> Option<[u32; 2]> {
        for digit in 0..9 {
            let words = self.words(digit);
            let cells = u128::from(words[0]) | u128::from(words[1]) << 27 | u128::from(words[2]) << 54;
            for house in &HOUSES_9X9 {
                let places = cells & house;
                if places.count_ones() == 2 {
                    let cells = [places.trailing_zeros(), 127 - places.leading_zeros()];
                    return Some(cells.map(|cell| 9 * cell + digit as u32));
                }
            }
        }
        None
    }

    fn write_digits(&self, out: &mut [u8]) {
        for (band, words) in self.bands.iter().enumerate() {
            for (digit, &word) in words.iter().enumerate() {
                Bits(word).for_each(|place| out[27 * band + place] = digit as u8);
            }
        }
    }

    /// Places a digit and propagates.
    fn decide(&mut self, cell: usize, digit: usize) -> Result<(), Contradiction> {
        let (band, place) = (cell / 27, (cell % 27) as u32);
        if self.bands[band][digit] >> place & 1 == 0 {
            return Err(Contradiction);
        }
        self.claim(digit, band, place);
        self.propagate(1 << digit)
    }
}

/// A plain 9x9 grid at a node of the search.
struct NinePosition {
    grid: GridCandidates,
    /// True if the first propagation found no contradiction.
    holds: bool,
}

impl Position for NinePosition {
    type Part = GridCandidates;

    fn size(&self) -> (usize, usize) {
        (9, 81)
    }

    fn load(&mut self) -> Result<bool, EndedBy> {
        Ok(self.holds)
    }

    fn decide(&mut self, cell: usize, digit: usize) -> Result<bool, EndedBy> {
        Ok(self.grid.decide(cell, digit).is_ok())
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        let is_solved = self.grid.placed == [BAND; 3];
        if is_solved {
            digits.resize(81, 0);
            self.grid.write_digits(digits);
        }
        is_solved
    }

    fn list(&self, options: &mut Vec<u32>) {
        self.grid.list(options);
    }

    fn state(&self) -> &[GridCandidates] {
        std::slice::from_ref(&self.grid)
    }

    fn restore(&mut self, state: &[GridCandidates]) {
        self.grid = state[0];
    }
}

/// Search of plain 9x9 grids. The stack is kept from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct NineSearch {
    walk: Walk<GridCandidates>,
}

impl NineSearch {
    /// Searches a plain 9x9 grid.
    ///
    /// The caller need not check the clues, because the first propagation finds any contradiction between
    /// them.
    pub(crate) fn search(&mut self, packed: &Packed9x9, mut run: SearchContext<'_>) -> Outcome {
        let mut grid = GridCandidates::new(packed);
        let holds = grid.propagate(0).is_ok();
        if !holds && packed.clash().is_some() {
            return Outcome::contradiction();
        }
        let prefix = run.task.prefix;
        let end = self.walk.go(&mut NinePosition { grid, holds }, prefix, &mut run);
        run.outcome(end)
    }
}
