//! Groups of four 64-bit words, for the bit sets of exact cover problems.
//!
//! A [`Vector`](super::Vector) has the same bit of many puzzles. A [`Words::Quad`] has four words whose bits
//! are to be counted. The operations on quads count the bits, and find words with no bit or with exactly one
//! bit.
//!
//! Every operation is a method of a type that represents an instruction set. A value of this type proves that
//! the processor has the instruction set. As in kernels for [`Vector`](super::Vector)s, everything that `run`
//! calls must be `#[inline(always)]`. Plain code inside a kernel gets faster as well, because the compiler
//! can use the processor's bit instructions.

use super::{Isa, WordKernel};
use crate::bits::nth_bit;

/// An instruction set, with its operations on quads of words.
///
/// A value of an implementing type proves that the processor has the instruction set.
pub trait Words: Copy {
    /// Four words.
    type Quad: Copy;
    /// A mask prepared for [`compress`](Self::compress).
    type Mask: Copy;

    /// Runs a kernel inside a function compiled for the instruction set.
    fn enter<K: WordKernel>(self, kernel: K) -> K::Output;

    /// Loads four words from memory.
    fn load(self, words: &[u64; 4]) -> Self::Quad;
    /// Returns the four words.
    fn words(self, quad: Self::Quad) -> [u64; 4];
    /// Returns a quad with all four words equal to `word`.
    fn splat(self, word: u64) -> Self::Quad;
    /// Returns `a & b`.
    fn and(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Returns `a | b`.
    fn or(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Returns `a + b` for each word, wrapping.
    fn add(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Returns `a - b` for each word, wrapping.
    fn sub(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Compares word by word: returns all ones where the words are equal, and 0 elsewhere.
    fn equal(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Returns `a << 16` for each word.
    fn shift_16(self, a: Self::Quad) -> Self::Quad;
    /// Returns, for each word, the smaller one of the low 32-bit halves of `a` and `b`.
    ///
    /// The high halves of the result are undefined.
    fn least_low(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Counts the set bits of each word.
    ///
    /// The result is in an internal form: up to 31 results can be summed with [`add`](Self::add), and
    /// [`total`](Self::total) turns the sum into numbers.
    fn count(self, a: Self::Quad) -> Self::Quad;
    /// Returns the number of bits for each word. `counts` is a sum of [`count`](Self::count) results.
    fn total(self, counts: Self::Quad) -> Self::Quad;
    /// Returns the highest bit of each word. In the result, the lowest bit is for the first word.
    fn lanes(self, a: Self::Quad) -> u32;
    /// Number of rows that the functions on rows process together.
    ///
    /// These functions are [`scan_rows`](Self::scan_rows), [`fewest_of_rows`](Self::fewest_of_rows) and
    /// [`pack_rows`](Self::pack_rows). Lists of rows are padded with zeros to a multiple of this number.
    const LANES: usize = 4;

    /// Counts the rows that have no bits in `set`. Also collects the bits of rows that have exactly one bit
    /// in `set`.
    ///
    /// Returns the number of rows without bits, and the set of collected bits.
    #[inline(always)]
    fn scan_rows(self, rows: &[u64], set: u64) -> (u32, u64) {
        let (zero, ones, set) = (self.splat(0), self.splat(u64::MAX), self.splat(set));
        let (mut empty, mut single) = (zero, zero);
        for quad in rows.as_chunks::<4>().0 {
            let bits = self.and(self.load(quad), set);
            // Adding all ones subtracts one. The `and` then clears only the lowest bit.
            let others = self.and(bits, self.add(bits, ones));
            empty = self.sub(empty, self.equal(bits, zero));
            single = self.or(single, self.and(bits, self.equal(others, zero)));
        }
        let single = self.words(single);
        (self.words(empty).iter().sum::<u64>() as u32, single[0] | single[1] | single[2] | single[3])
    }

    /// Returns the index of the first row with the fewest bits in `set`. Rows without bits in `set` are
    /// ignored.
    ///
    /// No row may have exactly one bit in `set`, and some row must have at least two.
    #[inline(always)]
    fn fewest_of_rows(self, rows: &[u64], set: u64) -> usize {
        let quads = rows.as_chunks::<4>().0;
        let (zero, ones, all) = (self.splat(0), self.splat(u64::MAX), self.splat(set));
        // Usually some row has two bits. No row has fewer, apart from the rows without bits, so two is the
        // minimum.
        for (place, quad) in quads.iter().enumerate() {
            let bits = self.and(self.load(quad), all);
            let others = self.and(bits, self.add(bits, ones));
            let third = self.and(others, self.add(others, ones));
            let pairs = self.lanes(self.equal(third, zero)) & !self.lanes(self.equal(others, zero));
            if pairs != 0 {
                return place * 4 + pairs.trailing_zeros() as usize;
            }
        }
        fewest_by_count(self, rows, set)
    }

    /// Copies the rows that have bits in `set` to `into`, followed by a group of empty rows.
    ///
    /// Bits outside `set` are cleared in the copies.
    #[inline(always)]
    fn pack_rows(self, rows: &[u64], set: u64, into: &mut [u64]) {
        let (zero, set) = (self.splat(0), self.splat(set));
        let mut place = 0;
        let mut write = |place: usize, quad| into[place..place + 4].copy_from_slice(&self.words(quad));
        for quad in rows.as_chunks::<4>().0 {
            let bits = self.and(self.load(quad), set);
            let kept = !self.lanes(self.equal(bits, zero)) & 15;
            // This also writes the dropped rows, which are empty. Later rows overwrite them, or they remain
            // as padding.
            write(place, self.pack(bits, kept));
            place += kept.count_ones() as usize;
        }
        write(place, zero);
    }

    /// Returns the words with those words first whose bits are set in `kept`. The other words follow.
    fn pack(self, a: Self::Quad, kept: u32) -> Self::Quad;
    /// Returns the 0-based position of the `n`-th set bit of a word, or 64 if there is no such bit.
    fn place(self, word: u64, n: usize) -> usize;
    /// Prepares a mask.
    fn mask(self, mask: u64) -> Self::Mask;
    /// Moves the bits of `word` that are in `mask` to the low end, without gaps.
    fn compress(self, word: u64, mask: Self::Mask) -> u64;
}

/// Returns the index of the first row with the fewest bits in `set`. Rows without bits in `set` are ignored.
///
/// Some row must have a bit in `set`.
#[inline(always)]
pub(super) fn fewest_by_count<I: Words>(isa: I, rows: &[u64], set: u64) -> usize {
    let (one, set) = (isa.splat(1), isa.splat(set));
    let (mut index, step, mut least) = (isa.load(&[0, 1, 2, 3]), isa.splat(4), isa.splat(u64::MAX));
    for quad in rows.as_chunks::<4>().0 {
        // The key of a row has two parts. The high bits are the count of the row's bits, minus one. The low
        // bits are the row's index. If the count is 0, subtracting one wraps around to a large number. So
        // rows without bits come last.
        let count = isa.total(isa.count(isa.and(isa.load(quad), set)));
        least = isa.least_low(least, isa.or(isa.shift_16(isa.sub(count, one)), index));
        index = isa.add(index, step);
    }
    least_key(isa, least)
}

/// Returns the index of the row with the smallest key.
#[inline(always)]
pub fn least_key<I: Words>(isa: I, keys: I::Quad) -> usize {
    let [a, b, c, d] = isa.words(keys).map(|key| key as u32);
    (a.min(b).min(c.min(d)) & 0xffff) as usize
}

/// Runs a kernel with AVX2 if the processor has it, otherwise on plain words.
///
/// If `preference` is an instruction set other than AVX2, the kernel runs on plain words, too.
#[inline]
pub fn run_words<K: WordKernel>(preference: Option<Isa>, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if preference.is_none_or(|isa| isa == Isa::Avx2)
        && let Some(isa) = x86::Avx2Words::new()
    {
        return isa.enter(kernel);
    }
    let _ = preference;
    run_plain(kernel)
}

/// Runs a kernel on plain words, whatever instruction sets the processor has.
#[inline]
pub fn run_plain<K: WordKernel>(kernel: K) -> K::Output {
    kernel.run(PlainWords)
}

/// A mask prepared for compressing words.
///
/// Contains the bits that move by 1, 2, 4, ... positions (Warren, Hacker's Delight, section 7-4).
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompressMask {
    mask: u64,
    moves: [u64; 6],
}

impl CompressMask {
    /// Prepares a mask.
    #[inline(always)]
    fn new(mask: u64) -> Self {
        let mut moves = [0; 6];
        let (mut left, mut zeros) = (mask, !mask << 1);
        for (step, moved) in moves.iter_mut().enumerate() {
            // For each bit, the parity of the number of zeros below it in the mask. The bit moves in this
            // step if the parity is odd.
            let mut parity = zeros;
            for shift in [1, 2, 4, 8, 16, 32] {
                parity ^= parity << shift;
            }
            *moved = parity & left;
            left = (left ^ *moved) | (*moved >> (1 << step));
            zeros &= !parity;
        }
        CompressMask { mask, moves }
    }

    #[inline(always)]
    fn apply(&self, word: u64) -> u64 {
        let mut word = word & self.mask;
        for (step, moved) in self.moves.iter().enumerate() {
            let moving = word & moved;
            word = (word ^ moving) | (moving >> (1 << step));
        }
        word
    }
}

/// Returns the order of four words in which the words of the set `kept` come first.
const fn packed(kept: usize) -> [usize; 4] {
    let (mut order, mut place) = ([0; 4], 0);
    let mut lane = 0;
    while lane < 8 {
        // There are two passes over the four words. The first pass selects the words in `kept`, and the
        // second pass selects all other words.
        if (kept >> (lane % 4) & 1 == 1) == (lane < 4) {
            order[place] = lane % 4;
            place += 1;
        }
        lane += 1;
    }
    order
}

/// Instruction set of plain words, which every machine has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainWords;

/// Combines two quads word by word with `f`.
#[inline(always)]
fn zip(a: [u64; 4], b: [u64; 4], f: impl Fn(u64, u64) -> u64) -> [u64; 4] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

impl Words for PlainWords {
    type Quad = [u64; 4];
    type Mask = CompressMask;

    #[inline]
    fn enter<K: WordKernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    operations! { [u64; 4];
        words(self, quad) = quad;
        and(self, a, b) = zip(a, b, |a, b| a & b);
        or(self, a, b) = zip(a, b, |a, b| a | b);
        add(self, a, b) = zip(a, b, u64::wrapping_add);
        sub(self, a, b) = zip(a, b, u64::wrapping_sub);
        equal(self, a, b) = zip(a, b, |a, b| u64::from(a == b).wrapping_neg());
        shift_16(self, a) = a.map(|word| word << 16);
        least_low(self, a, b) = zip(a, b, |a, b| u64::from((a as u32).min(b as u32)));
        count(self, a) = a.map(|word| u64::from(word.count_ones()));
        total(self, counts) = counts;
    }

    #[inline(always)]
    fn splat(self, word: u64) -> [u64; 4] {
        [word; 4]
    }

    operations! { Self;
        load(self, words: &[u64; 4]) -> [u64; 4] = *words;
        lanes(self, a: [u64; 4]) -> u32 = (0..4).map(|lane| (a[lane] >> 63 << lane) as u32).sum();
        pack(self, a: [u64; 4], kept: u32) -> [u64; 4] = packed(kept as usize).map(|lane| a[lane]);
        place(self, word: u64, n: usize) -> usize = nth_bit(word, n);
        mask(self, mask: u64) -> CompressMask = CompressMask::new(mask);
        compress(self, word: u64, mask: CompressMask) -> u64 = mask.apply(word);
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{WordKernel, Words, packed};

    /// A value that proves that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Avx2Words(());

    impl Avx2Words {
        /// Returns the proof, or `None` if the processor lacks any of these instruction sets.
        #[inline]
        pub(crate) fn new() -> Option<Self> {
            let is_there = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            is_there.then_some(Avx2Words(()))
        }
    }

    /// Indices for the instruction `permutevar8x32`, which puts words into the order of [`packed`].
    ///
    /// There is one entry per set of kept words. A word has two indices, one for each of its 32-bit halves.
    static ORDERS: [[u64; 4]; 16] = {
        let mut orders = [[0; 4]; 16];
        let mut kept = 0;
        while kept < 16 {
            let order = packed(kept);
            let mut place = 0;
            while place < 4 {
                let half = 2 * order[place] as u64;
                orders[kept][place] = half | (half + 1) << 32;
                place += 1;
            }
            kept += 1;
        }
        orders
    };

    /// Wraps an intrinsic.
    macro_rules! avx2 {
        ($call:expr) => {
            // SAFETY: `Avx2Words` exists only if the processor has AVX2 and BMI2. All operands are passed by
            // value, so no pointer is read.
            unsafe { $call }
        };
    }

    pub(crate) use avx2;

    impl Words for Avx2Words {
        type Quad = __m256i;
        type Mask = u64;

        #[inline]
        fn enter<K: WordKernel>(self, kernel: K) -> K::Output {
            /// # Safety
            /// The processor must have AVX2, BMI1, BMI2, LZCNT and POPCNT.
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn enter<K: WordKernel>(isa: Avx2Words, kernel: K) -> K::Output {
                kernel.run(isa)
            }
            // SAFETY: `self` proves that the processor has the instructions that `enter` enables.
            unsafe { enter(self, kernel) }
        }

        #[inline(always)]
        fn load(self, words: &[u64; 4]) -> __m256i {
            // SAFETY: `self` proves that the processor has AVX2. The load needs no alignment and reads
            // exactly the array.
            unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
        }

        #[inline(always)]
        fn words(self, quad: __m256i) -> [u64; 4] {
            let mut words = [0; 4];
            // SAFETY: `self` proves that the processor has AVX2. The store needs no alignment and writes
            // exactly the array.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), quad) };
            words
        }

        operations! { __m256i;
            splat(self, word: u64) = avx2!(_mm256_set1_epi64x(word as i64));
            lanes(self, a) -> u32 = avx2!(_mm256_movemask_pd(_mm256_castsi256_pd(a)) as u32);
            mask(self, mask: u64) -> u64 = mask;
            compress(self, word: u64, mask: u64) -> u64 = avx2!(_pext_u64(word, mask));
            and(self, a, b) = avx2!(_mm256_and_si256(a, b));
            or(self, a, b) = avx2!(_mm256_or_si256(a, b));
            add(self, a, b) = avx2!(_mm256_add_epi64(a, b));
            sub(self, a, b) = avx2!(_mm256_sub_epi64(a, b));
            equal(self, a, b) = avx2!(_mm256_cmpeq_epi64(a, b));
            shift_16(self, a) = avx2!(_mm256_slli_epi64::<16>(a));
            least_low(self, a, b) = avx2!(_mm256_min_epu32(a, b));
            total(self, counts) = avx2!(_mm256_sad_epu8(counts, _mm256_setzero_si256()));
        }

        /// Counts the bits of each byte, with a lookup table for groups of four bits (Mula).
        #[inline(always)]
        fn count(self, a: __m256i) -> __m256i {
            avx2!({
                let nibbles = _mm256_setr_epi8(
                    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3,
                    3, 4,
                );
                let low = _mm256_set1_epi8(15);
                let below = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(a, low));
                let above = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi16::<4>(a), low));
                _mm256_add_epi8(below, above)
            })
        }

        #[inline(always)]
        fn pack(self, a: __m256i, kept: u32) -> __m256i {
            let order = self.load(&ORDERS[kept as usize % 16]);
            avx2!(_mm256_permutevar8x32_epi32(a, order))
        }

        #[inline(always)]
        fn place(self, word: u64, n: usize) -> usize {
            let bit = if n < 64 { 1 << n } else { 0 };
            avx2!(_pdep_u64(bit, word)).trailing_zeros() as usize
        }
    }
}
