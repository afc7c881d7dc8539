//! The stack of branchings, limits and counters, shared by all kinds of nodes.

use super::Store;
use super::block::{Block, nth};
use super::table::ProblemTables;
use crate::search_context::SearchContext;
use quadrille_model::bits::{Bits, nth_bit};
use quadrille_model::{EndedBy, Solution};

/// A branching on the path, with the state of its node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Level {
    /// Position of the live options in the arena. In a block the untried options follow.
    pub(super) live: usize,
    /// First word of the arena that is free below this node.
    pub(super) end: usize,
    /// Index of the branching's block among the blocks of the path; 0 for the upper levels.
    pub(super) block: u32,
    /// Upper levels: position of the counters.
    pub(super) counts: usize,
    /// Upper levels: the item branched on.
    pub(super) item: u32,
    /// Upper levels: start of the untried options in the item's list.
    pub(super) cursor: u32,
    /// Number of uncovered items.
    pub(super) remaining: u32,
    /// Number of untried options.
    pub(super) rest: u32,
    /// Number of options on the path above the branching.
    pub(super) path: u32,
    /// The option tried now: its number in the problem, or its position in the block.
    pub(super) taken: u32,
    /// Multiplicities: true if options that were tried need not be ruled out.
    pub(super) is_plain: bool,
    /// Multiplicities: true if the ways left cannot lead to a solution.
    pub(super) is_closed: bool,
}

/// Converts the position of an option in a block to its number in the problem. Options of the upper levels already
/// have that number.
fn original(mut block: u32, mut option: u32, blocks: &[Block], arena: &[u64]) -> u32 {
    if block == 0 {
        return option;
    }
    // Go up from block to block: a position in one is the option's rank among the live options of the one
    // above.
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
    /// Enters the node of the current decisions, or reports it. Returns true if it is entered.
    #[inline(always)]
    pub(super) fn try_enter(&mut self) -> Result<bool, EndedBy> {
        self.enters_below(0)
    }

    /// Decides like [`try_enter`](Self::try_enter), below `words` levels of a block of one word.
    #[inline(always)]
    pub(super) fn enters_below(&mut self, words: usize) -> Result<bool, EndedBy> {
        let (prefix, store) = (self.run.task.prefix, &mut *self.store);
        let branchings = prefix.len() + store.levels.len() + words;
        self.run
            .enter_or(branchings, |visitor, nodes| visitor.frontier(store.decisions(prefix, words), nodes))
    }

    /// Counts the solution on the path, and reports it if wanted.
    #[inline(always)]
    pub(super) fn solved(&mut self) -> Result<(), EndedBy> {
        self.solved_below(0)
    }

    /// Counts the solution on the path with the options `taken` in a block of one word.
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
    /// Returns a prefix, the decisions on the stack, and `below` decisions in a block of one word.
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

    /// Returns the options on the path and the options `taken` in a block of one word, ascending.
    fn solution(&mut self, taken: u64) -> &[u32] {
        let Store { scratch, path, levels, words, blocks, arena, .. } = self;
        scratch.clear();
        // Options taken between two levels have their numbers in the block of the upper level.
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

/// Makes sure that the arena has `end` words.
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
