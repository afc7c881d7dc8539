//! Texts of rules, in the format of constraint strings for Interactive Sudoku Solver.
//!
//! A text is a sequence of items such as `.Name~argument~argument`. An item without a name lists givens or
//! candidates, as in `.~R1C1_5~R4C7_2_4_6_8`. A cell is written as `R1C1`. Row and column numbers above 9 are
//! written in base 17, so `RAC1` is in row 10. White space is ignored everywhere.

use thiserror::Error;

/// Number base of the rows and columns in the name of a cell.
const CELL_BASE: u32 = 17;

/// Maximum side length of a grid whose cells have names. Each row or column number must be a single
/// character.
pub const MAX_NAMED_SIDE: usize = CELL_BASE as usize - 1;

/// The reason why a text of rules is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The item is invalid, or not allowed at its position.
    #[error("rules: item {number} `{item}`: {reason}")]
    Invalid {
        /// Number of the item, 1-based.
        number: usize,
        /// The item, shortened.
        item: String,
        /// The fault.
        reason: String,
    },
    /// No kind of item has this name.
    #[error("rules: item {number}: `{name}` is not supported")]
    Unsupported {
        /// Number of the item, 1-based.
        number: usize,
        /// Name of the item, including the dot.
        name: String,
    },
    /// The text has no items, or something precedes the first item.
    #[error("rules: `{0}` is not an item: an item begins with a dot, as in `.AntiKnight`")]
    NoItem(String),
    /// The text next to a puzzle contains items, which would be ignored there.
    #[error(
        "rules: `{0}` is in the wrong place: rules must be together, directly after the puzzle or a tab, or in a column of their own"
    )]
    Misplaced(String),
}

/// Maximum number of characters with which a message shows an item.
const SHOWN: usize = 60;

/// Returns the beginning of a text. If the text is longer, three dots follow.
pub(super) fn shortened(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() { format!("{shown}...") } else { shown }
}

/// An item of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item<'a> {
    /// Number of the item in the text, 1-based.
    pub number: usize,
    /// The item as written, including its dot.
    pub text: &'a str,
    /// The name; empty for givens.
    pub name: &'a str,
    /// The arguments, which `~` separates.
    pub arguments: Vec<&'a str>,
}

impl Item<'_> {
    /// Returns an error if this item has arguments.
    pub(super) fn alone(&self) -> Result<(), RuleError> {
        if self.arguments.is_empty() { Ok(()) } else { Err(self.invalid("it takes no arguments")) }
    }

    /// Returns the error that this item is invalid, with the given reason.
    pub(super) fn invalid(&self, reason: impl Into<String>) -> RuleError {
        RuleError::Invalid { number: self.number, item: shortened(self.text), reason: reason.into() }
    }
}

/// Returns a copy of the text without white space.
pub fn without_blanks(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

/// Returns the items of a text that has no white space. Empty items have no meaning and are omitted.
///
/// # Errors
/// Returns an error if the text does not begin with a dot.
pub fn items(text: &str) -> Result<Vec<Item<'_>>, RuleError> {
    let rest = text.strip_prefix('.').ok_or_else(|| RuleError::NoItem(shortened(text)))?;
    let mut from = 0;
    let item = |(index, body): (usize, &'_ str)| {
        let text = &text[from..from + 1 + body.len()];
        from += text.len();
        let mut words = text[1..].split('~');
        let name = words.next().unwrap_or_default();
        let mut arguments = Vec::with_capacity(text.bytes().filter(|&byte| byte == b'~').count());
        arguments.extend(words);
        Item { number: index + 1, text, name, arguments }
    };
    let says = |item: &Item<'_>| !item.name.is_empty() || !item.arguments.is_empty();
    Ok(rest.split('.').enumerate().map(item).filter(says).collect())
}

/// Returns true if a text replaces the boxes by regions or by nothing. Grids of any side may have such a
/// text.
///
/// ```
/// use quadrille::rules::replaces_boxes;
/// assert!(replaces_boxes(".AntiKnight .NoBoxes") && replaces_boxes(".Jigsaw~0011001122332233"));
/// assert!(!replaces_boxes(".AntiKnight") && !replaces_boxes(".NoBoxesHere"));
/// ```
pub fn replaces_boxes(text: &str) -> bool {
    let text = without_blanks(text);
    let names = text.split('.').skip(1).map(|item| item.split('~').next().unwrap_or_default());
    names.into_iter().any(|name| matches!(name, "NoBoxes" | "Jigsaw"))
}

/// Returns the cell that a word names in a grid of a side, or `None` if it names none.
///
/// ```
/// use quadrille::rules::cell_of;
/// assert_eq!((cell_of("R2C3", 9), cell_of("RAC1", 16)), (Some(11), Some(144)));
/// assert_eq!((cell_of("R2C0", 9), cell_of("RAC1", 9)), (None, None));
/// ```
pub fn cell_of(word: &str, side: usize) -> Option<usize> {
    let [b'R' | b'r', row, b'C' | b'c', column] = word.as_bytes() else { return None };
    let number = |byte: &u8| char::from(*byte).to_digit(CELL_BASE).map(|number| number as usize);
    let (row, column) = (number(row)?.checked_sub(1)?, number(column)?.checked_sub(1)?);
    (row < side && column < side).then_some(row * side + column)
}

/// Returns the name of a cell in the format that [`cell_of`] reads.
///
/// The side length must be at most [`MAX_NAMED_SIDE`].
pub fn name_of(cell: usize, side: usize) -> String {
    let name =
        |number: usize| char::from_digit(number as u32 + 1, CELL_BASE).unwrap_or('?').to_ascii_uppercase();
    format!("R{}C{}", name(cell / side), name(cell % side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_cut_at_dots_and_waves() {
        let text = without_blanks(" .AntiKnight .Cage~15~R1C1~R1C2\n.~R1C1_5");
        let all = items(&text).unwrap();
        let told: Vec<_> = all.iter().map(|item| (item.number, item.name, item.arguments.len())).collect();
        assert_eq!(told, [(1, "AntiKnight", 0), (2, "Cage", 3), (3, "", 1)]);
        assert_eq!((all[1].text, all[2].arguments[0]), (".Cage~15~R1C1~R1C2", "R1C1_5"));
        assert!(items("x").is_err() && items("").is_err());
        assert!(items(".").unwrap().is_empty(), "an empty item says nothing");
    }

    #[test]
    fn names_of_cells_are_read_back() {
        for side in [4, 9, 16] {
            for cell in 0..side * side {
                assert_eq!(cell_of(&name_of(cell, side), side), Some(cell));
            }
        }
        for word in ["", "R1", "R1C", "R10C1", "C1R1", "RéC1", "R1C1 "] {
            assert_eq!(cell_of(word, 16), None, "{word}");
        }
    }
}
