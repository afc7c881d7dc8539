//! The puzzles of a chunk, written in another format.

use quadrille_model::Losses;

/// Written puzzles, concatenated in ascending order of their slots.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    text: Vec<u8>,
    /// Slot, end of the text, and losses of each puzzle.
    list: Vec<(usize, usize, Losses)>,
}

impl Converted {
    /// Removes all puzzles.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.list.clear();
    }

    /// Appends the puzzle of a slot: `write` appends its text and returns its losses.
    ///
    /// Slots must be added in ascending order.
    ///
    /// # Errors
    /// Returns the error of `write`, which must not have appended anything in that case.
    pub(crate) fn add<E>(
        &mut self,
        slot: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<Losses, E>,
    ) -> Result<(), E> {
        let lost = write(&mut self.text)?;
        self.list.push((slot, self.text.len(), lost));
        Ok(())
    }

    /// Returns the text and the losses of a slot's puzzle, or `None` if none was added.
    pub(crate) fn get(&self, slot: usize) -> Option<(&[u8], Losses)> {
        let place = self.list.binary_search_by_key(&slot, |&(slot, ..)| slot).ok()?;
        let start = place.checked_sub(1).map_or(0, |before| self.list[before].1);
        let (_, end, lost) = self.list[place];
        Some((&self.text[start..end], lost))
    }
}
