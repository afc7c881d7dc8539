//! Canonical forms: one grid for all grids that differ only in arrangement and in the names of digits.
//!
//! The group of a 9x9 has 3,359,232 arrangements (rows within bands, bands, columns within stacks, stacks,
//! transposition) times 9! labellings. There are three forms, which are not comparable with each other
//! ([`Form`]):
//!
//! | form | definition | needs |
//! |---|---|---|
//! | `by-solution` | the clues under the transform that makes the solution least; if several do, the least image | one solution |
//! | `solution` | the least of all images of the solution | one solution |
//! | `puzzle` | the least of all images of the clues | nothing |
//!
//! Images are compared cell by cell in reading order; an empty cell is below `1`. Two puzzles with one
//! solution each have the same `by-solution` form if and only if they have the same `puzzle` form, and `by-solution`
//! costs a tenth.
//!
//! 4x4 grids have 128 arrangements. 6x6 grids with boxes of 2x3 have 3,456: their boxes are not square, so
//! they are not transposed. Other shapes have no canonical form here.
//!
//! ```text
//! mod          Form, Canonical, NoForm; canonical() for one puzzle, Canonizer for many
//! cells        Cells: a grid with its empty cells
//! transform    Transform: an arrangement with labels, as text too
//! transformed  Transformed: a grid's image under a transform
//! isomorphs    Isomorphs: random transforms of a grid of any side, and the image of a whole puzzle
//! bands        the table of the 416 classes of bands
//! solved       the forms `solution` and `by-solution` of a 9x9, from its best bands
//! puzzle       the form `puzzle` of a 9x9, row by row
//! exhaustive   sides 4 and 6: every arrangement is tried
//! ```

mod bands;
mod cells;
mod exhaustive;
mod isomorphs;
mod puzzle;
mod solved;
mod transform;
mod transformed;

pub use cells::Cells;
pub use isomorphs::{Isomorphs, NoImage, Part, Parts};
pub use transform::{Transform, TransformError};
pub use transformed::Transformed;

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

use crate::{ProblemRef, Solution, worded};
use exhaustive::SmallSearch;
use puzzle::PuzzleSearch;
use solved::SolvedSearch;

worded! {
    /// The kinds of canonical form.
    #[derive(Default)]
    pub Form, name, from_name {
        /// The clues, after the transform that makes the solution lexicographically smallest.
        ///
        /// If several transforms do this, they may give different clues. The form is then the smallest of
        /// these clues.
        #[default]
        BySolution = "by-solution" => "the clues, arranged so that the solution is the least; needs one solution",
        /// The lexicographically smallest grid into which the solution can be transformed.
        Solution = "solution" => "the least arrangement of the solution (minlex); needs one solution",
        /// The lexicographically smallest grid into which the clues can be transformed.
        Puzzle = "puzzle" => "the least arrangement of the clues (minlex), for any number of solutions",
    }
}

impl Form {
    /// Returns true if the canonical form depends on the solution.
    pub const fn needs_solution(self) -> bool {
        !matches!(self, Form::Puzzle)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A canonical form, with a transform that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The type of canonical form. Canonical forms of different types are not comparable.
    pub form: Form,
    /// The least image.
    pub cells: Cells,
    /// A transform that leads from the clues to the image. For [`Form::Solution`], it leads from the solution
    /// to the image.
    ///
    /// Several transforms may lead to the image. For `by-solution`, for `solution`, and for the side lengths
    /// 4 and 6, this is the smallest of them. For [`Form::Puzzle`] of a 9x9 grid, it is one of them, always
    /// the same one for the same clues. Digits that do not occur get the last labels, in ascending order.
    pub transform: Transform,
    /// Number of arrangements that leave the solution unchanged except for labels. The identity counts as
    /// one.
    ///
    /// From 1 to 648 for a 9x9 grid. `None` for [`Form::Puzzle`].
    pub solution_automorphisms: Option<u32>,
    /// Number of arrangements that leave the clues unchanged except for labels. The identity counts as one.
    ///
    /// Some digits may not occur in the clues. Arrangements that differ only in the labels of these digits
    /// count once. So the number for the empty 9x9 grid is 3,359,232. `None` for [`Form::Solution`], which
    /// does not depend on the clues.
    pub automorphisms: Option<u32>,
    /// Lowest class of the six bands of the solution and of its transpose, from 1 to 416.
    ///
    /// A band of this class becomes the top band of the image. Classes are numbered in the order of their
    /// smallest bands. `None` for [`Form::Puzzle`], and for the side lengths 4 and 6.
    pub band: Option<u16>,
}

/// The reason why there is no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoForm {
    /// This crate has no canonical forms for grids with this side length or with these boxes.
    #[error("only 9x9, 4x4 and (with boxes of 2x3) 6x6 grids have canonical forms")]
    Side,
    /// A number is greater than the side length, so it is not a digit.
    #[error("a digit above the side")]
    Digit,
    /// The puzzle has conditions other than clues.
    #[error("a puzzle with candidates, letter groups or rules has no canonical form")]
    Conditions,
    /// The canonical form depends on the solution, but no solution was given.
    #[error("this form needs the solution")]
    NeedsSolution,
    /// The given solution is invalid, or does not agree with the clues.
    #[error("not a solution of this puzzle")]
    WrongSolution,
}

/// Computes canonical forms, reusing its memory.
///
/// The first 9x9 of a program takes a few milliseconds more, to compute a table.
///
/// ```
/// use quadrille::canonical::{Canonizer, Cells};
///
/// // The most symmetric grid there is.
/// let grid: Vec<u8> = b"123456789456789123789123456231564897564897231897231564312645978645978312978312645"
///     .iter()
///     .map(|byte| byte - b'0')
///     .collect();
/// let grid = Cells::new(&grid)?;
/// let canonical = Canonizer::new().solution(&grid)?;
/// assert_eq!(canonical.solution_automorphisms, Some(648));
/// assert_eq!(canonical.transform.apply(&grid), Some(canonical.cells));
/// # Ok::<(), quadrille::canonical::NoForm>(())
/// ```
#[derive(Debug, Default)]
pub struct Canonizer {
    solved: SolvedSearch,
    puzzle: PuzzleSearch,
    small: SmallSearch,
}

impl Canonizer {
    /// Creates a canonizer. It allocates memory only at its first search.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the canonical form of a puzzle. `form` gives its type.
    ///
    /// # Errors
    /// Returns [`NoForm::NeedsSolution`] if this type needs a solution and none is given. Also returns the
    /// errors of [`by_solution`](Self::by_solution).
    #[inline]
    pub fn canonical(
        &mut self,
        form: Form,
        clues: &Cells,
        solution: Option<&Cells>,
    ) -> Result<Canonical, NoForm> {
        match (form, solution) {
            (Form::Puzzle, _) => Ok(self.puzzle(clues)),
            (_, None) => Err(NoForm::NeedsSolution),
            (Form::BySolution, Some(solution)) => self.by_solution(clues, solution),
            (Form::Solution, Some(solution)) => self.solution(solution),
        }
    }

    /// Returns the form [`Form::Solution`] of a solved grid.
    ///
    /// # Errors
    /// Returns [`NoForm::WrongSolution`] if the grid is not solved.
    #[inline]
    pub fn solution(&mut self, solution: &Cells) -> Result<Canonical, NoForm> {
        Ok(self.search(solution).ok_or(NoForm::WrongSolution)?.form())
    }

    /// Returns the form [`Form::BySolution`] of a puzzle and its solution.
    ///
    /// This is a canonical form of the puzzle only if the puzzle has no other solution.
    ///
    /// # Errors
    /// Returns [`NoForm::WrongSolution`] if the grid is not solved, or does not contain these clues.
    #[inline]
    pub fn by_solution(&mut self, clues: &Cells, solution: &Cells) -> Result<Canonical, NoForm> {
        self.search_for(clues, solution)?.carry(clues)
    }

    /// Returns the forms [`Form::BySolution`] and [`Form::Solution`] of a puzzle and its solution.
    ///
    /// Both come from a single search.
    ///
    /// # Errors
    /// Returns the errors of [`by_solution`](Self::by_solution).
    #[inline]
    pub fn by_solution_and_solution(
        &mut self,
        clues: &Cells,
        solution: &Cells,
    ) -> Result<[Canonical; 2], NoForm> {
        let least = self.search_for(clues, solution)?;
        Ok([least.carry(clues)?, least.form()])
    }

    /// Returns the form [`Form::Puzzle`] of a grid with any clues.
    pub fn puzzle(&mut self, clues: &Cells) -> Canonical {
        let (cells, transform, automorphisms) = match clues.as_9x9() {
            Some(cells) => {
                // If a solved grid were searched like a puzzle, it would take longer than any other grid.
                let solved = if clues.clues() == 81 { self.solved.search(cells) } else { None };
                match solved {
                    Some((least, _)) => {
                        (Cells::of_9x9(least), least_of(&self.solved.ties), self.solved.ties.len() as u32)
                    }
                    None => {
                        let least = self.puzzle.search(cells);
                        (Cells::of_9x9(least.cells), least.transform, least.arrangements)
                    }
                }
            }
            None => {
                let least = self.small.search(clues);
                (least, least_of(&self.small.ties), self.small.ties.len() as u32)
            }
        };
        Canonical {
            form: Form::Puzzle,
            cells,
            transform,
            solution_automorphisms: None,
            automorphisms: Some(automorphisms),
            band: None,
        }
    }

    /// Checks that `solution` contains the clues, and returns its least image, which is the lexicographically
    /// smallest transformed grid.
    #[inline]
    fn search_for(&mut self, clues: &Cells, solution: &Cells) -> Result<LeastImage<'_>, NoForm> {
        if !clues.is_part_of(solution) {
            return Err(NoForm::WrongSolution);
        }
        self.search(solution).ok_or(NoForm::WrongSolution)
    }

    /// Returns the least image of a solution (the lexicographically smallest transformed grid), or `None` if
    /// the grid is not solved.
    #[inline]
    fn search(&mut self, solution: &Cells) -> Option<LeastImage<'_>> {
        match solution.as_9x9() {
            Some(grid) => {
                let (least, class) = self.solved.search(grid)?;
                let (cells, band) = (Cells::of_9x9(least), Some(class as u16 + 1));
                Some(LeastImage { cells, band, ties: &self.solved.ties })
            }
            None if solution.is_solution() => {
                let cells = self.small.search(solution);
                Some(LeastImage { cells, band: None, ties: &self.small.ties })
            }
            None => None,
        }
    }
}

/// The lexicographically smallest image of a solution, with all transforms that lead to it.
struct LeastImage<'s> {
    cells: Cells,
    /// 1-based class of the best band among the six bands of the solution and of its transpose. `None` if the
    /// grid is not 9x9.
    band: Option<u16>,
    /// All transforms that lead to the image.
    ties: &'s [Transform],
}

impl LeastImage<'_> {
    /// Returns the `solution` form.
    #[inline]
    fn form(&self) -> Canonical {
        Canonical {
            form: Form::Solution,
            cells: self.cells,
            transform: least_of(self.ties),
            solution_automorphisms: Some(self.ties.len() as u32),
            automorphisms: None,
            band: self.band,
        }
    }

    /// Returns the form [`Form::BySolution`] of the given clues. They must be part of the solution.
    #[inline]
    fn carry(&self, clues: &Cells) -> Result<Canonical, NoForm> {
        let mut best: Option<(Cells, Transform)> = None;
        let mut automorphisms = 0;
        for transform in self.ties {
            let Some(image) = transform.apply(clues) else { continue };
            match best.as_ref().map_or(Ordering::Less, |(least, _)| image.cmp(least)) {
                Ordering::Less => (best, automorphisms) = (Some((image, *transform)), 1),
                Ordering::Equal => {
                    best = best.map(|(least, first)| (least, first.min(*transform)));
                    automorphisms += 1;
                }
                Ordering::Greater => {}
            }
        }
        let (cells, transform) = best.ok_or(NoForm::WrongSolution)?;
        Ok(Canonical {
            form: Form::BySolution,
            cells,
            transform,
            solution_automorphisms: Some(self.ties.len() as u32),
            automorphisms: Some(automorphisms),
            band: self.band,
        })
    }
}

/// Returns the least of several transforms. The list must not be empty.
fn least_of(ties: &[Transform]) -> Transform {
    ties[1..].iter().fold(ties[0], |least, transform| least.min(*transform))
}

/// Returns a form of one puzzle.
///
/// Use a [`Canonizer`] for many puzzles, or `Query::Canon` for a corpus on all threads.
///
/// # Errors
/// Returns an error if the shape has no canonical form, if there are conditions beyond the clues, or if a
/// required solution is missing or wrong.
///
/// ```
/// use quadrille::canonical::{Form, canonical};
/// use quadrille::{FromText, GridQuestions, Packed9x9, ProblemRef, Solution};
///
/// let puzzle = Packed9x9::from_text("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")?;
/// let solution = puzzle.solve().expect("it has one");
/// let by_solution = canonical(
///     Form::BySolution,
///     ProblemRef::Packed(&puzzle),
///     Some(Solution::Digits(solution.digits())),
/// )?;
/// assert_eq!(by_solution.cells.clues(), 30);
/// assert_eq!(by_solution.automorphisms, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical(
    form: Form,
    problem: ProblemRef<'_>,
    solution: Option<Solution<'_>>,
) -> Result<Canonical, NoForm> {
    let clues = Cells::of_clues(problem)?;
    let solution = match solution {
        Some(Solution::Digits(digits)) => {
            Some(Cells::of_solution(digits).map_err(|_| NoForm::WrongSolution)?)
        }
        Some(Solution::Options(_)) => return Err(NoForm::WrongSolution),
        None => None,
    };
    Canonizer::new().canonical(form, &clues, solution.as_ref())
}
