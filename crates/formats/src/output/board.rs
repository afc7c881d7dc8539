//! Draws packings, which are solutions of an exact cover problem whose items are the cells of a board.

use std::collections::BTreeSet;

use quadrille_model::CoverProblem;

/// Layer, row and column of a cell, as written in the name of an item.
type Cell = [u32; 3];

/// Ways to read the name of an item as a cell, in order of preference.
const NAMINGS: [fn(&str) -> Option<Cell>; 3] = [in_plane, in_space, separated];

/// Maximum number of board positions per covered cell.
///
/// A board with more positions than that is not drawn, because its cells are too far apart.
const PLACES_A_CELL: u64 = 8;

/// Signs for options, used if the names of the options do not provide distinct signs.
const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Returns the coordinate that a character represents (0 to 9, a to z, A to Z), or `None` for any other
/// character.
fn coordinate(sign: u8) -> Option<u32> {
    match sign {
        b'0'..=b'9' => Some(u32::from(sign - b'0')),
        b'a'..=b'z' => Some(u32::from(sign - b'a') + 10),
        b'A'..=b'Z' => Some(u32::from(sign - b'A') + 36),
        _ => None,
    }
}

/// Reads a name with a row and a column, each written as one character.
fn in_plane(name: &str) -> Option<Cell> {
    let &[row, column] = name.as_bytes() else { return None };
    Some([0, coordinate(row)?, coordinate(column)?])
}

/// Reads a name with a layer, a row and a column, each written as one character.
fn in_space(name: &str) -> Option<Cell> {
    let &[layer, row, column] = name.as_bytes() else { return None };
    Some([coordinate(layer)?, coordinate(row)?, coordinate(column)?])
}

/// Reads a name with two or three numbers separated by commas or dots.
fn separated(name: &str) -> Option<Cell> {
    let numbers: Option<Vec<u32>> = name.split([',', '.']).map(|word| word.parse().ok()).collect();
    match numbers?[..] {
        [row, column] => Some([0, row, column]),
        [layer, row, column] => Some([layer, row, column]),
        _ => None,
    }
}

/// Reads a row or column whose name begins with `letter`, such as `r3` or `c12`.
fn line(name: &str, letter: char) -> Option<u32> {
    let number = name.strip_prefix(letter)?;
    if let [sign] = number.as_bytes() { coordinate(*sign) } else { number.parse().ok() }
}

/// Returns the cell in which a row and a column meet.
///
/// Returns `None` unless exactly one of the names is a row, and exactly one is a column.
fn crossing<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<Cell> {
    let only = |letter: char| {
        let mut lines = names.clone().filter_map(|name| line(name, letter));
        lines.next().filter(|_| lines.next().is_none())
    };
    only('r').zip(only('c')).map(|(row, column)| [0, row, column])
}

/// Returns the cells (layer, row, column) of an option, given the names of its items.
///
/// `items` may also be the name of a grid cell, such as `r1c1`.
pub fn cells_named(items: &str) -> Vec<[u32; 3]> {
    let of_grid = items.find('c').map(|at| items.split_at(at)).filter(|_| !items.contains(' '));
    let cell = match of_grid {
        Some((row, column)) => crossing([row, column].into_iter()),
        None => crossing(items.split(' ')),
    };
    let named = |naming: &fn(&str) -> Option<Cell>| items.split(' ').filter_map(naming).collect();
    let mut all = cell.map(|cell| vec![cell]).into_iter().chain(NAMINGS.iter().map(named));
    all.find(|cells: &Vec<Cell>| !cells.is_empty()).unwrap_or_default()
}

/// Problem whose options cover cells of a board.
struct Board<'a> {
    cover: &'a CoverProblem,
    /// Function that reads the name of an item as a cell. `None` if each cell is named by a row item and a
    /// column item together.
    naming: Option<fn(&str) -> Option<Cell>>,
    cells: BTreeSet<Cell>,
}

impl<'a> Board<'a> {
    /// Returns the board of a problem, or `None` if the items of the problem are not the cells of a board.
    ///
    /// More than half of the items must name cells, and these cells must be close together. Alternatively,
    /// items may name rows and columns. Each option in `options` must then have exactly one row and one
    /// column.
    fn new(cover: &'a CoverProblem, options: &[u32]) -> Option<Self> {
        for naming in NAMINGS {
            let cells: BTreeSet<Cell> =
                (0..cover.items()).filter_map(|item| naming(cover.name(item))).collect();
            let board = Board { cover, naming: Some(naming), cells };
            if 2 * board.cells.len() > cover.items() && board.is_compact() {
                return Some(board);
            }
        }
        let [rows, columns] = ['r', 'c'].map(|letter| -> BTreeSet<u32> {
            (0..cover.items()).filter_map(|item| line(cover.name(item), letter)).collect()
        });
        // At most a third of the positions may have no option. If more positions have none, the names do not
        // mean rows and columns. They may mean a line and a digit of a Latin square, for example.
        if 2 * rows.len() * columns.len() > 3 * cover.options() {
            return None;
        }
        let cells = rows.iter().flat_map(|&row| columns.iter().map(move |&column| [0, row, column]));
        let board = Board { cover, naming: None, cells: cells.collect() };
        let is_placed = |&option: &u32| board.cells_of(option as usize).len() == 1;
        (board.is_compact() && options.iter().all(is_placed)).then_some(board)
    }

    /// Returns the cells that an option covers.
    fn cells_of(&self, option: usize) -> Vec<Cell> {
        let names = || self.cover.option(option).iter().map(|entry| self.cover.name(entry.item as usize));
        match self.naming {
            Some(naming) => names().filter_map(naming).collect(),
            None => crossing(names()).into_iter().collect(),
        }
    }

    /// Returns true if coordinates begin at 0 or 1, and there are enough cells for the size of the board.
    fn is_compact(&self) -> bool {
        let places: u64 = (0..3).map(|axis| u64::from(self.most(axis)) + 1).fold(1, u64::saturating_mul);
        let begins = (0..3).all(|axis| self.cells.iter().any(|cell| cell[axis] <= 1));
        begins && places <= PLACES_A_CELL.saturating_mul(self.cells.len() as u64)
    }

    /// Returns the largest coordinate that any cell of the board has along an axis.
    fn most(&self, axis: usize) -> u32 {
        self.cells.iter().map(|cell| cell[axis]).max().unwrap_or(0)
    }

    /// Returns the sign of an option, or `None` if the names of its items do not provide a sign.
    ///
    /// The sign is the first letter or digit in the name of the first item that is not a cell. If cells are
    /// named by row and column items, the sign is a star.
    fn sign(&self, option: usize) -> Option<u8> {
        let Some(naming) = self.naming else { return Some(b'*') };
        let mut names = self.cover.option(option).iter().map(|entry| self.cover.name(entry.item as usize));
        let name = names.find(|name| naming(name).is_none())?;
        name.bytes().find(u8::is_ascii_alphanumeric)
    }

    /// Returns a sign for each option.
    ///
    /// If the options' own signs are all distinct, these are returned. Otherwise, the options get the
    /// characters of [`SIGNS`] in order.
    fn signs(&self, options: &[usize]) -> Vec<u8> {
        let own: Option<Vec<u8>> = options.iter().map(|&option| self.sign(option)).collect();
        let is_told_apart = |signs: &Vec<u8>| {
            self.naming.is_none() || signs.iter().collect::<BTreeSet<_>>().len() == signs.len()
        };
        own.filter(is_told_apart)
            .unwrap_or_else(|| SIGNS.iter().copied().cycle().take(options.len()).collect())
    }
}

/// Returns the board of a solution as text, or `None` if the solution cannot be drawn as a board.
pub fn board_of(cover: &CoverProblem, options: &[u32]) -> Option<String> {
    let mut text = Vec::new();
    draw(cover, options, &mut text).then(|| String::from_utf8_lossy(&text).into_owned())
}

/// Draws a solution as a board. Empty lines separate layers, and `.` is an uncovered cell.
///
/// Options without a cell follow the board, one per line. Draws nothing and returns false in two cases: the
/// items are not the cells of a board, or two options share a cell and one would hide the other.
pub(super) fn draw(cover: &CoverProblem, options: &[u32], out: &mut Vec<u8>) -> bool {
    let Some(board) = Board::new(cover, options) else { return false };
    let cells_of = |&option: &u32| (option as usize, board.cells_of(option as usize));
    let (placed, others): (Vec<_>, Vec<_>) =
        options.iter().map(cells_of).partition(|(_, cells)| !cells.is_empty());
    let [rows, columns] = [1, 2].map(|axis| board.most(axis) as usize + 1);
    let mut places = vec![b' '; (board.most(0) as usize + 1) * rows * columns];
    let place =
        |[layer, row, column]: Cell| (layer as usize * rows + row as usize) * columns + column as usize;
    board.cells.iter().for_each(|&cell| places[place(cell)] = b'.');
    let signs = board.signs(&placed.iter().map(|(option, _)| *option).collect::<Vec<_>>());
    for ((_, cells), sign) in placed.iter().zip(signs) {
        for &cell in cells {
            let at = &mut places[place(cell)];
            if *at != b'.' {
                return false;
            }
            *at = sign;
        }
    }
    // If coordinates begin at 1, the first row, column or layer is empty and is left out.
    let first = [0, 1, 2].map(|axis| board.cells.iter().map(|cell| cell[axis] as usize).min().unwrap_or(0));
    for (number, layer) in places.chunks(rows * columns).skip(first[0]).enumerate() {
        if number > 0 {
            out.push(b'\n');
        }
        for row in layer.chunks(columns).skip(first[1]) {
            out.extend_from_slice(row[first[2]..].trim_ascii_end());
            out.push(b'\n');
        }
    }
    for (option, _) in others {
        cover.write_option(option, out);
        out.push(b'\n');
    }
    true
}
