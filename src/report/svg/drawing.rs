//! Draws the hardest records: grids with their clues, and packings as boards.

use crate::report::scene::{COLOURS, MIDDLE, START, Scene, cut};
use quadrille_batch::stats::{Drawing, grouped};

/// Width and height of a drawn grid.
const SIZE: f64 = 220.0;

/// Draws a record.
pub(crate) fn drawing(of: &Drawing) -> Scene {
    match of {
        Drawing::Grid { box_rows, box_columns, clues, solution } => {
            let clues = cells(clues);
            let solution = solution.as_deref().map(cells);
            // The statistics come from a file, so the list of clues may have any length.
            let side = clues.len().isqrt();
            let fits = side > 0 && side * side == clues.len() && clues.len() <= 36 * 36;
            if !fits {
                return words(&["a grid that cannot be drawn"]);
            }
            grid(
                side,
                *box_rows as usize,
                *box_columns as usize,
                &clues,
                solution.as_deref().unwrap_or_default(),
            )
        }
        Drawing::Cover { items, options, board } => {
            match board.as_deref().filter(|board| !board.trim().is_empty()) {
                Some(text) => board_of(text, *items, *options),
                None => words(&[&size(*items, *options)]),
            }
        }
        _ => words(&["a record that cannot be drawn"]),
    }
}

fn size(items: u64, options: u64) -> String {
    format!("{} items, {} options", grouped(items), grouped(options))
}

/// Returns the cells of a grid as text. If the text has spaces, each word is a cell. Otherwise, each
/// character is a cell.
fn cells(text: &str) -> Vec<&str> {
    if text.contains(' ') {
        return text.split(' ').collect();
    }
    text.char_indices().map(|(at, character)| &text[at..at + character.len_utf8()]).collect()
}

fn words(lines: &[&str]) -> Scene {
    let mut scene = Scene::new(SIZE, 18.0 * lines.len() as f64 + 8.0);
    for (number, line) in lines.iter().enumerate() {
        scene.text([0.0, 16.0 + 18.0 * number as f64], START, "ink", cut(line, SIZE));
    }
    scene
}

fn grid(side: usize, box_rows: usize, box_columns: usize, clues: &[&str], solution: &[&str]) -> Scene {
    let mut scene = Scene::new(SIZE, SIZE);
    let (from, cell) = (2.0, (SIZE - 4.0) / side as f64);
    let [clue_class, found_class] = match side {
        0..=9 => ["clue", "found"],
        10..=16 => ["clue mid", "found mid"],
        _ => ["clue tiny", "found tiny"],
    };
    let baseline = match side {
        0..=9 => 5.0,
        10..=16 => 3.0,
        _ => 2.0,
    };
    for (number, clue) in clues.iter().enumerate() {
        let (x, y) = (from + (number % side) as f64 * cell, from + (number / side) as f64 * cell);
        let is_clue = *clue != ".";
        if is_clue {
            scene.rect([x, y, cell, cell], "ground", String::new());
        }
        let text = if is_clue { Some(clue) } else { solution.get(number) };
        if let Some(text) = text.filter(|text| **text != ".") {
            let class = if is_clue { clue_class } else { found_class };
            let text: String = text.chars().take(3).collect();
            scene.text([x + cell / 2.0, y + cell / 2.0 + baseline], MIDDLE, class, text);
        }
    }
    grid_lines(&mut scene, side, [box_rows, box_columns], from);
    scene
}

/// Draws the lines of a grid that fills the scene except for a margin.
pub(super) fn grid_lines(scene: &mut Scene, side: usize, [box_rows, box_columns]: [usize; 2], margin: f64) {
    let (from, to) = (margin, scene.width - margin);
    let cell = (scene.width - 2.0 * margin) / side as f64;
    for line in 0..=side {
        let at = from + line as f64 * cell;
        let is_edge = |step: usize| line == 0 || line == side || (step > 0 && line % step == 0);
        scene.line([at, from, at, to], if is_edge(box_columns) { "thick" } else { "thin" });
        scene.line([from, at, to, at], if is_edge(box_rows) { "thick" } else { "thin" });
    }
}

/// Draws a board with one square per character and one colour per letter. If the board has several layers,
/// they are drawn next to each other.
fn board_of(text: &str, items: u64, options: u64) -> Scene {
    let lines: Vec<&str> = text.lines().collect();
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1).clamp(1, 128);
    let lines = &lines[..lines.len().min(128)];
    let cell = (SIZE / columns as f64).min(24.0).min(320.0 / lines.len().max(1) as f64);
    let mut scene = Scene::new(SIZE, cell * lines.len() as f64 + 24.0);
    let mut letters: Vec<char> = Vec::new();
    let class = if cell >= 14.0 { "letter" } else { "letter tiny" };
    for (row, line) in lines.iter().enumerate() {
        for (column, letter) in line.chars().take(columns).enumerate().filter(|(_, letter)| *letter != ' ') {
            let place = [column as f64 * cell, row as f64 * cell, cell - 0.8, cell - 0.8];
            if letter == '.' {
                scene.rect(place, "ground", String::new());
                continue;
            }
            let number = letters.iter().position(|known| *known == letter).unwrap_or_else(|| {
                letters.push(letter);
                letters.len() - 1
            });
            scene.rect(place, format!("c{} soft", number % COLOURS), String::new());
            if cell >= 7.0 {
                let (x, y) =
                    (place[0] + cell / 2.0, place[1] + cell / 2.0 + if cell >= 14.0 { 4.5 } else { 2.5 });
                scene.text([x, y], MIDDLE, class, letter.to_string());
            }
        }
    }
    scene.text([0.0, scene.height - 6.0], START, "small", cut(&size(items, options), SIZE));
    scene
}
