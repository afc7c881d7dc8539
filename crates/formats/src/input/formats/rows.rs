//! Contains the code that is shared by formats whose grids extend over several lines.
//!
//! The cells of a grid may be in rows or all on one line, with or without blanks and frames between them.
//! Empty lines may separate rows, bands or grids. A grid ends when it has all its cells.
//! [`Assembler`](super::assembler::Assembler) finds the grids.

use std::collections::HashMap;

use super::super::InputOptions;
use super::super::cells::BLANKS;
use super::super::characters::{Meaning, first_wide, meaning_of};
use super::super::head::Head;
use super::super::lines::{is_blank, number_in, trim, words};
use super::super::shapes::has_a_digit_twice;
use super::stretch::{NOT_A_CELL, ZERO};
use quadrille_model::MAX_SIDE;

/// The kind of text that one cell consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Character,
    /// A word between blanks, commas, semicolons or bars.
    Integer,
}

/// Properties of a format that writes grids in rows.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) unit: Unit,
    /// Returns the meaning of a line for the grids after it.
    pub(super) heading: fn(&[u8]) -> Heading,
    pub(super) numbers: NumbersBefore,
}

impl Style {
    /// Rows of characters without headings and numbers.
    pub(super) const PLAIN: Style =
        Style { unit: Unit::Character, heading: |_| Heading::Absent, numbers: NumbersBefore::Nothing };
}

impl Default for Style {
    fn default() -> Self {
        Style::PLAIN
    }
}

/// Meaning of numbers before grids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NumbersBefore {
    /// Numbers are cells.
    Nothing,
    /// The numbers of the grids.
    Ids,
    /// The head decides.
    Any,
}

/// The meaning of a line for the grids after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    /// No heading: the line holds cells, a frame or a comment.
    Absent,
    /// The line begins the record of one grid.
    Name,
    /// The line begins a section whose rows are puzzles.
    Puzzles,
    /// A section of other data.
    Other,
}

/// Maximum number of digits of a count that has text on its line, or that is the only content of its source.
///
/// A row of a 9x9 grid has more digits.
pub(super) const COUNT_DIGITS: usize = 7;
/// Maximum number of digits of a count that is alone on its line, in a source with other lines.
const NUMBER_DIGITS: usize = 19;

/// Returns the byte ranges of the cells of a line. Blanks and frames are not cells.
///
/// Characters in `shown` count as empty cells, even if the line consists only of them.
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

/// Returns true if a line is ASCII and has a digit. Then each byte except blanks and bars is certainly a
/// cell.
///
/// Nearly all rows are such lines, and their cells are found much faster than those of other rows. A line
/// with a digit cannot be a frame.
pub(super) fn is_plain(line: &[u8], shown: Shown) -> bool {
    line.is_ascii()
        && line.iter().any(|&byte| matches!(byte, b'1'..=b'9') && shown.own != Some(char::from(byte)))
}

/// Returns the number of cells on a line.
pub(super) fn count_of(line: &[u8], unit: Unit, shown: Shown) -> usize {
    if unit == Unit::Character && is_plain(line, shown) {
        return line.iter().map(|&byte| usize::from(!is_between(byte))).sum();
    }
    cells_of(line, unit, shown).count()
}

/// Appends the cells of a line, if each cell is one ASCII byte.
///
/// Returns the number of groups into which blanks and frames divide the cells. If some cell may have several
/// bytes, returns `None` and appends nothing.
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

/// Returns true if an ASCII byte separates cells that are characters.
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

/// Returns true if a non-ASCII character may be a cell. It must be neither a blank nor part of a frame.
fn is_cell(wide: char) -> bool {
    matches!(meaning_of(wide), Meaning::Cell(_) | Meaning::Other)
}

/// Returns true if a line only separates rows, such as `+---+---+`, `------+------`, `===` or a line of
/// stars.
///
/// Such a line is a frame. It has no digit and no letter, and at least one character that does not mean an
/// empty cell in the source. If the characters of empty cells are unknown, dots, stars and similar characters
/// count as cells. In sources with rows, a line of empty cells is also a frame if it is longer than any row.
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

/// Returns the characters of a line. A NUL character replaces each byte that is not valid UTF-8.
fn characters_in(line: &[u8]) -> impl Iterator<Item = char> {
    line.utf8_chunks().flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(|_| '\0')))
}

/// Bit that means: the source has characters for empty cells that have no ASCII equivalent.
const WIDE: u8 = 1 << 7;
/// Bit that means: the first part of the source has rows of grids.
const IN_ROWS: u8 = 1 << 6;

/// Bit for letters and for digits other than zero.
///
/// This bit is used only for ASCII characters, and [`WIDE`] only for other characters. So both may have the
/// same value.
const CLUE: u8 = WIDE;

/// Bits for each ASCII code. The value is the bit of a character of [`BLANKS`], or [`CLUE`], or 0.
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

/// Returns the bit of a character that may be an empty cell, or 0 for any other character.
#[inline]
fn bit_of(character: char) -> u8 {
    let plain = match meaning_of(character) {
        Meaning::Cell(b'.') => return WIDE,
        Meaning::Cell(byte) => char::from(byte),
        _ => character,
    };
    BITS.get(plain as usize).map_or(0, |&bit| bit & !CLUE)
}

/// Digit that each ASCII character represents, or [`NOT_A_CELL`].
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

/// Returns true if the first character of a text may be an empty cell.
pub(super) fn is_empty(text: &[u8]) -> bool {
    characters_in(text).next().is_some_and(|first| bit_of(first) > 0)
}

/// Returns the code of a cell, as it is stored in [`Stretch::cells`](super::stretch::Stretch::cells).
pub(super) fn digit_of(cell: &[u8], shown: Shown) -> u8 {
    let Some(first) = characters_in(cell).next() else { return 0 };
    match meaning_of(first) {
        _ if shown.own == Some(first) => 0,
        Meaning::Cell(byte) => code_of(byte, bit_of(first), shown),
        _ => u8::try_from(first).map_or(NOT_A_CELL, |byte| plain_digit_of(byte, shown)),
    }
}

/// Returns the code of a cell that is a single byte.
#[inline]
pub(super) fn plain_digit_of(byte: u8, shown: Shown) -> u8 {
    match byte.is_ascii() {
        true if shown.own == Some(char::from(byte)) => 0,
        true => code_of(byte, BITS[usize::from(byte & 127)] & !CLUE, shown),
        false => NOT_A_CELL,
    }
}

/// Returns the code of an ASCII character. If the character may mean an empty cell, `bit` is its bit;
/// otherwise `bit` is 0.
#[inline]
fn code_of(byte: u8, bit: u8, shown: Shown) -> u8 {
    match bit {
        0 => DIGITS[usize::from(byte & 127)],
        bit if shown.bits & bit > 0 || shown.is_nothing() => 0,
        _ if byte == b'0' => ZERO,
        _ => NOT_A_CELL,
    }
}

/// Returns true for a letter, or a digit other than zero.
fn is_clue(character: char) -> bool {
    let plain = match meaning_of(character) {
        Meaning::Cell(byte) => char::from(byte),
        _ => character,
    };
    plain.is_ascii_alphanumeric() && plain != '0'
}

/// The characters that mean empty cells in a source. They are known because they occur next to digits or
/// letters in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Shown {
    /// One bit per character of [`BLANKS`], and the bits [`IN_ROWS`] and [`WIDE`].
    pub(in super::super) bits: u8,
    /// The caller's character.
    own: Option<char>,
}

impl Shown {
    /// Value for a source in which no character is known to be an empty cell.
    pub(super) const NOTHING: Shown = Shown { bits: 0, own: None };

    /// Creates the set from the bits of its characters, and adds the character that the caller chose.
    pub(super) fn known(bits: u8, options: &InputOptions) -> Self {
        Shown { bits, own: options.blank.map(char::from).or(options.wide_blank) }
    }

    /// Returns the characters that mean empty cells in the first rows of a source, and the character that the
    /// caller chose.
    ///
    /// The lines with the most frequent length are assumed to be rows. To be included, a character must occur
    /// in at least a third as many rows as the most frequent character. The dashes of dates and the zeros of
    /// keys occur in fewer rows.
    pub(in super::super) fn by_head(head: &Head<'_>) -> Self {
        Shown::known(*head.blanks.get_or_init(|| Shown::bits_of(head)), head.options)
    }

    fn bits_of(head: &Head<'_>) -> u8 {
        let counted = |line| (line, count_of(line, Unit::Character, Shown::NOTHING));
        // Most dates repeat a digit, but a row of a grid never does.
        let has_twice = |line: &[u8]| has_a_digit_twice(line, |byte| matches!(byte, b'1'..=b'9'));
        let may_be_grid = |count: usize| count > MAX_SIDE || is_small_grid(count);
        let may_be_row = |&(line, count): &(&[u8], usize)| {
            characters_in(line).any(is_clue) && (may_be_grid(count) || !has_twice(line))
        };
        let rows: Vec<(&[u8], usize)> = head.contents().map(counted).filter(may_be_row).collect();
        let usual = usual_count(rows.iter().map(|&(_, count)| count));
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

    /// Adds the characters on a line that may be empty cells, if the line has a clue.
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

    /// Adds the zero, which is an empty cell in every grid of integers.
    fn and_zeros(self) -> Self {
        Shown { bits: self.bits | if self.is_nothing() { 0 } else { bit_of('0') }, ..self }
    }

    /// Returns true if every character of `cells` is a letter, a digit, or a character that may mean an empty
    /// cell in the source.
    pub(super) fn allows(self, cells: &[u8]) -> bool {
        self.is_nothing() || characters_in(cells).all(|cell| cell.is_alphanumeric() || self.has(cell))
    }

    pub(super) fn is_nothing(self) -> bool {
        self.bits & !IN_ROWS == 0 && self.own.is_none()
    }

    fn is_in_rows(self) -> bool {
        self.bits & IN_ROWS > 0
    }

    fn has(self, character: char) -> bool {
        self.bits & bit_of(character) > 0 || self.own == Some(character)
    }
}

/// Returns the most frequent of some numbers, or 0 if there are none. The largest of equally frequent numbers
/// is preferred.
pub(super) fn usual_count(counts: impl Iterator<Item = usize>) -> usize {
    let mut times: HashMap<usize, usize> = HashMap::new();
    counts.for_each(|count| *times.entry(count).or_default() += 1);
    times.into_iter().max_by_key(|&(count, times)| (times, count)).map_or(0, |(count, _)| count)
}

/// Returns true if a line is text.
///
/// Text is at most as long as a row of a 9x9 grid. It has only letters, blanks and colons, and at least two
/// different letters.
pub(super) fn is_text(line: &[u8]) -> bool {
    // For nearly all rows of grids, this check fails at the first character.
    if !line.iter().all(|&byte| byte.is_ascii_alphabetic() || is_blank(byte) || byte == b':') {
        return false;
    }
    let letters = || line.iter().filter(|byte| byte.is_ascii_alphabetic());
    (3..=9).contains(&letters().count()) && letters().any(|letter| Some(letter) != letters().next())
}

/// Returns true if a line is a sentence or title.
///
/// Such a line has no word that may be a grid. It also has one of these forms:
/// - A word begins with a capital letter and two lower-case letters. No row has letters of both cases.
/// - A name and a number have `=` or `:` between them.
/// - The line consists of words of different lengths, with more letters than digits and empty cells. At
///   least one word has three or more letters that are not all capitals.
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

/// Returns the side length of a grid whose first line has `count` cells, or `None` if there is no such grid.
///
/// The first line may be one row or the whole grid.
pub(super) fn side_of_first(count: usize) -> Option<usize> {
    if InputOptions::is_side(count) { Some(count) } else { InputOptions::side_of_cells(count) }
}

/// Returns true if a line with `count` cells may consist of whole grids.
///
/// If the caller asks for a side length, it is in `asked`, and the grids must have that side length.
/// Otherwise, they must be several 9x9 grids or one grid of any size.
pub(super) fn are_whole_grids(count: usize, asked: Option<usize>) -> bool {
    let side = asked.unwrap_or(9);
    count > 0 && count.is_multiple_of(side * side)
        || asked.is_none() && InputOptions::side_of_cells(count).is_some()
}

/// Returns the number at the start of a line and the byte offset of its end, or `None` if there is none.
pub(super) fn number_at(line: &[u8], most_digits: usize) -> Option<(u64, usize)> {
    let word = words(line).next()?;
    let value =
        number_in(word).filter(|_| word.len() <= most_digits && (word.len() == 1 || word[0] != b'0'))?;
    let end = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(0) + word.len();
    Some((value, end))
}

/// Returns the number that makes up the whole line, or `None` if the line contains anything else.
pub(super) fn number_alone(line: &[u8]) -> Option<u64> {
    let (value, end) = number_at(line, NUMBER_DIGITS)?;
    trim(&line[end..]).is_empty().then_some(value)
}

/// Words that headings begin with.
const WORDS: &[&[u8]] = &[b"grid", b"puzzle", b"sudoku", b"solution", b"game", b"board", b"problem"];

/// Returns true if a line is a heading: a word from [`WORDS`], a blank and a number.
///
/// The number may have a `#` before it and a colon after it.
pub(super) fn is_name(line: &[u8]) -> bool {
    let line = trim(line);
    let end = line.iter().position(|&byte| is_blank(byte)).unwrap_or(line.len());
    let (word, number) = line.split_at(end);
    let number = trim(number).strip_prefix(b"#").unwrap_or(trim(number));
    let number = number.strip_suffix(b":").unwrap_or(number);
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
        && end < line.len()
        && number.iter().all(u8::is_ascii_digit)
}

/// Side lengths of small grids that have as many cells as a row of a larger grid.
pub(super) const SIDES_ON_LINES: [usize; 2] = [4, 6];

/// Returns true if a line with `cells` cells can be a whole small grid, and thus also a row of a large grid.
pub(super) fn is_small_grid(cells: usize) -> bool {
    SIDES_ON_LINES.iter().any(|side| side * side == cells)
}
