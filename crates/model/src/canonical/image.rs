//! A grid under a map, with what a canonical form says of the grid.

use super::{Canonical, Cells, Map};

/// A grid under a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The image.
    pub cells: Cells,
    /// The map.
    pub map: Map,
    /// As in [`Canonical`]; `None` where the image is no canonical form.
    pub grid_automorphisms: Option<u32>,
    /// As in [`Canonical`]; `None` where the image is no canonical form.
    pub automorphisms: Option<u32>,
    /// As in [`Canonical`]; `None` where the image is no canonical form.
    pub band: Option<u16>,
}

impl Image {
    /// The image under a map that leads to no form.
    pub fn under(map: Map, cells: Cells) -> Self {
        Image { cells, map, grid_automorphisms: None, automorphisms: None, band: None }
    }
}

impl From<Canonical> for Image {
    fn from(canonical: Canonical) -> Self {
        let Canonical { form: _, cells, map, grid_automorphisms, automorphisms, band } = canonical;
        Image { cells, map, grid_automorphisms, automorphisms, band }
    }
}
