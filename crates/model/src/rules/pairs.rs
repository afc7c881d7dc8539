//! Items about pairs of cells.

use super::RuleError;
use super::builder::{Compiler, Marks};
use super::text::Item;

/// A condition on the digits of two cells that share an edge.
type Condition = fn(i64, i64) -> bool;
/// White dots.
pub(super) const CONSECUTIVE: Condition = |x, y| x.abs_diff(y) == 1;
/// Black dots.
pub(super) const DOUBLE: Condition = |x, y| x == 2 * y || y == 2 * x;
/// X.
pub(super) const TEN: Condition = |x, y| x + y == 10;
/// V.
pub(super) const FIVE: Condition = |x, y| x + y == 5;

/// Index of the family with white and black dots. The next constant is the index of the family with `X` and
/// `V`.
pub(super) const DOTS: usize = 0;
pub(super) const LETTERS: usize = 1;

/// The downward moves of a knight. Each move is a number of rows down and a number of columns to the right.
pub(super) const KNIGHT: [(isize, isize); 4] = [(1, -2), (1, 2), (2, -1), (2, 1)];
/// The downward diagonal moves of a king.
///
/// The king's moves along rows and columns are not needed, because digits differ there anyway.
pub(super) const KING: [(isize, isize); 2] = [(1, -1), (1, 1)];

/// Compiles `.AntiKnight` and `.AntiKing`: two cells must have different digits if one of the given moves
/// leads from one cell to the other.
pub(super) fn apart(
    compiler: &mut Compiler,
    item: &Item<'_>,
    moves: &[(isize, isize)],
) -> Result<(), RuleError> {
    item.alone()?;
    let side = compiler.side as isize;
    for cell in 0..side * side {
        for (down, right) in moves {
            let (row, column) = (cell / side + down, cell % side + right);
            if row < side && (0..side).contains(&column) {
                compiler.different_pair(cell as usize, (row * side + column) as usize);
            }
        }
    }
    Ok(())
}

/// Compiles `.AntiConsecutive`.
pub(super) fn anti_consecutive(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    for (a, b) in compiler.neighbours() {
        compiler.relate(a, b, compiler.label(item, a), |x, y| x.abs_diff(y) != 1);
    }
    Ok(())
}

/// Adds a relation for every two of an item's cells that share an edge. Returns the pairs of these cells.
///
/// The lower cell of a pair comes first.
fn relate_adjacent(
    compiler: &mut Compiler,
    item: &Item<'_>,
    allowed: impl Fn(i64, i64) -> bool,
) -> Result<Vec<(u16, u16)>, RuleError> {
    let cells = compiler.distinct_cells(item, &item.arguments)?;
    let side = compiler.side;
    let touch = |a: usize, b: usize| (a / side).abs_diff(b / side) + (a % side).abs_diff(b % side) == 1;
    let mut pairs = Vec::new();
    for (at, &a) in cells.iter().enumerate() {
        for &b in cells[at + 1..].iter().filter(|&&b| touch(a, b)) {
            compiler.relate(a, b, compiler.label(item, a.min(b)), &allowed);
            pairs.push((a.min(b) as u16, a.max(b) as u16));
        }
    }
    if pairs.is_empty() { Err(item.invalid("no two of its cells are neighbours")) } else { Ok(pairs) }
}

/// Compiles an item that marks pairs of neighbouring cells, such as `.WhiteDot~R1C1~R1C2`.
///
/// The digits of each pair must meet the condition.
pub(super) fn mark(
    compiler: &mut Compiler,
    item: &Item<'_>,
    family: usize,
    condition: Condition,
) -> Result<(), RuleError> {
    let pairs = relate_adjacent(compiler, item, condition)?;
    compiler.marks[family].pairs.extend(pairs);
    Ok(())
}

/// Compiles `.GreaterThan~R1C1~R1C2`: a cell is greater than each of its neighbours that is listed after it.
pub(super) fn greater_than(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    relate_adjacent(compiler, item, |x, y| x > y).map(drop)
}

/// Compiles `.StrictKropki` or `.StrictXV`. If two neighbouring cells have no mark of the family (dots, or
/// `X` and `V`), their digits must not meet any condition of the family.
pub(super) fn strict(compiler: &mut Compiler, item: &Item<'_>, family: usize) -> Result<(), RuleError> {
    item.alone()?;
    compiler.marks[family].strict = Some(item.number);
    Ok(())
}

/// Adds the relations of strict items such as `.StrictXV`. They apply to all pairs of neighbouring cells that
/// have no mark.
pub(super) fn add_strict(compiler: &mut Compiler) {
    for (family, [one, other]) in [[CONSECUTIVE, DOUBLE], [TEN, FIVE]].into_iter().enumerate() {
        let Marks { pairs, strict: Some(number) } = &compiler.marks[family] else { continue };
        let (number, is_marked) = (*number, |a: usize, b: usize| pairs.contains(&(a as u16, b as u16)));
        let unmarked: Vec<_> = compiler.neighbours().filter(|&(a, b)| !is_marked(a, b)).collect();
        for (a, b) in unmarked {
            let label = compiler.label_of(number, a);
            compiler.relate(a, b, label, |x, y| !one(x, y) && !other(x, y));
        }
    }
}

/// Returns the cells of a line that is drawn in the grid.
///
/// A line has at least two cells, and no cell directly follows itself.
fn line(compiler: &Compiler, item: &Item<'_>, words: &[&str]) -> Result<Vec<usize>, RuleError> {
    let cells = compiler.cells(item, words)?;
    if cells.len() < 2 {
        return Err(item.invalid("a line needs at least two cells"));
    }
    match (1..cells.len()).find(|&at| cells[at] == cells[at - 1]) {
        Some(at) => Err(item.invalid(format!("{} follows itself", words[at]))),
        None => Ok(cells),
    }
}

/// Adds a relation for every two cells that follow each other on a line.
fn relate_along(
    compiler: &mut Compiler,
    item: &Item<'_>,
    words: &[&str],
    allowed: impl Fn(i64, i64) -> bool,
) -> Result<(), RuleError> {
    for pair in line(compiler, item, words)?.windows(2) {
        compiler.relate(pair[0], pair[1], compiler.label(item, pair[0]), &allowed);
    }
    Ok(())
}

/// Compiles `.Thermo~R1C1~R2C1`: digits increase from the first cell to the last.
pub(super) fn thermo(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    relate_along(compiler, item, &item.arguments, |x, y| x < y)
}

/// Compiles `.Whisper~R1C1~R2C1`: digits of adjacent cells on the line differ by at least 5.
///
/// Another minimum can be given, as in `.Whisper~4~R1C1~R2C1`.
pub(super) fn whisper(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let mut words = &item.arguments[..];
    let mut least = 5;
    if let Some(word) = words.first().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
        least = compiler.number(item, word, 0..=36)?;
        words = &words[1..];
    }
    relate_along(compiler, item, words, |x, y| x.abs_diff(y) >= least as u64)
}

/// Compiles `.Renban~R1C1~R2C1`: the digits are consecutive numbers in any order, each of them once.
///
/// The digits meet this condition if all are different and any two of them differ by less than the number of
/// cells.
pub(super) fn renban(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let cells = compiler.few_cells(item, &item.arguments)?;
    compiler.different(item, &cells);
    let length = cells.len() as u64;
    for (at, &a) in cells.iter().enumerate() {
        for &b in &cells[at + 1..] {
            compiler.relate(a, b, compiler.label(item, a), |x, y| x != y && x.abs_diff(y) < length);
        }
    }
    Ok(())
}

/// Compiles `.Palindrome~R1C1~R2C1~R3C1`: the line has the same digits when read from either end.
pub(super) fn palindrome(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let cells = line(compiler, item, &item.arguments)?;
    for (&a, &b) in cells.iter().zip(cells.iter().rev()).take(cells.len() / 2).filter(|(a, b)| a != b) {
        compiler.relate(a, b, compiler.label(item, a), |x, y| x == y);
    }
    Ok(())
}
