//! The mean number of guesses that an engine makes over many arrangements of a puzzle.
//!
//! An arrangement is the same puzzle with permuted rows, columns and digits. The number of guesses depends on
//! the order in which the engine meets the cells, and so on the arrangement. Among the arrangements of one
//! puzzle, the smallest and the largest number of guesses often differ by a factor of ten. The mean over
//! random arrangements is a property of the puzzle itself. Here a seed determines the arrangements, which are
//! applied to the puzzle's `by-solution` form. So all arrangements of a puzzle have exactly the same mean.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::MAX_PERMUTATIONS;

use crate::{Client, Control, Engine, EngineKind, Event, Flow, JobBatch, Jobs, NoResult};
use quadrille_model::canonical::{Cells, Transform};
use quadrille_model::random::Random;
use quadrille_model::simd::Isa;
use quadrille_model::{EndedBy, Goal, Limits, Packed9x9, message_of};
use quadrille_rating::MeanGuesses;

/// Rates many puzzles at once by their mean number of guesses.
///
/// Each puzzle needs many searches. So even a few puzzles are enough work for an engine that solves hundreds
/// of problems at once.
pub struct GuessRater {
    kind: EngineKind,
    isa: Option<Isa>,
    engine: Box<dyn Engine>,
    maps: Vec<Transform>,
}

impl fmt::Debug for GuessRater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuessRater").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl GuessRater {
    /// Creates a rater that counts an engine's guesses in random arrangements of a puzzle.
    ///
    /// `permutations` is the number of arrangements, limited to the range from 1 to [`MAX_PERMUTATIONS`].
    /// `seed` determines the arrangements.
    pub fn new(kind: EngineKind, isa: Option<Isa>, permutations: u32, seed: u64) -> Self {
        let numbers = 0..permutations.clamp(1, MAX_PERMUTATIONS);
        let maps =
            numbers.map(|number| Transform::random(&mut Random::new(seed, number.into(), 0))).collect();
        GuessRater { kind, isa, engine: kind.info().make(isa), maps }
    }

    /// Returns the engine whose guesses are counted.
    pub fn kind(&self) -> EngineKind {
        self.kind
    }

    /// Rates 9x9 puzzles that each have one solution and are given in their `by-solution` form.
    ///
    /// `limits` apply to each single search.
    pub fn rate(
        &mut self,
        puzzles: &[Cells],
        limits: Limits,
        control: &Control,
    ) -> Vec<Result<MeanGuesses, NoResult>> {
        let grids: Vec<Option<&[u8; 81]>> =
            puzzles.iter().map(|cells| cells.as_slice().try_into().ok()).collect();
        let whole: Vec<&[u8; 81]> = grids.iter().copied().flatten().collect();
        let mut rated = self.rate_9x9(&whole, limits, control).into_iter();
        let unsupported = || Err(NoResult::Unsupported("mean guesses are for 9x9 grids".to_owned()));
        let of_grid = |grid: Option<_>| grid.and_then(|_| rated.next()).unwrap_or_else(unsupported);
        grids.into_iter().map(of_grid).collect()
    }

    fn rate_9x9(
        &mut self,
        puzzles: &[&[u8; 81]],
        limits: Limits,
        control: &Control,
    ) -> Vec<Result<MeanGuesses, NoResult>> {
        let sums = vec![Sum::default(); puzzles.len()];
        let mut client = Arranged { puzzles, maps: &self.maps, next: 0, grids: Vec::new(), limits, sums };
        match catch_unwind(AssertUnwindSafe(|| self.engine.run(&mut client, control))) {
            Ok(()) => {
                let wanted = self.maps.len() as u64;
                let ended = || control.stop().unwrap_or(EndedBy::Cancel);
                client.sums.into_iter().map(|sum| sum.result(wanted, ended)).collect()
            }
            Err(panic) => {
                // Rate the puzzles one by one, to find the puzzle whose search panicked.
                self.engine = self.kind.info().make(self.isa);
                match puzzles {
                    [_] => vec![Err(NoResult::Broken(message_of(panic.as_ref())))],
                    _ => {
                        let alone = |puzzle| self.rate_9x9(std::slice::from_ref(puzzle), limits, control);
                        puzzles.iter().flat_map(alone).collect()
                    }
                }
            }
        }
    }
}

/// Sum of the results of all searches for one puzzle.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    mean: MeanGuesses,
    early: Option<EndedBy>,
    /// Number of searches that did not find exactly one solution.
    wrong: u64,
}

impl Sum {
    fn result(self, wanted: u64, ended: impl Fn() -> EndedBy) -> Result<MeanGuesses, NoResult> {
        if self.wrong > 0 {
            return Err(NoResult::Broken(
                "the engine did not find exactly one solution of an arrangement".to_owned(),
            ));
        }
        match self.early {
            Some(by) => Err(NoResult::Early(by)),
            None if self.mean.searches() < wanted => Err(NoResult::Early(ended())),
            None => Ok(self.mean),
        }
    }
}

/// All arrangements of some puzzles, as jobs for an engine. Each job is created when the engine asks for it.
struct Arranged<'a> {
    puzzles: &'a [&'a [u8; 81]],
    maps: &'a [Transform],
    /// Index of the next job. The jobs of one puzzle are consecutive.
    next: usize,
    grids: Vec<Packed9x9>,
    limits: Limits,
    sums: Vec<Sum>,
}

impl Client for Arranged<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        let first = self.next;
        let end = (self.puzzles.len() * self.maps.len()).min(first + most);
        if first == end {
            return None;
        }
        self.grids.clear();
        for job in first..end {
            let (puzzle, map) = (self.puzzles[job / self.maps.len()], &self.maps[job % self.maps.len()]);
            self.grids.push(packed(&map.apply_9x9(puzzle)));
        }
        self.next = end;
        let goal = Goal::Count { limit: Some(2) };
        Some(Jobs::JobBatch(JobBatch {
            first_ticket: first as u64,
            grids: &self.grids,
            rules: None,
            goal,
            limits: self.limits,
        }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        if let Event::End { ticket, outcome } = event {
            let sum = &mut self.sums[ticket as usize / self.maps.len()];
            let by = outcome.ended_by;
            let is_stopped = matches!(by, EndedBy::Cancel | EndedBy::Deadline);
            match outcome.counters {
                // If the whole rating was stopped, report this as the reason, even if limits have already
                // ended some of the searches.
                _ if by.is_early() && (sum.early.is_none() || is_stopped) => sum.early = Some(by),
                _ if by.is_early() => {}
                Some(counters) if outcome.found.to_u64() == Some(1) => sum.mean.add(counters.guesses),
                _ => sum.wrong += 1,
            }
        }
        Flow::Continue
    }
}

/// Creates a grid from clues, in which 0 means an empty cell.
fn packed(cells: &[u8; 81]) -> Packed9x9 {
    let (mut clues, mut empty) = ([0u128; 9], 0u128);
    for (cell, &digit) in cells.iter().enumerate() {
        match digit {
            0 => empty |= 1 << cell,
            digit => clues[usize::from(digit) - 1] |= 1 << cell,
        }
    }
    Packed9x9::from_digits(&clues.map(|clues| clues | empty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solver;
    use quadrille::{FromText, GridQuestions};
    use quadrille_model::canonical::Canonizer;
    use quadrille_model::{Counters, ProblemRef};
    use quadrille_rating::Thousandths;

    /// Two puzzles: the first is hard, and the second needs no guesses.
    const LINES: [&str; 2] = [
        "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    ];

    fn cells(line: &str) -> Cells {
        let digits: Vec<u8> =
            line.bytes().map(|byte| byte.saturating_sub(b'0') * u8::from(byte != b'.')).collect();
        Cells::new(&digits).unwrap()
    }

    fn by_solution(line: &str) -> Cells {
        let solution = Packed9x9::from_text(line).unwrap().solve().unwrap();
        let solution = Cells::of_solution(solution.digits()).unwrap();
        Canonizer::new().by_solution(&cells(line), &solution).unwrap().cells
    }

    fn means(lines: &[&str], kind: EngineKind, seed: u64) -> Vec<MeanGuesses> {
        let forms: Vec<Cells> = lines.iter().map(|line| by_solution(line)).collect();
        let mut rater = GuessRater::new(kind, None, 50, seed);
        let rated = rater.rate(&forms, Limits::default(), &Control::new());
        rated.into_iter().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn means_are_those_of_single_searches() {
        for kind in [EngineKind::Lanes, EngineKind::Bitmask] {
            let mut solver = Solver::default();
            let mut expected = MeanGuesses::default();
            for number in 0..50 {
                let map = Transform::random(&mut Random::new(3, number, 0));
                let grid = packed(map.apply(&by_solution(LINES[0])).unwrap().as_slice().try_into().unwrap());
                solver.preference(crate::EnginePreference { engine: Some(kind), ..Default::default() });
                let answer =
                    solver.answer(ProblemRef::Packed(&grid), Goal::First(2), Limits::default()).unwrap();
                expected.add(answer.counters.map_or(0, |Counters { guesses, .. }| guesses));
            }
            let found = means(&LINES, kind, 3);
            assert_eq!(found[0], expected);
            assert!(found[0].mean() > Thousandths(1000) && found[0].error().is_some());
            assert_eq!((found[1].mean(), found[1].error()), (Thousandths(0), Some(Thousandths(0))));
            // The mean of a puzzle must not depend on the other puzzles of the call.
            assert_eq!(means(&LINES[..1], kind, 3), found[..1]);
        }
        assert_ne!(means(&LINES[..1], EngineKind::Lanes, 1), means(&LINES[..1], EngineKind::Lanes, 2));
    }

    #[test]
    fn errors_are_those_of_the_sample() {
        let mut mean = MeanGuesses::default();
        assert_eq!((mean.to_string(), mean.error()), ("0.000".to_owned(), None));
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|guesses| mean.add(guesses));
        // The sample has a standard deviation of `sqrt(32 / 7)`.
        assert_eq!((mean.mean(), mean.error()), (Thousandths(5000), Some(Thousandths(756))));
        assert_eq!(mean.tenths(), 50);
    }

    #[test]
    fn limits_end_ratings() {
        let mut rater = GuessRater::new(EngineKind::Lanes, None, 4, 1);
        let limits = Limits { nodes: Some(1), ..Limits::default() };
        let forms = [by_solution(LINES[0]), by_solution(LINES[1]), Cells::new(&[0; 16]).unwrap()];
        let rated = rater.rate(&forms, limits, &Control::new());
        assert_eq!(rated[0], Err(NoResult::Early(EndedBy::Nodes)));
        assert_eq!(rated[1].clone().map(MeanGuesses::tenths), Ok(0));
        assert!(matches!(rated[2], Err(NoResult::Unsupported(_))));
        let control = Control::new();
        control.cancel();
        assert_eq!(
            rater.rate(&forms[..1], Limits::default(), &control),
            [Err(NoResult::Early(EndedBy::Cancel))]
        );
    }
}
