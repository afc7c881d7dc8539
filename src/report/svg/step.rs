//! Draws solving steps: the digits, the candidates, and the marks of the step.

use super::{MIDDLE, Scene};
use crate::report::page::{StepDrawing, StepMark};

/// Width of a cell in the grid. `PENCIL` is the width of one candidate within a cell.
const CELL: f64 = 36.0;
const PENCIL: f64 = CELL / 3.0;
/// Space around the grid.
const MARGIN: f64 = 2.0;

/// Draws the grid before a solving step, with the marks of the step.
pub(super) fn step(of: &StepDrawing) -> Scene {
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
            let mark = of.marks.iter().find(|(candidate, _)| {
                (usize::from(candidate.cell), u16::from(candidate.digit)) == (cell, digit)
            });
            let mark = mark.map(|(_, mark)| *mark);
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
                scene.line([left, top, right, top], "thick");
                scene.line([right, top, right, bottom], "thick");
                scene.line([right, bottom, left, bottom], "thick");
                scene.line([left, bottom, left, top], "thick");
            }
        }
    }
    for line in 0..=9 {
        let at = MARGIN + f64::from(line) * CELL;
        let class = if line % 3 == 0 { "thick" } else { "thin" };
        scene.line([at, MARGIN, at, size - MARGIN], class);
        scene.line([MARGIN, at, size - MARGIN, at], class);
    }
    scene
}
