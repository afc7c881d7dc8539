//! Rules for all grids in one execution of the program, given as short names, layouts of regions or files of
//! houses.

use super::RuleError;
use super::text::{name_of, replaces_boxes, shortened, without_blanks};

/// A short name for rules.
#[non_exhaustive]
pub struct ShortName {
    /// The name.
    pub name: &'static str,
    /// Items for which the short name is an abbreviation.
    pub items: &'static str,
    /// One-line description for help.
    pub about: &'static str,
}

macro_rules! short_names {
    ($($name:literal, $items:literal, $about:literal;)+) => {
        &[$(ShortName { name: $name, items: $items, about: $about }),+]
    };
}

/// All short names.
pub static SHORT_NAMES: &[ShortName] = short_names! {
    "x", ".Diagonal~1.Diagonal~-1", "both diagonals hold every digit";
    "x1", ".Diagonal~1", "the diagonal / holds every digit";
    "x2", ".Diagonal~-1", "the diagonal \\ holds every digit";
    "windoku", ".Windoku", "boxes one cell from the border and from each other hold every digit";
    "disjoint", ".DisjointSets", "the cells at the same position of all boxes hold every digit";
    "center-dot", ".AllDifferent~R2C2~R2C5~R2C8~R5C2~R5C5~R5C8~R8C2~R8C5~R8C8",
        "9x9: the centres of the boxes hold every digit";
    "asterisk", ".AllDifferent~R2C5~R3C3~R3C7~R5C2~R5C5~R5C8~R7C3~R7C7~R8C5",
        "9x9: nine cells in the shape of a star hold every digit";
    "girandola", ".AllDifferent~R1C1~R1C9~R2C5~R5C2~R5C5~R5C8~R8C5~R9C1~R9C9",
        "9x9: the corners and five cells between hold every digit";
    "anti-knight", ".AntiKnight", "cells a knight's move apart differ";
    "anti-king", ".AntiKing", "cells that touch, also at a corner, differ";
    "non-consecutive", ".AntiConsecutive", "neighbours are not consecutive";
};

/// The rules for all grids in one execution of the program, combined from any number of sources into one
/// text. Empty if there are no rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunRules {
    text: String,
    drawn: Option<DrawnHouse>,
}

/// The first house that the user drew (see [`RunRules::add_houses`]).
///
/// This house determines the side length of the grid. The names of the cells in all drawn houses depend on
/// this side length.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DrawnHouse {
    /// Side length of the grid for which the house was drawn.
    side: usize,
    /// 1-based number of the item into which the house was converted.
    number: usize,
    /// The item, shortened.
    item: String,
}

impl RunRules {
    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text of the rules, without white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks that all [drawn](Self::add_houses) houses fit grids of the given side length.
    ///
    /// # Errors
    /// Returns an error if the houses were drawn for another side length. The cells of the houses would then
    /// be at other positions.
    pub fn fit(&self, side: usize) -> Result<(), RuleError> {
        match &self.drawn {
            Some(DrawnHouse { side: drawn, number, item }) if *drawn != side => Err(RuleError::Invalid {
                number: *number,
                item: item.clone(),
                reason: format!("the house is drawn for a {drawn}x{drawn}, but the grid is a {side}x{side}"),
            }),
            _ => Ok(()),
        }
    }

    /// Returns true if the rules replace the boxes (see [`replaces_boxes`](super::replaces_boxes())).
    pub fn replace_boxes(&self) -> bool {
        replaces_boxes(&self.text)
    }

    /// Adds items, or short names separated by commas.
    ///
    /// # Errors
    /// Returns an error if a word is neither an item nor a short name.
    ///
    /// ```
    /// use quadrille::rules::RunRules;
    /// let mut rules = RunRules::default();
    /// rules.add(" x1, .Cage~3~R1C1~R1C2 ")?;
    /// assert_eq!(rules.text(), ".Diagonal~1.Cage~3~R1C1~R1C2");
    /// assert!(rules.add("x3").is_err());
    /// # Ok::<(), quadrille::rules::RuleError>(())
    /// ```
    pub fn add(&mut self, words: &str) -> Result<(), RuleError> {
        for (index, word) in without_blanks(words).split(',').enumerate() {
            if word.is_empty() || word.starts_with('.') {
                self.text.push_str(word);
                continue;
            }
            let short = SHORT_NAMES.iter().find(|short| short.name.eq_ignore_ascii_case(word));
            let unknown = || RuleError::Unsupported { number: index + 1, name: shortened(word) };
            self.text.push_str(short.ok_or_else(unknown)?.items);
        }
        Ok(())
    }

    /// Adds a layout of regions that replace the boxes. The layout has one character per cell. Cells with the
    /// same character form a region, and any character may be used.
    ///
    /// Blanks and line ends are ignored. The size of the layout is checked when the rules are applied to a
    /// grid.
    ///
    /// # Errors
    /// Returns an error if there are more regions than a grid can have.
    pub fn add_regions(&mut self, layout: &str) -> Result<(), RuleError> {
        // Regions are renumbered in the order in which they appear. So the text does not depend on the
        // letters of the layout.
        let mut met = Vec::new();
        self.text.push_str(".NoBoxes.Jigsaw~");
        for letter in layout.chars().filter(|letter| !letter.is_whitespace()) {
            let number = met.iter().position(|known| *known == letter).unwrap_or_else(|| {
                met.push(letter);
                met.len() - 1
            });
            let Some(letter) = char::from_digit(number as u32, 36) else {
                let item = shortened(layout.trim());
                return Err(RuleError::Invalid { number: 1, item, reason: "more than 36 regions".into() });
            };
            self.text.push(letter);
        }
        Ok(())
    }

    /// Adds houses from text with one house per line and one character per cell.
    ///
    /// The characters `.`, `0`, `-` and `_` mark cells outside the house. Empty lines and lines that begin
    /// with `#` are skipped. All houses must be for grids of the same side length. Whether this is the side
    /// length of the puzzles is checked later, by [`fit`](Self::fit).
    ///
    /// # Errors
    /// Returns an error if the length of a line is not the number of cells of a square grid, or if this grid
    /// is too large for cell names. Also returns an error if the side length differs from that of earlier
    /// lines.
    pub fn add_houses(&mut self, lines: &str) -> Result<(), RuleError> {
        for (number, line) in (1..).zip(lines.lines()) {
            let line = without_blanks(line);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let cells = line.chars().count();
            let side = cells.isqrt();
            if side * side != cells || side > super::MAX_NAMED_SIDE {
                let reason = format!("{cells} characters: a line needs one for each cell of a grid");
                return Err(RuleError::Invalid { number, item: shortened(&line), reason });
            }
            if let Some(drawn) = self.drawn.as_ref().filter(|drawn| drawn.side != side) {
                let reason =
                    format!("{cells} characters, but the lines before have {}", drawn.side * drawn.side);
                return Err(RuleError::Invalid { number, item: shortened(&line), reason });
            }
            let is_in = |letter: char| !matches!(letter, '.' | '0' | '-' | '_');
            let start = self.text.len();
            self.text.push_str(".AllDifferent");
            for (cell, _) in line.chars().enumerate().filter(|&(_, letter)| is_in(letter)) {
                self.text.push('~');
                self.text.push_str(&name_of(cell, side));
            }
            let (before, item) = self.text.split_at(start);
            let number = 1 + before.matches('.').count();
            self.drawn.get_or_insert_with(|| DrawnHouse { side, number, item: shortened(item) });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, compile, kinds, text};
    use super::*;

    #[test]
    fn every_short_name_and_example_compiles() {
        let shape = Shape { box_rows: 3, box_columns: 3 };
        for short in SHORT_NAMES {
            compile(short.items, shape).unwrap();
        }
        for kind in kinds::KINDS {
            compile(kind.example, shape).unwrap();
            assert!(text::items(kind.example).unwrap()[0].name == kind.name);
            assert!(kinds::begins_rules(kind.example.as_bytes()), "{}", kind.example);
        }
    }

    #[test]
    fn layouts_and_houses_become_items() {
        let mut rules = RunRules::default();
        rules.add_regions("AAbb\nAAbb\n..zz\n..zz\n").unwrap();
        assert_eq!(rules.text(), ".NoBoxes.Jigsaw~0011001122332233");
        let mut rules = RunRules::default();
        rules.add_houses("# corners\n1..1........1..1\n\n").unwrap();
        assert_eq!(rules.text(), ".AllDifferent~R1C1~R1C4~R4C1~R4C4");
        assert!(rules.add_houses("1..").is_err());
        // The houses added above fit only grids of one side length.
        assert!(rules.fit(4).is_ok());
        let error = rules.add_houses(&".".repeat(81)).unwrap_err().to_string();
        assert!(error.ends_with("81 characters, but the lines before have 16"), "{error}");
        let error = rules.fit(9).unwrap_err().to_string();
        assert!(
            error.ends_with("item 1 `.AllDifferent~R1C1~R1C4~R4C1~R4C4`: the house is drawn for a 4x4, but the grid is a 9x9"),
            "{error}"
        );
    }
}
