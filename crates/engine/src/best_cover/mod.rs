//! Least and greatest cost: branch and bound on exact cover problems whose options have costs.
//!
//! * `table`, the problem: which options rule out which, costs scaled;
//! * `price`, the bound: a price for every item (the dual of the linear relaxation);
//! * `walk`, the search, over blocks of options in the order of their reduced costs;
//! * this file: the preparation of a problem, and what has been found.
//!
//! # Preparation
//! What a solution may cost decides how small the tree is: an option whose reduced cost is more than the gap between
//! a known solution and the bound does not exist any more. So the tree is searched several times for a few hundred
//! nodes, each time with the gap that the time before has left, until that finds nothing better; often it has been
//! seen whole by then. What is found on the way comes first in the sequential order, the last of the trees after it.
//!
//! # Order
//! Ties go to the earliest solution in sequential order, on any number of threads. So a tree, prices and order of
//! branches included, is a function of the problem and the path alone: the *limit* that options must keep to is
//! that of the preparation, which every thread repeats for itself. What is found in the tree only decides what is
//! left out.

mod price;
mod table;
mod walk;

use std::sync::Arc;

use super::budget::Watch;
use super::incumbent::BestFound;
use super::memory::{self, Kept, Size, room};
use super::run::Run;
use super::scale::Scale;
use super::{Control, Flow, Incumbent, Task, TreeSearch, Visitor};
use price::Pricing;
use quadrille_model::simd::{Isa, run_words};
use quadrille_model::{
    Cover, Direction, EndedBy, Goal, Limits, Outcome, ProblemClass, ProblemRef, Ranking, Solution, Top,
};
use table::Table;
use walk::{Block, End, Level, Node, Terms, Walk};

/// The search for the least or greatest cost. Owns its memory: no allocation per node in the steady state.
///
/// Finds exact cover solutions as option numbers, ascending. Prefixes are the option numbers chosen at
/// branchings. Counts nodes and guesses, those of the preparation included.
#[derive(Debug, Default)]
pub struct BestCover {
    /// The problem in the table, prepared.
    held: Option<(Arc<Cover>, Top)>,
    table: Table,
    store: Store,
    root: Prepared,
    kept: Kept,
    isa: Option<Isa>,
}

/// Memory of a search, kept between problems.
#[derive(Debug, Default)]
struct Store {
    /// States of the branchings on the path.
    arena: Vec<u64>,
    levels: Vec<Level>,
    /// The blocks on the path.
    blocks: Vec<Block>,
    /// Per block a set of options for every row.
    rows: Vec<u64>,
    /// Per block its options' numbers and reduced costs.
    ids: Vec<u32>,
    reduced: Vec<i64>,
    /// Per block the prices of all items.
    prices: Vec<i64>,
    /// Live options and covered items of the node in hand.
    live: Vec<u64>,
    covered: Vec<u64>,
    /// Decisions at branchings, and all options taken.
    path: Vec<u32>,
    taken: Vec<u32>,
    pricing: Pricing,
    /// For sorting the options of a block: reduced cost and number in one.
    order: Vec<u128>,
    /// For gathering: the number of live options before each word of a block.
    ranks: Vec<u32>,
    /// For reporting.
    solution: Vec<u32>,
}

/// A problem prepared.
#[derive(Debug, Default)]
struct Prepared {
    /// The options that a solution can afford, with prices.
    options: Vec<u32>,
    prices: Vec<i64>,
    heat: f64,
    /// Scaled bound.
    bound: i64,
    /// Scaled limit of the tree.
    limit: i64,
    /// The best solutions met, in the order they were met, sorted within, and their scores.
    known: Vec<(i64, Vec<u32>)>,
    nodes: u64,
    guesses: u64,
    /// The end of the preparation: complete where the whole tree was seen, limit where it is still to be searched.
    ended_by: Option<EndedBy>,
}

/// Nodes of one search of the preparation.
const NODES_OF_PHASE: u64 = 400;
/// Nodes between two looks at the clock.
const LOOK_EVERY: u64 = 16;
/// Passes over all prices at each heat of the root.
const PASSES_AT_ROOT: u32 = 16;

impl BestCover {
    /// On an instruction set; one that it is not written for is as good as portable.
    pub fn on(isa: Option<Isa>) -> Self {
        BestCover { isa, ..BestCover::default() }
    }

    /// Returns true if it can do this: the best costs of exact cover problems with or without colours, as long as no
    /// sum of costs can leave 64 bits.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        let is_class = matches!(class, ProblemClass::Cover { multiplicities: false, overflowing: false, .. });
        is_class && matches!(goal, Goal::Best(_))
    }

    /// Bytes that its tables take for a problem, at most. Each block on a path has at most half as many options as the
    /// one above.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::of(problem);
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
        of_blocks.into_iter().chain(lists).map(memory::grown).fold(0, u64::saturating_add)
    }

    /// Prepares a problem, unless it is.
    fn hold(
        &mut self,
        cover: &Arc<Cover>,
        top: Top,
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
        // One that was cut short is good for this search only.
        if matches!(self.root.ended_by, None | Some(EndedBy::Complete)) {
            self.held = Some((Arc::clone(cover), top));
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        cover: &Arc<Cover>,
        top: Top,
        task: &Task<'_>,
        watch: Watch<'_>,
    ) -> Result<(), EndedBy> {
        let nodes = limit_of(task);
        let BestCover { table, store, root, isa, .. } = self;
        room(&mut root.options, table.options())?;
        room(&mut root.prices, table.items)?;
        root.options.extend(0..table.options() as u32);
        root.prices.resize(table.items, 0);
        root.known.clear();
        (root.nodes, root.guesses, root.limit, root.ended_by) = (0, 0, i64::MAX, None);
        root.price(table, &mut store.pricing, watch);
        let mut ranking = Ranking::new(top);
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
            let mut run = Run::new(&phase, &mut keep, watch.control()).looking_every(LOOK_EVERY);
            let End { ended_by, open } = root.walk(table, store, &mut best_search, &mut run, *isa);
            let (nodes_of_phase, guesses) = (run.nodes(), run.guesses);
            root.nodes += nodes_of_phase;
            root.guesses += guesses;
            root.known.clear();
            root.known.extend(ranking.in_order_met().into_iter().map(|(score, solution)| match solution {
                Solution::Options(options) => (score, options.to_vec()),
                Solution::Digits(_) => unreachable!("a cover is solved by options"),
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

/// The nodes that a task allows the preparation: those of parts begin behind it.
fn limit_of(task: &Task<'_>) -> Option<u64> {
    task.limits.nodes.filter(|_| task.prefix.is_empty())
}

impl Prepared {
    /// Searches the tree, or the part of it that the run is for.
    fn walk<'q>(
        &self,
        table: &Table,
        store: &mut Store,
        best_search: &mut BestSearch<'q>,
        run: &mut Run<'q>,
        isa: Option<Isa>,
    ) -> End {
        let terms = Terms { limit: self.limit, heat: self.heat };
        let (options, prices, node) = (&self.options, &self.prices, Node::ROOT);
        run_words(isa, Walk { table, store, best_search, run, terms, options, prices, node, block: 0 })
    }

    /// Finds prices for all options, colder and colder, and drops those that no solution within the limit affords.
    /// Less cold when time is up.
    fn price(&mut self, table: &Table, pricing: &mut Pricing, watch: Watch<'_>) {
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
            let goes_on = || watch.stop().is_none();
            pricing.smooth(table, next, PASSES_AT_ROOT, goes_on);
            if !goes_on() || next >= heat || next <= last.max(1.0) {
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

fn score(cover: &Cover, options: &[u32]) -> i64 {
    options.iter().map(|&option| cover.cost(option as usize)).fold(0, i64::saturating_add)
}

/// The best solutions found, and the limit on the cost of further ones.
struct BestSearch<'a> {
    cover: &'a Cover,
    scale: Scale,
    found: BestFound<'a>,
    /// Solutions met by the preparation, and their scores.
    known: &'a [(i64, Vec<u32>)],
    /// Largest cost of a solution that is still wanted, scaled: by the leaders, and by the incumbent at its last look.
    own_limit: i64,
    seen: i64,
    shared_limit: i64,
}

impl<'a> BestSearch<'a> {
    fn new(
        cover: &'a Cover,
        table: &Table,
        top: Top,
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

    /// The scaled bound that a subtree may have at most to be wanted.
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

    /// Takes a solution, its options ascending, and passes it on if it is one of the best.
    fn solution(&mut self, options: &[u32], run: &mut Run<'_>) -> Result<(), EndedBy> {
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
        let mut run = Run::new(&rest, visitor, control).looking_every(LOOK_EVERY).sharing_early();
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
            None => root.walk(table, store, &mut best_search, &mut run, *isa),
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
