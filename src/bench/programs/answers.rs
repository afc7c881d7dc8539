//! Finds the answers of programs in the text that they print, and checks them.

use quadrille_engine::Solver;
use quadrille_model::{Alphabet, Count, Goal, Limits, Problem, Result, Solution, Symbols, verify};

/// Maximum number of digits of a wrong count that a message shows in full.
const MAX_DIGITS: usize = 60;

/// The first fault in a program's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Index of the record concerned.
    pub(super) record: usize,
    pub(super) kind: FaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FaultKind {
    Missing,
    /// A second answer to the same record. This answer does not fit any later record either.
    Surplus,
    /// A wrong answer, with the reason.
    Wrong(String),
}

/// Returns the full grids in a text, in order, each as a list of 0-based digits.
///
/// A grid has one of three forms:
///
/// - One word with a digit per cell.
/// - One line with a digit per cell. Between the digits are characters that are neither letters nor digits.
/// - One line per row.
///
/// Text in any other form is ignored.
pub(super) fn grids(text: &[u8], cells: usize, symbols: Symbols) -> Vec<Vec<u8>> {
    let side = cells.isqrt();
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut rows: Vec<u8> = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let before = found.len();
        let is_gap = |byte: &u8| !byte.is_ascii_alphanumeric();
        let words = || line.split(is_gap).filter(|word| !word.is_empty());
        let whole = words().filter(|word| word.len() == cells);
        found.extend(whole.filter_map(|word| digits([word].into_iter(), side, symbols)));
        if found.len() > before {
            continue;
        }
        match digits(words(), side, symbols) {
            Some(line) if line.len() == cells => found.push(line),
            Some(line) if line.len() == side => {
                rows.extend(line);
                if rows.len() == cells {
                    found.push(std::mem::take(&mut rows));
                }
            }
            // A line that separates the boxes of a drawn grid has neither letters nor digits.
            _ if words().next().is_none() => {}
            _ => rows.clear(),
        }
    }
    found
}

/// Returns the 0-based digits that some words contain. Each word is an integer, or a sequence of characters
/// that are digits.
///
/// Returns `None` if a word is neither of these.
fn digits<'a>(words: impl Iterator<Item = &'a [u8]>, side: usize, symbols: Symbols) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for word in words {
        if symbols.alphabet == Alphabet::Integers && side > 9 {
            let number: usize = std::str::from_utf8(word).ok()?.parse().ok()?;
            all.push(number.checked_sub(1).filter(|digit| *digit < side)? as u8);
        } else {
            for &byte in word {
                let one_based = Symbols { alphabet: Alphabet::FromOne, ..symbols };
                let symbols = if symbols.alphabet == Alphabet::Integers { one_based } else { symbols };
                all.push(symbols.digit_of(byte, side)? as u8);
            }
        }
    }
    Some(all)
}

/// Returns the counts in a text. In each line with numbers, the last number is the count.
pub(super) fn counts(text: &[u8]) -> Vec<&str> {
    text.split(|&byte| byte == b'\n').filter_map(|line| numbers(line).next_back()).collect()
}

/// Returns the count that a program printed for a single problem.
///
/// The count is the last number before the word `solution` in `output` or `errors`. If neither text has a
/// number before this word, the count is the last number of the last line with numbers in `output`.
pub(super) fn only_count(output: &[u8], errors: &[u8]) -> Option<String> {
    let mut said = None;
    for line in [output, errors].into_iter().flat_map(|text| text.split(|&byte| byte == b'\n')) {
        if let Some(at) = line.windows(8).position(|word| word.eq_ignore_ascii_case(b"solution")) {
            said = numbers(&line[..at]).next_back().or(said);
        }
    }
    said.or_else(|| counts(output).pop()).map(str::to_owned)
}

fn numbers(line: &[u8]) -> impl DoubleEndedIterator<Item = &str> {
    line.split(|byte: &u8| !byte.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && word.iter().all(u8::is_ascii_digit))
        .filter_map(|word| std::str::from_utf8(word).ok())
}

/// Checks answers against the problems. Searches for the correct answers itself if necessary.
#[derive(Default)]
pub(super) struct Judge {
    solver: Solver,
}

impl Judge {
    /// Returns the first fault in a program's solutions, or `None` if the solutions are right.
    ///
    /// The solutions must be in the order of the problems. For a problem without a solution, the program must
    /// not print a grid. For a problem with several solutions, each of them is right.
    pub(super) fn solutions(&mut self, problems: &[Problem], found: &[Vec<u8>]) -> Result<Option<Fault>> {
        let fault = |record, kind| Ok(Some(Fault { record, kind }));
        let of = |record: usize, grid| verify(problems[record].as_ref(), Solution::Digits(grid));
        let mut next = 0;
        for grid in found {
            let solved = (next..problems.len()).find(|&record| of(record, grid).is_ok());
            if solved.is_none() && next > 0 && (next == problems.len() || of(next - 1, grid).is_ok()) {
                return fault(next - 1, FaultKind::Surplus);
            }
            // If a wrong grid contains the clues of a later record, it counts as the answer to that record.
            let meant = || (next..problems.len()).find(|&record| fits(&problems[record], grid));
            let record = solved.or_else(meant).unwrap_or(next);
            if let Some(unanswered) = self.first_with_solution(problems, next, record)? {
                return fault(unanswered, FaultKind::Missing);
            }
            if let Err(violation) = of(record, grid) {
                let reason = match self.first_with_solution(problems, record, record + 1)? {
                    Some(_) => violation.to_string(),
                    None => "it has no solution".to_owned(),
                };
                return fault(record, FaultKind::Wrong(reason));
            }
            next = record + 1;
        }
        let unanswered = self.first_with_solution(problems, next, problems.len())?;
        Ok(unanswered.map(|record| Fault { record, kind: FaultKind::Missing }))
    }

    /// Returns the first fault in a program's counts, or `None` if the counts are right.
    ///
    /// The counts must be in the order of the problems. All counts of `limit` or more are treated as equal.
    pub(super) fn counts(
        &mut self,
        problems: &[Problem],
        found: &[&str],
        limit: Option<u64>,
    ) -> Result<Option<Fault>> {
        for (record, problem) in problems.iter().enumerate() {
            let Some(said) = found.get(record) else {
                return Ok(Some(Fault { record, kind: FaultKind::Missing }));
            };
            let answer = self.solver.answer(problem.as_ref(), Goal::Count { limit }, Limits::default())?;
            let count = answer.count.unwrap_or(Count::ZERO).to_string();
            let is_right = said.trim_start_matches('0') == count.trim_start_matches('0')
                || limit.is_some_and(|limit| {
                    count == limit.to_string() && said.parse().is_ok_and(|said: u64| said >= limit)
                });
            if !is_right {
                let said = match said.len() {
                    0..=MAX_DIGITS => (*said).to_owned(),
                    digits => format!("a number of {digits} digits"),
                };
                let kind = FaultKind::Wrong(format!("{said} instead of {count}"));
                return Ok(Some(Fault { record, kind }));
            }
        }
        let is_surplus = found.len() > problems.len();
        Ok(is_surplus.then(|| Fault { record: problems.len() - 1, kind: FaultKind::Surplus }))
    }

    /// Returns the first problem in `from..end` that has a solution, or `None` if none of them has one.
    fn first_with_solution(
        &mut self,
        problems: &[Problem],
        from: usize,
        end: usize,
    ) -> Result<Option<usize>> {
        for (record, problem) in problems.iter().enumerate().take(end).skip(from) {
            let answer = self.solver.answer(problem.as_ref(), Goal::First(1), Limits::default())?;
            if answer.count.is_some_and(|count| !count.is_zero()) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}

/// Returns true if the digit of every cell is a candidate of this cell in the problem.
fn fits(problem: &Problem, grid: &[u8]) -> bool {
    match problem {
        Problem::Packed(packed) => {
            grid.len() == 81
                && grid.iter().enumerate().all(|(cell, &digit)| packed.allows(cell, digit.into()))
        }
        Problem::Puzzle(puzzle) => {
            let mut cells = puzzle.candidates().iter().zip(grid);
            cells.all(|(set, &digit)| set.0 >> digit & 1 == 1)
        }
        Problem::Cover(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::{CoverProblem, Geometry, Puzzle};

    fn shown(text: &str, cells: usize, symbols: Symbols) -> Vec<String> {
        let write = |grid: &Vec<u8>| {
            let mut out = Vec::new();
            symbols.write(grid, &mut out);
            String::from_utf8(out).expect("ASCII")
        };
        grids(text.as_bytes(), cells, symbols).iter().map(write).collect()
    }

    #[test]
    fn grids_are_found_in_any_text() {
        let text = "4 puzzles, 16 cells\r\nputs 1234341221434321 (2 ms)\r\n1.3. | ....\n\
                    1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 4 3\n4321\n\n1 2 3 4 3 4 1 2 2 1 4 3 4 3 2 1\n1234\nno\n3412\n2143\n4321\n";
        assert_eq!(shown(text, 16, Symbols::DEFAULT), ["1234341221434321"; 3]);
        let row: Vec<String> = (1..=16).map(|number| number.to_string()).collect();
        let integers = Symbols { alphabet: Alphabet::Integers, lower_case: false };
        assert_eq!(grids((row.join(" ") + "\n").repeat(16).as_bytes(), 256, integers).len(), 1);
        let letters = Symbols { alphabet: Alphabet::Letters, lower_case: false };
        assert_eq!(shown("abcdcdabbadcdcba", 16, letters), ["ABCDCDABBADCDCBA"]);
    }

    #[test]
    fn counts_are_the_last_numbers() {
        assert_eq!(counts(b"puzzle 1: 17\nnone\r\n0\r\n"), ["17", "0"]);
        let knuth = b"(4 options)\nAltogether 92 solutions, 2056 mems\nbye 3\n";
        assert_eq!(only_count(b"9\n", knuth).as_deref(), Some("92"));
        assert_eq!(only_count(b"found: 8\n", b"7 s\n").as_deref(), Some("8"));
    }

    #[test]
    fn faults_name_the_first_record_concerned() {
        let empty = Problem::Puzzle(Puzzle::new(&Geometry::of_side(4).expect("a side")));
        let (one, other) = (vec![0, 1, 2, 3, 2, 3, 0, 1, 1, 0, 3, 2, 3, 2, 1, 0], vec![0; 16]);
        let mut judge = Judge::default();
        let mut fault = |found: &[Vec<u8>]| {
            let fault = judge.solutions(&[empty.clone(), empty.clone()], found).expect("it can be searched");
            fault.map(|fault| (fault.record, fault.kind))
        };
        assert_eq!(fault(&[one.clone(), one.clone()]), None);
        assert_eq!(fault(std::slice::from_ref(&one)), Some((1, FaultKind::Missing)));
        assert_eq!(fault(&[one.clone(), one.clone(), one.clone()]), Some((1, FaultKind::Surplus)));
        assert_eq!(fault(&[one, other]), Some((1, FaultKind::Wrong("row 1 column 2".to_owned()))));
        let pairs = CoverProblem::from_options(4, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        let pairs = [Problem::Cover(std::sync::Arc::new(pairs.expect("a problem")))];
        let mut count = |said, limit| judge.counts(&pairs, &[said], limit).expect("it can be counted");
        assert_eq!((count("3", None), count("7", Some(2))), (None, None));
        let wrong = Fault { record: 0, kind: FaultKind::Wrong("2 instead of 3".to_owned()) };
        assert_eq!(count("2", None), Some(wrong));
        let long = count(&"7".repeat(9000), None).expect("it is wrong").kind;
        assert_eq!(long, FaultKind::Wrong("a number of 9000 digits instead of 3".to_owned()));
    }
}
