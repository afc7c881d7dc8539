//! Shares the rules that are written in a source's first record with later records of the source.

use std::sync::Arc;

use super::{Body, Records};
use quadrille_model::rules::{Rules, compile};

/// Rules of a source's first record, shared by all later records that have equal rules.
///
/// Some engines solve many grids together, but only if the grids share one rules object. The shared object
/// belongs to the source and not to a chunk, so results do not depend on where chunks end. The first record
/// keeps its own object, because nothing is known about later records when the first record is read.
#[derive(Debug)]
pub struct SharedRules {
    pub(super) rules: Arc<Rules>,
    /// Offset of the first record in the source, in bytes.
    first: u64,
    /// Text after the first record's grid, if the record is 81 characters followed by this text.
    behind: Option<Box<[u8]>>,
}

impl SharedRules {
    /// Creates shared rules from the rules of the first record, which begins at byte offset `first`.
    ///
    /// Returns `None` if the rules already [apply to all grids](Rules::is_run_wide), or if they cannot be
    /// shared by all grids. If the first record is 81 characters followed by other text, `behind` is that
    /// text.
    pub(super) fn new(rules: &Rules, first: u64, behind: Option<&[u8]>) -> Option<Self> {
        if rules.is_run_wide() {
            return None;
        }
        let rules = compile(rules.text(), rules.shape()).ok()?.into_run_wide();
        rules.is_run_wide().then(|| SharedRules {
            rules: Arc::new(rules),
            first,
            behind: behind.map(Box::from),
        })
    }

    /// Returns the text that follows the grid on every line with the shared rules.
    ///
    /// Returns `None` if this text is unknown, or if the caller's lines include the first record. `byte` is
    /// the offset at which the caller's lines begin.
    pub(super) fn behind(&self, byte: u64) -> Option<&[u8]> {
        self.behind.as_deref().filter(|_| byte > self.first)
    }

    /// Replaces the rules of each later record by the shared rules object, if the two are equal.
    pub(super) fn give_to(&self, records: &mut Records) {
        // Records with the same rule text share one object. So each object is compared only once.
        let mut compared: Option<(Arc<Rules>, bool)> = None;
        let Records { list, puzzles, .. } = records;
        for record in list.iter().filter(|record| record.byte > self.first) {
            let Body::Puzzle(index) = record.body else { continue };
            let puzzle = &mut puzzles[index as usize];
            let Some(own) = puzzle.rules() else { continue };
            if !compared.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, own)) {
                compared = Some((Arc::clone(own), **own == *self.rules));
            }
            if let Some((_, true)) = compared {
                puzzle.set_rules(&self.rules);
            }
        }
    }
}
