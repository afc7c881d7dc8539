//! Puzzles of a chunk as they are written in another format.

use quadrille_model::Losses;

/// Puzzles as they are written, one behind the other, by slot, ascending.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    text: Vec<u8>,
    /// The slot of each, the end of its text, and what of it is lost.
    list: Vec<(usize, usize, Losses)>,
}

impl Converted {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.list.clear();
    }

    /// Adds the puzzle of a slot behind those that are there: writes its text, and returns what of it is lost.
    ///
    /// # Errors
    /// Those of `write`, which then has appended nothing.
    pub(crate) fn add<E>(
        &mut self,
        slot: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<Losses, E>,
    ) -> Result<(), E> {
        let lost = write(&mut self.text)?;
        self.list.push((slot, self.text.len(), lost));
        Ok(())
    }

    /// The puzzle of a slot, and what of it is lost.
    pub(crate) fn of(&self, slot: usize) -> Option<(&[u8], Losses)> {
        let place = self.list.binary_search_by_key(&slot, |&(slot, ..)| slot).ok()?;
        let start = place.checked_sub(1).map_or(0, |before| self.list[before].1);
        let (_, end, lost) = self.list[place];
        Some((&self.text[start..end], lost))
    }
}
