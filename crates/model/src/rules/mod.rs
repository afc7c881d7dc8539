//! Rules beyond rows, columns and boxes, as data.
//!
//! A text of items ([`text`](items) defines the language) is compiled once into [`Rules`], which all puzzles
//! with that text share:
//!
//! ```text
//! text  --compile-->  houses      sets of cells with different digits, rows and columns among them
//!                     different   pairs of cells with different digits
//!                     relations   pairs of cells, and the digits of one that fit each digit of the other
//!                     sums        cells, coefficients, a target
//!                     quotas      cells, a digit, the minimum number of times that it is there
//!                     masks       cells, and the digits that they may have
//!       --read----->  Claims      conditions that the verifier and the naive engine check one by one
//! ```
//! No engine knows the names of items. The compiler and `claims` share only how a text is split into items.
//! `claims` splits the text again, parses cells again and has its own code for every rule, so
//! that a fault of the compiler shows in every wrong solution. An item that is not understood is an error; it
//! is never ignored.

mod builder;
mod checker;
mod compile;
mod drawing;
mod equal;
mod houses;
mod killer;
mod kinds;
mod pairs;
mod run_rules;
mod sums;
mod text;
mod turned;

use std::fmt;
use std::sync::OnceLock;

pub use checker::{Claims, RuleCheck};
pub use compile::{candidates_alone, compile};
pub use drawing::Drawing;
pub use killer::killer;
pub use kinds::{KINDS, KindInfo, are_rules, begins_rules, may_have_rules, misplaced, no_rules_in};
pub use run_rules::{RunRules, SHORT_NAMES, ShortName};
pub use text::{Item, MAX_NAMED_SIDE, RuleError, cell_of, items, name_of, replaces_boxes, without_blanks};

/// The shape of a grid: its side length and the size of its boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Number of rows in a box, or 1 if the grid has no boxes.
    pub box_rows: usize,
    /// Number of columns in a box, or the side length of the grid if it has no boxes.
    pub box_columns: usize,
}

impl Shape {
    /// Returns the side length of the grid, which is the number of cells in a row and the number of digits.
    pub fn side(self) -> usize {
        self.box_rows * self.box_columns
    }

    /// Returns the number of cells in the grid.
    pub fn cells(self) -> usize {
        self.side() * self.side()
    }

    /// Returns true if the grid has boxes.
    pub fn has_boxes(self) -> bool {
        self.box_rows > 1
    }

    /// Returns the 0-based index of the box that contains a cell. Boxes are counted row by row.
    pub fn box_of(self, cell: usize) -> usize {
        let side = self.side();
        cell / side / self.box_rows * self.box_rows + cell % side / self.box_columns
    }
}

/// Identifies the origin of a house, a relation or a sum, so that messages can name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Label {
    /// A row, 0-based.
    Row(u16),
    /// A column, 0-based.
    Column(u16),
    /// A box, given by its 0-based index. Boxes are counted row by row.
    Box(u16),
    /// A rule from an item. Contains the item's 0-based number in the text, and the first cell of the rule.
    Item(u16, u16),
}

/// Cells that hold different digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct House<'a> {
    /// Cells of the house, ascending. There are at most as many cells as digits.
    ///
    /// A house that has as many cells as there are digits is *full*, which means that it contains every
    /// digit.
    pub cells: &'a [u16],
    /// The name of the house.
    pub label: Label,
}

/// The range of one house's cells in the list of all houses' cells.
///
/// In a grid with regions, a separate list per house would cause most of the allocations.
#[derive(Debug)]
struct HouseEntry {
    start: u32,
    end: u32,
    label: Label,
}

/// The pairs of digits that two cells may have together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relation {
    /// The cell whose digit is the index into the relation's table.
    pub from: u16,
    /// The cell whose possible digits are the values in the relation's table.
    pub to: u16,
    /// Index of the relation's table in [`Rules::tables`].
    pub table: u16,
    /// The name of the relation.
    pub label: Label,
}

/// For each 0-based digit of one cell, a mask of the digits that the other cell may have.
pub type Table = Box<[u64]>;

/// A sum: the 1-based digits of some cells, multiplied by coefficients, must add up to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sum {
    /// Cells of the sum with their coefficients, in ascending order. Each cell occurs once, and no
    /// coefficient is 0.
    pub terms: Box<[(u16, i32)]>,
    /// The target.
    pub target: i32,
    /// True if the digits of the sum must all be different.
    pub differ: bool,
    /// The name of the sum.
    pub label: Label,
}

/// Requires that some cells contain a digit at least a given number of times.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quota {
    /// The cells, ascending.
    pub cells: Box<[u16]>,
    /// The digit, 0-based.
    pub digit: u8,
    /// Minimum number of times.
    pub times: u8,
    /// The name of the quota.
    pub label: Label,
}

/// All rules of a grid, including its rows and columns.
#[derive(Debug)]
pub struct Rules {
    text: Box<str>,
    shape: Shape,
    houses: Vec<HouseEntry>,
    /// Cells of all houses, house by house.
    house_cells: Vec<u16>,
    different: Vec<(u16, u16)>,
    implied: Vec<(u16, u16)>,
    relations: Vec<Relation>,
    tables: Vec<Table>,
    sums: Vec<Sum>,
    quotas: Vec<Quota>,
    masks: Vec<(u16, u64)>,
    is_run_wide: bool,
    /// The rules as claims (conditions on the digits of some cells), which the verifier checks. They are read
    /// from the text when they are first used.
    claims: OnceLock<Claims>,
}

impl PartialEq for Rules {
    /// Returns true if both sets of rules have the same text and the same shape.
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.text == other.text
    }
}

impl Eq for Rules {}

impl Rules {
    /// Returns the text of the rules, without white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the shape of the grids to which the rules apply.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns all houses.
    ///
    /// Rows come first, then columns, then boxes unless other regions replace them, then the houses that
    /// items add.
    pub fn houses(&self) -> impl ExactSizeIterator<Item = House<'_>> + Clone {
        self.houses.iter().map(|&HouseEntry { start, end, label }| House {
            cells: &self.house_cells[start as usize..end as usize],
            label,
        })
    }

    /// Returns the pairs of cells that must differ although they do not share a house.
    ///
    /// Each pair occurs once, in ascending order, with the lower cell first.
    pub fn different(&self) -> &[(u16, u16)] {
        &self.different
    }

    /// Returns the pairs of cells that must differ as a consequence of relations.
    ///
    /// The cells of such a pair are equal only if the cells of another pair are equal. The cells of the other
    /// pair must differ.
    pub fn implied_different(&self) -> &[(u16, u16)] {
        &self.implied
    }

    /// Returns all pairs of cells that must differ for another reason than a common house.
    ///
    /// These are the pairs of [`different`](Self::different), those of
    /// [`implied_different`](Self::implied_different), and the cells of each relation that excludes equal
    /// digits. The lower cell comes first. A pair may occur more than once.
    pub fn all_different(&self) -> impl Iterator<Item = (u16, u16)> {
        let excludes_equal = |relation: &&Relation| {
            let table = &self.tables[usize::from(relation.table)];
            relation.from < relation.to
                && table.iter().enumerate().all(|(digit, beside)| beside >> digit & 1 == 0)
        };
        let related = self.relations.iter().filter(excludes_equal);
        let related = related.map(|relation| (relation.from, relation.to));
        self.different.iter().chain(&self.implied).copied().chain(related)
    }

    /// Returns the relations. Each relation restricts the digit of its second cell, given the digit of its
    /// first cell.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Returns the tables of all relations. Each different table occurs once.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the sums.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Returns the quotas. A quota requires that some cells contain a digit at least a given number of times.
    pub fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    /// Returns the cells whose candidates the text restricts, each with the mask of its remaining candidates.
    pub fn masks(&self) -> &[(u16, u64)] {
        &self.masks
    }

    /// Returns true if the rules only restrict candidates. The houses are then the usual rows, columns and
    /// boxes.
    pub fn are_candidates(&self) -> bool {
        let is_plain = |house: &HouseEntry| !matches!(house.label, Label::Item(..));
        let has_boxes = self.houses.len() == 3 * self.shape.side();
        self.has_only_houses() && self.different.is_empty() && has_boxes && self.houses.iter().all(is_plain)
    }

    /// Marks these rules as shared by all grids in one execution of the program.
    ///
    /// Afterwards, [`is_run_wide`](Self::is_run_wide) returns true if the grids are 9x9 and the rules consist
    /// only of houses and of pairs of cells that must differ.
    pub fn into_run_wide(mut self) -> Self {
        self.is_run_wide = self.shape == Shape { box_rows: 3, box_columns: 3 } && self.has_only_houses();
        self
    }

    /// Returns true if all 9x9 grids in one execution of the program share these rules and the rules are
    /// simple.
    ///
    /// Simple rules consist only of houses and of pairs of cells that must differ. Engines may search
    /// hundreds of grids with such rules at once.
    pub fn is_run_wide(&self) -> bool {
        self.is_run_wide
    }

    /// Returns true if the rules consist only of houses and of pairs of cells that must differ.
    pub fn has_only_houses(&self) -> bool {
        self.relations.is_empty() && self.sums.is_empty() && self.quotas.is_empty()
    }

    /// Returns the claims (conditions on the digits of some cells) that the verifier checks. They are read
    /// from the text, independently of the compiled tables.
    pub fn claims(&self) -> &Claims {
        self.claims.get_or_init(|| Claims::read(&self.text, self.shape))
    }

    /// Returns the first sum whose target no digits can reach, or `None` if none is found.
    ///
    /// `masks` returns the candidates of a cell. The function gives up on a sum that would need a long
    /// search.
    pub fn unreached(&self, masks: &dyn Fn(u16) -> u64) -> Option<&Sum> {
        sums::first_unreached(&self.sums, masks)
    }

    /// Returns the item with the given 0-based number, including its dot. Returns an empty text if there is
    /// no such item.
    pub fn item(&self, number: usize) -> &str {
        items(&self.text).ok().and_then(|all| all.get(number).map(|item| item.text)).unwrap_or_default()
    }

    /// Returns a label in words, such as `row 2` or `cage of 15 at r1c1`.
    pub fn name(&self, label: Label) -> String {
        Name { rules: self, label }.to_string()
    }
}

struct Name<'a> {
    rules: &'a Rules,
    label: Label,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (item, first) = match self.label {
            Label::Row(row) => return write!(f, "row {}", row + 1),
            Label::Column(column) => return write!(f, "column {}", column + 1),
            Label::Box(number) => return write!(f, "box {}", number + 1),
            Label::Item(item, first) => (usize::from(item), usize::from(first)),
        };
        let side = self.rules.shape.side();
        let items = items(&self.rules.text).unwrap_or_default();
        let Some(item) = items.get(item) else { return f.write_str("a rule") };
        let words = kinds::find(item.name).map_or("rule", |kind| kind.noun);
        f.write_str(words)?;
        if let (Some(sum), "cage" | "sum" | "little killer") = (item.arguments.first(), words)
            && sum.parse().is_ok_and(|sum: i64| sum != 0)
        {
            write!(f, " of {sum}")?;
        }
        write!(f, " at r{}c{}", first / side + 1, first % side + 1)
    }
}
