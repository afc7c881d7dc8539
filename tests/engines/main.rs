//! Engines, compared with each other, with the naive reference and with known numbers, through `internals`.
//!
//! One test program, because each costs a second of linking and its own copies of generic code.

mod agreement;
mod best_cover;
mod best_grid;
mod bitmask;
mod bitset;
mod collector;
mod covers;
mod dlx;
mod estimate;
mod graph;
mod grid_collector;
mod lanes;
mod lanes_variant;
mod memo;
mod parallel;
mod random_covers;
mod reduction;
mod rules;
mod soak;
