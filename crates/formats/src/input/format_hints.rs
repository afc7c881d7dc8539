//! Recognises sources in no known format, or in another format than the one assumed, for messages.

use super::lines::{is_blank, is_skipped, lines};

/// Returns a description of a source by its head, with advice on reading it.
///
/// Returns `None` if it resembles nothing known.
pub(super) fn format_hint(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let begins = |start: &str| head.trim_ascii_start().starts_with(start.as_bytes());
    let named = match head {
        _ if head.starts_with(&[0x1f, 0x8b]) => "gzip within gzip: zcat FILE | quadrille ...",
        _ if head.starts_with(b"SQLite format 3") => "an SQLite database: export its table as CSV",
        _ if begins("{") => {
            "JSON: one object a line is --from jsonl; others, jq -c '.[]' FILE | quadrille ..."
        }
        _ if begins("[{") || begins("[\n") => "a JSON array: jq -c '.[]' FILE | quadrille ... --from jsonl",
        _ if begins("<") => "a page or a drawing (HTML, XML, SVG): save its puzzles as text",
        _ if head.contains(&0) => "binary data: save its puzzles as text or CSV",
        _ => return cover_looks(head).or_else(|| columns_look(head)),
    };
    Some(named)
}

/// Returns advice if the head looks like columns.
fn columns_look(head: &[u8]) -> Option<&'static str> {
    let separated = |byte: u8| {
        let with = lines(head, b'\n').take(LINES).filter(|(_, line)| line.contains(&byte)).count();
        2 * with > lines(head, b'\n').take(LINES).count()
    };
    if separated(b'|') {
        return Some("columns or frames with |: --from csv --column NAME, or --from grid");
    }
    let is_table = separated(b',') || separated(b';') || separated(b'\t');
    is_table.then_some("columns: --from csv --column NAME")
}

/// Returns advice if the head looks like exact cover in a format that must be named.
fn cover_looks(head: &[u8]) -> Option<&'static str> {
    let mut rows: Vec<Vec<&[u8]>> = lines(head, b'\n')
        .filter(|(_, line)| !is_skipped(line, None))
        .map(|(_, line)| line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty()).collect())
        .take(LINES)
        .collect();
    if rows.len() > 2 && rows.len() < LINES && !head.ends_with(b"\n") {
        // The last line may be cut.
        rows.pop();
    }
    let (first, others) = rows.split_first().filter(|(_, others)| !others.is_empty())?;
    let is_number = |word: &&[u8]| word.len() <= 6 && word.iter().all(u8::is_ascii_digit) && word[0] != b'0';
    let are_numbers = |row: &Vec<&[u8]>| row.iter().all(is_number);
    let is_bits =
        |row: &Vec<&[u8]>| row.iter().all(|word| word.iter().all(|byte| matches!(byte, b'0' | b'1')));
    let width = |row: &Vec<&[u8]>| row.iter().map(|word| word.len()).sum::<usize>();
    let has_head = first.len() == 2 && are_numbers(first) && !is_bits(first);
    let bits = if has_head { others } else { &rows[..] };
    if bits.iter().all(|row| is_bits(row) && width(row) == width(&bits[0])) {
        return Some("a 0/1 matrix: --from matrix");
    }
    if rows.iter().all(are_numbers) {
        // Rows of equal length, at least four numbers each, are more likely a grid.
        let is_grid = first.len() >= 4 && others.iter().all(|row| row.len() == first.len());
        let are_sets = !is_grid && rows.iter().any(|row| row.len() > 1);
        return are_sets.then_some("sets of numbers: --from sets");
    }
    let is_item = |word: &&[u8]| {
        let name = word.split(|&byte| byte == b':').next().unwrap_or_default();
        word[0] == b'|' || first.contains(&name)
    };
    let is_cover = first.len() > 1 && others.iter().all(|row| row.iter().all(is_item));
    is_cover.then_some("an exact cover problem in Knuth's text format: --from dlx")
}

/// Maximum number of lines read.
const LINES: usize = 20;
