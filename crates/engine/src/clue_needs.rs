//! Which clues of a puzzle can be removed, one by one or together, and the backdoors of the puzzle.
//!
//! If a puzzle without some of its clues has another solution, that solution contradicts some of the removed
//! clues. So each other solution that a search finds yields a set of clues: the clues that this solution
//! contradicts. At least one clue of this set must stay in the puzzle. The size of a smallest set of clues
//! that contains a clue of every set found so far is a lower bound. If the puzzle with only these clues has
//! one solution, it is a smallest puzzle. If it has another solution, this solution yields a new set. (This
//! method is called implicit hitting sets; Moreno-Centeno and Karp, 2013.) If the removal of a single clue
//! already allows another solution, this clue always stays.

use super::no_result::NoResult;
use super::{Control, EnginePreference, Flow, Solver, Task};
use quadrille_model::bits::Bits;
use quadrille_model::{
    DigitSet, EndedBy, Geometry, Goal, Limits, Problem, ProblemRef, Redundancy, Solution, geometry_9x9,
    verify,
};

/// Maximum number of redundant clues in a puzzle. If there are more, no smallest puzzle is searched for.
///
/// A clue is redundant if the puzzle without this one clue still has only one solution.
const MOST_REDUNDANT: usize = 128;
/// Maximum number of nodes per puzzle in the search for smallest sets of clues.
const NODES: u32 = 100_000;
/// Maximum number of searches for another solution, while a smallest puzzle is being determined.
const SEARCHES: u32 = 2_000;

/// Finds out which clues of a puzzle are needed.
pub struct NeedsFinder {
    solver: Solver,
    limits: Limits,
}

impl NeedsFinder {
    /// Creates a finder that searches with the preferred engines. The limits apply to each search separately.
    pub fn new(preference: EnginePreference, limits: Limits) -> Self {
        NeedsFinder { solver: Solver::new(preference), limits }
    }

    /// Returns which clues of a puzzle can be removed. `solution` must be the puzzle's only solution.
    ///
    /// # Errors
    /// Returns an error if a search ended early, or if the problem is an exact cover problem.
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

        // Remove the redundant clues in reading order. If the removal of a clue allows another solution, keep
        // this clue.
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

/// A puzzle that can be searched without some of its clues.
struct Clues<'a> {
    finder: &'a mut NeedsFinder,
    control: &'a Control,
    problem: ProblemRef<'a>,
    solution: &'a [u8],
    side: usize,
    /// The cells with a clue, in ascending order.
    given: Vec<usize>,
    /// The puzzle with only those clues that the last search used.
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

    /// Searches for another solution of the puzzle when only the clues in `kept` are given. `kept` must be in
    /// ascending order.
    ///
    /// Returns all clues of the original puzzle that the other solution contradicts, or `None` if there is no
    /// other solution.
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

    /// Searches for a puzzle with the fewest clues. Returns the clues of the smallest puzzle found, and a
    /// lower bound on the number of clues.
    ///
    /// Each set in `sets` contains redundant clues, and at least one clue of each set must stay in the
    /// puzzle. `best` contains the clues of a minimal puzzle.
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

/// Returns a set of at most `most` elements that contains an element of each set in `sets`. Returns
/// `Some(None)` if there is no such set.
///
/// `nodes` is the number of nodes that searches may still visit. Subtracts the nodes of this search. Returns
/// `None` if the search needs more nodes.
fn hitting_set(sets: &[u128], most: u32, nodes: &mut u32) -> Option<Option<u128>> {
    // States of the search that must still be explored. Each state has the set of chosen elements and the set
    // of excluded elements.
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

/// Returns the number of cells in the puzzle's smallest backdoor. The result 3 means three or more cells.
///
/// A backdoor is a set of cells. Once their digits are filled in, naked and hidden singles solve the rest of
/// the puzzle. `solution` must be the puzzle's only solution. Returns `None` for puzzles with rules and for
/// exact cover problems.
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

/// Places naked and hidden singles until there are none left. Returns true if every cell then has one digit.
fn place_singles(geometry: &Geometry, cells: &mut [DigitSet]) -> bool {
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for house in geometry.houses() {
            // Three sets of digits in the house: the digits of filled cells, the candidates of at least one
            // cell, and the candidates of at least two cells.
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
