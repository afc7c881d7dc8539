//! Finds the grid in the value of a column. The grid may be a list, several rows, or a part of a longer text.

use std::borrow::Cow;

use super::InputOptions;
use super::cells::BLANKS;
use super::characters::{characters_of, number_of, plain};
use super::shapes::{PENCILMARK_CELLS, shape_of};
use quadrille_model::MAX_SIDE;

/// Returns the characters of a column's value, in the form that [`plain`] returns.
///
/// If the value is a text that contains exactly one grid, returns the cells of this grid.
///
/// # Errors
/// Returns the reason if a list is not a grid.
pub(super) fn value_cells<'t>(text: &'t [u8], blank: Option<char>) -> Result<Cow<'t, [u8]>, String> {
    let plain = plain(text, blank)?;
    Ok(match InputOptions::side_of_cells(plain.len()) {
        None if plain.len() != PENCILMARK_CELLS => only_grid_in(&plain).map_or(plain, Cow::Owned),
        _ => plain,
    })
}

/// Returns the cells of the only grid in a text, or `None` if the text contains no grid or several grids.
///
/// The grid is either a single word or a block of lines. A block has as many lines as each line has cells.
/// Frames and empty lines may be between the lines.
fn only_grid_in(text: &[u8]) -> Option<Vec<u8>> {
    let is_cell = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() || BLANKS.contains(byte);
    let is_frame = |line: &&[u8]| line.iter().all(|byte| b" \t\r+-=|_".contains(byte));
    // The words of each line, and its number of cells: as characters, or as numbers; 0 if it is not a row.
    let lines: Vec<(Vec<&[u8]>, [usize; 2])> = text
        .split(|&byte| byte == b'\n')
        .filter(|line| !is_frame(line) || line.contains(&b'_') && !line.contains(&b'+'))
        .map(|line| {
            let words: Vec<&[u8]> =
                line.split(|byte| b" \t\r,;|[]".contains(byte)).filter(|word| !word.is_empty()).collect();
            let characters = words.iter().copied().flatten().count();
            let are_cells = words.iter().copied().flatten().all(is_cell);
            let are_numbers = words.iter().all(|word| number_of(word).is_some());
            let counts = [if are_cells { characters } else { 0 }, if are_numbers { words.len() } else { 0 }];
            (words, counts)
        })
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let is_grid = |&of: &usize| {
            let side = lines[at].1[of];
            let rows = lines[at..].iter().take_while(|(_, counts)| counts[of] == side).count();
            InputOptions::is_side(side) && side >= InputOptions::MIN_SIDE && rows == side
        };
        let Some(of) = [0, 1].into_iter().find(is_grid) else {
            at += 1;
            continue;
        };
        let side = lines[at].1[of];
        let words: Vec<&[u8]> = lines[at..at + side].iter().flat_map(|(words, _)| words).copied().collect();
        found.push(if of == 0 { words.concat() } else { characters_of(&words).ok()? });
        at += side;
    }
    if found.is_empty() {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`,;:()[]{}<>=".contains(byte);
        let is_grid = |word: &&[u8]| word.len() > MAX_SIDE && shape_of(word, None).grid_side().is_some();
        found.extend(text.split(is_end).filter(is_grid).map(<[u8]>::to_vec));
    }
    let only = found.pop()?;
    found.is_empty().then_some(only)
}
