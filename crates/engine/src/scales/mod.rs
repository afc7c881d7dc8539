//! Ratings of difficulty: the scales there are, and a puzzle's place on one of them.
//!
//! | scale | a rating is | under arrangement and labels |
//! |---|---|---|
//! | `ser` | Sudoku Explainer's: the hardest step of the easiest path | mostly stays |
//! | `ser-canonical` | the same of the `carried` form | stays |
//! | `guesses` | guesses of the engine that answered | changes |
//! | `guesses-mean` | mean guesses over seeded arrangements of the `carried` form | stays |
//!
//! All scales are of puzzles with one solution. Ratings of different scales never compare, nor do those of one scale whose
//! [versions](Scale::version) differ.
//!
//! ```text
//! mod     Scale
//! rated   Rated: a rating on any scale
//! unrated Unrated: why there is none
//! mean    MeanGuesses, and the searches it is the mean of
//! ```

mod mean;
mod rated;
mod unrated;

pub use mean::{GuessRater, MeanGuesses, Thousandths};
pub use rated::Rated;
pub use unrated::Unrated;

use std::fmt;

use crate::EngineKind;
use quadrille_rating::{Rater, SER, Tenths};

/// A scale, with what has to be said to rate on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The rating of Sudoku Explainer ([`rating`](quadrille_rating)), which can change a little under arrangement, since of several
    /// steps it takes the first.
    Ser {
        /// No step with a higher rating is taken.
        up_to: Tenths,
    },
    /// The same of the `carried` form: the same for all puzzles that differ in arrangement and labels only.
    SerCanonical {
        /// No step with a higher rating is taken.
        up_to: Tenths,
    },
    /// Guesses of the engine that answered, of the search that proved the solution the only one. Another arrangement of the
    /// same puzzle has another number.
    Guesses,
    /// The mean of guesses over arrangements of the `carried` form: the same for all puzzles that differ in arrangement and
    /// labels only.
    GuessesMean {
        /// Number of arrangements, from 1 to [`MOST_PERMUTATIONS`].
        permutations: u32,
        /// Seed of the random numbers that the arrangements are drawn by.
        seed: u64,
    },
}

/// Arrangements of a puzzle at most.
pub const MOST_PERMUTATIONS: u32 = 1 << 16;
/// Arrangements of a puzzle by default: the standard error is a tenth of what the guesses vary by.
pub const PERMUTATIONS: u32 = 100;

/// The versions of a scale that counts guesses, by engine: a number goes up when the engine's search changes.
macro_rules! by_engine {
    ($scale:literal, $engine:expr) => {
        match $engine {
            EngineKind::Dlx => concat!($scale, "/dlx-1"),
            EngineKind::Bitmask => concat!($scale, "/bitmask-1"),
            EngineKind::Bitset => concat!($scale, "/bitset-1"),
            EngineKind::Naive => concat!($scale, "/naive-1"),
            EngineKind::Bound => concat!($scale, "/bound-1"),
            EngineKind::Lanes => concat!($scale, "/lanes-1"),
            EngineKind::Memo => concat!($scale, "/memo-1"),
            EngineKind::Cheapest => concat!($scale, "/cheapest-1"),
            EngineKind::Bands => concat!($scale, "/bands-1"),
            EngineKind::Variant => concat!($scale, "/variant-1"),
        }
    };
}

impl Scale {
    /// All of them with what they are rated by where nothing is said, in the order of the documentation.
    pub const ALL: &'static [Scale] = &[
        Scale::SER,
        Scale::SER_CANONICAL,
        Scale::Guesses,
        Scale::GuessesMean { permutations: PERMUTATIONS, seed: 1 },
    ];

    /// Sudoku Explainer's, as far as it is built.
    pub const SER: Scale = Scale::Ser { up_to: Rater::UNBOUNDED };
    const SER_CANONICAL: Scale = Scale::SerCanonical { up_to: Rater::UNBOUNDED };

    /// True if it rates the steps of a path.
    pub const fn has_steps(self) -> bool {
        matches!(self, Scale::Ser { .. } | Scale::SerCanonical { .. })
    }

    /// Returns a few words about it, for help.
    pub const fn about(self) -> &'static str {
        match self {
            Scale::Ser { .. } => "Sudoku Explainer's: the hardest step of the easiest path",
            Scale::SerCanonical { .. } => "the same of the carried form, the same for all arrangements",
            Scale::Guesses => "guesses of the engine; another arrangement has another number",
            Scale::GuessesMean { .. } => {
                "mean guesses over random arrangements, the same for all arrangements"
            }
        }
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Ser { .. } => "ser",
            Scale::SerCanonical { .. } => "ser-canonical",
            Scale::Guesses => "guesses",
            Scale::GuessesMean { .. } => "guesses-mean",
        }
    }

    /// Its name and its version, `name/version`: ratings with the same one compare. `engine` is the one that
    /// answered, where guesses are counted.
    pub const fn version(self, engine: EngineKind) -> &'static str {
        match self {
            Scale::Ser { .. } => SER,
            Scale::SerCanonical { .. } => "ser-canonical/1.2.1",
            Scale::Guesses => by_engine!("guesses", engine),
            Scale::GuessesMean { .. } => by_engine!("guesses-mean", engine),
        }
    }
}

/// Writes it as the command line names it, parameters and all.
impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Scale::Ser { up_to } | Scale::SerCanonical { up_to } if *up_to < Rater::UNBOUNDED => {
                write!(f, " --up-to {up_to}")
            }
            Scale::Ser { .. } | Scale::SerCanonical { .. } | Scale::Guesses => Ok(()),
            Scale::GuessesMean { permutations, seed } => {
                write!(f, " --permutations {permutations} --seed {seed}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENGINES;

    #[test]
    fn versions_name_scale_and_engine() {
        for info in ENGINES {
            assert_eq!(Scale::SER_CANONICAL.version(info.kind), SER.replace("ser", "ser-canonical"));
            let mean = Scale::GuessesMean { permutations: 1, seed: 1 };
            for scale in [Scale::Guesses, mean] {
                let expected = format!("{}/{}-1", scale.name(), info.name);
                assert_eq!(scale.version(info.kind), expected);
            }
        }
    }
}
