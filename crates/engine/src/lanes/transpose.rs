//! Converts between a wave (one bit per lane) and rows (twelve words per lane) by transposing 64x64 bits.
//!
//! ```text
//!   wave      word g of the vector of (digit d, cell c)    bit j: lane 64 g + j
//!   blocks    word g of vector j of block w                word w of `Packed9x9` of lane 64 g + j
//!   rows      words 16 (64 g + j) + w                      the same, a lane's words side by side
//! ```
//! One vector operation transposes several blocks side by side, one per word of the vector. Then the words of
//! these blocks are transposed, so that the words of a lane are next to each other: reading or writing a
//! lane's state moves twelve words at once.

use super::wave::{Knowledge, Wave};
use quadrille_model::simd::{Kernel, Vector, words, words_mut};

/// Number of words from the start of one lane to the start of the next: twelve for a state, four for padding.
const STRIDE: usize = 16;

/// A block of 64 vectors, with padding.
///
/// The padding keeps adjacent blocks from falling into the same sets of the cache.
type Block<V> = [V; 65];

/// Search states of all lanes, twelve words per lane.
pub(super) struct Rows<V> {
    rows: [V; 64 * STRIDE],
    /// Scratch space for eight words of every lane's state.
    blocks: [Block<V>; 8],
}

impl<V: Vector> Rows<V> {
    /// Creates rows of empty grids.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        let zero = V::zero(token);
        Box::new(Rows { rows: [zero; 64 * STRIDE], blocks: [[zero; 65]; 8] })
    }

    /// Returns the state of a lane, as a mutable reference.
    #[inline]
    pub(super) fn get_mut(&mut self, lane: usize) -> &mut [u64; 12] {
        words_mut(&mut self.rows)[STRIDE * lane..].first_chunk_mut().expect("each lane has sixteen words")
    }

    /// Returns a lane's state.
    #[inline]
    pub(super) fn get(&self, lane: usize) -> &[u64; 12] {
        words(&self.rows)[STRIDE * lane..].first_chunk().expect("each lane has sixteen words")
    }

    /// Copies one half of every lane's state from the rows to the blocks.
    #[inline(always)]
    fn fill_blocks(&mut self, half: usize) {
        for at in 0..64 {
            let mut vectors = [self.rows[0]; 8];
            for vector in 0..words_in(half).max(V::WORDS) {
                vectors[vector] = self.rows[place::<V>(half, vector, at)];
            }
            let vectors = V::transpose_words(vectors);
            for word in 0..words_in(half) {
                self.blocks[word][at] = vectors[word];
            }
        }
    }

    /// Copies one half of every lane's state from the blocks back to the rows.
    #[inline(always)]
    fn take_blocks(&mut self, half: usize) {
        for at in 0..64 {
            let mut vectors = [self.blocks[0][at]; 8];
            for word in 0..words_in(half) {
                vectors[word] = self.blocks[word][at];
            }
            let vectors = V::transpose_words(vectors);
            for vector in 0..words_in(half).max(V::WORDS) {
                self.rows[place::<V>(half, vector, at)] = vectors[vector];
            }
        }
    }
}

/// Returns the number of words in half 0 or half 1 of a state: eight or four.
#[inline(always)]
fn words_in(half: usize) -> usize {
    if half == 0 { 8 } else { 4 }
}

/// Returns an index into the rows. The rows are treated as an array of vectors with `WORDS` words each.
///
/// The vector at the returned index holds words of lane `at + 64 * (vector % WORDS)`.
#[inline(always)]
fn place<V: Vector>(half: usize, vector: usize, at: usize) -> usize {
    let (chunk, group) = (vector / V::WORDS, vector % V::WORDS);
    (64 * group + at) * (STRIDE / V::WORDS) + 8 * half / V::WORDS + chunk
}

/// Returns a block without its padding.
#[inline(always)]
fn block_of<V>(padded: &mut Block<V>) -> &mut [V; 64] {
    padded.first_chunk_mut().expect("64 of 65 vectors")
}

/// Completes the transposition of a half-transposed block, eight rows at a time.
///
/// The resulting rows are the new values of the first 64 cells. Only the bits of `lanes` change.
#[inline(always)]
fn replace<V: Vector>(lanes: V, halfway: &[V; 64], cells: &mut [V; 81]) {
    for eighth in 0..8 {
        let rows = second_half(halfway, eighth);
        for row in 0..8 {
            let cell = &mut cells[8 * eighth + row];
            *cell = V::select(lanes, rows[row], *cell);
        }
    }
}

/// Copies search states from rows into a wave. They replace the states of some lanes.
pub(super) struct Load<'a, V, K> {
    pub(super) wave: &'a mut Wave<V, K>,
    pub(super) rows: &'a mut Rows<V>,
    /// The lanes whose states are replaced.
    pub(super) lanes: V,
}

impl<V: Vector, K: Knowledge<V>> Kernel<V> for Load<'_, V, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Load { wave, rows, lanes } = self;
        rows.fill_blocks(0);
        for digit in 0..8 {
            let block = block_of(&mut rows.blocks[digit]);
            first_half(block);
            replace(lanes, block, &mut wave.candidates[digit]);
        }
        rows.fill_blocks(1);
        let block = block_of(&mut rows.blocks[0]);
        first_half(block);
        replace(lanes, block, &mut wave.candidates[8]);
        for third in 0..3 {
            let block = block_of(&mut rows.blocks[1 + third]);
            transpose(block);
            for part in 0..3 {
                let cells = wave.candidates[3 * third + part].last_chunk_mut::<17>().expect("17 of 81 cells");
                for at in 0..17 {
                    cells[at] = V::select(lanes, block[17 * part + at], cells[at]);
                }
            }
        }
        // No pass has processed the new states yet, so nothing is known about them.
        wave.known.forget(lanes);
        for single in &mut wave.single {
            *single = single.and_not(lanes);
        }
    }
}

/// Copies the search states of all lanes from a wave to rows.
pub(super) struct Store<'a, V, K> {
    pub(super) wave: &'a Wave<V, K>,
    pub(super) rows: &'a mut Rows<V>,
}

impl<V: Vector, K> Kernel<V> for Store<'_, V, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Store { wave, rows } = self;
        let zero = V::splat(wave.single[0], 0);
        let head = |digit: usize| wave.candidates[digit].first_chunk::<64>().expect("64 of 81 cells");
        for digit in 0..8 {
            transpose_from(head(digit), block_of(&mut rows.blocks[digit]));
        }
        rows.take_blocks(0);
        transpose_from(head(8), block_of(&mut rows.blocks[0]));
        for at in 1..4 {
            let block = block_of(&mut rows.blocks[at]);
            for part in 0..3 {
                let cells = wave.candidates[3 * (at - 1) + part].last_chunk::<17>().expect("17 of 81 cells");
                for cell in 0..17 {
                    block[17 * part + cell] = cells[cell];
                }
            }
            for row in 51..64 {
                block[row] = zero;
            }
            transpose(block);
        }
        rows.take_blocks(1);
    }
}

/// Solved grids by lane: four bits per cell, 80 cells in five words. The last cell follows from its row.
///
/// ```text
///   word w    bits 8 k .. 8 k + 4        cell 16 w + k         k in 0..8
///             bits 8 k + 4 .. 8 k + 8    cell 16 w + 8 + k
/// ```
pub(super) struct Grids<V>([Block<V>; 5]);

impl<V: Vector> Grids<V> {
    /// Returns empty grids.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        Box::new(Grids([[V::zero(token); 65]; 5]))
    }

    /// Returns the digits of a solved lane, 0-based.
    #[inline]
    pub(super) fn get(&self, lane: usize) -> [u8; 81] {
        let mut digits = [0; 81];
        self.write(lane, &mut digits);
        digits
    }

    /// Writes the 0-based digits of a solved lane directly to their final position in memory.
    ///
    /// Writing them elsewhere first would be slower. The processor would stall when copying words that it has
    /// just written.
    #[inline]
    pub(super) fn write(&self, lane: usize, digits: &mut [u8; 81]) {
        const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        const ONES: u64 = 0x0101_0101_0101_0101;
        let at = lane % 64 * V::WORDS + lane / 64;
        let mut last = 0;
        for (cells, block) in digits.as_chunks_mut::<16>().0.iter_mut().zip(&self.0) {
            let word = words(block)[at];
            last = word >> 4 & LOW;
            cells[..8].copy_from_slice(&(word & LOW).to_le_bytes());
            cells[8..].copy_from_slice(&last.to_le_bytes());
        }
        // The highest byte of the product is the sum of the first eight cells of the last row.
        digits[80] = 36u8.wrapping_sub((last.wrapping_mul(ONES) >> 56) as u8);
    }
}

/// Writes the digits of all lanes. The digits of unsolved lanes are meaningless.
pub(super) struct Digits<'a, V, K> {
    pub(super) wave: &'a Wave<V, K>,
    pub(super) grids: &'a mut Grids<V>,
}

impl<V: Vector, K> Kernel<V> for Digits<'_, V, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Digits { wave, grids } = self;
        let x = &wave.candidates;
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
///
/// ```text
///   vector 8 R + i, byte C, bit j  ->  vector 8 C + j, byte R, bit i
///
///   first half     bytes of the vectors with the same i; 8 C + i, R, j
///   second half    bits of the vectors with the same C
/// ```
#[inline(always)]
pub(super) fn transpose<V: Vector>(block: &mut [V; 64]) {
    first_half(block);
    transpose_all_bits(block);
}

/// Transposes like [`transpose`], but reads from one block and writes to another.
#[inline(always)]
fn transpose_from<V: Vector>(source: &[V; 64], block: &mut [V; 64]) {
    for low in 0..8 {
        let column = V::transpose_bytes(every_eighth(source, low));
        for high in 0..8 {
            block[8 * high + low] = column[high];
        }
    }
    transpose_all_bits(block);
}

#[inline(always)]
fn first_half<V: Vector>(block: &mut [V; 64]) {
    for low in 0..8 {
        let column = V::transpose_bytes(every_eighth(block, low));
        for high in 0..8 {
            block[8 * high + low] = column[high];
        }
    }
}

/// Completes the transposition of eight vectors of a half-transposed block.
#[inline(always)]
fn second_half<V: Vector>(halfway: &[V; 64], eighth: usize) -> [V; 8] {
    let mut rows = halfway.as_chunks().0[eighth];
    transpose_bits(&mut rows);
    rows
}

#[inline(always)]
fn every_eighth<V: Vector>(block: &[V; 64], first: usize) -> [V; 8] {
    let mut vectors = [block[0]; 8];
    for at in 0..8 {
        vectors[at] = block[8 * at + first];
    }
    vectors
}

#[inline(always)]
fn transpose_all_bits<V: Vector>(block: &mut [V; 64]) {
    for rows in block.as_chunks_mut().0 {
        transpose_bits(rows);
    }
}

/// Transposes the 8x8 bits at each byte position.
///
/// Bit `c` of a byte of vector `r` goes to bit `r` of the same byte of vector `c`.
#[inline(always)]
pub(super) fn transpose_bits<V: Vector>(rows: &mut [V; 8]) {
    let nibbles = V::splat(rows[0], 0x0f0f_0f0f_0f0f_0f0f);
    let pairs = V::splat(rows[0], 0x3333_3333_3333_3333);
    let bits = V::splat(rows[0], 0x5555_5555_5555_5555);
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

/// Swaps bits between two rows. The bits of row `b` in `mask` change places with the bits of row `a` that are
/// `SHIFT` positions higher.
#[inline(always)]
fn swap<V: Vector, const SHIFT: i32>(rows: &mut [V; 8], a: usize, b: usize, mask: V) {
    let changed = rows[a].shr::<SHIFT>().xor(rows[b]).and(mask);
    rows[b] = rows[b].xor(changed);
    rows[a] = rows[a].xor(changed.shl::<SHIFT>());
}
