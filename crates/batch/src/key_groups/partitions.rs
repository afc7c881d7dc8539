//! Divides keys into files by a hash, and joins the answers in the original order.

use super::Plan;
use super::spool::{Replay, Spool};
use super::table::{KeyEntry, KeyHash, KeyTable, TOGETHER, place};
use quadrille_model::{Error, ErrorKind, Result};

/// Mark in a route for a record without a key.
pub(super) const NOWHERE: u8 = u8::MAX;

/// Maximum depth of divisions. Each division puts only a part of the keys into one file, so this depth is never
/// reached.
const MAX_DIVISIONS: u32 = 32;

/// A set of files that keys are distributed to by their hash.
#[derive(Debug)]
pub(super) struct Division {
    pub(super) hash: KeyHash,
    writers: Vec<Writer>,
}

#[derive(Debug)]
struct Writer {
    spool: Spool,
    entries: u64,
    keys: u64,
    /// Last number written; the next is stored as the difference.
    last: u64,
}

/// Contents of one file: entries of a table, followed by keys.
#[derive(Debug)]
pub(super) struct Partition {
    replay: Replay,
    /// Number of entries.
    pub(super) entries: u64,
    /// Number of keys after the entries.
    pub(super) keys: u64,
    last: u64,
    /// Offset of the keys in the file, set once the entries were read.
    keys_at: u64,
}

impl Division {
    /// Creates the files. Two divisions with the same hash put a key into files of the same number.
    pub(super) fn new(plan: &Plan, hash: KeyHash) -> Self {
        let writer = || Writer { spool: Spool::new(&plan.scratch), entries: 0, keys: 0, last: 0 };
        Division { hash, writers: std::iter::repeat_with(writer).take(plan.partitions).collect() }
    }

    /// Adds an entry of a table. All entries must be added before the first key.
    pub(super) fn entry(&mut self, entry: KeyEntry) -> Result<()> {
        let (_, writer) = self.writer(entry.key);
        writer.entries += 1;
        writer.spool.key(entry.key)?;
        writer.spool.number(entry.first)?;
        writer.spool.number(entry.count)
    }

    /// Adds a key with a number. Returns the 0-based number of its file.
    #[inline]
    pub(super) fn numbered(&mut self, key: u128, number: u64) -> Result<u8> {
        let (place, writer) = self.writer(key);
        writer.keys += 1;
        writer.spool.key(key)?;
        writer.spool.number(number.wrapping_sub(std::mem::replace(&mut writer.last, number)))?;
        Ok(place)
    }

    /// Adds a key without a number. Returns the 0-based number of its file.
    #[inline]
    pub(super) fn key(&mut self, key: u128) -> Result<u8> {
        let (place, writer) = self.writer(key);
        writer.keys += 1;
        writer.spool.key(key)?;
        Ok(place)
    }

    /// Returns the files for reading.
    pub(super) fn close(self) -> Result<Vec<Partition>> {
        let close = |Writer { spool, entries, keys, .. }: Writer| {
            Ok(Partition { replay: spool.into_replay()?, entries, keys, last: 0, keys_at: 0 })
        };
        self.writers.into_iter().map(close).collect()
    }

    #[inline]
    fn writer(&mut self, key: u128) -> (u8, &mut Writer) {
        let place = place(self.hash.hash(key), self.writers.len());
        (place as u8, &mut self.writers[place])
    }
}

impl Partition {
    /// Returns a table of all entries and numbered keys, or `None` if they need more than `max_bytes`.
    ///
    /// After `None`, the partition can be read again from its beginning.
    pub(super) fn table(&mut self, max_bytes: u64) -> Result<Option<KeyTable>> {
        let mut table = KeyTable::new(max_bytes, self.entries.saturating_add(self.keys));
        for _ in 0..self.entries {
            let KeyEntry { key, first, count } = self.next_entry()?;
            if table.add(key, first, count).is_err() {
                return self.restart().map(|()| None);
            }
        }
        self.keys_at = self.replay.offset();
        let all = in_groups(
            self.keys,
            || self.next_numbered(),
            |group| {
                table.touch(group.iter().map(|&(key, _)| key));
                Ok(group.iter().all(|&(key, number)| table.add(key, number, 1).is_ok()))
            },
        )?;
        if all { Ok(Some(table)) } else { self.restart().map(|()| None) }
    }

    /// Reads the next entry.
    fn next_entry(&mut self) -> Result<KeyEntry> {
        Ok(KeyEntry { key: self.replay.key()?, first: self.replay.number()?, count: self.replay.number()? })
    }

    /// Reads the next key with its number.
    #[inline]
    pub(super) fn next_numbered(&mut self) -> Result<(u128, u64)> {
        let key = self.replay.key()?;
        self.last = self.last.wrapping_add(self.replay.number()?);
        Ok((key, self.last))
    }

    /// Reads the next key, in a file of keys without numbers.
    #[inline]
    pub(super) fn next_key(&mut self) -> Result<u128> {
        self.replay.key()
    }

    /// Divides everything by another hash. `placed` gets the number of the file of each numbered key.
    pub(super) fn divide(
        mut self,
        plan: &Plan,
        hash: KeyHash,
        mut placed: impl FnMut(u8) -> Result<()>,
    ) -> Result<Vec<Partition>> {
        let mut division = Division::new(plan, hash);
        for _ in 0..self.entries {
            division.entry(self.next_entry()?)?;
        }
        for _ in 0..self.keys {
            let (key, number) = self.next_numbered()?;
            placed(division.numbered(key, number)?)?;
        }
        division.close()
    }

    /// Returns to the beginning.
    pub(super) fn restart(&mut self) -> Result<()> {
        self.last = 0;
        self.replay.rewind(0)
    }

    /// Goes back to the first key, which follows all entries. Only to be called after a table was made.
    pub(super) fn restart_at_keys(&mut self) -> Result<()> {
        self.last = 0;
        self.replay.rewind(self.keys_at)
    }
}

/// Reads `count` items and passes them to `take` in groups of up to [`TOGETHER`].
///
/// Stops when `take` returns false. Returns true if all items were taken.
pub(super) fn in_groups<T>(
    mut count: u64,
    mut read: impl FnMut() -> Result<T>,
    mut take: impl FnMut(&[T]) -> Result<bool>,
) -> Result<bool> {
    let mut group = Vec::with_capacity(TOGETHER);
    while count > 0 {
        group.clear();
        while count > 0 && group.len() < TOGETHER {
            group.push(read()?);
            count -= 1;
        }
        if !take(&group)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns an error if keys were divided so often that only a defect can be the reason.
pub(super) fn check_depth(divisions: u32) -> Result<()> {
    if divisions < MAX_DIVISIONS {
        return Ok(());
    }
    Err(ErrorKind::Internal(format!("one temporary file has too many keys after {divisions} divisions"))
        .into())
}

/// Answers from the files of a division, in the order of the records.
#[derive(Debug)]
pub(super) struct Joined {
    route: Replay,
    answers: Vec<Replay>,
}

impl Joined {
    pub(super) fn new(route: Spool, answers: Vec<Spool>) -> Result<Self> {
        let answers = answers.into_iter().map(Spool::into_replay).collect::<Result<_>>()?;
        Ok(Joined { route: route.into_replay()?, answers })
    }

    /// Returns the file that holds the next answer, or `None` at the end.
    ///
    /// Returns `Some(None)` for a record without a key.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Option<&mut Replay>>> {
        let Some(place) = self.route.byte()? else { return Ok(None) };
        if place == NOWHERE {
            return Ok(Some(None));
        }
        match self.answers.get_mut(usize::from(place)) {
            Some(answers) => Ok(Some(Some(answers))),
            None => Err(Error::from(ErrorKind::Internal("a temporary file has changed".to_owned()))),
        }
    }
}
