//! Classifies text by its shape: a puzzle, a complete grid, a layout of regions, or other text with the length of a
//! grid.
//!
//! All code that decides what a source holds uses this module, so that rulers, UUIDs and other keys are refused
//! everywhere. A ruler is a line that separates other lines, drawn with characters that may also be empty cells:
//! `-----` or `*****`. A key is a number or hash that identifies a record and may have the length of a grid.

use std::collections::BTreeMap;

use super::cells::BLANKS;
use super::characters::plain;
use super::lines::{is_blank, is_skipped, lines, number_in, trim, words};
use super::{Format, InputOptions};
use quadrille_model::rules::{RunRules, are_rules, begins_rules, killer};

/// Number of characters of pencilmarks, nine for each cell of a 9x9.
pub(super) const PENCILMARK_CELLS: usize = 729;

/// The shape of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextShape {
    /// Nothing but blanks.
    Empty,
    /// A grid of this side with digits and empty cells, or with empty cells alone.
    Open(usize),
    /// A grid of this side without an empty cell.
    Full(usize),
    /// A layout of regions for a grid of this side.
    Layout(usize),
    /// Anything else.
    Other,
}

impl TextShape {
    /// Returns the side, or `None` if the text is not a grid.
    pub(super) fn grid_side(self) -> Option<usize> {
        match self {
            TextShape::Open(side) | TextShape::Full(side) => Some(side),
            _ => None,
        }
    }
}

/// Returns the shape of a text. `blank` is the caller's character of an empty cell.
pub(super) fn shape_of(text: &[u8], blank: Option<u8>) -> TextShape {
    let plain = plain(trim(text), None).unwrap_or_default();
    let text = &*plain;
    if text.is_empty() {
        return TextShape::Empty;
    }
    let is_blank = |byte: u8| BLANKS.contains(&byte) || blank == Some(byte);
    let side = match InputOptions::side_of_cells(text.len()) {
        // This length is read as a 27x27 only if the caller asks for that side.
        _ if text.len() == PENCILMARK_CELLS => 9,
        Some(side) => side,
        None => return TextShape::Other,
    };
    let is_cell = |&byte: &u8| byte.is_ascii_alphanumeric() || is_blank(byte);
    if !text.iter().all(is_cell) || are_rules(text) || killer(text).is_some() {
        return TextShape::Other;
    }
    if is_layout(text, side) {
        return TextShape::Layout(side);
    }
    let empty = text.iter().filter(|&&byte| is_blank(byte)).count();
    let is_beyond = |&byte: &u8| {
        side < 9 && byte.is_ascii_digit() && usize::from(byte - b'0') > side && !is_blank(byte)
            || side <= 9 && byte.is_ascii_uppercase() && !is_blank(byte)
    };
    let letters = || text.iter().copied().filter(|&byte| byte.is_ascii_lowercase() && !is_blank(byte));
    let is_ruler = empty == text.len() && rules_off(text, |byte| blank == Some(byte));
    if text.iter().any(is_beyond)
        || side <= 9 && are_words(text.len() - empty - letters().count(), letters(), text.len())
        || is_uuid(text)
        || is_ruler
    {
        return TextShape::Other;
    }
    if empty > 0 { TextShape::Open(side) } else { TextShape::Full(side) }
}

/// Returns true if a text of only empty cells is probably a ruler: they are of several kinds, or they are neither dots
/// nor zeros, and `is_usual` is false for them.
pub(super) fn rules_off(text: &[u8], is_usual: impl Fn(u8) -> bool) -> bool {
    text.windows(2).any(|two| two[0] != two[1])
        || text.first().is_some_and(|&byte| !matches!(byte, b'.' | b'0') && !is_usual(byte))
}

/// Returns true if cells are probably the letters of words: there is no digit, and nearly all are letters, or the letters
/// mark nothing. Letters mark nothing if none is even or odd, and they are all different.
pub(super) fn are_words(digits: usize, letters: impl Iterator<Item = u8>, cells: usize) -> bool {
    let mut counts = [0usize; 256];
    letters.for_each(|letter| counts[usize::from(letter)] += 1);
    let kinds = counts.iter().filter(|&&count| count > 0).count();
    let has_parities = counts[usize::from(b'e')] + counts[usize::from(b'o')] > 0;
    let says_nothing = !has_parities && counts.iter().all(|&count| count < 2);
    digits == 0 && kinds > 0 && (says_nothing || 4 * counts.iter().sum::<usize>() > 3 * cells)
}

/// Returns true if a letter for empty cells may be a digit too: letters after it in the alphabet are not rare.
pub(super) fn may_be_digit(letter: u8, text: &[u8]) -> bool {
    let last = if letter.is_ascii_uppercase() { b'Z' } else { b'z' };
    let count = |is: &dyn Fn(u8) -> bool| text.iter().filter(|&&byte| is(byte)).count();
    letter.is_ascii_alphabetic()
        && 16 * count(&|byte| (letter + 1..=last).contains(&byte)) >= count(&|byte| byte == letter)
}

/// Returns true if some digit occurs twice.
pub(super) fn has_a_digit_twice(mut digits: impl Iterator<Item = u8>) -> bool {
    let mut seen = [0u64; 4];
    digits.any(|digit| {
        let (word, bit) = (&mut seen[usize::from(digit / 64)], 1 << (digit % 64));
        let was_seen = *word & bit > 0;
        *word |= bit;
        was_seen
    })
}

/// Returns true if a puzzle has both zeros and other empty cells, and no 9. Its zeros may be digits.
pub(super) fn has_two_blanks(puzzle: &[u8]) -> bool {
    // Most puzzles have a 9.
    if memchr::memchr(b'9', puzzle).is_some() {
        return false;
    }
    let puzzle = plain(puzzle, None).unwrap_or_default();
    let is_other = |byte: &u8| *byte != b'0' && BLANKS.contains(byte);
    puzzle.contains(&b'0') && puzzle.iter().any(is_other) && !puzzle.contains(&b'9')
}

/// Returns true if a text is a UUID, which is as long as a 6x6.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Returns true if a text is a layout of regions of a grid of this side: it has `side` kinds of characters, and each
/// occurs `side` times.
///
/// A solution has these properties too, but only a solution has every kind in every row. (Connected regions with a cell
/// in every row are the columns, and such a layout adds nothing.)
pub(super) fn is_layout(text: &[u8], side: usize) -> bool {
    // Most puzzles have another number of the first character, and most solutions have no row with a repeated one.
    side > 0
        && text.len() == side * side
        && text.chunks(side).any(|row| has_a_digit_twice(row.iter().copied()))
        && text.iter().all(|&byte| memchr::memchr_iter(byte, text).count() == side)
        && text.iter().all(u8::is_ascii_graphic)
}

/// Returns true if one of the values next to a puzzle is a layout of regions for it.
pub(super) fn has_layout<'v>(puzzle: &[u8], mut values: impl Iterator<Item = &'v [u8]>) -> bool {
    values.any(|value| value.len() == puzzle.len() && is_layout(value, puzzle.len().isqrt()))
}

/// Reason for refusing a record with a layout of regions, in a source that seemed to have none.
pub(super) const LATE_LAYOUT: &str = "a layout of regions follows the puzzle, but none follows the first puzzle of the \
                                      source (put layouts into a column `regions`)";

/// Returns true if a text is, or begins like, rules of a grid.
pub(super) fn says_rules(text: &[u8]) -> bool {
    begins_rules(text) || are_rules(text) || RunRules::default().add(&String::from_utf8_lossy(text)).is_ok()
}

/// Returns the side if a text is a puzzle joined with the layout of its regions, otherwise `None`.
pub(super) fn joined_side(text: &[u8]) -> Option<usize> {
    let (puzzle, layout) = text.split_at(text.len() / 2);
    let side = InputOptions::side_of_cells(puzzle.len())?;
    (text.len() == 2 * side * side && is_layout(layout, side)).then_some(side)
}

/// The sides of the grids of a head.
#[derive(Debug, Default)]
pub(super) struct Sides {
    /// The number of grids of each side, and of those with clues.
    votes: BTreeMap<usize, [u64; 2]>,
}

impl Sides {
    pub(super) fn add(&mut self, side: usize, has_clues: bool) {
        let [all, clued] = self.votes.entry(side).or_default();
        *all += 1;
        *clued += u64::from(has_clues);
    }

    /// Returns true if there are no grids.
    pub(super) fn are_none(&self) -> bool {
        self.votes.is_empty()
    }

    /// Returns true if these are `count` grids, all up to 9x9.
    pub(super) fn are_small(&self, count: u64) -> bool {
        self.sum(0) == count && self.votes.keys().all(|&side| side <= 9)
    }

    /// Returns the number of all grids (0), or of those with clues (1).
    fn sum(&self, of: usize) -> u64 {
        self.votes.values().map(|votes| votes[of]).sum()
    }

    /// Returns the side that more than half of the grids have, or `None` if there are no grids.
    ///
    /// Grids without clues may be rulers, so they do not count if at least half of the grids have clues.
    ///
    /// # Errors
    /// Returns the reason if no side has more than half, or if it depends on whether grids without clues count.
    pub(super) fn most(&self) -> Result<Option<usize>, String> {
        let leader = |of: usize| {
            self.votes.iter().find(|(_, votes)| 2 * votes[of] > self.sum(of)).map(|(&side, _)| side)
        };
        let (of_all, of_clued) = (leader(0), leader(1));
        let side = match self.sum(1) {
            0 => of_all,
            clued if 2 * clued < self.sum(0) && of_all != of_clued => None,
            _ => of_clued,
        };
        if side.is_none() && !self.votes.is_empty() { Err(self.several()) } else { Ok(side) }
    }

    /// Returns the reason for refusing grids of several sides.
    fn several(&self) -> String {
        let mut all: Vec<(usize, u64)> = self.votes.iter().map(|(&side, &[all, _])| (side, all)).collect();
        all.sort_unstable_by_key(|&(side, votes)| (std::cmp::Reverse(votes), side));
        let shown: Vec<String> = all.iter().map(|(side, votes)| format!("{side}x{side} ({votes})")).collect();
        format!(
            "its grids have several sides, and none is clearly the usual one: {} \
             (--side N reads NxN grids, --side any reads all)",
            shown.join(", ")
        )
    }
}

/// The words of a line between blanks.
type Words<'a> = Vec<&'a [u8]>;

/// Returns the words of each line that is neither empty nor a comment.
fn words_of_lines(head: &[u8]) -> impl Iterator<Item = Words<'_>> {
    lines(head, b'\n').filter(|(_, line)| !is_skipped(line, None)).map(|(_, line)| words(line).collect())
}

/// Returns the number of zeros and ones of a row, or `None` if it has other characters.
fn bits_of(row: &Words<'_>) -> Option<usize> {
    let bits = || row.iter().flat_map(|word| word.iter());
    bits().all(|byte| matches!(byte, b'0' | b'1')).then(|| bits().count())
}

/// Maximum number of lines that decide whether a head looks like an exact cover problem.
const LINES_OF_COVER: usize = 20;

/// Returns the format of the exact cover problem that a head looks like, or `None`.
///
/// Lines of numbers are sets unless they may be a grid, lines of words are options if the first line has all words.
pub(super) fn cover_look(head: &[u8]) -> Option<Format> {
    let mut rows: Vec<Words<'_>> = words_of_lines(head).take(LINES_OF_COVER).collect();
    if rows.len() > 2 && rows.len() < LINES_OF_COVER && !head.ends_with(b"\n") {
        // The last line may be incomplete.
        rows.pop();
    }
    let (first, others) = rows.split_first().filter(|(_, others)| !others.is_empty())?;
    let is_number = |word: &&[u8]| word.len() <= 6 && word.iter().all(u8::is_ascii_digit) && word[0] != b'0';
    let are_numbers = |row: &Words<'_>| row.iter().all(is_number);
    let has_head = first.len() == 2 && are_numbers(first) && bits_of(first).is_none();
    let bits = if has_head { others } else { &rows[..] };
    let columns = bits_of(&bits[0]);
    if columns.is_some() && bits.iter().all(|row| bits_of(row) == columns) {
        return Some(Format::Matrix);
    }
    if rows.iter().all(are_numbers) {
        // If most rows have as many numbers as the longest, at least four, they are more likely a grid.
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_grid = longest >= 4 && 2 * rows.iter().filter(|row| row.len() == longest).count() > rows.len();
        // Wide blanks between numbers that do not rise may be empty cells.
        let is_wide =
            |(_, line): (usize, &[u8])| trim(line).windows(2).any(|two| two.iter().copied().all(is_blank));
        let rises = |row: &Words<'_>| row.is_sorted_by_key(|word| (word.len(), *word));
        let is_grid = is_grid || !rows.iter().all(rises) && lines(head, b'\n').any(is_wide);
        return (longest > 1 && !is_grid).then_some(Format::Sets);
    }
    let is_item = |word: &&[u8]| {
        let name = word.split(|&byte| byte == b':').next().unwrap_or_default();
        word[0] == b'|' || first.contains(&name)
    };
    // Equal lines are other text.
    let is_cover = others.iter().any(|row| row.len() < first.len());
    (is_cover && others.iter().all(|row| row.iter().all(is_item))).then_some(Format::Dlx)
}

/// Returns true if a source is a 0/1 matrix after its numbers of rows and columns.
pub(super) fn is_sized_matrix(source: &[u8]) -> bool {
    let mut rows = words_of_lines(source);
    let number = |word: &&[u8]| usize::try_from(number_in(word)?).ok();
    let size: Option<Vec<usize>> = rows.next().and_then(|first| first.iter().map(number).collect());
    let Some(&[count, columns]) = size.as_deref() else { return false };
    let rows: Vec<Option<usize>> = rows.take(count + 1).map(|row| bits_of(&row)).collect();
    rows.len() == count && rows.iter().all(|&row| row == Some(columns))
}

#[cfg(test)]
mod tests {
    use super::super::examples::{DONE, EASY, LAYOUT};
    use super::*;

    #[test]
    fn grids_are_distinguished_from_text_of_the_same_length() {
        let shape = |text: &str| shape_of(text.as_bytes(), None);
        assert_eq!(shape(EASY), TextShape::Open(9));
        assert_eq!(shape(DONE), TextShape::Full(9));
        assert_eq!(shape(LAYOUT), TextShape::Layout(9));
        assert_eq!(shape("0000000000000012"), TextShape::Open(4));
        assert_eq!(shape(&".".repeat(36)), TextShape::Open(6));
        assert_eq!(shape(" "), TextShape::Empty);
        for other in [
            "550e1400-e24b-41d4-a216-446655440000",
            "----------------",
            "internationalize",
            "0000000000000019",
            "2026-11-25",
            &"_".repeat(81),
            &"*-".repeat(50),
        ] {
            assert_eq!(shape(other), TextShape::Other, "{other}");
        }
        assert_eq!(shape_of(&[b'-'; 81], Some(b'-')), TextShape::Open(9));
        assert_eq!(joined_side(format!("{EASY}{LAYOUT}").as_bytes()), Some(9));
        assert_eq!(joined_side(format!("{EASY}{DONE}").as_bytes()), None);
    }

    #[test]
    fn an_empty_text_is_no_layout() {
        assert!(!is_layout(b"", 0) && !has_layout(b"", [&b""[..]].into_iter()));
    }

    #[test]
    fn the_majority_decides_the_side() {
        let sides = |all: &[usize]| {
            let mut sides = Sides::default();
            all.iter().for_each(|&side| sides.add(side, true));
            sides.most()
        };
        assert_eq!(sides(&[]), Ok(None));
        assert_eq!(sides(&[4, 9, 9]), Ok(Some(9)));
        let mut with_rulers = Sides::default();
        [(9, false), (9, false), (4, true), (4, true)]
            .iter()
            .for_each(|&(side, has)| with_rulers.add(side, has));
        assert_eq!(with_rulers.most(), Ok(Some(4)));
        with_rulers.add(9, false);
        assert!(with_rulers.most().is_err());
        let tie = sides(&[4, 9]).unwrap_err();
        assert!(tie.contains("4x4 (1), 9x9 (1)"), "{tie}");
    }
}
