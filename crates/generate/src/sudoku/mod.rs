//! Sudoku: solved grids, puzzles, and near-puzzles.
//!
//! The distribution that each kind samples:
//!
//! * **A solved 9x9 grid** is uniform over all of them (see `uniform_9x9`). Other sides, and grids with rules, are
//!   filled cell by cell (see `random_fill`), which is not uniform.
//! * **Clues are removed** from a solved grid in random order, each unless that would allow a second solution
//!   ("top-down"). Each grid is equally likely, but minimal puzzles of one grid are not: those with few clues
//!   are too frequent (D. Berthier, *Unbiased Statistics of a Constraint Satisfaction Problem - a
//!   Controlled-Bias Generator*, 2009). The mean is 24.40 clues; among all minimal puzzles it is 26.58.
//! * **`Method::Controlled`** samples minimal puzzles with a known weight (see `controlled`).
//! * **A pattern** is uniform over all puzzles with clues in exactly these cells and one solution: each of
//!   them has one grid, all grids are equally likely, and grids whose pattern has a second solution are
//!   rejected.

mod attempt;
mod cells;
mod clue_limits;
mod controlled;
mod hill_climb;
mod method;
mod neighbours;
mod random_fill;
mod remove_clues;
mod solved_grid;
mod unavoidable_sets;
mod uniform_9x9;
mod uniform_small;

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use quadrille_model::canonical::Cells;
use quadrille_model::rules::Rules;
use quadrille_model::{Alphabet, Error, Geometry, House, ProblemRef, Puzzle, Result, geometry_9x9, usage};
use quadrille_rating::{Rater, StepFilter, Tenths};

pub(super) use attempt::attempt;
pub use controlled::clue_range;
pub use method::Method;
pub use neighbours::{Change, MAX_ADDED, MAX_REMOVED, Neighbourhood};
pub use quadrille_model::Symmetry;
pub(super) use random_fill::first_grid;

/// The kind of record to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Solved grids.
    Grids,
    /// Some cells of a solved grid, all sets of the same size equally likely; mostly many solutions.
    Sparse,
    /// Puzzles with one solution.
    Puzzles,
    /// Puzzles with one solution that need every clue.
    Minimal,
    /// Minimal puzzles without one or two of their clues: at least two solutions.
    Multiple,
    /// Minimal puzzles with another digit in one clue, which clashes with no other clue.
    ///
    /// Such puzzles often have no solution, sometimes one, sometimes several.
    Altered,
    /// Puzzles with one solution that differ from given puzzles by some clues ([`Request::neighbours`]).
    Neighbours,
}

/// Default maximum number of attempts at a record.
pub const ATTEMPTS: u64 = 1_000_000;
/// Minimum number of clues of a 9x9 with one solution (McGuire, Tugemann, Civario 2012).
const MIN_CLUES_9X9: u32 = 17;

/// A description of the records to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The kind of record.
    pub kind: Kind,
    /// The shape of the grid.
    pub geometry: Arc<Geometry>,
    /// The rules, if there are any besides rows, columns and boxes.
    ///
    /// Puzzles include these rules, and are valid under them. Solved grids are then filled cell by cell. Available
    /// for all kinds except [`Kind::Altered`].
    pub rules: Option<Arc<Rules>>,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The method of making records of [`Kind::Minimal`].
    ///
    /// [`Method::Controlled`] is available for 9x9 and grids of up to 36 cells, without other conditions than
    /// [`clues`](Self::clues), whose default then is at most 40 for 9x9.
    pub method: Method,
    /// The number of clues, for [`Kind::Sparse`], [`Kind::Puzzles`] and [`Kind::Minimal`].
    ///
    /// For the kinds [`Sparse`](Kind::Sparse) and [`Puzzles`](Kind::Puzzles) each number is equally likely; the
    /// defaults are a fifth and three eighths of the cells. Minimal puzzles with other numbers are rejected; the
    /// default accepts all.
    pub clues: Option<RangeInclusive<u32>>,
    /// The cells that are clues, for [`Kind::Puzzles`] and [`Kind::Minimal`]: one flag per cell.
    pub pattern: Option<Vec<bool>>,
    /// The symmetry of the cells with clues, for [`Kind::Puzzles`] and [`Kind::Minimal`] without a pattern.
    ///
    /// A number of clues that the symmetry does not allow becomes the next one that it allows.
    pub symmetry: Option<Symmetry>,
    /// Number of steps of hill climbing towards many guesses, for [`Kind::Puzzles`] and [`Kind::Minimal`].
    ///
    /// A step examines one changed puzzle. With a pattern or a symmetry only digits are changed, not the cells of clues.
    pub climb: Option<u32>,
    /// True to count guesses also without hill climbing, for [`Kind::Puzzles`] and [`Kind::Minimal`].
    pub counts_guesses: bool,
    /// The range of ratings ([`Rating::er`](quadrille_rating::Rating::er)), for 9x9 grids of [`Kind::Puzzles`] and
    /// [`Kind::Minimal`]. Records with other ratings are rejected.
    pub rating: Option<RangeInclusive<Tenths>>,
    /// Further conditions on the steps of rated puzzles; requires a range of ratings.
    pub steps: StepFilter,
    /// Maximum number of attempts at one record before the run is given up.
    ///
    /// With [`distinct`](Self::distinct), the number is also the maximum number of consecutive records that
    /// are not new.
    pub attempts: u64,
    /// True to leave out records that equal an earlier record of the run up to arrangement and labels.
    ///
    /// The run continues with later records until there are as many as the range is long. The run remembers 19 to 39
    /// bytes per record, and up to 1.5 times that while the set grows. Available for 9x9, 4x4 and, with boxes of 2x3,
    /// 6x6.
    pub distinct: bool,
    /// The puzzles and changes of [`Kind::Neighbours`], with the same [`geometry`](Self::geometry). Records are then
    /// [`distinct`](Self::distinct) from each other and from the given puzzles, the range of a run must be
    /// [`Neighbourhood::range`], and a record has the number of its puzzle.
    pub neighbours: Option<Arc<Neighbourhood>>,
    /// Reserved for new fields: create values with `..`, as in `Request { seed: 2, ..Request::new(kind, geometry) }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Request {
    /// Creates a request for 9x9 records without conditions.
    pub fn new(kind: Kind, seed: u64) -> Self {
        let geometry = Arc::clone(geometry_9x9());
        Request {
            kind,
            geometry,
            rules: None,
            seed,
            method: Method::TopDown,
            clues: None,
            pattern: None,
            symmetry: None,
            climb: None,
            counts_guesses: false,
            rating: None,
            steps: StepFilter::default(),
            attempts: ATTEMPTS,
            distinct: false,
            neighbours: None,
            _more: (),
        }
    }

    /// Checks the request for conditions that clearly cannot be met.
    ///
    /// # Errors
    /// Returns an error if conditions do not apply to the kind or exclude each other, if there are too few
    /// clues, if a pattern always has a second solution, or if records of a shape without canonical forms
    /// must be distinct.
    pub fn validate(&self) -> Result<()> {
        let (side, cells) = (self.geometry.side(), self.geometry.cells() as u32);
        let (is_sparse, is_proper) =
            (self.kind == Kind::Sparse, matches!(self.kind, Kind::Puzzles | Kind::Minimal));
        let (has_clues, has_pattern, climbs) =
            (self.clues.is_some(), self.pattern.is_some(), self.climb.is_some());
        let is_controlled = self.method == Method::Controlled;
        let clues = self.clues.clone().unwrap_or(0..=cells);
        let (least, most) = (*clues.start(), *clues.end());
        let refusals = [
            (
                side > Alphabet::FromOne.largest_side(),
                format!("side {side} has more digits than there are characters"),
            ),
            (
                has_clues && !is_proper && !is_sparse,
                "a number of clues is only for sparse, puzzles and minimal".to_owned(),
            ),
            (has_pattern && !is_proper, "a pattern is only for puzzles and minimal".to_owned()),
            (climbs && !is_proper, "keep-hardest is only for puzzles and minimal".to_owned()),
            (
                self.counts_guesses && !is_proper,
                "guesses are counted only for puzzles and minimal (use `rate --scale guesses`)".to_owned(),
            ),
            (self.symmetry.is_some() && !is_proper, "a symmetry is only for puzzles and minimal".to_owned()),
            (
                self.rating.is_some()
                    && !((is_proper || self.kind == Kind::Neighbours) && self.geometry.is_9x9()),
                "a rating is only for puzzles, minimal and neighbours of side 9".to_owned(),
            ),
            (
                self.rating
                    .as_ref()
                    .is_some_and(|wanted| wanted.is_empty() || *wanted.end() > Rater::MAX_RATING),
                format!(
                    "invalid range of ratings: the lower comes first, and the highest is {}",
                    Rater::MAX_RATING
                ),
            ),
            (
                has_pattern && (has_clues || self.symmetry.is_some()),
                "a pattern fixes the clues: use it without a number of clues and without a symmetry"
                    .to_owned(),
            ),
            (
                self.rules.is_some() && (self.distinct || self.rating.is_some()),
                "puzzles with rules can be neither rated nor made distinct".to_owned(),
            ),
            (
                self.rules.is_some() && self.kind == Kind::Altered,
                "altered puzzles cannot have rules".to_owned(),
            ),
            (
                is_controlled && self.kind != Kind::Minimal,
                "the method controlled is only for minimal".to_owned(),
            ),
            (
                is_controlled
                    && (has_pattern
                        || climbs
                        || self.distinct
                        || self.symmetry.is_some()
                        || self.rating.is_some()
                        || self.rules.is_some()),
                "the method controlled samples all minimal puzzles: a pattern, a symmetry, a rating, rules, distinct or \
                 hardest records would change their weights (rate or filter the sample instead)"
                    .to_owned(),
            ),
            (
                is_controlled && !controlled::is_uniform(&self.geometry),
                format!("the method controlled is for 9x9 and for grids of up to {} cells", uniform_small::MAX_CELLS),
            ),
            (
                (self.kind == Kind::Neighbours) != (self.neighbours.is_some() && self.distinct),
                "neighbours are distinct records of given puzzles".to_owned(),
            ),
            (self.attempts == 0, "at least one attempt is needed".to_owned()),
            (
                least > most || most > cells,
                format!("invalid number of clues for a {side}x{side}: {least} to {most}"),
            ),
        ];
        if let Some((_, refusal)) = refusals.into_iter().find(|(applies, _)| *applies) {
            return Err(Error::usage(refusal));
        }
        if let Some(message) = self.steps.contradiction(self.rating.as_ref().map(|range| *range.end())) {
            return Err(Error::usage(message));
        }
        if self.distinct {
            let empty = Puzzle::new(&self.geometry);
            Cells::of_clues(ProblemRef::Puzzle(&empty))
                .map_err(|reason| usage!("distinct records: {reason}"))?;
        }
        if has_clues && !is_sparse {
            self.enough(if self.kind == Kind::Minimal { most } else { least })?;
        }
        if let Some(symmetry) = self.symmetry {
            let possible = symmetry.possible_numbers(&self.geometry);
            if !possible[least as usize..=most as usize].contains(&true) {
                return Err(usage!("no symmetry of this kind has {least} clues in a {side}x{side}"));
            }
        }
        self.pattern.as_ref().map_or(Ok(()), |pattern| self.pattern_makes_sense(pattern))
    }

    /// Returns an error if no puzzle with this number of clues has one solution.
    fn enough(&self, clues: u32) -> Result<()> {
        if self.rules.is_some() {
            // Rules alone may leave one solution.
            return Ok(());
        }
        let side = self.geometry.side();
        // Two digits without any clue can be swapped.
        let fewest = if self.geometry.is_9x9() { MIN_CLUES_9X9 } else { side as u32 - 1 };
        if clues < fewest {
            return Err(usage!("{clues} clues: a {side}x{side} with one solution has at least {fewest}"));
        }
        Ok(())
    }

    fn pattern_makes_sense(&self, pattern: &[bool]) -> Result<()> {
        let (side, cells) = (self.geometry.side(), self.geometry.cells());
        if pattern.len() != cells {
            return Err(usage!("the pattern has {} cells, but the grid has {cells}", pattern.len()));
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
                    return Err(usage!(
                        "the pattern has no clue in {name} {a} and {b}: they can change places, so there are always \
                         two solutions"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns true if attempts fail often.
    pub(super) fn often_fails(&self) -> bool {
        self.pattern.is_some()
            || self.symmetry.is_some()
            || self.clues.is_some()
            || self.rating.is_some()
            || self.method == Method::Controlled
    }
}
