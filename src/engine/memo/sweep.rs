//! The way over the layers, within a limit on memory.
//!
//! Layers are done in their order; a state of a layer leads by each option that fits to a state of a later one, and its
//! number of ways is added there. What comes out behind the last layer is the number of solutions.
//!
//! Where tables would need more memory than there is, all states that are not done are cut in two by one of their bits,
//! and one half is set aside until the other has been counted: the number of solutions is a sum over states, so that
//! any cut is right. A bit that is held for long keeps the halves from leading to the same states again soon.
//!
//! ```text
//! tables of layers 7, 8, 9 full     bit = 0 goes on --> sum
//!                                   bit = 1 waits       ... then goes on --> sum
//! ```

use std::time::Instant;

use num_bigint::BigUint;

use super::plan::Plan;
use super::table::{self, Refusal, Table};
use crate::engine::Control;
use crate::model::{Counters, EndedBy, Limits};

/// What a node of a plain search costs, in options that were tried and did not fit.
const NODE: u64 = 64;
/// What a step costs, in the same unit.
const STEP: u64 = 24;
/// A cost that is certain may be so many times one that may be in vain.
const CERTAIN: f64 = 8.0;
/// States between two looks at limits.
const BETWEEN_LOOKS: usize = 1024;
/// A table may always have one in so many of the bytes there are.
const SMALL: usize = 256;
/// A cut is good if the smaller side has one in so many states.
const GOOD_CUT: usize = 8;
/// So many cuts in a row without room for a table: there is no memory.
const MOST_CUTS: usize = 32;

/// What a count has cost and may cost.
#[derive(Debug)]
pub(super) struct Effort<'a> {
    control: &'a Control,
    time_ends: Option<Instant>,
    states_limit: u64,
    work_allowed: u64,
    memory: usize,
    /// States whose options were tried.
    states: u64,
    /// Options tried and steps made, in options.
    work: u64,
    /// Steps that were not the only one of their state.
    guesses: u64,
}

/// How a count ended.
#[derive(Debug)]
pub(super) enum End {
    /// With the number of solutions.
    Counted(BigUint),
    /// Before its end: there are at least so many.
    Early(BigUint, EndedBy),
    /// It does not pay, or states are wider than any that could.
    Declined,
}

/// Why a count must end here.
enum Stop {
    Early(EndedBy),
    Declined,
}

impl<'a> Effort<'a> {
    /// Nothing spent yet; `memory` is what there is where the limits do not say.
    pub(super) fn new(limits: Limits, control: &'a Control, memory: u64) -> Self {
        let memory = limits.memory.unwrap_or(memory);
        Effort {
            control,
            time_ends: limits.time.and_then(|time| Instant::now().checked_add(time)),
            states_limit: limits.nodes.unwrap_or(u64::MAX),
            work_allowed: u64::MAX,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            states: 0,
            work: 0,
            guesses: 0,
        }
    }

    pub(super) fn counters(&self) -> Counters {
        Counters { nodes: self.states, guesses: self.guesses, covers: None, updates: None }
    }

    /// What is left of the limits, for a search of a part.
    pub(super) fn left(&self) -> Limits {
        Limits {
            nodes: (self.states_limit < u64::MAX).then(|| self.states_limit.saturating_sub(self.states)),
            time: self.time_ends.map(|end| end.saturating_duration_since(Instant::now())),
            memory: Some(self.memory as u64),
        }
    }

    /// Adds what a search has cost.
    pub(super) fn spend(&mut self, counters: Option<Counters>) {
        if let Some(counters) = counters {
            self.states += counters.nodes;
            self.guesses += counters.guesses;
        }
    }

    /// Sets what may be spent on a plan before the count declines, in nodes of a search. A plan that can cost no more than
    /// some times that for certain is gone through to its end.
    pub(super) fn allow(&mut self, nodes: u64, plan: &Plan) {
        let allowed = nodes.saturating_mul(NODE);
        let certain = plan.size() <= allowed as f64 * CERTAIN;
        self.work_allowed = if certain { u64::MAX } else { self.work.saturating_add(allowed) };
    }

    /// Lets a count go on to its end.
    pub(super) fn allow_all(&mut self) {
        self.work_allowed = u64::MAX;
    }

    pub(super) fn control(&self) -> &'a Control {
        self.control
    }

    fn look(&self) -> Result<(), Stop> {
        if self.work > self.work_allowed {
            return Err(Stop::Declined);
        }
        if self.states >= self.states_limit {
            return Err(Stop::Early(EndedBy::Nodes));
        }
        if let Some(reason) = self.control.stop() {
            return Err(Stop::Early(reason));
        }
        match self.time_ends {
            Some(end) if Instant::now() >= end => Err(Stop::Early(EndedBy::Time)),
            _ => Ok(()),
        }
    }
}

/// Counts the solutions of a plan's part.
pub(super) fn count(plan: &Plan, effort: &mut Effort<'_>) -> End {
    match plan.words {
        1 => Sweep::<1>::new(plan).count(effort),
        2 => Sweep::<2>::new(plan).count(effort),
        3 => Sweep::<3>::new(plan).count(effort),
        4 => Sweep::<4>::new(plan).count(effort),
        5..=8 => Sweep::<8>::new(plan).count(effort),
        9..=32 => Sweep::<32>::new(plan).count(effort),
        _ => End::Declined,
    }
}

/// An option of a layer.
#[derive(Debug, Clone, Copy)]
struct Choice<const K: usize> {
    forbids: [u64; K],
    sets: [u64; K],
}

/// The end of a layer, see [`Plan`].
#[derive(Debug, Clone, Copy)]
struct Edge<const K: usize> {
    drops: [u64; K],
    needs: [u64; K],
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
    plan: &'p Plan,
    choices: Vec<Choice<K>>,
    /// Per layer what happens behind it.
    edges: Vec<Edge<K>>,
    /// Per layer the states that were met.
    tables: Vec<Table<K>>,
    waiting: Vec<Waiting>,
    /// Words of a number.
    limbs: usize,
    total: Vec<u64>,
    /// Bytes of all tables but the one that is being done, and of what waits.
    bytes: usize,
}

impl<'p, const K: usize> Sweep<'p, K> {
    fn new(plan: &'p Plan) -> Self {
        let wide = |mask: &[u64]| {
            let mut wide = [0; K];
            wide[..mask.len()].copy_from_slice(mask);
            wide
        };
        let pairs = plan.masks.chunks_exact(2 * plan.words);
        let edges = plan.drops.chunks_exact(plan.words).zip(plan.needs.chunks_exact(plan.words));
        Sweep {
            plan,
            choices: pairs
                .map(|pair| Choice { forbids: wide(&pair[..plan.words]), sets: wide(&pair[plan.words..]) })
                .collect(),
            edges: edges.map(|(drops, needs)| Edge { drops: wide(drops), needs: wide(needs) }).collect(),
            tables: vec![Table::default(); plan.layers],
            waiting: Vec::new(),
            limbs: 1,
            total: vec![0],
            bytes: 0,
        }
    }

    fn count(mut self, effort: &mut Effort<'_>) -> End {
        match self.run(effort) {
            Ok(()) => End::Counted(big(&self.total)),
            Err(Stop::Early(reason)) => End::Early(big(&self.total), reason),
            Err(Stop::Declined) => End::Declined,
        }
    }

    fn run(&mut self, effort: &mut Effort<'_>) -> Result<(), Stop> {
        self.wait_for(Waiting { layers: vec![(0, [&[0; K][..], &[1]].concat())], limbs: 1 });
        while let Some(waiting) = self.waiting.pop() {
            self.bytes -= waiting.bytes();
            self.take_up(waiting)?;
            for layer in 0..self.plan.layers {
                if self.tables[layer].len() > 0 {
                    self.pass(layer, effort)?;
                }
            }
        }
        Ok(())
    }

    fn wait_for(&mut self, waiting: Waiting) {
        self.bytes += waiting.bytes();
        self.waiting.push(waiting);
    }

    fn take_up(&mut self, waiting: Waiting) -> Result<(), Stop> {
        let mut number = vec![0; self.limbs];
        for (layer, states) in waiting.layers {
            for state in states.chunks_exact(K + waiting.limbs) {
                let Some((key, limbs)) = state.split_first_chunk::<K>() else { continue };
                number[..waiting.limbs].copy_from_slice(limbs);
                while self.tables[layer].add(key, &number).is_err() {
                    self.grow(layer)?;
                }
            }
        }
        Ok(())
    }

    fn grow(&mut self, layer: usize) -> Result<(), Stop> {
        let table = &mut self.tables[layer];
        self.bytes -= table.bytes();
        table.grow(self.limbs).map_err(|_| Stop::Early(EndedBy::Memory))?;
        self.bytes += table.bytes();
        Ok(())
    }

    /// Does a layer: every state leads to later ones.
    fn pass(&mut self, layer: usize, effort: &mut Effort<'_>) -> Result<(), Stop> {
        let mut source = std::mem::take(&mut self.tables[layer]);
        let options = self.plan.starts[layer]..self.plan.starts[layer + 1];
        for place in 0..source.places() {
            if place % BETWEEN_LOOKS == 0 || effort.work > effort.work_allowed {
                effort.look()?;
            }
            let mut option = options.start;
            let mut steps = 0;
            while let Some((to, refusal)) =
                self.step(layer, &source, place, &mut option, options.end, &mut steps)
            {
                match refusal {
                    Refusal::Overflow => self.widen(&mut source)?,
                    Refusal::Full => self.make_room(layer, to, &mut source, place, effort.memory)?,
                }
            }
            if source.at(place).is_some() {
                effort.states += 1;
                effort.work += options.len() as u64 + steps * STEP;
                effort.guesses += steps.saturating_sub(1);
            }
        }
        self.bytes -= source.bytes();
        Ok(())
    }

    /// Takes the options of one state, from `option` on; the layer that had no room and why, if one had none.
    #[inline]
    fn step(
        &mut self,
        layer: usize,
        source: &Table<K>,
        place: usize,
        option: &mut usize,
        end: usize,
        steps: &mut u64,
    ) -> Option<(usize, Refusal)> {
        let (key, number) = source.at(place)?;
        while *option < end {
            let choice = &self.choices[*option];
            if (0..K).all(|word| key[word] & choice.forbids[word] == 0) {
                *steps += 1;
                let mut next = *key;
                (0..K).for_each(|word| next[word] |= choice.sets[word]);
                if let Some(to) = self.leave(layer, &mut next) {
                    let added = match self.tables.get_mut(to) {
                        Some(table) => table.add(&next, number),
                        None => table::add(&mut self.total, number).map_err(|_| Refusal::Overflow),
                    };
                    if let Err(refusal) = added {
                        return Some((to, refusal));
                    }
                }
            }
            *option += 1;
        }
        None
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
            (0..K).for_each(|word| state[word] &= !edge.drops[word]);
            at += 1;
            let (word, bit) = self.plan.slot[at];
            if state[word as usize] & bit == 0 {
                return Some(at);
            }
        }
    }

    /// Makes all numbers a word wider.
    fn widen(&mut self, source: &mut Table<K>) -> Result<(), Stop> {
        self.limbs += 1;
        self.total.push(0);
        self.bytes -= source.bytes();
        source.widen(self.limbs).map_err(|_| Stop::Early(EndedBy::Memory))?;
        self.bytes += source.bytes();
        for table in &mut self.tables {
            self.bytes -= table.bytes();
            table.widen(self.limbs).map_err(|_| Stop::Early(EndedBy::Memory))?;
            self.bytes += table.bytes();
        }
        Ok(())
    }

    /// Lets a table grow, after cuts if need be.
    fn make_room(
        &mut self,
        layer: usize,
        to: usize,
        source: &mut Table<K>,
        place: usize,
        memory: usize,
    ) -> Result<(), Stop> {
        for _ in 0..MOST_CUTS {
            let grown = self.tables[to].bytes_grown(self.limbs);
            if grown <= memory / SMALL || self.bytes + grown <= memory {
                return self.grow(to);
            }
            if self.bytes_waiting() > memory / 4 * 3 || !self.cut(layer, source, place)? {
                break;
            }
        }
        Err(Stop::Early(EndedBy::Memory))
    }

    fn bytes_waiting(&self) -> usize {
        self.waiting.iter().map(Waiting::bytes).sum()
    }

    /// Sets about half of all states aside, never the one at `place` of the table that is being done, or those before.
    /// Whether there were any.
    fn cut(&mut self, layer: usize, source: &mut Table<K>, place: usize) -> Result<bool, Stop> {
        let Some(bits) = self.good_cut(layer, source, place) else { return Ok(false) };
        let no_memory = |_| Stop::Early(EndedBy::Memory);
        let mut layers = vec![(layer, source.take_behind(place, &bits).map_err(no_memory)?)];
        for (layer, table) in self.tables.iter_mut().enumerate().filter(|(_, table)| table.len() > 0) {
            self.bytes -= table.bytes();
            layers.push((layer, table.take(&bits).map_err(no_memory)?));
            self.bytes += table.bytes();
        }
        self.wait_for(Waiting { layers, limbs: self.limbs });
        Ok(true)
    }

    /// The bit to cut by: held for long, and with states on both sides.
    fn good_cut(&self, layer: usize, source: &Table<K>, place: usize) -> Option<[u64; K]> {
        let behind = (place + 1..source.places()).filter_map(|at| source.at(at));
        let others = self.tables.iter().flat_map(|table| (0..table.places()).filter_map(|at| table.at(at)));
        let mut with = vec![0usize; K * 64];
        let mut all = 0;
        for (key, _) in behind.chain(others) {
            all += 1;
            for (word, &bits) in key.iter().enumerate() {
                let mut left = bits;
                while left != 0 {
                    with[word * 64 + left.trailing_zeros() as usize] += 1;
                    left &= left - 1;
                }
            }
        }
        let smaller = |slot: &u32| with[*slot as usize].min(all - with[*slot as usize]);
        let held = self.plan.held_at(layer);
        let good = held.iter().copied().find(|slot| smaller(slot) * GOOD_CUT >= all);
        let best =
            good.or_else(|| held.iter().copied().max_by_key(smaller)).filter(|slot| smaller(slot) > 0)?;
        let mut bits = [0; K];
        bits[best as usize / 64] = 1 << (best % 64);
        Some(bits)
    }
}

fn big(limbs: &[u64]) -> BigUint {
    BigUint::from_slice(
        &limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect::<Vec<_>>(),
    )
}
