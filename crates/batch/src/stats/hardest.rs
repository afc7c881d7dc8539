//! The hardest records: the first `k` of a total order, so that parts merge exactly.

use std::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};

use super::RatingKey;
use super::figure::{Figure, Parsed};
use quadrille_model::Counters;

/// Default number of hardest records kept.
const TOP: usize = 10;
/// Maximum number of hardest records with drawings, however many are kept.
const DRAWN: usize = 24;

/// A record among the hardest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hard {
    /// Number of the record over the whole run, 1-based.
    pub index: u64,
    /// Name of the source.
    pub source: String,
    /// Line in the source, 1-based.
    pub line: u64,
    /// Rating of the record, if records were rated; the highest ratings rank first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingKey>,
    /// Number of guesses, or `None` for a record split over threads; such records rank before others.
    pub guesses: Option<u64>,
    /// Number of search-tree nodes, or `None` for a record split over threads.
    pub nodes: Option<u64>,
    /// Drawing of the record, if it is small enough. Older files have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<Drawing>,
}

/// A record and its solution in a form that can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Drawing {
    /// A grid.
    Grid {
        /// Number of rows of a box.
        box_rows: u64,
        /// Number of columns of a box.
        box_columns: u64,
        /// Digits from 1, cell by cell; `.` for a cell without a clue. Separated by blanks if the side exceeds 9.
        clues: String,
        /// Digits of the solution in the same form.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        solution: Option<String>,
    },
    /// An exact cover.
    Cover {
        /// Number of items.
        items: u64,
        /// Number of options.
        options: u64,
        /// The solution as a board, if the items are cells of one.
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

    /// Returns the key of the total order. Records with equal keys, as after adding a part twice, are ordered by
    /// drawing.
    fn place(&self) -> (Key<'_>, Option<&Drawing>) {
        (self.key(), self.drawing.as_ref())
    }
}

/// First part of the order: higher ratings first, then split records, more guesses, more nodes, earlier in the run.
type Rank = (Reverse<(Option<RatingKey>, bool, u64, u64)>, u64);
type Key<'a> = (Rank, &'a str, u64);

fn rank(rating: Option<RatingKey>, (guesses, nodes): (Option<u64>, Option<u64>), index: u64) -> Rank {
    (Reverse((rating, guesses.is_none(), guesses.unwrap_or(0), nodes.unwrap_or(0))), index)
}

/// Ranks of the hardest records that were given drawings, in order.
///
/// A record that ranks below all of them is not among the hardest of the run and needs no drawing. Without this, every
/// record of a short chunk would be drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drawn(Vec<Rank>);

impl Drawn {
    /// Adds a record if it is among the `most` hardest so far, and returns true in that case.
    fn admits(&mut self, most: usize, rank: Rank) -> bool {
        let place = self.0.partition_point(|other| *other < rank);
        if self.0.get(place) == Some(&rank) {
            return true;
        }
        if place < most {
            self.0.insert(place, rank);
            self.0.truncate(most);
        }
        place < most
    }
}

impl PartialOrd for Hard {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The harder record comes first.
impl Ord for Hard {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}

/// Collects the hardest of many records.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Hardest {
    #[serde(rename = "top")]
    keep: usize,
    /// Hardest records, hardest first; at most `keep`.
    #[serde(rename = "records")]
    pub(super) list: Vec<Hard>,
    /// Names whose memory is reused.
    #[serde(skip)]
    spare: Vec<String>,
    /// Index in `list` of the record added last.
    #[serde(skip)]
    newest: usize,
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
            self.insert(hard.clone());
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
        Hardest { keep, list: Vec::new(), spare: Vec::new(), newest: 0 }
    }

    /// Returns an empty list in the same memory.
    pub(super) fn renewed(mut self, keep: usize) -> Self {
        self.spare.extend(self.list.drain(..).map(|hard| hard.source));
        Hardest { keep, ..self }
    }

    /// Adds a record if it is among the hardest. Mostly this takes one comparison.
    #[inline]
    pub(super) fn offer(
        &mut self,
        rating: Option<RatingKey>,
        counters: Option<Counters>,
        (index, source, line): (u64, &str, u64),
    ) {
        let (guesses, nodes) = (counters.map(|work| work.guesses), counters.map(|work| work.nodes));
        if self.admits((rank(rating, (guesses, nodes), index), source, line)) {
            // Most records of a chunk's list fall out of it again.
            if self.list.len() >= self.keep {
                self.spare.extend(self.list.pop().map(|least| least.source));
            }
            let mut name = self.spare.pop().unwrap_or_default();
            name.clear();
            name.push_str(source);
            let source = name;
            self.insert(Hard { index, source, line, rating, guesses, nodes, drawing: None });
        }
    }

    /// Adds drawings to records without a drawing, if `drawing` returns one for the record's number.
    pub(super) fn draw(&mut self, drawn: &mut Drawn, mut drawing: impl FnMut(u64) -> Option<Drawing>) {
        let most = self.keep.min(DRAWN);
        for hard in self.list.iter_mut().take(most).filter(|hard| hard.drawing.is_none()) {
            if drawn.admits(most, hard.rank()) {
                hard.drawing = drawing(hard.index);
            }
        }
    }

    /// Adds a drawing to the record that came last, if it was kept.
    #[inline]
    pub(super) fn draw_newest(
        &mut self,
        drawn: &mut Drawn,
        index: u64,
        drawing: impl FnOnce() -> Option<Drawing>,
    ) {
        let most = self.keep.min(DRAWN);
        let newest = self.list.get_mut(self.newest).filter(|_| self.newest < most);
        if let Some(hard) = newest.filter(|hard| hard.index == index && hard.drawing.is_none())
            && drawn.admits(most, hard.rank())
        {
            hard.drawing = drawing();
        }
    }

    /// Returns true if a record with this rating and `guesses` guesses can be among the hardest.
    #[inline]
    pub(super) fn may_admit(&self, rating: Option<RatingKey>, guesses: u64) -> bool {
        // A record split over threads has no number of guesses and ranks above others with its rating.
        let last = self.list.last().map(|last| (last.rating, last.guesses.unwrap_or(u64::MAX)));
        self.list.len() < self.keep || last.is_some_and(|last| (rating, guesses) >= last)
    }

    /// Returns true if a record with this key is among the hardest.
    #[inline]
    fn admits(&self, key: Key<'_>) -> bool {
        self.list.len() < self.keep || self.list.last().is_some_and(|last| key < last.key())
    }

    #[cold]
    fn insert(&mut self, hard: Hard) {
        let place = self.list.partition_point(|other| *other <= hard);
        self.newest = place;
        self.list.insert(place, hard);
        self.list.truncate(self.keep);
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
