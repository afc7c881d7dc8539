//! The bitset engine: exact cover on bit sets.
//!
//! The cost of dancing links is proportional to the nodes in all lists that it passes. In this engine the
//! options of a subproblem are the bits of a few words. A search node counts the live options of an item with
//! `and` and population count, for four items per instruction. The modules are:
//!
//! * `upper`: the upper levels of the tree. They can have any number of options. Each item has a counter of its
//!   live options, which is counted down.
//! * `block`: the lower levels of the tree, with nearly all nodes. A block has at most 1,024 options, and every
//!   node counts them again. When the live options fit into half the words, they form a smaller block.
//! * `bounded`: problems with multiplicities, which are searched like the upper levels down to the leaves.
//! * `one_word`: blocks of at most 64 options.
//! * `subtree_cache`: the cache of subtrees searched in a block of one word.
//! * `search`: the search that combines these. `walk`: the code that all kinds of nodes share.
//!
//! No change is ever undone. A node has its own state of a few words, and its parent's state does not change.
//!
//! The tree is the same for all these kinds of nodes. An option is forced if it is the last one of an item.
//! Forced options are chosen immediately and are part of the node. Then the search branches on the item with
//! the fewest options, or the leftmost of several such items. Options are tried in their order. So there are
//! fewer nodes than in dancing links, and every node except the root is the child of a branching.
//!
//! Only the tables handle secondary items and colours. The search sees them as pairs of options that exclude
//! each other.

#![allow(
    clippy::needless_range_loop,
    reason = "indexed loops of fixed length are always unrolled; iterator adaptors sometimes remain calls"
)]

mod block;
mod bounded;
mod one_word;
mod search;
mod subtree_cache;
mod table;
#[cfg(test)]
mod tests;
mod upper;
mod walk;

use std::sync::Arc;

use super::memory::{self, RetainedTables, Size, clear_and_reserve};
use super::search_context::SearchContext;
use super::variant_cover::VariantCover;
use super::whole_search::run_sets;
use super::{Control, Task, TreeSearch, Visitor};
use block::Block;
use one_word::WordLevels;
use quadrille_model::simd::Isa;
use quadrille_model::{CoverProblem, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, RuleClass};
use search::Root;
use subtree_cache::SubtreeCache;
use table::ProblemTables;
use walk::{Level, Walk};

/// The decision in a prefix (a list of decisions) that an item is not covered any further. All other
/// decisions are option numbers.
const COVER_NO_FURTHER: u32 = u32::MAX;

/// The search of the bitset engine.
///
/// The search keeps its memory from one problem to the next. Once its tables are large enough, it allocates
/// nothing per problem. It reports exact covers as option numbers in ascending order. A prefix (the path to a
/// part of the tree) lists the options chosen at branchings. The search counts nodes and guesses.
#[derive(Debug, Default)]
pub struct Bitset {
    /// The problem in the table.
    held: Option<Arc<CoverProblem>>,
    table: ProblemTables,
    store: Store,
    variant_cover: VariantCover,
    kept: RetainedTables,
    /// The instruction set to use, or `None` for the best available set.
    isa: Option<Isa>,
}

/// Memory of a search, kept from one problem to the next.
#[derive(Debug, Default)]
struct Store {
    /// The sets of options and the blocks that belong to the nodes on the path.
    arena: Vec<u64>,
    /// Counters of items, for the nodes on the path that are in the upper levels.
    counts: Vec<u32>,
    levels: Vec<Level>,
    /// The branchings in the current block of one word. They continue the stack in `levels`.
    words: WordLevels,
    /// Cache of the subtrees that were searched in the current block of one word.
    rests: SubtreeCache,
    /// The blocks of the nodes on the path.
    ///
    /// The first entry is a placeholder for the upper levels, which have no block. The second is the block of
    /// the whole problem, if the search keeps that block.
    blocks: Vec<Block>,
    /// The first branching of the current problem with its block, if they are kept for later searches.
    root: Option<Root>,
    /// The options chosen on the path.
    ///
    /// Options chosen in a block are stored as positions in this block. Options chosen in the upper levels,
    /// or before the first branching, are stored as numbers in the problem.
    path: Vec<u32>,
    /// Items that have only one option left.
    queue: Vec<u32>,
    /// Scratch space for building blocks.
    sets: Vec<u64>,
    /// Scratch space for reporting nodes and solutions, and for building blocks.
    scratch: Vec<u32>,
}

impl Bitset {
    /// Creates an engine that uses a given instruction set, or the best available one if `isa` is `None`.
    ///
    /// If this code has no version for the instruction set, the engine uses portable code.
    pub fn on(isa: Option<Isa>) -> Self {
        Bitset { isa, ..Bitset::default() }
    }

    /// Returns true if the engine supports a goal for a class of problems.
    ///
    /// The engine supports exact cover problems, which may have colours and multiplicities, and grids with
    /// rules but without sums. It does not support [`Goal::Best`], the only goal for which costs matter.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        let is_plain_grid = matches!(class, ProblemClass::Grid { rules: RuleClass::Plain, .. });
        !is_plain_grid && class.is_cover_with_rules() && class.is_searched_for(goal)
    }

    /// Returns the maximum number of bytes that a problem needs for its tables and its deepest path.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::from_problem(problem);
        // The tables have a list of items for each option, a list of options for each item, and the starts of
        // these lists. With colours, they also have the pairs of item and colour, and the groups of these
        // pairs.
        let lists = (4 + 4 + 8 + 8) * size.entries + (4 + 4 + 4) * size.options + (4 + 4) * size.items;
        let groups = if size.coloured { size.entries } else { 0 };
        let colours = (8 + 8) * groups + if size.coloured { size.items } else { 0 };
        let words = size.options.div_ceil(64);
        let paths = size.depth() * (size_of::<Level>() + size_of::<Block>() + 4 * 5) as u64;
        if size.bounded {
            // Problems with multiplicities do not use blocks. Every level of the path copies one bit per
            // option and two numbers per item. The rows (one per item) are stored only once.
            let levels = size.depth() + 1;
            let counts = memory::doubled_capacity(levels.saturating_mul(2 * 4 * size.primary));
            let arena = memory::doubled_capacity(levels.saturating_mul(8 * words));
            let rows = (8 * words).saturating_mul(size.primary + 1) + (4 + 4) * size.primary;
            return (lists + colours + paths)
                .saturating_add(rows)
                .saturating_add(counts)
                .saturating_add(arena);
        }
        let sets = 8 * block::WIDEST as u64 * (size.items + groups);
        // Rows are stored only if they do not take more memory than the entries.
        let bits = 8 * words.saturating_mul(size.primary).min(size.entries);
        // Every upper level copies one bit per option and one number per item. If a block can hold all
        // options, there is only one upper level. Otherwise there is at most one per primary item, because no
        // item is branched on twice.
        let widest = 64 * block::WIDEST as u64;
        let fits = size.options <= widest && size.primary <= u64::from(block::MAX_ROWS);
        let upper = if fits { 1 } else { size.primary + 1 };
        let counts = memory::doubled_capacity(upper.saturating_mul(4 * (size.primary + 1)));
        // On a path, the arena has three kinds of blocks: the largest block, blocks made from the live
        // options, and copies without covered items. A block of live options has at most half the words of
        // the previous such block. A copy has at most half the rows of its block. Each level also has its
        // sets, which follow the blocks.
        let rows = (size.items + 3 * 3 + 2 * groups) * block::WIDEST as u64;
        let largest = rows + size.options.min(widest) * (block::WIDEST as u64 + 2);
        let below = 4 * largest + 2 * block::WIDEST as u64 * (size.primary + 1) + one_word::PADDING as u64;
        let arena = memory::doubled_capacity(upper.saturating_mul(8 * words).saturating_add(8 * below));
        (lists + colours + sets + bits + paths + WordLevels::BYTES + SubtreeCache::BYTES)
            .saturating_add(counts)
            .saturating_add(arena)
    }

    fn hold(
        &mut self,
        cover: &Arc<CoverProblem>,
        task: &Task<'_>,
        run: &SearchContext<'_>,
    ) -> Result<(), EndedBy> {
        let bytes = Bitset::needs(task.problem);
        if memory::forbids(task, bytes) {
            return Err(EndedBy::Memory);
        }
        if !self.held.as_ref().is_some_and(|held| Arc::ptr_eq(held, cover)) {
            self.held = None;
            if self.kept.must_go(bytes, task) {
                (self.table, self.store) = (ProblemTables::default(), Store::default());
            }
            self.table.assign(cover, &mut run.budget.watch().pace())?;
            self.store.reserve(&self.table)?;
            self.held = Some(Arc::clone(cover));
        }
        Ok(())
    }
}

impl Store {
    /// Reserves memory for the deepest path of a problem, and for building its blocks.
    fn reserve(&mut self, table: &ProblemTables) -> Result<(), EndedBy> {
        self.root = None;
        // With multiplicities, each level either chooses an option or decides not to cover an item any
        // further.
        let deepest = if table.is_bounded() { table.primary + table.options() } else { table.primary };
        clear_and_reserve(&mut self.levels, deepest)?;
        clear_and_reserve(&mut self.blocks, table.primary + 1)?;
        self.blocks.push(Block::default());
        clear_and_reserve(&mut self.path, 2 * table.primary)?;
        clear_and_reserve(&mut self.scratch, table.primary)?;
        clear_and_reserve(&mut self.queue, table.primary)?;
        let sets =
            if table.is_bounded() { table.options().div_ceil(64) } else { table.sets() * block::WIDEST };
        clear_and_reserve(&mut self.sets, sets)?;
        self.sets.resize(sets, 0);
        Ok(())
    }
}

impl TreeSearch for Bitset {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        if let ProblemRef::Puzzle(puzzle) = task.problem
            && Self::supports(task.problem.class(), task.goal)
        {
            let mut variant_cover = std::mem::take(&mut self.variant_cover);
            let mut search = |task: &Task<'_>, visitor: &mut dyn Visitor| self.search(task, visitor, control);
            let outcome = variant_cover.search(puzzle, task, visitor, &mut search);
            self.variant_cover = variant_cover;
            return outcome;
        }
        let ProblemRef::Cover(cover) = task.problem else { return Outcome::nothing(EndedBy::Cancel) };
        if !Self::supports(task.problem.class(), task.goal) {
            return Outcome::nothing(EndedBy::Cancel);
        }
        let run = SearchContext::new(task, visitor, control);
        if let Err(ended_by) = self.hold(cover, task, &run) {
            return Outcome::nothing(ended_by);
        }
        run_sets(self.isa, Walk { table: &self.table, store: &mut self.store, run })
    }
}
