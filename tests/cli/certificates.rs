//! Certificates of counts, checked and attacked by programs that share nothing with the engines; samples; marginals.

use super::{EMPTY_9X9, data, objects, quadrille};
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs a script of the repository with Python, and returns what it prints; an error is what it says.
fn python(script: &str, arguments: &[&Path]) -> Result<String, String> {
    let output = Command::new("python3")
        .arg(Path::new(ROOT).join(script))
        .args(arguments)
        .current_dir(ROOT)
        .output()
        .expect("python3 starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// Writes a problem and its certificate into `directory`, and returns the number of solutions that `count` prints.
fn certify(directory: &Path, problem: &str) -> String {
    std::fs::write(directory.join("p.dlx"), problem).expect("a file");
    let run = quadrille("count -q --certificate").arg(directory.join("c.txt"));
    run.arg(directory.join("p.dlx")).ends().out
}

/// Returns a problem of two independent copies of a problem with primary items only.
fn twice(problem: &str) -> String {
    let lines = || problem.lines().filter(|line| !line.starts_with('|'));
    let copy =
        |line: &str, name: &str| line.split(' ').map(|item| format!("{name}{item} ")).collect::<String>();
    let head = lines().next().expect("a line of items");
    let options = lines().skip(1).map(|line| format!("{}\n{}\n", copy(line, "x"), copy(line, "y")));
    format!("{}{}\n{}", copy(head, "x"), copy(head, "y"), options.collect::<String>())
}

#[test]
fn every_count_has_a_certificate_that_the_script_accepts() {
    let directory = tempfile::tempdir().expect("a directory");
    let (certificate, problem) = (directory.path().join("c.txt"), directory.path().join("p.dlx"));
    let generated = ["dominoes 4x4", "dominoes 5x5", "matchings 8", "latin 4", "langford 4"];
    let generated = generated.map(|words| quadrille("generate").args(words).prints());
    let files = ["dominoes8x8", "langford7", "partitions6", "queens8", "toy-colours", "toy-costs", "toy"];
    let files = files.map(|name| data(&format!("cover/{name}.dlx")));
    let sudoku = quadrille("encode").stdin("1...\n....\n...2\n....\n").prints();
    let boards = twice(&quadrille("generate dominoes 2x4").prints());
    let edges = ["a b\na\n", "a | x\na x\nx\na x:1\n", "a | x y\na x:1 y\na x:2\na y\n"].map(str::to_owned);
    for text in generated.iter().chain(&files).chain([&sudoku, &boards]).chain(&edges) {
        let counted = certify(directory.path(), text);
        assert_eq!(counted, quadrille("count -q").arg(&problem).ends().out, "{text}");
        assert_eq!(python("scripts/check-count", &[&certificate, &problem]), Ok(counted), "{text}");
    }
    // Sets of numbers, with and without a header.
    for text in ["1 3\n2 4\n1 2\n3 4\n4 5\n5\n", "6 5\n1 3\n2 4\n1 2\n3 4\n4 5\n5\n"] {
        let sets = directory.path().join("p.txt");
        std::fs::write(&sets, text).expect("a file");
        let counted = quadrille("count --from sets --certificate").arg(&certificate).arg(&sets).prints();
        assert_eq!(python("scripts/check-count", &[&certificate, &sets]), Ok(counted), "{text}");
    }
    // Sets that begin with their sizes: otherwise one has a number twice, or the command line says so.
    for (text, counts) in [("2 1 2\n1 1\n1 2\n", ""), ("3 5\n2 1 3\n2 2 4\n1 5\n", "--counted-rows on")] {
        let sets = directory.path().join("p.txt");
        std::fs::write(&sets, text).expect("a file");
        let run = quadrille("count --from sets --certificate").arg(&certificate).args(counts);
        let counted = run.arg(&sets).prints();
        let said = Path::new("--counted-rows");
        let arguments = [&certificate, &sets, said];
        let arguments = &arguments[..2 + usize::from(!counts.is_empty())];
        assert_eq!(python("scripts/check-count", arguments), Ok(counted), "{text}");
    }
}

#[test]
fn a_changed_certificate_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (certificate, problem) = (directory.path().join("c.txt"), directory.path().join("p.dlx"));
    let script = Path::new(ROOT).join("scripts/check-count");
    let boards = twice(&quadrille("generate dominoes 2x4").prints());
    for text in [&boards, &data("cover/toy-colours.dlx"), &data("cover/partitions6.dlx")] {
        certify(directory.path(), text);
        let is_refused =
            python("tests/cli/change_certificate.py", &[&script, &certificate, &problem, Path::new("1000")]);
        assert_eq!(is_refused, Ok("1000 changes refused\n".to_owned()));
    }
    let text = std::fs::read_to_string(&certificate).expect("text");
    for (changed, reason) in [
        (text.replacen("certificate 1", "certificate 2", 1), "line 1: expected 'quadrille-certificate 1'"),
        (text.replacen("problem ", "problem 1", 1), "line 2: expected 'problem "),
        (text.replacen(" = ", " = 9", 1), "line 3: the count is "),
        (text.lines().take(9).map(|line| format!("{line}\n")).collect(), "the certificate is truncated"),
        (format!("{text}root 0 = 1\n"), "at the end"),
        (String::new(), "truncated"),
    ] {
        std::fs::write(&certificate, changed).expect("a file");
        let refused = python("scripts/check-count", &[&certificate, &problem]).expect_err("it was changed");
        assert!(refused.starts_with("check-count: refused: ") && refused.contains(reason), "{refused}");
    }
}

#[test]
fn certificates_are_compressed_and_the_same_for_any_number_of_threads() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    for (name, threads) in [("c1.txt", "-j1"), ("c4.txt", "-j4"), ("c.gz", "-j1"), ("c.zst", "-j4")] {
        let run = quadrille("count data/cover/queens8.dlx").arg(threads).arg("--certificate").arg(at(name));
        assert_eq!(run.prints(), "92\n");
    }
    let bytes = |name: &str| std::fs::read(at(name)).expect("a file");
    let text = bytes("c1.txt");
    assert_eq!(text, bytes("c4.txt"));
    assert_eq!(zstd::decode_all(&bytes("c.zst")[..]).expect("zstd"), text);
    let problem = Path::new("data/cover/queens8.dlx");
    assert_eq!(python("scripts/check-count", &[&at("c.gz"), problem]), Ok("92\n".to_owned()));
    let mut cut = bytes("c.gz");
    cut.truncate(cut.len() - 20);
    std::fs::write(at("c.gz"), cut).expect("a file");
    assert!(python("scripts/check-count", &[&at("c.gz"), problem]).is_err());
}

#[test]
fn what_has_no_certificate_is_refused_and_leaves_no_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("c.txt");
    let refused = |words: &str, stdin: &str, code: i32, reason: &str| {
        let run = quadrille(words).arg("--certificate").arg(&file).stdin(stdin);
        let message = run.fails(code);
        assert!(message.contains(reason), "{words}: {message}");
        assert!(!file.exists(), "{words}");
    };
    let board = quadrille("generate dominoes 14x14").prints();
    refused("count", EMPTY_9X9, 2, "certificates are for exact cover problems (try encode first)");
    refused("count data/cover/toy-multiplicities.dlx", "", 1, "multiplicities");
    refused("count --memory 1M", &board, 1, "no count within the limits: stopped by memory after ");
    refused("count --deadline 1ms", &board, 4, "stopped");
    refused("count --to csv", &board, 2, "--to cannot be used with --certificate");
    refused("count --engine memo", &board, 2, "--engine cannot be used with --certificate");
    refused("count --limit 5", &board, 2, "cannot be used with");
    refused("count --marginals", &board, 2, "cannot be used with");
    let own = directory.path().join("own.dlx");
    std::fs::write(&own, &board).expect("a file");
    let message = quadrille("count --certificate").arg(&own).arg(&own).fails(2);
    assert!(message.contains("which would be overwritten"), "{message}");
    let message = quadrille("count -o").arg(&file).arg("--certificate").arg(&file).arg(&own).fails(2);
    assert!(message.contains("which would be overwritten"), "{message}");
}

/// Returns a solution with its options in the order of their texts.
fn sorted(solution: &str) -> String {
    let mut options: Vec<&str> = solution.split(" ; ").collect();
    options.sort_unstable();
    options.join(" ; ")
}

#[test]
fn samples_depend_on_the_seed_alone() {
    let draw = |words: &str| quadrille("solve --sample 700 data/cover/dominoes8x8.dlx").args(words).prints();
    let one = draw("-j1");
    assert_eq!(one.lines().count(), 700);
    assert_eq!(one, draw("-j4 --seed 1"));
    assert_ne!(one, draw("--seed 2"));
    // A larger number of samples begins with the same ones.
    let more = quadrille("solve --sample 900 data/cover/dominoes8x8.dlx").prints();
    assert!(more.starts_with(&one));
    let first = one.lines().next().expect("a sample");
    assert_eq!(first.split(" ; ").count(), 32, "{first}");
    let drawn = quadrille("solve --sample 1 --to grid data/cover/dominoes8x8.dlx").prints();
    assert_eq!(drawn.lines().count(), 9, "{drawn}");
    let bounded = quadrille("solve --sample 600 data/cover/toy-multiplicities.dlx").prints();
    let drawn: HashSet<&str> = bounded.lines().collect();
    let mut drawn: Vec<String> = drawn.into_iter().map(sorted).collect();
    drawn.sort();
    let all = quadrille("solve --all data/cover/toy-multiplicities.dlx").prints();
    let mut all: Vec<String> = all.lines().map(sorted).collect();
    all.sort();
    assert_eq!((drawn.len(), &drawn), (6, &all));
    let message = quadrille("solve --sample 3").stdin("a b\na\n").args("--from dlx").fails(1);
    assert!(message.contains("nothing to draw: the problem has no solution"), "{message}");
    assert!(quadrille("solve --seed 3").fails(2).contains("--sample"));
    assert!(quadrille("solve --sample 3 --all").fails(2).contains("cannot be used with"));
}

#[test]
fn samples_of_grids_are_solutions_of_all_kinds() {
    let text = quadrille("solve --sample 2880").stdin("................").prints();
    let mut grids: Vec<&str> = text.lines().collect();
    grids.sort_unstable();
    grids.dedup();
    assert_eq!(grids.len(), 288);
    let puzzles = data("multiple-3000.txt");
    let puzzle = puzzles.lines().next().expect("a puzzle");
    let all = quadrille("solve --all").stdin(puzzle).prints();
    for grid in quadrille("solve --sample 20").stdin(puzzle).prints().lines() {
        assert!(all.contains(grid), "{grid}");
    }
    let message = quadrille("solve --sample 1 --time-limit 10ms").stdin(EMPTY_9X9).fails(1);
    assert!(message.contains("no count within the limits: stopped by time after "), "{message}");
    // Sums cannot be encoded as an exact cover.
    let killer = data("variants/killer.txt");
    let killer = killer.lines().next().expect("a killer");
    let solved = quadrille("solve").stdin(killer).prints();
    assert_eq!(quadrille("solve --sample 1").stdin(killer).prints(), solved);
}

#[test]
fn marginals_are_rows_of_csv_and_json() {
    let csv = quadrille("count --marginals --to csv data/cover/toy.dlx").prints();
    assert!(csv.starts_with("item,option,count\n"), "{csv}");
    let lines = quadrille("count --marginals data/cover/toy.dlx").prints();
    let rows = objects(&quadrille("count --marginals --to jsonl data/cover/toy.dlx").prints());
    for (number, ((csv, line), row)) in csv.lines().skip(1).zip(lines.lines()).zip(&rows).enumerate() {
        let (count, option) = line.split_once('\t').expect("two columns");
        assert_eq!(csv, format!("{option},{},{count}", number + 1));
        assert_eq!((row["item"].as_str(), row["count"].to_string()), (Some(option), count.to_owned()));
    }
    let bare = quadrille("count --marginals --to csv --no-header").stdin("12..............").prints();
    assert_eq!(bare.lines().next(), Some("r1c1,1,24"), "{bare}");
    let sets = quadrille("count --marginals --from sets --to csv").stdin("1 2\n3\n").prints();
    assert_eq!(sets, "item,option,count\n1 2,1,1\n3,2,1\n");
    let bounded = quadrille("count --marginals data/cover/toy-multiplicities.dlx").prints();
    let all = quadrille("solve --all data/cover/toy-multiplicities.dlx").prints();
    for line in bounded.lines() {
        let (count, option) = line.split_once('\t').expect("two columns");
        let having = all.lines().filter(|line| line.split(" ; ").any(|own| own == option)).count();
        assert_eq!(count, having.to_string(), "{option}");
    }
    let refused = quadrille("count --marginals --to contest data/cover/toy.dlx").fails(2);
    assert!(refused.contains("--to cannot be used with --marginals"), "{refused}");
}

#[test]
fn a_certificate_may_exceed_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let board = quadrille("generate dominoes 12x12").prints();
    for (name, words) in [("whole.txt", "-j1"), ("small.txt", "-j4 --memory 4M")] {
        quadrille("count").args(words).arg("--certificate").arg(at(name)).stdin(board.as_str()).prints();
    }
    let [whole, small] = ["whole.txt", "small.txt"].map(|name| std::fs::read(at(name)).expect("a file"));
    assert!(whole == small && whole.len() > 2_000_000);
}

#[test]
fn marginals_are_those_of_all_solutions() {
    let queens = quadrille("count --marginals data/cover/queens8.dlx").prints();
    let all = quadrille("solve --all data/cover/queens8.dlx").prints();
    let rows: Vec<(u64, &str)> = queens
        .lines()
        .map(|line| line.split_once('\t').expect("two columns"))
        .map(|(count, option)| (count.parse().expect("a number"), option))
        .collect();
    assert_eq!(rows.iter().map(|(count, _)| count).sum::<u64>(), 8 * 92);
    for (count, option) in rows {
        let having = all.lines().filter(|line| line.split(" ; ").any(|own| own == option)).count();
        assert_eq!(count, having as u64, "{option}");
    }
    let puzzle = data("multiple-3000.txt").lines().next().expect("a puzzle").to_owned();
    let rows = quadrille("solve --all --to jsonl --fields solution").stdin(puzzle.as_str()).prints();
    let rows = objects(&rows);
    let solutions: Vec<&str> = rows.iter().filter_map(|row| row["solution"].as_str()).collect();
    let marginals = quadrille("count --marginals").stdin(puzzle).prints();
    let mut sum = 0;
    for line in marginals.lines() {
        let (count, place) = line.split_once('\t').expect("two columns");
        let place = place.as_bytes();
        let [row, column, digit] = [place[1], place[3], place[5]];
        let cell = usize::from(row - b'1') * 9 + usize::from(column - b'1');
        let having = solutions.iter().filter(|solution| solution.as_bytes()[cell] == digit).count();
        assert_eq!(count, having.to_string(), "{line}");
        sum += having;
    }
    assert_eq!(sum, 81 * solutions.len());
}
