//! The ladder: the order in which techniques are tried, and the resulting path.
//!
//! The first step found is taken, and the search restarts at the singles. A technique that found nothing is
//! tried again only for houses or digits that have changed since.

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

/// Why a puzzle has no rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoRating {
    /// Not a 9x9 grid.
    #[error("ratings are for 9x9 grids")]
    Side,
    /// The solution has an empty cell, a digit that differs from a clue, or a digit twice in a house.
    #[error("the solution does not solve the puzzle")]
    Solution,
    /// A step contradicts the solution: the puzzle has several solutions, or a technique is wrong.
    #[error("a step ({0}) contradicts the solution: the puzzle has several solutions, or this is a bug")]
    Contradiction(Technique),
    /// The caller stopped the search.
    #[error("stopped")]
    Stopped,
}

/// The parts of a grid that a [`HintProducer`] searches separately, so that it need not search unchanged parts again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Digits,
    Houses,
    Grid,
}

/// One rung of the ladder: a technique, or several that are searched together.
struct HintProducer {
    /// Minimum rating of the hints of this rung.
    least: Tenths,
    scope: Scope,
    find: Find,
}

/// Searches the given parts of the grid (one bit per part); returns true if it found a hint.
type Find = fn(&mut Rater, u32, &Clock<'_>) -> bool;

const fn rung(technique: Technique, scope: Scope, find: Find) -> HintProducer {
    HintProducer { least: technique.least(), scope, find }
}

/// Returns true for every hint, so that the search stops at the first.
fn first(_: &Hint) -> bool {
    true
}

/// The techniques after hidden singles, in the order in which they are tried.
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
    /// Maximum rating of a step that may be taken.
    max_rating: Tenths,
    /// True if the steps of each technique are counted.
    counts: bool,
    singles: Singles,
    /// True if only the places of `grid` are those of `singles`, and its cells are not.
    has_places_only: bool,
    grid: Grid,
    hint: Hint,
    spare: Hint,
    fish: Vec<Fish>,
    trace: Trace,
    chains: Box<Chains>,
    forcing: Box<Forcing>,
    /// True if the steps of the path are reported, so that hints must record their reasons.
    explains: bool,
    /// True if the grid at the end of a path is needed.
    keeps_grid: bool,
    /// Maximum time for a puzzle.
    time_limit: Option<Duration>,
    /// Why the last search ended early.
    ended: Option<Ended>,
    /// For each rung, the parts of the grid that changed since it last found nothing.
    pending: [u32; LADDER.len()],
}

impl Rater {
    /// The highest rating of any known puzzle.
    ///
    /// A puzzle without a step up to the end of the ladder is rated above this bound.
    pub const MAX_RATING: Tenths = Tenths(119);
    /// The bound that allows every step.
    pub const UNBOUNDED: Tenths = Tenths(u8::MAX);

    /// Creates a rater that takes steps with ratings up to `max_rating`.
    ///
    /// [`UNBOUNDED`](Self::UNBOUNDED) allows all supported steps. A puzzle that needs a harder step is rated
    /// [`Above`](RatingBound::Above) the bound.
    pub fn new(max_rating: Tenths) -> Self {
        Rater {
            max_rating,
            counts: false,
            singles: Singles::new(),
            has_places_only: false,
            grid: Grid::new(),
            hint: Hint::new(),
            spare: Hint::new(),
            fish: Vec::new(),
            trace: Trace::default(),
            chains: Box::new(Chains::new()),
            forcing: Box::new(Forcing::new()),
            explains: false,
            keeps_grid: false,
            time_limit: None,
            ended: None,
            pending: [0; LADDER.len()],
        }
    }

    /// Counts the steps of each technique. This takes longer, because singles are placed one by one.
    #[must_use]
    pub fn counting(self) -> Self {
        Rater { counts: true, ..self }
    }

    /// Keeps the grid at the end of each path for [`reached`](Self::reached).
    #[must_use]
    pub fn keeping_grid(self) -> Self {
        Rater { keeps_grid: true, ..self }
    }

    /// Limits the time per puzzle. When the time is up, the search for a step ends and the puzzle is rated above the
    /// bound reached.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Rater { time_limit: Some(time), ..self }
    }

    /// Rates a puzzle whose only solution is given. Every step is checked against it.
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

    /// Rates a puzzle until `caller` stops it; calls `visit` for each step of the path, if given.
    ///
    /// # Errors
    /// Returns [`NoRating::Stopped`] if stopped, and another [`NoRating`] if the puzzle cannot be rated.
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
        // Singles that are placed together can pass a bound between them.
        let is_among_singles = self.max_rating < Technique::HiddenSingleInLine.least();
        if self.explains || self.counts || self.keeps_grid && is_among_singles {
            rating.counts = self.counts.then(Default::default);
            self.grid.begin(clues);
        } else if let Some(above) = self.place_together(clues, solution, &mut rating, clock)? {
            return self.end(rating, above);
        }
        while self.grid.left > 0 {
            if let Some((technique, house, cell, digit)) = self.hidden_single() {
                // Most steps are of this kind, so they do without a hint unless steps are reported.
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

    /// Returns where the path of the last rating ended, for a rater that [keeps the grid](Self::keeping_grid).
    ///
    /// `rating` and `solution` are those of that puzzle. With `next`, the technique of the next step is searched for,
    /// whatever its rating; this can take long.
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

    /// Returns the technique of the next step, whatever its rating, or `None` if none was found.
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

    /// Follows the path while its steps only place digits, placing all available singles at once.
    ///
    /// Returns `Some(None)` if the puzzle is solved, and `Some(Some(rating))` if no step up to that rating was
    /// found. Returns `None` if the path continues with the current grid.
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

    /// Finishes a path that is solved, that needs steps above `above`, or that was stopped.
    fn end(&mut self, rating: Summary, above: Option<Tenths>) -> Result<Rating, NoRating> {
        match self.ended.take() {
            Some(Ended::Stopped) => Err(NoRating::Stopped),
            _ => Ok(rating.end(above)),
        }
    }

    /// Checks that the hint agrees with the solution.
    fn check_hint(&self, solution: &[u8; 81]) -> Result<(), NoRating> {
        let hint = &self.hint;
        let contradicts = |&(cell, digits): &(u8, u16)| digits >> (solution[usize::from(cell)] - 1) & 1 == 1;
        let is_wrong = hint.removed().iter().any(contradicts)
            || hint.placed.is_some_and(|(cell, digit)| solution[usize::from(cell)] != digit + 1);
        if is_wrong { Err(NoRating::Contradiction(hint.technique)) } else { Ok(()) }
    }

    /// Returns the last cell of a house or, if there is none, the first hidden single.
    ///
    /// Returns technique, house, cell and digit, or `None` if there is no such step.
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

    /// Writes the cells of the grid, if only its places are those of the singles.
    fn complete_grid(&mut self) {
        if std::mem::take(&mut self.has_places_only) {
            self.singles.write_cells(&mut self.grid);
        }
    }

    fn force(&mut self, kind: Kind, clock: &Clock<'_>) -> bool {
        if kind.has_nested() {
            clock.caller.searches_from(Tenths::from_f64(kind.least()));
        }
        let Rater { grid, hint, trace, max_rating, .. } = self;
        let found =
            self.forcing.find(grid, (kind, *max_rating), clock, (hint, self.explains.then_some(trace)));
        self.ended = found.err();
        found.unwrap_or(true)
    }

    /// Finds the first hint of the ladder.
    ///
    /// # Errors
    /// Returns a rating that all further steps exceed, if no hint was found, if the hint is above the bound, or
    /// if time is up.
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
            // The techniques up to this one, and naked singles, read only the places of digits.
            if rung.least > Technique::DirectHiddenTriplet.least() {
                self.complete_grid();
            }
            if (rung.find)(self, self.pending[number], clock) {
                if self.ended.is_some() {
                    return Err(Tenths(rung.least.0 - 1));
                }
                // Length and size add to the minimum rating of the technique.
                return if self.hint.rating > self.max_rating { Err(self.max_rating) } else { Ok(()) };
            }
            self.pending[number] = 0;
        }
        Err(Self::MAX_RATING.min(self.max_rating))
    }

    /// Returns the current hint as a step.
    fn step(&self) -> Step {
        let hint = &self.hint;
        let candidate = |(cell, digit): (u8, u8)| Candidate { cell, digit: digit + 1 };
        let mut removed: Vec<Candidate> = hint
            .removed()
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
            houses: hint.houses().to_vec(),
            chains,
            nested,
        }
    }
}

/// A summary of the steps so far.
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

    /// Adds `count` singles. The hardest of them is `hardest`, unless an earlier single was as hard.
    fn add_singles(&mut self, hardest: Technique, count: u16) {
        if count > 0 {
            self.add(hardest, hardest.least(), true);
            self.steps += u32::from(count) - 1;
        }
    }

    /// Finishes the rating of a puzzle that is solved, or that needs steps above `above`.
    fn end(self, above: Option<Tenths>) -> Rating {
        // The path so far has a step rated `er`, and the rest may need no harder step. So a bound just below `er` is
        // certain.
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
