//! Random transforms that keep the boxes and rules of a grid valid, and transformed puzzles of any side
//! length.

use std::sync::Arc;

use thiserror::Error;

use super::Transform;
use super::bands::PERMUTATIONS;
use super::transform::are_together;
use crate::random::Random;
use crate::rules::{RuleError, Rules};
use crate::{Constraint, DigitSet, Geometry, MAX_SIDE, ProblemRef, Puzzle, worded};

worded! {
    /// The parts of a transform.
    pub Part, word, from_word {
        /// Rows become columns.
        Transpose = "transpose" => "rows become columns",
        /// Bands change places.
        Bands = "bands" => "bands change places",
        /// Changes the order of the rows within each band.
        Rows = "rows" => "rows change places within their bands",
        /// Stacks change places.
        Stacks = "stacks" => "stacks change places",
        /// Changes the order of the columns within each stack.
        Columns = "columns" => "columns change places within their stacks",
        /// Digits get new names.
        Digits = "digits" => "digits get new names",
    }
}

/// A set of changes, such as reordering rows or relabelling digits, that transforms may make. Each change is
/// a [`Part`] of the transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parts(u8);

impl Parts {
    /// All parts.
    pub const ALL: Parts = Parts((1 << Part::ALL.len()) - 1);

    /// Returns true if the set contains this change.
    #[inline]
    pub const fn has(self, part: Part) -> bool {
        self.0 >> part as u8 & 1 != 0
    }

    /// Returns a copy of the set without this change.
    #[must_use]
    pub const fn without(self, part: Part) -> Self {
        Parts(self.0 & !(1 << part as u8))
    }

    /// Returns all changes in the set, in the order of [`Part::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Part> {
        Part::ALL.iter().copied().filter(move |&part| self.has(part))
    }
}

impl FromIterator<Part> for Parts {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Self {
        Parts(parts.into_iter().fold(0, |all, part| all | 1 << part as u8))
    }
}

/// The reason why a grid cannot be transformed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoImage {
    /// The problem is an exact cover problem, not a grid.
    #[error("an exact cover problem is not a grid")]
    Cover,
    /// The transform is for grids of another side length than this grid's.
    #[error("the transform is for a {0}x{0}, not for a {1}x{1}")]
    Side(usize, usize),
    /// The transform moves cells of the same box to different boxes.
    #[error("the transform does not keep the boxes of this grid together")]
    Boxes,
    /// The grid has rules, but the transform does more than turn or reflect the grid.
    #[error("a grid with rules can only be turned and reflected")]
    Turns,
    /// The transform relabels digits, but the rules depend on the values of digits.
    #[error("the rules are about the values of digits, which cannot get new names")]
    Values,
    /// None of the chosen changes is possible for this grid.
    #[error("none of the chosen parts can change this grid")]
    Nothing,
    /// The rules cannot be turned.
    #[error(transparent)]
    Rules(#[from] RuleError),
}

/// All or some of the transforms of a grid that keep its houses and its rules.
///
/// ```
/// use quadrille::canonical::{Isomorphs, Parts};
/// use quadrille::internals::Random;
/// use quadrille::{Geometry, ProblemRef, Puzzle};
///
/// let (grid, mut image) = (Puzzle::new(&Geometry::of_side(16)?), Puzzle::new(&Geometry::of_side(16)?));
/// let all = Isomorphs::of(ProblemRef::Puzzle(&grid), Parts::ALL)?;
/// let transform = all.draw(&mut Random::new(1, 1, 0));
/// transform.image(&grid, &mut image)?;
/// assert_eq!((transform.side(), image), (16, grid));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isomorphs {
    side: usize,
    /// Number of rows in a band, and number of columns in a stack. Both are the side length if the grid has
    /// no boxes.
    together: [usize; 2],
    parts: Parts,
    /// True if rows and columns may only keep their order or be reversed as a whole.
    turns_only: bool,
}

impl Isomorphs {
    /// All transforms of a 9x9.
    const ALL_9X9: Isomorphs = Isomorphs { side: 9, together: [3; 2], parts: Parts::ALL, turns_only: false };

    /// Returns the transforms that keep the grid's houses and rules and make only the changes in `parts`.
    ///
    /// A grid with rules is only turned and reflected. Its digits are relabelled only if no rule depends on
    /// the values of digits.
    ///
    /// # Errors
    /// Returns an error if only the identity remains.
    pub fn of(problem: ProblemRef<'_>, parts: Parts) -> Result<Self, NoImage> {
        let (geometry, rules) = match problem {
            ProblemRef::Packed(_) => (crate::geometry_9x9(), None),
            ProblemRef::Puzzle(puzzle) => (puzzle.geometry(), puzzle.rules()),
            ProblemRef::Cover(_) => return Err(NoImage::Cover),
        };
        let (side, together) = (geometry.side(), together(geometry));
        let (chosen, mut parts) = (parts, parts);
        if together[0] != together[1] {
            parts = parts.without(Part::Transpose);
        }
        let has_values = rules.is_some_and(|rules| !rules.are_without_values());
        if has_values {
            parts = parts.without(Part::Digits);
        }
        let isomorphs = Isomorphs { side, together, parts, turns_only: rules.is_some() };
        let [rows, columns] = [Part::Bands, Part::Stacks].map(|part| isomorphs.reverses(part));
        let is_moved = if isomorphs.turns_only {
            rows || columns || parts.has(Part::Transpose)
        } else {
            parts.without(Part::Digits) != Parts(0)
        };
        match is_moved || parts.has(Part::Digits) {
            true => Ok(isomorphs),
            false if has_values && chosen.has(Part::Digits) => Err(NoImage::Values),
            false => Err(NoImage::Nothing),
        }
    }

    /// Returns true if all rows, or all columns, may be reversed.
    ///
    /// `groups` is [`Part::Bands`] to ask about rows, or [`Part::Stacks`] to ask about columns.
    fn reverses(&self, groups: Part) -> bool {
        let (lines, together) = match groups {
            Part::Bands => (Part::Rows, self.together[0]),
            _ => (Part::Columns, self.together[1]),
        };
        self.parts.has(lines) && (self.parts.has(groups) || together == self.side)
    }

    /// Returns the number of rows that the grid has.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Draws a random transform. All possible transforms are equally likely, and the same random numbers
    /// always give the same transform.
    ///
    /// Draws in this order: the transposition, the order of the bands, the rows of each band, the order of
    /// the stacks, the columns of each stack, and the labels. A part of the transform that may not change
    /// uses no random numbers. If all parts may change for a 9x9 grid, the transposition, the rows, the
    /// columns and the labels use one random number each.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> Transform {
        if *self == Self::ALL_9X9 {
            let transposed = random.below(2) == 1;
            return Transform::of_parts(
                transposed,
                &lines_9x9(random),
                &lines_9x9(random),
                &labels_9x9(random),
            );
        }
        self.draw_parts(random)
    }

    /// Draws one of the transforms, part by part.
    fn draw_parts(&self, random: &mut Random) -> Transform {
        let side = self.side;
        let transposed = self.parts.has(Part::Transpose) && random.below(2) == 1;
        let rows = self.lines(Part::Bands, Part::Rows, self.together[0], random);
        let columns = self.lines(Part::Stacks, Part::Columns, self.together[1], random);
        let mut labels = ordered();
        if self.parts.has(Part::Digits) {
            random.shuffle(&mut labels[..side]);
        }
        Transform::of_parts(transposed, &rows[..side], &columns[..side], &labels[..side])
    }

    /// Draws a random order of the rows or columns. The lines of each group, such as the rows of a band, stay
    /// adjacent. A group has `together` lines.
    #[inline]
    fn lines(&self, groups: Part, lines: Part, together: usize, random: &mut Random) -> [u8; MAX_SIDE] {
        let (side, mut all) = (self.side, ordered());
        if self.turns_only {
            if self.reverses(groups) && random.below(2) == 1 {
                all[..side].reverse();
            }
            return all;
        }
        let mut order: [u8; MAX_SIDE] = ordered();
        let order = &mut order[..side / together];
        if self.parts.has(groups) {
            random.shuffle(order);
        }
        for (lines_of, group) in all[..side].chunks_exact_mut(together).zip(order) {
            for (place, line) in (0..).zip(&mut *lines_of) {
                *line = *group * together as u8 + place;
            }
            if self.parts.has(lines) {
                random.shuffle(lines_of);
            }
        }
        all
    }
}

/// Draws a random order of the rows or columns of a 9x9 grid, from one random number.
#[inline]
fn lines_9x9(random: &mut Random) -> [u8; 9] {
    let mut number = random.below(6 * 6 * 6 * 6) as usize;
    let mut next = || {
        let order = PERMUTATIONS[number % 6];
        number /= 6;
        order
    };
    let bands = next();
    let mut lines = [0; 9];
    for (lines, band) in lines.as_chunks_mut::<3>().0.iter_mut().zip(bands) {
        *lines = next().map(|line| 3 * band + line);
    }
    lines
}

/// Draws a random order of nine digits from one random number, with the shuffle of Fisher and Yates.
#[inline]
fn labels_9x9(random: &mut Random) -> [u8; 9] {
    let mut number = random.below(362_880);
    let mut labels = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    for last in (1..9).rev() {
        labels.swap(last as usize, (number % (last + 1)) as usize);
        number /= last + 1;
    }
    labels
}

fn ordered() -> [u8; MAX_SIDE] {
    std::array::from_fn(|at| at as u8)
}

/// Returns the number of rows in a band and the number of columns in a stack. Transforms must keep these rows
/// or columns together.
fn together(geometry: &Geometry) -> [usize; 2] {
    match geometry.has_boxes() {
        true => [geometry.box_rows(), geometry.box_columns()],
        false => [geometry.side(); 2],
    }
}

impl Transform {
    /// Draws a random transform of a 9x9 grid. All transforms are equally likely.
    ///
    /// Draws the parts of the transform in this order: the transposition, the order of the bands, the rows of
    /// each band, the order of the stacks, the columns of each stack, and the labels. The same random numbers
    /// always give the same transform.
    pub fn random(random: &mut Random) -> Self {
        Isomorphs::ALL_9X9.draw_parts(random)
    }

    /// Checks that the image of a puzzle would have boxes of the same shape, and rules of the same types.
    fn check(&self, puzzle: &Puzzle) -> Result<(), NoImage> {
        let (side, [rows, columns]) = (puzzle.geometry().side(), together(puzzle.geometry()));
        if self.side() != side {
            return Err(NoImage::Side(self.side(), side));
        }
        if !are_together(self.rows(), rows)
            || !are_together(self.columns(), columns)
            || self.is_transposed() && rows != columns
        {
            return Err(NoImage::Boxes);
        }
        let Some(rules) = puzzle.rules() else { return Ok(()) };
        let is_turn = |lines: &[u8]| lines.is_sorted() || lines.is_sorted_by(|line, next| line > next);
        if !is_turn(self.rows()) || !is_turn(self.columns()) {
            return Err(NoImage::Turns);
        }
        if !self.labels().is_sorted() && !rules.are_without_values() {
            return Err(NoImage::Values);
        }
        Ok(())
    }

    /// Writes the image of a puzzle to `image`: candidates, letter groups and rules, but not weights.
    ///
    /// # Errors
    /// Returns an error if the transform does not fit the side length, the boxes or the rules.
    pub fn image(&self, puzzle: &Puzzle, image: &mut Puzzle) -> Result<(), NoImage> {
        self.check(puzzle)?;
        image.reset(puzzle.geometry());
        let side = self.side();
        let mut to = vec![0; side * side];
        for cell in 0..side * side {
            let source = self.source(cell / side, cell % side);
            to[source] = cell as u16;
            image.set_candidates(cell, self.relabelled(puzzle.candidates()[source]));
        }
        for Constraint::SameDigit { letter, cells } in puzzle.constraints() {
            let mut cells: Vec<u16> = cells.iter().map(|&cell| to[usize::from(cell)]).collect();
            cells.sort_unstable();
            image.constrain(Constraint::SameDigit { letter: *letter, cells });
        }
        let turned = puzzle.rules().map(|rules| Rules::turned(rules, &to)).transpose()?.flatten();
        if let Some(rules) = turned {
            image.set_rules(&Arc::new(rules));
        }
        Ok(())
    }

    /// Appends the image of a solution to `out`. Digits are 0-based.
    ///
    /// The solution must have the same side length as the transform.
    pub fn image_of_solution(&self, digits: &[u8], out: &mut Vec<u8>) {
        let (side, labels) = (self.side(), self.labels());
        out.extend((0..side * side).map(|cell| {
            let digit = digits[self.source(cell / side, cell % side)];
            labels[usize::from(digit)]
        }));
    }

    fn relabelled(&self, set: DigitSet) -> DigitSet {
        if set == DigitSet::all(self.side()) {
            return set;
        }
        let labels = self.labels();
        DigitSet(set.iter().fold(0, |all, digit| all | 1 << labels[digit]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn grid(side: usize) -> Puzzle {
        Puzzle::new(&Geometry::of_side(side).unwrap())
    }

    /// Draws transforms of a grid, and returns how often each was drawn.
    fn counted(puzzle: &Puzzle, parts: Parts, draws: u64) -> HashMap<Transform, u64> {
        let all = Isomorphs::of(ProblemRef::Puzzle(puzzle), parts).unwrap();
        let mut counts = HashMap::new();
        for record in 0..draws {
            *counts.entry(all.draw(&mut Random::new(5, record, 0))).or_insert(0) += 1;
        }
        counts
    }

    #[test]
    fn transforms_are_equally_likely() {
        let digits: Parts = [Part::Digits].into_iter().collect();
        for (side, parts, order) in [
            (4, Parts::ALL.without(Part::Digits), 128),
            (4, digits, 24),
            (6, [Part::Rows, Part::Stacks].into_iter().collect(), 16),
        ] {
            let each = 200;
            let counts = counted(&grid(side), parts, each * order);
            assert_eq!(counts.len() as u64, order, "all are drawn");
            assert!(are_even(&counts.into_values().collect::<Vec<_>>()), "{side}");
        }
    }

    /// Returns false if the counts are so uneven that only one seed in 1,000 would produce them.
    fn are_even(counts: &[u64]) -> bool {
        let each = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        let chi: f64 = counts.iter().map(|&count| (count as f64 - each).powi(2) / each).sum();
        let free = counts.len() as f64 - 1.0;
        chi < free + 3.3 * (2.0 * free).sqrt()
    }

    #[test]
    fn parts_of_a_9x9_are_equally_likely() {
        let all = Isomorphs::of(ProblemRef::Puzzle(&grid(9)), Parts::ALL).unwrap();
        assert_eq!(all, Isomorphs::ALL_9X9);
        let (mut rows, mut columns, mut labels) = (HashMap::new(), HashMap::new(), vec![0; 81]);
        for record in 0..100_000 {
            let drawn = all.draw(&mut Random::new(9, record, 0));
            *rows.entry(drawn.rows().to_vec()).or_insert(0) += 1;
            *columns.entry((drawn.is_transposed(), drawn.columns()[..5].to_vec())).or_insert(0) += 1;
            for (digit, &label) in drawn.labels().iter().enumerate() {
                labels[9 * digit + usize::from(label)] += 1;
            }
        }
        assert_eq!((rows.len(), columns.len()), (1296, 2 * 3 * 6 * 2 * 6));
        assert!(are_even(&rows.into_values().collect::<Vec<_>>()));
        assert!(are_even(&columns.into_values().collect::<Vec<_>>()));
        assert!(are_even(&labels));
    }

    #[test]
    fn images_move_candidates_and_letters() {
        let mut puzzle = grid(9);
        puzzle.restrict(3, DigitSet(0b101));
        puzzle.constrain(Constraint::SameDigit { letter: 'x', cells: vec![0, 40] });
        let all = Isomorphs::of(ProblemRef::Puzzle(&puzzle), Parts::ALL).unwrap();
        let (mut image, mut back) = (grid(9), grid(9));
        for record in 0..50 {
            let transform = all.draw(&mut Random::new(1, record, 0));
            transform.image(&puzzle, &mut image).unwrap();
            transform.inverse().image(&image, &mut back).unwrap();
            assert_eq!(back, puzzle, "{transform}");
        }
        assert_ne!(image, puzzle);
    }

    #[test]
    fn boxes_stay_together() {
        let wide = Puzzle::new(&Geometry::new(2, 6).unwrap());
        let tall = Puzzle::new(&Geometry::new(6, 2).unwrap());
        let mut image = tall.clone();
        let all = Isomorphs::of(ProblemRef::Puzzle(&wide), Parts::ALL).unwrap();
        let refused = (0..20).filter(|&record| {
            let transform = all.draw(&mut Random::new(1, record, 0));
            assert_eq!(transform.to_string().parse(), Ok(transform));
            transform.image(&tall, &mut image) == Err(NoImage::Boxes)
        });
        assert_eq!(refused.count(), 20);
        assert_eq!(Transform::identity(9).unwrap().image(&tall, &mut image), Err(NoImage::Side(9, 12)));
    }
}
