//! Compares 64 bytes of a 9x9 grid at a time.
//!
//! Only the comparisons use 64 bytes. All other operations are as wide as with AVX2. So these operations are
//! meant for kernels that mostly compare bytes.

use super::words::run_words;
use super::{Isa, WordKernel};

/// Runs a kernel that compares bytes, on the processor's best instruction set.
#[inline]
pub fn run_bytes<K: WordKernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(isa) = super::words512::Avx512Words::<false>::new() {
        return super::words::Words::enter(isa, kernel);
    }
    run_words(None, kernel)
}

/// Runs a kernel that counts the bits of sets.
///
/// Uses AVX-512 if the processor has both AVX-512 and an instruction that counts the bits of words. If
/// `preference` names an instruction set other than AVX-512, or if the processor lacks one of the two, calls
/// [`run_words`].
#[inline]
pub fn run_sets<K: WordKernel>(preference: Option<Isa>, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if preference.is_none_or(|isa| isa == Isa::Avx512)
        && let Some(isa) = super::words512::Avx512Words::<true>::new()
    {
        return super::words::Words::enter(isa, kernel);
    }
    run_words(preference, kernel)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::bytes::{BITS, Bytes, HALF};
    use super::super::words::x86::Avx2Words;
    use super::super::words512::Avx512Words;

    /// Cells after the first sixty-four.
    const TAIL: __mmask32 = (1 << 17) - 1;

    impl<const COUNTS: bool> Bytes for Avx512Words<COUNTS> {
        type Grid = (__m512i, __m256i);
        type Pair = <Avx2Words as Bytes>::Pair;

        #[inline(always)]
        fn load(self, cells: &[u8; 81]) -> Self::Grid {
            let (first, rest) = cells.split_at(64);
            // SAFETY: `self` proves that the processor supports AVX-512. The first load reads 64 borrowed
            // bytes. The mask restricts the second load to the remaining 17 bytes.
            unsafe {
                (
                    _mm512_loadu_si512(first.as_ptr().cast()),
                    _mm256_maskz_loadu_epi8(TAIL, rest.as_ptr().cast()),
                )
            }
        }

        #[inline(always)]
        fn cells_with(self, grid: &Self::Grid, wanted: u8) -> u128 {
            // SAFETY: `self` proves that the processor supports AVX-512. All operands are passed by value, so
            // no pointer is read.
            let (low, high) = unsafe {
                (
                    _mm512_cmpeq_epi8_mask(grid.0, _mm512_set1_epi8(wanted as i8)),
                    _mm256_mask_cmpeq_epi8_mask(TAIL, grid.1, _mm256_set1_epi8(wanted as i8)),
                )
            };
            u128::from(low) | u128::from(high) << 64
        }

        /// Works like the AVX2 version, but tests each of the eight bits directly instead of moving it to the
        /// top.
        #[inline(always)]
        fn cells_with_nine(self, cells: &[u8; 81], first: u8, others: [u8; 2]) -> Option<[u128; 9]> {
            let grid = Bytes::load(self, cells);
            // SAFETY: `self` proves that the processor supports AVX-512. The only pointer is to the borrowed
            // table. All other operands are passed by value.
            let (head, tail, ninth) = unsafe {
                let table = _mm_loadu_si128(BITS.as_ptr().cast());
                let [least, one, two] = [first, others[0], others[1]].map(|byte| byte as i8);
                let number = _mm512_sub_epi8(grid.0, _mm512_set1_epi8(least));
                let other = _mm512_cmpeq_epi8_mask(grid.0, _mm512_set1_epi8(one))
                    | _mm512_cmpeq_epi8_mask(grid.0, _mm512_set1_epi8(two));
                let known = _mm512_cmple_epu8_mask(number, _mm512_set1_epi8(8)) | other;
                let low_number = _mm256_sub_epi8(grid.1, _mm256_set1_epi8(least));
                let low_other = _mm256_cmpeq_epi8_mask(grid.1, _mm256_set1_epi8(one))
                    | _mm256_cmpeq_epi8_mask(grid.1, _mm256_set1_epi8(two));
                let low_known = _mm256_cmple_epu8_mask(low_number, _mm256_set1_epi8(8)) | low_other;
                if known != u64::MAX || low_known & TAIL != TAIL {
                    return None;
                }
                let bits = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), number);
                let low_bits = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), low_number);
                let ninth = _mm512_cmpeq_epi8_mask(number, _mm512_set1_epi8(8)) | other;
                let low_ninth = _mm256_cmpeq_epi8_mask(low_number, _mm256_set1_epi8(8)) | low_other;
                (
                    _mm512_mask_set1_epi8(bits, other, -1),
                    _mm256_mask_set1_epi8(low_bits, low_other, -1),
                    u128::from(ninth) | u128::from(low_ninth & TAIL) << 64,
                )
            };
            let mut found = [ninth; 9];
            for number in 0..8 {
                // SAFETY: as above.
                let (low, high) = unsafe {
                    let bit = 1i8.wrapping_shl(number);
                    (
                        _mm512_test_epi8_mask(head, _mm512_set1_epi8(bit)),
                        _mm256_mask_test_epi8_mask(TAIL, tail, _mm256_set1_epi8(bit)),
                    )
                };
                found[number as usize] = u128::from(low) | u128::from(high) << 64;
            }
            Some(found)
        }

        operations! { Self::Pair;
            pair(self, halves: [&[u8; HALF]; 2]) = self.0.pair(halves);
            is_zero(self, a) -> bool = Bytes::is_zero(self.0, a);
            quarters(self, a) -> [u64; 4] = self.0.quarters(a);
            and(self, a, b) = Bytes::and(self.0, a, b);
            or(self, a, b) = Bytes::or(self.0, a, b);
            and_not(self, a, b) = Bytes::and_not(self.0, a, b);
            minus(self, a, b) = self.0.minus(a, b);
            at_most(self, a, b) = self.0.at_most(a, b);
            same(self, a, b) = self.0.same(a, b);
            look_up(self, table, numbers) = self.0.look_up(table, numbers);
            down<N: i32>(self, a) = self.0.down::<N>(a);
            sums(self, a) = self.0.sums(a);
            up<N: i32>(self, a) = self.0.up::<N>(a);
            plus(self, a, b) = self.0.plus(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{Bytes, HALF};
    use super::super::words::{PlainWords, Words};
    use super::*;
    use crate::random::SplitMix64;

    /// Finds the cells with each of four bytes, and applies the verifier's operations to a pair.
    struct Look<'a>(&'a [u8; 81]);

    impl WordKernel for Look<'_> {
        type Output = ([u128; 4], [u64; 4]);

        #[inline(always)]
        fn run<I: Words + Bytes>(self, isa: I) -> Self::Output {
            let grid = Bytes::load(isa, self.0);
            let (halves, _) = self.0.as_chunks::<HALF>();
            let [a, b] = [isa.pair([&halves[0], &halves[1]]), isa.pair([&halves[2], &halves[3]])];
            let same = isa.and_not(isa.same(a, b), isa.at_most(isa.minus(a, b), b));
            let sums = isa.sums(Bytes::or(isa, same, isa.look_up(a, Bytes::and(isa, b, isa.down::<8>(a)))));
            let found = [0, 1, 2, 3].map(|wanted| isa.cells_with(&grid, wanted));
            (found, isa.quarters(isa.plus(sums, isa.up::<16>(b))))
        }
    }

    #[test]
    fn grids_are_checked_alike_on_every_instruction_set() {
        let mut random = SplitMix64(9);
        for _ in 0..500 {
            let cells: [u8; 81] = std::array::from_fn(|_| random.below(4) as u8);
            let (found, pair) = run_bytes(Look(&cells));
            for (wanted, found) in (0..).zip(found) {
                let expected = (0..81).fold(0, |mask, cell| mask | u128::from(cells[cell] == wanted) << cell);
                assert_eq!(found, expected);
            }
            assert_eq!(pair, run_words(None, Look(&cells)).1);
        }
    }

    #[test]
    fn nine_bytes_are_found_alike_on_every_instruction_set() {
        struct Find<'a>(&'a [u8; 81], u8, [u8; 2]);
        impl WordKernel for Find<'_> {
            type Output = Option<[u128; 9]>;
            #[inline(always)]
            fn run<B: Bytes>(self, bytes: B) -> Self::Output {
                bytes.cells_with_nine(self.0, self.1, self.2)
            }
        }
        let mut random = SplitMix64(11);
        let mut draw = |below: usize| random.below(below) as u8;
        for round in 0..3000 {
            let others = [b'0', [b'.', b'0', b'x', 0, 0xff][round % 5]];
            let mut cells: [u8; 81] = std::array::from_fn(|_| match draw(3) {
                0 => others[usize::from(draw(2))],
                _ => b'1' + draw(9),
            });
            if round % 3 == 0 {
                cells[usize::from(draw(81))] = draw(256);
            }
            let expected = cells
                .iter()
                .all(|&cell| others.contains(&cell) || (b'1'..=b'9').contains(&cell))
                .then(|| {
                    std::array::from_fn(|number| {
                        let is_found = |cell: u8| others.contains(&cell) || cell == b'1' + number as u8;
                        (0..81).fold(0, |mask, at| mask | u128::from(is_found(cells[at])) << at)
                    })
                });
            assert_eq!(Find(&cells, b'1', others).run(PlainWords), expected);
            assert_eq!(run_words(None, Find(&cells, b'1', others)), expected);
            assert_eq!(run_bytes(Find(&cells, b'1', others)), expected);
        }
    }
}
