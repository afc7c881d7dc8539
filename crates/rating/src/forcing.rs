//! Nishio, multiple and dynamic forcing chains: the conclusions of an assumption, and those that several
//! assumptions have in common.
//!
//! Everything that follows from one candidate on or off is a [`Run`]. Conclusions wait in two queues; those
//! that hold come first. In a dynamic run, a candidate that fails is removed from a copy of the grid. So
//! later links rest on earlier conclusions, which are parents of the new one. With additional techniques
//! ("plus"), locking, pairs and X-wings are applied to that copy when nothing else follows.

use super::chains::added;
use super::fish::{Fish, fish};
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{ALL, CELLS, CHAIN_ORDER, HOUSES, PEER_LIST, ones};
use super::locking::locking;
use super::subsets::{hidden_sets, naked_sets};
use super::trace::Trace;
use super::{Technique, Tenths};
use quadrille_model::bits::Bits;

/// A producer of hints of Sudoku Explainer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Contradictions within one digit.
    Nishio,
    /// Common conclusions of all candidates of a cell, or of all places of a digit.
    Multiple,
    /// Like `Multiple`, using conclusions made along the way; also contradictions and common conclusions of
    /// both states of a candidate.
    Dynamic,
    /// Like `Dynamic`, with further techniques along the way.
    Plus,
}

impl Kind {
    const fn is_dynamic(self) -> bool {
        !matches!(self, Kind::Multiple)
    }

    const fn is_nishio(self) -> bool {
        matches!(self, Kind::Nishio)
    }

    const fn least(self) -> f64 {
        match self {
            Kind::Nishio => 7.5,
            Kind::Multiple => 8.0,
            Kind::Dynamic => 8.5,
            Kind::Plus => 9.0,
        }
    }

    /// Returns the techniques for a contradiction, both states of a candidate, a cell, and a house.
    const fn techniques(self) -> [Technique; 4] {
        use Technique::*;
        match self {
            Kind::Nishio => [Nishio; 4],
            Kind::Multiple => [CellChains, CellChains, CellChains, HouseChains],
            Kind::Dynamic => [DynamicContradiction, DynamicDouble, DynamicCell, DynamicHouse],
            Kind::Plus => [PlusContradiction, PlusDouble, PlusCell, PlusHouse],
        }
    }
}

/// The form of a forcing hint: an index into [`Kind::techniques`], and a sort key for equal ratings and
/// lengths.
#[derive(Clone, Copy)]
enum Form {
    Contradiction,
    Double,
    Cell,
    House,
}

impl Form {
    const fn key(self) -> u8 {
        match self {
            Form::Contradiction => 7,
            Form::Double => 1,
            Form::Cell => 5,
            Form::House => 6,
        }
    }
}

const NONE: u16 = u16::MAX;

/// A conclusion of a run.
#[derive(Clone, Copy)]
struct Node {
    cell: u8,
    digit: u8,
    is_on: bool,
    /// Range of its parents in [`Run::parents`].
    from: (u32, u32),
    /// Number of its ancestors, itself included; 0 until they are counted.
    ancestors: u16,
}

/// Everything that follows from one assumption.
struct Run {
    nodes: Vec<Node>,
    parents: Vec<u16>,
    /// The node of each candidate, off and on.
    at: [[[u16; 9]; 81]; 2],
    /// The nodes off and on, in the order in which they were reached.
    order: [Vec<u16>; 2],
    /// Two nodes of the same candidate, on and off, if the assumption leads to a contradiction.
    contradiction: Option<[u16; 2]>,
}

impl Run {
    fn new() -> Self {
        Run {
            nodes: Vec::new(),
            parents: Vec::new(),
            at: [[[NONE; 9]; 81]; 2],
            order: [Vec::new(), Vec::new()],
            contradiction: None,
        }
    }

    fn clear(&mut self) {
        for node in &self.nodes {
            self.at[usize::from(node.is_on)][usize::from(node.cell)][usize::from(node.digit)] = NONE;
        }
        self.nodes.clear();
        self.parents.clear();
        self.order.iter_mut().for_each(Vec::clear);
        self.contradiction = None;
    }

    fn node(&self, cell: usize, digit: usize, is_on: bool) -> Option<u16> {
        let node = self.at[usize::from(is_on)][cell][digit];
        (node != NONE).then_some(node)
    }

    /// Adds a node whose parents are those from `begin` on. It cannot be looked up by its candidate yet.
    fn add(&mut self, cell: usize, digit: usize, is_on: bool, begin: usize) -> u16 {
        let from = (begin as u32, self.parents.len() as u32);
        self.nodes.push(Node { cell: cell as u8, digit: digit as u8, is_on, from, ancestors: 0 });
        (self.nodes.len() - 1) as u16
    }

    /// Makes a node known by its candidate.
    fn reach(&mut self, number: u16) {
        let node = self.nodes[usize::from(number)];
        let is_on = usize::from(node.is_on);
        self.at[is_on][usize::from(node.cell)][usize::from(node.digit)] = number;
        self.order[is_on].push(number);
    }

    fn parents_of(&self, number: u16) -> &[u16] {
        let (begin, end) = self.nodes[usize::from(number)].from;
        &self.parents[begin as usize..end as usize]
    }

    /// Returns the number of ancestors of a node, itself included.
    fn ancestors(&mut self, number: u16, scratch: &mut Scratch) -> usize {
        let known = self.nodes[usize::from(number)].ancestors;
        if known != 0 {
            return usize::from(known);
        }
        let count = match *self.parents_of(number) {
            [] => 1,
            // With a single parent, no ancestor is counted twice.
            [parent] => 1 + self.ancestors(parent, scratch),
            _ => {
                scratch.collect(self, number);
                scratch.found.len()
            }
        };
        self.nodes[usize::from(number)].ancestors = count as u16;
        count
    }
}

/// A set of nodes of a run.
#[derive(Default)]
struct Scratch {
    seen: Vec<u32>,
    turn: u32,
    found: Vec<u16>,
}

impl Scratch {
    /// Collects a node and its ancestors.
    fn collect(&mut self, run: &Run, number: u16) {
        self.turn += 1;
        self.seen.resize(self.seen.len().max(run.nodes.len()), 0);
        self.found.clear();
        self.found.push(number);
        self.seen[usize::from(number)] = self.turn;
        let mut at = 0;
        while let Some(&number) = self.found.get(at) {
            at += 1;
            for &parent in run.parents_of(number) {
                if self.seen[usize::from(parent)] != self.turn {
                    self.seen[usize::from(parent)] = self.turn;
                    self.found.push(parent);
                }
            }
        }
    }
}

/// The memory of the searches.
pub(super) struct Forcing {
    /// A run for each candidate on, computed on first use.
    on: Vec<Run>,
    number: [[u16; 9]; 81],
    made: Vec<bool>,
    off: Run,
    work: Work,
    scratch: Scratch,
    /// Number of candidates and sort key of the best hint so far.
    best: Option<(usize, u8)>,
}

impl Forcing {
    pub(super) fn new() -> Self {
        Forcing {
            on: Vec::new(),
            number: [[NONE; 9]; 81],
            made: Vec::new(),
            off: Run::new(),
            work: Work { grid: Grid::new(), hint: Hint::new(), fish: Vec::new() },
            scratch: Scratch::default(),
            best: None,
        }
    }

    /// Finds the best hint of a kind.
    pub(super) fn find(&mut self, grid: &Grid, kind: Kind, hint: &mut Hint, trace: &mut Trace) -> bool {
        self.best = None;
        self.made.clear();
        for cell in 0..81 {
            for digit in Bits(grid.candidates[cell]) {
                self.number[cell][digit] = self.made.len() as u16;
                self.made.push(false);
            }
        }
        while self.on.len() < self.made.len() {
            self.on.push(Run::new());
        }
        for cell in 0..81 {
            let count = ones(grid.candidates[cell]);
            if count < 2 || (count == 2 && !kind.is_dynamic()) {
                continue;
            }
            for digit in Bits(grid.candidates[cell]) {
                self.on_run(grid, kind, cell, digit);
                if kind.is_dynamic() {
                    self.both_states(grid, kind, cell, digit, count > 2, hint, trace);
                }
                if !kind.is_nishio() {
                    self.houses(grid, kind, cell, digit, hint, trace);
                }
            }
            if !kind.is_nishio() {
                let mut runs = [0u16; 9];
                let mut length = 0;
                for digit in Bits(grid.candidates[cell]) {
                    runs[length] = self.number[cell][digit];
                    length += 1;
                }
                self.common(grid, kind, Form::Cell, &runs[..length], hint, trace);
            }
        }
        self.best.is_some()
    }

    /// Returns the number of the run that starts with the candidate on, computing the run on first use.
    fn on_run(&mut self, grid: &Grid, kind: Kind, cell: usize, digit: usize) -> u16 {
        let number = self.number[cell][digit];
        if !self.made[usize::from(number)] {
            self.made[usize::from(number)] = true;
            self.work.follow(grid, kind, (cell, digit, true), &mut self.on[usize::from(number)]);
        }
        number
    }

    /// Finds contradictions of a candidate on and off, and common conclusions of both.
    #[allow(clippy::too_many_arguments, reason = "the state of one search")]
    fn both_states(
        &mut self,
        grid: &Grid,
        kind: Kind,
        cell: usize,
        digit: usize,
        is_double: bool,
        hint: &mut Hint,
        trace: &mut Trace,
    ) {
        let number = usize::from(self.number[cell][digit]);
        if let Some([on, off]) = self.on[number].contradiction {
            let complexity = {
                let run = &mut self.on[number];
                run.ancestors(on, &mut self.scratch) + run.ancestors(off, &mut self.scratch)
            };
            if self.improves(Form::Contradiction, complexity) {
                self.begin(kind, Form::Contradiction, complexity, hint);
                hint.remove(grid, cell, 1 << digit);
                trace.clear();
                write(&self.on[number], on, &mut self.scratch, trace, hint);
                write(&self.on[number], off, &mut self.scratch, trace, hint);
            }
        }
        self.work.follow(grid, kind, (cell, digit, false), &mut self.off);
        if let Some([on, off]) = self.off.contradiction {
            let complexity =
                self.off.ancestors(on, &mut self.scratch) + self.off.ancestors(off, &mut self.scratch);
            if grid.candidates[cell] & !(1 << digit) != 0 && self.improves(Form::Contradiction, complexity) {
                self.begin(kind, Form::Contradiction, complexity, hint);
                conclude(grid, cell, digit, true, hint);
                trace.clear();
                write(&self.off, on, &mut self.scratch, trace, hint);
                write(&self.off, off, &mut self.scratch, trace, hint);
            }
        }
        if is_double && !kind.is_nishio() {
            for is_on in [true, false] {
                for index in 0..self.on[number].order[usize::from(is_on)].len() {
                    let node = self.on[number].order[usize::from(is_on)][index];
                    let Node { cell: to, digit: value, .. } = self.on[number].nodes[usize::from(node)];
                    let (to, value) = (usize::from(to), usize::from(value));
                    let Some(other) = self.off.node(to, value, is_on) else { continue };
                    if is_on && grid.candidates[to] & !(1 << value) == 0 {
                        continue;
                    }
                    let complexity = self.on[number].ancestors(node, &mut self.scratch)
                        + self.off.ancestors(other, &mut self.scratch);
                    if self.improves(Form::Double, complexity) {
                        self.begin(kind, Form::Double, complexity, hint);
                        conclude(grid, to, value, is_on, hint);
                        trace.clear();
                        write(&self.on[number], node, &mut self.scratch, trace, hint);
                        write(&self.off, other, &mut self.scratch, trace, hint);
                    }
                }
            }
        }
    }

    /// Finds common conclusions of all places of a digit in houses in which `cell` is the first place.
    fn houses(
        &mut self,
        grid: &Grid,
        kind: Kind,
        cell: usize,
        digit: usize,
        hint: &mut Hint,
        trace: &mut Trace,
    ) {
        for in_order in CHAIN_ORDER {
            let (house, place) = HOUSES[cell][in_order];
            let places = grid.places[usize::from(house)][digit];
            if ones(places) < 2 || places.trailing_zeros() != u32::from(place) {
                continue;
            }
            let mut runs = [0u16; 9];
            let mut length = 0;
            for place in Bits(places) {
                runs[length] = self.on_run(grid, kind, usize::from(CELLS[usize::from(house)][place]), digit);
                length += 1;
            }
            if self.common(grid, kind, Form::House, &runs[..length], hint, trace) {
                hint.add_house(usize::from(house));
            }
        }
    }

    /// Finds common conclusions of some runs; returns true if one is the best hint so far.
    fn common(
        &mut self,
        grid: &Grid,
        kind: Kind,
        form: Form,
        runs: &[u16],
        hint: &mut Hint,
        trace: &mut Trace,
    ) -> bool {
        let mut is_best = false;
        let first = usize::from(runs[0]);
        for is_on in [true, false] {
            for index in 0..self.on[first].order[usize::from(is_on)].len() {
                let node = self.on[first].order[usize::from(is_on)][index];
                let Node { cell: to, digit: value, .. } = self.on[first].nodes[usize::from(node)];
                let (to, value) = (usize::from(to), usize::from(value));
                if is_on && grid.candidates[to] & !(1 << value) == 0 {
                    continue;
                }
                let in_all =
                    runs.iter().all(|&run| self.on[usize::from(run)].node(to, value, is_on).is_some());
                if !in_all {
                    continue;
                }
                let most = self.best.map_or(usize::MAX, |(complexity, _)| complexity);
                let mut complexity = 0;
                for &run in runs {
                    let run = &mut self.on[usize::from(run)];
                    if let Some(node) = run.node(to, value, is_on) {
                        complexity += run.ancestors(node, &mut self.scratch);
                    }
                    if complexity > most {
                        break;
                    }
                }
                if self.improves(form, complexity) {
                    is_best = true;
                    self.begin(kind, form, complexity, hint);
                    conclude(grid, to, value, is_on, hint);
                    trace.clear();
                    for &run in runs {
                        let run = &self.on[usize::from(run)];
                        if let Some(node) = run.node(to, value, is_on) {
                            write(run, node, &mut self.scratch, trace, hint);
                        }
                    }
                }
            }
        }
        is_best
    }

    /// Makes a hint the best so far if it is better; returns true if it was.
    fn improves(&mut self, form: Form, complexity: usize) -> bool {
        // The rating of one kind grows with the number of candidates, so that number decides.
        let key = (complexity, form.key());
        let is_better = self.best.is_none_or(|best| key < best);
        if is_better {
            self.best = Some(key);
        }
        is_better
    }

    fn begin(&self, kind: Kind, form: Form, complexity: usize, hint: &mut Hint) {
        hint.begin(kind.techniques()[form as usize]);
        hint.rating = Tenths::from_f64(kind.least() + added(complexity));
    }
}

/// The memory of one run.
struct Work {
    /// The grid without the candidates that failed.
    grid: Grid,
    hint: Hint,
    fish: Vec<Fish>,
}

impl Work {
    /// Finds everything that follows from a candidate on or off.
    fn follow(
        &mut self,
        source: &Grid,
        kind: Kind,
        (cell, digit, is_on): (usize, usize, bool),
        run: &mut Run,
    ) {
        run.clear();
        let number = run.add(cell, digit, is_on, 0);
        run.reach(number);
        let has_cell_links = !kind.is_nishio();
        if kind.is_dynamic() {
            self.grid.clone_from(source);
        }
        let (mut next_on, mut next_off) = (0, 0);
        loop {
            let grid = if kind.is_dynamic() { &self.grid } else { source };
            if let Some(&number) = run.order[1].get(next_on) {
                next_on += 1;
                if fail(grid, run, number, has_cell_links) {
                    break;
                }
            } else if let Some(&number) = run.order[0].get(next_off) {
                next_off += 1;
                if hold(grid, source, run, number, has_cell_links) {
                    break;
                }
                if kind.is_dynamic() {
                    let node = run.nodes[usize::from(number)];
                    self.grid.remove(usize::from(node.cell), usize::from(node.digit));
                }
            } else if kind != Kind::Plus || !self.advance(source, run) {
                break;
            }
        }
    }

    /// Adds the candidates that techniques remove in the grid of a run; returns `false` if there are none.
    fn advance(&mut self, source: &Grid, run: &mut Run) -> bool {
        let before = run.order[0].len();
        let Work { grid, hint, fish: all } = self;
        let every_house = (1 << 27) - 1;
        for technique in 0..4 {
            let mut any = false;
            let mut add = |hint: &Hint| {
                any |= add_removed(grid, source, run, hint);
                false
            };
            match technique {
                0 => locking(grid, ALL, hint, &mut add),
                1 => hidden_sets(grid, 2, every_house, hint, &mut add),
                2 => naked_sets(grid, 2, every_house, hint, &mut add),
                _ => fish(grid, 2, ALL, all, hint, &mut add),
            };
            if any {
                break;
            }
        }
        run.order[0].len() > before
    }
}

/// Adds the candidates that a hint removes, as conclusions from the candidates that had to fail first.
///
/// Returns true if some had to fail, that is, if the hint does not exist without the run.
fn add_removed(grid: &Grid, source: &Grid, run: &mut Run, hint: &Hint) -> bool {
    use Technique::*;
    let begin = run.parents.len();
    let need = |run: &mut Run, cell: usize, digit: usize| {
        if let Some(node) = run.node(cell, digit, false) {
            run.parents.push(node);
        }
    };
    match hint.technique {
        NakedPair => {
            for cell in Bits(hint.cells) {
                for digit in Bits(source.candidates[cell] & !hint.digits) {
                    need(run, cell, digit);
                }
            }
        }
        HiddenPair => {
            let house = usize::from(hint.houses()[0]);
            for cell in CELLS[house].map(usize::from) {
                if hint.cells >> cell & 1 == 0 {
                    for digit in Bits(source.candidates[cell] & hint.digits) {
                        need(run, cell, digit);
                    }
                }
            }
        }
        _ => {
            let digit = hint.digits.trailing_zeros() as usize;
            let covers = || hint.houses().iter().skip(1).step_by(2);
            for &house in hint.houses().iter().step_by(2) {
                for cell in CELLS[usize::from(house)].map(usize::from) {
                    let is_covered =
                        covers().any(|&cover| HOUSES[cell].iter().any(|&(house, _)| house == cover));
                    if source.has(cell, digit) && !grid.has(cell, digit) && !is_covered {
                        need(run, cell, digit);
                    }
                }
            }
        }
    }
    let end = run.parents.len();
    if begin == end {
        return false;
    }
    let mut removed: [(u8, u16); 81] = [(0, 0); 81];
    let count = hint.removed().len();
    removed[..count].copy_from_slice(hint.removed());
    // Sudoku Explainer has no fixed order here; this program orders by cell.
    removed[..count].sort_unstable();
    for &(cell, digits) in &removed[..count] {
        for digit in Bits(digits) {
            let cell = usize::from(cell);
            if run.node(cell, digit, false).is_none() {
                let begin_here = run.parents.len();
                run.parents.extend_from_within(begin..end);
                let number = run.add(cell, digit, false, begin_here);
                run.reach(number);
            }
        }
    }
    true
}

/// Applies a conclusion to a hint.
fn conclude(grid: &Grid, cell: usize, digit: usize, is_on: bool, hint: &mut Hint) {
    if is_on {
        hint.remove(grid, cell, !(1 << digit));
        hint.placed = Some((cell as u8, digit as u8));
    } else {
        hint.remove(grid, cell, 1 << digit);
    }
}

/// Adds the candidates that fail if a node holds; returns true if one of them holds in the run.
fn fail(grid: &Grid, run: &mut Run, number: u16, has_cell_links: bool) -> bool {
    let Node { cell, digit, .. } = run.nodes[usize::from(number)];
    let (cell, digit) = (usize::from(cell), usize::from(digit));
    let one = |run: &mut Run, to: usize, value: usize| {
        let holds = run.node(to, value, true);
        if holds.is_none() && run.node(to, value, false).is_some() {
            return false;
        }
        let begin = run.parents.len();
        run.parents.push(number);
        let new = run.add(to, value, false, begin);
        match holds {
            Some(holds) => run.contradiction = Some([holds, new]),
            None => run.reach(new),
        }
        holds.is_some()
    };
    if has_cell_links {
        for other in Bits(grid.candidates[cell] & !(1 << digit)) {
            if one(run, cell, other) {
                return true;
            }
        }
    }
    let board = grid.boards[digit];
    PEER_LIST[cell].into_iter().any(|peer| board >> peer & 1 == 1 && one(run, usize::from(peer), digit))
}

/// Adds the candidates that hold if a node fails; returns true if one of them fails in the run.
fn hold(grid: &Grid, source: &Grid, run: &mut Run, number: u16, has_cell_links: bool) -> bool {
    let Node { cell, digit, .. } = run.nodes[usize::from(number)];
    let (cell, digit) = (usize::from(cell), usize::from(digit));
    // Collect all of them before adding the first: each rests only on earlier failures.
    let mut new = [(0usize, 0usize, 0u32, 0u32); 4];
    let mut count = 0;
    if has_cell_links && ones(grid.candidates[cell]) == 2 {
        let other = (grid.candidates[cell] & !(1 << digit)).trailing_zeros() as usize;
        let begin = run.parents.len();
        run.parents.push(number);
        for gone in Bits(source.candidates[cell] & !grid.candidates[cell]) {
            push_failed(run, cell, gone);
        }
        new[count] = (cell, other, begin as u32, run.parents.len() as u32);
        count += 1;
    }
    for kind in CHAIN_ORDER {
        let (house, place) = HOUSES[cell][kind];
        let house = usize::from(house);
        let places = grid.places[house][digit];
        if ones(places) != 2 {
            continue;
        }
        let other = (places & !(1 << place)).trailing_zeros() as usize;
        let to = usize::from(CELLS[house][other]);
        if new[..count].iter().any(|&(cell, value, ..)| (cell, value) == (to, digit)) {
            continue;
        }
        let begin = run.parents.len();
        run.parents.push(number);
        for gone in Bits(source.places[house][digit] & !places) {
            push_failed(run, usize::from(CELLS[house][gone]), digit);
        }
        new[count] = (to, digit, begin as u32, run.parents.len() as u32);
        count += 1;
    }
    for &(to, value, begin, end) in &new[..count] {
        let fails = run.node(to, value, false);
        if fails.is_none() && run.node(to, value, true).is_some() {
            continue;
        }
        run.nodes.push(Node {
            cell: to as u8,
            digit: value as u8,
            is_on: true,
            from: (begin, end),
            ancestors: 0,
        });
        let new = (run.nodes.len() - 1) as u16;
        match fails {
            Some(fails) => {
                run.contradiction = Some([new, fails]);
                return true;
            }
            None => run.reach(new),
        }
    }
    false
}

fn push_failed(run: &mut Run, cell: usize, digit: usize) {
    if let Some(node) = run.node(cell, digit, false) {
        run.parents.push(node);
    }
}

/// Adds the ancestors of a node as a chain, in the order they were reached.
///
/// Also adds their cells and digits to the hint.
fn write(run: &Run, number: u16, scratch: &mut Scratch, trace: &mut Trace, hint: &mut Hint) {
    scratch.collect(run, number);
    scratch.found.sort_unstable();
    for &number in &scratch.found {
        let node = run.nodes[usize::from(number)];
        hint.cells |= 1 << node.cell;
        hint.digits |= 1 << node.digit;
        let place = |parent: &u16| scratch.found.binary_search(parent).ok().map(|place| place as u16);
        trace.add(node.cell, node.digit, node.is_on, run.parents_of(number).iter().filter_map(place));
    }
    trace.end_chain();
}
