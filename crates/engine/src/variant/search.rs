//! Searches a grid on the [board](super::board). Branches on the most promising cell, or on a digit that has
//! two places in a house.
//!
//! # Which cell
//!
//! The search branches on a cell with few digits. Among such cells it would prefer cells that were involved
//! in earlier contradictions. But the tree must depend on the problem alone, so that parts of the tree can be
//! searched separately ([`TreeSearch`](crate::TreeSearch)). So earlier parts of a search must not influence
//! the choice.
//!
//! Instead, a *trial* comes first: the same search without weights, for at most [`TRIAL_NODES`] nodes. If the
//! trial completes its tree, that is the tree of the search. Otherwise a second search starts from the root.
//! In all choices of the second search, a cell has a weight: the number of the trial's contradictions that
//! involved the cell.

use std::sync::Arc;

use super::board::{Board, Conflict};
use super::innies_outies;
use super::tables::Tables;
use crate::best_walk::{BestWalk, Choices};
use crate::budget::Watch;
use crate::search_context::SearchContext;
use crate::walk::{Position, TreeVisitor, Walk};
use quadrille_model::bits::Bits;
use quadrille_model::rules::Rules;
use quadrille_model::{Direction, EndedBy, Outcome, ProblemRef, Puzzle, Solution};

/// Maximum number of nodes of a trial (a short first search that measures weights).
///
/// Weights help only in searches with far more nodes than this. Puzzles made for people are solved completely
/// within the trial.
const TRIAL_NODES: u64 = 100;
/// Maximum number of rule sets whose tables are kept.
const KEPT: usize = 4;

/// An event in a trial (a short first search). A trial records its events in order.
#[derive(Debug, Clone, Copy)]
enum Event {
    Node,
    Guess,
    Solution,
}

/// The stored events and solutions of a problem's trial (a short first search).
#[derive(Debug, Default)]
struct ProbeRun {
    nodes: u64,
    events: Vec<Event>,
    /// Digits of all solutions. The solutions are stored one after another, without gaps.
    solutions: Vec<u8>,
}

impl TreeVisitor for ProbeRun {
    fn enter(&mut self, _: &[u32]) -> Result<bool, EndedBy> {
        if self.nodes == TRIAL_NODES {
            return Err(EndedBy::Nodes);
        }
        self.nodes += 1;
        self.events.push(Event::Node);
        Ok(true)
    }

    fn guess(&mut self) {
        self.events.push(Event::Guess);
    }

    fn solution(&mut self, digits: &[u8]) -> Result<(), EndedBy> {
        self.events.push(Event::Solution);
        self.solutions.extend_from_slice(digits);
        Ok(())
    }
}

/// Tables, board and stack of the search, reused from one problem to the next.
#[derive(Debug, Default)]
pub(super) struct VariantSearch {
    /// Tables of the most recently used rules, with the latest rules last.
    kept: Vec<Tables>,
    board: Board,
    walk: Walk,
    best: BestWalk,
    trial: ProbeRun,
    /// For each cell, the number of contradictions in the trial (a short first search) that involved the
    /// cell.
    weights: Vec<u32>,
    /// The problem of the last trial (a short first search). The bool is true if the trial covered the whole
    /// tree.
    tried: Option<(Puzzle, bool)>,
}

impl VariantSearch {
    /// Searches a grid with rules.
    pub(super) fn search(
        &mut self,
        puzzle: &Puzzle,
        rules: &Arc<Rules>,
        mut run: SearchContext<'_>,
    ) -> Outcome {
        let tables = self.take_tables(rules);
        let end = self.search_with(&tables, puzzle, &mut run);
        self.keep_tables(tables);
        run.outcome(end)
    }

    /// Searches a grid with rules for its best solutions.
    pub(super) fn search_best(
        &mut self,
        puzzle: &Puzzle,
        rules: &Arc<Rules>,
        run: SearchContext<'_>,
    ) -> Outcome {
        let tables = self.take_tables(rules);
        let (watch, steering) = (run.budget.watch(), Steering::Degrees);
        let mut position = BoardPosition { tables: &tables, puzzle, board: &mut self.board, steering, watch };
        let outcome = self.best.search(&mut position, puzzle, run, |_, _, _, _| Ok(false));
        self.keep_tables(tables);
        outcome
    }

    /// Returns the bound at the root, if the last search for best solutions was of `problem`.
    ///
    /// Otherwise returns a weaker bound that needs no search.
    pub(super) fn bound(&self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        self.best.bound(problem, direction)
    }

    /// Removes and returns the kept tables of `rules`, or creates new tables if there are none.
    fn take_tables(&mut self, rules: &Arc<Rules>) -> Tables {
        match self.kept.iter().position(|tables| Arc::ptr_eq(&tables.rules, rules)) {
            Some(place) => self.kept.remove(place),
            None => {
                if self.kept.len() == KEPT {
                    self.kept.remove(0);
                }
                let mut tables = Tables::new(rules);
                let derived = innies_outies::derived(&tables);
                tables.add_sums(derived);
                tables
            }
        }
    }

    /// Stores tables for the next problem with the same rules.
    fn keep_tables(&mut self, tables: Tables) {
        self.kept.push(tables);
    }

    fn search_with(
        &mut self,
        tables: &Tables,
        puzzle: &Puzzle,
        run: &mut SearchContext<'_>,
    ) -> Result<(), EndedBy> {
        let prefix = run.task.prefix;
        let is_whole = self.try_out(tables, puzzle, run.budget.watch())?;
        if is_whole && prefix.is_empty() && run.task.frontier.is_none() {
            return self.replay(tables, run);
        }
        let mut position = BoardPosition {
            tables,
            puzzle,
            board: &mut self.board,
            watch: run.budget.watch(),
            steering: if is_whole { Steering::Degrees } else { Steering::Weights(&self.weights) },
        };
        self.walk.go(&mut position, prefix, run)
    }

    /// Runs the trial of a problem: a short first search. Skips the trial if the last trial was of the same
    /// problem.
    ///
    /// Returns true if the trial covered the whole tree.
    fn try_out(&mut self, tables: &Tables, puzzle: &Puzzle, watch: Watch<'_>) -> Result<bool, EndedBy> {
        if let Some((known, is_whole)) = &self.tried
            && is_same(known, puzzle)
        {
            return Ok(*is_whole);
        }
        let tried = self.tried.take().map(|(puzzle, _)| puzzle);
        let trial = &mut self.trial;
        trial.nodes = 0;
        trial.events.clear();
        trial.solutions.clear();
        self.weights.clear();
        self.weights.resize(tables.cells, 0);
        let mut position = BoardPosition {
            tables,
            puzzle,
            board: &mut self.board,
            watch,
            steering: Steering::ProbeRun(&mut self.weights),
        };
        let end = self.walk.go(&mut position, &[], trial);
        let is_whole = match end {
            Ok(()) => true,
            Err(EndedBy::Nodes) => false,
            Err(other) => return Err(other),
        };
        let mut tried = tried.unwrap_or_else(|| Puzzle::new(puzzle.geometry()));
        tried.copy_from(puzzle);
        self.tried = Some((tried, is_whole));
        Ok(is_whole)
    }

    /// Reports the recorded events of the trial, just as the search itself would report them.
    fn replay(&self, tables: &Tables, run: &mut SearchContext<'_>) -> Result<(), EndedBy> {
        let mut solutions = self.trial.solutions.chunks(tables.cells);
        for event in &self.trial.events {
            match event {
                Event::Node => {
                    run.enter(&[])?;
                }
                Event::Guess => run.guesses += 1,
                Event::Solution => {
                    let digits = solutions.next().unwrap_or_default();
                    run.solution(Solution::Digits(digits))?;
                }
            }
        }
        Ok(())
    }
}

/// The data that decide on which cell or digit the search branches.
enum Steering<'a> {
    /// Only the number of rules that concern each cell (its degree).
    Degrees,
    /// The degrees. The search is a trial: it also counts the contradictions that involve each cell.
    ProbeRun(&'a mut [u32]),
    /// The degrees, and for each cell the number of the trial's contradictions that involved it.
    Weights(&'a [u32]),
}

/// A board with its problem.
struct BoardPosition<'a> {
    tables: &'a Tables,
    puzzle: &'a Puzzle,
    board: &'a mut Board,
    steering: Steering<'a>,
    watch: Watch<'a>,
}

impl Position for BoardPosition<'_> {
    type Part = u64;

    fn size(&self) -> (usize, usize) {
        (self.tables.side, self.tables.cells)
    }

    fn load(&mut self) -> Result<bool, EndedBy> {
        let (candidates, letters) = (self.puzzle.candidates(), self.puzzle.constraints());
        let step = self.board.load(self.tables, candidates, letters, self.watch);
        self.holds(step)
    }

    fn decide(&mut self, cell: usize, digit: usize) -> Result<bool, EndedBy> {
        let step = self.board.decide(self.tables, cell, digit, self.watch);
        self.holds(step)
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        let is_solved = self.board.is_solved();
        if is_solved {
            digits.extend(self.board.masks.iter().map(|mask| mask.trailing_zeros() as u8));
        }
        is_solved
    }

    fn list(&self, options: &mut Vec<u32>) {
        let decision = |cell: usize, digit: usize| (cell * self.tables.side + digit) as u32;
        match self.choose() {
            Choice::Cell(cell) => {
                options.extend(Bits(self.board.masks[cell]).map(|digit| decision(cell, digit)))
            }
            Choice::Places(digit, places) => {
                options.extend(places.into_iter().map(|cell| decision(cell.into(), digit)))
            }
        }
    }

    fn state(&self) -> &[u64] {
        &self.board.masks
    }

    fn restore(&mut self, state: &[u64]) {
        self.board.restore(state);
    }
}

/// All items are cells. Only full houses have prices for broken rules, because all other rules remove
/// candidates before the bound is computed.
impl Choices for BoardPosition<'_> {
    fn items(&self) -> &[u64] {
        &self.board.masks
    }

    fn option(&self, item: usize, option: usize) -> (usize, usize) {
        (item, option)
    }

    #[inline]
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.tables.houses_of.list(cell).iter().map(|&house| usize::from(house) * self.tables.side)
    }

    fn prices(&self) -> usize {
        self.tables.full.len()
    }
}

impl BoardPosition<'_> {
    /// Returns true if a step of propagation met no contradiction.
    ///
    /// In a trial (a short first search), also counts each contradiction for the cells that it involves.
    fn holds(&mut self, step: Result<(), Conflict>) -> Result<bool, EndedBy> {
        match (step, &mut self.steering) {
            (Ok(()), _) => return Ok(true),
            (Err(Conflict::Stop(reason)), _) => return Err(reason),
            (Err(_), Steering::Degrees | Steering::Weights(_)) => {}
            (Err(Conflict::Cell(cell)), Steering::ProbeRun(weights)) => weights[cell] += 1,
            (Err(Conflict::Sum(sum)), Steering::ProbeRun(weights)) => {
                self.tables.sums[sum].terms.iter().for_each(|&(cell, _)| weights[usize::from(cell)] += 1);
            }
            (Err(Conflict::House(house)), Steering::ProbeRun(weights)) => {
                self.tables.house(house).iter().for_each(|&cell| weights[usize::from(cell)] += 1);
            }
        }
        Ok(false)
    }

    /// Returns the choice with the lowest cost. A choice is a cell, or a digit with two places in a full
    /// house.
    ///
    /// The cost increases with the number of options. It decreases with the number of rules and
    /// contradictions that concern the cells of the choice. On ties, returns the first choice.
    fn choose(&self) -> Choice {
        let tables = self.tables;
        let weights = match self.steering {
            Steering::Weights(weights) => Some(weights),
            Steering::Degrees | Steering::ProbeRun(_) => None,
        };
        // Without weights, the degree only decides ties between equal numbers of options. With weights, a
        // choice may win over one with fewer options.
        let cost = |options: u32, cell: usize| match weights {
            None => (u64::from(options) << 32) - u64::from(tables.degrees[cell]),
            Some(weights) => {
                (u64::from(options) << 32) / u64::from(8 * weights[cell] + tables.degrees[cell] + 1)
            }
        };
        let (mut least, mut choice, mut fewest) = (u64::MAX, Choice::Cell(0), u32::MAX);
        for (cell, mask) in self.board.masks.iter().enumerate() {
            let options = mask.count_ones();
            if options > 1 && cost(options, cell) < least {
                (least, choice) = (cost(options, cell), Choice::Cell(cell));
            }
            fewest = if options > 1 { fewest.min(options) } else { fewest };
        }
        if fewest == 2 && weights.is_none() {
            return choice;
        }
        for house in 0..tables.houses() {
            let cells = tables.house(house);
            let (mut once, mut twice, mut more) = (0, 0, 0);
            for &cell in cells {
                let mask = self.board.masks[usize::from(cell)];
                more |= twice & mask;
                twice |= once & mask;
                once |= mask;
            }
            for digit in Bits(twice & !more) {
                let mut places =
                    cells.iter().filter(|&&cell| self.board.masks[usize::from(cell)] >> digit & 1 != 0);
                let (Some(&a), Some(&b)) = (places.next(), places.next()) else { continue };
                let cost = cost(2, a.into()).midpoint(cost(2, b.into()));
                if cost < least {
                    (least, choice) = (cost, Choice::Places(digit, [a, b]));
                }
            }
        }
        choice
    }
}

/// The alternatives at a branching.
enum Choice {
    /// The digits of a cell.
    Cell(usize),
    /// A digit that has two places in a full house, and these places.
    Places(usize, [u16; 2]),
}

/// Returns true if two puzzles with rules are the same problem.
fn is_same(one: &Puzzle, other: &Puzzle) -> bool {
    let same_rules = match (one.rules(), other.rules()) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    same_rules && one.candidates() == other.candidates() && one.constraints() == other.constraints()
}
