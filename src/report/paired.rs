//! Two runs record by record, by the files that `--records-out` writes.

use std::collections::BTreeMap;
use std::io::Read;

use super::ratio::LogMean;
use quadrille_batch::{RecordTrace, TraceReader};
use quadrille_model::Result;
use quadrille_model::Status;

/// Records that are named.
const NAMED: usize = 20;
/// So many times the nodes make a record much harder.
const MUCH: u64 = 10;

/// A file of what came of each record of a run.
pub(crate) type RecordFile = TraceReader<Box<dyn Read>>;

/// A record with another answer than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(super) index: u64,
    pub(super) before: Status,
    pub(super) after: Status,
}

/// A record that took more nodes than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Harder {
    pub(super) index: u64,
    pub(super) before: u64,
    pub(super) after: u64,
}

/// What became of the records of a run in another.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Paired {
    /// Records of both.
    pub(super) records: u64,
    /// Records of the one or the other that are another puzzle there, or are not there.
    pub(super) unpaired: u64,
    /// Records whose answers differ.
    pub(super) changed: u64,
    /// Records by their statuses in both, where their answers differ.
    pub(super) changes: BTreeMap<(&'static str, &'static str), u64>,
    pub(super) first_changed: Vec<Changed>,
    /// Records that took ten times the nodes, and a tenth of them.
    pub(super) harder: u64,
    pub(super) easier: u64,
    /// Of those that became harder the worst.
    pub(super) hardest: Vec<Harder>,
    pub(super) nodes: LogMean,
    pub(super) guesses: LogMean,
    pub(super) time: LogMean,
}

impl Paired {
    /// Compares two files, the second with the first.
    ///
    /// # Errors
    /// Files that cannot be read, or that are something else.
    pub(crate) fn read(mut first: RecordFile, mut second: RecordFile) -> Result<Self> {
        let mut paired = Paired::default();
        let (mut before, mut after) = (first.next_trace()?, second.next_trace()?);
        while before.is_some() || after.is_some() {
            match (&before, &after) {
                (Some(one), Some(other)) if one.index == other.index => {
                    paired.add(one, other);
                    (before, after) = (first.next_trace()?, second.next_trace()?);
                }
                (Some(one), other) if other.as_ref().is_none_or(|other| one.index < other.index) => {
                    paired.unpaired += 1;
                    before = first.next_trace()?;
                }
                _ => {
                    paired.unpaired += 1;
                    after = second.next_trace()?;
                }
            }
        }
        Ok(paired)
    }

    fn add(&mut self, before: &RecordTrace, after: &RecordTrace) {
        if before.puzzle != after.puzzle {
            self.unpaired += 1;
            return;
        }
        self.records += 1;
        let index = before.index;
        if (before.status, before.answer) != (after.status, after.answer) {
            self.changed += 1;
            *self.changes.entry((before.status.word(), after.status.word())).or_default() += 1;
            if self.first_changed.len() < NAMED {
                self.first_changed.push(Changed { index, before: before.status, after: after.status });
            }
        }
        if let (Some(old), Some(new)) = (before.nodes, after.nodes) {
            if old > 0 && new > 0 {
                self.nodes.add(old as f64, new as f64);
            }
            // A single node more or less is no tenfold of anything.
            let (old, new) = (old.max(1), new.max(1));
            self.easier += u64::from(old / new >= MUCH);
            if new / old >= MUCH {
                self.harder += 1;
                let harder = Harder { index, before: old, after: new };
                let is_worse = |a: &Harder| {
                    u128::from(a.after) * u128::from(old) >= u128::from(new) * u128::from(a.before)
                };
                let place = self.hardest.partition_point(is_worse);
                self.hardest.insert(place, harder);
                self.hardest.truncate(NAMED);
            }
        }
        if let (Some(old), Some(new)) = (before.guesses, after.guesses) {
            self.guesses.add(old as f64 + 1.0, new as f64 + 1.0);
        }
        if let (Some(old), Some(new)) = (before.time_ns, after.time_ns)
            && old > 0
            && new > 0
        {
            self.time.add(old as f64, new as f64);
        }
    }
}
