//! Parts of puzzles. Different lanes may search the parts of one puzzle, see [`share`](super::share).

use crate::JobEnd;
pub(super) use crate::search_context::Totals;
use quadrille_model::{EndedBy, Packed9x9};

/// Number that means "no part".
pub(super) const NONE: u32 = u32::MAX;
/// Maximum number of parts, counted over all puzzles together.
pub(super) const MAX_PARTS: usize = 4096;
/// The parts of all puzzles.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    pub(super) free: Vec<u32>,
    /// Number of solutions that all parts together have in their lists `kept`.
    pub(super) kept: usize,
}

/// A part of a puzzle's search tree. The first part (the head) is not stored as a `Part`.
pub(super) struct Part {
    pub(super) root: Packed9x9,
    /// Index of the puzzle's next part in depth-first order, or [`NONE`].
    pub(super) next: u32,
    /// The lane that searches the part now, or `None` if no lane searches it.
    pub(super) lane: Option<usize>,
    /// Solutions that were found in the part and have not been reported yet.
    pub(super) kept: Vec<Kept>,
    /// Counters of the part. They are valid only while no lane is searching the part.
    pub(super) totals: Totals,
    pub(super) stack: Vec<Packed9x9>,
}

/// A solution, with the counters that its part had when the solution was found.
pub(super) struct Kept {
    pub(super) digits: [u8; 81],
    pub(super) totals: Totals,
}

impl Totals {
    /// Converts the counters of a puzzle to the result of its finished job.
    pub(super) fn ended(self, ended_by: EndedBy) -> JobEnd {
        let Totals { found, nodes, guesses } = self;
        JobEnd { found, ended_by, nodes, guesses }
    }
}

impl Parts {
    /// Adds a part and returns its index, or `None` if there are already [`MAX_PARTS`] parts.
    pub(super) fn add(&mut self, root: Packed9x9, next: u32, lane: usize) -> Option<u32> {
        let id = self.free.pop().or_else(|| {
            (self.all.len() < MAX_PARTS).then(|| {
                let (kept, stack) = (Vec::new(), Vec::new());
                self.all.push(Part { root, next, lane: None, kept, totals: Totals::default(), stack });
                self.all.len() as u32 - 1
            })
        })?;
        let part = &mut self.all[id as usize];
        (part.root, part.next, part.lane) = (root, next, Some(lane));
        Some(id)
    }

    pub(super) fn is_full(&self) -> bool {
        self.free.is_empty() && self.all.len() == MAX_PARTS
    }

    pub(super) fn release(&mut self, id: u32) {
        let part = &mut self.all[id as usize];
        self.kept -= part.kept.len();
        part.kept.clear();
        part.stack.clear();
        part.totals = Totals::default();
        self.free.push(id);
    }
}
