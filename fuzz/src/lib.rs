//! Properties that must hold for any bytes: one function for each fuzz target.
//!
//! The functions do not depend on the fuzzer, so that `cargo test` here replays the stored inputs without it.

mod bytes;
mod certificates;
mod checkpoints;
mod conversions;
#[path = "../../tests/common/damage_line.rs"]
mod damage_line;
mod engines;
mod files;
mod parsing;
#[path = "../../tests/common/roles.rs"]
mod roles;
mod rows;
mod rules;
mod runs;

pub use certificates::certificates_add_up;
pub use checkpoints::checkpoints_are_refused_or_resumed;
pub use conversions::what_is_converted_is_read_as_the_same;
pub use engines::{cover_engines_agree, grid_engines_agree};
pub use files::no_file_is_lost;
pub use parsing::{Formats, reading_does_not_depend_on_pieces};
pub use rows::one_line_costs_two_records_at_most;
pub use rules::{ruled_engines_agree, rules_are_refused_or_read};
pub use runs::{runs_are_the_same_on_one_thread_and_two, statistics_are_read_or_refused};

/// Name in `fuzz_targets/` and `corpus/`, and the function it runs.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("grids", |data| reading_does_not_depend_on_pieces(data, Formats::Grids)),
    ("forms", |data| reading_does_not_depend_on_pieces(data, Formats::Forms)),
    ("rows", one_line_costs_two_records_at_most),
    ("files", no_file_is_lost),
    ("csv", |data| reading_does_not_depend_on_pieces(data, Formats::Csv)),
    ("covers", |data| reading_does_not_depend_on_pieces(data, Formats::Covers)),
    ("sniffed", |data| reading_does_not_depend_on_pieces(data, Formats::Sniffed)),
    ("runs", runs_are_the_same_on_one_thread_and_two),
    ("grid_engines", grid_engines_agree),
    ("cover_engines", cover_engines_agree),
    ("certificates", certificates_add_up),
    ("statistics", statistics_are_read_or_refused),
    ("rules", rules_are_refused_or_read),
    ("ruled_engines", ruled_engines_agree),
    ("convert", what_is_converted_is_read_as_the_same),
    ("checkpoint", checkpoints_are_refused_or_resumed),
];

/// Runs a target on one input.
///
/// # Panics
/// Panics if the property does not hold, or no target has this name.
pub fn run(name: &str, data: &[u8]) {
    let (_, check) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target's name");
    check(data);
}
