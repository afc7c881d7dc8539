//! The rivals on grids, each used as in its documentation and with its own options for speed.

use dlx::choose::{mrv_chooser, no_tiebreak, prefer_any};
use dlx::{Dance, OptOrder, Solver as DlxSolver, Uint, x};

use crate::grids::{Corpus, Found, Shape};
use crate::race::{Class, GridSolver};

/// Returns every rival that supports a corpus.
pub fn rivals(corpus: &Corpus) -> Vec<Box<dyn GridSolver>> {
    let mut all: Vec<Box<dyn GridSolver>> = vec![
        Box::new(Dlx { corpus: Vec::new(), matrix: Matrix::new(corpus.shape) }),
        Box::new(DlxKept::new(corpus.shape)),
        Box::new(DancingLinks { corpus: Vec::new(), matrix: Matrix::new(corpus.shape) }),
    ];
    if corpus.shape.side == 9 {
        all.push(Box::new(SudokuCrate::default()));
    }
    all
}

/// The rest of the matrix under a grid's clues.
struct Matrix {
    shape: Shape,
    /// New number of each item, or `COVERED` for removed items.
    place: Vec<u32>,
    left: usize,
    /// Remaining options: their number in the whole matrix, and the new numbers of their items.
    options: Vec<(usize, [u32; 4])>,
}

const COVERED: u32 = u32::MAX;

impl Matrix {
    fn new(shape: Shape) -> Self {
        Matrix { shape, place: Vec::new(), left: 0, options: Vec::new() }
    }

    /// Removes the clues' items and every option that conflicts with a clue. Returns false if the clues
    /// clash.
    fn restrict(&mut self, grid: &[u8]) -> bool {
        let Matrix { shape, place, left, options } = self;
        place.clear();
        place.resize(shape.items(), 0);
        for (cell, &clue) in grid.iter().enumerate().filter(|(_, clue)| **clue != 0) {
            for item in shape.items_of(cell, usize::from(clue) - 1) {
                if std::mem::replace(&mut place[item], COVERED) == COVERED {
                    return false;
                }
            }
        }
        *left = 0;
        for number in place.iter_mut().filter(|number| **number != COVERED) {
            *number = *left as u32;
            *left += 1;
        }
        options.clear();
        for cell in (0..grid.len()).filter(|&cell| grid[cell] == 0) {
            for digit in 0..shape.side {
                let items = shape.items_of(cell, digit).map(|item| place[item]);
                if !items.contains(&COVERED) {
                    options.push((cell * shape.side + digit, items));
                }
            }
        }
        true
    }

    /// Writes a solution given as numbers of remaining options.
    fn write(&self, grid: &[u8], solution: impl Iterator<Item = usize>, out: &mut [u8]) {
        out.copy_from_slice(grid);
        for option in solution {
            set(self.shape, self.options[option].0, out);
        }
    }
}

fn set(shape: Shape, option: usize, out: &mut [u8]) {
    out[option / shape.side] = (option % shape.side) as u8 + 1;
}

/// `dlx` as in its sudoku example: a matrix per grid without what the clues decide.
///
/// The example's hash maps are replaced by tables.
struct Dlx {
    corpus: Vec<Vec<u8>>,
    matrix: Matrix,
}

impl GridSolver for Dlx {
    fn name(&self) -> String {
        "dlx 0.8.5".into()
    }

    fn class(&self) -> Class {
        Class::Links
    }

    fn prepare(&mut self, corpus: &Corpus) {
        self.corpus.clone_from(&corpus.grids);
    }

    fn solve(&mut self, limit: usize, found: &mut Found) {
        for (index, grid) in self.corpus.iter().enumerate() {
            if !self.matrix.restrict(grid) {
                continue;
            }
            if self.matrix.left == 0 {
                found.next(index).copy_from_slice(grid);
                continue;
            }
            if self.matrix.options.is_empty() {
                continue;
            }
            let options: Vec<Vec<Uint>> =
                self.matrix.options.iter().map(|(_, items)| items.map(Uint::from).to_vec()).collect();
            let mut problem = x::make_problem(self.matrix.left as Uint, 0, &options, OptOrder::Seq);
            let mut solver = DlxSolver::new(&mut problem);
            let mut chooser = mrv_chooser(prefer_any(), no_tiebreak());
            for _ in 0..limit {
                if !solver.next_solution(&mut chooser) {
                    break;
                }
                let options = solver.fmt_solution().iter().map(|&option| option as usize);
                self.matrix.write(grid, options, found.next(index));
            }
        }
    }
}

/// `dlx` with one matrix for all grids: clues are covered and uncovered through its public `Dance` trait.
///
/// This is not in its documentation, and faster than the example.
struct DlxKept {
    shape: Shape,
    corpus: Vec<Vec<u8>>,
    items: x::INodes,
    options: x::ONodes,
}

impl DlxKept {
    fn new(shape: Shape) -> Self {
        let options: Vec<Vec<Uint>> = (0..shape.cells() * shape.side)
            .map(|option| {
                shape.items_of(option / shape.side, option % shape.side).map(|item| item as Uint).to_vec()
            })
            .collect();
        let items = shape.items() as Uint;
        DlxKept {
            shape,
            corpus: Vec::new(),
            items: x::INodes::new(items, 0),
            options: x::ONodes::new(items, items, &options, OptOrder::Seq),
        }
    }

    fn fresh(&self) -> x::Problem {
        x::Problem::new(self.items.clone(), self.options.clone())
    }
}

impl GridSolver for DlxKept {
    fn name(&self) -> String {
        "dlx 0.8.5, matrix kept".into()
    }

    fn class(&self) -> Class {
        Class::Links
    }

    fn prepare(&mut self, corpus: &Corpus) {
        self.corpus.clone_from(&corpus.grids);
    }

    fn solve(&mut self, limit: usize, found: &mut Found) {
        let mut problem = self.fresh();
        let mut covered = vec![false; self.shape.items() + 1];
        let mut clues = Vec::new();
        for (index, grid) in self.corpus.iter().enumerate() {
            clues.clear();
            let mut clash = false;
            for (cell, &clue) in grid.iter().enumerate().filter(|(_, clue)| **clue != 0) {
                for item in self.shape.items_of(cell, usize::from(clue) - 1) {
                    clash |= std::mem::replace(&mut covered[item], true);
                    clues.push(item);
                }
            }
            for &item in &clues {
                covered[item] = false;
            }
            if clash {
                continue;
            }
            for &item in &clues {
                problem.cover(item as Uint + 1);
            }
            let mut solver = DlxSolver::new(&mut problem);
            let mut chooser = mrv_chooser(prefer_any(), no_tiebreak());
            let mut exhausted = false;
            for _ in 0..limit {
                if !solver.next_solution(&mut chooser) {
                    exhausted = true;
                    break;
                }
                let out = found.next(index);
                out.copy_from_slice(grid);
                for &option in solver.fmt_solution() {
                    set(self.shape, option as usize, out);
                }
            }
            if exhausted {
                for &item in clues.iter().rev() {
                    problem.uncover(item as Uint + 1);
                }
            } else {
                // A search that is stopped early cannot be undone.
                problem = self.fresh();
            }
        }
    }
}

/// `dancing-links` through its `ExactCover` trait, on a matrix without what the clues decide.
///
/// Its own sudoku module works alike, but has a slower `satisfies` and supports only square boxes.
struct DancingLinks {
    corpus: Vec<Vec<u8>>,
    matrix: Matrix,
}

#[derive(Debug)]
struct Cover {
    options: Vec<(usize, [u32; 4])>,
    items: Vec<u32>,
}

impl dancing_links::ExactCover for Cover {
    type Possibility = (usize, [u32; 4]);
    type Constraint = u32;

    fn satisfies(&self, option: &Self::Possibility, item: &u32) -> bool {
        option.1.contains(item)
    }

    fn is_optional(&self, _: &u32) -> bool {
        false
    }

    fn possibilities(&self) -> &[Self::Possibility] {
        &self.options
    }

    fn constraints(&self) -> &[u32] {
        &self.items
    }
}

impl GridSolver for DancingLinks {
    fn name(&self) -> String {
        "dancing-links 0.3.1".into()
    }

    fn class(&self) -> Class {
        Class::Links
    }

    fn prepare(&mut self, corpus: &Corpus) {
        self.corpus.clone_from(&corpus.grids);
    }

    fn solve(&mut self, limit: usize, found: &mut Found) {
        let shape = self.matrix.shape;
        for (index, grid) in self.corpus.iter().enumerate() {
            if !self.matrix.restrict(grid) {
                continue;
            }
            if self.matrix.left == 0 {
                found.next(index).copy_from_slice(grid);
                continue;
            }
            let cover =
                Cover { options: self.matrix.options.clone(), items: (0..self.matrix.left as u32).collect() };
            for solution in dancing_links::Solver::new(&cover).take(limit) {
                let out = found.next(index);
                out.copy_from_slice(grid);
                solution.iter().for_each(|(option, _)| set(shape, *option, out));
            }
        }
    }
}

/// `sudoku`, through the call that its documentation names as the fastest one that returns solutions.
#[derive(Default)]
struct SudokuCrate {
    corpus: Vec<sudoku::Sudoku>,
}

impl GridSolver for SudokuCrate {
    fn name(&self) -> String {
        "sudoku 0.8.0".into()
    }

    fn class(&self) -> Class {
        Class::Grids
    }

    fn prepare(&mut self, corpus: &Corpus) {
        let read = |grid: &Vec<u8>| {
            sudoku::Sudoku::from_bytes_slice(grid).expect("81 digits from 0 to 9, as the corpus was checked")
        };
        self.corpus = corpus.grids.iter().map(read).collect();
    }

    fn solve(&mut self, limit: usize, found: &mut Found) {
        let mut buffer = vec![[0; 81]; limit];
        for (index, grid) in self.corpus.iter().enumerate() {
            let count = grid.solutions_up_to_buffer(&mut buffer, limit);
            for solution in &buffer[..count] {
                found.next(index).copy_from_slice(solution);
            }
        }
    }
}
