//! The lanes engine, compared with dancing links, and with itself on every instruction set.

use std::collections::BTreeSet;
use std::time::Duration;

use quadrille::engine::{Control, Flow};
use quadrille::engine::{Counters, Isa};
use quadrille::internals::{
    Client, Dlx, Engine, Event, Job, JobBatch, Jobs, Outcome, Random, SearchEngine, lanes,
};
use quadrille::{EndedBy, Goal, Limits, Packed9x9, ProblemRef, Solution, verify};

fn of_grid(grid: &[u8; 81], clues: impl Fn(usize) -> bool) -> Packed9x9 {
    Packed9x9::from_cells(&std::array::from_fn(|cell| if clues(cell) { 1 << grid[cell] } else { 0x1ff }))
}

fn of_text(line: &str) -> Packed9x9 {
    let cells: Vec<u16> =
        line.bytes().map(|byte| if byte == b'.' { 0x1ff } else { 1 << (byte - b'1') }).collect();
    Packed9x9::from_cells(&cells.try_into().unwrap())
}

/// Returns random puzzles with solutions, variations with a clue changed or removed, and pencilmarks.
fn corpus(seed: u64, count: usize) -> Vec<Packed9x9> {
    let mut random = Random::new(seed, 0, 0);
    let mut puzzles = Vec::new();
    let mut run = Runner::new(Isa::Portable);
    while puzzles.len() < count {
        // A random grid: the first solution with a random first row of boxes.
        let mut digits: Vec<u8> = (0..9).collect();
        random.shuffle(&mut digits);
        let mut cells = [0x1ff; 81];
        for (at, &digit) in digits.iter().enumerate() {
            cells[9 * random.below(9) as usize + at] &= 1 << digit;
        }
        let Some(grid) = run.one(&Packed9x9::from_cells(&cells), Goal::First(1)).solutions.pop() else {
            continue;
        };
        let mut order: Vec<usize> = (0..81).collect();
        random.shuffle(&mut order);
        let clues = 20 + random.below(16) as usize;
        let given = &order[..clues];
        let is_given = |cell: usize| given.contains(&cell);
        puzzles.push(of_grid(&grid, is_given));
        puzzles.push(of_grid(&grid, |cell| is_given(cell) && cell != given[0]));
        let mut changed = grid;
        changed[given[1]] = (changed[given[1]] + 1 + random.below(8) as u8) % 9;
        puzzles.push(of_grid(&changed, is_given));
        let density = random.below(3);
        puzzles.push(Packed9x9::from_cells(&std::array::from_fn(|cell| {
            let noise = match density {
                0 => random.below(0x200),
                1 => random.below(0x200) & random.below(0x200),
                _ => random.below(0x200) | random.below(0x200),
            };
            1 << grid[cell] | if random.below(4) == 0 { 0 } else { noise as u16 }
        })));
        puzzles.push(Packed9x9::from_cells(&std::array::from_fn(|_| {
            (random.below(0x200) | random.below(0x200)) as u16
        })));
    }
    puzzles.truncate(count);
    puzzles
}

/// Solutions and outcome of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Result {
    solutions: Vec<[u8; 81]>,
    outcome: Option<Outcome>,
}

impl Result {
    fn found(&self) -> u64 {
        self.outcome.as_ref().unwrap().found.to_u64().unwrap()
    }

    fn ended_by(&self) -> EndedBy {
        self.outcome.as_ref().unwrap().ended_by
    }

    fn counters(&self) -> Counters {
        self.outcome.as_ref().unwrap().counters.unwrap()
    }
}

/// Supplies jobs in a given order and stores their results.
struct Keeping<'a> {
    puzzles: &'a [Packed9x9],
    order: std::vec::IntoIter<usize>,
    goal: Goal,
    limits: Limits,
    results: Vec<Result>,
    stop_after: usize,
    cancels: Option<&'a Control>,
}

impl Client for Keeping<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let ticket = self.order.next()?;
        let problem = ProblemRef::Packed(&self.puzzles[ticket]);
        Some(Jobs::One(Job { ticket: ticket as u64, problem, goal: self.goal, limits: self.limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        let (ticket, solution) = match event {
            Event::Solution { ticket, solution } => (ticket, solution),
            Event::Solved(_) => panic!("the client gives no batch"),
            Event::End { ticket, outcome } => {
                let before = self.results[ticket as usize].outcome.replace(outcome);
                assert!(before.is_none());
                return Flow::Continue;
            }
        };
        let result = &mut self.results[ticket as usize];
        assert!(result.outcome.is_none());
        verify(ProblemRef::Packed(&self.puzzles[ticket as usize]), solution).unwrap();
        let Solution::Digits(digits) = solution else { panic!("digits of a grid") };
        result.solutions.push(digits.try_into().unwrap());
        if let Some(control) = self.cancels {
            control.cancel();
        }
        if result.solutions.len() == self.stop_after { Flow::Stop } else { Flow::Continue }
    }
}

struct Runner(Box<dyn Engine>);

impl Runner {
    fn new(isa: Isa) -> Self {
        Runner(lanes::engine_on(isa).unwrap())
    }

    fn reference() -> Self {
        Runner(Box::new(SearchEngine::new(Box::<Dlx>::default())))
    }

    fn all(&mut self, puzzles: &[Packed9x9], goal: Goal, limits: Limits) -> Vec<Result> {
        self.in_order(puzzles, (0..puzzles.len()).collect(), goal, limits)
    }

    fn in_order(
        &mut self,
        puzzles: &[Packed9x9],
        order: Vec<usize>,
        goal: Goal,
        limits: Limits,
    ) -> Vec<Result> {
        let results = vec![Result::default(); puzzles.len()];
        let order = order.into_iter();
        let mut jobs =
            Keeping { puzzles, order, goal, limits, results, stop_after: usize::MAX, cancels: None };
        self.0.run(&mut jobs, &Control::new());
        assert!(jobs.results.iter().all(|result| result.outcome.is_some()));
        jobs.results
    }

    fn one(&mut self, puzzle: &Packed9x9, goal: Goal) -> Result {
        self.all(std::slice::from_ref(puzzle), goal, Limits::default()).pop().unwrap()
    }
}

#[test]
fn agrees_with_dancing_links_for_every_goal() {
    let puzzles = corpus(1, 1500);
    let mut reference = Runner::reference();
    for limit in [1, 2, 5, 1000] {
        // A thousand solutions of each puzzle would take the reference too long.
        let puzzles = if limit == 1000 { &puzzles[..250] } else { &puzzles };
        let expected = reference.all(puzzles, Goal::First(limit), Limits::default());
        for isa in Isa::available() {
            let mut run = Runner::new(isa);
            let first = run.all(puzzles, Goal::First(limit), Limits::default());
            let count = run.all(puzzles, Goal::Count { limit: Some(limit) }, Limits::default());
            for number in 0..puzzles.len() {
                let (expected, first, count) = (&expected[number], &first[number], &count[number]);
                assert_eq!(first.found(), expected.found(), "{isa} puzzle {number} limit {limit}");
                assert_eq!(first.ended_by(), expected.ended_by());
                assert_eq!(first.outcome, count.outcome);
                assert!(count.solutions.is_empty());
                let different: BTreeSet<_> = first.solutions.iter().collect();
                assert_eq!(different.len() as u64, first.found(), "a solution came twice");
                if first.ended_by() == EndedBy::Complete {
                    assert_eq!(different, expected.solutions.iter().collect());
                }
            }
        }
    }
}

#[test]
fn all_solutions_begin_with_the_first_ones() {
    let puzzles = corpus(2, 300);
    for isa in Isa::available() {
        let mut run = Runner::new(isa);
        let limits = Limits { nodes: Some(3000), ..Limits::default() };
        let all = run.all(&puzzles, Goal::All, limits);
        let some = run.all(&puzzles, Goal::First(3), limits);
        for (all, some) in all.iter().zip(&some) {
            assert!(all.solutions.starts_with(&some.solutions));
            assert_eq!(all.found(), all.solutions.len() as u64);
            assert_eq!(some.found(), all.found().min(3));
        }
    }
}

#[test]
fn empty_full_and_contradictory_grids_are_answered() {
    let full = "123456789456789123789123456214365897365897214897214365531642978642978531978531642";
    let mut clash = full.replace('9', ".");
    clash.replace_range(0..2, "11");
    let mut one_empty = of_text(full).to_cells();
    one_empty[40] = 0;
    let dropped = full.replacen('5', ".", 3);
    for isa in Isa::available() {
        let mut run = Runner::new(isa);
        let solved = run.one(&of_text(full), Goal::First(2));
        assert_eq!((solved.found(), solved.ended_by(), solved.counters().guesses), (1, EndedBy::Complete, 0));
        assert_eq!(run.one(&of_text(&dropped), Goal::First(2)).solutions, solved.solutions);
        for none in [of_text(&clash), Packed9x9::from_cells(&one_empty), Packed9x9([0; 12])] {
            let outcome = run.one(&none, Goal::All);
            assert_eq!(
                (outcome.found(), outcome.ended_by(), outcome.counters().nodes),
                (0, EndedBy::Complete, 1)
            );
        }
        let blank = run.one(&Packed9x9::FULL, Goal::First(1000));
        assert_eq!((blank.solutions.len(), blank.ended_by()), (1000, EndedBy::Limit));
        assert_eq!(run.one(&Packed9x9::FULL, Goal::Count { limit: Some(5000) }).found(), 5000);
    }
}

#[test]
fn counts_every_way_to_finish_a_band() {
    let grid = "123456789456789123789123456214365897365897214897214365...........................";
    let all = Goal::Count { limit: None };
    let expected = Runner::reference().one(&of_text(grid), all).found();
    assert!(expected > 1);
    for isa in Isa::available() {
        let counted = Runner::new(isa).one(&of_text(grid), all);
        assert_eq!((counted.found(), counted.ended_by()), (expected, EndedBy::Complete));
    }
}

#[test]
fn results_do_not_depend_on_instruction_set_or_other_lanes() {
    let mut puzzles = corpus(3, 700);
    // A puzzle of hundreds of guesses among easy ones.
    puzzles.insert(350, of_text(&format!("{}{}", "1........2........3........", ".".repeat(54))));
    let limits = Limits { nodes: Some(2000), ..Limits::default() };
    let expected = Runner::new(Isa::Portable).all(&puzzles, Goal::First(100), limits);
    for isa in Isa::available() {
        let mut run = Runner::new(isa);
        let mut order: Vec<usize> = (0..puzzles.len()).collect();
        for seed in 0..3 {
            assert_eq!(run.in_order(&puzzles, order.clone(), Goal::First(100), limits), expected, "{isa}");
            Random::new(seed, 0, 0).shuffle(&mut order);
        }
        for number in [0, 77, 350, 699] {
            let alone = run.all(&puzzles[number..=number], Goal::First(100), limits);
            assert_eq!(alone[0], expected[number]);
        }
    }
}

/// Supplies all puzzles as batches of the requested size.
struct InSeries<'a> {
    puzzles: &'a [Packed9x9],
    given: usize,
    goal: Goal,
    results: Vec<Result>,
}

impl Client for InSeries<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        let rest = &self.puzzles[self.given..];
        let grids = &rest[..most.min(rest.len())];
        let first_ticket = self.given as u64;
        self.given += grids.len();
        let series =
            JobBatch { first_ticket, grids, rules: None, goal: self.goal, limits: Limits::default() };
        (!grids.is_empty()).then_some(Jobs::JobBatch(series))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution: Solution::Digits(digits) } => {
                self.results[ticket as usize].solutions.push(digits.try_into().unwrap());
            }
            Event::Solution { .. } => panic!("digits of a grid"),
            Event::Solved(solved) => {
                for one in solved {
                    let result = &mut self.results[one.ticket as usize];
                    assert!(result.outcome.is_none());
                    result.solutions.push(one.digits);
                    result.outcome = one.ended.map(Outcome::from);
                }
            }
            Event::End { ticket, outcome } => {
                assert!(self.results[ticket as usize].outcome.replace(outcome).is_none());
            }
        }
        Flow::Continue
    }
}

#[test]
fn a_batch_is_answered_like_single_jobs() {
    let puzzles = corpus(9, 700);
    let runners = Isa::available().map(Runner::new).chain([Runner::reference()]);
    for mut run in runners {
        for goal in [Goal::First(1), Goal::First(2), Goal::First(20), Goal::Count { limit: Some(2) }] {
            let expected = run.all(&puzzles, goal, Limits::default());
            let results = vec![Result::default(); puzzles.len()];
            let mut client = InSeries { puzzles: &puzzles, given: 0, goal, results };
            run.0.run(&mut client, &Control::new());
            let unlike = expected.iter().zip(&client.results).position(|(one, other)| one != other);
            assert_eq!(unlike, None, "{goal:?}");
        }
    }
}

/// Makes the first job long, has no job at every `every`-th request, and records the order in which jobs end.
struct Stutters<'a> {
    jobs: Keeping<'a>,
    every: usize,
    asked: usize,
    had_nothing: usize,
    ended: Vec<u64>,
}

impl Client for Stutters<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        self.asked += 1;
        self.had_nothing += 1;
        if self.asked.is_multiple_of(self.every) {
            return None;
        }
        let job = self.jobs.next(most)?.first();
        self.had_nothing -= 1;
        Some(Jobs::One(Job { goal: if job.ticket == 0 { LONG } else { job.goal }, ..job }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        if let Event::End { ticket, .. } = event {
            self.ended.push(ticket);
        }
        self.jobs.report(event)
    }
}

/// A count of 43,071 guesses, which takes hundreds of steps even with all lanes on it.
const LONG: Goal = Goal::Count { limit: None };
const LONG_PUZZLE: &str = "1........4.67..1.3...1..45.......8....5.9.........4.....1..2..86..9.8....7..31.4.";

#[test]
fn late_jobs_join_the_running_ones() {
    let mut puzzles = corpus(6, 300);
    puzzles.insert(0, of_text(LONG_PUZZLE));
    let goal = Goal::Count { limit: Some(400) };
    let limits = Limits::default();
    for isa in Isa::available() {
        let mut run = Runner::new(isa);
        let mut expected = run.all(&puzzles, goal, limits);
        expected[0] = run.one(&puzzles[0], LONG);
        let results = vec![Result::default(); puzzles.len()];
        let order = (0..puzzles.len()).collect::<Vec<_>>().into_iter();
        let jobs = Keeping { puzzles: &puzzles, order, goal, limits, results, stop_after: 0, cancels: None };
        let mut client = Stutters { jobs, every: 2, asked: 0, had_nothing: 0, ended: Vec::new() };
        run.0.run(&mut client, &Control::new());
        let ended = client.ended.len();
        // Most of the other jobs arrived during the first one and did not wait for it.
        assert!(ended > 50, "{isa}: the engine ran dry after {ended} jobs");
        assert!(client.ended.iter().position(|ticket| *ticket == 0) > Some(30), "{isa}");
        while client.ended.len() < puzzles.len() {
            run.0.run(&mut client, &Control::new());
        }
        assert_eq!(client.jobs.results, expected, "{isa}");
    }
}

/// A search of tens of thousands of guesses among short searches delays none of these.
///
/// After the short searches have ended, all lanes work on the rest of the long search.
#[test]
fn a_long_search_leaves_no_lanes_idle() {
    let mut puzzles = corpus(7, 1500);
    puzzles.insert(0, of_text(LONG_PUZZLE));
    let (goal, limits) = (Goal::Count { limit: Some(2) }, Limits::default());
    for isa in Isa::available() {
        let results = vec![Result::default(); puzzles.len()];
        let order = (0..puzzles.len()).collect::<Vec<_>>().into_iter();
        let jobs = Keeping { puzzles: &puzzles, order, goal, limits, results, stop_after: 0, cancels: None };
        let (every, ended) = (usize::MAX, Vec::new());
        let mut client = Stutters { jobs, every, asked: 0, had_nothing: 0, ended };
        Runner::new(isa).0.run(&mut client, &Control::new());
        assert_eq!(client.ended.len(), puzzles.len());
        assert_eq!(client.ended.last(), Some(&0), "{isa}");
        let long = client.jobs.results[0].counters();
        assert_eq!(long.guesses, 43_071);
        // If a lane has nothing to do, the client is asked once per step. A single lane takes at least a step
        // per node.
        assert!((client.had_nothing as u64) < long.nodes / 16, "{isa}: {} steps", client.had_nothing);
    }
}

#[test]
fn node_limits_cut_the_same_search() {
    let puzzles = corpus(4, 200);
    let mut run = Runner::new(Isa::best());
    let whole = run.all(&puzzles, Goal::First(50), Limits::default());
    for nodes in [0, 1, 2, 5, 20] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        for (cut, whole) in run.all(&puzzles, Goal::First(50), limits).iter().zip(&whole) {
            assert!(whole.solutions.starts_with(&cut.solutions));
            if whole.counters().nodes <= nodes {
                assert_eq!(cut, whole);
            } else {
                assert_eq!((cut.ended_by(), cut.counters().nodes), (EndedBy::Nodes, nodes));
            }
        }
    }
}

/// A lane that is alone with its puzzle gives parts to all others; among puzzles of equal length no lane gives parts.
#[test]
fn parts_of_a_puzzle_add_up_to_one_search() {
    let few_clues = |clues: &str| of_text(&format!("{clues}{}", ".".repeat(81 - clues.len())));
    let puzzles = [
        Packed9x9::FULL,
        few_clues("1........2........3........"),
        // No solution, which takes 201 guesses to prove.
        few_clues("36.7..9....5.6........9..4.63..2.8.....3....1.....7...72...96....8.........2...8"),
    ];
    for isa in Isa::available() {
        let mut run = Runner::new(isa);
        for puzzle in &puzzles {
            let company = [vec![*puzzle], vec![Packed9x9::FULL; 511]].concat();
            for nodes in [0, 1, 2, 5, 20, 100, 300, 700] {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                for goal in [Goal::All, Goal::Count { limit: None }] {
                    let alone = run.all(&company[..1], goal, limits);
                    assert_eq!(
                        alone[0],
                        run.all(&company, goal, limits)[0],
                        "{isa}, {goal:?}, {nodes} nodes"
                    );
                }
            }
            for wanted in [1, 2, 5, 33, 100] {
                let first = run.one(puzzle, Goal::First(wanted));
                let count = run.one(puzzle, Goal::Count { limit: Some(wanted) });
                assert_eq!(first.outcome, count.outcome);
                if first.ended_by() == EndedBy::Limit {
                    // A search limited to the same number of nodes, with one lane per puzzle, finds the same
                    // solutions with the same guesses.
                    let limits = Limits { nodes: Some(first.counters().nodes), ..Limits::default() };
                    let among = run.all(&company, Goal::All, limits).swap_remove(0);
                    assert_eq!(first.solutions, among.solutions);
                    assert_eq!(first.counters(), among.counters());
                    let results = vec![Result::default()];
                    let mut jobs = Keeping {
                        puzzles: std::slice::from_ref(puzzle),
                        order: vec![0].into_iter(),
                        goal: Goal::All,
                        limits: Limits::default(),
                        results,
                        stop_after: wanted as usize,
                        cancels: None,
                    };
                    run.0.run(&mut jobs, &Control::new());
                    assert_eq!(jobs.results[0].solutions, first.solutions);
                    assert_eq!(jobs.results[0].counters(), first.counters());
                }
            }
        }
    }
}

#[test]
fn a_client_and_a_control_can_stop() {
    let puzzles = vec![Packed9x9::FULL; 5];
    let mut engine = lanes::engine_on(Isa::best()).unwrap();
    let mut start = |stop_after, cancels: Option<&Control>, limits| {
        let results = vec![Result::default(); 5];
        let order = vec![0, 1, 2, 3, 4].into_iter();
        let mut jobs =
            Keeping { puzzles: &puzzles, order, goal: Goal::All, limits, results, stop_after, cancels };
        engine.run(&mut jobs, cancels.unwrap_or(&Control::new()));
        jobs.results
    };
    for result in start(7, None, Limits::default()) {
        assert_eq!((result.found(), result.ended_by()), (7, EndedBy::Cancel));
    }
    let control = Control::new();
    for result in start(usize::MAX, Some(&control), Limits::default()) {
        assert_eq!((result.found(), result.ended_by()), (result.solutions.len() as u64, EndedBy::Cancel));
    }
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    assert!(start(usize::MAX, None, limits).iter().all(|result| result.ended_by() == EndedBy::Time));
}
