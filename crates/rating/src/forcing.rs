//! Nishio, multiple and dynamic forcing chains.
//!
//! These chains use the conclusions of one assumption, or the conclusions that several assumptions have in
//! common.
//!
//! A [`Run`] is everything that follows from assuming that one candidate is on (holds) or off (fails).
//! Conclusions wait in two queues. Candidates that are on are processed before candidates that are off. In a
//! dynamic run, each candidate that fails is removed from a copy of the grid. Later links can therefore
//! depend on earlier conclusions. These earlier conclusions become the parents of the new conclusion.
//!
//! When nothing else follows, the [`Producer`]s of the [`Kind`] of chains search this copy. A producer is a
//! technique, or a search for chains. Chains that are found in the copy are called nested. In a search with
//! nested chains, several threads may compute the runs.

use super::Tenths;
use super::chains::{Chains, added};
use super::clock::{Clock, Ended};
use super::fish::{Fish, fish};
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{ALL, CELLS, CHAIN_ORDER, HOUSES, NONE, PerCandidate, ones};
use super::kind::{Kind, Producer};
use super::locking::locking;
use super::nested::{Found, IN_CELL, Receiver};
use super::run::{Candidates, Run, Scratch};
use super::subsets::{hidden_sets, naked_sets};
use super::trace::Trace;
use quadrille_model::bits::Bits;
use shared_runs::{SharedRuns, Spare};

mod shared_runs;

/// The form of a forcing hint: how its conclusion follows from its assumptions.
///
/// The form is the index into [`Kind::techniques`]. It also determines the order of hints with the same
/// rating and length.
#[derive(Clone, Copy, PartialEq, Eq)]
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

/// A candidate and its state.
type Literal = (usize, usize, bool);

/// The input of a search. If other threads may help, it also has the runs that several threads compute.
struct Search<'a> {
    grid: &'a Grid,
    kind: Kind,
    shared: Option<&'a SharedRuns<'a>>,
}

/// A conclusion that several assumptions share, or the opposite of an assumption that leads to a
/// contradiction.
#[derive(Clone, Copy)]
struct Conclusion {
    /// Sort key: the number of candidates in the chains, the key of the form, and the order of discovery.
    ///
    /// More candidates mean a higher rating.
    key: (usize, u8, u32),
    form: Form,
    /// Start of the chains. The meaning depends on `form`:
    /// - the assumption that leads to a contradiction,
    /// - the candidate whose two states (on and off) lead to the same conclusion,
    /// - the cell, or
    /// - the house with the digit.
    of: Literal,
    /// The candidate that the conclusion is about, and true if the conclusion says that this candidate holds.
    to: Literal,
}

/// The chains to a conclusion. Each chain is given by the index of its run (the conclusions of one
/// assumption) and by its last node in this run.
struct Ends {
    all: [(u16, u16); 9],
    count: usize,
}

impl Ends {
    const fn new() -> Self {
        Ends { all: [(0, 0); 9], count: 0 }
    }

    fn of(chains: [(u16, u16); 2]) -> Self {
        let mut ends = Ends::new();
        chains.into_iter().for_each(|(run, node)| ends.push(run, node));
        ends
    }

    fn push(&mut self, run: u16, node: u16) {
        self.all[self.count] = (run, node);
        self.count += 1;
    }

    fn as_slice(&self) -> &[(u16, u16)] {
        &self.all[..self.count]
    }
}

/// Returns the maximum number of candidates in a hint of `kind` whose rating is at most `max_rating`.
///
/// The number is not limited if `max_rating` is at least 0.5 above the minimum rating of the kind.
fn longest(kind: Kind, max_rating: Tenths) -> usize {
    let is_within =
        |complexity: &usize| Tenths::from_f64(kind.least().to_f64() + added(*complexity)) <= max_rating;
    if Tenths::from_f64(kind.least().to_f64() + 0.5) <= max_rating {
        return usize::MAX;
    }
    (2..).take_while(is_within).last().unwrap_or(0)
}

/// The memory of the searches.
#[derive(Default)]
pub(super) struct Forcing {
    /// All runs. A run has the conclusions of one assumption. The first runs assume a candidate on, one run
    /// per candidate. The runs that assume a candidate off follow.
    ///
    /// A run that assumes a candidate on is computed when it is first used.
    runs: Vec<Run>,
    number: PerCandidate,
    made: Vec<bool>,
    work: Work,
    spare: Spare,
    scratch: Scratch,
    /// The best conclusion. If `gives_all` is true, the best conclusion for each set of removed candidates.
    best: Vec<Conclusion>,
    /// Indices into `best`. If `gives_all` is true, there is one index for each candidate and state,
    /// otherwise only one.
    slots: Vec<u16>,
    /// True if the search returns the best conclusion for each set of removed candidates.
    gives_all: bool,
    /// Maximum number of candidates in the chains that lead to a conclusion.
    most: usize,
    /// Number of conclusions that the search has considered so far.
    offered: u32,
}

impl Forcing {
    /// Finds the best hint of a kind that is rated at most `max_rating`. Returns true if there is such a
    /// hint.
    ///
    /// If `trace` is given, records the chains of the hint in it, including nested chains.
    ///
    /// # Errors
    /// Returns the reason if the search ended early.
    pub(super) fn find(
        &mut self,
        grid: &Grid,
        (kind, max_rating): (Kind, Tenths),
        clock: &Clock<'_>,
        (hint, trace): (&mut Hint, Option<&mut Trace>),
    ) -> Result<bool, Ended> {
        self.gives_all = false;
        self.work.explains = false;
        self.most = longest(kind, max_rating);
        if kind.has_nested() {
            self.search_shared(grid, kind, clock)?;
        } else {
            self.search(&Search { grid, kind, shared: None }, clock)?;
        }
        let Some(&best) = self.best.first() else { return Ok(false) };
        self.begin(kind, &best, hint);
        let (cell, digit, is_on) = best.to;
        if is_on {
            hint.remove(grid, cell, !(1 << digit));
            hint.placed = Some((cell as u8, digit as u8));
        } else {
            hint.remove(grid, cell, 1 << digit);
        }
        if let Some(trace) = trace {
            self.again(grid, kind, &best);
            self.write(grid, &best, hint, trace);
        }
        if best.form == Form::House {
            hint.add_house(best.of.0);
        }
        Ok(true)
    }

    /// Passes hints to the receiver. Each of these hints needs the removal of candidates: `source` still has
    /// these candidates, and `grid` does not.
    ///
    /// The easiest hint comes first. If several hints remove the same candidates, the receiver gets only the
    /// easiest of them.
    pub(super) fn every(
        &mut self,
        grid: &Grid,
        source: &Grid,
        kind: Kind,
        receiver: &mut Receiver<'_, impl FnMut(&Found, Option<&mut Trace>)>,
    ) {
        let Receiver { found, trace, take } = receiver;
        self.gives_all = true;
        self.work.explains = trace.is_some();
        self.most = usize::MAX;
        // This search is nested in an outer search, which checks the clock.
        if self.search(&Search { grid, kind, shared: None }, &Clock::NEVER).is_err() {
            return;
        }
        self.best.sort_unstable_by_key(|best| best.key);
        for index in 0..self.best.len() {
            let best = self.best[index];
            let ends = self.ends(grid, &best);
            found.begin();
            for &(run, node) in ends.as_slice() {
                let run = &self.runs[usize::from(run)];
                self.scratch.collect(run, node);
                for &number in &self.scratch.found {
                    let node = run.nodes[usize::from(number)];
                    found.push(node.cell, node.digit, node.is_on);
                    if node.is_on {
                        let is_assumption = run.parents_of(number).is_empty();
                        let cause = match best.form {
                            Form::Cell if is_assumption => IN_CELL,
                            Form::House if is_assumption => best.of.0 as u8,
                            _ => node.cause,
                        };
                        let candidate = (usize::from(node.cell), usize::from(node.digit));
                        found.rests_on.add_cause(source, grid, candidate, cause);
                    }
                }
                found.end_part();
            }
            if found.rests_on.is_empty() {
                continue;
            }
            found.technique = Some(kind.techniques()[best.form as usize]);
            found.complexity = best.key.0;
            let (cell, digit, is_on) = best.to;
            let removed = if is_on { grid.candidates[cell] & !(1 << digit) } else { 1 << digit };
            found.removed.clear();
            found.removed.push((cell as u8, removed));
            if let Some(trace) = trace {
                self.write(grid, &best, &mut Hint::default(), trace);
            }
            take(found, trace.as_deref_mut());
        }
    }

    /// Finds the best conclusions while other threads help to compute runs. A run has the conclusions of one
    /// assumption.
    fn search_shared(&mut self, grid: &Grid, kind: Kind, clock: &Clock<'_>) -> Result<(), Ended> {
        let shared = SharedRuns::new(grid, kind, self.most, std::mem::take(&mut self.spare));
        let mut searched = Ok(());
        let mut lead = || {
            searched = self.search(&Search { grid, kind, shared: Some(&shared) }, clock);
            self.spare = shared.end();
        };
        clock.caller.share(&mut lead, &|| shared.help());
        searched
    }

    /// Finds the best conclusions.
    fn search(&mut self, search: &Search<'_>, clock: &Clock<'_>) -> Result<(), Ended> {
        let Search { grid, kind, .. } = *search;
        self.best.clear();
        self.offered = 0;
        self.slots.clear();
        self.slots.resize(if self.gives_all { 2 * 729 } else { 1 }, NONE);
        self.made.clear();
        for cell in 0..81 {
            for digit in Bits(grid.candidates[cell]) {
                self.number.0[cell][digit] = self.made.len() as u16;
                self.made.push(false);
            }
        }
        let runs = self.made.len() * (1 + usize::from(self.gives_all)) + 1;
        while self.runs.len() < runs {
            self.runs.push(Run::default());
        }
        for cell in 0..81 {
            let count = ones(grid.candidates[cell]);
            if count < 2 || (count == 2 && !kind.is_dynamic()) {
                continue;
            }
            for digit in Bits(grid.candidates[cell]) {
                clock.ended().map_or(Ok(()), Err)?;
                self.on_run(search, cell, digit);
                if kind.is_dynamic() {
                    self.both_states(search, cell, digit, count > 2);
                }
                if !kind.is_nishio() {
                    self.houses(search, cell, digit);
                }
            }
            if !kind.is_nishio() {
                let mut runs = [0u16; 9];
                let mut length = 0;
                for digit in Bits(grid.candidates[cell]) {
                    runs[length] = self.number.0[cell][digit];
                    length += 1;
                }
                self.common(grid, Form::Cell, (cell, 0, true), &runs[..length]);
            }
        }
        Ok(())
    }

    /// Returns the maximum number of candidates with which a conclusion can still become the best.
    fn limit(&self) -> usize {
        match self.best.first() {
            Some(best) if !self.gives_all => best.key.0,
            _ => self.most,
        }
    }

    /// Returns the index of the run that has all conclusions from assuming the candidate on. Computes the run
    /// if this is its first use.
    fn on_run(&mut self, search: &Search<'_>, cell: usize, digit: usize) -> u16 {
        let number = self.number.0[cell][digit];
        if !self.made[usize::from(number)] {
            self.made[usize::from(number)] = true;
            self.make(search, (cell, digit, true), number);
        }
        number
    }

    /// Stores the run of an assumption at index `number` of the runs. Computes the run unless another thread
    /// has already done this.
    fn make(&mut self, search: &Search<'_>, of: Literal, number: u16) {
        let limit = self.limit();
        let run = &mut self.runs[usize::from(number)];
        match search.shared {
            Some(shared) => shared.take(of, limit, &mut self.work, run),
            None => self.work.follow((search.grid, search.kind), of, limit, run),
        }
    }

    /// Returns the index of the run that has all conclusions from assuming the candidate off.
    fn off_run(&self, cell: usize, digit: usize) -> u16 {
        let number = if self.gives_all { self.number.0[cell][digit] } else { 0 };
        self.made.len() as u16 + number
    }

    /// Finds the contradictions to which either state of a candidate leads. Also finds the conclusions to
    /// which both states lead.
    fn both_states(&mut self, search: &Search<'_>, cell: usize, digit: usize, is_double: bool) {
        let Search { grid, kind, .. } = *search;
        let (on, off) = (self.number.0[cell][digit], self.off_run(cell, digit));
        self.contradiction(grid, on, (cell, digit, true));
        self.make(search, (cell, digit, false), off);
        self.contradiction(grid, off, (cell, digit, false));
        if is_double && !kind.is_nishio() {
            self.common(grid, Form::Double, (cell, digit, true), &[on, off]);
        }
    }

    fn contradiction(&mut self, grid: &Grid, run: u16, of: Literal) {
        if let Some([on, off]) = self.runs[usize::from(run)].contradiction {
            let ends = Ends::of([(run, on), (run, off)]);
            self.offer(grid, (Form::Contradiction, of), (of.0, of.1, !of.2), &ends);
        }
    }

    /// Finds conclusions that all places of a digit in a house have in common. Considers each house of `cell`
    /// in which `cell` is the first place of the digit.
    fn houses(&mut self, search: &Search<'_>, cell: usize, digit: usize) {
        let grid = search.grid;
        for in_order in CHAIN_ORDER {
            let (house, place) = HOUSES[cell][in_order];
            let places = grid.places[usize::from(house)][digit];
            if ones(places) < 2 || places.trailing_zeros() != u32::from(place) {
                continue;
            }
            let mut runs = [0u16; 9];
            let mut length = 0;
            for place in Bits(places) {
                runs[length] = self.on_run(search, usize::from(CELLS[usize::from(house)][place]), digit);
                length += 1;
            }
            self.common(grid, Form::House, (usize::from(house), digit, true), &runs[..length]);
        }
    }

    /// Finds conclusions that all of the given runs have in common. A run has the conclusions of one
    /// assumption.
    fn common(&mut self, grid: &Grid, form: Form, of: Literal, runs: &[u16]) {
        let first = usize::from(runs[0]);
        for is_on in [true, false] {
            let mut in_all: Candidates = [u64::MAX; 12];
            runs.iter().for_each(|&run| self.runs[usize::from(run)].retain(&mut in_all, is_on));
            if in_all == [0; 12] {
                continue;
            }
            for index in 0..self.runs[first].order[usize::from(is_on)].len() {
                let node = self.runs[first].order[usize::from(is_on)][index];
                let node = self.runs[first].nodes[usize::from(node)];
                if in_all[node.bit() / 64] >> (node.bit() % 64) & 1 == 1 {
                    let to = (usize::from(node.cell), usize::from(node.digit), is_on);
                    if let Some(ends) = self.ends_at(runs, to) {
                        self.offer(grid, (form, of), to, &ends);
                    }
                }
            }
        }
    }

    /// Returns the chains to a conclusion, one chain per run. Returns `None` if some run (the conclusions of
    /// one assumption) does not reach the conclusion.
    fn ends_at(&self, runs: &[u16], (cell, digit, is_on): Literal) -> Option<Ends> {
        let mut ends = Ends::new();
        for &run in runs {
            ends.push(run, self.runs[usize::from(run)].node(cell, digit, is_on)?);
        }
        Some(ends)
    }

    /// Stores a conclusion if it is better than the best one so far.
    fn offer(&mut self, grid: &Grid, (form, of): (Form, Literal), to: Literal, ends: &Ends) {
        let (cell, digit, is_on) = to;
        let others = grid.candidates[cell] & !(1 << digit);
        if is_on && others == 0 {
            return;
        }
        // In a cell with two candidates, "one holds" and "the other fails" remove the same candidate. So
        // these conclusions share an entry of `slots`.
        let slot = match (self.gives_all, is_on) {
            (false, _) => 0,
            (true, true) if others.is_power_of_two() => cell * 9 + others.trailing_zeros() as usize,
            (true, true) => 729 + cell * 9 + digit,
            (true, false) => cell * 9 + digit,
        };
        let before = self.slots[slot];
        let best = self.best.get(usize::from(before)).map(|best| best.key);
        let limit = best.map_or(self.most, |(complexity, ..)| complexity);
        let complexity = self.scratch.complexity(&mut self.runs, ends.as_slice(), limit);
        self.offered += 1;
        let key = (complexity, form.key(), self.offered);
        let conclusion = Conclusion { key, form, of, to };
        match best {
            None if complexity > limit => {}
            None => {
                self.slots[slot] = self.best.len() as u16;
                self.best.push(conclusion);
            }
            Some(best) if key < best => self.best[usize::from(before)] = conclusion,
            Some(_) => {}
        }
    }

    /// Returns the assumptions that lead to a conclusion.
    fn runs_of(&self, grid: &Grid, form: Form, (of, digit, is_on): Literal) -> Vec<Literal> {
        match form {
            Form::Contradiction => vec![(of, digit, is_on)],
            Form::Double => vec![(of, digit, true), (of, digit, false)],
            Form::Cell => Bits(grid.candidates[of]).map(|digit| (of, digit, true)).collect(),
            Form::House => {
                let cells = Bits(grid.places[of][digit]).map(|place| usize::from(CELLS[of][place]));
                cells.map(|cell| (cell, digit, true)).collect()
            }
        }
    }

    fn number_of(&self, (cell, digit, is_on): Literal) -> u16 {
        if is_on { self.number.0[cell][digit] } else { self.off_run(cell, digit) }
    }

    /// Returns the chains that lead to a conclusion.
    fn ends(&self, grid: &Grid, best: &Conclusion) -> Ends {
        let runs: Vec<u16> =
            self.runs_of(grid, best.form, best.of).into_iter().map(|of| self.number_of(of)).collect();
        match self.runs[usize::from(runs[0])].contradiction {
            Some([on, off]) if best.form == Form::Contradiction => Ends::of([(runs[0], on), (runs[0], off)]),
            _ => self.ends_at(&runs, best.to).unwrap_or(Ends::new()),
        }
    }

    /// Computes the runs of a conclusion's assumptions again. This time, the nested chains that they use are
    /// recorded.
    fn again(&mut self, grid: &Grid, kind: Kind, best: &Conclusion) {
        self.work.explains = true;
        for of in self.runs_of(grid, best.form, best.of) {
            let number = usize::from(self.number_of(of));
            self.work.follow((grid, kind), of, usize::MAX, &mut self.runs[number]);
        }
    }

    /// Writes each chain: the ancestors of its last node, in the order in which the run reached them.
    ///
    /// Also adds the cells and digits of the ancestors to the hint.
    fn write(&mut self, grid: &Grid, best: &Conclusion, hint: &mut Hint, trace: &mut Trace) {
        trace.clear();
        let ends = self.ends(grid, best);
        let Forcing { scratch, runs, .. } = self;
        for &(run, end) in ends.as_slice() {
            let run = &runs[usize::from(run)];
            let mut reported: Vec<(u32, u16)> = Vec::new();
            scratch.collect(run, end);
            scratch.found.sort_unstable();
            for &number in &scratch.found {
                let node = run.nodes[usize::from(number)];
                hint.cells |= 1 << node.cell;
                hint.digits |= 1 << node.digit;
                let place = |parent: &u16| scratch.found.binary_search(parent).ok().map(|place| place as u16);
                trace.add(node.cell, node.digit, node.is_on, run.parents_of(number).iter().filter_map(place));
                let known =
                    reported.iter().find(|reported| reported.0 == node.nest).map(|reported| reported.1);
                let nested = known.or_else(|| {
                    let number = trace.nest(run.nest_of(number)?.nested.clone()?);
                    reported.push((node.nest, number));
                    Some(number)
                });
                trace.nested_in_last(nested);
            }
            trace.end_chain();
        }
    }

    fn begin(&self, kind: Kind, best: &Conclusion, hint: &mut Hint) {
        hint.begin(kind.techniques()[best.form as usize]);
        hint.rating = Tenths::from_f64(kind.least().to_f64() + added(best.key.0));
    }
}

/// Memory of the nested searches. They search copies of the grid from which runs have removed candidates.
#[derive(Default)]
struct Inner {
    forcing: Forcing,
    chains: Chains,
    found: Found,
    trace: Trace,
}

/// The memory of one run.
#[derive(Default)]
struct Work {
    /// The grid of the current run, without the candidates that fail according to the run.
    grid: Grid,
    hint: Hint,
    fish: Vec<Fish>,
    scratch: Scratch,
    /// Created on first use.
    inner: Option<Box<Inner>>,
    /// True if nested chains must be recorded so that reports can explain them.
    explains: bool,
}

impl Work {
    /// Finds everything that follows from assuming that a candidate is on or off.
    ///
    /// May leave out candidates that matter only for conclusions whose chains have more than `limit`
    /// candidates.
    fn follow(
        &mut self,
        (source, kind): (&Grid, Kind),
        (cell, digit, is_on): Literal,
        limit: usize,
        run: &mut Run,
    ) {
        run.begin(cell, digit, is_on);
        let has_cell_links = !kind.is_nishio();
        if kind.is_dynamic() {
            self.grid.clone_from(source);
        }
        let (mut next_on, mut next_off) = (0, 0);
        loop {
            let grid = if kind.is_dynamic() { &self.grid } else { source };
            if let Some(&number) = run.order[1].get(next_on) {
                next_on += 1;
                if run.fail(grid, number, has_cell_links) {
                    break;
                }
            } else if let Some(&number) = run.order[0].get(next_off) {
                next_off += 1;
                if run.hold(grid, source, number, has_cell_links) {
                    break;
                }
                if kind.is_dynamic() {
                    let node = run.nodes[usize::from(number)];
                    self.grid.remove(usize::from(node.cell), usize::from(node.digit));
                }
            } else if !kind.producers().any(|producer| self.advance(source, producer, run))
                || self.exceeds(run, next_off, limit)
            {
                break;
            }
        }
    }

    /// Returns true if all further conclusions from the run's assumption need chains of more than `limit`
    /// candidates.
    ///
    /// Every further conclusion depends on a failed candidate whose index is at least `first`. The chain to
    /// the conclusion has at least one candidate more than the chain to this failed candidate.
    fn exceeds(&mut self, run: &Run, first: usize, limit: usize) -> bool {
        let mut least = |&number: &u16| self.scratch.least_complexity(run, number);
        limit != usize::MAX && run.order[0][first..].iter().all(|number| least(number) + 1 > limit)
    }

    /// Adds the conclusions of a producer (a technique or a nested search) to a run. These are the candidates
    /// that the producer removes in the run's grid. Returns `false` if it removes none.
    fn advance(&mut self, source: &Grid, producer: Producer, run: &mut Run) -> bool {
        let Work { grid, hint, fish: all, inner, explains, .. } = self;
        let every_house = (1 << 27) - 1;
        let mut any = false;
        let mut add = |hint: &Hint| {
            any |= run.add_removed(grid, source, hint);
            false
        };
        match producer {
            Producer::Locking => locking(grid, ALL, hint, &mut add),
            Producer::HiddenPairs => hidden_sets(grid, 2, every_house, hint, &mut add),
            Producer::NakedPairs => naked_sets(grid, 2, every_house, hint, &mut add),
            Producer::XWings => fish::<2>(grid, ALL, all, hint, &mut add),
            Producer::Unary | Producer::Forcing(_) => {
                let Inner { forcing, chains, found, trace } = &mut **inner.get_or_insert_default();
                let trace = explains.then_some(trace);
                let take = |found: &Found, trace: Option<&mut Trace>| {
                    any = true;
                    run.add_nested(found, trace);
                };
                let mut receiver = Receiver { found, trace, take };
                match producer {
                    Producer::Forcing(kind) => forcing.every(grid, source, kind, &mut receiver),
                    _ => chains.every(grid, source, &mut receiver),
                }
                false
            }
        };
        any
    }
}
