//! The best solution: of a grid with weighted cells, and of an exact cover problem with costs.

use quadrille::{CoverProblem, CoverQuestions, Direction, FromText, GridQuestions, Puzzle, Result, Weights};

fn main() -> Result<()> {
    // The grid with this clue whose main diagonal has the largest sum.
    let mut puzzle = Puzzle::from_text("1...............")?;
    let diagonal: Vec<i64> = (0..16).map(|cell| i64::from(cell % 5 == 0)).collect();
    let weights = Weights::per_cell(puzzle.geometry(), &diagonal)?;
    puzzle.set_weights(Some(weights.into()));
    let (grid, score) = puzzle.best(Direction::Maximize).expect("there are solutions");
    println!("{grid:#}\ndiagonal: {score}");
    assert_eq!(score, 1 + 4 + 4 + 3);

    // Three workers, three jobs: option `3 * worker + job` assigns a job, at its cost.
    let options: Vec<[usize; 2]> = (0..9).map(|option| [option / 3, 3 + option % 3]).collect();
    let mut jobs = CoverProblem::from_options(6, &options)?;
    jobs.set_costs(vec![4, 1, 3, 2, 0, 5, 3, 2, 2]);
    let (chosen, cost) = jobs.best(Direction::Minimize)?.expect("everybody can do everything");
    println!("options {chosen:?} at {cost}");
    assert_eq!((chosen, cost), (vec![1, 3, 8], 5));
    Ok(())
}
