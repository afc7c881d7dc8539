//! Exact cover problems, stored in flat tables: items, options, colours, multiplicities and costs.

use std::io::Write;

use super::names::{NameTable, Names};
use crate::{Error, Result};

/// Colour number of an entry that has no colour.
pub const NO_COLOUR: u32 = 0;

/// Maximum number of options that a problem may have without being vast (see [`CoverProblem::is_vast`]).
const VAST_OPTIONS: u64 = 1 << 16;
/// Maximum total size, in bytes, that search states may have if the problem is not deep (see
/// [`CoverProblem::is_deep`]).
const DEEP_BYTES: u64 = 512 << 20;

/// The minimum and maximum number of times that an item must be covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Minimum number of times.
    pub low: u32,
    /// Maximum number of times. At least 1.
    pub high: u32,
}

impl Bounds {
    /// Exactly once, which is the default of primary items.
    pub const ONCE: Bounds = Bounds { low: 1, high: 1 };
}

/// One item of an option, with its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Number of the item, 0-based.
    pub item: u32,
    /// Number of the colour, 1-based, or [`NO_COLOUR`].
    pub colour: u32,
}

/// An exact cover problem (Knuth, The Art of Computer Programming 4B, 7.2.2.1).
///
/// A solution is a set of options. The solution covers every primary item within the item's bounds, by
/// default exactly once. The solution covers every secondary item at most once, or by any number of options
/// that give the item the same colour.
///
/// Items are numbered from 0, and primary items come first. Options are numbered from 0 in the order in which
/// they were added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoverProblem {
    pub(super) names: Names,
    pub(super) primary: usize,
    /// Bounds of each primary item. Empty if all bounds are [`Bounds::ONCE`].
    pub(super) bounds: Vec<Bounds>,
    /// Offsets of the options' entries in `entries`. There is one more offset than options.
    pub(super) starts: Vec<u32>,
    pub(super) entries: Vec<Entry>,
    /// Names of the colours, starting with colour 1.
    pub(super) colours: Names,
    /// Cost of each option. Empty if no option has a cost.
    pub(super) costs: Vec<i64>,
    /// Input line of each option, 1-based. Empty if the problem was not read from a file.
    pub(super) lines: Vec<u32>,
    pub(super) numbered: bool,
    pub(super) overflowing: bool,
}

impl CoverProblem {
    /// Creates a problem with items `0..items`, each to be covered exactly once.
    ///
    /// Each option is a list of items. Names of items and numbers of options in solutions are 1-based.
    ///
    /// [`CoverBuilder`] makes problems with names, secondary items, colours, multiplicities and costs.
    ///
    /// # Errors
    /// Returns an error without items, if an option has an item twice or an item that does not exist, or above 2^32
    /// entries.
    ///
    /// ```
    /// use quadrille::CoverProblem;
    /// let cover = CoverProblem::from_options(3, &[[0, 1], [1, 2], [0, 2]])?;
    /// assert_eq!((cover.options(), cover.name(2)), (3, "3"));
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    pub fn from_options<O: AsRef<[usize]>>(items: usize, options: &[O]) -> Result<CoverProblem> {
        let mut builder = CoverBuilder::new();
        builder.number_options();
        for item in 1..=items {
            builder.primary(&item.to_string())?;
        }
        for option in options {
            for &item in option.as_ref() {
                builder.entry(Entry { item: u32::try_from(item).unwrap_or(u32::MAX), colour: NO_COLOUR })?;
            }
            builder.end_option(0, None)?;
        }
        builder.build()
    }

    /// Returns the number of items, primary and secondary.
    pub fn items(&self) -> usize {
        self.names.len()
    }

    /// Returns the number of primary items. They are the items `0..primary()`.
    pub fn primary(&self) -> usize {
        self.primary
    }

    /// Returns the number of options.
    pub fn options(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the entries of an option, in the order of the input.
    #[inline]
    pub fn option(&self, option: usize) -> &[Entry] {
        &self.entries[self.starts[option] as usize..self.starts[option + 1] as usize]
    }

    /// Returns the total number of entries in all options.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Returns the name of an item.
    pub fn name(&self, item: usize) -> &str {
        self.names.get(item)
    }

    /// Returns the name of a colour, or `None` for [`NO_COLOUR`].
    pub fn colour_name(&self, colour: u32) -> Option<&str> {
        let index = (colour as usize).checked_sub(1)?;
        (index < self.colours.len()).then(|| self.colours.get(index))
    }

    /// Returns the number of colours. They are numbered `1..=colours()`.
    pub fn colours(&self) -> usize {
        self.colours.len()
    }

    /// Returns the minimum and maximum number of times that a primary item must be covered.
    #[inline]
    pub fn bounds(&self, item: usize) -> Bounds {
        self.bounds.get(item).copied().unwrap_or(Bounds::ONCE)
    }

    /// Returns the cost of an option, or 0 if it has no cost.
    #[inline]
    pub fn cost(&self, option: usize) -> i64 {
        self.costs.get(option).copied().unwrap_or(0)
    }

    /// Returns the 1-based input line of an option, or `None` if the option was not read from a file.
    pub fn line(&self, option: usize) -> Option<u32> {
        self.lines.get(option).copied()
    }

    /// Returns true if any entry has a colour.
    pub fn has_colours(&self) -> bool {
        !self.colours.is_empty()
    }

    /// Returns true if any primary item has bounds other than [`Bounds::ONCE`].
    pub fn has_multiplicities(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// Returns true if there are more than 65,536 options, or if the problem [is deep](Self::is_deep).
    ///
    /// One kind of search reads all options, and another follows links. With 65,536 options, both take
    /// equally long for the first nodes.
    pub fn is_vast(&self) -> bool {
        self.options() as u64 > VAST_OPTIONS || self.is_deep()
    }

    /// Returns true if a search that copies its state at each level may need more than 512 MiB.
    ///
    /// A state has one bit per option and one number per primary item. With multiplicities, it has two
    /// numbers per primary item. The estimate assumes the deepest possible path.
    pub fn is_deep(&self) -> bool {
        let (options, primary) = (self.options() as u64, self.primary as u64);
        // With multiplicities, each level of the search either chooses an option or finishes an item.
        let (levels, numbers) =
            if self.has_multiplicities() { (primary + options, 2 * primary) } else { (primary, primary) };
        levels.saturating_mul(options.div_ceil(8) + 4 * numbers) > DEEP_BYTES
    }

    /// Sets the costs of all options, in the order of the options.
    ///
    /// # Panics
    /// Panics if the number of costs differs from the number of options.
    pub fn set_costs(&mut self, costs: Vec<i64>) {
        assert_eq!(costs.len(), self.options(), "a cost for every option");
        self.costs = costs;
        self.overflowing = self.sums_overflow();
    }

    /// Returns true if any option has a cost.
    pub fn has_costs(&self) -> bool {
        !self.costs.is_empty()
    }

    /// Returns true if the cost of a solution might not fit in 64 bits.
    ///
    /// The check may report an overflow that cannot happen, but it never misses one. It divides the cost of
    /// each option evenly among the primary items of the option. For each item, it then assumes the largest
    /// or smallest share that any option has.
    pub fn may_overflow(&self) -> bool {
        self.overflowing
    }

    /// Computes [`may_overflow`](Self::may_overflow).
    fn sums_overflow(&self) -> bool {
        let mut range = vec![(0i128, 0i128); self.primary];
        let mut rest = (0i128, 0i128);
        for (option, &cost) in self.costs.iter().enumerate() {
            let cost = i128::from(cost);
            let is_primary = |entry: &&Entry| (entry.item as usize) < self.primary;
            let items = || self.option(option).iter().filter(is_primary);
            let share = items().count() as i128;
            if share == 0 {
                rest = (rest.0 + cost.min(0), rest.1 + cost.max(0));
            }
            for entry in items() {
                let (least, most) = &mut range[entry.item as usize];
                *least = (*least).min(cost.div_euclid(share));
                *most = (*most).max(-(-cost).div_euclid(share));
            }
        }
        let times = |item: usize| i128::from(self.bounds(item).high);
        let least: i128 = rest.0 + (0..self.primary).map(|item| range[item].0 * times(item)).sum::<i128>();
        let most: i128 = rest.1 + (0..self.primary).map(|item| range[item].1 * times(item)).sum::<i128>();
        least < i64::MIN.into() || most > i64::MAX.into()
    }

    /// Returns true if solutions are displayed as row numbers instead of the words of the options.
    ///
    /// Sets and matrices use row numbers.
    pub fn is_numbered(&self) -> bool {
        self.numbered
    }

    /// Returns a copy of the problem in which only the options in `kept` can be used.
    ///
    /// `kept` must be in ascending order. The other options keep their indices but lose their items, so they
    /// are in no solution.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub(crate) fn keeping(&self, kept: &[u32]) -> Result<CoverProblem> {
        let mut cover = CoverProblem {
            names: self.names.clone(),
            primary: self.primary,
            bounds: self.bounds.clone(),
            starts: Vec::new(),
            entries: Vec::new(),
            colours: self.colours.clone(),
            costs: self.costs.clone(),
            lines: self.lines.clone(),
            numbered: self.numbered,
            overflowing: self.overflowing,
        };
        make_room(&mut cover.starts, self.options() + 1)?;
        make_room(&mut cover.entries, kept.iter().map(|&option| self.option(option as usize).len()).sum())?;
        cover.starts.push(0);
        let mut kept = kept.iter().peekable();
        for option in 0..self.options() {
            if kept.next_if(|&&kept| kept as usize == option).is_some() {
                cover.entries.extend_from_slice(self.option(option));
            }
            cover.starts.push(cover.entries.len() as u32);
        }
        Ok(cover)
    }

    /// Writes an option for display: either its words, or its 1-based row number.
    ///
    /// The words are those of the input, without the cost.
    pub fn write_option(&self, option: usize, out: &mut Vec<u8>) {
        if self.numbered {
            write!(out, "{}", option + 1).expect("writing to memory does not fail");
            return;
        }
        self.write_words(option, out);
    }

    /// Writes the words of an option as in the input.
    ///
    /// The words are the items with their colours. The cost is omitted.
    pub fn write_words(&self, option: usize, out: &mut Vec<u8>) {
        for (place, entry) in self.option(option).iter().enumerate() {
            if place > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(self.name(entry.item as usize).as_bytes());
            if let Some(colour) = self.colour_name(entry.colour) {
                out.push(b':');
                out.extend_from_slice(colour.as_bytes());
            }
        }
    }
}

/// A builder of a [`CoverProblem`], item by item and option by option.
///
/// ```
/// use quadrille::CoverBuilder;
/// let mut builder = CoverBuilder::new();
/// for name in ["a", "b", "c"] {
///     builder.primary(name)?;
/// }
/// builder.option(&["a", "c"])?;
/// builder.option(&["b"])?;
/// let cover = builder.build()?;
/// assert_eq!((cover.items(), cover.options()), (3, 2));
/// # Ok::<(), quadrille::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct CoverBuilder {
    cover: CoverProblem,
    by_name: NameTable,
    colour_by_name: NameTable,
    /// For each item, the mark of the last option that contains the item. It is used to detect an item that
    /// occurs twice in an option.
    last_in: Vec<u32>,
    /// True if the option being built has a primary item.
    open_primary: bool,
    /// The mark of the option being built. Every option has a different mark.
    mark: u32,
}

impl CoverBuilder {
    /// Creates a builder that has no items and no options.
    pub fn new() -> Self {
        let mut builder = CoverBuilder::default();
        builder.cover.starts.push(0);
        builder.mark = 1;
        builder
    }

    /// Adds a primary item that must be covered exactly once, and returns its 0-based index.
    ///
    /// # Errors
    /// Returns an error if the name exists, or if a secondary item was already added.
    pub fn primary(&mut self, name: &str) -> Result<u32> {
        self.primary_within(name, Bounds::ONCE)
    }

    /// Adds a primary item with bounds, and returns its 0-based index.
    ///
    /// # Errors
    /// Returns an error if the name exists, or if a secondary item was already added. Also returns an error
    /// if the upper bound is 0 or less than the lower bound.
    pub fn primary_within(&mut self, name: &str, bounds: Bounds) -> Result<u32> {
        if self.cover.primary != self.cover.names.len() {
            return Err(Error::model(format!("primary item {name} comes after a secondary item")));
        }
        if bounds.high == 0 || bounds.low > bounds.high {
            return Err(Error::model(format!(
                "item {name} cannot be covered {} to {} times",
                bounds.low, bounds.high
            )));
        }
        let item = self.item(name)?;
        self.cover.primary += 1;
        if bounds != Bounds::ONCE || !self.cover.bounds.is_empty() {
            self.cover.bounds.resize(item as usize, Bounds::ONCE);
            self.cover.bounds.push(bounds);
        }
        Ok(item)
    }

    /// Adds a secondary item, and returns its 0-based index.
    ///
    /// # Errors
    /// Returns an error if the name exists.
    pub fn secondary(&mut self, name: &str) -> Result<u32> {
        self.item(name)
    }

    fn item(&mut self, name: &str) -> Result<u32> {
        if self.find(name).is_some() {
            return Err(Error::model(format!("item {name} appears twice")));
        }
        let item = self.by_name.add(&mut self.cover.names, name)?;
        self.last_in.push(0);
        Ok(item)
    }

    /// Returns the index of the item with the given name, or `None` if there is no such item.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.find_bytes(name.as_bytes())
    }

    /// Returns the index of the item with the given name in bytes, or `None` if there is no such item.
    #[inline]
    pub fn find_bytes(&self, name: &[u8]) -> Option<u32> {
        self.by_name.find(&self.cover.names, name)
    }

    /// Returns the index of the item with the given short name, or `None` if there is no such item.
    ///
    /// `word` holds the bytes of the name, with the first byte in the lowest position. The name must have at
    /// most [`SHORT_NAME`](super::SHORT_NAME) bytes.
    #[inline]
    pub fn find_short(&self, word: u64, length: usize) -> Option<u32> {
        self.by_name.find_short(word, length)
    }

    /// Returns the 1-based number of the colour with the given short name, or `None` if there is no such
    /// colour.
    ///
    /// The name is given as in [`find_short`](Self::find_short).
    #[inline]
    pub fn find_short_colour(&self, word: u64, length: usize) -> Option<u32> {
        self.colour_by_name.find_short(word, length).map(|index| index + 1)
    }

    /// Returns the 1-based number of the colour with the given name. Adds the colour if it is new.
    ///
    /// # Errors
    /// Returns an error if there are more than 2^32 colours, or more than 4 GiB of colour names.
    pub fn colour(&mut self, name: &str) -> Result<u32> {
        match self.find_colour(name.as_bytes()) {
            Some(colour) => Ok(colour),
            None => Ok(self.colour_by_name.add(&mut self.cover.colours, name)? + 1),
        }
    }

    /// Returns the 1-based number of the colour with the given name in bytes, or `None` if there is no such
    /// colour.
    #[inline]
    pub fn find_colour(&self, name: &[u8]) -> Option<u32> {
        self.colour_by_name.find(&self.cover.colours, name).map(|index| index + 1)
    }

    /// Adds an option given as words, and returns its 0-based index. Each word is `name` or `name:colour`.
    ///
    /// # Errors
    /// Returns the errors of [`option_of`](Self::option_of). Also returns an error if a word names an item
    /// that does not exist.
    pub fn option(&mut self, words: &[&str]) -> Result<u32> {
        let mut entries = Vec::with_capacity(words.len());
        for word in words {
            let (name, colour) =
                word.split_once(':').map_or((*word, None), |(name, colour)| (name, Some(colour)));
            let item = self.find(name).ok_or_else(|| Error::model(format!("unknown item {name}")))?;
            let colour = colour.map_or(Ok(NO_COLOUR), |colour| self.colour(colour))?;
            entries.push(Entry { item, colour });
        }
        self.option_of(&entries, 0, None)
    }

    /// Adds an option given as entries, and returns its 0-based index. `line` is its 1-based input line.
    ///
    /// # Errors
    /// Returns an error if an item does not exist, an item occurs twice, or a primary item has a colour. Also
    /// returns an error if there are more than 2^32 entries.
    pub fn option_of(&mut self, entries: &[Entry], cost: i64, line: Option<u32>) -> Result<u32> {
        for entry in entries {
            if let Err(error) = self.entry(*entry) {
                self.drop_option();
                return Err(error);
            }
        }
        self.end_option(cost, line)
    }

    /// Adds an entry to the option that the next call of [`end_option`](Self::end_option) ends.
    ///
    /// # Errors
    /// Returns an error if the item does not exist, occurs twice in the option, or is primary and has a
    /// colour. Also returns an error if there is not enough memory.
    #[inline]
    pub fn entry(&mut self, entry: Entry) -> Result<()> {
        let item = entry.item as usize;
        let is_primary = item < self.cover.primary;
        let is_new = self.last_in.get(item).is_some_and(|&last| last != self.mark);
        if !is_new || is_primary && entry.colour != NO_COLOUR {
            return Err(self.wrong_entry(entry));
        }
        push(&mut self.cover.entries, entry)?;
        self.last_in[item] = self.mark;
        self.open_primary |= is_primary;
        Ok(())
    }

    #[cold]
    fn wrong_entry(&self, entry: Entry) -> Error {
        let item = entry.item as usize;
        match self.last_in.get(item) {
            None => Error::model(format!("unknown item {item}")),
            Some(&last) if last == self.mark => {
                Error::model(format!("item {} appears twice in an option", self.cover.name(item)))
            }
            Some(_) => Error::model(format!("primary item {} has a colour", self.cover.name(item))),
        }
    }

    /// Returns true if the option being built already has a primary item.
    pub fn has_open_primary(&self) -> bool {
        self.open_primary
    }

    /// Removes all entries of the option being built.
    pub fn drop_option(&mut self) {
        let start = self.cover.starts.last().copied().unwrap_or(0);
        self.cover.entries.truncate(start as usize);
        self.next_mark();
    }

    fn next_mark(&mut self) {
        self.open_primary = false;
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.last_in.fill(0);
            self.mark = 1;
        }
    }

    /// Ends the option being built, which has all entries added since the last option. Returns the 0-based
    /// index of the option.
    ///
    /// # Errors
    /// Returns an error if there are more than 2^32 options or entries.
    pub fn end_option(&mut self, cost: i64, line: Option<u32>) -> Result<u32> {
        let ended = self.try_end_option(cost, line);
        if ended.is_err() {
            self.drop_option();
        }
        self.next_mark();
        ended
    }

    #[inline]
    fn try_end_option(&mut self, cost: i64, line: Option<u32>) -> Result<u32> {
        let cover = &mut self.cover;
        let count = cover.options();
        let end = u32::try_from(cover.entries.len())
            .map_err(|_| Error::model("more than 2^32 entries in all options"))?;
        let number = u32::try_from(count).map_err(|_| Error::model("more than 2^32 options"))?;
        if cost != 0 || !cover.costs.is_empty() {
            pad(&mut cover.costs, count)?;
            push(&mut cover.costs, cost)?;
        }
        if let Some(line) = line {
            pad(&mut cover.lines, count)?;
            push(&mut cover.lines, line)?;
        }
        push(&mut cover.starts, end)?;
        Ok(number)
    }

    /// Chooses to display solutions as row numbers.
    pub fn number_options(&mut self) {
        self.cover.numbered = true;
    }

    /// Returns the finished problem.
    ///
    /// # Errors
    /// Returns an error if there are no items.
    pub fn build(mut self) -> Result<CoverProblem> {
        if self.cover.names.is_empty() {
            return Err(Error::model("no items"));
        }
        self.cover.overflowing = self.cover.sums_overflow();
        Ok(self.cover)
    }
}

/// Appends a value to a list whose length depends on the input.
///
/// Returns an error if there is not enough memory.
#[inline]
fn push<T>(list: &mut Vec<T>, value: T) -> Result<()> {
    if list.len() == list.capacity() {
        make_room(list, 1)?;
    }
    list.push(value);
    Ok(())
}

#[cold]
fn make_room<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| Error::model("out of memory for options"))
}

/// Sets the length of a list to `length`, by adding defaults or removing values.
///
/// The list can be too long if adding an option failed.
#[inline]
fn pad<T: Clone + Default>(list: &mut Vec<T>, length: usize) -> Result<()> {
    if list.len() != length {
        make_room(list, length.saturating_sub(list.len()))?;
        list.resize(length, T::default());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_read() {
        let mut builder = CoverBuilder::new();
        builder.primary("p").unwrap();
        builder.primary_within("q", Bounds { low: 0, high: 2 }).unwrap();
        builder.secondary("x").unwrap();
        builder.option(&["x:red", "p"]).unwrap();
        let cover = builder.build().unwrap();
        let mut text = Vec::new();
        cover.write_option(0, &mut text);
        assert_eq!(text, b"x:red p");
        assert!(cover.has_colours() && cover.has_multiplicities() && !cover.has_costs());
        assert_eq!(cover.bounds(0), Bounds::ONCE);
        assert_eq!(cover.bounds(1), Bounds { low: 0, high: 2 });
    }

    #[test]
    fn a_failed_option_leaves_the_problem_as_it_was() {
        let mut builder = CoverBuilder::new();
        builder.primary("p").unwrap();
        builder.secondary("x").unwrap();
        assert!(builder.option(&["p", "p"]).is_err());
        builder.option(&["p", "x:red"]).unwrap();
        assert!(builder.option(&["nobody"]).is_err());
        assert!(builder.option(&["p:red"]).is_err());
        assert!(builder.primary("late").is_err());
        assert!(builder.secondary("p").is_err());
        let cover = builder.build().unwrap();
        assert_eq!((cover.options(), cover.entries()), (1, 2));
        assert!(CoverBuilder::new().build().is_err());
    }
}
