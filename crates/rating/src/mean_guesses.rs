//! A mean number of guesses.

use std::fmt;

/// The mean number of guesses over several searches, with its standard error.
///
/// `Display` writes the mean with three decimal places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeanGuesses {
    /// Number of searches.
    searches: u64,
    /// Total number of guesses in all searches.
    guesses: u64,
    /// Sum of the squares of the searches' numbers of guesses.
    squares: u128,
}

/// A number in thousandths.
///
/// `Display` writes the number with three decimal places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thousandths(pub u64);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl MeanGuesses {
    /// Adds a search that made the given number of guesses.
    pub fn add(&mut self, guesses: u64) {
        self.searches += 1;
        self.guesses = self.guesses.saturating_add(guesses);
        self.squares = self.squares.saturating_add(u128::from(guesses) * u128::from(guesses));
    }

    /// Returns the mean multiplied by `unit`, rounded to an integer. Returns 0 if there are no searches.
    fn times(self, unit: u64) -> u64 {
        let searches = u128::from(self.searches.max(1));
        let rounded = (u128::from(self.guesses) * u128::from(unit) + searches / 2) / searches;
        u64::try_from(rounded).unwrap_or(u64::MAX)
    }

    /// Returns the number of searches.
    pub fn searches(self) -> u64 {
        self.searches
    }

    /// Returns the mean.
    pub fn mean(self) -> Thousandths {
        Thousandths(self.times(1000))
    }

    /// Returns the mean in tenths, rounded to an integer.
    pub fn tenths(self) -> u64 {
        self.times(10)
    }

    /// Returns the standard error of the mean, or `None` if there are fewer than two searches.
    ///
    /// The standard error is the square root of a quotient: the sample variance divided by the number of
    /// searches.
    pub fn error(self) -> Option<Thousandths> {
        let searches = u128::from(self.searches);
        if searches < 2 {
            return None;
        }
        // Everything up to `deviations` is computed with integers. `deviations` is the number of searches
        // times the sum of squared deviations.
        let square = u128::from(self.guesses).saturating_mul(self.guesses.into());
        let deviations = searches.saturating_mul(self.squares).saturating_sub(square);
        let variance = deviations as f64 / (searches * searches * (searches - 1)) as f64;
        Some(Thousandths((variance.sqrt() * 1000.0).round() as u64))
    }
}

impl fmt::Display for MeanGuesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mean().fmt(f)
    }
}
