//! Lanes for grids with rules, compared with the naive and the variant engine on every instruction set.

use std::sync::Arc;

use crate::grid_collector::run;
use quadrille::engine::{Control, Flow};
use quadrille::engine::{Isa, Task};
use quadrille::internals::{Client, Event, Job, Jobs, Naive, Outcome, Random, TreeSearch, Variant, lanes};
use quadrille::rules::{Rules, SHORT_NAMES, Shape, compile, name_of};
use quadrille::{DigitSet, EndedBy, Geometry, Goal, Limits, ProblemRef, Puzzle, Solution, verify};

const NINE: Shape = Shape { box_rows: 3, box_columns: 3 };

fn rules(text: &str) -> Arc<Rules> {
    Arc::new(compile(text, NINE).unwrap_or_else(|error| panic!("{text}: {error}")).into_run_wide())
}

fn puzzle(rules: &Arc<Rules>, candidates: impl Fn(usize) -> u64) -> Puzzle {
    let mut puzzle = Puzzle::new(&Geometry::of_side(9).unwrap());
    puzzle.set_rules(rules);
    (0..81).for_each(|cell| puzzle.restrict(cell, DigitSet(candidates(cell))));
    puzzle
}

fn below(random: &mut Random, bound: usize) -> usize {
    random.below(bound as u32) as usize
}

/// Returns nine connected regions of nine cells, made by exchanging cells between boxes.
fn layout(random: &mut Random) -> String {
    let mut region: Vec<usize> = (0..81).map(|cell| NINE.box_of(cell)).collect();
    let neighbours = |cell: usize| {
        let (row, column) = (cell / 9, cell % 9);
        let steps = [
            (row > 0, cell.wrapping_sub(9)),
            (row < 8, cell + 9),
            (column > 0, cell.wrapping_sub(1)),
            (column < 8, cell + 1),
        ];
        steps.into_iter().filter(|step| step.0).map(|step| step.1)
    };
    let hangs_together = |region: &[usize], number: usize| {
        let cells: Vec<usize> = (0..81).filter(|&cell| region[cell] == number).collect();
        let mut met = vec![cells[0]];
        let mut at = 0;
        while at < met.len() {
            let next: Vec<usize> =
                neighbours(met[at]).filter(|cell| region[*cell] == number && !met.contains(cell)).collect();
            met.extend(next);
            at += 1;
        }
        met.len() == cells.len()
    };
    for _ in 0..600 {
        let a = below(random, 81);
        let others: Vec<usize> = neighbours(a).filter(|&cell| region[cell] != region[a]).collect();
        let Some(&beside) = random.pick(&others) else { continue };
        let (one, other) = (region[a], region[beside]);
        let givers: Vec<usize> = (0..81)
            .filter(|&cell| region[cell] == other && neighbours(cell).any(|near| region[near] == one))
            .collect();
        let Some(&b) = random.pick(&givers) else { continue };
        (region[a], region[b]) = (other, one);
        if !hangs_together(&region, one) || !hangs_together(&region, other) {
            (region[a], region[b]) = (one, other);
        }
    }
    region.iter().map(|&number| char::from(b'a' + number as u8)).collect()
}

/// Returns a rule that requires `cells` random cells to differ.
fn house(random: &mut Random, cells: usize) -> String {
    let mut all: Vec<usize> = (0..81).collect();
    random.shuffle(&mut all);
    all[..cells]
        .iter()
        .map(|&cell| format!("~{}", name_of(cell, 9)))
        .fold(".AllDifferent".to_owned(), |item, cell| item + &cell)
}

/// Returns a house of random cells that have different digits in `grid`.
fn house_of(random: &mut Random, grid: &[u8], cells: usize) -> String {
    let mut all: Vec<usize> = (0..81).collect();
    random.shuffle(&mut all);
    let mut met = 0u16;
    all.retain(|&cell| {
        met >> grid[cell] & 1 == 0 && {
            met |= 1 << grid[cell];
            true
        }
    });
    all[..cells]
        .iter()
        .map(|&cell| format!("~{}", name_of(cell, 9)))
        .fold(".AllDifferent".to_owned(), |item, cell| item + &cell)
}

/// Returns rules of every kind that lanes support.
fn texts(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed, 3, 0);
    let mut texts: Vec<String> = SHORT_NAMES
        .iter()
        .map(|short| short.items.to_owned())
        .filter(|items| !items.contains("Consecutive"))
        .collect();
    for _ in 0..3 {
        texts.push(format!(".NoBoxes.Jigsaw~{}", layout(&mut random)));
        texts.push(format!(".Jigsaw~{}", layout(&mut random)));
        texts.push(format!(".NoBoxes.Jigsaw~{}.Diagonal~1.AntiKing", layout(&mut random)));
    }
    texts.push(".NoBoxes".to_owned());
    texts.push(".Windoku.DisjointSets".to_owned());
    texts.push(".Diagonal~1.Diagonal~-1.Windoku".to_owned());
    for cells in [2, 3, 5, 8, 9, 9] {
        texts.push(house(&mut random, cells));
        texts.push(format!(".NoBoxes{}{}", house(&mut random, cells), house(&mut random, 9)));
    }
    texts
}

/// Solutions of a puzzle and the outcome of its search.
type Found = (Vec<Vec<u8>>, Outcome);

struct Keeping<'a> {
    puzzles: &'a [Puzzle],
    next: usize,
    goal: Goal,
    found: Vec<(Vec<Vec<u8>>, Option<Outcome>)>,
}

impl Client for Keeping<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let problem = ProblemRef::Puzzle(self.puzzles.get(self.next)?);
        let ticket = self.next as u64;
        self.next += 1;
        Some(Jobs::One(Job { ticket, problem, goal: self.goal, limits: Limits::default() }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => {
                verify(ProblemRef::Puzzle(&self.puzzles[ticket as usize]), solution).unwrap();
                let Solution::Digits(digits) = solution else { panic!("digits of a grid") };
                self.found[ticket as usize].0.push(digits.to_vec());
            }
            Event::Solved(_) => panic!("the client gives no batch"),
            Event::End { ticket, outcome } => {
                assert!(self.found[ticket as usize].1.replace(outcome).is_none());
            }
        }
        Flow::Continue
    }
}

fn by_lanes(isa: Isa, puzzles: &[Puzzle], goal: Goal) -> Vec<Found> {
    let mut client = Keeping { puzzles, next: 0, goal, found: vec![(Vec::new(), None); puzzles.len()] };
    lanes::engine_on(isa).unwrap().run(&mut client, &Control::new());
    client.found.into_iter().map(|(solutions, outcome)| (solutions, outcome.unwrap())).collect()
}

fn sorted(mut solutions: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    solutions.sort();
    solutions
}

/// Returns all solutions found by another engine.
fn all(engine: &mut dyn TreeSearch, puzzle: &Puzzle) -> Vec<Vec<u8>> {
    let (outcome, found) =
        run(engine, &Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, Limits::default()));
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    sorted(found.solutions)
}

/// Creates puzzles under rules: most clues from a solution, some changed, and pencilmarks.
fn puzzles(rules: &Arc<Rules>, random: &mut Random, count: usize) -> Vec<Puzzle> {
    let some = puzzle(rules, |_| 0x1ff);
    let task = Task::whole(
        ProblemRef::Puzzle(&some),
        Goal::First(1),
        Limits { nodes: Some(20_000), ..Limits::default() },
    );
    let (_, found) = run(&mut Variant::default(), &task);
    let grid = found.solutions.into_iter().next();
    let digit =
        |cell: usize, random: &mut Random| grid.as_ref().map_or(below(random, 9) as u8, |grid| grid[cell]);
    (0..count)
        .map(|number| {
            let clues = [52, 60, 68][number % 3];
            let mut candidates = [0u64; 81];
            for (cell, mask) in candidates.iter_mut().enumerate() {
                let own = 1 << digit(cell, random);
                let noise = u64::from(random.below(0x200) & random.below(0x200) & random.below(0x200));
                *mask = if below(random, 81) < clues {
                    own
                } else if number % 4 == 0 {
                    own | noise
                } else {
                    0x1ff
                };
            }
            if number % 5 == 4 {
                candidates[below(random, 81)] = 1 << below(random, 9);
            }
            puzzle(rules, |cell| candidates[cell])
        })
        .collect()
}

#[test]
fn solutions_are_those_of_the_naive_engine() {
    let (mut none, mut one, mut several) = (0, 0, 0);
    for (number, text) in texts(1).iter().enumerate() {
        let mut random = Random::new(number as u64, 7, 0);
        let puzzles = puzzles(&rules(text), &mut random, 10);
        let found = by_lanes(Isa::best(), &puzzles, Goal::All);
        for (puzzle, (solutions, outcome)) in puzzles.iter().zip(found) {
            assert_eq!(outcome.ended_by, EndedBy::Complete);
            assert_eq!(sorted(solutions.clone()), all(&mut Naive, puzzle), "{text}\n{puzzle}");
            match solutions.len() {
                0 => none += 1,
                1 => one += 1,
                _ => several += 1,
            }
        }
    }
    assert!(none > 30 && one > 30 && several > 5, "{none} {one} {several}");
}

#[test]
fn extra_houses_have_the_solutions_of_the_naive_engine() {
    for seed in 0..6 {
        let mut random = Random::new(seed, 8, 0);
        let bare = puzzle(&rules(".NoBoxes"), |cell| if cell < 9 { 1 << cell } else { 0x1ff });
        let grid = by_lanes(Isa::best(), &[bare], Goal::First(1)).remove(0).0.remove(0);
        let count = 1 + below(&mut random, 14);
        let text: String =
            (0..count).map(|at| house_of(&mut random, &grid, if at % 3 == 0 { 6 } else { 9 })).collect();
        let rules = rules(&format!(".NoBoxes{text}"));
        let puzzles: Vec<Puzzle> = (0..12)
            .map(|number| {
                let clues: Vec<bool> = grid.iter().map(|_| below(&mut random, 81) < 56 + number).collect();
                puzzle(&rules, |cell| if clues[cell] { 1 << grid[cell] } else { 0x1ff })
            })
            .collect();
        for (puzzle, (solutions, _)) in puzzles.iter().zip(by_lanes(Isa::best(), &puzzles, Goal::All)) {
            assert!(solutions.contains(&grid));
            assert_eq!(sorted(solutions), all(&mut Naive, puzzle), "{text}\n{puzzle}");
        }
    }
}

#[test]
fn results_under_rules_do_not_depend_on_instruction_set_or_other_lanes() {
    for text in texts(2) {
        let mut random = Random::new(5, 5, 0);
        let puzzles = puzzles(&rules(&text), &mut random, 40);
        for goal in [Goal::First(2), Goal::Count { limit: Some(5) }] {
            let expected = by_lanes(Isa::Portable, &puzzles, goal);
            for isa in Isa::available() {
                assert_eq!(by_lanes(isa, &puzzles, goal), expected, "{isa} {text}");
            }
            for (puzzle, expected) in puzzles.iter().zip(&expected).take(8) {
                assert_eq!(by_lanes(Isa::best(), std::slice::from_ref(puzzle), goal)[0], *expected, "{text}");
            }
        }
    }
}

#[test]
fn puzzles_of_different_rules_and_plain_ones_may_come_in_any_order() {
    let texts = texts(3);
    let sets: Vec<Arc<Rules>> = texts.iter().take(5).map(|text| rules(text)).collect();
    let mut random = Random::new(9, 9, 0);
    let by_rules: Vec<Vec<Puzzle>> = sets.iter().map(|rules| puzzles(rules, &mut random, 12)).collect();
    let alone: Vec<Vec<Found>> =
        by_rules.iter().map(|puzzles| by_lanes(Isa::best(), puzzles, Goal::First(2))).collect();
    let mut order: Vec<(usize, usize)> = (0..5).flat_map(|set| (0..12).map(move |at| (set, at))).collect();
    random.shuffle(&mut order);
    let mixed: Vec<Puzzle> = order.iter().map(|&(set, at)| by_rules[set][at].clone()).collect();
    for (found, (set, at)) in by_lanes(Isa::best(), &mixed, Goal::First(2)).into_iter().zip(order) {
        assert_eq!(found, alone[set][at]);
    }
}

#[test]
fn lanes_accept_only_houses_that_all_records_share() {
    for (text, into_run_wide) in
        [(".AntiKnight", false), (".AntiConsecutive", true), (".Cage~3~R1C1~R1C2", true)]
    {
        let compiled = compile(text, NINE).unwrap();
        let rules = Arc::new(if into_run_wide { compiled.into_run_wide() } else { compiled });
        let puzzle = puzzle(&rules, |_| 0x1ff);
        assert!(!lanes::supports(ProblemRef::Puzzle(&puzzle).class(), Goal::First(2)), "{text}");
        let (solutions, outcome) = by_lanes(Isa::best(), &[puzzle], Goal::First(2)).remove(0);
        assert_eq!((solutions.len(), outcome.ended_by), (0, EndedBy::Cancel));
    }
}
