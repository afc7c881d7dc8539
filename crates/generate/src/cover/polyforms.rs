//! Regions and shapes made of cells, in the plane and in space. Computes the motions of a shape, and the
//! positions in a region where the shape fits.

use std::collections::BTreeSet;

use super::{code, sides};
use quadrille_model::{Error, Result, usage};

/// A cell: layer, row, column.
pub(super) type Cell = [i32; 3];

/// The kind of motions that may turn a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motions {
    /// Four rotations in the plane, and the same rotations after turning the piece over.
    Plane,
    /// In space: 24 rotations.
    Space,
}

/// A motion that fixes the origin.
///
/// New axis `i` is old axis `axes[i]`, multiplied by a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Motion {
    axes: [usize; 3],
    signs: [i32; 3],
}

impl Motions {
    /// Returns all motions of this kind, starting with the identity.
    pub(super) fn all(self) -> Vec<Motion> {
        // Every second order of the axes is an even permutation, beginning with the first.
        const AXES: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];
        let all = (0..AXES.len()).flat_map(|order| (0..8u32).map(move |bits| (order, bits)));
        let wanted = all.filter(|&(order, bits)| match self {
            Motions::Plane => AXES[order][0] == 0 && bits & 1 == 0,
            // Each change of sign and each odd permutation turns a rotation into a reflection.
            Motions::Space => (order as u32 + bits.count_ones()).is_multiple_of(2),
        });
        let sign = |negative: u32| if negative == 0 { 1 } else { -1 };
        let signs = |bits: u32| std::array::from_fn(|axis| sign(bits >> axis & 1));
        wanted.map(|(order, bits)| Motion { axes: AXES[order], signs: signs(bits) }).collect()
    }
}

impl Motion {
    /// Returns the cells to which the motion moves `cells`, in the same order.
    fn images(self, cells: &[Cell]) -> Vec<Cell> {
        let image = |cell: &Cell| std::array::from_fn(|axis| self.signs[axis] * cell[self.axes[axis]]);
        shifted(cells.iter().map(image).collect())
    }

    /// Applies the motion to the cells. Returns the moved cells in ascending order, shifted so that the
    /// smallest coordinates are 0.
    pub(super) fn apply(self, cells: &[Cell]) -> Vec<Cell> {
        normal(self.images(cells))
    }
}

/// Shifts the cells so that the smallest coordinate on each axis is 0.
fn shifted(mut cells: Vec<Cell>) -> Vec<Cell> {
    let least: Cell = std::array::from_fn(|axis| cells.iter().map(|cell| cell[axis]).min().unwrap_or(0));
    for cell in &mut cells {
        (0..3).for_each(|axis| cell[axis] -= least[axis]);
    }
    cells
}

/// Shifts the cells so that the smallest coordinate on each axis is 0, then sorts them and removes repeats.
pub(super) fn normal(cells: Vec<Cell>) -> Vec<Cell> {
    let mut cells = shifted(cells);
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// A region of cells to fill.
///
/// The cells are in ascending order, and the smallest coordinate on each axis is 0.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) cells: Vec<Cell>,
}

impl Region {
    /// Creates a region that consists of the given cells.
    pub(super) fn new(cells: Vec<Cell>) -> Result<Self> {
        let cells = normal(cells);
        if cells.is_empty() {
            return Err(Error::usage("a shape without cells"));
        }
        Ok(Region { cells })
    }

    /// Creates a box-shaped region.
    pub(super) fn of_box(layers: usize, rows: usize, columns: usize) -> Result<Self> {
        if layers.saturating_mul(rows).saturating_mul(columns) > 1_000_000 {
            return Err(Error::usage("a shape of more than a million cells"));
        }
        let cells = (0..layers * rows * columns).map(|cell| {
            [cell / columns / rows, cell / columns % rows, cell % columns].map(|place| place as i32)
        });
        Region::new(cells.collect())
    }

    /// Parses `AxB`, or `AxB-CxD` (a rectangle with a hole in the middle). Returns `None` for any other text.
    pub(super) fn named(text: &str) -> Option<Result<Self>> {
        let (outer, hole) = text.split_once('-').map_or((text, None), |(outer, hole)| (outer, Some(hole)));
        let (rows, columns) = sides(outer)?;
        let (gap_rows, gap_columns) = hole.map_or(Some((0, 0)), sides)?;
        let fits = |side: usize, gap: usize| gap <= side && (side - gap).is_multiple_of(2);
        if hole.is_some() && !(fits(rows, gap_rows) && fits(columns, gap_columns)) {
            return Some(Err(usage!("{text}: the hole is not in the middle")));
        }
        let inside = |at: i32, side: usize, gap: usize| {
            let first = (side - gap) / 2;
            (first..first + gap).contains(&(at as usize))
        };
        Some(Region::of_box(1, rows, columns).and_then(|mut region| {
            region.cells.retain(|&[_, row, column]| {
                !(inside(row, rows, gap_rows) && inside(column, columns, gap_columns))
            });
            Region::new(region.cells)
        }))
    }

    /// Parses a drawing with one character per cell. The characters `.` and blank are not part of the region.
    pub(super) fn drawn(text: &str) -> Result<Self> {
        let mut cells = Vec::new();
        for (row, line) in (0..).zip(text.lines()) {
            let places = (0..).zip(line.chars());
            let places = places.filter(|(_, symbol)| *symbol != '.' && !symbol.is_whitespace());
            cells.extend(places.map(|(column, _)| [0, row, column]));
        }
        Region::new(cells)
    }

    /// Returns a name for each cell: its layer (if in space), row and column.
    pub(super) fn names(&self, motions: Motions) -> Vec<String> {
        let bound = self.cells.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        let number = |&place: &i32| place as usize;
        let skip = usize::from(motions == Motions::Plane);
        self.cells
            .iter()
            .map(|cell| code(&cell[skip..].iter().map(number).collect::<Vec<_>>(), bound))
            .collect()
    }

    /// Returns the index of a cell in the region, or `None` if the cell is not in the region.
    fn find(&self, cell: Cell) -> Option<u32> {
        self.cells.binary_search(&cell).ok().map(|place| place as u32)
    }

    /// Returns the motions that map the region to itself, except the identity.
    ///
    /// Each motion is a list that contains, for each cell of the region, the index of the cell to which it
    /// moves.
    pub(super) fn symmetries(&self, motions: Motions) -> Vec<Vec<u32>> {
        let images = motions.all().into_iter().skip(1).map(|motion| motion.images(&self.cells));
        // If the motion maps the region to a different region, some moved cell has no index, and `collect`
        // returns `None`.
        images.filter_map(|cells| cells.into_iter().map(|cell| self.find(cell)).collect()).collect()
    }

    /// Returns every position in the region where the shape fits after any of the motions.
    ///
    /// A position is a list of the indices of the cells that the shape fills.
    pub(super) fn places(&self, shape: &[Cell], motions: Motions) -> Vec<Vec<u32>> {
        let positions: BTreeSet<Vec<Cell>> =
            motions.all().into_iter().map(|motion| motion.apply(shape)).collect();
        let mut places = Vec::new();
        for position in &positions {
            let first = position[0];
            // Moves the turned shape so that its first cell, which is also the smallest, is on each cell of
            // the region in turn.
            for corner in &self.cells {
                let moved = position.iter().map(|cell| {
                    self.find(std::array::from_fn(|axis| corner[axis] + cell[axis] - first[axis]))
                });
                places.extend(moved.collect::<Option<Vec<u32>>>());
            }
        }
        places
    }
}

/// Returns each position that is lexicographically smaller than all its images under `symmetries`.
///
/// Returns `None` if a symmetry maps some position to itself. In that case, solutions that are symmetric to
/// each other could have the same position.
pub(super) fn least_images(places: &[Vec<u32>], symmetries: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    let mut least = Vec::new();
    for place in places {
        let images = symmetries.iter().map(|symmetry| {
            let mut image: Vec<u32> = place.iter().map(|&cell| symmetry[cell as usize]).collect();
            image.sort_unstable();
            image
        });
        match images.min() {
            Some(image) if image == *place => return None,
            Some(image) if image < *place => {}
            _ => least.push(place.clone()),
        }
    }
    Some(least)
}
