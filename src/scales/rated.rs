//! A rating on any scale.

use std::fmt;

use super::{MeanGuesses, Thousandths};

/// A rating.
///
/// `Display` writes it as rows do: `12`, `3.270`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rated {
    /// A number of guesses.
    Guesses(u64),
    /// A mean of guesses.
    Mean(MeanGuesses),
}

impl Rated {
    /// The rating in tenths, rounded.
    pub fn tenths(&self) -> u64 {
        match self {
            Rated::Guesses(guesses) => guesses.saturating_mul(10),
            Rated::Mean(mean) => mean.tenths(),
        }
    }

    /// True if the rating is only known to be above the number.
    pub fn is_above(&self) -> bool {
        match self {
            Rated::Guesses(_) | Rated::Mean(_) => false,
        }
    }

    /// The standard error of a rating that is a mean.
    pub fn error(&self) -> Option<Thousandths> {
        match self {
            Rated::Guesses(_) => None,
            Rated::Mean(mean) => mean.error(),
        }
    }
}

impl fmt::Display for Rated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rated::Guesses(guesses) => guesses.fmt(f),
            Rated::Mean(mean) => mean.fmt(f),
        }
    }
}
