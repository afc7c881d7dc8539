//! Compares all engines that support a problem, on every question.

use std::ops::AddAssign;
use std::sync::Arc;

use quadrille::TopK;
use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver};
use quadrille::engine::{Isa, Task};
use quadrille::internals::ENGINES;
use quadrille::{Answer, Direction, EndedBy, Goal, Limits, Problem, ProblemRef, Solution, Status, verify};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Maximum number of nodes of an engine and of the slow reference; a longer search is not compared.
const NODES: u64 = 3_000;
const NAIVE_NODES: u64 = 120;
/// Maximum number of solutions that are listed and compared one by one.
const LISTED: u64 = 300;

/// Counts of comparisons.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Compared {
    pub(crate) problems: u64,
    /// Verdicts in addition to the first one of each question.
    pub(crate) verdicts: u64,
    /// Verdicts of searches that were split over threads.
    pub(crate) split: u64,
    /// Verified solutions.
    pub(crate) solutions: u64,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Compared) {
        self.problems += other.problems;
        self.verdicts += other.verdicts;
        self.split += other.split;
        self.solutions += other.solutions;
    }
}

/// An engine, or `None` for the automatic choice, with an instruction set.
type Contender = (Option<EngineKind>, Option<Isa>);

/// The answer of a contender, and its solutions in sorted order.
type Said = (Answer, Vec<Vec<u32>>);

/// Runs all contenders; keeps the engines from problem to problem.
pub(crate) struct Judge {
    solver: Solver,
    threads: ThreadPool,
    control: Arc<Control>,
}

fn name((kind, isa): Contender) -> String {
    let kind = kind.map_or("auto", |kind| kind.info().name);
    isa.map_or(kind.to_owned(), |isa| format!("{kind} on {}", isa.name()))
}

/// Returns all contenders that support the goal.
fn contenders(problem: ProblemRef<'_>, goal: Goal) -> Vec<Contender> {
    let class = problem.class();
    let mut all: Vec<Contender> = Vec::new();
    for info in ENGINES.iter().filter(|info| (info.supports)(class, goal)) {
        let isas = info.isas.iter().copied().filter(|isa| isa.is_available());
        all.extend(isas.map(|isa| (Some(info.kind), Some(isa))));
        if info.isas.is_empty() {
            all.push((Some(info.kind), None));
        }
    }
    if !all.is_empty() {
        all.push((None, None));
    }
    all
}

/// Returns the part of an answer that must be equal for all contenders.
fn told(goal: Goal, (answer, solutions): &Said) -> String {
    let listed = (goal == Goal::All).then_some(solutions);
    let best = answer.best;
    format!("{:?} {:?} {:?} {best:?} {listed:?}", answer.status, answer.ended_by, answer.count)
}

impl Judge {
    pub(crate) fn new() -> Self {
        let threads = ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        Judge { solver: Solver::default(), threads, control: Arc::new(Control::new()) }
    }

    fn ask(&mut self, who: Contender, problem: ProblemRef<'_>, goal: Goal, split: bool) -> Option<Said> {
        let (engine, isa) = who;
        self.solver.preference(EnginePreference { engine, isa, ..EnginePreference::default() });
        let nodes = if engine == Some(EngineKind::Naive) { NAIVE_NODES } else { NODES };
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let mut found: Vec<Vec<u32>> = Vec::new();
        let mut keep = |solution: Solution<'_>| {
            assert_eq!(verify(problem, solution), Ok(()), "{} on {goal:?}", name(who));
            found.push(match solution {
                Solution::Digits(digits) => digits.iter().copied().map(u32::from).collect(),
                Solution::Options(options) => {
                    let mut options = options.to_vec();
                    options.sort_unstable();
                    options
                }
            });
            // A list much longer than the limit is not compared anyway.
            if found.len() as u64 > 2 * LISTED { Flow::Stop } else { Flow::Continue }
        };
        let (solver, control) = (&mut self.solver, &self.control);
        let answer = if split {
            self.threads
                .install(|| solver.search_parallel(&Task::whole(problem, goal, limits), control, &mut keep))
        } else {
            solver.search(&Task::whole(problem, goal, limits), control, &mut keep)
        };
        let answer = answer.expect("it can do it");
        found.sort_unstable();
        let before = found.len();
        if !matches!(goal, Goal::Best(_)) {
            found.dedup();
        }
        assert_eq!(found.len(), before, "{} finds a solution twice on {goal:?}", name(who));
        let is_known = !matches!(answer.ended_by, EndedBy::Nodes | EndedBy::Cancel);
        is_known.then_some((answer, found))
    }

    /// Asks all contenders every question.
    pub(crate) fn compare(&mut self, problem: &Problem, seed: u64) -> Compared {
        let mut compared = Compared { problems: 1, ..Compared::default() };
        let lent = problem.as_ref();
        let all = self.questions(lent, seed, &mut compared);
        for direction in [Direction::Maximize, Direction::Minimize] {
            self.best((lent, all.as_deref()), direction, seed, &mut compared);
        }
        compared
    }

    /// Asks every question except for the best solution. Returns all solutions if they are known and not too
    /// many.
    fn questions(
        &mut self,
        problem: ProblemRef<'_>,
        seed: u64,
        compared: &mut Compared,
    ) -> Option<Vec<Vec<u32>>> {
        let few = seed % 5 + 2;
        let goals = [
            Goal::First(1),
            Goal::First(2),
            Goal::First(few),
            Goal::Count { limit: Some(few) },
            Goal::Count { limit: None },
            Goal::All,
        ];
        let (mut listed, mut number) = (None, None);
        for goal in goals {
            if goal == Goal::All && number.is_none_or(|number| number > LISTED) {
                continue;
            }
            let said = self.all_agree(problem, goal, seed, compared);
            let Some((answer, solutions)) = said else { continue };
            if let Some(count) = answer.exact_count().and_then(quadrille::Count::to_u64) {
                let known = *number.get_or_insert(count);
                assert_eq!(known, count, "one question says {known}, {goal:?} says {count}");
            }
            if goal == Goal::All {
                listed = Some(solutions);
            }
        }
        listed
    }

    /// Asks all contenders one question, alone and split over threads. Returns their common answer.
    fn all_agree(
        &mut self,
        problem: ProblemRef<'_>,
        goal: Goal,
        seed: u64,
        compared: &mut Compared,
    ) -> Option<Said> {
        let mut first: Option<(Contender, Said)> = None;
        for (place, who) in contenders(problem, goal).into_iter().enumerate() {
            for split in [false, true] {
                // Starting threads takes time: one engine per problem and question is split.
                let is_turn = (seed as usize + place).is_multiple_of(4);
                if split && !(is_turn && who.0.is_some_and(|kind| kind.info().make_search().is_some())) {
                    continue;
                }
                let Some(said) = self.ask(who, problem, goal, split) else { continue };
                compared.solutions += said.1.len() as u64;
                let Some((known, before)) = &first else {
                    first = Some((who, said));
                    continue;
                };
                let (one, other) = (told(goal, before), told(goal, &said));
                let other_name = name(who) + if split { ", split" } else { "" };
                assert_eq!(one, other, "{} and {other_name} on {goal:?}", name(*known));
                compared.verdicts += 1;
                compared.split += u64::from(split);
            }
        }
        first.map(|(_, said)| said)
    }

    /// Requires that all contenders find the same best solutions, and that none of `all` solutions is better.
    fn best(
        &mut self,
        (problem, all): (ProblemRef<'_>, Option<&[Vec<u32>]>),
        direction: Direction,
        seed: u64,
        compared: &mut Compared,
    ) {
        let scores = all.map(|all| {
            let mut scores: Vec<i64> = all.iter().map(|solution| score(problem, solution)).collect();
            scores.sort_unstable_by(|a, b| match direction {
                Direction::Maximize => b.cmp(a),
                Direction::Minimize => a.cmp(b),
            });
            scores
        });
        for limit in [1, seed % 4 + 2] {
            let goal = Goal::Best(TopK { direction, limit });
            let Some((answer, _)) = self.all_agree(problem, goal, seed, compared) else { continue };
            let Some(scores) = &scores else { continue };
            let wanted = scores.len().min(limit as usize) as u64;
            let found = answer.count.as_ref().and_then(quadrille::Count::to_u64).unwrap_or(0);
            assert_eq!(found, wanted, "{goal:?} of {} solutions", scores.len());
            assert_eq!(answer.best.map(|best| best.score), scores.first().copied(), "{goal:?}");
            let status = if scores.is_empty() { Status::None } else { Status::Optimal };
            assert_eq!(answer.status, status, "{goal:?}");
            compared.verdicts += 1;
        }
    }
}

fn score(problem: ProblemRef<'_>, solution: &[u32]) -> i64 {
    match problem {
        ProblemRef::Cover(_) => problem.score(Solution::Options(solution)),
        _ => {
            let digits: Vec<u8> = solution.iter().map(|&digit| digit as u8).collect();
            problem.score(Solution::Digits(&digits))
        }
    }
}
