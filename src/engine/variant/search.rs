//! The search: depth first, on the cell or the pair of places that promises most.
//!
//! # Which cell
//! A cell with few digits, of those one about which past contradictions were. But the tree has to be a function of the problem
//! alone, so that parts of it can be searched by themselves ([`TreeSearch`](crate::engine::TreeSearch)): what a search has met
//! before must not steer it. So a *trial* comes first: the same search without such weights, up to [`TRIAL_NODES`] nodes.
//! Where it sees the whole tree, that is the tree. Else the contradictions that it met weigh the cells, for the whole of a
//! second tree.

use std::sync::Arc;

use super::board::{Board, Culprit, Step};
use super::rests;
use super::tables::Tables;
use crate::bits::Bits;
use crate::engine::run::Run;
use crate::model::{EndedBy, Outcome, Puzzle, Solution};
use crate::rules::Rules;

/// Nodes of the trial. Few beside a search that is worth being steered; puzzles for people are seen whole.
const TRIAL_NODES: u64 = 100;
/// Sets of rules whose tables are kept.
const KEPT: usize = 4;

/// Takes what a walk through the tree meets.
trait Walker {
    /// Asks to enter the node at the end of a path; `false`: it is not entered.
    fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy>;
    /// A decision that was not forced.
    fn guess(&mut self);
    /// A solution.
    fn solution(&mut self, digits: &[u8]) -> Result<(), EndedBy>;
    /// A contradiction.
    fn contradiction(&mut self, tables: &Tables, culprit: Culprit);
}

impl Walker for Run<'_> {
    fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy> {
        Run::enter(self, path)
    }

    fn guess(&mut self) {
        self.guesses += 1;
    }

    fn solution(&mut self, digits: &[u8]) -> Result<(), EndedBy> {
        Run::solution(self, Solution::Digits(digits))
    }

    fn contradiction(&mut self, _: &Tables, _: Culprit) {}
}

/// What the trial met, in order.
#[derive(Debug, Clone, Copy)]
enum Event {
    Node,
    Guess,
    Solution,
}

/// The trial of a problem: what it met, and how often contradictions were about each cell.
#[derive(Debug, Default)]
struct Trial {
    nodes: u64,
    events: Vec<Event>,
    /// Digits of all solutions, one behind the other.
    solutions: Vec<u8>,
    weights: Vec<u32>,
}

impl Walker for Trial {
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

    fn contradiction(&mut self, tables: &Tables, culprit: Culprit) {
        match culprit {
            Culprit::Cell(cell) => self.weights[cell] += 1,
            Culprit::Sum(sum) => {
                tables.sums[sum].terms.iter().for_each(|&(cell, _)| self.weights[usize::from(cell)] += 1);
            }
            Culprit::House(house) => {
                tables.house(house).iter().for_each(|&cell| self.weights[usize::from(cell)] += 1);
            }
        }
    }
}

/// A node with decisions left to try.
#[derive(Debug, Clone, Copy)]
struct Branching {
    /// Start of its decisions in `options`; those from here to the end of the list are left.
    options: usize,
    /// Decisions on the path down to it.
    depth: usize,
}

/// Tables, board and stack, kept from problem to problem.
#[derive(Debug, Default)]
pub(super) struct VariantSearch {
    /// The tables of the last rules, the latest last.
    kept: Vec<Tables>,
    board: Board,
    branchings: Vec<Branching>,
    /// Decisions of all branchings, the last to be tried first, as `cell * side + digit`.
    options: Vec<u32>,
    /// The masks at each branching.
    saved: Vec<u64>,
    path: Vec<u32>,
    digits: Vec<u8>,
    trial: Trial,
    /// The problem that the trial was of, and true if it has seen the whole tree.
    tried: Option<(Puzzle, bool)>,
}

impl VariantSearch {
    /// Searches a grid with rules.
    pub(super) fn search(&mut self, puzzle: &Puzzle, rules: &Arc<Rules>, mut run: Run<'_>) -> Outcome {
        let tables = self.take_tables(rules);
        let end = self.search_with(&tables, puzzle, &mut run);
        self.keep_tables(tables);
        run.outcome(end)
    }

    /// The tables of rules: those that are kept, or new ones.
    pub(super) fn take_tables(&mut self, rules: &Arc<Rules>) -> Tables {
        match self.kept.iter().position(|tables| Arc::ptr_eq(&tables.rules, rules)) {
            Some(place) => self.kept.remove(place),
            None => {
                if self.kept.len() == KEPT {
                    self.kept.remove(0);
                }
                let mut tables = Tables::new(rules);
                let derived = rests::derived(&tables);
                tables.add_sums(derived);
                tables
            }
        }
    }

    /// Keeps tables for the next problem with their rules.
    pub(super) fn keep_tables(&mut self, tables: Tables) {
        self.kept.push(tables);
    }

    fn search_with(&mut self, tables: &Tables, puzzle: &Puzzle, run: &mut Run<'_>) -> Result<(), EndedBy> {
        let prefix = run.task.prefix;
        let is_whole = self.try_out(tables, puzzle)?;
        if is_whole && prefix.is_empty() && run.task.frontier.is_none() {
            return self.replay(tables, run);
        }
        let weights = std::mem::take(&mut self.trial.weights);
        let end = self.walk(tables, puzzle, prefix, (!is_whole).then_some(&weights[..]), run);
        self.trial.weights = weights;
        end
    }

    /// Makes the trial of a problem, unless the last one was of the same; true if it saw the whole tree.
    fn try_out(&mut self, tables: &Tables, puzzle: &Puzzle) -> Result<bool, EndedBy> {
        if let Some((known, is_whole)) = &self.tried
            && is_same(known, puzzle)
        {
            return Ok(*is_whole);
        }
        let tried = self.tried.take().map(|(puzzle, _)| puzzle);
        let mut trial = std::mem::take(&mut self.trial);
        trial.nodes = 0;
        trial.events.clear();
        trial.solutions.clear();
        trial.weights.clear();
        trial.weights.resize(tables.cells, 0);
        let end = self.walk(tables, puzzle, &[], None, &mut trial);
        self.trial = trial;
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

    /// Tells what the trial met, as the same search would meet it again.
    fn replay(&self, tables: &Tables, run: &mut Run<'_>) -> Result<(), EndedBy> {
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

    /// Goes through the tree below a prefix, on cells weighted or not.
    fn walk(
        &mut self,
        tables: &Tables,
        puzzle: &Puzzle,
        prefix: &[u32],
        weights: Option<&[u32]>,
        walker: &mut impl Walker,
    ) -> Result<(), EndedBy> {
        self.branchings.clear();
        self.options.clear();
        self.saved.clear();
        self.path.clear();
        self.path.extend_from_slice(prefix);
        if !walker.enter(&self.path)? {
            return Ok(());
        }
        let mut step = self.go_down(tables, puzzle, prefix);
        loop {
            match step {
                Err(culprit) => walker.contradiction(tables, culprit),
                Ok(()) if self.board.is_solved() => {
                    self.digits.clear();
                    self.digits.extend(self.board.masks.iter().map(|mask| mask.trailing_zeros() as u8));
                    walker.solution(&self.digits)?;
                }
                Ok(()) => self.branch(tables, weights)?,
            }
            step = loop {
                let Some(&Branching { options, depth }) = self.branchings.last() else { return Ok(()) };
                let start = self.saved.len() - tables.cells;
                self.board.restore(&self.saved[start..]);
                let Some(decision) = self.options.pop() else { return Ok(()) };
                self.path.truncate(depth);
                self.path.push(decision);
                if self.options.len() == options {
                    self.branchings.pop();
                    self.saved.truncate(start);
                } else {
                    walker.guess();
                }
                if walker.enter(&self.path)? {
                    let (cell, digit) = (decision as usize / tables.side, decision as usize % tables.side);
                    break self.board.decide(tables, cell, digit);
                }
            };
        }
    }

    /// Goes from the root down a path.
    fn go_down(&mut self, tables: &Tables, puzzle: &Puzzle, prefix: &[u32]) -> Step {
        self.board.load(tables, puzzle.candidates(), puzzle.constraints())?;
        prefix.iter().try_for_each(|&decision| {
            let (cell, digit) = (decision as usize / tables.side, decision as usize % tables.side);
            if cell >= tables.cells {
                return Err(Culprit::Cell(0));
            }
            self.board.decide(tables, cell, digit)
        })
    }

    /// Opens a branching at the present node.
    fn branch(&mut self, tables: &Tables, weights: Option<&[u32]>) -> Result<(), EndedBy> {
        let options = self.options.len();
        self.options.try_reserve(tables.side)?;
        self.saved.try_reserve(tables.cells)?;
        self.branchings.try_reserve(1)?;
        let decision = |cell: usize, digit: usize| (cell * tables.side + digit) as u32;
        match self.choose(tables, weights) {
            Choice::Cell(cell) => {
                self.options.extend(Bits(self.board.masks[cell]).map(|digit| decision(cell, digit)))
            }
            Choice::Places(digit, places) => {
                self.options.extend(places.into_iter().map(|cell| decision(cell.into(), digit)))
            }
        }
        // The last of the list is tried first.
        self.options[options..].reverse();
        self.saved.extend_from_slice(&self.board.masks);
        self.branchings.push(Branching { options, depth: self.path.len() });
        Ok(())
    }

    /// Returns the cell, or the digit with two places in a full house, that costs least: as many digits as it has left, the
    /// fewer the more rules and contradictions are about it. The first of equals.
    fn choose(&self, tables: &Tables, weights: Option<&[u32]>) -> Choice {
        // Of two choices with as many options the one with more weight; with weights, also one with more options.
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

/// What a node branches on.
enum Choice {
    /// The digits of a cell.
    Cell(usize),
    /// The places of a digit in a full house.
    Places(usize, [u16; 2]),
}

/// True if two puzzles with rules are the same problem.
fn is_same(one: &Puzzle, other: &Puzzle) -> bool {
    let same_rules = match (one.rules(), other.rules()) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    same_rules && one.candidates() == other.candidates() && one.constraints() == other.constraints()
}
