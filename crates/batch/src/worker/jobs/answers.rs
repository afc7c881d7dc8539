//! Handling of engine reports (solutions, ends of searches and panics), until each record has its answer.

use super::OpenJobs;
use crate::chunk::check;
use crate::chunk::minimal::Trials;
use crate::chunk::rows::Unfinished;
use crate::chunk::state::Ticket;
use crate::options::Query;
use crate::worker::short_search;
use quadrille_engine::{BatchSolution, Flow, Selection, SelectionReason, contradicted};
use quadrille_model::{Answer, EndedBy, Outcome, ProblemRef, Reason, Solution, Status};

/// Maximum number of characters of a puzzle in a message, enough for a whole 36x36 grid.
const SHOWN_OF_PUZZLE: usize = 1296;

impl OpenJobs {
    /// Stores solutions that an engine found. If a solution is the last result of its search, ends the job
    /// too.
    pub(crate) fn take_all_solved(&mut self, solved: &[BatchSolution]) {
        let mut rest = solved;
        while let Some(first) = rest.first() {
            let place = Ticket::from(first.ticket).chunk;
            let taken = self.take_plain_solved(place, rest);
            if taken == 0 {
                // Columns cannot hold this solution.
                self.keep(first.ticket, Solution::Digits(&first.digits));
                if let Some(ended) = first.ended {
                    self.settle(first.ticket, ended.into());
                }
            }
            rest = &rest[taken.max(1)..];
        }
    }

    /// Stores solutions from the start of `solved` in the columns of the chunk at index `place`.
    ///
    /// Stops at a solution that belongs to another chunk or that the columns cannot hold. Returns the number
    /// of stored solutions.
    ///
    /// Nearly all solutions of a batch belong to one chunk and fit into its columns. Therefore the chunk is
    /// looked up only once.
    fn take_plain_solved(&mut self, place: usize, solved: &[BatchSolution]) -> usize {
        let open = self.chunk(place);
        let Some(plain) = open.plain_mut() else { return 0 };
        let (mut taken, mut ended) = (0, 0);
        for one in solved {
            let ticket = Ticket::from(one.ticket);
            if ticket.chunk != place || !plain.take(ticket.slot, one) {
                break;
            }
            taken += 1;
            ended += usize::from(one.ended.is_some());
        }
        open.pending -= ended;
        if ended > 0 {
            self.close_if_done(place);
        }
        taken
    }

    /// Stores a solution that a job found. Ignores solutions of searches that test clues.
    pub(crate) fn keep(&mut self, job: u64, solution: Solution<'_>) {
        if Trials::owns(job) {
            return;
        }
        let ticket = Ticket::from(job);
        let ask = self.options().ask;
        let plain = self.chunk(ticket.chunk).plain_mut();
        if !plain.is_some_and(|plain| plain.take_solution(ticket.slot, solution)) {
            let first_only = !ask.is_several() && !matches!(ask, Query::Best(_));
            self.general(ticket.chunk).keep(ticket.slot, solution, first_only);
        }
    }

    /// Adds the size of a solution to the total size of a job's solutions. Returns `Stop` if this total is
    /// too large for the memory.
    ///
    /// [`settle`](Self::settle) then sets the record aside.
    pub(crate) fn should_continue(&mut self, job: u64, solution: Solution<'_>) -> Flow {
        let Some(most) = self.shared.memory.listed() else { return Flow::Continue };
        if !matches!(self.options().ask, Query::Several(_) | Query::Every) {
            return Flow::Continue;
        }
        if self.listed.0 != job {
            self.listed = (job, 0);
        }
        self.listed.1 += match solution {
            Solution::Digits(digits) => digits.len() as u64,
            Solution::Options(options) => size_of_val(options) as u64,
        };
        if self.listed.1 > most { Flow::Stop } else { Flow::Continue }
    }

    /// Returns true if [`should_continue`](Self::should_continue) stopped this job because its solutions took
    /// too much memory.
    fn was_listed_out(&mut self, job: u64) -> bool {
        let (listed, bytes) = std::mem::replace(&mut self.listed, (u64::MAX, 0));
        listed == job && self.shared.memory.listed().is_some_and(|most| bytes > most)
    }

    /// Returns true if a hard record has so many solutions that they should be written before the search
    /// ends.
    ///
    /// When this method is called, the earlier records of the chunk are already written. No other record of
    /// the chunk is being searched.
    pub(crate) fn has_much_to_stream(&mut self, ticket: Ticket) -> bool {
        // The best solutions are not known before the end of the search.
        let is_ranked = matches!(self.options().ask, Query::Best(_));
        let general = self.general(ticket.chunk);
        let found = general.found.bytes().saturating_sub(general.found_behind);
        !is_ranked && found >= self.shared.memory.streamed()
    }

    /// Formats the solutions of a hard record that were found so far, and passes the rows to the writer.
    pub(crate) fn stream(&mut self, ticket: Ticket) {
        self.write_rows(ticket.chunk, ticket.slot, Unfinished::Partly);
        self.submit(ticket.chunk);
    }

    /// Ends a job with its outcome. Usually the record then has its answer.
    pub(crate) fn settle(&mut self, job: u64, mut outcome: Outcome) {
        if Trials::owns(job) {
            return self.settle_trial(job, &outcome);
        }
        let ticket = Ticket::from(job);
        let open = self.chunk(ticket.chunk);
        if open.plain_mut().is_some_and(|plain| plain.take_end(ticket.slot, &outcome)) {
            open.pending -= 1;
            return self.close_if_done(ticket.chunk);
        }
        let general = self.general(ticket.chunk);
        if outcome.ended_by == EndedBy::Nodes && general.slots[ticket.slot].is_short
            || self.was_listed_out(job)
        {
            return self.set_aside(ticket, outcome);
        }
        let (goal, options) = (self.goal, &self.shared.options);
        let general = self.open.get_mut(ticket.chunk).general_mut();
        if short_search::as_if_split(options, &mut outcome)
            && let Some(kind) = general.slots[ticket.slot].engine.map(|selection| selection.kind)
        {
            general.slots[ticket.slot].engine = Some(Selection::taken_over(kind, SelectionReason::Split));
        }
        if matches!(options.ask, Query::Check { .. })
            && !matches!(outcome.ended_by, EndedBy::Cancel | EndedBy::Deadline)
            && let Some(problem) = general.problem(ticket.slot)
        {
            let is_only = outcome.ended_by == EndedBy::Complete && outcome.found.to_u64() == Some(1);
            let only = general.solution(ticket.slot).filter(|_| is_only);
            let record = general.record(ticket.slot);
            if let Some(wrong) = check::check_given_solution(problem, record, &general.records, only) {
                // The given solution decides the answer, so the answer names no engine.
                general.forget_solutions_of(ticket.slot);
                general.slots[ticket.slot].engine = None;
                return self.answer(ticket, wrong);
            }
        }
        if outcome.found.is_zero()
            && let Some(clash) = general.problem(ticket.slot).and_then(|problem| problem.clash())
        {
            // The clues already contradict each other, so the answer names no engine.
            general.slots[ticket.slot].engine = None;
            return self.answer(ticket, contradicted(clash.into(), goal));
        }
        let mut answer = Answer::from_outcome(outcome, goal);
        if let Query::Check { minimal } = options.ask {
            answer = check::verdict(answer, &general.record(ticket.slot).given);
            if minimal && matches!(answer.status, Status::Unique | Status::Correct | Status::Missing) {
                let (problem, kind) = general.job(ticket.slot);
                let solution = general.solution(ticket.slot);
                match self.trials.begin(job, kind, answer, (problem, solution)) {
                    None => return,
                    Some(has_no_clues) => answer = has_no_clues,
                }
            }
        }
        self.answer(ticket, answer);
    }

    /// Handles the end of a search that tested a clue.
    fn settle_trial(&mut self, job: u64, outcome: &Outcome) {
        let open = &self.open;
        let side = |record: u64| {
            let ticket = Ticket::from(record);
            match open.get(ticket.chunk).general().problem(ticket.slot)? {
                ProblemRef::Puzzle(puzzle) => Some(puzzle.geometry().side()),
                _ => None,
            }
        };
        if let Some((record, answer)) = self.trials.settle(job, outcome, |record| side(record).unwrap_or(9)) {
            self.answer(record.into(), answer);
        }
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer) {
        let general = self.general(ticket.chunk);
        let slot = &mut general.slots[ticket.slot];
        slot.stop_clock();
        slot.answer = Some(answer);
        let is_last_of_piece = general.is_incomplete() && general.end() == ticket.slot + 1;
        self.chunk(ticket.chunk).pending -= 1;
        if is_last_of_piece && self.shared.control.stop().is_none() {
            self.hand_on(ticket.chunk, Unfinished::Stopped);
        }
        self.close_if_done(ticket.chunk);
    }

    /// Answers a record with the status `internal`, because an engine panicked while it worked on the record.
    pub(crate) fn give_up(&mut self, ticket: Ticket, message: &str) {
        self.general(ticket.chunk);
        let open = self.chunk(ticket.chunk);
        let puzzle =
            String::from_utf8_lossy(open.general().record(ticket.slot).puzzle.slice(&open.chunk.bytes));
        let shown: String = puzzle.chars().take(SHOWN_OF_PUZZLE).collect();
        let rest = if shown.len() < puzzle.len() { "..." } else { "" };
        let reason = format!("the engine panicked: {message}; the puzzle: {shown}{rest}");
        self.settle_without_search(ticket, Status::Internal, Reason::Text(reason));
    }

    /// Returns the tickets of the records that a panicked engine was working on, and discards the solutions
    /// of these records. The records can then be searched again.
    pub(crate) fn take_back_held(&mut self) -> Vec<Ticket> {
        let held = self.held();
        // Drop the searches that test clues. If a record has several such searches, its ticket is in `held`
        // only once.
        self.trials.clear();
        for &ticket in &held {
            self.general(ticket.chunk).forget_solutions_of(ticket.slot);
        }
        held
    }

    /// Answers a record with the status `internal` because an engine panicked while it ran only this record.
    pub(crate) fn give_up_alone(&mut self, ticket: Ticket, message: &str) {
        self.trials.clear();
        // The engine may have panicked after it had finished the record.
        if self.held().contains(&ticket) {
            self.give_up(ticket, message);
        }
    }

    /// Returns the tickets of all records that engines are working on or whose clues are being tested.
    fn held(&mut self) -> Vec<Ticket> {
        let mut held = Vec::new();
        for chunk in self.open.places() {
            self.general(chunk);
            let open = self.chunk(chunk);
            let slots = open.general().slots[..open.cursor].iter().enumerate();
            let unanswered = slots.filter(|(_, slot)| slot.answer.is_none() && slot.engine.is_some());
            let tickets = unanswered.filter(|(slot, _)| !open.hard.contains_key(slot));
            held.extend(tickets.map(|(slot, _)| Ticket { chunk, slot }));
        }
        held.retain(|ticket| self.put_off.iter().all(|(put_off, ..)| put_off != ticket));
        held
    }

    /// Sets a hard record aside until all other records of its chunk are answered.
    fn set_aside(&mut self, ticket: Ticket, outcome: Outcome) {
        let general = self.general(ticket.chunk);
        general.forget_solutions_of(ticket.slot);
        let slot = &mut general.slots[ticket.slot];
        slot.is_short = false;
        slot.stop_clock();
        self.chunk(ticket.chunk).hard.insert(ticket.slot, Some(outcome.found));
        self.close_if_done(ticket.chunk);
    }

    /// Answers a record without a search, with the given status and reason.
    pub(crate) fn settle_without_search(&mut self, ticket: Ticket, status: Status, reason: Reason) {
        self.general(ticket.chunk).forget_solutions_of(ticket.slot);
        self.answer(ticket, Answer::without_search(status, reason));
    }

    /// Notes that the engine in `selection` has answered a record.
    pub(crate) fn now_by(&mut self, ticket: Ticket, selection: Selection) {
        self.general(ticket.chunk).slots[ticket.slot].engine = Some(selection);
    }
}
