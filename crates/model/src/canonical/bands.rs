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
/// Number of arrangements of a band that give a normal form.
///
/// Two arrangements count as one if they differ only in the order of columns within boxes, or of boxes 2 and
/// 3.
const IMAGES: usize = 108;
/// Number of ways to order the lower two rows of two boxes.
const ORDERS: usize = 36 * 36;
/// Number of ways to choose the set of digits for each row of boxes 2 and 3. The order of the digits within a
/// row does not matter.
const FILLINGS: usize = 28;
/// Number of normal forms.
const FORMS: usize = FILLINGS * ORDERS;

/// The orders of three, ascending.
pub(super) const PERMUTATIONS: [[u8; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The digits of three rows, row by row.
pub(super) type Band = [u8; 27];

/// Returns the three comparisons between three different numbers, as three bits.
const fn comparisons(a: u8, b: u8, c: u8) -> usize {
    (a < b) as usize | ((b < c) as usize) << 1 | ((a < c) as usize) << 2
}

/// Returns the index in [`PERMUTATIONS`] of an order of three elements.
const fn number_of(order: [u8; 3]) -> u8 {
    order[0] * 2 + (order[1] > order[2]) as u8
}

/// The order of the digits in rows B and C of a box, after its columns are sorted by row A.
///
/// The index consists of the [`comparisons`] of the three rows, three bits per row, with row A in the lowest
/// bits. The value is `6 * b + c`. Here `b` is the index in [`PERMUTATIONS`] of the order in row B. The index
/// for row C is `c`.
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
        // For each of the numbers 0, 1 and 2, the position of the number in row A.
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

/// For each way to fill box 2 with labels, two sets of labels as bits.
///
/// The labels 3 to 8 have bits 3 to 8. Such a bit is set if the label is in the top row of box 2. The labels
/// 0 to 2 have bits 0 to 2. Such a bit is set if the label is in row B of box 2. Label 3 is always in the top
/// row of box 2.
const SETS: [u16; FILLINGS] = {
    let (mut sets, mut filled) = ([0; FILLINGS], 0);
    let mut set = 0u16;
    while set < 512 {
        // Suppose that the top row of box 2 has `k` labels from row B of box 1. Its other `3 - k` labels come
        // from row C of box 1. The remaining `k` labels of that row C are in row B of box 2. So row B of box
        // 2 has `3 - k` labels from row A of box 1.
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

/// For eight bits of an entry of [`SETS`], the index of this entry in `SETS`.
///
/// Bits 0 to 5 are for the labels 3 to 8, and bits 6 and 7 are for the labels 0 and 1. The bit of label 2 is
/// left out, because it follows from the others.
const FILLING: [u8; 256] = {
    let (mut fillings, mut filling) = ([0; 256], 0);
    while filling < FILLINGS {
        let set = SETS[filling] as usize;
        fillings[set >> 3 | (set & 3) << 6] = filling as u8;
        filling += 1;
    }
    fillings
};

/// Returns the index of a normal form among all normal forms, computed from its boxes 2 and 3.
///
/// `sets` is an index of [`FILLING`] for box 2, with the bit of label 3 set. `second` and `third` are indices
/// of [`BOX_ORDERS`] for boxes 2 and 3. Higher bits of the arguments are ignored.
#[inline(always)]
pub(super) fn number_of_form(sets: usize, second: usize, third: usize) -> usize {
    let (second, third) = (BOX_ORDERS[second & 511], BOX_ORDERS[third & 511]);
    usize::from(FILLING[sets & 255]) * ORDERS + usize::from(second) * 36 + usize::from(third)
}

/// For each combination of [`comparisons`], the order that sorts three numbers.
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

/// Rearranges a band. Returns the index of the resulting normal form, and the order of the band's columns in
/// this normal form.
///
/// `rows`, `boxes` and `first` give the new order of the rows, of the boxes, and of the columns in the first
/// box. Returns `None` if boxes 2 and 3 would have to be exchanged for a normal form.
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
    // For each row of boxes 2 and 3, the set of its labels, and the comparisons between these labels.
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

/// A rearrangement of a band in normal form. The result is called the image of the band.
///
/// The 16-bit number has five parts of three bits each, from the lowest bits upwards:
/// - The order of the rows.
/// - The order of the boxes.
/// - For each of the three boxes of the image, the order of its columns.
///
/// Each order is an index in [`PERMUTATIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrangement(u16);

impl Arrangement {
    #[inline(always)]
    fn part(self, number: usize) -> [u8; 3] {
        // Three bits can hold up to 7, but the largest index is 5.
        PERMUTATIONS[usize::from(self.0 >> (3 * number) & 7).min(5)]
    }

    /// Returns, for each row after the rearrangement, the row it comes from before the rearrangement.
    #[inline(always)]
    pub(super) fn rows(self) -> [u8; 3] {
        self.part(0)
    }

    /// Returns, for each column after the rearrangement, the column it comes from before the rearrangement.
    #[inline(always)]
    pub(super) fn columns(self) -> [u8; 9] {
        let boxes = self.part(1);
        let mut columns = [0; 9];
        // Uses no iterator, because this code is part of a kernel that is compiled for a specific instruction
        // set.
        for number in 0..3 {
            let within = self.part(2 + number);
            for at in 0..3 {
                columns[3 * number + at] = 3 * boxes[number] + within[at];
            }
        }
        columns
    }

    /// Creates the arrangement with the given rows and columns.
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

/// All classes of equivalent bands, with the arrangements that turn a band into the smallest band of its
/// class.
///
/// Bands are compared lexicographically.
pub(super) struct BandTable {
    /// For each normal form, by its index, the 0-based number of its class. Classes are in the order of their
    /// smallest bands.
    classes: Box<[u16; FORMS]>,
    /// For each normal form, the position of its first arrangement among the arrangements of its class.
    firsts: Box<[u8; FORMS]>,
    /// Arrangements of all normal forms, class by class. Each class has `IMAGES` arrangements.
    arrangements: Box<[Arrangement]>,
    /// Number of automorphisms of each class.
    automorphisms: [u8; CLASSES],
    /// Least band of each class.
    least: Box<[Band; CLASSES]>,
}

/// Returns the table. The first call of this function computes it.
#[inline]
pub(super) fn table() -> &'static BandTable {
    static TABLE: LazyLock<BandTable> = LazyLock::new(BandTable::new);
    &TABLE
}

impl BandTable {
    /// Returns the class of the normal form with the index `form`.
    #[inline(always)]
    pub(super) fn class(&self, form: usize) -> u16 {
        self.classes[form]
    }

    /// Returns the arrangements that turn the normal form with the index `form` into the smallest band of its
    /// class.
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
            // Sorts the members, so that the arrangements of each normal form are adjacent.
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

/// A class of equivalent bands, used only while the table is built.
struct Class {
    least: Band,
    /// For each image of the smallest band, two values: the index of the image's normal form, and the
    /// arrangement that turns this normal form back into the smallest band.
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

/// Calls `image` for every way to rearrange a band: every combination of an order of rows, an order of boxes,
/// and an order of the first box's columns.
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

/// Replaces `least` if some image of the band with these rows and boxes is smaller. An image is a rearranged
/// and relabelled band.
///
/// `first` is the order of the columns in the image's first box. The digits are relabelled, so that the top
/// row becomes 1 to 9. The columns of the other boxes are in the order in which their top digits appear in
/// the second row. This determines all columns if the second row of the first box has at least two digits
/// that are at the top of the second box:
/// - With three such digits, the top digits of the third box are in the second row of the second box.
/// - With two such digits, only one column remains for the third position in the second box. One top digit of the third box is in the second row of the first box. The other two are in the second row of the second box.
///
/// With fewer than two such digits, the image is not the smallest. Exchanging the second and third box gives
/// a smaller image.
fn improve(band: &Band, rows: [u8; 3], boxes: [u8; 3], first: [u8; 3], least: &mut Band) {
    let [top, second] = [rows[0], rows[1]].map(|row| &band[9 * usize::from(row)..][..9]);
    let column_on_top = |digit: u8| top.iter().position(|&other| other == digit).unwrap_or(0) as u8;
    let mut image = Columns { boxes, columns: [0; 9], filled: [0; 3] };
    for (at, column) in first.map(|column| 3 * boxes[0] + column).into_iter().enumerate() {
        let above = column_on_top(second[usize::from(column)]);
        // In the smallest image, the second row begins with 4 5 6 or 4 5 7. Some order of boxes and columns
        // always achieves this.
        if at < 2 && above / 3 != boxes[1] {
            return;
        }
        image.append(column);
        image.append(above);
    }
    // Appends the last column of the second box if it is missing, then the columns of the third box.
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

/// The columns of an image. They are chosen step by step for each box.
struct Columns {
    boxes: [u8; 3],
    columns: [u8; 9],
    filled: [usize; 3],
}

impl Columns {
    /// Appends a column to its box, unless the box already contains it.
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

/// Returns the normal form that has the index `number`, with 1-based digits.
fn band_of(number: usize) -> Band {
    let sets = SETS[number / ORDERS];
    let orders = [number / 36 % 36, number % 36];
    // For each box, the sets of labels in its rows A, B and C.
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

    /// Tries all 6^5 arrangements of some bands, following the definition of the smallest band.
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
