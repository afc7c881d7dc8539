//! Depth-first search with propagation on grids, independent of how a grid is represented.

use crate::search_context::SearchContext;
use crate::{SHORT_SEARCH_NODES, Task};
use quadrille_model::bits::Bits;
use quadrille_model::{EndedBy, Solution};

/// Receiver of the events of a walk through the search tree.
pub(super) trait TreeVisitor {
    /// Called before the node at the end of `path` is entered. Returns false if the node must not be entered.
    fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy>;
    /// Called when a decision was not forced.
    fn guess(&mut self);
    /// Takes a solution.
    fn solution(&mut self, digits: &[u8]) -> Result<(), EndedBy>;
    /// Returns true if the walk may skip decisions that cannot lead to solutions.
    ///
    /// False if the search may be cut into parts, because the nodes of its parts must add up to those of the whole.
    fn may_skip(&self) -> bool {
        false
    }
}

impl TreeVisitor for SearchContext<'_> {
    fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy> {
        SearchContext::enter(self, path)
    }

    fn guess(&mut self) {
        self.guesses += 1;
    }

    fn solution(&mut self, digits: &[u8]) -> Result<(), EndedBy> {
        SearchContext::solution(self, Solution::Digits(digits))
    }

    fn may_skip(&self) -> bool {
        let Task { prefix, frontier, limits, .. } = self.task;
        let is_short = limits.nodes.is_some_and(|nodes| nodes <= SHORT_SEARCH_NODES);
        is_short && prefix.is_empty() && frontier.is_none()
    }
}

/// A grid in which each decision is propagated. The state of the grid depends only on the decisions made so
/// far.
pub(super) trait Position {
    /// Element of a state. A state is stored as a slice of such elements.
    type Part: Copy;

    /// Returns the number of cells per row and the number of cells.
    fn size(&self) -> (usize, usize);
    /// Loads the problem and propagates the consequences of its clues. Returns false if there is a
    /// contradiction.
    ///
    /// Returns an error if the search must end.
    fn load(&mut self) -> Result<bool, EndedBy>;
    /// Places a digit and propagates its consequences. Returns false if there is a contradiction.
    ///
    /// Returns an error if the search must end.
    fn decide(&mut self, cell: usize, digit: usize) -> Result<bool, EndedBy>;
    /// If the grid is solved, appends the digits of all cells and returns true. If it is not solved, returns
    /// false.
    fn fill(&self, digits: &mut Vec<u8>) -> bool;
    /// Appends the decisions that are to be tried next, in order. Each decision is encoded as `cell * side +
    /// digit`.
    fn list(&self, options: &mut Vec<u32>);
    /// Returns true if placing `one` in a cell leads to as many solutions as placing `other` there.
    ///
    /// That is so if the position stays the same when the digits change places.
    fn are_interchangeable(&self, _one: usize, _other: usize) -> bool {
        false
    }
    /// Returns the current state, which can be passed to [`restore`](Self::restore). Its length does not
    /// change after a problem was loaded.
    fn state(&self) -> &[Self::Part];
    /// Restores a state.
    fn restore(&mut self, state: &[Self::Part]);
}

/// Makes the decision `cell * side + digit`.
///
/// Returns false if there is a contradiction, or if the grid has no such cell.
pub(super) fn decide(position: &mut impl Position, decision: u32) -> Result<bool, EndedBy> {
    let (side, cells) = position.size();
    let (cell, digit) = (decision as usize / side, decision as usize % side);
    if cell < cells { position.decide(cell, digit) } else { Ok(false) }
}

/// A node at which some decisions must still be tried.
#[derive(Debug, Clone, Copy)]
struct Branching {
    /// Index in `options` of the first decision of this node that must still be tried.
    ///
    /// The decisions of this node end where the decisions of the next branching begin, or at the end of the
    /// list.
    options: usize,
    /// Number of decisions on the path to the node.
    depth: usize,
    /// Value of [`Walk::found`] before the last decision that was tried.
    found: u64,
    /// Digits whose decisions had no solutions, one bit per digit.
    barren: u64,
}

impl Branching {
    /// Notes whether the decision `last` had solutions, if one was tried. Returns true if `decision` cannot have any.
    fn is_barren(&mut self, position: &impl Position, decision: u32, last: Option<&u32>, found: u64) -> bool {
        let digit_of = |decision: u32| decision as usize % position.size().0;
        if let Some(&last) = last
            && self.found == found
        {
            self.barren |= 1 << digit_of(last);
        }
        self.found = found;
        let digit = digit_of(decision);
        Bits(self.barren).any(|other| other != digit && position.are_interchangeable(other, digit))
    }
}

/// The stack of a search. Its memory is kept from one problem to the next.
#[derive(Debug, Default)]
pub(super) struct Walk<S = u64> {
    branchings: Vec<Branching>,
    /// The states at all branchings.
    saved: Vec<S>,
    /// Decisions that remain at all branchings. At each branching, the decision to try next comes last.
    options: Vec<u32>,
    path: Vec<u32>,
    digits: Vec<u8>,
    /// Number of solutions so far, plus the number of nodes that were not entered.
    found: u64,
}

impl<S: Copy> Walk<S> {
    /// Searches the tree below `prefix`, which is a path from the root.
    pub(super) fn go(
        &mut self,
        position: &mut impl Position<Part = S>,
        prefix: &[u32],
        walker: &mut impl TreeVisitor,
    ) -> Result<(), EndedBy> {
        self.branchings.clear();
        self.options.clear();
        self.saved.clear();
        self.path.clear();
        self.path.extend_from_slice(prefix);
        self.found = 0;
        let may_skip = walker.may_skip();
        if !walker.enter(&self.path)? {
            return Ok(());
        }
        let mut holds = position.load()?;
        for &decision in prefix {
            holds = holds && decide(position, decision)?;
        }
        loop {
            self.digits.clear();
            if holds && position.fill(&mut self.digits) {
                self.found += 1;
                walker.solution(&self.digits)?;
            } else if holds {
                self.branch(position)?;
            }
            holds = loop {
                let Some(branching) = self.branchings.last_mut() else { return Ok(()) };
                let Some(decision) = self.options.pop() else { return Ok(()) };
                let is_last = self.options.len() == branching.options;
                let start = self.saved.len() - position.state().len();
                position.restore(&self.saved[start..]);
                let last = self.path.get(branching.depth);
                let skips = may_skip && branching.is_barren(position, decision, last, self.found);
                self.path.truncate(branching.depth);
                self.path.push(decision);
                if is_last {
                    self.branchings.pop();
                    self.saved.truncate(start);
                }
                if skips {
                    continue;
                }
                if !is_last {
                    walker.guess();
                }
                if walker.enter(&self.path)? {
                    break decide(position, decision)?;
                }
                self.found += 1;
            };
        }
    }

    /// Adds a branching at the current node to the stack.
    fn branch(&mut self, position: &mut impl Position<Part = S>) -> Result<(), EndedBy> {
        let options = self.options.len();
        self.options.try_reserve(position.size().0)?;
        self.branchings.try_reserve(1)?;
        self.saved.try_reserve(position.state().len())?;
        self.saved.extend_from_slice(position.state());
        position.list(&mut self.options);
        self.options[options..].reverse();
        self.branchings.push(Branching { options, depth: self.path.len(), found: self.found, barren: 0 });
        Ok(())
    }
}
