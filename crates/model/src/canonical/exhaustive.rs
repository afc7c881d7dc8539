//! Finds canonical forms by trying every arrangement. Digits are labelled in the order in which they appear.
//!
//! Used for 4x4 grids, which have 128 arrangements, and for 6x6 grids, which have 3,456. For 9x9 grids, tests
//! use this search as the reference.

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::cells::box_of;
use super::{Cells, Transform};

/// All orders of the rows and of the columns of a grid. Each list is in ascending order.
struct Orders {
    rows: Vec<[u8; 9]>,
    columns: Vec<[u8; 9]>,
    /// True if boxes are square.
    transposes: bool,
}

/// Returns all orders of rows and columns for a side length of 4, 6 or 9.
fn orders(side: usize) -> &'static Orders {
    static ORDERS: [LazyLock<Orders>; 3] = [
        LazyLock::new(|| Orders::new(4)),
        LazyLock::new(|| Orders::new(6)),
        LazyLock::new(|| Orders::new(9)),
    ];
    &ORDERS[match side {
        4 => 0,
        6 => 1,
        _ => 2,
    }]
}

impl Orders {
    fn new(side: usize) -> Self {
        let (box_rows, box_columns) = box_of(side);
        let all = |together| {
            let mut all = Vec::new();
            extend(&mut [0; 9], 0, side, together, &mut all);
            all
        };
        Orders { rows: all(box_rows), columns: all(box_columns), transposes: box_rows == box_columns }
    }
}

/// Adds to `all` every order of `side` numbers that begins with the first `filled` numbers of `order`.
///
/// The numbers form groups of `together` consecutive numbers. The numbers of a group stay adjacent.
fn extend(order: &mut [u8; 9], filled: usize, side: usize, together: usize, all: &mut Vec<[u8; 9]>) {
    if filled == side {
        all.push(*order);
        return;
    }
    // Once a group has begun, the next number must belong to the same group.
    let group = (!filled.is_multiple_of(together)).then(|| usize::from(order[filled - 1]) / together);
    for number in 0..side {
        let is_free = !order[..filled].contains(&(number as u8));
        if is_free && group.is_none_or(|group| number / together == group) {
            order[filled] = number as u8;
            extend(order, filled + 1, side, together, all);
        }
    }
}

/// Returns the least image of a grid: the lexicographically smallest grid into which it can be transformed.
///
/// Calls `tie` for each transform whose image is at most as great as all images before it. The first argument
/// of `tie` is `Less` if the image is smaller than all images before it, or `Equal` if it equals the smallest
/// of them. Transforms are passed in ascending order. Digits that do not occur in the grid get the last
/// labels, in ascending order.
pub(super) fn least_image(grid: &Cells, mut tie: impl FnMut(Ordering, Transform)) -> Cells {
    let (side, cells) = (grid.side(), grid.as_slice());
    let orders = orders(side);
    let mut least = [u8::MAX; 81];
    for transposed in [false, true] {
        if transposed && !orders.transposes {
            break;
        }
        let (row_step, column_step) = if transposed { (1, side) } else { (side, 1) };
        for rows in &orders.rows {
            for columns in &orders.columns {
                let (mut labels, mut next) = ([0; 10], 1);
                let mut order = Ordering::Equal;
                for at in 0..side * side {
                    let (row, column) = (rows[at / side], columns[at % side]);
                    let digit = cells[usize::from(row) * row_step + usize::from(column) * column_step];
                    let label = &mut labels[usize::from(digit)];
                    if digit != 0 && *label == 0 {
                        *label = next;
                        next += 1;
                    }
                    if order == Ordering::Equal {
                        order = (*label).cmp(&least[at]);
                    }
                    match order {
                        Ordering::Greater => break,
                        Ordering::Equal => {}
                        Ordering::Less => least[at] = *label,
                    }
                }
                if order != Ordering::Greater {
                    for label in labels[1..=side].iter_mut().filter(|label| **label == 0) {
                        *label = next;
                        next += 1;
                    }
                    let labels = labels.map(|label: u8| label.wrapping_sub(1));
                    let transform =
                        Transform::of_parts(transposed, &rows[..side], &columns[..side], &labels[1..=side]);
                    tie(order, transform);
                }
            }
        }
    }
    grid.with(|at| least[at])
}

/// Computes the canonical forms of 4x4 and 6x6 grids. Several searches reuse its memory.
#[derive(Debug, Default)]
pub(super) struct SmallSearch {
    pub(super) ties: Vec<Transform>,
}

impl SmallSearch {
    /// Returns the least image of a grid, which is the lexicographically smallest transformed grid. Fills
    /// `ties` with all transforms that lead to this image, in ascending order.
    pub(super) fn search(&mut self, grid: &Cells) -> Cells {
        self.ties.clear();
        least_image(grid, |order, transform| {
            if order == Ordering::Less {
                self.ties.clear();
            }
            self.ties.push(transform);
        })
    }
}
