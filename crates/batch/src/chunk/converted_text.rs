//! Puzzles of a chunk, converted to another format.

use quadrille_model::Losses;

/// Converted puzzles as one text, in the order of their records.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    text: Vec<u8>,
    /// One entry per puzzle: the slot of its record, its end position in `text`, and its losses (values that
    /// the format cannot hold).
    list: Vec<(usize, usize, Losses)>,
}

impl Converted {
    /// Removes all puzzles.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.list.clear();
    }

    /// Adds the puzzle of the record in a slot. `write` must append the puzzle's text, and return its losses
    /// (values that the format cannot hold).
    ///
    /// Slots must be added in ascending order.
    ///
    /// # Errors
    /// Returns the error of `write`. If `write` fails, it must not have appended anything.
    pub(crate) fn add<E>(
        &mut self,
        slot: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<Losses, E>,
    ) -> Result<(), E> {
        let lost = write(&mut self.text)?;
        self.list.push((slot, self.text.len(), lost));
        Ok(())
    }

    /// Returns the text and the losses of the puzzle in a slot, or `None` if the slot has no converted
    /// puzzle.
    pub(crate) fn get(&self, slot: usize) -> Option<(&[u8], Losses)> {
        let place = self.list.binary_search_by_key(&slot, |&(slot, ..)| slot).ok()?;
        let start = place.checked_sub(1).map_or(0, |before| self.list[before].1);
        let (_, end, lost) = self.list[place];
        Some((&self.text[start..end], lost))
    }
}
