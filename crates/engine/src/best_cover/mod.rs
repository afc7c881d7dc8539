//! Branch and bound on exact cover problems with costs. It finds solutions with the least or greatest total
//! cost.
//!
//! * `table`: the problem, with scaled costs and the options that exclude each other.
//! * `price`: the lower bound, computed from a price for every item (the dual of the linear relaxation).
//! * `walk`: the search, over blocks of options that are sorted by their reduced costs.
//! * This file: the preparation of a problem, and the solutions found.
//!
//! # Preparation
//! The smaller the maximum cost of a solution is, the smaller the tree is. An option can be excluded if its
//! reduced cost exceeds the gap between the cost of a known solution and the bound. So the preparation runs
//! several short searches of a few hundred nodes. Each search starts with the gap that the previous search
//! has left. The preparation ends when a search finds nothing better, and often such a search has seen the
//! whole tree. In the sequential order, solutions of the preparation come first, and solutions of the last
//! tree follow.
//!
//! # Order
//! If several solutions have equal costs, the earliest of them in sequential order is chosen, on any number
//! of threads. So a tree, with its prices and the order of its branches, must depend only on the problem and
//! the path. The *limit* on the cost of options comes from the preparation, which every thread repeats for
//! itself. Solutions found in the tree only decide which subtrees are skipped.

mod price;
mod table;
mod walk;

use std::sync::Arc;

use super::budget::Watch;
use super::fixed_point::FixedPoint;
use super::incumbent::BestFound;
use super::memory::{self, RetainedTables, Size, clear_and_reserve};
use super::search_context::SearchContext;
use super::whole_search::run_words;
use super::{Control, Flow, Incumbent, Task, TreeSearch, Visitor};
use price::Pricing;
use quadrille_model::simd::Isa;
use quadrille_model::{
    CoverProblem, Direction, EndedBy, Goal, Limits, Outcome, ProblemClass, ProblemRef, Solution, TopK,
    TopSolutions,
};
use table::ProblemTables;
use walk::{Block, End, Level, Node, Terms, Walk};

/// Search for the least or greatest total cost.
///
/// The search keeps its memory between problems. Once its lists are long enough, a node does not allocate
/// memory. The search finds exact covers, as option numbers in ascending order. A prefix consists of the
/// options chosen at branchings. The reported nodes and guesses include the nodes and guesses of the
/// preparation.
#[derive(Debug, Default)]
pub struct BestCover {
    /// The problem that was prepared last. `None` if its preparation ended early.
    held: Option<(Arc<CoverProblem>, TopK)>,
    table: ProblemTables,
    store: Store,
    root: Prepared,
    kept: RetainedTables,
    isa: Option<Isa>,
}

/// Memory of a search, kept from one problem to the next.
#[derive(Debug, Default)]
struct Store {
    /// Saved states of the search, one for each branching on the path.
    arena: Vec<u64>,
    levels: Vec<Level>,
    /// The blocks on the path.
    blocks: Vec<Block>,
    /// For each block (a list of options sorted by reduced cost), bit sets of options. There is one bit set
    /// per row.
    rows: Vec<u64>,
    /// For each block, the numbers of its options.
    ids: Vec<u32>,
    /// For each block, the reduced costs of its options.
    reduced: Vec<i64>,
    /// For each block, the prices of all items.
    prices: Vec<i64>,
    /// Options that are still possible at the current node, one bit per option of the block.
    live: Vec<u64>,
    /// Primary items that are already covered at the current node, one bit per item.
    covered: Vec<u64>,
    /// Decisions at the branchings on the path.
    path: Vec<u32>,
    /// All options that were selected on the path.
    taken: Vec<u32>,
    pricing: Pricing,
    /// Work space for sorting the options of a block. Each entry is an integer that contains the reduced cost
    /// and the option number.
    order: Vec<u128>,
    /// Work space for computing new prices. For each word of a block's bit set, it has the number of live
    /// options in earlier words.
    ranks: Vec<u32>,
    /// Work space for a solution that is about to be reported.
    solution: Vec<u32>,
}

/// A prepared problem.
#[derive(Debug, Default)]
struct Prepared {
    /// The options that are cheap enough to be part of a wanted solution.
    options: Vec<u32>,
    /// Prices by item.
    prices: Vec<i64>,
    heat: f64,
    /// Lower bound on the cost of every solution, scaled.
    bound: i64,
    /// Maximum cost of a solution that the tree is searched for, scaled.
    limit: i64,
    /// The best solutions found, in the order in which they were found.
    ///
    /// Each entry has the score of the solution, and its options in ascending order.
    known: Vec<(i64, Vec<u32>)>,
    nodes: u64,
    guesses: u64,
    /// Reason why the preparation ended, or `None` if the tree must still be searched.
    ///
    /// The reason is [`EndedBy::Complete`] if the preparation saw the whole tree. If a limit stopped the
    /// preparation, the reason is this limit.
    ended_by: Option<EndedBy>,
}

/// Maximum number of nodes of each search in the preparation.
const NODES_OF_PHASE: u64 = 400;
/// Number of nodes between two checks of the clock.
const LOOK_EVERY: u64 = 16;
/// Number of passes over all prices at the root. The passes are repeated for each strength of smoothing
/// (`heat`).
const PASSES_AT_ROOT: u32 = 16;

impl BestCover {
    /// Creates the search for an instruction set.
    ///
    /// If this code has no version for the instruction set, it uses the portable version.
    pub fn on(isa: Option<Isa>) -> Self {
        BestCover { isa, ..BestCover::default() }
    }

    /// Returns true if the class is exact cover without multiplicities and the goal is the best total cost.
    ///
    /// Returns false if the sum of costs may not fit into 64 bits.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        let is_class = matches!(class, ProblemClass::Cover { multiplicities: false, overflowing: false, .. });
        is_class && matches!(goal, Goal::Best(_))
    }

    /// Returns an upper bound on the size of the tables for a problem, in bytes.
    ///
    /// Along a path, each block has at most half as many options as the previous block. The bound relies on
    /// this fact.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::from_problem(problem);
        let rows = size.items + if size.coloured { size.entries } else { 0 };
        let blocks = 2 + u64::from((size.options + 1).ilog2());
        let words = size.options.div_ceil(64);
        let table = (8 + 4) * size.options + 8 * size.entries + size.items + 64 * (rows - size.items);
        let pricing = (4 + 8 + 8 + 16) * size.options + (4 + 4 + 4 + 8 + 8) * size.items + 8 * size.entries;
        let of_blocks = [
            (2 * words + blocks).saturating_mul(8 * rows),
            (4 + 8) * (2 * size.options + blocks),
            blocks * 8 * size.items,
            (size.depth() + 1).saturating_mul(8 * (2 * words + size.primary.div_ceil(64))),
        ];
        let paths = (size_of::<Level>() as u64 + 4 + 4) * (size.depth() + 1) + 20 * words;
        let lists = [table, pricing, paths, (4 + 8) * size.options + 8 * size.items];
        of_blocks.into_iter().chain(lists).map(memory::doubled_capacity).fold(0, u64::saturating_add)
    }

    /// Prepares a problem, unless the same problem is already prepared.
    fn hold(
        &mut self,
        cover: &Arc<CoverProblem>,
        top: TopK,
        task: &Task<'_>,
        watch: Watch<'_>,
    ) -> Result<(), EndedBy> {
        let nodes = limit_of(task);
        let is_held = self.held.as_ref().is_some_and(|(held, of)| Arc::ptr_eq(held, cover) && *of == top);
        if is_held && nodes.is_none_or(|nodes| nodes >= self.root.nodes) {
            return Ok(());
        }
        self.held = None;
        if self.kept.must_go(Self::needs(task.problem), task) {
            (self.table, self.store, self.root) = Default::default();
        }
        self.table.assign(cover, top.direction, &mut watch.pace())?;
        self.prepare(cover, top, task, watch)?;
        // If a preparation ended early, its result is used only for this search.
        if matches!(self.root.ended_by, None | Some(EndedBy::Complete)) {
            self.held = Some((Arc::clone(cover), top));
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        cover: &Arc<CoverProblem>,
        top: TopK,
        task: &Task<'_>,
        watch: Watch<'_>,
    ) -> Result<(), EndedBy> {
        let nodes = limit_of(task);
        let BestCover { table, store, root, isa, .. } = self;
        clear_and_reserve(&mut root.options, table.options())?;
        clear_and_reserve(&mut root.prices, table.items)?;
        root.options.extend(0..table.options() as u32);
        root.prices.resize(table.items, 0);
        root.known.clear();
        (root.nodes, root.guesses, root.limit, root.ended_by) = (0, 0, i64::MAX, None);
        root.price(table, &mut store.pricing, watch);
        let mut ranking = TopSolutions::new(top);
        loop {
            if let Some(reason) = watch.stop() {
                root.ended_by = Some(reason);
                return Ok(());
            }
            let mut cap = NODES_OF_PHASE;
            if let Some(limit) = nodes {
                cap = cap.min(limit.saturating_sub(root.nodes));
            }
            let limits = Limits { nodes: Some(cap), time: watch.left(), ..task.limits };
            let phase = Task::whole(task.problem, task.goal, limits);
            let mut best_search = BestSearch::new(cover, table, top, None, &root.known);
            let mut any = false;
            let mut keep = |solution: Solution<'_>| {
                if let Solution::Options(options) = solution {
                    ranking.offer(score(cover, options), solution);
                    any = true;
                }
                Flow::Continue
            };
            let mut run = SearchContext::new(&phase, &mut keep, watch.control).looking_every(LOOK_EVERY);
            let walk = root.walk(table, store, &mut best_search, &mut run);
            let End { ended_by, open } = run_words(*isa, walk);
            let (nodes_of_phase, guesses) = (run.budget.nodes(), run.guesses);
            root.nodes += nodes_of_phase;
            root.guesses += guesses;
            root.known.clear();
            root.known.extend(ranking.in_order_met().into_iter().map(|(score, solution)| match solution {
                Solution::Options(options) => (score, options.to_vec()),
                Solution::Digits(_) => unreachable!("a solution of an exact cover consists of options"),
            }));
            if ended_by == EndedBy::Complete {
                root.ended_by = Some(EndedBy::Complete);
                return Ok(());
            }
            root.bound = root.bound.max(open.min(root.limit));
            let by_cap = ended_by == EndedBy::Nodes && nodes.is_none_or(|limit| root.nodes < limit);
            if !by_cap {
                root.ended_by = Some(ended_by);
                return Ok(());
            }
            if !any {
                return Ok(());
            }
            if let Some(threshold) = ranking.leaders().threshold() {
                root.limit = table.scale.limit(threshold, 1);
                root.price(table, &mut store.pricing, watch);
            }
        }
    }
}

/// Returns the node limit of the preparation.
///
/// Returns `None` if the task is only a part of the tree. In such a task, the node limit counts only nodes
/// after the prefix.
fn limit_of(task: &Task<'_>) -> Option<u64> {
    task.limits.nodes.filter(|_| task.prefix.is_empty())
}

impl Prepared {
    /// Returns the walk through the tree. If the task of `run` is only a part of the tree, returns the walk
    /// through that part.
    fn walk<'a, 'q>(
        &'a self,
        table: &'a ProblemTables,
        store: &'a mut Store,
        best_search: &'a mut BestSearch<'q>,
        run: &'a mut SearchContext<'q>,
    ) -> Walk<'a, 'q> {
        let terms = Terms { limit: self.limit, heat: self.heat };
        let (options, prices, node) = (&self.options, &self.prices, Node::ROOT);
        Walk { table, store, best_search, run, terms, options, prices, node, block: 0 }
    }

    /// Finds prices for the items. Then removes options that are too expensive for the limit.
    ///
    /// `heat`, the strength of smoothing, decreases from step to step. If time is up, the function stops
    /// early. The prices then give a weaker bound, which is still valid.
    fn price(&mut self, table: &ProblemTables, pricing: &mut Pricing, watch: Watch<'_>) {
        pricing.load(table, &self.options, &self.prices);
        let (mut heat, last) = if self.limit == i64::MAX {
            let heat = pricing.spread() as f64 / 4.0;
            (heat, heat / 256.0)
        } else {
            let gap = self.limit.saturating_sub(self.bound) as f64;
            (self.heat, gap / (8.0 * table.primary as f64))
        };
        loop {
            let next = (heat / 2.0).max(last).max(1.0);
            let should_continue = || watch.stop().is_none();
            pricing.smooth(table, next, PASSES_AT_ROOT, should_continue);
            if !should_continue() || next >= heat || next <= last.max(1.0) {
                break;
            }
            heat = next;
        }
        self.heat = last.max(1.0);
        self.bound = pricing.settle();
        pricing.write(&mut self.prices);
        let most = self.limit.saturating_sub(self.bound);
        self.options.clear();
        let all = pricing.ids.iter().zip(&pricing.reduced);
        self.options.extend(all.filter(|(_, reduced)| **reduced <= most).map(|(&id, _)| id));
    }
}

fn score(cover: &CoverProblem, options: &[u32]) -> i64 {
    options.iter().map(|&option| cover.cost(option as usize)).fold(0, i64::saturating_add)
}

/// The best solutions found, and the maximum cost of further solutions.
struct BestSearch<'a> {
    cover: &'a CoverProblem,
    scale: FixedPoint,
    found: BestFound<'a>,
    /// Solutions that the preparation found. Each entry has the score and the options.
    known: &'a [(i64, Vec<u32>)],
    /// Maximum scaled cost at which a solution would still join the best solutions of this search.
    own_limit: i64,
    /// Score of the incumbent (the best solution known to all parts of the search) when it was last checked.
    seen: i64,
    /// Maximum scaled cost of a solution that is at least as good as the incumbent's score.
    shared_limit: i64,
}

impl<'a> BestSearch<'a> {
    fn new(
        cover: &'a CoverProblem,
        table: &ProblemTables,
        top: TopK,
        incumbent: Option<&'a Incumbent>,
        known: &'a [(i64, Vec<u32>)],
    ) -> Self {
        let mut found = BestFound::new(top, incumbent);
        for (score, _) in known {
            found.leaders.add(*score);
        }
        let (seen, no_limit) = (Incumbent::worst(top), i64::MAX);
        let scale = table.scale;
        let mut best_search =
            BestSearch { cover, scale, found, known, own_limit: no_limit, seen, shared_limit: no_limit };
        best_search.own();
        best_search
    }

    fn own(&mut self) {
        if let Some(threshold) = self.found.leaders.threshold() {
            self.own_limit = self.scale.limit(threshold, 1);
        }
    }

    /// Returns the largest scaled lower bound with which a subtree still has to be searched.
    #[inline(always)]
    fn limit(&mut self) -> i64 {
        if let Some(incumbent) = self.found.incumbent
            && incumbent.score() != self.seen
        {
            self.seen = incumbent.score();
            self.shared_limit = self.scale.limit(self.seen, 0);
        }
        self.own_limit.min(self.shared_limit)
    }

    /// Receives a solution. If it is one of the best, stores its score and reports it. The option numbers
    /// must be ascending.
    fn solution(&mut self, options: &[u32], run: &mut SearchContext<'_>) -> Result<(), EndedBy> {
        let score = score(self.cover, options);
        let is_known = || self.known.iter().any(|(of, known)| *of == score && known == options);
        if !self.found.wants(score) || is_known() {
            return Ok(());
        }
        self.found.take(score);
        self.own();
        run.solution(Solution::Options(options))
    }
}

impl TreeSearch for BestCover {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        let (ProblemRef::Cover(cover), Goal::Best(top)) = (task.problem, task.goal) else {
            return Outcome::nothing(EndedBy::Cancel);
        };
        if !Self::supports(task.problem.class(), task.goal) {
            return Outcome::nothing(EndedBy::Cancel);
        }
        if memory::forbids(task, Self::needs(task.problem)) {
            return Outcome::nothing(EndedBy::Memory);
        }
        let watch = Watch::new(task.limits, control);
        if let Err(ended_by) = self.hold(cover, top, task, watch) {
            return Outcome::nothing(ended_by);
        }
        let BestCover { table, store, root, isa, .. } = self;
        let mut best_search = BestSearch::new(cover, table, top, task.incumbent, &root.known);
        let (nodes, guesses) = if task.prefix.is_empty() { (root.nodes, root.guesses) } else { (0, 0) };
        let limits = Limits {
            nodes: task.limits.nodes.map(|limit| limit.saturating_sub(nodes)),
            time: watch.left(),
            ..task.limits
        };
        let rest = Task { limits, ..*task };
        let mut run = SearchContext::new(&rest, visitor, control).looking_every(LOOK_EVERY).sharing_early();
        if task.prefix.is_empty() {
            for (score, options) in &root.known {
                if let Some(incumbent) = task.incumbent {
                    incumbent.offer(*score);
                }
                if run.solution(Solution::Options(options)).is_err() {
                    return Outcome::nothing(EndedBy::Cancel);
                }
            }
        }
        let end = match root.ended_by {
            Some(ended_by) => End { ended_by, open: root.bound },
            None => run_words(*isa, root.walk(table, store, &mut best_search, &mut run)),
        };
        let open = table.scale.score(end.open.max(root.bound));
        let ended = if end.ended_by == EndedBy::Complete { Ok(()) } else { Err(end.ended_by) };
        let mut outcome = run.outcome_best(ended, &best_search.found.leaders, open);
        if let Some(counters) = &mut outcome.counters {
            counters.nodes += nodes;
            counters.guesses += guesses;
        }
        outcome
    }

    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        match (problem, &self.held) {
            (ProblemRef::Cover(cover), Some((held, top)))
                if Arc::ptr_eq(cover, held) && top.direction == direction =>
            {
                self.table.scale.score(self.root.bound)
            }
            _ => problem.loose_bound(direction),
        }
    }
}
