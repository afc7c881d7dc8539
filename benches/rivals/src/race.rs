//! The race: every solver on the same work, in turn, for several rounds.

use std::time::Instant;

use crate::grids::{Corpus, Found};

/// Kind of a solver.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A general exact cover crate.
    Links,
    /// A crate for sudoku only.
    Grids,
    /// An engine of quadrille.
    Ours,
}

/// A solver of grids on one thread.
pub trait GridSolver {
    /// Returns name and version.
    fn name(&self) -> String;
    /// Returns the kind of solver.
    fn class(&self) -> Class;
    /// Converts the corpus to the solver's own types; not timed.
    fn prepare(&mut self, corpus: &Corpus);
    /// Finds up to `limit` solutions of each grid; timed.
    fn solve(&mut self, limit: usize, found: &mut Found);
}

/// Times of one solver.
pub struct Line {
    pub name: String,
    pub class: Class,
    /// Seconds per round.
    pub seconds: Vec<f64>,
    /// Guesses for all problems together, if the solver counts them.
    pub guesses: Option<u64>,
}

/// Median, minimum and maximum of some figures.
#[derive(Clone, Copy)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub greatest: f64,
}

impl Spread {
    /// Computes the spread of figures.
    ///
    /// # Panics
    /// Panics if there are none.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        Spread { median, least: sorted[0], greatest: sorted[sorted.len() - 1] }
    }
}

impl Line {
    pub fn time(&self) -> Spread {
        Spread::of(self.seconds.iter().copied())
    }

    /// Returns how many times as fast this solver is as `other`, round by round.
    pub fn ratio_to(&self, other: &Line) -> Spread {
        Spread::of(self.seconds.iter().zip(&other.seconds).map(|(mine, theirs)| theirs / mine))
    }
}

/// Returns the solver with the lowest median time among some classes.
pub fn best<'a>(lines: &'a [Line], classes: &[Class]) -> Option<&'a Line> {
    lines
        .iter()
        .filter(|line| classes.contains(&line.class))
        .min_by(|a, b| a.time().median.total_cmp(&b.time().median))
}

/// Races solvers over a corpus. Every answer of every round is validated, and all counts must agree.
pub fn race(
    mut solvers: Vec<Box<dyn GridSolver>>,
    corpus: &Corpus,
    limit: usize,
    rounds: usize,
) -> Result<Vec<Line>, String> {
    // Warm-up of caches, clock and branch predictors on a tenth of the corpus.
    let some = corpus.grids.len().div_ceil(10).clamp(100.min(corpus.grids.len()), 1000);
    let warm_up = Corpus { shape: corpus.shape, grids: corpus.grids[..some].to_vec() };
    let mut found = Found::new(corpus, limit);
    for solver in &mut solvers {
        solver.prepare(&warm_up);
        solver.solve(limit, &mut found);
        found.clear();
        solver.prepare(corpus);
    }
    let mut lines: Vec<Line> = solvers
        .iter()
        .map(|solver| Line { name: solver.name(), class: solver.class(), seconds: Vec::new(), guesses: None })
        .collect();
    let mut agreed: Option<(String, Vec<u8>)> = None;
    for _ in 0..rounds {
        for (solver, line) in solvers.iter_mut().zip(&mut lines) {
            found.clear();
            let began = Instant::now();
            solver.solve(limit, &mut found);
            line.seconds.push(began.elapsed().as_secs_f64());
            line.guesses = found.guesses;
            found.validate(corpus).map_err(|what| format!("{}: {what}", line.name))?;
            match &agreed {
                None => agreed = Some((line.name.clone(), found.counts.clone())),
                Some((first, counts)) => {
                    if let Some(grid) = (0..counts.len()).find(|&grid| counts[grid] != found.counts[grid]) {
                        return Err(format!("{first} and {} disagree on grid {grid}", line.name));
                    }
                }
            }
        }
    }
    Ok(lines)
}
