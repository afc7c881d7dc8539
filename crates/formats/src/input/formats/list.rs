//! Reads lists with brackets of any kind: JSON arrays, quoted boards, NumPy output, and arrays of C and Java.
//!
//! Three kinds of lists are grids: one item per cell, one string per row, and a single string with all cells.
//! A list with one item per column of a grid is a row of that grid. The [`Assembler`] receives these rows and
//! grids, and also rows that are lines without brackets. A bracket that closes a list of rows ends the grid.

use super::super::cells::characters;
use super::super::characters::{Part, digits_of, is_empty_word, items_of, list_parts, plain};
use super::super::cutter::{ByLine, Line, LineMachine, RecordSink, RecordStart, may_be_grid, unlike_others};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::shapes::shape_of;
use super::super::{Chunk, InputOptions, Layout, Record};
use super::FormatSpec;
use super::assembler::{Assembler, number_of};
use super::stretch::Place;
use super::text_rows::side_of_small_grids;
use quadrille_model::{MAX_SIDE, Reason, Symbols};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "list",
    about: "lists of cells or rows: JSON arrays, boards with quotes, arrays as NumPy prints them",
    look: "lists",
    has_symbols: true,
    offer: |head, complete, layout| {
        if !head.fits(complete, holds_lists) {
            return Ok(false);
        }
        layout.side_on_lines = side_on_lines(head);
        layout.solutions_in_rows = true;
        layout.solutions_in_rows = head.run(ListMachine::new(layout, head.options)).0.rows.solutions > 0;
        let has = |text: &[u8]| memchr::memmem::find(head.bytes, text).is_some();
        match has(b"matrix(c(") && !has(b"byrow") {
            true => {
                Err("the numbers of an R matrix are in columns: add byrow = TRUE if they are in rows".into())
            }
            false => Ok(true),
        }
    },
    cutter: |layout, options| ByLine::cutter(ListMachine::new(layout, options), layout, options),
    parse_cut,
    ..FormatSpec::CUT
};

/// Maximum number of lines before the first list.
const LINES_BEFORE: usize = 5;

/// Returns true if a list begins in the first lines of a source, and one of the first lists contains a grid.
///
/// A name may come before the list.
fn holds_lists(head: &Head<'_>) -> bool {
    // The whole list may be on one line that is longer than `head`.
    let on_one_line = Head::new(head.bytes, head.line_end, true, head.options);
    let head = if head.whole_lines().is_empty() { &on_one_line } else { head };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t_.,:=(<>[]*&".contains(byte);
    let begins = |line: &[u8]| opening(line).is_some_and(|open| line[..open].iter().all(is_name));
    // Braces that contain names are an object, not a list.
    let mut braces = head.bytes.splitn(2, |&byte| byte == b'{').skip(1);
    if !head.contents().take(LINES_BEFORE + 1).any(begins) || braces.any(|inner| inner.contains(&b':')) {
        return false;
    }
    let layout = Layout { side_on_lines: side_on_lines(head), ..Layout::default() };
    head.run(ListMachine::new(&layout, head.options)).0.rows.whole > 0
}

/// Returns the position of the first bracket that opens a list, or `None` if there is none.
///
/// A bracket around a length, as in `int grid[9][9]`, does not open a list. Neither does a parenthesis before
/// a word.
fn opening(line: &[u8]) -> Option<usize> {
    let (mut at, mut length_end) = (0, None);
    loop {
        let open = at + memchr::memchr3(b'[', b'{', b'(', &line[at..])?;
        let is_name =
            |byte: Option<&u8>| byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match line[open] {
            b'[' if is_name(line[..open].last()) || length_end == Some(open) => {
                at = open + 1 + memchr::memchr(b']', &line[open..])?;
                length_end = Some(at);
            }
            b'(' if line.get(open + 1).is_some_and(u8::is_ascii_alphabetic) => at = open + 1,
            // A colour of a terminal.
            b'[' if line[..open].last() == Some(&b'\x1b') => at = open + 1,
            _ => return Some(open),
        }
    }
}

/// Returns the side length of grids that are innermost lists. Returns `None` unless such a list could also be
/// a row of a larger grid.
fn side_on_lines(head: &Head<'_>) -> Option<usize> {
    let (mut lists, mut words) = (Vec::new(), Vec::new());
    for (_, part) in list_parts(head.bytes) {
        match part {
            Part::Open => words.clear(),
            Part::Item(word) => {
                // A string is treated like a list of its characters.
                lists.extend((characters(word) > 2).then(|| digits_of_text(word).collect()));
                words.push(word);
            }
            Part::Close => lists.extend(digits_of(words.drain(..)).filter(|digits| !digits.is_empty())),
        }
    }
    head.options.asked_side().or_else(|| side_of_small_grids(lists.into_iter()))
}

/// A list that has not been closed yet.
#[derive(Default)]
struct OpenList {
    begin: RecordStart,
    /// True if the list is in square brackets or braces. All items of such a list must be of the same kind.
    is_array: bool,
    /// True if the list contains lists or grids, so that it cannot be a row.
    has_others: bool,
    /// True if items of the list are grids.
    has_grids: bool,
}

/// Maximum number of items that are kept per list, which is more than a grid has cells.
const MOST_ITEMS: usize = MAX_SIDE * MAX_SIDE + 1;

/// Items read so far in the innermost list.
#[derive(Default)]
struct Items {
    count: usize,
    /// Number of characters in each item, or 0 if the items differ in length.
    len: usize,
    /// Items as numbers, with 0 for empty cells.
    numbers: Vec<u8>,
    /// Digits of a grid whose items are rows: each character of each item is one digit.
    digits: Vec<u8>,
}

impl Items {
    fn add(&mut self, item: &[u8]) {
        let len = characters(item);
        self.len = if self.count == 0 || self.len == len { len } else { 0 };
        self.count += 1;
        if self.digits.len() < MOST_ITEMS {
            self.numbers.push(if is_empty_word(item) { 0 } else { number_of(item) });
            self.digits.extend(digits_of_text(item));
        }
    }

    /// Returns the side length and the digits of a grid, or `None` if the items are neither its cells nor its
    /// rows as strings.
    fn grid(&self, is_row: bool) -> Option<(usize, &[u8])> {
        if self.len > 1 && self.count == self.len {
            return Some((self.count, &self.digits));
        }
        let side = self.count.isqrt();
        (side * side == self.count && !is_row).then_some((side, &self.numbers))
    }
}

/// Returns the digits that the characters of a text represent, with 0 for empty cells.
fn digits_of_text(text: &[u8]) -> impl Iterator<Item = u8> {
    let letters = text.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
    letters.map(|letter| letter.to_digit(36).unwrap_or(0) as u8)
}

/// Finds rows and grids in lists. Rows in lists are assembled to grids like rows on lines.
struct ListMachine {
    /// Side length of grids that are innermost lists, if such a list could also be a row of a larger grid.
    side: Option<usize>,
    /// Side length of all grids in the source, or `None` if it is not known.
    known: Option<usize>,
    open: Vec<OpenList>,
    items: Items,
    /// Last row that was read. If this row is the last one in the list around it, its range extends to the
    /// end of that list.
    row: Option<(Place, Vec<u8>)>,
    rows: Assembler,
}

impl ListMachine {
    fn new(layout: &Layout, options: &InputOptions) -> Self {
        ListMachine {
            side: layout.side_on_lines,
            known: layout.common.side.or(options.asked_side()),
            open: Vec::new(),
            items: Items::default(),
            row: None,
            rows: Assembler::new(layout, options),
        }
    }

    /// Handles an item of the innermost list, or an item outside of all lists.
    fn item(&mut self, begin: RecordStart, item: &[u8], out: &mut RecordSink<'_>) {
        let place = Place { begin, end: begin.byte + item.len() as u64 };
        let side = self.known.unwrap_or(self.rows.usual_side());
        let is_long = item.len() > MAX_SIDE || self.side.is_some_and(|side| side * side == item.len());
        let grid_side = if is_long { shape_of(item, None).grid_side() } else { None };
        if let Some(side) = grid_side {
            self.end_row(out);
            let plain = plain(item, None).unwrap_or_default();
            self.rows.whole_grid(place, side, &digits_of_text(&plain).collect::<Vec<u8>>(), out);
            self.open.last_mut().into_iter().for_each(|list| list.has_grids = true);
            return self.is_used();
        }
        let Some(list) = self.open.last() else { return };
        let is_missing = || list.is_array && list.has_grids && is_empty_word(item) && self.items.count == 0;
        if may_be_grid(item, side) {
            self.end_row(out);
            self.rows.no_grid(place, unlike_others(side), out);
            self.is_used();
        } else if is_missing() {
            let item = String::from_utf8_lossy(item);
            self.rows.no_grid(place, format!("{item} in place of a grid"), out);
            self.is_used();
        } else {
            self.items.add(item);
        }
    }

    /// Marks all open lists as lists that contain a record or a row.
    fn is_used(&mut self) {
        self.open.iter_mut().for_each(|list| list.has_others = true);
    }

    /// Passes the last row to the assembler, if it has not been passed yet.
    fn end_row(&mut self, out: &mut RecordSink<'_>) {
        if let Some((place, digits)) = self.row.take() {
            self.rows.row(place, 0, &digits, out);
        }
    }

    fn open(&mut self, begin: RecordStart, is_array: bool) {
        self.items = Items::default();
        if self.open.len() < DEPTH {
            self.open.push(OpenList { begin, is_array, ..OpenList::default() });
        }
    }

    /// Closes the innermost list, which ends before offset `end`.
    fn close(&mut self, end: u64, out: &mut RecordSink<'_>) {
        let Some(list) = self.open.pop() else { return };
        let items = std::mem::take(&mut self.items);
        if list.has_others {
            // End the grid here: rows in another list do not continue it.
            if let Some((place, _)) = &mut self.row {
                place.end = end;
                self.end_row(out);
                self.rows.ends(out);
            }
        } else {
            self.leaf(&list, &items, end, out);
        }
        // An empty list among rows is a row, too.
        if items.count > 0 || list.has_others || self.row.is_some() {
            self.is_used();
        }
    }

    /// Handles a list that contains no other list.
    fn leaf(&mut self, list: &OpenList, items: &Items, end: u64, out: &mut RecordSink<'_>) {
        let is_side = |side| self.known == Some(side) || InputOptions::is_side(side);
        let place = Place { begin: list.begin, end };
        // A list of sixteen items may be a 4x4 grid or a row of a larger grid.
        let may_be_row = is_side(items.count) && self.side.is_none_or(|side| side * side != items.count);
        let grid = items.grid(may_be_row).filter(|&(side, _)| is_side(side));
        let has_rows = self.row.is_some() || self.rows.is_inside();
        match grid {
            Some((side, digits)) => {
                self.end_row(out);
                self.rows.whole_grid(place, side, digits, out);
            }
            None if has_rows || may_be_row => {
                // The first row includes the opening bracket of the list around the rows.
                let around = self.open.last().filter(|around| !around.has_others);
                let begin = around.map_or(list.begin, |around| around.begin);
                self.end_row(out);
                let digits = items.numbers[..items.count.min(MAX_SIDE + 1)].to_vec();
                self.row = Some((Place { begin, end }, digits));
                if self.open.is_empty() {
                    self.end_row(out);
                }
            }
            None if items.count >= InputOptions::MIN_SIDE => {
                let count = items.count;
                let reason = format!("a list of {count} items: neither the cells nor the rows of a grid");
                self.rows.no_grid(place, reason, out);
            }
            None => {}
        }
    }

    /// Returns the first place that may be in a record which is not handed out yet.
    fn pending(&self) -> Option<RecordStart> {
        let row = self.row.as_ref().map(|(place, _)| place.begin);
        let inner = &self.open[self.open.len().saturating_sub(2)..];
        let open = inner.iter().find(|list| !list.has_others).map(|list| list.begin);
        self.rows.pending().or(row).or(open)
    }
}

/// Maximum depth of nested lists.
const DEPTH: usize = 16;

impl LineMachine for ListMachine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let from = if self.open.is_empty() { opening(line.text) } else { Some(0) };
        match from {
            None => self.rows.line_between(line, self.rows.usual_side(), out),
            Some(from) => {
                for (at, part) in list_parts(&line.text[from..]) {
                    let begin = line.place(from + at);
                    match part {
                        Part::Open => self.open(begin, !matches!(line.text[from + at], b'(')),
                        Part::Close => self.close(begin.byte + 1, out),
                        Part::Item(item) => self.item(begin, item, out),
                    }
                }
            }
        }
        out.done(self.pending().unwrap_or(line.after()));
    }

    fn end(&mut self, next: RecordStart, out: &mut RecordSink<'_>) -> bool {
        let is_cut = !self.open.is_empty() && (self.row.is_some() || self.items.count > 0);
        if is_cut {
            self.rows.flush(out);
            if let Some(begin) = self.pending() {
                self.give_up();
                out.record(begin, next.byte, Some("a list that is not closed".into()));
            }
            out.done(next);
        }
        self.open.clear();
        self.rows.end(next, out)
    }

    fn give_up(&mut self) {
        self.open.clear();
        self.items = Items::default();
        self.row = None;
        self.rows.give_up();
    }
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let text = record.puzzle.slice(&chunk.bytes);
    let is_string = !matches!(text.first(), Some(b'[' | b'{' | b'('));
    let symbols = if is_string { chunk.layout.symbols } else { Some(Symbols::DEFAULT) };
    let side = grids.grid_of_items(&items_of(text)?, symbols)?.put_in(record);
    if chunk.layout.solutions_in_rows {
        record.given = grids.given(record.solution.slice(&chunk.bytes), side, record.symbols);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::examples::{DONE, EASY};
    use super::super::super::testing::{bodies, read_all, read_in_chunks};
    use super::super::super::{ChunkTarget, InputOptions};

    #[test]
    fn lists_that_are_cut_off_anywhere_keep_their_whole_puzzles() {
        let row = |number: usize| format!("({number}, '{EASY}', '{DONE}')");
        let text = format!("INSERT INTO puzzles VALUES {},\n{},\n{};\n", row(1), row(2), row(3));
        for end in 0..=text.len() {
            let text = &text.as_bytes()[..end];
            let whole = bodies(&read_all(text, InputOptions::default()));
            let parts = read_in_chunks(text, InputOptions::default(), ChunkTarget { bytes: 1, records: 1 });
            assert_eq!(bodies(&parts), whole, "{end}");
            let puzzles = whole.iter().filter(|body| **body == EASY.replace('.', "0")).count();
            let written = String::from_utf8_lossy(text).matches(&format!("'{EASY}'")).count();
            assert!(puzzles >= written, "{end}: {whole:?}");
        }
    }
}
