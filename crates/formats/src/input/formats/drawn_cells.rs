//! Finds the cells of rows that are not simply the characters or integers of a line.
//!
//! The number of characters in such a row does not show where the cells are. The cells are found by bars, by
//! positions on the line, by delimiters or by the text before the cells. The first part of the source decides
//! which of these methods is used ([`RowLook`], [`Lead`]).

use super::super::characters::{Meaning, blank_len, is_empty_word, meaning_of, plain, whole_number};
use super::super::dialect::Dialect;
use super::super::layout::{Lead, RowLook, RowsLayout};
use super::super::lines::{is_blank, number_in, trim};
use quadrille_model::Geometry;

/// The texts of cells, as parts of their line. The text of an empty cell is empty.
pub(super) type Cells<'l> = Vec<&'l [u8]>;

/// Returns the cells of a line, or `None` if the line is not a row.
pub(super) fn cells_of(line: &[u8], rows: RowsLayout) -> Option<Cells<'_>> {
    let rest = match (rows.lead, rows.look) {
        (Lead::Nothing, _) => line,
        (Lead::Label, RowLook::Fields(delimiter)) => label_of(line, Some(delimiter))?.1,
        (Lead::Label, _) => label_of(line, None)?.1,
        (Lead::Bullet(bullet), _) => without_bullet(line, bullet)?,
        (Lead::Quote, _) => string_of(line)?,
    };
    match rows.look {
        RowLook::Candidates => candidates_of(line, rows.side),
        RowLook::Bars => bars_of(line, rest, rows.side),
        RowLook::Widths(from, step) => widths_of(line, (from.into(), step.into()), rows.side),
        RowLook::Fields(delimiter) => fields_of(rest, delimiter, rows),
        RowLook::Words(between) => words_of(rest, between, rows),
    }
}

/// Returns the characters of a row, with dots for empty cells.
///
/// Returns `None` if the line is not a row, or if a cell has more than one character.
pub(super) fn characters_of_row(line: &[u8], rows: RowsLayout) -> Option<Vec<u8>> {
    let character = |cell: &[u8]| match cell {
        [] => Some(b'.'),
        [byte] => Some(*byte),
        _ => None,
    };
    cells_of(line, rows)?.into_iter().take(rows.side).map(character).collect()
}

/// Returns true if a line is part of the frame of a grid.
///
/// Such a line has at least three characters with which horizontal lines are drawn, and nothing that could be
/// a cell.
pub(super) fn is_frame(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let is_horizontal =
        |letter: char| "-=\u{2500}\u{2501}\u{2550}\u{2504}\u{2505}\u{2508}\u{2509}".contains(letter);
    let is_part = |letter: char| {
        letter.is_whitespace() || "-=+|:.'`,*!#o>".contains(letter) || meaning_of(letter) == Meaning::Frame
    };
    trim(line).starts_with(b"\\hline")
        || text.chars().all(is_part) && text.chars().filter(|&letter| is_horizontal(letter)).count() > 2
}

/// Returns true if a character is a vertical line that separates cells.
fn is_bar(letter: char) -> bool {
    matches!(letter, '|' | '!') || meaning_of(letter) == Meaning::Frame
}

/// Returns the groups of digits between blanks and bars, or `None` if there is not exactly one group per
/// cell.
fn candidates_of(line: &[u8], side: usize) -> Option<Cells<'_>> {
    if side > 9 || is_frame(line) {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?;
    let is_between = |letter: char| letter.is_whitespace() || is_bar(letter) || letter == ':';
    let group = |word| {
        // Marks before or after the digits, which show given cells and eliminations, are removed.
        let digits = str::trim_matches(word, |letter: char| !letter.is_ascii_digit()).as_bytes();
        let is_digit = |digit: &u8| (b'1'..=b'0' + side as u8).contains(digit);
        let is_group = !digits.is_empty() && digits.is_sorted_by(|one, next| one < next);
        (is_group && digits.iter().all(is_digit)).then_some(digits)
    };
    let cells: Option<Cells<'_>> =
        text.split(is_between).filter(|word| !word.is_empty()).map(group).collect();
    cells.filter(|cells| cells.len() == side)
}

/// Returns the fields of a spreadsheet row. `rest` is the part of its line after the row's label.
fn fields_of(rest: &[u8], delimiter: u8, rows: RowsLayout) -> Option<Cells<'_>> {
    let side = rows.side;
    // Most lines that are not rows have too few delimiters, so they need not be split.
    let fewest = if rows.has_solution { 2 * side } else { side };
    let delimiters = memchr::memchr_iter(delimiter, rest).count();
    if delimiters + 1 < fewest {
        return None;
    }
    // In LaTeX, two backslashes end a row.
    let rest = match memchr::memmem::find(rest, b"\\\\") {
        Some(end) if delimiter == b'&' => &rest[..end],
        _ => rest,
    };
    // The label may be a field by itself, or part of the first field.
    let blanks = rest.iter().take_while(|&&byte| byte != delimiter && is_blank(byte)).count();
    let rest = match rest[blanks..].strip_prefix(&[delimiter]) {
        Some(fields) if rows.lead == Lead::Label && delimiters >= fewest => fields,
        _ => rest,
    };
    let mut fields = Vec::new();
    Dialect { delimiter, line_end: b'\n' }.split_alone(rest, &mut fields).ok()?;
    // After the cells, the row may have a final delimiter, and a spreadsheet may have empty columns.
    while fields.len() > fewest && fields.last().is_some_and(|field| trim(field).is_empty()) {
        fields.pop();
    }
    if rows.has_solution {
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
    let cell = |field| {
        // The CSV grammar knows quotes only at the very start of a field. So quotes after a blank are removed
        // here.
        let field = match trim(field) {
            [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => trim(inner),
            field => field,
        };
        (field.is_empty() || is_cell(field, side)).then_some(field)
    };
    fields.into_iter().map(cell).collect()
}

/// Returns true if a word can be a cell of a grid with this side length.
fn is_cell(word: &[u8], side: usize) -> bool {
    let Ok(word) = plain(word, None) else { return false };
    is_empty_word(&word)
        || whole_number(&word).is_some_and(|number| (0..=side as i128).contains(&number))
        || side > 9 && word.len() == 1 && word[0].is_ascii_alphabetic()
}

/// Returns the value of the label at the start of a line, and the rest of the line.
///
/// The value of a letter is its character code. Returns `None` if the line does not begin with a label.
/// Labels are written like `A`, `1.`, `R1:`, `[1,]` or `"1"`.
pub(super) fn label_of(line: &[u8], delimiter: Option<u8>) -> Option<(u64, &[u8])> {
    let start = line.iter().position(|&byte| !is_blank(byte) || Some(byte) == delimiter)?;
    let is_end = |byte: u8| is_blank(byte) || b"|:)".contains(&byte) || Some(byte) == delimiter;
    let end = start + line[start..].iter().position(|&byte| is_end(byte))?;
    let word = &line[start..end];
    let from = word.iter().position(|byte| !b"[(\"".contains(byte))?;
    let to = word.iter().rposition(|byte| !b",].\"".contains(byte)).filter(|&to| to >= from)?;
    let name = &word[from..=to];
    let number = name.strip_prefix(b"R").or(name.strip_prefix(b"r")).unwrap_or(name);
    let label = match (name, number) {
        ([letter], _) if letter.is_ascii_alphabetic() => u64::from(*letter),
        (_, [_] | [_, _]) => number_in(number)?,
        _ => return None,
    };
    let rest = &line[end..];
    Some((label, rest.strip_prefix(b":").or(rest.strip_prefix(b")")).unwrap_or(rest)))
}

/// Returns the part of a line after a bullet and a blank, or `None` if the line does not begin like that.
fn without_bullet(line: &[u8], bullet: u8) -> Option<&[u8]> {
    let mut line = line;
    while blank_len(line) > 0 {
        line = &line[blank_len(line)..];
    }
    let bullets = line.iter().take_while(|&&byte| byte == bullet).count();
    let rest = &line[bullets..];
    (bullets > 0 && blank_len(rest) > 0).then_some(rest)
}

/// Returns the only quoted text on a line, or `None` if anything except operators and brackets follows it.
///
/// An example of such a line is `s = "1..3",`.
fn string_of(line: &[u8]) -> Option<&[u8]> {
    let start = line.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let mut parts = line[start + 1..].splitn(2, |&byte| byte == line[start]);
    let (string, behind) = (parts.next()?, parts.next()?);
    behind
        .iter()
        .all(|byte| b" \t+,;.&_\\)]}".contains(byte))
        .then(|| string.strip_suffix(b"\\n").unwrap_or(string))
}

/// Returns the words of `rest` as cells, or its characters if there is not one word per cell.
///
/// Returns `None` if there is not one character per cell either, or if a word or character cannot be a cell.
fn words_of(rest: &[u8], between: u8, rows: RowsLayout) -> Option<Cells<'_>> {
    let count = if rows.has_solution { 2 * rows.side } else { rows.side };
    let text = std::str::from_utf8(rest).ok()?;
    let is_between = |letter: char| letter.is_whitespace() || is_bar(letter) || letter == char::from(between);
    // A dot that does not separate two cells means an empty cell. If the line has such a dot, no dot on it is
    // a separator.
    let edges = text.trim_matches(|letter: char| letter.is_whitespace() || is_bar(letter));
    if between == b'.' && (text.contains("..") || edges.starts_with('.') || edges.ends_with('.')) {
        return None;
    }
    let words = || text.split(is_between).filter(|word| !word.is_empty());
    let cells: Cells<'_> = match words().count() == count {
        true => words().map(str::as_bytes).collect(),
        false if between == b'.' => return None,
        false => words().flat_map(letters_of).map(str::as_bytes).collect(),
    };
    (cells.len() == count && cells.iter().all(|cell| is_cell(cell, count))).then_some(cells)
}

/// Returns the cells of a row with bars, or `None` if the line is not such a row.
///
/// There may be a bar between any two cells, or only between boxes.
fn bars_of<'l>(line: &[u8], rest: &'l [u8], side: usize) -> Option<Cells<'l>> {
    if is_frame(line) {
        return None;
    }
    let mut parts: Vec<&str> = std::str::from_utf8(rest).ok()?.split(is_bar).collect();
    let box_columns = Geometry::default_box(side)?.1;
    let is_blank = |part: &&str| part.trim().is_empty();
    let is_count = |count: usize| count == side || count == side / box_columns;
    // Only blanks may be outside the outer bars. So if a line begins and ends with a bar, the text outside
    // these bars is not a cell.
    let ends = [parts.first().copied(), parts.last().copied()];
    let are_outside = ends.iter().all(|end| end.is_some_and(|part| is_blank(&part)));
    if parts.len() > 2 && are_outside && (is_count(parts.len() - 2) || ends == [Some(""), Some("")]) {
        parts = parts[1..parts.len() - 1].to_vec();
    }
    if !is_count(parts.len()) || parts.len() < 2 {
        return None;
    }
    let count = side / parts.len();
    let cells: Option<Vec<Cells<'l>>> = parts.iter().map(|part| cells_in(part, count, &rest[..0])).collect();
    Some(cells?.concat())
}

/// Returns the `count` cells in a part of a line. `empty` is the text of an empty cell.
fn cells_in<'l>(part: &'l str, count: usize, empty: &'l [u8]) -> Option<Cells<'l>> {
    if count == 1 {
        let word = part.trim();
        let cell = if word.is_empty() { empty } else { word.as_bytes() };
        return (!word.contains(char::is_whitespace)).then(|| vec![cell]);
    }
    let letters = letters_of(part);
    // Each pair is the position of the first cell and the distance between cells. The row may be shorter than
    // expected, because blanks at the end of the line may have been removed.
    let is_wide = |&(from, step): &(usize, usize)| {
        [from + step * (count - 1) + 1, step * count, from + step * count].contains(&letters.len())
    };
    let steps = [(0, 1), (0, 2), (1, 2), (1, 3)].into_iter().filter(is_wide);
    steps.map(|steps| cells_at(&letters, steps, count, empty)).find(Option::is_some)?
}

/// Returns the characters of a text.
fn letters_of(text: &str) -> Vec<&str> {
    text.split_inclusive(|_| true).collect()
}

/// Returns the cells of a row in which the cells have equal distances.
///
/// `from` is the position of the first cell, and `step` is the distance between cells. Returns `None` if
/// another position has a character that is not a blank.
fn cells_at<'l>(
    letters: &[&'l str],
    (from, step): (usize, usize),
    count: usize,
    empty: &'l [u8],
) -> Option<Cells<'l>> {
    let is_used = |letter: &&&str| !letter.trim().is_empty();
    let is_place = |at: usize| at >= from && (at - from).is_multiple_of(step) && (at - from) / step < count;
    let cell =
        |cell| letters.get(from + cell * step).filter(is_used).map_or(empty, |letter| letter.as_bytes());
    letters
        .iter()
        .enumerate()
        .all(|(at, letter)| is_place(at) || !is_used(&letter))
        .then(|| (0..count).map(cell).collect())
}

/// Returns the cells of a row that has no bars. The cells are found by their positions on the line.
fn widths_of(line: &[u8], steps: (usize, usize), side: usize) -> Option<Cells<'_>> {
    let letters = letters_of(std::str::from_utf8(line).ok()?);
    let is_empty = |letter: char| letter == ' ' || meaning_of(letter) == Meaning::Blank;
    let is_digit = |letter: char| letter.is_ascii_digit() || side > 9 && letter.is_ascii_alphanumeric();
    let may_be_row = |letter: &&str| letter.chars().all(|letter| is_empty(letter) || is_digit(letter));
    // Blanks at the end of the line may have been removed.
    let is_row = (1..=2 * side).contains(&letters.len()) && letters.iter().all(may_be_row);
    if is_row { cells_at(&letters, steps, side, &line[..0]) } else { None }
}
