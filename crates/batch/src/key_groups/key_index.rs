//! Index of the keys of one corpus, to find which of them occur in another corpus.

use std::path::Path;
use std::sync::Arc;

use super::sorter::{Sorted, Sorter};
use super::table::{Full, KeyTable};
use super::{Plan, halves};
use quadrille_engine::Control;
use quadrille_model::Result;

/// Number of keys in one lookup. The result of a lookup is the first of its keys that occurs in the corpus.
pub const KEYS: usize = 3;

/// Index of the keys of a corpus. For each key, it stores the lowest number of a record with this key.
///
/// First [`add`](Self::add) collects all keys. Then [`ask`](Self::ask) looks up keys. If all keys of the
/// corpus fitted into memory, each lookup returns its result at once. Otherwise [`finish`](Self::finish)
/// returns all results.
///
/// A record may have several keys of different kinds, for example hashes of its text and of its canonical
/// form. The caller must ensure that keys of different kinds never coincide, for example by including the
/// kind in the hash. After an error, the results of further calls are meaningless.
#[derive(Debug)]
pub struct KeyIndex {
    plan: Plan,
    /// All keys, or `None` after the keys were moved to the sorter.
    table: Option<KeyTable>,
    /// Keys that did not fit into memory, each with the number of its record.
    sorter: Sorter<3>,
    /// Looked-up keys that wait for [`finish`](Self::finish).
    ///
    /// Each has a number: the index of its lookup times [`KEYS`], plus the position of the key in the lookup.
    asked: Sorter<3>,
    /// Number of lookups with keys in `asked`.
    questions: u64,
}

impl KeyIndex {
    /// Creates an index without keys.
    ///
    /// The keys occupy at most `memory_bytes` bytes, or [`MIN_MEMORY`](super::MIN_MEMORY) if that is more. If
    /// they do not fit, temporary files are created in `directory`.
    pub fn new(memory_bytes: u64, directory: &Path) -> Self {
        Self::with_plan(Plan::new(memory_bytes, directory))
    }

    pub(super) fn with_plan(plan: Plan) -> Self {
        let [sorter, asked] = [0; 2].map(|_| Sorter::new(&plan.scratch));
        KeyIndex { table: Some(KeyTable::new(plan.table_bytes)), plan, sorter, asked, questions: 0 }
    }

    /// Adds a key and the number of its record. Records may come in any order.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be created or written.
    #[inline]
    pub fn add(&mut self, key: u128, number: u64) -> Result<()> {
        if let Some(table) = &mut self.table {
            match table.add(key, number) {
                Ok(_) => return Ok(()),
                Err(Full) => self.spill()?,
            }
        }
        let [high, low] = halves(key);
        self.sorter.push([high, low, number])
    }

    #[cold]
    fn spill(&mut self) -> Result<()> {
        let mut entries = self.table.take().into_iter().flat_map(KeyTable::into_entries);
        entries.try_for_each(|entry| {
            let [high, low] = halves(entry.key);
            self.sorter.push([high, low, entry.first])
        })
    }

    /// Looks up `keys` and returns the first of them that occurs in the corpus.
    ///
    /// The result is `Absent` if `keys` contains no key.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be created or written.
    #[inline]
    pub fn ask(&mut self, keys: [Option<u128>; KEYS]) -> Result<LookupResult> {
        if let Some(table) = &self.table {
            let look = |(which, key): (usize, Option<u128>)| {
                table.get(key?).map(|entry| LookupResult::Found(Found { which, number: entry.first }))
            };
            return Ok(keys.into_iter().enumerate().find_map(look).unwrap_or(LookupResult::Absent));
        }
        if keys == [None; KEYS] {
            return Ok(LookupResult::Absent);
        }
        for (place, key) in (self.questions * KEYS as u64..).zip(keys) {
            if let Some([high, low]) = key.map(halves) {
                self.asked.push([high, low, place])?;
            }
        }
        self.questions += 1;
        Ok(LookupResult::Later)
    }

    /// Sets the control that can stop [`KeyIndex::finish`] and the iteration over its results.
    pub fn stop_by(&self, control: &Arc<Control>) {
        self.plan.scratch.stop_by(control);
    }

    /// Returns the results of all lookups that did not return a result at once.
    ///
    /// If keys are on disk, this call takes about as long as all earlier calls together.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be created, written or read.
    /// Returns [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) if the work [was
    /// stopped](Self::stop_by).
    pub fn finish(self) -> Result<Answers> {
        let KeyIndex { plan, sorter, asked, questions, .. } = self;
        let (mut keys, mut asked) = (sorter.sorted()?, asked.sorted()?);
        let mut found = Sorter::new(&plan.scratch);
        let mut known = keys.next()?;
        while let Some([high, low, place]) = asked.next()? {
            while known.is_some_and(|known| known[..2] < [high, low][..]) {
                known = keys.next()?;
            }
            if let Some([.., number]) = known.filter(|known| known[..2] == [high, low]) {
                found.push([place, number])?;
            }
        }
        let mut found = found.sorted()?;
        Ok(Answers { next: found.next()?, found, questions: 0..questions })
    }
}

/// Immediate answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupResult {
    /// The first key of the lookup that occurs in the corpus.
    Found(Found),
    /// None of the keys occurs in the corpus.
    Absent,
    /// The result is not known until [`KeyIndex::finish`].
    Later,
}

/// A key of a lookup that occurs in the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Position of the key within the lookup, 0-based.
    pub which: usize,
    /// Lowest number of a record that has this key.
    pub number: u64,
}

/// Iterator over the results of lookups that did not return a result at once, in the order of the lookups.
///
/// Yields `None` for a lookup if none of its keys occurs in the corpus.
///
/// # Errors
/// Yields an error if a temporary file cannot be read. The iterator then ends.
#[derive(Debug)]
pub struct Answers {
    /// Looked-up keys that occur in the corpus. Each entry consists of two numbers: the number of the
    /// looked-up key, and the number of the record in the corpus that has this key.
    found: Sorted<2>,
    next: Option<[u64; 2]>,
    questions: std::ops::Range<u64>,
}

impl Answers {
    fn answer(&mut self, question: u64) -> Result<Option<Found>> {
        let mut answer = None;
        while let Some([place, number]) = self.next.filter(|[place, _]| place / KEYS as u64 == question) {
            answer = answer.or(Some(Found { which: (place % KEYS as u64) as usize, number }));
            self.next = self.found.next()?;
        }
        Ok(answer)
    }
}

impl Iterator for Answers {
    type Item = Result<Option<Found>>;

    fn next(&mut self) -> Option<Self::Item> {
        let question = self.questions.next()?;
        let answer = self.answer(question);
        if answer.is_err() {
            self.questions = 0..0;
        }
        Some(answer)
    }
}
