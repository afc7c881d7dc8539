//! One problem over many threads.
