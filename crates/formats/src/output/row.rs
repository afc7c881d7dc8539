//! The facts that a formatter gets about one row of output.

use crate::input::{Layout, Record};
use quadrille_engine::scales::Rated;
use quadrille_model::canonical::Image;
use quadrille_model::{Answer, Losses, ProblemRef, Solution};

/// One row: an answer, or one of several solutions of a record.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The layout of the source, as sniffing found it.
    pub layout: &'a Layout,
    /// The chunk's bytes, which the record's spans point into.
    pub bytes: &'a [u8],
    /// The source's name.
    pub source: &'a str,
    /// Number of the record over the whole run, from 1.
    pub index: u64,
    /// The record.
    pub record: &'a Record,
    /// The problem; `None` where the record is unreadable.
    pub problem: Option<ProblemRef<'a>>,
    /// The verdict; for one of several solutions of a record, `None`.
    pub answer: Option<&'a Answer>,
    /// The score of the solution, where it is one of the several best of its record.
    pub score: Option<i64>,
    /// The solution to show, verified.
    pub solution: Option<Solution<'a>>,
    /// The grid under a map, where one was asked for.
    pub image: Option<&'a Image>,
    /// The puzzle as it is written in another format, and what of it is lost, where that was asked for.
    pub converted: Option<(&'a [u8], Losses)>,
    /// The digits of the given solution, where one was read.
    pub given: Option<&'a [u8]>,
    /// The rating, with its scale, where one was asked for.
    pub rated: Option<(&'static str, &'a Rated)>,
    /// The steps of the rating as the format writes them, where they were asked for.
    pub path: Option<&'a [u8]>,
    /// Number of this solution among the record's, from 1, where several were asked for.
    pub solution_index: Option<u64>,
    /// The engine that answered; empty where none was needed.
    pub engine: &'static str,
    /// Wall time of the search, where the engine measures it.
    pub time_ns: Option<u64>,
}
