//! A histogram over all of `u64` with buckets that widen as values grow, and with an exact merge.
//!
//! ```text
//! value    0 1 2 ... 63 | 64 65 | 66 67 | ... 126 127 | 128..131 | ...
//! bucket   0 1 2 ... 63 |  64   |  65   | ...   95    |    96    | ...
//! ```
//! Each value below 64 has its own bucket. Above, every power of two is divided into 32 equal buckets, so the width of
//! a bucket is at most 1/32 of its values (the layout of HdrHistogram, Tene 2012, with five bits). All histograms have
//! the same buckets, so they are merged by adding counts: exactly, and in any order.

use super::figure::{Figure, grow};

/// The buckets of [`Histogram`].
type Fine = Buckets<5>;

/// Histogram of values, with exact minimum, maximum and sum.
///
/// Values below 64 are counted exactly. Larger values are counted with an error of at most 1/32.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// Number of values in each bucket. Zeros at the end are omitted.
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Figure for Histogram {
    fn merge_from(&mut self, other: &Histogram) {
        if other.total == 0 {
            return;
        }
        self.min = if self.total == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        for (bucket, &count) in other.counts.iter().enumerate().rev().filter(|(_, count)| **count > 0) {
            self.add(bucket, count);
        }
    }
}

impl Histogram {
    /// Adds all values in another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        self.merge_from(other);
    }

    /// Adds a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_times(value, 1);
    }

    /// Adds a value `times` times.
    #[inline]
    pub(super) fn record_times(&mut self, value: u64, times: u64) {
        if times == 0 {
            return;
        }
        self.min = if self.total == 0 { value } else { self.min.min(value) };
        self.add(Fine::of(value), times);
        self.sum += u128::from(value) * u128::from(times);
        self.max = self.max.max(value);
    }

    #[inline]
    fn add(&mut self, bucket: usize, count: u64) {
        grow(&mut self.counts, bucket + 1);
        self.counts[bucket] += count;
        self.total += count;
    }

    /// Returns the number of values.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the exact sum of the values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Returns the smallest value, or `None` if there are no values.
    pub fn min(&self) -> Option<u64> {
        (self.total > 0).then_some(self.min)
    }

    /// Returns the largest value, or `None` if there are no values.
    pub fn max(&self) -> Option<u64> {
        (self.total > 0).then_some(self.max)
    }

    /// Returns the mean, or `None` if there are no values.
    pub fn mean(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum as f64 / self.total as f64)
    }

    /// Returns a quantile. This is a value that at least `per_mille` thousandths of all values do not exceed.
    ///
    /// If `per_mille` is 500, the quantile is the median. A result below 64 is exact. A larger result may be
    /// up to 1/32 above the exact quantile, but never above the largest value. Returns `None` if there are no
    /// values.
    pub fn quantile(&self, per_mille: u16) -> Option<u64> {
        let bucket = quantile(self.counts.iter().copied().enumerate(), per_mille.into())?;
        Some(Fine::largest(bucket).min(self.max))
    }

    /// Returns the smallest possible value and the count of each non-empty bucket, in ascending order.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(bucket, &count)| (Fine::smallest(bucket), count))
    }

    /// Returns the histogram with the given buckets, sum and extremes (minimum and maximum).
    ///
    /// Returns `None` if these arguments contradict each other, or if the total of the counts exceeds
    /// `largest`.
    pub(super) fn from_parts(
        buckets: &[(u64, u64)],
        sum: u128,
        extremes: Option<(u64, u64)>,
        largest: u64,
    ) -> Option<Self> {
        let mut histogram = Histogram { sum, ..Histogram::default() };
        let (mut least, mut most) = (0u128, 0u128);
        for &(smallest, count) in buckets {
            let bucket = Fine::of(smallest);
            histogram.total.checked_add(count).filter(|total| *total <= largest)?;
            if Fine::smallest(bucket) != smallest || count == 0 || bucket < histogram.counts.len() {
                return None;
            }
            histogram.add(bucket, count);
            least += u128::from(smallest) * u128::from(count);
            most += u128::from(Fine::largest(bucket)) * u128::from(count);
        }
        (histogram.min, histogram.max) = extremes.unwrap_or_default();
        let ends = buckets.first().zip(buckets.last()).map(|(first, last)| (first.0, last.0));
        let buckets_of = |(first, last)| (Fine::of(first), Fine::of(last));
        let fits = ends.map(buckets_of) == extremes.map(buckets_of) && histogram.min <= histogram.max;
        (fits && (least..=most).contains(&sum)).then_some(histogram)
    }
}

/// Division of values into buckets.
///
/// Each small value has a bucket for itself. For larger values, each range from one power of two to the next
/// has `2^BITS` buckets.
pub(super) struct Buckets<const BITS: u32>;

impl<const BITS: u32> Buckets<BITS> {
    /// Returns the index of the bucket that contains a value.
    #[inline]
    pub(super) fn of(value: u64) -> usize {
        if value < 2 << BITS {
            return value as usize;
        }
        let shift = value.ilog2() - BITS;
        // With 5 bits, `value >> shift` is between 32 and 63. The first value with shift 1 is 64, and it gets
        // bucket 64.
        ((shift as usize) << BITS) + (value >> shift) as usize
    }

    fn shift(bucket: usize) -> u32 {
        (bucket >> BITS).saturating_sub(1) as u32
    }

    /// Returns the smallest value that belongs to a bucket.
    pub(super) fn smallest(bucket: usize) -> u64 {
        let shift = Self::shift(bucket);
        ((bucket - ((shift as usize) << BITS)) as u64) << shift
    }

    /// Returns the largest value that belongs to a bucket.
    pub(super) fn largest(bucket: usize) -> u64 {
        Self::smallest(bucket) + ((1 << Self::shift(bucket)) - 1)
    }
}

/// Returns a quantile. This is the smallest value that at least `per_mille` thousandths of the records do not
/// exceed.
///
/// `counts` contains each value and the number of records with this value, in ascending order of values.
/// Returns `None` if there are no records.
pub fn quantile<T>(counts: impl Iterator<Item = (T, u64)> + Clone, per_mille: u64) -> Option<T> {
    let records: u128 = counts.clone().map(|(_, records)| u128::from(records)).sum();
    let rank = (records * u128::from(per_mille)).div_ceil(1000).max(1);
    let mut seen = 0;
    let mut reaches = |records: u64| {
        seen += u128::from(records);
        seen >= rank
    };
    counts.into_iter().find(|(_, records)| reaches(*records)).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn have_no_gaps<const BITS: u32>() {
        let last = Buckets::<BITS>::of(u64::MAX);
        assert_eq!(Buckets::<BITS>::largest(last), u64::MAX);
        for bucket in 0..last {
            let (smallest, largest) = (Buckets::<BITS>::smallest(bucket), Buckets::<BITS>::largest(bucket));
            assert_eq!(largest + 1, Buckets::<BITS>::smallest(bucket + 1), "bucket {bucket}");
            assert_eq!([smallest, largest].map(Buckets::<BITS>::of), [bucket; 2]);
        }
    }

    #[test]
    fn bins_have_no_gaps() {
        assert_eq!([63, 64, 65, 66, 127, 128, 131, 132].map(Fine::of), [63, 64, 64, 65, 95, 96, 96, 97]);
        assert_eq!([4, 5, 6].map(Buckets::<1>::smallest), [4, 6, 8]);
        have_no_gaps::<1>();
        have_no_gaps::<5>();
    }

    /// Generates values of all magnitudes.
    fn values() -> impl Strategy<Value = Vec<u64>> {
        proptest::collection::vec((any::<u64>(), 0..64u32).prop_map(|(value, shift)| value >> shift), 0..60)
    }

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        values.iter().for_each(|value| histogram.record(*value));
        histogram
    }

    proptest! {
        #[test]
        fn quantiles_are_close_from_above(mut values in values(), per_mille in 0..=1000u16) {
            let histogram = of(&values);
            values.sort_unstable();
            let rank = (values.len() * usize::from(per_mille)).div_ceil(1000).max(1);
            match (histogram.quantile(per_mille), values.get(rank - 1)) {
                (Some(found), Some(&exact)) => {
                    prop_assert!(found >= exact && found - exact <= exact / 32, "{found} for {exact}");
                    prop_assert!(found <= *values.last().unwrap());
                    prop_assert!(exact >= 64 || found == exact);
                }
                (found, exact) => prop_assert_eq!(found, exact.copied()),
            }
            prop_assert_eq!(histogram.quantile(1000), values.last().copied());
            prop_assert_eq!(histogram.min(), values.first().copied());
        }

        #[test]
        fn merging_parts_gives_the_whole(values in values(), cut in 0..60usize) {
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut forth = of(left);
            forth.merge(&of(right));
            let mut back = of(right);
            back.merge(&of(left));
            prop_assert_eq!(&forth, &of(&values));
            prop_assert_eq!(&back, &forth);
        }

        #[test]
        fn parts_make_the_same_histogram(values in values()) {
            let histogram = of(&values);
            let buckets: Vec<_> = histogram.buckets().collect();
            let extremes = histogram.min().zip(histogram.max());
            prop_assert_eq!(Histogram::from_parts(&buckets, histogram.sum(), extremes, 60), Some(histogram));
        }
    }

    #[test]
    fn inconsistent_parts_are_refused() {
        let from = |buckets: &[_], sum, extremes| Histogram::from_parts(buckets, sum, extremes, 1 << 53);
        assert_eq!(from(&[(5, 1)], 5, Some((5, 5))), Some(of(&[5])));
        assert_eq!(from(&[(65, 1)], 65, Some((65, 65))), None, "no bucket begins at 65");
        assert_eq!(from(&[(5, 1)], 6, Some((5, 5))), None, "sum");
        assert_eq!(from(&[(5, 1)], 5, None), None, "extremes missing");
        assert_eq!(from(&[(5, 1), (5, 1)], 10, Some((5, 5))), None, "bucket twice");
        assert_eq!(from(&[(5, 1 << 53), (6, 1)], 0, Some((5, 6))), None, "overflow");
    }
}
