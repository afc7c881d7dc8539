//! The links of dancing links.
//!
//! ```text
//! node      0 .. items            headers: the ends of each item's circular list of options
//!           items ..              a spacer, option 0's nodes, a spacer, option 1's nodes, ..., a spacer
//!
//! ups[n]    the previous node in the item's list;   for a spacer: first node of the option before it
//! downs[n]  the next node in the item's list;       for a spacer: last node of the option after it
//! tops[n]   the node's item;                        for a spacer: SPACER | number of the option after it
//! keys[i]   length of item i's list, top bit set while the item is covered (see `key`)
//! ```
//! If every option has four items (`FOURS`: grids, whose number of items is a multiple of four too), there
//! are no spacers. Then nodes `4k .. 4k + 4` are one option, and the loops over an option's nodes are
//! unrolled. That saves 40% of the instructions of covering, where most of the time is spent.
//!
//! `ups` and `downs` are separate arrays because neighbours are written one by one, while a pair would be
//! read as one word. Loads that wait for both halves to leave the store buffer took 13% of the time on
//! 17-clue puzzles.
//!
//! Only links, keys and colours change in a search, and a copy of their initial state is kept. A search undoes
//! changes only as far as the next option requires. At its end the rest is undone by copying.
//!
//! Invariants: a covered item's own list is not touched until the item is uncovered, and uncovering happens
//! in exactly the reverse order of covering. Source: Knuth, The Art of Computer Programming 4B, 7.2.2.1,
//! (12)-(15) and Algorithms X and C, with (51)-(57) for colours.

use super::bounds::Bounds;
use super::key::Key;
use crate::memory::clear_and_reserve;
use quadrille_model::EndedBy;

/// Flag of spacers in `tops`.
const SPACER: u32 = 1 << 31;
/// Value that replaces the colour of a node after the node's item was purified (restricted) to this colour.
const AGREES: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Arena<K, const FOURS: bool> {
    pub(super) ups: Vec<u32>,
    pub(super) downs: Vec<u32>,
    tops: Vec<u32>,
    pub(super) keys: Vec<K>,
    /// Colour of each node. Empty if no option has a colour.
    colours: Vec<u32>,
    /// The first node of every option. The last entry is the node at which the next option would begin. Empty
    /// if `FOURS` is true.
    firsts: Vec<u32>,
    pub(super) primary: usize,
    first_ups: Vec<u32>,
    first_downs: Vec<u32>,
    first_keys: Vec<K>,
    first_colours: Vec<u32>,
    pub(super) bounds: Bounds,
    /// Number of items covered since the counters were last cleared.
    pub(super) covers: u64,
    /// Number of nodes and of items that were removed from their lists since the counters were last cleared.
    pub(super) updates: u64,
    /// Number of visits to nodes that stayed in their lists because their options give the item the right
    /// colour.
    ///
    /// The visits are counted since the counters were last cleared.
    pub(super) passed: u64,
}

/// The size of a problem, from which an arena is made.
pub(super) struct ArenaSize {
    pub(super) items: usize,
    pub(super) primary: usize,
    pub(super) options: usize,
    pub(super) entries: usize,
    pub(super) coloured: bool,
}

impl<K: Key, const FOURS: bool> Arena<K, FOURS> {
    /// Starts building another problem in the same memory.
    pub(super) fn begin(&mut self, size: ArenaSize) -> Result<(), EndedBy> {
        let ArenaSize { items, primary, options, entries, coloured } = size;
        assert!(
            !FOURS || (items.is_multiple_of(4) && entries == 4 * options),
            "uniform_four requires options of four items"
        );
        let spacers = if FOURS { 0 } else { options + 1 };
        let nodes = items + entries + spacers;
        if nodes >= SPACER as usize {
            return Err(EndedBy::Memory);
        }
        clear_and_reserve(&mut self.ups, nodes)?;
        clear_and_reserve(&mut self.downs, nodes)?;
        clear_and_reserve(&mut self.first_ups, nodes)?;
        clear_and_reserve(&mut self.first_downs, nodes)?;
        clear_and_reserve(&mut self.tops, nodes)?;
        clear_and_reserve(&mut self.colours, if coloured { nodes } else { 0 })?;
        clear_and_reserve(&mut self.first_colours, if coloured { nodes } else { 0 })?;
        clear_and_reserve(&mut self.firsts, spacers)?;
        clear_and_reserve(&mut self.keys, items)?;
        clear_and_reserve(&mut self.first_keys, items)?;
        self.bounds.clear();
        self.primary = primary;
        self.ups.extend(0..items as u32);
        self.downs.extend(0..items as u32);
        self.tops.extend(0..items as u32);
        self.keys.resize(items, K::default());
        if coloured {
            self.colours.resize(items, 0);
        }
        if !FOURS {
            self.spacer();
        }
        Ok(())
    }

    /// Adds a spacer, which ends the previous option, if any, and begins the next one.
    fn spacer(&mut self) {
        let node = self.tops.len() as u32;
        let first = self.firsts.last().copied().unwrap_or(node);
        self.ups.push(first);
        self.downs.push(node);
        self.tops.push(SPACER | self.firsts.len() as u32);
        if !self.colours.is_empty() {
            self.colours.push(0);
        }
        self.firsts.push(node + 1);
    }

    /// Adds an option at the end of the lists of its items.
    ///
    /// `entries` are pairs of an item and a colour; colour 0 means no colour.
    pub(super) fn add_option(&mut self, entries: impl Iterator<Item = (u32, u32)>) {
        let before = self.tops.len().wrapping_sub(1);
        for (item, colour) in entries {
            let (node, above) = (self.tops.len() as u32, self.ups[item as usize]);
            self.ups.push(above);
            self.downs.push(item);
            self.downs[above as usize] = node;
            self.ups[item as usize] = node;
            self.keys[item as usize].grow();
            self.tops.push(item);
            if !self.colours.is_empty() {
                self.colours.push(colour);
            }
        }
        if !FOURS {
            self.downs[before] = self.tops.len() as u32 - 1;
            self.spacer();
        }
    }

    /// Finishes building, and saves the state that [`restore`](Self::restore) returns to.
    pub(super) fn finish(&mut self) {
        self.first_ups.extend_from_slice(&self.ups);
        self.first_downs.extend_from_slice(&self.downs);
        self.first_keys.extend_from_slice(&self.keys);
        self.first_colours.extend_from_slice(&self.colours);
    }

    pub(super) fn clear_counters(&mut self) {
        (self.covers, self.updates, self.passed) = (0, 0, 0);
    }

    /// Returns the work done since the counters were last cleared. Undoing this work takes the same time as
    /// doing it.
    #[inline(always)]
    pub(super) fn work<const COLOURED: bool>(&self) -> u64 {
        self.updates + if COLOURED { self.passed } else { 0 }
    }

    /// Restores the state after building.
    pub(super) fn restore(&mut self) {
        self.ups.copy_from_slice(&self.first_ups);
        self.downs.copy_from_slice(&self.first_downs);
        self.keys.copy_from_slice(&self.first_keys);
        self.colours.copy_from_slice(&self.first_colours);
        self.bounds.restore();
    }

    /// Returns true if all links and lengths are the same as directly after building.
    #[cfg(test)]
    pub(super) fn is_pristine(&self) -> bool {
        (&self.ups, &self.downs) == (&self.first_ups, &self.first_downs)
            && self.keys == self.first_keys
            && self.colours == self.first_colours
            && self.bounds.is_pristine()
    }

    /// Returns the primary item to branch on and the length of its list, or `None` if no primary item is
    /// uncovered.
    ///
    /// The item is the one with the shortest list. If there are several such items, it is the leftmost.
    #[inline(always)]
    pub(super) fn choose(&self) -> Option<(usize, u32)> {
        K::choose(&self.keys[..self.primary])
    }

    /// Returns the node after `node` in the list of an item. After the last node comes the header of the
    /// list.
    #[inline(always)]
    pub(super) fn below(&self, node: u32) -> u32 {
        self.downs[node as usize]
    }

    #[inline(always)]
    pub(super) fn item_of(&self, node: u32) -> u32 {
        self.tops[node as usize]
    }

    pub(super) fn option_of(&self, node: u32) -> u32 {
        if FOURS {
            return (node - self.keys.len() as u32) / 4;
        }
        let mut spacer = node as usize;
        while self.tops[spacer] & SPACER == 0 {
            spacer += 1;
        }
        (self.tops[spacer] & !SPACER) - 1
    }

    /// Returns true if `node` is a node of an option and the node's item is not covered.
    pub(super) fn is_open(&self, node: u32) -> bool {
        let top = self.tops.get(node as usize).copied().unwrap_or(SPACER);
        node as usize >= self.keys.len() && top & SPACER == 0 && !self.keys[top as usize].is_covered()
    }

    /// Returns true if the list of the node's item has options other than the node's option.
    pub(super) fn has_choice(&self, node: u32) -> bool {
        self.ups[node as usize] != self.downs[node as usize]
    }

    /// Chooses an option before the search begins, for example an option for a clue.
    ///
    /// Returns false if one of the option's items is already covered.
    pub(super) fn place(&mut self, option: u32) -> bool {
        let nodes = self.nodes(option);
        if nodes.clone().any(|node| self.keys[self.tops[node] as usize].is_covered()) {
            return false;
        }
        for node in nodes {
            self.cover::<false>(self.tops[node]);
        }
        true
    }

    /// Removes an option from all lists before the search begins, unless a clue has removed it already.
    pub(super) fn ban(&mut self, option: u32) {
        let nodes = self.nodes(option);
        if nodes.clone().any(|node| self.keys[self.tops[node] as usize].is_covered()) {
            return;
        }
        for node in nodes {
            let (up, down, item) = (self.ups[node], self.downs[node], self.tops[node]);
            self.downs[up as usize] = down;
            self.ups[down as usize] = up;
            self.keys[item as usize].shrink();
            self.updates += 1;
        }
    }

    fn nodes(&self, option: u32) -> std::ops::Range<usize> {
        let option = option as usize;
        if FOURS {
            let first = self.keys.len() + 4 * option;
            return first..first + 4;
        }
        self.firsts[option] as usize..self.firsts[option + 1] as usize - 1
    }

    /// Covers an item.
    ///
    /// This is Knuth's `cover(i)`, (12), or with colours `cover'(i)`, (51).
    #[inline]
    pub(super) fn cover<const COLOURED: bool>(&mut self, item: u32) {
        self.keys[item as usize].flip_covered();
        let mut updates = 1;
        let mut node = self.downs[item as usize];
        if FOURS {
            updates += self.hide_four(item);
        } else {
            while node != item {
                updates += self.hide::<COLOURED>(node);
                node = self.downs[node as usize];
            }
        }
        self.covers += 1;
        self.updates += updates;
    }

    /// Uncovers an item.
    ///
    /// This is Knuth's `uncover(i)`, (14).
    #[inline]
    pub(super) fn uncover<const COLOURED: bool>(&mut self, item: u32) {
        let mut node = self.ups[item as usize];
        if FOURS {
            self.unhide_fours(item);
        } else {
            while node != item {
                self.unhide::<COLOURED>(node);
                node = self.ups[node as usize];
            }
        }
        self.keys[item as usize].flip_covered();
    }

    /// Hides all options of an item if options have four items. Returns the number of nodes removed.
    #[inline(always)]
    fn hide_four(&mut self, item: u32) -> u64 {
        let mut updates = 0;
        let mut node = self.downs[item as usize];
        // All nodes in a list have the same position in their options. So the positions of the other three
        // nodes are computed once, before the loop. (A separate loop for each position was no faster.)
        let others = others(node);
        while node != item {
            // The other three nodes of an option are in three different lists. So hiding one of them does not
            // change the links of the others.
            let [tops, ups, downs] =
                [&self.tops, &self.ups, &self.downs].map(|list| &list.as_chunks::<4>().0[node as usize / 4]);
            let below = downs[node as usize % 4];
            for (top, up, down) in others.map(|place| (tops[place % 4], ups[place % 4], downs[place % 4])) {
                self.downs[up as usize] = down;
                self.ups[down as usize] = up;
                self.keys[top as usize].shrink();
            }
            updates += 3;
            node = below;
        }
        updates
    }

    /// Undoes [`hide_four`](Self::hide_four).
    #[inline(always)]
    fn unhide_fours(&mut self, item: u32) {
        let mut node = self.ups[item as usize];
        let others = others(node);
        while node != item {
            let [tops, ups, downs] =
                [&self.tops, &self.ups, &self.downs].map(|list| &list.as_chunks::<4>().0[node as usize / 4]);
            let above = ups[node as usize % 4];
            let nodes = others.map(|place| (place, tops[place % 4], ups[place % 4], downs[place % 4]));
            for (place, top, up, down) in nodes.into_iter().rev() {
                let at = node & !3 | place as u32;
                self.downs[up as usize] = at;
                self.ups[down as usize] = at;
                self.keys[top as usize].grow();
            }
            node = above;
        }
    }

    /// Hides an option: removes it from all lists except the list of `from`. Returns the number of nodes
    /// removed.
    ///
    /// This is Knuth's `hide(p)`, (13).
    #[inline(always)]
    pub(super) fn hide<const COLOURED: bool>(&mut self, from: u32) -> u64 {
        let mut updates = 0;
        let mut node = from + 1;
        while node != from {
            let top = self.tops[node as usize];
            let (up, down) = (self.ups[node as usize], self.downs[node as usize]);
            if top & SPACER != 0 {
                node = up;
                continue;
            }
            if !COLOURED || self.colours[node as usize] != AGREES {
                self.downs[up as usize] = down;
                self.ups[down as usize] = up;
                self.keys[top as usize].shrink();
                updates += 1;
            }
            node += 1;
        }
        updates
    }

    /// Undoes [`hide`](Self::hide): Knuth's `unhide(p)`, (15).
    #[inline(always)]
    pub(super) fn unhide<const COLOURED: bool>(&mut self, from: u32) {
        let mut node = from - 1;
        while node != from {
            let top = self.tops[node as usize];
            let (up, down) = (self.ups[node as usize], self.downs[node as usize]);
            if top & SPACER != 0 {
                node = down;
                continue;
            }
            if !COLOURED || self.colours[node as usize] != AGREES {
                self.downs[up as usize] = node;
                self.ups[down as usize] = node;
                self.keys[top as usize].grow();
            }
            node -= 1;
        }
    }

    /// Returns the next node of an option and the item of that node, or `None` if the next node is `from`.
    ///
    /// The search for the node begins at `at` and goes in steps of `step`, which is 1 or -1. At an end of the
    /// option it continues at the other end.
    #[inline(always)]
    pub(super) fn other(&self, from: u32, mut at: u32, step: i32) -> Option<(u32, u32)> {
        while at != from {
            let top = self.tops[at as usize];
            if top & SPACER == 0 {
                return Some((at, top));
            }
            at = if step > 0 { self.ups[at as usize] } else { self.downs[at as usize] };
        }
        None
    }

    /// Commits the items of the other nodes in a node's option (step X5), going right from the node.
    #[inline(always)]
    pub(super) fn cover_others<const COLOURED: bool>(&mut self, from: u32) {
        if FOURS {
            let tops = self.tops.as_chunks::<4>().0[from as usize / 4];
            for step in 1..4 {
                self.cover::<COLOURED>(tops[(from as usize + step) % 4]);
            }
            return;
        }
        let mut node = from + 1;
        while let Some((at, item)) = self.other(from, node, 1) {
            self.commit::<COLOURED>(at, item);
            node = at + 1;
        }
    }

    /// Undoes [`cover_others`](Self::cover_others), going left from the node (step X6).
    #[inline(always)]
    pub(super) fn uncover_others<const COLOURED: bool>(&mut self, from: u32) {
        if FOURS {
            let tops = self.tops.as_chunks::<4>().0[from as usize / 4];
            for step in (1..4).rev() {
                self.uncover::<COLOURED>(tops[(from as usize + step) % 4]);
            }
            return;
        }
        let mut node = from - 1;
        while let Some((at, item)) = self.other(from, node, -1) {
            self.uncommit::<COLOURED>(at, item);
            node = at - 1;
        }
    }

    /// Covers an item, or purifies it to the colour of a node if the node has a colour.
    ///
    /// This is Knuth's `commit(p, j)`, (52).
    #[inline(always)]
    pub(super) fn commit<const COLOURED: bool>(&mut self, node: u32, item: u32) {
        if !COLOURED || self.colours[node as usize] == 0 {
            self.cover::<COLOURED>(item);
        } else if self.colours[node as usize] != AGREES {
            self.purify(node, item);
        }
    }

    /// Undoes [`commit`](Self::commit).
    ///
    /// This is Knuth's `uncommit(p, j)`, (53).
    #[inline(always)]
    pub(super) fn uncommit<const COLOURED: bool>(&mut self, node: u32, item: u32) {
        if !COLOURED || self.colours[node as usize] == 0 {
            self.uncover::<COLOURED>(item);
        } else if self.colours[node as usize] != AGREES {
            self.unpurify(node, item);
        }
    }

    /// Hides the options that give the item another colour or no colour. This is Knuth's `purify(p)`, (54).
    ///
    /// Marks the options that give it the same colour. The node `from` keeps its colour, because
    /// [`unpurify`](Self::unpurify) needs it.
    fn purify(&mut self, from: u32, item: u32) {
        let colour = self.colours[from as usize];
        let mut node = self.downs[item as usize];
        while node != item {
            if self.colours[node as usize] != colour {
                self.updates += self.hide::<true>(node);
            } else if node != from {
                self.colours[node as usize] = AGREES;
                self.passed += 1;
            }
            node = self.downs[node as usize];
        }
        self.covers += 1;
    }

    /// Undoes [`purify`](Self::purify): Knuth's `unpurify(p)`, (57).
    fn unpurify(&mut self, from: u32, item: u32) {
        let colour = self.colours[from as usize];
        let mut node = self.ups[item as usize];
        while node != item {
            if self.colours[node as usize] == AGREES {
                self.colours[node as usize] = colour;
            } else if node != from {
                self.unhide::<true>(node);
            }
            node = self.ups[node as usize];
        }
    }
}

/// Returns the positions of the other three nodes in an option with four nodes.
///
/// The positions go from left to right, starting after `node` and continuing at the left end.
#[inline(always)]
fn others(node: u32) -> [usize; 3] {
    let place = node as usize;
    [(place + 1) % 4, (place + 2) % 4, (place + 3) % 4]
}
