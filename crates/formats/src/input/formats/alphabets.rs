//! Detects the alphabet of grids larger than 9x9 in the first part of a source.

use super::super::cells::BLANKS;
use super::super::characters::plain;
use super::super::head::Head;
use super::super::lines::is_skipped;
use super::super::shapes::has_a_digit_twice;
use super::super::{InputOptions, Layout};
use super::drawn_cells::characters_of_row;
use super::rows::{Shown, Unit, cells_of};
use quadrille_model::{Alphabet, MAX_SIDE, Symbols};

/// Returns the words of a line that may be large grids, or rows of large grids.
///
/// A grid is large if it is larger than 9x9. Each word comes with the side length of its grid. If the caller
/// chose a character for empty cells, the words have dots instead of this character.
fn large_grids(line: &[u8], head: &Head<'_>, layout: &Layout) -> Vec<(usize, Vec<u8>)> {
    let (rows, blank) = (layout.format.is_in_rows(), head.options.blank);
    let plain = if line.is_ascii() { None } else { plain(line, head.options.wide_blank).ok() };
    let line = plain.as_deref().unwrap_or(line);
    // Returns the side length of the large grid that has `len` cells, or whose rows have `len` cells.
    let side_of = |len: usize| {
        let root = InputOptions::side_of_cells(len).filter(|&side| side > 9);
        root.or((rows && len > 9 && InputOptions::is_side(len)).then_some(len))
    };
    let is_large = |word: &[u8]| side_of(word.len()).is_some();
    // Any of these characters may separate puzzles from other text.
    let separates =
        |byte: &u8| blank != Some(*byte) && (byte.is_ascii_whitespace() || b",;\"|#\x1f".contains(byte));
    let mut all: Vec<Vec<u8>> = match layout.rows {
        Some(drawn) => characters_of_row(line, drawn).into_iter().collect(),
        None => line.split(separates).filter(|word| is_large(word)).map(<[u8]>::to_vec).collect(),
    };
    if rows && layout.rows.is_none() {
        // A row counts as one word even if its cells are separated by blanks and frames.
        let joined: Vec<u8> =
            cells_of(line, Unit::Character, Shown::NOTHING).map(|(at, _)| line[at]).collect();
        all.extend((joined.len() < line.len() && joined.len() <= MAX_SIDE).then_some(joined));
    }
    let is_cell = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte) || blank == Some(*byte);
    let shown = |byte: u8| if blank == Some(byte) { b'.' } else { byte };
    let sided = |word: Vec<u8>| {
        let side = side_of(word.len()).filter(|_| word.iter().all(is_cell))?;
        Some((side, word.into_iter().map(shown).collect()))
    };
    all.into_iter().filter_map(sided).collect()
}

/// Returns the alphabet of the grids larger than 9x9 in the first part of a source, or `None` if it is
/// ambiguous.
///
/// A word is considered if it has the length of such a grid or of a row of such a grid. No single line
/// decides, because any line may be damaged.
pub(in super::super) fn symbols_of(head: &Head<'_>, layout: &Layout) -> Option<Symbols> {
    // Returns the set of characters in a word, one bit per ASCII code.
    let characters = |word: &[u8], side| {
        let set = word.iter().fold(0u128, |set, &byte| set | 1 << (byte & 127));
        if has_zero(word, side) { set } else { set & !(1 << b'0') }
    };
    let has_rows = layout.format.is_in_rows() && layout.rows.is_none();
    let known = if has_rows { Shown::by_head(head) } else { Shown::NOTHING };
    // The header line is left out. In formats with grids in rows, comment lines are left out as well.
    let may_hold_puzzles = |&(number, line): &(u64, &[u8])| {
        layout.header_line != Some(number)
            && !(layout.format.is_in_rows() && is_skipped(line, head.options.blank))
    };
    let words = (1..).zip(head.lines()).filter(may_hold_puzzles).flat_map(|(line, text)| {
        let words = large_grids(text, head, layout).into_iter();
        let words = words.filter(|(side, word)| may_be_cells(word, *side) && known.allows(word));
        words.map(move |(side, word)| (line, side, word.len(), characters(&word, side)))
    });
    let words: Vec<(u64, usize, usize, u128)> = words.collect();
    // The most frequent side length is assumed to be that of all grids.
    let mut times = [0; MAX_SIDE + 1];
    words.iter().for_each(|&(_, side, ..)| times[side] += 1);
    let sides = words.iter().map(|&(_, side, ..)| side);
    let side = sides.reduce(|one, other| if times[other] > times[one] { other } else { one })?;
    let words: Vec<_> = words.into_iter().filter(|&(_, of, ..)| of == side).collect();
    let lines = words.chunk_by(|one, other| one.0 == other.0);
    let rows: usize = lines.clone().map(|words| words[0].2 / side).sum();
    let lines: Vec<u128> = lines.map(|words| words.iter().fold(0, |set, (.., these)| set | these)).collect();
    // Letter of the largest digit in the alphabet that has 1-9 followed by letters.
    let last = b'A' - 1 + (side - 9).min(26) as u8;
    // If there are at least three lines, some may be stray, that is, not part of a grid. So characters that
    // occur in only a few lines are ignored.
    let at_least = if lines.len() > 2 { (lines.len() / 16).max(2) } else { 1 };
    let have = |is_such: &dyn Fn(u8) -> bool| {
        let these = (0..128).filter(|&byte| is_such(byte)).fold(0u128, |set, byte| set | 1 << byte);
        lines.iter().filter(|&&set| set & these != 0).count()
    };
    let enough_have = |is_such: &dyn Fn(u8) -> bool| have(is_such) >= at_least;
    let digits = enough_have(&|byte| (b'1'..=b'9').contains(&byte));
    let beyond = enough_have(&|byte| byte.is_ascii_alphabetic() && byte.to_ascii_uppercase() > last);
    let to_the_last = enough_have(&|byte| byte.to_ascii_uppercase() == last);
    let other_blanks = enough_have(&|byte| byte != b'0' && BLANKS.contains(&byte));
    // In one or two grids, the digit zero may occur only once. In more grids, a zero that is really a digit
    // occurs in several lines.
    let any_zero = have(&|byte| byte == b'0') >= if rows > 2 * side { at_least } else { 1 };
    let alphabet = match (digits, beyond) {
        (false, true) => Alphabet::Letters,
        (true, false) if to_the_last => Alphabet::FromOne,
        (true, false) if any_zero && other_blanks => Alphabet::FromZero,
        _ => return None,
    };
    let lower = enough_have(&|byte| byte.is_ascii_lowercase());
    Some(Symbols { alphabet, lower_case: lower && !enough_have(&|byte| byte.is_ascii_uppercase()) })
}

/// Returns true if a word may be the cells of a grid.
///
/// At least half of the rows must not repeat a digit. Any other word is probably a key or a ruler.
fn may_be_cells(word: &[u8], side: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() && byte != b'0';
    let may_be_row = |row: &&[u8]| !has_a_digit_twice(&row.to_ascii_uppercase(), is_digit);
    2 * word.chunks(side).filter(may_be_row).count() >= word.len() / side
}

/// Returns true if zero is probably a digit in this word.
///
/// This is so if a row has exactly one zero and also characters other than decimal digits.
fn has_zero(word: &[u8], side: usize) -> bool {
    let is_once = |row: &[u8]| row.iter().filter(|&&byte| byte == b'0').count() == 1;
    word.chunks(side).any(|row| is_once(row) && !row.iter().all(u8::is_ascii_digit))
}
