//! Links between candidates, as one list per candidate.

use std::ops::Range;

/// Maximum number of candidates of a grid.
pub(super) const MAX_CANDIDATES: usize = 729;

/// A list of candidates for each candidate, in the order in which they are followed.
pub(super) struct Lists {
    /// Start of the list of each candidate in `all`; the next entry is its end.
    begin: [u16; MAX_CANDIDATES + 1],
    /// The lists, one after another.
    pub(super) all: Vec<u16>,
    count: usize,
}

impl Lists {
    pub(super) fn new() -> Self {
        Lists { begin: [0; MAX_CANDIDATES + 1], all: Vec::new(), count: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.count = 0;
    }

    /// Adds a link to the open list.
    pub(super) fn push(&mut self, other: u16) {
        self.all.push(other);
    }

    /// Ends the open list and opens the one of the next candidate.
    pub(super) fn end_list(&mut self) {
        self.count += 1;
        self.begin[self.count] = self.all.len() as u16;
    }

    /// Returns the open list.
    pub(super) fn open(&self) -> &[u16] {
        &self.all[usize::from(self.begin[self.count])..]
    }

    /// Returns the range of a candidate's list in `all`.
    pub(super) fn range(&self, candidate: u16) -> Range<usize> {
        let candidate = usize::from(candidate);
        usize::from(self.begin[candidate])..usize::from(self.begin[candidate + 1])
    }

    pub(super) fn of(&self, candidate: u16) -> &[u16] {
        &self.all[self.range(candidate)]
    }
}
