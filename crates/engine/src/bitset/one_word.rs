//! Blocks of one word: at most 64 live options, with most of the nodes.
//!
//! The same search as in `search`, on a stack of its own. Settling a node takes some twenty steps, so the
//! cost is in the work around it and in mispredicted branches. Therefore:
//!
//! * sets are words in registers, the options taken are a set instead of a list, and a level is one cache
//!   line, written only if a child has a choice;
//! * if at most one option is left, no rows are scanned, and a solution is counted without a branch;
//! * a level whose last option is taken is not revisited: the position of the next level to continue with is
//!   stored, so that a long way up is one step.
//!
//! The level by which a block is entered is moved from the stack of `walk` to this stack.
//!
//! If solutions are only counted, a subtree with the same live options as an earlier one in the block need not be
//! searched (`subtree_cache`).

use super::Store;
use super::block::Block;
use super::walk::{Walk, clear_and_reserve};
use quadrille_model::EndedBy;
use quadrille_model::bits::Bits;
use quadrille_model::simd::{WordKernel, Words};

/// Maximum number of levels: each has at least two live options fewer than the one above it.
pub(super) const MAX_LEVELS: usize = 32;

/// Number of words of a cache line.
const LINE: usize = 8;

/// A branching in a block of one word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordLevel {
    live: u64,
    untried: u64,
    /// The options of the block that were taken above the branching.
    path: u64,
    /// Position in the arena of the rows to count.
    rows: usize,
    /// Number of rows to count, padding included.
    size: u32,
    /// Number of uncovered items.
    remaining: u32,
    /// The option tried now.
    pub(super) taken: u32,
    /// Position on the stack, 1-based, of the nearest level above with untried options; 0 if there is none.
    back: u32,
}

/// Searches the block of one word on top of the stack completely.
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
        // Space for all packed rows, beginning at a cache line. Each copy has at most three quarters of the rows of
        // the copy before it, plus one group.
        let most = 4 * block.quads + lanes;
        clear_and_reserve(arena, level.end + LINE + 4 * most + MAX_LEVELS * lanes)?;
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
            counts_only && walk.run.is_whole() && walk.store.rests.begin_block(walk.run.budget.nodes())?;
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
            // A level whose last option is taken is not revisited.
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

/// The result of settling a node of a block of one word.
enum WordVerdict {
    /// There is nothing to branch on. The value is true for a solution.
    Ended(bool),
    /// The node must be branched on this row.
    Open(usize),
}

/// A node in a block of one word, while it is settled.
struct WordNode {
    live: u64,
    /// Number of uncovered items.
    remaining: u32,
    /// The options of the block that were taken.
    path: u64,
    /// The highest option number of the block.
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

    /// Takes the option of the level and everything it forces.
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
                // The last option covers all that is left, or some item cannot be covered: no rows need to be
                // scanned. If no option is left, an arbitrary one is looked up, because a branch would be
                // mispredicted half of the time.
                let last = self.live.trailing_zeros().min(self.top);
                let [_, items] = of.1.word_clash(isa, of.0, arena, last as usize);
                let items = if self.live == 0 { 0 } else { items as u32 };
                self.path |= self.live;
                return WordVerdict::Ended(self.remaining == items);
            }
            let looked_at = &arena[rows..rows + size];
            let (empty, forced) = isa.scan_rows(looked_at, self.live);
            // Empty rows are the padding of the last group and the rows of covered items. One more empty row is an
            // item that nothing can cover.
            if empty > at.size - self.remaining {
                return WordVerdict::Ended(false);
            }
            if forced == 0 {
                return WordVerdict::Open(isa.fewest_of_rows(looked_at, self.live));
            }
            for option in Bits(forced) {
                // Another forced option may have ruled this one out.
                if self.live >> option & 1 == 0 {
                    return WordVerdict::Ended(false);
                }
                self.take(isa, of, arena, option as u32);
            }
        }
    }
}

/// Number of words that the packed rows need in addition to four times the words of the block's rows.
///
/// The packed rows start at a cache line, and every level adds a group of padding.
pub(super) const PADDING: usize = LINE + (MAX_LEVELS + 4) * 8;

/// The stack of a block of one word.
#[derive(Debug, Default)]
pub(super) struct WordLevels {
    /// Index of the block.
    pub(super) block: u32,
    /// Empty, or [`MAX_LEVELS`] levels.
    pub(super) levels: Vec<WordLevel>,
}

impl WordLevels {
    /// Number of bytes of the stack.
    pub(super) const BYTES: u64 = (MAX_LEVELS * size_of::<WordLevel>()) as u64;

    /// Allocates the stack, unless that is done.
    fn make_room(&mut self) -> Result<(), EndedBy> {
        if self.levels.is_empty() {
            self.levels.try_reserve_exact(MAX_LEVELS)?;
            self.levels.resize(MAX_LEVELS, WordLevel::default());
        }
        Ok(())
    }
}

impl Walk<'_> {
    /// Adds the counters of a cached subtree; returns `false` if it is not cached or exceeds the limits.
    #[inline(always)]
    fn knows_rest(&mut self, live: u64) -> bool {
        let rest = self.store.rests.find(live);
        let Some(rest) = rest.filter(|&rest| self.run.try_add(rest)) else { return false };
        self.store.rests.save(rest.nodes);
        true
    }

    /// Decides whether to enter a node of a block of one word, after saving its level on the stack.
    #[cold]
    #[inline(never)]
    fn enters_word(&mut self, depth: usize, at: &WordLevel) -> Result<bool, EndedBy> {
        self.store.words.levels[depth - 1] = *at;
        self.enters_below(depth)
    }
}
