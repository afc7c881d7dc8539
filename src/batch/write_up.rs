//! Answers of a chunk to rows: verification, audits, statistics, formatting.

use std::time::Instant;

use super::audit;
use super::config::OnError;
use super::desk::{Desk, NOBODY, nanoseconds_since};
use super::open::{OpenChunk, RejectMark};
use super::run::Shared;
use crate::input::Body;
use crate::model::{Answer, EndedBy, Reason, Status, verify};
use crate::output::{OutputFormat, Row};
use crate::stats::Entry;

/// Writes up the slots of a chunk before `end`; with `partial` also the solutions that the record of slot `end`
/// has found so far. All solutions kept are written or forgotten.
pub(super) fn up_to(desk: &mut Desk<'_>, place: usize, end: usize, partial: bool) {
    let shared = desk.shared;
    let (open, solver, phases) = desk.write_up_parts(place);
    let begin = Instant::now();
    check_solutions(open);
    audit::audit(open, end, shared, solver);
    let checked = Instant::now();
    let mut writer = Writer { shared, order: Vec::new(), next: 0 };
    if shared.options.ask.is_several() {
        writer.order = solutions_by_slot(open);
    }
    while open.written < end {
        writer.record(open);
        open.written += 1;
    }
    if partial {
        writer.several(open);
        // Written and forgotten below: no account of the record may look for it.
        open.slots[end].solution = None;
    }
    open.found.clear();
    open.found_by.clear();
    phases.verifying_ns += u64::try_from((checked - begin).as_nanos()).unwrap_or(u64::MAX);
    phases.formatting_ns += nanoseconds_since(checked);
}

/// Verifies every kept solution. A wrong one is a defect of an engine: its record is answered `internal`.
fn check_solutions(open: &mut OpenChunk) {
    for number in 0..open.found_by.len() {
        let by = open.found_by[number];
        if by == NOBODY {
            continue;
        }
        let slot = by as usize;
        let Some(problem) = open.records.problem(&open.records.list[slot]) else { continue };
        if let Err(fault) = verify(problem, open.found.get(number)) {
            open.found_by[number] = NOBODY;
            open.slots[slot].solution = None;
            open.slots[slot].fault = Some(format!("an engine gave a wrong solution: {fault}"));
        }
    }
}

/// Numbers of the kept solutions, slot by slot, each slot's in the order they were found.
fn solutions_by_slot(open: &OpenChunk) -> Vec<u32> {
    let wanted = |number: &u32| open.found_by[*number as usize] != NOBODY;
    let mut order: Vec<u32> = (0..open.found_by.len() as u32).filter(wanted).collect();
    order.sort_by_key(|&number| open.found_by[number as usize]);
    order
}

struct Writer<'s> {
    shared: &'s Shared<'s>,
    /// See [`solutions_by_slot`]; those before `next` are written.
    order: Vec<u32>,
    next: usize,
}

impl Writer<'_> {
    /// Writes everything about the record of slot `open.written`.
    fn record(&mut self, open: &mut OpenChunk) {
        let slot = open.written;
        if !open.is_record(slot) {
            self.row(open, None, None, None);
            return;
        }
        let answer = final_answer(open, slot, &self.shared.control);
        if self.shared.options.ask.is_several() {
            self.several(open);
            let rows = open.slots[slot].rows;
            if rows == 0 || answer.ended_by.is_early() || answer.status == Status::Internal {
                self.row(open, Some(&answer), None, None);
            }
        } else {
            self.row(open, Some(&answer), open.slots[slot].solution, None);
        }
        self.account(open, &answer);
        open.written_index += 1;
    }

    /// Writes the kept solutions of the record of slot `open.written`, a row each.
    fn several(&mut self, open: &mut OpenChunk) {
        while let Some(&number) = self.order.get(self.next)
            && open.found_by[number as usize] as usize == open.written
        {
            let slot = &mut open.slots[open.written];
            slot.rows += 1;
            let rows = slot.rows;
            self.row(open, None, Some(number), Some(rows));
            self.next += 1;
        }
    }

    /// Appends one row to the chunk's pages, if the caller wants rows like it.
    fn row(
        &self,
        open: &mut OpenChunk,
        answer: Option<&Answer>,
        solution: Option<u32>,
        solution_index: Option<u64>,
    ) {
        let options = self.shared.options;
        let slot = open.written;
        let record = &open.records.list[slot];
        let skipped = matches!(record.body, Body::Skipped);
        let invalid = answer.is_some_and(|answer| answer.status == Status::Invalid);
        if !skipped && !self.wants(answer) || invalid && options.on_error != OnError::Row {
            return;
        }
        let row = Row {
            layout: &open.chunk.layout,
            bytes: &open.chunk.bytes,
            source: &open.chunk.source,
            index: open.written_index,
            record,
            problem: open.records.problem(record),
            answer,
            solution: solution.map(|number| open.found.get(number as usize)),
            solution_index,
            engine: open.slots[slot].engine.map_or("", |selection| selection.kind.info().name),
            time_ns: open.slots[slot].time_ns,
        };
        let before = open.pages.output.len();
        self.shared.formatter.row(&row, &mut open.pages.output);
        open.pages.rows += u64::from(!skipped);
        let silent = open.pages.output.len() == before && !skipped;
        if let Some(answer) = answer.filter(|_| silent && options.output.format == OutputFormat::Contest) {
            open.pages.notices.push(notice(row.index, answer));
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

    /// Enters the record of slot `open.written` into statistics, rejects and accounts.
    fn account(&self, open: &mut OpenChunk, answer: &Answer) {
        let slot = &open.slots[open.written];
        let record = &open.records.list[open.written];
        let problem = open.records.problem(record);
        let solution = slot.solution.map(|number| open.found.get(number as usize));
        let pages = &mut open.pages;
        pages.statistics.record(&Entry {
            index: open.written_index,
            source: &open.chunk.source,
            line: record.line,
            problem,
            answer,
            solution: solution.filter(|_| !self.shared.options.ask.is_several()),
            engine: slot.engine.map_or("", |selection| selection.kind.info().name),
            chosen: slot.engine.map_or("", |selection| selection.reason),
            time_ns: slot.time_ns,
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
                record: open.written_index,
                line: record.line,
                byte: record.byte,
                reason,
                output_end: pages.output.len(),
                rejects_end: pages.rejects.len(),
            });
        }
    }
}

/// The verdict on a slot's record: what its engine said unless that turned out to be wrong.
fn final_answer(open: &mut OpenChunk, slot: usize, control: &crate::engine::Control) -> Answer {
    if let Some(fault) = open.slots[slot].fault.take() {
        return Answer::without_search(Status::Internal, Reason::Text(fault));
    }
    open.slots[slot].answer.take().unwrap_or_else(|| {
        // Only a run that was stopped writes up records that nobody answered.
        let ended_by = control.stop().unwrap_or(EndedBy::Cancel);
        let mut answer =
            Answer::without_search(Status::Unknown, Reason::Text("the run was stopped".to_owned()));
        answer.ended_by = ended_by;
        answer
    })
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
