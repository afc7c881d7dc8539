//! Problems on square boards: queens, Latin squares, sudoku grids.

use super::{board, cells, code, primaries, secondaries, with_options};
use quadrille_model::encode::to_cover;
use quadrille_model::{Bounds, CoverBuilder, CoverProblem, Error, Geometry, ProblemRef, Puzzle, Result};

/// Creates the queens problem. Rows and columns are primary items, and diagonals are secondary items.
pub(super) fn queens(side: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let name = |letter: char, number: usize| format!("{letter}{}", code(&[number], 2 * side));
    // Adds the middle row and column first, then pairs further outwards. So the search first decides the
    // middle rows and columns, which queens attack most.
    let mut lines = vec![[0; 2]; side];
    for step in 0..side {
        let number = if step % 2 == 0 { side / 2 + step / 2 } else { side / 2 - 1 - step / 2 };
        lines[number] = [builder.primary(&name('r', number))?, builder.primary(&name('c', number))?];
    }
    let names = ['a', 'b'].into_iter();
    let names = names.flat_map(|letter| (0..2 * side - 1).map(move |number| name(letter, number)));
    let diagonals = secondaries(&mut builder, names)?;
    let options = cells(side, side).map(|[row, column]| {
        let (up, down) = (row + column, 2 * side - 1 + row + side - 1 - column);
        [lines[row][0], lines[column][1], diagonals[up], diagonals[down]]
    });
    with_options(builder, options)
}

/// Creates the problem of dominating a board with `queens` queens.
///
/// At least one queen attacks or occupies each cell, and there are exactly `queens` queens.
pub(super) fn domination(side: usize, queens: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let queens = queens as u32;
    let number = builder.primary_within("#", Bounds { low: queens, high: queens })?;
    let once_or_more = Bounds { low: 1, high: queens };
    let cells = board(side, side).map(|name| builder.primary_within(&name, once_or_more));
    let cells = cells.collect::<Result<Vec<_>>>()?;
    let options = (0..side * side).map(|queen| {
        let attacked = (0..side * side).filter(|&cell| attacks(queen, cell, side)).map(|cell| cells[cell]);
        std::iter::once(number).chain(attacked).collect::<Vec<_>>()
    });
    with_options(builder, options)
}

/// Returns true if a queen on the cell `queen` attacks or occupies `cell`.
fn attacks(queen: usize, cell: usize, side: usize) -> bool {
    let rows = (queen / side).abs_diff(cell / side);
    let columns = (queen % side).abs_diff(cell % side);
    rows == 0 || columns == 0 || rows == columns
}

/// Creates the problem of Latin squares, where every row and column contains each digit once.
pub(super) fn latin(side: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let names = ['p', 'r', 'c']
        .into_iter()
        .flat_map(|kind| board(side, side).map(move |name| format!("{kind}{name}")));
    let kinds = primaries(&mut builder, names)?;
    let item = |kind: usize, first: usize, second: usize| kinds[(kind * side + first) * side + second];
    let options = cells(side, side).flat_map(|[row, column]| {
        let item = &item;
        (0..side).map(move |digit| [item(0, row, column), item(1, row, digit), item(2, column, digit)])
    });
    with_options(builder, options)
}

/// Creates the problem of an empty sudoku grid whose boxes have the given numbers of rows and columns.
pub(super) fn grids(box_rows: usize, box_columns: usize) -> Result<CoverProblem> {
    let geometry = Geometry::new(box_rows, box_columns).map_err(|error| Error::usage(error.to_string()))?;
    let puzzle = Puzzle::new(&geometry);
    Ok(to_cover(ProblemRef::Puzzle(&puzzle))?.cover)
}
