//! `generate neighbours`, against a program that tries every change.

use std::collections::{BTreeSet, HashMap};

use super::{data, quadrille};

/// A grid with its boxes: the numbers of rows and columns of a box, and the digit of each cell, 0 if it is empty.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Grid {
    boxes: (usize, usize),
    cells: Vec<usize>,
}

impl Grid {
    pub(super) fn new(boxes: (usize, usize), text: &str) -> Self {
        let cells = text.chars().map(|c| c.to_digit(10).unwrap_or(0) as usize).collect();
        Grid { boxes, cells }
    }

    fn side(&self) -> usize {
        self.boxes.0 * self.boxes.1
    }

    fn may_have(&self, cell: usize, digit: usize) -> bool {
        let (side, (rows, columns)) = (self.side(), self.boxes);
        let (row, column) = (cell / side, cell % side);
        (0..self.cells.len()).all(|other| {
            let (r, c) = (other / side, other % side);
            let sees = r == row || c == column || (r / rows == row / rows && c / columns == column / columns);
            other == cell || !sees || self.cells[other] != digit
        })
    }

    /// Counts solutions cell by cell, up to two.
    fn solutions(&mut self) -> usize {
        let Some(cell) = self.cells.iter().position(|&digit| digit == 0) else { return 1 };
        let mut found = 0;
        for digit in 1..=self.side() {
            if found < 2 && self.may_have(cell, digit) {
                self.cells[cell] = digit;
                found += self.solutions();
                self.cells[cell] = 0;
            }
        }
        found.min(2)
    }

    pub(super) fn is_proper(&self) -> bool {
        let clues = self.cells.iter().enumerate().filter(|(_, digit)| **digit > 0);
        clues.clone().all(|(cell, &digit)| self.may_have(cell, digit)) && self.clone().solutions() == 1
    }

    fn with(&self, cell: usize, digit: usize) -> Grid {
        let mut grid = self.clone();
        grid.cells[cell] = digit;
        grid
    }

    fn is_minimal(&self) -> bool {
        (0..self.cells.len()).all(|cell| self.cells[cell] == 0 || !self.with(cell, 0).is_proper())
    }

    /// Returns the least image, with labels in the order in which they occur.
    fn form(&self) -> Vec<usize> {
        let (side, (rows, columns)) = (self.side(), self.boxes);
        let mut least: Option<Vec<usize>> = None;
        let (row_orders, column_orders) = (lines(columns, rows), lines(rows, columns));
        for turned in 0..=usize::from(rows == columns) {
            for row_order in &row_orders {
                for column_order in &column_orders {
                    let image = || {
                        let (mut labels, mut next) = ([0; 10], 0);
                        let cells = row_order.iter().flat_map(|&row| {
                            column_order.iter().map(move |&column| match turned {
                                0 => row * side + column,
                                _ => column * side + row,
                            })
                        });
                        cells.map(move |cell| {
                            let digit = self.cells[cell];
                            if digit > 0 && labels[digit] == 0 {
                                next += 1;
                                labels[digit] = next;
                            }
                            labels[digit]
                        })
                    };
                    // Most images differ in their first cells, so few are made as a whole.
                    if least.as_ref().is_none_or(|least| image().lt(least.iter().copied())) {
                        least = Some(image().collect());
                    }
                }
            }
        }
        least.expect("a grid has images")
    }
}

/// Returns all orders of the lines of `bands` bands with `size` lines each.
fn lines(bands: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for order in orders(bands) {
        let mut begun = vec![Vec::new()];
        for band in order {
            let inner = orders(size);
            let longer = |start: &Vec<usize>| {
                let start = start.clone();
                inner
                    .iter()
                    .map(move |inner| {
                        [start.clone(), inner.iter().map(|line| band * size + line).collect()].concat()
                    })
                    .collect::<Vec<Vec<usize>>>()
            };
            begun = begun.iter().flat_map(longer).collect();
        }
        all.extend(begun);
    }
    all.split_off(1)
}

/// Returns all orders of the numbers below `length`.
fn orders(length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |start: &Vec<usize>| {
            let free = (0..length).filter(|number| !start.contains(number));
            free.map(|number| [start.as_slice(), &[number]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Returns all sets of `size` numbers below `from`.
fn sets(from: usize, size: usize) -> Vec<Vec<usize>> {
    let all = (0..1u32 << from).filter(|bits| bits.count_ones() as usize == size);
    all.map(|bits| (0..from).filter(|number| bits >> number & 1 != 0).collect()).collect()
}

/// Tries every change of some puzzles. Returns the forms of the neighbours, and those of the minimal ones.
fn naive(puzzles: &[Grid], removed: usize, added: usize) -> [BTreeSet<Vec<usize>>; 2] {
    let mut forms: HashMap<Grid, Option<(Vec<usize>, bool)>> = HashMap::new();
    for puzzle in puzzles {
        let clues: Vec<usize> = (0..puzzle.cells.len()).filter(|&cell| puzzle.cells[cell] > 0).collect();
        for gone in sets(clues.len(), removed) {
            let mut base = puzzle.clone();
            gone.iter().for_each(|&place| base.cells[clues[place]] = 0);
            let mut grids = vec![(base.clone(), 0)];
            for _ in 0..added {
                let longer = |(grid, from): &(Grid, usize)| {
                    let mut longer = Vec::new();
                    for cell in *from..grid.cells.len() {
                        for digit in 1..=grid.side() {
                            let is_new = base.cells[cell] == 0 && puzzle.cells[cell] != digit;
                            if is_new && grid.may_have(cell, digit) {
                                longer.push((grid.with(cell, digit), cell + 1));
                            }
                        }
                    }
                    longer
                };
                grids = grids.iter().flat_map(longer).collect();
            }
            for (grid, _) in grids {
                let form = |grid: &Grid| grid.is_proper().then(|| (grid.form(), grid.is_minimal()));
                forms.entry(grid).or_insert_with_key(form);
            }
        }
    }
    let given: BTreeSet<_> = puzzles.iter().map(Grid::form).collect();
    let new = || forms.values().flatten().filter(|(form, _)| !given.contains(form));
    let minimal = new().filter(|(_, is_minimal)| *is_minimal);
    [new().map(|(form, _)| form.clone()).collect(), minimal.map(|(form, _)| form.clone()).collect()]
}

/// Compares the program with [`naive`].
fn agrees(boxes: (usize, usize), puzzles: &str, removed: usize, added: usize) {
    let grids = |text: &str| text.lines().map(|line| Grid::new(boxes, line)).collect::<Vec<_>>();
    let expected = naive(&grids(puzzles), removed, added);
    for (expected, option) in expected.into_iter().zip(["", "--minimal"]) {
        let words = format!("generate neighbours - --remove {removed} --add {added} {option}");
        let made = grids(&quadrille(&words).stdin(puzzles).prints());
        let forms: BTreeSet<_> = made.iter().map(Grid::form).collect();
        assert_eq!(forms.len(), made.len(), "no isomorphs: {words} of {puzzles}");
        assert!(forms == expected, "{words}: {} of {} of {puzzles}", forms.len(), expected.len());
    }
}

#[test]
fn all_neighbours_of_4x4_are_those_of_a_naive_program() {
    let minimal = quadrille("generate minimal --side 4 --distinct --count 36 --attempts 20000").prints();
    assert_eq!(minimal.lines().count(), 36);
    for (removed, added) in [(1, 0), (0, 1), (1, 1), (2, 1)] {
        agrees((2, 2), &minimal, removed, added);
    }
    // Neighbours of one puzzle include the other classes.
    for puzzle in minimal.lines() {
        agrees((2, 2), &format!("{puzzle}\n"), 1, 1);
    }
    for puzzle in minimal.lines().step_by(12) {
        for (removed, added) in [(2, 2), (1, 2), (0, 2), (3, 1)] {
            agrees((2, 2), &format!("{puzzle}\n"), removed, added);
        }
    }
    // Not proper, but some neighbours are.
    agrees((2, 2), "12..............\n", 0, 3);
    agrees((2, 2), "1234............\n", 1, 2);
    agrees((2, 2), "11.....2....3..4\n", 1, 1);
}

#[test]
fn neighbours_of_6x6_are_those_of_a_naive_program() {
    let puzzles = quadrille("generate minimal --side 6 --count 2 --seed 5").prints();
    for puzzle in puzzles.lines() {
        agrees((2, 3), &format!("{puzzle}\n"), 1, 1);
        agrees((2, 3), &format!("{puzzle}\n"), 2, 1);
    }
}

#[test]
fn neighbours_of_9x9_are_those_that_checks_find() {
    let puzzle = data("random-1000.txt").lines().next().expect("a puzzle").to_owned();
    let grid = Grid::new((3, 3), &puzzle);
    let mut changed = format!("{puzzle}\n");
    for gone in (0..81).filter(|&cell| grid.cells[cell] > 0) {
        let base = grid.with(gone, 0);
        for cell in (0..81).filter(|&cell| base.cells[cell] == 0) {
            for digit in (1..=9).filter(|&digit| digit != grid.cells[cell] && base.may_have(cell, digit)) {
                let line: String = base.with(cell, digit).cells.iter().map(ToString::to_string).collect();
                changed.push_str(&format!("{line}\n"));
            }
        }
    }
    let classes = |puzzles: String| {
        let rows = quadrille("canon --form puzzle --fields canon").stdin(puzzles).prints();
        rows.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let statuses = quadrille("check --engine bitmask").stdin(changed.clone()).prints();
    let proper = changed.lines().zip(statuses.lines()).filter(|(_, status)| *status == "unique");
    let proper: String = proper.map(|(line, _)| format!("{line}\n")).collect();
    let mut expected = classes(proper);
    assert!(expected.len() > 10);
    for form in classes(format!("{puzzle}\n")) {
        assert!(expected.remove(&form));
    }
    let made = quadrille("generate neighbours -").stdin(puzzle).prints();
    let count = made.lines().count();
    let forms = classes(made);
    assert_eq!(forms.len(), count);
    assert!(forms == expected, "{} of {}", forms.len(), expected.len());
}

/// Returns some puzzles with many neighbours.
fn few() -> String {
    data("random-1000.txt").lines().take(3).map(|line| format!("{line}\n")).collect()
}

#[test]
fn neighbours_are_the_same_bytes_everywhere() {
    for words in ["--minimal", "--remove 2 --add 2 --sample 20", "--sample 30 --seed 3", "--rating 1.2..9.0"]
    {
        let run = |more: &str| {
            let words =
                format!("generate neighbours - -q --fields index,clues,puzzle,solution {words} {more}");
            quadrille(&words).stdin(few()).prints()
        };
        let one = run("-j1");
        assert!(!one.is_empty());
        for more in ["-j2", "-j3 --engine bitmask", "-j2 --engine dlx"] {
            assert!(run(more) == one, "{words} {more}");
        }
    }
    let sample =
        |seed: &str| quadrille("generate neighbours - --sample 9 --seed").arg(seed).stdin(few()).prints();
    assert_ne!(sample("1"), sample("2"));
    // A sample is a part of all neighbours, though not always with the same puzzle of a class.
    let all = quadrille("generate neighbours -").stdin(few()).prints();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let known = directory.path().join("known.txt");
    std::fs::write(&known, all).expect("written");
    assert_eq!(quadrille("generate neighbours - --sample 9 --known").arg(&known).stdin(few()).prints(), "");
}

#[test]
fn known_puzzles_and_ratings_are_left_out() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [all, half] = ["all.txt", "half.txt"].map(|name| directory.path().join(name));
    let rated = quadrille("generate neighbours - --fields puzzle,rating -o").arg(&all).stdin(few());
    assert_eq!(rated.prints(), "");
    let text = std::fs::read_to_string(&all).expect("written");
    let rows: Vec<(&str, f64)> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(puzzle, rating)| (puzzle, rating.parse().expect("a rating")))
        .collect();
    assert!(rows.len() > 100);
    // Images of half of them, in another arrangement.
    let halved: String = rows.iter().step_by(2).map(|(puzzle, _)| format!("{puzzle}\n")).collect();
    let turned = quadrille("canon --apply=t:132456789:123546789:213456789").stdin(halved).prints();
    std::fs::write(&half, turned).expect("written");
    let rest = quadrille("generate neighbours - --known").arg(&half).stdin(few()).prints();
    assert_eq!(rest.lines().count(), rows.len() / 2);
    assert!(rest.lines().eq(rows.iter().skip(1).step_by(2).map(|(puzzle, _)| *puzzle)));
    // Ratings of members of a class are equal, so that the filter keeps the same classes.
    let hard =
        quadrille("generate neighbours - --rating 4.0..9.9 --fields rating,puzzle").stdin(few()).prints();
    let expected = rows.iter().filter(|(_, rating)| *rating >= 4.0).map(|(puzzle, _)| *puzzle);
    assert!(hard.lines().filter_map(|line| line.split('\t').nth(1)).eq(expected), "{hard}");
    let checked = quadrille("rate -q").stdin(hard.clone()).prints();
    assert!(checked.lines().eq(hard.lines().filter_map(|line| line.split('\t').next())), "{hard}");
}

#[test]
fn unreadable_puzzles_are_reported_and_the_rest_goes_on() {
    let good = data("random-1000.txt").lines().next().expect("a puzzle").to_owned();
    let alone = quadrille("generate neighbours -").stdin(good.clone()).prints();
    let mixed = quadrille("generate neighbours -").stdin(format!("{good}\n{}\n", &good[1..])).ends_with(0);
    assert_eq!(mixed.out, alone);
    assert!(mixed.err.contains("1 record left out, the first:"), "{}", mixed.err);
    let ended =
        quadrille("generate neighbours - --remove 3 --add 3 --deadline 300ms").stdin(good).ends_with(4);
    assert!(ended.err.contains("stopped (deadline) after"), "{}", ended.err);
}

#[test]
fn options_without_meaning_are_refused() {
    for (words, said) in [
        ("neighbours", "neighbours takes files of puzzles"),
        ("neighbours - --remove 0 --add 0", "at least one of both"),
        ("neighbours - --remove 9", "expected a whole number from 0 to 8"),
        ("neighbours - --add 5", "expected a whole number from 0 to 4"),
        ("neighbours - --sample 0", "expected a whole number from 1"),
        ("neighbours - --known -", "standard input can be read only once"),
        ("neighbours - --count 3", "--sample N draws changes"),
        ("neighbours - --skip 3", "split the file"),
        ("neighbours - --side 9", "have their side"),
        ("neighbours - --rules x", "without rules"),
        ("neighbours - --clues 20", "a number of clues is only for"),
        ("neighbours - --symmetry full", "a symmetry is only for"),
        ("neighbours - --keep-hardest 3", "keep-hardest is only for"),
        ("neighbours - --method controlled", "only for minimal"),
        ("neighbours - --fields guesses", "guesses are counted only for"),
        ("neighbours - --fields weight", "only for minimal --method controlled"),
        ("minimal --remove 2", "--remove is only for neighbours"),
        ("puzzles --known x.txt", "--known is only for neighbours"),
        ("dominoes 2x2 --add 1", "--add is only for neighbours"),
    ] {
        let error = quadrille("generate").args(words).stdin("12..............\n").fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let small = directory.path().join("small.txt");
    std::fs::write(&small, "12..............\n").expect("written");
    let sides = quadrille("generate neighbours - --known").arg(&small).stdin(few()).fails(2);
    assert!(sides.contains("one side at a time"), "{sides}");
    let large = quadrille("generate neighbours -").stdin(format!("{}\n", ".".repeat(256))).fails(2);
    assert!(large.contains("canonical forms"), "{large}");
    quadrille("generate neighbours /no/such/file").fails(1);
}

#[cfg(unix)]
#[test]
fn files_of_puzzles_may_have_any_name_and_are_not_overwritten() {
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join(std::ffi::OsStr::from_bytes(b"f\xfcr"));
    std::fs::write(&path, few()).expect("written");
    let made = quadrille("generate neighbours").arg(&path).prints();
    assert_eq!(made, quadrille("generate neighbours -").stdin(few()).prints());
    assert!(made.lines().count() > 10);
    for from in [path.as_os_str(), "-".as_ref()] {
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_quadrille"));
        run.args(["generate", "neighbours"]).arg(from).arg("-o").arg(&path);
        let ended =
            run.stdin(std::fs::File::open(&path).expect("a file")).output().expect("the program runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.contains("overwritten"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), few());
}
