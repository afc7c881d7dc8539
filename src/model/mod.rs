//! Problems, questions and answers: no I/O, no search.
//!
//! Digits are 0-based in every array and type of this crate (`0..side`) and 1-based in every text a person
//! reads. Cells are numbered row by row from 0, so cell `c` stands in row `c / side`.

mod answer;
mod count;
mod counters;
mod cover;
mod cube;
mod digits;
mod geometry;
mod goal;
mod losses;
mod names;
mod packed;
mod problem;
mod puzzle;
mod ranking;
mod reason;
mod reduction;
mod solutions;
mod symbols;
mod unavoidable;
mod verify;
mod verify_lines;
mod weights;

pub use answer::{Answer, Best, EndedBy, Outcome, Status};
pub use count::Count;
pub use counters::{Counter, Counters};
pub use cover::{Bounds, Cover, CoverBuilder, Entry, NO_COLOUR};
pub use cube::{CubeName, Decisions, Fingerprint, Purpose, Whole};
pub use digits::DigitSet;
pub use geometry::{Geometry, House, HouseKind, MAX_SIDE, geometry_9x9};
pub use goal::{Direction, Goal, Limits, Top};
pub use losses::{Loss, Losses};
pub(crate) use names::SHORT as SHORT_NAME;
pub use packed::Packed;
pub use problem::{Problem, ProblemClass, ProblemRef, RuleClass, Solution};
pub use puzzle::{Constraint, Puzzle};
pub use ranking::{Leaders, Ranking};
pub use reason::{Clash, Reason};
pub use reduction::{Reduced, Reduction};
pub use solutions::Solutions;
pub(crate) use symbols::PLAIN_LINE;
pub use symbols::{Alphabet, Symbols};
pub(crate) use unavoidable::{lone_clues, unavoidable_sets};
pub use verify::{Fault, verify};
pub(crate) use verify_lines::{verify_lines, verify_ruled_lines};
pub use weights::Weights;
