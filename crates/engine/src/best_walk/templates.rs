//! The best template of a digit: nine cells, one in every row, column and box of a 9x9.
//!
//! A band (three rows, three boxes) takes one cell of each box, in different rows. So it uses one column of each stack:
//! a *triple*, one of 27, with the rows in one of 6 orders. Three bands fit together if their triples use different
//! columns of every stack, which gives 216 ways. So the best of the 46,656 templates comes from the best row order of
//! each triple in each band, and then the best of the 216 ways.
//!
//! ```text
//! triple = 9 * column in stack 0 + 3 * column in stack 1 + column in stack 2
//! ```

use super::lagrangian::{Choices, Prices};

/// Worth (value minus price) of a cell that cannot hold the digit. Every sum with this worth is below
/// [`IMPOSSIBLE`].
const NOT_ALLOWED: i64 = -(1 << 52);
/// Lower bound on every sum of worths of cells that can all hold the digit.
const IMPOSSIBLE: i64 = NOT_ALLOWED / 2;

/// The possible orders of three rows. Each order gives the row of the cell in stack 0, 1 and 2.
const ROW_ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// All ways of combining three triples, one for each band, into a template. A triple has the three columns
/// that the template uses in a band, one per stack.
static WAYS: [[u8; 3]; 216] = {
    let mut ways = [[0; 3]; 216];
    let mut way = 0;
    while way < 216 {
        let orders = [ROW_ORDERS[way / 36], ROW_ORDERS[way / 6 % 6], ROW_ORDERS[way % 6]];
        let mut band = 0;
        while band < 3 {
            ways[way][band] = (9 * orders[0][band] + 3 * orders[1][band] + orders[2][band]) as u8;
            band += 1;
        }
        way += 1;
    }
    ways
};

/// Returns the column of a triple's cell in each stack. Columns are counted from 0 to 2 within the stack.
const fn columns(triple: usize) -> [usize; 3] {
    [triple / 9, triple / 3 % 3, triple % 3]
}

/// Worth (value minus price) of a digit in each cell of a band, indexed by `[row][stack][column]`.
type BandWorth = [[[i64; 3]; 3]; 3];

/// Returns the worth of a triple's cells if their rows have the given order.
#[inline]
fn worth_of(worth: &BandWorth, rows: &[usize; 3], columns: &[usize; 3]) -> i64 {
    (0..3).map(|stack| worth[rows[stack]][stack][columns[stack]]).sum()
}

/// A template that may be part of a good grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Template {
    /// The worth of the digit's best template minus the worth of this template, scaled.
    pub(crate) loss: i64,
    /// The nine cells of the template, one bit per cell.
    pub(crate) cells: u128,
}

/// A request to list the templates of one digit, with its limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listing<'a> {
    pub(crate) digit: usize,
    /// Maximum loss of a template.
    pub(crate) slack: i64,
    /// Groups of cells that must have the same digit, one bit per cell.
    ///
    /// A template has all cells of a group or none of them.
    pub(crate) groups: &'a [u128],
    /// Maximum number of templates in the lists of all digits together.
    pub(crate) most: usize,
}

/// Work space for computing with the templates of the nine digits.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    worth: [BandWorth; 3],
    /// For each band and triple, the worth of the triple's cells in the best order of rows.
    triples: [[i64; 27]; 3],
}

impl Templates {
    /// Chooses the best template of every digit, and returns the sum of their worths (values minus prices).
    ///
    /// Counts in `met` how often each cell is chosen. Returns `None` if a digit has no template.
    pub(crate) fn choose(&mut self, choices: &impl Choices, priced: &mut Prices) -> Option<i64> {
        let mut sum = 0;
        for digit in 0..9 {
            self.weigh(choices, priced, digit);
            let (best, way) = self.best_way();
            if best < IMPOSSIBLE {
                return None;
            }
            sum += best;
            for (band, &triple) in WAYS[way].iter().enumerate() {
                let worth = &self.worth[band];
                let columns = columns(triple as usize);
                let best = self.triples[band][triple as usize];
                let rows = ROW_ORDERS.iter().find(|rows| worth_of(worth, rows, &columns) == best);
                let rows = rows.expect("the best row order is one of the six");
                for stack in 0..3 {
                    priced.met[9 * (3 * band + rows[stack]) + 3 * stack + columns[stack]] += 1;
                }
            }
        }
        Some(sum)
    }

    /// Computes the loss of each candidate.
    ///
    /// The loss is the worth of the digit's best template minus the worth of its best template that contains
    /// this cell.
    pub(crate) fn lose(&mut self, choices: &impl Choices, priced: &mut Prices) {
        for digit in 0..9 {
            self.weigh(choices, priced, digit);
            // For each band and triple, the worth of the best template with this triple in this band.
            let mut with = [[i64::MIN; 27]; 3];
            let mut best = i64::MIN;
            for way in &WAYS {
                let total = self.total(way);
                best = best.max(total);
                for (with, &triple) in with.iter_mut().zip(way) {
                    with[triple as usize] = with[triple as usize].max(total);
                }
            }
            for band in 0..3 {
                let worth = &self.worth[band];
                let mut through = [[[i64::MIN; 3]; 3]; 3];
                for (triple, (with, without)) in with[band].iter().zip(&self.triples[band]).enumerate() {
                    let columns = columns(triple);
                    let elsewhere = with - without;
                    for rows in ROW_ORDERS {
                        let total = worth_of(worth, &rows, &columns) + elsewhere;
                        for stack in 0..3 {
                            let cell = &mut through[rows[stack]][stack][columns[stack]];
                            *cell = total.max(*cell);
                        }
                    }
                }
                for (place, &total) in through.as_flattened().as_flattened().iter().enumerate() {
                    priced.losses[9 * (27 * band + place) + digit] = best - total;
                }
            }
        }
    }

    /// Lists the templates of a digit whose loss is at most the slack of the listing, in no particular order.
    ///
    /// Returns true if the digit has no other templates. If the list would exceed `most` templates, stops and
    /// returns false.
    pub(crate) fn list(
        &mut self,
        choices: &impl Choices,
        priced: &Prices,
        listing: Listing<'_>,
        pieces: &mut Vec<Template>,
    ) -> bool {
        let Listing { digit, slack, groups, most } = listing;
        self.weigh(choices, priced, digit);
        let (best, _) = self.best_way();
        let mut all = true;
        for way in &WAYS {
            let total = self.total(way);
            if total < IMPOSSIBLE {
                continue;
            }
            let loss = best - total;
            if loss > slack {
                all = false;
                continue;
            }
            let orders = |band: usize| {
                let triple = way[band] as usize;
                let (worth, columns, best) = (&self.worth[band], columns(triple), self.triples[band][triple]);
                ROW_ORDERS.map(|rows| {
                    let cell = |stack: usize| 9 * (3 * band + rows[stack]) + 3 * stack + columns[stack];
                    let cells = (0..3).fold(0u128, |cells, stack| cells | 1 << cell(stack));
                    Template { loss: best - worth_of(worth, &rows, &columns), cells }
                })
            };
            let bands = [orders(0), orders(1), orders(2)];
            // Checks that a loss is at most the slack. A larger loss means that the list is incomplete,
            // unless the loss comes from a cell that cannot hold the digit. In that case the template does
            // not exist.
            let mut fits = |loss: i64| {
                all &= loss <= slack || loss > -IMPOSSIBLE;
                loss <= slack
            };
            for first in &bands[0] {
                let loss = loss + first.loss;
                if !fits(loss) {
                    continue;
                }
                for second in &bands[1] {
                    let loss = loss + second.loss;
                    if !fits(loss) {
                        continue;
                    }
                    for third in &bands[2] {
                        let loss = loss + third.loss;
                        let cells = first.cells | second.cells | third.cells;
                        let parts = |&group: &u128| cells & group != 0 && cells & group != group;
                        if !fits(loss) || groups.iter().any(parts) {
                            continue;
                        }
                        pieces.push(Template { loss, cells });
                        if pieces.len() > most {
                            return false;
                        }
                    }
                }
            }
        }
        all
    }

    /// Computes the worth of a digit in every cell, and the worth of every triple.
    fn weigh(&mut self, choices: &impl Choices, priced: &Prices, digit: usize) {
        for (band, worth) in self.worth.iter_mut().enumerate() {
            for (place, worth) in worth.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
                let cell = 27 * band + place;
                let allowed = choices.items()[cell] >> digit & 1 != 0;
                *worth =
                    if allowed { priced.values[9 * cell + digit] - priced.prices[cell] } else { NOT_ALLOWED };
            }
        }
        for (worth, triples) in self.worth.iter().zip(&mut self.triples) {
            *triples = [i64::MIN; 27];
            for row in 0..3 {
                let (above, below) = (&worth[(row + 1) % 3], &worth[(row + 2) % 3]);
                for first in 0..3 {
                    for second in 0..3 {
                        let pair =
                            (above[0][first] + below[1][second]).max(below[0][first] + above[1][second]);
                        for third in 0..3 {
                            let triple = &mut triples[9 * first + 3 * second + third];
                            *triple = (pair + worth[row][2][third]).max(*triple);
                        }
                    }
                }
            }
        }
    }

    /// Returns the total worth of three triples, one for each band. The rows of each triple have the best
    /// order.
    #[inline]
    fn total(&self, triples: &[u8; 3]) -> i64 {
        (0..3).map(|band| self.triples[band][triples[band] as usize]).sum()
    }

    /// Returns the best total worth of all entries of `WAYS`, and the index of the first entry with this
    /// worth.
    fn best_way(&self) -> (i64, usize) {
        let mut best = (i64::MIN, 0);
        for (way, triples) in WAYS.iter().enumerate() {
            let total = self.total(triples);
            if total > best.0 {
                best = (total, way);
            }
        }
        best
    }
}
