//! Many names in one buffer, with a hash table to find them.

use std::hash::{BuildHasher, RandomState};

use crate::{Error, Result};

/// List of names, stored one after another in one buffer. Each name has a 0-based index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Names {
    text: String,
    /// For each name, the offset in the buffer where the name ends.
    ends: Vec<u32>,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn get(&self, index: usize) -> &str {
        &self.text[self.start(index)..self.ends[index] as usize]
    }

    fn bytes(&self, index: usize) -> &[u8] {
        &self.text.as_bytes()[self.start(index)..self.ends[index] as usize]
    }

    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// Adds a name after the last one.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, or if the names exceed 4 GiB.
    pub(super) fn push(&mut self, name: &str) -> Result<()> {
        let out_of_memory = |_| Error::model("out of memory for names");
        let end = u32::try_from(self.text.len() + name.len())
            .map_err(|_| Error::model("more than 4 GiB of names"))?;
        self.text.try_reserve(name.len()).map_err(out_of_memory)?;
        self.ends.try_reserve(1).map_err(out_of_memory)?;
        self.text.push_str(name);
        self.ends.push(end);
        Ok(())
    }
}

/// A hash table of names, with open addressing and linear probing, at most half full.
///
/// A name of up to eight bytes is its own key, so finding it does not read the stored names. The key of a
/// longer name is a hash that combines 128-bit products of eight bytes at a time (as wyhash does). All keys
/// are then hashed with a secret of the process, so that nobody can write a file whose names all collide.
#[derive(Debug)]
pub(super) struct NameTable {
    /// Slots of the table. Their number is a power of two.
    slots: Vec<Slot>,
    secret: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// Index of the name plus one, or 0 if the slot is free.
    number: u32,
    /// Length of the name in bytes, modulo 2^32.
    length: u32,
}

/// Maximum length, in bytes, of a name that is its own key.
pub const SHORT: usize = 8;

impl Default for NameTable {
    fn default() -> Self {
        NameTable { slots: vec![Slot::default(); 16], secret: RandomState::new().hash_one(0) | 1 }
    }
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Returns up to eight bytes as one number. The first byte is in the lowest position.
#[inline]
fn packed(name: &[u8]) -> u64 {
    name.iter().rfold(0, |word, &byte| word << 8 | u64::from(byte))
}

impl NameTable {
    #[inline]
    fn key(&self, name: &[u8]) -> u64 {
        if name.len() <= SHORT {
            return packed(name);
        }
        let mut hash = self.secret;
        let mut rest = name;
        while let Some((piece, tail)) = rest.split_first_chunk() {
            hash = fold(hash ^ u64::from_le_bytes(*piece), self.secret ^ 0x9e37_79b9_7f4a_7c15);
            rest = tail;
        }
        fold(hash ^ packed(rest), self.secret ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns the index of the slot at which the search for a key starts.
    #[inline]
    fn home(&self, key: u64, length: u32) -> usize {
        fold(key ^ self.secret, self.secret ^ 0xa076_1d64_78bd_642f ^ u64::from(length)) as usize
    }

    /// Returns the index of the given name, or `None` if the table does not contain it.
    #[inline]
    pub(super) fn find(&self, names: &Names, name: &[u8]) -> Option<u32> {
        self.find_key(self.key(name), name.len() as u32, |number| {
            name.len() <= SHORT || names.bytes(number as usize) == name
        })
    }

    /// Returns the index of the given name of up to eight bytes, or `None` if the table does not contain it.
    ///
    /// `word` holds the bytes of the name, with the first byte in the lowest position.
    #[inline]
    pub(super) fn find_short(&self, word: u64, length: usize) -> Option<u32> {
        self.find_key(word, length as u32, |_| true)
    }

    #[inline]
    fn find_key(&self, key: u64, length: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = self.home(key, length) & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                return None;
            }
            if slot.key == key && slot.length == length && is_it(slot.number - 1) {
                return Some(slot.number - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a new name and returns its 0-based index. The indices follow the order in which the names are
    /// added.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, or if there are too many names.
    pub(super) fn add(&mut self, names: &mut Names, name: &str) -> Result<u32> {
        let index = u32::try_from(names.len())
            .ok()
            .filter(|&index| index < u32::MAX)
            .ok_or_else(|| Error::model("more than 2^32 names"))?;
        if 2 * (names.len() + 1) > self.slots.len() {
            self.grow()?;
        }
        names.push(name)?;
        self.place(Slot { key: self.key(name.as_bytes()), number: index + 1, length: name.len() as u32 });
        Ok(index)
    }

    fn grow(&mut self) -> Result<()> {
        let size = 2 * self.slots.len();
        let mut slots = Vec::new();
        slots.try_reserve_exact(size).map_err(|_| Error::model("out of memory for names"))?;
        slots.resize(size, Slot::default());
        let old = std::mem::replace(&mut self.slots, slots);
        old.into_iter().filter(|slot| slot.number != 0).for_each(|slot| self.place(slot));
        Ok(())
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = self.home(slot.key, slot.length) & mask;
        while self.slots[at].number != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        let (mut names, mut table) = (Names::default(), NameTable::default());
        let name = |index: usize| match index % 4 {
            0 => format!("{index}"),
            1 => format!("a rather long name {index}"),
            2 => format!("{index:08}"),
            _ => format!("é{index}"),
        };
        for index in 0..1000 {
            assert_eq!(table.find(&names, name(index).as_bytes()), None);
            assert_eq!(table.add(&mut names, &name(index)).unwrap(), index as u32);
        }
        for index in 0..1000 {
            assert_eq!(table.find(&names, name(index).as_bytes()), Some(index as u32));
            assert_eq!(names.get(index), name(index));
        }
        assert_eq!(table.find(&names, b""), None);
        assert_eq!(table.find_short(packed(b"00000002"), 8), Some(2));
        assert_eq!(table.find_short(packed(b"00000002"), 7), None);
        assert_eq!(table.find(&names, b"0\0"), None);
        table.add(&mut names, "").unwrap();
        assert_eq!((table.find(&names, b""), names.get(1000)), (Some(1000), ""));
    }
}
