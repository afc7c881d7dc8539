//! Propagates the places of nine digits side by side.
//!
//! The deductions, until nothing changes:
//!
//! ```text
//! houses     a cell without digits and a house without a place for a digit are contradictions;
//!            a digit alone in its cell or in a house is removed from the other cells of the cell's houses,
//!            and the cell loses its other digits;
//!            if all places of a digit in one house are in another, the digit is removed from the rest of that
//! neighbours a digit that fits next to no digit of a cell is removed from the neighbours of the cell;
//!            if all places of a digit in a house are a cell or its neighbours, the cell loses the digits
//!            that do not fit next to this digit
//! ```
//! These are the rules of [`places`](super::super::places). Their final state does not depend on the order, so both
//! searches have the same tree. The search there checks only items that have lost a place; this search checks the
//! whole grid, in three registers of AVX-512 (six of AVX2).
//!
//! Three cells of a row within a box are a triad. In this file `cells` are the places of a digit in a band, and the
//! doc of a function says which cells it returns for them. The functions contain neither closures nor loops over
//! bands, because the compiler would leave those as calls and in memory.

use quadrille_model::bits::Bits;
use quadrille_model::simd::{Bytes, Numbers, ROW, WordKernel, Words};

/// Number of digits of a grid.
pub(super) const DIGITS: usize = 9;
/// Number of cells of a band.
pub(super) const BAND: usize = 27;
/// All cells of a band, one bit per cell.
const ALL: u32 = (1 << BAND) - 1;

/// The places by band and digit, one bit per cell of the band. Entries after the ninth are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct DigitPlaces(pub(super) [[u32; ROW]; 3]);

impl DigitPlaces {
    /// No places.
    pub(super) const NONE: Self = DigitPlaces([[0; ROW]; 3]);
}

/// One related digit, or none, for each of the nine digits side by side.
#[derive(Debug)]
struct Related {
    digits: [u32; ROW],
    /// All ones for digits that have a related digit, zero for others.
    are_there: [u32; ROW],
}

/// Transposes one set per digit: the first digit of every set, then the second of every set, and so on.
fn related(sets: [u32; DIGITS]) -> Vec<Related> {
    let most = sets.iter().map(|set| set.count_ones()).max().unwrap_or(0);
    let nth_of_each = |number: usize| {
        let mut nth = Related { digits: [0; ROW], are_there: [0; ROW] };
        for (digit, &set) in sets.iter().enumerate() {
            if let Some(other) = Bits(set).nth(number) {
                (nth.digits[digit], nth.are_there[digit]) = (other as u32, u32::MAX);
            }
        }
        nth
    };
    (0..most as usize).map(nth_of_each).collect()
}

/// The digits that may be next to each digit.
#[derive(Debug)]
pub(super) struct AllowedNeighbours {
    allowed: Vec<Related>,
    /// The digits that cannot be next to each digit, without the digit itself, which no house has twice.
    barred: Vec<Related>,
}

impl AllowedNeighbours {
    /// Creates the table. `allowed` has the digits that may be next to each digit, without the digit itself.
    pub(super) fn new(allowed: &[u32; DIGITS]) -> Self {
        let barred = std::array::from_fn(|digit| !allowed[digit] & !(1 << digit) & ((1 << DIGITS) - 1));
        AllowedNeighbours { allowed: related(*allowed), barred: related(barred) }
    }
}

/// The outcome of propagation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Propagated {
    Contradiction,
    Open,
    /// Each cell has one digit.
    Solved,
}

/// Propagates places until nothing changes.
pub(super) struct Propagate<'a> {
    pub(super) places: &'a mut DigitPlaces,
    pub(super) beside: &'a AllowedNeighbours,
}

impl WordKernel for Propagate<'_> {
    type Output = Propagated;

    #[inline(always)]
    fn run<I: Words + Bytes + Numbers>(self, isa: I) -> Propagated {
        propagate(isa, self.places, self.beside)
    }
}

/// One row of numbers per band.
type Bands<I> = [<I as Numbers>::Row; 3];

#[inline(always)]
fn propagate<I: Numbers>(isa: I, places: &mut DigitPlaces, beside: &AllowedNeighbours) -> Propagated {
    let DigitPlaces([first, second, third]) = &mut *places;
    let mut bands = [isa.load(first), isa.load(second), isa.load(third)];
    // True if neighbours have been checked since a place was last removed.
    let mut is_settled = false;
    loop {
        let Houses { lost, lacking, open } = houses(isa, &bands);
        if !isa.is_zero(lacking) {
            return Propagated::Contradiction;
        }
        let before = bands;
        bands = without(isa, &bands, &lost);
        let is_same = are_same(isa, &before, &bands);
        if !(is_same && is_settled) {
            let before = bands;
            bands = without(isa, &bands, &barred_by_neighbours(isa, &bands, beside));
            is_settled = are_same(isa, &before, &bands);
        }
        if is_same && is_settled {
            isa.store(bands[0], first);
            isa.store(bands[1], second);
            isa.store(bands[2], third);
            return if isa.is_zero(open) { Propagated::Solved } else { Propagated::Open };
        }
    }
}

/// Returns true if no candidate of `before` is missing in `after`.
#[inline(always)]
fn are_same<I: Numbers>(isa: I, before: &Bands<I>, after: &Bands<I>) -> bool {
    let lost = without(isa, before, after);
    isa.is_zero(isa.or(isa.or(lost[0], lost[1]), lost[2]))
}

#[inline(always)]
fn without<I: Numbers>(isa: I, bands: &Bands<I>, lost: &Bands<I>) -> Bands<I> {
    [isa.and_not(bands[0], lost[0]), isa.and_not(bands[1], lost[1]), isa.and_not(bands[2], lost[2])]
}

/// Repeats the cells of a row in each row of a band.
const fn in_rows(cells: u32) -> u32 {
    cells | cells << 9 | cells << 18
}

/// The first cells of triads, and their last cells.
const FIRST: u32 = in_rows(0b001_001_001);
const LAST: u32 = in_rows(0b100_100_100);

/// Returns a row with all cells of a band for each digit.
#[inline(always)]
fn every_cell<I: Numbers>(isa: I) -> I::Row {
    const CELLS: [u32; ROW] = {
        let mut cells = [0; ROW];
        let mut digit = 0;
        while digit < DIGITS {
            cells[digit] = ALL;
            digit += 1;
        }
        cells
    };
    isa.load(&CELLS)
}

/// Returns the cells two places away in the same triad.
#[inline(always)]
fn far_in_triad<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    let (first, last) = (isa.splat(FIRST), isa.splat(LAST));
    isa.or(isa.left::<2>(isa.and(cells, first)), isa.right::<2>(isa.and(cells, last)))
}

/// Returns the other cells of the same triads.
#[inline(always)]
fn in_triad<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    let (first, last) = (isa.splat(FIRST), isa.splat(LAST));
    let near = isa.or(isa.left::<1>(isa.and_not(cells, last)), isa.right::<1>(isa.and_not(cells, first)));
    isa.or(near, far_in_triad(isa, cells))
}

/// Returns the cells that are at the given places of their rows.
#[inline(always)]
fn at<I: Numbers>(isa: I, cells: I::Row, places: u32) -> I::Row {
    isa.and(cells, isa.splat(in_rows(places)))
}

/// Returns the other triads of the same rows; `triads` must be whole triads.
#[inline(always)]
fn in_row<I: Numbers>(isa: I, triads: I::Row) -> I::Row {
    let behind =
        isa.or(at(isa, isa.left::<3>(triads), 0b111_111_000), at(isa, isa.left::<6>(triads), 0b111_000_000));
    let before = isa
        .or(at(isa, isa.right::<3>(triads), 0b000_111_111), at(isa, isa.right::<6>(triads), 0b000_000_111));
    isa.or(behind, before)
}

/// Returns the cells of the other two rows of the band in the same columns.
#[inline(always)]
fn in_column<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    let below = isa.or(isa.left::<9>(cells), isa.left::<18>(cells));
    let above = isa.or(isa.right::<9>(cells), isa.right::<18>(cells));
    isa.or(isa.and(below, isa.splat(ALL)), above)
}

/// Returns the whole columns of the band that have a place.
#[inline(always)]
fn columns<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    isa.or(cells, in_column(isa, cells))
}

/// Returns the neighbours within the band.
#[inline(always)]
fn in_band<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    let right = at(isa, isa.left::<1>(cells), 0b111_111_110);
    let left = at(isa, isa.right::<1>(cells), 0b011_111_111);
    let below = isa.and(isa.left::<9>(cells), isa.splat(ALL));
    isa.or(isa.or(right, left), isa.or(below, isa.right::<9>(cells)))
}

/// Returns the neighbours of cells: left, right, above and below.
#[inline(always)]
fn neighbours<I: Numbers>(isa: I, bands: &Bands<I>) -> Bands<I> {
    let all = isa.splat(ALL);
    let [first, second, third] = *bands;
    let below = [isa.right::<18>(first), isa.right::<18>(second)];
    let above = [isa.and(isa.left::<18>(second), all), isa.and(isa.left::<18>(third), all)];
    [
        isa.or(in_band(isa, first), above[0]),
        isa.or(in_band(isa, second), isa.or(below[0], above[1])),
        isa.or(in_band(isa, third), below[1]),
    ]
}

/// Returns, for each digit, the union of the cells of all other digits.
#[inline(always)]
fn of_others<I: Numbers>(isa: I, row: I::Row) -> I::Row {
    // For each place, unites the numbers 1 to 8 places after it and those 8 to 15 places after it: all of the sixteen
    // except its own. The last seven of the sixteen are empty.
    let two = isa.or(row, isa.rotate_lanes::<1>(row));
    let four = isa.or(two, isa.rotate_lanes::<2>(two));
    let eight = isa.or(four, isa.rotate_lanes::<4>(four));
    isa.or(isa.rotate_lanes::<1>(eight), isa.rotate_lanes::<8>(eight))
}

/// Returns, for each digit, the union of the cells of the related digits.
#[inline(always)]
fn of_related<I: Numbers>(isa: I, bands: &Bands<I>, related: &[Related]) -> Bands<I> {
    let [mut first, mut second, mut third] = [isa.splat(0); 3];
    for Related { digits, are_there } in related {
        let (digits, are_there) = (isa.load(digits), isa.load(are_there));
        first = isa.or(first, isa.and(isa.permute(bands[0], digits), are_there));
        second = isa.or(second, isa.and(isa.permute(bands[1], digits), are_there));
        third = isa.or(third, isa.and(isa.permute(bands[2], digits), are_there));
    }
    [first, second, third]
}

/// The deductions from all houses.
struct Houses<I: Numbers> {
    /// Places to remove.
    lost: Bands<I>,
    /// Bits of cells without a digit and of houses without a place.
    lacking: I::Row,
    /// Places in cells that allow other digits too.
    open: I::Row,
}

#[inline(always)]
fn houses<I: Numbers>(isa: I, bands: &Bands<I>) -> Houses<I> {
    let stacked = [columns(isa, bands[0]), columns(isa, bands[1]), columns(isa, bands[2])];
    // There is no loop here because it would move the registers through memory.
    let first = houses_of_band(isa, bands[0], stacked[0], isa.or(stacked[1], stacked[2]));
    let second = houses_of_band(isa, bands[1], stacked[1], isa.or(stacked[0], stacked[2]));
    let third = houses_of_band(isa, bands[2], stacked[2], isa.or(stacked[0], stacked[1]));
    Houses {
        lost: [
            isa.or(first.lost, isa.or(second.lost_elsewhere, third.lost_elsewhere)),
            isa.or(second.lost, isa.or(first.lost_elsewhere, third.lost_elsewhere)),
            isa.or(third.lost, isa.or(first.lost_elsewhere, second.lost_elsewhere)),
        ],
        lacking: isa.or(first.lacking, isa.or(second.lacking, third.lacking)),
        open: isa.or(first.open, isa.or(second.open, third.open)),
    }
}

/// The deductions from the houses of a band.
struct HousesOfBand<I: Numbers> {
    lost: I::Row,
    /// Places to remove in each of the other bands.
    lost_elsewhere: I::Row,
    lacking: I::Row,
    open: I::Row,
}

/// Computes the deductions from the houses of a band.
///
/// `stacked` has the whole columns with places in the band, and `elsewhere_in_column` those with places in
/// other bands.
#[inline(always)]
fn houses_of_band<I: Numbers>(
    isa: I,
    cells: I::Row,
    stacked: I::Row,
    elsewhere_in_column: I::Row,
) -> HousesOfBand<I> {
    let others = of_others(isa, cells);
    // Further places: in the triad, in the row outside of the triad, in the box outside of the triad.
    let beside = in_triad(isa, cells);
    let triads = isa.or(cells, beside);
    let elsewhere_in_row = in_row(isa, triads);
    let elsewhere_in_box = in_column(isa, triads);
    let elsewhere = isa.and(elsewhere_in_row, elsewhere_in_box);
    let has_all = isa
        .and(isa.and(isa.or(cells, others), isa.or(triads, elsewhere)), isa.or(stacked, elsewhere_in_column));
    let is_one_of_several = isa
        .and(isa.and(others, isa.or(beside, elsewhere)), isa.or(in_column(isa, cells), elsewhere_in_column));
    let only = isa.and_not(cells, is_one_of_several);
    let beside_only = in_triad(isa, only);
    let triads_of_only = isa.or(only, beside_only);
    // Triads with all places of their box, and triads with all places of their row.
    let of_box = isa.or(triads_of_only, isa.and_not(triads, elsewhere_in_box));
    let of_row = isa.or(triads_of_only, isa.and_not(triads, elsewhere_in_row));
    let lost = isa.or(beside_only, isa.or(in_row(isa, of_box), in_column(isa, of_row)));
    // The same deductions for columns within the band.
    let columns_of_only = isa.or(only, in_column(isa, only));
    let of_column = isa.and_not(stacked, elsewhere_in_column);
    HousesOfBand {
        lost: isa.or(lost, isa.or(of_others(isa, only), in_triad(isa, of_column))),
        lost_elsewhere: isa.or(columns_of_only, isa.and_not(stacked, in_triad(isa, stacked))),
        lacking: isa.and_not(every_cell(isa), has_all),
        open: isa.and(cells, others),
    }
}

/// Returns the places to remove because of the digits of neighbours.
#[inline(always)]
fn barred_by_neighbours<I: Numbers>(isa: I, bands: &Bands<I>, beside: &AllowedNeighbours) -> Bands<I> {
    let all = every_cell(isa);
    // If a cell has no digit that may be next to some digit, its neighbours lose that digit.
    let open = of_related(isa, bands, &beside.allowed);
    let next_to = neighbours(isa, &without(isa, &[all; 3], &open));
    let near = without(isa, &[all; 3], &places_far_off(isa, bands));
    let here = of_related(isa, &near, &beside.barred);
    [isa.or(next_to[0], here[0]), isa.or(next_to[1], here[1]), isa.or(next_to[2], here[2])]
}

/// Returns the cells whose houses each have a place that is neither the cell itself nor its neighbour.
#[inline(always)]
fn places_far_off<I: Numbers>(isa: I, bands: &Bands<I>) -> Bands<I> {
    let in_columns = far_in_columns(isa, bands);
    let within = [
        isa.and(far_in_row(isa, bands[0]), far_in_box(isa, bands[0])),
        isa.and(far_in_row(isa, bands[1]), far_in_box(isa, bands[1])),
        isa.and(far_in_row(isa, bands[2]), far_in_box(isa, bands[2])),
    ];
    [isa.and(within[0], in_columns[0]), isa.and(within[1], in_columns[1]), isa.and(within[2], in_columns[2])]
}

/// Returns the cells with a place in their row at least two cells away.
#[inline(always)]
fn far_in_row<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    // Cells with a place at the cell or after it in their row, looking at two, four and then all cells.
    let behind = isa.or(cells, at(isa, isa.right::<1>(cells), 0x0ff));
    let behind = isa.or(behind, at(isa, isa.right::<2>(behind), 0x07f));
    let behind = isa.or(behind, at(isa, isa.right::<4>(behind), 0x01f));
    let before = isa.or(cells, at(isa, isa.left::<1>(cells), 0x1fe));
    let before = isa.or(before, at(isa, isa.left::<2>(before), 0x1fc));
    let before = isa.or(before, at(isa, isa.left::<4>(before), 0x1f0));
    isa.or(at(isa, isa.right::<2>(behind), 0x07f), at(isa, isa.left::<2>(before), 0x1fc))
}

/// Returns the cells with a place in their box that is neither the cell nor its neighbour.
#[inline(always)]
fn far_in_box<I: Numbers>(isa: I, cells: I::Row) -> I::Row {
    let far = far_in_triad(isa, cells);
    let beside = in_triad(isa, cells);
    let triads = isa.or(cells, beside);
    let one_row_off = isa.or(isa.left::<9>(beside), isa.right::<9>(beside));
    let two_rows_off = isa.or(isa.left::<18>(triads), isa.right::<18>(triads));
    isa.or(far, isa.or(one_row_off, two_rows_off))
}

/// Returns the cells with a place in their column at least two rows away.
#[inline(always)]
fn far_in_columns<I: Numbers>(isa: I, bands: &Bands<I>) -> Bands<I> {
    let [one, two, three] = *bands;
    let stacked = [columns(isa, one), columns(isa, two), columns(isa, three)];
    // Within each band: cells of the first row that have a place in the last row, and the reverse.
    let down = [isa.right::<18>(one), isa.right::<18>(two), isa.right::<18>(three)];
    let up = [isa.left::<18>(one), isa.left::<18>(two), isa.left::<18>(three)];
    // For cells of the next band's first row: a place in the first two rows here. For cells of the previous band's last
    // row: a place in the last two rows here.
    let above = [isa.or(one, isa.right::<9>(one)), isa.or(two, isa.right::<9>(two))];
    let below = [isa.or(two, isa.left::<9>(two)), isa.or(three, isa.left::<9>(three))];
    let in_others =
        [isa.or(stacked[1], stacked[2]), isa.or(stacked[0], stacked[2]), isa.or(stacked[0], stacked[1])];
    let first_band =
        [isa.or(down[0], in_others[0]), in_others[0], isa.or(up[0], isa.or(below[0], stacked[2]))];
    let second_band = [
        isa.or(down[1], isa.or(above[0], stacked[2])),
        in_others[1],
        isa.or(up[1], isa.or(below[1], stacked[0])),
    ];
    let third_band =
        [isa.or(down[2], isa.or(above[1], stacked[0])), in_others[2], isa.or(up[2], in_others[2])];
    [by_row(isa, &first_band), by_row(isa, &second_band), by_row(isa, &third_band)]
}

/// Combines the first row of the first number, the second row of the second and the third row of the third.
#[inline(always)]
fn by_row<I: Numbers>(isa: I, rows: &[I::Row; 3]) -> I::Row {
    let first = isa.and(rows[0], isa.splat(0x1ff));
    let second = isa.and(rows[1], isa.splat(0x1ff << 9));
    isa.or(first, isa.or(second, isa.and(rows[2], isa.splat(0x1ff << 18))))
}
