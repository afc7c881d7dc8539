//! The hardest records of a run. All records have a definite order of hardness, so the lists for parts of a
//! run can be merged exactly.

use std::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};

use super::RatingKey;
use super::figure::{Figure, Parsed, insert_first};
use quadrille_model::Counters;

/// Default number of hardest records to keep.
const TOP: usize = 10;
/// Maximum number of hardest records for which drawings are stored. The list itself may contain more records.
const DRAWN: usize = 24;

/// A record among the hardest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hard {
    /// 1-based number of the record in the corpus. If the input is a shard, the records of earlier shards are
    /// counted too.
    pub index: u64,
    /// Name of the source.
    pub source: String,
    /// Line in the source, 1-based.
    pub line: u64,
    /// Rating of the record, or `None` if records were not rated. Records with the highest ratings come
    /// first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingKey>,
    /// Number of guesses. `None` if several threads searched the record and there are no counters. Such
    /// records come before other records.
    pub guesses: Option<u64>,
    /// Number of search-tree nodes. `None` if several threads searched the record and there are no counters.
    pub nodes: Option<u64>,
    /// Drawing of the record. `None` if the record is too large, or if the file was written before drawings
    /// existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<Drawing>,
}

/// A record and its solution as data for a drawing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Drawing {
    /// A grid.
    Grid {
        /// Number of rows per box.
        box_rows: u64,
        /// Number of columns per box.
        box_columns: u64,
        /// Clues of all cells in reading order, as numbers from 1. A cell without a clue is `.`.
        ///
        /// If the side length exceeds 9, the cells are separated by blanks.
        clues: String,
        /// Digits of the solution in the same notation as `clues`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        solution: Option<String>,
    },
    /// An exact cover.
    Cover {
        /// Number of items.
        items: u64,
        /// Number of options.
        options: u64,
        /// Solution as a picture of a board, if the items are cells of a board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<String>,
    },
}

impl Hard {
    fn rank(&self) -> Rank {
        rank(self.rating, (self.guesses, self.nodes), self.index)
    }

    fn key(&self) -> Key<'_> {
        (self.rank(), self.source.as_str(), self.line)
    }
}

/// Rank of a record. The record with the smallest rank comes first.
///
/// Records are compared by these criteria: higher rating first, then records without counters (because
/// several threads searched them), more guesses, more nodes, and lower number.
type Rank = (Reverse<(Option<RatingKey>, bool, u64, u64)>, u64);
type Key<'a> = (Rank, &'a str, u64);

fn rank(rating: Option<RatingKey>, (guesses, nodes): (Option<u64>, Option<u64>), index: u64) -> Rank {
    (Reverse((rating, guesses.is_none(), guesses.unwrap_or(0), nodes.unwrap_or(0))), index)
}

/// Sorted ranks of the hardest records that already have drawings.
///
/// A record that ranks below all of these records cannot be among the hardest records of the run, so it needs
/// no drawing. Without this list, every record of a short chunk would be drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drawn(Vec<Rank>);

impl Drawn {
    /// Adds the rank of a record if the record is among the `most` hardest so far. Returns true if the rank
    /// is now in the list.
    fn admits(&mut self, most: usize, rank: Rank) -> bool {
        if !self.0.contains(&rank) {
            insert_first(&mut self.0, rank, most);
        }
        self.0.contains(&rank)
    }
}

impl PartialOrd for Hard {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The harder record comes first.
///
/// If the same part of a run is added twice, two records have the same key. Their drawings then decide the
/// order.
impl Ord for Hard {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.key(), &self.drawing).cmp(&(other.key(), &other.drawing))
    }
}

/// Collector of the hardest records.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hardest {
    #[serde(rename = "top")]
    keep: usize,
    /// Hardest records, hardest first, at most `keep` of them.
    #[serde(rename = "records")]
    pub(super) list: Vec<Hard>,
    /// Names whose memory is reused.
    #[serde(skip)]
    spare: Vec<String>,
}

impl Default for Hardest {
    fn default() -> Self {
        Hardest::new(TOP)
    }
}

impl Figure for Hardest {
    fn merge_from(&mut self, other: &Hardest) {
        self.keep = self.keep.min(other.keep);
        self.list.truncate(self.keep);
        for hard in &other.list {
            if !self.admits(hard.key()) {
                break;
            }
            insert_first(&mut self.list, hard.clone(), self.keep);
        }
        self.list.iter_mut().skip(DRAWN).for_each(|hard| hard.drawing = None);
    }

    fn check(&mut self) -> Parsed<()> {
        self.list.sort();
        self.list.truncate(self.keep);
        Ok(())
    }
}

impl Hardest {
    pub(super) fn new(keep: usize) -> Self {
        Hardest { keep, list: Vec::new(), spare: Vec::new() }
    }

    /// Returns an empty list that reuses the memory of this list.
    pub(super) fn renewed(mut self, keep: usize) -> Self {
        self.spare.extend(self.list.drain(..).map(|hard| hard.source));
        Hardest { keep, ..self }
    }

    /// Adds a record if it is among the hardest. Usually this call makes only one comparison.
    #[inline]
    pub(super) fn offer(
        &mut self,
        rating: Option<RatingKey>,
        counters: Option<Counters>,
        (index, source, line): (u64, &str, u64),
    ) {
        let (guesses, nodes) = (counters.map(|work| work.guesses), counters.map(|work| work.nodes));
        if self.admits((rank(rating, (guesses, nodes), index), source, line)) {
            // In most chunks, harder records soon displace most records of this list.
            if self.list.len() >= self.keep {
                self.spare.extend(self.list.pop().map(|least| least.source));
            }
            let mut name = self.spare.pop().unwrap_or_default();
            source.clone_into(&mut name);
            let hard = Hard { index, source: name, line, rating, guesses, nodes, drawing: None };
            insert_first(&mut self.list, hard, self.keep);
        }
    }

    /// Makes drawings for the hardest records that have none yet. `drawing` returns the drawing of the record
    /// with a given number.
    pub(crate) fn draw(&mut self, drawn: &mut Drawn, mut drawing: impl FnMut(u64) -> Option<Drawing>) {
        let most = self.keep.min(DRAWN);
        for hard in self.list.iter_mut().take(most).filter(|hard| hard.drawing.is_none()) {
            if drawn.admits(most, hard.rank()) {
                hard.drawing = drawing(hard.index);
            }
        }
    }

    /// Returns true if a record with this rating and number of guesses can be among the hardest.
    #[inline]
    pub(super) fn may_admit(&self, rating: Option<RatingKey>, guesses: u64) -> bool {
        // A record that several threads searched may have no number of guesses. Such a record comes before
        // other records with the same rating.
        let last = self.list.last().map(|last| (last.rating, last.guesses.unwrap_or(u64::MAX)));
        self.list.len() < self.keep || last.is_some_and(|last| (rating, guesses) >= last)
    }

    /// Returns true if a record with this key would be among the hardest records so far.
    #[inline]
    fn admits(&self, key: Key<'_>) -> bool {
        self.list.len() < self.keep || self.list.last().is_some_and(|last| key < last.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(guesses: u64, nodes: u64) -> Option<Counters> {
        Some(Counters { nodes, guesses, ..Counters::default() })
    }

    #[test]
    fn the_order_is_rating_split_then_guesses_nodes_and_index() {
        let mut hardest = Hardest::new(4);
        let offers = [
            (work(5, 9), 1),
            (work(5, 10), 2),
            (work(7, 8), 3),
            (work(5, 10), 0),
            (None, 9),
            (work(0, 1), 5),
        ];
        for (counters, index) in offers {
            hardest.offer(None, counters, (index, "-", index + 1));
        }
        let order: Vec<u64> = hardest.list.iter().map(|hard| hard.index).collect();
        assert_eq!(order, [9, 3, 0, 2]);
        for (rating, index) in [("7.2", 20), (">7.5", 21), ("1.2", 22)] {
            hardest.offer(RatingKey::read(rating), work(0, 1), (index, "-", 1));
        }
        let order: Vec<u64> = hardest.list.iter().map(|hard| hard.index).collect();
        assert_eq!(order, [21, 20, 22, 9]);
        let mut none = Hardest::new(0);
        none.offer(None, None, (1, "-", 1));
        assert!(none.list.is_empty());
    }
}
