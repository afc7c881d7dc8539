//! A run: threads that work on a schedule, records out in order.

use std::ops::Range;
use std::sync::Arc;

use super::record::Generated;
use super::schedule::Schedule;
use super::sudoku::{Request, attempt};
use super::work::{Recipe, work};
use crate::engine::{Control, EnginePreference, Flow, select};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Goal, ProblemClass};

/// The options of a run, whatever is generated.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Threads; at least 1.
    pub threads: usize,
    /// The engine that answers questions.
    pub preference: EnginePreference,
}

impl Default for Options {
    /// One thread, the engine that fits.
    fn default() -> Self {
        Options { threads: 1, preference: EnginePreference::default() }
    }
}

/// Generates records and gives them to `sink` in order, on this thread, until there are no more, it returns
/// [`Flow::Stop`], or `control` stops.
///
/// # Errors
/// As [`Request::validate`]; an engine that cannot do it; a record that no attempt made
/// ([`ErrorKind::GaveUp`]).
pub fn run(
    request: &Request,
    range: Range<u64>,
    options: Options,
    control: &Arc<Control>,
    sink: &mut dyn FnMut(Generated) -> Flow,
) -> Result<()> {
    request.validate()?;
    let class = ProblemClass::Grid {
        side: request.geometry.side(),
        packed: request.geometry.is_9x9(),
        same_digit: false,
        weighted: false,
    };
    let kind = select(class, Goal::First(2), options.preference)?.kind;
    let threads = options.threads.max(1);
    let schedule = Schedule::new(range, request.attempts, request.often_fails(), threads);
    // Stops the workers without stopping other work under the control.
    let stopper = Arc::new(Control::child(control));
    let recipe: &Recipe<'_> = &|record, number, asker| Box::pin(attempt(request, record, number, asker));
    std::thread::scope(|scope| {
        let worker = || {
            let _present = schedule.present();
            work(recipe, &schedule, &stopper, (kind.info().make)(options.preference.isa).as_mut());
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let result = hand_out(request, &schedule, sink);
        stopper.cancel();
        let broken = workers.into_iter().filter_map(|worker| worker.join().err()).count();
        if broken > 0 {
            return Err(ErrorKind::Internal("generating broke down".to_owned()).into());
        }
        result
    })
}

fn hand_out(request: &Request, schedule: &Schedule, sink: &mut dyn FnMut(Generated) -> Flow) -> Result<()> {
    while let Some(done) = schedule.take_done() {
        for (index, generated) in done {
            let Some(generated) = generated else { return Err(gave_up(request, index)) };
            if sink(generated) == Flow::Stop {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn gave_up(request: &Request, index: u64) -> Error {
    ErrorKind::GaveUp(format!(
        "record {}: none of {} attempts made what is wanted; there may be none, or it is very rare",
        index.saturating_add(1),
        request.attempts
    ))
    .into()
}

/// Some records, made on this thread.
///
/// # Errors
/// As [`run`].
pub fn records(request: &Request, range: Range<u64>) -> Result<Vec<Generated>> {
    let mut records = Vec::new();
    run(request, range, Options::default(), &Arc::new(Control::new()), &mut |record| {
        records.push(record);
        Flow::Continue
    })?;
    Ok(records)
}

/// Of some records the `keep` with most guesses, most first, the earlier one first among equals. For requests that
/// climb: others have no guesses. `each` is called with every record as it is made.
///
/// # Errors
/// As [`run`].
pub fn hardest(
    request: &Request,
    range: Range<u64>,
    keep: usize,
    options: Options,
    control: &Arc<Control>,
    each: &mut dyn FnMut(&Generated),
) -> Result<Vec<Generated>> {
    let mut kept: Vec<Generated> = Vec::new();
    run(request, range, options, control, &mut |record| {
        each(&record);
        let place = kept.partition_point(|other| other.guesses >= record.guesses);
        if place < keep {
            kept.truncate(keep - 1);
            kept.insert(place, record);
        }
        Flow::Continue
    })?;
    Ok(kept)
}
