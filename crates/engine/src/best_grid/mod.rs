//! Branch and bound on weighted grids: the solution with the largest or smallest score.
//!
//! The search walks the grid with the propagation of [`bitmask`](super::bitmask). At every node a
//! *relaxation* ([`best_walk`](super::best_walk)) gives a value that no solution below the node can beat. The
//! relaxation drops some rules and instead charges *prices* for breaking them (Lagrangian relaxation; for the
//! step rule see Held and Karp 1971). It also gives the *loss* of every candidate: how far the value falls if
//! the candidate must be part of the solution. A subtree is skipped if nothing in it can beat the best
//! solution found.
//!
//! For a 9x9, the [`assembly`] comes before the tree. It builds grids from the few templates that a grid near
//! the root's bound can have. This solves nearly all 9x9 puzzles. The tree is searched only if the assembly
//! gives up, or if the grid is not a 9x9.

mod assembly;

use super::best_walk::{BestSearch, BestWalk, Choices, Listing, Relaxation, Template, unscaled};
use super::bitmask::board::{Board, Strength};
use super::bitmask::grid::GridPosition;
use super::bitmask::shape::GeometryTables;
use super::search_context::SearchContext;
use super::{Control, Task, TreeSearch, Visitor};
use assembly::{Assembled, Assembly};
use quadrille_model::encode::geometry_9x9;
use quadrille_model::{
    Direction, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, Puzzle, RuleClass, Solution, TopSolutions,
};

/// Branch and bound for the grids with the best score.
///
/// Grids can have any side length. They may have cells with several candidates, and groups of cells that must
/// have the same digit. In a puzzle without weights every solution has score 0. The search keeps its memory
/// from one problem to the next.
#[derive(Debug, Default)]
pub struct BestGrid {
    shape: Option<GeometryTables>,
    board: Board,
    assembly: Assembly,
    walk: BestWalk,
    /// Work space for a plain 9x9 problem, which is unpacked into this puzzle.
    unpacked: Option<Puzzle>,
}

/// Divisor for the first step by which an assembly's slack (the maximum total loss) grows.
///
/// The first step is the relaxation's `grain` divided by this number. Each later step is twice as large as
/// the previous step.
const GROWTH: i64 = 8;

impl BestGrid {
    /// Returns true if the problem is a grid without extra rules and the goal is the best score.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!((class, goal), (ProblemClass::Grid { rules: RuleClass::Plain, .. }, Goal::Best(_)))
    }
}

impl TreeSearch for BestGrid {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        if task.problem.clash().is_some() {
            return Outcome::contradiction();
        }
        let run = SearchContext::new(task, visitor, control).looking_every(1).sharing_early();
        match task.problem {
            ProblemRef::Puzzle(puzzle) => self.best(puzzle, run),
            ProblemRef::Packed(packed) => {
                let mut puzzle = self.unpacked.take().unwrap_or_else(|| Puzzle::new(geometry_9x9()));
                packed.unpack_into(geometry_9x9(), &mut puzzle);
                let outcome = self.best(&puzzle, run);
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
    /// Searches the grids near the root's bound.
    ///
    /// Returns true if the best solutions were found and proved to be the best.
    fn assemble(
        &mut self,
        assembly: &mut Assembly,
        choices: &impl Choices,
        relaxation: &mut Relaxation,
        run: &mut SearchContext<'_>,
    ) -> Result<bool, EndedBy> {
        let (scale, bound, top) = (self.scale, self.in_hand, self.found.leaders.top());
        let Some((templates, priced)) = relaxation.templates() else { return Ok(false) };
        assembly.reset(self.puzzle);
        let grow = scale.point().max(priced.grain / GROWTH);
        // The bound may lie between two scores. This slack is just large enough to include all grids with the
        // best score that the bound allows.
        let least = bound.saturating_add(scale.limit(unscaled(scale, bound), 0));
        let mut more = 0i64;
        loop {
            let slack = least.saturating_add(more);
            let mut ranking = TopSolutions::new(top);
            let mut take = |digits: &[u8]| {
                let score = self.puzzle.weights().map_or(0, |weights| weights.score(digits));
                ranking.offer(score, Solution::Digits(digits));
                let limit = ranking.leaders().threshold().map(|threshold| scale.limit(threshold, 1));
                limit.map_or(i64::MAX, |limit| bound.saturating_add(limit))
            };
            let list = |listing: Listing<'_>, pieces: &mut Vec<Template>| {
                templates.list(choices, priced, listing, pieces)
            };
            let end = assembly.search(list, slack, run, &mut take);
            let found = ranking.leaders().scores().len() as u64;
            let is_over = match end {
                Ok(Assembled::All) => found == top.limit,
                Ok(Assembled::AllThereAre) => true,
                Ok(Assembled::GivenUp) | Err(_) => false,
            };
            // If one solution is asked for, an unproved solution helps the tree search. If several are asked
            // for, unproved solutions are not reported here. Otherwise the tree search would report them a
            // second time.
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
    fn best(&mut self, puzzle: &Puzzle, run: SearchContext<'_>) -> Outcome {
        let BestGrid { shape, board, assembly, walk, .. } = self;
        let shape = GeometryTables::cached(shape, puzzle.geometry());
        let mut position = GridPosition { shape, puzzle, how: Strength::AllDifferent, board };
        walk.search(&mut position, puzzle, run, |position, relaxation, best, run| {
            best.assemble(assembly, position, relaxation, run)
        })
    }
}
