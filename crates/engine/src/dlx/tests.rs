use std::sync::Arc;

use super::*;
use crate::Flow;
use quadrille_model::{Constraint, Count, CoverBuilder, DigitSet, Geometry, Limits, Packed9x9};

/// Counts the solutions that it receives, and keeps the first.
#[derive(Default)]
struct Seen {
    number: u64,
    first: Vec<u8>,
}

impl Visitor for Seen {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        if let (0, Solution::Digits(digits)) = (self.number, solution) {
            self.first = digits.iter().map(|digit| digit + b'1').collect();
        }
        self.number += 1;
        Flow::Continue
    }
}

fn run(dlx: &mut Dlx, problem: ProblemRef<'_>, goal: Goal) -> (Outcome, Seen) {
    let mut seen = Seen::default();
    let task = Task::whole(problem, goal, Limits::default());
    let outcome = dlx.search(&task, &mut seen, &Control::new());
    for grid in &dlx.grids {
        assert!(grid.searcher.arena.is_pristine());
    }
    if let Some(letters) = &dlx.letters {
        assert!(letters.searcher.arena.is_pristine());
    }
    assert!(dlx.cover.short.arena.is_pristine() && dlx.cover.long.arena.is_pristine());
    (outcome, seen)
}

fn packed(clues: &str) -> Packed9x9 {
    let mut cells = [0x1ff; 81];
    for (cell, byte) in clues.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit() && *byte != b'0') {
        cells[cell] = 1 << (byte - b'1');
    }
    Packed9x9::from_cells(&cells)
}

const EASY: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";
const SOLVED: &[u8; 81] =
    b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";

#[test]
fn the_first_solution_of_the_empty_grid_is_the_textbook_one() {
    let (outcome, seen) = run(&mut Dlx::default(), ProblemRef::Packed(&Packed9x9::FULL), Goal::First(1));
    assert_eq!(outcome.ended_by, EndedBy::Limit);
    assert!(seen.first.starts_with(b"123456789789123456456789123312845967"));
}

#[test]
fn a_solve_without_dead_ends_covers_every_item_once() {
    let mut dlx = Dlx::default();
    let (outcome, seen) = run(&mut dlx, ProblemRef::Packed(&packed(EASY)), Goal::First(2));
    assert_eq!((outcome.found.to_u64(), outcome.ended_by), (Some(1), EndedBy::Complete));
    assert_eq!(seen.first, SOLVED);
    let counters = outcome.counters.unwrap();
    assert_eq!((counters.guesses, counters.covers), (0, Some(324)));
    assert_eq!(counters.nodes, 81 - 30 + 1);
    // Every node and every item is removed at most once.
    assert!(counters.updates.unwrap() <= 729 * 4);
    let mut puzzle = Puzzle::new(geometry_9x9());
    packed(EASY).unpack_into(geometry_9x9(), &mut puzzle);
    assert_eq!(run(&mut dlx, ProblemRef::Puzzle(&puzzle), Goal::First(2)).0, outcome);
}

#[test]
fn there_are_288_grids_of_4x4_by_dancing_links() {
    let mut dlx = Dlx::default();
    let puzzle = Puzzle::new(&Geometry::of_side(4).unwrap());
    let (outcome, seen) = run(&mut dlx, ProblemRef::Puzzle(&puzzle), Goal::All);
    assert_eq!((outcome.found.to_u64(), seen.number), (Some(288), 288));
    let (outcome, seen) = run(&mut dlx, ProblemRef::Puzzle(&puzzle), Goal::Count { limit: Some(100) });
    assert_eq!((outcome.found.to_u64(), outcome.ended_by, seen.number), (Some(100), EndedBy::Limit, 0));
}

#[test]
#[ignore = "long: half a minute with optimisation, minutes without"]
fn there_are_28200960_grids_of_6x6_by_dancing_links() {
    let puzzle = Puzzle::new(&Geometry::of_side(6).unwrap());
    let (outcome, _) = run(&mut Dlx::default(), ProblemRef::Puzzle(&puzzle), Goal::Count { limit: None });
    assert_eq!(outcome.found.to_u64(), Some(28_200_960));
}

#[test]
fn contradictions_have_no_solution() {
    let mut dlx = Dlx::default();
    let (outcome, _) = run(&mut dlx, ProblemRef::Packed(&packed("7.......7")), Goal::First(1));
    assert_eq!((outcome.found, outcome.ended_by), (Count::ZERO, EndedBy::Complete));
    let mut cells = Packed9x9::FULL.to_cells();
    cells[40] = 0;
    let (outcome, _) = run(&mut dlx, ProblemRef::Packed(&Packed9x9::from_cells(&cells)), Goal::All);
    assert_eq!((outcome.found, outcome.ended_by), (Count::ZERO, EndedBy::Complete));
    // Two cells of a row share one digit, and three share two: no clues clash, but there is no solution.
    (0..3).for_each(|cell| cells[cell] = 0b11);
    cells[40] = 0x1ff;
    let (outcome, _) = run(&mut dlx, ProblemRef::Packed(&Packed9x9::from_cells(&cells)), Goal::All);
    assert_eq!((outcome.found, outcome.ended_by), (Count::ZERO, EndedBy::Complete));
}

/// Parses a grid like the sample of UVA 1461: `e` even, `o` odd, other letters are groups.
fn extension(rows: &str) -> Puzzle {
    let mut puzzle = Puzzle::new(geometry_9x9());
    let mut groups = std::collections::BTreeMap::<char, Vec<u16>>::new();
    for (cell, symbol) in rows.chars().enumerate() {
        match symbol {
            '0' => {}
            'e' => puzzle.restrict(cell, DigitSet::even(9)),
            'o' => puzzle.restrict(cell, DigitSet::odd(9)),
            '1'..='9' => puzzle.restrict(cell, DigitSet::only(symbol as usize - '1' as usize)),
            letter => groups.entry(letter).or_default().push(cell as u16),
        }
    }
    for (letter, cells) in groups {
        puzzle.constrain(Constraint::SameDigit { letter, cells });
    }
    puzzle
}

const EXTENSION: &str = "04000800700e0304080060002003010040000080000o2000003000200401005600070000800006003";

/// A 1-based row and column, and the new symbol there.
type Change = (usize, usize, char);

/// Returns the sample with other symbols in some cells.
fn changed(cells: &[Change]) -> Puzzle {
    let mut symbols: Vec<char> = EXTENSION.chars().collect();
    cells.iter().for_each(|&(row, column, symbol)| symbols[row * 9 + column - 10] = symbol);
    extension(&symbols.into_iter().collect::<String>())
}

#[test]
fn even_odd_and_letters_are_counted() {
    let mut dlx = Dlx::default();
    let cases: [(&[Change], u64); 9] = [
        (&[], 507),
        (&[(2, 3, '0')], 867),
        (&[(5, 8, '0')], 777),
        (&[(2, 3, '0'), (5, 8, '0')], 1318),
        (&[(1, 1, 'a')], 507),
        (&[(1, 1, 'a'), (2, 4, 'b')], 507),
        (&[(1, 1, 'a'), (2, 4, 'a')], 147),
        (&[(1, 1, 'z'), (4, 2, 'z'), (6, 9, 'z')], 8),
        (&[(1, 1, 'a'), (1, 3, 'a')], 0),
    ];
    for (cells, expected) in cases {
        let puzzle = changed(cells);
        let (outcome, _) = run(&mut dlx, ProblemRef::Puzzle(&puzzle), Goal::Count { limit: None });
        assert_eq!(
            (outcome.found.to_u64(), outcome.ended_by),
            (Some(expected), EndedBy::Complete),
            "{cells:?}"
        );
    }
}

#[test]
fn geometries_take_turns_in_few_arenas() {
    let mut dlx = Dlx::default();
    for _ in 0..2 {
        for side in [4, 6, 8, 9, 10, 12] {
            let puzzle = Puzzle::new(&Geometry::of_side(side).unwrap());
            let (outcome, seen) = run(&mut dlx, ProblemRef::Puzzle(&puzzle), Goal::First(1));
            assert_eq!((outcome.found.to_u64(), seen.first.len()), (Some(1), side * side));
        }
    }
    assert_eq!(dlx.grids.len(), GRIDS_KEPT);
}

/// Creates a problem from the names of its items and the words of its options.
fn cover(secondary: &[&str], options: &[&[&str]], primary: &[&str]) -> Arc<CoverProblem> {
    let mut builder = CoverBuilder::new();
    for name in primary {
        builder.primary(name).unwrap();
    }
    for name in secondary {
        builder.secondary(name).unwrap();
    }
    for words in options {
        builder.option(words).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

/// Keeps the lists of options.
#[derive(Default)]
struct Options(Vec<Vec<u32>>);

impl Visitor for Options {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        if let Solution::Options(options) = solution {
            self.0.push(options.to_vec());
        }
        Flow::Continue
    }
}

fn options_of(cover: &Arc<CoverProblem>) -> Vec<Vec<u32>> {
    let mut options = Options::default();
    let task = Task::whole(ProblemRef::Cover(cover), Goal::All, Limits::default());
    Dlx::default().search(&task, &mut options, &Control::new());
    options.0
}

#[test]
fn the_examples_of_the_book_have_the_known_solutions() {
    let primary = ["a", "b", "c", "d", "e", "f", "g"];
    let options: [&[&str]; 6] =
        [&["c", "e"], &["a", "d", "g"], &["b", "c", "f"], &["a", "d", "f"], &["b", "g"], &["d", "e", "g"]];
    assert_eq!(options_of(&cover(&[], &options, &primary)), [[0, 3, 4]]);
    let options: [&[&str]; 5] =
        [&["p", "q", "x", "y:A"], &["p", "r", "x:A", "y"], &["p", "x:B"], &["q", "x:A"], &["r", "y:B"]];
    assert_eq!(options_of(&cover(&["x", "y"], &options, &["p", "q", "r"])), [[1, 3]]);
}

#[test]
fn a_problem_without_primary_items_has_the_empty_solution() {
    assert_eq!(options_of(&cover(&["x"], &[&["x"]], &[])), [[0u32; 0]]);
}

#[test]
fn long_lists_use_wide_keys() {
    let options: Vec<&[&str]> = std::iter::repeat_n(&["p"][..], 300).collect();
    let cover = cover(&[], &options, &["p"]);
    let (outcome, _) = run(&mut Dlx::default(), ProblemRef::Cover(&cover), Goal::Count { limit: None });
    assert_eq!(outcome.found.to_u64(), Some(300));
    assert_eq!(outcome.counters.unwrap().guesses, 299);
}
