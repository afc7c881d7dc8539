//! Solves one problem at a time, for callers that do not have a corpus.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::{
    Asked, BatchSolution, Client, Constructor, Control, Engine, EngineKind, EnginePreference, Event, Flow,
    Job, JobBatch, Jobs, LongSearch, SHORT_SEARCH_NODES, Selection, Task, TreeSearch, Visitor, at_least,
    parallel, select_within,
};
use quadrille_model::simd::Isa;
use quadrille_model::{
    Answer, Count, EndedBy, Goal, Limits, Outcome, Packed9x9, ProblemRef, Reason, Result, Solution, Status,
};

/// Panic message for a job without an outcome. Such a job would be a defect in the engine.
const ALL_FINISHED: &str = "an engine finishes every job it takes";

/// Answers problems one by one. Keeps its engines between them.
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
    long: LongSearch,
}

impl Solver {
    /// Creates a solver that selects engines by a preference.
    pub fn new(preference: EnginePreference) -> Self {
        Solver { preference, long: LongSearch::new(preference.isa), ..Solver::default() }
    }

    /// Changes the preference for engines. Engines that were created before remain in memory.
    pub fn preference(&mut self, preference: EnginePreference) {
        if self.preference.isa != preference.isa {
            self.long = LongSearch::new(preference.isa);
        }
        self.preference = preference;
    }

    /// Solves a problem and returns the answer, without the solutions.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`select`](super::select()).
    pub fn answer(&mut self, problem: ProblemRef<'_>, goal: Goal, limits: Limits) -> Result<Answer> {
        self.search(&Task::whole(problem, goal, limits), &Control::new(), &mut |_| Flow::Continue)
    }

    /// Solves a problem and returns the answer. Passes every solution to `found`.
    ///
    /// Solutions come in the order in which the engine finds them. For [`Goal::Best`], each solution is
    /// better than every earlier one.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`select`](super::select()).
    pub fn search(
        &mut self,
        task: &Task<'_>,
        control: &Control,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        self.search_with(task, control, None, found)
    }

    /// Solves many 9x9 grids with the same goal.
    ///
    /// Passes every solution to `found`, with the index of its grid. The selection prefers engines that work
    /// on many grids at a time. Such an engine may mix the solutions of different grids, but the solutions of
    /// each grid come in the order in which the engine finds them. Unlike [`search`](Self::search), this
    /// function does not use a counter for large counts.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`select`](super::select()).
    pub fn search_many(
        &mut self,
        grids: &[Packed9x9],
        (goal, limits): (Goal, Limits),
        control: &Control,
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<Vec<Answer>> {
        let Some(first) = grids.first() else { return Ok(Vec::new()) };
        let task = Task::whole(ProblemRef::Packed(first), goal, limits);
        let selection = select_within(&task, EnginePreference { timings: false, ..self.preference })?;
        let mut found = |number: usize, solution: Solution<'_>| {
            if let Solution::Digits(digits) = solution {
                found(number, digits);
            }
            Flow::Continue
        };
        let jobs = Some(Jobs::JobBatch(JobBatch { first_ticket: 0, grids, rules: None, goal, limits }));
        let mut client = Given { jobs, found: &mut found, outcomes: vec![None; grids.len()] };
        self.engine(selection.kind).run(&mut client, control);
        let outcomes = client.outcomes.into_iter().zip(grids);
        Ok(outcomes
            .map(|(outcome, grid)| match grid.clash() {
                Some(clash) => contradicted(clash.into(), goal),
                None => Answer::from_outcome(outcome.expect(ALL_FINISHED), goal),
            })
            .collect())
    }

    /// Returns the engine of a kind. Creates the engine when it is first needed.
    fn engine(&mut self, kind: EngineKind) -> &mut dyn Engine {
        let isa = self.preference.isa;
        self.engines.entry((kind, isa)).or_insert_with(|| kind.info().make(isa)).as_mut()
    }

    /// Selects the engine for a single problem.
    ///
    /// Engines that work on many problems at a time are slow for a single problem. So such an engine is used
    /// only if the caller names it.
    fn select(&self, task: &Task<'_>) -> Result<Selection> {
        let timings = self.preference.timings || self.preference.engine.is_none();
        select_within(task, EnginePreference { timings, ..self.preference })
    }

    /// Searches the whole problem on this thread, or splits the search over all threads.
    ///
    /// The search is split if `split` contains a control for the parts and the engine can search parts.
    fn search_with(
        &mut self,
        task: &Task<'_>,
        control: &Control,
        split: Option<&Arc<Control>>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        let selection = self.select(task)?;
        let split = split.filter(|_| selection.kind.info().make_search().is_some());
        if let Some(clash) = task.problem.clash() {
            return Ok(contradicted(clash.into(), task.goal));
        }
        let outcome = match self.short_of_all(selection, task, control) {
            ControlFlow::Break(outcome) => outcome,
            ControlFlow::Continue((limits, known)) => {
                let task = Task { limits, ..*task };
                let outcome = match split {
                    Some(control) => self.split(selection.kind, &task, control, found),
                    None => self.run(selection.kind, &task, control, found),
                };
                at_least(outcome, known)
            }
        };
        Ok(Answer::from_outcome(outcome, task.goal))
    }

    /// Runs a short search. If it does not finish and there is a counter, runs the counter too.
    ///
    /// Returns the outcome if the search or the counter answers the problem. If neither does, returns the
    /// remaining limits and a lower bound on the number of solutions.
    fn short_of_all(
        &mut self,
        selection: Selection,
        task: &Task<'_>,
        control: &Control,
    ) -> ControlFlow<Outcome, (Limits, Count)> {
        let limits = task.limits;
        let Some(counter) = selection.counter(limits) else {
            return ControlFlow::Continue((limits, Count::ZERO));
        };
        let begin = Instant::now();
        let short = Task { limits: Limits { nodes: Some(SHORT_SEARCH_NODES), ..limits }, ..*task };
        let short = self.run(selection.kind, &short, control, &mut |_| Flow::Continue);
        if short.ended_by != EndedBy::Nodes {
            return ControlFlow::Break(short);
        }
        let left = Task { limits: limits.after(begin.elapsed()), ..*task };
        match self.long.ask((counter, selection.kind), &left, control, short.found) {
            Asked::Answered(outcome) => ControlFlow::Break(outcome),
            Asked::SearchOn(known) => ControlFlow::Continue((limits.after(begin.elapsed()), known)),
        }
    }

    /// Runs one job.
    fn run(
        &mut self,
        kind: EngineKind,
        task: &Task<'_>,
        control: &Control,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Outcome {
        let Task { problem, goal, limits, .. } = *task;
        let jobs = Some(Jobs::One(Job { ticket: 0, problem, goal, limits }));
        let mut client = Given { jobs, found: &mut |_, solution| found(solution), outcomes: vec![None] };
        self.engine(kind).run(&mut client, control);
        client.outcomes.pop().flatten().expect(ALL_FINISHED)
    }

    /// Searches in the same way as [`search`](Self::search), but on all threads of the current rayon pool.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`select`](super::select()).
    pub fn search_parallel(
        &mut self,
        task: &Task<'_>,
        control: &Arc<Control>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Result<Answer> {
        self.search_with(task, control, Some(control), found)
    }

    /// Runs a search in parts on all threads of the pool.
    ///
    /// A search for the least solution runs on this thread only.
    fn split(
        &mut self,
        kind: EngineKind,
        task: &Task<'_>,
        control: &Arc<Control>,
        found: &mut dyn FnMut(Solution<'_>) -> Flow,
    ) -> Outcome {
        const PARTS: &str = "parts are requested only from engines whose search has parts";
        let (make, isa) = (kind.info().make_search().expect(PARTS), self.preference.isa);
        let search = |search: &mut dyn TreeSearch| {
            rayon::in_place_scope(|scope| {
                parallel::run(task, control, search, &mut PoolOwner { scope, make, isa, found })
            })
        };
        self.long.with(kind, search).expect(PARTS)
    }
}

/// The owner of a search that runs in parts on the threads of a pool. It receives the solutions and starts
/// the other threads.
struct PoolOwner<'a, 'scope> {
    scope: &'a rayon::Scope<'scope>,
    make: Constructor<dyn TreeSearch>,
    isa: Option<Isa>,
    found: &'a mut dyn FnMut(Solution<'_>) -> Flow,
}

impl Visitor for PoolOwner<'_, '_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        (self.found)(solution)
    }
}

impl parallel::Owner for PoolOwner<'_, '_> {
    fn offer(&mut self, split: &Arc<parallel::Split>) {
        for _ in 1..rayon::current_num_threads() {
            let (split, make, isa) = (Arc::clone(split), self.make, self.isa);
            self.scope.spawn(move |_| {
                let mut search = make(isa);
                while split.run_part(search.as_mut()) || split.wait_for_part() {}
            });
        }
    }
}

/// Returns the answer for a problem whose clues contradict each other. No search is needed for this answer.
pub fn contradicted(reason: Reason, goal: Goal) -> Answer {
    let mut answer = Answer::from_outcome(Outcome::contradiction(), goal);
    debug_assert!(matches!(answer.status, Status::None | Status::Counted));
    answer.reason = Some(Box::new(reason));
    answer
}

/// Client that gives an engine one problem, or several plain 9x9 grids.
struct Given<'a> {
    /// The jobs that the engine has not taken yet.
    jobs: Option<Jobs<'a>>,
    /// Called with the index of a problem and one of its solutions.
    found: &'a mut dyn FnMut(usize, Solution<'_>) -> Flow,
    /// For each problem, its outcome once the engine has finished it.
    outcomes: Vec<Option<Outcome>>,
}

impl Client for Given<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        let jobs = self.jobs.take()?;
        let Jobs::JobBatch(batch) = jobs else { return Some(jobs) };
        let (grids, later) = batch.grids.split_at(most.min(batch.grids.len()));
        if !later.is_empty() {
            let first_ticket = batch.first_ticket + grids.len() as u64;
            self.jobs = Some(Jobs::JobBatch(JobBatch { first_ticket, grids: later, ..batch }));
        }
        Some(Jobs::JobBatch(JobBatch { grids, ..batch }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => return (self.found)(ticket as usize, solution),
            Event::Solved(solved) => {
                for BatchSolution { ticket, digits, ended } in solved {
                    (self.found)(*ticket as usize, Solution::Digits(digits));
                    if let Some(ended) = ended {
                        self.outcomes[*ticket as usize] = Some((*ended).into());
                    }
                }
            }
            Event::End { ticket, outcome } => self.outcomes[ticket as usize] = Some(outcome),
        }
        Flow::Continue
    }
}
