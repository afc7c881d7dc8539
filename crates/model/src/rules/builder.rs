//! Builds the tables of rules. The functions that compile the items of a text add their rules with the
//! functions of this module.

use std::sync::OnceLock;

use super::text::{self, Item};
use super::{HouseEntry, Label, Relation, RuleError, Rules, Shape, Sum, equal};

/// The marks of a family.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Pairs of marked cells. The lower cell comes first.
    pub(super) pairs: Vec<(u16, u16)>,
    /// 1-based number of an item, such as `.StrictXV`, that restricts all unmarked pairs of cells, or `None`
    /// if there is no such item.
    ///
    /// The digits of an unmarked pair must not meet a condition of the family.
    pub(super) strict: Option<usize>,
}

/// Tables of rules, to which items are added one by one.
pub(super) struct Compiler {
    pub(super) shape: Shape,
    pub(super) side: usize,
    pub(super) rules: Rules,
    /// The marks of each family.
    pub(super) marks: [Marks; 2],
}

impl Compiler {
    /// Creates tables without houses.
    pub(super) fn bare(shape: Shape) -> Self {
        let rules = Rules {
            text: "".into(),
            shape,
            houses: Vec::new(),
            house_cells: Vec::new(),
            different: Vec::new(),
            implied: Vec::new(),
            relations: Vec::new(),
            tables: Vec::new(),
            sums: Vec::new(),
            quotas: Vec::new(),
            masks: Vec::new(),
            is_run_wide: false,
            claims: OnceLock::new(),
        };
        Compiler { shape, side: shape.side(), rules, marks: Default::default() }
    }

    /// Creates tables that have rows and columns, and also boxes unless `no_boxes` is true.
    pub(super) fn new(shape: Shape, no_boxes: bool) -> Self {
        let mut compiler = Compiler::bare(shape);
        compiler.rules.houses.reserve(3 * shape.side() + 4);
        compiler.rules.house_cells.reserve((3 * shape.side() + 4) * shape.side());
        let side = shape.side();
        for row in 0..side {
            compiler.push_house((0..side).map(|place| row * side + place), Label::Row(row as u16));
        }
        for column in 0..side {
            compiler.push_house((0..side).map(|place| place * side + column), Label::Column(column as u16));
        }
        for number in (0..side).filter(|_| !no_boxes) {
            compiler.push_house(compiler.cells_of_box(number), Label::Box(number as u16));
        }
        compiler
    }

    /// Returns the cells of a box in ascending order.
    pub(super) fn cells_of_box(&self, number: usize) -> impl Iterator<Item = usize> + use<> {
        let Shape { box_rows, box_columns } = self.shape;
        let side = self.side;
        let (top, left) = (number / box_rows * box_rows, number % box_rows * box_columns);
        (0..side).map(move |place| (top + place / box_columns) * side + left + place % box_columns)
    }

    fn push_house(&mut self, cells: impl Iterator<Item = usize>, label: Label) {
        let all = &mut self.rules.house_cells;
        let start = all.len();
        all.extend(cells.map(|cell| cell as u16));
        all[start..].sort_unstable();
        self.rules.houses.push(HouseEntry { start: start as u32, end: all.len() as u32, label });
    }

    /// Returns the label of a rule that comes from `item`. `first` is the first cell of the rule.
    pub(super) fn label(&self, item: &Item<'_>, first: usize) -> Label {
        self.label_of(item.number, first)
    }

    /// Returns the label of a rule that comes from the item with the given 1-based number.
    pub(super) fn label_of(&self, number: usize, first: usize) -> Label {
        Label::Item(u16::try_from(number - 1).unwrap_or(u16::MAX), first as u16)
    }

    /// Adds the rule that the digits of these cells must differ.
    ///
    /// Each cell may occur only once, and there may be at most as many cells as digits. A single cell is
    /// ignored.
    pub(super) fn different(&mut self, item: &Item<'_>, cells: &[usize]) {
        let first = cells.iter().copied().min().unwrap_or(0);
        let label = self.label(item, first);
        match *cells {
            [] | [_] => {}
            [a, b] => self.different_pair(a, b),
            _ => self.push_house(cells.iter().copied(), label),
        }
    }

    /// Adds the rule that two cells must have different digits.
    pub(super) fn different_pair(&mut self, a: usize, b: usize) {
        self.rules.different.push((a.min(b) as u16, a.max(b) as u16));
    }

    /// Adds the rule that two cells may only have digits for which `allowed` returns true. It is called with
    /// 1-based digits.
    pub(super) fn relate(&mut self, a: usize, b: usize, label: Label, allowed: impl Fn(i64, i64) -> bool) {
        let digits = || 1..=self.side as i64;
        let mask = |fits: &dyn Fn(i64) -> bool| {
            digits().filter(|&digit| fits(digit)).fold(0, |mask, digit| mask | 1 << (digit - 1))
        };
        let forwards: Box<[u64]> = digits().map(|x| mask(&|y| allowed(x, y))).collect();
        let backwards: Box<[u64]> = digits().map(|y| mask(&|x| allowed(x, y))).collect();
        for (from, to, table) in [(a, b, forwards), (b, a, backwards)] {
            let tables = &mut self.rules.tables;
            let number = tables.iter().position(|known| *known == table).unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            });
            let relation = Relation { from: from as u16, to: to as u16, table: number as u16, label };
            self.rules.relations.push(relation);
        }
    }

    /// Adds a sum. If a cell occurs several times, its coefficients are added up.
    pub(super) fn sum(
        &mut self,
        label: Label,
        terms: impl Iterator<Item = (usize, i32)>,
        target: i32,
        differ: bool,
    ) {
        let mut terms: Vec<(u16, i32)> = terms.map(|(cell, by)| (cell as u16, by)).collect();
        terms.sort_unstable_by_key(|&(cell, _)| cell);
        terms.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        terms.retain(|&(_, by)| by != 0);
        if let [(a, first), (b, second)] = terms[..]
            && first.signum() != second.signum()
        {
            let fits = |x: i64, y: i64| i64::from(first) * x + i64::from(second) * y == i64::from(target);
            let digits = 1..=self.side as i64;
            // A sum of two cells whose coefficients have opposite signs is stored as a table. If no two
            // digits reach the target, the rule stays a sum, so that messages can name it.
            if digits.clone().any(|x| digits.clone().any(|y| fits(x, y))) {
                return self.relate(a.into(), b.into(), label, fits);
            }
        }
        self.rules.sums.push(Sum { terms: terms.into(), target, differ, label });
    }

    /// Removes all candidates of a cell except those in `mask`.
    pub(super) fn mask(&mut self, cell: usize, mask: u64) {
        match self.rules.masks.iter_mut().find(|(known, _)| usize::from(*known) == cell) {
            Some((_, known)) => *known &= mask,
            None => self.rules.masks.push((cell as u16, mask)),
        }
    }

    /// Returns all pairs of cells that share an edge. The lower cell comes first.
    pub(super) fn neighbours(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let side = self.side;
        (0..side * side).flat_map(move |cell| {
            let right = (cell % side + 1 < side).then_some((cell, cell + 1));
            let below = (cell + side < side * side).then_some((cell, cell + side));
            right.into_iter().chain(below)
        })
    }

    /// Returns the cell with the name `word`.
    pub(super) fn cell(&self, item: &Item<'_>, word: &str) -> Result<usize, RuleError> {
        text::cell_of(word, self.side).ok_or_else(|| {
            item.invalid(format!(
                "`{}` is not a cell of a {side}x{side}",
                text::shortened(word),
                side = self.side
            ))
        })
    }

    /// Returns the cells with the names `words`.
    pub(super) fn cells(&self, item: &Item<'_>, words: &[&str]) -> Result<Vec<usize>, RuleError> {
        if words.is_empty() {
            return Err(item.invalid("no cells"));
        }
        words.iter().map(|word| self.cell(item, word)).collect()
    }

    /// Returns the cells with the names `words`, or an error if a cell occurs twice.
    pub(super) fn distinct_cells(&self, item: &Item<'_>, words: &[&str]) -> Result<Vec<usize>, RuleError> {
        let cells = self.cells(item, words)?;
        // A list longer than the number of cells in the grid must repeat a cell. So this search is short even
        // for a long list.
        if let Some(again) = (1..cells.len()).find(|&at| cells[..at].contains(&cells[at])) {
            return Err(item.invalid(format!("{} twice", words[again])));
        }
        Ok(cells)
    }

    /// Returns the cells with the names `words`, or an error if there are more cells than digits.
    pub(super) fn few_cells(&self, item: &Item<'_>, words: &[&str]) -> Result<Vec<usize>, RuleError> {
        let cells = self.distinct_cells(item, words)?;
        if cells.len() > self.side {
            let (cells, side) = (cells.len(), self.side);
            return Err(item.invalid(format!("{cells} cells, but only {side} different digits to fill them")));
        }
        Ok(cells)
    }

    /// Parses a whole number, or returns an error if it is outside the given range.
    pub(super) fn number(
        &self,
        item: &Item<'_>,
        word: &str,
        within: std::ops::RangeInclusive<i32>,
    ) -> Result<i32, RuleError> {
        word.parse().ok().filter(|number| within.contains(number)).ok_or_else(|| {
            let (low, high) = within.into_inner();
            item.invalid(format!("`{}` is not a whole number from {low} to {high}", text::shortened(word)))
        })
    }

    pub(super) fn into_rules(self, text: &str) -> Rules {
        let mut rules = self.rules;
        rules.text = text.into();
        rules.different.sort_unstable();
        rules.different.dedup();
        rules.masks.sort_unstable();
        rules.implied = equal::implied(&rules);
        rules
    }
}
