//! The best solutions that a search finds. Solutions with equal scores stay in the order in which they were
//! found.

use super::{Best, Solution, Solutions, TopK};

/// The best scores met so far, at most as many as asked for.
///
/// ```
/// use quadrille::{Direction, TopK};
/// use quadrille::internals::TopScores;
/// let mut leaders = TopScores::new(TopK { direction: Direction::Minimize, limit: 2 });
/// assert_eq!([5, 7, 7, 6, 6].map(|score| leaders.add(score)), [Some(0), Some(1), None, Some(1), None]);
/// assert_eq!((leaders.scores(), leaders.threshold()), ([5, 6].as_slice(), Some(6)));
/// ```
#[derive(Debug, Clone)]
pub struct TopScores {
    top: TopK,
    /// The scores, the best first.
    scores: Vec<i64>,
}

impl TopScores {
    /// Creates an empty list.
    pub fn new(top: TopK) -> Self {
        TopScores { top, scores: Vec::new() }
    }

    /// Returns the direction of better scores and the maximum number of scores.
    pub fn top(&self) -> TopK {
        self.top
    }

    /// Returns the scores, from best to worst.
    pub fn scores(&self) -> &[i64] {
        &self.scores
    }

    /// Returns the best score, or `None` if there is no score yet.
    pub fn best(&self) -> Option<i64> {
        self.scores.first().copied()
    }

    /// Returns the best score together with a bound, or `None` if there is no score yet.
    ///
    /// `open` is the best score that any solution not yet found may reach. The bound is the better one of
    /// `open` and the best score found.
    pub fn to_best(&self, open: Option<i64>) -> Option<Best> {
        let score = self.best()?;
        let bound = open.filter(|&open| self.top.direction.is_better(open, score)).unwrap_or(score);
        Some(Best { score, bound })
    }

    /// Returns the score that the next solution must beat, or `None` if any score is good enough.
    ///
    /// Any score is good enough while the list has fewer scores than were requested.
    #[inline]
    pub fn threshold(&self) -> Option<i64> {
        if self.scores.len() as u64 >= self.top.limit { self.scores.last().copied() } else { None }
    }

    /// Returns true if this score would be among the best scores found so far.
    #[inline]
    pub fn admits(&self, score: i64) -> bool {
        self.threshold().is_none_or(|worst| self.top.direction.is_better(score, worst))
    }

    /// Adds a score and returns its index in the list, or `None` if it is not among the best.
    ///
    /// The score is inserted after all equal scores. If the list is then too long, the last score is dropped.
    pub fn add(&mut self, score: i64) -> Option<usize> {
        if !self.admits(score) {
            return None;
        }
        let place = self.scores.partition_point(|&other| !self.top.direction.is_better(score, other));
        if self.scores.len() as u64 >= self.top.limit {
            self.scores.pop();
        }
        self.scores.insert(place, score);
        Some(place)
    }
}

/// Copies of the best solutions found so far, with their scores.
#[derive(Debug)]
pub struct TopSolutions {
    leaders: TopScores,
    /// For each of the best scores, a copy of a solution that has the score, with the number of the solution.
    ///
    /// Numbers count all solutions in the order in which they were found, including those that were dropped
    /// later.
    kept: Vec<(usize, Solutions)>,
    met: usize,
}

impl TopSolutions {
    /// Creates an empty ranking.
    pub fn new(top: TopK) -> Self {
        TopSolutions { leaders: TopScores::new(top), kept: Vec::new(), met: 0 }
    }

    /// Returns the best scores.
    pub fn leaders(&self) -> &TopScores {
        &self.leaders
    }

    /// Keeps a copy of a solution if its score is among the best so far.
    pub fn offer(&mut self, score: i64, solution: Solution<'_>) {
        let Some(place) = self.leaders.add(score) else { return };
        let is_full = self.kept.len() == self.leaders.scores().len();
        // Reuses the memory of the dropped solution for the new solution.
        let (_, mut copy) = self.kept.pop_if(|_| is_full).unwrap_or_default();
        copy.clear();
        copy.push(solution);
        self.kept.insert(place, (self.met, copy));
        self.met += 1;
    }

    /// Returns the best solutions with their scores, from best to worst.
    pub fn iter(&self) -> impl Iterator<Item = (i64, Solution<'_>)> {
        self.leaders.scores().iter().zip(&self.kept).map(|(&score, (_, copy))| (score, copy.get(0)))
    }

    /// Returns the best solutions with their scores, in the order in which they were found.
    pub fn in_order_met(&self) -> Vec<(i64, Solution<'_>)> {
        let mut order: Vec<_> = self.leaders.scores().iter().zip(&self.kept).collect();
        order.sort_unstable_by_key(|(_, (met, _))| *met);
        order.into_iter().map(|(&score, (_, copy))| (score, copy.get(0))).collect()
    }

    /// Returns the best solutions in the order in which they were found.
    pub fn into_order_met(self) -> Solutions {
        let mut all = Solutions::default();
        for (_, solution) in self.in_order_met() {
            all.push(solution);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    fn place(solution: Solution<'_>) -> u32 {
        match solution {
            Solution::Options(options) => options[0],
            Solution::Digits(_) => unreachable!("these are options"),
        }
    }

    #[test]
    fn the_best_solutions_are_kept_and_the_earliest_of_equal_ones() {
        for limit in [1, 2, 7, 100] {
            for direction in [Direction::Maximize, Direction::Minimize] {
                let mut ranking = TopSolutions::new(TopK { direction, limit });
                let scores: Vec<i64> = (0..60).map(|place: i64| place * place % 23 - 9).collect();
                for (place, &score) in (0..).zip(&scores) {
                    ranking.offer(score, Solution::Options(&[place]));
                }
                let mut expected: Vec<(i64, u32)> = scores.into_iter().zip(0..).collect();
                expected
                    .sort_by_key(|&(score, _)| if direction == Direction::Minimize { score } else { -score });
                expected.truncate(limit as usize);
                expected.sort_unstable_by_key(|&(_, place)| place);
                let found = ranking.in_order_met().into_iter().map(|(score, of)| (score, place(of)));
                assert_eq!(found.collect::<Vec<_>>(), expected);
                let met: Vec<u32> = ranking.into_order_met().iter().map(place).collect();
                assert_eq!(met, expected.iter().map(|&(_, place)| place).collect::<Vec<_>>());
            }
        }
    }
}
