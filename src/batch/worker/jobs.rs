//! A worker's jobs: the chunks it has open, and its side of the conversation with engines.
//!
//! The jobs is the [client](super::session) of every engine its worker runs. Records that need no search (unreadable ones,
//! clashing clues, given solutions that are wrong) are answered on the way; the others become jobs, whose ticket
//! says chunk and record. A chunk whose records are all answered is written up and handed to the window.
//!
//! Every search starts *short*: with a limit on nodes ([`probe`]). A record that reaches it is set aside, its
//! solutions so far are forgotten, and the worker asks a counter or runs it again on the split path, where other threads
//! help.
//! Whether that happens depends on the record alone, never on threads or chunks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::batch::chunk::check;
use crate::batch::chunk::minimal::Trials;
use crate::batch::chunk::plain::{self, PlainChunk};
use crate::batch::chunk::rows::{self, Unfinished};
use crate::batch::chunk::state::{ChunkState, NO_ENGINE, NOBODY, NONE, Timing};
use crate::batch::options::{Ask, BatchOptions};
use crate::batch::run::Shared;
use crate::batch::worker::short_search;
use crate::engine::{
    Choice, Control, EngineKind, Flow, Job, Selection, Series, Solved, Solver, contradicted, select,
};
use crate::input::{Body, Chunk, Given, Parser};
use crate::model::{
    Answer, Count, EndedBy, Goal, Limits, Outcome, Packed, ProblemClass, ProblemRef, Reason, Solution, Status,
};
use crate::output::PlainOutput;
use crate::stats::Phases;

/// Characters of a puzzle that a message shows: a whole line of a 36x36.
const SHOWN_OF_PUZZLE: usize = 1296;
/// Formatted solutions of one record are handed on in pieces of so many bytes.
const STREAM_BYTES: usize = 1 << 20;

pub(crate) struct OpenJobs<'r> {
    pub shared: &'r Shared<'r>,
    worker: usize,
    parser: Parser,
    /// Chunks in work; free places are `None`.
    open: Vec<Option<Box<ChunkState>>>,
    /// Finished chunks whose memory waits to be used again.
    #[expect(
        clippy::vec_box,
        reason = "they move between this list and the open places: a pointer, not their bytes"
    )]
    spare: Vec<Box<ChunkState>>,
    /// The chunk whose records are being handed out.
    current: Option<usize>,
    /// Jobs that engines hold.
    pub in_flight: usize,
    /// Records to be split, in the order they were set aside.
    hard: Vec<Hard>,
    /// Unique records whose clues are tried.
    trials: Trials,
    goal: Goal,
    /// The limits of a first, short search; `None` where the whole search is no longer than that, or where it must
    /// not be split.
    probe: Option<Limits>,
    /// Answers single problems on the side, for audits.
    pub solver: Solver,
    selection: Option<(ProblemClass, Result<Selection, Reason>)>,
    /// The engine for plain 9x9 where it holds many of them and no given solution has to be looked at first.
    plain: Option<Selection>,
    /// An engine that holds many of them, and what is written of its answers, where these can be kept in columns.
    columns: Option<(Selection, PlainOutput)>,
    /// Those of the last series.
    grids: Vec<Packed>,
    pub phases: Phases,
    /// Since when the worker works on what it will close next; moved on while it waits.
    pub working_since: Instant,
    /// What went wrong with the whole run.
    pub failure: Option<crate::error::Error>,
    /// An engine has called and waits for the jobs: a panic now is not the engine's.
    pub is_called: bool,
}

/// A record that was set aside.
pub(crate) struct Hard {
    pub ticket: u64,
    /// Solutions that its probe met.
    pub known: Count,
}

/// What the record at the cursor needs.
enum Needs {
    Nothing,
    Engine(EngineKind),
}

impl<'r> OpenJobs<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, worker: usize) -> Self {
        OpenJobs {
            shared,
            worker,
            parser: Parser::new(&shared.options.input),
            open: Vec::new(),
            spare: Vec::new(),
            current: None,
            in_flight: 0,
            hard: Vec::new(),
            trials: Trials::new(),
            goal: shared.options.ask.goal(),
            probe: short_search::limits(shared.options, shared.workers),
            solver: Solver::new(shared.options.preference),
            selection: None,
            plain: plain_selection(shared.options)
                .filter(|_| !matches!(shared.options.ask, Ask::Check { .. })),
            columns: plain_selection(shared.options)
                .zip(PlainChunk::shown(shared.options, shared.formatter.as_ref())),
            grids: Vec::new(),
            phases: Phases::default(),
            working_since: Instant::now(),
            failure: None,
            is_called: false,
        }
    }

    fn options(&self) -> &'r BatchOptions {
        self.shared.options
    }

    /// The chunk and the slot of a ticket.
    fn place(ticket: u64) -> (usize, usize) {
        ((ticket >> 32) as usize, (ticket & u64::from(u32::MAX)) as usize)
    }

    pub(crate) fn chunk(&mut self, place: usize) -> &mut ChunkState {
        self.open[place].as_mut().expect("tickets are for open chunks")
    }

    /// Takes a chunk in and parses it.
    pub(crate) fn take_in(&mut self, chunk: Chunk) {
        let mut open = self.spare.pop().unwrap_or_else(|| Box::new(ChunkState::new(self.shared.new_pages())));
        let begin = Instant::now();
        let used = std::mem::replace(&mut open.chunk, chunk);
        self.shared.feed.recycle(used);
        let ChunkState { chunk, columns, .. } = &mut *open;
        if self.columns.is_some_and(|(_, shown)| columns.start(chunk, &self.parser, shown)) {
            open.records.clear();
        } else {
            self.parser.parse(&open.chunk, &mut open.records);
        }
        open.start(self.options().index_offset);
        open.pages.source = Arc::clone(&open.chunk.source);
        open.pages.notices.append(&mut open.chunk.warnings);
        open.pages.notices.append(&mut open.records.warnings);
        self.phases.parsing_ns += nanoseconds_since(begin);
        let place = self.open.iter().position(Option::is_none).unwrap_or_else(|| {
            self.open.push(None);
            self.open.len() - 1
        });
        self.open[place] = Some(open);
        self.current = Some(place);
    }

    /// The engine that the next job is for; `None` when this chunk and those before it have no more jobs to give.
    /// The records of a chunk come first, then the clues of those that are unique.
    pub(crate) fn next_engine(&mut self) -> Option<EngineKind> {
        if let Some(place) = self.current {
            while self.chunk(place).cursor < self.chunk(place).len() {
                if let Needs::Engine(kind) = self.look_at(place) {
                    return Some(kind);
                }
                self.chunk(place).advance();
            }
            self.current = None;
            self.close_if_done(place);
        }
        self.trials.next().map(|(_, kind)| kind)
    }

    /// The next record to be split, if no engine holds a job: rows of one chunk are then written in order. Where they are
    /// not, it comes behind the others.
    pub(crate) fn next_hard(&mut self) -> Option<Hard> {
        let others_come_first =
            !self.options().ordered && (self.current.is_some() || self.trials.next().is_some());
        if self.in_flight > 0 || self.hard.is_empty() || others_come_first {
            None
        } else {
            Some(self.hard.remove(0))
        }
    }

    /// Looks at the record at the cursor: answers it or says which engine it needs.
    fn look_at(&mut self, place: usize) -> Needs {
        let open = self.open[place].as_mut().expect("the current chunk is open");
        if let (true, Some((selection, _))) = (open.columns.in_use, self.columns) {
            return Needs::Engine(selection.kind);
        }
        let index = open.cursor;
        if let Some(selection) = open.engine_of(index) {
            return Needs::Engine(selection.kind);
        }
        let record = &open.records.list[index];
        if let (Body::Packed(_), Some(selection)) = (&record.body, self.plain) {
            open.set_engine(index, selection);
            return Needs::Engine(selection.kind);
        }
        let answer = match &record.body {
            Body::Skipped => return Needs::Nothing,
            Body::Invalid(reason) => Answer::without_search(Status::Invalid, (**reason).clone()),
            _ => {
                let problem = open.records.problem(record).expect("the other bodies are problems");
                let given = matches!(self.shared.options.ask, Ask::Check { .. });
                let class = problem.class();
                if let Some(wrong) = given.then(|| check::wrong(problem, record, &open.records)).flatten() {
                    wrong
                } else {
                    match self.engine_or_clash(place, class) {
                        Ok(selection) => {
                            self.chunk(place).set_engine(index, selection);
                            return Needs::Engine(selection.kind);
                        }
                        Err(Some(answer)) => answer,
                        Err(None) => return Needs::Nothing,
                    }
                }
            }
        };
        self.chunk(place).slots[index].answer = Some(answer);
        Needs::Nothing
    }

    /// The engine for the record at the cursor, or the answer that needs none: its clues contradict each other, or
    /// no engine can do it; no answer in a run that failed, whose output ends before this record.
    ///
    /// An engine that holds many problems refutes a contradiction along with others, at less cost than looking for
    /// it; [`settle`](Self::settle) then asks for it where nothing was found.
    fn engine_or_clash(&mut self, place: usize, class: ProblemClass) -> Result<Selection, Option<Answer>> {
        let selection = self.select(class);
        if let Ok(selection) = selection
            && !selection.kind.info().timed
        {
            return Ok(selection);
        }
        let (goal, options) = (self.goal, self.options());
        let open = self.chunk(place);
        let problem = open.records.problem(&open.records.list[open.cursor]);
        let selection = match problem {
            Some(problem) => selection
                .map(|selection| selection.within(problem, goal, options.limits(), options.preference)),
            None => selection,
        };
        match problem.and_then(|problem| problem.clash()) {
            Some(clash) => Err(Some(contradicted(clash.into(), goal))),
            None => selection.map_err(|reason| {
                let goes_on = self.failure.is_none();
                goes_on.then(|| Answer::without_search(Status::Unsupported, reason))
            }),
        }
    }

    /// The engine for a class, remembered for the next record.
    fn select(&mut self, class: ProblemClass) -> Result<Selection, Reason> {
        if let Some((known, selection)) = &self.selection
            && *known == class
        {
            return selection.clone();
        }
        let preference = self.options().preference;
        let selection = select(class, self.goal, preference).map_err(|error| {
            let reason = Reason::Text(error.to_string());
            if preference.engine.is_some() {
                // A named engine that cannot do the job ends the run; it is never silently replaced.
                self.fail(error);
            }
            reason
        });
        self.selection = Some((class, selection.clone()));
        selection
    }

    /// Ends the whole run with an error.
    pub(crate) fn fail(&mut self, error: crate::error::Error) {
        self.failure.get_or_insert(error);
        self.shared.control.cancel();
    }

    /// The next job, which [`next_engine`](Self::next_engine) has found in a chunk of slots.
    pub(crate) fn next_job(&mut self, kind: EngineKind) -> Option<Job<'_>> {
        match self.current {
            None => self.next_trial(),
            Some(place) => {
                let ticket = self.issue(place, kind);
                Some(self.job(ticket))
            }
        }
    }

    /// The current chunk if it is in columns.
    pub(crate) fn in_columns(&self) -> Option<usize> {
        let open = |place: &usize| self.open[*place].as_ref();
        self.current.filter(|place| open(place).is_some_and(|open| open.columns.in_use))
    }

    /// Reads the next records of a chunk in columns, no more than `most`; the first one's ticket. `None` if the next one
    /// has no place there: the chunk is in slots now.
    pub(crate) fn read_series(&mut self, place: usize, most: usize) -> Option<u64> {
        let open = self.open[place].as_mut().expect("the current chunk is open");
        let first = open.cursor;
        let read = plain::read(open, &self.parser, most, &mut self.grids);
        if read == 0 {
            self.to_general(place);
            return None;
        }
        open.cursor += read;
        open.cursor_index += read as u64;
        open.pending += read;
        self.in_flight += read;
        Some((place as u64) << 32 | first as u64)
    }

    /// The records that were read last, as jobs.
    pub(crate) fn series(&self, first_ticket: u64) -> Series<'_> {
        let limits = self.probe.unwrap_or(self.options().limits());
        Series { first_ticket, grids: &self.grids, goal: self.goal, limits }
    }

    /// Whether records that were set aside wait for the worker.
    pub(crate) fn has_hard(&self) -> bool {
        !self.hard.is_empty()
    }

    /// Has a chunk in columns go over to slots.
    fn to_general(&mut self, place: usize) {
        if let (Some(open), Some((selection, _))) = (&mut self.open[place], self.columns) {
            plain::to_general(open, &mut self.parser, selection, self.goal, self.probe.is_some());
        }
    }

    /// The next search for a clue.
    pub(crate) fn next_trial(&mut self) -> Option<Job<'_>> {
        let (of, _) = self.trials.next()?;
        self.in_flight += 1;
        let (place, index) = Self::place(of);
        let open = self.open[place].as_ref().expect("tickets are for open chunks");
        let problem = open.records.problem(&open.records.list[index]).expect("only problems have tickets");
        let (ticket, problem) = self.trials.issue(problem);
        Some(Job { ticket, problem, goal: Goal::First(1), limits: self.shared.options.limits() })
    }

    /// The job of a record.
    pub(crate) fn job(&mut self, ticket: u64) -> Job<'_> {
        let (place, index) = Self::place(ticket);
        let open = self.open[place].as_ref().expect("tickets are for open chunks");
        let problem = open.records.problem(&open.records.list[index]).expect("only problems have tickets");
        let probe = self.probe.filter(|_| open.slots[index].probing);
        Job { ticket, problem, goal: self.goal, limits: probe.unwrap_or(self.options().limits()) }
    }

    /// Hands out the record at the cursor as a job.
    fn issue(&mut self, place: usize, kind: EngineKind) -> u64 {
        let now = kind.info().timed.then(Instant::now);
        let probing = self.probe.is_some() && kind.info().make_counter.is_none();
        let (worker, shared) = (self.worker, self.shared);
        let open = self.chunk(place);
        let (index, record) = (open.cursor, open.cursor_index);
        open.advance();
        open.pending += 1;
        let slot = &mut open.slots[index];
        slot.probing = probing;
        if let Some(now) = now {
            slot.timing = Timing::Since(now);
            shared.progress.searches(worker, record, now);
        }
        self.in_flight += 1;
        (place as u64) << 32 | index as u64
    }

    /// A record that was set aside, as a problem of its own: its chunk and slot, and the limits that are left.
    pub(crate) fn hard_limits(&mut self, ticket: u64) -> Limits {
        let (place, index) = Self::place(ticket);
        let limits = self.options().limits();
        match self.chunk(place).slots[index].timing {
            Timing::Since(started) => limits.after(started.elapsed()),
            Timing::None | Timing::Took(_) => limits,
        }
    }

    /// The engine that works on a record that was set aside and the counter that may spare it the search, with its limits:
    /// the guard on nodes is the search's.
    pub(crate) fn counter(&mut self, ticket: u64) -> Option<(EngineKind, EngineKind, Limits)> {
        let (place, index) = Self::place(ticket);
        let limits = self.hard_limits(ticket);
        let is_asked = self.options().nodes_are_asked();
        let limits = Limits { nodes: limits.nodes.filter(|_| is_asked), ..limits };
        let selection = self.chunk(place).engine_of(index)?;
        Some((selection.counter(limits)?, selection.kind, limits))
    }

    /// The problem of a ticket and the engine that works on it.
    pub(crate) fn problem(&mut self, ticket: u64) -> (ProblemRef<'_>, EngineKind) {
        let (place, index) = Self::place(ticket);
        let open = self.chunk(place);
        let problem = open.records.problem(&open.records.list[index]).expect("only problems have tickets");
        (problem, open.engine_of(index).expect("chosen before the ticket was made").kind)
    }

    /// Keeps a solution of a record, and takes the end of its job if that came with it.
    #[inline]
    pub(crate) fn take_solved(&mut self, solved: &Solved) {
        let (place, index) = Self::place(solved.ticket);
        let open = self.chunk(place);
        if open.columns.in_use && open.columns.take(index, solved) {
            if solved.ended.is_some() {
                open.pending -= 1;
                self.in_flight -= 1;
                self.close_if_done(place);
            }
            return;
        }
        self.keep(solved.ticket, Solution::Digits(&solved.digits));
        if let Some(ended) = solved.ended {
            self.settle(solved.ticket, ended.into());
        }
    }

    /// Keeps a solution of a record.
    pub(crate) fn keep(&mut self, ticket: u64, solution: Solution<'_>) -> Flow {
        if Trials::owns(ticket) {
            return Flow::Continue;
        }
        let ask = self.options().ask;
        let (place, index) = Self::place(ticket);
        let open = self.chunk(place);
        if open.columns.in_use {
            if open.columns.take_solution(index, solution) {
                return Flow::Continue;
            }
            self.to_general(place);
        }
        let open = self.chunk(place);
        let first_only = !ask.is_several() && !matches!(ask, Ask::Best(_));
        if first_only && open.slots[index].solution != NONE {
            return Flow::Continue;
        }
        let number = open.found.push(solution);
        open.found_by.push(index as u32);
        open.slots[index].solution = number as u32;
        Flow::Continue
    }

    /// Hands on what a record that is being split has found so far, where that has become much. Records before
    /// it in its chunk are answered: nothing else is in flight.
    pub(crate) fn stream(&mut self, ticket: u64, control: &Control) -> Flow {
        let (place, index) = Self::place(ticket);
        // Which are the best is known at the end.
        let is_ranked = matches!(self.options().ask, Ask::Best(_));
        let open = self.chunk(place);
        if !is_ranked && open.found.bytes().saturating_sub(open.found_behind) >= STREAM_BYTES {
            rows::up_to(self, place, index, Unfinished::Partly);
            // It may wait there until its turn comes, and others may compute meanwhile.
            control.rest();
            self.submit(place, false);
            control.resume();
        }
        if self.shared.control.is_cancelled() { Flow::Stop } else { Flow::Continue }
    }

    /// Takes the end of a job.
    pub(crate) fn settle(&mut self, ticket: u64, mut outcome: Outcome) {
        self.in_flight -= 1;
        if Trials::owns(ticket) {
            return self.settle_trial(ticket, &outcome);
        }
        let (place, index) = Self::place(ticket);
        let (ask, goal) = (self.options().ask, self.goal);
        let open = self.chunk(place);
        if open.columns.in_use {
            if open.columns.take_end(index, &outcome) {
                open.pending -= 1;
                return self.close_if_done(place);
            }
            self.to_general(place);
        }
        let open = self.open[place].as_mut().expect("tickets are for open chunks");
        if outcome.ended_by == EndedBy::Nodes && open.slots[index].probing {
            self.set_aside(ticket, outcome.found);
            return;
        }
        if short_search::as_if_split(self.shared.options, &mut outcome)
            && let Some(kind) = open.engine_of(index).map(|selection| selection.kind)
        {
            open.set_engine(index, Selection::taken_over(kind, Choice::Split));
        }
        let record = &open.records.list[index];
        if outcome.found.is_zero()
            && let Some(clash) = open.records.problem(record).and_then(|problem| problem.clash())
        {
            // Refuted by its clues alone: no engine stands behind that.
            open.slots[index].engine = NO_ENGINE;
            return self.answer(place, index, contradicted(clash.into(), goal));
        }
        let mut answer = Answer::of(outcome, goal);
        if let Ask::Check { minimal } = ask {
            answer = check::verdict(answer, !matches!(record.given, Given::Absent));
            if minimal && matches!(answer.status, Status::Unique | Status::Correct) {
                let problem = open.records.problem(record).expect("only problems have tickets");
                let kind = open.engine_of(index).expect("an engine answered").kind;
                match self.trials.begin(ticket, kind, answer, problem) {
                    None => return,
                    Some(has_no_clues) => answer = has_no_clues,
                }
            }
        }
        self.answer(place, index, answer);
    }

    /// Takes the end of a search for a clue.
    fn settle_trial(&mut self, ticket: u64, outcome: &Outcome) {
        let open = &self.open;
        let side = |record| {
            let (place, index) = Self::place(record);
            let open = open[place].as_ref()?;
            match open.records.problem(&open.records.list[index])? {
                ProblemRef::Puzzle(puzzle) => Some(puzzle.geometry().side()),
                _ => None,
            }
        };
        if let Some((record, answer)) =
            self.trials.settle(ticket, outcome, |record| side(record).unwrap_or(9))
        {
            let (place, index) = Self::place(record);
            self.answer(place, index, answer);
        }
    }

    fn answer(&mut self, place: usize, index: usize, answer: Answer) {
        let open = self.chunk(place);
        let slot = &mut open.slots[index];
        if let Timing::Since(started) = slot.timing {
            slot.timing = Timing::Took(nanoseconds_since(started));
        }
        slot.answer = Some(answer);
        open.pending -= 1;
        if open.is_incomplete() && open.end() == index + 1 && self.shared.control.stop().is_none() {
            self.hand_on(place, Unfinished::Stopped);
        }
        self.close_if_done(place);
    }

    /// With unordered rows nobody waits for a record that was set aside: hands on what is known of the others of its
    /// chunk, if that was not done, and goes to it.
    pub(crate) fn leave_behind(&mut self, ticket: u64) {
        let (place, index) = Self::place(ticket);
        // The end of a run that was stopped is written up as a whole.
        if self.options().ordered || self.shared.control.stop().is_some() || self.chunk(place).go_to(index) {
            return;
        }
        self.hand_on(place, Unfinished::Later);
        self.chunk(place).go_to(index);
    }

    /// Writes up what is to be written next of a chunk, and hands it over.
    fn hand_on(&mut self, place: usize, unfinished: Unfinished) {
        let end = self.chunk(place).end();
        rows::up_to(self, place, end, unfinished);
        self.submit(place, false);
    }

    /// Number of a ticket's record over the whole run.
    pub(crate) fn record_of(&mut self, ticket: u64) -> u64 {
        let (place, index) = Self::place(ticket);
        let open = self.chunk(place);
        let behind = (index..open.cursor).filter(|&slot| open.is_record(slot)).count() as u64;
        open.cursor_index - behind
    }

    /// A record whose search broke down: its engine panicked.
    pub(crate) fn give_up(&mut self, ticket: u64, message: &str) {
        let (place, index) = Self::place(ticket);
        let open = self.chunk(place);
        let puzzle = String::from_utf8_lossy(open.records.list[index].puzzle.of(&open.chunk.bytes));
        let shown: String = puzzle.chars().take(SHOWN_OF_PUZZLE).collect();
        let rest = if shown.len() < puzzle.len() { "..." } else { "" };
        let reason = format!("the engine broke down: {message}; the puzzle: {shown}{rest}");
        self.settle_without_search(ticket, Status::Internal, Reason::Text(reason));
    }

    /// The records that an engine held when it broke down, to be begun anew.
    pub(crate) fn take_back_held(&mut self) -> Vec<u64> {
        let held = self.held();
        // Several searches for the clues of one record count as one from here on.
        self.trials.clear();
        self.in_flight = held.len();
        for &ticket in &held {
            let (place, index) = Self::place(ticket);
            self.forget_solutions(place, index);
        }
        held
    }

    /// Gives up a record that broke its engine down alone, while so many others wait to be begun anew.
    pub(crate) fn give_up_alone(&mut self, ticket: u64, others: usize, message: &str) {
        self.trials.clear();
        self.in_flight = others;
        // An engine may break down when it has finished the record.
        if self.held().contains(&ticket) {
            self.in_flight += 1;
            self.give_up(ticket, message);
        }
    }

    /// Tickets of all records that engines hold, or whose clues are being tried.
    fn held(&mut self) -> Vec<u64> {
        for place in 0..self.open.len() {
            self.to_general(place);
        }
        let held_of = |(place, open): (usize, &Option<Box<ChunkState>>)| {
            let slots = open.iter().flat_map(|open| open.slots[..open.cursor].iter().enumerate());
            let held = slots.filter(|(_, slot)| slot.answer.is_none() && slot.engine != NO_ENGINE);
            held.map(|(index, _)| (place as u64) << 32 | index as u64).collect::<Vec<_>>()
        };
        let mut held: Vec<u64> = self.open.iter().enumerate().flat_map(held_of).collect();
        held.retain(|&ticket| self.hard.iter().all(|hard| hard.ticket != ticket));
        held
    }

    fn set_aside(&mut self, ticket: u64, known: Count) {
        let (place, index) = Self::place(ticket);
        self.forget_solutions(place, index);
        self.chunk(place).slots[index].probing = false;
        self.hard.push(Hard { ticket, known });
    }

    /// Takes back the solutions of a record. They are the last ones unless an engine holds several jobs; then
    /// they stay in memory until the chunk is written, unused.
    fn forget_solutions(&mut self, place: usize, index: usize) {
        let open = self.chunk(place);
        open.slots[index].solution = NONE;
        for by in &mut open.found_by {
            if *by == index as u32 {
                *by = NOBODY;
            }
        }
        while open.found_by.last() == Some(&NOBODY) {
            open.found_by.pop();
        }
        open.found.truncate(open.found_by.len());
    }

    pub(crate) fn open_chunks(&self) -> usize {
        self.open.iter().filter(|open| open.is_some()).count()
    }

    /// Says that no record is searched by this worker.
    pub(crate) fn rests(&self) {
        self.shared.progress.searches(self.worker, 0, self.working_since);
    }

    /// Marks a job taken up again after it was set aside.
    pub(crate) fn resume_hard(&mut self, ticket: u64) {
        self.in_flight += 1;
        let record = self.record_of(ticket);
        self.shared.progress.searches(self.worker, record, Instant::now());
    }

    /// Leaves the time for which a record was held up out of its own.
    pub(crate) fn was_held_up(&mut self, ticket: u64, time: Duration) {
        let (place, index) = Self::place(ticket);
        if let Timing::Since(started) = &mut self.chunk(place).slots[index].timing {
            *started += time;
        }
        self.working_since += time;
    }

    fn close_if_done(&mut self, place: usize) {
        if self.chunk(place).is_done() {
            self.close(place);
        }
    }

    /// Writes a chunk up and hands its last pages over. In a run that was stopped, the output ends before the
    /// first record of which nothing is known.
    fn close(&mut self, place: usize) {
        let shared = self.shared;
        let stopped = shared.control.stop().is_some();
        if stopped || !self.write_up_columns(place) {
            self.to_general(place);
        }
        let open = self.chunk(place);
        let all = open.end();
        let end = if stopped { open.known_until() } else { all };
        if !open.columns.in_use {
            rows::up_to(self, place, end, Unfinished::Stopped);
        }
        let since = self.working_since;
        let open = self.chunk(place);
        open.pages.cut = end < all || open.is_incomplete();
        open.pages.end = Some(open.chunk.end);
        shared.feed.learn(nanoseconds_since(since), open.chunk.records);
        self.working_since = Instant::now();
        self.submit(place, true);
        if self.current == Some(place) {
            self.current = None;
        }
        let done = self.open[place].take().expect("just used");
        self.spare.push(done);
    }

    /// Writes up a chunk in columns; `false` where it has none, or a solution is wrong.
    fn write_up_columns(&mut self, place: usize) -> bool {
        let Some((selection, _)) = self.columns else { return false };
        let Some(open) = self.open[place].as_mut().filter(|open| open.columns.in_use) else { return false };
        let begin = Instant::now();
        let are_right = plain::are_right(open);
        let checked = Instant::now();
        if are_right {
            plain::write_up(open, selection);
        }
        self.phases.verifying_ns += u64::try_from((checked - begin).as_nanos()).unwrap_or(u64::MAX);
        self.phases.formatting_ns += nanoseconds_since(checked);
        are_right
    }

    /// Closes every open chunk of a run that was stopped.
    pub(crate) fn close_all(&mut self) {
        for place in 0..self.open.len() {
            if self.open[place].is_some() {
                self.close(place);
            }
        }
    }

    /// Answers a record that no engine can work on.
    pub(crate) fn settle_without_search(&mut self, ticket: u64, status: Status, reason: Reason) {
        self.in_flight -= 1;
        let (place, index) = Self::place(ticket);
        self.forget_solutions(place, index);
        self.answer(place, index, Answer::without_search(status, reason));
    }

    /// Notes that another engine finished a record.
    pub(crate) fn now_by(&mut self, ticket: u64, selection: Selection) {
        let (place, index) = Self::place(ticket);
        self.chunk(place).set_engine(index, selection);
    }

    fn submit(&mut self, place: usize, last: bool) {
        let spare = self.shared.spare_pages();
        let open = self.chunk(place);
        let mut pages = std::mem::replace(&mut open.pages, spare);
        open.pages.source = Arc::clone(&pages.source);
        let sequence = open.chunk.sequence;
        self.shared.progress.add_answered(std::mem::take(&mut pages.answered));
        self.shared.submit(sequence, last, pages);
    }

    /// Borrows what writing up a chunk needs.
    pub(crate) fn write_up_parts(&mut self, place: usize) -> (&mut ChunkState, &mut Solver, &mut Phases) {
        (
            self.open[place].as_mut().expect("only open chunks are written up"),
            &mut self.solver,
            &mut self.phases,
        )
    }
}

/// See [`OpenJobs::plain`].
fn plain_selection(options: &BatchOptions) -> Option<Selection> {
    let class = ProblemRef::Packed(&Packed::FULL).class();
    // What cannot be selected is reported where the first record asks for it.
    let selection = select(class, options.ask.goal(), options.preference).ok()?;
    (!selection.kind.info().timed).then_some(selection)
}

pub(crate) fn nanoseconds_since(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
