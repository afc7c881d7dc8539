//! The best of what a search meets, ties in the order they are met.

use super::{Best, Solution, Solutions, Top};

/// The best scores met so far, at most as many as are wanted.
///
/// ```
/// use quadrille::{Direction, Top};
/// use quadrille::internals::Leaders;
/// let mut leaders = Leaders::new(Top { direction: Direction::Minimize, limit: 2 });
/// assert_eq!([5, 7, 7, 6, 6].map(|score| leaders.add(score)), [Some(0), Some(1), None, Some(1), None]);
/// assert_eq!((leaders.scores(), leaders.threshold()), ([5, 6].as_slice(), Some(6)));
/// ```
#[derive(Debug, Clone)]
pub struct Leaders {
    top: Top,
    /// The best first.
    scores: Vec<i64>,
}

impl Leaders {
    /// None met yet.
    pub fn new(top: Top) -> Self {
        Leaders { top, scores: Vec::new() }
    }

    /// The number and kind of solutions that are wanted.
    pub fn top(&self) -> Top {
        self.top
    }

    /// The scores, the best first.
    pub fn scores(&self) -> &[i64] {
        &self.scores
    }

    /// The best score.
    pub fn best(&self) -> Option<i64> {
        self.scores.first().copied()
    }

    /// The best score with the bound that is known for it: itself, or a better one that what was not seen may reach.
    pub fn to_best(&self, open: Option<i64>) -> Option<Best> {
        let score = self.best()?;
        let bound = open.filter(|&open| self.top.direction.is_better(open, score)).unwrap_or(score);
        Some(Best { score, bound })
    }

    /// The score that a further one has to beat, once there are as many as are wanted.
    #[inline]
    pub fn threshold(&self) -> Option<i64> {
        if self.scores.len() as u64 >= self.top.limit { self.scores.last().copied() } else { None }
    }

    /// True if a further score would be one of the best.
    #[inline]
    pub fn admits(&self, score: i64) -> bool {
        self.threshold().is_none_or(|worst| self.top.direction.is_better(score, worst))
    }

    /// Takes a score if it is one of the best, behind its equals, and returns its place; the last one falls out where
    /// there are too many.
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

/// Copies of the best solutions met so far.
#[derive(Debug)]
pub struct Ranking {
    leaders: Leaders,
    /// For each of the leaders how many were kept before it, and itself.
    kept: Vec<(usize, Solutions)>,
    met: usize,
}

impl Ranking {
    /// None met yet.
    pub fn new(top: Top) -> Self {
        Ranking { leaders: Leaders::new(top), kept: Vec::new(), met: 0 }
    }

    /// The best scores.
    pub fn leaders(&self) -> &Leaders {
        &self.leaders
    }

    /// Keeps a copy of a solution if it is one of the best so far.
    pub fn offer(&mut self, score: i64, solution: Solution<'_>) {
        let Some(place) = self.leaders.add(score) else { return };
        let is_full = self.kept.len() == self.leaders.scores().len();
        // One that falls out leaves its memory.
        let (_, mut copy) = self.kept.pop_if(|_| is_full).unwrap_or_default();
        copy.clear();
        copy.push(solution);
        self.kept.insert(place, (self.met, copy));
        self.met += 1;
    }

    /// The best solutions, the best first.
    pub fn iter(&self) -> impl Iterator<Item = (i64, Solution<'_>)> {
        self.leaders.scores().iter().zip(&self.kept).map(|(&score, (_, copy))| (score, copy.get(0)))
    }

    /// The best solutions with their scores, in the order they were met.
    pub fn in_order_met(&self) -> Vec<(i64, Solution<'_>)> {
        let mut order: Vec<_> = self.leaders.scores().iter().zip(&self.kept).collect();
        order.sort_unstable_by_key(|(_, (met, _))| *met);
        order.into_iter().map(|(&score, (_, copy))| (score, copy.get(0))).collect()
    }

    /// The best solutions, in the order they were met.
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
    fn the_best_are_kept_the_earliest_of_equals() {
        for limit in [1, 2, 7, 100] {
            for direction in [Direction::Maximize, Direction::Minimize] {
                let mut ranking = Ranking::new(Top { direction, limit });
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
