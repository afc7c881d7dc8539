//! The search that makes the nodes of a graph.
//!
//! A *rest* is a subproblem that remains after some options were chosen. The search is depth first, and
//! searches each rest only once. An option is *live* if it is compatible with the options chosen so far. Each
//! rest is identified by a set: all entries of its live options. This set determines the live options,
//! because they are the options whose entries are all in the set. So the set of entries is a complete key,
//! and no two nodes have the same rest.

use std::io;

use super::nodes::{Child, Edge, Nodes, PRODUCT};
use crate::budget::{LoopWatch, Watch};
use crate::option_sets::OptionSets;
use quadrille_model::bits::{Bits, bits_of};
use quadrille_model::{Count, EndedBy};

/// The order in which items are branched on. Which order gives the smaller graph depends on the problem.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    /// Branch on the item with the fewest live options, or the first of several such items.
    Fewest,
    /// Branch on the first item that has only one live option. If there is no such item, branch on the first
    /// item of all.
    Given,
}

/// The reason why a search did not make a graph.
#[derive(Debug)]
pub(super) enum Failure {
    /// The graph would have more nodes than allowed.
    Nodes,
    /// The search had to stop.
    Ended(EndedBy),
    /// The temporary file cannot be read or written.
    File(io::Error),
}

impl From<EndedBy> for Failure {
    fn from(reason: EndedBy) -> Self {
        Failure::Ended(reason)
    }
}

impl From<io::Error> for Failure {
    fn from(cause: io::Error) -> Self {
        Failure::File(cause)
    }
}

/// A subproblem that remains after some options were chosen, with its live options.
#[derive(Debug, Default)]
struct Rest {
    entries: Vec<u64>,
    live: Vec<u64>,
}

/// A node whose children are being searched.
#[derive(Debug, Default)]
struct Frame {
    rest: Rest,
    /// The item that is branched on, or [`PRODUCT`] if the node is a product of independent parts.
    item: u32,
    /// The options that remain to be tried, one bit per option.
    untried: Vec<u64>,
    /// The independent parts that remain to be searched. They are searched from the last to the first.
    parts: Vec<Rest>,
    /// The option that leads to the child being searched, or [`PRODUCT`] if the child is a part of a product.
    option: u32,
    /// Index of the node's first edge in the list of the edges of all frames.
    first_edge: usize,
    /// Number of solutions of the children searched so far. This is the sum of their numbers, or the product
    /// if the node is a product.
    count: Count,
}

impl Frame {
    /// Adds a child's solutions to the count, or multiplies the count by them if the node is a product.
    fn add(&mut self, count: &Count) {
        if self.item == PRODUCT {
            self.count = Count::from(self.count.to_big() * count.to_big());
        } else {
            self.count += count;
        }
    }
}

/// Divisor of the memory limit. The quotient is the minimum size of the records that are moved to the file at
/// once.
///
/// With a smaller minimum, records would be moved too often.
const FREED: usize = 8;

/// Limits of one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// Maximum number of nodes.
    pub nodes: usize,
    /// Maximum number of bytes that the graph may take in memory.
    pub bytes: usize,
}

pub(super) struct Search<'t, 'w> {
    pub(super) nodes: Nodes,
    tables: &'t OptionSets,
    order: Order,
    most: Most,
    pace: LoopWatch<'w>,
    frames: Vec<Frame>,
    /// The remaining subproblem (rest) of the child that is searched next.
    child: Rest,
    /// The edges found so far, for all nodes whose children are being searched.
    edges: Vec<Edge>,
    /// Work space for a node that is read from the file.
    buffer: Vec<u64>,
}

impl<'t, 'w> Search<'t, 'w> {
    /// Creates a search, without starting it. `nodes` must be empty.
    pub(super) fn new(
        tables: &'t OptionSets,
        order: Order,
        most: Most,
        watch: Watch<'w>,
        nodes: Nodes,
    ) -> Self {
        let entries = vec![u64::MAX; tables.entry_words];
        Search {
            nodes,
            tables,
            order,
            most,
            pace: watch.pace(),
            frames: Vec::new(),
            child: Rest { entries, live: tables.all.clone() },
            edges: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Searches the whole problem and returns the root.
    ///
    /// # Errors
    /// Returns an error if there are too many nodes, if the search must stop, or if the temporary file cannot
    /// be used.
    pub(super) fn run(&mut self) -> Result<Child, Failure> {
        if let Some((child, _)) = self.known()? {
            return Ok(child);
        }
        let mut depth = 0;
        self.open(depth)?;
        loop {
            while let Some(option) = self.next(depth)? {
                match self.known()? {
                    Some((child, count)) => self.add_edge(depth, option, child, &count),
                    None => {
                        depth += 1;
                        self.open(depth)?;
                    }
                }
            }
            let child = self.close(depth)?;
            if depth == 0 {
                return Ok(child);
            }
            let count = std::mem::take(&mut self.frames[depth].count);
            depth -= 1;
            self.add_edge(depth, self.frames[depth].option, child, &count);
        }
    }

    fn add_edge(&mut self, depth: usize, option: u32, child: Child, count: &Count) {
        self.edges.push(Edge { option, child });
        self.frames[depth].add(count);
    }

    /// Moves to the next child of a frame. Returns the option that leads to it, or `None` if there are no
    /// more children.
    fn next(&mut self, depth: usize) -> Result<Option<u32>, EndedBy> {
        let (frame, tables) = (&mut self.frames[depth], self.tables);
        if frame.item == PRODUCT {
            let Some(part) = frame.parts.pop() else { return Ok(None) };
            self.child = part;
            return Ok(Some(PRODUCT));
        }
        let Some(option) = first_of(&frame.untried) else { return Ok(None) };
        frame.untried[option / 64] &= !(1 << (option % 64));
        frame.option = option as u32;
        self.pace.work(tables.option_words * (tables.entries(option).len() + 1) + tables.primary)?;
        self.child.live.clone_from(&frame.rest.live);
        self.child.entries.clone_from(&frame.rest.entries);
        tables.take(option, &mut self.child.live);
        for &entry in tables.entries(option).iter().filter(|&&entry| (entry as usize) < tables.primary) {
            self.child.entries[entry as usize / 64] &= !(1 << (entry % 64));
        }
        Ok(Some(option as u32))
    }

    /// Looks up the current child. First removes its secondary entries that have no live options.
    ///
    /// Returns the child and its number of solutions, or `None` if this child has not been searched.
    fn known(&mut self) -> io::Result<Option<(Child, Count)>> {
        let (Rest { entries, live }, tables) = (&mut self.child, self.tables);
        let mut is_empty = true;
        for (number, word) in entries.iter_mut().enumerate() {
            for bit in Bits(*word) {
                let entry = 64 * number + bit;
                if entry < tables.primary {
                    if tables.pairs(entry, live).all(|options| options == 0) {
                        return Ok(Some((Child::STARVED, Count::ZERO)));
                    }
                    is_empty = false;
                } else if entry >= tables.item_of.len()
                    || tables.with_entry(entry).iter().zip(&*live).all(|(row, live)| row & live == 0)
                {
                    *word &= !(1 << bit);
                }
            }
        }
        if is_empty {
            return Ok(Some((Child::EMPTY, Count::ONE)));
        }
        let Some(child) = self.nodes.find(entries, &mut self.buffer)? else { return Ok(None) };
        Ok(Some((child, self.nodes.count(child, &mut self.buffer)?)))
    }

    /// Starts a frame (the search of a node's children) for the current child.
    fn open(&mut self, depth: usize) -> Result<(), EndedBy> {
        let tables = self.tables;
        self.pace.work(tables.option_words * 64)?;
        if self.frames.len() == depth {
            self.frames.push(Frame::default());
        }
        let frame = &mut self.frames[depth];
        std::mem::swap(&mut frame.rest, &mut self.child);
        frame.first_edge = self.edges.len();
        frame.parts = parts(tables, &frame.rest);
        frame.untried.clear();
        if frame.parts.is_empty() {
            frame.item = choose(tables, &frame.rest, self.order);
            let row = tables.with_entry(frame.item as usize);
            frame.untried.extend(row.iter().zip(&frame.rest.live).map(|(row, live)| row & live));
        } else {
            (frame.item, frame.option) = (PRODUCT, PRODUCT);
        }
        frame.count = if frame.item == PRODUCT { Count::ONE } else { Count::ZERO };
        Ok(())
    }

    /// Makes the node of a frame, whose children must all have been searched.
    fn close(&mut self, depth: usize) -> Result<Child, Failure> {
        let frame = &self.frames[depth];
        if self.nodes.len() == self.most.nodes {
            return Err(Failure::Nodes);
        }
        let edges = &self.edges[frame.first_edge..];
        let child = self.nodes.add(&frame.rest.entries, frame.item, edges, &frame.count)?;
        let of_frame = 8 * (3 * self.tables.option_words + self.tables.entry_words);
        let held = self.nodes.bytes() + of_frame * self.frames.len();
        if held > self.most.bytes && !self.nodes.move_to_file(self.most.bytes / FREED)? {
            return Err(Failure::Ended(EndedBy::Memory));
        }
        self.edges.truncate(frame.first_edge);
        Ok(child)
    }
}

/// Returns the item to branch on.
fn choose(tables: &OptionSets, rest: &Rest, order: Order) -> u32 {
    let options = |item: usize| tables.pairs(item, &rest.live).map(u64::count_ones).sum::<u32>();
    let mut items = bits_of(rest.entries.iter().copied()).take_while(|&item| item < tables.primary);
    let first = items.next().expect("a rest that is not empty has a primary item");
    let mut best = (options(first), first);
    for item in items {
        if best.0 == 1 {
            break;
        }
        let number = options(item);
        if match order {
            Order::Fewest => number < best.0,
            Order::Given => number == 1,
        } {
            best = (number, item);
        }
    }
    best.1 as u32
}

/// Returns the independent parts of a remaining subproblem, or an empty list if it cannot be divided.
///
/// Different parts have no item in common. The part whose first option has the highest number comes first.
fn parts(tables: &OptionSets, rest: &Rest) -> Vec<Rest> {
    let mut left = rest.live.clone();
    let mut parts = Vec::new();
    let mut waiting = Vec::new();
    while let Some(first) = first_of(&left) {
        let mut part = Rest { entries: vec![0; tables.entry_words], live: vec![0; tables.option_words] };
        waiting.push(first);
        left[first / 64] &= !(1 << (first % 64));
        while let Some(option) = waiting.pop() {
            part.live[option / 64] |= 1 << (option % 64);
            for &entry in tables.entries(option) {
                let (word, bit) = (entry as usize / 64, 1 << (entry % 64));
                if part.entries[word] & bit != 0 {
                    continue;
                }
                part.entries[word] |= bit;
                for (number, (row, left)) in
                    tables.with_item_of(entry as usize).iter().zip(&mut left).enumerate()
                {
                    waiting.extend(bits_of([row & *left]).map(|place| 64 * number + place));
                    *left &= !row;
                }
            }
        }
        if parts.is_empty() && left.iter().all(|&word| word == 0) {
            return parts;
        }
        parts.push(part);
    }
    parts.reverse();
    parts
}

/// Returns the first element of a set, or `None` if it is empty.
fn first_of(set: &[u64]) -> Option<usize> {
    bits_of(set.iter().copied()).next()
}
