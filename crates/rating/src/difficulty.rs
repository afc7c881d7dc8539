//! Words for difficulty, as ranges of ratings.

use super::{Rater, Tenths};

/// Words for difficulty: each with its techniques and its lowest and highest rating.
pub const DIFFICULTIES: [(&str, &str, Tenths, Tenths); 4] = [
    ("easy", "1.0..2.3: singles", Tenths(10), Tenths(23)),
    ("medium", "2.4..3.9: locked candidates, pairs, naked triplets, small fish", Tenths(24), Tenths(39)),
    ("hard", "4.0..6.2: hidden triplets, wings, unique rectangles, quads, graves", Tenths(40), Tenths(62)),
    ("expert", "6.5..: chains", Tenths(65), Rater::MAX_RATING),
];
