//! Budget of a count. It has the maximum cost of the count, and the cost so far.

use crate::counting::Stop;
use crate::{Budget, Control, Task};
use quadrille_model::{Counters, EndedBy};

/// Approximate cost of one node of a search, in additions and multiplications.
const UNITS_PER_NODE: f64 = 500.0;

/// The budget of one count. Each visited class of configurations counts as one node.
pub(super) struct WorkBudget<'a> {
    budget: Budget<'a>,
    spent: f64,
    allowed: f64,
    classes: usize,
    /// Maximum number of bytes that the count may use.
    pub(super) memory: Option<u64>,
}

/// Number of bytes per class, while classes are being collected. This is twice the size of a class.
const CLASS_BYTES: u64 = 64;

impl<'a> WorkBudget<'a> {
    /// Creates a budget. Its time limit starts now. `allowance` is measured in nodes of a search.
    pub(super) fn new(task: &Task<'_>, control: &'a Control, allowance: Option<u64>) -> Self {
        let mut budget = Budget::new(task, control);
        budget.look_every(1);
        let allowed = allowance.map_or(f64::INFINITY, |nodes| nodes as f64 * UNITS_PER_NODE);
        let memory = task.limits.memory;
        let classes = memory.map_or(u64::MAX, |memory| memory / 4 / CLASS_BYTES);
        let classes = usize::try_from(classes).unwrap_or(usize::MAX);
        WorkBudget { budget, spent: 0.0, allowed, classes, memory }
    }

    /// Adds the cost of another class. `units` is this cost in additions and multiplications.
    pub(super) fn enter(&mut self, units: usize) -> Result<(), Stop> {
        self.spent += units as f64;
        self.expect(self.spent)?;
        self.budget.enter().map_err(Stop::Ended)
    }

    /// Returns an error if the total cost `units` exceeds the allowance.
    pub(super) fn expect(&self, units: f64) -> Result<(), Stop> {
        if units > self.allowed { Err(Stop::Declined) } else { Ok(()) }
    }

    /// Returns an error if the memory limit does not allow `classes` classes.
    pub(super) fn hold(&self, classes: usize) -> Result<(), Stop> {
        if classes > self.classes { Err(Stop::Ended(EndedBy::Memory)) } else { Ok(()) }
    }

    /// Returns the counters that are reported with the result.
    pub(super) fn counters(&self) -> Counters {
        Counters { nodes: self.budget.nodes(), ..Counters::default() }
    }
}
