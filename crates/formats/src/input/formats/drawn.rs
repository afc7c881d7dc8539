//! Reads drawings, spreadsheets and candidate grids. Their empty cells are blanks, or their cells are groups
//! of digits.
//!
//! The number of characters in such a row does not show where the cells are. The cells are found by bars, by
//! positions on the line or by delimiters. The first part of the source decides which of these methods is
//! used ([`RowLook`], [`Lead`]), and how long a row is.

use std::borrow::Cow;

use super::super::cells::BLANKS;
use super::super::characters::{characters_of, plain};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::layout::{Lead, RowLook, RowsLayout};
use super::super::lines::{lines, span_in, trim};
use super::super::shapes::has_a_digit_twice;
use super::super::{Chunk, InputOptions, Layout, Record};
use super::FormatSpec;
use super::assembler::number_of;
use super::boxes::{BoxLine, shown_box};
use super::drawn_cells::{Cells, cells_of, is_frame, label_of};
use super::rows::is_empty;
use super::stretch::counts_columns;
use super::text_rows::{ROWS, describe_rows};
use quadrille_model::{DigitSet, MAX_SIDE, Reason, Symbols};

pub(super) const CANDIDATES: FormatSpec = FormatSpec {
    name: "candidates",
    about: "candidate grids: a group of digits for each cell, with or without a frame",
    look: "candidate grids",
    offer: |head, complete, layout| offer(head, complete, layout, GROUPS),
    ..DRAWING
};

pub(super) const SHEET: FormatSpec = FormatSpec {
    name: "sheet",
    about: "one grid as in a spreadsheet: one field per cell, also for empty cells",
    look: "a spreadsheet",
    offer: |head, complete, layout| offer(head, complete, layout, FIELDS),
    ..DRAWING
};

pub(super) const DRAWING: FormatSpec = FormatSpec {
    name: "drawing",
    about: "drawn or bare rows whose empty cells are blanks",
    look: "drawn grids",
    offer: |head, complete, layout| offer(head, complete, layout, PLACES),
    parse_cut,
    ..ROWS
};

/// One way to write rows. It says how cells are found, what may come before the cells, and whether a solution
/// may follow the cells.
type Offer = (RowLook, &'static [Lead], &'static [bool]);

const GROUPS: &[Offer] = &[(RowLook::Candidates, &[Lead::Nothing], &[false])];
const FIELDS: &[Offer] = &[
    (RowLook::Fields(b','), &[Lead::Label, Lead::Nothing], &[false, true]),
    (RowLook::Fields(b';'), &[Lead::Label, Lead::Nothing], &[false, true]),
    (RowLook::Fields(b'\t'), &[Lead::Label, Lead::Nothing], &[false, true]),
    (RowLook::Fields(b'&'), &[Lead::Label, Lead::Nothing], &[false, true]),
    (RowLook::Words(b','), &[Lead::Nothing], &[true]),
    (RowLook::Words(b','), &[Lead::Quote, Lead::Label], &[false]),
    (
        RowLook::Words(b','),
        &[Lead::Bullet(b'*'), Lead::Bullet(b'>'), Lead::Bullet(b'-'), Lead::Bullet(b'+'), Lead::Bullet(b'/')],
        &[false],
    ),
    (RowLook::Words(b'.'), &[Lead::Nothing], &[false]),
];
const PLACES: &[Offer] = &[
    (RowLook::Bars, &[Lead::Label, Lead::Nothing], &[false]),
    (RowLook::Widths(0, 2), &[Lead::Nothing], &[false]),
    (RowLook::Widths(0, 1), &[Lead::Nothing], &[false]),
    (RowLook::Widths(1, 2), &[Lead::Nothing], &[false]),
];

/// Rows of the first grid in the first part of a source.
struct FoundRows<'a> {
    layout: RowsLayout,
    rows: Vec<(&'a [u8], Cells<'a>)>,
    /// Line before the rows, or empty if there is none.
    line_before: &'a [u8],
    /// Number of rows before each frame. The list begins with an additional 0.
    frames: Vec<usize>,
}

impl<'a> FoundRows<'a> {
    fn words(&self) -> impl Iterator<Item = &'a [u8]> {
        self.rows.iter().flat_map(|(_, cells)| cells).copied()
    }

    /// Returns true if only this look (the way to find the cells in a row) can read the rows.
    ///
    /// No other format can read the rows then.
    fn needs_look(&self) -> bool {
        let RowsLayout { look, lead, side, has_solution, .. } = self.layout;
        let is_used = |cell: &&[u8]| !cell.is_empty();
        let in_rows =
            |is: &dyn Fn(&Cells<'_>) -> bool| self.rows.iter().filter(|(_, cells)| is(cells)).count();
        match (lead, look) {
            // A number before a row may be a cell, unless the numbers before the rows are consecutive.
            (Lead::Label, RowLook::Fields(delimiter)) => self.counts_rows(Some(delimiter)),
            (Lead::Label, _) => self.counts_rows(None),
            // If all rows begin and end with the bullet character, it is part of a frame.
            (Lead::Bullet(_), _) => {
                !self.rows.iter().all(|(line, _)| trim(line).first() == trim(line).last())
            }
            // A quoted text with a repeated digit is a key, not a row.
            (Lead::Quote, _) => self.rows.iter().all(|(_, cells)| {
                let digits: Vec<&[u8]> = cells.iter().copied().filter(|cell| !is_empty(cell)).collect();
                !has_a_digit_twice(&digits.concat().to_ascii_uppercase(), |_| true)
            }),
            // Candidate grids in which each cell has a single digit are ordinary grids.
            (_, RowLook::Candidates) => self.words().any(|word| word.len() > 1),
            // Bars are needed only if blanks mean empty cells. If a word has more than two characters, its
            // row has no blanks between cells. If another character than the blank means an empty cell, a
            // blank does not.
            (_, RowLook::Bars) => {
                let is_long = |word: &[u8]| word.iter().filter(|byte| byte.is_ascii()).count() > 2;
                let is_digit = |word: &[u8]| word == b"0" && side > 9;
                let is_other = |word: &[u8]| is_long(word) || is_empty(word) && !is_digit(word);
                self.has_some_empty() && !self.words().any(is_other)
            }
            // Only positions on the line show where the cells are. So at least one row must have a digit in
            // its first cell, and at least one row must have a digit in its last cell.
            (_, RowLook::Widths(..)) => {
                // A row with only one digit may be another line, such as a number, so it does not count.
                let has_two = |cells: &Cells<'_>| cells.iter().filter(|cell| is_used(cell)).count() > 1;
                let has_gap =
                    |cells: &Cells<'_>| cells.windows(2).any(|two| !is_used(&two[0]) && is_used(&two[1]));
                self.frames.len() == 1
                    && in_rows(&has_gap) * 2 >= side
                    && in_rows(&|cells| cells.iter().any(is_used)) > side / 2
                    && in_rows(&|cells| cells.first().is_some_and(is_used) && has_two(cells)) > 0
                    && in_rows(&|cells| cells.last().is_some_and(is_used) && has_two(cells)) > 0
                    // If blanks separate all characters, words show the cells, and positions are not needed.
                    // So at least one position that would be such a blank must be used.
                    && in_rows(&|cells| cells.iter().skip(1).step_by(2).any(is_used)) > 0
            }
            // If all fields are plain integers, the rows are left to the format `integers`.
            (_, RowLook::Fields(delimiter)) => {
                self.has_some_empty()
                    || has_solution
                    || delimiter == b'&'
                    || self.words().any(|word| !word.iter().all(u8::is_ascii_digit))
                    || self.rows.iter().any(|(line, _)| memchr::memchr2(b'"', b'\'', line).is_some())
                    || memchr::memchr_iter(delimiter, self.line_before).count() + 1 == side
            }
            (_, RowLook::Words(b'.')) => self.rows.iter().all(|(line, _)| line.contains(&b'.')),
            // If a clue of the left grid does not occur in the right grid, they are two independent grids and
            // not a puzzle with its solution.
            (_, RowLook::Words(_)) => self.rows.iter().all(|(_, cells)| {
                let mut pairs = cells[..side].iter().zip(&cells[side..]);
                pairs.all(|(cell, digit)| !is_empty(digit) && (is_empty(cell) || cell == digit))
            }),
        }
    }

    /// Returns true if the labels before the rows are consecutive numbers or letters.
    fn counts_rows(&self, delimiter: Option<u8>) -> bool {
        let labels = self.rows.iter().map(|(line, _)| label_of(line, delimiter).map(|label| label.0));
        let labels: Vec<Option<u64>> = labels.collect();
        labels.windows(2).all(|two| two[0].and_then(|number| number.checked_add(1)) == two[1])
    }

    /// Returns true if several lines seem to form one row of the grid.
    ///
    /// This is so if two conditions hold. There are at least three lines between two frames. Only one of
    /// these lines has digits, and it is the same one (such as the second) between all frames. If each line
    /// were a row, most rows would be empty, and the grid would have several solutions.
    fn is_tall(&self) -> bool {
        let bands: Vec<usize> =
            self.frames.windows(2).map(|two| two[1] - two[0]).filter(|&rows| rows > 0).collect();
        let height = bands.first().copied().unwrap_or(0);
        let is_used = |cells: &Cells<'_>| cells.iter().any(|cell| !cell.is_empty());
        let mut used = self.rows.iter().enumerate().filter(|(_, (_, cells))| is_used(cells));
        let Some((first, _)) = used.next().filter(|_| height > 2 && bands.iter().all(|&rows| rows == height))
        else {
            return false;
        };
        used.all(|(row, _)| row % height == first % height)
    }

    /// Returns true if at least one cell is empty and at least one cell is not.
    fn has_some_empty(&self) -> bool {
        self.words().any(<[u8]>::is_empty) && !self.words().all(<[u8]>::is_empty)
    }
}

fn offer(head: &Head<'_>, complete: bool, layout: &mut Layout, offers: &[Offer]) -> Result<bool, String> {
    layout.rows = if complete { looks(head, offers) } else { None };
    match layout.rows {
        Some(rows) if rows.is_tall => {
            Err("its grids have several lines for each row: write one line for each row".into())
        }
        Some(_) => describe_rows(head, complete, layout),
        None if complete && head.is_asked => Err("no rows of a grid".into()),
        None => Ok(false),
    }
}

/// Returns the layout of the rows of a source's first grid, or `None` if no look in `offers` fits.
///
/// A look is a way to find the cells in a row. If a look fits several side lengths, the one with the most
/// rows is chosen.
fn looks(head: &Head<'_>, offers: &[Offer]) -> Option<RowsLayout> {
    let lines: Vec<&[u8]> = head.lines().take(LINES_LOOKED_AT).collect();
    // Up to five lines of text may come before the first row. In that row, no word is longer than the row of
    // the largest grid.
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    let has_long = |line: &[u8]| line.split(|byte| !is_in_word(byte)).any(|word| word.len() > MAX_SIDE);
    let firsts: Vec<usize> =
        (0..lines.len().min(LINES_BEFORE + 1)).filter(|&at| !has_long(lines[at])).collect();
    let asked = head.options.asked_side();
    let sides = (InputOptions::MIN_SIDE..=MAX_SIDE)
        .filter(|&side| InputOptions::is_side(side) && asked.is_none_or(|asked| asked == side));
    let best = |look, lead, solutions: &[bool]| {
        let layouts = sides.clone().flat_map(|side| {
            let layout = move |&has_solution| RowsLayout { look, lead, side, has_solution, is_tall: false };
            solutions.iter().map(layout)
        });
        let found = layouts.filter_map(|rows| fits(&lines, &firsts, rows));
        found.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, rows)| rows)
    };
    offers
        .iter()
        .find_map(|&(look, leads, solutions)| leads.iter().find_map(|&lead| best(look, lead, solutions)))
}

/// Reads the first rows of a source with the layout `rows`. Returns the number of rows and their layout, or
/// `None` if the rows do not fit.
///
/// `firsts` are the indices of the lines that may be the first row.
fn fits(lines: &[&[u8]], firsts: &[usize], rows: RowsLayout) -> Option<(usize, RowsLayout)> {
    let side = rows.side;
    let read = |at: usize| lines.get(at).and_then(|line| Some((*line, cells_of(line, rows)?)));
    let indent = |(line, cells): &(&[u8], Cells<'_>)| span_in(line, cells[0]).start;
    let first = firsts.iter().copied().find(|&at| {
        read(at).is_some_and(|row| {
            let is_indented = read(at + 1).is_some_and(|next| indent(&next) < indent(&row));
            !(is_indented && counts_columns(row.1.iter().map(|cell| number_of(cell))))
        })
    })?;
    let line_before = if first > 0 { lines[first - 1] } else { b"" };
    let mut found = FoundRows { layout: rows, rows: Vec::new(), line_before, frames: vec![0] };
    let (mut is_first_framed, mut has_header, mut more) = (false, false, 0);
    for line in &lines[first..] {
        match cells_of(line, rows) {
            Some(cells) if found.rows.len() < side => found.rows.push((*line, cells)),
            // The first row turned out to be the header of a table.
            Some(cells) if is_first_framed && !has_header => {
                has_header = true;
                found.rows.remove(0);
                found.rows.push((*line, cells));
            }
            Some(_) if found.is_tall() => break,
            // After a whole grid, rows of further grids may follow without a line between the grids.
            Some(_) if rows.lead != Lead::Nothing => more += 1,
            // If another row follows the last row of the grid, the side length is wrong.
            Some(_) if !is_frame(line) => return None,
            _ if found.rows.len() == side => break,
            None if is_frame(line) => {
                let before = found.rows.len();
                // A frame after the first row suggests a header. If the second row also has a frame after it,
                // all rows have frames.
                is_first_framed = before != 2 && (is_first_framed || before == 1);
                found.frames.push(before);
            }
            _ => return None,
        }
    }
    found.layout.is_tall = rows.look == RowLook::Bars && !has_header && found.is_tall();
    // A side length above 9 may be wrong for two reasons. A row of numbers or candidates has more characters
    // than cells. A whole 4x4 grid on one line is as long as a row of a 16x16 grid. So such a side length is
    // rejected if all digits are small.
    let most = match rows.look {
        RowLook::Bars | RowLook::Widths(..) => 9,
        RowLook::Words(b',') => side.isqrt(),
        _ => 0,
    };
    let is_small = |word: &[u8]| match word {
        [] => true,
        [digit @ b'0'..=b'9'] => usize::from(digit - b'0') <= most,
        _ => most < 9 && is_empty(word),
    };
    let is_other = side > 9 && most > 0 && found.words().all(is_small);
    let is_whole = found.rows.len() == side && (more % side == 0 || lines.len() == LINES_LOOKED_AT);
    (is_whole && !is_other && found.needs_look()).then_some((side + more, found.layout))
}

/// Maximum number of lines read. The largest grid has fewer lines, even with a frame after every row.
const LINES_LOOKED_AT: usize = 100;

/// Maximum number of lines in a source before the first row of a grid.
const LINES_BEFORE: usize = 5;

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let Some(rows) = chunk.layout.rows else { return Ok(()) };
    let ([words, beside], box_lines) = words_of(record.puzzle.slice(&chunk.bytes), rows, chunk, grids);
    grids.require_shown_box(rows.side, shown_box(box_lines.into_iter(), rows.side))?;
    let words: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
    let grid = if rows.look == RowLook::Candidates {
        let set = |word: &&[u8]| match word {
            _ if word.len() > 1 && grids.options.keep_clues => DigitSet::all(rows.side),
            word => word.iter().fold(DigitSet(0), |set, digit| DigitSet(set.0 | 1 << (digit - b'1'))),
        };
        let sets: Vec<DigitSet> = words.iter().map(set).collect();
        grids.grid_of_candidates(rows.side, &sets)?
    } else if words.iter().all(|word| word.len() == 1) {
        grids.grid_of_items(&words.concat(), chunk.layout.symbols)?
    } else {
        grids.grid_of_items(&characters_of(&words)?, Some(Symbols::DEFAULT))?
    };
    let side = grid.put_in(record);
    if rows.has_solution || chunk.layout.solutions_in_rows {
        let ([below, _], _) = words_of(record.solution.slice(&chunk.bytes), rows, chunk, grids);
        let solution: Vec<&[u8]> = beside.iter().chain(&below).map(|word| &**word).collect();
        record.given = grids.given_words(&solution, side);
    }
    Ok(())
}

/// Texts of the cells of a grid, as written in the input.
type Words<'t> = Vec<Cow<'t, [u8]>>;

/// Returns the texts of a puzzle's cells, the texts of the cells of the solution next to it, and the lines
/// that may show boxes.
fn words_of<'t>(
    text: &'t [u8],
    rows: RowsLayout,
    chunk: &Chunk,
    grids: &GridReader,
) -> ([Words<'t>; 2], Vec<BoxLine>) {
    let (mut words, mut box_lines) = ([Vec::new(), Vec::new()], Vec::new());
    let is_field = matches!(rows.look, RowLook::Fields(_) | RowLook::Words(_));
    for (_, line) in lines(text, chunk.layout.line_end()) {
        let Some(cells) = cells_of(line, rows) else {
            box_lines.push(BoxLine::Separator);
            continue;
        };
        box_lines.push(BoxLine::Row(None));
        let word = |cell: &&'t [u8]| match *cell {
            b"" => Cow::Borrowed(&b"."[..]),
            b"x" | b"X" if is_field && rows.side <= 9 => Cow::Borrowed(&b"."[..]),
            word => plain(word, grids.options.wide_blank).unwrap_or(Cow::Borrowed(word)),
        };
        let (puzzle, beside) = cells.split_at(rows.side);
        words[0].extend(puzzle.iter().map(word));
        words[1].extend(beside.iter().map(word));
    }
    (words, box_lines)
}
