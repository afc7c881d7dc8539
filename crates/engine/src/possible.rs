//! The digits that occur in some solution, for many grids at a time.
//!
//! Every solution that is found shows a possible digit in each cell. A question asks for a solution in which one cell
//! has a digit that no solution has shown there; if there is none, all those digits are impossible in that cell. So a
//! grid needs at most one question per cell, and one per solution that shows something new. The questions of a grid
//! follow each other, and those of different grids are jobs of one engine.
//!
//! An engine tries small digits first, so its solutions are alike. Each question about a plain 9x9 therefore has other
//! labels: digits are rotated by one more.

mod plain;

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

/// A grid with what its answer has shown.
#[derive(Debug, Clone, Copy)]
pub struct SolvedGrid<'a> {
    /// The grid.
    pub problem: ProblemRef<'a>,
    /// A solution, if one was kept.
    pub known: Option<Solution<'a>>,
    /// True if there is no other solution.
    pub is_only: bool,
}

/// Finds the digits that occur in some solution. Keeps its engines from call to call.
#[derive(Default)]
pub struct PossibleFinder {
    preference: EnginePreference,
    engines: Vec<(EngineKind, Box<dyn Engine>)>,
}

impl std::fmt::Debug for PossibleFinder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PossibleFinder").field("preference", &self.preference).finish_non_exhaustive()
    }
}

impl PossibleFinder {
    /// Creates a finder with conditions on the engines.
    pub fn new(preference: EnginePreference) -> Self {
        // No time is measured, so engines that hold many grids at a time can be used.
        PossibleFinder { preference: EnginePreference { timings: false, ..preference }, engines: Vec::new() }
    }

    /// Returns for each grid the digits that occur in some solution.
    ///
    /// `counted` is the number of solutions up to which digits are counted; 0 if they are not. `limits` hold for each
    /// search.
    ///
    /// # Errors
    /// Returns an error for a grid if one of its searches ended early, for exact cover problems, and for grids without
    /// a solution.
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

    /// Asks the questions of grids that the same engine answers.
    fn find_by(
        &mut self,
        kind: EngineKind,
        grids: &[SolvedGrid<'_>],
        (counted, limits): (u64, Limits),
        control: &Control,
    ) -> Vec<Result<PossibleDigits, NoResult>> {
        let number = match self.engines.iter().position(|(known, _)| *known == kind) {
            Some(number) => number,
            None => {
                self.engines.push((kind, kind.info().make(self.preference.isa)));
                self.engines.len() - 1
            }
        };
        let states: Vec<GridState<'_>> = grids.iter().map(|grid| GridState::new(*grid, counted)).collect();
        let ready = (0..states.len()).rev().filter(|&number| states[number].result.is_none()).collect();
        let varied = Problem::Packed(Packed9x9::FULL);
        let mut questions = Questions { states, ready, varied, counted, limits };
        let run = catch_unwind(AssertUnwindSafe(|| self.engines[number].1.run(&mut questions, control)));
        if let Err(panic) = run {
            self.engines.swap_remove(number);
            if grids.len() > 1 {
                // Alone, only the grid whose search panics has no result.
                let alone = |grid| self.find_by(kind, std::slice::from_ref(grid), (counted, limits), control);
                return grids.iter().flat_map(alone).collect();
            }
            return vec![Err(NoResult::Broken(message_of(panic.as_ref())))];
        }
        let ended = || Err(NoResult::Early(control.stop().unwrap_or(EndedBy::Cancel)));
        questions.states.into_iter().map(|state| state.result.unwrap_or_else(ended)).collect()
    }
}

/// The question that a grid's search answers.
#[derive(Debug, Clone, Copy)]
enum Question {
    /// Solutions of the grid as it is.
    Whole,
    /// A solution with a new digit in this cell.
    NewIn(usize),
}

/// The digits that may occur in each cell of a grid, and those that do.
enum Sets {
    Plain(Box<PlainSets>),
    Other(OtherSets),
}

/// The digits of each cell of any grid.
struct OtherSets {
    /// The digits that may occur in some solution.
    left: Vec<DigitSet>,
    possible: Vec<DigitSet>,
    /// True if a cell may have only one digit left that its peers still have.
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
    /// By how much the digits of the current question are rotated.
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

    /// Adds the digits of a solution.
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

    /// Chooses the next question, or ends if there is none.
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

    /// Ends with the digits that are known. Their numbers are exact if `is_all`.
    fn end(&mut self, is_all: bool) {
        let counts = self.counts.take().map(|counts| DigitCounts { is_exact: is_all, ..counts });
        let cells = match &mut self.sets {
            Sets::Plain(sets) => sets.possible_cells(),
            Sets::Other(sets) => std::mem::take(&mut sets.possible),
        };
        self.result = Some(Ok(PossibleDigits { cells, counts }));
    }

    /// Takes the end of a search. Solutions that it found are known already.
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

/// Grids with their questions, one search for each grid at a time.
struct Questions<'a> {
    states: Vec<GridState<'a>>,
    /// Grids whose next question has not been handed out, the next one last.
    ready: Vec<usize>,
    /// Grid of the last search that was handed out.
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
            // Two solutions show whether there are several.
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
            // Only for clients that give batches.
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

/// Removes the digit of each cell that has only one from the other cells of its houses, until nothing changes.
///
/// This answers most questions without a search.
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
