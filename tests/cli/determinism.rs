//! The output is the same with any number of threads and any size of chunks.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use super::{EMPTY_9X9, Ended, data, quadrille};

const WAYS: [&str; 6] = [
    "-j2",
    "-j4",
    "-j3 --chunk-bytes 1",
    "-j1 --chunk-bytes 200",
    "-j2 --chunk-bytes 200",
    "-j4 --chunk-bytes 5000",
];

/// Runs a command in every way of `WAYS` and requires the output of one thread.
fn is_the_same_every_way(words: &str, input: &str) {
    let one = quadrille(words).args("-j1").stdin(input).ends();
    assert_eq!(one.code, Some(0), "{words}: {}", one.err);
    for way in WAYS {
        let other = quadrille(words).args(way).stdin(input).ends();
        assert!(one == other, "{words} {way}");
    }
}

/// Returns valid and invalid records of every kind, some with many solutions.
fn mixed() -> String {
    let puzzles = data("random-1000.txt");
    let mut text = String::new();
    for (number, line) in puzzles.lines().take(200).enumerate() {
        text.push_str(line);
        text.push('\n');
        match number % 40 {
            3 => text.push_str("# a comment\n\n"),
            7 => text.push_str("too short\n"),
            11 => text.push_str(&format!("88{}", &EMPTY_9X9[2..])),
            19 => text.push_str(&format!("{}\n", line.replacen(|cell: char| cell != '.', ".", 3))),
            23 => text.push_str("1234............\n"),
            _ => {}
        }
    }
    text
}

#[test]
fn every_verb_gives_the_same_bytes_on_a_mixed_corpus() {
    let input = mixed();
    for verb in ["solve", "solve --unique", "solve --limit 3", "count", "count --limit 4", "check"] {
        for format in ["text", "csv", "jsonl"] {
            is_the_same_every_way(&format!("{verb} --to {format}"), &input);
        }
    }
    is_the_same_every_way("solve --all --side any", &input);
    is_the_same_every_way("solve --keep-lines --only none,invalid --fields index,line,byte,status", &input);
}

#[test]
fn needless_clues_are_the_same_on_a_mixed_corpus() {
    // Puzzles with a few needless clues, with many, and full grids; other sides and pencilmarks in between.
    let mut input = mixed();
    for row in data("kaggle-1000.csv").lines().skip(1).take(60) {
        let (puzzle, solution) = row.split_once(',').unwrap();
        input.push_str(&format!("{puzzle}\n{solution}\n12..............\ne{}\n", &puzzle[1..]));
    }
    is_the_same_every_way("check --minimal --fields index,status,reason,ended_by", &input);
    let one =
        |words: &str| quadrille(words).args("-j1 --fields status,reason").stdin(input.as_str()).prints();
    assert_eq!(one("check --minimal --engine dlx"), one("check --minimal"));
    assert!(one("check --minimal").matches("nonminimal").count() > 60);
    is_the_same_every_way("check --minimal --node-limit 2 --fields index,status,reason,ended_by", &input);
}

#[test]
fn every_engine_gives_the_same_bytes_on_a_mixed_corpus() {
    let input = mixed();
    for engine in ["dlx", "bitmask"] {
        is_the_same_every_way(
            &format!("solve --unique --engine {engine} --fields index,status,solution,nodes,guesses"),
            &input,
        );
    }
}

#[test]
fn tables_and_contest_files_have_the_same_answers() {
    for verb in ["solve", "check"] {
        for format in ["text", "csv", "jsonl"] {
            is_the_same_every_way(&format!("{verb} --to {format}"), &data("kaggle-1000.csv"));
        }
    }
    is_the_same_every_way("count --to contest", &data("uva1461-variants.txt"));
    is_the_same_every_way("solve --to contest", &data("formats/contest-untidy.txt"));
}

#[test]
fn sides_may_be_mixed_in_one_corpus() {
    let input =
        data("4x4.txt") + &data("6x6.txt") + &data("published.txt") + &data("16x16.txt") + &data("4x4.txt");
    is_the_same_every_way("solve --unique --side any --to jsonl", &input);
    is_the_same_every_way("solve --all --side any", &input);
}

#[test]
fn a_hard_record_is_split_and_answered_the_same() {
    // A record with some 50,000 solutions and more nodes than one worker searches alone, between two easy records.
    let many = format!("1234567894571893266891234577..{}\n", ".".repeat(51));
    let input = format!("................\n{many}{}", data("4x4.txt"));
    for verb in ["count --limit 60000", "solve --limit 30000", "count --node-limit 50000 --fields ended_by"] {
        let one = quadrille(verb).args("--side any -j1").stdin(input.clone()).prints();
        for way in ["-j2", "-j4 --chunk-bytes 100"] {
            assert!(
                one == quadrille(verb).args("--side any").args(way).stdin(input.clone()).prints(),
                "{verb} {way}"
            );
        }
    }
}

/// The last open record of a chunk turns out to be hard while the lanes already hold the next chunk, which
/// has more such records. The only thread first finishes the next chunk and then returns to the hard record.
#[test]
fn a_hard_record_waits_for_the_open_chunk() {
    let puzzles = [
        (".8.9.1...96.3............9..4...2...7...6.1.8......24.3...8..1481.2..76.......38.", "3230"),
        ("......6..9..3....12.1.....35....2...7..5641.81..........2..9.14........96..41.3.2", "4632"),
        ("4.3.21.5.967..5...25.8....3..8.32..6..9.....8.3........7..8.........3....95...3..", "6583"),
    ];
    let hard = (".8..2......7....2.....7..........9...295....81.67.82...72.8.5...1425.......4.7.8.", "12725");
    let mut records: Vec<_> = puzzles.into_iter().cycle().take(300).collect();
    records[50] = hard;
    let (input, expected): (Vec<String>, Vec<String>) =
        records.iter().map(|(puzzle, count)| (format!("{puzzle}\n"), format!("{count}\n"))).unzip();
    for words in ["-j1 --isa portable", "-j2 --isa portable", "-j1"] {
        let command = format!("count --limit 30000 --chunk-bytes 8200 {words}");
        assert_eq!(quadrille(&command).stdin(input.concat()).ends().out, expected.concat(), "{words}");
    }
}

#[test]
fn the_environment_can_set_the_number_of_threads() {
    let mut run = quadrille("solve data/4x4.txt");
    run.command.env("QUADRILLE_THREADS", "3");
    assert_eq!(run.prints(), quadrille("solve data/4x4.txt -j1").prints());
    let mut run = quadrille("solve data/4x4.txt");
    run.command.env("QUADRILLE_THREADS", "many");
    assert!(run.fails(2).contains("many"));
}

/// The lanes hold many records. If a record turns out to be hard, later records are answered before it. Their solutions
/// must be kept until the solutions of the hard record have arrived, part by part.
#[test]
fn solutions_after_a_split_record_are_not_lost() {
    let several = "..............5....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";
    let many = "1........4.67..1.3...1..45.......8....5.9.........4.....1..2..86..9.8....7..31.4.\n";
    let input = format!("{}{many}{}", several.repeat(40), several.repeat(240));
    for way in ["-j1", "-j2", "-j2 --chunk-bytes 3000"] {
        let words = format!("solve --all --engine lanes --fields index {way}");
        let ends = quadrille(&words).stdin(input.as_str()).ends();
        assert_eq!(ends.code, Some(0), "{way}: {}", ends.err);
        let mut rows = [0; 282];
        ends.out.lines().for_each(|line| rows[line.parse::<usize>().unwrap()] += 1);
        for (index, rows) in rows.into_iter().enumerate().skip(1) {
            assert_eq!(rows, if index == 41 { 42_410 } else { 64 }, "{way}, record {index}");
        }
    }
}

/// Tries every way in which input can arrive: a named file, standard input, a pipe that closes immediately,
/// and one that stays open for a while. In all but the last case, a short input is answered on one thread.
#[test]
fn answers_to_a_short_input_do_not_depend_on_how_it_arrives() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("input.txt");
    let easy =
        |count: usize| data("random-1000.txt").lines().take(count).map(|line| format!("{line}\n")).collect();
    let hard = format!("{}{}\n{EMPTY_9X9}", easy(3), ".".repeat(256));
    let inputs: [String; 7] =
        [String::new(), "\n".into(), easy(1), easy(20), easy(21), format!("{}short\n", easy(2)), hard];
    for (number, input) in inputs.iter().enumerate() {
        std::fs::write(&path, input).expect("written");
        for words in [
            "solve -q --unique --node-limit 60000 --fields index,status,solution,nodes,ended_by",
            "solve -q --limit 3 --to jsonl",
            "count -q --limit 70000 --node-limit 200000 --to csv -j3",
            "check -q --minimal --time-limit 100s -j1",
        ] {
            let ways: [&dyn Fn() -> Ended; 4] = [
                &|| quadrille(words).arg(&path).ends(),
                &|| {
                    let mut run = quadrille(words);
                    run.command.stdin(File::open(&path).expect("it is there"));
                    run.command.output().expect("the program ends").into()
                },
                &|| quadrille(words).stdin(input.as_str()).ends(),
                &|| {
                    let mut run = quadrille(words);
                    let mut child = run.starts();
                    let mut pipe = child.stdin.take().expect("it is piped");
                    pipe.write_all(input.as_bytes()).expect("it is read");
                    std::thread::sleep(Duration::from_millis(20));
                    drop(pipe);
                    child.wait_with_output().expect("the program ends").into()
                },
            ];
            let [first, others @ ..] = ways.map(|way| way());
            for other in others {
                assert_eq!((first.code, &first.out), (other.code, &other.out), "{number}: {words}");
            }
        }
    }
}
