//! Comparison of every record of one corpus with another corpus.

use std::io;
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3Default;

use super::row_spool::RowSpool;
use super::{FilterTail, KeyMark, RowFilter, unless_stopped, write_waiting};
use crate::key_groups::{Found, KeyIndex, LookupResult};
use quadrille_engine::Control;
use quadrille_formats::output::{ExtraColumn, Notation};
use quadrille_model::{Error, Result, Status, worded};

/// Columns appended to every record.
pub const COLUMNS: &[&str] = &["relation", "first"];

/// Descriptions of [`COLUMNS`] for the help text.
pub const ABOUT: &[&str] = &[
    "new, copy, isomorph or same-grid, or the status",
    "number of the first record of A that has this relation",
];

worded! {
    /// Relations of a record to another corpus. They are tested in this order, and the first that holds is
    /// chosen.
    pub Relation, word, from_word {
        /// The other corpus has a puzzle with the same clues.
        Copy = "copy",
        /// The other corpus has an equivalent puzzle, which differs only in the arrangement of its cells and
        /// the labels of its digits.
        Isomorph = "isomorph",
        /// The other corpus has a different puzzle with an equivalent solution.
        SameGrid = "same-grid",
        /// None of the other relations holds.
        New = "new",
    }
}

/// A row filter that collects the keys of all records of a corpus, for later comparison. It outputs no rows.
pub struct ReferenceKeys {
    firsts: KeyIndex,
    digest: Xxh3Default,
}

impl ReferenceKeys {
    /// Creates a collector that uses `memory` bytes, with temporary files in `directory`.
    pub fn new(memory: u64, directory: &Path) -> Self {
        ReferenceKeys { firsts: KeyIndex::new(memory, directory), digest: Xxh3Default::new() }
    }

    /// Returns a hash of all collected keys and of their record numbers.
    pub fn digest(&self) -> u128 {
        self.digest.digest128()
    }

    /// Ends the collection. Returns a filter that compares the records of a run with the collected corpus.
    ///
    /// The filter creates temporary files in `directory`.
    pub fn compare(self, directory: &Path) -> Overlap {
        Overlap {
            questions: Some(self.firsts),
            waiting: RowSpool::new(directory),
            counts: [0; Relation::ALL.len()],
            columns: COLUMNS.to_vec(),
            relations: Vec::new(),
            statuses: Vec::new(),
            journal: Vec::new(),
        }
    }
}

impl RowFilter for ReferenceKeys {
    fn take(&mut self, mark: &KeyMark, _: &[u8], _: &mut Vec<u8>) -> Result<u64> {
        self.digest.update(&mark.index.to_le_bytes());
        for key in mark.keys.into_iter().flatten() {
            self.digest.update(&key.to_le_bytes());
            self.firsts.add(key, mark.index)?;
        }
        Ok(0)
    }
}

/// A row filter that appends to every row the relation of its record to another corpus.
///
/// The filter also appends the number of the first related record in the other corpus. If a record is not a
/// copy and does not have exactly one solution, the filter appends the record's status instead of a relation.
///
/// If all keys of the other corpus fit into memory, the filter outputs rows at once. Otherwise it stores the
/// rows on disk until the end of the run.
pub struct Overlap {
    questions: Option<KeyIndex>,
    waiting: RowSpool,
    counts: [u64; Relation::ALL.len()],
    /// Columns to write, in order. They are columns from [`COLUMNS`], by default all of them.
    pub columns: Vec<&'static str>,
    /// Relations for which rows are written. If the list is empty, the filter outputs all rows, and the run
    /// selects rows by their status.
    pub relations: Vec<Relation>,
    /// Statuses for which rows are written, in addition to the rows selected by `relations`.
    pub statuses: Vec<Status>,
    /// One byte per record: the index of its relation, or the number of relations if the record has no
    /// relation.
    journal: Vec<u8>,
}

/// Bit in the tag of a stored row. If the bit is set, the relation is not known until the end of the run.
const IS_ASKED: u8 = 0x80;
/// Tag of a row whose record can have a relation. For all other rows, the tag is the status of the record.
const IS_COMPARED: u8 = 0x7f;

impl Overlap {
    /// Returns the number of records with the relation `relation`.
    pub fn count(&self, relation: Relation) -> u64 {
        self.counts[relation as usize]
    }

    /// Appends the rows of a record to `out`, with the relation of that record. Returns the number of rows.
    fn write(
        &mut self,
        rows: &[u8],
        (notation, tag): (Notation, u8),
        found: Option<Found>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let relation = match found {
            Some(found) => Some(Relation::ALL[found.which]),
            None => (tag & !IS_ASKED == IS_COMPARED).then_some(Relation::New),
        };
        // If the tag contains no status, the record has exactly one solution.
        let status = Status::ALL.get(usize::from(tag & !IS_ASKED)).copied().unwrap_or(Status::Unique);
        if let Some(relation) = relation {
            self.counts[relation as usize] += 1;
        }
        let is_wanted = self.relations.is_empty()
            || relation.is_some_and(|relation| self.relations.contains(&relation))
            || self.statuses.contains(&status);
        if rows.is_empty() || !is_wanted {
            return 0;
        }
        let word = relation.map_or_else(|| status.word(), Relation::word);
        let number = found.map_or_else(String::new, |found| found.number.to_string());
        let columns = self.columns.iter().map(|&name| match name == COLUMNS[0] {
            true => ExtraColumn { name, value: word, is_word: true },
            false => ExtraColumn { name, value: &number, is_word: false },
        });
        notation.append(rows, &columns.collect::<Vec<_>>(), out);
        1
    }
}

impl RowFilter for Overlap {
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64> {
        let Some(questions) = &mut self.questions else { return Ok(0) };
        let asked = questions.ask(mark.keys)?;
        let tag = if mark.keys[1].is_some() { IS_COMPARED } else { mark.status as u8 };
        if asked == LookupResult::Later || self.waiting.has_rows() {
            let is_asked = if asked == LookupResult::Later { IS_ASKED } else { 0 };
            self.waiting.push(rows, mark.notation, tag | is_asked)?;
            return Ok(0);
        }
        let found = match asked {
            LookupResult::Found(found) => Some(found),
            LookupResult::Absent | LookupResult::Later => None,
        };
        let relation =
            found.map(|found| found.which).or((tag == IS_COMPARED).then_some(Relation::New as usize));
        self.journal.push(relation.unwrap_or(Relation::ALL.len()) as u8);
        Ok(self.write(rows, (mark.notation, tag), found, out))
    }

    fn journal(&mut self) -> Option<&mut Vec<u8>> {
        if self.waiting.has_rows() { None } else { Some(&mut self.journal) }
    }

    fn restore(&mut self, journal: &[u8]) -> Result<()> {
        for &relation in journal {
            match self.counts.get_mut(usize::from(relation)) {
                Some(count) => *count += 1,
                None if usize::from(relation) == Relation::ALL.len() => {}
                None => return Err(Error::usage("the checkpoint has invalid relations")),
            }
        }
        Ok(())
    }

    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<FilterTail> {
        let Some(questions) = self.questions.take().filter(|_| self.waiting.has_rows()) else {
            return Ok(FilterTail::NONE);
        };
        // No more rows will wait, so the new spool needs no directory.
        let waiting = std::mem::replace(&mut self.waiting, RowSpool::new(Path::new("")));
        questions.stop_by(control);
        let Some(mut answers) = unless_stopped(questions.finish())? else { return Ok(FilterTail::STOPPED) };
        write_waiting(waiting, control, write, |rows, notation, tag, out| {
            let found = if tag & IS_ASKED != 0 { answers.next().transpose()?.flatten() } else { None };
            Ok(self.write(rows, (notation, tag), found, out))
        })
    }
}
