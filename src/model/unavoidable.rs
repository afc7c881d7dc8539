//! Unavoidable sets of solved 9x9 grids, which prove that a clue is needed without a search.
//!
//! Cells in which a solved grid can be changed into another one without touching the rest are an *unavoidable set*: a
//! puzzle of that grid with one solution has a clue in each (G. McGuire, B. Tugemann, G. Civario, *There is no
//! 16-clue Sudoku*, 2012). So a clue that is alone in one is needed. Those in which two digits, two rows of a band or
//! two columns of a stack change places are seen in the grid itself: they prove four fifths of the clues of 17-clue puzzles,
//! and more than half of those of random minimal ones.

/// The nine rows of a grid, or its nine columns.
const ALL: u16 = 0x1ff;

/// Gives unavoidable sets of a solved grid (digits from 0), bit by cell: the smallest parts of the grid in which two digits can
/// change places, two rows of a band, or two columns of a stack.
///
/// Some 130 sets, in one order for a grid; none twice. For grids under no rules but rows, columns and boxes.
pub(crate) fn unavoidable_sets(solution: &[u8; 81], mut found: impl FnMut(u128)) {
    of_digits(solution, &mut found);
    for band in 0..3 {
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let lines = (3 * band + one, 3 * band + other);
            of_lines(solution, lines, |line, at| 9 * line + at, &mut found);
            of_lines(solution, lines, |line, at| 9 * at + line, &mut found);
        }
    }
}

/// Those in which two digits change places. Cells of both that share a house change together.
fn of_digits(solution: &[u8; 81], found: &mut impl FnMut(u128)) {
    // By digit and row, column or box: the place of the digit, in the row as a column, else as a bit for its row.
    let mut column = [[0u8; 9]; 9];
    let mut row_in_column = [[0u16; 9]; 9];
    let mut row_in_box = [[0u16; 9]; 9];
    for (cell, &digit) in solution.iter().enumerate() {
        let (digit, row, at) = (usize::from(digit), cell / 9, cell % 9);
        column[digit][row] = at as u8;
        row_in_column[digit][at] = 1 << row;
        row_in_box[digit][row / 3 * 3 + at / 3] = 1 << row;
    }
    for a in 0..9 {
        for b in a + 1..9 {
            let mut left = ALL;
            while left != 0 {
                let mut rows = left & left.wrapping_neg();
                let (mut new, mut set) = (rows, 0);
                while new != 0 {
                    let row = new.trailing_zeros() as usize;
                    new &= new - 1;
                    let (at_a, at_b) = (usize::from(column[a][row]), usize::from(column[b][row]));
                    set |= (1 << at_a | 1 << at_b) << (9 * row);
                    let boxes = row / 3 * 3;
                    let reached = row_in_column[b][at_a]
                        | row_in_column[a][at_b]
                        | row_in_box[b][boxes + at_a / 3]
                        | row_in_box[a][boxes + at_b / 3];
                    new |= reached & !rows;
                    rows |= reached;
                }
                left &= !rows;
                found(set);
            }
        }
    }
}

/// Those in which two lines change places, in some of the lines across: the digits there must be the same in both. With two
/// lines across they are two digits that change places.
fn of_lines(
    solution: &[u8; 81],
    (one, other): (usize, usize),
    cell: impl Fn(usize, usize) -> usize,
    found: &mut impl FnMut(u128),
) {
    let mut place = [0; 9];
    for at in 0..9 {
        place[usize::from(solution[cell(one, at)])] = at;
    }
    let mut left = ALL;
    while left != 0 {
        let mut at = left.trailing_zeros() as usize;
        let (mut set, mut across) = (0u128, 0);
        while left >> at & 1 != 0 {
            left &= !(1 << at);
            set |= 1 << cell(one, at) | 1 << cell(other, at);
            across += 1;
            at = place[usize::from(solution[cell(other, at)])];
        }
        if across > 2 {
            found(set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Packed, ProblemRef, Solution, verify};

    const GRID: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    fn grid() -> [u8; 81] {
        let digits: Vec<u8> = GRID.bytes().map(|byte| byte - b'1').collect();
        digits.try_into().unwrap()
    }

    /// The grid with other digits in the cells of a set, by trying: `None` where there is none.
    fn changed(solution: &[u8; 81], set: u128) -> Option<[u8; 81]> {
        fn fill(grid: &mut [u8; 81], cells: &[usize], own: &[u8; 81], differs: bool) -> bool {
            let Some((&cell, rest)) = cells.split_first() else { return differs };
            for digit in 0..9 {
                let clashes = (0..81).any(|other| {
                    other != cell
                        && grid[other] == digit
                        && (other / 9 == cell / 9
                            || other % 9 == cell % 9
                            || (other / 27 == cell / 27 && other % 9 / 3 == cell % 9 / 3))
                });
                if !clashes {
                    grid[cell] = digit;
                    if fill(grid, rest, own, differs || digit != own[cell]) {
                        return true;
                    }
                }
            }
            grid[cell] = u8::MAX;
            false
        }
        let cells: Vec<usize> = (0..81).filter(|cell| set >> cell & 1 != 0).collect();
        let mut grid = *solution;
        cells.iter().for_each(|&cell| grid[cell] = u8::MAX);
        fill(&mut grid, &cells, solution, false).then_some(grid)
    }

    #[test]
    fn each_set_can_be_changed_and_comes_once() {
        let solution = grid();
        let mut sets = Vec::new();
        unavoidable_sets(&solution, |set| sets.push(set));
        assert!(sets.len() > 60, "{}", sets.len());
        for &set in &sets {
            let other = changed(&solution, set).expect("it is unavoidable");
            assert!(verify(ProblemRef::Packed(&Packed::FULL), Solution::Digits(&other)).is_ok());
        }
        let all = sets.len();
        sets.sort_unstable();
        sets.dedup();
        assert_eq!(sets.len(), all);
    }
}
