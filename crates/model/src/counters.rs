//! The table of what searches count.

/// A kind of work that searches count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Decisions that were not forced.
    Guesses,
    /// Search-tree nodes, the root included.
    Nodes,
    /// Items covered.
    Covers,
    /// Links changed.
    Updates,
}

impl Counter {
    /// All of them, in the order of the enum.
    pub const ALL: [Counter; 4] = [Counter::Guesses, Counter::Nodes, Counter::Covers, Counter::Updates];

    /// Counters of which statistics keep a histogram, and `bench` a mean, in the order they are shown in.
    pub const SUMMED: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

    /// Its name (as a field, a key of JSON and a column), and a few words about it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Counter::Guesses => ("guesses", "decisions that were not forced"),
            Counter::Nodes => ("nodes", "search-tree nodes, the root included"),
            Counter::Covers => ("covers", "items covered (dancing links)"),
            Counter::Updates => ("updates", "links changed (dancing links)"),
        }
    }

    /// Its name alone.
    pub const fn name(self) -> &'static str {
        self.words().0
    }
}

/// Work a search did, deterministic for a problem that was solved whole.
///
/// A *node* is a state the search looks at, the root included. A *guess* is a decision that was not forced: an
/// option taken while another of the same item was still untried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Search-tree nodes, the root included.
    pub nodes: u64,
    /// Decisions that were not forced.
    pub guesses: u64,
    /// Items covered, those of the clues included; dancing links only.
    pub covers: Option<u64>,
    /// Links changed while covering; dancing links only.
    pub updates: Option<u64>,
}

impl Counters {
    /// The value of a counter; `None` where the engine does not count this.
    #[inline]
    pub const fn get(&self, counter: Counter) -> Option<u64> {
        match counter {
            Counter::Guesses => Some(self.guesses),
            Counter::Nodes => Some(self.nodes),
            Counter::Covers => self.covers,
            Counter::Updates => self.updates,
        }
    }

    /// Nodes and guesses, where nothing else was counted: what engines for many small problems report.
    #[inline]
    pub fn nodes_and_guesses(self) -> Option<(u64, u64)> {
        let Counters { nodes, guesses, .. } = self;
        (self == Counters { nodes, guesses, ..Counters::default() }).then_some((nodes, guesses))
    }
}
