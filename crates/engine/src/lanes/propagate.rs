//! Passes of propagation over a wave.
//!
//! A pass has a part by cells and a part by digits. Both only remove candidates, and every rule is monotone.
//! So the state at which nothing changes any more does not depend on the order of the parts, and a lane's
//! search is the same for any number of passes per wave.
//!
//! By cells: a digit known to have one place in its box takes the cell (a hidden single). Two such digits in
//! one cell are a contradiction; it shows as a cell with a hidden single that keeps two candidates. Then the
//! pass determines which cells are single and which are empty. Every other pass does only that.
//!
//! By digits, for each digit:
//!
//! ```text
//!            box 0   box 1   box 2          One mini-row per row and per box holds the digit, so the nine form
//!   row 0   [  a  ] [  b  ] [  c  ]         a permutation matrix. A permutation is possible if its three
//!   row 1   [  d  ] [  e  ] [  f  ]         mini-rows are. A mini-row stays if a possible permutation uses it.
//!   row 2   [  g  ] [  h  ] [  i  ]         The same holds for the mini-columns of a stack.
//! ```
//!
//! So one digit in a band is fully consistent, which simplifies everything else:
//!
//! * a naked single need only clear its *box*: its mini-row is then the only one left in the box, so the
//!   permutations clear the rest of the row, and its mini-column clears the rest of the column;
//! * a digit with one place in a row has one mini-row there, which is then the only one of its box: hidden
//!   singles need only be searched for in *boxes*, where they have one mini-row and one mini-column;
//! * a digit without a place in a house, or twice in a row or column, leaves no permutation: one test finds
//!   these contradictions. A lane whose cells are all single and that has a permutation everywhere is solved:
//!   each box has every digit at least once, so exactly once, and so do the rows and columns;
//! * two cells of a box that are single with the same digit need only be looked for before a lane may branch.
//!   (Whether the second cell is cleared or becomes single depends on which step ran first. Without this test, the search
//!   would depend on it too.)

use super::counts;
use super::wave::{DigitCells, ExtraRules, Matrix, PlainKnowledge, Triads, Wave, WaveResult};
use quadrille_model::simd::{Kernel, Vector};

/// Number of digits that a pass processes together.
///
/// With three digits, their intermediate results stay in the first-level cache. With fewer than three, a step
/// would more often have to wait for the result of the previous step.
const GROUP: usize = 3;

/// Runs the propagation passes for all lanes of a wave. The last pass also looks for changes, and counts the
/// digits of triads.
pub(super) struct Propagate<'a, V, F> {
    pub(super) wave: &'a mut Wave<V, PlainKnowledge<V, F>>,
    pub(super) passes: usize,
}

impl<V: Vector, F: ExtraRules<V>> Kernel<V> for Propagate<'_, V, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Propagate { wave, passes } = self;
        let ones = wave.ones;
        let mut result = WaveResult { alive: ones, solved: ones, changed: V::splat(ones, 0) };
        for pass in 1..passes {
            // Placing hidden singles takes a third of the time of a pass. Every other pass is often enough
            // for it.
            if (passes - pass).is_multiple_of(2) {
                let digits = wave.candidates.as_chunks().0;
                naked_singles(digits, &mut wave.single, &mut result.alive);
            } else {
                cells::<V, F, false>(wave, &mut result);
            }
            let Wave { candidates, single, known: PlainKnowledge { pinned, triads, further }, .. } =
                &mut *wave;
            let digits = candidates.as_chunks_mut().0;
            for group in 0..9 / GROUP {
                // Only the last pass stores the triads of all digits, which are needed to choose a branch.
                let triads = triads.first_chunk_mut().expect("there are nine digits");
                places::<V, false>(&digits[group], single, triads, &mut result.alive);
                keep::<V, false>(&mut digits[group], pinned, group, triads, &mut result);
                for (at, cells) in digits[group].iter_mut().enumerate() {
                    let digit = GROUP * group + at;
                    further.draw(DigitCells { digit, cells, single, left: 1 }, &mut result);
                }
            }
        }
        cells::<V, F, true>(wave, &mut result);
        let Wave { candidates, single, known: PlainKnowledge { pinned, triads, further }, .. } = &mut *wave;
        let digits = candidates.as_chunks_mut().0;
        for group in 0..9 / GROUP {
            let triads = &mut triads.as_chunks_mut().0[group];
            places::<V, true>(&digits[group], single, triads, &mut result.alive);
        }
        counts::restrict(triads, &mut result.alive);
        for group in 0..9 / GROUP {
            let triads = &triads.as_chunks().0[group];
            keep::<V, true>(&mut digits[group], pinned, group, triads, &mut result);
            for (at, cells) in digits[group].iter_mut().enumerate() {
                let digit = GROUP * group + at;
                further.draw(DigitCells { digit, cells, single, left: 0 }, &mut result);
            }
        }
        wave.conclude(result);
    }
}

/// Runs the part of a pass that looks at each cell.
#[inline(always)]
fn cells<V: Vector, F: ExtraRules<V>, const WATCH: bool>(
    wave: &mut Wave<V, PlainKnowledge<V, F>>,
    result: &mut WaveResult<V>,
) {
    for band in 0..3 {
        for stack in 0..3 {
            for row in 0..3 {
                for column in 0..3 {
                    let cell = 27 * band + 3 * stack + 9 * row + column;
                    let mut pinned = wave.known.pinned[3 * band + stack];
                    wave.known.further.add_pinned(cell, &mut pinned);
                    settle_cell(wave, cell, &pinned, WATCH, result);
                }
            }
        }
    }
}

/// Places hidden singles in one cell, and finds out whether the cell has one or no candidate.
///
/// `pinned` has, for each digit, the lanes in which the cell is the only possible place of the digit in a
/// house, if the cell can hold the digit at all. If `is_watched`, lanes in which the cell has become a single
/// are added to the changed lanes. A cell changes only if a hidden single is placed in a cell with several
/// candidates. So a changed cell always has exactly one candidate afterwards.
#[inline(always)]
pub(super) fn settle_cell<V: Vector, K>(
    wave: &mut Wave<V, K>,
    cell: usize,
    pinned: &[V; 9],
    is_watched: bool,
    result: &mut WaveResult<V>,
) {
    let Wave { candidates, single, ones, .. } = wave;
    let WaveResult { alive, changed, .. } = result;
    let mut x = [*alive; 9];
    for digit in 0..9 {
        x[digit] = candidates[digit][cell];
    }
    // If this cell is the only place in a house for one of its digits, all other digits are removed from the
    // cell.
    let mut hidden = x[0].and(pinned[0]);
    for digit in 1..9 {
        hidden = hidden.or_and(x[digit], pinned[digit]);
    }
    let open = ones.xor(hidden);
    for digit in 0..9 {
        x[digit] = x[digit].and_or(open, pinned[digit]);
        candidates[digit][cell] = x[digit];
    }
    let (one, two) = one_and_two(&x);
    let now = one.and_not(two);
    if is_watched {
        *changed = changed.or_and_not(now, single[cell]);
    }
    single[cell] = now;
    // A cell has a contradiction if it has no candidate, or if it is the only place in a house for two digits.
    *alive = alive.and(one).and_nand(hidden, two);
}

/// Finds naked singles and empty cells, without looking for hidden singles.
#[inline(always)]
fn naked_singles<V: Vector>(digits: &[[[V; 81]; GROUP]], single: &mut [V; 81], alive: &mut V) {
    for cell in 0..81 {
        let mut x = [*alive; 9];
        for digit in 0..9 {
            x[digit] = digits[digit / GROUP][digit % GROUP][cell];
        }
        let (one, two) = one_and_two(&x);
        single[cell] = one.and_not(two);
        *alive = alive.and(one);
    }
}

/// Returns the lanes in which at least one of nine bits is set, and those in which at least two bits are set.
#[inline(always)]
pub(super) fn one_and_two<V: Vector>(x: &[V; 9]) -> (V, V) {
    let (a, b, c) = (x[0].or3(x[1], x[2]), x[3].or3(x[4], x[5]), x[6].or3(x[7], x[8]));
    let twos = x[0].majority(x[1], x[2]).or3(x[3].majority(x[4], x[5]), x[6].majority(x[7], x[8]));
    (a.or3(b, c), twos.or(a.majority(b, c)))
}

/// Computes, for each digit of a group, the triads that can hold the digit. Uses naked singles.
///
/// A mini-row is kept only if at least one possible permutation uses it. A permutation chooses one mini-row
/// per box, each in a different row. With `WATCH`, mini-columns are treated in the same way. Without `WATCH`,
/// a mini-column is kept if at least one of its cells can hold the digit.
#[inline(always)]
fn places<V: Vector, const WATCH: bool>(
    digits: &[[V; 81]; GROUP],
    single: &[V; 81],
    triads: &mut [Triads<V>; GROUP],
    alive: &mut V,
) {
    let zero = V::splat(*alive, 0);
    for band in 0..3 {
        for stack in 0..3 {
            // The nine cells of the box are loaded once for all digits. On processors with three-input logic
            // instructions, loads and stores limit the speed of a pass.
            let mut single_in_box = [zero; 9];
            for at in 0..9 {
                single_in_box[at] = single[27 * band + 3 * stack + 9 * (at / 3) + at % 3];
            }
            for digit in 0..GROUP {
                // For each row (index 0) and each column (index 1) of the box, `all` is the union of the
                // cells' candidates. `naked` is the same union, but only over naked singles.
                let (mut all, mut naked) = ([[zero; 3]; 2], [[zero; 3]; 2]);
                let (mut any, mut twice) = (zero, zero);
                for row in 0..3 {
                    let mut n = [zero; 3];
                    for column in 0..3 {
                        let cell = 27 * band + 3 * stack + 9 * row + column;
                        let x = digits[digit][cell];
                        n[column] = x.and(single_in_box[3 * row + column]);
                        all[0][row] = all[0][row].or(x);
                        all[1][column] = all[1][column].or(x);
                        naked[1][column] = naked[1][column].or(n[column]);
                    }
                    naked[0][row] = n[0].or3(n[1], n[2]);
                    if WATCH {
                        twice = twice.or3(n[0].majority(n[1], n[2]), any.and(naked[0][row]));
                    }
                    any = any.or(naked[0][row]);
                }
                if WATCH {
                    *alive = alive.and_not(twice);
                }
                // If the digit is a naked single of the box, the digit can only be in the row and the column
                // of this cell.
                for line in 0..3 {
                    triads[digit][band][3 * line + stack] = all[0][line].and_unless(any, naked[0][line]);
                    triads[digit][3 + stack][3 * line + band] = all[1][line].and_unless(any, naked[1][line]);
                }
            }
        }
    }
    for digit in 0..GROUP {
        let matrices = if WATCH { 6 } else { 3 };
        for matrix in 0..matrices {
            *alive = alive.and(permutations(&mut triads[digit][matrix]));
        }
    }
}

/// Keeps only the triads that at least one permutation uses. Returns the lanes in which a permutation exists.
#[inline(always)]
fn permutations<V: Vector>(m: &mut Matrix<V>) -> V {
    let p = each_permutation(m);
    m[0] = p[0].or(p[1]);
    m[1] = p[2].or(p[3]);
    m[2] = p[4].or(p[5]);
    m[3] = p[2].or(p[4]);
    m[4] = p[0].or(p[5]);
    m[5] = p[1].or(p[3]);
    m[6] = p[3].or(p[5]);
    m[7] = p[1].or(p[4]);
    m[8] = p[0].or(p[2]);
    m[0].or3(m[1], m[2])
}

/// Returns, for each of the six permutations of a 3x3 matrix, the set of lanes in which it is possible.
///
/// A permutation chooses one column per row. The columns in rows 0, 1 and 2 are, in this order: 012, 021,
/// 102, 120, 201 and 210.
#[inline(always)]
pub(super) fn each_permutation<V: Vector>(m: &Matrix<V>) -> [V; 6] {
    [
        m[0].and3(m[4], m[8]),
        m[0].and3(m[5], m[7]),
        m[1].and3(m[3], m[8]),
        m[1].and3(m[5], m[6]),
        m[2].and3(m[3], m[7]),
        m[2].and3(m[4], m[6]),
    ]
}

/// Removes each digit from the mini-rows and mini-columns that cannot hold it.
///
/// Also records in `pinned` the boxes in which at most one mini-row and one mini-column are left for a digit.
/// With `WATCH`, a newly pinned digit counts as a change, because it is not yet placed in its cell.
///
/// Without `WATCH`, this function computes the permutations of columns. Only this function needs the result,
/// so it is not stored.
#[inline(always)]
fn keep<V: Vector, const WATCH: bool>(
    digits: &mut [[V; 81]; GROUP],
    pinned: &mut [[V; 9]; 9],
    group: usize,
    triads: &[Triads<V>; GROUP],
    result: &mut WaveResult<V>,
) {
    let WaveResult { alive, changed, .. } = result;
    let ones = V::splat(*changed, u64::MAX);
    for digit in 0..GROUP {
        for stack in 0..3 {
            let mut of_stack = triads[digit][3 + stack];
            if !WATCH {
                *alive = alive.and(permutations(&mut of_stack));
            }
            for band in 0..3 {
                let mut rows = [*changed; 3];
                let mut columns = [*changed; 3];
                for line in 0..3 {
                    rows[line] = triads[digit][band][3 * line + stack];
                    columns[line] = of_stack[3 * line + band];
                }
                let pinned = &mut pinned[3 * band + stack][GROUP * group + digit];
                // A digit is pinned in a box if at most one mini-row and at most one mini-column of the box
                // are left for it. (If none is left, that is a contradiction, which is found elsewhere.)
                let two = (rows[0].majority(rows[1], rows[2]), columns[0].majority(columns[1], columns[2]));
                let now = ones.and_nor(two.0, two.1);
                if WATCH {
                    *changed = changed.or_and_not(now, *pinned);
                }
                *pinned = now;
                let corner = 27 * band + 3 * stack;
                for row in 0..3 {
                    for column in 0..3 {
                        let cell = &mut digits[digit][corner + 9 * row + column];
                        let left = cell.and3(rows[row], columns[column]);
                        if WATCH {
                            *changed = changed.or_and_not(*cell, left);
                        }
                        *cell = left;
                    }
                }
            }
        }
    }
}
