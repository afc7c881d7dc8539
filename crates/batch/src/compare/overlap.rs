//! Overlap: the relation of every record of one corpus to another corpus.

use std::io;
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3Default;

use super::row_spool::RowSpool;
use super::{FilterTail, KeyMark, RowFilter, unless_stopped, write_waiting};
use crate::key_groups::{Found, KeyIndex, LookupResult, Lookups};
use quadrille_engine::Control;
use quadrille_formats::output::{ExtraColumn, Notation};
use quadrille_model::{Error, Result, Status, worded};

/// Columns appended to every record.
pub const COLUMNS: &[&str] = &["relation", "first"];

worded! {
    /// Relations of a record to another corpus, in the order in which they are tried.
    pub Relation, word, from_word {
        /// The corpus has a puzzle with the same clues.
        Copy = "copy",
        /// The corpus has the same puzzle up to arrangement and labels.
        Isomorph = "isomorph",
        /// The corpus has another puzzle with the same solution up to arrangement and labels.
        SameGrid = "same-grid",
        /// None of the other relations holds.
        New = "new",
    }
}

/// Collects the keys of the corpus to compare with; writes no rows.
pub struct ReferenceKeys {
    firsts: KeyIndex,
    digest: Xxh3Default,
}

impl ReferenceKeys {
    /// Creates a collector that takes `memory` bytes and makes temporary files in `directory`.
    pub fn new(memory: u64, directory: &Path) -> Self {
        ReferenceKeys { firsts: KeyIndex::new(memory, directory), digest: Xxh3Default::new() }
    }

    /// Returns a hash of all keys added, with the numbers of their records.
    pub fn digest(&self) -> u128 {
        self.digest.digest128()
    }

    /// Ends the collection and returns the filter that compares records with the collected keys.
    ///
    /// Temporary files are made in `directory`.
    pub fn compare(self, directory: &Path) -> Overlap {
        Overlap {
            questions: Some(self.firsts.questions()),
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

/// Appends to every record its relation to the known corpus, and the first related record's number.
///
/// A record that is not a copy and does not have exactly one solution gets its status instead of a relation.
///
/// If all keys of the known corpus fit into memory, a row is written as soon as its turn comes. Otherwise rows wait on
/// disk.
pub struct Overlap {
    questions: Option<Lookups>,
    waiting: RowSpool,
    counts: [u64; Relation::ALL.len()],
    /// Columns that are written, in this order: some of [`COLUMNS`]. Default: all.
    pub columns: Vec<&'static str>,
    /// Relations whose rows are written; if empty, all rows are written, and the run selects by status.
    pub relations: Vec<Relation>,
    /// Statuses whose rows are written in addition to those of `relations`.
    pub statuses: Vec<Status>,
    /// Index of the relation of each record; the number of relations if it has none.
    journal: Vec<u8>,
}

/// Bit of a waiting row's tag: set if the relation will only be known at the end.
const IS_ASKED: u8 = 0x80;
/// Tag of a row that can have a relation; the tag of any other row is its status.
const IS_COMPARED: u8 = 0x7f;

impl Overlap {
    /// Returns the number of records with a relation.
    pub fn count(&self, relation: Relation) -> u64 {
        self.counts[relation as usize]
    }

    /// Appends a row with its relation. Returns the number of rows.
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
        // A row without a status in its tag has exactly one solution.
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
        let waiting = std::mem::take(&mut self.waiting);
        questions.stop_by(control);
        let Some(mut answers) = unless_stopped(questions.finish())? else { return Ok(FilterTail::STOPPED) };
        write_waiting(waiting, control, write, |rows, notation, tag, out| {
            let found = if tag & IS_ASKED != 0 { answers.next().transpose()?.flatten() } else { None };
            Ok(self.write(rows, (notation, tag), found, out))
        })
    }
}
