//! Scores of answers to puzzles, without a search: for training, where most answers are wrong in part.

use crate::Geometry;

/// How much of an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Score {
    /// True if the answer is a solution of the puzzle: any of them, if there are several.
    pub valid: bool,
    /// Number of cells whose digit does not recur in any of their houses and does not contradict a clue.
    pub correct_cells: u16,
    /// Number of houses that do not hold every digit.
    pub broken_houses: u16,
    /// Number of clues of the puzzle that the answer has too.
    pub clues_kept: u16,
}

/// For each digit from 1 to 9, a one in its own counter of four bits. Other numbers add nothing.
const COUNTERS: [u64; 256] = {
    let mut counters = [0; 256];
    let mut digit = 1;
    while digit <= 9 {
        counters[digit] = 1 << (4 * (digit - 1));
        digit += 1;
    }
    counters
};
/// The counters of a house with every digit once.
const WHOLE: u64 = 0x1_1111_1111;

/// Returns the lowest bit of each counter that is at least 2. Counters are at most 9.
#[inline]
fn repeated(counters: u64) -> u64 {
    (counters + 6 * WHOLE) >> 3 & WHOLE
}

/// Scores an answer to a 9x9. Numbers are 1-based, 0 for an empty cell; numbers above 9 match no digit.
///
/// ```
/// let mut puzzle = [0; 81];
/// puzzle[0] = 5;
/// let mut answer = [0; 81];
/// (answer[0], answer[1], answer[80]) = (5, 5, 1);
/// let score = quadrille::scores::score_9x9(&puzzle, &answer);
/// assert_eq!((score.valid, score.correct_cells, score.broken_houses, score.clues_kept), (false, 1, 27, 1));
/// ```
#[inline]
pub fn score_9x9(puzzle: &[u8; 81], answer: &[u8; 81]) -> Score {
    let cells = answer.map(|digit| COUNTERS[usize::from(digit)]);
    let (mut rows, mut columns, mut boxes) = ([0u64; 9], [0u64; 9], [0u64; 9]);
    for (row, line) in cells.as_chunks::<9>().0.iter().enumerate() {
        for (column, cell) in columns.iter_mut().zip(line) {
            *column += cell;
        }
        let thirds: [u64; 3] = std::array::from_fn(|at| line[3 * at] + line[3 * at + 1] + line[3 * at + 2]);
        rows[row] = thirds[0] + thirds[1] + thirds[2];
        for (at, third) in thirds.into_iter().enumerate() {
            boxes[row / 3 * 3 + at] += third;
        }
    }
    let is_broken = |house: &&u64| **house != WHOLE;
    let broken_houses = rows.iter().chain(&columns).chain(&boxes).filter(is_broken).count() as u16;
    let (mut clues, mut kept) = (0, 0);
    let mut is_kept = [0; 81];
    for ((&clue, &digit), is_kept) in puzzle.iter().zip(answer).zip(&mut is_kept) {
        clues += u8::from(clue != 0);
        kept += u8::from(clue != 0) & u8::from(clue == digit);
        *is_kept = u8::from(clue == 0) | u8::from(clue == digit);
    }
    let mut correct_cells = 0;
    if broken_houses == 0 {
        correct_cells = 81 - u16::from(clues - kept);
    } else {
        let [rows, columns, boxes] = [rows, columns, boxes].map(|houses| houses.map(repeated));
        let lines = cells.as_chunks::<9>().0.iter().zip(is_kept.as_chunks::<9>().0);
        for (row, (line, is_kept)) in lines.enumerate() {
            let thirds: [u64; 3] = std::array::from_fn(|at| rows[row] | boxes[row / 3 * 3 + at]);
            let correct: [u8; 9] = std::array::from_fn(|column| {
                let taken = thirds[column / 3] | columns[column];
                u8::from(line[column] & !taken != 0) & is_kept[column]
            });
            correct_cells += u16::from(correct.iter().sum::<u8>());
        }
    }
    let valid = broken_houses == 0 && clues == kept;
    Score { valid, correct_cells, broken_houses, clues_kept: kept.into() }
}

/// Scores an answer to a puzzle of any geometry, as [`score_9x9`] does.
///
/// # Panics
/// Panics if the puzzle or the answer has another number of cells.
pub fn score(geometry: &Geometry, puzzle: &[u8], answer: &[u8]) -> Score {
    match (puzzle.try_into(), answer.try_into()) {
        (Ok(puzzle), Ok(answer)) if geometry.is_9x9() => score_9x9(puzzle, answer),
        _ => score_by_houses(geometry, puzzle, answer),
    }
}

fn score_by_houses(geometry: &Geometry, puzzle: &[u8], answer: &[u8]) -> Score {
    let side = geometry.side();
    assert_eq!([puzzle.len(), answer.len()], [geometry.cells(); 2], "the cells of the grid");
    // Bit 0 stands for an invalid number.
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

    const SOLVED: &[u8; 81] =
        b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    /// Scores by the definition, cell by cell.
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
        let mut valid = 0;
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
            assert_eq!(score_9x9(&puzzle, &answer), expected);
            assert_eq!(score_by_houses(geometry_9x9(), &puzzle, &answer), expected);
            assert_eq!(score(geometry_9x9(), &puzzle, &answer), expected);
            valid += usize::from(expected.valid);
        }
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
                assert_eq!(score(&geometry, &puzzle, &answer), by_definition(&geometry, &puzzle, &answer));
            }
        }
    }
}
