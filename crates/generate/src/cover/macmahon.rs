//! MacMahon's squares: fill a rectangle with squares whose sides have three colours. Each way to colour the
//! four sides occurs once.

use super::{board, cells, code, primaries, secondaries};
use quadrille_model::{CoverBuilder, CoverProblem, Entry, Error, NO_COLOUR, Result, usage};

const COLOURS: [char; 3] = ['a', 'b', 'c'];

/// Returns the colours of each square's top, right, bottom and left side.
///
/// Each square occurs once, as the lexicographically first of its four rotations.
fn patterns() -> Vec<[usize; 4]> {
    let all = (0..81).map(|code| [code / 27 % 3, code / 9 % 3, code / 3 % 3, code % 3]);
    all.filter(|pattern| (1..4).all(|turn| turned(*pattern, turn) >= *pattern)).collect()
}

fn turned(pattern: [usize; 4], turn: usize) -> [usize; 4] {
    std::array::from_fn(|side| pattern[(side + turn) % 4])
}

/// Creates the problem of MacMahon's squares.
///
/// Sides that touch must have the same colour, so each edge of a cell is a secondary item. Sides on the
/// border have the first colour. If `distinct` is true, only one of several symmetric solutions remains: the
/// square that has only the first colour must be in the first quarter of the board.
pub(super) fn macmahon(rows: usize, columns: usize, distinct: bool) -> Result<CoverProblem> {
    let patterns = patterns();
    if rows * columns != patterns.len() {
        return Err(usage!("the {} squares do not fill {rows} rows of {columns}", patterns.len()));
    }
    if distinct && (rows % 2 == 1 || columns % 2 == 1) {
        return Err(Error::usage("distinct needs two even sides"));
    }
    let mut builder = CoverBuilder::new();
    let bound = rows.max(columns) + 1;
    let names = patterns.iter().map(|pattern| pattern.map(|colour| COLOURS[colour]).iter().collect());
    let squares = primaries(&mut builder, names)?;
    let places = primaries(&mut builder, board(rows, columns).map(|name| format!("x{name}")))?;
    let mut edges = |letter: char, rows: usize, columns: usize| {
        secondaries(&mut builder, cells(rows, columns).map(|cell| format!("{letter}{}", code(&cell, bound))))
    };
    let (across, upright) = (edges('h', rows + 1, columns)?, edges('v', rows, columns + 1)?);
    let colours = COLOURS.iter().map(|colour| builder.colour(&colour.to_string()));
    let colours = colours.collect::<Result<Vec<_>>>()?;
    for (pattern, &square) in patterns.iter().zip(&squares) {
        let mut turns: Vec<[usize; 4]> = (0..4).map(|turn| turned(*pattern, turn)).collect();
        turns.sort_unstable();
        turns.dedup();
        for ([row, column], &place) in cells(rows, columns).zip(&places) {
            let is_first = pattern.iter().all(|&colour| colour == 0);
            if distinct && is_first && (2 * row >= rows || 2 * column >= columns) {
                continue;
            }
            let on_border = [row == 0, column + 1 == columns, row + 1 == rows, column == 0];
            let sides = [
                across[row * columns + column],
                upright[row * (columns + 1) + column + 1],
                across[(row + 1) * columns + column],
                upright[row * (columns + 1) + column],
            ];
            for turn in &turns {
                if (0..4).any(|side| on_border[side] && turn[side] != 0) {
                    continue;
                }
                let mut entries =
                    vec![Entry { item: square, colour: NO_COLOUR }, Entry { item: place, colour: NO_COLOUR }];
                entries.extend((0..4).map(|side| Entry { item: sides[side], colour: colours[turn[side]] }));
                builder.option_of(&entries, 0, None)?;
            }
        }
    }
    builder.build()
}
