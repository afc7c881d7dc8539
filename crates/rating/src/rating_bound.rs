//! The result of rating a puzzle.

use std::fmt;

use super::{Technique, Tenths};

/// A rating, or a bound that the rating is known to exceed.
///
/// `Display` writes `7.2` or `>7.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RatingBound {
    /// The exact rating.
    Exactly(Tenths),
    /// The rating is higher than this bound, because the puzzle needs a step that is rated above the bound.
    Above(Tenths),
}

impl RatingBound {
    /// Returns the rating, or the bound if the rating is not exact.
    pub const fn tenths(self) -> Tenths {
        match self {
            RatingBound::Exactly(tenths) | RatingBound::Above(tenths) => tenths,
        }
    }

    /// Returns the lowest possible rating above the bound, or `None` if the rating is exact.
    ///
    /// Ratings have one decimal place, so a rating above 9.4 is at least 9.5.
    pub const fn at_least(self) -> Option<Tenths> {
        match self {
            RatingBound::Exactly(_) => None,
            RatingBound::Above(Tenths(tenths)) => Some(Tenths(tenths.saturating_add(1))),
        }
    }

    /// Returns true if the rating is exact.
    pub const fn is_exact(self) -> bool {
        matches!(self, RatingBound::Exactly(_))
    }

    /// Appends what `Display` writes.
    pub(super) fn append(self, out: &mut Vec<u8>) {
        if !self.is_exact() {
            out.push(b'>');
        }
        self.tenths().append(out);
    }
}

impl fmt::Display for RatingBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RatingBound::Exactly(tenths) => tenths.fmt(f),
            RatingBound::Above(tenths) => write!(f, ">{tenths}"),
        }
    }
}

/// The rating of a puzzle, with a summary of the path on which the rating is based.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rating {
    /// The highest rating among all steps of the path.
    pub er: RatingBound,
    /// Pearl rating: the highest rating among the steps up to the first step that placed a digit, including
    /// this step.
    pub ep: RatingBound,
    /// Diamond rating: the rating of the first step.
    pub ed: RatingBound,
    /// Technique of the first step that has the highest rating, or `None` if no step was found or needed.
    pub hardest: Option<Technique>,
    /// Number of steps with each technique, or `None` if steps are not [counted](super::Rater::counting).
    pub counts: Option<Box<Counts>>,
    /// Number of steps in the path.
    pub steps: u32,
}

/// Number of steps with each technique, indexed by `Technique as usize`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(pub [u16; Technique::COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; Technique::COUNT])
    }
}

impl Rating {
    /// Returns each technique that the path used with its number of steps, in the order of the ladder.
    ///
    /// The result is empty if steps are not counted.
    pub fn techniques(&self) -> impl Iterator<Item = (Technique, u16)> + '_ {
        let of = |counts: &Counts, technique| (technique, counts.0[technique as usize]);
        let counts = self.counts.iter();
        counts
            .flat_map(move |counts| Technique::all().map(move |technique| of(counts, technique)))
            .filter(|&(_, n)| n > 0)
    }
}
