//! Neighbourhoods: the puzzles with one solution that differ from a puzzle by some clues removed and some added.
//!
//! ```text
//!   a puzzle - its clues, n removed - all but one of the m clues added - the last clue: one question for many choices
//! ```
//!
//! Adding a clue leaves one solution if exactly one solution of the puzzle before has its digit in its cell. So each
//! solution that is found counts for all of its digits, and a digit that two solutions have needs no question. A question
//! asks for solutions in which one cell has an undecided digit: if a search ends, all those digits are decided.
//! Solutions found for some added clues hold for all others that they agree with.
//!
//! A change is a set of clues removed and a set added, and no clue is in both. So a puzzle comes out once for each source,
//! up to isomorphism.

use std::ops::Range;
use std::sync::Arc;

use super::cells::CellSet;
use super::remove_clues::is_minimal;
use super::solved_grid::SolvedGrid;
use crate::queries::{QueryHandle, Question, Reply};
use crate::record::Generated;
use quadrille_model::bits::Bits;
use quadrille_model::canonical::Cells;
use quadrille_model::random::Random;
use quadrille_model::{
    DigitSet, Geometry, Goal, Limits, Packed9x9, Problem, Puzzle, Result, binomial, usage,
};

/// Maximum number of clues to remove.
pub const MAX_REMOVED: usize = 8;
/// Maximum number of clues to add.
pub const MAX_ADDED: usize = 4;
/// Number of solutions that a search requests first. After that, the search asks which digits single cells
/// can have.
const FIRST: u64 = 8;

/// The kind of change that turns a puzzle into a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Number of clues to remove, at most [`MAX_REMOVED`].
    pub removed: usize,
    /// Number of clues to add, at most [`MAX_ADDED`].
    pub added: usize,
    /// Number of random changes to draw, or `None` to make all changes.
    ///
    /// The last clue to add is not drawn. Instead, each change is completed with every possible last clue.
    pub sample: Option<u64>,
    /// True for minimal puzzles only.
    pub minimal: bool,
}

/// Puzzles whose neighbours are wanted, and other puzzles that must not be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbourhood {
    change: Change,
    sources: Vec<Cells>,
    known: Vec<Cells>,
    geometry: Arc<Geometry>,
    /// For each cell, the other cells of its houses, one bit per cell.
    peers: Vec<u128>,
    /// For each source puzzle, the number of clue sets that can be removed from this puzzle and from all
    /// source puzzles before it.
    removals: Vec<u64>,
}

/// For each digit, a set of cells, one bit per cell. Holds either candidates or a solution.
type Boards = [u128; 9];

/// A digit in a cell.
type Clue = (usize, usize);

impl Neighbourhood {
    /// Creates a neighbourhood.
    ///
    /// # Errors
    /// Returns an error if the puzzles differ in size. Also returns an error if the change alters nothing or
    /// alters too many clues.
    pub fn new(change: Change, sources: Vec<Cells>, known: Vec<Cells>) -> Result<Self> {
        let Change { removed, added, .. } = change;
        if removed + added == 0 || removed > MAX_REMOVED || added > MAX_ADDED {
            return Err(usage!(
                "neighbours differ by up to {MAX_REMOVED} clues removed and {MAX_ADDED} added, and at least one of both"
            ));
        }
        let side = sources.first().map_or(9, Cells::side);
        if let Some(other) = sources.iter().chain(&known).map(Cells::side).find(|&other| other != side) {
            return Err(usage!("puzzles of sides {side} and {other}: neighbours are for one side at a time"));
        }
        let geometry = Geometry::of_side(side)?;
        let of_house = |house: &u16| geometry.houses()[usize::from(*house)].cells.iter();
        let peers = (0..geometry.cells()).map(|cell| {
            let cells = geometry.houses_of(cell).iter().flat_map(of_house);
            cells.fold(0u128, |peers, &peer| peers | 1 << peer) & !(1 << cell)
        });
        let peers = peers.collect();
        let removals = sources.iter().scan(0u64, |all, source| {
            *all += binomial(source.clues() as u32, removed as u32) as u64;
            Some(*all)
        });
        let removals = removals.collect();
        Ok(Neighbourhood { change, sources, known, geometry, peers, removals })
    }

    /// Returns the shape of the puzzles' grid.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// Returns the numbers of all units of work.
    ///
    /// Each of the first units handles one given puzzle, so that this puzzle counts as already made. The
    /// other units make changes.
    pub fn range(&self) -> Range<u64> {
        let possible = self.removals.last().copied().unwrap_or(0);
        let changes = self.change.sample.map_or(possible, |sample| if possible > 0 { sample } else { 0 });
        0..self.given().saturating_add(changes)
    }

    /// Returns the number of given puzzles. A unit of work whose number is less than this returns one of
    /// these puzzles.
    pub(crate) fn given(&self) -> u64 {
        (self.sources.len() + self.known.len()) as u64
    }

    /// Does one unit of work, and returns its records.
    ///
    /// A unit for a given puzzle returns the puzzle if it has one solution. Any other unit returns
    /// neighbours.
    pub(crate) async fn make(&self, number: u64, seed: u64, queries: QueryHandle) -> Vec<Generated> {
        let mut search = Search::new(self, queries);
        let Some(change) = number.checked_sub(self.given()) else {
            let given = self.sources.iter().chain(&self.known).nth(number as usize);
            search.place_all(given.into_iter().flat_map(clues_of));
            search.finish(number, false).await;
            return search.made;
        };
        let mut random = self.change.sample.map(|_| Random::new(seed, change, 0));
        let (source, gone) = match &mut random {
            None => {
                let source = self.removals.partition_point(|&end| end <= change);
                let rank = change - source.checked_sub(1).map_or(0, |before| self.removals[before]);
                (source, combination(rank, self.sources[source].clues(), self.change.removed))
            }
            Some(random) => loop {
                let source = random.below(self.sources.len() as u32) as usize;
                let mut clues: Vec<usize> = (0..self.sources[source].clues()).collect();
                if clues.len() >= self.change.removed {
                    random.shuffle(&mut clues);
                    clues.truncate(self.change.removed);
                    break (source, clues);
                }
            },
        };
        let is_kept = |place: usize| !gone.contains(&place);
        let clues: Vec<Clue> = clues_of(&self.sources[source]).collect();
        search.place_all((0..clues.len()).filter(|&place| is_kept(place)).map(|place| clues[place]));
        gone.iter().map(|&place| clues[place]).for_each(|(cell, digit)| search.gone[digit] |= 1 << cell);
        let index = source as u64;
        match (self.change.added.checked_sub(1), &mut random) {
            (None, _) => search.finish(index, self.change.minimal).await,
            (Some(0), _) => search.add_last(index, u128::MAX).await,
            (Some(more), None) => {
                // Adds clues only in ascending order of their cells, so that each set of clues occurs once.
                let mut prefixes = vec![Vec::new()];
                while let Some(prefix) = prefixes.pop() {
                    let last = prefix.last().map_or(u128::MAX, |&(cell, _)| above(cell));
                    let mut longer = search.with(&prefix);
                    if prefix.len() == more {
                        longer.add_last(index, last).await;
                        search.take(longer);
                    } else {
                        let next = longer.choices(last).into_iter().rev();
                        prefixes.extend(next.map(|clue| [prefix.as_slice(), &[clue]].concat()));
                    }
                }
            }
            (Some(more), Some(random)) => {
                for _ in 0..more {
                    let Some(&clue) = random.pick(&search.choices(u128::MAX)) else { return Vec::new() };
                    search.place_all([clue].into_iter());
                }
                search.add_last(index, u128::MAX).await;
            }
        }
        search.made
    }
}

/// A puzzle, its known solutions, and the neighbours made from it.
struct Search<'h> {
    hood: &'h Neighbourhood,
    queries: QueryHandle,
    /// The clues, as bits.
    clues: u128,
    /// The candidates that remain after the clues are placed.
    left: Boards,
    /// The clues that were removed.
    gone: Boards,
    /// Known solutions, all different.
    solutions: Vec<Boards>,
    /// Number of solutions that were already known when this search was created.
    inherited: usize,
    /// Amount by which the digits are cyclically renamed in a question to the engine. Each question increases
    /// this amount by one.
    ///
    /// An engine tries small digits first, so without this rotation the solutions would be similar.
    rotation: usize,
    made: Vec<Generated>,
}

impl<'h> Search<'h> {
    fn new(hood: &'h Neighbourhood, queries: QueryHandle) -> Self {
        let all = below(hood.geometry.cells());
        let mut left = [0; 9];
        left[..hood.geometry.side()].fill(all);
        let (gone, solutions, made) = ([0; 9], Vec::new(), Vec::new());
        Search { hood, queries, clues: 0, left, gone, solutions, inherited: 0, rotation: 0, made }
    }

    /// Adds clues.
    fn place_all(&mut self, clues: impl Iterator<Item = Clue>) {
        for (cell, digit) in clues {
            self.clues |= 1 << cell;
            // If another clue excludes this clue, the cell is left without candidates.
            let is_left = self.left[digit] >> cell & 1;
            self.left.iter_mut().for_each(|board| *board &= !(1 << cell));
            self.left[digit] = self.left[digit] & !self.hood.peers[cell] | is_left << cell;
        }
    }

    /// Returns a search for the puzzle with these clues added. The new search takes over the known solutions
    /// that agree with the clues.
    fn with(&self, clues: &[Clue]) -> Search<'h> {
        let mut longer = Search {
            gone: self.gone,
            rotation: self.rotation,
            ..Search::new(self.hood, self.queries.clone())
        };
        (longer.clues, longer.left) = (self.clues, self.left);
        longer.place_all(clues.iter().copied());
        let agrees = |solution: &&Boards| clues.iter().all(|&(cell, digit)| solution[digit] >> cell & 1 != 0);
        longer.solutions.extend(self.solutions.iter().filter(agrees));
        longer.inherited = longer.solutions.len();
        longer
    }

    /// Adds the results of a search that had more clues to this search. These are its new solutions, and the
    /// puzzles that it made.
    fn take(&mut self, mut longer: Search<'h>) {
        self.solutions.extend(longer.solutions.drain(longer.inherited..));
        self.rotation = longer.rotation;
        self.made.append(&mut longer.made);
    }

    /// Returns all clues that can be added in the given cells.
    fn choices(&self, cells: u128) -> Vec<Clue> {
        let cells = cells & !self.clues;
        let boards = self.left.iter().zip(&self.gone).map(|(left, gone)| left & !gone & cells);
        let mut choices: Vec<Clue> = boards
            .enumerate()
            .flat_map(|(digit, board)| Bits(board).map(move |cell| (cell, digit)))
            .collect();
        choices.sort_unstable();
        choices
    }

    /// Asks the engine for up to `limit` solutions of the puzzle.
    ///
    /// If `only` is given, it contains a cell and a set of digits. In that case, asks only for solutions that
    /// have one of these digits in this cell.
    async fn ask(&mut self, only: Option<(usize, u16)>, limit: u64) -> Reply {
        let mut left = self.left;
        if let Some((cell, digits)) = only {
            let others = left.iter_mut().enumerate().filter(|(digit, _)| digits >> digit & 1 == 0);
            others.for_each(|(_, board)| *board &= !(1 << cell));
        }
        let geometry = &self.hood.geometry;
        let side = geometry.side();
        self.rotation = (self.rotation + 1) % side;
        left[..side].rotate_left(self.rotation);
        let problem = if geometry.is_9x9() {
            Problem::Packed(Packed9x9::from_digits(&left))
        } else {
            let mut puzzle = Puzzle::new(geometry);
            for cell in 0..geometry.cells() {
                let digits = (0..side).filter(|&digit| left[digit] >> cell & 1 != 0);
                puzzle.set_candidates(cell, DigitSet(digits.fold(0, |set, digit| set | 1 << digit)));
            }
            Problem::Puzzle(puzzle)
        };
        let question = Question { problem, goal: Goal::First(limit), limits: Limits::default() };
        let mut reply = self.queries.ask(question).await;
        reply.solutions.iter_mut().for_each(|digit| *digit = (*digit + self.rotation as u8) % side as u8);
        reply
    }

    /// Adds the puzzle to the results if it has exactly one solution.
    async fn finish(&mut self, index: u64, minimal: bool) {
        let reply = self.ask(None, 2).await;
        if reply.settled && reply.found == 1 {
            self.add(index, &reply.solutions, self.clues, minimal).await;
        }
    }

    /// Adds the puzzle whose clues are the cells `clues` of `solution` to the results.
    ///
    /// If `minimal` is true, adds the puzzle only if it is minimal.
    async fn add(&mut self, index: u64, solution: &[u8], clues: u128, minimal: bool) {
        let board = SolvedGrid::new(&self.hood.geometry, None, solution, self.queries.clone());
        let clues: CellSet = Bits(clues).collect();
        if !minimal || is_minimal(&board, clues).await {
            self.made.push(board.record(index, &clues));
        }
    }

    /// Makes all puzzles with exactly one solution that result from adding one clue in one of the given
    /// cells.
    async fn add_last(&mut self, index: u64, cells: u128) {
        let mut tally = Tally::default();
        self.solutions.iter().for_each(|solution| tally.count(solution));
        let cells = cells & !self.clues;
        let mut open: Boards = std::array::from_fn(|digit| self.left[digit] & !self.gone[digit] & cells);
        let mut alone = [0; 9];
        let mut asked = 0;
        if self.solutions.len() < 2 {
            let reply = self.ask(None, FIRST).await;
            self.learn(&reply, &mut tally);
            if reply.found < FIRST {
                alone = std::array::from_fn(|digit| open[digit] & tally.once[digit] & !tally.twice[digit]);
                open = [0; 9];
            }
        }
        loop {
            let undecided: Boards = std::array::from_fn(|digit| open[digit] & !tally.twice[digit]);
            let cells = undecided.iter().fold(0, |cells, board| cells | board) & !below(asked);
            if cells == 0 {
                break;
            }
            asked = cells.trailing_zeros() as usize;
            let digits =
                (0..9).fold(0u16, |set, digit| set | ((undecided[digit] >> asked & 1) as u16) << digit);
            let limit = 2 * u64::from(digits.count_ones());
            let reply = self.ask(Some((asked, digits)), limit).await;
            self.learn(&reply, &mut tally);
            if reply.found < limit {
                for (digit, board) in open.iter_mut().enumerate() {
                    alone[digit] |= undecided[digit] & tally.once[digit] & !tally.twice[digit] & 1 << asked;
                    *board &= !(1 << asked);
                }
            }
        }
        let mut found: Vec<Clue> =
            (0..9).flat_map(|digit| Bits(alone[digit]).map(move |cell| (cell, digit))).collect();
        found.sort_unstable();
        for (cell, digit) in found {
            let has = |solution: &&Boards| solution[digit] >> cell & 1 != 0;
            let Some(boards) = self.solutions.iter().find(has).copied() else { continue };
            let digit_of = |cell: usize| (0..9u8).find(|&digit| boards[usize::from(digit)] >> cell & 1 != 0);
            let solution: Vec<u8> = (0..self.hood.geometry.cells()).filter_map(digit_of).collect();
            self.add(index, &solution, self.clues | 1 << cell, self.hood.change.minimal).await;
        }
    }

    /// Adds the solutions of a reply that are not known yet, and counts them in `tally`.
    fn learn(&mut self, reply: &Reply, tally: &mut Tally) {
        let known = self.solutions.len();
        for digits in reply.solutions.chunks_exact(self.hood.geometry.cells()) {
            let mut solution = [0; 9];
            digits.iter().enumerate().for_each(|(cell, &digit)| solution[usize::from(digit)] |= 1 << cell);
            if !self.solutions[..known].contains(&solution) {
                tally.count(&solution);
                self.solutions.push(solution);
            }
        }
    }
}

/// For each cell, the digits that occur there in at least one solution, and those that occur in at least two.
#[derive(Default)]
struct Tally {
    once: Boards,
    twice: Boards,
}

impl Tally {
    fn count(&mut self, solution: &Boards) {
        for (digit, &board) in solution.iter().enumerate() {
            self.twice[digit] |= self.once[digit] & board;
            self.once[digit] |= board;
        }
    }
}

/// Returns the clues of a puzzle in reading order.
fn clues_of(puzzle: &Cells) -> impl Iterator<Item = Clue> + '_ {
    let cells = puzzle.as_slice().iter().enumerate();
    cells.filter_map(|(cell, &digit)| Some((cell, usize::from(digit.checked_sub(1)?))))
}

/// Returns the set of `size` numbers less than `from` that has the given rank in lexicographic order.
fn combination(mut rank: u64, from: usize, size: usize) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(size);
    for number in 0..from {
        let open = size - chosen.len();
        if open == 0 {
            break;
        }
        let with = binomial((from - number - 1) as u32, (open - 1) as u32) as u64;
        if rank < with {
            chosen.push(number);
        } else {
            rank -= with;
        }
    }
    chosen
}

/// Returns the set of all cells before `cell`, one bit per cell.
fn below(cell: usize) -> u128 {
    (1 << cell) - 1
}

/// Returns the set of all cells after `cell`, one bit per cell.
fn above(cell: usize) -> u128 {
    !below(cell + 1)
}
