//! Divides a problem into independent parts.

use std::sync::Arc;

use crate::budget::LoopWatch;
use quadrille_model::{CoverBuilder, CoverProblem, EndedBy, Entry, NO_COLOUR};

/// One item of an option. Within a part, primary items have the numbers from 0 on, and secondary items
/// follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub item: u32,
    /// The 1-based index of the colour among the item's colours, or 0 if this option gives the item no
    /// colour.
    pub colour: u32,
}

/// An independent part of a problem: items that options connect with each other, and these options.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// Number of primary items. The items are in the same order as in the problem.
    pub primary: usize,
    /// Number of colours of each secondary item.
    pub colours: Vec<u32>,
    /// Index in `places` at which each option starts. The last entry is the end of the last option.
    starts: Vec<usize>,
    places: Vec<Place>,
}

impl Component {
    /// Returns all independent parts of a problem, ordered by their first primary items.
    ///
    /// Options without a primary item belong to no part, because no solution has them.
    ///
    /// # Errors
    /// Returns an error if the count must stop before the parts are known.
    pub(super) fn all(cover: &CoverProblem, pace: &mut LoopWatch<'_>) -> Result<Vec<Component>, EndedBy> {
        let mut joined = Joined::new(cover.items());
        let options = || (0..cover.options()).map(|option| cover.option(option));
        let counts = |entry: &quadrille_model::Entry| (entry.item as usize) < cover.primary();
        for option in options().filter(|option| option.iter().any(counts)) {
            pace.work(2 * option.len())?;
            option[1..].iter().for_each(|entry| joined.join(option[0].item, entry.item));
        }
        let mut parts: Vec<Component> = Vec::new();
        let mut part_of_root = vec![u32::MAX; cover.items()];
        let mut number = vec![0u32; cover.items()];
        for item in 0..cover.items() {
            let part = &mut part_of_root[joined.root(item as u32) as usize];
            if *part == u32::MAX {
                if item >= cover.primary() {
                    continue;
                }
                *part = parts.len() as u32;
                parts.push(Component { starts: vec![0], ..Component::default() });
            }
            let part = &mut parts[*part as usize];
            number[item] = (part.primary + part.colours.len()) as u32;
            if item < cover.primary() {
                part.primary += 1;
            } else {
                part.colours.push(0);
            }
        }
        let mut names: Vec<Vec<u32>> = vec![Vec::new(); cover.items()];
        for option in options().filter(|option| option.iter().any(counts)) {
            let part = &mut parts[part_of_root[joined.root(option[0].item) as usize] as usize];
            pace.work(4 * option.len())?;
            for entry in option {
                let item = entry.item as usize;
                let mut colour = 0;
                if entry.colour != NO_COLOUR {
                    pace.work(names[item].len())?;
                    let known = names[item].iter().position(|&name| name == entry.colour);
                    colour = known.unwrap_or(names[item].len()) as u32 + 1;
                    if known.is_none() {
                        names[item].push(entry.colour);
                    }
                    let colours = &mut part.colours[number[item] as usize - part.primary];
                    *colours = (*colours).max(colour);
                }
                part.places.push(Place { item: number[item], colour });
            }
            part.starts.push(part.places.len());
        }
        Ok(parts)
    }

    /// Returns the total number of primary and secondary items.
    pub(super) fn items(&self) -> usize {
        self.primary + self.colours.len()
    }

    /// Returns the options in the problem's order.
    pub(super) fn options(&self) -> impl Iterator<Item = &[Place]> + Clone {
        self.starts.windows(2).map(|ends| &self.places[ends[0]..ends[1]])
    }

    /// Returns true if the part is a single primary item without options.
    pub(super) fn is_bare(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the part as a separate problem.
    ///
    /// # Errors
    /// Returns [`EndedBy::Memory`] if there is not enough memory for the problem. Returns the reason if the
    /// count must stop.
    pub(super) fn to_cover(&self, pace: &mut LoopWatch<'_>) -> Result<Arc<CoverProblem>, EndedBy> {
        let memory = |_| EndedBy::Memory;
        let mut builder = CoverBuilder::new();
        for item in 0..self.items() {
            let name = item.to_string();
            if item < self.primary { builder.primary(&name) } else { builder.secondary(&name) }
                .map_err(memory)?;
        }
        for colour in 0..self.colours.iter().copied().max().unwrap_or(0) {
            builder.colour(&colour.to_string()).map_err(memory)?;
        }
        for option in self.options() {
            pace.work(8 * option.len())?;
            let entries: Vec<Entry> =
                option.iter().map(|place| Entry { item: place.item, colour: place.colour }).collect();
            builder.option_of(&entries, 0, None).map_err(memory)?;
        }
        builder.build().map(Arc::new).map_err(memory)
    }
}

/// Disjoint sets of items (union-find).
struct Joined(Vec<u32>);

impl Joined {
    fn new(items: usize) -> Self {
        Joined((0..items as u32).collect())
    }

    fn root(&mut self, mut item: u32) -> u32 {
        while self.0[item as usize] != item {
            let above = self.0[self.0[item as usize] as usize];
            self.0[item as usize] = above;
            item = above;
        }
        item
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller of the two roots becomes the root of both sets. Then the root of a set is its first
        // item, which determines the order of the parts.
        self.0[a.max(b) as usize] = a.min(b);
    }
}
