//! Ratings of those records of a chunk that have exactly one solution.
//!
//! Like a canonical form, a rating depends only on the record and its solution. But a rating can take long.
//! Therefore a stopped run computes ratings before it decides which record is the last to be written. A
//! record with an unfinished rating counts as unanswered.

use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::columns::{ColumnChunk, RatedColumns};
use super::records::RecordChunk;
use super::transformed::grids;
use crate::options::{BatchOptions, Query};
use crate::shared::Shared;
use quadrille_engine::scales::{GuessRater, Scale};
use quadrille_engine::{EngineKind, NoResult, select};
use quadrille_formats::input::Chunk;
use quadrille_formats::output::{Field, OutputFormat, OutputOptions, RecordResult};
use quadrille_model::canonical::{Canonical, Canonizer, Cells, NoForm};
use quadrille_model::{Answer, EndedBy, Error, Packed9x9, ProblemRef, Reason, Status, message_of};
use quadrille_rating::{AnyRating, Caller, Level, NoRating, Rater, Reached, Step, Tenths};

/// Number of puzzles whose guesses are counted together in one batch.
const TOGETHER: usize = 64;

/// A record to rate. It has exactly one solution.
struct SolvedRecord<'a> {
    /// Returns the clues and the solution.
    cells: &'a dyn Fn() -> Result<(Cells, Cells), NoForm>,
    /// Number of guesses of the record's search, or `None` if they were not counted.
    guesses: Option<u64>,
    /// Returns the number of the record.
    number: &'a dyn Fn() -> u64,
}

/// Results of a rating beyond the rating itself.
#[derive(Default)]
struct Details {
    /// Solving steps. If this is `Some` before the rating, each step is added to it.
    path: Option<Path>,
    /// Grid after the last step, if rows show it.
    reached: Option<Reached>,
    /// Equivalent form that was rated instead of the record, or `None` if the record itself was rated.
    form: Option<Canonical>,
}

/// The raters of one thread, which uses them for all its chunks.
pub(crate) struct Raters {
    guesses: Option<GuessRater>,
    steps: Option<Rater>,
    shared: Arc<Shared>,
    /// Index of the worker in the progress display.
    worker: usize,
}

impl Raters {
    pub(crate) fn new(shared: &Arc<Shared>, worker: usize) -> Self {
        Raters { guesses: None, steps: None, shared: Arc::clone(shared), worker }
    }

    /// Rates a record on any scale except the mean number of guesses.
    fn rate(
        &mut self,
        scale: Scale,
        record: &SolvedRecord<'_>,
        canonizer: &mut Canonizer,
        details: &mut Details,
    ) -> Result<AnyRating, NoResult> {
        let cells = || (record.cells)().map_err(unsupported);
        let (max_rating, clues, solution) = match scale {
            Scale::Guesses => {
                let no_guesses = || NoResult::Unsupported("the engine counted no guesses".to_owned());
                return record.guesses.map(AnyRating::Guesses).ok_or_else(no_guesses);
            }
            Scale::Qqwing => {
                let level = Level::of(&cells()?.0).ok_or_else(|| unsupported(NoForm::Side))?;
                return Ok(AnyRating::Level(level));
            }
            Scale::Ser { max_rating } => {
                let (clues, solution) = cells()?;
                (max_rating, clues, solution)
            }
            Scale::SerCanonical { max_rating } => {
                let (clues, solution) = cells()?;
                let form = canonizer.by_solution(&clues, &solution).map_err(unsupported)?;
                let form = details.form.insert(form);
                let solution = form.transform.apply(&solution).ok_or_else(|| unsupported(NoForm::Side))?;
                (max_rating, form.cells, solution)
            }
            _ => return Err(unsupported(NoForm::Side)),
        };
        let rated = self.steps(max_rating, (&clues, &solution), details.path.as_mut(), record.number);
        rated.map(|(rating, reached)| {
            details.reached = reached;
            rating
        })
    }

    /// Rates a puzzle by solving steps. Also returns the grid after the last step, if rows show it.
    ///
    /// If `path` is given, each step is added to it. `record` returns the number of the record.
    fn steps(
        &mut self,
        max_rating: Tenths,
        (clues, solution): (&Cells, &Cells),
        path: Option<&mut Path>,
        record: &dyn Fn() -> u64,
    ) -> Result<(AnyRating, Option<Reached>), NoResult> {
        let Shared { options, control, .. } = &*self.shared;
        let make = || {
            let rater = Rater::new(max_rating);
            let counts = options.output.fields.contains(&Field::Techniques) || options.steps.needs_counts();
            let rater = if counts { rater.counting() } else { rater };
            let rater = if options.shows_end() { rater.keeping_grid() } else { rater };
            options.time_limit.into_iter().fold(rater, Rater::within)
        };
        let rater = self.steps.get_or_insert_with(make);
        let caller =
            &LongRating { shared: &self.shared, worker: self.worker, record, since: Cell::new(None) };
        let rate = || {
            let rating = match path {
                Some(path) => rater.rate_until(clues, solution, caller, Some(&mut |step| path.add(step))),
                None => rater.rate_until(clues, solution, caller, None),
            }?;
            let reached = options.shows_end().then(|| {
                let is_next_shown = options.shown_fields().any(|field| *field == Field::Missing);
                rater.reached(&rating, solution, is_next_shown.then_some(caller as &dyn Caller))
            });
            Ok((rating, reached.transpose()?))
        };
        match catch_unwind(AssertUnwindSafe(rate)) {
            Ok(Ok((rating, reached))) => Ok((AnyRating::Ser(rating), reached)),
            Ok(Err(reason @ NoRating::Contradiction(_))) => Err(NoResult::Broken(reason.to_string())),
            Ok(Err(NoRating::Stopped)) => Err(NoResult::Early(control.stop().unwrap_or(EndedBy::Cancel))),
            Ok(Err(reason)) => Err(NoResult::Unsupported(reason.to_string())),
            Err(panic) => {
                // The panic may have left the rater in an invalid state, so it is dropped.
                self.steps = None;
                Err(NoResult::Broken(message_of(panic.as_ref())))
            }
        }
    }
}

/// Callbacks for a rating that may take long.
///
/// They stop the rating if the run is stopped, report its progress, and let idle threads help.
struct LongRating<'a> {
    shared: &'a Shared,
    worker: usize,
    /// Function that returns the number of the record.
    record: &'a dyn Fn() -> u64,
    /// Number of the record, and the time at which its first long search began. `None` before that time.
    since: Cell<Option<(u64, Instant)>>,
}

impl Caller for LongRating<'_> {
    fn is_stopped(&self) -> bool {
        self.shared.control.stop().is_some()
    }

    fn searches_from(&self, least: Tenths) {
        let (record, since) = self.since.get().unwrap_or_else(|| ((self.record)(), Instant::now()));
        self.since.set(Some((record, since)));
        self.shared.progress.searches_step(self.worker, (record, least), since);
    }

    fn share(&self, lead: &mut dyn FnMut(), help: &(dyn Fn() -> bool + Sync)) {
        self.shared.share(lead, help);
    }
}

impl Drop for LongRating<'_> {
    fn drop(&mut self) {
        if self.since.get().is_some() {
            self.shared.progress.searches(self.worker, 0, Instant::now());
        }
    }
}

/// Solving steps of a rating, formatted as output text.
struct Path {
    bytes: Vec<u8>,
    is_json: bool,
}

impl Path {
    fn add(&mut self, step: &Step) {
        if !self.is_json {
            return writeln!(self.bytes, "{step}").expect("writing to memory does not fail");
        }
        self.bytes.push(if self.bytes.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.bytes, step).expect("a step is plain data");
    }

    fn end(mut self) -> Vec<u8> {
        if self.is_json {
            self.bytes.extend_from_slice(if self.bytes.is_empty() { b"[]" } else { b"]" });
        }
        self.bytes
    }
}

/// Rates the lines of a column chunk. Each line must have exactly one solution.
///
/// Returns `None` if a line has no rating or the run is stopped. The chunk must then be rated as a record
/// chunk.
pub(crate) fn of_plain(
    plain: &ColumnChunk,
    (chunk, first_index): (&Chunk, u64),
    scale: Scale,
    (raters, canonizer): (&mut Raters, &mut Canonizer),
) -> Option<RatedColumns> {
    let mut rated = RatedColumns::default();
    for line in 0..plain.lines.count() {
        if raters.shared.control.stop().is_some() {
            return None;
        }
        let cells = &|| plain.cells(chunk, line).ok_or(NoForm::NeedsSolution);
        let number = &|| first_index + line as u64;
        let record = SolvedRecord { cells, guesses: plain.guesses(line), number };
        let mut details = Details::default();
        rated.ratings.push(raters.rate(scale, &record, canonizer, &mut details).ok()?);
        rated.reached.extend(details.reached);
    }
    Some(rated)
}

/// Computes the requested ratings for the records whose rows are written next.
pub(crate) fn make(general: &mut RecordChunk, raters: &mut Raters, canonizer: &mut Canonizer) {
    let shared = Arc::clone(&raters.shared);
    let (options, control) = (&shared.options, &shared.control);
    let Some(scale) = options.scale() else { return };
    general.results.clear();
    if matches!(scale, Scale::GuessesMean { .. }) {
        return means(general, scale, raters, canonizer);
    }
    let OutputOptions { explain, format, .. } = options.output;
    // Steps are only written as readable text if `explain` is set and the format is not JSON Lines. In all
    // other cases, steps are written as JSON.
    let is_json = !explain || format == OutputFormat::Jsonl;
    for slot in general.uniquely_solved() {
        let engine = general.slots[slot].engine.map(|selection| selection.kind);
        let counters = general.slots[slot].answer.as_ref().and_then(|answer| answer.counters);
        let record = SolvedRecord {
            cells: &|| cells(general, slot),
            guesses: counters.map(|work| work.guesses).filter(|_| engine.is_some()),
            number: &|| general.number_of(slot),
        };
        let path = options.shows_steps().then(|| Path { bytes: Vec::new(), is_json });
        let mut details = Details { path, ..Details::default() };
        let rated = match control.stop() {
            Some(by) => Err(NoResult::Early(by)),
            None => raters.rate(scale, &record, canonizer, &mut details),
        };
        let version = scale.version(engine.unwrap_or(EngineKind::Lanes));
        settle(general, slot, options, rated.map(|rating| (version, rating)), details);
    }
}

/// Rates records by the mean number of guesses. Many records are rated together.
fn means(general: &mut RecordChunk, scale: Scale, raters: &mut Raters, canonizer: &mut Canonizer) {
    let Scale::GuessesMean { permutations, seed } = scale else { return };
    let shared = Arc::clone(&raters.shared);
    let (options, control) = (&shared.options, &shared.control);
    let make = || {
        let class = ProblemRef::Packed(&Packed9x9::FULL).class();
        let selection = select(class, options.ask.goal(), options.preference)?;
        Ok(GuessRater::new(selection.kind, options.preference.isa, permutations, seed))
    };
    let mut rater = raters.guesses.take().map_or_else(make, Ok).map_err(|error: Error| error.to_string());
    for group in general.uniquely_solved().chunks(TOGETHER) {
        let form = |&slot: &usize| {
            let (clues, solution) = cells(general, slot).map_err(unsupported)?;
            canonizer.by_solution(&clues, &solution).map_err(unsupported)
        };
        let forms: Vec<Result<Canonical, NoResult>> = group.iter().map(form).collect();
        let grids: Vec<Cells> = forms.iter().flatten().map(|form| form.cells).collect();
        let mut means = match &mut rater {
            Ok(rater) => {
                let version = scale.version(rater.kind());
                let means = rater.rate(&grids, options.limits(), control).into_iter();
                means.map(|mean| Ok((version, AnyRating::Mean(mean?)))).collect()
            }
            Err(reason) => vec![Err(NoResult::Unsupported(reason.clone())); grids.len()],
        }
        .into_iter();
        for (&slot, form) in group.iter().zip(forms) {
            let (form, rated) = match form {
                Ok(form) => (Some(form), means.next().expect("every form has a result")),
                Err(reason) => (None, Err(reason)),
            };
            settle(general, slot, options, rated, Details { form, ..Details::default() });
        }
    }
    raters.guesses = rater.ok();
}

/// Returns the clues and the solution of a slot's record.
fn cells(general: &RecordChunk, slot: usize) -> Result<(Cells, Cells), NoForm> {
    let (clues, solution) = grids(general, slot)?;
    Ok((clues, solution.ok_or(NoForm::NeedsSolution)?))
}

/// Stores the rating of a record, with the name of the scale. If there is no rating, changes the record's
/// answer to say why.
fn settle(
    general: &mut RecordChunk,
    slot: usize,
    options: &BatchOptions,
    rated: Result<(&'static str, AnyRating), NoResult>,
    details: Details,
) {
    let is_rate = matches!(options.ask, Query::Rate(_));
    let shows_form = is_rate && options.output.fields.iter().any(|field| field.is_of_image());
    let image = details.form.filter(|_| shows_form).map(|form| Box::new(form.into()));
    let path = details.path.filter(|_| rated.is_ok()).map(Path::end);
    let answer = &mut general.slots[slot].answer;
    match &rated {
        Ok((_, AnyRating::Ser(rating))) => {
            // If the rating is only a lower bound and is below the maximum rating, the rating was ended by
            // the time limit.
            if let Some(Scale::Ser { max_rating } | Scale::SerCanonical { max_rating }) = options.scale()
                && rating.er.at_least().is_some()
                && rating.er.tenths() < max_rating
                && let Some(answer) = answer
            {
                answer.ended_by = EndedBy::Time;
            }
        }
        Ok(_) => {}
        Err(NoResult::Early(by)) => {
            if let Some(answer) = answer {
                (answer.status, answer.ended_by) = (Status::Unknown, *by);
            }
        }
        Err(NoResult::Unsupported(reason)) if is_rate => {
            *answer = Some(Answer::without_search(Status::Unsupported, Reason::Text(reason.clone())));
        }
        Err(NoResult::Unsupported(_)) => {}
        Err(NoResult::Broken(message)) => general.faults.push((slot, format!("rating panicked: {message}"))),
    }
    let rated = rated.ok();
    general.results.push((slot, RecordResult::Rated { rated, path, reached: details.reached, image }));
}

/// Converts the reason why a puzzle has no canonical form to the reason why it has no rating.
fn unsupported(reason: NoForm) -> NoResult {
    let text = match reason {
        NoForm::Side => "this scale rates only 9x9 grids (--scale guesses rates all sides)".to_owned(),
        NoForm::Conditions => {
            "this scale cannot rate puzzles with candidates, letter groups or rules".to_owned()
        }
        _ => reason.to_string(),
    };
    NoResult::Unsupported(text)
}
