//! A puzzle's options in flat tables.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::{Constraint, DigitSet, Geometry, Puzzle};

/// Returns the matrix of an empty grid, with every option; its number is `cell * side + digit`.
///
/// Created once per geometry and shared as long as it is in use.
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

/// The options that a puzzle's candidates allow, with the cells and digit of each option.
///
/// A *unit* receives one digit: a cell, or all cells of a letter group (groups that share a cell are one). A
/// unit has one option for each digit that all its cells allow, and the option covers the items of all its cells. If
/// two of its cells share a house, it has no options. Units are in the order of their first cells, options in the order
/// of their units and then digits.
#[derive(Debug, Clone)]
pub struct Matrix {
    geometry: Arc<Geometry>,
    /// `options + 1` offsets into `items`.
    starts: Vec<u32>,
    /// The items of all options, ascending within each.
    items: Vec<u32>,
    /// For each option, its unit and digit.
    places: Vec<(u16, u8)>,
    /// `units + 1` offsets into `unit_cells`, and into the options.
    units: Vec<(u16, u32)>,
    /// The cells of all units, ascending within each.
    unit_cells: Vec<u16>,
    /// Work space: for each cell, the first cell of its unit.
    leaders: Vec<u16>,
}

impl Matrix {
    /// Creates a matrix without options, to be filled by [`assign`](Self::assign).
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

    /// Makes this the matrix of a puzzle, reusing its memory.
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

    /// Joins the cells of each letter group under their first cell.
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

    /// Returns the number of items, all primary: one per cell, then one per house and digit.
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

    /// Returns the number of entries of all options.
    pub fn entries(&self) -> usize {
        self.items.len()
    }

    /// Returns the cells that an option fills, ascending, and the 0-based digit.
    #[inline]
    pub fn placed(&self, option: usize) -> (&[u16], u8) {
        let (unit, digit) = self.places[option];
        let (from, to) = (self.units[unit as usize].0, self.units[unit as usize + 1].0);
        (&self.unit_cells[from as usize..to as usize], digit)
    }

    /// Returns for every unit the range of its options.
    pub fn units(&self) -> impl Iterator<Item = std::ops::Range<u32>> {
        self.units.windows(2).map(|pair| pair[0].1..pair[1].1)
    }

    /// Returns a name of at most 8 characters for an item.
    ///
    /// The name is `p04` for a cell, and `r07`, `c..` or `b..` for a digit in a house.
    ///
    /// Positions count from 0 and digits from 1, as in Knuth's names. Sides above 9 have a dot between the two:
    /// `r10.12`.
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
