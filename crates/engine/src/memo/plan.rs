//! The masks that a count uses, computed from an order of the items.
//!
//! A layer is an item that is branched on. Its options are those that have the item and no item of an earlier layer. An
//! item late in the order may have no options of its own and then makes no layer. The bits of a state are *slots*,
//! given out like registers. An item holds a slot from the first layer whose options have it to the end of the last
//! such layer, when it must be covered. Then another item may get the slot, so a state needs no more bits than there
//! are open items.
//!
//! ```text
//! layer      0    1    2    3    4    5
//! item 2     [--------]                      entered by an option of item 0, done after its own layer
//! item 3     [-------------]
//! item 5                    [----]           takes the slot that item 2 has left
//! ```
//!
//! Secondary items need not be covered. A coloured one has a slot for each colour and one for *no colour*. An option
//! sets the slot of its colour and forbids the others. So an option fits a state if `state & forbids` is zero, with
//! colours and without.

use std::ops::Range;

use super::order;
use super::parts::{Component, Place};
use crate::budget::LoopWatch;
use quadrille_model::EndedBy;

/// Maximum number of words of a state.
///
/// For wider states no plan is built, because the plan could take gigabytes.
pub(super) const MAX_WORDS: usize = 32;

/// Layers, slots and masks.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Number of layers. A primary item has a layer if it is the first item of at least one option. "First"
    /// refers to the branching order.
    pub layers: usize,
    /// Number of words of a state. The number is 0 if the states need more than [`MAX_WORDS`] words in every
    /// order.
    pub words: usize,
    /// For each layer, the index of its first option. The last element is the total number of options.
    pub starts: Vec<usize>,
    /// Two masks per option, each of `words` words.
    ///
    /// The first mask has the slots (bits of a state) that must be clear if the option is to be chosen. The
    /// second mask has the slots that the option sets.
    pub masks: Vec<u64>,
    /// For each layer, the word and the bit that show in a state whether the layer's item is covered.
    ///
    /// The bit is 0 if no earlier option has the item. The list has one more entry at the end.
    pub slot: Vec<(u32, u64)>,
    /// The slots (bits of a state) that are cleared after each layer, as one mask of `words` words per layer.
    pub drops: Vec<u64>,
    /// The slots of `drops` that must be set before they are cleared, because their items have no later
    /// options.
    pub needs: Vec<u64>,
    /// Number of slots (bits of a state) in use at each layer.
    pub widths: Vec<u32>,
    /// All slots given to items.
    holders: Vec<Holder>,
}

/// A slot (bit of a state) that belongs to an item, with the first and the last layer at which the item uses
/// it.
#[derive(Debug, Clone, Copy)]
struct Holder {
    slot: u32,
    from: u32,
    until: u32,
}

/// The first and the last layer that have an option with one particular item.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: u32,
    until: u32,
}

impl Plan {
    /// Returns the plan for the order whose upper bound on the work is lowest.
    ///
    /// # Errors
    /// Returns an error if the count must stop before the plan is known.
    pub(super) fn best(part: &Component, pace: &mut LoopWatch<'_>) -> Result<Plan, EndedBy> {
        let mut best: Option<(f64, Plan)> = None;
        for order in order::candidates(part, pace)? {
            let Some(plan) = Plan::new(part, &order, pace)? else { continue };
            let size = plan.size();
            if best.as_ref().is_none_or(|(least, _)| size < *least) {
                best = Some((size, plan));
            }
        }
        Ok(best.map(|(_, plan)| plan).unwrap_or_default())
    }

    /// Creates the plan for `order`, which lists all primary items.
    ///
    /// Returns `None` if the states would be too wide.
    fn new(part: &Component, order: &[u32], pace: &mut LoopWatch<'_>) -> Result<Option<Plan>, EndedBy> {
        let mut at = vec![u32::MAX; part.items()];
        order.iter().zip(0..).for_each(|(&item, place)| at[item as usize] = place);
        let first = |option: &[Place]| option.iter().map(|place| at[place.item as usize]).min().unwrap_or(0);
        // An item has a layer only if it is the first item of some option in this order.
        let mut layer_at = vec![0u32; order.len()];
        part.options().for_each(|option| layer_at[first(option) as usize] = 1);
        let branching: Vec<u32> = order
            .iter()
            .zip(&layer_at)
            .filter(|(_, branches)| **branches == 1)
            .map(|(&item, _)| item)
            .collect();
        let mut layer = 0;
        for branches in &mut layer_at {
            layer += std::mem::replace(branches, layer);
        }
        let layer_of: Vec<u32> = part.options().map(|option| layer_at[first(option) as usize]).collect();
        let mut spans = vec![Span { from: u32::MAX, until: 0 }; part.items()];
        for (option, &layer) in part.options().zip(&layer_of) {
            pace.work(4 * option.len())?;
            for place in option {
                let Span { from, until } = &mut spans[place.item as usize];
                (*from, *until) = ((*from).min(layer), (*until).max(layer));
            }
        }
        let options: Vec<(&[Place], u32)> = part.options().zip(layer_of.iter().copied()).collect();
        // An item that occurs in only one layer needs no slot, because the options of one layer exclude each
        // other. There is one exception: a primary item that is not the first item of any option. Its slot
        // shows whether the item has been covered.
        let is_held = |item: usize| {
            let must = |layer: usize| item < part.primary && branching[layer] != item as u32;
            let Span { from, until } = spans[item];
            from < until || from == until && must(from as usize)
        };
        let mut plan = Plan { layers: branching.len(), ..Plan::default() };
        let Some(slots) = plan.give_slots(part, &spans, is_held, pace)? else { return Ok(None) };
        let used = plan.holders.iter().map(|holder| holder.slot as usize + 1).max().unwrap_or(0);
        plan.words = used.div_ceil(64).max(1);
        plan.slot = vec![(0, 0); plan.layers + 1];
        plan.drops = vec![0; plan.layers * plan.words];
        plan.needs = plan.drops.clone();
        for (item, slots) in slots.iter().enumerate() {
            let Some(slots) = slots else { continue };
            let until = spans[item].until as usize;
            let row = until * plan.words;
            slots.clone().for_each(|slot| plan.drops[row + slot as usize / 64] |= 1 << (slot % 64));
            let (word, bit) = (slots.start / 64, 1u64 << (slots.start % 64));
            if branching[until] == item as u32 {
                plan.slot[until] = (word, bit);
            } else if item < part.primary {
                plan.needs[row + word as usize] |= bit;
            }
        }
        plan.lay_out(&options, &branching, &slots, pace)?;
        Ok(Some(plan))
    }

    /// Assigns slots (bits of a state) to every item that needs them.
    ///
    /// Returns the slots of each item, or `None` if the states become too wide.
    fn give_slots(
        &mut self,
        part: &Component,
        spans: &[Span],
        is_held: impl Fn(usize) -> bool,
        pace: &mut LoopWatch<'_>,
    ) -> Result<Option<Vec<Option<Range<u32>>>>, EndedBy> {
        let mut entering: Vec<Vec<u32>> = vec![Vec::new(); self.layers];
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); self.layers];
        for item in (0..part.items()).filter(|&item| is_held(item)) {
            entering[spans[item].from as usize].push(item as u32);
            leaving[spans[item].until as usize].push(item as u32);
        }
        let mut given: Vec<Option<Range<u32>>> = vec![None; part.items()];
        let mut free = Free::default();
        for layer in 0..self.layers {
            for &item in &entering[layer] {
                let colours = (item as usize).checked_sub(part.primary).map_or(0, |item| part.colours[item]);
                let Some(slots) = free.take(if colours == 0 { 1 } else { colours + 1 }) else {
                    return Ok(None);
                };
                pace.work(slots.end as usize)?;
                let until = spans[item as usize].until;
                self.holders.extend(slots.clone().map(|slot| Holder { slot, from: layer as u32, until }));
                given[item as usize] = Some(slots);
            }
            self.widths.push(free.held);
            // Release slots of finished items only after new items have received slots. Otherwise an option
            // of this layer could set a slot that is cleared after this layer.
            leaving[layer].iter().for_each(|&item| free.give_back(given[item as usize].as_ref()));
        }
        Ok(Some(given))
    }

    /// Sorts the options by layer and computes their masks.
    fn lay_out(
        &mut self,
        options: &[(&[Place], u32)],
        branching: &[u32],
        slots: &[Option<Range<u32>>],
        pace: &mut LoopWatch<'_>,
    ) -> Result<(), EndedBy> {
        let words = self.words;
        let mut starts = vec![0usize; self.layers + 1];
        options.iter().for_each(|&(_, layer)| starts[layer as usize + 1] += 1);
        (0..self.layers).for_each(|layer| starts[layer + 1] += starts[layer]);
        let mut next = starts.clone();
        self.masks = vec![0; options.len() * 2 * words];
        for &(option, layer) in options {
            pace.work(2 * words)?;
            let at = next[layer as usize] * 2 * words;
            next[layer as usize] += 1;
            let (forbids, sets) = self.masks[at..at + 2 * words].split_at_mut(words);
            // In every state of the layer, the item of the layer is not covered yet. So its slot needs no
            // test.
            for place in option.iter().filter(|place| place.item != branching[layer as usize]) {
                let Some(slots) = &slots[place.item as usize] else { continue };
                pace.work(slots.len())?;
                let set = slots.start + place.colour;
                for slot in slots.clone().filter(|&slot| place.colour == 0 || slot != set) {
                    forbids[slot as usize / 64] |= 1 << (slot % 64);
                }
                sets[set as usize / 64] |= 1 << (set % 64);
            }
        }
        self.starts = starts;
        Ok(())
    }

    /// Returns an upper bound on the number of times that an option is tried.
    ///
    /// The bound assumes that, in each layer, every combination of the bits in use occurs as a state.
    pub(super) fn size(&self) -> f64 {
        let options = self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as f64);
        self.widths
            .iter()
            .zip(options)
            .map(|(&width, options)| options * f64::from(width.min(900)).exp2())
            .sum()
    }

    /// Returns the slots (bits of a state) that are in use both before and after `layer`.
    ///
    /// The slots that remain in use for the longest time come first.
    pub(super) fn held_at(&self, layer: usize) -> Vec<u32> {
        let layer = layer as u32;
        let mut held: Vec<&Holder> =
            self.holders.iter().filter(|holder| holder.from < layer && layer < holder.until).collect();
        held.sort_by_key(|holder| (std::cmp::Reverse(holder.until), holder.slot));
        held.iter().map(|holder| holder.slot).collect()
    }
}

/// The pool of slots.
#[derive(Debug, Default)]
struct Free {
    taken: Vec<bool>,
    held: u32,
}

impl Free {
    /// Finds `number` adjacent free slots at the lowest possible position, and marks them as used.
    ///
    /// Returns `None` if the slots would not fit in [`MAX_WORDS`] words.
    fn take(&mut self, number: u32) -> Option<Range<u32>> {
        let number = number as usize;
        let mut start = 0;
        while let Some(taken) = self.taken.iter().skip(start).take(number).rposition(|&taken| taken) {
            start += taken + 1;
        }
        if start + number > 64 * MAX_WORDS {
            return None;
        }
        self.taken.resize(self.taken.len().max(start + number), false);
        self.taken[start..start + number].fill(true);
        self.held += number as u32;
        Some(start as u32..(start + number) as u32)
    }

    fn give_back(&mut self, slots: Option<&Range<u32>>) {
        let slots = slots.expect("slots are taken before they are given back");
        self.taken[slots.start as usize..slots.end as usize].fill(false);
        self.held -= slots.len() as u32;
    }
}
