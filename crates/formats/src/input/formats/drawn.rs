//! Grids whose empty cells are blanks or whose cells are groups of candidates: drawings, spreadsheets and candidate
//! grids.
//!
//! In such rows the number of characters does not show where the cells are. Bars, positions on the line or delimiters
//! show it; the head decides which ([`RowLook`]), and how long a row is.

use std::borrow::Cow;

use super::super::cells::{Arrangement, BLANKS};
use super::super::characters::{
    Meaning, blank_len, characters_of, is_empty_word, meaning_of, plain, whole_number,
};
use super::super::cutter::{ByLine, Line, LineMachine, RecordSink, RecordStart};
use super::super::dialect::Dialect;
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::layout::{RowLook, RowsLayout};
use super::super::lines::{is_blank, lines, number_in, trim};
use super::super::shapes::has_a_digit_twice;
use super::super::{Chunk, Format, GivenSolution, InputOptions, Layout, LineKind, Record};
use super::FormatSpec;
use super::boxes::{BoxLine, shown_box};
use super::other_rows::OtherRows;
use super::rows::is_empty;
use quadrille_model::{DigitSet, Geometry, MAX_SIDE, Reason, Symbols};

pub(super) const CANDIDATES: FormatSpec = FormatSpec {
    format: Format::Candidates,
    name: "candidates",
    about: "candidate grids: a group of digits for each cell, with or without a frame",
    look: "candidate grids",
    sniff: |head| looks(head, &[RowLook::Candidates]).is_some(),
    describe: |head, complete, layout| describe(head, complete, layout, &[RowLook::Candidates]),
    ..DRAWING
};

pub(super) const SHEET: FormatSpec = FormatSpec {
    format: Format::Sheet,
    name: "sheet",
    about: "one grid as in a spreadsheet: one field per cell, also for empty cells",
    look: "a spreadsheet",
    sniff: |head| looks(head, FIELDS).is_some(),
    describe: |head, complete, layout| describe(head, complete, layout, FIELDS),
    ..DRAWING
};

pub(super) const DRAWING: FormatSpec = FormatSpec {
    format: Format::Drawing,
    name: "drawing",
    about: "drawn or bare rows whose empty cells are blanks",
    look: "drawn grids",
    sniff: |head| looks(head, PLACES).is_some(),
    describe: |head, complete, layout| describe(head, complete, layout, PLACES),
    has_symbols: true,
    cutter: |layout, options| {
        let rows = layout.rows.unwrap_or_default();
        ByLine::cutter(BlockMachine::new(rows), layout, options)
    },
    parse_cut,
    ..FormatSpec::CUT
};

const FIELDS: &[RowLook] = &[
    RowLook::Fields(b','),
    RowLook::Fields(b';'),
    RowLook::Fields(b'\t'),
    RowLook::Fields(b'&'),
    RowLook::Pairs,
    RowLook::Strings,
    RowLook::Labels,
    RowLook::Bullets(b'*'),
    RowLook::Bullets(b'>'),
    RowLook::Bullets(b'-'),
    RowLook::Bullets(b'+'),
    RowLook::Bullets(b'/'),
];
const PLACES: &[RowLook] =
    &[RowLook::Bars, RowLook::Widths(0, 2), RowLook::Widths(0, 1), RowLook::Widths(1, 2)];

/// The range of a cell on its line; empty for an empty cell.
type Cells = Vec<(usize, usize)>;

/// How rows of one look are read.
struct Reading {
    /// Returns the cells of a line, or `None` if it is not a row.
    cells: fn(&[u8], RowsLayout) -> Option<Cells>,
    /// Returns true if the rows of a grid need this reading, so that no other format can read them.
    is_like: fn(&FoundRows<'_>) -> bool,
    /// The variants to try: number of fields of an index before the cells, and true if a solution follows the puzzle.
    variants: &'static [(usize, bool)],
    /// True if only an empty line, text or a frame ends a grid.
    ends_at_gaps: bool,
}

const CANDIDATE_ROWS: Reading = Reading {
    cells: candidates_of,
    // If every cell has a single digit, this is an ordinary grid.
    is_like: |found| found.words().any(|word| word.len() > 1),
    variants: &[(0, false)],
    ends_at_gaps: false,
};

const BAR_ROWS: Reading = Reading {
    cells: |line, rows| if is_frame(line) { None } else { bars_of(line, rows.side) },
    is_like: |found| {
        // A word of more than two characters is part of a row that is written without blanks. If there is a character
        // for empty cells, blanks are not empty cells.
        let is_long = |word: &[u8]| word.iter().filter(|byte| byte.is_ascii()).count() > 2;
        let is_digit = |word: &[u8]| word == b"0" && found.layout.side > 9;
        let is_other = |word: &[u8]| is_long(word) || is_empty(word) && !is_digit(word);
        found.has_some_empty() && !found.words().any(is_other)
    },
    ..CANDIDATE_ROWS
};

const WIDTH_ROWS: Reading = Reading {
    cells: widths_of,
    // Only positions on the line show where cells are, so some row must begin with a digit in the first cell, and some
    // row must end with one in the last.
    is_like: |found| {
        let is_used = |cell: &(usize, usize)| cell.0 < cell.1;
        let in_rows = |is: &dyn Fn(&Cells) -> bool| found.rows.iter().filter(|(_, cells)| is(cells)).count();
        // A single character may be a line of its own, such as a number.
        let has_two = |cells: &Cells| cells.iter().filter(|cell| is_used(cell)).count() > 1;
        let has_gap = |cells: &Cells| cells.windows(2).any(|two| !is_used(&two[0]) && is_used(&two[1]));
        found.frames.len() == 1
            && in_rows(&has_gap) * 2 >= found.layout.side
            && in_rows(&|cells| cells.iter().any(is_used)) > found.layout.side / 2
            && in_rows(&|cells| cells.first().is_some_and(is_used) && has_two(cells)) > 0
            && in_rows(&|cells| cells.last().is_some_and(is_used) && has_two(cells)) > 0
            // In words with blanks between them only every other place is used.
            && in_rows(&|cells| cells.iter().skip(1).step_by(2).any(is_used)) > 0
    },
    ends_at_gaps: true,
    ..CANDIDATE_ROWS
};

const FIELD_ROWS: Reading = Reading {
    cells: fields_of,
    // Plain integers are read by their own format.
    is_like: |found| {
        let is_other = |word: &[u8]| !word.iter().all(u8::is_ascii_digit);
        if found.layout.skip > 0 {
            return found.counts_rows(index_of);
        }
        found.has_some_empty()
            || found.layout.has_solution
            || found.layout.look == RowLook::Fields(b'&')
            || found.words().any(is_other)
            || found.rows.iter().any(|(line, _)| memchr::memchr2(b'"', b'\'', line).is_some())
            || found.has_names()
    },
    variants: &[(0, false), (0, true), (1, false), (1, true)],
    ends_at_gaps: true,
};

const LABEL_ROWS: Reading = Reading {
    cells: |line, rows| cells_after(line, label_of(line)?.1, rows.side),
    is_like: |found| found.counts_rows(|line| Some(label_of(line)?.0)),
    ..CANDIDATE_ROWS
};

const BULLET_ROWS: Reading = Reading {
    cells: |line, rows| {
        let RowLook::Bullets(bullet) = rows.look else { return None };
        cells_after(line, without_bullet(line, bullet)?, rows.side)
    },
    // A bullet that is at both ends of all rows is a frame.
    is_like: |found| !found.rows.iter().all(|(line, _)| trim(line).first() == trim(line).last()),
    ..CANDIDATE_ROWS
};

const PAIR_ROWS: Reading = Reading {
    cells: |line, rows| cells_after(line, line, 2 * rows.side),
    // Each clue must be in the solution, or these are two grids.
    is_like: |found| {
        found.rows.iter().all(|(line, cells)| {
            let (puzzle, solution) = cells.split_at(found.layout.side);
            puzzle.iter().zip(solution).all(|(cell, digit)| {
                let [cell, digit] = [cell, digit].map(|&(start, end)| &line[start..end]);
                !is_empty(digit) && (is_empty(cell) || cell == digit)
            })
        })
    },
    variants: &[(0, true)],
    ..CANDIDATE_ROWS
};

const STRING_ROWS: Reading = Reading {
    cells: |line, rows| cells_after(line, string_of(line)?, rows.side),
    // Keys in quotes are not rows.
    is_like: |found| {
        found.rows.iter().all(|(line, cells)| {
            let digits = cells.iter().filter(|&&(start, end)| !is_empty(&line[start..end]));
            !has_a_digit_twice(digits.map(|&(start, _)| line[start].to_ascii_uppercase()))
        })
    },
    ..CANDIDATE_ROWS
};

fn reading_of(look: RowLook) -> &'static Reading {
    match look {
        RowLook::Candidates => &CANDIDATE_ROWS,
        RowLook::Bars => &BAR_ROWS,
        RowLook::Widths(..) => &WIDTH_ROWS,
        RowLook::Fields(_) => &FIELD_ROWS,
        RowLook::Labels => &LABEL_ROWS,
        RowLook::Bullets(_) => &BULLET_ROWS,
        RowLook::Pairs => &PAIR_ROWS,
        RowLook::Strings => &STRING_ROWS,
    }
}

/// Returns the cells of a line, or `None` if it is not a row.
fn cells_of(line: &[u8], rows: RowsLayout) -> Option<Cells> {
    (reading_of(rows.look).cells)(line, rows)
}

/// Returns the characters of a row, with dots for empty cells, or `None` if a line is not a row of single characters.
pub(in super::super) fn characters_of_row(line: &[u8], rows: RowsLayout) -> Option<Vec<u8>> {
    let cells = cells_of(line, rows)?;
    let character = |&(start, end): &(usize, usize)| match &line[start..end] {
        [] => Some(b'.'),
        [byte] => Some(*byte),
        _ => None,
    };
    cells[..rows.side].iter().map(character).collect()
}

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

    /// Returns true if the numbers before the rows count them. Otherwise such a number may be a cell.
    fn counts_rows(&self, number_of: fn(&[u8]) -> Option<u64>) -> bool {
        let numbers: Vec<Option<u64>> = self.rows.iter().map(|(line, _)| number_of(line)).collect();
        numbers.windows(2).all(|two| two[0].and_then(|number| number.checked_add(1)) == two[1])
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

    /// Returns true if the line before the first row has a field for each column, so that they are names.
    fn has_names(&self) -> bool {
        let RowLook::Fields(delimiter) = self.layout.look else { return false };
        memchr::memchr_iter(delimiter, self.line_before).count() + 1 == self.layout.side
    }

    /// Returns true if some cells are empty and others are not.
    fn has_some_empty(&self) -> bool {
        self.words().any(<[u8]>::is_empty) && !self.words().all(<[u8]>::is_empty)
    }
}

fn describe(head: &Head<'_>, complete: bool, layout: &mut Layout, all: &[RowLook]) -> Result<bool, String> {
    if !complete {
        return Ok(false);
    }
    layout.rows = looks(head, all);
    match layout.rows {
        Some(rows) if rows.is_tall => {
            Err("its grids have several lines for each row: write one line for each row".into())
        }
        Some(_) => Ok(true),
        None => Err("no rows of a grid".into()),
    }
}

/// Returns the layout of the rows of a head, which must have one of the looks `all`; `None` if it has none of these
/// looks.
fn looks(head: &Head<'_>, all: &[RowLook]) -> Option<RowsLayout> {
    let lines: Vec<&[u8]> = head.lines().take(LINES_LOOKED_AT).collect();
    // Some lines about the grid may come before its first row, which has no word longer than the largest row.
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    let has_long = |line: &[u8]| line.split(|byte| !is_in_word(byte)).any(|word| word.len() > MAX_SIDE);
    let firsts: Vec<usize> =
        (0..lines.len().min(LINES_BEFORE + 1)).filter(|&at| !has_long(lines[at])).collect();
    let asked = head.options.asked_side();
    let sides = (InputOptions::MIN_SIDE..=MAX_SIDE)
        .filter(|&side| InputOptions::is_side(side) && asked.is_none_or(|asked| asked == side));
    all.iter().find_map(|&look| {
        sides.clone().find_map(|side| {
            reading_of(look).variants.iter().find_map(|&(skip, has_solution)| {
                fits(&lines, &firsts, RowsLayout { look, side, skip, has_solution, ..RowsLayout::default() })
            })
        })
    })
}

/// Returns the layout, including its frames, or `None` if the first rows of a head do not form a grid written in this
/// way. `firsts` are the places of the lines that may be the first row.
fn fits(lines: &[&[u8]], firsts: &[usize], rows: RowsLayout) -> Option<RowsLayout> {
    let side = rows.side;
    let band = Geometry::default_box(side)?.0;
    let first = firsts.iter().copied().find(|&at| cells_of(lines[at], rows).is_some())?;
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
            Some(_) if matches!(rows.look, RowLook::Bullets(_) | RowLook::Strings) => more += 1,
            // There is one row too many.
            Some(_) if !is_frame(line) => return None,
            _ if found.rows.len() == side => break,
            None if is_frame(line) => {
                let before = found.rows.len();
                // If there is a frame after the second row too, all rows have frames between them.
                is_first_framed = before != 2 && (is_first_framed || before == 1);
                found.layout.has_any_frames |= before == 1 || !before.is_multiple_of(band);
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
        RowLook::Labels | RowLook::Bullets(_) | RowLook::Pairs | RowLook::Strings => side.isqrt(),
        _ => 0,
    };
    let is_small = |word: &[u8]| match word {
        [] => true,
        [digit @ b'0'..=b'9'] => usize::from(digit - b'0') <= most,
        _ => most < 9 && is_empty(word),
    };
    let is_other = side > 9 && most > 0 && found.words().all(is_small);
    let is_whole = found.rows.len() == side && (more % side == 0 || lines.len() == LINES_LOOKED_AT);
    (is_whole && !is_other && (reading_of(rows.look).is_like)(&found)).then_some(found.layout)
}

/// Maximum number of lines read: more than the largest grid has with a frame after every row.
const LINES_LOOKED_AT: usize = 100;

/// Maximum number of lines before the first row of a head.
const LINES_BEFORE: usize = 5;

/// Returns true if a line is a part of a frame: it has a horizontal line, and nothing that could be a cell.
fn is_frame(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let is_horizontal =
        |letter: char| "-=\u{2500}\u{2501}\u{2550}\u{2504}\u{2505}\u{2508}\u{2509}".contains(letter);
    let is_part = |letter: char| {
        letter.is_whitespace() || "-=+|:.'`,*!#o>".contains(letter) || meaning_of(letter) == Meaning::Frame
    };
    trim(line).starts_with(b"\\hline")
        || text.chars().all(is_part) && text.chars().filter(|&letter| is_horizontal(letter)).count() > 2
}

/// Returns true if a character is a vertical line between cells.
fn is_bar(letter: char) -> bool {
    matches!(letter, '|' | '!') || meaning_of(letter) == Meaning::Frame
}

/// Returns the groups of digits between blanks and bars, if there is one for each cell.
fn candidates_of(line: &[u8], rows: RowsLayout) -> Option<Cells> {
    let side = rows.side;
    if side > 9 || is_frame(line) {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?;
    let is_between = |letter: char| letter.is_whitespace() || is_bar(letter) || letter == ':';
    let group = |word: &str| {
        // Marks around the digits show given cells and eliminations.
        let digits = word.trim_matches(|letter: char| !letter.is_ascii_digit()).as_bytes();
        let is_digit = |digit: &u8| (b'1'..=b'0' + side as u8).contains(digit);
        let is_group = !digits.is_empty() && digits.is_sorted_by(|one, next| one < next);
        (is_group && digits.iter().all(is_digit)).then(|| place_in(line, digits))
    };
    let cells: Option<Cells> = text.split(is_between).filter(|word| !word.is_empty()).map(group).collect();
    cells.filter(|cells| cells.len() == side)
}

/// Returns the range of a part of a line.
fn place_in(line: &[u8], part: &[u8]) -> (usize, usize) {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    (start, start + part.len())
}

/// Returns the fields of a row of a spreadsheet, without an index.
fn fields_of(line: &[u8], rows: RowsLayout) -> Option<Cells> {
    let RowsLayout { look: RowLook::Fields(delimiter), side, skip, has_solution, .. } = rows else {
        return None;
    };
    // Most lines have too few fields, which is seen without splitting them.
    let fewest = skip + if has_solution { 2 * side } else { side };
    if memchr::memchr_iter(delimiter, line).count() + 1 < fewest {
        return None;
    }
    // Two backslashes end a row of LaTeX.
    let line = match memchr::memmem::find(line, b"\\\\") {
        Some(end) if delimiter == b'&' => &line[..end],
        _ => line,
    };
    let mut fields = Vec::new();
    Dialect { delimiter, line_end: b'\n' }.split_alone(line, &mut fields).ok()?;
    let is_index = |field: &&[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    if skip > 0 && !fields.first().is_some_and(is_index) {
        return None;
    }
    let mut fields: Vec<&[u8]> = fields.split_off(skip.min(fields.len()));
    // A delimiter may end the row, and a spreadsheet may have empty columns.
    while fields.len() > fewest - skip && fields.last().is_some_and(|field| trim(field).is_empty()) {
        fields.pop();
    }
    if has_solution {
        // An empty column may separate the puzzle from the solution.
        if fields.len() == 2 * side + 1 && trim(fields[side]).is_empty() {
            fields.remove(side);
        }
        let is_digit = |field: &&[u8]| {
            !trim(field).is_empty() && trim(field).iter().all(u8::is_ascii_digit) && trim(field) != b"0"
        };
        if fields.len() != 2 * side || !fields[side..].iter().all(is_digit) {
            return None;
        }
    } else if fields.len() != side {
        return None;
    }
    let place = |field: &[u8]| {
        // Quotes after a blank are part of the field.
        let field = match trim(field) {
            [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => trim(inner),
            field => field,
        };
        (field.is_empty() || is_cell(field, side)).then(|| place_in(line, field))
    };
    fields.into_iter().map(place).collect()
}

/// Returns the number that a line begins with, with or without a quote before it.
fn index_of(line: &[u8]) -> Option<u64> {
    let line = trim(line).strip_prefix(b"\"").unwrap_or(trim(line));
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    number_in(&line[..digits])
}

/// Returns true if a word is a cell of a grid of this side.
fn is_cell(word: &[u8], side: usize) -> bool {
    let Ok(word) = plain(word, None) else { return false };
    is_empty_word(&word)
        || whole_number(&word).is_some_and(|number| (0..=side as i128).contains(&number))
        || side > 9 && word.len() == 1 && word[0].is_ascii_alphabetic()
}

/// Returns the number of the label that a line begins with, and the rest of the line: `A`, `1.`, `R1:`, `[1,]`.
fn label_of(line: &[u8]) -> Option<(u64, &[u8])> {
    let start = line.iter().position(|&byte| !is_blank(byte))?;
    let end = start + line[start..].iter().position(|&byte| is_blank(byte) || b"|:)".contains(&byte))?;
    let name: Vec<u8> = line[start..end].iter().copied().filter(|byte| !b"[,].(".contains(byte)).collect();
    let number = name.strip_prefix(b"R").or(name.strip_prefix(b"r")).unwrap_or(&name);
    let label = match (&name[..], number) {
        ([letter], _) if letter.is_ascii_alphabetic() => u64::from(*letter),
        (_, [_] | [_, _]) => number_in(number)?,
        _ => return None,
    };
    let rest = &line[end..];
    Some((label, rest.strip_prefix(b":").or(rest.strip_prefix(b")")).unwrap_or(rest)))
}

/// Returns the rest of a line after a bullet and a blank.
fn without_bullet(line: &[u8], bullet: u8) -> Option<&[u8]> {
    let mut line = line;
    while blank_len(line) > 0 {
        line = &line[blank_len(line)..];
    }
    let bullets = line.iter().take_while(|&&byte| byte == bullet).count();
    let rest = &line[bullets..];
    (bullets > 0 && blank_len(rest) > 0).then_some(rest)
}

/// Returns the text in quotes on a line that has one such text, with only operators and brackets after it: `s = "1..3",`.
fn string_of(line: &[u8]) -> Option<&[u8]> {
    let start = line.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let mut parts = line[start + 1..].splitn(2, |&byte| byte == line[start]);
    let (string, behind) = (parts.next()?, parts.next()?);
    behind
        .iter()
        .all(|byte| b" \t+,;.&_\\)]}".contains(byte))
        .then(|| string.strip_suffix(b"\\n").unwrap_or(string))
}

/// Returns the words of the rest of a line, or their characters, if there is one for each cell.
fn cells_after(line: &[u8], rest: &[u8], side: usize) -> Option<Cells> {
    let text = std::str::from_utf8(rest).ok()?;
    let is_between = |letter: char| letter.is_whitespace() || is_bar(letter) || letter == ',';
    let place = |word: &str| place_in(line, word.as_bytes());
    let words = || text.split(is_between).filter(|word| !word.is_empty());
    let cells: Cells = if words().count() == side {
        words().map(place).collect()
    } else {
        let letters = text.char_indices().filter(|&(_, letter)| !is_between(letter));
        letters.map(|(at, letter)| place(&text[at..at + letter.len_utf8()])).collect()
    };
    (cells.len() == side && cells.iter().all(|&(start, end)| is_cell(&line[start..end], side)))
        .then_some(cells)
}

/// Returns the cells between bars: one cell, or the cells of a box, between two bars.
fn bars_of(line: &[u8], side: usize) -> Option<Cells> {
    let text = std::str::from_utf8(line).ok()?;
    let mut parts: Vec<&str> = text.split(is_bar).collect();
    let box_columns = Geometry::default_box(side)?.1;
    let is_blank = |part: &&str| part.trim().is_empty();
    let is_count = |count: usize| count == side || count == side / box_columns;
    // Only blanks may be outside the outer bars. If the line begins and ends with a bar, there is no cell outside of
    // it.
    let ends = [parts.first().copied(), parts.last().copied()];
    let are_outside = ends.iter().all(|end| end.is_some_and(|part| is_blank(&part)));
    if parts.len() > 2 && are_outside && (is_count(parts.len() - 2) || ends == [Some(""), Some("")]) {
        parts = parts[1..parts.len() - 1].to_vec();
    }
    if !is_count(parts.len()) || parts.len() < 2 {
        return None;
    }
    let mut cells = Cells::new();
    for part in &parts {
        let from = part.as_ptr() as usize - text.as_ptr() as usize;
        let letters: Vec<(usize, char)> =
            part.char_indices().map(|(at, letter)| (from + at, letter)).collect();
        cells.extend(places_in(text, &letters, side / parts.len())?);
    }
    Some(cells)
}

/// Returns the places of `count` cells in a part of a line.
fn places_in(text: &str, letters: &[(usize, char)], count: usize) -> Option<Cells> {
    let is_blank = |at: usize| letters.get(at).is_none_or(|(_, letter)| letter.is_whitespace());
    let place = |at: usize| match letters.get(at) {
        Some(&(start, letter)) if !letter.is_whitespace() => (start, start + letter.len_utf8()),
        _ => (0, 0),
    };
    if count == 1 {
        let used: Vec<&(usize, char)> =
            letters.iter().filter(|(_, letter)| !letter.is_whitespace()).collect();
        return match used.as_slice() {
            [] => Some(vec![(0, 0)]),
            [first, .., last] if text[first.0..last.0].contains(char::is_whitespace) => None,
            [first, ..] => used.last().map(|last| vec![(first.0, last.0 + last.1.len_utf8())]),
        };
    }
    // Positions of the first cell, and distances between cells. Blanks at the end of a line may have been removed.
    let steps = [(0, 1), (0, 2), (1, 2), (1, 3)];
    let is_wide = |(from, step): (usize, usize)| {
        let widths = [from + step * (count - 1) + 1, step * count, from + step * count];
        widths.contains(&letters.len())
    };
    let fits = |&(from, step): &(usize, usize)| {
        is_wide((from, step))
            && (0..letters.len()).all(|at| at >= from && (at - from).is_multiple_of(step) || is_blank(at))
    };
    let (from, step) = steps.into_iter().find(fits)?;
    Some((0..count).map(|cell| place(from + cell * step)).collect())
}

/// Returns the cells of a row without bars, by their places on the line.
fn widths_of(line: &[u8], rows: RowsLayout) -> Option<Cells> {
    let RowsLayout { look: RowLook::Widths(from, step), side, .. } = rows else { return None };
    let (from, step) = (usize::from(from), usize::from(step));
    if line.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?;
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let is_empty = |letter: char| letter == ' ' || meaning_of(letter) == Meaning::Blank;
    let is_digit = |letter: char| letter.is_ascii_digit() || side > 9 && letter.is_ascii_alphanumeric();
    if !letters.iter().all(|&(_, letter)| is_empty(letter) || is_digit(letter)) || letters.len() > 2 * side {
        return None;
    }
    // Blanks at the end of the line may have been removed.
    let mut used = letters.iter().enumerate().filter(|(_, (_, letter))| is_digit(*letter));
    let place = |cell: usize| match letters.get(from + cell * step) {
        Some(&(at, letter)) if is_digit(letter) => (at, at + 1),
        _ => (0, 0),
    };
    let is_place = |at: usize| at >= from && (at - from).is_multiple_of(step) && (at - from) / step < side;
    used.all(|(at, _)| is_place(at)).then(|| (0..side).map(place).collect())
}

/// Finds grids whose rows are written as the head shows.
struct BlockMachine {
    rows: RowsLayout,
    band: usize,
    /// The rows of the open grid: start of the first row, end of the last row.
    open: Option<(RecordStart, u64)>,
    count: usize,
    /// Where the second row begins, if a frame is before it and none after it: the first row may be a header.
    second: Option<RecordStart>,
    /// True if the line before was a frame.
    was_frame: bool,
    others: OtherRows,
}

impl BlockMachine {
    fn new(rows: RowsLayout) -> Self {
        let band = Geometry::default_box(rows.side).map_or(1, |shape| shape.0);
        BlockMachine {
            rows,
            band,
            open: None,
            count: 0,
            second: None,
            was_frame: false,
            others: OtherRows::default(),
        }
    }

    /// Ends the open grid, which is invalid if its number of rows differs from its side.
    fn close(&mut self, out: &mut RecordSink<'_>) {
        let (side, count) = (self.rows.side, std::mem::take(&mut self.count));
        self.second = None;
        if let Some((begin, end)) = self.open.take() {
            let noun = if count == 1 { "row" } else { "rows" };
            let invalid = (count != side).then(|| format!("{count} {noun}, a {side}x{side} has {side}"));
            out.record(begin, end, invalid);
        }
    }
}

impl LineMachine for BlockMachine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let begin = RecordStart { byte: line.start, line: line.number };
        let RowsLayout { look, side, has_any_frames, .. } = self.rows;
        let is_frame = is_frame(line.text);
        if (!is_frame || matches!(look, RowLook::Widths(..) | RowLook::Bullets(_)))
            && cells_of(line.text, self.rows).is_some()
        {
            self.others.end(side, out);
            let end = line.start + line.text.len() as u64;
            if let (true, Some(second)) = (self.count == side, self.second) {
                // There is one more row than in the grid, so the first one was the header of a table.
                if let Some((first, _)) = self.open.replace((second, end)) {
                    out.pass_line(first.byte, LineKind::Label);
                }
                self.close(out);
            } else {
                self.open = Some((self.open.map_or(begin, |(first, _)| first), end));
                self.second = self.second.or((self.count == 1 && self.was_frame).then_some(begin));
                self.count += 1;
                if self.count == side && self.second.is_none() && !reading_of(look).ends_at_gaps {
                    self.close(out);
                }
            }
        } else if is_frame {
            let is_inside = self.count < side && (has_any_frames || self.count.is_multiple_of(self.band));
            // If there is a frame after the second row too, all rows have frames between them.
            self.second = self.second.filter(|_| self.count > 2);
            if !is_inside || self.was_frame {
                self.close(out);
            }
        } else {
            // Empty lines and text, such as headings, end a grid.
            self.close(out);
            self.others.line(&line, side, out);
        }
        self.was_frame = is_frame;
        match self.open.map(|(first, _)| first).or(self.others.first()) {
            Some(first) => out.done(first.byte, first.line),
            None => out.done(line.next, line.number + 1),
        }
    }

    fn end(&mut self, next: u64, next_line: u64, out: &mut RecordSink<'_>) -> bool {
        let is_open = self.open.is_some() || self.others.first().is_some();
        self.others.end(self.rows.side, out);
        self.close(out);
        out.done(next, next_line);
        !is_open
    }

    fn give_up(&mut self) {
        (self.open, self.count, self.second) = (None, 0, None);
        self.others = OtherRows::default();
    }
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let Some(rows) = chunk.layout.rows else { return Ok(()) };
    let text = record.text.slice(&chunk.bytes);
    let mut words: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut solution: Vec<&[u8]> = Vec::new();
    let mut box_lines = Vec::new();
    for (_, line) in lines(text, chunk.layout.line_end) {
        let Some(cells) = cells_of(line, rows) else {
            box_lines.push(BoxLine::Separator);
            continue;
        };
        box_lines.push(BoxLine::Row(None));
        let is_field = !matches!(rows.look, RowLook::Bars | RowLook::Widths(..) | RowLook::Candidates);
        let word = |&(start, end): &(usize, usize)| match &line[start..end] {
            b"" => &b"."[..],
            b"x" | b"X" if is_field && rows.side <= 9 => b".",
            word => word,
        };
        let plain_word = |word| plain(word, grids.options.wide_blank).unwrap_or(Cow::Borrowed(word));
        words.extend(cells[..rows.side].iter().map(word).map(plain_word));
        solution.extend(cells[rows.side..].iter().map(word));
    }
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
        grids.grid(&words.concat(), Arrangement::Rows, chunk.layout.symbols)?
    } else {
        grids.grid(&characters_of(&words)?, Arrangement::Rows, Some(Symbols::DEFAULT))?
    };
    let side = grid.put_in(record);
    if rows.has_solution {
        record.given = match characters_of(&solution) {
            Ok(given) => grids.given(&given, side, Symbols::DEFAULT),
            Err(reason) => GivenSolution::Unreadable(Box::new(reason.into())),
        };
    }
    Ok(())
}
