//! Tables of the houses and peers of a 9x9 grid.
//!
//! Houses 0 to 8 are the boxes, 9 to 17 the columns, and 18 to 26 the rows. Sudoku Explainer searches the
//! houses in this order for singles and sets. The nine cells of a house are its places 0 to 8. Places run row
//! by row in a box, from the top in a column, and from the left in a row.

use quadrille_model::bits::Bits;

/// The bit of each cell. This is a table because shifts of 128 bits take ten instructions.
pub(super) static BITS: [u128; 81] = {
    let mut bits = [0; 81];
    let mut cell = 0;
    while cell < 81 {
        bits[cell] = 1 << cell;
        cell += 1;
    }
    bits
};

/// Index of the first box. `COLUMNS` and `ROWS` are the indices of the first column and the first row.
pub(super) const BOXES: usize = 0;
pub(super) const COLUMNS: usize = 9;
pub(super) const ROWS: usize = 18;

/// Set of all nine digits of a cell, or of all nine places of a house.
pub(super) const ALL: u16 = 0x1ff;

/// The cells of each house, in the order of their places in the house.
pub(super) static CELLS: [[u8; 9]; 27] = {
    let mut cells = [[0; 9]; 27];
    let mut number = 0;
    while number < 9 {
        let mut place = 0;
        while place < 9 {
            let first = number / 3 * 27 + number % 3 * 3;
            cells[BOXES + number][place] = (first + place / 3 * 9 + place % 3) as u8;
            cells[COLUMNS + number][place] = (place * 9 + number) as u8;
            cells[ROWS + number][place] = (number * 9 + place) as u8;
            place += 1;
        }
        number += 1;
    }
    cells
};

/// The box, column and row of each cell, each paired with the cell's place (its position from 0 to 8) in that
/// house.
pub(super) static HOUSES: [[(u8, u8); 3]; 81] = {
    let mut houses = [[(0, 0); 3]; 81];
    let mut house = 0;
    while house < 27 {
        let mut place = 0;
        while place < 9 {
            houses[CELLS[house][place] as usize][house / 9] = (house as u8, place as u8);
            place += 1;
        }
        house += 1;
    }
    houses
};

/// The three houses of each cell, one bit per house.
pub(super) static HOUSE_BITS: [u32; 81] = {
    let mut bits = [0; 81];
    let mut cell = 0;
    while cell < 81 {
        let [a, b, c] = HOUSES[cell];
        bits[cell] = 1 << a.0 | 1 << b.0 | 1 << c.0;
        cell += 1;
    }
    bits
};

/// The peers of each cell, one bit per cell. These are the other cells in the cell's houses.
pub(super) static PEERS: [u128; 81] = {
    let mut peers = [0; 81];
    let mut cell = 0;
    while cell < 81 {
        let [a, b, c] = HOUSES[cell];
        peers[cell] = (BOARDS[a.0 as usize] | BOARDS[b.0 as usize] | BOARDS[c.0 as usize]) & !BITS[cell];
        cell += 1;
    }
    peers
};

/// The order in which searches for chains, loops and wings visit the types of houses: box, row, column.
pub(super) const CHAIN_ORDER: [usize; 3] = [0, 2, 1];

/// The peers of each cell as a list: first the cells of its box, then the other cells of its row, then the
/// other cells of its column.
///
/// Within each house, the cells are in the order of their places.
pub(super) static PEER_LIST: [[u8; 20]; 81] = {
    let mut list = [[0; 20]; 81];
    let mut cell = 0;
    while cell < 81 {
        let mut seen: u128 = 1 << cell;
        let mut length = 0;
        let mut turn = 0;
        while turn < 3 {
            let house = HOUSES[cell][CHAIN_ORDER[turn]].0 as usize;
            let mut place = 0;
            while place < 9 {
                let peer = CELLS[house][place];
                if seen >> peer & 1 == 0 {
                    seen |= 1 << peer;
                    list[cell][length] = peer;
                    length += 1;
                }
                place += 1;
            }
            turn += 1;
        }
        cell += 1;
    }
    list
};

/// The cells of each house, one bit per cell.
pub(super) static BOARDS: [u128; 27] = {
    let mut boards = [0; 27];
    let mut house = 0;
    while house < 27 {
        let mut place = 0;
        while place < 9 {
            boards[house] |= 1 << CELLS[house][place];
            place += 1;
        }
        house += 1;
    }
    boards
};

/// Number of set bits in each nine-bit value.
///
/// This is a table because some target processors cannot count bits.
static ONES: [u8; 512] = {
    let mut ones = [0; 512];
    let mut set = 1;
    while set < 512 {
        ones[set] = ones[set >> 1] + (set & 1) as u8;
        set += 1;
    }
    ones
};

/// Returns the number of set bits among the lowest nine bits.
pub(super) fn ones(set: u16) -> usize {
    usize::from(ONES[usize::from(set & ALL)])
}

/// Returns true if a set of cells has at least two cells.
pub(super) const fn has_two(board: u128) -> bool {
    board & board.wrapping_sub(1) != 0
}

/// Returns true if exactly one bit is set.
pub(super) const fn is_one(set: u16) -> bool {
    set.is_power_of_two()
}

/// Returns the cells at some places of a house, one bit per cell.
pub(super) fn board_of(house: usize, places: u16) -> u128 {
    Bits(places).fold(0, |board, place| board | BITS[usize::from(CELLS[house][place])])
}

/// Returns the houses that contain both cells, in [`CHAIN_ORDER`], with the places of the two cells.
pub(super) fn shared_houses(one: usize, other: usize) -> impl Iterator<Item = (usize, u16)> {
    let houses = CHAIN_ORDER.into_iter().map(move |kind| (HOUSES[one][kind], HOUSES[other][kind]));
    houses
        .filter(|((house, _), (of_other, _))| house == of_other)
        .map(|((house, place), (_, other_place))| (usize::from(house), 1 << place | 1 << other_place))
}

/// Stands for the absence of a number.
pub(super) const NONE: u16 = u16::MAX;

/// A number for each candidate, by cell and digit. At first, there are no numbers.
pub(super) struct PerCandidate(pub(super) [[u16; 9]; 81]);

impl Default for PerCandidate {
    fn default() -> Self {
        PerCandidate([[NONE; 9]; 81])
    }
}
