//! Runs a search to its end, and verifies and stores everything it reports.

use quadrille::engine::{Control, Flow, Task};
use quadrille::internals::{Outcome, TreeSearch, Visitor};
use quadrille::{ProblemRef, Solution, verify};

/// Stores the reports of a search of any problem.
pub(crate) struct Keeper<'a> {
    problem: ProblemRef<'a>,
    /// Solutions in the order found: options, or digits.
    pub solutions: Vec<Vec<u32>>,
    /// Frontier nodes, each with the number of solutions before it.
    pub frontier: Vec<(Vec<u32>, usize)>,
}

impl Visitor for Keeper<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        assert_eq!(verify(self.problem, solution), Ok(()));
        self.solutions.push(match solution {
            Solution::Digits(digits) => digits.iter().map(|&digit| u32::from(digit)).collect(),
            Solution::Options(options) => options.to_vec(),
        });
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], _: u64) -> Flow {
        self.frontier.push((prefix.to_vec(), self.solutions.len()));
        Flow::Continue
    }
}

/// Runs a search without limits on time and returns its outcome and reports.
pub(crate) fn run<'a>(search: &mut dyn TreeSearch, task: &Task<'a>) -> (Outcome, Keeper<'a>) {
    let mut keeper = Keeper { problem: task.problem, solutions: Vec::new(), frontier: Vec::new() };
    let outcome = search.search(task, &mut keeper, &Control::new());
    (outcome, keeper)
}
