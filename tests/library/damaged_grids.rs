//! Grids in rows: a line removed, added or cut costs only the grids that it belongs to.

use crate::damage_line::{Written, edited, edits, layouts, puzzles, read};

/// Tries one in `share` of all changes of one line.
///
/// `has_many_clues` is true if the grids have enough clues to reveal a shift.
fn try_changes(file: &str, skipped: usize, share: usize, has_many_clues: bool) {
    let text =
        std::fs::read_to_string(format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"))).expect("it is there");
    let puzzles: Vec<_> = puzzles(&text).skip(skipped).take(5).collect();
    let (mut number, mut tried) = (0, 0);
    for written in layouts(&puzzles) {
        let format = (!written.is_sniffed).then_some(written.named);
        for blank in ["0", "."] {
            let what = format!("{file} {} {blank}", written.layout);
            let text = written.text.replace('.', blank);
            let before = read(text.as_bytes(), format);
            assert_eq!(before.len(), puzzles.len(), "{what}");
            assert!(!before.iter().any(|record| record.starts_with("invalid")), "{what}");
            let lines: Vec<&str> = text.lines().collect();
            for at in written.first..=lines.len() {
                for (edit, with) in edits(lines.get(at).copied()) {
                    number += 1;
                    // A number before grids without a count is read as their count.
                    let is_number =
                        edit.contains("4711") || edit == "cut to 1" && written.layout.starts_with("integers");
                    if number % share != 0 || at == 0 && is_number {
                        continue;
                    }
                    let after = read(&edited(&lines, at, &with), format);
                    let broken = written.broken(&before, &after, at, has_many_clues);
                    assert_eq!(broken, None, "{what}: {edit} at {at}");
                    tried += 1;
                }
            }
        }
    }
    println!("{file}: {tried} changes of one line");
}

fn share(usual: usize) -> usize {
    std::env::var("QUADRILLE_ROWS").map_or(usual, |share| share.parse().expect("a number"))
}

#[test]
fn one_wrong_line_costs_at_most_two_records() {
    for (file, skipped, usual) in
        [("kaggle-1000.csv", 0, 37), ("kaggle-1000.csv", 5, 37), ("16x16.txt", 0, 97)]
    {
        try_changes(file, skipped, share(usual), true);
    }
}

#[test]
fn separated_grids_may_be_small_or_have_few_clues() {
    for (file, usual) in [("4x4.txt", 29), ("6x6.txt", 37), ("random-1000.txt", 47), ("16x16-hex.txt", 151)] {
        try_changes(file, 0, share(usual), false);
    }
}

#[test]
fn an_emptied_line_is_one_fault() {
    // Small grids need a separator.
    for (file, is_small) in [("kaggle-1000.csv", false), ("4x4.txt", true), ("6x6.txt", true)] {
        let text = std::fs::read_to_string(format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR")))
            .expect("it is there");
        let pool: Vec<_> = puzzles(&text).take(20).collect();
        let is_tried = |written: &&Written| {
            if is_small { written.is_marked } else { written.layout.starts_with("bare rows") }
        };
        for puzzles in pool.windows(6) {
            for written in layouts(puzzles).iter().filter(is_tried) {
                let before = read(written.text.as_bytes(), Some(written.named));
                let lines: Vec<&str> = written.text.lines().collect();
                for at in written.first..lines.len() {
                    let after = read(&edited(&lines, at, &[""]), Some(written.named));
                    let broken = written.broken(&before, &after, at, !is_small);
                    assert_eq!(broken, None, "{} at {at}:\n{}", written.layout, written.text);
                }
            }
        }
    }
}
