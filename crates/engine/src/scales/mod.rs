//! Ratings of difficulty: the available scales, and the rating of a puzzle on one of them.
//!
//! | scale | a rating is | of a rearranged or relabelled puzzle |
//! |---|---|---|
//! | `ser` | Sudoku Explainer's: the hardest step of the easiest path | usually the same |
//! | `ser-canonical` | the `ser` rating of the `by-solution` form | the same |
//! | `qqwing` | QQWing's level: 1 simple, 2 easy, 3 intermediate, 4 expert | the same |
//! | `guesses` | guesses of the engine that answered | another |
//! | `guesses-mean` | mean guesses over seeded arrangements of the `by-solution` form | the same |
//!
//! All scales are for puzzles with one solution. Ratings of different scales are not comparable, and neither
//! are ratings of one scale with different [versions](Scale::version).
//!
//! ```text
//! mod         Scale
//! mean        GuessRater: the searches that a mean of guesses averages
//! ```

mod mean;

pub use mean::GuessRater;

use std::fmt;

use crate::EngineKind;
use quadrille_rating::{QQWING, Rater, SER, Tenths};

/// A scale, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// The rating of Sudoku Explainer ([`rating`](quadrille_rating)).
    ///
    /// If several steps are possible, the rater uses the first of them. So another arrangement of the same
    /// puzzle may get a slightly different rating.
    Ser {
        /// Maximum rating of a step.
        max_rating: Tenths,
    },
    /// The `ser` rating of a puzzle's `by-solution` form.
    ///
    /// If puzzles differ only in arrangement and labels, they get the same rating.
    SerCanonical {
        /// Maximum rating of a step.
        max_rating: Tenths,
    },
    /// The level of QQWing ([`Level`](quadrille_rating::Level)).
    Qqwing,
    /// Number of guesses that the engine made in the search that proved the solution unique.
    ///
    /// For another arrangement of the same puzzle, the engine makes another number of guesses.
    Guesses,
    /// Mean number of guesses over many arrangements of a puzzle's `by-solution` form.
    ///
    /// If puzzles differ only in arrangement and labels, they get the same mean.
    GuessesMean {
        /// Number of arrangements to average over, from 1 to [`MAX_PERMUTATIONS`].
        permutations: u32,
        /// Seed of the random numbers that select the arrangements.
        seed: u64,
    },
}

/// Maximum number of arrangements of a puzzle.
pub const MAX_PERMUTATIONS: u32 = 1 << 16;
/// Default number of arrangements of a puzzle.
///
/// With this number, the standard error is a tenth of the standard deviation of the guesses.
pub const PERMUTATIONS: u32 = 100;

/// Returns the version of a scale that counts guesses. Each engine has its own version.
///
/// The version number increases when the search of the engine changes.
macro_rules! by_engine {
    ($scale:literal, $engine:expr) => {
        match $engine {
            EngineKind::Dlx => concat!($scale, "/dlx-1"),
            EngineKind::Bitmask => concat!($scale, "/bitmask-1"),
            EngineKind::Bitset => concat!($scale, "/bitset-1"),
            EngineKind::Naive => concat!($scale, "/naive-1"),
            EngineKind::BestGrid => concat!($scale, "/best-grid-1"),
            EngineKind::Lanes => concat!($scale, "/lanes-1"),
            EngineKind::Memo => concat!($scale, "/memo-1"),
            EngineKind::BestCover => concat!($scale, "/best-cover-1"),
            EngineKind::Bands => concat!($scale, "/bands-1"),
            EngineKind::Variant => concat!($scale, "/variant-1"),
        }
    };
}

impl Scale {
    /// All scales with their default parameters, in the order in which the documentation lists them.
    pub const ALL: &'static [Scale] = &[
        Scale::SER,
        Scale::SER_CANONICAL,
        Scale::Qqwing,
        Scale::Guesses,
        Scale::GuessesMean { permutations: PERMUTATIONS, seed: 1 },
    ];

    /// The scale of Sudoku Explainer without a maximum rating, so that all supported steps are used.
    pub const SER: Scale = Scale::Ser { max_rating: Rater::UNBOUNDED };
    const SER_CANONICAL: Scale = Scale::SerCanonical { max_rating: Rater::UNBOUNDED };

    /// Returns the scale with the given parameters. A parameter that is `None` stays as it is.
    ///
    /// # Errors
    /// Returns an error if a parameter belongs to another scale. The error contains the name of the parameter
    /// and the name of the other scale.
    pub fn with(
        self,
        max_rating: Option<Tenths>,
        permutations: Option<u32>,
        seed: Option<u64>,
    ) -> Result<Self, (&'static str, &'static str)> {
        let is_mean = matches!(self, Scale::GuessesMean { .. });
        let foreign = [
            ("permutations", permutations.is_some() && !is_mean, "guesses-mean"),
            ("seed", seed.is_some() && !is_mean, "guesses-mean"),
            ("max_rating", max_rating.is_some() && !self.has_steps(), "ser"),
        ];
        if let Some((name, _, scale)) = foreign.into_iter().find(|(_, is_foreign, _)| *is_foreign) {
            return Err((name, scale));
        }
        Ok(match self {
            Scale::Ser { max_rating: own } => Scale::Ser { max_rating: max_rating.unwrap_or(own) },
            Scale::SerCanonical { max_rating: own } => {
                Scale::SerCanonical { max_rating: max_rating.unwrap_or(own) }
            }
            Scale::GuessesMean { permutations: number, seed: own } => {
                Scale::GuessesMean { permutations: permutations.unwrap_or(number), seed: seed.unwrap_or(own) }
            }
            other => other,
        })
    }

    /// Returns true if the scale rates the individual steps of a solution path.
    pub const fn has_steps(self) -> bool {
        matches!(self, Scale::Ser { .. } | Scale::SerCanonical { .. })
    }

    /// Returns a short description of the scale for help texts.
    pub const fn about(self) -> &'static str {
        match self {
            Scale::Ser { .. } => "rating of Sudoku Explainer: the hardest step of the easiest path",
            Scale::SerCanonical { .. } => "ser of the by-solution form, equal for all arrangements",
            Scale::Qqwing => "level of QQWing: 1 simple, 2 easy, 3 intermediate, 4 expert",
            Scale::Guesses => "guesses of the engine, different for other arrangements",
            Scale::GuessesMean { .. } => "mean guesses over random arrangements, equal for all arrangements",
        }
    }

    /// Returns the name of the scale on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Ser { .. } => "ser",
            Scale::SerCanonical { .. } => "ser-canonical",
            Scale::Qqwing => "qqwing",
            Scale::Guesses => "guesses",
            Scale::GuessesMean { .. } => "guesses-mean",
        }
    }

    /// Returns the name and version of the scale as `name/version`. Ratings with the same version are
    /// comparable.
    ///
    /// `engine` is the engine that searched the puzzle. It is relevant only for scales that count guesses.
    pub const fn version(self, engine: EngineKind) -> &'static str {
        match self {
            Scale::Ser { .. } => SER,
            Scale::SerCanonical { .. } => "ser-canonical/1.2.1",
            Scale::Qqwing => QQWING,
            Scale::Guesses => by_engine!("guesses", engine),
            Scale::GuessesMean { .. } => by_engine!("guesses-mean", engine),
        }
    }
}

/// Writes the scale with its parameters, in the form used on the command line.
impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Scale::Ser { max_rating } | Scale::SerCanonical { max_rating }
                if *max_rating < Rater::UNBOUNDED =>
            {
                write!(f, " --max-rating {max_rating}")
            }
            Scale::Ser { .. } | Scale::SerCanonical { .. } | Scale::Qqwing | Scale::Guesses => Ok(()),
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
