//! Draws pictures of figures: charts, records, and the solving steps of a rating.

mod axis;
mod bars;
mod drawing;
mod histogram;
mod step;
mod time;

pub(super) use bars::{Bar, bars, parts, ratios};
pub(super) use drawing::drawing;
pub(super) use histogram::{Scale, density, histogram, spark};
pub(super) use step::{Grid, StepMark, step};
pub(super) use time::{TimeSteps, rows, steps};
