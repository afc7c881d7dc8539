//! Finds the cells of a 9x9 grid that contain a given byte, as sets with one bit per cell.
//!
//! Also provides operations on pairs of sixteen bytes, which process two grids together.
//!
//! One comparison covers sixteen bytes on every x86-64 processor, 32 bytes with AVX2, and 64 bytes with
//! AVX-512. On other architectures, comparisons use plain 64-bit words. A whole
//! [`WordKernel`](super::WordKernel) is compiled for the instruction set, so all of its code gets faster.

use super::words::PlainWords;

/// Number of bytes per comparison without AVX2.
const BYTES: usize = 16;
/// Number of bytes in each half of a [`Bytes::Pair`].
pub const HALF: usize = 16;
/// Set of all 81 cells, one bit per cell.
const ALL_CELLS: u128 = (1 << 81) - 1;
/// Lookup table that maps each number from 0 to 7 to a different bit.
#[cfg(target_arch = "x86_64")]
pub(super) const BITS: [u8; HALF] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

/// An instruction set, with its operations on bytes.
///
/// A value of an implementing type proves that the processor has the instruction set.
pub trait Bytes: Copy {
    /// The bytes of a 9x9 grid, one per cell.
    type Grid;
    /// Two halves of sixteen bytes each. Every operation applies to both halves.
    type Pair: Copy;

    /// Loads a grid from memory.
    fn load(self, cells: &[u8; 81]) -> Self::Grid;

    /// Returns the cells that contain the byte `wanted`, one bit per cell.
    fn cells_with(self, grid: &Self::Grid, wanted: u8) -> u128;

    /// Returns, for each of the nine bytes from `first` on, the cells that may have this byte.
    ///
    /// These are the cells that contain the byte itself, and the cells that contain a byte from `others`. The
    /// sets have one bit per cell. Returns `None` if a cell contains any other byte.
    #[expect(
        clippy::needless_range_loop,
        reason = "indexed loops of fixed length are always unrolled; iterator adaptors sometimes remain calls"
    )]
    #[inline(always)]
    fn cells_with_nine(self, cells: &[u8; 81], first: u8, others: [u8; 2]) -> Option<[u128; 9]> {
        let grid = self.load(cells);
        let other = self.cells_with(&grid, others[0]) | self.cells_with(&grid, others[1]);
        let (mut found, mut known) = ([0; 9], other);
        for number in 0..9 {
            let with = self.cells_with(&grid, first + number as u8);
            known |= with;
            found[number] = with | other;
        }
        (known == ALL_CELLS).then_some(found)
    }

    /// Loads two halves from memory.
    fn pair(self, halves: [&[u8; HALF]; 2]) -> Self::Pair;
    /// Returns `a & b`.
    fn and(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Returns `a | b`.
    fn or(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Returns `a & !b`.
    fn and_not(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Returns `a - b` for each byte, wrapping.
    fn minus(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Compares byte by byte: returns all ones where `a <= b`, and 0 elsewhere.
    fn at_most(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Compares byte by byte: returns all ones where `a == b`, and 0 elsewhere.
    fn same(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Replaces each byte of `numbers` by an entry of `table`.
    ///
    /// The low four bits of the byte are an index into one half of `table`: the first half for bytes in the
    /// first half of `numbers`, otherwise the second. The result is 0 if the top bit of the byte is set.
    fn look_up(self, table: Self::Pair, numbers: Self::Pair) -> Self::Pair;
    /// Shifts each half down by `N` bytes. Fills the top of the half with zeros.
    fn down<const N: i32>(self, a: Self::Pair) -> Self::Pair;
    /// Replaces each group of eight bytes by their sum, as a 64-bit word.
    fn sums(self, a: Self::Pair) -> Self::Pair;
    /// Shifts each 64-bit word up by `N` bits.
    fn up<const N: i32>(self, a: Self::Pair) -> Self::Pair;
    /// Adds every 64-bit word, wrapping.
    fn plus(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// Returns true if no bit is set.
    fn is_zero(self, a: Self::Pair) -> bool;
    /// Returns the four 64-bit words of a pair. The first byte of a word is its lowest byte.
    fn quarters(self, a: Self::Pair) -> [u64; 4];

    /// Returns a pair with the given bytes in both halves.
    #[inline(always)]
    fn twice(self, half: &[u8; HALF]) -> Self::Pair {
        self.pair([half, half])
    }
}

/// Combines two pairs byte by byte with `f`.
#[inline(always)]
fn zip(a: [u8; 2 * HALF], b: [u8; 2 * HALF], f: impl Fn(u8, u8) -> u8) -> [u8; 2 * HALF] {
    let mut zipped = [0; 2 * HALF];
    for at in 0..2 * HALF {
        zipped[at] = f(a[at], b[at]);
    }
    zipped
}

/// Replaces each of the four 64-bit words of a pair by the result of `f`.
#[inline(always)]
fn by_word(a: [u8; 2 * HALF], f: impl Fn([u8; 8], usize) -> u64) -> [u8; 2 * HALF] {
    let mut words = [0; 2 * HALF];
    for (number, (word, bytes)) in words.as_chunks_mut::<8>().0.iter_mut().zip(a.as_chunks().0).enumerate() {
        *word = f(*bytes, number).to_le_bytes();
    }
    words
}

impl Bytes for PlainWords {
    type Grid = [u8; 81];
    type Pair = [u8; 2 * HALF];

    #[inline(always)]
    fn cells_with(self, cells: &[u8; 81], wanted: u8) -> u128 {
        let (vectors, last) = cells.as_chunks::<BYTES>();
        let mut halves = [0u64; 2];
        for (index, vector) in vectors.iter().enumerate() {
            halves[index / 4] |= u64::from(equal_bytes(vector, wanted)) << (index % 4 * BYTES);
        }
        let [low, high] = halves;
        u128::from(low) | u128::from(high | u64::from(last[0] == wanted) << BYTES) << 64
    }

    #[inline(always)]
    fn pair(self, halves: [&[u8; HALF]; 2]) -> Self::Pair {
        let mut pair = [0; 2 * HALF];
        pair[..HALF].copy_from_slice(halves[0]);
        pair[HALF..].copy_from_slice(halves[1]);
        pair
    }

    operations! { Self::Pair;
        load(self, cells: &[u8; 81]) -> [u8; 81] = *cells;
        and(self, a, b) = zip(a, b, |a, b| a & b);
        or(self, a, b) = zip(a, b, |a, b| a | b);
        and_not(self, a, b) = zip(a, b, |a, b| a & !b);
        minus(self, a, b) = zip(a, b, u8::wrapping_sub);
        at_most(self, a, b) = zip(a, b, |a, b| u8::from(a <= b).wrapping_neg());
        same(self, a, b) = zip(a, b, |a, b| u8::from(a == b).wrapping_neg());
        sums(self, a) = by_word(a, |bytes, _| bytes.iter().map(|&byte| u64::from(byte)).sum());
        up<N: i32>(self, a) = by_word(a, |bytes, _| u64::from_le_bytes(bytes) << N);
    }

    #[inline(always)]
    fn look_up(self, table: Self::Pair, numbers: Self::Pair) -> Self::Pair {
        let mut found = [0; 2 * HALF];
        for at in 0..2 * HALF {
            let number = numbers[at];
            let entry = table[at / HALF * HALF + usize::from(number & 15)];
            found[at] = if number < 0x80 { entry } else { 0 };
        }
        found
    }

    #[inline(always)]
    fn down<const N: i32>(self, a: Self::Pair) -> Self::Pair {
        let mut moved = [0; 2 * HALF];
        for at in 0..2 * HALF {
            if at % HALF + (N as usize) < HALF {
                moved[at] = a[at + N as usize];
            }
        }
        moved
    }

    #[inline(always)]
    fn plus(self, a: Self::Pair, b: Self::Pair) -> Self::Pair {
        let (b, _) = b.as_chunks::<8>();
        by_word(a, |bytes, number| u64::from_le_bytes(bytes).wrapping_add(u64::from_le_bytes(b[number])))
    }

    #[inline(always)]
    fn is_zero(self, a: Self::Pair) -> bool {
        a == [0; 2 * HALF]
    }

    #[inline(always)]
    fn quarters(self, a: Self::Pair) -> [u64; 4] {
        let (words, _) = a.as_chunks::<8>();
        [words[0], words[1], words[2], words[3]].map(u64::from_le_bytes)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::words::Words;
    use super::super::words::x86::{Avx2Words, avx2};
    use super::{ALL_CELLS, BITS, Bytes, HALF};

    /// Offset of the third vector in the bytes of the grid. The vector ends with the last cell.
    const THIRD: usize = 81 - 32;

    /// Returns the cells whose byte has its top bit set, one bit per cell.
    #[inline(always)]
    fn top_bits(_: Avx2Words, grid: &[__m256i; 3]) -> u128 {
        let [first, second, third] = avx2!([
            _mm256_movemask_epi8(grid[0]) as u32,
            _mm256_movemask_epi8(grid[1]) as u32,
            _mm256_movemask_epi8(grid[2]) as u32,
        ]);
        let low = u64::from(first) | u64::from(second) << 32;
        u128::from(low) | u128::from(third & 0x1ffff) << 64
    }

    impl Bytes for Avx2Words {
        type Grid = [__m256i; 3];
        type Pair = __m256i;

        #[inline(always)]
        fn load(self, cells: &[u8; 81]) -> Self::Grid {
            let (first, rest) = cells.split_at(32);
            let third = &cells[THIRD..];
            // SAFETY: `self` proves that the processor supports AVX2. Each load reads 32 borrowed bytes.
            unsafe {
                let third = _mm256_loadu_si256(third.as_ptr().cast());
                // The vector is shifted by fifteen bytes here, once. Otherwise every comparison result would
                // have to be shifted by fifteen bits.
                let third = _mm256_alignr_epi8::<15>(_mm256_permute2x128_si256::<0x81>(third, third), third);
                [_mm256_loadu_si256(first.as_ptr().cast()), _mm256_loadu_si256(rest.as_ptr().cast()), third]
            }
        }

        #[inline(always)]
        fn cells_with(self, grid: &Self::Grid, wanted: u8) -> u128 {
            let same = avx2!({
                let wanted = _mm256_set1_epi8(wanted as i8);
                [
                    _mm256_cmpeq_epi8(grid[0], wanted),
                    _mm256_cmpeq_epi8(grid[1], wanted),
                    _mm256_cmpeq_epi8(grid[2], wanted),
                ]
            });
            top_bits(self, &same)
        }

        /// Finds the sets with one table lookup per byte.
        ///
        /// There are nine wanted bytes. The lookup turns each of the first eight into a different bit, and
        /// the bytes in `others` into all ones. The top bits of all cells then form the set of one wanted
        /// byte. Doubling all bytes moves the bits of the next set to the top. Comparisons find the ninth
        /// set.
        #[expect(
            clippy::needless_range_loop,
            reason = "indexed loops of fixed length are always unrolled; iterator adaptors sometimes remain calls"
        )]
        #[inline(always)]
        fn cells_with_nine(self, cells: &[u8; 81], first: u8, others: [u8; 2]) -> Option<[u128; 9]> {
            let mut grid = Bytes::load(self, cells);
            let mut ninth = grid;
            let mut known = grid;
            let table = self.pair([&BITS; 2]);
            avx2!({
                for part in 0..3 {
                    let bytes = grid[part];
                    let number = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
                    let last = _mm256_set1_epi8(8);
                    let is_number = _mm256_cmpeq_epi8(_mm256_min_epu8(number, last), number);
                    let other = _mm256_or_si256(
                        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(others[0] as i8)),
                        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(others[1] as i8)),
                    );
                    known[part] = _mm256_or_si256(is_number, other);
                    grid[part] = _mm256_or_si256(_mm256_shuffle_epi8(table, number), other);
                    ninth[part] = _mm256_or_si256(_mm256_cmpeq_epi8(number, last), other);
                }
            });
            if top_bits(self, &known) != ALL_CELLS {
                return None;
            }
            let mut found = [top_bits(self, &ninth); 9];
            for number in (0..8).rev() {
                found[number] = top_bits(self, &grid);
                for part in 0..3 {
                    grid[part] = avx2!(_mm256_add_epi8(grid[part], grid[part]));
                }
            }
            Some(found)
        }

        #[inline(always)]
        fn pair(self, halves: [&[u8; HALF]; 2]) -> __m256i {
            // SAFETY: `self` proves that the processor supports AVX2. The loads need no alignment and read
            // exactly the two arrays.
            unsafe { _mm256_loadu2_m128i(halves[1].as_ptr().cast(), halves[0].as_ptr().cast()) }
        }

        operations! { __m256i;
            is_zero(self, a) -> bool = avx2!(_mm256_testz_si256(a, a)) != 0;
            quarters(self, a) -> [u64; 4] = Words::words(self, a);
            and(self, a, b) = avx2!(_mm256_and_si256(a, b));
            or(self, a, b) = avx2!(_mm256_or_si256(a, b));
            and_not(self, a, b) = avx2!(_mm256_andnot_si256(b, a));
            minus(self, a, b) = avx2!(_mm256_sub_epi8(a, b));
            at_most(self, a, b) = avx2!(_mm256_cmpeq_epi8(_mm256_min_epu8(a, b), a));
            same(self, a, b) = avx2!(_mm256_cmpeq_epi8(a, b));
            look_up(self, table, numbers) = avx2!(_mm256_shuffle_epi8(table, numbers));
            down<N: i32>(self, a) = avx2!(_mm256_srli_si256::<N>(a));
            sums(self, a) = avx2!(_mm256_sad_epu8(a, _mm256_setzero_si256()));
            up<N: i32>(self, a) = avx2!(_mm256_slli_epi64::<N>(a));
            plus(self, a, b) = avx2!(_mm256_add_epi64(a, b));
        }
    }
}

/// Returns the positions of the bytes that equal `wanted`, one bit per byte. The lowest bit is the first
/// byte.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_bytes(bytes: &[u8; BYTES], wanted: u8) -> u16 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: SSE2 is part of x86-64. The load needs no alignment, and its sixteen bytes are borrowed.
    unsafe {
        let vector = _mm_loadu_si128(bytes.as_ptr().cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(vector, _mm_set1_epi8(wanted as i8))) as u16
    }
}

/// Returns the positions of the bytes that equal `wanted`, one bit per byte. The lowest bit is the first
/// byte.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn equal_bytes(bytes: &[u8; BYTES], wanted: u8) -> u16 {
    equal_bytes_portable(bytes, wanted)
}

/// Returns the result of [`equal_bytes`], computed with plain 64-bit words.
///
/// In `unequal`, the top bit of a byte is 0 if the byte equals `wanted`. One multiplication gathers the eight
/// top bits of a word.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn equal_bytes_portable(bytes: &[u8; BYTES], wanted: u8) -> u16 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW7: u64 = 0x7f * ONES;
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (halves, _) = bytes.as_chunks::<8>();
    let equal_in = |half: [u8; 8]| {
        let difference = u64::from_le_bytes(half) ^ (u64::from(wanted) * ONES);
        let unequal = ((difference & LOW7) + LOW7) | difference;
        ((!unequal >> 7 & ONES).wrapping_mul(GATHER) >> 56) as u16
    };
    equal_in(halves[0]) | equal_in(halves[1]) << 8
}

#[cfg(test)]
mod tests {
    use super::super::{WordKernel, run_words};
    use super::*;

    #[test]
    fn vector_and_plain_code_find_the_same_bytes() {
        let mut state = 1u64;
        for round in 0..2000 {
            let bytes: [u8; BYTES] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let byte = (state >> 56) as u8;
                if round % 2 == 0 { byte } else { byte & 0x81 }
            });
            for wanted in [0, 1, 0x7f, 0x80, 0x81, 0xff, b'.', bytes[7]] {
                let expected = (0..BYTES).fold(0, |mask, at| mask | u16::from(bytes[at] == wanted) << at);
                assert_eq!(equal_bytes(&bytes, wanted), expected);
                assert_eq!(equal_bytes_portable(&bytes, wanted), expected);
            }
        }
    }

    #[test]
    fn a_whole_grid_is_read_alike_on_every_instruction_set() {
        struct Read<'a>(&'a [u8; 81], u8);
        impl WordKernel for Read<'_> {
            type Output = u128;
            #[inline(always)]
            fn run<B: Bytes>(self, bytes: B) -> u128 {
                bytes.cells_with(&bytes.load(self.0), self.1)
            }
        }
        let mut state = 7u64;
        for _ in 0..500 {
            let cells: [u8; 81] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 61) as u8
            });
            for wanted in 0..9 {
                let expected = (0..81).fold(0, |mask, cell| mask | u128::from(cells[cell] == wanted) << cell);
                assert_eq!(run_words(None, Read(&cells, wanted)), expected);
                assert_eq!(Read(&cells, wanted).run(PlainWords), expected);
            }
        }
    }

    /// Applies all operations on pairs to two pairs.
    struct Work([[u8; HALF]; 4]);

    impl WordKernel for Work {
        type Output = (Vec<[u8; 2 * HALF]>, [bool; 2]);

        #[inline(always)]
        fn run<B: Bytes>(self, bytes: B) -> Self::Output {
            let [a, b] = [bytes.pair([&self.0[0], &self.0[1]]), bytes.pair([&self.0[2], &self.0[3]])];
            let made = [
                bytes.and(a, b),
                bytes.or(a, b),
                bytes.and_not(a, b),
                bytes.minus(a, b),
                bytes.at_most(a, b),
                bytes.same(a, b),
                bytes.look_up(a, b),
                bytes.down::<1>(a),
                bytes.down::<8>(a),
                bytes.sums(a),
                bytes.up::<16>(a),
                bytes.plus(a, b),
                bytes.twice(&self.0[3]),
            ];
            let all = made.map(|pair| {
                // Comparing with every possible byte shows which byte is at each position.
                let mut seen = [0; 2 * HALF];
                for byte in 0..=255 {
                    let same = bytes.same(pair, bytes.twice(&[byte; HALF]));
                    for at in 0..2 * HALF {
                        let mut one = [[0; HALF]; 2];
                        one[at / HALF][at % HALF] = 255;
                        if !bytes.is_zero(bytes.and(same, bytes.pair([&one[0], &one[1]]))) {
                            seen[at] = byte;
                        }
                    }
                }
                let words = seen.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
                assert!(words.eq(bytes.quarters(pair)));
                seen
            });
            (all.to_vec(), [bytes.is_zero(a), bytes.is_zero(bytes.minus(a, a))])
        }
    }

    #[test]
    fn pairs_are_alike_on_every_instruction_set() {
        let mut state = 3u64;
        for round in 0..40 {
            let halves: [[u8; HALF]; 4] = std::array::from_fn(|half| {
                std::array::from_fn(|at| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let byte = (state >> 56) as u8;
                    if round % 2 == 0 { byte } else { [byte & 0x8f, at as u8][half % 2] }
                })
            });
            let [a, b] = [[halves[0], halves[1]].concat(), [halves[2], halves[3]].concat()];
            let (plain, zero) = Work(halves).run(PlainWords);
            assert_eq!((&plain, zero), (&run_words(None, Work(halves)).0, [false, true]));
            let looked_up: Vec<u8> = (0..2 * HALF)
                .map(|at| if b[at] < 128 { a[at / HALF * HALF + usize::from(b[at] % 16)] } else { 0 })
                .collect();
            assert_eq!(plain[6][..], looked_up[..]);
            assert_eq!(plain[7][..HALF], [&a[1..HALF], &[0]].concat()[..]);
            assert_eq!(plain[8][HALF..], [&a[HALF + 8..], &[0; 8]].concat()[..]);
            let sum: u32 = a[8..HALF].iter().map(|&byte| u32::from(byte)).sum();
            assert_eq!(plain[9][8..HALF], u64::from(sum).to_le_bytes());
        }
    }
}
