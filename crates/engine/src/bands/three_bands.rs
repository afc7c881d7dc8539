//! The 9x9: the configuration of the first band, and the sum over all configurations of the second.
//!
//! In each stack, 56 partitions for the second band share no digit with the first in any column (fewer with
//! clues). Each leaves one partition for the third band. So there are up to 56^3 = 175,616 products of the
//! ways of filling the second and the third band. These ways are in tables: rows of up to 280 numbers, one
//! row per pair of partitions in the first two stacks, computed on first use.

use std::cmp::Ordering;
use std::collections::{HashMap, TryReserveError};

use super::fills::{Fills, ORDERED, Relabelling, place};
use super::frame::Frame;
use super::sum::{Columns, Fillings};
use super::symmetry::{Layout, Signatures};
use quadrille_model::bits::Bits;

/// Factor by which a product costs more if rows must be dropped and recomputed.
const FORGETTING: usize = 16;

/// The kind of a partition that a band cannot hold.
const NEVER: u16 = u16::MAX;

/// The partitions that one band can hold in one stack.
///
/// Two orders of a partition's blocks are of one kind if the cells do not distinguish the columns.
struct Kinds {
    /// Per ordered partition, its kind, or [`NEVER`].
    of: Vec<u16>,
    kinds: Vec<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    partition: u16,
    /// Per row, the digits that cannot be there, one bit per digit.
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

/// Returns true if three cells can hold three digits in some order.
///
/// Each element of `cells` is the subset of the three digits that the cell can hold.
fn can_hold(cells: [u16; 3]) -> bool {
    let [a, b, c] = cells;
    // Hall's theorem, for sets of three digits.
    let pairs = [a | b, a | c, b | c];
    cells.iter().all(|&cell| cell != 0)
        && pairs.iter().all(|pair| pair.count_ones() >= 2)
        && (a | b | c).count_ones() == 3
}

impl Kind {
    /// Adds to `to` the places that relabelled digits must not be in.
    fn places(&self, stack: usize, relabelling: &Relabelling, to: &mut Vec<u16>) {
        for (row, &set) in self.excluded.iter().enumerate() {
            to.extend(Bits(set).map(|digit| place(stack, relabelling[digit] as usize, row)));
        }
    }
}

/// The ways of filling one band, by kinds.
struct FillTable {
    stacks: [Kinds; 3],
    /// Number of the row for each pair of kinds in the first two stacks, plus one; 0 for none.
    rows: Vec<u32>,
    ways: Vec<u16>,
    /// Maximum number of rows. At least two, so that making one row does not remove the row made before.
    room: usize,
}

impl FillTable {
    /// Creates a table without rows.
    fn new(fills: &Fills, frame: &Frame, band: usize) -> Self {
        let stacks = [0, 1, 2].map(|stack| Kinds::new(fills, frame, band, stack));
        FillTable { rows: Vec::new(), ways: Vec::new(), room: 0, stacks }
    }

    /// Reserves memory for all rows, or for those that fit into `bytes` bytes.
    fn reserve(&mut self, bytes: usize) -> Result<(), TryReserveError> {
        let pairs = self.stacks[0].kinds.len() * self.stacks[1].kinds.len();
        self.room = (bytes / (size_of::<u16>() * self.width().max(1))).min(pairs).max(2);
        self.rows.try_reserve_exact(pairs)?;
        self.rows.resize(pairs, 0);
        self.ways.try_reserve_exact(self.room * self.width())
    }

    /// Returns true if the memory is enough for all rows.
    fn is_whole(&self) -> bool {
        self.room >= self.rows.len()
    }

    fn width(&self) -> usize {
        self.stacks[2].kinds.len()
    }

    /// Returns the entries of a row: the ways of filling the band, by its kind in the third stack.
    fn row(&self, row: usize) -> &[u16] {
        &self.ways[row * self.width()..][..self.width()]
    }

    /// Returns the index of the row for two kinds.
    ///
    /// Computes the row if it is missing. If there is no memory for the row, all others are dropped.
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

    /// Returns the ways of filling the band with one kind in each stack, without the table.
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

/// Pairs of kinds that the second and third band can hold in one stack, by the ordered partition of the first band.
///
/// Partitions that the first band cannot hold are included: for the other bands, such a partition may be equivalent
/// to a partition that the first band can hold.
type Pairs = Vec<Vec<(u16, u16)>>;

/// Fills the three bands of a frame.
pub(super) struct ThreeBands<'f> {
    fills: &'f mut Fills,
    first: FillTable,
    second: FillTable,
    /// The table of the third band; `None` if its kinds, and so its table, are those of the second.
    third: Option<FillTable>,
    /// True if the second and the third band are equal.
    same: bool,
    layout: Layout,
    pairs: [Pairs; 3],
}

impl<'f> ThreeBands<'f> {
    /// Creates tables of at most `bytes` bytes in total.
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

    /// Returns the partitions that the first band can hold in a stack and that leave partitions for the other bands.
    ///
    /// Also returns the total number of pairs of partitions left to the other bands.
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
            // If both bands are equal, a pair and its mirrored pair give the same products.
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
                        // Look it up again: computing the other row may have dropped this row.
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
