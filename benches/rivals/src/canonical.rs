//! Compares the speed of canonical forms, and checks that equivalent puzzles get the same form.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use quadrille::canonical::{Canonizer, Cells};
use sudoku::Sudoku;

use crate::grids::Corpus;
use crate::race::{Class, Line};

/// A puzzle and its solution in the types of both crates.
pub struct Puzzle {
    theirs: [Sudoku; 2],
    ours: [Cells; 2],
}

impl Puzzle {
    fn new(puzzle: Sudoku) -> Result<Self, String> {
        let solution = puzzle.solution().ok_or_else(|| format!("{puzzle} has no solution"))?;
        let cells = |grid: &Sudoku| Cells::new(&grid.to_bytes()).map_err(|error| error.to_string());
        Ok(Puzzle { theirs: [puzzle, solution], ours: [cells(&puzzle)?, cells(&solution)?] })
    }
}

/// Reads every `every`-th puzzle of a file.
pub fn read(file: &Path, every: usize) -> Result<Vec<Puzzle>, String> {
    let corpus = Corpus::read(file, every, usize::MAX, 1, 0)?;
    let puzzle = |grid: Vec<u8>| {
        let bytes = <[u8; 81]>::try_from(grid).map_err(|_| "a grid that is no 9x9")?;
        let puzzle = Sudoku::from_bytes(bytes).map_err(|_| "a grid with a digit above 9")?;
        Puzzle::new(puzzle)
    };
    corpus.grids.into_iter().map(puzzle).collect()
}

fn of_theirs(puzzle: &Puzzle, which: usize) -> Result<(Sudoku, usize), String> {
    let form = puzzle.theirs[which].canonicalized();
    form.ok_or_else(|| format!("{} has no form", puzzle.theirs[which]))
}

/// Times all forms `rounds` times in turn. Forms and automorphisms of the solutions must agree.
pub fn race(puzzles: &[Puzzle], rounds: usize) -> Result<Vec<Line>, String> {
    let line = |name: &str, class| Line { name: name.into(), class, seconds: Vec::new(), guesses: None };
    let mut lines = vec![
        line("sudoku 0.8.0, solved grids", Class::Grids),
        line("sudoku 0.8.0, puzzles (solves them)", Class::Grids),
        line("quadrille solution", Class::Ours),
        line("quadrille by-solution", Class::Ours),
        line("quadrille puzzle", Class::Ours),
    ];
    let mut canonizer = Canonizer::new();
    for puzzle in puzzles {
        let (form, automorphisms) = of_theirs(puzzle, 1)?;
        let ours = canonizer.solution(&puzzle.ours[1]).map_err(|error| error.to_string())?;
        if ours.cells.as_slice() != form.to_bytes()
            || ours.solution_automorphisms != Some(automorphisms as u32)
        {
            return Err(format!("{}: two forms of its solution", puzzle.theirs[0]));
        }
    }
    for _ in 0..rounds {
        let mut number = 0;
        let mut timed = |run: &mut dyn FnMut(&Puzzle) -> bool| {
            let began = Instant::now();
            let all = puzzles.iter().all(run);
            lines[number].seconds.push(began.elapsed().as_secs_f64());
            number += 1;
            if all { Ok(()) } else { Err("a puzzle without a form") }
        };
        timed(&mut |puzzle| puzzle.theirs[1].canonicalized().is_some())?;
        timed(&mut |puzzle| puzzle.theirs[0].canonicalized().is_some())?;
        timed(&mut |puzzle| canonizer.solution(&puzzle.ours[1]).is_ok())?;
        timed(&mut |puzzle| canonizer.by_solution(&puzzle.ours[0], &puzzle.ours[1]).is_ok())?;
        timed(&mut |puzzle| canonizer.puzzle(&puzzle.ours[0]).automorphisms.is_some())?;
    }
    Ok(lines)
}

/// Returns the number of classes that each form finds among puzzles and a random transform of each.
///
/// The rival makes the transforms.
pub fn classes(puzzles: &[Puzzle]) -> Result<String, String> {
    let mut canonizer = Canonizer::new();
    let (mut theirs, mut by_solution, mut open) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut add = |puzzle: &Puzzle| -> Result<(), String> {
        let form =
            canonizer.by_solution(&puzzle.ours[0], &puzzle.ours[1]).map_err(|error| error.to_string())?;
        by_solution.insert(form.cells);
        open.insert(canonizer.puzzle(&puzzle.ours[0]).cells);
        theirs.insert(of_theirs(puzzle, 0)?.0.to_bytes());
        Ok(())
    };
    for puzzle in puzzles {
        add(puzzle)?;
        let mut image = puzzle.theirs[0];
        image.shuffle();
        add(&Puzzle::new(image)?)?;
    }
    let [theirs, by_solution, open] = [theirs.len(), by_solution.len(), open.len()];
    Ok(format!("quadrille by-solution {by_solution}, quadrille puzzle {open}, sudoku 0.8.0 {theirs}"))
}
