//! Memory: a long run makes hardly more allocations than a short one, and a search allocates at most the
//! bytes it announces.

use quadrille::FromText;
use quadrille::GridQuestions;
use std::alloc::System;
use std::path::Path;
use std::sync::Arc;

use quadrille::batch::{BatchOptions, Outputs, Progress, Query, run};
use quadrille::canonical::{Canonizer, Cells, Form};
use quadrille::engine::{Control, Flow, Task};
use quadrille::input::Source;
use quadrille::internals::cover::classic;
use quadrille::internals::{ENGINES, EngineInfo, Outcome, TreeSearch, Visitor};
use quadrille::{EndedBy, Geometry, Goal, Limits, Packed9x9, Problem, ProblemRef, Puzzle, Solution};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A quarter of these copies fills the window, so that both runs include the first use of every chunk.
const COPIES: usize = 100;

/// Returns the number of allocations of a run over `text`, without those before the run.
fn allocations(ask: Query, text: &str) -> usize {
    let mut options = BatchOptions::new(ask);
    options.threads = 2;
    options.chunk_bytes = 16 << 10;
    let sources = vec![Source::Bytes { name: "corpus".into(), bytes: text.as_bytes().to_vec() }];
    let outputs = Outputs::new(Box::new(std::io::sink()));
    let region = Region::new(ALLOCATOR);
    let report = run(sources, &options, outputs, &Arc::new(Control::new()), &Progress::default()).unwrap();
    let change = region.change();
    assert_eq!(report.statistics.answered(), records(text));
    assert!(report.error.is_none());
    change.allocations + change.reallocations
}

fn records(text: &str) -> u64 {
    text.lines().filter(|line| !line.starts_with("quizzes")).count() as u64
}

/// All checks of this file in turn. The harness allocates while it starts or reports another test.
#[test]
fn memory_is_bounded() {
    records_need_no_allocation();
    canonical_forms_need_no_allocation();
    a_search_allocates_no_more_than_it_says();
    memory_retained_between_problems_stays_within_the_limit();
}

fn records_need_no_allocation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let table = read("kaggle-1000.csv");
    let (header, rows) = table.split_once('\n').unwrap();
    let lines = read("random-1000.txt");
    let of_lines = |copies: usize| lines.repeat(copies);
    let of_table = |copies: usize| format!("{header}\n{}", rows.repeat(copies));
    let cases: [(Query, &dyn Fn(usize) -> String); 5] = [
        (Query::Solve, &of_lines),
        (Query::Unique, &of_lines),
        (Query::Count { limit: Some(2) }, &of_lines),
        (Query::Check { minimal: true }, &of_lines),
        (Query::Check { minimal: false }, &of_table),
    ];
    for (ask, text) in cases {
        let (short, long) = (text(COPIES / 4), text(COPIES));
        let more_records = records(&long) - records(&short);
        let few = allocations(ask, &short);
        let more = allocations(ask, &long).saturating_sub(few);
        assert!(
            more < more_records as usize / 5,
            "{ask:?}: {more} allocations more for {more_records} records, {few} before"
        );
    }
}

fn canonical_forms_need_no_allocation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/random-1000.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let puzzles: Vec<(Cells, Cells)> = text
        .lines()
        .take(200)
        .map(|line| {
            let puzzle = Packed9x9::from_text(line).unwrap();
            let solution = puzzle.solve().unwrap();
            let clues = Cells::of_clues(ProblemRef::Packed(&puzzle)).unwrap();
            (clues, Cells::of_solution(solution.digits()).unwrap())
        })
        .collect();
    let mut canonizer = Canonizer::new();
    let mut all_forms = || {
        for (clues, solution) in &puzzles {
            for &form in Form::ALL {
                assert!(canonizer.canonical(form, clues, Some(solution)).is_ok());
            }
        }
    };
    all_forms();
    let region = Region::new(ALLOCATOR);
    all_forms();
    let change = region.change();
    assert_eq!(change.allocations + change.reallocations, 0);
}

/// A visitor that ignores solutions.
struct Ignoring;

impl Visitor for Ignoring {
    fn solution(&mut self, _: Solution<'_>) -> Flow {
        Flow::Continue
    }
}

/// Returns problems of all sizes: many options, many items, colours, multiplicities, grids.
fn problems() -> Vec<Problem> {
    let covers: [(&str, &[&str]); 11] = [
        ("matchings", &["8"]),
        ("queens", &["8"]),
        ("queens", &["40"]),
        ("langford", &["60"]),
        ("partitions", &["7"]),
        ("latin", &["12"]),
        ("dominoes", &["30x30"]),
        ("pentominoes", &["6x10"]),
        ("macmahon", &["4x6"]),
        ("domination", &["6", "4"]),
        ("squares", &["9", "10"]),
    ];
    let covers = covers
        .into_iter()
        .map(|(name, parameters)| Problem::Cover(Arc::new(classic(name, parameters).expect("there is one"))));
    let grids = [(3, 3), (4, 4), (6, 6)].map(|(rows, columns)| {
        Problem::Puzzle(Puzzle::new(&Geometry::new(rows, columns).expect("within the limits")))
    });
    covers.chain(grids).collect()
}

fn search(search: &mut dyn TreeSearch, problem: &Problem, memory: Option<u64>) -> Outcome {
    let limits = Limits { nodes: Some(3000), memory, ..Limits::default() };
    let task = Task::whole(problem.as_ref(), Goal::Count { limit: None }, limits);
    search.search(&task, &mut Ignoring, &Control::new())
}

/// Returns the engines that can count this problem with tables that grow with it, and the bytes they need.
fn engines(problem: &Problem) -> impl Iterator<Item = (&'static EngineInfo, u64)> {
    let class = problem.as_ref().class();
    let all = ENGINES.iter().filter(move |info| (info.supports)(class, Goal::Count { limit: None }));
    all.map(|info| (info, (info.needs)(problem.as_ref()))).filter(|(_, needs)| *needs > 0)
}

/// Returns the bytes allocated since the region began and not yet freed.
fn kept(region: &Region<'_, System>) -> u64 {
    let change = region.change();
    change.bytes_allocated.saturating_sub(change.bytes_deallocated) as u64
}

fn a_search_allocates_no_more_than_it_says() {
    for problem in problems() {
        for (info, needs) in engines(&problem) {
            let mut engine = (info.make_search().expect("these have one"))(None);
            let region = Region::new(ALLOCATOR);
            let outcome = search(&mut *engine, &problem, Some(needs));
            let kept = kept(&region);
            let (name, class) = (info.name, problem.as_ref().class());
            assert_ne!(outcome.ended_by, EndedBy::Memory, "{name} {class:?}");
            assert!(kept <= needs, "{name} {class:?}: {kept} bytes, not {needs}");

            let region = Region::new(ALLOCATOR);
            let mut engine = (info.make_search().expect("these have one"))(None);
            let refused = search(&mut *engine, &problem, Some(needs - 1));
            assert_eq!((refused.ended_by, refused.found.is_zero()), (EndedBy::Memory, true), "{name}");
            let made = region.change().bytes_allocated;
            assert!(made < 2000, "{name} {class:?}: nothing is made, but {made} bytes");
        }
    }
}

fn memory_retained_between_problems_stays_within_the_limit() {
    let problems = problems();
    for info in ENGINES {
        let Some(make) = info.make_search() else { continue };
        let needs = |problem: &Problem| engines(problem).find(|(it, _)| it.kind == info.kind).map(|(_, n)| n);
        let Some(limit) = problems.iter().filter_map(needs).max() else { continue };
        let region = Region::new(ALLOCATOR);
        let mut engine = make(None);
        for problem in problems.iter().chain(problems.iter().rev()).filter(|problem| needs(problem).is_some())
        {
            search(&mut *engine, problem, Some(limit));
            let kept = kept(&region);
            assert!(kept <= limit, "{}: {kept} bytes, not {limit}", info.name);
        }
    }
}
