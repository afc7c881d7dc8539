//! The search over the links: Knuth's Algorithms X, C and M (7.2.2.1), with an explicit stack.
//!
//! One walk serves all three algorithms. Constants enable the code for colours and multiplicities, so that plain
//! problems do not pay for it. With multiplicities (`BOUNDED`) a decision may also be the item itself, as in
//! Algorithm M, which means no further option of it. Options that were tried are removed from the item's list
//! (`tweak`), see [`bounded`](super::bounded).

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
    /// The node whose option is taken now, in the list of the item branched on.
    node: u32,
    /// The item branched on.
    item: u32,
    /// Number of untried options of the item.
    rest: u32,
    /// True if the item had a choice to begin with.
    branching: bool,
}

/// Further state of a level, for problems with multiplicities.
#[derive(Debug, Clone, Copy)]
struct Tweaks {
    /// The first option of the item's list when the level was entered: Knuth's FT.
    first: u32,
    /// Number of items that were settled before the level's item was chosen.
    settled: u32,
}

/// An arena with everything that a search in it needs.
#[derive(Debug, Default)]
pub(super) struct Searcher<K, const FOURS: bool = false> {
    pub(super) arena: Arena<K, FOURS>,
    stack: Vec<Level>,
    /// One entry per entry of `stack` for problems with multiplicities, otherwise empty.
    tweaks: Vec<Tweaks>,
    /// Scratch space: the path to a frontier node, or the options of a solution.
    path: Vec<u32>,
}

/// Reports a solution to the visitor, given its options in the order taken, including those of the prefix.
pub(super) type Show<'a> = &'a mut dyn FnMut(&mut [u32], &mut dyn Visitor) -> Flow;

impl<K: Key, const FOURS: bool> Searcher<K, FOURS> {
    /// Searches from the arena's current state, in which only clues are placed. Afterwards restores the arena to the
    /// state in which it was built.
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
            // Makes the changes that a level makes when it takes the option. The options before it in the list may
            // stay, since their item is covered.
            assert!(self.arena.is_open(node), "a prefix comes from a search of the same problem");
            branchings += usize::from(self.arena.has_choice(node));
            self.arena.cover::<COLOURED>(self.arena.item_of(node));
            self.arena.cover_others::<COLOURED>(node);
        }
        if !prefix.is_empty() {
            // The search that reported the part has counted the work on its path. So the counters of all parts add
            // up.
            self.arena.clear_counters();
        }
        let end = self.walk::<COLOURED, BOUNDED, false>(&mut run, show, branchings);
        let mut outcome = run.outcome(end);
        if let Some(counters) = &mut outcome.counters {
            (counters.covers, counters.updates) = (Some(self.arena.covers), Some(self.arena.updates));
        }
        // At the end of the walk, the changes to the links are still in place, those of the prefix included.
        self.arena.restore();
        outcome
    }

    /// Follows one path from the arena's current state, like
    /// [`TreeSearch::descend`](crate::TreeSearch::descend).
    ///
    /// Afterwards restores the arena to the state in which it was built.
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

    /// Walks the tree. `branchings` is the number of levels above with a choice, including those of the
    /// prefix.
    ///
    /// With `ONE_PATH` the visitor chooses one option of each level, and the others are left out.
    fn walk<const COLOURED: bool, const BOUNDED: bool, const ONE_PATH: bool>(
        &mut self,
        run: &mut SearchContext<'_>,
        show: Show<'_>,
        mut branchings: usize,
    ) -> Result<(), EndedBy> {
        let Searcher { arena, stack, tweaks, path } = self;
        let prefix = run.task.prefix;
        // Number of levels on the stack with an untried option.
        let mut open = 0u32;
        let mut next_look = arena.work::<COLOURED>() + WORK_BETWEEN_LOOKS / 2;
        loop {
            // Nodes of large problems take milliseconds, and so do children that are only reported.
            if arena.work::<COLOURED>() >= next_look {
                run.budget.look_at_clock()?;
                next_look = arena.work::<COLOURED>() + WORK_BETWEEN_LOOKS / 2;
            }
            // X2, a new level; X3, choose an item. `leaf`: there is nothing below.
            let is_entered = run.enter_or(branchings, |visitor, nodes| {
                path.clear();
                path.extend_from_slice(prefix);
                path.extend(stack.iter().map(|level| level.node));
                visitor.frontier(path, nodes)
            })?;
            let leaf = !is_entered || {
                let settled = if BOUNDED { arena.settled() } else { 0 };
                // With multiplicities, `length` is the branching degree.
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
                        // X4, cover the item, with its first option to be tried; M4, prepare to branch.
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
                        // Forced decisions are not branchings: the depth of a frontier is a number of choices, no
                        // matter how many forced decisions are between them.
                        branchings += usize::from(rest > 0);
                        false
                    }
                }
            };
            if leaf {
                if open == 0 {
                    return Ok(());
                }
                // X6, try again; X7, backtrack; X8, leave the level: back to the next untried option. M7 to
                // M9 do the same.
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
            // X5, try the option; M5 and M6.
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

    /// Reserves memory for a problem's deepest path, so that the search itself never allocates.
    pub(super) fn reserve(&mut self, levels: usize, bounded: bool) -> Result<(), TryReserveError> {
        clear_and_reserve(&mut self.tweaks, if bounded { levels } else { 0 })?;
        clear_and_reserve(&mut self.stack, levels)?;
        clear_and_reserve(&mut self.path, levels)
    }
}
