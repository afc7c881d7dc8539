//! The table of what searches count.

/// Declares the counters from one list: the kind of work, the field of [`Counters`], a name, and a few words about it.
macro_rules! counters {
    ($($(#[$doc:meta])* $counter:ident, $field:ident: $type:ty = $name:literal, $about:literal;)+) => {
        /// A kind of work that searches count.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Counter { $($(#[$doc])* $counter),+ }

        impl Counter {
            /// All counters, in the order of the enum.
            pub const ALL: &'static [Counter] = &[$(Counter::$counter),+];

            /// Returns its name (as a field, a key of JSON and a column), and a few words about it.
            pub const fn words(self) -> (&'static str, &'static str) {
                match self { $(Counter::$counter => ($name, $about)),+ }
            }
        }

        /// Work a search did, deterministic for a problem that was solved whole.
        ///
        /// A *node* is a state the search looks at, the root included. A *guess* is a decision that was not forced: an
        /// option taken while another of the same item was still untried.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Counters { $($(#[$doc])* pub $field: $type),+ }

        impl Counters {
            /// Returns the value of a counter; `None` if the engine does not count this.
            #[inline]
            pub fn get(&self, counter: Counter) -> Option<u64> {
                match counter { $(Counter::$counter => self.$field.into()),+ }
            }
        }
    };
}

counters! {
    /// Decisions that were not forced.
    Guesses, guesses: u64 = "guesses", "decisions that were not forced";
    /// Search-tree nodes, the root included.
    Nodes, nodes: u64 = "nodes", "search-tree nodes, the root included";
    /// Items covered, those of the clues included; dancing links only.
    Covers, covers: Option<u64> = "covers", "items covered (dancing links)";
    /// Links changed while covering; dancing links only.
    Updates, updates: Option<u64> = "updates", "links changed (dancing links)";
}

impl Counter {
    /// Counters of which statistics keep a histogram, and `bench` a mean, in the order they are shown in.
    pub const SUMMED: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

    /// Returns its name alone.
    pub const fn name(self) -> &'static str {
        self.words().0
    }
}

impl Counters {
    /// Nodes and guesses, where nothing else was counted: what engines for many small problems report.
    #[inline]
    pub fn nodes_and_guesses(self) -> Option<(u64, u64)> {
        let Counters { nodes, guesses, .. } = self;
        (self == Counters { nodes, guesses, ..Counters::default() }).then_some((nodes, guesses))
    }
}
