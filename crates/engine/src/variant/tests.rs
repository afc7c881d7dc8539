//! Known numbers, and the promises of a search in parts.
