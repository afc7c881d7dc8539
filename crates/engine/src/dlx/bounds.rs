//! The bounds of items in problems with multiplicities, as an arena stores them.
//!
//! The steps of the search that use the bounds are in [`bounded`](super::bounded).

use crate::memory::clear_and_reserve;
use quadrille_model::{CoverProblem, EndedBy};

/// The bounds of an arena's items. Empty for problems without multiplicities.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// BOUND of each primary item.
    pub(super) left: Vec<u32>,
    /// SLACK of each primary item.
    pub(super) slack: Vec<u32>,
    /// The key of any item minus its branching degree. This difference is the same for all items.
    pub(super) bias: u32,
    /// The settled items (items that need no further option and can get none), in the order of settling.
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

/// Returns the lower and upper bound that apply to an item with `options` options.
///
/// The upper bound is lowered to the number of options, because an item cannot be covered more often. If the
/// lower bound exceeds the number of options, so does the returned lower bound.
pub(super) fn effective(cover: &CoverProblem, item: usize, options: u32) -> (u32, u32) {
    let bounds = cover.bounds(item);
    let low = bounds.low.min(options.saturating_add(1));
    (low, bounds.high.min(options.max(1)).max(low))
}

/// Returns the largest key that an item of the problem can have.
///
/// This is the length of the longest list, or a larger number if there are multiplicities.
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
