//! The bands engine: counts grids band by band.
//!
//! A grid with few clues has more solutions than can be listed: the empty 9x9 has
//! 6,670,903,752,021,072,936,960. But the other bands depend on one band only by the digits in each of its
//! columns, its *configuration*:
//!
//! ```text
//! band 1      first band's configuration A, by class            sum over A    weight(A) * ways(A) *
//! band 2      B: in each column digits that A does not have     sum over B    ways(B) *
//! band 3      C: what A and B leave                                           ways(C)
//! ```
//! `ways` is the number of ways of filling one band if its columns hold given digits, clues included. Without
//! clues, 71 classes of A remain of 280^3, and the sum over B has 56^3 terms. Felgenhauer and Jarvis counted
//! the grids in this way (B. Felgenhauer, F. Jarvis, *Enumerating possible Sudoku grids*, 2005; *Mathematics
//! of Sudoku I*, Mathematical Spectrum 39, 2006). They reduced the bands to 44 classes by further symmetries,
//! as did E. Russell in the same year.
//!
//! Clues leave less symmetry and more classes, but also fewer configurations: each clue divides them by
//! three.
//!
//! Grids with boxes two columns wide, or two rows high and then transposed, have two bands and no sum over B
//! (Pettersen's method for counting 2 x n boxes).
//!
//! * [`frame`]: the grid, oriented, with the clues applied.
//! * [`symmetry`]: classes of configurations; [`sum`]: the sum over them.
//! * [`two_bands`]: ways of filling the bands of grids with two bands, row by row.
//! * [`three_bands`], [`fills`]: the 9x9, with tables of the ways of filling a band.
//! * [`budget`]: limits, and the maximum cost of a count.
//!
//! The result is exact and depends on neither chance nor time: classes are keyed by numbers, not hashes, and
//! sums are checked.

mod budget;
mod fills;
mod frame;
mod sum;
mod symmetry;
mod three_bands;
mod two_bands;

use num_bigint::BigUint;

use self::budget::WorkBudget;
use self::fills::Fills;
use self::frame::Frame;
use self::sum::Plan;
use self::three_bands::ThreeBands;
use self::two_bands::{COSTS, TwoBands};
use super::counting::Stop;
use super::{Control, SolutionCounter, Task};
use quadrille_model::{Count, EndedBy, Goal, Outcome, ProblemClass, ProblemRef, RuleClass};

/// Number of bytes needed for classes, fillings and partitions, in addition to the tables for a 9x9.
const BESIDE_TABLES: u64 = 24 << 20;

/// Engine that counts all solutions of grids without listing them.
///
/// The grids have the side length 4, 6, 8 or 9. They may have clues and cells with several candidates.
#[derive(Default)]
pub(crate) struct Bands {
    fills: Option<Box<Fills>>,
}

impl Bands {
    /// Returns true if this engine supports the goal and the class of problem.
    ///
    /// The goal must be a count without a limit. The grid must have the side length 4, 6, 8 or 9, no rules,
    /// and no groups of cells with the same digit.
    pub(crate) fn supports(class: ProblemClass, goal: Goal) -> bool {
        goal == Goal::Count { limit: None }
            && matches!(
                class,
                ProblemClass::Grid { side: 4 | 6 | 8 | 9, same_digit: false, rules: RuleClass::Plain, .. }
            )
    }

    fn count(
        &mut self,
        problem: ProblemRef<'_>,
        budget: &mut WorkBudget<'_>,
        sum: &mut u128,
    ) -> Result<(), Stop> {
        let Some(mut frame) = Frame::new(problem) else { return Ok(()) };
        let (numerator, denominator) = frame.lift_lone_cells();
        let ended = self.add_up(&frame, budget, sum);
        // An incomplete sum is a lower bound. Rounding down keeps it a lower bound.
        *sum = sum.checked_mul(numerator).map_or(0, |sum| sum / denominator);
        ended
    }

    fn add_up(&mut self, frame: &Frame, budget: &mut WorkBudget<'_>, sum: &mut u128) -> Result<(), Stop> {
        if frame.side != 9 {
            let frame = if frame.width == 2 { frame.arranged() } else { frame.transposed().arranged() };
            let work = COSTS[frame.height];
            let plan = Plan::new(&frame, |frame, stack| {
                let choices = TwoBands::choices(frame, stack);
                let number = choices.len();
                (choices, number)
            });
            budget.expect(plan.expected * work as f64)?;
            return plan.add_up(&mut TwoBands::new(&plan.frame), budget, sum);
        }
        let fills = self.fills.get_or_insert_with(|| Box::new(Fills::new()));
        let [turned, plain] = [frame.transposed(), frame.clone()].map(|frame| {
            Plan::new(&frame.arranged(), |frame, stack| ThreeBands::choices(fills, frame, stack))
        });
        let plan = if turned.expected < plain.expected { turned } else { plain };
        budget.expect(plan.expected)?;
        let bytes = match budget.memory {
            Some(memory) if memory < 2 * BESIDE_TABLES => return Err(Stop::Ended(EndedBy::Memory)),
            memory => memory.map_or(u64::MAX, |memory| memory - BESIDE_TABLES),
        };
        let mut ways = ThreeBands::new(fills, &plan.frame, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        plan.add_up(&mut ways, budget, sum)
    }
}

impl SolutionCounter for Bands {
    fn count_within(
        &mut self,
        task: &Task<'_>,
        control: &Control,
        allowance: Option<u64>,
    ) -> Option<Outcome> {
        if !Bands::supports(task.problem.class(), task.goal) {
            return Some(Outcome::nothing(EndedBy::Cancel));
        }
        let mut budget = WorkBudget::new(task, control, allowance);
        let mut sum = 0;
        let ended_by = match self.count(task.problem, &mut budget, &mut sum) {
            Ok(()) => EndedBy::Complete,
            // If memory is short, decline the problem, because a search finds at least a lower bound.
            Err(Stop::Ended(EndedBy::Memory)) if allowance.is_some() => return None,
            Err(Stop::Ended(ended_by)) => ended_by,
            Err(Stop::Declined) => return None,
        };
        let found = Count::from(BigUint::from(sum));
        Some(Outcome { found, ended_by, counters: Some(budget.counters()), best: None })
    }
}

#[cfg(test)]
mod tests;
