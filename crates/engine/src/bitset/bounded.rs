//! The upper levels for problems with multiplicities, where items may be covered several times or not at all.
//!
//! In addition to its live options, an item has two numbers. `left` is the number of times that the item may
//! still be covered (Knuth's BOUND). The slack is the number of these times that are optional (Knuth's SLACK,
//! which never changes). So the item *needs* `left ∸ slack` more options, where ∸ is subtraction that stops
//! at 0. The search counts down the **margin** of the item: the number of its live options minus the number
//! that it needs.
//!
//! | margin | needs | |
//! |---|---|---|
//! | below 0 | | no solution |
//! | 0 | some | all its options are forced |
//! | 0 | none | settled: it has no options and needs none; covered items too |
//! | m > 0 | some | m + 1 ways: choose one of its first m + 1 options |
//! | m > 0 | none | m + 1 ways: choose one of its m options, or no further one |
//!
//! So the item with the fewest ways has the smallest margin above 0. If no margin is above 0, a solution is
//! found. Each way rules out the options of the ways before it. So after an option was tried, it is removed
//! from the state that the branching keeps. Every child starts with a copy of this state.
//!
//! An option dies only if one of its items cannot be covered any more, or if one of its secondary items is
//! covered by another option. Many other options often die with it. In that case it may be cheaper to count
//! the options of all items again, from rows with one bit per option.
//!
//! These problems are not searched in blocks, because a block stores only which pairs of options exclude each
//! other.
//!
//! Source of the branching: Algorithm M in Knuth, The Art of Computer Programming 4B, 7.2.2.1.

use super::table::ProblemTables;
use super::walk::{Level, Walk, clear_and_reserve};
use super::{COVER_NO_FURTHER, Store};
use quadrille_model::EndedBy;
use quadrille_model::bits::{Bits, first_bits};
use quadrille_model::simd::{WordKernel, Words};

/// The state of a node. Its lists are borrowed from the memory of the search.
struct NodeState<'a> {
    table: &'a ProblemTables,
    /// The options that can still be chosen, one bit per option.
    live: &'a mut [u64],
    /// For each primary item, its margin (number of live options minus number needed). A negative margin
    /// wraps around.
    margins: &'a mut [u32],
    /// For each primary item, the number of times that it may still be covered.
    left: &'a mut [u32],
    /// Items that need all of their live options.
    queue: &'a mut Vec<u32>,
    /// Scratch space for a set of options.
    dead: &'a mut [u64],
    /// Work done so far for chosen options: the number of options visited in lists, plus the number of words
    /// of sets.
    work: u64,
}

impl<'a> NodeState<'a> {
    /// Borrows the state of a node from a store. `live` and `counts` are its positions there.
    ///
    /// Also returns the store's path.
    #[inline(always)]
    fn new(
        table: &'a ProblemTables,
        store: &'a mut Store,
        live: usize,
        counts: usize,
    ) -> (Self, &'a mut Vec<u32>) {
        let Store { arena, counts: all, queue, path, sets, .. } = store;
        let (margins, left) = all[counts..counts + 2 * table.primary].split_at_mut(table.primary);
        let live = &mut arena[live..live + table.options().div_ceil(64)];
        (NodeState { table, live, margins, left, queue, dead: sets, work: 0 }, path)
    }

    /// Sets the state to the root of a whole problem. Returns false if an item has fewer options than it
    /// needs.
    fn begin(&mut self) -> bool {
        first_bits(self.live, self.table.options() as u32);
        let mut possible = true;
        for item in 0..self.table.primary {
            let (high, slack) = self.table.bounds_of(item as u32);
            let options = self.table.options_of(item as u32).len() as u32;
            possible &= options >= high - slack;
            self.margins[item] = options.wrapping_sub(high - slack);
            self.left[item] = high;
        }
        self.find_forced();
        possible
    }

    /// Queues the items that need all of their live options.
    #[inline(always)]
    fn find_forced(&mut self) {
        let slacks = self.table.slacks.as_slice();
        let (margins, left) = (&self.margins[..slacks.len()], &self.left[..slacks.len()]);
        // Usually no item needs all of its options. A loop without an early exit tests four or more items per
        // instruction, so it finds this out quickly.
        let mut any = false;
        for item in 0..slacks.len() {
            any |= (margins[item] == 0) & (left[item] > slacks[item]);
        }
        if any {
            for item in 0..slacks.len() {
                if margins[item] == 0 && left[item] > slacks[item] {
                    self.queue.push(item as u32);
                }
            }
        }
    }

    #[inline(always)]
    fn needs(&self, item: u32) -> bool {
        self.left[item as usize] > self.table.slack_of(item)
    }

    #[inline(always)]
    fn is_live(&self, option: u32) -> bool {
        self.live[option as usize / 64] >> (option % 64) & 1 != 0
    }

    /// Returns the first live option in an item's list, at or after position `from`. Also returns the
    /// position after this option.
    ///
    /// Returns `None` if there is no such option.
    #[inline(always)]
    fn next_option(&self, item: u32, from: u32) -> Option<(u32, u32)> {
        let rest = self.table.options_of(item).get(from as usize..)?;
        let place = rest.iter().position(|&option| self.is_live(option))?;
        Some((rest[place], from + place as u32 + 1))
    }

    /// Chooses an option and all options that it forces. Returns false if there is no solution below the
    /// node.
    ///
    /// Appends all chosen options to the path. If `option` is `None`, chooses only the options that are
    /// forced already.
    #[inline(always)]
    fn settle(&mut self, option: Option<u32>, path: &mut Vec<u32>) -> bool {
        let mut next = option;
        loop {
            if let Some(option) = next {
                path.push(self.table.original(option));
                if !self.take(option) {
                    self.queue.clear();
                    return false;
                }
            }
            let Some(&item) = self.queue.last() else { return true };
            next = None;
            if !self.needs(item) {
                self.queue.pop();
            } else if let Some((option, _)) = self.next_option(item, 0) {
                next = Some(option);
            } else {
                self.queue.clear();
                return false;
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, option: u32) -> bool {
        let (table, words) = (self.table, self.live.len());
        self.live[option as usize / 64] &= !(1 << (option % 64));
        let sides = table.secondary_of(option);
        let mut is_any_full = !sides.is_empty();
        for &item in table.items_of(option) {
            let left = &mut self.left[item as usize];
            *left -= 1;
            is_any_full |= *left == 0;
            // The item has one live option fewer. Its margin stays the same if it also needs one option
            // fewer.
            self.margins[item as usize] -= u32::from(*left < table.slack_of(item));
        }
        if !is_any_full {
            return true;
        }
        let dead = &mut self.dead[..words];
        dead.fill(0);
        for &item in table.items_of(option) {
            if self.left[item as usize] == 0 {
                let row = &table.row_of(item)[..words];
                for word in 0..words {
                    dead[word] |= row[word];
                }
            }
        }
        for &side in sides {
            self.work += table.side_options(side) as u64;
            for other in table.ruled_out(side) {
                dead[other as usize / 64] |= 1 << (other % 64);
            }
        }
        self.work += (table.items_of(option).len() * words) as u64;
        let mut options = 0;
        for word in 0..words {
            dead[word] &= self.live[word];
            self.live[word] &= !dead[word];
            options += dead[word].count_ones() as usize;
        }
        // Counting the options in one word of a row takes about half the time of updating the margin for one
        // item of an option.
        if options * table.mean_size() * 2 > table.primary * words {
            self.work += table.rows.len() as u64;
            return self.count_anew();
        }
        self.work += (options * table.mean_size()) as u64;
        let mut possible = true;
        for word in 0..words {
            for bit in Bits(self.dead[word]) {
                possible &= self.count_down((word * 64 + bit) as u32);
            }
        }
        possible
    }

    /// Rules out a live option. Returns false if an item then has fewer options than it needs.
    #[inline(always)]
    fn remove(&mut self, option: u32) -> bool {
        self.live[option as usize / 64] &= !(1 << (option % 64));
        self.count_down(option)
    }

    /// Updates the margins of an option's items, because the option is no longer live. Returns false if a
    /// margin falls below 0.
    #[inline(always)]
    fn count_down(&mut self, option: u32) -> bool {
        let mut possible = true;
        for &item in self.table.items_of(option) {
            let margin = self.margins[item as usize].wrapping_sub(1);
            self.margins[item as usize] = margin;
            possible &= margin != u32::MAX;
            if margin == 0 && self.needs(item) {
                self.queue.push(item);
            }
        }
        possible
    }

    /// Counts the live options of every item again. Returns false if an item has fewer than it needs.
    #[inline(always)]
    fn count_anew(&mut self) -> bool {
        let (words, slacks, left) = (self.live.len(), self.table.slacks.as_slice(), &self.left[..]);
        let (rows, margins) = (self.table.rows.as_slice(), &mut self.margins[..left.len()]);
        let mut possible = true;
        if words == 1 {
            let live = self.live[0];
            for item in 0..left.len() {
                let needed = left[item].saturating_sub(slacks[item]);
                let options = (rows[item] & live).count_ones();
                possible &= options >= needed;
                margins[item] = options.wrapping_sub(needed);
            }
        } else {
            for item in 0..left.len() {
                let row = &rows[item * words..][..words];
                let mut options = 0;
                for word in 0..words {
                    options += (row[word] & self.live[word]).count_ones();
                }
                let needed = left[item].saturating_sub(slacks[item]);
                possible &= options >= needed;
                margins[item] = options.wrapping_sub(needed);
            }
        }
        if possible {
            self.queue.clear();
            self.find_forced();
        }
        possible
    }

    /// Returns the item with the smallest margin above 0, and the margin.
    ///
    /// If there are several such items, returns the leftmost. Returns `None` if every margin is 0, so that
    /// nothing is left to decide.
    #[inline(always)]
    fn choose(&self) -> Option<(u32, u32)> {
        let mut least = u32::MAX;
        for &margin in self.margins.iter() {
            least = least.min(margin.wrapping_sub(1));
        }
        let margin = least.wrapping_add(1);
        let mut item = 0;
        while margin > 0 && self.margins[item] != margin {
            item += 1;
        }
        (margin > 0).then_some((item as u32, margin))
    }

    /// Returns true if branching on the item works as in Algorithm X.
    ///
    /// This is the case if the item must be covered exactly once more. An option that was tried then need not
    /// be ruled out, because the next chosen option of the item rules it out.
    #[inline(always)]
    fn is_plain(&self, item: u32) -> bool {
        self.left[item as usize] == 1 && self.table.slack_of(item) == 0
    }

    /// Follows a decision of an earlier search at the next branching. Rules out the options that the earlier
    /// search tried before this decision.
    ///
    /// Returns the chosen option, or `None` if the decision is [`COVER_NO_FURTHER`]. The second value is
    /// false if there is no solution.
    fn repeat(&mut self, decision: u32) -> (Option<u32>, bool) {
        const SAME: &str = "a prefix comes from a search of the same problem";
        let (item, _) = self.choose().expect(SAME);
        let wanted = (decision != COVER_NO_FURTHER).then(|| self.table.own(decision).expect(SAME));
        let (is_plain, mut possible, mut from) = (self.is_plain(item), true, 0);
        while let Some((option, after)) = self.next_option(item, from) {
            if wanted == Some(option) {
                return (wanted, possible);
            }
            if !is_plain {
                possible &= self.remove(option);
            }
            from = after;
        }
        assert!(wanted.is_none(), "{SAME}");
        (None, possible)
    }
}

impl Walk<'_> {
    /// Follows the decisions of the prefix (the path to a part of the tree), and enters the node at its end.
    pub(super) fn start_bounded(&mut self) -> Result<(), EndedBy> {
        clear_and_reserve(&mut self.store.arena, self.table.options().div_ceil(64))?;
        self.room_for_counts(2 * self.table.primary)?;
        let (mut state, path) = NodeState::new(self.table, self.store, 0, 0);
        let mut possible = state.begin();
        let mut last = None;
        for &decision in self.run.task.prefix {
            possible = possible && state.settle(last, path);
            assert!(possible, "a prefix comes from a search of the same problem");
            (last, possible) = state.repeat(decision);
        }
        if !possible {
            state.queue.clear();
        }
        if !self.try_enter()? || !possible {
            self.store.queue.clear();
            return Ok(());
        }
        self.arrive_bounded(0, 0, last)
    }

    /// Chooses an option and all options that it forces. Then adds a branching if the node is still open.
    ///
    /// The caller has already copied the parent's state to the given positions.
    #[inline(always)]
    fn arrive_bounded(&mut self, live: usize, counts: usize, option: Option<u32>) -> Result<(), EndedBy> {
        let (mut state, path) = NodeState::new(self.table, self.store, live, counts);
        let possible = state.settle(option, path);
        // The work includes copying the parent's state, in addition to settling the node.
        self.run.budget.work(state.work + (state.live.len() + 2 * state.margins.len()) as u64)?;
        if !possible {
            return Ok(());
        }
        let Some((item, margin)) = state.choose() else { return self.solved() };
        let is_plain = state.is_plain(item);
        let end = live + state.live.len();
        let path = path.len() as u32;
        let rest = margin + 1;
        self.store.levels.push(Level { live, end, counts, item, rest, path, is_plain, ..Level::default() });
        Ok(())
    }
}

/// Searches a problem with multiplicities until the stack is empty.
pub(super) struct Bounded<'w, 'a>(pub(super) &'w mut Walk<'a>);

impl WordKernel for Bounded<'_, '_> {
    type Output = Result<(), EndedBy>;

    #[inline(always)]
    fn run<I: Words>(self, _: I) -> Result<(), EndedBy> {
        let walk = self.0;
        let table = walk.table;
        let (words, size) = (table.options().div_ceil(64), 2 * table.primary);
        while let Some(&level) = walk.store.levels.last() {
            if level.rest == 0 {
                walk.store.levels.pop();
                continue;
            }
            let Level { live, end, counts, item, .. } = level;
            let (mut state, path) = NodeState::new(table, walk.store, live, counts);
            path.truncate(level.path as usize);
            let mut is_closed = level.is_closed;
            if let Some(tried) = level.cursor.checked_sub(1)
                && !level.is_plain
            {
                is_closed |= !state.remove(table.options_of(item)[tried as usize]);
                state.queue.clear();
            }
            let next = state.next_option(item, level.cursor);
            let level = walk.store.levels.last_mut().expect("seen above");
            level.rest -= 1;
            level.is_closed = is_closed;
            level.taken = next.map_or(COVER_NO_FURTHER, |(option, _)| table.original(option));
            level.cursor = next.map_or(level.cursor, |(_, after)| after);
            walk.run.guesses += u64::from(level.rest > 0);
            if !walk.try_enter()? || is_closed {
                continue;
            }
            clear_and_reserve(&mut walk.store.arena, end + words)?;
            walk.room_for_counts(counts + 2 * size)?;
            walk.store.arena.copy_within(live..live + words, end);
            walk.store.counts.copy_within(counts..counts + size, counts + size);
            NodeState::new(table, walk.store, end, counts + size).0.find_forced();
            walk.arrive_bounded(end, counts + size, next.map(|(option, _)| option))?;
        }
        Ok(())
    }
}
