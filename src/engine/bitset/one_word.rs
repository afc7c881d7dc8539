//! Blocks of one word: at most 64 live options, where most nodes are.
//!
//! The search of `search`, on a stack of its own. A node is looked at in some twenty steps, so what it costs is what is done
//! around that: here its sets are words in registers, what was taken is a set and not a list, and a level is a line of
//! the cache. A level whose last option is taken is not come back to: the next one to go on with is known by its place, so that
//! a long way up is one step. The level that a block is entered by is the first of the stack, in place of that of `walk`.

use super::Store;
use super::block::{Verdict, settle};
use super::walk::{Walk, room};
use crate::model::EndedBy;
use crate::simd::{WordKernel, Words};

/// The most levels: each has at least two live options less than the one above it.
pub(super) const DEEPEST: usize = 32;

/// A branching in a block of one word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordLevel {
    live: u64,
    untried: u64,
    /// The options of the block taken above the branching.
    path: u64,
    /// The rows to count: their place in the arena, and their quads.
    rows: usize,
    quads: u32,
    /// Items not covered.
    remaining: u32,
    /// First word of the arena that is free below this node.
    end: usize,
    /// The option tried now.
    pub(super) taken: u32,
    /// The place on the stack, from 1, of the nearest level above that has options not tried; 0 if there is none.
    back: u32,
}

/// Works on a block of one word, the top of the stack, until all of it is searched.
pub(super) struct OneWord<'w, 'a>(pub(super) &'w mut Walk<'a>);

impl WordKernel for OneWord<'_, '_> {
    type Output = Result<(), EndedBy>;

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> Result<(), EndedBy> {
        let walk = self.0;
        let Store { arena, levels, blocks, path, words, .. } = &mut *walk.store;
        let Some(level) = levels.pop() else { return Ok(()) };
        words.make_room()?;
        let mut block = blocks[level.block as usize];
        // All its compacted rows together: each time so many fewer, and a quad behind them.
        room(arena, level.end + (3 * block.quads + DEEPEST) * 4)?;
        path.truncate(level.path as usize);
        words.block = level.block;
        let mut at = WordLevel {
            live: arena[level.live],
            untried: arena[level.live + 1],
            path: 0,
            rows: block.rows,
            quads: block.quads as u32,
            remaining: level.remaining,
            end: level.end,
            taken: 0,
            back: 0,
        };
        let mut depth = 1;
        loop {
            // A level whose last option is taken is not come back to.
            let above = at.back;
            at.taken = at.untried.trailing_zeros();
            at.untried &= at.untried - 1;
            if at.untried != 0 {
                at.back = depth as u32;
                walk.run.guesses += 1;
            }
            walk.store.words.levels[depth - 1] = WordLevel { back: above, ..at };
            if walk.enters_below(depth)? {
                let Store { arena, blocks, .. } = &mut *walk.store;
                (block.rows, block.quads) = (at.rows, at.quads as usize);
                let mut live = [at.live];
                let node = (&mut live, &mut at.remaining);
                let note = |option| at.path |= 1u64 << option;
                match settle::<I, 1>(isa, (blocks, &block), arena, node, at.taken as usize, note) {
                    Verdict::Closed => {}
                    Verdict::Solved => walk.solved_below(at.path)?,
                    Verdict::Open(row) => {
                        at.live = live[0];
                        at.untried = block.rows(arena)[row / 4][row % 4] & live[0];
                        let quads = at.remaining.div_ceil(4);
                        if quads * 4 <= at.quads * 3 {
                            block.pack(isa, at.live, arena, at.end, at.remaining);
                            (at.rows, at.quads) = (at.end, quads);
                            at.end += quads as usize * 4;
                        }
                        depth += 1;
                        continue;
                    }
                }
            }
            depth = at.back as usize;
            if depth == 0 {
                return Ok(());
            }
            at = walk.store.words.levels[depth - 1];
        }
    }
}

/// The stack of a block of one word.
#[derive(Debug, Default)]
pub(super) struct WordLevels {
    /// The number of the block.
    pub(super) block: u32,
    /// None, or [`DEEPEST`].
    pub(super) levels: Vec<WordLevel>,
}

impl WordLevels {
    /// Bytes of the stack.
    pub(super) const BYTES: u64 = (DEEPEST * size_of::<WordLevel>()) as u64;

    /// Makes sure that the stack is there.
    fn make_room(&mut self) -> Result<(), EndedBy> {
        if self.levels.is_empty() {
            self.levels.try_reserve_exact(DEEPEST)?;
            self.levels.resize(DEEPEST, WordLevel::default());
        }
        Ok(())
    }
}
