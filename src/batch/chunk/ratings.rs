//! Ratings of the records of a chunk that have one solution.
//!
//! They are functions of a record and its solution, as canonical forms are, but can take long: so they are made before it is
//! decided where the rows of a run end that is stopped, and a record whose rating was not finished counts as not answered.

use crate::batch::options::{Ask, BatchOptions};
use crate::canonical::{Canonizer, Cells, NoForm};
use crate::engine::{Control, select};
use crate::model::{Answer, Packed, ProblemRef, Reason, Solution, Status};
use crate::scales::{GuessRater, Rated, Scale, Unrated};

use super::general::{GeneralChunk, NONE};

/// Puzzles whose guesses are counted in one go.
const TOGETHER: usize = 64;

/// What a thread rates with, kept from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Raters {
    guesses: Option<GuessRater>,
}

/// Makes the ratings that a run asks for, for the slots that are to be written next.
pub(crate) fn make(
    general: &mut GeneralChunk,
    options: &BatchOptions,
    control: &Control,
    raters: &mut Raters,
    canonizer: &mut Canonizer,
) {
    let Some(scale) = options.scale() else { return };
    general.rated.clear();
    let mut work = Work { general, options, control, raters, canonizer };
    match scale {
        Scale::Guesses => work.each(|work, slot| work.guesses(slot)),
        Scale::GuessesMean { permutations, seed } => work.mean(permutations, seed),
    }
}

struct Work<'a> {
    general: &'a mut GeneralChunk,
    options: &'a BatchOptions,
    control: &'a Control,
    raters: &'a mut Raters,
    canonizer: &'a mut Canonizer,
}

/// A rating with its scale.
type OnScale = (&'static str, Rated);

impl Work<'_> {
    /// The slots to be written next whose records have exactly one solution.
    fn proper(&self) -> Vec<usize> {
        let is_proper = |slot: &usize| {
            let answer = self.general.slots[*slot].answer.as_ref();
            answer.is_some_and(|answer| {
                matches!(
                    answer.status,
                    Status::Unique | Status::Correct | Status::Ungiven | Status::NonMinimal
                )
            })
        };
        (self.general.written..self.general.end()).filter(is_proper).collect()
    }

    /// Rates record by record.
    fn each(&mut self, rate: impl Fn(&mut Self, usize) -> Result<OnScale, Unrated>) {
        for slot in self.proper() {
            let rated = match self.control.stop() {
                Some(by) => Err(Unrated::Early(by)),
                None => rate(self, slot),
            };
            self.settle(slot, rated);
        }
    }

    /// The guesses of the record's search.
    fn guesses(&mut self, slot: usize) -> Result<OnScale, Unrated> {
        let counters = self.general.slots[slot].answer.as_ref().and_then(|answer| answer.counters);
        match (counters, self.general.engine_of(slot)) {
            (Some(counters), Some(engine)) => {
                Ok((Scale::Guesses.version(engine.kind), Rated::Guesses(counters.guesses)))
            }
            _ => Err(Unrated::Unsupported("no guesses were counted".to_owned())),
        }
    }

    /// Rates by mean guesses, many records in one go.
    fn mean(&mut self, permutations: u32, seed: u64) {
        let preference = self.options.preference;
        let rater = match self.raters.guesses.take() {
            Some(rater) => Ok(rater),
            None => {
                let class = ProblemRef::Packed(&Packed::FULL).class();
                select(class, self.options.ask.goal(), preference)
                    .map(|selection| GuessRater::new(selection.kind, preference.isa, permutations, seed))
            }
        };
        let mut rater = match rater {
            Ok(rater) => rater,
            Err(error) => {
                return self.each(|_, _| Err(Unrated::Unsupported(error.to_string())));
            }
        };
        let scale = Scale::GuessesMean { permutations, seed }.version(rater.kind());
        let (mut slots, mut forms) = (Vec::new(), Vec::new());
        let limits = self.options.limits();
        for group in self.proper().chunks(TOGETHER) {
            slots.clear();
            forms.clear();
            let mut unsupported = Vec::new();
            for &slot in group {
                match self.carried(slot) {
                    Ok(form) => {
                        slots.push(slot);
                        forms.push(form);
                    }
                    Err(reason) => unsupported.push((slot, Err(Unrated::Unsupported(reason.to_string())))),
                }
            }
            let rated = rater.rate(&forms, limits, self.control);
            let rated = rated.into_iter().map(|rated| rated.map(|mean| (scale, Rated::Mean(mean))));
            unsupported.extend(slots.iter().copied().zip(rated));
            unsupported.sort_by_key(|(slot, _)| *slot);
            for (slot, rated) in unsupported {
                self.settle(slot, rated);
            }
        }
        self.raters.guesses = Some(rater);
    }

    /// The `carried` form of a slot's record.
    fn carried(&mut self, slot: usize) -> Result<Cells, NoForm> {
        let (clues, solution) = self.cells(slot)?;
        self.canonizer.carried(&clues, &solution).map(|canonical| canonical.cells)
    }

    /// Clues and solution of a slot's record.
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

    /// Notes the rating of a record, or what its answer is without one.
    fn settle(&mut self, slot: usize, rated: Result<OnScale, Unrated>) {
        let answer = &mut self.general.slots[slot].answer;
        match rated {
            Ok(rated) => self.general.rated.push((slot, rated)),
            Err(Unrated::Early(by)) => {
                if let Some(answer) = answer {
                    (answer.status, answer.ended_by) = (Status::Unknown, by);
                }
            }
            Err(Unrated::Unsupported(reason)) => {
                if matches!(self.options.ask, Ask::Rate(_)) {
                    *answer = Some(Answer::without_search(Status::Unsupported, Reason::Text(reason)));
                }
            }
            Err(Unrated::Broken(message)) => {
                self.general.faults.push((slot, format!("the rating broke down: {message}")));
            }
        }
    }
}
