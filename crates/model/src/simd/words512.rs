//! Operations on words with AVX-512.
//!
//! Quads are the same as with AVX2. Lists of rows, where each row is one word, are processed eight rows at a
//! time. If the processor has an instruction that counts the bits of words, these operations use it.

use std::arch::x86_64::*;

use super::WordKernel;
use super::bytes::Bytes;
use super::words::x86::Avx2Words;
use super::words::{Words, fewest_by_count};

/// A value that proves that the processor has AVX-512 F, BW and VL, and everything that [`Avx2Words`] proves.
///
/// If `COUNTS` is true, the value also proves that the processor has the instruction that counts the bits of
/// each word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512Words<const COUNTS: bool>(pub(super) Avx2Words);

impl<const COUNTS: bool> Avx512Words<COUNTS> {
    /// Returns the proof, or `None` if the processor lacks any of these instruction sets.
    #[inline]
    pub(super) fn new() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && (!COUNTS || is_x86_feature_detected!("avx512vpopcntdq"));
        Avx2Words::new().filter(|_| is_there).map(Avx512Words)
    }
}

/// Maximum number of groups of rows for which the search counts the bits of every row.
///
/// If there are more groups, the search looks for a row with two bits, then for a row with three bits, and so
/// on.
const MAX_GROUPS_COUNTED: usize = 3;

/// Wraps an intrinsic.
macro_rules! avx512 {
    ($call:expr) => {
        // SAFETY: `Avx512Words` exists only if the processor has AVX-512 F, BW and VL. All operands are
        // passed by value, so no pointer is read.
        unsafe { $call }
    };
}

/// Loads eight rows.
#[inline(always)]
fn load<const COUNTS: bool>(_: Avx512Words<COUNTS>, rows: &[u64; 8]) -> __m512i {
    // SAFETY: the first argument proves that the processor has AVX-512. The load needs no alignment and reads
    // exactly the array.
    unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) }
}

/// Returns the set of words that have exactly `bits` bits.
///
/// Without `COUNTS`, `bits` must be less than three.
#[inline(always)]
fn with_bits<const COUNTS: bool>(_: Avx512Words<COUNTS>, words: __m512i, bits: i64) -> __mmask8 {
    if COUNTS {
        // SAFETY: the first argument proves that the processor has the instruction that counts bits. The
        // other operands are passed by value, so no pointer is read.
        return unsafe { _mm512_cmpeq_epi64_mask(_mm512_popcnt_epi64(words), _mm512_set1_epi64(bits)) };
    }
    let (mut more, mut rest) = (0xff, words);
    for _ in 0..bits {
        more = avx512!(_mm512_mask_test_epi64_mask(more, rest, rest));
        // Adding all ones subtracts one. The `and` then clears only the lowest bit.
        rest = avx512!(_mm512_and_si512(rest, _mm512_add_epi64(rest, _mm512_set1_epi64(-1))));
    }
    avx512!(_mm512_mask_testn_epi64_mask(more, rest, rest))
}

impl<const COUNTS: bool> Words for Avx512Words<COUNTS> {
    type Quad = <Avx2Words as Words>::Quad;
    type Mask = <Avx2Words as Words>::Mask;

    #[inline]
    fn enter<K: WordKernel>(self, kernel: K) -> K::Output {
        /// # Safety
        /// The processor must have AVX-512 F, BW and VL, and the instructions that `Avx2Words` proves.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn enter<K: WordKernel, I: Words + Bytes>(isa: I, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        /// # Safety
        /// The processor must have AVX-512 F, BW, VL and VPOPCNTDQ, and the instructions that `Avx2Words`
        /// proves.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn enter_counts<K: WordKernel, I: Words + Bytes>(isa: I, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the processor has the instructions that the two functions enable.
        unsafe { if COUNTS { enter_counts(self, kernel) } else { enter(self, kernel) } }
    }

    operations! { Self::Quad;
        load(self, words: &[u64; 4]) = Words::load(self.0, words);
        words(self, quad) -> [u64; 4] = Words::words(self.0, quad);
        splat(self, word: u64) = Words::splat(self.0, word);
        lanes(self, a) -> u32 = self.0.lanes(a);
        pack(self, a, kept: u32) = self.0.pack(a, kept);
        place(self, word: u64, n: usize) -> usize = self.0.place(word, n);
        mask(self, mask: u64) -> Self::Mask = self.0.mask(mask);
        compress(self, word: u64, mask: Self::Mask) -> u64 = self.0.compress(word, mask);
        and(self, a, b) = Words::and(self.0, a, b);
        or(self, a, b) = Words::or(self.0, a, b);
        add(self, a, b) = self.0.add(a, b);
        sub(self, a, b) = self.0.sub(a, b);
        equal(self, a, b) = self.0.equal(a, b);
        shift_16(self, a) = self.0.shift_16(a);
        least_low(self, a, b) = self.0.least_low(a, b);
        // SAFETY: with `COUNTS`, `self` proves that the processor has the instruction that counts bits. The
        // operands are passed by value, so no pointer is read.
        count(self, a) = if COUNTS { unsafe { _mm256_popcnt_epi64(a) } } else { self.0.count(a) };
        total(self, counts) = if COUNTS { counts } else { self.0.total(counts) };
    }

    const LANES: usize = 8;

    #[inline(always)]
    fn scan_rows(self, rows: &[u64], set: u64) -> (u32, u64) {
        let set = avx512!(_mm512_set1_epi64(set as i64));
        let (mut empty, mut single, mut any) = (0, avx512!(_mm512_setzero_si512()), 0);
        for group in rows.as_chunks::<8>().0 {
            let bits = avx512!(_mm512_and_si512(load(self, group), set));
            let one = with_bits(self, bits, 1);
            empty += avx512!(_mm512_testn_epi64_mask(bits, bits)).count_ones();
            single = avx512!(_mm512_mask_or_epi64(single, one, single, bits));
            any |= one;
        }
        (empty, if any == 0 { 0 } else { avx512!(_mm512_reduce_or_epi64(single)) as u64 })
    }

    #[inline(always)]
    fn fewest_of_rows(self, rows: &[u64], set: u64) -> usize {
        let (groups, all) = (rows.as_chunks::<8>().0, avx512!(_mm512_set1_epi64(set as i64)));
        if COUNTS && groups.len() <= MAX_GROUPS_COUNTED {
            // This loop has no branch. A search for the right group would have a branch that the CPU usually
            // mispredicts.
            let mut least = avx512!(_mm512_set1_epi64(-1));
            let mut places = avx512!(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
            for group in groups {
                let bits = avx512!(_mm512_and_si512(load(self, group), all));
                // SAFETY: with `COUNTS`, `self` proves that the processor has the instruction that counts
                // bits. The operands are passed by value, so no pointer is read.
                let counts = unsafe { _mm512_popcnt_epi64(bits) };
                let keys = avx512!(_mm512_or_si512(_mm512_slli_epi64::<32>(counts), places));
                let open = avx512!(_mm512_test_epi64_mask(bits, bits));
                least = avx512!(_mm512_mask_min_epu64(least, open, least, keys));
                places = avx512!(_mm512_add_epi64(places, _mm512_set1_epi64(8)));
            }
            return avx512!(_mm512_reduce_min_epu64(least)) as u32 as usize;
        }
        // The row with the fewest bits usually has two or three, so the search begins with two.
        for bits in 2..if COUNTS { 65 } else { 3 } {
            for (place, group) in groups.iter().enumerate() {
                let fewest = with_bits(self, avx512!(_mm512_and_si512(load(self, group), all)), bits);
                if fewest != 0 {
                    return place * 8 + fewest.trailing_zeros() as usize;
                }
            }
        }
        fewest_by_count(self, rows, set)
    }

    #[inline(always)]
    fn pack_rows(self, rows: &[u64], set: u64, into: &mut [u64]) {
        let set = avx512!(_mm512_set1_epi64(set as i64));
        let mut place = 0;
        let mut add = |group: __m512i| {
            let bits = avx512!(_mm512_and_si512(group, set));
            let kept = avx512!(_mm512_test_epi64_mask(bits, bits));
            let packed = avx512!(_mm512_maskz_compress_epi64(kept, bits));
            let into = &mut into[place..place + 8];
            // SAFETY: `self` proves that the processor has AVX-512. The store writes eight words, all of them
            // borrowed.
            unsafe { _mm512_storeu_si512(into.as_mut_ptr().cast(), packed) };
            place += kept.count_ones() as usize;
        };
        let (groups, rest) = rows.as_chunks::<8>();
        groups.iter().for_each(|group| add(load(self, group)));
        if let Some(quad) = rest.first_chunk::<4>() {
            add(avx512!(_mm512_zextsi256_si512(Words::load(self.0, quad))));
        }
        add(avx512!(_mm512_setzero_si512()));
    }
}
