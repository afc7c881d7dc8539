//! The table of the counters of a search.

/// Declares the counters from one list: the kind of work, the field of [`Counters`], a name and a short description.
macro_rules! counters {
    ($($(#[$doc:meta])* $counter:ident, $field:ident: $type:ty = $name:literal, $about:literal;)+) => {
        /// A kind of work that searches count.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Counter { $($(#[$doc])* $counter),+ }

        impl Counter {
            /// All counters, in the order of the enum.
            pub const ALL: &'static [Counter] = &[$(Counter::$counter),+];

            /// Returns the counter's name (as a field, a key of JSON and a column) and a short description.
            pub const fn words(self) -> (&'static str, &'static str) {
                match self { $(Counter::$counter => ($name, $about)),+ }
            }
        }

        /// The work of a search. It is deterministic unless the problem was split over threads.
        ///
        /// A *node* is a state that the search checks, including the root. A *guess* is a decision that was not forced:
        /// an option taken while another one of the same item was still untried.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $field: $type,)+
            /// Reserved for new fields.
            #[doc(hidden)]
            pub _more: (),
        }

        impl Counters {
            /// Returns the value of a counter, or `None` if the engine does not count it.
            #[inline]
            pub fn get(&self, counter: Counter) -> Option<u64> {
                match counter { $(Counter::$counter => self.$field.into()),+ }
            }
        }
    };
}

counters! {
    /// Number of decisions that were not forced.
    Guesses, guesses: u64 = "guesses", "decisions that were not forced";
    /// Number of search-tree nodes, including the root.
    Nodes, nodes: u64 = "nodes", "search-tree nodes, including the root";
    /// Number of items covered, including those of the clues; dancing links only.
    Covers, covers: Option<u64> = "covers", "items covered (dancing links)";
    /// Number of links changed while covering; dancing links only.
    Updates, updates: Option<u64> = "updates", "links changed (dancing links)";
}

impl Counter {
    /// The counters for which statistics keep a histogram and `bench` a mean, in display order.
    pub const SUMMED: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

    /// Returns the counter's name.
    pub const fn name(self) -> &'static str {
        self.words().0
    }
}

impl Counters {
    /// Returns nodes and guesses, or `None` if anything else was counted.
    ///
    /// Engines for many small problems report only these two.
    #[inline]
    pub fn nodes_and_guesses(self) -> Option<(u64, u64)> {
        let Counters { nodes, guesses, .. } = self;
        (self == Counters { nodes, guesses, ..Counters::default() }).then_some((nodes, guesses))
    }
}
