//! Converts the characters of a grid to their usual ASCII forms.
//!
//! Replaces middle dots, full-width digits and unusual blanks, and removes invisible marks. If list items or
//! words are the cells or rows of a grid, joins them.

use std::borrow::Cow;

use super::InputOptions;
use super::cells::{EMPTY, characters, decoded, has_clues, write_numbers};
use super::lines::trim;
use quadrille_model::MAX_SIDE;

/// The meaning of a character that is not ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A cell. Holds the ASCII character that usually stands for it.
    Cell(u8),
    /// A blank.
    Blank,
    /// A character without width, which is ignored.
    Nothing,
    /// A part of a frame.
    Frame,
    /// Any other character, which stays as it is.
    Other,
}

/// Non-ASCII characters that are used for empty cells.
const EMPTY_CELLS: &str = "·•∙⋅․‧・･。．○◦◯□▢▫◻☐⬜";

/// Returns the meaning that a non-ASCII character has in a grid.
pub(super) fn meaning_of(character: char) -> Meaning {
    match character {
        '\0'..='\x7f' => Meaning::Other,
        '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => Meaning::Cell((u32::from(character) - 0xfee0) as u8),
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Meaning::Blank
        }
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{fe0f}'
        | '\u{feff}' => Meaning::Nothing,
        '\u{2500}'..='\u{257f}' => Meaning::Frame,
        '‐'..='―' | '−' | '－' => Meaning::Cell(b'-'),
        '＿' => Meaning::Cell(b'_'),
        '＊' => Meaning::Cell(b'*'),
        '？' => Meaning::Cell(b'?'),
        _ if EMPTY_CELLS.contains(character) => Meaning::Cell(b'.'),
        _ => Meaning::Other,
    }
}

/// Returns the first character of `bytes` if it is not ASCII, and its length in bytes.
///
/// Returns `None` if the character is ASCII or not valid UTF-8.
#[inline]
pub(super) fn first_wide(bytes: &[u8]) -> Option<(char, usize)> {
    if bytes.first().is_none_or(u8::is_ascii) { None } else { decoded(bytes) }
}

/// Returns true if a line contains a non-ASCII character that is used to draw the frame of a grid.
pub(super) fn has_frame(line: &[u8]) -> bool {
    let is_frame = |text: &str| text.chars().any(|letter| meaning_of(letter) == Meaning::Frame);
    !line.is_ascii() && std::str::from_utf8(line).is_ok_and(is_frame)
}

/// Returns the length in bytes of the blank at the start of `bytes`, or 0 if `bytes` starts with something
/// else.
pub(super) fn blank_len(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(&byte) if super::lines::is_blank(byte) => 1,
        Some(byte) if byte.is_ascii() => 0,
        _ => first_wide(bytes)
            .filter(|&(wide, _)| meaning_of(wide) == Meaning::Blank)
            .map_or(0, |(_, len)| len),
    }
}

/// Returns the characters of a grid as ASCII.
///
/// Other forms of digits and empty cells become the usual forms, and invisible marks are removed. The items
/// of a list are joined, and so are words that are the cells or rows of a grid. All other characters stay.
///
/// # Errors
/// Returns the reason if a list is not a grid.
pub(super) fn plain<'t>(text: &'t [u8], blank: Option<char>) -> Result<Cow<'t, [u8]>, String> {
    let text = match text {
        [b'[' | b'{' | b'(', .., b']' | b'}' | b')'] => Cow::Owned(items_of(text)?),
        _ => Cow::Borrowed(text),
    };
    let text = if text.is_ascii() { text } else { Cow::Owned(in_ascii(&text, blank)) };
    Ok(match InputOptions::side_of_cells(text.len()) {
        Some(_) => text,
        None => joined_words(&text).map_or(text, Cow::Owned),
    })
}

/// Replaces non-ASCII forms of digits, empty cells and blanks with ASCII, and removes invisible marks.
fn in_ascii(text: &[u8], blank: Option<char>) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match meaning_of(character) {
                _ if blank == Some(character) => plain.push(b'.'),
                Meaning::Cell(byte) => plain.push(byte),
                Meaning::Blank => plain.push(b' '),
                Meaning::Nothing => {}
                Meaning::Frame | Meaning::Other => {
                    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        plain.extend_from_slice(chunk.invalid());
    }
    plain
}

/// Minimum side length of a grid whose cells or rows may be written as words.
///
/// A shorter text, such as four words of four digits, may be a key (an id or a date) instead.
const SMALLEST_JOINED: usize = 6;

/// Returns the characters of a text whose words are the cells or rows of a grid, or `None` for other texts.
///
/// Returns `None` for a text without clues, because such a text may be a ruler (a line of column numbers).
fn joined_words(text: &[u8]) -> Option<Vec<u8>> {
    let is_grid = |cells: &Vec<u8>| cells.len() >= SMALLEST_JOINED * SMALLEST_JOINED && has_clues(cells);
    if let Some(cells) = joined_rows(text) {
        return Some(cells).filter(is_grid);
    }
    let is_between = |byte: &u8| b" \t\r\n,;/|".contains(byte);
    let words = text.split(is_between).filter(|word| !word.is_empty());
    // Most texts are a single word. This check avoids allocating memory for them.
    words.clone().nth(SMALLEST_JOINED - 1)?;
    // A line of several megabytes may have millions of words. A grid has far fewer words, so the collection
    // stops at that number.
    let words: Vec<&[u8]> = words.take(MAX_SIDE * MAX_SIDE + 1).collect();
    if words.len() > MAX_SIDE * MAX_SIDE {
        return None;
    }
    characters_of(&words).ok().filter(is_grid)
}

/// Returns the cells of a grid whose rows are written one after another with a separator between the rows.
///
/// The separator is always the same character and may be a dot. The length of a text with separators is never
/// a square, so it cannot be confused with a grid without separators. Returns `None` for other texts.
pub(super) fn joined_rows(text: &[u8]) -> Option<Vec<u8>> {
    let side = text.len().isqrt();
    if text.len() + 1 != side * (side + 1) || side < SMALLEST_JOINED || text[side].is_ascii_alphanumeric() {
        return None;
    }
    let mut rows = text.chunks(side + 1);
    // The separator must occur between rows and nowhere else. If the character also occurs inside a row, it
    // may mean an empty cell, and its positions between the rows may be chance.
    let are_joined = rows.all(|row| row.get(side).is_none_or(|&between| between == text[side]))
        && memchr::memchr_iter(text[side], text).count() == side - 1;
    are_joined.then(|| text.chunks(side + 1).flat_map(|row| &row[..side]).copied().collect())
}

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// An opening bracket of any kind, or the quote before a text of several words.
    Open,
    Close,
    /// A word or a quoted text. Empty quotes mean an empty cell and become a dot.
    Item(&'t [u8]),
}

/// Returns the brackets and the items of a list, each with its byte offset.
///
/// Quotes must close on the line on which they open. Quotes around several words work like brackets around a
/// list.
pub(super) fn list_parts(text: &[u8]) -> impl Iterator<Item = (usize, Part<'_>)> {
    let is_between = |byte: u8| byte.is_ascii_whitespace() || b"|,;:=".contains(&byte);
    let is_bracket = |byte: u8| b"[](){}".contains(&byte);
    let is_end = move |byte: u8| is_between(byte) || is_bracket(byte) || matches!(byte, b'\'' | b'"');
    let (mut at, mut closing) = (0, None);
    std::iter::from_fn(move || {
        loop {
            at += text[at..].iter().position(|&byte| !is_between(byte))?;
            let start = at;
            at += 1;
            match text[start] {
                b'[' | b'(' | b'{' => return Some((start, Part::Open)),
                b']' | b')' | b'}' => return Some((start, Part::Close)),
                _ if closing == Some(start) => return Some((start, Part::Close)),
                quote @ (b'\'' | b'"') => {
                    let is_last = |&byte: &u8| byte == quote || matches!(byte, b'\n' | b'\r');
                    let Some(len) = text[at..].iter().position(is_last) else { continue };
                    let inner = trim(&text[at..at + len]);
                    match text[at + len] {
                        end if end != quote => {}
                        _ if inner.iter().any(|&byte| is_end(byte)) => {
                            closing = Some(at + len);
                            return Some((start, Part::Open));
                        }
                        _ => {
                            at += len + 1;
                            let inner = if inner.is_empty() { b"." } else { inner };
                            return Some((start + 1, Part::Item(inner)));
                        }
                    }
                }
                _ => {
                    at = start
                        + text[start..].iter().position(|&byte| is_end(byte)).unwrap_or(text.len() - start);
                    return Some((start, Part::Item(&text[start..at])));
                }
            }
        }
    })
}

/// Returns the characters of a list that has one item per cell or one item per row.
///
/// # Errors
/// Returns the reason if the items do not form a grid.
pub(super) fn items_of(text: &[u8]) -> Result<Vec<u8>, String> {
    // `ends` holds the number of words before the end of each inner list.
    let (mut words, mut ends) = (Vec::new(), vec![0]);
    for (_, part) in list_parts(text) {
        match part {
            Part::Item(word) => words.push(word),
            Part::Close if ends.last() != Some(&words.len()) => ends.push(words.len()),
            _ => {}
        }
    }
    if ends.last() != Some(&words.len()) {
        ends.push(words.len());
    }
    let cells = characters_of(&words)?;
    let mut rows = ends.windows(2).map(|two| two[1] - two[0]);
    match rows.next().and_then(|first| Some((first, rows.find(|&count| count != first)?))) {
        Some((first, other)) => Err(format!("a list of rows with {first} and {other} items")),
        None => Ok(cells),
    }
}

/// Returns true if an item of a list, or a field of a spreadsheet, means an empty cell.
pub(super) fn is_empty_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"null" | b"-1" | b"None" | b"nan" | b"NaN" | b"." | b"_" | b"-" | b"x" | b"X" | b"?" | b"*"
    )
}

/// Returns a word as a whole number, or `None` if the word is not a whole number.
///
/// The word may be written as a decimal: `7`, `7.` or `7.0`.
pub(super) fn whole_number(word: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(word).ok()?;
    text.strip_suffix(".0").or(text.strip_suffix('.')).unwrap_or(text).parse().ok()
}

/// Returns a cell of a list or spreadsheet as a number.
///
/// Returns [`EMPTY`] for an empty cell, or `None` if the word is not a cell.
pub(super) fn number_of(word: &[u8]) -> Option<i128> {
    if is_empty_word(word) { Some(EMPTY) } else { whole_number(word) }
}

/// Returns the cells of a list, a spreadsheet or a row of integers as numbers. An empty cell becomes 0.
///
/// Returns `None` if some word is not a cell.
pub(super) fn digits_of<'w>(words: impl Iterator<Item = &'w [u8]>) -> Option<Vec<u8>> {
    words
        .map(|word| {
            number_of(word).and_then(|number| if number == EMPTY { Some(0) } else { number.try_into().ok() })
        })
        .collect()
}

/// Joins words that are the cells or the rows of a grid, and returns the characters of the grid.
///
/// # Errors
/// Returns the reason if the words do not form a grid.
pub(super) fn characters_of(words: &[&[u8]]) -> Result<Vec<u8>, String> {
    if words.len() > 3 && words.iter().all(|word| characters(word) == words.len()) || words.len() == 1 {
        return Ok(words.concat());
    }
    let mut cells = Vec::with_capacity(words.len());
    match words.iter().map(|word| number_of(word)).collect::<Option<Vec<_>>>() {
        Some(numbers) => write_numbers(&numbers, &mut cells)?,
        None if words.iter().all(|word| characters(word) == 1) => cells = words.concat(),
        None => {
            let other = words.iter().find(|word| number_of(word).is_none()).copied().unwrap_or_default();
            let shown = String::from_utf8_lossy(&other[..other.len().min(20)]).into_owned();
            return Err(format!("'{shown}' in a list is neither a number nor an empty cell"));
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_of_characters_become_the_usual_ones() {
        let shown =
            |text: &str| String::from_utf8(plain(text.as_bytes(), Some('ä')).unwrap().into_owned()).unwrap();
        assert_eq!(shown("·５\u{200b}３—\u{feff}□ä"), ".53-..");
        assert_eq!(shown("5\u{a0}ö"), "5 ö");
        assert_eq!(blank_len("\u{3000}x".as_bytes()), 3);
        assert_eq!(plain(b"5\xff", None).unwrap(), &b"5\xff"[..]);
    }

    #[test]
    fn rows_may_be_joined_by_any_character() {
        let rows =
            ["020100000", "030008095", "009000201", "301000006", "000080000", "000415900", "040603050"];
        let rows = [&rows[..], &["000040060", "000009008"]].concat();
        for between in [".", ",", ";", "/", "|", " ", "\n", "!", ", ", " / "] {
            let text = rows.join(between);
            assert_eq!(plain(text.as_bytes(), None).unwrap(), rows.concat().as_bytes(), "{between:?}");
        }
        // Damaged rows are not joined.
        let damaged = rows.join(".").replacen("0.03", "00.3", 1);
        assert_eq!(plain(damaged.as_bytes(), None).unwrap(), damaged.as_bytes());
        assert_eq!(joined_rows("2".repeat(89).as_bytes()), None);
    }

    #[test]
    fn items_of_lists_are_cells_or_rows() {
        let cells = |text: &str| items_of(text.as_bytes()).map(|cells| String::from_utf8(cells).unwrap());
        let wanted = Ok("1...............".to_owned());
        assert_eq!(
            cells("[[1, 0,0,0],[0,0,0,null],[0 0 0 0],[0. 0. None 0]]".replace(". ", ".0 ").as_str()),
            Ok("1000000.000000.0".to_owned())
        );
        assert_eq!(cells("[['1','','.',' '],['.','.','.','.'],['.','.','.','.'],['.','.','.','.']]"), wanted);
        assert_eq!(cells("['1...','....','....','....']"), wanted);
        // The number 0 must not become the character of an empty cell, because 0 may be a digit.
        assert_eq!(
            cells("[[1, 0,-1,null],[-1,-1,-1,-1],[-1,-1,-1,-1],[-1,-1,-1,3]]"),
            Ok("10.............3".to_owned())
        );
        assert!(cells("[1,2,3]").unwrap_err().starts_with("3 numbers"));
        assert!(cells("['ab', 7]").unwrap_err().starts_with("'ab' in a list"));
    }
}
