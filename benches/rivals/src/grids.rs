//! A corpus of grids, their exact cover matrix, and a check of solutions; shares no code with any solver.

use std::path::Path;

/// Grids of one size, one byte per cell: a 1-based digit, or 0 for an empty cell.
pub struct Corpus {
    pub shape: Shape,
    pub grids: Vec<Vec<u8>>,
}

/// Side and box height of a grid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub side: usize,
    box_rows: usize,
}

impl Shape {
    fn of_cells(cells: usize) -> Option<Self> {
        let side = cells.isqrt();
        let box_rows = (2..=side.isqrt()).rev().find(|&rows| side.is_multiple_of(rows))?;
        (side * side == cells && side <= 35).then_some(Shape { side, box_rows })
    }

    pub fn cells(self) -> usize {
        self.side * self.side
    }

    /// Returns the number of items: cells, row digits, column digits and box digits.
    pub fn items(self) -> usize {
        4 * self.cells()
    }

    /// Returns the items that the 0-based `digit` in `cell` covers. The option number is `cell * side +
    /// digit`.
    pub fn items_of(self, cell: usize, digit: usize) -> [usize; 4] {
        let Shape { side, box_rows } = self;
        let (row, column) = (cell / side, cell % side);
        let square = row / box_rows * box_rows + column / (side / box_rows);
        let family = self.cells();
        [
            cell,
            family + side * row + digit,
            2 * family + side * column + digit,
            3 * family + side * square + digit,
        ]
    }
}

impl Corpus {
    /// Reads grids from a file, one per line, ignoring comments, empty lines and text after a grid.
    ///
    /// Takes every `every`-th grid, at most `first`, in an order that depends only on `seed`. Repeats them
    /// until there are at least `at_least`.
    pub fn read(path: &Path, every: usize, first: usize, seed: u64, at_least: usize) -> Result<Self, String> {
        let place = |line: usize, what: &str| format!("{}:{}: {what}", path.display(), line + 1);
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut shape = None;
        let mut grids = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let word = line.split([' ', '\t', ',', ';', '#']).next().unwrap_or_default();
            // A header with the number of puzzles, as in published lists.
            if word.len() < 16 {
                continue;
            }
            let of_line = Shape::of_cells(word.len()).ok_or_else(|| place(number, "not a square grid"))?;
            if *shape.get_or_insert(of_line) != of_line {
                return Err(place(number, "a grid of another size"));
            }
            let digits: Option<Vec<u8>> = word.bytes().map(|byte| digit(byte, of_line.side)).collect();
            grids.push(digits.ok_or_else(|| place(number, "a character that is no digit"))?);
        }
        let shape = shape.ok_or_else(|| format!("{}: no grid", path.display()))?;
        let mut grids: Vec<_> = grids.into_iter().step_by(every.max(1)).collect();
        shuffle(&mut grids, seed);
        grids.truncate(first);
        let times = at_least.div_ceil(grids.len().max(1)).max(1);
        let grids = std::iter::repeat_n(grids, times).flatten().collect();
        Ok(Corpus { shape, grids })
    }
}

/// Returns the 1-based digit of a character, 0 for a blank, or `None` for any other.
fn digit(byte: u8, side: usize) -> Option<u8> {
    let value = match byte {
        b'.' | b'0' | b'*' | b'_' | b'-' | b'?' => 0,
        b'1'..=b'9' => byte - b'0',
        b'A'..=b'Z' => byte - b'A' + 10,
        b'a'..=b'z' => byte - b'a' + 10,
        _ => return None,
    };
    (usize::from(value) <= side).then_some(value)
}

/// Shuffles by Fisher-Yates with SplitMix64.
fn shuffle<T>(items: &mut [T], mut state: u64) {
    for last in (1..items.len()).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        items.swap(last, ((u128::from(z) * (last as u128 + 1)) >> 64) as usize);
    }
}

/// Solutions found on a corpus; the memory is reused in every round.
pub struct Found {
    limit: usize,
    cells: usize,
    /// Number of solutions per grid, at most `limit`.
    pub counts: Vec<u8>,
    /// 1-based digits: `limit * cells` per grid.
    solutions: Vec<u8>,
    /// Guesses for all grids together, if the solver counts them.
    pub guesses: Option<u64>,
}

impl Found {
    pub fn new(corpus: &Corpus, limit: usize) -> Self {
        let (grids, cells) = (corpus.grids.len(), corpus.shape.cells());
        Found {
            limit,
            cells,
            counts: vec![0; grids],
            solutions: vec![0; grids * limit * cells],
            guesses: None,
        }
    }

    pub fn clear(&mut self) {
        self.counts.fill(0);
        self.guesses = None;
    }

    /// Returns the slice for the next solution of a grid.
    ///
    /// # Panics
    /// Panics if the grid already has `limit` solutions.
    #[inline]
    pub fn next(&mut self, grid: usize) -> &mut [u8] {
        let found = usize::from(self.counts[grid]);
        assert!(found < self.limit, "a solver went on past the limit");
        self.counts[grid] += 1;
        let start = (grid * self.limit + found) * self.cells;
        &mut self.solutions[start..start + self.cells]
    }

    fn of(&self, grid: usize) -> impl Iterator<Item = &[u8]> {
        let start = grid * self.limit * self.cells;
        self.solutions[start..].chunks(self.cells).take(usize::from(self.counts[grid]))
    }

    /// Checks every solution against its grid, and that no grid has the same solution twice.
    pub fn validate(&self, corpus: &Corpus) -> Result<(), String> {
        let shape = corpus.shape;
        let mut covered = vec![usize::MAX; shape.items()];
        let mut mark = 0;
        for (index, grid) in corpus.grids.iter().enumerate() {
            let mut before: Option<&[u8]> = None;
            for solution in self.of(index) {
                for (cell, (&clue, &digit)) in grid.iter().zip(solution).enumerate() {
                    if digit == 0 || usize::from(digit) > shape.side || (clue != 0 && clue != digit) {
                        return Err(format!("grid {index}: wrong digit in cell {cell}"));
                    }
                    for item in shape.items_of(cell, usize::from(digit) - 1) {
                        if std::mem::replace(&mut covered[item], mark) == mark {
                            return Err(format!("grid {index}: a house holds a digit twice (cell {cell})"));
                        }
                    }
                }
                mark += 1;
                if before.replace(solution) == Some(solution) {
                    return Err(format!("grid {index}: the same solution twice"));
                }
            }
        }
        Ok(())
    }
}
