//! The search: lanes, each with a puzzle and a stack, and the loop over waves. A wave is one run of
//! propagation over all lanes.
//!
//! Invariants: a lane without a puzzle is not in `busy` and has an empty stack. A lane in `loading` is busy,
//! and its next state is in `incoming`.
//!
//! The result of a lane never depends on other lanes. Each lane has its own puzzle, stack and counters. A
//! lane branches only at a state that propagation cannot change any more. So it does not matter in which wave
//! this is noticed. Lanes that would be idle take over parts of other lanes' puzzles, see `share`.

use std::sync::Arc;
use std::time::Instant;

use super::kind::GridKind;
use super::least::{AfterSolution, Least};
use super::parts::{NONE, Parts, Totals};
use super::transpose::{Digits, Grids, Load, Rows, Store};
use super::wave::Wave;
use crate::{BatchSolution, Client, Control, Event, Flow, Job, JobBatch, Jobs};
use quadrille_model::bits::bits_of;
use quadrille_model::rules::Rules;
use quadrille_model::simd::{Vector, words, words_mut};
use quadrille_model::{EndedBy, Goal, Limits, Outcome, Packed9x9, ProblemRef, Solution};

/// Number of waves (runs of propagation) between two checks of the clock.
///
/// The clock is checked only if a puzzle has a time limit.
const WAVES_BETWEEN_LOOKS: u32 = 16;

/// A lane, with the puzzle or the part of a puzzle that it searches.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) ticket: u64,
    /// Number of solutions after which the lane stops.
    pub(super) wanted: u64,
    pub(super) emits: bool,
    /// True if the lane's solutions may be reported to the client in one batch with those of other lanes.
    pub(super) in_series: bool,
    pub(super) node_limit: u64,
    pub(super) ends: Option<Instant>,
    pub(super) totals: Totals,
    /// Search states that the lane has not entered yet. The state to enter next is the last one.
    pub(super) stack: Vec<Packed9x9>,
    /// Index of the part (of a split puzzle) that the lane searches.
    ///
    /// The value is [`NONE`] if the lane searches the first part (the head) of a puzzle, or has no puzzle.
    pub(super) part: u32,
    /// Index of the part that follows the first part (the head) of the lane's puzzle, or [`NONE`].
    pub(super) next: u32,
    /// State of the search for the least solution, or `None` for other goals.
    pub(super) least: Option<Box<Least>>,
}

/// The lanes that search grids of one kind with one instruction set.
pub(super) struct Search<V: Vector, K: GridKind<V>> {
    token: V::Token,
    kind: K,
    /// The rules of all grids in these lanes, or `None` if they have only rows, columns and boxes.
    rules: Option<Arc<Rules>>,
    wave: Box<Wave<V, K::Knowledge>>,
    incoming: Box<Rows<V>>,
    outgoing: Box<Rows<V>>,
    grids: Box<Grids<V>>,
    pub(super) lanes: Vec<Lane>,
    pub(super) busy: Lanes,
    loading: Lanes,
    /// Number of busy lanes that have a time limit.
    timed: usize,
    pub(super) parts: Parts,
    /// True if no lane is free, so that the client's next puzzles may have to wait.
    pressed: bool,
    /// Jobs for other kinds of grid than the kind that these lanes solve.
    ///
    /// The jobs are collected here until they can fill all lanes. They start when these lanes are finished.
    waiting: Vec<Waiting>,
    /// Number of puzzles for which `waiting` still has room.
    room: usize,
    /// Solutions of puzzles from batches, at most one per lane, that still must be reported to the client.
    solved: Vec<BatchSolution>,
}

/// Puzzles for one kind of grid that the client has given, and that wait for lanes.
pub(super) struct Waiting {
    pub(super) rules: Option<Arc<Rules>>,
    first_ticket: u64,
    grids: Vec<Packed9x9>,
    goal: Goal,
    limits: Limits,
    in_series: bool,
}

/// A set of lanes, one bit per lane. It uses as many words as a vector has, at most eight.
pub(super) type Lanes = [u64; 8];

fn is_empty(set: &Lanes) -> bool {
    set.iter().all(|&word| word == 0)
}

fn contains(set: &Lanes, lane: usize) -> bool {
    set[lane / 64] >> (lane % 64) & 1 != 0
}

fn insert(set: &mut Lanes, lane: usize) {
    set[lane / 64] |= 1 << (lane % 64);
}

fn remove(set: &mut Lanes, lane: usize) {
    set[lane / 64] &= !(1 << (lane % 64));
}

impl<V: Vector, K: GridKind<V>> Search<V, K> {
    /// Creates the lanes, all free, and allocates their memory.
    pub(super) fn new(token: V::Token, kind: K, rules: Option<Arc<Rules>>) -> Self {
        Search {
            token,
            wave: Wave::new(token, kind.nothing_known(token)),
            kind,
            rules,
            incoming: Rows::new(token),
            outgoing: Rows::new(token),
            grids: Grids::new(token),
            lanes: (0..64 * V::WORDS).map(|_| Lane { part: NONE, next: NONE, ..Lane::default() }).collect(),
            busy: [0; 8],
            loading: [0; 8],
            timed: 0,
            parts: Parts::default(),
            pressed: false,
            waiting: Vec::new(),
            room: 64 * V::WORDS,
            solved: Vec::with_capacity(64 * V::WORDS),
        }
    }

    /// Gives a puzzle from the client to each free lane, until the client has no more puzzles.
    fn refill(&mut self, client: &mut dyn Client) {
        loop {
            let free: usize = self.busy[..V::WORDS].iter().map(|word| word.count_zeros() as usize).sum();
            self.pressed = free == 0;
            if self.pressed || self.room == 0 {
                return;
            }
            let Some(jobs) = client.next(free.min(self.room)) else { return };
            let grid;
            let (series, in_series) = match jobs {
                Jobs::JobBatch(series) => (series, true),
                Jobs::One(job) => match grid_of(&job) {
                    Some((packed, rules)) => {
                        grid = packed;
                        let grids = std::slice::from_ref(&grid);
                        let (first_ticket, goal, limits) = (job.ticket, job.goal, job.limits);
                        (JobBatch { first_ticket, grids, rules, goal, limits }, false)
                    }
                    // The engine does not support the job, so it ends without a search.
                    None => {
                        let ticket = job.ticket;
                        client.report(Event::End { ticket, outcome: nothing(EndedBy::Cancel) });
                        continue;
                    }
                },
            };
            if !self.is_for(series.rules) {
                self.hold(Waiting {
                    rules: series.rules.cloned(),
                    first_ticket: series.first_ticket,
                    grids: series.grids.to_vec(),
                    goal: series.goal,
                    limits: series.limits,
                    in_series,
                });
                continue;
            }
            if !self.begin(&series, in_series) {
                self.end_those_not_begun(client);
            }
        }
    }

    /// Keeps puzzles of another kind of grid for later. `room` must be large enough for these puzzles.
    fn hold(&mut self, waiting: Waiting) {
        self.room -= waiting.grids.len();
        self.waiting.push(waiting);
    }

    /// Removes and returns the puzzles that wait for lanes for another kind of grid.
    fn take_waiting(&mut self) -> Vec<Waiting> {
        self.room = self.lanes.len();
        std::mem::take(&mut self.waiting)
    }

    /// Ends the puzzles that could not start, because their node limit is 0.
    fn end_those_not_begun(&mut self, client: &mut dyn Client) {
        for lane in bits_of(self.busy) {
            // A puzzle that could not start has no nodes. An earlier call of `finish` may have freed this
            // lane, so check that the lane is still busy.
            if contains(&self.busy, lane) && self.lanes[lane].totals.nodes == 0 {
                self.finish(lane, EndedBy::Nodes, client);
            }
        }
    }

    /// Starts puzzles that waited for lanes of this kind. All lanes must be free.
    fn begin_waiting(&mut self, waiting: &Waiting, client: &mut dyn Client) {
        let &Waiting { first_ticket, goal, limits, in_series, .. } = waiting;
        let (grids, rules) = (&waiting.grids[..], waiting.rules.as_ref());
        if !self.begin(&JobBatch { first_ticket, grids, rules, goal, limits }, in_series) {
            self.end_those_not_begun(client);
        }
    }

    /// Gives a free lane to each puzzle of a batch. Returns false if no puzzle may start, because the node
    /// limit is 0.
    fn begin(&mut self, series: &JobBatch<'_>, in_series: bool) -> bool {
        let wanted = series.goal.limit().unwrap_or(u64::MAX).max(1);
        let emits = series.goal.wants_solutions();
        let node_limit = series.limits.nodes.unwrap_or(u64::MAX);
        let ends = series.limits.time.and_then(|time| Instant::now().checked_add(time));
        if ends.is_some() {
            self.timed += series.grids.len();
        }
        let mut word = 0;
        for (ticket, grid) in (series.first_ticket..).zip(series.grids) {
            while self.busy[word] == u64::MAX {
                word += 1;
            }
            let lane = 64 * word + self.busy[word].trailing_ones() as usize;
            let held = &mut self.lanes[lane];
            held.ticket = ticket;
            held.wanted = wanted;
            held.emits = emits;
            held.in_series = in_series;
            held.node_limit = node_limit;
            held.ends = ends;
            held.least = (series.goal == Goal::Least).then(|| Box::new(Least::new(grid)));
            held.totals = Totals { nodes: node_limit.min(1), ..Totals::default() };
            *self.incoming.get_mut(lane) = grid.0;
            insert(&mut self.busy, lane);
            insert(&mut self.loading, lane);
        }
        node_limit != 0
    }

    /// Makes a lane enter a state, or ends its work if the node limit is reached.
    #[inline]
    pub(super) fn load(&mut self, lane: usize, state: &Packed9x9, client: &mut dyn Client) {
        *self.incoming.get_mut(lane) = state.0;
        insert(&mut self.busy, lane);
        insert(&mut self.loading, lane);
        self.enter(lane, client);
    }

    /// Adds one to the number of nodes of a lane, or ends the lane's work if the node limit is reached.
    #[inline]
    fn enter(&mut self, lane: usize, client: &mut dyn Client) {
        let held = &mut self.lanes[lane];
        if held.totals.nodes < held.node_limit {
            held.totals.nodes += 1;
        } else if held.part != NONE {
            self.set_aside(lane);
        } else {
            self.finish(lane, EndedBy::Nodes, client);
        }
    }

    /// Continues the puzzle of a lane with the next state on its stack.
    ///
    /// If the stack is empty, the lane takes over the next part of the puzzle. If there is no such part, the
    /// puzzle ends.
    pub(super) fn backtrack(&mut self, lane: usize, client: &mut dyn Client) {
        let held = &mut self.lanes[lane];
        if held.part != NONE && (self.pressed || held.stack.is_empty()) {
            self.set_aside(lane);
        } else if let Some(state) = held.stack.pop() {
            self.load(lane, &state, client);
        } else if held.next != NONE {
            self.go_on(lane, client);
        } else if held.least.is_some() {
            self.finish_least(lane, client);
        } else {
            self.finish(lane, EndedBy::Complete, client);
        }
    }

    /// Ends a puzzle and reports its end. `lane` is the lane that has the first part (the head) of the
    /// puzzle.
    pub(super) fn finish(&mut self, lane: usize, ended_by: EndedBy, client: &mut dyn Client) {
        self.deliver(client);
        self.drop_after(lane);
        self.free(lane);
        let held = &self.lanes[lane];
        let outcome = held.totals.ended(ended_by).into();
        client.report(Event::End { ticket: held.ticket, outcome });
    }

    /// Ends a lane's search for the least solution. Reports this solution if the puzzle has one.
    fn finish_least(&mut self, lane: usize, client: &mut dyn Client) {
        let held = &mut self.lanes[lane];
        let solution = held.least.as_ref().and_then(|least| least.solution());
        let ended_by = if solution.is_some() { EndedBy::Limit } else { EndedBy::Complete };
        if let Some(digits) = solution {
            held.totals.found = 1;
            client.report(Event::Solution { ticket: held.ticket, solution: Solution::Digits(digits) });
        }
        self.finish(lane, ended_by, client);
    }

    pub(super) fn free(&mut self, lane: usize) {
        remove(&mut self.busy, lane);
        remove(&mut self.loading, lane);
        let held = &mut self.lanes[lane];
        held.stack.clear();
        (held.part, held.next) = (NONE, NONE);
        held.least = None;
        self.timed -= usize::from(held.ends.take().is_some());
    }

    /// Runs one wave of propagation. Returns three sets of lanes: those with a contradiction, those with a
    /// solution, and those that must branch.
    fn wave(&mut self) -> [Lanes; 3] {
        if !is_empty(&self.loading) {
            let mut lanes = V::zero(self.token);
            words_mut(std::slice::from_mut(&mut lanes)).copy_from_slice(&self.loading[..V::WORDS]);
            V::enter(self.token, Load { wave: &mut self.wave, rows: &mut self.incoming, lanes });
            self.loading = [0; 8];
        }
        self.kind.propagate(self.token, &mut self.wave);
        let verdict = &self.wave.verdict;
        let of = |vector: &V, word: usize| words(std::slice::from_ref(vector))[word];
        let (mut dead, mut solved, mut stalled) = ([0; 8], [0; 8], [0; 8]);
        for word in 0..V::WORDS {
            let (busy, alive) = (self.busy[word], of(&verdict.alive, word));
            dead[word] = busy & !alive;
            solved[word] = busy & of(&verdict.solved, word);
            stalled[word] = busy & alive & !solved[word] & !of(&verdict.changed, word);
        }
        [dead, solved, stalled]
    }

    /// Counts and reports the solutions of solved lanes.
    fn harvest(&mut self, solved: Lanes, client: &mut dyn Client) {
        if bits_of(solved).any(|lane| self.lanes[lane].emits) {
            V::enter(self.token, Digits { wave: &self.wave, grids: &mut self.grids });
        }
        for lane in bits_of(solved) {
            // The loop may have ended another puzzle before this step and freed this lane.
            if !contains(&self.busy, lane) {
                continue;
            }
            let held = &mut self.lanes[lane];
            if let Some(least) = &mut held.least {
                match least.take(self.grids.get(lane)) {
                    AfterSolution::Continue => self.backtrack(lane, client),
                    AfterSolution::Restart(puzzle) => {
                        held.stack.clear();
                        self.load(lane, &puzzle, client);
                    }
                    AfterSolution::End => self.finish_least(lane, client),
                }
                continue;
            }
            held.totals.found += 1;
            if held.part != NONE {
                let digits = held.emits.then(|| self.grids.get(lane));
                if self.found_early(lane, digits) {
                    self.backtrack(lane, client);
                }
                continue;
            }
            if held.emits && held.in_series {
                self.found_in_series(lane, client);
                continue;
            }
            let mut flow = Flow::Continue;
            if held.emits {
                let digits = self.grids.get(lane);
                let solution = Solution::Digits(&digits);
                flow = client.report(Event::Solution { ticket: held.ticket, solution });
            }
            if held.totals.found >= held.wanted {
                self.finish(lane, EndedBy::Limit, client);
            } else if flow == Flow::Stop {
                self.finish(lane, EndedBy::Cancel, client);
            } else {
                self.backtrack(lane, client);
            }
        }
        self.deliver(client);
    }

    /// Adds a solution to `solved`. The puzzle of the lane must come from a batch.
    ///
    /// Ends the search of the puzzle if no further solution is wanted or none is left.
    #[inline]
    fn found_in_series(&mut self, lane: usize, client: &mut dyn Client) {
        let held = &self.lanes[lane];
        let ended_by = if held.totals.found >= held.wanted {
            Some(EndedBy::Limit)
        } else if held.stack.is_empty() && held.next == NONE {
            Some(EndedBy::Complete)
        } else {
            None
        };
        let Lane { ticket, totals, .. } = *held;
        let ended = ended_by.map(|ended_by| totals.ended(ended_by));
        self.solved.push(BatchSolution { ticket, digits: [0; 81], ended });
        self.grids.write(lane, &mut self.solved.last_mut().expect("just pushed").digits);
        if ended.is_some() {
            self.drop_after(lane);
            self.free(lane);
        } else {
            self.backtrack(lane, client);
        }
    }

    /// Reports the solutions in `solved` to the client.
    #[inline]
    pub(super) fn deliver(&mut self, client: &mut dyn Client) {
        if !self.solved.is_empty() {
            client.report(Event::Solved(&self.solved));
            self.solved.clear();
        }
    }

    /// Branches in the stalled lanes, in which propagation finds nothing more.
    ///
    /// A lane continues with the first branch and puts the second on its stack.
    fn branch(&mut self, stalled: Lanes, client: &mut dyn Client) {
        if is_empty(&stalled) {
            return;
        }
        self.kind.choose(self.token, &self.wave);
        V::enter(self.token, Store { wave: &self.wave, rows: &mut self.outgoing });
        for lane in bits_of(stalled) {
            if !contains(&self.busy, lane) {
                continue;
            }
            let held = &mut self.lanes[lane];
            held.totals.guesses += 1;
            held.stack.push(Packed9x9(*self.outgoing.get(lane)));
            let Lane { least, stack, .. } = held;
            let second = stack.last_mut().expect("just pushed");
            if !least.as_ref().is_some_and(|least| least.branch(lane, &mut self.wave, second)) {
                self.kind.branch(lane, &mut self.wave, second);
            }
            self.enter(lane, client);
        }
    }

    /// Ends the puzzles whose time limit has passed.
    fn look_at_the_clock(&mut self, client: &mut dyn Client) {
        let now = Instant::now();
        for lane in bits_of(self.busy) {
            if self.lanes[lane].ends.is_some_and(|end| now >= end) {
                self.finish(lane, EndedBy::Time, client);
            }
        }
    }

    /// Ends all puzzles for `reason`. This includes the waiting puzzles, and those that the client has not
    /// given yet.
    fn stop(&mut self, reason: EndedBy, client: &mut dyn Client) {
        for lane in bits_of(self.busy) {
            if contains(&self.busy, lane) && self.lanes[lane].part == NONE {
                self.finish(lane, reason, client);
            }
        }
        for waiting in self.take_waiting() {
            for ticket in (waiting.first_ticket..).take(waiting.grids.len()) {
                client.report(Event::End { ticket, outcome: nothing(reason) });
            }
        }
        while let Some(jobs) = client.next(1) {
            let ticket = jobs.first().ticket;
            client.report(Event::End { ticket, outcome: nothing(reason) });
        }
    }
}

/// Returns the outcome of a puzzle that was never started.
fn nothing(ended_by: EndedBy) -> Outcome {
    Totals::default().ended(ended_by).into()
}

/// Returns the candidates and rules of a grid, or `None` if this engine cannot search it.
fn grid_of<'a>(job: &Job<'a>) -> Option<(Packed9x9, Option<&'a Arc<Rules>>)> {
    match job.problem {
        _ if matches!(job.goal, Goal::Best(_)) => None,
        ProblemRef::Packed(packed) => Some((*packed, None)),
        ProblemRef::Puzzle(puzzle) => {
            let rules = puzzle.rules().filter(|rules| rules.is_run_wide())?;
            Some((puzzle.candidates_9x9()?, Some(rules)))
        }
        ProblemRef::Cover(_) => None,
    }
}

/// The lanes for some kind of grid.
pub(super) trait LaneSearch: Send {
    /// Returns true if these lanes can search grids under `rules`.
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool;

    /// Works until all jobs for this kind of grid are finished and the client has no more jobs.
    ///
    /// `waiting` has jobs that lanes for another kind of grid have passed on, at most one puzzle per lane.
    /// Returns jobs for other kinds of grid that the client gave in the meantime.
    fn run(&mut self, waiting: Vec<Waiting>, client: &mut dyn Client, control: &Control) -> Vec<Waiting>;
}

impl<V: Vector, K: GridKind<V>> LaneSearch for Search<V, K> {
    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        match (&self.rules, rules) {
            (Some(own), Some(rules)) => Arc::ptr_eq(own, rules) || own == rules,
            (own, rules) => own.is_none() && rules.is_none(),
        }
    }

    fn run(&mut self, waiting: Vec<Waiting>, client: &mut dyn Client, control: &Control) -> Vec<Waiting> {
        for waiting in waiting {
            if self.is_for(waiting.rules.as_ref()) {
                self.begin_waiting(&waiting, client);
            } else {
                self.hold(waiting);
            }
        }
        let mut waves = 0u32;
        loop {
            self.refill(client);
            self.share(client);
            if is_empty(&self.busy) {
                return self.take_waiting();
            }
            if let Some(reason) = control.stop() {
                self.stop(reason, client);
                return Vec::new();
            }
            let [dead, solved, stalled] = self.wave();
            self.harvest(solved, client);
            self.branch(stalled, client);
            for lane in bits_of(dead) {
                if contains(&self.busy, lane) {
                    self.backtrack(lane, client);
                }
            }
            waves = waves.wrapping_add(1);
            if self.timed != 0 && waves.is_multiple_of(WAVES_BETWEEN_LOOKS) {
                self.look_at_the_clock(client);
            }
        }
    }
}
