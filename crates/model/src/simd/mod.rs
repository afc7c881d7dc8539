//! Vectors of 64-bit words on every instruction set, with a common trait. The package's only unsafe code.
//!
//! A kernel is written once, generic over [`Vector`], as a type that implements [`Kernel`]. `V::enter` runs
//! it inside a function compiled for the instruction set. So everything that the kernel calls must be
//! `#[inline(always)]`: a remaining call is compiled without the instruction set and passes its vectors
//! through memory.
//!
//! Safety rests on one rule: a value of a vector type, or its token, exists only if the processor has the
//! instruction set. Tokens come from detection, the first vectors from tokens, and all others from vectors.
#![allow(
    unsafe_code,
    reason = "intrinsics and views of vectors as words; the only module that may have unsafe code"
)]

/// Defines operations of an instruction set as a table. Each is a method that is compiled into its callers. Its
/// operands and its result have the same type unless they name another one.
macro_rules! operations {
    ($type:ty; $($(#[$doc:meta])* $name:ident $(<$n:ident: $number:ty>)?
        ($self:ident $(, $operand:ident $(: $of:ty)?)*) $(-> $result:ty)? = $body:expr;)+) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name $(<const $n: $number>)? ($self $(, $operand: type_or!($type; $($of)?))*) -> type_or!($type; $($result)?) {
            $body
        }
    )+};
}

/// The second type, or the first if there is no second.
macro_rules! type_or {
    ($type:ty;) => {
        $type
    };
    ($type:ty; $other:ty) => {
        $other
    };
}

/// Defines the operations with three inputs, for instruction sets whose `ternary!` is a single instruction.
#[cfg(target_arch = "x86_64")]
macro_rules! ternary_operations {
    () => {
        operations! { Self;
            and3(self, b, c) = ternary!(A & B & C; self, b, c);
            or3(self, b, c) = ternary!(A | B | C; self, b, c);
            xor3(self, b, c) = ternary!(A ^ B ^ C; self, b, c);
            majority(self, b, c) = ternary!(A & B | A & C | B & C; self, b, c);
            select(self, this, other) = ternary!(A & B | !A & C; self, this, other);
            or_and(self, b, c) = ternary!(A | B & C; self, b, c);
            and_or(self, b, c) = ternary!(A & (B | C); self, b, c);
            or_and_not(self, b, c) = ternary!(A | B & !C; self, b, c);
            and_nand(self, b, c) = ternary!(A & !(B & C); self, b, c);
            and_unless(self, b, c) = ternary!(A & !(B & !C); self, b, c);
            and_nor(self, b, c) = ternary!(A & !(B | C); self, b, c);
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bytes;
mod bytes512;
mod interleave;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;
mod words;
#[cfg(target_arch = "x86_64")]
mod words512;

use std::fmt;

pub use bytes::{Bytes, HALF};
pub use bytes512::{run_bytes, run_sets};
#[cfg(test)]
pub(crate) use words::PlainWords;
pub use words::{Words, least_key, run_plain, run_words};

use crate::{Result, usage, worded};

worded! {
    /// An instruction set for which the lane engine has vectors. Of each architecture, the fastest comes last.
    pub Isa, name, from_name {
        /// Plain words; on every machine.
        Portable = "portable" => "64-bit words, on every machine",
        /// 128 bits; every 64-bit ARM.
        Neon = "neon" => "128 bits, 64-bit ARM",
        /// 256 bits; x86-64 since about 2013.
        Avx2 = "avx2" => "256 bits, x86-64",
        /// 512 bits with three-input logic; x86-64 servers and recent desktops.
        Avx512 = "avx512" => "512 bits, x86-64 servers and recent desktops",
    }
}

impl Isa {
    /// Returns true if this processor has the instruction set.
    pub fn is_available(self) -> bool {
        struct Found;
        impl Dispatch for Found {
            type Output = ();
            fn with<V: Vector>(self, _: V::Token) {}
        }
        dispatch(self, Found).is_some()
    }

    /// Checks that this processor has the instruction set.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the processor lacks the instruction set. The message
    /// names the sets that the processor has.
    pub fn require(self) -> Result<()> {
        if self.is_available() {
            return Ok(());
        }
        let available: Vec<_> = Isa::available().map(Isa::name).collect();
        Err(usage!("this processor lacks {self}; it has {}", available.join(", ")))
    }

    /// Returns the best instruction set of this processor.
    pub fn best() -> Self {
        let best = Isa::ALL.iter().copied().rfind(|isa| isa.is_available());
        best.unwrap_or(Isa::Portable)
    }

    /// Returns the instruction sets that this processor has.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.iter().copied().filter(|isa| isa.is_available())
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Truth tables of the three inputs of a ternary-logic instruction. An expression in `A`, `B` and `C` is the
/// table of that function.
#[cfg(target_arch = "x86_64")]
const A: i32 = 0xf0;
#[cfg(target_arch = "x86_64")]
const B: i32 = 0xcc;
#[cfg(target_arch = "x86_64")]
const C: i32 = 0xaa;

/// Calls `visitor` with the vector type of an instruction set; returns `None` if this processor lacks it.
pub fn dispatch<D: Dispatch>(isa: Isa, visitor: D) -> Option<D::Output> {
    match isa {
        Isa::Portable => Some(dispatch_portable(visitor)),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::Token::new().map(|token| visitor.with::<avx2::Avx2>(token)),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::Token::new().map(|token| visitor.with::<avx512::Avx512>(token)),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => Some(visitor.with::<neon::Neon>(neon::Token::new())),
        #[allow(unreachable_patterns, reason = "the instruction sets depend on the architecture")]
        _ => None,
    }
}

/// Calls `visitor` with the vector type of [`Isa::Portable`].
pub fn dispatch_portable<D: Dispatch>(visitor: D) -> D::Output {
    visitor.with::<portable::Portable<1>>(portable::Token)
}

/// Calls the visitors that `make` returns with every vector type that this processor can run.
///
/// The types are those of the processor's instruction sets, and plain words as wide as the vectors of other processors.
#[doc(hidden)]
pub fn every_vector<D: Dispatch>(make: impl Fn() -> D) {
    for isa in Isa::available() {
        dispatch(isa, make()).expect("the instruction set is available");
    }
    make().with::<portable::Portable<2>>(portable::Token);
    // Not on x86-64: wide vectors of plain words take longer to compile than all others, and its own vectors have the
    // same widths.
    #[cfg(not(target_arch = "x86_64"))]
    {
        make().with::<portable::Portable<4>>(portable::Token);
        make().with::<portable::Portable<8>>(portable::Token);
    }
}

/// The callback of [`dispatch`].
pub trait Dispatch {
    /// The type of the callback's result.
    type Output;
    /// Continues with the chosen vector type.
    fn with<V: Vector>(self, token: V::Token) -> Self::Output;
}

/// Work to be compiled for an instruction set. `run` and everything it calls must be `#[inline(always)]`.
pub trait Kernel<V> {
    /// The type of the work's result.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Work with [`Words`] or [`Bytes`] to be compiled for an instruction set.
///
/// `run` and everything it calls must be `#[inline(always)]`.
pub trait WordKernel {
    /// The type of the work's result.
    type Output;
    /// Does the work.
    fn run<I: Words + Bytes>(self, isa: I) -> Self::Output;
}

/// Bits in 64-bit words, in a register.
///
/// # Safety
/// An implementation must be a plain array of `WORDS` 64-bit words without padding, for which any bits are
/// valid. It must be aligned at least like `u64`.
pub unsafe trait Vector: Copy + Send + Sync + 'static {
    /// Proof that the processor has the instruction set.
    type Token: Copy + Send + Sync + 'static;

    /// Number of 64-bit words of a vector; a power of two.
    const WORDS: usize;

    /// Runs a kernel inside a function compiled for the instruction set.
    fn enter<K: Kernel<Self>>(token: Self::Token, kernel: K) -> K::Output;

    /// Returns a vector without set bits.
    fn zero(token: Self::Token) -> Self;

    /// Returns `self & other`.
    fn and(self, other: Self) -> Self;
    /// Returns `self | other`.
    fn or(self, other: Self) -> Self;
    /// Returns `self ^ other`.
    fn xor(self, other: Self) -> Self;
    /// Returns `self & !other`.
    fn and_not(self, other: Self) -> Self;
    /// Shifts every word left by `N` bits.
    fn shl<const N: i32>(self) -> Self;
    /// Shifts every word right by `N` bits, filling with zeros.
    fn shr<const N: i32>(self) -> Self;
    /// Returns a vector with every word equal to `word`.
    fn splat(like: Self, word: u64) -> Self;

    /// Transposes the 8x8 bytes of eight vectors, word by word: byte `b` of vector `v` goes to byte `v` of
    /// vector `b`.
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8];

    /// Transposes the words of every `WORDS` vectors: word `a` of vector `b` goes to word `b` of vector `a`.
    fn transpose_words(rows: [Self; 8]) -> [Self; 8];

    operations! { Self;
        /// Returns `self & b & c`.
        and3(self, b, c) = self.and(b).and(c);
        /// Returns `self | b | c`.
        or3(self, b, c) = self.or(b).or(c);
        /// Returns `self ^ b ^ c`: the low bit of a sum of three.
        xor3(self, b, c) = self.xor(b).xor(c);
        /// Returns the bits set in at least two of three: the high bit of a sum of three.
        majority(self, b, c) = self.and(b).or(self.or(b).and(c));
        /// Returns, for each bit, `this` if `self` has it, otherwise `other`.
        select(self, this, other) = other.xor(this.xor(other).and(self));
        /// Returns `self | (b & c)`.
        or_and(self, b, c) = self.or(b.and(c));
        /// Returns `self & (b | c)`.
        and_or(self, b, c) = self.and(b.or(c));
        /// Returns `self | (b & !c)`.
        or_and_not(self, b, c) = self.or(b.and_not(c));
        /// Returns `self & !(b & c)`.
        and_nand(self, b, c) = self.and_not(b.and(c));
        /// Returns `self & !(b & !c)`: keeps a bit unless it is in `b` but not in `c`.
        and_unless(self, b, c) = self.and_not(b.and_not(c));
        /// Returns `self & !(b | c)`.
        and_nor(self, b, c) = self.and_not(b.or(c));
    }
}

/// Returns the words of vectors, in memory order.
#[inline]
pub fn words<V: Vector>(vectors: &[V]) -> &[u64] {
    // SAFETY: a `Vector` is an array of `WORDS` plain words, aligned at least like one.
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * V::WORDS) }
}

/// Returns the words of vectors for writing.
#[inline]
pub fn words_mut<V: Vector>(vectors: &mut [V]) -> &mut [u64] {
    // SAFETY: as in `words`; any bits are a valid vector.
    unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), vectors.len() * V::WORDS) }
}
