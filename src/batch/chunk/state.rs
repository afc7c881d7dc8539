//! A chunk while it is being worked on: its records, what is known of each, and the solutions found.

use std::sync::Arc;
use std::time::Instant;

use crate::batch::chunk::plain::PlainChunk;
use crate::engine::Selection;
use crate::input::{Body, Chunk, Position, Records};
use crate::model::{Answer, EndedBy, Solutions, Status};
use crate::stats::Statistics;

/// What is known of one record. There are thousands in a chunk: what only few records have stands elsewhere.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The verdict, once there is one.
    pub answer: Option<Answer>,
    pub timing: Timing,
    /// Number in `ChunkState::found` of the solution behind the verdict; [`NONE`] without one.
    pub solution: u32,
    /// Number in `ChunkState::engines` of the engine that works or worked on it; [`NO_ENGINE`] where none was needed.
    pub engine: u8,
    /// Its search is the short one that decides whether the record is split.
    pub probing: bool,
}

/// Of a record whose engine works on one at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Timing {
    None,
    /// Its search began then.
    Since(Instant),
    /// Its search took so many nanoseconds.
    Took(u64),
}

/// No solution.
pub(crate) const NONE: u32 = u32::MAX;
/// Owner of a kept solution that nobody wants any more.
pub(crate) const NOBODY: u32 = u32::MAX;
/// No engine.
pub(crate) const NO_ENGINE: u8 = u8::MAX;

impl Slot {
    const NEW: Slot =
        Slot { answer: None, timing: Timing::None, solution: NONE, engine: NO_ENGINE, probing: false };

    /// How long its search took, where that was measured.
    pub(crate) fn time_ns(&self) -> Option<u64> {
        match self.timing {
            Timing::Took(nanoseconds) => Some(nanoseconds),
            Timing::None | Timing::Since(_) => None,
        }
    }
}

/// Where a rejected record ends in the output, for runs that allow only so many.
#[derive(Debug)]
pub(crate) struct RejectMark {
    /// Record, line and byte, as for an error.
    pub record: u64,
    pub line: u64,
    pub byte: u64,
    pub reason: String,
    /// Length of the output, the rejects and the notices up to and with it.
    pub output_end: usize,
    pub rejects_end: usize,
}

/// What a chunk, or a part of it, adds to the outputs.
#[derive(Debug, Default)]
pub(crate) struct ChunkOutput {
    /// Rows.
    pub output: Vec<u8>,
    /// Lines for the rejects file.
    pub rejects: Vec<u8>,
    /// Lines for standard error.
    pub notices: Vec<String>,
    /// Rejected records, where their number is limited.
    pub marks: Vec<RejectMark>,
    /// Records, answers and counters.
    pub statistics: Statistics,
    /// Rows in `output`.
    pub rows: u64,
    /// Records that are accounted for in this part.
    pub answered: u64,
    /// The source's name, for errors.
    pub source: Arc<str>,
    /// The run was stopped: the output ends here.
    pub cut: bool,
    /// Where the input stands behind them, if they are the last of their chunk.
    pub end: Option<Position>,
}

impl ChunkOutput {
    /// Empty ones, whose statistics keep so many hardest records.
    pub(crate) fn new(top: usize) -> Self {
        ChunkOutput { statistics: Statistics::new(top), ..ChunkOutput::default() }
    }

    /// Empties them, keeping their memory.
    pub(crate) fn clear(&mut self, top: usize) {
        self.output.clear();
        self.rejects.clear();
        self.notices.clear();
        self.marks.clear();
        self.statistics.clear(top);
        self.rows = 0;
        self.answered = 0;
        self.cut = false;
        self.end = None;
    }
}

/// A chunk in work.
#[derive(Debug)]
pub(crate) struct ChunkState {
    pub chunk: Chunk,
    pub records: Records,
    /// One per entry of `records.list`.
    pub slots: Vec<Slot>,
    /// The engines that work on its records, and why these: one or two.
    engines: Vec<Selection>,
    /// What is wrong with what an engine said, by slot: mostly nothing.
    pub faults: Vec<(usize, String)>,
    /// First record that was not looked at yet.
    pub cursor: usize,
    /// Number of the record of slot `cursor`.
    pub cursor_index: u64,
    /// Records that an engine holds.
    pub pending: usize,
    pub found: Solutions,
    /// Slot of each of `found`.
    pub found_by: Vec<u32>,
    /// Bytes of `found` that wait for their turn behind a record whose solutions are handed on as they come.
    pub found_behind: usize,
    /// Slots before this one are written.
    pub written: usize,
    /// Slots from this one on are written, or come later.
    until: usize,
    /// Slots of records that were set aside and come later, and the records' numbers.
    later: Vec<(usize, u64)>,
    /// Number of the record of slot `written`.
    pub written_index: u64,
    /// Rows of single solutions of that record that are written, where each has its own.
    pub written_rows: u64,
    pub pages: ChunkOutput,
    /// Instead of records, slots and solutions, while they can say all that is known.
    pub columns: PlainChunk,
}

impl ChunkState {
    /// Memory for chunks to come.
    pub(crate) fn new(pages: ChunkOutput) -> Self {
        ChunkState {
            chunk: Chunk::default(),
            records: Records::default(),
            slots: Vec::new(),
            engines: Vec::new(),
            faults: Vec::new(),
            cursor: 0,
            cursor_index: 0,
            pending: 0,
            found: Solutions::default(),
            found_by: Vec::new(),
            found_behind: 0,
            written: 0,
            until: usize::MAX,
            later: Vec::new(),
            written_index: 0,
            written_rows: 0,
            pages,
            columns: PlainChunk::new(),
        }
    }

    /// The end of the slots that are to be written next.
    pub(crate) fn end(&self) -> usize {
        self.len().min(self.until)
    }

    /// Leaves the record of a slot out, which is searched yet.
    pub(crate) fn leave_out(&mut self, slot: usize, record: u64) {
        self.later.push((slot, record));
    }

    pub(crate) fn is_left_out(&self, slot: usize) -> bool {
        self.later.iter().any(|&(later, _)| later == slot)
    }

    /// Whether records were left out that nobody has gone to.
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

    /// The first of the slots that are to be written next of which nothing is known because the run was stopped; their
    /// end if there is none.
    pub(crate) fn known_until(&self) -> usize {
        let unknown = |slot: usize| match &self.slots[slot].answer {
            None => self.is_record(slot) || slot >= self.cursor,
            Some(answer) => {
                answer.status == Status::Unknown
                    && matches!(answer.ended_by, EndedBy::Cancel | EndedBy::Deadline)
            }
        };
        (self.written..self.end()).find(|&slot| unknown(slot)).unwrap_or(self.end())
    }

    /// Starts over with the records that were parsed into it.
    pub(crate) fn start(&mut self, index_offset: u64) {
        self.new_slots();
        self.engines.clear();
        self.faults.clear();
        self.cursor = 0;
        self.pending = 0;
        self.written = 0;
        self.until = usize::MAX;
        self.later.clear();
        self.written_index = self.chunk.first_record + index_offset;
        self.written_rows = 0;
        self.cursor_index = self.written_index;
        self.forget_solutions_to(usize::MAX);
    }

    /// A slot each for the records, of which nothing is known.
    pub(crate) fn new_slots(&mut self) {
        self.slots.clear();
        self.slots.resize_with(self.records.list.len(), || Slot::NEW);
    }

    /// How many entries there are, skipped lines included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        if self.columns.in_use { self.columns.lines.count() } else { self.slots.len() }
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

    /// Moves on to the next slot.
    pub(crate) fn advance(&mut self) {
        self.cursor_index += u64::from(self.is_record(self.cursor));
        self.cursor += 1;
    }

    /// Whether every record was looked at and none is with an engine.
    pub(crate) fn is_done(&self) -> bool {
        self.cursor == self.len() && self.pending == 0
    }

    /// Whether a slot's record counts as one (skipped lines do not).
    pub(crate) fn is_record(&self, slot: usize) -> bool {
        self.columns.in_use || !matches!(self.records.list[slot].body, Body::Skipped)
    }
}
