//! The open chunks of a worker, which pass their records to engines as jobs.
//!
//! A [`ChunkClient`](super::client) passes jobs to engines and reports the results. Some records need no
//! search: unreadable records, contradictory clues, wrong given solutions. These are answered at once. Each
//! of the other records becomes a job. The ticket of a job identifies the chunk and the record. When all
//! records of a chunk are answered, its rows are formatted and passed to the writer.
//!
//! The first search for a record is *short*: it has a limit on nodes ([`short_search`]). A record that
//! reaches this limit is hard, and the solutions found so far are discarded. When all other records of the
//! chunk are answered, the chunk returns to the queue. Any thread can then take the chunk and search the hard
//! record. Whether a record is hard depends only on the record, never on threads or chunks.
//!
//! This file accepts chunks and supplies jobs. `jobs/answers.rs` handles the reports of engines, and
//! `jobs/finish_chunks.rs` writes chunks. `jobs/chunks.rs` has the open chunks, `jobs/engines.rs` the
//! selected engines, and `jobs/times.rs` measures time.
//!
//! A record is *large* if the tables for its search need more memory than each thread has. Like a hard
//! record, a large record is set aside, but this happens before its short search. The short search follows
//! once enough memory is reserved, so the answer does not change.

mod answers;
mod chunks;
mod engines;
mod finish_chunks;
mod times;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::short_search;
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
    EngineKind, Job, JobBatch, NeedsFinder, PossibleFinder, Selection, Solver, Task, contradicted,
};
use quadrille_formats::input::{Body, Chunk, GivenSolution, Parser};
use quadrille_model::canonical::Canonizer;
use quadrille_model::{
    Answer, EndedBy, Error, Goal, Limits, Outcome, Packed9x9, ProblemClass, ProblemRef, Status,
};
pub(crate) use times::Times;

/// Worker number that the progress display ignores. It is for additional workers on a thread that is already
/// displayed.
pub(crate) const NOT_SHOWN: usize = usize::MAX;

pub(crate) struct OpenJobs {
    pub shared: Arc<Shared>,
    /// Number of this worker in the progress display.
    worker: usize,
    parser: Parser,
    open: OpenChunks,
    /// Index of the open chunk whose records are being passed to engines.
    current: Option<usize>,
    /// Postponed records, which need another engine than the one that is running. Each entry has the ticket,
    /// the record number and the required engine.
    put_off: VecDeque<(Ticket, u64, EngineKind)>,
    /// Records with one solution for which searches still test whether each clue is needed.
    trials: Trials,
    goal: Goal,
    /// Limits of the short search. `None` if the first search of a record has no special limits.
    short_limits: Option<Limits>,
    tools: RowTools,
    /// Computes ratings.
    raters: Raters,
    /// Finds the digits that occur in at least one solution.
    possible: PossibleFinder,
    /// Finds clues that are not needed.
    needs: NeedsFinder,
    engines: Engines,
    /// Grids of the last batch.
    grids: Vec<Packed9x9>,
    /// Job that found the last listed solution, and the total size in bytes of the solutions that this job
    /// has found so far.
    listed: (u64, u64),
    pub times: Times,
    /// Error that stops the whole run.
    pub failure: Option<Error>,
    /// True while an engine calls code of the worker. A panic during this time is not blamed on the engine.
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
            possible: PossibleFinder::new(options.preference),
            needs: NeedsFinder::new(options.preference, options.limits()),
            short_limits: short_search::limits(options, shared.memory.threads()),
            tools: RowTools {
                auditor: Solver::new(options.preference),
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

    /// Parses a chunk and adds it to the open chunks.
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

    /// Adds a chunk from the queue whose hard records must be searched. Returns the index of the chunk.
    pub(crate) fn adopt(&mut self, chunk: ChunkState) -> usize {
        self.times.working_since = Instant::now();
        self.open.put(chunk)
    }

    /// Parses a chunk into records, without any search.
    fn parse(&mut self, chunk: &mut Chunk) -> ChunkRecords {
        if let Some((selection, form)) = self.engines.plain(&self.shared, &chunk.layout) {
            let new = || Box::new(ColumnChunk::new(self.goal, selection));
            let mut plain = self.open.spare_plain.pop().unwrap_or_else(new);
            if plain.start(chunk, &self.parser, form)
                && let Some(selection) = self.engines.for_rules(self.options(), plain.rules.as_ref())
            {
                plain.selection = selection;
                return ChunkRecords::Columns(plain);
            }
            self.open.recycle(ChunkRecords::Columns(plain));
        }
        let mut general = self.open.spare_general.pop().unwrap_or_default();
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

    /// Returns the chunk at index `place` as a record chunk, which has one slot per record. If it is a column
    /// chunk, converts it first.
    fn general(&mut self, place: usize) -> &mut RecordChunk {
        if self.open.get(place).plain().is_some() {
            let mut general = self.open.spare_general.pop().unwrap_or_default();
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

    /// Returns the engine for the next job, or `None` if there are no more jobs.
    ///
    /// `at_work` is the engine that is running, if any. Jobs are chosen in this order:
    /// - a postponed record, but only if no engine is running or if the record needs the running engine;
    /// - the records of the current chunk;
    /// - the searches that test clues.
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

    /// Returns the engine for the first postponed record, or `None` if there is none.
    fn kind_put_off(&self) -> Option<EngineKind> {
        self.put_off.front().map(|&(_, _, kind)| kind)
    }

    /// Postpones the current record, which needs the engine `kind`. Returns false if there is no current
    /// record.
    ///
    /// The record waits until the running engine accepts no more records or there are no more records for it.
    /// If grids of two kinds alternate, this keeps both engines busy.
    pub(crate) fn put_off(&mut self, kind: EngineKind) -> bool {
        let Some(chunk) = self.current else { return false };
        let (slot, record) = self.chunk(chunk).pass();
        self.put_off.push_back((Ticket { chunk, slot }, record, kind));
        true
    }

    /// Returns the engine that the current record needs now, or `None` if it needs none.
    ///
    /// A record needs no engine now if it is skipped, if it was answered without a search, or if it is set
    /// aside because its search needs much memory.
    fn examine(&mut self, place: usize) -> Option<EngineKind> {
        let open = self.open.get_mut(place);
        let slot = open.cursor;
        let general = match &mut open.records {
            ChunkRecords::Columns(plain) => return Some(plain.selection.kind),
            ChunkRecords::Records(general) => general,
        };
        if let Some(selection) = general.slots[slot].engine {
            return Some(selection.kind);
        }
        let record = general.record(slot);
        let answer = match &record.body {
            Body::Skipped => return None,
            Body::Invalid(reason) => Answer::without_search(Status::Invalid, (**reason).clone()),
            Body::Unsupported(reason) => Answer::without_search(Status::Unsupported, (**reason).clone()),
            Body::Unread(EndedBy::Time) => Answer::from_outcome(Outcome::nothing(EndedBy::Time), self.goal),
            // The run was stopped before this record was read.
            Body::Unread(_) => return None,
            _ if !self.shared.options.ask.is_searched() => Answer::read(),
            _ => {
                let problem = general.searched(slot);
                let is_check = matches!(self.shared.options.ask, Query::Check { .. });
                let wrong = is_check
                    .then(|| check::check_given_solution(problem, record, &general.records, None))
                    .flatten();
                // A given solution that is readable will be compared with the solution that the search finds.
                let is_known = wrong.is_some() && !matches!(record.given, GivenSolution::Digits(_));
                let class = problem.class();
                match self.engine_or_clash(place, class) {
                    Err(answer) => wrong.or(answer)?,
                    Ok(_) if is_known => wrong?,
                    Ok(selection) => {
                        self.general(place).slots[slot].engine = Some(selection);
                        return if self.asks_for_memory(place, slot) { None } else { Some(selection.kind) };
                    }
                }
            }
        };
        self.general(place).slots[slot].answer = Some(answer);
        None
    }

    /// Sets the current record aside if it is large, which means that its search must reserve memory. Returns
    /// true in this case.
    fn asks_for_memory(&mut self, place: usize, slot: usize) -> bool {
        let is_large = self.bytes_of(place, slot) > 0;
        if is_large {
            let open = self.chunk(place);
            open.hard.insert(slot, None);
            open.pending += 1;
        }
        is_large
    }

    /// Returns the number of bytes that the search for a record must reserve. Returns 0 if the record is not
    /// large.
    fn bytes_of(&self, place: usize, slot: usize) -> u64 {
        let (problem, kind) = self.open.get(place).general().job(slot);
        self.shared.memory.of_search(problem, kind, Limits::default()).1
    }

    /// Returns the engine for the current record.
    ///
    /// # Errors
    /// Returns the answer of the record if its clues contradict each other, or if no engine supports the
    /// record. In a failed run, returns `None` instead of an answer for an unsupported record, because the
    /// output ends before this record.
    ///
    /// An engine that works on many problems at once refutes contradictory clues at less cost than a check
    /// here. For such an engine, [`settle`](Self::settle) checks the clues if no solution was found.
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

    /// Returns the next job for the engine `kind`, or `None`. [`next_engine`](Self::next_engine) must have
    /// found a job in a record chunk.
    pub(crate) fn next_job(&mut self, kind: EngineKind) -> Option<Job<'_>> {
        let (ticket, record) = if self.kind_put_off() == Some(kind)
            && let Some((ticket, record, _)) = self.put_off.pop_front()
        {
            (ticket, record)
        } else {
            let Some(chunk) = self.current else { return self.next_trial() };
            let (slot, record) = self.chunk(chunk).pass();
            (Ticket { chunk, slot }, record)
        };
        self.begin(ticket, record, kind);
        Some(self.job(ticket))
    }

    /// Returns the index of the current chunk if it is a column chunk, or `None` if it is not.
    ///
    /// Also returns `None` if a postponed record needs the engine `kind`, because that record comes first.
    pub(crate) fn current_plain(&self, kind: EngineKind) -> Option<usize> {
        if self.kind_put_off() == Some(kind) {
            return None;
        }
        self.current.filter(|&place| self.open.get(place).plain().is_some())
    }

    /// Reads at most `most` further records of a column chunk. Returns the ticket of the first record read.
    ///
    /// If columns cannot hold the next record, converts the chunk to a record chunk and returns `None`.
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

    /// Returns jobs for the records that were read last, as one batch.
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
        let (problem, kind) = general.job(ticket.slot);
        let (limits, _) = self.shared.memory.of_search(problem, kind, limits);
        Job { ticket: ticket.into(), problem, goal: self.goal, limits }
    }

    /// Notes that the first search for the record with number `record` begins, and starts its clock.
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

    /// Returns what remains of the limits for a hard record after the time spent so far. The memory limit is
    /// not included.
    pub(crate) fn hard_limits(&mut self, ticket: Ticket) -> Limits {
        let limits = self.options().limits();
        let general = self.general(ticket.chunk);
        let limits = limits.after(general.reading);
        match general.slots[ticket.slot].timing {
            Timing::Since(started) => limits.after(started.elapsed()),
            Timing::None | Timing::Took(_) => limits,
        }
    }

    /// Returns the counter engine that may answer a hard record, the engine for its search, and the limits of
    /// the counter.
    ///
    /// Returns `None` if there is no suitable counter. A counter has a node limit only if the user set one,
    /// because the default node limit is meant for searches.
    pub(crate) fn counter(&mut self, ticket: Ticket) -> Option<(EngineKind, EngineKind, Limits)> {
        let limits = self.hard_limits(ticket);
        let is_asked = self.options().nodes_are_asked();
        let nodes = limits.nodes.filter(|_| is_asked);
        let limits = Limits { nodes, memory: self.shared.memory.of_record(), ..limits };
        let selection = self.general(ticket.chunk).slots[ticket.slot].engine?;
        Some((selection.counter(limits)?, selection.kind, limits))
    }

    /// Returns the problem that belongs to a ticket and the engine for it.
    pub(crate) fn problem(&mut self, ticket: Ticket) -> (ProblemRef<'_>, EngineKind) {
        self.general(ticket.chunk).job(ticket.slot)
    }

    /// Returns the number of the record that belongs to a ticket. If the input is a shard of a corpus, the
    /// records of earlier shards are counted too.
    pub(crate) fn record_of(&mut self, ticket: Ticket) -> u64 {
        self.chunk(ticket.chunk).index_of(ticket.slot)
    }

    pub(crate) fn open_chunks(&self) -> usize {
        self.open.len()
    }

    /// Tells the progress display that this worker is not searching.
    pub(crate) fn mark_idle(&self) {
        self.shared.progress.searches(self.worker, 0, self.times.working_since);
    }

    /// Restarts the clock of the hard record with number `record`, because its search begins.
    pub(crate) fn take_up(&mut self, ticket: Ticket, record: u64) {
        self.general(ticket.chunk).slots[ticket.slot].resume_clock();
        self.shared.progress.searches(self.worker, record, Instant::now());
    }

    /// Subtracts `time` from the measured time of a record and of its chunk, because the search was
    /// interrupted during that time.
    pub(crate) fn was_held_up(&mut self, ticket: Ticket, time: Duration) {
        if let Timing::Since(started) = &mut self.general(ticket.chunk).slots[ticket.slot].timing {
            *started += time;
        }
        self.times.was_held_up(time);
    }
}
