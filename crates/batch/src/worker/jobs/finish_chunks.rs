//! Writing of answered records, submission to the writer, and closing of chunks.

use std::sync::Arc;
use std::time::Instant;

use super::OpenJobs;
use crate::chunk::ratings;
use crate::chunk::rows::{self, Unfinished};
use crate::chunk::state::{ChunkRecords, ChunkState, Ticket};
use crate::chunk::{needs, possible};
use crate::progress::Total;
use crate::stats::{nanoseconds, nanoseconds_since};
use quadrille_files::fault_injection;
use quadrille_formats::input::LineBreak;
use quadrille_formats::output::set_line_breaks;

impl OpenJobs {
    /// Submits the rows of all records of a chunk except one hard record. If rows are unordered, the other
    /// rows need not wait for this record.
    ///
    /// Does nothing if rows are ordered, or if the rows were already submitted.
    fn leave_behind(&mut self, ticket: Ticket) {
        // If the run is stopped, the chunk will soon be closed, and the rest of its rows is written then.
        if self.options().ordered
            || self.shared.control.stop().is_some()
            || self.general(ticket.chunk).go_to(ticket.slot)
        {
            return;
        }
        self.hand_on(ticket.chunk, Unfinished::Later);
        self.general(ticket.chunk).go_to(ticket.slot);
    }

    /// Formats the next rows of a chunk and submits them to the writer.
    pub(super) fn hand_on(&mut self, place: usize, unfinished: Unfinished) {
        self.ask_further(place);
        let end = self.general(place).end();
        self.write_rows(place, end, unfinished);
        self.submit(place);
    }

    /// Computes further requested results for the records whose rows are formatted next. These are ratings,
    /// possible digits and needed clues.
    fn ask_further(&mut self, place: usize) {
        let general = self.open.get_mut(place).general_mut();
        ratings::make(general, &mut self.raters, &mut self.tools.canonizer);
        possible::make(general, &self.shared, &mut self.possible);
        needs::make(general, &self.shared, &mut self.needs);
    }

    pub(super) fn write_rows(&mut self, place: usize, end: usize, unfinished: Unfinished) {
        let open = self.open.get_mut(place);
        rows::write_to((end, unfinished), open, &self.shared, &mut self.tools, &mut self.times.phases);
    }

    /// Closes a chunk if all its records are answered.
    ///
    /// If hard records are the only ones left, returns the chunk to the queue.
    pub(super) fn close_if_done(&mut self, place: usize) {
        let open = self.open.get(place);
        if !open.is_looked_through() {
            return;
        }
        match open.hard.keys().next() {
            None => self.close(place),
            Some(&slot) => {
                let record = open.index_of(slot);
                if self.current == Some(place) {
                    self.current = None;
                }
                // The search may begin late: if rows are unordered, new chunks come first.
                self.leave_behind(Ticket { chunk: place, slot });
                let bytes = self.bytes_of_hard(place, slot);
                let open = self.open.take(place);
                self.shared.queue.add_hard(record, Box::new(open), bytes);
            }
        }
    }

    /// Returns the number of bytes that must be reserved for a hard record. If a counter is used, this is the
    /// memory limit of the counter.
    fn bytes_of_hard(&mut self, place: usize, slot: usize) -> u64 {
        let of_counter = self.counter(Ticket { chunk: place, slot }).and_then(|(_, _, limits)| limits.memory);
        of_counter.unwrap_or_else(|| self.bytes_of(place, slot))
    }

    /// Formats the remaining rows of a chunk and submits the last piece of its output.
    ///
    /// If the run was stopped, the output ends before the first record that is not fully answered.
    fn close(&mut self, place: usize) {
        let is_stopped = self.shared.control.stop().is_some();
        let mut is_cut = false;
        if is_stopped || !self.write_plain(place) {
            self.general(place);
            self.ask_further(place);
            let is_stopped = self.shared.control.stop().is_some();
            let open = self.chunk(place);
            let (general, cursor) = (open.general(), open.cursor);
            let end = if is_stopped { general.end_of_stopped(cursor) } else { None };
            is_cut = end.is_some() || general.is_incomplete();
            let end = end.unwrap_or(general.end());
            self.write_rows(place, end, Unfinished::Stopped);
        }
        let busy_ns = self.times.close();
        let open = self.chunk(place);
        open.output.cut |= is_cut;
        open.output.end = Some(open.chunk.end);
        let (records, extent) = (open.chunk.records, open.chunk.extent);
        (open.output.busy_ns, open.output.extent) = (busy_ns, extent);
        self.shared.progress.add(Total::AnsweredBytes, extent);
        self.shared.feed.learn(busy_ns, records);
        self.submit(place);
        if self.current == Some(place) {
            self.current = None;
        }
        let ChunkState { chunk, records, output, .. } = self.open.take(place);
        let sequence = chunk.sequence;
        self.shared.recycle(output);
        if self.shared.memory.may_recycle(chunk.bytes.len()) {
            self.shared.feed.recycle(chunk);
            self.open.recycle(records);
        }
        self.shared.queue.end_chunk(sequence);
    }

    /// Formats the rows of a column chunk. Returns false if the chunk is a record chunk, if a solution is
    /// wrong, or if a rating failed.
    fn write_plain(&mut self, place: usize) -> bool {
        let open = self.open.get_mut(place);
        let ChunkState { chunk, records: ChunkRecords::Columns(plain), first_index, output, .. } = open
        else {
            return false;
        };
        let begin = Instant::now();
        let mut is_right = plain.is_right(chunk);
        let checked = Instant::now();
        let mut rated_at = checked;
        let scale = self.shared.options.scale();
        if let Some(scale) = scale.filter(|_| is_right) {
            let (chunk, canonizer) = ((&*chunk, *first_index), &mut self.tools.canonizer);
            let rated = ratings::of_plain(plain, chunk, scale, (&mut self.raters, canonizer));
            is_right = rated.is_some();
            plain.rated = rated.unwrap_or_default();
            rated_at = Instant::now();
        }
        if is_right {
            let start = output.rows.len();
            let formatter = self.shared.formatter.as_ref();
            plain.write((chunk, *first_index, formatter), scale, &mut self.tools.drawn, output);
            if self.shared.options.clue_maps {
                plain.map_clues(chunk, scale, &mut output.statistics);
            }
            if !plain.form.as_rows {
                set_line_breaks(&mut output.rows, start, LineBreak::Lf, formatter.line_break());
            }
        }
        self.times.phases.verifying_ns += nanoseconds(checked - begin);
        self.times.phases.formatting_ns += nanoseconds_since(rated_at);
        is_right
    }

    /// Closes all open chunks.
    pub(crate) fn close_all(&mut self) {
        self.put_off.clear();
        self.open.places().into_iter().for_each(|place| self.close(place));
    }

    /// Submits the written output of a chunk to the writer.
    pub(super) fn submit(&mut self, place: usize) {
        fault_injection::reach("answered");
        let empty = self.shared.empty_output();
        let open = self.chunk(place);
        let mut output = std::mem::replace(&mut open.output, empty);
        open.output.source = Arc::clone(&output.source);
        output.sequence = open.chunk.sequence;
        let answered = std::mem::take(&mut output.answered);
        self.shared.progress.add(Total::Answered, answered);
        self.times.hand_on(answered);
        self.shared.window.submit(output);
        if let Some(packed) = &self.shared.packed {
            let begin = Instant::now();
            packed.help();
            let time = begin.elapsed();
            self.times.phases.formatting_ns += nanoseconds(time);
            self.times.was_held_up(time);
        }
    }
}
