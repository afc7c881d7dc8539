//! Caches searched subtrees of a block of one word, as long as the block is searched.
//!
//! The subtree below a branching of such a block is determined by its live options. The rows, their order and the
//! clash sets belong to the block, and the uncovered items are those whose rows have a live option. So if solutions
//! are only counted and the same options are left a second time, the solutions, nodes and guesses of the first time
//! are added. Then all counters are those of the whole tree. A cached subtree is used only if the node limit allows
//! all its nodes. So the limit ends a search at the same node as without a cache.
//!
//! How often the same options are left depends on the problem: with dominoes one node of thirty-five remains,
//! with queens one of a hundred is saved. A search tries the cache for some branchings. If it does not pay,
//! the search pauses it for many nodes and then tries again.

use super::one_word::MAX_LEVELS;
use crate::search_context::Totals;
use quadrille_model::EndedBy;

/// Slots of the table, a power of two. A block has a few hundred different branchings.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;
/// Number of lookups before the search decides whether to keep using the cache.
const TRIAL: u32 = 1024;
/// Number of nodes before the cache is tried again.
const PAUSE: u64 = 1 << 16;

/// A branching whose subtree is being searched or has been searched.
#[derive(Debug, Clone, Copy, Default)]
struct Rest {
    live: u64,
    /// While the subtree is searched, the counters at its start; afterwards, their increase by the subtree.
    totals: Totals,
    /// Number of the block that the branching is in; 0 for an empty entry.
    block: u64,
}

/// The cached subtrees of the current block.
#[derive(Debug, Default)]
pub(super) struct SubtreeCache {
    /// Empty, or [`SLOTS`] slots.
    slots: Vec<Rest>,
    /// The branchings on the stack: empty, or [`MAX_LEVELS`] entries.
    open: Vec<Rest>,
    /// Number of the current block, 1-based.
    block: u64,
    looked_up: u32,
    /// Number of nodes saved since the trial began.
    saved: u64,
    /// Number of nodes entered at which the cache is tried again.
    pause_until: u64,
}

impl SubtreeCache {
    /// Number of bytes of the cache.
    pub(super) const BYTES: u64 = ((SLOTS + MAX_LEVELS) * size_of::<Rest>()) as u64;

    /// Starts a new search: resets the statistics of the benefit.
    pub(super) fn begin(&mut self) {
        (self.looked_up, self.saved, self.pause_until) = (0, 0, 0);
    }

    /// Starts a block, given the nodes entered so far; returns `false` if the cache pauses.
    #[inline]
    pub(super) fn begin_block(&mut self, nodes: u64) -> Result<bool, EndedBy> {
        if nodes < self.pause_until {
            return Ok(false);
        }
        if self.slots.is_empty() {
            self.slots.try_reserve_exact(SLOTS)?;
            self.open.try_reserve_exact(MAX_LEVELS)?;
            self.slots.resize(SLOTS, Rest::default());
            self.open.resize(MAX_LEVELS, Rest::default());
        }
        self.block += 1;
        Ok(true)
    }

    #[inline(always)]
    fn slot(live: u64) -> usize {
        // Fibonacci hashing, with the golden ratio.
        (live.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
    }

    /// Returns the counters that the subtree of a branching adds, or `None` if it was not searched in this block.
    #[inline(always)]
    pub(super) fn find(&mut self, live: u64) -> Option<Totals> {
        self.looked_up += 1;
        let rest = &self.slots[Self::slot(live)];
        (rest.live == live && rest.block == self.block).then_some(rest.totals)
    }

    /// Notes that `nodes` nodes need not be searched.
    #[inline(always)]
    pub(super) fn save(&mut self, nodes: u64) {
        self.saved += nodes;
    }

    /// Returns the number of nodes saved since the trial began.
    #[cfg(test)]
    pub(super) fn saved(&self) -> u64 {
        self.saved
    }

    /// Starts the subtree of a branching at `depth`, given the counters before it.
    ///
    /// Returns `false` if the cache has not paid lately and must not be used in this block any more.
    #[inline(always)]
    pub(super) fn open(&mut self, depth: usize, live: u64, before: Totals) -> bool {
        self.open[depth] = Rest { live, totals: before, block: self.block };
        self.looked_up < TRIAL || self.should_continue(before.nodes)
    }

    /// Ends the subtrees of the branchings on the stack at and above `from`, and stores the counters that they added.
    #[inline(always)]
    pub(super) fn close(&mut self, from: usize, depth: usize, now: Totals) {
        for rest in self.open[from..depth].iter().rev() {
            let added = Totals {
                found: now.found - rest.totals.found,
                nodes: now.nodes - rest.totals.nodes,
                guesses: now.guesses - rest.totals.guesses,
            };
            self.slots[Self::slot(rest.live)] = Rest { totals: added, ..*rest };
        }
    }

    /// Ends a trial and returns true if the cache pays: one saved node is worth two lookups.
    #[cold]
    fn should_continue(&mut self, nodes: u64) -> bool {
        let pays = self.saved * 2 >= u64::from(self.looked_up);
        (self.looked_up, self.saved) = (0, 0);
        if !pays {
            self.pause_until = nodes + PAUSE;
        }
        pays
    }
}
