//! Words for the difficulty of a puzzle. Each word has a range of ratings.

use super::{Rater, Tenths};

/// The words for difficulty. Each comes with its techniques, its lowest rating and its highest rating.
pub const DIFFICULTIES: [(&str, &str, Tenths, Tenths); 4] = [
    ("easy", "1.0..2.3: singles", Tenths(10), Tenths(23)),
    ("medium", "2.4..3.9: locked candidates, pairs, naked triplets, small fish", Tenths(24), Tenths(39)),
    ("hard", "4.0..6.2: hidden triplets, wings, unique rectangles, quads, graves", Tenths(40), Tenths(62)),
    ("expert", "6.5..: chains", Tenths(65), Rater::MAX_RATING),
];
