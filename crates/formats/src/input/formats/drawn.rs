//! Grids whose empty cells are blanks or whose cells are groups of candidates: drawings, spreadsheets and candidate
//! grids.
//!
//! In such rows the number of characters does not show where the cells are. Bars, positions on the line or delimiters
//! show it; the head decides which ([`RowLook`], [`Lead`]), and how long a row is.

use std::borrow::Cow;

use super::super::cells::BLANKS;
use super::super::characters::{characters_of, plain};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::layout::{Lead, RowLook, RowsLayout};
use super::super::lines::{lines, trim};
use super::super::shapes::has_a_digit_twice;
use super::super::{Chunk, InputOptions, Layout, Record};
use super::FormatSpec;
use super::assembler::{Assembler, number_of};
use super::boxes::{BoxLine, shown_box};
use super::drawn_cells::{Cells, cells_of, is_frame, label_of};
use super::rows::is_empty;
use super::stretch::counts_columns;
use super::text_rows::describe_rows;
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
    has_symbols: true,
    cutter: |layout, options| Assembler::cutter(layout, options),
    parse_cut,
    ..FormatSpec::CUT
};

/// A way to write rows: how cells are found, what may be before them, and whether a solution follows the puzzle.
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

/// The rows of the first grid of a head.
struct FoundRows<'a> {
    layout: RowsLayout,
    rows: Vec<(&'a [u8], Cells)>,
    /// The line before them; empty if there is none.
    line_before: &'a [u8],
    /// Number of rows before each frame, after a 0.
    frames: Vec<usize>,
}

impl<'a> FoundRows<'a> {
    fn words(&self) -> impl Iterator<Item = &'a [u8]> {
        self.rows.iter().flat_map(|(line, cells)| cells.iter().map(|&(start, end)| &line[start..end]))
    }

    /// Returns true if the rows of the grid need this look, so that no other format can read them.
    fn needs_look(&self) -> bool {
        let RowsLayout { look, lead, side, has_solution, .. } = self.layout;
        let is_used = |cell: &(usize, usize)| cell.0 < cell.1;
        let in_rows = |is: &dyn Fn(&Cells) -> bool| self.rows.iter().filter(|(_, cells)| is(cells)).count();
        match (lead, look) {
            // A number that does not count the rows may be a cell.
            (Lead::Label, RowLook::Fields(delimiter)) => self.counts_rows(Some(delimiter)),
            (Lead::Label, _) => self.counts_rows(None),
            // A bullet that is at both ends of all rows is a frame.
            (Lead::Bullet(_), _) => {
                !self.rows.iter().all(|(line, _)| trim(line).first() == trim(line).last())
            }
            // Keys in quotes are not rows.
            (Lead::Quote, _) => self.rows.iter().all(|(line, cells)| {
                let digits = cells.iter().filter(|&&(start, end)| !is_empty(&line[start..end]));
                !has_a_digit_twice(digits.map(|&(start, _)| line[start].to_ascii_uppercase()))
            }),
            // If every cell has a single digit, this is an ordinary grid.
            (_, RowLook::Candidates) => self.words().any(|word| word.len() > 1),
            // A word of more than two characters is part of a row that is written without blanks. If there is a
            // character for empty cells, blanks are not empty cells.
            (_, RowLook::Bars) => {
                let is_long = |word: &[u8]| word.iter().filter(|byte| byte.is_ascii()).count() > 2;
                let is_digit = |word: &[u8]| word == b"0" && side > 9;
                let is_other = |word: &[u8]| is_long(word) || is_empty(word) && !is_digit(word);
                self.has_some_empty() && !self.words().any(is_other)
            }
            // Only positions on the line show where cells are, so some row must begin with a digit in the first cell,
            // and some row must end with one in the last.
            (_, RowLook::Widths(..)) => {
                // A single character may be a line of its own, such as a number.
                let has_two = |cells: &Cells| cells.iter().filter(|cell| is_used(cell)).count() > 1;
                let has_gap =
                    |cells: &Cells| cells.windows(2).any(|two| !is_used(&two[0]) && is_used(&two[1]));
                self.frames.len() == 1
                    && in_rows(&has_gap) * 2 >= side
                    && in_rows(&|cells| cells.iter().any(is_used)) > side / 2
                    && in_rows(&|cells| cells.first().is_some_and(is_used) && has_two(cells)) > 0
                    && in_rows(&|cells| cells.last().is_some_and(is_used) && has_two(cells)) > 0
                    // In words with blanks between them only every other place is used.
                    && in_rows(&|cells| cells.iter().skip(1).step_by(2).any(is_used)) > 0
            }
            // Plain integers are read by their own format.
            (_, RowLook::Fields(delimiter)) => {
                self.has_some_empty()
                    || has_solution
                    || delimiter == b'&'
                    || self.words().any(|word| !word.iter().all(u8::is_ascii_digit))
                    || self.rows.iter().any(|(line, _)| memchr::memchr2(b'"', b'\'', line).is_some())
                    || memchr::memchr_iter(delimiter, self.line_before).count() + 1 == side
            }
            (_, RowLook::Words(b'.')) => self.rows.iter().all(|(line, _)| line.contains(&b'.')),
            // Each clue must be in the solution, or these are two grids.
            (_, RowLook::Words(_)) => self.rows.iter().all(|(line, cells)| {
                let (puzzle, solution) = cells.split_at(side);
                puzzle.iter().zip(solution).all(|(cell, digit)| {
                    let [cell, digit] = [cell, digit].map(|&(start, end)| &line[start..end]);
                    !is_empty(digit) && (is_empty(cell) || cell == digit)
                })
            }),
        }
    }

    /// Returns true if the labels before the rows count them.
    fn counts_rows(&self, delimiter: Option<u8>) -> bool {
        let labels = self.rows.iter().map(|(line, _)| label_of(line, delimiter).map(|label| label.0));
        let labels: Vec<Option<u64>> = labels.collect();
        labels.windows(2).all(|two| two[0].and_then(|number| number.checked_add(1)) == two[1])
    }

    /// Returns true if only one of the three or more lines between two frames has digits, always at the same place. A
    /// grid with such empty rows has several solutions.
    fn is_tall(&self) -> bool {
        let bands: Vec<usize> =
            self.frames.windows(2).map(|two| two[1] - two[0]).filter(|&rows| rows > 0).collect();
        let height = bands.first().copied().unwrap_or(0);
        let is_used = |cells: &Cells| cells.iter().any(|cell| cell.0 < cell.1);
        let mut used = self.rows.iter().enumerate().filter(|(_, (_, cells))| is_used(cells));
        let Some((first, _)) = used.next().filter(|_| height > 2 && bands.iter().all(|&rows| rows == height))
        else {
            return false;
        };
        used.all(|(row, _)| row % height == first % height)
    }

    /// Returns true if some cells are empty and others are not.
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

/// Returns the layout of the rows of a head, which must have one of the looks offered; `None` if it has none of these
/// looks. The side with most rows is chosen.
fn looks(head: &Head<'_>, offers: &[Offer]) -> Option<RowsLayout> {
    let lines: Vec<&[u8]> = head.lines().take(LINES_LOOKED_AT).collect();
    // Some lines about the grid may come before its first row, which has no word longer than the largest row.
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    let has_long = |line: &[u8]| line.split(|byte| !is_in_word(byte)).any(|word| word.len() > MAX_SIDE);
    let firsts: Vec<usize> =
        (0..lines.len().min(LINES_BEFORE + 1)).filter(|&at| !has_long(lines[at])).collect();
    let asked = head.options.asked_side();
    let sides = (InputOptions::MIN_SIDE..=MAX_SIDE)
        .filter(|&side| InputOptions::is_side(side) && asked.is_none_or(|asked| asked == side));
    let best = |look, lead, solutions: &[bool]| {
        let mut best: Option<(usize, RowsLayout)> = None;
        for side in sides.clone() {
            for &has_solution in solutions {
                let rows = RowsLayout { look, lead, side, has_solution, is_tall: false };
                let found = fits(&lines, &firsts, rows);
                best = found.filter(|found| best.is_none_or(|best| found.0 > best.0)).or(best);
            }
        }
        best.map(|(_, rows)| rows)
    };
    offers
        .iter()
        .find_map(|&(look, leads, solutions)| leads.iter().find_map(|&lead| best(look, lead, solutions)))
}

/// Returns the number of rows and the layout, or `None` if the first rows of a head do not form a grid written in this way.
/// `firsts` are the places of the lines that may be the first row.
fn fits(lines: &[&[u8]], firsts: &[usize], rows: RowsLayout) -> Option<(usize, RowsLayout)> {
    let side = rows.side;
    let first = firsts.iter().copied().find(|&at| {
        cells_of(lines[at], rows).is_some_and(|cells| {
            let next = lines.get(at + 1).and_then(|line| cells_of(line, rows));
            let numbers = cells.iter().map(|&(start, end)| number_of(&lines[at][start..end]));
            !(next.is_some_and(|next| next[0].0 < cells[0].0) && counts_columns(numbers))
        })
    })?;
    let line_before = if first > 0 { lines[first - 1] } else { b"" };
    let mut found = FoundRows { layout: rows, rows: Vec::new(), line_before, frames: vec![0] };
    let (mut is_first_framed, mut has_header, mut more) = (false, false, 0);
    for line in &lines[first..] {
        match cells_of(line, rows) {
            Some(cells) if found.rows.len() < side => found.rows.push((*line, cells)),
            // The first row was the header of a table.
            Some(cells) if is_first_framed && !has_header => {
                has_header = true;
                found.rows.remove(0);
                found.rows.push((*line, cells));
            }
            Some(_) if found.is_tall() => break,
            // Whole grids may follow each other directly.
            Some(_) if rows.lead != Lead::Nothing => more += 1,
            // There is one row too many.
            Some(_) if !is_frame(line) => return None,
            _ if found.rows.len() == side => break,
            None if is_frame(line) => {
                let before = found.rows.len();
                // If there is a frame after the second row too, all rows have frames between them.
                is_first_framed = before != 2 && (is_first_framed || before == 1);
                found.frames.push(before);
            }
            _ => return None,
        }
    }
    found.layout.is_tall = rows.look == RowLook::Bars && !has_header && found.is_tall();
    // Numbers and candidates have more characters than their grid has cells, but no digits above 9. Whole 4x4 grids are
    // as long as rows of a 16x16.
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

/// Maximum number of lines read: more than the largest grid has with a frame after every row.
const LINES_LOOKED_AT: usize = 100;

/// Maximum number of lines before the first row of a head.
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

/// The cells of a grid as they are written.
type Words<'t> = Vec<Cow<'t, [u8]>>;

/// Returns the words of the cells of a puzzle, those of the solution next to it, and where lines show boxes.
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
        let word = |&(start, end): &(usize, usize)| match &line[start..end] {
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
