//! A rating on any scale.

use std::fmt;
use std::io::Write;

use super::level::Level;
use super::mean_guesses::{MeanGuesses, Thousandths};
use super::rating_bound::Rating;

/// A rating on any scale.
///
/// `Display` writes ratings in the form that table rows use: `7.2`, `>7.5`, `12`, `3.270`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyRating {
    /// A rating computed from the steps of a solution path.
    Ser(Rating),
    /// A number of guesses.
    Guesses(u64),
    /// A mean of guesses.
    Mean(MeanGuesses),
    /// A level, as a 1-based number.
    Level(Level),
}

impl AnyRating {
    /// Returns the rating in tenths. A rating that is more precise is rounded.
    pub fn tenths(&self) -> u64 {
        match self {
            AnyRating::Ser(rating) => rating.er.tenths().0.into(),
            AnyRating::Guesses(guesses) => guesses.saturating_mul(10),
            AnyRating::Mean(mean) => mean.tenths(),
            AnyRating::Level(level) => 10 * *level as u64,
        }
    }

    /// Returns true if only a lower bound of the rating is known. The rating then exceeds the value of
    /// [`tenths`](Self::tenths).
    pub fn is_above(&self) -> bool {
        self.steps().is_some_and(|rating| !rating.er.is_exact())
    }

    /// Returns the rating with the steps of a solution path, or `None` on scales that do not use steps.
    pub fn steps(&self) -> Option<&Rating> {
        if let AnyRating::Ser(rating) = self { Some(rating) } else { None }
    }

    /// Appends the rating as text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            AnyRating::Ser(rating) => rating.er.append(out),
            _ => write!(out, "{self}").expect("writing to memory does not fail"),
        }
    }

    /// Appends the text of the rating that enters checksums.
    ///
    /// A rating computed from steps becomes `ER/EP/ED`. Other ratings are written as `Display` writes them.
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
        if let AnyRating::Mean(mean) = self { mean.error() } else { None }
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
