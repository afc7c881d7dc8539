//! Lines of text, and the bytes that count as blank.

/// Returns true if a byte is a blank inside a line.
///
/// Ctrl-Z, which ends files of old systems, is a blank. So is a newline in sources whose lines end with carriage
/// returns.
#[inline]
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r' | 0x1a)
}

/// Returns the bytes without leading and trailing blanks.
#[inline]
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_blank(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|&byte| !is_blank(byte)).map_or(start, |last| last + 1);
    &bytes[start..end]
}

/// Returns the words of a line between blanks.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty())
}

/// Returns the number that consists of all characters of a word, or `None` if they are not all digits.
pub(super) fn number_in(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok().filter(|_| word.iter().all(u8::is_ascii_digit))?.parse().ok()
}

/// Returns true if a line is empty or a comment.
///
/// A line that begins with `blank`, the caller's character for an empty cell, is neither.
#[inline]
pub(super) fn is_skipped(line: &[u8], blank: Option<u8>) -> bool {
    match line.first() {
        None => true,
        first if first == blank.as_ref() => false,
        Some(&byte) if byte > b' ' => byte == b'#',
        _ => matches!(trim(line).first(), None | Some(b'#')),
    }
}

/// Returns the range of `part` within `whole`; `part` must be a slice of `whole`.
pub(super) fn span_in(whole: &[u8], part: &[u8]) -> super::Span {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    super::Span { start: start as u32, end: (start + part.len()) as u32 }
}

/// Returns the lines of `bytes` without their ends and trailing carriage returns, each with its offset in bytes.
pub(super) fn lines(bytes: &[u8], line_end: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let mut next = 0;
    std::iter::from_fn(move || {
        if next >= bytes.len() {
            return None;
        }
        let start = next;
        let end = memchr::memchr(line_end, &bytes[start..]).map_or(bytes.len(), |at| start + at);
        next = end + 1;
        Some((start, without_returns(&bytes[start..end])))
    })
}

/// Returns a line without carriage returns at its end.
#[inline]
pub(super) fn without_returns(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// Returns the byte that ends lines, or `None` if the bytes do not decide it.
///
/// The byte is the carriage return if the head has some and no newline before its last byte; otherwise it is the
/// newline.
pub(super) fn line_end_of(head: &[u8], complete: bool) -> Option<u8> {
    let newline = memchr::memchr(b'\n', head);
    let Some(first) = memchr::memchr(b'\r', &head[..newline.unwrap_or(head.len())]) else {
        return (complete || newline.is_some()).then_some(b'\n');
    };
    // A carriage return that is not part of a line end may be stray, so a newline anywhere decides.
    let ends_there = newline.is_some_and(|at| head[first..at].iter().all(|&byte| byte == b'\r'));
    match newline {
        Some(at) if at + 1 < head.len() || ends_there => Some(b'\n'),
        _ => complete.then_some(b'\r'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newlines_end_lines_if_there_are_any() {
        assert_eq!(line_end_of(b"ab\r\ncd\r", true), Some(b'\n'));
        assert_eq!(line_end_of(b"ab\rcd\n", true), Some(b'\r'));
        assert_eq!(line_end_of(b"ab\rcd\n", false), None);
        assert_eq!(line_end_of(b"ab\rcd\r\n", true), Some(b'\r'));
        assert_eq!(line_end_of(b"ab\rcd\ne", false), Some(b'\n'));
        assert_eq!(line_end_of(b"ab\rcd", false), None);
        assert_eq!(line_end_of(b"ab\ncd\re", false), Some(b'\n'));
        assert_eq!(line_end_of(b"ab\r", false), None);
        assert_eq!(line_end_of(b"ab", false), None);
        assert_eq!(line_end_of(b"ab", true), Some(b'\n'));
        assert_eq!(line_end_of(b"ab\r\r\ncd", true), Some(b'\n'));
    }

    #[test]
    fn lines_come_without_their_ends() {
        let all: Vec<_> = lines(b"ab\r\n\ncd", b'\n').collect();
        assert_eq!(all, [(0, &b"ab"[..]), (4, b""), (5, b"cd")]);
        assert_eq!(lines(b"", b'\n').count(), 0);
    }

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        for line in [&b""[..], b"  ", b"# x", b" \t# x", b"\r"] {
            assert!(is_skipped(line, None), "{line:?}");
        }
        for line in [&b"1"[..], b" 1", b"\0", b"."] {
            assert!(!is_skipped(line, None), "{line:?}");
        }
    }
}
