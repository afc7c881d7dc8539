//! Recognises records that equal an earlier record up to arrangement and labels.
//!
//! Workers compute the keys, since a canonical form costs more than a set lookup. The thread that takes the
//! records in order does the lookups. The set is in memory. [`KeyGroups`](quadrille_batch::key_groups::KeyGroups)
//! would not do, because it may only report at the end whether a record is new, and here the answer decides
//! whether another record is made.

use std::collections::HashSet;

use super::record::Generated;
use super::sudoku::{Kind, Request};
use quadrille_model::canonical::{Canonizer, Cells, Form, NoForm};
use quadrille_model::{Error, ErrorKind, Result};

/// Returns the canonical form by which records of a kind are compared.
///
/// All records of a kind have one form, since keys of different forms are not comparable. So only kinds that
/// promise one solution use the cheaper `by-solution`.
fn form(kind: Kind) -> Form {
    match kind {
        Kind::Grids => Form::Solution,
        Kind::Puzzles | Kind::Minimal | Kind::Neighbours => Form::BySolution,
        Kind::Multiple | Kind::Altered | Kind::Sparse => Form::Puzzle,
    }
}

/// Computes the keys of the records of a request. All records of a class have the same key.
#[derive(Debug)]
pub(super) struct RecordKeys {
    form: Form,
    canonizer: Canonizer,
}

impl RecordKeys {
    /// Creates the key computation, or returns `None` if the request does not ask for distinct records.
    pub(super) fn new(request: &Request) -> Option<Self> {
        request.distinct.then(|| RecordKeys { form: form(request.kind), canonizer: Canonizer::new() })
    }

    /// Returns the key of a record, or `None` if its shape has no canonical form, which the checks of the request
    /// rule out.
    pub(super) fn key(&mut self, record: &Generated) -> Option<u128> {
        self.canonical(record).ok().map(|cells| cells.key(self.form))
    }

    fn canonical(&mut self, record: &Generated) -> std::result::Result<Cells, NoForm> {
        let clues: Vec<u8> = record.cells.iter().map(|cell| cell.map_or(0, |digit| digit + 1)).collect();
        let solution = match &record.solution {
            Some(digits) if self.form.needs_solution() => Some(Cells::of_solution(digits)?),
            _ => None,
        };
        let canonical = self.canonizer.canonical(self.form, &Cells::new(&clues)?, solution.as_ref())?;
        Ok(canonical.cells)
    }
}

/// The classes of the records so far.
///
/// Each class takes 19 to 39 bytes, and up to 1.5 times that while the set grows.
#[derive(Debug, Default)]
pub(super) struct KeyGroups {
    keys: HashSet<u128>,
    /// Number of records since the last new record.
    pub(super) repeats: u64,
}

impl KeyGroups {
    /// Returns true if no earlier record had this key.
    ///
    /// # Errors
    /// Returns an internal error if there is no key, or an error if memory is exhausted.
    pub(super) fn is_new(&mut self, key: Option<u128>) -> Result<bool> {
        let key = key.ok_or_else(|| ErrorKind::Internal("a generated record without a form".to_owned()))?;
        self.keys.try_reserve(1).map_err(|_| {
            Error::model(format!("out of memory for distinct records after {} of them", self.keys.len()))
        })?;
        let is_new = self.keys.insert(key);
        self.repeats = if is_new { 0 } else { self.repeats + 1 };
        Ok(is_new)
    }
}
