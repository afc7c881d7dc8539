//! The chains of a hint. The next search reuses their memory.

use super::Technique;
use super::step::{Candidate, Link, NestedChains};

/// A conclusion of a chain.
///
/// `from` is a range in the list `from` of the trace. It covers the conclusions from which this conclusion
/// follows.
#[derive(Clone, Copy)]
struct Entry {
    cell: u8,
    digit: u8,
    is_on: bool,
    from: (u32, u32),
    /// Index into [`Trace::nested`].
    nested: Option<u16>,
}

/// A hint that was found after a run (the conclusions of one assumption) had removed candidates from its copy
/// of the grid.
#[derive(Clone)]
pub(super) struct Nested {
    pub technique: Technique,
    pub trace: Trace,
}

/// The chains of a hint.
#[derive(Clone, Default)]
pub(super) struct Trace {
    entries: Vec<Entry>,
    from: Vec<u16>,
    /// End of each chain, as an index into `entries`.
    ends: Vec<u32>,
    nested: Vec<Nested>,
}

impl Trace {
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.from.clear();
        self.ends.clear();
        self.nested.clear();
    }

    /// Adds a conclusion to the last chain.
    ///
    /// `from` gives the earlier conclusions of the same chain from which it follows.
    pub(super) fn add(&mut self, cell: u8, digit: u8, is_on: bool, from: impl IntoIterator<Item = u16>) {
        let begin = self.from.len() as u32;
        self.from.extend(from);
        self.entries.push(Entry { cell, digit, is_on, from: (begin, self.from.len() as u32), nested: None });
    }

    /// Adds a nested hint and returns its index.
    pub(super) fn nest(&mut self, nested: Nested) -> u16 {
        self.nested.push(nested);
        (self.nested.len() - 1) as u16
    }

    /// Sets the index of the nested hint that removed the last conclusion's candidate.
    pub(super) fn nested_in_last(&mut self, nested: Option<u16>) {
        if let Some(entry) = self.entries.last_mut() {
            entry.nested = nested;
        }
    }

    /// Ends the last chain.
    pub(super) fn end_chain(&mut self) {
        self.ends.push(self.entries.len() as u32);
    }

    /// Returns the chains with 1-based digits, and appends the nested chains to `all`.
    pub(super) fn chains(&self, all: &mut Vec<NestedChains>) -> Vec<Vec<Link>> {
        let first = all.len();
        all.extend(
            self.nested
                .iter()
                .map(|&Nested { technique, .. }| NestedChains { technique, chains: Vec::new() }),
        );
        for (number, Nested { trace, .. }) in self.nested.iter().enumerate() {
            all[first + number].chains = trace.chains(all);
        }
        let link = |entry: &Entry| Link {
            candidate: Candidate { cell: entry.cell, digit: entry.digit + 1 },
            is_on: entry.is_on,
            from: self.from[entry.from.0 as usize..entry.from.1 as usize].to_vec(),
            nested: entry.nested.map(|number| first as u16 + number),
        };
        let mut begin = 0;
        self.ends
            .iter()
            .map(|&end| {
                let chain = self.entries[begin..end as usize].iter().map(link).collect();
                begin = end as usize;
                chain
            })
            .collect()
    }
}
