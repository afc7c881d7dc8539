//! The parts of the search that all kinds of nodes share: the stack of branchings, the limits and the
//! counters.

use super::Store;
use super::block::{Block, nth};
use super::table::ProblemTables;
use crate::search_context::SearchContext;
use quadrille_model::bits::{Bits, nth_bit};
use quadrille_model::{EndedBy, Solution};

/// A branching on the path from the root, with the state of its node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Level {
    /// Position of the set of live options in the arena. In a block, the set of untried options follows this
    /// set.
    pub(super) live: usize,
    /// First word of the arena that is free for nodes below this one.
    pub(super) end: usize,
    /// Index of the branching's block among the blocks of the path, or 0 in the upper levels.
    pub(super) block: u32,
    /// Position of the node's counters. Used in the upper levels only.
    pub(super) counts: usize,
    /// The item that is branched on. Used in the upper levels only.
    pub(super) item: u32,
    /// Start of the untried options in the item's list. Used in the upper levels only.
    pub(super) cursor: u32,
    /// Number of uncovered items.
    pub(super) remaining: u32,
    /// Number of untried options.
    pub(super) rest: u32,
    /// Number of options on the path before the branching.
    pub(super) path: u32,
    /// The option that is being tried, as its number in the problem (in the upper levels) or its position in
    /// the block.
    pub(super) taken: u32,
    /// True if options that were tried need not be ruled out afterwards. Used only in problems with
    /// multiplicities.
    pub(super) is_plain: bool,
    /// True if the untried ways of this branching cannot lead to a solution. Used only in problems with
    /// multiplicities.
    pub(super) is_closed: bool,
}

/// Converts the position of an option in a block to its number in the problem.
///
/// In the upper levels (block 0), `option` already is this number.
fn original(mut block: u32, mut option: u32, blocks: &[Block], arena: &[u64]) -> u32 {
    if block == 0 {
        return option;
    }
    // The loop goes from each block to the larger block from which it was made. Only the options that were
    // live at that time are in the smaller block. So an option's position is its index among these live
    // options.
    loop {
        let Block { from, above, .. } = blocks[block as usize];
        if above == 0 {
            return arena[from + option as usize] as u32;
        }
        option = nth(&arena[from..from + blocks[above as usize].width], option as usize, nth_bit) as u32;
        block = above;
    }
}

/// One search of one task.
pub(super) struct Walk<'a> {
    pub(super) table: &'a ProblemTables,
    pub(super) store: &'a mut Store,
    pub(super) run: SearchContext<'a>,
}

impl Walk<'_> {
    /// Enters the node that the current decisions lead to, and returns true.
    ///
    /// If the node is a frontier node, which this search must not enter, reports it instead and returns
    /// false.
    #[inline(always)]
    pub(super) fn try_enter(&mut self) -> Result<bool, EndedBy> {
        self.enters_below(0)
    }

    /// Works like [`try_enter`](Self::try_enter), for a path whose last `words` levels are in a block of one
    /// word.
    #[inline(always)]
    pub(super) fn enters_below(&mut self, words: usize) -> Result<bool, EndedBy> {
        let (prefix, store) = (self.run.task.prefix, &mut *self.store);
        let branchings = prefix.len() + store.levels.len() + words;
        self.run
            .enter_or(branchings, |visitor, nodes| visitor.frontier(store.decisions(prefix, words), nodes))
    }

    /// Counts the solution on the path. Also reports it if the visitor wants solutions.
    #[inline(always)]
    pub(super) fn solved(&mut self) -> Result<(), EndedBy> {
        self.solved_below(0)
    }

    /// Counts the solution that consists of the path and the options `taken` in a block of one word.
    #[inline(always)]
    pub(super) fn solved_below(&mut self, taken: u64) -> Result<(), EndedBy> {
        let store = &mut *self.store;
        self.run.solved(|visitor| visitor.solution(Solution::Options(store.solution(taken))))
    }

    pub(super) fn room_for_counts(&mut self, end: usize) -> Result<(), EndedBy> {
        if end <= self.store.counts.len() { Ok(()) } else { grow(&mut self.store.counts, end) }
    }
}

impl Store {
    /// Returns all decisions so far. They consist of the prefix, the decisions on the stack, and those in a
    /// block of one word.
    ///
    /// `below` is the number of levels in the block of one word.
    #[cold]
    fn decisions(&mut self, prefix: &[u32], below: usize) -> &[u32] {
        let Store { scratch, levels, words, blocks, arena, .. } = self;
        scratch.clear();
        scratch.extend_from_slice(prefix);
        scratch.extend(levels.iter().map(|level| original(level.block, level.taken, blocks, arena)));
        let below = &words.levels[..below];
        scratch.extend(below.iter().map(|level| original(words.block, level.taken, blocks, arena)));
        scratch
    }

    /// Returns the options of a solution, ascending.
    ///
    /// The solution consists of the options on the path and the options `taken` in a block of one word.
    fn solution(&mut self, taken: u64) -> &[u32] {
        let Store { scratch, path, levels, words, blocks, arena, .. } = self;
        scratch.clear();
        // Options that were chosen after one branching and before the next are stored as positions in the
        // block of the first of these two branchings.
        let above = levels.first().map_or(path.len(), |level| level.path as usize);
        scratch.extend_from_slice(&path[..above]);
        for (index, level) in levels.iter().enumerate() {
            let end = levels.get(index + 1).map_or(path.len(), |next| next.path as usize);
            let taken = &path[level.path as usize..end];
            scratch.extend(taken.iter().map(|&option| original(level.block, option, blocks, arena)));
        }
        scratch.extend(Bits(taken).map(|option| original(words.block, option as u32, blocks, arena)));
        scratch.sort_unstable();
        scratch
    }
}

/// Makes sure that the arena has at least `end` words. The contents of existing words are kept.
#[inline(always)]
pub(super) fn clear_and_reserve(arena: &mut Vec<u64>, end: usize) -> Result<(), EndedBy> {
    if end <= arena.len() { Ok(()) } else { grow(arena, end) }
}

#[cold]
fn grow<T: Default + Clone>(list: &mut Vec<T>, end: usize) -> Result<(), EndedBy> {
    let more = end.next_power_of_two() - list.len();
    list.try_reserve_exact(more)?;
    list.resize(list.len() + more, T::default());
    Ok(())
}
