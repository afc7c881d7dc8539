//! `augment`: images are puzzles of the same class, and every transform can be undone.

use std::fs;

use super::{POJ, data, quadrille};

/// Returns the lines of a file in `data`, without comments.
fn records(name: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a file");
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn images_have_the_canonical_form_of_the_record() {
    let lines = records("random-1000.txt")[..60].join("\n");
    let images = quadrille("augment --copies 4 --seed 7 -j1").stdin(lines.clone()).prints();
    assert_eq!(images.lines().count(), 300);
    let forms = quadrille("canon --form puzzle").stdin(images.clone()).prints();
    let of_records = quadrille("canon --form puzzle").stdin(lines.clone()).prints();
    for (form, images) in of_records.lines().zip(forms.lines().collect::<Vec<_>>().chunks(5)) {
        assert!(images.iter().all(|image| *image == form));
    }
    let firsts: Vec<&str> = images.lines().step_by(5).collect();
    assert_eq!(firsts.join("\n"), lines);
    let again = quadrille("augment --copies 4 --seed 7 -j4").stdin(lines.clone()).prints();
    assert_eq!(again, images);
    assert_ne!(quadrille("augment --copies 4 --seed 8").stdin(lines).prints(), images);
}

#[test]
fn every_transform_can_be_undone() {
    for name in [
        "random-1000.txt",
        "4x4.txt",
        "6x6.txt",
        "12x12.txt",
        "16x16.txt",
        "25x25.txt",
        "formats/pencilmarks.txt",
    ] {
        let input = records(name).iter().take(20).map(|line| format!("{line}\n")).collect::<String>();
        let written = quadrille("convert --bare --to csv --no-header").stdin(input.clone()).prints();
        let images = quadrille("augment --copies 3 --fields transform --distinct").stdin(input).prints();
        let back = quadrille("augment --undo --bare").stdin(images.clone()).prints();
        let four_each: String = written.lines().map(|line| format!("{line}\n").repeat(4)).collect();
        assert_eq!(back, four_each, "{name}");
        assert_ne!(images.lines().nth(1), images.lines().next(), "{name}");
    }
}

#[test]
fn columns_stay_and_solutions_fit() {
    let input =
        records("kaggle-1000.csv")[..101].join("\n").replace("quizzes,solutions", "n,quizzes,solutions");
    let input: String = input
        .lines()
        .enumerate()
        .map(|(n, line)| if n == 0 { format!("{line}\n") } else { format!("{n},{line}\n") })
        .collect();
    let images = quadrille("augment --copies 2 --fields index,copy,transform").stdin(input.clone()).prints();
    let mut rows = images.lines();
    assert_eq!(rows.next(), Some("n,quizzes,solutions,q_index,q_copy,q_transform"));
    for (place, row) in rows.enumerate() {
        let columns: Vec<&str> = row.split(',').collect();
        let (record, copy) = ((place / 3 + 1).to_string(), (place % 3).to_string());
        assert_eq!([columns[0], columns[3], columns[4]], [&record, &record, &copy]);
    }
    let verdicts = quadrille("check --fields status").stdin(images.clone()).prints();
    assert_eq!(verdicts.lines().filter(|line| line.ends_with("correct")).count(), 300, "{verdicts}");
    let json = quadrille("augment --copies 1 --to jsonl --fields transform").stdin(input.clone()).prints();
    let second: serde_json::Value =
        serde_json::from_str(json.lines().nth(1).expect("an image")).expect("JSON");
    assert!(second["q_transform"].as_str().is_some_and(|map| map.len() == 31) && second["n"] == "1");
    let back = quadrille("augment --undo").stdin(images).prints();
    let first = input.lines().nth(1).expect("a record");
    assert!(back.lines().skip(1).take(3).all(|row| row.starts_with(first)), "{back}");
    let points = quadrille("augment --to-blank .").stdin(input).prints();
    assert!(
        !points.lines().skip(1).any(|row| row.split(',').nth(1).is_some_and(|puzzle| puzzle.contains('0')))
    );
}

#[test]
fn the_last_of_two_augmentations_is_undone() {
    let csv = format!("puzzle\n{POJ}\n");
    let images = |text: String, seed: u8| {
        quadrille(&format!("augment --copies 2 --seed {seed} --fields transform")).stdin(text).prints()
    };
    let once = images(csv, 1);
    let twice = images(once.clone(), 2);
    assert!(twice.starts_with("puzzle,q_transform,q_transform_2\n"), "{twice}");
    let back = quadrille("augment --undo").stdin(twice).prints();
    let grids = |text: &str| text.lines().skip(1).map(|row| row[..81].to_owned()).collect::<Vec<_>>();
    let wanted: Vec<String> =
        grids(&once).into_iter().flat_map(|grid| [grid.clone(), grid.clone(), grid]).collect();
    assert_eq!(grids(&back), wanted);
}

#[test]
fn parts_can_be_chosen() {
    let images = quadrille("augment --copies 20 --only digits").stdin(POJ).prints();
    let clues =
        |line: &str| line.bytes().map(|byte| byte.is_ascii_digit() && byte != b'0').collect::<Vec<_>>();
    assert!(images.lines().all(|line| clues(line) == clues(POJ)));
    assert_eq!(
        quadrille("augment --copies 9 --only transpose --distinct").stdin(POJ).prints().lines().count(),
        2
    );
    let all = quadrille("augment --copies 99 --only transpose,rows --distinct")
        .stdin(records("4x4.txt")[0].clone());
    assert_eq!(all.prints().lines().count(), 8);
    // Boxes of 2x3 cannot be transposed.
    let ended = quadrille("augment --only transpose data/6x6.txt").ends_with(3);
    assert!(
        ended.out.is_empty() && ended.err.contains("none of the chosen parts can change this grid"),
        "{}",
        ended.err
    );
    let ended = quadrille("augment --from dlx").stdin("a b\na\nb\n").ends_with(3);
    assert!(ended.err.contains("unsupported: an exact cover problem is not a grid"), "{}", ended.err);
}

#[test]
fn grids_with_rules_are_turned() {
    let killer = format!("{}\t.Cage~3~R1C1~R1C2.Diagonal~1\n", ".".repeat(81));
    let images = quadrille("augment --copies 30 --fields transform").stdin(killer).prints();
    let mut seen: Vec<&str> = images.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 8, "{images}");
    assert!(images.lines().all(|line| line.ends_with(":123456789")), "digits keep their names");
    assert!(seen.contains(&".Cage~3~R1C9~R2C9.Diagonal~-1"), "{seen:?}");
    let ended = quadrille("augment --only digits").stdin(format!("{}\t.Cage~3~R1C1~R1C2\n", ".".repeat(81)));
    let ended = ended.ends_with(3);
    assert!(ended.err.contains("the rules are about the values of digits"), "{}", ended.err);
    let knight = format!("{}\t.AntiKnight\n", data("random-1000.txt").lines().next().expect("a puzzle"));
    let images = quadrille("augment --copies 5 --only digits").stdin(knight).prints();
    assert!(images.lines().all(|line| line.ends_with("\t.AntiKnight")) && images.lines().count() == 6);
}

#[test]
fn rules_of_images_are_read_and_have_one_solution() {
    for name in ["little-killer", "pill-arrow", "quad", "jigsaw", "windoku", "greater", "thermo", "x", "dots"]
    {
        let record = records(&format!("variants/{name}.txt"))[0].clone();
        let images = quadrille("augment --copies 3 --seed 2").stdin(record).prints();
        let verdicts = quadrille("solve --unique --fields status").stdin(images.clone()).prints();
        assert_eq!(verdicts, "unique\n".repeat(4), "{name}: {images}");
    }
}

#[test]
fn the_images_of_a_record_keep_within_the_memory() {
    let run = |copies: &str| quadrille("augment --memory 8M -j1 --copies").args(copies).stdin(POJ);
    assert_eq!(run("5000").prints().lines().count(), 5001);
    let ended = run("10000").ends_with(3);
    let said = "its rows take more than # bytes (use fewer --copies)";
    assert!(ended.out.is_empty() && ended.err.contains(said), "{}", ended.err);
}

#[test]
fn the_deadline_ends_a_record_with_many_images() {
    let large = records("25x25.txt")[0].clone();
    let ended = quadrille("augment --copies 1000000 --deadline 100ms").stdin(large).ends_with(4);
    assert!(ended.out.is_empty(), "{} bytes", ended.out.len());
    assert!(ended.err.contains("0 records"), "{}", ended.err);
}
