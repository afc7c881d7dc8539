//! Cuts a problem into parts of similar estimated work. The part with the most work is always cut next.
//!
//! To cut a part, the code chooses an item or cell with the fewest choices and divides the choices among new
//! parts. So the parts have no solution in common, and together they have all solutions. This is true even if
//! the estimates are wrong. The estimates only decide how even the parts become. Cutting at a fixed depth
//! would not make even parts: subtrees of the same depth differ by orders of magnitude.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Control, EnginePreference, EstimateOptions, Flow, Solver, Task, estimate};
use quadrille_model::{
    Constraint, CoverProblem, CutProblem, Decisions, DigitSet, EndedBy, Goal, Limits, Problem, ProblemRef,
    Puzzle, Reduced, Reduction, Result,
};

/// Maximum number of nodes of a short search, which measures the work of a part. If the search needs more
/// nodes, the work is estimated instead.
///
/// With a maximum of 1,000 nodes, the largest of 5,000 parts of the 5x12 pentominoes had 130 times the mean
/// work.
const SHORT_NODES: u64 = 10_000;

/// The options of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOptions {
    /// Minimum number of cubes, if the problem can be cut into that many cubes. The result has at most twice
    /// as many.
    pub target: usize,
    /// Number of random probes (random paths in the search tree) for each part that is too large for a short
    /// search.
    pub probes: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Reserved for new fields: create values with `..`, as in `CutOptions { target: 10, ..CutOptions::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Default for CutOptions {
    /// Returns the options for 100 cubes with 64 probes per part.
    fn default() -> Self {
        CutOptions { target: 100, probes: 64, seed: 1, _more: () }
    }
}

/// Cuts a problem into cubes, in the order of a search.
///
/// Each solution is in exactly one cube.
///
/// The cubes are the same on every machine, for the same problem and options. There are fewer than asked for
/// only if nothing is left to decide in any of them. There is at least one, even for a problem without
/// solutions. The time is about that of one short search per cube. If `control` stops the work, the inner
/// result is the reason.
///
/// # Errors
/// Returns errors like [`estimate()`].
///
/// ```
/// use quadrille::cubes::{CutOptions, cut};
/// use quadrille::engine::{Control, Solver};
/// use quadrille::{Count, Geometry, Goal, Limits, ProblemRef, Puzzle, Symbols};
/// use quadrille::cubes::{Purpose, CutProblem};
/// let empty = Puzzle::new(&Geometry::of_side(4)?);
/// let whole = CutProblem::new(ProblemRef::Puzzle(&empty), Symbols::DEFAULT, Purpose::Count)?;
/// let cubes = cut(&whole, &CutOptions { target: 10, ..CutOptions::default() }, &Control::new())?.expect("not stopped");
/// let mut total = Count::ZERO;
/// for cube in &cubes {
///     let part = whole.part(cube)?;
///     let answer = Solver::default().answer(part.as_ref(), Goal::Count { limit: None }, Limits::default())?;
///     total += answer.exact_count().expect("no limit");
/// }
/// assert!(cubes.len() >= 10 && total == Count::from(288));
/// # Ok::<(), quadrille::Error>(())
/// ```
pub fn cut(
    whole: &CutProblem,
    cutting: &CutOptions,
    control: &Control,
) -> Result<std::result::Result<Vec<Decisions>, EndedBy>> {
    cut_noting(whole, cutting, control, &AtomicU64::new(0))
}

/// Cuts a problem as [`cut`] does. While it works, it stores the number of cubes so far in `made`.
///
/// # Errors
/// Returns the same errors as [`cut`].
pub fn cut_noting(
    whole: &CutProblem,
    cutting: &CutOptions,
    control: &Control,
    made: &AtomicU64,
) -> Result<std::result::Result<Vec<Decisions>, EndedBy>> {
    let mut open = BinaryHeap::new();
    let mut meter = Meter {
        whole,
        cutting,
        solver: Solver::new(EnginePreference { timings: true, ..EnginePreference::default() }),
    };
    // Parts of the problem in which every choice is already decided.
    let mut decided = Vec::new();
    open.push(Part {
        work: f64::INFINITY.to_bits(),
        place: Reverse(Vec::new()),
        decisions: Decisions::default(),
    });
    while open.len() + decided.len() < cutting.target {
        let Some(part) = open.pop() else { break };
        let rest = open.len() + decided.len();
        // A branching may have hundreds of children, even if only ten cubes are wanted. Then several children
        // form one part. Only half of the missing parts are made here, so that the largest of them can be cut
        // again.
        let most =
            Most { children: 2 * cutting.target - rest, groups: (cutting.target - rest).div_ceil(2).max(2) };
        let Some(children) = children(whole, &part.decisions, most, control)? else {
            decided.push(part);
            continue;
        };
        for (number, decisions) in (0..).zip(children) {
            let mut place = part.place.clone();
            place.0.push(number);
            let work = meter.work(&decisions, control)?.to_bits();
            if let Some(reason) = control.stop() {
                return Ok(Err(reason));
            }
            open.push(Part { work, place, decisions });
            made.store((open.len() + decided.len()) as u64, Ordering::Relaxed);
        }
        if let Some(reason) = control.stop() {
            return Ok(Err(reason));
        }
    }
    let mut parts: Vec<Part> = open.into_iter().chain(decided).collect();
    parts.sort_by(|a, b| b.place.cmp(&a.place));
    let mut cubes: Vec<Decisions> = parts.into_iter().map(|part| part.decisions).collect();
    if cubes.is_empty() {
        // The list is empty if every branch ended in a contradiction. The only cube is then the whole
        // problem.
        cubes.push(Decisions::default());
    }
    Ok(Ok(cubes))
}

/// A part of the problem. Parts are ordered by their work.
///
/// If two parts have equal work, the earlier part in the problem counts as larger.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// Approximate number of nodes of a search for all solutions of the part.
    ///
    /// The number is a non-negative float, stored as its bits. The bits of such floats have the same order as
    /// the floats.
    work: u64,
    /// The path from the whole problem to the part: for each cut, the number of the chosen child.
    ///
    /// No two parts have the same path.
    place: Reverse<Vec<u32>>,
    decisions: Decisions,
}

/// Limits on the number of new parts when a part is cut.
#[derive(Clone, Copy)]
struct Most {
    /// Largest number of children for which each child becomes a separate part.
    children: usize,
    /// Number of groups if there are more children than that. It is at least 2. Each group becomes one part.
    groups: usize,
}

impl Most {
    /// Returns the bounds of the groups of children, or `None` if each child becomes a separate part.
    ///
    /// The bounds are ascending indices, from 0 to the number of children.
    fn bounds(self, children: usize) -> Option<Vec<usize>> {
        let bound = |group: usize| children * group / self.groups;
        (children > self.children).then(|| (0..=self.groups).map(bound).collect())
    }
}

/// Estimates the work of parts.
struct Meter<'a> {
    whole: &'a CutProblem,
    cutting: &'a CutOptions,
    solver: Solver,
}

impl Meter<'_> {
    /// Returns the number of nodes of a search for all solutions of a part, or an estimate if the part is
    /// large.
    ///
    /// Search trees have heavy tails. If all probes of a part end early, the part may have a hundred times
    /// the estimated number of nodes. So small parts are searched and not estimated. For large parts, the
    /// result is the estimate plus its standard error. The reason is that one cut too many costs less than a
    /// part that is too large. If `control` stops the work, the result has no meaning.
    fn work(&mut self, decisions: &Decisions, control: &Control) -> Result<f64> {
        let part = match (self.whole.problem(), self.whole.part(decisions)?) {
            // The probes imitate a search that counts solutions. Such a search does not depend on the weights
            // of cells.
            (_, Problem::Puzzle(mut puzzle)) => {
                puzzle.set_weights(None);
                Problem::Puzzle(puzzle)
            }
            (ProblemRef::Cover(cover), _) => {
                match Reduction::reduce(cover, &decisions.forced, &decisions.excluded)? {
                    Reduced::Residual(rest) => Problem::Cover(std::sync::Arc::clone(rest.cover())),
                    Reduced::Contradiction(_) => return Ok(0.0),
                }
            }
            (_, part) => part,
        };
        let limits = Limits { nodes: Some(SHORT_NODES), ..Limits::default() };
        let count = Goal::Count { limit: None };
        let short = self
            .solver
            .search(&Task::whole(part.as_ref(), count, limits), control, &mut |_| Flow::Continue)?;
        if short.ended_by == EndedBy::Complete {
            return Ok(short.counters.map_or(0.0, |counters| counters.nodes as f64));
        }
        if control.stop().is_some() {
            return Ok(0.0);
        }
        let probing = EstimateOptions {
            probes: self.cutting.probes.max(1),
            seed: self.cutting.seed,
            ..EstimateOptions::default()
        };
        let nodes = estimate(part.as_ref(), &probing, control)?.nodes;
        Ok((nodes.mean() + nodes.error().unwrap_or(0.0)).max(SHORT_NODES as f64))
    }
}

/// Cuts a part, and returns the new parts. Returns `None` if nothing is left to decide in the part.
///
/// Leaves out new parts with a contradiction. Some new parts are missing if `control` stops the work.
fn children(
    whole: &CutProblem,
    decisions: &Decisions,
    most: Most,
    control: &Control,
) -> Result<Option<Vec<Decisions>>> {
    match whole.problem() {
        ProblemRef::Cover(cover) => children_of_cover(cover, decisions, most, control),
        ProblemRef::Puzzle(puzzle) => Ok(children_of_grid(puzzle, decisions, most)),
        ProblemRef::Packed(_) => Ok(None),
    }
}

fn children_of_cover(
    cover: &CoverProblem,
    decisions: &Decisions,
    most: Most,
    control: &Control,
) -> Result<Option<Vec<Decisions>>> {
    let rest = match Reduction::reduce(cover, &decisions.forced, &decisions.excluded)? {
        Reduced::Residual(rest) => rest,
        Reduced::Contradiction(_) => return Ok(Some(Vec::new())),
    };
    let left = rest.cover();
    let mut options_of: Vec<Vec<u32>> = vec![Vec::new(); left.primary()];
    for option in 0..left.options() {
        for entry in left.option(option) {
            if let Some(options) = options_of.get_mut(entry.item as usize) {
                options.push(rest.original(option));
            }
        }
    }
    let needed = |&item: &usize| left.bounds(item).low > 0;
    let item = (0..left.primary()).filter(needed).min_by_key(|&item| options_of[item].len());
    let mut children = Vec::new();
    let mut add = |forced: Option<u32>, excluded: &[&[u32]]| -> Result<()> {
        let mut child = decisions.clone();
        child.forced.extend(forced);
        excluded.iter().for_each(|options| child.excluded.extend_from_slice(options));
        if matches!(Reduction::reduce(cover, &child.forced, &child.excluded)?, Reduced::Residual(_)) {
            children.push(child);
        }
        Ok(())
    };
    match item {
        Some(item) => {
            let options = &options_of[item];
            let once = left.bounds(item).high == 1;
            match most.bounds(options.len()) {
                // A solution has exactly one option of the item. So a new part with some of the options
                // excludes all other options of the item.
                Some(bounds) if once => {
                    for bounds in bounds.windows(2) {
                        add(None, &[&options[..bounds[0]], &options[bounds[1]..]])?;
                    }
                }
                // Each of the first options gets a separate part. One more part excludes all these options.
                Some(_) => {
                    for (place, &option) in options.iter().enumerate().take(most.groups - 1) {
                        add(Some(option), &[&options[..place]])?;
                    }
                    add(None, &[&options[..most.groups - 1]])?;
                }
                // If the item must be covered exactly once, its options exclude each other. Otherwise a
                // solution may have several of them. It must belong only to the part of its first option. So
                // each part excludes the options of earlier parts.
                None => {
                    for (place, &option) in options.iter().enumerate() {
                        if control.stop().is_some() {
                            break;
                        }
                        add(Some(option), &[if once { &[] } else { &options[..place] }])?;
                    }
                }
            }
        }
        None => match options_of.iter().find_map(|options| options.first()) {
            Some(&option) => {
                add(Some(option), &[])?;
                add(None, &[&[option]])?;
            }
            None => return Ok(None),
        },
    }
    Ok(Some(children))
}

fn children_of_grid(whole: &Puzzle, decisions: &Decisions, most: Most) -> Option<Vec<Decisions>> {
    let mut sets = whole.candidates().to_vec();
    for &(cell, set) in &decisions.cells {
        sets[cell as usize] = sets[cell as usize].and(set);
    }
    if !propagate(whole, &mut sets) {
        return Some(Vec::new());
    }
    let undecided = (0..sets.len()).filter(|&cell| sets[cell].len() > 1);
    let cell = undecided.min_by_key(|&cell| sets[cell].len())?;
    let child = |digits: &[usize]| {
        let mut sets = sets.clone();
        let union = |set: DigitSet, &digit: &usize| DigitSet(set.0 | DigitSet::only(digit).0);
        sets[cell] = digits.iter().fold(DigitSet(0), union);
        let changed =
            |(cell, (now, before)): (u16, (DigitSet, &DigitSet))| (now != *before).then_some((cell, now));
        propagate(whole, &mut sets).then(|| {
            let cells = (0..).zip(sets.into_iter().zip(whole.candidates())).filter_map(changed).collect();
            Decisions { cells, ..Decisions::default() }
        })
    };
    let digits: Vec<usize> = sets[cell].iter().collect();
    Some(match most.bounds(digits.len()) {
        Some(bounds) => bounds.windows(2).filter_map(|bounds| child(&digits[bounds[0]..bounds[1]])).collect(),
        None => digits.chunks(1).filter_map(child).collect(),
    })
}

/// Propagates candidates until nothing changes. Returns true if every cell still has a candidate.
///
/// A decided digit is removed from the other cells of its houses and from cells that must differ. If a rule
/// relates two cells, each of them loses the digits that fit no candidate of the other cell. Cells that must
/// have the same digit get the same candidates.
fn propagate(puzzle: &Puzzle, sets: &mut [DigitSet]) -> bool {
    let rules = puzzle.rules();
    // If a puzzle has rules, their houses replace rows, columns and boxes.
    let houses: Vec<&[u16]> = match rules {
        Some(rules) => rules.houses().map(|house| house.cells).collect(),
        None => puzzle.geometry().houses().iter().map(|house| &*house.cells).collect(),
    };
    loop {
        let before = sets.to_vec();
        for house in &houses {
            for &cell in house.iter() {
                let set = sets[cell as usize];
                if set.single().is_some() {
                    for &other in house.iter().filter(|&&other| other != cell) {
                        sets[other as usize] = sets[other as usize].without(set);
                    }
                }
            }
        }
        if let Some(rules) = rules {
            for &(a, b) in rules.different() {
                for (one, other) in [(a, b), (b, a)] {
                    if sets[one as usize].single().is_some() {
                        sets[other as usize] = sets[other as usize].without(sets[one as usize]);
                    }
                }
            }
            for relation in rules.relations() {
                let table = &rules.tables()[usize::from(relation.table)];
                let beside =
                    sets[usize::from(relation.from)].iter().fold(0, |left, digit| left | table[digit]);
                let to = usize::from(relation.to);
                sets[to] = sets[to].and(DigitSet(beside));
            }
        }
        for Constraint::SameDigit { cells, .. } in puzzle.constraints() {
            let common =
                cells.iter().fold(DigitSet(u64::MAX), |common, &cell| common.and(sets[cell as usize]));
            cells.iter().for_each(|&cell| sets[cell as usize] = common);
        }
        if sets.iter().any(|set| set.is_empty()) {
            return false;
        }
        if *sets == *before {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use quadrille_model::{Bounds, Count, CoverBuilder, Entry, Geometry, Packed9x9, Purpose, Symbols};

    fn solutions(problem: ProblemRef<'_>) -> Count {
        let answer =
            Solver::default().answer(problem, Goal::Count { limit: None }, Limits::default()).unwrap();
        answer.exact_count().unwrap().clone()
    }

    fn adds_up(problem: ProblemRef<'_>, target: usize) -> usize {
        let whole = CutProblem::new(problem, Symbols::DEFAULT, Purpose::Count).unwrap();
        let cutting = CutOptions { target, probes: 4, seed: 3, ..CutOptions::default() };
        let cubes = cut(&whole, &cutting, &Control::new()).unwrap().unwrap();
        let mut total = Count::ZERO;
        for cube in &cubes {
            let mut text = Vec::new();
            whole.write(cube, &mut text);
            let read = whole.read(std::str::from_utf8(&text).unwrap()).unwrap();
            total += &solutions(whole.part(&read).unwrap().as_ref());
        }
        assert_eq!(total, solutions(problem));
        assert_eq!(cut(&whole, &cutting, &Control::new()).unwrap().unwrap(), cubes);
        cubes.len()
    }

    #[test]
    fn there_are_not_many_more_cubes_than_asked_for() {
        // Items with 8 options each, and one item with 50 options that must be covered once or twice.
        let mut builder = CoverBuilder::new();
        ["a", "b"].iter().for_each(|name| builder.primary(name).map(drop).unwrap());
        builder.primary_within("d", Bounds { low: 1, high: 2 }).unwrap();
        for name in ["a", "b", "d"] {
            let number = if name == "d" { 50 } else { 8 };
            (0..number).for_each(|_| builder.option(&[name]).map(drop).unwrap());
        }
        let cover = Arc::new(builder.build().unwrap());
        // The problem is cut at the first item with the fewest options.
        let once: Vec<String> = (0..40).map(|option| format!("x{option}")).collect();
        let mut builder = CoverBuilder::new();
        builder.primary("a").unwrap();
        once.iter().for_each(|name| builder.secondary(name).map(drop).unwrap());
        once.iter().for_each(|name| builder.option(&["a", name]).map(drop).unwrap());
        let wide = Arc::new(builder.build().unwrap());
        let empty = Puzzle::new(&Geometry::of_side(4).unwrap());
        for target in [2, 3, 10, 29] {
            for problem in [ProblemRef::Cover(&cover), ProblemRef::Cover(&wide), ProblemRef::Puzzle(&empty)] {
                let cubes = adds_up(problem, target);
                assert!((target..=2 * target).contains(&cubes), "{cubes} of {target}");
            }
        }
    }

    #[test]
    fn a_stop_leaves_no_cubes() {
        let empty = Puzzle::new(&Geometry::of_side(9).unwrap());
        let whole = CutProblem::new(ProblemRef::Puzzle(&empty), Symbols::DEFAULT, Purpose::Count).unwrap();
        let control = Control::new();
        control.cancel();
        let stopped = cut(&whole, &CutOptions { target: 2, ..CutOptions::default() }, &control).unwrap();
        assert_eq!(stopped, Err(EndedBy::Cancel));
    }

    #[test]
    fn cubes_of_grids_have_all_solutions_once() {
        let mut letters = Puzzle::new(&Geometry::of_side(4).unwrap());
        assert!(adds_up(ProblemRef::Puzzle(&letters), 50) >= 50);
        letters.constrain(Constraint::SameDigit { letter: 'a', cells: vec![0, 6, 9] });
        letters.restrict(3, DigitSet::even(4));
        assert!(adds_up(ProblemRef::Puzzle(&letters), 8) >= 8);
        let grid = b"53467891267219534819834256785976142342685379171392485696153728428741963534528.1..";
        let cells = grid.map(|byte| if byte == b'.' { 0x1ff } else { 1 << (byte - b'1') });
        assert_eq!(adds_up(ProblemRef::Packed(&Packed9x9::from_cells(&cells)), 10), 1);
        // Two cells of a row both have a 1, so there is no solution and only one cube.
        assert_eq!(adds_up(ProblemRef::Packed(&Packed9x9::FULL.with_cell(0, 1).with_cell(1, 1)), 10), 1);
    }

    #[test]
    fn cubes_of_grids_with_rules_have_all_solutions_once() {
        use quadrille_model::rules::{Shape, compile};
        for (side, text, cubes) in [
            (4, ".NoBoxes.Jigsaw~0001011122323233", 4),
            (4, ".NoBoxes.Diagonal~1", 40),
            (6, ".AntiKnight.Cage~5~R1C1~R1C2.WhiteDot~R3C3~R3C4", 30),
            (6, ".NoBoxes.Jigsaw~000111001112033322443322443552445555.Thermo~R1C1~R1C2~R1C3", 30),
        ] {
            let geometry = Geometry::of_side(side).unwrap();
            let shape = Shape { box_rows: geometry.box_rows(), box_columns: geometry.box_columns() };
            let mut puzzle = Puzzle::new(&geometry);
            puzzle.set_rules(&Arc::new(compile(text, shape).unwrap()));
            assert!(adds_up(ProblemRef::Puzzle(&puzzle), cubes) >= cubes, "{text}");
        }
    }

    #[test]
    fn cubes_of_covers_have_all_solutions_once() {
        // The options are all pairs of eight items. The first three items have the bounds under test. So the
        // tests include items that may be covered twice or left uncovered.
        for (low, high) in [(1, 1), (1, 2), (0, 2)] {
            let mut builder = CoverBuilder::new();
            for item in 0..8 {
                let bounds = if item < 3 { Bounds { low, high } } else { Bounds::ONCE };
                builder.primary_within(&item.to_string(), bounds).unwrap();
            }
            for a in 0..8 {
                for b in a + 1..8 {
                    let entries = [a, b].map(|item| Entry { item, colour: quadrille_model::NO_COLOUR });
                    builder.option_of(&entries, 0, None).unwrap();
                }
            }
            let cover = Arc::new(builder.build().unwrap());
            assert!(adds_up(ProblemRef::Cover(&cover), 20) >= 20, "{low}:{high}");
        }
    }
}
