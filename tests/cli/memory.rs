//! `--memory`: one limit for the whole run.

#![cfg(unix)]

use std::fs;
use std::io::Read;

use super::{POJ, data, peak_memory, quadrille};

/// Bytes that the program uses in addition to `--memory`, and bytes per thread.
const BESIDE: u64 = 12 << 20;
const BESIDE_THREAD: u64 = 2 << 20;

/// Returns the peak memory of a run over files in bytes, and requires these rows.
///
/// The run is measured while it waits for standard input, after the rows are written.
fn peak(words: &str, files: &str, rows: &str) -> Option<u64> {
    let mut child = quadrille(words).args(files).args("- -q").starts();
    let input = child.stdin.take().expect("it is piped");
    let mut is = vec![0; rows.len()];
    child.stdout.as_mut().expect("it is piped").read_exact(&mut is).expect("as many rows");
    assert!(is == rows.as_bytes(), "{words}: other rows");
    let memory = peak_memory(&child);
    drop(input);
    assert!(child.wait().expect("it ends").success());
    memory
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "the system does not say how much memory a running program has had"
)]
fn a_run_keeps_within_its_budget_on_any_number_of_threads() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, text: String| {
        let path = directory.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned() + " "
    };
    let covers = |kind: &str, sizes: &[u32]| -> String {
        let problem = |size: &u32| quadrille("generate").args(&format!("{kind} {size}")).prints();
        sizes.iter().map(|size| file(&format!("{kind}{size}.dlx"), problem(size))).collect()
    };
    let blank = |side: usize| format!("1{}\n", ".".repeat(side * side - 1)).repeat(3);
    let grids = [blank(16), data("16x16.txt"), blank(25), data("25x25.txt"), POJ.to_owned() + "\n", blank(9)]
        .concat();
    let (grids, boards) = (
        file("grids.txt", grids.repeat(3)),
        file("domino.dlx", quadrille("generate dominoes 18x18").prints()),
    );
    let squares = covers("latin", &[40, 10, 14, 20, 25, 30, 50]) + &covers("queens", &[12, 30]);
    let runs = [
        // Problems whose tables need nearly all memory that a record may have, between small problems. Some problems
        // need more.
        ("solve --node-limit 3000 --fields source,status,ended_by,nodes,engine,solution", squares.repeat(3)),
        // A counter uses all memory that a record may have.
        ("count --fields count,min_count,ended_by", boards.repeat(3)),
        // Thousands of solutions per record.
        ("solve --limit 2000 --from line --to jsonl --node-limit 100000", grids.clone()),
        ("solve --limit 2000 --from line --engine dlx --node-limit 30000", grids),
    ];
    for (words, files) in runs {
        for megabytes in [64, 256] {
            let words = format!("{words} --memory {megabytes}M");
            let rows = quadrille(&words).args(&files).args("-j1").prints();
            // With more memory, only many threads together come near the limit.
            let threads: &[u64] = if megabytes == 64 { &[1, 2, 8] } else { &[8] };
            for threads in threads {
                let words = format!("{words} -j{threads}");
                let most = peak(&words, &files, &rows).expect("Linux says it");
                let allowed = (megabytes << 20) + BESIDE + threads * BESIDE_THREAD;
                println!("{words}: {most} bytes, {allowed} allowed");
                assert!(most < allowed, "{words}: {most} bytes, {allowed} allowed");
            }
        }
    }
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "the system does not say how much memory a running program has had"
)]
fn images_of_several_records_are_not_in_memory_together() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("in.txt");
    fs::write(&file, format!("{POJ}\n").repeat(24)).expect("written");
    let file = file.to_str().expect("text");
    // The images of twelve records, which have a kilobyte of text, take 20 MB.
    let words = "augment --copies 20000 -j1 --memory 32M";
    let rows = quadrille(words).args(file).prints();
    let most = peak(words, file, &rows).expect("Linux says it");
    let allowed = (32 << 20) + BESIDE + BESIDE_THREAD;
    assert!(most < allowed, "{most} bytes, {allowed} allowed");
}

#[test]
fn records_that_need_memory_are_answered_like_others() {
    let squares = quadrille("generate latin 14").prints();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("squares.dlx");
    fs::write(&file, squares).expect("written");
    // The rows of one record are larger than the memory of one thread.
    let files = |run: super::Run| (0..4).fold(run, |run, _| run.arg(&file));
    for words in [
        "count --limit 3500",
        "count --node-limit 50000",
        "solve --limit 3500 --fields status,nodes,solution",
    ] {
        let run = |more: &str| files(quadrille(words).args("--engine dlx").args(more)).prints();
        let plenty = run("-j1");
        for more in ["-j1 --memory 8M", "-j2 --memory 16M", "-j4 --memory 32M", "-j1 --memory 1G"] {
            assert!(run(more) == plenty, "{words} {more}");
        }
    }
}

#[test]
fn a_size_below_the_minimum_is_refused() {
    let error = quadrille("solve --memory 4M").stdin(POJ).fails(2);
    assert!(error.contains("a run needs 8M for each thread"), "{error}");
    assert!(quadrille("solve --memory 8M -j64").stdin(POJ).prints().starts_with("143"));
}
