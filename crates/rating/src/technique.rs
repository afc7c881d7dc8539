//! The techniques of the ladder, in the order in which they are tried.

use std::fmt;

use super::Tenths;

/// The technique of a step of a rated path.
///
/// `Ord` is the order of the list in Sudoku Explainer. It is also the order of trial, except for techniques
/// that are searched for together (unique loops, bivalue graves, chains and cycles of one kind).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Technique {
    /// The last empty cell of a house.
    LastCell,
    /// A digit with one place in a box.
    HiddenSingleInBox,
    /// A digit with one place in a row or column.
    HiddenSingleInLine,
    /// Pointing that leaves a hidden single.
    DirectPointing,
    /// Claiming that leaves a hidden single.
    DirectClaiming,
    /// A hidden pair that leaves a hidden single.
    DirectHiddenPair,
    /// A cell with one candidate.
    NakedSingle,
    /// A hidden triplet that leaves a hidden single.
    DirectHiddenTriplet,
    /// A digit of a box whose places are all in one line.
    Pointing,
    /// A digit of a line whose places are all in one box.
    Claiming,
    /// Two cells of a house with two candidates between them.
    NakedPair,
    /// A digit in two lines with two places between them.
    XWing,
    /// Two digits of a house with two places between them.
    HiddenPair,
    /// Three cells of a house with three candidates between them.
    NakedTriplet,
    /// A digit in three lines with three places between them.
    Swordfish,
    /// Three digits of a house with three places between them.
    HiddenTriplet,
    /// A cell xy that sees a cell xz and a cell yz.
    XyWing,
    /// A cell xyz that sees a cell xz and a cell yz.
    XyzWing,
    /// A unique rectangle or loop in which one cell has more candidates.
    UniqueLoop1,
    /// A unique rectangle or loop in which two or more cells have the same extra candidate.
    UniqueLoop2,
    /// A unique rectangle or loop with two cells whose extra candidates form a naked or hidden set with
    /// others.
    UniqueLoop3,
    /// A unique rectangle or loop with two cells in which one of the digits is locked.
    UniqueLoop4,
    /// Four cells of a house with four candidates between them.
    NakedQuad,
    /// A digit in four lines with four places between them.
    Jellyfish,
    /// Four digits of a house with four places between them.
    HiddenQuad,
    /// A bivalue universal grave, except for one cell.
    BivalueGrave1,
    /// A bivalue universal grave, except for cells with the same extra candidate.
    BivalueGrave2,
    /// A bivalue universal grave, except for cells whose extra candidates form a naked set with others.
    BivalueGrave3,
    /// A bivalue universal grave, except for two cells in which a digit is locked.
    BivalueGrave4,
    /// Pairs of digits of two cells that are excluded by cells seeing both.
    AlignedPair,
    /// A cycle of links within one digit.
    XCycle,
    /// A cycle of links within cells of two candidates.
    YCycle,
    /// A chain within one digit, from an assumption to its opposite.
    ForcingXChain,
    /// A cycle with links of both kinds.
    BidirectionalCycle,
    /// A chain with links of both kinds, from an assumption to its opposite.
    ForcingChain,
    /// Triples of digits of three cells that are excluded by cells seeing all three.
    AlignedTriplet,
    /// An assumption that, within one digit, leads to a contradiction.
    Nishio,
    /// Every candidate of a cell leads to the same conclusion.
    CellChains,
    /// Every place of a digit in a house leads to the same conclusion.
    HouseChains,
    /// An assumption that leads to a contradiction, with conclusions made along the way.
    DynamicContradiction,
    /// An assumption and its opposite lead to the same conclusion, with conclusions made along the way.
    DynamicDouble,
    /// Like `CellChains`, with conclusions made along the way.
    DynamicCell,
    /// Like `HouseChains`, with conclusions made along the way.
    DynamicHouse,
    /// Like `DynamicContradiction`, with locking, pairs and X-wings along the way.
    PlusContradiction,
    /// Like `DynamicDouble`, with locking, pairs and X-wings along the way.
    PlusDouble,
    /// Like `DynamicCell`, with locking, pairs and X-wings along the way.
    PlusCell,
    /// Like `DynamicHouse`, with locking, pairs and X-wings along the way.
    PlusHouse,
    /// Like `PlusContradiction`, with cycles and forcing chains along the way.
    ChainsContradiction,
    /// Like `PlusDouble`, with cycles and forcing chains along the way.
    ChainsDouble,
    /// Like `PlusCell`, with cycles and forcing chains along the way.
    ChainsCell,
    /// Like `PlusHouse`, with cycles and forcing chains along the way.
    ChainsHouse,
    /// Like `ChainsContradiction`, with `CellChains` and `HouseChains` along the way.
    MultipleContradiction,
    /// Like `ChainsDouble`, with `CellChains` and `HouseChains` along the way.
    MultipleDouble,
    /// Like `ChainsCell`, with `CellChains` and `HouseChains` along the way.
    MultipleCell,
    /// Like `ChainsHouse`, with `CellChains` and `HouseChains` along the way.
    MultipleHouse,
    /// Like `PlusContradiction`, with dynamic forcing chains along the way.
    TwiceContradiction,
    /// Like `PlusDouble`, with dynamic forcing chains along the way.
    TwiceDouble,
    /// Like `PlusCell`, with dynamic forcing chains along the way.
    TwiceCell,
    /// Like `PlusHouse`, with dynamic forcing chains along the way.
    TwiceHouse,
    /// Like `TwiceContradiction`, with dynamic forcing chains that contain forcing chains along the way.
    NestedContradiction,
    /// Like `TwiceDouble`, with dynamic forcing chains that contain forcing chains along the way.
    NestedDouble,
    /// Like `TwiceCell`, with dynamic forcing chains that contain forcing chains along the way.
    NestedCell,
    /// Like `TwiceHouse`, with dynamic forcing chains that contain forcing chains along the way.
    NestedHouse,
}

use Technique::*;

/// Technique, name, minimum rating in tenths.
const TABLE: [(Technique, &str, u8); 63] = [
    (LastCell, "last cell", 10),
    (HiddenSingleInBox, "hidden single in box", 12),
    (HiddenSingleInLine, "hidden single in line", 15),
    (DirectPointing, "direct pointing", 17),
    (DirectClaiming, "direct claiming", 19),
    (DirectHiddenPair, "direct hidden pair", 20),
    (NakedSingle, "naked single", 23),
    (DirectHiddenTriplet, "direct hidden triplet", 25),
    (Pointing, "pointing", 26),
    (Claiming, "claiming", 28),
    (NakedPair, "naked pair", 30),
    (XWing, "x-wing", 32),
    (HiddenPair, "hidden pair", 34),
    (NakedTriplet, "naked triplet", 36),
    (Swordfish, "swordfish", 38),
    (HiddenTriplet, "hidden triplet", 40),
    (XyWing, "xy-wing", 42),
    (XyzWing, "xyz-wing", 44),
    (UniqueLoop1, "unique loop type 1", 45),
    (UniqueLoop2, "unique loop type 2", 45),
    (UniqueLoop3, "unique loop type 3", 45),
    (UniqueLoop4, "unique loop type 4", 45),
    (NakedQuad, "naked quad", 50),
    (Jellyfish, "jellyfish", 52),
    (HiddenQuad, "hidden quad", 54),
    (BivalueGrave1, "bivalue grave type 1", 56),
    (BivalueGrave2, "bivalue grave type 2", 57),
    (BivalueGrave3, "bivalue grave type 3", 57),
    (BivalueGrave4, "bivalue grave type 4", 57),
    (AlignedPair, "aligned pair exclusion", 62),
    (XCycle, "x-cycle", 65),
    (YCycle, "y-cycle", 65),
    (ForcingXChain, "forcing x-chain", 66),
    (BidirectionalCycle, "bidirectional cycle", 70),
    (ForcingChain, "forcing chain", 70),
    (AlignedTriplet, "aligned triplet exclusion", 75),
    (Nishio, "nishio forcing chain", 75),
    (CellChains, "cell forcing chains", 80),
    (HouseChains, "house forcing chains", 80),
    (DynamicContradiction, "dynamic contradiction chains", 85),
    (DynamicDouble, "dynamic double chains", 85),
    (DynamicCell, "dynamic cell chains", 85),
    (DynamicHouse, "dynamic house chains", 85),
    (PlusContradiction, "dynamic contradiction chains (+)", 90),
    (PlusDouble, "dynamic double chains (+)", 90),
    (PlusCell, "dynamic cell chains (+)", 90),
    (PlusHouse, "dynamic house chains (+)", 90),
    (ChainsContradiction, "dynamic contradiction chains (+ forcing chains)", 95),
    (ChainsDouble, "dynamic double chains (+ forcing chains)", 95),
    (ChainsCell, "dynamic cell chains (+ forcing chains)", 95),
    (ChainsHouse, "dynamic house chains (+ forcing chains)", 95),
    (MultipleContradiction, "dynamic contradiction chains (+ multiple forcing chains)", 100),
    (MultipleDouble, "dynamic double chains (+ multiple forcing chains)", 100),
    (MultipleCell, "dynamic cell chains (+ multiple forcing chains)", 100),
    (MultipleHouse, "dynamic house chains (+ multiple forcing chains)", 100),
    (TwiceContradiction, "dynamic contradiction chains (+ dynamic forcing chains)", 105),
    (TwiceDouble, "dynamic double chains (+ dynamic forcing chains)", 105),
    (TwiceCell, "dynamic cell chains (+ dynamic forcing chains)", 105),
    (TwiceHouse, "dynamic house chains (+ dynamic forcing chains)", 105),
    (NestedContradiction, "dynamic contradiction chains (+ dynamic forcing chains (+ forcing chains))", 110),
    (NestedDouble, "dynamic double chains (+ dynamic forcing chains (+ forcing chains))", 110),
    (NestedCell, "dynamic cell chains (+ dynamic forcing chains (+ forcing chains))", 110),
    (NestedHouse, "dynamic house chains (+ dynamic forcing chains (+ forcing chains))", 110),
];

impl Technique {
    /// Number of techniques.
    pub const COUNT: usize = TABLE.len();

    /// Returns all techniques, in the order of the ladder.
    pub fn all() -> impl Iterator<Item = Technique> {
        TABLE.iter().map(|&(technique, ..)| technique)
    }

    /// Returns the name in lower case, as in rows and statistics.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the technique with a [`name`](Self::name), or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|technique| technique.name() == name)
    }

    /// Returns the minimum rating of a step. The length of chains and loops and the size of sets add to it.
    pub const fn least(self) -> Tenths {
        Tenths(TABLE[self as usize].2)
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_list() {
        for (number, technique) in Technique::all().enumerate() {
            assert_eq!(technique as usize, number);
            assert_eq!(Technique::from_name(technique.name()), Some(technique));
        }
        assert!(Technique::all().is_sorted_by_key(|technique| technique.least()));
    }
}
