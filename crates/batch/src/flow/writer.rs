//! The writer thread, which writes pieces in order, keeps the first error and enforces limits.

use std::io::{self, ErrorKind as IoKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::reorder::TakenPiece;
use crate::chunk::output::{ChunkOutput, Reject};
use crate::compare::RowFilter;
use crate::outcomes;
use crate::progress::Total;
use crate::resume::checkpoint::{Checkpoint, Snapshot};
use crate::resume::schedule::CheckpointSchedule;
use crate::shared::Shared;
use crate::stats::{MemoryWatch, Phases, Statistics, Timeline, nanoseconds};
use quadrille_files::fault_injection;
use quadrille_formats::output::PackedOutput;
use quadrille_model::{EndedBy, Error, ErrorKind, Result, Status};

/// Destinations of a run's bytes.
pub struct Outputs<'a> {
    /// Destination of the rows.
    pub rows: Box<dyn Write + Send + 'a>,
    /// Handle of the compressor for `rows`, if rows are compressed.
    ///
    /// The threads of the run compress rows with this handle. The writer uses the handle to flush the
    /// compressor if rows are [line-buffered](crate::BatchOptions::line_buffered).
    pub packed: Option<PackedOutput>,
    /// Destination of the lines for rejected records, if any.
    pub rejects: Option<Box<dyn Write + Send + 'a>>,
    /// Callback for messages to the user. It receives one message at a time, in the order of the records.
    pub notice: Box<dyn FnMut(&str) + Send + 'a>,
    /// Filter for the rows of compared records ([`Query::Compare`](crate::Query)).
    ///
    /// A filter requires ordered rows. If the run also has a checkpoint, snapshots are saved only as long as
    /// the filter has a [journal](RowFilter::journal).
    pub filter: Option<&'a mut dyn RowFilter>,
    /// Destination of the result of each record, in a format that [`OutcomeReader`](crate::OutcomeReader)
    /// reads.
    ///
    /// Used if [`BatchOptions::outcomes`](crate::BatchOptions) is set. Cannot be combined with a checkpoint.
    pub outcomes: Option<Box<dyn Write + Send + 'a>>,
    /// Checkpoint of the run. If there is a checkpoint, rows and rejects go to the files that the checkpoint
    /// names.
    ///
    /// Requires ordered rows.
    pub checkpoint: Option<Checkpoint>,
    /// Reserved for new fields. Use `..` to create values, as in `Outputs { filter, ..Outputs::new(rows) }`.
    #[doc(hidden)]
    pub _more: (),
}

impl<'a> Outputs<'a> {
    /// Creates outputs that only write rows, without rejects, messages, filter, outcomes or checkpoint.
    pub fn new(rows: Box<dyn Write + Send + 'a>) -> Self {
        Outputs {
            rows,
            packed: None,
            rejects: None,
            notice: Box::new(|_| ()),
            filter: None,
            outcomes: None,
            checkpoint: None,
            _more: (),
        }
    }
}

const TRACES: &str = "the records of --outcomes-out";
const REJECTS: &str = "the rejects";

/// Writes to an output other than the rows, if this output exists.
///
/// A closed pipe is not an error for rows. For other outputs, it is an error. Otherwise the run would end
/// without a message.
fn beside<'a>(
    what: &str,
    out: &mut Option<Box<dyn Write + Send + 'a>>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let Some(out) = out else { return Ok(()) };
    write(out).map_err(|cause| Error::io("writing", what, 0, cause))
}

/// Final report of the writer.
#[derive(Default)]
pub(crate) struct WriterReport {
    /// Statistics of everything written.
    pub statistics: Statistics,
    pub writing_ns: u64,
    /// Writing time and memory use in each period of the run.
    pub timeline: Timeline,
    pub error: Option<Error>,
    /// True if the program that reads the rows closed the pipe.
    pub closed: bool,
    /// Reason why the run was stopped early. Present only if some output is missing because of this stop.
    pub cut: Option<EndedBy>,
    /// Checkpoint passed to the writer, in its final state.
    pub checkpoint: Option<Checkpoint>,
}

struct Writer<'s, 'o> {
    shared: &'s Shared,
    outputs: Outputs<'o>,
    schedule: Option<CheckpointSchedule>,
    written: WriterReport,
    rejected: u64,
    headed: bool,
    /// Rows in the current piece that passed the filter. The buffer is reused for the next piece.
    passed: Vec<u8>,
}

/// Writes pieces until there are no more or writing fails.
///
/// If an output, the filter or the notice callback panics, the run ends with an error.
pub(crate) fn write(shared: &Shared, outputs: Outputs<'_>) -> WriterReport {
    let written = catch_unwind(AssertUnwindSafe(|| write_pieces(shared, outputs)));
    written.unwrap_or_else(|panic| WriterReport {
        error: Some(shared.panicked("the writing thread", panic.as_ref())),
        ..WriterReport::default()
    })
}

fn write_pieces(shared: &Shared, mut outputs: Outputs<'_>) -> WriterReport {
    let schedule = outputs.checkpoint.take().map(CheckpointSchedule::new);
    let begun = schedule.as_ref().map(|schedule| &schedule.checkpoint);
    let new = || Statistics::new(shared.options.top);
    let statistics = begun.map_or_else(new, |checkpoint| checkpoint.statistics.clone());
    let headed = begun.is_some_and(|checkpoint| checkpoint.headed) && !shared.formatter.repeats_head();
    let options = &shared.options;
    let all = Status::ALL.iter().filter(|status| options.is_reject(**status));
    let rejected = all.map(|&status| statistics.status(status)).sum();
    let written = WriterReport { statistics, ..WriterReport::default() };
    let mut writer = Writer { shared, outputs, schedule, written, rejected, headed, passed: Vec::new() };
    let mut memory = MemoryWatch::new(shared.began);
    while let Some(TakenPiece { piece, is_last, made_room }) = shared.window.take() {
        if made_room {
            shared.queue.window_has_room();
        }
        let begin = Instant::now();
        let result = writer.piece(&piece, is_last);
        let end = Instant::now();
        let writing_ns = nanoseconds(end - begin);
        writer.written.writing_ns += writing_ns;
        let at_ns = nanoseconds(end.saturating_duration_since(shared.began));
        writer.written.timeline.add(
            at_ns.saturating_sub(writing_ns),
            at_ns,
            0,
            Phases { writing_ns, ..Phases::default() },
        );
        memory.look(end, &mut writer.written.timeline);
        if piece.cut {
            // Read the reason for the stop now. Below, the writer stops the run itself, which would change
            // the reason.
            writer.written.cut = Some(shared.control.stop().unwrap_or(EndedBy::Cancel));
        }
        if !writer.should_continue(result) {
            shared.window.abandon();
            shared.control.cancel();
            return writer.end();
        }
        shared.recycle(piece);
    }
    let tail = writer.tail();
    writer.should_continue(tail);
    writer.end()
}

impl Writer<'_, '_> {
    /// Stores the error of `result`, if any. Returns true if writing can continue.
    fn should_continue(&mut self, result: Result<()>) -> bool {
        let is_written = result.is_ok();
        // If the program that reads the rows closed the pipe, this is not an error.
        if let Some(error) = result.err().filter(|_| !self.written.closed) {
            self.written.error.get_or_insert(error);
        }
        is_written && self.written.cut.is_none() && self.written.error.is_none()
    }

    /// Calls `write` with the destination of the rows.
    fn on_rows(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        write(&mut self.outputs.rows).map_err(|cause| {
            self.written.closed |= cause.kind() == IoKind::BrokenPipe;
            Error::io("writing", "the output", self.written.statistics.totals.bytes_out, cause)
        })
    }

    /// Flushes all outputs.
    fn flush(&mut self) -> Result<()> {
        self.on_rows(|rows| rows.flush())?;
        beside(TRACES, &mut self.outputs.outcomes, |out| out.flush())?;
        beside(REJECTS, &mut self.outputs.rejects, |out| out.flush())
    }

    /// Saves the last checkpoint and returns the report.
    fn end(mut self) -> WriterReport {
        if self.written.error.is_none() && !self.written.closed {
            let last = self.schedule.as_mut().and_then(|schedule| schedule.finish(&self.written.statistics));
            let result = self.flush().and_then(|()| self.save(last));
            self.should_continue(result);
        }
        self.written.checkpoint = self.schedule.map(|schedule| schedule.checkpoint);
        self.written
    }

    /// If `moment` contains a snapshot, flushes the outputs and saves the snapshot.
    fn save(&mut self, moment: Option<Snapshot>) -> Result<()> {
        let Some(moment) = moment else { return Ok(()) };
        self.flush()?;
        if let Some(schedule) = &mut self.schedule {
            schedule.checkpoint.save(moment)?;
            self.shared.progress.set(Total::Saved, schedule.checkpoint.records());
        }
        Ok(())
    }

    /// Writes the text that comes before all rows, such as the column names, unless it was already written.
    fn head(&mut self) -> Result<()> {
        if self.headed {
            return Ok(());
        }
        self.headed = true;
        let (mut head, layout) = (Vec::new(), self.shared.feed.first_layout().unwrap_or_default());
        self.shared.formatter.begin(&layout, &mut head);
        self.rows(&head)?;
        let first = self.shared.options.index_offset + 1;
        beside(TRACES, &mut self.outputs.outcomes, |out| out.write_all(&outcomes::head(first)))?;
        if let Some(schedule) = &mut self.schedule {
            schedule.checkpoint.headed = true;
        }
        Ok(())
    }

    fn tail(&mut self) -> Result<()> {
        // The text at the beginning of the output may depend on the first source. So this text is not written
        // if the run stops before the first source is known, or if no source can be read.
        let feed = &self.shared.feed;
        let is_whole = self.shared.control.stop().is_none() && !feed.has_failed();
        if is_whole || feed.first_layout().is_some() {
            self.head()?;
        }
        if let Some(filter) = self.outputs.filter.take() {
            let mut failed = None;
            let rest = filter.finish(&self.shared.control, &mut |rows| {
                self.rows(rows).map_err(|error| {
                    failed = Some(error);
                    IoKind::Other.into()
                })
            });
            filter.account(&mut self.written.statistics);
            let rest = failed.map_or(rest, Err)?;
            self.written.statistics.totals.rows_out += rest.rows;
            if rest.is_cut {
                self.written.cut = Some(self.shared.control.stop().unwrap_or(EndedBy::Cancel));
            }
        }
        if is_whole && self.written.cut.is_none() {
            let mut end = Vec::new();
            self.shared.formatter.end(&mut end);
            self.rows(&end)?;
        }
        self.flush()
    }

    /// Writes a piece, and saves the checkpoints that are due before and after the piece.
    fn piece(&mut self, output: &ChunkOutput, idle: bool) -> Result<()> {
        // If the run fails at its first record, write nothing. Then the user can repeat the corrected command
        // without having to remove a partial file.
        if output.cut && self.shared.has_failed() && !output.has_records() {
            return Ok(());
        }
        self.head()?;
        let schedule = self.schedule.as_mut();
        let before = schedule.and_then(|schedule| schedule.before(output, &self.written.statistics));
        self.save(before)?;
        self.write(output, idle)?;
        self.shared.progress.add(Total::WrittenBytes, output.extent);
        self.pass_journal();
        let schedule = self.schedule.as_mut().filter(|_| self.written.error.is_none());
        let after = schedule.and_then(|schedule| schedule.after(output.end, &self.written.statistics));
        self.save(after)
    }

    /// Passes the filter's journal to the checkpoint, so that the filter can be restored.
    ///
    /// If the filter has no journal, no later checkpoints are saved.
    fn pass_journal(&mut self) {
        let Some(filter) = &mut self.outputs.filter else { return };
        match (filter.journal(), &mut self.schedule) {
            (Some(journal), Some(schedule)) => {
                schedule.checkpoint.pass_journal(journal);
                journal.clear();
            }
            (Some(journal), None) => journal.clear(),
            (None, Some(schedule)) => schedule.is_over = true,
            (None, None) => {}
        }
    }

    fn rows(&mut self, bytes: &[u8]) -> Result<()> {
        self.on_rows(|rows| rows.write_all(bytes))?;
        self.written.statistics.totals.bytes_out += bytes.len() as u64;
        self.shared.progress.set(Total::RowsBytes, self.written.statistics.totals.bytes_out);
        Ok(())
    }

    /// Writes a piece. If the piece exceeds the limit on rejects, writes only the parts up to the reject that
    /// exceeds it.
    ///
    /// `idle` is true if no other piece waits to be written.
    fn write(&mut self, output: &ChunkOutput, idle: bool) -> Result<()> {
        for part in output.parts() {
            self.part(part)?;
            if let Some(error) = part.reject.as_ref().and_then(|reject| self.too_many(reject)) {
                self.written.error = Some(error);
                break;
            }
        }
        let line_buffered = self.shared.options.line_buffered;
        if idle || line_buffered {
            self.on_rows(|rows| rows.flush())?;
        }
        if let Some(packed) = self.outputs.packed.clone().filter(|_| line_buffered) {
            self.on_rows(|_| packed.flush_all())?;
        }
        Ok(())
    }

    /// Writes the rows, rejects, outcomes and messages of one part of a piece, and adds the part's
    /// statistics.
    fn part(&mut self, output: &ChunkOutput) -> Result<()> {
        let row_count = match self.outputs.filter.is_some() {
            false => {
                self.rows(&output.rows)?;
                output.row_count
            }
            true => self.filtered(output)?,
        };
        fault_injection::reach("rows");
        beside(REJECTS, &mut self.outputs.rejects, |out| out.write_all(&output.rejects))?;
        beside(TRACES, &mut self.outputs.outcomes, |out| out.write_all(&output.outcomes))?;
        for notice in &output.notices {
            (self.outputs.notice)(notice);
        }
        self.written.statistics.merge_part(&output.statistics, &output.source, output.busy_ns);
        self.written.statistics.totals.rows_out += row_count;
        Ok(())
    }

    /// Writes only the rows of a part of a piece that pass the filter. Returns the number of rows.
    fn filtered(&mut self, output: &ChunkOutput) -> Result<u64> {
        let Some(filter) = &mut self.outputs.filter else { return Ok(0) };
        let (mut start, mut count) = (0, 0);
        self.passed.clear();
        for mark in &output.keys {
            let rows = &output.rows[start..mark.rows_end];
            count += filter.take(mark, rows, &mut self.passed)?;
            start = mark.rows_end;
        }
        let passed = std::mem::take(&mut self.passed);
        let result = self.rows(&passed);
        self.passed = passed;
        result.map(|()| count)
    }

    /// Counts a rejected record. Returns an error if there are now more rejects than allowed. Returns `None`
    /// if there are not.
    fn too_many(&mut self, reject: &Reject) -> Option<Error> {
        self.rejected += 1;
        let (rejected, allowed) = (self.rejected, self.shared.options.rejects_allowed()?);
        let (place, reason) = (reject.place.clone(), reject.reason.clone());
        (rejected > allowed).then(|| ErrorKind::TooManyRejects { place, reason, rejected, allowed }.into())
    }
}
