//! Finds which keys of one corpus occur in another.

use std::path::Path;

use super::Plan;
use super::partitions::{Division, Joined, NOWHERE, Partition, check_depth, in_groups};
use super::spool::{Spool, StopCheck};
use super::store::KeyStore;
use super::table::{KeyHash, KeyTable};
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
    keys: KeyStore,
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
        let keys = KeyStore::Memory(KeyTable::new(plan.table_bytes(1, 0), 0));
        KeyIndex { plan, keys }
    }

    /// Adds a key with a number below 2^64 - 1. Numbers may come in any order.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made or written.
    #[inline]
    pub fn add(&mut self, key: u128, number: u64) -> Result<()> {
        self.keys.add(&self.plan, (key, number), |_| ()).map(drop)
    }

    /// Ends the collection of keys and returns the object that answers questions.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be written.
    pub fn questions(self) -> Result<Lookups> {
        let plan = self.plan;
        let keys = match self.keys {
            KeyStore::Memory(table) => LookupState::Memory(table),
            KeyStore::Disk(division) => LookupState::Disk {
                asked: Division::new(&plan, division.hash),
                keys: division.close()?,
                route: Spool::new(&plan.scratch),
            },
        };
        Ok(Lookups { plan, keys })
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
    Disk { keys: Vec<Partition>, asked: Division, route: Spool },
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
            LookupState::Disk { asked, route, .. } => {
                for key in keys {
                    route.byte(key.map_or(Ok(NOWHERE), |key| asked.key(key))?)?;
                }
                Ok(LookupResult::Later)
            }
        }
    }

    /// Sets a function that can stop [`Lookups::finish`] and the reading of its answers.
    pub fn stop_by(&self, stop: StopCheck) {
        self.plan.scratch.stop_by(stop);
    }

    /// Returns the answers that could not be given immediately.
    ///
    /// If keys are on disk, the call takes about as long as all calls before.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made, written or read. Returns
    /// [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) if the work [was stopped](Self::stop_by).
    pub fn finish(self) -> Result<Answers> {
        let plan = &self.plan;
        let joined = match self.keys {
            LookupState::Memory(_) => None,
            LookupState::Disk { keys, asked, route } => Some(join_all(plan, keys, asked.close()?, route, 1)?),
        };
        Ok(Answers { joined })
    }
}

/// Returns the answers of all partitions of a division, in the order of the questions.
fn join_all(
    plan: &Plan,
    keys: Vec<Partition>,
    asked: Vec<Partition>,
    route: Spool,
    divisions: u32,
) -> Result<Joined> {
    check_depth(divisions)?;
    let answers = keys.into_iter().zip(asked).map(|(keys, asked)| join(plan, keys, asked, divisions));
    let answers = answers.collect::<Result<_>>()?;
    Joined::new(route, answers)
}

/// Returns, for each key looked up in a partition, its number plus one; 0 if the key does not occur.
fn join(plan: &Plan, mut keys: Partition, mut asked: Partition, divisions: u32) -> Result<Spool> {
    let mut answers = Spool::new(&plan.scratch);
    if asked.keys == 0 {
        return Ok(answers);
    }
    if let Some(table) = keys.table(plan.table_bytes(divisions, 0))? {
        in_groups(
            asked.keys,
            || asked.next_key(),
            |group| {
                table.touch(group.iter().copied());
                for &key in group {
                    answers.number(table.get(key).map_or(0, |entry| entry.first.saturating_add(1)))?;
                }
                Ok(true)
            },
        )?;
        return Ok(answers);
    }
    let hash = KeyHash::random();
    let keys = keys.divide(plan, hash, |_| Ok(()))?;
    let (mut division, mut route) = (Division::new(plan, hash), Spool::new(&plan.scratch));
    for _ in 0..asked.keys {
        route.byte(division.key(asked.next_key()?)?)?;
    }
    drop(asked);
    let mut joined = join_all(plan, keys, division.close()?, route, divisions + 1)?;
    while let Some(Some(replay)) = joined.next()? {
        answers.number(replay.number()?)?;
    }
    Ok(answers)
}

/// Iterator over the answers that came late, in the order of the questions; `None` if no key occurs.
///
/// # Errors
/// Yields an error if a temporary file cannot be read; the iterator then ends.
#[derive(Debug)]
pub struct Answers {
    joined: Option<Joined>,
}

impl Answers {
    fn try_next(&mut self) -> Result<Option<Option<Found>>> {
        let Some(joined) = &mut self.joined else { return Ok(None) };
        let mut found = None;
        for which in 0..KEYS {
            let Some(answers) = joined.next()? else { return Ok(None) };
            if let Some(answers) = answers
                && let Some(number) = answers.number()?.checked_sub(1)
            {
                found = found.or(Some(Found { which, number }));
            }
        }
        Ok(Some(found))
    }
}

impl Iterator for Answers {
    type Item = Result<Option<Found>>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.try_next().transpose();
        if let None | Some(Err(_)) = next {
            self.joined = None;
        }
        next
    }
}
