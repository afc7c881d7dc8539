//! Links between candidates, as a list for each.

use std::ops::Range;

/// Candidates of a grid.
pub(super) const MOST: usize = 729;

/// A list of candidates for each candidate, in the order in which they are followed.
pub(super) struct Lists {
    /// Where the list of each candidate begins, and that of the next.
    begin: [u16; MOST + 1],
    /// The lists one behind the other.
    pub(super) all: Vec<u16>,
    count: usize,
}

impl Lists {
    pub(super) fn new() -> Self {
        Lists { begin: [0; MOST + 1], all: Vec::new(), count: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.count = 0;
    }

    /// Adds a link to the list of the next candidate.
    pub(super) fn push(&mut self, other: u16) {
        self.all.push(other);
    }

    /// Ends the list of a candidate.
    pub(super) fn end_list(&mut self) {
        self.count += 1;
        self.begin[self.count] = self.all.len() as u16;
    }

    /// The list that is not ended yet.
    pub(super) fn open(&self) -> &[u16] {
        &self.all[usize::from(self.begin[self.count])..]
    }

    /// Where the list of a candidate is in `all`.
    pub(super) fn range(&self, candidate: u16) -> Range<usize> {
        let candidate = usize::from(candidate);
        usize::from(self.begin[candidate])..usize::from(self.begin[candidate + 1])
    }

    pub(super) fn of(&self, candidate: u16) -> &[u16] {
        &self.all[self.range(candidate)]
    }
}
