//! The digits that occur in at least one solution, for many grids at a time.
//!
//! Every solution that is found shows one possible digit in each cell. Each further search picks a cell and
//! looks for a solution in which this cell has a digit that no earlier solution has there. If there is no
//! such solution, all digits not yet shown are impossible in the cell. So for each grid, there is at most one
//! search without a solution per cell, and one search for each solution that shows a new digit. The searches
//! for one grid run one after the other. The searches for different grids are jobs of the same engine and can
//! run at the same time.
//!
//! An engine tries small digits first, so its solutions would be similar to each other. Therefore each search
//! in a plain 9x9 renames the digits: it rotates them by one more than the search before it.

mod plain;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use plain::PlainSets;

use super::no_result::NoResult;
use super::{
    Client, Control, Engine, EngineKind, EnginePreference, Event, Flow, Job, Jobs, Selection, select,
};
use quadrille_model::{
    DigitCounts, DigitSet, EndedBy, Geometry, Goal, Limits, Outcome, Packed9x9, PossibleDigits, Problem,
    ProblemClass, ProblemRef, Solution, geometry_9x9, message_of, verify,
};

/// A solved grid, and what its solution has shown.
#[derive(Debug, Clone, Copy)]
pub struct SolvedGrid<'a> {
    /// The grid.
    pub problem: ProblemRef<'a>,
    /// A solution of the grid, or `None` if the caller did not keep one.
    pub known: Option<Solution<'a>>,
    /// True if the grid has no solution other than `known`.
    pub is_only: bool,
}

/// Finds the digits that occur in at least one solution of a grid.
///
/// The finder keeps its engines from one call to the next.
#[derive(Default)]
pub struct PossibleFinder {
    preference: EnginePreference,
    engines: HashMap<EngineKind, Box<dyn Engine>>,
}

impl PossibleFinder {
    /// Creates a finder that selects engines by a preference.
    pub fn new(preference: EnginePreference) -> Self {
        // The time of each single problem is not needed, so engines that work on many grids at a time can be
        // used.
        PossibleFinder {
            preference: EnginePreference { timings: false, ..preference },
            engines: HashMap::new(),
        }
    }

    /// Returns, for each grid, the digits that occur in at least one solution.
    ///
    /// If `counted` is not 0, also counts the solutions with each digit in each cell. At most `counted`
    /// solutions are included in these counts. The limits apply to each search separately.
    ///
    /// # Errors
    /// Returns an error for a grid if one of its searches ended early, if it has no solution, or if it is an
    /// exact cover problem.
    pub fn find(
        &mut self,
        grids: &[SolvedGrid<'_>],
        counted: u64,
        limits: Limits,
        control: &Control,
    ) -> Vec<Result<PossibleDigits, NoResult>> {
        let mut found: Vec<Option<Result<PossibleDigits, NoResult>>> = grids.iter().map(|_| None).collect();
        let mut kinds: Vec<(EngineKind, Vec<usize>)> = Vec::new();
        for (place, grid) in grids.iter().enumerate() {
            match self.kind_for(grid.problem.class()) {
                Ok(kind) => match kinds.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, places)) => places.push(place),
                    None => kinds.push((kind, vec![place])),
                },
                Err(reason) => found[place] = Some(Err(reason)),
            }
        }
        for (kind, places) in kinds {
            let group: Vec<SolvedGrid<'_>> = places.iter().map(|&place| grids[place]).collect();
            let of_group = self.find_by(kind, &group, (counted, limits), control);
            for (place, result) in places.into_iter().zip(of_group) {
                found[place] = Some(result);
            }
        }
        let none = || Err(NoResult::Early(control.stop().unwrap_or(EndedBy::Cancel)));
        found.into_iter().map(|result| result.unwrap_or_else(none)).collect()
    }

    fn kind_for(&self, class: ProblemClass) -> Result<EngineKind, NoResult> {
        if matches!(class, ProblemClass::Cover { .. }) {
            return Err(NoResult::Unsupported("exact cover problems have no cells".to_owned()));
        }
        let Selection { kind, .. } = select(class, Goal::First(2), self.preference)
            .map_err(|error| NoResult::Unsupported(error.to_string()))?;
        Ok(kind)
    }

    /// Finds the possible digits of grids for which the same engine was selected.
    fn find_by(
        &mut self,
        kind: EngineKind,
        grids: &[SolvedGrid<'_>],
        (counted, limits): (u64, Limits),
        control: &Control,
    ) -> Vec<Result<PossibleDigits, NoResult>> {
        let engine = self.engines.entry(kind).or_insert_with(|| kind.info().make(self.preference.isa));
        let states: Vec<GridState<'_>> = grids.iter().map(|grid| GridState::new(*grid, counted)).collect();
        let ready = (0..states.len()).rev().filter(|&number| states[number].result.is_none()).collect();
        let varied = Problem::Packed(Packed9x9::FULL);
        let mut questions = Questions { states, ready, varied, counted, limits };
        let run = catch_unwind(AssertUnwindSafe(|| engine.run(&mut questions, control)));
        if let Err(panic) = run {
            self.engines.remove(&kind);
            if grids.len() > 1 {
                // Search the grids again one by one. Then only the grid whose search panics has no result.
                let alone = |grid| self.find_by(kind, std::slice::from_ref(grid), (counted, limits), control);
                return grids.iter().flat_map(alone).collect();
            }
            return vec![Err(NoResult::Broken(message_of(panic.as_ref())))];
        }
        let ended = || Err(NoResult::Early(control.stop().unwrap_or(EndedBy::Cancel)));
        questions.states.into_iter().map(|state| state.result.unwrap_or_else(ended)).collect()
    }
}

/// The purpose of a search in a grid.
#[derive(Debug, Clone, Copy)]
enum Question {
    /// Find solutions of the grid without additional restrictions.
    Whole,
    /// Find a solution with a new digit in this cell. The digit is new if no earlier solution has it in this
    /// cell.
    NewIn(usize),
}

/// For each cell of a grid, two sets of digits: the digits that may still be possible, and the digits that
/// occur in some solution.
enum Sets {
    Plain(Box<PlainSets>),
    Other(OtherSets),
}

/// Sets of digits, for grids that are not plain 9x9 grids.
struct OtherSets {
    /// For each cell, the digits that may still be possible.
    left: Vec<DigitSet>,
    possible: Vec<DigitSet>,
    /// True if a cell in `left` may now have a single digit that was not yet removed from the other cells of
    /// its houses.
    has_new_single: bool,
}

impl OtherSets {
    fn first_open(&mut self, geometry: &Geometry) -> Option<usize> {
        if std::mem::take(&mut self.has_new_single) {
            remove_from_peers(geometry, &mut self.left);
        }
        self.left.iter().zip(&self.possible).position(|(left, shown)| !left.without(*shown).is_empty())
    }

    fn close(&mut self, cell: usize) {
        self.left[cell] = self.possible[cell];
        self.has_new_single |= self.left[cell].single().is_some();
    }

    fn question(&self, asked: usize, problem: ProblemRef<'_>, varied: &mut Problem) {
        varied.assign(problem);
        for (cell, &left) in self.left.iter().enumerate() {
            let set = if cell == asked { left.without(self.possible[cell]) } else { left };
            varied.set_candidates(cell, set);
        }
    }
}

struct GridState<'a> {
    grid: SolvedGrid<'a>,
    question: Question,
    sets: Sets,
    counts: Option<DigitCounts>,
    /// Number of positions by which the current search rotates the digits.
    rotation: u32,
    result: Option<Result<PossibleDigits, NoResult>>,
}

impl<'a> GridState<'a> {
    fn new(grid: SolvedGrid<'a>, counted: u64) -> Self {
        let sets = match grid.problem {
            ProblemRef::Packed(packed) => Sets::Plain(Box::new(PlainSets::new(packed))),
            problem => {
                let cells = geometry_of(problem).cells();
                Sets::Other(OtherSets {
                    left: (0..cells).map(|cell| problem.candidates(cell)).collect(),
                    possible: vec![DigitSet::EMPTY; cells],
                    has_new_single: true,
                })
            }
        };
        let mut state = GridState {
            grid,
            question: Question::Whole,
            sets,
            counts: (counted > 0).then(DigitCounts::default),
            rotation: 0,
            result: None,
        };
        if let Some(Solution::Digits(digits)) = grid.known {
            state.show(digits);
            if grid.is_only {
                if let Some(counts) = &mut state.counts {
                    counts.add(digits, geometry_of(grid.problem).side());
                }
                state.end(true);
            } else if counted == 0 {
                state.choose();
            }
        }
        state
    }

    /// Marks the digits of a solution as possible.
    fn show(&mut self, digits: &[u8]) {
        match &mut self.sets {
            Sets::Plain(sets) => sets.show(digits),
            Sets::Other(sets) => {
                for (set, &digit) in sets.possible.iter_mut().zip(digits) {
                    set.0 |= DigitSet::only(digit.into()).0;
                }
            }
        }
    }

    /// Chooses the purpose of the next search. If no more searches are needed, stores the result.
    fn choose(&mut self) {
        let (open, turn) = match &mut self.sets {
            Sets::Plain(sets) => (sets.first_open(), 1),
            Sets::Other(sets) => (sets.first_open(geometry_of(self.grid.problem)), 0),
        };
        match open {
            Some(cell) => {
                self.question = Question::NewIn(cell);
                self.rotation = (self.rotation + turn) % 9;
            }
            None => self.end(false),
        }
    }

    /// Stores the possible digits found so far as the result. `is_all` is true if the counts cover all
    /// solutions.
    fn end(&mut self, is_all: bool) {
        let counts = self.counts.take().map(|counts| DigitCounts { is_exact: is_all, ..counts });
        let cells = match &mut self.sets {
            Sets::Plain(sets) => sets.possible_cells(),
            Sets::Other(sets) => std::mem::take(&mut sets.possible),
        };
        self.result = Some(Ok(PossibleDigits { cells, counts }));
    }

    /// Handles the end of a search. The solutions of the search were already passed to [`show`](Self::show).
    fn settle(&mut self, outcome: &Outcome) {
        let is_complete = outcome.ended_by == EndedBy::Complete;
        match self.question {
            _ if !is_complete && outcome.ended_by != EndedBy::Limit => {
                self.result = Some(Err(NoResult::Early(outcome.ended_by)));
            }
            Question::Whole if outcome.found.is_zero() => {
                self.result = Some(Err(NoResult::Unsupported("there is no solution".to_owned())));
            }
            Question::Whole if is_complete => self.end(true),
            Question::Whole => self.choose(),
            Question::NewIn(cell) => {
                if is_complete {
                    match &mut self.sets {
                        Sets::Plain(sets) => sets.close(cell),
                        Sets::Other(sets) => sets.close(cell),
                    }
                }
                self.choose();
            }
        }
    }
}

/// The grids that still need searches. Each grid has at most one search at a time.
struct Questions<'a> {
    states: Vec<GridState<'a>>,
    /// Grids whose next search can be started. The last entry is started first.
    ready: Vec<usize>,
    /// Problem of the search that was started last.
    varied: Problem,
    counted: u64,
    limits: Limits,
}

impl Client for Questions<'_> {
    fn next(&mut self, _: usize) -> Option<Jobs<'_>> {
        let number = self.ready.pop()?;
        let state = &self.states[number];
        let problem = state.grid.problem;
        let goal = match state.question {
            // A search for two solutions shows whether there are several.
            Question::Whole => {
                self.varied.assign(problem);
                Goal::First(self.counted.max(2))
            }
            Question::NewIn(asked) => {
                match &state.sets {
                    Sets::Plain(sets) => {
                        self.varied = Problem::Packed(sets.question(asked, state.rotation));
                    }
                    Sets::Other(sets) => sets.question(asked, problem, &mut self.varied),
                }
                Goal::First(1)
            }
        };
        let (ticket, limits) = (number as u64, self.limits);
        Some(Jobs::One(Job { ticket, problem: self.varied.as_ref(), goal, limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => {
                let state = &mut self.states[ticket as usize];
                let back = |&digit: &u8| (digit + 9 - state.rotation as u8) % 9;
                let mut turned = [0; 81];
                let solution = match solution {
                    Solution::Digits(digits) if state.rotation > 0 => {
                        turned.iter_mut().zip(digits).for_each(|(turned, digit)| *turned = back(digit));
                        Solution::Digits(&turned)
                    }
                    solution => solution,
                };
                if let Err(fault) = verify(state.grid.problem, solution) {
                    let fault = format!("the engine returned a wrong solution: {fault}");
                    state.result = Some(Err(NoResult::Broken(fault)));
                    return Flow::Stop;
                }
                if let Solution::Digits(digits) = solution {
                    state.show(digits);
                    if let (Some(counts), Question::Whole) = (&mut state.counts, state.question) {
                        counts.add(digits, geometry_of(state.grid.problem).side());
                    }
                }
            }
            // Engines report this event only to clients that supply batches.
            Event::Solved(_) => {}
            Event::End { ticket, outcome } => {
                let state = &mut self.states[ticket as usize];
                if state.result.is_none() {
                    state.settle(&outcome);
                }
                if state.result.is_none() {
                    self.ready.push(ticket as usize);
                }
            }
        }
        Flow::Continue
    }
}

fn geometry_of(problem: ProblemRef<'_>) -> &Geometry {
    match problem {
        ProblemRef::Puzzle(puzzle) => puzzle.geometry(),
        _ => geometry_9x9(),
    }
}

/// If a cell has only one digit left, removes this digit from the other cells of its houses. Repeats this
/// until nothing changes.
///
/// After these removals, most searches are unnecessary.
fn remove_from_peers(geometry: &Geometry, cells: &mut [DigitSet]) {
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for house in geometry.houses() {
            let single = |set: DigitSet| if set.single().is_some() { set.0 } else { 0 };
            let placed =
                house.cells.iter().fold(0, |placed, &cell| placed | single(cells[usize::from(cell)]));
            for &cell in &house.cells {
                let set = &mut cells[usize::from(cell)];
                if set.single().is_none() && set.0 & placed != 0 {
                    set.0 &= !placed;
                    changes = true;
                }
            }
        }
    }
}
