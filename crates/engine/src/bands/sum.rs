//! The sum over all configurations of the first band, class by class.
//!
//! Configurations are built stack by stack. After each stack, configurations that are equivalent under the symmetry
//! of the whole grid become one class, whose weight is their number. This is exact, since equivalent configurations
//! have equivalent extensions. A complete configuration is multiplied by the ways of filling the first band. Then it
//! joins a larger class: that of all configurations that make no difference to the other bands. For each such class,
//! the ways of filling the other bands are computed once.

use std::collections::HashMap;

use super::budget::WorkBudget;
use super::frame::{Frame, MAX_SIDE};
use super::symmetry::{Layout, Signatures, Symmetry, order, pack, unpack};
use crate::counting::Stop;
use quadrille_model::EndedBy;

/// Maximum number of classes of complete configurations that are held before summing over them. If there are more,
/// they are summed in portions. This is just as exact, but slower if a class occurs in several portions.
const HELD: usize = 1 << 17;

/// Cost of sorting the digits of a configuration, in additions.
const SORTING: usize = 20;

/// A band's digits in one stack: the column of each digit.
pub(super) type Columns = [u8; MAX_SIDE];

/// The ways of filling bands whose columns hold given digits.
pub(super) trait Fillings {
    /// Returns the number of ways of filling the first band.
    fn first(&mut self, configuration: &Signatures) -> u128;

    /// Returns the weighted ways of filling all other bands, or `None` if the number does not fit.
    ///
    /// Sums over the configurations of the first band, each times its weight. With three stacks, `classes` differ
    /// only in the last stack.
    fn rest(&mut self, classes: &[(Signatures, u128)]) -> Option<u128>;

    /// Returns the approximate cost of [`rest`](Self::rest), in additions and multiplications.
    fn cost(&self, classes: &[(Signatures, u128)]) -> usize;
}

/// The first band's configurations in each stack, and the symmetries for grouping them.
pub(super) struct Plan {
    pub(super) frame: Frame,
    /// Per stack, all ways in which the first band can distribute the digits over the columns.
    choices: Vec<Vec<Columns>>,
    /// Expected cost of [`add_up`](Self::add_up), usually an underestimate.
    pub(super) expected: f64,
    /// The symmetry of the whole grid within its first `n` stacks, indexed by `n`.
    levels: Vec<Symmetry>,
    /// The symmetry of all bands except the first.
    rest: Symmetry,
}

impl Plan {
    /// Creates the plan for a frame. Digits are relabelled so that equivalent digits are adjacent.
    ///
    /// `choices` is called for each stack. It returns the columns that the first band's digits can have in that
    /// stack, and the expected cost; the product of these costs is the cost of all configurations.
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

    /// Adds the number of solutions to `sum`, class by class. If it stops early, `sum` is a lower bound.
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

    /// Adds the sum over the held classes to `sum` and clears them.
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
                // The weights of one class add up to at most the number of fillings of one band, so they cannot
                // overflow.
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

    /// Returns all ways of adding a stack to a configuration.
    ///
    /// Configurations that differ only in the names of digits are combined, with their number.
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

/// The error for a number that is too large. The grids that this counter takes have no such numbers, so this
/// is only a safeguard.
const OVERFLOW: Stop = Stop::Ended(EndedBy::Memory);

fn checked(a: u128, b: u128) -> Result<u128, Stop> {
    a.checked_mul(b).ok_or(OVERFLOW)
}

/// Adds `weight` to the weight of a class.
fn add(classes: &mut HashMap<u64, u128>, key: u64, weight: u128) -> Result<(), Stop> {
    classes.try_reserve(1)?;
    let sum = classes.entry(key).or_insert(0);
    *sum = sum.checked_add(weight).ok_or(OVERFLOW)?;
    Ok(())
}
