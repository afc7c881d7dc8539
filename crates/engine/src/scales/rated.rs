//! A rating on any scale.

use std::fmt;
use std::io::Write;

use super::{MeanGuesses, Thousandths};
use quadrille_rating::{Grade, Rating, Tenths};

/// A rating.
///
/// `Display` writes it like table rows: `7.2`, `>7.5`, `12`, `3.270`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rated {
    /// The rating of the steps of a path.
    Ser(Rating),
    /// A number of guesses.
    Guesses(u64),
    /// A mean of guesses.
    Mean(MeanGuesses),
}

impl Rated {
    /// Returns the rating in tenths, rounded.
    pub fn tenths(&self) -> u64 {
        match self {
            Rated::Ser(rating) => rating.er.tenths().0.into(),
            Rated::Guesses(guesses) => guesses.saturating_mul(10),
            Rated::Mean(mean) => mean.tenths(),
        }
    }

    /// Returns true if the rating is only known to exceed the number.
    pub fn is_above(&self) -> bool {
        match self {
            Rated::Ser(rating) => !rating.er.is_exact(),
            Rated::Guesses(_) | Rated::Mean(_) => false,
        }
    }

    /// Returns the rating by steps, or `None` on scales without steps.
    pub fn steps(&self) -> Option<&Rating> {
        match self {
            Rated::Ser(rating) => Some(rating),
            Rated::Guesses(_) | Rated::Mean(_) => None,
        }
    }

    /// Appends the rating as text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            // By far the most frequent case.
            Rated::Ser(Rating { er: Grade::Exactly(Tenths(tenths @ 0..100)), .. }) => {
                out.extend_from_slice(&[b'0' + tenths / 10, b'.', b'0' + tenths % 10]);
            }
            _ => write!(out, "{self}").expect("writing to memory does not fail"),
        }
    }

    /// Appends the text that checksums use: the rating, or `ER/EP/ED` for a rating by steps.
    pub fn write_term(&self, out: &mut Vec<u8>) {
        let written = match self {
            Rated::Ser(Rating { er, ep, ed, .. }) => write!(out, "{er}/{ep}/{ed}"),
            Rated::Guesses(_) | Rated::Mean(_) => write!(out, "{self}"),
        };
        written.expect("writing to memory does not fail");
    }

    /// Returns the standard error of a rating that is a mean, or `None` for other ratings.
    pub fn error(&self) -> Option<Thousandths> {
        match self {
            Rated::Ser(_) | Rated::Guesses(_) => None,
            Rated::Mean(mean) => mean.error(),
        }
    }
}

impl fmt::Display for Rated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rated::Ser(rating) => rating.er.fmt(f),
            Rated::Guesses(guesses) => guesses.fmt(f),
            Rated::Mean(mean) => mean.fmt(f),
        }
    }
}
