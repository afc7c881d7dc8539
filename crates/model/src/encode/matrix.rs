//! The options of a puzzle, in flat tables.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::{Constraint, DigitSet, Geometry, Puzzle};

/// Returns the matrix of an empty grid, which has every option.
///
/// The index of an option is `cell * side + digit`. Callers with equal geometries share one matrix, as long
/// as at least one of them keeps it.
pub fn template(geometry: &Arc<Geometry>) -> Arc<Matrix> {
    static MADE: Mutex<Vec<Weak<Matrix>>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.retain(|matrix| matrix.strong_count() > 0);
    let known = made
        .iter()
        .filter_map(Weak::upgrade)
        .find(|matrix| Arc::ptr_eq(&matrix.geometry, geometry) || matrix.geometry == *geometry);
    known.unwrap_or_else(|| {
        let mut matrix = Matrix::new(geometry);
        matrix.assign(&Puzzle::new(geometry));
        let matrix = Arc::new(matrix);
        made.push(Arc::downgrade(&matrix));
        matrix
    })
}

/// The options that a puzzle's candidates allow, with the cells and the digit of each option.
///
/// A *unit* is a set of cells that receive the same digit: a single cell, or all cells of a letter group.
/// Letter groups that share a cell form one unit. A unit has one option for each digit that is a candidate of
/// all its cells. This option covers the items of all these cells. If two cells of a unit share a house, the
/// unit has no options.
///
/// Units are in the order of their first cells. Options are in the order of their units. The options of a
/// unit are in the order of their digits.
#[derive(Debug, Clone)]
pub struct Matrix {
    geometry: Arc<Geometry>,
    /// For each option, the offset of its first item in `items`. A last entry marks the end of `items`.
    starts: Vec<u32>,
    /// Items of all options, option by option. The items of an option are ascending.
    items: Vec<u32>,
    /// Index of the unit, and digit, for each option.
    places: Vec<(u16, u8)>,
    /// For each unit, the offset of its first cell in `unit_cells` and the index of its first option. A last
    /// entry marks the ends of both lists.
    units: Vec<(u16, u32)>,
    /// Cells of all units, unit by unit. The cells of a unit are ascending.
    unit_cells: Vec<u16>,
    /// Scratch space: for each cell, the first cell of its unit.
    leaders: Vec<u16>,
}

impl Matrix {
    /// Creates a matrix without options. A call of [`assign`](Self::assign) can then fill it.
    pub fn new(geometry: &Arc<Geometry>) -> Self {
        Matrix {
            geometry: Arc::clone(geometry),
            starts: vec![0],
            items: Vec::new(),
            places: Vec::new(),
            units: vec![(0, 0)],
            unit_cells: Vec::new(),
            leaders: Vec::new(),
        }
    }

    /// Replaces the contents of this matrix by the options of a puzzle. Reuses the allocated memory.
    pub fn assign(&mut self, puzzle: &Puzzle) {
        if !Arc::ptr_eq(&self.geometry, puzzle.geometry()) {
            self.geometry = Arc::clone(puzzle.geometry());
        }
        self.starts.truncate(1);
        self.items.clear();
        self.places.clear();
        self.units.truncate(1);
        self.unit_cells.clear();
        self.find_leaders(puzzle.constraints());
        for cell in 0..self.leaders.len() {
            if self.leaders[cell] as usize == cell {
                self.add_unit(cell, puzzle.candidates());
            }
        }
    }

    /// Sets the leader of every cell: the first cell of its unit.
    fn find_leaders(&mut self, constraints: &[Constraint]) {
        self.leaders.clear();
        self.leaders.extend(0..self.geometry.cells() as u16);
        for Constraint::SameDigit { cells, .. } in constraints {
            let Some(&first) = cells.first() else { continue };
            for &cell in cells {
                let (a, b) = (self.leaders[first as usize], self.leaders[cell as usize]);
                let (low, high) = (a.min(b), a.max(b));
                for leader in self.leaders.iter_mut().filter(|leader| **leader == high) {
                    *leader = low;
                }
            }
        }
    }

    fn add_unit(&mut self, first: usize, candidates: &[DigitSet]) {
        let side = self.geometry.side();
        let unit = self.units.len() - 1;
        let cells_from = self.unit_cells.len();
        let members = (first..self.leaders.len()).filter(|&cell| self.leaders[cell] as usize == first);
        self.unit_cells.extend(members.map(|cell| cell as u16));
        let cells = &self.unit_cells[cells_from..];
        let digits =
            cells.iter().fold(DigitSet::all(side), |digits, &cell| digits.and(candidates[cell as usize]));
        for digit in digits.iter() {
            let option_from = self.items.len();
            self.items.extend(cells.iter().map(|&cell| u32::from(cell)));
            for &cell in cells {
                let houses = self.geometry.houses_of(cell as usize).iter();
                self.items.extend(
                    houses.map(|&house| (self.geometry.cells() + house as usize * side + digit) as u32),
                );
            }
            let option = &mut self.items[option_from..];
            option.sort_unstable();
            if option.windows(2).any(|pair| pair[0] == pair[1]) {
                self.items.truncate(option_from);
                break;
            }
            self.starts.push(self.items.len() as u32);
            self.places.push((unit as u16, digit as u8));
        }
        self.units.push((self.unit_cells.len() as u16, self.places.len() as u32));
    }

    /// Returns the shape of the grid.
    #[inline]
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// Returns the number of items, all of them primary.
    ///
    /// There is one item per cell, followed by one item per house and digit.
    pub fn items(&self) -> usize {
        self.geometry.cells() + self.geometry.houses().len() * self.geometry.side()
    }

    /// Returns the number of options.
    #[inline]
    pub fn options(&self) -> usize {
        self.places.len()
    }

    /// Returns the items of an option, ascending.
    #[inline]
    pub fn option(&self, option: usize) -> &[u32] {
        &self.items[self.starts[option] as usize..self.starts[option + 1] as usize]
    }

    /// Returns the total number of entries in all options.
    pub fn entries(&self) -> usize {
        self.items.len()
    }

    /// Returns the cells that an option fills, in ascending order, and its 0-based digit.
    #[inline]
    pub fn placed(&self, option: usize) -> (&[u16], u8) {
        let (unit, digit) = self.places[option];
        let (from, to) = (self.units[unit as usize].0, self.units[unit as usize + 1].0);
        (&self.unit_cells[from as usize..to as usize], digit)
    }

    /// Returns, for each unit, the range of the indices of its options.
    pub fn units(&self) -> impl Iterator<Item = std::ops::Range<u32>> {
        self.units.windows(2).map(|pair| pair[0].1..pair[1].1)
    }

    /// Returns a name of at most 8 characters for an item.
    ///
    /// The name of a cell is `p` with its row and column, such as `p04`. The name of a digit in a house is
    /// `r`, `c` or `b` with the house's number and the digit, such as `r07`.
    ///
    /// As in Knuth's names, rows, columns and houses are 0-based, and digits are 1-based. If the side length
    /// is greater than 9, there is a dot between the two numbers, such as `r10.12`.
    pub fn name(&self, item: usize) -> String {
        let side = self.geometry.side();
        let dot = if side > 9 { "." } else { "" };
        match item.checked_sub(self.geometry.cells()) {
            None => format!("p{}{dot}{}", item / side, item % side),
            Some(item) => {
                let house = &self.geometry.houses()[item / side];
                format!("{}{}{dot}{}", &house.kind.name()[..1], house.index, item % side + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_shared_and_arithmetic() {
        for (rows, columns) in [(2, 2), (2, 3), (3, 3), (4, 5)] {
            let geometry = Geometry::new(rows, columns).unwrap();
            let matrix = template(&geometry);
            assert!(Arc::ptr_eq(&matrix, &template(&Geometry::new(rows, columns).unwrap())));
            let side = geometry.side();
            assert_eq!((matrix.items(), matrix.options()), (4 * side * side, side.pow(3)));
            let mut lengths = vec![0; matrix.items()];
            for option in 0..matrix.options() {
                let (cells, digit) = matrix.placed(option);
                assert_eq!((cells, usize::from(digit)), (&[(option / side) as u16][..], option % side));
                assert_eq!(matrix.option(option).len(), 4);
                assert!(matrix.option(option).is_sorted());
                matrix.option(option).iter().for_each(|&item| lengths[item as usize] += 1);
            }
            assert!(lengths.iter().all(|&length| length == side));
            assert_eq!(matrix.units().count(), side * side);
        }
    }

    #[test]
    fn a_letter_group_is_one_option_per_digit() {
        let geometry = Geometry::of_side(4).unwrap();
        let mut puzzle = Puzzle::new(&geometry);
        puzzle.constrain(Constraint::SameDigit { letter: 'a', cells: vec![0, 6] });
        puzzle.constrain(Constraint::SameDigit { letter: 'b', cells: vec![6, 9] });
        puzzle.restrict(6, DigitSet(0b0111));
        puzzle.restrict(9, DigitSet(0b0110));
        let mut matrix = Matrix::new(&geometry);
        matrix.assign(&puzzle);
        assert_eq!(matrix.options(), 2 + 13 * 4);
        assert_eq!(matrix.placed(0), (&[0, 6, 9][..], 1));
        assert_eq!(matrix.option(0).len(), 12);
        assert_eq!(matrix.units().next(), Some(0..2));
        puzzle.constrain(Constraint::SameDigit { letter: 'c', cells: vec![0, 1] });
        matrix.assign(&puzzle);
        assert_eq!((matrix.options(), matrix.units().next()), (12 * 4, Some(0..0)));
    }

    #[test]
    fn names_are_short_and_unique() {
        for (rows, columns, expected) in [(3, 3, ["p00", "r01", "b89"]), (6, 6, ["p0.0", "r0.1", "b35.36"])] {
            let matrix = Matrix::new(&Geometry::new(rows, columns).unwrap());
            let names: Vec<_> = (0..matrix.items()).map(|item| matrix.name(item)).collect();
            let cells = matrix.geometry().cells();
            assert_eq!([&names[0], &names[cells], names.last().unwrap()], expected);
            assert!(names.iter().all(|name| name.len() <= 8));
            assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), names.len());
        }
    }
}
