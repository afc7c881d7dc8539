//! The ladder: the order in which techniques are tried, and the solution path that results.
//!
//! The path applies the first step that is found. The search then restarts with the singles. A technique that
//! found nothing is tried again only on houses or digits that have changed since then.

use std::time::{Duration, Instant};

use thiserror::Error;

use super::aligned::{aligned_pairs, aligned_triplets};
use super::bivalue_graves::graves;
use super::caller::Caller;
use super::chains::Chains;
use super::clock::{Clock, Ended};
use super::fish::{Fish, fish};
use super::forcing::Forcing;
use super::grid::Grid;
use super::hint::Hint;
use super::houses::COLUMNS;
use super::kind::Kind;
use super::locking::{direct_locking, locking};
use super::loops::loops;
use super::singles::Singles;
use super::step::{Candidate, Step};
use super::subsets::{direct_hidden_sets, hidden_sets, naked_sets};
use super::trace::Trace;
use super::wings::wings;
use super::{Counts, Rating, RatingBound, Reached, Technique, Tenths};
use quadrille_model::DigitSet;
use quadrille_model::bits::Bits;
use quadrille_model::canonical::Cells;

/// The reason why a puzzle has no rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoRating {
    /// Not a 9x9 grid.
    #[error("ratings are for 9x9 grids")]
    Side,
    /// The given solution is wrong: it has an empty cell, a digit that differs from the clue, or a digit
    /// twice in a house.
    #[error("the solution does not solve the puzzle")]
    Solution,
    /// A step contradicts the solution. The puzzle has several solutions, or a technique has a bug.
    #[error("a step ({0}) contradicts the solution: the puzzle has several solutions, or this is a bug")]
    Contradiction(Technique),
    /// The caller stopped the search.
    #[error("stopped")]
    Stopped,
}

/// The parts of a grid that a [`HintProducer`] searches separately.
///
/// Parts that have not changed need not be searched again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Digits,
    Houses,
    Grid,
}

/// A rung of the ladder: one technique, or several techniques that are searched for together.
struct HintProducer {
    /// Minimum rating of the hints that this rung finds.
    least: Tenths,
    scope: Scope,
    find: Find,
}

/// Function that searches some parts of the grid, one bit per part. It returns true if it found a hint.
type Find = fn(&mut Rater, u32, &Clock<'_>) -> bool;

const fn rung(technique: Technique, scope: Scope, find: Find) -> HintProducer {
    HintProducer { least: technique.least(), scope, find }
}

/// Returns true for every hint. A search with this callback therefore stops at the first hint.
fn first(_: &Hint) -> bool {
    true
}

/// The techniques that are tried after hidden singles, in this order.
const LADDER: [HintProducer; 29] = {
    use Scope::{Digits, Grid, Houses};
    use Technique::*;
    [
        rung(DirectPointing, Digits, |r, digits, _| direct_locking(&r.grid, digits as u16, &mut r.hint)),
        rung(DirectHiddenPair, Houses, |r, houses, _| direct_hidden_sets(&r.grid, 2, houses, &mut r.hint)),
        rung(NakedSingle, Grid, |r, _, _| r.naked_single()),
        rung(DirectHiddenTriplet, Houses, |r, houses, _| direct_hidden_sets(&r.grid, 3, houses, &mut r.hint)),
        rung(Pointing, Digits, |r, digits, _| locking(&r.grid, digits as u16, &mut r.hint, &mut first)),
        rung(NakedPair, Houses, |r, houses, _| naked_sets(&r.grid, 2, houses, &mut r.hint, &mut first)),
        rung(XWing, Digits, |r, digits, _| {
            fish::<2>(&r.grid, digits as u16, &mut r.fish, &mut r.hint, &mut first)
        }),
        rung(HiddenPair, Houses, |r, houses, _| hidden_sets(&r.grid, 2, houses, &mut r.hint, &mut first)),
        rung(NakedTriplet, Houses, |r, houses, _| naked_sets(&r.grid, 3, houses, &mut r.hint, &mut first)),
        rung(Swordfish, Digits, |r, digits, _| {
            fish::<3>(&r.grid, digits as u16, &mut r.fish, &mut r.hint, &mut first)
        }),
        rung(HiddenTriplet, Houses, |r, houses, _| hidden_sets(&r.grid, 3, houses, &mut r.hint, &mut first)),
        rung(XyWing, Grid, |r, _, _| wings(&r.grid, 2, &mut r.hint)),
        rung(XyzWing, Grid, |r, _, _| wings(&r.grid, 3, &mut r.hint)),
        rung(UniqueLoop1, Grid, |r, _, _| loops(&r.grid, &mut r.hint, &mut r.spare)),
        rung(NakedQuad, Houses, |r, houses, _| naked_sets(&r.grid, 4, houses, &mut r.hint, &mut first)),
        rung(Jellyfish, Digits, |r, digits, _| {
            fish::<4>(&r.grid, digits as u16, &mut r.fish, &mut r.hint, &mut first)
        }),
        rung(HiddenQuad, Houses, |r, houses, _| hidden_sets(&r.grid, 4, houses, &mut r.hint, &mut first)),
        rung(BivalueGrave1, Grid, |r, _, _| graves(&r.grid, &mut r.hint)),
        rung(AlignedPair, Grid, |r, _, _| aligned_pairs(&r.grid, &mut r.hint)),
        rung(XCycle, Grid, |r, _, _| r.chains.find(&r.grid, r.explains, &mut r.hint, &mut r.trace)),
        rung(AlignedTriplet, Grid, |r, _, _| aligned_triplets(&r.grid, &mut r.hint)),
        rung(Nishio, Grid, |r, _, clock| r.force(Kind::Nishio, clock)),
        rung(CellChains, Grid, |r, _, clock| r.force(Kind::Multiple, clock)),
        rung(DynamicContradiction, Grid, |r, _, clock| r.force(Kind::Dynamic, clock)),
        rung(PlusContradiction, Grid, |r, _, clock| r.force(Kind::Plus, clock)),
        rung(ChainsContradiction, Grid, |r, _, clock| r.force(Kind::PlusChains, clock)),
        rung(MultipleContradiction, Grid, |r, _, clock| r.force(Kind::PlusMultiple, clock)),
        rung(TwiceContradiction, Grid, |r, _, clock| r.force(Kind::PlusDynamic, clock)),
        rung(NestedContradiction, Grid, |r, _, clock| r.force(Kind::PlusNested, clock)),
    ]
};

/// Rates puzzles one after another, without an allocation per puzzle.
///
/// ```
/// use quadrille::canonical::Cells;
/// use quadrille::rating::{RatingBound, Rater, Technique, Tenths};
/// use quadrille::{FromText, GridQuestions, ProblemRef, Puzzle};
///
/// let puzzle =
///     Puzzle::from_text("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")?;
/// let solution = puzzle.solve().expect("it has one");
/// let clues = Cells::of_clues(ProblemRef::Puzzle(&puzzle))?;
/// let solution = Cells::of_solution(solution.digits())?;
///
/// let rating = Rater::new(Rater::UNBOUNDED).rate(&clues, &solution)?;
/// assert_eq!(rating.er, RatingBound::Exactly(Tenths(12)));
/// assert_eq!(rating.hardest, Some(Technique::HiddenSingleInBox));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rater {
    /// Maximum rating of the steps that a path may use.
    max_rating: Tenths,
    /// True if the rater counts the steps of each technique.
    counts: bool,
    singles: Singles,
    /// True if the digits' places in `grid` are up to date with `singles`, but the cells of `grid` are not.
    has_places_only: bool,
    grid: Grid,
    hint: Hint,
    spare: Hint,
    fish: Vec<Fish>,
    trace: Trace,
    chains: Box<Chains>,
    forcing: Box<Forcing>,
    /// True if the path is reported, so that hints must record their reasons.
    explains: bool,
    /// True if the grid at the end of each path is kept.
    keeps_grid: bool,
    /// Maximum time for a puzzle.
    time_limit: Option<Duration>,
    /// The reason why the last search ended early.
    ended: Option<Ended>,
    /// For each rung, the parts of the grid that changed since the last time the rung found nothing.
    pending: [u32; LADDER.len()],
}

impl Rater {
    /// The highest rating of any known puzzle.
    ///
    /// If no technique finds the next step of a puzzle, the puzzle is rated above this bound.
    pub const MAX_RATING: Tenths = Tenths(119);
    /// A bound on ratings that allows every step.
    pub const UNBOUNDED: Tenths = Tenths(u8::MAX);

    /// Creates a rater that allows steps with ratings up to `max_rating`.
    ///
    /// [`UNBOUNDED`](Self::UNBOUNDED) allows all supported steps. If a puzzle needs a harder step, it is
    /// rated [`Above`](RatingBound::Above) the bound.
    pub fn new(max_rating: Tenths) -> Self {
        Rater {
            max_rating,
            counts: false,
            singles: Singles::new(),
            has_places_only: false,
            grid: Grid::default(),
            hint: Hint::default(),
            spare: Hint::default(),
            fish: Vec::new(),
            trace: Trace::default(),
            chains: Box::default(),
            forcing: Box::default(),
            explains: false,
            keeps_grid: false,
            time_limit: None,
            ended: None,
            pending: [0; LADDER.len()],
        }
    }

    /// Makes the rater count the steps of each technique.
    ///
    /// Rating then takes longer, because singles are placed one by one.
    #[must_use]
    pub fn counting(self) -> Self {
        Rater { counts: true, ..self }
    }

    /// Makes the rater keep the grid at the end of each path, for use by [`reached`](Self::reached).
    #[must_use]
    pub fn keeping_grid(self) -> Self {
        Rater { keeps_grid: true, ..self }
    }

    /// Limits the time for each puzzle.
    ///
    /// When the time is up, the current search for a step ends. The puzzle is then rated above the bound
    /// reached so far.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Rater { time_limit: Some(time), ..self }
    }

    /// Rates a puzzle and checks every step against its only solution.
    ///
    /// # Errors
    /// Returns [`NoRating`] if the puzzle cannot be rated.
    pub fn rate(&mut self, clues: &Cells, solution: &Cells) -> Result<Rating, NoRating> {
        self.rate_until(clues, solution, &|| false, None)
    }

    /// Rates a puzzle like [`rate`](Self::rate) and calls `visit` for each step of the path, in order.
    ///
    /// # Errors
    /// Returns [`NoRating`] if the puzzle cannot be rated.
    pub fn explain(
        &mut self,
        clues: &Cells,
        solution: &Cells,
        visit: &mut dyn FnMut(&Step),
    ) -> Result<Rating, NoRating> {
        self.rate_until(clues, solution, &|| false, Some(visit))
    }

    /// Rates a puzzle, unless `caller` stops the search. Calls `visit`, if given, for each step of the path.
    ///
    /// # Errors
    /// Returns [`NoRating::Stopped`] if the caller stops the search, and another [`NoRating`] if the puzzle
    /// cannot be rated.
    pub fn rate_until(
        &mut self,
        clues: &Cells,
        solution: &Cells,
        caller: &dyn Caller,
        mut visit: Option<&mut dyn FnMut(&Step)>,
    ) -> Result<Rating, NoRating> {
        let is_right = solution.is_solution() && clues.is_part_of(solution);
        let clues: &[u8; 81] = clues.as_slice().try_into().map_err(|_| NoRating::Side)?;
        let solution: &[u8; 81] = solution.as_slice().try_into().map_err(|_| NoRating::Side)?;
        if !is_right {
            return Err(NoRating::Solution);
        }
        self.explains = visit.is_some();
        let clock =
            &Clock { caller, until: self.time_limit.and_then(|time| Instant::now().checked_add(time)) };
        self.pending = [0; LADDER.len()];
        let mut rating = Summary::default();
        self.has_places_only = false;
        // If the bound is as low as the ratings of singles, a group of singles that are placed together could
        // exceed the bound.
        let is_among_singles = self.max_rating < Technique::HiddenSingleInLine.least();
        if self.explains || self.counts || self.keeps_grid && is_among_singles {
            rating.counts = self.counts.then(Default::default);
            self.grid.begin(clues);
        } else if let Some(above) = self.place_together(clues, solution, &mut rating, clock)? {
            return self.end(rating, above);
        }
        while self.grid.left > 0 {
            if let Some((technique, house, cell, digit)) = self.hidden_single() {
                // Most steps are hidden singles. They need a hint only if steps are reported.
                if usize::from(solution[cell]) != digit + 1 {
                    return Err(NoRating::Contradiction(technique));
                }
                if technique.least() > self.max_rating {
                    return Ok(rating.end(Some(self.max_rating)));
                }
                if let Some(visit) = &mut visit {
                    self.hint.begin(technique);
                    self.hint.add_house(house);
                    self.hint.placed = Some((cell as u8, digit as u8));
                    visit(&self.step());
                }
                rating.add(technique, technique.least(), true);
                self.grid.place(cell, digit);
                continue;
            }
            if let Err(above) = self.climb(clock) {
                return self.end(rating, Some(above));
            }
            self.check_hint(solution)?;
            if let Some(visit) = &mut visit {
                visit(&self.step());
            }
            rating.add_hint(&self.hint);
            self.hint.apply(&mut self.grid);
        }
        Ok(rating.end(None))
    }

    /// Returns the grid at the end of the last path, if the rater [keeps the grid](Self::keeping_grid).
    ///
    /// `rating` and `solution` must belong to the puzzle that was rated last. If `next` is given, also
    /// searches for the technique of the next step, whatever the step's rating. This search can take long.
    ///
    /// # Errors
    /// Returns [`NoRating::Stopped`] if the caller stops the search.
    pub fn reached(
        &mut self,
        rating: &Rating,
        solution: &Cells,
        next: Option<&dyn Caller>,
    ) -> Result<Reached, NoRating> {
        if rating.er.at_least().is_none() {
            let cells = solution.as_slice().iter().map(|&digit| DigitSet::only(usize::from(digit) - 1));
            return Ok(Reached { cells: cells.collect(), missing: None });
        }
        self.complete_grid();
        let filled = self.grid.values.iter().zip(&self.grid.candidates);
        let cells = filled.map(|(&value, &candidates)| match value {
            0 => DigitSet(candidates.into()),
            digit => DigitSet::only(usize::from(digit) - 1),
        });
        let cells = cells.collect();
        let missing = next.map_or(Ok(None), |caller| self.next_technique(caller))?;
        Ok(Reached { cells, missing })
    }

    /// Returns the technique of the next step, whatever the step's rating, or `None` if no step was found.
    ///
    /// # Errors
    /// Returns [`NoRating::Stopped`] if the caller stops the search.
    fn next_technique(&mut self, caller: &dyn Caller) -> Result<Option<Technique>, NoRating> {
        if let Some((technique, ..)) = self.hidden_single() {
            return Ok(Some(technique));
        }
        let until = self.time_limit.and_then(|time| Instant::now().checked_add(time));
        let bound = std::mem::replace(&mut self.max_rating, Self::UNBOUNDED);
        let climbed = self.climb(&Clock { caller, until });
        self.max_rating = bound;
        match self.ended.take() {
            Some(Ended::Stopped) => Err(NoRating::Stopped),
            _ => Ok(climbed.ok().map(|()| self.hint.technique)),
        }
    }

    /// Follows the path for as long as its steps only place digits. Places all available singles at once.
    ///
    /// Returns one of three values:
    /// - `Some(None)` if the puzzle is solved.
    /// - `Some(Some(rating))` if no step up to this rating was found.
    /// - `None` if the path must continue from the current grid.
    fn place_together(
        &mut self,
        clues: &[u8; 81],
        solution: &[u8; 81],
        rating: &mut Summary,
        clock: &Clock<'_>,
    ) -> Result<Option<Option<Tenths>>, NoRating> {
        for (technique, count) in self.singles.solve(clues, solution).map_err(NoRating::Contradiction)? {
            if count > 0 && technique.least() > self.max_rating {
                return Ok(Some(Some(self.max_rating)));
            }
            rating.add_singles(technique, count);
        }
        self.grid.all_changed();
        while !self.singles.is_solved() {
            self.singles.write_places(&mut self.grid);
            self.has_places_only = true;
            if let Err(above) = self.climb(clock) {
                return Ok(Some(Some(above)));
            }
            self.check_hint(solution)?;
            rating.add_hint(&self.hint);
            let Some((cell, digit)) = self.hint.placed.filter(|_| !self.hint.is_worth()) else {
                self.hint.apply(&mut self.grid);
                return Ok(None);
            };
            let placed = self.singles.go_on(usize::from(cell), usize::from(digit));
            rating.add_singles(Technique::HiddenSingleInLine, placed.map_err(NoRating::Contradiction)?);
        }
        Ok(Some(None))
    }

    /// Returns the rating of a path that has ended. The path is solved, needs a step rated above `above`, or
    /// was stopped.
    fn end(&mut self, rating: Summary, above: Option<Tenths>) -> Result<Rating, NoRating> {
        match self.ended.take() {
            Some(Ended::Stopped) => Err(NoRating::Stopped),
            _ => Ok(rating.end(above)),
        }
    }

    /// Checks that the current hint agrees with the solution.
    fn check_hint(&self, solution: &[u8; 81]) -> Result<(), NoRating> {
        let hint = &self.hint;
        let contradicts = |&(cell, digits): &(u8, u16)| digits >> (solution[usize::from(cell)] - 1) & 1 == 1;
        let is_wrong = hint.removed.iter().any(contradicts)
            || hint.placed.is_some_and(|(cell, digit)| solution[usize::from(cell)] != digit + 1);
        if is_wrong { Err(NoRating::Contradiction(hint.technique)) } else { Ok(()) }
    }

    /// Returns the last empty cell of a house. If no house has exactly one empty cell, returns the first
    /// hidden single.
    ///
    /// The result is the technique, the house, the cell and the digit, or `None` if there is no such step.
    fn hidden_single(&self) -> Option<(Technique, usize, usize, usize)> {
        let grid = &self.grid;
        let (technique, house, digit) = if let Some(house) = grid.last_cell() {
            let digit = (0..9).find(|&digit| grid.places[house][digit] != 0)?;
            (Technique::LastCell, house, digit)
        } else {
            let (house, digit) = grid.hidden_single()?;
            let is_box = house < COLUMNS;
            let technique = if is_box { Technique::HiddenSingleInBox } else { Technique::HiddenSingleInLine };
            (technique, house, digit)
        };
        Some((technique, house, grid.only_cell(house, digit), digit))
    }

    fn naked_single(&mut self) -> bool {
        let Some((cell, digit)) = self.grid.naked_single() else { return false };
        self.hint.begin(Technique::NakedSingle);
        self.hint.placed = Some((cell as u8, digit as u8));
        true
    }

    /// Brings the cells of the grid up to date if only the places of digits are up to date.
    fn complete_grid(&mut self) {
        if std::mem::take(&mut self.has_places_only) {
            self.singles.write_cells(&mut self.grid);
        }
    }

    fn force(&mut self, kind: Kind, clock: &Clock<'_>) -> bool {
        if kind.has_nested() {
            clock.caller.searches_from(kind.least());
        }
        let Rater { grid, hint, trace, max_rating, .. } = self;
        let found =
            self.forcing.find(grid, (kind, *max_rating), clock, (hint, self.explains.then_some(trace)));
        self.ended = found.err();
        found.unwrap_or(true)
    }

    /// Finds the first hint on the ladder.
    ///
    /// # Errors
    /// Returns a rating that all further steps exceed. This happens if there is no hint, if the hint's rating
    /// exceeds the bound, or if the time is up.
    fn climb(&mut self, clock: &Clock<'_>) -> Result<(), Tenths> {
        let (houses, digits) = self.grid.take_changes();
        for (pending, rung) in self.pending.iter_mut().zip(&LADDER) {
            *pending |= match rung.scope {
                Scope::Digits => u32::from(digits),
                Scope::Houses | Scope::Grid => houses,
            };
        }
        for (number, rung) in LADDER.iter().enumerate() {
            if rung.least > self.max_rating {
                return Err(self.max_rating);
            }
            if self.pending[number] == 0 {
                continue;
            }
            // The rungs up to the one for direct hidden triplets need only the places of digits and the naked
            // singles. The other rungs also need the cells of the grid.
            if rung.least > Technique::DirectHiddenTriplet.least() {
                self.complete_grid();
            }
            if (rung.find)(self, self.pending[number], clock) {
                if self.ended.is_some() {
                    return Err(Tenths(rung.least.0 - 1));
                }
                // The length of a chain or the size of a set can raise the rating above the technique's
                // minimum.
                return if self.hint.rating > self.max_rating { Err(self.max_rating) } else { Ok(()) };
            }
            self.pending[number] = 0;
        }
        Err(Self::MAX_RATING.min(self.max_rating))
    }

    /// Returns the current hint as a step for reports.
    fn step(&self) -> Step {
        let hint = &self.hint;
        let candidate = |(cell, digit): (u8, u8)| Candidate { cell, digit: digit + 1 };
        let mut removed: Vec<Candidate> = hint
            .removed
            .iter()
            .flat_map(|&(cell, digits)| Bits(digits).map(move |digit| (cell, digit as u8)))
            .map(candidate)
            .collect();
        removed.sort_unstable();
        let is_chain = hint.technique >= Technique::XCycle && hint.technique != Technique::AlignedTriplet;
        let mut nested = Vec::new();
        let chains = if is_chain { self.trace.chains(&mut nested) } else { Vec::new() };
        Step {
            technique: hint.technique,
            rating: hint.rating,
            placed: hint.placed.map(candidate),
            removed,
            cells: Bits(hint.cells).map(|cell| cell as u8).collect(),
            digits: Bits(hint.digits).map(|digit| digit as u8 + 1).collect(),
            houses: hint.houses.clone(),
            chains,
            nested,
        }
    }
}

/// Summary of the path so far.
#[derive(Default)]
struct Summary {
    er: Tenths,
    ep: Option<Tenths>,
    ed: Option<Tenths>,
    hardest: Option<Technique>,
    counts: Option<Box<Counts>>,
    steps: u32,
}

impl Summary {
    fn add(&mut self, technique: Technique, rating: Tenths, places: bool) {
        if rating > self.er {
            self.er = rating;
            self.hardest = Some(technique);
        }
        self.ed.get_or_insert(self.er);
        if places {
            self.ep.get_or_insert(self.er);
        }
        if let Some(counts) = &mut self.counts {
            counts.0[technique as usize] += 1;
        }
        self.steps += 1;
    }

    fn add_hint(&mut self, hint: &Hint) {
        self.add(hint.technique, hint.rating, hint.placed.is_some());
    }

    /// Adds `count` singles to the path. None of them may be harder than `hardest`.
    ///
    /// At least one of them must be as hard as `hardest`, or an earlier step of the path must be at least as
    /// hard.
    fn add_singles(&mut self, hardest: Technique, count: u16) {
        if count > 0 {
            self.add(hardest, hardest.least(), true);
            self.steps += u32::from(count) - 1;
        }
    }

    /// Creates the final rating of a puzzle that is solved, or that needs steps above `above`.
    fn end(self, above: Option<Tenths>) -> Rating {
        // The path so far has a step rated `er`, and all remaining steps may be easier than this step. So it
        // is only certain that the rating exceeds a bound just below `er`.
        let open =
            above.map(|max_rating| RatingBound::Above(max_rating.max(Tenths(self.er.0.saturating_sub(1)))));
        let known = |value: Option<Tenths>| match value {
            Some(tenths) => RatingBound::Exactly(tenths),
            None => open.unwrap_or(RatingBound::Exactly(Tenths(0))),
        };
        Rating {
            er: open.unwrap_or(RatingBound::Exactly(self.er)),
            ep: known(self.ep),
            ed: known(self.ed),
            hardest: self.hardest,
            counts: self.counts,
            steps: self.steps,
        }
    }
}
