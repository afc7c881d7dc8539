//! Keys in a table while they fit into memory, then in files.

use super::Plan;
use super::partitions::Division;
use super::table::{Full, KeyHash, KeyTable};
use quadrille_model::Result;

/// Keys with numbers, in memory or on disk.
#[derive(Debug)]
pub(super) enum KeyStore {
    Memory(KeyTable),
    Disk(Division),
}

/// Where a key was put.
pub(super) enum Placed {
    /// At this place among the entries of the table.
    Entry(usize),
    /// In the file of this number.
    File(u8),
}

impl KeyStore {
    /// Adds a key with a number. If the table is full, passes it to `spilled` and moves its entries to disk.
    #[inline]
    pub(super) fn add(
        &mut self,
        plan: &Plan,
        (key, number): (u128, u64),
        spilled: impl FnOnce(&KeyTable),
    ) -> Result<Placed> {
        if let KeyStore::Memory(table) = self {
            match table.add(key, number, 1) {
                Ok(place) => return Ok(Placed::Entry(place)),
                Err(Full) => self.spill(plan, spilled)?,
            }
        }
        match self {
            KeyStore::Disk(division) => division.numbered(key, number).map(Placed::File),
            KeyStore::Memory(_) => unreachable!("the keys are on disk"),
        }
    }

    #[cold]
    fn spill(&mut self, plan: &Plan, spilled: impl FnOnce(&KeyTable)) -> Result<()> {
        let division = Division::new(plan, KeyHash::random());
        if let KeyStore::Memory(table) = std::mem::replace(self, KeyStore::Disk(division))
            && let KeyStore::Disk(division) = self
        {
            spilled(&table);
            table.into_entries().try_for_each(|entry| division.entry(entry))?;
        }
        Ok(())
    }
}
