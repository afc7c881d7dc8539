//! Nested chains. A run has the conclusions of one assumption, and removes candidates from its copy of the
//! grid. A nested chain is found in this copy.
//!
//! This module records the candidates on which a nested chain depends, and compares nested chains.

use xxhash_rust::xxh3::xxh3_128;

use super::Technique;
use super::grid::Grid;
use super::houses::CELLS;
use super::trace::{Nested, Trace};
use quadrille_model::bits::Bits;

/// Cause of a conclusion that follows within a cell. Any other cause is the index of a house.
pub(super) const IN_CELL: u8 = 27;
/// Cause of nodes that follow from neither a cell nor a house: assumptions, and candidates that a technique
/// removes.
pub(super) const NO_CAUSE: u8 = 28;

/// Data that a run stores about a nested chain: a chain found in the grid that the conclusions of an assumption
/// have left.
pub(super) struct Nest {
    /// Hash of the chain's candidates, in their order. With 128 bits, different chains can be expected to
    /// have different hashes.
    pub key: u128,
    pub complexity: usize,
    /// Number of candidates in the chain, without the candidates in chains that are nested in it.
    pub own: usize,
    /// The chain in the form used for reports, or `None` if it was not recorded.
    pub nested: Option<Nested>,
}

impl Nest {
    /// Creates the entry of a nested chain. If `trace` is given, the entry has the chain in the form used for
    /// reports.
    pub(super) fn new(found: &Found, trace: Option<&mut Trace>) -> Self {
        let Found { technique, complexity, chain, length, .. } = found;
        let nested =
            technique.zip(trace).map(|(technique, trace)| Nested { technique, trace: std::mem::take(trace) });
        Nest { key: xxh3_128(chain), complexity: *complexity, own: *length, nested }
    }
}

/// Receiver of the chains that are found in the grid that the conclusions of an assumption have left.
pub(super) struct Receiver<'a, F> {
    /// Scratch space for the chain that the receiver gets next.
    pub found: &'a mut Found,
    /// Scratch space for the chain in the form used for reports, or `None` if reports are not wanted.
    pub trace: Option<&'a mut Trace>,
    pub take: F,
}

/// The candidates that had to fail before a nested chain could be found.
///
/// They are in the order in which the chain needs their failure.
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

    /// Adds the candidates whose failure makes a digit hold in a cell. `cause` is the cell or the house in
    /// which these candidates had to fail.
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

/// A chain found in the grid that the conclusions of an assumption have left, together with everything that
/// is stored about the chain.
#[derive(Default)]
pub(super) struct Found {
    pub technique: Option<Technique>,
    pub complexity: usize,
    /// The candidates that the chain removes, as cells with sets of digits, in ascending order of cells.
    pub removed: Vec<(u8, u16)>,
    pub rests_on: Gone,
    /// The candidates of the chain with their states, two bytes each. Two chains are equal if their bytes are
    /// equal.
    chain: Vec<u8>,
    /// Number of candidates in the chain.
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

    /// Ends a part of the chain. The end is marked, so that chains with equal bytes also have equal parts.
    pub(super) fn end_part(&mut self) {
        self.chain.extend(u16::MAX.to_le_bytes());
    }
}
