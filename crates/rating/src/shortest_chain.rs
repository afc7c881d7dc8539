//! Finds the length of the shortest chain, from all candidates at once and without building chains.
//!
//! A chain from "s on" to "s off" consists of two paths from "s on" to two candidates that are both on and weakly
//! linked; the second path is read backwards. So paths of half the length suffice. The same holds for chains
//! from "s off" to "s on".
//!
//! For each candidate, a bit set has the starts from which it is reached. So a link is followed for all starts in a few
//! operations on words.

use super::link_lists::Lists;
use quadrille_model::bits::bits_of;

/// The starts of a [`Block`], one bit per start.
type Row = [u64; 4];
const STARTS: usize = 256;

fn add(row: &mut Row, other: &Row) {
    for (word, other) in row.iter_mut().zip(other) {
        *word |= other;
    }
}

fn has(row: &Row, bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 == 1
}

/// The starts from which each candidate was reached on and off.
#[derive(Default)]
struct Reached {
    on: Vec<Row>,
    off: Vec<Row>,
}

impl Reached {
    fn clear(&mut self, count: usize) {
        for rows in [&mut self.on, &mut self.off] {
            rows.clear();
            rows.resize(count, [0; 4]);
        }
    }

    /// Follows weak links: a candidate that holds makes linked candidates fail.
    fn fail(&mut self, weak: &[(u16, u16)]) {
        for &(one, other) in weak {
            let (one, other) = (usize::from(one), usize::from(other));
            add(&mut self.off[other], &self.on[one]);
            add(&mut self.off[one], &self.on[other]);
        }
    }

    /// Follows strong links: a candidate that fails makes linked candidates hold. Returns true if anything new is
    /// reached.
    fn hold(&mut self, strong: &[(u16, u16)]) -> bool {
        let mut new = 0;
        for &(one, other) in strong {
            let reached = &self.off[usize::from(one)];
            let on = &mut self.on[usize::from(other)];
            for (on, reached) in on.iter_mut().zip(reached) {
                new |= reached & !*on;
                *on |= reached;
            }
        }
        new != 0
    }

    /// Returns the starts from which some candidate was reached both on and off.
    fn meetings(&self) -> Row {
        let mut met = [0; 4];
        for (on, off) in self.on.iter().zip(&self.off) {
            for ((met, on), off) in met.iter_mut().zip(on).zip(off) {
                *met |= on & off;
            }
        }
        met
    }
}

/// The paths from up to 256 starts, on and off.
#[derive(Default)]
struct Block {
    from_on: Reached,
    from_off: Reached,
    /// The starts from which some candidate was reached both on and off: those assumed on, and those assumed off.
    met: [Row; 2],
}

/// The candidates reached from each candidate.
#[derive(Default)]
pub(super) struct Shortest {
    blocks: Vec<Block>,
    /// Weak links between two candidates, each listed once.
    weak: Vec<(u16, u16)>,
    /// Strong links, each in both directions.
    strong: Vec<(u16, u16)>,
    count: usize,
    /// Length, in candidates, up to which all chains have been searched.
    covered: usize,
    /// Number of times that strong links were followed in the paths from starts on.
    holds: usize,
    /// Number of latest rounds in a row in which nothing new was reached.
    unchanged: u8,
    /// The number of candidates of the shortest cycle through each candidate, if the search has found it.
    cycles: Vec<u16>,
}

impl Shortest {
    /// Restarts with the links of candidates and makes the first step from all starts.
    ///
    /// Starts off are used only if `with_off`.
    pub(super) fn begin(&mut self, count: usize, weak: &Lists, strong: &Lists, with_off: bool) {
        self.count = count;
        (self.covered, self.holds, self.unchanged) = (2, 0, 0);
        self.cycles.clear();
        self.cycles.resize(count, u16::MAX);
        self.weak.clear();
        self.strong.clear();
        for candidate in 0..count as u16 {
            let of = strong.of(candidate);
            self.strong.extend(of.iter().map(|&other| (candidate, other)));
            // Each weak link is taken once. The lists leave out candidates without strong links, so a link is in the
            // lists of both candidates, or only in the list of the one without strong links.
            let links = weak.of(candidate).iter().filter(|&&other| candidate < other || of.is_empty());
            self.weak.extend(links.map(|&other| (candidate, other)));
        }
        self.blocks.resize_with(count.div_ceil(STARTS), Block::default);
        for (number, block) in self.blocks.iter_mut().enumerate() {
            block.from_on.clear(count);
            block.from_off.clear(count);
            for start in 0..STARTS.min(count - number * STARTS) {
                let (candidate, bit) = (number * STARTS + start, 1 << (start % 64));
                block.from_on.on[candidate][start / 64] = bit;
                if with_off {
                    block.from_off.off[candidate][start / 64] = bit;
                }
            }
            block.from_on.fail(&self.weak);
            block.from_off.hold(&self.strong);
        }
    }

    /// Finds the shortest chain of at most `limit` candidates, or returns `None` if there is none.
    ///
    /// Returns the number of candidates of the chain, its first candidate, and true if that candidate is assumed on. Of
    /// several chains of this length, takes the one with the lowest first candidate, on before off.
    pub(super) fn find(&mut self, limit: usize) -> Option<(usize, u16, bool)> {
        while self.covered < limit && self.unchanged < 2 {
            self.round();
            for block in &mut self.blocks {
                block.met = [block.from_on.meetings(), block.from_off.meetings()];
            }
            let first = |met: &Row| bits_of(*met).next();
            for (number, block) in self.blocks.iter().enumerate() {
                let [on, off] = &block.met;
                if let Some(start) = first(&std::array::from_fn(|word| on[word] | off[word])) {
                    return Some((self.covered, (number * STARTS + start) as u16, has(on, start)));
                }
            }
        }
        None
    }

    /// Continues from all starts until nothing new is reached.
    pub(super) fn close(&mut self) {
        while self.unchanged < 2 {
            self.round();
        }
        self.cover(usize::MAX);
        for block in &mut self.blocks {
            block.met = [block.from_on.meetings(), block.from_off.meetings()];
        }
    }

    /// Returns whether a chain found so far starts with the candidate on, and whether one starts with it off.
    pub(super) fn chains_from(&self, candidate: u16) -> [bool; 2] {
        let start = usize::from(candidate);
        self.blocks[start / STARTS].met.map(|met| has(&met, start % STARTS))
    }

    /// Continues from all starts on until [`cycle_through`](Self::cycle_through) finds every cycle of at most
    /// `limit` candidates.
    pub(super) fn cover(&mut self, limit: usize) {
        self.fail_all();
        while 2 * (self.holds + 1) < limit && self.hold_all() {
            self.fail_all();
        }
    }

    fn fail_all(&mut self) {
        for block in &mut self.blocks {
            block.from_on.fail(&self.weak);
        }
        // Found a cycle: the start makes `last` fail, which in turn makes the start hold.
        let complexity = 2 * (self.holds + 1) as u16;
        for &(start, last) in &self.strong {
            let start = usize::from(start);
            let off = &self.blocks[start / STARTS].from_on.off[usize::from(last)];
            if has(off, start % STARTS) {
                self.cycles[start] = self.cycles[start].min(complexity);
            }
        }
    }

    fn hold_all(&mut self) -> bool {
        self.holds += 1;
        // `fold` without a short circuit: all blocks must make the step.
        self.blocks.iter_mut().fold(false, |any, block| block.from_on.hold(&self.strong) | any)
    }

    /// Returns the number of candidates of the shortest cycle through a candidate.
    ///
    /// Returns `None` if none was found so far.
    pub(super) fn cycle_through(&self, candidate: u16) -> Option<usize> {
        let complexity = self.cycles[usize::from(candidate)];
        (complexity != u16::MAX).then_some(complexity.into())
    }

    /// Makes the next step from all starts: chains of two more candidates.
    fn round(&mut self) {
        self.covered += 2;
        // A path from "on" is extended by weak and strong links in turn; a path from "off" starts with a strong link.
        let mut any = false;
        if self.covered.is_multiple_of(4) {
            any |= self.hold_all();
            self.blocks.iter_mut().for_each(|block| block.from_off.fail(&self.weak));
        } else {
            self.fail_all();
            for block in &mut self.blocks {
                any |= block.from_off.hold(&self.strong);
            }
        }
        self.unchanged = if any { 0 } else { self.unchanged + 1 };
    }
}
