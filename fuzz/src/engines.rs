//! Compares the engines with each other, on problems made from any bytes.

use std::sync::Arc;

use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver, Task};
use quadrille::internals::{ENGINES, EngineInfo};
use quadrille::{Answer, DigitSet, Geometry, Goal, Limits, ProblemRef, Puzzle, verify};
use quadrille::{Bounds, Constraint, CoverBuilder, CoverProblem, EndedBy, Packed9x9, Solution};

use super::bytes::Bytes;

/// Returns the maximum number of nodes for an engine; longer searches are not compared.
///
/// The slow reference engine gets few nodes on a 9x9, so that many problems are tried per second.
fn nodes(kind: EngineKind, problem: ProblemRef<'_>) -> u64 {
    match (kind, problem) {
        (EngineKind::Naive, ProblemRef::Packed(_)) => 20,
        (EngineKind::Naive, ProblemRef::Puzzle(puzzle))
            if puzzle.geometry().is_9x9() && puzzle.rules().is_none() =>
        {
            20
        }
        _ => 300,
    }
}

/// Returns an engine's answer with all solutions verified, or `None` if it has none or was stopped.
fn asked(
    solver: &mut Solver,
    info: &EngineInfo,
    problem: ProblemRef<'_>,
    goal: Goal,
) -> Option<(Answer, Vec<Vec<u32>>)> {
    if !(info.supports)(problem.class(), goal) {
        return None;
    }
    solver.preference(EnginePreference { engine: Some(info.kind), ..EnginePreference::default() });
    let limits = Limits { nodes: Some(nodes(info.kind, problem)), ..Limits::default() };
    let mut found: Vec<Vec<u32>> = Vec::new();
    let answer = solver
        .search(&Task::whole(problem, goal, limits), &Control::new(), &mut |solution| {
            assert_eq!(verify(problem, solution), Ok(()), "{}", info.name);
            found.push(match solution {
                Solution::Digits(digits) => digits.iter().copied().map(u32::from).collect(),
                Solution::Options(options) => {
                    let mut options = options.to_vec();
                    options.sort_unstable();
                    options
                }
            });
            Flow::Continue
        })
        .expect("the engine supports it");
    (answer.ended_by != EndedBy::Nodes).then_some((answer, found))
}

/// Requires that all engines agree on all solutions, the least one, the count, and the count up to a limit.
pub(crate) fn all_agree(solver: &mut Solver, problem: ProblemRef<'_>, limit: u64) {
    let counts = [Goal::Count { limit: Some(limit) }, Goal::Count { limit: None }];
    for goal in [Goal::First(limit), Goal::All, Goal::Least].into_iter().chain(counts) {
        let mut first: Option<(&str, Answer, Vec<Vec<u32>>)> = None;
        for info in ENGINES {
            let Some((answer, mut found)) = asked(solver, info, problem, goal) else { continue };
            found.sort_unstable();
            let before = found.len();
            found.dedup();
            assert_eq!(found.len(), before, "{} finds a solution twice", info.name);
            match &first {
                None => first = Some((info.name, answer, found)),
                Some((name, known, solutions)) => {
                    let told = |answer: &Answer| (answer.status, answer.ended_by, answer.count.clone());
                    assert_eq!(told(known), told(&answer), "{name} and {} on {goal:?}", info.name);
                    if matches!(goal, Goal::All | Goal::Least) {
                        assert_eq!(solutions, &found, "{name} and {} on {goal:?}", info.name);
                    }
                }
            }
        }
    }
}

/// Creates a grid: shuffled, with some clues, random candidates, marks, and some wrong clues.
fn grid(bytes: &mut Bytes<'_>) -> Puzzle {
    let (rows, columns) = bytes.one_of(&[(2, 2), (3, 3), (2, 3), (3, 3), (3, 3)]);
    let geometry = Geometry::new(rows, columns).expect("these boxes are allowed");
    let side = geometry.side();
    let mut puzzle = Puzzle::new(&geometry);
    let kept = bytes.byte();
    let [shift, turn] = [bytes.below(side), bytes.below(columns)];
    for cell in 0..geometry.cells() {
        let (row, column) = (cell / side, (cell % side + turn * columns) % side);
        let digit = (row % rows * columns + row / rows + column + shift) % side;
        // Empty unless the bytes say otherwise, so that short inputs are puzzles with few clues.
        if !bytes.is_empty() && bytes.byte() < kept {
            puzzle.restrict(cell, DigitSet::only(digit));
        }
    }
    for _ in 0..bytes.below(16) {
        let cell = usize::from(bytes.byte()) % geometry.cells();
        let set = DigitSet((u64::from(bytes.byte()) | u64::from(bytes.byte()) << 8) & ((1 << side) - 1));
        match bytes.below(4) {
            0 => puzzle.set_candidates(cell, set),
            1 => puzzle.set_candidates(cell, DigitSet::only(bytes.below(side))),
            2 => {
                let other = bytes.below(geometry.cells());
                if other != cell {
                    let cells = vec![cell.min(other) as u16, cell.max(other) as u16];
                    puzzle.constrain(Constraint::SameDigit { letter: 'a', cells });
                }
            }
            _ => puzzle.restrict(cell, set),
        }
    }
    puzzle
}

/// Compares all engines on a grid.
///
/// # Panics
/// Panics if the answers differ, or a solution is invalid.
pub fn grid_engines_agree(data: &[u8]) {
    let mut bytes = Bytes(data);
    let puzzle = grid(&mut bytes);
    let limit = bytes.below(4) as u64 + 1;
    let mut solver = Solver::default();
    all_agree(&mut solver, ProblemRef::Puzzle(&puzzle), limit);
    if puzzle.geometry().is_9x9() && puzzle.constraints().is_empty() {
        let cells: Vec<u16> = puzzle.candidates().iter().map(|set| set.0 as u16).collect();
        let packed = Packed9x9::from_cells(cells.as_slice().try_into().expect("a 9x9 has 81 cells"));
        all_agree(&mut solver, ProblemRef::Packed(&packed), limit);
    }
}

/// Creates an exact cover problem with bounds and colours, or returns `None` if the bytes have no options.
pub(crate) fn cover(bytes: &mut Bytes<'_>) -> Option<Arc<CoverProblem>> {
    let mut builder = CoverBuilder::new();
    let (primary, secondary) = (bytes.below(8) + 1, bytes.below(4));
    let (has_bounds, has_colours) = (bytes.below(3) == 0, bytes.below(2) == 0);
    for item in 0..primary {
        let high = if has_bounds { bytes.below(3) as u32 + 1 } else { 1 };
        let low = if has_bounds { bytes.below(high as usize + 1) as u32 } else { 1 };
        builder.primary_within(&format!("p{item}"), Bounds { low, high }).ok()?;
    }
    for item in 0..secondary {
        builder.secondary(&format!("s{item}")).ok()?;
    }
    for _ in 0..bytes.below(24) {
        let [mask, colours] = [u32::from(bytes.byte()) | u32::from(bytes.byte()) << 8, bytes.byte().into()];
        let mut words = Vec::new();
        for item in (0..primary).filter(|item| mask >> item & 1 != 0) {
            words.push(format!("p{item}"));
        }
        for item in (0..secondary).filter(|item| mask >> (8 + item) & 1 != 0) {
            let colour = colours >> (2 * item) & 3;
            let colour = if has_colours && colour > 0 { format!(":{colour}") } else { String::new() };
            words.push(format!("s{item}{colour}"));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words.first().is_some_and(|word| word.starts_with('p')) {
            builder.option(&words).ok()?;
        }
    }
    builder.build().ok().map(Arc::new)
}

/// Compares all engines on an exact cover problem with secondary items, colours and bounds.
///
/// # Panics
/// Panics if the answers differ, or a solution is invalid.
pub fn cover_engines_agree(data: &[u8]) {
    let mut bytes = Bytes(data);
    if let Some(cover) = cover(&mut bytes) {
        all_agree(&mut Solver::default(), ProblemRef::Cover(&cover), bytes.below(4) as u64 + 1);
    }
}
