//! Finds JSON objects that span several lines, or that are the items of an array.
//!
//! A whole document may also be a single table that is stored by columns, as pandas writes it. Or it may be
//! one grid with an object per cell.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::value::RawValue;

use super::super::cutter::{CutRecords, Cutter, Line, LineMachine, RecordSink, RecordStart, Unread};
use super::super::lines::{is_blank, span_in};
use super::super::{Cut, Span};
use super::json_members::{RawMembers, raw_members};

/// Makes a record of each JSON object that is nested inside exactly `level` other objects.
#[derive(Default)]
pub(super) struct ObjectMachine {
    level: usize,
    /// Number of open objects.
    depth: usize,
    /// Start of the open record, or `None` if no record is open.
    open: Option<RecordStart>,
    /// Number of open arrays in the record.
    arrays: usize,
    /// Last byte in the record that is neither a blank nor part of a string.
    last: u8,
}

impl ObjectMachine {
    pub(super) fn new(level: usize) -> Self {
        ObjectMachine { level, ..ObjectMachine::default() }
    }

    /// Handles the beginning of an object.
    ///
    /// An object cannot begin directly after a value, or where a member's name must be. If an object does
    /// begin there, the end of the open record is missing. The open record is then reported as invalid.
    fn begin(&mut self, begin: RecordStart, out: &mut RecordSink<'_>) {
        let is_lost = !b":[,".contains(&self.last) || self.last == b',' && self.arrays == 0;
        if let Some(open) = self.open.take_if(|_| is_lost) {
            out.record(open, begin.byte, Some(NOT_CLOSED.into()));
            self.depth = self.level;
        }
        self.depth += 1;
        if self.depth == self.level + 1 {
            self.open = Some(begin);
            self.arrays = 0;
        }
    }
}

/// Reason for refusing an object without an end.
const NOT_CLOSED: &str = "an object that is not closed";

impl LineMachine for ObjectMachine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let (mut is_string, mut is_escaped) = (false, false);
        for (at, &byte) in line.text.iter().enumerate() {
            if is_string {
                is_string = is_escaped || byte != b'"';
                is_escaped = byte == b'\\' && !is_escaped;
                continue;
            }
            match byte {
                b'{' => self.begin(line.place(at), out),
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if let Some(begin) = self.open.take_if(|_| self.depth == self.level) {
                        out.record(begin, line.start + at as u64 + 1, None);
                    }
                }
                b'[' => self.arrays += 1,
                b']' => self.arrays = self.arrays.saturating_sub(1),
                b'"' => is_string = self.depth > 0,
                _ => {}
            }
            self.last = if is_blank(byte) { self.last } else { byte };
        }
        out.done(self.open.unwrap_or(line.after()));
    }

    fn end(&mut self, next: RecordStart, out: &mut RecordSink<'_>) -> bool {
        let open = self.open.take();
        if let Some(begin) = open {
            out.record(begin, next.byte, Some(NOT_CLOSED.into()));
            out.done(next);
        }
        open.is_none()
    }

    fn give_up(&mut self) {
        (self.depth, self.open) = (self.level, None);
    }
}

/// Number of cells of the smallest grid.
const CELLS_AT_LEAST: usize = 16;

/// Rows of a document. Each row has values together with the names of their columns.
type Rows<'a> = Vec<RawMembers<'a>>;

/// Returns the items of an array, or the values of an object, as written in the source.
fn items_of(raw: &str) -> Option<Vec<&str>> {
    match raw.as_bytes().first()? {
        b'[' => serde_json::from_str::<Vec<&RawValue>>(raw)
            .ok()
            .map(|all| all.iter().map(|item| item.get()).collect()),
        b'{' => raw_members(raw.as_bytes()).ok().map(|all| all.into_iter().map(|(_, raw)| raw).collect()),
        _ => None,
    }
}

/// Returns the rows of a document, or `None` if it is neither a table by columns nor a list of cells.
pub(super) fn rows_of(text: &[u8]) -> Option<Rows<'_>> {
    let text = std::str::from_utf8(text).ok()?.trim_ascii();
    if text.starts_with('[') {
        // An array with fewer objects than the smallest grid has cells need not be a grid.
        let has_cells = text.matches('{').nth(CELLS_AT_LEAST - 1).is_some();
        return has_cells.then(|| vec![vec![(Cow::Borrowed("puzzle"), text)]]);
    }
    let all = raw_members(text.as_bytes()).ok()?;
    let member = |wanted: &str| all.iter().find(|(name, _)| name == wanted).map(|(_, raw)| *raw);
    if let (Some(names), Some(data)) = (member("columns"), member("data")) {
        let names: Vec<String> = serde_json::from_str(names).ok()?;
        let mut rows = Rows::new();
        for row in items_of(data)? {
            let values = items_of(row).filter(|values| values.len() == names.len())?;
            rows.push(names.iter().map(|name| Cow::Owned(name.clone())).zip(values).collect());
        }
        return Some(rows);
    }
    let columns: Vec<(Cow<'_, str>, Vec<&str>)> =
        all.into_iter().filter_map(|(name, raw)| Some((name, items_of(raw)?))).collect();
    let count = columns.first()?.1.len();
    let is_table = count > 0 && columns.iter().all(|(_, items)| items.len() == count);
    let row = |at: usize| columns.iter().map(|(name, items)| (name.clone(), items[at])).collect();
    is_table.then(|| (0..count).map(row).collect())
}

/// Makes an object of each row of a document, at the end of the source.
pub(super) struct WholeCutter;

impl Cutter for WholeCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        found.scanned = unread.bytes.len();
        if !unread.end || unread.bytes.is_empty() {
            return unread.end;
        }
        let lines_in = |range: Range<usize>| memchr::memchr_iter(b'\n', &unread.bytes[range]).count();
        let (mut line_offset, mut before) = (0, 0);
        for row in rows_of(unread.bytes).unwrap_or_default() {
            let start =
                row.first().map_or(0, |(_, raw)| span_in(unread.bytes, raw.as_bytes()).start as usize);
            line_offset += lines_in(before.min(start)..start) as u32;
            before = start;
            let text = &mut found.rewritten;
            let begin = text.len() as u32;
            for (place, (name, raw)) in row.iter().enumerate() {
                text.push(if place == 0 { b'{' } else { b',' });
                serde_json::to_writer(&mut *text, name).expect("memory takes any text");
                text.push(b':');
                text.extend_from_slice(raw.as_bytes());
            }
            text.push(b'}');
            let span = Span { start: begin, end: text.len() as u32 };
            found.cuts.push(Cut { span, line_offset, byte_offset: start as u32, ..Cut::default() });
        }
        if found.cuts.is_empty() {
            let (span, invalid) = (span_in(unread.bytes, unread.bytes), Some("not a JSON document".into()));
            found.cuts.push(Cut { span, invalid, ..Cut::default() });
        }
        found.records = found.cuts.len() as u64;
        found.lines = (lines_in(0..unread.bytes.len()) + usize::from(!unread.bytes.ends_with(b"\n"))) as u64;
        found.len = unread.bytes.len();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::examples::{DONE, EASY};
    use super::super::super::testing::{bodies, read_all, read_in_chunks};
    use super::super::super::{ChunkTarget, InputOptions};

    /// Returns the bodies of all records in a text. Also checks that the chunk size makes no difference to
    /// them.
    fn read(text: &str) -> Vec<String> {
        let whole = read_all(text.as_bytes(), InputOptions::default());
        for records in [1, 2] {
            let target = ChunkTarget { bytes: 1, records };
            let parts = read_in_chunks(text.as_bytes(), InputOptions::default(), target);
            assert_eq!(bodies(&parts), bodies(&whole), "{text}");
        }
        bodies(&whole)
    }

    #[test]
    fn objects_of_documents_are_records() {
        let puzzle = EASY.replace('.', "0");
        let list = format!("{:?}", puzzle.bytes().map(|digit| digit - b'0').collect::<Vec<_>>());
        let object =
            format!("{{\n  \"board\": \"{EASY}\",\n  \"note\": \"}}]{{\\\"\",\n  \"done\": \"{DONE}\"\n}}");
        let lists = format!("{{\"a\": {{\"b\": 1}},\n\"grid\":\n{}}}", list.replace(' ', "\n "));
        for one in [&object, &lists] {
            let two = [puzzle.clone(), puzzle.clone()];
            assert_eq!(read(one), two[..1], "{one}");
            for text in [
                format!("{one}\n{one}\n"),
                format!("[{one},{one}]"),
                format!("[\n{one},\n{one}\n]\n"),
                format!("\n  [\n  {one}\n, {one}]\n"),
                format!("{{\"made\": 2026, \"puzzles\": [{one}, {one}]}}"),
                format!("{{\"found\":\n{{\"rows\":\n[{one},\n{one}], \"end\": 1}}}}\n"),
            ] {
                assert_eq!(read(&text), two, "{text}");
            }
        }
        let nested = format!("{{\"new\":{{\"grids\":[{{\"value\":{list}}}]}}}}\n");
        assert_eq!(read(&nested), std::slice::from_ref(&puzzle));
    }

    #[test]
    fn an_object_without_its_end_costs_one_record() {
        let puzzle = EASY.replace('.', "0");
        let object = format!("  {{\n    \"id\": {{\"n\": 7}},\n    \"puzzle\": \"{EASY}\"\n  }},\n");
        let reason = "invalid: an object that is not closed";
        for open in [object.replace("  },", ""), object.replace("  },", "  ,")] {
            let text = format!("[\n{object}{open}{object}{open}]\n");
            assert_eq!(read(&text), [&puzzle, reason, &puzzle, reason], "{text}");
        }
        let words = read(&format!("[\n{object}and\n{object}]\n"));
        assert_eq!(words, [&*puzzle, &*puzzle]);
    }
}
