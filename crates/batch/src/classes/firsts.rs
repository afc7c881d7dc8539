//! Which keys of one corpus another one has.

use std::path::Path;

use super::Plan;
use super::partitions::{Division, Joined, NOWHERE, Partition, check_depth, in_groups};
use super::spool::{Spool, Stop};
use super::table::{Full, KeyHash, TOGETHER, Table};
use quadrille_model::Result;

/// Keys of a question: the first of them that is there is its answer.
pub const KEYS: usize = 3;

/// Collects the keys of a corpus with the least number of each, to be asked for by [`Questions`].
///
/// A record may have several keys, of kinds that the caller keeps apart (by a hash that the kind goes into). After an
/// error nothing that is asked further means anything.
#[derive(Debug)]
pub struct Firsts {
    plan: Plan,
    state: State,
}

#[derive(Debug)]
enum State {
    Memory(Table),
    Disk { hash: KeyHash, division: Division },
}

impl Firsts {
    /// A corpus without keys. It takes up to `memory_bytes`, but not less than [`MIN_MEMORY`](super::MIN_MEMORY); temporary
    /// files come into `directory` as soon as they are needed.
    pub fn new(memory_bytes: u64, directory: &Path) -> Self {
        Self::with_plan(Plan::new(memory_bytes, directory))
    }

    pub(super) fn with_plan(plan: Plan) -> Self {
        let state = State::Memory(Table::new(plan.table_bytes(1, 0), 0));
        Firsts { plan, state }
    }

    /// Adds a key with a number below 2^64 - 1. Numbers may come in any order.
    ///
    /// # Errors
    /// A temporary file that cannot be made or written; the folder is named.
    #[inline]
    pub fn add(&mut self, key: u128, number: u64) -> Result<()> {
        match &mut self.state {
            State::Memory(table) => match table.add(key, number, 1) {
                Ok(_) => Ok(()),
                Err(Full) => self.spill(key, number),
            },
            State::Disk { division, .. } => division.numbered(key, number).map(drop),
        }
    }

    /// Adds keys with their numbers: the same as [`Firsts::add`] for each, in less time where there are many.
    ///
    /// # Errors
    /// Those of [`Firsts::add`].
    pub fn add_all(&mut self, keys: &[(u128, u64)]) -> Result<()> {
        for keys in keys.chunks(TOGETHER) {
            if let State::Memory(table) = &self.state {
                table.touch(keys.iter().map(|&(key, _)| key));
            }
            keys.iter().try_for_each(|&(key, number)| self.add(key, number))?;
        }
        Ok(())
    }

    /// Takes questions from now on: all keys are there.
    ///
    /// # Errors
    /// A temporary file that cannot be written; the folder is named.
    pub fn questions(self) -> Result<Questions> {
        let plan = self.plan;
        let keys = match self.state {
            State::Memory(table) => Keys::Memory(table),
            State::Disk { hash, division } => Keys::Disk {
                keys: division.close()?,
                asked: Division::new(&plan, hash),
                route: Spool::new(&plan.scratch),
            },
        };
        Ok(Questions { plan, keys })
    }

    /// Takes what the table held to disk, and the key that did not fit.
    #[cold]
    fn spill(&mut self, key: u128, number: u64) -> Result<()> {
        let hash = KeyHash::random();
        let mut division = Division::new(&self.plan, hash);
        let state = std::mem::replace(&mut self.state, State::Memory(Table::new(0, 0)));
        if let State::Memory(table) = state {
            table.into_entries().try_for_each(|entry| division.entry(entry))?;
        }
        division.numbered(key, number)?;
        self.state = State::Disk { hash, division };
        Ok(())
    }
}

/// What is known of a question at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The first of its keys that is there.
    Found(Found),
    /// None of its keys is there.
    Absent,
    /// [`Questions::finish`] tells.
    Later,
}

/// A key that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The place of the key in the question, from 0.
    pub which: usize,
    /// The least number that came with the key.
    pub number: u64,
}

/// Asks which keys are there. An answer comes at once where all keys fitted into memory; else [`Questions::finish`] tells.
#[derive(Debug)]
pub struct Questions {
    plan: Plan,
    keys: Keys,
}

#[derive(Debug)]
enum Keys {
    Memory(Table),
    Disk { keys: Vec<Partition>, asked: Division, route: Spool },
}

impl Questions {
    /// Asks for the first of a question's keys that is there. One without keys is absent at once.
    ///
    /// # Errors
    /// A temporary file that cannot be made or written; the folder is named.
    #[inline]
    pub fn ask(&mut self, keys: [Option<u128>; KEYS]) -> Result<Asked> {
        match &mut self.keys {
            Keys::Memory(table) => {
                let look = |(which, key): (usize, Option<u128>)| {
                    table.get(key?).map(|entry| Asked::Found(Found { which, number: entry.first }))
                };
                Ok(keys.into_iter().enumerate().find_map(look).unwrap_or(Asked::Absent))
            }
            Keys::Disk { .. } if keys == [None; KEYS] => Ok(Asked::Absent),
            Keys::Disk { asked, route, .. } => {
                for key in keys {
                    route.byte(key.map_or(Ok(NOWHERE), |key| asked.key(key))?)?;
                }
                Ok(Asked::Later)
            }
        }
    }

    /// Asks questions and adds what is known of them to `found`: the same as [`Questions::ask`] for each, in less time.
    ///
    /// # Errors
    /// Those of [`Questions::ask`].
    pub fn ask_all(&mut self, questions: &[[Option<u128>; KEYS]], found: &mut Vec<Asked>) -> Result<()> {
        for questions in questions.chunks(TOGETHER / KEYS) {
            if let Keys::Memory(table) = &self.keys {
                table.touch(questions.iter().flatten().copied().flatten());
            }
            for &keys in questions {
                found.push(self.ask(keys)?);
            }
        }
        Ok(())
    }

    /// Lets what follows be stopped: [`Questions::finish`], and its answers.
    pub fn stop_by(&self, stop: Stop) {
        self.plan.scratch.stop_by(stop);
    }

    /// The answers that were to be told later. Takes time where keys are on disk, about as long as all calls before.
    ///
    /// # Errors
    /// A temporary file that cannot be made, written or read; the folder is named.
    /// [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) where it [was stopped](Self::stop_by).
    pub fn finish(self) -> Result<Answers> {
        let plan = &self.plan;
        let joined = match self.keys {
            Keys::Memory(_) => None,
            Keys::Disk { keys, asked, route } => Some(join_all(plan, keys, asked.close()?, route, 1)?),
        };
        Ok(Answers { joined, temporary_bytes: plan.scratch.peak() })
    }
}

/// The answers for all partitions of a division, joined along the route of the questions.
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

/// The answer for each key that was asked of a partition: one more than its number, 0 where it is not there.
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
    let mut division = Division::new(plan, hash);
    for _ in 0..keys.entries {
        division.entry(keys.next_entry()?)?;
    }
    for _ in 0..keys.keys {
        let (key, number) = keys.next_numbered()?;
        division.numbered(key, number)?;
    }
    drop(keys);
    let keys = division.close()?;
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

/// The answers that were to be told later, in the order of the questions; `None` where no key is there.
///
/// # Errors
/// A temporary file that cannot be read; nothing comes after that.
#[derive(Debug)]
pub struct Answers {
    joined: Option<Joined>,
    temporary_bytes: u64,
}

impl Answers {
    /// The most bytes that temporary files had at one time; 0 where all stayed in memory.
    pub fn temporary_bytes(&self) -> u64 {
        self.temporary_bytes
    }

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
