//! Computes canonical forms of solved grids and makes minimal puzzles, by the crate `sudoku` or by quadrille.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ProcessTime;
use quadrille::canonical::{Canonizer, Cells};
use quadrille::generate::{Kind, Request, records};
use sudoku::Sudoku;

use crate::grids;

fn read(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let (shape, grids) = grids::read(text)?;
    if shape.side == 9 { Ok(grids) } else { Err("only 9x9".into()) }
}

fn theirs(grid: &[u8]) -> Sudoku {
    Sudoku::from_bytes_slice(grid).expect("81 digits from 0 to 9")
}

/// Appends the minlex form of each solved grid.
pub fn canonize(rival: &str, text: &str, out: &mut String) -> Result<Duration, String> {
    let grids = read(text)?;
    let mut canonizer = Canonizer::new();
    let form: &mut dyn FnMut(&Vec<u8>) -> Option<Vec<u8>> = match rival {
        "sudoku" => &mut |grid| Some(theirs(grid).canonicalized()?.0.to_bytes().to_vec()),
        "quadrille" => {
            &mut |grid| Some(canonizer.solution(&Cells::new(grid).ok()?).ok()?.cells.as_slice().to_vec())
        }
        _ => return Err(format!("no canonical form of {rival}")),
    };
    let began = ProcessTime::now();
    let forms: Option<Vec<Vec<u8>>> = grids.iter().map(form).collect();
    let elapsed = began.elapsed();
    forms.ok_or("a grid without a form")?.iter().for_each(|form| grids::write(form, out));
    Ok(elapsed)
}

/// Makes as many minimal puzzles as there are lines, top-down from random solved grids without symmetry.
///
/// Appends the number of solutions of each puzzle, which must be 1. `sudoku` counts them after the time has
/// been taken.
pub fn make(rival: &str, text: &str, out: &mut String) -> Result<Duration, String> {
    let count = text.lines().count();
    let began = ProcessTime::now();
    let puzzles: Vec<Sudoku> = match rival {
        "sudoku" => (0..count).map(|_| Sudoku::generate_from(Sudoku::generate_solved())).collect(),
        "quadrille" => {
            let request = Request::new(Kind::Minimal, 1);
            let made = records(&request, 0..count as u64).map_err(|error| error.to_string())?;
            let digits =
                |cells: &[Option<u8>]| cells.iter().map(|cell| cell.map_or(0, |digit| digit + 1)).collect();
            made.iter().map(|made| theirs(&digits(&made.cells) as &Vec<u8>)).collect()
        }
        _ => return Err(format!("no maker of {rival}")),
    };
    let elapsed = began.elapsed();
    for puzzle in puzzles {
        writeln!(out, "{}", puzzle.solutions_count_up_to(2)).expect("writing to memory does not fail");
    }
    Ok(elapsed)
}
