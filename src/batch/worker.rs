//! A worker: one long-lived rayon task that takes chunks, runs engines on their records, and helps others with
//! hard ones.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, select};

use super::desk::{Desk, Hard, nanoseconds_since};
use super::run::{Shared, WorkerReport};
use super::session::{Alone, Session};
use crate::engine::parallel::Split;
use crate::engine::{
    COUNTED, Engine, EngineKind, Flow, SPLIT, Selection, Spared, TreeSearch, Visitor, Wish,
    select as select_engine,
};
use crate::faults;
use crate::model::{Outcome, Reason, Solution, Status};
use crate::simd::Isa;
use crate::stats::{Phases, ThreadTime};

/// How often a worker that waits for room in the window looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

pub(super) struct Worker<'r> {
    desk: Desk<'r>,
    engines: HashMap<EngineKind, Box<dyn Engine>>,
    searches: HashMap<EngineKind, Box<dyn TreeSearch>>,
    /// Counters, and the engines whose searches they spare.
    counters: HashMap<(EngineKind, EngineKind), Spared>,
    /// Where this worker offers problems to help with. Dropped when it will have no more.
    offers: Option<Sender<Offer>>,
    waited_ns: u64,
}

/// A problem that others may help with, and the engine that its parts need.
#[derive(Clone)]
pub(super) struct Offer {
    split: Arc<Split>,
    kind: EngineKind,
}

impl<'r> Worker<'r> {
    pub(super) fn new(shared: &'r Shared<'r>, number: usize, offers: Sender<Offer>) -> Self {
        Worker {
            desk: Desk::new(shared, number),
            engines: HashMap::new(),
            searches: HashMap::new(),
            counters: HashMap::new(),
            offers: Some(offers),
            waited_ns: 0,
        }
    }

    /// Works until the input has ended and nobody needs help.
    pub(super) fn run(mut self) -> WorkerReport {
        let begin = Instant::now();
        while self.desk.shared.control.stop().is_none() {
            if let Some(hard) = self.desk.next_hard() {
                self.take_up(&hard);
            } else if let Some(kind) = self.desk.next_engine() {
                self.run_engine(kind);
            } else if !self.take_chunk() {
                break;
            }
        }
        self.desk.close_all();
        self.offers = None;
        let shared = self.desk.shared;
        loop {
            match self.waiting(|_| shared.offers.recv_timeout(LOOK_AGAIN)) {
                Ok(offer) => self.help(&offer),
                Err(RecvTimeoutError::Timeout) => while has_helped_counter() && shared.offers.is_empty() {},
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let wall_ns = nanoseconds_since(begin);
        let busy_ns = wall_ns.saturating_sub(self.waited_ns);
        // Engines and the desk take turns within a call: what is not the desk's is the engines'.
        let desk = self.desk.phases;
        let solving_ns = busy_ns.saturating_sub(desk.parsing_ns + desk.verifying_ns + desk.formatting_ns);
        WorkerReport {
            phases: Phases { solving_ns, ..desk },
            time: ThreadTime { busy_ns, wall_ns },
            failure: self.desk.failure,
        }
    }

    /// Does something and counts its time as waiting.
    fn waiting<T>(&mut self, wait: impl FnOnce(&mut Self) -> T) -> T {
        let begin = Instant::now();
        self.desk.rests();
        let result = wait(self);
        self.waited_ns += nanoseconds_since(begin);
        self.desk.working_since = Instant::now();
        result
    }

    /// Takes the next chunk in, helping others while there is none or no room for its output. `false` at the end.
    fn take_chunk(&mut self) -> bool {
        let shared = self.desk.shared;
        loop {
            if shared.control.stop().is_some() {
                return false;
            }
            if !shared.window.has_room() {
                match self.waiting(|_| shared.offers.recv_timeout(LOOK_AGAIN)) {
                    Ok(offer) => self.help(&offer),
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                        while has_helped_counter() && !shared.window.has_room() {}
                    }
                }
                continue;
            }
            if let Some(chunk) = shared.try_chunk() {
                self.desk.take_in(chunk);
                return true;
            }
            enum Got {
                Chunk(Option<crate::input::Chunk>),
                Offer(Option<Offer>),
            }
            let got = self.waiting(|_| {
                select! {
                    recv(shared.chunks) -> chunk => Got::Chunk(chunk.ok()),
                    recv(shared.offers) -> offer => Got::Offer(offer.ok()),
                    default(LOOK_AGAIN) => Got::Offer(None),
                }
            });
            match got {
                Got::Chunk(Some(chunk)) => {
                    self.desk.take_in(chunk);
                    return true;
                }
                Got::Chunk(None) => return false,
                Got::Offer(Some(offer)) => self.help(&offer),
                Got::Offer(None) => while has_helped_counter() && shared.chunks.is_empty() {},
            }
        }
    }

    /// Runs an engine on records that need it until there are no more, or others come first.
    fn run_engine(&mut self, kind: EngineKind) {
        let shared = self.desk.shared;
        let mut engine = self.take_engine(kind);
        let desk = &mut self.desk;
        let run = catch_unwind(AssertUnwindSafe(|| {
            engine.run(&mut Session { desk, kind }, &shared.control);
        }));
        match run {
            Ok(()) => {
                self.engines.insert(kind, engine);
            }
            Err(panic) if self.desk.is_called => resume_unwind(panic),
            // The engine's arenas may be half-changed: it is thrown away. Which of the records that it held broke
            // it shows when each of them is alone with an engine.
            Err(_) => {
                let held = self.desk.take_back_held();
                for (number, &ticket) in held.iter().enumerate() {
                    self.run_alone(ticket, held.len() - number - 1);
                }
            }
        }
    }

    /// Runs an engine on one of the records that another one held when it broke down; `others` wait for theirs.
    fn run_alone(&mut self, ticket: u64, others: usize) {
        let shared = self.desk.shared;
        let (_, kind) = self.desk.problem(ticket);
        let mut engine = self.take_engine(kind);
        let desk = &mut self.desk;
        let run = catch_unwind(AssertUnwindSafe(|| {
            engine.run(&mut Alone::new(desk, kind, ticket), &shared.control);
        }));
        match run {
            Ok(()) => {
                self.engines.insert(kind, engine);
            }
            Err(panic) if self.desk.is_called => resume_unwind(panic),
            Err(panic) => self.desk.give_up_alone(ticket, others, &message_of(panic.as_ref())),
        }
    }

    fn take_engine(&mut self, kind: EngineKind) -> Box<dyn Engine> {
        let isa = self.desk.shared.options.wish.isa;
        self.engines.remove(&kind).unwrap_or_else(|| (kind.info().make)(isa))
    }

    /// Runs a record that was set aside: asks a counter; or cuts it into parts, offers them, works on them and merges.
    fn take_up(&mut self, hard: &Hard) {
        let ticket = hard.ticket;
        self.desk.resume_hard(ticket);
        let run = catch_unwind(AssertUnwindSafe(|| match self.count(hard) {
            Some(outcome) => Ok(outcome),
            None => self.search_in_parts(ticket),
        }));
        match run {
            Ok(Ok(outcome)) => self.desk.settle(ticket, outcome),
            Ok(Err(reason)) => self.desk.settle_without_search(ticket, Status::Unsupported, reason),
            Err(panic) => {
                self.searches.clear();
                self.counters.clear();
                self.desk.give_up(ticket, &message_of(panic.as_ref()));
            }
        }
    }

    /// Asks the counter, if there is one.
    fn count(&mut self, hard: &Hard) -> Option<Outcome> {
        let shared = self.desk.shared;
        let (counter, kind, limits) = self.desk.counter(hard.ticket)?;
        let (tally, search) = (counter.info().make_tally?, kind.info().make_search?);
        let asked = self.counters.entry((counter, kind));
        let asked = asked.or_insert_with(|| Spared::new(tally, search, shared.options.wish.isa));
        let (problem, _) = self.desk.problem(hard.ticket);
        let outcome = asked.ask(problem, limits, &shared.control, &hard.known)?;
        self.desk.now_by(hard.ticket, Selection::taken_over(counter, COUNTED));
        Some(outcome)
    }

    fn search_in_parts(&mut self, ticket: u64) -> Result<Outcome, Reason> {
        faults::break_engine(|| self.desk.record_of(ticket));
        let shared = self.desk.shared;
        let goal = shared.options.ask.goal();
        let limits = self.desk.hard_limits(ticket);
        let (problem, engine) = self.desk.problem(ticket);
        let class = problem.class();
        // An engine that cannot be cut (it holds many problems at once) leaves its hard ones to one that can.
        let kind = if engine.info().make_search.is_some() {
            engine
        } else {
            let wish = Wish { engine: None, timings: true, ..shared.options.wish };
            select_engine(class, goal, wish).map_err(|error| Reason::Text(error.to_string()))?.kind
        };
        let mut search = take_search(&mut self.searches, kind, shared.options.wish.isa)
            .ok_or_else(|| Reason::Text(format!("engine {} cannot be split", kind.info().name)))?;
        let (problem, _) = self.desk.problem(ticket);
        let split = Arc::new(Split::new(problem, goal, limits, &shared.control, search.as_mut()));
        shared.progress.splits(self.desk.record_of(ticket), &split);
        if let Some(offers) = &self.offers {
            for _ in 1..shared.workers {
                // Nobody listens when all others have left: then there is nobody to help.
                let _ = offers.send(Offer { split: Arc::clone(&split), kind });
            }
        }
        let mut keeper = Keeper { desk: &mut self.desk, ticket };
        let outcome = split.finish(search.as_mut(), &mut keeper);
        self.desk.now_by(ticket, Selection::taken_over(kind, SPLIT));
        self.searches.insert(kind, search);
        Ok(outcome)
    }

    fn help(&mut self, offer: &Offer) {
        if !offer.split.wants_help() {
            return;
        }
        let isa = self.desk.shared.options.wish.isa;
        let Some(mut search) = take_search(&mut self.searches, offer.kind, isa) else { return };
        // A panic here is the owner's to report: it runs the part again.
        let helped = catch_unwind(AssertUnwindSafe(|| offer.split.help(search.as_mut())));
        if helped.is_ok() {
            self.searches.insert(offer.kind, search);
        }
    }
}

/// Takes part for a while in what a counter of another worker spreads over the pool. `false` if there was nothing.
fn has_helped_counter() -> bool {
    rayon::yield_now() == Some(rayon::Yield::Executed)
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
struct Keeper<'d, 'r> {
    desk: &'d mut Desk<'r>,
    ticket: u64,
}

impl Visitor for Keeper<'_, '_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        match self.desk.keep(self.ticket, solution) {
            Flow::Continue => self.desk.stream(self.ticket),
            Flow::Stop => Flow::Stop,
        }
    }
}

/// What a panic said.
pub(super) fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
