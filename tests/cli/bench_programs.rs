//! `bench --program`: programs with one fault each, and the rows that report the faults.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{POJ, Run, quadrille, wait_for};

/// A puzzle with two solutions.
const TWO: &str = ".7..........81..4...59.....61..5...9..8..47...9.......4..7....1.....5...93...687.";
/// A puzzle without a solution, whose clues do not contradict each other directly.
const NONE: &str = "12345678...........................9.............................................";
/// The program of this package, for which scripts have `$Q`.
const Q: &str = env!("CARGO_BIN_EXE_quadrille");

/// Writes the corpus of these tests and returns its folder.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = format!("{TWO}\n{POJ}\n{NONE}\n{POJ}\n");
    std::fs::write(folder.path().join("four.txt"), text).expect("it can be written");
    folder
}

/// Returns a benchmark of shell scripts on the corpus.
fn bench(folder: &Path, options: &str, scripts: &[(&str, &str)]) -> Run {
    let mut run = quadrille("bench --rounds 1").args(options).arg(folder.join("four.txt"));
    for (name, script) in scripts {
        let path = folder.join(format!("{name}.sh"));
        std::fs::write(&path, script.replace("$Q", Q)).expect("it can be written");
        let file = if script.contains("\"$1\"") { " {}" } else { "" };
        run = run.arg("--program").arg(format!("{name}=sh {}{file}", path.display()));
    }
    run
}

/// Returns the first line of a table or a remark that begins with a name.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let is_of =
        |line: &&str| line.split_whitespace().next().is_some_and(|word| word.trim_end_matches(':') == name);
    text.lines().find(is_of).unwrap_or_else(|| panic!("no line of {name}: {text}"))
}

#[test]
fn every_wrong_program_has_a_row_that_says_what_is_wrong() {
    let folder = folder();
    let right = [
        ("plain", "$Q solve -q"),
        ("crlf", "$Q solve -q | awk '{printf \"%s\\r\\n\", $0}'"),
        ("text", "echo hello 1 2 3; $Q solve -q | sed 's/^/solution: /; s/$/ (3 ms)/'; echo bye"),
        ("file", "$Q solve -q \"$1\""),
        ("drawn", "$Q solve -q --to grid"),
        (
            "last-solution",
            "$Q solve -q --all --to csv --no-header --fields index,solution | \
             awk -F, '{last[$1]=$2} END {for (i=1; i<=4; i++) print last[i]}'",
        ),
    ];
    let wrong = [
        ("early", "$Q solve -q | head -1", "no answer to record 2 ("),
        ("missing", "$Q solve -q | sed 2d", "no answer to record "),
        ("twice", "$Q solve -q | sed 2p", "surplus answer after record 2 ("),
        ("cell", "$Q solve -q | sed '2s/^\\(.\\)\\(.\\)/\\2\\1/'", "wrong answer to record 2 ("),
        (
            "made-up",
            "$Q solve -q \"$1\" | paste -d' ' - \"$1\" | \
             awk '{if ($1 !~ /^[1-9]+$/) {$1 = $NF; gsub(/\\./, \"1\", $1)} print $1}'",
            ": it has no solution",
        ),
        (
            "crash",
            "$Q solve -q | head -1; echo oh dear >&2; kill -SEGV $$",
            "killed by signal 11; no answer to record 2 (",
        ),
        ("status", "$Q solve -q; exit 3", "exit status 3"),
        ("forks", "(sleep 1; $Q solve -q) & exit 0", "no answer to record 1 ("),
        ("endless", "yes 123456789", "more than 16 MiB of output"),
        ("deaf", "exit 0", "read 0 of 246 bytes"),
        (
            "clock",
            "$Q solve -q; echo engine_ns 99999999999999 >&2",
            "engine_ns 99999999999999 is above the time",
        ),
    ];
    let scripts: Vec<(&str, &str)> =
        right.into_iter().chain(wrong.iter().map(|(name, script, _)| (*name, *script))).collect();
    let text = bench(folder.path(), "--protocol lines", &scripts)
        .arg("--program=gone=/no/such/program")
        .arg("--program=self")
        .prints();
    for (name, _) in right.iter().chain(&[("self", "")]) {
        assert!(!line(&text, name).contains("failed"), "{text}");
    }
    for (name, _, said) in wrong {
        let line = line(&text, name);
        assert!(line.contains("failed: ") && line.contains(said), "{name}: {text}");
    }
    assert!(line(&text, "crash").ends_with("it said: oh dear."), "{text}");
    assert!(line(&text, "gone").contains("failed: cannot run /no/such/program: "), "{text}");
}

#[test]
fn a_program_that_does_not_end_is_killed_with_its_children() {
    let folder = folder();
    let scripts = [
        ("late", "$Q solve -q; sleep 1000"),
        ("ignores-end", "cat > /dev/null; while :; do read line || sleep 1000; done"),
        ("child", "sleep 1000 & wait"),
    ];
    let text = bench(folder.path(), "--protocol lines --program-limit 500ms", &scripts).ends_with(1).out;
    for (name, _) in scripts {
        assert!(line(&text, name).contains("failed: still running after 500ms (--program-limit)"), "{text}");
    }
}

#[test]
fn a_race_without_a_right_program_ends_with_status_1() {
    let folder = folder();
    let results = folder.path().join("results.json");
    let wrong = [("early", "$Q solve -q | head -1"), ("status", "$Q solve -q; exit 3")];
    for options in ["--protocol lines", "--engine bitmask --protocol lines"] {
        let ended = bench(folder.path(), options, &wrong).arg("-o").arg(&results).ends_with(1);
        assert_eq!(ended.err, "quadrille: every program failed; the results have the reasons\n");
        assert!(line(&ended.out, "status").contains("failed: exit status 3"), "{}", ended.out);
        assert!(std::fs::read_to_string(&results).expect("it was written").contains("exit status 3"));
    }
    // One right answer is enough if only one solution is asked for.
    let one = folder.path().join("one.txt");
    std::fs::write(&one, format!("{POJ}\n")).expect("it can be written");
    let text = bench(folder.path(), "--per-file --protocol lines", &wrong).arg(&one).prints();
    assert!(text.contains("early failed: no answer to record 2 ("), "{text}");
}

#[test]
fn the_temporary_folder_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let temporary = folder.path().join(std::ffi::OsStr::from_bytes(b"tempor\xe4r {} x"));
    // Some file systems do not allow such names.
    if std::fs::create_dir(&temporary).is_err() {
        return;
    }
    let scripts = [("file", "$Q solve -q \"$1\""), ("stream", "$Q solve -q")];
    let mut run = bench(folder.path(), "--protocol lines", &scripts).arg("--program=self");
    run.command.env("TMPDIR", &temporary);
    let text = run.prints();
    for name in ["file", "stream", "self"] {
        assert!(!line(&text, name).contains("failed"), "{text}");
    }
}

#[test]
fn any_limit_and_any_name_may_be_given() {
    let folder = folder();
    let text = bench(folder.path(), "--program-limit 1e19", &[("one", "$Q solve -q")])
        .arg("--program=a\u{1b}[31m\nb=/no/such\u{1b}[31m")
        .prints();
    assert!(!line(&text, "one").contains("failed"), "{text}");
    assert!(text.contains("a\\u{1b}[31m\\nb"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn protocols_are_tried_or_named() {
    let folder = folder();
    let contest = "read n; while read row; do rows=\"$rows$row\"; done; echo \"$rows\" | fold -w 81 | $Q solve -q --to grid";
    let scripts = [
        ("lines", "$Q solve -q"),
        ("contest", contest),
        ("counts", "$Q count -q --limit 2"),
        ("each", "echo $1 | $Q solve -q"),
    ];
    let mut run = quadrille("bench --rounds 3 --json").arg(folder.path().join("four.txt"));
    for (name, script) in scripts {
        let path = folder.path().join(format!("{name}.sh"));
        std::fs::write(&path, script.replace("$Q", Q)).expect("it can be written");
        let argument = if name == "each" { " {puzzle}" } else { "" };
        run = run.arg("--program").arg(format!("{name}=sh '{}'{argument}", path.display()));
    }
    let report: serde_json::Value = serde_json::from_str(&run.prints()).expect("JSON");
    let rows = report["classes"][0]["rows"].as_array().expect("rows");
    let seen: Vec<_> = rows.iter().map(|row| (&row["engine"], &row["program"]["protocol"])).collect();
    let protocols = ["lines", "contest", "counts", "lines"];
    for ((row, (name, _)), protocol) in seen.iter().zip(scripts).zip(protocols) {
        assert_eq!(*row, (&name.into(), &protocol.into()), "{report}");
    }
    for row in rows {
        let program = &row["program"];
        assert_eq!(program["start_us"].is_null(), row["engine"] == "each", "{row}");
        assert!(
            program["processor_us_each"].as_f64() > Some(0.0) && row["ratio_interval"].is_array(),
            "{row}"
        );
    }
    let covers = quadrille("bench --rounds 1 --count data/cover/queens8.dlx data/cover/toy.dlx")
        .args("--program self --engine dlx --baseline self")
        .arg("--program=knuth=sh -c 'echo Altogether 91 solutions, 17 mems >&2'")
        .prints();
    assert!(line(&covers, "knuth").contains("wrong answer to record "), "{covers}");
    assert!(covers.contains("speed relative to self"), "{covers}");
}

#[test]
fn contenders_are_asked_the_same_or_marked() {
    let folder = folder();
    let asked = |options: &str, programs: &[&str]| {
        let mut run =
            quadrille("bench --rounds 1 --to csv").args(options).arg(folder.path().join("four.txt"));
        for program in programs {
            run = run.arg(format!("--program={}", program.replace("$Q", Q)));
        }
        let text = run.prints();
        let cell = |line: &str| line.split(',').nth(7).expect("a column").to_owned();
        text.lines().skip(1).map(cell).collect::<Vec<_>>()
    };
    assert_eq!(asked("--engine dlx", &["self", "one=$Q solve -q"]), ["unique", "unique", ""]);
    assert_eq!(asked("--engine dlx --limit 1", &["self", "one[first]=$Q solve -q"]), ["first solution"; 3]);
    assert_eq!(asked("--protocol counts", &["self", "one=$Q count --limit 2 -q"]), ["unique"; 2]);
    assert_eq!(asked("--protocol counts --count", &["self", "one=$Q count -q"]), ["all solutions"; 2]);
    let mixed = [("one[first]", "$Q solve -q"), ("two[unique]", "$Q solve -q --unique")];
    let text = bench(folder.path(), "", &mixed).prints();
    assert!(text.contains("Not like for like: first solution (one); unique (two). "), "{text}");
    let text = bench(folder.path(), "--program=self", &mixed[1..]).prints();
    assert!(!text.contains("Not like for like"), "{text}");
    let error = quadrille("bench --limit 3 --program self data/random-1000.txt").fails(2);
    assert!(error.contains("--program self finds up to 2 solutions: add --count to ask for more"), "{error}");
}

#[test]
fn programs_report_their_own_time_and_texts_are_compared() {
    let folder = folder();
    let scripts = [("adapter", "$Q solve -q; echo engine_ns 4000000 >&2")];
    let text = bench(folder.path(), "", &scripts).prints();
    let own = text.lines().find(|line| line.contains("adapter (own clock)")).expect("a second row");
    assert!(own.contains("1.00 ms"), "4 ms for 4 records: {text}");
    let baseline = bench(folder.path(), "", &scripts).arg("--baseline=adapter (own clock)").prints();
    assert!(baseline.contains("speed relative to adapter (own clock)"), "{baseline}");
    let scripts = [("one", "sort"), ("two", "cat | sort"), ("three", "cat")];
    let text = bench(folder.path(), "--protocol same", &scripts).prints();
    assert!(!line(&text, "two").contains("failed"), "{text}");
    assert!(line(&text, "three").contains("differs from that of one"), "{text}");
}

#[test]
fn corpora_are_columns_of_one_table() {
    let text = quadrille(
        "bench --rounds auto --time 20ms --every 40 --engine bitmask,dlx --per-file --baseline dlx",
    )
    .args("data/random-1000.txt data/minimal-5000.txt")
    .prints();
    assert!(text.contains("data/random-1000.txt: 9x9 grids: 25"), "{text}");
    let overview = line(&text, "dlx").split_whitespace().filter(|word| *word == "1.00");
    assert_eq!(overview.count(), 2, "{text}");
    let page = quadrille(
        "bench --rounds 1 --every 40 --per-file --report - data/random-1000.txt data/minimal-5000.txt",
    )
    .args("--program self --program=bad=true")
    .prints();
    assert!(page.contains("bad failed: no answer to record 1 ("), "{page}");
}

#[test]
fn a_signal_ends_the_program_too() {
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let folder = folder();
        let temporary = folder.path().join("temporary");
        std::fs::create_dir(&temporary).expect("it can be made");
        let pid_file = folder.path().join("pid");
        let script = format!("echo $$ > {0}.new; mv {0}.new {0}; sleep 1000", pid_file.display());
        let mut run = bench(folder.path(), "--protocol lines", &[("sleeper", &script)]);
        run.command.env("TMPDIR", &temporary);
        let mut child = run.starts();
        wait_for("the number of the program", || pid_file.exists());
        let pid = std::fs::read_to_string(&pid_file).expect("it was written");
        let is_running = || {
            let mut command = Command::new("kill");
            let status = command.args(["-0", pid.trim()]).stderr(Stdio::null()).status();
            status.is_ok_and(|status| status.success())
        };
        assert!(is_running());
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        assert_eq!(child.wait().expect("it ends").code(), code);
        wait_for("the end of the program", || !is_running());
        let left = std::fs::read_dir(&temporary).expect("there").count();
        assert_eq!(left == 0, code.is_some(), "{signal}: {left} files");
    }
}

#[test]
fn results_of_other_corpora_are_shown_side_by_side() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = ["one", "two", "three"].map(|name| folder.path().join(format!("{name}.json")));
    for (file, corpus) in files.iter().zip(["data/6x6.txt", "data/4x4.txt", "data/12x12.txt"]) {
        let run = quadrille("bench --rounds 1 -q --engine bitmask,dlx").arg(corpus).arg("-o").arg(file);
        assert!(!run.prints().is_empty());
    }
    for number in [2, 3] {
        let mut report = quadrille("report --to markdown");
        for file in &files[..number] {
            report = report.arg(file);
        }
        let page = report.prints();
        let columns = "| records per second | one: 6x6 grids | x dlx | two: 4x4 grids | x dlx |";
        let names: Vec<&str> = columns.split(" | ").filter(|name| name.contains(": ")).collect();
        assert!(names.iter().all(|name| page.contains(name)), "{page}");
        assert_eq!(page.contains("three: 12x12 grids"), number == 3, "{page}");
        assert_eq!(page.lines().filter(|line| line.starts_with("| bitmask")).count(), 1, "{page}");
    }
}

#[test]
fn programs_that_cannot_be_understood_are_usage_errors() {
    for (words, said) in [
        ("--program mine data/random-1000.txt", "neither NAME=COMMAND"),
        ("--program a=cat --program a=cat data/random-1000.txt", "two programs are named a"),
        ("--protocol lines data/random-1000.txt", "--program"),
        ("--program a=cat --baseline b data/random-1000.txt", "--baseline b: not in this benchmark"),
        ("--rounds some data/random-1000.txt", "neither auto nor a number"),
    ] {
        let error = quadrille("bench").args(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
}
