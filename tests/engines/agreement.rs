//! Compares all engines on many 9x9 puzzles: random ones with one solution, variations of them, and corpora.
//!
//! By default some ten thousand problems. To compare more, or the puzzles of files (81 characters per line,
//! `.` or `0` for an empty cell):
//!
//! ```sh
//! QUADRILLE_AGREEMENT=1000000 QUADRILLE_CORPORA=17_clue.txt:hardest.txt \
//!     cargo test --release --test engines agreement:: -- --nocapture
//! ```

use std::env;
use std::fs;
use std::sync::Arc;

use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver};
use quadrille::engine::{Isa, Task};
use quadrille::generate::{self, Kind, Request};
use quadrille::internals::{Client, ENGINES, EngineInfo, Event, Job, Jobs, Random};
use quadrille::rules::RuleClass;
use quadrille::{Answer, EndedBy, Goal, Limits, Packed9x9, ProblemClass, ProblemRef, Solution, verify};
use rayon::prelude::*;

/// Corpora in the default run.
const CORPORA: &str = "data/published.txt:data/hard-300.txt:data/multiple-3000.txt";
/// Number of problems in the default run.
const PROBLEMS: usize = 12_000;
/// Problems that one thread compares at a time.
const BATCH: usize = 2_000;
/// The slow reference engine answers one problem in `NAIVE_EVERY`, with at most `NAIVE_NODES` nodes each.
const NAIVE_EVERY: usize = 500;
const NAIVE_NODES: u64 = 2_000;

/// An engine's answer to a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Verdict {
    found: u64,
    ended_by: EndedBy,
    /// The solution, if there is only one: engines may find several in different orders.
    solution: Option<[u8; 81]>,
}

/// Feeds an engine with problems and stores its verdicts.
struct Asking<'a> {
    problems: &'a [Packed9x9],
    next: usize,
    step: usize,
    goal: Goal,
    limits: Limits,
    verdicts: Vec<Option<Verdict>>,
    solutions: Vec<Option<[u8; 81]>>,
}

impl Client for Asking<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let ticket = self.next;
        let problem = ProblemRef::Packed(self.problems.get(ticket)?);
        self.next += self.step;
        Some(Jobs::One(Job { ticket: ticket as u64, problem, goal: self.goal, limits: self.limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => {
                let at = ticket as usize;
                assert_eq!(verify(ProblemRef::Packed(&self.problems[at]), solution), Ok(()));
                let Solution::Digits(digits) = solution else { panic!("a grid has digits") };
                self.solutions[at] = Some(digits.try_into().expect("81 digits"));
            }
            Event::Solved(_) => panic!("the client gives no batch"),
            Event::End { ticket, outcome } => {
                let at = ticket as usize;
                let found = outcome.found.to_u64().expect("limits are small");
                let solution = self.solutions[at].filter(|_| found == 1);
                assert!(self.verdicts[at].is_none(), "a problem is finished once");
                self.verdicts[at] = Some(Verdict { found, ended_by: outcome.ended_by, solution });
            }
        }
        Flow::Continue
    }
}

fn verdicts(info: &EngineInfo, isa: Option<Isa>, problems: &[Packed9x9], goal: Goal) -> Vec<Option<Verdict>> {
    let slow = info.kind == EngineKind::Naive;
    let mut asking = Asking {
        problems,
        next: 0,
        step: if slow { NAIVE_EVERY } else { 1 },
        goal,
        limits: Limits { nodes: slow.then_some(NAIVE_NODES), ..Limits::default() },
        verdicts: vec![None; problems.len()],
        solutions: vec![None; problems.len()],
    };
    info.make(isa).run(&mut asking, &Control::new());
    asking.verdicts
}

/// Returns every engine with each instruction set that it supports on this machine.
fn contenders(goal: Goal) -> impl Iterator<Item = (&'static EngineInfo, Option<Isa>)> {
    let rules = RuleClass::Plain;
    let class = ProblemClass::Grid { side: 9, packed: true, same_digit: false, weighted: false, rules };
    ENGINES.iter().filter(move |info| (info.supports)(class, goal)).flat_map(|info| {
        let isas: Vec<_> = info.isas.iter().copied().filter(|isa| isa.is_available()).map(Some).collect();
        let isas = if isas.is_empty() { vec![None] } else { isas };
        isas.into_iter().map(move |isa| (info, isa))
    })
}

/// Compares all engines on all problems. Returns the number of compared verdicts.
fn compare(problems: &[Packed9x9], goal: Goal) -> usize {
    let mut compared = 0;
    let mut known: Option<Vec<Option<Verdict>>> = None;
    for (info, isa) in contenders(goal) {
        let now = verdicts(info, isa, problems, goal);
        let Some(first) = &known else {
            known = Some(now);
            continue;
        };
        for (problem, (first, now)) in problems.iter().zip(first.iter().zip(&now)) {
            let Some(now) = now.as_ref().filter(|now| now.ended_by != EndedBy::Nodes) else { continue };
            assert_eq!(first.as_ref(), Some(now), "{} {isa:?} on {:?}", info.name, problem.to_cells());
            compared += 1;
        }
    }
    compared
}

fn compare_all(problems: &[Packed9x9]) -> usize {
    let goals = [Goal::First(2), Goal::Least, Goal::Count { limit: Some(40) }];
    let batches = problems.par_chunks(BATCH);
    batches.map(|batch| goals.iter().map(|&goal| compare(batch, goal)).sum::<usize>()).sum()
}

/// Returns a puzzle and nine variations of it, each with a clue removed or changed.
fn with_near_ones(puzzle: &Packed9x9, random: &mut Random) -> impl Iterator<Item = Packed9x9> {
    let cells = puzzle.to_cells();
    let clues: Vec<usize> = (0..81).filter(|&cell| cells[cell].is_power_of_two()).collect();
    let near: Vec<Packed9x9> = (0..10)
        .map(|number| {
            let mut cells = cells;
            let clue = *random.pick(&clues).expect("a puzzle has clues");
            match number {
                0 => {}
                1..=4 => cells[clue] = 0x1ff,
                _ => cells[clue] = 1 << random.below(9),
            }
            Packed9x9::from_cells(&cells)
        })
        .collect();
    near.into_iter()
}

fn generated(count: usize) -> Vec<Packed9x9> {
    let mut problems = Vec::new();
    let mut random = Random::new(7, 0, 0);
    for (kind, share) in [(Kind::Minimal, count / 20), (Kind::Puzzles, count.div_ceil(20))] {
        let options = generate::Options { threads: rayon::current_num_threads(), ..Default::default() };
        let request = Request::new(kind, 1461);
        generate::run(&request, 0..share as u64, options, &Arc::new(Control::new()), &mut |made| {
            problems.extend(with_near_ones(&made.puzzle().to_packed().expect("a 9x9"), &mut random));
            Flow::Continue
        })
        .unwrap();
    }
    problems
}

#[test]
fn engines_agree_on_puzzles_and_near_puzzles() {
    let count = env::var("QUADRILLE_AGREEMENT").map_or(PROBLEMS, |text| text.parse().expect("a number"));
    let problems = generated(count);
    assert!(problems.len() >= count);
    let compared = compare_all(&problems);
    println!("{} problems, {compared} verdicts compared", problems.len());
    assert!(compared >= 2 * problems.len(), "at least two engines have a word on each");
}

#[test]
fn engines_agree_on_corpora() {
    let files = env::var("QUADRILLE_CORPORA").unwrap_or_else(|_| CORPORA.to_owned());
    for file in files.split(':') {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let lines = text.lines().filter(|line| line.len() >= 81 && !line.starts_with('#'));
        let problems: Vec<Packed9x9> = lines.map(|line| of_text(&line[..81])).collect();
        assert!(!problems.is_empty(), "{file} has puzzles");
        let compared = compare_all(&problems);
        println!("{file}: {} problems, {compared} verdicts compared", problems.len());
        assert!(compared >= 2 * problems.len(), "{file}: at least two engines have a word on each");
    }
}

#[test]
fn grids_searched_together_have_the_answers_of_each() {
    let text = fs::read_to_string("data/multiple-3000.txt").expect("the file can be read");
    let twice = "11".to_owned() + &".".repeat(79);
    let grids: Vec<Packed9x9> = text.lines().take(300).chain([&*twice]).map(of_text).collect();
    let mut together = Solver::default();
    let mut each = Solver::new(EnginePreference { engine: Some(EngineKind::Lanes), ..Default::default() });
    for goal in [Goal::First(1), Goal::First(2), Goal::Count { limit: Some(1000) }] {
        for nodes in [2, 200] {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let mut found = vec![Vec::new(); grids.len()];
            let mut keep = |place: usize, digits: &[u8]| found[place].push(digits.to_vec());
            let answers =
                together.search_many(&grids, (goal, limits), &Control::new(), &mut keep).expect("grids");
            assert_eq!(answers.len(), grids.len());
            for ((grid, answer), found) in grids.iter().zip(answers).zip(found) {
                let (problem, mut solutions) = (ProblemRef::Packed(grid), Vec::new());
                let mut keep = |solution: Solution<'_>| {
                    if let Solution::Digits(digits) = solution {
                        solutions.push(digits.to_vec());
                    }
                    Flow::Continue
                };
                let alone = each
                    .search(&Task::whole(problem, goal, limits), &Control::new(), &mut keep)
                    .expect("a grid");
                // A search that ends early may have made more guesses alone, where free lanes take its branches.
                let facts = |answer: Answer| {
                    let is_early = answer.ended_by.is_early();
                    (answer.status, answer.count, answer.ended_by, answer.counters.filter(|_| !is_early))
                };
                assert_eq!((facts(answer), found), (facts(alone), solutions), "{goal:?}, {nodes} nodes");
            }
        }
    }
    assert!(
        together
            .search_many(&[], (Goal::First(1), Limits::default()), &Control::new(), &mut |_, _| {})
            .unwrap()
            .is_empty()
    );
}

fn of_text(line: &str) -> Packed9x9 {
    let cells: Vec<u16> = line
        .bytes()
        .map(|byte| if byte.is_ascii_digit() && byte != b'0' { 1 << (byte - b'1') } else { 0x1ff })
        .collect();
    Packed9x9::from_cells(&cells.try_into().expect("81 cells"))
}
