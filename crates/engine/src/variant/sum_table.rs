//! A rule about a sum, in the form that propagation uses.

use quadrille_model::rules::Sum;

/// A sum, see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SumTable {
    /// The cells and their coefficients.
    pub(super) terms: Vec<(u16, i32)>,
    pub(super) target: i32,
    /// True if all coefficients are 1 and all cells see each other.
    pub(super) is_cage: bool,
}

impl SumTable {
    pub(super) fn new(sum: &Sum, sees: impl Fn(u16, u16) -> bool) -> Self {
        SumTable::from_terms(sum.terms.to_vec(), sum.target, sees)
    }

    pub(super) fn from_terms(terms: Vec<(u16, i32)>, target: i32, sees: impl Fn(u16, u16) -> bool) -> Self {
        let pairs =
            terms.iter().enumerate().flat_map(|(at, &(a, _))| terms[..at].iter().map(move |&(b, _)| (a, b)));
        let is_cage = terms.iter().all(|&(_, by)| by == 1) && pairs.into_iter().all(|(a, b)| sees(a, b));
        SumTable { terms, target, is_cage }
    }
}
