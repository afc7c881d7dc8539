//! An engine that uses a search to work on one job after the other.

use super::{Client, Control, Engine, Event, Job, Task, TreeSearch, search_least};
use quadrille_model::{Goal, Packed9x9, Problem, Solution};

/// Runs a [`TreeSearch`] on one job at a time.
pub struct SearchEngine {
    search: Box<dyn TreeSearch>,
    /// Copy of the problem of the current job.
    ///
    /// The search needs the problem until the job ends. But the problem that the client lends is valid only
    /// until the next call to the client.
    held: Problem,
}

impl SearchEngine {
    /// Creates an engine that runs a search.
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
                // A cover may be large, so the copy is released as soon as the job ends.
                self.held = Problem::Packed(Packed9x9::FULL);
            }
            client.report(Event::End { ticket, outcome });
        }
    }
}
