//! Turns a search into an engine: one job after the other.

use super::{Client, Control, Engine, Event, Job, Task, TreeSearch, search_least};
use quadrille_model::{Goal, Packed9x9, Problem, Solution};

/// Runs a [`TreeSearch`] on one job at a time.
pub struct SearchEngine {
    search: Box<dyn TreeSearch>,
    /// The current job's problem. The client lends the problem only until its next call, and a search calls the
    /// client while it still needs the problem.
    held: Problem,
}

impl SearchEngine {
    /// Creates an engine for a search.
    pub fn new(search: Box<dyn TreeSearch>) -> Self {
        SearchEngine { search, held: Problem::Packed(Packed9x9::FULL) }
    }
}

impl Engine for SearchEngine {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        while let Some(jobs) = client.next(1) {
            let Job { ticket, problem, goal, limits } = jobs.first();
            self.held.assign(problem);
            let task = Task::whole(self.held.as_ref(), goal, limits);
            let mut report = |solution: Solution<'_>| client.report(Event::Solution { ticket, solution });
            let outcome = match goal {
                Goal::Least => search_least(self.search.as_mut(), &task, &mut report, control),
                _ => self.search.search(&task, &mut report, control),
            };
            if matches!(self.held, Problem::Cover(_)) {
                // A cover may be large, so it is released with its record.
                self.held = Problem::Packed(Packed9x9::FULL);
            }
            client.report(Event::End { ticket, outcome });
        }
    }
}
