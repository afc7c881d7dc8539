//! The independent check of many plain 9x9 grids at once, on the text of the input and of the output.
//!
//! Like the other verifier, this check shares nothing with parsers, engines and formatters. It compares the text of a
//! puzzle with the text of its solution, for two records at a time in a [`Pair`](Bytes::Pair).
//!
//! A solution is correct if:
//!
//! * All its characters are 1 to 9, and every clue of the puzzle is in its place.
//! * Its rows are whole: the nine numbers `2^(d - 1) - 1` of a row's digits `d` add up to 502. (Nine powers of two from
//!   1 to 256 whose sum is 511 are all different. Fewer than nine cannot have that sum, since 511 has nine bits set;
//!   and if two of nine were equal, they could be replaced by one.) So every digit occurs nine times.
//! * Its columns and boxes have each of the digits 1 to 8, one bit each. These fill eight of the nine cells of a house,
//!   so the nine 9s must fill the last cell of each.
//!
//! ```text
//! half of a pair    nine cells of a row, and seven bytes that are masked out or meaningless
//! columns           OR of all rows,              at bytes 0 to 8
//! boxes             OR of three rows, and of three neighbours in it, at bytes 0, 3, 6
//! ```

use super::PLAIN_LINE;
use crate::rules::Claims;
use crate::simd::{Bytes, HALF, WordKernel, run_bytes};

/// Checks lines of solutions against plain 9x9 puzzles. Returns false if any solution is wrong or missing.
///
/// Each solution is 81 characters and a newline. A puzzle starts every `stride` bytes, and `stride` is at
/// least 81. In a puzzle, the characters 1 to 9 are clues, and any other character is an empty cell.
pub fn verify_lines(puzzles: &[u8], stride: usize, solutions: &[u8]) -> bool {
    let (lines, rest) = solutions.as_chunks();
    let begun = puzzles.len().div_ceil(stride);
    let are_there = begun == lines.len() && (begun == 0 || puzzles.len() >= (begun - 1) * stride + 81);
    rest.is_empty() && are_there && run_bytes(AreRight { puzzles, stride, lines })
}

/// Checks lines as [`verify_lines`] does, but for grids with other rules.
///
/// The rules are given as [`Claims`]. Boxes need not be houses.
pub fn verify_ruled_lines(claims: &Claims, puzzles: &[u8], stride: usize, solutions: &[u8]) -> bool {
    let (lines, rest) = solutions.as_chunks::<PLAIN_LINE>();
    rest.is_empty()
        && puzzles.len().div_ceil(stride) == lines.len()
        && puzzles.chunks(stride).zip(lines).all(|(puzzle, line)| {
            let Some(puzzle) = puzzle.first_chunk::<81>() else { return false };
            let is_taken = |(&asked, &given): (&u8, &u8)| {
                (b'1'..=b'9').contains(&given) & (asked == given || !(b'1'..=b'9').contains(&asked))
            };
            let are_taken =
                puzzle.iter().zip(line).map(is_taken).fold(line[81] == b'\n', |all, one| all & one);
            let digits: [u8; 81] = std::array::from_fn(|cell| line[cell].wrapping_sub(b'1'));
            are_taken && claims.differ(&digits).unwrap_or_else(|| claims.first_broken(&digits).is_none())
        })
}

/// Checks lines of solutions, two at a time.
struct AreRight<'a> {
    puzzles: &'a [u8],
    stride: usize,
    lines: &'a [[u8; PLAIN_LINE]],
}

impl WordKernel for AreRight<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> bool {
        let nothing = bytes.twice(&[0; HALF]);
        let (mut wrong, mut ended) = (nothing, true);
        let mut first = 0;
        while first < self.lines.len() {
            // If the number of lines is odd, the last line is checked twice.
            let second = (first + 1).min(self.lines.len() - 1);
            let [one, other] = [&self.lines[first], &self.lines[second]];
            for (number, line) in [(first, one), (second, other)] {
                let puzzle = &self.puzzles[self.stride * number..][..81];
                wrong = bytes.or(wrong, wrong_cells(bytes, puzzle, line));
                ended &= line[81] == b'\n';
            }
            wrong = bytes.or(wrong, wrong_houses(bytes, one, other));
            first += 2;
        }
        ended && bytes.is_zero(wrong)
    }
}

/// Returns the sixteen bytes that start at offset `at`.
#[inline(always)]
fn half(line: &[u8], at: usize) -> &[u8; HALF] {
    line[at..].first_chunk().expect("lines have 81 bytes")
}

/// Returns a value in which bits are set for each wrong character. A character is wrong if it is not 1 to 9,
/// or if it differs from the puzzle's clue in the same cell.
#[inline(always)]
fn wrong_cells<B: Bytes>(bytes: B, puzzle: &[u8], line: &[u8; PLAIN_LINE]) -> B::Pair {
    let [ones, eights] = [bytes.twice(&[b'1'; HALF]), bytes.twice(&[8; HALF])];
    let all = bytes.twice(&[0xff; HALF]);
    let mut wrong = bytes.minus(all, all);
    for places in [[0, 16], [32, 48], [64, 65]] {
        let asked = bytes.pair([half(puzzle, places[0]), half(puzzle, places[1])]);
        let given = bytes.pair([half(line, places[0]), half(line, places[1])]);
        let is_clue = bytes.at_most(bytes.minus(asked, ones), eights);
        let is_digit = bytes.at_most(bytes.minus(given, ones), eights);
        let differs = bytes.and_not(is_clue, bytes.same(asked, given));
        wrong = bytes.or(wrong, bytes.or(differs, bytes.and_not(all, is_digit)));
    }
    wrong
}

/// Number that each character adds to the sum of its row. The sum of a correct row is [`WHOLE_ROW`].
///
/// Indexed by the low four bits of the character.
const TERMS: [u8; HALF] = [0, 0, 1, 3, 7, 15, 31, 63, 127, 255, 0, 0, 0, 0, 0, 0];
/// Sum of the [`TERMS`] of a correct row: `511 - 9`.
const WHOLE_ROW: u64 = 502;
/// One bit for each of the digits 1 to 8. Indexed by the low four bits of the character.
const FLAGS: [u8; HALF] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0];

/// Returns a value with bits set if some house of either solution lacks a digit.
///
/// All characters must be 1 to 9.
#[inline(always)]
fn wrong_houses<B: Bytes>(bytes: B, one: &[u8; PLAIN_LINE], other: &[u8; PLAIN_LINE]) -> B::Pair {
    /// Mask for looking up the characters of a row. With the mask, lookups return 0 for the seven characters
    /// that follow the nine characters of the row.
    const BEHIND: [u8; HALF] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 128, 128, 128, 128, 128, 128];
    const COLUMNS: [u8; HALF] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0];
    const BOXES: [u8; HALF] = [255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let [terms, flags, behind] = [bytes.twice(&TERMS), bytes.twice(&FLAGS), bytes.twice(&BEHIND)];
    let all = bytes.twice(&[0xff; HALF]);
    let nothing = bytes.minus(all, all);
    let mut sums = [nothing; 9];
    let (mut columns, mut boxes) = (nothing, all);
    for band in 0..3 {
        let mut lines = nothing;
        for line in 0..3 {
            let row = 3 * band + line;
            let at = (9 * row).min(81 - HALF);
            let mut cells = bytes.pair([half(one, at), half(other, at)]);
            if row == 8 {
                cells = bytes.down::<7>(cells);
            }
            lines = bytes.or(lines, bytes.look_up(flags, cells));
            sums[row] = bytes.sums(bytes.look_up(terms, bytes.or(cells, behind)));
        }
        columns = bytes.or(columns, lines);
        let threes = bytes.or(lines, bytes.or(bytes.down::<1>(lines), bytes.down::<2>(lines)));
        boxes = bytes.and(boxes, threes);
    }
    let missing =
        bytes.or(bytes.and_not(bytes.twice(&COLUMNS), columns), bytes.and_not(bytes.twice(&BOXES), boxes));
    bytes.or(missing, wrong_rows(bytes, &sums))
}

/// Returns a value with bits set for each row whose sum is not [`WHOLE_ROW`].
///
/// Each sum has two parts: the sum of the first eight cells, and the ninth cell.
#[inline(always)]
fn wrong_rows<B: Bytes>(bytes: B, sums: &[B::Pair; 9]) -> B::Pair {
    let mut whole = [0; HALF];
    for at in 0..4 {
        whole[2 * at..][..2].copy_from_slice(&(WHOLE_ROW as u16).to_le_bytes());
    }
    let whole = bytes.twice(&whole);
    let low = bytes.twice(&[255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]);
    let right = bytes.and(
        bytes.same(four(bytes, sums[0], sums[1], sums[2], sums[3]), whole),
        bytes.same(four(bytes, sums[4], sums[5], sums[6], sums[7]), whole),
    );
    // The ninth row four times.
    let right = bytes.and(right, bytes.same(four(bytes, sums[8], sums[8], sums[8], sums[8]), whole));
    bytes.and_not(low, right)
}

/// Returns the sums of four rows, at the low end of each half of the result. Each sum has sixteen bits.
#[inline(always)]
fn four<B: Bytes>(bytes: B, a: B::Pair, b: B::Pair, c: B::Pair, d: B::Pair) -> B::Pair {
    let (b, c, d) = (bytes.up::<16>(b), bytes.up::<32>(c), bytes.up::<48>(d));
    let sums = bytes.or(bytes.or(a, b), bytes.or(c, d));
    bytes.plus(sums, bytes.down::<8>(sums))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::PlainWords;
    use crate::{Packed9x9, ProblemRef, Solution, verify};

    const SOLVED: &[u8; 81] =
        b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";
    const OTHER: &[u8; 81] =
        b"123456789456789123789123456231564897564897231897231564312645978645978312978312645";

    /// Returns true if all solutions are right. Checks with the best instruction set and with plain 64-bit
    /// words, which must give the same result.
    fn is_right(puzzles: &[&[u8; 81]], stride: usize, solutions: &[&[u8; 81]]) -> bool {
        let mut text = Vec::new();
        for puzzle in puzzles {
            text.extend_from_slice(*puzzle);
            text.resize(text.len() + stride - 81, b'\n');
        }
        let lines: Vec<[u8; PLAIN_LINE]> =
            solutions.iter().map(|line| std::array::from_fn(|at| *line.get(at).unwrap_or(&b'\n'))).collect();
        let best = verify_lines(&text, stride, lines.as_flattened());
        if puzzles.len() == solutions.len() {
            let plain = AreRight { puzzles: &text, stride, lines: &lines }.run(PlainWords);
            assert_eq!(plain, best);
        }
        best
    }

    #[test]
    fn whole_grids_pass_and_every_change_of_a_cell_fails() {
        let empty = &[b'.'; 81];
        for lines in [&[SOLVED][..], &[SOLVED, OTHER], &[OTHER, SOLVED, OTHER]] {
            let puzzles = vec![empty; lines.len()];
            assert!(is_right(&puzzles, 82, lines) && is_right(&puzzles, 83, lines));
            assert!(is_right(lines, 82, lines));
            assert!(!is_right(&puzzles[1..], 82, lines) && !is_right(&puzzles, 82, &lines[1..]));
        }
        for cell in 0..81 {
            for character in (b'0'..=b':').chain([0, 0x21, 0x41, 0xb1, 0xff]) {
                let mut bad = *SOLVED;
                if bad[cell] != character {
                    bad[cell] = character;
                    assert!(!is_right(&[empty; 3], 82, &[OTHER, &bad, OTHER]), "{character} at {cell}");
                    assert!(!is_right(&[empty; 3], 82, &[OTHER, OTHER, &bad]), "{character} at {cell}");
                }
            }
        }
        assert!(verify_lines(b"", 82, b""));
        assert!(!verify_lines(empty, 82, &[SOLVED, &b" "[..]].concat()));
    }

    #[test]
    fn clues_are_checked() {
        for cell in 0..81 {
            let mut puzzle = [b'.'; 81];
            puzzle[cell] = SOLVED[cell];
            assert!(is_right(&[&puzzle, &puzzle], 82, &[SOLVED, SOLVED]));
            puzzle[cell] = if SOLVED[cell] == b'9' { b'1' } else { SOLVED[cell] + 1 };
            assert!(!is_right(&[&puzzle, &[b'.'; 81]], 82, &[SOLVED, SOLVED]));
            assert!(!is_right(&[&[b'0'; 81], &puzzle], 82, &[SOLVED, SOLVED]));
        }
    }

    #[test]
    fn bulk_verification_agrees_with_single_grids() {
        let mut state = 5u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let empty = [b'.'; 81];
        for round in 0..4000 {
            let mut line = *OTHER;
            match round % 4 {
                // Exchanges two cells of a house, so that other houses lack a digit.
                0 => {
                    let row = draw(9);
                    line.swap(9 * row + draw(9), 9 * row + draw(9));
                }
                1 => {
                    let column = draw(9);
                    line.swap(9 * draw(9) + column, 9 * draw(9) + column);
                }
                // Exchanges two rows or two columns, so that only boxes can be wrong.
                2 => {
                    let (a, b) = (draw(9), draw(9));
                    (0..9).for_each(|column| line.swap(9 * a + column, 9 * b + column));
                }
                _ => {
                    let (a, b) = (draw(9), draw(9));
                    (0..9).for_each(|row| line.swap(9 * row + a, 9 * row + b));
                }
            }
            let digits = line.map(|character| character - b'1');
            let single = verify(ProblemRef::Packed(&Packed9x9::FULL), Solution::Digits(&digits)).is_ok();
            assert_eq!(is_right(&[&empty, &empty], 82, &[&line, OTHER]), single);
            assert_eq!(is_right(&[&empty, &empty], 82, &[OTHER, &line]), single);
        }
    }
}
