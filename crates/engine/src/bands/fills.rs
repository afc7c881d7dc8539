//! All fillings of a band of a 9x9 whose columns hold given digits, by class.
//!
//! The digits of the three columns of a box are a *partition* of the digits into three blocks of three. There are 280
//! partitions, or 1,680 with an order of the blocks. A band has three partitions, one per stack. To fill it, every
//! digit gets a row in each stack. The three rows of a digit differ, and so do the rows of the digits of a block.
//!
//! ```text
//! 280 x 280 x 280 bands   --relabel the digits-->   1 x 5 x 280
//! ```
//! Some relabelling takes the first partition to 123|456|789 and the second to one of five. Each of these
//! 1,400 classes has a list of fillings as bit sets: the fillings that have a given digit in a given row of a
//! stack. So counting the ways of filling a band with clues takes a few conjunctions and a population count.

use quadrille_model::bits::Bits;

/// Number of partitions.
pub(super) const PARTITIONS: usize = 280;
/// Number of ordered partitions. In an ordered partition, the order of the three blocks matters.
///
/// The six ordered versions of partition `p` have the numbers `6 * p..6 * p + 6`.
pub(super) const ORDERED: usize = 6 * PARTITIONS;

/// The orders of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Three blocks of digits. Each block is a bit set with one bit per digit.
pub(super) type Blocks = [u16; 3];

/// A renaming of the digits: the new digit for each old digit.
pub(super) type Relabelling = [u8; 9];

/// The partition with the blocks 123, 456 and 789.
const STANDARD: Blocks = [0o7, 0o70, 0o700];

/// Returns the index of a place among the sets of a class. A place is a combination of a stack, a digit and a
/// row.
pub(super) fn place(stack: usize, digit: usize, row: usize) -> u16 {
    ((stack * 9 + digit) * 3 + row) as u16
}

/// All partitions of the digits into three blocks. Also has the fillings of bands, grouped by class.
pub(super) struct Fills {
    /// For each ordered partition, its blocks.
    ordered: Vec<Blocks>,
    /// Index of each ordered partition. The position in this list is computed from the indices of its first
    /// two blocks in `triples`.
    numbers: Vec<u16>,
    /// Index of each set of three digits. The position in this list is the bit pattern of the set.
    triples: Vec<u8>,
    /// For each partition, a relabelling that turns it into the standard partition.
    standard: Vec<Relabelling>,
    /// For each partition, the index of its representative, and a relabelling that turns the partition into
    /// the representative.
    ///
    /// There are five representatives. They are called *second partitions*, because they represent the
    /// partitions of the second stack.
    seconds: Vec<(u8, Relabelling)>,
    /// For each second partition, all fillings of the first two stacks. Each filling of the two stacks
    /// determines the filling of the third stack.
    ///
    /// An entry has one word per stack. The word contains the row of each digit, with two bits per digit.
    rows: Vec<Vec<[u32; 3]>>,
    classes: Vec<Option<Class>>,
    /// For each ordered partition `a`, all pairs of ordered partitions `(b, c)` that complete it to three
    /// bands.
    ///
    /// In each block, every digit occurs in exactly one of `a`, `b` and `c`.
    disjoint: Vec<Vec<(u16, u16)>>,
}

/// The fillings of one class.
struct Class {
    count: u32,
    words: usize,
    /// For each place (stack, digit and row), the set of fillings that have the digit in this row of the
    /// stack.
    sets: Vec<u64>,
}

impl Fills {
    /// Creates all tables except the classes. A class is computed when it is first needed.
    pub(super) fn new() -> Self {
        let mut triples = vec![0; 512];
        triples_of_digits().enumerate().for_each(|(number, set)| triples[set as usize] = number as u8);
        let partitions = partitions();
        let ordered: Vec<Blocks> = partitions
            .iter()
            .flat_map(|blocks| ORDERS.map(|order| order.map(|block| blocks[block])))
            .collect();
        let mut numbers = vec![0; 84 * 84];
        for (number, blocks) in ordered.iter().enumerate() {
            numbers[pair(&triples, blocks)] = number as u16;
        }
        let mut fills = Fills {
            standard: partitions.iter().map(to_standard).collect(),
            disjoint: ordered.iter().map(|blocks| disjoint(&ordered, &triples, &numbers, blocks)).collect(),
            ordered,
            numbers,
            triples,
            seconds: vec![(u8::MAX, [0; 9]); PARTITIONS],
            rows: Vec::new(),
            classes: Vec::new(),
        };
        fills.find_seconds();
        fills.classes.resize_with(fills.rows.len() * PARTITIONS, || None);
        fills
    }

    /// Returns the blocks of an ordered partition.
    pub(super) fn blocks(&self, ordered: usize) -> &Blocks {
        &self.ordered[ordered]
    }

    /// Returns the index of the ordered partition with these blocks.
    pub(super) fn number(&self, blocks: &Blocks) -> usize {
        self.numbers[pair(&self.triples, blocks)] as usize
    }

    /// Returns all pairs of ordered partitions `(b, c)` that complete the partition `ordered` to three bands.
    ///
    /// In each block, every digit occurs in exactly one of `ordered`, `b` and `c`.
    pub(super) fn disjoint(&self, ordered: usize) -> &[(u16, u16)] {
        &self.disjoint[ordered]
    }

    fn find_seconds(&mut self) {
        for partition in 0..PARTITIONS {
            if self.seconds[partition].0 != u8::MAX {
                continue;
            }
            let second = self.rows.len() as u8;
            for relabelling in stabiliser() {
                let image = self.image(&relabelling, partition);
                self.seconds[image] = (second, inverse(&relabelling));
            }
            self.rows.push(two_stacks(&self.ordered[6 * partition]));
        }
    }

    /// Returns the index of the partition that results when the digits of a partition are relabelled.
    pub(super) fn image(&self, relabelling: &Relabelling, partition: usize) -> usize {
        self.number(&self.ordered[6 * partition].map(|block| relabelled(relabelling, block))) / 6
    }

    /// Returns the first class of bands with the partitions `first` and `second` in the first two stacks.
    /// Also returns a relabelling that turns these two partitions into those of the class.
    ///
    /// There are 280 such classes in a row, one per partition of the third stack. To find the class of a
    /// band, relabel its third partition. Then add the index of the relabelled partition to the index of the
    /// first class.
    pub(super) fn class_of(&self, first: usize, second: usize) -> (usize, Relabelling) {
        let standard = &self.standard[first];
        let (number, further) = &self.seconds[self.image(standard, second)];
        let relabelling = standard.map(|digit| further[digit as usize]);
        (*number as usize * PARTITIONS, relabelling)
    }

    /// Returns, for each partition, the index of the partition that results when its digits are relabelled.
    pub(super) fn images(&self, relabelling: &Relabelling) -> [u16; PARTITIONS] {
        let mut triples = [0usize; 512];
        for set in triples_of_digits() {
            triples[set as usize] = self.triples[relabelled(relabelling, set) as usize] as usize;
        }
        std::array::from_fn(|partition| {
            let blocks = &self.ordered[6 * partition];
            self.numbers[triples[blocks[0] as usize] * 84 + triples[blocks[1] as usize]] / 6
        })
    }

    /// Returns the number of fillings in a class in which every place in `empty` is unused. A place is a
    /// combination of a stack, a digit and a row.
    pub(super) fn ways(&mut self, class: usize, empty: &[u16]) -> u32 {
        if self.classes[class].is_none() {
            self.classes[class] = Some(self.make(class));
        }
        let Some(Class { count, words, sets }) = &self.classes[class] else { return 0 };
        if empty.is_empty() {
            return *count;
        }
        let mut ways = 0;
        for word in 0..*words {
            let there = (*count as usize - 64 * word).min(64);
            let all = if there == 64 { u64::MAX } else { (1 << there) - 1 };
            let bad = empty.iter().fold(0, |bad, &place| bad | sets[place as usize * words + word]);
            ways += (all & !bad).count_ones();
        }
        ways
    }

    fn make(&self, class: usize) -> Class {
        let blocks = self.ordered[6 * (class % PARTITIONS)];
        let fits = |rows: &&[u32; 3]| blocks.iter().all(|&block| rows_of(rows[2], block) == 0b111);
        let fillings: Vec<&[u32; 3]> = self.rows[class / PARTITIONS].iter().filter(fits).collect();
        let words = fillings.len().div_ceil(64);
        let mut sets = vec![0; 81 * words];
        for (number, rows) in fillings.iter().enumerate() {
            for (stack, rows) in rows.iter().enumerate() {
                for digit in 0..9 {
                    let place = place(stack, digit, row_of(*rows, digit)) as usize;
                    sets[place * words + number / 64] |= 1 << (number % 64);
                }
            }
        }
        Class { count: fillings.len() as u32, words, sets }
    }
}

fn pair(triples: &[u8], blocks: &Blocks) -> usize {
    triples[blocks[0] as usize] as usize * 84 + triples[blocks[1] as usize] as usize
}

/// Returns all sets of three digits.
fn triples_of_digits() -> impl Iterator<Item = u16> {
    (0..512).filter(|set: &u16| set.count_ones() == 3)
}

/// Returns all partitions. The blocks of each partition are sorted by their smallest digit.
fn partitions() -> Vec<Blocks> {
    let mut all = Vec::with_capacity(PARTITIONS);
    for first in triples_of_digits().filter(|set| set & 1 != 0) {
        let left = 0x1ff ^ first;
        let least = left & left.wrapping_neg();
        for second in triples_of_digits().filter(|set| set & !left == 0 && set & least != 0) {
            all.push([first, second, left ^ second]);
        }
    }
    all
}

fn disjoint(ordered: &[Blocks], triples: &[u8], numbers: &[u16], first: &Blocks) -> Vec<(u16, u16)> {
    let meets = |blocks: &Blocks| (0..3).any(|block| blocks[block] & first[block] != 0);
    let rest = |second: &Blocks| std::array::from_fn(|block| 0x1ff ^ first[block] ^ second[block]);
    let apart = ordered.iter().enumerate().filter(|(_, second)| !meets(second));
    apart.map(|(number, second)| (number as u16, numbers[pair(triples, &rest(second))])).collect()
}

fn relabelled(relabelling: &Relabelling, set: u16) -> u16 {
    Bits(set).fold(0, |image, digit| image | 1 << relabelling[digit])
}

fn to_standard(blocks: &Blocks) -> Relabelling {
    let mut relabelling = [0; 9];
    let places = blocks.iter().copied().flat_map(Bits);
    places.enumerate().for_each(|(new, old)| relabelling[old] = new as u8);
    relabelling
}

fn inverse(relabelling: &Relabelling) -> Relabelling {
    let mut inverse = [0; 9];
    (0..9).for_each(|digit| inverse[relabelling[digit] as usize] = digit as u8);
    inverse
}

/// Returns the relabellings that leave the standard partition unchanged.
///
/// These relabellings permute the blocks of the partition, and the digits within each block.
fn stabiliser() -> impl Iterator<Item = Relabelling> {
    (0..6usize.pow(4)).map(|number| {
        let blocks = ORDERS[number % 6];
        let within = [number / 6 % 6, number / 36 % 6, number / 216].map(|order| ORDERS[order]);
        std::array::from_fn(|digit| (3 * blocks[digit / 3] + within[digit / 3][digit % 3]) as u8)
    })
}

/// Returns all ways of assigning rows to digits, so that the digits of each block have different rows. A row
/// takes two bits per digit.
fn rows_in_a_stack(blocks: &Blocks) -> Vec<u32> {
    (0..216)
        .map(|number| {
            let orders = [number % 6, number / 6 % 6, number / 36].map(|order| ORDERS[order]);
            let rows = |(block, order): (&u16, [usize; 3])| {
                Bits(*block).zip(order).fold(0, |rows, (digit, row)| rows | (row as u32) << (2 * digit))
            };
            blocks.iter().zip(orders).map(rows).sum()
        })
        .collect()
}

/// Returns all fillings of two stacks. Each filling of the two stacks determines the filling of the third
/// stack.
///
/// The first stack has the standard partition, and the second stack has the partition `second`. An entry has
/// one word per stack. The word contains the row of each digit, with two bits per digit.
fn two_stacks(second: &Blocks) -> Vec<[u32; 3]> {
    // A digit has the rows 0, 1 and 2 in some order. So its row in the third stack is 3 minus its rows in the
    // other two stacks.
    const THREES: u32 = 0x3ffff;
    let (first, second) = (rows_in_a_stack(&STANDARD), rows_in_a_stack(second));
    let mut all = Vec::new();
    for &a in &first {
        all.extend(
            second
                .iter()
                .filter(|&&b| (0..9).all(|digit| row_of(a ^ b, digit) != 0))
                .map(|&b| [a, b, THREES - a - b]),
        );
    }
    all
}

fn row_of(rows: u32, digit: usize) -> usize {
    (rows >> (2 * digit) & 3) as usize
}

/// Returns the set of rows that the digits of a block occupy, one bit per row.
fn rows_of(rows: u32, block: u16) -> u32 {
    Bits(block).fold(0, |set, digit| set | 1 << row_of(rows, digit))
}
