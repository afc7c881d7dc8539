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

/// A counter's entry in the table.
struct Info {
    counter: Counter,
    name: &'static str,
    about: &'static str,
}

/// All counters, in the order of the enum.
const COUNTERS: [Info; 4] = [
    Info { counter: Counter::Guesses, name: "guesses", about: "decisions that were not forced" },
    Info { counter: Counter::Nodes, name: "nodes", about: "search-tree nodes, the root included" },
    Info { counter: Counter::Covers, name: "covers", about: "items covered (dancing links)" },
    Info { counter: Counter::Updates, name: "updates", about: "links changed (dancing links)" },
];

const _: () = {
    let mut place = 0;
    while place < COUNTERS.len() {
        assert!(COUNTERS[place].counter as usize == place, "the table has the order of the enum");
        place += 1;
    }
};

impl Counter {
    /// The number of counters.
    pub const COUNT: usize = COUNTERS.len();

    /// Those that statistics keep a histogram of, and `bench` a mean, in the order they are shown in.
    pub const SUMMED: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

    /// Its name: as a field, a key of JSON and a column.
    pub const fn name(self) -> &'static str {
        COUNTERS[self as usize].name
    }

    /// A few words on what is counted.
    pub const fn about(self) -> &'static str {
        COUNTERS[self as usize].about
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
