//! Nested chains, found in the grid of a run: the candidates they rest on, and which chains are equal.

use xxhash_rust::xxh3::xxh3_128;

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
pub(super) struct Nest {
    /// Hash of the candidates in their order. With 128 bits, different chains do not get the same hash.
    pub key: u128,
    pub complexity: usize,
    /// The complexity without that of chains nested in it.
    pub own: usize,
    /// The chain in the form of reports, if it was recorded.
    pub nested: Option<Nested>,
}

impl Nest {
    /// Creates the entry of a chain, with its form for reports if `trace` has it.
    pub(super) fn new(found: &Found, trace: Option<&mut Trace>) -> Self {
        let Found { technique, complexity, chain, length, .. } = found;
        let nested =
            technique.zip(trace).map(|(technique, trace)| Nested { technique, trace: std::mem::take(trace) });
        Nest { key: xxh3_128(chain), complexity: *complexity, own: *length, nested }
    }
}

/// Where the chains found in the grid of a run go.
pub(super) struct Receiver<'a, F> {
    /// Work space for the chain to be passed on.
    pub found: &'a mut Found,
    /// Work space for its form in reports; `None` if reports are not wanted.
    pub trace: Option<&'a mut Trace>,
    pub take: F,
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
    /// The candidates of the chain with their states, two bytes each. Chains with the same bytes are equal.
    chain: Vec<u8>,
    /// Number of candidates of the chain.
    length: usize,
}

impl Found {
    /// Starts another chain.
    pub(super) fn begin(&mut self) {
        self.rests_on.clear();
        self.chain.clear();
        self.length = 0;
    }

    pub(super) fn push(&mut self, cell: u8, digit: u8, is_on: bool) {
        let literal = (u16::from(cell) * 9 + u16::from(digit)) * 2 + u16::from(is_on);
        self.chain.extend(literal.to_le_bytes());
        self.length += 1;
    }

    /// Ends a part of the chain.
    pub(super) fn end_part(&mut self) {
        self.chain.extend(u16::MAX.to_le_bytes());
    }
}
