//! Solved 9x9 grids, all 6,670,903,752,021,072,936,960 of them equally likely.
//!
//! By rejection: choices are made box by box, each from a number of possibilities that never depends on the
//! choices before it, and a grid is accepted only when all of them fit. Each grid comes from exactly one series of
//! choices, all series are equally likely, so all grids are.
//!
//! ```text
//!   B1 B2 B3    1. B1 is 123456789, digits are renamed at the end.
//!   B4 B5 B6    2. B2 and B3: 56 ways to share the digits among the rows of B2 (then those of B3 are known), six
//!   B7 B8 B9       orders of each row in both: 56 * 6^6 ways, each of which makes a correct band.
//!               3. B4 and B7: the same, transposed.
//!               4. B5: 56 ways to share its digits among its rows, as B4 demands. In a row each digit must not
//!                  stand in the column it has in B2: when all three had the same column, no order fits, and else
//!                  exactly two do. That is a rejection, or 2^3 ways.
//!               5. B6: its rows are known; again a rejection or two orders a row, because of B3.
//!               6. B8: its columns are known; the same, because of B7.
//!               7. B9: row and column of every digit are known. They are nine different cells, or a rejection.
//! ```
//! That makes `2,612,736^2 * 28,672` series of choices, of which the 18,383,222,420,692,992 grids with this B1 are
//! accepted: one in 10.65. Completing a band and a stack this way is Felgenhauer and Jarvis' way of counting all grids
//! (*Mathematics of Sudoku I*, 2006), used for drawing one.

use crate::random::Random;

/// Ways to fill the rest of a band whose first box is known.
pub(super) const BANDS: u32 = 56 * 6u32.pow(6);
/// Ways to fill the last four boxes, if all fit.
pub(super) const LAST_FOUR: u32 = 56 * 8 * 8 * 8;

/// Nine sets of digits, three a box, or nine cells.
pub(super) type Lines = [[u8; 3]; 3];

/// The orders of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Draws a solved grid, 0-based digits row by row.
pub(super) fn draw(random: &mut Random) -> [u8; 81] {
    let mut grid = loop {
        let choices = [random.below(BANDS), random.below(BANDS), random.below(LAST_FOUR)];
        if let Some(grid) = build(choices) {
            break grid;
        }
    };
    let mut names: [u8; 9] = std::array::from_fn(|digit| digit as u8);
    random.shuffle(&mut names);
    for digit in &mut grid {
        *digit = names[usize::from(*digit)];
    }
    grid
}

/// The grid of some choices, B1 in order; `None` where they do not fit.
pub(super) fn build([band, stack, mut rest]: [u32; 3]) -> Option<[u8; 81]> {
    const B1: Lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8]];
    const B1_COLUMNS: Lines = [[0, 3, 6], [1, 4, 7], [2, 5, 8]];
    let [b2, b3] = beside(&B1, band);
    // By columns.
    let [b4, b7] = beside(&B1_COLUMNS, stack);

    let [column_in_2, column_in_3] = [b2, b3].map(|lines| place_in_line(&lines));
    let [row_in_4, row_in_7] = [b4, b7].map(|lines| place_in_line(&lines));
    let mut bits = || {
        let bits = rest % 8;
        rest /= 8;
        bits
    };
    let [bits_5, bits_6, bits_8] = [bits(), bits(), bits()];
    let rows_5 = shared(&lines_of(&row_in_4), rest);
    let b5 = ordered(&rows_5, &column_in_2, bits_5)?;
    let rows_6 = third(&lines_of(&row_in_4), &rows_5);
    let b6 = ordered(&rows_6, &column_in_3, bits_6)?;
    let columns_8 = third(&lines_of(&column_in_2), &lines_of(&place_in_line(&b5)));
    // By columns.
    let b8 = ordered(&columns_8, &row_in_7, bits_8)?;

    let (row_in_8, column_in_6) = (place_in_line(&b8), place_in_line(&b6));
    let mut b9 = [[9; 3]; 3];
    for digit in 0..9 {
        let row = 3 - row_in_7[digit] - row_in_8[digit];
        let column = 3 - column_in_3[digit] - column_in_6[digit];
        b9[row][column] = digit as u8;
    }
    if b9.iter().flatten().any(|&digit| digit == 9) {
        return None;
    }

    let boxes = [B1, b2, b3, transposed(&b4), b5, b6, transposed(&b7), transposed(&b8), b9];
    Some(std::array::from_fn(|cell| {
        let (row, column) = (cell / 9, cell % 9);
        boxes[row / 3 * 3 + column / 3][row % 3][column % 3]
    }))
}

/// The second and third box of a band whose first has these lines; `choice` is below [`BANDS`].
pub(super) fn beside(first: &Lines, choice: u32) -> [Lines; 2] {
    let second = shared(first, choice % 56);
    let mut rest = choice / 56;
    [second, third(first, &second)].map(|lines| {
        lines.map(|line| {
            let order = ORDERS[(rest % 6) as usize];
            rest /= 6;
            order.map(|place| line[place])
        })
    })
}

/// The lines of a second box beside a first, digits ascending: `way` of the 56, in no special order.
///
/// `k` digits of the first's line 1 go to line 0 and the rest to line 2; so line 0 needs `3 - k` of line 2, whose
/// others go to line 1; so line 1 needs `3 - k` of line 0, whose others go to line 2.
fn shared(first: &Lines, way: u32) -> Lines {
    /// The subsets with so many of three things.
    const SUBSETS: [&[u8]; 4] = [&[0], &[1, 2, 4], &[3, 5, 6], &[7]];
    let (k, mut rest) = match way {
        0 => (0, 0),
        1..28 => (1, way - 1),
        28..55 => (2, way - 28),
        _ => (3, 0),
    };
    let mut subset = |size: usize| {
        let subsets = SUBSETS[size];
        let chosen = subsets[rest as usize % subsets.len()];
        rest /= subsets.len() as u32;
        chosen
    };
    let (from_1, from_2, from_0) = (subset(k), subset(3 - k), subset(3 - k));
    [
        taken(&first[1], from_1) | taken(&first[2], from_2),
        taken(&first[2], !from_2) | taken(&first[0], from_0),
        taken(&first[0], !from_0) | taken(&first[1], !from_1),
    ]
    .map(ascending)
}

/// The digits of a line at some of its places, as bits.
fn taken(line: &[u8; 3], places: u8) -> u16 {
    (0..3).filter(|place| places >> place & 1 != 0).fold(0, |digits, place| digits | 1 << line[place])
}

/// Three digits, given as bits.
fn ascending(mut digits: u16) -> [u8; 3] {
    std::array::from_fn(|_| {
        let digit = digits.trailing_zeros() as u8;
        digits &= digits - 1;
        digit
    })
}

/// The lines of the third box of a band, digits ascending: in each what the first two do not have.
fn third(first: &Lines, second: &Lines) -> Lines {
    std::array::from_fn(|line| ascending(0x1ff & !taken(&first[line], 7) & !taken(&second[line], 7)))
}

/// The digits of each line in one of the two orders in which none stands at its place in `avoid`; `None` where
/// there is none. Bit `line` of `bits` chooses which.
fn ordered(lines: &Lines, avoid: &[usize; 9], bits: u32) -> Option<Lines> {
    let mut out = [[0; 3]; 3];
    for (number, line) in lines.iter().enumerate() {
        let taken = line.map(|digit| avoid[usize::from(digit)]);
        let fits = |order: &&[usize; 3]| order.iter().zip(&taken).all(|(place, taken)| place != taken);
        // None, where all three must avoid the same place, or two.
        let order = ORDERS.iter().filter(fits).nth((bits >> number & 1) as usize)?;
        for (digit, &place) in order.iter().enumerate() {
            out[number][place] = line[digit];
        }
    }
    Some(out)
}

/// The place that each digit has in its line.
fn place_in_line(lines: &Lines) -> [usize; 9] {
    let mut places = [0; 9];
    for line in lines {
        for (place, &digit) in line.iter().enumerate() {
            places[usize::from(digit)] = place;
        }
    }
    places
}

/// The digits by a place each has, ascending.
fn lines_of(places: &[usize; 9]) -> Lines {
    let mut lines = [[0; 3]; 3];
    let mut len = [0; 3];
    for (digit, &place) in places.iter().enumerate() {
        lines[place][len[place]] = digit as u8;
        len[place] += 1;
    }
    lines
}

fn transposed(lines: &Lines) -> Lines {
    std::array::from_fn(|row| std::array::from_fn(|column| lines[column][row]))
}
