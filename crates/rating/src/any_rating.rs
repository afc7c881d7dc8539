//! A rating on any scale.

use std::fmt;
use std::io::Write;

use super::level::Level;
use super::mean_guesses::{MeanGuesses, Thousandths};
use super::rating_bound::Rating;

/// A rating.
///
/// `Display` writes ratings as in table rows: `7.2`, `>7.5`, `12`, `3.270`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyRating {
    /// The rating of the steps of a path.
    Ser(Rating),
    /// A number of guesses.
    Guesses(u64),
    /// A mean of guesses.
    Mean(MeanGuesses),
    /// A level, as a number from 1.
    Level(Level),
}

impl AnyRating {
    /// Returns the rating in tenths, rounded.
    pub fn tenths(&self) -> u64 {
        match self {
            AnyRating::Ser(rating) => rating.er.tenths().0.into(),
            AnyRating::Guesses(guesses) => guesses.saturating_mul(10),
            AnyRating::Mean(mean) => mean.tenths(),
            AnyRating::Level(level) => 10 * *level as u64,
        }
    }

    /// Returns true if the rating is only known to exceed the number that [`tenths`](Self::tenths) returns.
    pub fn is_above(&self) -> bool {
        match self {
            AnyRating::Ser(rating) => !rating.er.is_exact(),
            AnyRating::Guesses(_) | AnyRating::Mean(_) | AnyRating::Level(_) => false,
        }
    }

    /// Returns the rating by steps, or `None` on scales without steps.
    pub fn steps(&self) -> Option<&Rating> {
        match self {
            AnyRating::Ser(rating) => Some(rating),
            AnyRating::Guesses(_) | AnyRating::Mean(_) | AnyRating::Level(_) => None,
        }
    }

    /// Appends the rating as text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            AnyRating::Ser(rating) => rating.er.append(out),
            _ => write!(out, "{self}").expect("writing to memory does not fail"),
        }
    }

    /// Appends the text that checksums use: the rating, or `ER/EP/ED` for a rating by steps.
    pub fn write_term(&self, out: &mut Vec<u8>) {
        let AnyRating::Ser(Rating { er, ep, ed, .. }) = self else { return self.write(out) };
        er.append(out);
        for bound in [ep, ed] {
            out.push(b'/');
            bound.append(out);
        }
    }

    /// Returns the standard error of a rating that is a mean, or `None` for other ratings.
    pub fn error(&self) -> Option<Thousandths> {
        match self {
            AnyRating::Ser(_) | AnyRating::Guesses(_) | AnyRating::Level(_) => None,
            AnyRating::Mean(mean) => mean.error(),
        }
    }
}

impl fmt::Display for AnyRating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyRating::Ser(rating) => rating.er.fmt(f),
            AnyRating::Guesses(guesses) => guesses.fmt(f),
            AnyRating::Mean(mean) => mean.fmt(f),
            AnyRating::Level(level) => level.fmt(f),
        }
    }
}
