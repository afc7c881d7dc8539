//! The upper levels of the search: live options as one bit each, and one counter per item.
//!
//! Taking an option goes through the lists of its items and counts down the other items of every option that
//! it rules out. A counter that reaches one queues its item, and a counter that reaches zero ends the
//! branch immediately. Nothing is undone: a child works on a copy of its parent's bits and counters.
//!
//! A node costs the copy and the entries of the options ruled out. So nodes with many options that rule out few of
//! them are cheap, while recounting (see `block`) would be expensive. If an option rules out so many that recounting
//! is cheaper, all items are recounted here too.

use super::table::ProblemTables;
use quadrille_model::bits::first_bits;

/// Flag in the counter of a covered item. Counting down never reaches it.
pub(super) const COVERED: u32 = 1 << 31;

/// The borrowed state of a node.
pub(super) struct ItemCounts<'a> {
    /// The options that may still be taken, one bit per option.
    pub(super) live: &'a mut [u64],
    /// Per primary item, the number of its live options.
    pub(super) counts: &'a mut [u32],
    /// Number of uncovered items.
    pub(super) remaining: u32,
    /// Work of taking options so far: the number of options visited in lists, plus words of rows.
    pub(super) work: u64,
}

impl ItemCounts<'_> {
    /// Starts a whole problem and queues items with one option; returns `false` if an item has none.
    pub(super) fn begin(&mut self, table: &ProblemTables, queue: &mut Vec<u32>) -> bool {
        first_bits(self.live, table.options() as u32);
        let mut possible = true;
        for (item, count) in self.counts.iter_mut().enumerate() {
            *count = table.options_of(item as u32).len() as u32;
            possible &= *count > 0;
            if *count == 1 {
                queue.push(item as u32);
            }
        }
        self.remaining = table.primary as u32;
        possible
    }

    #[inline(always)]
    pub(super) fn is_live(&self, option: u32) -> bool {
        self.live[option as usize / 64] >> (option % 64) & 1 != 0
    }

    /// Takes an option and everything it forces; returns `false` if there is no solution below.
    ///
    /// Appends all options taken to the path.
    #[inline(always)]
    pub(super) fn settle(
        &mut self,
        table: &ProblemTables,
        option: Option<u32>,
        queue: &mut Vec<u32>,
        path: &mut Vec<u32>,
    ) -> bool {
        let mut next = option;
        loop {
            if let Some(option) = next {
                path.push(table.original(option));
                if !self.take(table, option, queue) {
                    queue.clear();
                    return false;
                }
            }
            let Some(item) = queue.pop() else { return true };
            next = (self.counts[item as usize] & COVERED == 0).then(|| {
                let mut options = table.options_of(item).iter().copied();
                options
                    .find(|&option| self.is_live(option))
                    .expect("an item with a count of one has an option")
            });
        }
    }

    #[inline(always)]
    fn take(&mut self, table: &ProblemTables, option: u32, queue: &mut Vec<u32>) -> bool {
        let items = table.items_of(option);
        if table.has_rows() {
            let ruled_out: usize =
                items.iter().map(|&item| self.counts[item as usize] as usize & !(COVERED as usize)).sum();
            if ruled_out * table.mean_size() >= table.rows.len() {
                return self.take_by_rows(table, option, queue);
            }
        }
        for &item in items {
            self.counts[item as usize] |= COVERED;
        }
        self.remaining -= items.len() as u32;
        let mut possible = true;
        for &item in items {
            let others = table.options_of(item);
            self.work += others.len() as u64;
            for &other in others {
                if self.is_live(other) {
                    possible &= self.remove(table, other, queue);
                }
            }
        }
        for &side in table.secondary_of(option) {
            self.work += table.side_options(side) as u64;
            for other in table.ruled_out(side) {
                if self.is_live(other) {
                    possible &= self.remove(table, other, queue);
                }
            }
        }
        possible
    }

    /// Takes an option that rules out many others, by recounting all items, which is cheaper then.
    #[inline(always)]
    fn take_by_rows(&mut self, table: &ProblemTables, option: u32, queue: &mut Vec<u32>) -> bool {
        let items = table.items_of(option);
        for &item in items {
            self.counts[item as usize] |= COVERED;
            for (live, row) in self.live.iter_mut().zip(table.row_of(item)) {
                *live &= !row;
            }
        }
        self.remaining -= items.len() as u32;
        self.work += table.rows.len() as u64;
        for &side in table.secondary_of(option) {
            self.work += table.side_options(side) as u64;
            for other in table.ruled_out(side) {
                self.live[other as usize / 64] &= !(1 << (other % 64));
            }
        }
        let mut possible = true;
        for (item, before) in self.counts.iter_mut().enumerate() {
            if *before & COVERED != 0 {
                continue;
            }
            let bits = self.live.iter().zip(table.row_of(item as u32));
            let count = bits.map(|(live, row)| u64::from((live & row).count_ones())).sum::<u64>() as u32;
            possible &= count != 0;
            if count == 1 && *before != 1 {
                queue.push(item as u32);
            }
            *before = count;
        }
        possible
    }

    #[inline(always)]
    fn remove(&mut self, table: &ProblemTables, option: u32, queue: &mut Vec<u32>) -> bool {
        self.live[option as usize / 64] &= !(1 << (option % 64));
        let mut possible = true;
        for &item in table.items_of(option) {
            let count = &mut self.counts[item as usize];
            *count -= 1;
            possible &= *count != 0;
            if *count == 1 {
                queue.push(item);
            }
        }
        possible
    }

    /// Returns the item with the fewest options, the leftmost on ties, and their number.
    #[inline(always)]
    pub(super) fn choose(&self) -> (u32, u32) {
        let least = self.counts.iter().copied().fold(u32::MAX, u32::min);
        let item = self.counts.iter().position(|&count| count == least);
        (item.unwrap_or(0) as u32, least)
    }
}
