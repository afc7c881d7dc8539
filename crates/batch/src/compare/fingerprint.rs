//! A fingerprint: a few numbers that identify a corpus and that other people can recompute.

use std::io;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::overlap::{Overlap, ReferenceKeys, Relation};
use super::{FilterTail, KeyMark, RowFilter};
use crate::options::{BatchOptions, Comparison, Query};
use crate::stats::Statistics;
use quadrille_engine::Control;
use quadrille_formats::output::{Field, Notation};
use quadrille_model::{Result, Status};

/// Name and version of the method that computes the checksums.
pub const METHOD: &str = "quadrille-fingerprint-2";

/// Columns that hold a rating.
const RATING_NAMES: &[&str] = &["rating", "q_rating", "er", "q_er", "difficulty"];

/// Returns batch options for a run whose rows can be passed to a [`Fingerprint`].
pub fn options() -> BatchOptions {
    let mut options = BatchOptions::new(Query::Compare(Comparison::All));
    options.output.extra_columns = Vec::new();
    // Each row contains only the rating. The columns with ratings are declared as names of the id column, so
    // that the reader copies them.
    options.output.fields = vec![Field::Id];
    options.output.no_header = true;
    options.input.id_names = RATING_NAMES;
    options
}

/// A row filter that computes a fingerprint from the records of a run. It outputs no rows.
#[derive(Default)]
pub struct Fingerprint {
    /// Second row filter that receives the same records. It collects their keys or compares them with another
    /// corpus.
    also: Option<Also>,
    records: u64,
    /// Number of records that could not be read.
    pub unreadable: u64,
    forms: u64,
    rows: Xxh3Default,
    puzzles: u128,
    /// Smallest and largest rating.
    ratings: Option<[f64; 2]>,
    /// Smallest and largest number of clues.
    clues: Option<[u32; 2]>,
}

/// Comparison with another corpus.
enum Also {
    Keys(Box<ReferenceKeys>),
    Overlap(Box<Overlap>),
}

/// Relation between two corpora that have rows or puzzles in common.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Common {
    /// Both corpora have the same rows in the same order.
    Rows,
    /// Both corpora have the same puzzles, but in another order or arrangement.
    Puzzles,
    /// Some puzzles occur in both corpora. The value is the fraction of this corpus's records whose puzzle is
    /// also in the other corpus, from 0 to 1.
    Share(f64),
}

impl std::fmt::Display for Common {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Common::Rows => f.write_str("same rows"),
            Common::Puzzles => f.write_str("same puzzles"),
            Common::Share(share) => write!(f, "overlap {} %", percent(*share)),
        }
    }
}

/// Returns a fraction in percent, rounded to two decimals.
///
/// Only 0 becomes 0 %, and only 1 becomes 100 %.
fn percent(share: f64) -> f64 {
    let rounded = (share * 1e4).round() / 100.0;
    if share > 0.0 && share < 1.0 { rounded.clamp(0.01, 99.99) } else { rounded }
}

impl Fingerprint {
    /// Creates a fingerprint that also collects the keys of its corpus. Other corpora can then be compared
    /// with this corpus.
    pub fn with_keys(keys: ReferenceKeys) -> Self {
        Fingerprint { also: Some(Also::Keys(Box::new(keys))), ..Fingerprint::default() }
    }

    /// Creates a fingerprint that also compares its corpus with another corpus, whose keys are in `overlap`.
    pub fn compared(overlap: Overlap) -> Self {
        Fingerprint { also: Some(Also::Overlap(Box::new(overlap))), ..Fingerprint::default() }
    }

    /// Removes and returns the collected keys.
    ///
    /// Returns `None` if the fingerprint was not created [with keys](Self::with_keys).
    pub fn take_keys(&mut self) -> Option<ReferenceKeys> {
        match self.also.take() {
            Some(Also::Keys(keys)) => Some(*keys),
            other => {
                self.also = other;
                None
            }
        }
    }

    /// Returns the rows or puzzles that the two corpora have in common.
    ///
    /// Returns `None` if this fingerprint was not created with [`compared`](Self::compared).
    pub fn common(&self, other: &Fingerprint) -> Option<Common> {
        let Some(Also::Overlap(overlap)) = &self.also else { return None };
        let shared = overlap.count(Relation::Copy) + overlap.count(Relation::Isomorph);
        Some(match self.records == other.records {
            true if self.rows.digest128() == other.rows.digest128() => Common::Rows,
            true if self.puzzles == other.puzzles => Common::Puzzles,
            _ => Common::Share(shared as f64 / self.records.max(1) as f64),
        })
    }

    /// Returns the fingerprint as a JSON object on one line.
    pub fn to_json(&self, common: Option<Common>) -> String {
        serde_json::json!({
            "schema": 1,
            "method": METHOD,
            "records": self.records,
            "unreadable": self.unreadable,
            "unique": self.forms,
            "rows": format!("{:032x}", self.rows.digest128()),
            "puzzles": format!("{:032x}", self.puzzles),
            "clues": self.clues,
            "ratings": self.ratings,
            "common": common.map(|common| common.to_string()),
        })
        .to_string()
    }

    /// Returns the fingerprint as a paragraph of Markdown for a data card.
    pub fn to_markdown(&self) -> String {
        let range = |name: &str, range: Option<[String; 2]>| match range {
            Some([least, most]) if least == most => format!(", {name} {least}"),
            Some([least, most]) => format!(", {name} {least} to {most}"),
            None => String::new(),
        };
        let clues = self.clues.map(|ends| ends.map(|clues| clues.to_string()));
        // For very large and very small numbers, `{:?}` uses an exponent instead of hundreds of digits.
        let ratings = self.ratings.map(|ends| ends.map(|rating| format!("{rating:?}")));
        let unreadable = match self.unreadable {
            0 => String::new(),
            number => format!(", {number} unreadable"),
        };
        format!(
            "**{} puzzles**{unreadable}, {} with exactly one solution{}{}. Checksum of the rows as they are: `{:032x}`. Checksum of \
             the puzzles, the same in any order and for all arrangements and labels: `{:032x}`. Computed by \
             `quadrille fingerprint` ({METHOD}).",
            self.records,
            self.forms,
            range("clues", clues),
            range("ratings", ratings),
            self.rows.digest128(),
            self.puzzles,
        )
    }
}

/// Returns the text of the value in a row that has only one value.
fn value_of(rows: &[u8], notation: Notation) -> &[u8] {
    match notation {
        Notation::Table => rows.get(TABLE_HEAD..).unwrap_or_default(),
        _ => rows,
    }
}

/// Number of bytes in a binary table row before its first value.
const TABLE_HEAD: usize = 13;

/// Returns the rating in a text: a number, or the first of three numbers as in `7.1/1.2/1.2`.
fn rating_in(value: &str) -> Option<f64> {
    let value = value.trim();
    let value = value.strip_prefix("ED=").unwrap_or(value);
    let first = value.split('/').next()?;
    first.parse().ok().filter(|rating: &f64| rating.is_finite())
}

impl RowFilter for Fingerprint {
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64> {
        self.records += 1;
        self.unreadable += u64::from(mark.status == Status::Invalid);
        self.rows.update(&mark.text.to_le_bytes());
        let [clues, form, _] = mark.keys;
        self.forms += u64::from(form.is_some());
        // A puzzle is identified by its canonical form. If the canonical form is unknown, the clues identify
        // the puzzle. Unreadable text is identified by its bytes.
        let (tag, key) = match (form, clues) {
            (Some(form), _) => (1, form),
            (None, Some(clues)) => (0, clues),
            (None, None) => (2, mark.text),
        };
        let term = xxh3_128(&[&[tag][..], &key.to_le_bytes()].concat());
        self.puzzles = self.puzzles.wrapping_add(term);
        if mark.status != Status::Invalid
            && let Some(rating) = std::str::from_utf8(value_of(rows, mark.notation)).ok().and_then(rating_in)
        {
            let [least, most] = self.ratings.unwrap_or([rating; 2]);
            self.ratings = Some([least.min(rating), most.max(rating)]);
        }
        match &mut self.also {
            Some(Also::Keys(keys)) => keys.take(mark, &[], out),
            Some(Also::Overlap(overlap)) => overlap.take(mark, &[], out),
            None => Ok(0),
        }
    }

    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<FilterTail> {
        match &mut self.also {
            Some(Also::Keys(keys)) => keys.finish(control, write),
            Some(Also::Overlap(overlap)) => overlap.finish(control, write),
            None => Ok(FilterTail::NONE),
        }
    }
}

impl Fingerprint {
    /// Copies the smallest and the largest number of clues per puzzle from the statistics of the run.
    pub fn take_statistics(&mut self, statistics: &Statistics) {
        let clues = || statistics.clues().map(|(clues, _)| clues);
        self.clues = clues().min().zip(clues().max()).map(<[u32; 2]>::from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_in_all_notations() {
        let read = ["7.1", " 7.1/1.2/1.2\n", "ED=7.1/1.2/1.2", "-", "", "id", "inf"].map(rating_in);
        assert_eq!(read, [Some(7.1), Some(7.1), Some(7.1), None, None, None, None]);
    }

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        assert_eq!([0.0, 1e-9, 0.03, 0.999_999, 1.0].map(percent), [0.0, 0.01, 3.0, 99.99, 100.0]);
    }
}
