//! Links between candidates, stored as one list per candidate.

use std::ops::Range;

/// Maximum number of candidates in a grid.
pub(super) const MAX_CANDIDATES: usize = 729;

/// For each candidate, a list of the candidates linked to it. Searches follow the links in the order of the
/// list.
pub(super) struct Lists {
    /// Start of each candidate's list in `all`. The next entry is the end of the list.
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

    /// Adds a link to the list that is being built.
    pub(super) fn push(&mut self, other: u16) {
        self.all.push(other);
    }

    /// Ends the list that is being built, and starts the list of the next candidate.
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
