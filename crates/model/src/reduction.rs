//! The residual problem, which remains of an exact cover problem after some options are chosen and others are
//! excluded.

use std::iter::repeat;
use std::sync::Arc;

use super::{Bounds, CoverProblem, Entry, NO_COLOUR, Violation};
use crate::{Error, Result};

/// The residual problem of a [`CoverProblem`] after some decisions, with the way back to the original.
///
/// Together with the forced options, its solutions are exactly those solutions of the original that contain all forced
/// options and no excluded one. Items, options and the entries of an option keep the original's order. Names, colours,
/// costs and input lines are the original's, but option *numbers* are not: [`restore`](Self::restore) and
/// [`original`](Self::original) convert them back.
///
/// ```
/// use quadrille::{CoverBuilder, Reduced, Reduction};
/// let mut builder = CoverBuilder::new();
/// for name in ["a", "b", "c"] {
///     builder.primary(name)?;
/// }
/// for option in [&["a", "b"][..], &["a"], &["b"], &["c"], &["b", "c"]] {
///     builder.option(option)?;
/// }
/// let cover = builder.build()?;
/// let Reduced::Residual(rest) = Reduction::reduce(&cover, &[1], &[3])? else { panic!("no contradiction") };
/// // `a` is covered; the option of `c` alone is ruled out.
/// assert_eq!((rest.cover().items(), rest.cover().options()), (2, 2));
/// let mut solution = Vec::new();
/// rest.restore(&[1], &mut solution);
/// assert_eq!(solution, [1, 4]);
/// # Ok::<(), quadrille::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reduction {
    cover: Arc<CoverProblem>,
    /// Index of each option in the original problem, in ascending order.
    options: Vec<u32>,
    forced: Vec<u32>,
    cost: i64,
}

/// The result of applying decisions to an exact cover problem.
#[derive(Debug, Clone)]
pub enum Reduced {
    /// A smaller problem.
    Residual(Reduction),
    /// No solution agrees with the decisions.
    ///
    /// The violation gives the reason. It uses the item and option indices of the original problem. Possible
    /// reasons:
    /// - A forced option does not exist, is also excluded, or is not in any solution.
    /// - An item is covered too often, or in two colours.
    /// - The remaining options cannot cover an item often enough.
    Contradiction(Violation),
}

impl Reduction {
    /// Chooses the forced options and removes the excluded options. Both lists may be in any order and may
    /// have repeats.
    ///
    /// An item that must not be covered again is removed together with all options that contain it. The
    /// bounds of other covered items are lowered. If a forced option gives a colour to a secondary item,
    /// options with other colours for the item are removed. Options with the same colour lose that entry.
    ///
    /// As in every engine, an option without a primary item is never chosen, so forcing such an option is a
    /// contradiction. The time is linear in the size of the problem.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn reduce(cover: &CoverProblem, forced: &[u32], excluded: &[u32]) -> Result<Reduced> {
        let mut state = State::new(cover)?;
        for &option in excluded.iter().filter(|&&option| (option as usize) < cover.options()) {
            state.stays[option as usize] = false;
        }
        let mut forced = list(forced.len(), forced.iter().copied())?;
        forced.sort_unstable();
        forced.dedup();
        let mut cost = 0i64;
        for &option in &forced {
            if let Err(fault) = state.force(option) {
                return Ok(Reduced::Contradiction(fault));
            }
            cost = cost.saturating_add(cover.cost(option as usize));
        }
        if let Err(fault) = state.rule_out() {
            return Ok(Reduced::Contradiction(fault));
        }
        let (cover, options) = state.build()?;
        Ok(Reduced::Residual(Reduction { cover: Arc::new(cover), options, forced, cost }))
    }

    /// Returns the residual problem. If the residual problem has no items, its only solution is the empty
    /// solution.
    pub fn cover(&self) -> &Arc<CoverProblem> {
        &self.cover
    }

    /// Returns the forced options, ascending.
    pub fn forced(&self) -> &[u32] {
        &self.forced
    }

    /// Returns the total cost of the forced options. The costs in the residual problem do not include it.
    pub fn cost(&self) -> i64 {
        self.cost
    }

    /// Returns the original problem's index of an option, given its index in the residual problem.
    #[inline]
    pub fn original(&self, option: usize) -> u32 {
        self.options[option]
    }

    /// Returns the index in the original problem of every option of the residual problem, in ascending order.
    pub fn originals(&self) -> &[u32] {
        &self.options
    }

    /// Returns the residual problem's index of an option, given its index in the original problem. Returns
    /// `None` if the option was removed.
    ///
    /// Takes logarithmic time.
    pub fn own(&self, original: u32) -> Option<u32> {
        self.options.binary_search(&original).ok().map(|place| place as u32)
    }

    /// Converts a solution of the residual problem into a solution of the original problem.
    ///
    /// Overwrites `solution` with the forced options and with the original indices of `options`, in ascending
    /// order.
    pub fn restore(&self, options: &[u32], solution: &mut Vec<u32>) {
        solution.clear();
        solution.extend_from_slice(&self.forced);
        solution.extend(options.iter().map(|&option| self.options[option as usize]));
        solution.sort_unstable();
    }
}

/// State of every item and option after the decisions are applied.
struct State<'a> {
    cover: &'a CoverProblem,
    /// For each item, the number of forced options that contain it.
    times: Vec<u32>,
    /// For each item, the colour that a forced option gave it.
    colour: Vec<u32>,
    /// For each option, true if it is still available.
    stays: Vec<bool>,
    /// For each primary item, the number of available options that contain it.
    lengths: Vec<u32>,
}

impl<'a> State<'a> {
    fn new(cover: &'a CoverProblem) -> Result<Self> {
        Ok(State {
            cover,
            times: list(cover.items(), repeat(0))?,
            colour: list(cover.items(), repeat(NO_COLOUR))?,
            stays: list(cover.options(), repeat(true))?,
            lengths: list(cover.primary(), repeat(0))?,
        })
    }

    fn is_primary(&self, item: u32) -> bool {
        (item as usize) < self.cover.primary()
    }

    /// Returns true if the entry's item can be covered once more with the entry's colour.
    fn has_room(&self, entry: Entry) -> bool {
        let item = entry.item as usize;
        if self.is_primary(entry.item) {
            self.times[item] < self.cover.bounds(item).high
        } else {
            self.times[item] == 0 || entry.colour != NO_COLOUR && entry.colour == self.colour[item]
        }
    }

    fn force(&mut self, option: u32) -> std::result::Result<(), Violation> {
        if self.stays.get(option as usize) != Some(&true) {
            return Err(Violation::Option(option));
        }
        self.stays[option as usize] = false;
        let entries = self.cover.option(option as usize);
        if !entries.iter().any(|entry| self.is_primary(entry.item)) {
            return Err(Violation::Option(option));
        }
        for &entry in entries {
            if !self.has_room(entry) {
                return Err(Violation::Item(entry.item));
            }
            self.times[entry.item as usize] += 1;
            self.colour[entry.item as usize] = entry.colour;
        }
        Ok(())
    }

    /// Removes options that conflict with the forced options, and checks that each item still has enough
    /// options.
    fn rule_out(&mut self) -> std::result::Result<(), Violation> {
        for option in 0..self.cover.options() {
            let entries = self.cover.option(option);
            self.stays[option] = self.stays[option] && entries.iter().all(|&entry| self.has_room(entry));
            if self.stays[option] {
                // Secondary items need no options.
                for entry in entries {
                    if let Some(length) = self.lengths.get_mut(entry.item as usize) {
                        *length += 1;
                    }
                }
            }
        }
        let lacks = |&item: &usize| self.lengths[item] < self.left(item).low;
        (0..self.lengths.len()).find(lacks).map_or(Ok(()), |item| Err(Violation::Item(item as u32)))
    }

    /// Returns how often a primary item must still be covered.
    ///
    /// If the item must not be covered again, `high` is 0.
    fn left(&self, item: usize) -> Bounds {
        let (bounds, times) = (self.cover.bounds(item), self.times[item]);
        Bounds { low: bounds.low.saturating_sub(times), high: bounds.high.saturating_sub(times) }
    }

    /// Returns the residual problem, and the index in the original problem of each of its options.
    fn build(&self) -> Result<(CoverProblem, Vec<u32>)> {
        const GONE: u32 = u32::MAX;
        let original = self.cover;
        let mut cover = CoverProblem { numbered: original.numbered, ..CoverProblem::default() };
        let mut numbers = list(original.items(), repeat(GONE))?;
        let mut bounds = Vec::new();
        bounds.try_reserve_exact(original.primary()).map_err(no_memory)?;
        for (item, number) in numbers.iter_mut().enumerate() {
            let is_primary = item < original.primary();
            if is_primary && self.left(item).high == 0 || !is_primary && self.times[item] > 0 {
                continue;
            }
            *number = cover.names.len() as u32;
            cover.names.push(original.name(item))?;
            if is_primary {
                cover.primary += 1;
                bounds.push(self.left(item));
            }
        }
        if bounds.iter().any(|&bounds| bounds != Bounds::ONCE) {
            cover.bounds = bounds;
        }
        let stay = || (0u32..).zip(&self.stays).filter(|(_, stays)| **stays).map(|(option, _)| option);
        let options = list(stay().count(), stay())?;
        cover.starts.try_reserve_exact(options.len() + 1).map_err(no_memory)?;
        cover.entries.try_reserve_exact(self.entries_left(&options)).map_err(no_memory)?;
        cover.starts.push(0);
        let mut has_colours = false;
        for &option in &options {
            for entry in original.option(option as usize) {
                let item = numbers[entry.item as usize];
                if item != GONE {
                    cover.entries.push(Entry { item, colour: entry.colour });
                    has_colours |= entry.colour != NO_COLOUR;
                }
            }
            cover.starts.push(cover.entries.len() as u32);
        }
        if has_colours {
            cover.colours = original.colours.clone();
        }
        cover.costs = picked(&original.costs, &options)?;
        cover.lines = picked(&original.lines, &options)?;
        Ok((cover, options))
    }

    fn entries_left(&self, options: &[u32]) -> usize {
        options.iter().map(|&option| self.cover.option(option as usize).len()).sum()
    }
}

fn no_memory(_: std::collections::TryReserveError) -> Error {
    Error::model("out of memory for what remains of a problem after its forced options")
}

/// Collects at most `length` values.
fn list<T>(length: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).map_err(no_memory)?;
    list.extend(values.take(length));
    Ok(list)
}

/// Returns the value of each given option, or an empty list if `values` is empty.
///
/// If `values` has no entry for an option, the option gets the default value.
fn picked<T: Copy + Default>(values: &[T], options: &[u32]) -> Result<Vec<T>> {
    let length = if values.is_empty() { 0 } else { options.len() };
    list(length, options.iter().map(|&option| values.get(option as usize).copied().unwrap_or_default()))
}
