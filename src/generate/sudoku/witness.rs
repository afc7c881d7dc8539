//! Unavoidable sets of a grid (see [`unavoidable_sets`]), by which clues are known to be needed without a search.
//!
//! The last clue in one is needed, and while one has no clue there are other solutions. Some are seen in the grid itself; each
//! second solution that an engine finds shows another: the cells in which it differs.

use super::board::Board;
use super::cells::CellSet;
use crate::model::{DigitSet, Geometry, HouseKind, unavoidable_sets};

/// Unavoidable sets of one grid, with the number of clues left in each.
#[derive(Debug)]
pub(super) struct Witnesses {
    /// Words of a set of sets.
    words: usize,
    /// Per cell the sets it is in, `words` each.
    of_cell: Vec<u64>,
    /// Per set its clues.
    clues: Vec<u16>,
    /// The sets with one clue.
    last_clue: Vec<u64>,
    /// The number of sets without a clue.
    missed: usize,
}

/// Words of a set of sets at the start: more than most 9x9 grids need.
const WORDS: usize = 3;

impl Witnesses {
    /// Those that are seen in a grid with these clues.
    pub(super) fn of(board: &Board, clues: &CellSet) -> Self {
        let cells = board.solution.len();
        let mut witnesses = Witnesses {
            words: WORDS,
            of_cell: vec![0; WORDS * cells],
            clues: Vec::with_capacity(64 * WORDS),
            last_clue: vec![0; WORDS],
            missed: 0,
        };
        if let Some(solution) = board.plain_9x9() {
            unavoidable_sets(solution, |set| {
                let low = DigitSet(set as u64).iter();
                let high = DigitSet((set >> 64) as u64).iter().map(|cell| 64 + cell);
                witnesses.learn(low.chain(high), clues);
            });
        } else if board.rules.is_none() {
            // Under other rules two digits cannot change places everywhere.
            witnesses.learn_pairs(&board.geometry, &board.solution, clues);
        }
        witnesses
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.clues.len()
    }

    /// True if some set has no clue.
    pub(super) fn is_one_missed(&self) -> bool {
        self.missed > 0
    }

    /// Goes over to other clues.
    pub(super) fn count(&mut self, clues: &CellSet) {
        self.clues.fill(0);
        self.last_clue.fill(0);
        self.missed = self.clues.len();
        clues.iter().for_each(|clue| self.put(clue));
    }

    /// Adds the cells in which another solution differs.
    pub(super) fn learn_from(&mut self, other: &[u8], board: &Board, clues: &CellSet) {
        let differs = |&cell: &usize| other[cell] != board.solution[cell];
        self.learn((0..board.solution.len()).filter(differs), clues);
    }

    /// Adds a set of cells, and counts its clues.
    fn learn(&mut self, cells: impl Iterator<Item = usize>, is_clue: &CellSet) {
        let set = self.clues.len();
        if set == 64 * self.words {
            self.widen();
        }
        let mut clues = 0;
        for cell in cells {
            self.of_cell[cell * self.words + set / 64] |= 1 << (set % 64);
            clues += u16::from(is_clue.has(cell));
        }
        self.clues.push(clues);
        self.missed += usize::from(clues == 0);
        self.last_clue[set / 64] |= u64::from(clues == 1) << (set % 64);
    }

    /// Doubles the space for sets.
    #[cold]
    fn widen(&mut self) {
        let words = 2 * self.words;
        let mut of_cell = vec![0; self.of_cell.len() * 2];
        for (new, old) in of_cell.chunks_mut(words).zip(self.of_cell.chunks(self.words)) {
            new[..self.words].copy_from_slice(old);
        }
        self.of_cell = of_cell;
        self.last_clue.resize(words, 0);
        self.words = words;
    }

    fn sets_of(&self, cell: usize) -> &[u64] {
        &self.of_cell[cell * self.words..][..self.words]
    }

    /// True if some set has this clue and no other.
    #[inline]
    pub(super) fn need(&self, clue: usize) -> bool {
        self.sets_of(clue).iter().zip(&self.last_clue).any(|(sets, last)| sets & last != 0)
    }

    /// A clue is taken away.
    pub(super) fn take(&mut self, clue: usize) {
        self.change(clue, u16::MAX);
    }

    /// A clue is put back.
    pub(super) fn put(&mut self, clue: usize) {
        self.change(clue, 1);
    }

    fn change(&mut self, clue: usize, by: u16) {
        for word in 0..self.words {
            let mut rest = self.of_cell[clue * self.words + word];
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                let clues = &mut self.clues[64 * word + rest.trailing_zeros() as usize];
                self.missed -= usize::from(*clues == 0);
                *clues = clues.wrapping_add(by);
                self.missed += usize::from(*clues == 0);
                let last = &mut self.last_clue[word];
                *last = if *clues == 1 { *last | bit } else { *last & !bit };
                rest ^= bit;
            }
        }
    }

    /// Learns the sets in which two digits can change places.
    fn learn_pairs(&mut self, geometry: &Geometry, solution: &[u8], clues: &CellSet) {
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
        // The pair that a cell was last reached for, from 1.
        let mut reached = vec![0u16; geometry.cells()];
        let mut pair = 0;
        for a in 0..side {
            for b in a + 1..side {
                pair += 1;
                // What hangs together through houses changes together. Each part has a cell with `a`.
                for row in 0..rows {
                    let first = cell_of[row * side + a];
                    if reached[usize::from(first)] == pair {
                        continue;
                    }
                    found.clear();
                    found.push(first);
                    reached[usize::from(first)] = pair;
                    let mut next = 0;
                    while let Some(&cell) = found.get(next) {
                        let cell = usize::from(cell);
                        next += 1;
                        let other = if usize::from(solution[cell]) == a { b } else { a };
                        for &house in geometry.houses_of(cell) {
                            let partner = cell_of[usize::from(house) * side + other];
                            if std::mem::replace(&mut reached[usize::from(partner)], pair) != pair {
                                found.push(partner);
                            }
                        }
                    }
                    self.learn(found.iter().map(|&cell| usize::from(cell)), clues);
                }
            }
        }
    }
}
