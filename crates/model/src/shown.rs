//! Text from outside on its way to people: it cannot move a cursor, colour a terminal or turn the direction of writing.

use std::borrow::Cow;
use std::path::Path;

/// Returns text with its control characters escaped as in Rust (`\u{1b}`). Line ends stay.
pub fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_unseen(character))
}

/// Returns a name with its control characters escaped as in Rust (`\u{1b}`, `\n`): on one line.
pub fn name(name: &str) -> Cow<'_, str> {
    escaped(name, is_unseen)
}

/// Returns the name of a file, as [`name`] shows it.
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

/// Returns true for control characters, and for marks that change the direction or the lines of the text around them.
fn is_unseen(character: char) -> bool {
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
