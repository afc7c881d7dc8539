//! The library without the command line: reading, canonical forms, ratings, and the interface for other programs.

mod api;
mod canonical;
#[path = "../common/damage_line.rs"]
mod damage_line;
mod damaged_grids;
mod dlx_text;
mod generated_forms;
mod input_chunks;
mod nested_chains;
mod panics;
mod ratings;
