//! Passes of propagation over a wave.
//!
//! A pass has a part by cells and a part by digits. All of it only takes candidates away and every rule is
//! monotone, so the state at which nothing changes any more does not depend on when which part ran: that is why
//! a lane's search is the same however many passes a wave has.
//!
//! By cells: a digit known to have one place in its box takes the cell (a hidden single); two such in one cell are
//! a contradiction, seen as a cell with a hidden single that keeps two candidates. Then which cells are single,
//! and which are empty.
//!
//! By digits, for each digit:
//!
//! ```text
//!            box 0   box 1   box 2          One mini-row per row and per box holds the digit, so the nine form a
//!   row 0   [  a  ] [  b  ] [  c  ]         permutation matrix. Of the six permutations those are ANDed whose three
//!   row 1   [  d  ] [  e  ] [  f  ]         mini-rows are possible, and a mini-row stays if one of them leads
//!   row 2   [  g  ] [  h  ] [  i  ]         through it. The same for mini-columns of a stack.
//! ```
//!
//! That is full consistency of one digit in a band, and it makes everything else cheap:
//!
//! * a naked single need only clear its *box*: its mini-row is then the only one left in the box, so the
//!   permutations clear the rest of the row, and its mini-column the rest of the column;
//! * a digit with one place in a row stands in one mini-row, which is then the only one of its box: hidden singles
//!   need only be looked for in *boxes*, where they are those with one mini-row and one mini-column;
//! * a digit nowhere in a house, or twice in a row or column, leaves no permutation: one test finds these
//!   contradictions, and a lane whose cells are all single and that has a permutation everywhere is solved: each
//!   box has every digit at least once, so exactly once, and so do the rows and columns;
//! * a digit that is single twice in a box need only be looked for before a lane may branch. (Whether the second
//!   cell is cleared or becomes single depends on what ran first: without this test, so would the search.)

use super::counts;
use super::state::{Matrix, State, Triads};
use crate::simd::{Kernel, Vector};

/// Some passes, the last of which looks for change and counts triads.
pub(super) struct Propagate<'a, V> {
    pub(super) state: &'a mut State<V>,
    pub(super) passes: usize,
}

impl<V: Vector> Kernel<V> for Propagate<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let state = self.state;
        let ones = V::splat(state.single[0], u64::MAX);
        let mut alive = ones;
        let mut changed = ones.and_not(ones);
        for _ in 1..self.passes {
            cells::<V, false>(state, &mut alive, &mut changed);
            let mut triads = [[ones; 9]; 6];
            for digit in 0..9 {
                places::<V, false>(&state.candidates[digit], &state.single, &mut triads, &mut alive);
                let x = &mut state.candidates[digit];
                keep::<V, false>(x, &mut state.spread, digit, &triads, &mut changed);
            }
        }
        cells::<V, true>(state, &mut alive, &mut changed);
        for digit in 0..9 {
            places::<V, true>(&state.candidates[digit], &state.single, &mut state.triads[digit], &mut alive);
        }
        counts::restrict(&mut state.triads, &mut alive);
        for digit in 0..9 {
            let x = &mut state.candidates[digit];
            keep::<V, true>(x, &mut state.spread, digit, &state.triads[digit], &mut changed);
        }
        let mut solved = alive;
        for cell in 0..81 {
            solved = solved.and(state.single[cell]);
        }
        state.verdict.alive = alive;
        state.verdict.solved = solved;
        state.verdict.changed = changed;
    }
}

/// The part by cells.
#[inline(always)]
fn cells<V: Vector, const WATCH: bool>(state: &mut State<V>, alive: &mut V, changed: &mut V) {
    for row in 0..9 {
        for column in 0..9 {
            let cell = 9 * row + column;
            let spread = &state.spread[row / 3 * 3 + column / 3];
            let mut x = [*alive; 9];
            for digit in 0..9 {
                x[digit] = state.candidates[digit][cell];
            }
            let mut hidden = x[0].and_not(spread[0]);
            for digit in 1..9 {
                hidden = hidden.or_and_not(x[digit], spread[digit]);
            }
            for digit in 0..9 {
                let left = x[digit].and_nand(hidden, spread[digit]);
                if WATCH {
                    *changed = changed.or_and_not(x[digit], left);
                }
                x[digit] = left;
                state.candidates[digit][cell] = left;
            }
            let (one, two) = one_and_two(&x);
            state.single[cell] = one.and_not(two);
            *alive = alive.and(one).and_nand(hidden, two);
        }
    }
}

/// Whether at least one, and at least two, of nine.
#[inline(always)]
fn one_and_two<V: Vector>(x: &[V; 9]) -> (V, V) {
    let (a, b, c) = (x[0].or3(x[1], x[2]), x[3].or3(x[4], x[5]), x[6].or3(x[7], x[8]));
    let twos = x[0].majority(x[1], x[2]).or3(x[3].majority(x[4], x[5]), x[6].majority(x[7], x[8]));
    (a.or3(b, c), twos.or(a.majority(b, c)))
}

/// The mini-rows and mini-columns that a digit's permutations lead through, naked singles taken into account.
#[inline(always)]
fn places<V: Vector, const WATCH: bool>(
    x: &[V; 81],
    single: &[V; 81],
    triads: &mut Triads<V>,
    alive: &mut V,
) {
    for band in 0..3 {
        for stack in 0..3 {
            let corner = 27 * band + 3 * stack;
            let mut y = [*alive; 9];
            let mut naked = [*alive; 9];
            for row in 0..3 {
                for column in 0..3 {
                    let cell = corner + 9 * row + column;
                    y[3 * row + column] = x[cell];
                    naked[3 * row + column] = x[cell].and(single[cell]);
                }
            }
            let (any, twice) = one_and_two(&naked);
            if WATCH {
                *alive = alive.and_not(twice);
            }
            for row in 0..3 {
                for column in 0..3 {
                    let cell = corner + 9 * row + column;
                    y[3 * row + column] = y[3 * row + column].and_unless(any, single[cell]);
                }
            }
            for line in 0..3 {
                triads[band][3 * line + stack] = y[3 * line].or3(y[3 * line + 1], y[3 * line + 2]);
                triads[3 + stack][3 * line + band] = y[line].or3(y[3 + line], y[6 + line]);
            }
        }
    }
    for matrix in 0..6 {
        *alive = alive.and(permutations(&mut triads[matrix]));
    }
}

/// Leaves what permutations lead through; says whether there is one.
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

/// The six permutations of a matrix: columns of the rows 012, 021, 102, 120, 201, 210.
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

/// Takes a digit out of the mini-rows and mini-columns that are no longer possible, and notes the boxes in which
/// it has two of either left.
///
/// A hidden single not yet put into its cell is a change like any other.
#[inline(always)]
fn keep<V: Vector, const WATCH: bool>(
    x: &mut [V; 81],
    spread: &mut [[V; 9]; 9],
    digit: usize,
    triads: &Triads<V>,
    changed: &mut V,
) {
    for band in 0..3 {
        for stack in 0..3 {
            let mut rows = [*changed; 3];
            let mut columns = [*changed; 3];
            for line in 0..3 {
                rows[line] = triads[band][3 * line + stack];
                columns[line] = triads[3 + stack][3 * line + band];
            }
            let spread = &mut spread[3 * band + stack][digit];
            let left = rows[0].majority(rows[1], rows[2]).or(columns[0].majority(columns[1], columns[2]));
            if WATCH {
                *changed = changed.or_and_not(*spread, left);
            }
            *spread = left;
            let corner = 27 * band + 3 * stack;
            for row in 0..3 {
                for column in 0..3 {
                    let cell = &mut x[corner + 9 * row + column];
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
