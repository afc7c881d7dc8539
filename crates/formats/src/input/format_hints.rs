//! Finds advice for a source that cannot be read. To do so, it tries other formats and options on the source.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::characters::{Meaning, meaning_of};
use super::shapes::{cover_look, may_be_digit};
use super::sniff::{HEAD_BYTES, formats_to_try, layout};
use super::trial::{Account, account};
use super::{ColumnRef, Format, InputOptions, formats};
use quadrille_model::Alphabet;

/// Describes a source from its first bytes, and gives advice on how to read it.
///
/// The advice names options only if they work: with these options, nine tenths of the first records must be
/// readable puzzles. Returns `None` if no options read the source.
pub fn format_hint(head: &[u8], options: &InputOptions) -> Option<String> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let begins = |start: &str| head.trim_ascii_start().starts_with(start.as_bytes());
    let named = match head {
        _ if head.starts_with(&[0x1f, 0x8b]) => "gzip within gzip: zcat FILE | quadrille ...",
        _ if head.starts_with(b"SQLite format 3") => "an SQLite database: export its table as CSV",
        _ if begins("<") => "a web page or a drawing (HTML, XML, SVG): save its puzzles as text",
        _ if begins("{") && ["\"runs\"", "\"digest\""].iter().all(|name| has_text(head, name)) => {
            "a statistics file: quadrille stats FILE"
        }
        _ if head.contains(&0) => "binary data: save its puzzles as text or CSV",
        _ => return hint_of_text(head, options),
    };
    Some(named.to_owned())
}

fn has_text(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}

/// Maximum number of columns of a source that are tried as the puzzle column.
const COLUMNS: usize = 16;

/// Returns advice on how to read a text that begins with `head`.
fn hint_of_text(head: &[u8], options: &InputOptions) -> Option<String> {
    let mut has_finished = false;
    let mut reads = |named: &InputOptions| {
        let account = account_with(head, named).filter(Account::is_readable);
        has_finished |= account.is_some();
        account.is_some_and(|account| account.has_puzzles())
    };
    if let Some((text, _)) = options_to_try(head, options).into_iter().find(|(_, named)| reads(named)) {
        return Some(text);
    }
    let with_column = |column| InputOptions {
        format: Some(Format::Csv),
        column: Some(ColumnRef::Number(column)),
        ..options.clone()
    };
    let mut columns = (1..=COLUMNS).filter(|&column| reads(&with_column(column)));
    match (columns.next(), columns.next()) {
        (Some(_), Some(_)) => {
            Some("several columns of grids: --from csv with --column reads one of them".to_owned())
        }
        (Some(column), None) => Some(format!("columns: --from csv --column {column}")),
        (None, _) => has_finished.then(|| "a source whose only readable grids are finished".to_owned()),
    }
}

/// Returns options with which the text `head` may be readable. Each comes with a description of the text, if
/// it is read with these options.
fn options_to_try(head: &[u8], options: &InputOptions) -> Vec<(String, InputOptions)> {
    let named = |format: Format| {
        let row = formats::row(format);
        let options = InputOptions { format: Some(format), ..options.clone() };
        (format!("{}: --from {}", row.look, row.name), options)
    };
    let from_zero = InputOptions { symbols: Some(Alphabet::FromZero), ..options.clone() };
    let formats = cover_look(head).into_iter().map(named).chain(blank_to_try(head, options));
    let from_zero = ("puzzles with 0 as a digit: --symbols from-zero".to_owned(), from_zero);
    formats.chain(formats_to_try().map(named)).chain([from_zero]).collect()
}

/// Returns the option that makes the most frequent character of `head` an empty cell.
///
/// Returns `None` if the character is too rare, cannot be an empty cell, or is already read as one.
fn blank_to_try(head: &[u8], options: &InputOptions) -> Option<(String, InputOptions)> {
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
    let may_be_blank = 8 * count >= text.chars().count()
        && options.blank.is_none()
        && options.wide_blank.is_none()
        && !byte.is_some_and(|byte| may_be_digit(byte, head));
    may_be_blank.then(|| {
        let named = InputOptions { blank: byte, wide_blank, ..options.clone() };
        (format!("grids with another empty cell: --blank '{blank}'"), named)
    })
}

/// Reads `head`, the first part of a source, with these options. Returns statistics of its records, or `None`
/// if `head` cannot be read.
fn account_with(head: &[u8], options: &InputOptions) -> Option<Account> {
    let whole = head.len() < HEAD_BYTES;
    let layout = layout(head, true, whole, options).ok()??;
    Some(account(head, whole, u64::MAX, &Arc::new(layout), options))
}
