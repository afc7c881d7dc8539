//! Everything that follows from one assumption, and the rules that derive one conclusion from another.

use super::Technique;
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{CELLS, CHAIN_ORDER, HOUSES, NONE, PEER_LIST, PerCandidate, ones};
use super::nested::{Found, IN_CELL, NO_CAUSE, Nest};
use super::trace::Trace;
use quadrille_model::bits::Bits;

/// A conclusion of a run.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub cell: u8,
    pub digit: u8,
    pub is_on: bool,
    /// Cause of a node that is on: the house in which only one place was left for the digit, or [`IN_CELL`].
    pub cause: u8,
    /// Range of the node's parents in [`Run::parents`].
    from: (u32, u32),
    /// Number of the node's ancestors, including the node itself, or 0 if it is not yet computed.
    ancestors: u16,
    /// True if the node or one of its ancestors depends on a nested chain.
    pub has_nested: bool,
    /// Index into [`Run::nests`] of the nested chain that removed the candidate, or [`NO_NEST`] if there is
    /// none.
    pub nest: u32,
}

const NO_NEST: u32 = u32::MAX;

/// A set of candidates, one bit per candidate.
pub(super) type Candidates = [u64; 12];

impl Node {
    /// Returns the position of the node's candidate in [`Candidates`].
    pub(super) fn bit(&self) -> usize {
        usize::from(self.cell) * 9 + usize::from(self.digit)
    }
}

/// Everything that follows from one assumption.
#[derive(Default)]
pub(super) struct Run {
    pub nodes: Vec<Node>,
    pub parents: Vec<u16>,
    /// The nested chains of this run. They were found after conclusions of the assumption had removed
    /// candidates.
    nests: Vec<Nest>,
    /// For each candidate, the index of its node as off (index 0) and of its node as on (index 1).
    at: [PerCandidate; 2],
    /// Set of the candidates that are off, and set of the candidates that are on.
    sets: [Candidates; 2],
    /// Indices of the nodes that are off, and of the nodes that are on, each in the order in which the run
    /// reached them.
    pub order: [Vec<u16>; 2],
    /// Two nodes of one candidate, its node as on and its node as off, if the assumption leads to this
    /// contradiction.
    pub contradiction: Option<[u16; 2]>,
}

impl Run {
    /// Restarts with an assumption.
    pub(super) fn begin(&mut self, cell: usize, digit: usize, is_on: bool) {
        for node in &self.nodes {
            self.at[usize::from(node.is_on)].0[usize::from(node.cell)][usize::from(node.digit)] = NONE;
        }
        self.nodes.clear();
        self.parents.clear();
        self.nests.clear();
        self.order.iter_mut().for_each(Vec::clear);
        self.sets = [[0; 12]; 2];
        self.contradiction = None;
        let number = self.add((cell, digit, is_on), NO_CAUSE, 0);
        self.reach(number);
    }

    pub(super) fn node(&self, cell: usize, digit: usize, is_on: bool) -> Option<u16> {
        let node = self.at[usize::from(is_on)].0[cell][digit];
        (node != NONE).then_some(node)
    }

    /// Adds a node whose parents are the entries of `parents` from `begin` on.
    ///
    /// The node can be looked up by its candidate only after a call of [`reach`](Self::reach).
    pub(super) fn add(&mut self, candidate: (usize, usize, bool), cause: u8, begin: usize) -> u16 {
        self.add_from(candidate, cause, (begin as u32, self.parents.len() as u32))
    }

    fn add_from(&mut self, candidate: (usize, usize, bool), cause: u8, from: (u32, u32)) -> u16 {
        let parents = &self.parents[from.0 as usize..from.1 as usize];
        let has_nested = parents.iter().any(|&parent| self.nodes[usize::from(parent)].has_nested);
        self.push(candidate, cause, from, has_nested)
    }

    #[inline(always)]
    fn push(
        &mut self,
        (cell, digit, is_on): (usize, usize, bool),
        cause: u8,
        from: (u32, u32),
        has_nested: bool,
    ) -> u16 {
        let (cell, digit) = (cell as u8, digit as u8);
        self.nodes.push(Node { cell, digit, is_on, cause, from, ancestors: 0, has_nested, nest: NO_NEST });
        (self.nodes.len() - 1) as u16
    }

    /// Makes a node available for lookup by its candidate.
    pub(super) fn reach(&mut self, number: u16) {
        let node = self.nodes[usize::from(number)];
        let is_on = usize::from(node.is_on);
        self.at[is_on].0[usize::from(node.cell)][usize::from(node.digit)] = number;
        self.order[is_on].push(number);
        let bit = node.bit();
        self.sets[is_on][bit / 64] |= 1 << (bit % 64);
    }

    /// Removes from `set` all candidates that the run has not reached in the given state.
    pub(super) fn retain(&self, set: &mut Candidates, is_on: bool) {
        for (word, own) in set.iter_mut().zip(&self.sets[usize::from(is_on)]) {
            *word &= own;
        }
    }

    /// Adds a parent to the node that is created next: the node of a candidate as off, if there is one.
    pub(super) fn push_failed(&mut self, cell: usize, digit: usize) {
        if let Some(node) = self.node(cell, digit, false) {
            self.parents.push(node);
        }
    }

    /// Returns the nested chain that removed the candidate of a node, or `None` if no nested chain did.
    pub(super) fn nest_of(&self, number: u16) -> Option<&Nest> {
        self.nests.get(self.nodes[usize::from(number)].nest as usize)
    }

    pub(super) fn parents_of(&self, number: u16) -> &[u16] {
        let (begin, end) = self.nodes[usize::from(number)].from;
        &self.parents[begin as usize..end as usize]
    }

    /// Returns the number of ancestors of a node, including the node itself.
    pub(super) fn ancestors(&mut self, number: u16, scratch: &mut Scratch) -> usize {
        let known = self.nodes[usize::from(number)].ancestors;
        if known != 0 {
            return usize::from(known);
        }
        let count = match *self.parents_of(number) {
            [] => 1,
            // With a single parent, no ancestor can be reached in two ways and counted twice.
            [parent] => 1 + self.ancestors(parent, scratch),
            _ => {
                scratch.collect(self, number);
                scratch.found.len()
            }
        };
        self.nodes[usize::from(number)].ancestors = count as u16;
        count
    }

    /// Adds the candidates that fail because a node holds.
    ///
    /// Returns true on a contradiction, which means that one of these candidates already holds in the run.
    pub(super) fn fail(&mut self, grid: &Grid, number: u16, has_cell_links: bool) -> bool {
        let Node { cell, digit, .. } = self.nodes[usize::from(number)];
        let (cell, digit) = (usize::from(cell), usize::from(digit));
        if has_cell_links {
            for other in Bits(grid.candidates[cell] & !(1 << digit)) {
                if self.fail_one(number, cell, other) {
                    return true;
                }
            }
        }
        let board = grid.boards[digit];
        let mut fail = |peer: u8| board >> peer & 1 == 1 && self.fail_one(number, usize::from(peer), digit);
        PEER_LIST[cell].into_iter().any(&mut fail)
    }

    #[inline(always)]
    fn fail_one(&mut self, number: u16, cell: usize, digit: usize) -> bool {
        let holds = self.node(cell, digit, true);
        if holds.is_none() && self.node(cell, digit, false).is_some() {
            return false;
        }
        let begin = self.parents.len() as u32;
        self.parents.push(number);
        let has_nested = self.nodes[usize::from(number)].has_nested;
        let new = self.push((cell, digit, false), NO_CAUSE, (begin, begin + 1), has_nested);
        match holds {
            Some(holds) => self.contradiction = Some([holds, new]),
            None => self.reach(new),
        }
        holds.is_some()
    }

    /// Adds the candidates that hold because a node fails.
    ///
    /// Returns true on a contradiction, which means that one of these candidates already fails in the run.
    pub(super) fn hold(&mut self, grid: &Grid, source: &Grid, number: u16, has_cell_links: bool) -> bool {
        let Node { cell, digit, .. } = self.nodes[usize::from(number)];
        let (cell, digit) = (usize::from(cell), usize::from(digit));
        // All new candidates are collected before the first one is added, because they must depend only on
        // earlier failures.
        let mut new = [(0usize, 0usize, 0u8, (0u32, 0u32)); 4];
        let mut count = 0;
        if has_cell_links && ones(grid.candidates[cell]) == 2 {
            let other = (grid.candidates[cell] & !(1 << digit)).trailing_zeros() as usize;
            let begin = self.parents.len();
            self.parents.push(number);
            for gone in Bits(source.candidates[cell] & !grid.candidates[cell]) {
                self.push_failed(cell, gone);
            }
            new[count] = (cell, other, IN_CELL, (begin as u32, self.parents.len() as u32));
            count += 1;
        }
        for kind in CHAIN_ORDER {
            let (house, place) = HOUSES[cell][kind];
            let places = grid.places[usize::from(house)][digit];
            if ones(places) != 2 {
                continue;
            }
            let cells = &CELLS[usize::from(house)];
            let other = (places & !(1 << place)).trailing_zeros() as usize;
            let to = usize::from(cells[other]);
            if new[..count].iter().any(|&(cell, value, ..)| (cell, value) == (to, digit)) {
                continue;
            }
            let begin = self.parents.len();
            self.parents.push(number);
            for gone in Bits(source.places[usize::from(house)][digit] & !places) {
                self.push_failed(usize::from(cells[gone]), digit);
            }
            new[count] = (to, digit, house, (begin as u32, self.parents.len() as u32));
            count += 1;
        }
        for &(to, value, cause, from) in &new[..count] {
            let fails = self.node(to, value, false);
            if fails.is_none() && self.node(to, value, true).is_some() {
                continue;
            }
            let new = self.add_from((to, value, true), cause, from);
            match fails {
                Some(fails) => {
                    self.contradiction = Some([new, fails]);
                    return true;
                }
                None => self.reach(new),
            }
        }
        false
    }

    /// Adds each candidate that a technique removes as a failed candidate. Its parents are the candidates
    /// that had to fail before the technique could be used.
    ///
    /// Returns false and adds nothing if no candidate had to fail. The hint then does not depend on the run.
    pub(super) fn add_removed(&mut self, grid: &Grid, source: &Grid, hint: &Hint) -> bool {
        use Technique::*;
        let begin = self.parents.len();
        match hint.technique {
            NakedPair => {
                for cell in Bits(hint.cells) {
                    for digit in Bits(source.candidates[cell] & !hint.digits) {
                        self.push_failed(cell, digit);
                    }
                }
            }
            HiddenPair => {
                let house = usize::from(hint.houses[0]);
                for cell in CELLS[house].map(usize::from) {
                    if hint.cells >> cell & 1 == 0 {
                        for digit in Bits(source.candidates[cell] & hint.digits) {
                            self.push_failed(cell, digit);
                        }
                    }
                }
            }
            _ => {
                let digit = hint.digits.trailing_zeros() as usize;
                let covers = || hint.houses.iter().skip(1).step_by(2);
                for &house in hint.houses.iter().step_by(2) {
                    for cell in CELLS[usize::from(house)].map(usize::from) {
                        let is_covered =
                            covers().any(|&cover| HOUSES[cell].iter().any(|&(house, _)| house == cover));
                        if source.has(cell, digit) && !grid.has(cell, digit) && !is_covered {
                            self.push_failed(cell, digit);
                        }
                    }
                }
            }
        }
        let end = self.parents.len();
        if begin == end {
            return false;
        }
        // Sudoku Explainer has no fixed order here. This program sorts by cell.
        let mut removed = hint.removed.clone();
        removed.sort_unstable();
        self.remove_all(&removed, (begin, end), None);
        true
    }

    /// Adds the candidates that a nested chain removes, as failed. Their parents are the candidates on which
    /// the chain depends.
    pub(super) fn add_nested(&mut self, found: &Found, trace: Option<&mut Trace>) {
        let begin = self.parents.len();
        for &(cell, digit) in &found.rests_on.0 {
            self.push_failed(usize::from(cell), usize::from(digit));
        }
        let end = self.parents.len();
        let is_new = |&(cell, digits): &(u8, u16)| {
            Bits(digits).any(|digit| self.node(usize::from(cell), digit, false).is_none())
        };
        if found.removed.iter().any(is_new) {
            let nest = self.nests.len() as u32;
            self.nests.push(Nest::new(found, trace));
            self.remove_all(&found.removed, (begin, end), Some(nest));
        }
    }

    /// Adds a node for each removed candidate that has no node yet. The parents of each node are those in the
    /// range from `begin` to `end`.
    fn remove_all(&mut self, removed: &[(u8, u16)], (begin, end): (usize, usize), nest: Option<u32>) {
        for &(cell, digits) in removed {
            for digit in Bits(digits) {
                let cell = usize::from(cell);
                if self.node(cell, digit, false).is_none() {
                    let begin_here = self.parents.len();
                    self.parents.extend_from_within(begin..end);
                    let number = self.add((cell, digit, false), NO_CAUSE, begin_here);
                    if let Some(nest) = nest {
                        let node = &mut self.nodes[usize::from(number)];
                        (node.nest, node.has_nested) = (nest, true);
                    }
                    self.reach(number);
                }
            }
        }
    }
}

/// Scratch space for a set of nodes (conclusions) that follow from one assumption.
#[derive(Default)]
pub(super) struct Scratch {
    seen: Vec<u32>,
    turn: u32,
    /// The nodes, breadth first.
    pub found: Vec<u16>,
    /// Keys of the different nested chains of a hint.
    keys: Vec<u128>,
}

impl Scratch {
    /// Collects a node and all its ancestors, breadth first.
    pub(super) fn collect(&mut self, run: &Run, number: u16) {
        self.turn += 1;
        self.seen.resize(self.seen.len().max(run.nodes.len()), 0);
        self.found.clear();
        self.found.push(number);
        self.seen[usize::from(number)] = self.turn;
        let mut at = 0;
        while let Some(&number) = self.found.get(at) {
            at += 1;
            for &parent in run.parents_of(number) {
                if self.seen[usize::from(parent)] != self.turn {
                    self.seen[usize::from(parent)] = self.turn;
                    self.found.push(parent);
                }
            }
        }
    }

    /// Returns the number of candidates in the given chains and in the chains nested in them.
    ///
    /// `chains` has, for each chain, the index of its run in `runs` and its last node. Equal nested chains
    /// count once. Counting stops when the number exceeds `limit`.
    pub(super) fn complexity(&mut self, runs: &mut [Run], chains: &[(u16, u16)], limit: usize) -> usize {
        let mut sum = 0;
        for &(run, node) in chains {
            sum += runs[usize::from(run)].ancestors(node, self);
            if sum > limit {
                return sum;
            }
        }
        self.keys.clear();
        for &(run, node) in chains {
            let run = &runs[usize::from(run)];
            if !run.nodes[usize::from(node)].has_nested {
                continue;
            }
            self.collect(run, node);
            sum += self.add_nested(run, |nest| nest.complexity);
            if sum > limit {
                return sum;
            }
        }
        sum
    }

    /// Returns a lower bound on the number of candidates in a chain that contains a node.
    ///
    /// Counts the candidates of nested chains, but not of the chains nested in nested chains. If two nested
    /// chains are equal, the chains nested in them can still have different lengths.
    pub(super) fn least_complexity(&mut self, run: &Run, number: u16) -> usize {
        self.collect(run, number);
        self.keys.clear();
        self.found.len() + self.add_nested(run, |nest| nest.own)
    }

    /// Returns the total complexity of the nested chains at the collected nodes.
    ///
    /// Skips chains whose key is already in `keys`, and adds the keys of the other chains.
    fn add_nested(&mut self, run: &Run, complexity: impl Fn(&Nest) -> usize) -> usize {
        let mut sum = 0;
        for nest in self.found.iter().filter_map(|&number| run.nest_of(number)) {
            if !self.keys.contains(&nest.key) {
                self.keys.push(nest.key);
                sum += complexity(nest);
            }
        }
        sum
    }
}
