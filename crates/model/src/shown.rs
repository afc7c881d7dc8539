//! Makes text from outside the program safe to display.
//!
//! Safe text cannot move the cursor, colour the terminal or change the writing direction.

use std::borrow::Cow;
use std::path::Path;

/// Returns text with control characters escaped as in Rust (`\u{1b}`). Line ends are not escaped.
pub fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_unseen(character))
}

/// Returns a name on a single line, with control characters escaped as in Rust (`\u{1b}`, `\n`).
pub fn name(name: &str) -> Cow<'_, str> {
    escaped(name, is_unseen)
}

/// Returns the path of a file, escaped as [`name`] does.
pub fn path(path: &Path) -> String {
    name(&path.to_string_lossy()).into_owned()
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_escaped(character) {
            true => out.extend(character.escape_default()),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Returns true for control characters, and for characters that affect the layout of surrounding text.
///
/// For example, some characters change the writing direction, and others break lines.
pub fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(name("a\u{1b}[31mb\nc\u{9b}\u{202e}"), "a\\u{1b}[31mb\\nc\\u{9b}\\u{202e}");
        assert_eq!(text("a\nb\rc"), "a\nb\\rc");
        assert!(matches!(name("plain, döner, 数独"), Cow::Borrowed(_)));
    }
}
