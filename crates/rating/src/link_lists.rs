//! Links between candidates, stored as one list per candidate.

/// For each candidate, a list of the candidates linked to it. Searches follow the links in the order of the
/// list.
#[derive(Default)]
pub(super) struct Lists {
    /// Start of each candidate's list in `all`. The next entry is the end of the list.
    begin: Vec<u16>,
    /// The lists, one after another.
    all: Vec<u16>,
}

impl Lists {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.begin.clear();
        self.begin.push(0);
    }

    /// Adds a link to the list that is being built.
    pub(super) fn push(&mut self, other: u16) {
        self.all.push(other);
    }

    /// Ends the list that is being built, and starts the list of the next candidate.
    pub(super) fn end_list(&mut self) {
        self.begin.push(self.all.len() as u16);
    }

    /// Returns the open list.
    pub(super) fn open(&self) -> &[u16] {
        &self.all[usize::from(self.begin[self.begin.len() - 1])..]
    }

    pub(super) fn of(&self, candidate: u16) -> &[u16] {
        let candidate = usize::from(candidate);
        &self.all[usize::from(self.begin[candidate])..usize::from(self.begin[candidate + 1])]
    }
}
