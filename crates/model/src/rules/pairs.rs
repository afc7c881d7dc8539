//! Items about pairs of cells.

use super::RuleError;
use super::builder::Compiler;
use super::text::Item;

/// The downward moves of a knight, as rows and columns.
const KNIGHT: [(isize, isize); 4] = [(1, -2), (1, 2), (2, -1), (2, 1)];
/// The downward diagonal moves of a king. Adjacent cells share a row or a column anyway.
const KING: [(isize, isize); 2] = [(1, -1), (1, 1)];

/// Compiles `.AntiKnight`.
pub(super) fn anti_knight(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    apart(compiler, &KNIGHT);
    Ok(())
}

/// Compiles `.AntiKing`.
pub(super) fn anti_king(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    apart(compiler, &KING);
    Ok(())
}

/// Adds the condition that cells connected by one of the moves differ.
fn apart(compiler: &mut Compiler, moves: &[(isize, isize)]) {
    let side = compiler.side as isize;
    for cell in 0..side * side {
        for (down, right) in moves {
            let (row, column) = (cell / side + down, cell % side + right);
            if row < side && (0..side).contains(&column) {
                compiler.different_pair(cell as usize, (row * side + column) as usize);
            }
        }
    }
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

/// Compiles `.WhiteDot~R1C1~R1C2`: the digits are consecutive.
pub(super) fn white_dot(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let pairs = relate_adjacent(compiler, item, |x, y| x.abs_diff(y) == 1)?;
    compiler.dotted.extend(pairs);
    Ok(())
}

/// Compiles `.BlackDot~R1C1~R1C2`: one digit is twice the other.
pub(super) fn black_dot(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let pairs = relate_adjacent(compiler, item, |x, y| x == 2 * y || y == 2 * x)?;
    compiler.dotted.extend(pairs);
    Ok(())
}

/// Compiles `.X~R1C1~R1C2`: the digits add up to ten.
pub(super) fn x(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let pairs = relate_adjacent(compiler, item, |x, y| x + y == 10)?;
    compiler.lettered.extend(pairs);
    Ok(())
}

/// Compiles `.V~R1C1~R1C2`: the digits add up to five.
pub(super) fn v(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let pairs = relate_adjacent(compiler, item, |x, y| x + y == 5)?;
    compiler.lettered.extend(pairs);
    Ok(())
}

/// Compiles `.GreaterThan~R1C1~R1C2`: a cell is greater than its neighbours listed after it.
pub(super) fn greater_than(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    relate_adjacent(compiler, item, |x, y| x > y).map(drop)
}

/// Compiles `.StrictKropki`: neighbours without a dot meet the condition of neither kind of dot.
pub(super) fn strict_kropki(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    compiler.strict_dots = Some(item.number);
    Ok(())
}

/// Compiles `.StrictXV`: neighbours without X or V add up to neither ten nor five.
pub(super) fn strict_xv(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    compiler.strict_letters = Some(item.number);
    Ok(())
}

/// Adds the relations of strict items for neighbours that no item of the text marks.
pub(super) fn add_strict(compiler: &mut Compiler) {
    let unmarked = |compiler: &Compiler, marked: &[(u16, u16)]| {
        let is_unmarked = |&(a, b): &(usize, usize)| !marked.contains(&(a as u16, b as u16));
        compiler.neighbours().filter(is_unmarked).collect::<Vec<_>>()
    };
    if let Some(number) = compiler.strict_dots {
        for (a, b) in unmarked(compiler, &compiler.dotted) {
            let label = compiler.label_of(number, a);
            compiler.relate(a, b, label, |x, y| x.abs_diff(y) != 1 && x != 2 * y && y != 2 * x);
        }
    }
    if let Some(number) = compiler.strict_letters {
        for (a, b) in unmarked(compiler, &compiler.lettered) {
            let label = compiler.label_of(number, a);
            compiler.relate(a, b, label, |x, y| x + y != 5 && x + y != 10);
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
