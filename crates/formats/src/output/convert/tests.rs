//! Every form that can hold a puzzle is read back as the same puzzle.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::input::{Chunk, ChunkTarget, Format, InputOptions, Parser, Reader, Records, Source};
use quadrille_model::{Constraint, DigitSet, Geometry, Problem, ProblemRef, Puzzle, Symbols};

/// The content of a cell, for a grid of any side.
#[derive(Debug, Clone, Copy)]
enum Part {
    Free,
    Digit(usize),
    Even,
    Odd,
    Letter(u8),
    Set(u64),
}

fn puzzle_of(side: usize, parts: &[Part]) -> Puzzle {
    let mut puzzle = Puzzle::new(&Geometry::of_side(side).unwrap());
    let mut letters: [Vec<u16>; 26] = Default::default();
    for (cell, &part) in parts.iter().take(side * side).enumerate() {
        match part {
            Part::Free => {}
            Part::Digit(digit) => puzzle.restrict(cell, DigitSet::only(digit % side)),
            Part::Even => puzzle.restrict(cell, DigitSet::even(side)),
            Part::Odd => puzzle.restrict(cell, DigitSet::odd(side)),
            Part::Set(set) => puzzle.restrict(cell, DigitSet(set)),
            Part::Letter(letter) => letters[usize::from(letter % 26)].push(cell as u16),
        }
    }
    for (letter, cells) in (b'a'..).zip(letters) {
        // `e` and `o` mark even and odd cells.
        if !matches!(letter, b'e' | b'o') {
            puzzle.constrain(Constraint::SameDigit { letter: char::from(letter), cells });
        }
    }
    puzzle
}

fn part(kinds: u32) -> BoxedStrategy<Part> {
    let plain = prop_oneof![3 => Just(Part::Free), 2 => (0usize..36).prop_map(Part::Digit)];
    match kinds {
        0 => plain.boxed(),
        1 => prop_oneof![6 => plain, 1 => Just(Part::Even), 1 => Just(Part::Odd)].boxed(),
        2 => prop_oneof![6 => plain, 1 => any::<u8>().prop_map(Part::Letter)].boxed(),
        _ => prop_oneof![4 => plain, 1 => any::<u64>().prop_map(Part::Set)].boxed(),
    }
}

/// Generates puzzles of the usual sides, each with one kind of cell in addition to clues.
fn puzzles() -> impl Strategy<Value = (usize, u32, Vec<Part>)> {
    (prop::sample::select(vec![4usize, 6, 9, 16]), 0u32..4).prop_flat_map(|(side, kinds)| {
        (Just(side), Just(kinds), prop::collection::vec(part(kinds), side * side))
    })
}

const TEXTS: [PuzzleText; 11] = [
    PuzzleText::Line,
    PuzzleText::Pencilmarks,
    PuzzleText::Grid,
    PuzzleText::Framed,
    PuzzleText::Sdk,
    PuzzleText::Candidates,
    PuzzleText::HoDoKu,
    PuzzleText::OpenSudoku,
    PuzzleText::Integers,
    PuzzleText::Iss,
    PuzzleText::Field,
];

/// Returns the puzzles in a text; `None` for unreadable records.
fn read(text: &[u8], options: &InputOptions) -> Vec<Option<Problem>> {
    let source = Source::Bytes { name: "test".to_owned(), bytes: text.to_vec() };
    let mut reader = Reader::new(vec![source], options.clone());
    let (mut chunk, mut records, mut all) = (Chunk::default(), Records::default(), Vec::new());
    while reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 16, records: 1000 }).unwrap() {
        Parser::new(options).parse(&chunk, &mut records);
        all.extend(
            records.list.iter().map(|record| records.problem(record).map(|problem| problem.to_owned())),
        );
    }
    all
}

/// Returns text with `times` copies of a puzzle, as a run writes it.
fn written(text: PuzzleText, puzzle: &[u8], times: usize) -> Vec<u8> {
    let head: &[u8] = if text == PuzzleText::Sdk { b"[Puzzle]\n" } else { b"" };
    [head, puzzle, b"\n"].concat().repeat(times)
}

/// Returns true if a house of a puzzle may have a clue twice: cells of a row, column, or band and stack.
fn has_a_digit_twice(puzzle: &Puzzle, side: usize) -> bool {
    let (rows, columns) = Geometry::default_box(side).unwrap_or((1, side));
    let clues: Vec<_> = puzzle.candidates().iter().map(|set| set.single()).collect();
    let are_peers = |a: usize, b: usize| {
        a / side == b / side
            || a % side == b % side
            || a / side / rows == b / side / rows && a % side / columns == b % side / columns
    };
    (0..clues.len()).any(|a| (0..a).any(|b| clues[a].is_some() && clues[a] == clues[b] && are_peers(a, b)))
}

/// Returns true if all clues are the same digit, and more than the puzzle has rows.
fn is_ruler(side: usize, puzzle: &Puzzle) -> bool {
    let clues: Vec<DigitSet> = puzzle.candidates().iter().copied().filter(|set| set.len() == 1).collect();
    clues.len() > side && clues.iter().all(|clue| *clue == clues[0])
}

fn candidates(problem: &Problem) -> (Vec<DigitSet>, Vec<Constraint>, Arc<Geometry>) {
    let puzzle = match problem {
        Problem::Packed(packed) => Puzzle::from(*packed),
        Problem::Puzzle(puzzle) => puzzle.clone(),
        Problem::Cover(_) => panic!("a grid was written"),
    };
    let geometry = Arc::clone(puzzle.geometry());
    (puzzle.candidates().to_vec(), puzzle.constraints().to_vec(), geometry)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_format_that_can_hold_a_puzzle_gives_it_back((side, _, parts) in puzzles(), empty in 0usize..6) {
        let puzzle = puzzle_of(side, &parts);
        for text in TEXTS {
            let is_fixed = Conversion { empty: b'0', ..Conversion::new("test", text) }.validate().is_err();
            let rows = matches!(text, PuzzleText::Grid | PuzzleText::Framed | PuzzleText::Sdk);
            let empty = if is_fixed || rows && EMPTY_CELLS[empty] == b'-' { b'.' } else { EMPTY_CELLS[empty] };
            let conversion = Conversion { empty, ..Conversion::new("test", text) };
            conversion.validate().unwrap();
            let problem = match puzzle.to_packed() {
                Some(packed) => Problem::Packed(packed),
                None => Problem::Puzzle(puzzle.clone()),
            };
            let mut out = Vec::new();
            let lost = match conversion.write(problem.as_ref(), Symbols::DEFAULT, &mut out) {
                Ok(lost) => lost,
                Err(_) => {
                    prop_assert!(out.is_empty());
                    continue;
                }
            };
            prop_assert!(lost.is_empty(), "nothing is lost unless the caller agrees");
            let format = match text {
                PuzzleText::Grid | PuzzleText::Framed => Format::Grid,
                PuzzleText::Sdk => Format::Sdk,
                PuzzleText::Integers => Format::Integers,
                PuzzleText::OpenSudoku => Format::OpenSudoku,
                // Cells with one digit each are an ordinary grid.
                PuzzleText::Candidates if puzzle.clues() as usize == side * side => Format::Grid,
                PuzzleText::Candidates => Format::Candidates,
                _ => Format::Line,
            };
            // A row of empty cells may be read as a ruler, and a row of letters as words, unless the options say what
            // they are.
            let (blank, marks) = (Some(empty), (side <= 9).then_some(true));
            let blank = blank.filter(|_| matches!(format, Format::Line | Format::Grid | Format::Sdk));
            let options = InputOptions { format: Some(format), side: Some(side), blank, marks, ..Default::default() };
            // In a frame, a row that breaks a house may be the header of a table.
            if format == Format::Candidates && has_a_digit_twice(&puzzle, side) {
                continue;
            }
            let again = read(&written(text, &out, 3), &options);
            prop_assert_eq!(again.len(), 3, "{:?}: {}", text, String::from_utf8_lossy(&out));
            for problem_again in again {
                let Some(problem_again) = problem_again else {
                    prop_assert!(is_ruler(side, &puzzle), "{:?}: {}", text, String::from_utf8_lossy(&out));
                    continue;
                };
                prop_assert_eq!(
                    candidates(&problem_again),
                    candidates(&problem),
                    "{:?}: {}",
                    text,
                    String::from_utf8_lossy(&out)
                );
            }
        }
    }

    #[test]
    fn dropped_data_is_refused_with_a_reason_or_reported((side, kinds, parts) in puzzles()) {
        let puzzle = puzzle_of(side, &parts);
        for text in TEXTS {
            let strict = Conversion::new("test", text);
            let mut out = Vec::new();
            let refused = strict.write(ProblemRef::Puzzle(&puzzle), Symbols::DEFAULT, &mut out).is_err();
            if kinds == 0 {
                let is_small = match text {
                    PuzzleText::Pencilmarks | PuzzleText::HoDoKu | PuzzleText::OpenSudoku => side == 9,
                    PuzzleText::Candidates => side <= 9,
                    _ => true,
                };
                prop_assert_eq!(refused, !is_small, "plain puzzles have a place everywhere");
            }
            let lossy = Conversion { lossy: true, ..strict };
            out.clear();
            match lossy.write(ProblemRef::Puzzle(&puzzle), Symbols::DEFAULT, &mut out) {
                Ok(lost) => prop_assert_eq!(lost.is_empty(), !refused, "{:?}", text),
                Err(_) => prop_assert!(refused),
            }
        }
    }
}

#[test]
fn digits_are_written_in_other_alphabets() {
    let text = format!("G1{}", ".".repeat(254));
    let problem = read(text.as_bytes(), &InputOptions::default()).remove(0).unwrap();
    let write = |conversion: Conversion| {
        let mut out = Vec::new();
        let read = Symbols { lower_case: true, ..Symbols::DEFAULT };
        conversion
            .write(problem.as_ref(), read, &mut out)
            .map(|_| String::from_utf8(out[..3].to_vec()).unwrap())
    };
    let line = Conversion::new("line", PuzzleText::Line);
    assert_eq!(write(line).unwrap(), "g1.");
    let letters = Conversion { digits: Some(Alphabet::Letters), empty: b'0', ..line };
    assert_eq!(write(letters).unwrap(), "PA0");
    let hex = Conversion { digits: Some(Alphabet::FromZero), ..line };
    assert_eq!(write(hex).unwrap(), "F0.");
    assert_eq!(write(Conversion::new("iss", PuzzleText::Iss)).unwrap(), ".Sh");
    let large = Puzzle::new(&Geometry::of_side(36).unwrap());
    let reason = line.write(ProblemRef::Puzzle(&large), Symbols::DEFAULT, &mut Vec::new()).unwrap_err();
    assert_eq!(reason, "1-9A-Z has fewer characters than a 36x36 has digits");
    let numbers = Conversion::new("integers", PuzzleText::Integers);
    let mut out = Vec::new();
    assert!(numbers.write(ProblemRef::Puzzle(&large), Symbols::DEFAULT, &mut out).is_ok());
    assert_eq!(out.len(), 2 * 36 * 36 - 1);
}

#[test]
fn options_of_other_formats_are_refused() {
    let with = |text, change: fn(&mut Conversion)| {
        let mut conversion = Conversion::new("name", text);
        change(&mut conversion);
        conversion.validate().is_err()
    };
    assert!(with(PuzzleText::Line, |conversion| conversion.empty = b'x'));
    assert!(with(PuzzleText::Grid, |conversion| conversion.empty = b'-'));
    assert!(!with(PuzzleText::Line, |conversion| conversion.empty = b'-'));
    assert!(with(PuzzleText::Integers, |conversion| conversion.empty = b'0'));
    assert!(with(PuzzleText::Iss, |conversion| conversion.digits = Some(Alphabet::Letters)));
    assert!(with(PuzzleText::Line, |conversion| conversion.digits = Some(Alphabet::Integers)));
    assert!(with(PuzzleText::Line, |conversion| conversion.delimiter = Some(b',')));
    assert!(!with(PuzzleText::Integers, |conversion| conversion.delimiter = Some(b',')));
    assert!(with(PuzzleText::Integers, |conversion| conversion.delimiter = Some(b'|')));
    assert!(with(PuzzleText::Line, |conversion| {
        (conversion.digits, conversion.empty) = (Some(Alphabet::FromZero), b'0');
    }));
}
