//! A grid in the form that the counter needs.
//!
//! Rows and columns are exchanged if necessary, the rows are grouped into bands, and the clues are applied to
//! their houses.

use quadrille_model::ProblemRef;

/// Maximum side.
pub(super) const MAX_SIDE: usize = 10;

/// Candidates of all cells of a grid, row by row. A band has `height` rows, and a stack has `width` columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) side: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    masks: Vec<u16>,
}

impl Frame {
    /// Creates the frame of a grid, or returns `None` if its clues contradict each other.
    ///
    /// The side length must be at most [`MAX_SIDE`]. A cell without a clue keeps all its candidates, even if
    /// clues in its houses exclude some of them. Counting excludes these candidates anyway. Digits and
    /// columns have more symmetry if cells keep all candidates.
    pub(super) fn new(problem: ProblemRef<'_>) -> Option<Frame> {
        let (height, width, masks) = match problem {
            ProblemRef::Packed(packed) => (3, 3, packed.to_cells().to_vec()),
            ProblemRef::Puzzle(puzzle) => {
                let geometry = puzzle.geometry();
                let masks = puzzle.candidates().iter().map(|set| set.0 as u16).collect();
                (geometry.box_rows(), geometry.box_columns(), masks)
            }
            ProblemRef::Cover(_) => return None,
        };
        let mut frame = Frame { side: height * width, height, width, masks };
        frame.settle().then_some(frame)
    }

    /// Applies each clue to the houses of its cell. Returns false if the clues contradict each other.
    fn settle(&mut self) -> bool {
        let cells = self.masks.len();
        let mut waiting: Vec<usize> = (0..cells).filter(|&cell| self.masks[cell].is_power_of_two()).collect();
        let mut excluded = vec![0u16; cells];
        while let Some(clue) = waiting.pop() {
            let digit = self.masks[clue];
            for (cell, excluded) in excluded.iter_mut().enumerate() {
                if cell == clue || !self.share_a_house(clue, cell) {
                    continue;
                }
                *excluded |= digit;
                if self.masks[cell] & digit != 0 {
                    self.masks[cell] ^= digit;
                    if self.masks[cell].is_power_of_two() {
                        waiting.push(cell);
                    }
                }
            }
        }
        for (mask, excluded) in self.masks.iter_mut().zip(excluded) {
            if mask.count_ones() > 1 {
                *mask |= excluded;
            }
        }
        !self.masks.contains(&0)
    }

    fn share_a_house(&self, a: usize, b: usize) -> bool {
        let ((row_a, column_a), (row_b, column_b)) =
            ((a / self.side, a % self.side), (b / self.side, b % self.side));
        row_a == row_b
            || column_a == column_b
            || (row_a / self.height == row_b / self.height && column_a / self.width == column_b / self.width)
    }

    /// Returns the grid with rows and columns exchanged.
    pub(super) fn transposed(&self) -> Frame {
        let side = self.side;
        let masks = (0..side * side).map(|cell| self.masks[cell % side * side + cell / side]).collect();
        Frame { side, height: self.width, width: self.height, masks }
    }

    /// Returns the grid with sorted bands and stacks. Those with the most restricted cells come first. A
    /// restricted cell lacks some candidates.
    ///
    /// In this order, the later bands have the most symmetry, and the last stack has the most configurations.
    pub(super) fn arranged(&self) -> Frame {
        let mut bands: Vec<usize> = (0..self.bands()).collect();
        bands.sort_by_key(|&band| std::cmp::Reverse(self.restricted(band)));
        let masks = bands.iter().flat_map(|&band| self.band(band)).copied().collect();
        let turned = Frame { masks, ..*self }.transposed();
        let mut stacks: Vec<usize> = (0..turned.bands()).collect();
        stacks.sort_by_key(|&stack| std::cmp::Reverse(turned.restricted(stack)));
        let masks = stacks.iter().flat_map(|&stack| turned.band(stack)).copied().collect();
        Frame { masks, ..turned }.transposed()
    }

    /// Gives all candidates to each cell that is the only restricted cell in its band and in its stack. A
    /// cell is restricted if it lacks some candidates.
    ///
    /// Returns the fraction of the new grid's solutions that are also solutions of the old grid, as numerator
    /// and denominator. The fraction follows from symmetry. Permuting the rows of the band and the columns of
    /// the stack can move the cell to any other cell in its box. So each digit is equally frequent in the
    /// cell.
    pub(super) fn lift_lone_cells(&mut self) -> (u128, u128) {
        let (mut numerator, mut denominator) = (1, 1);
        let all = self.all();
        let restricted = |masks: &[u16], side: usize| -> Vec<(usize, usize)> {
            let cells = (0..masks.len()).filter(|&cell| masks[cell] != all);
            cells.map(|cell| (cell / side, cell % side)).collect()
        };
        for (row, column) in restricted(&self.masks, self.side) {
            let near = |&(other_row, other_column): &(usize, usize)| {
                row / self.height == other_row / self.height
                    || column / self.width == other_column / self.width
            };
            if restricted(&self.masks, self.side).into_iter().filter(near).count() == 1 {
                numerator *= u128::from(self.masks[row * self.side + column].count_ones());
                denominator *= self.side as u128;
                self.masks[row * self.side + column] = all;
            }
        }
        (numerator, denominator)
    }

    /// Returns the grid with relabelled digits: the old digit `order[d]` becomes `d`.
    pub(super) fn relabelled(&self, order: &[u8]) -> Frame {
        let rename = |mask: &u16| {
            order
                .iter()
                .enumerate()
                .map(|(new, &old)| (mask >> old & 1) << new)
                .fold(0, |set, digit| set | digit)
        };
        Frame { masks: self.masks.iter().map(rename).collect(), ..*self }
    }

    /// Returns the set of all digits.
    pub(super) fn all(&self) -> u16 {
        (1 << self.side) - 1
    }

    pub(super) fn bands(&self) -> usize {
        self.side / self.height
    }

    pub(super) fn stacks(&self) -> usize {
        self.side / self.width
    }

    /// Returns the candidates of a cell. `row` is the row within the band, and `column` is the column within
    /// the grid.
    pub(super) fn mask(&self, band: usize, row: usize, column: usize) -> u16 {
        self.masks[(band * self.height + row) * self.side + column]
    }

    /// Returns the candidates of one band, row by row.
    pub(super) fn band(&self, band: usize) -> &[u16] {
        let cells = self.height * self.side;
        &self.masks[band * cells..][..cells]
    }

    /// Returns the number of cells in a band that lack some candidates.
    pub(super) fn restricted(&self, band: usize) -> usize {
        self.band(band).iter().filter(|&&mask| mask != self.all()).count()
    }
}
