//! Reads one puzzle per line, with any text after the puzzle.

use memchr::{memchr, memchr_iter};

use super::super::cells::{self, Arrangement};
use super::super::characters::{blank_len, plain};
use super::super::cutter::{CutRecords, Cutter, Unread, may_be_grid};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::{is_blank, is_skipped, span_in, trim, without_returns};
use super::super::shapes::{LATE_LAYOUT, Sides, TextShape, cover_look, is_uuid, joined_side, shape_of};
use super::super::spreadsheet::rounded;
use super::super::variant::OwnRules;
use super::super::{Chunk, Format, GivenSolution, InputOptions, Layout, LineKind, Record};
use super::line_words::{encloses, has_puzzle, layout_in, rest_of, separates, solution_in, word_len, words};
use super::notations::{Notation, notation};
use super::rows::{Shown, plain_digit_of};
use super::text_lines::{RowCutter, Rows};
use super::text_rows::side_of_small_grids;
use super::{Container, FormatSpec, row, whole_source};
use quadrille_model::rules::{
    RuleError, are_rules, begins_rules, killer, may_have_rules, misplaced, no_rules_in,
};
use quadrille_model::{Reason, Symbols};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "line",
    container: Container::Lines,
    has_ids: true,
    about: "one puzzle per line, then any text (also .sdm, and 729 characters of pencilmarks)",
    look: "a puzzle per line",
    offer: |head, complete, layout| {
        if !head.fits(complete, |_| true) && !head.starts_with_puzzle() && !head.starts_with_rules() {
            return Ok(false);
        }
        if complete
            && !head.is_asked
            && let Some(format) = cover_among_lines(head)
        {
            layout.format = format;
            return Ok(true);
        }
        if complete && head.options.format.is_none() && has_rows_beside(head) {
            return Err("it has grids next to each other: write each below the one before it".into());
        }
        layout.header_line = header_line(head);
        layout.has_layouts = has_layouts(head);
        layout.has_solutions = has_solutions(head);
        let note = "the text after its puzzles is a layout of regions, which replace the boxes";
        layout.notes.extend(layout.has_layouts.then(|| note.to_owned()));
        Ok(true)
    },
    has_symbols: true,
    cutter: |layout, options| {
        let each = RowCutter::new(Passed::new(layout, options), layout, options);
        Box::new(LineCutter { each, any: false })
    },
    plain_lines: |chunk, lines, wanted| {
        // If solutions are to be checked, the lines must be read one by one.
        if chunk.layout.has_solutions && wanted.given {
            return false;
        }
        lines.take(&chunk.bytes, chunk.layout.line_end())
            || !wanted.records && lines.take_apart(|apart| gather(chunk, &mut apart.puzzles))
    },
    parse,
    ..FormatSpec::CUT
};

/// Maximum number of digits in a first line that states the number of puzzles. It is less than the number of
/// cells in the smallest grid.
const HEADER_DIGITS: usize = 15;

/// Returns the 1-based number of the line with the count of puzzles, or `None` if there is no such line.
fn header_line(head: &Head<'_>) -> Option<u64> {
    let (number, first) = head.numbered().next()?;
    let first = trim(first);
    (first.len() <= HEADER_DIGITS && first.iter().all(u8::is_ascii_digit)).then_some(number)
}

/// Recognises lines that are not records: empty lines, comments, the header, and `end`.
///
/// A comment begins with `#` and does not contain a puzzle. `end` is the last line of a contest's input (POJ
/// 3074).
#[derive(Clone, Copy)]
struct Passed {
    /// 1-based number of the line with the count of puzzles.
    header_line: Option<u64>,
    blank: Option<u8>,
    /// The side of puzzles.
    side: usize,
    /// Smallest side length that puzzles may have.
    least: usize,
}

impl Passed {
    fn new(layout: &Layout, options: &InputOptions) -> Self {
        let side = layout.common.side.or(options.asked_side());
        Passed {
            header_line: layout.header_line,
            blank: options.blank,
            side: side.unwrap_or(9),
            least: side.unwrap_or(InputOptions::MIN_SIDE),
        }
    }

    #[inline]
    fn has(self, line: &[u8]) -> bool {
        is_skipped(line, self.blank) && (line.is_empty() || !self.holds_puzzle(line))
            || line.first() == Some(&b'e') && trim(line) == b"end"
    }

    /// Returns true if a line that looks like a comment contains a puzzle.
    ///
    /// Also returns true if the line consists of `#`, the number of a puzzle, and text that may be the
    /// puzzle's cells.
    fn holds_puzzle(self, line: &[u8]) -> bool {
        let after_number = || {
            let text = trim(line).strip_prefix(b"#")?;
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let rest = text[digits..].split(|&byte| byte == b'#').next()?;
            let is_number = digits > 0 && rest.first().is_some_and(|&byte| is_blank(byte));
            is_number.then(|| rest.iter().copied().filter(|&byte| !separates(byte) && byte != b'/').collect())
        };
        has_puzzle(line, self.side, self.blank)
            || after_number().is_some_and(|cells: Vec<u8>| may_be_grid(&cells, self.least))
    }
}

impl Rows for Passed {
    #[inline]
    fn other(&self, line: &[u8], number: u64) -> Option<LineKind> {
        let is_comment = || trim(line).starts_with(b"#");
        match self.header_line {
            Some(header) if header == number => Some(LineKind::Count),
            _ if !self.has(line) => None,
            _ => Some(if is_comment() { LineKind::Comment } else { LineKind::of(line) }),
        }
    }
}

/// Returns the side lengths of the grids on the lines in the first part of a source.
///
/// If a line has several grids with empty cells, only the largest one counts. The others may be ids and keys,
/// which are shorter than the puzzle.
pub(in super::super) fn sides_of_lines(head: &Head<'_>) -> Sides {
    let (blank, mut sides) = (head.options.blank, Sides::default());
    for line in head.lines() {
        let cells = notation(line).and_then(Result::ok).map(|read| read.cells);
        if cells.is_none() && (may_have_rules(line) || killer(trim(line)).is_some()) {
            continue;
        }
        let mut largest = cells.map_or(0, |cells| shape_of(&cells, blank).grid_side().unwrap_or(0));
        let mut has_clues = largest > 0;
        for (place, (start, end)) in words(line, 0, blank).enumerate() {
            let word = &line[start..end];
            let side = match shape_of(word, blank) {
                TextShape::Open(side) => side,
                TextShape::Full(side) if place == 0 => side,
                _ => joined_side(word).unwrap_or(0),
            };
            if side > largest {
                largest = side;
                has_clues = cells::has_clues(word);
            }
        }
        if largest == 0 {
            // The words of the line may form a single grid together.
            (largest, has_clues) = (shape_of(line, blank).grid_side().unwrap_or(0), true);
        }
        if largest > 0 {
            sides.add(largest, has_clues);
        }
    }
    sides
}

/// Returns the exact cover format of a source that no grid format fits, or `None` if the source is not exact
/// cover.
///
/// Considers only formats whose files do not begin with a characteristic text. Also returns `None` if a line
/// holds a grid, or if the source cannot be read in the format that was found.
fn cover_among_lines(head: &Head<'_>) -> Option<Format> {
    let format = cover_look(head.bytes).filter(|_| sides_of_lines(head).are_none())?;
    let reads = |read| whole_source::reads(read, head.bytes, head.line_end, head.options.counted_rows);
    (!head.whole || row(format).read_cover.is_some_and(reads)).then_some(format)
}

/// Returns true if a source begins with 16x16 or 36x36 grids that are written in rows, with several grids
/// next to each other.
///
/// Each row of such a grid is as long as a small grid.
fn has_rows_beside(head: &Head<'_>) -> bool {
    let rows_in = |line: &[u8]| -> Vec<Vec<u8>> {
        let words = line.split(|&byte| is_blank(byte) || byte == b'|').filter(|word| !word.is_empty());
        words.map(|word| word.iter().map(|&byte| plain_digit_of(byte, Shown::NOTHING)).collect()).collect()
    };
    let is_beside = |rows: &Vec<Vec<u8>>| {
        rows.len() > 1
            && rows.len() < rows[0].len()
            && rows.iter().all(|row| row.len() == rows[0].len() && matches!(row.len(), 16 | 36))
    };
    let beside: Vec<Vec<Vec<u8>>> = head.contents().map(rows_in).filter(is_beside).collect();
    beside.first().is_some_and(|rows| beside.len() >= rows[0].len())
        && side_of_small_grids(beside.into_iter().flatten()).is_none()
}

/// Returns true if a layout of regions follows the first puzzle of a source on the same line.
fn has_layouts(head: &Head<'_>) -> bool {
    let blank = head.options.blank;
    let mut lines = head.contents().filter_map(|line| {
        let (start, _) = words(line, 0, blank).next()?;
        let word = &line[start..start + word_len(&line[start..], blank)];
        let end = start + word.iter().position(|&byte| encloses(byte)).unwrap_or(word.len());
        let is_joined = joined_side(&line[start..end]).is_some();
        let side = shape_of(&line[start..end], blank).grid_side();
        (is_joined || side.is_some())
            .then(|| is_joined || side.is_some_and(|side| layout_in(rest_of(line, end), side).is_some()))
    });
    lines.next().unwrap_or(false)
}

/// Returns true if a finished grid follows the first puzzle of a source on the same line.
fn has_solutions(head: &Head<'_>) -> bool {
    let blank = head.options.blank;
    let first = head.lines().find_map(|line| {
        words(line, 0, blank).find_map(|(start, end)| match shape_of(&line[start..end], blank) {
            TextShape::Open(side) => Some(solution_in(rest_of(line, end), side).0),
            _ => None,
        })
    });
    first.is_some_and(|solution| matches!(shape_of(solution, blank), TextShape::Full(_)))
}

/// Returns true if the text after a plain 9x9 grid needs the general reader.
///
/// Such a text may hold rules, a layout of regions or another puzzle.
#[inline]
fn has_more(rest: &[u8]) -> bool {
    may_have_rules(rest)
        || rest.len() > 81 && (layout_in(rest_of(rest, 0), 9).is_some() || has_puzzle(rest, 9, None))
}

/// Makes a record of each line except comments, empty lines and the header.
struct LineCutter {
    each: RowCutter<Passed>,
    /// True if a record has been found.
    any: bool,
}

impl Cutter for LineCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        if found.scanned == found.len {
            self.cut_alike(unread, found);
        }
        let is_over = self.each.cut(unread, found);
        self.any |= found.records > 0;
        if let Some(line) = self.each.rows.header_line.filter(|_| is_over && !self.any) {
            found.warnings.push(format!("line {line} is a number and no puzzle follows it"));
        }
        is_over
    }
}

impl LineCutter {
    /// Adds all following lines that are as long as the first line and are clearly records.
    ///
    /// For each line, checks only the first and the last byte, and that the line contains no other line end.
    fn cut_alike(&mut self, unread: &Unread<'_>, found: &mut CutRecords) {
        let rest = &unread.bytes[found.len..];
        let line_end = self.each.line_end;
        if self.each.rows.header_line.is_some() && !self.any {
            return;
        }
        let Some(stride) = memchr(line_end, rest).map(|at| at + 1) else { return };
        if stride > self.each.max_record_bytes {
            return;
        }
        let of_bytes = unread.target.bytes.saturating_sub(found.len).div_ceil(stride) as u64;
        let most = of_bytes.min(unread.target.records.saturating_sub(found.records));
        let is_alike =
            |line: &&[u8]| line[0] > b' ' && !matches!(line[0], b'#' | b'e') && line[stride - 1] == line_end;
        let lines = rest.chunks_exact(stride).take(usize::try_from(most).unwrap_or(usize::MAX));
        let lines = lines.take_while(is_alike).count();
        let len = lines * stride;
        if lines > 0 && memchr_iter(line_end, &rest[..len]).count() == lines {
            found.records += lines as u64;
            found.lines += lines as u64;
            found.len += len;
            found.scanned = found.len;
        }
    }
}

fn parse(grids: &mut GridReader, chunk: &Chunk) {
    let passed = Passed::new(&chunk.layout, &grids.options);
    passed.parse(grids, chunk, |grids, _, record| {
        let line = record.text.slice(&chunk.bytes);
        let has_solutions = chunk.layout.has_solutions;
        if line.len() == 81
            && let Some(packed) = grids.plain_9x9(line)
        {
            record.body = grids.records.add_packed(packed);
            record.given = if has_solutions { GivenSolution::Empty } else { GivenSolution::Absent };
            return Ok(());
        }
        let may_have_id = !grids.options.blank.is_some_and(separates);
        let among = plain_among(line, |cells| grids.plain_9x9(cells));
        let Some((start, packed)) = among.filter(|(start, _)| *start == 0 || may_have_id) else {
            return read(grids, chunk, line, record);
        };
        let mut id = rest_of(line, start + 81);
        if has_solutions {
            let (solution, rest) = solution_in(id, 9);
            id = rest;
            record.given = grids.given(solution, 9, Symbols::DEFAULT);
        }
        let id = if start > 0 { id_before(&line[..start]) } else { id };
        (record.puzzle, record.id) =
            (span_in(&chunk.bytes, &line[start..start + 81]), span_in(&chunk.bytes, id));
        record.body = grids.records.add_packed(packed);
        Ok(())
    });
}

/// Returns a plain 9x9 grid on a line, with its byte offset. An id may come before the grid, and other text
/// after it.
///
/// `read` returns the grid in the first 81 characters of a text, or `None` if they are not a grid. Returns
/// `None` for any other line, which the general reader must read.
fn plain_among<T>(line: &[u8], read: impl Fn(&[u8]) -> Option<T>) -> Option<(usize, T)> {
    let is_end = |at: usize| line.get(at).is_none_or(|&byte| separates(byte));
    let is_plain = |at: usize| line[at] > b'#' && is_end(at + 81) && !has_more(&line[at + 81..]);
    let (mut at, mut words) = (0, 0);
    // Words before the puzzle may consist only of letters and digits. Any other character, such as the dot of
    // a rule, may change how the puzzle must be read.
    while at + 81 <= line.len() && words <= MAX_WORDS_OF_ID {
        words += 1;
        if let Some(grid) = read(&line[at..]).filter(|_| is_plain(at)) {
            return Some((at, grid));
        }
        let word = line[at..].iter().position(|byte| !byte.is_ascii_alphanumeric())?;
        if word == 0 || word + 9 >= 81 || !separates(line[at + word]) {
            return None;
        }
        at += word + line[at + word..].iter().position(|&byte| !separates(byte))?;
    }
    None
}

/// Appends the plain 9x9 grid of each line, followed by a newline.
///
/// An id may come before the grid, and text may come after it. Returns false if the grid of some line cannot
/// be a plain 9x9 grid.
fn gather(chunk: &Chunk, puzzles: &mut Vec<u8>) -> bool {
    let (bytes, line_end) = (&chunk.bytes[..], chunk.layout.line_end());
    // A later step checks that the characters are cells. This step only checks that none of them is a
    // separator.
    let may_be_grid = |text: &[u8]| {
        let cells = text.first_chunk::<81>().copied();
        cells.filter(|cells| cells.iter().fold(true, |all, &byte| all & !separates(byte)))
    };
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes.get(at + 81) {
            Some(&byte) if byte == line_end => at + 81,
            _ => memchr(line_end, &bytes[at..]).map_or(bytes.len(), |found| at + found),
        };
        let cells = match bytes[at..end].first_chunk::<81>() {
            Some(cells) if at + 81 == end => *cells,
            _ => match plain_among(without_returns(&bytes[at..end]), may_be_grid) {
                Some((_, cells)) => cells,
                None => return false,
            },
        };
        puzzles.extend_from_slice(&cells);
        puzzles.push(b'\n');
        at = end + 1;
    }
    true
}

/// Returns the offset of the first tab after which there are rules, or `None` if there is no such tab.
fn rules_behind_tab(text: &[u8]) -> Option<usize> {
    memchr_iter(b'\t', text).find(|&tab| begins_rules(trim(&text[tab..])))
}

/// Splits the text after a puzzle into rules and id.
///
/// The rules are the first tab-separated field that begins like rules, together with all such fields directly
/// after it. The id is the text before or after the rules.
///
/// # Errors
/// Returns an error if there are rules anywhere else, because they would be ignored.
fn parted(rest: &[u8]) -> Result<(&[u8], &[u8]), RuleError> {
    let start = if begins_rules(rest) { Some(0) } else { rules_behind_tab(rest) };
    let Some(start) = start else { return no_rules_in(rest).map(|()| (&rest[..0], rest)) };
    let mut end = start;
    while begins_rules(trim(&rest[end..])) {
        let field = end + rest[end..].iter().position(|&byte| !is_blank(byte)).unwrap_or(0);
        end = memchr(b'\t', &rest[field..]).map_or(rest.len(), |tab| field + tab);
    }
    let (before, behind) = (trim(&rest[..start]), trim(&rest[end..]));
    no_rules_in(before)?;
    if let Some(tab) = rules_behind_tab(behind) {
        return Err(misplaced(trim(&behind[tab..])));
    }
    no_rules_in(behind)?;
    Ok((trim(&rest[start..end]), if start == 0 { behind } else { before }))
}

/// Returns the byte range of the puzzle on a line whose first word cannot be the puzzle. Returns `None` if
/// there is no puzzle.
///
/// The first word is too short, too long, or a key. The puzzle is the first word that is a grid with side
/// length `side` and empty cells.
///
/// If a word before this puzzle has nearly the same length, returns `None`: that word may be a damaged
/// puzzle, and the grid may be its partial solution.
///
/// If no word is such a grid, all words from the first one on may form the puzzle together. The puzzle may
/// also begin at one of the next words, if a `:`, a `)` or a letter comes before that word.
fn later_puzzle(line: &[u8], from: usize, side: usize, blank: Option<u8>) -> Option<(usize, usize)> {
    let cells = side * side;
    let large = words(line, from, blank).filter(|&(start, end)| end - start + side >= cells);
    let place = large.filter(|&(start, end)| !is_key(&line[start..end], side)).find(|&(start, end)| {
        shape_of(&line[start..end], blank) == TextShape::Open(side) || end - start <= cells + side
    });
    if let Some((start, end)) = place {
        return Some((start, end)).filter(|_| shape_of(&line[start..end], blank) == TextShape::Open(side));
    }
    let end = from + trim(&line[from..]).len();
    let may_precede = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b':' | b')');
    let starts = words(line, from, blank).take(MAX_WORDS_OF_ID + 1).map(|(start, _)| start);
    let mut starts = starts.filter(|&start| start == from || line[from..start].iter().any(may_precede));
    starts
        .find(|&start| end > start + cells && shape_of(&line[start..end], blank).grid_side() == Some(side))
        .map(|start| (start, end))
}

/// Maximum number of words before the puzzle.
const MAX_WORDS_OF_ID: usize = 4;

/// Returns true if a word may be a key that is as long as a puzzle with this side length. A key is a UUID or
/// a number of 16 digits.
fn is_key(word: &[u8], side: usize) -> bool {
    is_uuid(word) || side == 4 && word.len() == 16 && word.iter().all(u8::is_ascii_digit)
}

/// Returns the id in the text before a puzzle, without punctuation, such as `7` for `#7. `.
fn id_before(text: &[u8]) -> &[u8] {
    let is_start = |byte: u8| is_blank(byte) || byte == b'#' || encloses(byte);
    let start = text.iter().position(|&byte| !is_start(byte)).unwrap_or(text.len());
    let is_end = |byte: u8| is_blank(byte) || encloses(byte) || b",;|:.)#".contains(&byte);
    let end = text.iter().rposition(|&byte| !is_end(byte)).map_or(start, |last| (last + 1).max(start));
    &text[start..end]
}

/// Reason for refusing a line with more than one puzzle.
const SECOND_PUZZLE: &str =
    "another puzzle follows on the line (--from csv --column 1 reads the first puzzle)";

/// Reads a line of any kind into a record.
///
/// # Errors
/// Returns the reason if the record is invalid.
fn read(grids: &mut GridReader, chunk: &Chunk, line: &[u8], record: &mut Record) -> Result<(), Reason> {
    let bytes = &chunk.bytes[..];
    let blank = grids.options.blank;
    if let Some(read) = notation(line) {
        let Notation { puzzle, cells, id, rules, box_shape } = read?;
        (record.puzzle, record.id) =
            (span_in(bytes, puzzle), span_in(bytes, if id.is_empty() { &line[..0] } else { id }));
        grids.require_shown_box(cells.len().isqrt(), box_shape)?;
        let arrangement = Arrangement::Line(span_in(line, puzzle).start as usize + 1);
        let own = OwnRules { items: rules.as_bytes(), regions: b"" };
        grids.grid_with(&cells, arrangement, chunk.layout.symbols, own)?.put_in(record);
        return Ok(());
    }
    let is_cell = |byte| blank == Some(byte);
    let mut start = line.iter().position(|&byte| !is_blank(byte) || is_cell(byte)).unwrap_or(line.len());
    while !line.is_ascii() && blank_len(&line[start..]) > 1 {
        start += blank_len(&line[start..]);
    }
    let text = &line[start..];
    let (of_killer, are_alone) = (killer(text), are_rules(trim(text)));
    let mut end = match &of_killer {
        // In a killer sudoku that is drawn with arrows, a comma is one of the arrows and not a separator.
        Some(_) => start + text.iter().position(|&byte| is_blank(byte)).unwrap_or(text.len()),
        None if are_alone => start,
        None => start + word_len(text, blank),
    };
    let side = Passed::new(&chunk.layout, &grids.options).side;
    let mut before = &line[..0];
    if of_killer.is_none()
        && !are_alone
        && plain(&line[start..end], grids.options.wide_blank)
            .is_ok_and(|word| word.len() != side * side || is_key(&word, side))
        && let Some(place) = later_puzzle(line, start, side, blank)
    {
        before = id_before(&line[..place.0]);
        (start, end) = place;
    }
    let joined = joined_side(&line[start..end]).filter(|_| !are_alone);
    let behind = joined.map_or(end, |side| start + side * side);
    let (rules, id) = parted(rest_of(line, end)).map_err(|reason| reason.to_string())?;
    let layout = match joined {
        Some(_) => Some(&line[behind..end]),
        None => layout_in(id, (end - start).isqrt()).filter(|_| (end - start).isqrt().pow(2) == end - start),
    };
    if layout.is_some() && !chunk.layout.has_layouts {
        return Err(LATE_LAYOUT.into());
    }
    let id = match layout.filter(|_| joined.is_none()) {
        Some(layout) => trim(&id[layout.len()..]),
        None => id,
    };
    if id.len() >= side * side && end - start == side * side && has_puzzle(id, side, blank) {
        return Err(SECOND_PUZZLE.into());
    }
    let (solution, id) = if chunk.layout.has_solutions { solution_in(id, side) } else { (&id[..0], id) };
    let id = if before.is_empty() { id } else { before };
    // Text that begins like rules is read as rules, and an error is reported if it contains none.
    let rules = if are_alone && rules.is_empty() { trim(text) } else { rules };
    // If the line has only rules, the rules are used as the text of the puzzle.
    let puzzle = if are_alone { rules } else { &line[start..behind] };
    (record.puzzle, record.id) = (span_in(bytes, puzzle), span_in(bytes, id));
    if puzzle.len() == 81
        && rules.is_empty()
        && layout.is_none()
        && let Some(packed) = grids.plain_9x9(puzzle)
    {
        record.body = grids.records.add_packed(packed);
        if chunk.layout.has_solutions {
            record.given = grids.given(solution, 9, Symbols::DEFAULT);
        }
        return Ok(());
    }
    let own = |items| OwnRules { items, regions: layout.unwrap_or_default() };
    let grid = match of_killer {
        Some(Ok(mut items)) => {
            items.push_str(&String::from_utf8_lossy(rules));
            grids.blank_with(own(items.as_bytes()))
        }
        Some(Err(reason)) => Err(reason.into()),
        None if are_alone => grids.blank_with(own(rules)),
        None => {
            let arrangement = Arrangement::Line(cells::characters(&line[..start]) + 1);
            match grids.cut_off(puzzle).filter(|_| rules.is_empty()) {
                Some(reason) => Err(reason),
                None => grids.grid_with(puzzle, arrangement, chunk.layout.symbols, own(rules)),
            }
        }
    };
    let grid = grid.map_err(|reason| {
        // The whole word up to the next blank is checked. A comma would otherwise end the puzzle, but here it
        // may be the decimal sign of a number.
        let end = text.iter().position(|&byte| is_blank(byte)).unwrap_or(text.len());
        rounded(&text[..end]).map_or(reason, Reason::from)
    })?;
    let side = grid.put_in(record);
    if chunk.layout.has_solutions {
        record.given = grids.given(solution, side, record.symbols);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::examples::EASY;
    use super::super::super::testing::{bodies, read_all, read_in_chunks};
    use super::super::super::{ChunkBytes, ChunkTarget, Format, InputOptions};
    use super::*;

    fn options() -> InputOptions {
        InputOptions { format: Some(Format::Line), any_side: true, ..Default::default() }
    }

    fn read(text: &str) -> Vec<String> {
        bodies(&read_all(text.as_bytes(), options()))
    }

    fn digits() -> String {
        EASY.replace('.', "0")
    }

    #[test]
    fn givens_and_candidates_alone_are_read() {
        assert_eq!(read(".~R1C1_8~R1C3_7"), [format!("807{}", "0".repeat(78))]);
        assert_eq!(read(".Shape~4x4.~R4C4_3 .~R1C2_1_4"), [format!("0{{14}}{}3", "0".repeat(13))]);
        assert_eq!(read(".Shape~9x9"), ["0".repeat(81)]);
        // Text after a grid is its id unless the text is a rule.
        assert_eq!(read(&format!("{} ~R1C1_5 # ~", ".".repeat(16))), ["0".repeat(16)]);
        // If several rules give sets of digits for the same cell, the cell keeps the digits that are in all
        // of these sets.
        assert_eq!(read(".~R1C1_8_9~R1C1_9_1"), [format!("9{}", "0".repeat(80))]);
        let sixteen = read(".~RgCg_16~RaC1_10.Shape~16x16").remove(0);
        assert!(sixteen.ends_with('G') && sixteen.as_bytes()[9 * 16] == b'A', "{sixteen}");
        for (line, reason) in [
            (".Shape~7x7.~R1C1_1", "invalid: a 7x7 has no boxes"),
            (".Shape~1000000x1000000.~R1C1_1", "invalid: a 1000000x1000000 has no boxes"),
            (".~R1C1", "invalid: rules: item 1 `.~R1C1`: R1C1 has no digit: expected a given such as R1C1_5"),
        ] {
            assert_eq!(read(line), [reason], "{line}");
        }
    }

    #[test]
    fn every_blank_and_every_line_end_reads_the_same() {
        for blank in ['.', '0', '*', '_', '-', '?'] {
            let line = EASY.replace('.', &blank.to_string());
            for end in ["", "\n", "\r\n", "\r", " \t\n", "\r\r\n"] {
                assert_eq!(read(&format!("{line}{end}")), [digits()], "{blank} {end:?}");
            }
        }
        assert_eq!(read(&format!("\u{feff}{EASY}\n\n{EASY}")), [digits(), digits()]);
        assert_eq!(read(&format!("{EASY}\r{EASY}\r# x\r{EASY}")).len(), 3);
        let marked = InputOptions { blank: Some(b'x'), ..options() };
        let all = read_all(EASY.replace('.', "x").as_bytes(), marked);
        assert_eq!(bodies(&all), [digits()]);
    }

    #[test]
    fn a_blank_may_be_a_character_with_another_meaning() {
        let puzzles =
            [EASY, &".".repeat(81), &format!("..{}", &EASY[2..]), "1..4....4.....1.", ".4......4.....1."];
        let wanted: Vec<String> = puzzles.iter().map(|puzzle| puzzle.replace('.', "0")).collect();
        for blank in ['#', ' ', ',', ';', '|', '~', '"'] {
            let text = puzzles.join("\n").replace('.', &blank.to_string());
            for target in [1, 100, 1000] {
                let named = InputOptions { blank: Some(blank as u8), ..options() };
                let all = read_in_chunks(text.as_bytes(), named, ChunkTarget { bytes: target, records: 9 });
                assert_eq!(bodies(&all), wanted, "{blank:?}");
            }
        }
    }

    #[test]
    fn lines_bytes_and_ids_are_exact() {
        let text = format!("2\n# one\n{EASY} # first\n\n  {EASY},5.6\r\n{EASY}#x y;z\n{EASY}; ED=1/2\nbad\n");
        let all = read_all(text.as_bytes(), options());
        let told: Vec<_> = all
            .records
            .iter()
            .map(|record| (record.line, record.number, std::str::from_utf8(&record.id).unwrap()))
            .collect();
        assert_eq!(told, [(3, 1, "first"), (5, 2, "5.6"), (6, 3, "x y;z"), (7, 4, "ED=1/2"), (8, 5, "")]);
        for record in &all.records {
            assert!(text.as_bytes()[record.byte as usize..].starts_with(&record.text));
            assert!(
                record.body == digits()
                    || record.body == "invalid: 3 characters: no grid has this many cells"
            );
        }
        assert_eq!(all.records[1].puzzle, EASY.as_bytes());
    }

    #[test]
    fn skipped_lines_are_kept_on_demand() {
        let text = format!("7\n\n{EASY}\n#\n{EASY}");
        for target in [1, 1000] {
            let keep = InputOptions { keep_lines: true, ..options() };
            let all = read_in_chunks(text.as_bytes(), keep, ChunkTarget { bytes: target, records: 9 });
            let told: Vec<_> = all.records.iter().map(|record| (record.line, &record.body[..4])).collect();
            assert_eq!(told, [(1, "skip"), (2, "skip"), (3, "5300"), (4, "skip"), (5, "5300")]);
        }
    }

    #[test]
    fn reasons_are_precise() {
        let reason = |text: &str| read(&format!("{EASY}\n{text}"))[1].clone();
        assert_eq!(reason(&EASY[1..]), "invalid: 80 characters: no grid has this many cells");
        assert_eq!(reason(&".".repeat(49)), "invalid: 49 characters: a 7x7 has no boxes");
        assert_eq!(reason(&".".repeat(37 * 37)), "invalid: 1369 characters: no grid has this many cells");
        let wrong = |with: &str| reason(&EASY.replacen("6..1", &format!("6..{with}"), 1));
        assert_eq!(wrong("X"), "invalid: character 'X' in column 13 is not a digit of a 9x9");
        assert_eq!(wrong("\0"), "invalid: U+0000 (NUL) in column 13 is not a digit of a 9x9");
        assert_eq!(wrong("é"), "invalid: character 'é' in column 13 is not a digit of a 9x9");
        assert_eq!(
            reason(&".".repeat(36 * 36)),
            "invalid: a 36x36 has more digits than characters: write it in integers"
        );
        let bytes = [EASY.as_bytes(), b"\n", &[0xff; 81]].concat();
        let all = bodies(&read_all(&bytes, options()));
        assert_eq!(all[1], "invalid: byte 0xff in column 1 is not a digit of a 9x9");
    }

    #[test]
    fn marks_are_even_odd_and_groups() {
        let with = |marks: &str| read(&format!("{marks}{}", &EASY[marks.len()..]))[0].clone();
        assert!(with("e.o").starts_with("{2468}0{13579}070"));
        assert_eq!(with("a.b"), with("..."));
        let all = with("a.a");
        assert!(all.ends_with(" SameDigit { letter: 'a', cells: [0, 2] }"), "{all}");
        let off = InputOptions { marks: Some(false), ..options() };
        let all = bodies(&read_all(EASY.replacen('5', "e", 1).as_bytes(), off));
        assert_eq!(all, ["invalid: character 'e' in column 1 is not a digit of a 9x9"]);
    }

    #[test]
    fn other_sides_follow_from_the_length() {
        assert_eq!(read("1..............4"), ["1000000000000004"]);
        let sixteen = format!("G.1{}", ".".repeat(253));
        let all = read_all(sixteen.as_bytes(), options());
        assert!(all.records[0].body.starts_with("G010"));
        assert!(!all.records[0].symbols.lower_case);
        let all = read_all(sixteen.to_lowercase().as_bytes(), options());
        assert!(all.records[0].body.starts_with("G010") && all.records[0].symbols.lower_case);
        let boxed = InputOptions { box_shape: Some((3, 2)), ..options() };
        let all = bodies(&read_all(format!("{}\n{EASY}", ".".repeat(36)).as_bytes(), boxed));
        assert_eq!(all, ["0".repeat(36), "invalid: 81 characters: a 6x6 has 36".to_owned()]);
    }

    #[test]
    fn pencilmarks_have_nine_characters_per_cell() {
        let all = read(&format!("12.......{}", "123456789".repeat(80)));
        assert_eq!(all, [format!("{{12}}{}", "0".repeat(80))]);
        let bad = read(&format!("21.......{}", "123456789".repeat(80)));
        assert_eq!(bad, ["invalid: character '2' in column 1 is not 1 or empty (pencilmarks)"]);
        let large = InputOptions { side: Some(27), ..options() };
        assert_eq!(bodies(&read_all(".".repeat(729).as_bytes(), large)), ["0".repeat(729)]);
    }

    #[test]
    fn a_line_with_only_a_number_is_reported() {
        let all = read_all(b"49151\n", options());
        assert!(all.records.is_empty());
        assert_eq!(all.warnings, ["line 1 is a number and no puzzle follows it"]);
    }

    #[test]
    fn puzzles_are_gathered_with_any_text_after_them() {
        let gathered = |text: &str| {
            let bytes = ChunkBytes { buffer: text.as_bytes().to_vec(), start: 0 };
            let chunk = Chunk { bytes, ..Chunk::default() };
            let mut puzzles = Vec::new();
            gather(&chunk, &mut puzzles).then(|| String::from_utf8(puzzles).unwrap())
        };
        let text = format!("{EASY}\n{EASY} # hard\r\n{EASY},7\r\n{EASY}");
        assert_eq!(gathered(&text), Some(format!("{EASY}\n").repeat(4)));
        for behind in ["5", "x", ".", "\0", "\tx\t.AntiKing", ",17,.Diagonal~1", " . cage~5~R1C1"] {
            assert_eq!(gathered(&format!("{EASY}\n{EASY}{behind}\n")), None, "{behind:?}");
        }
        assert_eq!(gathered(&format!("{EASY}\n{}", &EASY[1..])), None);
    }

    #[test]
    fn rows_of_a_large_grid_between_delimiters_are_not_small_grids() {
        let row = |at: usize| format!("{}{}{}", ".".repeat(at), 1 + at % 4, ".".repeat(15 - at));
        let rows: Vec<String> = (0..16).map(row).collect();
        for between in [";", "|", ",", "/"] {
            for (before, after) in [("", ""), ("p7: ", " # easy"), ("", ";x")] {
                let line = format!("{before}{}{after}\n", rows.join(between));
                for text in [line.clone(), line.repeat(3)] {
                    let all = read_all(text.as_bytes(), InputOptions::default());
                    assert!(all.errors.len() + all.records.len() > 0, "{text}");
                    assert!(all.records.iter().all(|read| read.body.len() != 16), "{text}{:?}", bodies(&all));
                }
                if before.is_empty() && after.is_empty() {
                    let all = bodies(&read_all(line.as_bytes(), InputOptions::default()));
                    assert_eq!(all.len(), 1);
                    assert_eq!(all[0].len(), 256, "{all:?}");
                }
            }
        }
    }
}
