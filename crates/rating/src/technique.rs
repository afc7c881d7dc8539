//! The techniques of the ladder, in the order in which they are tried.

use std::fmt;

use super::Tenths;

macro_rules! techniques {
    ($($(#[$doc:meta])* $technique:ident = $name:literal, $least:literal;)+) => {
        /// The technique of a step in a rated path.
        ///
        /// `Ord` is the order of the list in Sudoku Explainer. Techniques are also tried in this order, with
        /// three exceptions that are each searched for together: unique loops, bivalue graves, and chains and
        /// cycles of one kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Technique { $($(#[$doc])* $technique),+ }

        /// The techniques with their names and their minimum ratings in tenths.
        const TABLE: &[(Technique, &str, u8)] = &[$((Technique::$technique, $name, $least)),+];
    };
}

// Each line has a technique, its name, and its minimum rating in tenths.
techniques! {
    /// The last empty cell of a house.
    LastCell = "last cell", 10;
    /// A digit with only one place in a box.
    HiddenSingleInBox = "hidden single in box", 12;
    /// A digit with only one place in a row or column.
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
    /// A digit whose places in a box are all in one line.
    Pointing = "pointing", 26;
    /// A digit whose places in a line are all in one box.
    Claiming = "claiming", 28;
    /// Two cells of a house that together have only two candidates.
    NakedPair = "naked pair", 30;
    /// A digit whose places in two lines are all in the same two crossing lines.
    XWing = "x-wing", 32;
    /// Two digits of a house that together have only two places.
    HiddenPair = "hidden pair", 34;
    /// Three cells of a house that together have only three candidates.
    NakedTriplet = "naked triplet", 36;
    /// A digit whose places in three lines are all in the same three crossing lines.
    Swordfish = "swordfish", 38;
    /// Three digits of a house that together have only three places.
    HiddenTriplet = "hidden triplet", 40;
    /// A cell with candidates xy that sees a cell with xz and a cell with yz.
    XyWing = "xy-wing", 42;
    /// A cell with candidates xyz that sees a cell with xz and a cell with yz.
    XyzWing = "xyz-wing", 44;
    /// A unique rectangle or loop in which one cell has extra candidates.
    UniqueLoop1 = "unique loop type 1", 45;
    /// A unique rectangle or loop in which two or more cells have the same extra candidate.
    UniqueLoop2 = "unique loop type 2", 45;
    /// A unique rectangle or loop in which the extra candidates of two cells form a naked or hidden set with
    /// other cells.
    UniqueLoop3 = "unique loop type 3", 45;
    /// A unique rectangle or loop in which two cells have extra candidates, and one of the loop's digits is
    /// locked in these two cells.
    UniqueLoop4 = "unique loop type 4", 45;
    /// Four cells of a house that together have only four candidates.
    NakedQuad = "naked quad", 50;
    /// A digit whose places in four lines are all in the same four crossing lines.
    Jellyfish = "jellyfish", 52;
    /// Four digits of a house that together have only four places.
    HiddenQuad = "hidden quad", 54;
    /// A bivalue universal grave in which one cell has extra candidates.
    BivalueGrave1 = "bivalue grave type 1", 56;
    /// A bivalue universal grave in which several cells have the same extra candidate.
    BivalueGrave2 = "bivalue grave type 2", 57;
    /// A bivalue universal grave in which the extra candidates of some cells form a naked set with other
    /// cells.
    BivalueGrave3 = "bivalue grave type 3", 57;
    /// A bivalue universal grave in which two cells have extra candidates, and another digit is locked in
    /// these two cells.
    BivalueGrave4 = "bivalue grave type 4", 57;
    /// Exclusion of pairs of digits for two cells. Cells that see both of them rule out the pairs.
    AlignedPair = "aligned pair exclusion", 62;
    /// A cycle that links candidates of one digit.
    XCycle = "x-cycle", 65;
    /// A cycle that links candidates in cells with two candidates.
    YCycle = "y-cycle", 65;
    /// A chain within one digit that leads from an assumption to its opposite.
    ForcingXChain = "forcing x-chain", 66;
    /// A cycle with links within a digit and links within cells.
    BidirectionalCycle = "bidirectional cycle", 70;
    /// A chain from an assumption to its opposite, with links within a digit and links within cells.
    ForcingChain = "forcing chain", 70;
    /// Exclusion of triples of digits for three cells. Cells that see all three of them rule out the triples.
    AlignedTriplet = "aligned triplet exclusion", 75;
    /// An assumption that leads to a contradiction through links within one digit only.
    Nishio = "nishio forcing chain", 75;
    /// Every candidate of a cell leads to the same conclusion.
    CellChains = "cell forcing chains", 80;
    /// Every place of a digit in a house leads to the same conclusion.
    HouseChains = "house forcing chains", 80;
    /// Like `Nishio`, but with links of every kind. Later links can use earlier conclusions.
    DynamicContradiction = "dynamic contradiction chains", 85;
    /// An assumption and its opposite lead to the same conclusion. Later links can use earlier conclusions.
    DynamicDouble = "dynamic double chains", 85;
    /// Like `CellChains`, but later links can use earlier conclusions.
    DynamicCell = "dynamic cell chains", 85;
    /// Like `HouseChains`, but later links can use earlier conclusions.
    DynamicHouse = "dynamic house chains", 85;
    /// Like `DynamicContradiction`, but the chains can also use locking, pairs and X-wings.
    PlusContradiction = "dynamic contradiction chains (+)", 90;
    /// Like `DynamicDouble`, but the chains can also use locking, pairs and X-wings.
    PlusDouble = "dynamic double chains (+)", 90;
    /// Like `DynamicCell`, but the chains can also use locking, pairs and X-wings.
    PlusCell = "dynamic cell chains (+)", 90;
    /// Like `DynamicHouse`, but the chains can also use locking, pairs and X-wings.
    PlusHouse = "dynamic house chains (+)", 90;
    /// Like `PlusContradiction`, but the chains can also use cycles and forcing chains.
    ChainsContradiction = "dynamic contradiction chains (+ forcing chains)", 95;
    /// Like `PlusDouble`, but the chains can also use cycles and forcing chains.
    ChainsDouble = "dynamic double chains (+ forcing chains)", 95;
    /// Like `PlusCell`, but the chains can also use cycles and forcing chains.
    ChainsCell = "dynamic cell chains (+ forcing chains)", 95;
    /// Like `PlusHouse`, but the chains can also use cycles and forcing chains.
    ChainsHouse = "dynamic house chains (+ forcing chains)", 95;
    /// Like `ChainsContradiction`, but the chains can also use `CellChains` and `HouseChains`.
    MultipleContradiction = "dynamic contradiction chains (+ multiple forcing chains)", 100;
    /// Like `ChainsDouble`, but the chains can also use `CellChains` and `HouseChains`.
    MultipleDouble = "dynamic double chains (+ multiple forcing chains)", 100;
    /// Like `ChainsCell`, but the chains can also use `CellChains` and `HouseChains`.
    MultipleCell = "dynamic cell chains (+ multiple forcing chains)", 100;
    /// Like `ChainsHouse`, but the chains can also use `CellChains` and `HouseChains`.
    MultipleHouse = "dynamic house chains (+ multiple forcing chains)", 100;
    /// Like `PlusContradiction`, but the chains can also use dynamic forcing chains.
    TwiceContradiction = "dynamic contradiction chains (+ dynamic forcing chains)", 105;
    /// Like `PlusDouble`, but the chains can also use dynamic forcing chains.
    TwiceDouble = "dynamic double chains (+ dynamic forcing chains)", 105;
    /// Like `PlusCell`, but the chains can also use dynamic forcing chains.
    TwiceCell = "dynamic cell chains (+ dynamic forcing chains)", 105;
    /// Like `PlusHouse`, but the chains can also use dynamic forcing chains.
    TwiceHouse = "dynamic house chains (+ dynamic forcing chains)", 105;
    /// Like `TwiceContradiction`, but the dynamic forcing chains can contain forcing chains.
    NestedContradiction = "dynamic contradiction chains (+ dynamic forcing chains (+ forcing chains))", 110;
    /// Like `TwiceDouble`, but the dynamic forcing chains can contain forcing chains.
    NestedDouble = "dynamic double chains (+ dynamic forcing chains (+ forcing chains))", 110;
    /// Like `TwiceCell`, but the dynamic forcing chains can contain forcing chains.
    NestedCell = "dynamic cell chains (+ dynamic forcing chains (+ forcing chains))", 110;
    /// Like `TwiceHouse`, but the dynamic forcing chains can contain forcing chains.
    NestedHouse = "dynamic house chains (+ dynamic forcing chains (+ forcing chains))", 110;
}

impl Technique {
    /// Number of techniques.
    pub const COUNT: usize = TABLE.len();

    /// Returns all techniques, in the order of the ladder.
    pub fn all() -> impl Iterator<Item = Technique> {
        TABLE.iter().map(|&(technique, ..)| technique)
    }

    /// Returns the name of the technique in lower case, as written in table rows and statistics.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the minimum rating of a step with this technique.
    ///
    /// Steps with long chains, long loops or large sets have higher ratings.
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
