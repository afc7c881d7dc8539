//! Answers of a chunk to rows: verification, audits, statistics, formatting.

use std::time::Instant;

use crate::batch::chunk::audit;
use crate::batch::chunk::state::{ChunkOutput, ChunkState, NOBODY, NONE, RejectMark};
use crate::batch::options::{Ask, OnError};
use crate::batch::run::Shared;
use crate::batch::worker::jobs::{OpenJobs, nanoseconds_since};
use crate::engine::Control;
use crate::input::Body;
use crate::model::{Answer, Direction, EndedBy, Reason, Solution, Status, Top, verify};
use crate::output::{OutputFormat, Row};
use crate::stats::Entry;

/// What is written of records that have no answer yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// That the run was stopped.
    Stopped,
    /// Nothing: they come later.
    Later,
    /// Of the first behind the end, the solutions that were found so far.
    Partly,
}

/// Writes up the slots of a chunk before `end`. Their solutions are forgotten; so are those of the slots behind, which
/// nobody will write, unless a record is written in part.
pub(crate) fn up_to(jobs: &mut OpenJobs<'_>, place: usize, end: usize, unfinished: Unfinished) {
    let partial = unfinished == Unfinished::Partly;
    let shared = jobs.shared;
    let (open, solver, phases) = jobs.write_up_parts(place);
    let begin = Instant::now();
    check_solutions(open);
    audit::audit(open, end, shared, solver);
    let checked = Instant::now();
    if unfinished == Unfinished::Later {
        leave_out_unanswered(open, end);
    }
    settle_verdicts(open, end, &shared.control);
    let mut order = if shared.options.ask.is_several() { solutions_by_slot(open) } else { Vec::new() };
    if let Ask::Best(top) = shared.options.ask {
        check_scores(open, end, top);
        order = best_first(open, &order, top);
    }
    let mut pages = std::mem::take(&mut open.pages);
    let mut writer = Writer {
        shared,
        open,
        order,
        next: 0,
        slot: open.written,
        index: open.written_index,
        rows: open.written_rows,
    };
    while writer.slot < end {
        writer.record(&mut pages);
    }
    if partial {
        writer.several(&mut pages);
    }
    (open.written, open.written_index, open.written_rows) = (writer.slot, writer.index, writer.rows);
    open.pages = pages;
    if partial {
        // Written and forgotten below: no account of the record may look for it.
        open.slots[end].solution = NONE;
    }
    open.forget_solutions_to(if partial { end + 1 } else { usize::MAX });
    phases.verifying_ns += u64::try_from((checked - begin).as_nanos()).unwrap_or(u64::MAX);
    phases.formatting_ns += nanoseconds_since(checked);
}

/// Verifies every kept solution. A wrong one is a defect of an engine: its record is answered `internal`.
fn check_solutions(open: &mut ChunkState) {
    for number in 0..open.found_by.len() {
        let by = open.found_by[number];
        if by == NOBODY {
            continue;
        }
        let slot = by as usize;
        let Some(problem) = open.records.problem(&open.records.list[slot]) else { continue };
        if let Err(fault) = verify(problem, open.found.get(number)) {
            open.found_by[number] = NOBODY;
            open.slots[slot].solution = NONE;
            open.faults.push((slot, format!("an engine gave a wrong solution: {fault}")));
        }
    }
}

/// Numbers of the kept solutions, slot by slot, each slot's in the order they were found.
fn solutions_by_slot(open: &ChunkState) -> Vec<u32> {
    let wanted = |number: &u32| open.found_by[*number as usize] != NOBODY;
    let mut order: Vec<u32> = (0..open.found_by.len() as u32).filter(wanted).collect();
    order.sort_by_key(|&number| open.found_by[number as usize]);
    order
}

/// Compares every best score that an engine claims with those of the solutions that it gave, which are verified.
fn check_scores(open: &mut ChunkState, end: usize, top: Top) {
    let mut best: Vec<Option<i64>> = vec![None; end - open.written];
    for (number, &by) in open.found_by.iter().enumerate() {
        if (open.written..end).contains(&(by as usize)) {
            let score = score_of(open, by as usize, open.found.get(number));
            let best = &mut best[by as usize - open.written];
            if score.is_some_and(|score| best.is_none_or(|best| top.direction.is_better(score, best))) {
                *best = score;
            }
        }
    }
    for (slot, best) in (open.written..end).zip(best) {
        let claimed = open.slots[slot].answer.as_ref().and_then(|answer| answer.best);
        if let Some(claimed) = claimed.filter(|claimed| Some(claimed.score) != best) {
            open.faults.push((slot, format!("an engine claimed the score {} for another", claimed.score)));
        }
    }
}

/// What a solution of a slot's record is worth.
fn score_of(open: &ChunkState, slot: usize, solution: Solution<'_>) -> Option<i64> {
    Some(open.records.problem(&open.records.list[slot])?.score(solution))
}

/// Of the solutions of each slot, as they were found, the best: the best first.
fn best_first(open: &ChunkState, by_slot: &[u32], top: Top) -> Vec<u32> {
    let mut order = Vec::new();
    for group in by_slot.chunk_by(|&a, &b| open.found_by[a as usize] == open.found_by[b as usize]) {
        let slot = open.found_by[group[0] as usize] as usize;
        let mut scored: Vec<(i64, u32)> = group
            .iter()
            .filter_map(|&number| Some((score_of(open, slot, open.found.get(number as usize))?, number)))
            .collect();
        scored.sort_by(|(a, _), (b, _)| match top.direction {
            Direction::Minimize => a.cmp(b),
            Direction::Maximize => b.cmp(a),
        });
        scored.truncate(usize::try_from(top.limit).unwrap_or(usize::MAX));
        order.extend(scored.into_iter().map(|(_, number)| number));
    }
    order
}

/// Notes the records before `end` that are searched yet.
fn leave_out_unanswered(open: &mut ChunkState, end: usize) {
    let mut index = open.written_index;
    for slot in open.written..end {
        let is_record = open.is_record(slot);
        if is_record && open.slots[slot].answer.is_none() {
            open.leave_out(slot, index);
        }
        index += u64::from(is_record);
    }
}

/// Gives every record before `end` its final verdict: `internal` where something is wrong with what its engine
/// said, `unknown` where the run was stopped before anything was known.
fn settle_verdicts(open: &mut ChunkState, end: usize, control: &Control) {
    for slot in open.written..end {
        if open.slots[slot].answer.is_none() && open.is_record(slot) && !open.is_left_out(slot) {
            let mut answer =
                Answer::without_search(Status::Unknown, Reason::Text("the run was stopped".to_owned()));
            answer.ended_by = control.stop().unwrap_or(EndedBy::Cancel);
            open.slots[slot].answer = Some(answer);
        }
    }
    let ChunkState { faults, slots, .. } = open;
    faults.retain_mut(|(slot, fault)| {
        let answer = slots[*slot].answer.as_ref().filter(|_| *slot < end);
        // The first word on a record counts.
        if answer.is_some_and(|answer| answer.status != Status::Internal) {
            let reason = Reason::Text(std::mem::take(fault));
            slots[*slot].answer = Some(Answer::without_search(Status::Internal, reason));
        }
        *slot >= end
    });
}

struct Writer<'s> {
    shared: &'s Shared<'s>,
    open: &'s ChunkState,
    /// See [`solutions_by_slot`]; those before `next` are written.
    order: Vec<u32>,
    next: usize,
    /// The record to be written next: its slot, its number, and the rows of single solutions written of it.
    slot: usize,
    index: u64,
    rows: u64,
}

impl Writer<'_> {
    /// Writes everything about the next record.
    fn record(&mut self, pages: &mut ChunkOutput) {
        let open = self.open;
        match &open.slots[self.slot].answer {
            Some(answer) => {
                if self.shared.options.ask.is_several() {
                    self.several(pages);
                    if self.rows == 0 || answer.ended_by.is_early() || answer.status == Status::Internal {
                        self.row(pages, Some(answer), None, None);
                    }
                } else {
                    self.row(pages, Some(answer), self.solution(), None);
                }
                self.account(pages, answer);
                self.index += 1;
                self.rows = 0;
            }
            None if open.is_left_out(self.slot) => self.index += 1,
            None => self.row(pages, None, None, None),
        }
        self.slot += 1;
    }

    /// The solution behind the verdict on the record.
    #[inline]
    fn solution(&self) -> Option<Solution<'_>> {
        let number = self.open.slots[self.slot].solution;
        (number != NONE).then(|| self.open.found.get(number as usize))
    }

    /// Writes the kept solutions of the record, a row each.
    fn several(&mut self, pages: &mut ChunkOutput) {
        let open = self.open;
        while let Some(&number) = self.order.get(self.next)
            && open.found_by[number as usize] as usize == self.slot
        {
            self.rows += 1;
            self.row(pages, None, Some(open.found.get(number as usize)), Some(self.rows));
            self.next += 1;
        }
    }

    /// Appends one row to the chunk's pages, if the caller wants rows like it.
    fn row(
        &self,
        pages: &mut ChunkOutput,
        answer: Option<&Answer>,
        solution: Option<Solution<'_>>,
        solution_index: Option<u64>,
    ) {
        let (options, open) = (self.shared.options, self.open);
        let record = &open.records.list[self.slot];
        let skipped = matches!(record.body, Body::Skipped);
        let invalid = answer.is_some_and(|answer| answer.status == Status::Invalid);
        if !skipped && !self.wants(answer) || invalid && options.on_error != OnError::Row {
            return;
        }
        let is_ranked = answer.is_none() && matches!(options.ask, Ask::Best(_));
        let row = Row {
            layout: &open.chunk.layout,
            bytes: &open.chunk.bytes,
            source: &open.chunk.source,
            index: self.index,
            record,
            problem: open.records.problem(record),
            answer,
            score: is_ranked.then(|| score_of(open, self.slot, solution?)).flatten(),
            solution,
            solution_index,
            engine: open.engine_of(self.slot).map_or("", |selection| selection.kind.info().name),
            time_ns: open.slots[self.slot].time_ns(),
        };
        let before = pages.output.len();
        self.shared.formatter.row(&row, &mut pages.output);
        pages.rows += u64::from(!skipped);
        let silent = pages.output.len() == before && !skipped;
        if let Some(answer) = answer.filter(|_| silent && options.output.format == OutputFormat::Contest) {
            pages.notices.push(notice(row.index, answer));
        }
    }

    /// Whether rows of this status are wanted; a row of one of several solutions has none of its own.
    fn wants(&self, answer: Option<&Answer>) -> bool {
        let only = &self.shared.options.only;
        let found = [Status::Solved, Status::Unique, Status::Multiple];
        only.is_empty()
            || answer.map_or_else(
                || found.iter().any(|status| only.contains(status)),
                |answer| only.contains(&answer.status),
            )
    }

    /// Enters the record into statistics, rejects and accounts.
    fn account(&self, pages: &mut ChunkOutput, answer: &Answer) {
        let open = self.open;
        let record = &open.records.list[self.slot];
        let engine = open.engine_of(self.slot);
        pages.statistics.record(&Entry {
            index: self.index,
            source: &open.chunk.source,
            line: record.line,
            problem: open.records.problem(record),
            answer,
            solution: self.solution().filter(|_| !self.shared.options.ask.is_several()),
            engine: engine.map_or("", |selection| selection.kind.info().name),
            chosen: engine.map_or("", |selection| selection.reason.text()),
            time_ns: open.slots[self.slot].time_ns(),
        });
        pages.answered += 1;
        if answer.status != Status::Invalid {
            return;
        }
        let reason = answer.reason.as_ref().map_or_else(String::new, |reason| reason.to_string());
        write_reject(
            record.line,
            record.byte,
            &reason,
            record.text.of(&open.chunk.bytes),
            &mut pages.rejects,
        );
        if self.shared.options.rejects_allowed().is_some() {
            pages.marks.push(RejectMark {
                record: self.index,
                line: record.line,
                byte: record.byte,
                reason,
                output_end: pages.output.len(),
                rejects_end: pages.rejects.len(),
            });
        }
    }
}

/// What standard error says about a record that contest output passes over.
fn notice(index: u64, answer: &Answer) -> String {
    let mut text = format!("case {index}: {}", answer.status.word());
    if let Some(reason) = &answer.reason {
        text.push_str(": ");
        text.push_str(&reason.to_string());
    } else if answer.ended_by.is_early() {
        text.push_str(": ended by ");
        text.push_str(answer.ended_by.word());
    }
    text
}

/// A line of the rejects file: line, byte, reason and the raw text, separated by tabs.
fn write_reject(line: u64, byte: u64, reason: &str, raw: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{line}\t{byte}\t{reason}\t").as_bytes());
    out.extend(
        raw.iter().map(|&byte| if byte == b'\n' || byte == b'\r' || byte == b'\t' { b' ' } else { byte }),
    );
    out.push(b'\n');
}
