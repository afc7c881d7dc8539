//! Cycles and forcing chains: one assumption, links that need nothing but the candidates.
//!
//! A candidate that holds (on) makes all weakly linked ones fail (off): the others of its cell and of its digit in its
//! houses. One that fails makes a strongly linked one hold: the only other one of its cell, or of its digit in a house.
//! A search from one candidate goes breadth first, and what is reached first is reached for good. It finds
//!
//! * cycles: on, off, on, ..., off, and the candidate again. What both directions see goes.
//! * chains: the candidate on makes itself off, or off makes it on.
//!
//! The source program looks for all of them, with links of one digit, links of cells with two candidates, then all links,
//! and sorts by rating, number of candidates, kind, and order of discovery. Here a search ends where nothing better than
//! the best so far can come; what it finds is the same.

use super::grid::Grid;
use super::hint::Hint;
use super::houses::{BITS, CELLS, CHAIN_ORDER, HOUSES, PEER_LIST, PEERS, bits, cells, ones};
use super::trace::Trace;
use super::{Technique, Tenths};

/// Which links a search uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Those of one digit.
    Digit,
    /// Those of cells with two candidates.
    Cell,
    /// All.
    Both,
}

impl Mode {
    const fn has_digit_strong(self) -> bool {
        !matches!(self, Mode::Cell)
    }

    const fn has_cell_links(self) -> bool {
        !matches!(self, Mode::Digit)
    }

    /// The key by which hints of one rating and length are sorted.
    const fn key(self) -> u8 {
        match self {
            Mode::Digit => 2,
            Mode::Cell => 3,
            Mode::Both => 4,
        }
    }

    /// Technique and least rating of a cycle.
    const fn cycle(self) -> (Technique, f64) {
        match self {
            Mode::Digit => (Technique::XCycle, 6.5),
            Mode::Cell => (Technique::YCycle, 6.5),
            Mode::Both => (Technique::BidirectionalCycle, 7.0),
        }
    }

    /// Technique and least rating of a chain.
    const fn chain(self) -> (Technique, f64) {
        match self {
            Mode::Both => (Technique::ForcingChain, 7.0),
            _ => (Technique::ForcingXChain, 6.6),
        }
    }
}

/// What is added to a rating for a number of candidates, added up as the source program does.
pub(super) fn added(complexity: usize) -> f64 {
    let (mut sum, mut step, mut is_odd) = (0.0, 4, false);
    while complexity > step + 2 {
        sum += 0.1;
        step = if is_odd { step * 4 / 3 } else { step * 3 / 2 };
        is_odd = !is_odd;
    }
    sum
}

/// A rating as it is written.
pub(super) fn tenths(rating: f64) -> Tenths {
    Tenths(((rating + 0.05) * 10.0) as u8)
}

/// How hints are sorted: rating, candidates, kind.
type Key = (f64, usize, u8);

const NONE: u16 = u16::MAX;
/// Candidates of a grid.
const MOST: usize = 729;

/// The links of the candidates for one mode, in the order in which they are followed.
struct Lists {
    /// Where the list of each candidate begins, and that of the next.
    begin: [u16; MOST + 1],
    all: Vec<u16>,
}

impl Lists {
    fn new() -> Self {
        Lists { begin: [0; MOST + 1], all: Vec::new() }
    }

    fn of(&self, candidate: u16) -> &[u16] {
        let candidate = usize::from(candidate);
        &self.all[usize::from(self.begin[candidate])..usize::from(self.begin[candidate + 1])]
    }
}

/// The memory of the searches.
pub(super) struct Chains {
    count: usize,
    cell: [u8; MOST],
    digit: [u8; MOST],
    number: [[u16; 9]; 81],
    /// Those that hold where a candidate fails.
    strong: Lists,
    /// Those that fail where a candidate holds and from which something holds in turn.
    weak: Lists,
    /// The turn in which a candidate was reached, on and off, and from where.
    on_seen: [u32; MOST],
    off_seen: [u32; MOST],
    on_from: [u16; MOST],
    off_from: [u16; MOST],
    turn: u32,
    layers: [Vec<u16>; 2],
    path: Vec<u16>,
    best: Option<Key>,
}

impl Chains {
    pub(super) fn new() -> Self {
        Chains {
            count: 0,
            cell: [0; MOST],
            digit: [0; MOST],
            number: [[NONE; 9]; 81],
            strong: Lists::new(),
            weak: Lists::new(),
            on_seen: [0; MOST],
            off_seen: [0; MOST],
            on_from: [0; MOST],
            off_from: [0; MOST],
            turn: 0,
            layers: [Vec::new(), Vec::new()],
            path: Vec::new(),
            best: None,
        }
    }

    /// Looks for the best cycle or chain.
    pub(super) fn find(&mut self, grid: &Grid, hint: &mut Hint, trace: &mut Trace) -> bool {
        self.best = None;
        self.number_candidates(grid);
        for mode in [Mode::Digit, Mode::Cell, Mode::Both] {
            let least = mode.cycle().1.min(mode.chain().1);
            if self.best.is_some_and(|best| best < (least, 4, mode.key())) {
                continue;
            }
            self.link(grid, mode);
            for source in 0..self.count as u16 {
                if mode == Mode::Cell && ones(grid.candidates[self.cell_of(source)]) > 2 {
                    continue;
                }
                self.search_on(grid, mode, source, hint, trace);
                if mode.has_digit_strong() {
                    self.search_off(grid, mode, source, hint, trace);
                }
            }
        }
        self.best.is_some()
    }

    fn cell_of(&self, candidate: u16) -> usize {
        usize::from(self.cell[usize::from(candidate)])
    }

    fn digit_of(&self, candidate: u16) -> usize {
        usize::from(self.digit[usize::from(candidate)])
    }

    fn number_candidates(&mut self, grid: &Grid) {
        self.count = 0;
        for cell in 0..81 {
            for digit in bits(grid.candidates[cell]) {
                self.cell[self.count] = cell as u8;
                self.digit[self.count] = digit as u8;
                self.number[cell][digit] = self.count as u16;
                self.count += 1;
            }
        }
    }

    fn link(&mut self, grid: &Grid, mode: Mode) {
        self.strong.all.clear();
        for candidate in 0..self.count {
            self.strong.begin[candidate] = self.strong.all.len() as u16;
            let (cell, digit) = (usize::from(self.cell[candidate]), usize::from(self.digit[candidate]));
            let others = grid.candidates[cell] & !(1 << digit);
            if mode.has_cell_links() && others.is_power_of_two() {
                self.strong.all.push(self.number[cell][others.trailing_zeros() as usize]);
            }
            if mode.has_digit_strong() {
                let first = self.strong.all.len();
                for kind in CHAIN_ORDER {
                    let (house, place) = HOUSES[cell][kind];
                    let others = grid.places[usize::from(house)][digit] & !(1 << place);
                    if others.is_power_of_two() {
                        let other = CELLS[usize::from(house)][others.trailing_zeros() as usize];
                        let number = self.number[usize::from(other)][digit];
                        if !self.strong.all[first..].contains(&number) {
                            self.strong.all.push(number);
                        }
                    }
                }
            }
        }
        self.strong.begin[self.count] = self.strong.all.len() as u16;
        self.weak.all.clear();
        let mut linked = [0u128; 9];
        for candidate in 0..self.count {
            if self.strong.begin[candidate] != self.strong.begin[candidate + 1] {
                linked[usize::from(self.digit[candidate])] |= BITS[usize::from(self.cell[candidate])];
            }
        }
        for candidate in 0..self.count {
            self.weak.begin[candidate] = self.weak.all.len() as u16;
            let (cell, digit) = (usize::from(self.cell[candidate]), usize::from(self.digit[candidate]));
            if mode.has_cell_links() {
                for other in bits(grid.candidates[cell] & !(1 << digit)) {
                    if linked[other] & BITS[cell] != 0 {
                        self.weak.all.push(self.number[cell][other]);
                    }
                }
            }
            if linked[digit] & PEERS[cell] != 0 {
                for other in PEER_LIST[cell] {
                    if linked[digit] & BITS[usize::from(other)] != 0 {
                        self.weak.all.push(self.number[usize::from(other)][digit]);
                    }
                }
            }
        }
        self.weak.begin[self.count] = self.weak.all.len() as u16;
    }

    /// True if one of two candidates fails where the other holds.
    fn is_weak(&self, mode: Mode, one: u16, other: u16) -> bool {
        let (cell, other_cell) = (self.cell_of(one), self.cell_of(other));
        if self.digit_of(one) == self.digit_of(other) {
            PEERS[cell] & BITS[other_cell] != 0
        } else {
            mode.has_cell_links() && cell == other_cell
        }
    }

    /// The place of a candidate among those that `from` makes fail: the others of the cell, then its digit in box, row, column.
    fn rank(&self, from: u16, other: u16) -> usize {
        let (cell, other_cell) = (self.cell_of(from), self.cell_of(other));
        if cell == other_cell {
            return self.digit_of(other);
        }
        9 + PEER_LIST[cell].iter().position(|&peer| usize::from(peer) == other_cell).unwrap_or(20)
    }

    /// The most candidates that a hint may have to be better than the best.
    fn limit(&self, rating: f64, key: u8) -> usize {
        let Some(best) = self.best else { return usize::MAX };
        let mut limit = 2;
        while (rating + added(limit + 2), limit + 2, key) < best {
            limit += 2;
        }
        limit
    }

    /// Looks for cycles through a candidate, and for chains from it on to it off.
    fn search_on(&mut self, grid: &Grid, mode: Mode, source: u16, hint: &mut Hint, trace: &mut Trace) {
        let mut cycle_limit = self.limit(mode.cycle().1, mode.key());
        let chain_limit = self.limit(mode.chain().1, mode.key());
        let mut chain_limit = if mode.has_digit_strong() { chain_limit } else { 0 };
        if self.strong.of(source).is_empty() {
            cycle_limit = 0;
        }
        self.turn += 1;
        self.on_seen[usize::from(source)] = self.turn;
        self.on_from[usize::from(source)] = NONE;
        let [mut on, mut off] = std::mem::take(&mut self.layers);
        on.clear();
        on.push(source);
        // A chain is a hint of the source that comes behind its cycles, so it waits until the search is over.
        let mut chain: Option<(usize, u16)> = None;
        let mut complexity = 2;
        while !on.is_empty() && complexity <= cycle_limit.max(chain_limit) {
            off.clear();
            for &candidate in &on {
                if complexity > 2 {
                    if complexity <= chain_limit && self.is_weak(mode, candidate, source) {
                        chain = Some((complexity, candidate));
                        chain_limit = 0;
                    }
                    if complexity <= cycle_limit {
                        self.close(grid, mode, source, candidate, complexity, hint, trace);
                        cycle_limit = cycle_limit.min(self.limit(mode.cycle().1, mode.key()));
                    }
                }
                for at in self.weak.begin[usize::from(candidate)]..self.weak.begin[usize::from(candidate) + 1]
                {
                    let other = self.weak.all[usize::from(at)];
                    if self.off_seen[usize::from(other)] != self.turn {
                        self.off_seen[usize::from(other)] = self.turn;
                        self.off_from[usize::from(other)] = candidate;
                        off.push(other);
                    }
                }
            }
            on.clear();
            for &candidate in &off {
                for at in
                    self.strong.begin[usize::from(candidate)]..self.strong.begin[usize::from(candidate) + 1]
                {
                    let other = self.strong.all[usize::from(at)];
                    if self.on_seen[usize::from(other)] != self.turn {
                        self.on_seen[usize::from(other)] = self.turn;
                        self.on_from[usize::from(other)] = candidate;
                        on.push(other);
                    }
                }
            }
            complexity += 2;
        }
        self.layers = [on, off];
        if let Some((complexity, last)) = chain {
            let (technique, rating) = mode.chain();
            if self.improves((rating + added(complexity), complexity, mode.key())) {
                self.path_to_on(last);
                self.begin(technique, rating, complexity, hint);
                hint.remove(grid, self.cell_of(source), 1 << self.digit_of(source));
                self.write_path(true, Some(source), trace);
            }
        }
    }

    /// Looks for a chain from a candidate off to it on.
    fn search_off(&mut self, grid: &Grid, mode: Mode, source: u16, hint: &mut Hint, trace: &mut Trace) {
        if self.strong.of(source).is_empty() {
            return;
        }
        let (technique, rating) = mode.chain();
        let limit = self.limit(rating, mode.key());
        self.turn += 1;
        self.off_seen[usize::from(source)] = self.turn;
        self.off_from[usize::from(source)] = NONE;
        let [mut on, mut off] = std::mem::take(&mut self.layers);
        off.clear();
        off.push(source);
        let mut complexity = 2;
        let mut last = None;
        while last.is_none() && !off.is_empty() && complexity <= limit {
            on.clear();
            for &candidate in &off {
                for at in
                    self.strong.begin[usize::from(candidate)]..self.strong.begin[usize::from(candidate) + 1]
                {
                    let other = self.strong.all[usize::from(at)];
                    if other == source {
                        last = last.or(Some(candidate));
                    } else if self.on_seen[usize::from(other)] != self.turn {
                        self.on_seen[usize::from(other)] = self.turn;
                        self.on_from[usize::from(other)] = candidate;
                        on.push(other);
                    }
                }
            }
            if last.is_some() {
                break;
            }
            off.clear();
            for &candidate in &on {
                for at in self.weak.begin[usize::from(candidate)]..self.weak.begin[usize::from(candidate) + 1]
                {
                    let other = self.weak.all[usize::from(at)];
                    if self.off_seen[usize::from(other)] != self.turn {
                        self.off_seen[usize::from(other)] = self.turn;
                        self.off_from[usize::from(other)] = candidate;
                        off.push(other);
                    }
                }
            }
            complexity += 2;
        }
        self.layers = [on, off];
        let Some(last) = last else { return };
        if self.improves((rating + added(complexity), complexity, mode.key())) {
            self.path_to_off(last);
            self.begin(technique, rating, complexity, hint);
            let (cell, digit) = (self.cell_of(source), self.digit_of(source));
            hint.remove(grid, cell, !(1 << digit));
            hint.placed = Some((cell as u8, digit as u8));
            self.write_path(false, Some(source), trace);
        }
    }

    /// Makes `key` that of the best hint if it is better.
    fn improves(&mut self, key: Key) -> bool {
        let is_better = self.best.is_none_or(|best| key < best);
        if is_better {
            self.best = Some(key);
        }
        is_better
    }

    fn begin(&self, technique: Technique, rating: f64, complexity: usize, hint: &mut Hint) {
        hint.begin(technique);
        hint.rating = tenths(rating + added(complexity));
        for &candidate in &self.path {
            hint.cells |= 1 << self.cell[usize::from(candidate)];
            hint.digits |= 1 << self.digit[usize::from(candidate)];
        }
    }

    /// Sets the path from the source to a candidate that was reached on, last one first.
    fn path_to_on(&mut self, last: u16) {
        self.path.clear();
        let mut on = last;
        loop {
            self.path.push(on);
            let off = self.on_from[usize::from(on)];
            if off == NONE {
                return;
            }
            self.path.push(off);
            on = self.off_from[usize::from(off)];
            if on == NONE {
                return;
            }
        }
    }

    /// Sets the path from the source to a candidate that was reached off, last one first.
    fn path_to_off(&mut self, last: u16) {
        self.path_to_on(self.off_from[usize::from(last)]);
        self.path.insert(0, last);
    }

    /// Writes the path, first one first, and `end` behind it.
    fn write_path(&self, first_is_on: bool, end: Option<u16>, trace: &mut Trace) {
        trace.clear();
        for (number, &candidate) in self.path.iter().rev().chain(&end).enumerate() {
            let from = (number > 0).then(|| number as u16 - 1);
            let at = usize::from(candidate);
            trace.add(self.cell[at], self.digit[at], first_is_on == (number % 2 == 0), from);
        }
        trace.end_chain();
    }

    /// Looks for cycles that end with `last` on, then one off, then the source again.
    #[allow(clippy::too_many_arguments, reason = "the state of one search")]
    fn close(
        &mut self,
        grid: &Grid,
        mode: Mode,
        source: u16,
        last: u16,
        complexity: usize,
        hint: &mut Hint,
        trace: &mut Trace,
    ) {
        let mut closing = [(0usize, 0u16); 4];
        let mut count = 0;
        for &off in self.strong.of(source) {
            if self.is_weak(mode, last, off) {
                closing[count] = (self.rank(last, off), off);
                count += 1;
            }
        }
        if count == 0 {
            return;
        }
        closing[..count].sort_unstable();
        self.path_to_on(last);
        for &(_, off) in &closing[..count] {
            // What failed on the way is not made to fail again. The path is on, off, ..., on from its end to the source.
            if self.path.iter().skip(1).step_by(2).any(|&before| before == off) {
                continue;
            }
            let mut on_cycle = 1u128 << self.cell_of(off);
            let mut seen = [[0u128; 2]; 9];
            seen[self.digit_of(off)][0] |= PEERS[self.cell_of(off)];
            for (number, &candidate) in self.path.iter().enumerate() {
                let cell = self.cell_of(candidate);
                on_cycle |= 1 << cell;
                seen[self.digit_of(candidate)][1 - number % 2] |= PEERS[cell];
            }
            let is_worth =
                (0..9).any(|digit| seen[digit][0] & seen[digit][1] & grid.boards[digit] & !on_cycle != 0);
            let (technique, rating) = mode.cycle();
            if !is_worth || !self.improves((rating + added(complexity), complexity, mode.key())) {
                continue;
            }
            self.path.insert(0, off);
            self.begin(technique, rating, complexity, hint);
            let goes: [u128; 9] =
                std::array::from_fn(|digit| seen[digit][0] & seen[digit][1] & grid.boards[digit] & !on_cycle);
            for cell in cells(goes.iter().fold(0, |all, board| all | board)) {
                let digits = (0..9).filter(|&digit| goes[digit] >> cell & 1 == 1);
                hint.remove(grid, cell, digits.fold(0, |set, digit| set | 1 << digit));
            }
            self.write_path(true, Some(source), trace);
            return;
        }
    }
}
