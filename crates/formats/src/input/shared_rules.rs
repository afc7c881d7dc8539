//! Rules that stand with each record of a source, as those of a whole run.

use std::sync::Arc;

use super::{Body, Records};
use quadrille_model::rules::{Rules, compile};

/// The rules of the first record of a source, which the records behind it have as those of a run where their own are the same:
/// engines that hold many grids may then take them together.
///
/// By the source and not by the chunk, so that nothing depends on where chunks end or who has met what. The first record itself
/// keeps its own: nothing is known of others while it is read, and a source of one record or with other rules in each has no use
/// for such engines.
#[derive(Debug)]
pub struct SharedRules {
    rules: Arc<Rules>,
    /// Offset of the first record in the source.
    first: u64,
    /// The text behind its grid, where it is a line of 81 characters and that.
    behind: Option<Box<[u8]>>,
}

impl SharedRules {
    /// Those of a first record, which stands at this offset; `None` where they are those of the run, or cannot be
    /// [common](Rules::is_common).
    pub(super) fn of(rules: &Rules, first: u64, behind: Option<&[u8]>) -> Option<Self> {
        if rules.is_common() {
            return None;
        }
        let rules = compile(rules.text(), rules.shape()).ok()?.of_a_run();
        rules.is_common().then(|| SharedRules {
            rules: Arc::new(rules),
            first,
            behind: behind.map(Box::from),
        })
    }

    /// The rules.
    pub(super) fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The text behind the grids of lines with these rules, from this offset of the source on; `None` where the first record is
    /// among them.
    pub(super) fn behind(&self, byte: u64) -> Option<&[u8]> {
        self.behind.as_deref().filter(|_| byte > self.first)
    }

    /// Gives them to the records behind the first that have the same rules.
    pub(super) fn give_to(&self, records: &mut Records) {
        // Records with the same text have the same object, which is compared once.
        let mut compared: Option<(Arc<Rules>, bool)> = None;
        for place in 0..records.list.len() {
            let record = &records.list[place];
            let Body::Puzzle(index) = record.body else { continue };
            if record.byte <= self.first {
                continue;
            }
            let Some(own) = records.rules_of(index) else { continue };
            let is_same = match &compared {
                Some((known, is_same)) if Arc::ptr_eq(known, own) => *is_same,
                _ => {
                    let is_same = **own == *self.rules;
                    compared = Some((Arc::clone(own), is_same));
                    is_same
                }
            };
            if is_same {
                records.set_rules(index, &self.rules);
            }
        }
    }
}
