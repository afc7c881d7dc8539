//! Puzzles converted to exact cover problems.

use super::{Matrix, Placed, variant};
use crate::{CoverBuilder, CoverProblem, Entry, Error, NO_COLOUR, ProblemRef, Puzzle, Result};

/// The exact cover problem of a puzzle, with the cells and the digit of each option.
#[derive(Debug, Clone)]
pub struct PuzzleCover {
    /// The exact cover problem. It has only options that the candidates allow.
    ///
    /// For a grid without rules, [`Matrix::name`] gives the names of the items.
    pub cover: CoverProblem,
    /// Number of cells in the grid.
    cells: usize,
    /// One entry per option.
    placed: Vec<Placed>,
}

impl PuzzleCover {
    /// Returns the cells that an option fills, in ascending order, and its 0-based digit.
    ///
    /// # Panics
    /// Panics if the option does not exist.
    pub fn placed(&self, option: u32) -> (&[u16], u8) {
        let (cells, digit) = &self.placed[option as usize];
        (cells, *digit)
    }

    /// Returns the grid that the options of a solution fill, as one 0-based digit per cell.
    ///
    /// The value is 0 for a cell that no option fills.
    ///
    /// # Panics
    /// Panics if one of the options does not exist.
    pub fn digits(&self, options: &[u32]) -> Vec<u8> {
        let mut digits = vec![0; self.cells];
        for &option in options {
            let (cells, digit) = self.placed(option);
            cells.iter().for_each(|&cell| digits[cell as usize] = digit);
        }
        digits
    }
}

/// Converts a grid to an exact cover problem.
///
/// Each solution of the problem corresponds to exactly one solution of the grid, and the other way round.
///
/// # Errors
/// Returns an error if `problem` already is an exact cover problem. Also returns an error if the grid has
/// rules that an exact cover problem cannot express: sums, digits required in some cells, and letter groups
/// together with rules.
pub fn to_cover(problem: ProblemRef<'_>) -> Result<PuzzleCover> {
    let puzzle = match problem {
        ProblemRef::Puzzle(puzzle) => puzzle,
        ProblemRef::Packed(packed) => return to_cover(ProblemRef::Puzzle(&Puzzle::from(*packed))),
        ProblemRef::Cover(_) => return Err(Error::model("not a grid: it is an exact cover problem already")),
    };
    let cells = puzzle.geometry().cells();
    if let Some(rules) = puzzle.rules() {
        let (cover, placed) = variant::to_cover(puzzle, rules)?;
        return Ok(PuzzleCover { cover, cells, placed });
    }
    let mut matrix = Matrix::new(puzzle.geometry());
    matrix.assign(puzzle);
    let mut builder = CoverBuilder::new();
    for item in 0..matrix.items() {
        builder.primary(&matrix.name(item))?;
    }
    let (mut entries, mut placed) = (Vec::new(), Vec::new());
    for option in 0..matrix.options() {
        entries.clear();
        entries.extend(matrix.option(option).iter().map(|&item| Entry { item, colour: NO_COLOUR }));
        builder.option_of(&entries, 0, None)?;
        let (cells, digit) = matrix.placed(option);
        placed.push((cells.to_vec(), digit));
    }
    Ok(PuzzleCover { cover: builder.build()?, cells, placed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DigitSet, Packed9x9, geometry_9x9};

    #[test]
    fn only_options_of_candidates_are_kept() {
        let mut puzzle = Puzzle::new(geometry_9x9());
        puzzle.restrict(0, DigitSet::only(4));
        puzzle.restrict(1, DigitSet::EMPTY);
        let encoded = to_cover(ProblemRef::Puzzle(&puzzle)).unwrap();
        assert_eq!((encoded.cover.items(), encoded.cover.options()), (324, 1 + 79 * 9));
        assert_eq!(encoded.placed(0), (&[0][..], 4));
        let mut words = Vec::new();
        encoded.cover.write_option(0, &mut words);
        assert_eq!(words, b"p00 r05 c05 b05");
        assert_eq!(encoded.digits(&[0, 5])[..4], [4, 0, 4, 0]);
        let full = to_cover(ProblemRef::Packed(&Packed9x9::FULL)).unwrap();
        assert_eq!(full.cover.options(), 729);
        assert!(to_cover(ProblemRef::Cover(&std::sync::Arc::new(full.cover))).is_err());
    }
}
