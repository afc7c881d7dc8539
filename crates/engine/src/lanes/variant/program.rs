//! Lists of cells that the passes of lanes with rules go through.
//!
//! The lists are made once, from the houses and pairs of the rules.

use std::collections::BTreeMap;

use super::templates::Templates;
pub(super) use super::templates::{CELLS, PLACES};
use quadrille_model::rules::{Label, Rules};

/// Maximum number of houses; the pairs of cells of further houses become peers.
const MAX_HOUSES: usize = 60;
/// Maximum number of disjoint houses that are combined to derive further houses.
const TOGETHER: usize = 3;
/// Maximum number of cells of a leftover: larger leftovers hardly ever lack a digit.
const MAX_LEFTOVER: usize = 6;
/// Maximum number of sights and links together.
const MAX_UNSEEN_CELLS: usize = 2_000;

/// A set of cells, one bit per cell.
type Cells = u128;

/// In [`Intersection::of`]: the cells belong to no house of that family.
pub(super) const NO_HOUSE: u8 = 9;

/// The cells that a house of one family and a house of another family have in common.
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
/// A link is two cells of the house, as indices in the house, and a cell outside the house that sees these two and no
/// other cell of it.
pub(super) type Links = ([u8; 9], Vec<[u8; 3]>);

/// The intersections of two families of houses.
pub(super) type Intersections = Vec<Intersection>;

/// The lists of cells of some rules, see the [module](self).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RuleTables {
    pub(super) houses: Vec<[u8; 9]>,
    /// Numbers of the houses of each cell.
    pub(super) houses_of: [Vec<u8>; CELLS],
    /// Cells with peers, each with its peers.
    pub(super) peers: Vec<(u8, Box<[u8]>)>,
    pub(super) intersections: Vec<Intersections>,
    pub(super) leftovers: Vec<[Box<[u8]>; 2]>,
    /// Sights: a cell, then the cells of a house that it does not see.
    ///
    /// Each cell sees at least three cells of the house.
    pub(super) unseen_cells: CellLists,
    /// Houses with their links.
    pub(super) seen_pairs: Vec<Links>,
    /// The graph of templates. `None` if it has too many edges, or if cells must differ that have no house of nine
    /// cells in common.
    pub(super) templates: Option<Templates>,
    /// The cells of houses, and the cells that have peers.
    pub(super) touched: Box<[u8]>,
    /// Sets of cells; the cells that see the most come first.
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

    /// Calls `visit` with the first cell and the other cells of each list.
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

/// Returns the cells of a set, ascending.
fn listed(set: Cells) -> Box<[u8]> {
    quadrille_model::bits::Bits(set).map(|cell| cell as u8).collect()
}

impl RuleTables {
    /// Creates the lists for 9x9 rules that consist of houses and pairs of different cells.
    pub(super) fn new(rules: &Rules) -> Self {
        RuleTables::from_rules(rules, false)
    }

    /// Creates the lists of the houses and pairs that `rules` add to plain grids.
    ///
    /// Returns `None` if the boxes are not among the houses of the rules.
    pub(super) fn in_addition_to_boxes(rules: &Rules) -> Option<Self> {
        let is_box = |label: &Label| matches!(label, Label::Box(_));
        let boxes = rules.houses().filter(|house| is_box(&house.label)).count();
        (boxes == 9).then(|| RuleTables::from_rules(rules, true))
    }

    fn from_rules(rules: &Rules, has_boxes: bool) -> Self {
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
        // Templates imply all deductions of intersections, sights and links.
        let families = if templates.is_some() { Vec::new() } else { families(&houses) };
        let (unseen_cells, seen_pairs) =
            if templates.is_some() { Default::default() } else { unseen_cells(&houses, &houses_of, &seen) };
        // Rows, columns and boxes are the first houses and the first families.
        let (known_houses, known_families) = if has_boxes { (27, 3) } else { (0, 0) };
        for houses in &mut houses_of {
            houses.retain(|&house| usize::from(house) >= known_houses);
            houses.iter_mut().for_each(|house| *house -= known_houses as u8);
        }
        let pairs = (0..families.len()).flat_map(|a| (a + 1..families.len()).map(move |b| (a, b)));
        let pairs = pairs.filter(|&(_, b)| b >= known_families);
        let further = houses.iter().skip(known_houses);
        let touched = further.clone().chain(&differ).fold(0, |all, cells| all | cells);
        RuleTables {
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
        }
    }
}

/// Groups houses into disjoint families: each house joins the first family that it does not overlap.
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

/// Adds the houses that follow from others.
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

/// Returns the unions of two and of three houses of a family.
fn unions(family: &[Cells]) -> impl Iterator<Item = Cells> + '_ {
    let subsets =
        (0..1u32 << family.len()).filter(|subset| (2..=TOGETHER as u32).contains(&subset.count_ones()));
    subsets.map(|subset| quadrille_model::bits::Bits(subset).fold(0, |union, house| union | family[house]))
}

/// Returns the intersections of two families, or `None` if no two of their houses share two cells.
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

/// Returns the sights and links, without those that follow from intersections.
///
/// A sight or link follows from an intersection if another house of the cell contains all cells of the house that the
/// cell sees.
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

/// Returns the cells of a house, ascending.
fn nine(house: Cells) -> [u8; 9] {
    let mut cells = [0; 9];
    cells.iter_mut().zip(quadrille_model::bits::Bits(house)).for_each(|(place, cell)| *place = cell as u8);
    cells
}

/// Returns the leftovers: pairs of small sets of cells that hold the same digits.
///
/// Some adjacent houses of one family cover mostly the same cells as an equal number of houses of another family. The
/// cells that only the first houses cover are one set, and the cells that only the others cover are the other.
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
    // Pairs are sorted by length, so that the processor predicts the ends of the loops.
    found.sort_by_key(|pair| pair[0].count_ones());
    found.into_iter().map(|pair| pair.map(listed)).collect()
}
