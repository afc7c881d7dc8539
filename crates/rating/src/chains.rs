//! Cycles and forcing chains. They begin with one assumption and use links that depend only on the
//! candidates.
//!
//! A candidate is on if it holds, which means that the cell has this digit. Otherwise it is off: it fails. A
//! weak link leads from on to off. If a candidate is on, the other candidates of its cell are off, and so is
//! its digit in the other cells of its houses. A strong link leads from off to on. If a candidate is off and
//! only one other candidate is left in its cell, this other candidate is on. The same applies to the only
//! other place of the digit in a house. A search from one candidate is breadth first and keeps the first path
//! to each candidate. It finds:
//!
//! * cycles: on, off, on, ..., off, and the first candidate again. Candidates that both directions exclude are removed.
//! * chains: if a candidate is on, it follows that it is off, or the reverse.
//!
//! Sudoku Explainer finds all cycles and chains. It first uses links of one digit, then links of cells with
//! two candidates, then all links. It sorts the results by rating, number of candidates, kind and order of
//! discovery. This implementation ends a search when no further result can be better than the best result so
//! far. The final result is the same.

use super::grid::Grid;
use super::hint::Hint;
use super::houses::{BITS, BOARDS, CELLS, CHAIN_ORDER, HOUSES, NONE, PEER_LIST, PEERS, PerCandidate};
use super::link_lists::Lists;
use super::shortest_chain::Shortest;
use super::trace::Trace;
use super::{Technique, Tenths};
use quadrille_model::bits::Bits;

mod every;

/// The links that a search uses.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Links within one digit.
    #[default]
    Digit,
    /// All weak links, but strong links only within cells that have two candidates.
    Cell,
    /// All links.
    Both,
}

impl Mode {
    const fn has_digit_strong(self) -> bool {
        !matches!(self, Mode::Cell)
    }

    const fn has_cell_links(self) -> bool {
        !matches!(self, Mode::Digit)
    }

    /// Returns the number that decides between hints of the same rating and length. It is part of their sort
    /// key.
    const fn key(self) -> u8 {
        2 + self as u8
    }

    /// Returns the technique of a cycle.
    const fn cycle(self) -> Technique {
        match self {
            Mode::Digit => Technique::XCycle,
            Mode::Cell => Technique::YCycle,
            Mode::Both => Technique::BidirectionalCycle,
        }
    }

    /// Returns the technique of a chain.
    const fn chain(self) -> Technique {
        match self {
            Mode::Both => Technique::ForcingChain,
            _ => Technique::ForcingXChain,
        }
    }

    /// Returns the sort key of a hint with `complexity` candidates.
    fn key_of(self, technique: Technique, complexity: usize) -> Key {
        (technique.least().to_f64() + added(complexity), complexity, self.key())
    }
}

/// Returns the amount by which `complexity` candidates raise a rating. It is summed in steps, as in Sudoku
/// Explainer.
pub(super) fn added(complexity: usize) -> f64 {
    let (mut sum, mut step, mut is_odd) = (0.0, 4, false);
    while complexity > step + 2 {
        sum += 0.1;
        step = if is_odd { step * 4 / 3 } else { step * 3 / 2 };
        is_odd = !is_odd;
    }
    sum
}

/// The sort key of hints: the rating, the number of candidates, and the key of the links used.
type Key = (f64, usize, u8);

/// The memory of the searches.
#[derive(Default)]
pub(super) struct Chains {
    /// The links that the current search uses.
    mode: Mode,
    /// Cell and digit of each candidate.
    candidates: Vec<(u8, u8)>,
    /// Index of each candidate in `candidates`.
    number: PerCandidate,
    /// For each candidate, the candidates that hold (are on) if it fails (is off).
    strong: Lists,
    /// For each candidate, the candidates that fail (are off) if it holds (is on).
    ///
    /// Candidates whose failure has no further consequence are left out.
    weak: Lists,
    /// For each candidate as off (index 0) and as on (index 1): the last search that reached it, and the
    /// candidate before it on the path of that search. A search is identified by its value of `turn`.
    reached: [Vec<(u32, u16)>; 2],
    turn: u32,
    /// The candidates off (index 0) and on (index 1) that a search continues from.
    layers: [Vec<u16>; 2],
    path: Vec<u16>,
    best: Option<Key>,
    shortest: Shortest,
    /// Buffer for all cycles and chains of a grid.
    all: Vec<every::One>,
}

impl Chains {
    /// Finds the best cycle or chain.
    ///
    /// If `explains` is true, also records the cells, digits and links on which the hint is based.
    pub(super) fn find(&mut self, grid: &Grid, explains: bool, hint: &mut Hint, trace: &mut Trace) -> bool {
        self.best = None;
        self.number_candidates(grid);
        for mode in [Mode::Digit, Mode::Cell, Mode::Both] {
            // No chain of these links has a lower rating than a cycle of the same length.
            if self.best.is_some_and(|best| best < mode.key_of(mode.cycle(), 4)) {
                continue;
            }
            self.link(grid, mode);
            let before = self.best;
            let Some(shortest) = self.shortest_chain() else { continue };
            let least_of_cycles = shortest.0 - 2;
            let chain =
                Some(shortest).filter(|_| mode.has_digit_strong()).and_then(|(complexity, source, is_on)| {
                    let key = mode.key_of(mode.chain(), complexity);
                    before.is_none_or(|best| key < best).then_some((key, source, is_on))
                });
            // A cycle can be longer than the chain and still be better, because the minimum rating of cycles
            // may be lower.
            let limit = self.limit(chain.map(|(key, ..)| (key, false)));
            self.shortest.cover(limit);
            for source in 0..self.candidates.len() as u16 {
                // In the order of discovery, the cycles from a candidate precede its chains. Its chains
                // precede the cycles from the next candidate.
                let other = chain.map(|(key, of, _)| (key, source > of));
                self.cycles(grid, source, (least_of_cycles, other), (&mut *hint, &mut *trace));
            }
            if let Some((key, source, is_on)) = chain
                && self.best == before
            {
                self.best = Some(key);
                self.chain(grid, (source, is_on), key.1, (&mut *hint, explains.then_some(&mut *trace)));
            }
        }
        self.best.is_some()
    }

    /// Finds the shortest chain that matters for the best hint, or returns `None` if no chain matters.
    ///
    /// A chain matters if it can be better than the best hint so far, or if a cycle with two candidates fewer
    /// than the chain can be better. Returns three values: the number of candidates in the chain, its first
    /// candidate, and true if this candidate is assumed on. Among several chains of this length, the lowest
    /// first candidate wins. For the same first candidate, on comes before off.
    ///
    /// If no chain matters, no cycle removes anything. The proof: let `x` be a candidate that a cycle
    /// removes. Then `x` sees two candidates of the cycle, `a` that is on and `b` that is off. If `x` were
    /// on, `a` would be off. Following the cycle backwards from `a`, `b` would be on, so `x` would be off.
    /// This is a chain from `x`, and it has at most two candidates more than the cycle.
    fn shortest_chain(&mut self) -> Option<(usize, u16, bool)> {
        let limit = self.limit(None).saturating_add(2);
        self.shortest.begin(self.candidates.len(), &self.weak, &self.strong, self.mode.has_digit_strong());
        self.shortest.find(limit)
    }

    fn cell_of(&self, candidate: u16) -> usize {
        usize::from(self.candidates[usize::from(candidate)].0)
    }

    fn digit_of(&self, candidate: u16) -> usize {
        usize::from(self.candidates[usize::from(candidate)].1)
    }

    /// Numbers the candidates by cell, then by digit. Searches start in this order.
    fn number_candidates(&mut self, grid: &Grid) {
        self.candidates.clear();
        for (cell, &candidates) in grid.candidates.iter().enumerate() {
            for digit in Bits(candidates) {
                self.number.0[cell][digit] = self.candidates.len() as u16;
                self.candidates.push((cell as u8, digit as u8));
            }
        }
        let count = self.candidates.len();
        self.reached.iter_mut().for_each(|reached| reached.resize(count.max(reached.len()), (0, NONE)));
    }

    fn link(&mut self, grid: &Grid, mode: Mode) {
        self.mode = mode;
        self.strong.clear();
        // For each digit, the cells in which the candidate of the digit has a strong link.
        let mut linked = [0u128; 9];
        for &(cell, digit) in &self.candidates {
            let (cell, digit) = (usize::from(cell), usize::from(digit));
            let others = grid.candidates[cell] & !(1 << digit);
            if mode.has_cell_links() && others.is_power_of_two() {
                self.strong.push(self.number.0[cell][others.trailing_zeros() as usize]);
            }
            if mode.has_digit_strong() {
                for kind in CHAIN_ORDER {
                    let (house, place) = HOUSES[cell][kind];
                    let others = grid.places[usize::from(house)][digit] & !(1 << place);
                    if others.is_power_of_two() {
                        let other = CELLS[usize::from(house)][others.trailing_zeros() as usize];
                        let number = self.number.0[usize::from(other)][digit];
                        if !self.strong.open().contains(&number) {
                            self.strong.push(number);
                        }
                    }
                }
            }
            if !self.strong.open().is_empty() {
                linked[digit] |= BITS[cell];
            }
            self.strong.end_list();
        }
        // Each list begins with the other candidates of the cell. The candidates of the same digit in the
        // box, the row and the column follow.
        self.weak.clear();
        for &(cell, digit) in &self.candidates {
            let (cell, digit) = (usize::from(cell), usize::from(digit));
            if mode.has_cell_links() {
                for other in Bits(grid.candidates[cell] & !(1 << digit)) {
                    if linked[other] & BITS[cell] != 0 {
                        self.weak.push(self.number.0[cell][other]);
                    }
                }
            }
            let mut seen = linked[digit] & PEERS[cell];
            for kind in CHAIN_ORDER {
                // Within a house, the order of the places is the order of the cell numbers.
                let board = BOARDS[usize::from(HOUSES[cell][kind].0)];
                for other in Bits(seen & board) {
                    self.weak.push(self.number.0[other][digit]);
                }
                seen &= !board;
            }
            self.weak.end_list();
        }
    }

    /// Returns true if two candidates are weakly linked: if one holds, the other fails.
    fn is_weak(&self, one: u16, other: u16) -> bool {
        let (cell, other_cell) = (self.cell_of(one), self.cell_of(other));
        if self.digit_of(one) == self.digit_of(other) {
            PEERS[cell] & BITS[other_cell] != 0
        } else {
            self.mode.has_cell_links() && cell == other_cell
        }
    }

    /// Returns the rank of `other` among the candidates that fail if `from` holds.
    ///
    /// The other candidates of the cell of `from` rank first. The candidates of the same digit in the box,
    /// the row and the column follow.
    fn rank(&self, from: u16, other: u16) -> usize {
        let (cell, other_cell) = (self.cell_of(from), self.cell_of(other));
        if cell == other_cell {
            return self.digit_of(other);
        }
        9 + PEER_LIST[cell].iter().position(|&peer| usize::from(peer) == other_cell).unwrap_or(20)
    }

    /// Returns the maximum number of candidates in a hint that beats both the best hint and `other`.
    ///
    /// Hints have the minimum rating of cycles. If the flag of `other` is false, a hint also beats `other` if
    /// both have the same key.
    fn limit(&self, other: Option<(Key, bool)>) -> usize {
        if self.best.is_none() && other.is_none() {
            return usize::MAX;
        }
        let mut limit = 2;
        loop {
            let next = self.mode.key_of(self.mode.cycle(), limit + 2);
            let beats_other =
                other.is_none_or(|(other, must_beat)| next < other || (next == other && !must_beat));
            if !beats_other || self.best.is_some_and(|best| next >= best) {
                return limit;
            }
            limit += 2;
        }
    }

    /// Searches breadth first from a candidate that is assumed on or off.
    ///
    /// Calls `visit` for each candidate reached. The arguments of `visit` are the candidate, true if the
    /// candidate is on, and the number of candidates in a cycle or chain that ends here. The search stops
    /// when that number exceeds the smallest limit that `visit` has returned.
    fn spread(
        &mut self,
        (source, is_on): (u16, bool),
        mut limit: usize,
        mut visit: impl FnMut(&mut Self, u16, bool, usize) -> usize,
    ) {
        self.turn += 1;
        let [mut off, mut on] = std::mem::take(&mut self.layers);
        off.clear();
        on.clear();
        self.reached[usize::from(is_on)][usize::from(source)] = (self.turn, NONE);
        if is_on { &mut on } else { &mut off }.push(source);
        let mut complexity = 2;
        while complexity <= limit && !(on.is_empty() && off.is_empty()) {
            limit = limit.min(self.follow(true, (&mut on, &mut off), complexity, &mut visit));
            limit = limit.min(self.follow(false, (&mut off, &mut on), complexity, &mut visit));
            complexity += 2;
        }
        self.layers = [off, on];
    }

    /// Follows the links of all candidates of one layer to the next layer, and empties the layer.
    ///
    /// Returns the smallest limit that `visit` has returned. Inlined, because each state has its own code then:
    /// without that, ratings take 3 % more instructions.
    #[inline(always)]
    fn follow(
        &mut self,
        is_on: bool,
        (layer, next): (&mut Vec<u16>, &mut Vec<u16>),
        complexity: usize,
        visit: &mut impl FnMut(&mut Self, u16, bool, usize) -> usize,
    ) -> usize {
        let mut limit = usize::MAX;
        for candidate in layer.drain(..) {
            limit = limit.min(visit(self, candidate, is_on, complexity));
            let links = if is_on { &self.weak } else { &self.strong };
            let reached = &mut self.reached[usize::from(!is_on)];
            for &other in links.of(candidate) {
                let entry = &mut reached[usize::from(other)];
                if entry.0 != self.turn {
                    *entry = (self.turn, candidate);
                    next.push(other);
                }
            }
        }
        limit
    }

    /// Finds cycles through the candidate `source` that beat both the best hint so far and `chain`.
    ///
    /// Considers only cycles with at least `least` candidates.
    fn cycles(
        &mut self,
        grid: &Grid,
        source: u16,
        (least, chain): (usize, Option<(Key, bool)>),
        (hint, trace): (&mut Hint, &mut Trace),
    ) {
        let Some(shortest) = self.shortest.cycle_through(source) else { return };
        let limit = self.limit(chain);
        let least = least.max(shortest);
        if limit < least {
            return;
        }
        self.spread((source, true), limit, |this, candidate, is_on, complexity| {
            let is_long = is_on && complexity >= least;
            if is_long && this.close(grid, (source, candidate), complexity, (&mut *hint, &mut *trace)) {
                return this.limit(chain);
            }
            usize::MAX
        });
    }

    /// Makes the hint of a chain from an assumption to its opposite.
    ///
    /// The candidate `source` is assumed on if `is_on` is true, and off otherwise.
    fn chain(
        &mut self,
        grid: &Grid,
        (source, is_on): (u16, bool),
        complexity: usize,
        (hint, trace): (&mut Hint, Option<&mut Trace>),
    ) {
        self.path.clear();
        if trace.is_some() {
            self.find_path(source, is_on, complexity);
        }
        self.begin(self.mode.chain(), complexity, hint);
        let (cell, digit) = (self.cell_of(source), self.digit_of(source));
        if is_on {
            hint.remove(grid, cell, 1 << digit);
        } else {
            hint.remove(grid, cell, !(1 << digit));
            hint.placed = Some((cell as u8, digit as u8));
        }
        if let Some(trace) = trace {
            self.write_path(is_on, source, trace);
        }
    }

    /// Sets `path` to the shortest chain from an assumption to its opposite.
    ///
    /// Returns false if there is no such chain with at most `limit` candidates.
    fn find_path(&mut self, source: u16, is_on: bool, limit: usize) -> bool {
        let mut last = None;
        self.spread((source, is_on), limit, |this, candidate, candidate_is_on, _| {
            let closes = candidate_is_on == is_on
                && if is_on {
                    this.is_weak(candidate, source)
                } else {
                    this.strong.of(candidate).contains(&source)
                };
            if last.is_none() && closes {
                last = Some(candidate);
                return 0;
            }
            usize::MAX
        });
        let Some(last) = last else { return false };
        if is_on {
            self.path_to_on(last)
        } else {
            self.path_to_off(last)
        }
        true
    }

    /// If `key` beats the best key so far, stores it and returns true.
    fn improves(&mut self, key: Key) -> bool {
        let is_better = self.best.is_none_or(|best| key < best);
        if is_better {
            self.best = Some(key);
        }
        is_better
    }

    fn begin(&self, technique: Technique, complexity: usize, hint: &mut Hint) {
        hint.begin(technique);
        hint.rating = Tenths::from_f64(self.mode.key_of(technique, complexity).0);
        for &candidate in &self.path {
            hint.cells |= 1 << self.cell_of(candidate);
            hint.digits |= 1 << self.digit_of(candidate);
        }
    }

    /// Stores the path from the source to a candidate that was reached as on. The path is stored in reverse,
    /// with the source last.
    fn path_to_on(&mut self, last: u16) {
        self.path.clear();
        let mut on = last;
        loop {
            self.path.push(on);
            let off = self.reached[1][usize::from(on)].1;
            if off == NONE {
                return;
            }
            self.path.push(off);
            on = self.reached[0][usize::from(off)].1;
            if on == NONE {
                return;
            }
        }
    }

    /// Stores the path from the source to a candidate that was reached as off. The path is stored in reverse,
    /// with the source last.
    fn path_to_off(&mut self, last: u16) {
        self.path_to_on(self.reached[0][usize::from(last)].1);
        self.path.insert(0, last);
    }

    /// Writes the path, which begins with the source. Then writes the source again.
    fn write_path(&self, first_is_on: bool, source: u16, trace: &mut Trace) {
        trace.clear();
        for (number, &candidate) in self.path.iter().rev().chain([&source]).enumerate() {
            let from = (number > 0).then(|| number as u16 - 1);
            let (cell, digit) = self.candidates[usize::from(candidate)];
            trace.add(cell, digit, first_is_on == (number % 2 == 0), from);
        }
        trace.end_chain();
    }

    /// Tries to close the path to `last` to a cycle. A candidate that is off links `last` to the source.
    ///
    /// Returns true if one of the cycles found is the best hint so far.
    fn close(
        &mut self,
        grid: &Grid,
        (source, last): (u16, u16),
        complexity: usize,
        (hint, trace): (&mut Hint, &mut Trace),
    ) -> bool {
        let (closing, count) = self.closing(source, last);
        if count == 0 {
            return false;
        }
        self.path_to_on(last);
        for &(_, off) in &closing[..count] {
            let removed = self.removed_by_cycle(grid, off);
            if removed.is_empty() || !self.improves(self.mode.key_of(self.mode.cycle(), complexity)) {
                continue;
            }
            self.path.insert(0, off);
            self.begin(self.mode.cycle(), complexity, hint);
            removed.iter().for_each(|&(cell, digits)| hint.remove(grid, cell.into(), digits));
            self.write_path(true, source, trace);
            return true;
        }
        false
    }

    /// Returns the candidates that can close a cycle, each with its rank, and the number of these candidates.
    ///
    /// A candidate closes a cycle if it fails when `last` holds, and if the source holds when the candidate
    /// fails. The candidates are in ascending order of rank.
    fn closing(&self, source: u16, last: u16) -> ([(usize, u16); 4], usize) {
        let mut closing = [(0, 0); 4];
        let mut count = 0;
        for &off in self.strong.of(source) {
            if self.is_weak(last, off) {
                closing[count] = (self.rank(last, off), off);
                count += 1;
            }
        }
        closing[..count].sort_unstable();
        (closing, count)
    }

    /// Returns the candidates that a cycle removes, as cells with sets of digits. The cycle is the path,
    /// closed by `off`.
    ///
    /// Returns no candidates if `off` is already on the path as off, because the links then do not form a
    /// cycle.
    fn removed_by_cycle(&self, grid: &Grid, off: u16) -> Vec<(u8, u16)> {
        // The path is in reverse, from its end to the source: on, off, ..., on.
        if self.path.iter().skip(1).step_by(2).any(|&before| before == off) {
            return Vec::new();
        }
        let mut on_cycle = 1u128 << self.cell_of(off);
        let mut seen = [[0u128; 2]; 9];
        seen[self.digit_of(off)][0] |= PEERS[self.cell_of(off)];
        for (number, &candidate) in self.path.iter().enumerate() {
            let cell = self.cell_of(candidate);
            on_cycle |= 1 << cell;
            seen[self.digit_of(candidate)][1 - number % 2] |= PEERS[cell];
        }
        let goes = seen.map(|[off, on]| off & on & !on_cycle);
        let of_cell = |cell: usize| {
            let digits = Bits(grid.candidates[cell]).filter(|&digit| goes[digit] >> cell & 1 == 1);
            (cell as u8, digits.fold(0, |set, digit| set | 1 << digit))
        };
        let gone = goes.iter().zip(&grid.boards).fold(0, |all, (goes, board)| all | goes & board);
        Bits(gone).map(of_cell).collect()
    }
}
