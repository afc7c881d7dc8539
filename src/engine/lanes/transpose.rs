//! Between a wave (bit by lane) and rows (a lane's twelve words), by transposing blocks of 64x64 bits.
//!
//! ```text
//!   wave    word g of the vector of (digit d, cell c)    bit j: lane 64 g + j
//!   rows    word g of vector j of block w                word w of `Packed` of lane 64 g + j
//! ```
//! A vector transposes as many blocks side by side as it has words.

use super::state::State;
use crate::model::Packed;
use crate::simd::{Kernel, Vector, words, words_mut};

/// Vectors from one block to the next: one more than a block has, or the twelve words of a lane would all fall
/// into the same set of the cache.
const STRIDE: usize = 65;

/// Where a lane's word stands in a block.
#[inline]
pub(super) fn place_of<V: Vector>(lane: usize) -> usize {
    lane % 64 * V::WORDS + lane / 64
}

/// States by lane, each twelve words.
pub(super) struct Rows<V>([[V; STRIDE]; 12]);

impl<V: Vector> Rows<V> {
    /// Empty grids.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        Box::new(Rows([[V::zero(token); STRIDE]; 12]))
    }

    /// Writes a lane's state.
    #[inline]
    pub(super) fn put(&mut self, lane: usize, state: &Packed) {
        let at = place_of::<V>(lane);
        for (block, word) in self.0.iter_mut().zip(state.0) {
            words_mut(block)[at] = word;
        }
    }

    /// Reads a lane's state.
    #[inline]
    pub(super) fn get(&self, lane: usize) -> Packed {
        let at = place_of::<V>(lane);
        let mut state = Packed([0; 12]);
        for (word, block) in state.0.iter_mut().zip(&self.0) {
            *word = words(block)[at];
        }
        state
    }
}

/// A block without what pads it.
#[inline(always)]
fn block_of<V>(padded: &mut [V; STRIDE]) -> &mut [V; 64] {
    padded.first_chunk_mut().expect("64 of 65 vectors")
}

/// Cells of a digit that stand side by side in a word.
#[derive(Clone, Copy)]
struct Part {
    digit: usize,
    cell: usize,
    row: usize,
    len: usize,
}

/// What a word of [`Packed`] consists of.
#[inline(always)]
fn parts(word: usize) -> impl Iterator<Item = Part> {
    let (count, len) = if word < 9 { (1, 64) } else { (3, 17) };
    (0..count).map(move |part| {
        if word < 9 {
            Part { digit: word, cell: 0, row: 0, len }
        } else {
            Part { digit: 3 * (word - 9) + part, cell: 64, row: 17 * part, len }
        }
    })
}

/// Replaces the states of some lanes by rows.
pub(super) struct Load<'a, V> {
    pub(super) state: &'a mut State<V>,
    /// Scratch afterwards.
    pub(super) rows: &'a mut Rows<V>,
    /// The lanes.
    pub(super) lanes: V,
}

impl<V: Vector> Kernel<V> for Load<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Load { state, rows, lanes } = self;
        for word in 0..12 {
            let block = block_of(&mut rows.0[word]);
            transpose(block);
            for part in parts(word) {
                let cells = &mut state.candidates[part.digit][part.cell..][..part.len];
                for at in 0..part.len {
                    cells[at] = V::select(lanes, block[part.row + at], cells[at]);
                }
            }
        }
        // Nothing is known of the new states before the first pass has looked.
        for known in state.pinned.as_flattened_mut().iter_mut().chain(&mut state.single) {
            *known = known.and_not(lanes);
        }
    }
}

/// Copies the states of all lanes to rows.
pub(super) struct Store<'a, V> {
    pub(super) state: &'a State<V>,
    pub(super) rows: &'a mut Rows<V>,
}

impl<V: Vector> Kernel<V> for Store<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Store { state, rows } = self;
        let zero = V::splat(state.single[0], 0);
        for word in 0..12 {
            let block = block_of(&mut rows.0[word]);
            for part in parts(word) {
                let cells = &state.candidates[part.digit][part.cell..][..part.len];
                block[part.row..][..part.len].copy_from_slice(cells);
            }
            if word >= 9 {
                block[51..].fill(zero);
            }
            transpose(block);
        }
    }
}

/// Solved grids by lane: four bits a cell, 80 cells in five words; the last cell follows from its row.
///
/// ```text
///   word w    bits 8 k .. 8 k + 4        cell 16 w + k         k in 0..8
///             bits 8 k + 4 .. 8 k + 8    cell 16 w + 8 + k
/// ```
pub(super) struct Grids<V>([[V; STRIDE]; 5]);

impl<V: Vector> Grids<V> {
    /// Nothing.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        Box::new(Grids([[V::zero(token); STRIDE]; 5]))
    }

    /// The digits of a solved lane.
    #[inline]
    pub(super) fn get(&self, lane: usize) -> [u8; 81] {
        const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        let mut digits = [0; 81];
        let at = place_of::<V>(lane);
        for (cells, block) in digits.as_chunks_mut::<16>().0.iter_mut().zip(&self.0) {
            let word = words(block)[at];
            cells[..8].copy_from_slice(&(word & LOW).to_le_bytes());
            cells[8..].copy_from_slice(&(word >> 4 & LOW).to_le_bytes());
        }
        digits[80] = 36 - digits[72..80].iter().sum::<u8>();
        digits
    }
}

/// Writes the digits of all lanes; those of unsolved lanes mean nothing.
pub(super) struct Digits<'a, V> {
    pub(super) state: &'a State<V>,
    pub(super) grids: &'a mut Grids<V>,
}

impl<V: Vector> Kernel<V> for Digits<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Digits { state, grids } = self;
        let x = &state.candidates;
        for word in 0..5 {
            let block = block_of(&mut grids.0[word]);
            for place in 0..16 {
                let cell = 16 * word + place;
                let bits = &mut block[place % 8 * 8 + place / 8 * 4..][..4];
                let both = x[3][cell].or(x[7][cell]);
                bits[0] = x[1][cell].or3(x[5][cell], both);
                bits[1] = x[2][cell].or3(x[6][cell], both);
                bits[2] = x[4][cell].or3(x[5][cell], x[6][cell]).or(x[7][cell]);
                bits[3] = x[8][cell];
            }
            transpose(block);
        }
    }
}

/// Transposes the 64x64 bits of each word position: bit `c` of vector `r` goes to bit `r` of vector `c`.
#[inline(always)]
pub(super) fn transpose<V: Vector>(block: &mut [V; 64]) {
    for low in 0..8 {
        let mut column = [block[0]; 8];
        for high in 0..8 {
            column[high] = block[8 * high + low];
        }
        let column = V::transpose_bytes(column);
        for high in 0..8 {
            block[8 * high + low] = column[high];
        }
    }
    for high in 0..8 {
        let rows: &mut [V; 8] = (&mut block[8 * high..8 * high + 8]).try_into().expect("eight of 64 vectors");
        let masks = [0x0f0f_0f0f_0f0f_0f0f, 0x3333_3333_3333_3333, 0x5555_5555_5555_5555];
        let [nibbles, pairs, bits] = masks.map(|mask| V::splat(rows[0], mask));
        for (a, b) in [(0, 4), (1, 5), (2, 6), (3, 7)] {
            swap::<V, 4>(rows, a, b, nibbles);
        }
        for (a, b) in [(0, 2), (1, 3), (4, 6), (5, 7)] {
            swap::<V, 2>(rows, a, b, pairs);
        }
        for (a, b) in [(0, 1), (2, 3), (4, 5), (6, 7)] {
            swap::<V, 1>(rows, a, b, bits);
        }
    }
}

/// Swaps the bits of row `a` that stand `SHIFT` above those of `mask` with the bits of row `b` under `mask`.
#[inline(always)]
fn swap<V: Vector, const SHIFT: i32>(rows: &mut [V; 8], a: usize, b: usize, mask: V) {
    let changed = rows[a].shr::<SHIFT>().xor(rows[b]).and(mask);
    rows[b] = rows[b].xor(changed);
    rows[a] = rows[a].xor(changed.shl::<SHIFT>());
}
