//! The pass over all layers, within a limit on memory.
//!
//! Layers are processed in order. Each option that fits a state leads to a state of a later layer, to which the number
//! of ways is added. The number that arrives past the last layer is the number of solutions. Threads share the work by
//! shards ([`shard`](super::shard)).
//!
//! When the tables would need more memory than allowed, all unfinished states are cut in two by one of their bits. One
//! half is set aside until the other has been counted. The number of solutions is a sum over states, so any cut is
//! correct. A bit that is held for many more layers keeps the two halves from soon reaching the same states.
//!
//! ```text
//! tables of layers 7, 8, 9 full     bit = 0 continues --> sum
//!                                   bit = 1 waits         ... then continues --> sum
//! ```

use num_bigint::BigUint;

use super::budget::{End, WORD, WorkBudget};
use super::idle_threads::{Helpers, with_helpers};
use super::plan::{MAX_WORDS, Plan};
use super::shard::{PlanMasks, Shard, SourceTable, shard_of};
use super::table::{Refusal, StateTable, hash};
use crate::budget::LoopWatch;
use crate::counting::Stop;
use quadrille_model::EndedBy;
use quadrille_model::bits::bits_of;

/// Number of shards of a large sweep. Enough for some tens of threads, and the tables of one shard fit in a processor's
/// caches longer than all tables together.
const SHARDS: usize = 64;
/// Minimum number of states in all tables for a sweep to be divided into shards.
///
/// Below this number, or below [`LARGE_MEMORY`], shards cost more than they save: dominoes 16x16 take 1.6 times as
/// long.
const LARGE_STATES: usize = 1 << 18;
/// Minimum number of bytes allowed for a sweep to be divided into shards.
const LARGE_MEMORY: usize = 16 << 20;
/// Minimum number of states of a layer for which other threads are woken.
const MIN_SHARED_STATES: usize = 1 << 12;
/// Maximum length, in words, of the steps that a source writes in a round.
const STEP_WORDS: usize = 1 << 15;
/// Steps that wait for their shards take at most the memory divided by `STEP_SHARE`.
const STEP_SHARE: usize = 16;
/// A table may always take the memory divided by `SMALL`.
const SMALL: usize = 256;
/// In a good cut, each side has at least the number of states divided by `GOOD_CUT`.
const GOOD_CUT: usize = 8;
/// Maximum number of cuts in a row to make room for a table; after that, memory counts as exhausted.
const MAX_CUTS: usize = 32;

/// Counts the solutions of the part that a plan is for.
pub(super) fn count(plan: &Plan, budget: &mut WorkBudget<'_>) -> End {
    count_in_shards(plan, budget, 1)
}

/// Counts the solutions of the part that a plan is for, starting with `shards` shards (a power of two).
pub(super) fn count_in_shards(plan: &Plan, budget: &mut WorkBudget<'_>, shards: usize) -> End {
    match plan.words {
        1 => Sweep::<1>::count(plan, budget, shards),
        2 => Sweep::<2>::count(plan, budget, shards),
        3 => Sweep::<3>::count(plan, budget, shards),
        4 => Sweep::<4>::count(plan, budget, shards),
        5..=8 => Sweep::<8>::count(plan, budget, shards),
        9..=MAX_WORDS => Sweep::<MAX_WORDS>::count(plan, budget, shards),
        _ => End::Declined,
    }
}

/// Returns the bytes for a sweep: the limit, less the bytes that small tables may always take beyond it.
fn within(budget: &WorkBudget<'_>, layers: usize) -> usize {
    match budget.limit {
        Some(_) => (budget.memory as u128 * SMALL as u128 / (SMALL + layers) as u128) as usize,
        None => budget.memory,
    }
}

/// States set aside, by layer, in the format of [`StateTable::take`].
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
    rules: PlanMasks<'p, K>,
    /// The shards, as many as sources: one until the sweep is large.
    shards: Vec<Shard<K>>,
    sources: Vec<SourceTable<K>>,
    waiting: Vec<Waiting>,
    /// Number of words that store a number of ways.
    limbs: usize,
    /// Maximum number of bytes of all states.
    memory: usize,
    /// Maximum number of bytes of states and steps.
    memory_of_all: usize,
}

impl<'p, const K: usize> Sweep<'p, K> {
    fn count(plan: &'p Plan, budget: &mut WorkBudget<'_>, shards: usize) -> End {
        let mut sweep = Sweep::<K> {
            rules: PlanMasks::new(plan),
            shards: Vec::new(),
            sources: Vec::new(),
            waiting: Vec::new(),
            limbs: 1,
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
                self.spread_if_large(budget)?;
                self.pass(layer, budget, helpers)?;
            }
        }
        Ok(())
    }

    /// Replaces all shards and sources by empty shards and sources.
    fn divide(&mut self, shards: usize) {
        self.shards = (0..shards).map(|_| Shard::new(self.rules.plan.layers, self.limbs)).collect();
        let step_words = (self.memory_of_all / STEP_SHARE / 8 / shards).clamp(1, STEP_WORDS);
        self.sources = (0..shards).map(|_| SourceTable::new(shards, step_words)).collect();
        self.memory = self.memory_of_all.saturating_sub(step_words * 8 * shards);
    }

    /// Divides a sweep that has become large into shards. Called between two layers.
    fn spread_if_large(&mut self, budget: &WorkBudget<'_>) -> Result<(), Stop> {
        let [whole] = &self.shards[..] else { return Ok(()) };
        let states = whole.tables.iter().map(StateTable::len).sum::<usize>();
        if states < LARGE_STATES || self.memory_of_all < LARGE_MEMORY {
            return Ok(());
        }
        let mut whole = self.shards.pop().expect("there is one shard");
        self.divide(SHARDS);
        self.shards[0].total.clone_from(&whole.total);
        let mut pace = budget.pace();
        for layer in 0..whole.tables.len() {
            let table = whole.take_out(layer);
            for (key, number) in table.all_from(0) {
                self.put(layer, key, number, &mut pace)?;
            }
        }
        Ok(())
    }

    /// Adds a state without regard to the limit on memory.
    fn put(
        &mut self,
        layer: usize,
        key: &[u64; K],
        number: &[u64],
        pace: &mut LoopWatch<'_>,
    ) -> Result<(), Stop> {
        pace.work(WORD * (K + number.len()))?;
        let (hash, shards) = (hash(key), self.shards.len());
        let shard = &mut self.shards[shard_of(hash, shards)];
        while shard.tables[layer].add(key, hash as u32, number).is_err() {
            shard.grow(layer, pace)?;
        }
        Ok(())
    }

    fn take_up(&mut self, waiting: Waiting, budget: &WorkBudget<'_>) -> Result<(), Stop> {
        let mut pace = budget.pace();
        let mut number = vec![0; self.limbs];
        for (layer, states) in waiting.layers {
            for state in states.chunks_exact(K + waiting.limbs) {
                let Some((key, limbs)) = state.split_first_chunk::<K>() else { continue };
                number[..waiting.limbs].copy_from_slice(limbs);
                self.put(layer, key, &number, &mut pace)?;
            }
        }
        Ok(())
    }

    /// Processes a layer: follows the options of all its states.
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
        let many = states >= MIN_SHARED_STATES;
        while self.sources.iter().any(|source| !source.is_done()) {
            budget.look()?;
            let share = budget.share(self.shards.len());
            let (rules, watch) = (&self.rules, budget.watch);
            helpers.each(many, &mut self.sources, |_, source| source.go(rules, layer, share, watch));
            self.sources.iter_mut().for_each(|source| budget.done(std::mem::take(&mut source.done)));
            self.deliver(layer, budget, helpers, many)?;
        }
        self.sources.iter_mut().for_each(|source| source.begin(StateTable::default()));
        Ok(())
    }

    /// Adds all steps to the shards' tables, which grow when they are full.
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
            // When time is up, shards leave full tables as they are.
            budget.check()?;
            let mut refused = false;
            for number in 0..self.shards.len() {
                let Some((to, refusal)) = self.shards[number].refused else { continue };
                refused = true;
                match refusal {
                    Refusal::Full => self.make_room(layer, number, to, budget)?,
                    // Widens the numbers only once, for all shards in which they are too narrow.
                    Refusal::Overflow if self.limbs == before => self.widen(budget)?,
                    Refusal::Overflow => {}
                }
            }
            if !refused {
                return Ok(());
            }
        }
    }

    /// Makes all numbers one word wider.
    fn widen(&mut self, budget: &WorkBudget<'_>) -> Result<(), Stop> {
        self.limbs += 1;
        let (limbs, mut pace) = (self.limbs, budget.pace());
        self.shards.iter_mut().try_for_each(|shard| shard.widen(limbs, &mut pace))?;
        self.sources.iter_mut().try_for_each(|source| source.table.widen(limbs, &mut pace))
    }

    /// Grows the table of layer `to` of a shard, after cuts if necessary. `layer` is the one in progress.
    fn make_room(
        &mut self,
        layer: usize,
        shard: usize,
        to: usize,
        budget: &WorkBudget<'_>,
    ) -> Result<(), Stop> {
        for _ in 0..MAX_CUTS {
            budget.check()?;
            let grown = self.shards[shard].tables[to].bytes_grown(self.limbs);
            if grown <= self.memory / SMALL / self.shards.len() || self.bytes() + grown <= self.memory {
                return self.shards[shard].grow(to, &mut budget.pace());
            }
            if self.bytes_waiting() > self.memory / 4 * 3 || !self.cut(layer, budget)? {
                break;
            }
        }
        Err(Stop::Ended(EndedBy::Memory))
    }

    /// Returns the bytes of all tables and of the states set aside.
    fn bytes(&self) -> usize {
        let tables = self.shards.iter().map(|shard| shard.bytes).sum::<usize>();
        let sources = self.sources.iter().map(|source| source.table.bytes()).sum::<usize>();
        tables + sources + self.bytes_waiting()
    }

    fn bytes_waiting(&self) -> usize {
        self.waiting.iter().map(Waiting::bytes).sum()
    }

    /// Sets aside about half of all unfinished states. Returns false if no bit divides them.
    ///
    /// `layer` is the layer in progress.
    fn cut(&mut self, layer: usize, budget: &WorkBudget<'_>) -> Result<bool, Stop> {
        let mut pace = budget.pace();
        let Some(bits) = self.good_cut(layer, &mut pace)? else { return Ok(false) };
        let mut layers = Vec::new();
        for source in &mut self.sources {
            layers.push((layer, source.table.take_from(source.place, &bits, &mut pace)?));
        }
        for shard in &mut self.shards {
            layers.append(&mut shard.cut(&bits, &mut pace)?);
        }
        self.waiting.push(Waiting { layers, limbs: self.limbs });
        Ok(true)
    }

    /// Returns the bit at which to cut, as a mask: a bit that is held for long and has states on both sides. `None`
    /// if there is no such bit.
    fn good_cut(&self, layer: usize, pace: &mut LoopWatch<'_>) -> Result<Option<[u64; K]>, Stop> {
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

    /// Returns the number of ways past the last layer so far.
    fn total(&self) -> BigUint {
        self.shards.iter().map(|shard| big(&shard.total)).sum()
    }
}

fn big(limbs: &[u64]) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |number, &limb| (number << 64) + limb)
}
