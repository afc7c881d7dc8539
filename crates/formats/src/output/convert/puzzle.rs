//! Writes a puzzle as text in any of the formats, and reports what the format cannot hold.
//!
//! The writer first reads the grid once, cell by cell ([`GridCells`]), to find out what the format would
//! lose. If the format would lose part of the puzzle itself, nothing is written, unless the caller accepts
//! the loss.

use super::{Conversion, PuzzleText};
use quadrille_model::rules::{Rules, items};
use quadrille_model::{Alphabet, Constraint, DigitSet, Loss, Losses, Packed9x9, ProblemRef, Puzzle, Symbols};

/// Maximum number of rows of a grid in Interactive Sudoku Solver.
const MAX_ISS_SIDE: usize = 16;
/// Number base in which Interactive Sudoku Solver writes row and column numbers.
const ISS_BASE: u32 = 17;

/// Byte that separates the characters of a grid from its rules.
const RULES_BEHIND: u8 = b'\t';

/// Splits the text of a written puzzle into its grid and its rules.
pub(crate) fn grid_and_rules(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(RULES_BEHIND, text) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Digit(u8),
    Free,
    Even,
    Odd,
    Letter(u8),
    /// A set of candidates that no other variant describes. It may be empty.
    Set(DigitSet),
}

/// The cells of a grid, and the size of the grid and its boxes.
struct GridCells {
    cells: Vec<Cell>,
    side: usize,
    box_columns: usize,
    box_rows: usize,
    has_letters: bool,
}

impl GridCells {
    fn of_packed(packed: &Packed9x9) -> Self {
        let mut seen = GridCells::new(9, (3, 3));
        if let Some(digits) = plain_digits(packed) {
            let cell = |digit: u8| digit.checked_sub(1).map_or(Cell::Free, Cell::Digit);
            seen.cells.extend(digits.map(cell));
            return seen;
        }
        let sets = packed.to_cells();
        seen.cells.extend(sets.map(|set| cell_of(DigitSet(u64::from(set)), 9)));
        seen
    }

    fn of_puzzle(puzzle: &Puzzle) -> Self {
        let geometry = puzzle.geometry();
        let side = geometry.side();
        let mut seen = GridCells::new(side, (geometry.box_rows(), geometry.box_columns()));
        seen.cells.extend(puzzle.candidates().iter().map(|&set| cell_of(set, side)));
        for constraint in puzzle.constraints() {
            let Constraint::SameDigit { letter, cells } = constraint;
            seen.has_letters = true;
            for &cell in cells {
                // The format has one character per cell, so a cell with restricted candidates cannot also
                // show its letter. For such a cell, `has_sets` or `has_parities` reports the loss.
                if let Some(cell @ Cell::Free) = seen.cells.get_mut(usize::from(cell)) {
                    *cell = u8::try_from(*letter).map_or(Cell::Free, Cell::Letter);
                }
            }
        }
        seen
    }

    fn new(side: usize, (box_rows, box_columns): (usize, usize)) -> Self {
        let cells = Vec::with_capacity(side * side);
        GridCells { cells, side, box_columns, box_rows, has_letters: false }
    }

    fn has_parities(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Even | Cell::Odd))
    }

    fn has_sets(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Set(_)))
    }

    /// Returns true if at least one cell has no candidates.
    fn has_empty(&self) -> bool {
        self.cells.contains(&Cell::Set(DigitSet::EMPTY))
    }

    /// Returns the candidates of a cell.
    fn set(&self, cell: Cell) -> DigitSet {
        match cell {
            Cell::Digit(digit) => DigitSet::only(digit.into()),
            Cell::Free | Cell::Letter(_) => DigitSet::all(self.side),
            Cell::Even => DigitSet::even(self.side),
            Cell::Odd => DigitSet::odd(self.side),
            Cell::Set(set) => set,
        }
    }
}

/// Returns the digits of a plain 9x9 grid, or `None` for any other grid.
///
/// Every cell must be a clue or a free cell. The digits are 1 to 9, and 0 is a free cell.
fn plain_digits(packed: &Packed9x9) -> Option<[u8; 81]> {
    let cells: [u128; 9] = std::array::from_fn(|digit| packed.cells_of(digit));
    let (single, _) = packed.single_and_empty();
    let free = cells.iter().fold(u128::MAX, |free, cells| free & cells);
    if single | free != (1 << 81) - 1 {
        return None;
    }
    let mut digits = [0; 81];
    for (digit, cells) in (1..).zip(cells) {
        let mut rest = cells & single;
        while rest != 0 {
            digits[rest.trailing_zeros() as usize] = digit;
            rest &= rest - 1;
        }
    }
    Some(digits)
}

fn cell_of(set: DigitSet, side: usize) -> Cell {
    match set.single() {
        Some(digit) => Cell::Digit(digit as u8),
        None if set == DigitSet::all(side) => Cell::Free,
        None if set == DigitSet::even(side) => Cell::Even,
        None if set == DigitSet::odd(side) => Cell::Odd,
        None => Cell::Set(set),
    }
}

impl Conversion {
    /// Appends a puzzle as text, and returns which parts of the puzzle were lost.
    ///
    /// `symbols` are the symbols that the input uses for the puzzle's digits.
    ///
    /// # Errors
    /// Returns the reason if the puzzle cannot be written. Also returns the reason if part of the puzzle
    /// would be lost and the caller did not accept the loss. In both cases nothing is appended.
    pub fn write(
        &self,
        problem: ProblemRef<'_>,
        symbols: Symbols,
        out: &mut Vec<u8>,
    ) -> Result<Losses, String> {
        if let Some(digits) = self.plain_cells(problem, symbols) {
            // The most frequent case.
            out.extend(digits.map(|digit| if digit == 0 { self.empty } else { b'0' + digit }));
            return Ok(Losses::default());
        }
        let (seen, rules) = match problem {
            ProblemRef::Packed(packed) => (GridCells::of_packed(packed), None),
            ProblemRef::Puzzle(puzzle) => (GridCells::of_puzzle(puzzle), puzzle.rules()),
            ProblemRef::Cover(_) => return Err("an exact cover problem is not a grid".to_owned()),
        };
        match rules {
            Some(rules) => self.write_ruled(&seen, rules, symbols, out),
            None => self.write_grid(&seen, symbols, out),
        }
    }

    /// Writes a grid with rules.
    ///
    /// Writes the grid's characters, a tab and the rules. If the caller requested a constraint string, or if
    /// characters cannot hold the grid, writes a constraint string instead.
    fn write_ruled(
        &self,
        seen: &GridCells,
        rules: &Rules,
        symbols: Symbols,
        out: &mut Vec<u8>,
    ) -> Result<Losses, String> {
        let as_characters = match self.text {
            PuzzleText::Line | PuzzleText::Field => {
                !(seen.has_sets() || seen.has_parities() || seen.has_letters)
            }
            PuzzleText::Iss => false,
            // Without the rules, the text would describe another puzzle. Not even `lossy` allows this loss.
            _ => return Err(format!("{} cannot hold rules", self.name)),
        };
        let lost = if as_characters {
            let lost = self.write_characters(seen, symbols, out)?;
            out.push(RULES_BEHIND);
            lost
        } else {
            self.write_iss(seen, out)?
        };
        // The clues and the shape are already written.
        let items = items(rules.text()).unwrap_or_default();
        for item in items.iter().filter(|item| !matches!(item.name, "" | "Shape")) {
            out.extend_from_slice(item.text.as_bytes());
        }
        Ok(lost)
    }

    /// Writes a grid without rules.
    fn write_grid(&self, seen: &GridCells, symbols: Symbols, out: &mut Vec<u8>) -> Result<Losses, String> {
        match self.text {
            PuzzleText::Line | PuzzleText::Grid | PuzzleText::Framed | PuzzleText::Sdk => {
                self.write_characters(seen, symbols, out)
            }
            PuzzleText::Candidates => self.write_candidates(seen, out),
            PuzzleText::HoDoKu => self.write_between((b":0000:x:", b'.', b":::"), seen, out),
            PuzzleText::OpenSudoku => self.write_between((b"<game data=\"", b'0', b"\"/>"), seen, out),
            PuzzleText::Field => {
                let is_held = !seen.has_sets() && (!seen.has_parities() || self.reads_marks(seen, symbols));
                if is_held || seen.side != 9 || seen.box_rows != 3 || seen.has_letters {
                    self.write_characters(seen, symbols, out)
                } else {
                    self.write_pencilmarks(seen, out)
                }
            }
            PuzzleText::Pencilmarks => self.write_pencilmarks(seen, out),
            PuzzleText::Integers => self.write_integers(seen, out),
            PuzzleText::Iss => self.write_iss(seen, out),
        }
    }

    /// Returns the symbols in which to write digits, if the input uses the symbols `read`.
    pub(crate) fn symbols(&self, read: Symbols) -> Symbols {
        let kept = if read.alphabet == Alphabet::Integers { Alphabet::FromOne } else { read.alphabet };
        match self.digits {
            Some(alphabet) if alphabet != kept => Symbols { alphabet, lower_case: false },
            _ => Symbols { alphabet: kept, lower_case: read.lower_case },
        }
    }

    /// Returns the cells of a plain 9x9 grid if the conversion writes it as one line of the digits 1 to 9.
    /// Returns `None` for any other conversion or grid.
    ///
    /// A cell is 0 if it is free, otherwise its clue.
    pub fn plain_cells(&self, problem: ProblemRef<'_>, symbols: Symbols) -> Option<[u8; 81]> {
        let is_line = matches!(self.text, PuzzleText::Line | PuzzleText::Field);
        let ProblemRef::Packed(packed) = problem else { return None };
        if is_line && self.symbols(symbols).alphabet == Alphabet::FromOne {
            plain_digits(packed)
        } else {
            None
        }
    }

    /// Returns true if a reader of the written text would take lower-case letters for marks (even, odd or
    /// same digit).
    fn reads_marks(&self, seen: &GridCells, symbols: Symbols) -> bool {
        self.marks.unwrap_or(seen.side <= 9 && self.symbols(symbols).alphabet == Alphabet::FromOne)
    }

    /// Returns the parts of the puzzle that are lost.
    ///
    /// Returns an error with the reason if parts would be lost and the caller does not accept losses.
    fn agreed<const N: usize>(&self, parts: [(Loss, bool); N]) -> Result<Losses, String> {
        let mut lost = Losses::default();
        parts.into_iter().for_each(|(loss, is_lost)| lost.add_if(loss, is_lost));
        if lost.is_empty() || self.lossy {
            return Ok(lost);
        }
        let words: Vec<&str> = lost.iter().map(Loss::word).collect();
        Err(format!("{} cannot hold {} (--lossy drops them)", self.name, words.join(" and ")))
    }

    fn write_characters(
        &self,
        seen: &GridCells,
        symbols: Symbols,
        out: &mut Vec<u8>,
    ) -> Result<Losses, String> {
        let (side, read) = (seen.side, symbols);
        let symbols = self.symbols(read);
        let word = symbols.alphabet.word();
        if side > symbols.alphabet.largest_side() {
            return Err(format!("{word} has fewer characters than a {side}x{side} has digits"));
        }
        if symbols.digit_of(self.empty, side).is_some() {
            return Err(format!("0 is a digit of {word} (choose another character with --to-blank)"));
        }
        let marks = self.reads_marks(seen, read);
        // A reader may take lower-case letters for marks (even, odd or same digit), so digits are written in
        // upper case.
        let symbols = Symbols { lower_case: symbols.lower_case && !marks, ..symbols };
        let lost = self.agreed([
            (Loss::Candidates, seen.has_sets()),
            (Loss::Parities, seen.has_parities() && !marks),
            (Loss::Letters, seen.has_letters && !marks),
        ])?;
        let character = |cell: &Cell| match *cell {
            Cell::Digit(digit) => symbols.character(digit.into()).unwrap_or(self.empty),
            Cell::Even if marks => b'e',
            Cell::Odd if marks => b'o',
            Cell::Letter(letter) if marks => letter,
            _ => self.empty,
        };
        match self.text {
            PuzzleText::Grid | PuzzleText::Sdk => {
                for row in seen.cells.chunks(side) {
                    out.extend(row.iter().map(character));
                    out.push(b'\n');
                }
            }
            PuzzleText::Framed => write_frame(seen, 1, out, |cell, out| out.push(character(&cell))),
            _ => out.extend(seen.cells.iter().map(character)),
        }
        Ok(lost)
    }

    fn write_pencilmarks(&self, seen: &GridCells, out: &mut Vec<u8>) -> Result<Losses, String> {
        let side = seen.side;
        if side != 9 || seen.box_rows != 3 {
            return Err(format!("pencilmarks are only for 9x9 grids, not for a {side}x{side}"));
        }
        let lost = self.agreed([(Loss::Letters, seen.has_letters)])?;
        for &cell in &seen.cells {
            let set = seen.set(cell);
            let character = |digit: usize| if set.contains(digit) { b'1' + digit as u8 } else { self.empty };
            out.extend((0..9).map(character));
        }
        Ok(lost)
    }

    fn write_candidates(&self, seen: &GridCells, out: &mut Vec<u8>) -> Result<Losses, String> {
        let side = seen.side;
        if side > 9 {
            return Err(format!("{} are only for grids up to side 9, not {side}", self.name));
        }
        // A cell without candidates would become an empty word, so the cell is written with all candidates.
        let lost = self.agreed([(Loss::Candidates, seen.has_empty()), (Loss::Letters, seen.has_letters)])?;
        let shown = |cell: Cell| match seen.set(cell) {
            DigitSet::EMPTY => DigitSet::all(side),
            set => set,
        };
        let width = seen.cells.iter().map(|&cell| shown(cell).len()).max().unwrap_or(1);
        write_frame(seen, width as usize, out, |cell, out| {
            out.extend(shown(cell).iter().map(|digit| b'1' + digit as u8));
        });
        Ok(lost)
    }

    /// Writes the clues of a 9x9 grid between the texts `before` and `after`, and `empty` for every other
    /// cell.
    fn write_between(
        &self,
        (before, empty, after): (&[u8], u8, &[u8]),
        seen: &GridCells,
        out: &mut Vec<u8>,
    ) -> Result<Losses, String> {
        let side = seen.side;
        if side != 9 || seen.box_rows != 3 {
            return Err(format!("{} is only for 9x9 grids, not for a {side}x{side}", self.name));
        }
        let lost = self.only_clues(seen)?;
        out.extend_from_slice(before);
        out.extend(
            seen.cells.iter().map(|cell| if let Cell::Digit(digit) = cell { b'1' + digit } else { empty }),
        );
        out.extend_from_slice(after);
        Ok(lost)
    }

    /// Checks that the grid has only clues and free cells, and returns which other parts are lost.
    fn only_clues(&self, seen: &GridCells) -> Result<Losses, String> {
        self.agreed([
            (Loss::Candidates, seen.has_sets()),
            (Loss::Parities, seen.has_parities()),
            (Loss::Letters, seen.has_letters),
        ])
    }

    fn write_integers(&self, seen: &GridCells, out: &mut Vec<u8>) -> Result<Losses, String> {
        let lost = self.only_clues(seen)?;
        // All integers go on one line, unless a reader could take that line for one row of a larger grid.
        let is_row = quadrille_model::Geometry::default_box(seen.side * seen.side).is_some();
        for (place, &cell) in seen.cells.iter().enumerate() {
            if place > 0 {
                let is_first = is_row && place % seen.side == 0;
                out.push(if is_first { b'\n' } else { self.delimiter.unwrap_or(b' ') });
            }
            let number = if let Cell::Digit(digit) = cell { digit + 1 } else { 0 };
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
        if is_row {
            out.push(b'\n');
        }
        Ok(lost)
    }

    fn write_iss(&self, seen: &GridCells, out: &mut Vec<u8>) -> Result<Losses, String> {
        let side = seen.side;
        if side > MAX_ISS_SIDE {
            return Err(format!("{} is only for grids up to side {MAX_ISS_SIDE}, not {side}", self.name));
        }
        // Constraint strings cannot express a cell without candidates.
        let lost = self.agreed([(Loss::Candidates, seen.has_empty()), (Loss::Letters, seen.has_letters)])?;
        let is_clued = |cell: &Cell| match cell {
            Cell::Free | Cell::Letter(_) => false,
            Cell::Set(set) => !set.is_empty(),
            _ => true,
        };
        let any = seen.cells.iter().any(is_clued);
        if side != 9 || !any {
            out.extend_from_slice(format!(".Shape~{side}x{side}").as_bytes());
        }
        if any {
            out.push(b'.');
        }
        let digit = |number: usize| char::from_digit(number as u32, ISS_BASE).unwrap_or('?') as u8;
        for (place, &cell) in seen.cells.iter().enumerate().filter(|(_, cell)| is_clued(cell)) {
            out.extend([b'~', b'R', digit(place / side + 1), b'C', digit(place % side + 1)]);
            for candidate in seen.set(cell).iter() {
                out.push(b'_');
                out.extend_from_slice(itoa::Buffer::new().format(candidate + 1).as_bytes());
            }
        }
        Ok(lost)
    }
}

/// Writes digits in rows with frames around the boxes, in the format [`PuzzleText::Framed`].
///
/// `boxes` contains the number of rows in a box and the number of columns in a box.
pub(crate) fn write_framed(digits: &[u8], boxes: (usize, usize), symbols: Symbols, out: &mut Vec<u8>) {
    let side = digits.len().isqrt().max(1);
    let mut seen = GridCells::new(side, boxes);
    seen.cells.extend(digits.iter().copied().map(Cell::Digit));
    let mut digit = Vec::new();
    symbols.write_row(&digits[..1], side, &mut digit);
    write_frame(&seen, digit.len(), out, |cell, out| {
        if let Cell::Digit(digit) = cell {
            symbols.write_row(&[digit], side, out);
        }
    });
}

/// Writes rows with frames around the boxes. The closure `write` writes one cell, in at most `width`
/// characters.
fn write_frame(seen: &GridCells, width: usize, out: &mut Vec<u8>, write: impl Fn(Cell, &mut Vec<u8>)) {
    let side = seen.side;
    let line = |out: &mut Vec<u8>| {
        for _ in 0..side / seen.box_columns {
            out.push(b'+');
            out.resize(out.len() + (width + 1) * seen.box_columns + 1, b'-');
        }
        out.extend_from_slice(b"+\n");
    };
    for (place, &cell) in seen.cells.iter().enumerate() {
        let (row, column) = (place / side, place % side);
        if column == 0 && row % seen.box_rows == 0 {
            line(out);
        }
        out.extend_from_slice(if column % seen.box_columns == 0 { b"| " } else { b"" });
        let end = out.len() + width + 1;
        write(cell, out);
        out.resize(end, b' ');
        if column == side - 1 {
            out.extend_from_slice(b"|\n");
        }
    }
    line(out);
}
