//! Branch and bound on weighted grids: the solution with the largest or smallest score.
//!
//! The search walks the grid with the propagation of [`bitmask`](super::bitmask). At every node a *relaxation*
//! ([`relax`]) gives a value that no solution below can beat: some rules are dropped, and *prices* are charged for
//! breaking them instead (Lagrangian relaxation; for the step rule see Held and Karp 1971). For every candidate it also
//! gives the *loss*: how far that value falls if the candidate must be part of the solution. A subtree is left out if
//! nothing in it can beat the best solution found.
//!
//! Before the tree of a 9x9 there is an [`assembly`] from the few templates that a grid near the root's bound can
//! have. It solves nearly all 9x9 puzzles. The tree is for the puzzles on which the assembly gives up, and for other
//! sides.

mod assembly;
mod relax;
mod templates;

use super::best_walk::{BestWalk, Priced, Ranked};
use super::bitmask::board::{Board, Strength};
use super::bitmask::shape::GeometryTables;
use super::lagrangian::{AT_ROOT, BestSearch, Schedule, scale_of, unscaled};
use super::search_context::SearchContext;
use super::{Control, Task, TreeSearch, Visitor};
use assembly::{Assembled, Assembly};
use quadrille_model::encode::geometry_9x9;
use quadrille_model::{
    Direction, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, Puzzle, RuleClass, Solution, TopK,
    TopSolutions,
};
use relax::Relaxation;

/// Branch and bound: the best value of grids of any side, with pencilmarks and letter groups.
///
/// In a puzzle without weights every solution has score 0.
///
/// Keeps the memory of its search from problem to problem.
#[derive(Debug, Default)]
pub struct BestGrid {
    shape: Option<GeometryTables>,
    board: Board,
    relaxation: Relaxation,
    assembly: Assembly,
    walk: BestWalk,
    /// Work space for a plain 9x9 unpacked to a puzzle.
    unpacked: Option<Puzzle>,
}

/// Price steps at the root if templates are chosen: these need half as many as [`AT_ROOT`].
const AT_ROOT_OF_TEMPLATES: Schedule = Schedule { steps: 300, shrink: 63_300, ..AT_ROOT };
/// The slack of an assembly first grows by the relaxation's `grain` divided by `GROWTH`; the growth then doubles.
const GROWTH: i64 = 8;

impl BestGrid {
    /// Returns true for the best value of a grid without rules of its own.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!((class, goal), (ProblemClass::Grid { rules: RuleClass::Plain, .. }, Goal::Best(_)))
    }
}

impl TreeSearch for BestGrid {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        let Goal::Best(top) = task.goal else {
            return Outcome::nothing(EndedBy::Cancel);
        };
        if task.problem.clash().is_some() {
            return Outcome::contradiction();
        }
        let run = SearchContext::new(task, visitor, control).looking_every(1).sharing_early();
        match task.problem {
            ProblemRef::Puzzle(puzzle) => self.best(puzzle, top, run),
            ProblemRef::Packed(packed) => {
                let mut puzzle = self.unpacked.take().unwrap_or_else(|| Puzzle::new(geometry_9x9()));
                packed.unpack_into(geometry_9x9(), &mut puzzle);
                let outcome = self.best(&puzzle, top, run);
                self.unpacked = Some(puzzle);
                outcome
            }
            ProblemRef::Cover(_) => Outcome::nothing(EndedBy::Cancel),
        }
    }

    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        self.walk.bound(problem, direction)
    }
}

impl BestSearch<'_> {
    /// Searches the grids near the root's bound. Returns true if the best were found and proved.
    fn assemble(
        &mut self,
        assembly: &mut Assembly,
        board: &Board,
        puzzle: &Puzzle,
        relaxation: &mut Relaxation,
        run: &mut SearchContext<'_>,
    ) -> Result<bool, EndedBy> {
        let (scale, bound, top) = (self.scale, self.in_hand, self.found.leaders.top());
        let grow = scale.point().max(relaxation.grain() / GROWTH);
        let Some((templates, values, prices)) = relaxation.templates() else { return Ok(false) };
        // The bound may lie between two scores. This slack is just large enough to include all grids with the best
        // score within the bound.
        let least = bound.saturating_add(scale.limit(unscaled(scale, bound), 0));
        let mut more = 0i64;
        loop {
            let slack = least.saturating_add(more);
            let mut ranking = TopSolutions::new(top);
            let mut take = |digits: &[u8]| {
                let score = puzzle.weights().map_or(0, |weights| weights.score(digits));
                ranking.offer(score, Solution::Digits(digits));
                let limit = ranking.leaders().threshold().map(|threshold| scale.limit(threshold, 1));
                limit.map_or(i64::MAX, |limit| bound.saturating_add(limit))
            };
            let end = assembly.search(board, templates, (values, prices), slack, run, &mut take);
            let found = ranking.leaders().scores().len() as u64;
            let is_over = match end {
                Ok(Assembled::All) => found == top.limit,
                Ok(Assembled::AllThereAre) => true,
                Ok(Assembled::GivenUp) | Err(_) => false,
            };
            // A single unproved solution helps the tree search. Several would be reported there a second time.
            if is_over || end.is_err() || end == Ok(Assembled::GivenUp) && top.limit == 1 {
                for (score, solution) in ranking.in_order_met() {
                    let Solution::Digits(digits) = solution else { continue };
                    self.found.take(score);
                    run.solution(Solution::Digits(digits))?;
                }
            }
            if is_over || end? == Assembled::GivenUp {
                return Ok(is_over);
            }
            more = more.saturating_mul(2).max(grow);
        }
    }
}

impl BestGrid {
    fn best(&mut self, puzzle: &Puzzle, top: TopK, run: SearchContext<'_>) -> Outcome {
        let BestGrid { shape, board, relaxation, assembly, walk, .. } = self;
        let shape = GeometryTables::cached(shape, puzzle.geometry());
        relaxation.reset(shape, puzzle, scale_of(puzzle, top.direction));
        let mut position = GridPosition { board, shape, puzzle, relaxation };
        walk.search(&mut position, puzzle, top, run, |position, best, run| {
            assembly.reset(puzzle);
            best.assemble(assembly, position.board, puzzle, position.relaxation, run)
        })
    }
}

/// Strength of the propagation before a bound is computed.
const STRENGTH: Strength = Strength::AllDifferent;

/// A board with a problem, and the relaxation that bounds it.
struct GridPosition<'a> {
    board: &'a mut Board,
    shape: &'a GeometryTables,
    puzzle: &'a Puzzle,
    relaxation: &'a mut Relaxation,
}

impl Priced for GridPosition<'_> {
    fn load(&mut self) -> Result<bool, EndedBy> {
        let step = self.board.load(self.shape, self.puzzle.candidates(), self.puzzle.constraints());
        Ok(step.and_then(|()| self.board.propagate(self.shape, STRENGTH)).is_ok())
    }

    fn decide(&mut self, decision: u32) -> Result<bool, EndedBy> {
        Ok(self.board.repeat(self.shape, decision, STRENGTH).is_ok())
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        self.board.write_digits(digits)
    }

    fn prices(&mut self) -> &mut [i64] {
        self.relaxation.prices()
    }

    fn at_root(&self) -> Schedule {
        if self.relaxation.by_templates { AT_ROOT_OF_TEMPLATES } else { AT_ROOT }
    }

    fn tighten(&mut self, schedule: Schedule, hopeless: impl Fn(i64) -> bool) -> Option<i64> {
        self.relaxation.tighten(self.board, self.shape, schedule, hopeless)
    }

    fn rank(&mut self, bound: i64, ranked: &mut Vec<Ranked>) {
        self.relaxation.rank(self.board, self.shape, bound, ranked);
    }

    fn state(&self) -> &[u64] {
        self.board.state()
    }

    fn restore(&mut self, state: &[u64]) {
        self.board.restore(state);
    }
}
