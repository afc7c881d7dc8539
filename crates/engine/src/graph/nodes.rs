//! The nodes of a graph, children before parents, in memory and in a temporary file.
//!
//! A node is a record of 64-bit words. New records are in memory. If memory is scarce, all of them are appended to the
//! file, so that two to four words per node remain in memory:
//!
//! ```text
//! record   rest (entries as bits) | item, number of edges | option, child | ... | count
//! starts   where the record of each node begins: first those in the file, then those in memory
//! places   hash table from rests to nodes: 32 bits of the hash, and the number of the node
//! ```

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use num_bigint::BigUint;

use quadrille_model::{Count, EndedBy};

/// The subproblem that an edge leads to: the one that remains after an option was chosen, or one part of a
/// product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Child(pub u32);

impl Child {
    /// The subproblem in which no primary item is left to cover. It has one solution, which contains no
    /// options.
    pub(super) const EMPTY: Child = Child(0);
    /// Represents every subproblem in which some primary item has no option left.
    pub(super) const STARVED: Child = Child(u32::MAX);
    /// Maximum number of nodes. Up to this number, a 32-bit hash can address every position in the hash
    /// table.
    pub(super) const MAX: usize = 3 << 30;
}

/// An edge of the graph. It leads to the subproblem that remains after an option was chosen, or to one part
/// of a product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The option, or [`PRODUCT`] if the edge leads to a part of a product.
    pub option: u32,
    pub child: Child,
}

/// Value of the item and of the options in a node that is a product of independent parts.
pub(super) const PRODUCT: u32 = u32::MAX;

/// A node of the graph. Its fields are read from the record (list of words) that stores the node.
pub(super) struct Node<'a> {
    /// The key of the node's subproblem: the set of all entries of the options that are still live.
    pub rest: &'a [u64],
    /// The item that is branched on, or [`PRODUCT`] if the node is a product of independent parts.
    pub item: u32,
    edges: &'a [u64],
    count: &'a [u64],
}

impl<'a> Node<'a> {
    /// Creates a node from its record. `words` is the number of words in a set of entries.
    fn new(words: usize, record: &'a [u64]) -> Self {
        let (rest, others) = record.split_at(words);
        let (edges, count) = others[1..].split_at(others[0] as u32 as usize);
        Node { rest, item: (others[0] >> 32) as u32, edges, count }
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> + 'a {
        self.edges.iter().map(|&edge| Edge { option: (edge >> 32) as u32, child: Child(edge as u32) })
    }

    /// Returns the number of solutions.
    pub(super) fn count(&self) -> Count {
        match self.count {
            &[count] => Count::from(count),
            words => {
                let halves = words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]);
                Count::from(BigUint::new(halves.collect()))
            }
        }
    }
}

/// Nodes, numbered from 1.
#[derive(Debug)]
pub(super) struct Nodes {
    /// Number of 64-bit words in a set of entries.
    words: usize,
    /// For each node, the first word of its record. The last element is the end of the last record.
    starts: Vec<u64>,
    /// The records that are in memory and not in the file.
    records: Vec<u64>,
    /// Number of 64-bit words in the file.
    in_file: u64,
    file: Option<Mutex<File>>,
    /// Hash table with open addressing. A 0 marks a free position. The number of positions is a power of two.
    places: Vec<u64>,
}

impl Nodes {
    /// Creates an empty set of nodes, which may use `file`. The contents of the file are lost.
    pub(super) fn new(words: usize, file: Option<File>) -> Self {
        let file = file.map(Mutex::new);
        Nodes { words, starts: vec![0], records: Vec::new(), in_file: 0, file, places: vec![0; 64] }
    }

    /// Drops the nodes and returns the file, so that other nodes can use it.
    pub(super) fn into_file(self) -> Option<File> {
        self.file.map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of bytes that the nodes take in memory.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.starts.capacity() + self.records.capacity() + self.places.len())
    }

    /// Returns the numbers of all nodes. Children come before their parents.
    pub(super) fn numbers(&self) -> Range<usize> {
        1..self.len() + 1
    }

    /// Returns a node. If its record is in the file, the function reads the record into `buffer`.
    ///
    /// # Errors
    /// Returns an error if reading the file fails.
    pub(super) fn node<'a>(&'a self, node: usize, buffer: &'a mut Vec<u64>) -> io::Result<Node<'a>> {
        let (start, end) = (self.starts[node - 1], self.starts[node]);
        let (Some(file), true) = (&self.file, start < self.in_file) else {
            let place = |word| (word - self.in_file) as usize;
            return Ok(Node::new(self.words, &self.records[place(start)..place(end)]));
        };
        let mut bytes = vec![0; 8 * (end - start) as usize];
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(8 * start))?;
        file.read_exact(&mut bytes)?;
        buffer.clear();
        buffer.extend(bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)));
        Ok(Node::new(self.words, buffer))
    }

    /// Returns the number of solutions of a child.
    pub(super) fn count(&self, child: Child, buffer: &mut Vec<u64>) -> io::Result<Count> {
        match child {
            Child::EMPTY => Ok(Count::ONE),
            Child::STARVED => Ok(Count::ZERO),
            Child(node) => Ok(self.node(node as usize, buffer)?.count()),
        }
    }

    /// Returns the node whose key is this set of entries, or `None` if there is no such node.
    pub(super) fn find(&self, rest: &[u64], buffer: &mut Vec<u64>) -> io::Result<Option<Child>> {
        let (hash, mask) = (hash(rest), self.places.len() - 1);
        let mut place = hash as usize & mask;
        while self.places[place] != 0 {
            let node = self.places[place] as u32;
            if (self.places[place] >> 32) as u32 == hash && self.node(node as usize, buffer)?.rest == rest {
                return Ok(Some(Child(node)));
            }
            place = (place + 1) & mask;
        }
        Ok(None)
    }

    /// Adds a node. No other node may have the same set of entries.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub(super) fn add(
        &mut self,
        rest: &[u64],
        item: u32,
        edges: &[Edge],
        count: &Count,
    ) -> Result<Child, EndedBy> {
        if self.len() == Child::MAX {
            return Err(EndedBy::Memory);
        }
        if 4 * (self.len() + 1) > 3 * self.places.len() {
            self.grow()?;
        }
        let digits = count.to_u64().map_or_else(|| count.to_big().to_u64_digits(), |count| vec![count]);
        self.records.try_reserve(rest.len() + 1 + edges.len() + digits.len())?;
        self.starts.try_reserve(1)?;
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        self.records.extend_from_slice(rest);
        self.records.push(pair(item, edges.len() as u32));
        self.records.extend(edges.iter().map(|edge| pair(edge.option, edge.child.0)));
        self.records.extend(digits);
        self.starts.push(self.in_file + self.records.len() as u64);
        let node = self.len() as u32;
        insert(&mut self.places, pair(hash(rest), node));
        Ok(Child(node))
    }

    fn grow(&mut self) -> Result<(), EndedBy> {
        let mut places = Vec::new();
        places.try_reserve_exact(2 * self.places.len())?;
        places.resize(2 * self.places.len(), 0);
        self.places.iter().filter(|&&entry| entry != 0).for_each(|&entry| insert(&mut places, entry));
        self.places = places;
        Ok(())
    }

    /// Moves all records to the file and returns true.
    ///
    /// Returns false if there is no file, or if moving the records would free less than `bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if writing to the file fails.
    pub(super) fn move_to_file(&mut self, bytes: usize) -> io::Result<bool> {
        let Some(file) = self.file.as_mut().filter(|_| 8 * self.records.capacity() >= bytes) else {
            return Ok(false);
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(8 * self.in_file))?;
        let mut out = io::BufWriter::new(file);
        self.records.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))?;
        out.flush()?;
        self.in_file += self.records.len() as u64;
        self.records = Vec::new();
        Ok(true)
    }
}

/// Adds an entry at the first free position in the hash table, starting from the position that its hash
/// selects.
fn insert(places: &mut [u64], entry: u64) {
    let mask = places.len() - 1;
    let mut place = (entry >> 32) as usize & mask;
    while places[place] != 0 {
        place = (place + 1) & mask;
    }
    places[place] = entry;
}

fn hash(words: &[u64]) -> u32 {
    let mixed = words.iter().fold(0u64, |hash, word| {
        let product = u128::from(hash.rotate_left(23) ^ word) * u128::from(0x9e37_79b9_7f4a_7c15u64);
        product as u64 ^ (product >> 64) as u64
    });
    (mixed ^ mixed >> 32) as u32
}
