//! Rules, alone and combined: compared with the naive engine and with published numbers, and searched in
//! parts.
//!
//! The naive engine parses the text itself and shares nothing with the compiler.

use std::sync::Arc;
use std::time::Duration;

use crate::grid_collector::run;
use proptest::prelude::*;
use quadrille::engine::{SHORT_SEARCH_NODES, Task};
use quadrille::internals::{Bitset, Dlx, Naive, Random, TreeSearch, Variant};
use quadrille::rules::{KINDS, Shape, cell_of, compile, items, name_of};
use quadrille::{DigitSet, Direction, EndedBy, Geometry, Goal, Limits, ProblemRef, Puzzle, TopK, Weights};

/// Returns the geometry of a shape, which may have no boxes.
fn geometry(shape: Shape) -> Arc<Geometry> {
    if shape.has_boxes() {
        Geometry::new(shape.box_rows, shape.box_columns).unwrap()
    } else {
        Geometry::without_boxes(shape.side()).unwrap()
    }
}

/// Creates a puzzle with rules and the clues that `clue` returns for its cells.
fn puzzle(shape: Shape, text: &str, clue: impl Fn(usize) -> Option<u8>) -> Puzzle {
    let mut puzzle = Puzzle::new(&geometry(shape));
    puzzle.set_rules(&Arc::new(compile(text, shape).unwrap_or_else(|error| panic!("{error}"))));
    for cell in 0..shape.cells() {
        clue(cell).into_iter().for_each(|digit| puzzle.restrict(cell, DigitSet::only(digit.into())));
    }
    puzzle
}

/// Returns the number of nodes and all solutions in the engine's order.
fn all(engine: &mut dyn TreeSearch, puzzle: &Puzzle) -> (u64, Vec<Vec<u8>>) {
    let (outcome, found) =
        run(engine, &Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, Limits::default()));
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    (outcome.counters.expect("a whole search counts").nodes, found.solutions)
}

fn sorted(mut solutions: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    solutions.sort();
    solutions
}

/// Returns a shuffled filled grid of a shape.
fn filled(shape: Shape, random: &mut Random) -> Vec<u8> {
    let Shape { box_rows, box_columns } = shape;
    let side = shape.side();
    let mut digits: Vec<u8> = (0..side as u8).collect();
    random.shuffle(&mut digits);
    let mut lines = |size: usize| {
        let mut bands: Vec<usize> = (0..side / size).collect();
        random.shuffle(&mut bands);
        let band = |band: usize| {
            let mut within: Vec<usize> = (0..size).map(|place| band * size + place).collect();
            random.shuffle(&mut within);
            within
        };
        bands.into_iter().flat_map(band).collect::<Vec<usize>>()
    };
    let (rows, columns) = (lines(box_rows), lines(box_columns));
    let digit =
        |row: usize, column: usize| digits[(column + box_columns * (row % box_rows) + row / box_rows) % side];
    rows.iter()
        .flat_map(|&row| columns.iter().map(move |&column| (row, column)))
        .map(|(row, column)| digit(row, column))
        .collect()
}

/// Returns a random number below `bound`.
fn below(random: &mut Random, bound: usize) -> usize {
    random.below(bound as u32) as usize
}

/// Returns up to `length` distinct cells, each a king's move from the cell before it; fewer at a dead end.
fn path(shape: Shape, random: &mut Random, length: usize, is_straight: bool) -> Vec<usize> {
    let side = shape.side();
    let mut cells = vec![below(random, shape.cells())];
    while cells.len() < length {
        let at = cells[cells.len() - 1];
        let touches = |&cell: &usize| {
            let (down, right) = ((cell / side).abs_diff(at / side), (cell % side).abs_diff(at % side));
            if is_straight { down + right == 1 } else { down.max(right) == 1 }
        };
        let next: Vec<usize> =
            (0..shape.cells()).filter(touches).filter(|cell| !cells.contains(cell)).collect();
        match random.pick(&next) {
            Some(&cell) => cells.push(cell),
            None => break,
        }
    }
    cells
}

/// Returns a rule of a kind with random cells that may hold in `solution`.
fn item(kind: &str, shape: Shape, solution: &[u8], random: &mut Random) -> String {
    let side = shape.side();
    let names =
        |cells: &[usize]| cells.iter().map(|&cell| format!("~{}", name_of(cell, side))).collect::<String>();
    let digit = |cell: usize| i64::from(solution[cell]) + 1;
    let sum = |cells: &[usize]| cells.iter().map(|&cell| digit(cell)).sum::<i64>();
    let length = 2 + below(random, 4);
    let line = path(shape, random, length, false);
    let straight = path(shape, random, 2 + length % 2, true);
    match kind {
        "" => format!(".~{}_{}_{}", name_of(line[0], side), digit(line[0]), 1 + below(random, side)),
        "Shape" => format!(".Shape~{side}x{side}"),
        "Jigsaw" => {
            // Boxes of the transposed shape.
            let other = Shape { box_rows: shape.box_columns, box_columns: shape.box_rows };
            let letters: String =
                (0..shape.cells()).map(|cell| char::from(b'a' + other.box_of(cell) as u8)).collect();
            format!(".Jigsaw~{letters}")
        }
        "Diagonal" => format!(".Diagonal~{}", if length.is_multiple_of(2) { "1" } else { "-1" }),
        "Cage" => format!(".Cage~{}{}", if length == 5 { 0 } else { sum(&line) }, names(&line)),
        "Sum" if length.is_multiple_of(2) => format!(".Sum~{}{}", sum(&line), names(&line)),
        "Sum" => {
            let by: Vec<i64> = line.iter().map(|_| i64::from(random.below(7)) - 3).collect();
            let target: i64 = line.iter().zip(&by).map(|(&cell, by)| digit(cell) * by).sum();
            let words: String = by.iter().map(|by| format!("_{by}")).collect();
            format!(".Sum~{target}_={words}{}", names(&line))
        }
        "DoubleArrow" | "Palindrome" => {
            format!(".{kind}{}", names(&path(shape, random, 3 + length % 3, false)))
        }
        "PillArrow" => {
            let row = below(random, side) * side;
            let size = 2 + below(random, 2);
            let pill: Vec<usize> = (row..row + size).collect();
            let rest: Vec<usize> =
                path(shape, random, 4, false).into_iter().filter(|cell| !pill.contains(cell)).collect();
            format!(
                ".PillArrow~{size}{}{}",
                names(&pill),
                if rest.is_empty() { names(&[0]) } else { names(&rest) }
            )
        }
        "LittleKiller" => {
            let start = 1 + below(random, side - 1);
            let cells: Vec<usize> = (0..=start).map(|step| step * side + start - step).collect();
            format!(".LittleKiller~{}{}", sum(&cells), names(&[start]))
        }
        "Whisper" => format!(".Whisper~{}{}", 1 + below(random, 3), names(&line)),
        "Quad" => {
            let corner = below(random, side - 1) * side + below(random, side - 1);
            let four = [corner, corner + 1, corner + side, corner + side + 1];
            let some: String =
                four.iter().take(1 + length % 4).map(|&cell| format!("~{}", digit(cell))).collect();
            format!(".Quad{}{some}", names(&[corner]))
        }
        "WhiteDot" | "BlackDot" | "X" | "V" | "GreaterThan" => format!(".{kind}{}", names(&straight)),
        "AllDifferent" | "Arrow" | "Thermo" | "Renban" => format!(".{kind}{}", names(&line)),
        _ => format!(".{kind}"),
    }
}

/// Returns `count` rules of random kinds, most of which hold in the grid.
fn text(shape: Shape, solution: &[u8], count: usize, first: Option<&str>, random: &mut Random) -> String {
    let mut text = String::new();
    for number in 0..count {
        for _ in 0..30 {
            let kind =
                first.filter(|_| number == 0).unwrap_or_else(|| KINDS[below(random, KINDS.len())].name);
            let item = item(kind, shape, solution, random);
            // Some rules must be broken, or an engine that ignores rules would pass.
            let Ok(rules) = compile(&item, shape) else { continue };
            if random.below(15) == 0 || rules.claims().first_broken(solution).is_none() {
                text.push_str(&item);
                break;
            }
        }
    }
    text
}

const SHAPES: [Shape; 4] = [
    Shape { box_rows: 2, box_columns: 2 },
    Shape { box_rows: 2, box_columns: 3 },
    Shape { box_rows: 3, box_columns: 2 },
    Shape { box_rows: 1, box_columns: 5 },
];
const NINE: Shape = Shape { box_rows: 3, box_columns: 3 };

#[test]
fn equal_cells_differ_from_the_same_cells() {
    // Without what follows from equal cells, each takes more than ten million nodes.
    for text in [
        ".Palindrome~R7C9~R8C8~R9C9~R8C9~R9C8~R9C7~R8C7~R8C6~R7C7~R6C7~R6C6~R7C5~R6C5~R5C4~R4C3~R4C2~R5C3~R6C3~R7C3~R6C4~R5C5~R4C5~R3C4~R2C4~R1C4",
        ".Palindrome~R5C3~R4C4~R3C3~R2C2~R1C2~R1C1~R2C1~R3C2~R4C1~R5C1~R5C2~R4C2~R4C3~R3C4~R2C3~R1C3~R2C4~R2C5~R1C5~R2C6~R3C6~R3C7~R4C7~R3C8~R3C9",
    ] {
        // Sums lead to the other search of the engine.
        for sum in ["", ".Sum~45~R1C1~R1C2~R1C3~R1C4~R1C5~R1C6~R1C7~R1C8~R1C9"] {
            let puzzle = puzzle(NINE, &format!("{text}{sum}"), |_| None);
            let (nodes, solutions) = all(&mut Variant::default(), &puzzle);
            assert!(solutions.is_empty() && nodes < 100, "{nodes} nodes: {text}{sum}");
        }
    }
}

#[test]
fn interchangeable_digits_are_not_all_tried() {
    let palindrome = ".Palindrome~R1C3~R2C4~R3C5~R2C5~R3C6~R4C6~R5C5~R6C4~R5C3~R4C4~R4C5~R5C6~R6C6~R7C5~R8C6~R8C7~R9C7\
        ~R8C8~R7C8~R6C9~R5C9~R5C8~R6C7~R5C7~R4C8~R3C8~R2C9~R1C8~R2C7~R3C7~R2C6";
    let pairs = [
        "R4C8~R2C9",
        "R1C4~R3C2",
        "R4C1~R7C5",
        "R3C7~R2C1",
        "R1C9~R5C7",
        "R4C5~R7C2",
        "R5C1~R3C9",
        "R5C3~R9C8",
        "R7C3~R8C8",
        "R1C8~R8C9",
        "R6C9~R2C2",
        "R5C8~R2C5",
        "R4C3~R3C4",
        "R5C2~R9C9",
        "R4C6~R8C2",
    ];
    let clones: String = pairs.iter().map(|cells| format!(".Sum~0_=_1_-1~{cells}")).collect();
    // If every digit is tried, the first takes 383,644 nodes and the second more than ten million.
    for (text, most) in [(palindrome, 1_000), (&clones, 5_000)] {
        let puzzle = puzzle(NINE, text, |_| None);
        let (outcome, found) = run(&mut Variant::default(), &short(&puzzle));
        assert_eq!((outcome.ended_by, found.solutions.len()), (EndedBy::Complete, 0), "{text}");
        let nodes = outcome.counters.expect("complete").nodes;
        assert!(nodes < most, "{nodes} nodes: {text}");
    }
}

/// Returns the task of all solutions of a puzzle in a search that is too short to be cut into parts.
fn short(puzzle: &Puzzle) -> Task<'_> {
    let limits = Limits { nodes: Some(SHORT_SEARCH_NODES), ..Limits::default() };
    Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, limits)
}

/// Compares the solutions with those of the naive engine and of a short search, and the whole search with its parts.
/// Returns the number of solutions.
fn compare(puzzle: &Puzzle) -> usize {
    let mut engine = Variant::default();
    let (nodes, solutions) = all(&mut engine, puzzle);
    let (naive_nodes, naive_solutions) = all(&mut Naive, puzzle);
    let expected = sorted(naive_solutions.clone());
    let rules = puzzle.rules().expect("it has rules").text();
    assert_eq!(sorted(solutions.clone()), expected, "{puzzle} {rules}");
    if puzzle.rules().is_some_and(|rules| rules.sums().is_empty() && rules.quotas().is_empty()) {
        assert_eq!(sorted(all(&mut Dlx::default(), puzzle).1), expected, "dlx: {puzzle} {rules}");
        assert_eq!(sorted(all(&mut Bitset::default(), puzzle).1), expected, "bitset: {puzzle} {rules}");
    }
    let (outcome, found) = run(&mut engine, &short(puzzle));
    let is_whole = outcome.ended_by == EndedBy::Complete;
    assert!(is_whole || nodes > SHORT_SEARCH_NODES, "{puzzle} {rules}");
    let expected_first = if is_whole { &solutions[..] } else { &solutions[..found.solutions.len()] };
    assert_eq!(found.solutions, expected_first, "a short search of {puzzle} {rules}");
    best_is_of_all(puzzle, &expected);
    for depth in [1, 3] {
        in_parts(&mut Variant::default(), puzzle, depth, nodes, &solutions);
        in_parts(&mut Naive, puzzle, depth, naive_nodes, &naive_solutions);
    }
    solutions.len()
}

/// Requires that the best scores found are the best of all solutions, with weights that differ between cells.
fn best_is_of_all(puzzle: &Puzzle, solutions: &[Vec<u8>]) {
    let weights: Vec<i64> = (0..puzzle.geometry().cells() as i64).map(|cell| cell * 7 % 11 - 5).collect();
    let weights = Arc::new(Weights::per_cell(puzzle.geometry(), &weights).unwrap());
    let mut weighted = puzzle.clone();
    weighted.set_weights(Some(Arc::clone(&weights)));
    for direction in [Direction::Maximize, Direction::Minimize] {
        let mut scores: Vec<i64> = solutions.iter().map(|digits| weights.score(digits)).collect();
        scores.sort_unstable_by_key(|score| if direction == Direction::Maximize { -score } else { *score });
        scores.truncate(3);
        let goal = Goal::Best(TopK { direction, limit: 3 });
        let task = Task::whole(ProblemRef::Puzzle(&weighted), goal, Limits::default());
        let (outcome, found) = run(&mut Variant::default(), &task);
        assert_eq!(outcome.ended_by, EndedBy::Complete);
        let mut met: Vec<i64> = found.solutions.iter().map(|digits| weights.score(digits)).collect();
        met.sort_unstable_by_key(|score| if direction == Direction::Maximize { -score } else { *score });
        met.truncate(3);
        assert_eq!(met, scores, "{puzzle} {:?}", puzzle.rules());
        assert!(found.solutions.iter().all(|digits| solutions.contains(digits)));
    }
}

/// Requires that the parts below a frontier have the nodes of the whole search, and its solutions in order.
fn in_parts(engine: &mut dyn TreeSearch, puzzle: &Puzzle, depth: u32, nodes: u64, solutions: &[Vec<u8>]) {
    let whole = Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, Limits::default());
    let (outcome, upper) = run(engine, &Task { frontier: Some(depth), ..whole });
    let mut total = outcome.counters.expect("complete").nodes;
    let (mut found, mut shown) = (Vec::new(), 0);
    for (prefix, before) in &upper.frontier {
        found.extend_from_slice(&upper.solutions[shown..*before]);
        shown = *before;
        let (outcome, part) = run(engine, &Task { prefix, ..whole });
        total += outcome.counters.expect("complete").nodes;
        found.extend(part.solutions);
    }
    found.extend_from_slice(&upper.solutions[shown..]);
    assert_eq!((&found[..], total), (solutions, nodes));
}

#[test]
fn every_rule_alone_and_with_others_has_the_solutions_of_the_naive_engine() {
    let (mut solved, mut unsolved) = (0, 0);
    for (number, kind) in KINDS.iter().enumerate() {
        for seed in 0..24 {
            let mut random = Random::new(seed, number as u64, 0);
            let shape = SHAPES[below(&mut random, SHAPES.len())];
            let solution = filled(shape, &mut random);
            let count = 1 + seed as usize % 4;
            let text = text(shape, &solution, count, Some(kind.name), &mut random);
            if text.is_empty() {
                continue;
            }
            let share = if shape.side() == 4 { 2 } else { 6 };
            let clues: Vec<bool> = solution.iter().map(|_| random.below(10) < share).collect();
            let found = compare(&puzzle(shape, &text, |cell| clues[cell].then_some(solution[cell])));
            *(if found > 0 { &mut solved } else { &mut unsolved }) += 1;
        }
    }
    assert!(solved > 300 && unsolved > 20, "{solved} and {unsolved}");
}

#[test]
fn all_pairs_of_rules_have_the_solutions_of_the_naive_engine() {
    let shape = SHAPES[0];
    for (a, one) in KINDS.iter().enumerate() {
        for (b, other) in KINDS.iter().enumerate().skip(a) {
            let mut random = Random::new(a as u64, b as u64, 1);
            let solution = filled(shape, &mut random);
            let text = [one, other].map(|kind| item(kind.name, shape, &solution, &mut random)).concat();
            if compile(&text, shape).is_ok() {
                let clue = below(&mut random, 16);
                compare(&puzzle(shape, &text, |cell| (cell == clue).then_some(solution[cell])));
            }
        }
    }
}

#[test]
fn grids_of_9x9_with_many_clues_have_the_solutions_of_the_naive_engine() {
    for (number, kind) in KINDS.iter().enumerate() {
        for seed in 0..3 {
            let mut random = Random::new(seed, 9, number as u64);
            let solution = filled(NINE, &mut random);
            let text = text(NINE, &solution, 1 + seed as usize, Some(kind.name), &mut random);
            if text.is_empty() {
                continue;
            }
            let clues: Vec<bool> = solution.iter().map(|_| random.below(10) < 7).collect();
            compare(&puzzle(NINE, &text, |cell| clues[cell].then_some(solution[cell])));
        }
    }
}

/// Returns the target of a cell under one of the eight rotations and reflections.
fn turned(shape: Shape, way: u32, cell: usize) -> usize {
    let side = shape.side();
    let (mut row, mut column) = (cell / side, cell % side);
    if way & 1 != 0 {
        row = side - 1 - row;
    }
    if way & 2 != 0 {
        column = side - 1 - column;
    }
    if way & 4 != 0 { column * side + row } else { row * side + column }
}

/// Returns the rules for the rotated or reflected grid, or `None` if it has no such rules.
///
/// Rules that depend on page directions become sums.
fn text_turned(text: &str, shape: Shape, way: u32) -> Option<String> {
    let side = shape.side();
    let to = |cell: usize| turned(shape, way, cell);
    let name = |cell: usize| name_of(to(cell), side);
    let mut out = String::new();
    for item in items(text).unwrap() {
        let cells = || item.arguments.iter().filter_map(|word| cell_of(word, side)).collect::<Vec<_>>();
        let word = |word: &&str| {
            let (cell, rest) = word.split_at(word.find('_').unwrap_or(word.len()));
            cell_of(cell, side).map_or(format!("~{word}"), |cell| format!("~{}{rest}", name(cell)))
        };
        match item.name {
            "Jigsaw" => {
                let layout: Vec<char> = item.arguments[0].chars().collect();
                let mut letters = vec![' '; layout.len()];
                (0..layout.len()).for_each(|cell| letters[to(cell)] = layout[cell]);
                out += &format!(".Jigsaw~{}", letters.iter().collect::<String>());
            }
            "Windoku" if shape != NINE && side != 4 => return None,
            "Diagonal" => {
                // A reflection exchanges the diagonals; a transposition keeps them.
                let is_other = (way & 1 != 0) != (way & 2 != 0);
                let is_rising = (item.arguments == ["1"]) != is_other;
                out += if is_rising { ".Diagonal~1" } else { ".Diagonal~-1" };
            }
            "LittleKiller" => {
                let start = cells()[0];
                let diagonal = (0..=start).map(|step| step * side + start - step);
                let names: String = diagonal.map(|cell| format!("~{}", name(cell))).collect();
                out += &format!(".Sum~{}{names}", item.arguments[0]);
            }
            "PillArrow" => {
                let (size, cells) = (item.arguments[0].parse::<u32>().unwrap(), cells());
                let by = |at: u32| if at < size { -(10i32.pow(size - 1 - at)) } else { 1 };
                let by: String = (0..cells.len() as u32).map(|at| format!("_{}", by(at))).collect();
                let names: String = cells.iter().map(|&cell| format!("~{}", name(cell))).collect();
                out += &format!(".Sum~0_={by}{names}");
            }
            "Quad" => {
                let corner = cells()[0];
                let four = [corner, corner + 1, corner + side, corner + side + 1].map(to);
                let digits = item.arguments[1..].join("~");
                out += &format!(".Quad~{}~{digits}", name_of(*four.iter().min().unwrap(), side));
            }
            kind => {
                out += &format!(".{kind}{}", item.arguments.iter().map(word).collect::<String>());
            }
        }
    }
    Some(out)
}

#[test]
fn rotated_grids_with_their_rules_have_the_rotated_solutions() {
    let mut several = 0;
    for seed in 0..160 {
        let mut random = Random::new(seed, 5, 0);
        let shape = [SHAPES[0], SHAPES[1], NINE, NINE][below(&mut random, 4)];
        let solution = filled(shape, &mut random);
        let kind = KINDS[seed as usize % KINDS.len()].name;
        let text = text(shape, &solution, 3, Some(kind), &mut random);
        let way = 1 + random.below(7);
        let other = if way & 4 == 0 {
            shape
        } else {
            Shape { box_rows: shape.box_columns, box_columns: shape.box_rows }
        };
        let turned_text = text_turned(&text, shape, way);
        let Some(turned_text) = turned_text.filter(|text| !text.is_empty()) else { continue };
        let share = if shape == NINE { 5 } else { 3 };
        let clues: Vec<bool> = solution.iter().map(|_| random.below(10) < share).collect();
        let given = puzzle(shape, &text, |cell| clues[cell].then_some(solution[cell]));
        let from: Vec<usize> = {
            let mut from = vec![0; solution.len()];
            (0..solution.len()).for_each(|cell| from[turned(shape, way, cell)] = cell);
            from
        };
        let elsewhere = puzzle(other, &turned_text, |cell| clues[from[cell]].then_some(solution[from[cell]]));
        let solutions = all(&mut Variant::default(), &given).1;
        let expected =
            solutions.iter().map(|digits| from.iter().map(|&cell| digits[cell]).collect()).collect();
        let found = sorted(all(&mut Variant::default(), &elsewhere).1);
        assert_eq!(found, sorted(expected), "{given} {text} {way} {turned_text}");
        several += usize::from(found.len() > 1);
    }
    assert!(several > 20, "{several} of the puzzles have several solutions");
}

#[test]
fn digits_may_change_names_where_no_rule_is_about_their_values() {
    const OF_HOUSES: [&str; 8] = [
        "Jigsaw",
        "AllDifferent",
        "Diagonal",
        "Windoku",
        "DisjointSets",
        "AntiKnight",
        "AntiKing",
        "Palindrome",
    ];
    for seed in 0..80 {
        let mut random = Random::new(seed, 6, 0);
        let shape = [SHAPES[0], SHAPES[1], SHAPES[2], NINE][below(&mut random, 4)];
        let solution = filled(shape, &mut random);
        let text: String = (0..2)
            .map(|_| item(OF_HOUSES[below(&mut random, OF_HOUSES.len())], shape, &solution, &mut random))
            .filter(|item| compile(item, shape).is_ok())
            .collect();
        if text.is_empty() {
            continue;
        }
        let mut names: Vec<u8> = (0..shape.side() as u8).collect();
        random.shuffle(&mut names);
        let share = if shape == NINE { 4 } else { 2 };
        let clues: Vec<bool> = solution.iter().map(|_| random.below(10) < share).collect();
        let of = |renamed: bool| {
            let given = puzzle(shape, &text, |cell| {
                let digit = solution[cell];
                clues[cell].then_some(if renamed { names[usize::from(digit)] } else { digit })
            });
            all(&mut Variant::default(), &given).1
        };
        let rename = |digits: &Vec<u8>| digits.iter().map(|&digit| names[usize::from(digit)]).collect();
        assert_eq!(sorted(of(true)), sorted(of(false).iter().map(rename).collect()), "{text}");
    }
}

#[test]
fn parts_of_a_long_search_add_up_to_the_whole() {
    let shape = SHAPES[1];
    let empty = puzzle(shape, ".AntiKnight", |cell| (cell == 0).then_some(0));
    let mut engine = Variant::default();
    let (nodes, solutions) = all(&mut engine, &empty);
    assert!(nodes > 100, "{nodes}");
    for depth in [1, 4, 9] {
        in_parts(&mut engine, &empty, depth, nodes, &solutions);
        in_parts(&mut Variant::default(), &empty, depth, nodes, &solutions);
    }
}

fn count(box_rows: usize, box_columns: usize, text: &str) -> usize {
    let puzzle = puzzle(Shape { box_rows, box_columns }, text, |_| None);
    let task = Task::count(ProblemRef::Puzzle(&puzzle), Limits::default());
    let engines: [&mut dyn TreeSearch; 2] = [&mut Variant::default(), &mut Dlx::default()];
    let [one, other] = engines.map(|engine| {
        let (outcome, _) = run(engine, &task);
        assert_eq!(outcome.ended_by, EndedBy::Complete);
        outcome.found
    });
    assert_eq!(one, other, "{text}");
    one.to_u64().unwrap() as usize
}

#[test]
fn numbers_of_grids_are_the_published_ones() {
    const X: &str = ".Diagonal~1.Diagonal~-1";
    for (text, four) in [
        (X, 48),
        (".Diagonal~1", 48),
        (".Diagonal~-1", 48),
        (".DisjointSets", 168),
        (".AntiKnight", 24),
        (".AntiKing", 0),
        (".AntiConsecutive", 0),
    ] {
        let empty = puzzle(SHAPES[0], text, |_| None);
        assert_eq!(compare(&empty), four, "{text}");
    }
    for (text, six) in [(X, 8_640), (".AntiKnight", 11_520), (".AntiKing", 74_160), (".AntiConsecutive", 48)]
    {
        assert_eq!(count(2, 3, text), six, "{text}");
    }
    for text in
        [".AntiKnight.AntiConsecutive", ".AntiKing.AntiConsecutive", ".Diagonal~1.Diagonal~-1.AntiKnight"]
    {
        assert_eq!(count(2, 3, text), 0, "{text}");
    }
    assert_eq!(count(3, 3, ".AntiKnight.AntiKing.AntiConsecutive"), 72);
}

/// Number of ways to rename the digits, 9!. If no rule depends on their values, there are this many grids for
/// each grid with a fixed first row.
const NAMES: u64 = 362_880;

#[test]
fn numbers_of_grids_up_to_the_names_of_digits_are_the_published_ones() {
    for (text, nine) in
        [(".AntiKnight.AntiKing", 1_451_520), (".Diagonal~1.Diagonal~-1.AntiKnight", 13_063_680)]
    {
        let first_row = puzzle(NINE, text, |cell| (cell < 9).then_some(cell as u8));
        let task = Task::count(ProblemRef::Puzzle(&first_row), Limits::default());
        let engines: [&mut dyn TreeSearch; 3] =
            [&mut Variant::default(), &mut Dlx::default(), &mut Bitset::default()];
        for engine in engines {
            let (outcome, _) = run(engine, &task);
            assert_eq!(outcome.ended_by, EndedBy::Complete);
            assert_eq!(outcome.found.to_u64().map(|found| NAMES * found), Some(nine), "{text}");
        }
    }
}

#[test]
#[ignore = "minutes in a release build: the longer numbers of docs/RESULTS.md"]
fn longer_numbers_of_grids_are_the_published_ones() {
    for (text, six) in [(".Diagonal~1", 288_000), (".Diagonal~-1", 288_000), (".DisjointSets", 2_799_360)] {
        assert_eq!(count(2, 3, text), six, "{text}");
    }
    for (text, nine) in [
        (".AntiKing.AntiConsecutive", 1_152),
        (".AntiKnight.AntiConsecutive", 48_552),
        (".AntiKnight.AntiKing", 1_451_520),
    ] {
        assert_eq!(count(3, 3, text), nine, "{text}");
    }
    let first_row = puzzle(NINE, ".AntiKnight", |cell| (cell < 9).then_some(cell as u8));
    let task = Task::count(ProblemRef::Puzzle(&first_row), Limits::default());
    let (outcome, _) = run(&mut Variant::default(), &task);
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    assert_eq!(outcome.found.to_u64().map(|found| NAMES * found), Some(3_080_888_939_520));
}

#[test]
fn the_miracle_has_one_solution() {
    let miracle = puzzle(NINE, ".AntiKnight.AntiKing.AntiConsecutive.~R5C3_1~R6C7_2", |_| None);
    let (_, solutions) = all(&mut Variant::default(), &miracle);
    let line: String = solutions[0].iter().map(|digit| char::from(b'1' + digit)).collect();
    assert_eq!(solutions.len(), 1);
    assert_eq!(line, "483726159726159483159483726837261594261594837594837261372615948615948372948372615");
}

/// Thousands of sums make a node last seconds; the time limit stops the search within the node.
#[test]
fn the_time_limit_is_checked_within_a_node() {
    let shape = Shape { box_rows: 3, box_columns: 3 };
    let mut random = Random::new(20, 0, 0);
    let solution = filled(shape, &mut random);
    let mut cells: Vec<usize> = (0..81).collect();
    let mut text = String::new();
    for _ in 0..3_000 {
        random.shuffle(&mut cells);
        let some = &cells[..30 + below(&mut random, 20)];
        let sum: usize = some.iter().map(|&cell| usize::from(solution[cell]) + 1).sum();
        text.push_str(&format!(".Sum~{sum}"));
        some.iter().for_each(|&cell| text.push_str(&format!("~{}", name_of(cell, 9))));
    }
    let puzzle = puzzle(shape, &text, |_| None);
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let mut variant = Variant::default();
    let (outcome, found) =
        run(&mut variant, &Task::whole(ProblemRef::Puzzle(&puzzle), Goal::First(2), limits));
    assert_eq!((outcome.ended_by, found.solutions.len()), (EndedBy::Time, 0));
    // The first propagation was not finished.
    assert_eq!(outcome.counters.map(|counters| counters.nodes), Some(0));
}

#[test]
fn larger_grids_are_solved_with_their_rules() {
    for (box_rows, box_columns) in [(2, 4), (2, 5), (3, 4), (4, 4)] {
        let shape = Shape { box_rows, box_columns };
        let mut random = Random::new(3, shape.side() as u64, 0);
        let solution = filled(shape, &mut random);
        let text = text(shape, &solution, 12, Some("Cage"), &mut random);
        let clues: Vec<bool> = solution.iter().map(|_| random.below(10) < 6).collect();
        let given = puzzle(shape, &text, |cell| clues[cell].then_some(solution[cell]));
        let is_right = given.rules().unwrap().claims().first_broken(&solution).is_none();
        let (_, solutions) = all(&mut Variant::default(), &given);
        assert_eq!(solutions.contains(&solution), is_right, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any text is refused or searched, and every solution satisfies the naive reading.
    #[test]
    fn any_text_of_rules_is_refused_or_searched(
        kinds in prop::collection::vec((0..KINDS.len() + 1, "(~(R[1-9A-G]C[1-9A-G]|R[1-4]C[1-4]|R[1-4]C[1-4]|-?[0-9]{1,3}|0_=_1_-1|R1C1_[1-9]|)){0,6}"), 1..5),
        box_rows in 2usize..5,
        box_columns in 2usize..5,
    ) {
        let shape = Shape { box_rows, box_columns };
        let items = kinds.iter().map(|(kind, words)| {
            let name = KINDS.get(*kind).map_or("Unknown", |kind| kind.name);
            format!(".{name}{words}")
        });
        let text: String = items.collect();
        if let Ok(rules) = compile(&text, shape) {
            let mut puzzle = Puzzle::new(&Geometry::new(box_rows, box_columns).unwrap());
            puzzle.set_rules(&Arc::new(rules));
            let broken = puzzle.clash().is_some();
            let limits = Limits { nodes: Some(60), ..Limits::default() };
            let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::First(2), limits);
            // `run` verifies every solution.
            let (outcome, found) = run(&mut Variant::default(), &task);
            prop_assert!(!broken || found.solutions.is_empty(), "{} {:?}", text, outcome);
        }
    }
}
