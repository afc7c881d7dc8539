//! A problem as this engine reads it: the rows that each option takes, and costs to be minimised.
//!
//! A *row* is a set of options. Every item has one row, and every colour of a coloured item has another:
//!
//! ```text
//! rows     primary items | secondary items | colour red of x | colour blue of x | ...
//! option   { p, q, x:red }   is in       p, q, x, red of x
//!                            rules out   p, q, x but not red of x
//! ```
//!
//! Costs are converted by a [`FixedPoint`].

use crate::budget::LoopWatch;
use crate::fixed_point::FixedPoint;
use crate::memory::clear_and_reserve;
use quadrille_model::{CoverProblem, Direction, EndedBy, NO_COLOUR};

/// Value of the field `compatible` if the option does not give the item a colour.
const NONE: u32 = u32::MAX;
/// Maximum number of bits after the binary point in a scaled cost.
const FRACTION_BITS: i32 = 16;
/// Maximum number of bits of a price. If options are long or there are many items, prices have fewer bits.
const MAX_PRICE_BITS: i32 = 46;

/// One item of an option, with the rows that show which other options this item rules out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exclusion {
    /// The row that lists the options that contain the item. Choosing this option rules out all of them,
    /// except options that give the item the same colour.
    pub(super) row: u32,
    /// The row that lists the options that give the item the same colour. These options are not ruled out.
    ///
    /// The value is [`NONE`] if the option gives the item no colour.
    compatible: u32,
}

impl Exclusion {
    /// Returns the row that lists the options that give the item the same colour.
    ///
    /// Returns `None` if the option does not give the item a colour.
    #[inline(always)]
    pub(super) fn compatible(self) -> Option<u32> {
        (self.compatible != NONE).then_some(self.compatible)
    }
}

/// A problem in tables.
#[derive(Debug, Default)]
pub(super) struct ProblemTables {
    pub(super) primary: usize,
    pub(super) items: usize,
    pub(super) rows: usize,
    /// For each option, the index of its first entry in `hits`; the last element is the length of `hits`.
    starts: Vec<u32>,
    hits: Vec<Exclusion>,
    /// For each item, true if it can have a price. Primary items and items without colours can have a price.
    pub(super) priced: Vec<bool>,
    /// Scaled costs, by option.
    pub(super) costs: Vec<i64>,
    pub(super) scale: FixedPoint,
    /// Maximum absolute value of a price, chosen so that no sum overflows.
    pub(super) largest_price: i64,
}

impl ProblemTables {
    pub(super) fn assign(
        &mut self,
        cover: &CoverProblem,
        direction: Direction,
        pace: &mut LoopWatch<'_>,
    ) -> Result<(), EndedBy> {
        let options = cover.options();
        self.primary = cover.primary();
        self.items = cover.items();
        clear_and_reserve(&mut self.starts, options + 1)?;
        clear_and_reserve(&mut self.hits, cover.entries())?;
        clear_and_reserve(&mut self.priced, cover.items())?;
        clear_and_reserve(&mut self.costs, options)?;
        self.priced.resize(cover.items(), true);
        let mut colours = std::collections::HashMap::new();
        let mut rows = cover.items();
        self.starts.push(0);
        for option in 0..options {
            pace.work(4 * cover.option(option).len())?;
            for entry in cover.option(option) {
                let mut compatible = NONE;
                if entry.colour != NO_COLOUR {
                    compatible = *colours.entry((entry.item, entry.colour)).or_insert_with(|| {
                        rows += 1;
                        rows as u32 - 1
                    });
                    self.priced[entry.item as usize] = false;
                }
                self.hits.push(Exclusion { row: entry.item, compatible });
            }
            self.starts.push(self.hits.len() as u32);
        }
        self.rows = rows;
        self.scale_costs(cover, direction);
        Ok(())
    }

    /// Chooses the scale and the largest price so that no sum overflows. Then computes the scaled costs.
    ///
    /// Let `p` be the number of bits of a price: prices are at most 2^p in absolute value. In an exact pass,
    /// the reduced cost of an option with n items grows by at most n^2 * 2^p.
    fn scale_costs(&mut self, cover: &CoverProblem, direction: Direction) {
        let longest = self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let spare_bits = 2 * (longest + 2).ilog2() as i32 + (cover.items() as u64 + 2).ilog2() as i32;
        let price_bits = (58 - spare_bits).clamp(1, MAX_PRICE_BITS);
        self.largest_price = 1 << price_bits;
        let options = 0..cover.options();
        let largest = options.clone().map(|option| cover.cost(option).unsigned_abs()).max().unwrap_or(0);
        self.scale = FixedPoint::new(direction, price_bits - 4, largest, FRACTION_BITS);
        let scale = self.scale;
        self.costs.extend(options.map(|option| scale.limit(cover.cost(option), 0)));
    }

    #[inline(always)]
    pub(super) fn options(&self) -> usize {
        self.costs.len()
    }

    #[inline(always)]
    pub(super) fn hits(&self, option: u32) -> &[Exclusion] {
        let option = option as usize;
        &self.hits[self.starts[option] as usize..self.starts[option + 1] as usize]
    }
}
