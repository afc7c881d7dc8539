//! Searches grids with rules. Uses only those checks of the rules that also verify solutions.
//!
//! The search fills the cells in reading order and tries the digits in ascending order.

use super::super::search_context::SearchContext;
use quadrille_model::rules::Claims;
use quadrille_model::{Constraint, EndedBy, Puzzle, Solution};

/// Searches all grids. Fills the cells in order, and tries every digit that violates no rule.
pub(super) fn walk(puzzle: &Puzzle, run: &mut SearchContext<'_>) -> Result<(), EndedBy> {
    let Some(claims) = puzzle.rules().map(|rules| rules.claims()) else { return Ok(()) };
    let side = puzzle.geometry().side();
    let mut digits: Vec<Option<u8>> = vec![None; puzzle.geometry().cells()];
    let mut path: Vec<u32> = Vec::new();
    let mut prefix = run.task.prefix.iter();
    if !run.enter(run.task.prefix)? {
        return Ok(());
    }
    // Cells that still have digits to try. Each entry has the cell, the untried digits, and the number of
    // decisions on the path before the cell.
    let mut open: Vec<(usize, Vec<u8>, usize)> = Vec::new();
    let mut at = 0;
    loop {
        // Fill cells as long as exactly one digit fits.
        let mut dead = false;
        while at < digits.len() {
            let mut ways: Vec<u8> =
                (0..side as u8).filter(|&digit| fits(puzzle, claims, &mut digits, at, digit)).collect();
            let way = match ways.len() {
                0 => {
                    dead = true;
                    break;
                }
                1 => ways[0],
                _ => match prefix.next() {
                    Some(&decision) => {
                        path.push(decision);
                        (decision % side as u32) as u8
                    }
                    None => {
                        ways.reverse();
                        open.push((at, ways, path.len()));
                        break;
                    }
                },
            };
            digits[at] = Some(way);
            at += 1;
        }
        if !dead && at == digits.len() {
            let all: Vec<u8> = digits.iter().flatten().copied().collect();
            run.solution(Solution::Digits(&all))?;
        }
        loop {
            let Some((cell, ways, depth)) = open.last_mut() else { return Ok(()) };
            let Some(way) = ways.pop() else {
                open.pop();
                continue;
            };
            run.guesses += u64::from(!ways.is_empty());
            path.truncate(*depth);
            path.push((*cell * side) as u32 + u32::from(way));
            at = *cell;
            digits[at..].fill(None);
            if run.enter(&path)? {
                digits[at] = Some(way);
                at += 1;
                break;
            }
        }
    }
}

/// Returns true if `digit` is a candidate of `cell` and violates no rule, given the digits already placed.
fn fits(puzzle: &Puzzle, claims: &Claims, digits: &mut [Option<u8>], cell: usize, digit: u8) -> bool {
    if !puzzle.candidates()[cell].contains(digit.into()) {
        return false;
    }
    digits[cell] = Some(digit);
    let known = |cell: usize| digits[cell].map(|digit| i64::from(digit) + 1);
    let is_broken = claims.about(cell).any(|claim| claim.is_broken(&known));
    let letters = puzzle.constraints().iter().any(|Constraint::SameDigit { cells, .. }| {
        let is_other = |&other: &u16| digits[usize::from(other)].is_some_and(|there| there != digit);
        cells.contains(&(cell as u16)) && cells.iter().any(is_other)
    });
    digits[cell] = None;
    !is_broken && !letters
}
