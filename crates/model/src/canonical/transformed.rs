//! Transformed grids, with some properties of canonical forms.

use super::{Canonical, Cells, Transform};

/// A transformed grid, which may be a canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transformed {
    /// The cells of the image.
    pub cells: Cells,
    /// The transform.
    pub transform: Transform,
    /// The same as [`Canonical::solution_automorphisms`], or `None` if the image is not a canonical form.
    pub solution_automorphisms: Option<u32>,
    /// The same as [`Canonical::automorphisms`], or `None` if the image is not a canonical form.
    pub automorphisms: Option<u32>,
    /// The same as [`Canonical::band`], or `None` if the image is not a canonical form.
    pub band: Option<u16>,
}

impl Transformed {
    /// Creates an image that is not a canonical form, from the transform and the image's cells.
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
