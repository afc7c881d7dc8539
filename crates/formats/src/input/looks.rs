//! Names of what a source looks like that is none of the formats, or not the one that it was taken for.

use super::lines::lines;

/// Returns what the head of a source looks like, and the way to read it.
pub(super) fn looks_of(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let begins = |start: &str| head.trim_ascii_start().starts_with(start.as_bytes());
    let separated = |byte: u8| {
        let with = lines(head, b'\n').take(LINES).filter(|(_, line)| line.contains(&byte)).count();
        2 * with > lines(head, b'\n').take(LINES).count()
    };
    Some(match head {
        _ if head.starts_with(&[0x1f, 0x8b]) => "gzip within gzip: zcat FILE | quadrille ...",
        _ if head.starts_with(b"SQLite format 3") => "an SQLite database: export its table as CSV",
        _ if begins("{") => {
            "JSON: one object a line is --format jsonl; others, jq -c '.[]' FILE | quadrille ..."
        }
        _ if begins("[{") || begins("[\n") => "a JSON array: jq -c '.[]' FILE | quadrille ... --format jsonl",
        _ if begins("<") => "a page or a drawing (HTML, XML, SVG): save its puzzles as text",
        _ if head.contains(&0) => "binary data: save its puzzles as text or CSV",
        _ if separated(b'|') => "columns or frames with |: --format csv --column NAME, or --format grid",
        _ if separated(b',') || separated(b';') || separated(b'\t') => "columns: --format csv --column NAME",
        _ => return None,
    })
}

/// Lines that are looked at.
const LINES: usize = 20;
