//! Published solvers as programs for `quadrille bench --program`: lines in, lines out, own time on standard error.
//!
//! The time is written as `engine_ns` and a number of nanoseconds. It is the processor time of the solver alone,
//! without reading the input and writing the output.

mod covers;
mod forms;
mod grids;
mod rivals;

use std::io::Read;

use clap::Parser;
use cpu_time::ProcessTime;

/// Runs a published solver on standard input.
#[derive(Parser)]
struct Cli {
    /// Solver of grids: dlx, dlx-kept, dancing-links, sudoku; of exact covers: cover-dlx, cover-dancing-links;
    /// canonical forms: canon-sudoku, canon-quadrille; makers of minimal puzzles: make-sudoku, make-quadrille
    name: String,
    /// Solutions to look for per grid; 2 proves uniqueness, and the first is printed
    #[arg(long, default_value_t = 2)]
    limit: usize,
}

fn main() -> Result<(), String> {
    let Cli { name, limit } = Cli::parse();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let mut out = String::new();
    let elapsed = match name.split_once('-') {
        Some(("cover", rival)) => covers::count(rival, text, &mut out)?,
        Some(("canon", rival)) => forms::canonize(rival, &text, &mut out)?,
        Some(("make", rival)) => forms::make(rival, &text, &mut out)?,
        _ => {
            let (shape, grids) = grids::read(&text)?;
            let mut rival = rivals::rival(&name, shape).ok_or(format!("no solver {name} of such grids"))?;
            let mut solutions = vec![Vec::new(); grids.len()];
            let began = ProcessTime::now();
            rival.solve(&grids, limit, &mut |grid, solution| {
                let kept = &mut solutions[grid];
                if kept.is_empty() {
                    kept.extend_from_slice(solution);
                }
            });
            let elapsed = began.elapsed();
            solutions.iter().for_each(|solution| grids::write(solution, &mut out));
            elapsed
        }
    };
    print!("{out}");
    eprintln!("engine_ns {}", elapsed.as_nanos());
    Ok(())
}
