//! A worker: one thread with one engine, whose jobs are the questions of all the attempts it has begun.
//!
//! The engine asks for jobs while it has lanes to fill; each gets the question of an attempt that waits for one,
//! else of a new attempt. So there are as many attempts under way as the engine has lanes, whatever engine it is.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use super::ask::{Asker, Question, Reply, Slot};
use super::record::Generated;
use super::schedule::{Schedule, Task};
use crate::engine::{Client, Control, Engine, Event, Flow, Job, Jobs};
use crate::model::{EndedBy, Outcome, Solution};

/// One attempt at a record: `None` if it came to nothing.
pub(super) type Attempt<'r> = Pin<Box<dyn Future<Output = Option<Generated>> + 'r>>;

/// Makes an attempt: from a record's number, an attempt's number, and the asker for its questions.
pub(super) type Recipe<'r> = dyn Fn(u64, u64, Asker) -> Attempt<'r> + Sync + 'r;

/// An attempt that waits for a reply, and the task it belongs to.
struct Walker<'r> {
    attempt: Attempt<'r>,
    task: Task,
    slot: Rc<RefCell<Slot>>,
    /// The question that an engine is working on.
    asked: Option<Question>,
    /// Solutions reported so far.
    solutions: Vec<u8>,
}

struct Worker<'r> {
    recipe: &'r Recipe<'r>,
    schedule: &'r Schedule,
    control: &'r Control,
    walkers: Vec<Option<Walker<'r>>>,
    free: Vec<usize>,
    /// Walkers with a question that no engine has yet.
    ready: Vec<usize>,
    stopped: bool,
}

/// Works on a schedule until it is done.
pub(super) fn work<'r>(
    recipe: &'r Recipe<'r>,
    schedule: &'r Schedule,
    control: &'r Control,
    engine: &mut dyn Engine,
) {
    let mut worker = Worker {
        recipe,
        schedule,
        control,
        walkers: Vec::new(),
        free: Vec::new(),
        ready: Vec::new(),
        stopped: false,
    };
    loop {
        engine.run(&mut worker, control);
        if worker.stopped || (worker.ready.is_empty() && !schedule.wait_for_task(control)) {
            return;
        }
    }
}

impl<'r> Worker<'r> {
    /// Works on a task until an attempt of it has a question; `None` if it ended before that.
    fn begin(&mut self, mut task: Task) -> Option<Walker<'r>> {
        while !task.is_over() {
            let slot = Rc::new(RefCell::new(Slot::default()));
            let attempt = (self.recipe)(task.record, task.attempt, Asker(Rc::clone(&slot)));
            let walker = Walker { attempt, task, slot, asked: None, solutions: Vec::new() };
            match self.go_on(walker) {
                Ok(walker) => return Some(walker),
                Err(next) => task = next?,
            }
            if self.stops() {
                return None;
            }
        }
        self.schedule.settle(task, None);
        None
    }

    /// Goes on with an attempt until it has a question. Else it has ended, and if it came to nothing its task goes
    /// on with the next one.
    fn go_on(&mut self, mut walker: Walker<'r>) -> Result<Walker<'r>, Option<Task>> {
        let poll = walker.attempt.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        match poll {
            Poll::Pending => {
                walker.asked = walker.slot.borrow_mut().question.take();
                debug_assert!(walker.asked.is_some(), "a recipe waits for nothing but replies");
                Ok(walker)
            }
            Poll::Ready(Some(generated)) => {
                self.schedule.settle(walker.task, Some(generated));
                Err(None)
            }
            Poll::Ready(None) => Err(Some(walker.task.next_attempt())),
        }
    }

    fn stops(&mut self) -> bool {
        self.stopped = self.stopped || self.control.stop().is_some();
        self.stopped
    }

    /// Keeps a walker whose question is to be answered.
    fn keep(&mut self, walker: Walker<'r>) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.walkers.push(None);
            self.walkers.len() - 1
        });
        self.walkers[place] = Some(walker);
        self.ready.push(place);
    }

    /// Goes on with the attempt whose question is answered.
    fn finish(&mut self, place: usize, outcome: Outcome) {
        let Some(mut walker) = self.walkers[place].take() else { return };
        self.free.push(place);
        if matches!(outcome.ended_by, EndedBy::Cancel | EndedBy::Deadline) {
            self.stopped = true;
            return;
        }
        let reply = Reply {
            found: outcome.found.to_u64().unwrap_or(u64::MAX),
            settled: matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit),
            guesses: outcome.counters.map_or(0, |counters| counters.guesses),
            solutions: std::mem::take(&mut walker.solutions),
        };
        walker.slot.borrow_mut().reply = Some(reply);
        match self.go_on(walker) {
            Ok(walker) => self.keep(walker),
            Err(Some(task)) => {
                if let Some(walker) = self.begin(task) {
                    self.keep(walker);
                }
            }
            Err(None) => {}
        }
    }
}

impl Client for Worker<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        while self.ready.is_empty() {
            if self.stops() {
                return None;
            }
            let task = self.schedule.take_task()?;
            if let Some(walker) = self.begin(task) {
                self.keep(walker);
            }
        }
        let place = self.ready.pop()?;
        let question = self.walkers[place].as_ref()?.asked.as_ref()?;
        let Question { problem, goal, limits } = question;
        let (goal, limits) = (*goal, *limits);
        Some(Jobs::One(Job { ticket: place as u64, problem: problem.as_ref(), goal, limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution: Solution::Digits(digits) } => {
                if let Some(walker) = &mut self.walkers[ticket as usize] {
                    walker.solutions.extend_from_slice(digits);
                }
            }
            Event::Solution { .. } | Event::Solved(_) => {
                unreachable!("only grids are asked about, one by one")
            }
            Event::End { ticket, outcome } => self.finish(ticket as usize, outcome),
        }
        Flow::Continue
    }
}

impl Task {
    /// True if nothing is left to try, or no further attempt matters any more.
    fn is_over(&self) -> bool {
        self.attempt == self.end || self.first_success.load(Ordering::Relaxed) < self.run
    }
}
