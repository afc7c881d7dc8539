//! The states of one layer and their numbers of ways.
//!
//! Open addressing with linear probing in one list of words. Keys are whole states, and all their words are compared.
//! The number after a key is little-endian, with as many words as all numbers of the sweep. It is never 0, so 0 marks a
//! free place:
//!
//! ```text
//! | state ... | ways ... | state ... | ways ... |          K words and `limbs` words in turn
//! ```

use super::budget::WORD;
use crate::budget::LoopWatch;
use crate::counting::Stop;

/// Maximum number of words that a table sets to zero between two checks of the clock.
const WORDS_AT_ONCE: usize = 1 << 18;

/// The reason why nothing could be added to a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The table must grow first.
    Full,
    /// The sum does not fit in the words of a number. All numbers must become wider first.
    Overflow,
}

/// A hash table that maps each state of `K` words to the number of ways that lead to the state.
#[derive(Debug, Clone, Default)]
pub(super) struct StateTable<const K: usize> {
    words: Vec<u64>,
    /// Number of words that each number of ways takes.
    limbs: usize,
    /// Number of positions in the table minus one. The number of positions is a power of two.
    mask: usize,
    used: usize,
}

/// Minimum number of positions of a table that can hold states.
const MIN_PLACES: usize = 64;
/// Number of positions from which on a table doubles when it grows. Smaller tables quadruple.
///
/// If all tables doubled, growing them would take half of the time of counts that are later given up.
const QUADRUPLED: usize = 1 << 15;

/// Adds `number` to `sum`. Both are little-endian and have the same length.
///
/// # Errors
/// Returns [`Refusal::Overflow`], with `sum` unchanged, if the result does not fit.
#[inline]
pub(super) fn add(sum: &mut [u64], number: &[u64]) -> Result<(), Refusal> {
    if let ([sum], [number]) = (&mut *sum, number) {
        *sum = sum.checked_add(*number).ok_or(Refusal::Overflow)?;
        return Ok(());
    }
    let mut carry = false;
    // Check for an overflow before adding, so that an overflow leaves `sum` unchanged.
    for (sum, number) in sum.iter().zip(number) {
        carry = carrying(*sum, *number, carry).1;
    }
    if carry {
        return Err(Refusal::Overflow);
    }
    for (sum, number) in sum.iter_mut().zip(number) {
        (*sum, carry) = carrying(*sum, *number, carry);
    }
    Ok(())
}

/// Adds two words and a carry. Returns the sum and the new carry.
#[inline]
fn carrying(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first || second)
}

/// Hashes a state to 64 bits. Tables use the lower 32 bits, and shards use the upper 32 bits.
#[inline]
pub(super) fn hash<const K: usize>(key: &[u64; K]) -> u64 {
    let mut hash = 0u64;
    for word in key {
        let product = u128::from(hash.rotate_left(23) ^ word) * u128::from(0x9e37_79b9_7f4a_7c15u64);
        hash = product as u64 ^ (product >> 64) as u64;
    }
    hash ^ hash >> 32
}

impl<const K: usize> StateTable<K> {
    /// Creates an empty table with `places` positions for states.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no memory for the table or the count must stop. Every method with the
    /// argument `pace` returns an error in these two cases. After an error, the table is unchanged unless the
    /// method's documentation says otherwise.
    fn with_places(places: usize, limbs: usize, pace: &mut LoopWatch<'_>) -> Result<Self, Stop> {
        let mut words = Vec::new();
        let length = places * (K + limbs);
        words.try_reserve_exact(length)?;
        while words.len() < length {
            let more = WORDS_AT_ONCE.min(length - words.len());
            words.resize(words.len() + more, 0);
            pace.work(more)?;
        }
        Ok(StateTable { words, limbs, mask: places - 1, used: 0 })
    }

    /// Returns the number of states.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Returns the total number of positions for states, both used and free.
    pub(super) fn places(&self) -> usize {
        self.words.len() / (K + self.limbs).max(1)
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// Returns the size in bytes that the table would have after it has grown once. Numbers of ways have
    /// `limbs` words.
    pub(super) fn bytes_grown(&self, limbs: usize) -> usize {
        self.places_grown() * (K + limbs) * 8
    }

    fn places_grown(&self) -> usize {
        let places = self.places();
        (if places < QUADRUPLED { places * 4 } else { places * 2 }).max(MIN_PLACES)
    }

    /// Returns the state at a position and its number of ways, or `None` if the position is free.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Option<(&[u64; K], &[u64])> {
        let stride = K + self.limbs;
        let (key, number) = self.words[place * stride..(place + 1) * stride].split_first_chunk::<K>()?;
        number.iter().any(|&limb| limb != 0).then_some((key, number))
    }

    /// Iterates over the states from position `place` on, with their numbers of ways.
    pub(super) fn all_from(&self, place: usize) -> impl Iterator<Item = (&[u64; K], &[u64])> {
        (place..self.places()).filter_map(|at| self.at(at))
    }

    /// Adds `number` to a state's number of ways. `hash` is the lower half of the state's hash.
    #[inline]
    pub(super) fn add(&mut self, key: &[u64; K], hash: u32, number: &[u64]) -> Result<(), Refusal> {
        if self.words.is_empty() {
            return Err(Refusal::Full);
        }
        let stride = K + self.limbs;
        let mut place = hash as usize & self.mask;
        loop {
            let (known, sum) = self.words[place * stride..(place + 1) * stride]
                .split_first_chunk_mut::<K>()
                .ok_or(Refusal::Full)?;
            if sum.iter().all(|&limb| limb == 0) {
                // At most three quarters of the positions are used. So a free position is always near.
                if (self.used + 1) * 4 > (self.mask + 1) * 3 {
                    return Err(Refusal::Full);
                }
                *known = *key;
                match (sum, number) {
                    ([sum], [number]) => *sum = *number,
                    (sum, number) => sum.copy_from_slice(number),
                }
                self.used += 1;
                return Ok(());
            }
            if known == key {
                return add(sum, number);
            }
            place = (place + 1) & self.mask;
        }
    }

    /// Makes more places.
    pub(super) fn grow(&mut self, limbs: usize, pace: &mut LoopWatch<'_>) -> Result<(), Stop> {
        let limbs = if self.words.is_empty() { limbs } else { self.limbs };
        let mut larger = StateTable::with_places(self.places_grown(), limbs, pace)?;
        for (key, number) in self.all_from(0) {
            pace.work(WORD * (K + limbs))?;
            larger.add(key, hash(key) as u32, number).expect("the larger table has room for all keys");
        }
        *self = larger;
        Ok(())
    }

    /// Widens the numbers of ways to `limbs` words. Every state keeps its position in the table.
    pub(super) fn widen(&mut self, limbs: usize, pace: &mut LoopWatch<'_>) -> Result<(), Stop> {
        let (old, places) = (K + self.limbs, self.places());
        let mut words = Vec::new();
        words.try_reserve_exact(places * (K + limbs))?;
        for place in 0..places {
            pace.work(K + limbs)?;
            words.extend_from_slice(&self.words[place * old..(place + 1) * old]);
            words.resize((place + 1) * (K + limbs), 0);
        }
        self.words = words;
        self.limbs = limbs;
        Ok(())
    }

    /// Removes and returns states in which at least one of the given bits is set. Considers only the states
    /// from position `place` on.
    ///
    /// Afterwards, the table must not be searched. It may only be read from `place` on. After an error, some
    /// states are missing.
    pub(super) fn take_from(
        &mut self,
        place: usize,
        bits: &[u64; K],
        pace: &mut LoopWatch<'_>,
    ) -> Result<Vec<u64>, Stop> {
        let stride = K + self.limbs;
        let mut taken = Vec::new();
        for state in self.words[place * stride..].chunks_exact_mut(stride) {
            pace.work(stride)?;
            let has = state[..K].iter().zip(bits).any(|(key, bits)| key & bits != 0);
            if has && state[K..].iter().any(|&limb| limb != 0) {
                taken.try_reserve(stride)?;
                taken.extend_from_slice(state);
                state[K..].fill(0);
            }
        }
        Ok(taken)
    }

    /// Removes and returns the states in which at least one of the given bits is set, in one list.
    ///
    /// The table shrinks to fit the remaining states.
    pub(super) fn take(&mut self, bits: &[u64; K], pace: &mut LoopWatch<'_>) -> Result<Vec<u64>, Stop> {
        let has = |key: &[u64; K]| key.iter().zip(bits).any(|(key, bits)| key & bits != 0);
        let mut moved = 0;
        for (key, _) in self.all_from(0) {
            pace.work(K)?;
            moved += usize::from(has(key));
        }
        let mut taken = Vec::new();
        taken.try_reserve_exact(moved * (K + self.limbs))?;
        let places = ((self.used - moved) * 2).next_power_of_two().max(MIN_PLACES);
        let mut left = StateTable::with_places(places, self.limbs, pace)?;
        for (key, number) in self.all_from(0) {
            pace.work(WORD * (K + self.limbs))?;
            if has(key) {
                taken.extend_from_slice(key);
                taken.extend_from_slice(number);
            } else {
                left.add(key, hash(key) as u32, number).expect("the table has room for the remaining keys");
            }
        }
        *self = left;
        Ok(taken)
    }
}
