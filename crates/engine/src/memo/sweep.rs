//! The way over the layers, within a limit on memory.
//!
//! Layers are done in their order; a state of a layer leads by each option that fits to a state of a later one, and its
//! number of ways is added there. What comes out behind the last layer is the number of solutions. Threads share the
//! work by shards ([`shard`](super::shard)).
//!
//! Where tables would need more memory than there is, all states that are not done are cut in two by one of their bits,
//! and one half is set aside until the other has been counted: the number of solutions is a sum over states, so that
//! any cut is right. A bit that is held for long keeps the halves from leading to the same states again soon.
//!
//! ```text
//! tables of layers 7, 8, 9 full     bit = 0 goes on --> sum
//!                                   bit = 1 waits       ... then goes on --> sum
//! ```

use num_bigint::BigUint;

use super::budget::{End, WORD, WorkBudget};
use super::helpers::{Helpers, with_helpers};
use super::plan::Plan;
use super::shard::{Rules, Shard, Source, shard_of};
use super::table::{Refusal, Table, hash};
use crate::budget::Pace;
use crate::counting::Stop;
use quadrille_model::EndedBy;
use quadrille_model::bits::bits_of;

/// Shards of a large sweep: enough for some tens of threads; tables of one fit a processor's caches longer than those
/// of all.
const SHARDS: usize = 64;
/// A sweep is large with so many states at a time, and with so much memory. Below that shards cost more than they bring:
/// dominoes 16x16 take 1.6 times as long.
const LARGE_STATES: usize = 1 << 18;
const LARGE_MEMORY: usize = 16 << 20;
/// States of a layer that are worth waking other threads for.
const MANY_STATES: usize = 1 << 12;
/// Words of steps that a source writes in a round, at most.
const STEP_WORDS: usize = 1 << 15;
/// Steps that wait for their shards may take one in so many of the bytes there are.
const STEP_SHARE: usize = 16;
/// A table may always have one in so many of the bytes there are.
const SMALL: usize = 256;
/// A cut is good if the smaller side has one in so many states.
const GOOD_CUT: usize = 8;
/// So many cuts in a row without memory for a table: there is none left.
const MOST_CUTS: usize = 32;

/// Counts the solutions of a plan's part.
pub(super) fn count(plan: &Plan, budget: &mut WorkBudget<'_>) -> End {
    count_in_shards(plan, budget, 1)
}

/// The same, beginning with so many shards, a power of two.
pub(super) fn count_in_shards(plan: &Plan, budget: &mut WorkBudget<'_>, shards: usize) -> End {
    match plan.words {
        1 => Sweep::<1>::count(plan, budget, shards),
        2 => Sweep::<2>::count(plan, budget, shards),
        3 => Sweep::<3>::count(plan, budget, shards),
        4 => Sweep::<4>::count(plan, budget, shards),
        5..=8 => Sweep::<8>::count(plan, budget, shards),
        9..=32 => Sweep::<32>::count(plan, budget, shards),
        _ => End::Declined,
    }
}

/// Returns the bytes for a sweep: less than the limit, by what the tables of all layers may always have beyond it.
fn within(budget: &WorkBudget<'_>, layers: usize) -> usize {
    match budget.limit {
        Some(_) => (budget.memory as u128 * SMALL as u128 / (SMALL + layers) as u128) as usize,
        None => budget.memory,
    }
}

/// States that wait, with the tables' form of one after the other.
#[derive(Debug)]
struct Waiting {
    layers: Vec<(usize, Vec<u64>)>,
    limbs: usize,
}

impl Waiting {
    fn bytes(&self) -> usize {
        self.layers.iter().map(|(_, states)| states.capacity() * 8).sum()
    }
}

struct Sweep<'p, const K: usize> {
    rules: Rules<'p, K>,
    /// As many as sources; one until it is large.
    shards: Vec<Shard<K>>,
    sources: Vec<Source<K>>,
    waiting: Vec<Waiting>,
    /// Words of a number.
    limbs: usize,
    /// Words of steps that a source may write in a round.
    step_words: usize,
    /// Bytes there may be of states.
    memory: usize,
    /// Bytes there may be of anything.
    memory_of_all: usize,
}

impl<'p, const K: usize> Sweep<'p, K> {
    fn count(plan: &'p Plan, budget: &mut WorkBudget<'_>, shards: usize) -> End {
        let mut sweep = Sweep::<K> {
            rules: Rules::new(plan),
            shards: Vec::new(),
            sources: Vec::new(),
            waiting: Vec::new(),
            limbs: 1,
            step_words: 0,
            memory: 0,
            memory_of_all: within(budget, plan.layers),
        };
        sweep.divide(shards);
        match with_helpers(budget.control, |helpers| sweep.run(budget, helpers)) {
            Ok(()) => End::Counted(sweep.total()),
            Err(Stop::Ended(reason)) => End::Early(sweep.total(), reason),
            Err(Stop::Declined) => End::Declined,
        }
    }

    fn run(&mut self, budget: &mut WorkBudget<'_>, helpers: &Helpers<'_, '_>) -> Result<(), Stop> {
        self.waiting.push(Waiting { layers: vec![(0, [&[0; K][..], &[1]].concat())], limbs: 1 });
        while let Some(waiting) = self.waiting.pop() {
            self.take_up(waiting, budget)?;
            for layer in 0..self.rules.plan.layers {
                self.spread_if_large()?;
                self.pass(layer, budget, helpers)?;
            }
        }
        Ok(())
    }

    /// Makes shards and sources anew, without states.
    fn divide(&mut self, shards: usize) {
        self.shards = (0..shards).map(|_| Shard::new(self.rules.plan.layers, self.limbs)).collect();
        self.sources = (0..shards).map(|_| Source::new(shards)).collect();
        self.step_words = (self.memory_of_all / STEP_SHARE / 8 / shards).clamp(1, STEP_WORDS);
        self.memory = self.memory_of_all.saturating_sub(self.step_words * 8 * shards);
    }

    /// Gives a sweep that has become large its shards, between two layers.
    fn spread_if_large(&mut self) -> Result<(), Stop> {
        let [whole] = &self.shards[..] else { return Ok(()) };
        let states = whole.tables.iter().map(Table::len).sum::<usize>();
        if states < LARGE_STATES || self.memory_of_all < LARGE_MEMORY {
            return Ok(());
        }
        let mut whole = self.shards.pop().expect("there is one");
        self.divide(SHARDS);
        self.shards[0].total.clone_from(&whole.total);
        for layer in 0..whole.tables.len() {
            let table = whole.take_out(layer);
            for (key, number) in table.all_from(0) {
                self.put(layer, key, number)?;
            }
        }
        Ok(())
    }

    /// Adds a state that is there already, whatever memory there is.
    fn put(&mut self, layer: usize, key: &[u64; K], number: &[u64]) -> Result<(), Stop> {
        let (hash, shards) = (hash(key), self.shards.len());
        let shard = &mut self.shards[shard_of(hash, shards)];
        while shard.tables[layer].add(key, hash as u32, number).is_err() {
            shard.grow(layer)?;
        }
        Ok(())
    }

    fn take_up(&mut self, waiting: Waiting, budget: &WorkBudget<'_>) -> Result<(), Stop> {
        let mut pace = budget.pace();
        let mut number = vec![0; self.limbs];
        for (layer, states) in waiting.layers {
            for state in states.chunks_exact(K + waiting.limbs) {
                pace.work(WORD * state.len())?;
                let Some((key, limbs)) = state.split_first_chunk::<K>() else { continue };
                number[..waiting.limbs].copy_from_slice(limbs);
                self.put(layer, key, &number)?;
            }
        }
        Ok(())
    }

    /// Does a layer: every state leads to later ones.
    fn pass(
        &mut self,
        layer: usize,
        budget: &mut WorkBudget<'_>,
        helpers: &Helpers<'_, '_>,
    ) -> Result<(), Stop> {
        let mut states = 0;
        for (source, shard) in self.sources.iter_mut().zip(&mut self.shards) {
            states += shard.tables[layer].len();
            source.begin(shard.take_out(layer));
        }
        let many = states >= MANY_STATES;
        while self.sources.iter().any(|source| !source.is_done()) {
            budget.look()?;
            let share = budget.share(self.shards.len());
            let (rules, words, watch) = (&self.rules, self.step_words, budget.watch);
            helpers.each(many, &mut self.sources, |_, source| source.go(rules, layer, share, words, watch));
            self.sources.iter_mut().for_each(|source| budget.done(std::mem::take(&mut source.done)));
            self.deliver(layer, budget, helpers, many)?;
        }
        self.sources.iter_mut().for_each(|source| source.begin(Table::default()));
        Ok(())
    }

    /// Adds all steps to the shards' tables, which grow where they are full.
    fn deliver(
        &mut self,
        layer: usize,
        budget: &WorkBudget<'_>,
        helpers: &Helpers<'_, '_>,
        many: bool,
    ) -> Result<(), Stop> {
        let (limbs, watch) = (self.limbs, budget.watch);
        self.shards.iter_mut().for_each(Shard::begin);
        loop {
            let (before, left) = (self.limbs, self.memory.saturating_sub(self.bytes()));
            let may_grow = left.max(self.memory / SMALL) / self.shards.len();
            self.shards.iter_mut().for_each(|shard| shard.may_grow = may_grow);
            let sources = &self.sources;
            helpers.each(many, &mut self.shards, |number, shard| shard.take(number, sources, limbs, watch));
            // A shard whose table was to grow when time was up has left it as it was.
            budget.goes_on()?;
            let mut refused = false;
            for number in 0..self.shards.len() {
                let Some((to, refusal)) = self.shards[number].refused else { continue };
                refused = true;
                match refusal {
                    Refusal::Full => self.make_room(layer, number, to, budget)?,
                    // Once for all shards whose numbers are too narrow.
                    Refusal::Overflow if self.limbs == before => self.widen()?,
                    Refusal::Overflow => {}
                }
            }
            if !refused {
                return Ok(());
            }
        }
    }

    /// Makes all numbers a word wider.
    fn widen(&mut self) -> Result<(), Stop> {
        self.limbs += 1;
        let limbs = self.limbs;
        self.shards.iter_mut().try_for_each(|shard| shard.widen(limbs))?;
        Ok(self.sources.iter_mut().try_for_each(|source| source.table.widen(limbs))?)
    }

    /// Lets a shard's table of layer `to` grow, after cuts if need be. `layer` is the one that is being done.
    fn make_room(
        &mut self,
        layer: usize,
        shard: usize,
        to: usize,
        budget: &WorkBudget<'_>,
    ) -> Result<(), Stop> {
        for _ in 0..MOST_CUTS {
            budget.goes_on()?;
            let grown = self.shards[shard].tables[to].bytes_grown(self.limbs);
            if grown <= self.memory / SMALL / self.shards.len() || self.bytes() + grown <= self.memory {
                return Ok(self.shards[shard].grow(to)?);
            }
            if self.bytes_waiting() > self.memory / 4 * 3 || !self.cut(layer, budget)? {
                break;
            }
        }
        Err(Stop::Ended(EndedBy::Memory))
    }

    /// Bytes of all tables and of what waits.
    fn bytes(&self) -> usize {
        let tables = self.shards.iter().map(|shard| shard.bytes).sum::<usize>();
        let sources = self.sources.iter().map(|source| source.table.bytes()).sum::<usize>();
        tables + sources + self.bytes_waiting()
    }

    fn bytes_waiting(&self) -> usize {
        self.waiting.iter().map(Waiting::bytes).sum()
    }

    /// Sets about half of all states aside that are not done, `layer` being done. Returns false if no bit cuts them.
    fn cut(&mut self, layer: usize, budget: &WorkBudget<'_>) -> Result<bool, Stop> {
        let mut pace = budget.pace();
        let Some(bits) = self.good_cut(layer, &mut pace)? else { return Ok(false) };
        let mut layers = Vec::new();
        for source in &mut self.sources {
            pace.work(WORD * source.table.words())?;
            layers.push((layer, source.table.take_from(source.place, &bits)?));
        }
        for shard in &mut self.shards {
            layers.append(&mut shard.cut(&bits, &mut pace)?);
        }
        self.waiting.push(Waiting { layers, limbs: self.limbs });
        Ok(true)
    }

    /// The bit to cut by: held for long, and with states on both sides.
    fn good_cut(&self, layer: usize, pace: &mut Pace<'_>) -> Result<Option<[u64; K]>, Stop> {
        let left = self.sources.iter().flat_map(|source| source.table.all_from(source.place));
        let tables = self.shards.iter().flat_map(|shard| &shard.tables);
        let mut with = vec![0usize; K * 64];
        let mut all = 0;
        for (key, _) in left.chain(tables.flat_map(|table| table.all_from(0))) {
            all += 1;
            pace.work(WORD * K)?;
            bits_of(*key).for_each(|slot| with[slot] += 1);
        }
        let smaller = |slot: &u32| with[*slot as usize].min(all - with[*slot as usize]);
        let held = self.rules.plan.held_at(layer);
        let good = held.iter().copied().find(|slot| smaller(slot) * GOOD_CUT >= all);
        let best = good.or_else(|| held.iter().copied().max_by_key(smaller)).filter(|slot| smaller(slot) > 0);
        Ok(best.map(|best| {
            let mut bits = [0; K];
            bits[best as usize / 64] = 1 << (best % 64);
            bits
        }))
    }

    /// Ways that lead behind the last layer, so far.
    fn total(&self) -> BigUint {
        self.shards.iter().map(|shard| big(&shard.total)).sum()
    }
}

fn big(limbs: &[u64]) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |number, &limb| (number << 64) + limb)
}
