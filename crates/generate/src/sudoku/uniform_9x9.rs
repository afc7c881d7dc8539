//! Draws solved 9x9 grids, all 6,670,903,752,021,072,936,960 of them equally likely.
//!
//! The method is rejection. Choices are made box by box, each from a number of possibilities that never depends on
//! earlier choices. A grid is accepted only if all choices fit. Each grid results from exactly one series of choices
//! and all series are equally likely, so all grids are equally likely too.
//!
//! ```text
//!   B1 B2 B3    1. B1 is 123456789; digits are renamed at the end.
//!   B4 B5 B6    2. B2 and B3: 56 ways to share the digits among the rows of B2 (then those of B3 are known), and
//!   B7 B8 B9       six orders of each row in both: 56 * 6^6 ways, and every one makes a correct band.
//!               3. B4 and B7: the same, transposed.
//!               4. B5: 56 ways to share its digits among its rows, as B4 demands. In a row no digit may have the
//!                  column that it has in B2. If all three have the same column there, no order fits: rejected.
//!                  Otherwise exactly two orders fit, so there are 2^3 ways.
//!               5. B6: its rows are known; again a rejection or two orders per row, because of B3.
//!               6. B8: its columns are known; the same, because of B7.
//!               7. B9: row and column of every digit are known. They are nine different cells, or a rejection.
//! ```
//! That makes `2,612,736^2 * 28,672` series of choices. The 18,383,222,420,692,992 grids with this B1 are
//! accepted: one in 10.65. Boxes are stored as sets of digits by line and by place in the line, so that most
//! rejections take a few operations on words. Felgenhauer and Jarvis completed a band and a stack in this way
//! to count all grids (*Mathematics of Sudoku I*, 2006); here it serves to draw one.

use quadrille_model::random::Random;

/// Number of ways to fill a band whose first box is already filled.
pub(super) const BANDS: u32 = 56 * 6u32.pow(6);
/// Number of ways to fill the last four boxes, if no choice is rejected.
pub(super) const LAST_FOUR: u32 = 56 * 8 * 8 * 8;

/// Nine digits in three sets of three, one bit per digit.
type Thirds = [u16; 3];

/// All digits.
const ALL: u16 = 0x1ff;

/// All orders of three things. Each order lists the new position of every thing.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// For each combination of positions that the digits of a line must avoid, the two orders that avoid them.
///
/// The first, second and third digit must avoid the positions `a`, `b` and `c`. The index in the table is `a
/// + 3b + 9c`. If all three positions are the same, there is no such order.
const FITTING: [[u8; 2]; 27] = {
    let mut fitting = [[0; 2]; 27];
    let mut number = 0;
    while number < 27 {
        let avoided = [number % 3, number / 3 % 3, number / 9];
        let (mut order, mut found) = (0, 0);
        while order < 6 {
            let places = ORDERS[order];
            if places[0] != avoided[0] && places[1] != avoided[1] && places[2] != avoided[2] && found < 2 {
                fitting[number][found] = order as u8;
                found += 1;
            }
            order += 1;
        }
        number += 1;
    }
    fitting
};

/// A filled box, described by lines that are either rows or columns.
///
/// Stores the digits of each line, and the digits at each position within a line. Exactly one digit belongs
/// to both a given line and a given position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Filled {
    lines: Thirds,
    places: Thirds,
}

/// The first box, filled with the digits in ascending order.
pub(super) const FIRST: Filled = Filled { lines: [0o007, 0o070, 0o700], places: [0o111, 0o222, 0o444] };

impl Filled {
    /// Returns the box with rows and columns exchanged.
    fn turned(self) -> Self {
        Filled { lines: self.places, places: self.lines }
    }
}

/// Draws a random solved grid, as 0-based digits, row by row.
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

/// Returns the grid that results from the given choices, or `None` if the choices do not fit together.
///
/// The first box (B1) has its digits in ascending order.
pub(super) fn build([band, stack, last_four]: [u32; 3]) -> Option<[u8; 81]> {
    let [b2, b3] = beside(&FIRST, band);
    // Boxes B4 and B7 are described by their columns.
    let [b4, b7] = beside(&FIRST.turned(), stack);
    let bits = |number: u32| last_four >> (3 * number) & 7;

    let rows_5 = shared(&b4.places, last_four / 512);
    let rows_6 = third(&b4.places, &rows_5);
    if is_barred(&rows_5, &b2.places) || is_barred(&rows_6, &b3.places) {
        return None;
    }
    let b5 = ordered(rows_5, &b2.places, bits(0));
    let columns_8 = third(&b2.places, &b5.places);
    if is_barred(&columns_8, &b7.places) {
        return None;
    }
    let b6 = ordered(rows_6, &b3.places, bits(1));
    // Box B8 is described by its columns.
    let b8 = ordered(columns_8, &b7.places, bits(2));
    let b9 = Filled { lines: third(&b7.places, &b8.places), places: third(&b3.places, &b6.places) };
    if b9.lines.iter().any(|row| b9.places.iter().any(|column| row & column == 0)) {
        return None;
    }

    let boxes = [FIRST, b2, b3, b4.turned(), b5, b6, b7.turned(), b8.turned(), b9];
    Some(std::array::from_fn(|cell| {
        let (row, column) = (cell / 9, cell % 9);
        let filled = &boxes[row / 3 * 3 + column / 3];
        (filled.lines[row % 3] & filled.places[column % 3]).trailing_zeros() as u8
    }))
}

/// Returns the second and third box of a band, given the first box. `choice` must be less than [`BANDS`].
pub(super) fn beside(first: &Filled, choice: u32) -> [Filled; 2] {
    let second = shared(&first.lines, choice % 56);
    let mut rest = choice / 56;
    [second, third(&first.lines, &second)].map(|lines| {
        let mut places = [0; 3];
        for line in lines {
            let digits = ascending(line);
            let order = ORDERS[(rest % 6) as usize];
            rest /= 6;
            places.iter_mut().zip(order).for_each(|(place, digit)| *place |= digits[digit]);
        }
        Filled { lines, places }
    })
}

/// Returns the lines of a second box next to the first box. There are 56 ways to choose these lines, and
/// `way` selects one.
///
/// The ways are in no particular order. The second box needs all nine digits, and a digit may not be in the
/// same line of both boxes. Suppose `k` digits of the first box's line 1 go to line 0, and the rest of that
/// line to line 2. Then line 0 needs `3 - k` digits of the first box's line 2, and the rest of that line goes
/// to line 1. So line 1 needs `3 - k` digits of the first box's line 0, and the rest of that line goes to
/// line 2.
fn shared(first: &Thirds, way: u32) -> Thirds {
    /// All subsets of a set of three elements, one bit per element. The outer index is the size of the
    /// subsets.
    const SUBSETS: [&[u16]; 4] = [&[0], &[1, 2, 4], &[3, 5, 6], &[7]];
    let (k, mut rest) = match way {
        0 => (0, 0),
        1..28 => (1, way - 1),
        28..55 => (2, way - 28),
        _ => (3, 0),
    };
    let mut some_of = |line: u16, size: usize| {
        let subsets = SUBSETS[size];
        let chosen = subsets[rest as usize % subsets.len()];
        rest /= subsets.len() as u32;
        let digits = ascending(line);
        (0..3).fold(0, |some, place| some | (digits[place] * (chosen >> place & 1)))
    };
    let from_1 = some_of(first[1], k);
    let from_2 = some_of(first[2], 3 - k);
    let from_0 = some_of(first[0], 3 - k);
    [from_1 | from_2, first[2] & !from_2 | from_0, first[0] & !from_0 | first[1] & !from_1]
}

/// Returns the three digits of a set in ascending order, each as one bit.
fn ascending(line: u16) -> [u16; 3] {
    let others = line & (line - 1);
    let last = others & (others - 1);
    [line ^ others, others ^ last, last]
}

/// Returns the lines of the third box of a band.
///
/// Each line gets the digits that are missing from the same line of the first two boxes.
fn third(first: &Thirds, second: &Thirds) -> Thirds {
    std::array::from_fn(|line| ALL & !(first[line] | second[line]))
}

/// Returns true if the digits of some line cannot be ordered, because all of them must avoid the same
/// position.
fn is_barred(lines: &Thirds, avoid: &Thirds) -> bool {
    lines.iter().any(|line| avoid.contains(line))
}

/// Returns a box with the given lines, in which every digit avoids a position within its line.
///
/// `avoid` has, for each position, the digits that must not be there. Each line can be ordered in two ways,
/// and bit `line` of `bits` selects one of them. No line may be [barred](is_barred).
fn ordered(lines: Thirds, avoid: &Thirds, bits: u32) -> Filled {
    let mut places = [0; 3];
    for (number, &line) in lines.iter().enumerate() {
        let digits = ascending(line);
        let avoided =
            digits.map(|digit| usize::from(digit & avoid[1] != 0) + 2 * usize::from(digit & avoid[2] != 0));
        let fitting = FITTING[avoided[0] + 3 * avoided[1] + 9 * avoided[2]];
        let order = ORDERS[usize::from(fitting[(bits >> number & 1) as usize])];
        digits.iter().zip(order).for_each(|(digit, place)| places[place] |= digit);
    }
    Filled { lines, places }
}
