//! The data that a formatter gets for one row of output.

use crate::input::{Layout, Record};
use quadrille_model::canonical::{Transform, Transformed};
use quadrille_model::{Answer, Losses, ProblemRef, Solution};
use quadrille_rating::AnyRating;

/// One row: an answer, or one of several solutions of a record.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Layout of the source.
    pub layout: &'a Layout,
    /// Bytes of the chunk, which the record's spans refer to.
    pub bytes: &'a [u8],
    /// Name of the source.
    pub source: &'a str,
    /// Number of the record over the whole run, 1-based.
    pub index: u64,
    /// The record.
    pub record: &'a Record,
    /// The problem; `None` if the record is unreadable.
    pub problem: Option<ProblemRef<'a>>,
    /// The verdict; `None` for one of several solutions of a record.
    pub answer: Option<&'a Answer>,
    /// Score of the solution, if it is one of several best solutions of its record.
    pub score: Option<i64>,
    /// The verified solution to show.
    pub solution: Option<Solution<'a>>,
    /// The transformed grid, if one was requested.
    pub image: Option<&'a Transformed>,
    /// The transform of an image that is written in place of the record.
    pub transform: Option<&'a Transform>,
    /// Number of the image; 0 for the record itself.
    pub copy: Option<u64>,
    /// The puzzle as text of another format, and the parts lost in it, if conversion was requested.
    pub converted: Option<(&'a [u8], Losses)>,
    /// The 0-based digits of the given solution, if one was read.
    pub given: Option<&'a [u8]>,
    /// The scale and the rating, if one was requested.
    pub rated: Option<(&'static str, &'a AnyRating)>,
    /// The steps of the rating in the notation of the format, if requested.
    pub path: Option<&'a [u8]>,
    /// 1-based number of this solution within its record, if several were requested.
    pub solution_index: Option<u64>,
    /// The engine that answered; empty if none was needed.
    pub engine: &'static str,
    /// Wall time of the search in nanoseconds, if the engine measures it.
    pub time_ns: Option<u64>,
}
