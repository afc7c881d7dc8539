//! The dlx engine: dancing links.
//!
//! The engine keeps links for three kinds of problem:
//!
//! * A grid without groups of cells that must have the same digit. The matrix of the geometry is built once.
//! * A grid with such groups. Its matrix is rebuilt in the same memory for each puzzle.
//! * A general exact cover problem, which may have colours and multiplicities. Its links are rebuilt unless
//!   the problem is the last one searched.
//!
//! For a puzzle of the first kind, the items of the clues are covered. An open cell may lack some candidates.
//! The options of these candidates are removed from their lists. Then the rest is searched.
//!
//! The order of the search depends only on the problem. The search branches on the item with the fewest
//! options, or the leftmost of several such items, and tries options in their order. Items are in the order
//! cell, row, column, box, with ascending digits in each.
//!
//! Source: Knuth, The Art of Computer Programming 4B, section 7.2.2.1.

mod arena;
mod bounded;
mod bounds;
mod grid;
mod key;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::memory::{self, RetainedTables, Size};
use super::search_context::SearchContext;
use super::variant_cover::VariantCover;
use super::{Control, Flow, Task, TreeSearch, Visitor};
use arena::ArenaSize;
use grid::{Fill, GridLinks};
use key::Key;
use quadrille_model::encode::{Matrix, geometry_9x9};
use quadrille_model::{CoverProblem, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, Puzzle, Solution};
use search::Searcher;

/// Maximum number of geometries whose links are kept.
const GRIDS_KEPT: usize = 4;

/// The search of the dancing links engine.
///
/// The search keeps its links. Once its lists are large enough, it allocates nothing per problem. It finds
/// the solutions of grids as digits, and those of exact cover problems as option numbers in ascending order.
/// A prefix (the path to a part of the tree) is a list of nodes of the links. The search fills all of
/// `Counters`. It counts `covers` and `updates` as Knuth does: `covers` is the number of covered items, and
/// `updates` is the number of nodes and items removed from lists.
#[derive(Debug, Default)]
pub struct Dlx {
    /// The geometries used most recently, the latest first.
    grids: Vec<GridLinks>,
    letters: Option<Letters>,
    cover: Covers,
    variant_cover: VariantCover,
    kept: RetainedTables,
}

/// Links for grids with groups of cells that must have the same digit. The matrix is rebuilt for every
/// puzzle.
#[derive(Debug)]
struct Letters {
    matrix: Matrix,
    searcher: Searcher<u8>,
    fill: Fill,
}

/// Links for general exact cover problems. There are two versions: one with short keys for short lists, and
/// one for all other problems.
#[derive(Debug)]
struct Covers {
    /// The problem that the current links were built for.
    held: Option<Arc<CoverProblem>>,
    is_short: bool,
    short: Searcher<u8>,
    long: Searcher<u32>,
}

impl Default for Covers {
    fn default() -> Self {
        Covers { held: None, is_short: true, short: Searcher::default(), long: Searcher::default() }
    }
}

impl Dlx {
    /// Returns true if the engine supports a goal for a class of problems.
    ///
    /// The engine does not support grids with sums. It does not support grids that have both rules and groups
    /// of cells that must have the same digit. It does not support [`Goal::Best`], the only goal for which
    /// weights and costs matter. It supports everything else.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        class.is_cover_with_rules() && class.is_searched_for(goal)
    }

    /// Returns the maximum number of bytes for the links of a problem and for a search on them.
    pub fn needs(problem: ProblemRef<'_>) -> u64 {
        let size = Size::from_problem(problem);
        let spacers = size.options + 1;
        let nodes = size.items + size.entries + spacers;
        let links = 4 * nodes * if size.coloured { 7 } else { 5 } + 4 * spacers;
        // The size of the keys is computed for the longer of the two key types. It also includes the lengths
        // of all lists.
        let keys = 2 * 4 * size.items + 8 * size.items + if size.bounded { 4 * 4 * size.primary } else { 0 };
        let levels = size.depth() * if size.bounded { 16 + 8 + 4 } else { 16 + 4 };
        let matrix = match problem {
            ProblemRef::Cover(_) => 0,
            // The sum includes lists that grow while the matrix is built. The last two terms are for the
            // options that are fixed before the search.
            _ => {
                let lists = [4 * size.entries, 4 * (size.options + 1), 4 * size.options, 4 * size.items];
                lists.into_iter().map(memory::doubled_capacity).sum::<u64>()
                    + 4 * size.options
                    + 4 * size.items
            }
        };
        links + keys + levels + matrix
    }

    /// Returns true if the links for a problem are built already.
    fn holds(&self, problem: ProblemRef<'_>) -> bool {
        match problem {
            ProblemRef::Packed(_) => self.grids.iter().any(|grid| grid.is_for(geometry_9x9())),
            ProblemRef::Puzzle(puzzle) if puzzle.constraints().is_empty() => {
                self.grids.iter().any(|grid| grid.is_for(puzzle.geometry()))
            }
            ProblemRef::Puzzle(_) => false,
            ProblemRef::Cover(cover) => self.cover.holds(cover),
        }
    }

    /// Returns the links of a geometry, and moves them to the front of the list. Builds the links if
    /// necessary.
    fn grid(&mut self, geometry: &Arc<quadrille_model::Geometry>) -> Result<&mut GridLinks, EndedBy> {
        let place = self.grids.iter().position(|grid| grid.is_for(geometry));
        match place {
            Some(place) => self.grids[..=place].rotate_right(1),
            None => {
                self.grids.truncate(GRIDS_KEPT - 1);
                self.grids.insert(0, GridLinks::new(geometry)?);
            }
        }
        Ok(&mut self.grids[0])
    }
}

impl TreeSearch for Dlx {
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome {
        if !Self::supports(task.problem.class(), task.goal) {
            return Outcome::nothing(EndedBy::Cancel);
        }
        if let ProblemRef::Puzzle(puzzle) = task.problem
            && puzzle.rules().is_some()
        {
            let mut variant_cover = std::mem::take(&mut self.variant_cover);
            let mut search = |task: &Task<'_>, visitor: &mut dyn Visitor| self.search(task, visitor, control);
            let outcome = variant_cover.search(puzzle, task, visitor, &mut search);
            self.variant_cover = variant_cover;
            return outcome;
        }
        let bytes = Dlx::needs(task.problem);
        if memory::forbids(task, bytes) {
            return Outcome::nothing(EndedBy::Memory);
        }
        if !self.holds(task.problem) && self.kept.must_go(bytes, task) {
            (self.grids, self.letters, self.cover) = (Vec::new(), None, Covers::default());
        }
        let run = SearchContext::new(task, visitor, control);
        let outcome = match task.problem {
            ProblemRef::Packed(packed) => {
                self.grid(geometry_9x9()).map(|grid| grid.search_packed(packed, run))
            }
            ProblemRef::Puzzle(puzzle) if puzzle.constraints().is_empty() => {
                self.grid(puzzle.geometry()).map(|grid| grid.search_puzzle(puzzle, run))
            }
            ProblemRef::Puzzle(puzzle) => {
                self.letters.get_or_insert_with(|| Letters::new(puzzle)).search(puzzle, run)
            }
            ProblemRef::Cover(cover) => self.cover.search(cover, run),
        };
        outcome.unwrap_or_else(Outcome::nothing)
    }

    fn descend(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Option<Outcome> {
        let ProblemRef::Cover(cover) = task.problem else { return None };
        if cover.has_multiplicities() || !Self::supports(task.problem.class(), task.goal) {
            return None;
        }
        let bytes = Dlx::needs(task.problem);
        if memory::forbids(task, bytes) {
            return Some(Outcome::nothing(EndedBy::Memory));
        }
        if !self.cover.holds(cover) && self.kept.must_go(bytes, task) {
            (self.grids, self.letters, self.cover) = (Vec::new(), None, Covers::default());
        }
        let run = SearchContext::new(task, visitor, control);
        Some(self.cover.descend(cover, run).unwrap_or_else(Outcome::nothing))
    }
}

/// Builds the links of a matrix.
fn build<const FOURS: bool>(matrix: &Matrix, searcher: &mut Searcher<u8, FOURS>) -> Result<(), EndedBy> {
    let arena = &mut searcher.arena;
    arena.begin(ArenaSize {
        items: matrix.items(),
        primary: matrix.items(),
        options: matrix.options(),
        entries: matrix.entries(),
        coloured: false,
    })?;
    for option in 0..matrix.options() {
        arena.add_option(matrix.option(option).iter().map(|&item| (item, 0)));
    }
    arena.finish();
    Ok(searcher.reserve(matrix.geometry().cells(), false)?)
}

impl Letters {
    fn new(puzzle: &Puzzle) -> Self {
        let matrix = Matrix::new(puzzle.geometry());
        Letters { matrix, searcher: Searcher::default(), fill: Fill::default() }
    }

    fn search(&mut self, puzzle: &Puzzle, run: SearchContext<'_>) -> Result<Outcome, EndedBy> {
        self.matrix.assign(puzzle);
        build(&self.matrix, &mut self.searcher)?;
        self.fill.begin(&self.matrix);
        for options in self.matrix.units().filter(|options| options.len() == 1) {
            self.fill.clue(&self.matrix, options.start);
        }
        Ok(self.fill.search(&self.matrix, &mut self.searcher, run))
    }
}

/// Sorts the options of a solution of an exact cover problem, and reports the solution.
fn ascending(options: &mut [u32], visitor: &mut dyn Visitor) -> Flow {
    options.sort_unstable();
    visitor.solution(Solution::Options(options))
}

impl Covers {
    fn holds(&self, cover: &Arc<CoverProblem>) -> bool {
        self.held.as_ref().is_some_and(|held| Arc::ptr_eq(held, cover))
    }

    fn search(&mut self, cover: &Arc<CoverProblem>, run: SearchContext<'_>) -> Result<Outcome, EndedBy> {
        self.hold(cover, &run)?;
        Ok(if self.is_short {
            Self::run(&mut self.short, cover, run)
        } else {
            Self::run(&mut self.long, cover, run)
        })
    }

    /// Follows one path, see [`TreeSearch::descend`].
    fn descend(&mut self, cover: &Arc<CoverProblem>, run: SearchContext<'_>) -> Result<Outcome, EndedBy> {
        self.hold(cover, &run)?;
        Ok(match (self.is_short, cover.has_colours()) {
            (true, false) => self.short.descend::<false>(run, &mut ascending),
            (true, true) => self.short.descend::<true>(run, &mut ascending),
            (false, false) => self.long.descend::<false>(run, &mut ascending),
            (false, true) => self.long.descend::<true>(run, &mut ascending),
        })
    }

    /// Builds the links of a problem, unless the current links are already for this problem.
    fn hold(&mut self, cover: &Arc<CoverProblem>, run: &SearchContext<'_>) -> Result<(), EndedBy> {
        if !self.holds(cover) {
            self.held = None;
            let largest = bounds::largest_key(cover)?;
            self.is_short = largest <= u8::MAX_LENGTH;
            if self.is_short {
                Self::build(cover, &mut self.short, run)?;
            } else if largest > u32::MAX_LENGTH {
                return Err(EndedBy::Memory);
            } else {
                Self::build(cover, &mut self.long, run)?;
            }
            self.held = Some(Arc::clone(cover));
        }
        Ok(())
    }

    fn build<K: Key>(
        cover: &CoverProblem,
        searcher: &mut Searcher<K>,
        run: &SearchContext<'_>,
    ) -> Result<(), EndedBy> {
        let arena = &mut searcher.arena;
        let mut pace = run.budget.watch().pace();
        arena.begin(ArenaSize {
            items: cover.items(),
            primary: cover.primary(),
            options: cover.options(),
            entries: cover.entries(),
            coloured: cover.has_colours(),
        })?;
        for option in 0..cover.options() {
            let entries = cover.option(option);
            pace.work(entries.len())?;
            arena.add_option(entries.iter().map(|entry| (entry.item, entry.colour)));
        }
        let bounded = cover.has_multiplicities();
        if bounded {
            arena.bound(cover)?;
        }
        arena.finish();
        // With multiplicities, each level either chooses an option or decides not to cover an item any
        // further.
        let levels = if bounded { cover.primary() + cover.options() } else { cover.primary() };
        Ok(searcher.reserve(levels, bounded)?)
    }

    fn run<K: Key>(searcher: &mut Searcher<K>, cover: &CoverProblem, run: SearchContext<'_>) -> Outcome {
        searcher.arena.clear_counters();
        match (cover.has_colours(), cover.has_multiplicities()) {
            (false, false) => searcher.search::<false, false>(run, &mut ascending),
            (true, false) => searcher.search::<true, false>(run, &mut ascending),
            (false, true) => searcher.search::<false, true>(run, &mut ascending),
            (true, true) => searcher.search::<true, true>(run, &mut ascending),
        }
    }
}
