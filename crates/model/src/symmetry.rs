//! Symmetries of the pattern of cells that have clues.

use crate::Geometry;

/// A symmetry of the pattern of clues. If a cell has a clue, then every image of the cell also has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symmetry {
    /// Half a turn.
    Rotational,
    /// A quarter of a turn.
    Quarter,
    /// Left and right are mirrored.
    Mirror,
    /// Top and bottom are mirrored.
    UpsideDown,
    /// Mirrored at the diagonal that starts at the top left.
    Diagonal,
    /// Mirrored at the diagonal that starts at the top right.
    Antidiagonal,
    /// All of these.
    Full,
}

/// Function that maps the row and column of a cell to the row and column of its image. The third argument is
/// the last index of a row.
type Map = fn(usize, usize, usize) -> (usize, usize);

/// Half a turn, a quarter of a turn and its inverse, then the mirror images: left and right, top and bottom,
/// and at the two diagonals.
static MAPS: [Map; 7] = [
    |row, column, last| (last - row, last - column),
    |row, column, last| (column, last - row),
    |row, column, last| (last - column, row),
    |row, column, last| (row, last - column),
    |row, column, last| (last - row, column),
    |row, column, _| (column, row),
    |row, column, last| (last - column, last - row),
];

impl Symmetry {
    /// All symmetries. Each entry is a name, a description and the symmetry.
    pub const ALL: [(&str, &str, Symmetry); 7] = [
        ("rotational", "half a turn, as most printed puzzles have", Symmetry::Rotational),
        ("quarter", "a quarter of a turn", Symmetry::Quarter),
        ("mirror", "left and right mirrored", Symmetry::Mirror),
        ("upside-down", "top and bottom mirrored", Symmetry::UpsideDown),
        ("diagonal", "mirrored at the diagonal from the top left", Symmetry::Diagonal),
        ("antidiagonal", "mirrored at the diagonal from the top right", Symmetry::Antidiagonal),
        ("full", "all of these", Symmetry::Full),
    ];

    /// Returns all maps of the symmetry, except the identity.
    fn maps(self) -> &'static [Map] {
        &MAPS[match self {
            Symmetry::Rotational => 0..1,
            Symmetry::Quarter => 0..3,
            Symmetry::Mirror => 3..4,
            Symmetry::UpsideDown => 4..5,
            Symmetry::Diagonal => 5..6,
            Symmetry::Antidiagonal => 6..7,
            Symmetry::Full => 0..7,
        }]
    }

    /// Returns the pairs of cells that must both have a clue or both have none.
    ///
    /// Each pair consists of a cell and its image in a grid of side length `side`.
    pub fn pairs(self, side: usize) -> Vec<(usize, usize)> {
        let cells = || (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
        let of_map = |map: &Map| {
            let map = *map;
            cells().map(move |(row, column)| ((row, column), map(row, column, side - 1)))
        };
        let number = |(row, column)| row * side + column;
        let pairs = self.maps().iter().flat_map(of_map).map(|(cell, image)| (number(cell), number(image)));
        // For each map, the inverse is also one of the maps. So each pair occurs in both orders, and one of
        // them is dropped.
        pairs.filter(|(cell, image)| cell < image).collect()
    }

    /// Appends a cell and its images in a grid of side length `side`. Each cell is appended once.
    pub fn add_images(self, side: usize, cell: usize, images: &mut Vec<usize>) {
        images.push(cell);
        for map in self.maps() {
            let (row, column) = map(cell / side, cell % side, side - 1);
            if !images.contains(&(row * side + column)) {
                images.push(row * side + column);
            }
        }
    }

    /// Returns one flag per number of clues: true if some symmetric pattern has this number of clues.
    pub fn possible_numbers(self, geometry: &Geometry) -> Vec<bool> {
        let mut possible = vec![false; geometry.cells() + 1];
        possible[0] = true;
        let mut images = Vec::new();
        for cell in 0..geometry.cells() {
            images.clear();
            self.add_images(geometry.side(), cell, &mut images);
            if images.iter().all(|&image| image >= cell) {
                for number in (images.len()..possible.len()).rev() {
                    possible[number] |= possible[number - images.len()];
                }
            }
        }
        possible
    }
}
