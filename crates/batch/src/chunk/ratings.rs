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
use super::records::{NONE, RecordChunk};
use crate::options::{BatchOptions, Query};
use crate::shared::Shared;
use quadrille_engine::scales::{GuessRater, Scale};
use quadrille_engine::{Control, EngineKind, NoResult, select};
use quadrille_formats::input::Chunk;
use quadrille_formats::output::{Field, OutputFormat, OutputOptions, RecordResult};
use quadrille_model::canonical::{Canonizer, Cells, NoForm, Transform, Transformed};
use quadrille_model::{Answer, EndedBy, Packed9x9, ProblemRef, Reason, Solution, Status, message_of};
use quadrille_rating::{AnyRating, Caller, Level, NoRating, QQWING, Rater, Reached, Step, Tenths};

/// Number of puzzles whose guesses are counted together in one batch.
const TOGETHER: usize = 64;

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
/// Returns false if a line has no rating or the run is stopped. The chunk must then be rated as a record
/// chunk.
pub(crate) fn of_plain(
    plain: &ColumnChunk,
    (chunk, first_index): (&Chunk, u64),
    scale: Scale,
    (raters, canonizer): (&mut Raters, &mut Canonizer),
    rated: &mut RatedColumns,
) -> bool {
    rated.ratings.clear();
    rated.reached.clear();
    for line in 0..plain.lines.count() {
        if raters.shared.control.stop().is_some() {
            return false;
        }
        let record = &|| first_index + line as u64;
        let cells = || plain.cells(chunk, line);
        let mut steps = |max_rating, (clues, solution): (Cells, Cells)| {
            let (rating, reached) = raters.steps(max_rating, (&clues, &solution), None, record).ok()?;
            rated.reached.extend(reached);
            Some(rating)
        };
        let one = match scale {
            Scale::Guesses => plain.guesses(line).map(AnyRating::Guesses),
            Scale::Qqwing => cells().and_then(|(clues, _)| Level::of(&clues)).map(AnyRating::Level),
            Scale::Ser { max_rating } => cells().and_then(|cells| steps(max_rating, cells)),
            Scale::SerCanonical { max_rating } => cells().and_then(|(clues, solution)| {
                let canonical = canonizer.by_solution(&clues, &solution).ok()?;
                let solution = canonical.transform.apply(&solution)?;
                steps(max_rating, (canonical.cells, solution))
            }),
            _ => return false,
        };
        match one {
            Some(one) => rated.ratings.push(one),
            None => return false,
        }
    }
    true
}

/// Computes the requested ratings for the records whose rows are written next.
pub(crate) fn make(
    general: &mut RecordChunk,
    options: &BatchOptions,
    control: &Control,
    raters: &mut Raters,
    canonizer: &mut Canonizer,
) {
    let Some(scale) = options.scale() else { return };
    general.results.clear();
    let (path, reached, images) = (None, None, Vec::new());
    let mut work = Work { general, options, control, raters, canonizer, path, reached, images };
    match scale {
        Scale::Guesses => work.each(|work, slot| work.guesses(slot)),
        Scale::Qqwing => work.each(|work, slot| work.level(slot)),
        Scale::GuessesMean { permutations, seed } => work.mean(permutations, seed),
        _ => work.each(|work, slot| work.steps(slot, scale)),
    }
}

struct Work<'a> {
    general: &'a mut RecordChunk,
    options: &'a BatchOptions,
    control: &'a Control,
    raters: &'a mut Raters,
    canonizer: &'a mut Canonizer,
    /// Solving steps of the latest rating, if rows show steps.
    path: Option<Vec<u8>>,
    /// Grid after the solving steps of the latest rating, if rows show it.
    reached: Option<Reached>,
    /// Equivalent forms in which records are rated, each with the slot of its record. Only filled if rows
    /// show the form.
    images: Vec<(usize, Box<Transformed>)>,
}

/// A rating with its scale.
type OnScale = (&'static str, AnyRating);

impl Work<'_> {
    /// Returns the slots of records that have exactly one solution and whose rows are not written yet.
    fn proper(&self) -> Vec<usize> {
        let is_proper = |slot: &usize| {
            let answer = self.general.slots[*slot].answer.as_ref();
            answer.is_some_and(|answer| {
                matches!(
                    answer.status,
                    Status::Unique | Status::Correct | Status::Missing | Status::NonMinimal
                )
            })
        };
        (self.general.written..self.general.end()).filter(is_proper).collect()
    }

    /// Rates record by record.
    fn each(&mut self, rate: impl Fn(&mut Self, usize) -> Result<OnScale, NoResult>) {
        for slot in self.proper() {
            let rated = match self.control.stop() {
                Some(by) => Err(NoResult::Early(by)),
                None => rate(self, slot),
            };
            self.settle(slot, rated);
        }
    }

    /// Rates a record by steps.
    fn steps(&mut self, slot: usize, scale: Scale) -> Result<OnScale, NoResult> {
        let (mut clues, mut solution) = self.cells(slot).map_err(unsupported)?;
        let max_rating = match scale {
            Scale::SerCanonical { max_rating } => {
                let map;
                (clues, map) = self.by_solution(slot, &clues, &solution)?;
                solution = map.apply(&solution).ok_or_else(|| unsupported(NoForm::Side))?;
                max_rating
            }
            Scale::Ser { max_rating } => max_rating,
            _ => return Err(unsupported(NoForm::Side)),
        };
        let OutputOptions { explain, format, .. } = self.options.output;
        // Steps are only written as readable text if `explain` is set and the format is not JSON Lines. In
        // all other cases, steps are written as JSON.
        let is_json = !explain || format == OutputFormat::Jsonl;
        let mut path = self.options.shows_steps().then(|| Path { bytes: Vec::new(), is_json });
        let record = &|| self.general.number_of(slot);
        let (rated, reached) = self.raters.steps(max_rating, (&clues, &solution), path.as_mut(), record)?;
        (self.path, self.reached) = (path.map(Path::end), reached);
        let engine = self.general.engine_of(slot).map_or(EngineKind::Lanes, |selection| selection.kind);
        Ok((scale.version(engine), rated))
    }

    /// Returns the difficulty level of a record.
    fn level(&mut self, slot: usize) -> Result<OnScale, NoResult> {
        let (clues, _) = self.cells(slot).map_err(unsupported)?;
        let level = Level::of(&clues).ok_or_else(|| unsupported(NoForm::Side))?;
        Ok((QQWING, AnyRating::Level(level)))
    }

    /// Returns the number of guesses in a record's search.
    fn guesses(&mut self, slot: usize) -> Result<OnScale, NoResult> {
        let counters = self.general.slots[slot].answer.as_ref().and_then(|answer| answer.counters);
        match (counters, self.general.engine_of(slot)) {
            (Some(counters), Some(engine)) => {
                Ok((Scale::Guesses.version(engine.kind), AnyRating::Guesses(counters.guesses)))
            }
            _ => Err(NoResult::Unsupported("the engine counted no guesses".to_owned())),
        }
    }

    /// Rates records by the mean number of guesses. Many records are rated together.
    fn mean(&mut self, permutations: u32, seed: u64) {
        let preference = self.options.preference;
        let rater = match self.raters.guesses.take() {
            Some(rater) => Ok(rater),
            None => {
                let class = ProblemRef::Packed(&Packed9x9::FULL).class();
                select(class, self.options.ask.goal(), preference)
                    .map(|selection| GuessRater::new(selection.kind, preference.isa, permutations, seed))
            }
        };
        let mut rater = match rater {
            Ok(rater) => rater,
            Err(error) => {
                return self.each(|_, _| Err(NoResult::Unsupported(error.to_string())));
            }
        };
        let scale = Scale::GuessesMean { permutations, seed }.version(rater.kind());
        let (mut slots, mut forms) = (Vec::new(), Vec::new());
        let limits = self.options.limits();
        for group in self.proper().chunks(TOGETHER) {
            slots.clear();
            forms.clear();
            let mut done = Vec::new();
            for &slot in group {
                let cells = self.cells(slot).map_err(unsupported);
                match cells.and_then(|(clues, solution)| self.by_solution(slot, &clues, &solution)) {
                    Ok((form, _)) => {
                        slots.push(slot);
                        forms.push(form);
                    }
                    Err(reason) => done.push((slot, Err(reason))),
                }
            }
            let rated = rater.rate(&forms, limits, self.control);
            let rated = rated.into_iter().map(|rated| rated.map(|mean| (scale, AnyRating::Mean(mean))));
            done.extend(slots.iter().copied().zip(rated));
            done.sort_by_key(|(slot, _)| *slot);
            for (slot, rated) in done {
                self.settle(slot, rated);
            }
        }
        self.raters.guesses = Some(rater);
    }

    /// Returns the `by-solution` form of a record, and the transform from the record to this form.
    ///
    /// Stores the form if rows show it.
    fn by_solution(
        &mut self,
        slot: usize,
        clues: &Cells,
        solution: &Cells,
    ) -> Result<(Cells, Transform), NoResult> {
        let canonical = self.canonizer.by_solution(clues, solution).map_err(unsupported)?;
        let form = (canonical.cells, canonical.transform);
        let is_rate = matches!(self.options.ask, Query::Rate(_));
        if is_rate && self.options.output.fields.iter().any(|field| field.is_of_image()) {
            self.images.push((slot, Box::new(canonical.into())));
        }
        Ok(form)
    }

    /// Returns the clues and the solution of a slot's record.
    fn cells(&self, slot: usize) -> Result<(Cells, Cells), NoForm> {
        let clues = Cells::of_clues(self.general.searched(slot))?;
        let number = self.general.slots[slot].solution;
        if number == NONE {
            return Err(NoForm::NeedsSolution);
        }
        match self.general.found.get(number as usize) {
            Solution::Digits(digits) => Ok((clues, Cells::of_solution(digits)?)),
            Solution::Options(_) => Err(NoForm::Side),
        }
    }

    /// Stores the rating of a record. If there is no rating, changes the record's answer to say why.
    fn settle(&mut self, slot: usize, rated: Result<OnScale, NoResult>) {
        let image =
            self.images.iter().position(|(of, _)| *of == slot).map(|place| self.images.swap_remove(place).1);
        let (path, reached) = (self.path.take(), self.reached.take());
        let answer = &mut self.general.slots[slot].answer;
        let rated = match rated {
            Ok(rated) => {
                // If the rating is only a lower bound and is below the maximum rating, the rating was ended
                // by the time limit.
                if let (
                    AnyRating::Ser(rating),
                    Some(Scale::Ser { max_rating } | Scale::SerCanonical { max_rating }),
                ) = (&rated.1, self.options.scale())
                    && rating.er.at_least().is_some()
                    && rating.er.tenths() < max_rating
                    && let Some(answer) = answer
                {
                    answer.ended_by = EndedBy::Time;
                }
                Some(rated)
            }
            Err(NoResult::Early(by)) => {
                if let Some(answer) = answer {
                    (answer.status, answer.ended_by) = (Status::Unknown, by);
                }
                None
            }
            Err(NoResult::Unsupported(reason)) => {
                if matches!(self.options.ask, Query::Rate(_)) {
                    *answer = Some(Answer::without_search(Status::Unsupported, Reason::Text(reason)));
                }
                None
            }
            Err(NoResult::Broken(message)) => {
                self.general.faults.push((slot, format!("rating panicked: {message}")));
                None
            }
        };
        self.general.results.push((slot, RecordResult::Rated { rated, path, reached, image }));
    }
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
