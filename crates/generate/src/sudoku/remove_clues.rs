//! Removes clues while the solution stays unique.

use super::Symmetry;
use super::cells::CellSet;
use super::solved_grid::{ClueVerdict, SolvedGrid};
use super::unavoidable_sets::UnavoidableSets;

/// The clues that are left.
#[derive(Debug)]
pub(super) struct Thinned {
    pub clues: CellSet,
    /// True if each remaining cell of the order was proved to be needed, or was not checked because few
    /// enough were left. Always true on plain 9x9.
    pub proved: bool,
}

/// How far clues are removed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removal {
    /// Number of clues at which the removal stops.
    pub stop: u32,
    /// A clue is removed only together with its images under this symmetry, so the result need not be minimal.
    pub symmetry: Option<Symmetry>,
    /// The removal ends at the first clue whose need cannot be proved, because the caller cannot use the result then.
    pub must_prove: bool,
}

/// Removes clues in order, each unless that would allow a second solution.
///
/// Stops at the end of the order at the latest. `clues` must make a puzzle with one solution. If all clues are in the
/// order, there is no symmetry, and `stop` is 0, the result is minimal.
///
/// The result is the same as from testing clue by clue, but several clues are tested at once. All clues that
/// the known unavoidable sets allow are removed, then the engine is asked. A second solution shows an
/// unavoidable set that was not known, and the same clues are tried again. Without a second solution no set
/// can have been missed, because a set without clues would allow one.
///
/// `witnesses` are unavoidable sets of the grid in which `clues` are already counted; sets found on the way
/// are added.
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
            // A single clue whose need cannot be proved stays; several clues are tried again one by one.
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

/// Returns true if each of `clues`, which make a puzzle with one solution, is needed.
pub(super) async fn is_minimal(board: &SolvedGrid, clues: CellSet) -> bool {
    let order: Vec<u16> = clues.iter().map(|cell| cell as u16).collect();
    let witnesses = &mut UnavoidableSets::new(board, &clues);
    let all = Removal { stop: 0, symmetry: None, must_prove: true };
    let thinned = thin(board, clues, &order, all, witnesses).await;
    thinned.proved && thinned.clues == clues
}

/// Returns the number of clues to remove before the engine is asked. It only affects speed.
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
