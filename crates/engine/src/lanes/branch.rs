//! Chooses how a stalled lane branches. A lane (one of many searches that run in parallel) is stalled if
//! propagation finds nothing more.
//!
//! A lane branches on a triad, which is a mini-row or mini-column of three cells. The band rule (after T.
//! Dillon's tdoku) works in three steps:
//!
//! * First, count the permutations left for each digit in each band and stack. Choose the band or stack with the
//!   smallest total. Skip bands and stacks in which every digit has only one permutation.
//! * In this band or stack, choose the first digit with two permutations. If there is none, choose the first
//!   digit with three, and otherwise the first digit with more.
//! * For this digit, choose a triad that some but not all of its permutations use.
//!
//! In the first branch the triad holds the digit, and in the second branch it does not. The two branches have
//! no solution in common, and candidates can express both. (Branching on a permutation would not work if
//! there are three or more: candidates can select a permutation, but cannot exclude it.)

use super::propagate::each_permutation;
use super::transpose::transpose_bits;
use super::wave::{Matrix, PlainKnowledge, Triads, Wave};
use quadrille_model::Packed9x9;
use quadrille_model::simd::{Kernel, Vector, words};

/// Number of bits of a sum. A sum is the number of permutations in a band, which is at most 9 times 6.
const SUM_BITS: usize = 6;

/// The encoded choices of all lanes.
///
/// The choice of lane `64 g + 8 k + r` is byte `k` of word `g` of vector `r`. From the lowest bit on, the
/// byte has these fields:
///
/// - the triad's position in its line (one bit)
/// - the line (one bit)
/// - the matrix (three bits)
/// - the lower three bits of the digit
///
/// The fourth bits of the digits are in the ninth vector.
pub(super) struct Choices<V> {
    codes: [V; 9],
    /// Scratch space for the number of permutations of each digit in each band and stack.
    numbers: [[Number<V>; 9]; 6],
}

/// The digit and the cells on which a lane branches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    digit: usize,
    cells: &'static TriadCells,
}

/// The cells of a triad, and the other cells of its line. A branch decides whether the triad holds a digit.
#[derive(Debug, Clone, Copy)]
struct TriadCells {
    triad: u128,
    /// The other six cells of the line that contains the triad.
    rest: [u8; 6],
}

impl<V: Vector> Choices<V> {
    /// Creates empty choices.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        let zero = V::zero(token);
        let number = Number { one: zero, two: zero, four: zero };
        Box::new(Choices { codes: [zero; 9], numbers: [[number; 9]; 6] })
    }

    /// Returns the digit and the cells on which a lane branches. Valid only if the lane is stalled.
    #[inline]
    pub(super) fn get(&self, lane: usize) -> Choice {
        let word = |vector: usize| words(&self.codes)[vector * V::WORDS + lane / 64];
        let byte = word(lane % 8) >> (lane % 64 / 8 * 8);
        let digit = byte >> 5 & 7 | (word(8) >> (lane % 64) & 1) << 3;
        Choice { digit: digit as usize, cells: &CELLS[(byte & 31) as usize] }
    }
}

impl Choice {
    /// Applies the first branch to a lane: the triad holds the digit.
    #[inline]
    pub(super) fn take<V: Vector, K>(self, wave: &mut Wave<V, K>, lane: usize) {
        for cell in self.cells.rest {
            wave.exclude(lane, self.digit, cell.into());
        }
    }

    /// Applies the second branch to a saved state: the triad does not hold the digit.
    #[inline]
    pub(super) fn refuse(self, state: &mut Packed9x9) {
        let (head, tail) = (self.cells.triad as u64, (self.cells.triad >> 64) as u64);
        state.0[self.digit] &= !head;
        state.0[9 + self.digit / 3] &= !(tail << (17 * (self.digit % 3)));
    }
}

/// The cells of each triad that can be branched on, at index `4 * matrix + 2 * line + place`.
///
/// `line` is 0 or 1: the index of the line in its band or stack. `place` is 0 or 1: the index of the triad in
/// the line.
static CELLS: [TriadCells; 32] = {
    let mut cells = [TriadCells { triad: 0, rest: [0; 6] }; 32];
    let mut index = 0;
    while index < 24 {
        let (matrix, line, place) = (index / 4, index / 2 % 2, index % 2);
        let (mut at, mut rest) = (0, 0);
        while at < 9 {
            let cell =
                if matrix < 3 { 9 * (3 * matrix + line) + at } else { 9 * at + 3 * (matrix - 3) + line };
            if at / 3 == place {
                cells[index].triad |= 1 << cell;
            } else {
                cells[index].rest[rest] = cell as u8;
                rest += 1;
            }
            at += 1;
        }
        index += 1;
    }
    cells
};

/// Chooses a branch for all lanes at once. The result has no meaning for lanes that need no branch.
pub(super) struct Choose<'a, V> {
    pub(super) wave: &'a Wave<V, PlainKnowledge<V>>,
    pub(super) choices: &'a mut Choices<V>,
}

impl<V: Vector> Kernel<V> for Choose<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let triads = &self.wave.known.triads;
        let zero = V::splat(self.wave.single[0], 0);
        let numbers = &mut self.choices.numbers;
        let mut sums = [[zero; SUM_BITS]; 6];
        for matrix in 0..6 {
            let mut open = zero;
            for digit in 0..9 {
                let number = count(&triads[digit][matrix]);
                add(&mut sums[matrix], number);
                open = open.or3(number.two, number.four);
                numbers[matrix][digit] = number;
            }
            // If every digit has only one permutation in a band or stack, there is nothing to branch on. The
            // sum is then set to the maximum, so that this band or stack is not chosen.
            for bit in 0..SUM_BITS {
                sums[matrix][bit] = V::select(open, sums[matrix][bit], V::splat(zero, u64::MAX));
            }
        }
        let bands = fewest(&sums);
        let digits = first_digit(&bands, numbers);
        let m = chosen_matrix(triads, &bands, &digits);
        // Chooses the first line if the digit has at least two possible triads there. Otherwise the digit has
        // one possible triad in the first line and two in the second. The second line is then chosen.
        let first = m[0].majority(m[1], m[2]);
        let first_place = V::select(first, m[0], m[3]);
        let block = &mut self.choices.codes;
        *block = [zero; 9];
        block[0] = V::splat(zero, u64::MAX).and_not(first_place);
        block[1] = V::splat(zero, u64::MAX).and_not(first);
        for matrix in 0..6 {
            for bit in 0..3 {
                if matrix >> bit & 1 != 0 {
                    block[2 + bit] = block[2 + bit].or(bands[matrix]);
                }
            }
        }
        for digit in 0..9 {
            for bit in 0..4 {
                if digit >> bit & 1 != 0 {
                    block[5 + bit] = block[5 + bit].or(digits[digit]);
                }
            }
        }
        transpose_bits(block.first_chunk_mut().expect("there are nine vectors"));
    }
}

/// A number of permutations, stored as three bits. The number is 0, 1, 2, 3, 4 or 6.
#[derive(Clone, Copy)]
struct Number<V> {
    one: V,
    two: V,
    four: V,
}

/// Returns the number of permutations of a digit in a band or stack.
#[inline(always)]
fn count<V: Vector>(m: &Matrix<V>) -> Number<V> {
    let p = each_permutation(m);
    let (a, b) = (p[0].xor3(p[1], p[2]), p[3].xor3(p[4], p[5]));
    let (c, d, e) = (p[0].majority(p[1], p[2]), p[3].majority(p[4], p[5]), a.and(b));
    Number { one: a.xor(b), two: c.xor3(d, e), four: c.majority(d, e) }
}

#[inline(always)]
fn add<V: Vector>(sum: &mut [V; SUM_BITS], number: Number<V>) {
    let carry = sum[0].and(number.one);
    sum[0] = sum[0].xor(number.one);
    let next = sum[1].majority(number.two, carry);
    sum[1] = sum[1].xor3(number.two, carry);
    let mut carry = sum[2].majority(number.four, next);
    sum[2] = sum[2].xor3(number.four, next);
    for bit in 3..SUM_BITS {
        let next = sum[bit].and(carry);
        sum[bit] = sum[bit].xor(carry);
        carry = next;
    }
}

/// Returns, for each of six sums, the set of lanes in which this sum is the smallest.
///
/// If several sums are smallest in a lane, only the first of them counts.
#[inline(always)]
fn fewest<V: Vector>(sums: &[[V; SUM_BITS]; 6]) -> [V; 6] {
    let zero = V::splat(sums[0][0], 0);
    let mut least = sums[0];
    let mut chosen = [zero; 6];
    chosen[0] = V::splat(zero, u64::MAX);
    for matrix in 1..6 {
        let sum = &sums[matrix];
        let mut less = zero;
        for bit in 0..SUM_BITS {
            // The sums are compared from the lowest bit up. If they differ in this bit, it decides. Otherwise
            // the result for the lower bits stays.
            less = V::select(least[bit].xor(sum[bit]), least[bit], less);
        }
        for bit in 0..SUM_BITS {
            least[bit] = V::select(less, sum[bit], least[bit]);
        }
        for before in 0..matrix {
            chosen[before] = chosen[before].and_not(less);
        }
        chosen[matrix] = less;
    }
    chosen
}

/// Returns the digit to branch on, as one set of lanes per digit. Each lane with an undecided digit is in
/// exactly one of these sets.
///
/// Only permutations in the chosen band or stack count. The first digit with two permutations is chosen. If
/// no digit has two, it is the first digit with three. Otherwise it is the first digit with more.
#[inline(always)]
fn first_digit<V: Vector>(bands: &[V; 6], numbers: &[[Number<V>; 9]; 6]) -> [V; 9] {
    let zero = V::splat(bands[0], 0);
    let mut classes = [[zero; 9]; 3];
    let mut any = [zero; 3];
    for digit in 0..9 {
        let mut number = Number { one: zero, two: zero, four: zero };
        for matrix in 0..6 {
            let this = &numbers[matrix][digit];
            number.one = number.one.or_and(bands[matrix], this.one);
            number.two = number.two.or_and(bands[matrix], this.two);
            number.four = number.four.or_and(bands[matrix], this.four);
        }
        classes[0][digit] = number.two.and_nor(number.one, number.four);
        classes[1][digit] = number.two.and(number.one);
        classes[2][digit] = number.four;
        for class in 0..3 {
            any[class] = any[class].or(classes[class][digit]);
        }
    }
    let mut digits = [zero; 9];
    let mut taken = zero;
    for digit in 0..9 {
        let third = classes[2][digit].and_nor(any[0], any[1]);
        let second = classes[1][digit].and_not(any[0]);
        let fits = classes[0][digit].or3(second, third);
        digits[digit] = fits.and_not(taken);
        taken = taken.or(fits);
    }
    digits
}

/// Returns the first two lines of the matrix for the chosen digit in the chosen band or stack.
#[inline(always)]
fn chosen_matrix<V: Vector>(triads: &[Triads<V>; 9], bands: &[V; 6], digits: &[V; 9]) -> [V; 6] {
    let zero = V::splat(bands[0], 0);
    let mut chosen = [zero; 6];
    for matrix in 0..6 {
        let mut m = [zero; 6];
        for digit in 0..9 {
            for entry in 0..6 {
                m[entry] = m[entry].or_and(digits[digit], triads[digit][matrix][entry]);
            }
        }
        for entry in 0..6 {
            chosen[entry] = chosen[entry].or_and(bands[matrix], m[entry]);
        }
    }
    chosen
}
