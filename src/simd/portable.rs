//! Vectors of plain words, for processors without a file of their own and as the reference of the others.

use super::{Kernel, Vector};

/// Nothing to prove.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token;

/// One word.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Portable(u64);

/// Swaps the bits of `a` above `mask` by `shift` with the bits of `b` under `mask`.
#[inline(always)]
fn swap(a: &mut u64, b: &mut u64, shift: u32, mask: u64) {
    let changed = ((*a >> shift) ^ *b) & mask;
    *b ^= changed;
    *a ^= changed << shift;
}

// SAFETY: one plain word.
unsafe impl Vector for Portable {
    type Token = Token;

    const WORDS: usize = 1;

    #[inline(always)]
    fn enter<K: Kernel<Self>>(_: Token, kernel: K) -> K::Output {
        kernel.run()
    }

    #[inline(always)]
    fn zero(_: Token) -> Self {
        Portable(0)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Portable(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Portable(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Portable(self.0 ^ other.0)
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Portable(self.0 & !other.0)
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        Portable(self.0 << N)
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        Portable(self.0 >> N)
    }

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        Portable(word)
    }

    #[inline(always)]
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8] {
        let [
            Portable(mut a),
            Portable(mut b),
            Portable(mut c),
            Portable(mut d),
            Portable(mut e),
            Portable(mut f),
            Portable(mut g),
            Portable(mut h),
        ] = rows;
        for (low, high) in [(&mut a, &mut e), (&mut b, &mut f), (&mut c, &mut g), (&mut d, &mut h)] {
            swap(low, high, 32, 0x0000_0000_ffff_ffff);
        }
        for (low, high) in [(&mut a, &mut c), (&mut b, &mut d), (&mut e, &mut g), (&mut f, &mut h)] {
            swap(low, high, 16, 0x0000_ffff_0000_ffff);
        }
        for (low, high) in [(&mut a, &mut b), (&mut c, &mut d), (&mut e, &mut f), (&mut g, &mut h)] {
            swap(low, high, 8, 0x00ff_00ff_00ff_00ff);
        }
        [a, b, c, d, e, f, g, h].map(Portable)
    }

    #[inline(always)]
    fn transpose_words(rows: [Self; 8]) -> [Self; 8] {
        rows
    }
}
