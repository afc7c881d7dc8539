//! One problem on many machines: cutting it into cubes, and combining their answers.
//!
//! ```text
//! problem --cut--> cubes, one per line --any machine, any number of runs--> answers, one per line
//! answers --CubeAnswers--> the answer
//! ```
//!
//! A cube is defined in [`model`](quadrille_model) and read in `input`. Cubes are answered like the records
//! of any other file.

mod combine;
mod cut;

pub use combine::{CubeAnswers, Total, named};
pub use cut::{CutOptions, cut, cut_noting};
