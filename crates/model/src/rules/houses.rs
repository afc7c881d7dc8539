//! Items that add houses, and items that restrict candidates.

use super::builder::Compiler;
use super::text::Item;
use super::{RuleError, Shape};

/// Compiles an item such as `.~R1C1_5~R4C7_2_4`, which gives the candidates of some cells.
pub(super) fn givens(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    for word in &item.arguments {
        let mut parts = word.split('_');
        let cell = compiler.cell(item, parts.next().unwrap_or_default())?;
        let mut mask = 0;
        for digit in parts {
            let digit = compiler.number(item, digit, 1..=compiler.side as i32)?;
            mask |= 1 << (digit - 1);
        }
        if mask == 0 {
            return Err(item.invalid(format!("{word} has no digit: expected a given such as R1C1_5")));
        }
        compiler.mask(cell, mask);
    }
    if item.arguments.is_empty() { Err(item.invalid("no cells")) } else { Ok(()) }
}

/// Compiles `.Shape~9x9`.
pub(super) fn shape(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let side = compiler.side;
    let is_size = item.arguments.first().is_some_and(|size| *size == format!("{side}x{side}"));
    let is_range = match item.arguments.get(1) {
        None => true,
        Some(range) => *range == side.to_string() || *range == format!("1-{side}"),
    };
    if is_size && is_range && item.arguments.len() <= 2 {
        Ok(())
    } else {
        Err(item
            .invalid(format!("not the shape of the grid, which is {side}x{side} with digits 1 to {side}")))
    }
}

/// Compiles `.NoBoxes`. This item takes effect before all other items, wherever it is in the text.
pub(super) fn no_boxes(_: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()
}

/// Compiles `.Jigsaw~LAYOUT`. The size of the grid may come before the layout.
///
/// One region may have more or fewer cells than a row has. For example, the other regions may cover only part
/// of the grid. A region of another size is not a house.
pub(super) fn jigsaw(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let (side, cells) = (compiler.side, compiler.side * compiler.side);
    let layout = match item.arguments[..] {
        [layout] => layout,
        [size, layout] if size == format!("{side}x{side}") => layout,
        [size, _] => return Err(item.invalid(format!("`{size}` is not the size of the grid, {side}x{side}"))),
        _ => return Err(item.invalid("it takes a layout with one letter per cell")),
    };
    let mut letters = Vec::with_capacity(layout.len());
    letters.extend(layout.chars());
    if letters.len() != cells {
        return Err(item.invalid(format!("{} letters for {cells} cells", letters.len())));
    }
    // Each entry of `regions` has a letter, the number of cells with this letter so far, and the last of
    // these cells. `before` has one entry per cell: the previous cell with the same letter. If there is no
    // previous cell, the entry is the cell itself.
    let mut regions: Vec<(char, usize, usize)> = Vec::with_capacity(side);
    let mut before = Vec::with_capacity(cells);
    for (cell, &letter) in letters.iter().enumerate() {
        match regions.iter_mut().find(|(known, ..)| *known == letter) {
            Some((_, size, last)) => {
                *size += 1;
                before.push(std::mem::replace(last, cell));
            }
            None => {
                regions.push((letter, 1, cell));
                before.push(cell);
            }
        }
    }
    if !regions.iter().any(|&(_, size, _)| size == side) {
        return Err(item.invalid(format!("no region has {side} cells")));
    }
    let mut others = regions.iter().filter(|&&(_, size, _)| size != side);
    if let (Some(_), Some((letter, cells, _))) = (others.next(), others.next()) {
        return Err(item.invalid(format!(
            "region `{letter}` has {cells} cells, but a region of a {side}x{side} has {side}"
        )));
    }
    let mut region = Vec::with_capacity(side);
    for &(_, size, last) in regions.iter().filter(|&&(_, size, _)| size == side) {
        region.clear();
        region.extend(std::iter::successors(Some(last), |&cell| Some(before[cell])).take(size));
        region.reverse();
        compiler.different(item, &region);
    }
    Ok(())
}

/// Compiles `.AllDifferent~R1C1~R5C5`.
pub(super) fn all_different(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let cells = compiler.few_cells(item, &item.arguments)?;
    compiler.different(item, &cells);
    Ok(())
}

/// Compiles `.Diagonal~1` for the rising diagonal, and `.Diagonal~-1` for the falling diagonal.
pub(super) fn diagonal(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let side = compiler.side;
    let cells: Vec<usize> = match item.arguments[..] {
        ["1"] => (0..side).map(|row| row * side + side - 1 - row).collect(),
        ["-1"] => (0..side).map(|row| row * side + row).collect(),
        _ => return Err(item.invalid("it takes 1 for / or -1 for \\")),
    };
    compiler.different(item, &cells);
    Ok(())
}

/// Returns an error if the grid has no boxes.
fn needs_boxes(compiler: &Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    let side = compiler.side;
    if compiler.shape.has_boxes() {
        Ok(())
    } else {
        Err(item.invalid(format!("a {side}x{side} has no boxes")))
    }
}

/// Compiles `.Windoku`, which adds windows. A window is a house with the shape of a box. Gaps of one cell
/// separate windows from each other and from the top and left edges.
pub(super) fn windoku(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    needs_boxes(compiler, item)?;
    let Shape { box_rows, box_columns } = compiler.shape;
    let side = compiler.side;
    for top in (1..side).step_by(box_rows + 1).filter(|top| top + box_rows < side) {
        for left in (1..side).step_by(box_columns + 1).filter(|left| left + box_columns < side) {
            let cells =
                (0..side).map(|place| (top + place / box_columns) * side + left + place % box_columns);
            compiler.different(item, &cells.collect::<Vec<_>>());
        }
    }
    Ok(())
}

/// Compiles `.DisjointSets`: the first cells of all boxes form a house, the second cells form another, and so
/// on.
pub(super) fn disjoint_sets(compiler: &mut Compiler, item: &Item<'_>) -> Result<(), RuleError> {
    item.alone()?;
    needs_boxes(compiler, item)?;
    let side = compiler.side;
    let boxes: Vec<Vec<usize>> = (0..side).map(|number| compiler.cells_of_box(number).collect()).collect();
    for place in 0..side {
        let cells: Vec<usize> = boxes.iter().map(|cells| cells[place]).collect();
        compiler.different(item, &cells);
    }
    Ok(())
}
