//! The search on the links: Knuth's Algorithms X, C and M (7.2.2.1), with an explicit stack.
//!
//! One function serves all three algorithms. Constants enable the code for colours and multiplicities, so
//! this code costs plain problems nothing. With multiplicities (`BOUNDED`), a decision is an option, or the
//! item itself as in Algorithm M. The item as decision means that it is not covered any further. Options that
//! were tried are removed from the item's list (`tweak`), see [`bounded`](super::bounded).

use std::collections::TryReserveError;

use super::arena::Arena;
use super::key::Key;
use crate::budget::WORK_BETWEEN_LOOKS;
use crate::memory::clear_and_reserve;
use crate::search_context::SearchContext;
use crate::{Flow, Visitor};
use quadrille_model::{EndedBy, Outcome};

/// A decision on the path.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The node in the item's list that belongs to the option that is being tried.
    node: u32,
    /// The item branched on.
    item: u32,
    /// Number of options of the item that remain to be tried.
    rest: u32,
    /// True if the item had at least two options when the level was entered.
    branching: bool,
}

/// Extra state of a level for problems with multiplicities.
#[derive(Debug, Clone, Copy)]
struct Tweaks {
    /// The first option in the item's list when the level was entered. This is Knuth's FT.
    first: u32,
    /// Number of settled items (items that need no further option) at the time before the level's item was
    /// chosen.
    settled: u32,
}

/// The links of a problem, with everything that a search on them needs.
#[derive(Debug, Default)]
pub(super) struct Searcher<K, const FOURS: bool = false> {
    pub(super) arena: Arena<K, FOURS>,
    stack: Vec<Level>,
    /// Extra state of each entry of `stack`. Empty for problems without multiplicities.
    tweaks: Vec<Tweaks>,
    /// Scratch space for the path to a node that is only reported (a frontier node), or for the options of a
    /// solution.
    path: Vec<u32>,
}

/// A function that reports a solution to the visitor.
///
/// Its first argument has the options of the solution in the order in which they were chosen, including those
/// of the prefix.
pub(super) type Show<'a> = &'a mut dyn FnMut(&mut [u32], &mut dyn Visitor) -> Flow;

impl<K: Key, const FOURS: bool> Searcher<K, FOURS> {
    /// Searches from the current state of the links, in which only clues are covered.
    ///
    /// Afterwards restores the links to the state that they had directly after building.
    pub(super) fn search<const COLOURED: bool, const BOUNDED: bool>(
        &mut self,
        mut run: SearchContext<'_>,
        show: Show<'_>,
    ) -> Outcome {
        self.stack.clear();
        self.tweaks.clear();
        let prefix = run.task.prefix;
        let mut branchings = 0;
        for &node in prefix {
            if BOUNDED {
                branchings += usize::from(self.arena.repeat::<COLOURED>(node));
                continue;
            }
            // A level makes the same changes when it chooses the option. Earlier options in the list may
            // stay, since their item is covered.
            assert!(self.arena.is_open(node), "a prefix comes from a search of the same problem");
            branchings += usize::from(self.arena.has_choice(node));
            self.arena.cover::<COLOURED>(self.arena.item_of(node));
            self.arena.cover_others::<COLOURED>(node);
        }
        if !prefix.is_empty() {
            // The search that reported this part of the tree has already counted the work on the path to the
            // part. This search does not count it again. So the counters of all parts add up to those of the
            // whole search.
            self.arena.clear_counters();
        }
        let end = self.walk::<COLOURED, BOUNDED, false>(&mut run, show, branchings);
        let mut outcome = run.outcome(end);
        if let Some(counters) = &mut outcome.counters {
            (counters.covers, counters.updates) = (Some(self.arena.covers), Some(self.arena.updates));
        }
        // When the walk ends, its changes to the links are not undone yet, nor are those of the prefix.
        self.arena.restore();
        outcome
    }

    /// Follows one path from the current state of the links, see
    /// [`TreeSearch::descend`](crate::TreeSearch::descend).
    ///
    /// Afterwards restores the links to the state that they had directly after building.
    pub(super) fn descend<const COLOURED: bool>(
        &mut self,
        mut run: SearchContext<'_>,
        show: Show<'_>,
    ) -> Outcome {
        self.stack.clear();
        let end = self.walk::<COLOURED, false, true>(&mut run, show, 0);
        self.arena.restore();
        run.outcome(end)
    }

    /// Walks the search tree.
    ///
    /// `branchings` is the number of levels so far at which there was a choice, including levels of the
    /// prefix. With `ONE_PATH`, the visitor chooses one option at each level, and the other options are
    /// skipped.
    fn walk<const COLOURED: bool, const BOUNDED: bool, const ONE_PATH: bool>(
        &mut self,
        run: &mut SearchContext<'_>,
        show: Show<'_>,
        mut branchings: usize,
    ) -> Result<(), EndedBy> {
        let Searcher { arena, stack, tweaks, path } = self;
        let prefix = run.task.prefix;
        // Number of levels on the stack that have an untried option.
        let mut open = 0u32;
        let mut next_look = arena.work::<COLOURED>() + WORK_BETWEEN_LOOKS / 2;
        loop {
            // A single node of a large problem takes milliseconds. So the clock is checked whenever enough
            // work was done. This happens even at children that are only reported and not entered.
            if arena.work::<COLOURED>() >= next_look {
                run.budget.look_at_clock()?;
                next_look = arena.work::<COLOURED>() + WORK_BETWEEN_LOOKS / 2;
            }
            // Step X2 enters a new level, and step X3 chooses an item. `leaf` is true if nothing remains to
            // be searched below the node.
            let is_entered = run.enter_or(branchings, |visitor, nodes| {
                path.clear();
                path.extend_from_slice(prefix);
                path.extend(stack.iter().map(|level| level.node));
                visitor.frontier(path, nodes)
            })?;
            let leaf = !is_entered || {
                let settled = if BOUNDED { arena.settled() } else { 0 };
                // With multiplicities, `length` is the branching degree of the item.
                match if BOUNDED { arena.choose_degree() } else { arena.choose() } {
                    None => {
                        run.solved(|visitor| {
                            path.clear();
                            let taken = prefix.iter().copied().chain(stack.iter().map(|level| level.node));
                            let taken = taken.filter(|&node| !BOUNDED || !arena.is_header(node));
                            path.extend(taken.map(|node| arena.option_of(node)));
                            show(path, visitor)
                        })?;
                        if BOUNDED {
                            arena.unsettle(settled);
                        }
                        true
                    }
                    Some((_, 0)) => {
                        if BOUNDED {
                            arena.unsettle(settled);
                        }
                        true
                    }
                    Some((item, length)) => {
                        // Step X4 covers the item and tries its first option. With multiplicities, step M4
                        // prepares to branch.
                        let item = item as u32;
                        if BOUNDED {
                            tweaks.push(Tweaks { first: arena.below(item), settled });
                            arena.open::<COLOURED>(item);
                        } else {
                            arena.cover::<COLOURED>(item);
                        }
                        let (mut node, mut rest) = (arena.below(item), length - 1);
                        if ONE_PATH && rest > 0 {
                            (0..run.choose(length)?).for_each(|_| node = arena.below(node));
                            rest = 0;
                        }
                        stack.push(Level { node, item, rest, branching: rest > 0 });
                        open += u32::from(rest > 0);
                        // A forced decision is not a branching. So a depth counts only choices, and not the
                        // forced decisions between them.
                        branchings += usize::from(rest > 0);
                        false
                    }
                }
            };
            if leaf {
                if open == 0 {
                    return Ok(());
                }
                // Steps X6 (try again), X7 (backtrack) and X8 (leave the level) return to the next untried
                // option. With multiplicities, steps M7 to M9 do this.
                while let Some(level) = stack.last_mut() {
                    if BOUNDED {
                        arena.leave_way::<COLOURED>(level.item, level.node);
                    } else {
                        arena.uncover_others::<COLOURED>(level.node);
                    }
                    if level.rest > 0 {
                        level.node = arena.below(level.node);
                        level.rest -= 1;
                        open -= u32::from(level.rest == 0);
                        break;
                    }
                    if BOUNDED {
                        let Tweaks { first, settled } = tweaks.pop().expect("each level has an entry");
                        arena.close::<COLOURED>(level.item, first);
                        arena.unsettle(settled);
                    } else {
                        arena.uncover::<COLOURED>(level.item);
                    }
                    branchings -= usize::from(level.branching);
                    stack.pop();
                }
            }
            // Step X5 tries the option. With multiplicities, steps M5 and M6 do this.
            let level = stack.last().expect("an untried option lies on an open level");
            run.guesses += u64::from(level.rest > 0);
            if BOUNDED {
                arena.take_out::<COLOURED>(level.item, level.node);
                arena.enter_way::<COLOURED>(level.item, level.node);
            } else {
                arena.cover_others::<COLOURED>(level.node);
            }
        }
    }

    /// Reserves memory for the deepest path of a problem, so that the search itself does not allocate.
    pub(super) fn reserve(&mut self, levels: usize, bounded: bool) -> Result<(), TryReserveError> {
        clear_and_reserve(&mut self.tweaks, if bounded { levels } else { 0 })?;
        clear_and_reserve(&mut self.stack, levels)?;
        clear_and_reserve(&mut self.path, levels)
    }
}
