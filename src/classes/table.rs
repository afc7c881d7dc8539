//! A hash table of keys that grows in place, up to a number of bytes.
//!
//! Open addressing with linear probing (Knuth, *The Art of Computer Programming* 3, 6.4, algorithm L). An entry's home is
//! `hash * homes / 2^64`, so entries stand nearly in the order of their hashes, and a larger table has them in the same
//! order farther apart. That is what lets it grow in place, from the last entry to the first:
//!
//! ```text
//!   before   a b . c d . | (new pieces)          each entry moves up, into slots that are already done with;
//!   after    a . b . . . c . d . . .             the few that cannot (their home is below) wait until the end
//! ```
//!
//! Slots are in pieces of one size, so the memory of a table is exactly its pieces, and what one table gave back fits the
//! next. The last [`TAIL`] slots are nobody's home: no probe has to go around. One that would leave the table makes it
//! grow, or be full.

use std::hash::{BuildHasher, RandomState};

/// Slots of a piece, 128 KiB.
const PIECE: usize = 1 << 12;

/// Slots at the end that are nobody's home.
const TAIL: usize = 1 << 7;

/// A hash of keys, another one each time.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyHash(u64, u64);

impl KeyHash {
    /// One that differs from process to process and from call to call.
    pub(super) fn random() -> Self {
        let state = RandomState::new();
        KeyHash(state.hash_one(0), state.hash_one(1))
    }

    /// A number below `bound` for a key: both halves of the product of both halves of the key (the step of wyhash).
    #[inline]
    pub(super) fn below(self, key: u128, bound: usize) -> usize {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        let hash = product as u64 ^ (product >> 64) as u64;
        (u128::from(hash) * bound as u128 >> 64) as usize
    }
}

/// An entry of a [`Table`]; one with `count` 0 is an empty slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: u128,
    /// The least number that came with it.
    pub(super) first: u64,
    /// How often it came.
    pub(super) count: u64,
}

impl Entry {
    const EMPTY: Entry = Entry { key: 0, first: 0, count: 0 };
}

/// There is no room for another key.
#[derive(Debug)]
pub(super) struct Full;

/// Keys with the least number of each and how often each came.
#[derive(Debug)]
pub(super) struct Table {
    pieces: Vec<Box<[Entry; PIECE]>>,
    hash: KeyHash,
    /// Slots that are somebody's home: all but the tail.
    homes: usize,
    used: usize,
    /// Keys at which it grows: four fifths of the homes.
    grows_at: usize,
    max_pieces: usize,
}

impl Table {
    /// An empty table that takes at most `max_bytes` (and at least one piece), with pieces for `expected` keys.
    pub(super) fn new(max_bytes: u64, expected: u64) -> Self {
        let max_pieces = ((max_bytes / size_of::<[Entry; PIECE]>() as u64) as usize).max(1);
        let mut table =
            Table { pieces: Vec::new(), hash: KeyHash::random(), homes: 0, used: 0, grows_at: 0, max_pieces };
        let slots = expected.saturating_add(expected / 4 + 2 * TAIL as u64);
        table.extend(slots.div_ceil(PIECE as u64).min(max_pieces as u64) as usize);
        table
    }

    /// The entry of a key.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<&Entry> {
        let mut at = self.home(key);
        loop {
            let entry = self.pieces.get(at / PIECE).map(|piece| &piece[at % PIECE])?;
            if entry.count == 0 {
                return None;
            }
            if entry.key == key {
                return Some(entry);
            }
            at += 1;
        }
    }

    /// Adds to a key's count and keeps its least number; makes its entry where there is none. Returns the entry.
    #[inline]
    pub(super) fn add(&mut self, key: u128, number: u64, count: u64) -> Result<&mut Entry, Full> {
        loop {
            let mut at = self.home(key);
            let mut new = true;
            while let Some(piece) = self.pieces.get(at / PIECE) {
                let entry = &piece[at % PIECE];
                new = entry.count == 0;
                if new || entry.key == key {
                    break;
                }
                at += 1;
            }
            if new && self.used >= self.grows_at || at / PIECE >= self.pieces.len() {
                self.grow()?;
                continue;
            }
            let entry = &mut self.pieces[at / PIECE][at % PIECE];
            if new {
                self.used += 1;
                *entry = Entry { key, first: number, count };
            } else {
                entry.first = entry.first.min(number);
                entry.count += count;
            }
            return Ok(entry);
        }
    }

    /// All entries, in no order.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.pieces.iter().flat_map(|piece| piece.iter()).filter(|entry| entry.count != 0)
    }

    /// All entries, in no order; memory is given back on the way.
    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry> {
        self.pieces.into_iter().flat_map(|piece| *piece).filter(|entry| entry.count != 0)
    }

    #[inline]
    fn home(&self, key: u128) -> usize {
        self.hash.below(key, self.homes)
    }

    /// Twice the pieces, or as many as are allowed.
    fn grow(&mut self) -> Result<(), Full> {
        let old = self.pieces.len();
        self.extend(old.max(1));
        if self.pieces.len() == old {
            return Err(Full);
        }
        let mut below = Vec::new();
        for at in (0..old * PIECE).rev() {
            let entry = std::mem::replace(&mut self.pieces[at / PIECE][at % PIECE], Entry::EMPTY);
            // Slots from `at` on are done with, so one that moves up is found from its home on.
            if entry.count != 0 && self.home(entry.key) < at {
                below.push(entry);
            } else if entry.count != 0 {
                self.place(entry);
            }
        }
        below.into_iter().for_each(|entry| self.place(entry));
        Ok(())
    }

    /// Puts an entry that is not there into the first empty slot from its home on.
    fn place(&mut self, entry: Entry) {
        let mut at = self.home(entry.key);
        while self.pieces.get(at / PIECE).is_some_and(|piece| piece[at % PIECE].count != 0) {
            at += 1;
        }
        if at / PIECE == self.pieces.len() {
            // More than the tail is taken: never seen. A piece beyond the limit, since no entry may be lost.
            self.pieces.push(Box::new([Entry::EMPTY; PIECE]));
        }
        self.pieces[at / PIECE][at % PIECE] = entry;
    }

    /// Up to `more` empty pieces, no more than are allowed and than the system gives.
    fn extend(&mut self, more: usize) {
        let more = more.min(self.max_pieces.saturating_sub(self.pieces.len()));
        self.pieces.extend((0..more).map_while(|_| {
            let mut piece = Vec::new();
            piece.try_reserve_exact(PIECE).ok()?;
            piece.resize(PIECE, Entry::EMPTY);
            piece.into_boxed_slice().try_into().ok()
        }));
        self.homes = (self.pieces.len() * PIECE).saturating_sub(TAIL);
        self.grows_at = self.homes / 5 * 4;
    }
}
