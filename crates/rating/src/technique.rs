//! The techniques of the ladder, in the order in which they are tried.

use std::fmt;

use super::Tenths;

macro_rules! techniques {
    ($($(#[$doc:meta])* $technique:ident = $name:literal, $least:literal;)+) => {
        /// The technique of a step of a rated path.
        ///
        /// `Ord` is the order of the list in Sudoku Explainer. It is also the order of trial, except for techniques
        /// that are searched for together (unique loops, bivalue graves, chains and cycles of one kind).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Technique { $($(#[$doc])* $technique),+ }

        /// Technique, name, minimum rating in tenths.
        const TABLE: &[(Technique, &str, u8)] = &[$((Technique::$technique, $name, $least)),+];
    };
}

// A technique, its name, and its minimum rating in tenths.
techniques! {
    /// The last empty cell of a house.
    LastCell = "last cell", 10;
    /// A digit with one place in a box.
    HiddenSingleInBox = "hidden single in box", 12;
    /// A digit with one place in a row or column.
    HiddenSingleInLine = "hidden single in line", 15;
    /// Pointing that leaves a hidden single.
    DirectPointing = "direct pointing", 17;
    /// Claiming that leaves a hidden single.
    DirectClaiming = "direct claiming", 19;
    /// A hidden pair that leaves a hidden single.
    DirectHiddenPair = "direct hidden pair", 20;
    /// A cell with one candidate.
    NakedSingle = "naked single", 23;
    /// A hidden triplet that leaves a hidden single.
    DirectHiddenTriplet = "direct hidden triplet", 25;
    /// A digit of a box whose places are all in one line.
    Pointing = "pointing", 26;
    /// A digit of a line whose places are all in one box.
    Claiming = "claiming", 28;
    /// Two cells of a house with two candidates between them.
    NakedPair = "naked pair", 30;
    /// A digit in two lines with two places between them.
    XWing = "x-wing", 32;
    /// Two digits of a house with two places between them.
    HiddenPair = "hidden pair", 34;
    /// Three cells of a house with three candidates between them.
    NakedTriplet = "naked triplet", 36;
    /// A digit in three lines with three places between them.
    Swordfish = "swordfish", 38;
    /// Three digits of a house with three places between them.
    HiddenTriplet = "hidden triplet", 40;
    /// A cell xy that sees a cell xz and a cell yz.
    XyWing = "xy-wing", 42;
    /// A cell xyz that sees a cell xz and a cell yz.
    XyzWing = "xyz-wing", 44;
    /// A unique rectangle or loop in which one cell has other candidates besides the two.
    UniqueLoop1 = "unique loop type 1", 45;
    /// A unique rectangle or loop in which two or more cells have the same extra candidate.
    UniqueLoop2 = "unique loop type 2", 45;
    /// A unique rectangle or loop with two cells whose extra candidates form a naked or hidden set with
    /// others.
    UniqueLoop3 = "unique loop type 3", 45;
    /// A unique rectangle or loop with two cells in which one of the digits is locked.
    UniqueLoop4 = "unique loop type 4", 45;
    /// Four cells of a house with four candidates between them.
    NakedQuad = "naked quad", 50;
    /// A digit in four lines with four places between them.
    Jellyfish = "jellyfish", 52;
    /// Four digits of a house with four places between them.
    HiddenQuad = "hidden quad", 54;
    /// A bivalue universal grave, except for one cell.
    BivalueGrave1 = "bivalue grave type 1", 56;
    /// A bivalue universal grave, except for cells with the same extra candidate.
    BivalueGrave2 = "bivalue grave type 2", 57;
    /// A bivalue universal grave, except for cells whose extra candidates form a naked set with others.
    BivalueGrave3 = "bivalue grave type 3", 57;
    /// A bivalue universal grave, except for two cells in which a digit is locked.
    BivalueGrave4 = "bivalue grave type 4", 57;
    /// Pairs of digits of two cells that are excluded by cells seeing both.
    AlignedPair = "aligned pair exclusion", 62;
    /// A cycle of links within one digit.
    XCycle = "x-cycle", 65;
    /// A cycle of links within cells of two candidates.
    YCycle = "y-cycle", 65;
    /// A chain within one digit, from an assumption to its opposite.
    ForcingXChain = "forcing x-chain", 66;
    /// A cycle with links of both kinds.
    BidirectionalCycle = "bidirectional cycle", 70;
    /// A chain with links of both kinds, from an assumption to its opposite.
    ForcingChain = "forcing chain", 70;
    /// Triples of digits of three cells that are excluded by cells seeing all three.
    AlignedTriplet = "aligned triplet exclusion", 75;
    /// An assumption that, within one digit, leads to a contradiction.
    Nishio = "nishio forcing chain", 75;
    /// Every candidate of a cell leads to the same conclusion.
    CellChains = "cell forcing chains", 80;
    /// Every place of a digit in a house leads to the same conclusion.
    HouseChains = "house forcing chains", 80;
    /// An assumption that leads to a contradiction, with conclusions made along the way.
    DynamicContradiction = "dynamic contradiction chains", 85;
    /// An assumption and its opposite lead to the same conclusion, with conclusions made along the way.
    DynamicDouble = "dynamic double chains", 85;
    /// Like `CellChains`, with conclusions made along the way.
    DynamicCell = "dynamic cell chains", 85;
    /// Like `HouseChains`, with conclusions made along the way.
    DynamicHouse = "dynamic house chains", 85;
    /// Like `DynamicContradiction`, with locking, pairs and X-wings along the way.
    PlusContradiction = "dynamic contradiction chains (+)", 90;
    /// Like `DynamicDouble`, with locking, pairs and X-wings along the way.
    PlusDouble = "dynamic double chains (+)", 90;
    /// Like `DynamicCell`, with locking, pairs and X-wings along the way.
    PlusCell = "dynamic cell chains (+)", 90;
    /// Like `DynamicHouse`, with locking, pairs and X-wings along the way.
    PlusHouse = "dynamic house chains (+)", 90;
    /// Like `PlusContradiction`, with cycles and forcing chains along the way.
    ChainsContradiction = "dynamic contradiction chains (+ forcing chains)", 95;
    /// Like `PlusDouble`, with cycles and forcing chains along the way.
    ChainsDouble = "dynamic double chains (+ forcing chains)", 95;
    /// Like `PlusCell`, with cycles and forcing chains along the way.
    ChainsCell = "dynamic cell chains (+ forcing chains)", 95;
    /// Like `PlusHouse`, with cycles and forcing chains along the way.
    ChainsHouse = "dynamic house chains (+ forcing chains)", 95;
    /// Like `ChainsContradiction`, with `CellChains` and `HouseChains` along the way.
    MultipleContradiction = "dynamic contradiction chains (+ multiple forcing chains)", 100;
    /// Like `ChainsDouble`, with `CellChains` and `HouseChains` along the way.
    MultipleDouble = "dynamic double chains (+ multiple forcing chains)", 100;
    /// Like `ChainsCell`, with `CellChains` and `HouseChains` along the way.
    MultipleCell = "dynamic cell chains (+ multiple forcing chains)", 100;
    /// Like `ChainsHouse`, with `CellChains` and `HouseChains` along the way.
    MultipleHouse = "dynamic house chains (+ multiple forcing chains)", 100;
    /// Like `PlusContradiction`, with dynamic forcing chains along the way.
    TwiceContradiction = "dynamic contradiction chains (+ dynamic forcing chains)", 105;
    /// Like `PlusDouble`, with dynamic forcing chains along the way.
    TwiceDouble = "dynamic double chains (+ dynamic forcing chains)", 105;
    /// Like `PlusCell`, with dynamic forcing chains along the way.
    TwiceCell = "dynamic cell chains (+ dynamic forcing chains)", 105;
    /// Like `PlusHouse`, with dynamic forcing chains along the way.
    TwiceHouse = "dynamic house chains (+ dynamic forcing chains)", 105;
    /// Like `TwiceContradiction`, with dynamic forcing chains that contain forcing chains along the way.
    NestedContradiction = "dynamic contradiction chains (+ dynamic forcing chains (+ forcing chains))", 110;
    /// Like `TwiceDouble`, with dynamic forcing chains that contain forcing chains along the way.
    NestedDouble = "dynamic double chains (+ dynamic forcing chains (+ forcing chains))", 110;
    /// Like `TwiceCell`, with dynamic forcing chains that contain forcing chains along the way.
    NestedCell = "dynamic cell chains (+ dynamic forcing chains (+ forcing chains))", 110;
    /// Like `TwiceHouse`, with dynamic forcing chains that contain forcing chains along the way.
    NestedHouse = "dynamic house chains (+ dynamic forcing chains (+ forcing chains))", 110;
}

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
            assert_eq!(Technique::all().find(|other| other.name() == technique.name()), Some(technique));
        }
        assert!(Technique::all().is_sorted_by_key(|technique| technique.least()));
    }
}
