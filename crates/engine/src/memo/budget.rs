//! The work of a count so far, and the limits at which it must end.

use num_bigint::BigUint;

use super::plan::Plan;
use crate::Control;
use crate::budget::{Pace, Watch};
use crate::counting::Stop;
use quadrille_model::{Counters, EndedBy, Limits};

/// Work of a node of a plain search, in options that were tried and did not fit.
const NODE: u64 = 64;
/// Work of a step, in the same unit.
const STEP: u64 = 24;
/// Work of a word of a state that is moved or whose bits are counted, where it is compared with that of other loops.
pub(super) const WORD: usize = 8;
/// A cost that is certain may be so many times one that may be in vain.
const CERTAIN: f64 = 8.0;
/// Work between two looks at limits, per shard: some milliseconds.
const BETWEEN_LOOKS: u64 = 1 << 20;

/// The work of a count so far, and its limits.
#[derive(Debug)]
pub(super) struct WorkBudget<'a> {
    pub(super) control: &'a Control,
    pub(super) watch: Watch<'a>,
    states_limit: u64,
    work_allowed: u64,
    pub(super) memory: usize,
    /// The caller's limit on that, if there is one.
    pub(super) limit: Option<u64>,
    /// States whose options were tried.
    states: u64,
    /// Options tried and steps made, in options.
    work: u64,
    /// Steps that were not the only one of their state.
    guesses: u64,
}

/// The work between two looks, or its limits.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Effort {
    pub states: u64,
    pub work: u64,
    pub guesses: u64,
}

impl Effort {
    /// Adds a state of a layer of so many options, which led so many steps on.
    #[inline]
    pub(super) fn add(&mut self, options: usize, steps: u64) {
        self.states += 1;
        self.work += options as u64 + steps * STEP;
        self.guesses += steps.saturating_sub(1);
    }
}

/// The end of a count.
#[derive(Debug)]
pub(super) enum End {
    /// With the number of solutions.
    Counted(BigUint),
    /// Before its end: there are at least so many.
    Early(BigUint, EndedBy),
    /// It would cost more than it may, or states are wider than the sweep goes.
    Declined,
}

impl<'a> WorkBudget<'a> {
    /// Returns a budget of which nothing is spent; `memory` is the limit in bytes where `limits` has none.
    pub(super) fn new(limits: Limits, control: &'a Control, memory: u64) -> Self {
        let limit = limits.memory;
        let memory = limit.unwrap_or(memory);
        WorkBudget {
            control,
            watch: Watch::new(limits, control),
            states_limit: limits.nodes.unwrap_or(u64::MAX),
            work_allowed: u64::MAX,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            limit,
            states: 0,
            work: 0,
            guesses: 0,
        }
    }

    pub(super) fn counters(&self) -> Counters {
        Counters { nodes: self.states, guesses: self.guesses, ..Counters::default() }
    }

    /// Returns the rest of the limits, for a search of a part.
    pub(super) fn left(&self) -> Limits {
        Limits {
            nodes: (self.states_limit < u64::MAX).then(|| self.states_limit.saturating_sub(self.states)),
            time: self.watch.left(),
            memory: Some(self.memory as u64),
        }
    }

    /// Adds what a search has cost.
    pub(super) fn spend(&mut self, counters: Option<Counters>) {
        if let Some(counters) = counters {
            self.states += counters.nodes;
            self.guesses += counters.guesses;
        }
    }

    /// Sets what may be spent on a plan before the count declines, in nodes of a search. A plan that can cost no more than
    /// some times that for certain is gone through to its end.
    pub(super) fn allow(&mut self, nodes: u64, plan: &Plan) {
        let allowed = nodes.saturating_mul(NODE);
        let certain = plan.size() <= allowed as f64 * CERTAIN;
        self.work_allowed = if certain { u64::MAX } else { self.work.saturating_add(allowed) };
    }

    /// Lets a count go on to its end.
    pub(super) fn allow_all(&mut self) {
        self.work_allowed = u64::MAX;
    }

    /// Adds what a shard has done.
    pub(super) fn done(&mut self, share: Effort) {
        self.states += share.states;
        self.work = self.work.saturating_add(share.work);
        self.guesses += share.guesses;
    }

    /// Returns the work that each of some shards may do before the next look: never much more together than what is
    /// left.
    pub(super) fn share(&self, shards: usize) -> Effort {
        let each = |left: u64| (left / shards as u64).max(1);
        Effort {
            states: each(self.states_limit.saturating_sub(self.states)),
            work: each(self.work_allowed.saturating_sub(self.work)).min(BETWEEN_LOOKS),
            guesses: u64::MAX,
        }
    }

    /// Checks the limits; an error is the reason why the count must stop.
    pub(super) fn look(&self) -> Result<(), Stop> {
        if self.work > self.work_allowed {
            return Err(Stop::Declined);
        }
        if self.states >= self.states_limit {
            return Err(Stop::Ended(EndedBy::Nodes));
        }
        self.control.give_way();
        self.goes_on()
    }

    /// Checks the clock and the control alone; an error is the reason why the count must stop.
    pub(super) fn goes_on(&self) -> Result<(), Stop> {
        self.watch.stop().map_or(Ok(()), |reason| Err(Stop::Ended(reason)))
    }

    /// Returns the pace for a loop over all states or the whole problem.
    pub(super) fn pace(&self) -> Pace<'a> {
        self.watch.pace()
    }
}
