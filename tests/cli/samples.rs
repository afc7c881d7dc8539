//! `generate minimal --method controlled`: samples of minimal puzzles with known weights, and what statistics make of them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::quadrille;

/// Cells of a 4x4 as bits.
type Cells = u16;

/// Returns all 4x4 grids whose first row is 1234. Any other is one of them with other labels.
fn grids() -> Vec<Vec<u8>> {
    let mut found = vec![vec![1, 2, 3, 4]];
    for cell in 4..16 {
        let fits = |grid: &Vec<u8>, digit: u8| {
            let (row, column) = (cell / 4, cell % 4);
            (0..cell).all(|other| {
                let (its_row, its_column) = (other / 4, other % 4);
                let meets = its_row == row
                    || its_column == column
                    || (its_row / 2, its_column / 2) == (row / 2, column / 2);
                !meets || grid[other] != digit
            })
        };
        let longer = |grid: Vec<u8>| {
            (1..=4)
                .filter(|&digit| fits(&grid, digit))
                .map(|digit| [grid.clone(), vec![digit]].concat())
                .collect()
        };
        found = found.into_iter().flat_map::<Vec<_>, _>(longer).collect();
    }
    found
}

/// Returns the clues of all minimal puzzles of a grid, by definition.
fn minimal_puzzles(grid: &[u8], all: &[Vec<u8>]) -> Vec<Cells> {
    let labels: Vec<[u8; 4]> = (0..256u32)
        .map(|number| [0, 2, 4, 6].map(|shift| (number >> shift & 3) as u8 + 1))
        .filter(|labels| (1..=4).all(|digit| labels.contains(&digit)))
        .collect();
    assert_eq!(labels.len(), 24);
    let others = all.iter().flat_map(|other| {
        labels.iter().map(move |labels| {
            let differs = |cell: &usize| labels[usize::from(other[*cell]) - 1] != grid[*cell];
            (0..16).filter(differs).fold(0, |cells, cell| cells | 1 << cell)
        })
    });
    let mut others: Vec<Cells> = others.filter(|&cells| cells != 0).collect();
    assert_eq!(others.len(), 287);
    // A set of cells that contains another is met whenever that one is.
    let known = others.clone();
    others.retain(|&cells| !known.iter().any(|&less| less != cells && less & cells == less));
    let is_unique: Vec<bool> =
        (0..=Cells::MAX).map(|clues| others.iter().all(|cells| cells & clues != 0)).collect();
    let is_minimal = |&clues: &Cells| {
        let less = (0..16).filter(|cell| clues >> cell & 1 != 0).map(|cell| clues & !(1 << cell));
        is_unique[usize::from(clues)] && less.into_iter().all(|less| !is_unique[usize::from(less)])
    };
    (0..=Cells::MAX).filter(is_minimal).collect()
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

#[test]
fn weights_make_all_minimal_puzzles_of_4x4_equally_likely() {
    const SAMPLED: usize = 8_000;
    let all = grids();
    assert_eq!(all.len(), 12);
    // Numbers of minimal puzzles by number of clues, of all grids.
    let puzzles: Vec<Vec<Cells>> = all.iter().map(|grid| minimal_puzzles(grid, &all)).collect();
    let mut numbers = BTreeMap::<u32, f64>::new();
    puzzles.iter().flatten().for_each(|clues| *numbers.entry(clues.count_ones()).or_default() += 1.0);
    let total: f64 = numbers.values().sum();

    let directory = tempfile::tempdir().expect("a temporary directory");
    let stats = directory.path().join("sample.json");
    let run = quadrille(
        "generate minimal --method controlled --side 4 -q --seed 5 --fields orders,weight,clues,puzzle,solution",
    );
    let run = run.args(&format!("-n {SAMPLED} --stats-out")).arg(&stats);
    let mut orders = 0;
    let mut weights = BTreeMap::<u32, f64>::new();
    let mut seen = BTreeMap::<(Vec<u8>, Cells), f64>::new();
    for row in run.prints().lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [tried, weight, clues, puzzle, solution] = columns[..] else { panic!("{row}") };
        orders += tried.parse::<u64>().expect("orders");
        let clues: u32 = clues.parse().expect("clues");
        assert_eq!(weight.parse::<f64>().expect("a weight"), choose(16, clues));
        *weights.entry(clues).or_default() += choose(16, clues);
        let place = |digit| solution[..4].bytes().position(|other| other == digit).expect("a digit") as u8;
        let grid = solution.bytes().map(|digit| place(digit) + 1).collect();
        let cells = (0..).zip(puzzle.bytes()).filter(|(_, cell)| *cell != b'.');
        *seen.entry((grid, cells.fold(0, |cells, (cell, _)| cells | 1 << cell))).or_default() += 1.0;
    }
    // An order yields a puzzle of its grid with probability 1 / C(16, n).
    let accepted = |clues: &Cells| 1.0 / choose(16, clues.count_ones());
    let rate: f64 = puzzles.iter().flatten().map(accepted).sum::<f64>() / 12.0;
    let expected = SAMPLED as f64 / rate;
    let deviation = (SAMPLED as f64 * (1.0 - rate)).sqrt() / rate;
    assert!((orders as f64 - expected).abs() < 3.0 * deviation, "{orders} {expected} {deviation}");
    let mut chi = 0.0;
    let mut kinds = 0.0;
    for (grid, puzzles) in all.iter().zip(&puzzles) {
        for clues in puzzles {
            let expected = SAMPLED as f64 * accepted(clues) / (12.0 * rate);
            let found = seen.remove(&(grid.clone(), *clues)).unwrap_or(0.0);
            chi += (found - expected).powi(2) / expected;
            kinds += 1.0;
        }
    }
    assert!(seen.is_empty(), "not minimal: {seen:?}");
    let excess = (chi - (kinds - 1.0)) / f64::sqrt(2.0 * (kinds - 1.0));
    assert!(excess.abs() < 3.3, "{chi} of {kinds}: {excess} deviations; one in a thousand seeds is worse");

    let sum: f64 = weights.values().sum();
    for (clues, weight) in &weights {
        let (share, truth) = (weight / sum, numbers[clues] / total);
        assert!(
            (share - truth).abs() < 0.02,
            "{clues} clues: {share} of the weights, {truth} of all puzzles"
        );
    }
    // The page has the same, with intervals around the truth.
    let page: Value =
        serde_json::from_str(&quadrille("report --to json").arg(&stats).prints()).expect("JSON");
    let text = page.to_string();
    assert!(text.contains("Minimal puzzles of 16 cells with 0 to 16 clues"), "{text}");
    let csv = quadrille("report --to csv --table sample-1").arg(&stats).prints();
    let between = |name: &str, truth: f64| {
        let row =
            csv.lines().find(|row| row.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {csv}"));
        let cells: Vec<f64> = row.split(',').filter_map(|cell| cell.parse().ok()).collect();
        let [.., estimate, low, high] = cells[..] else { panic!("{row}") };
        // Twice an interval of 95 % is nearly four standard deviations.
        assert!((truth - estimate).abs() < high - low, "{row}: {truth}");
    };
    between("puzzles of a grid", total / 12.0);
    between("mean number of clues", numbers.iter().map(|(n, all)| f64::from(*n) * all).sum::<f64>() / total);
    for (clues, number) in &numbers {
        between(&format!("{clues} clues"), number / total);
    }
}

#[test]
fn samples_are_the_same_for_any_threads_and_in_shards() {
    let made = |words: &str| {
        quadrille("generate minimal --method controlled --fields index,orders,weight,puzzle -q")
            .args(words)
            .prints()
    };
    let [whole, ..] =
        ["--side 6 -n 12", "--side 4 -n 200 --clues 5..6", "--seed 10 --attempts 1"].map(|words| {
            let one = made(&format!("{words} -j1"));
            assert_eq!(one, made(&format!("{words} -j3")), "{words}");
            assert!(one.lines().count() > 0);
            one
        });
    assert_eq!(made("--side 6 -n 5") + &made("--side 6 -n 7 --skip 5"), whole);
    let puzzles: String =
        whole.lines().map(|row| format!("{}\n", row.rsplit('\t').next().expect("a puzzle"))).collect();
    assert_eq!(quadrille("check --minimal").stdin(puzzles).prints(), "unique\n".repeat(12));
}

#[test]
fn statistics_of_shards_add_up() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let stats = |name: &str, words: &str| {
        let path = directory.path().join(name);
        quadrille("generate minimal --method controlled --side 4 -q --stats-out")
            .arg(&path)
            .args(words)
            .prints();
        path
    };
    let files = [stats("a.json", "-n 300"), stats("b.json", "-n 500 --skip 300"), stats("c.json", "-n 800")];
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let sum = read(&quadrille("stats --json").arg(&files[0]).arg(&files[1]).prints());
    let whole = read(&std::fs::read_to_string(&files[2]).expect("written"));
    assert!(whole["samples"]["16:0..16"]["orders"].as_u64() > Some(800));
    for field in ["samples", "clues", "records", "status"] {
        assert_eq!(sum[field], whole[field], "{field}");
    }
    let said = quadrille("stats").arg(&files[2]).prints();
    assert!(said.contains("sample    800 puzzles, 0 to 16 clues in 16 cells, from "), "{said}");
    assert!(said.contains(" minimal puzzles of a grid ("), "{said}");
}

#[test]
fn what_has_no_weights_is_refused() {
    for (words, reason) in [
        ("minimal --fields weight", "--fields weight is only for minimal --method controlled"),
        ("minimal --fields orders,puzzle", "--fields orders is only for"),
        ("minimal --stats-out x.json", "--stats-out is only for"),
        ("puzzles --method controlled", "only for minimal"),
        ("minimal --method controlled --fields rating", "would change their weights"),
        ("minimal --method controlled --distinct", "would change their weights"),
        ("minimal --method controlled --side 16", "up to 36 cells"),
        ("minimal --method controlled --rules x", "would change their weights"),
        ("minimal --method bottom-up", "possible values: top-down, controlled"),
        ("queens 8 --method controlled", "--method is only for puzzles"),
    ] {
        let said = quadrille("generate").args(words).fails(2);
        assert!(said.contains(reason), "{words}: {said}");
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("same.json");
    let run = quadrille("generate minimal --method controlled --stats-out").arg(&path).args("-o").arg(&path);
    run.fails(2);
    assert!(!path.exists());
}
