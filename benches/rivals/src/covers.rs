//! Exact cover problems in Knuth's format: every solver counts all solutions of one problem.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use dlx::choose::{mrv_chooser, no_tiebreak, prefer_any};
use dlx::{OptOrder, Solver as DlxSolver, Uint, x};
use quadrille::engine::{Control, Flow};
use quadrille::input::{Format, InputOptions, Source};
use quadrille::internals::{Chunk, ChunkTarget, ENGINES, EngineInfo, Parser, Reader, Records, Task, Visitor};
use quadrille::{CoverProblem, Goal, Limits, ProblemRef, Solution};

use crate::race::{Class, Line};

/// Reads the only problem of a file.
///
/// It must have neither colours nor multiplicities, which the rivals do not support.
pub fn read(path: &Path) -> Result<Arc<CoverProblem>, String> {
    let failed = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let options = InputOptions { format: Some(Format::Dlx), ..InputOptions::default() };
    let mut reader = Reader::new(vec![Source::from_argument(path)], options.clone());
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    let target = ChunkTarget { bytes: 1 << 20, records: 1 };
    if !reader.next_chunk(&mut chunk, target).map_err(|error| failed(&error))? {
        return Err(failed(&"no problem"));
    }
    Parser::new(&options).parse(&chunk, &mut records);
    let cover = records.covers.pop().ok_or_else(|| failed(&"not an exact cover problem"))?;
    if cover.has_colours() || cover.has_multiplicities() {
        return Err(failed(&"the rivals know neither colours nor multiplicities"));
    }
    Ok(cover)
}

/// A solver of exact cover problems on one thread; its time includes building its own data structure.
trait CoverSolver {
    fn name(&self) -> String;
    fn class(&self) -> Class;
    /// Returns the number of solutions, and the guesses if the solver counts them.
    fn count(&mut self, cover: &Arc<CoverProblem>) -> (u64, Option<u64>);
}

/// `dlx` as its documentation uses it: primary items first, the item with the fewest options first.
struct Dlx;

impl CoverSolver for Dlx {
    fn name(&self) -> String {
        "dlx 0.8.5".into()
    }

    fn class(&self) -> Class {
        Class::Links
    }

    fn count(&mut self, cover: &Arc<CoverProblem>) -> (u64, Option<u64>) {
        let items = |option| cover.option(option).iter().map(|entry| entry.item as Uint).collect();
        let options: Vec<Vec<Uint>> = (0..cover.options()).map(items).collect();
        let secondary = cover.items() - cover.primary();
        let mut problem =
            x::make_problem(cover.primary() as Uint, secondary as Uint, &options, OptOrder::Seq);
        let mut solver = DlxSolver::new(&mut problem);
        let mut chooser = mrv_chooser(prefer_any(), no_tiebreak());
        let mut found = 0;
        while solver.next_solution(&mut chooser) {
            found += 1;
        }
        (found, None)
    }
}

/// `dancing-links` through its `ExactCover` trait; the table for `satisfies` is built before the clock
/// starts.
struct DancingLinks(Matrix);

#[derive(Debug)]
struct Matrix {
    options: Vec<u32>,
    items: Vec<u32>,
    primary: u32,
    has: Vec<Vec<bool>>,
}

impl Matrix {
    fn new(cover: &CoverProblem) -> Self {
        let mut has = vec![vec![false; cover.items()]; cover.options()];
        for (option, has) in has.iter_mut().enumerate() {
            cover.option(option).iter().for_each(|entry| has[entry.item as usize] = true);
        }
        let numbers = |count: usize| (0..count as u32).collect();
        Matrix {
            options: numbers(cover.options()),
            items: numbers(cover.items()),
            primary: cover.primary() as u32,
            has,
        }
    }
}

impl dancing_links::ExactCover for Matrix {
    type Possibility = u32;
    type Constraint = u32;

    fn satisfies(&self, option: &u32, item: &u32) -> bool {
        self.has[*option as usize][*item as usize]
    }

    fn is_optional(&self, item: &u32) -> bool {
        *item >= self.primary
    }

    fn possibilities(&self) -> &[u32] {
        &self.options
    }

    fn constraints(&self) -> &[u32] {
        &self.items
    }
}

impl CoverSolver for DancingLinks {
    fn name(&self) -> String {
        "dancing-links 0.3.1".into()
    }

    fn class(&self) -> Class {
        Class::Links
    }

    fn count(&mut self, _: &Arc<CoverProblem>) -> (u64, Option<u64>) {
        (dancing_links::Solver::new(&self.0).count() as u64, None)
    }
}

/// An engine of quadrille, created for each run so that its time includes building its tables.
struct Ours(&'static EngineInfo);

struct Nobody;

impl Visitor for Nobody {
    fn solution(&mut self, _: Solution<'_>) -> Flow {
        Flow::Continue
    }
}

impl CoverSolver for Ours {
    fn name(&self) -> String {
        format!("quadrille {}", self.0.name)
    }

    fn class(&self) -> Class {
        Class::Ours
    }

    fn count(&mut self, cover: &Arc<CoverProblem>) -> (u64, Option<u64>) {
        let mut search = (self.0.make_search().expect("engines without a search are left out"))(None);
        let task = Task::whole(ProblemRef::Cover(cover), Goal::Count { limit: None }, Limits::default());
        let outcome = search.search(&task, &mut Nobody, &Control::new());
        let found = outcome.found.to_u64().expect("counts of a race fit in 64 bits");
        (found, outcome.counters.map(|counters| counters.guesses))
    }
}

/// Races the solvers selected by `takes`. Returns the count, on which all must agree, and the times.
pub fn race(
    cover: &Arc<CoverProblem>,
    takes: impl Fn(&str) -> bool,
    rounds: usize,
) -> Result<(u64, Vec<Line>), String> {
    let (class, goal) = (ProblemRef::Cover(cover).class(), Goal::Count { limit: None });
    let ours = ENGINES.iter().filter(|info| info.make_search().is_some() && (info.supports)(class, goal));
    let mut solvers: Vec<Box<dyn CoverSolver>> =
        vec![Box::new(Dlx), Box::new(DancingLinks(Matrix::new(cover)))];
    solvers.extend(ours.map(|info| Box::new(Ours(info)) as Box<dyn CoverSolver>));
    solvers.retain(|solver| takes(&solver.name()));
    let mut lines: Vec<Line> = solvers
        .iter()
        .map(|solver| Line { name: solver.name(), class: solver.class(), seconds: Vec::new(), guesses: None })
        .collect();
    let mut agreed: Option<(String, u64)> = None;
    for _ in 0..rounds {
        for (solver, line) in solvers.iter_mut().zip(&mut lines) {
            let began = Instant::now();
            let (found, guesses) = solver.count(cover);
            line.seconds.push(began.elapsed().as_secs_f64());
            line.guesses = guesses;
            match &agreed {
                None => agreed = Some((line.name.clone(), found)),
                Some((_, count)) if *count == found => {}
                Some((first, count)) => {
                    return Err(format!("{first} finds {count} solutions, {} {found}", line.name));
                }
            }
        }
    }
    Ok((agreed.map_or(0, |(_, count)| count), lines))
}
