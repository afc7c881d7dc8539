//! The search: lanes with a puzzle and a stack each, and the loop over waves.
//!
//! Invariants: a lane without a puzzle is not in `busy` and has an empty stack. A lane in `loading` is busy,
//! and its next state is in `incoming`.
//!
//! Nothing that a lane does depends on another lane. Puzzles, stacks and counters are the lane's own, and it branches
//! only at a state that no pass changes any more, no matter when this is noticed. Lanes that would idle take parts of
//! other lanes' puzzles: see `share`.

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

/// Number of waves between two checks of the clock for puzzles with a time limit of their own.
const WAVES_BETWEEN_LOOKS: u32 = 16;

/// A lane, with the puzzle or the part of a puzzle that it works on.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) ticket: u64,
    /// Number of solutions after which to stop.
    pub(super) wanted: u64,
    pub(super) emits: bool,
    /// True if the client takes solutions together with those of other lanes.
    pub(super) in_series: bool,
    pub(super) node_limit: u64,
    pub(super) ends: Option<Instant>,
    pub(super) totals: Totals,
    /// States not yet entered; the next one is last.
    pub(super) stack: Vec<Packed9x9>,
    /// Number of the part that the lane works on.
    ///
    /// [`NONE`] for the head of a puzzle, or without a puzzle.
    pub(super) part: u32,
    /// The part that follows the head, or [`NONE`].
    pub(super) next: u32,
    /// State of the search for the least solution, if that is the goal.
    pub(super) least: Option<Box<Least>>,
}

/// The lanes of grids of one kind on one instruction set.
pub(super) struct Search<V: Vector, K: GridKind<V>> {
    token: V::Token,
    kind: K,
    wave: Box<Wave<V, K::Knowledge>>,
    incoming: Box<Rows<V>>,
    outgoing: Box<Rows<V>>,
    grids: Box<Grids<V>>,
    pub(super) lanes: Vec<Lane>,
    pub(super) busy: Lanes,
    loading: Lanes,
    /// Number of busy lanes with a time limit.
    timed: usize,
    pub(super) parts: Parts,
    /// True if the client may have puzzles for which no lane is free.
    pressed: bool,
    /// Jobs of other kinds, which start when these lanes are done. They are collected until they could fill
    /// all lanes.
    waiting: Vec<Waiting>,
    /// Number of further puzzles that `waiting` may take.
    room: usize,
    /// Solutions of the batch's puzzles that the client has not received yet, at most one per lane.
    solved: Vec<BatchSolution>,
}

/// Puzzles of one kind from the client.
pub(super) struct Waiting {
    pub(super) rules: Option<Arc<Rules>>,
    first_ticket: u64,
    grids: Vec<Packed9x9>,
    goal: Goal,
    limits: Limits,
    in_series: bool,
}

/// A set of lanes, one bit per lane. It has one word per word of a vector, at most eight.
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
    /// Creates free lanes with all their memory.
    pub(super) fn new(token: V::Token, kind: K) -> Self {
        Search {
            token,
            wave: Wave::new(token, kind.nothing_known(token)),
            kind,
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

    /// Gives each free lane a puzzle, as long as the client has any.
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
            if !self.kind.is_for(series.rules) {
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

    /// Keeps puzzles of another kind for later. There must be room for them.
    fn hold(&mut self, waiting: Waiting) {
        self.room -= waiting.grids.len();
        self.waiting.push(waiting);
    }

    /// Removes and returns the puzzles that wait for lanes of another kind.
    fn take_waiting(&mut self) -> Vec<Waiting> {
        self.room = self.lanes.len();
        std::mem::take(&mut self.waiting)
    }

    /// Ends puzzles whose limit does not allow a single node.
    fn end_those_not_begun(&mut self, client: &mut dyn Client) {
        for lane in bits_of(self.busy) {
            // Only puzzles that could not begin have no nodes. `finish` may have freed further lanes.
            if contains(&self.busy, lane) && self.lanes[lane].totals.nodes == 0 {
                self.finish(lane, EndedBy::Nodes, client);
            }
        }
    }

    /// Starts puzzles of this kind that waited for it. All lanes must be free.
    fn begin_waiting(&mut self, waiting: &Waiting, client: &mut dyn Client) {
        let &Waiting { first_ticket, goal, limits, in_series, .. } = waiting;
        let (grids, rules) = (&waiting.grids[..], waiting.rules.as_ref());
        if !self.begin(&JobBatch { first_ticket, grids, rules, goal, limits }, in_series) {
            self.end_those_not_begun(client);
        }
    }

    /// Gives each puzzle of a batch a free lane; returns `false` if the limit allows no nodes.
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

    /// Makes a lane enter a state, if its limit allows another node.
    #[inline]
    pub(super) fn load(&mut self, lane: usize, state: &Packed9x9, client: &mut dyn Client) {
        *self.incoming.get_mut(lane) = state.0;
        insert(&mut self.busy, lane);
        insert(&mut self.loading, lane);
        self.enter(lane, client);
    }

    /// Counts one more node in a lane, or ends its work if the limit is reached.
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

    /// Continues a lane's puzzle with its next state, or ends it if there is none.
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

    /// Ends the puzzle of a lane that holds its head, and reports the end.
    pub(super) fn finish(&mut self, lane: usize, ended_by: EndedBy, client: &mut dyn Client) {
        self.deliver(client);
        self.drop_after(lane);
        self.free(lane);
        let held = &self.lanes[lane];
        let outcome = held.totals.ended(ended_by).into();
        client.report(Event::End { ticket: held.ticket, outcome });
    }

    /// Ends a search that has found the least solution, or has shown that there is none.
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

    /// Propagates once; returns the lanes that died, are solved, and must branch.
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
            // An earlier puzzle of this loop may have ended and freed this lane.
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

    /// Notes a solution of a puzzle of a batch; ends the search if no further solution is wanted.
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

    /// Reports to the client the solutions in `solved`.
    #[inline]
    pub(super) fn deliver(&mut self, client: &mut dyn Client) {
        if !self.solved.is_empty() {
            client.report(Event::Solved(&self.solved));
            self.solved.clear();
        }
    }

    /// Branches in stalled lanes: the lane continues with the first branch and stacks the second.
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

    /// Ends puzzles whose time is over.
    fn look_at_the_clock(&mut self, client: &mut dyn Client) {
        let now = Instant::now();
        for lane in bits_of(self.busy) {
            if self.lanes[lane].ends.is_some_and(|end| now >= end) {
                self.finish(lane, EndedBy::Time, client);
            }
        }
    }

    /// Ends all puzzles for `reason`, including those that wait and those that the client still has.
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

/// Returns the outcome of a puzzle that was not started.
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

impl<V: Vector, K: GridKind<V>> Search<V, K> {
    /// Returns true if these lanes search grids under `rules`.
    pub(super) fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        self.kind.is_for(rules)
    }

    /// Works until all jobs of this kind are finished and the client has no more.
    ///
    /// `waiting` are jobs that lanes of another kind passed on, at most as many puzzles as there are lanes
    /// here. Returns the jobs of other kinds that the client gave in the meantime.
    pub(super) fn run(
        &mut self,
        waiting: Vec<Waiting>,
        client: &mut dyn Client,
        control: &Control,
    ) -> Vec<Waiting> {
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
