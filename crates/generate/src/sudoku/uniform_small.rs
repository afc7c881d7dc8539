//! Draws solved grids of small sides, all of them equally likely.
//!
//! Cells are filled in order. Each cell has a bound that no earlier choice makes smaller than its number of free digits.
//! A number below the bound is drawn: it is the rank of a free digit, or there is no such digit and the grid is thrown
//! away. So each grid is the result of exactly one series of numbers, and all series are equally likely. One 6x6 in 400
//! is kept.

use quadrille_model::random::Random;
use quadrille_model::{DigitSet, Geometry};

/// Maximum number of cells of a grid for which enough series end in a grid.
pub(super) const MAX_CELLS: usize = 36;

/// Draws a solved grid: 0-based digits, row by row.
pub(super) fn draw(geometry: &Geometry, random: &mut Random) -> Vec<u8> {
    let bounds = bounds(geometry);
    loop {
        if let Some(grid) = fill(geometry, &bounds, random) {
            return grid;
        }
    }
}

/// Returns for each cell the largest number of digits that can be free once the earlier cells are filled.
fn bounds(geometry: &Geometry) -> Vec<u32> {
    let earlier = |cell: usize, house: u16| {
        geometry.houses()[usize::from(house)].cells.iter().filter(|&&other| usize::from(other) < cell).count()
    };
    // The digits of a house differ, so at least the fullest house of the cell bars as many as it has.
    let barred = |cell: usize| geometry.houses_of(cell).iter().map(|&house| earlier(cell, house)).max();
    (0..geometry.cells()).map(|cell| (geometry.side() - barred(cell).unwrap_or(0)) as u32).collect()
}

/// Fills a grid, or returns `None` if a number is not the rank of a free digit.
fn fill(geometry: &Geometry, bounds: &[u32], random: &mut Random) -> Option<Vec<u8>> {
    let mut used = vec![DigitSet(0); geometry.houses().len()];
    let mut grid = Vec::with_capacity(bounds.len());
    for (cell, &bound) in bounds.iter().enumerate() {
        let houses = geometry.houses_of(cell);
        let barred = houses.iter().fold(0, |barred, &house| barred | used[usize::from(house)].0);
        let free = DigitSet::all(geometry.side()).without(DigitSet(barred));
        let digit = free.iter().nth(random.below(bound) as usize)?;
        houses.iter().for_each(|&house| used[usize::from(house)].0 |= 1 << digit);
        grid.push(digit as u8);
    }
    Some(grid)
}
