//! An independent check of a solution against its problem.
//!
//! The check shares no code with any engine or encoding. It reads the problem in the form of this crate's
//! model, house by house and item by item. Every solution is checked here before it is written.

use thiserror::Error;

use super::{Constraint, CoverProblem, DigitSet, Packed9x9, ProblemRef, Puzzle, Solution};
use crate::simd::{Bytes, WordKernel, run_words};

/// Maximum number of houses: all rows, columns and boxes of the largest grid.
const HOUSES: usize = 3 * super::MAX_SIDE;

/// A fault in a solution that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// The solution does not fit the problem's type (grid or exact cover) or size.
    #[error("not a solution of this kind of problem")]
    Shape,
    /// The first cell, in reading order, whose digit is not a candidate or repeats an earlier digit of a
    /// house.
    #[error("row {} column {}", row + 1, column + 1)]
    Cell {
        /// Row of the cell, 0-based.
        row: usize,
        /// Column of the cell, 0-based.
        column: usize,
    },
    /// The first rule that the solution breaks. Rows, columns and boxes also count as rules.
    #[error("at {cell} the rule `{item}` is broken")]
    Rule {
        /// The rule's item, as written in the text of the rules, or `row`, `column` or `box`.
        item: String,
        /// The first cell of the rule, such as `row 1 column 2`.
        cell: String,
    },
    /// An option that does not exist, or that is used twice.
    #[error("option {}", u64::from(*.0) + 1)]
    Option(u32),
    /// An item that is covered too often, too rarely, or in two colours.
    #[error("item {}", u64::from(*.0) + 1)]
    Item(u32),
}

/// Checks a solution against its problem. The time is linear in the size of the problem.
///
/// # Errors
/// Returns the first fault.
pub fn verify(problem: ProblemRef<'_>, solution: Solution<'_>) -> Result<(), Violation> {
    match (problem, solution) {
        (ProblemRef::Packed(packed), Solution::Digits(digits)) => {
            if is_whole(packed, digits) {
                Ok(())
            } else {
                verify_puzzle(&(*packed).into(), digits)
            }
        }
        (ProblemRef::Puzzle(puzzle), Solution::Digits(digits)) => {
            let is_plain = puzzle.geometry().is_9x9() && puzzle.is_plain();
            if is_plain && takes_candidates(puzzle, digits) && is_whole(&Packed9x9::FULL, digits) {
                Ok(())
            } else {
                verify_puzzle(puzzle, digits)
            }
        }
        (ProblemRef::Cover(cover), Solution::Options(options)) => verify_cover(cover, options),
        _ => Err(Violation::Shape),
    }
}

/// Checks a plain 9x9 grid.
///
/// This is the most frequent case, so the check has no heap allocation, and no branch for a correct grid.
/// Only a wrong grid is then checked cell by cell.
pub(crate) fn is_whole(packed: &Packed9x9, digits: &[u8]) -> bool {
    digits.try_into().is_ok_and(|digits| run_words(None, IsWhole { packed, digits }))
}

/// Returns true if the digit of every cell is one of the cell's candidates. Does not stop at the first fault,
/// because faults are rare.
fn takes_candidates(puzzle: &Puzzle, digits: &[u8]) -> bool {
    let taken = |(set, &digit): (&DigitSet, &u8)| u64::from(digit < 64) & set.0 >> (digit & 63);
    puzzle.candidates().iter().zip(digits).map(taken).fold(1, |all, taken| all & taken) & 1 == 1
}

/// The check that a grid uses only candidates and has every digit once in every house.
///
/// A digit that occurs in each of nine disjoint houses fills at least nine cells. Suppose that eight digits occur in
/// all rows, all columns and all boxes, and that the ninth fills nine cells. Then the other 72 cells hold each of the
/// eight exactly nine times, which is once per house, and the ninth is in the remaining cell of each house. Therefore
/// it is enough to check for eight digits that no row, column or box lacks them, and to count the cells of the ninth.
/// The cells of a digit are one bit per cell, cut into the three bands:
///
/// ```text
/// bit of a band     0 1 2 | 3 4 5 | 6 7 8     row by row: 9 more is the cell below, 27 more the band below
/// triads            OR of three neighbours,   at bits 0, 3, 6 of each row
///   rows            OR of its three triads,   at bits 0, 9, 18
///   boxes           OR of three triads below each other, at bits 0, 3, 6
/// columns           OR of all nine rows,      at bits 0 to 8
/// ```
/// All other bits are meaningless and are masked out at the end.
struct IsWhole<'a> {
    packed: &'a Packed9x9,
    digits: &'a [u8; 81],
}

impl WordKernel for IsWhole<'_> {
    type Output = bool;

    #[expect(
        clippy::needless_range_loop,
        reason = "indexed loops of fixed length are always unrolled; iterator adaptors sometimes remain calls"
    )]
    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> bool {
        const ROWS: u32 = 1 | 1 << 9 | 1 << 18;
        const BOXES: u32 = 1 | 1 << 3 | 1 << 6;
        const COLUMNS: u32 = (1 << 9) - 1;
        let grid = bytes.load(self.digits);
        let mut cells = [0; 9];
        for digit in 0..9 {
            cells[digit] = bytes.cells_with(&grid, digit as u8);
        }
        let Packed9x9(taken) = Packed9x9::from_digits(&cells);
        let mut forbidden = 0;
        for word in 0..taken.len() {
            forbidden |= taken[word] & !self.packed.0[word];
        }
        // Each array has eight of the nine digits, so that the loops below fill complete vectors.
        let mut bands = [[0u32; 8]; 3];
        for digit in 0..8 {
            bands[0][digit] = cells[digit] as u32;
            bands[1][digit] = (cells[digit] >> 27) as u32;
            bands[2][digit] = (cells[digit] >> 54) as u32;
        }
        let (mut rows, mut boxes, mut columns) = ([ROWS; 8], [BOXES; 8], [0; 8]);
        for band in &bands {
            for digit in 0..8 {
                let triads = band[digit] | band[digit] >> 1 | band[digit] >> 2;
                rows[digit] &= triads | triads >> 3 | triads >> 6;
                boxes[digit] &= triads | triads >> 9 | triads >> 18;
                columns[digit] |= band[digit];
            }
        }
        let mut missing = 0;
        for digit in 0..8 {
            let columns = columns[digit] | columns[digit] >> 9 | columns[digit] >> 18;
            missing |= (rows[digit] ^ ROWS) | (boxes[digit] ^ BOXES) | (!columns & COLUMNS);
        }
        forbidden == 0 && missing == 0 && cells[8].count_ones() == 9
    }
}

fn verify_puzzle(puzzle: &Puzzle, digits: &[u8]) -> Result<(), Violation> {
    let geometry = puzzle.geometry();
    let side = geometry.side();
    if digits.len() != geometry.cells() {
        return Err(Violation::Shape);
    }
    let at = |cell: usize| Violation::Cell { row: cell / side, column: cell % side };
    let mut seen = [0u64; HOUSES];
    let is_ruled = puzzle.rules().is_some();
    for (cell, &digit) in digits.iter().enumerate() {
        if digit as usize >= side || !puzzle.candidates()[cell].contains(digit as usize) {
            return Err(at(cell));
        }
        let bit = 1u64 << digit;
        // If the puzzle has rules, the rules include all its houses, so houses are not checked here as well.
        // The boxes of such a puzzle may not be houses at all.
        let houses = if is_ruled { &[][..] } else { geometry.houses_of(cell) };
        for &house in houses {
            if seen[house as usize] & bit != 0 {
                return Err(at(cell));
            }
            seen[house as usize] |= bit;
        }
    }
    if let Some(rules) = puzzle.rules()
        && let Some((item, cell)) = rules.claims().first_broken(digits)
    {
        return Err(match item {
            None => at(cell),
            Some(item) => {
                Violation::Rule { item: rules.item(item).to_owned(), cell: geometry.name_of_cell(cell) }
            }
        });
    }
    for constraint in puzzle.constraints() {
        let Constraint::SameDigit { cells, .. } = constraint;
        let first = digits[cells[0] as usize];
        if let Some(&cell) = cells.iter().find(|&&cell| digits[cell as usize] != first) {
            return Err(at(cell as usize));
        }
    }
    Ok(())
}

fn verify_cover(cover: &CoverProblem, options: &[u32]) -> Result<(), Violation> {
    let mut used: Vec<u32> = options.to_vec();
    used.sort_unstable();
    if let Some(pair) = used.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Violation::Option(pair[0]));
    }
    if let Some(&beyond) = used.iter().find(|&&option| option as usize >= cover.options()) {
        return Err(Violation::Option(beyond));
    }
    let mut times = vec![0u32; cover.items()];
    let mut colour: Vec<Option<u32>> = vec![None; cover.items()];
    for &option in options {
        for entry in cover.option(option as usize) {
            let item = entry.item as usize;
            times[item] += 1;
            if item >= cover.primary() {
                let uncoloured_again = times[item] > 1 && entry.colour == super::NO_COLOUR;
                if uncoloured_again || colour[item].is_some_and(|colour| colour != entry.colour) {
                    return Err(Violation::Item(entry.item));
                }
                colour[item] = Some(entry.colour);
            }
        }
    }
    for (item, &times) in times.iter().enumerate().take(cover.primary()) {
        let bounds = cover.bounds(item);
        if times < bounds.low || times > bounds.high {
            return Err(Violation::Item(item as u32));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Shape, compile};
    use crate::{CoverBuilder, Geometry};
    use std::sync::Arc;

    const SOLVED: &[u8; 81] =
        b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn digits() -> Vec<u8> {
        SOLVED.iter().map(|byte| byte - b'1').collect()
    }

    #[test]
    fn a_full_grid_passes_and_every_change_of_a_cell_fails() {
        let puzzle = Puzzle::new(&Geometry::of_side(9).unwrap());
        let good = digits();
        assert_eq!(verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&good)), Ok(()));
        assert_eq!(verify(ProblemRef::Packed(&Packed9x9::FULL), Solution::Digits(&good)), Ok(()));
        for cell in 0..81 {
            for other in (0..10).chain([63, 64, 64 + good[cell], 255]) {
                let mut bad = good.clone();
                if bad[cell] == other {
                    continue;
                }
                bad[cell] = other;
                let fault = verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&bad));
                assert!(matches!(fault, Err(Violation::Cell { .. })));
                assert_eq!(verify(ProblemRef::Packed(&Packed9x9::FULL), Solution::Digits(&bad)), fault);
            }
        }
    }

    #[test]
    fn a_rule_that_is_broken_is_named() {
        let mut puzzle = Puzzle::new(&Geometry::of_side(9).unwrap());
        let shape = Shape { box_rows: 3, box_columns: 3 };
        puzzle.set_rules(&Arc::new(compile(".NoBoxes.Diagonal~-1", shape).unwrap()));
        let fault = verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&digits()));
        let Err(Violation::Rule { item, cell }) = fault else { panic!("{fault:?}") };
        assert_eq!((item.as_str(), cell), (".Diagonal~-1", puzzle.geometry().name_of_cell(0)));
    }

    #[test]
    fn clues_and_letter_groups_are_checked() {
        let mut puzzle = Puzzle::new(&Geometry::of_side(9).unwrap());
        puzzle.restrict(4, DigitSet::only(0));
        let fault = verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&digits()));
        assert_eq!(fault.unwrap_err().to_string(), "row 1 column 5");
        let solved = digits();
        let packed = |cells: &Packed9x9| verify(ProblemRef::Packed(cells), Solution::Digits(&solved));
        assert_eq!(packed(&Packed9x9::FULL.with_cell(4, 2)), Ok(()));
        assert!(packed(&Packed9x9::FULL.with_cell(4, 1)).is_err());
        let mut puzzle = Puzzle::new(&Geometry::of_side(9).unwrap());
        // Row 1 starts with 1. Row 9 is 8 5 4 3 9 6 1 2 7, so its 1 is in column 7.
        puzzle.constrain(Constraint::SameDigit { letter: 'a', cells: vec![0, 78] });
        assert_eq!(verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&digits())), Ok(()));
        puzzle.constrain(Constraint::SameDigit { letter: 'b', cells: vec![0, 79] });
        assert!(verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&digits())).is_err());
    }

    #[test]
    fn covers_are_checked_item_by_item() {
        let mut builder = CoverBuilder::new();
        builder.primary("p").unwrap();
        builder.primary("q").unwrap();
        builder.secondary("x").unwrap();
        builder.option(&["p", "x:A"]).unwrap();
        builder.option(&["q", "x:A"]).unwrap();
        builder.option(&["q", "x:B"]).unwrap();
        builder.option(&["q", "x"]).unwrap();
        let cover = Arc::new(builder.build().unwrap());
        let check = |options: &[u32]| verify(ProblemRef::Cover(&cover), Solution::Options(options));
        assert_eq!(check(&[0, 1]), Ok(()));
        assert_eq!(check(&[1, 0]), Ok(()));
        assert_eq!(check(&[0, 2]), Err(Violation::Item(2)));
        assert_eq!(check(&[0, 3]), Err(Violation::Item(2)));
        assert_eq!(check(&[3, 0]), Err(Violation::Item(2)));
        assert_eq!(check(&[0]), Err(Violation::Item(1)));
        assert_eq!(check(&[0, 0]), Err(Violation::Option(0)));
        assert_eq!(check(&[9]), Err(Violation::Option(9)));
        assert_eq!(verify(ProblemRef::Cover(&cover), Solution::Digits(&[])), Err(Violation::Shape));
    }
}
