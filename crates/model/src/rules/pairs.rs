//! Items about pairs of cells.

use super::RuleError;
use super::builder::{Compiler, Marks};
use super::text::Item;

/// A condition on the digits of two neighbours.
type Condition = fn(i64, i64) -> bool;
/// White dots.
pub(super) const CONSECUTIVE: Condition = |x, y| x.abs_diff(y) == 1;
/// Black dots.
pub(super) const DOUBLE: Condition = |x, y| x == 2 * y || y == 2 * x;
/// X.
pub(super) const TEN: Condition = |x, y| x + y == 10;
/// V.
pub(super) const FIVE: Condition = |x, y| x + y == 5;

/// The families of marks: white and black dots, X and V.
pub(super) const DOTS: usize = 0;
pub(super) const LETTERS: usize = 1;

/// The downward moves of a knight, as rows and columns.
pub(super) const KNIGHT: [(isize, isize); 4] = [(1, -2), (1, 2), (2, -1), (2, 1)];
/// The downward diagonal moves of a king. Adjacent cells share a row or a column anyway.
pub(super) const KING: [(isize, isize); 2] = [(1, -1), (1, 1)];

/// Compiles `.AntiKnight` and `.AntiKing`: cells connected by one of the moves differ.
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

/// Returns the pairs of an item's cells that are orthogonal neighbours, in the item's order.
fn adjacent(compiler: &Compiler, item: &Item<'_>) -> Result<Vec<(usize, usize)>, RuleError> {
    let cells = compiler.distinct_cells(item, &item.arguments)?;
    let side = compiler.side;
    let touch = |a: usize, b: usize| (a / side).abs_diff(b / side) + (a % side).abs_diff(b % side) == 1;
    let behind = |at: usize| cells[at + 1..].iter().map(move |&b| (at, b));
    let pairs = (0..cells.len()).flat_map(behind).map(|(at, b)| (cells[at], b));
    let pairs: Vec<_> = pairs.filter(|&(a, b)| touch(a, b)).collect();
    if pairs.is_empty() { Err(item.invalid("no two of its cells are neighbours")) } else { Ok(pairs) }
}

/// Relates all neighbours among an item's cells, and returns them, the lower cell first.
fn relate_adjacent(
    compiler: &mut Compiler,
    item: &Item<'_>,
    allowed: impl Fn(i64, i64) -> bool,
) -> Result<Vec<(u16, u16)>, RuleError> {
    let pairs = adjacent(compiler, item)?;
    for &(a, b) in &pairs {
        compiler.relate(a, b, compiler.label(item, a.min(b)), &allowed);
    }
    Ok(pairs.into_iter().map(|(a, b)| (a.min(b) as u16, a.max(b) as u16)).collect())
}

/// Compiles an item that marks neighbours whose digits meet a condition, such as `.WhiteDot~R1C1~R1C2`.
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

/// Compiles `.GreaterThan~R1C1~R1C2`: a cell is greater than its neighbours listed after it.
pub(super) fn greater_than(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    relate_adjacent(compiler, item, |x, y| x > y).map(drop)
}

/// Compiles an item by which all neighbours without a mark of a family meet none of its conditions.
pub(super) fn strict(compiler: &mut Compiler, item: &Item<'_>, family: usize) -> Result<(), RuleError> {
    item.alone()?;
    compiler.marks[family].strict = Some(item.number);
    Ok(())
}

/// Adds the relations of strict items for neighbours that no item of the text marks.
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

/// Returns the cells of a line: at least two, and adjacent cells differ.
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

/// Compiles `.Thermo~R1C1~R2C1`: digits increase from the bulb.
pub(super) fn thermo(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    for pair in line(compiler, item, &item.arguments)?.windows(2) {
        compiler.relate(pair[0], pair[1], compiler.label(item, pair[0]), |x, y| x < y);
    }
    Ok(())
}

/// Compiles `.Whisper~R1C1~R2C1` or `.Whisper~4~R1C1~R2C1`: neighbours on the line differ by at least 5 or
/// the given number.
pub(super) fn whisper(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let mut words = &item.arguments[..];
    let mut least = 5;
    if let Some(word) = words.first().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
        least = compiler.number(item, word, 0..=36)?;
        words = &words[1..];
    }
    for pair in line(compiler, item, words)?.windows(2) {
        let is_far = |x: i64, y: i64| x.abs_diff(y) >= least as u64;
        compiler.relate(pair[0], pair[1], compiler.label(item, pair[0]), is_far);
    }
    Ok(())
}

/// Compiles `.Renban~R1C1~R2C1`: consecutive digits in any order, each once.
///
/// Different digits are consecutive if any two of them differ by less than the number of cells.
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

/// Compiles `.Palindrome~R1C1~R2C1~R3C1`: the same digits from both ends.
pub(super) fn palindrome(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let cells = line(compiler, item, &item.arguments)?;
    for (&a, &b) in cells.iter().zip(cells.iter().rev()).take(cells.len() / 2).filter(|(a, b)| a != b) {
        compiler.relate(a, b, compiler.label(item, a), |x, y| x == y);
    }
    Ok(())
}
