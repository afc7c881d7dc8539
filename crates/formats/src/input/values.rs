//! Reads a record from the values of its columns, for any kind of source.

use super::grids::GridReader;
use super::lines::trim;
use super::roles::lost_zeros;
use super::shapes::{LATE_LAYOUT, is_layout};
use super::variant::OwnRules;
use super::{Chunk, GivenSolution, Record};
use quadrille_model::{Reason, Symbols};

/// Values that make up a record, decoded or as written in the source.
#[derive(Debug, Default)]
pub(super) struct Values<'a> {
    pub(super) puzzle: &'a [u8],
    /// Given solution, or the reason why it cannot be read. `None` if the source cannot give solutions.
    pub(super) given: Option<Result<&'a [u8], String>>,
    /// Rules, or nothing.
    pub(super) items: &'a [u8],
    /// Layout of regions, or empty.
    pub(super) regions: &'a [u8],
}

impl Values<'_> {
    /// Reads the values into a record.
    ///
    /// `others` are the values of columns that may hold layouts of regions, although the column names do not
    /// say so. If one of these values is a layout, the record is invalid.
    ///
    /// # Errors
    /// Returns the reason if the record is invalid.
    pub(super) fn read<'v>(
        self,
        grids: &mut GridReader,
        chunk: &Chunk,
        mut others: impl Iterator<Item = &'v [u8]>,
        record: &mut Record,
    ) -> Result<(), Reason> {
        let puzzle = trim(self.puzzle);
        let own = OwnRules { items: trim(self.items), regions: trim(self.regions) };
        let is_of_puzzle =
            |value: &[u8]| value.len() == puzzle.len() && is_layout(value, puzzle.len().isqrt());
        if own.regions.is_empty() && others.any(|value| is_of_puzzle(trim(value))) {
            return Err(LATE_LAYOUT.into());
        }
        // The items of a list without quoted text are always numbers, even if the source has another alphabet.
        let symbols = |text: &[u8], symbols| {
            let is_of_numbers = text.starts_with(b"[") && memchr::memchr2(b'"', b'\'', text).is_none();
            if is_of_numbers { Some(Symbols::DEFAULT) } else { symbols }
        };
        if let Some(reason) = grids.cut_off(puzzle).filter(|_| own.is_empty()) {
            return Err(reason);
        }
        let side = grids.value(puzzle, symbols(puzzle, chunk.layout.symbols), own, record);
        let side = side.map_err(|reason| match lost_zeros(puzzle) {
            Some(lost) => format!("{reason}; {lost}").into(),
            None => reason,
        })?;
        record.given = match self.given {
            None => GivenSolution::Absent,
            Some(Err(reason)) => GivenSolution::Unreadable(Box::new(reason.into())),
            Some(Ok(given)) => {
                let symbols = symbols(given, Some(record.symbols)).unwrap_or(record.symbols);
                grids.given(trim(given), side, symbols)
            }
        };
        Ok(())
    }
}
