//! Tests known counts, and that the parts of a split search add up.
