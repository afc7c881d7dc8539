//! Equivalence of the configurations of a band, as seen by the other bands.
//!
//! A configuration states which digits each column of a band holds, in any order. Equivalently, it gives each digit a
//! *signature*: the digit's column in every stack.
//!
//! ```text
//! columns of stack 0   of stack 1       of stack 2       digit   signature: column in stack 0, 1, 2
//! 123 | 456 | 789      147 | 258 | 369  147 | 258 | 369  1       0 0 0
//!                                                        2       0 1 1
//!                                                        5       1 1 1
//! ```
//! Digits that no cell distinguishes can be renamed, so only the sorted list of their signatures matters.
//! Columns of one stack can be permuted, and stacks too, if their cells are the same. That changes signatures
//! one by one.

use super::frame::{Frame, MAX_SIDE};

/// The signature of each digit in a configuration. A signature contains the digit's column in every stack.
///
/// Entries for digits beyond the side length are 0.
pub(super) type Signatures = [u8; MAX_SIDE];

/// Number of bits of a signature.
const SIGNATURE_BITS: usize = 6;

/// Arrangement of the bits of a signature. The column in the first stack uses the highest bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    stacks: usize,
    bits: usize,
}

impl Layout {
    pub(super) fn new(frame: &Frame) -> Layout {
        Layout { stacks: frame.stacks(), bits: if frame.width == 2 { 1 } else { 2 } }
    }

    /// Returns the bits of a signature that represent `column` in the stack `stack`.
    pub(super) fn put(self, stack: usize, column: u8) -> u8 {
        column << (self.bits * (self.stacks - 1 - stack))
    }

    /// Returns the column in the stack `stack` that is stored in a signature.
    pub(super) fn get(self, stack: usize, signature: u8) -> usize {
        (signature >> (self.bits * (self.stacks - 1 - stack))) as usize & ((1 << self.bits) - 1)
    }

    /// Returns a mask for packed configurations, with the bits that belong to the given stacks.
    pub(super) fn mask(self, stacks: std::ops::Range<usize>) -> u64 {
        let signature = stacks.fold(0, |all, stack| all | self.put(stack, (1 << self.bits) - 1));
        pack(&[signature; MAX_SIDE])
    }

    /// Returns the sort key of a packed configuration. Configurations are compared by the first stack, then
    /// by the second stack, then by the remaining stacks.
    pub(super) fn rank(self, key: u64) -> (u64, u64, u64) {
        (key & self.mask(0..1), key & self.mask(1..2), key)
    }
}

pub(super) fn pack(signatures: &Signatures) -> u64 {
    signatures.iter().fold(0, |key, &signature| key << SIGNATURE_BITS | u64::from(signature))
}

pub(super) fn unpack(key: u64) -> Signatures {
    std::array::from_fn(|digit| (key >> (SIGNATURE_BITS * (MAX_SIDE - 1 - digit)) & 0x3f) as u8)
}

/// The symmetries that leave some bands of a frame unchanged.
///
/// They are relabellings of digits, and permutations of columns and stacks.
#[derive(Debug)]
pub(super) struct Symmetry {
    /// Ranges of digits that are equivalent for all cells.
    ///
    /// Each cell allows either all digits of a range or none of them.
    runs: Vec<(usize, usize)>,
    /// For each permutation of columns and stacks, a map from old signatures to new signatures. There is at
    /// least one permutation.
    maps: Vec<[u8; 1 << SIGNATURE_BITS]>,
    layout: Layout,
}

impl Symmetry {
    /// Creates the symmetries of the bands in `bands` that affect only the first `stacks` stacks.
    ///
    /// Digits that are equivalent for the cells of these bands must be adjacent, see [`order`].
    pub(super) fn new(frame: &Frame, bands: &[usize], stacks: usize) -> Symmetry {
        let classes = digit_classes(frame, bands);
        let mut runs = Vec::new();
        let mut start = 0;
        for end in 1..=frame.side {
            if end == frame.side || classes[end] != classes[start] {
                if end - start > 1 {
                    runs.push((start, end));
                }
                start = end;
            }
        }
        Symmetry { runs, maps: column_maps(frame, bands, stacks), layout: Layout::new(frame) }
    }

    /// Returns the number of permutations of columns and stacks.
    pub(super) fn permutations(&self) -> usize {
        self.maps.len()
    }

    /// Returns the number of all symmetries (the size of their group).
    pub(super) fn size(&self) -> f64 {
        let relabellings =
            self.runs.iter().map(|&(start, end)| (1..=end - start).map(|n| n as f64).product::<f64>());
        relabellings.product::<f64>() * self.maps.len() as f64
    }

    /// Sorts the signatures within each range of equivalent digits.
    ///
    /// Configurations with equal results are equivalent. The reverse is not always true, because this
    /// function does not permute columns or stacks.
    pub(super) fn sort(&self, signatures: &mut Signatures) {
        for &(start, end) in &self.runs {
            for next in start + 1..end {
                let mut at = next;
                while at > start && signatures[at - 1] > signatures[at] {
                    signatures.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
    }

    /// Returns the configuration with the lowest rank among all equivalent configurations, in packed form.
    pub(super) fn canonical(&self, signatures: &Signatures) -> u64 {
        let image = |map: &[u8; 1 << SIGNATURE_BITS]| {
            let mut image = signatures.map(|signature| map[signature as usize & 0x3f]);
            self.sort(&mut image);
            pack(&image)
        };
        self.maps.iter().map(image).min_by_key(|&key| self.layout.rank(key)).unwrap_or(0)
    }
}

/// Returns an order of the digits in which equivalent digits are adjacent.
///
/// Two digits are equivalent if each cell allows either both of them or neither. The order first groups
/// digits that are equivalent in `bands`. Within each group, it puts together digits that are equivalent in
/// all bands.
pub(super) fn order(frame: &Frame, bands: &[usize]) -> Vec<u8> {
    let every: Vec<usize> = (0..frame.bands()).collect();
    let (coarse, fine) = (digit_classes(frame, bands), digit_classes(frame, &every));
    let mut order: Vec<u8> = (0..frame.side as u8).collect();
    order.sort_by_key(|&digit| (coarse[digit as usize], fine[digit as usize], digit));
    order
}

/// Returns, for each digit, the smallest equivalent digit. Two digits are equivalent if each cell of `bands`
/// allows either both of them or neither.
fn digit_classes(frame: &Frame, bands: &[usize]) -> Vec<usize> {
    let same = |a: usize, b: usize| {
        bands.iter().all(|&band| frame.band(band).iter().all(|mask| mask >> a & 1 == mask >> b & 1))
    };
    (0..frame.side).map(|digit| (0..=digit).find(|&other| same(other, digit)).unwrap_or(digit)).collect()
}

/// A permutation of the stacks, and of the columns within each stack.
///
/// Element `[stack][column]` has the signature bits that represent the new stack and column.
type Moves = Vec<[u8; 3]>;

fn column_maps(frame: &Frame, bands: &[usize], stacks: usize) -> Vec<[u8; 1 << SIGNATURE_BITS]> {
    let layout = Layout::new(frame);
    let same = |from: usize, to: usize| {
        bands.iter().all(|&band| {
            (0..frame.height).all(|row| frame.mask(band, row, from) == frame.mask(band, row, to))
        })
    };
    let mut partial: Vec<(u32, Moves)> = vec![(0, Moves::new())];
    for stack in 0..stacks {
        let mut longer = Vec::new();
        for (taken, moves) in &partial {
            for to in (0..stacks).filter(|to| taken >> to & 1 == 0) {
                for places in permutations(frame.width) {
                    let fits = (0..frame.width).all(|column| {
                        same(stack * frame.width + column, to * frame.width + places[column] as usize)
                    });
                    if fits {
                        let mut moves = moves.clone();
                        moves.push(places.map(|place| layout.put(to, place)));
                        longer.push((taken | 1 << to, moves));
                    }
                }
            }
        }
        partial = longer;
    }
    let map = |moves: &Moves| {
        std::array::from_fn(|signature| {
            let image = |(stack, places): (usize, &[u8; 3])| {
                places[layout.get(stack, signature as u8).min(frame.width - 1)]
            };
            moves.iter().enumerate().map(image).fold(0, |all, part| all | part)
        })
    };
    partial.iter().map(|(_, moves)| map(moves)).collect()
}

/// Returns all orders of two or three columns. If there are only two columns, the third entry of each order
/// is unused.
pub(super) fn permutations(width: usize) -> &'static [[u8; 3]] {
    const ALL: [[u8; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]];
    if width == 2 { &ALL[..2] } else { &ALL }
}
