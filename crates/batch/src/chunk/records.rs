//! A chunk of records of any kind: one slot per record, and the solutions found.

use std::time::{Duration, Instant};

use crate::chunk::converted_text::Converted;
use crate::stats::nanoseconds;
use quadrille_engine::{NoResult, Selection};
use quadrille_formats::input::{Body, Record, Records};
use quadrille_formats::output::RecordResult;
use quadrille_model::{Answer, ClueNeeds, EndedBy, PossibleDigits, ProblemRef, Solution, Solutions, Status};

/// Number that means "no solution".
pub(crate) const NONE: u32 = u32::MAX;
/// Owner of a kept solution that is no longer wanted.
pub(crate) const NOBODY: u32 = u32::MAX;
/// Number that means "no engine".
pub(crate) const NO_ENGINE: u8 = u8::MAX;

/// State of one record.
///
/// A chunk has thousands of slots: details that only few records have are stored elsewhere.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Verdict on the record, once known.
    pub answer: Option<Answer>,
    pub timing: Timing,
    /// Index into [`RecordChunk::found`] of the solution that belongs to the verdict; [`NONE`] without one.
    pub solution: u32,
    /// Index into `RecordChunk::engines` of the engine for the record; [`NO_ENGINE`] if none was needed.
    pub engine: u8,
    /// True if the current search is the short search that decides whether the record is hard.
    pub is_short: bool,
}

/// Clock of a record's search, used if its engine works on one record at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Timing {
    None,
    /// Running since this moment.
    Since(Instant),
    /// Stopped after this time.
    Took(Duration),
}

impl Slot {
    const NEW: Slot =
        Slot { answer: None, timing: Timing::None, solution: NONE, engine: NO_ENGINE, is_short: false };

    /// Returns the time of the search in nanoseconds, or `None` if it was not measured.
    pub(crate) fn time_ns(&self) -> Option<u64> {
        match self.timing {
            Timing::Took(time) => Some(nanoseconds(time)),
            Timing::None | Timing::Since(_) => None,
        }
    }

    /// Stops the clock, if it runs.
    pub(crate) fn stop_clock(&mut self) {
        if let Timing::Since(began) = self.timing {
            self.timing = Timing::Took(began.elapsed());
        }
    }

    /// Restarts the clock, if it was stopped.
    pub(crate) fn resume_clock(&mut self) {
        if let Timing::Took(time) = self.timing {
            let now = Instant::now();
            self.timing = Timing::Since(now.checked_sub(time).unwrap_or(now));
        }
    }
}

/// Columns of a chunk of records of any kind; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct RecordChunk {
    pub records: Records,
    /// Time that reading the chunk's only exact cover problem took, which counts towards the time limit; zero for
    /// grids.
    pub reading: Duration,
    /// One per entry of `records.list`.
    pub slots: Vec<Slot>,
    /// Engines that work on the records, with the reasons for their choice: one or two.
    engines: Vec<Selection>,
    /// Messages about wrong results of engines, by slot. Mostly empty.
    pub faults: Vec<(usize, String)>,
    /// Name of the second engine of each audited slot, and true if it agreed, by ascending slot.
    pub audited: Vec<(usize, (&'static str, bool))>,
    pub found: Solutions,
    /// Results of the verb besides the answers, by ascending slot.
    pub results: Vec<(usize, RecordResult)>,
    /// Digits that occur in some solution, if requested, by ascending slot.
    pub possible: Vec<(usize, PossibleDigits)>,
    /// Which clues are needed, if requested, by ascending slot.
    pub needs: Vec<(usize, ClueNeeds)>,
    /// Puzzles written in another format, if requested.
    pub converted: Converted,
    /// Slot of each solution in `found`.
    pub found_by: Vec<u32>,
    /// Bytes in `found` that belong to later slots than the record being streamed.
    pub found_behind: usize,
    /// First slot that is not written.
    pub written: usize,
    /// End of the slots to write next. The slots from here on were written earlier or are written later.
    until: usize,
    /// Slots of hard records that are left out for now, with the numbers of the records.
    later: Vec<(usize, u64)>,
    /// Number of the record in slot `written`.
    pub written_index: u64,
    /// Number of rows written so far for that record, if each solution has its own row.
    pub written_rows: u64,
}

impl RecordChunk {
    /// Starts over with the parsed records in `records`; the first has number `first_index`.
    pub(crate) fn start(&mut self, first_index: u64) {
        self.forget_solutions_to(usize::MAX);
        let RecordChunk { records, mut slots, found, found_by, converted, .. } = std::mem::take(self);
        slots.clear();
        slots.resize_with(records.list.len(), || Slot::NEW);
        *self = RecordChunk { records, slots, found, found_by, converted, ..RecordChunk::default() };
        self.converted.clear();
        (self.until, self.written_index) = (usize::MAX, first_index);
    }

    pub(crate) fn record(&self, slot: usize) -> &Record {
        &self.records.list[slot]
    }

    /// Returns the number of the record of a slot that is not written.
    pub(crate) fn number_of(&self, slot: usize) -> u64 {
        self.written_index + (self.written..slot).filter(|&slot| self.is_record(slot)).count() as u64
    }

    /// Returns the problem of a slot's record, or `None` if the record is not a problem.
    pub(crate) fn problem(&self, slot: usize) -> Option<ProblemRef<'_>> {
        self.records.problem(self.record(slot))
    }

    /// Returns the problem of a record that was given to an engine.
    ///
    /// Panics if the record is not a problem; only problems are given to engines.
    pub(crate) fn searched(&self, slot: usize) -> ProblemRef<'_> {
        self.problem(slot).expect("only problems are searched")
    }

    /// Returns the kept solution of a record, or `None`.
    pub(crate) fn solution(&self, slot: usize) -> Option<Solution<'_>> {
        let number = self.slots[slot].solution;
        (number != NONE).then(|| self.found.get(number as usize))
    }

    /// Notes why a question about an answered record has no result.
    ///
    /// A record whose searches end early keeps its answer; in a stopped run it is unanswered.
    pub(crate) fn note_no_result(&mut self, slot: usize, why: NoResult) {
        match why {
            NoResult::Broken(fault) => self.faults.push((slot, fault)),
            NoResult::Unsupported(_) => {}
            NoResult::Early(by) => {
                if let Some(answer) = &mut self.slots[slot].answer {
                    answer.ended_by = by;
                    if matches!(by, EndedBy::Cancel | EndedBy::Deadline) {
                        answer.status = Status::Unknown;
                    }
                }
            }
        }
    }

    /// Returns the end of the slots to write next.
    pub(crate) fn end(&self) -> usize {
        self.slots.len().min(self.until)
    }

    /// Leaves out the record of a slot, which is still being searched.
    pub(crate) fn leave_out(&mut self, slot: usize, record: u64) {
        self.later.push((slot, record));
    }

    /// Returns true if the record of a slot was left out.
    pub(crate) fn is_left_out(&self, slot: usize) -> bool {
        self.later.iter().any(|&(later, _)| later == slot)
    }

    /// Returns true if records were left out and not written since.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.later.is_empty()
    }

    /// Selects a record that was left out as the next one to write. Returns false if the record was not left out.
    pub(crate) fn go_to(&mut self, slot: usize) -> bool {
        let Some(place) = self.later.iter().position(|&(later, _)| later == slot) else { return false };
        (self.written, self.written_index) = self.later.swap_remove(place);
        self.until = slot + 1;
        self.written_rows = 0;
        true
    }

    /// Returns the slot before which the rows of a stopped run end, or `None` if nothing is missing.
    ///
    /// Rows end before the first record with no result, or after the first record that was stopped with a partial
    /// result. Slots from `cursor` on have not been examined.
    pub(crate) fn end_of_stopped(&self, cursor: usize) -> Option<usize> {
        let end = |slot: usize| match &self.slots[slot].answer {
            None => (self.is_record(slot) || slot >= cursor).then_some(slot),
            Some(answer) => matches!(answer.ended_by, EndedBy::Cancel | EndedBy::Deadline)
                .then_some(slot + usize::from(answer.status != Status::Unknown)),
        };
        (self.written..self.end()).find_map(end)
    }

    /// Keeps a solution of a slot's record. If `first_only`, later solutions are ignored.
    pub(crate) fn keep(&mut self, slot: usize, solution: Solution<'_>, first_only: bool) {
        if !first_only || self.slots[slot].solution == NONE {
            self.slots[slot].solution = self.found.push(solution) as u32;
            self.found_by.push(slot as u32);
        }
    }

    /// Drops the solutions of a record.
    ///
    /// If an engine holds several jobs, solutions of other records may follow. Then dropped solutions stay in memory,
    /// unused, until the chunk is written.
    pub(crate) fn forget_solutions_of(&mut self, slot: usize) {
        self.slots[slot].solution = NONE;
        for by in &mut self.found_by {
            if *by == slot as u32 {
                *by = NOBODY;
            }
        }
        while self.found_by.last() == Some(&NOBODY) {
            self.found_by.pop();
        }
        self.found.truncate(self.found_by.len());
    }

    /// Drops the kept solutions of the slots before `end`.
    ///
    /// Solutions of later slots stay and are renumbered: engines that hold several records may already have found some.
    pub(crate) fn forget_solutions_to(&mut self, end: usize) {
        let stays = |slot: u32| slot != NOBODY && slot as usize >= end;
        self.found_behind = 0;
        if !self.found_by.iter().any(|&slot| stays(slot)) {
            self.found.clear();
            self.found_by.clear();
            return;
        }
        let (found, found_by) = (std::mem::take(&mut self.found), std::mem::take(&mut self.found_by));
        for (number, (solution, &slot)) in found.iter().zip(&found_by).enumerate() {
            if stays(slot) {
                let kept = self.found.push(solution) as u32;
                self.found_by.push(slot);
                let of_verdict = &mut self.slots[slot as usize].solution;
                if *of_verdict == number as u32 {
                    *of_verdict = kept;
                }
            }
        }
        self.found_behind = self.found.bytes();
    }

    /// Returns the engine of a slot's record with the reason for its choice, or `None`.
    #[inline]
    pub(crate) fn engine_of(&self, slot: usize) -> Option<Selection> {
        self.engines.get(usize::from(self.slots[slot].engine)).copied()
    }

    /// Sets the engine of a slot's record.
    #[inline]
    pub(crate) fn set_engine(&mut self, slot: usize, selection: Selection) {
        let number = self.engines.iter().position(|known| *known == selection).unwrap_or_else(|| {
            self.engines.push(selection);
            self.engines.len() - 1
        });
        self.slots[slot].engine = number as u8;
    }

    /// Returns true unless the slot is a skipped line.
    pub(crate) fn is_record(&self, slot: usize) -> bool {
        !matches!(self.record(slot).body, Body::Skipped)
    }
}
