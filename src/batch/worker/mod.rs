//! A worker: one long-lived rayon task that takes chunks, runs engines on their records, and helps others with
//! hard ones.

pub(super) mod client;
pub(super) mod jobs;
pub(super) mod seats;
pub(super) mod short_search;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Select, TryRecvError};

use crate::batch::run::{Shared, WorkerReport};
use crate::batch::worker::client::{ChunkClient, SingleClient};
use crate::batch::worker::jobs::{Hard, OpenJobs, nanoseconds_since};
use crate::batch::worker::seats::{Place, thread_held_up_ns};
use crate::engine::parallel::Split;
use crate::engine::{
    Choice, Control, CountFirst, Engine, EngineKind, EnginePreference, Flow, Gate, Selection, TreeSearch,
    Visitor, select as select_engine,
};
use crate::faults;
use crate::input::Chunk;
use crate::model::{Outcome, Reason, Solution, Status};
use crate::simd::Isa;
use crate::stats::{Phases, ThreadTime};

/// How often a worker that waits looks again for what nobody tells it: room in the window, a stop.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

pub(crate) struct Worker<'r> {
    jobs: OpenJobs<'r>,
    engines: HashMap<EngineKind, Box<dyn Engine>>,
    searches: HashMap<EngineKind, Box<dyn TreeSearch>>,
    /// Counters, and the engines whose searches they spare.
    counters: HashMap<(EngineKind, EngineKind), CountFirst>,
    /// Whether this thread sits, see [`Seats`](crate::batch::worker::seats::Seats).
    sits: bool,
    waited_ns: u64,
}

/// A problem that others may help with, and the engine that its parts need.
#[derive(Clone)]
pub(crate) struct Offer {
    split: Arc<Split>,
    kind: EngineKind,
}

impl<'r> Worker<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, number: usize) -> Self {
        Worker {
            jobs: OpenJobs::new(shared, number),
            engines: HashMap::new(),
            searches: HashMap::new(),
            counters: HashMap::new(),
            sits: false,
            waited_ns: 0,
        }
    }

    /// Works until the input has ended and nobody needs help.
    pub(crate) fn run(mut self) -> WorkerReport {
        let begin = Instant::now();
        while self.jobs.shared.control.stop().is_none() {
            if let Some(hard) = self.jobs.next_hard() {
                self.take_up(&hard);
            } else if let Some(kind) = self.jobs.next_engine() {
                self.run_engine(kind);
            } else if !self.jobs.has_hard() && !self.take_chunk() {
                break;
            }
        }
        self.jobs.close_all();
        self.stand_up();
        self.help_to_the_end();
        let wall_ns = nanoseconds_since(begin);
        let busy_ns = wall_ns.saturating_sub(self.waited_ns + thread_held_up_ns());
        // Engines and the jobs take turns within a call: what is not the jobs's is the engines'.
        let jobs = self.jobs.phases;
        let solving_ns = busy_ns.saturating_sub(jobs.parsing_ns + jobs.verifying_ns + jobs.formatting_ns);
        WorkerReport {
            phases: Phases { solving_ns, ..jobs },
            time: ThreadTime { busy_ns, wall_ns },
            failure: self.jobs.failure,
        }
    }

    /// Does something and counts its time as waiting.
    fn waiting<T>(&mut self, wait: impl FnOnce(&mut Self) -> T) -> T {
        let begin = Instant::now();
        self.jobs.rests();
        let result = wait(self);
        self.waited_ns += nanoseconds_since(begin);
        self.jobs.working_since = Instant::now();
        result
    }

    /// Takes the next chunk in, helping others while there is none or no room for its output. `false` at the end.
    fn take_chunk(&mut self) -> bool {
        let shared = self.jobs.shared;
        while shared.control.stop().is_none() {
            let has_room = shared.window.has_room();
            if has_room && self.sits_down() {
                match self.next_chunk() {
                    Ok(chunk) => {
                        self.jobs.take_in(chunk);
                        return true;
                    }
                    Err(RecvTimeoutError::Disconnected) => return false,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            self.stand_up();
            if !self.helps() && !self.waiting(|_| is_woken(shared, has_room)) {
                self.help_counters();
            }
        }
        false
    }

    /// Takes a chunk out of the queue. Where somebody else would have the seat, it is kept for a moment when the queue is
    /// empty: who gets it may hold it for longer than the next chunk takes to come.
    fn next_chunk(&mut self) -> Result<Chunk, RecvTimeoutError> {
        let shared = self.jobs.shared;
        match shared.chunks.try_recv() {
            Err(TryRecvError::Empty) if shared.seats.are_scarce() => {
                self.waiting(|_| shared.chunks.recv_timeout(LOOK_AGAIN))
            }
            Err(TryRecvError::Empty) => Err(RecvTimeoutError::Timeout),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Ok(chunk) => Ok(chunk),
        }
    }

    /// Sees to it that this thread sits when it takes its next chunk, if it may.
    fn sits_down(&mut self) -> bool {
        let seats = &self.jobs.shared.seats;
        if self.sits && seats.are_wanted() {
            self.stand_up();
        }
        if !self.sits {
            self.sits = self.waiting(|worker| worker.jobs.shared.seats.sit_down());
        }
        self.sits
    }

    fn stand_up(&mut self) {
        if std::mem::take(&mut self.sits) {
            self.jobs.shared.seats.stand_up();
        }
    }

    /// Helps a record that wants help and has a seat for it; `false` where there is none.
    fn helps(&mut self) -> bool {
        let shared = self.jobs.shared;
        let Some((record, offer)) = shared.seats.join() else { return false };
        self.jobs.working_since = Instant::now();
        self.help(&offer);
        shared.seats.leave(record);
        true
    }

    /// What is left to do when there are no more chunks.
    fn help_to_the_end(&mut self) {
        let shared = self.jobs.shared;
        shared.seats.takes_no_more();
        while shared.control.stop().is_none() {
            if self.helps() {
                continue;
            }
            match self.waiting(|_| shared.wake.recv_timeout(LOOK_AGAIN)) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => self.help_counters(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    /// Takes part in what a counter of another worker spreads over the pool, as long as nobody else wants the seat.
    fn help_counters(&mut self) {
        let seats = &self.jobs.shared.seats;
        while seats.borrow() {
            let has_helped = rayon::yield_now() == Some(rayon::Yield::Executed);
            seats.stand_up();
            if !has_helped {
                break;
            }
        }
    }

    /// Runs an engine on records that need it until there are no more, or others come first.
    fn run_engine(&mut self, kind: EngineKind) {
        let shared = self.jobs.shared;
        let mut engine = self.take_engine(kind);
        let jobs = &mut self.jobs;
        let run = catch_unwind(AssertUnwindSafe(|| {
            engine.run(&mut ChunkClient { jobs, kind }, &shared.control);
        }));
        match run {
            Ok(()) => {
                self.engines.insert(kind, engine);
            }
            Err(panic) if self.jobs.is_called => resume_unwind(panic),
            // The engine's arenas may be half-changed: it is thrown away. Which of the records that it held broke
            // it shows when each of them is alone with an engine.
            Err(_) => {
                let held = self.jobs.take_back_held();
                for (number, &ticket) in held.iter().enumerate() {
                    self.run_alone(ticket, held.len() - number - 1);
                }
            }
        }
    }

    /// Runs an engine on one of the records that another one held when it broke down; `others` wait for theirs.
    fn run_alone(&mut self, ticket: u64, others: usize) {
        let shared = self.jobs.shared;
        let (_, kind) = self.jobs.problem(ticket);
        let mut engine = self.take_engine(kind);
        let jobs = &mut self.jobs;
        let run = catch_unwind(AssertUnwindSafe(|| {
            engine.run(&mut SingleClient::new(jobs, kind, ticket), &shared.control);
        }));
        match run {
            Ok(()) => {
                self.engines.insert(kind, engine);
            }
            Err(panic) if self.jobs.is_called => resume_unwind(panic),
            Err(panic) => self.jobs.give_up_alone(ticket, others, &message_of(panic.as_ref())),
        }
    }

    fn take_engine(&mut self, kind: EngineKind) -> Box<dyn Engine> {
        let isa = self.jobs.shared.options.preference.isa;
        self.engines.remove(&kind).unwrap_or_else(|| (kind.info().make)(isa))
    }

    /// Runs a record that was set aside: asks a counter; or cuts it into parts, offers them, works on them and merges.
    fn take_up(&mut self, hard: &Hard) {
        let shared = self.jobs.shared;
        let ticket = hard.ticket;
        self.jobs.resume_hard(ticket);
        self.jobs.leave_behind(ticket);
        let place = shared.seats.begin(self.jobs.record_of(ticket));
        let control = Arc::new(Control::behind(&shared.control, Arc::clone(&place) as Arc<dyn Gate>));
        let held_up_before = thread_held_up_ns();
        let run = catch_unwind(AssertUnwindSafe(|| match self.count(hard, &control) {
            Some(outcome) => Ok(outcome),
            None => self.search_in_parts(ticket, &control, &place),
        }));
        shared.seats.end(&place);
        self.jobs.was_held_up(ticket, Duration::from_nanos(thread_held_up_ns() - held_up_before));
        match run {
            Ok(Ok(outcome)) => self.jobs.settle(ticket, outcome),
            Ok(Err(reason)) => self.jobs.settle_without_search(ticket, Status::Unsupported, reason),
            Err(panic) => {
                self.searches.clear();
                self.counters.clear();
                self.jobs.give_up(ticket, &message_of(panic.as_ref()));
            }
        }
    }

    /// Asks the counter, if there is one.
    fn count(&mut self, hard: &Hard, control: &Control) -> Option<Outcome> {
        let shared = self.jobs.shared;
        let (counter, kind, limits) = self.jobs.counter(hard.ticket)?;
        let (make_counter, make_search) = (counter.info().make_counter?, kind.info().make_search?);
        let asked = self.counters.entry((counter, kind));
        let asked = asked
            .or_insert_with(|| CountFirst::new(make_counter, make_search, shared.options.preference.isa));
        let (problem, _) = self.jobs.problem(hard.ticket);
        let outcome = asked.ask(problem, limits, control, &hard.known)?;
        self.jobs.now_by(hard.ticket, Selection::taken_over(counter, Choice::LongCount));
        Some(outcome)
    }

    fn search_in_parts(
        &mut self,
        ticket: u64,
        control: &Arc<Control>,
        place: &Arc<Place>,
    ) -> Result<Outcome, Reason> {
        faults::break_engine(|| self.jobs.record_of(ticket));
        let shared = self.jobs.shared;
        let goal = shared.options.ask.goal();
        let limits = self.jobs.hard_limits(ticket);
        let (problem, engine) = self.jobs.problem(ticket);
        let class = problem.class();
        // An engine that cannot be cut (it holds many problems at once) leaves its hard ones to one that can.
        let kind = if engine.info().make_search.is_some() {
            engine
        } else {
            let preference = EnginePreference { engine: None, timings: true, ..shared.options.preference };
            select_engine(class, goal, preference).map_err(|error| Reason::Text(error.to_string()))?.kind
        };
        let mut search = take_search(&mut self.searches, kind, shared.options.preference.isa)
            .ok_or_else(|| Reason::Text(format!("engine {} cannot be split", kind.info().name)))?;
        let (problem, _) = self.jobs.problem(ticket);
        let split = Arc::new(Split::new(problem, goal, limits, control, search.as_mut()));
        shared.progress.splits(self.jobs.record_of(ticket), &split, place);
        shared.seats.offer(place, Offer { split: Arc::clone(&split), kind });
        let mut collector = SolutionCollector { jobs: &mut self.jobs, ticket, control };
        let outcome = split.finish(search.as_mut(), &mut collector);
        self.jobs.now_by(ticket, Selection::taken_over(kind, Choice::Split));
        self.searches.insert(kind, search);
        Ok(outcome)
    }

    fn help(&mut self, offer: &Offer) {
        let isa = self.jobs.shared.options.preference.isa;
        let Some(mut search) = take_search(&mut self.searches, offer.kind, isa) else { return };
        // A panic here is the owner's to report: it runs the part again.
        let helped = catch_unwind(AssertUnwindSafe(|| offer.split.help(search.as_mut())));
        if helped.is_ok() {
            self.searches.insert(offer.kind, search);
        }
    }
}

impl Offer {
    pub(crate) fn wants_help(&self) -> bool {
        self.split.wants_help()
    }
}

/// Waits until a chunk is there, if there is room for its output, or somebody wants help; `false` if neither is so for a
/// while.
fn is_woken(shared: &Shared<'_>, has_room: bool) -> bool {
    let mut select = Select::new();
    let wake = select.recv(&shared.wake);
    if has_room {
        select.recv(&shared.chunks);
    }
    let ready = select.ready_timeout(LOOK_AGAIN);
    if ready == Ok(wake) {
        // Whoever comes first has the word.
        let _ = shared.wake.try_recv();
    }
    ready.is_ok()
}

fn take_search(
    searches: &mut HashMap<EngineKind, Box<dyn TreeSearch>>,
    kind: EngineKind,
    isa: Option<Isa>,
) -> Option<Box<dyn TreeSearch>> {
    match searches.remove(&kind) {
        Some(search) => Some(search),
        None => kind.info().make_search.map(|make| make(isa)),
    }
}

/// Keeps the solutions of a split record, handing them on when they become many.
struct SolutionCollector<'d, 'r> {
    jobs: &'d mut OpenJobs<'r>,
    ticket: u64,
    control: &'d Control,
}

impl Visitor for SolutionCollector<'_, '_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        match self.jobs.keep(self.ticket, solution) {
            Flow::Continue => self.jobs.stream(self.ticket, self.control),
            Flow::Stop => Flow::Stop,
        }
    }
}

/// What a panic said.
pub(crate) fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
