//! Counting of 9x9 grids. For each configuration of the first band, there is a sum over all configurations of
//! the second band.
//!
//! A configuration states which digits are in each column. In one stack, it is a partition of the digits into
//! three columns. Consider one stack and the partition that the first band has there. The second band can
//! have 56 partitions that share no digit with it in any column (fewer with clues). Each of them leaves one
//! partition for the third band. So a configuration of the first band leads to at most 56^3 = 175,616
//! products. Each product is the number of ways of filling the second band times the number of ways of
//! filling the third band. These numbers of ways are stored in tables with rows of up to 280 numbers. There
//! is one row for each pair of partitions in the first two stacks, and it is computed when it is first
//! needed.

use std::cmp::Ordering;
use std::collections::{HashMap, TryReserveError};

use super::fills::{Fills, ORDERED, Relabelling, place};
use super::frame::Frame;
use super::sum::{Columns, Fillings};
use super::symmetry::{Layout, Signatures};
use quadrille_model::bits::Bits;

/// Factor by which products cost more if the table has no room for all rows, so that rows must be dropped and
/// recomputed.
const FORGETTING: usize = 16;

/// Value that is used instead of a kind if the cells of the band cannot hold the partition.
const NEVER: u16 = u16::MAX;

/// The kinds of partitions that one band can have in one stack.
///
/// Two orders of the same blocks have the same kind if they exclude the same digits from each row.
struct Kinds {
    /// The kind of each ordered partition, or [`NEVER`] if the cells cannot hold the partition.
    of: Vec<u16>,
    kinds: Vec<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    partition: u16,
    /// For each row, the digits that cannot be in this row, one bit per digit.
    excluded: [u16; 3],
}

impl Kinds {
    fn new(fills: &Fills, frame: &Frame, band: usize, stack: usize) -> Self {
        let cell = |row: usize, column: usize| frame.mask(band, row, 3 * stack + column);
        let (mut of, mut kinds, mut numbers) = (Vec::with_capacity(ORDERED), Vec::new(), HashMap::new());
        for ordered in 0..ORDERED {
            let blocks = fills.blocks(ordered);
            if !(0..3).all(|column| can_hold([0, 1, 2].map(|row| cell(row, column) & blocks[column]))) {
                of.push(NEVER);
                continue;
            }
            let excluded =
                [0, 1, 2].map(|row| (0..3).fold(0, |set, column| set | blocks[column] & !cell(row, column)));
            let kind = Kind { partition: (ordered / 6) as u16, excluded };
            of.push(*numbers.entry(kind).or_insert_with(|| {
                kinds.push(kind);
                kinds.len() as u16 - 1
            }));
        }
        Kinds { of, kinds }
    }
}

/// Returns true if three cells can hold three given digits in some order.
///
/// Each element of `cells` is the set of those of the three digits that the cell can hold.
fn can_hold(cells: [u16; 3]) -> bool {
    let [a, b, c] = cells;
    // Hall's theorem: any one, two or three of the cells must together allow at least one, two or three
    // digits.
    let pairs = [a | b, a | c, b | c];
    cells.iter().all(|&cell| cell != 0)
        && pairs.iter().all(|pair| pair.count_ones() >= 2)
        && (a | b | c).count_ones() == 3
}

impl Kind {
    /// Relabels the excluded digits, and appends their places to `to`. A place is a combination of a stack, a
    /// digit and a row.
    fn places(&self, stack: usize, relabelling: &Relabelling, to: &mut Vec<u16>) {
        for (row, &set) in self.excluded.iter().enumerate() {
            to.extend(Bits(set).map(|digit| place(stack, relabelling[digit] as usize, row)));
        }
    }
}

/// The number of ways of filling one band. It depends on the kind of partition in each stack.
struct FillTable {
    stacks: [Kinds; 3],
    /// For each pair of kinds in the first two stacks, the index of its row plus one.
    ///
    /// The value is 0 if the table does not have the row for this pair.
    rows: Vec<u32>,
    ways: Vec<u16>,
    /// Maximum number of rows in the table. It is at least two, because the sums need two rows at the same
    /// time.
    room: usize,
}

impl FillTable {
    /// Creates a table without rows.
    fn new(fills: &Fills, frame: &Frame, band: usize) -> Self {
        let stacks = [0, 1, 2].map(|stack| Kinds::new(fills, frame, band, stack));
        FillTable { rows: Vec::new(), ways: Vec::new(), room: 0, stacks }
    }

    /// Reserves memory for all rows, or for the number of rows that fit into `bytes` bytes.
    fn reserve(&mut self, bytes: usize) -> Result<(), TryReserveError> {
        let pairs = self.stacks[0].kinds.len() * self.stacks[1].kinds.len();
        self.room = (bytes / (size_of::<u16>() * self.width().max(1))).min(pairs).max(2);
        self.rows.try_reserve_exact(pairs)?;
        self.rows.resize(pairs, 0);
        self.ways.try_reserve_exact(self.room * self.width())
    }

    /// Returns true if the table has room for all rows at once.
    fn is_whole(&self) -> bool {
        self.room >= self.rows.len()
    }

    fn width(&self) -> usize {
        self.stacks[2].kinds.len()
    }

    /// Returns a row of the table. `row` is the index of the row.
    ///
    /// For each kind of partition in the third stack, the row has the number of ways of filling the band.
    fn row(&self, row: usize) -> &[u16] {
        &self.ways[row * self.width()..][..self.width()]
    }

    /// Returns the index of the row for the kinds `a` and `b` in the first two stacks.
    ///
    /// If the row is missing, computes it. If there is no room for a further row, first drops all earlier
    /// rows.
    fn find(&mut self, fills: &mut Fills, a: u16, b: u16) -> usize {
        let pair = a as usize * self.stacks[1].kinds.len() + b as usize;
        match self.rows[pair] {
            0 => self.make(fills, pair),
            row => row as usize - 1,
        }
    }

    #[cold]
    fn make(&mut self, fills: &mut Fills, pair: usize) -> usize {
        let (width, seconds) = (self.width(), self.stacks[1].kinds.len());
        if self.ways.len() == self.room * width {
            self.rows.fill(0);
            self.ways.clear();
        }
        let (first, second) = (&self.stacks[0].kinds[pair / seconds], &self.stacks[1].kinds[pair % seconds]);
        let (class, relabelling) = fills.class_of(first.partition as usize, second.partition as usize);
        let images = fills.images(&relabelling);
        let mut empty = Vec::new();
        first.places(0, &relabelling, &mut empty);
        second.places(1, &relabelling, &mut empty);
        let before = empty.len();
        let row = self.ways.len() / width;
        for third in &self.stacks[2].kinds {
            empty.truncate(before);
            third.places(2, &relabelling, &mut empty);
            self.ways.push(fills.ways(class + images[third.partition as usize] as usize, &empty) as u16);
        }
        self.rows[pair] = row as u32 + 1;
        row
    }

    /// Returns the number of ways of filling the band. `kinds` contains the kind of its partition in each
    /// stack. Does not use the table.
    fn single(&self, fills: &mut Fills, kinds: [u16; 3]) -> u32 {
        let [first, second, third] = [0, 1, 2].map(|stack| &self.stacks[stack].kinds[kinds[stack] as usize]);
        let (class, relabelling) = fills.class_of(first.partition as usize, second.partition as usize);
        let mut empty = Vec::new();
        [first, second, third]
            .iter()
            .enumerate()
            .for_each(|(stack, kind)| kind.places(stack, &relabelling, &mut empty));
        let image = fills.image(&relabelling, third.partition as usize);
        fills.ways(class + image, &empty)
    }
}

/// For each ordered partition of the first band in one stack, the kinds of partitions that the other two
/// bands can have in this stack.
///
/// Each entry is a pair: the kind for the second band and the kind for the third band. There are entries even
/// for partitions that the first band cannot hold. The reason is that such a partition may be the
/// representative of an equivalent partition that the first band can hold.
type Pairs = Vec<Vec<(u16, u16)>>;

/// Counts the ways of filling the three bands of a frame.
pub(super) struct ThreeBands<'f> {
    fills: &'f mut Fills,
    first: FillTable,
    second: FillTable,
    /// Table of the third band.
    ///
    /// `None` if the second and third band have the same kinds of partitions. The third band then uses the
    /// table of the second band.
    third: Option<FillTable>,
    /// True if the cells of the second and the third band have the same candidates.
    same: bool,
    layout: Layout,
    pairs: [Pairs; 3],
}

impl<'f> ThreeBands<'f> {
    /// Creates the tables. They take at most `bytes` bytes in total.
    pub(super) fn new(fills: &'f mut Fills, frame: &Frame, bytes: usize) -> Result<Self, TryReserveError> {
        let [first, mut second, mut third] = [0, 1, 2].map(|band| FillTable::new(fills, frame, band));
        let pairs = [0, 1, 2].map(|stack| pairs(fills, &second.stacks[stack], &third.stacks[stack]));
        let shared = (0..3).all(|stack| second.stacks[stack].kinds == third.stacks[stack].kinds);
        second.reserve(if shared { bytes } else { bytes / 2 })?;
        if !shared {
            third.reserve(bytes / 2)?;
        }
        let same = frame.band(1) == frame.band(2);
        Ok(ThreeBands {
            fills,
            first,
            second,
            third: (!shared).then_some(third),
            same,
            pairs,
            layout: Layout::new(frame),
        })
    }

    /// Returns the partitions that the first band can have in a stack.
    ///
    /// Omits partitions for which the other two bands cannot be filled in this stack. For each returned
    /// partition, the other bands can have certain pairs of kinds. Also returns the total number of these
    /// pairs.
    pub(super) fn choices(fills: &Fills, frame: &Frame, stack: usize) -> (Vec<Columns>, usize) {
        let [first, second, third] = [0, 1, 2].map(|band| Kinds::new(fills, frame, band, stack));
        let mut pairs = pairs(fills, &second, &third);
        let never = |ordered: &usize| first.of[*ordered] == NEVER;
        (0..ORDERED).filter(never).for_each(|ordered| pairs[ordered].clear());
        let choices = (0..ORDERED)
            .filter(|&ordered| !pairs[ordered].is_empty())
            .map(|ordered| {
                let mut columns = Columns::default();
                for (column, block) in fills.blocks(ordered).iter().enumerate() {
                    Bits(*block).for_each(|digit| columns[digit] = column as u8);
                }
                columns
            })
            .collect();
        (choices, pairs.iter().map(Vec::len).sum())
    }

    fn partitions(&self, configuration: &Signatures) -> [usize; 3] {
        [0, 1, 2].map(|stack| {
            let mut blocks = [0; 3];
            for (digit, signature) in configuration[..9].iter().enumerate() {
                blocks[self.layout.get(stack, *signature) % 3] |= 1 << digit;
            }
            self.fills.number(&blocks)
        })
    }
}

fn pairs(fills: &Fills, second: &Kinds, third: &Kinds) -> Pairs {
    let of = |ordered: usize| {
        let kinds =
            fills.disjoint(ordered).iter().map(|&(b, c)| (second.of[b as usize], third.of[c as usize]));
        kinds.filter(|&(b, c)| b != NEVER && c != NEVER).collect()
    };
    (0..ORDERED).map(of).collect()
}

impl Fillings for ThreeBands<'_> {
    fn first(&mut self, configuration: &Signatures) -> u128 {
        let partitions = self.partitions(configuration);
        let kinds = [0, 1, 2].map(|stack| self.first.stacks[stack].of[partitions[stack]]);
        if kinds.contains(&NEVER) { 0 } else { self.first.single(self.fills, kinds).into() }
    }

    fn rest(&mut self, classes: &[(Signatures, u128)]) -> Option<u128> {
        let Some((configuration, _)) = classes.first() else { return Some(0) };
        let [first, second, _] = self.partitions(configuration);
        let lasts: Vec<usize> =
            classes.iter().map(|(configuration, _)| self.partitions(configuration)[2]).collect();
        let mut totals = vec![0u64; classes.len()];
        for &(b0, c0) in &self.pairs[0][first] {
            // If the second and the third band have the same candidates, swapping the two kinds in a pair
            // gives the same products.
            let times = match (self.same, b0.cmp(&c0)) {
                (false, _) | (true, Ordering::Equal) => 1,
                (true, Ordering::Less) => 2,
                (true, Ordering::Greater) => continue,
            };
            for &(b1, c1) in &self.pairs[1][second] {
                let (row_b, row_c) = match &mut self.third {
                    Some(third) => {
                        let (b, c) = (self.second.find(self.fills, b0, b1), third.find(self.fills, c0, c1));
                        (self.second.row(b), third.row(c))
                    }
                    None => {
                        self.second.find(self.fills, b0, b1);
                        let c = self.second.find(self.fills, c0, c1);
                        // The first row is looked up again, because computing the second row may have dropped
                        // it.
                        let b = self.second.find(self.fills, b0, b1);
                        (self.second.row(b), self.second.row(c))
                    }
                };
                for (total, &last) in totals.iter_mut().zip(&lasts) {
                    let products = self.pairs[2][last]
                        .iter()
                        .map(|&(b, c)| u64::from(row_b[b as usize]) * u64::from(row_c[c as usize]));
                    *total += times * products.sum::<u64>();
                }
            }
        }
        classes
            .iter()
            .zip(totals)
            .try_fold(0u128, |sum, ((_, weight), total)| sum.checked_add(weight.checked_mul(total.into())?))
    }

    fn cost(&self, classes: &[(Signatures, u128)]) -> usize {
        let pairs = |stack: usize, (configuration, _): &(Signatures, u128)| {
            self.pairs[stack][self.partitions(configuration)[stack]].len()
        };
        let last: usize = classes.iter().map(|class| pairs(2, class)).sum();
        let products = classes.first().map_or(0, |class| pairs(0, class) * pairs(1, class) * last);
        let whole = self.second.is_whole() && self.third.as_ref().is_none_or(FillTable::is_whole);
        if whole { products } else { products * FORGETTING }
    }
}
