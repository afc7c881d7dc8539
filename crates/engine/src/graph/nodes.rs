//! The nodes of a graph, children before parents.

use std::ops::Range;

use crate::budget::LoopWatch;
use quadrille_model::{Count, EndedBy};

/// A rest of the problem, as the choice of an option or the part of a product leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Child(pub u32);

impl Child {
    /// The rest without primary items, which has one solution: no option.
    pub(super) const EMPTY: Child = Child(0);
    /// A rest in which some primary item has no option left.
    pub(super) const STARVED: Child = Child(u32::MAX);
    /// Maximum number of nodes.
    pub(super) const MAX: usize = u32::MAX as usize - 1;
}

/// An option with the rest to which it leads, or a part of a product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The option; [`PRODUCT`] for a part.
    pub option: u32,
    pub child: Child,
}

/// Takes the place of the item and the options of a node that is a product of independent parts.
pub(super) const PRODUCT: u32 = u32::MAX;

/// Nodes, numbered from 1, each with its rest, its item, its edges and its number of solutions.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// Number of words of a rest.
    words: usize,
    /// The rests: sets of entries.
    rests: Vec<u64>,
    /// For each node the item that is branched on, or [`PRODUCT`].
    items: Vec<u32>,
    counts: Vec<Count>,
    /// For each node the end of its edges.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    /// Hash table with open addressing: numbers of nodes, 0 for a free place. The number of places is a power of two.
    places: Vec<u32>,
    /// Bytes of counts that do not fit in 64 bits.
    big_bytes: usize,
}

impl Nodes {
    pub(super) fn new(words: usize) -> Self {
        Nodes { words, places: vec![0; 64], ..Nodes::default() }
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        8 * self.rests.capacity()
            + (size_of::<u32>() + size_of::<Count>() + size_of::<usize>()) * self.items.capacity()
            + size_of::<Edge>() * self.edges.capacity()
            + 4 * self.places.len()
            + self.big_bytes
    }

    pub(super) fn rest(&self, node: usize) -> &[u64] {
        &self.rests[(node - 1) * self.words..][..self.words]
    }

    pub(super) fn item(&self, node: usize) -> u32 {
        self.items[node - 1]
    }

    pub(super) fn edges(&self, node: usize) -> &[Edge] {
        let start = if node == 1 { 0 } else { self.ends[node - 2] };
        &self.edges[start..self.ends[node - 1]]
    }

    /// Returns the number of solutions of a rest.
    pub(super) fn count(&self, child: Child) -> &Count {
        match child {
            Child::EMPTY => &Count::ONE,
            Child::STARVED => &Count::ZERO,
            Child(node) => &self.counts[node as usize - 1],
        }
    }

    /// Returns the numbers of all nodes, children before parents.
    pub(super) fn numbers(&self) -> Range<usize> {
        1..self.len() + 1
    }

    /// Returns the node with a rest, or `None` if there is none yet.
    pub(super) fn find(&self, rest: &[u64]) -> Option<Child> {
        let node = self.places[self.place(rest)];
        (node != 0).then_some(Child(node))
    }

    /// Returns the place of a rest in the table, or the free place for it.
    fn place(&self, rest: &[u64]) -> usize {
        let mask = self.places.len() - 1;
        let mut place = hash(rest) as usize & mask;
        while self.places[place] != 0 && self.rest(self.places[place] as usize) != rest {
            place = (place + 1) & mask;
        }
        place
    }

    /// Adds a node with a rest that no other node has.
    ///
    /// # Errors
    /// Returns an error if there is no memory, or the work must stop.
    pub(super) fn add(
        &mut self,
        rest: &[u64],
        item: u32,
        edges: &[Edge],
        count: Count,
        pace: &mut LoopWatch<'_>,
    ) -> Result<Child, EndedBy> {
        if self.len() == Child::MAX {
            return Err(EndedBy::Memory);
        }
        if 2 * (self.len() + 1) > self.places.len() {
            self.grow(pace)?;
        }
        self.rests.try_reserve(self.words)?;
        self.edges.try_reserve(edges.len())?;
        self.items.try_reserve(1)?;
        self.counts.try_reserve(1)?;
        self.ends.try_reserve(1)?;
        if count.to_u64().is_none() {
            self.big_bytes += 64 + count.to_big().bits() as usize / 8;
        }
        let place = self.place(rest);
        self.rests.extend_from_slice(rest);
        self.edges.extend_from_slice(edges);
        self.items.push(item);
        self.counts.push(count);
        self.ends.push(self.edges.len());
        self.places[place] = self.len() as u32;
        Ok(Child(self.len() as u32))
    }

    fn grow(&mut self, pace: &mut LoopWatch<'_>) -> Result<(), EndedBy> {
        let mut places = Vec::new();
        places.try_reserve_exact(2 * self.places.len())?;
        places.resize(2 * self.places.len(), 0);
        self.places = places;
        for node in self.numbers() {
            pace.work(self.words + 8)?;
            let place = self.place(self.rest(node));
            self.places[place] = node as u32;
        }
        Ok(())
    }
}

fn hash(words: &[u64]) -> u64 {
    let mixed = words.iter().fold(0u64, |hash, word| {
        let product = u128::from(hash.rotate_left(23) ^ word) * u128::from(0x9e37_79b9_7f4a_7c15u64);
        product as u64 ^ (product >> 64) as u64
    });
    mixed ^ mixed >> 32
}
