//! Rules written with each record of a source that can be shared by its records.

use std::sync::Arc;

use super::{Body, Records};
use quadrille_model::rules::{Rules, compile};

/// Rules of a source's first record that later records with equal rules share.
///
/// Engines that solve many grids together can then take these records at once. The rules belong to the source, not to
/// a chunk, so that results do not depend on where chunks end. The first record keeps its own rules: when it is read,
/// nothing is known about later records.
#[derive(Debug)]
pub struct SharedRules {
    pub(super) rules: Arc<Rules>,
    /// Offset of the first record in the source, in bytes.
    first: u64,
    /// Text after the first record's grid, if the record is 81 characters followed by this text.
    behind: Option<Box<[u8]>>,
}

impl SharedRules {
    /// Returns the rules of a first record at this byte offset in the form that records can share.
    ///
    /// Returns `None` if the rules are those of the run, or cannot be [run-wide](Rules::is_run_wide). `behind` is the
    /// text after the record's grid.
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

    /// Returns the text that follows each grid in lines with these rules, or `None` if it is unknown.
    ///
    /// Also returns `None` if the lines from offset `byte` on include the first record.
    pub(super) fn behind(&self, byte: u64) -> Option<&[u8]> {
        self.behind.as_deref().filter(|_| byte > self.first)
    }

    /// Replaces the rules of all later records that have equal rules by the shared object.
    pub(super) fn give_to(&self, records: &mut Records) {
        // Records with the same text share one object, so each object is compared once.
        let mut compared: Option<(Arc<Rules>, bool)> = None;
        for place in 0..records.list.len() {
            let record = &records.list[place];
            let Body::Puzzle(index) = record.body else { continue };
            if record.byte <= self.first {
                continue;
            }
            let Some(own) = records.puzzles[index as usize].rules() else { continue };
            let is_same = match &compared {
                Some((known, is_same)) if Arc::ptr_eq(known, own) => *is_same,
                _ => {
                    let is_same = **own == *self.rules;
                    compared = Some((Arc::clone(own), is_same));
                    is_same
                }
            };
            if is_same {
                records.puzzles[index as usize].set_rules(&self.rules);
            }
        }
    }
}
