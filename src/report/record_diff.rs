//! Compares two runs record by record. Reads the files that `--outcomes-out` writes.

use std::collections::BTreeMap;
use std::io::Read;

use super::ratio::LogMean;
use quadrille_batch::{OutcomeReader, RecordOutcome};
use quadrille_model::{Result, Status};

/// Maximum number of records that the comparison names.
const NAMED: usize = 20;
/// A record became much harder if its number of nodes grew at least by this factor.
const MIN_HARDER_RATIO: u64 = 10;

/// A file with the outcome of each record of a run, as `--outcomes-out` writes it.
pub(crate) type RecordFile = OutcomeReader<Box<dyn Read>>;

/// A record whose answer changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(super) index: u64,
    pub(super) before: Status,
    pub(super) after: Status,
}

/// A record that took many more nodes in the second run than in the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Harder {
    pub(super) index: u64,
    pub(super) before: u64,
    pub(super) after: u64,
}

/// The differences between the records of two runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Paired {
    /// Number of records that both runs have.
    pub(super) records: u64,
    /// Number of records that only one run has, plus records that are different puzzles in the two runs.
    pub(super) unpaired: u64,
    /// Number of records whose answers differ between the two runs.
    pub(super) changed: u64,
    /// Number of records with different answers. The key is the pair of statuses in the first and the second
    /// run.
    pub(super) changes: BTreeMap<(&'static str, &'static str), u64>,
    pub(super) first_changed: Vec<Changed>,
    /// Number of records for which the second run took at least ten times as many nodes as the first.
    pub(super) harder: u64,
    /// Number of records for which the second run took at most a tenth of the nodes of the first.
    pub(super) easier: u64,
    /// Records for which the number of nodes grew most, by ratio, from the first run to the second.
    pub(super) hardest: Vec<Harder>,
    pub(super) nodes: LogMean,
    pub(super) guesses: LogMean,
    pub(super) time: LogMean,
}

impl Paired {
    /// Compares the outcomes in the second file with those in the first, record by record.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is not a file of outcomes.
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

    fn add(&mut self, before: &RecordOutcome, after: &RecordOutcome) {
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
            // Zero nodes count as one node. Otherwise, any other number would be an infinite multiple of
            // zero.
            let (old, new) = (old.max(1), new.max(1));
            self.easier += u64::from(old / new >= MIN_HARDER_RATIO);
            if new / old >= MIN_HARDER_RATIO {
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
