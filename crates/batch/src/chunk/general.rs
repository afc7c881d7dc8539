//! A chunk of records of any kind: a slot for the state of each, and the solutions found.

use std::time::{Duration, Instant};

use crate::chunk::converted::Converted;
use crate::chunk::output::Keys;
use crate::stats::nanoseconds;
use quadrille_engine::Selection;
use quadrille_engine::scales::Rated;
use quadrille_formats::input::{Body, Record, Records};
use quadrille_model::canonical::Image;
use quadrille_model::{Answer, EndedBy, ProblemRef, Solution, Solutions, Status};

/// No solution.
pub(crate) const NONE: u32 = u32::MAX;
/// Owner of a kept solution that is not wanted any more.
pub(crate) const NOBODY: u32 = u32::MAX;
/// No engine.
pub(crate) const NO_ENGINE: u8 = u8::MAX;

/// The state of one record. There are thousands in a chunk: details that only few records have stand elsewhere.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The verdict, once there is one.
    pub answer: Option<Answer>,
    pub timing: Timing,
    /// Number in [`GeneralChunk::found`] of the solution behind the verdict; [`NONE`] without one.
    pub solution: u32,
    /// Number in `GeneralChunk::engines` of the engine that works or worked on it; [`NO_ENGINE`] where none was needed.
    pub engine: u8,
    /// Its search is the short one that decides whether the record is hard.
    pub is_short: bool,
}

/// The clock of a record's search, where its engine works on one record at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Timing {
    None,
    /// Its search began then.
    Since(Instant),
    /// Its search took so long so far.
    Took(Duration),
}

impl Slot {
    const NEW: Slot =
        Slot { answer: None, timing: Timing::None, solution: NONE, engine: NO_ENGINE, is_short: false };

    /// Returns the time of its search, in nanoseconds, where that was measured.
    pub(crate) fn time_ns(&self) -> Option<u64> {
        match self.timing {
            Timing::Took(time) => Some(nanoseconds(time)),
            Timing::None | Timing::Since(_) => None,
        }
    }

    /// Stops its clock, where it has one.
    pub(crate) fn stop_clock(&mut self) {
        if let Timing::Since(began) = self.timing {
            self.timing = Timing::Took(began.elapsed());
        }
    }

    /// Lets its clock go on, where it has one.
    pub(crate) fn resume_clock(&mut self) {
        if let Timing::Took(time) = self.timing {
            let now = Instant::now();
            self.timing = Timing::Since(now.checked_sub(time).unwrap_or(now));
        }
    }
}

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct GeneralChunk {
    pub records: Records,
    /// One per entry of `records.list`.
    pub slots: Vec<Slot>,
    /// The engines that work on its records, with the reasons: one or two.
    engines: Vec<Selection>,
    /// Messages about wrong results of engines, by slot: mostly none.
    pub faults: Vec<(usize, String)>,
    pub found: Solutions,
    /// Grids under maps, and by what records are compared, where that was asked for: by slot, ascending.
    pub images: Vec<(usize, Image)>,
    pub keys: Vec<(usize, Keys)>,
    /// Ratings, with their scales, where those were asked for: by slot, ascending.
    pub rated: Vec<(usize, (&'static str, Rated))>,
    /// Their steps as they are written, where those were asked for.
    pub paths: Vec<(usize, Vec<u8>)>,
    /// Puzzles as they are written in another format, where that was asked for.
    pub converted: Converted,
    /// Slot of each of `found`.
    pub found_by: Vec<u32>,
    /// Bytes of `found` that wait for their turn behind a record whose solutions are handed on as they come.
    pub found_behind: usize,
    /// Slots before this one are written.
    pub written: usize,
    /// Slots from this one on are written, or come later.
    until: usize,
    /// Slots of hard records that are left out for now, and the records' numbers.
    later: Vec<(usize, u64)>,
    /// Number of the record of slot `written`.
    pub written_index: u64,
    /// Rows of single solutions of that record that are written, where each has its own.
    pub written_rows: u64,
}

impl GeneralChunk {
    /// Starts over with the records that were parsed into it, the first of this number.
    pub(crate) fn start(&mut self, first_index: u64) {
        self.slots.clear();
        self.slots.resize_with(self.records.list.len(), || Slot::NEW);
        self.engines.clear();
        self.faults.clear();
        self.images.clear();
        self.keys.clear();
        self.rated.clear();
        self.paths.clear();
        self.converted.clear();
        self.written = 0;
        self.until = usize::MAX;
        self.later.clear();
        self.written_index = first_index;
        self.written_rows = 0;
        self.forget_solutions_to(usize::MAX);
    }

    /// The record of a slot.
    pub(crate) fn record(&self, slot: usize) -> &Record {
        &self.records.list[slot]
    }

    /// The problem of a slot's record, where it is one.
    pub(crate) fn problem(&self, slot: usize) -> Option<ProblemRef<'_>> {
        self.records.problem(self.record(slot))
    }

    /// The problem of a record that was handed to an engine: only problems are.
    pub(crate) fn searched(&self, slot: usize) -> ProblemRef<'_> {
        self.problem(slot).expect("only problems are searched")
    }

    /// The kept solution of a record.
    pub(crate) fn solution(&self, slot: usize) -> Option<Solution<'_>> {
        let number = self.slots[slot].solution;
        (number != NONE).then(|| self.found.get(number as usize))
    }

    /// The end of the slots that are to be written next.
    pub(crate) fn end(&self) -> usize {
        self.slots.len().min(self.until)
    }

    /// Leaves the record of a slot out, which is searched yet.
    pub(crate) fn leave_out(&mut self, slot: usize, record: u64) {
        self.later.push((slot, record));
    }

    /// The record of a slot was left out.
    pub(crate) fn is_left_out(&self, slot: usize) -> bool {
        self.later.iter().any(|&(later, _)| later == slot)
    }

    /// True if records were left out and not written since.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.later.is_empty()
    }

    /// Goes to a record that was left out, to write it next; `false` where it was not left out.
    pub(crate) fn go_to(&mut self, slot: usize) -> bool {
        let Some(place) = self.later.iter().position(|&(later, _)| later == slot) else { return false };
        (self.written, self.written_index) = self.later.swap_remove(place);
        self.until = slot + 1;
        self.written_rows = 0;
        true
    }

    /// Returns the end of the rows of a run that was stopped, among the slots that are to be written next: before the first of
    /// which nothing is known, or behind the first that was ended early and of which something is; `None` where all were
    /// answered to their ends. Slots from `cursor` on were not looked at.
    pub(crate) fn end_of_stopped(&self, cursor: usize) -> Option<usize> {
        let end = |slot: usize| match &self.slots[slot].answer {
            None => (self.is_record(slot) || slot >= cursor).then_some(slot),
            Some(answer) => matches!(answer.ended_by, EndedBy::Cancel | EndedBy::Deadline)
                .then_some(slot + usize::from(answer.status != Status::Unknown)),
        };
        (self.written..self.end()).find_map(end)
    }

    /// Keeps a solution of a slot's record; only the first where `first_only`.
    pub(crate) fn keep(&mut self, slot: usize, solution: Solution<'_>, first_only: bool) {
        if !first_only || self.slots[slot].solution == NONE {
            self.slots[slot].solution = self.found.push(solution) as u32;
            self.found_by.push(slot as u32);
        }
    }

    /// Takes back the solutions of a record. They are the last ones unless an engine holds several jobs; then
    /// they stay in memory until the chunk is written, unused.
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

    /// Forgets the kept solutions of the slots before `end`. Those of later slots stay, under new numbers: engines that
    /// hold several records may have answered them already.
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

    /// The engine that works or worked on the record of a slot.
    #[inline]
    pub(crate) fn engine_of(&self, slot: usize) -> Option<Selection> {
        self.engines.get(usize::from(self.slots[slot].engine)).copied()
    }

    /// Notes which engine works on the record of a slot.
    #[inline]
    pub(crate) fn set_engine(&mut self, slot: usize, selection: Selection) {
        let number = self.engines.iter().position(|known| *known == selection).unwrap_or_else(|| {
            self.engines.push(selection);
            self.engines.len() - 1
        });
        self.slots[slot].engine = number as u8;
    }

    /// A slot's record counts as one (skipped lines do not).
    pub(crate) fn is_record(&self, slot: usize) -> bool {
        !matches!(self.record(slot).body, Body::Skipped)
    }
}
