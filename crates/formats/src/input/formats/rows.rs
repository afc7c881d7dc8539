//! Grids over several lines: code shared by the formats with rows.
//!
//! The cells of a grid may be in rows or all on one line, with or without blanks and frames between them. Empty lines
//! may separate rows, bands or grids. A grid ends when it has all its cells;
//! [`RowMachine`](super::row_machine::RowMachine) finds the grids.

use std::collections::HashMap;

use super::super::cells::{self, Arrangement, BLANKS};
use super::super::characters::{Meaning, first_wide, meaning_of};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::{is_blank, is_skipped, lines, number_in, trim, words};
use super::super::shapes::{has_a_digit_twice, rules_off};
use super::super::{Chunk, InputOptions, Layout, Record};
use super::boxes::{BoxLine, drawn_with, shown_box, width_of};
use super::resync::{NOT_A_CELL, ZERO};
use quadrille_model::{MAX_SIDE, Reason};

/// The text that makes up one cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Character,
    /// A word between blanks, commas, semicolons or bars.
    Integer,
}

/// Maximum digits of a count that shares its line with text, or is alone in its source.
///
/// A row of a 9x9 has more digits.
pub(super) const COUNT_DIGITS: usize = 7;
/// Maximum digits of any other count.
const NUMBER_DIGITS: usize = 19;

/// Returns the start and end of each cell of a line, as byte offsets. Blanks and frames are left out.
///
/// Characters in `shown` are empty cells even in a line of nothing else.
pub(super) fn cells_of(line: &[u8], unit: Unit, shown: Shown) -> impl Iterator<Item = (usize, usize)> {
    let shown = if unit == Unit::Integer { shown.and_zeros() } else { shown };
    let line = if is_frame(line, shown) { &[] } else { line };
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let &byte = line.get(at)?;
            if is_between(byte) || (unit == Unit::Integer && matches!(byte, b',' | b';')) {
                at += 1;
            } else if let Some((_, len)) = first_wide(&line[at..]).filter(|&(wide, _)| !is_cell(wide)) {
                at += len;
            } else {
                break;
            }
        }
        let start = at;
        at += match unit {
            Unit::Character => first_wide(&line[at..]).map_or(1, |(_, len)| len),
            Unit::Integer => line[at..]
                .iter()
                .position(|&byte| is_blank(byte) || matches!(byte, b',' | b';' | b'|'))
                .unwrap_or(line.len() - at),
        };
        Some((start, at))
    })
}

/// Returns true if the cells of a line are certainly bytes of ASCII that are neither blanks nor bars.
///
/// Nearly all rows are like that, and their cells are found much faster. A line with a digit is not a frame.
fn is_plain(line: &[u8], shown: Shown) -> bool {
    line.is_ascii()
        && line.iter().any(|&byte| matches!(byte, b'1'..=b'9') && shown.own != Some(char::from(byte)))
}

/// Returns the number of cells of a line.
pub(super) fn count_of(line: &[u8], unit: Unit, shown: Shown) -> usize {
    if unit == Unit::Character && is_plain(line, shown) {
        return line.iter().map(|&byte| usize::from(!is_between(byte))).sum();
    }
    cells_of(line, unit, shown).count()
}

/// Appends the characters of a line that are cells, and returns the number of parts of the line between blanks and
/// frames. Returns `None` without appending anything unless each cell is one byte of ASCII.
pub(super) fn push_plain(line: &[u8], shown: Shown, cells: &mut Vec<u8>) -> Option<usize> {
    if !is_plain(line, shown) {
        return None;
    }
    if !line.iter().fold(false, |found, &byte| found | is_between(byte)) {
        cells.extend_from_slice(line);
        return Some(1);
    }
    let (mut at, mut parts, mut was_between) = (cells.len(), 0, true);
    cells.resize(at + line.len(), 0);
    for &byte in line {
        let is_between = is_between(byte);
        cells[at] = byte;
        at += usize::from(!is_between);
        parts += usize::from(was_between & !is_between);
        was_between = is_between;
    }
    cells.truncate(at);
    Some(parts)
}

/// Returns true if a byte of ASCII separates cells that are characters.
#[inline]
fn is_between(byte: u8) -> bool {
    const BETWEEN: [bool; 256] = {
        let (mut between, mut byte) = ([false; 256], 0);
        while byte < 256 {
            between[byte] = is_blank(byte as u8) || matches!(byte as u8, b'|' | b'!');
            byte += 1;
        }
        between
    };
    BETWEEN[usize::from(byte)]
}

/// Returns true if a character that is not ASCII may be a cell: it is neither a part of a frame nor blank.
fn is_cell(wide: char) -> bool {
    matches!(meaning_of(wide), Meaning::Cell(_) | Meaning::Other)
}

/// Returns true if a line only separates rows: `+---+---+`, `------+------`, `===`, a line of stars or the like.
///
/// A frame has no digit or letter, and has a character that is not an empty cell of the source. If the empty cells of
/// the source are not known, dots, stars and the like count as cells. In sources with rows, a line of empty cells is a
/// frame, too, if it is longer than any row.
fn is_frame(line: &[u8], shown: Shown) -> bool {
    if is_plain(line, shown) {
        return false;
    }
    let (mut empty, mut is_unknown, mut is_other) = (0, false, false);
    for character in characters_in(line) {
        match meaning_of(character) {
            _ if shown.has(character) => empty += 1,
            _ if bit_of(character) > 0 => is_unknown = true,
            Meaning::Blank | Meaning::Nothing | Meaning::Frame => {}
            Meaning::Other
                if u8::try_from(character).is_ok_and(|byte| is_blank(byte) || b"|,;".contains(&byte)) => {}
            Meaning::Other if !character.is_alphanumeric() && !character.is_control() => is_other = true,
            _ => return false,
        }
    }
    let is_drawn = || line.windows(3).any(|three| three == b"---");
    is_other || is_unknown && (!shown.is_nothing() || is_drawn()) || empty >= MAX_SIDE && shown.is_in_rows()
}

/// Returns the characters of a line. A byte that is not UTF-8 becomes a control character.
fn characters_in(line: &[u8]) -> impl Iterator<Item = char> {
    line.utf8_chunks().flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(|_| '\0')))
}

/// The bit of empty cells that have no ASCII form.
const WIDE: u8 = 1 << 7;
/// The bit of sources whose head has rows of grids.
const IN_ROWS: u8 = 1 << 6;

/// The bit of digits and letters other than the zero. No such character is an empty cell without ASCII form.
const CLUE: u8 = WIDE;

/// The bits of the characters of ASCII: a bit for each of [`BLANKS`], or [`CLUE`].
const BITS: [u8; 128] = {
    let (mut bits, mut at) = ([0; 128], 0);
    while at < 128 {
        if (at as u8).is_ascii_alphanumeric() {
            bits[at] = CLUE;
        }
        at += 1;
    }
    at = 0;
    while at < BLANKS.len() {
        bits[BLANKS[at] as usize] = 1 << at;
        at += 1;
    }
    bits
};

/// Returns the bit of a character that may be an empty cell, or 0.
#[inline]
fn bit_of(character: char) -> u8 {
    if let Some(&bit) = BITS.get(character as usize) {
        return bit & !CLUE;
    }
    let plain = match meaning_of(character) {
        Meaning::Cell(b'.') => return WIDE,
        Meaning::Cell(byte) => char::from(byte),
        _ => character,
    };
    BLANKS.iter().position(|&blank| char::from(blank) == plain).map_or(0, |at| 1 << at)
}

/// The digits that the characters of ASCII stand for.
const DIGITS: [u8; 128] = {
    let (mut digits, mut at) = ([NOT_A_CELL; 128], 0);
    while at < 128 {
        if let Some(digit) = (at as u8 as char).to_digit(36) {
            digits[at] = digit as u8;
        }
        at += 1;
    }
    digits
};

/// Returns true if a text begins with a character that may be an empty cell.
pub(super) fn is_empty(text: &[u8]) -> bool {
    characters_in(text).next().is_some_and(|first| bit_of(first) > 0)
}

/// Returns the code of a cell, as [`Stretch::cells`](super::resync::Stretch::cells) has it.
pub(super) fn digit_of(cell: &[u8], shown: Shown) -> u8 {
    let Some(first) = characters_in(cell).next() else { return 0 };
    match meaning_of(first) {
        _ if shown.own == Some(first) => 0,
        Meaning::Cell(byte) => code_of(byte, bit_of(first), shown),
        _ => u8::try_from(first).map_or(NOT_A_CELL, |byte| plain_digit_of(byte, shown)),
    }
}

/// Returns the code of a cell of one byte.
#[inline]
pub(super) fn plain_digit_of(byte: u8, shown: Shown) -> u8 {
    match byte.is_ascii() {
        true if shown.own == Some(char::from(byte)) => 0,
        true => code_of(byte, BITS[usize::from(byte & 127)] & !CLUE, shown),
        false => NOT_A_CELL,
    }
}

/// Returns the code of a character of ASCII with the bit of an empty cell, or 0 if it cannot be one.
#[inline]
fn code_of(byte: u8, bit: u8, shown: Shown) -> u8 {
    match bit {
        0 => DIGITS[usize::from(byte & 127)],
        bit if shown.bits & bit > 0 || shown.is_nothing() => 0,
        _ if byte == b'0' => ZERO,
        _ => NOT_A_CELL,
    }
}

/// Returns true for a digit or letter other than the zero.
fn is_clue(character: char) -> bool {
    let plain = match meaning_of(character) {
        Meaning::Cell(byte) => char::from(byte),
        _ => character,
    };
    plain.is_ascii_alphanumeric() && plain != '0'
}

/// The characters of empty cells that a source shows: they are next to digits or letters in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Shown {
    /// A bit for each of [`BLANKS`], [`IN_ROWS`] and [`WIDE`].
    pub(in super::super) bits: u8,
    /// The caller's character.
    own: Option<char>,
}

impl Shown {
    /// Nothing is known to be an empty cell.
    pub(in super::super) const NOTHING: Shown = Shown { bits: 0, own: None };

    /// Returns the characters of empty cells with these bits, and the caller's own.
    pub(super) fn known(bits: u8, options: &InputOptions) -> Self {
        Shown { bits, own: options.blank.map(char::from).or(options.wide_blank) }
    }

    /// Returns the characters of empty cells that the rows of a head show, and the caller's own.
    ///
    /// Rows are the lines of the most frequent length. A character counts if the number of rows with it is at least a
    /// third of that of the most frequent character. The dashes of dates and the zeros of keys occur in fewer rows.
    pub(in super::super) fn by_head(head: &Head<'_>) -> Self {
        Shown::known(*head.blanks.get_or_init(|| Shown::bits_of(head)), head.options)
    }

    fn bits_of(head: &Head<'_>) -> u8 {
        let counted = |line| (line, count_of(line, Unit::Character, Shown::NOTHING));
        let is_digit = |byte: &u8| matches!(byte, b'1'..=b'9');
        // No row of a grid repeats a digit, but most dates do.
        let has_twice = |line: &[u8]| has_a_digit_twice(line.iter().copied().filter(is_digit));
        let may_be_grid =
            |count: usize| count > MAX_SIDE || SIDES_ON_LINES.iter().any(|side| side * side == count);
        let may_be_row = |&(line, count): &(&[u8], usize)| {
            characters_in(line).any(is_clue) && (may_be_grid(count) || !has_twice(line))
        };
        let rows: Vec<(&[u8], usize)> = head.contents().map(counted).filter(may_be_row).collect();
        let mut times: HashMap<usize, usize> = HashMap::new();
        rows.iter().for_each(|&(_, count)| *times.entry(count).or_default() += 1);
        let usual =
            times.into_iter().max_by_key(|&(count, times)| (times, count)).map_or(0, |(count, _)| count);
        let mut lines_with = [0usize; 8];
        let usual_rows = || rows.iter().filter(|&&(_, count)| count == usual);
        let are_rows = InputOptions::is_side(usual)
            && 2 * usual_rows().filter(|(line, _)| has_twice(line)).count() <= usual_rows().count();
        let in_rows = if are_rows { IN_ROWS } else { 0 };
        for (line, _) in usual_rows() {
            let bits = Shown::NOTHING.and(line).bits;
            (0..8).filter(|bit| bits >> bit & 1 > 0).for_each(|bit| lines_with[bit] += 1);
        }
        let most = lines_with.into_iter().max().unwrap_or(0);
        let is_usual = |bit: &usize| lines_with[*bit] > 0 && 3 * lines_with[*bit] >= most;
        (0..8).filter(is_usual).fold(in_rows, |bits, bit| bits | 1 << bit)
    }

    /// Adds the characters of empty cells that a line with a clue shows.
    pub(super) fn and(self, line: &[u8]) -> Self {
        let (mut bits, mut has_clue) = (0, false);
        if line.is_ascii() {
            let all = line.iter().fold(0, |all, &byte| all | BITS[usize::from(byte & 127)]);
            (bits, has_clue) = (all & !CLUE, all & CLUE > 0);
        } else {
            for character in characters_in(line) {
                bits |= bit_of(character);
                has_clue |= is_clue(character);
            }
        }
        Shown { bits: self.bits | if has_clue { bits } else { 0 }, ..self }
    }

    /// Adds zeros, which are empty cells in all grids of integers.
    fn and_zeros(self) -> Self {
        Shown { bits: self.bits | if self.is_nothing() { 0 } else { bit_of('0') }, ..self }
    }

    /// Returns true if characters without a digit or letter may be cells of the source.
    pub(in super::super) fn allows(self, cells: &[u8]) -> bool {
        self.is_nothing() || characters_in(cells).all(|cell| cell.is_alphanumeric() || self.has(cell))
    }

    fn is_nothing(self) -> bool {
        self.bits & !IN_ROWS == 0 && self.own.is_none()
    }

    fn is_in_rows(self) -> bool {
        self.bits & IN_ROWS > 0
    }

    fn has(self, character: char) -> bool {
        self.bits & bit_of(character) > 0 || self.own == Some(character)
    }
}

/// Returns true if a line is text: at most as long as a row of a 9x9, with only letters, blanks and colons, and with
/// different letters.
pub(super) fn is_text(line: &[u8]) -> bool {
    let letters = || line.iter().filter(|byte| byte.is_ascii_alphabetic());
    let others = line.iter().filter(|&&byte| !is_blank(byte) && byte != b':').count();
    let count = letters().count();
    (3..=9).contains(&count) && count == others && letters().any(|letter| Some(letter) != letters().next())
}

/// Returns true if a line is a sentence or title. It has no word that may be a grid, and is one of:
/// - a line with a word that begins with a capital letter and two others: no row has letters of both cases
/// - a name and a number with `=` or `:` between them
/// - words of different lengths, one of at least three letters, not all capitals, and no other characters, with more
///   letters than digits and empty cells
pub(super) fn is_prose(line: &[u8]) -> bool {
    if !line.iter().any(u8::is_ascii_alphabetic) {
        return false;
    }
    let count = |text: &[u8], is: &dyn Fn(&u8) -> bool| text.iter().filter(|byte| is(byte)).count();
    let cells = |text: &[u8]| count(text, &|byte| byte.is_ascii_digit() || BLANKS.contains(byte));
    let has_capital = |word: &[u8]| matches!(word, [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z', ..]);
    let is_assignment = || {
        memchr::memchr2(b'=', b':', line).is_some_and(|at| {
            let value = trim(&line[at + 1..]);
            trim(&line[..at]).iter().all(u8::is_ascii_alphabetic)
                && (1..5).contains(&value.len())
                && value.iter().all(u8::is_ascii_digit)
        })
    };
    let is_word = |word: &[u8]| {
        let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        letters > 2
            && word.iter().any(u8::is_ascii_lowercase)
            && word[letters..].iter().all(|byte| b".,:;!?".contains(byte))
    };
    let has_words = || {
        words(line).any(|word| words(line).next().is_some_and(|first| first.len() != word.len()))
            && words(line).any(is_word)
            && count(line, &u8::is_ascii_alphabetic) > cells(line)
    };
    !words(line).any(|word| cells(word) >= 9)
        && (words(line).any(has_capital) || is_assignment() || has_words())
}

/// Returns the side of a grid whose first line has `count` cells, or `None`.
///
/// The first line is one row, or the whole grid.
pub(super) fn side_of_first(count: usize) -> Option<usize> {
    if InputOptions::is_side(count) { Some(count) } else { InputOptions::side_of_cells(count) }
}

/// Returns true if a line of `count` cells may be whole grids.
///
/// Whole grids are grids of side `asked`. If no side is asked for, they are grids of side 9, or one grid of any side.
fn are_whole_grids(count: usize, asked: Option<usize>) -> bool {
    let side = asked.unwrap_or(9);
    count > 0 && count.is_multiple_of(side * side)
        || asked.is_none() && InputOptions::side_of_cells(count).is_some()
}

/// Returns true if the first `most_lines` lines have a heading.
///
/// The heading must be the first line, or have a row of a grid in the two lines after it.
pub(super) fn has_heading(head: &Head<'_>, most_lines: usize, is_heading: impl Fn(&[u8]) -> bool) -> bool {
    let lines: Vec<&[u8]> = head.contents().take(most_lines).collect();
    let is_row = |line: &&[u8]| InputOptions::is_side(count_of(line, Unit::Character, Shown::NOTHING));
    let has_rows = |at: usize| at == 0 || lines[at + 1..].iter().take(2).any(is_row);
    (0..lines.len()).any(|at| is_heading(lines[at]) && has_rows(at))
}

/// Returns the number that begins a line and the byte offset of its end, or `None`.
pub(super) fn number_at(line: &[u8], most_digits: usize) -> Option<(u64, usize)> {
    let word = words(line).next()?;
    let value =
        number_in(word).filter(|_| word.len() <= most_digits && (word.len() == 1 || word[0] != b'0'))?;
    let end = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(0) + word.len();
    Some((value, end))
}

/// Returns the number that is all of a line, or `None`.
pub(super) fn number_alone(line: &[u8]) -> Option<u64> {
    let (value, end) = number_at(line, NUMBER_DIGITS)?;
    trim(&line[end..]).is_empty().then_some(value)
}

/// Returns the count at the start of the first line and the byte offset of its end, if cells follow on that line.
///
/// The cells after the count must be whole grids, and most of the next three lines must not be longer. Otherwise, more
/// of these lines must be as long as the cells after the count than as long as the whole first line. `None` means that
/// more bytes are needed; `Some(None)` means that the line has no count.
pub(super) fn count_before_cells<'a>(
    mut lines: impl Iterator<Item = &'a [u8]>,
    unit: Unit,
    asked: Option<usize>,
    complete: bool,
) -> Option<Option<(u64, usize)>> {
    let cells = |line: &[u8]| count_of(line, unit, Shown::NOTHING);
    let Some(first) = lines.next() else { return complete.then_some(None) };
    let Some((value, end)) = number_at(first, COUNT_DIGITS) else { return Some(None) };
    let (total, rest) = (cells(first), cells(&first[end..]));
    if value == 0 || rest == 0 || are_whole_grids(total, asked) {
        return Some(None);
    }
    let behind: Vec<&[u8]> = lines.filter(|line| cells(line) > 0).take(LINES_BEHIND).collect();
    if behind.len() < LINES_BEHIND && !complete {
        return None;
    }
    // A count of several grids needs more than one line of integers: its first number is a cell.
    if unit == Unit::Integer && value > 1 && behind.is_empty() && InputOptions::side_of_cells(rest).is_some()
    {
        return Some(None);
    }
    let alike = |count: usize| behind.iter().filter(|line| cells(line) == count).count();
    if are_whole_grids(rest, asked) && !InputOptions::is_side(total) {
        // If most of the following lines have one length, and the first line with its number is as long or shorter, it
        // is such a line, perhaps cut short.
        let is_cut = behind
            .iter()
            .map(|line| cells(line))
            .any(|count| count >= total && 2 * alike(count) > behind.len());
        return Some((!is_cut).then_some((value, end)));
    }
    // Returns true if a longer word follows the number, and is a row or one cell shorter than a row.
    let is_apart = || {
        let second = words(&first[end..]).next().map_or(0, <[u8]>::len);
        let longest = behind.first().and_then(|line| words(line).map(<[u8]>::len).max());
        unit == Unit::Character
            && words(first).next().is_some_and(|word| word.len() < second)
            && second + 1 >= longest.unwrap_or(9)
    };
    let is_count = match (alike(rest), alike(total)) {
        (0, 0) => is_apart(),
        (rest, total) => rest > total,
    };
    Some(is_count.then_some((value, end)))
}

/// Number of lines that decide whether the first line begins with a count.
pub(super) const LINES_BEHIND: usize = 3;

/// Returns true if lines that could be rows of a large grid are small whole grids.
///
/// `beyond` is the number of lines with digits above the small side. `no_rows` is the number of lines with a repeated
/// digit, which no row has. Comparing the two tolerates single damaged lines.
pub(super) fn are_small_grids(beyond: usize, no_rows: usize) -> bool {
    beyond == 0 || beyond < no_rows
}

/// Sides whose grids have the same number of cells as a row of a larger grid.
pub(super) const SIDES_ON_LINES: [usize; 2] = [4, 6];

/// Returns the side of the grids on lines of digits if at least half of the lines with clues are small whole grids, or
/// `None`. Empty cells are 0.
pub(super) fn side_of_small_grids(lines: impl Iterator<Item = Vec<u8>>) -> Option<usize> {
    let lines: Vec<Vec<u8>> = lines.collect();
    let clued = || lines.iter().filter(|line| line.iter().any(|&digit| digit > 0));
    let is_no_row = |line: &&Vec<u8>| has_a_digit_twice(line.iter().copied().filter(|&digit| digit > 0));
    SIDES_ON_LINES.into_iter().find(|&side| {
        let these = || clued().filter(|line| line.len() == side * side);
        let beyond = these().filter(|line| line.iter().any(|&digit| usize::from(digit) > side)).count();
        let no_rows = these().filter(is_no_row).count();
        let count = these().count();
        count > 0 && 2 * count >= clued().count() && are_small_grids(beyond, no_rows)
    })
}

/// Adds the count on the first line, if cells follow it there, to a layout. Returns false if more bytes are needed.
pub(super) fn describe_count(head: &Head<'_>, unit: Unit, complete: bool, layout: &mut Layout) -> bool {
    let count = count_before_cells(head.contents(), unit, head.options.asked_side(), complete);
    layout.count_bytes = count.flatten().map_or(0, |(_, end)| end);
    count.is_some()
}

/// Reads a grid written in characters.
pub(super) fn parse_characters(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
) -> Result<(), Reason> {
    let text = record.puzzle.slice(&chunk.bytes);
    let line_end = chunk.layout.line_end;
    let blank = grids.options.blank;
    let known = Shown::known(chunk.layout.common.blanks, &grids.options);
    let shown = rows_of(text, line_end, blank).fold(known, Shown::and);
    let mut cells = std::mem::take(&mut grids.scratch);
    cells.clear();
    let mut counts = Vec::new();
    for line in rows_of(text, line_end, blank) {
        let before = cells.len();
        if push_plain(line, shown, &mut cells).is_some() {
            counts.push(cells.len() - before);
            continue;
        }
        let mut count = 0;
        for (start, end) in cells_of(line, Unit::Character, shown) {
            cells.extend_from_slice(&line[start..end]);
            count += 1;
        }
        counts.push(count);
    }
    let side = cells::characters(&cells).isqrt();
    let read = match uneven_row(&counts) {
        Some(reason) => Err(reason.into()),
        // Such a line among rows is as long as a 4x4 by chance, also if its characters are empty cells in rows.
        None if counts.len() == 1 && is_line_of_blanks(&cells, blank) => {
            Err("a ruler, not a puzzle: a line of empty cells among rows".into())
        }
        None if let Some(bar) = drawn_with(&cells, side) => {
            Err(format!("bars and rulers of '{bar}' look like empty cells (draw bars with '|')").into())
        }
        None => grids
            .require_shown_box(side, box_of(text, line_end, side, Unit::Character, shown))
            .and_then(|()| grids.grid(&cells, Arrangement::Rows, chunk.layout.symbols)),
    };
    grids.scratch = cells;
    read?.put_in(record);
    Ok(())
}

/// Returns true if cells are all empty, and probably a ruler. `blank` is the caller's character of an empty cell.
fn is_line_of_blanks(cells: &[u8], blank: Option<u8>) -> bool {
    cells.iter().all(|byte| BLANKS.contains(byte)) && rules_off(cells, |byte| blank == Some(byte))
}

/// Reads a grid written in integers.
pub(super) fn parse_integers(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
) -> Result<(), Reason> {
    let text = record.puzzle.slice(&chunk.bytes);
    let blank = grids.options.blank;
    let mut words: Vec<&[u8]> = Vec::new();
    let mut counts = Vec::new();
    for line in rows_of(text, chunk.layout.line_end, blank) {
        let before = words.len();
        words.extend(cells_of(line, Unit::Integer, Shown::NOTHING).map(|(start, end)| &line[start..end]));
        counts.push(words.len() - before);
    }
    if let Some(reason) = uneven_row(&counts) {
        return Err(reason.into());
    }
    let side = words.len().isqrt();
    let shown = box_of(text, chunk.layout.line_end, side, Unit::Integer, Shown::NOTHING);
    grids.require_shown_box(side, shown)?;
    grids.grid_of_integers(&words)?.put_in(record);
    Ok(())
}

/// Returns rows and columns of the boxes that the lines of a grid of this side show, or `None`.
fn box_of(text: &[u8], line_end: u8, side: usize, unit: Unit, shown: Shown) -> Option<(usize, usize)> {
    // The boxes of these sides have only one shape.
    if matches!(side, 4 | 9 | 25) {
        return None;
    }
    let box_line = |line: &[u8]| {
        // Most rows have nothing between their cells.
        if line.len() <= side && is_plain(line, shown) {
            return BoxLine::Row(None);
        }
        // Integers may be aligned, so only bars count.
        let may_show_width =
            unit == Unit::Character || !line.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ');
        if !may_show_width && !trim(line).is_empty() {
            return BoxLine::Row(None);
        }
        let cells: Vec<(usize, usize)> = cells_of(line, unit, shown).collect();
        let separator = |end: usize, start: usize| {
            let between = String::from_utf8_lossy(&line[end..start]);
            let bars = between
                .chars()
                .filter(|&letter| matches!(letter, '|' | '!') || meaning_of(letter) == Meaning::Frame);
            let bars = MAX_SIDE * bars.count();
            if unit == Unit::Integer { bars } else { bars + between.chars().count() }
        };
        match cells.len() {
            0 => BoxLine::Separator,
            count if count == side => BoxLine::Row(width_of(&cells, separator)),
            _ => BoxLine::Row(None),
        }
    };
    let is_comment = |line: &[u8]| !trim(line).is_empty() && is_skipped(line, None);
    let lines = lines(text, line_end).map(|(_, line)| line).filter(|line| !is_comment(line));
    shown_box(lines.map(box_line), side)
}

/// Returns the lines of a record that are neither comments nor empty.
fn rows_of(text: &[u8], line_end: u8, blank: Option<u8>) -> impl Iterator<Item = &[u8]> {
    lines(text, line_end).map(|(_, line)| line).filter(move |line| !is_skipped(line, blank))
}

/// Returns a message about the first row of unusual length, or `None` if the rows can be a grid. `counts` has the number
/// of cells on each line.
fn uneven_row(counts: &[usize]) -> Option<String> {
    let total: usize = counts.iter().sum();
    let side = total.isqrt();
    if side * side == total && counts.iter().all(|count| count.is_multiple_of(side)) {
        return None;
    }
    let counts: Vec<usize> = counts.iter().copied().filter(|&count| count > 0).take(ROWS_COMPARED).collect();
    let usual = counts.iter().max_by_key(|&&count| counts.iter().filter(|&&other| other == count).count())?;
    let mut others = counts.iter().enumerate().filter(|&(_, count)| count != usual);
    // One line end may be at another place.
    if counts.len() < 4 || total == usual * usual && others.clone().count() <= 2 {
        return None;
    }
    let (row, cells) = others.next()?;
    Some(format!("row {} has {cells} {}, not {usual}", row + 1, Arrangement::Rows.noun(*cells)))
}

/// More rows than a grid can have.
const ROWS_COMPARED: usize = 64;
