//! Sudoku: solved grids, puzzles, and near-puzzles.
//!
//! Which distribution each kind samples:
//!
//! * **A solved 9x9 grid** is uniform over all of them (see `grid`). Other sides, and grids with rules, are filled cell by cell (see
//!   `fill`), which is not uniform.
//! * **Clues are taken away** from a solved grid in random order, each unless that would make a second solution
//!   ("top-down"). Each grid is equally likely, but minimal puzzles of one grid are not: those with few clues come
//!   too often (D. Berthier, *Unbiased Statistics of a Constraint Satisfaction Problem - a Controlled-Bias
//!   Generator*, 2009). The mean is 24.40 clues; among all minimal puzzles it is 26.58.
//! * **A pattern** is uniform over all puzzles with clues in just these cells that have one solution: each of them
//!   has one grid, all grids are equally likely, and those whose pattern has a second solution are thrown away.

mod board;
mod cells;
mod climb;
mod fill;
mod grid;
mod recipe;
mod thin;
mod wanted;
mod witness;

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use quadrille_model::canonical::Cells;
use quadrille_model::rules::Rules;
use quadrille_model::{Alphabet, Geometry, House, ProblemRef, Puzzle, geometry_9x9};
use quadrille_model::{Error, Result};
use quadrille_rating::{Rater, Tenths};

pub(super) use fill::first_grid;
pub(super) use recipe::attempt;

/// The kind of record that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Solved grids.
    Grids,
    /// Some cells of a solved grid, all sets of as many equally likely: mostly many solutions.
    Sparse,
    /// Puzzles with one solution.
    Puzzles,
    /// Puzzles with one solution that need every clue.
    Minimal,
    /// Minimal puzzles without one or two of their clues: two solutions or more.
    Multiple,
    /// Minimal puzzles with another digit in one clue, which clashes with no other clue: often no solution, sometimes
    /// one, sometimes several.
    Changed,
}

/// Attempts at a record by default.
pub const ATTEMPTS: u64 = 1_000_000;
/// The smallest number of clues of a 9x9 with one solution (McGuire, Tugemann, Civario 2012).
const FEWEST_9X9: u32 = 17;

/// An order for records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The kind of record that is made.
    pub kind: Kind,
    /// The shape.
    pub geometry: Arc<Geometry>,
    /// The rules, where there are others than rows, columns and boxes: puzzles come with them, and are what they are under
    /// them. Solved grids are filled cell by cell then. For all kinds but [`Kind::Changed`].
    pub rules: Option<Arc<Rules>>,
    /// The seed.
    pub seed: u64,
    /// The number of clues, for [`Kind::Sparse`], [`Kind::Puzzles`] and [`Kind::Minimal`]. Sparse and puzzles: each number
    /// equally likely, a fifth and three eighths of the cells by default. Minimal: others are thrown away, all are taken by
    /// default.
    pub clues: Option<RangeInclusive<u32>>,
    /// The cells that are clues, for [`Kind::Puzzles`] and [`Kind::Minimal`]; a flag a cell.
    pub pattern: Option<Vec<bool>>,
    /// Steps of hill climbing towards many guesses, for the same kinds; no pattern then. A step looks at one changed puzzle.
    pub climb: Option<u32>,
    /// The rating of each record ([`Rating::er`](quadrille_rating::Rating::er)), for 9x9 of the same kinds: others are thrown away.
    pub rating: Option<RangeInclusive<Tenths>>,
    /// The attempts at one record after which it is given up; with [`distinct`](Self::distinct) also the records in a row,
    /// none of them new, after which a run is given up.
    pub attempts: u64,
    /// Leave out a record that is the same as an earlier one of the run up to arrangement and labels, and go on with later
    /// ones until there are as many as the range is long. A run remembers 19 to 39 bytes a record, half as much again at
    /// times. For 9x9, 4x4 and, with boxes of 2x3, 6x6.
    pub distinct: bool,
}

impl Request {
    /// A request for 9x9, without conditions.
    pub fn new(kind: Kind, seed: u64) -> Self {
        let geometry = Arc::clone(geometry_9x9());
        Request {
            kind,
            geometry,
            rules: None,
            seed,
            clues: None,
            pattern: None,
            climb: None,
            rating: None,
            attempts: ATTEMPTS,
            distinct: false,
        }
    }

    /// Refuses what plainly cannot be done.
    ///
    /// # Errors
    /// Conditions that a kind does not have or that exclude each other, too few clues, a pattern with which there are
    /// always two solutions, distinct records of a shape without canonical forms.
    pub fn validate(&self) -> Result<()> {
        let (side, cells) = (self.geometry.side(), self.geometry.cells() as u32);
        let (is_sparse, is_proper) =
            (self.kind == Kind::Sparse, matches!(self.kind, Kind::Puzzles | Kind::Minimal));
        let (has_clues, has_pattern, climbs) =
            (self.clues.is_some(), self.pattern.is_some(), self.climb.is_some());
        let clues = self.clues.clone().unwrap_or(0..=cells);
        let (least, most) = (*clues.start(), *clues.end());
        let refusals = [
            (
                side > Alphabet::FromOne.largest_side(),
                format!("a side of {side}: there are no characters for so many digits"),
            ),
            (
                has_clues && !is_proper && !is_sparse,
                "a number of clues is for sparse, puzzles and minimal only".to_owned(),
            ),
            (has_pattern && !is_proper, "a pattern is for puzzles and minimal only".to_owned()),
            (climbs && !is_proper, "hill climbing is for puzzles and minimal only".to_owned()),
            (
                self.rating.is_some() && !(is_proper && self.geometry.is_9x9()),
                "a rating is for puzzles and minimal of side 9 only".to_owned(),
            ),
            (
                self.rating.as_ref().is_some_and(|wanted| wanted.is_empty() || *wanted.end() > Rater::MOST),
                format!("ratings go up to {}, from the lower to the higher", Rater::MOST),
            ),
            (
                has_pattern && (has_clues || climbs),
                "a pattern says which cells are clues: neither their number nor hill climbing goes with it"
                    .to_owned(),
            ),
            (
                self.rules.is_some() && (self.distinct || self.rating.is_some()),
                "puzzles with rules have no rating and no form by which they would be distinct".to_owned(),
            ),
            (
                self.rules.is_some() && self.kind == Kind::Changed,
                "changed puzzles are of plain grids: no rules go with them".to_owned(),
            ),
            (self.attempts == 0, "at least one attempt is needed".to_owned()),
            (least > most || most > cells, format!("{least} to {most} clues: no {side}x{side} has that")),
        ];
        if let Some((_, refusal)) = refusals.into_iter().find(|(applies, _)| *applies) {
            return Err(Error::usage(refusal));
        }
        if self.distinct {
            let empty = Puzzle::new(&self.geometry);
            Cells::of_clues(ProblemRef::Puzzle(&empty))
                .map_err(|reason| Error::usage(format!("distinct records: {reason}")))?;
        }
        if has_clues && !is_sparse {
            self.enough(if self.kind == Kind::Minimal { most } else { least })?;
        }
        self.pattern.as_ref().map_or(Ok(()), |pattern| self.pattern_makes_sense(pattern))
    }

    /// Refuses a number of clues with which no puzzle has one solution.
    fn enough(&self, clues: u32) -> Result<()> {
        if self.rules.is_some() {
            // Rules alone may leave one solution.
            return Ok(());
        }
        let side = self.geometry.side();
        // A digit without a clue in all of the grid can change places with another one.
        let fewest = if self.geometry.is_9x9() { FEWEST_9X9 } else { side as u32 - 1 };
        if clues < fewest {
            return Err(Error::usage(format!(
                "{clues} clues: a {side}x{side} with one solution has at least {fewest}"
            )));
        }
        Ok(())
    }

    fn pattern_makes_sense(&self, pattern: &[bool]) -> Result<()> {
        let (side, cells) = (self.geometry.side(), self.geometry.cells());
        if pattern.len() != cells {
            return Err(Error::usage(format!("a pattern of {} cells: the grid has {cells}", pattern.len())));
        }
        if self.rules.is_some() {
            return Ok(());
        }
        self.enough(pattern.iter().filter(|&&clue| clue).count() as u32)?;
        let is_empty = |line: &&House| line.cells.iter().all(|&cell| !pattern[usize::from(cell)]);
        let (rows, others) = self.geometry.houses().split_at(side);
        for (name, lines, together) in [
            ("rows", rows, self.geometry.box_rows()),
            ("columns", &others[..side], self.geometry.box_columns()),
        ] {
            for band in lines.chunks(together) {
                let mut empty = band.iter().filter(is_empty).map(|line| line.index + 1);
                if let (Some(a), Some(b)) = (empty.next(), empty.next()) {
                    return Err(Error::usage(format!(
                        "the pattern has no clue in {name} {a} and {b}: they can change places, so there are always \
                         two solutions"
                    )));
                }
            }
        }
        Ok(())
    }

    /// True if attempts fail often.
    pub(super) fn often_fails(&self) -> bool {
        self.pattern.is_some() || self.clues.is_some() || self.rating.is_some()
    }
}
