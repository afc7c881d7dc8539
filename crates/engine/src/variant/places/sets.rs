//! Stores the rules of a grid as sets of cells.

use std::sync::Arc;

use super::super::cells::Cells;
use super::leftovers::find_leftovers;
use super::links::Links;
use super::numbered::BitIndexed;
use quadrille_model::rules::Rules;

/// The rules about one cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellRules<const W: usize> {
    /// The cells whose digits must differ from the digit of this cell.
    pub(super) peers: Cells<W>,
    /// The full houses that contain the cell, one bit per house.
    pub(super) houses: u64,
    /// The leftovers that contain the cell, one bit per pair of sets.
    pub(super) leftovers: u64,
}

/// Rules as sets of cells. The rules may consist of houses, pairs of cells that must differ, and relations.
#[derive(Debug)]
pub(super) struct Sets<const W: usize> {
    /// The rules from which the sets were made.
    ///
    /// Sets are identified by the address of their rules. This reference keeps the rules alive, so that no
    /// other rules get the same address.
    pub(super) rules: Arc<Rules>,
    pub(super) side: usize,
    /// All cells of the grid.
    pub(super) all: Cells<W>,
    pub(super) about: Vec<CellRules<W>>,
    /// The full houses.
    pub(super) houses: BitIndexed<Cells<W>>,
    /// The leftovers: pairs of sets of cells. The two sets of a pair must hold the same digits.
    pub(super) leftovers: BitIndexed<[Cells<W>; 2]>,
    pub(super) links: Links<W>,
    /// For each cell, the number of its peers plus the number of relations that lead from it.
    pub(super) degrees: Vec<usize>,
    pub(super) largest_degree: usize,
    /// Sets of cells. All cells of a set have the same degree, and sets with a larger degree come first.
    pub(super) ranks: Vec<Cells<W>>,
}

impl<const W: usize> Sets<W> {
    /// Creates the sets of `rules`.
    ///
    /// Every grid may have different rules. So most lists of the new sets reuse the memory of the sets `old`.
    pub(super) fn new(rules: &Arc<Rules>, old: Option<Self>) -> Self {
        let side = rules.shape().side();
        let cells = side * side;
        let (mut about, mut houses, mut leftovers, mut degrees, mut ranks) = match old {
            Some(old) => (old.about, old.houses, old.leftovers, old.degrees, old.ranks),
            None => {
                let leftovers = BitIndexed::new([Cells::NONE; 2]);
                (Vec::new(), BitIndexed::new(Cells::NONE), leftovers, Vec::new(), Vec::new())
            }
        };
        about.clear();
        about.resize(cells, CellRules { peers: Cells::NONE, houses: 0, leftovers: 0 });
        houses.clear();
        for house in rules.houses() {
            let set = Cells::from_cells(house.cells);
            let bit = if house.cells.len() == side { 1 << houses.as_slice().len() } else { 0 };
            for &cell in house.cells {
                let about = &mut about[usize::from(cell)];
                about.peers = about.peers | set;
                about.houses |= bit;
            }
            if bit != 0 {
                houses.push(set);
            }
        }
        for (a, b) in rules.all_different() {
            let (a, b) = (usize::from(a), usize::from(b));
            about[a].peers = about[a].peers | Cells::only(b);
            about[b].peers = about[b].peers | Cells::only(a);
        }
        let links = Links::new(rules, |a, b| about[a].peers.contains(b));
        leftovers.clear();
        find_leftovers(rules, houses.as_slice(), &mut leftovers);
        for (number, [one, other]) in leftovers.as_slice().iter().enumerate() {
            (*one | *other).visit(|cell| about[cell].leftovers |= 1 << number);
        }
        degrees.clear();
        for (cell, about) in about.iter_mut().enumerate() {
            about.peers = about.peers.without(Cells::only(cell));
            degrees.push(about.peers.count() + links.degree(cell));
        }
        let largest_degree = degrees.iter().copied().max().unwrap_or(0);
        ranks.clear();
        ranks.resize(largest_degree + 1, Cells::NONE);
        for (cell, &degree) in degrees.iter().enumerate() {
            let rank = &mut ranks[largest_degree - degree];
            *rank = *rank | Cells::only(cell);
        }
        ranks.retain(|rank| !rank.is_empty());
        let (rules, all) = (Arc::clone(rules), (0..cells).collect());
        Sets { rules, side, all, about, houses, leftovers, links, degrees, largest_degree, ranks }
    }
}
