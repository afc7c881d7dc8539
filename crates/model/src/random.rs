//! Random number generators whose sequences never change.
//!
//! [`SplitMix64`] is small. It is used only where the numbers affect nothing but statistics, such as probes
//! of a search tree, and in tests. All random output comes from [`Random`], the generator named
//! `quadrille-1`:
//!
//! * Its words are the keystream of ChaCha8 (Bernstein, *ChaCha, a variant of Salsa20*, 2008), in order.
//!   Each word has 32 bits, little-endian. The counter has 64 bits and starts at 0. The nonce has 64 bits.
//! * The key is the seed and the number of the record, each as eight little-endian bytes.
//!   The eleven characters `quadrille-1` and five zero bytes follow.
//! * The nonce is the number of the attempt. So each attempt at each record has its own numbers.
//!   They do not depend on other records.
//! * A number below `n` is `x * n / 2^32` for one word `x` (Lemire, *Fast Random Integer Generation in an
//!   Interval*, 2019). If the low half of the product is below `2^32 mod n`, the next word is used instead.
//! * If `n` has more than 32 bits, the number has as many bits as `n - 1`, from words in ascending order.
//!   Excess high bits of the last word are dropped. If the number is not below `n`, it is drawn again.
//! * A shuffle is that of Fisher and Yates. For each `last`, from the end down to 1, it exchanges two
//!   elements: the element at `last`, and the element at a random place below `last + 1`.
//!
//! Bounded numbers and shuffles are implemented here, because libraries change their implementations between
//! versions.

use std::ops::RangeInclusive;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use num_bigint::BigUint;

/// The generator SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, 2014).
///
/// Contains the seed.
#[derive(Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below `bound`, with a nearly uniform distribution.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }
}

/// Name and version of the generator [`Random`].
pub const GENERATOR: &str = "quadrille-1";

/// Generator of the random numbers for one attempt at one record.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Creates the generator for the given seed, record number and attempt number.
    pub fn new(seed: u64, record: u64, attempt: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&record.to_le_bytes());
        key[16..16 + GENERATOR.len()].copy_from_slice(GENERATOR.as_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(attempt);
        Random(words)
    }

    /// Returns a number below `bound`, with a uniform distribution, or 0 if `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.0.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let unfair = bound.wrapping_neg() % bound;
            while (product as u32) < unfair {
                product = u64::from(self.0.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Returns a number below `bound`, with a uniform distribution, or 0 if `bound` is 0.
    ///
    /// `bound` can have any size.
    pub fn below_big(&mut self, bound: &BigUint) -> BigUint {
        if let Ok(bound) = u32::try_from(bound) {
            return self.below(bound).into();
        }
        let bits = (bound - 1u32).bits();
        loop {
            let mut words: Vec<u32> = (0..bits.div_ceil(32)).map(|_| self.0.next_u32()).collect();
            if let (Some(last), dropped @ 1..) = (words.last_mut(), bits.next_multiple_of(32) - bits) {
                *last &= u32::MAX >> dropped;
            }
            let number = BigUint::new(words);
            if number < *bound {
                return number;
            }
        }
    }

    /// Returns a number from a range, with a uniform distribution.
    ///
    /// If the range has 2^32 or more numbers, only its first 2^32 - 1 numbers can be returned.
    pub fn within(&mut self, range: &RangeInclusive<i64>) -> i64 {
        let width = i128::from(*range.end()) - i128::from(*range.start()) + 1;
        let width = u32::try_from(width.max(1)).unwrap_or(u32::MAX);
        range.start().saturating_add(self.below(width).into())
    }

    /// Returns a random element of `from`, or `None` if `from` is empty. All elements are equally likely.
    #[inline]
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len() as u32) as usize)
    }

    /// Shuffles `things`. All orders are equally likely.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a block of the ChaCha8 keystream, computed directly from the definition.
    fn keystream(key: [u8; 32], nonce: u64, block: u64) -> [u32; 16] {
        let mut start =
            [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for (word, bytes) in start[4..12].iter_mut().zip(key.chunks(4)) {
            *word = u32::from_le_bytes(bytes.try_into().unwrap());
        }
        (start[12], start[13]) = (block as u32, (block >> 32) as u32);
        (start[14], start[15]) = (nonce as u32, (nonce >> 32) as u32);
        let mut state = start;
        let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
            for (turn_d, turn_b) in [(16, 12), (8, 7)] {
                state[a] = state[a].wrapping_add(state[b]);
                state[d] = (state[d] ^ state[a]).rotate_left(turn_d);
                state[c] = state[c].wrapping_add(state[d]);
                state[b] = (state[b] ^ state[c]).rotate_left(turn_b);
            }
        };
        for _ in 0..4 {
            for i in 0..4 {
                quarter(i, 4 + i, 8 + i, 12 + i);
            }
            for i in 0..4 {
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
            }
        }
        std::array::from_fn(|i| state[i].wrapping_add(start[i]))
    }

    #[test]
    fn words_are_those_of_chacha8() {
        let mut key = [0; 32];
        key[0] = 7;
        key[8] = 5;
        key[9] = 1;
        key[16..27].copy_from_slice(b"quadrille-1");
        let expected: Vec<u32> = (0..9).flat_map(|block| keystream(key, 3 << 40, block)).collect();
        let mut random = Random::new(7, 261, 3 << 40);
        let drawn: Vec<u32> = (0..144).map(|_| random.0.next_u32()).collect();
        assert_eq!(drawn, expected);
    }

    #[test]
    fn numbers_are_pinned() {
        let mut words = SplitMix64(0);
        assert_eq!([words.word(), words.word()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        let mut random = Random::new(1, 0, 0);
        let mut order: Vec<u32> = (0..10).collect();
        random.shuffle(&mut order);
        let numbers: Vec<u32> = [2, 6, 9, 81, 1000, u32::MAX, 1, 0].map(|bound| random.below(bound)).into();
        assert_eq!(order, [5, 6, 0, 4, 2, 1, 9, 7, 8, 3]);
        assert_eq!(numbers, [0, 0, 7, 15, 457, 2_065_780_172, 0, 0]);
    }

    #[test]
    fn large_numbers_are_words_and_fair() {
        let (mut random, mut words) = (Random::new(1, 0, 0), Random::new(1, 0, 0));
        let two = u64::from(words.0.next_u32()) | u64::from(words.0.next_u32()) << 32;
        assert_eq!(random.below_big(&BigUint::from(1u128 << 64)), two.into());
        // A quarter of all 34-bit numbers are not below this bound.
        let bound = BigUint::from(3u64 << 32);
        let mut seen = [0u32; 3];
        for _ in 0..30_000 {
            let number = u64::try_from(random.below_big(&bound)).expect("34 bits");
            seen[(number >> 32) as usize] += 1;
        }
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 13.8, "{seen:?}: one in a thousand seeds is worse");
        assert_eq!([0u32, 1].map(|bound| random.below_big(&bound.into())), [BigUint::ZERO, BigUint::ZERO]);
    }

    #[test]
    fn bounded_numbers_are_fair() {
        let mut random = Random::new(2, 0, 0);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[random.below(7) as usize] += 1;
        }
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "{seen:?}: one in a thousand seeds is worse");
        // The bound is just above half of all possible words, so almost every second word is rejected.
        let bound = (1 << 31) + 1;
        assert!((0..1000).all(|_| random.below(bound) < bound));
    }
}
