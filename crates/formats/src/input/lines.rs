//! Splits text into lines and words, and defines which bytes count as blank.

/// Returns true if a byte counts as a blank inside a line.
///
/// Ctrl-Z is a blank because it ends files of old systems. A newline is a blank too, which matters in sources
/// whose lines end with carriage returns.
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

/// Returns the words of a line, which are separated by blanks.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty())
}

/// Returns the number that a word of digits means, or `None` if the word has other characters.
pub(super) fn number_in(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok().filter(|_| word.iter().all(u8::is_ascii_digit))?.parse().ok()
}

/// Returns true if a line is empty or a comment.
///
/// `blank` is the caller's character for an empty cell. A line that begins with it is neither empty nor a
/// comment.
#[inline]
pub(super) fn is_skipped(line: &[u8], blank: Option<u8>) -> bool {
    match line.first() {
        None => true,
        first if first == blank.as_ref() => false,
        Some(&byte) if byte > b' ' => byte == b'#',
        _ => matches!(trim(line).first(), None | Some(b'#')),
    }
}

/// Returns the position of `part` within `whole`. `part` must be a slice of `whole`.
pub(super) fn span_in(whole: &[u8], part: &[u8]) -> super::Span {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    super::Span { start: start as u32, end: (start + part.len()) as u32 }
}

/// Returns the lines of `bytes`, each with its offset in bytes.
///
/// The lines come without their line ends and without trailing carriage returns.
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

/// Returns a line without the carriage returns at its end.
#[inline]
pub(super) fn without_returns(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// Returns the byte that ends lines, or `None` if the bytes do not decide it.
///
/// The byte is a carriage return if `head` has carriage returns but no newlines. Otherwise it is a newline. A
/// newline that is the last byte of `head` may be ignored.
pub(super) fn line_end_of(head: &[u8], complete: bool) -> Option<u8> {
    let newline = memchr::memchr(b'\n', head);
    let Some(first) = memchr::memchr(b'\r', &head[..newline.unwrap_or(head.len())]) else {
        return (complete || newline.is_some()).then_some(b'\n');
    };
    // A newline decides if other bytes follow it. A newline that is the last byte decides only if it ends the
    // first line. Then all bytes between the first carriage return and the newline are carriage returns.
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
