//! Recognises sources in no known format, or in another format than the one assumed, for messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::characters::{Meaning, meaning_of};
use super::lines::{is_blank, lines, trim};
use super::shapes::{Words, bits_of, may_be_digit, words_of_lines};
use super::sniff::{HEAD_BYTES, layout};
use super::trial::tried;
use super::{ColumnRef, Format, InputOptions};

/// Returns a description of a source by its head, with advice on reading it.
///
/// The advice names an option only if nine tenths of the records of the head can be read with it. Returns `None` if the
/// source resembles nothing known.
pub fn format_hint(head: &[u8], options: &InputOptions) -> Option<String> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let begins = |start: &str| head.trim_ascii_start().starts_with(start.as_bytes());
    let reads = |format| is_read_as(head, InputOptions { format: Some(format), ..options.clone() });
    let with_column = |column| InputOptions {
        format: Some(Format::Csv),
        column: Some(ColumnRef::Number(column)),
        ..options.clone()
    };
    let table = || {
        let mut read = (1..=COLUMNS).filter(|&column| is_read_as(head, with_column(column)));
        match (read.next(), read.next()) {
            (Some(_), Some(_)) => {
                Some("several columns of grids: --from csv with --column reads one of them".to_owned())
            }
            (first, _) => first.map(|column| format!("columns: --from csv --column {column}")),
        }
    };
    let named = match head {
        _ if head.starts_with(&[0x1f, 0x8b]) => "gzip within gzip: zcat FILE | quadrille ...",
        _ if head.starts_with(b"SQLite format 3") => "an SQLite database: export its table as CSV",
        _ if (begins("{") || begins("[")) && reads(Format::Jsonl) => "JSON: --from jsonl",
        _ if begins("<") => "a web page or a drawing (HTML, XML, SVG): save its puzzles as text",
        _ if head.contains(&0) => "binary data: save its puzzles as text or CSV",
        _ => {
            let cover =
                cover_looks(head).filter(|&(format, _)| reads(format)).map(|(_, text)| text.to_owned());
            let blank = || blank_hint(head, options);
            let grids = || GRIDS.iter().find(|&&(format, _)| reads(format)).map(|&(_, text)| text.to_owned());
            return cover.or_else(blank).or_else(grids).or_else(table);
        }
    };
    Some(named.to_owned())
}

/// Number of columns that are tried.
const COLUMNS: usize = 16;

/// Formats of grids that may be tried, each with a description of its look.
const GRIDS: &[(Format, &str)] = &[
    (Format::Candidates, "candidate grids: --from candidates"),
    (Format::List, "lists: --from list"),
    (Format::Sheet, "a spreadsheet: --from sheet"),
    (Format::Drawing, "drawn grids: --from drawing"),
    (Format::Integers, "grids of integers: --from integers"),
    (Format::Grid, "rows of grids: --from grid"),
    (Format::Csv, "columns: --from csv"),
    (Format::Line, "a puzzle per line: --from line"),
];

/// Returns advice if the most frequent character of a head that may be an empty cell, but is not read as one, is frequent
/// enough, and the head can be read with it.
fn blank_hint(head: &[u8], options: &InputOptions) -> Option<String> {
    let may_be_blank = |letter: &char| match letter {
        'A'..='Z' | 'a'..='z' => true,
        letter if letter.is_ascii() => "#+~@^%:/=!".contains(*letter),
        '\u{fffd}' => false,
        letter => meaning_of(*letter) == Meaning::Other,
    };
    let text = String::from_utf8_lossy(head);
    let mut counts = BTreeMap::new();
    text.chars().filter(may_be_blank).for_each(|letter| *counts.entry(letter).or_insert(0) += 1);
    let (blank, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
    let byte = u8::try_from(blank).ok().filter(u8::is_ascii);
    let wide_blank = Some(blank).filter(|_| byte.is_none());
    let named = InputOptions { blank: byte, wide_blank, ..options.clone() };
    let may_be_blank = 8 * count >= text.chars().count()
        && options.blank.is_none()
        && options.wide_blank.is_none()
        && !byte.is_some_and(|byte| may_be_digit(byte, head));
    (may_be_blank && is_read_as(head, named))
        .then(|| format!("grids with another empty cell: --blank '{blank}'"))
}

/// Returns true if nine tenths of the records of a head can be read with these options, and at most half of its lines are
/// not parts of records.
///
/// Rows of two grids next to each other are as long as rows of one large grid, but have no digits above half its side.
fn is_read_as(head: &[u8], options: InputOptions) -> bool {
    let whole = head.len() < HEAD_BYTES;
    let Ok(Some(layout)) = layout(head, true, whole, &options) else { return false };
    let tried = tried(head, whole, u64::MAX, &Arc::new(layout), &options);
    let lines = lines(head, b'\n').filter(|(_, line)| !trim(line).is_empty()).count() as u64;
    let half = tried.sides.most().ok().flatten().unwrap_or(0) / 2;
    let is_larger = |word: &[u8]| match word {
        [digit] => char::from(*digit).to_digit(36).is_some_and(|digit| digit as usize > half),
        digits => digits.len() < 3 && digits.first().is_some_and(u8::is_ascii_digit),
    };
    let has_large_digits = match options.format {
        Some(Format::Grid) => head.chunks(1).filter(|byte| !byte[0].is_ascii_lowercase()).any(is_larger),
        Some(Format::Integers) => head.split(|byte| !byte.is_ascii_digit()).any(is_larger),
        _ => true,
    };
    tried.records > 0
        && 10 * tried.readable >= 9 * tried.records
        && 2 * tried.others.text() <= lines
        && has_large_digits
}

/// Returns advice if the head looks like exact cover in a format that must be named.
fn cover_looks(head: &[u8]) -> Option<(Format, &'static str)> {
    let mut rows: Vec<Words<'_>> = words_of_lines(head).take(LINES).collect();
    if rows.len() > 2 && rows.len() < LINES && !head.ends_with(b"\n") {
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
        return Some((Format::Matrix, "a 0/1 matrix: --from matrix"));
    }
    if rows.iter().all(are_numbers) {
        // Rows of equal length, at least four numbers each, are more likely a grid.
        let is_grid = first.len() >= 4 && others.iter().all(|row| row.len() == first.len());
        // Wide blanks between numbers that do not rise may be empty cells.
        let is_wide =
            |(_, line): (usize, &[u8])| trim(line).windows(2).any(|two| two.iter().copied().all(is_blank));
        let rises = |row: &Words<'_>| row.is_sorted_by_key(|word| (word.len(), *word));
        let is_grid = is_grid || !rows.iter().all(rises) && lines(head, b'\n').any(is_wide);
        let are_sets = !is_grid && rows.iter().any(|row| row.len() > 1);
        return are_sets.then_some((Format::Sets, "sets of numbers: --from sets"));
    }
    let is_item = |word: &&[u8]| {
        let name = word.split(|&byte| byte == b':').next().unwrap_or_default();
        word[0] == b'|' || first.contains(&name)
    };
    let is_cover = first.len() > 1 && others.iter().all(|row| row.iter().all(is_item));
    is_cover.then_some((Format::Dlx, "an exact cover problem in Knuth's text format: --from dlx"))
}

/// Maximum number of lines read.
const LINES: usize = 20;
