//! What several test files need: a search run to its end, with everything it reports kept and verified.

use quadrille::engine::{Control, Flow};
use quadrille::internals::{Outcome, Task, TreeSearch, Visitor};
use quadrille::{Solution, verify};

/// Keeps what a search of a grid reports.
#[derive(Default)]
pub(crate) struct Collect {
    /// In order.
    pub solutions: Vec<Vec<u8>>,
    /// Frontier nodes, and how many solutions came before each.
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
