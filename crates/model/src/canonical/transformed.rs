//! The image of a grid under a transform, with the properties that a canonical form has.

use super::{Canonical, Cells, Transform};

/// The image of a grid under a transform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transformed {
    /// The cells of the image.
    pub cells: Cells,
    /// The transform.
    pub transform: Transform,
    /// Like [`Canonical::solution_automorphisms`]; `None` if the image is not a canonical form.
    pub solution_automorphisms: Option<u32>,
    /// Like [`Canonical::automorphisms`]; `None` if the image is not a canonical form.
    pub automorphisms: Option<u32>,
    /// Like [`Canonical::band`]; `None` if the image is not a canonical form.
    pub band: Option<u16>,
}

impl Transformed {
    /// Creates an image under a transform that does not lead to a canonical form.
    pub fn under(transform: Transform, cells: Cells) -> Self {
        Transformed { cells, transform, solution_automorphisms: None, automorphisms: None, band: None }
    }
}

impl From<Canonical> for Transformed {
    #[inline]
    fn from(canonical: Canonical) -> Self {
        let Canonical { form: _, cells, transform, solution_automorphisms, automorphisms, band } = canonical;
        Transformed { cells, transform, solution_automorphisms, automorphisms, band }
    }
}
