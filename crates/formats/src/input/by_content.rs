//! Finds the columns that hold puzzles, solutions and layouts, by the values in the rows at the start of a source.

use super::cells::has_clues;
use super::lines::trim;
use super::shapes::{TextShape, says_rules, shape_of};

/// The columns that were found, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Chosen {
    pub(super) puzzle: Option<usize>,
    pub(super) solution: Option<usize>,
    pub(super) regions: Option<usize>,
}

/// Returns the shape that at least half of a column's non-empty values have. Puzzles and solutions of a side count
/// together, and the more frequent of the two is returned.
fn kind_of<'a>(values: impl Iterator<Item = &'a [u8]>, blank: Option<u8>) -> TextShape {
    let shapes: Vec<TextShape> =
        values.map(|value| shape_of(value, blank)).filter(|&shape| shape != TextShape::Empty).collect();
    let count = |is: &dyn Fn(TextShape) -> bool| shapes.iter().filter(|&&shape| is(shape)).count();
    let most = shapes
        .iter()
        .filter(|shape| shape.grid_side().is_some())
        .max_by_key(|&&shape| count(&|other| other.grid_side() == shape.grid_side()));
    let is_most = |count: usize| count > 0 && 2 * count >= shapes.len();
    if let Some(side) = most.and_then(|shape| shape.grid_side()) {
        let (open, full) =
            (count(&|shape| shape == TextShape::Open(side)), count(&|shape| shape == TextShape::Full(side)));
        if is_most(open + full) {
            return if open >= full { TextShape::Open(side) } else { TextShape::Full(side) };
        }
    }
    let layout = shapes.iter().copied().find(|shape| matches!(shape, TextShape::Layout(_)));
    layout.filter(|&layout| is_most(count(&|shape| shape == layout))).unwrap_or(TextShape::Other)
}

/// Chooses the columns by their values in `rows`; each row has `columns` values. `named` is the column of puzzles, if
/// the caller or the header names it.
///
/// Prefers open grids that have a column of solutions of the same side, then the largest side, because keys and ids are
/// shorter than the puzzles next to them.
///
/// # Errors
/// Returns the columns if several are equally likely.
fn choose(
    rows: &[Vec<&[u8]>],
    columns: usize,
    named: Option<usize>,
    blank: Option<u8>,
) -> Result<Chosen, Vec<usize>> {
    let kinds: Vec<TextShape> =
        (0..columns).map(|column| kind_of(rows.iter().map(|row| row[column]), blank)).collect();
    let solution_of = |side| kinds.iter().position(|&kind| kind == TextShape::Full(side));
    let open = || {
        (0..columns).filter_map(|column| {
            if let TextShape::Open(side) = kinds[column] { Some((column, side)) } else { None }
        })
    };
    // A column of grids without clues may hold rulers, so a column with clues is preferred.
    let has_clues = |column: usize| rows.iter().any(|row| has_clues(row[column]));
    let rank = |(column, side)| (has_clues(column), solution_of(side).is_some(), side);
    let puzzle = match named {
        Some(column) => Some(column),
        None => match open().map(rank).max() {
            Some(best @ (.., side)) => Some(likeliest(
                rows,
                open().filter(|&column| rank(column) == best).map(|(column, _)| column),
                solution_of(side),
            )?),
            None => (0..columns).find(|&column| matches!(kinds[column], TextShape::Full(_))),
        },
    };
    let side = puzzle.and_then(|column| kinds[column].grid_side());
    let other = |is: &dyn Fn(TextShape) -> bool| {
        (0..columns).find(|&column| Some(column) != puzzle && is(kinds[column]))
    };
    Ok(Chosen {
        puzzle,
        solution: side.and_then(|side| other(&|kind| kind == TextShape::Full(side))),
        regions: side.and_then(|side| other(&|kind| kind == TextShape::Layout(side))),
    })
}

/// Chooses the columns as [`choose`] does. A named column of puzzles is enough if the values decide nothing.
///
/// # Errors
/// Returns the reason if several columns are equally likely. `names` are the names of the columns, and `noun` says what
/// the source calls them.
pub(super) fn choose_named(
    rows: &[Vec<&[u8]>],
    names: &[String],
    noun: &str,
    (named, is_enough): (Option<usize>, bool),
    blank: Option<u8>,
) -> Result<Chosen, String> {
    match choose(rows, names.len(), named, blank) {
        Err(which) if !is_enough => {
            let which: Vec<&str> = which.into_iter().map(|column| &*names[column]).collect();
            Err(format!("puzzles may be in several {noun}s, choose one with --column: {}", which.join(", ")))
        }
        chosen => Ok(chosen.unwrap_or_default()),
    }
}

/// Returns true if some values of a column named `rules` are text, and none is rules.
pub(super) fn is_prose<'v>(values: impl Iterator<Item = &'v [u8]>) -> bool {
    let mut values = values.map(trim).filter(|value| !value.is_empty()).peekable();
    values.peek().is_some() && !values.any(says_rules)
}

/// Returns the column whose clues agree with the solutions in most rows.
///
/// # Errors
/// Returns the columns if several agree in equally many rows.
fn likeliest(
    rows: &[Vec<&[u8]>],
    columns: impl Iterator<Item = usize>,
    solution: Option<usize>,
) -> Result<usize, Vec<usize>> {
    let columns: Vec<usize> = columns.collect();
    let agree = |row: &Vec<&[u8]>, column: usize| {
        let (puzzle, solution) =
            (trim(row[column]), trim(solution.map_or(&b""[..], |solution| row[solution])));
        let clues = puzzle.iter().zip(solution).filter(|(clue, _)| matches!(clue, b'1'..=b'9'));
        puzzle.len() == solution.len() && clues.clone().all(|(clue, digit)| clue == digit)
    };
    let scores: Vec<usize> =
        columns.iter().map(|&column| rows.iter().filter(|row| agree(row, column)).count()).collect();
    let best = scores.iter().copied().max().unwrap_or(0);
    let likely: Vec<usize> =
        columns.iter().zip(&scores).filter(|&(_, &score)| score == best).map(|(&column, _)| column).collect();
    match likely[..] {
        [column] => Ok(column),
        _ => Err(likely),
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{DONE, EASY, LAYOUT};
    use super::*;

    #[test]
    fn the_column_is_chosen_by_all_rows_and_the_other_columns() {
        let chosen = |rows: &[&[&str]]| {
            let rows: Vec<Vec<&[u8]>> =
                rows.iter().map(|row| row.iter().map(|value| value.as_bytes()).collect()).collect();
            choose(&rows, rows[0].len(), None, None)
                .map(|chosen| (chosen.puzzle, chosen.solution, chosen.regions))
        };
        let (key, uuid) = ("0000000000000012", "550e1400-e24b-41d4-a216-446655440000");
        assert_eq!(chosen(&[&[key, EASY, DONE], &[key, EASY, DONE]]), Ok((Some(1), Some(2), None)));
        assert_eq!(chosen(&[&[uuid, EASY]]), Ok((Some(1), None, None)));
        assert_eq!(chosen(&[&[EASY, LAYOUT, key]]), Ok((Some(0), None, Some(1))));
        // One damaged row does not prevent a decision.
        assert_eq!(
            chosen(&[&["x", EASY], &[EASY, EASY], &["y", EASY], &["z", "?"]]),
            Ok((Some(1), None, None))
        );
        // Only one of the two possible columns agrees with the solution.
        let other = &EASY.replace('5', "4");
        assert_eq!(chosen(&[&[other, EASY, DONE]]), Ok((Some(1), Some(2), None)));
        assert_eq!(chosen(&[&[other, EASY]]), Err(vec![0, 1]));
        assert_eq!(chosen(&[&["x", DONE]]), Ok((Some(1), None, None)));
        assert_eq!(chosen(&[&["x", "y"]]), Ok((None, None, None)));
    }
}
