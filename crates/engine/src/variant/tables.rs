//! The tables that propagation uses. They are made once from a set of rules, for all puzzles with these
//! rules.

use std::sync::Arc;

use super::combinations::Combinations;
use super::sum_table::SumTable;
use quadrille_model::bits::bits_of;
use quadrille_model::rules::Rules;

/// Maximum side length for which a table lists the digits that a relation allows, for every mask of
/// candidates.
///
/// Such a table has 2^side words.
const LOOKED_UP_SIDE: usize = 10;

/// Lists with consecutive indices from 0. The entries of all lists are stored one after another.
#[derive(Debug, Clone)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T: Copy + Ord> Lists<T> {
    /// Creates `count` lists from pairs of list index and entry. Each list is sorted and has no repeated
    /// entry.
    fn new(count: usize, mut pairs: Vec<(u16, T)>) -> Self {
        let lists = Lists::in_order(count, &pairs);
        let is_list = |number: usize| lists.list(number).is_sorted_by(|one, other| one < other);
        if (0..count).all(is_list) {
            return lists;
        }
        pairs.sort_unstable();
        pairs.dedup();
        Lists::in_order(count, &pairs)
    }

    /// Creates `count` lists from pairs of list index and entry. Within a list, entries keep the order of
    /// `pairs`.
    fn in_order(count: usize, pairs: &[(u16, T)]) -> Self {
        let mut starts = vec![0; count + 1];
        pairs.iter().for_each(|&(number, _)| starts[usize::from(number) + 1] += 1);
        for number in 0..count {
            starts[number + 1] += starts[number];
        }
        let mut entries: Vec<T> = pairs.iter().map(|&(_, entry)| entry).collect();
        let mut next = starts.clone();
        for &(number, entry) in pairs {
            let place = &mut next[usize::from(number)];
            entries[*place as usize] = entry;
            *place += 1;
        }
        Lists { starts, entries }
    }

    /// Returns the list with index `number`.
    #[inline]
    pub(super) fn list(&self, number: usize) -> &[T] {
        &self.entries[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// Tables made from a set of rules. See the [module](self).
#[derive(Debug)]
pub(super) struct Tables {
    /// The rules from which the tables were made.
    ///
    /// Tables are identified by the address of their rules. This reference keeps the rules alive, so that no
    /// other rules get the same address.
    pub(super) rules: Arc<Rules>,
    pub(super) side: usize,
    pub(super) cells: usize,
    /// All digits.
    pub(super) all: u64,
    /// Number of words of a set of cells.
    pub(super) words: usize,
    /// The cells of all full houses, `side` cells per house.
    pub(super) full: Vec<u16>,
    /// For each full house, the set of cells outside it, in `words` words.
    beside_houses: Vec<u64>,
    /// For each full house, true if some cell outside the house sees at least four of the house's cells.
    ///
    /// An outside cell cannot hold a digit if it sees all places of the digit in the house. If this value is
    /// false, digits with four or more places need not be checked for such cells. In plain 9x9 grids it is
    /// false for every house.
    pub(super) is_seen_widely: Vec<bool>,
    /// Per cell, its full houses.
    pub(super) houses_of: Lists<u16>,
    /// For each cell, its peers: the cells that must have a different digit.
    pub(super) peers: Lists<u16>,
    /// For each cell, the set of its peers, in `words` words.
    peer_sets: Vec<u64>,
    /// For each cell, its relations. Each entry has the other cell, and the index of the relation's table.
    pub(super) relations: Lists<(u16, u16)>,
    /// For each cell, the indices of the quotas that include the cell.
    ///
    /// A quota requires that a digit occurs in a group of cells at least a given number of times.
    pub(super) quotas_of: Lists<u16>,
    /// For each table, the digits that a cell may have, depending on the candidates of its related cell. The
    /// index is these candidates as a bit mask.
    ///
    /// Empty if the side length exceeds [`LOOKED_UP_SIDE`].
    looked_up: Vec<Box<[u64]>>,
    /// All sums: first the sums of the rules, then the sums derived from houses and cages.
    pub(super) sums: Vec<SumTable>,
    /// For each cell, the indices of the sums that include the cell.
    pub(super) sums_of: Lists<u16>,
    /// Sets of digits, by size and sum. `None` if there are no sums or the grid is too large.
    pub(super) combinations: Option<&'static Combinations>,
    /// For each cell, the number of its houses, relations and peers, plus twice the number of its sums.
    pub(super) degrees: Vec<u32>,
}

impl Tables {
    /// Creates the tables of `rules`, except the tables that [`add_sums`](Self::add_sums) adds.
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        let side = rules.shape().side();
        let cells = side * side;
        let words = cells.div_ceil(64);
        let all = (1 << side) - 1;
        let mut full = Vec::new();
        let mut houses_of = Vec::new();
        let mut beside_houses = Vec::new();
        let mut peer_sets = vec![0u64; cells * words];
        let mut set = vec![0u64; words];
        for house in rules.houses() {
            set.fill(0);
            house.cells.iter().for_each(|&cell| set[usize::from(cell) / 64] |= 1 << (cell % 64));
            for &cell in house.cells {
                let peers = &mut peer_sets[usize::from(cell) * words..][..words];
                peers.iter_mut().zip(&set).for_each(|(peers, set)| *peers |= set);
            }
            if house.cells.len() == side {
                let number = (full.len() / side) as u16;
                houses_of.extend(house.cells.iter().map(|&cell| (cell, number)));
                full.extend_from_slice(house.cells);
                beside_houses.extend(set.iter().map(|set| !set));
            }
        }
        for cell in 0..cells {
            peer_sets[cell * words + cell / 64] &= !(1 << (cell % 64));
        }
        let mut join = |a: u16, b: u16| {
            peer_sets[usize::from(a) * words + usize::from(b) / 64] |= 1 << (b % 64);
        };
        for (a, b) in rules.all_different() {
            join(a, b);
            join(b, a);
        }
        let relations =
            rules.relations().iter().map(|relation| (relation.from, (relation.to, relation.table))).collect();
        let mut peers = Lists { starts: vec![0], entries: Vec::with_capacity(3 * side * cells) };
        for set in peer_sets.chunks(words) {
            peers.entries.extend(bits_of(set.iter().copied()).map(|cell| cell as u16));
            peers.starts.push(peers.entries.len() as u32);
        }
        let looked_up = if side <= LOOKED_UP_SIDE {
            rules.tables().iter().map(|table| by_mask(table)).collect()
        } else {
            Vec::new()
        };
        let with_outside = full.chunks(side).zip(beside_houses.chunks(words));
        let is_seen_widely =
            with_outside.map(|(cells, outside)| sees_four(cells, outside, &peer_sets)).collect();
        let (houses_of, relations) = (Lists::new(cells, houses_of), Lists::new(cells, relations));
        let quotas_of = rules.quotas().iter().zip(0..);
        let quotas_of =
            quotas_of.flat_map(|(quota, number)| quota.cells.iter().map(move |&cell| (cell, number)));
        let quotas_of = Lists::new(cells, quotas_of.collect());
        let has_sums = !rules.sums().is_empty();
        let sees =
            |a: u16, b: u16| peer_sets[usize::from(a) * words + usize::from(b) / 64] >> (b % 64) & 1 != 0;
        let sums: Vec<SumTable> = rules.sums().iter().map(|sum| SumTable::new(sum, sees)).collect();
        let degree =
            |cell| (houses_of.list(cell).len() + relations.list(cell).len() + peers.list(cell).len()) as u32;
        Tables {
            side,
            cells,
            all,
            words,
            degrees: (0..cells).map(degree).collect(),
            full,
            beside_houses,
            is_seen_widely,
            houses_of,
            peers,
            peer_sets,
            relations,
            quotas_of,
            sums,
            sums_of: Lists::new(0, Vec::new()),
            combinations: if has_sums { Combinations::for_side(side) } else { None },
            looked_up,
            rules: Arc::clone(rules),
        }
    }

    /// Adds derived sums, and lists the sums of each cell. The tables are complete afterwards.
    pub(super) fn add_sums(&mut self, derived: Vec<SumTable>) {
        self.sums.extend(derived);
        let terms = self.sums.iter().zip(0u16..);
        let pairs: Vec<(u16, u16)> =
            terms.flat_map(|(sum, number)| sum.terms.iter().map(move |&(cell, _)| (cell, number))).collect();
        self.sums_of = Lists::new(self.cells, pairs);
        for (cell, degree) in self.degrees.iter_mut().enumerate() {
            *degree += 2 * self.sums_of.list(cell).len() as u32;
        }
    }

    /// Returns true if two cells must have different digits.
    #[inline]
    pub(super) fn sees(&self, a: usize, b: usize) -> bool {
        self.peer_sets[a * self.words + b / 64] >> (b % 64) & 1 != 0
    }

    /// Returns true if the full houses with the indices `a` and `b` have no common cell.
    pub(super) fn are_apart(&self, a: usize, b: usize) -> bool {
        self.beside_house(a).iter().zip(self.beside_house(b)).all(|(a, b)| a | b == u64::MAX)
    }

    /// Returns the number of full houses.
    pub(super) fn houses(&self) -> usize {
        self.full.len() / self.side
    }

    /// Returns the cells of a full house.
    #[inline]
    pub(super) fn house(&self, number: usize) -> &[u16] {
        &self.full[number * self.side..(number + 1) * self.side]
    }

    /// Returns the set of all cells outside a full house.
    #[inline]
    pub(super) fn beside_house(&self, number: usize) -> &[u64] {
        &self.beside_houses[number * self.words..(number + 1) * self.words]
    }

    #[inline]
    pub(super) fn peer_set(&self, cell: u16) -> &[u64] {
        let start = usize::from(cell) * self.words;
        &self.peer_sets[start..start + self.words]
    }

    /// Returns the digits that a table allows in one of two related cells, if the other cell has the
    /// candidates `mask`.
    #[inline]
    pub(super) fn beside(&self, table: u16, mask: u64) -> u64 {
        match self.looked_up.get(usize::from(table)) {
            Some(by_mask) => by_mask[mask as usize],
            None => {
                let table = &self.rules.tables()[usize::from(table)];
                quadrille_model::bits::Bits(mask).fold(0, |left, digit| left | table[digit])
            }
        }
    }
}

/// Returns true if some cell in the set `outside` sees at least four of `cells`.
fn sees_four(cells: &[u16], outside: &[u64], peer_sets: &[u64]) -> bool {
    let words = outside.len();
    outside.iter().enumerate().any(|(word, outside)| {
        // Count, for each outside cell, how many of `cells` it sees. Each bit belongs to one outside cell.
        // `ones` and `twos` are the two low bits of the count. `fours` is set if the count has reached four.
        let (mut ones, mut twos, mut fours) = (0, 0, 0);
        for &cell in cells {
            let seen = peer_sets[usize::from(cell) * words + word];
            fours |= twos & ones & seen;
            twos ^= ones & seen;
            ones ^= seen;
        }
        fours & outside != 0
    })
}

/// Converts a table with one entry per digit into a table with one entry per mask of digits.
fn by_mask(table: &[u64]) -> Box<[u64]> {
    let mut all = vec![0; 1 << table.len()];
    for mask in 1..all.len() {
        all[mask] = all[mask & (mask - 1)] | table[mask.trailing_zeros() as usize];
    }
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::rules::{Shape, compile};

    #[test]
    fn a_house_is_seen_widely_if_an_outside_cell_sees_four_of_its_cells() {
        let shape = |box_rows, box_columns| Shape { box_rows, box_columns };
        let others: String = ('c'..='i').map(|letter| letter.to_string().repeat(9)).collect();
        let jigsaw = format!(".Jigsaw~aaaaaaaababbbbbbbb{others}");
        let mut any = [0; 6];
        let cases = [
            (".Diagonal~1", shape(3, 3)),
            (".AntiKnight", shape(3, 3)),
            (".AntiKing.Windoku", shape(3, 3)),
            (".AntiKing", shape(2, 4)),
            (".AntiKing", shape(4, 4)),
            (jigsaw.as_str(), shape(3, 3)),
        ];
        for ((text, shape), any) in cases.into_iter().zip(&mut any) {
            let tables = Tables::new(&Arc::new(compile(text, shape).unwrap()));
            for house in 0..tables.houses() {
                let cells = tables.house(house);
                let seen = |cell: usize| {
                    cells.iter().filter(|&&other| tables.sees(cell, usize::from(other))).count()
                };
                let mut outside = (0..tables.cells).filter(|&cell| !cells.contains(&(cell as u16)));
                let expected = outside.any(|cell| seen(cell) >= 4);
                assert_eq!(tables.is_seen_widely[house], expected, "{text} {house}");
                *any += usize::from(expected);
            }
        }
        assert_eq!(any[0], 0, "a diagonal is crossed by three rows, columns and a box of a cell");
        assert!(any[4] > 0 && any[5] > 0, "{any:?}");
    }
}
