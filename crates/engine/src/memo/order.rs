//! Chooses orders in which a count may branch on the items.
//!
//! A good order keeps the border narrow. The border is the set of items that occur in earlier options and are
//! not finished yet. The given order is often good, because people chose it for the same reason. Further
//! orders are found greedily, each starting with a different item. The next item is always the one that adds
//! the fewest items to the border. On ties it is the item that has been in the border longest.

use super::parts::Component;
use crate::budget::LoopWatch;
use quadrille_model::EndedBy;
use quadrille_model::bits::bits_of;

/// Maximum number of items for which a problem gets other orders in addition to the given one.
const MAX_ITEMS: usize = 4096;
/// Maximum number of items in the border that are compared when the next item is chosen.
const LOOK: usize = 64;
/// Maximum number of primary items for which items outside the border are also compared.
///
/// Branching on an item outside the border may shrink the border sooner.
const LOOK_FAR: usize = 512;

/// Returns the orders that should be compared. Each order lists all primary items.
///
/// # Errors
/// Returns an error if the count must stop before the orders are complete.
pub(super) fn candidates(part: &Component, pace: &mut LoopWatch<'_>) -> Result<Vec<Vec<u32>>, EndedBy> {
    let given: Vec<u32> = (0..part.primary as u32).collect();
    let mut orders = vec![given];
    if part.items() > MAX_ITEMS || part.primary < 3 {
        return Ok(orders);
    }
    let near = Near::new(part, pace)?;
    let last = part.primary as u32 - 1;
    let far = near.farthest(0, part.primary);
    let mut begins = vec![0, last, far, near.farthest(far, part.primary), near.loneliest(part.primary)];
    pace.work(3 * near.bits.len())?;
    begins.sort_unstable();
    begins.dedup();
    for begin in begins {
        let order = near.greedy(part.primary, begin, pace)?;
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    Ok(orders)
}

/// A square matrix of bits: the bit of two items is set if they occur together in an option.
struct Near {
    words: usize,
    bits: Vec<u64>,
}

impl Near {
    fn new(part: &Component, pace: &mut LoopWatch<'_>) -> Result<Self, EndedBy> {
        let words = part.items().div_ceil(64);
        let mut near = Near { words, bits: vec![0; words * part.items()] };
        let mut members = vec![0u64; words];
        for option in part.options() {
            pace.work((option.len() + 1) * words)?;
            members.fill(0);
            option.iter().for_each(|place| members[place.item as usize / 64] |= 1 << (place.item % 64));
            for place in option {
                let row = &mut near.bits[place.item as usize * words..][..words];
                row.iter_mut().zip(&members).for_each(|(word, &members)| *word |= members);
            }
        }
        Ok(near)
    }

    fn row(&self, item: u32) -> &[u64] {
        &self.bits[item as usize * self.words..][..self.words]
    }

    /// Returns the primary item with the fewest neighbours. On ties, returns the first of these items.
    fn loneliest(&self, primary: usize) -> u32 {
        let neighbours = |item: &u32| self.row(*item).iter().map(|word| word.count_ones()).sum::<u32>();
        (0..primary as u32).min_by_key(neighbours).unwrap_or(0)
    }

    /// Returns the primary item that is farthest from the item `from`. On ties, returns the first of these
    /// items.
    ///
    /// One step leads from an item to any item, primary or secondary, that shares an option with it.
    fn farthest(&self, from: u32, primary: usize) -> u32 {
        let items = self.bits.len() / self.words.max(1);
        let mut seen = vec![false; items];
        seen[from as usize] = true;
        let (mut wave, mut last) = (vec![from], from);
        while !wave.is_empty() {
            last = wave.iter().copied().find(|&item| (item as usize) < primary).unwrap_or(last);
            let mut next = Vec::new();
            for item in wave {
                let new = |&other: &usize| !std::mem::replace(&mut seen[other], true);
                next.extend(bits_of(self.row(item).iter().copied()).filter(new).map(|other| other as u32));
            }
            next.sort_unstable();
            wave = next;
        }
        last
    }

    /// Returns all primary items in greedy order, starting with `begin`.
    fn greedy(&self, primary: usize, begin: u32, pace: &mut LoopWatch<'_>) -> Result<Vec<u32>, EndedBy> {
        let is_primary = |item: u32| (item as usize) < primary;
        let mut entered = vec![0u64; self.words];
        let mut done = vec![false; primary];
        let looks_far = primary <= LOOK_FAR;
        let mut open: Vec<u32> = Vec::new();
        let mut order = Vec::with_capacity(primary);
        let mut next = begin;
        let mut untouched = 0..primary as u32;
        loop {
            pace.work(self.words * (LOOK + if looks_far { primary } else { 0 }))?;
            done[next as usize] = true;
            order.push(next);
            open.retain(|&item| item != next);
            entered[next as usize / 64] |= 1 << (next % 64);
            let new: Vec<u64> =
                self.row(next).iter().zip(&entered).map(|(near, seen)| near & !seen).collect();
            entered.iter_mut().zip(&new).for_each(|(seen, new)| *seen |= new);
            open.extend(bits_of(new).map(|item| item as u32).filter(|&item| is_primary(item)));
            let lets_in = |item: &u32| {
                let pairs = self.row(*item).iter().zip(&entered);
                let new = pairs.map(|(near, seen)| (near & !seen).count_ones()).sum::<u32>();
                // Branching on an item of the border makes the border smaller by this item. Branching on
                // another item does not, so one is added for such an item.
                new + u32::from(entered[*item as usize / 64] >> (item % 64) & 1 == 0)
            };
            let waiting = open.iter().copied().take(LOOK);
            let others = (0..primary as u32).filter(|&item| looks_far && !done[item as usize]);
            next = match waiting.chain(others).min_by_key(lets_in) {
                Some(item) => item,
                None => match untouched.find(|&item| !done[item as usize]) {
                    Some(item) => item,
                    None => return Ok(order),
                },
            };
        }
    }
}
