//! The depth-first search: everything forced is done on the way, and a kernel for each kind of node works as long as the
//! top of the stack is one of its own.

use super::Store;
use super::block::{Block, FromUpper, MOST_ROWS, Shrink, Verdict, settle, width_for};
use super::bounded::Bounded;
use super::one_word::OneWord;
use super::upper::ItemCounts;
use super::walk::{Level, Walk, room};
use crate::model::{EndedBy, Outcome};
use crate::simd::{WordKernel, Words};

impl WordKernel for Walk<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<I: Words>(mut self, isa: I) -> Outcome {
        let end = self.search(isa);
        self.run.outcome(end)
    }
}

impl Walk<'_> {
    #[inline(always)]
    fn search<I: Words>(&mut self, isa: I) -> Result<(), EndedBy> {
        self.start()?;
        while let Some(level) = self.store.levels.last() {
            match self.store.blocks[level.block as usize].width {
                0 if self.table.is_bounded() => isa.enter(Bounded(self)),
                0 => isa.enter(Upper(self)),
                1 => isa.enter(OneWord(self)),
                2 => isa.enter(Lower::<2>(self)),
                4 => isa.enter(Lower::<4>(self)),
                8 => isa.enter(Lower::<8>(self)),
                _ => isa.enter(Lower::<16>(self)),
            }?;
        }
        Ok(())
    }

    /// Repeats the prefix and enters the node that it leads to.
    #[inline(always)]
    fn start(&mut self) -> Result<(), EndedBy> {
        self.store.levels.clear();
        self.store.blocks.truncate(1);
        self.store.path.clear();
        self.store.queue.clear();
        if self.table.is_bounded() {
            return self.start_bounded();
        }
        let words = self.table.options().div_ceil(64);
        room(&mut self.store.arena, words)?;
        self.room_for_counts(self.table.primary)?;
        let Store { arena, counts, queue, path, .. } = &mut *self.store;
        let (live, counts) = (&mut arena[..words], &mut counts[..self.table.primary]);
        let mut items = ItemCounts { live, counts, remaining: 0 };
        let mut possible = items.begin(self.table, queue);
        let mut decisions = self.run.task.prefix.iter().map(|&original| {
            self.table.own(original).expect("a prefix comes from a search of the same problem")
        });
        let last = decisions.next_back();
        if last.is_some() {
            // The node that the last decision leads to is the first to be entered; those above were before.
            possible = possible && items.settle(self.table, None, queue, path);
            for decision in decisions {
                possible = possible && items.settle(self.table, Some(decision), queue, path);
            }
            assert!(possible, "a prefix comes from a search of the same problem");
        }
        let remaining = items.remaining;
        if !self.enters()? || !possible {
            return Ok(());
        }
        self.arrive(0, 0, last, remaining)
    }

    /// Enters a node of the upper levels, whose parent's state is copied to the given places: takes the option and
    /// what it forces, and branches if that leads anywhere.
    #[inline(always)]
    fn arrive(
        &mut self,
        live: usize,
        counts: usize,
        option: Option<u32>,
        remaining: u32,
    ) -> Result<(), EndedBy> {
        let (words, primary) = (self.table.options().div_ceil(64), self.table.primary);
        let Store { arena, counts: all, queue, path, .. } = &mut *self.store;
        let mut items = ItemCounts {
            live: &mut arena[live..live + words],
            counts: &mut all[counts..counts + primary],
            remaining,
        };
        if !items.settle(self.table, option, queue, path) {
            return Ok(());
        }
        let remaining = items.remaining;
        if remaining == 0 {
            return self.solved();
        }
        let (item, rest) = items.choose();
        let options: u32 = items.live.iter().map(|word| word.count_ones()).sum();
        let path = path.len() as u32;
        let mut level =
            Level { live, end: live + words, counts, item, remaining, rest, path, ..Level::default() };
        if width_for(options) > 0 && remaining <= MOST_ROWS {
            let at = live + words;
            let Store { arena, counts: all, sets, scratch, blocks, .. } = &mut *self.store;
            let mut from = FromUpper {
                live: live..at,
                counts: &all[counts..counts + primary],
                remaining,
                table: self.table,
                options,
                item,
                sets,
                secondary: scratch,
            };
            let (size, rows) = from.size(arena);
            level.end = at + size;
            room(arena, level.end)?;
            let (block, live) = from.write(rows, arena, at);
            level.live = live;
            level.block = 1;
            blocks.truncate(1);
            blocks.push(block);
        }
        self.store.levels.push(level);
        Ok(())
    }
}

/// Works on the upper levels until the top of the stack is none.
struct Upper<'w, 'a>(&'w mut Walk<'a>);

impl WordKernel for Upper<'_, '_> {
    type Output = Result<(), EndedBy>;

    #[inline(always)]
    fn run<I: Words>(self, _: I) -> Result<(), EndedBy> {
        let walk = self.0;
        let (words, primary) = (walk.table.options().div_ceil(64), walk.table.primary);
        loop {
            let Store { arena, levels, path, .. } = &mut *walk.store;
            let Some(level) = levels.last_mut() else { return Ok(()) };
            if level.block != 0 {
                return Ok(());
            }
            if level.rest == 0 {
                levels.pop();
                continue;
            }
            let list = walk.table.options_of(level.item);
            let option = loop {
                let option = list[level.cursor as usize];
                level.cursor += 1;
                if arena[level.live + option as usize / 64] >> (option % 64) & 1 != 0 {
                    break option;
                }
            };
            level.rest -= 1;
            level.taken = walk.table.original(option);
            path.truncate(level.path as usize);
            let Level { rest, live, end, counts, remaining, .. } = *level;
            walk.run.guesses += u64::from(rest > 0);
            if !walk.enters()? {
                continue;
            }
            // The child works on a copy behind its parent's state, which is there again when the next option is tried.
            room(&mut walk.store.arena, end + words)?;
            walk.room_for_counts(counts + 2 * primary)?;
            walk.store.arena.copy_within(live..live + words, end);
            walk.store.counts.copy_within(counts..counts + primary, counts + primary);
            walk.arrive(end, counts + primary, Some(option), remaining)?;
        }
    }
}

/// Works on blocks of `W` words until the top of the stack is none.
struct Lower<'w, 'a, const W: usize>(&'w mut Walk<'a>);

impl<const W: usize> WordKernel for Lower<'_, '_, W> {
    type Output = Result<(), EndedBy>;

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> Result<(), EndedBy> {
        let walk = self.0;
        // The block of the level before, at hand: it rarely is another one.
        let (mut number, mut block) = (u32::MAX, Block::default());
        loop {
            let Store { arena, levels, blocks, path, .. } = &mut *walk.store;
            let Some(level) = levels.last_mut() else { return Ok(()) };
            if level.rest == 0 {
                levels.pop();
                continue;
            }
            if level.block != number {
                (number, block) = (level.block, blocks[level.block as usize]);
                if block.width != W {
                    return Ok(());
                }
            }
            let (mut live, untried) = sets::<W>(&mut arena[level.live..]);
            let option = take_first(untried);
            level.rest -= 1;
            level.taken = option as u32;
            path.truncate(level.path as usize);
            let (rest, end, mut remaining) = (level.rest, level.end, level.remaining);
            walk.run.guesses += u64::from(rest > 0);
            if !walk.enters()? {
                continue;
            }
            let Store { arena, path, blocks, .. } = &mut *walk.store;
            let node = (&mut live, &mut remaining);
            let note = |option| path.push(option as u32);
            match settle::<I, W>(isa, (blocks, &block), arena, node, option, note) {
                Verdict::Closed => {}
                Verdict::Solved => walk.solved()?,
                Verdict::Open(row) => {
                    let node = Branching { live: &live, row, remaining, end };
                    walk.branch::<I, W>(isa, number, &block, node)?;
                }
            }
        }
    }
}

/// A node of a block that has a choice.
struct Branching<'n, const W: usize> {
    live: &'n [u64; W],
    /// The row to branch on.
    row: usize,
    /// Items not covered.
    remaining: u32,
    /// First word of the arena that is free.
    end: usize,
}

/// The live and the untried options of a level.
#[inline(always)]
fn sets<const W: usize>(words: &mut [u64]) -> ([u64; W], &mut [u64]) {
    let (live, untried) = words.split_at_mut(W);
    let mut copy = [0; W];
    copy.copy_from_slice(live);
    (copy, &mut untried[..W])
}

/// Takes the first option out of a set that is not empty.
#[inline(always)]
fn take_first(set: &mut [u64]) -> usize {
    let mut word = 0;
    while set[word] == 0 {
        word += 1;
    }
    let bit = set[word].trailing_zeros() as usize;
    set[word] &= set[word] - 1;
    word * 64 + bit
}

impl Walk<'_> {
    /// Branches on a row of a block, in a smaller block if that holds what is left.
    #[inline(always)]
    fn branch<I: Words, const W: usize>(
        &mut self,
        isa: I,
        number: u32,
        block: &Block,
        node: Branching<'_, W>,
    ) -> Result<(), EndedBy> {
        let Branching { live, row, remaining, end } = node;
        let path = self.store.path.len() as u32;
        let mut untried = [0; W];
        let rows = block.rows(&self.store.arena);
        let (mut options, mut rest) = (0, 0);
        for word in 0..W {
            untried[word] = rows[row / 4 * W + word][row % 4] & live[word];
            rest += untried[word].count_ones();
            options += live[word].count_ones();
        }
        let mut level =
            Level { live: end, end: end + 2 * W, block: number, remaining, rest, path, ..Level::default() };
        let width = width_for(options);
        let at = end + 2 * W;
        let is_smaller = width < W;
        let size = if is_smaller { block.room(width, options) } else { block.quads * 4 * W };
        let Store { arena, blocks, levels, .. } = &mut *self.store;
        room(arena, at + size)?;
        arena[end..end + W].copy_from_slice(live);
        arena[end + W..at].copy_from_slice(&untried);
        if is_smaller {
            let (mut smaller, live) = isa.enter(Shrink::<W> { block: *block, arena, live: end, options, at });
            smaller.above = number;
            (level.live, level.end) = (live, live + 2 * width);
            level.block = push_block(blocks, number, smaller);
        } else if remaining as usize * 2 <= block.quads * 4 {
            let compact = block.compact(isa, live, arena, at, remaining);
            level.end += compact.quads * 4 * W;
            level.block = push_block(blocks, number, compact);
        }
        levels.push(level);
        Ok(())
    }
}

/// Keeps a block behind the one it comes from, in place of those of other branches.
#[inline(always)]
fn push_block(blocks: &mut Vec<Block>, number: u32, block: Block) -> u32 {
    blocks.truncate(number as usize + 1);
    blocks.push(block);
    number + 1
}
