//! A puzzle as an exact cover problem of its own.

use super::{Matrix, variant};
use crate::{CoverBuilder, CoverProblem, Entry, Error, NO_COLOUR, ProblemRef, Puzzle, Result};

/// A puzzle's exact cover problem, with the cells and digits of its options.
#[derive(Debug, Clone)]
pub struct PuzzleCover {
    /// The problem. It has only the options that the candidates allow; items are named as by [`Matrix::name`].
    pub cover: CoverProblem,
    placing: Placing,
}

/// The cells and digits of options.
#[derive(Debug, Clone)]
enum Placing {
    Matrix(Box<Matrix>),
    /// For a grid with this number of cells.
    Cells(usize, variant::Placed),
}

impl PuzzleCover {
    /// Returns the cells that an option fills, ascending, and the 0-based digit.
    ///
    /// # Panics
    /// Panics if there is no such option.
    pub fn placed(&self, option: u32) -> (&[u16], u8) {
        match &self.placing {
            Placing::Matrix(matrix) => matrix.placed(option as usize),
            Placing::Cells(_, placed) => {
                let (cell, digit) = &placed[option as usize];
                (cell, *digit)
            }
        }
    }

    /// Returns the grid that a solution's options fill, one 0-based digit per cell, 0 for cells not filled.
    ///
    /// # Panics
    /// Panics if there is no such option.
    pub fn digits(&self, options: &[u32]) -> Vec<u8> {
        let cells = match &self.placing {
            Placing::Matrix(matrix) => matrix.geometry().cells(),
            Placing::Cells(cells, _) => *cells,
        };
        let mut digits = vec![0; cells];
        for &option in options {
            let (cells, digit) = self.placed(option);
            cells.iter().for_each(|&cell| digits[cell as usize] = digit);
        }
        digits
    }
}

/// Converts a grid to an exact cover problem.
///
/// The solutions of the problem correspond one to one to those of the grid.
///
/// # Errors
/// Returns an error for an exact cover problem, and for rules that exact cover cannot express: sums, digits required in
/// some cells, and letter groups together with rules.
pub fn to_cover(problem: ProblemRef<'_>) -> Result<PuzzleCover> {
    let puzzle = match problem {
        ProblemRef::Puzzle(puzzle) => puzzle,
        ProblemRef::Packed(packed) => return to_cover(ProblemRef::Puzzle(&Puzzle::from(*packed))),
        ProblemRef::Cover(_) => return Err(Error::model("not a grid: it is an exact cover problem already")),
    };
    if let Some(rules) = puzzle.rules() {
        let (cover, placed) = variant::to_cover(puzzle, rules)?;
        return Ok(PuzzleCover { cover, placing: Placing::Cells(puzzle.geometry().cells(), placed) });
    }
    let mut matrix = Matrix::new(puzzle.geometry());
    matrix.assign(puzzle);
    let mut builder = CoverBuilder::new();
    for item in 0..matrix.items() {
        builder.primary(&matrix.name(item))?;
    }
    let mut entries = Vec::new();
    for option in 0..matrix.options() {
        entries.clear();
        entries.extend(matrix.option(option).iter().map(|&item| Entry { item, colour: NO_COLOUR }));
        builder.option_of(&entries, 0, None)?;
    }
    Ok(PuzzleCover { cover: builder.build()?, placing: Placing::Matrix(Box::new(matrix)) })
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
