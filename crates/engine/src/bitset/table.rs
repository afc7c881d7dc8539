//! A problem in the form that the search reads: flat lists from options to items, and from items to options.

use crate::budget::LoopWatch;
use crate::memory::clear_and_reserve;
use quadrille_model::{CoverProblem, EndedBy, Entry, NO_COLOUR};

/// Value of `group` if no option gives the secondary item a colour.
const PLAIN: u32 = u32::MAX;

/// Lists in one array.
#[derive(Debug, Default)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    values: Vec<T>,
}

impl<T> Lists<T> {
    #[inline(always)]
    pub(super) fn list(&self, list: usize) -> &[T] {
        &self.values[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// A secondary item of an option, with its colour.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SecondaryEntry {
    /// The 0-based index of the secondary item.
    pub(super) item: u32,
    /// Index of the option's group among the groups of all items. A group has all options that give this item
    /// the same colour.
    ///
    /// Options that give the item no colour form a separate group. If no option gives the item a colour, the
    /// index is [`PLAIN`].
    group: u32,
}

/// All options that give an item the same colour, or all options that give it no colour.
#[derive(Debug, Clone, Copy)]
struct Group {
    item: u32,
    /// True if the options of this group give the item no colour. Such options exclude each other.
    alone: bool,
}

/// An option in the list of a secondary item.
#[derive(Debug, Clone, Copy, Default)]
struct SecondaryOption {
    option: u32,
    group: u32,
}

/// A problem, stored as lists for the search.
///
/// Options without a primary item are left out, since the search never chooses them.
#[derive(Debug, Default)]
pub(super) struct ProblemTables {
    pub(super) primary: usize,
    secondary: usize,
    groups: Vec<Group>,
    /// For each option, its number in the problem. The numbers ascend.
    originals: Vec<u32>,
    items: Lists<u32>,
    sides: Lists<SecondaryEntry>,
    /// Per primary item, its options.
    options: Lists<u32>,
    side_options: Lists<SecondaryOption>,
    /// For each primary item, its upper bound. Empty if all items must be covered exactly once.
    highs: Vec<u32>,
    /// For each primary item, its upper bound minus its lower bound. Empty if `highs` is empty.
    pub(super) slacks: Vec<u32>,
    /// For each primary item, the set of its options, one bit per option.
    ///
    /// Empty unless [there are rows](Self::has_rows).
    pub(super) rows: Vec<u64>,
}

/// Sorts values into one list per key with a counting sort. Within a list, the values keep their order.
fn sort_into<T: Copy>(
    into: &mut Lists<T>,
    lists: usize,
    entries: impl Iterator<Item = (u32, T)> + Clone,
) -> Result<(), EndedBy> {
    clear_and_reserve(&mut into.starts, lists + 2)?;
    into.starts.resize(lists + 2, 0);
    let mut size = 0;
    for (list, _) in entries.clone() {
        into.starts[list as usize + 2] += 1;
        size += 1;
    }
    for list in 1..into.starts.len() {
        into.starts[list] += into.starts[list - 1];
    }
    clear_and_reserve(&mut into.values, size)?;
    if let Some((_, any)) = entries.clone().next() {
        into.values.resize(size, any);
    }
    for (list, value) in entries {
        let place = &mut into.starts[list as usize + 1];
        into.values[*place as usize] = value;
        *place += 1;
    }
    into.starts.pop();
    Ok(())
}

impl ProblemTables {
    /// Reads a problem, reusing the memory of the previous problem.
    pub(super) fn assign(&mut self, cover: &CoverProblem, pace: &mut LoopWatch<'_>) -> Result<(), EndedBy> {
        self.primary = cover.primary();
        self.secondary = cover.items() - cover.primary();
        let is_primary = |item: u32| (item as usize) < cover.primary();
        let bounded = if cover.has_multiplicities() { cover.primary() } else { 0 };
        for list in [&mut self.highs, &mut self.slacks] {
            clear_and_reserve(list, bounded)?;
        }
        for bounds in (0..bounded).map(|item| cover.bounds(item)) {
            self.highs.push(bounds.high);
            self.slacks.push(bounds.high - bounds.low);
        }
        clear_and_reserve(&mut self.originals, cover.options())?;
        let useful = |option: &usize| cover.option(*option).iter().any(|entry| is_primary(entry.item));
        self.originals.extend((0..cover.options()).filter(useful).map(|option| option as u32));
        let entries = self.originals.iter().enumerate().flat_map(|(option, &original)| {
            cover.option(original as usize).iter().map(move |entry| (option as u32, *entry))
        });
        let primary = entries.clone().filter(|(_, entry)| is_primary(entry.item));
        // The clock is checked between passes over the entries. Each pass is short, but all passes together
        // take long for a huge problem.
        pace.work(2 * cover.entries())?;
        sort_into(&mut self.items, self.originals.len(), primary.clone().map(|(o, entry)| (o, entry.item)))?;
        pace.work(2 * cover.entries())?;
        sort_into(&mut self.options, self.primary, primary.map(|(option, entry)| (entry.item, option)))?;
        pace.work(2 * cover.entries())?;
        // The problem numbers its colours across all items. Here each pair of item and colour must get its
        // own number.
        let mut coloured: Vec<bool> = Vec::new();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        if cover.has_colours() {
            clear_and_reserve(&mut coloured, cover.items())?;
            coloured.resize(cover.items(), false);
            entries.clone().for_each(|(_, entry)| coloured[entry.item as usize] |= entry.colour != NO_COLOUR);
            clear_and_reserve(&mut pairs, cover.entries())?;
            let grouped = entries.clone().filter(|(_, entry)| coloured[entry.item as usize]);
            pairs.extend(grouped.map(|(_, entry)| (entry.item, entry.colour)));
            pairs.sort_unstable();
            pairs.dedup();
            pace.work(4 * cover.entries())?;
        }
        clear_and_reserve(&mut self.groups, pairs.len())?;
        let first = cover.primary() as u32;
        self.groups.extend(
            pairs.iter().map(|&(item, colour)| Group { item: item - first, alone: colour == NO_COLOUR }),
        );
        let group =
            |entry: Entry| pairs.binary_search(&(entry.item, entry.colour)).map_or(PLAIN, |at| at as u32);
        let sides = entries.filter(|(_, entry)| !is_primary(entry.item)).map(|(option, entry)| {
            (option, SecondaryEntry { item: entry.item - first, group: group(entry) })
        });
        sort_into(&mut self.sides, self.originals.len(), sides.clone())?;
        pace.work(2 * cover.entries())?;
        sort_into(
            &mut self.side_options,
            self.secondary,
            sides.map(|(option, side)| (side.item, SecondaryOption { option, group: side.group })),
        )?;
        pace.work(2 * cover.entries())?;
        self.fill_rows(pace)
    }

    fn fill_rows(&mut self, pace: &mut LoopWatch<'_>) -> Result<(), EndedBy> {
        let words = self.originals.len().div_ceil(64);
        // Problems without bounds have rows only if the rows do not take more memory than the lists.
        let has_rows = self.is_bounded() || self.primary.saturating_mul(words) <= self.items.values.len();
        let size = if has_rows { self.primary * words } else { 0 };
        clear_and_reserve(&mut self.rows, size)?;
        self.rows.resize(size, 0);
        if has_rows {
            for item in 0..self.primary {
                pace.work(words)?;
                for &option in self.options.list(item) {
                    self.rows[item * words + option as usize / 64] |= 1 << (option % 64);
                }
            }
        }
        Ok(())
    }

    /// Returns the number of options that have a primary item.
    #[inline(always)]
    pub(super) fn options(&self) -> usize {
        self.originals.len()
    }

    /// Returns true if items have bounds.
    #[inline(always)]
    pub(super) fn is_bounded(&self) -> bool {
        !self.highs.is_empty()
    }

    /// Returns the upper bound and the slack of an item. Valid only if items have bounds.
    pub(super) fn bounds_of(&self, item: u32) -> (u32, u32) {
        (self.highs[item as usize], self.slacks[item as usize])
    }

    /// Returns the slack of an item: its upper bound minus its lower bound. Valid only if items have bounds.
    #[inline(always)]
    pub(super) fn slack_of(&self, item: u32) -> u32 {
        self.slacks[item as usize]
    }

    /// Returns true if the options of each item are also stored as bits.
    ///
    /// They are stored as bits if items have bounds, or if the bits take no more memory than the lists.
    #[inline(always)]
    pub(super) fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Returns the set of a primary item's options, one bit per option.
    ///
    /// Valid only if [there are rows](Self::has_rows).
    #[inline(always)]
    pub(super) fn row_of(&self, item: u32) -> &[u64] {
        let words = self.originals.len().div_ceil(64);
        &self.rows[item as usize * words..][..words]
    }

    /// Returns the average number of primary items per option, rounded to an integer of at least 1.
    #[inline(always)]
    pub(super) fn mean_size(&self) -> usize {
        self.items.values.len() / self.originals.len().max(1) + 1
    }

    /// Returns the number of sets of options from which blocks are made.
    ///
    /// There is one set per primary item, one per secondary item, and one per colour of a secondary item.
    pub(super) fn sets(&self) -> usize {
        self.primary + self.secondary + self.groups.len()
    }

    /// Converts an option's index in these tables to its number in the whole problem.
    #[inline(always)]
    pub(super) fn original(&self, option: u32) -> u32 {
        self.originals[option as usize]
    }

    /// Converts an option's number in the whole problem to its index in these tables.
    ///
    /// Returns `None` if the tables leave the option out.
    pub(super) fn own(&self, original: u32) -> Option<u32> {
        self.originals.binary_search(&original).ok().map(|option| option as u32)
    }

    /// Returns an option's primary items.
    #[inline(always)]
    pub(super) fn items_of(&self, option: u32) -> &[u32] {
        self.items.list(option as usize)
    }

    /// Returns the options of a primary item, ascending.
    #[inline(always)]
    pub(super) fn options_of(&self, item: u32) -> &[u32] {
        self.options.list(item as usize)
    }

    /// Returns an option's secondary entries.
    #[inline(always)]
    pub(super) fn secondary_of(&self, option: u32) -> &[SecondaryEntry] {
        self.sides.list(option as usize)
    }

    /// Returns the options that the secondary entry `side` of a chosen option rules out.
    ///
    /// Other items of the chosen option are ignored. The result may include the chosen option itself.
    #[inline(always)]
    pub(super) fn ruled_out(&self, side: SecondaryEntry) -> impl Iterator<Item = u32> {
        let all = side.group == PLAIN || self.groups[side.group as usize].alone;
        let options = self.side_options.list(side.item as usize).iter();
        options.filter(move |other| all || other.group != side.group).map(|other| other.option)
    }

    /// Returns the number of options that contain the same secondary item as `side`.
    #[inline(always)]
    pub(super) fn side_options(&self, side: SecondaryEntry) -> usize {
        self.side_options.list(side.item as usize).len()
    }

    /// Returns the indices of all sets that an option belongs to.
    pub(super) fn sets_of(&self, option: u32) -> impl Iterator<Item = usize> {
        let secondary = self.secondary_of(option).iter().flat_map(move |side| {
            let group = (side.group != PLAIN).then_some(self.primary + self.secondary + side.group as usize);
            [Some(self.primary + side.item as usize), group].into_iter().flatten()
        });
        self.items_of(option).iter().map(|&item| item as usize).chain(secondary)
    }

    /// Returns the set of a secondary item, if `set` belongs to one of the item's colours. Otherwise returns
    /// `None`.
    ///
    /// The colour rules out the options of the item that have another colour. The bool is true if the options
    /// in `set` also rule each other out.
    pub(super) fn colour_set(&self, set: usize) -> Option<(usize, bool)> {
        let group = self.groups.get(set.checked_sub(self.primary + self.secondary)?)?;
        Some((self.primary + group.item as usize, group.alone))
    }

    /// Returns true if a set belongs to a secondary item without colours.
    pub(super) fn is_plain_side(&self, set: usize) -> bool {
        let item = set.wrapping_sub(self.primary);
        item < self.secondary
            && self.side_options.list(item).first().is_some_and(|first| first.group == PLAIN)
    }
}
