//! Deduplication. It keeps the first record of every class, or it keeps every record and appends its class. A
//! class is a group of records that count as equal.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::row_spool::RowSpool;
use super::{FilterTail, KeyMark, RowFilter, unless_stopped, write_waiting};
use crate::key_groups::{KeyGroups, Membership, Resolved, Summary};
use crate::stats::Statistics;
use quadrille_engine::Control;
use quadrille_formats::output::ExtraColumn;
use quadrille_model::{Error, Result};

/// Columns that are appended to every row if all records are kept, and not only the first of each class.
pub const COLUMNS: &[&str] = &["class", "first", "size"];

/// Descriptions of [`COLUMNS`] for the help text.
pub const ABOUT: &[&str] = &[
    "with --all: number of the puzzle's class, 1-based",
    "with --all: number of the first record of the class",
    "with --all: number of records in the class",
];

/// A filter that keeps the first record of every class. It also keeps every record that has no class.
///
/// As long as all keys fit into memory, rows are written at once. Once the keys do not fit, rows wait on disk
/// until the end. If all records are kept, rows always wait, because the size of a class is only known at the
/// end.
pub struct Dedup {
    state: Option<DedupState>,
    keeps_all: bool,
    /// Columns to append, in order. They must be columns of [`COLUMNS`]. By default, all of them are
    /// appended.
    pub columns: Vec<&'static str>,
    /// Results of the deduplication, or `None` until the run ends.
    pub report: Option<DedupReport>,
    /// 1-based number, in the whole run, of the first record.
    start: u64,
    /// Journal of the records so far, which a checkpoint stores. It has one [`entry`] of [`ENTRY`] bytes per
    /// record.
    journal: Vec<u8>,
}

/// Bytes per record in the journal: one byte that says which keys exist, and two keys.
const ENTRY: usize = 33;

fn entry(keys: [Option<u128>; 2]) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    entry[0] = u8::from(keys[0].is_some()) | u8::from(keys[1].is_some()) << 1;
    entry[1..17].copy_from_slice(&keys[0].unwrap_or(0).to_le_bytes());
    entry[17..].copy_from_slice(&keys[1].unwrap_or(0).to_le_bytes());
    entry
}

/// Returns the keys in an entry of the journal, or `None` if the bytes are not an entry.
fn keys_of(entry: &[u8]) -> Option<[Option<u128>; 2]> {
    let (&which, keys) = entry.split_first().filter(|(which, _)| **which < 4)?;
    let (first, second) = keys.split_first_chunk()?;
    let second = second.try_into().ok()?;
    let key = |bit: u8, bytes: [u8; 16]| (which & bit != 0).then(|| u128::from_le_bytes(bytes));
    Some([key(1, *first), key(2, second)])
}

struct DedupState {
    classes: KeyGroups,
    /// Classes of records with equal text, or `None` if `classes` already groups by text.
    copies: Option<KeyGroups>,
    /// All rows from the first one that had to wait. A row waits if it is not known yet whether it is
    /// written.
    waiting: RowSpool,
    records: u64,
}

impl DedupState {
    /// Adds the keys of the next record.
    fn add(&mut self, [key, text]: [Option<u128>; 2]) -> Result<Membership> {
        self.records += 1;
        if let Some(copies) = &mut self.copies {
            copies.add(key.and(text))?;
        }
        self.classes.add(key)
    }
}

/// Results of a deduplication.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DedupReport {
    /// Summary of the classes. Its record numbers are 0-based.
    pub classes: Summary,
    /// Number of records whose clues are exactly those of an earlier record.
    pub copies: u64,
    /// 1-based number of the first record. It exceeds 1 if the input is a later shard of a corpus.
    pub start: u64,
}

impl Dedup {
    /// Creates a filter that uses `memory` bytes plus one or two bits per record.
    ///
    /// - `directory`: directory of temporary files.
    /// - `keeps_all`: true to keep every record and append [`COLUMNS`].
    /// - `of_copies`: true if records are compared by their text only; false if each record has another key that comes before the key of its text.
    /// - `start`: 1-based number of the first record. It exceeds 1 if the input is a later shard of a corpus.
    pub fn new(memory: u64, directory: &Path, keeps_all: bool, of_copies: bool, start: u64) -> Self {
        let shares = if of_copies { 1 } else { 2 };
        let state = DedupState {
            classes: KeyGroups::new(memory / shares, directory, keeps_all),
            copies: (!of_copies).then(|| KeyGroups::new(memory / shares, directory, false)),
            waiting: RowSpool::new(directory),
            records: 0,
        };
        let columns = COLUMNS.to_vec();
        Dedup { state: Some(state), keeps_all, columns, report: None, start, journal: Vec::new() }
    }
}

impl RowFilter for Dedup {
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64> {
        let Some(state) = &mut self.state else { return Ok(0) };
        let number = state.records;
        let keys = [mark.keys[0], mark.keys[1]];
        let seen = state.add(keys)?;
        if seen == Membership::Later || self.keeps_all || state.waiting.has_rows() {
            state.waiting.push(rows, mark.notation, u8::from(seen == Membership::Later))?;
            return Ok(0);
        }
        self.journal.extend_from_slice(&entry(keys));
        let is_kept = !matches!(seen, Membership::Known(member) if member.first != number);
        if is_kept {
            out.extend_from_slice(rows);
        }
        Ok(u64::from(is_kept && !rows.is_empty()))
    }

    fn account(&self, statistics: &mut Statistics) {
        if let Some(report) = &self.report {
            // This replaces class sizes of the last checkpoint.
            statistics.class_sizes.clone_from(&report.classes.sizes);
        }
    }

    fn journal(&mut self) -> Option<&mut Vec<u8>> {
        let has_rows = self.state.as_ref().is_none_or(|state| state.waiting.has_rows());
        if self.keeps_all || has_rows { None } else { Some(&mut self.journal) }
    }

    fn journal_entry(&self) -> usize {
        ENTRY
    }

    fn restore(&mut self, journal: &[u8]) -> Result<()> {
        let foreign = || Error::usage("the checkpoint has invalid keys");
        for entry in journal.chunks(ENTRY) {
            let keys = keys_of(entry).ok_or_else(foreign)?;
            let state = self.state.as_mut().ok_or_else(foreign)?;
            // The keys may not fit if the memory is smaller than in the earlier run. The filter would then
            // have to hold back rows, but the earlier run already wrote these rows.
            if state.add(keys)? == Membership::Later {
                return Err(Error::usage(
                    "the keys of the checkpoint do not fit into memory (raise --memory)",
                ));
            }
        }
        Ok(())
    }

    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<FilterTail> {
        let Some(state) = self.state.take() else { return Ok(FilterTail::NONE) };
        let DedupState { classes, copies, waiting, .. } = state;
        classes.stop_by(control);
        let Some(resolved) = unless_stopped(classes.finish())? else { return Ok(FilterTail::STOPPED) };
        let Resolved { summary, mut members } = resolved;
        let copies = match copies {
            Some(copies) => {
                copies.stop_by(control);
                let Some(resolved) = unless_stopped(copies.finish())? else { return Ok(FilterTail::STOPPED) };
                resolved.summary.duplicates
            }
            None => summary.duplicates,
        };
        let start = self.start;
        self.report = Some(DedupReport { classes: summary, copies, start });
        if !waiting.has_rows() {
            return Ok(FilterTail::NONE);
        }
        let keeps_all = self.keeps_all;
        write_waiting(waiting, control, write, |rows, notation, is_asked, out| {
            let settled = if is_asked == 1 { members.next().transpose()? } else { None };
            let is_kept = keeps_all || settled.is_none_or(|one| one.member.first == one.number);
            if !is_kept || rows.is_empty() {
                return Ok(0);
            }
            if keeps_all {
                let values = settled.map(|one| [one.member.class, start + one.member.first, one.size]);
                let values = values.map(|values| values.map(|value| value.to_string())).unwrap_or_default();
                let place = |name| COLUMNS.iter().position(|known| *known == name);
                let value = |name| place(name).map_or("", |place| &values[place]);
                let columns =
                    self.columns.iter().map(|&name| ExtraColumn { name, value: value(name), is_word: false });
                notation.append(rows, &columns.collect::<Vec<_>>(), out);
            } else {
                out.extend_from_slice(rows);
            }
            Ok(1)
        })
    }
}
