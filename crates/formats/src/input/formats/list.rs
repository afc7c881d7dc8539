//! Lists: JSON arrays, boards with quotes, output of NumPy, arrays of C and Java, with brackets of any kind.
//!
//! A list is a grid if it consists of one item per cell, of one string per row, or of one list per row with one item
//! per cell. A string of all cells is a grid, too. So are lists in one block of lines, one list per row, that are in no
//! other list.

use std::cell::OnceCell;

use super::super::cells::characters;
use super::super::characters::{digits_of, items_of, list_words};
use super::super::cutter::{ByLine, Line, LineMachine, RecordSink, RecordStart};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::trim;
use super::super::shapes::shape_of;
use super::super::{Chunk, InputOptions, Record};
use super::FormatSpec;
use super::assembler::Assembler;
use super::text_rows::side_of_small_grids;
use quadrille_model::{Geometry, Reason, Symbols};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "list",
    about: "lists of cells or rows: JSON arrays, boards with quotes, arrays as NumPy prints them",
    look: "lists",
    sniff,
    has_symbols: true,
    describe: |head, _, layout| {
        layout.side_on_lines = side_on_lines(head);
        let has = |text: &[u8]| memchr::memmem::find(head.bytes, text).is_some();
        match has(b"matrix(c(") && !has(b"byrow") {
            true => {
                Err("the numbers of an R matrix are in columns: add byrow = TRUE if they are in rows".into())
            }
            false => Ok(true),
        }
    },
    cutter: |layout, options| {
        let known = layout.common.side.or(options.asked_side());
        ByLine::cutter(ListMachine::new(layout.side_on_lines, known, options), layout, options)
    },
    parse_cut,
    ..FormatSpec::CUT
};

/// Maximum number of lines before the first list.
const LINES_BEFORE: usize = 5;

/// Returns true if one of the first lines of a head begins a list, with or without a name before it, and the head holds
/// a grid.
fn sniff(head: &Head<'_>) -> bool {
    // A list may be on one line that is longer than the head.
    let on_one_line = Head { whole: true, blanks: OnceCell::new(), ..*head };
    let head = if head.whole_lines().is_empty() { &on_one_line } else { head };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t_.,:=(<>[]*&".contains(byte);
    let begins = |line: &[u8]| opening(line).is_some_and(|open| line[..open].iter().all(is_name));
    // Braces with names in them are an object.
    let mut braces = head.bytes.splitn(2, |&byte| byte == b'{').skip(1);
    if !head.contents().take(LINES_BEFORE + 1).any(begins) || braces.any(|inner| inner.contains(&b':')) {
        return false;
    }
    !head.cut(ListMachine::new(side_on_lines(head), head.options.asked_side(), head.options)).is_empty()
}

/// Returns the position of the first bracket that opens a list: not one of a length, as in `int grid[9][9]`, nor one
/// before a word.
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

/// Returns the side of grids in lists on one line each, if the items of such a list could also be a row.
fn side_on_lines(head: &Head<'_>) -> Option<usize> {
    // Returns the numbers of a list on a line, 0 for empty cells.
    let numbers_in = |line: &[u8]| {
        let open = opening(line)?;
        digits_of(list_words(&line[open..]).map(|(_, word)| word))
    };
    head.options.asked_side().or_else(|| side_of_small_grids(head.contents().filter_map(numbers_in)))
}

/// A list that is closed.
struct ClosedList {
    begin: RecordStart,
    end: u64,
    /// Number of items.
    items: usize,
}

/// A list that is not closed.
#[derive(Default)]
struct OpenList {
    begin: RecordStart,
    /// Number of items of the list that are not lists.
    words: usize,
    /// Length of the first of these items.
    word_len: usize,
    /// True while all of these items have the length of the first.
    are_alike: bool,
    /// The closed lists in this list that were not grids.
    lists: Vec<ClosedList>,
    /// True if a grid was found in this list.
    has_grids: bool,
}

/// Finds grids in lists.
#[derive(Default)]
struct ListMachine {
    /// Side of the grids in lists whose items could also be a row.
    side: Option<usize>,
    /// Side of the grids of the source, if it is known.
    known: Option<usize>,
    open: Vec<OpenList>,
    /// The lists of the current block of lines, each with the items of a row, that are in no other list.
    rows: Vec<ClosedList>,
    /// True if the block has other lists, too, or more than one grid has rows.
    is_spoilt: bool,
    /// Assembles the lines between lists.
    others: Assembler,
}

impl ListMachine {
    fn new(side: Option<usize>, known: Option<usize>, options: &InputOptions) -> Self {
        let others = Assembler::of_others(known.or(side).unwrap_or(9), options);
        ListMachine { side, known, others, ..ListMachine::default() }
    }

    /// Takes an item of the innermost list.
    fn word(&mut self, begin: RecordStart, word: &[u8], out: &mut RecordSink<'_>) {
        let Some(list) = self.open.last_mut() else { return };
        let len = characters(word);
        if len > quadrille_model::MAX_SIDE && shape_of(word, None).grid_side().is_some() {
            self.flush(out);
            out.record(begin, begin.byte + word.len() as u64, None);
            return;
        }
        list.are_alike &= list.words == 0 || list.word_len == len;
        list.word_len = len;
        list.words += 1;
    }

    /// Closes the innermost list before `end`.
    fn close(&mut self, end: u64, out: &mut RecordSink<'_>) {
        let Some(list) = self.open.pop() else { return };
        let OpenList { begin, words, word_len, are_alike, lists, has_grids } = list;
        let closed = ClosedList { begin, end, items: words };
        let rows = lists.len();
        let is_side = |side| self.known == Some(side) || InputOptions::is_side(side);
        let are_rows = lists.iter().all(|list| list.items == rows) && is_side(rows) && words == 0;
        let are_strings = are_alike && words == word_len && is_side(words) && rows == 0;
        let root = words.isqrt();
        let are_cells = root * root == words && is_side(root) && rows == 0;
        // A list of sixteen items may be a 4x4 or a row of a larger grid; what is around it decides.
        let may_be_row = is_side(words)
            && match self.open.last() {
                Some(around) => !around.has_grids,
                None => rows == 0 && !has_grids && self.side.is_none_or(|side| side * side != words),
            };
        if are_rows || are_strings || are_cells && !may_be_row {
            self.flush(out);
            out.record(begin, end, None);
            return;
        }
        if may_be_row && self.open.is_empty() {
            self.row(closed, out);
            return;
        }
        let around = self.open.last_mut().filter(|around| !around.has_grids && rows == 0);
        match around {
            Some(around) if words > 0 => {
                around.lists.push(closed);
                if around.lists.len() > quadrille_model::MAX_SIDE {
                    // There are too many lists for the rows of a grid.
                    self.flush(out);
                }
            }
            Some(_) => {}
            None => {
                self.flush(out);
                lists.into_iter().for_each(|list| alone(list, true, out));
                if words > 0 && !has_grids {
                    alone(closed, true, out);
                }
            }
        }
    }

    /// Takes a list with the items of a row that is in no other list.
    ///
    /// Where one grid of a block with several would end is not known, since a row may have been lost.
    fn row(&mut self, list: ClosedList, out: &mut RecordSink<'_>) {
        self.is_spoilt |=
            self.rows.first().is_some_and(|first| first.items != list.items) || self.rows.len() == list.items;
        self.rows.push(list);
        if self.is_spoilt {
            self.rows.drain(..).for_each(|row| alone(row, false, out));
        }
    }

    /// Returns true if the rows so far are whole bands of a grid, and more must follow.
    fn ends_band(&self) -> bool {
        let side = self.rows.first().map_or(0, |first| first.items);
        self.rows.len() < side
            && Geometry::default_box(side).is_some_and(|(rows, _)| self.rows.len().is_multiple_of(rows))
    }

    /// Hands out the lists of a block of lines, which ends here: one grid if there are as many as each has items.
    fn end_block(&mut self, out: &mut RecordSink<'_>) {
        match &self.rows[..] {
            [first, .., last] if first.items == self.rows.len() => {
                out.record(first.begin, last.end, None);
                self.rows.clear();
            }
            _ => self.rows.drain(..).for_each(|row| alone(row, false, out)),
        }
        self.is_spoilt = false;
    }

    /// Hands out the closed lists so far. Those in an open list are not rows of a grid, because the same list also holds
    /// a whole grid or too many lists. Those in no other list are followed by a list of another kind.
    fn flush(&mut self, out: &mut RecordSink<'_>) {
        self.rows.drain(..).for_each(|row| alone(row, false, out));
        self.is_spoilt = true;
        for list in &mut self.open {
            list.lists.drain(..).for_each(|inner| alone(inner, true, out));
            list.has_grids = true;
        }
    }
}

/// Maximum depth of nested lists.
const DEPTH: usize = 16;

/// Hands out a list as a record: a grid if it may be one and has one item per cell, otherwise invalid. Fewer items than
/// in any row are other text.
fn alone(list: ClosedList, may_be_grid: bool, out: &mut RecordSink<'_>) {
    let ClosedList { begin, end, items } = list;
    if items < InputOptions::MIN_SIDE {
        return;
    }
    let is_grid = may_be_grid && InputOptions::side_of_cells(items).is_some();
    let reason = || format!("a list of {items} items: neither the cells nor the rows of a grid");
    out.record(begin, end, (!is_grid).then(reason));
}

impl LineMachine for ListMachine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let from = if self.open.is_empty() { opening(line.text) } else { Some(0) };
        let Some(from) = from else {
            if !(trim(line.text).is_empty() && self.ends_band()) {
                self.end_block(out);
                self.others.line(line, out);
            }
            return;
        };
        self.others.ends(out);
        let mut words = list_words(line.text).peekable();
        for (at, &byte) in line.text.iter().enumerate().skip(from) {
            let begin = RecordStart { byte: line.start + at as u64, line: line.number };
            while let Some((start, word)) = words.next_if(|&(start, _)| start <= at) {
                self.word(RecordStart { byte: line.start + start as u64, ..begin }, word, out);
            }
            match byte {
                b'[' | b'{' | b'(' if self.open.len() < DEPTH => {
                    self.open.push(OpenList { begin, are_alike: true, ..OpenList::default() });
                }
                b']' | b'}' | b')' => self.close(begin.byte + 1, out),
                _ => {}
            }
        }
        // The content of the outermost list that may still be a grid is not settled yet.
        let open = self.open.iter().find(|list| !list.has_grids).map(|list| list.begin);
        match self.rows.first().map(|row| row.begin).or(open) {
            Some(begin) => out.done(begin.byte, begin.line),
            None => out.done(line.next, line.number + 1),
        }
    }

    fn end(&mut self, next: u64, next_line: u64, out: &mut RecordSink<'_>) -> bool {
        self.end_block(out);
        self.others.ends(out);
        if let Some(list) = self.open.iter().find(|list| !list.has_grids) {
            out.record(list.begin, next, Some("a list that is not closed".into()));
        }
        let is_open = !self.open.is_empty();
        self.open.clear();
        out.done(next, next_line);
        !is_open
    }

    fn give_up(&mut self) {
        self.open.clear();
        self.rows.clear();
        self.others.give_up();
    }
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let text = record.text.slice(&chunk.bytes);
    let is_string = !matches!(text.first(), Some(b'[' | b'{' | b'('));
    let symbols = if is_string { chunk.layout.symbols } else { Some(Symbols::DEFAULT) };
    grids.grid_of_items(&items_of(text)?, symbols)?.put_in(record);
    Ok(())
}
