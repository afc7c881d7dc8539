//! Sudoku: solved grids, puzzles, and near-puzzles.
//!
//! Each kind of record has its own distribution:
//!
//! * **Solved 9x9 grids** are drawn uniformly from all such grids (see `uniform_9x9`).
//! * **Solved grids of other sizes, and grids with rules,** are filled cell by cell (see `random_fill`).
//!   Their distribution is not uniform.
//! * **Removing clues** ("top-down") visits the clues of a solved grid in random order.
//!   A clue stays only if there would be a second solution without it.
//! * **`Method::Controlled`** samples minimal puzzles with a known weight (see `controlled`).
//! * **Puzzles on a pattern** are drawn uniformly from all puzzles that have one solution and clues in exactly
//!   the cells of the pattern.
//!
//! In the top-down method all grids are equally likely, but the minimal puzzles of one grid are not. Puzzles
//! with few clues are too frequent (D. Berthier, *Unbiased Statistics of a Constraint Satisfaction Problem -
//! a Controlled-Bias Generator*, 2009). The mean number of clues is 24.40, while the mean over all minimal
//! puzzles is 26.58.
//!
//! Puzzles on a pattern are drawn uniformly because all solved grids are equally likely, and because each
//! such puzzle belongs to one grid. A grid is rejected if its clues on the pattern allow a second solution.

mod attempt;
mod cells;
mod clue_limits;
mod controlled;
mod hill_climb;
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
use quadrille_model::{
    Alphabet, Error, Geometry, House, ProblemRef, Puzzle, Result, geometry_9x9, usage, worded,
};
use quadrille_rating::{Rater, StepFilter, Tenths};

pub(super) use attempt::attempt;
pub use controlled::clue_range;
pub use neighbours::{Change, MAX_ADDED, MAX_REMOVED, Neighbourhood};
pub use quadrille_model::Symmetry;
pub(super) use random_fill::first_grid;

worded! {
    /// The kind of records to make.
    pub Kind, name, from_name {
        /// Solved grids.
        Grids = "grids" => "solved grids",
        /// Puzzles with one solution.
        Puzzles = "puzzles" => "puzzles with one solution",
        /// Puzzles with one solution, from which no clue can be removed.
        Minimal = "minimal" => "puzzles with one solution that need every clue",
        /// Minimal puzzles from which one or two clues were removed, so that they have at least two solutions.
        Multiple = "multiple" => "minimal puzzles without one or two of their clues: two or more solutions",
        /// Minimal puzzles with the digit of one clue replaced by a digit that clashes with no other clue.
        ///
        /// Many of these puzzles have no solution, some have one, and some have several.
        Altered = "altered" => "minimal puzzles with one clue changed: any number of solutions",
        /// Puzzles with one solution that differ from given puzzles in a few clues ([`Request::neighbours`]).
        Neighbours = "neighbours" => "FILE: all puzzles with one solution that differ from those in FILE by --remove and --add clues",
        /// Clues from some cells of a solved grid. Most of these puzzles have many solutions.
        ///
        /// All sets of cells of the same size are equally likely.
        Sparse = "sparse" => "some cells of solved grids: usually many solutions",
    }
}

worded! {
    /// A method of making a minimal puzzle from a solved grid.
    #[derive(Default)]
    pub Method, name, from_name {
        /// Removes clues in random order, and keeps each clue without which there would be a second solution.
        ///
        /// This is fast, but puzzles with few clues are too frequent.
        #[default]
        TopDown = "top-down" => "remove each clue that is not needed; prefers few clues",
        /// Removes clues in random order until the first clue that is needed.
        ///
        /// The puzzle is accepted only if it is then minimal. All minimal puzzles with the same number of clues
        /// are equally likely. So each has a known [weight](crate::Generated::weight).
        Controlled = "controlled" => "an unbiased sample, up to a weight for each number of clues",
    }
}

/// Default maximum number of attempts to make one record.
pub const ATTEMPTS: u64 = 1_000_000;
/// Minimum number of clues of a 9x9 puzzle with one solution (McGuire, Tugemann, Civario 2012).
const MIN_CLUES_9X9: u32 = 17;

/// A description of the records to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The kind of record.
    pub kind: Kind,
    /// The shape of the grid.
    pub geometry: Arc<Geometry>,
    /// The rules, or `None` if there are only rows, columns and boxes.
    ///
    /// The written puzzles include these rules, and their solutions obey them. With rules, solved grids are
    /// filled cell by cell. Rules are available for all kinds except [`Kind::Altered`].
    pub rules: Option<Arc<Rules>>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The method of making records of [`Kind::Minimal`].
    ///
    /// [`Method::Controlled`] is available for 9x9 grids and for grids of up to 36 cells. It allows only one
    /// condition on the clues, which is their number ([`clues`](Self::clues)). The default maximum for 9x9 is
    /// then 40 clues.
    pub method: Method,
    /// The number of clues, for [`Kind::Sparse`], [`Kind::Puzzles`] and [`Kind::Minimal`].
    ///
    /// For [`Sparse`](Kind::Sparse) and [`Puzzles`](Kind::Puzzles), each number in the range is equally
    /// likely. The default is a fifth of the cells for `Sparse`, and three eighths for `Puzzles`. For
    /// `Minimal`, puzzles with a number outside the range are rejected. The default accepts all numbers.
    pub clues: Option<RangeInclusive<u32>>,
    /// The cells that have clues, as one flag per cell. Available for [`Kind::Puzzles`] and
    /// [`Kind::Minimal`].
    pub pattern: Option<Vec<bool>>,
    /// The symmetry of the cells that have clues.
    ///
    /// Available for [`Kind::Puzzles`] and [`Kind::Minimal`] without a pattern. If the symmetry does not
    /// allow a number of clues, the next number that it allows is used.
    pub symmetry: Option<Symmetry>,
    /// Number of steps of hill climbing towards puzzles that need many guesses.
    ///
    /// Available for [`Kind::Puzzles`] and [`Kind::Minimal`]. Each step examines one changed puzzle. With a
    /// pattern or a symmetry, a step changes only digits, and the clues stay in the same cells.
    pub climb: Option<u32>,
    /// True if guesses are counted even without hill climbing, for [`Kind::Puzzles`] and [`Kind::Minimal`].
    pub counts_guesses: bool,
    /// The range of accepted ratings ([`Rating::er`](quadrille_rating::Rating::er)).
    ///
    /// Available for 9x9 grids of [`Kind::Puzzles`] and [`Kind::Minimal`]. Records with other ratings are
    /// rejected.
    pub rating: Option<RangeInclusive<Tenths>>,
    /// Further conditions on the steps of rated puzzles. To use them, set a range of ratings in
    /// [`rating`](Self::rating).
    pub steps: StepFilter,
    /// Maximum number of attempts to make one record. If all of them fail, the run ends with an error.
    ///
    /// With [`distinct`](Self::distinct), this is also the maximum number of consecutive records that are not
    /// new.
    pub attempts: u64,
    /// True to leave out any record that is equivalent to an earlier record.
    ///
    /// Equivalent records differ only in the arrangement of their cells and in the labels of their digits.
    /// The run makes further records, until it has output as many records as its range of record numbers
    /// contains. It keeps 19 to 39 bytes per record in memory, and up to 1.5 times as much while the set of
    /// these bytes grows. Available for 9x9, for 4x4, and for 6x6 with boxes of 2x3.
    pub distinct: bool,
    /// The given puzzles and the changes to them, for [`Kind::Neighbours`].
    ///
    /// The puzzles must have the same [`geometry`](Self::geometry) as the request. With neighbours:
    /// - Records are [`distinct`](Self::distinct) from each other and from the given puzzles.
    /// - The range of a run must be [`Neighbourhood::range`].
    /// - The index of a record is the 0-based index of the given puzzle from which the record was made.
    pub neighbours: Option<Arc<Neighbourhood>>,
    /// Reserved for new fields: create values with `..`, as in `Request { seed: 2, ..Request::new(kind, geometry) }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Request {
    /// Creates a request for 9x9 records without further conditions.
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

    /// Checks the request for conditions that cannot be met or do not fit together.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - Some conditions do not apply to the kind, or exclude each other.
    /// - There are too few clues for one solution, or the pattern always has a second solution.
    /// - Records must be distinct, but their shape has no canonical form.
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

    /// Returns an error if no puzzle with `clues` clues can have exactly one solution.
    fn enough(&self, clues: u32) -> Result<()> {
        if self.rules.is_some() {
            // With rules, a puzzle may have one solution even without clues.
            return Ok(());
        }
        let side = self.geometry.side();
        // If two digits have no clue, they can be swapped in any solution.
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

    /// Returns true if attempts at this request often fail.
    pub(super) fn often_fails(&self) -> bool {
        self.pattern.is_some()
            || self.symmetry.is_some()
            || self.clues.is_some()
            || self.rating.is_some()
            || self.method == Method::Controlled
    }
}
