//! Draws solving steps: the digits, the candidates, and the marks of the step.

use super::drawing::grid_lines;
use crate::report::scene::{MIDDLE, Scene};
use quadrille_rating::Candidate;

/// Width of a cell in the grid. `PENCIL` is the width of one candidate within a cell.
const CELL: f64 = 36.0;
const PENCIL: f64 = CELL / 3.0;
/// Space around the grid.
const MARGIN: f64 = 2.0;

/// A 9x9 grid just before a solving step that the rating uses.
pub(crate) struct Grid {
    /// The digit in each cell, from 1 to 9, or 0 for an empty cell.
    pub(crate) digits: [u8; 81],
    pub(crate) is_clue: [bool; 81],
    /// The candidates of each cell as bits. Bit `d` represents the digit `d`.
    pub(crate) candidates: [u16; 81],
}

/// Role of a candidate in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepMark {
    /// The conclusion of the step depends on this candidate.
    Basis,
    /// The candidate is true in a chain of the step.
    On,
    /// The candidate is false in a chain of the step.
    Off,
    Removed,
    Placed,
}

/// Draws the grid before a solving step, and the candidates that have a role in the step.
///
/// If a candidate has several roles, the last one is drawn.
pub(crate) fn step(of: &Grid, marks: &[(Candidate, StepMark)]) -> Scene {
    let size = 9.0 * CELL + 2.0 * MARGIN;
    let mut scene = Scene::new(size, size);
    let corner = |cell: usize| (MARGIN + (cell % 9) as f64 * CELL, MARGIN + (cell / 9) as f64 * CELL);
    for cell in 0..81 {
        let (x, y) = corner(cell);
        if of.is_clue[cell] {
            scene.rect([x, y, CELL, CELL], "ground", String::new());
        }
        if of.digits[cell] > 0 {
            let class = if of.is_clue[cell] { "big clue" } else { "big found" };
            scene.text([x + CELL / 2.0, y + CELL / 2.0 + 7.0], MIDDLE, class, of.digits[cell].to_string());
            continue;
        }
        for digit in (1..=9).filter(|digit| of.candidates[cell] >> digit & 1 != 0) {
            let place = usize::from(digit - 1);
            let (x, y) = (x + (place % 3) as f64 * PENCIL, y + (place / 3) as f64 * PENCIL);
            let is_here = |candidate: &Candidate| {
                (usize::from(candidate.cell), u16::from(candidate.digit)) == (cell, digit)
            };
            let mark = marks.iter().rfind(|(candidate, _)| is_here(candidate)).map(|(_, mark)| *mark);
            let class = match mark {
                Some(StepMark::Basis) => "c0 soft",
                Some(StepMark::On | StepMark::Placed) => "c2 soft",
                Some(StepMark::Off) => "c1 soft",
                Some(StepMark::Removed) => "c3 soft",
                None => "",
            };
            if !class.is_empty() {
                scene.rect([x + 0.5, y + 0.5, PENCIL - 1.0, PENCIL - 1.0], class, String::new());
            }
            let is_placed = mark == Some(StepMark::Placed);
            scene.text(
                [x + PENCIL / 2.0, y + 9.2],
                MIDDLE,
                if is_placed { "pencil clue" } else { "pencil" },
                digit.to_string(),
            );
            if mark == Some(StepMark::Removed) {
                scene.line([x + 1.0, y + PENCIL - 1.0, x + PENCIL - 1.0, y + 1.0], "range cross");
            }
            if is_placed {
                let (left, top, right, bottom) = (x + 0.5, y + 0.5, x + PENCIL - 0.5, y + PENCIL - 0.5);
                let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
                for ends in corners.windows(2) {
                    scene.line([ends[0][0], ends[0][1], ends[1][0], ends[1][1]], "thick");
                }
            }
        }
    }
    grid_lines(&mut scene, 9, [3, 3], MARGIN);
    scene
}
