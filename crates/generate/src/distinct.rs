//! Recognises a record that differs from an earlier record only in the arrangement of its cells and in the
//! labels of its digits.
//!
//! Workers compute the keys, because a canonical form takes longer than a lookup in a set. The lookups happen
//! on the thread that receives the records in order. The set is in memory.
//!
//! [`KeyGroups`](quadrille_batch::key_groups::KeyGroups) is not suitable here, because it may wait until the
//! end before it reports whether a record is new. A generated record that is not new must be replaced at
//! once.

use std::collections::HashSet;

use super::record::Generated;
use super::sudoku::{Kind, Request};
use quadrille_model::canonical::{Canonizer, Cells, Form};
use quadrille_model::{Error, ErrorKind, Result};

/// Returns the canonical form that is used to compare records of the given kind.
///
/// Keys of different forms are not comparable, so all records of a kind need the same form. Kinds of puzzles
/// that promise one solution use `by-solution`, because this form is cheaper. Other kinds cannot use it,
/// because it requires one solution.
fn form(kind: Kind) -> Form {
    match kind {
        Kind::Grids => Form::Solution,
        Kind::Puzzles | Kind::Minimal | Kind::Neighbours => Form::BySolution,
        Kind::Multiple | Kind::Altered | Kind::Sparse => Form::Puzzle,
    }
}

/// Computes a key for each record of a request. Equivalent records have the same key.
#[derive(Debug)]
pub(super) struct RecordKeys {
    form: Form,
    canonizer: Canonizer,
}

impl RecordKeys {
    /// Creates the key computation, or returns `None` if the request allows equivalent records.
    pub(super) fn new(request: &Request) -> Option<Self> {
        request.distinct.then(|| RecordKeys { form: form(request.kind), canonizer: Canonizer::new() })
    }

    /// Returns the key of a record, or `None` if grids of its shape have no canonical form.
    ///
    /// The checks of the request rule out such shapes.
    pub(super) fn key(&mut self, record: &Generated) -> Option<u128> {
        let solution = record.solution.as_ref().filter(|_| self.form.needs_solution());
        let solution = solution.map(|digits| Cells::of_solution(digits)).transpose().ok()?;
        let canonical = self.canonizer.canonical(self.form, &record.clue_cells()?, solution.as_ref());
        canonical.ok().map(|canonical| canonical.cells.key(self.form))
    }
}

/// Set of the keys of all records so far.
///
/// Each key takes 19 to 39 bytes. While the set is being enlarged, it takes up to 1.5 times as much memory.
#[derive(Debug, Default)]
pub(super) struct KeyGroups {
    keys: HashSet<u128>,
    /// Number of repeated records since the last record that was new.
    pub(super) repeats: u64,
}

impl KeyGroups {
    /// Returns true if no earlier record had this key.
    ///
    /// # Errors
    /// Returns an internal error if `key` is `None`, or an error if memory is exhausted.
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
