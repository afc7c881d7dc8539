//! Lists: JSON arrays, boards with quotes, output of NumPy, with brackets of any kind. Rows may be lists of their own.
//!
//! A list is a grid if it consists of one item per cell, of one string per row, or of one list per row with one item
//! per cell. A string of all cells is a grid, too.

use super::super::cells::{Arrangement, characters};
use super::super::characters::{items_of, list_words};
use super::super::cutter::{
    ByLine, CutRecords, Cutter as _, Line, LineMachine, RecordSink, RecordStart, Unread,
};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::trim;
use super::super::shapes::shape_of;
use super::super::{Chunk, ChunkTarget, Format, InputOptions, Record, Records};
use super::FormatSpec;
use quadrille_model::{Reason, Symbols};

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::List,
    name: "list",
    about: "lists of cells or rows: JSON arrays, boards with quotes, arrays as NumPy prints them",
    sniff,
    has_symbols: true,
    cutter: |layout, options| Box::new(ByLine::new(ListMachine::default(), layout.line_end, options)),
    parse_cut,
    ..FormatSpec::CUT
};

/// Maximum number of lines before the first list.
const LINES_BEFORE: usize = 5;

/// Returns true if the first line of a head with a bracket begins a list, with or without a name before it, and the head
/// holds a grid.
fn sniff(head: &Head<'_>) -> bool {
    let mut first = head.contents().take(LINES_BEFORE + 1);
    let Some((line, open)) = first.find_map(|line| Some((line, memchr::memchr(b'[', line)?))) else {
        return false;
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t_.:=(<>".contains(byte);
    if !line[..open].iter().all(is_name) || memchr::memchr(b'{', head.bytes).is_some() {
        return false;
    }
    let mut found = CutRecords::default();
    let target = ChunkTarget { bytes: usize::MAX, records: u64::MAX };
    let unread = Unread { bytes: head.whole_lines(), base: 0, first_line: 1, end: head.whole, target };
    ByLine::new(ListMachine::default(), head.line_end, head.options).cut(&unread, &mut found);
    found.cuts.iter().any(|cut| cut.invalid.is_none())
}

/// A list that is not closed.
struct OpenList {
    begin: RecordStart,
    /// Number of items of the list that are not lists.
    words: usize,
    /// Length of the first of these items.
    word_len: usize,
    /// True while all of these items have the length of the first.
    are_alike: bool,
    /// The closed lists in this list that were not grids: start, end and number of items of each.
    lists: Vec<(RecordStart, u64, usize)>,
    /// True if a grid was found in this list.
    has_grids: bool,
}

/// Finds grids in lists.
#[derive(Default)]
struct ListMachine {
    open: Vec<OpenList>,
}

impl ListMachine {
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
        let rows = lists.len();
        let are_rows =
            lists.iter().all(|&(_, _, items)| items == rows) && InputOptions::is_side(rows) && words == 0;
        let are_strings = are_alike && words == word_len && InputOptions::is_side(words) && rows == 0;
        let are_cells = InputOptions::side_of_cells(words).is_some() && rows == 0;
        // A list of sixteen items may be a 4x4 or a row of a larger grid; the list around it decides.
        let may_be_row =
            self.open.last().is_some_and(|around| !around.has_grids) && InputOptions::is_side(words);
        if are_rows || are_strings || are_cells && !may_be_row {
            self.flush(out);
            out.record(begin, end, None);
            return;
        }
        let around = self.open.last_mut().filter(|around| !around.has_grids && rows == 0);
        match around {
            Some(around) if words > 0 => {
                around.lists.push((begin, end, words));
                if around.lists.len() > quadrille_model::MAX_SIDE {
                    // There are too many lists for the rows of a grid.
                    self.flush(out);
                }
            }
            Some(_) => {}
            None => {
                self.flush(out);
                lists.into_iter().for_each(|list| alone(list, out));
                if words > 0 && !has_grids {
                    alone((begin, end, words), out);
                }
            }
        }
    }

    /// Hands out the closed lists so far. They are not rows of a grid, because the same list also holds a whole grid or
    /// too many lists.
    fn flush(&mut self, out: &mut RecordSink<'_>) {
        for list in &mut self.open {
            list.lists.drain(..).for_each(|inner| alone(inner, out));
            list.has_grids = true;
        }
    }
}

/// Maximum depth of nested lists.
const DEPTH: usize = 16;

/// Hands out a list as a record: a grid if it has one item per cell, otherwise invalid.
fn alone((begin, end, items): (RecordStart, u64, usize), out: &mut RecordSink<'_>) {
    let is_grid = InputOptions::side_of_cells(items).is_some();
    let reason = || format!("a list of {items} items: neither the cells nor the rows of a grid");
    out.record(begin, end, (!is_grid).then(reason));
}

impl LineMachine for ListMachine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        if self.open.is_empty() && !line.text.contains(&b'[') && !trim(line.text).is_empty() {
            out.pass();
        }
        let mut words = list_words(line.text).peekable();
        for (at, &byte) in line.text.iter().enumerate() {
            let begin = RecordStart { byte: line.start + at as u64, line: line.number };
            while let Some((start, word)) = words.next_if(|&(start, _)| start <= at) {
                self.word(RecordStart { byte: line.start + start as u64, ..begin }, word, out);
            }
            match byte {
                b'[' if self.open.len() < DEPTH => self.open.push(OpenList {
                    begin,
                    words: 0,
                    word_len: 0,
                    are_alike: true,
                    lists: Vec::new(),
                    has_grids: false,
                }),
                b']' => self.close(begin.byte + 1, out),
                _ => {}
            }
        }
        // The content of the outermost list that may still be a grid is not settled yet.
        match self.open.iter().find(|list| !list.has_grids) {
            Some(list) => out.done(list.begin.byte, list.begin.line),
            None => out.done(line.next, line.number + 1),
        }
    }

    fn end(&mut self, next: u64, next_line: u64, out: &mut RecordSink<'_>) -> bool {
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
    }
}

fn parse_cut(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    records: &mut Records,
) -> Result<(), Reason> {
    let text = record.text.slice(&chunk.bytes);
    let is_string = text.first() != Some(&b'[');
    let symbols = if is_string { chunk.layout.symbols } else { Some(Symbols::DEFAULT) };
    grids.grid(&items_of(text)?, Arrangement::Rows, symbols, records)?.put_in(record);
    Ok(())
}
