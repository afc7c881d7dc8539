//! The width of terminals, and folding of long lines.

use std::io::IsTerminal;

/// Columns assumed for a terminal of unknown width.
const COLUMNS: usize = 80;

/// Returns the number of columns of a stream's terminal, or `None` if the stream is not a terminal.
#[cfg(unix)]
pub(super) fn columns_of(stream: impl IsTerminal + std::os::fd::AsFd) -> Option<usize> {
    let told = || rustix::termios::tcgetwinsize(&stream).map(|size| usize::from(size.ws_col));
    stream.is_terminal().then(|| told().ok().filter(|columns| *columns > 0).unwrap_or(COLUMNS))
}

/// Returns the number of columns of a stream's terminal, or `None` if the stream is not a terminal.
#[cfg(not(unix))]
pub(super) fn columns_of(stream: impl IsTerminal) -> Option<usize> {
    stream.is_terminal().then_some(COLUMNS)
}

/// Breaks lines longer than `columns` characters at blanks. Continuation lines are indented by `indent` blanks.
pub(super) fn folded(text: &str, indent: usize, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut used = 0;
        for word in line.split_inclusive(' ') {
            let length = word.trim_end().chars().count();
            if used > indent && used + length > columns {
                out.truncate(out.trim_end().len());
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                used = indent;
            }
            out.push_str(word);
            used += word.chars().count();
        }
        out.push('\n');
    }
    out
}

/// Folds a text for standard output if standard output is a terminal. Otherwise returns the text unchanged.
pub(super) fn folded_for_output(text: String, indent: usize) -> String {
    match columns_of(std::io::stdout()) {
        Some(columns) => folded(&text, indent, columns),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_at_spaces() {
        let text = "records   12 in 3 s\nphases    reading 1 %, parsing 2 %, solving 3 %\n";
        assert_eq!(folded(text, 10, 80), text);
        assert_eq!(
            folded(text, 10, 30),
            "records   12 in 3 s\nphases    reading 1 %, parsing\n          2 %, solving 3 %\n"
        );
        // A word that is too long for a line stays whole.
        assert_eq!(folded("checksum  0123456789abcdef\n", 10, 20), "checksum  0123456789abcdef\n");
        assert_eq!(folded("", 10, 20), "");
        for columns in 12..60 {
            let folded = folded(text, 10, columns);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&folded), words(text));
            assert!(
                columns < 20 || folded.lines().all(|line| line.chars().count() <= columns),
                "{columns}: {folded}"
            );
        }
    }
}
