//! The image of a grid under a map, with the properties that a canonical form has.

use super::{Canonical, Cells, Map};

/// The image of a grid under a map.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The cells of the image.
    pub cells: Cells,
    /// The map.
    pub map: Map,
    /// Like [`Canonical::grid_automorphisms`]; `None` if the image is not a canonical form.
    pub grid_automorphisms: Option<u32>,
    /// Like [`Canonical::automorphisms`]; `None` if the image is not a canonical form.
    pub automorphisms: Option<u32>,
    /// Like [`Canonical::band`]; `None` if the image is not a canonical form.
    pub band: Option<u16>,
}

impl Image {
    /// Creates an image under a map that does not lead to a canonical form.
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
