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

/// Number of shards of a large sweep (a count of solutions by layers).
///
/// 64 shards are enough for some tens of threads. Shards also help the caches of a processor: the table of
/// one shard fits in them even if the tables of all shards together do not.
const SHARDS: usize = 64;
/// Minimum number of states in all tables at which a sweep is divided into shards.
///
/// With fewer states, or with less memory than [`LARGE_MEMORY`], shards cost more than they save. A 16x16
/// board of dominoes takes 1.6 times as long with shards.
const LARGE_STATES: usize = 1 << 18;
/// Minimum memory limit, in bytes, at which a sweep is divided into shards.
const LARGE_MEMORY: usize = 16 << 20;
/// Minimum number of states of a layer for which other threads are woken to help.
const MIN_SHARED_STATES: usize = 1 << 12;
/// Maximum total length, in words, of the steps that one shard may make in one round before they are added to
/// the tables.
const STEP_WORDS: usize = 1 << 15;
/// Divisor of the memory limit. The quotient is the maximum size of the steps that have not been added to a
/// shard yet.
const STEP_SHARE: usize = 16;
/// Divisor of the memory limit. Even if memory is full, a table may always grow to the quotient.
const SMALL: usize = 256;
/// Divisor that determines which cuts are good. A cut divides the states into two groups. In a good cut, each
/// group has at least `1 / GOOD_CUT` of the states.
const GOOD_CUT: usize = 8;
/// Maximum number of cuts in a row to make room for one table. Each cut sets aside half of the states.
///
/// If these cuts do not make room for the table, the memory is treated as exhausted.
const MAX_CUTS: usize = 32;

/// Counts the solutions of the part for which `plan` was made.
pub(super) fn count(plan: &Plan, budget: &mut WorkBudget<'_>) -> End {
    count_in_shards(plan, budget, 1)
}

/// Counts the solutions of the part for which `plan` was made.
///
/// The sweep starts with `shards` shards, a power of two.
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

/// Returns the number of bytes that a sweep may use for its states.
///
/// If the caller has set a memory limit, the result is smaller than this limit. The difference is left for
/// small tables, which may always grow.
fn within(budget: &WorkBudget<'_>, layers: usize) -> usize {
    match budget.limit {
        Some(_) => (budget.memory as u128 * SMALL as u128 / (SMALL + layers) as u128) as usize,
        None => budget.memory,
    }
}

/// States that are set aside for later, with their layers. They have the format that [`StateTable::take`]
/// returns.
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
    /// The shards, each with its source table in `sources`. There is only one shard until the sweep is large.
    shards: Vec<Shard<K>>,
    sources: Vec<SourceTable<K>>,
    waiting: Vec<Waiting>,
    /// Number of words that each number of ways takes.
    limbs: usize,
    /// Maximum memory of all states, in bytes.
    memory: usize,
    /// Maximum memory of states and steps together, in bytes.
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

    /// Replaces all shards and sources with `shards` empty ones.
    fn divide(&mut self, shards: usize) {
        self.shards = (0..shards).map(|_| Shard::new(self.rules.plan.layers, self.limbs)).collect();
        let step_words = (self.memory_of_all / STEP_SHARE / 8 / shards).clamp(1, STEP_WORDS);
        self.sources = (0..shards).map(|_| SourceTable::new(shards, step_words)).collect();
        self.memory = self.memory_of_all.saturating_sub(step_words * 8 * shards);
    }

    /// Divides the sweep into shards if it has become large. Must be called between two layers.
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

    /// Adds a state, even if this exceeds the memory limit.
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

    /// Processes a layer: from each of its states, follows the options of the layer.
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

    /// Adds all steps to the tables of the shards that they lead to. Grows tables that are full.
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
            // Check the time here: when time is up, shards do not grow their full tables.
            budget.check()?;
            let mut refused = false;
            for number in 0..self.shards.len() {
                let Some((to, refusal)) = self.shards[number].refused else { continue };
                refused = true;
                match refusal {
                    Refusal::Full => self.make_room(layer, number, to, budget)?,
                    // In several shards at once, numbers may need more words. Widen all numbers only once.
                    Refusal::Overflow if self.limbs == before => self.widen(budget)?,
                    Refusal::Overflow => {}
                }
            }
            if !refused {
                return Ok(());
            }
        }
    }

    /// Makes every number of ways one word wider.
    fn widen(&mut self, budget: &WorkBudget<'_>) -> Result<(), Stop> {
        self.limbs += 1;
        let (limbs, mut pace) = (self.limbs, budget.pace());
        self.shards.iter_mut().try_for_each(|shard| shard.widen(limbs, &mut pace))?;
        self.sources.iter_mut().try_for_each(|source| source.table.widen(limbs, &mut pace))
    }

    /// Grows a shard's table for the layer `to`. If memory is short, first sets aside some of the states.
    ///
    /// `layer` is the current layer.
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

    /// Returns the total size of all tables and of the states set aside, in bytes.
    fn bytes(&self) -> usize {
        let tables = self.shards.iter().map(|shard| shard.bytes).sum::<usize>();
        let sources = self.sources.iter().map(|source| source.table.bytes()).sum::<usize>();
        tables + sources + self.bytes_waiting()
    }

    fn bytes_waiting(&self) -> usize {
        self.waiting.iter().map(Waiting::bytes).sum()
    }

    /// Divides all unfinished states by one of their bits. Sets aside the states in which this bit is set,
    /// about half of the states.
    ///
    /// Returns false if all states agree in every bit. `layer` is the current layer.
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

    /// Returns a mask with the bit by which to divide the states, or `None` if all states agree in every bit.
    ///
    /// Prefers bits that divide the states into two groups of fair size. Of these bits, it chooses the one
    /// that stays in use for the most layers. If there is no such bit, it chooses the bit whose two groups
    /// are as even as possible.
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

    /// Returns the number of solutions found so far, which is the number of ways that lead past the last
    /// layer.
    fn total(&self) -> BigUint {
        self.shards.iter().map(|shard| big(&shard.total)).sum()
    }
}

fn big(limbs: &[u64]) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |number, &limb| (number << 64) + limb)
}
