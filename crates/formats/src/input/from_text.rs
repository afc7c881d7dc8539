//! Reads problems from text.

use std::sync::Arc;

use super::{Format, read_one};
use quadrille_model::{CoverProblem, Error, Packed9x9, Problem, Puzzle, Result};

/// A type of problem that can be read from text.
pub trait FromText: Sized {
    /// Reads a text that contains exactly one problem.
    ///
    /// # Errors
    /// Returns an error if the text cannot be read, or if it contains no problem, several problems, or a
    /// problem of another kind. The error gives the position in the text.
    fn from_text(text: &str) -> Result<Self>;
}

impl FromText for Puzzle {
    /// Reads a puzzle in any grid format that can be detected.
    ///
    /// Examples: 81 characters, a line of characters for a grid of another side, 729 characters of pencilmarks, letters
    /// for even, odd and equal cells, a drawn grid.
    ///
    /// ```
    /// use quadrille::{FromText, Puzzle};
    /// let puzzle = Puzzle::from_text("1.....2..3.....4")?;
    /// assert_eq!(puzzle.clues(), 4);
    /// let error = Puzzle::from_text("1...7.2..3.....4").unwrap_err();
    /// assert_eq!(error.to_string(), "text:1 (byte 0): character '7' in column 5 is not a digit of a 4x4");
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    fn from_text(text: &str) -> Result<Self> {
        match read_one(text, None)? {
            Problem::Packed(packed) => Ok(packed.into()),
            Problem::Puzzle(puzzle) => Ok(puzzle),
            Problem::Cover(_) => Err(Error::model("the text is an exact cover problem, not a grid")),
        }
    }
}

impl FromText for Packed9x9 {
    /// Reads a plain 9x9 grid in any format that can be detected.
    ///
    /// A line of 81 characters (`1` to `9`, `.`, `0`) takes 0.1 microseconds to read.
    fn from_text(text: &str) -> Result<Self> {
        match read_one(text, None)? {
            Problem::Packed(packed) => Ok(packed),
            _ => Err(Error::model("not a plain 9x9")),
        }
    }
}

impl FromText for CoverProblem {
    /// Reads an exact cover problem in Knuth's format: a line of items, then one line per option.
    ///
    /// ```
    /// use quadrille::{CoverProblem, CoverQuestions, FromText};
    /// let cover = CoverProblem::from_text("a b c | d\na d\nb c\na b c\n")?;
    /// assert_eq!(cover.count(10)?, 2);
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    fn from_text(text: &str) -> Result<Self> {
        match read_one(text, Some(Format::Dlx))? {
            Problem::Cover(cover) => Ok(Arc::unwrap_or_clone(cover)),
            _ => Err(Error::model("no exact cover problem in the text")),
        }
    }
}
