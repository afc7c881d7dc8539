//! Vectors of 256 bits.

use std::arch::x86_64::*;

use super::interleave::Interleave;
use super::{Kernel, Vector};

/// A value that proves that the CPU supports AVX2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// Returns the proof that the CPU supports AVX2, or `None` if the CPU does not support it.
    pub(super) fn new() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx2");
        is_there.then_some(Token(()))
    }
}

/// A vector of four words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx2(pub(super) __m256i);

/// Wraps a call of an intrinsic whose operands are all vectors or constants, so none of them is a pointer.
macro_rules! avx2 {
    ($call:expr) => {
        // SAFETY: the operands of the intrinsic, or the token, exist only if the CPU supports AVX2.
        Self(unsafe { $call })
    };
}

/// # Safety
/// The CPU must support AVX2.
#[target_feature(enable = "avx2")]
unsafe fn enter<V, K: Kernel<V>>(kernel: K) -> K::Output {
    kernel.run()
}

impl Interleave for Avx2 {
    operations! { Self;
        low_8(self, other) = avx2!(_mm256_unpacklo_epi8(self.0, other.0));
        high_8(self, other) = avx2!(_mm256_unpackhi_epi8(self.0, other.0));
        low_16(self, other) = avx2!(_mm256_unpacklo_epi16(self.0, other.0));
        high_16(self, other) = avx2!(_mm256_unpackhi_epi16(self.0, other.0));
        low_32(self, other) = avx2!(_mm256_unpacklo_epi32(self.0, other.0));
        high_32(self, other) = avx2!(_mm256_unpackhi_epi32(self.0, other.0));
        low_64(self, other) = avx2!(_mm256_unpacklo_epi64(self.0, other.0));
        high_64(self, other) = avx2!(_mm256_unpackhi_epi64(self.0, other.0));
    }
}

// SAFETY: a register of 256 bits consists of four plain 64-bit words.
unsafe impl Vector for Avx2 {
    type Token = Token;

    const WORDS: usize = 4;

    #[inline(always)]
    fn enter<K: Kernel<Self>>(_: Token, kernel: K) -> K::Output {
        // SAFETY: the token proves AVX2.
        unsafe { enter(kernel) }
    }

    #[inline(always)]
    fn zero(_: Token) -> Self {
        avx2!(_mm256_setzero_si256())
    }

    operations! { Self;
        and(self, other) = avx2!(_mm256_and_si256(self.0, other.0));
        or(self, other) = avx2!(_mm256_or_si256(self.0, other.0));
        xor(self, other) = avx2!(_mm256_xor_si256(self.0, other.0));
        and_not(self, other) = avx2!(_mm256_andnot_si256(other.0, self.0));
        shl<N: i32>(self) = avx2!(_mm256_slli_epi64::<N>(self.0));
        shr<N: i32>(self) = avx2!(_mm256_srli_epi64::<N>(self.0));
    }

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        avx2!(_mm256_set1_epi64x(word as i64))
    }

    #[inline(always)]
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8] {
        Self::transpose(rows)
    }

    #[inline(always)]
    fn transpose_words(r: [Self; 8]) -> [Self; 8] {
        macro_rules! square {
            ($a:expr, $b:expr, $c:expr, $d:expr) => {{
                let (even, odd) = (
                    (avx2!(_mm256_unpacklo_epi64($a.0, $b.0)), avx2!(_mm256_unpacklo_epi64($c.0, $d.0))),
                    (avx2!(_mm256_unpackhi_epi64($a.0, $b.0)), avx2!(_mm256_unpackhi_epi64($c.0, $d.0))),
                );
                [
                    avx2!(_mm256_permute2x128_si256::<0x20>(even.0.0, even.1.0)),
                    avx2!(_mm256_permute2x128_si256::<0x20>(odd.0.0, odd.1.0)),
                    avx2!(_mm256_permute2x128_si256::<0x31>(even.0.0, even.1.0)),
                    avx2!(_mm256_permute2x128_si256::<0x31>(odd.0.0, odd.1.0)),
                ]
            }};
        }
        let ([a, b, c, d], [e, f, g, h]) = (square!(r[0], r[1], r[2], r[3]), square!(r[4], r[5], r[6], r[7]));
        [a, b, c, d, e, f, g, h]
    }
}
