//! How often each cell has a clue, and how often each digit is one.

use serde::{Deserialize, Serialize};

use super::Statistics;
use super::figure::{Figure, Parsed, figures};
use quadrille_model::bits::Bits;
use quadrille_model::simd::{Bytes, WordKernel, run_words};
use quadrille_model::{ProblemRef, geometry_9x9};

/// Number of lines whose counts fit into bytes.
const LINES: usize = 255;
/// Cells of a line in whole vectors of 16 or 32 bytes. The rest of a line would take as long as three vectors.
const WIDE: usize = 96;

/// Counts by place in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Tally(Vec<u64>);

impl Tally {
    fn of_length(&mut self, length: usize) -> &mut [u64] {
        if self.0.len() < length {
            self.0.resize(length, 0);
        }
        &mut self.0
    }
}

impl Figure for Tally {
    fn merge_from(&mut self, other: &Self) {
        let counts = self.of_length(other.0.len());
        counts.iter_mut().zip(&other.0).for_each(|(sum, part)| sum.merge_from(part));
    }

    fn check(&mut self) -> Parsed<()> {
        self.0.iter_mut().try_for_each(u64::check)
    }
}

figures! {
    /// The clues of all grids of one side: how many are in each cell, and how many are each digit.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct ClueMap {
        cells: Tally,
        digits: Tally,
    }
}

impl ClueMap {
    /// Returns the number of grids with a clue in each cell, row by row.
    pub fn cells(&self) -> &[u64] {
        &self.cells.0
    }

    /// Returns the number of clues with each digit.
    pub fn digits(&self) -> &[u64] {
        &self.digits.0
    }
}

impl Statistics {
    /// Returns the clues by cell and digit, by the side of the grids.
    pub fn clue_maps(&self) -> impl Iterator<Item = (usize, &ClueMap)> {
        self.clue_maps.iter().map(|(side, map)| (*side as usize, map))
    }

    /// Counts the clues of a grid.
    pub(crate) fn map_clues(&mut self, problem: ProblemRef<'_>) {
        let side = match problem {
            ProblemRef::Packed(_) => geometry_9x9().side(),
            ProblemRef::Puzzle(puzzle) => puzzle.geometry().side(),
            ProblemRef::Cover(_) => return,
        };
        let map = self.clue_maps.entry(side as u32).or_default();
        let (cells, digits) = (map.cells.of_length(side * side), map.digits.of_length(side));
        match problem {
            ProblemRef::Packed(packed) => {
                let clues = packed.single_and_empty().0;
                for (digit, count) in digits.iter_mut().enumerate() {
                    let own = packed.cells_of(digit) & clues;
                    *count += u64::from(own.count_ones());
                    Bits(own).for_each(|cell| cells[cell] += 1);
                }
            }
            _ => {
                for (cell, count) in cells.iter_mut().enumerate() {
                    if let Some(digit) = problem.candidates(cell).single() {
                        *count += 1;
                        digits[digit] += 1;
                    }
                }
            }
        }
    }

    /// Counts the clues of plain 9x9 lines, as [`map_clues`](Self::map_clues) does for each.
    pub(crate) fn map_clues_of_lines<'a>(&mut self, lines: impl Iterator<Item = &'a [u8; 81]>) {
        let mut part: Vec<&[u8; 81]> = Vec::with_capacity(LINES);
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        let map = self.clue_maps.entry(9).or_default();
        let (cells, digits) = (map.cells.of_length(81), map.digits.of_length(9));
        while lines.peek().is_some() {
            let mut seen = [[0; WIDE]; 9];
            part.clear();
            part.extend(lines.by_ref().take(LINES));
            run_words(None, ByDigit { lines: &part, seen: &mut seen });
            for (of_digit, seen) in digits.iter_mut().zip(seen) {
                for (of_cell, seen) in cells.iter_mut().zip(seen) {
                    *of_cell += u64::from(seen);
                    *of_digit += u64::from(seen);
                }
            }
        }
    }
}

/// Counts in how many lines each cell has each digit. At most [`LINES`] lines.
struct ByDigit<'a> {
    lines: &'a [&'a [u8; 81]],
    seen: &'a mut [[u8; WIDE]; 9],
}

impl WordKernel for ByDigit<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bytes>(self, _: B) {
        let mut wide = [0; WIDE];
        for line in self.lines {
            wide[..81].copy_from_slice(line.as_slice());
            for (digit, seen) in (b'1'..).zip(&mut *self.seen) {
                seen.iter_mut().zip(&wide).for_each(|(seen, &byte)| *seen += u8::from(byte == digit));
            }
        }
    }
}
