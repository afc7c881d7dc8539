//! Squares cut into squares.

use super::{add, board, primaries};
use quadrille_model::{Bounds, CoverBuilder, CoverProblem, Result};

/// Creates the problem of cutting a square into smaller squares.
///
/// If `number` is given, there must be exactly `number` smaller squares.
pub(super) fn squares(side: usize, number: Option<usize>) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let number = match number {
        Some(number) => {
            let times = number as u32;
            Some(builder.primary_within("#", Bounds { low: times, high: times })?)
        }
        None => None,
    };
    let cells = primaries(&mut builder, board(side, side))?;
    for size in 1..=side {
        place(&mut builder, &cells, side, size, number)?;
    }
    builder.build()
}

/// Creates the partridge problem, which has `k` squares of side length `k` for each `k` from 1 to `largest`.
///
/// The squares must fill a large square of side length 1 + 2 + ... + `largest`, which has the same total
/// area.
pub(super) fn partridge(largest: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let side = largest * (largest + 1) / 2;
    let mut sizes = Vec::new();
    for size in 1..=largest as u32 {
        sizes.push(builder.primary_within(&format!("#{size}"), Bounds { low: size, high: size })?);
    }
    let cells = primaries(&mut builder, board(side, side))?;
    // The largest squares come first, because they are the hardest to place.
    for size in (1..=largest).rev() {
        place(&mut builder, &cells, side, size, Some(sizes[size - 1]))?;
    }
    builder.build()
}

/// Adds one option for each position where a square of side length `size` fits on the board.
fn place(
    builder: &mut CoverBuilder,
    cells: &[u32],
    side: usize,
    size: usize,
    number: Option<u32>,
) -> Result<()> {
    for row in 0..=side - size {
        for column in 0..=side - size {
            let mut items: Vec<u32> = number.into_iter().collect();
            for line in row..row + size {
                items.extend_from_slice(&cells[line * side + column..line * side + column + size]);
            }
            add(builder, &items)?;
        }
    }
    Ok(())
}
