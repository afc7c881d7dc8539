//! An engine out of a search: jobs one after the other.

use super::{Client, Control, Engine, Event, Flow, Job, Task, TreeSearch, Visitor};
use crate::model::{Packed, Problem, Solution};

/// Runs a [`TreeSearch`] on one job at a time.
#[derive(Debug)]
pub struct OneByOne<S> {
    search: S,
    /// The job in hand: what a client lends ends with the next call to it, and a search reports to it midway.
    held: Problem,
}

impl<S: TreeSearch> OneByOne<S> {
    /// An engine around a search.
    pub fn new(search: S) -> Self {
        OneByOne { search, held: Problem::Packed(Packed::FULL) }
    }
}

/// Passes a search's solutions on under the job's ticket.
struct Ticketed<'c> {
    client: &'c mut dyn Client,
    ticket: u64,
}

impl Visitor for Ticketed<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        self.client.report(Event::Solution { ticket: self.ticket, solution })
    }
}

impl<S: TreeSearch> Engine for OneByOne<S> {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        while let Some(jobs) = client.next(1) {
            let Job { ticket, problem, goal, limits } = jobs.first();
            self.held.assign(problem);
            let task = Task::whole(self.held.as_ref(), goal, limits);
            let outcome = self.search.search(&task, &mut Ticketed { client, ticket }, control);
            client.report(Event::End { ticket, outcome });
        }
    }
}
