//! Finds the length of the shortest chain. Searches from all candidates at once, and does not build chains.
//!
//! A chain from "s on" to "s off" consists of two paths. Both begin at "s on", and they end at two candidates
//! that are on and weakly linked. The second path is read backwards. So the search only needs paths of half
//! the length. The same applies to chains from "s off" to "s on".
//!
//! A start is a candidate with which chains begin. Each candidate has a bit set of the starts from which it
//! is reached. So a few operations on words follow a link for all starts at once.

use super::link_lists::Lists;
use quadrille_model::bits::bits_of;

/// A set of those candidates in a [`Block`] from which paths start, one bit per start.
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

/// For each candidate, the starts from which it was reached as on, and the starts from which it was reached
/// as off.
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

    /// Follows weak links: if a candidate holds, the linked candidate fails.
    fn fail(&mut self, weak: &[(u16, u16)]) {
        for &(one, other) in weak {
            let (one, other) = (usize::from(one), usize::from(other));
            add(&mut self.off[other], &self.on[one]);
            add(&mut self.off[one], &self.on[other]);
        }
    }

    /// Follows strong links: if a candidate fails, the linked candidate holds.
    ///
    /// Returns true if this step reached a candidate from a start for the first time.
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

    /// Returns the starts from which some candidate was reached both as on and as off.
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

/// The paths from up to 256 starts, which are the first candidates of chains. Each start is assumed on and
/// also assumed off.
#[derive(Default)]
struct Block {
    from_on: Reached,
    from_off: Reached,
    /// Starts from which some candidate was reached both as on and as off.
    ///
    /// The first set is for starts assumed on, and the second set is for starts assumed off.
    met: [Row; 2],
}

/// The search for shortest chains and cycles from all candidates.
#[derive(Default)]
pub(super) struct Shortest {
    blocks: Vec<Block>,
    /// Weak links as pairs of candidates, each listed once.
    weak: Vec<(u16, u16)>,
    /// Strong links as pairs of candidates, each listed in both directions.
    strong: Vec<(u16, u16)>,
    count: usize,
    /// Length, in candidates, up to which the search has covered all chains.
    covered: usize,
    /// Number of times that the paths from starts assumed on have followed strong links.
    holds: usize,
    /// Number of rounds since something new was last reached.
    unchanged: u8,
    /// For each candidate, the number of candidates in the shortest cycle through it that was found so far.
    ///
    /// The value is `u16::MAX` if no cycle was found yet.
    cycles: Vec<u16>,
}

impl Shortest {
    /// Restarts with the links of `count` candidates. Makes the first step from all starts.
    ///
    /// Starts are assumed off only if `with_off` is true. They are always assumed on.
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
            // Uses each weak link once. A link between two candidates with strong links is in both lists. If
            // only one of the two candidates has strong links, the link is only in the list of the other
            // candidate.
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
    /// Returns the number of candidates in the chain, its first candidate, and true if this candidate is
    /// assumed on. If several chains have this length, the chain with the lowest first candidate wins. If
    /// they also have the same first candidate, the chain that assumes it on wins.
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

    /// Continues the search from all starts until nothing new is reached.
    pub(super) fn close(&mut self) {
        while self.unchanged < 2 {
            self.round();
        }
        self.cover(usize::MAX);
        for block in &mut self.blocks {
            block.met = [block.from_on.meetings(), block.from_off.meetings()];
        }
    }

    /// Returns two flags. The first is true if a chain found so far starts with the candidate on. The second
    /// is true if a chain found so far starts with the candidate off.
    pub(super) fn chains_from(&self, candidate: u16) -> [bool; 2] {
        let start = usize::from(candidate);
        self.blocks[start / STARTS].met.map(|met| has(&met, start % STARTS))
    }

    /// Continues from all starts assumed on, to find the cycles of at most `limit` candidates.
    ///
    /// After this, [`cycle_through`](Self::cycle_through) takes every such cycle into account.
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
        // If the start holds, `last` fails. If `last` fails, the start holds. So there is a cycle.
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
        // The fold must not stop at the first block that reaches something new, because every block has to
        // make the step.
        self.blocks.iter_mut().fold(false, |any, block| block.from_on.hold(&self.strong) | any)
    }

    /// Returns the number of candidates in the shortest cycle through a candidate.
    ///
    /// Returns `None` if no cycle has been found so far.
    pub(super) fn cycle_through(&self, candidate: u16) -> Option<usize> {
        let complexity = self.cycles[usize::from(candidate)];
        (complexity != u16::MAX).then_some(complexity.into())
    }

    /// Makes the next step from all starts. This covers chains that are two candidates longer.
    fn round(&mut self) {
        self.covered += 2;
        // Paths from "on" follow weak and strong links in turn. Paths from "off" start with a strong link.
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
