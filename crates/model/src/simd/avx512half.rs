//! Vectors of 256 bits with AVX-512 instructions.
//!
//! These vectors are for processors that process 512 bits as two halves and whose first-level cache is too small for
//! the state of 512 lanes.

use std::arch::x86_64::*;
use std::sync::LazyLock;

use super::avx2::Avx2;
use super::{A, B, C, Kernel, Vector};

/// Bytes of a first-level cache that holds the state of 512 lanes.
const ROOMY: usize = 48 << 10;

/// Proof that the processor has AVX-512 F, BW and VL and GFNI.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// Returns the proof, or `None` if the processor lacks any of these instructions.
    pub(super) fn new() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("gfni");
        is_there.then_some(Token(()))
    }

    /// Returns the proof if these vectors are also the better choice, or `None` otherwise.
    ///
    /// Zen 4 has all of these instructions, splits 512 bits into halves, and has a cache of 32 KiB.
    pub(super) fn of_small_cache() -> Option<Self> {
        Token::new().filter(|_| FIRST_LEVEL_BYTES.is_some_and(|bytes| bytes < ROOMY))
    }
}

/// The result of [`first_level_bytes`], computed once: in a virtual machine each query is an exit to its
/// host.
static FIRST_LEVEL_BYTES: LazyLock<Option<usize>> = LazyLock::new(first_level_bytes);

/// Returns the size of the first-level data cache in bytes, or `None` if it is not reported in AMD's way.
///
/// Other processors that have GFNI have a large enough cache.
#[allow(
    unused_unsafe,
    reason = "CPUID is safe to call only in versions of Rust newer than the minimum supported one"
)]
fn first_level_bytes() -> Option<usize> {
    const CACHES: u32 = 0x8000_001d;
    // SAFETY: every x86-64 processor has the instruction.
    let ask = |leaf| unsafe { __cpuid_count(leaf, 0) };
    if ask(0x8000_0000).eax < CACHES {
        return None;
    }
    let cache = ask(CACHES);
    let (is_data, level) = (cache.eax & 31 == 1, cache.eax >> 5 & 7);
    let (ways, parts, line) = ((cache.ebx >> 22) + 1, (cache.ebx >> 12 & 0x3ff) + 1, (cache.ebx & 0xfff) + 1);
    (is_data && level == 1).then(|| (ways * parts * line) as usize * (cache.ecx as usize + 1))
}

/// A vector of four words. Its existence also proves AVX2 and GFNI.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx512Half(Avx2<true>);

/// Wraps intrinsics whose operands are all vectors or constants.
macro_rules! half {
    ($call:expr) => {
        // SAFETY: the vectors it is given exist only if the processor has AVX-512 F, BW and VL and GFNI.
        Avx512Half(Avx2(unsafe { $call }))
    };
}

/// The function of three inputs whose truth table is an expression in `A`, `B` and `C`.
macro_rules! ternary {
    ($table:expr; $a:expr, $b:expr, $c:expr) => {
        half!(_mm256_ternarylogic_epi64::<{ ($table) & 0xff }>($a.0.0, $b.0.0, $c.0.0))
    };
}

/// # Safety
/// The processor must have AVX-512 F, BW and VL and GFNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
unsafe fn enter<K: Kernel<Avx512Half>>(kernel: K) -> K::Output {
    kernel.run()
}

/// Applies a function of AVX2 to eight vectors.
macro_rules! as_avx2 {
    ($function:ident, $r:expr) => {{
        let r = $r;
        let [a, b, c, d, e, f, g, h] =
            Avx2::<true>::$function([r[0].0, r[1].0, r[2].0, r[3].0, r[4].0, r[5].0, r[6].0, r[7].0]);
        [
            Avx512Half(a),
            Avx512Half(b),
            Avx512Half(c),
            Avx512Half(d),
            Avx512Half(e),
            Avx512Half(f),
            Avx512Half(g),
            Avx512Half(h),
        ]
    }};
}

// SAFETY: a register of 256 bits is four plain words.
unsafe impl Vector for Avx512Half {
    type Token = Token;

    const WORDS: usize = 4;

    const TURNS_WORDS: bool = true;

    #[inline(always)]
    fn enter<K: Kernel<Self>>(_: Token, kernel: K) -> K::Output {
        // SAFETY: the token proves that the processor has these instructions.
        unsafe { enter(kernel) }
    }

    #[inline(always)]
    fn zero(_: Token) -> Self {
        half!(_mm256_setzero_si256())
    }

    operations! { Self;
        rotate_8x8_bits(self) = Avx512Half(self.0.rotate_8x8_bits());
        and(self, other) = Avx512Half(self.0.and(other.0));
        or(self, other) = Avx512Half(self.0.or(other.0));
        xor(self, other) = Avx512Half(self.0.xor(other.0));
        and_not(self, other) = Avx512Half(self.0.and_not(other.0));
        shl<N: i32>(self) = Avx512Half(self.0.shl::<N>());
        shr<N: i32>(self) = Avx512Half(self.0.shr::<N>());
    }

    ternary_operations!();

    #[inline(always)]
    fn splat(_: Self, word: u64) -> Self {
        half!(_mm256_set1_epi64x(word as i64))
    }

    #[inline(always)]
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8] {
        as_avx2!(transpose_bytes, rows)
    }

    #[inline(always)]
    fn transpose_words(rows: [Self; 8]) -> [Self; 8] {
        as_avx2!(transpose_words, rows)
    }
}
