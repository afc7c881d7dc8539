//! The kinds of forcing chains. When nothing else follows from an assumption, a kind can use further
//! searches.

use super::{Technique, Tenths};

/// A technique or search that is used after the conclusions of an assumption are applied to the grid. It
/// finds further candidates to remove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Producer {
    Locking,
    HiddenPairs,
    NakedPairs,
    XWings,
    /// Cycles and chains that begin with one assumption.
    Unary,
    Forcing(Kind),
}

/// A kind of forcing chains. Each kind corresponds to a hint producer of Sudoku Explainer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Contradictions within one digit.
    Nishio,
    /// Conclusions that all candidates of a cell have in common, or all places of a digit in a house.
    Multiple,
    /// Like `Multiple`, but later links can use earlier conclusions.
    ///
    /// Also finds contradictions, and conclusions that both states of a candidate have in common.
    Dynamic,
    /// Like `Dynamic`, but further techniques may also derive conclusions from an assumption.
    Plus,
    /// Like `Plus`, but cycles and chains of one assumption may also derive conclusions.
    PlusChains,
    /// Like `PlusChains`, but chains of the kind `Multiple` may also derive conclusions.
    PlusMultiple,
    /// Like `Plus`, but chains of the kind `Dynamic` may also derive conclusions.
    PlusDynamic,
    /// Like `PlusDynamic`, but chains of the kind `PlusChains` may also derive conclusions.
    PlusNested,
}

impl Kind {
    pub(super) const fn is_dynamic(self) -> bool {
        !matches!(self, Kind::Multiple)
    }

    pub(super) const fn is_nishio(self) -> bool {
        matches!(self, Kind::Nishio)
    }

    /// Returns true if this kind also searches for nested chains: chains within the conclusions of an
    /// assumption.
    pub(super) const fn has_nested(self) -> bool {
        !self.nested().is_empty()
    }

    /// Returns the searches that are used when nothing else follows from an assumption, in the order of their
    /// use.
    pub(super) fn producers(self) -> impl Iterator<Item = Producer> {
        use Producer::*;
        let has_sets = !matches!(self, Kind::Nishio | Kind::Multiple | Kind::Dynamic);
        let sets = [Locking, HiddenPairs, NakedPairs, XWings].into_iter().filter(move |_| has_sets);
        sets.chain(self.nested().iter().copied())
    }

    /// Returns the searches for nested chains, in the order of their use.
    const fn nested(self) -> &'static [Producer] {
        use Producer::*;
        match self {
            Kind::Nishio | Kind::Multiple | Kind::Dynamic | Kind::Plus => &[],
            Kind::PlusChains => &[Unary],
            Kind::PlusMultiple => &[Unary, Forcing(Kind::Multiple)],
            Kind::PlusDynamic => &[Forcing(Kind::Dynamic)],
            Kind::PlusNested => &[Forcing(Kind::Dynamic), Forcing(Kind::PlusChains)],
        }
    }

    /// Returns the minimum rating of this kind, which all its techniques share.
    pub(super) const fn least(self) -> Tenths {
        self.techniques()[0].least()
    }

    /// Returns the techniques of the four forms of hints: contradiction, both states of a candidate, cell,
    /// and house.
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
