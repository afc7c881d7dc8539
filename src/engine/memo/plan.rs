//! An order of items turned into masks.
//!
//! The bits of a state are *slots*, given out like registers: an item holds one from the first layer whose options
//! have it until its own layer, where it is covered for certain; then another item gets the slot, and a state has as
//! many bits as there are open items at most.
//!
//! ```text
//! layer      0    1    2    3    4    5
//! item 2     [--------]                      entered by an option of item 0, done behind its own layer
//! item 3     [-------------]
//! item 5                    [----]           takes the slot that item 2 has left
//! ```
//!
//! A secondary item holds its slots until behind the last layer that has an option with it. With colours it has a slot for
//! each of them and one for *no colour*: an option sets the slot of its colour and forbids the others, so that an
//! option fits a state if `state & forbids` is nothing, with colours and without.

use std::ops::Range;

use super::order;
use super::parts::Part;

/// Layers, slots and masks.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Number of layers: one per primary item.
    pub layers: usize,
    /// Words of a state.
    pub words: usize,
    /// Per layer the number of its first option, and one more.
    pub starts: Vec<usize>,
    /// Per option two masks, `words` long: what it forbids, what it sets.
    pub masks: Vec<u64>,
    /// Per layer, and one more, which word and bit says whether its item is covered; no bit where no earlier option
    /// has it.
    pub slot: Vec<(u32, u64)>,
    /// Per layer the slots that are given back behind it.
    pub drops: Vec<u64>,
    /// Per layer the number of slots held.
    pub widths: Vec<u32>,
    /// Who holds which slot.
    holders: Vec<Holder>,
}

/// Who holds a slot, and when.
#[derive(Debug, Clone, Copy)]
struct Holder {
    slot: u32,
    from: u32,
    until: u32,
}

impl Plan {
    /// The plan of the order that promises the fewest states.
    pub(super) fn best(part: &Part) -> Plan {
        let mut best: Option<(f64, Plan)> = None;
        for order in order::candidates(part) {
            let plan = Plan::new(part, &order);
            let size = plan.size();
            if best.as_ref().is_none_or(|(least, _)| size < *least) {
                best = Some((size, plan));
            }
        }
        best.map(|(_, plan)| plan).unwrap_or_default()
    }

    /// The plan of an order: `order` lists all primary items.
    pub(super) fn new(part: &Part, order: &[u32]) -> Plan {
        let layers = order.len();
        let mut at = vec![u32::MAX; part.primary];
        order.iter().enumerate().for_each(|(layer, &item)| at[item as usize] = layer as u32);
        // The layer of each option, and when items are open.
        let mut from = vec![u32::MAX; part.items()];
        let mut until = vec![0u32; part.items()];
        let mut layer_of = Vec::new();
        for option in part.options() {
            let primary = option.iter().filter(|place| (place.item as usize) < part.primary);
            let layer = primary.map(|place| at[place.item as usize]).min().unwrap_or(0);
            layer_of.push(layer);
            for place in option {
                let item = place.item as usize;
                from[item] = from[item].min(layer);
                until[item] = until[item].max(if item < part.primary { at[item] } else { layer });
            }
        }
        let mut plan = Plan { layers, ..Plan::default() };
        let slots = plan.give_slots(part, &from, &until);
        plan.words = (plan.holders.iter().map(|holder| holder.slot + 1).max().unwrap_or(0) as usize)
            .div_ceil(64)
            .max(1);
        let words = plan.words;
        plan.slot = vec![(0, 0); layers + 1];
        plan.drops = vec![0; layers * words];
        for (item, slots) in slots.iter().enumerate() {
            let Some(slots) = slots else { continue };
            let (word, bit) = ((slots.start / 64), 1u64 << (slots.start % 64));
            if item < part.primary {
                plan.slot[until[item] as usize] = (word, bit);
            }
            for slot in slots.clone() {
                plan.drops[until[item] as usize * words + slot as usize / 64] |= 1 << (slot % 64);
            }
        }
        plan.lay_out(part, order, &layer_of, &slots);
        plan
    }

    /// Gives every item that needs some its slots.
    fn give_slots(&mut self, part: &Part, from: &[u32], until: &[u32]) -> Vec<Option<Range<u32>>> {
        let mut entering: Vec<Vec<u32>> = vec![Vec::new(); self.layers];
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); self.layers];
        for item in 0..part.items() {
            // Options of one layer exclude each other anyway.
            if from[item] < until[item] {
                entering[from[item] as usize].push(item as u32);
                leaving[until[item] as usize].push(item as u32);
            }
        }
        let mut given: Vec<Option<Range<u32>>> = vec![None; part.items()];
        let mut free = Free::default();
        for layer in 0..self.layers {
            for &item in &entering[layer] {
                let colours = (item as usize).checked_sub(part.primary).map_or(0, |item| part.colours[item]);
                let slots = free.take(if colours == 0 { 1 } else { colours + 1 });
                let until = until[item as usize];
                self.holders.extend(slots.clone().map(|slot| Holder { slot, from: layer as u32, until }));
                given[item as usize] = Some(slots);
            }
            self.widths.push(free.held);
            // Not before others enter: what the layer's options set is not what is given back behind it.
            leaving[layer].iter().for_each(|&item| free.give_back(given[item as usize].as_ref()));
        }
        given
    }

    /// Sorts the options by layer and makes their masks.
    fn lay_out(&mut self, part: &Part, order: &[u32], layer_of: &[u32], slots: &[Option<Range<u32>>]) {
        let words = self.words;
        let mut starts = vec![0usize; self.layers + 1];
        layer_of.iter().for_each(|&layer| starts[layer as usize + 1] += 1);
        (0..self.layers).for_each(|layer| starts[layer + 1] += starts[layer]);
        let mut next = starts.clone();
        self.masks = vec![0; layer_of.len() * 2 * words];
        for (option, &layer) in part.options().zip(layer_of) {
            let at = next[layer as usize] * 2 * words;
            next[layer as usize] += 1;
            let (forbids, sets) = self.masks[at..at + 2 * words].split_at_mut(words);
            // The layer's own item is open in all its states.
            for place in option.iter().filter(|place| place.item != order[layer as usize]) {
                let Some(slots) = &slots[place.item as usize] else { continue };
                let set = slots.start + place.colour;
                for slot in slots.clone().filter(|&slot| place.colour == 0 || slot != set) {
                    forbids[slot as usize / 64] |= 1 << (slot % 64);
                }
                sets[set as usize / 64] |= 1 << (set % 64);
            }
        }
        self.starts = starts;
    }

    /// About how many steps there are at most, on a scale of its own.
    fn size(&self) -> f64 {
        let options = self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as f64);
        self.widths
            .iter()
            .zip(options)
            .map(|(&width, options)| options * f64::from(width.min(900)).exp2())
            .sum()
    }

    /// The slots held at a layer, those that will be held longest first.
    pub(super) fn held_at(&self, layer: usize) -> Vec<u32> {
        let layer = layer as u32;
        let mut held: Vec<&Holder> =
            self.holders.iter().filter(|holder| holder.from < layer && layer < holder.until).collect();
        held.sort_by_key(|holder| (std::cmp::Reverse(holder.until), holder.slot));
        held.iter().map(|holder| holder.slot).collect()
    }
}

/// Slots that nobody holds.
#[derive(Debug, Default)]
struct Free {
    taken: Vec<bool>,
    held: u32,
}

impl Free {
    /// Takes so many in a row, the lowest there are.
    fn take(&mut self, number: u32) -> Range<u32> {
        let number = number as usize;
        let mut start = 0;
        while let Some(taken) = self.taken.iter().skip(start).take(number).rposition(|&taken| taken) {
            start += taken + 1;
        }
        self.taken.resize(self.taken.len().max(start + number), false);
        self.taken[start..start + number].fill(true);
        self.held += number as u32;
        start as u32..(start + number) as u32
    }

    fn give_back(&mut self, slots: Option<&Range<u32>>) {
        let slots = slots.expect("who leaves has entered");
        self.taken[slots.start as usize..slots.end as usize].fill(false);
        self.held -= slots.len() as u32;
    }
}
