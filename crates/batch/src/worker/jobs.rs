//! The chunks that a worker has open, as jobs for engines.
//!
//! A [`ChunkClient`](super::client) gives the jobs to engines and passes their reports back. Records that need no
//! search (unreadable ones, contradictory clues, wrong given solutions) are answered on the way. The others become
//! jobs, whose ticket names chunk and record. When all records of a chunk are answered, it is written and handed to the
//! writer.
//!
//! Every search starts *short*, with a limit on nodes ([`short_search`]). A record that reaches the limit is hard: its
//! solutions so far are dropped. When all other records of its chunk are answered, the chunk returns to the queue with
//! the hard record, for any thread to take. Which records are hard depends on them alone, never on threads or chunks.
//!
//! This file takes chunks in and gives jobs out; `jobs/answers.rs` takes the reports of engines, and `jobs/finish_chunks.rs`
//! writes chunks. `jobs/chunks.rs` holds the open chunks, `jobs/engines.rs` the selected engines, and `jobs/times.rs`
//! measures time.
//!
//! A *large* record has tables that need more than a thread's share of the run's memory. It is set aside like a hard
//! one, but before its short search. That search is done later, once the memory is reserved, so the answer is the same.

mod answers;
mod chunks;
mod engines;
mod finish_chunks;
mod times;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::short_search;
use crate::chunk::audit::Auditor;
use crate::chunk::check;
use crate::chunk::columns::ColumnChunk;
use crate::chunk::minimal::Trials;
use crate::chunk::ratings::Raters;
use crate::chunk::records::{RecordChunk, Timing};
use crate::chunk::rows::RowTools;
use crate::chunk::state::{ChunkRecords, ChunkState, Ticket};
use crate::options::{BatchOptions, Query};
use crate::shared::Shared;
use crate::stats::{Drawn, nanoseconds_since};
use chunks::OpenChunks;
use engines::Engines;
use quadrille_engine::{
    EngineKind, Job, JobBatch, NeedsFinder, PossibleFinder, Selection, Task, contradicted,
};
use quadrille_formats::input::{Body, Chunk, GivenSolution, Parser};
use quadrille_model::canonical::Canonizer;
use quadrille_model::{
    Answer, EndedBy, Error, Goal, Limits, Outcome, Packed9x9, ProblemClass, ProblemRef, Status,
};
pub(crate) use times::Times;

/// Number of a worker that the progress display does not show, because its thread is shown as another worker.
pub(crate) const NOT_SHOWN: usize = usize::MAX;

pub(crate) struct OpenJobs {
    pub shared: Arc<Shared>,
    /// Number of the worker in the progress display.
    worker: usize,
    parser: Parser,
    open: OpenChunks,
    /// Place of the chunk whose records are being handed out.
    current: Option<usize>,
    /// Records that wait for another engine than the one at work: ticket, number, and their engine.
    put_off: VecDeque<(Ticket, u64, EngineKind)>,
    /// Unique records whose clues are being tried.
    trials: Trials,
    goal: Goal,
    /// Limits of the first, short search; `None` if the first search is the only one.
    short_limits: Option<Limits>,
    tools: RowTools,
    /// Computes ratings.
    raters: Raters,
    /// Finds digits that occur in some solution, once a record needs it.
    possible: Option<PossibleFinder>,
    /// Finds clues that can go, once a record needs it.
    needs: Option<NeedsFinder>,
    engines: Engines,
    /// Grids of the last batch.
    grids: Vec<Packed9x9>,
    /// Job that found the last solution, and the bytes of all its solutions so far.
    listed: (u64, u64),
    pub times: Times,
    /// Error that ends the whole run.
    pub failure: Option<Error>,
    /// True while an engine calls the worker: a panic is then not attributed to the engine.
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
            raters: Raters::new(shared, worker),
            possible: None,
            needs: None,
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

    /// Takes in a chunk and parses it.
    pub(crate) fn take_in(&mut self, mut chunk: Chunk) {
        let begin = Instant::now();
        if let Some(first) = self.shared.feed.first_layout() {
            self.shared.formatter.learn(&first);
        }
        let records = self.parse(&mut chunk);
        let output = self.shared.empty_output();
        let mut open = ChunkState::new(chunk, records, output, self.options().index_offset);
        open.output.notices.append(&mut open.chunk.warnings);
        if let ChunkRecords::Records(general) = &mut open.records {
            open.output.notices.append(&mut general.records.warnings);
        }
        self.times.phases.parsing_ns += nanoseconds_since(begin);
        self.current = Some(self.open.put(open));
    }

    /// Takes in a chunk whose hard records will be searched. Returns its place.
    pub(crate) fn adopt(&mut self, chunk: ChunkState) -> usize {
        self.times.working_since = Instant::now();
        self.open.put(chunk)
    }

    /// Parses a chunk into records, without any search.
    fn parse(&mut self, chunk: &mut Chunk) -> ChunkRecords {
        if let Some((selection, form)) = self.engines.plain(&self.shared, &chunk.layout) {
            let new = || Box::new(ColumnChunk::new(self.goal, selection));
            let mut plain = self.open.spare_plain().unwrap_or_else(new);
            if plain.start(chunk, &self.parser, form)
                && let Some(selection) = self.engines.for_rules(self.options(), plain.rules.as_ref())
            {
                plain.selection = selection;
                return ChunkRecords::Columns(plain);
            }
            self.open.recycle(ChunkRecords::Columns(plain));
        }
        let mut general = self.open.spare_general();
        let began = Instant::now();
        let (control, ask) = (&self.shared.control, &self.shared.options.ask);
        let is_cover = chunk.layout.format.is_cover();
        let limit = self.options().time_limit.filter(|_| is_cover && ask.is_searched());
        let time = || limit.filter(|&limit| began.elapsed() >= limit).map(|_| EndedBy::Time);
        self.parser.parse_until(chunk, &mut general.records, &|| control.stop().or_else(time));
        general.start(chunk.first_record + self.options().index_offset);
        if is_cover {
            general.reading = began.elapsed();
        }
        ChunkRecords::Records(general)
    }

    /// Returns a chunk in general form, with one slot per record, converting it if it was plain.
    fn general(&mut self, place: usize) -> &mut RecordChunk {
        if self.open.get(place).plain().is_some() {
            let mut general = self.open.spare_general();
            let open = self.open.get_mut(place);
            self.parser.parse(&open.chunk, &mut general.records);
            general.start(open.first_index);
            if let ChunkRecords::Columns(plain) = &open.records {
                plain.hand_on(&mut general, open.cursor, self.short_limits.is_some());
            }
            let records = std::mem::replace(&mut open.records, ChunkRecords::Records(general));
            self.open.recycle(records);
        }
        self.open.get_mut(place).general_mut()
    }

    /// Returns the engine that the next job needs, or `None` if there are no more jobs.
    ///
    /// Records that were put off come first, if no engine is at work or theirs is `at_work`. Then come the records of
    /// the current chunk, then the clues of unique records.
    pub(crate) fn next_engine(&mut self, at_work: Option<EngineKind>) -> Option<EngineKind> {
        if let Some(kind) = self.kind_put_off().filter(|kind| at_work.is_none_or(|at_work| at_work == *kind))
        {
            return Some(kind);
        }
        if let Some(place) = self.current {
            while self.chunk(place).cursor < self.chunk(place).len() {
                if let Some(kind) = self.examine(place) {
                    return Some(kind);
                }
                self.chunk(place).advance();
            }
            self.current = None;
            self.close_if_done(place);
        }
        self.trials.next().map(|(_, kind)| kind)
    }

    /// Returns the engine of the first record that was put off, or `None`.
    fn kind_put_off(&self) -> Option<EngineKind> {
        self.put_off.front().map(|&(_, _, kind)| kind)
    }

    /// Puts off the record at the cursor, which needs engine `kind`. Returns false if there is no record.
    ///
    /// The record waits until the engine at work is full or gets no more records. So if grids of two kinds alternate,
    /// neither engine runs dry.
    pub(crate) fn put_off(&mut self, kind: EngineKind) -> bool {
        let Some(place) = self.current else { return false };
        let open = self.chunk(place);
        let (slot, record) = (open.cursor, open.cursor_index);
        open.advance();
        open.pending += 1;
        self.put_off.push_back((Ticket { chunk: place, slot }, record, kind));
        true
    }

    /// Returns the engine that the record at the cursor needs, or `None` once the record is dealt with.
    ///
    /// A record is dealt with if it was skipped, answered without a search, or set aside because it is large.
    fn examine(&mut self, place: usize) -> Option<EngineKind> {
        let open = self.open.get_mut(place);
        let slot = open.cursor;
        let general = match &mut open.records {
            ChunkRecords::Columns(plain) => return Some(plain.selection.kind),
            ChunkRecords::Records(general) => general,
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
            Body::Unread(EndedBy::Time) => Answer::from_outcome(Outcome::nothing(EndedBy::Time), self.goal),
            // The run ends before this record.
            Body::Unread(_) => return None,
            _ if !self.shared.options.ask.is_searched() => Answer::read(),
            _ => {
                let problem = general.searched(slot);
                let is_check = matches!(self.shared.options.ask, Query::Check { .. });
                let wrong = is_check
                    .then(|| check::check_given_solution(problem, record, &general.records, None))
                    .flatten();
                // The search finds the solution that a readable one is compared with.
                let is_known = wrong.is_some() && !matches!(record.given, GivenSolution::Digits(_));
                let class = problem.class();
                match self.engine_or_clash(place, class) {
                    Err(answer) => wrong.or(answer)?,
                    Ok(_) if is_known => wrong?,
                    Ok(selection) => {
                        self.general(place).set_engine(slot, selection);
                        return if self.asks_for_memory(place, slot) { None } else { Some(selection.kind) };
                    }
                }
            }
        };
        self.general(place).slots[slot].answer = Some(answer);
        None
    }

    /// Returns true if the record at the cursor is large, after setting it aside.
    fn asks_for_memory(&mut self, place: usize, slot: usize) -> bool {
        let is_large = self.bytes_of(place, slot) > 0;
        if is_large {
            let open = self.chunk(place);
            open.hard.insert(slot, None);
            open.pending += 1;
        }
        is_large
    }

    /// Returns the number of bytes that the search for a record must reserve; 0 if the record is not large.
    fn bytes_of(&self, place: usize, slot: usize) -> u64 {
        let memory = &self.shared.memory;
        if !memory.is_limited() {
            return 0;
        }
        let general = self.open.get(place).general();
        let kind = general.engine_of(slot).expect("the engine is chosen before memory is reserved").kind;
        memory.of_search(general.searched(slot), kind, Limits::default()).1
    }

    /// Returns the engine for the record at the cursor.
    ///
    /// # Errors
    /// Returns the answer if the record needs no engine: its clues contradict each other, or no engine supports it. In
    /// a failed run the output ends before this record, and the answer is `None`.
    ///
    /// An engine that holds many problems refutes a contradiction along with the others, at less cost than a check
    /// here; [`settle`](Self::settle) checks for it if no solution was found.
    fn engine_or_clash(&mut self, place: usize, class: ProblemClass) -> Result<Selection, Option<Answer>> {
        let OpenJobs { engines, shared, failure, .. } = self;
        let selection = engines.select(&shared.options, class, |error| {
            failure.get_or_insert(error);
            shared.fail();
        });
        if let Ok(selection) = selection
            && !selection.kind.info().is_timed()
        {
            return Ok(selection);
        }
        let (goal, options) = (self.goal, &self.shared.options);
        let open = self.open.get(place);
        let general = open.general();
        let problem = general.searched(open.cursor);
        if let Some(clash) = problem.clash() {
            return Err(Some(contradicted(clash.into(), goal)));
        }
        let limits = options.limits().after(general.reading);
        let limits = Limits { memory: self.shared.memory.of_record(), ..limits };
        let task = Task::whole(problem, goal, limits);
        let continues = self.failure.is_none();
        selection
            .map(|selection| selection.within(&task, options.preference))
            .map_err(|reason| continues.then(|| Answer::without_search(Status::Unsupported, reason)))
    }

    /// Returns the next job, which [`next_engine`](Self::next_engine) found in a record chunk.
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

    /// Returns the place of the current chunk, or `None` if it is not plain.
    ///
    /// Also returns `None` if a record was put off for engine `kind`, since that comes first.
    pub(crate) fn current_plain(&self, kind: EngineKind) -> Option<usize> {
        if self.kind_put_off() == Some(kind) {
            return None;
        }
        self.current.filter(|&place| self.open.get(place).plain().is_some())
    }

    /// Reads up to `most` next records of a column chunk. Returns the ticket of the first.
    ///
    /// Returns `None` if the next record does not fit the plain form; the chunk is then general.
    pub(crate) fn read_series(&mut self, place: usize, most: usize) -> Option<Ticket> {
        let open = self.open.get_mut(place);
        let ChunkRecords::Columns(plain) = &mut open.records else { return None };
        let first = open.cursor;
        let read = plain.read(&open.chunk, first..first + most, &self.parser, &mut self.grids);
        if read == 0 {
            self.general(place);
            return None;
        }
        open.cursor += read;
        open.cursor_index += read as u64;
        open.pending += read;
        Some(Ticket { chunk: place, slot: first })
    }

    /// Returns the records that were read last, as jobs.
    pub(crate) fn series(&self, first: Ticket) -> JobBatch<'_> {
        let limits = self.short_limits.unwrap_or(self.options().limits());
        let plain = self.open.get(first.chunk).plain();
        let rules = plain.and_then(|plain| plain.rules.as_ref());
        JobBatch { first_ticket: first.into(), grids: &self.grids, rules, goal: self.goal, limits }
    }

    /// Returns the next search that tests a clue, or `None` if there is none.
    pub(crate) fn next_trial(&mut self) -> Option<Job<'_>> {
        let (of, kind) = self.trials.next()?;
        let Ticket { chunk, slot } = of.into();
        let open = self.open.get(chunk);
        let (ticket, problem) = self.trials.issue(open.general().searched(slot));
        let limits = self.shared.options.limits();
        let (limits, _) = self.shared.memory.of_search(problem, kind, limits);
        Some(Job { ticket, problem, goal: Goal::First(1), limits })
    }

    /// Returns the job of a record.
    pub(crate) fn job(&mut self, ticket: Ticket) -> Job<'_> {
        let general = self.open.get(ticket.chunk).general();
        let short = self.short_limits.filter(|_| general.slots[ticket.slot].is_short);
        let limits = short.unwrap_or(self.shared.options.limits()).after(general.reading);
        let problem = general.searched(ticket.slot);
        let kind =
            general.engine_of(ticket.slot).expect("the engine is chosen before the ticket is made").kind;
        let (limits, _) = self.shared.memory.of_search(problem, kind, limits);
        Job { ticket: ticket.into(), problem, goal: self.goal, limits }
    }

    /// Hands out the record at the cursor as a job and returns its ticket.
    fn issue(&mut self, place: usize, kind: EngineKind) -> Ticket {
        let open = self.open.get_mut(place);
        let (slot, record) = (open.cursor, open.cursor_index);
        open.advance();
        open.pending += 1;
        let ticket = Ticket { chunk: place, slot };
        self.begin(ticket, record, kind);
        ticket
    }

    /// Notes that the first search for record `record` begins.
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

    /// Returns the remaining limits of a hard record, without the limit on memory.
    pub(crate) fn hard_limits(&mut self, ticket: Ticket) -> Limits {
        let limits = self.options().limits();
        let general = self.general(ticket.chunk);
        let limits = limits.after(general.reading);
        match general.slots[ticket.slot].timing {
            Timing::Since(started) => limits.after(started.elapsed()),
            Timing::None | Timing::Took(_) => limits,
        }
    }

    /// Returns the counter that may answer a hard record without a search, the search engine, and the counter's limits.
    ///
    /// The counter obeys a limit on nodes only if the user asked for one; the default limit is meant for searches.
    pub(crate) fn counter(&mut self, ticket: Ticket) -> Option<(EngineKind, EngineKind, Limits)> {
        let limits = self.hard_limits(ticket);
        let is_asked = self.options().nodes_are_asked();
        let nodes = limits.nodes.filter(|_| is_asked);
        let limits = Limits { nodes, memory: self.shared.memory.of_record(), ..limits };
        let selection = self.general(ticket.chunk).engine_of(ticket.slot)?;
        Some((selection.counter(limits)?, selection.kind, limits))
    }

    /// Returns the problem of a ticket and the engine that works on it.
    pub(crate) fn problem(&mut self, ticket: Ticket) -> (ProblemRef<'_>, EngineKind) {
        let general = self.general(ticket.chunk);
        let engine = general.engine_of(ticket.slot).expect("the engine is chosen before the ticket is made");
        (general.searched(ticket.slot), engine.kind)
    }

    /// Returns the number of a ticket's record over the whole run.
    pub(crate) fn record_of(&mut self, ticket: Ticket) -> u64 {
        self.chunk(ticket.chunk).index_of(ticket.slot)
    }

    pub(crate) fn open_chunks(&self) -> usize {
        self.open.len()
    }

    /// Notes for the progress display that this worker searches no record.
    pub(crate) fn mark_idle(&self) {
        self.shared.progress.searches(self.worker, 0, self.times.working_since);
    }

    /// Resumes work on hard record `record`.
    pub(crate) fn take_up(&mut self, ticket: Ticket, record: u64) {
        self.general(ticket.chunk).slots[ticket.slot].resume_clock();
        self.shared.progress.searches(self.worker, record, Instant::now());
    }

    /// Subtracts `time`, for which a record was held up, from the times of the record and its chunk.
    pub(crate) fn was_held_up(&mut self, ticket: Ticket, time: Duration) {
        if let Timing::Since(started) = &mut self.general(ticket.chunk).slots[ticket.slot].timing {
            *started += time;
        }
        self.times.was_held_up(time);
    }
}
