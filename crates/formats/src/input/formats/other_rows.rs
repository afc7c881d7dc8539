//! Lines between grids that are written unlike them.

use super::super::cells::BLANKS;
use super::super::cutter::{Line, RecordSink, RecordStart, cells_in, may_be_grid, unlike_others};
use super::super::lines::is_blank;
use super::super::{InputOptions, LineKind};
use quadrille_model::MAX_SIDE;

/// Finds lines outside of grids that may be grids or rows in another look. They become invalid records, while all other
/// lines are text.
#[derive(Default)]
pub(super) struct OtherRows {
    /// The lines before this one that may be rows: where they begin and end, and their number.
    found: Option<(RecordStart, u64, usize)>,
}

impl OtherRows {
    /// Takes a line outside of grids of this side.
    pub(super) fn line(&mut self, line: &Line<'_>, side: usize, out: &mut RecordSink<'_>) {
        let begin = RecordStart { byte: line.start, line: line.number };
        let end = line.start + line.text.len() as u64;
        if may_be_grid(line.text, side) {
            self.end(side, out);
            out.record(begin, end, Some(unlike_others(side)));
        } else if !may_be_row(line.text, side) {
            self.end(side, out);
            match LineKind::of(line.text) {
                LineKind::Other if line.text.starts_with(b"#") => out.pass(LineKind::Comment),
                LineKind::Other => out.pass(LineKind::Heading),
                _ => {}
            }
        } else {
            let (first, _, count) = self.found.unwrap_or((begin, 0, 0));
            self.found = Some((first, end, count + 1));
            if count + 1 == MAX_SIDE {
                self.end(side, out);
            }
        }
    }

    /// Ends the lines that may be rows: if there are at least as many as the smallest grid has rows, they become one
    /// invalid record.
    pub(super) fn end(&mut self, side: usize, out: &mut RecordSink<'_>) {
        let Some((begin, end, count)) = self.found.take() else { return };
        if count < InputOptions::MIN_SIDE {
            return;
        }
        let reason = format!("{count} lines that are not written like the first {side}x{side} of the source");
        out.record(begin, end, Some(reason));
    }

    /// Returns where the lines begin that may be rows.
    pub(super) fn first(&self) -> Option<RecordStart> {
        self.found.map(|(first, ..)| first)
    }
}

/// Returns true if a line that is not a row may be one of a grid of this side in another look: it has a digit and no word,
/// or enough digits and empty cells, or only empty cells.
fn may_be_row(line: &[u8], side: usize) -> bool {
    let has_word = line.windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic));
    let is_empty = || line.iter().all(|&byte| is_blank(byte) || BLANKS.contains(&byte));
    line.iter().any(u8::is_ascii_digit) && (!has_word || cells_in(line, side) >= side)
        || cells_in(line, side) == side && is_empty()
}
