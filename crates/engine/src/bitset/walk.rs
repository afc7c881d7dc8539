//! The stack of branchings, limits and counters, which all kinds of nodes share.

use super::Store;
use super::block::{Block, nth};
use super::table::Table;
use crate::run::Run;
use quadrille_model::bits::{Bits, nth_bit};
use quadrille_model::{EndedBy, Solution};

/// A branching on the path, with the state of its node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Level {
    /// The place of the live options in the arena; in a block the untried ones follow.
    pub(super) live: usize,
    /// First word of the arena that is free below this node.
    pub(super) end: usize,
    /// Its number among the blocks on the path; 0 stands for the upper levels.
    pub(super) block: u32,
    /// Upper levels: where the counters stand.
    pub(super) counts: usize,
    /// Upper levels: the item branched on, and the place in its list where the untried options begin.
    pub(super) item: u32,
    pub(super) cursor: u32,
    /// Items not covered.
    pub(super) remaining: u32,
    /// Options not tried.
    pub(super) rest: u32,
    /// Options on the path above the branching.
    pub(super) path: u32,
    /// The option tried now: its number in the problem, or its place in the block.
    pub(super) taken: u32,
    /// Multiplicities: true if options that were tried need not be ruled out; true if nothing can come of the ways
    /// left.
    pub(super) is_plain: bool,
    pub(super) is_closed: bool,
}

/// The number in the problem of an option of a block; upper levels have the numbers themselves.
fn original(mut block: u32, mut option: u32, blocks: &[Block], arena: &[u64]) -> u32 {
    if block == 0 {
        return option;
    }
    // Up from block to block: a place in one is the rank of an option among those that were alive in the one above.
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
    pub(super) table: &'a Table,
    pub(super) store: &'a mut Store,
    pub(super) run: Run<'a>,
}

impl Walk<'_> {
    /// Decides to enter the node that the decisions on the stack lead to, or reports it; true if it is entered.
    #[inline(always)]
    pub(super) fn enters(&mut self) -> Result<bool, EndedBy> {
        self.enters_below(0)
    }

    /// The same below so many levels of a block of one word.
    #[inline(always)]
    pub(super) fn enters_below(&mut self, words: usize) -> Result<bool, EndedBy> {
        let (prefix, store) = (self.run.task.prefix, &mut *self.store);
        let branchings = prefix.len() + store.levels.len() + words;
        self.run
            .enter_or(branchings, |visitor, nodes| visitor.frontier(store.decisions(prefix, words), nodes))
    }

    /// Counts the solution on the path.
    #[inline(always)]
    pub(super) fn solved(&mut self) -> Result<(), EndedBy> {
        self.solved_below(0)
    }

    /// The same with options taken in a block of one word.
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
    /// The decisions on the stack, behind a prefix, and so many in a block of one word.
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

    /// The options on the path, and these of a block of one word, ascending.
    fn solution(&mut self, taken: u64) -> &[u32] {
        let Store { scratch, path, levels, words, blocks, arena, .. } = self;
        scratch.clear();
        // What was taken below a level, up to the next, is numbered as in its block.
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

/// Makes sure that the arena has so many words.
#[inline(always)]
pub(super) fn room(arena: &mut Vec<u64>, end: usize) -> Result<(), EndedBy> {
    if end <= arena.len() { Ok(()) } else { grow(arena, end) }
}

#[cold]
fn grow<T: Default + Clone>(list: &mut Vec<T>, end: usize) -> Result<(), EndedBy> {
    let more = end.next_power_of_two() - list.len();
    list.try_reserve_exact(more)?;
    list.resize(list.len() + more, T::default());
    Ok(())
}
