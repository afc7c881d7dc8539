//! Squares cut into squares.

use super::{board, cells, primaries, with_options};
use quadrille_model::{Bounds, CoverBuilder, CoverProblem, Result};

/// Creates the problem of cutting a square into smaller squares.
///
/// If `number` is given, there must be exactly `number` smaller squares.
pub(super) fn squares(side: usize, number: Option<usize>) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let number = number.map(|number| exactly(&mut builder, "#", number)).transpose()?;
    filled(builder, side, (1..=side).map(|size| (size, number)))
}

/// Creates the partridge problem, which has `k` squares of side length `k` for each `k` from 1 to `largest`.
///
/// The squares must fill a large square of side length 1 + 2 + ... + `largest`, which has the same total
/// area.
pub(super) fn partridge(largest: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let sizes = (1..=largest).map(|size| exactly(&mut builder, &format!("#{size}"), size));
    let sizes = sizes.collect::<Result<Vec<_>>>()?;
    // The largest squares come first, because they are the hardest to place.
    filled(builder, largest * (largest + 1) / 2, (1..=largest).rev().zip(sizes.into_iter().rev().map(Some)))
}

/// Adds a primary item that must be covered `times` times.
fn exactly(builder: &mut CoverBuilder, name: &str, times: usize) -> Result<u32> {
    builder.primary_within(name, Bounds { low: times as u32, high: times as u32 })
}

/// Adds the cells of a square of side length `side`, and one option for each position of a smaller square.
///
/// `squares` contains the side length of each kind of smaller square, and the item that counts this kind.
fn filled(
    mut builder: CoverBuilder,
    side: usize,
    squares: impl Iterator<Item = (usize, Option<u32>)>,
) -> Result<CoverProblem> {
    let items = primaries(&mut builder, board(side, side))?;
    let options = squares.flat_map(|(size, number)| {
        let items = &items;
        cells(side - size + 1, side - size + 1).map(move |[row, column]| {
            let lines = (row..row + size).flat_map(|line| &items[line * side + column..][..size]);
            number.iter().chain(lines).copied().collect::<Vec<_>>()
        })
    });
    with_options(builder, options)
}
