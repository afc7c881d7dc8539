//! Contains the data that a formatter gets for one row of output.

use crate::input::{Layout, Record, Span};
use quadrille_model::canonical::{Transform, Transformed};
use quadrille_model::{Answer, ClueNeeds, Losses, PossibleDigits, ProblemRef, Redundancy, Solution};
use quadrille_rating::{AnyRating, Reached};

/// Result of a command on a record, in addition to the answer.
///
/// A chunk keeps a result for each record. Transformed grids are boxed, because they are three times as large
/// as most other results.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordResult {
    /// The transformed grid.
    Image(Box<Transformed>),
    /// A rating.
    Rated {
        /// Scale and rating, or `None` if the record has no rating on this scale.
        rated: Option<(&'static str, AnyRating)>,
        /// Steps of the solving path, as the output format writes them. `None` unless requested.
        path: Option<Vec<u8>>,
        /// Grid after the last solving step, if requested.
        reached: Option<Reached>,
        /// Transformed grid that was rated instead of the record, if requested.
        image: Option<Box<Transformed>>,
    },
    /// A transformed grid, called image, that is written instead of the record.
    Copy {
        /// Transform from the record to the image.
        transform: Transform,
        /// 0-based index of the image. Index 0 is the record itself.
        number: u64,
    },
    /// Hashes for comparing the record with other records, such as hashes of its text or of a canonical form.
    ///
    /// A hash is `None` if the record has no such hash, or if the hash was not requested.
    Keys([Option<u128>; 3]),
}

impl RecordResult {
    /// Returns the scale and the rating, or `None` if there is none.
    pub fn rated(&self) -> Option<(&'static str, &AnyRating)> {
        match self {
            RecordResult::Rated { rated: Some((scale, rating)), .. } => Some((scale, rating)),
            _ => None,
        }
    }
}

/// Data for one row, which is an answer or one of several solutions of a record.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Layout of the source.
    pub layout: &'a Layout,
    /// Bytes of the chunk. The spans of the record are positions in these bytes.
    pub bytes: &'a [u8],
    /// Name of the source.
    pub source: &'a str,
    /// 1-based number of the record, counted over all sources of the run.
    pub index: u64,
    /// The record.
    pub record: &'a Record,
    /// Positions of the record's values if it is a [plain line](crate::input::PlainLines::values), otherwise
    /// empty.
    pub values: &'a [Span],
    /// Problem, or `None` if the record is unreadable.
    pub problem: Option<ProblemRef<'a>>,
    /// Answer, or `None` if the row shows one of several solutions of a record.
    pub answer: Option<&'a Answer>,
    /// Score of the solution, if the record has several best solutions.
    pub score: Option<i64>,
    /// The verified solution to show.
    pub solution: Option<Solution<'a>>,
    /// Result of the command, if it has one in addition to the answer.
    pub result: Option<&'a RecordResult>,
    /// Converted puzzle, or `None` if no conversion was requested.
    ///
    /// Consists of the puzzle's text in the other format, and the parts of the puzzle that this text cannot
    /// hold.
    pub converted: Option<(&'a [u8], Losses)>,
    /// 0-based digits of the given solution, if one was read.
    pub given: Option<&'a [u8]>,
    /// Digits that occur in some solution, if requested.
    pub possible: Option<&'a PossibleDigits>,
    /// Information on which clues are needed, if requested.
    pub needs: Option<&'a ClueNeeds>,
    /// 1-based number of this solution among the solutions of its record, if several solutions were
    /// requested.
    pub solution_index: Option<u64>,
    /// Name of the engine that found the answer, or empty if none was needed.
    pub engine: &'static str,
    /// Wall time of the search in nanoseconds, if the engine measures it.
    pub time_ns: Option<u64>,
}

impl<'a> Row<'a> {
    pub(super) fn image(&self) -> Option<&'a Transformed> {
        match self.result? {
            RecordResult::Image(image) | RecordResult::Rated { image: Some(image), .. } => Some(image),
            _ => None,
        }
    }

    pub(super) fn transform(&self) -> Option<&'a Transform> {
        match self.result? {
            RecordResult::Copy { transform, .. } => Some(transform),
            _ => self.image().map(|image| &image.transform),
        }
    }

    pub(super) fn copy(&self) -> Option<u64> {
        if let RecordResult::Copy { number, .. } = self.result? { Some(*number) } else { None }
    }

    pub(super) fn rated(&self) -> Option<(&'static str, &'a AnyRating)> {
        self.result?.rated()
    }

    pub(super) fn redundancy(&self) -> Option<&'a Redundancy> {
        self.needs?.redundancy.as_ref()
    }

    pub(super) fn path(&self) -> Option<&'a [u8]> {
        if let RecordResult::Rated { path, .. } = self.result? { path.as_deref() } else { None }
    }

    pub(super) fn reached(&self) -> Option<&'a Reached> {
        if let RecordResult::Rated { reached, .. } = self.result? { reached.as_ref() } else { None }
    }
}
