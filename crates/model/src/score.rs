//! Scores of answers to puzzles, computed without a search.
//!
//! Scores are useful for training a machine learning model, because most answers of such a model are only
//! partly right.

use crate::Geometry;
use crate::simd::{Bytes, WordKernel, Words, run_words};

/// Measures that show how much of an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Score {
    /// True if the answer is a solution of the puzzle. If there are several solutions, each is valid.
    pub valid: bool,
    /// Number of cells whose digit has no visible error. This means that the digit occurs only once in each
    /// house of the cell, and does not contradict a clue.
    pub correct_cells: u16,
    /// Number of houses that do not contain every digit.
    pub broken_houses: u16,
    /// Number of clues of the puzzle that also appear in the answer.
    pub clues_kept: u16,
}

/// Number of pairs of puzzle and answer that are scored at the same time, one pair per vector lane.
const LANES: usize = 32;
/// Bits of a cell's mark (see [`MARKS`]) that represent the nine digits. The mark has two more bits, for a
/// kept clue and for a contradicted clue.
const DIGITS: u16 = 0x1ff;
const KEPT: u32 = 14;
const CONTRADICTED: u32 = 15;

/// Bit sets that summarise the answer in one cell, indexed by the cell's key.
///
/// The low bits of the key are the number that the answer gives, at most 15. Bit 6 is set if the answer keeps
/// the cell's clue. Bit 7 is set if the answer contradicts the cell's clue.
const MARKS: [u16; 256] = {
    let mut marks = [0; 256];
    let mut key = 0;
    while key < 256 {
        let digit = key & 15;
        let of_digit = if digit == 0 || digit > 9 { 0 } else { 1 << (digit - 1) };
        marks[key] = of_digit | (key as u16 >> 6) << KEPT;
        key += 1;
    }
    marks
};

/// Scores answers to 9x9 puzzles, [`LANES`] answers at the same time.
struct Pairs<'a> {
    geometry: &'a Geometry,
    /// One puzzle per answer, or a single puzzle for all answers.
    puzzles: &'a [[u8; 81]],
    answers: &'a [[u8; 81]],
    scores: &'a mut [Score],
}

impl WordKernel for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Words + Bytes>(self, _: I) {
        let mut marks = [[0; LANES]; 81];
        for (block, scores) in self.scores.chunks_mut(LANES).enumerate() {
            for lane in 0..scores.len() {
                let pair = block * LANES + lane;
                mark(&self.puzzles[pair.min(self.puzzles.len() - 1)], &self.answers[pair], lane, &mut marks);
            }
            score_lanes(self.geometry, &marks, scores);
        }
    }
}

/// Sets the marks of all 81 cells for one pair of puzzle and answer.
#[inline(always)]
fn mark(puzzle: &[u8; 81], answer: &[u8; 81], lane: usize, marks: &mut [[u16; LANES]; 81]) {
    let mut keys = [0; 81];
    for cell in 0..81 {
        let (clue, number) = (puzzle[cell], answer[cell]);
        let of_clue = if clue == number { 1 << (KEPT - 8) } else { 1 << (CONTRADICTED - 8) };
        keys[cell] = number.min(15) | if clue == 0 { 0 } else { of_clue };
    }
    for cell in 0..81 {
        marks[cell][lane] = MARKS[usize::from(keys[cell])];
    }
}

/// Computes the scores of the pairs in the first lanes, one pair per score. The loops over all lanes become
/// vector instructions.
#[expect(clippy::needless_range_loop, reason = "indexed loops of fixed length become vector instructions")]
#[inline(always)]
fn score_lanes(geometry: &Geometry, marks: &[[u16; LANES]; 81], scores: &mut [Score]) {
    let [mut broken, mut correct, mut kept, mut all] = [[0; LANES]; 4];
    let mut repeated = [[0; LANES]; 27];
    for house in 0..27 {
        let mut cells = [&marks[0]; 9];
        for at in 0..9 {
            cells[at] = &marks[usize::from(geometry.houses()[house].cells[at])];
        }
        for lane in 0..LANES {
            let (mut once, mut twice) = (0, 0);
            for at in 0..9 {
                twice |= once & cells[at][lane];
                once |= cells[at][lane];
            }
            repeated[house][lane] = twice;
            broken[lane] += u16::from(once & DIGITS != DIGITS);
        }
    }
    for cell in 0..81 {
        let mut houses = [&repeated[0]; 3];
        for at in 0..3 {
            houses[at] = &repeated[usize::from(geometry.houses_of(cell)[at])];
        }
        for lane in 0..LANES {
            let mark = marks[cell][lane];
            let taken = houses[0][lane] | houses[1][lane] | houses[2][lane];
            correct[lane] += u16::from(mark & DIGITS & !taken != 0) & !(mark >> CONTRADICTED);
            kept[lane] += mark >> KEPT & 1;
            all[lane] |= mark;
        }
    }
    for (lane, score) in scores.iter_mut().enumerate() {
        *score = Score {
            valid: broken[lane] == 0 && all[lane] >> CONTRADICTED == 0,
            correct_cells: correct[lane],
            broken_houses: broken[lane],
            clues_kept: kept[lane],
        };
    }
}

/// Scores answers to puzzles that all have the same geometry.
///
/// Returns the same scores as [`score`]. For 9x9 grids, this function is many times as fast. `puzzles` has
/// the cells of all puzzles, one puzzle after another, and `answers` has the cells of all answers. If there
/// is only one puzzle, all answers belong to it.
///
/// # Panics
/// Panics if the number of puzzles differs from the number of answers, or if a grid is incomplete.
pub fn scores(geometry: &Geometry, puzzles: &[u8], answers: &[u8]) -> Vec<Score> {
    let cells = geometry.cells();
    let is_whole = [puzzles, answers].iter().all(|grids| grids.len().is_multiple_of(cells));
    assert!(is_whole && (puzzles.len() == cells || puzzles.len() == answers.len()), "one puzzle per answer");
    if geometry.is_9x9() && answers.len() > cells {
        let mut scores = vec![Score::default(); answers.len() / cells];
        let (puzzles, answers) = (puzzles.as_chunks().0, answers.as_chunks().0);
        run_words(None, Pairs { geometry, puzzles, answers, scores: &mut scores });
        return scores;
    }
    let pairs = puzzles.chunks_exact(cells).cycle().zip(answers.chunks_exact(cells));
    pairs.map(|(puzzle, answer)| score(geometry, puzzle, answer)).collect()
}

/// Scores an answer to a puzzle. Numbers are 1-based, 0 for an empty cell; numbers above the side match no digit.
///
/// ```
/// use quadrille::scores::{score, scores};
///
/// let mut puzzle = [0; 81];
/// puzzle[0] = 5;
/// let mut answer = [0; 81];
/// (answer[0], answer[1], answer[80]) = (5, 5, 1);
/// let geometry = quadrille::Geometry::of_side(9)?;
/// let found = score(&geometry, &puzzle, &answer);
/// assert_eq!((found.valid, found.correct_cells, found.broken_houses, found.clues_kept), (false, 1, 27, 1));
/// assert_eq!(scores(&geometry, &puzzle, &answer.repeat(2)), [found; 2]);
/// # Ok::<(), quadrille::Error>(())
/// ```
///
/// # Panics
/// Panics if the puzzle or the answer has another number of cells.
pub fn score(geometry: &Geometry, puzzle: &[u8], answer: &[u8]) -> Score {
    let side = geometry.side();
    assert_eq!([puzzle.len(), answer.len()], [geometry.cells(); 2], "the cells of the grid");
    // Bit 0 represents an invalid number.
    let bit = |cell: u16| {
        let digit = usize::from(answer[usize::from(cell)]);
        if digit <= side { 1u64 << digit } else { 1 }
    };
    let mut taken = vec![1u64; geometry.cells()];
    let mut score = Score::default();
    for house in geometry.houses() {
        let (mut once, mut twice) = (0, 0);
        for &cell in &house.cells {
            twice |= once & bit(cell);
            once |= bit(cell);
        }
        score.broken_houses += u16::from(once != (2 << side) - 2);
        house.cells.iter().for_each(|&cell| taken[usize::from(cell)] |= twice);
    }
    let mut are_kept = true;
    for (cell, (&clue, &digit)) in (0..).zip(puzzle.iter().zip(answer)) {
        let is_kept = clue == 0 || clue == digit;
        are_kept &= is_kept;
        score.clues_kept += u16::from(clue != 0 && is_kept);
        score.correct_cells += u16::from(is_kept && bit(cell) & !taken[usize::from(cell)] != 0);
    }
    score.valid = score.broken_houses == 0 && are_kept;
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry_9x9;
    use crate::random::Random;
    use crate::simd::run_plain;

    const SOLVED: &[u8; 81] =
        b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    /// Computes a score cell by cell, directly from the definition.
    fn by_definition(geometry: &Geometry, puzzle: &[u8], answer: &[u8]) -> Score {
        let side = geometry.side();
        let is_digit = |cell: usize| (1..=side).contains(&answer[cell].into());
        let is_alone = |cell: usize| {
            geometry.houses_of(cell).iter().all(|&house| {
                let cells = &geometry.houses()[usize::from(house)].cells;
                cells
                    .iter()
                    .all(|&other| usize::from(other) == cell || answer[usize::from(other)] != answer[cell])
            })
        };
        let is_whole = |cells: &[u16]| {
            (1..=side).all(|digit| cells.iter().any(|&cell| usize::from(answer[usize::from(cell)]) == digit))
        };
        let is_kept = |cell: usize| puzzle[cell] == 0 || puzzle[cell] == answer[cell];
        let cells = 0..geometry.cells();
        let broken = geometry.houses().iter().filter(|house| !is_whole(&house.cells)).count();
        Score {
            valid: broken == 0 && cells.clone().all(is_kept),
            correct_cells: cells
                .clone()
                .filter(|&cell| is_digit(cell) && is_alone(cell) && is_kept(cell))
                .count() as u16,
            broken_houses: broken as u16,
            clues_kept: cells.filter(|&cell| puzzle[cell] != 0 && is_kept(cell)).count() as u16,
        }
    }

    #[test]
    fn scores_are_those_of_the_definition() {
        let solved = SOLVED.map(|byte| byte - b'0');
        let (mut valid, mut puzzles, mut answers, mut all) = (0, Vec::new(), Vec::new(), Vec::new());
        for seed in 0..400 {
            let mut random = Random::new(seed, 0, 0);
            let (mut puzzle, mut answer) = (solved, solved);
            puzzle.iter_mut().filter(|_| random.below(3) > 0).for_each(|clue| *clue = 0);
            for _ in 0..[0, 1, 2, 8, 60][seed as usize % 5] {
                let cell = random.below(81) as usize;
                answer[cell] = random.below(12) as u8;
                if random.below(4) == 0 {
                    puzzle[cell] = 1 + random.below(9) as u8;
                }
            }
            let expected = by_definition(geometry_9x9(), &puzzle, &answer);
            assert_eq!(score(geometry_9x9(), &puzzle, &answer), expected);
            valid += usize::from(expected.valid);
            puzzles.extend(puzzle);
            answers.extend(answer);
            all.push(expected);
        }
        for count in [0, 1, 2, LANES - 1, LANES, 400] {
            let (puzzles, answers) = (&puzzles[..81 * count], &answers[..81 * count]);
            assert_eq!(scores(geometry_9x9(), puzzles, answers), all[..count]);
            let mut plain = vec![Score::default(); count];
            let (puzzles, answers) = (puzzles.as_chunks().0, answers.as_chunks().0);
            run_plain(Pairs { geometry: geometry_9x9(), puzzles, answers, scores: &mut plain });
            assert_eq!(plain, all[..count]);
        }
        let to_first = answers.chunks(81).map(|answer| score(geometry_9x9(), &puzzles[..81], answer));
        assert_eq!(scores(geometry_9x9(), &puzzles[..81], &answers), to_first.collect::<Vec<_>>());
        assert!((80..200).contains(&valid), "{valid}");
    }

    #[test]
    fn other_sides_are_scored() {
        for side in [4, 6, 16] {
            let geometry = Geometry::of_side(side).unwrap();
            for seed in 0..50 {
                let mut random = Random::new(seed, side as u64, 0);
                let mut numbers =
                    |most: u32| (0..side * side).map(|_| random.below(most) as u8).collect::<Vec<_>>();
                let (puzzle, answer) = (numbers(2), numbers(side as u32 + 2));
                let expected = by_definition(&geometry, &puzzle, &answer);
                assert_eq!(score(&geometry, &puzzle, &answer), expected);
                assert_eq!(scores(&geometry, &puzzle, &answer.repeat(2)), [expected; 2]);
            }
        }
    }
}
