//! A hash table of keys that grows in place, up to a number of bytes.
//!
//! Entries stand one behind another in the order in which their keys came; an index beside them says where:
//!
//! ```text
//!   index    . 7 . . 2 9 . 4 . .      8 bytes a slot: 32 bits of the key's hash, and 1 + the entry's place; 0 is empty
//!   entries  0 1 2 3 4 5 6 7 8 9      32 bytes each: key, least number, count
//! ```
//!
//! A new key costs one access at a random place, to a line of eight slots, and an old one two; that is nearly all that it
//! costs, so [`Table::touch`] makes such accesses for several keys at a time.
//!
//! The index has open addressing with linear probing (Knuth, *The Art of Computer Programming* 3, 6.4, algorithm L). A slot's
//! home is `hash * homes / 2^32`, so slots stand nearly in the order of their hashes, and a larger index has them in the
//! same order farther apart. That is what lets it grow in place, from the last slot to the first, without a look at any
//! entry: each moves up, into slots that are already done with; the few whose home is below where they stood wait until
//! the end. The last [`TAIL`] slots are nobody's home, so that no probe has to go around.
//!
//! Index and entries are in pieces of one size each: what a table takes is exactly its pieces, an old and a new one never
//! stand beside each other, and what one table gave back fits the next.

use std::hash::{BuildHasher, RandomState};

/// Slots or entries of a piece: 32 KiB of the index, 128 KiB of entries.
const PIECE: usize = 1 << 12;

/// Slots at the end of the index that are nobody's home.
const TAIL: usize = 1 << 7;

/// Bytes of a slot and of an entry.
const SLOT: u64 = size_of::<u64>() as u64;
const ENTRY: u64 = size_of::<Entry>() as u64;

/// Bytes of a piece of entries as the system counts them: allocators add a page to what they map.
const ENTRIES: u64 = ENTRY * PIECE as u64 + 4096;

/// Keys that are looked for together.
pub(super) const TOGETHER: usize = 64;

/// A hash of keys, another one each time.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyHash(u64, u64);

impl KeyHash {
    /// One that differs from process to process and from call to call.
    pub(super) fn random() -> Self {
        let state = RandomState::new();
        KeyHash(state.hash_one(0), state.hash_one(1))
    }

    /// 32 bits for a key: both halves of the product of both halves of the key (the step of wyhash), the upper ones.
    #[inline]
    pub(super) fn of(self, key: u128) -> u32 {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        ((product as u64 ^ (product >> 64) as u64) >> 32) as u32
    }
}

/// The place of a hash among `homes`, in the order of hashes.
#[inline]
pub(super) fn place(hash: u32, homes: usize) -> usize {
    ((u64::from(hash) * homes as u64) >> 32) as usize
}

/// An entry of a [`Table`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: u128,
    /// The least number that came with it.
    pub(super) first: u64,
    /// How often it came.
    pub(super) count: u64,
}

/// There is no room for another key.
#[derive(Debug)]
pub(super) struct Full;

/// Keys with the least number of each and how often each came.
#[derive(Debug)]
pub(super) struct Table {
    index: Vec<Box<[u64; PIECE]>>,
    entries: Vec<Vec<Entry>>,
    hash: KeyHash,
    /// Slots of the index that are somebody's home: all but the tail.
    homes: usize,
    len: usize,
    /// Entries at which the index grows: four fifths of the homes.
    grows_at: usize,
    max_index: usize,
    max_entries: usize,
}

impl Table {
    /// An empty table that takes at most `max_bytes` (and at least one piece of each kind), with an index for `expected`
    /// keys as far as that allows.
    pub(super) fn new(max_bytes: u64, expected: u64) -> Self {
        // Four fifths of the slots are taken in the end. Places of entries have 32 bits, one of them for an empty slot.
        let max_keys = (max_bytes / (ENTRY + SLOT * 5 / 4)).min(u64::from(u32::MAX) - PIECE as u64);
        let max_index = max_keys.saturating_mul(5).div_ceil(4 * PIECE as u64).max(1) as usize;
        let max_entries = (max_bytes.saturating_sub(max_index as u64 * SLOT * PIECE as u64) / ENTRIES)
            .clamp(1, u64::from(u32::MAX) / PIECE as u64 - 1) as usize;
        let hash = KeyHash::random();
        let (index, entries) = (Vec::new(), Vec::new());
        let mut table = Table { index, entries, hash, homes: 0, len: 0, grows_at: 0, max_index, max_entries };
        let slots = expected.saturating_add(expected / 4 + 2 * TAIL as u64);
        table.extend(slots.div_ceil(PIECE as u64).min(max_index as u64) as usize);
        table
    }

    /// The entry of a key.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<&Entry> {
        let (_, found) = self.find(key, self.hash.of(key));
        self.entry(found?)
    }

    /// The entry at a place.
    #[inline]
    pub(super) fn entry(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place / PIECE)?.get(place % PIECE)
    }

    /// Adds to a key's count and keeps its least number; a new key becomes the last entry. Returns the place of its entry.
    #[inline]
    pub(super) fn add(&mut self, key: u128, number: u64, count: u64) -> Result<usize, Full> {
        let hash = self.hash.of(key);
        let (mut at, found) = self.find(key, hash);
        if let Some(place) = found {
            let entry = &mut self.entries[place / PIECE][place % PIECE];
            entry.first = entry.first.min(number);
            entry.count += count;
            return Ok(place);
        }
        while self.len >= self.grows_at || at / PIECE >= self.index.len() {
            self.grow()?;
            at = self.find(key, hash).0;
        }
        if self.len == self.entries.len() * PIECE {
            self.add_entries()?;
        }
        self.entries[self.len / PIECE].push(Entry { key, first: number, count });
        self.len += 1;
        self.index[at / PIECE][at % PIECE] = (u64::from(hash) << 32) | self.len as u64;
        Ok(self.len - 1)
    }

    /// Brings what [`Table::add`] or [`Table::get`] will look at into the cache, for all keys at once: misses that are
    /// waited for together cost a tenth of as many one after another.
    #[inline]
    pub(super) fn touch(&self, keys: impl Iterator<Item = u128> + Clone) {
        let mut sum = 0;
        for key in keys.clone() {
            let at = place(self.hash.of(key), self.homes);
            sum ^= self.index.get(at / PIECE).map_or(0, |piece| piece[at % PIECE]);
        }
        for key in keys {
            // The first entry with its hash: nearly always its own.
            let (_, found) = self.probe(self.hash.of(key), |_| true);
            sum ^= found.and_then(|place| self.entry(place)).map_or(0, |entry| entry.count);
        }
        std::hint::black_box(sum);
    }

    /// All entries, in the order in which their keys came.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    /// All entries, in the order in which their keys came; memory is given back on the way.
    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry> {
        drop(self.index);
        self.entries.into_iter().flatten()
    }

    /// The place of a key's entry, if it has one, else the slot for it, which may be beyond the end.
    #[inline]
    fn find(&self, key: u128, hash: u32) -> (usize, Option<usize>) {
        self.probe(hash, |place| self.entries[place / PIECE][place % PIECE].key == key)
    }

    /// The first slot from a hash's home on that is empty, or has this hash and the place of an entry that is the wanted one;
    /// with that place.
    #[inline]
    fn probe(&self, hash: u32, is_wanted: impl Fn(usize) -> bool) -> (usize, Option<usize>) {
        let mut at = place(hash, self.homes);
        while let Some(piece) = self.index.get(at / PIECE) {
            let slot = piece[at % PIECE];
            if slot == 0 {
                break;
            }
            if (slot >> 32) as u32 == hash {
                let place = slot as u32 as usize - 1;
                if is_wanted(place) {
                    return (at, Some(place));
                }
            }
            at += 1;
        }
        (at, None)
    }

    /// Twice the index, or as much as is allowed.
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
            // Slots from `at` on are done with, so one that moves up is found from its home on.
            if slot != 0 && place((slot >> 32) as u32, self.homes) < at {
                below.push(slot);
            } else if slot != 0 {
                self.put(slot);
            }
        }
        below.into_iter().for_each(|slot| self.put(slot));
        Ok(())
    }

    /// Writes a slot into the first empty one from its home on.
    #[inline]
    fn put(&mut self, slot: u64) {
        let mut at = place((slot >> 32) as u32, self.homes);
        while self.index.get(at / PIECE).is_some_and(|piece| piece[at % PIECE] != 0) {
            at += 1;
        }
        if at / PIECE == self.index.len() {
            // The tail is taken: never seen. A piece beyond the limit, since no entry may be lost.
            self.index.push(Box::new([0; PIECE]));
        }
        self.index[at / PIECE][at % PIECE] = slot;
    }

    /// Up to `more` empty pieces of the index, no more than are allowed and than the system gives.
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

    /// Room for a piece of entries.
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
