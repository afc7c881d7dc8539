//! Records that are the same as an earlier one, but for arrangement and labels: their keys, and which came before.
//!
//! Workers make the keys, since a canonical form costs more than a look at a set; the thread that takes the records in
//! order asks the set. That is in memory and not [`Classes`](quadrille_batch::classes::Classes), which may say only at the end if a
//! record is new: here the answer decides if another record is made.

use std::collections::HashSet;

use super::record::Generated;
use super::sudoku::{Kind, Request};
use quadrille_model::canonical::{Canonizer, Cells, Form, NoForm};
use quadrille_model::{Error, ErrorKind, Result};

/// The form by which records of a kind are the same: one for all of them, since those of different forms do not compare.
/// So only kinds that promise one solution have the cheaper `carried`.
fn form(kind: Kind) -> Form {
    match kind {
        Kind::Grids => Form::Solution,
        Kind::Puzzles | Kind::Minimal => Form::Carried,
        Kind::Multiple | Kind::Changed | Kind::Sparse => Form::Puzzle,
    }
}

/// Makes the keys of records of one request, the same one for all records of a class.
#[derive(Debug)]
pub(super) struct Keys {
    form: Form,
    canonizer: Canonizer,
}

impl Keys {
    /// Returns one if the request asks for distinct records.
    pub(super) fn of(request: &Request) -> Option<Self> {
        request.distinct.then(|| Keys { form: form(request.kind), canonizer: Canonizer::new() })
    }

    /// Returns the key of a record; `None` if it has none, which the checks of the request rule out.
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

/// The classes of the records so far: 19 to 39 bytes each, half as much again while the set grows.
#[derive(Debug, Default)]
pub(super) struct Classes {
    keys: HashSet<u128>,
    /// Records since the last one that was new.
    repeats: u64,
}

impl Classes {
    /// Returns true if no earlier record had this key.
    ///
    /// # Errors
    /// No key, which is a defect; no memory for one more.
    pub(super) fn is_new(&mut self, key: Option<u128>) -> Result<bool> {
        let key = key.ok_or_else(|| ErrorKind::Internal("a generated record without a form".to_owned()))?;
        self.keys.try_reserve(1).map_err(|_| {
            Error::model(format!("out of memory for distinct records after {} of them", self.keys.len()))
        })?;
        let is_new = self.keys.insert(key);
        self.repeats = if is_new { 0 } else { self.repeats + 1 };
        Ok(is_new)
    }

    /// Records since the last one that was new.
    pub(super) fn repeats(&self) -> u64 {
        self.repeats
    }
}
