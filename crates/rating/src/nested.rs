//! Nested chains, found in the grid of a run: the candidates they rest on, and which chains are equal.

use std::collections::HashMap;

use super::Technique;
use super::grid::Grid;
use super::houses::CELLS;
use super::trace::{Nested, Trace};
use quadrille_model::bits::Bits;

/// Cause of a conclusion that comes from a cell. Other causes are the numbers of houses.
pub(super) const IN_CELL: u8 = 27;
/// Marks an assumption, or a candidate that a technique removes, as having no cause.
pub(super) const NO_CAUSE: u8 = 28;

/// A chain that a run found in its grid.
struct Nest {
    /// Key that is equal for chains of the same candidates in the same order.
    key: u32,
    complexity: u32,
    /// The complexity without the chains nested in this one.
    own: u32,
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

    /// Returns the complexity of a chain without the chains nested in it.
    pub(super) fn own_complexity(&self, nest: u32) -> usize {
        self.all[nest as usize].own as usize
    }

    /// Returns the chain in the form that reports use, or `None` if it was not recorded.
    pub(super) fn nested(&self, nest: u32) -> Option<&Nested> {
        self.all.get(nest as usize)?.nested.as_deref()
    }

    /// Adds a chain and returns its number. `trace` has the chain in the form that reports use.
    pub(super) fn add(&mut self, found: &Found, trace: Option<&mut Trace>) -> u32 {
        let Found { technique, complexity, chain, .. } = found;
        let nested = technique
            .zip(trace)
            .map(|(technique, trace)| Box::new(Nested { technique, trace: std::mem::take(trace) }));
        let key = match self.keys.get(chain) {
            Some(&key) => key,
            None => {
                let key = self.keys.len() as u32;
                self.keys.insert(chain.clone(), key);
                key
            }
        };
        let own = chain.iter().filter(|&&candidate| candidate != Found::END).count() as u32;
        self.all.push(Nest { key, complexity: *complexity as u32, own, nested });
        (self.all.len() - 1) as u32
    }
}

/// The candidates that had to fail before a nested chain could be found, in the order in which the chain needs
/// them.
#[derive(Default)]
pub(super) struct Gone(pub Vec<(u8, u8)>);

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

/// A chain found in the grid of a run, in the form that the run stores.
#[derive(Default)]
pub(super) struct Found {
    pub technique: Option<Technique>,
    pub complexity: usize,
    /// The removed candidates, by cell, ascending.
    pub removed: Vec<(u8, u16)>,
    pub rests_on: Gone,
    /// The candidates of the chain with their states. Chains are equal if these lists are.
    pub chain: Vec<u16>,
}

impl Found {
    pub(super) const END: u16 = u16::MAX;

    pub(super) fn push(&mut self, cell: u8, digit: u8, is_on: bool) {
        self.chain.push((u16::from(cell) * 9 + u16::from(digit)) * 2 + u16::from(is_on));
    }
}
