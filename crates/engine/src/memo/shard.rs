//! Shards: states distributed by their hashes, so that threads need not share any table.
//!
//! A shard has one table per layer, for the states that their hashes assign to it. A layer is processed in rounds of
//! two loops. The first runs over the [`SourceTable`]s, which are the layer's own tables: it finds the states to
//! which the states of a table lead, and lists these steps by target shard. The second runs over the shards and adds
//! the steps for each to its tables:
//!
//! ```text
//! source 0 --> | for 0 | for 1 | ... |     for 0 of all sources in their order --> shard 0
//! source 1 --> | for 0 | for 1 | ... |     for 1                               --> shard 1
//! ```
//! The place of each state in the tables depends on the number of shards, never on the number of threads.
//!
//! A step is `K + 1` words and the number of ways. The first word holds the layer it leads to and the lower half of the
//! hash; the state follows.

use super::budget::Effort;
use super::plan::Plan;
use super::table::{self, Refusal, StateTable, hash};
use crate::budget::{LoopWatch, Watch};
use crate::counting::Stop;

/// The masks of one option.
#[derive(Debug, Clone, Copy)]
struct OptionMasks<const K: usize> {
    forbids: [u64; K],
    sets: [u64; K],
}

/// The masks that are applied to a state at the end of a layer, see [`Plan`].
#[derive(Debug, Clone, Copy)]
struct LayerEnd<const K: usize> {
    drops: [u64; K],
    needs: [u64; K],
}

/// A plan whose masks all have `K` words.
#[derive(Debug)]
pub(super) struct PlanMasks<'p, const K: usize> {
    pub(super) plan: &'p Plan,
    choices: Vec<OptionMasks<K>>,
    /// For each layer, the slots (bits of a state) that are cleared after the layer. Also the slots among
    /// them that must be set before.
    edges: Vec<LayerEnd<K>>,
}

impl<'p, const K: usize> PlanMasks<'p, K> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let wide = |mask: &[u64]| {
            let mut wide = [0; K];
            wide[..mask.len()].copy_from_slice(mask);
            wide
        };
        let pairs = plan.masks.chunks_exact(2 * plan.words);
        let edges = plan.drops.chunks_exact(plan.words).zip(plan.needs.chunks_exact(plan.words));
        PlanMasks {
            plan,
            choices: pairs
                .map(|pair| OptionMasks {
                    forbids: wide(&pair[..plan.words]),
                    sets: wide(&pair[plan.words..]),
                })
                .collect(),
            edges: edges.map(|(drops, needs)| LayerEnd { drops: wide(drops), needs: wide(needs) }).collect(),
        }
    }

    /// Moves a state to the next layer whose item is not covered yet, and returns the index of that layer.
    ///
    /// Returns `None` if some uncovered item of the state has no options left.
    #[inline]
    fn leave(&self, layer: usize, state: &mut [u64; K]) -> Option<usize> {
        let mut at = layer;
        loop {
            let edge = &self.edges[at];
            if (0..K).any(|word| edge.needs[word] & !state[word] != 0) {
                return None;
            }
            // Nothing later depends on these slots. Clearing them merges states that differ only there.
            (0..K).for_each(|word| state[word] &= !edge.drops[word]);
            at += 1;
            let (word, bit) = self.plan.slot[at];
            if state[word as usize] & bit == 0 {
                return Some(at);
            }
        }
    }
}

/// Returns the index of the shard (part of the states) that a hash belongs to. `shards` is a power of two.
#[inline]
pub(super) fn shard_of(hash: u64, shards: usize) -> usize {
    (hash >> 32) as usize & (shards - 1)
}

/// The table with the states of one shard in the current layer, and the steps from these states to later
/// states.
#[derive(Debug)]
pub(super) struct SourceTable<const K: usize> {
    pub(super) table: StateTable<K>,
    /// 0-based position in the table from which processing continues.
    pub(super) place: usize,
    /// Work of this shard that has not been added to the budget of the whole count yet.
    pub(super) done: Effort,
    /// Maximum total length of the stored steps, in words.
    step_words: usize,
    /// One list of steps per shard that the steps lead to. The steps of a list follow each other without
    /// gaps.
    steps: Vec<Vec<u64>>,
}

impl<const K: usize> SourceTable<K> {
    pub(super) fn new(shards: usize, step_words: usize) -> Self {
        let steps = vec![Vec::new(); shards];
        SourceTable { table: StateTable::default(), place: 0, done: Effort::default(), step_words, steps }
    }

    /// Starts over with another table.
    pub(super) fn begin(&mut self, table: StateTable<K>) {
        self.table = table;
        self.place = 0;
    }

    pub(super) fn is_done(&self) -> bool {
        self.place == self.table.places()
    }

    /// Processes states until no state is left or a limit is reached.
    ///
    /// The limits are the work in `share`, the limits of `watch`, and the memory for steps.
    pub(super) fn go(&mut self, rules: &PlanMasks<'_, K>, layer: usize, share: Effort, watch: Watch<'_>) {
        let (shards, mut pace) = (self.steps.len(), watch.pace());
        let options = &rules.choices[rules.plan.starts[layer]..rules.plan.starts[layer + 1]];
        let mut written = 0;
        self.steps.iter_mut().for_each(Vec::clear);
        // The time must be checked here. This shard alone takes some milliseconds, but all shards together
        // take longer.
        if watch.stop().is_some() {
            return;
        }
        while !self.is_done() {
            if let Some((key, number)) = self.table.at(self.place) {
                // Stop between two states, never within one, so that the next call can resume at `place`.
                if written >= self.step_words
                    || self.done.states >= share.states
                    || self.done.work >= share.work
                {
                    return;
                }
                // Check the time here too. The options of a single state may take more work than `share`
                // allows.
                if pace.work(options.len()).is_err() {
                    return;
                }
                let mut steps = 0;
                for choice in options {
                    if (0..K).any(|word| key[word] & choice.forbids[word] != 0) {
                        continue;
                    }
                    steps += 1;
                    let mut next = *key;
                    (0..K).for_each(|word| next[word] |= choice.sets[word]);
                    if let Some(to) = rules.leave(layer, &mut next) {
                        let hash = hash(&next);
                        let list = &mut self.steps[shard_of(hash, shards)];
                        // Tables need only the lower half of the hash. The upper half has already selected
                        // the shard.
                        list.push((to as u64) << 32 | hash & 0xffff_ffff);
                        list.extend(next);
                        match number {
                            // Nearly all numbers of ways fit in one word. Handling these numbers separately
                            // avoids a call.
                            [number] => list.push(*number),
                            number => list.extend_from_slice(number),
                        }
                        written += 1 + K + number.len();
                    }
                }
                self.done.add(options.len(), steps);
            }
            self.place += 1;
        }
    }
}

/// A shard: those states whose hashes select it. It has one table of states per layer.
#[derive(Debug)]
pub(super) struct Shard<const K: usize> {
    /// The states reached so far, in one table per layer.
    pub(super) tables: Vec<StateTable<K>>,
    /// Number of ways that lead past the last layer, as little-endian words. This is a number of solutions.
    pub(super) total: Vec<u64>,
    /// Bytes of the tables.
    pub(super) bytes: usize,
    /// Number of bytes by which the tables may still grow.
    pub(super) may_grow: usize,
    /// If a step could not be added: the layer that the step leads to, and the reason. `None` if all steps
    /// were added.
    pub(super) refused: Option<(usize, Refusal)>,
    /// The position at which [`take`](Self::take) resumes: the index of the source table, and the index of a
    /// word in the table's list of steps.
    next: (usize, usize),
    wide: Vec<u64>,
}

impl<const K: usize> Shard<K> {
    /// Creates a shard without states. Each number of ways takes `limbs` words.
    pub(super) fn new(layers: usize, limbs: usize) -> Self {
        Shard {
            tables: vec![StateTable::default(); layers],
            total: vec![0; limbs],
            bytes: 0,
            may_grow: 0,
            refused: None,
            next: (0, 0),
            wide: Vec::new(),
        }
    }

    /// Makes the next call of `take` start with the first step of the first source.
    pub(super) fn begin(&mut self) {
        self.next = (0, 0);
    }

    /// Adds the steps that lead to this shard. Stops at the first step that cannot be added.
    ///
    /// The next call resumes after the last step that was added. `number` is the index of this shard. `limbs`
    /// is the number of words that a number of ways has in the steps.
    pub(super) fn take(&mut self, number: usize, sources: &[SourceTable<K>], limbs: usize, watch: Watch<'_>) {
        let stride = 1 + K + limbs;
        self.refused = None;
        while let Some(source) = sources.get(self.next.0) {
            let list = &source.steps[number];
            while let Some(step) = list.get(self.next.1..self.next.1 + stride) {
                // `next` stays at a step that could not be added. So the next call adds this step, once the
                // table has grown, and no step is added twice.
                if let Err(refused) = self.add(step, watch) {
                    self.refused = Some(refused);
                    return;
                }
                self.next.1 += stride;
            }
            self.next = (self.next.0 + 1, 0);
        }
    }

    #[inline]
    fn add(&mut self, step: &[u64], watch: Watch<'_>) -> Result<(), (usize, Refusal)> {
        let (to, hash) = ((step[0] >> 32) as usize, step[0] as u32);
        let (key, number) = step[1..].split_first_chunk::<K>().expect("a step contains a whole state");
        let number = if number.len() == self.total.len() {
            number
        } else {
            // The numbers of ways in the table have more words now than when this step was written.
            self.wide.clear();
            self.wide.extend_from_slice(number);
            self.wide.resize(self.total.len(), 0);
            &self.wide
        };
        let Some(table) = self.tables.get_mut(to) else {
            return table::add(&mut self.total, number).map_err(|refusal| (to, refusal));
        };
        loop {
            match table.add(key, hash, number) {
                Err(Refusal::Full) if table.bytes_grown(self.total.len()) <= self.may_grow => {
                    let before = table.bytes();
                    // The table stays full if it cannot grow. The reason may be that time is up, or that the
                    // machine has no memory left although the memory limit is not reached.
                    if watch.stop().is_some() || table.grow(self.total.len(), &mut watch.pace()).is_err() {
                        return Err((to, Refusal::Full));
                    }
                    let more = table.bytes() - before;
                    self.bytes += more;
                    self.may_grow -= more;
                }
                added => return added.map_err(|refusal| (to, refusal)),
            }
        }
    }

    /// Changes the table of a layer, and updates the number of bytes.
    fn change<R>(&mut self, layer: usize, change: impl FnOnce(&mut StateTable<K>) -> R) -> R {
        let table = &mut self.tables[layer];
        self.bytes -= table.bytes();
        let result = change(table);
        self.bytes += table.bytes();
        result
    }

    /// Grows the table of `layer`, even if this exceeds the memory limit.
    ///
    /// # Errors
    /// Returns an error if there is no memory or the count must stop.
    pub(super) fn grow(&mut self, layer: usize, pace: &mut LoopWatch<'_>) -> Result<(), Stop> {
        let limbs = self.total.len();
        self.change(layer, |table| table.grow(limbs, pace))
    }

    /// Widens all numbers of ways to `limbs` words.
    ///
    /// # Errors
    /// Returns an error if there is no memory or the count must stop.
    pub(super) fn widen(&mut self, limbs: usize, pace: &mut LoopWatch<'_>) -> Result<(), Stop> {
        self.total.resize(limbs, 0);
        (0..self.tables.len()).try_for_each(|layer| self.change(layer, |table| table.widen(limbs, pace)))
    }

    /// Removes and returns the table of a layer.
    pub(super) fn take_out(&mut self, layer: usize) -> StateTable<K> {
        self.change(layer, std::mem::take)
    }

    /// Removes the states in which at least one of the given bits is set.
    ///
    /// Returns one list of states per layer. The states of a list follow each other without gaps.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the lists or the count must stop.
    pub(super) fn cut(
        &mut self,
        bits: &[u64; K],
        pace: &mut LoopWatch<'_>,
    ) -> Result<Vec<(usize, Vec<u64>)>, Stop> {
        let layers = (0..self.tables.len()).filter(|&layer| self.tables[layer].len() > 0);
        let layers: Vec<usize> = layers.collect();
        let take = |layer| {
            let states = self.change(layer, |table| table.take(bits, pace));
            states.map(|states| (layer, states))
        };
        layers.into_iter().map(take).collect()
    }
}
