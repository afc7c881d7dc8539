//! Removes, for a whole digit at once, the candidates that are on no template.
//!
//! A *template* is a set of nine cells with one cell in each house: a possible placement of one digit in a
//! whole grid. A candidate that is on no template made of its digit's candidates is impossible. There are
//! thousands of templates, but they are the paths through a graph of a few hundred states, because earlier
//! rows matter only by the houses that they leave open:
//!
//! ```text
//!   row 1        row 2             row 9        state   the houses that hold the digit by now, without those
//!                                                       that lie entirely in earlier rows
//!   o--cell--> o --cell--> o ... o --cell--> o  edge    a cell of the row whose houses do not hold the digit yet
//! ```
//! A state is reached if an edge with a candidate comes from a reached state. It has an end if an edge with a
//! candidate goes to a state that has an end. An edge between two such states is on a template. So two sweeps
//! over the edges, one forwards and one back, find all candidates that are on a template of their digit.
//! Nothing more follows from one digit alone, whatever the houses are.
//!
//! Windoku has 696 edges, random jigsaws have 900 to 1,700, plain grids 936, disjoint groups 2,052, X 2,592.

use std::collections::{BTreeMap, BTreeSet};

use crate::lanes::wave::WaveResult;
use quadrille_model::bits::Bits;
use quadrille_model::simd::{Kernel, Vector};

/// Number of cells of a 9x9 grid.
pub(super) const CELLS: usize = 81;
/// Size of arrays indexed by cell: the number of cells rounded up to a power of two.
///
/// With this size, a 7-bit index needs no bounds check.
pub(super) const PLACES: usize = 128;

/// A set of cells, one bit per cell.
type Cells = u128;

/// Maximum number of edges of a template graph.
///
/// With 2,592 edges (sudoku X), sweeping over the graph takes longer than searching the nodes that the sweeps
/// save. With 2,052 edges (disjoint groups), the sweeps gain nothing.
const MAX_EDGES: usize = 1_800;
/// Size of arrays indexed by state of the graph.
///
/// There are at most `MAX_EDGES + 1` states, because every state except the first has an edge. The size is a
/// power of two so that indices need no bounds check.
const STATES: usize = 2_048;
const _: () = assert!(MAX_EDGES < STATES && STATES.is_power_of_two());

/// A state and a cell.
type Edge = [u16; 2];

/// Some of the states before or after one row of the grid. All states of the group have the same number of
/// edges.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    /// Number of edges of each state.
    degree: u8,
    states: Vec<u16>,
    /// The edges of all states, `degree` edges per state.
    edges: Vec<Edge>,
}

/// A row of the grid.
#[derive(Debug, PartialEq, Eq)]
struct RowStep {
    /// The states after this row of the grid, each with its incoming edges.
    ahead: Vec<Group>,
    /// The states before this row of the grid, each with its outgoing edges.
    back: Vec<Group>,
}

/// The graph of templates (possible placements of one digit) for a set of houses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Templates {
    steps: Vec<RowStep>,
    /// The state after all rows.
    end: usize,
}

/// A state of the template graph: one bit per unfinished house, set if the house already holds the digit.
type State = u64;

/// The edges of each row, as tuples of the state before the row, the cell, and the state after the row.
type Rows = Vec<Vec<(State, usize, State)>>;

impl Templates {
    /// Returns the template graph for a grid with the given houses, or `None` if the graph has too many
    /// edges.
    ///
    /// The first nine houses are the rows, and the next nine are the columns. Each house has nine cells.
    /// There are at most 64 houses.
    pub(super) fn new(houses: &[Cells]) -> Option<Self> {
        let (rows, rest) = houses.split_at_checked(9)?;
        let (columns, others) = rest.split_at_checked(9)?;
        let both = [(rows, columns), (columns, rows)];
        let graphs = both.into_iter().filter_map(|(rows, columns)| edges(rows, &[columns, others].concat()));
        let least = graphs.min_by_key(|rows| rows.iter().map(Vec::len).sum::<usize>())?;
        Some(Templates::from_rows(&least))
    }

    fn from_rows(rows: &Rows) -> Self {
        let mut numbers = BTreeMap::from([(0, 0u16)]);
        let mut end = 0;
        let mut steps = Vec::new();
        for edges in rows {
            let mut behind = BTreeMap::new();
            for &(.., to) in edges {
                behind.entry(to).or_insert_with(|| {
                    end += 1;
                    end
                });
            }
            let ahead = edges.iter().map(|&(from, cell, to)| (behind[&to], [numbers[&from], cell as u16]));
            let back = edges.iter().map(|&(from, cell, to)| (numbers[&from], [behind[&to], cell as u16]));
            steps.push(RowStep { ahead: groups(ahead), back: groups(back) });
            numbers = behind;
        }
        Templates { steps, end: end.into() }
    }
}

/// Groups states that have the same number of edges.
fn groups(edges: impl Iterator<Item = (u16, Edge)>) -> Vec<Group> {
    let mut by_state: BTreeMap<u16, Vec<Edge>> = BTreeMap::new();
    edges.for_each(|(state, edge)| by_state.entry(state).or_default().push(edge));
    let mut groups: BTreeMap<u8, Group> = BTreeMap::new();
    for (state, edges) in by_state {
        let degree = edges.len() as u8;
        let new = || Group { degree, states: Vec::new(), edges: Vec::new() };
        let group = groups.entry(degree).or_insert_with(new);
        group.states.push(state);
        group.edges.extend(edges);
    }
    groups.into_values().collect()
}

/// Returns those edges of each row that belong to at least one template, or `None` if there are too many.
fn edges(rows: &[Cells], houses: &[Cells]) -> Option<Rows> {
    let mut states: BTreeSet<State> = BTreeSet::from([0]);
    let mut behind: Cells = 0;
    let mut all = Rows::new();
    let holding = |set: Cells, is_in: &dyn Fn(Cells) -> bool| -> State {
        (0..houses.len())
            .filter(|&house| houses[house] & set != 0 && is_in(houses[house]))
            .fold(0, |all, house| all | 1 << house)
    };
    for &row in rows {
        behind |= row;
        let ended = holding(row, &|house| house & !behind == 0);
        let cells: Vec<(usize, State)> =
            Bits(row).map(|cell| (cell, holding(1 << cell, &|_| true))).collect();
        let mut edges = Vec::new();
        for &from in &states {
            let free = cells.iter().filter(|(_, of_cell)| from & of_cell == 0);
            let ends = free.map(|&(cell, of_cell)| (cell, from | of_cell));
            let ends = ends.filter(|(_, to)| to & ended == ended);
            edges.extend(ends.map(|(cell, to)| (from, cell, to & !ended)));
        }
        if edges.len() > MAX_EDGES {
            return None;
        }
        states = edges.iter().map(|&(.., to)| to).collect();
        all.push(edges);
    }
    // Remove edges that lead nowhere.
    for edges in all.iter_mut().rev() {
        edges.retain(|(.., to)| states.contains(to));
        states = edges.iter().map(|&(from, ..)| from).collect();
    }
    (all.iter().map(Vec::len).sum::<usize>() <= MAX_EDGES).then_some(all)
}

/// Calls a generic method on a group of states. The constant parameter of the method is the number of edges
/// per state.
macro_rules! by_degree {
    ($degree:expr, $self:ident.$method:ident($group:expr)) => {
        match $degree {
            1 => $self.$method::<1>($group),
            2 => $self.$method::<2>($group),
            3 => $self.$method::<3>($group),
            4 => $self.$method::<4>($group),
            5 => $self.$method::<5>($group),
            6 => $self.$method::<6>($group),
            7 => $self.$method::<7>($group),
            8 => $self.$method::<8>($group),
            _ => $self.$method::<9>($group),
        }
    };
}

/// Working memory of the sweeps.
pub(super) struct Sweeps<V> {
    /// For each state, the lanes in which the candidates allow a path from the first row of the grid to this
    /// state.
    reached: [V; STATES],
    /// For each state, the lanes in which the candidates allow a path from this state to the last row of the
    /// grid.
    ends: [V; STATES],
    /// The candidates of the digit.
    x: [V; PLACES],
    /// The candidates of the digit that are part of at least one template.
    kept: [V; PLACES],
}

impl<V: Vector> Sweeps<V> {
    /// Creates zeroed scratch space.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        let zero = V::zero(token);
        Box::new(Sweeps {
            reached: [zero; STATES],
            ends: [zero; STATES],
            x: [zero; PLACES],
            kept: [zero; PLACES],
        })
    }

    /// Stores in `kept` the candidates of `x` that are part of at least one template.
    ///
    /// Returns the lanes in which the digit has a template.
    #[inline(always)]
    fn keep(&mut self, templates: &Templates, ones: V) -> V {
        let zero = V::splat(ones, 0);
        self.reached[0] = ones;
        for step in &templates.steps {
            for group in &step.ahead {
                by_degree!(group.degree, self.ahead(group));
            }
        }
        let end = templates.end % STATES;
        self.ends[end] = ones;
        for cell in 0..CELLS {
            self.kept[cell] = zero;
        }
        for step in templates.steps.iter().rev() {
            for group in &step.back {
                by_degree!(group.degree, self.back(group));
            }
        }
        self.reached[end]
    }

    /// For each state with `N` incoming edges, computes the lanes in which the state is reached.
    #[inline(always)]
    fn ahead<const N: usize>(&mut self, group: &Group) {
        let zero = V::splat(self.x[0], 0);
        for (state, edges) in group.states.iter().zip(group.edges.as_chunks::<N>().0) {
            let mut any = zero;
            for at in 0..N {
                let [from, cell] = edges[at].map(usize::from);
                any = any.or_and(self.reached[from % STATES], self.x[cell % PLACES]);
            }
            self.reached[usize::from(*state) % STATES] = any;
        }
    }

    /// For each state with `N` outgoing edges, computes the lanes in which a path leads from the state to the
    /// end of the grid.
    ///
    /// Marks the candidate of an edge as kept in the lanes in which a path through the whole grid uses the
    /// edge.
    #[inline(always)]
    fn back<const N: usize>(&mut self, group: &Group) {
        let zero = V::splat(self.x[0], 0);
        for (state, edges) in group.states.iter().zip(group.edges.as_chunks::<N>().0) {
            let reached = self.reached[usize::from(*state) % STATES];
            let mut any = zero;
            for at in 0..N {
                let [to, cell] = edges[at].map(usize::from);
                let (to, cell) = (self.ends[to % STATES], cell % PLACES);
                any = any.or_and(to, self.x[cell]);
                self.kept[cell] = self.kept[cell].or_and(reached, to);
            }
            self.ends[usize::from(*state) % STATES] = any;
        }
    }
}

/// Removes candidates that are not part of any template.
pub(super) struct Keep<'a, V> {
    pub(super) candidates: &'a mut [[V; CELLS]; 9],
    pub(super) verdict: &'a mut WaveResult<V>,
    pub(super) templates: &'a Templates,
    pub(super) sweeps: &'a mut Sweeps<V>,
    pub(super) ones: V,
}

impl<V: Vector> Kernel<V> for Keep<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Keep { candidates, verdict, templates, sweeps, ones } = self;
        for number in 0..9 {
            let digit = &mut candidates[number];
            sweeps.x[..CELLS].copy_from_slice(digit);
            verdict.alive = verdict.alive.and(sweeps.keep(templates, ones));
            for cell in 0..CELLS {
                verdict.changed = verdict.changed.or_and_not(digit[cell], sweeps.kept[cell]);
                digit[cell] = digit[cell].and(sweeps.kept[cell]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::random::SplitMix64;
    use quadrille_model::simd::{Dispatch, every_vector, words, words_mut};

    /// Returns the rows, the columns and the regions of a layout. The layout has one letter per cell.
    fn houses(layout: &str) -> Vec<Cells> {
        let cells = |is_in: &dyn Fn(usize) -> bool| {
            (0..CELLS).filter(|&cell| is_in(cell)).fold(0, |all, cell| all | 1 << cell)
        };
        let rows = (0..9).map(|row| cells(&|cell| cell / 9 == row));
        let columns = (0..9).map(|column| cells(&|cell| cell % 9 == column));
        let regions = (b'0'..=b'8').map(|letter| cells(&|cell| layout.as_bytes()[cell] == letter));
        rows.chain(columns).chain(regions).collect()
    }

    const JIGSAW: &str = "000001112003001122443311122443333125444443325666666625767778825767888555777888855";
    const BOXES: &str = "000111222000111222000111222333444555333444555333444555666777888666777888666777888";

    fn windoku() -> Vec<Cells> {
        let window =
            |corner: usize| (0..9).fold(0, |all, cell| all | 1 << (corner + 9 * (cell / 3) + cell % 3));
        [houses(BOXES), [10, 14, 46, 50].map(window).to_vec()].concat()
    }

    /// Returns the union of all templates within the cells `among`. Finds them by trying every cell of every
    /// row.
    fn union(houses: &[Cells], among: Cells, row: usize, chosen: Cells) -> Cells {
        if row == 9 {
            return if houses.iter().all(|house| (house & chosen).count_ones() == 1) { chosen } else { 0 };
        }
        let seen = houses.iter().filter(|house| **house & chosen != 0).fold(0, |all, house| all | house);
        let free = Bits(houses[row] & among & !seen);
        free.fold(0, |all, cell| all | union(houses, among, row + 1, chosen | 1 << cell))
    }

    #[test]
    fn remaining_candidates_are_on_a_template() {
        struct Check;
        impl Dispatch for Check {
            type Output = ();
            fn with<V: Vector>(self, token: V::Token) {
                let mut random = SplitMix64(29);
                for houses in [houses(JIGSAW), houses(BOXES), windoku()] {
                    let templates = Templates::new(&houses).expect("few edges");
                    let mut sweeps = Sweeps::new(token);
                    let mut candidates = [[V::zero(token); CELLS]; 9];
                    // Each digit is a candidate in one third to two thirds of the cells.
                    for (digit, words) in candidates.iter_mut().map(|cells| words_mut(cells)).enumerate() {
                        words.fill_with(|| {
                            let [a, b] = [random.word(), random.word()];
                            [a & b | b & random.word(), a, a | b & random.word()][digit % 3]
                        });
                    }
                    let before = candidates;
                    let zero = V::zero(token);
                    let ones = V::splat(zero, u64::MAX);
                    let mut verdict = WaveResult { alive: ones, solved: zero, changed: zero };
                    let keep = Keep {
                        candidates: &mut candidates,
                        verdict: &mut verdict,
                        templates: &templates,
                        sweeps: &mut sweeps,
                        ones,
                    };
                    V::enter(token, keep);
                    let is_set = |words: &[u64], vector: usize, lane: usize| {
                        words[vector * V::WORDS + lane / 64] >> (lane % 64) & 1 != 0
                    };
                    for lane in (0..64 * V::WORDS).step_by(5) {
                        let (mut alive, mut changed) = (true, false);
                        for digit in 0..9 {
                            let cells = |of: &[[V; CELLS]; 9]| {
                                let is_in = |&cell: &usize| is_set(words(&of[digit]), cell, lane);
                                (0..CELLS).filter(is_in).fold(0, |all: Cells, cell| all | 1 << cell)
                            };
                            let expected = union(&houses, cells(&before), 0, 0);
                            assert_eq!(cells(&candidates), expected, "lane {lane}, digit {digit}");
                            alive &= expected != 0;
                            changed |= expected != cells(&before);
                        }
                        assert_eq!(is_set(words(&[verdict.alive]), 0, lane), alive);
                        assert_eq!(is_set(words(&[verdict.changed]), 0, lane), changed);
                    }
                }
            }
        }
        every_vector(|| Check);
    }

    #[test]
    fn the_edges_are_those_of_the_templates() {
        for houses in [houses(JIGSAW), windoku()] {
            let edges = edges(&houses[..9], &houses[9..]).expect("few edges");
            // Every edge ends in a state. An edge of the next row must begin in this state.
            let pairs = edges.iter().zip(&edges[1..]);
            for (row, next) in pairs {
                let ends: BTreeSet<State> = row.iter().map(|&(.., to)| to).collect();
                assert_eq!(ends, next.iter().map(|&(from, ..)| from).collect());
            }
        }
        assert_eq!(edges(&windoku()[..9], &windoku()[9..]).map(|rows| rows.concat().len()), Some(696));
        let diagonal = |first: usize, step: usize| (0..9).fold(0, |all, row| all | 1 << (first + step * row));
        assert_eq!(
            Templates::new(&[houses(BOXES), [diagonal(0, 10), diagonal(8, 8)].to_vec()].concat()),
            None
        );
        assert_eq!(Templates::new(&houses(BOXES)[..9]), None);
    }
}
