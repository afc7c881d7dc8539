//! The upper levels of the search, with one bit per live option and one counter per item.
//!
//! When an option is chosen, the code goes through the lists of its items. For every option that is ruled
//! out, it counts down the counters of that option's other items. When a counter reaches one, the item is
//! queued. When a counter reaches zero, the branch ends immediately. No change is ever undone: a child works
//! on a copy of its parent's bits and counters.
//!
//! The cost of a node is the cost of the copy, plus the number of items in the options that are ruled out. So
//! nodes are cheap if they have many options but rule out few of them. Counting all options again at every
//! node, as `block` does, would be expensive. If an option rules out very many others, counting again is
//! cheaper than counting down. In that case this code counts again too.

use super::Store;
use super::table::ProblemTables;
use quadrille_model::bits::first_bits;

/// Flag in the counter of a covered item. Counting down never goes so far that it clears the flag.
pub(super) const COVERED: u32 = 1 << 31;

/// The state of a node. Its lists are borrowed from the memory of the search.
pub(super) struct ItemCounts<'a> {
    table: &'a ProblemTables,
    /// The options that can still be chosen, one bit per option.
    live: &'a mut [u64],
    /// For each primary item, the number of its live options.
    counts: &'a mut [u32],
    /// Items with a single option that are not covered yet.
    queue: &'a mut Vec<u32>,
    /// Number of uncovered items.
    pub(super) remaining: u32,
    /// Work done so far for chosen options: the number of options visited in lists, plus the number of words
    /// of rows.
    pub(super) work: u64,
}

impl<'a> ItemCounts<'a> {
    /// Returns the state that begins at these positions of the arena and of the counts, and the path.
    #[inline(always)]
    pub(super) fn new(
        table: &'a ProblemTables,
        store: &'a mut Store,
        live: usize,
        counts: usize,
    ) -> (Self, &'a mut Vec<u32>) {
        let Store { arena, counts: all, queue, path, .. } = store;
        let live = &mut arena[live..live + table.options().div_ceil(64)];
        let counts = &mut all[counts..counts + table.primary];
        (ItemCounts { table, live, counts, queue, remaining: 0, work: 0 }, path)
    }

    /// Sets the state to the start of a whole problem, and queues the items that have only one option.
    ///
    /// Returns false if an item has no option.
    pub(super) fn begin(&mut self) -> bool {
        let table = self.table;
        first_bits(self.live, table.options() as u32);
        let mut possible = true;
        for (item, count) in self.counts.iter_mut().enumerate() {
            *count = table.options_of(item as u32).len() as u32;
            possible &= *count > 0;
            if *count == 1 {
                self.queue.push(item as u32);
            }
        }
        self.remaining = table.primary as u32;
        possible
    }

    #[inline(always)]
    fn is_live(&self, option: u32) -> bool {
        self.live[option as usize / 64] >> (option % 64) & 1 != 0
    }

    /// Chooses an option and all options that it forces. Returns false if there is no solution below the
    /// node.
    ///
    /// Appends all chosen options to the path.
    #[inline(always)]
    pub(super) fn settle(&mut self, option: Option<u32>, path: &mut Vec<u32>) -> bool {
        let mut next = option;
        loop {
            if let Some(option) = next {
                path.push(self.table.original(option));
                if !self.take(option) {
                    self.queue.clear();
                    return false;
                }
            }
            let Some(item) = self.queue.pop() else { return true };
            next = (self.counts[item as usize] & COVERED == 0).then(|| {
                let mut options = self.table.options_of(item).iter().copied();
                options
                    .find(|&option| self.is_live(option))
                    .expect("an item with a count of one has an option")
            });
        }
    }

    #[inline(always)]
    fn take(&mut self, option: u32) -> bool {
        let table = self.table;
        let items = table.items_of(option);
        if table.has_rows() {
            let ruled_out: usize =
                items.iter().map(|&item| self.counts[item as usize] as usize & !(COVERED as usize)).sum();
            if ruled_out * table.mean_size() >= table.rows.len() {
                return self.take_by_rows(option);
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
                    possible &= self.remove(other);
                }
            }
        }
        for &side in table.secondary_of(option) {
            self.work += table.side_options(side) as u64;
            for other in table.ruled_out(side) {
                if self.is_live(other) {
                    possible &= self.remove(other);
                }
            }
        }
        possible
    }

    /// Chooses an option, and counts the options of all items again.
    ///
    /// This is cheaper than counting down if the option rules out many others.
    #[inline(always)]
    fn take_by_rows(&mut self, option: u32) -> bool {
        let table = self.table;
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
                self.queue.push(item as u32);
            }
            *before = count;
        }
        possible
    }

    #[inline(always)]
    fn remove(&mut self, option: u32) -> bool {
        self.live[option as usize / 64] &= !(1 << (option % 64));
        let mut possible = true;
        for &item in self.table.items_of(option) {
            let count = &mut self.counts[item as usize];
            *count -= 1;
            possible &= *count != 0;
            if *count == 1 {
                self.queue.push(item);
            }
        }
        possible
    }
}

/// Returns the item with the fewest options, and the number of its options. If there are several such items,
/// returns the leftmost.
#[inline(always)]
pub(super) fn choose(counts: &[u32]) -> (u32, u32) {
    let least = counts.iter().copied().fold(u32::MAX, u32::min);
    let item = counts.iter().position(|&count| count == least);
    (item.unwrap_or(0) as u32, least)
}
