//! The kinds of forcing chains, and the further search of each kind when nothing else follows.

use super::Technique;

/// A source of candidates that fail in the grid of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Producer {
    Locking,
    HiddenPairs,
    NakedPairs,
    XWings,
    /// Cycles and chains of one assumption.
    Unary,
    Forcing(Kind),
}

/// A kind of forcing chains: a hint producer of Sudoku Explainer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Contradictions within one digit.
    Nishio,
    /// Common conclusions of all candidates of a cell, or of all places of a digit.
    Multiple,
    /// Like `Multiple`, with conclusions made along the way; also contradictions and common conclusions of
    /// both states of a candidate.
    Dynamic,
    /// Like `Dynamic`, with further techniques along the way.
    Plus,
    /// Like `Plus`, with cycles and chains of one assumption along the way.
    PlusChains,
    /// Like `PlusChains`, with `Multiple` along the way.
    PlusMultiple,
    /// Like `Plus`, with `Dynamic` along the way.
    PlusDynamic,
    /// Like `PlusDynamic`, with `PlusChains` along the way.
    PlusNested,
}

impl Kind {
    pub(super) const fn is_dynamic(self) -> bool {
        !matches!(self, Kind::Multiple)
    }

    pub(super) const fn is_nishio(self) -> bool {
        matches!(self, Kind::Nishio)
    }

    /// Returns true if runs search for chains.
    pub(super) const fn has_nested(self) -> bool {
        !matches!(self, Kind::Nishio | Kind::Multiple | Kind::Dynamic | Kind::Plus)
    }

    /// Returns the producers that a run tries, in this order, when nothing else follows.
    pub(super) const fn producers(self) -> &'static [Producer] {
        use Producer::*;
        match self {
            Kind::Nishio | Kind::Multiple | Kind::Dynamic => &[],
            Kind::Plus => &[Locking, HiddenPairs, NakedPairs, XWings],
            Kind::PlusChains => &[Locking, HiddenPairs, NakedPairs, XWings, Unary],
            Kind::PlusMultiple => &[Locking, HiddenPairs, NakedPairs, XWings, Unary, Forcing(Kind::Multiple)],
            Kind::PlusDynamic => &[Locking, HiddenPairs, NakedPairs, XWings, Forcing(Kind::Dynamic)],
            Kind::PlusNested => {
                &[Locking, HiddenPairs, NakedPairs, XWings, Forcing(Kind::Dynamic), Forcing(Kind::PlusChains)]
            }
        }
    }

    pub(super) const fn least(self) -> f64 {
        match self {
            Kind::Nishio => 7.5,
            Kind::Multiple => 8.0,
            Kind::Dynamic => 8.5,
            Kind::Plus => 9.0,
            Kind::PlusChains => 9.5,
            Kind::PlusMultiple => 10.0,
            Kind::PlusDynamic => 10.5,
            Kind::PlusNested => 11.0,
        }
    }

    /// Returns the techniques for a contradiction, both states of a candidate, a cell, and a house.
    pub(super) const fn techniques(self) -> [Technique; 4] {
        use Technique::*;
        match self {
            Kind::Nishio => [Nishio; 4],
            Kind::Multiple => [CellChains, CellChains, CellChains, HouseChains],
            Kind::Dynamic => [DynamicContradiction, DynamicDouble, DynamicCell, DynamicHouse],
            Kind::Plus => [PlusContradiction, PlusDouble, PlusCell, PlusHouse],
            Kind::PlusChains => [ChainsContradiction, ChainsDouble, ChainsCell, ChainsHouse],
            Kind::PlusMultiple => [MultipleContradiction, MultipleDouble, MultipleCell, MultipleHouse],
            Kind::PlusDynamic => [TwiceContradiction, TwiceDouble, TwiceCell, TwiceHouse],
            Kind::PlusNested => [NestedContradiction, NestedDouble, NestedCell, NestedHouse],
        }
    }
}
