//! The options of a problem as bit sets.
//!
//! An *entry* is an item with or without a colour, as it occurs in options. The entries `0..items` are the
//! items without a colour. The entries with a colour follow. They are in the order in which the options first
//! use them.

use std::collections::HashMap;
use std::ops::Range;

use crate::budget::LoopWatch;
use quadrille_model::{CoverProblem, EndedBy, NO_COLOUR};

/// Bit sets of options for each entry and each item. Also has the entries of each option.
pub(super) struct OptionSets {
    /// Number of primary items. The first entries belong to these items.
    pub primary: usize,
    /// Number of 64-bit words in a set of options.
    pub option_words: usize,
    /// Number of 64-bit words in a set of entries.
    pub entry_words: usize,
    /// Set of all options that have a primary item. Other options are not part of any solution.
    pub all: Vec<u64>,
    /// The item of each entry.
    pub item_of: Vec<u32>,
    /// For each option, the start of its entries in `entries`. The last value is the end of the last option's
    /// entries.
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// For each entry, the set of options that contain the entry.
    by_entry: Vec<u64>,
    /// For each secondary item, the set of options that contain the item in any colour.
    by_secondary: Vec<u64>,
    /// For each primary item, the range of words in which its set of options is not zero.
    spans: Vec<Range<u32>>,
}

impl OptionSets {
    /// Creates the tables of a problem without multiplicities. The sets take at most `memory` bytes.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, or if the work must stop.
    pub(super) fn new(
        cover: &CoverProblem,
        memory: usize,
        pace: &mut LoopWatch<'_>,
    ) -> Result<Self, EndedBy> {
        let (primary, option_words) = (cover.primary(), cover.options().div_ceil(64));
        let mut item_of: Vec<u32> = (0..cover.items() as u32).collect();
        let (mut starts, mut entries) = (vec![0], Vec::new());
        let (mut all, mut coloured) = (vec![0u64; option_words], HashMap::new());
        for option in 0..cover.options() {
            let places = cover.option(option);
            pace.work(8 * places.len() + 1)?;
            if places.iter().any(|place| (place.item as usize) < primary) {
                all[option / 64] |= 1 << (option % 64);
                for place in places {
                    let next = item_of.len() as u32;
                    let entry = match place.colour {
                        NO_COLOUR => place.item,
                        colour => *coloured.entry((place.item, colour)).or_insert(next),
                    };
                    if entry == next {
                        item_of.push(place.item);
                    }
                    entries.push(entry);
                }
            }
            starts.push(entries.len() as u32);
        }
        let rows = [item_of.len(), cover.items() - primary];
        if rows.iter().sum::<usize>().saturating_mul(8 * option_words) > memory {
            return Err(EndedBy::Memory);
        }
        let [mut by_entry, mut by_secondary] = rows.map(|rows| vec![0u64; rows * option_words]);
        for option in 0..cover.options() {
            let own = &entries[starts[option] as usize..starts[option + 1] as usize];
            pace.work(4 * own.len() + 1)?;
            for &entry in own {
                let (word, bit) = (option / 64, 1 << (option % 64));
                by_entry[entry as usize * option_words + word] |= bit;
                if let Some(item) = (item_of[entry as usize] as usize).checked_sub(primary) {
                    by_secondary[item * option_words + word] |= bit;
                }
            }
        }
        let spans = (0..primary).map(|item| {
            let row = &by_entry[item * option_words..][..option_words];
            let first = row.iter().position(|&word| word != 0).unwrap_or(0);
            first as u32..row.iter().rposition(|&word| word != 0).map_or(0, |last| last as u32 + 1)
        });
        Ok(OptionSets {
            primary,
            option_words,
            entry_words: item_of.len().div_ceil(64),
            spans: spans.collect(),
            all,
            item_of,
            starts,
            entries,
            by_entry,
            by_secondary,
        })
    }

    /// Returns the size of the sets in bytes.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.by_entry.len() + self.by_secondary.len()) + 4 * self.entries.len()
    }

    /// Returns the entries of an option. Returns an empty slice if the option has no primary item.
    pub(super) fn entries(&self, option: usize) -> &[u32] {
        &self.entries[self.starts[option] as usize..self.starts[option + 1] as usize]
    }

    /// Returns the set of options that contain an entry.
    pub(super) fn with_entry(&self, entry: usize) -> &[u64] {
        &self.by_entry[entry * self.option_words..][..self.option_words]
    }

    /// Returns the set of options that contain the item of an entry in any colour.
    pub(super) fn with_item_of(&self, entry: usize) -> &[u64] {
        match (self.item_of[entry] as usize).checked_sub(self.primary) {
            Some(item) => &self.by_secondary[item * self.option_words..][..self.option_words],
            None => self.with_entry(entry),
        }
    }

    /// Returns each word of a primary item's option set, intersected with the same word of `live`.
    ///
    /// Omits words outside the item's range, which are zero.
    pub(super) fn pairs<'t>(&'t self, item: usize, live: &'t [u64]) -> impl Iterator<Item = u64> + 't {
        let span = self.spans[item].start as usize..self.spans[item].end as usize;
        self.with_entry(item)[span.clone()].iter().zip(&live[span]).map(|(row, live)| row & live)
    }

    /// Removes `option` from `live`. Also removes all options that cannot be in a solution together with
    /// `option`.
    pub(super) fn take(&self, option: usize, live: &mut [u64]) {
        for &entry in self.entries(option) {
            let same_item = self.with_item_of(entry as usize);
            if entry as usize == self.item_of[entry as usize] as usize {
                live.iter_mut().zip(same_item).for_each(|(live, row)| *live &= !row);
            } else {
                // Options that give the item the same colour can be in the same solution, so they stay.
                let same = same_item.iter().zip(self.with_entry(entry as usize));
                live.iter_mut().zip(same).for_each(|(live, (row, same))| *live &= !row | same);
            }
        }
    }
}
