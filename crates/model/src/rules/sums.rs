//! Items that require sums, and items that require certain digits in some cells.

use super::builder::Compiler;
use super::text::Item;
use super::{Quota, RuleError, Sum};
use crate::bits::Bits;

/// Maximum target of a sum, and maximum number in an item. No puzzle needs larger numbers.
pub(super) const MAX_NUMBER: i32 = 1_000_000;
/// Maximum coefficient in a sum. The tools of Interactive Sudoku Solver have the same limit.
const MAX_COEFFICIENT: i32 = 100;

/// Returns the first word of an item's arguments, and the words after it, which name cells.
fn split_first<'i, 'a>(item: &'i Item<'a>) -> Result<(&'a str, &'i [&'a str]), RuleError> {
    match item.arguments.split_first() {
        Some((first, rest)) => Ok((first, rest)),
        None => Err(item.invalid("no cells")),
    }
}

/// Compiles `.Cage~15~R1C1~R1C2`: the digits of the cage are all different and have the given sum.
///
/// If the sum is 0 or missing, any sum is allowed.
pub(super) fn cage(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let (sum, words) = split_first(item)?;
    let target = if sum.is_empty() { 0 } else { compiler.number(item, sum, 0..=MAX_NUMBER)? };
    let cells = compiler.few_cells(item, words)?;
    compiler.different(item, &cells);
    if target != 0 {
        let label = compiler.label(item, first(&cells));
        compiler.sum(label, cells.into_iter().map(|cell| (cell, 1)), target, true);
    }
    Ok(())
}

fn first(cells: &[usize]) -> usize {
    cells.iter().copied().min().unwrap_or(0)
}

/// Compiles `.Sum~15~R1C1~R1C2`, or `.Sum~0_=_1_-1~R1C1~R1C2` with coefficients. Digits may repeat.
pub(super) fn sum(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let (sum, words) = split_first(item)?;
    let cells = compiler.cells(item, words)?;
    if cells.len() > compiler.shape.cells() {
        return Err(item.invalid("more cells than the grid has"));
    }
    let mut parts = sum.split('_');
    let target = compiler.number(item, parts.next().unwrap_or_default(), -MAX_NUMBER..=MAX_NUMBER)?;
    let coefficients = match parts.next() {
        None => vec![1; cells.len()],
        Some("=") => {
            let within = -MAX_COEFFICIENT..=MAX_COEFFICIENT;
            parts.map(|by| compiler.number(item, by, within.clone())).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(item.invalid("expected `_=_` and one coefficient per cell after the sum")),
    };
    if coefficients.len() != cells.len() {
        let (numbers, cells) = (coefficients.len(), cells.len());
        return Err(item.invalid(format!("{numbers} coefficients for {cells} cells")));
    }
    let label = compiler.label(item, first(&cells));
    compiler.sum(label, cells.into_iter().zip(coefficients), target, false);
    Ok(())
}

/// Adds the rule that two groups of cells must have the same sum.
fn equal(compiler: &mut Compiler, item: &Item<'_>, ones: &[usize], others: &[usize]) {
    let label = compiler.label(item, ones[0]);
    let terms = ones.iter().map(|&cell| (cell, -1)).chain(others.iter().map(|&cell| (cell, 1)));
    compiler.sum(label, terms, 0, false);
}

/// Compiles `.Arrow~CIRCLE~cells`: the digits of the cells add up to the digit in the circle.
pub(super) fn arrow(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let cells = compiler.cells(item, &item.arguments)?;
    if cells.len() < 2 {
        return Err(item.invalid("an arrow needs a circle and a shaft"));
    }
    equal(compiler, item, &cells[..1], &cells[1..]);
    Ok(())
}

/// Compiles `.DoubleArrow~CIRCLE~cells~CIRCLE`: the digits of the cells add up to the sum of the two circles.
pub(super) fn double_arrow(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let cells = compiler.cells(item, &item.arguments)?;
    let [one, between @ .., other] = &cells[..] else {
        return Err(item.invalid("a double arrow needs two circles and a line between them"));
    };
    if between.is_empty() {
        return Err(item.invalid("a double arrow needs a line between its circles"));
    }
    equal(compiler, item, &[*one, *other], between);
    Ok(())
}

/// Compiles `.PillArrow~2~pill~cells`: the digits of the cells add up to the number in the pill.
///
/// The number has two or three digits. It is read from left to right and from top to bottom.
pub(super) fn pill_arrow(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let (size, words) = split_first(item)?;
    let size = compiler.number(item, size, 2..=3)? as usize;
    let cells = compiler.cells(item, words)?;
    if cells.len() <= size {
        return Err(item.invalid(format!("expected a pill of {size} cells and a line after it")));
    }
    let (pill, line) = cells.split_at(size);
    let mut pill = pill.to_vec();
    pill.sort_unstable();
    let side = compiler.side;
    let follows = |pair: &[usize]| {
        let down = pair[1] / side - pair[0] / side;
        down <= 1 && (pair[1] % side + 1).wrapping_sub(pair[0] % side + 1) <= 1 && pair[0] != pair[1]
    };
    if !pill.windows(2).all(follows) {
        return Err(item.invalid(
            "each cell of a pill must be right of, below or diagonally right below the cell before it",
        ));
    }
    // Only the first cell of a pill may have a digit above 9. In the other cells, each digit must be a single
    // decimal digit of the number.
    for &cell in &pill[1..] {
        compiler.mask(cell, (1 << side.min(9)) - 1);
    }
    let powers = (0..size).map(|place| -(10i32.pow((size - 1 - place) as u32)));
    let label = compiler.label(item, pill[0]);
    let terms: Vec<(usize, i32)> =
        pill.iter().copied().zip(powers).chain(line.iter().map(|&cell| (cell, 1))).collect();
    compiler.sum(label, terms.into_iter(), 0, false);
    Ok(())
}

/// Compiles `.LittleKiller~30~R1C1`: the digits of a diagonal have the given sum.
///
/// The diagonal starts at a cell on the edge. Its direction depends on the edge:
/// - From the left edge, it goes down to the right.
/// - From the top edge, it goes down to the left.
/// - From the right edge, it goes up to the left.
/// - From the bottom edge, it goes up to the right.
///
/// From either of the two top corners, it goes down.
pub(super) fn little_killer(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let [sum, start] = item.arguments[..] else {
        return Err(item.invalid("it takes a sum and the first cell of a diagonal"));
    };
    let target = compiler.number(item, sum, 0..=MAX_NUMBER)?;
    let start = compiler.cell(item, start)?;
    let last = compiler.side as isize - 1;
    let (row, column) = ((start / compiler.side) as isize, (start % compiler.side) as isize);
    let (down, right) = match (row, column) {
        (row, 0) if row < last => (1, 1),
        (0, _) => (1, -1),
        (row, column) if column == last && row < last => (-1, -1),
        (row, column) if row == last && column > 0 && column < last => (-1, 1),
        _ => return Err(item.invalid("no diagonal of at least two cells begins there")),
    };
    let diagonal = (0..=last).map(|step| (row + step * down, column + step * right));
    let is_in = |&(row, column): &(isize, isize)| (0..=last).contains(&row) && (0..=last).contains(&column);
    let cells: Vec<usize> =
        diagonal.take_while(is_in).map(|(row, column)| (row * (last + 1) + column) as usize).collect();
    let label = compiler.label(item, start);
    compiler.sum(label, cells.into_iter().map(|cell| (cell, 1)), target, false);
    Ok(())
}

/// Compiles `.Quad~R1C1~1~2`: four cells contain the given digits, each at least as often as it is listed.
///
/// The four cells are a 2x2 square with the given cell at its top left.
pub(super) fn quad(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let (corner, words) = split_first(item)?;
    let corner = compiler.cell(item, corner)?;
    let side = compiler.side;
    if corner % side + 1 == side || corner / side + 1 == side {
        return Err(item.invalid("no 2x2 begins there"));
    }
    if words.is_empty() || words.len() > 4 {
        return Err(item.invalid("a quad needs one to four digits"));
    }
    let mut digits: Vec<i32> =
        words.iter().map(|word| compiler.number(item, word, 1..=side as i32)).collect::<Result<_, _>>()?;
    digits.sort_unstable();
    let label = compiler.label(item, corner);
    for same in digits.chunk_by(|a, b| a == b) {
        compiler.rules.quotas.push(Quota {
            cells: [corner, corner + 1, corner + side, corner + side + 1].map(|cell| cell as u16).into(),
            digit: same[0] as u8 - 1,
            times: same.len() as u8,
            label,
        });
    }
    Ok(())
}

/// Maximum number of steps of a search for digits that have a given sum.
const STEPS: u32 = 500;

/// Returns the first sum whose target cannot be reached with the candidates in `masks`, or `None` if none is
/// found.
///
/// The function gives up on a sum that would need a long search.
pub(super) fn first_unreached<'a>(sums: &'a [Sum], masks: &dyn Fn(u16) -> u64) -> Option<&'a Sum> {
    let (mut cells, mut bounds) = (Vec::new(), Vec::new());
    sums.iter().find(|sum| {
        cells.clear();
        cells.extend(sum.terms.iter().map(|&(cell, by)| (masks(cell), by)));
        // For each cell, the smallest and the largest sum that this cell and all later cells can have
        // together.
        bounds.clear();
        bounds.resize(cells.len() + 1, (0, 0));
        for (at, &(mask, by)) in cells.iter().enumerate().rev() {
            let ends =
                [mask.trailing_zeros() as i32 + 1, 64 - mask.leading_zeros() as i32].map(|digit| digit * by);
            bounds[at] = (bounds[at + 1].0 + ends[0].min(ends[1]), bounds[at + 1].1 + ends[0].max(ends[1]));
        }
        let (least, most) = bounds[0];
        let is_within = (least..=most).contains(&sum.target);
        !is_within || sum.differ && !reaches(&cells, &bounds, sum.target, 0, &mut { STEPS })
    })
}

/// Returns false if the remaining cells cannot reach the sum `rest`. The digits of these cells must be
/// different and must not be in `used`.
///
/// Returns true if the cells can reach the sum, or if `steps` steps do not decide it. The recursion is at
/// most as deep as a cage has cells. This search is not used for sums whose digits may repeat.
fn reaches(cells: &[(u64, i32)], bounds: &[(i32, i32)], rest: i32, used: u64, steps: &mut u32) -> bool {
    if rest < bounds[0].0 || rest > bounds[0].1 {
        return false;
    }
    let Some((&(mask, by), behind)) = cells.split_first() else { return true };
    for digit in Bits(mask & !used) {
        if *steps == 0 {
            return true;
        }
        *steps -= 1;
        let rest = rest - by * (digit as i32 + 1);
        if reaches(behind, &bounds[1..], rest, used | 1 << digit, steps) {
            return true;
        }
    }
    false
}
