//! Blocks of one word: at most 64 live options, with most of the nodes of a search.
//!
//! The search is the same as in `search`, but on a separate stack. Settling a node (choosing an option and
//! all that it forces) needs only some twenty steps. So most of the time goes into other work and into
//! mispredicted branches. This code reduces both:
//!
//! * Sets are words in registers. The chosen options are a set and not a list. A level is one cache line,
//!   which is written only if a child needs a branching.
//! * If at most one option is left, no rows are scanned, and a solution is counted without a branch.
//! * A level whose last option is being tried is not revisited. Each level stores the position of the next
//!   level to continue with, so returning over many levels takes one step.
//!
//! The level that enters a block of one word is moved from the stack of `walk` to this stack.
//!
//! If solutions are only counted, the search can skip some subtrees: those whose live options are the same as
//! in an earlier subtree of the block (`subtree_cache`).

use super::Store;
use super::block::Block;
use super::walk::{Walk, clear_and_reserve};
use quadrille_model::EndedBy;
use quadrille_model::bits::Bits;
use quadrille_model::simd::{WordKernel, Words};

/// Maximum number of levels. Each level has at least two live options fewer than the level above it.
pub(super) const MAX_LEVELS: usize = 32;

/// Number of words of a cache line.
const LINE: usize = 8;

/// A branching in a block of one word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordLevel {
    live: u64,
    untried: u64,
    /// The options of the block that were chosen before this branching.
    path: u64,
    /// Position in the arena of the rows to count.
    rows: usize,
    /// Number of rows to count, including empty rows that only pad a group of rows.
    size: u32,
    /// Number of uncovered items.
    remaining: u32,
    /// The option tried now.
    pub(super) taken: u32,
    /// Position on the stack (1-based) of the nearest earlier level with untried options, or 0 if there is
    /// none.
    back: u32,
}

/// Searches everything below the level on top of the stack, which is in a block of one word.
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
        // `most` is the number of words of the largest copy of the rows. Each later copy has at most three
        // quarters of the rows of the previous copy, and one padding group. So `4 * most` words and one group
        // per level are enough for all copies. The first copy begins at a cache line.
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
        // The largest number of a live option in the block.
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
            // A level whose last option is being tried is not revisited.
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

/// The result of choosing an option and all options that it forces, in a block of one word.
enum WordVerdict {
    /// The node needs no branching. The value is true if the node is a solution.
    Ended(bool),
    /// The node needs a branching on this row.
    Open(usize),
}

/// A node in a block of one word, in a state where its forced options are being chosen.
struct WordNode {
    live: u64,
    /// Number of uncovered items.
    remaining: u32,
    /// The options of the block that have been chosen.
    path: u64,
    /// The largest number of an option in the block.
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

    /// Chooses the option that the level tries now, and all options that this option forces.
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
                // At most one option is left. If it does not cover all remaining items, there is no solution.
                // So no rows need to be scanned.
                //
                // If no option is left, the code looks up an arbitrary option. A branch for this case would
                // be mispredicted half of the time.
                let last = self.live.trailing_zeros().min(self.top);
                let [_, items] = of.1.word_clash(isa, of.0, arena, last as usize);
                let items = if self.live == 0 { 0 } else { items as u32 };
                self.path |= self.live;
                return WordVerdict::Ended(self.remaining == items);
            }
            let looked_at = &arena[rows..rows + size];
            let (empty, forced) = isa.scan_rows(looked_at, self.live);
            // A row may be empty because it pads the last group of rows, or because its item is covered. If
            // any other row is empty, its item cannot be covered.
            if empty > at.size - self.remaining {
                return WordVerdict::Ended(false);
            }
            if forced == 0 {
                return WordVerdict::Open(isa.fewest_of_rows(looked_at, self.live));
            }
            for option in Bits(forced) {
                // This bit is now clear if another forced option has ruled the option out.
                if self.live >> option & 1 == 0 {
                    return WordVerdict::Ended(false);
                }
                self.take(isa, of, arena, option as u32);
            }
        }
    }
}

/// Additional words for packed rows. The total number of words is four times that of the block's rows, plus
/// this number.
///
/// The packed rows start at a cache line, and every level adds one padding group.
pub(super) const PADDING: usize = LINE + (MAX_LEVELS + 4) * 8;

/// The stack of branchings while the search is in a block of one word.
#[derive(Debug, Default)]
pub(super) struct WordLevels {
    /// Index of the block.
    pub(super) block: u32,
    /// Empty, or [`MAX_LEVELS`] levels.
    pub(super) levels: Vec<WordLevel>,
}

impl WordLevels {
    /// Number of bytes that the stack takes.
    pub(super) const BYTES: u64 = (MAX_LEVELS * size_of::<WordLevel>()) as u64;

    /// Allocates the stack on first use.
    fn make_room(&mut self) -> Result<(), EndedBy> {
        if self.levels.is_empty() {
            self.levels.try_reserve_exact(MAX_LEVELS)?;
            self.levels.resize(MAX_LEVELS, WordLevel::default());
        }
        Ok(())
    }
}

impl Walk<'_> {
    /// Looks up the subtree of a branching with the live options `live`. Adds the subtree's counters to those
    /// of the search.
    ///
    /// Returns false if the subtree is not in the cache, or if its nodes would exceed the node limit.
    #[inline(always)]
    fn knows_rest(&mut self, live: u64) -> bool {
        let rest = self.store.rests.find(live);
        let Some(rest) = rest.filter(|&rest| self.run.try_add(rest)) else { return false };
        self.store.rests.save(rest.nodes);
        true
    }

    /// Decides whether to enter a node in a block of one word. Before that, saves the branching `at` on the
    /// stack.
    #[cold]
    #[inline(never)]
    fn enters_word(&mut self, depth: usize, at: &WordLevel) -> Result<bool, EndedBy> {
        self.store.words.levels[depth - 1] = *at;
        self.enters_below(depth)
    }
}
