//! What a rated puzzle is answered with.

use std::fmt;

use super::{Technique, Tenths};

/// A rating that is known, or what it is known to be above.
///
/// `Display` writes `7.2` or `>7.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grade {
    /// The rating.
    Exactly(Tenths),
    /// No step up to this one was left: the rating is higher.
    Above(Tenths),
}

impl Grade {
    /// The number in it.
    pub const fn tenths(self) -> Tenths {
        match self {
            Grade::Exactly(tenths) | Grade::Above(tenths) => tenths,
        }
    }

    /// True if it is the rating itself.
    pub const fn is_exact(self) -> bool {
        matches!(self, Grade::Exactly(_))
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grade::Exactly(tenths) => tenths.fmt(f),
            Grade::Above(tenths) => write!(f, ">{tenths}"),
        }
    }
}

/// The rating of a puzzle and a summary of the path that it is read off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// The largest rating of a step of the path.
    pub er: Grade,
    /// Pearl: the largest one until the first digit was placed.
    pub ep: Grade,
    /// Diamond: that of the first step.
    pub ed: Grade,
    /// The technique of the first step with the largest rating; `None` where no step was found, or none was needed.
    pub hardest: Option<Technique>,
    /// Steps by technique; `None` where they are not [counted](super::Rater::counting).
    pub counts: Option<Box<Counts>>,
    /// Steps of the path.
    pub steps: u32,
}

/// Steps by technique, as `Technique as usize` counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(pub [u16; Technique::COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; Technique::COUNT])
    }
}

impl Rating {
    /// The techniques of the path with their numbers of steps, in the order of the ladder, where they are counted.
    pub fn techniques(&self) -> impl Iterator<Item = (Technique, u16)> + '_ {
        let of = |counts: &Counts, technique| (technique, counts.0[technique as usize]);
        let counts = self.counts.iter();
        counts
            .flat_map(move |counts| Technique::all().map(move |technique| of(counts, technique)))
            .filter(|&(_, n)| n > 0)
    }
}
