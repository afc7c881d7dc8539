//! Problems of every kind, determined by kind and seed.

use std::sync::Arc;

use quadrille::generate::{self, Kind, Request};
use quadrille::internals::Random;
use quadrille::internals::cover::classic;
use quadrille::{Bounds, Constraint, CoverBuilder, DigitSet, Geometry, Packed9x9, Problem, Puzzle};
use quadrille::{Entry, NO_COLOUR, Weights};

/// Name of a kind, and the function that makes its problems.
pub(crate) type KindOf = (&'static str, fn(u64) -> Problem);

/// All kinds.
pub(crate) const KINDS: &[KindOf] = &[
    ("generated", generated),
    ("small", |seed| grid(seed, &[(2, 2), (2, 3), (3, 2), (2, 4)], 0)),
    ("nine", |seed| grid(seed, &[(3, 3)], 22)),
    ("large", |seed| {
        grid(seed, &[(2, 5), (3, 4), (4, 3), (3, 5), (4, 4), (5, 4), (3, 7), (4, 6), (5, 5)], 55)
    }),
    ("packed", packed),
    ("tiny", tiny),
    ("planted", planted),
    ("classic", classics),
];

/// Returns true in `percent` of 100 cases.
fn chance(random: &mut Random, percent: u32) -> bool {
    random.below(100) < percent
}

fn below(random: &mut Random, end: usize) -> usize {
    random.below(end as u32) as usize
}

/// Makes puzzles with the generator: minimal puzzles, some of them with a clue removed, changed, or added.
fn generated(seed: u64) -> Problem {
    let mut random = Random::new(seed, 1, 0);
    let kinds = [Kind::Minimal, Kind::Multiple, Kind::Altered, Kind::Puzzles];
    let mut request = Request::new(*random.pick(&kinds).expect("there are four"), seed);
    if chance(&mut random, 30) {
        request.geometry = Geometry::new(2, 3).expect("6x6");
    }
    let made = generate::records(&request, 0..1).expect("it can be made").pop().expect("one was asked for");
    let puzzle = made.puzzle();
    puzzle.to_packed().map_or(Problem::Puzzle(puzzle), Problem::Packed)
}

/// Returns rows or columns in a random order that keeps bands together.
fn axis(random: &mut Random, groups: usize, size: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups).collect();
    random.shuffle(&mut order);
    let mut lines = Vec::new();
    for group in order {
        let mut inner: Vec<usize> = (0..size).map(|line| group * size + line).collect();
        random.shuffle(&mut inner);
        lines.append(&mut inner);
    }
    lines
}

/// Returns a shuffled solved grid.
fn solved(random: &mut Random, geometry: &Geometry) -> Vec<usize> {
    let (rows, columns, side) = (geometry.box_rows(), geometry.box_columns(), geometry.side());
    let down = axis(random, columns, rows);
    let across = axis(random, rows, columns);
    let mut digits: Vec<usize> = (0..side).collect();
    random.shuffle(&mut digits);
    let at = |row: usize, column: usize| digits[(row % rows * columns + row / rows + column) % side];
    down.iter()
        .flat_map(|&row| across.iter().map(move |&column| (row, column)))
        .map(|(r, c)| at(r, c))
        .collect()
}

/// Makes a grid with pencilmarks, parities, letters, weights and wrong clues.
///
/// At least `least` percent of the cells are clues.
fn grid(seed: u64, shapes: &[(usize, usize)], least: u32) -> Problem {
    let mut random = Random::new(seed, 2, least.into());
    let &(rows, columns) = random.pick(shapes).expect("there are shapes");
    let geometry = Geometry::new(rows, columns).expect("it is allowed");
    let (side, cells) = (geometry.side(), geometry.cells());
    let digits = solved(&mut random, &geometry);
    let mut puzzle = Puzzle::new(&geometry);
    let clues = least + random.below(95 - least);
    let (marks, parities) = (random.below(40), random.below(40));
    for (cell, &digit) in digits.iter().enumerate() {
        let set = if chance(&mut random, clues) {
            DigitSet::only(digit)
        } else if chance(&mut random, marks) {
            let others = (0..side).filter(|_| chance(&mut random, 40)).fold(0, |set, other| set | 1 << other);
            DigitSet(others | 1 << digit)
        } else if chance(&mut random, parities) {
            if DigitSet::even(side).0 >> digit & 1 != 0 { DigitSet::even(side) } else { DigitSet::odd(side) }
        } else {
            continue;
        };
        puzzle.restrict(cell, set);
    }
    if chance(&mut random, 30) {
        for letter in ('a'..'e').take(1 + below(&mut random, 4)) {
            letters(&mut random, &mut puzzle, &digits, letter);
        }
    }
    if chance(&mut random, 35) {
        for _ in 0..=random.below(2) {
            puzzle.set_candidates(below(&mut random, cells), DigitSet::only(below(&mut random, side)));
        }
    }
    if chance(&mut random, 40) {
        let values: Vec<i64> = (0..cells).map(|_| i64::from(random.below(60)) - 20).collect();
        puzzle.set_weights(Some(Arc::new(Weights::per_cell(&geometry, &values).expect("small numbers"))));
    }
    Problem::Puzzle(puzzle)
}

/// Adds a letter to some cells, usually with equal digits in the solution, and removes their clues.
fn letters(random: &mut Random, puzzle: &mut Puzzle, digits: &[usize], letter: char) {
    let (cells, digit) = (digits.len(), below(random, puzzle.geometry().side()));
    let of_digit = |cell: &usize| digits[*cell] == digit;
    let mut group: Vec<u16> = (0..cells).filter(of_digit).map(|cell| cell as u16).collect();
    random.shuffle(&mut group);
    group.truncate(2 + below(random, 3));
    if chance(random, 15) {
        group.push(below(random, cells) as u16);
    }
    group.sort_unstable();
    group.dedup();
    if group.len() < 2 {
        return;
    }
    for &cell in &group {
        puzzle.set_candidates(cell.into(), DigitSet::all(puzzle.geometry().side()));
    }
    puzzle.constrain(Constraint::SameDigit { letter, cells: group });
}

/// Makes a 9x9 of candidates alone, in the form for engines that require it.
fn packed(seed: u64) -> Problem {
    let mut random = Random::new(seed, 3, 0);
    let geometry = Geometry::new(3, 3).expect("9x9");
    let digits = solved(&mut random, &geometry);
    let (clues, marks) = (20 + random.below(50), random.below(60));
    let mut cells = [0x1ff; 81];
    for (cell, &digit) in digits.iter().enumerate() {
        if chance(&mut random, clues) {
            cells[cell] = 1 << digit;
        } else if chance(&mut random, marks) {
            cells[cell] = (random.below(512) | random.below(512) | 1 << digit) as u16;
        }
    }
    if chance(&mut random, 30) {
        cells[below(&mut random, 81)] = random.below(512) as u16;
    }
    Problem::Packed(Packed9x9::from_cells(&cells))
}

/// Features of a cover problem in addition to its options.
struct Extras {
    bounds: bool,
    colours: bool,
    costs: bool,
}

impl Extras {
    fn new(random: &mut Random) -> Self {
        Extras { bounds: chance(random, 30), colours: chance(random, 50), costs: chance(random, 50) }
    }

    fn items(&self, random: &mut Random, primary: usize, secondary: usize) -> CoverBuilder {
        let mut builder = CoverBuilder::new();
        for item in 0..primary {
            let high = if self.bounds && chance(random, 40) { 1 + random.below(3) } else { 1 };
            let low =
                if high > 1 || self.bounds && chance(random, 10) { random.below(high + 1) } else { high };
            builder.primary_within(&format!("p{item}"), Bounds { low, high }).expect("a new name");
        }
        for item in 0..secondary {
            builder.secondary(&format!("s{item}")).expect("a new name");
        }
        for colour in ["a", "b", "c"] {
            builder.colour(colour).expect("a new name");
        }
        builder
    }

    /// Adds an option of primary items, and of secondary items with or without a colour.
    fn option(&self, random: &mut Random, builder: &mut CoverBuilder, primary: &[u32], secondary: &[u32]) {
        let mut entries: Vec<Entry> = primary.iter().map(|&item| Entry { item, colour: NO_COLOUR }).collect();
        for &item in secondary {
            let colour = if self.colours && chance(random, 70) { 1 + random.below(3) } else { NO_COLOUR };
            entries.push(Entry { item, colour });
        }
        let cost = if self.costs { i64::from(random.below(50)) - 10 } else { 0 };
        builder.option_of(&entries, cost, None).expect("every item once");
    }

    /// Adds fewer than `end` options, each with at least one primary item.
    ///
    /// The arrays hold the numbers of primary and secondary items: in the problem, and the maximum per
    /// option.
    fn options(
        &self,
        random: &mut Random,
        builder: &mut CoverBuilder,
        [primary, secondary]: [usize; 2],
        (end, [most_items, most_sides]): (u32, [usize; 2]),
    ) {
        for _ in 0..random.below(end) {
            let items = some(random, 0..primary, most_items);
            let sides = some(random, primary..primary + secondary, most_sides);
            if !items.is_empty() {
                self.option(random, builder, &items, &sides);
            }
        }
    }
}

/// Returns at most `most` random numbers of a range in ascending order.
fn some(random: &mut Random, from: std::ops::Range<usize>, most: usize) -> Vec<u32> {
    let mut all: Vec<u32> = from.map(|number| number as u32).collect();
    random.shuffle(&mut all);
    all.truncate(below(random, most + 1));
    all.sort_unstable();
    all
}

fn built(builder: CoverBuilder) -> Problem {
    Problem::Cover(Arc::new(builder.build().expect("a problem")))
}

/// Makes a problem of few items and options, with all features.
fn tiny(seed: u64) -> Problem {
    let mut random = Random::new(seed, 4, 0);
    let extras = Extras::new(&mut random);
    let (primary, secondary) = (1 + below(&mut random, 11), below(&mut random, 6));
    let mut builder = extras.items(&mut random, primary, secondary);
    extras.options(&mut random, &mut builder, [primary, secondary], (36, [3, 2]));
    built(builder)
}

/// Makes a problem of tens of items and up to thousands of options around a known solution.
fn planted(seed: u64) -> Problem {
    let mut random = Random::new(seed, 5, 0);
    let extras = Extras { bounds: chance(&mut random, 20), ..Extras::new(&mut random) };
    let (primary, secondary) = (12 + below(&mut random, 60), below(&mut random, 20));
    let mut builder = extras.items(&mut random, primary, secondary);
    let size = 2 + below(&mut random, 6);
    let mut items: Vec<u32> = (0..primary as u32).collect();
    random.shuffle(&mut items);
    for part in items.chunks(size) {
        extras.option(&mut random, &mut builder, part, &[]);
    }
    let most = [30, 150, 600, 2_500][below(&mut random, 4)];
    extras.options(&mut random, &mut builder, [primary, secondary], (most, [2 * size, 3]));
    built(builder)
}

/// Makes a classic problem of small size.
fn classics(seed: u64) -> Problem {
    let mut random = Random::new(seed, 6, 0);
    let mut number = |from: u32, to: u32| (from + random.below(to - from + 1)).to_string();
    let (name, parameters): (&str, Vec<String>) = match seed % 11 {
        0 => ("queens", vec![number(1, 9)]),
        1 => ("domination", vec![number(2, 5), number(1, 4)]),
        2 => ("langford", vec![number(1, 8)]),
        3 => ("latin", vec![number(1, 5)]),
        4 => ("matchings", vec![number(1, 10)]),
        5 => ("partitions", vec![number(1, 7)]),
        6 => ("dominoes", vec![format!("{}x{}", number(2, 6), number(2, 7))]),
        7 => ("triominoes", vec![format!("{}x{}", number(2, 6), number(3, 6))]),
        8 => ("squares", vec![number(2, 6), number(2, 12)]),
        9 => ("polyominoes", vec![number(2, 4), format!("{}x{}", number(3, 5), number(4, 6))]),
        _ => ("partridge", vec![number(1, 3)]),
    };
    Problem::Cover(Arc::new(classic(name, &parameters).expect("there is one")))
}
