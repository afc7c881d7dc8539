//! Multiplicities: Knuth's Algorithm M on the links.
//!
//! An item with bounds `low..=high` has two numbers in addition to its list. `left` is how often it may still be
//! covered (BOUND). The slack is how many of these it can do without (SLACK, `high - low`, which never changes). Its
//! *branching degree* is `LEN + 1 - (BOUND ∸ SLACK)`, where ∸ is subtraction that stops at 0. An item that is covered
//! often enough may also be left as it is. One that needs `n` more cannot begin with any of its last `n - 1` options.
//!
//! The item's key is the degree itself, plus a bias that keeps it above zero. So the choice is the same pass
//! over bytes as for plain problems. Therefore every change of BOUND above SLACK changes the key.
//!
//! ```text
//! list of i    i -> x1 -> x2 -> x3 -> i      ways: x1, x2, x3, and i itself (no further option) if BOUND <= SLACK
//! after x1     i -> x2 -> x3 -> i            x1 "tweaked": out of all lists, even its own, until the level is left
//! ```
//! An item that is covered often enough and has no option left is *settled*. It cannot be chosen any more, as if it
//! were covered: branching on it would add a node with a single child and decide nothing.
//!
//! Invariants: those of the links. Also, nodes are tweaked from the top of a list down, and all those of a
//! level are restored at once. A covered item has BOUND 0, or is left as it is.
//!
//! Source: Knuth, The Art of Computer Programming 4B, 7.2.2.1, (68)-(72) and Algorithm M.

use super::arena::Arena;
use super::bounds::effective;
use super::key::Key;
use crate::memory::clear_and_reserve;
use quadrille_model::{CoverProblem, EndedBy};

impl<K: Key, const FOURS: bool> Arena<K, FOURS> {
    /// Sets the bounds of the items. All options must have been added before.
    pub(super) fn bound(&mut self, cover: &CoverProblem) -> Result<(), EndedBy> {
        let bounds = &mut self.bounds;
        for list in [&mut bounds.left, &mut bounds.slack, &mut bounds.settled, &mut bounds.first_left] {
            clear_and_reserve(list, cover.primary())?;
        }
        let keys = &mut self.keys[..cover.primary()];
        let low_of = |(item, key): (usize, &K)| effective(cover, item, key.length()).0;
        bounds.bias = keys.iter().enumerate().map(|(item, key)| low_of((item, key))).max().unwrap_or(0);
        for (item, key) in keys.iter_mut().enumerate() {
            let (low, high) = effective(cover, item, key.length());
            bounds.left.push(high);
            bounds.slack.push(high - low);
            key.raise(1 + bounds.bias - low);
        }
        bounds.first_left.extend_from_slice(&bounds.left);
        Ok(())
    }

    /// Returns the item with the smallest branching degree, and the degree (step M3).
    ///
    /// If there are several such items, returns the leftmost. Returns `None` if nothing is left to decide.
    /// Also removes settled items from the choice. A settled item needs no further option and has none left.
    #[inline]
    pub(super) fn choose_degree(&mut self) -> Option<(usize, u32)> {
        loop {
            let (item, key) = self.choose()?;
            let degree = key.saturating_sub(self.bounds.bias);
            if degree != 1 || self.bounds.left[item] > self.bounds.slack[item] {
                return Some((item, degree));
            }
            self.keys[item].flip_covered();
            self.bounds.settled.push(item as u32);
        }
    }

    /// Returns the number of settled items, which are items that need no further option and can get none.
    #[inline]
    pub(super) fn settled(&self) -> u32 {
        self.bounds.settled.len() as u32
    }

    /// Undoes the settling of items. The first `keep` settled items stay settled.
    #[inline]
    pub(super) fn unsettle(&mut self, keep: u32) {
        for item in self.bounds.settled.drain(keep as usize..) {
            self.keys[item as usize].flip_covered();
        }
    }

    /// Returns true if `node` is the header of an item's list. Otherwise it is a node of an option.
    #[inline]
    pub(super) fn is_header(&self, node: u32) -> bool {
        (node as usize) < self.keys.len()
    }

    /// Subtracts one from the number of times that an item may be covered (step M4 of Algorithm M).
    #[inline]
    pub(super) fn open<const COLOURED: bool>(&mut self, item: u32) {
        let left = &mut self.bounds.left[item as usize];
        *left -= 1;
        if *left >= self.bounds.slack[item as usize] {
            self.keys[item as usize].grow();
        }
        if *left == 0 {
            self.cover::<COLOURED>(item);
        }
    }

    /// Undoes [`open`](Self::open), and restores the nodes that [`take_out`](Self::take_out) has removed
    /// (step M8).
    ///
    /// `first` is the node at which the list began before these removals.
    #[inline]
    pub(super) fn close<const COLOURED: bool>(&mut self, item: u32, first: u32) {
        if !self.is_plain(item) {
            self.untweak::<COLOURED>(item, first);
        }
        if self.bounds.left[item as usize] == 0 {
            self.uncover::<COLOURED>(item);
        }
        self.give_back(item);
    }

    /// Returns true if branching on the item works as in Algorithm X.
    ///
    /// This is the case if the item must be covered exactly once more.
    #[inline]
    fn is_plain(&self, item: u32) -> bool {
        self.bounds.left[item as usize] == 0 && self.bounds.slack[item as usize] == 0
    }

    /// Removes an option from the list of an item, so that later branches of this level skip the option (step
    /// M5).
    ///
    /// This is Knuth's `tweak(x, i)`, (68), or `tweak'(x, i)` if the item is covered.
    #[inline]
    pub(super) fn take_out<const COLOURED: bool>(&mut self, item: u32, node: u32) {
        if node == item || self.is_plain(item) {
            return;
        }
        if self.bounds.left[item as usize] > 0 {
            self.updates += self.hide::<COLOURED>(node);
        }
        let below = self.downs[node as usize];
        self.downs[item as usize] = below;
        self.ups[below as usize] = item;
        self.keys[item as usize].shrink();
        self.updates += 1;
    }

    /// Undoes the removals that one level has made with [`take_out`](Self::take_out).
    ///
    /// This is Knuth's `untweak(l)`, (70), or `untweak'(l)`. The loop goes through the options in the order
    /// in which they were removed. A link to an option that is still hidden is repaired when the loop reaches
    /// this option.
    #[inline]
    fn untweak<const COLOURED: bool>(&mut self, item: u32, first: u32) {
        let is_hidden = self.bounds.left[item as usize] > 0;
        let end = self.downs[item as usize];
        self.downs[item as usize] = first;
        let (mut above, mut node) = (item, first);
        while node != end {
            self.ups[node as usize] = above;
            self.keys[item as usize].grow();
            if is_hidden {
                self.unhide::<COLOURED>(node);
            }
            above = node;
            node = self.downs[node as usize];
        }
        self.ups[end as usize] = above;
    }

    /// Chooses the option of a node (step M6).
    ///
    /// If the node is the header of an item's list, the decision is instead to choose no further option of
    /// the item.
    #[inline]
    pub(super) fn enter_way<const COLOURED: bool>(&mut self, item: u32, from: u32) {
        if from == item {
            if self.bounds.left[item as usize] > 0 {
                self.keys[item as usize].flip_covered();
            }
            return;
        }
        let mut node = from + 1;
        while let Some((at, item)) = self.other(from, node, 1) {
            if (item as usize) < self.primary {
                self.open::<COLOURED>(item);
            } else {
                self.commit::<COLOURED>(at, item);
            }
            node = at + 1;
        }
    }

    /// Undoes [`enter_way`](Self::enter_way). This is step M7, or step M9 if `from` is the header of the
    /// item.
    #[inline]
    pub(super) fn leave_way<const COLOURED: bool>(&mut self, item: u32, from: u32) {
        if from == item {
            if self.bounds.left[item as usize] > 0 {
                self.keys[item as usize].flip_covered();
            }
            return;
        }
        let mut node = from - 1;
        while let Some((at, item)) = self.other(from, node, -1) {
            if (item as usize) < self.primary {
                if self.bounds.left[item as usize] == 0 {
                    self.uncover::<COLOURED>(item);
                }
                self.give_back(item);
            } else {
                self.uncommit::<COLOURED>(at, item);
            }
            node = at - 1;
        }
    }

    /// Undoes the changes that [`open`](Self::open) has made to the bounds and the key of an item.
    #[inline]
    fn give_back(&mut self, item: u32) {
        let left = &mut self.bounds.left[item as usize];
        if *left >= self.bounds.slack[item as usize] {
            self.keys[item as usize].shrink();
        }
        *left += 1;
    }

    /// Follows a decision of an earlier search. Returns true if there was more than one possible decision.
    ///
    /// Also removes the options that the earlier search tried before this decision.
    pub(super) fn repeat<const COLOURED: bool>(&mut self, decision: u32) -> bool {
        const SAME: &str = "a prefix comes from a search of the same problem";
        let (item, degree) = self.choose_degree().expect(SAME);
        let item = item as u32;
        let mut way = self.below(item);
        self.open::<COLOURED>(item);
        let mut ways = degree;
        loop {
            assert!(ways > 0, "{SAME}");
            self.take_out::<COLOURED>(item, way);
            if way == decision {
                break;
            }
            way = self.below(way);
            ways -= 1;
        }
        self.enter_way::<COLOURED>(item, way);
        degree > 1
    }
}
