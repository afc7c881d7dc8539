//! One problem at a time, for callers that have no corpus.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Client, Control, Engine, EngineKind, Flow, Job, Visitor, Wish, parallel, select};
use crate::error::Result;
use crate::model::{Answer, Goal, Limits, Outcome, ProblemRef, Reason, Solution, Status};
use crate::simd::Isa;

/// Answers problems one by one, keeping its engines between them.
///
/// ```
/// use quadrille::engine::Solver;
/// use quadrille::{Count, Goal, Geometry, Limits, ProblemRef, Puzzle};
/// let empty = Puzzle::new(&Geometry::of_side(4)?);
/// let mut solver = Solver::default();
/// let answer = solver.answer(ProblemRef::Puzzle(&empty), Goal::Count { limit: None }, Limits::default())?;
/// assert_eq!(answer.count, Some(Count::from(288)));
/// # Ok::<(), quadrille::Error>(())
/// ```
#[derive(Default)]
pub struct Solver {
    wish: Wish,
    engines: HashMap<(EngineKind, Option<Isa>), Box<dyn Engine>>,
}

impl Solver {
    /// A solver that selects engines as wished.
    pub fn new(wish: Wish) -> Self {
        Solver { wish, engines: HashMap::new() }
    }

    /// Changes what is wished; engines made before stay.
    pub fn wish(&mut self, wish: Wish) {
        self.wish = wish;
    }

    /// The verdict on a problem; its solutions are not kept.
    ///
    /// # Errors
    /// As [`select`].
    pub fn answer(&mut self, problem: ProblemRef<'_>, goal: Goal, limits: Limits) -> Result<Answer> {
        self.search(problem, goal, limits, &Control::new(), &mut |_| Flow::Continue)
    }

    /// The verdict on a problem; every solution is passed to `found` in the engine's order (for
    /// [`Goal::Best`] each one better than those before).
    ///
    /// # Errors
    /// As [`select`].
    pub fn search(
        &mut self,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Control,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        let selection = select(problem.class(), goal, self.wish)?;
        if let Some(clash) = problem.clash() {
            return Ok(contradicted(clash.into(), goal));
        }
        let isa = self.wish.isa;
        let engine =
            self.engines.entry((selection.kind, isa)).or_insert_with(|| (selection.kind.info().make)(isa));
        let mut client = Single { job: Some(Job { ticket: 0, problem, goal, limits }), found, outcome: None };
        engine.run(&mut client, control);
        let outcome = client.outcome.expect("an engine finishes every job it takes");
        Ok(Answer::of(outcome, goal))
    }

    /// As [`search`](Self::search), over all threads of the current rayon pool.
    ///
    /// # Errors
    /// As [`select`].
    pub fn search_parallel(
        &mut self,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Arc<Control>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        let selection = select(problem.class(), goal, Wish { timings: true, ..self.wish })?;
        let Some(make) = selection.kind.info().make_search else {
            return self.search(problem, goal, limits, control, found);
        };
        if let Some(clash) = problem.clash() {
            return Ok(contradicted(clash.into(), goal));
        }
        let isa = self.wish.isa;
        let outcome = parallel::run(problem, goal, limits, control, &|| make(isa), &mut Passing(found));
        Ok(Answer::of(outcome, goal))
    }
}

/// The verdict on a problem whose clues contradict each other: proved without a search.
pub fn contradicted(reason: Reason, goal: Goal) -> Answer {
    let mut answer = Answer::of(Outcome::contradiction(), goal);
    debug_assert!(matches!(answer.status, Status::None | Status::Counted));
    answer.reason = Some(Box::new(reason));
    answer
}

/// The client of one job.
struct Single<'a> {
    job: Option<Job<'a>>,
    found: &'a mut dyn FnMut(Solution<'_>) -> Flow,
    outcome: Option<Outcome>,
}

impl Client for Single<'_> {
    fn next_job(&mut self) -> Option<Job<'_>> {
        self.job.take()
    }

    fn solution(&mut self, _ticket: u64, solution: Solution<'_>) -> Flow {
        (self.found)(solution)
    }

    fn finish(&mut self, _ticket: u64, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

/// A closure as a visitor.
struct Passing<'a>(&'a mut dyn FnMut(Solution<'_>) -> Flow);

impl Visitor for Passing<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        (self.0)(solution)
    }
}
