//! The depth-first search of the bitset engine.
//!
//! Entering a node means choosing one option and all options that this option forces. Each kind of node has
//! its own search loop. A loop runs as long as the top of the stack is a node of its kind.

use super::Store;
use super::block::{Block, BlockInArena, FromUpper, MAX_ROWS, NodeStatus, Shrink, WIDEST, settle, width_for};
use super::bounded::Bounded;
use super::one_word::OneWord;
use super::upper::{ItemCounts, choose};
use super::walk::{Level, Walk, clear_and_reserve};
use quadrille_model::simd::{WordKernel, Words};
use quadrille_model::{EndedBy, Outcome};

/// Maximum size of a block whose nodes do not count their work. The size is in groups of four words.
///
/// Counted work shortens the time to the next check of the clock. Without it, the nodes between two checks
/// take at most a few milliseconds in blocks up to this size.
const LARGE_BLOCK: usize = 1 << 12;

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
        self.start(isa)?;
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

    /// Follows the decisions of the prefix (the path to a part of the tree), and enters the node at its end.
    #[inline(always)]
    fn start<I: Words>(&mut self, isa: I) -> Result<(), EndedBy> {
        self.store.levels.clear();
        self.store.queue.clear();
        self.store.rests.begin();
        if self.table.is_bounded() {
            self.store.blocks.truncate(1);
            self.store.path.clear();
            return self.start_bounded();
        }
        if self.store.root.is_none() {
            return self.start_anew(isa);
        }
        self.start_in_root(isa)
    }

    /// Starts a search for which no block of the whole problem is kept. Makes this block if the problem is
    /// small enough.
    #[inline(always)]
    fn start_anew<I: Words>(&mut self, isa: I) -> Result<(), EndedBy> {
        self.store.blocks.truncate(1);
        self.store.path.clear();
        let words = self.table.options().div_ceil(64);
        clear_and_reserve(&mut self.store.arena, words)?;
        self.room_for_counts(self.table.primary)?;
        let (mut items, path) = ItemCounts::new(self.table, self.store, 0, 0);
        // The first node includes all options that are forced before any decision.
        let possible = items.begin() && items.settle(None, path);
        let remaining = items.remaining;
        let Some((last, decisions)) = self.run.task.prefix.split_last() else {
            if !self.try_enter()? || !possible {
                return Ok(());
            }
            if remaining == 0 {
                return self.solved();
            }
            self.open(0, 0, remaining)?;
            self.keep_root();
            return Ok(());
        };
        assert!(possible, "a prefix comes from a search of the same problem");
        let options = live_count(&self.store.arena[..words]);
        if width_for(options) > 1 && remaining <= MAX_ROWS {
            self.open(0, 0, remaining)?;
            self.keep_root();
            self.store.levels.clear();
            return self.start_in_root(isa);
        }
        // The search begins with the node of the last decision. An earlier search has entered the nodes above
        // it.
        let (mut items, path) = ItemCounts::new(self.table, self.store, 0, 0);
        items.remaining = remaining;
        for &decision in decisions {
            let decision =
                self.table.own(decision).expect("a prefix comes from a search of the same problem");
            let possible = items.settle(Some(decision), path);
            assert!(possible, "a prefix comes from a search of the same problem");
        }
        let remaining = items.remaining;
        if !self.try_enter()? {
            return Ok(());
        }
        let last = self.table.own(*last).expect("a prefix comes from a search of the same problem");
        self.arrive(0, 0, last, remaining)
    }

    /// Keeps the block of the whole problem for later searches. Its first branching must be on the stack.
    fn keep_root(&mut self) {
        let Store { arena, levels, blocks, root, .. } = &mut *self.store;
        let Some(level) = levels.first() else { return };
        let width = blocks[level.block as usize].width;
        if width > 1 {
            let mut untried = [0; WIDEST];
            untried[..width].copy_from_slice(&arena[level.live + width..level.live + 2 * width]);
            *root = Some(Root { level: *level, untried });
        }
    }

    /// Starts the search in the kept block of the whole problem.
    #[inline(always)]
    fn start_in_root<I: Words>(&mut self, isa: I) -> Result<(), EndedBy> {
        let root = self.store.root.expect("the block of the whole problem is kept");
        self.store.blocks.truncate(2);
        self.store.path.truncate(root.level.path as usize);
        match self.store.blocks[1].width {
            2 => isa.enter(FromRoot::<2>(self, root)),
            4 => isa.enter(FromRoot::<4>(self, root)),
            8 => isa.enter(FromRoot::<8>(self, root)),
            _ => isa.enter(FromRoot::<16>(self, root)),
        }
    }

    /// Chooses an option and all options that it forces. Then adds a branching if the node is still open.
    ///
    /// The node is in the upper levels. The caller has already copied the parent's state to the given
    /// positions.
    #[inline(always)]
    fn arrive(&mut self, live: usize, counts: usize, option: u32, remaining: u32) -> Result<(), EndedBy> {
        let (words, primary) = (self.table.options().div_ceil(64), self.table.primary);
        let (mut items, path) = ItemCounts::new(self.table, self.store, live, counts);
        items.remaining = remaining;
        let possible = items.settle(Some(option), path);
        let remaining = items.remaining;
        // The work includes copying the parent's state, in addition to settling the node.
        self.run.budget.work(items.work + (words + primary) as u64)?;
        if !possible {
            return Ok(());
        }
        if remaining == 0 {
            return self.solved();
        }
        self.open(live, counts, remaining)
    }

    /// Adds a branching at a node of the upper levels.
    ///
    /// If a block can hold the live options, the branching gets such a block.
    #[inline(always)]
    fn open(&mut self, live: usize, counts: usize, remaining: u32) -> Result<(), EndedBy> {
        let (words, primary) = (self.table.options().div_ceil(64), self.table.primary);
        let Store { arena, counts: all, sets, scratch, blocks, path, .. } = &mut *self.store;
        let (item, rest) = choose(&all[counts..counts + primary]);
        let options = live_count(&arena[live..live + words]);
        let path = path.len() as u32;
        let mut level =
            Level { live, end: live + words, counts, item, remaining, rest, path, ..Level::default() };
        if width_for(options) > 0 && remaining <= MAX_ROWS {
            let at = live + words;
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
            clear_and_reserve(arena, level.end)?;
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

/// Returns the number of options in a set.
#[inline(always)]
fn live_count(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// The first branching of a problem, with its block. Both are kept from one search to the next.
///
/// A split search consists of many short parts. When each part made its own block, half of the time was lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    level: Level,
    /// The options of the branching. This is a copy, because a search removes tried options from the set in
    /// the level.
    untried: [u64; WIDEST],
}

/// Follows the decisions of the prefix, and then enters the node at its end. Uses the block of the whole
/// problem, which has `W` words per set.
struct FromRoot<'w, 'a, const W: usize>(&'w mut Walk<'a>, Root);

impl<const W: usize> WordKernel for FromRoot<'_, '_, W> {
    type Output = Result<(), EndedBy>;

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> Result<(), EndedBy> {
        let FromRoot(walk, Root { level, untried }) = self;
        let Some((&last, decisions)) = walk.run.task.prefix.split_last() else {
            if walk.try_enter()? {
                let Store { arena, levels, .. } = &mut *walk.store;
                arena[level.live + W..level.live + 2 * W].copy_from_slice(&untried[..W]);
                levels.push(level);
            }
            return Ok(());
        };
        let (mut live, _) = sets::<W>(&mut walk.store.arena[level.live..]);
        let mut remaining = level.remaining;
        for &decision in decisions {
            let verdict = walk.take_in_root::<I, W>(isa, decision, (&mut live, &mut remaining));
            assert!(
                matches!(verdict, NodeStatus::Open(_)),
                "a prefix comes from a search of the same problem"
            );
        }
        if !walk.try_enter()? {
            return Ok(());
        }
        match walk.take_in_root::<I, W>(isa, last, (&mut live, &mut remaining)) {
            NodeStatus::Closed => Ok(()),
            NodeStatus::Solved => walk.solved(),
            NodeStatus::Open(row) => {
                let block = walk.store.blocks[1];
                walk.branch::<I, W>(isa, 1, &block, Branching { live: &live, row, remaining, end: level.end })
            }
        }
    }
}

impl Walk<'_> {
    /// Chooses an option and all options that it forces, in the block of the whole problem.
    ///
    /// `option` is the option's number in the problem. The chosen options are also stored on the path as such
    /// numbers.
    #[inline(always)]
    fn take_in_root<I: Words, const W: usize>(
        &mut self,
        isa: I,
        option: u32,
        node: (&mut [u64; W], &mut u32),
    ) -> NodeStatus {
        let Store { arena, path, blocks, .. } = &mut *self.store;
        let block = &blocks[1];
        let own = self.table.own(option).expect("a prefix comes from a search of the same problem");
        // The options of the block are the live options of a node in the upper levels, in the same order. So
        // the option's position in the block is the number of live options before the option.
        let (word, bit) = (own as usize / 64, own % 64);
        let place = live_count(&arena[..word]) + (arena[word] & ((1 << bit) - 1)).count_ones();
        let above = path.len();
        let note = |option| path.push(option as u32);
        let verdict = settle::<I, W>(isa, BlockInArena { block, blocks, arena }, node, place as usize, note);
        for option in &mut path[above..] {
            *option = arena[block.from + *option as usize] as u32;
        }
        verdict
    }
}

/// Searches the upper levels until the top of the stack is a node of another kind.
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
            if !walk.try_enter()? {
                continue;
            }
            // The child works on a copy. The copy comes after the parent's state, which is needed again for
            // the next option.
            clear_and_reserve(&mut walk.store.arena, end + words)?;
            walk.room_for_counts(counts + 2 * primary)?;
            walk.store.arena.copy_within(live..live + words, end);
            walk.store.counts.copy_within(counts..counts + primary, counts + primary);
            walk.arrive(end, counts + primary, option, remaining)?;
        }
    }
}

/// Searches blocks with `W` words per set until the top of the stack is a node of another kind.
struct Lower<'w, 'a, const W: usize>(&'w mut Walk<'a>);

impl<const W: usize> WordKernel for Lower<'_, '_, W> {
    type Output = Result<(), EndedBy>;

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> Result<(), EndedBy> {
        let walk = self.0;
        // The block of the previous level is kept in a local variable, because it rarely changes.
        let (mut number, mut block) = (u32::MAX, Block::default());
        let mut is_large = false;
        loop {
            let Store { arena, levels, blocks, path, .. } = &mut *walk.store;
            let Some(level) = levels.last_mut() else { return Ok(()) };
            if level.rest == 0 {
                levels.pop();
                continue;
            }
            if level.block != number {
                (number, block) = (level.block, blocks[level.block as usize]);
                is_large = block.quads * W > LARGE_BLOCK;
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
            if !walk.try_enter()? {
                continue;
            }
            if is_large {
                walk.run.budget.work((block.quads * W) as u64)?;
            }
            let Store { arena, path, blocks, .. } = &mut *walk.store;
            let node = (&mut live, &mut remaining);
            let note = |option| path.push(option as u32);
            match settle::<I, W>(isa, BlockInArena { block: &block, blocks, arena }, node, option, note) {
                NodeStatus::Closed => {}
                NodeStatus::Solved => walk.solved()?,
                NodeStatus::Open(row) => {
                    let node = Branching { live: &live, row, remaining, end };
                    walk.branch::<I, W>(isa, number, &block, node)?;
                }
            }
        }
    }
}

/// A node of a block that needs a branching.
struct Branching<'n, const W: usize> {
    live: &'n [u64; W],
    /// The row to branch on.
    row: usize,
    /// Number of uncovered items.
    remaining: u32,
    /// Index of the first word of the arena that is not in use.
    end: usize,
}

/// Splits the words of a level. Returns a copy of its set of live options, and its set of untried options.
#[inline(always)]
fn sets<const W: usize>(words: &mut [u64]) -> ([u64; W], &mut [u64]) {
    let (live, untried) = words.split_at_mut(W);
    let mut copy = [0; W];
    copy.copy_from_slice(live);
    (copy, &mut untried[..W])
}

/// Removes and returns the first option of a non-empty set.
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
    /// Adds a branching on a row of a block.
    ///
    /// If a smaller block can hold the live options, the branching gets such a block.
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
        clear_and_reserve(arena, at + size)?;
        arena[end..end + W].copy_from_slice(live);
        arena[end + W..at].copy_from_slice(&untried);
        if is_smaller {
            let (mut smaller, live) = isa.enter(Shrink::<W> { block: *block, arena, live: end, options, at });
            smaller.above = number;
            (level.live, level.end) = (live, live + 2 * width);
            level.block = push_block(blocks, number, smaller);
        } else if remaining as usize * 2 <= block.quads * 4 {
            let compact = block.compact(live, arena, at, remaining);
            level.end += compact.quads * 4 * W;
            level.block = push_block(blocks, number, compact);
        }
        levels.push(level);
        Ok(())
    }
}

/// Stores a block directly after the block from which it was made, and returns its index.
///
/// Drops all blocks after that position: they belong to branches that were tried earlier.
#[inline(always)]
fn push_block(blocks: &mut Vec<Block>, number: u32, block: Block) -> u32 {
    blocks.truncate(number as usize + 1);
    blocks.push(block);
    number + 1
}
