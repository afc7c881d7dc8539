//! Finds options that are not part of any solution. Used before a long search.
//!
//! An option is *useless* if selecting it leaves some primary item without any option. When a useless option
//! is removed, other options may become useless. So options are checked in rounds until a round removes none.
//!
//! Source: Knuth, The Art of Computer Programming 4B, 7.2.2.1, exercises on preprocessing, and his program
//! DLX-PRE. Knuth also drops one of two items that have the same options. This module does not. Dropping an
//! item reveals no further useless options, and saving one row of a table does not justify a changed problem.
//!
//! In packing problems, many placements along a border are useless. In pentomino problems, 10 to 15 % of the
//! options are useless, and removing them saves 13 to 24 % of the nodes. Queens, Langford pairs, Latin
//! squares, dominoes, Soma and MacMahon squares have no useless options.
//!
//! When options are removed, another item may have the fewest options. The tree then differs, and solutions
//! come in another order. So options are removed only for counting, where the order is not visible. They are
//! removed only for hard records, for which a few milliseconds do not matter.

use std::sync::Arc;

use super::budget::{LoopWatch, Watch};
use super::option_sets::OptionSets;
use quadrille_model::{CoverProblem, Goal, ProblemRef, Reduced, Reduction};

/// Maximum number of words in all sets of options together. For larger problems, no options are removed.
const MAX_WORDS: usize = 1 << 20;
/// Maximum number of words that this module reads. Reading them takes some ten milliseconds.
///
/// When this limit is reached, the options found to be useless so far are removed.
const MAX_WORK: usize = 1 << 26;

/// Returns the problem without its useless options. Returns `None` if the problem must be searched unchanged.
///
/// Useless options are removed only to count all solutions of an exact cover problem without multiplicities.
/// The result is `None` in other cases, if there are no useless options, or if the tables would exceed 8 MiB.
/// Unless time runs out, the result depends only on the problem and the goal.
pub(super) fn without_useless_options(
    problem: ProblemRef<'_>,
    goal: Goal,
    watch: Watch<'_>,
) -> Option<Arc<CoverProblem>> {
    let (ProblemRef::Cover(cover), Goal::Count { limit: None }) = (problem, goal) else { return None };
    let useless = useless_options(cover, &mut watch.pace())?;
    if useless.is_empty() {
        return None;
    }
    match Reduction::reduce(cover, &[], &useless) {
        Ok(Reduced::Residual(rest)) => Some(Arc::clone(rest.cover())),
        // If the problem has a contradiction, a search of the unchanged problem finds it too.
        Ok(Reduced::Contradiction(_)) | Err(_) => None,
    }
}

/// Returns the useless options in ascending order. Finds only as many as [`MAX_WORK`] allows.
///
/// Returns `None` for problems with multiplicities, if the tables are too large, or if time runs out.
fn useless_options(cover: &CoverProblem, pace: &mut LoopWatch<'_>) -> Option<Vec<u32>> {
    if cover.has_multiplicities() {
        return None;
    }
    // The limit is twice the size of the largest tables, because secondary items can double the number of
    // rows.
    let sets = OptionSets::new(cover, 2 * 8 * MAX_WORDS, pace).ok()?;
    if sets.item_of.len() * sets.option_words > MAX_WORDS {
        return None;
    }
    let mut live = sets.all.clone();
    let mut left = live.clone();
    let mut useless = Vec::new();
    let mut work = 0;
    loop {
        let before = useless.len();
        for option in 0..cover.options() {
            if live[option / 64] >> (option % 64) & 1 == 0 {
                continue;
            }
            left.copy_from_slice(&live);
            sets.take(option, &mut left);
            let entries = sets.entries(option);
            let more = (entries.len() + cover.primary()) * sets.option_words;
            pace.work(more).ok()?;
            work += more;
            let starves = |item: usize| sets.pairs(item, &left).all(|options| options == 0);
            let covers = |item: usize| entries.contains(&(item as u32));
            if (0..cover.primary()).any(|item| starves(item) && !covers(item)) {
                live[option / 64] &= !(1 << (option % 64));
                useless.push(option as u32);
            }
            if work > MAX_WORK {
                break;
            }
        }
        if useless.len() == before || work > MAX_WORK {
            useless.sort_unstable();
            return Some(useless);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Watch;
    use crate::{Control, Flow, Naive, Task, TreeSearch, Visitor};
    use quadrille_model::{CoverBuilder, Limits, Solution};

    #[test]
    fn places_that_leave_a_hole_are_useless() {
        // Two pieces of three cells must fill a row of six cells. So a piece fits only at an end of the row.
        let mut builder = CoverBuilder::new();
        for name in ["A", "B", "0", "1", "2", "3", "4", "5"] {
            builder.primary(name).unwrap();
        }
        for piece in ["A", "B"] {
            for cells in [["0", "1", "2"], ["1", "2", "3"], ["2", "3", "4"], ["3", "4", "5"]] {
                builder.option(&[&[piece], &cells[..]].concat()).unwrap();
            }
        }
        let cover = Arc::new(builder.build().unwrap());
        let control = Control::new();
        let watch = Watch::new(Limits::default(), &control);
        assert_eq!(useless_options(&cover, &mut watch.pace()).unwrap(), [1, 2, 5, 6]);
        let count = Goal::Count { limit: None };
        let rest = without_useless_options(ProblemRef::Cover(&cover), count, watch).unwrap();
        assert_eq!((rest.options(), rest.items()), (4, 8));
        assert!(without_useless_options(ProblemRef::Cover(&rest), count, watch).is_none());
        assert!(without_useless_options(ProblemRef::Cover(&cover), Goal::All, watch).is_none());
    }

    #[test]
    fn options_of_solutions_are_never_useless() {
        struct Used(Vec<bool>);
        impl Visitor for Used {
            fn solution(&mut self, solution: Solution<'_>) -> Flow {
                let Solution::Options(options) = solution else { panic!("a cover has options") };
                options.iter().for_each(|&option| self.0[option as usize] = true);
                Flow::Continue
            }
        }
        // Random problems with colours. The random generator is small (an odd multiplier modulo 2^32).
        let mut state = 1u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(0x1234_5677);
            (state >> 16) % below
        };
        let mut gone = 0;
        for _ in 0..400 {
            let mut builder = CoverBuilder::new();
            for item in 0..8 {
                let name = item.to_string();
                if item < 6 { builder.primary(&name) } else { builder.secondary(&name) }.unwrap();
            }
            for _ in 0..next(14) {
                let items: Vec<u32> = (0..8).filter(|_| next(3) == 0).collect();
                let colour = |item: u32, colour: u32| match colour {
                    1.. if item >= 6 => format!("{item}:{colour}"),
                    _ => item.to_string(),
                };
                let words: Vec<String> = items.iter().map(|&item| colour(item, next(3))).collect();
                builder.option(&words.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            }
            let cover = Arc::new(builder.build().unwrap());
            let mut used = Used(vec![false; cover.options()]);
            let task = Task::whole(ProblemRef::Cover(&cover), Goal::All, Limits::default());
            Naive.search(&task, &mut used, &Control::new());
            let control = Control::new();
            let mut pace = Watch::new(Limits::default(), &control).pace();
            let useless = useless_options(&cover, &mut pace).unwrap();
            assert!(useless.is_sorted() && useless.iter().all(|&option| !used.0[option as usize]));
            gone += useless.len();
        }
        assert!(gone > 100, "{gone}");
    }
}
