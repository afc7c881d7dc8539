//! Rivals that solve grids, each used as in its documentation and with its own options for speed.

use dlx::choose::{mrv_chooser, no_tiebreak, prefer_any};
use dlx::{Dance, OptOrder, Solver as DlxSolver, Uint, x};

use crate::grids::Shape;

/// A solver of grids on one thread.
pub trait GridSolver {
    /// Finds up to `limit` solutions of each grid, and passes each with the number of its grid.
    ///
    /// Includes all work per grid, such as the building of a matrix.
    fn solve(&mut self, grids: &[Vec<u8>], limit: usize, found: &mut dyn FnMut(usize, &[u8]));
}

/// Returns a rival by its name.
pub fn rival(name: &str, shape: Shape) -> Option<Box<dyn GridSolver>> {
    Some(match name {
        "dlx" => Box::new(Dlx(Matrix::new(shape))),
        "dlx-kept" => Box::new(DlxKept::new(shape)),
        "dancing-links" => Box::new(DancingLinks(Matrix::new(shape))),
        "sudoku" if shape.side == 9 => Box::new(SudokuCrate),
        _ => return None,
    })
}

/// The part of the exact cover matrix that a grid's clues leave.
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

    /// Restricts the matrix and returns true if there is something to search. Passes a grid without blanks to `found`.
    fn restricted(&mut self, grid: &[u8], found: &mut dyn FnMut(&[u8])) -> bool {
        let is_open = self.restrict(grid);
        if is_open && self.left == 0 {
            found(grid);
        }
        is_open && self.left > 0 && !self.options.is_empty()
    }
}

/// `dlx` as in its sudoku example: one matrix per grid, without the items and options that the clues decide.
///
/// The example's hash maps are replaced by tables.
struct Dlx(Matrix);

impl GridSolver for Dlx {
    fn solve(&mut self, grids: &[Vec<u8>], limit: usize, found: &mut dyn FnMut(usize, &[u8])) {
        let matrix = &mut self.0;
        for (index, grid) in grids.iter().enumerate() {
            if !matrix.restricted(grid, &mut |grid| found(index, grid)) {
                continue;
            }
            let options: Vec<Vec<Uint>> =
                matrix.options.iter().map(|(_, items)| items.map(Uint::from).to_vec()).collect();
            let mut problem = x::make_problem(matrix.left as Uint, 0, &options, OptOrder::Seq);
            let mut solver = DlxSolver::new(&mut problem);
            let mut chooser = mrv_chooser(prefer_any(), no_tiebreak());
            let mut left = limit;
            while left > 0 && solver.next_solution(&mut chooser) {
                let chosen = solver.fmt_solution().iter().map(|&option| matrix.options[option as usize].0);
                found(index, &filled(matrix.shape, grid, chosen));
                left -= 1;
            }
        }
    }
}

/// `dlx` with one matrix for all grids: clues are covered and uncovered through its public `Dance` trait.
///
/// The documentation of `dlx` does not mention this use, which is faster than its example.
struct DlxKept {
    shape: Shape,
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
            items: x::INodes::new(items, 0),
            options: x::ONodes::new(items, items, &options, OptOrder::Seq),
        }
    }

    fn fresh(&self) -> x::Problem {
        x::Problem::new(self.items.clone(), self.options.clone())
    }
}

impl GridSolver for DlxKept {
    fn solve(&mut self, grids: &[Vec<u8>], limit: usize, found: &mut dyn FnMut(usize, &[u8])) {
        let mut problem = self.fresh();
        let mut covered = vec![false; self.shape.items() + 1];
        let mut clues = Vec::new();
        for (index, grid) in grids.iter().enumerate() {
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
                let chosen = solver.fmt_solution().iter().map(|&option| option as usize);
                found(index, &filled(self.shape, grid, chosen));
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

/// `dancing-links` through its `ExactCover` trait, on a matrix without the items and options that the clues decide.
///
/// The sudoku module of `dancing-links` works in the same way, but has a slower `satisfies` and supports only square
/// boxes.
struct DancingLinks(Matrix);

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
    fn solve(&mut self, grids: &[Vec<u8>], limit: usize, found: &mut dyn FnMut(usize, &[u8])) {
        let matrix = &mut self.0;
        for (index, grid) in grids.iter().enumerate() {
            if !matrix.restricted(grid, &mut |grid| found(index, grid)) {
                continue;
            }
            let cover = Cover { options: matrix.options.clone(), items: (0..matrix.left as u32).collect() };
            for solution in dancing_links::Solver::new(&cover).take(limit) {
                found(index, &filled(matrix.shape, grid, solution.iter().map(|(option, _)| *option)));
            }
        }
    }
}

/// `sudoku`, through the call that its documentation names as the fastest one that returns solutions.
struct SudokuCrate;

impl GridSolver for SudokuCrate {
    fn solve(&mut self, grids: &[Vec<u8>], limit: usize, found: &mut dyn FnMut(usize, &[u8])) {
        let mut buffer = vec![[0; 81]; limit];
        for (index, grid) in grids.iter().enumerate() {
            let grid = sudoku::Sudoku::from_bytes_slice(grid).expect("81 digits from 0 to 9");
            let count = grid.solutions_up_to_buffer(&mut buffer, limit);
            buffer[..count].iter().for_each(|solution| found(index, solution));
        }
    }
}

/// Returns a grid with the digits of options; option `cell * side + digit` has a 0-based digit.
fn filled(shape: Shape, grid: &[u8], options: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut grid = grid.to_vec();
    options.for_each(|option| grid[option / shape.side] = (option % shape.side) as u8 + 1);
    grid
}
