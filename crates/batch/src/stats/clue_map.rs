//! Statistics about clues: how often each cell has a clue, how often each digit is a clue, symmetries of the
//! clue cells, and ratings by number of clues.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::figure::{Tally, figures};
use super::json::is_default;
use super::{RatingCounts, RatingKey, Statistics};
use quadrille_model::bits::Bits;
use quadrille_model::simd::{Bytes, WordKernel, run_words};
use quadrille_model::{MAX_SIDE, ProblemRef, Symmetry, geometry_9x9};
use quadrille_rating::AnyRating;

/// Maximum number of input lines that are counted together. With more lines, a count might not fit into a
/// byte.
const LINES: usize = 255;
/// Number of cells in a line of input, rounded up to whole vectors of 16 or 32 bytes.
///
/// Without rounding, the last few cells of a line would take as long as three vectors.
const WIDE: usize = 96;

figures! {
    /// Statistics about the clues of all grids with the same side length.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[non_exhaustive]
    pub struct ClueMap {
        /// Number of grids. It is 0 in statistics from older files.
        #[serde(default)]
        pub grids: u64,
        cells: Tally,
        digits: Tally,
        /// For each symmetry, by name, the number of grids whose clue cells have this symmetry.
        #[serde(default, skip_serializing_if = "is_default")]
        pub symmetries: BTreeMap<Cow<'static, str>, u64>,
        /// Counts of ratings. The first key is the scale and the second key is the number of clues.
        #[serde(default, skip_serializing_if = "is_default")]
        pub ratings: BTreeMap<Cow<'static, str>, BTreeMap<u32, RatingCounts>>,
    }
}

impl ClueMap {
    /// Returns for each cell, row by row, the number of grids with a clue in that cell.
    pub fn cells(&self) -> &[u64] {
        &self.cells.0
    }

    /// Returns for each digit the number of clues with that digit.
    pub fn digits(&self) -> &[u64] {
        &self.digits.0
    }

    /// Counts a grid, the symmetries of its clues, and its rating.
    fn add(
        &mut self,
        symmetries: &Symmetries,
        is_clue: impl Fn(usize) -> bool,
        rated: Option<(&'static str, &AnyRating)>,
    ) {
        self.grids += 1;
        for (name, pairs) in &symmetries.pairs {
            if pairs.iter().all(|&(cell, image)| is_clue(cell) == is_clue(image)) {
                *self.symmetries.entry(Cow::Borrowed(name)).or_default() += 1;
            }
        }
        if let Some((scale, rated)) = rated {
            let clues = (0..symmetries.side * symmetries.side).filter(|&cell| is_clue(cell)).count();
            let of_scale = self.ratings.entry(Cow::Borrowed(scale)).or_default();
            of_scale.entry(clues as u32).or_default().add(RatingKey::of(rated), 1);
        }
    }
}

/// Symmetries of grids with one side length. Each symmetry has a name and a list of the pairs of cells that
/// it exchanges.
#[derive(Debug)]
struct Symmetries {
    side: usize,
    pairs: Vec<(&'static str, Vec<(usize, usize)>)>,
}

impl Symmetries {
    /// Returns the symmetries of grids with the side length `side`, which is at most [`MAX_SIDE`].
    ///
    /// The symmetries are computed only once for each side length, because computing them takes much longer
    /// than testing a grid. Most tests end early: in most grids, the clues already differ in one of the first
    /// pairs of cells.
    fn of(side: usize) -> &'static Self {
        static KNOWN: [OnceLock<Symmetries>; MAX_SIDE + 1] = [const { OnceLock::new() }; MAX_SIDE + 1];
        KNOWN[side].get_or_init(|| {
            let pairs = Symmetry::ALL.iter().map(|&(name, _, symmetry)| (name, symmetry.pairs(side)));
            Symmetries { side, pairs: pairs.collect() }
        })
    }
}

impl Statistics {
    /// Returns each side length that occurs, and the statistics about the clues of grids with this side
    /// length.
    pub fn clue_maps(&self) -> impl Iterator<Item = (usize, &ClueMap)> {
        self.clue_maps.iter().map(|(side, map)| (*side as usize, map))
    }

    /// Counts the clues of a grid, and its rating if it was rated.
    pub(crate) fn map_clues(&mut self, problem: ProblemRef<'_>, rated: Option<(&'static str, &AnyRating)>) {
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
                map.add(Symmetries::of(side), |cell| clues >> cell & 1 == 1, rated);
            }
            _ => {
                for (cell, count) in cells.iter_mut().enumerate() {
                    if let Some(digit) = problem.candidates(cell).single() {
                        *count += 1;
                        digits[digit] += 1;
                    }
                }
                map.add(Symmetries::of(side), |cell| problem.candidates(cell).single().is_some(), rated);
            }
        }
    }

    /// Counts the clues of 9x9 grids, one per input line. Has the same effect as a call of
    /// [`map_clues`](Self::map_clues) for each grid.
    ///
    /// `rated` contains the name of a scale and one rating per line, or no ratings.
    pub(crate) fn map_clues_of_lines<'a>(
        &mut self,
        lines: impl Iterator<Item = &'a [u8; 81]>,
        (scale, rated): (&'static str, &[AnyRating]),
    ) {
        let mut part: Vec<&[u8; 81]> = Vec::with_capacity(LINES);
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        let map = self.clue_maps.entry(9).or_default();
        let (symmetries, mut rated) = (Symmetries::of(9), rated.iter());
        while lines.peek().is_some() {
            let mut seen = [[0; WIDE]; 9];
            part.clear();
            part.extend(lines.by_ref().take(LINES));
            for line in &part {
                let is_clue = |cell: usize| line[cell].wrapping_sub(b'1') < 9;
                map.add(symmetries, is_clue, rated.next().map(|rated| (scale, rated)));
            }
            run_words(None, ByDigit { lines: &part, seen: &mut seen });
            let (cells, digits) = (map.cells.of_length(81), map.digits.of_length(9));
            for (of_digit, seen) in digits.iter_mut().zip(seen) {
                for (of_cell, seen) in cells.iter_mut().zip(seen) {
                    *of_cell += u64::from(seen);
                    *of_digit += u64::from(seen);
                }
            }
        }
    }
}

/// For each cell and digit, counts the lines that have this digit in this cell. Counts at most [`LINES`]
/// lines.
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
