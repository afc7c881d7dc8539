//! Vectors of plain 64-bit words.
//!
//! Processors for which there is no other module use these vectors. Tests compare all other vectors with
//! these vectors. The lane engine uses one word per vector. Tests also use several words per vector, to cover
//! the operations of wider vectors on any machine.

use super::{Kernel, Vector};

/// A value that proves that the processor has 64-bit words, as every processor does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token;

/// A vector of `N` words. `N` is a power of two.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Portable<const N: usize>([u64; N]);

/// Swaps bits between two words.
///
/// The bits of `b` that are in `mask` change places with the bits of `a` that are `shift` positions higher.
#[inline(always)]
fn swap(a: &mut u64, b: &mut u64, shift: u32, mask: u64) {
    let changed = ((*a >> shift) ^ *b) & mask;
    *b ^= changed;
    *a ^= changed << shift;
}

impl<const N: usize> Portable<N> {
    #[inline(always)]
    fn with(mut self, other: Self, function: impl Fn(u64, u64) -> u64) -> Self {
        for at in 0..N {
            self.0[at] = function(self.0[at], other.0[at]);
        }
        self
    }
}

// SAFETY: the type is an array of plain words.
unsafe impl<const N: usize> Vector for Portable<N> {
    type Token = Token;

    const WORDS: usize = N;

    #[inline(always)]
    fn enter<K: Kernel<Self>>(_: Token, kernel: K) -> K::Output {
        kernel.run()
    }

    #[inline(always)]
    fn zero(_: Token) -> Self {
        Portable([0; N])
    }

    operations! { Self;
        and(self, other) = self.with(other, |a, b| a & b);
        or(self, other) = self.with(other, |a, b| a | b);
        xor(self, other) = self.with(other, |a, b| a ^ b);
        and_not(self, other) = self.with(other, |a, b| a & !b);
        shl<BITS: i32>(self) = self.with(self, |a, _| a << BITS);
        shr<BITS: i32>(self) = self.with(self, |a, _| a >> BITS);
    }

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        Portable([word; N])
    }

    #[inline(always)]
    fn transpose_bytes(mut rows: [Self; 8]) -> [Self; 8] {
        for at in 0..N {
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = rows.map(|row| row.0[at]);
            for (low, high) in [(&mut a, &mut e), (&mut b, &mut f), (&mut c, &mut g), (&mut d, &mut h)] {
                swap(low, high, 32, 0x0000_0000_ffff_ffff);
            }
            for (low, high) in [(&mut a, &mut c), (&mut b, &mut d), (&mut e, &mut g), (&mut f, &mut h)] {
                swap(low, high, 16, 0x0000_ffff_0000_ffff);
            }
            for (low, high) in [(&mut a, &mut b), (&mut c, &mut d), (&mut e, &mut f), (&mut g, &mut h)] {
                swap(low, high, 8, 0x00ff_00ff_00ff_00ff);
            }
            for (row, word) in rows.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                row.0[at] = word;
            }
        }
        rows
    }

    #[inline(always)]
    fn transpose_words(rows: [Self; 8]) -> [Self; 8] {
        let mut columns = rows;
        for at in 0..8 {
            for word in 0..N {
                columns[at].0[word] = rows[at / N * N + word].0[at % N];
            }
        }
        columns
    }
}
