//! Contains the worker, which is one thread with one engine. The attempts that the worker has started ask
//! questions about puzzles. These questions are the engine's jobs.
//!
//! The engine solves many jobs at once, each in its own lane, which is one bit of a vector. It asks for jobs
//! until all lanes are full. The worker first passes on questions from attempts in progress. If there are
//! none, the worker starts a new attempt. So every lane always has a question.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::distinct::RecordKeys;
use super::queries::{Exchange, MAX_AT_ONCE, QueryHandle, Question, Reply};
use super::record::Generated;
use super::schedule::{Made, Schedule, Settled, Task};
use super::sudoku::{Request, attempt};
use quadrille_engine::{Client, Control, Engine, Event, Flow, Job, Jobs};
use quadrille_model::{EndedBy, Outcome, Solution};
use quadrille_rating::Rater;

/// How long a worker collects records before it sends them to the thread that outputs them.
const GATHERING: Duration = Duration::from_millis(1);

/// The attempts of one task, which wait for replies of the engine.
struct PendingAttempts<'r> {
    /// Future that resolves to the task and the records it made.
    attempts: Pin<Box<dyn Future<Output = (Task, Option<Made>)> + 'r>>,
    slot: Rc<RefCell<Exchange>>,
    /// Questions for an engine.
    asked: Vec<Question>,
    /// Number of questions that were already passed to an engine.
    given: usize,
    /// Number of questions that the engine has not answered yet.
    open: usize,
}

/// Makes records with an engine.
pub(super) struct Worker<'r> {
    request: &'r Request,
    /// A solved grid that satisfies the request's rules, or `None` if the request has no rules.
    first_grid: Option<&'r [u8]>,
    schedule: &'r Schedule,
    control: &'r Control,
    /// Receives finished records.
    done: Sender<Vec<Settled>>,
    /// Finished records that are not sent yet.
    gathered: Vec<Settled>,
    /// When records were last sent.
    sent_at: Instant,
    /// Computes the keys of records, if the records must be distinct.
    keys: Option<RecordKeys>,
    /// Rates records, if the request asks for ratings.
    rater: Option<Rc<RefCell<Rater>>>,
    /// Pending attempts, by ticket.
    walkers: Vec<Option<PendingAttempts<'r>>>,
    /// Tickets without attempts.
    free: Vec<usize>,
    /// Tickets (numbers) of the tasks that have questions not yet passed to an engine.
    ready: Vec<usize>,
    stopped: bool,
    /// True if questions may take so long that the worker checks the clock for every question.
    slow: bool,
}

impl<'r> Worker<'r> {
    pub(super) fn new(
        request: &'r Request,
        first_grid: Option<&'r [u8]>,
        schedule: &'r Schedule,
        control: &'r Control,
        done: Sender<Vec<Settled>>,
    ) -> Self {
        let keys = RecordKeys::new(request);
        let rater = request.rating.as_ref().map(|wanted| {
            let rater = Rater::new(*wanted.end());
            let counts = request.steps.needs_counts();
            Rc::new(RefCell::new(if counts { rater.counting() } else { rater }))
        });
        Worker {
            request,
            first_grid,
            schedule,
            control,
            done,
            gathered: Vec::new(),
            sent_at: Instant::now(),
            keys,
            rater,
            walkers: Vec::new(),
            free: Vec::new(),
            ready: Vec::new(),
            stopped: false,
            slow: !request.geometry.is_9x9() || request.rules.is_some(),
        }
    }

    /// Works on tasks of the schedule until the schedule ends.
    pub(super) fn work(mut self, engine: &mut dyn Engine) {
        let control = self.control;
        loop {
            engine.run(&mut self, control);
            self.send(Duration::ZERO);
            if self.stopped || (self.ready.is_empty() && !self.schedule.wait_for_task(control)) {
                return;
            }
        }
    }
}

/// Runs the attempts of a task, one after another, until one of them makes a record.
///
/// Stops early if another task with earlier attempts has already made this record.
async fn attempts(
    request: &Request,
    first_grid: Option<&[u8]>,
    task: Task,
    queries: QueryHandle,
    rater: Option<Rc<RefCell<Rater>>>,
) -> (Task, Option<Made>) {
    for number in task.attempts.clone() {
        if task.first_success.load(Ordering::Relaxed) < task.run {
            break;
        }
        let (mut made, is_given): (Made, bool) = match &request.neighbours {
            Some(neighbours) => {
                let made = neighbours.make(task.record, request.seed, queries.clone()).await;
                (made.into_iter().map(|record| (record, None)).collect(), task.record < neighbours.given())
            }
            None => {
                let made = attempt(request, first_grid, task.record, number, queries.clone()).await;
                let Some(made) = made else { continue };
                (vec![(Generated { attempts: number + 1, ..made }, None)], false)
            }
        };
        if let (Some(wanted), Some(rater), false) = (&request.rating, &rater, is_given) {
            made.retain_mut(|(record, _)| {
                let rating = record.rate(&mut rater.borrow_mut(), &request.steps);
                record.rating = rating.filter(|rating| wanted.contains(rating));
                record.rating.is_some()
            });
            if made.is_empty() && request.neighbours.is_none() {
                continue;
            }
        }
        return (task, Some(made));
    }
    (task, None)
}

impl<'r> Worker<'r> {
    /// Starts a task.
    fn begin(&mut self, task: Task) {
        let slot = Rc::new(RefCell::new(Exchange::default()));
        let rater = self.rater.clone();
        let attempts =
            Box::pin(attempts(self.request, self.first_grid, task, QueryHandle(Rc::clone(&slot)), rater));
        let walker = PendingAttempts { attempts, slot, asked: Vec::new(), given: 0, open: 0 };
        let ticket = self.free.pop().unwrap_or_else(|| {
            self.walkers.push(None);
            self.walkers.len() - 1
        });
        self.walkers[ticket] = Some(walker);
        self.go_on(ticket);
    }

    /// Ends a task, whose attempts are no longer needed.
    fn end(&mut self, ticket: usize) {
        if self.walkers[ticket].take().is_some() {
            self.free.push(ticket);
        }
    }

    /// Continues a task until it asks the engine questions or ends.
    fn go_on(&mut self, ticket: usize) {
        let Some(walker) = &mut self.walkers[ticket] else { return };
        match walker.attempts.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => {
                let mut slot = walker.slot.borrow_mut();
                walker.asked.clear();
                std::mem::swap(&mut walker.asked, &mut slot.questions);
                debug_assert!(!walker.asked.is_empty(), "a recipe waits only for replies");
                (walker.given, walker.open) = (0, walker.asked.len());
                slot.replies.resize_with(walker.open, Reply::default);
                self.ready.push(ticket);
            }
            Poll::Ready((task, generated)) => {
                self.end(ticket);
                if let Some(mut settled) = self.schedule.settle(&task, generated) {
                    if let Some(keys) = &mut self.keys {
                        settled.1.iter_mut().flatten().for_each(|(record, key)| *key = keys.key(record));
                    }
                    self.gathered.push(settled);
                    self.send(if self.slow { Duration::ZERO } else { GATHERING });
                }
            }
        }
    }

    /// Sends the finished records if at least the time `since` has passed since records were last sent.
    fn send(&mut self, since: Duration) {
        if !self.gathered.is_empty() && self.sent_at.elapsed() >= since {
            // The receiving thread may have ended, so a failure to send is ignored.
            let _ = self.done.send(std::mem::take(&mut self.gathered));
            self.sent_at = Instant::now();
        }
    }

    fn stops(&mut self) -> bool {
        self.stopped = self.stopped || self.control.stop().is_some();
        self.stopped
    }

    /// Stores the answer to a question. Continues the task if all of its questions are answered.
    fn finish(&mut self, ticket: u64, outcome: Outcome) {
        let (ticket, place) = apart(ticket);
        if matches!(outcome.ended_by, EndedBy::Cancel | EndedBy::Deadline) {
            self.stopped = true;
            return self.end(ticket);
        }
        let Some(walker) = &mut self.walkers[ticket] else { return };
        let mut slot = walker.slot.borrow_mut();
        let reply = &mut slot.replies[place];
        reply.found = outcome.found.to_u64().unwrap_or(u64::MAX);
        reply.settled = matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit);
        reply.guesses = outcome.counters.map_or(0, |counters| counters.guesses);
        walker.open -= 1;
        let is_done = walker.open == 0;
        drop(slot);
        if is_done {
            self.go_on(ticket);
        }
    }
}

/// Returns the ticket (number) of a question: its task's ticket, combined with its index among the task's
/// questions.
fn together(ticket: usize, place: usize) -> u64 {
    (ticket * MAX_AT_ONCE + place) as u64
}

/// Splits a question's ticket into its task's ticket and its index. This is the inverse of [`together`].
fn apart(ticket: u64) -> (usize, usize) {
    (ticket as usize / MAX_AT_ONCE, ticket as usize % MAX_AT_ONCE)
}

impl Client for Worker<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        while self.ready.is_empty() {
            if self.stops() {
                return None;
            }
            self.send(GATHERING);
            let task = self.schedule.take_task()?;
            self.begin(task);
        }
        // Questions about large grids take long, so the clock is checked before every question. The check in
        // the loop above is not enough, because the loop runs only while `ready` is empty. An attempt that
        // asks one question after another keeps `ready` filled.
        if self.slow && self.stops() {
            return None;
        }
        let ticket = *self.ready.last()?;
        let walker = self.walkers[ticket].as_mut()?;
        let place = walker.given;
        walker.given += 1;
        if walker.given == walker.asked.len() {
            self.ready.pop();
        }
        let Question { problem, goal, limits } = walker.asked.get(place)?;
        let problem = problem.as_ref();
        Some(Jobs::One(Job { ticket: together(ticket, place), problem, goal: *goal, limits: *limits }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution: Solution::Digits(digits) } => {
                let (ticket, place) = apart(ticket);
                if let Some(walker) = &mut self.walkers[ticket] {
                    walker.slot.borrow_mut().replies[place].solutions.extend_from_slice(digits);
                }
            }
            Event::Solution { .. } | Event::Solved(_) => {
                unreachable!("questions are about single grids")
            }
            Event::End { ticket, outcome } => self.finish(ticket, outcome),
        }
        Flow::Continue
    }
}
