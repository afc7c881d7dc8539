//! Combines the reports of the threads of a run. Checks that every record was answered exactly once.

use super::flow::chunking::CutterReport;
use super::flow::writer::WriterReport;
use super::options::OnError;
use super::resume::checkpoint::Checkpoint;
use super::shared::Shared;
use super::worker::WorkerReport;
use crate::stats::{Statistics, Stop, peak_bytes};
use quadrille_formats::input::{Format, format_hint};
use quadrille_model::{EndedBy, Error, ErrorKind};

/// Result of a run.
#[derive(Debug)]
pub struct Report {
    /// All counts and measurements of the run.
    pub statistics: Statistics,
    /// First error that concerns the whole run and not a single record. Rows from before the error are
    /// written nevertheless.
    pub error: Option<Error>,
    /// True if the program that reads the output closed it. This does not count as an error.
    pub output_closed: bool,
    /// Reason why the run stopped early (the caller cancelled it, or the deadline passed), or `None` if the
    /// run did not stop early.
    pub stopped_by: Option<EndedBy>,
    /// Format of the first source, or `None` if no source had a record.
    pub first_format: Option<Format>,
    /// Text that says what format the first source resembles, and how to read a source of that format. Only
    /// set if some records could not be read.
    pub format_hint: Option<String>,
    /// The checkpoint that was passed to the run, in its state at the end.
    pub checkpoint: Option<Checkpoint>,
    /// Reserved for new fields.
    #[doc(hidden)]
    pub _more: (),
}

/// Reports that the threads of a run return when they end.
pub(crate) struct ThreadReports {
    /// Report of the feed thread, which reads the input, or `None` if the run was stopped while the input
    /// stalled.
    pub fed: Option<CutterReport>,
    pub written: WriterReport,
    pub workers: Vec<WorkerReport>,
    /// Sum of the reports of the side workers. A thread that is in the middle of a search answers other
    /// chunks with a side worker.
    pub side: WorkerReport,
}

/// Combines the reports of the threads, and checks that every record was answered exactly once.
pub(crate) fn finish(shared: &Shared, ends: ThreadReports) -> Report {
    let ThreadReports { fed, written, workers, side } = ends;
    let mut statistics = written.statistics;
    let mut all = WorkerReport::default();
    for worker in workers {
        statistics.clock.threads.push(worker.time);
        all.add(worker);
    }
    all.add(side);
    let WorkerReport { mut phases, mut timeline, time, failure } = all;
    // A worker spends all its remaining time in engines.
    let around_ns = phases.parsing_ns + phases.verifying_ns + phases.formatting_ns;
    phases.solving_ns = time.busy_ns.saturating_sub(around_ns);
    timeline.settle_solving();
    timeline.merge(&written.timeline);
    statistics.clock.peak_memory = statistics.clock.peak_memory.max(peak_bytes());
    statistics.clock.phases += phases;
    statistics.clock.phases.writing_ns += written.writing_ns;
    let mut fed_error = None;
    let (mut read, mut read_all, mut head) = (None, false, Vec::new());
    if let Some(fed) = fed {
        statistics.clock.phases.reading_ns += fed.reading_ns;
        timeline.merge(&fed.timeline);
        (fed_error, read, read_all) = (fed.error, Some(fed.records), fed.ended);
        head = fed.head;
        statistics.totals.bytes_in = fed.bytes;
        statistics.totals.lines = fed.lines;
    }
    statistics.clock.timeline.merge(&timeline);
    let accounted = statistics.answered() + statistics.rejected();
    // Looking for another format is only worthwhile if some record could not be read.
    let format_hint =
        if statistics.rejected() > 0 { format_hint(&head, &shared.options.input) } else { None };
    let cut_short = |ended_by| statistics.ended_by(ended_by) > 0;
    // A stopped run may leave chunks that were read but not answered.
    let waits = read.is_some_and(|read| accounted < read);
    let unfinished = !read_all || waits || cut_short(EndedBy::Cancel) || cut_short(EndedBy::Deadline);
    // If writing failed or the output was closed, this is the real reason for the stop, and any other reason
    // is ignored.
    let stopped_by = match written.cut {
        _ if written.closed || written.error.is_some() => None,
        None if unfinished => shared.control.stop(),
        cut => cut,
    };
    let whole = stopped_by.is_none() && written.error.is_none() && !written.closed && failure.is_none();
    // After a stop, only answered records count as read, because the rows end at the last answered record.
    statistics.totals.records_in = read.filter(|_| whole).unwrap_or(accounted);
    let row_each = shared.options.ask.has_one_row()
        && shared.options.only.is_empty()
        && shared.options.steps.is_empty()
        && shared.options.conditions.is_empty()
        && shared.options.on_error == OnError::Row;
    let rows_fit = !whole || !row_each || statistics.totals.rows_out == accounted;
    let lost = (!statistics.is_balanced() || !rows_fit).then(|| {
        let (read, rows) = (statistics.totals.records_in, statistics.totals.rows_out);
        let message = format!("{read} records were read, {accounted} accounted for, {rows} rows written");
        Error::from(ErrorKind::Internal(message))
    });
    let error = failure.or(written.error).or(fed_error).or(lost);
    let stop = match (&error, stopped_by) {
        (Some(_), _) => Some(Stop::Error),
        (None, Some(by)) => Some(Stop::told(by)),
        (None, None) => written.closed.then_some(Stop::Closed),
    };
    if let Some(stop) = stop {
        *statistics.stops.entry(stop.word()).or_default() += 1;
    }
    Report {
        statistics,
        error,
        output_closed: written.closed,
        stopped_by,
        checkpoint: written.checkpoint,
        first_format: shared.feed.first_layout().map(|layout| layout.format),
        format_hint,
        _more: (),
    }
}
