//! Runs that stop before the end of their input, and what the next run finds.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::{Ended, POJ, POJ_SOLVED, Run, data, quadrille};

/// Creates a run in a directory.
fn at(directory: &Path, words: &str) -> Run {
    let mut run = quadrille(words);
    run.command.current_dir(directory);
    run
}

/// Runs the program with these bytes on a standard input that stays open.
fn stalled(mut run: Run, bytes: &str) -> Ended {
    let mut child = run.starts();
    let mut pipe = child.stdin.take().expect("it is piped");
    // A program that stopped early may not read the bytes.
    let _ = pipe.write_all(bytes.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    drop(pipe);
    output.into()
}

#[test]
fn a_partial_corpus_is_not_compared() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("b"), POJ).expect("written");
    let ended = stalled(at(directory.path(), "overlap - b --deadline 300ms"), &data("random-1000.txt"));
    assert_eq!((ended.code, ended.out.as_str()), (Some(4), ""), "{}", ended.err);
    assert!(ended.err.contains("while reading -: nothing was compared"), "{}", ended.err);
}

#[test]
fn a_comparison_resumes_only_with_the_same_corpus() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let puzzles = data("random-1000.txt");
    fs::write(directory.path().join("a"), &puzzles).expect("written");
    let words = "overlap a - -o out --checkpoint kept --resume -q";
    // On a busy machine, a short run does not come to the second corpus and leaves no checkpoint.
    let mut runs = (0..9).map(|times| {
        let run = at(directory.path(), words).args(&format!("--deadline {}ms", 200 << times));
        let ended = stalled(run, &format!("{POJ}\n"));
        assert_eq!(ended.code, Some(4), "{}", ended.err);
        directory.path().join("kept").exists()
    });
    assert!(runs.any(|is_kept| is_kept));
    fs::write(directory.path().join("a"), format!("{POJ}\n")).expect("written");
    let said = at(directory.path(), words).stdin(format!("{POJ}\n")).fails(2);
    assert!(said.contains("belongs to another run: the input was a ("), "{said}");
    fs::write(directory.path().join("a"), &puzzles).expect("written");
    at(directory.path(), words).stdin(format!("{POJ}\n")).prints();
    assert!(fs::read_to_string(directory.path().join("out")).expect("complete").contains("\tnew"));
}

#[test]
fn a_run_stopped_before_its_first_source_writes_no_header() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let table = format!("name,puzzle,rating\nn1,{POJ},1.5\n");
    for (words, plain) in [
        ("solve --unique --to csv - -o out --checkpoint kept --resume -q", "solve --unique --to csv -"),
        ("convert --to csv - -o out --checkpoint kept --resume -q", "convert --to csv -"),
    ] {
        let ended = stalled(at(directory.path(), words).args("--deadline 300ms"), "");
        assert_eq!(ended.code, Some(4), "{}", ended.err);
        at(directory.path(), words).stdin(table.clone()).prints();
        let out = fs::read_to_string(directory.path().join("out")).expect("complete");
        assert_eq!(out, at(directory.path(), plain).stdin(table.clone()).prints(), "{words}");
    }
}

#[test]
fn a_run_stopped_at_any_time_has_no_internal_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("r"), data("random-1000.txt").repeat(20)).expect("written");
    for milliseconds in (2..60).step_by(4) {
        let words = format!("convert --to grid r -o out -q --discard-partial --deadline {milliseconds}ms");
        let ended = at(directory.path(), &words).ends();
        assert!(matches!(ended.code, Some(0 | 4)), "{milliseconds} ms: {}", ended.err);
        assert!(!ended.err.contains("internal"), "{milliseconds} ms: {}", ended.err);
    }
}

#[test]
fn a_refused_resume_keeps_the_partial_file_of_another_run() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let words = "solve - --checkpoint kept --resume -q --rejects bad -o";
    let ended = stalled(at(directory.path(), words).args("one --deadline 300ms"), "");
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    fs::write(directory.path().join("other.partial"), "hours of work\n").expect("written");
    let said = at(directory.path(), words).args("other").stdin(POJ).fails(2);
    assert!(said.contains("the output was one, now it is other"), "{said}");
    let kept = fs::read_to_string(directory.path().join("other.partial")).expect("there");
    assert_eq!(kept, "hours of work\n");
    at(directory.path(), words).args("one").stdin(POJ).prints();
    let solved = fs::read_to_string(directory.path().join("one")).expect("complete");
    assert_eq!(solved, format!("{POJ_SOLVED}\n"));
}

#[test]
fn partial_statistics_of_a_killed_run_do_not_block_the_next() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let words = "solve - -o out --checkpoint kept --resume -q --stats-out counts";
    let ended = stalled(at(directory.path(), words).args("--deadline 300ms"), "");
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    fs::write(directory.path().join("counts.partial"), "{\"half\":").expect("written");
    at(directory.path(), words).stdin(POJ).prints();
    let counts = fs::read_to_string(directory.path().join("counts")).expect("complete");
    assert!(counts.contains("\"records\"") && !directory.path().join("counts.partial").exists());
}

#[test]
fn a_refused_comparison_leaves_no_checkpoint() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("r"), POJ).expect("written");
    fs::write(directory.path().join("kept.keys"), "x").expect("written");
    let said = at(directory.path(), "dedup r -o out --checkpoint kept").fails(2);
    assert!(said.contains("is not the journal of a checkpoint"), "{said}");
    fs::remove_file(directory.path().join("kept.keys")).expect("it is kept");
    at(directory.path(), "dedup r -o out --checkpoint kept -q").prints();
}

#[cfg(target_os = "linux")]
mod of_linux {
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use super::super::limits::signal;
    use super::super::wait_for;
    use super::*;

    fn shell(directory: &Path, line: &str) -> Ended {
        let mut run = quadrille("");
        let program = run.command.get_program().to_owned();
        run.command = Command::new("sh");
        run.command.current_dir(directory).args(["-c", line]).env("Q", program);
        run.ends()
    }

    #[test]
    fn a_file_that_is_open_already_is_written_to_and_not_replaced() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("r"), POJ).expect("written");
        let all = directory.path().join("all");
        let lines = [
            "{ echo before; $Q solve r -o /dev/stdout; echo after; } >all",
            "{ echo before; $Q solve r -o /proc/self/fd/1; echo after; } >all",
            "echo before >all; $Q solve r -o /dev/stdout >>all; echo after >>all",
            "ln -s /dev/stderr link; { echo before; $Q solve - -o link <r; echo after; } >all 2>&1",
        ];
        for line in lines {
            let ended = shell(directory.path(), line);
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{line}");
            let text = fs::read_to_string(&all).expect("it is there");
            assert_eq!(text, format!("before\n{POJ_SOLVED}\nafter\n"), "{line}");
        }
        for (line, said) in [
            ("$Q solve r -o /proc/self/fd/7 7>>all", "another name of an open file"),
            ("$Q solve r -o /dev/stdout --checkpoint kept >>all", "--checkpoint needs files"),
            ("$Q solve r --stats-out /dev/stdout >>all", "would be overwritten"),
        ] {
            let before = fs::read(&all).expect("it is there");
            let ended = shell(directory.path(), line);
            assert!(ended.code == Some(2) && ended.err.contains(said), "{line}: {}", ended.err);
            assert_eq!(fs::read(&all).expect("it is there"), before, "{line}");
        }
    }

    #[test]
    fn a_closed_pipe_of_rejects_is_an_error() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("r"), "no puzzle\n".repeat(40_000) + POJ).expect("written");
        let line = "mkfifo pipe; head -1 <pipe >first & $Q solve r --rejects pipe >rows";
        let ended = shell(directory.path(), line);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(ended.err.contains("writing the rejects: "), "{}", ended.err);
    }

    #[test]
    fn a_signal_ends_a_run_that_waits_for_a_reader() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("r"), POJ).expect("written");
        let made = Command::new("mkfifo").arg(directory.path().join("pipe")).status();
        assert!(made.is_ok_and(|status| status.success()));
        let mut run = at(directory.path(), "solve r -o pipe");
        let mut child = run.command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        signal(&child, "TERM");
        assert!(!child.wait().expect("it ends").success());
    }

    /// Creates a named pipe.
    fn make_pipe(directory: &Path, name: &str) {
        let made = Command::new("mkfifo").arg(directory.join(name)).status();
        assert!(made.is_ok_and(|status| status.success()));
    }

    /// Waits until a process listens for signals and its main thread sleeps.
    ///
    /// The thread that waits for signals is there a moment before they are handled, so that is not enough.
    fn wait_until_blocked(child: &Child) {
        let threads = format!("/proc/{}/task", child.id());
        let state = || {
            let stat = fs::read_to_string(format!("{threads}/{}/stat", child.id())).unwrap_or_default();
            stat.rsplit(") ").next().and_then(|fields| fields.chars().next())
        };
        wait_for("it listens", || {
            let threads = fs::read_dir(&threads).into_iter().flatten().flatten();
            let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
            names.into_iter().any(|name| name.starts_with("quadrille-signa")) && state() == Some('S')
        });
    }

    /// Returns the names of the partial files in a directory.
    fn begun(directory: &Path) -> Vec<String> {
        let names = fs::read_dir(directory).expect("there").map(|entry| entry.expect("read").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".partial")).collect()
    }

    #[test]
    fn a_signal_ends_any_verb_that_waits_for_a_reader_and_leaves_nothing() {
        let commands = [
            "solve r -o out --rejects pipe",
            "convert r -o out --rejects pipe",
            "dedup r -o out --rejects pipe",
            "overlap r r -o out --rejects pipe",
            "overlap r r -o out --stats-out pipe",
            "split-corpus r --parts a=1,b=1 -o part-{}",
            "generate puzzles --weights 1..9 --weights-out out -o pipe",
            "split-problem r --target 2 -o pipe",
        ];
        let runs = commands.iter().flat_map(|words| [("INT", 130), ("TERM", 143)].map(|end| (words, end)));
        let runs = runs.map(|(words, end)| {
            let directory = tempfile::tempdir().expect("a temporary directory");
            fs::write(directory.path().join("r"), format!("{POJ}\n")).expect("written");
            make_pipe(directory.path(), "pipe");
            make_pipe(directory.path(), "part-b");
            let mut run = at(directory.path(), words);
            let streams = run.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            (words, end, streams.spawn().expect("it starts"), directory)
        });
        let runs: Vec<_> = runs.collect();
        runs.iter().for_each(|(_, _, child, _)| wait_until_blocked(child));
        // Each run opens its files first and then blocks on the pipe.
        std::thread::sleep(Duration::from_millis(300));
        for (words, (name, code), mut child, directory) in runs {
            signal(&child, name);
            assert_eq!(child.wait().expect("it ends").code(), Some(code), "{words}: {name}");
            assert_eq!(begun(directory.path()), Vec::<String>::new(), "{words}: {name}");
        }
    }

    #[test]
    fn a_signal_at_any_moment_between_two_corpora_ends_the_run() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("r"), format!("{POJ}\n")).expect("written");
        make_pipe(directory.path(), "pipe");
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            for delay in 0..20 {
                let mut child = at(directory.path(), "overlap - r -o out --rejects pipe").starts();
                // The first corpus is read; the rejects of the second go to a pipe without a reader.
                let mut pipe = child.stdin.take().expect("it is piped");
                pipe.write_all(format!("{POJ}\n").as_bytes()).expect("it reads");
                // A run that has begun to read handles signals.
                wait_for("it reads", || {
                    rustix::io::ioctl_fionread(&pipe).expect("a pipe knows what it holds") == 0
                });
                drop(pipe);
                std::thread::sleep(Duration::from_millis(delay * 3));
                signal(&child, name);
                assert_eq!(child.wait().expect("it ends").code(), Some(code), "{name} after {delay}");
            }
        }
    }

    #[test]
    fn runs_killed_while_files_are_renamed_can_be_resumed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("r"), POJ).expect("written");
        let words = "solve r -o out --no-clobber --rejects bad --checkpoint kept --resume -q --stats-out";
        // All files have their final names, and the checkpoint still exists.
        at(directory.path(), words).args("/dev/full").fails(1);
        assert!(directory.path().join("kept").exists() && directory.path().join("bad").exists());
        at(directory.path(), words).args("counts").prints();
        assert!(!directory.path().join("kept").exists());
        // The run was killed while its output was renamed: the file has two names.
        at(directory.path(), "solve r -o two --no-clobber --checkpoint kept --stats-out /dev/full -q")
            .fails(1);
        fs::hard_link(directory.path().join("two"), directory.path().join("two.partial")).expect("made");
        at(directory.path(), "solve r -o two --no-clobber --checkpoint kept --resume -q").prints();
        assert!(!directory.path().join("two.partial").exists());
        let solved = fs::read_to_string(directory.path().join("two")).expect("complete");
        assert_eq!(solved, format!("{POJ_SOLVED}\n"));
    }
}

#[test]
fn statistics_of_a_part_of_the_input_say_so() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let stopped = || {
        let text = fs::read_to_string(directory.path().join("counts")).expect("written");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["stopped"].clone()
    };
    let words = "solve - -o out --checkpoint kept --resume --stats-out counts -q";
    let puzzles = data("random-1000.txt");
    assert_eq!(stalled(at(directory.path(), words).args("--deadline 500ms"), &puzzles).code, Some(4));
    assert_eq!(stopped(), serde_json::json!({"deadline": 1}));
    let summary = at(directory.path(), "stats counts counts").prints();
    assert!(summary.contains("before the end of the input: 2 runs (deadline)"), "{summary}");
    at(directory.path(), "report counts -o page.html").prints();
    let page = fs::read_to_string(directory.path().join("page.html")).expect("written");
    assert!(page.contains("1 run stopped before the end of the input (deadline)."));
    // The resumed run reaches the end of the input.
    at(directory.path(), words).stdin(puzzles).prints();
    assert_eq!(stopped(), serde_json::Value::Null);
    at(directory.path(), "solve - nowhere -o out --stats-out counts -q").stdin(POJ).fails(1);
    assert_eq!(stopped(), serde_json::json!({"error": 1}));
}
