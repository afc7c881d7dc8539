//! Vectors of 256 bits.

use std::arch::x86_64::*;

use super::{Kernel, Vector};

/// Proof that the processor has AVX2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// Looks.
    pub(super) fn new() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Token(()))
    }
}

/// Four words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx2(__m256i);

/// Wraps intrinsics whose operands are all vectors or constants.
macro_rules! avx2 {
    ($call:expr) => {
        // SAFETY: the vectors it is given, or the token, exist only where the processor has AVX2.
        Avx2(unsafe { $call })
    };
}

/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
unsafe fn enter<K: Kernel<Avx2>>(kernel: K) -> K::Output {
    kernel.run()
}

// SAFETY: a register of 256 bits is four plain words.
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

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        avx2!(_mm256_and_si256(self.0, other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        avx2!(_mm256_or_si256(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        avx2!(_mm256_xor_si256(self.0, other.0))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        avx2!(_mm256_andnot_si256(other.0, self.0))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        avx2!(_mm256_slli_epi64::<N>(self.0))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        avx2!(_mm256_srli_epi64::<N>(self.0))
    }

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        avx2!(_mm256_set1_epi64x(word as i64))
    }

    /// Three rounds of interleaving leave bytes `2b` and `2b + 1` of two words side by side; the fourth round
    /// brings the words of one byte together again.
    #[inline(always)]
    fn transpose_bytes(r: [Self; 8]) -> [Self; 8] {
        macro_rules! pairs {
            ($low:ident, $high:ident, $(($a:expr, $b:expr)),+) => {
                [$((avx2!($low($a.0, $b.0)), avx2!($high($a.0, $b.0)))),+]
            };
        }
        let [a, b, c, d] = pairs!(
            _mm256_unpacklo_epi8,
            _mm256_unpackhi_epi8,
            (r[0], r[1]),
            (r[2], r[3]),
            (r[4], r[5]),
            (r[6], r[7])
        );
        let [e, f, g, h] = pairs!(
            _mm256_unpacklo_epi16,
            _mm256_unpackhi_epi16,
            (a.0, b.0),
            (c.0, d.0),
            (a.1, b.1),
            (c.1, d.1)
        );
        // Of the even words: bytes 0 and 1, 2 and 3 in `i`, 4 and 5, 6 and 7 in `j`; of the odd words in `k`, `l`.
        let [i, j, k, l] = pairs!(
            _mm256_unpacklo_epi32,
            _mm256_unpackhi_epi32,
            (e.0, f.0),
            (e.1, f.1),
            (g.0, h.0),
            (g.1, h.1)
        );
        let [m, n, o, p] = pairs!(
            _mm256_unpacklo_epi64,
            _mm256_unpackhi_epi64,
            (i.0, k.0),
            (i.1, k.1),
            (j.0, l.0),
            (j.1, l.1)
        );
        [m.0, m.1, n.0, n.1, o.0, o.1, p.0, p.1]
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
