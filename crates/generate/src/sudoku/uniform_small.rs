//! Draws solved grids of small sizes, all with the same probability.
//!
//! Cells are filled in order. A digit is free in a cell if the cells filled before allow it. Each cell has a
//! fixed bound, which is the maximum number of free digits in any grid. For each cell, the function draws a
//! number below the bound, which is the rank of a free digit. If there is no free digit of this rank, the
//! grid is rejected. So each grid is the result of exactly one series of numbers, and all series are equally
//! likely. For 6x6, one grid in 400 is accepted.

use quadrille_model::random::Random;
use quadrille_model::{DigitSet, Geometry};

/// Maximum number of cells of a grid. In larger grids, too few of the random fillings are accepted.
pub(super) const MAX_CELLS: usize = 36;

/// Draws a random solved grid, as 0-based digits, row by row.
pub(super) fn draw(geometry: &Geometry, random: &mut Random) -> Vec<u8> {
    let bounds = bounds(geometry);
    loop {
        if let Some(grid) = fill(geometry, &bounds, random) {
            return grid;
        }
    }
}

/// Returns, for each cell, the maximum number of digits that are still possible after all earlier cells are
/// filled.
fn bounds(geometry: &Geometry) -> Vec<u32> {
    let earlier = |cell: usize, house: u16| {
        geometry.houses()[usize::from(house)].cells.iter().filter(|&&other| usize::from(other) < cell).count()
    };
    // The digits of a house are all different. So each cell of a house that was filled earlier excludes one
    // digit.
    let barred = |cell: usize| geometry.houses_of(cell).iter().map(|&house| earlier(cell, house)).max();
    (0..geometry.cells()).map(|cell| (geometry.side() - barred(cell).unwrap_or(0)) as u32).collect()
}

/// Fills a grid with random digits. Returns `None` if some cell has no free digit with the rank that was
/// drawn.
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
