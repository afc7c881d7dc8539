//! Ratings, compared with those of Sudoku Explainer; paths, checked against the solution; steps of every
//! technique.
//!
//! A file of published ratings is compared if it is named (two columns, puzzle and rating, under a header):
//!
//! ```text
//! QUADRILLE_RATINGS=sample.csv cargo test --release --test library published -- --ignored
//! ```

use std::collections::BTreeMap;

use super::nested_chains::follow_chains;
use quadrille::FromText;
use quadrille::GridQuestions;
use quadrille::Puzzle;
use quadrille::canonical::Cells;
use quadrille::rating::{NoRating, Rater, Rating, RatingBound, Step, Technique, Tenths};
use serde_json::Value;

/// Returns the clues of a line and their solution.
pub(super) fn read(line: &str) -> (Cells, Cells) {
    let puzzle = Puzzle::from_text(line).unwrap();
    let solution = puzzle.solve().expect("it has one");
    (cells(line), Cells::of_solution(solution.digits()).unwrap())
}

fn cells(line: &str) -> Cells {
    let digits: Vec<u8> =
        line.bytes().map(|byte| if byte.is_ascii_digit() { byte - b'0' } else { 0 }).collect();
    Cells::new(&digits).unwrap()
}

pub(super) fn said(rating: &Rating) -> String {
    format!("{},{},{}", rating.er, rating.ep, rating.ed)
}

/// A grid with its candidates in the simplest form.
pub(super) struct Plain {
    pub values: [u8; 81],
    pub candidates: [[bool; 10]; 81],
}

/// Returns cell and digit of a candidate or link in JSON.
pub(super) fn candidate(value: &Value) -> (usize, usize) {
    let name = value["cell"].as_str().unwrap().as_bytes();
    let cell = usize::from(name[1] - b'1') * 9 + usize::from(name[3] - b'1');
    (cell, value["digit"].as_u64().unwrap() as usize)
}

impl Plain {
    pub(super) fn new(clues: &Cells) -> Self {
        let mut plain = Plain { values: [0; 81], candidates: [[true; 10]; 81] };
        for (cell, &digit) in clues.as_slice().iter().enumerate() {
            if digit != 0 {
                plain.place(cell, digit);
            }
        }
        plain
    }

    fn place(&mut self, cell: usize, digit: u8) {
        assert_eq!(self.values[cell], 0);
        assert!(self.candidates[cell][usize::from(digit)]);
        self.values[cell] = digit;
        self.candidates[cell] = [false; 10];
        for other in 0..81 {
            let (row, column) = (cell / 9, cell % 9);
            let (other_row, other_column) = (other / 9, other % 9);
            let same_box = row / 3 == other_row / 3 && column / 3 == other_column / 3;
            if row == other_row || column == other_column || same_box {
                self.candidates[other][usize::from(digit)] = false;
            }
        }
    }

    /// Applies a step read from JSON.
    pub(super) fn apply(&mut self, step: &Value) {
        for removed in step["removed"].as_array().unwrap() {
            let (cell, digit) = candidate(removed);
            assert!(self.candidates[cell][digit], "{step}");
            self.candidates[cell][digit] = false;
        }
        if !step["placed"].is_null() {
            let (cell, digit) = candidate(&step["placed"]);
            self.place(cell, digit as u8);
        }
    }
}

#[test]
fn ratings_are_those_of_sudoku_explainer() {
    let table = std::fs::read_to_string("data/ratings.csv").unwrap();
    let mut rater = Rater::new(Rater::UNBOUNDED);
    let mut rated = 0;
    for row in table.lines().skip(1) {
        let (puzzle, published) = row.split_once(',').unwrap();
        let (clues, solution) = read(puzzle);
        assert_eq!(said(&rater.rate(&clues, &solution).unwrap()), published, "{puzzle}");
        rated += 1;
    }
    assert_eq!(rated, 1039);
}

#[test]
#[ignore = "needs a table of published ratings, named by QUADRILLE_RATINGS"]
fn ratings_are_the_published_ones() {
    let path = std::env::var("QUADRILLE_RATINGS").expect("QUADRILLE_RATINGS names a table");
    let table = std::fs::read_to_string(path).unwrap();
    let mut rater = Rater::new(Rater::UNBOUNDED);
    for row in table.lines().skip(1) {
        let mut columns = row.split(',');
        let (puzzle, published) = (columns.next().unwrap(), columns.next().unwrap());
        let (clues, solution) = read(puzzle);
        assert_eq!(rater.rate(&clues, &solution).unwrap().er.to_string(), published, "{puzzle}");
    }
}

/// Finds the steps of `data/rated-steps.tsv` that are rated below 10.5, or the others. Returns the techniques found.
fn find_steps(deep: bool) -> [bool; Technique::COUNT] {
    let positions = std::fs::read_to_string("data/rated-steps.tsv").unwrap();
    let mut rater = Rater::new(Rater::UNBOUNDED);
    let mut seen = [false; Technique::COUNT];
    let mut steps: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in positions.lines() {
        let (puzzle, step) = row.split_once('\t').unwrap();
        let rating: Tenths = step.split(' ').next().unwrap().parse().unwrap();
        if (rating >= Tenths(105)) == deep {
            steps.entry(puzzle).or_default().push(step);
        }
    }
    for (puzzle, mut expected) in steps {
        let (clues, solution) = read(puzzle);
        let visit = &mut |step: &Step| {
            if let Some(place) = expected.iter().position(|row| step.to_string() == *row) {
                expected.swap_remove(place);
                seen[step.technique as usize] = true;
            }
        };
        rater.explain(&clues, &solution, visit).unwrap();
        assert!(expected.is_empty(), "{puzzle}: {expected:?}");
    }
    seen
}

#[test]
fn every_technique_is_found_in_its_example() {
    let seen = find_steps(false);
    let missing: Vec<Technique> = Technique::all().filter(|&technique| !seen[technique as usize]).collect();
    // Singles are in every path, but direct claiming is never the first hint.
    //
    // Suppose that a column is locked in a box, and another column has one place outside of it. Then the
    // third box points at the third column and leaves the same single.
    use Technique::*;
    let rare = [LastCell, HiddenSingleInBox, HiddenSingleInLine, DirectClaiming, ChainsCell];
    assert!(
        missing.iter().all(|&technique| rare.contains(&technique) || technique > ChainsHouse),
        "{missing:?}"
    );
}

#[test]
#[ignore = "takes a minute unless optimised"]
fn the_deepest_techniques_are_found_in_their_examples() {
    let seen = find_steps(true);
    let found: Vec<Technique> = Technique::all().filter(|&technique| seen[technique as usize]).collect();
    use Technique::*;
    assert_eq!(found, [ChainsCell, MultipleContradiction, TwiceContradiction, TwiceCell, TwiceHouse]);
}

/// Each step removes existing candidates and never the solution. Replaying the path from JSON solves the
/// puzzle.
#[test]
fn paths_are_sound_and_can_be_replayed() {
    let table = std::fs::read_to_string("data/ratings.csv").unwrap();
    let (mut rater, mut counting) = (Rater::new(Rater::UNBOUNDED), Rater::new(Rater::UNBOUNDED).counting());
    for row in table.lines().skip(1).step_by(3) {
        let (clues, solution) = read(&row[..81]);
        let mut path: Vec<Step> = Vec::new();
        let told = rater.explain(&clues, &solution, &mut |step| path.push(step.clone())).unwrap();
        assert_eq!(told, rater.rate(&clues, &solution).unwrap());
        assert_eq!(told.steps as usize, path.len());
        let mut counted = counting.rate(&clues, &solution).unwrap();
        for technique in Technique::all() {
            let steps =
                counted.techniques().find(|counted| counted.0 == technique).map_or(0, |counted| counted.1);
            assert_eq!(usize::from(steps), path.iter().filter(|step| step.technique == technique).count());
        }
        counted.counts = None;
        assert_eq!(counted, told);
        let mut plain = Plain::new(&clues);
        for step in &path {
            for removed in &step.removed {
                assert_ne!(solution.as_slice()[usize::from(removed.cell)], removed.digit, "{step}");
            }
            let json = serde_json::to_string(step).unwrap();
            let told: Value = serde_json::from_str(&json).unwrap();
            follow_chains(&told, &plain.candidates);
            plain.apply(&told);
        }
        assert_eq!(plain.values, solution.as_slice());
        let most = path.iter().map(|step| step.rating).max().unwrap();
        assert_eq!(told.er.tenths(), most);
        assert_eq!(told.ed.tenths(), path[0].rating);
        assert_eq!(told.hardest, path.iter().find(|step| step.rating == most).map(|step| step.technique));
        for (technique, count) in told.techniques() {
            assert_eq!(path.iter().filter(|step| step.technique == technique).count(), usize::from(count));
        }
    }
}

#[test]
fn a_rating_that_ends_early_reports_what_it_proved() {
    // Sudoku Explainer rates it 9.5.
    let (clues, solution) =
        read("7.8...3.....2.1...5.........4.....263...8.......1...9..9.6....4....7.5...........");
    for (max_rating, expected) in [
        (Tenths(15), ">1.5,1.2,1.2"),
        // The next step is a long chain rated 7.9, from a technique that begins at 7.0.
        (Tenths(75), ">7.5,1.2,1.2"),
        (Tenths(84), ">8.4,1.2,1.2"),
        (Tenths(94), ">9.4,1.2,1.2"),
        (Tenths(95), "9.5,1.2,1.2"),
        (Tenths(101), "9.5,1.2,1.2"),
        (Rater::UNBOUNDED, "9.5,1.2,1.2"),
    ] {
        assert_eq!(said(&Rater::new(max_rating).rate(&clues, &solution).unwrap()), expected);
    }
    // From the forum's list of hardest puzzles, above 11.
    let (clues, solution) =
        read("98.7..6..7.....5....4.8..9.4...3..7..7...2.....31....53....61...4..9..3.........2");
    assert_eq!(said(&Rater::new(Tenths(94)).rate(&clues, &solution).unwrap()), ">9.4,>9.4,>9.4");
}

/// Returns the rating of a path that ends before its first step above `max_rating`.
fn cut(path: &[Step], max_rating: Tenths, whole: &Rating) -> Rating {
    let kept = path.iter().position(|step| step.rating > max_rating).unwrap_or(path.len());
    let mut rating = whole.clone();
    if kept == path.len() {
        for bound in [&mut rating.er, &mut rating.ep, &mut rating.ed] {
            if let RatingBound::Above(tenths) = bound {
                *tenths = max_rating.min(*tenths);
            }
        }
        return rating;
    }
    let path = &path[..kept];
    let most = |steps: &[Step]| steps.iter().map(|step| step.rating).max();
    let grade = |tenths: Option<Tenths>| tenths.map_or(RatingBound::Above(max_rating), RatingBound::Exactly);
    let first_placed = path.iter().position(|step| step.placed.is_some());
    rating.er = RatingBound::Above(max_rating);
    rating.ep = grade(first_placed.and_then(|first| most(&path[..=first])));
    rating.ed = grade(most(&path[..path.len().min(1)]));
    rating.hardest = path.iter().find(|step| Some(step.rating) == most(path)).map(|step| step.technique);
    rating.counts = None;
    rating.steps = kept as u32;
    rating
}

/// With a bound, the path ends before its first step above the bound, whatever the order of search.
#[test]
fn a_bound_cuts_the_path_before_the_first_step_above_it() {
    let table = std::fs::read_to_string("data/ratings.csv").unwrap();
    let hard = std::fs::read_to_string("data/published.txt").unwrap();
    let puzzles =
        table.lines().skip(1).step_by(29).chain(hard.lines().skip(9).take(1)).map(|line| &line[..81]);
    let (mut compared, mut above_least) = (0, 0);
    let mut whole_rater = Rater::new(Rater::UNBOUNDED);
    for puzzle in puzzles {
        let (clues, solution) = read(puzzle);
        let mut path: Vec<Step> = Vec::new();
        let whole = whole_rater.explain(&clues, &solution, &mut |step| path.push(step.clone())).unwrap();
        let ratings = path.iter().map(|step| step.rating.0);
        let mut bounds: Vec<u8> = ratings.flat_map(|tenths| [tenths, tenths - 1]).collect();
        bounds.extend([10, 75, 94, 100]);
        bounds.sort_unstable();
        bounds.dedup();
        for max_rating in bounds.into_iter().map(Tenths) {
            let expected = cut(&path, max_rating, &whole);
            let mut rater = Rater::new(max_rating);
            assert_eq!(rater.rate(&clues, &solution).unwrap(), expected, "{puzzle} {max_rating}");
            let mut shown: Vec<Step> = Vec::new();
            let told = rater.explain(&clues, &solution, &mut |step| shown.push(step.clone())).unwrap();
            assert_eq!(told, expected, "{puzzle} {max_rating}");
            assert_eq!(shown, path[..shown.len()]);
            assert!(shown.iter().all(|step| step.rating <= max_rating));
            let mut counted = rater.counting().rate(&clues, &solution).unwrap();
            assert_eq!(counted.techniques().map(|(_, n)| u32::from(n)).sum::<u32>(), told.steps);
            counted.counts = None;
            assert_eq!(counted, expected, "{puzzle} {max_rating}");
            compared += 1;
            let next = path.get(shown.len());
            above_least += usize::from(next.is_some_and(|step| step.technique.least() <= max_rating));
        }
    }
    // Many bounds are between the minimum rating of a technique and the rating of the step.
    assert!(compared > 300 && above_least > 15, "{compared} {above_least}");
}

/// Tries every tenth as the bound. A rating above it must only be reported as above the bound.
#[test]
fn no_bound_lets_a_rating_above_it_through() {
    let table = std::fs::read_to_string("data/ratings.csv").unwrap();
    // One puzzle per rating: one that needs long chains takes too long to be rated a hundred times.
    let mut puzzles: BTreeMap<u32, &str> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let er = line.split(',').nth(1).unwrap().replace('.', "").parse().unwrap();
        if er <= 84 {
            puzzles.entry(er).or_insert(&line[..81]);
        }
    }
    let mut whole_rater = Rater::new(Rater::UNBOUNDED);
    let mut bounded = 0;
    for (&er, puzzle) in puzzles.iter().filter(|(er, _)| **er <= 45 || **er % 3 == 0) {
        let (clues, solution) = read(puzzle);
        let mut path: Vec<Step> = Vec::new();
        let whole = whole_rater.explain(&clues, &solution, &mut |step| path.push(step.clone())).unwrap();
        for max_rating in (10..=er as u8 + 2).map(Tenths) {
            let mut shown: Vec<Tenths> = Vec::new();
            let told = Rater::new(max_rating)
                .explain(&clues, &solution, &mut |step| shown.push(step.rating))
                .unwrap();
            assert_eq!(told, cut(&path, max_rating, &whole), "{puzzle} {max_rating}");
            let grades = [told.er, told.ep, told.ed];
            assert!(
                grades.iter().all(|grade| match *grade {
                    RatingBound::Exactly(tenths) => tenths <= max_rating,
                    RatingBound::Above(tenths) => tenths == max_rating,
                }),
                "{puzzle} {max_rating}: {told:?}"
            );
            assert!(shown.iter().all(|rating| *rating <= max_rating), "{puzzle} {max_rating}");
            bounded += usize::from(grades[0] == RatingBound::Above(max_rating));
        }
    }
    assert!(puzzles.len() > 30 && bounded > 500, "{} {bounded}", puzzles.len());
}

#[test]
fn puzzles_without_a_rating_have_a_reason() {
    let mut rater = Rater::new(Rater::UNBOUNDED);
    let (clues, solution) =
        read("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
    assert_eq!(rater.rate(&solution, &solution).unwrap().steps, 0);
    let small = Cells::new(&[0; 16]).unwrap();
    assert_eq!(rater.rate(&small, &small), Err(NoRating::Side));
    assert_eq!(rater.rate(&clues, &clues), Err(NoRating::Solution));
    let mut wrong = solution.as_slice().to_vec();
    wrong.swap(2, 3);
    assert_eq!(rater.rate(&clues, &Cells::new(&wrong).unwrap()), Err(NoRating::Solution));
    // If the search for the next step is stopped, nothing is known about it.
    let (clues, solution) =
        read("1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1");
    let mut rater = Rater::new(Tenths(23)).keeping_grid();
    let rating = rater.rate(&clues, &solution).unwrap();
    let mut reached = |is_stopped: bool| rater.reached(&rating, &solution, Some(&|| is_stopped));
    assert_eq!(reached(true), Err(NoRating::Stopped));
    // If a puzzle has several solutions, a step contradicts the given solution, or the path gets stuck.
    let mut contradictions = 0;
    for line in std::fs::read_to_string("data/multiple-3000.txt").unwrap().lines().take(60) {
        let (clues, solution) = read(line);
        match Rater::new(Tenths(75)).rate(&clues, &solution) {
            Ok(_) => {}
            Err(NoRating::Contradiction(_)) => contradictions += 1,
            Err(error) => panic!("{line}: {error}"),
        }
    }
    assert!(contradictions > 0);
}
