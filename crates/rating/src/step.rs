//! One step of a path: its technique, effects and reasons. Steps can be written as text and as JSON.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Technique, Tenths};

/// A digit in a cell.
///
/// `Display` writes `r1c2=3`. The JSON form is `{"cell":"r1c2","digit":3}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Candidate {
    /// Index of the cell, 0 to 80, row by row.
    #[serde(serialize_with = "as_cell_name")]
    pub cell: u8,
    /// The digit, 1 to 9.
    pub digit: u8,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", CellName(self.cell), self.digit)
    }
}

/// A cell that is displayed as its row and column, such as `r1c2`.
struct CellName(u8);

impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}c{}", self.0 / 9 + 1, self.0 % 9 + 1)
    }
}

/// A house that is displayed as `box 1`, `column 1` or `row 1`. The value is the house's index, as in
/// [`Step::houses`].
struct HouseName(u8);

impl fmt::Display for HouseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = ["box", "column", "row"][usize::from(self.0 / 9) % 3];
        write!(f, "{kind} {}", self.0 % 9 + 1)
    }
}

/// A conclusion of a chain: a candidate that holds or fails, with the earlier conclusions from which it
/// follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The candidate.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// True if the candidate holds.
    #[serde(rename = "on")]
    pub is_on: bool,
    /// 0-based indices of the earlier links of the chain from which this link follows. Empty for an
    /// assumption.
    pub from: Vec<u16>,
    /// Index into [`Step::nested`] of the nested chains that remove the candidate, or `None` if no nested
    /// chains remove it.
    ///
    /// Nested chains are found in the grid that earlier links have left. Some earlier links had to remove
    /// candidates before the nested chains could be found. `from` lists these links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<u16>,
}

/// Chains that were found in the grid left by the conclusions of a longer chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NestedChains {
    /// The technique.
    #[serde(serialize_with = "as_text")]
    pub technique: Technique,
    /// The chains, as in [`Step::chains`].
    pub chains: Vec<Vec<Link>>,
}

/// Writes `r1c2=3` if the candidate holds, and `r1c2<>3` if it fails.
impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Candidate { cell, digit } = self.candidate;
        write!(f, "{}{}{digit}", CellName(cell), if self.is_on { "=" } else { "<>" })
    }
}

/// A step of the path on which a rating is based.
///
/// `Display` writes a line such as `2.6 pointing: 8 of box 6 in row 5; r5c1<>8 r5c2<>8`. The JSON form has
/// the same fields. In JSON, the rating is a number, cells are written as `r1c2`, and houses as `box 1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// The technique.
    #[serde(serialize_with = "as_text")]
    pub technique: Technique,
    /// The rating.
    #[serde(serialize_with = "as_number")]
    pub rating: Tenths,
    /// The candidate that the step places, or `None` if the step only removes candidates.
    pub placed: Option<Candidate>,
    /// Candidates that the step removes, in ascending order of cells and digits.
    ///
    /// Candidates that are removed because a digit is placed are not included.
    pub removed: Vec<Candidate>,
    /// Cells on which the step is based, in ascending order. Empty for singles.
    #[serde(serialize_with = "as_cell_names")]
    pub cells: Vec<u8>,
    /// Digits on which the step is based, in ascending order. Empty for singles.
    pub digits: Vec<u8>,
    /// Houses on which the step is based: 0 to 8 are boxes, 9 to 17 columns, and 18 to 26 rows.
    ///
    /// For locking, the first house is the one in which the digit is locked, and the second house loses the
    /// digit. For fish, lines and crossing lines alternate.
    #[serde(serialize_with = "as_house_names")]
    pub houses: Vec<u8>,
    /// The chains, each from an assumption to the conclusion. Empty for techniques without chains.
    pub chains: Vec<Vec<Link>>,
    /// The chains that are nested in `chains` or in other nested chains. Empty for steps rated below 9.5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<NestedChains>,
}

impl Step {
    fn write_reason(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { technique, cells, digits, houses, chains, .. } = self;
        let names = || Words(cells.iter().map(|&cell| CellName(cell)).collect());
        let digits = Words(digits.clone());
        let houses = Words(houses.iter().map(|&house| HouseName(house)).collect());
        use Technique::*;
        match technique {
            LastCell | HiddenSingleInBox | HiddenSingleInLine => write!(f, ": {houses}"),
            NakedSingle => Ok(()),
            DirectPointing | DirectClaiming | Pointing | Claiming => {
                write!(f, ": {digits} of {} in {}", houses.0[0], houses.0[1])
            }
            _ if !chains.is_empty() => {
                write_chains(chains, f)?;
                for (number, NestedChains { technique, chains }) in self.nested.iter().enumerate() {
                    write!(f, ": nested {} is {technique}", number + 1)?;
                    write_chains(chains, f)?;
                }
                Ok(())
            }
            _ if houses.0.is_empty() => write!(f, ": {digits} in {}", names()),
            _ => write!(f, ": {digits} in {} of {houses}", names()),
        }
    }
}

/// Values separated by commas.
struct Words<T>(Vec<T>);

impl<T: fmt::Display> fmt::Display for Words<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, word) in self.0.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{word}")?;
        }
        Ok(())
    }
}

fn write_chains(chains: &[Vec<Link>], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for chain in chains {
        f.write_str(": ")?;
        write_chain(chain, f)?;
    }
    Ok(())
}

/// Writes a chain. The form is `a > b > c` if each conclusion follows only from the previous one.
///
/// Otherwise, each conclusion is followed by the 1-based numbers of the conclusions that it follows from: `a
/// > b (1) > c (1, 2)`. The index of nested chains, also 1-based, comes last: `d (2, 3, nested 1)`.
fn write_chain(chain: &[Link], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_next = |(number, link): (usize, &Link)| link.from == [number as u16 - 1] && link.nested.is_none();
    let is_path = chain.iter().enumerate().skip(1).all(is_next);
    for (number, link) in chain.iter().enumerate() {
        let arrow = if number > 0 { " > " } else { "" };
        write!(f, "{arrow}{link}")?;
        if !is_path && !link.from.is_empty() {
            write!(f, " ({}", Words(link.from.iter().map(|from| from + 1).collect()))?;
            if let Some(nested) = link.nested {
                write!(f, ", nested {}", nested + 1)?;
            }
            f.write_str(")")?;
        }
    }
    Ok(())
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rating, self.technique)?;
        self.write_reason(f)?;
        f.write_str(";")?;
        for Candidate { cell, digit } in &self.removed {
            write!(f, " {}<>{digit}", CellName(*cell))?;
        }
        match self.placed {
            Some(placed) => write!(f, " {placed}"),
            None => Ok(()),
        }
    }
}

fn as_text<S: Serializer>(value: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_number<S: Serializer>(rating: &Tenths, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rating.to_f64())
}

fn as_cell_name<S: Serializer>(cell: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    as_text(&CellName(*cell), serializer)
}

fn as_cell_names<S: Serializer>(cells: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(cells.iter().map(|&cell| CellName(cell).to_string()))
}

fn as_house_names<S: Serializer>(houses: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(houses.iter().map(|&house| HouseName(house).to_string()))
}
