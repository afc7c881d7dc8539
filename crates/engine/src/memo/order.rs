//! Orders in which to branch on items.
//!
//! A good order keeps the border narrow: the items that are in earlier options and still open. The given order is
//! often one that people chose for the same reason. Others are found greedily, from several first items: the next
//! item is the one that adds the fewest items to the border, and on ties the one that has been open longest.

use super::parts::Component;
use crate::budget::LoopWatch;
use quadrille_model::EndedBy;
use quadrille_model::bits::bits_of;

/// Maximum number of items of a problem for which orders other than the given order are tried.
const MAX_ITEMS: usize = 4096;
/// Maximum number of open items compared in choosing the next item.
const LOOK: usize = 64;
/// Maximum number of primary items for which items not yet open are compared too.
///
/// Branching on an item that is not open yet may narrow the border sooner.
const LOOK_FAR: usize = 512;

/// Returns the orders worth comparing, each of all primary items.
///
/// # Errors
/// Returns an error if the count must stop first.
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

/// The pairs of items that share an option, as a square matrix of bits.
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

    /// Returns the primary item with the fewest neighbours, the first one on ties.
    fn loneliest(&self, primary: usize) -> u32 {
        let neighbours = |item: &u32| self.row(*item).iter().map(|word| word.count_ones()).sum::<u32>();
        (0..primary as u32).min_by_key(neighbours).unwrap_or(0)
    }

    /// Returns a primary item that is farthest from the item `from`, the first one on ties.
    ///
    /// A step leads to any item, primary or secondary, that shares an option.
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
                // An item that is already open gets finished; an item that is not open adds itself to the border.
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
