//! Rules beyond rows, columns and boxes, as data.
//!
//! A text of items ([`text`](items), the language) is compiled once into [`Rules`], which all puzzles with that text share:
//!
//! ```text
//! text  --compile-->  houses      sets of cells with different digits, rows and columns among them
//!                     different   pairs of cells with different digits
//!                     relations   pairs of cells, and the digits one may have beside each digit of the other
//!                     sums        cells, coefficients, a target
//!                     quotas      cells, a digit, how often it has to stand there
//!                     masks       cells and the digits they may have at all
//!       --read----->  Claims      what the verifier and the naive engine ask, one by one
//! ```
//! No engine knows the name of an item. The two readings of a text share nothing but the cut into items' kinds: `claims`
//! cuts the text again, reads cells again and has its own words for every rule, so that a fault of the compiler is seen in
//! every solution that it lets through. An item that is not understood is an error, never left out.

mod claims;
mod compile;
mod compiler;
mod drawing;
mod houses;
mod killer;
mod kinds;
mod pairs;
mod short;
mod sums;
mod text;

use std::fmt;
use std::sync::OnceLock;

pub use claims::{Claim, Claims};
pub use compile::{candidates_alone, compile};
pub use drawing::Drawing;
pub use killer::killer;
pub use kinds::{KINDS, KindInfo, are_rules, begins_rules};
pub use kinds::{may_have_rules, misplaced, no_rules_in};
pub use short::{RunRules, SHORT_NAMES, ShortName};
pub use text::{Item, MAX_NAMED_SIDE, RuleError, cell_of, items, name_of, replaces_boxes, without_blanks};

/// The side and the boxes of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of a box; 1 for a grid without boxes.
    pub box_rows: usize,
    /// Columns of a box; the side of a grid without boxes.
    pub box_columns: usize,
}

impl Shape {
    /// Cells in a row, and the number of digits.
    pub fn side(self) -> usize {
        self.box_rows * self.box_columns
    }

    /// Cells in the grid.
    pub fn cells(self) -> usize {
        self.side() * self.side()
    }

    /// True if it has boxes.
    pub fn has_boxes(self) -> bool {
        self.box_rows > 1
    }

    /// The box of a cell, row of boxes by row of boxes.
    pub fn box_of(self, cell: usize) -> usize {
        let side = self.side();
        cell / side / self.box_rows * self.box_rows + cell % side / self.box_columns
    }
}

/// The name of a house, a relation or a sum in words for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// A row, from 0.
    Row(u16),
    /// A column, from 0.
    Column(u16),
    /// A box, row of boxes by row of boxes, from 0.
    Box(u16),
    /// What an item of the text says, from 0, about cells of which this is the first.
    Item(u16, u16),
}

/// Cells that hold different digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct House<'a> {
    /// Its cells, ascending, no more than the side. With as many cells as digits it is *full*: it holds every digit.
    pub cells: &'a [u16],
    /// Its name.
    pub label: Label,
}

/// Where a house has its cells among those of all houses: a list each would be most of what rules of regions allocate.
#[derive(Debug)]
struct HouseEntry {
    start: u32,
    end: u32,
    label: Label,
}

/// The digits that two cells may hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation {
    /// The cell whose digit is looked up.
    pub from: u16,
    /// The cell whose digits the table says.
    pub to: u16,
    /// Number of the table in [`Rules::tables`].
    pub table: u16,
    /// Its name.
    pub label: Label,
}

/// Per digit of one cell, from 0, the mask of digits that another may hold beside it.
pub type Table = Box<[u64]>;

/// Cells whose digits, counted from 1 and times their coefficients, add up to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// Its cells, each once, ascending, with coefficients other than 0.
    pub terms: Box<[(u16, i32)]>,
    /// The target.
    pub target: i32,
    /// True if its digits differ.
    pub differ: bool,
    /// Its name.
    pub label: Label,
}

/// Cells among which a digit stands so many times at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// Its cells, ascending.
    pub cells: Box<[u16]>,
    /// The digit, from 0.
    pub digit: u8,
    /// So many times at least.
    pub times: u8,
    /// Its name.
    pub label: Label,
}

/// The rules of a grid: all of them, rows and columns among them.
#[derive(Debug)]
pub struct Rules {
    text: Box<str>,
    shape: Shape,
    houses: Vec<HouseEntry>,
    /// The cells of all houses, one behind the other.
    house_cells: Vec<u16>,
    different: Vec<(u16, u16)>,
    relations: Vec<Relation>,
    tables: Vec<Table>,
    sums: Vec<Sum>,
    quotas: Vec<Quota>,
    masks: Vec<(u16, u64)>,
    is_common: bool,
    /// Read from the text when first asked for.
    claims: OnceLock<Claims>,
}

impl PartialEq for Rules {
    /// The same text for the same shape.
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.text == other.text
    }
}

impl Eq for Rules {}

impl Rules {
    /// The text, without white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The side and boxes of the grids it is for.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The houses: rows, columns, then boxes unless other regions stand in their place, then those of items.
    pub fn houses(&self) -> impl ExactSizeIterator<Item = House<'_>> + Clone {
        self.houses.iter().map(|&HouseEntry { start, end, label }| House {
            cells: &self.house_cells[start as usize..end as usize],
            label,
        })
    }

    /// Pairs of cells with different digits that no house says, each once, the lower cell first, ascending.
    pub fn different(&self) -> &[(u16, u16)] {
        &self.different
    }

    /// The relations, each in one direction.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The tables of relations: one for each kind that occurs.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The sums.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// The digits that have to stand among cells.
    pub fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    /// Cells whose candidates the text narrows, with what it leaves them.
    pub fn masks(&self) -> &[(u16, u64)] {
        &self.masks
    }

    /// True if they narrow candidates and say nothing else: the houses are rows, columns and boxes.
    pub fn are_candidates(&self) -> bool {
        let is_plain = |house: &HouseEntry| !matches!(house.label, Label::Item(..));
        let has_boxes = self.houses.len() == 3 * self.shape.side();
        self.are_houses() && self.different.is_empty() && has_boxes && self.houses.iter().all(is_plain)
    }

    /// The same rules as those of all grids of a run, which [`is_common`](Self::is_common) then says where it is so.
    pub fn of_a_run(mut self) -> Self {
        self.is_common = self.shape == Shape { box_rows: 3, box_columns: 3 } && self.are_houses();
        self
    }

    /// True if all grids of a run have them, 9x9 with nothing but houses and pairs of different cells: then engines may
    /// search hundreds of these grids at once.
    pub fn is_common(&self) -> bool {
        self.is_common
    }

    /// True if there is nothing but houses and pairs of different cells.
    pub fn are_houses(&self) -> bool {
        self.relations.is_empty() && self.sums.is_empty() && self.quotas.is_empty()
    }

    /// The rules as the verifier reads them from the text, by itself.
    pub fn claims(&self) -> &Claims {
        self.claims.get_or_init(|| Claims::read(&self.text, self.shape))
    }

    /// The first sum that no digits of these masks reach, a cell each; of those that a short search settles.
    pub fn unreached(&self, masks: &dyn Fn(u16) -> u64) -> Option<&Sum> {
        sums::first_unreached(&self.sums, masks)
    }

    /// An item of the text, from 0, with its dot; empty where there is none.
    pub fn item(&self, number: usize) -> &str {
        items(&self.text).ok().and_then(|all| all.get(number).map(|item| item.text)).unwrap_or_default()
    }

    /// A label in words: `row 2`, `cage of 15 at r1c1`.
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
