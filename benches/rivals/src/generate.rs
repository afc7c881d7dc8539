//! Compares the speed of making minimal puzzles: top-down from a random solved grid, without symmetry.

use std::time::Instant;

use quadrille::generate::{Kind, Request, records};
use sudoku::Sudoku;

use crate::race::{Class, Line};

/// Makes `count` puzzles with each generator, `rounds` times in turn.
///
/// The rival's solver checks that every puzzle has one solution.
pub fn race(count: usize, rounds: usize) -> Result<Vec<Line>, String> {
    let line = |name: &str, class| Line { name: name.into(), class, seconds: Vec::new(), guesses: None };
    let mut lines = vec![
        line("sudoku 0.8.0, generate_from(generate_solved)", Class::Grids),
        line("quadrille, generate minimal", Class::Ours),
    ];
    for round in 0..rounds as u64 {
        let began = Instant::now();
        let theirs: Vec<_> =
            (0..count).map(|_| Sudoku::generate_from(Sudoku::generate_solved()).to_bytes()).collect();
        lines[0].seconds.push(began.elapsed().as_secs_f64());

        let request = Request::new(Kind::Minimal, 1 + round);
        let began = Instant::now();
        let ours = records(&request, 0..count as u64).map_err(|error| error.to_string())?;
        lines[1].seconds.push(began.elapsed().as_secs_f64());

        let ours = ours.iter().map(|made| {
            let digits = made.cells.iter().map(|cell| cell.map_or(0, |digit| digit + 1));
            <[u8; 81]>::try_from(digits.collect::<Vec<_>>()).expect("a 9x9 has 81 cells")
        });
        for puzzle in theirs.into_iter().chain(ours) {
            let puzzle = Sudoku::from_bytes(puzzle).map_err(|_| "a puzzle with a digit above 9")?;
            if !puzzle.is_uniquely_solvable() {
                return Err(format!("{puzzle} has not one solution"));
            }
        }
    }
    Ok(lines)
}
