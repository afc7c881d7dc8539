//! The words of a line that has a puzzle: which of them may be cells, and what follows the puzzle.

use super::super::InputOptions;
use super::super::cells::BLANKS;
use super::super::characters::{blank_len, joined_rows};
use super::super::lines::{is_blank, trim};
use super::super::shapes::{TextShape, is_layout, shape_of};
use quadrille_model::MAX_SIDE;

/// Returns the ranges of the words of a line after an offset: cells without anything between them, or rows of a grid that
/// are [joined](joined_rows). The full stop after a sentence is not part of its last word.
pub(super) fn words(line: &[u8], from: usize, blank: Option<u8>) -> impl Iterator<Item = (usize, usize)> {
    let is_cell = move |at: usize| match line[at] {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'.' | b'*' | b'_' | b'-' | b'?' => true,
        // A control character in a puzzle is damage.
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
        // Rows may be joined by a character that could be a cell, or by one that could not.
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

/// Returns the length of the word that a text begins with, up to anything that may follow a puzzle.
pub(super) fn word_len(text: &[u8], blank: Option<u8>) -> usize {
    let is_end = |byte: u8| separates(byte) && blank != Some(byte);
    let len = text.iter().position(|&byte| is_end(byte)).unwrap_or(text.len());
    match text[..len].is_ascii() {
        true => len,
        false => (0..len).find(|&at| blank_len(&text[at..]) > 1).unwrap_or(len),
    }
}

/// Splits the text after a puzzle of this side into a word of the length of a finished grid, if it begins with one, and
/// the rest.
pub(super) fn solution_in(rest: &[u8], side: usize) -> (&[u8], &[u8]) {
    let rest = trim(rest.strip_prefix(b":").unwrap_or(rest));
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_solution = len == side * side && rest.get(len).is_none_or(|&byte| separates(byte));
    if is_solution { (&rest[..len], rest_of(rest, len)) } else { (&rest[..0], rest) }
}

/// Returns the layout of regions that the text after a puzzle of this side begins with, or `None`.
pub(super) fn layout_in(rest: &[u8], side: usize) -> Option<&[u8]> {
    let word = rest.get(..side * side).filter(|word| !word.is_empty())?;
    (rest.get(side * side).is_none_or(|&byte| is_blank(byte)) && is_layout(word, side)).then_some(word)
}

/// Returns true if a text holds an open grid of this side.
pub(super) fn has_puzzle(text: &[u8], side: usize, blank: Option<u8>) -> bool {
    // The text is often a long solution. Without an early end, many of its bytes are compared at a time.
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

/// Returns true for quotes around puzzles, and for what may be before a quote.
pub(super) fn encloses(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'=')
}

/// Returns the text after the puzzle without separators.
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
