//! Runs a request: worker threads make records on a schedule, and one thread outputs the records in order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use crossbeam_channel::Receiver;

use super::distinct::KeyGroups;
use super::record::Generated;
use super::schedule::{Schedule, Settled, WINDOW};
use super::sudoku::{Request, first_grid};
use super::work::Worker;
use quadrille_engine::{Control, EnginePreference, Flow, WakeOnCancel, select};
use quadrille_model::{Error, ErrorKind, Goal, ProblemClass, Result, RuleClass, usage};

/// Maximum number of neighbourhoods in progress, per thread. A neighbourhood consists of all neighbours of
/// one puzzle.
///
/// If this number is reached, the oldest neighbourhood must be output before another one starts.
const NEIGHBOURHOODS: u64 = 512;

/// Options of one call to [`run`]. They apply to records of any kind.
#[derive(Debug, Clone, Copy)]
pub struct Options<'p> {
    /// Number of threads; at least 1.
    pub threads: usize,
    /// The engine that answers questions.
    pub preference: EnginePreference,
    /// Counter that receives the number of finished units of work, if the request asks for
    /// [neighbours](Request::neighbours).
    pub progress: Option<&'p AtomicU64>,
    /// Reserved for new fields: create values with `..`, as in `Options { threads: 2, ..Options::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Default for Options<'_> {
    /// Returns options for one thread and an automatically chosen engine.
    fn default() -> Self {
        Options { threads: 1, preference: EnginePreference::default(), progress: None, _more: () }
    }
}

/// Generates records and passes them to `sink` in order, on the calling thread.
///
/// Generation ends when there are no more records, when `sink` returns [`Flow::Stop`], or when `control`
/// stops the run. If records must be [distinct](Request::distinct), the length of the range is the number of
/// records to output. The run then skips repeated records, and continues past the end of the range to replace
/// them.
///
/// # Errors
/// Returns the errors of [`Request::validate`]. Also returns an error in these cases:
/// - The range exceeds that of [neighbours](crate::Neighbourhood::range).
/// - The engine does not support the request.
/// - No attempt made a record, or no further record was new ([`ErrorKind::GaveUp`]).
/// - Memory for distinct records is exhausted.
pub fn run(
    request: &Request,
    range: Range<u64>,
    options: Options<'_>,
    control: &Arc<Control>,
    sink: &mut dyn FnMut(Generated) -> Flow,
) -> Result<()> {
    request.validate()?;
    if let Some(end) = request.neighbours.as_ref().map(|neighbours| neighbours.range().end)
        && range.end > end
    {
        return Err(usage!("the neighbours have {end} units of work, not {}", range.end));
    }
    let class = ProblemClass::Grid {
        side: request.geometry.side(),
        packed: request.geometry.is_9x9() && request.rules.is_none(),
        same_digit: false,
        weighted: false,
        rules: RuleClass::from_rules(request.rules.as_deref()),
    };
    let kind = select(class, Goal::First(2), options.preference)?.kind;
    let first_grid = first_grid(request, options.preference, control)?;
    let threads = options.threads.max(1);
    // A puzzle may have thousands of neighbours. All of them stay in memory until it is their turn to be
    // output. So the number of puzzles in progress has its own limit.
    let window = if request.neighbours.is_some() { NEIGHBOURHOODS * threads as u64 } else { WINDOW };
    let schedule = Arc::new(Schedule::new(range.clone(), request.attempts, window, request.often_fails()));
    let sleepers: Arc<dyn WakeOnCancel> = Arc::clone(&schedule) as _;
    control.wake_on_cancel(Arc::downgrade(&sleepers));
    // The workers use a separate control, so that stopping the workers does not stop other work of the
    // caller. Except for plain 9x9 grids, this control checks the clock more often than usual. A search in a
    // large grid has few but slow nodes. Most such searches would end before the first regular check.
    let plain = request.geometry.is_9x9() && request.rules.is_none();
    let stopper = Control::child(control);
    let stopper = if plain { stopper } else { stopper.checked_often() };
    let (sender, done) = crossbeam_channel::unbounded();
    std::thread::scope(|scope| {
        let worker = |sender| {
            let mut engine = kind.info().make(options.preference.isa);
            let worker = Worker::new(request, first_grid.as_deref(), &schedule, &stopper, sender);
            let work = || worker.work(engine.as_mut());
            // A worker that panics leaves its records unfinished, and the other workers would wait for these
            // records.
            let stop = |_: &_| drop(StopOnDrop { stopper: &stopper, schedule: &schedule });
            catch_unwind(AssertUnwindSafe(work)).inspect_err(stop)
        };
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let sender = sender.clone();
                scope.spawn(move || worker(sender))
            })
            .collect();
        // The channel closes when the last worker ends.
        drop(sender);
        // When dropped, `end` stops the workers, even if the sink panics. The scope waits until the workers
        // have ended.
        let end = StopOnDrop { stopper: &stopper, schedule: &schedule };
        let result = hand_out(request, &schedule, (range, options.progress), &done, sink);
        drop(end);
        let is_whole = |worker: ScopedJoinHandle<'_, _>| matches!(worker.join(), Ok(Ok(())));
        if !workers.into_iter().all(is_whole) {
            return Err(ErrorKind::Internal("a generating thread panicked".to_owned()).into());
        }
        result
    })
}

/// Stops the workers of a run when it is dropped.
struct StopOnDrop<'r> {
    stopper: &'r Control,
    schedule: &'r Schedule,
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.stopper.cancel();
        self.schedule.wake();
    }
}

/// Passes finished records to the sink in order.
fn hand_out(
    request: &Request,
    schedule: &Schedule,
    (range, progress): (Range<u64>, Option<&AtomicU64>),
    done: &Receiver<Vec<Settled>>,
    sink: &mut dyn FnMut(Generated) -> Flow,
) -> Result<()> {
    let Range { start: mut head, end } = range;
    let wanted = end.saturating_sub(head);
    let mut missing = wanted;
    let mut classes = request.distinct.then(KeyGroups::default);
    let given = request.neighbours.as_ref().map_or(0, |neighbours| neighbours.given());
    let mut waiting = BTreeMap::new();
    while missing > 0 {
        // Receiving fails after all workers have ended, either because the run must stop or because there are
        // no more records.
        let Ok(first) = done.recv() else { break };
        waiting.extend(first.into_iter().chain(done.try_iter().flatten()));
        while let Some(made) = waiting.remove(&head) {
            let made = made.ok_or_else(|| gave_up(request, head))?;
            head += 1;
            // A unit of work that makes neighbours counts even if it makes none.
            let mut counts = request.neighbours.is_some();
            for (record, key) in made {
                if !classes.as_mut().map_or(Ok(true), |classes| classes.is_new(key))? {
                    continue;
                }
                counts = true;
                if head > given && sink(record) == Flow::Stop {
                    return Ok(());
                }
            }
            if let Some(KeyGroups { repeats, .. }) = &classes
                && !counts
                && *repeats >= request.attempts
            {
                let why = format!(
                    "each of the next {repeats} is like an earlier one; there may be no more, or they are very rare"
                );
                return Err(too_few(wanted - missing, wanted, &why));
            }
            missing -= u64::from(counts);
            progress.iter().for_each(|progress| progress.store(head, Ordering::Relaxed));
            if missing == 0 {
                return Ok(());
            }
        }
        // Usually, this thread requests as many records as are missing.
        //
        // If new records are rare, it requests as many as the repeated records since the last new one. With
        // smaller requests, workers would wait for this thread after every few records. At the end, workers
        // waste at most `repeats` records.
        let repeats =
            classes.as_ref().filter(|_| request.neighbours.is_none()).map_or(0, |classes| classes.repeats);
        let ahead = missing.max(repeats);
        schedule.take(head, head.saturating_add(ahead));
    }
    if missing > 0 && head == u64::MAX {
        return Err(too_few(wanted - missing, wanted, "there are no more record numbers"));
    }
    Ok(())
}

fn gave_up(request: &Request, index: u64) -> Error {
    ErrorKind::GaveUp(format!(
        "record {}: none of {} attempts succeeded; such puzzles may be impossible or very rare",
        index.saturating_add(1),
        request.attempts
    ))
    .into()
}

fn too_few(made: u64, wanted: u64, why: &str) -> Error {
    ErrorKind::GaveUp(format!("{made} of {wanted} distinct records: {why}")).into()
}

/// Returns the records with the numbers in `range`, made on one worker thread.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn records(request: &Request, range: Range<u64>) -> Result<Vec<Generated>> {
    let mut records = Vec::new();
    run(request, range, Options::default(), &Arc::new(Control::new()), &mut |record| {
        records.push(record);
        Flow::Continue
    })?;
    Ok(records)
}

/// List of the records with the most guesses, in descending order of guesses.
///
/// On ties, the record that was passed to [`offer`](Self::offer) earlier comes first. Only records from hill
/// climbing have guesses.
#[derive(Debug)]
pub struct Hardest {
    keep: usize,
    kept: Vec<Generated>,
}

impl Hardest {
    /// Creates a list of at most `keep` records.
    pub fn new(keep: usize) -> Self {
        Hardest { keep, kept: Vec::new() }
    }

    /// Adds a record if it is among the hardest so far.
    pub fn offer(&mut self, record: Generated) {
        let place = self.kept.partition_point(|other| other.guesses >= record.guesses);
        if place < self.keep {
            self.kept.truncate(self.keep - 1);
            self.kept.insert(place, record);
        }
    }

    /// Returns the records.
    pub fn records(&self) -> &[Generated] {
        &self.kept
    }
}
