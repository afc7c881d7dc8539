//! The classes of equal keys of one stream.

use std::path::Path;

use super::Plan;
use super::partitions::{Division, Joined, NOWHERE, Partition, check_depth, in_groups};
use super::ranks::Ranks;
use super::spool::{Replay, Spool, StopCheck};
use super::summary::{Summary, Tally};
use super::table::{KeyHash, KeyTable, TOGETHER};
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
    state: GroupState,
}

#[derive(Debug)]
enum GroupState {
    Memory(KeyTable),
    /// Keys are on disk; `ranks` marks which earlier records are the first of their class.
    Disk {
        ranks: Ranks,
        division: Division,
        route: Spool,
    },
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
        KeyGroups { plan, records: 0, log, state: GroupState::Memory(table) }
    }

    /// Adds the next record, given its key.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made or written.
    #[inline]
    pub fn add(&mut self, key: Option<u128>) -> Result<Membership> {
        let number = self.records;
        self.records += 1;
        let Some(key) = key else { return self.add_nothing() };
        if let GroupState::Memory(table) = &mut self.state {
            if let Ok(place) = table.add(key, number, 1) {
                let first = table.entry(place).map_or(number, |entry| entry.first);
                if let Some(log) = &mut self.log {
                    log.number(number - first + 1)?;
                    return Ok(Membership::Later);
                }
                return Ok(Membership::Known(Member { class: place as u64 + 1, first }));
            }
            return self.spill(key, number);
        }
        self.divide(key, number)
    }

    /// Adds several records and appends the answers to `seen`, as [`KeyGroups::add`] does, but faster.
    ///
    /// # Errors
    /// Returns the errors of [`KeyGroups::add`].
    pub fn add_all(&mut self, keys: &[Option<u128>], seen: &mut Vec<Membership>) -> Result<()> {
        for keys in keys.chunks(TOGETHER) {
            if let GroupState::Memory(table) = &self.state {
                table.touch(keys.iter().copied().flatten());
            }
            for &key in keys {
                seen.push(self.add(key)?);
            }
        }
        Ok(())
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
        let KeyGroups { plan, records, log, state } = self;
        let mut work =
            Resolver { plan: &plan, tally: Tally::default(), ranks: Ranks::default(), sizes: Vec::new() };
        let rest = match state {
            GroupState::Memory(table) => {
                if log.is_some() {
                    table.entries().for_each(|entry| work.ranks.push_up_to(entry.first));
                    work.ranks.extend_to(records);
                    work.sizes = table.entries().map(|entry| entry.count).collect();
                }
                table.entries().for_each(|entry| work.tally.add(entry.count, entry.first));
                None
            }
            GroupState::Disk { ranks, division, route } => {
                work.sizes = vec![0; if log.is_some() { ranks.members() as usize } else { 0 }];
                work.ranks = ranks;
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

    fn add_nothing(&mut self) -> Result<Membership> {
        match &mut self.state {
            GroupState::Memory(_) => {
                if let Some(log) = &mut self.log {
                    log.number(0)?;
                }
            }
            GroupState::Disk { route, .. } => route.byte(NOWHERE)?,
        }
        Ok(Membership::None)
    }

    /// Moves the entries of the table to disk, together with the key that did not fit.
    #[cold]
    fn spill(&mut self, key: u128, number: u64) -> Result<Membership> {
        let mut division = Division::new(&self.plan, KeyHash::random());
        let (mut ranks, route) = (Ranks::default(), Spool::new(&self.plan.scratch));
        let state = std::mem::replace(&mut self.state, GroupState::Memory(KeyTable::new(0, 0)));
        if let GroupState::Memory(table) = state {
            for entry in table.into_entries() {
                ranks.push_up_to(entry.first);
                division.entry(entry)?;
            }
        }
        ranks.extend_to(number);
        self.state = GroupState::Disk { ranks, division, route };
        self.divide(key, number)
    }

    #[inline]
    fn divide(&mut self, key: u128, number: u64) -> Result<Membership> {
        if let GroupState::Disk { division, route, .. } = &mut self.state {
            route.byte(division.numbered(key, number)?)?;
        }
        Ok(Membership::Later)
    }
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
            let mut joined = self.divide_again(partition, divisions)?;
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

    /// Returns the answers of a partition that is too large for a table, after dividing it.
    fn divide_again(&mut self, mut partition: Partition, divisions: u32) -> Result<Joined> {
        let mut division = Division::new(self.plan, KeyHash::random());
        let mut route = Spool::new(&self.plan.scratch);
        for _ in 0..partition.entries {
            division.entry(partition.next_entry()?)?;
        }
        for _ in 0..partition.keys {
            let (key, number) = partition.next_numbered()?;
            route.byte(division.numbered(key, number)?)?;
        }
        drop(partition);
        self.resolve_all(division.close()?, route, divisions + 1)
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
