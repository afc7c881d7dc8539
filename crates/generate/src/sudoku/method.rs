//! Methods of making minimal puzzles.

/// A method of making minimal puzzles from a solved grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Method {
    /// Removes clues in random order, each unless that allows a second solution. Fast, but prefers few clues.
    #[default]
    TopDown,
    /// Removes clues in random order up to the first that is needed, and keeps the puzzle only if it is minimal.
    ///
    /// All minimal puzzles with the same number of clues are equally likely, so each has a known
    /// [weight](crate::Generated::weight).
    Controlled,
}

impl Method {
    /// All methods, each with its name and a description.
    pub const ALL: [(&str, &str, Method); 2] = [
        ("top-down", "remove each clue that is not needed; prefers few clues", Method::TopDown),
        ("controlled", "an unbiased sample, up to a weight for each number of clues", Method::Controlled),
    ];
}
