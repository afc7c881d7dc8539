//! Deductions from the fact that a triad (a mini-row or mini-column) holds exactly three digits.
//!
//! If only three digits are possible in a triad, the triad holds them. So they are removed from the other
//! triads of its line. Fewer than three possible digits are a contradiction. If three digits have no other
//! possible triad in the line, the triad holds them. So all other digits are removed from the triad. Four
//! digits without another possible triad are a contradiction.

use super::wave::Triads;
use quadrille_model::simd::Vector;

/// Removes digits from the triads in which they are impossible, because each triad holds exactly three
/// digits.
///
/// Removes lanes with a contradiction from `alive`.
#[inline(always)]
pub(super) fn restrict<V: Vector>(triads: &mut [Triads<V>; 9], alive: &mut V) {
    for matrix in 0..6 {
        for line in 0..3 {
            for place in 0..3 {
                let this = 3 * line + place;
                let others = (3 * line + (place + 1) % 3, 3 * line + (place + 2) % 3);
                let mut possible = [*alive; 9];
                let mut certain = [*alive; 9];
                for digit in 0..9 {
                    let m = &triads[digit][matrix];
                    possible[digit] = m[this];
                    certain[digit] = m[this].and_nor(m[others.0], m[others.1]);
                }
                let (three_possible, more_possible) = three_or_more(&possible);
                let (three_certain, more_certain) = three_or_more(&certain);
                *alive = alive.and(three_possible.or(more_possible)).and_not(more_certain);
                for digit in 0..9 {
                    let m = &mut triads[digit][matrix];
                    m[others.0] = m[others.0].and_nand(three_possible, possible[digit]);
                    m[others.1] = m[others.1].and_nand(three_possible, possible[digit]);
                    m[this] = m[this].and_unless(three_certain, certain[digit]);
                }
            }
        }
    }
}

/// Returns two sets of lanes: those in which exactly three of nine bits are set, and those in which more are
/// set.
#[inline(always)]
fn three_or_more<V: Vector>(x: &[V; 9]) -> (V, V) {
    let ones = [x[0].xor3(x[1], x[2]), x[3].xor3(x[4], x[5]), x[6].xor3(x[7], x[8])];
    let twos = [x[0].majority(x[1], x[2]), x[3].majority(x[4], x[5]), x[6].majority(x[7], x[8])];
    let one = ones[0].xor3(ones[1], ones[2]);
    let carried = ones[0].majority(ones[1], ones[2]);
    let two = twos[0].xor3(twos[1], twos[2]);
    let four = twos[0].majority(twos[1], twos[2]).or_and(two, carried);
    (one.and(two.xor(carried)).and_not(four), four)
}
