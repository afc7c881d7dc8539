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

/// The side and the boxes of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Number of rows of a box; 1 for a grid without boxes.
    pub box_rows: usize,
    /// Number of columns of a box; the side for a grid without boxes.
    pub box_columns: usize,
}

impl Shape {
    /// Returns the number of cells in a row, which is the number of digits.
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

    /// Returns the box of a cell. Boxes are numbered row by row.
    pub fn box_of(self, cell: usize) -> usize {
        let side = self.side();
        cell / side / self.box_rows * self.box_rows + cell % side / self.box_columns
    }
}

/// A house, a relation or a sum, to be named in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Label {
    /// A row, 0-based.
    Row(u16),
    /// A column, 0-based.
    Column(u16),
    /// A box, 0-based. Boxes are numbered row by row.
    Box(u16),
    /// A rule of an item: the item's 0-based number in the text, and the first of its cells.
    Item(u16, u16),
}

/// Cells that hold different digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct House<'a> {
    /// The cells of the house, ascending, at most as many as the side.
    ///
    /// A house with as many cells as digits is *full*: it holds every digit.
    pub cells: &'a [u16],
    /// The name of the house.
    pub label: Label,
}

/// The range of a house's cells among those of all houses.
///
/// One list per house would be most of the allocations of rules with regions.
#[derive(Debug)]
struct HouseEntry {
    start: u32,
    end: u32,
    label: Label,
}

/// The digits that two cells may hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relation {
    /// The cell whose digit is looked up.
    pub from: u16,
    /// The cell whose digits the table returns.
    pub to: u16,
    /// Number of the table in [`Rules::tables`].
    pub table: u16,
    /// The name of the relation.
    pub label: Label,
}

/// For each 0-based digit of one cell, the mask of digits that the other cell may hold with it.
pub type Table = Box<[u64]>;

/// Cells whose 1-based digits, multiplied by coefficients, add up to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sum {
    /// The cells, each once, ascending, with coefficients other than 0.
    pub terms: Box<[(u16, i32)]>,
    /// The target.
    pub target: i32,
    /// True if the digits must differ.
    pub differ: bool,
    /// The name of the sum.
    pub label: Label,
}

/// Cells that contain a digit at least a given number of times.
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

/// All rules of a grid, including rows and columns.
#[derive(Debug)]
pub struct Rules {
    text: Box<str>,
    shape: Shape,
    houses: Vec<HouseEntry>,
    /// The cells of all houses, one house after another.
    house_cells: Vec<u16>,
    different: Vec<(u16, u16)>,
    implied: Vec<(u16, u16)>,
    relations: Vec<Relation>,
    tables: Vec<Table>,
    sums: Vec<Sum>,
    quotas: Vec<Quota>,
    masks: Vec<(u16, u64)>,
    is_run_wide: bool,
    /// The claims are read from the text on first use.
    claims: OnceLock<Claims>,
}

impl PartialEq for Rules {
    /// Returns true for the same text and shape.
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.text == other.text
    }
}

impl Eq for Rules {}

impl Rules {
    /// Returns the text, without white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the shape of the grids that the rules are for.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the houses: rows, columns, boxes unless other regions replace them, then those of items.
    pub fn houses(&self) -> impl ExactSizeIterator<Item = House<'_>> + Clone {
        self.houses.iter().map(|&HouseEntry { start, end, label }| House {
            cells: &self.house_cells[start as usize..end as usize],
            label,
        })
    }

    /// Returns the pairs of cells that must differ although no house contains both.
    ///
    /// Each pair occurs once, the lower cell first, in ascending order.
    pub fn different(&self) -> &[(u16, u16)] {
        &self.different
    }

    /// Returns further pairs of cells that must differ, since relations give their digits from those of cells that must.
    pub fn implied_different(&self) -> &[(u16, u16)] {
        &self.implied
    }

    /// Returns the relations, each in one direction.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Returns the tables of relations, one per kind that occurs.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the sums.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Returns the digits that must be among some cells.
    pub fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    /// Returns the cells whose candidates the text narrows, with the mask of the candidates left.
    pub fn masks(&self) -> &[(u16, u64)] {
        &self.masks
    }

    /// Returns true if the rules only narrow candidates: the houses are rows, columns and boxes.
    pub fn are_candidates(&self) -> bool {
        let is_plain = |house: &HouseEntry| !matches!(house.label, Label::Item(..));
        let has_boxes = self.houses.len() == 3 * self.shape.side();
        self.has_only_houses() && self.different.is_empty() && has_boxes && self.houses.iter().all(is_plain)
    }

    /// Notes that all grids of a run have these rules. [`is_run_wide`](Self::is_run_wide) then returns true if
    /// the rules are for 9x9 grids and have only houses and pairs of different cells.
    pub fn into_run_wide(mut self) -> Self {
        self.is_run_wide = self.shape == Shape { box_rows: 3, box_columns: 3 } && self.has_only_houses();
        self
    }

    /// Returns true for rules of a whole run of 9x9 grids, with only houses and pairs of different cells.
    ///
    /// Engines may search hundreds of these grids at once.
    pub fn is_run_wide(&self) -> bool {
        self.is_run_wide
    }

    /// Returns true if there are only houses and pairs of different cells.
    pub fn has_only_houses(&self) -> bool {
        self.relations.is_empty() && self.sums.is_empty() && self.quotas.is_empty()
    }

    /// Returns the rules as the verifier reads them from the text, independently.
    pub fn claims(&self) -> &Claims {
        self.claims.get_or_init(|| Claims::read(&self.text, self.shape))
    }

    /// Returns the first sum that no digits reach, or `None`. `masks` returns the digits of a cell.
    ///
    /// Only sums that a short search settles are found.
    pub fn unreached(&self, masks: &dyn Fn(u16) -> u64) -> Option<&Sum> {
        sums::first_unreached(&self.sums, masks)
    }

    /// Returns an item of the text by its 0-based number, with its dot; empty if there is none.
    pub fn item(&self, number: usize) -> &str {
        items(&self.text).ok().and_then(|all| all.get(number).map(|item| item.text)).unwrap_or_default()
    }

    /// Returns a label in words: `row 2`, `cage of 15 at r1c1`.
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
