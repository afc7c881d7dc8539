//! The classes of equal keys of one stream.

use std::path::Path;

use super::Plan;
use super::partitions::{Joined, NOWHERE, Partition, check_depth, in_groups};
use super::ranks::Ranks;
use super::spool::{Replay, Spool, StopCheck};
use super::store::{KeyStore, Placed};
use super::summary::{Summary, Tally};
use super::table::{KeyHash, KeyTable};
use quadrille_model::Result;

/// Class of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Number of the class, 1-based, in the order of first appearance.
    pub class: u64,
    /// Number of the first record of the class.
    pub first: u64,
}

/// Immediate answer for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// The record has no key and is in no class.
    None,
    /// The class of the record.
    Known(Member),
    /// The class will come from [`KeyGroups::finish`].
    Later,
}

/// A record whose class was found only after the whole stream was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Number of the record.
    pub number: u64,
    /// Class of the record.
    pub member: Member,
    /// Number of records of the class in the whole stream.
    pub size: u64,
}

/// Numbers the classes of equal keys in a stream of records.
///
/// Records are counted from 0 in the order of [`KeyGroups::add`]. Answers are immediate while all keys fit into memory
/// and no sizes are requested. After that, keys go into files and the answers come from [`KeyGroups::finish`]. After an
/// error the results of further calls are meaningless.
#[derive(Debug)]
pub struct KeyGroups {
    plan: Plan,
    records: u64,
    /// Log of the records that came while keys were in memory; only if sizes are requested.
    ///
    /// 0 for a record without a key; otherwise the distance back to the first record of its class, plus one.
    log: Option<Spool>,
    keys: KeyStore,
    /// Once keys are on disk, marks which earlier records are the first of their class.
    ranks: Ranks,
    /// Numbers of the files of the records that came since.
    route: Spool,
}

impl KeyGroups {
    /// Creates a stream without records.
    ///
    /// The stream's keys take up to `memory_bytes`, at least [`MIN_MEMORY`](super::MIN_MEMORY), and in addition 1 1/7
    /// bits per record if sizes are requested or keys go to disk. Temporary files are made in `directory` when they are
    /// needed. With `sizes` every record with a key is answered late, because the size of its class is not known
    /// before.
    pub fn new(memory_bytes: u64, directory: &Path, sizes: bool) -> Self {
        Self::with_plan(Plan::new(memory_bytes, directory), sizes)
    }

    pub(super) fn with_plan(plan: Plan, sizes: bool) -> Self {
        let log = sizes.then(|| Spool::new(&plan.scratch));
        // The size of a class takes 8 bytes, in addition to 42 for its entry and its part of the index.
        let bytes = plan.table_bytes(1, 0);
        let table = KeyTable::new(if sizes { bytes / 6 * 5 } else { bytes }, 0);
        let route = Spool::new(&plan.scratch);
        KeyGroups { plan, records: 0, log, keys: KeyStore::Memory(table), ranks: Ranks::default(), route }
    }

    /// Adds the next record, given its key.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made or written.
    #[inline]
    pub fn add(&mut self, key: Option<u128>) -> Result<Membership> {
        let number = self.records;
        self.records += 1;
        let Some(key) = key else {
            match (&self.keys, &mut self.log) {
                (KeyStore::Disk(_), _) => self.route.byte(NOWHERE)?,
                (KeyStore::Memory(_), Some(log)) => log.number(0)?,
                (KeyStore::Memory(_), None) => {}
            }
            return Ok(Membership::None);
        };
        let ranks = &mut self.ranks;
        match self.keys.add(&self.plan, (key, number), |table| mark_firsts(table, ranks, number))? {
            Placed::File(file) => self.route.byte(file)?,
            Placed::Entry(place) => {
                let KeyStore::Memory(table) = &self.keys else { unreachable!("the key is in the table") };
                let first = table.entry(place).map_or(number, |entry| entry.first);
                match &mut self.log {
                    Some(log) => log.number(number - first + 1)?,
                    None => return Ok(Membership::Known(Member { class: place as u64 + 1, first })),
                }
            }
        }
        Ok(Membership::Later)
    }

    /// Sets a function that can stop [`KeyGroups::finish`] and the reading of its members.
    pub fn stop_by(&self, stop: StopCheck) {
        self.plan.scratch.stop_by(stop);
    }

    /// Returns the late answers and the summary.
    ///
    /// If keys are on disk, the call takes about as long as all calls of [`KeyGroups::add`].
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made, written or read. Returns
    /// [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) if the work [was stopped](Self::stop_by).
    pub fn finish(self) -> Result<Resolved> {
        let KeyGroups { plan, records, log, keys, ranks, route } = self;
        let mut work = Resolver { plan: &plan, tally: Tally::default(), ranks, sizes: Vec::new() };
        let rest = match keys {
            KeyStore::Memory(table) => {
                if log.is_some() {
                    mark_firsts(&table, &mut work.ranks, records);
                    work.sizes = table.entries().map(|entry| entry.count).collect();
                }
                table.entries().for_each(|entry| work.tally.add(entry.count, entry.first));
                None
            }
            KeyStore::Disk(division) => {
                work.sizes = vec![0; if log.is_some() { work.ranks.members() as usize } else { 0 }];
                Some(work.resolve_all(division.close()?, route, 1)?)
            }
        };
        let Resolver { tally, ranks, sizes, .. } = work;
        let summary = Summary { records, temporary_bytes: plan.scratch.peak(), ..tally.summary() };
        let logged = match log {
            Some(log) => Some(Logged { log: log.into_replay()?, sizes, number: 0, end: ranks.len() }),
            None => None,
        };
        Ok(Resolved { summary, members: Members { logged, rest, ranks } })
    }
}

/// Marks the records below `records` that are the first of their class; `table` has their keys.
fn mark_firsts(table: &KeyTable, ranks: &mut Ranks, records: u64) {
    table.entries().for_each(|entry| ranks.push_up_to(entry.first));
    ranks.extend_to(records);
}

/// Summary of a stream, and the late answers.
#[derive(Debug)]
pub struct Resolved {
    /// Numbers of records and classes, and the sizes of classes.
    pub summary: Summary,
    /// Every record for which [`Membership::Later`] was returned, in order.
    pub members: Members,
}

/// Determines the classes of the keys on disk, one file after another.
struct Resolver<'a> {
    plan: &'a Plan,
    tally: Tally,
    /// Marks the first records of classes, among the records that came while keys were in memory.
    ranks: Ranks,
    /// Sizes of the classes that were known before keys went to disk, if sizes are requested.
    sizes: Vec<u64>,
}

impl Resolver<'_> {
    /// Returns the answers of all partitions of a division, in the order of the records.
    fn resolve_all(&mut self, partitions: Vec<Partition>, route: Spool, divisions: u32) -> Result<Joined> {
        check_depth(divisions)?;
        let answers = partitions.into_iter().map(|partition| self.resolve(partition, divisions));
        let answers = answers.collect::<Result<_>>()?;
        Joined::new(route, answers)
    }

    /// Returns the answers of a partition.
    ///
    /// For each key, the answers are the distance back to the first of its class, and the class size.
    fn resolve(&mut self, mut partition: Partition, divisions: u32) -> Result<Spool> {
        let held = size_of_val(&self.sizes[..]) as u64;
        let mut answers = Spool::new(&self.plan.scratch);
        let Some(table) = partition.table(self.plan.table_bytes(divisions, held))? else {
            let mut route = Spool::new(&self.plan.scratch);
            let parts = partition.divide(self.plan, KeyHash::random(), |file| route.byte(file))?;
            let mut joined = self.resolve_all(parts, route, divisions + 1)?;
            while let Some(Some(replay)) = joined.next()? {
                answers.number(replay.number()?)?;
                answers.number(replay.number()?)?;
            }
            return Ok(answers);
        };
        self.count(&table);
        partition.restart_at_keys()?;
        in_groups(
            partition.keys,
            || partition.next_numbered(),
            |group| {
                table.touch(group.iter().map(|&(key, _)| key));
                for &(key, number) in group {
                    let (first, size) =
                        table.get(key).map_or((number, 1), |entry| (entry.first, entry.count));
                    answers.number(number - first)?;
                    answers.number(size)?;
                }
                Ok(true)
            },
        )?;
        Ok(answers)
    }

    /// Adds the classes of a table to the summary.
    fn count(&mut self, table: &KeyTable) {
        for entry in table.entries() {
            self.tally.add(entry.count, entry.first);
            if entry.first < self.ranks.len()
                && let Some(size) = self.sizes.get_mut((self.ranks.rank(entry.first) - 1) as usize)
            {
                *size = entry.count;
            }
        }
    }
}

/// Iterator over the records that are answered late, in order.
///
/// # Errors
/// Yields an error if a temporary file cannot be read; the iterator then ends.
#[derive(Debug)]
pub struct Members {
    logged: Option<Logged>,
    rest: Option<Joined>,
    /// Marks the first records of classes; grows as `rest` is read.
    ranks: Ranks,
}

/// Records that came while keys were in memory.
#[derive(Debug)]
struct Logged {
    log: Replay,
    /// Sizes of classes, by class number - 1.
    sizes: Vec<u64>,
    /// Number of the next record.
    number: u64,
    end: u64,
}

impl Logged {
    fn next(&mut self, ranks: &Ranks) -> Result<Option<Settled>> {
        while self.number < self.end {
            let number = self.number;
            self.number += 1;
            let distance = self.log.number()?;
            if distance > 0 {
                let first = number.saturating_sub(distance - 1);
                let class = ranks.rank(first);
                let size = class.checked_sub(1).and_then(|place| self.sizes.get(place as usize));
                let size = size.copied().unwrap_or_default();
                return Ok(Some(Settled { number, member: Member { class, first }, size }));
            }
        }
        Ok(None)
    }
}

impl Members {
    fn try_next(&mut self) -> Result<Option<Settled>> {
        if let Some(logged) = &mut self.logged {
            if let Some(settled) = logged.next(&self.ranks)? {
                return Ok(Some(settled));
            }
            self.logged = None;
        }
        let Some(rest) = &mut self.rest else { return Ok(None) };
        while let Some(answers) = rest.next()? {
            let number = self.ranks.len();
            let Some(answers) = answers else {
                self.ranks.push(false);
                continue;
            };
            let (distance, size) = (answers.number()?, answers.number()?);
            let first = number.saturating_sub(distance);
            self.ranks.push(first == number);
            return Ok(Some(Settled {
                number,
                member: Member { class: self.ranks.rank(first), first },
                size,
            }));
        }
        Ok(None)
    }
}

impl Iterator for Members {
    type Item = Result<Settled>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.try_next().transpose();
        if let None | Some(Err(_)) = next {
            (self.logged, self.rest) = (None, None);
        }
        next
    }
}
