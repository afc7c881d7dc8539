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

/// The cells of a grid, and the size of the grid and its boxes.
struct GridCells {
    /// Candidates of each cell.
    cells: Vec<DigitSet>,
    /// Letter of each cell, or 0 if a cell has none or has no letter but other marks. Empty if no cell has one.
    letters: Vec<u8>,
    side: usize,
    /// Number of rows and number of columns in a box.
    boxes: (usize, usize),
    has_letters: bool,
}

impl GridCells {
    fn of_packed(packed: &Packed9x9) -> Self {
        let mut seen = GridCells::new(9, (3, 3));
        match plain_digits(packed) {
            Some(digits) => {
                let set = |digit: u8| {
                    digit.checked_sub(1).map_or(DigitSet::all(9), |digit| DigitSet::only(digit.into()))
                };
                seen.cells.extend(digits.map(set));
            }
            None => seen.cells.extend(packed.to_cells().map(|set| DigitSet(u64::from(set)))),
        }
        seen
    }

    fn of_puzzle(puzzle: &Puzzle) -> Self {
        let geometry = puzzle.geometry();
        let side = geometry.side();
        let mut seen = GridCells::new(side, (geometry.box_rows(), geometry.box_columns()));
        seen.cells.extend_from_slice(puzzle.candidates());
        for constraint in puzzle.constraints() {
            let Constraint::SameDigit { letter, cells } = constraint;
            seen.has_letters = true;
            seen.letters.resize(seen.cells.len(), 0);
            for &cell in cells {
                // The format has one character per cell, so a cell with restricted candidates cannot also
                // show its letter. For such a cell, `has_sets` or `has_parities` reports the loss.
                if let Some(place) = seen.letters.get_mut(usize::from(cell))
                    && *place == 0
                    && seen.cells[usize::from(cell)] == DigitSet::all(side)
                {
                    *place = u8::try_from(*letter).unwrap_or(0);
                }
            }
        }
        seen
    }

    fn new(side: usize, boxes: (usize, usize)) -> Self {
        GridCells {
            cells: Vec::with_capacity(side * side),
            letters: Vec::new(),
            side,
            boxes,
            has_letters: false,
        }
    }

    /// Returns true if the candidates of a cell are the even digits or the odd digits, and not one digit.
    fn is_parity(&self, set: DigitSet) -> bool {
        set.single().is_none() && (set == DigitSet::even(self.side) || set == DigitSet::odd(self.side))
    }

    fn has_parities(&self) -> bool {
        self.cells.iter().any(|&set| self.is_parity(set))
    }

    /// Returns true if a cell has some candidates that are neither one digit, nor all digits, nor a parity.
    fn has_sets(&self) -> bool {
        let all = DigitSet::all(self.side);
        self.cells.iter().any(|&set| set.single().is_none() && set != all && !self.is_parity(set))
    }

    /// Returns true if at least one cell has no candidates.
    fn has_empty(&self) -> bool {
        self.cells.contains(&DigitSet::EMPTY)
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
                if is_held || seen.side != 9 || seen.boxes.0 != 3 || seen.has_letters {
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
        let character = |(cell, &set): (usize, &DigitSet)| match (set.single(), seen.letters.get(cell)) {
            (Some(digit), _) => symbols.character(digit).unwrap_or(self.empty),
            (None, Some(&letter)) if marks && letter != 0 => letter,
            (None, _) if marks && set == DigitSet::even(side) => b'e',
            (None, _) if marks && set == DigitSet::odd(side) => b'o',
            _ => self.empty,
        };
        let characters: Vec<u8> = seen.cells.iter().enumerate().map(character).collect();
        match self.text {
            PuzzleText::Grid | PuzzleText::Sdk => {
                characters.chunks(side).for_each(|row| out.extend(row.iter().chain(b"\n")));
            }
            PuzzleText::Framed => {
                write_frame(side, seen.boxes, 1, out, |cell, out| out.push(characters[cell]));
            }
            _ => out.extend(characters),
        }
        Ok(lost)
    }

    fn write_pencilmarks(&self, seen: &GridCells, out: &mut Vec<u8>) -> Result<Losses, String> {
        let side = seen.side;
        if side != 9 || seen.boxes.0 != 3 {
            return Err(format!("pencilmarks are only for 9x9 grids, not for a {side}x{side}"));
        }
        let lost = self.agreed([(Loss::Letters, seen.has_letters)])?;
        for &set in &seen.cells {
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
        let shown = |set: DigitSet| if set.is_empty() { DigitSet::all(side) } else { set };
        let width = seen.cells.iter().map(|&set| shown(set).len()).max().unwrap_or(1);
        write_frame(side, seen.boxes, width as usize, out, |cell, out| {
            out.extend(shown(seen.cells[cell]).iter().map(|digit| b'1' + digit as u8));
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
        if side != 9 || seen.boxes.0 != 3 {
            return Err(format!("{} is only for 9x9 grids, not for a {side}x{side}", self.name));
        }
        let lost = self.only_clues(seen)?;
        out.extend_from_slice(before);
        out.extend(seen.cells.iter().map(|set| set.single().map_or(empty, |digit| b'1' + digit as u8)));
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
        for (place, set) in seen.cells.iter().enumerate() {
            if place > 0 {
                let is_first = is_row && place % seen.side == 0;
                out.push(if is_first { b'\n' } else { self.delimiter.unwrap_or(b' ') });
            }
            let number = set.single().map_or(0, |digit| digit + 1);
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
        let is_clued =
            |set: &DigitSet| set.single().is_some() || *set != DigitSet::all(side) && !set.is_empty();
        let any = seen.cells.iter().any(is_clued);
        if side != 9 || !any {
            out.extend_from_slice(format!(".Shape~{side}x{side}").as_bytes());
        }
        if any {
            out.push(b'.');
        }
        let digit = |number: usize| char::from_digit(number as u32, ISS_BASE).unwrap_or('?') as u8;
        for (place, set) in seen.cells.iter().enumerate().filter(|(_, set)| is_clued(set)) {
            out.extend([b'~', b'R', digit(place / side + 1), b'C', digit(place % side + 1)]);
            for candidate in set.iter() {
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
    let mut digit = Vec::new();
    symbols.write_row(&digits[..1], side, &mut digit);
    write_frame(side, boxes, digit.len(), out, |cell, out| symbols.write_row(&[digits[cell]], side, out));
}

/// Writes rows with frames around the boxes. The closure `write` writes the cell with the given index, in at
/// most `width` characters.
fn write_frame(
    side: usize,
    (box_rows, box_columns): (usize, usize),
    width: usize,
    out: &mut Vec<u8>,
    write: impl Fn(usize, &mut Vec<u8>),
) {
    let line = |out: &mut Vec<u8>| {
        for _ in 0..side / box_columns {
            out.push(b'+');
            out.resize(out.len() + (width + 1) * box_columns + 1, b'-');
        }
        out.extend_from_slice(b"+\n");
    };
    for cell in 0..side * side {
        let (row, column) = (cell / side, cell % side);
        if column == 0 && row % box_rows == 0 {
            line(out);
        }
        out.extend_from_slice(if column % box_columns == 0 { b"| " } else { b"" });
        let end = out.len() + width + 1;
        write(cell, out);
        out.resize(end, b' ');
        if column == side - 1 {
            out.extend_from_slice(b"|\n");
        }
    }
    line(out);
}
