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

/// Number of slots in a piece of the index. Also the number of entries in a piece of the entry list.
///
/// A piece of the index has 32 KiB. A piece of the entry list has 128 KiB.
const PIECE: usize = 1 << 12;

/// Number of slots at the end of the index that cannot be home slots of keys.
const TAIL: usize = 1 << 7;

/// Size of a slot of the index, in bytes.
const SLOT: u64 = size_of::<u64>() as u64;
/// Bytes of an entry.
const ENTRY: u64 = size_of::<KeyEntry>() as u64;

/// Memory for a piece of the entry list, in bytes. The extra 4096 bytes are a page that allocators add to
/// each mapping.
const ENTRIES: u64 = ENTRY * PIECE as u64 + 4096;

/// A hash function for keys, with a random seed.
#[derive(Debug, Clone, Copy)]
struct KeyHash(u64, u64);

impl KeyHash {
    /// Creates a hash function with a new random seed.
    fn random() -> Self {
        let state = RandomState::new();
        KeyHash(state.hash_one(0), state.hash_one(1))
    }

    /// Returns a 32-bit hash of a key.
    ///
    /// As in wyhash, the two halves of the key are multiplied, and the two halves of the product are
    /// combined. The upper 32 bits of the result are the hash.
    #[inline]
    fn hash(self, key: u128) -> u32 {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        ((product as u64 ^ (product >> 64) as u64) >> 32) as u32
    }
}

/// Returns the index of the home slot of `hash`. There are `homes` home slots. A larger hash never has an
/// earlier home slot.
#[inline]
fn place(hash: u32, homes: usize) -> usize {
    ((u64::from(hash) * homes as u64) >> 32) as usize
}

/// An entry of a [`KeyTable`].
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyEntry {
    /// Key of the entry.
    pub(super) key: u128,
    /// Lowest number of a record that has this key.
    pub(super) first: u64,
    /// Number of times the key was added.
    pub(super) count: u64,
}

/// Error for a table that has no room for another key.
#[derive(Debug)]
pub(super) struct Full;

/// Hash table of keys. For each key, it has the lowest record number and the number of occurrences.
#[derive(Debug)]
pub(super) struct KeyTable {
    index: Vec<Box<[u64; PIECE]>>,
    entries: Vec<Vec<KeyEntry>>,
    hash: KeyHash,
    /// Number of slots that can be a home slot: all slots except the tail.
    homes: usize,
    len: usize,
    /// Number of entries at which the index grows, which is four fifths of `homes`.
    grows_at: usize,
    max_index: usize,
    max_entries: usize,
}

impl KeyTable {
    /// Creates an empty table of at most `max_bytes` bytes.
    ///
    /// The table always has at least one piece of the index and one piece of entries.
    pub(super) fn new(max_bytes: u64) -> Self {
        // At most four fifths of the slots are used. A slot stores the position of an entry, plus one, in 32
        // bits. The value 0 means that the slot is empty.
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

    /// Returns the entry at index `place`, or `None` if `place` is past the end.
    #[inline]
    pub(super) fn entry(&self, place: usize) -> Option<&KeyEntry> {
        self.entries.get(place / PIECE)?.get(place % PIECE)
    }

    /// Adds an occurrence of `key` in the record `number`. Returns the index of the key's entry.
    ///
    /// A new key is appended as the last entry.
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

    /// Returns all entries in the order in which their keys were first added.
    pub(super) fn entries(&self) -> impl Iterator<Item = &KeyEntry> {
        self.entries.iter().flatten()
    }

    /// Returns all entries in the order in which their keys were first added. Frees memory during the
    /// iteration.
    pub(super) fn into_entries(self) -> impl Iterator<Item = KeyEntry> {
        drop(self.index);
        self.entries.into_iter().flatten()
    }

    /// Returns the slot at which the search for a key ends, and the index of the key's entry. The index is
    /// `None` if the key has no entry.
    ///
    /// If the key has no entry, a new entry must be stored at the returned slot. This slot may be the one
    /// after the last existing slot.
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

    /// Doubles the size of the index, or extends the index to its maximum size.
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
            // All slot values after `at` were already moved to their new positions. If the new home of this
            // value is at `at` or later, the value can be moved now. If its new home is before `at`, it must
            // wait.
            if slot != 0 && place((slot >> 32) as u32, self.homes) < at {
                below.push(slot);
            } else if slot != 0 {
                self.put(slot);
            }
        }
        below.into_iter().for_each(|slot| self.put(slot));
        Ok(())
    }

    /// Stores a slot value at the first empty position at or after the home slot.
    #[inline]
    fn put(&mut self, slot: u64) {
        let mut at = place((slot >> 32) as u32, self.homes);
        while self.index.get(at / PIECE).is_some_and(|piece| piece[at % PIECE] != 0) {
            at += 1;
        }
        if at / PIECE == self.index.len() {
            // All slots from the home slot to the last slot are occupied. This case has never been observed.
            // The value must not be lost, so this code adds a piece beyond the limit.
            self.index.push(Box::new([0; PIECE]));
        }
        self.index[at / PIECE][at % PIECE] = slot;
    }

    /// Adds at most `more` empty pieces to the index. Adds fewer if the limit is reached or memory is not
    /// available.
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
