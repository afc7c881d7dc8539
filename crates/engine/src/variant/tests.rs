//! Known counts, and sums over the parts of a split search.
