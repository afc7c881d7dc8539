//! The tables of a geometry that propagation uses. They are flat lists, built once per geometry.

use std::sync::Arc;

use quadrille_model::Geometry;

/// The place of a cell in one of its houses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HousePosition {
    /// Index of the house times the side length. This is the index of the word for the house's first digit.
    pub(crate) base: u32,
    /// The cell's bit among the places of the house.
    pub(crate) bit: u64,
}

/// The common cells of two houses that share at least two cells, seen from one of the houses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Intersection {
    /// The shared cells, as bits among the places of this house.
    pub(crate) here: u64,
    /// Index of the other house times the side length.
    pub(crate) other: u32,
    /// The shared cells, as bits among the places of the other house.
    pub(crate) there: u64,
}

/// The tables of one geometry.
#[derive(Debug)]
pub(crate) struct GeometryTables {
    geometry: Arc<Geometry>,
    /// Number of digits, which is also the number of cells per house.
    pub(crate) side: usize,
    /// Number of cells of the grid.
    pub(crate) cells: usize,
    /// Number of houses.
    pub(crate) houses: usize,
    /// The cell at each place of each house, at index `house * side + place`.
    cell_at: Vec<u16>,
    /// Positions of the cells in their houses. The positions of cell `c` begin at `position_starts[c]`.
    positions: Vec<HousePosition>,
    /// For each cell, the index of its first position in `positions`. The last element is the length of
    /// `positions`.
    position_starts: Vec<u32>,
    /// Intersections of the houses. The intersections of house `h` begin at `intersection_starts[h]`.
    intersections: Vec<Intersection>,
    /// For each house, the index of its first intersection in `intersections`. The last element is the length
    /// of the list.
    intersection_starts: Vec<u32>,
}

impl GeometryTables {
    /// Creates the tables of a geometry.
    pub(crate) fn new(geometry: &Arc<Geometry>) -> Self {
        let (side, cells, houses) = (geometry.side(), geometry.cells(), geometry.houses().len());
        let cell_at = geometry.houses().iter().flat_map(|house| house.cells.iter().copied()).collect();
        let place = |house: usize, cell: u16| geometry.houses()[house].cells.binary_search(&cell).ok();
        let (mut positions, mut position_starts) = (Vec::new(), vec![0]);
        for cell in 0..cells {
            for &house in geometry.houses_of(cell) {
                if let Some(place) = place(house as usize, cell as u16) {
                    positions.push(HousePosition { base: u32::from(house) * side as u32, bit: 1 << place });
                }
            }
            position_starts.push(positions.len() as u32);
        }
        let (mut intersections, mut intersection_starts) = (Vec::new(), vec![0]);
        for house in 0..houses {
            let mut shared = vec![(0u64, 0u64); houses];
            for (here, &cell) in geometry.houses()[house].cells.iter().enumerate() {
                for &other in geometry.houses_of(cell as usize) {
                    if let Some(there) = place(other as usize, cell) {
                        shared[other as usize].0 |= 1 << here;
                        shared[other as usize].1 |= 1 << there;
                    }
                }
            }
            for (other, (here, there)) in shared.into_iter().enumerate() {
                if other != house && here.count_ones() >= 2 {
                    intersections.push(Intersection { here, other: (other * side) as u32, there });
                }
            }
            intersection_starts.push(intersections.len() as u32);
        }
        let geometry = Arc::clone(geometry);
        GeometryTables {
            geometry,
            side,
            cells,
            houses,
            cell_at,
            positions,
            position_starts,
            intersections,
            intersection_starts,
        }
    }

    /// Returns the tables stored in `slot` if they are for `geometry`. Otherwise makes new tables and stores
    /// them there.
    pub(crate) fn cached<'s>(
        slot: &'s mut Option<GeometryTables>,
        geometry: &Arc<Geometry>,
    ) -> &'s GeometryTables {
        let fits =
            |shape: &GeometryTables| Arc::ptr_eq(&shape.geometry, geometry) || shape.geometry == *geometry;
        if !slot.as_ref().is_some_and(fits) {
            *slot = None;
        }
        slot.get_or_insert_with(|| GeometryTables::new(geometry))
    }

    /// Returns the cell at a place of a house. `base` is `house * side`.
    #[inline]
    pub(crate) fn cell_at(&self, base: usize, place: usize) -> usize {
        self.cell_at[base + place] as usize
    }

    /// Returns the position of a cell in each house that contains it.
    #[inline]
    pub(crate) fn positions(&self, cell: usize) -> &[HousePosition] {
        &self.positions[self.position_starts[cell] as usize..self.position_starts[cell + 1] as usize]
    }

    /// Returns the intersections of a house with the other houses that share at least two cells with it.
    #[inline]
    pub(crate) fn intersections(&self, house: usize) -> &[Intersection] {
        &self.intersections
            [self.intersection_starts[house] as usize..self.intersection_starts[house + 1] as usize]
    }
}
