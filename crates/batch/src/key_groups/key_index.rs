//! Finds which keys of one corpus occur in another.

use std::path::Path;
use std::sync::Arc;

use super::sorter::{Sorted, Sorter};
use super::table::{Full, KeyTable};
use super::{Plan, halves};
use quadrille_engine::Control;
use quadrille_model::Result;

/// Number of keys per question. The answer is the first of them that occurs in the corpus.
pub const KEYS: usize = 3;

/// Collects the keys of a corpus, with the lowest number of each, for lookup by [`Lookups`].
///
/// A record may have several keys of different kinds, which the caller keeps apart (by hashing the kind into the key).
/// After an error the results of further calls are meaningless.
#[derive(Debug)]
pub struct KeyIndex {
    plan: Plan,
    /// All keys; `None` once they are sorted.
    table: Option<KeyTable>,
    /// Key and number.
    sorter: Sorter<3>,
}

impl KeyIndex {
    /// Creates a corpus without keys.
    ///
    /// The keys take up to `memory_bytes`, at least [`MIN_MEMORY`](super::MIN_MEMORY). Temporary files are made in
    /// `directory` when they are needed.
    pub fn new(memory_bytes: u64, directory: &Path) -> Self {
        Self::with_plan(Plan::new(memory_bytes, directory))
    }

    pub(super) fn with_plan(plan: Plan) -> Self {
        let (table, sorter) = (Some(KeyTable::new(plan.table_bytes)), Sorter::new(&plan.scratch));
        KeyIndex { plan, table, sorter }
    }

    /// Adds a key with a number. Numbers may come in any order.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made or written.
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

    /// Ends the collection of keys and returns the object that answers questions.
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
    /// The first of the question's keys that occurs.
    Found(Found),
    /// None of the question's keys occurs.
    Absent,
    /// The answer will come from [`Lookups::finish`].
    Later,
}

/// A key that occurs in the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Position of the key in the question, 0-based.
    pub which: usize,
    /// Lowest number added with the key.
    pub number: u64,
}

/// Looks up which keys occur in the corpus.
///
/// The answer is immediate if all keys fitted into memory; otherwise it comes from [`Lookups::finish`].
#[derive(Debug)]
pub struct Lookups {
    plan: Plan,
    keys: LookupState,
}

#[derive(Debug)]
enum LookupState {
    Memory(KeyTable),
    /// All keys, and the keys asked for: each with the number of its question times [`KEYS`], plus its position.
    Disk {
        keys: Sorter<3>,
        asked: Sorter<3>,
        questions: u64,
    },
}

impl Lookups {
    /// Looks up the first of a question's keys that occurs. A question without keys is answered with `Absent`.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made or written.
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

    /// Sets the control that can stop [`Lookups::finish`] and the reading of its answers.
    pub fn stop_by(&self, control: &Arc<Control>) {
        self.plan.scratch.stop_by(control);
    }

    /// Returns the answers that could not be given immediately.
    ///
    /// If keys are on disk, the call takes about as long as all calls before.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made, written or read. Returns
    /// [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) if the work [was stopped](Self::stop_by).
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

/// Iterator over the answers that came late, in the order of the questions; `None` if no key occurs.
///
/// # Errors
/// Yields an error if a temporary file cannot be read; the iterator then ends.
#[derive(Debug)]
pub struct Answers {
    /// Place of a key among those asked for, and its number; only keys that occur.
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
