//! Methods of making minimal puzzles.

/// A method of making a minimal puzzle from a solved grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Method {
    /// Removes clues in random order, and keeps each clue without which there would be a second solution.
    ///
    /// This is fast, but puzzles with few clues are too frequent.
    #[default]
    TopDown,
    /// Removes clues in random order until the first clue that is needed.
    ///
    /// The puzzle is accepted only if it is then minimal. All minimal puzzles with the same number of clues
    /// are equally likely. So each has a known [weight](crate::Generated::weight).
    Controlled,
}

impl Method {
    /// All methods. Each entry is a name, a description and the method.
    pub const ALL: [(&str, &str, Method); 2] = [
        ("top-down", "remove each clue that is not needed; prefers few clues", Method::TopDown),
        ("controlled", "an unbiased sample, up to a weight for each number of clues", Method::Controlled),
    ];
}
