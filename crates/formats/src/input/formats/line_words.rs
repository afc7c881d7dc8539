//! Splits a line into words that may be cells, and finds what follows the puzzle.

use super::super::InputOptions;
use super::super::cells::BLANKS;
use super::super::characters::{blank_len, joined_rows};
use super::super::lines::{is_blank, trim};
use super::super::shapes::{TextShape, is_layout, shape_of};
use quadrille_model::MAX_SIDE;

/// Returns the ranges of the words on a line, beginning at offset `from`.
///
/// A word consists of adjacent cells, or of the [joined](joined_rows) rows of a grid. A full stop that ends a
/// sentence is not part of the last word.
pub(super) fn words(line: &[u8], from: usize, blank: Option<u8>) -> impl Iterator<Item = (usize, usize)> {
    let is_cell = move |at: usize| match line[at] {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'.' | b'*' | b'_' | b'-' | b'?' => true,
        // A control character is probably a damaged cell of a puzzle, so it is part of the word.
        byte if byte.is_ascii() => blank == Some(byte) || byte.is_ascii_control() && !is_blank(byte),
        _ => blank_len(&line[at..]) == 0,
    };
    let (mut at, mut whole, mut words_of_letters) = (from, from, 0);
    std::iter::from_fn(move || {
        let start = (at..line.len()).find(|&at| is_cell(at))?;
        let is_first = start >= whole;
        if is_first {
            whole = start + word_len(&line[start..], blank);
        }
        let end = (start..line.len()).find(|&at| !is_cell(at)).unwrap_or(line.len());
        // The rows in a word may be joined by a character that could also be a cell.
        let row = (end - start).min(MAX_SIDE + 1);
        let is_joined = |&end: &usize| {
            line.get(end).is_none_or(|_| !is_cell(end))
                && line.get(start..end).is_some_and(|text| joined_rows(text).is_some())
        };
        let ends = [if is_first { whole } else { start }, start + row * (row + 1) - 1];
        at = ends.into_iter().find(is_joined).unwrap_or(end);
        let word = &line[start..at];
        let is_last = words_of_letters > 1 && word.ends_with(b".");
        words_of_letters += usize::from(word.len() > 1 && word.iter().all(u8::is_ascii_alphabetic));
        let is_sentence = is_last && InputOptions::side_of_cells(word.len() - 1).is_some();
        Some((start, at - usize::from(is_sentence)))
    })
}

/// Returns the length of the first word of a text. The word ends before any character that may separate it
/// from later text.
pub(super) fn word_len(text: &[u8], blank: Option<u8>) -> usize {
    let is_end = |byte: u8| separates(byte) && blank != Some(byte);
    let len = text.iter().position(|&byte| is_end(byte)).unwrap_or(text.len());
    match text[..len].is_ascii() {
        true => len,
        false => (0..len).find(|&at| blank_len(&text[at..]) > 1).unwrap_or(len),
    }
}

/// Splits the text after a puzzle into a solution and the rest.
///
/// The first word is the solution if it is as long as a finished grid with this side length. Otherwise the
/// solution is empty.
pub(super) fn solution_in(rest: &[u8], side: usize) -> (&[u8], &[u8]) {
    let rest = trim(rest.strip_prefix(b":").unwrap_or(rest));
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_solution = len == side * side && rest.get(len).is_none_or(|&byte| separates(byte));
    if is_solution { (&rest[..len], rest_of(rest, len)) } else { (&rest[..0], rest) }
}

/// Returns the layout of regions at the start of the text after a puzzle with this side length, or `None` if
/// there is no layout.
pub(super) fn layout_in(rest: &[u8], side: usize) -> Option<&[u8]> {
    let word = rest.get(..side * side).filter(|word| !word.is_empty())?;
    (rest.get(side * side).is_none_or(|&byte| is_blank(byte)) && is_layout(word, side)).then_some(word)
}

/// Returns true if a text contains a grid with this side length and empty cells.
pub(super) fn has_puzzle(text: &[u8], side: usize, blank: Option<u8>) -> bool {
    // The text is often a long solution. This loop does not stop early, so the compiler can compare many
    // bytes at once.
    let is_other = |byte: u8| {
        (byte.wrapping_sub(b'1') >= 9) & (byte != b' ') & (byte != b'\t') & (byte != b',') & (byte != b';')
    };
    let has_other = text.iter().fold(0, |found, &byte| found | u8::from(is_other(byte))) > 0;
    let is_open = |word: &[u8]| {
        word.iter().any(|byte| BLANKS.contains(byte) || blank == Some(*byte) || !byte.is_ascii())
    };
    let mut words = words(text, 0, blank).filter(|(start, end)| end - start >= side * side);
    (has_other || blank.is_some())
        && words.any(|(start, end)| {
            is_open(&text[start..end]) && shape_of(&text[start..end], blank) == TextShape::Open(side)
        })
}

/// Returns true if a byte may separate the puzzle from the text after it.
#[inline]
pub(super) fn separates(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | b';' | b'|' | b'#' | b':')
}

/// Returns true for the quotes that enclose puzzles. Also returns true for `=`, which may come before a
/// quote.
pub(super) fn encloses(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'=')
}

/// Returns the text after the puzzle, without the separators at its ends.
pub(super) fn rest_of(line: &[u8], puzzle_end: usize) -> &[u8] {
    let rest = &line[puzzle_end..];
    let mut rest = trim(rest.strip_prefix(b"'").or(rest.strip_prefix(b"\"")).unwrap_or(rest));
    while blank_len(rest) > 0 {
        rest = trim(&rest[blank_len(rest)..]);
    }
    if let [b',' | b';' | b'|', tail @ ..] = rest {
        rest = trim(tail);
    }
    while let [b'#', tail @ ..] = rest {
        rest = tail;
    }
    trim(rest)
}
