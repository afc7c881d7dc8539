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
    /// No step up to this rating was left, so the rating is higher.
    Above(Tenths),
}

impl RatingBound {
    /// Returns the rating or the bound.
    pub const fn tenths(self) -> Tenths {
        match self {
            RatingBound::Exactly(tenths) | RatingBound::Above(tenths) => tenths,
        }
    }

    /// Returns the minimum rating, or `None` if the rating itself is known.
    ///
    /// Ratings have one decimal place, so a rating above 9.4 is at least 9.5.
    pub const fn at_least(self) -> Option<Tenths> {
        match self {
            RatingBound::Exactly(_) => None,
            RatingBound::Above(Tenths(tenths)) => Some(Tenths(tenths.saturating_add(1))),
        }
    }

    /// Returns true if this is an exact rating.
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

/// The rating of a puzzle, and a summary of the path it results from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rating {
    /// The largest rating of a step of the path.
    pub er: RatingBound,
    /// Pearl: the largest rating up to the step that placed the first digit.
    pub ep: RatingBound,
    /// Diamond: the rating of the first step.
    pub ed: RatingBound,
    /// The technique of the first step with the largest rating; `None` if no step was found or needed.
    pub hardest: Option<Technique>,
    /// Number of steps by technique; `None` unless they are [counted](super::Rater::counting).
    pub counts: Option<Box<Counts>>,
    /// Number of steps of the path.
    pub steps: u32,
}

/// Number of steps by technique, indexed by `Technique as usize`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(pub [u16; Technique::COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; Technique::COUNT])
    }
}

impl Rating {
    /// Returns the techniques of the path with their numbers of steps, in the order of the ladder.
    ///
    /// Empty unless steps are counted.
    pub fn techniques(&self) -> impl Iterator<Item = (Technique, u16)> + '_ {
        let of = |counts: &Counts, technique| (technique, counts.0[technique as usize]);
        let counts = self.counts.iter();
        counts
            .flat_map(move |counts| Technique::all().map(move |technique| of(counts, technique)))
            .filter(|&(_, n)| n > 0)
    }
}
