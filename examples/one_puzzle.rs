//! One puzzle: parsed, solved, and checked for a second solution.

use quadrille::{FromText, GridQuestions, Puzzle, Result};

fn main() -> Result<()> {
    let puzzle: Puzzle = Puzzle::from_text(
        "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    )?;
    println!("{puzzle:#}\n");
    let solution = puzzle.solve().expect("this one has a solution");
    println!("{solution:#}\n\nthe only one: {}", puzzle.is_unique());
    assert!(solution.to_string().starts_with("812753649943682175675491283"));
    assert!(puzzle.is_unique());

    let wrong = Puzzle::from_text("8..x").expect_err("no grid has four cells");
    println!("{wrong}");
    assert_eq!(wrong.to_string(), "text:1 (byte 0): 4 characters: no grid has this many cells");
    Ok(())
}
