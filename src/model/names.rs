//! Names in one stretch of memory, and a table that finds them.

use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Result};

/// Numbered names, one behind the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Names {
    text: String,
    /// Per name where it ends.
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

    fn push(&mut self, name: &str) -> Result<()> {
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

/// Finds names: open addressing with linear probing, at most half full.
///
/// The hash folds 128-bit products of eight bytes at a time (as wyhash does) with a secret of the process, so
/// that no file can be written whose names all collide.
#[derive(Debug)]
pub(super) struct NameTable {
    /// The upper half of the hash and the name's number plus one; 0 where free. A power of two.
    slots: Vec<(u32, u32)>,
    secret: u64,
}

impl Default for NameTable {
    fn default() -> Self {
        NameTable { slots: vec![(0, 0); 16], secret: RandomState::new().hash_one(0) | 1 }
    }
}

impl NameTable {
    #[inline]
    fn hash(&self, name: &[u8]) -> u64 {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let mut hash = self.secret ^ name.len() as u64;
        let mut rest = name;
        while let Some((piece, tail)) = rest.split_first_chunk() {
            hash = fold(hash ^ u64::from_le_bytes(*piece), self.secret ^ 0x9e37_79b9_7f4a_7c15);
            rest = tail;
        }
        let last = rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        fold(hash ^ last, self.secret ^ 0xa076_1d64_78bd_642f)
    }

    /// The number of a name.
    #[inline]
    pub(super) fn find(&self, names: &Names, name: &[u8]) -> Option<u32> {
        let hash = self.hash(name);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, 0) => return None,
                (tag, index) if tag == (hash >> 32) as u32 && names.bytes(index as usize - 1) == name => {
                    return Some(index - 1);
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Adds a name that is not there; its number is the number of names before it.
    ///
    /// # Errors
    /// No memory, or too many names.
    pub(super) fn add(&mut self, names: &mut Names, name: &str) -> Result<u32> {
        let index = u32::try_from(names.len())
            .ok()
            .filter(|&index| index < u32::MAX)
            .ok_or_else(|| Error::model("more than 2^32 names"))?;
        if 2 * (names.len() + 1) > self.slots.len() {
            self.grow(names)?;
        }
        names.push(name)?;
        self.place(self.hash(name.as_bytes()), index);
        Ok(index)
    }

    fn grow(&mut self, names: &Names) -> Result<()> {
        let size = 2 * self.slots.len();
        let mut slots = Vec::new();
        slots.try_reserve_exact(size).map_err(|_| Error::model("out of memory for names"))?;
        slots.resize(size, (0, 0));
        self.slots = slots;
        for index in 0..names.len() {
            self.place(self.hash(names.bytes(index)), index as u32);
        }
        Ok(())
    }

    fn place(&mut self, hash: u64, index: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = ((hash >> 32) as u32, index + 1);
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
        table.add(&mut names, "").unwrap();
        assert_eq!((table.find(&names, b""), names.get(1000)), (Some(1000), ""));
    }
}
