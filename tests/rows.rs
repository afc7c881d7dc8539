//! Grids in rows: one line that is lost, added or cut costs the grids that it belongs to, and no other.

use quadrille::ProblemRef;
use quadrille::input::{Format, InputOptions, Source};
use quadrille::internals::{Body, Chunk, ChunkTarget, Parser, Reader, Records};

/// The records of a text: cells of readable grids, nothing of others.
fn read(text: &str, format: Option<Format>) -> Vec<String> {
    let options = InputOptions { format, ..InputOptions::default() };
    let source = Source::Bytes { name: "test".into(), bytes: text.as_bytes().to_vec() };
    let mut reader = Reader::new(vec![source], options.clone());
    let (mut parser, mut chunk, mut records) = (Parser::new(&options), Chunk::default(), Records::default());
    let mut all = Vec::new();
    let target = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };
    while reader.next_chunk(&mut chunk, target).expect("it can be read") {
        parser.parse(&chunk, &mut records);
        all.extend(records.list.iter().map(|record| match (&record.body, records.problem(record)) {
            (_, Some(ProblemRef::Packed(packed))) => format!("{packed:?}"),
            (_, Some(ProblemRef::Puzzle(puzzle))) => format!("{:?}", puzzle.candidates()),
            (Body::Invalid(reason), _) => format!("invalid: {reason}"),
            _ => "?".to_owned(),
        }));
    }
    all
}

/// The number of records between those that are alike at the beginning and at the end.
fn changed(before: &[String], after: &[String]) -> usize {
    let alike = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let least = before.len().min(after.len()) - alike;
    let behind =
        before.iter().rev().zip(after.iter().rev()).take(least).take_while(|(one, other)| one == other);
    before.len().max(after.len()) - alike - behind.count()
}

fn puzzles(file: &str, count: usize) -> Vec<Vec<String>> {
    let text =
        std::fs::read_to_string(format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"))).expect("it is there");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with('q')).take(count);
    lines
        .map(|line| {
            let cells = line.split([' ', ',']).next().expect("a puzzle").replace('0', ".");
            let side = cells.len().isqrt();
            cells.as_bytes().chunks(side).map(|row| String::from_utf8_lossy(row).into_owned()).collect()
        })
        .collect()
}

/// Every way of writing some grids in rows, with its name.
fn layouts(puzzles: &[Vec<String>]) -> Vec<(&'static str, Option<Format>, bool, String)> {
    let side = puzzles[0].len();
    let box_rows = (2..=side.isqrt()).rev().find(|rows| side.is_multiple_of(*rows)).expect("it has boxes");
    let box_columns = side / box_rows;
    let bar = "+".to_owned() + &("-".repeat(box_columns) + "+").repeat(box_rows);
    let framed_row = |row: &String| {
        let parts: Vec<&str> = (0..side).step_by(box_columns).map(|at| &row[at..at + box_columns]).collect();
        format!("|{}|", parts.join("|"))
    };
    let framed = |rows: &Vec<String>| {
        let bands =
            rows.chunks(box_rows).map(|band| band.iter().map(framed_row).collect::<Vec<_>>().join("\n"));
        format!("{bar}\n{}\n{bar}", bands.collect::<Vec<_>>().join(&format!("\n{bar}\n")))
    };
    let banded = |rows: &Vec<String>| {
        rows.chunks(box_rows).map(|band| band.join("\n")).collect::<Vec<_>>().join("\n\n")
    };
    let all = |one: &dyn Fn(&Vec<String>) -> String, between: &str| {
        puzzles.iter().map(one).collect::<Vec<_>>().join(between) + "\n"
    };
    let rows = |rows: &Vec<String>| rows.join("\n");
    let named = |rows: &Vec<String>| format!("Grid 07\n{}", rows.join("\n"));
    let sections =
        |rows: &Vec<String>| format!("[Puzzle]\n{}\n[State]\n{}", rows.join("\n"), rows.join("\n"));
    let first = |text: String| format!("{}\n{text}", puzzles.len());
    vec![
        ("bare rows, an empty line between grids", None, true, all(&rows, "\n\n")),
        ("bare rows", None, false, all(&rows, "\n")),
        ("bare rows, named", Some(Format::Grid), false, all(&rows, "\n")),
        ("framed", None, true, all(&framed, "\n")),
        ("framed, an empty line between grids", None, true, all(&framed, "\n\n")),
        ("bands", None, false, all(&banded, "\n\n")),
        ("bands, two empty lines between grids", None, false, all(&banded, "\n\n\n")),
        ("contest", None, false, first(all(&rows, "\n"))),
        ("contest, an empty line between grids", None, true, first(all(&rows, "\n\n"))),
        ("euler", None, true, all(&named, "\n")),
        ("sdk", Some(Format::Sdk), true, all(&sections, "\n")),
    ]
}

/// Changes of the line at a place, each with its name and what stands there then.
fn edits(line: Option<&str>) -> Vec<(String, Vec<String>)> {
    let strays = ["12345678", "123456789", "", "hello world", "x", "+---+---+---+", "4711", "0000"];
    let inserted = |stray: &&str| {
        (format!("insert {stray:?}"), [Some(*stray), line].into_iter().flatten().map(str::to_owned).collect())
    };
    let mut edits: Vec<_> = strays.iter().map(inserted).collect();
    if let Some(line) = line {
        edits.push(("twice".into(), vec![line.to_owned(); 2]));
        edits.push(("delete".into(), Vec::new()));
        let lens = [1, line.len() / 2, line.len().saturating_sub(1)]
            .into_iter()
            .filter(|len| (1..line.len()).contains(len));
        edits.extend(lens.map(|len| (format!("cut to {len}"), vec![line[..len].to_owned()])));
    }
    edits
}

/// Tries one in `share` of all changes of one line; a puzzle's file must have enough clues to tell shifted grids where
/// nothing stands between them.
fn try_changes(file: &str, share: usize, wanted: impl Fn(bool) -> bool) {
    let puzzles = puzzles(file, 5);
    let (mut number, mut tried) = (0, 0);
    for (name, format, is_marked, text) in layouts(&puzzles) {
        for blank in ["0", "."].into_iter().filter(|_| wanted(is_marked)) {
            let text = text.replace('.', blank);
            let before = read(&text, format);
            assert_eq!(before.len(), puzzles.len(), "{file} {name} {blank}");
            assert!(!before.iter().any(|record| record.starts_with("invalid")), "{file} {name} {blank}");
            let lines: Vec<&str> = text.lines().collect();
            // What stands before the first grid of a contest file, and the count itself, say how many there are.
            for at in usize::from(name.starts_with("contest"))..=lines.len() {
                for (edit, with) in edits(lines.get(at).copied()) {
                    number += 1;
                    // A number in front of grids without a count is one.
                    if number % share != 0 || at == 0 && edit.contains("4711") {
                        continue;
                    }
                    let with = with.iter().map(|line| &**line);
                    let behind = lines.iter().skip(at + 1).copied();
                    let all: Vec<&str> = lines[..at].iter().copied().chain(with).chain(behind).collect();
                    let after = read(&(all.join("\n") + "\n"), format);
                    let changed = changed(&before, &after);
                    assert!(
                        changed <= 2,
                        "{file} {name} {blank}: {edit} at {at}: {changed} of {}",
                        after.len()
                    );
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
fn one_line_that_is_wrong_costs_two_records_at_most() {
    for (file, usual) in [("kaggle-1000.csv", 37), ("16x16.txt", 97)] {
        try_changes(file, share(usual), |_| true);
    }
}

#[test]
fn where_something_stands_between_grids_they_may_be_small_or_have_few_clues() {
    for (file, usual) in [("4x4.txt", 29), ("6x6.txt", 37), ("random-1000.txt", 47), ("16x16-hex.txt", 151)] {
        try_changes(file, share(usual), |is_marked| is_marked);
    }
}
