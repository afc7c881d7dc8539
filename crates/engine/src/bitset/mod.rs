//! The bitset engine: exact cover on bit sets.
//!
//! Dancing links pays for every node of every list it passes. In this engine the options of a subproblem are
//! the bits of a few words, and a node counts an item's live options with `and` and population count, four
//! items per instruction:
//!
//! * `upper`, the upper levels: any number of options, with a counter per item that is counted down;
//! * `block`, the lower levels, with nearly all nodes: at most 1,024 options, which are recounted at every node, and
//!   re-indexed into half the words whenever the live ones fit;
//! * `bounded`, upper levels for problems with multiplicities, down to the leaves;
//! * `one_word`, blocks of at most 64 options, and `subtree_cache`, the cache of subtrees searched in such a block;
//! * `search`, the search over these, and `walk`, the parts that all kinds of nodes share.
//!
//! No state is undone: a node has its own state, a few words long, and its parent's state is left as it was.
//!
//! The tree does not depend on the kind of a node. Forced options (the last one of an item) are taken immediately and
//! are part of the node. Then the search branches on the item with the fewest options, the leftmost on ties, with
//! options in their order. So there are fewer nodes than in dancing links, and every node except the root is the child
//! of a branching.
//!
//! Secondary items and colours need no support below the tables: there they are pairs of options that exclude
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

/// The decision not to cover an item any further, in prefixes. Other decisions are option numbers.
const COVER_NO_FURTHER: u32 = u32::MAX;

/// The search of the bitset engine. Owns its memory: no allocation per problem in the steady state.
///
/// Finds exact cover solutions as option numbers, ascending. Prefixes are the option numbers chosen at
/// branchings. Counts nodes and guesses.
#[derive(Debug, Default)]
pub struct Bitset {
    /// The problem in the table.
    held: Option<Arc<CoverProblem>>,
    table: ProblemTables,
    store: Store,
    variant_cover: VariantCover,
    kept: RetainedTables,
    /// The instruction set to use; `None` for the best available set.
    isa: Option<Isa>,
}

/// Memory of a search, kept between problems.
#[derive(Debug, Default)]
struct Store {
    /// Sets and blocks of the nodes on the path.
    arena: Vec<u64>,
    /// Counters of the upper levels' nodes on the path.
    counts: Vec<u32>,
    levels: Vec<Level>,
    /// The branchings below `levels`, in a block of one word.
    words: WordLevels,
    /// Subtrees that were searched in that block.
    rests: SubtreeCache,
    /// The blocks of the nodes on the path. The first entry stands for the upper levels, and the second is
    /// the block of the whole problem if that is kept.
    blocks: Vec<Block>,
    /// The first branching of the problem in the table, if it is kept with its block.
    root: Option<Root>,
    /// The options taken: in upper levels and before the first branching as numbers in the problem, otherwise as
    /// positions in their block.
    path: Vec<u32>,
    /// Items whose count has come down to one.
    queue: Vec<u32>,
    /// Scratch space for building blocks.
    sets: Vec<u64>,
    /// Scratch space for reporting and for building blocks.
    scratch: Vec<u32>,
}

impl Bitset {
    /// Creates an engine for an instruction set. A set without a version of its own uses the portable version.
    pub fn on(isa: Option<Isa>) -> Self {
        Bitset { isa, ..Bitset::default() }
    }

    /// Returns true if the engine supports a goal for a class of problems.
    ///
    /// The engine takes exact cover problems with or without colours and multiplicities, and grids with rules but
    /// without sums. Costs matter only to [`Goal::Best`], which it does not support.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        let is_plain_grid = matches!(class, ProblemClass::Grid { rules: RuleClass::Plain, .. });
        !is_plain_grid && class.is_cover_with_rules() && class.is_searched_for(goal)
    }

    /// Returns the maximum number of bytes for a problem's tables and its deepest path.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::from_problem(problem);
        // Lists of the items of each option and of the options of each item, with their starts. With colours, also
        // the pairs of item and colour, and their groups.
        let lists = (4 + 4 + 8 + 8) * size.entries + (4 + 4 + 4) * size.options + (4 + 4) * size.items;
        let groups = if size.coloured { size.entries } else { 0 };
        let colours = (8 + 8) * groups + if size.coloured { size.items } else { 0 };
        let words = size.options.div_ceil(64);
        let paths = size.depth() * (size_of::<Level>() + size_of::<Block>() + 4 * 5) as u64;
        if size.bounded {
            // Without blocks, every level copies one bit per option and two numbers per item. In addition there is one
            // row per item.
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
        // Rows are kept only if they take no more memory than the entries.
        let bits = 8 * words.saturating_mul(size.primary).min(size.entries);
        // Upper levels copy one bit per option and one number per item. If blocks can hold all options, there is only
        // one such level; otherwise there is at most one level per primary item, because no item is branched on
        // twice.
        let widest = 64 * block::WIDEST as u64;
        let fits = size.options <= widest && size.primary <= u64::from(block::MAX_ROWS);
        let upper = if fits { 1 } else { size.primary + 1 };
        let counts = memory::doubled_capacity(upper.saturating_mul(4 * (size.primary + 1)));
        // The blocks of a path: the largest one, those squeezed from it, each with at most half the words, and those
        // without covered items, each with at most half the rows. Then the sets of every level.
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
        // With multiplicities a level takes an option or stops covering an item.
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
