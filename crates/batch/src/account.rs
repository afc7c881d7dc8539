//! Adds up the reports of a run's threads, and checks that no record was lost or doubled.

use super::flow::chunking::FeedReport;
use super::flow::writer::Written;
use super::options::{Ask, OnError};
use super::resume::checkpoint::Checkpoint;
use super::shared::Shared;
use super::worker::WorkerReport;
use crate::stats::{Phases, Statistics, Stop, Timeline, peak_bytes};
use quadrille_formats::input::Format;
use quadrille_model::EndedBy;
use quadrille_model::{Error, ErrorKind};

/// The result of a run as a whole.
#[derive(Debug)]
pub struct Report {
    /// Everything counted and measured.
    pub statistics: Statistics,
    /// The first error of the run as a whole. All that was answered before it is written.
    pub error: Option<Error>,
    /// The reader of the output closed it: no error.
    pub output_closed: bool,
    /// The reason why the run stopped early: a cancel or the deadline.
    pub stopped_by: Option<EndedBy>,
    /// The format of the first source; `None` where no source had a record.
    pub first_format: Option<Format>,
    /// The likeness of the first source to something else than its format.
    pub first_looks: Option<&'static str>,
    /// The checkpoint that the run was given, as it is at its end.
    pub checkpoint: Option<Checkpoint>,
}

/// The reports of a run's threads.
pub(crate) struct Ends {
    /// `None` where the run was stopped while its input stalled.
    pub fed: Option<FeedReport>,
    pub written: Written,
    pub workers: Vec<WorkerReport>,
    /// The time of the workers that answered chunks in the midst of a search, and the error of one that failed.
    pub side: (Phases, Timeline, Option<Error>),
}

/// Puts the ends together, and checks that no record was lost or doubled.
pub(crate) fn account(shared: &Shared, ends: Ends) -> Report {
    let Ends { fed, written, workers, side: (mut phases, mut timeline, side_failure) } = ends;
    let mut statistics = written.statistics;
    let mut failure = None;
    let mut busy_ns = 0;
    for worker in workers {
        phases += worker.phases;
        timeline.merge(&worker.timeline);
        busy_ns += worker.time.busy_ns;
        statistics.clock.threads.push(worker.time);
        failure = failure.or(worker.failure);
    }
    failure = failure.or(side_failure);
    // Engines take turns with what is done around them, within a call: what is not that is theirs.
    let around_ns = phases.parsing_ns + phases.verifying_ns + phases.formatting_ns;
    phases.solving_ns = busy_ns.saturating_sub(around_ns);
    timeline.settle_solving();
    timeline.merge(&written.timeline);
    statistics.clock.peak_memory = statistics.clock.peak_memory.max(peak_bytes());
    statistics.clock.phases += phases;
    statistics.clock.phases.writing_ns += written.writing_ns;
    let mut fed_error = None;
    let (mut read, mut read_all, mut first_looks) = (None, false, None);
    if let Some(fed) = fed {
        statistics.clock.phases.reading_ns += fed.reading_ns;
        timeline.merge(&fed.timeline);
        (fed_error, read, read_all) = (fed.error, Some(fed.records), fed.ended);
        first_looks = fed.first_looks;
        statistics.bytes_in = fed.bytes;
    }
    statistics.clock.timeline.merge(&timeline);
    let accounted = statistics.answered() + statistics.rejected();
    let cut_short = |ended_by| statistics.ended_by(ended_by) > 0;
    // Chunks that were read may wait for a worker still when a run is stopped.
    let waits = read.is_some_and(|read| accounted < read);
    let unfinished = !read_all || waits || cut_short(EndedBy::Cancel) || cut_short(EndedBy::Deadline);
    // Whoever cannot write stops the run too, for a reason of its own.
    let stopped_by = match written.cut {
        _ if written.closed || written.error.is_some() => None,
        None if unfinished => shared.control.stop(),
        cut => cut,
    };
    let whole = stopped_by.is_none() && written.error.is_none() && !written.closed && failure.is_none();
    // In a run that was stopped, what was read and not answered is no loss: the output shows how far it goes.
    statistics.records_in = read.filter(|_| whole).unwrap_or(accounted);
    let row_each = !shared.options.ask.is_several()
        && !matches!(shared.options.ask, Ask::Compare(_) | Ask::Convert(_))
        && shared.options.only.is_empty()
        && shared.options.on_error == OnError::Row;
    let rows_fit = !whole || !row_each || statistics.rows_out == accounted;
    let lost = (!statistics.is_balanced() || !rows_fit).then(|| {
        let (read, rows) = (statistics.records_in, statistics.rows_out);
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
        statistics.record_stop(stop);
    }
    Report {
        statistics,
        error,
        output_closed: written.closed,
        stopped_by,
        checkpoint: written.checkpoint,
        first_format: shared.feed.first_layout().map(|layout| layout.format),
        first_looks,
    }
}
