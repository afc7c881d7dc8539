//! Links between candidates, stored as one list per candidate.

/// For each candidate, a list of the candidates linked to it. Searches follow the links in the order of the
/// list.
#[derive(Default)]
pub(super) struct Lists {
    /// End of each candidate's list in `all`.
    ends: Vec<u16>,
    /// The lists, one after another.
    all: Vec<u16>,
}

impl Lists {
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.all.clear();
    }

    /// Adds a link to the list that is being built.
    pub(super) fn push(&mut self, other: u16) {
        self.all.push(other);
    }

    /// Ends the list that is being built, and starts the list of the next candidate.
    pub(super) fn end_list(&mut self) {
        self.ends.push(self.all.len() as u16);
    }

    /// Returns the open list.
    pub(super) fn open(&self) -> &[u16] {
        &self.all[usize::from(self.ends.last().copied().unwrap_or(0))..]
    }

    pub(super) fn of(&self, candidate: u16) -> &[u16] {
        let candidate = usize::from(candidate);
        let begin = candidate.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[usize::from(begin)..usize::from(self.ends[candidate])]
    }
}
