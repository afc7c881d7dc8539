//! A hash table of keys that grows in place, up to a maximum number of bytes.
//!
//! Entries are stored in the order in which their keys arrived. A separate index says where each key is:
//!
//! ```text
//! index    . 7 . . 2 9 . 4 . .      8 bytes per slot: 32 bits of the key's hash, and the entry's place + 1; 0 is empty
//! entries  0 1 2 3 4 5 6 7 8 9      32 bytes each: key, lowest number, count
//! ```
//!
//! A new key costs one access at a random place, to a cache line of eight slots, and a known key two.
//!
//! The index uses open addressing with linear probing (Knuth, *The Art of Computer Programming* 3, 6.4, algorithm L).
//! The home of a slot is `hash * homes / 2^32`, so slots are nearly sorted by hash, and a larger index has them in the
//! same order with wider gaps. Therefore it can grow in place, from the last slot to the first, without reading any
//! entry. Each slot moves up, to a part of the index that is already processed; the few slots whose home is below their
//! old place wait until the end. The last [`TAIL`] slots are not the home of any key, so that no probe has to wrap around.
//!
//! Index and entries consist of pieces, each kind of one size. A table takes no memory besides its pieces, an old and a
//! new table never exist at the same time, and the pieces that one table releases fit the next.

use std::hash::{BuildHasher, RandomState};

/// Number of slots or entries of a piece: 32 KiB of the index, 128 KiB of entries.
const PIECE: usize = 1 << 12;

/// Number of slots at the end of the index that are not the home of any key.
const TAIL: usize = 1 << 7;

/// Bytes of a slot of the index.
const SLOT: u64 = size_of::<u64>() as u64;
/// Bytes of an entry.
const ENTRY: u64 = size_of::<KeyEntry>() as u64;

/// Bytes of a piece of entries as the system counts them: allocators add a page to each mapping.
const ENTRIES: u64 = ENTRY * PIECE as u64 + 4096;

/// A randomly seeded hash of keys.
#[derive(Debug, Clone, Copy)]
struct KeyHash(u64, u64);

impl KeyHash {
    /// Creates a hash that differs between processes and between calls.
    fn random() -> Self {
        let state = RandomState::new();
        KeyHash(state.hash_one(0), state.hash_one(1))
    }

    /// Returns a 32-bit hash of a key.
    ///
    /// The hash is the upper half of the mixed product of both halves of the key, as in wyhash.
    #[inline]
    fn hash(self, key: u128) -> u32 {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        ((product as u64 ^ (product >> 64) as u64) >> 32) as u32
    }
}

/// Returns the place of a hash among `homes` homes; places ascend with the hashes.
#[inline]
fn place(hash: u32, homes: usize) -> usize {
    ((u64::from(hash) * homes as u64) >> 32) as usize
}

/// An entry of a [`KeyTable`].
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyEntry {
    /// Key of the entry.
    pub(super) key: u128,
    /// Lowest number added with the key.
    pub(super) first: u64,
    /// Number of times the key was added.
    pub(super) count: u64,
}

/// Error: there is no room for another key.
#[derive(Debug)]
pub(super) struct Full;

/// Keys, each with its lowest number and its number of occurrences.
#[derive(Debug)]
pub(super) struct KeyTable {
    index: Vec<Box<[u64; PIECE]>>,
    entries: Vec<Vec<KeyEntry>>,
    hash: KeyHash,
    /// Number of slots of the index that can be a home: all except the tail.
    homes: usize,
    len: usize,
    /// Number of entries at which the index grows: four fifths of the homes.
    grows_at: usize,
    max_index: usize,
    max_entries: usize,
}

impl KeyTable {
    /// Creates an empty table of at most `max_bytes` bytes, and at least one piece of each kind.
    pub(super) fn new(max_bytes: u64) -> Self {
        // Up to four fifths of the slots are used. Places of entries have 32 bits, with one value for an empty slot.
        let max_keys = (max_bytes / (ENTRY + SLOT * 5 / 4)).min(u64::from(u32::MAX) - PIECE as u64);
        let max_index = max_keys.saturating_mul(5).div_ceil(4 * PIECE as u64).max(1) as usize;
        let max_entries = (max_bytes.saturating_sub(max_index as u64 * SLOT * PIECE as u64) / ENTRIES)
            .clamp(1, u64::from(u32::MAX) / PIECE as u64 - 1) as usize;
        let hash = KeyHash::random();
        let (index, entries) = (Vec::new(), Vec::new());
        let mut table =
            KeyTable { index, entries, hash, homes: 0, len: 0, grows_at: 0, max_index, max_entries };
        table.extend(1);
        table
    }

    /// Returns the entry of a key, or `None` if the key is not in the table.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<&KeyEntry> {
        let (_, found) = self.find(key, self.hash.hash(key));
        self.entry(found?)
    }

    /// Returns the entry at a place, or `None` beyond the end.
    #[inline]
    pub(super) fn entry(&self, place: usize) -> Option<&KeyEntry> {
        self.entries.get(place / PIECE)?.get(place % PIECE)
    }

    /// Counts a key and keeps its lowest number. Returns the place of its entry.
    ///
    /// A new key becomes the last entry.
    #[inline]
    pub(super) fn add(&mut self, key: u128, number: u64) -> Result<usize, Full> {
        let hash = self.hash.hash(key);
        let (mut at, found) = self.find(key, hash);
        if let Some(place) = found {
            let entry = &mut self.entries[place / PIECE][place % PIECE];
            entry.first = entry.first.min(number);
            entry.count += 1;
            return Ok(place);
        }
        while self.len >= self.grows_at || at / PIECE >= self.index.len() {
            self.grow()?;
            at = self.find(key, hash).0;
        }
        if self.len == self.entries.len() * PIECE {
            self.add_entries()?;
        }
        self.entries[self.len / PIECE].push(KeyEntry { key, first: number, count: 1 });
        self.len += 1;
        self.index[at / PIECE][at % PIECE] = (u64::from(hash) << 32) | self.len as u64;
        Ok(self.len - 1)
    }

    /// Returns all entries, in the order in which their keys arrived.
    pub(super) fn entries(&self) -> impl Iterator<Item = &KeyEntry> {
        self.entries.iter().flatten()
    }

    /// Returns all entries, in the order in which their keys arrived, freeing memory on the way.
    pub(super) fn into_entries(self) -> impl Iterator<Item = KeyEntry> {
        drop(self.index);
        self.entries.into_iter().flatten()
    }

    /// Returns the slot at which the search for a key ends, and the place of its entry if any.
    ///
    /// Without an entry, the slot is the one for the key, which may be beyond the end of the index.
    #[inline]
    fn find(&self, key: u128, hash: u32) -> (usize, Option<usize>) {
        let mut at = place(hash, self.homes);
        while let Some(piece) = self.index.get(at / PIECE) {
            let slot = piece[at % PIECE];
            if slot == 0 {
                break;
            }
            if (slot >> 32) as u32 == hash {
                let place = slot as u32 as usize - 1;
                if self.entries[place / PIECE][place % PIECE].key == key {
                    return (at, Some(place));
                }
            }
            at += 1;
        }
        (at, None)
    }

    /// Doubles the index, or extends it as far as allowed.
    #[cold]
    fn grow(&mut self) -> Result<(), Full> {
        let old = self.index.len();
        self.extend(old.max(1));
        if self.index.len() == old {
            return Err(Full);
        }
        let mut below = Vec::new();
        for at in (0..old * PIECE).rev() {
            let slot = std::mem::take(&mut self.index[at / PIECE][at % PIECE]);
            // Everything from `at` on is already in its new place. So a slot whose home is `at` or above can be
            // written now, and a slot whose home is below `at` must wait.
            if slot != 0 && place((slot >> 32) as u32, self.homes) < at {
                below.push(slot);
            } else if slot != 0 {
                self.put(slot);
            }
        }
        below.into_iter().for_each(|slot| self.put(slot));
        Ok(())
    }

    /// Writes a slot into the first empty place at or after the slot's home.
    #[inline]
    fn put(&mut self, slot: u64) {
        let mut at = place((slot >> 32) as u32, self.homes);
        while self.index.get(at / PIECE).is_some_and(|piece| piece[at % PIECE] != 0) {
            at += 1;
        }
        if at / PIECE == self.index.len() {
            // The tail is full, which has never been seen. Adds a piece beyond the limit, since no entry may be lost.
            self.index.push(Box::new([0; PIECE]));
        }
        self.index[at / PIECE][at % PIECE] = slot;
    }

    /// Adds up to `more` empty pieces of the index, as far as the limit and the system allow.
    fn extend(&mut self, more: usize) {
        let more = more.min(self.max_index.saturating_sub(self.index.len()));
        self.index.extend((0..more).map_while(|_| {
            let mut piece = Vec::new();
            piece.try_reserve_exact(PIECE).ok()?;
            piece.resize(PIECE, 0);
            piece.into_boxed_slice().try_into().ok()
        }));
        self.homes = (self.index.len() * PIECE).saturating_sub(TAIL);
        self.grows_at = self.homes / 5 * 4;
    }

    /// Adds a piece of entries.
    #[cold]
    fn add_entries(&mut self) -> Result<(), Full> {
        let mut piece = Vec::new();
        if self.entries.len() == self.max_entries || piece.try_reserve_exact(PIECE).is_err() {
            return Err(Full);
        }
        self.entries.push(piece);
        Ok(())
    }
}
