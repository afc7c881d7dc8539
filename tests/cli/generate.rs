//! `generate`: equal seeds give equal puzzles.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use quadrille::engine::Isa;

use super::{data, quadrille};

#[test]
fn a_seed_gives_the_same_bytes_everywhere() {
    for words in [
        "minimal -n 300 --seed 5",
        "grids -n 300",
        "puzzles -n 100 --clues 23-26",
        "multiple -n 100",
        "minimal -n 8 --keep-hardest 5 --steps 10 --fields guesses,puzzle",
        "minimal --side 6 -n 20 --fields index,clues,puzzle,solution",
    ] {
        let one = quadrille("generate -j1").args(words).prints();
        assert_eq!(one, quadrille("generate -j2").args(words).prints(), "{words}");
        for isa in Isa::available() {
            let run = quadrille("generate -j2 --isa").arg(isa.name()).args(words);
            assert_eq!(run.prints(), one, "{words} on {isa}");
        }
    }
    let lanes = quadrille("generate minimal -n 40").prints();
    for engine in ["bitmask", "dlx"] {
        assert_eq!(quadrille("generate minimal -n 40 --engine").arg(engine).prints(), lanes);
    }
    assert_ne!(quadrille("generate minimal -n 40 --seed 2").prints(), lanes);
}

#[test]
fn shards_are_parts_of_the_whole() {
    let whole = quadrille("generate minimal -n 30 --fields index,puzzle").prints();
    let first = quadrille("generate minimal -n 13 --fields index,puzzle").prints();
    let second = quadrille("generate minimal -n 17 --skip 13 --fields index,puzzle").prints();
    assert_eq!(first + &second, whole);
    assert!(whole.starts_with("1\t"));
}

#[test]
fn generated_puzzles_are_of_the_kind_asked_for() {
    let answers = |puzzles: String, verb: &str| quadrille(verb).stdin(puzzles).prints();
    let minimal = quadrille("generate minimal -n 200").prints();
    assert_eq!(answers(minimal, "check --minimal --engine bitmask"), "unique\n".repeat(200));
    let multiple = quadrille("generate multiple -n 200").prints();
    assert_eq!(answers(multiple, "check --engine bitmask"), "multiple\n".repeat(200));
    let puzzles = quadrille("generate puzzles -n 200 --fields puzzle,clues,solution").prints();
    assert!(puzzles.lines().all(|line| line.split('\t').nth(1) == Some("30")));
    // The solutions in a table are right.
    assert_eq!(answers(puzzles, "check --engine dlx -q"), "correct\n".repeat(200));
    let grids = quadrille("generate grids --side 8 -n 5").prints();
    assert_eq!(answers(grids.clone(), "solve"), grids);
}

#[test]
fn a_pattern_may_come_from_a_file() {
    let pattern =
        "xx.x.x.xx\nx.x...x.x\n.x.....x.\nx..x.x..x\n.........\nx..x.x..x\n.x.....x.\nx.x...x.x\nxx.x.x.xx\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("pattern.txt");
    std::fs::write(&file, pattern).expect("written");
    let one = quadrille("generate puzzles --pattern").arg(&file).prints();
    let other = quadrille("generate puzzles --pattern").arg(pattern).prints();
    assert_eq!(one, other);
    let cells: String = pattern.split_whitespace().collect();
    assert!(one.trim_end().chars().zip(cells.chars()).all(|(a, b)| (a == '.') == (b == '.')), "{one}");
}

#[test]
fn output_goes_to_a_file_when_complete() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("out.txt");
    assert_eq!(quadrille("generate grids -n 3 -o").arg(&file).prints(), "");
    assert_eq!(std::fs::read_to_string(&file).expect("complete"), quadrille("generate grids -n 3").prints());
    let late = directory.path().join("late.txt");
    let ended = quadrille("generate minimal -n 100000000 --deadline 300ms -o").arg(&late).ends();
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert!(ended.err.contains("stopped (deadline) after") && !late.exists(), "{}", ended.err);
    let partial = std::fs::read_to_string(directory.path().join("late.txt.partial")).expect("it stays");
    let lines = partial.lines().count();
    let again = quadrille("generate minimal -n").arg(lines.to_string()).prints();
    assert_eq!(partial, again, "a prefix of whole lines");
    assert!(quadrille("generate grids -n 3000 -o /dev/full").fails(1).contains("/dev/full"));
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let mut run = quadrille("generate minimal -n 1000000000");
    let mut child = run.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut first = String::new();
    let mut pipe = BufReader::new(child.stdout.take().expect("it is piped"));
    pipe.read_line(&mut first).expect("a line");
    drop(pipe);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(first, quadrille("generate minimal").prints());
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_whole_lines() {
    let mut run = quadrille("generate minimal -n 1000000000 -q");
    let mut child = run.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut pipe = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut text = String::new();
    pipe.read_line(&mut text).expect("a line");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    pipe.read_to_string(&mut text).expect("text");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("stopped (cancel) after"));
    assert!(text.ends_with('\n') && text.lines().all(|line| line.len() == 81));
}

#[test]
fn impossible_requests_are_refused_at_once() {
    let cases = [
        ("generate sudokus", "[possible values: grids, puzzles, minimal, "),
        ("generate puzzles --clues 5", "at least 17"),
        ("generate puzzles --clues few", "expected a number or a range"),
        ("generate puzzles --clues 30-20", "clues for a 9x9: 30 to 20"),
        ("generate puzzles --pattern 1.1", "3 cells"),
        ("generate grids --clues 30", "only for sparse, puzzles and minimal"),
        ("generate grids --side 7", "side 7"),
        ("generate grids --side 9 --box 3x3", "cannot be used with"),
        ("generate minimal --steps 5", "--keep-hardest"),
        ("generate minimal --fields nope", "possible values: index, puzzle"),
        ("generate minimal --engine best-grid", "best-grid"),
        ("generate minimal --skip 18446744073709551615", "largest record number"),
    ];
    for (words, said) in cases {
        let error = quadrille(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
    let error = quadrille("generate minimal --clues 40 --attempts 20").fails(1);
    assert!(error.contains("none of 20 attempts"), "{error}");
}

/// Returns the `puzzle` form of each line.
///
/// Two puzzles of one class have the same form, whichever form the run compared.
fn forms(lines: &str) -> Vec<String> {
    let forms = quadrille("canon --form puzzle --fields canon").stdin(lines).prints();
    forms.lines().map(str::to_owned).collect()
}

#[test]
fn distinct_records_are_the_first_of_their_class() {
    // `wanted` distinct records are asked for. The first `all` records with repeats contain at least as many
    // classes.
    for (words, wanted, all) in [
        ("grids --side 4", 2, 100),
        ("puzzles --side 4", 40, 400),
        ("minimal --side 4 --seed 3", 25, 400),
        ("multiple --side 4", 30, 400),
        ("altered --side 4", 30, 400),
        ("sparse --side 4 --clues 1-4", 20, 2000),
        ("puzzles --side 4 --clues 5-7 --skip 40", 30, 1000),
        ("grids --side 6", 20, 200),
        ("sparse --side 6 --clues 3", 15, 1000),
        ("sparse --clues 2", 6, 1000),
        ("minimal", 60, 60),
        ("minimal --keep-hardest 30 --steps 3 --side 4", 12, 12),
    ] {
        let distinct = |threads: &str| {
            quadrille("generate --distinct --attempts 20000")
                .args(threads)
                .args(words)
                .args(&format!("-n {wanted}"))
        };
        let one = distinct("-j1").prints();
        assert_eq!(one, distinct("-j3").prints(), "{words}");
        let of_one = forms(&one);
        assert_eq!((of_one.len(), of_one.iter().collect::<HashSet<_>>().len()), (wanted, wanted), "{words}");
        if words.contains("--keep-hardest") {
            continue;
        }
        let whole = quadrille("generate").args(words).args(&format!("-n {all}")).prints();
        let mut classes = HashSet::new();
        let firsts =
            whole.lines().zip(forms(&whole)).filter_map(|(line, form)| classes.insert(form).then_some(line));
        let firsts: String = firsts.take(wanted).map(|line| format!("{line}\n")).collect();
        assert_eq!(one, firsts, "{words}");
    }
}

#[test]
fn the_index_shows_which_records_were_left_out() {
    let lines = quadrille("generate grids --side 4 --distinct -n 2 --fields index,puzzle").prints();
    let (first, second) = lines.trim_end().split_once('\n').expect("two lines");
    let index: u64 = second.split('\t').next().and_then(|index| index.parse().ok()).expect("a number");
    assert!(first.starts_with("1\t") && index > 1, "{lines}");
    let same = quadrille("generate grids --side 4 --fields index,puzzle --skip").arg((index - 1).to_string());
    assert_eq!(same.prints(), format!("{second}\n"));
}

#[test]
fn distinct_records_end_if_there_are_no_more() {
    // There are 36 classes of minimal 4x4 puzzles, with 4, 5 and 6 clues.
    for (words, there_are) in
        [("grids", 2), ("minimal", 36), ("sparse --clues 0", 1), ("sparse --clues 1", 1)]
    {
        let run = |threads: &str| {
            quadrille("generate --distinct --side 4 --attempts 3000 -n 50")
                .args(threads)
                .args(words)
                .ends_with(1)
        };
        let ended = run("-j1");
        assert_eq!(ended.out.lines().count(), there_are, "{words}: {}", ended.out);
        let said =
            format!("{there_are} of 50 distinct records: each of the next 3000 is like an earlier one");
        assert!(ended.err.contains(&said), "{words}: {}", ended.err);
        let other = run("-j3");
        assert_eq!((other.out, other.err), (ended.out, ended.err), "{words}");
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("grids.txt");
    let words = "generate grids --side 4 --distinct -n 3 --attempts 100 -o";
    let ended = quadrille(words).arg(&file).ends_with(1);
    assert!(
        ended.err.contains("2 of 3 distinct") && ended.err.contains("grids.txt.partial"),
        "{}",
        ended.err
    );
    let partial = std::fs::read_to_string(directory.path().join("grids.txt.partial")).expect("it stays");
    assert!(!file.exists() && partial.lines().count() == 2, "{partial}");
    // The hardest puzzles are not known before the end, so a failed run prints none.
    let error =
        quadrille("generate minimal --side 4 --distinct --keep-hardest 5 --steps 1 -n 60 --attempts 300")
            .fails(1);
    assert!(error.contains("of 60 distinct records"), "{error}");
    // No record follows the last number.
    let last = "generate grids --side 4 --distinct -n 3 --skip 18446744073709551612";
    assert!(
        quadrille(last).ends_with(1).err.contains("of 3 distinct records: there are no more record numbers")
    );
}

#[test]
fn distinct_records_are_refused_if_grids_have_no_form() {
    for words in ["grids --side 8", "minimal --side 16", "puzzles --box 3x2", "puzzles --box 2x4"] {
        let error = quadrille("generate --distinct").args(words).fails(2);
        assert!(error.contains("9x9, 4x4 and (with boxes of 2x3) 6x6"), "{words}: {error}");
    }
    assert!(quadrille("generate queens 8 --distinct").fails(2).contains("--distinct is only for puzzles"));
}

#[test]
fn weights_are_drawn_by_the_seed_as_best_reads_them() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let make = |name: &str, words: &str| {
        let file = directory.path().join(name);
        let lines = quadrille("generate").args(words).args("--weights-out").arg(&file).prints();
        (lines, std::fs::read_to_string(&file).expect("weights"), file)
    };
    let (lines, weights, file) = make("a", "sparse --side 6 --clues 4 -n 3 --seed 5 --weights -9..9");
    assert_eq!(lines, quadrille("generate sparse --side 6 --clues 4 -n 3 --seed 5").prints());
    assert!(lines.lines().count() == 3 && lines.lines().all(|line| line.matches('.').count() == 32));
    assert_eq!(weights.lines().count(), 6);
    let numbers: Vec<i64> = weights.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert!(numbers.len() == 36 && numbers.iter().all(|number| (-9..=9).contains(number)));
    let (_, same, _) = make("b", "grids --side 6 --seed 5 --weights -9..9");
    let (_, other, _) = make("c", "grids --side 6 --seed 6 --weights -9..9");
    assert!(same == weights && other != weights);
    let best = |words: &str| {
        quadrille("best --fields status,score --weights")
            .arg(&file)
            .args(words)
            .stdin(lines.as_str())
            .prints()
    };
    let (most, least) = (best(""), best("--minimize"));
    assert!(most.lines().chain(least.lines()).all(|line| line.starts_with("optimal\t")), "{most}{least}");
    assert_ne!(most, least);
    quadrille("generate grids --weights 1..2").fails(2);
    let error = quadrille("generate grids --weights 2..1 --weights-out").arg(&file).fails(2);
    assert!(error.contains("--weights") && error.contains("expected a range"), "{error}");
    quadrille("generate queens 5 --weights 1..2 --weights-out").arg(&file).fails(2);
}

#[test]
fn costs_are_drawn_by_the_seed() {
    let make = |words: &str| quadrille("generate assignment 3 --costs").args(words).prints();
    let some = make("-5..5 --seed 3");
    assert!(some.starts_with("| assignment 3 --costs -5..5 --seed 3\n"), "{some}");
    assert_eq!(some, make("-5..5 --seed 3"));
    assert_ne!(some, make("-5..5 --seed 4").replace("seed 4", "seed 3"));
    let costs = |text: &str| -> Vec<i64> {
        text.lines().filter_map(|line| line.split_once(" |")?.1.parse().ok()).collect()
    };
    assert!(costs(&some).iter().all(|cost| (-5..=5).contains(cost)));
    assert_eq!(costs(&make("7..7")), [7; 9]);
    assert_eq!(quadrille("best --fields score").stdin(make("7..7")).prints(), "21\n");
    for wrong in ["5..1", "1..", "x..2", "0..9999999999"] {
        assert!(quadrille("generate soma --costs").args(wrong).fails(2).contains("expected a range"));
    }
    assert!(quadrille("generate minimal --costs 1..2").fails(2).contains("--costs"));
}

#[test]
fn classic_problems_are_written_in_knuths_format() {
    let text = quadrille("generate langford 3").prints();
    assert!(text.starts_with("| langford 3\n1 2 3 s0 s1 s2 s3 s4 s5\n1 s0 s2\n"), "{text}");
    assert_eq!(quadrille("count").stdin(text).prints(), "2\n");
    let domination = quadrille("generate domination 4 2").prints();
    assert_eq!(quadrille("count").stdin(domination).prints(), "12\n");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("queens.dlx");
    assert_eq!(quadrille("generate queens 6 -o").arg(&file).prints(), "");
    assert_eq!(quadrille("count").arg(&file).prints(), "4\n");
    for (line, reason) in [
        ("generate queens", "queens takes N: a parameter is missing"),
        ("generate queens 8 --count 2", "--count is only for puzzles"),
        ("generate queens 3 --skip 5", "--skip is only for puzzles"),
        ("generate queens 3 --fields index,puzzle", "--fields is only for puzzles"),
        ("generate queens 3 --attempts 7", "--attempts is only for puzzles"),
        ("generate queens 3 --engine dlx", "--engine is only for puzzles"),
        ("generate queens 3 --isa portable", "--isa is only for puzzles"),
        ("generate minimal 8", "no parameters such as 8"),
        ("generate nonsense", "invalid value 'nonsense' for '<KIND>'"),
    ] {
        let error = quadrille(line).fails(2);
        assert!(error.contains(reason), "{error}");
    }
}

/// Files of `data/` made by `generate`: name, arguments, and the status of their puzzles.
const FILES: [(&str, &str, &str); 2] = [
    ("minimal-5000.txt", "minimal --seed 1", "unique"),
    ("multiple-3000.txt", "multiple --seed 2", "multiple"),
];

#[test]
fn sample_corpora_are_the_output_of_their_commands() {
    for (name, words, status) in FILES {
        let corpus = data(name);
        let made = quadrille("generate -n 200").args(words).prints();
        assert!(corpus.starts_with(&made), "{name}");
        let answers = quadrille("check --minimal --engine bitmask").stdin(corpus.as_str()).prints();
        assert!(answers.lines().all(|answer| answer == status), "{name}");
        assert_eq!(answers.lines().count(), corpus.lines().count());
    }
}

#[test]
fn the_hard_sample_is_hard() {
    let corpus = data("hard-300.txt");
    let answers = quadrille("check --minimal --engine bitmask").stdin(corpus.as_str()).prints();
    assert_eq!(answers, "unique\n".repeat(300));
    let guesses = quadrille("solve --unique --engine lanes --fields guesses").stdin(corpus).prints();
    let guesses: Vec<u64> = guesses.lines().map(|line| line.parse().expect("a number")).collect();
    assert!(guesses.is_sorted_by_key(|&guesses| std::cmp::Reverse(guesses)));
}

#[test]
fn the_deadline_is_kept_while_a_large_grid_is_filled() {
    let begin = std::time::Instant::now();
    let ended = quadrille("generate minimal --side 25 -n 3 -j1 --deadline 500ms").ends();
    assert!(ended.err.contains("stopped (deadline) after"), "{}", ended.err);
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}

#[test]
fn a_run_that_is_stopped_in_its_first_attempt_counts_none() {
    // No puzzle drawn here is rated that high.
    let run = quadrille("generate minimal --rating 9.3..9.4 --deadline 300ms");
    let ended = run.ends();
    assert_eq!((ended.code, ended.out.as_str()), (Some(4), ""), "{}", ended.err);
    let said = "quadrille: no attempt made a puzzle with a rating from 9.3 to 9.4\n\
                quadrille: stopped (deadline) after 0 records\n";
    assert_eq!(ended.err, said);
}

#[test]
fn puzzles_are_made_for_a_technique() {
    let ended =
        quadrille("generate puzzles --count 3 --seed 5 --needs naked-single --without claiming").ends_with(0);
    assert!(
        ended.err.contains(
            "attempts made a puzzle with a rating from 1.0 to 2.3 --needs naked-single --without claiming"
        ),
        "{}",
        ended.err
    );
    let rated = quadrille("rate --fields rating --needs naked-single --rating 2.3").stdin(ended.out).prints();
    assert_eq!(rated, "2.3\n2.3\n2.3\n");
}

#[test]
fn every_field_is_filled_or_refused() {
    for words in ["puzzles -n 3", "minimal -n 3 --seed 4", "minimal -n 2 --keep-hardest 2 --steps 3"] {
        let rows =
            quadrille("generate --fields index,puzzle,solution,clues,guesses,rating").args(words).prints();
        for row in rows.lines() {
            let fields: Vec<&str> = row.split('\t').collect();
            assert!(fields.len() == 6 && fields.iter().all(|field| !field.is_empty()), "{words}: {row}");
            let rated = quadrille("rate").stdin(format!("{}\n", fields[1])).prints();
            assert_eq!(rated.trim(), fields[5], "{words}: {row}");
        }
    }
    for (words, said) in [
        ("multiple --fields rating", "a rating is only for puzzles, minimal and neighbours of side 9"),
        ("minimal --side 6 --fields rating", "of side 9"),
        (
            "grids --fields guesses",
            "guesses are counted only for puzzles and minimal (use `rate --scale guesses`)",
        ),
        ("altered --fields solution", "altered puzzles may have none"),
    ] {
        let error = quadrille("generate").args(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
}

/// Returns the image of a row and a column; the third argument is the last index.
type Image = fn(usize, usize, usize) -> (usize, usize);

/// Returns true if each cell with a clue has a clue in the cell that `image` returns.
fn is_symmetric(puzzle: &str, side: usize, image: Image) -> bool {
    let cells = puzzle.as_bytes();
    (0..cells.len()).all(|cell| {
        let (row, column) = image(cell / side, cell % side, side - 1);
        (cells[cell] == b'.') == (cells[row * side + column] == b'.')
    })
}

#[test]
fn clues_are_symmetric_if_asked_for() {
    let cases: [(&str, &[Image]); 7] = [
        ("rotational", &[|row, column, last| (last - row, last - column)]),
        ("quarter", &[|row, column, last| (column, last - row)]),
        ("mirror", &[|row, column, last| (row, last - column)]),
        ("upside-down", &[|row, column, last| (last - row, column)]),
        ("diagonal", &[|row, column, _| (column, row)]),
        ("antidiagonal", &[|row, column, last| (last - column, last - row)]),
        ("full", &[|row, column, last| (column, last - row), |row, column, _| (column, row)]),
    ];
    for (name, images) in cases {
        for words in ["puzzles -n 3", "minimal", "puzzles -n 2 --side 6", "puzzles --clues 26-31"] {
            let made =
                |threads: &str| quadrille("generate").args(words).args(threads).args("--symmetry").arg(name);
            let puzzles = made("-j1").prints();
            assert_eq!(puzzles, made("-j2").prints(), "{name} {words}");
            let side = if words.contains("--side 6") { 6 } else { 9 };
            for puzzle in puzzles.lines() {
                assert!(
                    images.iter().all(|image| is_symmetric(puzzle, side, *image)),
                    "{name} {words}: {puzzle}"
                );
                let clues = puzzle.bytes().filter(|byte| *byte != b'.').count();
                assert!(!words.contains("--clues") || (26..=31).contains(&clues), "{name}: {puzzle}");
            }
            let minimal = if words.contains("minimal") { "--minimal" } else { "" };
            let checked = quadrille("check").args(minimal).stdin(puzzles).prints();
            assert!(checked.lines().all(|line| line == "unique"), "{name} {words}: {checked}");
        }
    }
    for (words, said) in [
        ("puzzles --symmetry full --clues 30", "no symmetry of this kind has 30 clues in a 9x9"),
        ("grids --symmetry mirror", "a symmetry is only for puzzles and minimal"),
        ("minimal --symmetry turn", "[possible values: rotational, quarter, mirror"),
        ("queens --symmetry mirror 8", "--symmetry is only for puzzles"),
    ] {
        let error = quadrille("generate").args(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
}

#[test]
fn words_for_difficulty_are_ranges_of_ratings() {
    for (word, least, most) in
        [("easy", 1.0, 2.3), ("medium", 2.4, 3.9), ("hard", 4.0, 6.2), ("expert", 6.3, 12.0)]
    {
        let mut run =
            quadrille("generate puzzles -n 3 -q --fields rating,puzzle --symmetry rotational --difficulty");
        run = run.arg(word);
        for row in run.prints().lines() {
            let rating: f64 =
                row.split('\t').next().and_then(|rating| rating.parse().ok()).expect("a number");
            assert!((least..=most).contains(&rating), "{word}: {row}");
        }
    }
    let help = quadrille("generate --help").prints().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("easy (1.0..2.3), medium (2.4..3.9), hard (4.0..6.2), expert (from 6.5)"),
        "{help}"
    );
    assert!(
        quadrille("generate minimal --difficulty easy --rating 3..4")
            .fails(2)
            .contains("cannot be used with")
    );
}

#[test]
fn the_hardest_puzzles_of_a_pattern_keep_it() {
    let pattern = "xx.x.x.xxx.x...x.x.x.....x.x..x.x..x.........x..x.x..x.x.....x.x.x...x.xxx.x.x.xx";
    let made = |steps: &str| {
        let words = "generate puzzles -n 3 --keep-hardest 2 -q --fields guesses,puzzle --steps";
        quadrille(words).arg(steps).arg("--pattern").arg(pattern).prints()
    };
    let guesses = |rows: &str| -> Vec<u64> {
        rows.lines()
            .map(|row| row.split('\t').next().and_then(|text| text.parse().ok()).expect("a number"))
            .collect()
    };
    let (start, climbed) = (made("0"), made("40"));
    for row in climbed.lines() {
        let puzzle = row.split('\t').nth(1).expect("two columns");
        assert!(puzzle.chars().zip(pattern.chars()).all(|(a, b)| (a == '.') == (b == '.')), "{row}");
    }
    assert!(guesses(&climbed).is_sorted_by(|a, b| a >= b));
    let sum = |rows: &str| guesses(rows).iter().sum::<u64>();
    assert!(sum(&climbed) > sum(&start), "{start}{climbed}");
    let symmetric =
        quadrille("generate minimal --keep-hardest 1 --steps 20 --symmetry rotational -q").prints();
    assert!(
        is_symmetric(symmetric.trim(), 9, |row, column, last| (last - row, last - column)),
        "{symmetric}"
    );
    assert_eq!(quadrille("check --minimal").stdin(symmetric).prints(), "unique\n");
}

#[test]
fn a_number_in_place_of_an_option_leads_to_the_option() {
    let error = quadrille("generate puzzles 2000000").fails(2);
    assert!(error.contains("--count 2000000"), "{error}");
}

#[test]
fn a_range_of_clues_may_be_open() {
    for (clues, fits) in
        [("..24", 0..=24), ("25..", 25..=81), ("24-25", 24..=25), ("24..25", 24..=25), ("24", 24..=24)]
    {
        let puzzles = quadrille("generate minimal -n 20 --clues").arg(clues).prints();
        let count = |puzzle: &str| puzzle.bytes().filter(|cell| *cell != b'.').count();
        assert!(puzzles.lines().all(|puzzle| fits.contains(&count(puzzle))), "{clues}: {puzzles}");
    }
}
