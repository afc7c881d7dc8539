//! Sixteen 32-bit numbers side by side, for grids with one number per digit.

use super::words::PlainWords;

/// Number of entries of a [`Numbers::Row`].
pub const ROW: usize = 16;

/// An instruction set. A value of an implementing type proves that it is available.
pub trait Numbers: Copy {
    /// Sixteen numbers.
    type Row: Copy;

    /// Loads the numbers from memory.
    fn load(self, numbers: &[u32; ROW]) -> Self::Row;
    /// Stores the numbers in memory.
    fn store(self, row: Self::Row, numbers: &mut [u32; ROW]);
    /// Returns the same number sixteen times.
    fn splat(self, number: u32) -> Self::Row;
    /// Returns `a & b`.
    fn and(self, a: Self::Row, b: Self::Row) -> Self::Row;
    /// Returns `a | b`.
    fn or(self, a: Self::Row, b: Self::Row) -> Self::Row;
    /// Returns `a & !b`.
    fn and_not(self, a: Self::Row, b: Self::Row) -> Self::Row;
    /// Shifts every number left by `N` bits.
    fn left<const N: u32>(self, a: Self::Row) -> Self::Row;
    /// Shifts every number right by `N` bits, filling with zeros.
    fn right<const N: u32>(self, a: Self::Row) -> Self::Row;
    /// Rotates the numbers: each place gets the number `N` places after it, cyclically.
    fn rotate_lanes<const N: usize>(self, a: Self::Row) -> Self::Row;
    /// Permutes the numbers: place `i` gets the number at place `places[i]`, which is below 16.
    fn permute(self, a: Self::Row, places: Self::Row) -> Self::Row;
    /// Returns true if no bit is set.
    fn is_zero(self, a: Self::Row) -> bool;
}

/// Combines two rows number by number.
#[inline(always)]
fn zip(a: [u32; ROW], b: [u32; ROW], f: impl Fn(u32, u32) -> u32) -> [u32; ROW] {
    let mut zipped = [0; ROW];
    for at in 0..ROW {
        zipped[at] = f(a[at], b[at]);
    }
    zipped
}

impl Numbers for PlainWords {
    type Row = [u32; ROW];

    #[inline(always)]
    fn store(self, row: Self::Row, numbers: &mut [u32; ROW]) {
        *numbers = row;
    }

    #[inline(always)]
    fn splat(self, number: u32) -> Self::Row {
        [number; ROW]
    }

    operations! { Self::Row;
        load(self, numbers: &[u32; ROW]) = *numbers;
        left<N: u32>(self, a) = zip(a, a, |a, _| a << N);
        right<N: u32>(self, a) = zip(a, a, |a, _| a >> N);
        permute(self, a, places) = zip(places, places, |place, _| a[place as usize % ROW]);
        is_zero(self, a) -> bool = a.iter().fold(0, |any, number| any | number) == 0;
        and(self, a, b) = zip(a, b, |a, b| a & b);
        or(self, a, b) = zip(a, b, |a, b| a | b);
        and_not(self, a, b) = zip(a, b, |a, b| a & !b);
    }

    #[inline(always)]
    fn rotate_lanes<const N: usize>(self, a: Self::Row) -> Self::Row {
        let mut turned = [0; ROW];
        for at in 0..ROW {
            turned[at] = a[(at + N) % ROW];
        }
        turned
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::words::x86::{Avx2Words, avx2};
    use super::{Numbers, ROW};

    /// Number of entries of a register.
    const HALF: usize = ROW / 2;

    /// Rotates the numbers of a register by `N` places.
    #[inline(always)]
    fn turned<const N: usize>(_: Avx2Words, half: __m256i) -> __m256i {
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|at| ((at + N) % HALF) as i32);
        avx2!(_mm256_permutevar8x32_epi32(half, _mm256_setr_epi32(a, b, c, d, e, f, g, h)))
    }

    /// Returns a register whose place `i` has the number at place `places[i]`, counted through both
    /// registers.
    #[inline(always)]
    fn permuted(_: Avx2Words, row: [__m256i; 2], places: __m256i) -> __m256i {
        // Only the lowest three bits of a place count.
        avx2!({
            let low = _mm256_permutevar8x32_epi32(row[0], places);
            let high = _mm256_permutevar8x32_epi32(row[1], places);
            let is_high = _mm256_cmpgt_epi32(places, _mm256_set1_epi32(HALF as i32 - 1));
            _mm256_blendv_epi8(low, high, is_high)
        })
    }

    impl Numbers for Avx2Words {
        type Row = [__m256i; 2];

        #[inline(always)]
        fn load(self, numbers: &[u32; ROW]) -> Self::Row {
            // SAFETY: `self` proves AVX2; the loads need not be aligned and read the two halves of the array.
            unsafe {
                let (low, high) = numbers.split_at(HALF);
                [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())]
            }
        }

        #[inline(always)]
        fn store(self, row: Self::Row, numbers: &mut [u32; ROW]) {
            let (low, high) = numbers.split_at_mut(HALF);
            // SAFETY: as above; the stores write the two halves of the array.
            unsafe {
                _mm256_storeu_si256(low.as_mut_ptr().cast(), row[0]);
                _mm256_storeu_si256(high.as_mut_ptr().cast(), row[1]);
            }
        }

        #[inline(always)]
        fn splat(self, number: u32) -> Self::Row {
            [avx2!(_mm256_set1_epi32(number as i32)); 2]
        }

        operations! { Self::Row;
            permute(self, a, places) = [permuted(self, a, places[0]), permuted(self, a, places[1])];
            and(self, a, b) = avx2!([_mm256_and_si256(a[0], b[0]), _mm256_and_si256(a[1], b[1])]);
            or(self, a, b) = avx2!([_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])]);
            and_not(self, a, b) = avx2!([_mm256_andnot_si256(b[0], a[0]), _mm256_andnot_si256(b[1], a[1])]);
        }

        #[inline(always)]
        fn left<const N: u32>(self, a: Self::Row) -> Self::Row {
            avx2!({
                let by = _mm256_set1_epi32(N as i32);
                [_mm256_sllv_epi32(a[0], by), _mm256_sllv_epi32(a[1], by)]
            })
        }

        #[inline(always)]
        fn right<const N: u32>(self, a: Self::Row) -> Self::Row {
            avx2!({
                let by = _mm256_set1_epi32(N as i32);
                [_mm256_srlv_epi32(a[0], by), _mm256_srlv_epi32(a[1], by)]
            })
        }

        #[inline(always)]
        fn rotate_lanes<const N: usize>(self, a: Self::Row) -> Self::Row {
            let [near, far] = if N % ROW < HALF { a } else { [a[1], a[0]] };
            let [near, far] = [turned::<N>(self, near), turned::<N>(self, far)];
            let [a, b, c, d, e, f, g, h] = std::array::from_fn(|at| -i32::from(at + N % HALF >= HALF));
            let is_far = avx2!(_mm256_setr_epi32(a, b, c, d, e, f, g, h));
            avx2!([_mm256_blendv_epi8(near, far, is_far), _mm256_blendv_epi8(far, near, is_far)])
        }

        #[inline(always)]
        fn is_zero(self, a: Self::Row) -> bool {
            avx2!({
                let any = _mm256_or_si256(a[0], a[1]);
                _mm256_testz_si256(any, any) != 0
            })
        }
    }
}
