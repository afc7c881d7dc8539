//! A chunk of records of any kind. It has one slot (state) per record, and the solutions found.

use std::time::{Duration, Instant};

use crate::chunk::converted_text::Converted;
use crate::stats::nanoseconds;
use quadrille_engine::{EngineKind, NoResult, Selection};
use quadrille_formats::input::{Body, Record, Records};
use quadrille_formats::output::RecordResult;
use quadrille_model::{Answer, ClueNeeds, EndedBy, PossibleDigits, ProblemRef, Solution, Solutions, Status};

/// Slot number for a solution that is not needed any more.
pub(crate) const NOBODY: u32 = u32::MAX;

/// State of one record.
///
/// A chunk has thousands of slots, so data that few records have is stored elsewhere.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Verdict on the record, or `None` if not known yet.
    pub answer: Option<Answer>,
    pub timing: Timing,
    /// Index in [`RecordChunk::found`] of the solution that belongs to the verdict, or `None` if there is no
    /// solution.
    pub solution: Option<u32>,
    /// Engine that was chosen for the record, with the reason. `None` if no engine was chosen.
    pub engine: Option<Selection>,
    /// True if the current search is short. A short search decides whether the record is hard.
    pub is_short: bool,
}

/// Clock of a record's search. It only runs if the engine works on one record at a time.
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
        Slot { answer: None, timing: Timing::None, solution: None, engine: None, is_short: false };

    /// Returns the search time in nanoseconds, or `None` if it was not measured.
    pub(crate) fn time_ns(&self) -> Option<u64> {
        match self.timing {
            Timing::Took(time) => Some(nanoseconds(time)),
            Timing::None | Timing::Since(_) => None,
        }
    }

    /// Stops the clock if it is running.
    pub(crate) fn stop_clock(&mut self) {
        if let Timing::Since(began) = self.timing {
            self.timing = Timing::Took(began.elapsed());
        }
    }

    /// Restarts the clock if it was stopped.
    pub(crate) fn resume_clock(&mut self) {
        if let Timing::Took(time) = self.timing {
            let now = Instant::now();
            self.timing = Timing::Since(now.checked_sub(time).unwrap_or(now));
        }
    }
}

/// A chunk of records of any kind (see the [module](self)).
#[derive(Debug, Default)]
pub(crate) struct RecordChunk {
    pub records: Records,
    /// Time that was needed to read the only exact cover problem in the chunk, or zero for grids.
    ///
    /// This time counts towards the time limit.
    pub reading: Duration,
    /// One per entry of `records.list`.
    pub slots: Vec<Slot>,
    /// Slots of records for which an engine gave a wrong result, with a message each. Usually empty.
    pub faults: Vec<(usize, String)>,
    /// Audited slots in ascending order. Each has the name of the second engine, and true if the second
    /// engine agreed.
    pub audited: Vec<(usize, (&'static str, bool))>,
    pub found: Solutions,
    /// Results beyond the answer, such as ratings or images, in ascending order of slots.
    pub results: Vec<(usize, RecordResult)>,
    /// Digits that occur in at least one solution of a record, in ascending order of slots. Empty if not
    /// requested.
    pub possible: Vec<(usize, PossibleDigits)>,
    /// Information about the needed clues of a record, in ascending order of slots. Empty if not requested.
    pub needs: Vec<(usize, ClueNeeds)>,
    /// Puzzles converted to another format. Empty if not requested.
    pub converted: Converted,
    /// For each solution in `found`, the slot of its record, or [`NOBODY`] if the solution is not needed any
    /// more.
    pub found_by: Vec<u32>,
    /// Number of bytes in `found` that belong to slots after the record whose solutions are being streamed.
    pub found_behind: usize,
    /// First slot whose rows are not written yet.
    pub written: usize,
    /// Slot before which the next writing of rows ends. Slots from this one on were already written, or a
    /// later call writes them.
    until: usize,
    /// Slots of hard records whose rows are written later, each with the number of its record.
    pub later: Vec<(usize, u64)>,
    /// Number of the record in the slot `written`.
    pub written_index: u64,
    /// Number of rows written so far for the record in the slot `written`. Only used if every solution has
    /// its own row.
    pub written_rows: u64,
}

impl RecordChunk {
    /// Prepares the chunk for new records, which are already in `records`.
    ///
    /// The first record has the number `first_index`.
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

    /// Returns the number of the record in a slot whose rows are not written yet.
    pub(crate) fn number_of(&self, slot: usize) -> u64 {
        self.written_index + (self.written..slot).filter(|&slot| self.is_record(slot)).count() as u64
    }

    /// Returns the problem of a slot's record, or `None` if the record does not contain a problem.
    pub(crate) fn problem(&self, slot: usize) -> Option<ProblemRef<'_>> {
        self.records.problem(self.record(slot))
    }

    /// Returns the problem of a record that an engine searches or has searched.
    ///
    /// Panics if the record does not contain a problem. Engines only receive problems.
    pub(crate) fn searched(&self, slot: usize) -> ProblemRef<'_> {
        self.problem(slot).expect("only problems are searched")
    }

    /// Returns the problem and the engine of a record that an engine searches or will search.
    ///
    /// Panics if no engine was chosen for the record.
    pub(crate) fn job(&self, slot: usize) -> (ProblemRef<'_>, EngineKind) {
        let selection = self.slots[slot].engine.expect("the engine is chosen before the search begins");
        (self.searched(slot), selection.kind)
    }

    /// Returns the kept solution of a slot's record, or `None` if there is none.
    pub(crate) fn solution(&self, slot: usize) -> Option<Solution<'_>> {
        self.slots[slot].solution.map(|number| self.found.get(number as usize))
    }

    /// Returns the slots of records that have exactly one solution and whose rows are written next.
    pub(crate) fn uniquely_solved(&self) -> Vec<usize> {
        let is_proper = |slot: &usize| {
            let answer = self.slots[*slot].answer.as_ref();
            answer.is_some_and(|answer| {
                matches!(
                    answer.status,
                    Status::Unique | Status::Correct | Status::Missing | Status::NonMinimal
                )
            })
        };
        (self.written..self.end()).filter(is_proper).collect()
    }

    /// Notes why an additional result for an answered record, such as its rating, is missing.
    ///
    /// If the computation ended early at a limit, the record keeps its answer. If it ended because the run
    /// was stopped, the record becomes unanswered.
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

    /// Returns the slot before which the next writing of rows ends.
    pub(crate) fn end(&self) -> usize {
        self.slots.len().min(self.until)
    }

    /// Returns true if the rows of the record in a slot were postponed.
    pub(crate) fn is_left_out(&self, slot: usize) -> bool {
        self.later.iter().any(|&(later, _)| later == slot)
    }

    /// Returns true if any postponed rows are not written yet.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.later.is_empty()
    }

    /// Selects a postponed record as the next one to write. Returns false if the record was not postponed.
    pub(crate) fn go_to(&mut self, slot: usize) -> bool {
        let Some(place) = self.later.iter().position(|&(later, _)| later == slot) else { return false };
        (self.written, self.written_index) = self.later.swap_remove(place);
        self.until = slot + 1;
        self.written_rows = 0;
        true
    }

    /// Returns the slot before which the rows of a stopped run end. Returns `None` if every record has its
    /// result.
    ///
    /// The rows end before the first record without a result, or after the first record that was stopped with
    /// a partial result. Slots from `cursor` on have not been examined.
    pub(crate) fn end_of_stopped(&self, cursor: usize) -> Option<usize> {
        let end = |slot: usize| match &self.slots[slot].answer {
            None => (self.is_record(slot) || slot >= cursor).then_some(slot),
            Some(answer) => matches!(answer.ended_by, EndedBy::Cancel | EndedBy::Deadline)
                .then_some(slot + usize::from(answer.status != Status::Unknown)),
        };
        (self.written..self.end()).find_map(end)
    }

    /// Stores a solution of a slot's record. If `first_only` is true, the record's later solutions are
    /// ignored.
    pub(crate) fn keep(&mut self, slot: usize, solution: Solution<'_>, first_only: bool) {
        if !first_only || self.slots[slot].solution.is_none() {
            self.slots[slot].solution = Some(self.found.push(solution) as u32);
            self.found_by.push(slot as u32);
        }
    }

    /// Discards the solutions of a slot's record.
    ///
    /// If solutions of other records were stored later, the discarded solutions stay in memory until the
    /// chunk is written. This happens if an engine works on several records at once.
    pub(crate) fn forget_solutions_of(&mut self, slot: usize) {
        self.slots[slot].solution = None;
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

    /// Discards the stored solutions of the slots before `end`.
    ///
    /// Keeps the solutions of later slots, but gives them new indices. Later slots only have solutions if an
    /// engine works on several records at once.
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
                if *of_verdict == Some(number as u32) {
                    *of_verdict = Some(kept);
                }
            }
        }
        self.found_behind = self.found.bytes();
    }

    /// Returns true if the slot belongs to a record and not to a skipped line.
    pub(crate) fn is_record(&self, slot: usize) -> bool {
        !matches!(self.record(slot).body, Body::Skipped)
    }
}
