//! Minimal puzzles that are equally likely among those with the same number of clues.
//!
//! From a uniformly random solved grid all clues are removed in random order, up to the last puzzle with one solution.
//! The puzzle is accepted only if it is minimal; otherwise grid and order are thrown away (D. Berthier, *Unbiased
//! Statistics of a CSP: a Controlled-Bias Generator*, 2009). Of a grid with `N` cells, a minimal puzzle with `n` clues is
//! accepted for those orders that remove its clues last: `1 / C(N, n)` of all, whatever the puzzle. So the weight of an
//! accepted puzzle is `C(N, n)`.
//!
//! The order is drawn from its end: the clues that would be removed last come first. Let `S(n)` be the first `n` of them.
//! The puzzle in question is the first `S(n)` with one solution. Nothing depends on the order of the other clues.
//!
//! ```text
//!   S(n) has a clue in all known unavoidable sets? -- no --> take n + 1
//!     | yes
//!   some clue of S(n) is not alone in any known set? -- yes --> is its digit implied by the others?
//!     | no                                                        | yes: it is not needed in any
//!   does S(n) have one solution? -- yes --> accept                |      larger S either: throw away
//!     | no                                                        | no
//!   another solution shows a new unavoidable set  <---------------+
//! ```
//!
//! A set without a clue in `S(n)` allows two solutions, so no puzzle before `S(n)` has one. Most orders end because a small
//! set gets its first clue too late: for a limit of 40 clues, before any question.

use super::cells::CellSet;
use super::solved_grid::{ClueVerdict, SolvedGrid};
use super::{Request, uniform_9x9, uniform_small};
use crate::queries::QueryHandle;
use quadrille_model::random::Random;
use quadrille_model::{Geometry, unavoidable_sets};

/// Number of removal orders that one attempt tries. A removal order is a random order in which clues are
/// removed.
pub(super) const ORDERS: u64 = 1024;
/// Number of removal orders that are tried on one 9x9 grid before the next grid is drawn.
///
/// Drawing a grid takes as long as about 50 orders. Sharing a grid makes the sample slightly biased, because
/// an attempt ends with the first accepted order. Suppose that one of `k` orders of a grid is accepted. Then
/// this grid appears too rarely in the sample, by the factor `1 - SHARED / 2k`. Since `k` is about 257,000,
/// the error is one part in 8,000. On smaller grids, orders are accepted much more often, and the error would
/// be too large. So each order gets a new grid there.
const SHARED: u64 = 64;
/// Default maximum number of clues of a 9x9 puzzle. No known minimal puzzle has more clues than this.
const MOST_9X9: u32 = 40;

/// Returns the minimum and maximum number of clues of the puzzles that a request samples.
pub fn clue_range(request: &Request) -> (u32, u32) {
    let cells = request.geometry.cells() as u32;
    let most = if request.geometry.is_9x9() { MOST_9X9 } else { cells };
    request.clues.as_ref().map_or((0, most), |clues| (*clues.start(), *clues.end()))
}

/// Returns true if a solved grid of this shape can be drawn with uniform probability.
pub(super) fn is_uniform(geometry: &Geometry) -> bool {
    geometry.is_9x9() || geometry.cells() <= uniform_small::MAX_CELLS
}

/// Tries up to [`ORDERS`] removal orders, and returns the first accepted puzzle as a grid and its clues.
///
/// Also returns the number of orders that were tried, including the accepted order.
pub(super) async fn sample(
    request: &Request,
    random: &mut Random,
    queries: &QueryHandle,
) -> Option<(SolvedGrid, CellSet, u64)> {
    let (fewest, most) = clue_range(request);
    let mut order = Order::default();
    let shared = if request.geometry.is_9x9() { SHARED } else { 1 };
    let mut solution = Vec::new();
    for number in 0..ORDERS {
        if number % shared == 0 {
            solution.clear();
            if request.geometry.is_9x9() {
                solution.extend(uniform_9x9::draw(random));
            } else {
                solution.extend(uniform_small::draw(&request.geometry, random));
            }
            order.begin(&solution);
        }
        if !order.draw(solution.len(), most as usize, random) {
            continue;
        }
        let board = SolvedGrid::new(&request.geometry, None, &solution, queries.clone());
        if let Some(clues) = order.decide(&board).await
            && clues.len() >= fewest
        {
            return Some((board, clues, number + 1));
        }
    }
    None
}

/// The cells whose clues are removed last in a removal order. A removal order is a random order in which the
/// clues of a grid are removed. Sets of cells have one bit per cell.
#[derive(Default)]
struct Order {
    /// For each `n`, `last[n]` is the set of the `n` cells whose clues are removed last.
    last: Vec<u128>,
    /// Unavoidable sets of the grid that are known so far.
    sets: Vec<u128>,
    /// Smallest `n` for which `last[n]` contains a cell of every known unavoidable set.
    clues: usize,
}

impl Order {
    /// Starts with a new grid, and finds its unavoidable sets.
    ///
    /// The smallest sets come first, because they reject the most orders.
    fn begin(&mut self, solution: &[u8]) {
        self.sets.clear();
        if let Ok(solution) = solution.try_into() {
            unavoidable_sets(solution, |set| self.sets.push(set));
        }
        self.sets.sort_unstable_by_key(|set| set.count_ones());
    }

    /// Draws a random removal order for a grid of `length` cells.
    ///
    /// Returns false if more than `most` clues would be needed so that every known unavoidable set has a
    /// clue.
    fn draw(&mut self, length: usize, most: usize, random: &mut Random) -> bool {
        let mut cells = [0u8; 81];
        (0..).zip(&mut cells).for_each(|(cell, place)| *place = cell);
        let cells = &mut cells[..length];
        self.last.clear();
        self.last.push(0);
        let mut bits = 0;
        for place in 0..most.min(length) {
            cells.swap(place, place + random.below((length - place) as u32) as usize);
            bits |= 1 << cells[place];
            self.last.push(bits);
        }
        self.clues = 0;
        (0..self.sets.len()).all(|set| self.meet(self.sets[set]))
    }

    /// Increases `clues` until `last[clues]` contains a cell of `set`.
    ///
    /// Returns false if even the largest set in `last` contains no cell of `set`.
    fn meet(&mut self, set: u128) -> bool {
        while self.last.get(self.clues).is_some_and(|clues| clues & set == 0) {
            self.clues += 1;
        }
        self.clues < self.last.len()
    }

    /// Returns the clues of the last puzzle in this removal order that still has one solution.
    ///
    /// Returns `None` if this puzzle is not minimal, or if it has too many clues.
    async fn decide(&mut self, board: &SolvedGrid) -> Option<CellSet> {
        loop {
            let bits = *self.last.get(self.clues)?;
            // `set` contains at least one clue, so `clues` is not 0. On a CPU without a population count,
            // testing for one bit this way takes a third of the time of `is_power_of_two`.
            let alone = |set: &u128| Some(set & bits).filter(|clues| clues & (clues - 1) == 0);
            let needed = self.sets.iter().filter_map(alone).fold(0, |needed, clue| needed | clue);
            let mut clues: CellSet =
                (0..board.solution.len()).filter(|&cell| bits >> cell & 1 != 0).collect();
            let open = bits & !needed;
            let verdict = if open == 0 {
                board.judge(&clues).await
            } else {
                let cell = open.trailing_zeros() as usize;
                clues.take(cell);
                board.judge_without(&clues, cell).await
            };
            match verdict {
                ClueVerdict::Unique => return (open == 0).then_some(clues),
                ClueVerdict::Other(other) => {
                    let pairs = other.iter().zip(&board.solution).enumerate();
                    let set = pairs.fold(0, |set, (cell, (a, b))| set | u128::from(a != b) << cell);
                    self.sets.push(set);
                    self.meet(set);
                }
                // Searches in grids of these sizes end long before their limit, so this case is not expected.
                ClueVerdict::Unknown => return None,
            }
        }
    }
}
