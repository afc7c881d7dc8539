//! The depth-first search over blocks of options in the order of their reduced costs. Branchings are on an explicit
//! stack.
//!
//! ```text
//! block    options of the node, the cheapest first by reduced cost 0 0 3 8 8 21 40 ...
//! row      of an item, a bit for each option that has it           1 0 0 1 0 1  0
//! live     of a node, a bit for each option still possible         1 1 0 1 1 1  0
//!          what a solution can still afford is a prefix            ---------->|
//! ```
//!
//! A node that stays in its block costs a few words per item. If it pays, the options still alive get new prices and a
//! block of their own.

#![allow(
    clippy::needless_range_loop,
    reason = "indexed loops are compiled for the instruction set of the function; iterator adaptors sometimes remain calls"
)]

use super::table::ProblemTables;
use super::{BestSearch, Store};
use crate::search_context::SearchContext;
use quadrille_model::EndedBy;
use quadrille_model::bits::Bits;
use quadrille_model::simd::{WordKernel, Words};

/// Minimum number of live options for which a node gets new prices.
const MIN_PRICED_OPTIONS: usize = 100;
/// Number of passes over the prices of a node.
const PASSES: u32 = 3;
/// Work that the budget counts for new prices, per item of an option.
const WORK_OF_PRICE: usize = 4 * PASSES as usize;

/// A set of options, sorted by reduced cost. The lists of a block are ranges of the lists in [`Store`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Number of options.
    size: usize,
    /// Number of 64-bit words in a set of options.
    words: usize,
    /// Start of the block's options in the lists [`Store::ids`] and [`Store::reduced`].
    options: usize,
    /// Start of the block's rows in the list [`Store::rows`]. Each row is a set of options.
    rows: usize,
    /// Start of the block's prices in the list [`Store::prices`]. There is one price per item.
    prices: usize,
}

/// A branching on the path from the root, with the state of its node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Start of the node's state in the arena.
    ///
    /// The state consists of three bit sets: live options, covered items, and untried options.
    state: usize,
    block: usize,
    node: Node,
    taken: usize,
    path: usize,
}

/// The costs and bounds at a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Scaled total cost of the options chosen on the path to the node.
    paid: i64,
    /// Lower bound on the cost of any solution below the node, scaled.
    bound: i64,
    /// Lower bound that follows only from the prices of the node's block, scaled.
    ///
    /// If an option is chosen, the bound grows by the reduced cost of the option.
    priced: i64,
}

impl Node {
    /// The root node, as it is before any bound has been computed.
    pub(super) const ROOT: Node = Node { paid: 0, bound: i64::MIN, priced: i64::MIN };
}

/// The result of checking a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeStatus {
    /// The subtree below the node contains no wanted solution.
    Closed,
    /// Every primary item is covered.
    Solved,
    /// The node needs a branching on this item.
    Open(u32),
}

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// Maximum cost of a solution in the tree, scaled. Options that lead to higher costs are excluded.
    ///
    /// The limit depends only on the problem, not on the solutions found so far.
    pub(super) limit: i64,
    /// Strength of smoothing (heat) for prices. Used if there is no limit, or if a node has no bound yet.
    pub(super) heat: f64,
}

/// A search of the whole tree or of a part of it.
pub(super) struct Walk<'a, 'q> {
    pub(super) table: &'a ProblemTables,
    pub(super) store: &'a mut Store,
    pub(super) best_search: &'a mut BestSearch<'q>,
    pub(super) run: &'a mut SearchContext<'q>,
    pub(super) terms: Terms,
    /// The options of the root.
    pub(super) options: &'a [u32],
    /// The options' prices, by item.
    pub(super) prices: &'a [i64],
    pub(super) node: Node,
    pub(super) block: usize,
}

/// The result of a search of the tree.
pub(super) struct End {
    pub(super) ended_by: EndedBy,
    /// Scaled lower bound on the cost of every solution that the search did not reach.
    pub(super) open: i64,
}

impl WordKernel for Walk<'_, '_> {
    type Output = End;

    #[inline(always)]
    fn run<I: Words>(mut self, _: I) -> End {
        let (ended_by, open) = match self.search() {
            Ok(()) => (EndedBy::Complete, i64::MAX),
            Err(ended_by) => (ended_by, self.least_open()),
        };
        End { ended_by, open }
    }
}

impl Walk<'_, '_> {
    #[inline(always)]
    fn search(&mut self) -> Result<(), EndedBy> {
        self.store.clear();
        let prefix = self.run.task.prefix;
        self.store.path.extend_from_slice(prefix);
        if !self.try_enter()? {
            return Ok(());
        }
        let mut verdict = self.root()?;
        for &decision in prefix {
            let NodeStatus::Open(item) = verdict else { return Ok(()) };
            if !self.repeat(item, decision) {
                return Ok(());
            }
            verdict = self.look()?;
        }
        loop {
            match verdict {
                NodeStatus::Solved => self.solution()?,
                NodeStatus::Open(item) => self.branch(item)?,
                NodeStatus::Closed => {}
            }
            loop {
                if !self.next() {
                    return Ok(());
                }
                if self.try_enter()? {
                    break;
                }
            }
            verdict = self.look()?;
        }
    }

    /// Enters the node at the end of the path, or reports it as a frontier node instead of entering it.
    ///
    /// Returns true if the node was entered.
    #[inline(always)]
    fn try_enter(&mut self) -> Result<bool, EndedBy> {
        let (scale, node) = (self.table.scale, self.node);
        self.run.enter_within(&self.store.path, || scale.score(node.bound))
    }

    /// Finds prices for the root, then chooses the options that are forced.
    fn root(&mut self) -> Result<NodeStatus, EndedBy> {
        let store = &mut *self.store;
        store.covered.clear();
        store.covered.resize(self.table.primary.div_ceil(64), 0);
        store.pricing.load(self.table, self.options, self.prices);
        self.price()?;
        if !self.renew()? {
            return Ok(NodeStatus::Closed);
        }
        self.force()
    }

    /// Chooses the forced options of a node, then finds better prices if they are expected to save nodes.
    #[inline(always)]
    fn look(&mut self) -> Result<NodeStatus, EndedBy> {
        let verdict = self.force()?;
        let NodeStatus::Open(_) = verdict else { return Ok(verdict) };
        let block = self.store.blocks[self.block];
        let live: u32 = self.store.live.iter().map(|word| word.count_ones()).sum();
        // New prices are expensive to compute. They pay off if three fifths of the block's options are no
        // longer live, but many options still are.
        if (live as usize) < MIN_PRICED_OPTIONS || live as usize * 5 > block.size * 2 {
            return Ok(verdict);
        }
        self.gather(block);
        let before = self.block;
        self.price()?;
        if !self.renew()? {
            return Ok(NodeStatus::Closed);
        }
        if self.block == before { Ok(verdict) } else { self.force() }
    }

    /// Loads the live options into the pricing.
    ///
    /// Does the same as [`Pricing::load`](super::price::Pricing::load), but uses the rows of the block.
    #[inline(always)]
    fn gather(&mut self, block: Block) {
        let table = self.table;
        let Store { live, covered, rows, ids, reduced, prices, pricing, ranks, .. } = &mut *self.store;
        pricing.clear();
        ranks.clear();
        for (number, &word) in live.iter().enumerate() {
            ranks.push(pricing.ids.len() as u32);
            for bit in Bits(word) {
                let place = block.options + number * 64 + bit;
                pricing.ids.push(ids[place]);
                pricing.reduced.push(reduced[place]);
            }
        }
        let prices = &prices[block.prices..][..table.items];
        for item in 0..table.items {
            let is_primary = item < table.primary;
            let is_covered = is_primary && covered[item / 64] >> (item % 64) & 1 != 0;
            if is_covered || !table.priced[item] {
                continue;
            }
            let row = &rows[block.rows + item * block.words..][..block.words];
            for number in 0..block.words {
                let alive = live[number];
                for bit in Bits(row[number] & alive) {
                    let below = (1 << bit) - 1;
                    pricing.members.push(ranks[number] + (alive & below).count_ones());
                }
            }
            pricing.end_row(item as u32, is_primary, prices[item]);
        }
    }

    /// Finds new prices for the options that are loaded into the pricing.
    #[inline(always)]
    fn price(&mut self) -> Result<(), EndedBy> {
        let work = WORK_OF_PRICE * self.store.pricing.members.len();
        self.run.budget.work(work as u64)?;
        let Store { pricing, covered, .. } = &mut *self.store;
        let taken: u32 = covered.iter().map(|word| word.count_ones()).sum();
        let open = (self.table.primary as u32 - taken).max(1);
        let heat = if self.terms.limit == i64::MAX || self.node.bound == i64::MIN {
            self.terms.heat
        } else {
            (self.terms.limit.saturating_sub(self.node.bound) as f64 / f64::from(open)).max(1.0)
        };
        pricing.smooth(self.table, heat, PASSES, || true);
        Ok(())
    }

    /// Makes a new block from the loaded options if their new prices give a better bound.
    ///
    /// Returns false if the node has no wanted solution.
    #[inline(always)]
    fn renew(&mut self) -> Result<bool, EndedBy> {
        let table = self.table;
        let store = &mut *self.store;
        let pricing = &mut store.pricing;
        let priced = self.node.paid.saturating_add(pricing.settle());
        if priced > self.best_search.limit().min(self.terms.limit) {
            return Ok(false);
        }
        // A few passes may find worse prices than those of the current block. The node then keeps its block.
        if priced < self.node.bound {
            return Ok(true);
        }
        self.node.bound = priced;
        self.node.priced = priced;
        let most = self.terms.limit.saturating_sub(priced);
        let options = store.ids.len();
        let order = &mut store.order;
        order.clear();
        for (&id, &reduced) in pricing.ids.iter().zip(&pricing.reduced) {
            if reduced <= most {
                // The key sorts by reduced cost, which is not negative, and then by option number.
                order.push((reduced as u128) << 32 | u128::from(id));
            }
        }
        order.sort_unstable();
        let size = order.len();
        let words = size.div_ceil(64);
        store.ids.try_reserve(size)?;
        store.reduced.try_reserve(size)?;
        store.rows.try_reserve(table.rows * words)?;
        store.prices.try_reserve(table.items)?;
        let (rows, prices) = (store.rows.len(), store.prices.len());
        store.rows.resize(rows + table.rows * words, 0);
        let of_block = &mut store.rows[rows..];
        for (place, &entry) in order.iter().enumerate() {
            let id = entry as u32;
            store.ids.push(id);
            store.reduced.push((entry >> 32) as i64);
            let (word, bit) = (place / 64, 1u64 << (place % 64));
            for hit in table.hits(id) {
                of_block[hit.row as usize * words + word] |= bit;
                if let Some(compatible) = hit.compatible() {
                    of_block[compatible as usize * words + word] |= bit;
                }
            }
        }
        store.prices.resize(prices + table.items, 0);
        pricing.write(&mut store.prices[prices..]);
        store.live.clear();
        store.live.resize(words, u64::MAX);
        if !size.is_multiple_of(64) {
            store.live[words - 1] = (1 << (size % 64)) - 1;
        }
        store.blocks.push(Block { size, words, options, rows, prices });
        self.block = store.blocks.len() - 1;
        Ok(true)
    }

    /// Chooses each option that is the only live option of some item. Repeats this until there is no such
    /// option.
    #[inline(always)]
    fn force(&mut self) -> Result<NodeStatus, EndedBy> {
        let block = self.store.blocks[self.block];
        let items = self.table.primary;
        loop {
            let limit = self.terms.limit;
            if self.node.bound > limit || self.node.bound > self.best_search.limit() {
                return Ok(NodeStatus::Closed);
            }
            let words = self.cut(block, limit.saturating_sub(self.node.priced));
            // In a large problem, a round of this loop may force only one option. Yet each round counts the
            // options of all items. So the budget must include this work.
            self.run.budget.work((words * items) as u64)?;
            let Store { live, covered, rows, .. } = &mut *self.store;
            let live = &live[..words];
            let mut best = (u32::MAX, 0);
            let mut open = false;
            'items: for (number, &word) in covered.iter().enumerate() {
                let there = if number == items / 64 { (1 << (items % 64)) - 1 } else { u64::MAX };
                for bit in Bits(!word & there) {
                    let item = number * 64 + bit;
                    open = true;
                    let row = block.rows + item * block.words;
                    let row = &rows[row..row + words];
                    let mut count = 0;
                    for number in 0..words {
                        count += (row[number] & live[number]).count_ones();
                    }
                    if count < best.0 {
                        best = (count, item);
                        // A count of 0 closes the node, and a count of 1 forces an option. The counts of the
                        // other items no longer matter.
                        if count <= 1 {
                            break 'items;
                        }
                    }
                }
            }
            if !open {
                return Ok(NodeStatus::Solved);
            }
            match best {
                (0, _) => return Ok(NodeStatus::Closed),
                (1, item) => {
                    let row = block.rows + item * block.words;
                    let both = |number: usize| rows[row + number] & live[number];
                    let number = (0..words).find(|&number| both(number) != 0).expect("one option is live");
                    let place = number * 64 + both(number).trailing_zeros() as usize;
                    self.take(block, place);
                }
                (_, item) => return Ok(NodeStatus::Open(item as u32)),
            }
        }
    }

    /// Removes the options whose reduced cost exceeds `left`.
    ///
    /// Returns the number of words that contain the remaining options.
    #[inline(always)]
    fn cut(&mut self, block: Block, left: i64) -> usize {
        let Store { live, reduced, .. } = &mut *self.store;
        let reduced = &reduced[block.options..block.options + block.size];
        // Reduced costs ascend, so the options that cost too much come last. Their words are cleared. The
        // returned number does not include these words.
        let mut words = block.words;
        while words > 0 && (live[words - 1] == 0 || reduced[words * 64 - 64] > left) {
            live[words - 1] = 0;
            words -= 1;
        }
        if words > 0 {
            let first = words * 64 - 64;
            let last = (first + 64).min(block.size);
            let keep = reduced[first..last].partition_point(|&reduced| reduced <= left);
            if keep < 64 {
                live[words - 1] &= (1 << keep) - 1;
            }
        }
        words
    }

    /// Chooses the option at position `place` in a block.
    #[inline(always)]
    fn take(&mut self, block: Block, place: usize) {
        let Store { live, covered, rows, ids, reduced, taken, .. } = &mut *self.store;
        let id = ids[block.options + place];
        taken.push(id);
        for hit in self.table.hits(id) {
            let row = &rows[block.rows + hit.row as usize * block.words..][..block.words];
            match hit.compatible() {
                None => {
                    for number in 0..live.len() {
                        live[number] &= !row[number];
                    }
                }
                Some(compatible) => {
                    let compatible = &rows[block.rows + compatible as usize * block.words..][..block.words];
                    for number in 0..live.len() {
                        live[number] &= !row[number] | compatible[number];
                    }
                }
            }
            if (hit.row as usize) < self.table.primary {
                covered[hit.row as usize / 64] |= 1 << (hit.row % 64);
            }
        }
        self.node.paid += self.table.costs[id as usize];
        self.node.priced += reduced[block.options + place];
        self.node.bound = self.node.bound.max(self.node.priced);
    }

    /// Adds a branching on an item to the stack.
    #[inline(always)]
    fn branch(&mut self, item: u32) -> Result<(), EndedBy> {
        let block = self.store.blocks[self.block];
        let store = &mut *self.store;
        let state = store.arena.len();
        store.arena.try_reserve(2 * block.words + store.covered.len())?;
        store.arena.extend_from_slice(&store.live);
        store.arena.extend_from_slice(&store.covered);
        let row = block.rows + item as usize * block.words;
        store.arena.extend(store.live.iter().zip(&store.rows[row..row + block.words]).map(|(a, b)| a & b));
        let (taken, path) = (store.taken.len(), store.path.len());
        store.levels.push(Level { state, block: self.block, node: self.node, taken, path });
        Ok(())
    }

    /// Moves to the next node that may have a wanted solution. Returns false if there is no such node.
    #[inline(always)]
    fn next(&mut self) -> bool {
        let limit = self.best_search.limit();
        loop {
            let store = &mut *self.store;
            let Some(&level) = store.levels.last() else { return false };
            let block = store.blocks[level.block];
            let covered = level.state + block.words;
            let untried = covered + store.covered.len();
            let set = &mut store.arena[untried..untried + block.words];
            let number = set.iter().position(|&word| word != 0);
            let place = number.map(|number| number * 64 + set[number].trailing_zeros() as usize);
            let wanted = place.filter(|&place| {
                // If this option is too expensive, so are all options after it.
                level.node.priced.saturating_add(store.reduced[block.options + place]) <= limit
                    && level.node.bound <= limit
            });
            let Some(place) = wanted else {
                store.levels.pop();
                store.arena.truncate(level.state);
                continue;
            };
            set[place / 64] &= set[place / 64] - 1;
            let more = set.iter().any(|&word| word != 0);
            // Earlier options of this level may have left further blocks. These blocks, and their lists at
            // the ends of the arenas, are removed.
            if level.block + 1 < store.blocks.len() {
                let next = store.blocks[level.block + 1];
                store.ids.truncate(next.options);
                store.reduced.truncate(next.options);
                store.rows.truncate(next.rows);
                store.prices.truncate(next.prices);
                store.blocks.truncate(level.block + 1);
            }
            store.live.clear();
            store.live.extend_from_slice(&store.arena[level.state..covered]);
            store.covered.copy_from_slice(&store.arena[covered..untried]);
            store.taken.truncate(level.taken);
            store.path.truncate(level.path);
            store.path.push(store.ids[block.options + place]);
            self.node = level.node;
            self.block = level.block;
            self.run.guesses += u64::from(more);
            self.take(block, place);
            return true;
        }
    }

    /// Follows one decision of a given path, at a branching on an item. Returns false if the option is not
    /// available.
    fn repeat(&mut self, item: u32, decision: u32) -> bool {
        let block = self.store.blocks[self.block];
        let Store { live, rows, ids, .. } = &*self.store;
        let row = block.rows + item as usize * block.words;
        let place = (0..block.size).find(|&place| {
            ids[block.options + place] == decision
                && rows[row + place / 64] & live[place / 64] & 1 << (place % 64) != 0
        });
        place.inspect(|&place| self.take(block, place)).is_some()
    }

    #[cold]
    fn solution(&mut self) -> Result<(), EndedBy> {
        let Store { taken, solution, .. } = &mut *self.store;
        solution.clear();
        solution.extend_from_slice(taken);
        solution.sort_unstable();
        self.best_search.solution(solution, self.run)
    }

    /// Returns the smallest bound of all nodes that the search has not entered.
    fn least_open(&self) -> i64 {
        let store = &*self.store;
        let of_level = |level: &Level| {
            let block = store.blocks[level.block];
            let untried = level.state + block.words + store.covered.len();
            let set = &store.arena[untried..untried + block.words];
            let number = set.iter().position(|&word| word != 0)?;
            let place = number * 64 + set[number].trailing_zeros() as usize;
            Some(level.node.bound.max(level.node.priced.saturating_add(store.reduced[block.options + place])))
        };
        store.levels.iter().filter_map(of_level).fold(self.node.bound, i64::min)
    }
}

impl Store {
    /// Empties the stacks.
    fn clear(&mut self) {
        self.arena.clear();
        self.blocks.clear();
        self.levels.clear();
        self.rows.clear();
        self.ids.clear();
        self.reduced.clear();
        self.prices.clear();
        self.path.clear();
        self.taken.clear();
    }
}
