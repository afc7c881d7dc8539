//! One problem over many machines: cutting it into cubes, and putting their answers together.
//!
//! ```text
//! problem --cut--> cubes, a line each --any machine, any number of runs--> answers, a line each --Sum--> the answer
//! ```
//!
//! A cube is defined in [`model`](quadrille_model) and read in `input`: cubes are answered like the
//! records of any other file.

mod cut;
mod sum;

pub use cut::{Cutting, cut, cut_noting};
pub use sum::named;
pub use sum::{Sum, Total};
