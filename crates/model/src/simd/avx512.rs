//! Vectors of 512 bits. One instruction can compute any bitwise function of three inputs.

use std::arch::x86_64::*;

use super::interleave::Interleave;
use super::{A, B, C, Kernel, Vector};

/// A value that proves that the CPU supports AVX-512 F and AVX-512 BW.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// Returns the proof that the CPU supports AVX-512 F and AVX-512 BW, or `None` if the CPU lacks one of
    /// them.
    pub(super) fn new() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        is_there.then_some(Token(()))
    }
}

/// A vector of eight words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx512(__m512i);

/// Wraps a call of an intrinsic. All its operands must be vectors or constants, so none of them is a pointer.
macro_rules! avx512 {
    ($call:expr) => {
        // SAFETY: the operands of the intrinsic, or the token, exist only if the processor supports AVX-512 F
        // and BW.
        Self(unsafe { $call })
    };
}

/// Applies a bitwise function of three inputs as a single instruction.
///
/// `$table` is the function, written as an expression in `A`, `B` and `C`.
macro_rules! ternary {
    ($table:expr; $a:expr, $b:expr, $c:expr) => {
        avx512!(_mm512_ternarylogic_epi64::<{ ($table) & 0xff }>($a.0, $b.0, $c.0))
    };
}

/// # Safety
/// The processor must have AVX-512 F and BW.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn enter<V, K: Kernel<V>>(kernel: K) -> K::Output {
    kernel.run()
}

impl Interleave for Avx512 {
    operations! { Self;
        low_8(self, other) = avx512!(_mm512_unpacklo_epi8(self.0, other.0));
        high_8(self, other) = avx512!(_mm512_unpackhi_epi8(self.0, other.0));
        low_16(self, other) = avx512!(_mm512_unpacklo_epi16(self.0, other.0));
        high_16(self, other) = avx512!(_mm512_unpackhi_epi16(self.0, other.0));
        low_32(self, other) = avx512!(_mm512_unpacklo_epi32(self.0, other.0));
        high_32(self, other) = avx512!(_mm512_unpackhi_epi32(self.0, other.0));
        low_64(self, other) = avx512!(_mm512_unpacklo_epi64(self.0, other.0));
        high_64(self, other) = avx512!(_mm512_unpackhi_epi64(self.0, other.0));
    }
}

// SAFETY: a register of 512 bits consists of eight plain 64-bit words.
unsafe impl Vector for Avx512 {
    type Token = Token;

    const WORDS: usize = 8;

    #[inline(always)]
    fn enter<K: Kernel<Self>>(_: Token, kernel: K) -> K::Output {
        // SAFETY: the token proves that the processor supports AVX-512 F and BW.
        unsafe { enter(kernel) }
    }

    #[inline(always)]
    fn zero(_: Token) -> Self {
        avx512!(_mm512_setzero_si512())
    }

    operations! { Self;
        and(self, other) = avx512!(_mm512_and_si512(self.0, other.0));
        or(self, other) = avx512!(_mm512_or_si512(self.0, other.0));
        xor(self, other) = avx512!(_mm512_xor_si512(self.0, other.0));
        and_not(self, other) = avx512!(_mm512_andnot_si512(other.0, self.0));
        shl<N: i32>(self) = avx512!(_mm512_sllv_epi64(self.0, _mm512_set1_epi64(i64::from(N))));
        shr<N: i32>(self) = avx512!(_mm512_srlv_epi64(self.0, _mm512_set1_epi64(i64::from(N))));
    }

    ternary_operations!();

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        avx512!(_mm512_set1_epi64(word as i64))
    }

    #[inline(always)]
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8] {
        Self::transpose(rows)
    }

    /// Transposes eight vectors of eight words in three rounds.
    ///
    /// The first round interleaves single words. The other two rounds shuffle 128-bit quarters. Each shuffle
    /// selects the even or the odd quarters of two vectors.
    #[inline(always)]
    fn transpose_words(r: [Self; 8]) -> [Self; 8] {
        macro_rules! quarters {
            ($a:expr, $b:expr) => {
                (
                    avx512!(_mm512_shuffle_i64x2::<0x88>($a.0, $b.0)),
                    avx512!(_mm512_shuffle_i64x2::<0xdd>($a.0, $b.0)),
                )
            };
        }
        macro_rules! half {
            ($unpack:ident) => {{
                let (a, b) = (avx512!($unpack(r[0].0, r[1].0)), avx512!($unpack(r[2].0, r[3].0)));
                let (c, d) = (avx512!($unpack(r[4].0, r[5].0)), avx512!($unpack(r[6].0, r[7].0)));
                let (low, high) = (quarters!(a, b), quarters!(c, d));
                (quarters!(low.0, high.0), quarters!(low.1, high.1))
            }};
        }
        // `even` holds the transposed vectors 0 and 4, then 2 and 6. `odd` holds the transposed vectors 1 and
        // 5, then 3 and 7.
        let (even, odd) = (half!(_mm512_unpacklo_epi64), half!(_mm512_unpackhi_epi64));
        [even.0.0, odd.0.0, even.1.0, odd.1.0, even.0.1, odd.0.1, even.1.1, odd.1.1]
    }
}
