//! Caches the searched subtrees of a block of one word while the block is being searched.
//!
//! The live options of a branching in such a block determine the subtree below it, because the rows, their
//! order and the clash sets are the same in the whole block. An item is uncovered if its row has a live
//! option. So if solutions are only counted, a second subtree with the same live options need not be
//! searched. The solutions, nodes and guesses of the first subtree are added instead. All counters are then
//! as if the whole tree had been searched. A cached subtree is used only if the node limit allows all its
//! nodes. So the limit ends a search at the same node as without a cache.
//!
//! The benefit depends on the problem. With dominoes, only one node of thirty-five must be searched. With
//! queens, only one node of a hundred is saved. A search tries the cache for some branchings. If the cache
//! does not pay off, the search stops using it for many nodes and then tries again.

use super::one_word::MAX_LEVELS;
use crate::search_context::Totals;
use quadrille_model::EndedBy;

/// Number of entries in the cache's table, a power of two. A block has a few hundred different branchings.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;
/// Number of lookups in a trial (measuring period). After a trial, the search decides whether to keep using
/// the cache.
const TRIAL: u32 = 1024;
/// Length of a pause in nodes. The cache is not used during a pause. Then the search tries it again.
const PAUSE: u64 = 1 << 16;

/// A branching and its subtree. The subtree is being searched, or has been searched.
#[derive(Debug, Clone, Copy, Default)]
struct Rest {
    live: u64,
    /// While the subtree is being searched: the counters of the search, as they were when it entered the
    /// subtree.
    ///
    /// After that: the amounts by which the subtree has increased the counters.
    totals: Totals,
    /// The 1-based index of the branching's block among all blocks, or 0 if the entry is empty.
    block: u64,
}

/// The cached subtrees of the current block.
#[derive(Debug, Default)]
pub(super) struct SubtreeCache {
    /// Empty, or [`SLOTS`] slots.
    slots: Vec<Rest>,
    /// The branchings on the stack. This list is empty until first use, and then has [`MAX_LEVELS`] entries.
    open: Vec<Rest>,
    /// The 1-based index of the current block among all blocks so far.
    block: u64,
    looked_up: u32,
    /// Number of nodes that the cache has saved since the current trial (measuring period) began.
    saved: u64,
    /// The pause ends when this number of nodes has been entered. The search then tries the cache again.
    pause_until: u64,
}

impl SubtreeCache {
    /// Number of bytes that the cache takes.
    pub(super) const BYTES: u64 = ((SLOTS + MAX_LEVELS) * size_of::<Rest>()) as u64;

    /// Starts a new search by resetting the statistics that decide whether the cache pays off.
    pub(super) fn begin(&mut self) {
        (self.looked_up, self.saved, self.pause_until) = (0, 0, 0);
    }

    /// Starts a new block of one word. Returns false if the cache is paused, so that this block must not use
    /// it.
    ///
    /// `nodes` is the number of nodes entered so far.
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
        // Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio.
        (live.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
    }

    /// Returns the counters of a branching's subtree, or `None` if they are not in the cache.
    ///
    /// The subtrees in the cache belong to the current block. They are identified by their live options.
    #[inline(always)]
    pub(super) fn find(&mut self, live: u64) -> Option<Totals> {
        self.looked_up += 1;
        let rest = &self.slots[Self::slot(live)];
        (rest.live == live && rest.block == self.block).then_some(rest.totals)
    }

    /// Records that the cache has saved `nodes` nodes.
    #[inline(always)]
    pub(super) fn save(&mut self, nodes: u64) {
        self.saved += nodes;
    }

    /// Returns the number of nodes that the cache has saved since the current trial (measuring period) began.
    #[cfg(test)]
    pub(super) fn saved(&self) -> u64 {
        self.saved
    }

    /// Records that the search enters the subtree of a branching at `depth`. `before` has the counters at
    /// this point.
    ///
    /// Returns false if the cache has not paid off recently. The caller must then stop using the cache for
    /// this block.
    #[inline(always)]
    pub(super) fn open(&mut self, depth: usize, live: u64, before: Totals) -> bool {
        self.open[depth] = Rest { live, totals: before, block: self.block };
        self.looked_up < TRIAL || self.should_continue(before.nodes)
    }

    /// Records that the search has left the subtrees of the branchings at positions `from..depth` on the
    /// stack.
    ///
    /// Stores how much each subtree has added to the counters.
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

    /// Ends a trial, which measures the benefit of the cache. Returns true if the cache pays off.
    ///
    /// It pays off if it saved at least one node per two lookups.
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
