//! The work between the answers of a chunk and its rows: verification, audits, statistics and formatting.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use xxhash_rust::xxh3::xxh3_128;

use super::audit;
use super::output::{ChunkOutput, KeyMark, Keys, Reject};
use super::records::{NOBODY, RecordChunk};
use super::state::{ChunkRecords, ChunkState};
use super::{augment, transformed};
use crate::options::{Augmentation, Condition, OnError, Query};
use crate::outcomes::RecordOutcome;
use crate::shared::Shared;
use crate::stats::{AnsweredRecord, Drawing, Drawn, Phases, nanoseconds, nanoseconds_since};
use quadrille_engine::{Control, Solver};
use quadrille_formats::input::{Body, Chunk, GivenSolution};
use quadrille_formats::output::{OutputFormat, RecordResult, Row};
use quadrille_model::canonical::Canonizer;
use quadrille_model::{Answer, Direction, EndedBy, Location, Reason, Solution, Status, TopK, verify};

/// Tools with which a worker writes the rows of all its chunks.
pub(crate) struct RowTools {
    /// Solver that repeats single searches for audits.
    pub auditor: Solver,
    /// Computes canonical forms.
    pub canonizer: Canonizer,
    /// The hardest records that were drawn so far. Only records that are harder than these need a drawing.
    pub drawn: Drawn,
}

/// Treatment of records that have no answer when rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// Each unfinished record gets a row that says that the run was stopped.
    Stopped,
    /// Unfinished records get no row now, because a later call writes their rows.
    Later,
    /// The record in slot `end` of [`write_to`] gets one row per solution found so far. Other unfinished
    /// records get no row.
    Partly,
}

/// Writes all rows before the slot `end` that are not written yet, and discards the solutions of these
/// records.
///
/// With [`Unfinished::Partly`], also writes and discards the solutions found so far for slot `end`, and keeps
/// the solutions of later slots. In all other cases, discards all solutions, because no later call writes
/// them.
pub(crate) fn write_to(
    (end, unfinished): (usize, Unfinished),
    state: &mut ChunkState,
    shared: &Shared,
    tools: &mut RowTools,
    phases: &mut Phases,
) {
    let ChunkState { chunk, records: ChunkRecords::Records(general), output, .. } = state else {
        unreachable!("column chunks write their own rows")
    };
    let partial = unfinished == Unfinished::Partly;
    let begin = Instant::now();
    check_solutions(general);
    audit::audit(general, end, shared, &mut tools.auditor);
    let checked = Instant::now();
    if unfinished == Unfinished::Later {
        leave_out_unanswered(general, end);
    }
    settle_verdicts(general, end, &shared.control);
    let ask = shared.options.ask;
    transformed::make(general, chunk, end, &shared.options, &mut tools.canonizer);
    let order = match ask {
        Query::Best(top) => best_first(general, end, top),
        _ if ask.is_several() => solutions_by_slot(general),
        _ => Vec::new(),
    };
    let mut writer = Writer {
        shared,
        chunk,
        general,
        drawn: &mut tools.drawn,
        may_lose: shared.formatter.may_lose(&chunk.layout),
        order,
        next: 0,
        slot: general.written,
        index: general.written_index,
        rows: general.written_rows,
    };
    while writer.slot < end && !output.cut {
        writer.record(output);
    }
    writer.draw(output);
    if partial {
        writer.several(output);
    }
    let (slot, index, rows) = (writer.slot, writer.index, writer.rows);
    (general.written, general.written_index, general.written_rows) = (slot, index, rows);
    if partial {
        // This record's solutions are discarded below, so its slot must not refer to one of them.
        general.slots[end].solution = None;
    }
    general.forget_solutions_to(if partial { end + 1 } else { usize::MAX });
    phases.verifying_ns += nanoseconds(checked - begin);
    phases.formatting_ns += nanoseconds_since(checked);
}

/// Verifies every stored solution.
///
/// A wrong solution is an engine's defect. Its record gets the status `internal`.
fn check_solutions(general: &mut RecordChunk) {
    for number in 0..general.found_by.len() {
        let by = general.found_by[number];
        if by == NOBODY {
            continue;
        }
        let slot = by as usize;
        let Some(problem) = general.problem(slot) else { continue };
        if let Err(fault) = verify(problem, general.found.get(number)) {
            general.found_by[number] = NOBODY;
            general.slots[slot].solution = None;
            general.faults.push((slot, format!("the engine returned a wrong solution: {fault}")));
        }
    }
}

/// Returns the indices of the stored solutions in ascending order of slots.
///
/// Solutions of one slot stay in the order in which they were found.
fn solutions_by_slot(general: &RecordChunk) -> Vec<u32> {
    let wanted = |number: &u32| general.found_by[*number as usize] != NOBODY;
    let mut order: Vec<u32> = (0..general.found_by.len() as u32).filter(wanted).collect();
    order.sort_by_key(|&number| general.found_by[number as usize]);
    order
}

/// Returns the score of a solution of a slot's record, or `None` if the record does not contain a problem.
fn score_of(general: &RecordChunk, slot: usize, solution: Solution<'_>) -> Option<i64> {
    Some(general.problem(slot)?.score(solution))
}

/// Returns the indices of the best solutions of each slot, with the best solution first.
///
/// Also checks every best score that an engine reported for a slot before `end`. It must be the score of the
/// best verified solution.
fn best_first(general: &mut RecordChunk, end: usize, top: TopK) -> Vec<u32> {
    let (mut order, mut best) = (Vec::new(), BTreeMap::new());
    let by_slot = solutions_by_slot(general);
    for group in by_slot.chunk_by(|&a, &b| general.found_by[a as usize] == general.found_by[b as usize]) {
        let slot = general.found_by[group[0] as usize] as usize;
        let scored = group.iter().filter_map(|&number| {
            Some((score_of(general, slot, general.found.get(number as usize))?, number))
        });
        let mut scored: Vec<(i64, u32)> = scored.collect();
        scored.sort_by(|(a, _), (b, _)| match top.direction {
            Direction::Minimize => a.cmp(b),
            Direction::Maximize => b.cmp(a),
        });
        best.extend(scored.first().map(|(score, _)| (slot, *score)));
        scored.truncate(usize::try_from(top.limit).unwrap_or(usize::MAX));
        order.extend(scored.into_iter().map(|(_, number)| number));
    }
    for slot in general.written..end {
        let claimed = general.slots[slot].answer.as_ref().and_then(|answer| answer.best);
        if let Some(claimed) = claimed.map(|claimed| claimed.score)
            && best.get(&slot) != Some(&claimed)
        {
            let fault =
                format!("the engine reported the score {claimed}, but its solution has another score");
            general.faults.push((slot, fault));
        }
    }
    order
}

/// Postpones the rows of the records before `end` that are still being searched.
fn leave_out_unanswered(general: &mut RecordChunk, end: usize) {
    let mut index = general.written_index;
    for slot in general.written..end {
        let is_record = general.is_record(slot);
        if is_record && general.slots[slot].answer.is_none() {
            general.later.push((slot, index));
        }
        index += u64::from(is_record);
    }
}

/// Sets the final verdict on every record before `end`.
///
/// The verdict is `internal` if the engine gave a wrong result. It is `unknown` if the run was stopped before
/// the record had a verdict.
fn settle_verdicts(general: &mut RecordChunk, end: usize, control: &Control) {
    for slot in general.written..end {
        if general.slots[slot].answer.is_none() && general.is_record(slot) && !general.is_left_out(slot) {
            let mut answer =
                Answer::without_search(Status::Unknown, Reason::Text("the run was stopped".to_owned()));
            answer.ended_by = control.stop().unwrap_or(EndedBy::Cancel);
            general.slots[slot].answer = Some(answer);
        }
    }
    let RecordChunk { faults, slots, .. } = general;
    faults.retain_mut(|(slot, fault)| {
        let answer = slots[*slot].answer.as_ref().filter(|_| *slot < end);
        // If a record has several faults, only the first is reported.
        if answer.is_some_and(|answer| answer.status != Status::Internal) {
            let reason = Reason::Text(std::mem::take(fault));
            slots[*slot].answer = Some(Answer::without_search(Status::Internal, reason));
        }
        *slot >= end
    });
}

struct Writer<'s> {
    shared: &'s Shared,
    chunk: &'s Chunk,
    general: &'s RecordChunk,
    drawn: &'s mut Drawn,
    /// True if some values of the records may not fit into the output format.
    may_lose: bool,
    /// Indices of solutions, in the order in which they are written. Solutions before the position `next` are
    /// already written.
    order: Vec<u32>,
    next: usize,
    /// Slot of the next record to write.
    slot: usize,
    index: u64,
    rows: u64,
}

impl<'s> Writer<'s> {
    /// Writes all output of the next record.
    fn record(&mut self, output: &mut ChunkOutput) {
        let general = self.general;
        match &general.slots[self.slot].answer {
            Some(answer) => {
                let failed;
                let mut answer = answer;
                if let Query::Augment(augmentation) = self.shared.options.ask {
                    if let Err(reason) = self.images(output, answer, &augmentation) {
                        if output.cut {
                            return;
                        }
                        failed = Answer::without_search(Status::Unsupported, Reason::Text(reason));
                        answer = &failed;
                    }
                } else if self.shared.options.ask.is_several() {
                    self.several(output);
                    let ends_badly = answer.ended_by.is_early() || answer.status == Status::Internal;
                    if self.rows == 0 || ends_badly {
                        self.row(output, Some(answer), None, None);
                    } else if self.shared.options.input.cubes.is_some() {
                        // `combine` needs one final row per cube, which proves that no solution of the cube
                        // is missing.
                        self.row(output, Some(answer), None, Some(self.rows));
                    }
                } else {
                    self.row(output, Some(answer), self.solution(), None);
                }
                self.account(output, answer);
                self.mark_keys(output, answer);
                self.end_part(output, answer);
                self.index += 1;
                self.rows = 0;
            }
            None if general.is_left_out(self.slot) => self.index += 1,
            None => self.row(output, None, None, None),
        }
        self.slot += 1;
    }

    /// Returns the solution that belongs to the verdict on the record, or `None` without a solution.
    #[inline]
    fn solution(&self) -> Option<Solution<'s>> {
        self.general.solution(self.slot)
    }

    /// Returns the record's result beyond the answer, such as its rating, or `None` if there is none.
    fn result(&self) -> Option<&'s RecordResult> {
        let answer = self.general.slots[self.slot].answer.as_ref();
        // If a defect was detected in a record, its result is not shown.
        answer.filter(|answer| answer.status != Status::Internal)?;
        of_slot(&self.general.results, self.slot)
    }

    /// Adds the record's hashes to the output, if the run is a comparison.
    fn mark_keys(&self, output: &mut ChunkOutput, answer: &Answer) {
        if !matches!(self.shared.options.ask, Query::Compare(_)) {
            return;
        }
        let text = self.general.record(self.slot).text.slice(&self.chunk.bytes);
        output.keys.push(KeyMark {
            index: self.index,
            keys: match of_slot(&self.general.results, self.slot) {
                Some(RecordResult::Keys(keys)) => *keys,
                _ => Keys::default(),
            },
            text: xxh3_128(text),
            status: answer.status,
            notation: self.shared.formatter.notation(&self.chunk.layout, text),
            rows_end: output.rows.len(),
        });
    }

    /// Writes the stored solutions of the record, one row per solution.
    fn several(&mut self, output: &mut ChunkOutput) {
        let general = self.general;
        while let Some(&number) = self.order.get(self.next)
            && general.found_by[number as usize] as usize == self.slot
        {
            self.rows += 1;
            self.row(output, None, Some(general.found.get(number as usize)), Some(self.rows));
            self.next += 1;
        }
    }

    /// Appends one row to the chunk's output, unless the caller excludes rows of this status.
    fn row(
        &self,
        output: &mut ChunkOutput,
        answer: Option<&Answer>,
        solution: Option<Solution<'_>>,
        solution_index: Option<u64>,
    ) {
        let (options, general) = (&self.shared.options, self.general);
        let skipped = matches!(general.record(self.slot).body, Body::Skipped);
        let invalid = answer.is_some_and(|answer| answer.status == Status::Invalid);
        if !skipped && !self.wants(answer) || invalid && options.on_error != OnError::Row {
            return;
        }
        let converted = general.converted.get(self.slot);
        // A record that the other format cannot hold gets no row. It is reported and listed in the rejects
        // file.
        if options.ask.conversion().is_some() && !skipped && converted.is_none() {
            return;
        }
        let is_ranked = answer.is_none() && matches!(options.ask, Query::Best(_));
        let row = Row {
            answer,
            converted,
            score: is_ranked.then(|| score_of(general, self.slot, solution?)).flatten(),
            solution,
            solution_index,
            ..self.row_of_record()
        };
        let is_met = |Condition { field, low, high }: &Condition| {
            field.number(&row).is_some_and(|number| (*low..=*high).contains(&number))
        };
        if !skipped && !options.conditions.iter().all(is_met) {
            return;
        }
        // Losses are counted once per record, at its first row.
        let is_first = solution_index.map_or(self.rows == 0, |number| number == 1);
        self.write(output, &row, is_first);
    }

    /// Writes the record and its images, one row each.
    ///
    /// If the run is stopped, the output ends before the record.
    ///
    /// # Errors
    /// Returns the reason why the record has no rows.
    fn images(
        &self,
        output: &mut ChunkOutput,
        answer: &Answer,
        augmentation: &Augmentation,
    ) -> Result<(), String> {
        let row = self.row_of_record();
        if answer.status != Status::Parsed {
            return Ok(());
        }
        let (rows, count) = (output.rows.len(), output.row_count);
        let most = self.shared.memory.images();
        let augmentation =
            &augmentation.with_blank_of(row.record.puzzle.slice(&self.chunk.bytes), row.record.symbols);
        let is_stopped = || self.shared.control.stop().is_some();
        let made = augment::each(augmentation, &row, is_stopped, |image| {
            let row = Row {
                answer: Some(answer),
                converted: Some((image.text, image.losses)),
                given: image.given,
                result: Some(&image.copy),
                ..row
            };
            self.write(output, &row, image.is_record);
            match output.rows.len() - rows > most {
                true => Err(format!("its rows take more than {most} bytes (use fewer --copies)")),
                false => Ok(()),
            }
        });
        if made.is_err() {
            output.rows.truncate(rows);
            output.row_count = count;
            output.cut = is_stopped();
        }
        made
    }

    /// Returns a row with everything known about the record except its answer.
    fn row_of_record(&self) -> Row<'_> {
        let general = self.general;
        let record = general.record(self.slot);
        let given = match record.given {
            GivenSolution::Digits(place) => Some(place.slice(&general.records.given)),
            _ => None,
        };
        Row {
            layout: &self.chunk.layout,
            bytes: &self.chunk.bytes,
            source: &self.chunk.source,
            index: self.index,
            record,
            values: &[],
            problem: general.records.problem(record),
            answer: None,
            result: self.result(),
            converted: None,
            given,
            possible: of_slot(&general.possible, self.slot),
            needs: of_slot(&general.needs, self.slot),
            score: None,
            solution: None,
            solution_index: None,
            engine: general.slots[self.slot].engine.map_or("", |selection| selection.kind.name()),
            time_ns: general.slots[self.slot].time_ns(),
        }
    }

    /// Appends a row to the chunk's output. Losses are only counted at the first row of a record.
    fn write(&self, output: &mut ChunkOutput, row: &Row<'_>, is_first: bool) {
        let (options, skipped) = (&self.shared.options, matches!(row.record.body, Body::Skipped));
        let before = output.rows.len();
        self.shared.formatter.row(row, &mut output.rows);
        output.row_count += u64::from(!skipped);
        if is_first {
            output.note_losses(&*self.shared.formatter, row, self.may_lose && !skipped);
        }
        let silent = output.rows.len() == before && !skipped;
        if let Some(answer) = row.answer.filter(|_| silent && options.output.format == OutputFormat::Contest)
        {
            output.notices.push(notice(row.index, answer));
        }
    }

    /// Returns true if a row with this answer is wanted.
    ///
    /// `answer` is `None` for a row that shows one of several solutions.
    fn wants(&self, answer: Option<&Answer>) -> bool {
        let only = &self.shared.options.only;
        let steps = &self.shared.options.steps;
        if !steps.is_empty()
            && !self
                .result()
                .and_then(RecordResult::rated)
                .and_then(|(_, rated)| rated.steps())
                .is_some_and(|rating| steps.accepts(rating))
        {
            return false;
        }
        let found = [Status::Solved, Status::Unique, Status::Multiple];
        // If `--only` names relations, the comparison selects the rows, both by relation and by status. Then
        // all rows are wanted here.
        only.is_empty()
            || !self.shared.options.only_relations.is_empty()
            || answer.map_or_else(
                || found.iter().any(|status| only.contains(status)),
                |answer| only.contains(&answer.status),
            )
    }

    /// Adds the record to the statistics, and to the outcomes and rejects if the run writes them.
    fn account(&mut self, output: &mut ChunkOutput, answer: &Answer) {
        let general = self.general;
        let record = general.record(self.slot);
        let engine = general.slots[self.slot].engine;
        let ask = self.shared.options.ask;
        let entry = AnsweredRecord {
            index: self.index,
            source: &self.chunk.source,
            line: record.line,
            problem: general.records.problem(record),
            answer,
            solution: self.solution().filter(|_| !matches!(ask, Query::Rate(_)) && !ask.is_several()),
            result: self.result(),
            audited: of_slot(&general.audited, self.slot).copied(),
            grid: transformed::hash_of_converted(ask, answer, general.records.problem(record)),
            engine: engine.map_or("", |selection| selection.kind.name()),
            chosen: engine.map_or("", |selection| selection.reason.text()),
            time_ns: general.slots[self.slot].time_ns(),
        };
        output.statistics.record(&entry);
        if let Some(problem) = entry.problem
            && self.shared.options.clue_maps
        {
            output.statistics.map_clues(problem, self.result().and_then(RecordResult::rated));
        }
        if self.shared.options.outcomes {
            let text = record.puzzle.slice(&self.chunk.bytes);
            // Some engines always measure time. Without `--timings`, the file omits times, because it must be
            // the same in every run.
            let time_ns = entry.time_ns.filter(|_| self.shared.options.preference.timings);
            RecordOutcome::new(text, &AnsweredRecord { time_ns, ..entry }).write(&mut output.outcomes);
        }
        output.answered += 1;
        if self.shared.wants_rejects && self.shared.options.is_reject(answer.status) {
            let raw = record.text.slice(&self.chunk.bytes);
            write_reject(record.line, record.byte, &reason_of(answer), raw, &mut output.rejects);
        }
    }

    /// Draws those of the hardest records in the current part of the output that have no drawing yet.
    fn draw(&mut self, output: &mut ChunkOutput) {
        let general = self.general;
        output.statistics.hardest.draw(self.drawn, |index| {
            let number = usize::try_from(index.checked_sub(general.written_index)?).ok()?;
            let mut records = (general.written..self.slot).filter(|&slot| general.is_record(slot));
            let slot = records.nth(number)?;
            Drawing::of_problem(general.problem(slot)?, general.solution(slot))
        });
    }

    /// Ends the current part of the output if the record was rejected and the number of rejects is limited.
    /// The run may have to stop at this record.
    fn end_part(&mut self, output: &mut ChunkOutput, answer: &Answer) {
        let options = &self.shared.options;
        let Some(allowed) = options.rejects_allowed().filter(|_| options.is_reject(answer.status)) else {
            return;
        };
        // The run stops at the latest at the first reject above the limit. So no more parts are needed.
        if output.earlier.len() as u64 <= allowed {
            let record = self.general.record(self.slot);
            let source = Arc::clone(&self.chunk.source);
            let place = Location { source, record: self.index, line: record.line, byte: record.byte };
            self.draw(output);
            output.end_part(options.top, Reject { place, reason: reason_of(answer) });
        }
    }
}

/// Returns the value for `slot` in a list sorted by slot, or `None` if the slot has no value.
fn of_slot<T>(list: &[(usize, T)], slot: usize) -> Option<&T> {
    // Usually every slot has a value, so the index in the list follows from the slot. A binary search would
    // wait for memory several times.
    let place = slot.checked_sub(list.first()?.0)?;
    if let Some((_, value)) = list.get(place).filter(|(other, _)| *other == slot) {
        return Some(value);
    }
    let place = list.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
    Some(&list[place].1)
}

/// Returns the reason for an answer as text, or an empty string without a reason.
fn reason_of(answer: &Answer) -> String {
    answer.reason.as_ref().map_or_else(String::new, |reason| reason.to_string())
}

/// Returns the message for standard error about a record that gets no row in contest output.
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

/// Appends a line of the rejects file: line number, byte offset, reason and raw text, separated by tabs.
fn write_reject(line: u64, byte: u64, reason: &str, raw: &[u8], out: &mut Vec<u8>) {
    let in_column = |&byte: &u8| if matches!(byte, b'\n' | b'\r' | b'\t') { b' ' } else { byte };
    out.extend_from_slice(format!("{line}\t{byte}\t").as_bytes());
    out.extend(reason.as_bytes().iter().map(in_column));
    out.push(b'\t');
    out.extend(raw.iter().map(in_column));
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_slots_may_have_gaps() {
        let list = [(2, 'a'), (3, 'b'), (6, 'c')];
        let found = [0, 1, 2, 3, 4, 5, 6, 7].map(|slot| of_slot(&list, slot).copied());
        assert_eq!(found, [None, None, Some('a'), Some('b'), None, None, Some('c'), None]);
    }

    #[test]
    fn a_reject_is_one_line_of_four_columns() {
        let mut out = Vec::new();
        write_reject(7, 90, "no\r\nname\there", b"1\t2\n3", &mut out);
        assert_eq!(out, b"7\t90\tno  name here\t1 2 3\n");
    }
}
