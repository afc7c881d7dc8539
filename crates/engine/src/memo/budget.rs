//! The work that a count of solutions has done so far, and the limits at which it must stop.

use num_bigint::BigUint;

use super::plan::Plan;
use crate::Control;
use crate::budget::{LoopWatch, Watch};
use crate::counting::Stop;
use quadrille_model::{Counters, EndedBy, Limits};

/// Work of one node of a plain search. The unit is the work of trying one option that does not fit.
const NODE: u64 = 64;
/// Work of one step from a state of the count to a later state. The unit is that of [`NODE`].
const STEP: u64 = 24;
/// Work of moving one word of a state or counting its bits. The unit is that of [`LoopWatch::work`].
pub(super) const WORD: usize = 8;
/// Factor by which a count may exceed the allowed work. It applies only if the whole cost is known in
/// advance.
const CERTAIN: f64 = 8.0;
/// Maximum work of one shard (part of the states) between two checks of the limits. The unit is one tried
/// option.
///
/// This amount of work takes some milliseconds.
const BETWEEN_LOOKS: u64 = 1 << 20;

/// The work of a count so far, and its limits.
#[derive(Debug)]
pub(super) struct WorkBudget<'a> {
    pub(super) control: &'a Control,
    pub(super) watch: Watch<'a>,
    states_limit: u64,
    work_allowed: u64,
    pub(super) memory: usize,
    /// The memory limit that the caller has set, or `None` if the default is used.
    pub(super) limit: Option<u64>,
    /// Number of states whose options were tried.
    states: u64,
    /// Work of trying options and making steps, in the unit of [`NODE`].
    work: u64,
    /// Number of guesses: steps from one state to another, except for the first step from each state.
    guesses: u64,
}

/// Work done since the last check of the limits. Also used for the maximum work until the next check.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Effort {
    pub states: u64,
    pub work: u64,
    pub guesses: u64,
}

impl Effort {
    /// Adds the work for one state. `options` is the number of options tried in this state, and `steps` is
    /// the number of those that led to another state.
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
    /// No result, because the count would cost more work than allowed, or its states need too many words.
    Declined,
}

impl<'a> WorkBudget<'a> {
    /// Creates a budget without any work done so far. `memory` is the limit in bytes if `limits` does not set
    /// one.
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

    /// Returns the limits for the search of one part: the amounts that remain of the limits of the whole
    /// count.
    pub(super) fn left(&self) -> Limits {
        Limits {
            nodes: (self.states_limit < u64::MAX).then(|| self.states_limit.saturating_sub(self.states)),
            time: self.watch.left(),
            memory: Some(self.memory as u64),
            ..Limits::default()
        }
    }

    /// Adds the nodes and guesses of a search to the work done so far.
    pub(super) fn spend(&mut self, counters: Option<Counters>) {
        if let Some(counters) = counters {
            self.states += counters.nodes;
            self.guesses += counters.guesses;
        }
    }

    /// Sets the work allowed for `plan` to the work of `nodes` nodes of a search.
    ///
    /// The count gives up when the allowed work is spent. As an exception, the count may run to its end if
    /// its whole cost is known to be at most [`CERTAIN`] times the allowed work.
    pub(super) fn allow(&mut self, nodes: u64, plan: &Plan) {
        let allowed = nodes.saturating_mul(NODE);
        let certain = plan.size() <= allowed as f64 * CERTAIN;
        self.work_allowed = if certain { u64::MAX } else { self.work.saturating_add(allowed) };
    }

    /// Removes the limit on work: the count may run to its end.
    pub(super) fn allow_all(&mut self) {
        self.work_allowed = u64::MAX;
    }

    /// Adds the work that a shard has done.
    pub(super) fn done(&mut self, share: Effort) {
        self.states += share.states;
        self.work = self.work.saturating_add(share.work);
        self.guesses += share.guesses;
    }

    /// Returns the work that each of `shards` shards may do before the next check.
    ///
    /// With this amount, all shards together hardly exceed the remaining limits.
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

    /// Checks only the time limit and whether the control asks to stop.
    pub(super) fn check(&self) -> Result<(), Stop> {
        self.watch.stop().map_or(Ok(()), |reason| Err(Stop::Ended(reason)))
    }

    /// Returns a watch that checks the limits during a loop over all states or over the whole problem.
    pub(super) fn pace(&self) -> LoopWatch<'a> {
        self.watch.pace()
    }
}
