//! Shared by several test files: runs a grid search to its end and verifies its reports.

use quadrille::engine::{Control, Flow, Task};
use quadrille::internals::{Outcome, TreeSearch, Visitor};
use quadrille::{Solution, verify};

/// Stores the reports of a grid search.
#[derive(Default)]
pub(crate) struct Collect {
    /// Solutions in the order found.
    pub solutions: Vec<Vec<u8>>,
    /// Frontier nodes, each with the number of solutions before it.
    pub frontier: Vec<(Vec<u32>, usize)>,
}

impl Visitor for Collect {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        let Solution::Digits(digits) = solution else { panic!("a grid has digits") };
        self.solutions.push(digits.to_vec());
        Flow::Continue
    }

    fn frontier(&mut self, prefix: &[u32], _: u64) -> Flow {
        self.frontier.push((prefix.to_vec(), self.solutions.len()));
        Flow::Continue
    }
}

/// Runs a search and verifies every solution.
pub(crate) fn run(engine: &mut dyn TreeSearch, task: &Task<'_>) -> (Outcome, Collect) {
    let mut collect = Collect::default();
    let outcome = engine.search(task, &mut collect, &Control::new());
    for digits in &collect.solutions {
        assert_eq!(verify(task.problem, Solution::Digits(digits)), Ok(()));
    }
    (outcome, collect)
}
