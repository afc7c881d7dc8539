//! The count that may come before grids in rows, and what was found of it.

use super::super::cutter::{RecordSink, RecordStart};
use super::super::layout::Numbers;
use super::rows::Unit;

/// Count from which all missing grids share one record, if more than half are missing.
///
/// With one record each, a line of seven digits could make millions of records.
const LARGE_COUNT: u64 = 100_000;

/// The grids found, and their announced count.
#[derive(Default)]
pub(super) struct Counted {
    /// Meaning of lines that are a number alone.
    pub(super) numbers: Numbers,
    pub(super) found: u64,
    /// Number of lines outside of grids after all counted grids.
    ignored: u64,
    /// Number of missing grids still to be reported; known at the end.
    missing: Option<u64>,
}

impl Counted {
    pub(super) fn new(numbers: Numbers) -> Self {
        Counted { numbers, ..Counted::default() }
    }

    fn count(&self) -> Option<u64> {
        if let Numbers::Count { value, .. } = self.numbers { Some(value) } else { None }
    }

    /// Returns true if the last grid found is one of those announced.
    pub(super) fn has_announced(&self) -> bool {
        self.count().is_none_or(|count| self.found <= count)
    }

    /// Returns true if all counted grids were found. The current line is then counted as ignored.
    pub(super) fn ignores(&mut self) -> bool {
        let has_all = self.count().is_some_and(|count| self.found >= count);
        self.ignored += u64::from(has_all);
        has_all
    }

    /// Reports grids that are missing or too many at the end of the source, as
    /// [`end`](super::super::cutter::LineMachine::end) does. `usual` is the side of the last whole grid.
    pub(super) fn end(
        &mut self,
        next: RecordStart,
        (usual, unit): (Option<usize>, Unit),
        out: &mut RecordSink<'_>,
    ) -> bool {
        let Numbers::Count { value: count, may_be_order, .. } = self.numbers else { return true };
        // Before a single grid, its side is not a count. Unless cells are integers, a 3 before a 9x9 is a count: it may
        // have announced three grids.
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

/// Returns true if a number is the order of grids of a side: the side, or its root.
pub(super) fn is_order(number: u64, side: u64) -> bool {
    number == side || number.checked_mul(number) == Some(side)
}

/// Returns the number of grids with its verb, such as `1 grid was`.
fn grids_were(found: u64) -> String {
    if found == 1 { "1 grid was".to_owned() } else { format!("{found} grids were") }
}
