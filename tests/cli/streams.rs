//! Standard streams that are closed, open the wrong way, without a reader, or full: all pairs of states for
//! every verb, and all combinations for a few.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write, pipe};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::{POJ, POJ_SOLVED, wait_for};

/// Maximum duration of a run before it counts as stuck.
const STUCK: Duration = Duration::from_secs(240);

/// State of a stream when the program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A file open for reading, or for writing if the stream is an output.
    Good,
    Closed,
    /// A file open only for writing, or only for reading if the stream is an output.
    WrongWay,
    /// A pipe whose reader is gone; for outputs.
    NoReader,
}

use State::{Closed, Good, NoReader, WrongWay};

/// Which of the standard streams a command uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Uses {
    Input,
    Output,
    Both,
    Neither,
}

/// Every verb and every early end, including all commands that succeed with text on standard error.
const COMMANDS: [(&str, Uses); 48] = [
    ("solve", Uses::Both),
    ("solve r", Uses::Output),
    ("solve r bad --stats --progress always", Uses::Output),
    ("solve r -o out --rejects rejected --stats-out s --report page.html", Uses::Neither),
    ("solve -o out --checkpoint kept", Uses::Input),
    ("solve /dev/stdin -o out", Uses::Input),
    ("solve r -o /dev/stdout", Uses::Output),
    ("solve clash r --to contest", Uses::Output),
    ("solve r clash --fail-on none", Uses::Output),
    ("solve bad", Uses::Output),
    ("solve nowhere.txt", Uses::Neither),
    ("solve r -o no/directory", Uses::Neither),
    ("solve r --nonsense", Uses::Neither),
    ("solve --rules list", Uses::Output),
    ("count", Uses::Both),
    ("count r --cubes cubes", Uses::Output),
    ("best r", Uses::Output),
    ("check r", Uses::Output),
    ("canon", Uses::Both),
    ("rate r", Uses::Output),
    ("convert", Uses::Both),
    ("convert r bad -o out.csv", Uses::Neither),
    ("convert r --box 1x9 -o out", Uses::Neither),
    ("augment --copies 3", Uses::Both),
    ("fingerprint", Uses::Both),
    ("fingerprint r --against known", Uses::Output),
    ("dedup", Uses::Both),
    ("overlap known r", Uses::Output),
    ("overlap known", Uses::Both),
    ("overlap - r", Uses::Both),
    ("split-corpus -o part-{} --parts a=1,b=1", Uses::Input),
    ("estimate", Uses::Both),
    ("split-problem --target 2", Uses::Both),
    ("combine answers", Uses::Output),
    ("combine answers --cubes cubes --missing missing", Uses::Neither),
    ("encode", Uses::Both),
    ("generate puzzles --seed 1", Uses::Output),
    ("generate puzzles --seed 1 -o made --progress always --rating 1.0..9.0", Uses::Neither),
    ("generate queens 6", Uses::Output),
    ("bench r --rounds 1 --engine bitmask -q -o results", Uses::Output),
    ("bench r --rounds 1 --program self -q", Uses::Output),
    ("stats counts", Uses::Output),
    ("report counts -o page.html", Uses::Neither),
    ("completions bash", Uses::Output),
    ("man solve", Uses::Output),
    ("generate-docs docs", Uses::Neither),
    ("--help", Uses::Output),
    ("--version", Uses::Output),
];

/// Creates the files that the commands read.
fn fill(directory: &Path) {
    let at = |name: &str| directory.join(name);
    fs::write(at("r"), format!("{POJ}\n")).expect("written");
    fs::write(at("known"), format!("{POJ}\n")).expect("written");
    fs::write(at("bad"), "no puzzle\n").expect("written");
    fs::write(at("clash"), POJ.replacen("103", "113", 1) + "\n").expect("written");
    for words in [
        "split-problem r --target 2 -o cubes",
        "count r --cubes cubes -o answers",
        "solve r -o first --stats-out counts",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        let status = command.args(words.split(' ')).current_dir(directory).stderr(Stdio::null()).status();
        assert!(status.expect("it starts").success(), "{words}");
    }
}

/// Exit status and output of a finished run.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Waits for the process and returns its exit status; panics if it is stuck.
fn ends_in_time(what: &str, child: &mut Child) -> Option<i32> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status.code();
        }
        if began.elapsed() > STUCK {
            let _ = child.kill();
            panic!("{what}: it hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a command with its streams in these states.
fn run(directory: &Path, words: &str, states: [State; 3]) -> Ended {
    let [input, output, error] = states;
    let at = |name: &str| directory.join(name);
    let path = |number: usize| at(["stream-0", "stream-1", "stream-2"][number]);
    let for_output = |number: usize, state: State| -> Stdio {
        File::create(path(number)).expect("created");
        match state {
            Good => OpenOptions::new().append(true).open(path(number)).expect("opened").into(),
            WrongWay => File::open(path(number)).expect("opened").into(),
            NoReader => pipe().expect("a pipe").1.into(),
            Closed => Stdio::null(),
        }
    };
    let program = env!("CARGO_BIN_EXE_quadrille");
    let closings = [(input, " <&-"), (output, " >&-"), (error, " 2>&-")];
    let closings = closings.iter().filter(|(state, _)| *state == Closed).map(|(_, words)| *words);
    let closings: String = closings.collect();
    let mut command = Command::new(if closings.is_empty() { program } else { "sh" });
    if !closings.is_empty() {
        command.arg("-c").arg(format!("exec \"$0\" \"$@\"{closings}")).arg(program);
    }
    command.args(words.split(' ')).current_dir(directory);
    fs::write(path(0), format!("{POJ}\n")).expect("written");
    command.stdin(match input {
        WrongWay => OpenOptions::new().append(true).open(path(0)).expect("opened"),
        _ => File::open(path(0)).expect("opened"),
    });
    command.stdout(for_output(1, output)).stderr(for_output(2, error));
    let mut child = command.spawn().expect("there is a shell");
    // The command holds the pipes open until it is dropped.
    drop(command);
    let code = ends_in_time(&format!("{words} {states:?}"), &mut child);
    let text = |number| String::from_utf8_lossy(&fs::read(path(number)).expect("there")).into_owned();
    Ended { code, out: text(1), err: text(2) }
}

/// Deletes all files that a run may have written.
fn clear(directory: &Path) {
    for name in [
        "out",
        "rejected",
        "s",
        "kept",
        "page.html",
        "out.csv",
        "part-a",
        "part-b",
        "missing",
        "made",
        "results",
    ] {
        let _ = fs::remove_file(directory.join(name));
    }
}

/// Runs one command with each pair of states of two streams, or with all combinations of states.
fn try_states(words: &str, uses: Uses, is_thorough: bool) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    fill(directory);
    let reads = matches!(uses, Uses::Input | Uses::Both);
    let writes = matches!(uses, Uses::Output | Uses::Both);
    let good = run(directory, words, [Good; 3]);
    assert!(good.code.is_some_and(|code| code < 101), "{words}: {:?} {}", good.code, good.err);
    assert_eq!(writes, !good.out.is_empty(), "{words}: {}", good.err);
    // Benchmarks print times, which differ from run to run.
    let is_same_text = !words.starts_with("bench");
    // A command that does not read its input is not affected by the way it is open.
    let inputs = if reads { &[Good, Closed, WrongWay][..] } else { &[Good, Closed] };
    for (number, &input) in inputs.iter().enumerate() {
        for (row, output) in [Good, Closed, WrongWay, NoReader].into_iter().enumerate() {
            for (column, error) in [Good, Closed, WrongWay, NoReader].into_iter().enumerate() {
                // Each input still meets each output and each error.
                if !is_thorough && (row + column) % inputs.len() != number {
                    continue;
                }
                clear(directory);
                let states = [input, output, error];
                let ended = run(directory, words, states);
                let what =
                    format!("{words} {states:?}: {:?}, out {:?}, error {}", ended.code, ended.out, ended.err);
                // /dev/stdin is opened again, for reading.
                let input_fails = reads
                    && match input {
                        WrongWay => !words.contains("/dev/stdin"),
                        _ => input == Closed,
                    };
                let output_fails = writes && matches!(output, Closed | WrongWay);
                if input_fails || output_fails {
                    assert_eq!(ended.code, Some(1), "{what}");
                    if error == Good {
                        let names = ["standard input", "standard output", "/dev/std"];
                        assert!(names.iter().any(|name| ended.err.contains(name)), "{what}");
                        let reasons = ["was closed before", "for reading only", "for writing only"];
                        assert!(reasons.iter().any(|reason| ended.err.contains(reason)), "{what}");
                    }
                } else if writes && output == NoReader {
                    assert!(ended.code == Some(0) || ended.code == good.code, "{what}");
                } else {
                    assert_eq!(ended.code, good.code, "{what}");
                    if output == Good && is_same_text {
                        assert_eq!(ended.out, good.out, "{what}");
                    }
                }
                let left =
                    fs::read_dir(directory).expect("there").map(|entry| entry.expect("read").file_name());
                let partial: Vec<_> =
                    left.filter(|name| name.to_string_lossy().ends_with(".partial")).collect();
                assert!(partial.is_empty(), "{what}: {partial:?}");
            }
        }
    }
}

#[test]
fn every_verb_has_the_right_exit_status_with_any_streams() {
    std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                scope.spawn(move || {
                    for (number, (words, uses)) in COMMANDS.iter().enumerate().skip(half).step_by(2) {
                        // How the streams are opened does not depend on the verb.
                        try_states(words, *uses, number % 7 == 4);
                    }
                })
            })
            .collect();
        halves.into_iter().for_each(|half| half.join().expect("a message above"));
    });
}

/// Switches a stream to non-blocking mode, for all processes that share it.
fn do_not_block(stream: impl std::os::fd::AsFd) {
    let flags = fcntl_getfl(&stream).expect("told");
    fcntl_setfl(&stream, flags | OFlags::NONBLOCK).expect("set");
}

/// Returns the processor time used by a process, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it runs");
    let fields = stat.rsplit(')').next().expect("behind its name").split_whitespace();
    fields.skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
}

/// Waits until a process has used no processor time for a while.
#[cfg(target_os = "linux")]
fn wait_until_asleep(child: &Child) {
    wait_for("the program sleeps", || {
        let before = ticks(child);
        std::thread::sleep(Duration::from_millis(200));
        ticks(child) <= before + 1
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_nonblocking_output_is_waited_for() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let many = directory.path().join("many");
    fs::write(&many, format!("{POJ}\n").repeat(5000)).expect("written");
    let bad = directory.path().join("bad");
    fs::write(&bad, format!("{POJ}\n").replacen("103", "113", 1).repeat(5000)).expect("written");
    let solved = format!("{POJ_SOLVED}\n").repeat(5000);
    for (words, path, on_error) in
        [("solve", &many, false), ("convert", &many, false), ("solve --to contest -j2", &bad, true)]
    {
        let (mut reader, writer) = pipe().expect("a pipe");
        do_not_block(&writer);
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.args(words.split(' ')).arg(path).stdin(Stdio::null());
        match on_error {
            false => command.stdout(writer).stderr(Stdio::null()),
            true => command.stdout(Stdio::null()).stderr(writer),
        };
        let mut child = command.spawn().expect("it starts");
        drop(command);
        wait_until_asleep(&child);
        assert_eq!(child.try_wait().expect("told"), None, "{words}: the pipe is full");
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("text");
        assert_eq!(ends_in_time(words, &mut child), Some(0), "{words}");
        match words {
            "solve" => assert_eq!(text, solved),
            _ => assert_eq!(text.lines().count(), 5000, "{words}"),
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_nonblocking_input_is_waited_for() {
    for words in ["solve", "estimate", "encode", "overlap - data/poj2676.txt"] {
        let (reader, mut writer) = pipe().expect("a pipe");
        do_not_block(&reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.args(words.split(' ')).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        drop(command);
        let (before, behind) = POJ.split_at(40);
        writer.write_all(before.as_bytes()).expect("it reads");
        wait_until_asleep(&child);
        writer.write_all(format!("{behind}\n").as_bytes()).expect("it reads");
        drop(writer);
        assert_eq!(ends_in_time(words, &mut child), Some(0), "{words}");
        let mut out = String::new();
        child.stdout.take().expect("it is piped").read_to_string(&mut out).expect("text");
        assert!(words != "solve" || out == format!("{POJ_SOLVED}\n"), "{words}: {out}");
    }
}
