//! Exact cover problems in flat tables: items, options, colours, multiplicities and costs.

use std::io::Write;

use super::names::{NameTable, Names};
use crate::{Error, Result};

/// The colour of an entry that has none.
pub const NO_COLOUR: u32 = 0;

/// See [`Cover::is_vast`].
const MANY_OPTIONS: u64 = 1 << 16;
const MUCH_MEMORY: u64 = 512 << 20;

/// The least and the greatest number of times that an item is to be covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// At least so often.
    pub low: u32,
    /// At most so often; at least 1.
    pub high: u32,
}

impl Bounds {
    /// Exactly once: the bounds of every primary item that gives none.
    pub const ONCE: Bounds = Bounds { low: 1, high: 1 };
}

/// One item of an option, with its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Item number.
    pub item: u32,
    /// Colour number, [`NO_COLOUR`] for none.
    pub colour: u32,
}

/// An exact cover problem (Knuth, The Art of Computer Programming 4B, 7.2.2.1): choose options such that every
/// primary item is covered within its bounds (exactly once unless it has others) and every secondary item
/// at most once, or by any number of options that give it the same colour.
///
/// Items are numbered from 0, primary ones first; options from 0 in the order they were added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cover {
    pub(super) names: Names,
    pub(super) primary: usize,
    /// Per primary item; empty where all are [`Bounds::ONCE`].
    pub(super) bounds: Vec<Bounds>,
    /// `options + 1` offsets into `entries`.
    pub(super) starts: Vec<u32>,
    pub(super) entries: Vec<Entry>,
    /// Names of the colours 1, 2, ...
    pub(super) colours: Names,
    /// Per option; empty where no option has a cost.
    pub(super) costs: Vec<i64>,
    /// Per option the line of the input it was read from, 1 for the first; empty where made by code.
    pub(super) lines: Vec<u32>,
    pub(super) numbered: bool,
    pub(super) overflowing: bool,
}

impl Cover {
    /// The problem with the items `0..items`, each to be covered exactly once, and with options that are lists of items.
    /// The items are named by their numbers from 1 on; solutions are shown as the numbers of options, from 1 on too.
    ///
    /// [`CoverBuilder`] makes problems with names, secondary items, colours, multiplicities and costs.
    ///
    /// # Errors
    /// No items; an option with an item that is none, or the same twice; more than 2^32 entries.
    ///
    /// ```
    /// use quadrille::Cover;
    /// let cover = Cover::from_options(3, &[[0, 1], [1, 2], [0, 2]])?;
    /// assert_eq!((cover.options(), cover.name(2)), (3, "3"));
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    pub fn from_options<O: AsRef<[usize]>>(items: usize, options: &[O]) -> Result<Cover> {
        let mut builder = CoverBuilder::numbered(items)?;
        for option in options {
            for &item in option.as_ref() {
                builder.entry(Entry { item: u32::try_from(item).unwrap_or(u32::MAX), colour: NO_COLOUR })?;
            }
            builder.end_option(0, None)?;
        }
        builder.build()
    }

    /// Items, primary and secondary.
    pub fn items(&self) -> usize {
        self.names.len()
    }

    /// Primary items: the items `0..primary()`.
    pub fn primary(&self) -> usize {
        self.primary
    }

    /// Number of options.
    pub fn options(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The entries of an option, in the order they were written.
    #[inline]
    pub fn option(&self, option: usize) -> &[Entry] {
        &self.entries[self.starts[option] as usize..self.starts[option + 1] as usize]
    }

    /// Entries of all options together.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// An item's name.
    pub fn name(&self, item: usize) -> &str {
        self.names.get(item)
    }

    /// A colour's name; `None` for [`NO_COLOUR`].
    pub fn colour_name(&self, colour: u32) -> Option<&str> {
        let index = (colour as usize).checked_sub(1)?;
        (index < self.colours.len()).then(|| self.colours.get(index))
    }

    /// Number of colours; colours are `1..=colours()`.
    pub fn colours(&self) -> usize {
        self.colours.len()
    }

    /// The number of times that a primary item is to be covered, as bounds.
    #[inline]
    pub fn bounds(&self, item: usize) -> Bounds {
        self.bounds.get(item).copied().unwrap_or(Bounds::ONCE)
    }

    /// An option's cost, 0 where it has none.
    #[inline]
    pub fn cost(&self, option: usize) -> i64 {
        self.costs.get(option).copied().unwrap_or(0)
    }

    /// The input line an option was read from, 1 for the first; `None` where it was made by code.
    pub fn line(&self, option: usize) -> Option<u32> {
        self.lines.get(option).copied()
    }

    /// True if any entry has a colour.
    pub fn has_colours(&self) -> bool {
        !self.colours.is_empty()
    }

    /// True if any primary item has bounds other than exactly once.
    pub fn has_multiplicities(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// True if there are more than 65,536 options, or the problem [is deep](Self::is_deep).
    ///
    /// Beyond that many options the first nodes of a search that looks at all of them take no less time than those of one that
    /// follows links.
    pub fn is_vast(&self) -> bool {
        self.options() as u64 > MANY_OPTIONS || self.is_deep()
    }

    /// True if a search that copies a bit for every option and a number for every primary item at each level (two with
    /// multiplicities) may take more than 512 MiB for its deepest path.
    pub fn is_deep(&self) -> bool {
        let (options, primary) = (self.options() as u64, self.primary as u64);
        // With multiplicities a level takes an option or leaves an item at what it has.
        let (levels, numbers) =
            if self.has_multiplicities() { (primary + options, 2 * primary) } else { (primary, primary) };
        levels.saturating_mul(options.div_ceil(8) + 4 * numbers) > MUCH_MEMORY
    }

    /// Gives every option a cost, in their order.
    ///
    /// # Panics
    /// If there are not as many costs as options.
    pub fn set_costs(&mut self, costs: Vec<i64>) {
        assert_eq!(costs.len(), self.options(), "a cost for every option");
        self.costs = costs;
        self.overflowing = self.sums_overflow();
    }

    /// True if any option has a cost.
    pub fn has_costs(&self) -> bool {
        !self.costs.is_empty()
    }

    /// True if the costs of a solution's options could add up to what 64 bits do not hold: by the largest and the
    /// smallest share that an option's cost has in each of its primary items, so it errs on the safe side.
    pub fn may_overflow(&self) -> bool {
        self.overflowing
    }

    /// Works out [`may_overflow`](Self::may_overflow).
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

    /// True if solutions are shown as row numbers (sets and matrices) instead of the options' words.
    pub fn is_numbered(&self) -> bool {
        self.numbered
    }

    /// The same problem, in which only these options (ascending) can be chosen: the others stay as numbers without
    /// items, which no solution has.
    ///
    /// # Errors
    /// No memory.
    pub(crate) fn keeping(&self, kept: &[u32]) -> Result<Cover> {
        let mut cover = Cover {
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

    /// Writes an option for people: its words as in the input (without costs), or its 1-based row number.
    pub fn write_option(&self, option: usize, out: &mut Vec<u8>) {
        if self.numbered {
            write!(out, "{}", option + 1).expect("writing to memory does not fail");
            return;
        }
        self.write_words(option, out);
    }

    /// Writes an option's words as in the input: its items with their colours, without its cost.
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

/// Builds a [`Cover`] item by item and option by option.
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
    cover: Cover,
    by_name: NameTable,
    colour_by_name: NameTable,
    /// Per item the option that named it last, to find an item twice in an option.
    last_in: Vec<u32>,
    /// True if the option that is being built has a primary item.
    open_primary: bool,
    /// The mark in `last_in` of the option that is being built: different for every option begun.
    mark: u32,
}

impl CoverBuilder {
    /// No items, no options.
    pub fn new() -> Self {
        let mut builder = CoverBuilder::default();
        builder.cover.starts.push(0);
        builder.mark = 1;
        builder
    }

    /// The items 1 to n, to be covered exactly once, and solutions that are row numbers.
    ///
    /// # Errors
    /// No memory.
    pub fn numbered(items: usize) -> Result<Self> {
        let mut builder = CoverBuilder::new();
        builder.number_options();
        for item in 1..=items {
            builder.primary(&item.to_string())?;
        }
        Ok(builder)
    }

    /// Adds a primary item that is to be covered exactly once, and returns its number.
    ///
    /// # Errors
    /// A name that exists, or a secondary item before it.
    pub fn primary(&mut self, name: &str) -> Result<u32> {
        self.primary_within(name, Bounds::ONCE)
    }

    /// Adds a primary item with bounds, and returns its number.
    ///
    /// # Errors
    /// A name that exists, a secondary item before it, an upper bound of 0 or below the lower one.
    pub fn primary_within(&mut self, name: &str, bounds: Bounds) -> Result<u32> {
        if self.cover.primary != self.cover.names.len() {
            return Err(Error::model(format!("primary item {name} comes after a secondary one")));
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

    /// Adds a secondary item, and returns its number.
    ///
    /// # Errors
    /// A name that exists.
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

    /// The number of the item of this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.find_bytes(name.as_bytes())
    }

    /// As [`find`](Self::find), for a name that need not be text.
    #[inline]
    pub fn find_bytes(&self, name: &[u8]) -> Option<u32> {
        self.by_name.find(&self.cover.names, name)
    }

    /// As [`find`](Self::find), for a name of up to [`SHORT_NAME`](super::SHORT_NAME) bytes as a number, the first byte
    /// lowest.
    #[inline]
    pub fn find_short(&self, word: u64, length: usize) -> Option<u32> {
        self.by_name.find_short(word, length)
    }

    /// The number of the colour of such a name.
    #[inline]
    pub fn find_short_colour(&self, word: u64, length: usize) -> Option<u32> {
        self.colour_by_name.find_short(word, length).map(|index| index + 1)
    }

    /// The number of the colour of this name, made if it is new.
    ///
    /// # Errors
    /// More than 2^32 colours or 4 GiB of their names.
    pub fn colour(&mut self, name: &str) -> Result<u32> {
        match self.find_colour(name.as_bytes()) {
            Some(colour) => Ok(colour),
            None => Ok(self.colour_by_name.add(&mut self.cover.colours, name)? + 1),
        }
    }

    /// The number of the colour of this name, which need not be text.
    #[inline]
    pub fn find_colour(&self, name: &[u8]) -> Option<u32> {
        self.colour_by_name.find(&self.cover.colours, name).map(|index| index + 1)
    }

    /// Adds an option by the names of its items (`name` or `name:colour`), and returns its number.
    ///
    /// # Errors
    /// As [`option_of`](Self::option_of), and names that no item has.
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

    /// Adds an option by its entries, its cost and the input line it stands in, and returns its number.
    ///
    /// # Errors
    /// An item that does not exist or stands twice in the option, a coloured primary item, or more than 2^32
    /// entries.
    pub fn option_of(&mut self, entries: &[Entry], cost: i64, line: Option<u32>) -> Result<u32> {
        for entry in entries {
            if let Err(error) = self.entry(*entry) {
                self.drop_option();
                return Err(error);
            }
        }
        self.end_option(cost, line)
    }

    /// Adds an entry to the option that [`end_option`](Self::end_option) will end.
    ///
    /// # Errors
    /// An item that does not exist or stands twice in the option, a coloured primary item, or no memory.
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
            None => Error::model(format!("no item {item}")),
            Some(&last) if last == self.mark => {
                Error::model(format!("item {} twice in an option", self.cover.name(item)))
            }
            Some(_) => Error::model(format!("primary item {} has a colour", self.cover.name(item))),
        }
    }

    /// True if a primary item is among the entries added since the last option ended.
    pub fn has_open_primary(&self) -> bool {
        self.open_primary
    }

    /// Forgets the entries added since the last option ended.
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

    /// Makes an option of the entries added since the last one, and returns its number.
    ///
    /// # Errors
    /// More than 2^32 options or entries.
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

    /// Shows solutions as row numbers.
    pub fn number_options(&mut self) {
        self.cover.numbered = true;
    }

    /// The finished problem.
    ///
    /// # Errors
    /// No items at all.
    pub fn build(mut self) -> Result<Cover> {
        if self.cover.names.is_empty() {
            return Err(Error::model("no items"));
        }
        self.cover.overflowing = self.cover.sums_overflow();
        Ok(self.cover)
    }
}

/// Adds to a list whose length the input decides.
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

/// Fills a list that begins late up to a length. One that is longer, by an option that then failed, is cut.
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
