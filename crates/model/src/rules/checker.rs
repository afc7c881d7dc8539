//! The rules of a text, in the form that the verifier and the naive engine need.
//!
//! This module reads the language of rules independently of the compiler. It does not use the compiler's
//! tables.
//!
//! The code is short, simple and slow. It turns every rule into claims (conditions on the digits of some
//! cells), and checks each claim separately. Digits in claims are 1-based.

use std::sync::OnceLock;

use super::Shape;

/// A claim about the digits of some cells. Digits are 1-based.
#[derive(Debug, Clone, Copy)]
pub struct RuleCheck<'a> {
    cells: &'a [u16],
    asks: &'a Asks,
}

/// The condition that a claim sets for the digits of its cells.
#[derive(Debug, Clone)]
enum Asks {
    /// All digits are different.
    AllDiffer,
    /// The digit is one of the listed digits.
    OneOf(Vec<i64>),
    /// The function returns true for the two digits.
    Pair(fn(i64, i64) -> bool),
    /// The two digits differ by at least this number.
    Apart(i64),
    /// The digits, each multiplied by its coefficient, add up to the target.
    Sum(Vec<i64>, i64),
    /// The digits are consecutive numbers in any order, each of them once.
    Consecutive,
    /// The digits include the listed digits, each at least as often as it is listed.
    Contain(Vec<i64>),
}

/// All claims of a text.
#[derive(Debug, Clone)]
pub struct Claims {
    list: Vec<Entry>,
    /// Cells of all claims, claim by claim.
    claimed: Vec<u16>,
    /// For each cell, the indices of the claims that involve the cell. Computed on first use.
    of_cell: OnceLock<Vec<Vec<u32>>>,
    /// Number of cells in the grid.
    cells: usize,
    /// True if the grid has at most 256 cells and every claim only requires that digits differ.
    all_differ: bool,
}

/// A claim: the range of its cells in `claimed`, and its condition.
#[derive(Debug, Clone)]
struct Entry {
    start: u32,
    end: u32,
    asks: Asks,
    /// 0-based number of the item from which the claim comes, or `None` for a row, column or box.
    item: Option<u32>,
}

impl RuleCheck<'_> {
    /// Returns true if the digits known so far violate the claim. Digits are 1-based.
    ///
    /// The result is exact if all cells of the claim have digits. Otherwise, the function may miss a
    /// violation.
    pub fn is_broken(&self, digit: &dyn Fn(usize) -> Option<i64>) -> bool {
        if matches!(self.asks, Asks::AllDiffer) {
            let mut met = 0u64;
            return self.cells.iter().filter_map(|&cell| digit(cell.into())).any(|digit| {
                let bit = 1u64.wrapping_shl((digit - 1) as u32);
                let again = met & bit != 0;
                met |= bit;
                again
            });
        }
        let Some(digits) = self.cells.iter().map(|&cell| digit(cell.into())).collect::<Option<Vec<i64>>>()
        else {
            return false;
        };
        match self.asks {
            Asks::AllDiffer => false,
            Asks::OneOf(these) => !these.contains(&digits[0]),
            Asks::Pair(is_right) => !is_right(digits[0], digits[1]),
            Asks::Apart(least) => (digits[0] - digits[1]).abs() < *least,
            Asks::Sum(numbers, target) => {
                digits.iter().zip(numbers).map(|(digit, number)| digit * number).sum::<i64>() != *target
            }
            Asks::Consecutive => {
                let mut sorted = digits;
                sorted.sort_unstable();
                sorted.windows(2).any(|pair| pair[1] != pair[0] + 1)
            }
            Asks::Contain(these) => {
                let times = |list: &[i64], digit: i64| list.iter().filter(|&&other| other == digit).count();
                these.iter().any(|&digit| times(&digits, digit) < times(these, digit))
            }
        }
    }
}

impl Claims {
    /// Reads the claims of a text that the compiler has already accepted for grids of this shape.
    ///
    /// An unknown item becomes a claim that no grid satisfies, so that no grid passes without a check.
    pub(super) fn read(text: &str, shape: Shape) -> Self {
        let items: Vec<&str> = text[1..].split('.').collect();
        let list = Vec::with_capacity(4 * shape.side() + 2 * items.len());
        let claimed = Vec::with_capacity(4 * shape.cells());
        let mut reading = Reading { shape, side: shape.side(), items: &items, list, claimed, item: None };
        reading.plain_grid(!items.contains(&"NoBoxes"));
        let mut words = Vec::new();
        let mut alone = Vec::new();
        for (number, item) in items.iter().enumerate() {
            // A repeated item without arguments has no further effect, but could add thousands of claims.
            if !item.contains('~') {
                if alone.contains(item) {
                    continue;
                }
                alone.push(*item);
            }
            reading.item = Some(number as u32);
            words.clear();
            words.extend(item.split('~'));
            reading.read_item(&words);
        }
        let Reading { list, claimed, .. } = reading;
        let cells = shape.cells();
        let all_differ = cells <= 256 && list.iter().all(|entry| matches!(entry.asks, Asks::AllDiffer));
        Claims { list, claimed, of_cell: OnceLock::new(), cells, all_differ }
    }

    fn claim<'a>(&'a self, entry: &'a Entry) -> RuleCheck<'a> {
        RuleCheck { cells: &self.claimed[entry.start as usize..entry.end as usize], asks: &entry.asks }
    }

    /// Returns true if a full grid satisfies all claims, or `None` if this fast method does not apply.
    ///
    /// The method applies if the grid has at most 256 cells and every claim only requires that digits differ.
    /// Digits are 0-based, and there are at most 16 of them. A corpus has many grids, so the speed matters.
    /// [`first_broken`](Self::first_broken) is slower.
    pub fn differ(&self, digits: &[u8]) -> Option<bool> {
        if !self.all_differ {
            return None;
        }
        let mut bits = [0u16; 256];
        bits.iter_mut().zip(digits).for_each(|(bit, digit)| *bit = 1 << (digit & 15));
        let is_wrong = |entry: &Entry| {
            let cells = self.claim(entry).cells;
            let met = cells.iter().fold(0, |met, &cell| met | bits[usize::from(cell & 255)]);
            met.count_ones() as usize != cells.len()
        };
        Some(!self.list.iter().fold(false, |wrong, entry| wrong | is_wrong(entry)))
    }

    /// Returns all claims that involve the given cell.
    pub fn about(&self, cell: usize) -> impl Iterator<Item = RuleCheck<'_>> {
        let of_cell = self.of_cell.get_or_init(|| {
            let mut of_cell = vec![Vec::new(); self.cells];
            for (number, entry) in self.list.iter().enumerate() {
                self.claim(entry)
                    .cells
                    .iter()
                    .for_each(|&cell| of_cell[usize::from(cell)].push(number as u32));
            }
            of_cell
        });
        of_cell[cell].iter().map(|&number| self.claim(&self.list[number as usize]))
    }

    /// Returns the first claim that a full grid violates, or `None` if there is no such claim. Digits are
    /// 0-based.
    ///
    /// The first part of the result is the 0-based index of the claim's item. It is `None` if the claim is
    /// about a row, column or box. The second part is the first cell of the claim.
    pub fn first_broken(&self, digits: &[u8]) -> Option<(Option<usize>, usize)> {
        if self.differ(digits) == Some(true) {
            return None;
        }
        let digit = |cell: usize| digits.get(cell).map(|&digit| i64::from(digit) + 1);
        let broken = self.list.iter().find(|entry| self.claim(entry).is_broken(&digit))?;
        let cell = self.claim(broken).cells.first().copied().unwrap_or(0);
        Some((broken.item.map(|item| item as usize), cell.into()))
    }
}

struct Reading<'a> {
    shape: Shape,
    side: usize,
    items: &'a [&'a str],
    list: Vec<Entry>,
    claimed: Vec<u16>,
    item: Option<u32>,
}

impl Reading<'_> {
    fn claim(&mut self, cells: impl IntoIterator<Item = usize>, asks: Asks) {
        let start = self.claimed.len() as u32;
        self.claimed.extend(cells.into_iter().map(|cell| cell as u16));
        self.list.push(Entry { start, end: self.claimed.len() as u32, asks, item: self.item });
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.side * self.side
    }

    /// Adds one claim per group of cells: the digits of the group must differ.
    ///
    /// `at(group, position)` returns the cell at a position within a group.
    fn differ_by(&mut self, at: impl Fn(usize, usize) -> usize) {
        for group in 0..self.side {
            self.claim((0..self.side).map(|place| at(group, place)), Asks::AllDiffer);
        }
    }

    fn plain_grid(&mut self, with_boxes: bool) {
        let side = self.side;
        self.differ_by(|row, column| row * side + column);
        self.differ_by(|column, row| row * side + column);
        if with_boxes {
            let shape = self.shape;
            self.differ_by(|number, place| cell_of_box(shape, number, place));
        }
    }

    /// Returns the pairs of cells that are `one` rows and `other` columns apart, or the other way round.
    ///
    /// The cell with the lower index comes first in each pair.
    fn pairs_apart(&self, one: usize, other: usize) -> Vec<[usize; 2]> {
        let side = self.side;
        let distance = |a: usize, b: usize| ((a / side).abs_diff(b / side), (a % side).abs_diff(b % side));
        let is_apart = |a: usize, b: usize| distance(a, b) == (one, other) || distance(a, b) == (other, one);
        self.all()
            .flat_map(|a| (a + 1..side * side).filter(move |&b| is_apart(a, b)).map(move |b| [a, b]))
            .collect()
    }

    /// Adds a claim for all pairs of cells that are `one` row and `other` columns apart, or the other way
    /// round.
    fn claim_apart(&mut self, one: usize, other: usize, asks: &Asks) {
        self.pairs_apart(one, other).into_iter().for_each(|pair| self.claim(pair, asks.clone()));
    }

    /// Parses the name of a cell, such as R1C1, or returns `None` if the name is invalid.
    ///
    /// Numbers above 9 are written as letters.
    fn cell(&self, name: &str) -> Option<usize> {
        const NUMBERS: &str = "0123456789ABCDEFG";
        let letter = |at: usize| Some(char::from(*name.as_bytes().get(at)?).to_ascii_uppercase());
        let number = |at: usize| NUMBERS.find(letter(at)?)?.checked_sub(1).filter(|at| *at < self.side);
        Some(number(1)? * self.side + number(3)?)
    }

    fn cells(&self, names: &[&str]) -> Option<Vec<usize>> {
        let mut cells = Vec::with_capacity(names.len());
        for name in names {
            cells.push(self.cell(name)?);
        }
        Some(cells)
    }

    fn read_item(&mut self, words: &[&str]) {
        if self.read_words(words[0], &words[1..]).is_none() {
            // An unknown item becomes a claim that no digit can satisfy.
            self.claim([0], Asks::OneOf(Vec::new()));
        }
    }

    fn read_words(&mut self, name: &str, words: &[&str]) -> Option<()> {
        let side = self.side;
        match name {
            "" => {
                for word in words {
                    let (cell, digits) = word.split_once('_')?;
                    let digits =
                        digits.split('_').map(|digit| digit.parse().ok()).collect::<Option<Vec<i64>>>()?;
                    self.claim([self.cell(cell)?], Asks::OneOf(digits));
                }
            }
            // Both are handled elsewhere.
            "Shape" | "NoBoxes" => {}
            "Jigsaw" => {
                let layout: Vec<char> = words.last()?.chars().take(side * side).collect();
                let (mut letters, mut region) = (Vec::with_capacity(side), Vec::with_capacity(side));
                for letter in &layout {
                    if letters.contains(&letter) {
                        continue;
                    }
                    letters.push(letter);
                    region.clear();
                    region.extend(
                        layout
                            .iter()
                            .zip(self.all())
                            .filter(|(here, _)| *here == letter)
                            .map(|(_, cell)| cell),
                    );
                    if region.len() == side {
                        self.claim(region.iter().copied(), Asks::AllDiffer);
                    }
                }
            }
            "AllDifferent" => self.claim(self.cells(words)?, Asks::AllDiffer),
            "Diagonal" => {
                let rising = *words.first()? == "1";
                let is_on = |cell: &usize| {
                    let (row, column) = (cell / side, cell % side);
                    if rising { row + column + 1 == side } else { row == column }
                };
                self.claim(self.all().filter(is_on), Asks::AllDiffer);
            }
            "Windoku" => {
                // The top left window begins at row 1 and column 1 (0-based). A gap of one row or column
                // separates windows. So a row or column is outside all windows if its 0-based index is a
                // multiple of the box's size plus 1.
                let Shape { box_rows, box_columns } = self.shape;
                let (down, right) = ((side - 1) / (box_rows + 1), (side - 1) / (box_columns + 1));
                for window in 0..down * right {
                    let is_in = |cell: &usize| {
                        let (row, column) = (cell / side, cell % side);
                        let inside = row % (box_rows + 1) > 0 && column % (box_columns + 1) > 0;
                        inside
                            && row / (box_rows + 1) == window / right
                            && column / (box_columns + 1) == window % right
                    };
                    self.claim(self.all().filter(is_in), Asks::AllDiffer);
                }
            }
            "DisjointSets" => {
                let shape = self.shape;
                self.differ_by(|place, number| cell_of_box(shape, number, place));
            }
            "AntiKnight" => self.claim_apart(1, 2, &Asks::AllDiffer),
            "AntiKing" => self.claim_apart(1, 1, &Asks::AllDiffer),
            "AntiConsecutive" => self.claim_apart(0, 1, &Asks::Pair(|a, b| (a - b).abs() != 1)),
            _ => return self.read_line(name, words),
        }
        Some(())
    }

    /// Reads an item that may occur many times in a text, such as a cage.
    fn read_line(&mut self, name: &str, words: &[&str]) -> Option<()> {
        let cells = || self.cells(words);
        match name {
            "Cage" => {
                let (sum, cells) = words.split_first()?;
                let cells = self.cells(cells)?;
                self.claim(cells.clone(), Asks::AllDiffer);
                let sum: i64 = if sum.is_empty() { 0 } else { sum.parse().ok()? };
                if sum != 0 {
                    self.sum(cells, |_| 1, sum);
                }
            }
            "Sum" => {
                let (sum, cells) = words.split_first()?;
                let cells = self.cells(cells)?;
                let (sum, numbers) = match sum.split_once("_=_") {
                    None => (*sum, vec![1; cells.len()]),
                    Some((sum, numbers)) => {
                        (sum, numbers.split('_').map(|number| number.parse().ok()).collect::<Option<_>>()?)
                    }
                };
                self.claim(cells, Asks::Sum(numbers, sum.parse().ok()?));
            }
            "Arrow" => self.sum(cells()?, |at| if at == 0 { -1 } else { 1 }, 0),
            "DoubleArrow" => {
                let cells = cells()?;
                let last = cells.len() - 1;
                self.sum(cells, |at| if at == 0 || at == last { -1 } else { 1 }, 0);
            }
            "PillArrow" => {
                let (size, cells) = words.split_first()?;
                let (size, mut cells) = (size.parse().ok()?, self.cells(cells)?);
                cells[..size].sort_unstable();
                for &cell in &cells[1..size] {
                    self.claim([cell], Asks::OneOf((1..=9).collect()));
                }
                self.sum(cells, |at| if at < size { -(10i64.pow((size - at - 1) as u32)) } else { 1 }, 0);
            }
            "LittleKiller" => {
                let side = self.side;
                let start = self.cell(words.get(1)?)?;
                let (row, column) = (start / side, start % side);
                // A cell on the left or right edge starts a falling diagonal. A cell on the top or bottom
                // edge starts a rising diagonal.
                let falls = column == 0 || column + 1 == side && row > 0;
                let is_on = |cell: &usize| {
                    let (r, c) = (cell / side, cell % side);
                    if falls { r + column == c + row } else { r + c == row + column }
                };
                let cells = self.all().filter(is_on).collect();
                self.sum(cells, |_| 1, words[0].parse().ok()?);
            }
            "WhiteDot" => self.neighbours(&cells()?, |a, b| (a - b).abs() == 1),
            "BlackDot" => self.neighbours(&cells()?, |a, b| a == 2 * b || b == 2 * a),
            "X" => self.neighbours(&cells()?, |a, b| a + b == 10),
            "V" => self.neighbours(&cells()?, |a, b| a + b == 5),
            "GreaterThan" => self.neighbours(&cells()?, |a, b| a > b),
            "StrictKropki" => {
                self.unmarked(&["WhiteDot", "BlackDot"], |a, b| {
                    (a - b).abs() != 1 && a != 2 * b && b != 2 * a
                });
            }
            "StrictXV" => self.unmarked(&["X", "V"], |a, b| a + b != 5 && a + b != 10),
            "Thermo" => self.along(&cells()?, &Asks::Pair(|a, b| a < b)),
            "Whisper" => {
                let (least, names) = match words.first()?.parse() {
                    Ok(least) => (least, &words[1..]),
                    Err(_) => (5, words),
                };
                self.along(&self.cells(names)?, &Asks::Apart(least));
            }
            "Renban" => self.claim(cells()?, Asks::Consecutive),
            "Palindrome" => {
                let cells = cells()?;
                for at in 0..cells.len() / 2 {
                    let pair = [cells[at], cells[cells.len() - 1 - at]];
                    self.claim(pair, Asks::Pair(|a, b| a == b));
                }
            }
            "Quad" => {
                let (corner, digits) = words.split_first()?;
                let corner = self.cell(corner)?;
                let digits = digits.iter().map(|digit| digit.parse().ok()).collect::<Option<_>>()?;
                let below = corner + self.side;
                self.claim([corner, corner + 1, below, below + 1], Asks::Contain(digits));
            }
            _ => return None,
        }
        Some(())
    }

    fn sum(&mut self, cells: Vec<usize>, number: impl Fn(usize) -> i64, target: i64) {
        let numbers = (0..cells.len()).map(number).collect();
        self.claim(cells, Asks::Sum(numbers, target));
    }

    /// Adds a claim for every two of these cells that share an edge. The cells of a pair are in the order of
    /// the list.
    fn neighbours(&mut self, cells: &[usize], is_right: fn(i64, i64) -> bool) {
        let side = self.side;
        for (at, &a) in cells.iter().enumerate() {
            for &b in &cells[at + 1..] {
                if (a / side).abs_diff(b / side) + (a % side).abs_diff(b % side) == 1 {
                    self.claim([a, b], Asks::Pair(is_right));
                }
            }
        }
    }

    /// Adds a claim for every two cells that share an edge, unless an item marks the two cells as a pair.
    ///
    /// `names` are the names of the items that mark cells.
    fn unmarked(&mut self, names: &[&str], is_right: fn(i64, i64) -> bool) {
        let mut marks: Vec<Vec<usize>> = Vec::new();
        for item in self.items {
            let words: Vec<&str> = item.split('~').collect();
            if names.contains(&words[0]) {
                marks.extend(self.cells(&words[1..]));
            }
        }
        for pair in self.pairs_apart(0, 1) {
            if !marks.iter().any(|mark| pair.iter().all(|cell| mark.contains(cell))) {
                self.claim(pair, Asks::Pair(is_right));
            }
        }
    }

    /// Adds a claim for every two consecutive cells of a line.
    fn along(&mut self, cells: &[usize], asks: &Asks) {
        cells.windows(2).for_each(|pair| self.claim(pair.iter().copied(), asks.clone()));
    }
}

/// Returns the cell at position `place` of a box. Boxes, and positions within a box, are numbered row by row.
fn cell_of_box(shape: Shape, number: usize, place: usize) -> usize {
    let across = shape.side() / shape.box_columns;
    let row = number / across * shape.box_rows + place / shape.box_columns;
    row * shape.side() + number % across * shape.box_columns + place % shape.box_columns
}

#[cfg(test)]
mod tests {
    use super::super::compile;
    use super::*;

    /// Returns the houses that the compiler finds and those that the checker finds, as sorted lists of cells.
    fn houses(text: &str, shape: Shape) -> [Vec<Vec<usize>>; 2] {
        let rules = compile(text, shape).unwrap();
        let house = |cells: &[u16]| cells.iter().map(|&cell| usize::from(cell)).collect::<Vec<_>>();
        let mut compiled: Vec<Vec<usize>> = rules.houses().map(|one| house(one.cells)).collect();
        compiled.extend(rules.different().iter().map(|&(a, b)| vec![a.into(), b.into()]));
        let claims = rules.claims();
        let differ = |entry: &&Entry| matches!(entry.asks, Asks::AllDiffer);
        let cells = |entry: &Entry| house(claims.claim(entry).cells);
        let mut read: Vec<Vec<usize>> = claims.list.iter().filter(differ).map(cells).collect();
        for list in [&mut compiled, &mut read] {
            list.sort();
            list.dedup();
        }
        [compiled, read]
    }

    #[test]
    fn both_readings_have_the_same_houses() {
        let text =
            ".Diagonal~1.Diagonal~-1.Windoku.DisjointSets.AntiKnight.AntiKing.AllDifferent~R1C1~R2C2~R3C4";
        for (box_rows, box_columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (3, 4), (4, 4)] {
            let shape = Shape { box_rows, box_columns };
            for text in [text.to_owned(), format!(".NoBoxes{text}")] {
                let [compiled, read] = houses(&text, shape);
                assert_eq!(compiled, read, "{shape:?}");
            }
        }
    }

    #[test]
    fn both_readings_have_the_same_regions() {
        let shape = Shape { box_rows: 1, box_columns: 5 };
        for layout in ["zzzzb zcbbb cccbd ceddd eeeed", "zzzzb zcbbb cccbd cdddd ddddd"] {
            let text = format!(".NoBoxes.Jigsaw~{}", layout.replace(' ', ""));
            let [compiled, read] = houses(&text, shape);
            assert_eq!(compiled, read, "{layout}");
        }
    }

    #[test]
    fn a_repeated_item_adds_nothing() {
        let shape = Shape { box_rows: 3, box_columns: 3 };
        let once = Claims::read(".AntiKnight.Diagonal~1", shape);
        let again = Claims::read(".AntiKnight.AntiKnight.Diagonal~1.AntiKnight", shape);
        assert_eq!(once.list.len(), again.list.len());
    }

    #[test]
    fn unknown_rules_are_never_fulfilled() {
        let shape = Shape { box_rows: 2, box_columns: 2 };
        let grid = [0, 1, 2, 3, 2, 3, 0, 1, 1, 0, 3, 2, 3, 2, 1, 0];
        assert!(Claims::read(".Shape~4x4", shape).first_broken(&grid).is_none());
        let claims = Claims::read(".Shape~4x4.Unknown", shape);
        assert_eq!(claims.first_broken(&grid), Some((Some(1), 0)));
        let claims = Claims::read(".Diagonal~1", shape);
        assert_eq!(claims.first_broken(&grid), Some((Some(0), 3)));
    }
}
