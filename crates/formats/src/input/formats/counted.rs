//! Compares the number of grids that are written in rows with the count of grids that a source may state
//! before them.

use super::super::cutter::{RecordSink, RecordStart};
use super::super::layout::Numbers;
use super::rows::Unit;

/// Smallest announced count of grids for which one record may report all missing grids.
///
/// One record is enough if more than half of the announced grids are missing. With one record per missing
/// grid, a wrong count of seven digits could create millions of records.
const LARGE_COUNT: u64 = 100_000;

/// Number of grids found, and the number of grids that the source announced.
#[derive(Default)]
pub(super) struct Counted {
    /// Meaning of lines that consist of a single number.
    pub(super) numbers: Numbers,
    pub(super) found: u64,
    /// Number of ignored lines after the last announced grid.
    ignored: u64,
    /// Number of missing grids that are still to be reported, or `None` before the end of the source.
    missing: Option<u64>,
}

impl Counted {
    pub(super) fn new(numbers: Numbers) -> Self {
        Counted { numbers, ..Counted::default() }
    }

    fn count(&self) -> Option<u64> {
        if let Numbers::Count { value, .. } = self.numbers { Some(value) } else { None }
    }

    /// Returns true if the number of grids found does not exceed the announced count.
    pub(super) fn has_announced(&self) -> bool {
        self.count().is_none_or(|count| self.found <= count)
    }

    /// Returns true if all announced grids have been found. If so, also counts the current line as ignored.
    pub(super) fn ignores(&mut self) -> bool {
        let has_all = self.count().is_some_and(|count| self.found >= count);
        self.ignored += u64::from(has_all);
        has_all
    }

    /// Reports missing or surplus grids at the end of the source.
    ///
    /// Like [`end`](super::super::cutter::LineMachine::end), returns true when everything is reported, and
    /// must be called again until then. `usual` is the side length of the last whole grid.
    pub(super) fn end(
        &mut self,
        next: RecordStart,
        (usual, unit): (Option<usize>, Unit),
        out: &mut RecordSink<'_>,
    ) -> bool {
        let Numbers::Count { value: count, may_be_order, .. } = self.numbers else { return true };
        // A number before a single grid may be the side length of that grid instead of a count of grids. For
        // grids of integers, it may also be the square root of the side length. For grids of characters it
        // may not: a 3 before one 9x9 grid probably announces three grids.
        let is_order = |side| match unit {
            Unit::Integer => is_order(count, side as u64),
            Unit::Character => may_be_order && side as u64 == count,
        };
        if self.found == 1 && usual.is_some_and(is_order) {
            return true;
        }
        let found = self.found;
        if found > count || self.ignored > 0 {
            let counts = [(found.saturating_sub(count), "grid"), (self.ignored, "line")];
            let parts = counts.iter().filter(|(ignored, _)| *ignored > 0);
            let parts = parts
                .map(|(ignored, noun)| format!("{ignored} {noun}{}", if *ignored == 1 { "" } else { "s" }));
            let are = if found.saturating_sub(count) + self.ignored == 1 { "is" } else { "are" };
            let parts = parts.collect::<Vec<_>>().join(" and ");
            out.warn(format!("T is {count}, and {} found: {parts} {are} ignored", grids_were(found)));
            return true;
        }
        let is_plausible = count < LARGE_COUNT || found >= count / 2;
        let missing = self.missing.get_or_insert(if is_plausible { count - found } else { 1 });
        if *missing == 0 {
            return true;
        }
        *missing -= 1;
        let missed = format!("T is {count}, but only {} found", grids_were(found));
        out.record(next, next.byte, Some(missed));
        *missing == 0
    }
}

/// Returns true if a number is the order of grids with this side length: the side length itself or its square
/// root.
pub(super) fn is_order(number: u64, side: u64) -> bool {
    number == side || number.checked_mul(number) == Some(side)
}

/// Returns the number of grids with a verb, such as `1 grid was`.
fn grids_were(found: u64) -> String {
    if found == 1 { "1 grid was".to_owned() } else { format!("{found} grids were") }
}
