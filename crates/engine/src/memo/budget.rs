//! The work of a count so far, and the limits at which it must stop.

use num_bigint::BigUint;

use super::plan::Plan;
use crate::Control;
use crate::budget::{LoopWatch, Watch};
use crate::counting::Stop;
use quadrille_model::{Counters, EndedBy, Limits};

/// Work of one node of a plain search. The unit is one option that was tried and did not fit.
const NODE: u64 = 64;
/// Work of one step to a later state, in the same unit as [`NODE`].
const STEP: u64 = 24;
/// Work per word of a state that is moved or whose bits are counted, in the units of [`LoopWatch::work`].
pub(super) const WORD: usize = 8;
/// Maximum cost of a count whose whole cost is known in advance, as a multiple of the work allowed otherwise.
const CERTAIN: f64 = 8.0;
/// Work of one shard between two checks of the limits, in options: some milliseconds.
const BETWEEN_LOOKS: u64 = 1 << 20;

/// The work of a count so far, and its limits.
#[derive(Debug)]
pub(super) struct WorkBudget<'a> {
    pub(super) control: &'a Control,
    pub(super) watch: Watch<'a>,
    states_limit: u64,
    work_allowed: u64,
    pub(super) memory: usize,
    /// The caller's limit on `memory`, or `None` if the default is used.
    pub(super) limit: Option<u64>,
    /// Number of states whose options were tried.
    states: u64,
    /// Options tried and steps made, in options (see [`NODE`]).
    work: u64,
    /// Number of steps beyond the first step of each state.
    guesses: u64,
}

/// Work done between two checks, or the limits on it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Effort {
    pub states: u64,
    pub work: u64,
    pub guesses: u64,
}

impl Effort {
    /// Adds one state that tried `options` options and led to `steps` further states.
    #[inline]
    pub(super) fn add(&mut self, options: usize, steps: u64) {
        self.states += 1;
        self.work += options as u64 + steps * STEP;
        self.guesses += steps.saturating_sub(1);
    }
}

/// The result of a count.
#[derive(Debug)]
pub(super) enum End {
    /// The number of solutions.
    Counted(BigUint),
    /// A lower bound on the number of solutions, and the reason why the count stopped.
    Early(BigUint, EndedBy),
    /// The count would cost more than allowed, or its states are too wide for the sweep.
    Declined,
}

impl<'a> WorkBudget<'a> {
    /// Creates an unspent budget; `memory` is the limit in bytes if `limits` has none.
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
            ..Limits::default()
        }
    }

    /// Adds the nodes and guesses of a search.
    pub(super) fn spend(&mut self, counters: Option<Counters>) {
        if let Some(counters) = counters {
            self.states += counters.nodes;
            self.guesses += counters.guesses;
        }
    }

    /// Sets the work allowed for `plan`, as the work of `nodes` nodes of a search.
    ///
    /// The count declines when that is spent. If the plan's whole cost is known to be at most [`CERTAIN`] times as
    /// much, the count may run to its end.
    pub(super) fn allow(&mut self, nodes: u64, plan: &Plan) {
        let allowed = nodes.saturating_mul(NODE);
        let certain = plan.size() <= allowed as f64 * CERTAIN;
        self.work_allowed = if certain { u64::MAX } else { self.work.saturating_add(allowed) };
    }

    /// Removes the limit on work: the count may run to its end.
    pub(super) fn allow_all(&mut self) {
        self.work_allowed = u64::MAX;
    }

    /// Adds the work of a shard.
    pub(super) fn done(&mut self, share: Effort) {
        self.states += share.states;
        self.work = self.work.saturating_add(share.work);
        self.guesses += share.guesses;
    }

    /// Returns the work that each of `shards` shards may do before the next check.
    ///
    /// Together the shards hardly exceed the rest of the limits.
    pub(super) fn share(&self, shards: usize) -> Effort {
        let each = |left: u64| (left / shards as u64).max(1);
        Effort {
            states: each(self.states_limit.saturating_sub(self.states)),
            work: each(self.work_allowed.saturating_sub(self.work)).min(BETWEEN_LOOKS),
            guesses: u64::MAX,
        }
    }

    /// Checks all limits.
    ///
    /// # Errors
    /// Returns the reason if the count must stop.
    pub(super) fn look(&self) -> Result<(), Stop> {
        if self.work > self.work_allowed {
            return Err(Stop::Declined);
        }
        if self.states >= self.states_limit {
            return Err(Stop::Ended(EndedBy::Nodes));
        }
        self.control.yield_now();
        self.check()
    }

    /// Checks only the clock and the control.
    ///
    /// # Errors
    /// Returns the reason if the count must stop.
    pub(super) fn check(&self) -> Result<(), Stop> {
        self.watch.stop().map_or(Ok(()), |reason| Err(Stop::Ended(reason)))
    }

    /// Returns the watch for a loop over all states or the whole problem.
    pub(super) fn pace(&self) -> LoopWatch<'a> {
        self.watch.pace()
    }
}
