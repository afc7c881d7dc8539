//! Shards: states apart by their hashes, so that threads need not agree about any table.
//!
//! A shard has a table for each layer, of the states that their hashes assign to it. A layer is done in rounds of two
//! loops: one over the [`Source`]s, the layer's own tables, that finds out where states lead and lays these steps out
//! by shard; one over the shards, that adds the steps for each to its tables:
//!
//! ```text
//! source 0 --> | for 0 | for 1 | ... |     for 0 of all sources in their order --> shard 0
//! source 1 --> | for 0 | for 1 | ... |     for 1                               --> shard 1
//! ```
//! Which states there are at which place of which table depends on the number of shards, never on that of threads.
//!
//! A step is `K + 1` words and the number of ways: the layer it leads to and the hash's lower half, then the state.

use std::collections::TryReserveError;

use super::budget::{Effort, WORD};
use super::plan::Plan;
use super::table::{self, Refusal, Table, hash};
use crate::budget::{Pace, Watch};
use crate::counting::Stop;

/// An option of a layer.
#[derive(Debug, Clone, Copy)]
struct OptionMasks<const K: usize> {
    forbids: [u64; K],
    sets: [u64; K],
}

/// The end of a layer, see [`Plan`].
#[derive(Debug, Clone, Copy)]
struct Edge<const K: usize> {
    drops: [u64; K],
    needs: [u64; K],
}

/// A plan with masks of a fixed width.
#[derive(Debug)]
pub(super) struct Rules<'p, const K: usize> {
    pub(super) plan: &'p Plan,
    choices: Vec<OptionMasks<K>>,
    /// Per layer the slots that are given back behind it, and those of them that must be covered.
    edges: Vec<Edge<K>>,
}

impl<'p, const K: usize> Rules<'p, K> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let wide = |mask: &[u64]| {
            let mut wide = [0; K];
            wide[..mask.len()].copy_from_slice(mask);
            wide
        };
        let pairs = plan.masks.chunks_exact(2 * plan.words);
        let edges = plan.drops.chunks_exact(plan.words).zip(plan.needs.chunks_exact(plan.words));
        Rules {
            plan,
            choices: pairs
                .map(|pair| OptionMasks {
                    forbids: wide(&pair[..plan.words]),
                    sets: wide(&pair[plan.words..]),
                })
                .collect(),
            edges: edges.map(|(drops, needs)| Edge { drops: wide(drops), needs: wide(needs) }).collect(),
        }
    }

    /// Takes a state behind a layer and behind those whose items are covered. `None` where an item is left that
    /// nothing can cover any more.
    #[inline]
    fn leave(&self, layer: usize, state: &mut [u64; K]) -> Option<usize> {
        let mut at = layer;
        loop {
            let edge = &self.edges[at];
            if (0..K).any(|word| edge.needs[word] & !state[word] != 0) {
                return None;
            }
            // What no later option depends on is forgotten: states that differ in it alone become one.
            (0..K).for_each(|word| state[word] &= !edge.drops[word]);
            at += 1;
            let (word, bit) = self.plan.slot[at];
            if state[word as usize] & bit == 0 {
                return Some(at);
            }
        }
    }
}

/// A shard's number, out of so many (a power of two).
#[inline]
pub(super) fn shard_of(hash: u64, shards: usize) -> usize {
    (hash >> 32) as usize & (shards - 1)
}

/// A shard's table of the layer that is being done, and where its states lead.
#[derive(Debug)]
pub(super) struct Source<const K: usize> {
    pub(super) table: Table<K>,
    /// The next place.
    pub(super) place: usize,
    /// The work done since it was last asked for.
    pub(super) done: Effort,
    /// Per shard the steps that lead there, in one list.
    steps: Vec<Vec<u64>>,
}

impl<const K: usize> Source<K> {
    pub(super) fn new(shards: usize) -> Self {
        let steps = vec![Vec::new(); shards];
        Source { table: Table::default(), place: 0, done: Effort::default(), steps }
    }

    /// Begins with another table.
    pub(super) fn begin(&mut self, table: Table<K>) {
        self.table = table;
        self.place = 0;
    }

    pub(super) fn is_done(&self) -> bool {
        self.place == self.table.places()
    }

    /// Takes states on until there are no more, its share is done, there are so many words of steps, or time is up.
    pub(super) fn go(
        &mut self,
        rules: &Rules<'_, K>,
        layer: usize,
        share: Effort,
        words: usize,
        watch: Watch<'_>,
    ) {
        let (shards, mut pace) = (self.steps.len(), watch.pace());
        let options = &rules.choices[rules.plan.starts[layer]..rules.plan.starts[layer + 1]];
        let mut written = 0;
        self.steps.iter_mut().for_each(Vec::clear);
        while !self.is_done() {
            if let Some((key, number)) = self.table.at(self.place) {
                // Before a state and never within one, so that the next call goes on at `place`.
                if written >= words || self.done.states >= share.states || self.done.work >= share.work {
                    return;
                }
                // A share is some milliseconds, and those of all shards are more.
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
                        // The upper half has done its work, it chose the shard; tables place by the lower one.
                        list.push((to as u64) << 32 | hash & 0xffff_ffff);
                        list.extend(next);
                        match number {
                            // No call for what nearly all numbers are.
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

/// The states of one shard, by layer.
#[derive(Debug)]
pub(super) struct Shard<const K: usize> {
    /// Per layer the states that were met.
    pub(super) tables: Vec<Table<K>>,
    /// Ways that lead behind the last layer.
    pub(super) total: Vec<u64>,
    /// Bytes of the tables.
    pub(super) bytes: usize,
    /// Bytes by which they may grow.
    pub(super) may_grow: usize,
    /// The layer to which the next step could not be added, and the reason.
    pub(super) refused: Option<(usize, Refusal)>,
    /// The source and the word in its list that come next.
    next: (usize, usize),
    wide: Vec<u64>,
}

impl<const K: usize> Shard<K> {
    /// Without states, for numbers of so many words.
    pub(super) fn new(layers: usize, limbs: usize) -> Self {
        Shard {
            tables: vec![Table::default(); layers],
            total: vec![0; limbs],
            bytes: 0,
            may_grow: 0,
            refused: None,
            next: (0, 0),
            wide: Vec::new(),
        }
    }

    /// Begins with the lists of the sources.
    pub(super) fn begin(&mut self) {
        self.next = (0, 0);
    }

    /// Adds the steps that all sources have for shard `number`, from where it left off, until one is refused. Their
    /// numbers have `limbs` words.
    pub(super) fn take(&mut self, number: usize, sources: &[Source<K>], limbs: usize, watch: Watch<'_>) {
        let stride = 1 + K + limbs;
        self.refused = None;
        while let Some(source) = sources.get(self.next.0) {
            let list = &source.steps[number];
            while let Some(step) = list.get(self.next.1..self.next.1 + stride) {
                // `next` stays at a step that was refused: it is added when the table has grown, and none is added
                // twice.
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
        let (key, number) = step[1..].split_first_chunk::<K>().expect("a step has a whole state");
        let number = if number.len() == self.total.len() {
            number
        } else {
            // Numbers have become wider since it was written.
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
                    // Where there is less memory than allowed it stays as full as it is; so it does when time is up.
                    if watch.stop().is_some() || table.grow(self.total.len()).is_err() {
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

    /// Lets a table grow, whatever it may. `Err` where there is no memory.
    pub(super) fn grow(&mut self, layer: usize) -> Result<(), TryReserveError> {
        let table = &mut self.tables[layer];
        self.bytes -= table.bytes();
        let grown = table.grow(self.total.len());
        self.bytes += table.bytes();
        grown
    }

    /// Makes all numbers a word wider. `Err` where there is no memory.
    pub(super) fn widen(&mut self, limbs: usize) -> Result<(), TryReserveError> {
        self.total.resize(limbs, 0);
        for table in &mut self.tables {
            self.bytes -= table.bytes();
            let widened = table.widen(limbs);
            self.bytes += table.bytes();
            widened?;
        }
        Ok(())
    }

    /// Takes the table of a layer out, to be done.
    pub(super) fn take_out(&mut self, layer: usize) -> Table<K> {
        let table = std::mem::take(&mut self.tables[layer]);
        self.bytes -= table.bytes();
        table
    }

    /// Takes out the states that have one of these bits: per layer one after the other in one list.
    ///
    /// # Errors
    /// No memory for the list, or the reason why the count must end.
    pub(super) fn cut(
        &mut self,
        bits: &[u64; K],
        pace: &mut Pace<'_>,
    ) -> Result<Vec<(usize, Vec<u64>)>, Stop> {
        let mut taken = Vec::new();
        for (layer, table) in self.tables.iter_mut().enumerate().filter(|(_, table)| table.len() > 0) {
            pace.work(WORD * table.words())?;
            self.bytes -= table.bytes();
            let states = table.take(bits);
            self.bytes += table.bytes();
            taken.push((layer, states?));
        }
        Ok(taken)
    }
}
