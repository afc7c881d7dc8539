//! Vectors of 64-bit words for every instruction set, with a common trait. This module has the only unsafe
//! code of the package.
//!
//! A kernel is a piece of vector code, written once for all instruction sets. It is a type that implements
//! [`Kernel`], generic over [`Vector`]. `V::enter` runs the kernel inside a function compiled for the
//! instruction set. Everything that the kernel calls must be `#[inline(always)]`. A call that is not inlined
//! would be compiled without the instruction set and would pass its vectors through memory.
//!
//! Safety rests on one rule: a vector or its token exists only if the processor has the instruction set.
//! Detecting the instruction set creates a token, tokens create the first vectors, and vectors create all
//! other vectors.
#![allow(
    unsafe_code,
    reason = "intrinsics and views of vectors as words; the only module that may have unsafe code"
)]

/// Defines the operations of an instruction set. The macro's input has one operation per line.
///
/// Each operation becomes a method that is inlined into its callers. Operands and results have the type
/// `$type` unless the line of the operation names another type.
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

/// Expands to the second type, or to the first type if there is no second.
macro_rules! type_or {
    ($type:ty;) => {
        $type
    };
    ($type:ty; $other:ty) => {
        $other
    };
}

/// Defines the operations with three inputs, for instruction sets that compute any of them in one
/// instruction.
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
    /// An instruction set for which the lane engine has vectors. The lane engine searches hundreds of grids
    /// at once, one grid per bit of a vector.
    ///
    /// The instruction sets of one architecture are in ascending order of speed.
    pub Isa, name, from_name {
        /// Plain words; on every machine.
        Portable = "portable" => "64-bit words, on every machine",
        /// 128 bits; every 64-bit ARM.
        Neon = "neon" => "128 bits, 64-bit ARM",
        /// 256 bits; x86-64 processors since about 2013.
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
    /// Returns [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the processor lacks the instruction set. The
    /// message names the instruction sets that the processor has.
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

    /// Returns the instruction sets that this processor supports.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.iter().copied().filter(|isa| isa.is_available())
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Truth table of the first input of an instruction with three inputs. `B` and `C` are the truth tables of
/// the other two inputs.
///
/// A bitwise function of three inputs has a truth table, too. The same function of `A`, `B` and `C` computes
/// it.
#[cfg(target_arch = "x86_64")]
const A: i32 = 0xf0;
#[cfg(target_arch = "x86_64")]
const B: i32 = 0xcc;
#[cfg(target_arch = "x86_64")]
const C: i32 = 0xaa;

/// Calls `visitor` with the vector type of an instruction set, or returns `None` if this processor lacks it.
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

/// Calls a visitor from `make` for every vector type that this processor can run.
///
/// Each instruction set of the processor has a vector type. There are also wider vectors of plain words.
#[doc(hidden)]
pub fn every_vector<D: Dispatch>(make: impl Fn() -> D) {
    for isa in Isa::available() {
        dispatch(isa, make()).expect("the instruction set is available");
    }
    make().with::<portable::Portable<2>>(portable::Token);
    // Vectors of several plain words are left out on x86-64, which has vectors of the same widths. Compiling
    // vectors of plain words would take longer than compiling all other vector types.
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
    /// Continues the callback's work with the vector type `V`.
    fn with<V: Vector>(self, token: V::Token) -> Self::Output;
}

/// Code to be compiled for an instruction set.
///
/// The method `run` and everything it calls must be `#[inline(always)]`.
pub trait Kernel<V> {
    /// The result type of `run`.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Code with operations on [`Words`] or [`Bytes`], to be compiled for an instruction set.
///
/// The method `run` and everything it calls must be `#[inline(always)]`.
pub trait WordKernel {
    /// The result type of `run`.
    type Output;
    /// Does the work.
    fn run<I: Words + Bytes>(self, isa: I) -> Self::Output;
}

/// A register of 64-bit words, used as a set of bits.
///
/// # Safety
/// An implementing type must be a plain array of `WORDS` 64-bit words without padding. Every combination of
/// bits must be a valid value. The alignment must be at least that of `u64`.
pub unsafe trait Vector: Copy + Send + Sync + 'static {
    /// A value that proves that the processor has the instruction set.
    type Token: Copy + Send + Sync + 'static;

    /// Number of 64-bit words in a vector, a power of two.
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
    /// Returns a vector with every word equal to `word`. The vector `like` proves that the processor has the
    /// instruction set.
    fn splat(like: Self, word: u64) -> Self;

    /// Transposes bytes between eight vectors.
    ///
    /// Byte `b` of a word in vector `v` moves to byte `v` of the same word in vector `b`.
    fn transpose_bytes(rows: [Self; 8]) -> [Self; 8];

    /// Transposes the words of each group of `WORDS` vectors.
    ///
    /// Within a group, word `a` of vector `b` moves to word `b` of vector `a`.
    fn transpose_words(rows: [Self; 8]) -> [Self; 8];

    operations! { Self;
        /// Returns `self & b & c`.
        and3(self, b, c) = self.and(b).and(c);
        /// Returns `self | b | c`.
        or3(self, b, c) = self.or(b).or(c);
        /// Returns `self ^ b ^ c`. This is the low bit of the sum of the three inputs.
        xor3(self, b, c) = self.xor(b).xor(c);
        /// Returns the bits that are set in at least two of the three inputs.
        ///
        /// This is the high bit of the sum of the three inputs.
        majority(self, b, c) = self.and(b).or(self.or(b).and(c));
        /// Returns the bits of `this` at positions where `self` has a bit, and the bits of `other` elsewhere.
        select(self, this, other) = other.xor(this.xor(other).and(self));
        /// Returns `self | (b & c)`.
        or_and(self, b, c) = self.or(b.and(c));
        /// Returns `self & (b | c)`.
        and_or(self, b, c) = self.and(b.or(c));
        /// Returns `self | (b & !c)`.
        or_and_not(self, b, c) = self.or(b.and_not(c));
        /// Returns `self & !(b & c)`.
        and_nand(self, b, c) = self.and_not(b.and(c));
        /// Returns `self & !(b & !c)`. A bit of `self` is kept unless it is in `b` but not in `c`.
        and_unless(self, b, c) = self.and_not(b.and_not(c));
        /// Returns `self & !(b | c)`.
        and_nor(self, b, c) = self.and_not(b.or(c));
    }
}

/// Returns the 64-bit words of vectors, in memory order.
#[inline]
pub fn words<V: Vector>(vectors: &[V]) -> &[u64] {
    // SAFETY: a `Vector` is an array of `WORDS` plain words, with at least the alignment of a word.
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * V::WORDS) }
}

/// Returns the 64-bit words of vectors for writing.
#[inline]
pub fn words_mut<V: Vector>(vectors: &mut [V]) -> &mut [u64] {
    // SAFETY: a `Vector` is an array of `WORDS` plain words, with at least the alignment of a word. Every
    // combination of bits is a valid vector.
    unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), vectors.len() * V::WORDS) }
}
