//! A list whose entries are numbered from 0 to 63, so that one word can hold a set of entries.

/// Maximum number of entries, which is the number of bits of a word.
pub(super) const MAX_NUMBERS: usize = u64::BITS as usize;

/// A list of at most [`MAX_NUMBERS`] entries. An entry with an index below [`MAX_NUMBERS`] is looked up
/// without a bounds check.
#[derive(Debug)]
pub(super) struct BitIndexed<T> {
    all: Box<[T; MAX_NUMBERS]>,
    len: usize,
}

impl<T: Copy> BitIndexed<T> {
    /// Creates an empty list. Lookups of missing entries return `nothing`.
    pub(super) fn new(nothing: T) -> Self {
        BitIndexed { all: Box::new([nothing; MAX_NUMBERS]), len: 0 }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds an entry, or ignores it if the list is full.
    pub(super) fn push(&mut self, entry: T) {
        if let Some(place) = self.all.get_mut(self.len) {
            *place = entry;
            self.len += 1;
        }
    }

    /// Returns the entry with index `number`, which must be below [`MAX_NUMBERS`].
    #[inline(always)]
    pub(super) fn at(&self, number: u32) -> T {
        self.all[number as usize % MAX_NUMBERS]
    }

    /// Returns the entries.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.all[..self.len]
    }

    /// Returns a word in which one bit is set per entry.
    pub(super) fn every(&self) -> u64 {
        u64::MAX.checked_shr(u64::BITS - self.len as u32).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_has_one_bit() {
        let mut list = BitIndexed::new(0);
        assert_eq!((list.every(), list.at(0)), (0, 0));
        for entry in 1..=70 {
            list.push(entry);
        }
        assert_eq!((list.every(), list.as_slice().len()), (u64::MAX, 64));
        assert_eq!((list.at(0), list.at(63)), (1, 64));
        list.clear();
        list.push(9);
        assert_eq!((list.every(), list.as_slice()), (1, &[9][..]));
    }
}
