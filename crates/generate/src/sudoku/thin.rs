//! Removes clues while one solution is left.

use super::board::{Board, Verdict};
use super::cells::CellSet;
use super::witness::Witnesses;

/// The clues that are left.
#[derive(Debug)]
pub(super) struct Thinned {
    pub clues: CellSet,
    /// True if each remaining cell of the order was proved to be needed, or was not checked because few
    /// enough were left. Always true on plain 9x9.
    pub proved: bool,
}

/// Takes clues away in order, each unless that would make a second solution, until `stop` are left or the order is at
/// its end. `clues` must make a puzzle with one solution. If all clues are in the order and `stop` is 0, what is left is
/// minimal.
///
/// What is left is what testing clue by clue leaves, but several are tested at once: what the unavoidable sets known
/// so far allow to take away is taken away, then the engine is asked. A second solution shows an unavoidable set that
/// was not known, and the same clues are looked at once more; no second solution, and no set can have been missed,
/// because a set in which nothing is left would be one.
///
/// `witnesses` are unavoidable sets of the grid that have counted `clues`; those that are shown are added.
///
/// `must_prove`: ends at the first clue whose need cannot be proved, because the caller has no use for what would be left.
pub(super) async fn thin(
    board: &Board,
    mut clues: CellSet,
    order: &[u16],
    stop: u32,
    must_prove: bool,
    witnesses: &mut Witnesses,
) -> Thinned {
    let cells = board.solution.len();
    let mut proved = true;
    let mut taken: Vec<usize> = Vec::with_capacity(order.len());
    // `order[..done]` is settled.
    let mut done = 0;
    let mut cautious = false;
    while done < order.len() && clues.len() > stop {
        let at_most =
            if cautious { 1 } else { at_once(clues.len(), cells).min((clues.len() - stop) as usize) };
        let mut end = done;
        taken.clear();
        while end < order.len() && taken.len() < at_most {
            let cell = usize::from(order[end]);
            if clues.has(cell) && !witnesses.need(cell) {
                witnesses.take(cell);
                clues.take(cell);
                taken.push(cell);
            }
            end += 1;
        }
        let verdict = match taken[..] {
            [] => Verdict::Unique,
            [cell] => board.judge_without(&clues, cell).await,
            _ => board.judge(&clues).await,
        };
        if verdict == Verdict::Unique {
            done = end;
            cautious = false;
            continue;
        }
        for &cell in &taken {
            witnesses.put(cell);
            clues.put(cell);
        }
        match verdict {
            Verdict::Other(other) => witnesses.learn_from(&other, board, &clues),
            // A single clue whose need cannot be proved stays; several clues are tried again one by one.
            _ if cautious || taken.len() == 1 => {
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
