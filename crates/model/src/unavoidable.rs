//! Unavoidable sets of solved 9x9 grids. They prove without a search that a clue is needed.
//!
//! An *unavoidable set* is a set of cells of a solved grid. Changing only these cells can turn the grid into
//! another solved grid. So a puzzle of this grid with one solution must have a clue in each unavoidable set
//! (G. McGuire, B. Tugemann, G. Civario, *There is no 16-clue Sudoku*, 2012). If a set contains only one
//! clue, that clue is needed.
//!
//! Some sets can be read from the grid itself: those in which two digits, two rows of a band or two columns
//! of a stack can be exchanged. They prove that four fifths of the clues of 17-clue puzzles are needed. For
//! random minimal puzzles, they prove it for more than half of the clues.

use crate::bits::Bits;

/// A set with all nine rows or all nine columns, one bit per row or column.
const ALL: u16 = 0x1ff;

/// Passes the unavoidable sets of a solved grid to `found`, one bit per cell.
///
/// The digits of `solution` are 0-based. Each set is a smallest part of the grid in which two digits or two
/// lines can be exchanged. The lines are two rows of a band or two columns of a stack.
///
/// A grid has about 130 such sets. Each is passed once, in an order that depends only on the grid. The grid
/// must not have rules beyond rows, columns and boxes.
pub fn unavoidable_sets(solution: &[u8; 81], mut found: impl FnMut(u128)) {
    of_digits(solution, &mut found);
    for lines in LINES {
        of_lines(solution, lines, |line, at| 9 * line + at, &mut found);
        of_lines(solution, lines, |line, at| 9 * at + line, &mut found);
    }
}

/// Returns each clue that is the only clue in one of the [`unavoidable_sets`], one bit per cell.
///
/// `solution` is the only solution of the puzzle, and `clues` are all its clues, one bit per cell.
///
/// This function does not build complete sets. It abandons most sets as soon as it finds a second clue in
/// them.
pub fn lone_clues(solution: &[u8; 81], clues: u128) -> u128 {
    let places = Places::new(solution);
    // For each digit, the rows in which this digit is a clue.
    let mut rows_of = [0u16; 9];
    for cell in Bits(clues) {
        rows_of[usize::from(solution[cell])] |= 1 << (cell / 9);
    }
    let mut needed = 0;
    for a in 0..9 {
        for b in a + 1..9 {
            needed |= lone_of_digits(&places, [a, b], [rows_of[a], rows_of[b]]);
        }
    }
    // Handles rows first. The columns are handled as the rows of the transposed grid.
    let mut across = [[0; 9]; 9];
    let mut clues_in = [[0u16; 9]; 2];
    for cell in Bits(clues) {
        let (row, column) = (cell / 9, cell % 9);
        clues_in[0][row] |= 1 << column;
        clues_in[1][column] |= 1 << row;
    }
    let rows = solution.as_chunks::<9>().0;
    for (row, cells) in rows.iter().enumerate() {
        for (column, &digit) in cells.iter().enumerate() {
            across[column][row] = digit;
        }
    }
    for (one, other) in LINES {
        for at in Bits(lone_in_lines(&rows[one], &rows[other], clues_in[0][one], clues_in[0][other])) {
            needed |= 1 << (9 * if at < 16 { one } else { other } + at % 16);
        }
        let (lines, clues) = (&across, &clues_in[1]);
        for at in Bits(lone_in_lines(&lines[one], &lines[other], clues[one], clues[other])) {
            needed |= 1 << (9 * (at % 16) + if at < 16 { one } else { other });
        }
    }
    needed
}

/// Pairs of lines that can be exchanged, because they are in the same band or the same stack.
const LINES: [(usize, usize); 9] = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (6, 7), (6, 8), (7, 8)];

/// Returns each clue that is the only clue of a set in which two digits can be exchanged.
///
/// For each of the two digits, `clues` contains the rows in which the digit is a clue.
#[inline(always)]
fn lone_of_digits(places: &Places, [a, b]: [usize; 2], clues: [u16; 2]) -> u128 {
    let both = u32::from(clues[0]) << 16 | u32::from(clues[1]);
    let mut lone = 0;
    // Each unavoidable set has a clue, so the search starts only from rows with clues. `left` has the rows of
    // the sets that have not been visited yet.
    let (mut starts, mut left) = (clues[0] | clues[1], ALL);
    while starts != 0 {
        let first = starts & starts.wrapping_neg();
        let (mut rows, mut new) = (first, first);
        let more = loop {
            let row = new.trailing_zeros() as usize;
            new &= new - 1;
            let reached = places.reached(a, b, row);
            new |= reached & !rows;
            rows |= reached;
            let met = both & (u32::from(rows) * 0x1_0001);
            if met & met.wrapping_sub(1) != 0 || rows & !left != 0 {
                break true;
            }
            if new == 0 {
                break false;
            }
        };
        left &= !rows;
        starts &= left;
        if !more {
            let row = first.trailing_zeros() as usize;
            let digit = if first & clues[0] != 0 { a } else { b };
            lone |= 1 << (9 * row + usize::from(places.column[digit][row]));
        }
    }
    lone
}

/// Returns each clue that is the only clue in an exchangeable part of two lines.
///
/// Bits 0 to 8 are the positions in the first line. Bits 16 to 24 are the positions in the second line.
fn lone_in_lines(one: &[u8; 9], other: &[u8; 9], clues_one: u16, clues_other: u16) -> u32 {
    let clues = u32::from(clues_other) << 16 | u32::from(clues_one);
    let mut place = [0u8; 16];
    for (at, &digit) in one.iter().enumerate() {
        place[usize::from(digit & 15)] = at as u8;
    }
    let mut lone = 0;
    let mut left = ALL;
    while left != 0 {
        let first = left.trailing_zeros() as u8;
        let (mut at, mut part) = (first, 0u32);
        loop {
            part |= 0x1_0001 << at;
            at = place[usize::from(other[usize::from(at)] & 15)];
            if at == first {
                break;
            }
        }
        left &= !(part as u16);
        let met = part & clues;
        lone |= if met & met.wrapping_sub(1) == 0 { met } else { 0 };
    }
    lone
}

/// Positions of each digit in the rows, columns and boxes of a grid.
///
/// For a row, the position is the 0-based column of the digit. For a column or a box, the position is a bit
/// set with a single bit, which is the row of the digit.
struct Places {
    column: [[u8; 9]; 9],
    row_in_column: [[u16; 9]; 9],
    row_in_box: [[u16; 9]; 9],
}

impl Places {
    fn new(solution: &[u8; 81]) -> Self {
        let mut places = Places { column: [[0; 9]; 9], row_in_column: [[0; 9]; 9], row_in_box: [[0; 9]; 9] };
        for (row, cells) in solution.as_chunks::<9>().0.iter().enumerate() {
            for (at, &digit) in cells.iter().enumerate() {
                let digit = usize::from(digit);
                places.column[digit][row] = at as u8;
                places.row_in_column[digit][at] = 1 << row;
                places.row_in_box[digit][row / 3 * 3 + at / 3] = 1 << row;
            }
        }
        places
    }

    /// Returns the rows in which the digits `a` and `b` must be exchanged if they are exchanged in `row`.
    ///
    /// In each of these rows, the cell of one digit shares a column or box with the other digit's cell in
    /// `row`.
    #[inline]
    fn reached(&self, a: usize, b: usize, row: usize) -> u16 {
        let (at_a, at_b) = (usize::from(self.column[a][row]), usize::from(self.column[b][row]));
        let boxes = row / 3 * 3;
        self.row_in_column[b][at_a]
            | self.row_in_column[a][at_b]
            | self.row_in_box[b][boxes + at_a / 3]
            | self.row_in_box[a][boxes + at_b / 3]
    }
}

/// Passes to `found` the sets in which two digits can be exchanged.
///
/// If two cells with these digits are in the same house, they must be exchanged together.
fn of_digits(solution: &[u8; 81], found: &mut impl FnMut(u128)) {
    let places = Places::new(solution);
    // For each digit and each row, the cell of the digit, as one bit.
    let mut cells = [[0u128; 9]; 9];
    for (digit, cells) in cells.iter_mut().enumerate() {
        let columns = places.column[digit].iter().enumerate();
        columns.zip(cells).for_each(|((row, column), cell)| *cell = 1 << (9 * row as u8 + column));
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
                    set |= cells[a][row] | cells[b][row];
                    let reached = places.reached(a, b, row);
                    new |= reached & !rows;
                    rows |= reached;
                }
                left &= !rows;
                found(set);
            }
        }
    }
}

/// Passes to `found` the sets in which parts of two lines can be exchanged.
///
/// If the lines are two rows, a set consists of the cells of both rows in some of the columns. In these
/// columns, both rows have the same digits in different orders. If the lines are two columns, the same
/// applies with rows and columns exchanged. Sets with only two columns (or rows) are omitted, because
/// `of_digits` finds them.
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
    use crate::random::SplitMix64;
    use crate::{Packed9x9, ProblemRef, Solution, verify};

    const GRID: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    fn grid() -> [u8; 81] {
        let digits: Vec<u8> = GRID.bytes().map(|byte| byte - b'1').collect();
        digits.try_into().unwrap()
    }

    /// Returns another solved grid that differs only in cells of the set, or `None` if there is none.
    /// Searches by trial and error.
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
    fn each_set_is_unavoidable_and_listed_once() {
        let solution = grid();
        let mut sets = Vec::new();
        unavoidable_sets(&solution, |set| sets.push(set));
        assert!(sets.len() > 60, "{}", sets.len());
        for &set in &sets {
            let other = changed(&solution, set).expect("it is unavoidable");
            assert!(verify(ProblemRef::Packed(&Packed9x9::FULL), Solution::Digits(&other)).is_ok());
        }
        let all = sets.len();
        sets.sort_unstable();
        sets.dedup();
        assert_eq!(sets.len(), all);
    }

    #[test]
    fn needed_clues_are_those_that_the_sets_show() {
        let solution = grid();
        let mut random = SplitMix64(3);
        let mut found = 0;
        for round in 0..2000 {
            // Each cell becomes a clue with a probability from 1/2 to 1/8. Then each set that has no clue
            // gets one, as in a puzzle with one solution.
            let mut clues = (0..1 + round % 3).fold(u128::MAX, |clues, _| {
                clues & (u128::from(random.word()) << 64 | u128::from(random.word()))
            }) >> 47;
            let (mut sets, mut expected) = (Vec::new(), 0);
            unavoidable_sets(&solution, |set| sets.push(set));
            for set in &sets {
                let lowest = set & set.wrapping_neg();
                clues |= if set & clues == 0 { lowest } else { 0 };
            }
            for set in sets.iter().filter(|&set| (set & clues).count_ones() == 1) {
                expected |= set & clues;
            }
            assert_eq!(lone_clues(&solution, clues), expected, "{clues:x}");
            found += expected.count_ones();
        }
        assert!(found > 2000, "{found}");
    }
}
