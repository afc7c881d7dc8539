//! Blocks of one word: at most 64 live options, where most nodes are.
//!
//! The search of `search`, on a stack of its own. A node is looked at in some twenty steps, so what it costs is what is done
//! around that, and branches that are guessed wrong: here its sets are words in registers, what was taken is a set and not a
//! list, and a level is a line of the cache, written only when a child has a choice. Where at most one option is left there is
//! nothing to look at, and whether that is a solution is added up without a branch. A level whose last option is taken is
//! not come back to: the next one to go on with is known by its place, so that a long way up is one step. The level that a
//! block is entered by is the first of the stack, in place of that of `walk`.
//!
//! Where solutions are only counted, what is left a second time in the block need not be searched (`rests`).

use super::Store;
use super::block::Block;
use super::walk::{Walk, room};
use quadrille_model::EndedBy;
use quadrille_model::bits::Bits;
use quadrille_model::simd::{WordKernel, Words};

/// The most levels: each has at least two live options less than the one above it.
pub(super) const DEEPEST: usize = 32;

/// Words of a line of the cache.
const LINE: usize = 8;

/// A branching in a block of one word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordLevel {
    live: u64,
    untried: u64,
    /// The options of the block taken above the branching.
    path: u64,
    /// The rows to count: their place in the arena, and their number, padding included.
    rows: usize,
    size: u32,
    /// Items not covered.
    remaining: u32,
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
        let block = blocks[level.block as usize];
        let lanes = I::LANES;
        // All its packed rows together, from a line of the cache on: each time so many fewer, and one more group.
        let most = 4 * block.quads + lanes;
        room(arena, level.end + LINE + 4 * most + DEEPEST * lanes)?;
        let rows = level.end + arena[level.end..].as_ptr().align_offset(8 * LINE).min(LINE);
        path.truncate(level.path as usize);
        words.block = level.block;
        let live = arena[level.live];
        let mut at = WordLevel {
            live,
            untried: arena[level.live + 1],
            path: 0,
            rows,
            size: level.remaining.next_multiple_of(lanes as u32),
            remaining: level.remaining,
            taken: 0,
            back: 0,
        };
        let (below, into) = arena.split_at_mut(rows);
        isa.pack_rows(block.rows(below).as_flattened(), live, &mut into[..most]);
        let counts_only = walk.run.counts_only();
        let mut remembers =
            counts_only && walk.run.is_whole() && walk.store.rests.begin_block(walk.run.nodes())?;
        if remembers {
            walk.store.rests.open(0, live, walk.run.totals());
        }
        // No option of the block has a higher number.
        let top = 63 - live.leading_zeros();
        let mut depth = 1;
        loop {
            at.taken = at.untried.trailing_zeros();
            at.untried &= at.untried - 1;
            walk.run.guesses += u64::from(at.untried != 0);
            if walk.run.enters_at_once() || walk.enters_word(depth, &at)? {
                let Store { arena, blocks, .. } = &mut *walk.store;
                let mut node = WordNode { live: at.live, remaining: at.remaining, path: at.path, top };
                match node.settle(isa, (blocks, &block), arena, &at) {
                    WordVerdict::Ended(solved) if counts_only => walk.run.count_if(solved),
                    WordVerdict::Ended(false) => {}
                    WordVerdict::Ended(true) => walk.solved_below(node.path)?,
                    WordVerdict::Open(_) if remembers && walk.knows_rest(node.live) => {}
                    WordVerdict::Open(row) => {
                        if remembers {
                            remembers = walk.store.rests.open(depth, node.live, walk.run.totals());
                        }
                        walk.store.words.levels[depth - 1] = at;
                        let arena = &mut walk.store.arena;
                        at = WordLevel {
                            live: node.live,
                            untried: arena[at.rows + row] & node.live,
                            path: node.path,
                            remaining: node.remaining,
                            back: if at.untried != 0 { depth as u32 } else { at.back },
                            ..at
                        };
                        let size = at.remaining.next_multiple_of(lanes as u32);
                        if size * 4 <= at.size * 3 {
                            let end = at.rows + at.size as usize;
                            let (rows, into) = arena.split_at_mut(end);
                            let rows = &rows[at.rows..];
                            isa.pack_rows(rows, at.live, &mut into[..size as usize + lanes]);
                            (at.rows, at.size) = (end, size);
                        }
                        depth += 1;
                        continue;
                    }
                }
            }
            // A level whose last option is taken is not come back to.
            if at.untried == 0 {
                if remembers && walk.run.is_whole() {
                    walk.store.rests.close(at.back as usize, depth, walk.run.totals());
                }
                depth = at.back as usize;
                if depth == 0 {
                    return Ok(());
                }
                at = walk.store.words.levels[depth - 1];
            }
        }
    }
}

/// The result of a look at a node of a block of one word.
enum WordVerdict {
    /// Nothing is to be branched on; true for a solution.
    Ended(bool),
    /// To be branched on this row.
    Open(usize),
}

/// What a node of a block of one word is, while it is settled.
struct WordNode {
    live: u64,
    /// Items not covered.
    remaining: u32,
    /// The options of the block taken.
    path: u64,
    /// No option of the block has a higher number.
    top: u32,
}

impl WordNode {
    /// Takes an option.
    #[inline(always)]
    fn take<I: Words>(
        &mut self,
        isa: I,
        (blocks, block): (&[Block], &Block),
        arena: &mut [u64],
        option: u32,
    ) {
        let [clash, items] = block.word_clash(isa, blocks, arena, option as usize);
        self.live &= !clash;
        self.remaining -= items as u32;
        self.path |= 1 << option;
    }

    /// Takes the option tried, then whatever is forced, in rounds.
    #[inline(always)]
    fn settle<I: Words>(
        &mut self,
        isa: I,
        of: (&[Block], &Block),
        arena: &mut [u64],
        at: &WordLevel,
    ) -> WordVerdict {
        self.take(isa, of, arena, at.taken);
        let (rows, size) = (at.rows, at.size as usize);
        loop {
            if self.live & self.live.wrapping_sub(1) == 0 {
                // The last option covers all that is left, or something is covered by none: what the rows would say. Where
                // there is none, any option is looked up, because a branch would be guessed wrong half of the time.
                let last = self.live.trailing_zeros().min(self.top);
                let [_, items] = of.1.word_clash(isa, of.0, arena, last as usize);
                let items = if self.live == 0 { 0 } else { items as u32 };
                self.path |= self.live;
                return WordVerdict::Ended(self.remaining == items);
            }
            let looked_at = &arena[rows..rows + size];
            let (empty, forced) = isa.scan_rows(looked_at, self.live);
            // Of the rows, as many are empty as pad the last group or belong to covered items. One more is an item that
            // nothing can cover.
            if empty > at.size - self.remaining {
                return WordVerdict::Ended(false);
            }
            if forced == 0 {
                return WordVerdict::Open(isa.fewest_of_rows(looked_at, self.live));
            }
            for option in Bits(forced) {
                // Another forced option may have ruled it out.
                if self.live >> option & 1 == 0 {
                    return WordVerdict::Ended(false);
                }
                self.take(isa, of, arena, option as u32);
            }
        }
    }
}

/// Words of the arena that the packed rows of a block take beside four times those of the block: they begin at a line of the cache,
/// and every level has a group of padding.
pub(super) const PADDING: usize = LINE + (DEEPEST + 4) * 8;

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

impl Walk<'_> {
    /// Adds what is below a branching with these live options, if that is remembered and within the limits.
    #[inline(always)]
    fn knows_rest(&mut self, live: u64) -> bool {
        let rest = self.store.rests.find(live);
        let Some(rest) = rest.filter(|&rest| self.run.adds(rest)) else { return false };
        self.store.rests.save(rest.nodes);
        true
    }

    /// Decides to enter a node of a block of one word below a level that need not be on the stack yet.
    #[cold]
    #[inline(never)]
    fn enters_word(&mut self, depth: usize, at: &WordLevel) -> Result<bool, EndedBy> {
        self.store.words.levels[depth - 1] = *at;
        self.enters_below(depth)
    }
}
