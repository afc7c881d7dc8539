//! Draws solutions of grids with regions, cages or marks.
//!
//! ```text
//! +-----------+-----+      a cell   the sum of the cage that begins in it, and its digit
//! |10 1 :  2  |  3  |      |  -     between regions (boxes)
//! |.....+-----+     |      :  .     between cages
//! |   4 |  3 o   2  |      o        a mark between two cells
//! ```

use quadrille_model::Symbols;
use quadrille_model::rules::Drawing;

/// Kinds of border between two cells. If two borders coincide, the later variant hides the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Border {
    None,
    Cage,
    Region,
}

impl Border {
    /// Returns the character that draws the border.
    ///
    /// `cage` and `region` are the characters for borders between cages and between regions.
    fn sign(self, cage: char, region: char) -> char {
        match self {
            Border::None => ' ',
            Border::Cage => cage,
            Border::Region => region,
        }
    }
}

/// A grid to draw.
struct Canvas<'a> {
    drawing: &'a Drawing,
    side: usize,
    /// For each cell, the indices of the cages that contain it.
    cages_of: Vec<Vec<usize>>,
}

impl Canvas<'_> {
    /// Returns the border between two neighbouring cells. The area outside the grid counts as another region.
    fn border(&self, a: Option<usize>, b: Option<usize>) -> Border {
        match (a, b) {
            (None, None) => Border::None,
            (Some(a), Some(b)) if self.drawing.regions.get(a) == self.drawing.regions.get(b) => {
                if self.cages_of[a] == self.cages_of[b] { Border::None } else { Border::Cage }
            }
            _ => Border::Region,
        }
    }

    /// Returns the cell at a 0-based row and column, or `None` if that position is outside the grid.
    fn cell(&self, row: isize, column: isize) -> Option<usize> {
        let within = 0..self.side as isize;
        (within.contains(&row) && within.contains(&column))
            .then(|| row as usize * self.side + column as usize)
    }

    /// Returns the mark that a rule draws between two neighbouring cells, such as a dot, or `None` if there
    /// is none.
    fn mark(&self, a: Option<usize>, b: Option<usize>) -> Option<char> {
        let pair = (a?, b?);
        self.drawing.marks.iter().find(|&&(low, high, _)| (low, high) == pair).map(|&(.., sign)| sign)
    }

    /// Returns the character at the point where four cells meet.
    fn corner(&self, row: isize, column: isize) -> char {
        let [a, b] = [column - 1, column].map(|column| self.cell(row - 1, column));
        let [c, d] = [column - 1, column].map(|column| self.cell(row, column));
        let upright = self.border(a, b).max(self.border(c, d));
        let level = self.border(a, c).max(self.border(b, d));
        match (upright, level) {
            (Border::None, Border::None) => ' ',
            (Border::Region, Border::None | Border::Cage) if level == Border::None => '|',
            (Border::None, Border::Region) => '-',
            (Border::Region, _) | (_, Border::Region) => '+',
            (_, Border::Cage) => '.',
            (Border::Cage, Border::None) => ':',
        }
    }

    /// Returns the line above a row, including its line end. The line is empty if nothing would be visible on
    /// it.
    fn level(&self, row: isize, width: usize) -> String {
        let mut line = String::new();
        for column in 0..self.side as isize {
            line.push(self.corner(row, column));
            let (above, below) = (self.cell(row - 1, column), self.cell(row, column));
            let stroke = self.border(above, below).sign('.', '-');
            let mark = self.mark(above, below).unwrap_or(stroke);
            line.extend((0..width).map(|place| if place == width / 2 { mark } else { stroke }));
        }
        line.push(self.corner(row, self.side as isize));
        let is_empty = line.chars().all(|sign| matches!(sign, ' ' | '|' | ':'));
        if is_empty { String::new() } else { line + "\n" }
    }
}

/// Draws the digits of a solution together with the rules in `drawing`.
pub(super) fn draw(digits: &[u8], drawing: &Drawing, symbols: Symbols, out: &mut Vec<u8>) {
    let side = digits.len().isqrt().max(1);
    let mut cages_of = vec![Vec::new(); digits.len()];
    let mut sums = vec![""; digits.len()];
    for (number, (sum, cells)) in drawing.cages.iter().enumerate() {
        cells.iter().for_each(|&cell| cages_of[cell].push(number));
        if let Some(&first) = cells.first()
            && sums[first].is_empty()
        {
            sums[first] = sum;
        }
    }
    let canvas = Canvas { drawing, side, cages_of };
    let widest = sums.iter().map(|sum| sum.len()).max().unwrap_or(0);
    let digit = |cell: usize| {
        let mut text = Vec::new();
        symbols.write_row(&digits[cell..=cell], side, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    let width = widest + 2 + digit(0).len();
    for row in 0..side as isize {
        out.extend_from_slice(canvas.level(row, width).as_bytes());
        for column in 0..=side as isize {
            let (left, right) = (canvas.cell(row, column - 1), canvas.cell(row, column));
            let stroke = canvas.border(left, right).sign(':', '|');
            let mark = canvas.mark(left, right).unwrap_or(stroke);
            out.push(mark as u8);
            if let Some(cell) = right {
                out.extend_from_slice(format!("{:widest$} {} ", sums[cell], digit(cell)).as_bytes());
            }
        }
        out.push(b'\n');
    }
    out.extend_from_slice(canvas.level(side as isize, width).as_bytes());
}
