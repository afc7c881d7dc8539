//! Canonical forms, compared with their definition, under random transforms, and with published numbers.
//!
//! ```text
//! cargo test --release --test library canonical::
//! QUADRILLE_CANONICAL=1000 cargo test --release --test library canonical:: -- --nocapture
//! QUADRILLE_CORPORA=17_clue.txt:magictour_top1465.txt cargo test --release --test library known_corpora -- --ignored --nocapture
//! ```
//!
//! `QUADRILLE_CANONICAL` sets the number of puzzles compared with the definition, and of random transforms of each
//! puzzle.

use quadrille::GridQuestions;
use std::collections::{HashMap, HashSet};
use std::{env, fs};

use quadrille::canonical::{Canonical, Canonizer, Cells, Form, NoForm, Transform, TransformError, canonical};
use quadrille::{Geometry, Packed9x9, ProblemRef, Puzzle, Solution};

type Grid = [u8; 81];

/// Default number of puzzles, and of transforms of each puzzle.
const FEW: usize = 60;

/// The grid with the largest automorphism group.
const MOST_SYMMETRIC: &str =
    "123456789456789123789123456231564897564897231897231564312645978645978312978312645";

fn amount() -> usize {
    env::var("QUADRILLE_CANONICAL").map_or(FEW, |text| text.parse().expect("a number"))
}

/// A small random number generator for these tests alone (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn shuffled<const N: usize>(&mut self) -> [u8; N] {
        let mut numbers = std::array::from_fn(|at| at as u8);
        for last in (1..N).rev() {
            numbers.swap(last, self.below(last + 1));
        }
        numbers
    }

    /// Returns nine rows or columns in random order; those of a band stay together.
    fn lines(&mut self) -> [u8; 9] {
        let groups = self.shuffled::<3>();
        let within = [self.shuffled::<3>(), self.shuffled(), self.shuffled()];
        std::array::from_fn(|at| 3 * groups[at / 3] + within[at / 3][at % 3])
    }

    fn transform(&mut self) -> Transform {
        let word = |numbers: [u8; 9]| -> String { numbers.iter().map(|&n| char::from(b'1' + n)).collect() };
        let side = ["n", "t"][self.below(2)];
        let (rows, columns) = (word(self.lines()), word(self.lines()));
        format!("{side}:{rows}:{columns}:{}", word(self.shuffled())).parse().expect("a transform")
    }
}

fn read(line: &str) -> Grid {
    let digit = |byte: u8| if byte.is_ascii_digit() { byte - b'0' } else { 0 };
    let cells: Vec<u8> = line.bytes().take(81).map(digit).collect();
    cells.try_into().expect("81 cells")
}

fn cells(grid: &Grid) -> Cells {
    Cells::new(grid).expect("a 9x9")
}

fn lines_of(file: &str) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.lines().filter(|line| line.len() >= 81 && !line.starts_with('#')).map(str::to_owned).collect()
}

fn solve(grid: &Grid) -> Grid {
    let packed = Packed9x9::from_cells(&grid.map(|digit| if digit == 0 { 0x1ff } else { 1 << (digit - 1) }));
    let solution = packed.solve().expect("it has a solution");
    std::array::from_fn(|cell| solution.digits()[cell] + 1)
}

/// Returns the minimal transformed grid by definition, and the number of arrangements that lead to it.
///
/// Tries every order of columns, and every order of rows as long as the rows so far do not exceed the
/// minimum.
fn referee(grid: &Grid) -> (Grid, u32) {
    struct Trial<'a> {
        rows: [[u8; 9]; 9],
        least: &'a mut Grid,
        ties: &'a mut u32,
    }
    fn go_on(trial: &mut Trial, order: &mut Vec<usize>, labels: [u8; 10], next: u8) {
        let level = order.len();
        if level == 9 {
            *trial.ties += 1;
            return;
        }
        for row in 0..9 {
            let torn = !level.is_multiple_of(3) && row / 3 != order[level - 1] / 3;
            if torn || order.contains(&row) {
                continue;
            }
            let (mut labels, mut next) = (labels, next);
            let line = trial.rows[row].map(|digit| {
                let label = &mut labels[usize::from(digit)];
                if digit != 0 && *label == 0 {
                    *label = next;
                    next += 1;
                }
                *label
            });
            let known = &mut trial.least[9 * level..];
            if line.as_slice() > &known[..9] {
                continue;
            }
            if line.as_slice() < &known[..9] {
                known.fill(u8::MAX);
                known[..9].copy_from_slice(&line);
                *trial.ties = 0;
            }
            order.push(row);
            go_on(trial, order, labels, next);
            order.pop();
        }
    }
    let three: Vec<[usize; 3]> =
        (0..27).map(|n| [n / 9, n / 3 % 3, n % 3]).filter(|[a, b, c]| a != b && b != c && a != c).collect();
    let (mut least, mut ties) = ([u8::MAX; 81], 0);
    for transposed in [false, true] {
        for stacks in &three {
            for (a, b, c) in (0..216).map(|n| (three[n / 36], three[n / 6 % 6], three[n % 6])) {
                let column = |at: usize| 3 * stacks[at / 3] + [a, b, c][at / 3][at % 3];
                let rows = std::array::from_fn(|row| {
                    std::array::from_fn(|at| {
                        if transposed { grid[9 * column(at) + row] } else { grid[9 * row + column(at)] }
                    })
                });
                let mut trial = Trial { rows, least: &mut least, ties: &mut ties };
                go_on(&mut trial, &mut Vec::new(), [0; 10], 1);
            }
        }
    }
    (least, ties)
}

/// Returns `wanted` different solved grids with a symmetry other than the identity.
///
/// A search fills all cells of an orbit at once.
fn symmetric_grids(wanted: usize, random: &mut Random) -> Vec<Grid> {
    let mut grids = HashSet::new();
    grids.insert(read(MOST_SYMMETRIC));
    while grids.len() < wanted {
        // A power, of order 2, 3, 4 or 6, of a random transform: the target of each cell and the label of each digit.
        let transform = random.transform();
        let (one_cells, one_labels) = (targets(&transform), transform.labels().to_vec());
        let after = |(cells, labels): &Motion| -> Motion {
            let cells = cells.iter().map(|&to| one_cells[to]).collect();
            (cells, labels.iter().map(|&label| one_labels[usize::from(label)]).collect())
        };
        let nothing: Motion = ((0..81).collect(), (0..9).collect());
        let powers: Vec<Motion> =
            std::iter::successors(Some(after(&nothing)), |last| (*last != nothing).then(|| after(last)))
                .collect();
        let wish = [2, 3, 4, 6][random.below(4)];
        if !powers.len().is_multiple_of(wish) {
            continue;
        }
        let (to, labels) = &powers[powers.len() / wish - 1];
        let mut grid = [0; 81];
        if fill(&mut grid, to, labels, random, &mut 500) {
            grids.insert(grid);
        }
    }
    grids.into_iter().collect()
}

/// Target of each cell, and new label of each digit.
type Motion = (Vec<usize>, Vec<u8>);

/// Returns the target of each cell under a transform.
fn targets(transform: &Transform) -> Vec<usize> {
    let target = |cell: usize| {
        let mut marks = [0; 81];
        marks[cell] = 1;
        transform.apply_9x9(&marks).iter().position(|&mark| mark != 0).expect("it goes somewhere")
    };
    (0..81).map(target).collect()
}

fn fits(grid: &Grid, cell: usize, digit: u8) -> bool {
    let (row, column) = (cell / 9, cell % 9);
    (0..9).all(|at| {
        let in_box = (row / 3 * 3 + at / 3) * 9 + column / 3 * 3 + at % 3;
        grid[9 * row + at] != digit && grid[9 * at + column] != digit && grid[in_box] != digit
    })
}

fn fill(grid: &mut Grid, to: &[usize], labels: &[u8], random: &mut Random, steps: &mut usize) -> bool {
    if *steps == 0 {
        return false;
    }
    *steps -= 1;
    let options = |grid: &Grid, cell| (1..=9).filter(|&digit| fits(grid, cell, digit)).count();
    let Some(cell) = (0..81).filter(|&cell| grid[cell] == 0).min_by_key(|&cell| options(grid, cell)) else {
        return true;
    };
    for digit in random.shuffled::<9>() {
        let (mut next, mut at, mut digit) = (*grid, cell, digit + 1);
        loop {
            if next[at] == digit {
                break;
            }
            if next[at] != 0 || !fits(&next, at, digit) {
                next[at] = u8::MAX;
                break;
            }
            next[at] = digit;
            (at, digit) = (to[at], labels[usize::from(digit) - 1] + 1);
        }
        if next[at] != u8::MAX && fill(&mut next, to, labels, random, steps) {
            *grid = next;
            return true;
        }
    }
    false
}

/// Returns clues of all kinds: real puzzles, with many solutions, dense, symmetric, few, none, contradictory.
fn all_kinds(count: usize, random: &mut Random) -> Vec<Grid> {
    let mut real = Vec::new();
    for file in
        ["data/random-1000.txt", "data/multiple-3000.txt", "data/hard-300.txt", "data/minimal-5000.txt"]
    {
        let lines = lines_of(file);
        real.extend((0..count).map(|_| read(&lines[random.below(lines.len())])));
    }
    let symmetric = symmetric_grids(count / 10 + 5, random);
    // The last has a digit twice in a row, so that the numbers of clues do not order the rows.
    let twice = "2..2212.11.21.2..212.1222121.11..22.1..121.2222..121.122112.212.1.1.12.122221121.";
    let mut kinds = vec![[0; 81], [1; 81], read(twice)];
    for number in kinds.len()..count {
        let grid = match number % 8 {
            0 | 1 => real[random.below(real.len())],
            // Some cells of a solved grid.
            2 | 3 => {
                let mut grid = solve(&read(&lines_of("data/random-1000.txt")[random.below(1000)]));
                let empty = [0, 1, 2, 5, 10, 20, 30, 40, 60, 70, 76, 79, 80][random.below(13)];
                (0..empty).for_each(|_| grid[random.below(81)] = 0);
                grid
            }
            // Some digits, rows or cells of a symmetric grid.
            4 | 5 => {
                let mut grid = symmetric[random.below(symmetric.len())];
                let (digits, rows, cells) = (random.below(512), random.below(512), random.below(3));
                for (cell, digit) in grid.iter_mut().enumerate() {
                    let without_digit = number % 3 == 0 && digits >> (*digit - 1) & 1 != 0;
                    let without_row = number % 3 == 1 && rows >> (cell / 9) & 1 != 0;
                    if without_digit || without_row || (cells > 0 && random.below(8) < cells) {
                        *digit = 0;
                    }
                }
                grid
            }
            // Few clues.
            6 => {
                let mut grid = [0; 81];
                (0..random.below(12)).for_each(|_| grid[random.below(81)] = 1 + random.below(9) as u8);
                grid
            }
            // Random cells with few digits.
            _ => {
                let (most, share) = (1 + random.below(9), 1 + random.below(10));
                std::array::from_fn(
                    |_| if random.below(10) < share { 1 + random.below(most) as u8 } else { 0 },
                )
            }
        };
        kinds.push(grid);
    }
    kinds.truncate(count);
    kinds
}

#[test]
fn the_puzzle_form_is_that_of_the_definition() {
    let mut random = Random(0x5eed);
    let mut canonizer = Canonizer::new();
    let kinds = all_kinds(amount(), &mut random);
    let mut by_clues = [0; 82];
    for grid in &kinds {
        let (least, ties) = referee(grid);
        let found = canonizer.puzzle(&cells(grid));
        let clues = cells(grid).clues();
        assert_eq!(found.cells.to_string(), cells(&least).to_string(), "{}", cells(grid));
        assert_eq!(found.automorphisms, Some(ties), "{}", cells(grid));
        assert_eq!(found.transform.apply(&cells(grid)), Some(found.cells));
        by_clues[clues] += 1;
    }
    let different = by_clues.iter().filter(|&&number| number > 0).count();
    println!("{} puzzles of {different} different numbers of clues compared", kinds.len());
}

#[test]
fn the_solution_and_the_carried_form_are_those_of_the_definition() {
    let mut random = Random(0xace);
    let mut canonizer = Canonizer::new();
    let mut grids = symmetric_grids(amount() / 2, &mut random);
    let lines = lines_of("data/random-1000.txt");
    grids.extend((0..amount() / 2).map(|_| solve(&read(&lines[random.below(lines.len())]))));
    let mut automorphic = 0;
    for grid in &grids {
        let (least, ties) = referee(grid);
        let found = canonizer.solution(&cells(grid)).unwrap();
        assert_eq!(found.cells.to_string(), cells(&least).to_string());
        assert_eq!(found.solution_automorphisms, Some(ties));
        assert_eq!(found.transform.apply(&cells(grid)), Some(found.cells));
        automorphic += usize::from(ties > 1);
        // For some clues: the minimum over all transforms that make the solution minimal.
        let clues = cells(&std::array::from_fn(|cell| if random.below(3) == 0 { grid[cell] } else { 0 }));
        let by_solution = canonizer.by_solution(&clues, &cells(grid)).unwrap();
        assert_eq!(by_solution.transform.apply(&clues), Some(by_solution.cells));
        assert_eq!(by_solution.transform.apply(&cells(grid)), Some(found.cells));
        assert!(by_solution.transform >= found.transform);
        assert_eq!(ties % by_solution.automorphisms.unwrap(), 0);
        if ties > 1 {
            let transforms = automorphisms(&found.cells);
            assert_eq!(transforms.len(), ties as usize);
            let images: Vec<Cells> =
                transforms.iter().map(|transform| transform.apply(&by_solution.cells).unwrap()).collect();
            assert_eq!(images.iter().min(), Some(&by_solution.cells));
            let same = images.iter().filter(|image| **image == by_solution.cells).count();
            assert_eq!(by_solution.automorphisms, Some(same as u32));
        }
    }
    println!("{} grids compared, {automorphic} with automorphisms", grids.len());
    assert!(automorphic >= grids.len() / 2);
}

/// Returns all transforms that transform a grid to itself, by definition.
///
/// The transform is determined by the first row and first column of the result.
fn automorphisms(grid: &Cells) -> Vec<Transform> {
    let three: Vec<[usize; 3]> =
        (0..27).map(|n| [n / 9, n / 3 % 3, n % 3]).filter(|[a, b, c]| a != b && b != c && a != c).collect();
    let lines: Vec<[usize; 9]> = (0..1296)
        .map(|n| {
            let [order, a, b, c] = [n / 216, n / 36 % 6, n / 6 % 6, n % 6].map(|n| three[n]);
            std::array::from_fn(|at| 3 * order[at / 3] + [a, b, c][at / 3][at % 3])
        })
        .collect();
    let word = |numbers: &[usize]| -> String { numbers.iter().map(|n| (n + 1).to_string()).collect() };
    let cells = grid.as_slice();
    let mut transforms = Vec::new();
    for transposed in [false, true] {
        for columns in &lines {
            let cell = |row: usize, at: usize| {
                let column = columns[at];
                usize::from(if transposed { cells[9 * column + row] } else { cells[9 * row + column] })
            };
            for top in 0..9 {
                // The top row gives the labels, and the labels give the required content of every row.
                let mut labels = [0; 10];
                (0..9).for_each(|at| labels[cell(top, at)] = usize::from(cells[at]));
                let image = |row: usize, at: usize| labels[cell(row, at)];
                let rows: Vec<usize> = (0..9)
                    .filter_map(|at| (0..9).find(|&row| image(row, 0) == usize::from(cells[9 * at])))
                    .collect();
                if (0..81).all(|at| image(rows[at / 9], at % 9) == usize::from(cells[at])) {
                    let side = if transposed { "t" } else { "n" };
                    let labels: Vec<usize> = labels[1..].iter().map(|label| label - 1).collect();
                    let text = format!("{side}:{}:{}:{}", word(&rows), word(columns), word(&labels));
                    // Text with rows that leave their bands does not parse.
                    transforms.extend(text.parse::<Transform>());
                }
            }
        }
    }
    transforms
}

#[test]
fn every_isomorphic_puzzle_has_the_same_forms() {
    let mut random = Random(0xfeed);
    let mut canonizer = Canonizer::new();
    let symmetric = symmetric_grids(amount() / 2, &mut random);
    let lines = lines_of("data/minimal-5000.txt");
    for number in 0..amount() {
        let (clues, solution) = if number % 2 == 0 {
            let clues = read(&lines[random.below(lines.len())]);
            (clues, solve(&clues))
        } else {
            let solution = symmetric[number / 2 % symmetric.len()];
            let keep = 1 + random.below(6);
            (solution.map(|digit| if random.below(6) < keep { digit } else { 0 }), solution)
        };
        let (clues, solution) = (cells(&clues), cells(&solution));
        let forms = |clues: &Cells, solution: &Cells, canonizer: &mut Canonizer| {
            Form::ALL.iter().map(|&form| canonizer.canonical(form, clues, Some(solution)).unwrap()).collect()
        };
        let first: Vec<Canonical> = forms(&clues, &solution, &mut canonizer);
        for _ in 0..amount() {
            let transform = random.transform();
            assert_eq!(transform.inverse().apply(&transform.apply(&clues).unwrap()), Some(clues));
            let image = [transform.apply(&clues).unwrap(), transform.apply(&solution).unwrap()];
            let again: Vec<Canonical> = forms(&image[0], &image[1], &mut canonizer);
            for (a, b) in first.iter().zip(&again) {
                let source = &image[usize::from(b.form == Form::Solution)];
                assert_eq!(b.transform.apply(source), Some(b.cells));
                assert_eq!((a.form, a.cells, a.band), (b.form, b.cells, b.band));
                assert_eq!(
                    (a.solution_automorphisms, a.automorphisms),
                    (b.solution_automorphisms, b.automorphisms)
                );
            }
        }
    }
}

/// Requires that the forms `by-solution` and `puzzle` distinguish the same puzzles, each with one solution.
fn classes(lines: &[String]) -> (usize, usize) {
    let mut canonizer = Canonizer::new();
    let (mut pairs, mut grids) = (HashMap::new(), HashSet::new());
    let mut puzzles = HashSet::new();
    for line in lines {
        let clues = read(line);
        let solution = cells(&solve(&clues));
        let clues = cells(&clues);
        let by_solution = canonizer.by_solution(&clues, &solution).unwrap();
        let puzzle = canonizer.puzzle(&clues);
        assert_eq!(by_solution.automorphisms, puzzle.automorphisms, "{line}");
        assert_eq!(*pairs.entry(by_solution.cells).or_insert(puzzle.cells), puzzle.cells, "{line}");
        puzzles.insert(puzzle.cells);
        grids.insert(canonizer.solution(&solution).unwrap().cells);
    }
    assert_eq!(pairs.len(), puzzles.len());
    (pairs.len(), grids.len())
}

#[test]
fn both_forms_group_the_same_puzzles() {
    let mut lines = lines_of("data/random-1000.txt");
    lines.truncate(300);
    let mut random = Random(0xb00);
    for number in 0..100 {
        lines.push(random.transform().apply(&cells(&read(&lines[number]))).unwrap().to_string());
    }
    assert_eq!(classes(&lines), (300, 300));
}

#[test]
#[ignore = "needs published corpora, named by QUADRILLE_CORPORA"]
fn known_corpora_have_the_known_number_of_classes() {
    let files = env::var("QUADRILLE_CORPORA").expect("QUADRILLE_CORPORA names files");
    let known = [
        ("17_clue.txt", 49_158, Some(46_301)),
        ("magictour_top1465.txt", 1_464, None),
        ("forum_hardest_11plus_sample.txt", 4_877, None),
    ];
    for file in files.split(':') {
        let (puzzles, grids) = classes(&lines_of(file));
        println!("{file}: {puzzles} classes on {grids} solution grids");
        for (_, known_puzzles, known_grids) in known.iter().filter(|(name, ..)| file.ends_with(name)) {
            assert_eq!(puzzles, *known_puzzles);
            assert!(known_grids.is_none_or(|known| known == grids));
        }
    }
}

#[test]
fn grids_have_from_2_to_648_automorphisms() {
    let mut random = Random(0x648);
    let mut canonizer = Canonizer::new();
    let found: HashSet<u32> = symmetric_grids(120, &mut random)
        .iter()
        .map(|grid| canonizer.solution(&cells(grid)).unwrap().solution_automorphisms.unwrap())
        .collect();
    let mut found: Vec<u32> = found.into_iter().collect();
    found.sort_unstable();
    println!("numbers of automorphisms: {found:?}");
    assert!(found.contains(&2) && found.contains(&3) && found.contains(&648) && found.len() >= 6);
    assert!(found.iter().all(|number| 648 % number == 0 || 432 % number == 0 || 324 % number == 0));
}

/// Returns every filled grid of a side with a given first row.
fn all_grids(side: usize, box_rows: usize, box_columns: usize) -> Vec<Vec<u8>> {
    fn go_on(grid: &mut Vec<u8>, shape: (usize, usize, usize), all: &mut Vec<Vec<u8>>) {
        let (side, box_rows, box_columns) = shape;
        let cell = grid.len();
        if cell == side * side {
            return all.push(grid.clone());
        }
        let (row, column) = (cell / side, cell % side);
        for digit in 1..=side as u8 {
            let stands = |other: usize| {
                let (r, c) = (other / side, other % side);
                let same_box = r / box_rows == row / box_rows && c / box_columns == column / box_columns;
                (r == row || c == column || same_box) && grid[other] == digit
            };
            if !(0..cell).any(stands) {
                grid.push(digit);
                go_on(grid, shape, all);
                grid.pop();
            }
        }
    }
    let mut all = Vec::new();
    go_on(&mut (1..=side as u8).collect(), (side, box_rows, box_columns), &mut all);
    all
}

#[test]
fn the_288_grids_of_4x4_are_2_classes() {
    let grids = all_grids(4, 2, 2);
    assert_eq!(grids.len() * 24, 288);
    let mut canonizer = Canonizer::new();
    let mut sizes = HashMap::new();
    for grid in &grids {
        let grid = Cells::new(grid).unwrap();
        let found = canonizer.solution(&grid).unwrap();
        assert_eq!(found.transform.apply(&grid), Some(found.cells));
        *sizes.entry(found.cells).or_insert(0) += 1;
        // An orbit of a group of 128 arrangements and 24 labellings.
        assert_eq!(128 * 24 % found.solution_automorphisms.unwrap(), 0);
    }
    let mut sizes: Vec<u32> = sizes.into_values().map(|size| size * 24).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [96, 192]);
}

#[test]
fn the_28_200_960_grids_of_6x6_are_49_classes() {
    let grids = all_grids(6, 2, 3);
    assert_eq!(grids.len() * 720, 28_200_960);
    let mut canonizer = Canonizer::new();
    // All transformed grids with the first row in order are removed together.
    let mut open: HashSet<&[u8]> = grids.iter().map(Vec::as_slice).collect();
    let (mut classes, mut total) = (HashSet::new(), 0);
    for grid in &grids {
        if !open.contains(grid.as_slice()) {
            continue;
        }
        let cells = Cells::new(grid).unwrap();
        let found = canonizer.solution(&cells).unwrap();
        assert!(classes.insert(found.cells), "a class is met once");
        let mut images = HashSet::new();
        for rows in orders_of(6, 2) {
            for columns in orders_of(6, 3) {
                let mut labels = [0; 7];
                (0..6).for_each(|at| labels[usize::from(grid[6 * rows[0] + columns[at]])] = at as u8 + 1);
                let image: Vec<u8> =
                    (0..36).map(|at| labels[usize::from(grid[6 * rows[at / 6] + columns[at % 6]])]).collect();
                images.insert(image);
            }
        }
        assert_eq!(images.iter().min().map(Vec::as_slice), Some(found.cells.as_slice()));
        // Orbit and stabilizer: the number of grids of the class times the automorphisms is the order of the group.
        assert_eq!(images.len() as u32 * found.solution_automorphisms.unwrap(), 3_456);
        total += images.len();
        images.iter().for_each(|image| assert!(open.remove(image.as_slice())));
    }
    assert_eq!((classes.len(), total * 720), (49, 28_200_960));
}

/// Returns all orders of `side` rows or columns that keep bands of `together` adjacent.
fn orders_of(side: usize, together: usize) -> Vec<Vec<usize>> {
    fn permutations(count: usize) -> Vec<Vec<usize>> {
        let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
        let shorter = permutations(last);
        (0..count)
            .flat_map(|at| {
                shorter.iter().map(move |order| {
                    let mut order = order.clone();
                    order.insert(at, last);
                    order
                })
            })
            .collect()
    }
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    let mut all = Vec::new();
    for groups in permutations(side / together) {
        orders.truncate(0);
        orders.push(Vec::new());
        for group in groups {
            orders = orders
                .iter()
                .flat_map(|order| {
                    permutations(together).into_iter().map(move |within| {
                        order.iter().copied().chain(within.iter().map(|at| together * group + at)).collect()
                    })
                })
                .collect();
        }
        all.append(&mut orders);
    }
    all
}

#[test]
fn small_puzzles_have_all_forms() {
    let clues = Cells::new(&[1, 0, 0, 4, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut canonizer = Canonizer::new();
    let found = canonizer.puzzle(&clues);
    assert_eq!(found.transform.apply(&clues), Some(found.cells));
    let empty = canonizer.puzzle(&Cells::new(&[0; 16]).unwrap());
    assert_eq!((empty.automorphisms, empty.transform), (Some(128), Transform::identity(4).unwrap()));
    let empty = canonizer.puzzle(&Cells::new(&[0; 36]).unwrap());
    assert_eq!((empty.automorphisms, empty.transform), (Some(3_456), Transform::identity(6).unwrap()));
    let empty = canonizer.puzzle(&cells(&[0; 81]));
    assert_eq!((empty.automorphisms, empty.transform), (Some(3_359_232), Transform::identity(9).unwrap()));
    let mut one = [0; 81];
    one[40] = 7;
    let one = canonizer.puzzle(&cells(&one));
    assert_eq!((one.automorphisms, one.cells.as_slice()[80]), (Some(3_359_232 / 81), 1));
}

#[test]
fn puzzles_without_a_form_have_a_reason() {
    let mut canonizer = Canonizer::new();
    assert_eq!(Cells::new(&[0; 80]), Err(NoForm::Side));
    assert_eq!(Cells::new(&[5; 16]), Err(NoForm::Digit));
    assert_eq!(Cells::of_solution(&[255; 81]), Err(NoForm::Digit));
    assert_eq!(Cells::of_solution(&[0; 100]), Err(NoForm::Side));
    let wide = Puzzle::new(&Geometry::new(2, 4).unwrap());
    assert_eq!(canonical(Form::Puzzle, ProblemRef::Puzzle(&wide), None), Err(NoForm::Side));
    let tall = Puzzle::new(&Geometry::new(3, 2).unwrap());
    assert_eq!(canonical(Form::Puzzle, ProblemRef::Puzzle(&tall), None), Err(NoForm::Side));
    let marks = Packed9x9::FULL.with_cell(3, 0b11);
    assert_eq!(canonical(Form::Puzzle, ProblemRef::Packed(&marks), None), Err(NoForm::Conditions));
    let full = Packed9x9::FULL;
    assert_eq!(canonical(Form::BySolution, ProblemRef::Packed(&full), None), Err(NoForm::NeedsSolution));
    let digits = [0; 81];
    let wrong = canonical(Form::BySolution, ProblemRef::Packed(&full), Some(Solution::Digits(&digits)));
    assert_eq!(wrong, Err(NoForm::WrongSolution));
    let grid = cells(&read(MOST_SYMMETRIC));
    let mut other = read(MOST_SYMMETRIC);
    other[1..].fill(0);
    other[0] = 2;
    assert_eq!(canonizer.by_solution(&cells(&other), &grid), Err(NoForm::WrongSolution));
    let small = Cells::new(&[0; 16]).unwrap();
    assert_eq!(canonizer.by_solution(&small, &grid), Err(NoForm::WrongSolution));
    assert_eq!(canonizer.solution(&small), Err(NoForm::WrongSolution));
}

#[test]
fn maps_are_read_as_they_are_written() {
    let mut random = Random(7);
    for _ in 0..100 {
        let transform = random.transform();
        assert_eq!(transform.to_string().parse(), Ok(transform));
        assert_eq!(transform.inverse().inverse(), transform);
        let other = random.transform();
        assert_eq!(transform.cmp(&other), transform.to_string().cmp(&other.to_string()));
    }
    let parse = |text: &str| text.parse::<Transform>().map(|_| ());
    assert_eq!(parse("n:123456:123456:123456"), Ok(()));
    assert_eq!(parse(""), Err(TransformError::Parts));
    assert_eq!(parse("x:1234:1234:1234"), Err(TransformError::Parts));
    assert_eq!(parse("n:1234:1234"), Err(TransformError::Parts));
    assert_eq!(parse("n:1234:1234:1234:1234"), Err(TransformError::Parts));
    assert_eq!(parse("n:123:123:123"), Err(TransformError::Length("rows")));
    assert_eq!(parse("n:1234:123:1234"), Err(TransformError::Length("columns")));
    assert_eq!(parse("n:1234:1234:1233"), Err(TransformError::Numbers("labels")));
    assert_eq!(parse("n:1234:1234:123\u{e9}"), Err(TransformError::Length("labels")));
    assert_eq!(parse("n:12345678\u{7f}:123456789:123456789"), Err(TransformError::Numbers("rows")));
    assert_eq!(parse("n:1324:1234:1234"), Err(TransformError::Boxes("rows")));
    assert_eq!(parse("t:123456:123456:123456"), Err(TransformError::Transposed));
    for form in Form::ALL {
        assert_eq!(Form::from_name(form.name()), Some(*form));
    }
}
