//! The chunks that a worker has open, as jobs for engines.
//!
//! A [`ChunkClient`](super::client) gives the jobs to engines and brings back what they report. Records that need no search
//! (unreadable ones, clashing clues, given solutions that are wrong) are answered on the way; the others become jobs, whose
//! ticket says chunk and record. A chunk whose records are all answered is written and handed to the writer.
//!
//! Every search starts *short*: with a limit on nodes ([`short_search`]). A record that reaches it is hard: its solutions so
//! far are forgotten, and when all others of its chunk are answered the chunk goes back to the queue with it, for whichever
//! thread takes it. Which records are hard depends on them alone, never on threads or chunks.
//!
//! This file takes chunks in and gives jobs out; `jobs/answers.rs` takes what engines report, and `jobs/closing.rs` writes chunks.
//! `jobs/chunks.rs` holds the open chunks, `jobs/engines.rs` the engines chosen, and `jobs/times.rs` the books of time.
//!
//! A *large* record, whose tables are more than a thread may keep of the run's memory, goes that way before its short search,
//! which is then the first thing done with it: its answer is the same.

mod answers;
mod chunks;
mod closing;
mod engines;
mod times;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::short_search;
use crate::chunk::audit::Auditor;
use crate::chunk::check;
use crate::chunk::general::{GeneralChunk, Timing};
use crate::chunk::minimal::Trials;
use crate::chunk::plain::PlainChunk;
use crate::chunk::ratings::Raters;
use crate::chunk::rows::RowTools;
use crate::chunk::state::{ChunkRecords, ChunkState, Ticket};
use crate::options::{Ask, BatchOptions};
use crate::shared::Shared;
use crate::stats::{Drawn, nanoseconds_since};
use chunks::OpenChunks;
use engines::Engines;
use quadrille_engine::{EngineKind, Job, Selection, Series, Task, contradicted};
use quadrille_formats::input::{Body, Chunk, Parser};
use quadrille_model::Error;
use quadrille_model::canonical::Canonizer;
use quadrille_model::{Answer, Goal, Limits, Packed, ProblemClass, ProblemRef, Status};
pub(crate) use times::Times;

/// A worker that is not shown by the progress display: what it does, a thread does beside something else.
pub(crate) const NOT_SHOWN: usize = usize::MAX;

pub(crate) struct OpenJobs {
    pub shared: Arc<Shared>,
    /// Its number in the progress display.
    worker: usize,
    parser: Parser,
    open: OpenChunks,
    /// The chunk whose records are being handed out.
    current: Option<usize>,
    /// Records that were looked at while an engine that holds many had room for more, and that are for another: with their numbers.
    put_off: VecDeque<(Ticket, u64, EngineKind)>,
    /// Unique records whose clues are tried.
    trials: Trials,
    goal: Goal,
    /// The limits of a first, short search; `None` where the whole search is no longer than that, or where it must
    /// not be split.
    short_limits: Option<Limits>,
    tools: RowTools,
    /// Makes ratings.
    raters: Raters,
    engines: Engines,
    /// The grids of the last series.
    grids: Vec<Packed>,
    /// The job whose solutions came last, and their bytes.
    listed: (u64, u64),
    pub times: Times,
    /// The error that ends the whole run.
    pub failure: Option<Error>,
    /// An engine has called and waits for the answer: a panic now is not the engine's.
    pub is_called: bool,
}

impl OpenJobs {
    pub(crate) fn new(shared: &Arc<Shared>, worker: usize) -> Self {
        let options = &shared.options;
        let parser = Parser::new(&options.input);
        OpenJobs {
            worker,
            engines: Engines::new(shared, parser.line_rules()),
            parser,
            open: OpenChunks::default(),
            current: None,
            put_off: VecDeque::new(),
            trials: Trials::new(),
            goal: options.ask.goal(),
            raters: Raters::new(options),
            short_limits: short_search::limits(options, shared.memory.threads()),
            tools: RowTools {
                auditor: Auditor::new(options.preference, shared.memory, &shared.audits),
                canonizer: Canonizer::new(),
                drawn: Drawn::default(),
            },
            grids: Vec::new(),
            listed: (u64::MAX, 0),
            times: Times::new(shared.began),
            failure: None,
            is_called: false,
            shared: Arc::clone(shared),
        }
    }

    fn options(&self) -> &BatchOptions {
        &self.shared.options
    }

    pub(crate) fn chunk(&mut self, place: usize) -> &mut ChunkState {
        self.open.get_mut(place)
    }

    /// Takes a chunk in and parses it.
    pub(crate) fn take_in(&mut self, mut chunk: Chunk) {
        let begin = Instant::now();
        if let Some(first) = self.shared.feed.first_layout() {
            self.shared.formatter.learn(&first);
        }
        let records = self.parse(&mut chunk);
        let output = self.shared.empty_output();
        let mut open = ChunkState::new(chunk, records, output, self.options().index_offset);
        open.output.notices.append(&mut open.chunk.warnings);
        if let ChunkRecords::General(general) = &mut open.records {
            open.output.notices.append(&mut general.records.warnings);
        }
        self.times.phases.parsing_ns += nanoseconds_since(begin);
        self.current = Some(self.open.put(open));
    }

    /// Takes a chunk whose hard records are to be searched; its place.
    pub(crate) fn adopt(&mut self, chunk: ChunkState) -> usize {
        self.times.working_since = Instant::now();
        self.open.put(chunk)
    }

    /// Parses a chunk into records, before any search.
    fn parse(&mut self, chunk: &mut Chunk) -> ChunkRecords {
        if let Some((selection, shown)) = self.engines.plain
            && self.shared.formatter.takes_plain(&chunk.layout)
        {
            let new = || Box::new(PlainChunk::new(self.goal, selection));
            let mut plain = self.open.spare_plain().unwrap_or_else(new);
            if plain.start(chunk, &self.parser, shown)
                && let Some(selection) = self.engines.for_rules(self.options(), plain.rules.as_ref())
            {
                plain.selection = selection;
                return ChunkRecords::Plain(plain);
            }
            self.open.recycle(ChunkRecords::Plain(plain));
        }
        let mut general = self.open.spare_general();
        chunk.spell_out();
        self.parser.parse(chunk, &mut general.records);
        general.start(chunk.first_record + self.options().index_offset);
        ChunkRecords::General(general)
    }

    /// A chunk with a slot for each record, which it becomes where it was plain.
    fn general(&mut self, place: usize) -> &mut GeneralChunk {
        if self.open.get(place).plain().is_some() {
            let mut general = self.open.spare_general();
            let open = self.open.get_mut(place);
            open.chunk.spell_out();
            self.parser.parse(&open.chunk, &mut general.records);
            general.start(open.first_index);
            if let ChunkRecords::Plain(plain) = &open.records {
                plain.hand_on(&mut general, open.cursor, self.short_limits.is_some());
            }
            let records = std::mem::replace(&mut open.records, ChunkRecords::General(general));
            self.open.recycle(records);
        }
        self.open.get_mut(place).general_mut()
    }

    /// The engine that the next job is for; `None` when this chunk and those before it have no more jobs to give.
    /// What was put off comes first, where there is no engine at work or it is `at_work`; then the records of a chunk, then the
    /// clues of those that are unique.
    pub(crate) fn next_engine(&mut self, at_work: Option<EngineKind>) -> Option<EngineKind> {
        if let Some(kind) = self.kind_put_off().filter(|kind| at_work.is_none_or(|at_work| at_work == *kind))
        {
            return Some(kind);
        }
        if let Some(place) = self.current {
            while self.chunk(place).cursor < self.chunk(place).len() {
                if let Some(kind) = self.look_at(place) {
                    return Some(kind);
                }
                self.chunk(place).advance();
            }
            self.current = None;
            self.close_if_done(place);
        }
        self.trials.next().map(|(_, kind)| kind)
    }

    /// The engine for the first record that was put off.
    fn kind_put_off(&self) -> Option<EngineKind> {
        self.put_off.front().map(|&(_, _, kind)| kind)
    }

    /// Leaves the record at the cursor, which is for this engine, for when the engine at work has all that it can hold or no
    /// more comes; `false` where there is no such record. So grids of two kinds that alternate do not have each engine end for the other.
    pub(crate) fn put_off(&mut self, kind: EngineKind) -> bool {
        let Some(place) = self.current else { return false };
        let open = self.chunk(place);
        let (slot, record) = (open.cursor, open.cursor_index);
        open.advance();
        open.pending += 1;
        self.put_off.push_back((Ticket { chunk: place, slot }, record, kind));
        true
    }

    /// Looks at the record at the cursor: returns the engine that it needs, or answers it where it needs none.
    fn look_at(&mut self, place: usize) -> Option<EngineKind> {
        let open = self.open.get_mut(place);
        let slot = open.cursor;
        let general = match &mut open.records {
            ChunkRecords::Plain(plain) => return Some(plain.selection.kind),
            ChunkRecords::General(general) => general,
        };
        if let Some(selection) = general.engine_of(slot) {
            return Some(selection.kind);
        }
        let record = general.record(slot);
        if let (Body::Packed(_), Some(selection)) = (&record.body, self.engines.packed) {
            general.set_engine(slot, selection);
            return Some(selection.kind);
        }
        let answer = match &record.body {
            Body::Skipped => return None,
            Body::Invalid(reason) => Answer::without_search(Status::Invalid, (**reason).clone()),
            Body::Unsupported(reason) => Answer::without_search(Status::Unsupported, (**reason).clone()),
            _ if !self.shared.options.ask.is_searched() => Answer::read(),
            _ => {
                let problem = general.searched(slot);
                let is_check = matches!(self.shared.options.ask, Ask::Check { .. });
                let wrong = is_check.then(|| check::wrong(problem, record, &general.records)).flatten();
                let class = problem.class();
                match wrong.map_or_else(|| self.engine_or_clash(place, class), |wrong| Err(Some(wrong))) {
                    Ok(selection) => {
                        self.general(place).set_engine(slot, selection);
                        return if self.asks_for_memory(place, slot) { None } else { Some(selection.kind) };
                    }
                    Err(answer) => answer?,
                }
            }
        };
        self.general(place).slots[slot].answer = Some(answer);
        None
    }

    /// True if the record at the cursor is large, and is set aside therefore.
    fn asks_for_memory(&mut self, place: usize, slot: usize) -> bool {
        let is_large = self.bytes_of(place, slot) > 0;
        if is_large {
            let open = self.chunk(place);
            open.hard.insert(slot, None);
            open.pending += 1;
        }
        is_large
    }

    /// Bytes that the search for a record has to ask for.
    fn bytes_of(&self, place: usize, slot: usize) -> u64 {
        let memory = &self.shared.memory;
        if !memory.is_limited() {
            return 0;
        }
        let general = self.open.get(place).general();
        let kind = general.engine_of(slot).expect("chosen before").kind;
        memory.of_search(general.searched(slot), kind, Limits::default()).1
    }

    /// The engine for the record at the cursor, or the answer that needs none: its clues contradict each other, or
    /// no engine can do it; no answer in a run that failed, whose output ends before this record.
    ///
    /// An engine that holds many problems refutes a contradiction along with others, at less cost than looking for
    /// it; [`settle`](Self::settle) then asks for it where nothing was found.
    fn engine_or_clash(&mut self, place: usize, class: ProblemClass) -> Result<Selection, Option<Answer>> {
        let OpenJobs { engines, shared, failure, .. } = self;
        let selection = engines.select(&shared.options, class, |error| {
            failure.get_or_insert(error);
            shared.control.cancel();
        });
        if let Ok(selection) = selection
            && !selection.kind.info().is_timed()
        {
            return Ok(selection);
        }
        let (goal, options) = (self.goal, &self.shared.options);
        let open = self.open.get(place);
        let problem = open.general().searched(open.cursor);
        if let Some(clash) = problem.clash() {
            return Err(Some(contradicted(clash.into(), goal)));
        }
        let limits = Limits { memory: self.shared.memory.of_record(), ..options.limits() };
        let task = Task::whole(problem, goal, limits);
        let goes_on = self.failure.is_none();
        selection
            .map(|selection| selection.within(&task, options.preference))
            .map_err(|reason| goes_on.then(|| Answer::without_search(Status::Unsupported, reason)))
    }

    /// The next job, which [`next_engine`](Self::next_engine) has found in a general chunk.
    pub(crate) fn next_job(&mut self, kind: EngineKind) -> Option<Job<'_>> {
        if self.kind_put_off() == Some(kind)
            && let Some((ticket, record, _)) = self.put_off.pop_front()
        {
            self.begin(ticket, record, kind);
            return Some(self.job(ticket));
        }
        match self.current {
            None => self.next_trial(),
            Some(place) => {
                let ticket = self.issue(place, kind);
                Some(self.job(ticket))
            }
        }
    }

    /// The current chunk if it is plain, where no record was put off for this engine.
    pub(crate) fn current_plain(&self, kind: EngineKind) -> Option<usize> {
        if self.kind_put_off() == Some(kind) {
            return None;
        }
        self.current.filter(|&place| self.open.get(place).plain().is_some())
    }

    /// Reads the next records of a plain chunk, no more than `most`; the first one's ticket. `None` if the next one
    /// has no place there: the chunk is general now.
    pub(crate) fn read_series(&mut self, place: usize, most: usize) -> Option<Ticket> {
        let open = self.open.get_mut(place);
        let ChunkRecords::Plain(plain) = &mut open.records else { return None };
        let first = open.cursor;
        let read = plain.read(&open.chunk, first, &self.parser, most, &mut self.grids);
        if read == 0 {
            self.general(place);
            return None;
        }
        open.cursor += read;
        open.cursor_index += read as u64;
        open.pending += read;
        Some(Ticket { chunk: place, slot: first })
    }

    /// The records that were read last, as jobs.
    pub(crate) fn series(&self, first: Ticket) -> Series<'_> {
        let limits = self.short_limits.unwrap_or(self.options().limits());
        let plain = self.open.get(first.chunk).plain();
        let rules = plain.and_then(|plain| plain.rules.as_ref());
        Series { first_ticket: first.into(), grids: &self.grids, rules, goal: self.goal, limits }
    }

    /// The next search for a clue.
    pub(crate) fn next_trial(&mut self) -> Option<Job<'_>> {
        let (of, kind) = self.trials.next()?;
        let Ticket { chunk, slot } = of.into();
        let open = self.open.get(chunk);
        let (ticket, problem) = self.trials.issue(open.general().searched(slot));
        let limits = self.shared.options.limits();
        let (limits, _) = self.shared.memory.of_search(problem, kind, limits);
        Some(Job { ticket, problem, goal: Goal::First(1), limits })
    }

    /// The job of a record.
    pub(crate) fn job(&mut self, ticket: Ticket) -> Job<'_> {
        let general = self.open.get(ticket.chunk).general();
        let short = self.short_limits.filter(|_| general.slots[ticket.slot].is_short);
        let limits = short.unwrap_or(self.shared.options.limits());
        let problem = general.searched(ticket.slot);
        let kind = general.engine_of(ticket.slot).expect("chosen before the ticket was made").kind;
        let (limits, _) = self.shared.memory.of_search(problem, kind, limits);
        Job { ticket: ticket.into(), problem, goal: self.goal, limits }
    }

    /// Hands out the record at the cursor as a job.
    fn issue(&mut self, place: usize, kind: EngineKind) -> Ticket {
        let open = self.open.get_mut(place);
        let (slot, record) = (open.cursor, open.cursor_index);
        open.advance();
        open.pending += 1;
        let ticket = Ticket { chunk: place, slot };
        self.begin(ticket, record, kind);
        ticket
    }

    /// Notes that the first search for a record of this number begins.
    pub(crate) fn begin(&mut self, ticket: Ticket, record: u64, kind: EngineKind) {
        let now = kind.info().is_timed().then(Instant::now);
        let is_short = self.short_limits.is_some() && kind.info().make_counter().is_none();
        let open = self.open.get_mut(ticket.chunk);
        let state = &mut open.general_mut().slots[ticket.slot];
        state.is_short = is_short;
        if let Some(now) = now {
            state.timing = Timing::Since(now);
            self.shared.progress.searches(self.worker, record, now);
        }
    }

    /// The limits that are left of a hard record's, but for that on memory.
    pub(crate) fn hard_limits(&mut self, ticket: Ticket) -> Limits {
        let limits = self.options().limits();
        match self.general(ticket.chunk).slots[ticket.slot].timing {
            Timing::Since(started) => limits.after(started.elapsed()),
            Timing::None | Timing::Took(_) => limits,
        }
    }

    /// The engine that works on a hard record and the counter that may spare it the search, with its limits:
    /// the guard on nodes is the search's.
    pub(crate) fn counter(&mut self, ticket: Ticket) -> Option<(EngineKind, EngineKind, Limits)> {
        let limits = self.hard_limits(ticket);
        let is_asked = self.options().nodes_are_asked();
        let nodes = limits.nodes.filter(|_| is_asked);
        let limits = Limits { nodes, memory: self.shared.memory.of_record(), ..limits };
        let selection = self.general(ticket.chunk).engine_of(ticket.slot)?;
        Some((selection.counter(limits)?, selection.kind, limits))
    }

    /// The problem of a ticket and the engine that works on it.
    pub(crate) fn problem(&mut self, ticket: Ticket) -> (ProblemRef<'_>, EngineKind) {
        let general = self.general(ticket.chunk);
        let engine = general.engine_of(ticket.slot).expect("chosen before the ticket was made");
        (general.searched(ticket.slot), engine.kind)
    }

    /// Number of a ticket's record over the whole run.
    pub(crate) fn record_of(&mut self, ticket: Ticket) -> u64 {
        self.chunk(ticket.chunk).index_of(ticket.slot)
    }

    pub(crate) fn open_chunks(&self) -> usize {
        self.open.len()
    }

    /// Says that no record is searched by this worker.
    pub(crate) fn rests(&self) {
        self.shared.progress.searches(self.worker, 0, self.times.working_since);
    }

    /// Takes up a hard record of this number.
    pub(crate) fn take_up(&mut self, ticket: Ticket, record: u64) {
        self.general(ticket.chunk).slots[ticket.slot].resume_clock();
        self.shared.progress.searches(self.worker, record, Instant::now());
    }

    /// Leaves the time for which a record was held up out of its own.
    pub(crate) fn was_held_up(&mut self, ticket: Ticket, time: Duration) {
        if let Timing::Since(started) = &mut self.general(ticket.chunk).slots[ticket.slot].timing {
            *started += time;
        }
        self.times.was_held_up(time);
    }
}
