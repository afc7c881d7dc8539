//! Vectors of 128 bits on 64-bit ARM.

use std::arch::aarch64::*;

use super::interleave::Interleave;
use super::{Kernel, Vector};

/// A value that proves that the processor has NEON, as every 64-bit ARM processor does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// Creates the proof.
    pub(super) fn new() -> Self {
        Token(())
    }
}

/// A vector of two words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Neon(uint64x2_t);

/// Wraps a call of an intrinsic. All its operands must be vectors or constants, so none of them is a pointer.
macro_rules! neon {
    ($call:expr) => {
        // SAFETY: NEON is part of the 64-bit ARM architecture.
        Neon(unsafe { $call })
    };
}

/// Interleaves the elements of two vectors. Both vectors are first reinterpreted with another element size.
macro_rules! zip {
    ($zip:ident, $to:ident, $from:ident; $a:expr, $b:expr) => {
        neon!($from($zip($to($a.0), $to($b.0))))
    };
}

impl Interleave for Neon {
    operations! { Self;
        low_8(self, other) = zip!(vzip1q_u8, vreinterpretq_u8_u64, vreinterpretq_u64_u8; self, other);
        high_8(self, other) = zip!(vzip2q_u8, vreinterpretq_u8_u64, vreinterpretq_u64_u8; self, other);
        low_16(self, other) = zip!(vzip1q_u16, vreinterpretq_u16_u64, vreinterpretq_u64_u16; self, other);
        high_16(self, other) = zip!(vzip2q_u16, vreinterpretq_u16_u64, vreinterpretq_u64_u16; self, other);
        low_32(self, other) = zip!(vzip1q_u32, vreinterpretq_u32_u64, vreinterpretq_u64_u32; self, other);
        high_32(self, other) = zip!(vzip2q_u32, vreinterpretq_u32_u64, vreinterpretq_u64_u32; self, other);
        low_64(self, other) = neon!(vzip1q_u64(self.0, other.0));
        high_64(self, other) = neon!(vzip2q_u64(self.0, other.0));
    }
}

// SAFETY: a register of 128 bits consists of two plain 64-bit words.
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

    operations! { Self;
        and(self, other) = neon!(vandq_u64(self.0, other.0));
        or(self, other) = neon!(vorrq_u64(self.0, other.0));
        xor(self, other) = neon!(veorq_u64(self.0, other.0));
        and_not(self, other) = neon!(vbicq_u64(self.0, other.0));
        shl<N: i32>(self) = neon!(vshlq_n_u64::<N>(self.0));
        shr<N: i32>(self) = neon!(vshrq_n_u64::<N>(self.0));
        select(self, this, other) = neon!(vbslq_u64(self.0, this.0, other.0));
    }

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        neon!(vdupq_n_u64(word))
    }

    #[inline(always)]
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8] {
        Self::transpose(rows)
    }

    #[inline(always)]
    fn transpose_words(r: [Self; 8]) -> [Self; 8] {
        let pair = |a: Self, b: Self| (a.low_64(b), a.high_64(b));
        let (a, b, c, d) = (pair(r[0], r[1]), pair(r[2], r[3]), pair(r[4], r[5]), pair(r[6], r[7]));
        [a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1]
    }
}
