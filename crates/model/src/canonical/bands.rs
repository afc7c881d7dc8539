//! The 416 classes of bands, and the arrangements that take any band to the least one of its class.
//!
//! A band is three rows, A, B and C, in three boxes. In its *normal form* the digits of the first box are
//! labelled 1 to 9, and the columns of the other two boxes are sorted by their top row. Rows and boxes stay
//! in place:
//!
//! ```text
//!        box 1    box 2     box 3
//!   A    1 2 3  | a < b < c | the others of 4..9, ascending
//!   B    4 5 6  | in one of | in one of
//!   C    7 8 9  | 36 orders | 36 orders
//! ```
//! Boxes 2 and 3 are exchanged if 4 is not in box 2. Three of the labels 4 to 9 are at the top of box 2. They
//! determine which of 7, 8 and 9 row B has in that box; for those of 1, 2 and 3 there are one or three choices.
//! So there are 1 + 9 * 3 = 28 ways to fill the sets and 28 * 36 * 36 = 36,288 normal forms.
//!
//! The columns of boxes 2 and 3 are sorted, so the rest of a band's symmetry group consists of 6 orders of rows, 3
//! choices of the first box, and 6 orders of its columns. With `a` automorphisms a class has 108 / a normal forms.
//! From each of them `a` arrangements lead to the least band of the class: 416 * 108 = 44,928 in total, which the
//! table lists class by class.
//!
//! The table is computed class by class. Take the first normal form without a class. Its least band is found
//! among 216 images (the columns of the second and third box follow from the second row). The 108 images of
//! that least band, in normal form, make up the class. Each is stored with the inverse arrangement. That
//! takes some 135,000 visits of a band, a few milliseconds. Classes are then numbered in the order of their
//! least bands.
//!
//! A search looks up the classes of six bands. They are a table of their own, so that it stays in the processor's cache.

use std::sync::LazyLock;

/// Number of classes of bands.
pub(super) const CLASSES: usize = 416;
/// Number of arrangements that lead to a normal form, apart from those that sort columns or exchange boxes 2 and 3.
const IMAGES: usize = 108;
/// Number of orders of the lower two rows of two boxes.
const ORDERS: usize = 36 * 36;
/// Number of ways to choose the sets of digits in the rows of boxes 2 and 3, regardless of their order.
const FILLINGS: usize = 28;
/// Number of normal forms.
const FORMS: usize = FILLINGS * ORDERS;

/// The orders of three, ascending.
pub(super) const PERMUTATIONS: [[u8; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The digits of three rows, row by row.
pub(super) type Band = [u8; 27];

/// Returns the comparisons of three different numbers, as three bits.
const fn comparisons(a: u8, b: u8, c: u8) -> usize {
    (a < b) as usize | ((b < c) as usize) << 1 | ((a < c) as usize) << 2
}

/// Returns the index of an order of three in [`PERMUTATIONS`].
const fn number_of(order: [u8; 3]) -> u8 {
    order[0] * 2 + (order[1] > order[2]) as u8
}

/// The order of rows B and C of a box once A is sorted, indexed by the [`comparisons`] of all three rows.
///
/// The index has three bits per row, A lowest. The value is the number of B's order times six, plus the
/// number of C's.
const BOX_ORDERS: [u8; 512] = {
    let mut orders = [0; 512];
    let mut all = 0;
    while all < 216 {
        let rows = [PERMUTATIONS[all / 36], PERMUTATIONS[all / 6 % 6], PERMUTATIONS[all % 6]];
        let (mut key, mut row) = (0, 0);
        while row < 3 {
            key |= comparisons(rows[row][0], rows[row][1], rows[row][2]) << (3 * row);
            row += 1;
        }
        // The positions of the numbers 0, 1, 2 in row A.
        let (mut at, mut column) = ([0; 3], 0);
        while column < 3 {
            at[rows[0][column] as usize] = column;
            column += 1;
        }
        let [b, c] = [rows[1], rows[2]];
        orders[key] =
            6 * number_of([b[at[0]], b[at[1]], b[at[2]]]) + number_of([c[at[0]], c[at[1]], c[at[2]]]);
        all += 1;
    }
    orders
};

/// The sets of each filling as bits: 3..9 for labels 3..9 at the top of box 2, 0..3 for labels 0..3 in row B
/// of box 2. Label 3 is always at the top of box 2.
const SETS: [u16; FILLINGS] = {
    let (mut sets, mut filled) = ([0; FILLINGS], 0);
    let mut set = 0u16;
    while set < 512 {
        // Row B of box 2 has some labels of row A, and those labels of row C that are not at the top of the box. There
        // are as many of these labels of row C as there are labels of row B at the top.
        if set & 0o10 != 0
            && (set >> 3).count_ones() == 3
            && (set & 0o7).count_ones() + (set & 0o70).count_ones() == 3
        {
            sets[filled] = set;
            filled += 1;
        }
        set += 1;
    }
    assert!(filled == FILLINGS);
    sets
};

/// The number of each filling, indexed by eight bits of its entry in [`SETS`].
///
/// Labels 3..9 are bits 0..6, labels 0 and 1 are bits 6 and 7. The bit of label 2 follows from the others.
const FILLING: [u8; 256] = {
    let (mut fillings, mut filling) = ([0; 256], 0);
    while filling < FILLINGS {
        let set = SETS[filling] as usize;
        fillings[set >> 3 | (set & 3) << 6] = filling as u8;
        filling += 1;
    }
    fillings
};

/// Returns the number of a normal form from its boxes 2 and 3.
///
/// `sets` has the sets of box 2 as in [`FILLING`], with label 3; `second` and `third` have the comparisons of the
/// boxes as in [`BOX_ORDERS`]. Other bits are ignored.
#[inline(always)]
pub(super) fn number_of_form(sets: usize, second: usize, third: usize) -> usize {
    let (second, third) = (BOX_ORDERS[second & 511], BOX_ORDERS[third & 511]);
    usize::from(FILLING[sets & 255]) * ORDERS + usize::from(second) * 36 + usize::from(third)
}

/// The order that sorts three numbers, indexed by their comparisons.
pub(super) const SORTED: [[u8; 3]; 8] = {
    let (mut sorted, mut number) = ([[0; 3]; 8], 0);
    while number < 6 {
        let order = PERMUTATIONS[number];
        let mut values = [0; 3];
        let mut at = 0;
        while at < 3 {
            values[order[at] as usize] = at as u8;
            at += 1;
        }
        sorted[comparisons(values[0], values[1], values[2])] = order;
        number += 1;
    }
    sorted
};

/// Returns the number of the normal form of a band's image, and the band's columns in the order of that form.
///
/// The image has these orders of rows, of boxes, and of the columns of its first box. Returns `None` if the normal
/// form has boxes 2 and 3 exchanged.
fn normal_form(band: &Band, rows: [u8; 3], boxes: [u8; 3], first: [u8; 3]) -> Option<(usize, [u8; 9])> {
    let from = rows.map(|row| usize::from(9 * row));
    let fourth = band[from[1] + usize::from(3 * boxes[0] + first[0])];
    if !band[from[0] + usize::from(3 * boxes[1])..][..3].contains(&fourth) {
        return None;
    }
    let mut columns = [0; 9];
    // Of each digit.
    let mut labels = [0; 16];
    for place in 0..3 {
        columns[place] = 3 * boxes[0] + first[place];
        for row in 0..3 {
            labels[usize::from(band[from[row] + usize::from(columns[place])] & 15)] = (3 * row + place) as u8;
        }
    }
    // The sets of labels, and the comparisons, of each row of boxes 2 and 3.
    let (mut sets, mut orders) = ([[0; 3]; 2], [0; 2]);
    for number in 0..2 {
        let column = 3 * boxes[number + 1];
        for row in 0..3 {
            let three = &band[from[row] + usize::from(column)..][..3];
            let label = |at: usize| labels[usize::from(three[at] & 15)];
            let (a, b, c) = (label(0), label(1), label(2));
            sets[number][row] = 1_usize << a | 1 << b | 1 << c;
            orders[number] |= comparisons(a, b, c) << (3 * row);
        }
        let sorted = SORTED[orders[number] & 7];
        for place in 0..3 {
            columns[3 * (number + 1) + place] = column + sorted[place];
        }
    }
    let [[a, b, _], _] = sets;
    Some((number_of_form(a >> 3 | (b & 3) << 6, orders[0], orders[1]), columns))
}

/// An arrangement of a band in normal form.
///
/// The number has three bits per part, the rows lowest: the indices in [`PERMUTATIONS`] of the orders of its rows, of
/// its boxes and, for each box of the image, of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrangement(u16);

impl Arrangement {
    #[inline(always)]
    fn part(self, number: usize) -> [u8; 3] {
        // Three bits may hold up to 7, but indices are at most 5.
        PERMUTATIONS[usize::from(self.0 >> (3 * number) & 7).min(5)]
    }

    /// Returns the source row of each row of the image.
    #[inline(always)]
    pub(super) fn rows(self) -> [u8; 3] {
        self.part(0)
    }

    /// Returns the source column of each column of the image.
    #[inline(always)]
    pub(super) fn columns(self) -> [u8; 9] {
        let boxes = self.part(1);
        let mut columns = [0; 9];
        // No iterator, since this is part of a kernel that is compiled for an instruction set.
        for number in 0..3 {
            let within = self.part(2 + number);
            for at in 0..3 {
                columns[3 * number + at] = 3 * boxes[number] + within[at];
            }
        }
        columns
    }

    /// Creates the arrangement with these rows and columns.
    fn new(rows: [u8; 3], columns: &[u8; 9]) -> Self {
        let (boxes, _) = columns.as_chunks::<3>();
        let order = [boxes[0][0] / 3, boxes[1][0] / 3, boxes[2][0] / 3];
        let mut parts = u16::from(number_of(rows)) | u16::from(number_of(order)) << 3;
        for (number, three) in boxes.iter().enumerate() {
            parts |= u16::from(number_of(three.map(|column| column % 3))) << (3 * (2 + number));
        }
        Arrangement(parts)
    }
}

/// All classes of bands, and the arrangements that lead to their least bands.
pub(super) struct BandTable {
    /// For each normal form, by its number: its 0-based class, in the order of the least bands.
    classes: Box<[u16; FORMS]>,
    /// For each normal form, its first arrangement within the class.
    firsts: Box<[u8; FORMS]>,
    /// The arrangements of all normal forms of a class, `IMAGES` per class.
    arrangements: Box<[Arrangement]>,
    /// For each class, its number of automorphisms.
    automorphisms: [u8; CLASSES],
    /// For each class, its least band.
    least: Box<[Band; CLASSES]>,
}

/// Returns the table, which is computed on first use.
#[inline]
pub(super) fn table() -> &'static BandTable {
    static TABLE: LazyLock<BandTable> = LazyLock::new(BandTable::new);
    &TABLE
}

impl BandTable {
    /// Returns the class of a normal form, by its number.
    #[inline(always)]
    pub(super) fn class(&self, form: usize) -> u16 {
        self.classes[form]
    }

    /// Returns the arrangements that make a normal form least.
    #[inline]
    pub(super) fn arrangements(&self, form: usize) -> &[Arrangement] {
        let class = usize::from(self.classes[form]);
        let from = class * IMAGES + usize::from(self.firsts[form]);
        &self.arrangements[from..from + usize::from(self.automorphisms[class])]
    }

    #[inline]
    pub(super) fn least(&self, class: usize) -> &Band {
        &self.least[class]
    }

    fn new() -> Self {
        let mut seen = vec![false; FORMS];
        let mut classes: Vec<Class> = Vec::with_capacity(CLASSES);
        for number in 0..seen.len() {
            if !seen[number] {
                let class = Class::new(&band_of(number));
                class.members.iter().for_each(|&(member, _)| seen[usize::from(member)] = true);
                classes.push(class);
            }
        }
        classes.sort_unstable_by_key(|class| class.least);

        let mut table = BandTable {
            classes: Box::new([0; FORMS]),
            firsts: Box::new([0; FORMS]),
            arrangements: Vec::new().into(),
            automorphisms: [0; CLASSES],
            least: Box::new([[0; 27]; CLASSES]),
        };
        let mut arrangements = Vec::with_capacity(CLASSES * IMAGES);
        for (number, mut class) in classes.into_iter().enumerate() {
            // Puts the arrangements of each normal form next to each other.
            class.members.sort_unstable();
            let same = class.members.chunk_by(|a, b| a.0 == b.0);
            for (slot, members) in same.enumerate() {
                table.automorphisms[number] = members.len() as u8;
                let form = usize::from(members[0].0);
                table.classes[form] = number as u16;
                table.firsts[form] = (slot * members.len()) as u8;
            }
            arrangements.extend(class.members.iter().map(|&(_, arrangement)| arrangement));
            table.least[number] = class.least;
        }
        table.arrangements = arrangements.into();
        table
    }
}

/// A class, while the table is made.
struct Class {
    least: Band,
    /// The normal forms of the least band's images, each with the arrangement that leads back to the least
    /// band.
    members: Vec<(u16, Arrangement)>,
}

impl Class {
    fn new(band: &Band) -> Self {
        let mut least = [u8::MAX; 27];
        for_all_images(|rows, boxes, first| improve(band, rows, boxes, first, &mut least));
        let mut members = Vec::with_capacity(IMAGES);
        for_all_images(|rows, boxes, first| {
            let Some((member, columns)) = normal_form(&least, rows, boxes, first) else { return };
            let (mut rows_back, mut columns_back) = ([0; 3], [0; 9]);
            for (at, row) in rows.into_iter().enumerate() {
                rows_back[usize::from(row)] = at as u8;
            }
            for (at, column) in columns.into_iter().enumerate() {
                columns_back[usize::from(column)] = at as u8;
            }
            members.push((member as u16, Arrangement::new(rows_back, &columns_back)));
        });
        Class { least, members }
    }
}

/// Calls `image` with every order of rows, of boxes, and of the columns of the first box.
fn for_all_images(mut image: impl FnMut([u8; 3], [u8; 3], [u8; 3])) {
    for rows in PERMUTATIONS {
        for boxes in PERMUTATIONS {
            PERMUTATIONS.into_iter().for_each(|first| image(rows, boxes, first));
        }
    }
}

fn arranged(band: &Band, rows: [u8; 3], columns: &[u8; 9]) -> Band {
    std::array::from_fn(|at| band[usize::from(9 * rows[at / 9] + columns[at % 9])])
}

/// Replaces `least` if the least image with these rows and boxes is less.
///
/// `first` is the order of the columns of the image's first box. The top row becomes 1 to 9. The other
/// columns are ordered as their top digits appear in the second row. That determines the order of all columns
/// if at least two digits of the second row's first box are at the top of the second box.
///
/// If all three are, the second row's second box has the top digits of the third box. If two are, the third
/// column of the second box is the remaining one; one top digit of the third box is in the second row's first
/// box, and the others are in its second box. If fewer are, exchanging the second and third box gives a
/// lesser image.
fn improve(band: &Band, rows: [u8; 3], boxes: [u8; 3], first: [u8; 3], least: &mut Band) {
    let [top, second] = [rows[0], rows[1]].map(|row| &band[9 * usize::from(row)..][..9]);
    let column_on_top = |digit: u8| top.iter().position(|&other| other == digit).unwrap_or(0) as u8;
    let mut image = Columns { boxes, columns: [0; 9], filled: [0; 3] };
    for (at, column) in first.map(|column| 3 * boxes[0] + column).into_iter().enumerate() {
        let above = column_on_top(second[usize::from(column)]);
        // The second row of the least image begins with 4 5 6 or 4 5 7, which some order of boxes and columns
        // achieves.
        if at < 2 && above / 3 != boxes[1] {
            return;
        }
        image.append(column);
        image.append(above);
    }
    // Appends the remaining column of the second box, if any, then those of the third box.
    (0..3).for_each(|column| image.append(3 * boxes[1] + column));
    for at in 3..6 {
        image.append(column_on_top(second[usize::from(image.columns[at])]));
    }
    let columns = image.columns;
    let mut labels = [0; 10];
    for (at, &column) in columns.iter().enumerate() {
        labels[usize::from(top[usize::from(column)])] = at as u8 + 1;
    }
    let image = arranged(band, rows, &columns).map(|digit| labels[usize::from(digit)]);
    *least = image.min(*least);
}

/// Columns of an image while they are chosen, box by box.
struct Columns {
    boxes: [u8; 3],
    columns: [u8; 9],
    filled: [usize; 3],
}

impl Columns {
    /// Appends a column to its box, unless it is there already.
    fn append(&mut self, column: u8) {
        let Some(number) = self.boxes.iter().position(|&number| number == column / 3) else { return };
        let (three, _) = self.columns.as_chunks_mut::<3>();
        let filled = &mut self.filled[number];
        if !three[number][..*filled].contains(&column) {
            three[number][*filled] = column;
            *filled += 1;
        }
    }
}

/// Returns the normal form with a number, with 1-based digits.
fn band_of(number: usize) -> Band {
    let sets = SETS[number / ORDERS];
    let orders = [number / 36 % 36, number % 36];
    // The sets of labels of rows A, B and C in each box.
    let mut boxes = [[0o7, 0o70, 0o700]; 3];
    boxes[1][0] = sets & 0o770;
    boxes[1][1] = (sets & 0o7) | (0o700 & !sets);
    boxes[1][2] = 0o777 & !boxes[1][0] & !boxes[1][1];
    boxes[2] = std::array::from_fn(|row| 0o777 & !boxes[0][row] & !boxes[1][row]);
    let mut band = [0; 27];
    for (number, rows) in boxes.iter().enumerate() {
        let order = if number == 0 { 0 } else { orders[number - 1] };
        for (row, &set) in rows.iter().enumerate() {
            let mut digits = (0..9).filter(|label| set >> label & 1 != 0).map(|label| label + 1);
            let digits: [u8; 3] = std::array::from_fn(|_| digits.next().unwrap_or(0));
            let order = PERMUTATIONS[[0, order / 6, order % 6][row]];
            for (column, at) in order.into_iter().enumerate() {
                band[9 * row + 3 * number + column] = digits[usize::from(at)];
            }
        }
    }
    band
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_normal_form_has_its_number() {
        for number in 0..FORMS {
            let band = band_of(number);
            let identity = PERMUTATIONS[0];
            let columns = [0, 1, 2, 3, 4, 5, 6, 7, 8];
            assert_eq!(normal_form(&band, identity, identity, identity), Some((number, columns)));
            assert_eq!(normal_form(&band, identity, [0, 2, 1], identity), None);
        }
    }

    #[test]
    fn there_are_416_classes_and_each_listed_transformation_gives_the_minimal_band() {
        let table = table();
        assert_eq!((table.arrangements.len(), table.least.len()), (CLASSES * IMAGES, CLASSES));
        assert!(table.least.windows(2).all(|two| two[0] < two[1]));
        let mut listed = 0;
        for number in 0..FORMS {
            let band = band_of(number);
            let arrangements = table.arrangements(number);
            assert!(!arrangements.is_empty());
            listed += arrangements.len();
            for arrangement in arrangements {
                let image = arranged(&band, arrangement.rows(), &arrangement.columns());
                let mut labels = [0; 10];
                for (at, &digit) in image[..9].iter().enumerate() {
                    labels[usize::from(digit)] = at as u8 + 1;
                }
                assert_eq!(
                    &image.map(|digit| labels[usize::from(digit)]),
                    table.least(table.class(number).into())
                );
            }
        }
        assert_eq!(listed, CLASSES * IMAGES);
    }

    /// Tries all 6^5 arrangements of some bands, as the definition says.
    #[test]
    fn the_minimal_band_of_a_class_is_minimal_among_all_transformed_bands() {
        let table = table();
        for class in (0..CLASSES).step_by(7) {
            let band = table.least(class);
            let (mut least, mut ties) = ([u8::MAX; 27], 0);
            for_all_images(|rows, boxes, first| {
                for (second, third) in
                    PERMUTATIONS.iter().flat_map(|a| PERMUTATIONS.iter().map(move |b| (a, b)))
                {
                    let columns = std::array::from_fn(|at| {
                        3 * boxes[at / 3] + [first, *second, *third][at / 3][at % 3]
                    });
                    let image = arranged(band, rows, &columns);
                    let mut labels = [0; 10];
                    for (at, &digit) in image[..9].iter().enumerate() {
                        labels[usize::from(digit)] = at as u8 + 1;
                    }
                    let image = image.map(|digit| labels[usize::from(digit)]);
                    ties = if image < least { 1 } else { ties + usize::from(image == least) };
                    least = image.min(least);
                }
            });
            assert_eq!((&least, ties), (band, usize::from(table.automorphisms[class])), "class {class}");
        }
    }
}
