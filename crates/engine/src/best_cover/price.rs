//! The bound: prices of items such that no option costs less than its items' prices together.
//!
//! ```text
//! minimise  sum of the costs of the options taken        maximise  sum of the prices
//! every primary item once, every secondary at most once   for every option: cost - prices of its items >= 0
//! ```
//!
//! The right side is the dual of the linear relaxation of the left side. By weak duality the sum of any such prices is
//! a lower bound. The *reduced cost* of an option is its cost less its items' prices: taking the option raises the
//! bound by that much. Prices of secondary items are never positive. Knuth's taxes (The Art of Computer Programming 4B,
//! 7.2.2.1, and his program dlx5) are such prices, found in one pass.
//!
//! Good prices come from a smoothed problem (entropy regularisation; the row-action method of Bregman 1967, iterative
//! proportional fitting). Every option gets the weight `exp(-reduced cost / heat)`, and the items' prices are set one
//! after the other such that the weights of each item's options add up to 1. Unlike raising prices until a constraint
//! is tight, this does not get stuck. The difference between an item's price and the best one is at most `heat` times
//! the logarithm of the item's number of options.
//!
//! Floating-point numbers only guide the search for prices. At the end prices are rounded to integers, and one exact
//! pass over all items sets each price to the largest that its options allow. After this pass no option has a
//! negative reduced cost, whatever the prices were before. The exponential and the logarithm are written out here in
//! additions and multiplications, which give the same results on every machine. So prices, search trees and the first
//! of equal solutions are the same everywhere.

use super::table::ProblemTables;

/// Prices for the options and items that remain in a problem or in a part of it.
#[derive(Debug, Default)]
pub(super) struct Pricing {
    /// Number that each option has in the whole problem.
    pub(super) ids: Vec<u32>,
    /// The options' reduced costs, scaled.
    pub(super) reduced: Vec<i64>,
    weights: Vec<f64>,
    /// Items that have a price and occur in at least one of the options. Each such item has a row, and
    /// primary items come first.
    rows: Vec<u32>,
    /// For each row, the end of its options in `members`.
    ends: Vec<u32>,
    /// For each row, the indices of its options in `ids`, ascending.
    pub(super) members: Vec<u32>,
    /// For each row its price.
    prices: Vec<i64>,
    /// For each row, the amount that smoothing adds to its price.
    added: Vec<f64>,
    /// Number of rows that belong to primary items. These rows come first.
    primary: usize,
    /// Work space for [`load`](Self::load): the start of each item's options in `spread`.
    starts: Vec<u32>,
    /// Work space for [`load`](Self::load): the options of all items, as indices in `ids`.
    spread: Vec<u32>,
}

impl Pricing {
    /// Loads options and the initial price of each item. The options must not contain any item that is
    /// already covered.
    pub(super) fn load(&mut self, table: &ProblemTables, options: &[u32], prices: &[i64]) {
        self.clear();
        self.ids.extend_from_slice(options);
        // `starts` first contains the number of options of each item. Then it contains the start of each
        // item's options, and finally the end of these options.
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        starts.resize(table.items + 1, 0);
        for &id in options {
            for hit in table.hits(id) {
                starts[hit.row as usize + 1] += 1;
            }
        }
        for item in 0..table.items {
            starts[item + 1] += starts[item];
        }
        self.spread.clear();
        self.spread.resize(starts[table.items] as usize, 0);
        for (place, &id) in options.iter().enumerate() {
            let mut reduced = table.costs[id as usize];
            for hit in table.hits(id) {
                let item = hit.row as usize;
                self.spread[starts[item] as usize] = place as u32;
                starts[item] += 1;
                if table.priced[item] {
                    reduced -= prices[item];
                }
            }
            self.reduced.push(reduced);
        }
        let mut begin = 0;
        for item in 0..table.items {
            let end = starts[item] as usize;
            if table.priced[item] && end > begin {
                self.members.extend_from_slice(&self.spread[begin..end]);
                self.end_row(item as u32, item < table.primary, prices[item]);
            }
            begin = end;
        }
        self.starts = starts;
    }

    /// Removes all options and rows.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.reduced.clear();
        self.rows.clear();
        self.ends.clear();
        self.members.clear();
        self.prices.clear();
        self.primary = 0;
    }

    /// Creates a row for `item`. The row contains the members that were added since the last row was created.
    ///
    /// `price` must already be subtracted from the reduced costs of the options in the row.
    #[inline(always)]
    pub(super) fn end_row(&mut self, item: u32, is_primary: bool, price: i64) {
        let begin = self.ends.last().map_or(0, |&end| end as usize);
        let end = self.members.len();
        // A secondary item that occurs in only one option does not restrict anything.
        if !is_primary && end - begin <= 1 {
            for &member in &self.members[begin..] {
                self.reduced[member as usize] += price;
            }
            self.members.truncate(begin);
            return;
        }
        self.rows.push(item);
        self.ends.push(end as u32);
        self.prices.push(price);
        self.primary += usize::from(is_primary);
    }

    /// Improves the prices step by step, in `passes` passes over all items.
    ///
    /// `heat` is the strength of smoothing, in the unit of costs. Before each pass, the function calls
    /// `should_continue`. If the call returns false, the function stops. The prices at this point give a
    /// worse but valid bound.
    #[inline(always)]
    pub(super) fn smooth(
        &mut self,
        table: &ProblemTables,
        heat: f64,
        passes: u32,
        mut should_continue: impl FnMut() -> bool,
    ) {
        let Pricing { members, weights, added, .. } = self;
        let cold = -1.0 / heat;
        weights.clear();
        weights.resize(self.reduced.len(), 0.0);
        for (weight, &reduced) in weights.iter_mut().zip(&self.reduced) {
            *weight = exp(reduced as f64 * cold);
        }
        added.clear();
        added.resize(self.rows.len(), 0.0);
        for _ in 0..passes {
            if !should_continue() {
                break;
            }
            let mut begin = 0;
            for (row, &end) in self.ends.iter().enumerate() {
                let members = &members[begin..end as usize];
                begin = end as usize;
                // With four separate sums, an addition need not wait for the result of the previous addition.
                let mut sums = [0.0; 4];
                let mut fours = members.chunks_exact(4);
                for four in &mut fours {
                    for lane in 0..4 {
                        sums[lane] += weights[four[lane] as usize];
                    }
                }
                for &member in fours.remainder() {
                    sums[0] += weights[member as usize];
                }
                let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
                if !(1e-200..1e200).contains(&sum) {
                    continue;
                }
                let mut change = -heat * ln(sum);
                let mut factor = 1.0 / sum;
                if row >= self.primary {
                    let price = self.prices[row] as f64 + added[row];
                    if price + change > 0.0 {
                        change = -price;
                        factor = exp(price * cold);
                    }
                }
                if factor != 1.0 {
                    added[row] += change;
                    for &member in members {
                        weights[member as usize] *= factor;
                    }
                }
            }
        }
        let most = table.largest_price as f64;
        let mut begin = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            let price = (self.prices[row] as f64 + added[row]).clamp(-most, most) as i64;
            let change = price - self.prices[row];
            self.prices[row] = price;
            for &member in &members[begin..end as usize] {
                self.reduced[member as usize] -= change;
            }
            begin = end as usize;
        }
    }

    /// Makes all reduced costs non-negative, in one exact pass over all items. Returns the sum of the prices.
    #[inline(always)]
    pub(super) fn settle(&mut self) -> i64 {
        let mut begin = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            let members = &self.members[begin..end as usize];
            begin = end as usize;
            let mut least = i64::MAX;
            for &member in members {
                least = least.min(self.reduced[member as usize]);
            }
            let change = if row < self.primary { least } else { least.min(-self.prices[row]).max(0) };
            if change != 0 {
                self.prices[row] += change;
                for &member in members {
                    self.reduced[member as usize] -= change;
                }
            }
        }
        self.prices.iter().sum()
    }

    /// Writes the price of each row into `prices`. The index in `prices` is the item.
    pub(super) fn write(&self, prices: &mut [i64]) {
        for (&row, &price) in self.rows.iter().zip(&self.prices) {
            prices[row as usize] = price;
        }
    }

    /// Returns the difference between the largest and the smallest reduced cost.
    pub(super) fn spread(&self) -> i64 {
        let least = self.reduced.iter().min().copied().unwrap_or(0);
        self.reduced.iter().max().copied().unwrap_or(0) - least
    }
}

/// Returns e to the power of `x`, with about ten correct digits.
///
/// The result is computed as a power of two times a polynomial in the remaining fraction.
#[inline(always)]
fn exp(x: f64) -> f64 {
    let x = x.clamp(-690.0, 690.0) * std::f64::consts::LOG2_E;
    // Adding this number and then subtracting it rounds to the nearest integer, because the addition drops
    // the bits of the fraction.
    const SHIFTER: f64 = 6_755_399_441_055_744.0;
    let whole = (x + SHIFTER) - SHIFTER;
    let rest = (x - whole) * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for factor in [1.0 / 8.0, 1.0 / 7.0, 1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.0, 1.0] {
        sum = 1.0 + sum * rest * factor;
    }
    sum * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}

/// Returns the natural logarithm of a normal positive number, with about nine correct digits.
#[inline(always)]
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    // The exponent is chosen so that the mantissa is between the square roots of 1/2 and 2.
    let shifted = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd);
    let exponent = (shifted as i64) >> 52;
    let mantissa = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let mut sum = 0.0;
    for divisor in [11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = 1.0 / divisor + square * sum;
    }
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * ratio * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_and_logarithms_are_close() {
        for step in -4000..4000 {
            let x = f64::from(step) * 0.171_3;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-8, "exp {x}");
            if x > 0.0 {
                for value in [x, 1.0 / x, x * 1e-90, x * 1e90] {
                    assert!((ln(value) - value.ln()).abs() < 1e-8, "ln {value}");
                }
            }
        }
    }
}
