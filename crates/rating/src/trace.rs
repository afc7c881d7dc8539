//! The chains of a hint, in memory that the next search reuses.

use super::step::{Candidate, Link};

/// A conclusion, and the range in `from` of those it follows from.
#[derive(Clone, Copy)]
struct Entry {
    cell: u8,
    digit: u8,
    is_on: bool,
    from: (u32, u32),
}

/// The chains of a hint.
#[derive(Clone, Default)]
pub(super) struct Trace {
    entries: Vec<Entry>,
    from: Vec<u16>,
    /// End of each chain in `entries`.
    ends: Vec<u32>,
}

impl Trace {
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.from.clear();
        self.ends.clear();
    }

    /// Adds a conclusion to the last chain. It follows from earlier conclusions `from` of the same chain.
    pub(super) fn add(&mut self, cell: u8, digit: u8, is_on: bool, from: impl IntoIterator<Item = u16>) {
        let begin = self.from.len() as u32;
        self.from.extend(from);
        self.entries.push(Entry { cell, digit, is_on, from: (begin, self.from.len() as u32) });
    }

    /// Ends the last chain.
    pub(super) fn end_chain(&mut self) {
        self.ends.push(self.entries.len() as u32);
    }

    /// Returns the chains, with digits 1-based.
    pub(super) fn chains(&self) -> Vec<Vec<Link>> {
        let mut begin = 0;
        self.ends
            .iter()
            .map(|&end| {
                let chain = &self.entries[begin..end as usize];
                begin = end as usize;
                chain
                    .iter()
                    .map(|entry| Link {
                        candidate: Candidate { cell: entry.cell, digit: entry.digit + 1 },
                        is_on: entry.is_on,
                        from: self.from[entry.from.0 as usize..entry.from.1 as usize].to_vec(),
                    })
                    .collect()
            })
            .collect()
    }
}
