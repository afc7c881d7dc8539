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
/// [`Lookups`] then finds keys in the corpus.
///
/// A record may have several keys of different kinds, for example hashes of its text and of its canonical
/// form. The caller must ensure that keys of different kinds never coincide, for example by including the
/// kind in the hash. After an error, the results of further calls are meaningless.
#[derive(Debug)]
pub struct KeyIndex {
    plan: Plan,
    /// All keys, or `None` after the keys were moved to the sorter.
    table: Option<KeyTable>,
    /// Key and number.
    sorter: Sorter<3>,
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
        let (table, sorter) = (Some(KeyTable::new(plan.table_bytes)), Sorter::new(&plan.scratch));
        KeyIndex { plan, table, sorter }
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

    /// Ends the collection and returns an object that looks up keys.
    pub fn questions(self) -> Lookups {
        let KeyIndex { plan, table, sorter: keys } = self;
        let keys = match table {
            Some(table) => LookupState::Memory(table),
            None => LookupState::Disk { keys, asked: Sorter::new(&plan.scratch), questions: 0 },
        };
        Lookups { plan, keys }
    }
}

/// Immediate answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupResult {
    /// The first key of the lookup that occurs in the corpus.
    Found(Found),
    /// None of the keys occurs in the corpus.
    Absent,
    /// The result is not known until [`Lookups::finish`].
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

/// Object that looks up keys in the collected corpus.
///
/// If all keys of the corpus fitted into memory, each lookup returns its result at once. Otherwise
/// [`Lookups::finish`] returns all results.
#[derive(Debug)]
pub struct Lookups {
    plan: Plan,
    keys: LookupState,
}

#[derive(Debug)]
enum LookupState {
    Memory(KeyTable),
    /// The keys did not fit into memory. One sorter has all keys of the corpus, and another sorter has all
    /// looked-up keys.
    ///
    /// Each looked-up key has a number: the index of its lookup times [`KEYS`], plus the position of the key
    /// in the lookup.
    Disk {
        keys: Sorter<3>,
        asked: Sorter<3>,
        questions: u64,
    },
}

impl Lookups {
    /// Looks up `keys` and returns the first of them that occurs in the corpus.
    ///
    /// The result is `Absent` if `keys` contains no key.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be created or written.
    #[inline]
    pub fn ask(&mut self, keys: [Option<u128>; KEYS]) -> Result<LookupResult> {
        match &mut self.keys {
            LookupState::Memory(table) => {
                let look = |(which, key): (usize, Option<u128>)| {
                    table.get(key?).map(|entry| LookupResult::Found(Found { which, number: entry.first }))
                };
                Ok(keys.into_iter().enumerate().find_map(look).unwrap_or(LookupResult::Absent))
            }
            LookupState::Disk { .. } if keys == [None; KEYS] => Ok(LookupResult::Absent),
            LookupState::Disk { asked, questions, .. } => {
                for (place, key) in (*questions * KEYS as u64..).zip(keys) {
                    if let Some([high, low]) = key.map(halves) {
                        asked.push([high, low, place])?;
                    }
                }
                *questions += 1;
                Ok(LookupResult::Later)
            }
        }
    }

    /// Sets the control that can stop [`Lookups::finish`] and the iteration over its results.
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
        let LookupState::Disk { keys, asked, questions } = self.keys else {
            return Ok(Answers { found: Sorted::nothing(), next: None, questions: 0..0 });
        };
        let (mut keys, mut asked) = (keys.sorted()?, asked.sorted()?);
        let mut found = Sorter::new(&self.plan.scratch);
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
