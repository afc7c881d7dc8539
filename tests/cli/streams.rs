//! Standard streams that are closed, open the wrong way, without a reader, or full: every verb, all three at once.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write, pipe};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::{POJ, POJ_SOLVED, wait_for};

/// Longest time of a run before it counts as stuck.
const STUCK: Duration = Duration::from_secs(240);

/// The state of a stream when the program begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A file that can be read, or written.
    Good,
    Closed,
    /// A file that can be written only, or read only.
    WrongWay,
    /// A pipe whose reader is gone; for outputs.
    NoReader,
}

use State::{Closed, Good, NoReader, WrongWay};

/// What a command does with standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Uses {
    Input,
    Output,
    Both,
    Neither,
}

/// Each verb, and each way of ending early; all that say something on standard error when all goes well are among them.
const COMMANDS: [(&str, Uses); 44] = [
    ("solve", Uses::Both),
    ("solve r", Uses::Output),
    ("solve r bad --stats --progress always", Uses::Output),
    ("solve r -o out --rejects rejected --stats-out s --report page.html", Uses::Neither),
    ("solve -o out --checkpoint kept", Uses::Input),
    ("solve /dev/stdin -o out", Uses::Input),
    ("solve r -o /dev/stdout", Uses::Output),
    ("solve clash r --output contest", Uses::Output),
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
    ("dedup", Uses::Both),
    ("overlap known r", Uses::Output),
    ("overlap known", Uses::Both),
    ("overlap - r", Uses::Both),
    ("split-corpus -o part-{} --parts a=1,b=1", Uses::Input),
    ("estimate", Uses::Both),
    ("split --target 2", Uses::Both),
    ("combine answers", Uses::Output),
    ("combine answers --cubes cubes --missing missing", Uses::Neither),
    ("encode", Uses::Both),
    ("generate puzzles --seed 1", Uses::Output),
    ("generate puzzles --seed 1 -o made --progress always --rating 1.0..9.0", Uses::Neither),
    ("generate queens 6", Uses::Output),
    ("bench r --rounds 1 --engine bitmask -q -o results", Uses::Output),
    ("stats counts", Uses::Output),
    ("report counts -o page.html", Uses::Neither),
    ("completions bash", Uses::Output),
    ("man solve", Uses::Output),
    ("generate-docs docs", Uses::Neither),
    ("--help", Uses::Output),
    ("--version", Uses::Output),
];

/// Files that commands read.
fn fill(directory: &Path) {
    let at = |name: &str| directory.join(name);
    fs::write(at("r"), format!("{POJ}\n")).expect("written");
    fs::write(at("known"), format!("{POJ}\n")).expect("written");
    fs::write(at("bad"), "no puzzle\n").expect("written");
    fs::write(at("clash"), POJ.replacen("103", "113", 1) + "\n").expect("written");
    for words in [
        "split r --target 2 -o cubes",
        "count r --cubes cubes -o answers",
        "solve r -o first --stats-out counts",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        let status = command.args(words.split(' ')).current_dir(directory).stderr(Stdio::null()).status();
        assert!(status.expect("it starts").success(), "{words}");
    }
}

/// How a run ended, with what it wrote to its streams.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Waits for the end, and returns the exit status; fails if it does not come.
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
    let closings = [(input, " <&-"), (output, " >&-"), (error, " 2>&-")];
    let closings = closings.iter().filter(|(state, _)| *state == Closed).map(|(_, words)| *words);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("exec \"$0\" \"$@\"{}", closings.collect::<String>()));
    command.arg(env!("CARGO_BIN_EXE_quadrille")).args(words.split(' ')).current_dir(directory);
    fs::write(path(0), format!("{POJ}\n")).expect("written");
    command.stdin(match input {
        WrongWay => OpenOptions::new().append(true).open(path(0)).expect("opened"),
        _ => File::open(path(0)).expect("opened"),
    });
    command.stdout(for_output(1, output)).stderr(for_output(2, error));
    let mut child = command.spawn().expect("there is a shell");
    // The pipes of a command stay open as long as it is there.
    drop(command);
    let code = ends_in_time(&format!("{words} {states:?}"), &mut child);
    let text = |number| String::from_utf8_lossy(&fs::read(path(number)).expect("there")).into_owned();
    Ended { code, out: text(1), err: text(2) }
}

/// Removes what a run may have written.
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

/// Runs one command in all states of its streams.
fn try_all(words: &str, uses: Uses) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    fill(directory);
    let reads = matches!(uses, Uses::Input | Uses::Both);
    let writes = matches!(uses, Uses::Output | Uses::Both);
    let good = run(directory, words, [Good; 3]);
    assert!(good.code.is_some_and(|code| code < 101), "{words}: {:?} {}", good.code, good.err);
    assert_eq!(writes, !good.out.is_empty(), "{words}: {}", good.err);
    // Times differ.
    let is_same_text = !words.starts_with("bench");
    // Whoever does not read it has no use for how it is open.
    let inputs = if reads { &[Good, Closed, WrongWay][..] } else { &[Good, Closed] };
    for &input in inputs {
        for output in [Good, Closed, WrongWay, NoReader] {
            for error in [Good, Closed, WrongWay, NoReader] {
                clear(directory);
                let states = [input, output, error];
                let ended = run(directory, words, states);
                let what =
                    format!("{words} {states:?}: {:?}, out {:?}, error {}", ended.code, ended.out, ended.err);
                // The file behind /dev/stdin is opened anew, for reading.
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
fn every_verb_ends_as_it_should_whatever_its_streams_are() {
    std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                scope.spawn(move || {
                    COMMANDS.iter().skip(half).step_by(2).for_each(|(words, uses)| try_all(words, *uses));
                })
            })
            .collect();
        halves.into_iter().for_each(|half| half.join().expect("a message above"));
    });
}

/// Puts a stream into non-blocking mode, for all that have it open.
fn do_not_block(stream: impl std::os::fd::AsFd) {
    let flags = fcntl_getfl(&stream).expect("told");
    fcntl_setfl(&stream, flags | OFlags::NONBLOCK).expect("set");
}

/// Processor time of a process by now, in ticks of a hundredth of a second.
#[cfg(target_os = "linux")]
fn ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it runs");
    let fields = stat.rsplit(')').next().expect("behind its name").split_whitespace();
    fields.skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
}

/// Waits until a process has used no time for a while: it sleeps.
#[cfg(target_os = "linux")]
fn wait_until_asleep(child: &Child) {
    wait_for("the program sleeps", || {
        let before = ticks(child);
        std::thread::sleep(Duration::from_millis(500));
        ticks(child) <= before + 2
    });
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_does_not_block_is_waited_for() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let many = directory.path().join("many");
    fs::write(&many, format!("{POJ}\n").repeat(5000)).expect("written");
    let bad = directory.path().join("bad");
    fs::write(&bad, format!("{POJ}\n").replacen("103", "113", 1).repeat(5000)).expect("written");
    let solved = format!("{POJ_SOLVED}\n").repeat(5000);
    for (words, path, on_error) in
        [("solve", &many, false), ("convert", &many, false), ("solve --output contest -j2", &bad, true)]
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
fn an_input_that_does_not_block_is_waited_for() {
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
