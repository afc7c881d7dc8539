//! Continues a run when nothing else follows: with techniques in its grid, and with searches for chains there.
//!
//! A search for chains in the grid of a run is the same code as a search of the ladder ([`Forcing`],
//! [`Chains`]). It gives all its hints instead of the best one.

use std::collections::HashMap;

use super::Technique;
use super::chains::Chains;
use super::fish::{Fish, fish};
use super::forcing::{Forcing, Kind};
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{ALL, CELLS, HOUSES};
use super::locking::locking;
use super::run::{IN_CELL, NO_CAUSE, Run};
use super::subsets::{hidden_sets, naked_sets};
use super::trace::{Nested, Trace};
use quadrille_model::bits::Bits;

/// A source of candidates that fail in the grid of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Producer {
    Locking,
    HiddenPairs,
    NakedPairs,
    XWings,
    /// Cycles and chains of one assumption.
    Unary,
    Forcing(Kind),
}

/// A chain that a run found in its grid.
struct Nest {
    /// Equal for chains of the same candidates in the same order.
    key: u32,
    complexity: u32,
    nested: Option<Box<Nested>>,
}

/// The chains that are nested in the runs of a search.
#[derive(Default)]
pub(super) struct Nests {
    keys: HashMap<Vec<u16>, u32>,
    all: Vec<Nest>,
}

impl Nests {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.all.clear();
    }

    pub(super) fn key(&self, nest: u32) -> u32 {
        self.all[nest as usize].key
    }

    pub(super) fn complexity(&self, nest: u32) -> usize {
        self.all[nest as usize].complexity as usize
    }

    /// Returns the chain as it is told, if it was recorded.
    pub(super) fn told(&self, nest: u32) -> Option<&Nested> {
        self.all.get(nest as usize)?.nested.as_deref()
    }

    fn add(&mut self, chain: &[u16], complexity: usize, nested: Option<Box<Nested>>) -> u32 {
        let key = match self.keys.get(chain) {
            Some(&key) => key,
            None => {
                let key = self.keys.len() as u32;
                self.keys.insert(chain.to_vec(), key);
                key
            }
        };
        self.all.push(Nest { key, complexity: complexity as u32, nested });
        (self.all.len() - 1) as u32
    }
}

/// The candidates that a chain of a run's grid rests on: gone since the run began. In the order in which the chain
/// needs them.
#[derive(Default)]
pub(super) struct Gone(Vec<(u8, u8)>);

impl Gone {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, cell: usize, digit: usize) {
        let candidate = (cell as u8, digit as u8);
        if !self.0.contains(&candidate) {
            self.0.push(candidate);
        }
    }

    /// Adds the candidates that had to fail so that a digit holds in a cell.
    pub(super) fn add_cause(&mut self, source: &Grid, grid: &Grid, (cell, digit): (usize, usize), cause: u8) {
        match cause {
            NO_CAUSE => {}
            IN_CELL => {
                Bits(source.candidates[cell] & !grid.candidates[cell])
                    .for_each(|other| self.add(cell, other));
            }
            house => {
                let house = usize::from(house);
                let places = source.places[house][digit] & !grid.places[house][digit];
                Bits(places).for_each(|place| self.add(usize::from(CELLS[house][place]), digit));
            }
        }
    }
}

/// A chain found in the grid of a run, as the run takes it over.
#[derive(Default)]
pub(super) struct Found {
    pub technique: Option<Technique>,
    pub complexity: usize,
    /// The candidates that it removes, by cell, ascending.
    pub removed: Vec<(u8, u16)>,
    pub rests_on: Gone,
    /// Its candidates with their states, in the order that decides which chains are the same.
    pub chain: Vec<u16>,
}

impl Found {
    pub(super) const END: u16 = u16::MAX;

    pub(super) fn push(&mut self, cell: u8, digit: u8, is_on: bool) {
        self.chain.push((u16::from(cell) * 9 + u16::from(digit)) * 2 + u16::from(is_on));
    }
}

/// The memory for searches in the grids of runs.
struct Inner {
    forcing: Forcing,
    chains: Chains,
    found: Found,
    trace: Trace,
}

/// The memory of one run.
pub(super) struct Work {
    /// The grid without the candidates that failed.
    grid: Grid,
    hint: Hint,
    fish: Vec<Fish>,
    pub nests: Nests,
    /// Made on first use.
    inner: Option<Box<Inner>>,
    /// True if nested chains are recorded as they are told.
    pub explains: bool,
}

impl Work {
    pub(super) fn new() -> Self {
        Work {
            grid: Grid::new(),
            hint: Hint::new(),
            fish: Vec::new(),
            nests: Nests::default(),
            inner: None,
            explains: false,
        }
    }

    /// Finds everything that follows from a candidate on or off.
    pub(super) fn follow(
        &mut self,
        source: &Grid,
        kind: Kind,
        (cell, digit, is_on): (usize, usize, bool),
        run: &mut Run,
    ) {
        run.begin(cell, digit, is_on);
        let has_cell_links = !kind.is_nishio();
        if kind.is_dynamic() {
            self.grid.clone_from(source);
        }
        let (mut next_on, mut next_off) = (0, 0);
        loop {
            let grid = if kind.is_dynamic() { &self.grid } else { source };
            if let Some(&number) = run.order[1].get(next_on) {
                next_on += 1;
                if run.fail(grid, number, has_cell_links) {
                    break;
                }
            } else if let Some(&number) = run.order[0].get(next_off) {
                next_off += 1;
                if run.hold(grid, source, number, has_cell_links) {
                    break;
                }
                if kind.is_dynamic() {
                    let node = run.nodes[usize::from(number)];
                    self.grid.remove(usize::from(node.cell), usize::from(node.digit));
                }
            } else if !kind.producers().iter().any(|&producer| self.advance(source, producer, run)) {
                break;
            }
        }
    }

    /// Adds the candidates that a technique removes in the grid of a run; returns `false` if there are none.
    fn advance(&mut self, source: &Grid, producer: Producer, run: &mut Run) -> bool {
        let Work { grid, hint, fish: all, nests, inner, explains } = self;
        let every_house = (1 << 27) - 1;
        let mut any = false;
        let mut add = |hint: &Hint| {
            any |= add_removed(grid, source, run, hint);
            false
        };
        match producer {
            Producer::Locking => locking(grid, ALL, hint, &mut add),
            Producer::HiddenPairs => hidden_sets(grid, 2, every_house, hint, &mut add),
            Producer::NakedPairs => naked_sets(grid, 2, every_house, hint, &mut add),
            Producer::XWings => fish(grid, 2, ALL, all, hint, &mut add),
            Producer::Unary | Producer::Forcing(_) => {
                let make = || {
                    let (forcing, chains) = (Forcing::new(), Chains::new());
                    Box::new(Inner { forcing, chains, found: Found::default(), trace: Trace::default() })
                };
                let Inner { forcing, chains, found, trace } = &mut **inner.get_or_insert_with(make);
                let mut trace = explains.then_some(trace);
                let mut take = |found: &Found, trace: Option<&mut Trace>| {
                    any = true;
                    add_nested(found, trace, run, nests);
                };
                match producer {
                    Producer::Forcing(kind) => {
                        forcing.every(grid, source, kind, found, &mut trace, &mut take)
                    }
                    _ => chains.every(grid, source, found, &mut trace, &mut take),
                }
                false
            }
        };
        any
    }
}

/// Adds the candidates that a technique removes, as conclusions from the candidates that had to fail first.
///
/// Returns true if some had to fail, that is, if the hint does not exist without the run.
fn add_removed(grid: &Grid, source: &Grid, run: &mut Run, hint: &Hint) -> bool {
    use Technique::*;
    let begin = run.parents.len();
    match hint.technique {
        NakedPair => {
            for cell in Bits(hint.cells) {
                for digit in Bits(source.candidates[cell] & !hint.digits) {
                    run.push_failed(cell, digit);
                }
            }
        }
        HiddenPair => {
            let house = usize::from(hint.houses()[0]);
            for cell in CELLS[house].map(usize::from) {
                if hint.cells >> cell & 1 == 0 {
                    for digit in Bits(source.candidates[cell] & hint.digits) {
                        run.push_failed(cell, digit);
                    }
                }
            }
        }
        _ => {
            let digit = hint.digits.trailing_zeros() as usize;
            let covers = || hint.houses().iter().skip(1).step_by(2);
            for &house in hint.houses().iter().step_by(2) {
                for cell in CELLS[usize::from(house)].map(usize::from) {
                    let is_covered =
                        covers().any(|&cover| HOUSES[cell].iter().any(|&(house, _)| house == cover));
                    if source.has(cell, digit) && !grid.has(cell, digit) && !is_covered {
                        run.push_failed(cell, digit);
                    }
                }
            }
        }
    }
    let end = run.parents.len();
    if begin == end {
        return false;
    }
    let mut removed: [(u8, u16); 81] = [(0, 0); 81];
    let count = hint.removed().len();
    removed[..count].copy_from_slice(hint.removed());
    // Sudoku Explainer has no fixed order here; this program orders by cell.
    removed[..count].sort_unstable();
    remove_all(run, &removed[..count], (begin, end), |_| ());
    true
}

/// Adds the candidates that a nested chain removes, as conclusions from those that it rests on.
fn add_nested(found: &Found, trace: Option<&mut Trace>, run: &mut Run, nests: &mut Nests) {
    let begin = run.parents.len();
    for &(cell, digit) in &found.rests_on.0 {
        run.push_failed(usize::from(cell), usize::from(digit));
    }
    let end = run.parents.len();
    let mut nest = None;
    let told = || {
        let (technique, trace) = (found.technique?, trace?);
        Some(Box::new(Nested { technique, trace: std::mem::take(trace) }))
    };
    let mut told = Some(told);
    remove_all(run, &found.removed, (begin, end), |node| {
        let number = *nest.get_or_insert_with(|| {
            nests.add(&found.chain, found.complexity, told.take().and_then(|told| told()))
        });
        (node.nest, node.has_nested) = (number, true);
    });
}

/// Adds failed candidates that the run has not yet, with the parents in a range; calls `mark` for each.
fn remove_all(
    run: &mut Run,
    removed: &[(u8, u16)],
    (begin, end): (usize, usize),
    mut mark: impl FnMut(&mut super::run::Node),
) {
    for &(cell, digits) in removed {
        for digit in Bits(digits) {
            let cell = usize::from(cell);
            if run.node(cell, digit, false).is_none() {
                let begin_here = run.parents.len();
                run.parents.extend_from_within(begin..end);
                let number = run.add((cell, digit, false), NO_CAUSE, begin_here);
                mark(&mut run.nodes[usize::from(number)]);
                run.reach(number);
            }
        }
    }
}
