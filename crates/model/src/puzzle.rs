//! A puzzle: candidates, constraints beyond the houses, and weights of cells.

use std::sync::Arc;

use super::{Clash, DigitSet, Geometry, HOUSES_9X9, Packed9x9, Weights, geometry_9x9};
use crate::rules::{Label, Quota, Relation, Rules, Shape};

/// A condition on cells that cannot be expressed by houses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// A group of cells that must all have the same digit, marked with a letter (UVA 1461).
    SameDigit {
        /// The letter that names the group.
        letter: char,
        /// The cells of the group, ascending. There are at least two.
        cells: Vec<u16>,
    },
}

/// A grid to be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Puzzle {
    geometry: Arc<Geometry>,
    candidates: Vec<DigitSet>,
    constraints: Vec<Constraint>,
    weights: Option<Arc<Weights>>,
    /// The rules, or `None` if there are only rows, columns and boxes.
    ///
    /// A plain grid has `None`, so that it has no costs for rules.
    rules: Option<Arc<Rules>>,
}

impl Puzzle {
    /// Creates an empty grid, in which every cell has all candidates.
    pub fn new(geometry: &Arc<Geometry>) -> Self {
        let mut puzzle = Puzzle {
            geometry: Arc::clone(geometry),
            candidates: Vec::new(),
            constraints: Vec::new(),
            weights: None,
            rules: None,
        };
        puzzle.reset(geometry);
        puzzle
    }

    /// Resets this puzzle to the empty grid of the given shape, reusing its memory.
    pub fn reset(&mut self, geometry: &Arc<Geometry>) {
        if !Arc::ptr_eq(&self.geometry, geometry) {
            self.geometry = Arc::clone(geometry);
        }
        self.candidates.clear();
        self.candidates.resize(geometry.cells(), DigitSet::all(geometry.side()));
        self.constraints.clear();
        self.weights = None;
        self.rules = None;
    }

    /// Drops the weights and rules, which may be shared with other puzzles.
    ///
    /// The puzzle must be [reset](Self::reset) before it is used again.
    pub fn release(&mut self) {
        self.weights = None;
        self.rules = None;
    }

    /// Replaces this puzzle by a copy of another puzzle, reusing its memory.
    pub fn copy_from(&mut self, other: &Puzzle) {
        self.reset(&other.geometry);
        self.candidates.copy_from_slice(&other.candidates);
        self.constraints.extend_from_slice(&other.constraints);
        self.weights.clone_from(&other.weights);
        self.rules.clone_from(&other.rules);
    }

    /// Returns the shape of the grid.
    #[inline]
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// Returns the candidates of every cell.
    #[inline]
    pub fn candidates(&self) -> &[DigitSet] {
        &self.candidates
    }

    /// Returns the conditions that cannot be expressed by houses.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Returns the rules of the grid, or `None` if there are only rows, columns and boxes.
    ///
    /// The rules include rows and columns.
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        self.rules.as_ref()
    }

    /// Returns the weights of the cells for [`Goal::Best`](super::Goal::Best), or `None` if there are none.
    pub fn weights(&self) -> Option<&Arc<Weights>> {
        self.weights.as_ref()
    }

    /// Removes all candidates of a cell except those in `to`.
    ///
    /// # Panics
    /// Panics if there is no such cell.
    #[inline]
    pub fn restrict(&mut self, cell: usize, to: DigitSet) {
        self.candidates[cell] = self.candidates[cell].and(to);
    }

    /// Replaces a cell's candidates. Ignores digits that the grid does not have.
    ///
    /// # Panics
    /// Panics if there is no such cell.
    pub fn set_candidates(&mut self, cell: usize, to: DigitSet) {
        self.candidates[cell] = DigitSet::all(self.geometry.side()).and(to);
    }

    /// Adds a condition. A letter group of fewer than two cells has no effect, so it is not added.
    pub fn constrain(&mut self, constraint: Constraint) {
        let Constraint::SameDigit { cells, .. } = &constraint;
        if cells.len() >= 2 {
            self.constraints.push(constraint);
        }
    }

    /// Sets the rules, and removes the candidates that the rules exclude directly.
    ///
    /// # Panics
    /// Panics if the rules are for a grid with another side length or with boxes of another shape.
    pub fn set_rules(&mut self, rules: &Arc<Rules>) {
        self.narrow(rules);
        self.rules = Some(Arc::clone(rules));
    }

    /// Removes the candidates that the rules exclude directly, without setting the rules.
    ///
    /// # Panics
    /// Panics if the rules are for a grid of another shape.
    pub fn narrow(&mut self, rules: &Rules) {
        let shape = Shape { box_rows: self.geometry.box_rows(), box_columns: self.geometry.box_columns() };
        assert_eq!(rules.shape(), shape, "the rules are for a grid of another shape");
        for &(cell, mask) in rules.masks() {
            self.restrict(cell.into(), DigitSet(mask));
        }
    }

    /// Sets the weights of the cells, or removes them if `weights` is `None`.
    ///
    /// # Panics
    /// Panics if the weights are for a grid with another side length.
    pub fn set_weights(&mut self, weights: Option<Arc<Weights>>) {
        if let Some(weights) = &weights {
            assert_eq!(weights.side(), self.geometry.side(), "the weights are for a grid of another side");
        }
        self.weights = weights;
    }

    /// Returns the candidates of a 9x9 grid without conditions and rules, or `None` for any other grid.
    ///
    /// Weights are not included.
    pub fn to_packed(&self) -> Option<Packed9x9> {
        if self.is_plain() { self.candidates_9x9() } else { None }
    }

    /// Returns the candidates of a 9x9 grid without conditions, or `None` for any other grid.
    ///
    /// The grid may have rules.
    pub fn candidates_9x9(&self) -> Option<Packed9x9> {
        if !self.constraints.is_empty() || !self.geometry.is_9x9() {
            return None;
        }
        let candidates: &[DigitSet; 81] = self.candidates.as_slice().try_into().ok()?;
        Some(Packed9x9::from_cells(&candidates.map(|set| set.0 as u16)))
    }

    /// Returns true if the grid has no conditions and no rules beyond rows, columns and boxes.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.constraints.is_empty() && self.rules.is_none()
    }

    /// Returns the number of cells with exactly one candidate.
    pub fn clues(&self) -> u32 {
        self.candidates.iter().filter(|set| set.single().is_some()).count() as u32
    }

    /// Returns the first contradiction among the clues, or `None` if there is none.
    ///
    /// A puzzle without such a contradiction may still have no solution.
    ///
    /// Checks first for empty cells, then for a digit that occurs twice in a house, then for a letter that
    /// occurs twice in a house. Houses are checked in the order of the geometry.
    pub fn clash(&self) -> Option<Clash> {
        let side = self.geometry.side();
        if let Some(cell) = self.candidates.iter().position(|set| set.is_empty()) {
            return Some(Clash::EmptyCell { row: cell / side, column: cell % side });
        }
        if let Some(rules) = &self.rules {
            return clash_of_rules(rules, &self.candidates)
                .or_else(|| self.constraints.iter().find_map(|group| clash_of_group(rules, group)));
        }
        let single = |cell: u16| self.candidates[usize::from(cell)].single();
        for house in self.geometry.houses() {
            if let Some(digit) = repeated(&house.cells, single) {
                return Some(Clash::TwiceInHouse { digit, kind: house.kind, index: house.index.into() });
            }
        }
        self.constraints.iter().find_map(|constraint| self.clash_of_letter(constraint))
    }

    fn clash_of_letter(&self, constraint: &Constraint) -> Option<Clash> {
        let Constraint::SameDigit { letter, cells } = constraint;
        self.geometry.houses().iter().find_map(|house| {
            has_two(&house.cells, cells).then_some(Clash::LetterTwiceInHouse {
                letter: *letter,
                kind: house.kind,
                index: house.index as usize,
            })
        })
    }
}

/// Returns the first digit that is the only candidate of a second cell of a house.
fn repeated(house: &[u16], single: impl Fn(u16) -> Option<usize>) -> Option<usize> {
    let mut seen = DigitSet::EMPTY;
    house.iter().filter_map(|&cell| single(cell)).find(|&digit| {
        let is_repeated = seen.contains(digit);
        seen.0 |= 1 << digit;
        is_repeated
    })
}

/// Returns true if a house has at least two of the cells.
fn has_two(house: &[u16], cells: &[u16]) -> bool {
    cells.iter().filter(|cell| house.binary_search(cell).is_ok()).count() >= 2
}

/// Returns the first contradiction between clues and rules, or `None` if there is none.
///
/// Checks first for digits that occur twice in a house, then for equal clues in cells that must differ. Then
/// checks for relations, sums and quotas that the candidates cannot satisfy.
fn clash_of_rules(rules: &Rules, candidates: &[DigitSet]) -> Option<Clash> {
    let set = |cell: u16| candidates[usize::from(cell)];
    let single = |cell: u16| set(cell).single();
    for house in rules.houses() {
        if let Some(digit) = repeated(house.cells, single) {
            let house = rules.name(house.label);
            return Some(Clash::Rule(format!("two {}s in {house}", digit + 1)));
        }
    }
    let side = rules.shape().side();
    let name = |cell: u16| format!("r{}c{}", usize::from(cell) / side + 1, usize::from(cell) % side + 1);
    let is_same = |&&(a, b): &&(u16, u16)| single(a).is_some_and(|digit| single(b) == Some(digit));
    if let Some(&(a, b)) = rules.different().iter().find(is_same) {
        let digit = single(a)? + 1;
        return Some(Clash::Rule(format!("{digit} at {} and {}, which must differ", name(a), name(b))));
    }
    let is_broken = |relation: &&Relation| {
        let table = &rules.tables()[usize::from(relation.table)];
        set(relation.from).iter().all(|digit| set(relation.to).0 & table[digit] == 0)
    };
    let cannot = |label: Label| Some(Clash::Rule(format!("{} cannot be filled", rules.name(label))));
    if let Some(relation) = rules.relations().iter().find(is_broken) {
        let (a, b) = (relation.from.min(relation.to), relation.from.max(relation.to));
        let (Some(one), Some(other)) = (single(a), single(b)) else { return cannot(relation.label) };
        let (at, beside, rule) = (name(a), name(b), rules.name(relation.label));
        return Some(Clash::Rule(format!(
            "{} at {at} and {} at {beside} break the {rule}",
            one + 1,
            other + 1
        )));
    }
    if let Some(sum) = rules.unreached(&|cell| set(cell).0) {
        return cannot(sum.label);
    }
    let places =
        |quota: &Quota| quota.cells.iter().filter(|&&cell| set(cell).contains(quota.digit.into())).count();
    let quota = rules.quotas().iter().find(|quota| places(quota) < usize::from(quota.times))?;
    cannot(quota.label)
}

/// Returns the contradiction if some house of the rules contains the group's letter twice, otherwise `None`.
fn clash_of_group(rules: &Rules, group: &Constraint) -> Option<Clash> {
    let Constraint::SameDigit { letter, cells } = group;
    let house = rules.houses().find(|house| has_two(house.cells, cells))?;
    Some(Clash::Rule(format!("letter {letter} twice in {}", rules.name(house.label))))
}

impl From<Packed9x9> for Puzzle {
    fn from(packed: Packed9x9) -> Self {
        let mut puzzle = Puzzle::new(geometry_9x9());
        packed.unpack_into(geometry_9x9(), &mut puzzle);
        puzzle
    }
}

impl Packed9x9 {
    /// Writes the grid into `puzzle`, reusing its memory. `geometry` must be that of 9x9 grids.
    pub fn unpack_into(&self, geometry: &Arc<Geometry>, puzzle: &mut Puzzle) {
        puzzle.reset(geometry);
        for (cell, set) in self.to_cells().into_iter().enumerate() {
            puzzle.restrict(cell, DigitSet(u64::from(set)));
        }
    }

    /// Returns the first contradiction among the clues, or `None`, as [`Puzzle::clash`] does.
    pub fn clash(&self) -> Option<Clash> {
        let (single, empty) = self.single_and_empty();
        if empty != 0 {
            let cell = empty.trailing_zeros() as usize;
            return Some(Clash::EmptyCell { row: cell / 9, column: cell % 9 });
        }
        let placed: [u128; 9] = std::array::from_fn(|digit| self.cells_of(digit) & single);
        for (house, cells) in geometry_9x9().houses().iter().zip(&HOUSES_9X9) {
            // Finds the first cell whose clue repeats an earlier clue.
            let clash = (0..9)
                .filter_map(|digit| {
                    let mut hits = placed[digit] & cells;
                    hits &= hits.wrapping_sub(1);
                    (hits != 0).then(|| (hits.trailing_zeros(), digit))
                })
                .min();
            if let Some((_, digit)) = clash {
                return Some(Clash::TwiceInHouse { digit, kind: house.kind, index: house.index.into() });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_clues(clues: &[(usize, usize)]) -> Puzzle {
        let mut puzzle = Puzzle::new(&Geometry::of_side(9).unwrap());
        for &(cell, digit) in clues {
            puzzle.restrict(cell, DigitSet::only(digit - 1));
        }
        puzzle
    }

    #[test]
    fn clashes_have_their_cells() {
        let cases: [(&[(usize, usize)], &str); 4] = [
            (&[(0, 7), (8, 7)], "two 7s in row 1"),
            (&[(2, 5), (74, 5)], "two 5s in column 3"),
            (&[(30, 1), (50, 1)], "two 1s in box 5"),
            (&[(0, 1), (1, 2), (2, 1), (3, 2)], "two 1s in row 1"),
        ];
        for (clues, message) in cases {
            let puzzle = with_clues(clues);
            assert_eq!(puzzle.clash().unwrap().to_string(), message);
            assert_eq!(puzzle.to_packed().unwrap().clash(), puzzle.clash());
        }
        assert_eq!(with_clues(&[(0, 7), (80, 7)]).clash(), None);
        let mut empty = with_clues(&[]);
        empty.restrict(13, DigitSet::EMPTY);
        assert_eq!(empty.clash().unwrap().to_string(), "no digit is allowed in row 2 column 5");
        assert_eq!(empty.to_packed().unwrap().clash(), empty.clash());
    }

    #[test]
    fn letters_that_share_a_house_clash() {
        let mut puzzle = with_clues(&[]);
        puzzle.constrain(Constraint::SameDigit { letter: 'y', cells: vec![0, 30] });
        puzzle.constrain(Constraint::SameDigit { letter: 'z', cells: vec![5] });
        assert_eq!((puzzle.clash(), puzzle.constraints().len()), (None, 1));
        puzzle.constrain(Constraint::SameDigit { letter: 'x', cells: vec![0, 2, 40] });
        assert_eq!(puzzle.clash().unwrap().to_string(), "letter x twice in row 1");
    }
}
