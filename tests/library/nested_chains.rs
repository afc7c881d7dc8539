//! Chains in chains, from 9.5 on: published ratings, explanations that can be followed, and the help of other threads.

use std::cell::Cell;

use super::ratings::{Plain, candidate, read, said};
use quadrille::rating::{Caller, Rater, Step, Tenths};
use serde_json::Value;

/// Puzzles with the ER, EP and ED that others published.
///
/// The first six are quoted in `templates.cpp` of Mladen Dobrichev's gridchecker, most of them from the patterns game
/// of the Enjoy Sudoku players' forum. AI Escargot is quoted in the tests of several raters.
const PUBLISHED: [(&str, &str); 7] = [
    ("000001002003040050060700400004000070050080001200007800008002900010900060900070000", "9.5,9.5,9.5"),
    ("000008004009050030070100500005000070030080002100006300004005200080600090600010000", "9.6,9.6,9.6"),
    ("000001002003040050060700800009000010010020003800003400002005600070200090400070000", "9.7,9.7,9.7"),
    ("000001004003070080060500700005000030070090001800004600009003200050600090200080000", "9.8,9.8,9.8"),
    ("000007004008090060030100900009000050060080007400001600005004200010200030200010000", "9.9,9.9,9.9"),
    ("000100203000402000000035001670000480003000600048000039700850000050206000806009000", "9.9,9.9,2.6"),
    (ESCARGOT, "10.5,1.2,1.2"),
];
const ESCARGOT: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

/// More published ratings, of puzzles that take longer.
///
/// The first five are quoted in `templates.cpp` and in the forum's thread "Easter Monster Derivatives". The next is from
/// tests of another rater, and Golden Nugget from an earlier version of Wikipedia's article Sudoku solving algorithms.
/// Of Easter Monster, only the ER is quoted. Its EP and ED, and the rating of Arto Inkala's puzzle of 2012, are known from
/// this program alone.
const DEEP: [(&str, &str); 9] = [
    ("000002004003050070090600200006000010070040008500009700001008500060700080800010000", "10.7,10.7,10.6"),
    ("000009002003050080060800400005000020090060001100004900007005200080100070300070000", "10.8,10.8,10.1"),
    ("900000800070060000005004003000003500040090020006100004200500000000080070001006005", "11.3,11.3,10.4"),
    ("000000002001002700030040050004905060000060000060403500090030040007800100800000000", "11.4,11.4,10.8"),
    (".2.3.....4...5......6..17..5..2......3.....4...1..68....9......7..1..9.......9.68", "10.8,10.8,2.6"),
    ("98.7..6....5.4...........9.8..9...6..4..5...9..9..32..1.........7.1...8...8..2..3", "11.8,1.2,1.2"),
    (".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....", "11.9,11.9,11.3"),
    ("1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1", "11.6,11.6,10.8"),
    ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..", "10.7,10.7,9.7"),
];

/// Rates puzzles, compares the ratings and follows the paths.
fn check(puzzles: &[(&str, &str)]) {
    let mut rater = Rater::new(Rater::UNBOUNDED);
    for (puzzle, expected) in puzzles {
        let (clues, solution) = read(puzzle);
        let mut plain = Plain::new(&clues);
        let mut nested = 0;
        let follow = &mut |step: &Step| {
            let json = serde_json::to_string(step).unwrap();
            let step: Value = serde_json::from_str(&json).unwrap();
            nested += follow_chains(&step, &plain.candidates);
            plain.apply(&step);
        };
        let rating = rater.explain(&clues, &solution, follow).unwrap();
        assert_eq!(said(&rating), *expected, "{puzzle}");
        assert_eq!(plain.values, solution.as_slice());
        // Long chains without nested chains are rated up to 10.
        assert!(nested > 0 || rating.er.tenths() < Tenths(105), "{puzzle}");
    }
}

#[test]
fn chains_in_chains_are_rated_as_published_and_can_be_followed() {
    check(&PUBLISHED);
}

#[test]
#[ignore = "takes a minute unless optimised"]
fn the_hardest_are_rated_as_published_and_can_be_followed() {
    check(&DEEP);
}

type Candidates = [[bool; 10]; 81];

fn sees(cell: usize, other: usize) -> bool {
    let (row, column) = (cell / 9, cell % 9);
    let (other_row, other_column) = (other / 9, other % 9);
    let same_box = row / 3 == other_row / 3 && column / 3 == other_column / 3;
    cell != other && (row == other_row || column == other_column || same_box)
}

/// Returns true if two different candidates cannot both hold.
fn clash((cell, digit): (usize, usize), (other, value): (usize, usize)) -> bool {
    if cell == other { digit != value } else { digit == value && sees(cell, other) }
}

/// Returns the three houses of a cell.
fn houses(cell: usize) -> [Vec<usize>; 3] {
    let in_house = |kind: usize| {
        let house = |cell: usize| [cell / 9, cell % 9, cell / 27 * 3 + cell % 9 / 3][kind];
        (0..81).filter(|&other| house(other) == house(cell)).collect()
    };
    [0, 1, 2].map(in_house)
}

/// Returns true if a candidate is the last of its cell, or the last of its digit in a house.
fn must_hold(grid: &Candidates, (cell, digit): (usize, usize)) -> bool {
    let others = |house: &Vec<usize>| house.iter().any(|&other| other != cell && grid[other][digit]);
    (1..10).all(|value| value == digit || !grid[cell][value])
        || houses(cell).iter().any(|house| !others(house))
}

/// Returns true if singles alone refute a candidate. That is so if locking, a pair or an x-wing removes it.
fn is_refuted(before: &Candidates, first: (usize, usize)) -> bool {
    let all = || (0..81).flat_map(|cell| (1..10).map(move |digit| (cell, digit)));
    let mut grid = *before;
    let mut placed = vec![first];
    while let Some(&last) = placed.last() {
        all().filter(|&other| clash(last, other)).for_each(|(cell, digit)| grid[cell][digit] = false);
        // A cell without candidates, or a house without a place for a digit.
        let is_lost = |(cell, digit): (usize, usize)| {
            let is_empty = |house: &Vec<usize>| !house.iter().any(|&cell| grid[cell][digit]);
            !grid[cell][1..].contains(&true) || houses(cell).iter().any(is_empty)
        };
        if all().any(|(cell, digit)| before[cell][digit] && is_lost((cell, digit))) {
            return true;
        }
        let next =
            all().find(|next| grid[next.0][next.1] && !placed.contains(next) && must_hold(&grid, *next));
        let Some(next) = next else { return false };
        placed.push(next);
    }
    false
}

/// Asserts that a step in JSON follows from its chains in a grid; returns the number of its nested chains.
pub(super) fn follow_chains(step: &Value, grid: &Candidates) -> usize {
    let nested = step["nested"].as_array().map_or(&[][..], Vec::as_slice);
    let chains = step["chains"].as_array().unwrap();
    if chains.is_empty() {
        return 0;
    }
    let mut used = vec![false; nested.len()];
    check_chains(chains, grid, nested, &mut used);
    assert!(used.iter().all(|used| *used), "{step}");
    for removed in step["removed"].as_array().unwrap() {
        assert!(removes(chains, grid, candidate(removed)), "{step}");
    }
    nested.len()
}

/// Asserts that each link follows from the links that it names, and that nested chains are right in the grid from
/// which the named candidates are removed.
fn check_chains(chains: &[Value], grid: &Candidates, nested: &[Value], used: &mut [bool]) {
    for chain in chains {
        let chain = chain.as_array().unwrap();
        for (number, link) in chain.iter().enumerate() {
            let from: Vec<usize> =
                link["from"].as_array().unwrap().iter().map(|from| from.as_u64().unwrap() as usize).collect();
            assert!(from.iter().all(|&from| from < number), "{link}");
            let (of, is_on) = (candidate(link), is_on(link));
            assert!(grid[of.0][of.1], "{link}");
            let holds = from.iter().find(|&&from| self::is_on(&chain[from]));
            let mut inner = *grid;
            for &from in &from {
                let (cell, digit) = candidate(&chain[from]);
                inner[cell][digit] = false;
            }
            if let Some(number) = link["nested"].as_u64() {
                let number = number as usize;
                used[number] = true;
                let chains = nested[number]["chains"].as_array().unwrap();
                assert!(!is_on && holds.is_none() && !from.is_empty(), "{link}");
                check_chains(chains, &inner, nested, used);
                assert!(removes(chains, &inner, of), "{link} {}", nested[number]);
            } else if let Some(&holds) = holds {
                assert!(!is_on && from.len() == 1 && clash(of, candidate(&chain[holds])), "{link}");
            } else if !from.is_empty() {
                assert!(if is_on { must_hold(&inner, of) } else { is_refuted(&inner, of) }, "{link}");
            }
        }
    }
}

fn is_on(link: &Value) -> bool {
    link["on"].as_bool().unwrap()
}

/// Returns true if a candidate fails because of chains in a grid.
fn removes(chains: &[Value], grid: &Candidates, of: (usize, usize)) -> bool {
    let ends: Vec<(&Value, &Value)> = chains
        .iter()
        .map(|chain| chain.as_array().unwrap())
        .map(|chain| (&chain[0], &chain[chain.len() - 1]))
        .collect();
    let refutes = |link: &Value, is_on: bool| {
        let (cell, digit) = candidate(link);
        if is_on { cell == of.0 && digit != of.1 } else { (cell, digit) == of }
    };
    match ends[..] {
        // A cycle, or a chain that refutes its assumption.
        [(first, last)] if is_on(first) == is_on(last) => [true, false].into_iter().all(|state| {
            let links = chains[0].as_array().unwrap();
            links
                .iter()
                .any(|link| is_on(link) == state && clash(candidate(link), of) && candidate(link).1 == of.1)
        }),
        [(first, last)] => candidate(first) == candidate(last) && refutes(last, is_on(last)),
        [(first, one), (second, other)] if is_on(one) != is_on(other) => {
            first["on"] == second["on"]
                && candidate(first) == candidate(second)
                && candidate(one) == candidate(other)
                && refutes(first, !is_on(first))
        }
        [(_, last), ..] => {
            let same =
                ends.iter().all(|(_, end)| candidate(end) == candidate(last) && end["on"] == last["on"]);
            same && is_exhaustive(&ends, grid) && refutes(last, is_on(last))
        }
        [] => false,
    }
}

/// Returns true if one of the assumptions holds: both states of a candidate, or all candidates of a cell, or all of a digit
/// in a house.
fn is_exhaustive(ends: &[(&Value, &Value)], grid: &Candidates) -> bool {
    let assumed: Vec<(usize, usize)> = ends.iter().map(|(first, _)| candidate(first)).collect();
    if ends.iter().any(|(first, _)| !is_on(first)) {
        return assumed.len() == 2 && assumed[0] == assumed[1] && ends[0].0["on"] != ends[1].0["on"];
    }
    let (cell, digit) = assumed[0];
    let all = |mut candidates: Vec<(usize, usize)>| {
        candidates.retain(|(cell, digit)| grid[*cell][*digit]);
        candidates.iter().all(|candidate| assumed.contains(candidate))
    };
    let in_house = |house: &Vec<usize>| all(house.iter().map(|&cell| (cell, digit)).collect());
    all((1..10).map(|digit| (cell, digit)).collect()) || houses(cell).iter().any(in_house)
}

/// A caller that computes some runs of each search before the search begins, or at the same time on other threads.
struct Helped {
    before: usize,
    threads: usize,
    searches: Cell<usize>,
    least: Cell<Tenths>,
}

impl Caller for Helped {
    fn is_stopped(&self) -> bool {
        false
    }

    fn searches_from(&self, least: Tenths) {
        self.least.set(self.least.get().max(least));
    }

    fn share(&self, lead: &mut dyn FnMut(), help: &(dyn Fn() -> bool + Sync)) {
        let helped = (0..self.before).take_while(|_| help()).count();
        self.searches.set(self.searches.get() + usize::from(helped > 0));
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| while help() {});
            }
            lead();
        });
        assert!(!help(), "the search has ended");
    }
}

#[test]
fn paths_do_not_depend_on_help() {
    let (clues, solution) = read(ESCARGOT);
    let mut alone: Vec<Step> = Vec::new();
    let visit = &mut |step: &Step| alone.push(step.clone());
    let rating = Rater::new(Rater::UNBOUNDED).explain(&clues, &solution, visit).unwrap();
    // Runs that are computed before any conclusion is known have no bound.
    for (before, threads) in [(usize::MAX, 0), (7, 0), (0, 3)] {
        let caller = Helped { before, threads, searches: Cell::new(0), least: Cell::new(Tenths(0)) };
        let mut path: Vec<Step> = Vec::new();
        let visit: &mut dyn FnMut(&Step) = &mut |step| path.push(step.clone());
        let helped = Rater::new(Rater::UNBOUNDED).rate_until(&clues, &solution, &caller, Some(visit));
        assert_eq!((helped.as_ref(), &path), (Ok(&rating), &alone));
        assert_eq!(caller.searches.get() > 0, before > 0);
        assert_eq!(caller.least.get(), Tenths(95));
    }
}
