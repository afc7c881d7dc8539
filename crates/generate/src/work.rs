//! A worker: one thread with one engine, whose jobs are the questions of all attempts that the worker has
//! started.
//!
//! The engine asks for jobs while it has lanes to fill. Each job is a question of an attempt that is in
//! progress, or if there is none, of a new attempt. So the number of open questions equals the number of lanes,
//! whatever the engine.

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
use super::schedule::{KeyedRecord, Made, Schedule, Settled, Task};
use super::sudoku::{Request, attempt};
use quadrille_engine::{Client, Control, Engine, Event, Flow, Job, Jobs};
use quadrille_model::{EndedBy, Outcome, Solution};
use quadrille_rating::Rater;

/// How long a worker collects records before it wakes the thread that takes them.
const GATHERING: Duration = Duration::from_millis(1);

/// The attempts of a task that wait for replies.
struct PendingAttempts<'r> {
    /// Resolves to the task and what it made.
    attempts: Pin<Box<dyn Future<Output = (Task, Option<Made>)> + 'r>>,
    slot: Rc<RefCell<Exchange>>,
    /// Questions for an engine.
    asked: Vec<Question>,
    /// Number of questions that an engine has been given.
    given: usize,
    /// Number of questions without an answer.
    open: usize,
    /// A reply per question, with the solutions reported so far.
    replies: Vec<Reply>,
}

/// Works on records with an engine.
pub(super) struct Worker<'r> {
    request: &'r Request,
    /// A grid with the rules of the request; `None` for a request without rules.
    first_grid: Option<&'r [u8]>,
    schedule: &'r Schedule,
    control: &'r Control,
    /// Receives finished records.
    done: Sender<Vec<Settled>>,
    /// Finished records that have not been sent yet.
    gathered: Vec<Settled>,
    /// When records were last sent.
    sent_at: Instant,
    /// Creates the keys of records, if records must be distinct.
    keys: Option<RecordKeys>,
    /// Rates records, if the request asks for ratings.
    rater: Option<Rc<RefCell<Rater>>>,
    /// Pending attempts, by ticket.
    walkers: Vec<Option<PendingAttempts<'r>>>,
    /// Tickets without attempts.
    free: Vec<usize>,
    /// Tickets of attempts with questions that no engine has been given.
    ready: Vec<usize>,
    stopped: bool,
    /// True if a question may take so long that the clock is checked for each.
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

    /// Works on the schedule until it is done.
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

/// Runs the attempts of a task until an attempt makes a record or the record is no longer needed.
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
                (made.into_iter().map(Into::into).collect(), task.record < neighbours.given())
            }
            None => {
                let made = attempt(request, first_grid, task.record, number, queries.clone()).await;
                let Some(made) = made else { continue };
                (vec![Generated { attempts: number + 1, ..made }.into()], false)
            }
        };
        if let (Some(wanted), Some(rater), false) = (&request.rating, &rater, is_given) {
            made.retain_mut(|KeyedRecord { record, .. }| {
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
        let walker =
            PendingAttempts { attempts, slot, asked: Vec::new(), given: 0, open: 0, replies: Vec::new() };
        let ticket = self.free.pop().unwrap_or_else(|| {
            self.walkers.push(None);
            self.walkers.len() - 1
        });
        self.walkers[ticket] = Some(walker);
        self.go_on(ticket);
    }

    /// Ends the attempts of a task.
    fn end(&mut self, ticket: usize) {
        if self.walkers[ticket].take().is_some() {
            self.free.push(ticket);
        }
    }

    /// Continues a task until it has questions or is done.
    fn go_on(&mut self, ticket: usize) {
        let Some(walker) = &mut self.walkers[ticket] else { return };
        match walker.attempts.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => {
                walker.asked.clear();
                std::mem::swap(&mut walker.asked, &mut walker.slot.borrow_mut().questions);
                debug_assert!(!walker.asked.is_empty(), "a recipe waits only for replies");
                (walker.given, walker.open) = (0, walker.asked.len());
                walker.replies.resize_with(walker.open, Reply::default);
                self.ready.push(ticket);
            }
            Poll::Ready((task, generated)) => {
                self.end(ticket);
                if let Some(mut settled) = self.schedule.settle(&task, generated) {
                    if let Some(keys) = &mut self.keys {
                        settled.1.iter_mut().flatten().for_each(|made| made.key = keys.key(&made.record));
                    }
                    self.gathered.push(settled);
                    self.send(if self.slow { Duration::ZERO } else { GATHERING });
                }
            }
        }
    }

    /// Sends the finished records, if records were last sent at least `since` ago.
    fn send(&mut self, since: Duration) {
        if !self.gathered.is_empty() && self.sent_at.elapsed() >= since {
            // The thread that takes the records may have ended.
            let _ = self.done.send(std::mem::take(&mut self.gathered));
            self.sent_at = Instant::now();
        }
    }

    fn stops(&mut self) -> bool {
        self.stopped = self.stopped || self.control.stop().is_some();
        self.stopped
    }

    /// Takes the answer to a question, and continues its task if that was the last question.
    fn finish(&mut self, ticket: u64, outcome: Outcome) {
        let (ticket, place) = apart(ticket);
        if matches!(outcome.ended_by, EndedBy::Cancel | EndedBy::Deadline) {
            self.stopped = true;
            return self.end(ticket);
        }
        let Some(walker) = &mut self.walkers[ticket] else { return };
        let reply = &mut walker.replies[place];
        reply.found = outcome.found.to_u64().unwrap_or(u64::MAX);
        reply.settled = matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit);
        reply.guesses = outcome.counters.map_or(0, |counters| counters.guesses);
        walker.open -= 1;
        if walker.open == 0 {
            std::mem::swap(&mut walker.slot.borrow_mut().replies, &mut walker.replies);
            self.go_on(ticket);
        }
    }
}

/// Returns the ticket of a question, composed of the ticket of its task and its place among the task's
/// questions.
fn together(ticket: usize, place: usize) -> u64 {
    (ticket * MAX_AT_ONCE + place) as u64
}

/// Splits the ticket of a question into the ticket of its task and its place. Inverse of [`together`].
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
        // Questions about large grids take long, so the clock is checked for each question. The loop above does not
        // run while a recipe that asks one question after another keeps `ready` filled.
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
                    walker.replies[place].solutions.extend_from_slice(digits);
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
