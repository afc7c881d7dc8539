//! Vectors of 128 bits on 64-bit ARM.

use std::arch::aarch64::*;

use super::{Kernel, Vector};

/// Proof of NEON, which every 64-bit ARM processor has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// The proof.
    pub(super) fn new() -> Self {
        Token(())
    }
}

/// Two words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Neon(uint64x2_t);

/// Wraps intrinsics whose operands are all vectors or constants.
macro_rules! neon {
    ($call:expr) => {
        // SAFETY: NEON is part of the architecture.
        Neon(unsafe { $call })
    };
}

// SAFETY: a register of 128 bits is two plain words.
unsafe impl Vector for Neon {
    type Token = Token;

    const WORDS: usize = 2;

    #[inline(always)]
    fn enter<K: Kernel<Self>>(_: Token, kernel: K) -> K::Output {
        kernel.run()
    }

    #[inline(always)]
    fn zero(_: Token) -> Self {
        neon!(vdupq_n_u64(0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        neon!(vandq_u64(self.0, other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        neon!(vorrq_u64(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        neon!(veorq_u64(self.0, other.0))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        neon!(vbicq_u64(self.0, other.0))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        neon!(vshlq_n_u64::<N>(self.0))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        neon!(vshrq_n_u64::<N>(self.0))
    }

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        neon!(vdupq_n_u64(word))
    }

    #[inline(always)]
    fn select(mask: Self, this: Self, other: Self) -> Self {
        neon!(vbslq_u64(mask.0, this.0, other.0))
    }

    /// As with AVX2: three rounds of interleaving, and one that brings the words of a byte together.
    #[inline(always)]
    fn transpose_bytes(r: [Self; 8]) -> [Self; 8] {
        macro_rules! pairs {
            ($zip1:ident, $zip2:ident, $to:ident, $from:ident, $(($a:expr, $b:expr)),+) => {
                [$((
                    neon!($from($zip1($to($a.0), $to($b.0)))),
                    neon!($from($zip2($to($a.0), $to($b.0)))),
                )),+]
            };
        }
        let [a, b, c, d] = pairs!(
            vzip1q_u8,
            vzip2q_u8,
            vreinterpretq_u8_u64,
            vreinterpretq_u64_u8,
            (r[0], r[1]),
            (r[2], r[3]),
            (r[4], r[5]),
            (r[6], r[7])
        );
        let [e, f, g, h] = pairs!(
            vzip1q_u16,
            vzip2q_u16,
            vreinterpretq_u16_u64,
            vreinterpretq_u64_u16,
            (a.0, b.0),
            (c.0, d.0),
            (a.1, b.1),
            (c.1, d.1)
        );
        let [i, j, k, l] = pairs!(
            vzip1q_u32,
            vzip2q_u32,
            vreinterpretq_u32_u64,
            vreinterpretq_u64_u32,
            (e.0, f.0),
            (e.1, f.1),
            (g.0, h.0),
            (g.1, h.1)
        );
        let pair = |a: Self, b: Self| (neon!(vzip1q_u64(a.0, b.0)), neon!(vzip2q_u64(a.0, b.0)));
        let (m, n, o, p) = (pair(i.0, k.0), pair(i.1, k.1), pair(j.0, l.0), pair(j.1, l.1));
        [m.0, m.1, n.0, n.1, o.0, o.1, p.0, p.1]
    }

    #[inline(always)]
    fn transpose_words(r: [Self; 8]) -> [Self; 8] {
        let pair = |a: Self, b: Self| (neon!(vzip1q_u64(a.0, b.0)), neon!(vzip2q_u64(a.0, b.0)));
        let (a, b, c, d) = (pair(r[0], r[1]), pair(r[2], r[3]), pair(r[4], r[5]), pair(r[6], r[7]));
        [a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1]
    }
}
