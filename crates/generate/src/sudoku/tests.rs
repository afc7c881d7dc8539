use super::controlled::ORDERS;
use super::*;
use crate::{Generated, Hardest, Options, Random, records, run};
use quadrille_engine::{EngineKind, EnginePreference, Flow, Solver};
use quadrille_model::{DigitSet, Goal, Limits, ProblemRef, Solution, verify};

fn text(record: &Generated) -> String {
    let mut out = Vec::new();
    record.write_puzzle(&mut out);
    String::from_utf8(out).unwrap()
}

fn texts(request: &Request, range: std::ops::Range<u64>) -> Vec<String> {
    records(request, range).unwrap().iter().map(text).collect()
}

/// Counts solutions with an engine that the generator did not use.
struct Judge(Solver);

impl Judge {
    fn new() -> Self {
        Judge(Solver::new(EnginePreference { engine: Some(EngineKind::Dlx), ..EnginePreference::default() }))
    }

    fn solutions(&mut self, record: &Generated, limit: u64) -> u64 {
        let puzzle = record.puzzle();
        let goal = Goal::Count { limit: Some(limit) };
        let answer = self.0.answer(ProblemRef::Puzzle(&puzzle), goal, Limits::default()).unwrap();
        answer.count.and_then(|count| count.to_u64()).unwrap()
    }

    /// Asserts that a record has exactly its own solution, and if `minimal` that every clue is needed.
    fn assert_proper(&mut self, record: &Generated, minimal: bool) {
        assert_eq!(self.solutions(record, 2), 1, "{}", text(record));
        let (puzzle, solution) = (record.puzzle(), record.solution.as_deref().unwrap());
        assert_eq!(verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(solution)), Ok(()));
        if minimal {
            for cell in (0..record.cells.len()).filter(|&cell| record.cells[cell].is_some()) {
                let mut less = record.clone();
                less.cells[cell] = None;
                assert_eq!(self.solutions(&less, 2), 2, "clue {cell} of {}", text(record));
            }
        }
    }
}

#[test]
fn a_seed_always_gives_the_same_puzzles() {
    let cases = [
        (Kind::Grids, "751683942296457318834921765319275486462398157587146293623819574178534629945762831"),
        (Kind::Sparse, "...6......9.....1...4....6531...5.......9.......1..2..................2.94.7....."),
        (Kind::Puzzles, "7.1...942..6.573..............2...8.4..3..15.....46...6..8.9574..8.3.6.9..5...8.1"),
        (Kind::Minimal, "7.1...942..6.57...............2...8.4..3...5.....46...6..8.957...8.3...9..5.....1"),
        (Kind::Multiple, "7.1...942....57...............2...8....3...5.....46...6..8.957...8.3...9..5.....1"),
        (Kind::Altered, "7.1...942..6.57...............2...8.4..3...5.....41...6..8.957...8.3...9..5.....1"),
    ];
    for (kind, expected) in cases {
        assert_eq!(texts(&Request::new(kind, 1), 0..1), [expected]);
    }
    let six = Request { geometry: Geometry::of_side(6).unwrap(), ..Request::new(Kind::Minimal, 1) };
    assert_eq!(texts(&six, 0..1), [".25..41.........6..6..1......25....."]);
}

#[test]
fn choices_and_grids_correspond_one_to_one() {
    let random = &mut Random::new(5, 0, 0);
    for _ in 0..4 {
        let (band, stack) = (random.below(uniform_9x9::BANDS), random.below(uniform_9x9::BANDS));
        let mut grids: Vec<_> =
            (0..uniform_9x9::LAST_FOUR).filter_map(|rest| uniform_9x9::build([band, stack, rest])).collect();
        let accepted = grids.len();
        grids.sort_unstable();
        grids.dedup();
        assert_eq!(grids.len(), accepted);
        // The number of grids with this band and stack, counted by an engine.
        let mut puzzle = quadrille_model::Puzzle::new(&Geometry::of_side(9).unwrap());
        for cell in (0..81).filter(|cell| cell / 9 < 3 || cell % 9 < 3) {
            puzzle.restrict(cell, DigitSet::only(usize::from(grids[0][cell])));
        }
        let problem = ProblemRef::Puzzle(&puzzle);
        let goal = Goal::Count { limit: None };
        let answer = Solver::default().answer(problem, goal, Limits::default()).unwrap();
        assert_eq!(answer.count.unwrap().to_u64(), Some(accepted as u64));
        for grid in grids {
            assert_eq!(verify(problem, Solution::Digits(&grid)), Ok(()));
        }
    }
}

#[test]
fn bands_with_the_same_first_box_are_all_different() {
    let mut bands: Vec<_> = (0..uniform_9x9::BANDS)
        .step_by(11)
        .map(|choice| uniform_9x9::beside(&uniform_9x9::FIRST, choice))
        .collect();
    let all = bands.len();
    bands.sort_unstable();
    bands.dedup();
    assert_eq!(bands.len(), all);
}

#[test]
fn one_fill_in_10_65_is_accepted() {
    let random = &mut Random::new(3, 0, 0);
    let tries = 40_000;
    let accepted = (0..tries)
        .filter(|_| {
            let choices = [
                random.below(uniform_9x9::BANDS),
                random.below(uniform_9x9::BANDS),
                random.below(uniform_9x9::LAST_FOUR),
            ];
            uniform_9x9::build(choices).is_some()
        })
        .count();
    // There are 6,670,903,752,021,072,936,960 grids and 9! namings of digits.
    let series = f64::from(uniform_9x9::BANDS).powi(2) * f64::from(uniform_9x9::LAST_FOUR);
    let expected = f64::from(tries) * 6_670_903_752_021_072_936_960.0 / 362_880.0 / series;
    let spread = expected.sqrt();
    assert!((accepted as f64 - expected).abs() < 3.0 * spread, "{accepted}, expected {expected} +- {spread}");
}

#[test]
fn minimal_puzzles_are_minimal() {
    let mut judge = Judge::new();
    for record in records(&Request::new(Kind::Minimal, 2), 0..40).unwrap() {
        judge.assert_proper(&record, true);
    }
    for (side, count) in [(4, 20), (6, 10), (8, 5)] {
        let geometry = Geometry::of_side(side).unwrap();
        let request = Request { geometry, ..Request::new(Kind::Minimal, 2) };
        for record in records(&request, 0..count).unwrap() {
            judge.assert_proper(&record, true);
        }
    }
}

#[test]
fn clues_are_removed_one_by_one() {
    let mut judge = Judge::new();
    for (index, record) in records(&Request::new(Kind::Minimal, 4), 0..20).unwrap().iter().enumerate() {
        // Repeats every step as documented.
        let random = &mut Random::new(4, index as u64, 0);
        let solution = uniform_9x9::draw(random);
        let mut order: Vec<usize> = (0..81).collect();
        random.shuffle(&mut order);
        let mut expected =
            Generated { cells: solution.iter().map(|&digit| Some(digit)).collect(), ..record.clone() };
        for cell in order {
            let clue = expected.cells[cell].take();
            if judge.solutions(&expected, 2) > 1 {
                expected.cells[cell] = clue;
            }
        }
        assert_eq!(text(record), text(&expected));
    }
}

#[test]
fn puzzles_have_the_clues_asked_for() {
    let mut judge = Judge::new();
    let mut seen = [0; 82];
    let request = Request { clues: Some(24..=27), ..Request::new(Kind::Puzzles, 2) };
    for record in records(&request, 0..80).unwrap() {
        judge.assert_proper(&record, false);
        seen[record.clues() as usize] += 1;
    }
    assert!(seen[24..=27].iter().all(|&n| n >= 8) && seen.iter().sum::<u32>() == 80, "{seen:?}");
    let default = records(&Request::new(Kind::Puzzles, 2), 0..5).unwrap();
    assert!(default.iter().all(|record| record.clues() == 30));
    let four = Request { geometry: Geometry::of_side(4).unwrap(), ..Request::new(Kind::Puzzles, 2) };
    assert!(records(&four, 0..5).unwrap().iter().all(|record| record.clues() == 6));
    let request = Request { clues: Some(22..=22), ..Request::new(Kind::Minimal, 2) };
    for record in records(&request, 0..3).unwrap() {
        assert_eq!(record.clues(), 22);
        judge.assert_proper(&record, true);
    }
    let all = Request { clues: Some(81..=81), ..Request::new(Kind::Puzzles, 2) };
    assert_eq!(records(&all, 0..1).unwrap()[0].clues(), 81);
}

/// A ring of 32 cells.
const PATTERN: &str = "xx.x.x.xxx.x...x.x.x.....x.x..x.x..x.........x..x.x..x.x.....x.x.x...x.xxx.x.x.xx";

#[test]
fn sparse_puzzles_are_parts_of_their_grids() {
    let request = Request { clues: Some(0..=20), ..Request::new(Kind::Sparse, 3) };
    let made = records(&request, 0..200).unwrap();
    let mut seen = [false; 21];
    for record in &made {
        let (puzzle, solution) = (record.puzzle(), record.solution.as_deref().unwrap());
        assert_eq!(verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(solution)), Ok(()));
        seen[record.clues() as usize] = true;
    }
    assert_eq!(seen, [true; 21]);
    let six = Request { geometry: Geometry::of_side(6).unwrap(), ..Request::new(Kind::Sparse, 3) };
    assert!(records(&six, 0..10).unwrap().iter().all(|record| record.clues() == 7));
}

#[test]
fn puzzles_have_the_pattern_asked_for() {
    let mut judge = Judge::new();
    let pattern: Vec<bool> = PATTERN.bytes().map(|byte| byte == b'x').collect();
    let request = Request { pattern: Some(pattern.clone()), ..Request::new(Kind::Puzzles, 2) };
    for record in records(&request, 0..5).unwrap() {
        let clues: Vec<bool> = record.cells.iter().map(Option::is_some).collect();
        assert_eq!(clues, pattern);
        judge.assert_proper(&record, false);
    }
}

#[test]
fn multiple_and_altered_puzzles_differ_little_from_minimal_ones() {
    let mut judge = Judge::new();
    let minimal = records(&Request::new(Kind::Minimal, 2), 0..60).unwrap();
    let multiple = records(&Request::new(Kind::Multiple, 2), 0..60).unwrap();
    let changed = records(&Request::new(Kind::Altered, 2), 0..60).unwrap();
    let mut dropped = [0; 3];
    let mut solutions = [0; 3];
    for ((minimal, multiple), changed) in minimal.iter().zip(&multiple).zip(&changed) {
        assert_eq!(judge.solutions(multiple, 2), 2);
        dropped[(minimal.clues() - multiple.clues()) as usize] += 1;
        assert_eq!(minimal.clues(), changed.clues());
        assert_eq!(minimal.cells.iter().zip(&changed.cells).filter(|(a, b)| a != b).count(), 1);
        assert_eq!(changed.puzzle().clash(), None);
        solutions[judge.solutions(changed, 2) as usize] += 1;
    }
    assert!(dropped[1] >= 20 && dropped[2] >= 20, "{dropped:?}");
    assert!(solutions.iter().all(|&n| n > 0), "{solutions:?}");
}

#[test]
fn records_do_not_depend_on_the_others_nor_on_threads() {
    for request in [
        Request::new(Kind::Minimal, 9),
        Request { clues: Some(21..=22), ..Request::new(Kind::Minimal, 9) },
        Request { climb: Some(3), ..Request::new(Kind::Puzzles, 9) },
    ] {
        let all = records(&request, 0..12).unwrap();
        assert_eq!(records(&request, 7..9).unwrap(), all[7..9]);
        let mut others = Vec::new();
        let options = Options { threads: 3, ..Options::default() };
        run(&request, 0..12, options, &Default::default(), &mut |record| {
            others.push(record);
            Flow::Continue
        })
        .unwrap();
        assert_eq!(others, all);
    }
}

#[test]
fn climbing_makes_puzzles_harder() {
    let request = Request { climb: Some(40), ..Request::new(Kind::Minimal, 9) };
    let mut hardest = Hardest::new(4);
    records(&request, 0..6).unwrap().into_iter().for_each(|record| hardest.offer(record));
    let kept = hardest.records();
    assert_eq!(kept.len(), 4);
    assert!(kept.is_sorted_by_key(|record| std::cmp::Reverse(record.guesses)));
    assert!(kept[3].guesses >= Some(3), "{kept:?}");
    let mut judge = Judge::new();
    let mut lanes =
        Solver::new(EnginePreference { engine: Some(EngineKind::Lanes), ..EnginePreference::default() });
    for record in kept {
        judge.assert_proper(record, true);
        // The guesses are those of the engine for batches of puzzles.
        let packed = record.puzzle().to_packed().unwrap();
        let goal = Goal::Count { limit: Some(2) };
        let answer = lanes.answer(ProblemRef::Packed(&packed), goal, Limits::default()).unwrap();
        assert_eq!(answer.counters.map(|counters| counters.guesses), record.guesses);
    }
}

#[test]
fn climbs_beat_the_best_of_the_same_number_of_puzzles() {
    let request = Request { climb: Some(100), ..Request::new(Kind::Minimal, 9) };
    let mut guesses: Vec<u64> =
        records(&request, 0..40).unwrap().iter().filter_map(|record| record.guesses).collect();
    guesses.sort_unstable();
    // The best of 100 minimal puzzles takes 8.5 guesses on average, with median 8. Climbs that added random
    // clues until one solution was left reached an average of 9.7 and a median of 8.
    let mean = guesses.iter().sum::<u64>() as f64 / 40.0;
    assert!(guesses[20] >= 8 && mean > 9.0, "{mean} {guesses:?}");
}

#[test]
fn climbs_come_to_an_end() {
    let small = |side, rules: Option<&str>| {
        let geometry = Geometry::of_side(side).unwrap();
        let shape = quadrille_model::rules::Shape {
            box_rows: geometry.box_rows(),
            box_columns: geometry.box_columns(),
        };
        let rules =
            rules.map(|text| Arc::new(quadrille_model::rules::compile(text, shape).unwrap().into_run_wide()));
        Request { geometry, rules, climb: Some(2000), ..Request::new(Kind::Minimal, 3) }
    };
    let mut judge = Judge::new();
    // Requests whose climbs have few possible changes, none, or many steps.
    //
    // Climbs used to loop forever on these: they removed four exchangeable clues at once and added all
    // others.
    for request in [
        small(4, None),
        small(6, None),
        small(4, Some(".Diagonal~1")),
        Request { clues: Some(5..=6), ..small(4, None) },
        Request { clues: Some(6..=16), kind: Kind::Puzzles, ..small(4, None) },
        Request { clues: Some(16..=16), kind: Kind::Puzzles, ..small(4, None) },
        Request { climb: Some(0), ..small(9, None) },
        Request { climb: Some(30), kind: Kind::Puzzles, ..small(9, None) },
    ] {
        for record in records(&request, 0..4).unwrap() {
            judge.assert_proper(&record, request.kind == Kind::Minimal);
            let wanted = request.clues.clone().unwrap_or(0..=81);
            assert!(wanted.contains(&record.clues()), "{}", text(&record));
        }
    }
}

#[test]
fn impossible_requests_are_refused() {
    let nine = |kind| Request::new(kind, 1);
    let cells = |text: &str| Some(text.bytes().map(|byte| byte == b'x').collect::<Vec<bool>>());
    let two_empty_rows = format!("{}{}", ".".repeat(18), "x".repeat(63));
    let cases = [
        (Request { clues: Some(5..=5), ..nine(Kind::Puzzles) }, "at least 17"),
        (Request { clues: Some(0..=16), ..nine(Kind::Minimal) }, "at least 17"),
        (Request { clues: Some(80..=82), ..nine(Kind::Puzzles) }, "invalid number of clues for a 9x9"),
        (Request { clues: Some(30..=30), ..nine(Kind::Grids) }, "puzzles and minimal"),
        (Request { pattern: Some(vec![true; 81]), ..nine(Kind::Sparse) }, "puzzles and minimal"),
        (Request { clues: Some(80..=82), ..nine(Kind::Sparse) }, "invalid number of clues for a 9x9"),
        (Request { climb: Some(1), ..nine(Kind::Multiple) }, "puzzles and minimal"),
        (Request { pattern: cells("x.x"), ..nine(Kind::Puzzles) }, "3 cells, but the grid has 81"),
        (Request { pattern: cells(&format!("x{}", ".".repeat(80))), ..nine(Kind::Puzzles) }, "at least 17"),
        (Request { pattern: cells(&two_empty_rows), ..nine(Kind::Puzzles) }, "rows 1 and 2"),
        (Request { attempts: 0, ..nine(Kind::Puzzles) }, "one attempt"),
        (Request { geometry: Geometry::of_side(36).unwrap(), ..nine(Kind::Grids) }, "36"),
    ];
    for (request, expected) in cases {
        let error = records(&request, 0..1).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn attempts_end_if_puzzles_are_too_rare() {
    let request = Request { clues: Some(40..=40), attempts: 50, ..Request::new(Kind::Minimal, 1) };
    for threads in [1, 2] {
        let options = Options { threads, ..Options::default() };
        let mut sink = |_| Flow::Continue;
        let error = run(&request, 3..5, options, &Default::default(), &mut sink).unwrap_err();
        assert!(error.to_string().starts_with("record 4: none of 50 attempts"), "{error}");
    }
}

#[test]
fn a_sink_can_stop_the_run() {
    let mut seen = 0;
    let request = Request::new(Kind::Minimal, 1);
    run(&request, 0..u64::MAX, Options::default(), &Default::default(), &mut |_| {
        seen += 1;
        if seen < 5 { Flow::Continue } else { Flow::Stop }
    })
    .unwrap();
    assert_eq!(seen, 5);
}

#[test]
fn small_grids_are_drawn_uniformly() {
    let geometry = Geometry::of_side(4).unwrap();
    let random = &mut Random::new(4, 0, 0);
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..28_800 {
        let grid = uniform_small::draw(&geometry, random);
        let puzzle = quadrille_model::Puzzle::new(&geometry);
        assert_eq!(verify(ProblemRef::Puzzle(&puzzle), Solution::Digits(&grid)), Ok(()));
        *seen.entry(grid).or_insert(0u32) += 1;
    }
    assert_eq!(seen.len(), 288);
    let chi: f64 = seen.values().map(|&n| (f64::from(n) - 100.0).powi(2) / 100.0).sum();
    assert!(chi < 365.0, "{chi}: one in a thousand seeds is worse");
}

#[test]
fn orders_are_decided_as_by_removing_clues_one_by_one() {
    let mut judge = Judge::new();
    let geometry = Geometry::of_side(4).unwrap();
    for clues in [None, Some(0..=5), Some(6..=16)] {
        let request = Request {
            geometry: Arc::clone(&geometry),
            method: Method::Controlled,
            clues: clues.clone(),
            ..Request::new(Kind::Minimal, 6)
        };
        let wanted = clues.unwrap_or(0..=16);
        for (index, record) in records(&request, 0..20).unwrap().iter().enumerate() {
            let mut orders = 0;
            let mut random = Random::new(6, index as u64, 0);
            let expected = loop {
                if orders % ORDERS == 0 {
                    random = Random::new(6, index as u64, orders / ORDERS);
                }
                orders += 1;
                let solution = uniform_small::draw(&geometry, &mut random);
                let mut cells: Vec<usize> = (0..16).collect();
                // The order from its end: the clue that is removed last comes first.
                let known = wanted.end().to_owned() as usize;
                for place in 0..known {
                    let other = place + random.below((16 - place) as u32) as usize;
                    cells.swap(place, other);
                }
                let mut puzzle = Generated { cells: vec![None; 16].into(), ..record.clone() };
                let proper = cells[..known].iter().any(|&cell| {
                    puzzle.cells[cell] = Some(solution[cell]);
                    judge.solutions(&puzzle, 2) == 1
                });
                let mut is_needed = |cell: usize| {
                    let mut less = puzzle.clone();
                    less.cells[cell] = None;
                    puzzle.cells[cell].is_none() || judge.solutions(&less, 2) == 2
                };
                if proper && wanted.contains(&puzzle.clues()) && (0..16).all(&mut is_needed) {
                    break puzzle;
                }
            };
            assert_eq!((text(record), record.orders), (text(&expected), Some(orders)));
        }
    }
}

#[test]
fn controlled_samples_have_no_further_conditions() {
    let controlled = |kind| Request { method: Method::Controlled, ..Request::new(kind, 1) };
    let minimal = || controlled(Kind::Minimal);
    let rating = quadrille_rating::Technique::LastCell.least();
    let cases = [
        (controlled(Kind::Puzzles), "only for minimal"),
        (Request { distinct: true, ..minimal() }, "would change their weights"),
        (Request { symmetry: Some(Symmetry::Full), ..minimal() }, "would change their weights"),
        (Request { pattern: Some(vec![true; 81]), ..minimal() }, "would change their weights"),
        (Request { climb: Some(1), ..minimal() }, "would change their weights"),
        (Request { rating: Some(rating..=rating), ..minimal() }, "would change their weights"),
        (Request { geometry: Geometry::of_side(8).unwrap(), ..minimal() }, "up to 36 cells"),
    ];
    for (request, expected) in cases {
        let error = records(&request, 0..1).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn neighbours_have_a_range() {
    let geometry = Geometry::of_side(4).expect("a side");
    let puzzle = quadrille_model::Puzzle::new(&geometry);
    let cells = Cells::of_clues(ProblemRef::Puzzle(&puzzle)).expect("a form");
    let change = Change { removed: 0, added: 1, sample: None, minimal: false };
    let neighbours = Neighbourhood::new(change, vec![cells], Vec::new()).expect("neighbours");
    let end = neighbours.range().end;
    let neighbours = Some(Arc::new(neighbours));
    let request = Request { neighbours, distinct: true, ..Request::new(Kind::Neighbours, 1) };
    let request = Request { geometry, ..request };
    assert!(crate::records(&request, 0..end).expect("a range").is_empty());
    let refused = crate::records(&request, 0..end + 1).expect_err("more than there are");
    assert!(refused.to_string().contains("units of work"), "{refused}");
}
