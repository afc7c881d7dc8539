//! The table of items. Each entry has a name, a description, and the function that compiles the item.

use memchr::{memchr, memchr_iter};

use super::builder::Compiler;
use super::text::{Item, shortened};
use super::{RuleError, houses, pairs, sums};

/// A kind of item in the language of rules.
#[non_exhaustive]
pub struct KindInfo {
    /// Name of the item in a text, without the dot. Empty for givens.
    pub name: &'static str,
    /// True if the meaning of an item of this kind depends on the values of the digits.
    pub(super) has_values: bool,
    /// Noun used in explanations: `cage`.
    pub(super) noun: &'static str,
    /// One-line description for help.
    pub about: &'static str,
    /// An example for a 9x9.
    pub example: &'static str,
    /// Compiles an item of this kind. Adds the rules of the item to the tables.
    pub(super) compile: fn(&mut Compiler, &Item<'_>) -> Result<(), RuleError>,
}

macro_rules! kinds {
    ($($name:literal, $has_values:literal, $noun:literal, $example:literal, $compile:expr, $about:literal;)+) => {
        &[$(KindInfo {
            name: $name,
            has_values: $has_values,
            noun: $noun,
            about: $about,
            example: $example,
            compile: $compile,
        }),+]
    };
}

/// All kinds of items.
pub static KINDS: &[KindInfo] = kinds! {
    "", false, "given", ".~R1C1_5~R4C7_2_4_6_8", houses::givens, "allows only the listed digits in each cell";
    "Shape", false, "shape", ".Shape~9x9", houses::shape, "the size of the grid, which must be the size of the puzzle";
    "NoBoxes", false, "grid", ".NoBoxes", houses::no_boxes, "boxes may repeat digits";
    "Jigsaw", false, "region",
        ".Jigsaw~000001112003001122443311122443333125444443325666666625767778825767888555777888855",
        houses::jigsaw, "one letter per cell: the cells of each letter hold every digit (boxes too, unless .NoBoxes)";
    "AllDifferent", false, "group", ".AllDifferent~R1C1~R5C5~R9C9", houses::all_different, "the cells have different digits";
    "Diagonal", false, "diagonal", ".Diagonal~1", houses::diagonal, "a diagonal holds every digit: 1 is /, -1 is \\";
    "Windoku", false, "window", ".Windoku", houses::windoku, "boxes one cell from the border and from each other are houses";
    "DisjointSets", false, "disjoint group", ".DisjointSets", houses::disjoint_sets, "the cells at the same position of all boxes form a house";
    "AntiKnight", false, "knight's move", ".AntiKnight",
        |c, item| pairs::apart(c, item, &pairs::KNIGHT), "cells a knight's move apart differ";
    "AntiKing", false, "king's move", ".AntiKing",
        |c, item| pairs::apart(c, item, &pairs::KING), "cells that touch, also at a corner, differ";
    "AntiConsecutive", true, "non-consecutive rule", ".AntiConsecutive", pairs::anti_consecutive, "neighbours are not consecutive";
    "Cage", true, "cage", ".Cage~15~R1C1~R1C2~R2C1", sums::cage, "the cells have different digits with this sum; 0 for any sum";
    "Sum", true, "sum", ".Sum~0_=_1_-1~R1C1~R1C2", sums::sum,
        "the digits have this sum and may repeat; `_=_` is followed by one coefficient per cell";
    "Arrow", true, "arrow", ".Arrow~R1C1~R2C2~R3C3", sums::arrow, "the digits of the shaft add up to the digit of the circle, the first cell";
    "DoubleArrow", true, "double arrow", ".DoubleArrow~R1C1~R2C2~R3C3~R4C4", sums::double_arrow,
        "the digits between add up to the sum of both ends";
    "PillArrow", true, "pill", ".PillArrow~2~R1C1~R1C2~R2C3~R3C4", sums::pill_arrow,
        "the digits of the line add up to the number of two or three digits in the pill";
    "LittleKiller", true, "little killer", ".LittleKiller~30~R1C2", sums::little_killer,
        "the digits of the diagonal that starts at a border cell have this sum and may repeat";
    "WhiteDot", true, "white dot", ".WhiteDot~R1C1~R1C2",
        |c, item| pairs::mark(c, item, pairs::DOTS, pairs::CONSECUTIVE), "the neighbours are consecutive";
    "BlackDot", true, "black dot", ".BlackDot~R1C1~R1C2",
        |c, item| pairs::mark(c, item, pairs::DOTS, pairs::DOUBLE), "one neighbour is twice the other";
    "X", true, "X", ".X~R1C1~R1C2",
        |c, item| pairs::mark(c, item, pairs::LETTERS, pairs::TEN), "the neighbours add up to ten";
    "V", true, "V", ".V~R1C1~R1C2",
        |c, item| pairs::mark(c, item, pairs::LETTERS, pairs::FIVE), "the neighbours add up to five";
    "StrictKropki", true, "rule of missing dots", ".StrictKropki",
        |c, item| pairs::strict(c, item, pairs::DOTS), "neighbours without a dot are neither consecutive nor one twice the other";
    "StrictXV", true, "rule of missing letters", ".StrictXV",
        |c, item| pairs::strict(c, item, pairs::LETTERS), "neighbours without X or V add up to neither ten nor five";
    "GreaterThan", true, "greater sign", ".GreaterThan~R1C1~R1C2", pairs::greater_than,
        "the first cell is greater than the neighbours listed after it";
    "Thermo", true, "thermometer", ".Thermo~R1C1~R2C1~R3C1", pairs::thermo, "digits increase from the bulb, the first cell";
    "Whisper", true, "whisper", ".Whisper~5~R1C1~R2C1~R3C1", pairs::whisper, "neighbours on the line differ by at least this number (5 if it is left out)";
    "Renban", true, "renban", ".Renban~R1C1~R2C1~R3C1", pairs::renban, "the cells hold consecutive digits in any order, each once";
    "Palindrome", false, "palindrome", ".Palindrome~R1C1~R2C1~R3C1", pairs::palindrome, "the line reads the same from both ends";
    "Quad", true, "quad", ".Quad~R1C1~1~2", sums::quad, "the 2x2 with this top left cell contains these digits";
};

/// Returns the kind of item with the given name, or `None` if no kind has this name.
pub(super) fn find(name: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// Returns true if text after a puzzle begins like rules.
///
/// Such text begins with a dot and a name that starts with a capital letter, or with a dot and `~`. So an unknown name
/// is recognised as a name too. A name in small letters, or after white space, counts only if it is known or followed
/// by `~`.
///
/// ```
/// use quadrille::rules::begins_rules;
/// assert!(begins_rules(b".~R1C1_5") && begins_rules(b".AntiKnight.AntiKing") && begins_rules(b".Dragon-\xff"));
/// assert!(begins_rules(b".cage~5~R1C1") && begins_rules(b". Cage~5~R1C1") && begins_rules(b".antiking"));
/// assert!(!begins_rules(b"..A.") && !begins_rules(b"easy") && !begins_rules(b".5..") && !begins_rules(b". Easy"));
/// ```
pub fn begins_rules(text: &[u8]) -> bool {
    let [b'.', behind @ ..] = text else { return false };
    // Empty items may come first.
    let first = &behind[behind.iter().take_while(|&&byte| byte == b'.').count()..];
    begins_with_name(behind) || has_arguments(first) || begins_with_known_name(first.trim_ascii_start())
}

/// Returns true if `text` begins with a capital letter, as names of items do, or with `~`, as givens do. The
/// text is what follows a dot.
fn begins_with_name(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'A'..=b'Z' | b'~'))
}

/// Returns true if `text` begins like an item with arguments. The text is what follows a dot.
///
/// Such an item begins with letters and a `~`. Givens begin with `~R`.
fn has_arguments(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    match &text[letters..] {
        [b'~', ..] if letters > 0 => true,
        [b'~', cell, ..] => cell.eq_ignore_ascii_case(&b'R'),
        _ => false,
    }
}

/// Returns true if `text` begins with the name of a known item. The text is what follows a dot.
///
/// The name must have at least two letters, and may be in upper or lower case.
fn begins_with_known_name(text: &[u8]) -> bool {
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    letters > 1 && KINDS.iter().any(|kind| kind.name.as_bytes().eq_ignore_ascii_case(&text[..letters]))
}

/// Returns the position of each dot that does not directly follow a letter, a digit or another dot.
///
/// Most texts have no such dot.
fn dots_apart(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_apart = |before: u8| !before.is_ascii_alphanumeric() && before != b'.';
    memchr_iter(b'.', text).filter(move |&dot| dot == 0 || is_apart(text[dot - 1]))
}

/// Returns true if a text may contain rules.
///
/// If the result is false, two things are certain:
/// - [`no_rules_in`] finds nothing in the text.
/// - Neither the text nor any part after white space or punctuation [looks like rules](begins_rules).
#[inline]
pub fn may_have_rules(text: &[u8]) -> bool {
    dots_apart(text).any(|dot| begins_rules(&text[dot..]))
}

/// Checks that the text next to a puzzle does not contain items of rules. Such items would be ignored.
///
/// An item is a dot and the name of a known item, or a dot, any name and `~`.
///
/// # Errors
/// Returns [`RuleError::Misplaced`] for the first item.
pub fn no_rules_in(text: &[u8]) -> Result<(), RuleError> {
    let is_item = |behind: &[u8]| has_arguments(behind) || begins_with_known_name(behind);
    match dots_apart(text).find(|&dot| is_item(&text[dot + 1..])) {
        Some(dot) => Err(misplaced(&text[dot..])),
        None => Ok(()),
    }
}

/// Returns the error for rules in the wrong place. The message shows the text of the rules up to the first
/// tab.
pub fn misplaced(rules: &[u8]) -> RuleError {
    let end = memchr(b'\t', rules).unwrap_or(rules.len());
    RuleError::Misplaced(shortened(String::from_utf8_lossy(&rules[..end]).trim()))
}

/// Returns true if a line is rules and not a grid.
///
/// The first word of rules begins with a dot and a capital letter or a `~`. The word also has a `~`, which no grid
/// has, or consists of known names of two or more letters.
///
/// ```
/// use quadrille::rules::are_rules;
/// assert!(are_rules(b".Cage~3~R1C1~R1C2") && are_rules(b".Windoku.AntiKing") && are_rules(b"..Diagonal~1"));
/// assert!(!are_rules(b".X.V............") && !are_rules(b".ABCD...........\t.Cage~3~R1C1~R1C2"));
/// ```
pub fn are_rules(line: &[u8]) -> bool {
    let is_known = |name: &[u8]| {
        let name = std::str::from_utf8(name).unwrap_or_default();
        name.len() > 1 && find(name).is_some()
    };
    // Only the first word of the line decides. A line that begins with a dot may also be a grid of letters,
    // followed by rules.
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    // Lower-case letters do not count as names, because in a grid they are marks. A `~` may be an empty cell
    // of a grid.
    let items = &word[word.iter().take_while(|&&byte| byte == b'.').count()..];
    let is_item = word.starts_with(b".") && begins_with_name(items);
    let names = || items.split(|&byte| byte == b'.').filter(|name| !name.is_empty());
    is_item && (items.contains(&b'~') || names().all(is_known))
}
