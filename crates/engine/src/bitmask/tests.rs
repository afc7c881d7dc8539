use super::*;
use crate::Flow;
use quadrille_model::{Constraint, DigitSet, EndedBy, Geometry, Limits, Puzzle, Solution, Symbols, verify};

/// Collects solutions and frontier prefixes, and checks every solution.
struct Collect<'a> {
    problem: ProblemRef<'a>,
    solutions: Vec<Vec<u8>>,
    prefixes: Vec<Vec<u32>>,
}

impl Visitor for Collect<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        assert_eq!(verify(self.problem, solution), Ok(()));
        let Solution::Digits(digits) = solution else { panic!("a grid has digits") };
        self.solutions.push(digits.to_vec());
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], _: u64) -> Flow {
        self.prefixes.push(prefix.to_vec());
        Flow::Continue
    }
}

fn run<'a>(engine: &mut Bitmask, task: &Task<'a>) -> (Outcome, Collect<'a>) {
    let mut collect = Collect { problem: task.problem, solutions: Vec::new(), prefixes: Vec::new() };
    let outcome = engine.search(task, &mut collect, &Control::new());
    (outcome, collect)
}

/// Parses a puzzle in the symbols of its side; `e`, `o` and lower-case letters as in UVA 1461 on a 9x9.
fn puzzle(text: &str) -> Puzzle {
    let text: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let side = text.len().isqrt();
    let mut puzzle = Puzzle::new(&Geometry::of_side(side).unwrap());
    let mut letters = std::collections::BTreeMap::<char, Vec<u16>>::new();
    for (cell, &byte) in text.iter().enumerate() {
        match (Symbols::DEFAULT.digit_of(byte, side), byte) {
            (Some(digit), _) => puzzle.restrict(cell, DigitSet::only(digit)),
            (None, b'e') => puzzle.restrict(cell, DigitSet::even(side)),
            (None, b'o') => puzzle.restrict(cell, DigitSet::odd(side)),
            (None, b'a'..=b'z') => letters.entry(byte as char).or_default().push(cell as u16),
            _ => {}
        }
    }
    for (letter, cells) in letters {
        puzzle.constrain(Constraint::SameDigit { letter, cells });
    }
    puzzle
}

fn count(puzzle: &Puzzle) -> u64 {
    let task = Task::whole(ProblemRef::Puzzle(puzzle), Goal::Count { limit: None }, Limits::default());
    let outcome = run(&mut Bitmask::default(), &task).0;
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found.to_u64().unwrap()
}

const POJ_2676: &str =
    "103000509 002109400 000704000 300502006 060000050 700803004 000401000 009205800 804000107";
const UVA_1461: &str =
    "040008007 00e030408 006000200 301004000 0080000o2 000003000 200401005 600070000 800006003";

#[test]
fn the_sample_of_poj_2676_is_unique() {
    let puzzle = puzzle(POJ_2676);
    let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::First(2), Limits::default());
    let (outcome, found) = run(&mut Bitmask::default(), &task);
    assert_eq!((outcome.found.to_u64(), outcome.ended_by), (Some(1), EndedBy::Complete));
    let mut text = Vec::new();
    Symbols::DEFAULT.write(&found.solutions[0], &mut text);
    assert_eq!(text, b"143628579572139468986754231391542786468917352725863914237481695619275843854396127");
}

#[test]
fn the_sample_of_uva_1461_and_its_variants_have_the_known_counts() {
    let with = |changes: &[(usize, u8)]| {
        let mut text: Vec<u8> = UVA_1461.bytes().filter(|byte| *byte != b' ').collect();
        for &(cell, byte) in changes {
            text[cell] = byte;
        }
        count(&puzzle(std::str::from_utf8(&text).unwrap()))
    };
    assert_eq!(with(&[]), 507);
    assert_eq!(with(&[(11, b'0')]), 867);
    assert_eq!(with(&[(43, b'0')]), 777);
    assert_eq!(with(&[(11, b'0'), (43, b'0')]), 1318);
    assert_eq!(with(&[(0, b'a')]), 507);
    assert_eq!(with(&[(0, b'a'), (12, b'b')]), 507);
    assert_eq!(with(&[(0, b'a'), (12, b'a')]), 147);
    assert_eq!(with(&[(0, b'z'), (28, b'z'), (53, b'z')]), 8);
    assert_eq!(with(&[(0, b'a'), (2, b'a')]), 0);
}

#[test]
fn there_are_288_grids_of_4x4() {
    assert_eq!(count(&puzzle("................")), 288);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "a million grids: for optimised builds")]
fn there_are_28200960_grids_of_6x6() {
    // The first two digits may be any of 30 pairs, all with the same number of grids.
    assert_eq!(30 * count(&puzzle(&format!("12{}", ".".repeat(34)))), 28_200_960);
}

#[test]
fn a_clash_is_found_before_any_search() {
    let puzzle = puzzle("1..1............");
    let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::All, Limits::default());
    assert_eq!(run(&mut Bitmask::default(), &task).0, Outcome::contradiction());
}

#[test]
fn the_node_limit_is_exact() {
    let puzzle = puzzle(&".".repeat(36));
    let mut engine = Bitmask::default();
    for nodes in [0, 1, 2, 50, 3000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::All, limits);
        let outcome = run(&mut engine, &task).0;
        assert_eq!((outcome.counters.unwrap().nodes, outcome.ended_by), (nodes, EndedBy::Nodes));
    }
}

#[test]
fn parts_below_a_frontier_add_up_to_the_whole() {
    let mut text = puzzle(UVA_1461);
    text.set_candidates(0, DigitSet::all(9));
    for problem in [ProblemRef::Puzzle(&text), ProblemRef::Puzzle(&puzzle("12..3..........."))] {
        let mut engine = Bitmask::default();
        let whole = Task::whole(problem, Goal::All, Limits::default());
        let (outcome, all) = run(&mut engine, &whole);
        let all_nodes = outcome.counters.unwrap();
        for depth in [0, 1, 3, 6] {
            let (outcome, top) = run(&mut engine, &Task { frontier: Some(depth), ..whole });
            let mut solutions = top.solutions;
            let mut counters = outcome.counters.unwrap();
            for prefix in &top.prefixes {
                let (outcome, part) = run(&mut engine, &Task { prefix, ..whole });
                solutions.extend(part.solutions);
                counters.nodes += outcome.counters.unwrap().nodes;
                counters.guesses += outcome.counters.unwrap().guesses;
            }
            assert_eq!(counters, all_nodes, "depth {depth}");
            // Solutions above the frontier come before those below it, so only the sets must agree.
            let mut expected = all.solutions.clone();
            solutions.sort();
            expected.sort();
            assert_eq!(solutions, expected, "depth {depth}");
        }
    }
}

#[test]
fn packed_and_unpacked_puzzles_have_the_same_answers() {
    let puzzle = puzzle(&UVA_1461.replace(['4', '7'], "0"));
    let packed = quadrille_model::Packed9x9::from_cells(&std::array::from_fn(|cell| {
        puzzle.candidates()[cell].0 as u16
    }));
    let mut engine = Bitmask::default();
    let limits = Limits { nodes: Some(5_000), ..Limits::default() };
    let one = run(&mut engine, &Task::whole(ProblemRef::Puzzle(&puzzle), Goal::First(1000), limits));
    let other = run(&mut engine, &Task::whole(ProblemRef::Packed(&packed), Goal::First(1000), limits));
    assert_eq!((one.0, one.1.solutions), (other.0, other.1.solutions));
}

#[test]
fn a_prefix_of_another_problem_is_no_solution_and_no_panic() {
    let puzzle = puzzle(POJ_2676);
    let whole = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::All, Limits::default());
    for prefix in [&[u32::MAX][..], &[1], &[80 * 9 + 8, 0, 1, 2]] {
        let (outcome, found) = run(&mut Bitmask::default(), &Task { prefix, ..whole });
        assert_eq!((outcome.ended_by, found.solutions.len()), (EndedBy::Complete, 0));
    }
}
