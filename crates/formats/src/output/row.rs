//! The data that a formatter gets for one row of output.

use crate::input::{Layout, Record, Span};
use quadrille_model::canonical::{Transform, Transformed};
use quadrille_model::{Answer, ClueNeeds, Losses, PossibleDigits, ProblemRef, Redundancy, Solution};
use quadrille_rating::{AnyRating, Reached};

/// The result of a verb on a record, next to its answer.
///
/// Images are boxed, since a chunk keeps a result for each record and most kinds are a third of their size.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordResult {
    /// The transformed grid.
    Image(Box<Transformed>),
    /// A rating.
    Rated {
        /// The scale and the rating; `None` if the record has none on this scale.
        rated: Option<(&'static str, AnyRating)>,
        /// The steps of the rating in the notation of the format, if requested.
        path: Option<Vec<u8>>,
        /// Where those steps ended, if requested.
        reached: Option<Reached>,
        /// The grid that was rated in place of the record, if requested.
        image: Option<Box<Transformed>>,
    },
    /// An image in place of the record.
    Copy {
        /// The transform from the record to the image.
        transform: Transform,
        /// Number of the image; 0 for the record itself.
        number: u64,
    },
    /// Hashes by which the record is compared with others, one per kind; `None` for those that it does not have.
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
    /// The places of its values, if it is a [plain line](crate::input::PlainLines::values); otherwise empty.
    pub values: &'a [Span],
    /// The problem; `None` if the record is unreadable.
    pub problem: Option<ProblemRef<'a>>,
    /// The verdict; `None` for one of several solutions of a record.
    pub answer: Option<&'a Answer>,
    /// Score of the solution, if it is one of several best solutions of its record.
    pub score: Option<i64>,
    /// The verified solution to show.
    pub solution: Option<Solution<'a>>,
    /// The result of the verb, if it has one besides the answer.
    pub result: Option<&'a RecordResult>,
    /// The puzzle as text of another format, and the parts lost in it, if conversion was requested.
    pub converted: Option<(&'a [u8], Losses)>,
    /// The 0-based digits of the given solution, if one was read.
    pub given: Option<&'a [u8]>,
    /// The digits that occur in some solution, if requested.
    pub possible: Option<&'a PossibleDigits>,
    /// Which clues are needed, if requested.
    pub needs: Option<&'a ClueNeeds>,
    /// 1-based number of this solution within its record, if several were requested.
    pub solution_index: Option<u64>,
    /// The engine that answered; empty if none was needed.
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
