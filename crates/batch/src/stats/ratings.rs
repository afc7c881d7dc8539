//! Number of records for each rating, separately for each rating scale.
//!
//! Ratings are counted in tenths. Counts can be merged exactly and take little memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::Statistics;
use super::histogram::quantile;
use super::numbers::{grouped, quantiles};
use quadrille_rating::AnyRating;

/// Ratings below this limit are counted exactly: each tenth has its own count. The limit is in tenths.
///
/// Above the limit, each range from one power of two to the next is divided into 32 parts.
const EXACT: u64 = 1024;
/// Maximum number of different ratings in a displayed distribution.
const SHOWN: usize = 20;

/// A rating, rounded down to the precision with which ratings are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RatingKey {
    /// True if the exact rating is unknown, but greater than `tenths`.
    is_above: bool,
    /// Lower end of the range of ratings that this key represents, in tenths.
    tenths: u64,
}

impl RatingKey {
    pub(super) fn of(rated: &AnyRating) -> Self {
        RatingKey::new(rated.is_above(), rated.tenths())
    }

    fn new(is_above: bool, tenths: u64) -> Self {
        let shift = if tenths < EXACT { 0 } else { tenths.ilog2() - 5 };
        RatingKey { is_above, tenths: tenths >> shift << shift }
    }

    /// Returns the rating in tenths. If only a lower bound is known, returns that bound.
    pub fn tenths(self) -> u64 {
        self.tenths
    }

    /// Parses the text of a key, or returns `None` if it is invalid.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (is_above, number) = text.strip_prefix('>').map_or((false, text), |number| (true, number));
        let (whole, tenth) = number.split_once('.')?;
        let is_digit = tenth.len() == 1 && tenth.as_bytes()[0].is_ascii_digit();
        let tenths = whole.parse::<u64>().ok()?.checked_mul(10)?.checked_add(tenth.parse().ok()?)?;
        let key = RatingKey::new(is_above, tenths);
        (is_digit && key.tenths == tenths && key.to_string() == text).then_some(key)
    }
}

/// Formats the key as `7.2`, or as `>7.5` if 7.5 is a lower bound.
impl fmt::Display for RatingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let above = if self.is_above { ">" } else { "" };
        write!(f, "{above}{}.{}", self.tenths / 10, self.tenths % 10)
    }
}

/// Number of records for each rating on one scale.
///
/// Ratings below 102.4 are exact to a tenth. Higher ratings have an error of at most 1/32.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RatingCounts(pub(super) BTreeMap<RatingKey, u64>);

impl RatingCounts {
    pub(super) fn add(&mut self, key: RatingKey, records: u64) {
        *self.0.entry(key).or_default() += records;
    }

    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns each rating that occurs and the number of records with this rating, in ascending order.
    ///
    /// Ratings for which only a lower bound is known come last.
    pub fn counts(&self) -> impl Iterator<Item = (RatingKey, u64)> + Clone {
        self.0.iter().map(|(key, &records)| (*key, records))
    }

    /// Creates the counts from data in the form that [`counts`](Self::counts) returns. Returns `None` if the
    /// data is invalid.
    ///
    /// A count above `largest` is invalid.
    pub(super) fn read(counts: &[(RatingKey, u64)], largest: u64) -> Option<Self> {
        let mut read = RatingCounts::default();
        for (key, records) in counts {
            if *records == 0 || *records > largest || read.0.insert(*key, *records).is_some() {
                return None;
            }
        }
        Some(read)
    }

    /// Returns the smallest rating that at least `per_mille` thousandths of the records do not exceed.
    ///
    /// Returns `None` if there are no records.
    pub fn quantile(&self, per_mille: u64) -> Option<RatingKey> {
        quantile(self.counts(), per_mille)
    }

    /// Returns text for display. For each whole number, it shows how many ratings have this whole part.
    ///
    /// The text is empty if it would list more than [`SHOWN`] whole numbers.
    fn distribution(&self) -> String {
        let has_tenths = self.0.keys().any(|key| key.tenths % 10 != 0);
        let mut parts: Vec<(String, u64)> = Vec::new();
        for (key, &records) in &self.0 {
            let name = match key.tenths / 10 {
                _ if key.is_above => key.to_string(),
                whole if has_tenths => format!("{whole}.x"),
                whole => whole.to_string(),
            };
            match parts.last_mut().filter(|(last, _)| *last == name) {
                Some((_, sum)) => *sum += records,
                None => parts.push((name, records)),
            }
        }
        if parts.len() > SHOWN {
            return String::new();
        }
        let shown: Vec<String> =
            parts.iter().map(|(name, records)| format!("{name} {}", grouped(*records))).collect();
        shown.join(", ")
    }
}

impl Statistics {
    /// Counts ratings on one scale.
    pub(crate) fn record_ratings(&mut self, scale: &'static str, rated: &[AnyRating]) {
        if rated.is_empty() {
            return;
        }
        let counts = self.ratings.entry(Cow::Borrowed(scale)).or_default();
        rated.iter().for_each(|rated| counts.add(RatingKey::of(rated), 1));
    }

    /// Returns the counts of ratings for each scale, if ratings were requested. The name of a scale contains
    /// the version of the scale.
    pub fn ratings(&self) -> impl Iterator<Item = (&str, &RatingCounts)> {
        self.ratings.iter().map(|(scale, counts)| (&**scale, counts))
    }

    /// Returns lines about ratings for display.
    pub(super) fn rating_lines(&self) -> Vec<String> {
        let lines = |(scale, counts): (&str, &RatingCounts)| {
            let quantiles = quantiles(|at| counts.quantile(at.into()).map(|key| key.to_string()));
            [format!("{scale}: {quantiles}"), counts.distribution()]
        };
        self.ratings().flat_map(lines).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for tenths in (0..3000).chain([u64::MAX / 10, u64::MAX - 5]) {
            for is_above in [false, true] {
                let key = RatingKey::new(is_above, tenths);
                assert!(key.tenths <= tenths && tenths - key.tenths <= tenths / 32);
                assert!(tenths >= EXACT || key.tenths == tenths);
                assert_eq!(RatingKey::read(&key.to_string()), Some(key));
            }
        }
        for text in
            ["", "7", "7.", ".5", "7.25", "07.2", "-1.0", "102.5", ">>7.5", "7.+5", "99999999999999999999.0"]
        {
            assert_eq!(RatingKey::read(text), None, "{text}");
        }
    }

    #[test]
    fn summaries_have_the_whole_distribution() {
        let mut counts = RatingCounts::default();
        for (is_above, tenths, records) in [(false, 12, 90), (false, 15, 5), (false, 72, 4), (true, 75, 1)] {
            counts.add(RatingKey::new(is_above, tenths), records);
        }
        let shown = quantiles(|at| counts.quantile(at.into()).map(|key| key.to_string()));
        assert_eq!(shown, "p50 1.2, p90 1.2, p99 7.2, max >7.5");
        assert_eq!(counts.distribution(), "1.x 95, 7.x 4, >7.5 1");
        let list: Vec<_> = counts.counts().collect();
        assert_eq!(RatingCounts::read(&list, 100), Some(counts));
        assert_eq!(RatingCounts::read(&list, 10), None);
        assert_eq!(RatingCounts::read(&[list[0], list[0]], 100), None);
    }
}
