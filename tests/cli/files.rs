//! No file is lost: which run may write to or over a file, and what remains after a failed run.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{POJ, POJ_SOLVED, quadrille, wait_for};

/// Creates a directory with a file `r` of one puzzle; also returns a function from names to paths in it.
fn with_records() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_owned();
    fs::write(path.join("r"), POJ).expect("written");
    (directory, move |name| path.join(name))
}

/// Runs the program in a directory, with standard input from one of its files.
fn in_directory(directory: &Path, words: &str, input: Option<&str>) -> (Option<i32>, String) {
    let mut command = quadrille(words).command;
    command.current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::piped());
    match input {
        Some(name) => command.stdin(File::open(directory.join(name)).expect("it is there")),
        None => command.stdin(Stdio::null()),
    };
    let output = command.output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Feeds one record and waits for its row.
///
/// The partial file exists a little before it is locked; with a row in it, it is locked.
fn writes_first(run: &mut Child, partial: &Path) {
    writeln!(run.stdin.as_ref().expect("it is piped"), "{POJ}").expect("the program reads");
    wait_for("rows", || fs::metadata(partial).is_ok_and(|about| about.len() > 0));
}

#[test]
fn every_writer_holds_a_lock() {
    let (_directory, at) = with_records();
    let out = at("out");
    let held = [
        ("solve -o", "solve r -o out"),
        ("generate puzzles -n 100000000 --progress never -o", "generate puzzles -o out"),
        ("solve -o", "encode r -o out"),
        ("solve -o", "count r -o out2 --stats-out out"),
        ("solve -o", "count r -o out2 --rejects out"),
    ];
    for (first, second) in held {
        let mut run = quadrille(first).arg(&out);
        let mut child = run.starts();
        let partial = at("out.partial");
        writes_first(&mut child, &partial);
        let (code, said) = in_directory(&at("."), second, None);
        assert_eq!(code, Some(2), "{second}: {said}");
        #[cfg(target_os = "linux")]
        assert!(said.contains(&format!("process {}", child.id())), "{second}: {said}");
        assert!(!at("out").exists() && !at("out2").exists(), "{second}");
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        fs::remove_file(partial).expect("it was left");
    }
}

#[test]
fn a_second_run_does_not_touch_files_of_the_first() {
    let (_directory, at) = with_records();
    let mut run = quadrille("solve -o").arg(at("out"));
    let mut first = run.starts();
    writes_first(&mut first, &at("out.partial"));
    for _ in 0..5 {
        let (code, said) = in_directory(&at("."), "solve r -o out --discard-partial", None);
        assert!(code == Some(2) && said.contains(" is writing "), "{said}");
    }
    drop(first.stdin.take());
    assert!(first.wait_with_output().expect("it ends").status.success());
    assert_eq!(fs::read_to_string(at("out")).expect("complete"), format!("{POJ_SOLVED}\n"));
}

#[test]
fn an_output_must_not_be_an_input_or_another_output() {
    let (_directory, at) = with_records();
    fs::write(at("w"), "1 ".repeat(81)).expect("written");
    fs::write(at("jig"), "aabb".repeat(2) + &"ccdd".repeat(2)).expect("written");
    fs::write(at("h"), "aaaabbbbccccdddd").expect("written");
    fs::write(at("one.dlx"), "a b\na\nb\na b\n").expect("written");
    fs::write(at("r.partial"), POJ).expect("written");
    let at_once = |words: &str| in_directory(&at("."), words, None);
    assert_eq!(at_once("split-problem one.dlx -o cu").0, Some(0));
    assert_eq!(at_once("count one.dlx --cubes cu -o an").0, Some(0));
    assert_eq!(at_once("bench r --rounds 1 -o b.json").0, Some(0));
    assert_eq!(at_once("solve r -o x --stats-out s.json").0, Some(0));
    fs::remove_file(at("x")).expect("there");
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("r"), at("link")).expect("made");
    #[cfg(unix)]
    fs::hard_link(at("r"), at("second")).expect("made");
    let before = files_in(&at("."));
    let cases = [
        ("solve r -o r", None),
        ("solve r -o x --stats-out r", None),
        ("solve r -o x --rejects r", None),
        ("solve r -o x --checkpoint r", None),
        ("solve r --stats-out x -o ./x", None),
        ("solve r -o x --rejects x", None),
        ("solve r --rejects x --stats-out x", None),
        ("solve r -o x --checkpoint x", None),
        ("solve r -o x --checkpoint x.partial", None),
        ("solve r -o x.new --checkpoint x", None),
        ("solve r.partial -o r", None),
        ("solve r -o x --stats-out x.partial", None),
        ("solve -o r", Some("r")),
        ("solve - -o r", Some("r")),
        ("count one.dlx --cubes - -o cu", Some("cu")),
        ("count one.dlx --cubes cu -o cu", None),
        ("count one.dlx --cubes cu -o one.dlx", None),
        ("best r --weights w -o w", None),
        ("best r --weights w --stats-out w", None),
        ("combine an --cubes cu --missing cu", None),
        ("combine an --cubes cu --missing an", None),
        ("split-problem one.dlx -o one.dlx", None),
        ("split-problem r --maximize --weights w -o w", None),
        ("encode r -o r", None),
        ("bench r -o r", None),
        ("bench r --compare b.json -o b.json", None),
        ("stats s.json --out s.json", None),
        ("generate puzzles --weights 1..9 --weights-out x -o x", None),
        ("generate puzzles --pattern w -o w", None),
        ("solve r --regions jig -o jig", None),
        ("convert r --to csv --regions jig --rejects jig", None),
        ("check r --houses h --stats-out h", None),
        ("dedup r --houses h -o x --outcomes-out h", None),
        ("split-problem r --regions jig -o jig", None),
        ("split-corpus r --parts a=1,b=1 --houses h -o {} --report h", None),
        ("encode r --houses h -o h", None),
        ("bench r --houses h --report h", None),
        ("generate puzzles --side 4 --regions jig -o jig", None),
        ("generate puzzles --side 4 --regions jig -o x --weights 1..9 --weights-out jig", None),
        #[cfg(unix)]
        ("solve link -o r", None),
        #[cfg(unix)]
        ("solve r -o link", None),
        #[cfg(unix)]
        ("solve second -o r", None),
    ];
    for (words, input) in cases {
        let (code, said) = in_directory(&at("."), words, input);
        assert_eq!(code, Some(2), "{words}: {said}");
        assert!(said.contains("would be overwritten"), "{words}: {said}");
        assert_eq!(files_in(&at(".")), before, "{words}");
    }
}

#[cfg(unix)]
#[test]
fn standard_output_must_not_be_an_input() {
    let (_directory, at) = with_records();
    let mut command = quadrille("solve").arg(at("r")).command;
    let out = fs::OpenOptions::new().append(true).open(at("r")).expect("it is there");
    let output = command.stdin(Stdio::null()).stdout(out).stderr(Stdio::piped()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("standard output"), "{said}");
    assert_eq!(fs::read_to_string(at("r")).expect("there"), POJ);
}

#[cfg(unix)]
#[test]
fn a_link_or_pipe_with_the_partial_name_is_refused() {
    let (_directory, at) = with_records();
    fs::write(at("target"), "kept").expect("written");
    let partial = at("out.partial");
    let solve = || in_directory(&at("."), "solve r -o out", None);

    std::os::unix::fs::symlink(at("target"), &partial).expect("made");
    let (code, said) = solve();
    assert!(code == Some(2) && said.contains("a link, which is not followed"), "{said}");
    assert_eq!(fs::read(at("target")).expect("there"), b"kept");
    fs::remove_file(&partial).expect("there");

    assert!(Command::new("mkfifo").arg(&partial).status().is_ok_and(|status| status.success()));
    let (code, said) = solve();
    assert!(code == Some(2) && said.contains("a device or a pipe"), "{said}");
    fs::remove_file(&partial).expect("there");

    fs::create_dir(&partial).expect("made");
    let (code, said) = solve();
    assert!(code == Some(2) && said.contains("a directory"), "{said}");
    fs::remove_dir(&partial).expect("there");

    fs::write(&partial, "the work of a night\n").expect("written");
    let (code, said) = solve();
    assert!(code == Some(2) && said.contains("--discard-partial") && said.contains("20 bytes"), "{said}");
    assert_eq!(fs::read(&partial).expect("there"), b"the work of a night\n");
    assert!(!at("out").exists());
    let (code, said) = in_directory(&at("."), "solve r -o out --discard-partial", None);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(fs::read_to_string(at("out")).expect("complete"), format!("{POJ_SOLVED}\n"));
    assert!(!partial.exists());
}

#[cfg(unix)]
#[test]
fn a_replaced_partial_file_is_not_renamed() {
    let (_directory, at) = with_records();
    fs::write(at("out"), "old\n").expect("written");
    let mut run = quadrille("solve -o").arg(at("out"));
    let mut child = run.starts();
    let partial = at("out.partial");
    writes_first(&mut child, &partial);
    fs::remove_file(&partial).expect("there");
    fs::write(&partial, "another's\n").expect("written");
    drop(child.stdin.take());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("is left alone"), "{said}");
    assert_eq!(fs::read(at("out")).expect("there"), b"old\n");
    assert_eq!(fs::read(partial).expect("there"), b"another's\n");
}

#[test]
fn a_partial_file_of_changed_length_is_not_renamed() {
    let (_directory, at) = with_records();
    let partial = at("out.partial");
    for text in ["", "1\n", &"2\n".repeat(100_000)] {
        fs::write(at("out"), "old\n").expect("written");
        let mut run = quadrille("solve -o").arg(at("out"));
        let mut child = run.starts();
        writes_first(&mut child, &partial);
        fs::write(&partial, text).expect("written");
        drop(child.stdin.take());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("changed the file meanwhile"), "{said}");
        assert_eq!(fs::read(at("out")).expect("there"), b"old\n");
        assert_eq!(fs::read_to_string(&partial).expect("it is left"), text);
        fs::remove_file(&partial).expect("there");
    }
}

#[test]
fn an_existing_file_is_kept_if_asked_for() {
    let (_directory, at) = with_records();
    fs::write(at("out"), "old\n").expect("written");
    for words in [
        "solve r -o out --no-clobber",
        "solve r --stats-out out --no-clobber",
        "encode r -o out --no-clobber",
    ] {
        let (code, said) = in_directory(&at("."), words, None);
        assert!(code == Some(2) && said.contains("is not replaced"), "{words}: {said}");
        assert_eq!(fs::read(at("out")).expect("there"), b"old\n");
        assert!(!at("out.partial").exists(), "{words}");
    }
    assert_eq!(in_directory(&at("."), "solve r -o new --no-clobber", None).0, Some(0));
    assert_eq!(fs::read_to_string(at("new")).expect("complete"), format!("{POJ_SOLVED}\n"));
    // A file that appears during the run is kept too.
    let mut run = quadrille("solve --no-clobber -o").arg(at("late"));
    let mut child = run.starts();
    wait_for("the run", || at("late.partial").exists());
    fs::write(at("late"), "came first\n").expect("written");
    drop(child.stdin.take());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("is not replaced"), "{said}");
    assert_eq!(fs::read(at("late")).expect("there"), b"came first\n");
}

#[test]
fn a_refused_run_writes_and_discards_nothing() {
    let (_directory, at) = with_records();
    for (name, text) in [
        ("old", "old\n"),
        ("out.partial", "the work of a night\n"),
        ("kept.new", "my notes\n"),
        ("c.dlx", "a b\na b |2\n"),
    ] {
        fs::write(at(name), text).expect("written");
    }
    fs::create_dir(at("sub")).expect("made");
    #[cfg(unix)]
    fs::hard_link(at("old"), at("second.partial")).expect("made");
    let before = files_in(&at("."));
    let cases = [
        ("generate grids --side 4 --weights 1..9 --weights-out w -o sub", "is a directory"),
        ("generate grids --side 4 --weights 1..9 --weights-out w -o old --no-clobber", "not replaced"),
        ("solve r -o out --discard-partial --rejects sub", "is a directory"),
        ("solve r -o sub --discard-partial --stats-out out", "is a directory"),
        ("solve r -o out --discard-partial --rejects sub --checkpoint ck", "is a directory"),
        ("solve r -o x --checkpoint kept", "kept.new is not a checkpoint"),
        ("best --engine dlx c.dlx -o x.csv --outcomes-out x", "dlx cannot find the best"),
        #[cfg(unix)]
        ("solve r -o second --discard-partial", "has a second name"),
    ];
    for (words, expected) in cases {
        let (code, said) = in_directory(&at("."), words, None);
        assert!(code == Some(2) && said.contains(expected), "{words}: {code:?} {said}");
        assert_eq!(files_in(&at(".")), before, "{words}");
    }
    // A partly written checkpoint of a killed run does not disturb the next run.
    fs::write(at("kept.new"), "{\"quadrille_checkpoint\":1,").expect("written");
    let (code, said) = in_directory(&at("."), "solve r -o out --discard-partial --checkpoint kept", None);
    assert_eq!(code, Some(0), "{said}");
    assert!(!at("kept.new").exists() && !at("kept").exists());
    assert_eq!(fs::read_to_string(at("out")).expect("complete"), format!("{POJ_SOLVED}\n"));
}

/// Returns the names of all directory entries, with the content of files.
fn files_in(directory: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let entries = fs::read_dir(directory).expect("there").flatten();
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).ok()))
        .collect();
    all.sort();
    all
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_to_its_target() {
    let (_directory, at) = with_records();
    fs::create_dir(at("there")).expect("made");
    fs::write(at("there/file"), "old\n").expect("written");
    std::os::unix::fs::symlink(at("there/file"), at("out")).expect("made");
    std::os::unix::fs::symlink(at("nowhere/file"), at("lost")).expect("made");
    assert_eq!(in_directory(&at("."), "solve r -o out", None).0, Some(0));
    assert!(fs::symlink_metadata(at("out")).expect("there").is_symlink());
    assert_eq!(fs::read_to_string(at("there/file")).expect("complete"), format!("{POJ_SOLVED}\n"));
    let (code, said) = in_directory(&at("."), "solve r -o lost", None);
    assert!(code == Some(2) && said.contains("does not exist"), "{said}");
}

#[test]
fn a_minus_is_standard_output() {
    assert_eq!(quadrille("solve -o -").stdin(POJ).prints(), format!("{POJ_SOLVED}\n"));
    for words in
        ["solve --stats-out -", "solve --rejects -", "generate puzzles --weights 1..9 --weights-out -"]
    {
        assert!(quadrille(words).stdin(POJ).fails(2).contains("- is standard output"), "{words}");
    }
    assert!(!Path::new("-").exists());
}

#[test]
fn a_run_without_output_leaves_no_file() {
    let (_directory, at) = with_records();
    let (code, _) = in_directory(&at("."), "solve nowhere -o out --rejects bad --stats-out s --top 1", None);
    assert_eq!(code, Some(1));
    for name in ["out", "out.partial", "bad", "bad.partial", "s.partial"] {
        assert!(!at(name).exists(), "{name}");
    }
}

#[cfg(unix)]
mod of_the_system {
    use super::*;

    /// Runs a shell command in which `$Q` is the program.
    fn shell(directory: &Path, line: &str) -> (Option<i32>, String) {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).env("Q", env!("CARGO_BIN_EXE_quadrille")).current_dir(directory);
        let output = command.stdin(Stdio::null()).output().expect("there is a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    #[test]
    fn a_closed_standard_output_is_an_error() {
        let (_directory, at) = with_records();
        for verb in [
            "solve r",
            "generate puzzles",
            "encode r",
            "estimate r",
            "bench r --rounds 1",
            "--version",
            "help",
            "solve --help --all",
            "solve --rules list",
        ] {
            let (code, said) = shell(&at("."), &format!("\"$Q\" {verb} >&-"));
            assert!(
                code == Some(1) && said.contains("standard output") && said.contains("closed"),
                "{verb}: {said}"
            );
        }
        assert_eq!(shell(&at("."), "\"$Q\" solve r -o out >&-").0, Some(0));
        assert_eq!(shell(&at("."), "\"$Q\" solve r >/dev/null").0, Some(0));
        assert_eq!(shell(&at("."), "\"$Q\" solve r <>/dev/null >&0").0, Some(0));
    }

    #[test]
    fn a_file_that_grows_too_large_is_an_error() {
        let (_directory, at) = with_records();
        fs::write(at("many"), format!("{POJ}\n").repeat(5000)).expect("written");
        for line in [
            "\"$Q\" solve many -o out",
            "\"$Q\" solve many > out",
            "\"$Q\" generate puzzles -n 100000 -o made",
        ] {
            let (code, said) = shell(&at("."), &format!("ulimit -f 16; {line}"));
            assert!(code == Some(1) && said.contains("File too large"), "{line}: {code:?} {said}");
        }
        assert!(!at("made").exists());
    }
}
