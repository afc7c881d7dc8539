//! The sum over all configurations of the first band. It is computed class by class.
//!
//! A configuration states which digits are in each column. Configurations are built stack by stack. After
//! each stack, configurations that are equivalent under the symmetry of the whole grid form one class. The
//! weight of a class is the number of its configurations. This grouping is exact, because equivalent
//! configurations have equivalent extensions. The weight of a complete configuration is multiplied by the
//! number of ways of filling the first band. Then the configuration joins a larger class, which contains all
//! configurations with the same effect on the other bands. For each such class, the number of ways of filling
//! the other bands is computed once.

use std::collections::HashMap;

use super::budget::WorkBudget;
use super::frame::{Frame, MAX_SIDE};
use super::symmetry::{Layout, Signatures, Symmetry, order, pack, unpack};
use crate::counting::Stop;
use quadrille_model::EndedBy;

/// Maximum number of classes of complete configurations that are collected before their terms are added to
/// the sum.
///
/// If there are more classes, they are added in portions. A class that occurs in several portions is then
/// computed several times. The result is still exact.
const HELD: usize = 1 << 17;

/// Cost of sorting the digits of a configuration, in additions.
const SORTING: usize = 20;

/// For each digit, its column in one stack of a band.
pub(super) type Columns = [u8; MAX_SIDE];

/// Counts the ways of filling bands when the digits of each column are given.
pub(super) trait Fillings {
    /// Returns the number of ways of filling the first band when it has this configuration.
    fn first(&mut self, configuration: &Signatures) -> u128;

    /// Returns the weighted number of ways of filling all other bands, or `None` if it overflows.
    ///
    /// `classes` lists configurations of the first band with their weights. For each configuration, its
    /// weight is multiplied by the number of ways of filling the other bands. The result is the sum of these
    /// products. If there are three stacks, the configurations in one call differ only in the last stack.
    fn rest(&mut self, classes: &[(Signatures, u128)]) -> Option<u128>;

    /// Returns the approximate cost of [`rest`](Self::rest), in additions and multiplications.
    fn cost(&self, classes: &[(Signatures, u128)]) -> usize;
}

/// The possible configurations of the first band, stack by stack, and the symmetries by which they are
/// grouped.
pub(super) struct Plan {
    pub(super) frame: Frame,
    /// For each stack, all ways in which the digits of the first band can be distributed over the columns.
    choices: Vec<Vec<Columns>>,
    /// Expected cost of [`add_up`](Self::add_up). This is usually an underestimate.
    pub(super) expected: f64,
    /// Symmetries of the whole grid. Element `n` has those symmetries that affect only the first `n` stacks.
    levels: Vec<Symmetry>,
    /// The symmetry of all bands except the first.
    rest: Symmetry,
}

impl Plan {
    /// Creates the plan for a frame. Relabels the digits, so that equivalent digits are adjacent.
    ///
    /// For each stack, `choices` returns the ways of distributing the digits of the first band over the
    /// columns of the stack. It also returns a cost. The product of the costs of all stacks is the cost of
    /// all configurations.
    pub(super) fn new(frame: &Frame, choices: impl Fn(&Frame, usize) -> (Vec<Columns>, usize)) -> Plan {
        let others: Vec<usize> = (1..frame.bands()).collect();
        let every: Vec<usize> = (0..frame.bands()).collect();
        let frame = frame.relabelled(&order(frame, &others));
        let stacks = frame.stacks();
        let (choices, work): (Vec<_>, Vec<_>) = (0..stacks).map(|stack| choices(&frame, stack)).unzip();
        let levels: Vec<_> = (0..=stacks).map(|stacks| Symmetry::new(&frame, &every, stacks)).collect();
        let all = work.iter().map(|&work| work as f64).product::<f64>();
        Plan {
            expected: all / levels[stacks].size(),
            choices,
            levels,
            rest: Symmetry::new(&frame, &others, stacks),
            frame,
        }
    }

    /// Adds the number of solutions to `sum`, one class after another. If this function stops early, `sum` is
    /// a lower bound.
    pub(super) fn add_up(
        &self,
        ways: &mut dyn Fillings,
        budget: &mut WorkBudget<'_>,
        sum: &mut u128,
    ) -> Result<(), Stop> {
        let stacks = self.choices.len();
        let mut classes = HashMap::from([(0, 1)]);
        for stack in 0..stacks - 1 {
            let symmetry = &self.levels[stack + 1];
            let mut longer = HashMap::new();
            for (key, weight) in classes {
                budget.enter(self.choices[stack].len() * SORTING * (1 + symmetry.permutations()))?;
                for (signatures, ways) in self.extended(key, stack, symmetry) {
                    add(&mut longer, symmetry.canonical(&signatures), checked(weight, ways)?)?;
                }
                budget.hold(longer.len())?;
            }
            classes = longer;
        }
        let last = stacks - 1;
        let mut held = HashMap::new();
        for (key, weight) in classes {
            budget.enter(self.choices[last].len() * 100)?;
            for (signatures, multiplicity) in self.extended(key, last, &self.levels[stacks]) {
                let first = ways.first(&signatures);
                if first > 0 {
                    let weight = checked(checked(weight, multiplicity)?, first)?;
                    let mut sorted = signatures;
                    self.rest.sort(&mut sorted);
                    add(&mut held, pack(&sorted), weight)?;
                }
            }
            if held.len() >= HELD {
                self.take(&mut held, ways, budget, sum)?;
            }
        }
        self.take(&mut held, ways, budget, sum)
    }

    /// Adds the terms of all collected classes to `sum`, and empties the collection.
    fn take(
        &self,
        held: &mut HashMap<u64, u128>,
        ways: &mut dyn Fillings,
        budget: &mut WorkBudget<'_>,
        sum: &mut u128,
    ) -> Result<(), Stop> {
        let layout = Layout::new(&self.frame);
        let mut classes: Vec<(u64, u128)> = Vec::with_capacity(held.len());
        for (number, (key, weight)) in held.drain().enumerate() {
            if number % 256 == 0 {
                budget.enter(256 * self.rest.permutations() * SORTING)?;
            }
            classes.push((self.rest.canonical(&unpack(key)), weight));
        }
        classes.sort_unstable_by_key(|&(key, _)| layout.rank(key));
        classes.dedup_by(|next, class| {
            next.0 == class.0 && {
                // The weights of equal classes together are at most the number of fillings of a band, so the
                // addition cannot overflow.
                class.1 += next.1;
                true
            }
        });
        let most = layout.mask(0..self.choices.len() - 1);
        for group in classes.chunk_by(|a, b| a.0 & most == b.0 & most) {
            let group: Vec<_> = group.iter().map(|&(key, weight)| (unpack(key), weight)).collect();
            budget.enter(ways.cost(&group))?;
            *sum = ways.rest(&group).and_then(|more| sum.checked_add(more)).ok_or(OVERFLOW)?;
        }
        Ok(())
    }

    /// Returns all ways of adding a stack to the configuration `key`.
    ///
    /// Configurations that differ only in the names of digits are combined into one. Each result has the
    /// number of configurations that it combines.
    fn extended(&self, key: u64, stack: usize, symmetry: &Symmetry) -> Vec<(Signatures, u128)> {
        let layout = Layout::new(&self.frame);
        let signatures = unpack(key);
        let mut keys: Vec<u64> = self.choices[stack]
            .iter()
            .map(|columns| {
                let mut longer: Signatures =
                    std::array::from_fn(|digit| signatures[digit] | layout.put(stack, columns[digit]));
                symmetry.sort(&mut longer);
                pack(&longer)
            })
            .collect();
        keys.sort_unstable();
        keys.chunk_by(|a, b| a == b).map(|same| (unpack(same[0]), same.len() as u128)).collect()
    }
}

/// Error for a number that overflows.
///
/// The grids that this counter supports do not have such large numbers, so the error is only a safeguard.
const OVERFLOW: Stop = Stop::Ended(EndedBy::Memory);

fn checked(a: u128, b: u128) -> Result<u128, Stop> {
    a.checked_mul(b).ok_or(OVERFLOW)
}

/// Adds `weight` to the weight of the class that has the key `key`.
fn add(classes: &mut HashMap<u64, u128>, key: u64, weight: u128) -> Result<(), Stop> {
    classes.try_reserve(1)?;
    let sum = classes.entry(key).or_insert(0);
    *sum = sum.checked_add(weight).ok_or(OVERFLOW)?;
    Ok(())
}
