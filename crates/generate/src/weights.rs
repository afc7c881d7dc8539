//! Draws random weights for the cells of a grid.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use super::Random;
use quadrille_model::Geometry;

/// Record number that seeds the random numbers for weights. No puzzle has this number.
const RECORD: u64 = u64::MAX;

/// Draws a random weight for every cell of a grid, row by row.
///
/// The weights come from [`Random::within`], so the same seed gives the same weights.
pub fn draw_weights(geometry: &Geometry, range: &RangeInclusive<i64>, seed: u64) -> Vec<i64> {
    let mut random = Random::new(seed, RECORD, 0);
    (0..geometry.cells()).map(|_| random.within(range)).collect()
}

/// Writes weights in the format of `read_weights`, one line per row of the grid.
///
/// # Errors
/// Returns the errors of the writer.
pub fn write_weights(geometry: &Geometry, weights: &[i64], out: &mut dyn Write) -> io::Result<()> {
    for row in weights.chunks(geometry.side()) {
        let words: Vec<String> = row.iter().map(i64::to_string).collect();
        writeln!(out, "{}", words.join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_formats::input::read_weights;

    #[test]
    fn weights_depend_only_on_the_seed_and_can_be_read() {
        let nine = Geometry::of_side(9).unwrap();
        let weights = draw_weights(&nine, &(-5..=20), 7);
        assert_eq!(weights, draw_weights(&nine, &(-5..=20), 7));
        assert_ne!(weights, draw_weights(&nine, &(-5..=20), 8));
        assert!(weights.iter().all(|weight| (-5..=20).contains(weight)));
        let mut text = Vec::new();
        write_weights(&nine, &weights, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 9);
        assert_eq!(read_weights(&text).unwrap(), weights);
        assert_eq!(draw_weights(&nine, &(3..=3), 1), [3; 81]);
    }
}
