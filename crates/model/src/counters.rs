//! Counters of the work of a search.

/// Declares all counters from one list. Each entry has a variant of [`Counter`], a field of [`Counters`], a
/// name and a description.
macro_rules! counters {
    ($($(#[$doc:meta])* $counter:ident, $field:ident: $type:ty = $name:literal, $about:literal;)+) => {
        /// A kind of work that a search counts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Counter { $($(#[$doc])* $counter),+ }

        impl Counter {
            /// All counters, in the order of the enum.
            pub const ALL: &'static [Counter] = &[$(Counter::$counter),+];

            /// Returns the counter's name and a short description.
            ///
            /// The name is used for JSON keys, for columns and for fields.
            pub const fn words(self) -> (&'static str, &'static str) {
                match self { $(Counter::$counter => ($name, $about)),+ }
            }
        }

        /// The amount of work of a search. It is deterministic unless the problem was split over threads.
        ///
        /// A *node* is a state that the search examines, including the root. A *guess* is a decision that was
        /// not forced: the search chose an option of an item while another option of this item was still
        /// untried.
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
    /// Number of decisions of the search that were not forced.
    Guesses, guesses: u64 = "guesses", "decisions that were not forced";
    /// Number of search-tree nodes, including the root.
    Nodes, nodes: u64 = "nodes", "search-tree nodes, including the root";
    /// Number of items that dancing links covered, including the items of the clues.
    Covers, covers: Option<u64> = "covers", "items covered (dancing links)";
    /// Number of links that dancing links changed while covering items.
    Updates, updates: Option<u64> = "updates", "links changed (dancing links)";
}

impl Counter {
    /// Counters for which statistics show a histogram and `bench` shows a mean, in the order of display.
    pub const SUMMED: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

    /// Returns the counter's name.
    pub const fn name(self) -> &'static str {
        self.words().0
    }
}

impl Counters {
    /// Returns the number of nodes and of guesses, or `None` if other counters are present, too.
    ///
    /// Engines for many small problems report only these two.
    #[inline]
    pub fn nodes_and_guesses(self) -> Option<(u64, u64)> {
        let Counters { nodes, guesses, .. } = self;
        (self == Counters { nodes, guesses, ..Counters::default() }).then_some((nodes, guesses))
    }
}
