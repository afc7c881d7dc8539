//! Lists of cells over which the propagation passes loop in grids with extra rules.
//!
//! The lists are built once from the houses and pairs of the rules.

use std::collections::BTreeMap;

use super::templates::Templates;
pub(super) use super::templates::{CELLS, PLACES};
use quadrille_model::rules::{Label, Rules};

/// Maximum number of houses that are stored as houses. A further house is stored as pairs of cells that must
/// differ (peers).
const MAX_HOUSES: usize = 60;
/// Maximum number of disjoint houses whose union is used to derive further houses.
const TOGETHER: usize = 3;
/// Maximum number of cells in each of the two sets of a leftover (two sets that must hold the same digits).
///
/// Larger sets are hardly ever useful. A leftover removes a digit only if one of its sets cannot hold the
/// digit, and large sets can usually hold every digit.
const MAX_LEFTOVER: usize = 6;
/// Maximum total number of [sights](RuleTables::unseen_cells) and [links](Links).
const MAX_UNSEEN_CELLS: usize = 2_000;

/// A set of cells, one bit per cell.
type Cells = u128;

/// Value in [`Intersection::of`] for cells that belong to no house of the family.
pub(super) const NO_HOUSE: u8 = 9;

/// The cells that a house of one family shares with a house of another family.
///
/// The cells of a house that are in no house of the other family also form an intersection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Intersection {
    pub(super) cells: Box<[u8]>,
    /// Index of the house in each of the two families, or [`NO_HOUSE`].
    pub(super) of: [u8; 2],
}

/// A house with its links.
///
/// A link consists of two cells of the house and a cell outside the house. The outside cell sees exactly
/// these two cells of the house. The two cells come first, as indices in the house.
pub(super) type Links = ([u8; 9], Vec<[u8; 3]>);

/// The intersections of two families of houses.
pub(super) type Intersections = Vec<Intersection>;

/// Lists of cells made from the rules of a grid. See the [module](self).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RuleTables {
    pub(super) houses: Vec<[u8; 9]>,
    /// Indices of the houses that contain each cell.
    pub(super) houses_of: [Vec<u8>; CELLS],
    /// Each cell that has peers (cells that must differ from it), with these peers.
    pub(super) peers: Vec<(u8, Box<[u8]>)>,
    pub(super) intersections: Vec<Intersections>,
    pub(super) leftovers: Vec<[Box<[u8]>; 2]>,
    /// Sights. A sight is a cell outside a house that sees at least three of the house's cells.
    ///
    /// Each list has the outside cell, followed by the cells of the house that the outside cell does not see.
    pub(super) unseen_cells: CellLists,
    /// Houses with their links.
    pub(super) seen_pairs: Vec<Links>,
    /// The graph of templates (possible placements of a digit).
    ///
    /// `None` if the graph has too many edges, or if two cells that must differ are not together in a house
    /// of nine cells.
    pub(super) templates: Option<Templates>,
    /// All cells that are in a house or have peers.
    pub(super) touched: Box<[u8]>,
    /// Cells grouped by a number: the cells that they see plus the houses that they are in. Groups with
    /// larger numbers come first.
    pub(super) ranks: Vec<Cells>,
}

/// Lists of cells, stored one after another.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CellLists {
    lengths: Vec<u8>,
    cells: Vec<u8>,
}

impl CellLists {
    fn push(&mut self, first: usize, rest: Cells) {
        let before = self.cells.len();
        self.cells.push(first as u8);
        self.cells.extend(quadrille_model::bits::Bits(rest).map(|cell| cell as u8));
        self.lengths.push((self.cells.len() - before) as u8);
    }

    /// Calls `visit` once per list. The arguments are the list's first cell and its other cells.
    #[inline(always)]
    pub(super) fn each(&self, mut visit: impl FnMut(u8, &[u8])) {
        let mut rest = &self.cells[..];
        for &length in &self.lengths {
            let Some((list, behind)) = rest.split_at_checked(length.into()) else { return };
            if let [first, others @ ..] = list {
                visit(*first, others);
            }
            rest = behind;
        }
    }
}

/// Returns the cells of a set in ascending order.
fn listed(set: Cells) -> Box<[u8]> {
    quadrille_model::bits::Bits(set).map(|cell| cell as u8).collect()
}

impl RuleTables {
    /// Creates the lists for 9x9 rules that consist of houses and of pairs of cells that must differ.
    ///
    /// If `has_boxes` is true, the lists leave out rows, columns and boxes. In that case, returns `None` if
    /// the rules do not include the boxes.
    pub(super) fn new(rules: &Rules, has_boxes: bool) -> Option<Self> {
        let boxes = rules.houses().filter(|house| matches!(house.label, Label::Box(_))).count();
        if has_boxes && boxes != 9 {
            return None;
        }
        let set = |cells: &[u16]| cells.iter().fold(0, |set: Cells, &cell| set | 1 << cell);
        let mut houses: Vec<Cells> = Vec::new();
        let mut differ = [0; CELLS];
        for house in rules.houses() {
            let cells = set(house.cells);
            if cells.count_ones() == 9 && houses.len() < MAX_HOUSES {
                if !houses.contains(&cells) {
                    houses.push(cells);
                }
            } else {
                house.cells.iter().for_each(|&cell| differ[usize::from(cell)] |= cells);
            }
        }
        for &(a, b) in rules.different() {
            differ[usize::from(a)] |= 1 << b;
            differ[usize::from(b)] |= 1 << a;
        }
        let templates = if differ == [0; CELLS] { Templates::new(&houses) } else { None };
        if templates.is_none() {
            add_those_that_follow(&mut houses);
        }
        let mut houses_of = [const { Vec::new() }; CELLS];
        for (number, &house) in houses.iter().enumerate() {
            quadrille_model::bits::Bits(house).for_each(|cell| houses_of[cell].push(number as u8));
        }
        let seen_in_houses =
            |cell: usize| houses_of[cell].iter().fold(0, |seen, &house| seen | houses[usize::from(house)]);
        let peers = (0..CELLS).map(|cell| (cell as u8, differ[cell] & !seen_in_houses(cell) & !(1 << cell)));
        let peers = peers.filter(|&(_, set)| set != 0).map(|(cell, set)| (cell, listed(set))).collect();
        let seen: [Cells; CELLS] =
            std::array::from_fn(|cell| (seen_in_houses(cell) | differ[cell]) & !(1 << cell));
        let mut ranks: BTreeMap<usize, Cells> = BTreeMap::new();
        for cell in 0..CELLS {
            let sees = seen[cell].count_ones() as usize + houses_of[cell].len();
            *ranks.entry(sees).or_default() |= 1 << cell;
        }
        // With templates, no other deductions are needed: intersections, sights and links would find nothing
        // more.
        let families = if templates.is_some() { Vec::new() } else { families(&houses) };
        let (unseen_cells, seen_pairs) =
            if templates.is_some() { Default::default() } else { unseen_cells(&houses, &houses_of, &seen) };
        // Rows, columns and boxes come first among the houses, and so do their three families.
        let (known_houses, known_families) = if has_boxes { (27, 3) } else { (0, 0) };
        for houses in &mut houses_of {
            houses.retain(|&house| usize::from(house) >= known_houses);
            houses.iter_mut().for_each(|house| *house -= known_houses as u8);
        }
        let pairs = (0..families.len()).flat_map(|a| (a + 1..families.len()).map(move |b| (a, b)));
        let pairs = pairs.filter(|&(_, b)| b >= known_families);
        let further = houses.iter().skip(known_houses);
        let touched = further.clone().chain(&differ).fold(0, |all, cells| all | cells);
        Some(RuleTables {
            peers,
            unseen_cells,
            seen_pairs,
            templates,
            touched: listed(touched),
            ranks: ranks.into_values().rev().collect(),
            houses_of,
            intersections: pairs.filter_map(|(a, b)| intersections(&families[a], &families[b])).collect(),
            leftovers: if has_boxes { Vec::new() } else { leftovers(&families) },
            houses: further.map(|&house| nine(house)).collect(),
        })
    }
}

/// Groups houses into families of disjoint houses. Each house joins the first family whose houses it does not
/// overlap.
fn families(houses: &[Cells]) -> Vec<Vec<Cells>> {
    let mut families: Vec<Vec<Cells>> = Vec::new();
    for &house in houses {
        match families.iter_mut().find(|family| family.iter().all(|other| other & house == 0)) {
            Some(family) => family.push(house),
            None => families.push(vec![house]),
        }
    }
    families
}

/// Adds the houses that can be derived from the given houses.
fn add_those_that_follow(houses: &mut Vec<Cells>) {
    loop {
        let families = families(houses);
        let mut found = Vec::new();
        for family in &families {
            for union in unions(family) {
                for other in families.iter().filter(|other| *other != family) {
                    let within: Vec<Cells> =
                        other.iter().copied().filter(|house| house & !union == 0).collect();
                    let rest = union & !within.iter().fold(0, |all, house| all | house);
                    if rest.count_ones() == 9 && !houses.contains(&rest) && !found.contains(&rest) {
                        found.push(rest);
                    }
                }
            }
        }
        found.truncate(MAX_HOUSES.saturating_sub(houses.len()));
        if found.is_empty() {
            return;
        }
        houses.append(&mut found);
    }
}

/// Returns the unions of any two or three houses of a family.
fn unions(family: &[Cells]) -> impl Iterator<Item = Cells> + '_ {
    let subsets =
        (0..1u32 << family.len()).filter(|subset| (2..=TOGETHER as u32).contains(&subset.count_ones()));
    subsets.map(|subset| quadrille_model::bits::Bits(subset).fold(0, |union, house| union | family[house]))
}

/// Returns the intersections of the houses of two families.
///
/// Returns `None` if no house of one family shares two cells with a house of the other family.
fn intersections(one: &[Cells], other: &[Cells]) -> Option<Intersections> {
    let crosses =
        |house: Cells, family: &[Cells]| family.iter().any(|cells| (house & cells).count_ones() > 1);
    let [one, other] = [(one, other), (other, one)].map(|(own, others)| {
        own.iter().copied().filter(|&house| crosses(house, others)).collect::<Vec<Cells>>()
    });
    let mut intersections = Vec::new();
    let mut add = |set: Cells, of: [usize; 2]| {
        if set != 0 {
            intersections.push(Intersection { cells: listed(set), of: of.map(|house| house as u8) });
        }
    };
    let [all, all_others] = [&one, &other].map(|family| family.iter().fold(0, |all, house| all | house));
    for (a, house) in one.iter().enumerate() {
        for (b, crossed) in other.iter().enumerate() {
            add(house & crossed, [a, b]);
        }
        add(house & !all_others, [a, NO_HOUSE.into()]);
    }
    for (b, house) in other.iter().enumerate() {
        add(house & !all, [NO_HOUSE.into(), b]);
    }
    (!intersections.is_empty()).then_some(intersections)
}

/// Returns the sights and links that intersections do not already imply.
///
/// In a sight or link, a cell outside a house sees some cells of the house. Intersections imply the sight or
/// link if another house contains the outside cell and all of these seen cells.
fn unseen_cells(
    houses: &[Cells],
    houses_of: &[Vec<u8>; CELLS],
    seen: &[Cells; CELLS],
) -> (CellLists, Vec<Links>) {
    let (mut unseen_cells, mut seen_pairs) = (CellLists::default(), Vec::new());
    let mut left = MAX_UNSEEN_CELLS;
    for &house in houses {
        let mut of_house = Vec::new();
        for cell in (0..CELLS).filter(|&cell| house >> cell & 1 == 0) {
            let holds_all_seen = |&other: &u8| houses[usize::from(other)] & house == house & seen[cell];
            if left == 0 || houses_of[cell].iter().any(holds_all_seen) {
                continue;
            }
            let sees = listed(house & seen[cell]);
            match sees[..] {
                [] | [_] => continue,
                [a, b] => of_house.push([a, b, cell as u8]),
                _ => unseen_cells.push(cell, house & !seen[cell]),
            }
            left -= 1;
        }
        if !of_house.is_empty() {
            seen_pairs.push((nine(house), of_house));
        }
    }
    (unseen_cells, seen_pairs)
}

/// Returns the nine cells of a house in ascending order.
fn nine(house: Cells) -> [u8; 9] {
    let mut cells = [0; 9];
    cells.iter_mut().zip(quadrille_model::bits::Bits(house)).for_each(|(place, cell)| *place = cell as u8);
    cells
}

/// Returns the leftovers: pairs of small sets of cells. The two sets of a pair must hold the same digits.
///
/// To find a pair, some adjacent houses of one family are compared with equally many houses of another family
/// that cover mostly the same cells. One set has the cells that only the first houses cover. The other set
/// has the cells that only the second houses cover.
fn leftovers(families: &[Vec<Cells>]) -> Vec<[Box<[u8]>; 2]> {
    let mut found: Vec<[Cells; 2]> = Vec::new();
    for (at, family) in families.iter().enumerate().filter(|(_, family)| family.len() == 9) {
        for others in families.iter().enumerate().filter(|(other, family)| *other != at && family.len() == 9)
        {
            for first in 0..9 {
                for end in first + 1..9 {
                    let union = family[first..end].iter().fold(0, |union, house| union | house);
                    let mut nearest = others.1.clone();
                    nearest.sort_by_key(|house| (house & !union).count_ones());
                    let covered = nearest[..end - first].iter().fold(0, |union, house| union | house);
                    let pair = [union & !covered, covered & !union];
                    let is_known =
                        found.iter().any(|known| known.contains(&pair[0]) && known.contains(&pair[1]));
                    if (1..=MAX_LEFTOVER).contains(&(pair[0].count_ones() as usize)) && !is_known {
                        found.push(pair);
                    }
                }
            }
        }
    }
    // The pairs are sorted by length so that the processor can predict where the loops over them end.
    found.sort_by_key(|pair| pair[0].count_ones());
    found.into_iter().map(|pair| pair.map(listed)).collect()
}
