//! Removes clues from a puzzle as long as its solution stays unique.

use super::Symmetry;
use super::cells::CellSet;
use super::solved_grid::{ClueVerdict, SolvedGrid};
use super::unavoidable_sets::UnavoidableSets;

/// The clues that are left.
#[derive(Debug)]
pub(super) struct Thinned {
    pub clues: CellSet,
    /// True if every clue that was checked and not removed is proved to be needed.
    ///
    /// Clues outside the given order are not checked. After the removal reaches the number of clues at which
    /// it stops, no further clues are checked. Always true for plain 9x9 grids.
    pub proved: bool,
}

/// How far clues are removed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removal {
    /// Number of clues at which the removal stops.
    pub stop: u32,
    /// Symmetry of the removal, or `None` to remove single clues.
    ///
    /// With a symmetry, a clue is removed only together with its images, so the result may not be minimal.
    pub symmetry: Option<Symmetry>,
    /// True to end the removal at the first clue that cannot be proved to be needed.
    ///
    /// A caller sets this if an unproved result is useless to it.
    pub must_prove: bool,
}

/// Removes clues of a puzzle in the given order, except clues that a unique solution needs.
///
/// Stops at `stop` clues, or at the end of the order. `clues` must make a puzzle with one solution. The
/// result is minimal if the order contains all clues, there is no symmetry, and `stop` is 0.
///
/// The result is the same as if each clue were tested alone, but several clues are tested at once. The
/// function removes several clues that no known unavoidable set proves to be needed, and then asks the
/// engine. If there is a second solution, it reveals a new unavoidable set, and the same clues are tried
/// again. If there is no second solution, all these clues can go: an unavoidable set without clues, known or
/// unknown, would have allowed one.
///
/// `witnesses` are unavoidable sets of the grid, in which `clues` are already counted. New sets are added to
/// them.
pub(super) async fn thin(
    board: &SolvedGrid,
    mut clues: CellSet,
    order: &[u16],
    removal: Removal,
    witnesses: &mut UnavoidableSets,
) -> Thinned {
    let Removal { stop, symmetry, must_prove } = removal;
    let cells = board.solution.len();
    let mut proved = true;
    let mut taken: Vec<usize> = Vec::with_capacity(order.len());
    let mut images: Vec<usize> = Vec::new();
    // `order[..done]` is settled.
    let mut done = 0;
    let mut cautious = false;
    while done < order.len() && clues.len() > stop {
        let at_most =
            if cautious { 1 } else { at_once(clues.len(), cells).min((clues.len() - stop) as usize) };
        let mut end = done;
        taken.clear();
        // Groups of images in `taken`.
        let mut groups = 0;
        while end < order.len() && taken.len() < at_most {
            let cell = usize::from(order[end]);
            images.clear();
            match symmetry {
                None => images.push(cell),
                Some(symmetry) => symmetry.add_images(board.geometry.side(), cell, &mut images),
            }
            let first = taken.len();
            if clues.len() >= stop + images.len() as u32 {
                for &cell in &images {
                    if clues.has(cell) && !witnesses.need(cell) {
                        witnesses.take(cell);
                        clues.take(cell);
                        taken.push(cell);
                    }
                }
            }
            if taken.len() == first + images.len() {
                groups += 1;
            } else {
                for cell in taken.drain(first..) {
                    witnesses.put(cell);
                    clues.put(cell);
                }
            }
            end += 1;
        }
        let verdict = match taken[..] {
            [] => ClueVerdict::Unique,
            [cell] => board.judge_without(&clues, cell).await,
            _ => board.judge(&clues).await,
        };
        if verdict == ClueVerdict::Unique {
            done = end;
            cautious = false;
            continue;
        }
        for &cell in &taken {
            witnesses.put(cell);
            clues.put(cell);
        }
        match verdict {
            ClueVerdict::Other(other) => witnesses.learn_from(&other, board, &clues),
            // The engine could neither find nor exclude a second solution. If only one clue was removed, it
            // stays. If several clues were removed, they are tried again one at a time.
            _ if cautious || groups == 1 => {
                proved = false;
                if must_prove {
                    break;
                }
                cautious = false;
                done = end;
            }
            _ => cautious = true,
        }
    }
    Thinned { clues, proved }
}

/// Returns true if every clue is needed. `clues` must make a puzzle with one solution.
pub(super) async fn is_minimal(board: &SolvedGrid, clues: CellSet) -> bool {
    let order: Vec<u16> = clues.iter().map(|cell| cell as u16).collect();
    let witnesses = &mut UnavoidableSets::new(board, &clues);
    let all = Removal { stop: 0, symmetry: None, must_prove: true };
    let thinned = thin(board, clues, &order, all, witnesses).await;
    thinned.proved && thinned.clues == clues
}

/// Returns how many clues to remove before the engine is asked. This number affects only the speed.
fn at_once(clues: u32, cells: usize) -> usize {
    let (clues, cells) = (clues as usize, cells);
    if clues > cells * 5 / 9 {
        clues - cells / 2
    } else if clues > cells * 4 / 9 {
        4
    } else if clues > cells * 3 / 8 {
        2
    } else {
        1
    }
}
