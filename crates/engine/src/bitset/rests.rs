//! Rests of a block of one word that were searched, remembered while the block is.
//!
//! What is below a branching of such a block follows from its live options: the rows, the order and the clash sets are the
//! block's, the items not covered those whose rows have a live option. So where the same options are left a second time
//! and solutions are only counted, what the search found, entered and guessed below them the first time is added, and all
//! counters are those of the whole tree. It is only done up to the node limit, so that this ends a search at the same node.
//!
//! Whether the same options are left again depends on the problem: on dominoes, of thirty-five nodes one is left; on
//! queens, one of a hundred is gone. A search tries it for some branchings, leaves it for many nodes where it does not pay, and
//! tries again.

use super::one_word::DEEPEST;
use crate::run::Totals;
use quadrille_model::EndedBy;

/// Slots of the table, a power of two: a block has some hundred branchings that differ.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;
/// Branchings that are looked up before it is decided whether to go on.
const TRIAL: u32 = 1024;
/// Nodes that are searched before it is tried again.
const PAUSE: u64 = 1 << 16;

/// A branching whose rest is, or was, searched.
#[derive(Debug, Clone, Copy, Default)]
struct Rest {
    live: u64,
    /// The counters before it while it is searched, then what it added.
    totals: Totals,
    /// The number of its block; 0 for none.
    block: u64,
}

/// The rests of the block being searched.
#[derive(Debug, Default)]
pub(super) struct Rests {
    /// None, or [`SLOTS`].
    slots: Vec<Rest>,
    /// The branchings on the stack: none, or [`DEEPEST`].
    open: Vec<Rest>,
    /// Counts the blocks.
    block: u64,
    looked_up: u32,
    /// Nodes that were not searched again, since the trial began.
    saved: u64,
    /// The nodes entered at which it is tried again.
    pause_until: u64,
}

impl Rests {
    /// Bytes that it takes.
    pub(super) const BYTES: u64 = ((SLOTS + DEEPEST) * size_of::<Rest>()) as u64;

    /// Forgets what it knows of problems: a search begins.
    pub(super) fn begin(&mut self) {
        (self.looked_up, self.saved, self.pause_until) = (0, 0, 0);
    }

    /// Begins a block after so many nodes; `false`: it is not tried now.
    #[inline]
    pub(super) fn begin_block(&mut self, nodes: u64) -> Result<bool, EndedBy> {
        if nodes < self.pause_until {
            return Ok(false);
        }
        if self.slots.is_empty() {
            self.slots.try_reserve_exact(SLOTS)?;
            self.open.try_reserve_exact(DEEPEST)?;
            self.slots.resize(SLOTS, Rest::default());
            self.open.resize(DEEPEST, Rest::default());
        }
        self.block += 1;
        Ok(true)
    }

    #[inline(always)]
    fn slot(live: u64) -> usize {
        // Fibonacci hashing: the golden ratio.
        (live.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
    }

    /// What the rest of a branching adds, if it was searched in this block.
    #[inline(always)]
    pub(super) fn find(&mut self, live: u64) -> Option<Totals> {
        self.looked_up += 1;
        let rest = &self.slots[Self::slot(live)];
        (rest.live == live && rest.block == self.block).then_some(rest.totals)
    }

    /// Notes that so many nodes need not be searched.
    #[inline(always)]
    pub(super) fn save(&mut self, nodes: u64) {
        self.saved += nodes;
    }

    /// Nodes that were not searched again, since the trial began.
    #[cfg(test)]
    pub(super) fn saved(&self) -> u64 {
        self.saved
    }

    /// Begins the rest of a branching below so many others, with the counters before it. `false`: it has not paid lately, and is not to
    /// be asked again in this block.
    #[inline(always)]
    pub(super) fn open(&mut self, depth: usize, live: u64, before: Totals) -> bool {
        self.open[depth] = Rest { live, totals: before, block: self.block };
        self.looked_up < TRIAL || self.goes_on(before.nodes)
    }

    /// Ends the rests of the branchings on the stack from a place on.
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

    /// Decides at the end of a trial: a node saved is worth more than two branchings looked up cost.
    #[cold]
    fn goes_on(&mut self, nodes: u64) -> bool {
        let pays = self.saved * 2 >= u64::from(self.looked_up);
        (self.looked_up, self.saved) = (0, 0);
        if !pays {
            self.pause_until = nodes + PAUSE;
        }
        pays
    }
}
