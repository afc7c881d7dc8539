//! A problem split over threads is answered exactly as on one thread: solutions, order, counts, limits.

use crate::covers;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver, Task};
use quadrille::internals::parallel::Split;
use quadrille::internals::{Bitset, Outcome, TopSolutions, TreeSearch, Visitor};
use quadrille::{
    Answer, Best, CoverBuilder, CoverProblem, DigitSet, Direction, EndedBy, Entry, Geometry, Goal, Limits,
    NO_COLOUR, Problem, ProblemRef, Puzzle, Solution, TopK, Weights,
};

/// Runs one search over the threads of the current pool. `make` creates a search for each thread.
fn run_parallel(
    task: &Task<'_>,
    control: &Arc<Control>,
    make: &(dyn Fn() -> Box<dyn TreeSearch> + Sync),
    visitor: &mut dyn Visitor,
) -> Outcome {
    let mut own = make();
    let split = Split::new(task, control, own.as_mut());
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| {
                let mut search = make();
                while split.run_part(search.as_mut()) || split.wait_for_part() {}
            });
        }
        split.finish(own.as_mut(), visitor)
    })
}

/// Answer and solutions of a search.
#[derive(Debug, PartialEq)]
struct Seen {
    answer: Answer,
    solutions: Vec<Vec<u8>>,
}

fn digits_of(solution: Solution<'_>) -> Vec<u8> {
    match solution {
        Solution::Digits(digits) => digits.to_vec(),
        Solution::Options(options) => options.iter().flat_map(|option| option.to_le_bytes()).collect(),
    }
}

fn sequential(problem: ProblemRef<'_>, kind: EngineKind, goal: Goal, limits: Limits) -> Seen {
    let mut solutions = Vec::new();
    let mut solver = Solver::new(EnginePreference { engine: Some(kind), ..EnginePreference::default() });
    let answer = solver
        .search(&Task::whole(problem, goal, limits), &Control::new(), &mut |solution| {
            solutions.push(digits_of(solution));
            Flow::Continue
        })
        .unwrap();
    Seen { answer, solutions }
}

fn parallel(problem: ProblemRef<'_>, kind: EngineKind, goal: Goal, limits: Limits, threads: usize) -> Seen {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut solutions = Vec::new();
    let mut solver = Solver::new(EnginePreference { engine: Some(kind), ..EnginePreference::default() });
    let control = Arc::new(Control::new());
    let answer = pool.install(|| {
        solver
            .search_parallel(&Task::whole(problem, goal, limits), &control, &mut |solution| {
                solutions.push(digits_of(solution));
                Flow::Continue
            })
            .unwrap()
    });
    Seen { answer, solutions }
}

/// Creates a puzzle from clues and dots.
fn puzzle(box_rows: usize, box_columns: usize, text: &str) -> Puzzle {
    let mut puzzle = Puzzle::new(&Geometry::new(box_rows, box_columns).unwrap());
    for (cell, character) in text.chars().filter(|character| !character.is_whitespace()).enumerate() {
        if let Some(digit) = character.to_digit(10).filter(|&digit| digit > 0) {
            puzzle.restrict(cell, DigitSet::only(digit as usize - 1));
        }
    }
    puzzle
}

/// A puzzle with 507 solutions: the published sample of UVA 1461 without its marks has 1,318.
const MANY: &str =
    "040008007 000030408 006000200 301004000 008000002 000003000 200401005 600070000 800006003";

fn problems() -> Vec<Problem> {
    vec![
        Problem::Puzzle(puzzle(3, 3, MANY)),
        Problem::Puzzle(puzzle(2, 2, "................")),
        Problem::Puzzle(puzzle(2, 3, "12.... ...... ...... .3.... ...... ....5.")),
        Problem::Puzzle(puzzle(3, 3, &".".repeat(81))),
    ]
}

const ENGINES: [EngineKind; 2] = [EngineKind::Dlx, EngineKind::Bitmask];

fn assert_same(problem: ProblemRef<'_>, kind: EngineKind, goal: Goal, limits: Limits) {
    let one = sequential(problem, kind, goal, limits);
    for threads in [1, 2, 3] {
        let mut many = parallel(problem, kind, goal, limits, threads);
        // A split search lacks the counters that only a single search can have.
        if let (Some(seen), Some(whole)) = (&mut many.answer.counters, &one.answer.counters) {
            assert_eq!(
                (seen.nodes, seen.guesses),
                (whole.nodes, whole.guesses),
                "{kind:?} {goal:?} {limits:?}"
            );
        }
        many.answer.counters = one.answer.counters;
        assert_eq!(many, one, "{kind:?} {goal:?} {limits:?} on {threads} threads");
    }
}

#[test]
fn solutions_and_counts_are_those_of_one_thread() {
    let goals = [
        Goal::First(1),
        Goal::First(2),
        Goal::First(100),
        Goal::Count { limit: Some(1000) },
        Goal::Count { limit: Some(1) },
    ];
    for problem in problems() {
        for kind in ENGINES {
            for goal in goals {
                assert_same(problem.as_ref(), kind, goal, Limits::default());
            }
        }
    }
    for problem in &problems()[..2] {
        for kind in ENGINES {
            for goal in [Goal::All, Goal::Count { limit: None }] {
                assert_same(problem.as_ref(), kind, goal, Limits::default());
            }
        }
    }
}

#[test]
fn a_node_limit_ends_a_split_search_at_the_same_node() {
    for problem in problems() {
        for kind in ENGINES {
            for nodes in [1, 2, 3, 17, 100, 256, 300, 777, 1500] {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                for goal in [Goal::All, Goal::First(5), Goal::Count { limit: None }] {
                    assert_same(problem.as_ref(), kind, goal, limits);
                }
            }
        }
    }
}

#[test]
fn solutions_stream_in_order_when_they_fill_the_buffers() {
    let problem = Problem::Puzzle(puzzle(3, 3, &".".repeat(81)));
    let goal = Goal::First(60_000);
    let limits = Limits::default();
    let one = sequential(problem.as_ref(), EngineKind::Bitmask, goal, limits);
    let many = parallel(problem.as_ref(), EngineKind::Bitmask, goal, limits, 2);
    assert_eq!(one.solutions.len(), 60_000);
    assert!(one.solutions == many.solutions, "the order differs");
}

#[test]
fn a_panic_of_the_sink_of_solutions_ends_the_search() {
    for (threads, taken) in [(1, 0), (2, 0), (2, 5_000), (4, 20_000)] {
        let (send, ended) = channel();
        // Not a scoped thread: the scope would wait for a search that hangs.
        std::thread::spawn(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let problem = puzzle(3, 3, &".".repeat(81));
            let mut left = taken;
            let search = || {
                let mut solver = Solver::new(EnginePreference::default());
                let take = &mut |_: Solution<'_>| {
                    assert!(left > 0, "this was asked for");
                    left -= 1;
                    Flow::Continue
                };
                let problem = Problem::Puzzle(problem);
                let control = Arc::new(Control::new());
                solver.search_parallel(
                    &Task::whole(problem.as_ref(), Goal::All, Limits::default()),
                    &control,
                    take,
                )
            };
            let ended = catch_unwind(AssertUnwindSafe(|| pool.install(search)));
            let _ = send.send(ended.map(drop).map_err(|panic| panic.downcast_ref::<&str>().copied()));
        });
        let ended = ended.recv_timeout(Duration::from_secs(240)).expect("the search hangs");
        assert_eq!(ended, Err(Some("this was asked for")), "{threads} threads, {taken} solutions");
    }
}

#[test]
fn the_reported_best_solution_is_the_earliest_of_the_best() {
    let geometry = Geometry::of_side(9).unwrap();
    for seed in 0..4i64 {
        let mut weighted = puzzle(3, 3, MANY);
        // Few different weights, so that many solutions tie.
        let per_cell: Vec<i64> = (0..81).map(|cell| (cell * 7 + seed) % 3).collect();
        weighted.set_weights(Some(Arc::new(Weights::per_cell(&geometry, &per_cell).unwrap())));
        let problem = Problem::Puzzle(weighted);
        for direction in [Direction::Maximize, Direction::Minimize] {
            let goal = Goal::best(direction);
            let one = sequential(problem.as_ref(), EngineKind::BestGrid, goal, Limits::default());
            for threads in [1, 2, 3] {
                let many = parallel(problem.as_ref(), EngineKind::BestGrid, goal, Limits::default(), threads);
                assert_eq!(many.answer.best, one.answer.best);
                assert_eq!(many.solutions.last(), one.solutions.last());
            }
        }
    }
}

#[test]
fn the_reported_minimum_is_the_earliest_solution_of_that_cost() {
    let langford = quadrille::internals::cover::classic("langford", &["8"]).unwrap();
    for cover in [covers::queens(9), covers::soma(), covers::latin(4), Arc::new(langford)] {
        let mut cover = (*cover).clone();
        // Few different costs, so that many solutions tie.
        cover.set_costs((0..cover.options()).map(|option| (option * 7 / 3 % 4) as i64).collect());
        let problem = Problem::Cover(Arc::new(cover));
        for limit in [1, 6] {
            let top = TopK { direction: Direction::Minimize, limit };
            let best = |seen: &Seen| {
                let mut ranking = TopSolutions::new(top);
                for bytes in &seen.solutions {
                    let words =
                        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
                    let options: Vec<u32> = words.collect();
                    let solution = Solution::Options(&options);
                    ranking.offer(problem.as_ref().score(solution), solution);
                }
                ranking.iter().map(|(score, solution)| (score, digits_of(solution))).collect::<Vec<_>>()
            };
            let goal = Goal::Best(top);
            let one = sequential(problem.as_ref(), EngineKind::BestCover, goal, Limits::default());
            for threads in [1, 2, 3] {
                let limits = Limits::default();
                let many = parallel(problem.as_ref(), EngineKind::BestCover, goal, limits, threads);
                assert_eq!((many.answer.best, &many.answer.count), (one.answer.best, &one.answer.count));
                assert_eq!(best(&many), best(&one));
            }
        }
    }
}

/// A search whose reports for each prefix come from a script.
struct Scripted(fn(&[u32], &mut dyn Visitor, &Control) -> EndedBy);

impl TreeSearch for Scripted {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        Outcome { ended_by: (self.0)(task.prefix, visitor, control), ..Outcome::contradiction() }
    }

    fn bound(&mut self, _: ProblemRef<'_>, _: Direction) -> i64 {
        7
    }
}

/// Hands over three parts with lower bounds of 10, 20 and 30.
fn hand_on_three(visitor: &mut dyn Visitor) -> EndedBy {
    for (part, bound) in [(0, 10), (1, 20), (2, 30)] {
        visitor.frontier_within(&[part], 1, bound);
    }
    EndedBy::Complete
}

/// Runs a script, in which option `i` alone is a solution of cost `i`. Returns the minimum and the reason for
/// the end.
fn least(
    threads: usize,
    script: fn(&[u32], &mut dyn Visitor, &Control) -> EndedBy,
) -> (Option<Best>, EndedBy) {
    let mut builder = CoverBuilder::new();
    let item = builder.primary("a").unwrap();
    for cost in 0..100 {
        builder.option_of(&[Entry { item, colour: NO_COLOUR }], cost, None).unwrap();
    }
    let problem = Problem::Cover(Arc::new(builder.build().unwrap()));
    let goal = Goal::best(Direction::Minimize);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let outcome = pool.install(|| {
        let make = || Box::new(Scripted(script)) as Box<dyn TreeSearch>;
        let control = Arc::new(Control::new());
        run_parallel(&Task::whole(problem.as_ref(), goal, Limits::default()), &control, &make, &mut Nobody)
    });
    (outcome.best, outcome.ended_by)
}

#[test]
fn the_gap_of_a_split_search_covers_all_open_parts() {
    // The second part stops early, so its remainder and the third part are open.
    let seen = least(1, |prefix, visitor, _| match prefix {
        [] => {
            visitor.solution(Solution::Options(&[50]));
            hand_on_three(visitor)
        }
        [0] => {
            visitor.solution(Solution::Options(&[45]));
            EndedBy::Complete
        }
        _ => {
            visitor.unseen(25);
            EndedBy::Time
        }
    });
    assert_eq!(seen, (Some(Best { score: 45, bound: 25 }), EndedBy::Time));
    // The first part stops early after handing over a part of itself that no thread takes.
    let seen = least(1, |prefix, visitor, _| match prefix {
        [] => {
            visitor.solution(Solution::Options(&[50]));
            hand_on_three(visitor)
        }
        _ => {
            visitor.frontier_within(&[0, 3], 1, 15);
            visitor.unseen(28);
            EndedBy::Time
        }
    });
    assert_eq!(seen, (Some(Best { score: 50, bound: 15 }), EndedBy::Time));
    // For a part without a bound, the bound of the whole applies.
    let seen = least(1, |prefix, visitor, _| match prefix {
        [] => {
            visitor.solution(Solution::Options(&[50]));
            visitor.frontier(&[9], 1);
            hand_on_three(visitor)
        }
        _ => EndedBy::Time,
    });
    assert_eq!(seen, (Some(Best { score: 50, bound: 7 }), EndedBy::Time));
}

#[test]
fn solutions_of_parts_after_a_limit_count() {
    // The first part runs until the other thread has finished the second with a better solution.
    let seen = least(2, |prefix, visitor, control| {
        static IS_DONE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        match prefix {
            [] => {
                visitor.solution(Solution::Options(&[50]));
                visitor.frontier_within(&[0], 1, 10);
                visitor.frontier_within(&[1], 1, 20);
                EndedBy::Complete
            }
            [0] => {
                while !IS_DONE.load(std::sync::atomic::Ordering::SeqCst) && !control.is_cancelled() {
                    std::thread::yield_now();
                }
                visitor.unseen(44);
                EndedBy::Time
            }
            _ => {
                visitor.solution(Solution::Options(&[41]));
                IS_DONE.store(true, std::sync::atomic::Ordering::SeqCst);
                EndedBy::Complete
            }
        }
    });
    assert_eq!(seen, (Some(Best { score: 41, bound: 41 }), EndedBy::Time));
}

#[test]
fn split_searches_for_the_best_that_end_early_claim_only_what_is_proved() {
    let mut cover = quadrille::internals::cover::classic("langford", &["8"]).unwrap();
    cover.set_costs((0..cover.options()).map(|option| (option * 7919 % 211) as i64).collect());
    let problem = Problem::Cover(Arc::new(cover));
    let goal = Goal::best(Direction::Minimize);
    let whole = sequential(problem.as_ref(), EngineKind::BestCover, goal, Limits::default());
    let optimum = whole.answer.best.unwrap().score;
    for nodes in [1, 10, 100, 300, 500, 1000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        for threads in [1, 2] {
            let seen = parallel(problem.as_ref(), EngineKind::BestCover, goal, limits, threads);
            let Some(best) = seen.answer.best else { continue };
            assert!(best.bound <= optimum && optimum <= best.score, "{nodes} nodes: {best:?}, {optimum}");
        }
    }
}

#[test]
fn a_cancelled_search_says_so() {
    let problem = Problem::Puzzle(puzzle(3, 3, &".".repeat(81)));
    let control = Arc::new(Control::new());
    control.cancel();
    let mut solver =
        Solver::new(EnginePreference { engine: Some(EngineKind::Dlx), ..EnginePreference::default() });
    let goal = Goal::Count { limit: None };
    let answer = solver
        .search_parallel(&Task::whole(problem.as_ref(), goal, Limits::default()), &control, &mut |_| {
            Flow::Continue
        })
        .unwrap();
    assert_eq!(answer.ended_by.word(), "cancel");
}

/// Goals of a cover search.
const COVER_GOALS: [Goal; 4] =
    [Goal::First(1), Goal::First(700), Goal::Count { limit: Some(1000) }, Goal::Count { limit: None }];

#[test]
fn covers_are_answered_as_on_one_thread() {
    let domination = Arc::new(quadrille::internals::cover::classic("domination", &["6", "4"]).unwrap());
    let squares = Arc::new(quadrille::internals::cover::classic("squares", &["5"]).unwrap());
    let plain = [covers::queens(8), covers::soma(), covers::partitions(7), covers::latin(4)];
    for cover in plain.into_iter().chain([domination, squares]) {
        let problem = Problem::Cover(cover);
        for kind in [EngineKind::Dlx, EngineKind::Bitset] {
            for goal in COVER_GOALS {
                assert_same(problem.as_ref(), kind, goal, Limits::default());
            }
            for nodes in [1, 5, 100, 1000, 3000] {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                assert_same(problem.as_ref(), kind, Goal::First(700), limits);
                assert_same(problem.as_ref(), kind, Goal::Count { limit: None }, limits);
            }
        }
    }
}

/// Creates a problem with 600 options at the root, each a solution except the last, which holds nearly all
/// work.
fn skewed(size: usize) -> Arc<CoverProblem> {
    let inner = covers::partitions(size);
    let mut builder = CoverBuilder::new();
    builder.primary("gate").unwrap();
    let names: Vec<&str> = (0..inner.items()).map(|item| inner.name(item)).collect();
    names.iter().for_each(|name| assert!(builder.primary(name).is_ok()));
    let everything: Vec<&str> = std::iter::once("gate").chain(names.iter().copied()).collect();
    for _ in 1..600 {
        builder.option(&everything).unwrap();
    }
    builder.option(&["gate"]).unwrap();
    for option in 0..inner.options() {
        let words: Vec<&str> = inner.option(option).iter().map(|entry| names[entry.item as usize]).collect();
        builder.option(&words).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

#[test]
fn an_unbalanced_search_is_answered_as_on_one_thread() {
    let problem = Problem::Cover(skewed(10));
    for kind in [EngineKind::Dlx, EngineKind::Bitset] {
        for goal in [Goal::Count { limit: None }, Goal::First(80_000)] {
            assert_same(problem.as_ref(), kind, goal, Limits::default());
        }
        for nodes in [500, 20_000, 100_000] {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            assert_same(problem.as_ref(), kind, Goal::Count { limit: None }, limits);
        }
    }
}

/// Records the nodes that each search enters.
struct Noting<'a> {
    inner: Bitset,
    nodes: &'a Mutex<Vec<u64>>,
}

impl TreeSearch for Noting<'_> {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        let outcome = self.inner.search(task, visitor, control);
        self.nodes.lock().unwrap().push(outcome.counters.map_or(0, |counters| counters.nodes));
        outcome
    }
}

/// A visitor that ignores solutions.
struct Nobody;

impl Visitor for Nobody {
    fn solution(&mut self, _: Solution<'_>) -> Flow {
        Flow::Continue
    }
}

/// A visitor that stores all solutions.
struct Seeing<'s>(&'s mut Vec<Vec<u8>>);

impl Visitor for Seeing<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        self.0.push(digits_of(solution));
        Flow::Continue
    }
}

#[test]
fn a_part_with_nearly_all_nodes_is_split_again() {
    let problem = Problem::Cover(skewed(12));
    let nodes: &'static Mutex<Vec<u64>> = Box::leak(Box::default());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let outcome = pool.install(|| {
        let make = || Box::new(Noting { inner: Bitset::default(), nodes }) as Box<dyn TreeSearch>;
        let task = Task::count(problem.as_ref(), Limits::default());
        run_parallel(&task, &Arc::new(Control::new()), &make, &mut Nobody)
    });
    assert_eq!(outcome.found.to_u64(), Some(4_213_597 + 599));
    let nodes = nodes.lock().unwrap();
    let (largest, sum) = (nodes.iter().max().unwrap(), nodes.iter().sum::<u64>());
    assert!(largest * 4 < sum * 3, "the largest of {} parts has {largest} of {sum} nodes", nodes.len());
}

/// A slow visitor with a checksum that depends on the order of solutions.
struct Slow(u64, u64);

impl Visitor for Slow {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        let Solution::Options(options) = solution else { unreachable!("it is a cover") };
        self.0 =
            options.iter().fold(self.0, |sum, &option| sum.wrapping_mul(31).wrapping_add(u64::from(option)));
        self.1 += 1;
        if self.1.is_multiple_of(1000) {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        Flow::Continue
    }
}

#[test]
fn parts_with_little_memory_give_the_same_solutions() {
    let problem = Problem::Cover(skewed(10));
    let task = Task::whole(problem.as_ref(), Goal::All, Limits::default());
    let found = |threads, hold: Option<usize>| {
        let split = Split::new(&task, &Arc::new(Control::new()), &mut Bitset::default());
        hold.inspect(|&bytes| split.hold_at_most(bytes));
        std::thread::scope(|scope| {
            let help = || while split.run_part(&mut Bitset::default()) || split.wait_for_part() {};
            (1..threads).for_each(|_| drop(scope.spawn(help)));
            let mut sum = Slow(0, 0);
            split.finish(&mut Bitset::default(), &mut sum);
            (sum.0, sum.1)
        })
    };
    let one = found(1, None);
    assert_eq!(one.1, 115_975 + 599);
    for (threads, bytes) in [(1, 0), (2, 0), (3, 300_000), (4, 1 << 20)] {
        assert_eq!(found(threads, Some(bytes)), one, "{threads} threads, {bytes} bytes");
    }
}

/// Sends a message when its first search begins.
struct Announced {
    inner: Bitset,
    begins: Option<Sender<()>>,
}

impl TreeSearch for Announced {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        self.begins.take().inspect(|begins| begins.send(()).unwrap());
        self.inner.search(task, visitor, control)
    }
}

/// Another thread has the first part, the owner has the second, and no third thread exists.
///
/// Both parts fill their slots, and the limit ends the first. The owner must then give up its part without
/// waiting.
#[test]
fn an_owner_that_hands_over_its_part_does_not_wait() {
    // Rooks on a board: 720 equal parts of 5,040 solutions; a quarter of one part fills a slot.
    let mut rooks = CoverBuilder::new();
    for line in 0..10 {
        rooks.primary(&format!("row{line}")).unwrap();
        rooks.primary(&format!("column{line}")).unwrap();
    }
    for (row, column) in (0..100).map(|cell| (cell / 10, cell % 10)) {
        rooks.option(&[&*format!("row{row}"), &format!("column{column}")]).unwrap();
    }
    let problem = Problem::Cover(Arc::new(rooks.build().unwrap()));
    for nodes in (1000..6000).step_by(100) {
        let (goal, limits) = (Goal::First(1_000_000), Limits { nodes: Some(nodes), ..Limits::default() });
        let task = Task::whole(problem.as_ref(), goal, limits);
        let mut solutions = Vec::new();
        let one = Bitset::default().search(&task, &mut Seeing(&mut solutions), &Control::new());
        let split = Split::new(&task, &Arc::new(Control::new()), &mut Bitset::default());
        split.hold_at_most(0);
        let mut merged = Vec::new();
        let outcome = std::thread::scope(|scope| {
            let (begins, begun) = channel();
            let split = &split;
            scope.spawn(move || {
                split.run_part(&mut Announced { inner: Bitset::default(), begins: Some(begins) })
            });
            begun.recv().unwrap();
            split.finish(&mut Bitset::default(), &mut Seeing(&mut merged))
        });
        assert_eq!((outcome.found, outcome.ended_by), (one.found, one.ended_by), "{nodes} nodes");
        assert!(merged == solutions, "{nodes} nodes");
    }
}

#[test]
fn the_done_fraction_of_a_search_only_grows() {
    let problem = Problem::Cover(skewed(11));
    for threads in [1, 2] {
        let (goal, control) = (Goal::Count { limit: None }, Arc::new(Control::new()));
        let task = Task::whole(problem.as_ref(), goal, Limits::default());
        let split = Split::new(&task, &control, &mut Bitset::default());
        let (found, seen) = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut seen = vec![split.done()];
                while seen.last().is_some_and(|&done| done < 0.999) {
                    split.ask_to_share();
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    seen.push(split.done());
                }
                seen
            });
            let help = || while split.run_part(&mut Bitset::default()) || split.wait_for_part() {};
            (1..threads).for_each(|_| drop(scope.spawn(help)));
            let found = split.finish(&mut Bitset::default(), &mut Nobody).found;
            (found, watcher.join().unwrap())
        });
        // The Bell number of 11, and the solutions of single options.
        assert_eq!(found.to_u64(), Some(678_570 + 599));
        assert!(seen.is_sorted() && seen.iter().all(|done| (0.0..=1.0).contains(done)), "{seen:?}");
        assert!((split.done() - 1.0).abs() < 1e-6, "{}", split.done());
    }
}

#[test]
fn counts_without_useless_options_are_the_same() {
    let cover = Arc::new(quadrille::internals::cover::classic("pentominoes", &["3x20"]).unwrap());
    let problem = Problem::Cover(cover);
    for kind in [EngineKind::Dlx, EngineKind::Bitset] {
        let goal = Goal::Count { limit: None };
        let whole = sequential(problem.as_ref(), kind, goal, Limits::default()).answer;
        let split = parallel(problem.as_ref(), kind, goal, Limits::default(), 2).answer;
        assert_eq!((&split.count, split.status), (&whole.count, whole.status));
        let nodes = |answer: &Answer| answer.counters.map(|counters| counters.nodes).unwrap();
        assert!(nodes(&split) < nodes(&whole), "{} and {}", nodes(&split), nodes(&whole));
        // A visitor sees the solutions in the order of the whole problem.
        assert_same(problem.as_ref(), kind, Goal::All, Limits::default());
    }
}
