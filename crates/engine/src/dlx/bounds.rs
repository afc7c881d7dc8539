//! The bounds of the items of a problem with multiplicities, as stored in an arena.
//!
//! The steps of the search that use the bounds are in [`bounded`](super::bounded).

use crate::memory::clear_and_reserve;
use quadrille_model::{CoverProblem, EndedBy};

/// The bounds of an arena's items; empty for plain problems.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// BOUND of each primary item.
    pub(super) left: Vec<u32>,
    /// SLACK of each primary item.
    pub(super) slack: Vec<u32>,
    /// The difference between keys and branching degrees.
    pub(super) bias: u32,
    /// The settled items, in the order of settling.
    pub(super) settled: Vec<u32>,
    /// `left` before any search.
    pub(super) first_left: Vec<u32>,
}

impl Bounds {
    pub(super) fn clear(&mut self) {
        self.left.clear();
        self.slack.clear();
        self.first_left.clear();
        self.settled.clear();
    }

    pub(super) fn restore(&mut self) {
        self.left.copy_from_slice(&self.first_left);
        self.settled.clear();
    }

    #[cfg(test)]
    pub(super) fn is_pristine(&self) -> bool {
        self.left == self.first_left && self.settled.is_empty()
    }
}

/// Returns the lower and upper bound that matter for an item with `options` options.
///
/// An item cannot be covered more often than it has options. If it has too few, only that fact is kept.
pub(super) fn effective(cover: &CoverProblem, item: usize, options: u32) -> (u32, u32) {
    let bounds = cover.bounds(item);
    let low = bounds.low.min(options.saturating_add(1));
    (low, bounds.high.min(options.max(1)).max(low))
}

/// Returns the largest key of a problem's items.
///
/// The largest key is the length of the longest list, or more with multiplicities.
pub(super) fn largest_key(cover: &CoverProblem) -> Result<usize, EndedBy> {
    let mut lengths = Vec::new();
    clear_and_reserve(&mut lengths, cover.items())?;
    lengths.resize(cover.items(), 0usize);
    for option in 0..cover.options() {
        cover.option(option).iter().for_each(|entry| lengths[entry.item as usize] += 1);
    }
    let longest = lengths.iter().max().copied().unwrap_or(0);
    if !cover.has_multiplicities() {
        return Ok(longest);
    }
    let needs = |(item, &options): (usize, &usize)| effective(cover, item, options as u32).0 as usize;
    let most = lengths[..cover.primary()].iter().enumerate().map(needs).max().unwrap_or(0);
    Ok(longest + 1 + most)
}
