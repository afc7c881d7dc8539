//! The language of rules, and engines on grids with rules.

use quadrille::FromText as _;
use std::sync::Arc;

use quadrille::engine::Solver;
use quadrille::rules::{
    KINDS, RunRules, Shape, are_rules, begins_rules, candidates_alone, compile, items, killer, name_of,
    replaces_boxes, without_blanks,
};
use quadrille::{DigitSet, Geometry, ProblemRef, Puzzle};

use super::bytes::Bytes;
use super::engines::all_agree;

/// Maximum number of cells of a rule.
const CELLS: usize = 5;

/// Shapes with and without boxes.
const SHAPES: [(usize, usize); 8] = [(2, 2), (2, 3), (3, 2), (3, 3), (1, 5), (1, 7), (3, 4), (4, 4)];

fn geometry(shape: Shape) -> Arc<Geometry> {
    let made = if shape.has_boxes() {
        Geometry::new(shape.box_rows, shape.box_columns)
    } else {
        Geometry::without_boxes(shape.side())
    };
    made.expect("these shapes are allowed")
}

fn shape(bytes: &mut Bytes<'_>, shapes: &[(usize, usize)]) -> Shape {
    let (box_rows, box_columns) = bytes.one_of(shapes);
    Shape { box_rows, box_columns }
}

/// Creates text with rules of known kinds whose arguments are mostly cells of the grid.
fn text(bytes: &mut Bytes<'_>, shape: Shape) -> String {
    let mut text = String::new();
    for _ in 0..=bytes.below(4) {
        let kind = &KINDS[bytes.below(KINDS.len())];
        text += &format!(".{}", kind.name);
        let mut word = |text: &mut String, of_cell: bool| {
            let number = bytes.byte();
            match number {
                0..=9 if !of_cell => *text += &format!("~{}", i32::from(bytes.byte()) - 40),
                10..=14 => *text += "~0_=_1_-1",
                _ if of_cell => {
                    *text += &format!("~{}", name_of(usize::from(number) % shape.cells(), shape.side()))
                }
                _ => *text += &format!("~{}", usize::from(number) % 30),
            }
        };
        match kind.name {
            "" => {
                word(&mut text, true);
                text += &format!("_{}_{}", bytes.below(shape.side()) + 1, bytes.below(shape.side()) + 1);
            }
            "Shape" => text += &format!("~{0}x{0}", shape.side()),
            "Diagonal" => text += bytes.one_of(&["~1", "~-1"]),
            "Jigsaw" => {
                // The rows of the grid, with some cells exchanged.
                let side = shape.side();
                let mut letters: Vec<usize> = (0..shape.cells()).map(|cell| cell / side).collect();
                for _ in 0..bytes.below(9) {
                    letters.swap(bytes.below(shape.cells()), bytes.below(shape.cells()));
                }
                text.push('~');
                text.extend(letters.into_iter().map(|letter| char::from(b'a' + letter as u8)));
            }
            "Cage" | "Sum" | "PillArrow" | "LittleKiller" | "Whisper" => {
                word(&mut text, false);
                for _ in 0..=CELLS / 2 {
                    word(&mut text, true);
                }
            }
            "Quad" => {
                word(&mut text, true);
                text += &format!("~{}", bytes.below(shape.side()) + 1);
            }
            "NoBoxes" | "Windoku" | "DisjointSets" | "AntiKnight" | "AntiKing" | "AntiConsecutive"
            | "StrictKropki" | "StrictXV" => {}
            _ => {
                let first = bytes.below(shape.cells());
                let mut cell = first;
                for _ in 0..2 + bytes.below(CELLS - 2) {
                    text += &format!("~{}", name_of(cell, shape.side()));
                    cell = (cell + bytes.one_of(&[1, shape.side(), shape.side() + 1])) % shape.cells();
                }
            }
        }
    }
    text
}

/// Reads any bytes as rules, and as a line that may have rules.
///
/// The bytes must be refused with a message or read by both parsers. A puzzle with these rules, written as a line,
/// must be read back unchanged.
///
/// # Panics
/// Panics if one parser reads what the other refuses, or if a puzzle changes.
pub fn rules_are_refused_or_read(data: &[u8]) {
    let mut bytes = Bytes(data);
    let shape = shape(&mut bytes, &SHAPES);
    let is_made = bytes.byte() & 1 == 0;
    let made = if is_made { text(&mut bytes, shape) } else { String::new() };
    let rest = bytes.rest();
    let _ = (are_rules(rest), begins_rules(rest));
    if let Some(Ok(cages)) = killer(rest) {
        let nine = Shape { box_rows: 3, box_columns: 3 };
        compile(&without_blanks(&cages), nine).expect("what a killer becomes is rules");
    }
    let words = String::from_utf8_lossy(rest);
    let mut run = RunRules::default();
    let is_taken =
        [run.add(&words), run.add_regions(&words), run.add_houses(&words)].iter().all(Result::is_ok);
    if is_taken {
        let _ = (run.replace_boxes(), compile(run.text(), shape).map(drop));
    }
    let text = if is_made { made } else { without_blanks(&words) };
    let Ok(rules) = compile(&text, shape) else { return };
    assert_eq!(rules.text(), text);
    let again: String = items(&text).expect("it was read before").iter().map(|item| item.text).collect();
    assert_eq!(again, text);
    if let Some(masks) = candidates_alone(&text, shape) {
        let mut masks = masks.expect("it was compiled before");
        masks.sort_unstable();
        assert_eq!(masks, rules.masks());
    }
    let drawing = rules.drawing();
    assert_eq!(drawing.regions.len(), shape.cells());
    for house in rules.houses() {
        assert!(
            house.cells.is_sorted()
                && house.cells.len() <= shape.side()
                && !rules.name(house.label).is_empty()
        );
    }
    let is_plain = rules.are_candidates();
    let mut puzzle = Puzzle::new(&geometry(shape));
    puzzle.set_rules(&Arc::new(rules));
    let _ = puzzle.clash();
    let zeros = vec![0; shape.cells()];
    let broken = puzzle.rules().expect("they were set").claims().first_broken(&zeros);
    assert!(broken.is_some(), "a row of the same digit");
    if !is_plain && (shape.has_boxes() || replaces_boxes(&text)) {
        let line = puzzle.to_string();
        // A line of a 6x6 is never read with boxes of 3x2.
        if shape.box_rows <= shape.box_columns && !line.contains('{') {
            let read = Puzzle::from_text(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(read, puzzle, "{line}");
        }
    }
}

/// Compares all engines on a grid with rules and verifies their solutions.
///
/// # Panics
/// Panics if the solutions differ.
pub fn ruled_engines_agree(data: &[u8]) {
    let mut bytes = Bytes(data);
    let shape = shape(&mut bytes, &SHAPES[..5]);
    let text = text(&mut bytes, shape);
    let Ok(rules) = compile(&text, shape) else { return };
    let mut puzzle = Puzzle::new(&geometry(shape));
    puzzle.set_rules(&Arc::new(rules));
    let side = shape.side();
    let kept = bytes.byte();
    let shift = bytes.below(side);
    for cell in 0..shape.cells() {
        let (row, column) = (cell / side, cell % side);
        let digit = (row % shape.box_rows * shape.box_columns + row / shape.box_rows + column + shift) % side;
        if !bytes.is_empty() && bytes.byte() < kept {
            puzzle.restrict(cell, DigitSet::only(digit));
        }
    }
    let limit = bytes.below(4) as u64 + 1;
    all_agree(&mut Solver::default(), ProblemRef::Puzzle(&puzzle), limit);
}
