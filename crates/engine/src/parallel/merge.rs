//! The owner of a search that is split into parts.
//!
//! The owner is the thread that started the search. It merges the results of the parts in order, passes their
//! solutions on, and keeps exactly to the limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Claim, Key, Parts, Slot, Split, Stage, Work};
use crate::{Flow, Incumbent, Task, TreeSearch, Visitor};
use quadrille_model::{
    Count, Counters, EndedBy, Goal, Outcome, Solution, Solutions, TopScores, TopSolutions,
};

pub(super) struct Merger<'s, 'v> {
    split: &'s Split,
    visitor: &'v mut dyn Visitor,
    /// Key of the head, which is the first part or solution that is not merged yet. `None` if everything is
    /// merged.
    head: Option<Key>,
    /// Number of solutions of the head (the first unmerged part) that were already passed on to the visitor.
    passed: u64,
    /// Total number of solutions that were merged or passed on to the visitor.
    found: Count,
    /// Number of nodes of the merged subtrees. The nodes of the shallow search, which made the parts, are
    /// counted separately.
    nodes: u64,
    /// Guesses of the merged subtrees.
    guesses: u64,
    /// Best scores so far, in a search for the best solutions.
    best: Option<TopScores>,
    /// A score that no solution beats. Used if a limit has stopped a search for the best solutions.
    bound: i64,
    /// The weakest bound on the scores of those solutions in merged parts that were not visited.
    ///
    /// `None` if there is no such bound yet.
    open: Option<i64>,
    /// True if a merged part has unvisited solutions without a known bound on their scores.
    is_unbounded: bool,
    ended: Option<EndedBy>,
}

/// Solutions that were taken from the head. If the head has ended, also its outcome, and the bound of its
/// unsearched rest if that is known.
type Taken = (Solutions, Option<(Outcome, Option<i64>)>);

/// The result of a step.
#[derive(PartialEq, Eq)]
enum Step {
    /// A part or solution was merged, or solutions were passed on to the visitor.
    Moved,
    /// Nothing can be merged now: the first unmerged part is running or waiting, or everything is merged.
    Waits,
    /// The owner must search in its own thread to find out how the first unmerged part ends.
    NeedsSearch,
}

impl<'s, 'v> Merger<'s, 'v> {
    pub(super) fn new(split: &'s Split, visitor: &'v mut dyn Visitor) -> Self {
        Merger {
            split,
            visitor,
            head: split.lock().slots.keys().next().cloned(),
            passed: 0,
            found: Count::ZERO,
            nodes: 0,
            guesses: 0,
            best: split.goal.top().map(TopScores::new),
            bound: 0,
            open: None,
            is_unbounded: false,
            ended: None,
        }
    }

    /// Runs parts and merges them in order until none is left. Returns the outcome of the whole search.
    pub(super) fn finish(mut self, search: &mut dyn TreeSearch) -> Outcome {
        let split = self.split;
        loop {
            let news = split.lock().news;
            while self.advance(search) {}
            let Some(head) = self.head.as_ref().filter(|_| self.ended.is_none()) else { break };
            match split.claim() {
                Some(claim) => self.run_own(claim, search),
                None => {
                    let state = split.lock();
                    match state.slots[head].stage {
                        Stage::Running(_) if state.news != news => {}
                        Stage::Running(_) => drop(split.wait_for_work(state)),
                        // The search was cancelled before the first unmerged part (the head) started. So no
                        // thread will start this part.
                        Stage::Waiting if !state.waiting.contains(head) || split.control.is_cancelled() => {
                            self.ended = Some(split.control.stop().unwrap_or(EndedBy::Cancel));
                        }
                        Stage::Waiting | Stage::Done(_) | Stage::Failed => {}
                    }
                }
            }
        }
        if self.adds_up_unfinished() {
            self.merge_counts();
        }
        if let Some(direction) = self.best.as_ref().map(|best| best.top().direction)
            && self.ended.is_some()
        {
            self.merge_rest();
            self.bound = search.bound(split.problem.as_ref(), direction);
            if let Some(open) = self.open.filter(|_| !self.is_unbounded)
                && direction.is_better(self.bound, open)
            {
                self.bound = open;
            }
        }
        self.outcome()
    }

    /// Returns true if the time limit or a cancellation has ended a count of all solutions.
    ///
    /// In that case the counts of all parts, in any order, add up to a lower bound.
    fn adds_up_unfinished(&self) -> bool {
        let by_chance = matches!(self.ended, Some(EndedBy::Time | EndedBy::Deadline | EndedBy::Cancel));
        by_chance && self.split.goal == Goal::Count { limit: None }
    }

    /// Stops all parts of a count, and adds up the numbers of solutions that they have counted.
    fn merge_counts(&mut self) {
        for slot in self.end_parts().into_values() {
            match slot.stage {
                Stage::Done(outcome) => self.found += &outcome.found,
                _ if slot.work.solution().is_some() => self.found += &Count::from(1),
                _ => {}
            }
        }
        self.head = None;
    }

    /// Stops all parts, waits until they have ended, and removes and returns their slots.
    fn end_parts(&self) -> BTreeMap<Key, Slot> {
        let split = self.split;
        split.control.cancel();
        let mut state = split.lock();
        while state.running > 0 {
            state = split.wait(state);
        }
        std::mem::take(&mut state.slots)
    }

    /// Stops all parts after a limit has ended a search for the best solutions.
    ///
    /// Then merges the solutions that the parts have found, and the bounds on the subtrees that they have not
    /// searched.
    fn merge_rest(&mut self) {
        for slot in self.end_parts().into_values() {
            match slot.stage {
                Stage::Done(outcome) if outcome.ended_by == EndedBy::Complete => {}
                _ => {
                    if let Work::Solution(solution) = &slot.work {
                        self.add_solutions(solution);
                    } else {
                        self.leave_open(slot.open);
                    }
                }
            }
            self.add_solutions(&slot.solutions);
        }
        self.head = None;
    }

    /// Includes the bound of a part's unsearched rest in the overall bound. `bound` is `None` if the bound of
    /// the rest is unknown.
    fn leave_open(&mut self, bound: Option<i64>) {
        match bound {
            Some(bound) => {
                self.open = Some(self.open.map_or(bound, |open| self.split.weaker(open, bound)));
            }
            None => self.is_unbounded = true,
        }
    }

    /// Runs a part in the owner's thread. Whenever the memory for the part's solutions is full, merges
    /// earlier parts.
    fn run_own(&mut self, claim: Claim, search: &mut dyn TreeSearch) {
        let control = Arc::clone(&claim.control);
        let split = self.split;
        split.run(claim, search, &mut || {
            let step = loop {
                match self.step() {
                    Step::Moved => {}
                    other => break other,
                }
            };
            let head_waits = || {
                self.head
                    .as_ref()
                    .is_some_and(|head| matches!(split.lock().slots[head].stage, Stage::Waiting))
            };
            if self.ended.is_some() || step == Step::NeedsSearch || head_waits() {
                // The head is the first unmerged part. Stop this part in three cases:
                //
                // - The whole search has ended.
                // - The head needs a search. Either a limit ends the search within the head, or the
                //   head is this part.
                // - The head still waits for a thread, so this thread must run it.
                control.cancel();
            }
        });
    }

    /// Merges the next part or solution, and searches if that is necessary. Returns false if the next one is
    /// not ready.
    fn advance(&mut self, search: &mut dyn TreeSearch) -> bool {
        match self.step() {
            Step::Moved => true,
            Step::Waits => false,
            Step::NeedsSearch => {
                match self.head_work() {
                    Work::Subtree(prefix) => self.run_again(&prefix, search),
                    Work::Solution(_) => self.run_whole_again(search),
                }
                true
            }
        }
    }

    /// Merges the next part or solution, but never searches.
    fn step(&mut self) -> Step {
        if self.ended.is_some() {
            return Step::Waits;
        }
        let Some(head) = &self.head else { return Step::Waits };
        let solution = self.split.lock().slots[head].work.solution().cloned();
        if let Some(solution) = solution {
            if !self.is_within(self.shallow_nodes_before_next()) {
                return Step::NeedsSearch;
            }
            self.add_solutions(&solution);
            self.next_part();
            return Step::Moved;
        }
        let (solutions, ended) = match self.take() {
            Ok(taken) => taken,
            Err(step) => return step,
        };
        match ended {
            None => {
                self.add_solutions(&solutions);
                self.passed += solutions.len() as u64;
            }
            Some(_) if self.head_left() == Some(0) => self.ended = Some(EndedBy::Nodes),
            Some((outcome, open)) => {
                if outcome.ended_by != EndedBy::Complete {
                    self.leave_open(open);
                }
                self.add(&outcome, &solutions);
            }
        }
        Step::Moved
    }

    /// Returns the work of the head, the first piece that is not merged yet: a subtree to search, or a
    /// solution.
    fn head_work(&self) -> Work {
        self.split.lock().slots[self.head()].work.clone()
    }

    fn head(&self) -> &Key {
        self.head.as_ref().expect("there is a part that is not merged")
    }

    /// Removes and returns solutions of the first unmerged part (the head), if they certainly belong to the
    /// answer.
    ///
    /// Returns [`Step::Waits`] as the error if there are none yet. Returns [`Step::NeedsSearch`] if the part
    /// must run again, because a limit may stop it or because its result was lost.
    fn take(&self) -> Result<Taken, Step> {
        let mut state = self.split.lock();
        let could_begin = self.split.can_begin(&state);
        let taken = self.take_from(&mut state);
        if let Ok((solutions, _)) = &taken {
            state.held = state.held.saturating_sub(solutions.bytes());
        }
        let waiting = state.waiting.len();
        if !could_begin && self.split.can_begin(&state) {
            drop(state);
            self.split.control.offer(waiting);
        }
        taken
    }

    fn take_from(&self, state: &mut Parts) -> Result<Taken, Step> {
        let slot = state.slots.get_mut(self.head()).expect("a part has a slot until it is merged");
        let left = self.left(slot.nodes_before);
        match &slot.stage {
            Stage::Done(outcome) => {
                let nodes = outcome.counters.map_or(0, |counters| counters.nodes);
                let crosses =
                    left.is_some_and(|left| left > 0 && (nodes > left || outcome.ended_by == EndedBy::Nodes));
                let was_stopped = outcome.ended_by == EndedBy::Cancel && !self.split.control.is_cancelled();
                if crosses || was_stopped {
                    return Err(Step::NeedsSearch);
                }
                let Stage::Done(outcome) = std::mem::take(&mut slot.stage) else {
                    unreachable!("just matched")
                };
                Ok((std::mem::take(&mut slot.solutions), Some((outcome, slot.open))))
            }
            Stage::Failed => Err(Step::NeedsSearch),
            Stage::Running(control) if self.split.incumbent.is_none() && !slot.solutions.is_empty() => {
                if left.is_none_or(|left| control.nodes_at_most() <= left) {
                    let taken = std::mem::take(&mut slot.solutions);
                    self.split.tell(state);
                    return Ok((taken, None));
                }
                if slot.solutions.bytes() > self.split.hold_of_part() {
                    // The part waits until its solutions are passed on. But the search may reach the node
                    // limit before these solutions. So the part is cancelled and must run again.
                    control.cancel();
                    self.split.tell(state);
                }
                Err(Step::Waits)
            }
            Stage::Running(_) | Stage::Waiting => Err(Step::Waits),
        }
    }

    /// Returns the number of nodes that the first unmerged part may enter, or `None` if there is no limit.
    fn head_left(&self) -> Option<u64> {
        let nodes_before = self.split.lock().slots[self.head()].nodes_before;
        self.left(nodes_before)
    }

    /// Returns the number of nodes that a part may enter if it is the first unmerged part. Returns `None` if
    /// there is no limit.
    ///
    /// `nodes_before` is the number of nodes that the shallow search had entered when it met this part.
    ///
    /// In a search for the best solutions, the result is always `None`. The parts of such a search share
    /// scores, so their numbers of nodes depend on timing. Therefore each part has its own limit.
    fn left(&self, nodes_before: u64) -> Option<u64> {
        if self.split.incumbent.is_some() {
            return None;
        }
        let before = nodes_before + self.nodes;
        self.split.limits.nodes.map(|limit| limit.saturating_sub(before))
    }

    /// Returns true if the node limit is large enough for all merged nodes and `shallow_nodes` nodes of the
    /// shallow search.
    fn is_within(&self, shallow_nodes: u64) -> bool {
        self.split.incumbent.is_some()
            || self.split.limits.nodes.is_none_or(|limit| shallow_nodes + self.nodes <= limit)
    }

    /// Returns the number of nodes that the shallow search had entered when it met the piece after the head.
    ///
    /// The head is the first piece that is not merged yet.
    fn shallow_nodes_before_next(&self) -> u64 {
        let state = self.split.lock();
        state.after(self.head()).map_or_else(|| self.shallow_nodes(), |(_, next)| next.nodes_before)
    }

    fn shallow_nodes(&self) -> u64 {
        self.split.shallow.counters.map_or(0, |counters| counters.nodes)
    }

    /// Runs the first unmerged part (the head) again, with the exact amounts that remain of the limits.
    ///
    /// Skips the solutions that were already passed on.
    fn run_again(&mut self, prefix: &[u32], search: &mut dyn TreeSearch) {
        let split = self.split;
        let nodes = if split.incumbent.is_some() { split.limits.nodes } else { self.head_left() };
        let (goal, skip) = (self.goal_left(), self.passed);
        let sealed = split.incumbent.as_ref().map(Incumbent::sealed);
        let task = Task { prefix, goal, incumbent: sealed.as_ref(), ..split.part(nodes) };
        let mut rerun = Rerun { merger: self, skip, best: goal.top().map(TopSolutions::new), unseen: None };
        let outcome = search.search(&task, &mut rerun, &split.control);
        let unseen = rerun.unseen;
        let best = rerun.best.map_or_else(Solutions::default, TopSolutions::into_order_met);
        if outcome.ended_by != EndedBy::Complete {
            self.leave_open(unseen);
        }
        self.add(&outcome, &best);
    }

    /// Runs the whole problem again with a sequential search.
    ///
    /// This is necessary if the node limit falls between two pieces. Only a sequential search shows whether a
    /// solution of the shallow search comes before or after the limit.
    fn run_whole_again(&mut self, search: &mut dyn TreeSearch) {
        let split = self.split;
        let task = split.part(split.limits.nodes);
        let skip = self.found.to_u64().unwrap_or(u64::MAX);
        let mut rerun = Rerun { merger: self, skip, best: None, unseen: None };
        let outcome = search.search(&task, &mut rerun, &split.control);
        self.found = outcome.found;
        self.ended = Some(outcome.ended_by);
    }

    /// Returns the goal for the first unmerged part: the goal of the whole search, without the solutions that
    /// were found in earlier parts.
    fn goal_left(&self) -> Goal {
        let before = self.found.to_u64().unwrap_or(u64::MAX).saturating_sub(self.passed);
        let rest = |limit: u64| limit.saturating_sub(before).max(1);
        match self.split.goal {
            Goal::First(limit) => Goal::First(rest(limit)),
            Goal::Count { limit: Some(limit) } => Goal::Count { limit: Some(rest(limit)) },
            other => other,
        }
    }

    /// Adds the outcome of a part. Passes on its solutions, except those that were already passed on.
    fn add(&mut self, outcome: &Outcome, solutions: &Solutions) {
        if self.split.goal.wants_solutions() {
            self.add_solutions(solutions);
        } else {
            self.count(&outcome.found);
        }
        if let Some(counters) = outcome.counters {
            self.nodes += counters.nodes;
            self.guesses += counters.guesses;
        }
        if outcome.ended_by != EndedBy::Complete {
            self.ended = self.ended.or(Some(outcome.ended_by));
        }
        self.next_part();
    }

    fn count(&mut self, found: &Count) {
        self.found += found;
        if let Some(limit) = self.split.goal.limit()
            && self.found >= Count::from(limit)
        {
            self.found = Count::from(limit);
            self.ended = Some(EndedBy::Limit);
        }
    }

    fn add_solutions(&mut self, solutions: &Solutions) {
        for solution in solutions.iter() {
            if self.add_solution(solution) == Flow::Stop {
                break;
            }
        }
    }

    /// Counts a solution and passes it on if the goal wants solutions.
    fn add_solution(&mut self, solution: Solution<'_>) -> Flow {
        if let Some(best) = &mut self.best {
            let score = self.split.problem.as_ref().score(solution);
            if best.add(score).is_some() {
                self.found = Count::from(best.scores().len() as u64);
                return self.visitor.solution(solution);
            }
            return Flow::Continue;
        }
        self.count(&Count::from(1));
        if self.split.goal.wants_solutions() && self.visitor.solution(solution) == Flow::Stop {
            self.ended = Some(EndedBy::Cancel);
        }
        if self.ended.is_some() { Flow::Stop } else { Flow::Continue }
    }

    fn next_part(&mut self) {
        let mut state = self.split.lock();
        let merged = self.head.take().and_then(|head| state.slots.remove(&head));
        // If the part ran twice, the slot may still have solutions from the second time. The slot is removed
        // now, so the bytes of these solutions are subtracted.
        state.held -= merged.map_or(0, |slot| slot.solutions.bytes());
        self.head = state.slots.keys().next().cloned();
        drop(state);
        self.passed = 0;
    }

    fn outcome(mut self) -> Outcome {
        if self.ended.is_none() && !self.is_within(self.shallow_nodes()) {
            self.ended = Some(EndedBy::Nodes);
        }
        let ended_by = self.ended.unwrap_or(EndedBy::Complete);
        let split = self.split;
        let shallow = split.shallow.counters.unwrap_or_default();
        let exact = ended_by == EndedBy::Complete && split.incumbent.is_none();
        let counters = exact.then(|| Counters {
            nodes: self.nodes + shallow.nodes,
            guesses: self.guesses + shallow.guesses,
            ..Counters::default()
        });
        let open = (ended_by != EndedBy::Complete).then_some(self.bound);
        let best = self.best.as_ref().and_then(|best| best.to_best(open));
        Outcome { found: self.found, ended_by, counters, best }
    }
}

/// A visitor for a part that runs again. It passes on solutions, except those that were passed on before.
struct Rerun<'m, 's, 'v> {
    merger: &'m mut Merger<'s, 'v>,
    skip: u64,
    best: Option<TopSolutions>,
    unseen: Option<i64>,
}

impl Visitor for Rerun<'_, '_, '_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        if let Some(best) = &mut self.best {
            best.offer(self.merger.split.problem.as_ref().score(solution), solution);
            return Flow::Continue;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Flow::Continue;
        }
        self.merger.add_solution(solution)
    }
    fn unseen(&mut self, bound: i64) {
        self.unseen = Some(bound);
    }
}
