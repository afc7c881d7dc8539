//! Parts of puzzles that other lanes work on, see [`share`](super::share).

use crate::Ended;
use quadrille_model::{EndedBy, Packed};

/// No part.
pub(super) const NONE: u32 = u32::MAX;
/// Parts of all puzzles at a time.
pub(super) const MAX_PARTS: usize = 4096;
/// All parts.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    pub(super) free: Vec<u32>,
    /// Solutions that all of them keep.
    pub(super) kept: usize,
}

/// A part of a puzzle that is not its head.
pub(super) struct Part {
    pub(super) root: Packed,
    /// The part behind it.
    pub(super) next: u32,
    /// The lane that works on it.
    pub(super) lane: Option<usize>,
    /// Its solutions, where they will be reported.
    pub(super) kept: Vec<Kept>,
    /// As in a lane; of a part that has no lane any more.
    pub(super) totals: Totals,
    pub(super) stack: Vec<Packed>,
}

/// A solution, and what its part had counted by then.
pub(super) struct Kept {
    pub(super) digits: [u8; 81],
    pub(super) totals: Totals,
}

/// The counters of a puzzle from its beginning, or of a part alone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    /// Solutions.
    pub(super) found: u64,
    pub(super) nodes: u64,
    pub(super) guesses: u64,
}

impl Totals {
    /// The end of the puzzle.
    pub(super) fn ended(self, ended_by: EndedBy) -> Ended {
        let Totals { found, nodes, guesses } = self;
        Ended { found, ended_by, nodes, guesses }
    }
}

impl Parts {
    /// A new part, unless there are too many.
    pub(super) fn add(&mut self, root: Packed, next: u32, lane: usize) -> Option<u32> {
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
