//! Exact cover problems in Knuth's format: a solver counts all solutions of one problem.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ProcessTime;
use dlx::choose::{mrv_chooser, no_tiebreak, prefer_any};
use dlx::{OptOrder, Solver as DlxSolver, Uint, x};
use quadrille::CoverProblem;
use quadrille::FromText;

/// Appends the number of solutions. The time includes the building of the solver's own data structure.
///
/// The problem must have neither colours nor multiplicities, which the rivals do not support.
pub fn count(rival: &str, text: String, out: &mut String) -> Result<Duration, String> {
    let cover = CoverProblem::from_text(&text).map_err(|error| error.to_string())?;
    if cover.has_colours() || cover.has_multiplicities() {
        return Err("the rivals know neither colours nor multiplicities".into());
    }
    let (count, elapsed) = match rival {
        "dlx" => {
            let began = ProcessTime::now();
            (by_dlx(&cover), began.elapsed())
        }
        "dancing-links" => {
            // The table for `satisfies` is built before the clock starts.
            let matrix = Matrix::new(&cover);
            let began = ProcessTime::now();
            (dancing_links::Solver::new(&matrix).count() as u64, began.elapsed())
        }
        _ => return Err(format!("no solver {rival} of exact covers")),
    };
    writeln!(out, "{count}").expect("writing to memory does not fail");
    Ok(elapsed)
}

/// Counts with `dlx` as its documentation uses it: primary items first, the item with the fewest options first.
fn by_dlx(cover: &CoverProblem) -> u64 {
    let items = |option| cover.option(option).iter().map(|entry| entry.item as Uint).collect();
    let options: Vec<Vec<Uint>> = (0..cover.options()).map(items).collect();
    let secondary = cover.items() - cover.primary();
    let mut problem = x::make_problem(cover.primary() as Uint, secondary as Uint, &options, OptOrder::Seq);
    let mut solver = DlxSolver::new(&mut problem);
    let mut chooser = mrv_chooser(prefer_any(), no_tiebreak());
    let mut found = 0;
    while solver.next_solution(&mut chooser) {
        found += 1;
    }
    found
}

/// A problem for the `ExactCover` trait of `dancing-links`.
#[derive(Debug)]
struct Matrix {
    options: Vec<u32>,
    items: Vec<u32>,
    primary: u32,
    has: Vec<Vec<bool>>,
}

impl Matrix {
    fn new(cover: &CoverProblem) -> Self {
        let mut has = vec![vec![false; cover.items()]; cover.options()];
        for (option, has) in has.iter_mut().enumerate() {
            cover.option(option).iter().for_each(|entry| has[entry.item as usize] = true);
        }
        let numbers = |count: usize| (0..count as u32).collect();
        Matrix {
            options: numbers(cover.options()),
            items: numbers(cover.items()),
            primary: cover.primary() as u32,
            has,
        }
    }
}

impl dancing_links::ExactCover for Matrix {
    type Possibility = u32;
    type Constraint = u32;

    fn satisfies(&self, option: &u32, item: &u32) -> bool {
        self.has[*option as usize][*item as usize]
    }

    fn is_optional(&self, item: &u32) -> bool {
        *item >= self.primary
    }

    fn possibilities(&self) -> &[u32] {
        &self.options
    }

    fn constraints(&self) -> &[u32] {
        &self.items
    }
}
