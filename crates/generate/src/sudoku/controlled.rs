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

/// Number of orders in an attempt, each with a grid of its own.
pub(super) const ORDERS: u64 = 1000;
/// Default maximum number of clues of a 9x9. No minimal puzzle with more is known.
const MOST_9X9: u32 = 40;

/// An accepted puzzle.
pub(super) struct Accepted {
    pub board: SolvedGrid,
    pub clues: CellSet,
    /// Number of orders, including the one that was accepted.
    pub orders: u64,
}

/// Returns the fewest and most clues of the puzzles that a request samples.
pub fn clue_range(request: &Request) -> (u32, u32) {
    let cells = request.geometry.cells() as u32;
    let most = if request.geometry.is_9x9() { MOST_9X9 } else { cells };
    request.clues.as_ref().map_or((0, most), |clues| (*clues.start(), *clues.end()))
}

/// Returns true if solved grids of this shape can be drawn uniformly.
pub(super) fn is_uniform(geometry: &Geometry) -> bool {
    geometry.is_9x9() || geometry.cells() <= uniform_small::MAX_CELLS
}

/// Tries [`ORDERS`] orders; returns the first accepted puzzle.
pub(super) async fn sample(
    request: &Request,
    random: &mut Random,
    queries: &QueryHandle,
) -> Option<Accepted> {
    let (fewest, most) = clue_range(request);
    let mut order = Order { last: Vec::new(), sets: Vec::new(), clues: 0 };
    for number in 1..=ORDERS {
        let nine;
        let small;
        let solution: &[u8] = if request.geometry.is_9x9() {
            nine = uniform_9x9::draw(random);
            &nine
        } else {
            small = uniform_small::draw(&request.geometry, random);
            &small
        };
        if !order.begin(solution, most as usize, random) {
            continue;
        }
        let board = SolvedGrid::new(&request.geometry, None, solution, queries.clone());
        if let Some(clues) = order.decide(&board).await
            && clues.len() >= fewest
        {
            return Some(Accepted { board, clues, orders: number });
        }
    }
    None
}

/// The end of an order of all cells, for one grid. Cells are bits.
struct Order {
    /// `last[n]` has the `n` cells whose clues are removed last.
    last: Vec<u128>,
    /// Known unavoidable sets.
    sets: Vec<u128>,
    /// The smallest number of clues with one in every known set.
    clues: usize,
}

impl Order {
    /// Draws an order for a grid. Returns false if more than `most` clues are needed.
    fn begin(&mut self, solution: &[u8], most: usize, random: &mut Random) -> bool {
        let mut cells = [0u8; 81];
        (0..).zip(&mut cells).for_each(|(cell, place)| *place = cell);
        let cells = &mut cells[..solution.len()];
        self.last.clear();
        self.last.push(0);
        let mut bits = 0;
        for place in 0..most.min(cells.len()) {
            cells.swap(place, place + random.below((cells.len() - place) as u32) as usize);
            bits |= 1 << cells[place];
            self.last.push(bits);
        }
        self.sets.clear();
        self.clues = 0;
        if let Ok(solution) = solution.try_into() {
            unavoidable_sets(solution, |set| self.add(set));
        }
        self.clues < self.last.len()
    }

    /// Adds an unavoidable set, and as many clues as it needs.
    fn add(&mut self, set: u128) {
        self.sets.push(set);
        while self.last.get(self.clues).is_some_and(|clues| clues & set == 0) {
            self.clues += 1;
        }
    }

    /// Returns the clues of the last puzzle with one solution if it is minimal and not too large.
    async fn decide(&mut self, board: &SolvedGrid) -> Option<CellSet> {
        loop {
            let bits = *self.last.get(self.clues)?;
            let alone = |set: &u128| Some(set & bits).filter(|clues| clues.is_power_of_two());
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
                    self.add(pairs.fold(0, |set, (cell, (a, b))| set | u128::from(a != b) << cell));
                }
                // Questions about grids of these sizes end long before their limit.
                ClueVerdict::Unknown => return None,
            }
        }
    }
}
