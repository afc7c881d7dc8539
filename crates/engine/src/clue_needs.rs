//! The clues of a puzzle that can go, one by one and together, and its backdoors.
//!
//! A puzzle without some clues has other solutions exactly if those clues contain, for one of them, all clues that it
//! breaks. Each other solution that a search finds shows such a set: one of its clues must stay. A smallest set of clues
//! that meets all known sets is a lower bound; if it leaves one solution, it is a smallest puzzle, and otherwise it shows
//! a new set (implicit hitting sets; Moreno-Centeno and Karp, 2013). Clues that are needed alone stay in any case.

use super::no_result::NoResult;
use super::{Control, EnginePreference, Flow, Solver, Task};
use quadrille_model::bits::Bits;
use quadrille_model::{
    DigitSet, EndedBy, Geometry, Goal, Limits, Problem, ProblemRef, Redundancy, Solution, geometry_9x9,
    verify,
};

/// Maximum number of clues that can go, each alone, for which a smallest puzzle is searched for.
const MOST_REDUNDANT: usize = 128;
/// Maximum number of nodes of the search for small sets of clues, for one puzzle.
const NODES: u32 = 100_000;
/// Maximum number of searches for a smallest puzzle.
const SEARCHES: u32 = 2_000;

/// Questions about the clues of puzzles.
pub struct NeedsFinder {
    solver: Solver,
    limits: Limits,
}

impl std::fmt::Debug for NeedsFinder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NeedsFinder").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl NeedsFinder {
    /// Creates a finder with conditions on the engines. `limits` hold for each search.
    pub fn new(preference: EnginePreference, limits: Limits) -> Self {
        NeedsFinder { solver: Solver::new(preference), limits }
    }

    /// Returns which clues of a puzzle can go. `solution` is its only solution.
    ///
    /// # Errors
    /// Returns an error if a search ended early, and for exact cover problems.
    pub fn redundancy(
        &mut self,
        problem: ProblemRef<'_>,
        solution: &[u8],
        control: &Control,
    ) -> Result<Redundancy, NoResult> {
        let mut puzzle = Clues::new(self, problem, solution, control)?;
        let all = puzzle.given.clone();
        let mut needed = Vec::new();
        let mut redundant = Vec::new();
        for &cell in &all {
            let others: Vec<usize> = all.iter().copied().filter(|&other| other != cell).collect();
            match puzzle.other_solution(&others)? {
                Some(_) => needed.push(cell),
                None => redundant.push(cell),
            }
        }
        let mut can_go = vec![false; solution.len()];
        redundant.iter().for_each(|&cell| can_go[cell] = true);

        // Removes clues in reading order, each unless that allows another solution.
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut left = all;
        for &cell in &redundant {
            let less: Vec<usize> = left.iter().copied().filter(|&other| other != cell).collect();
            match puzzle.other_solution(&less)? {
                Some(broken) => sets.push(broken),
                None => left = less,
            }
        }
        let (smallest, bound) = if redundant.len() <= MOST_REDUNDANT {
            puzzle.smallest(&needed, &redundant, sets, left)?
        } else {
            (left, needed.len())
        };
        let full = DigitSet::all(puzzle.side);
        let cells = 0..solution.len();
        let kept = |cell| if smallest.contains(&cell) { problem.candidates(cell) } else { full };
        let (left, bound) = (smallest.len() as u32, bound as u32);
        Ok(Redundancy { can_go, smallest: cells.map(kept).collect(), left, bound })
    }
}

/// A puzzle whose clues are removed.
struct Clues<'a> {
    finder: &'a mut NeedsFinder,
    control: &'a Control,
    problem: ProblemRef<'a>,
    solution: &'a [u8],
    side: usize,
    /// The cells that are clues, ascending.
    given: Vec<usize>,
    /// The puzzle of the last search.
    varied: Problem,
}

impl<'a> Clues<'a> {
    fn new(
        finder: &'a mut NeedsFinder,
        problem: ProblemRef<'a>,
        solution: &'a [u8],
        control: &'a Control,
    ) -> Result<Self, NoResult> {
        let side = geometry_of(problem)?.side();
        let is_clue = |&cell: &usize| problem.candidates(cell) != DigitSet::all(side);
        let given = (0..solution.len()).filter(is_clue).collect();
        let mut varied = Problem::Packed(quadrille_model::Packed9x9::FULL);
        varied.assign(problem);
        Ok(Clues { finder, control, problem, solution, side, given, varied })
    }

    /// Searches for another solution of the puzzle with only the clues in `kept`, which is ascending.
    ///
    /// Returns the clues of the whole puzzle that it breaks, or `None` if there is no other solution.
    fn other_solution(&mut self, kept: &[usize]) -> Result<Option<Vec<usize>>, NoResult> {
        let full = DigitSet::all(self.side);
        for &cell in &self.given {
            let is_kept = kept.binary_search(&cell).is_ok();
            self.varied.set_candidates(cell, if is_kept { self.problem.candidates(cell) } else { full });
        }
        let mut other: Option<Vec<u8>> = None;
        let mut fault = None;
        let (varied, solution) = (self.varied.as_ref(), self.solution);
        let mut take = |found: Solution<'_>| {
            fault = verify(varied, found).err();
            if let Solution::Digits(digits) = found
                && digits != solution
            {
                other = Some(digits.to_vec());
            }
            if other.is_some() || fault.is_some() { Flow::Stop } else { Flow::Continue }
        };
        let finder = &mut *self.finder;
        let answer = finder.solver.search(
            &Task::whole(varied, Goal::First(2), finder.limits),
            self.control,
            &mut take,
        );
        let answer = answer.map_err(|error| NoResult::Unsupported(error.to_string()))?;
        if let Some(fault) = fault {
            return Err(NoResult::Broken(format!("the engine returned a wrong solution: {fault}")));
        }
        match (other, answer.ended_by) {
            (Some(other), _) => {
                let breaks = |&&cell: &&usize| !self.problem.candidates(cell).contains(other[cell].into());
                Ok(Some(self.given.iter().filter(breaks).copied().collect()))
            }
            (None, EndedBy::Complete) => Ok(None),
            (None, ended_by) => Err(NoResult::Early(ended_by)),
        }
    }

    /// Returns the clues of a smallest puzzle, and a lower bound on their number.
    ///
    /// Each of `sets` has redundant clues, and at least one of them must stay. `best` are the clues of a minimal puzzle.
    fn smallest(
        &mut self,
        needed: &[usize],
        redundant: &[usize],
        sets: Vec<Vec<usize>>,
        best: Vec<usize>,
    ) -> Result<(Vec<usize>, usize), NoResult> {
        let bit = |cell: &usize| redundant.binary_search(cell).map_or(0, |place| 1u128 << place);
        let bits = |set: &Vec<usize>| set.iter().fold(0, |bits, cell| bits | bit(cell));
        let mut sets: Vec<u128> = sets.iter().map(bits).collect();
        let mut more = 0;
        let mut nodes = NODES;
        for _ in 0..SEARCHES {
            let found = loop {
                if needed.len() + more >= best.len() {
                    let bound = best.len();
                    return Ok((best, bound));
                }
                match hitting_set(&sets, more as u32, &mut nodes) {
                    Some(Some(found)) => break found,
                    Some(None) => more += 1,
                    None => return Ok((best, needed.len() + more)),
                }
            };
            let chosen = Bits(found).map(|place| redundant[place]);
            let mut kept: Vec<usize> = needed.iter().copied().chain(chosen).collect();
            kept.sort_unstable();
            match self.other_solution(&kept)? {
                Some(broken) => sets.push(bits(&broken)),
                None => return Ok((kept, needed.len() + more)),
            }
        }
        Ok((best, needed.len() + more))
    }
}

/// Returns a set of at most `most` elements that meets all `sets`, or `Some(None)` if there is none.
///
/// Returns `None` if that takes more than `nodes`, which are used up.
fn hitting_set(sets: &[u128], most: u32, nodes: &mut u32) -> Option<Option<u128>> {
    // Pairs of elements that are in the set, and elements that are not.
    let mut open = vec![(0u128, 0u128)];
    while let Some((chosen, excluded)) = open.pop() {
        *nodes = nodes.checked_sub(1)?;
        let missed = sets.iter().filter(|&&set| set & chosen == 0).map(|&set| set & !excluded);
        let Some(smallest) = missed.min_by_key(|set| set.count_ones()) else { return Some(Some(chosen)) };
        if chosen.count_ones() < most {
            let mut before = excluded;
            for place in Bits(smallest) {
                open.push((chosen | 1 << place, before));
                before |= 1 << place;
            }
        }
    }
    Some(None)
}

/// Returns the fewest cells whose digits make a puzzle solvable by naked and hidden singles: 0, 1, 2, or 3 for more.
///
/// `solution` is the only solution. Returns `None` for puzzles with rules and for exact cover problems.
pub fn backdoor(problem: ProblemRef<'_>, solution: &[u8]) -> Option<u32> {
    let geometry = geometry_of(problem).ok()?;
    if matches!(problem, ProblemRef::Puzzle(puzzle) if puzzle.rules().is_some()) {
        return None;
    }
    let mut start: Vec<DigitSet> = (0..solution.len()).map(|cell| problem.candidates(cell)).collect();
    if place_singles(geometry, &mut start) {
        return Some(0);
    }
    let with = |cells: &[DigitSet], cell: usize| {
        let mut cells = cells.to_vec();
        cells[cell] = DigitSet::only(solution[cell].into());
        let is_solved = place_singles(geometry, &mut cells);
        (cells, is_solved)
    };
    let open = |cells: &[DigitSet], from: usize| {
        let is_open = |&cell: &usize| cells[cell].single().is_none();
        (from..cells.len()).filter(is_open).collect::<Vec<_>>()
    };
    let ones: Vec<_> = open(&start, 0).into_iter().map(|cell| (cell, with(&start, cell))).collect();
    if ones.iter().any(|(_, (_, is_solved))| *is_solved) {
        return Some(1);
    }
    let makes_two = |(first, (cells, _)): &(usize, (Vec<DigitSet>, bool))| {
        open(cells, first + 1).into_iter().any(|second| with(cells, second).1)
    };
    Some(if ones.iter().any(makes_two) { 2 } else { 3 })
}

/// Places naked and hidden singles until there are none; returns true if every cell has one digit.
fn place_singles(geometry: &Geometry, cells: &mut [DigitSet]) -> bool {
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for house in geometry.houses() {
            // The digits of filled cells, and those that one and several cells of the house have.
            let (mut filled, mut one, mut several) = (0, 0, 0);
            for &cell in &house.cells {
                let set = cells[usize::from(cell)];
                filled |= if set.single().is_some() { set.0 } else { 0 };
                several |= one & set.0;
                one |= set.0;
            }
            let hidden = one & !several;
            for &cell in &house.cells {
                let set = &mut cells[usize::from(cell)];
                if set.single().is_some() {
                    continue;
                }
                let rest = if set.0 & hidden != 0 { set.0 & hidden } else { set.0 & !filled };
                changes |= rest != set.0;
                set.0 = rest;
            }
        }
    }
    cells.iter().all(|set| set.single().is_some())
}

fn geometry_of(problem: ProblemRef<'_>) -> Result<&Geometry, NoResult> {
    match problem {
        ProblemRef::Puzzle(puzzle) => Ok(puzzle.geometry()),
        ProblemRef::Packed(_) => Ok(geometry_9x9()),
        ProblemRef::Cover(_) => Err(NoResult::Unsupported("exact cover problems have no clues".to_owned())),
    }
}
