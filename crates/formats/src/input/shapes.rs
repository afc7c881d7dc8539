//! Classifies text by its shape: a puzzle, a complete grid, a layout of regions, or other text with the length of a
//! grid.
//!
//! All code that decides what a source holds uses this module, so that rulers, UUIDs and other keys are refused
//! everywhere. A ruler is a line that separates other lines, drawn with characters that may also be empty cells:
//! `-----` or `*****`. A key is a number or hash that identifies a record and may have the length of a grid.

use std::collections::BTreeMap;

use super::cells::BLANKS;
use super::characters::plain;
use super::lines::{is_blank, is_skipped, lines, trim, words};
use super::{Format, InputOptions};
use quadrille_model::rules::{RunRules, are_rules, begins_rules, killer};

/// Number of characters of a 9x9 grid with pencilmarks: nine characters per cell.
pub(super) const PENCILMARK_CELLS: usize = 729;

/// The shape of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextShape {
    /// Nothing but blanks.
    Empty,
    /// A grid with this side length that has empty cells, with or without digits.
    Open(usize),
    /// A grid with this side length that has no empty cell.
    Full(usize),
    /// A layout of regions for a grid with this side length.
    Layout(usize),
    /// Anything else.
    Other,
}

impl TextShape {
    /// Returns the side length of the grid, or `None` if the text is not a grid.
    pub(super) fn grid_side(self) -> Option<usize> {
        match self {
            TextShape::Open(side) | TextShape::Full(side) => Some(side),
            _ => None,
        }
    }
}

/// Returns the shape of a text. `blank` is the caller's character for an empty cell.
pub(super) fn shape_of(text: &[u8], blank: Option<u8>) -> TextShape {
    let plain = plain(trim(text), None).unwrap_or_default();
    let text = &*plain;
    if text.is_empty() {
        return TextShape::Empty;
    }
    let is_blank = |byte: u8| BLANKS.contains(&byte) || blank == Some(byte);
    let side = match InputOptions::side_of_cells(text.len()) {
        // A text of this length is a 27x27 grid only if the caller asks for side length 27.
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

/// Returns true if a text that consists only of empty cells is probably a ruler, such as `-----`.
///
/// This is so if the text has several different characters. It is also so if its only character is unusual
/// for empty cells, that is, neither a dot nor a zero, and `is_usual` returns false for the character.
pub(super) fn rules_off(text: &[u8], is_usual: impl Fn(u8) -> bool) -> bool {
    text.windows(2).any(|two| two[0] != two[1])
        || text.first().is_some_and(|&byte| !matches!(byte, b'.' | b'0') && !is_usual(byte))
}

/// Returns true if the cells of a text are probably the letters of words.
///
/// A text with a digit does not consist of words. A text with letters and without digits does in two cases:
/// - More than three quarters of the cells are letters.
/// - No letter occurs twice, and neither `e` nor `o` occurs (marks for even and odd cells).
pub(super) fn are_words(digits: usize, letters: impl Iterator<Item = u8>, cells: usize) -> bool {
    let mut counts = [0usize; 256];
    letters.for_each(|letter| counts[usize::from(letter)] += 1);
    let kinds = counts.iter().filter(|&&count| count > 0).count();
    let has_parities = counts[usize::from(b'e')] + counts[usize::from(b'o')] > 0;
    let says_nothing = !has_parities && counts.iter().all(|&count| count < 2);
    digits == 0 && kinds > 0 && (says_nothing || 4 * counts.iter().sum::<usize>() > 3 * cells)
}

/// Returns true if a letter that is used for empty cells may also be a digit.
///
/// This is so if all later letters of the alphabet together occur at least one sixteenth as often as this
/// letter.
pub(super) fn may_be_digit(letter: u8, text: &[u8]) -> bool {
    let last = if letter.is_ascii_uppercase() { b'Z' } else { b'z' };
    let count = |is: &dyn Fn(u8) -> bool| text.iter().filter(|&&byte| is(byte)).count();
    letter.is_ascii_alphabetic()
        && 16 * count(&|byte| (letter + 1..=last).contains(&byte)) >= count(&|byte| byte == letter)
}

/// Returns true if a text has some digit at least twice. `is_digit` says which bytes are digits.
pub(super) fn has_a_digit_twice(text: &[u8], is_digit: impl Fn(u8) -> bool) -> bool {
    let mut seen = [0u64; 4];
    text.iter().copied().filter(|&byte| is_digit(byte)).any(|digit| {
        let (word, bit) = (&mut seen[usize::from(digit / 64)], 1 << (digit % 64));
        let was_seen = *word & bit > 0;
        *word |= bit;
        was_seen
    })
}

/// Returns true if a puzzle has both zeros and other empty cells, but no 9. Then its zeros may be digits.
pub(super) fn has_two_blanks(puzzle: &[u8]) -> bool {
    // Most puzzles have a 9.
    if memchr::memchr(b'9', puzzle).is_some() {
        return false;
    }
    let puzzle = plain(puzzle, None).unwrap_or_default();
    let is_other = |byte: &u8| *byte != b'0' && BLANKS.contains(byte);
    puzzle.contains(&b'0') && puzzle.iter().any(is_other) && !puzzle.contains(&b'9')
}

/// Returns true if a text is a UUID. A UUID is as long as a 6x6 grid.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Returns true if a text is a layout of regions for a grid with side length `side`.
///
/// A layout has `side` different characters, and each occurs `side` times. A solution has this property, too.
/// Therefore at least one row must repeat a character, as no row of a solution does.
pub(super) fn is_layout(text: &[u8], side: usize) -> bool {
    // These checks refuse most texts early. In most solutions no row repeats a character. In most puzzles the
    // first character does not occur `side` times.
    side > 0
        && text.len() == side * side
        && text.chunks(side).any(|row| has_a_digit_twice(row, |_| true))
        && text.iter().all(|&byte| memchr::memchr_iter(byte, text).count() == side)
        && text.iter().all(u8::is_ascii_graphic)
}

/// Reason to refuse a record with a layout of regions, if the source seemed to have no layouts.
pub(super) const LATE_LAYOUT: &str = "a layout of regions follows the puzzle, but none follows the first puzzle of the \
                                      source (put layouts into a column `regions`)";

/// Returns true if a text is a list of rules for a grid, or begins like one.
pub(super) fn says_rules(text: &[u8]) -> bool {
    begins_rules(text) || are_rules(text) || RunRules::default().add(&String::from_utf8_lossy(text)).is_ok()
}

/// Returns the side length if a text is a puzzle directly followed by a layout of its regions, or `None`
/// otherwise.
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

    /// Returns true if no grids have been counted.
    pub(super) fn are_none(&self) -> bool {
        self.votes.is_empty()
    }

    /// Returns true if exactly `count` grids have been counted and no grid is larger than 9x9.
    pub(super) fn are_small(&self, count: u64) -> bool {
        self.sum(0) == count && self.votes.keys().all(|&side| side <= 9)
    }

    /// Returns the number of all grids (0), or of those with clues (1).
    fn sum(&self, of: usize) -> u64 {
        self.votes.values().map(|votes| votes[of]).sum()
    }

    /// Returns the side length that more than half of the grids have, or `None` if there are no grids.
    ///
    /// If some grids have clues, only those are counted, because a grid without clues may be a ruler.
    ///
    /// # Errors
    /// Returns the reason if no side length belongs to more than half of the counted grids. Also returns a
    /// reason if most grids have no clues and counting all grids would give another result.
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

    /// Returns the reason to refuse grids of several different side lengths.
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

/// The words of a line, which are separated by blanks.
type Words<'a> = Vec<&'a [u8]>;

/// Returns the words of each line that is neither empty nor a comment.
fn words_of_lines(head: &[u8]) -> impl Iterator<Item = Words<'_>> {
    lines(head, b'\n').filter(|(_, line)| !is_skipped(line, None)).map(|(_, line)| words(line).collect())
}

/// Returns the number of zeros and ones in a row, or `None` if the row has other characters.
fn bits_of(row: &Words<'_>) -> Option<usize> {
    let bits = || row.iter().flat_map(|word| word.iter());
    bits().all(|byte| matches!(byte, b'0' | b'1')).then(|| bits().count())
}

/// Maximum number of lines that are used to find out whether a text looks like an exact cover problem.
const LINES_OF_COVER: usize = 20;

/// Returns the exact cover format that a text looks like, or `None` if it does not look like exact cover.
///
/// Lines of numbers look like sets, unless they may be a grid. Lines of words look like options if all of
/// their words occur in the first line.
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
        // The lines are probably rows of a grid if more than half of them are as long as the longest line,
        // and that line has at least four numbers.
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_grid = longest >= 4 && 2 * rows.iter().filter(|row| row.len() == longest).count() > rows.len();
        // Several blanks in a row may mean an empty cell of a grid. In a list of sets the numbers of each
        // line usually increase.
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
        assert!(!is_layout(b"", 0));
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
