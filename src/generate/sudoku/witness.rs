//! Unavoidable sets: why a clue is needed, without asking.
//!
//! Cells in which a grid can be changed into another one without touching the rest are an *unavoidable set*: a
//! puzzle of that grid with one solution has a clue in each (G. McGuire, B. Tugemann, G. Civario, *There is no
//! 16-clue Sudoku*, 2012). So the last clue in one is needed. Some are seen in the grid itself; each second solution
//! that an engine finds shows another: the cells in which it differs.

use crate::model::{Geometry, HouseKind};

/// Unavoidable sets of one grid, and how many clues are left in each.
#[derive(Debug)]
pub(super) struct Witnesses {
    /// Per cell the sets it is in.
    of_cell: Vec<Vec<u32>>,
    /// Per set its clues.
    clues: Vec<u32>,
}

impl Witnesses {
    /// None known yet.
    pub(super) fn new(cells: usize) -> Self {
        Witnesses { of_cell: vec![Vec::new(); cells], clues: Vec::new() }
    }

    /// One more set, of which so many cells are clues.
    pub(super) fn learn(&mut self, cells: impl Iterator<Item = usize>, is_clue: impl Fn(usize) -> bool) {
        let number = self.clues.len() as u32;
        let mut clues = 0;
        for cell in cells {
            self.of_cell[cell].push(number);
            clues += u32::from(is_clue(cell));
        }
        self.clues.push(clues);
    }

    /// Whether some set has this clue and no other.
    #[inline]
    pub(super) fn need(&self, clue: usize) -> bool {
        self.of_cell[clue].iter().any(|&set| self.clues[set as usize] == 1)
    }

    /// A clue is taken away.
    #[inline]
    pub(super) fn take(&mut self, clue: usize) {
        for &set in &self.of_cell[clue] {
            self.clues[set as usize] -= 1;
        }
    }

    /// A clue is put back.
    #[inline]
    pub(super) fn put(&mut self, clue: usize) {
        for &set in &self.of_cell[clue] {
            self.clues[set as usize] += 1;
        }
    }

    /// Learns the sets in which two digits can change places.
    pub(super) fn learn_pairs(
        &mut self,
        geometry: &Geometry,
        solution: &[u8],
        is_clue: impl Fn(usize) -> bool,
    ) {
        let side = geometry.side();
        let houses = geometry.houses();
        // The cell of each digit in each house.
        let mut cell_of = vec![0u16; houses.len() * side];
        for (number, house) in houses.iter().enumerate() {
            for &cell in &house.cells {
                cell_of[number * side + usize::from(solution[usize::from(cell)])] = cell;
            }
        }
        let rows = houses.iter().position(|house| house.kind != HouseKind::Row).unwrap_or(houses.len());
        let mut found = Vec::with_capacity(2 * side);
        let mut seen = vec![false; geometry.cells()];
        for a in 0..side {
            for b in a + 1..side {
                // Cells with `a`, one a row; what hangs together through houses changes together.
                seen.fill(false);
                for row in 0..rows {
                    let first = cell_of[row * side + a];
                    if seen[usize::from(first)] {
                        continue;
                    }
                    found.clear();
                    found.push(first);
                    seen[usize::from(first)] = true;
                    let mut next = 0;
                    while let Some(&cell) = found.get(next) {
                        let cell = usize::from(cell);
                        next += 1;
                        let other = if usize::from(solution[cell]) == a { b } else { a };
                        for &house in geometry.houses_of(cell) {
                            let partner = cell_of[usize::from(house) * side + other];
                            if !std::mem::replace(&mut seen[usize::from(partner)], true) {
                                found.push(partner);
                            }
                        }
                    }
                    self.learn(found.iter().map(|&cell| usize::from(cell)), &is_clue);
                }
            }
        }
    }
}
