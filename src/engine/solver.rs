//! One problem at a time, for callers that have no corpus.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::{
    Client, Control, CountFirst, Engine, EngineKind, EnginePreference, Event, Flow, Job, Jobs,
    SHORT_SEARCH_NODES, Selection, Visitor, parallel, select_within,
};
use crate::error::Result;
use crate::model::{Answer, Count, EndedBy, Goal, Limits, Outcome, ProblemRef, Reason, Solution, Status};
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
    preference: EnginePreference,
    engines: HashMap<(EngineKind, Option<Isa>), Box<dyn Engine>>,
    counters: HashMap<(EngineKind, EngineKind, Option<Isa>), CountFirst>,
}

impl Solver {
    /// A solver that selects engines as wished.
    pub fn new(preference: EnginePreference) -> Self {
        Solver { preference, ..Solver::default() }
    }

    /// Sets the conditions on the engine; engines made before stay.
    pub fn preference(&mut self, preference: EnginePreference) {
        self.preference = preference;
    }

    /// The verdict on a problem; its solutions are not kept.
    ///
    /// # Errors
    /// As [`select`](super::select()).
    pub fn answer(&mut self, problem: ProblemRef<'_>, goal: Goal, limits: Limits) -> Result<Answer> {
        self.search(problem, goal, limits, &Control::new(), &mut |_| Flow::Continue)
    }

    /// The verdict on a problem; every solution is passed to `found` in the engine's order (for
    /// [`Goal::Best`] each one better than those before).
    ///
    /// # Errors
    /// As [`select`](super::select()).
    pub fn search(
        &mut self,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Control,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        let selection = self.select(problem, goal, limits)?;
        if let Some(clash) = problem.clash() {
            return Ok(contradicted(clash.into(), goal));
        }
        let outcome = match self.short_of_all(selection, problem, goal, limits, control) {
            ControlFlow::Break(outcome) => outcome,
            ControlFlow::Continue(limits) => self.run(selection.kind, problem, goal, limits, control, found),
        };
        Ok(Answer::of(outcome, goal))
    }

    /// The engine for a problem alone: one that holds many at a time is slow with one, and only taken by name.
    fn select(&self, problem: ProblemRef<'_>, goal: Goal, limits: Limits) -> Result<Selection> {
        let timings = self.preference.timings || self.preference.engine.is_none();
        select_within(problem, goal, limits, EnginePreference { timings, ..self.preference })
    }

    /// Does the steps before a whole search, where a counter may spare it: the search's first nodes, then the counter.
    /// Goes on with what is left of the limits.
    fn short_of_all(
        &mut self,
        selection: Selection,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Control,
    ) -> ControlFlow<Outcome, Limits> {
        let Some(counter) = selection.counter(limits) else { return ControlFlow::Continue(limits) };
        let begin = Instant::now();
        let probe = Limits { nodes: Some(SHORT_SEARCH_NODES), ..limits };
        let probe = self.run(selection.kind, problem, goal, probe, control, &mut |_| Flow::Continue);
        if probe.ended_by != EndedBy::Nodes {
            return ControlFlow::Break(probe);
        }
        let left = limits.after(begin.elapsed());
        match self.ask(counter, selection.kind, problem, left, control, &probe.found) {
            Some(outcome) => ControlFlow::Break(outcome),
            None => ControlFlow::Continue(limits.after(begin.elapsed())),
        }
    }

    /// Runs one job.
    fn run(
        &mut self,
        kind: EngineKind,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Control,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Outcome {
        let isa = self.preference.isa;
        let engine = self.engines.entry((kind, isa)).or_insert_with(|| (kind.info().make)(isa));
        let mut client = Single { job: Some(Job { ticket: 0, problem, goal, limits }), found, outcome: None };
        engine.run(&mut client, control);
        client.outcome.expect("an engine finishes every job it takes")
    }

    /// Asks a counter, see [`CountFirst::ask`].
    fn ask(
        &mut self,
        counter: EngineKind,
        kind: EngineKind,
        problem: ProblemRef<'_>,
        limits: Limits,
        control: &Control,
        known: &Count,
    ) -> Option<Outcome> {
        let isa = self.preference.isa;
        let (make_counter, make_search) = (counter.info().make_counter?, kind.info().make_search?);
        let counter = self
            .counters
            .entry((counter, kind, isa))
            .or_insert_with(|| CountFirst::new(make_counter, make_search, isa));
        counter.ask(problem, limits, control, known)
    }

    /// As [`search`](Self::search), over all threads of the current rayon pool.
    ///
    /// # Errors
    /// As [`select`](super::select()).
    pub fn search_parallel(
        &mut self,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Arc<Control>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        let selection = self.select(problem, goal, limits)?;
        if selection.kind.info().make_search.is_none() {
            return self.search(problem, goal, limits, control, found);
        }
        if let Some(clash) = problem.clash() {
            return Ok(contradicted(clash.into(), goal));
        }
        let outcome = match self.short_of_all(selection, problem, goal, limits, control) {
            ControlFlow::Break(outcome) => outcome,
            ControlFlow::Continue(limits) => {
                self.split(selection.kind, problem, goal, limits, control, found)
            }
        };
        Ok(Answer::of(outcome, goal))
    }

    /// As [`search_parallel`](Self::search_parallel), of a problem without a clash that has passed [`SHORT_SEARCH_NODES`] with
    /// `known` solutions. Guarded: a limit on nodes is none for a counter. A search without parts, which can only have been
    /// named, leaves the problem to one that has them.
    ///
    /// # Errors
    /// As [`select`](super::select()).
    pub(crate) fn search_rest(
        &mut self,
        problem: ProblemRef<'_>,
        goal: Goal,
        (limits, is_guarded): (Limits, bool),
        known: &Count,
        control: &Arc<Control>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        let mut selection = self.select(problem, goal, limits)?;
        if selection.kind.info().make_search.is_none() {
            let preference = EnginePreference { engine: None, timings: true, ..self.preference };
            selection = Selection { then: None, ..select_within(problem, goal, limits, preference)? };
        }
        let of_counter = Limits { nodes: limits.nodes.filter(|_| !is_guarded), ..limits };
        let counted = selection
            .counter(of_counter)
            .and_then(|counter| self.ask(counter, selection.kind, problem, of_counter, control, known));
        let outcome =
            counted.unwrap_or_else(|| self.split(selection.kind, problem, goal, limits, control, found));
        Ok(Answer::of(outcome, goal))
    }

    /// Runs a search in parts.
    fn split(
        &self,
        kind: EngineKind,
        problem: ProblemRef<'_>,
        goal: Goal,
        limits: Limits,
        control: &Arc<Control>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Outcome {
        let make = kind.info().make_search.expect("asked for before");
        let isa = self.preference.isa;
        parallel::run(problem, goal, limits, control, &|| make(isa), &mut Passing(found))
    }
}

/// The verdict on a problem whose clues contradict each other: proved without a search.
pub(crate) fn contradicted(reason: Reason, goal: Goal) -> Answer {
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
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        self.job.take().map(Jobs::One)
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { solution, .. } => return (self.found)(solution),
            Event::Solved(_) => unreachable!("no series is given"),
            Event::End { outcome, .. } => self.outcome = Some(outcome),
        }
        Flow::Continue
    }
}

/// A closure as a visitor.
struct Passing<'a>(&'a mut dyn FnMut(Solution<'_>) -> Flow);

impl Visitor for Passing<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        (self.0)(solution)
    }
}
